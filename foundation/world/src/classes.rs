//! The classes of tags that every world knows: objects, levels, geometry, events and the globals of a game.
//!
//! The object classes of a game derive from [`ObjectTag`], level classes with variables from [`Scenario`]. The comments here are the
//! help that editors and the book show. A renamed field keeps its former name, by which older tags are read.

use base::{StringId, Truth, Vec3};
use tags::{Choice, Colour, Lambda, Maybe, Names, OwnHandle, Record, Reference, Series, Tag, TagId, Text};
use view::classes::{AnimationGraph, Camera, Effect, InterfaceName, Mix, Model, Sky, Sound};

/// The fields of every object. Its lambdas are evaluated over the object's own variables: the fields its class calls state, and
/// the names that the tag's lambdas set. A tag may set further names: handlers such as `OnHit`, lambdas, values.
#[derive(Tag)]
#[tag(class = "object", open)]
#[repr(C)]
pub struct ObjectTag {
    /// Its position.
    #[tag(unit = "m", state, replicated)]
    pub position: Vec3,
    /// Its velocity, by which the world moves it.
    #[tag(unit = "m/s", state, replicated)]
    pub velocity: Vec3,
    /// The direction of its x axis.
    #[tag(state, replicated, default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// Its rotation: the direction is the axis, the length the angle in radians.
    #[tag(unit = "rad", state)]
    pub orientation: Vec3,
    /// The direction of its z axis. With `facing` it states an orientation; alone it turns the object by the shortest rotation.
    #[tag(state, default = "vec(0, 0, 1)")]
    pub up: Vec3,
    /// The opposite of the direction of its y axis.
    #[tag(state, default = "vec(0, -1, 0)")]
    pub right: Vec3,
    /// Its angular velocity: that of its body, or that by which the world turns it.
    #[tag(unit = "rad/s", state)]
    pub spin: Vec3,
    /// Its team.
    #[tag(state, replicated, range(0, 31))]
    pub team: u32,
    /// The object that owns it.
    #[tag(state, replicated)]
    pub owner: OwnHandle,
    /// Its bounding radius for rays, if it has no body.
    #[tag(unit = "m", range(0, 10000), default = 1)]
    pub radius: f32,
    /// The interval between calls of `OnUpdate`, in whole brush cycles. In between the object sleeps, unless it moves.
    #[tag(unit = "ms", range(1, 3600000), default = 10)]
    pub update_period: f32,
    /// Slower updates far from all players. The farthest distance that is reached counts. An object of a level without players'
    /// objects, and a level itself, keep `update_period`.
    pub far_updates: Series<FarUpdate>,
    /// How many values its lists, records and timers can hold in all. A timer takes four.
    #[tag(unit = "values", range(0, 4096), default = 16, former("room"))]
    pub storage: u32,
    /// Its rigid body, if it has a shape: then physics moves it, and it collides.
    pub body: BodyRecord,
    /// The force field it carries: gravity, as of a planet, or a medium with drag, as water. It moves with the object.
    #[tag(former("field"))]
    pub force_field: ForceFieldRecord,
    /// Whether it outlives its parent. If not, it is destroyed with it.
    pub survives_parent: Truth,
    /// The points at which other objects can be attached to it.
    pub markers: Series<Marker>,
    /// Its model. Without one it is shown by the shape of its body, and without a body by a marker.
    pub model: Reference<Model>,
    /// The factor of the model's size.
    #[tag(range(0.0001, 10000), default = 1)]
    pub scale: f32,
    /// The colour of its markings, and of all of it if it has no model. Without one: the colour of its team.
    pub colour: Maybe<Colour>,
    /// Whether it is not shown, and not heard.
    pub hidden: Truth,
    /// The visual effects that run as long as it lives.
    pub effects: Series<ObjectEffect>,
    /// The sounds that are heard as long as it lives.
    pub sounds: Series<ObjectSound>,
    /// Its animation graph: the states that `!Animate` sets, and the animations they play.
    pub graph: Reference<AnimationGraph>,
    /// The camera of a player who controls it. That of a level: for players whose objects have none.
    pub camera: Reference<Camera>,
    /// The interface of a player who controls it. That of a level: for players whose objects have none.
    pub interface: Reference<InterfaceName>,
    /// Called once after it was spawned, with all its variables set.
    #[tag(name = "OnSpawn")]
    pub on_spawn: Lambda,
    /// Called every `update_period` with that period in seconds.
    #[tag(name = "OnUpdate")]
    pub on_update: Lambda,
    /// Called with the name and the arguments of a message for which there is no `OnName`.
    #[tag(name = "OnMessage")]
    pub on_message: Lambda,
    /// Called with the amount and the kind of damage. The attacker is `~sender`.
    #[tag(name = "OnDamage")]
    pub on_damage: Lambda,
    /// Called before it is removed. Its effects still count.
    #[tag(name = "OnDestroy")]
    pub on_destroy: Lambda,
}

/// How often an object is updated that is far from all players.
#[derive(Record)]
#[repr(C)]
pub struct FarUpdate {
    /// The distance to the object of the nearest player from which on it counts.
    #[tag(unit = "m", range(0, 10000000))]
    pub distance: f32,
    /// The interval between calls of `OnUpdate`.
    #[tag(unit = "ms", range(1, 3600000), default = 100)]
    pub period: f32,
}

/// A point of an object at which others can be attached, with a direction.
#[derive(Record)]
#[repr(C)]
pub struct Marker {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its position in the object's frame.
    #[tag(unit = "m")]
    pub offset: Vec3,
    /// Its direction in the object's frame: that of the x axis of what is attached there. Zero: what is attached keeps its own.
    pub facing: Vec3,
    /// The direction of the z axis of what is attached there.
    #[tag(default = "vec(0, 0, 1)")]
    pub up: Vec3,
}

/// A visual effect of an object.
#[derive(Record)]
#[repr(C)]
pub struct ObjectEffect {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The effect.
    pub effect: Reference<Effect>,
    /// The marker or node of the model at which it is. None: that of the effect, or the object's origin.
    pub marker: StringId,
    /// The factor of its size.
    #[tag(range(0.0001, 10000), default = 1)]
    pub scale: f32,
    /// The condition under which it runs. None: always.
    #[tag(signature = "Lambda(truth)")]
    pub when: Lambda,
}

/// A sound of an object.
#[derive(Record)]
#[repr(C)]
pub struct ObjectSound {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The sound.
    pub sound: Reference<Sound>,
    /// The marker or node of the model at which it is. None: the object's origin.
    pub marker: StringId,
    /// The factor of its volume.
    #[tag(range(0, 4), default = 1)]
    pub volume: f32,
    /// The factor of its pitch.
    #[tag(range(0.01, 16), default = 1)]
    pub pitch: f32,
    /// The condition under which it is heard. None: always.
    #[tag(signature = "Lambda(truth)")]
    pub when: Lambda,
}

/// The rigid body of an object. Its position is the object's; an attached object has no body.
#[derive(Record)]
#[repr(C)]
pub struct BodyRecord {
    /// Its shape; with none, there is no body.
    #[tag(default = "\"none\"")]
    pub shape: Choice<ShapeName>,
    /// The radius of a sphere, a capsule, a cylinder or a cone.
    #[tag(unit = "m", range(0.001, 100000), default = 0.5)]
    pub radius: f32,
    /// The length along its z axis: of a cylinder, of a cone, of the segment of a capsule.
    #[tag(unit = "m", range(0, 100000), default = 1)]
    pub length: f32,
    /// The half extents of a box.
    #[tag(unit = "m", default = "vec(0.5, 0.5, 0.5)")]
    pub half: Vec3,
    /// The shape, if it is none of the primitives.
    pub geometry: Reference<Geometry>,
    /// Its mass. 0: volume times density.
    #[tag(unit = "kg", range(0, 1000000000), default = 0)]
    pub mass: f32,
    /// Its density.
    #[tag(unit = "kg/m3", range(0.001, 100000), default = 1000)]
    pub density: f32,
    /// Its friction coefficient. For a pair of bodies the geometric mean is used.
    #[tag(range(0, 10), default = 0.5)]
    pub friction: f32,
    /// Its coefficient of restitution. For a pair of bodies the larger is used.
    #[tag(range(0, 1), default = 0)]
    pub restitution: f32,
    /// Its rolling resistance, as the radius of a disc it stands on.
    #[tag(unit = "m", range(0, 100), default = 0)]
    pub rolling: f32,
    /// How it comes to rest on gentle slopes, by an additional friction that grows with time: for dropped things and corpses.
    pub settling: SettlingRecord,
    /// The rate at which it loses velocity.
    #[tag(unit = "1/s", range(0, 1000), default = 0)]
    pub damping: f32,
    /// The rate at which it loses angular velocity.
    #[tag(unit = "1/s", range(0, 1000), default = 0, former("spin_damping"))]
    pub angular_damping: f32,
    /// The factor by which gravity and force fields accelerate it.
    #[tag(range(-100, 100), default = 1)]
    pub gravity: f32,
    /// Its collision layer.
    #[tag(range(0, 31), default = 0)]
    pub layer: u32,
    /// Its collision mask: the layers it collides with. Empty: all. Two bodies collide if each has the other's layer.
    #[tag(former("meets"))]
    pub collides_with: Series<u32>,
    /// Whether it is static: it never moves.
    pub fixed: Truth,
    /// Whether `!Move` may place it inside a fixed body.
    pub moves_into_solids: Truth,
    /// Whether it is kinematic: it moves by its velocity, and nothing stops it.
    #[tag(former("driven"))]
    pub kinematic: Truth,
    /// Whether it is a trigger: it stops nothing, and `OnEnter` and `OnLeave` are called for bodies that enter and leave it.
    pub trigger: Truth,
    /// Whether its rotation is locked.
    pub upright: Truth,
    /// Whether it never sleeps.
    #[tag(former("restless"))]
    pub never_sleeps: Truth,
    /// Whether continuous collision treats it as a point: for projectiles.
    pub point: Truth,
}

/// How a body comes to rest. While it lies, slides or rolls on a slope that is gentle enough, a friction acts on it besides that of its
/// surfaces: the curve says how much, from the moment it came there. After the last point the friction stays. On steeper slopes nothing
/// acts. The time begins again when it leaves such slopes, is hit, pushed or thrown, and when it falls asleep.
#[derive(Record)]
#[repr(C)]
pub struct SettlingRecord {
    /// The steepest slope on which it comes to rest, in degrees. 0: there is no such friction.
    #[tag(unit = "degrees", range(0, 89), default = 0)]
    pub slope: f32,
    /// The friction over time, by rising times. Between two points it changes evenly. What rolls stands still on slopes whose tangent is
    /// below the last friction.
    pub curve: Series<SettlingPoint>,
}

/// A point of a friction curve.
#[derive(Record)]
#[repr(C)]
pub struct SettlingPoint {
    /// The time on gentle slopes.
    #[tag(unit = "s", range(0, 3600))]
    pub seconds: f32,
    /// The friction coefficient.
    #[tag(range(0, 100))]
    pub friction: f32,
}

/// The primitive shapes of bodies, and one that a geometry tag describes.
#[derive(Clone, Copy, Debug, Names)]
pub enum ShapeName {
    /// No body.
    None,
    /// A sphere.
    Sphere,
    /// A capsule.
    Capsule,
    /// A box.
    Box,
    /// A cylinder around its z axis, of `radius` and `length`: a hull of 32 sides with the volume and the inertia of a round one.
    Cylinder,
    /// A cone around its z axis, of `radius` and `length`, with its point up. Its centre of mass is a quarter of its length above its base.
    Cone,
    /// The shape of the tag in `geometry`.
    Geometry,
}

/// A force field: it accelerates bodies, or is a medium with drag that they move in, such as water or wind. That of an object is in the
/// object's frame and moves with it; it does not act on the object itself.
#[derive(Record)]
#[repr(C)]
pub struct ForceFieldRecord {
    /// How its acceleration depends on the distance; with none, there is no field.
    #[tag(default = "\"none\"")]
    pub kind: Choice<ForceFieldName>,
    /// Its centre.
    #[tag(unit = "m")]
    pub centre: Vec3,
    /// The acceleration towards its centre. Negative: away from it.
    #[tag(unit = "m/s2", range(-10000, 10000), default = 10)]
    pub strength: f32,
    /// The distance at which the acceleration is `strength`: a planet's radius.
    #[tag(unit = "m", range(0.001, 1000000), default = 1)]
    pub radius: f32,
    /// The acceleration of a uniform field.
    #[tag(unit = "m/s2", former("pull"))]
    pub acceleration: Vec3,
    /// The radius within which it acts. 0: everywhere, or within its box.
    #[tag(unit = "m", range(0, 10000000), default = 0, former("reach"))]
    pub influence_radius: f32,
    /// The half extents of the box within which it acts, if it is a box.
    #[tag(unit = "m")]
    pub half: Vec3,
    /// Whether it replaces the level's gravity and the fields that do not replace.
    pub replaces: Truth,
    /// The rate at which bodies in it take on its flow. 0: it is no medium.
    #[tag(unit = "1/s", range(0, 1000), default = 0)]
    pub drag: f32,
    /// The velocity of the medium: wind, a river.
    #[tag(unit = "m/s")]
    pub flow: Vec3,
}

/// How the acceleration of a force field depends on the distance.
#[derive(Clone, Copy, Debug, Names)]
pub enum ForceFieldName {
    /// No field.
    None,
    /// Towards its centre: `strength` at `radius`, beyond it falling with the square of the distance, within it linear in the distance.
    Planet,
    /// Towards its centre: `strength` everywhere.
    Centre,
    /// Towards its centre: `strength` at `radius`, linear in the distance everywhere.
    Linear,
    /// `acceleration` everywhere.
    #[tag(former("zone"))]
    Uniform,
}

/// The physics settings of a level. The book has the reasons for the defaults.
#[derive(Record)]
#[repr(C)]
pub struct PhysicsRecord {
    /// The gravity of the level.
    #[tag(unit = "m/s2")]
    pub gravity: Vec3,
    /// The sub-steps of a cycle: more hold higher stacks, and cost more.
    #[tag(range(1, 32), default = 4)]
    pub substeps: u32,
    /// How long a body must be at rest to fall asleep. 0: none does.
    #[tag(unit = "s", range(0, 3600), default = 0.5)]
    pub sleep_after: f32,
    /// The speed below which it is at rest.
    #[tag(unit = "m/s", range(0, 10), default = 0.05)]
    pub sleep_speed: f32,
    /// The approach speed below which restitution is ignored.
    #[tag(unit = "m/s", range(0, 100), default = 0.5)]
    pub bounce_speed: f32,
    /// The force fields of the level: planets, water, wind. Objects can have force fields too.
    #[tag(former("fields"))]
    pub force_fields: Series<ForceFieldRecord>,
}

/// The map on which `find_way`, `way_next` and `is_walkable` work. It is made from the fixed bodies of the level, and follows them.
#[derive(Record)]
#[repr(C)]
pub struct NavigationRecord {
    /// What agents do. Without a kind the level has no map.
    #[tag(default = "\"none\"")]
    pub kind: Choice<NavigationName>,
    /// The corner of the map with the smallest coordinates.
    #[tag(unit = "m")]
    pub least: Vec3,
    /// The opposite corner.
    #[tag(unit = "m")]
    pub most: Vec3,
    /// The side of a cell. Best about the radius of the smallest agent. A map has at most 4194304 cells, and 4096 along a side.
    #[tag(unit = "m", range(0.01, 10000), default = 1)]
    pub cell_size: f32,
    /// The radius of an agent, where a script gives none.
    #[tag(unit = "m", range(0, 10000), default = 0.5)]
    pub radius: f32,
    /// The radius of the largest agent: at most 14 cells. 0: `radius`.
    #[tag(unit = "m", range(0, 10000), default = 0)]
    pub radius_max: f32,
    /// The room that a walking agent needs above the ground.
    #[tag(unit = "m", range(0, 10000), default = 2)]
    pub height: f32,
    /// The highest step that a walking agent takes.
    #[tag(unit = "m", range(0, 10000), default = 0.4)]
    pub step_max: f32,
    /// The steepest slope that a walking agent climbs.
    #[tag(unit = "deg", range(0, 89), default = 45)]
    pub slope_max: f32,
    /// The most cells that one search looks at; then it gives the best partial way.
    #[tag(unit = "cells", range(16, 1048576), default = 8192)]
    pub search_max: u32,
    /// The goals that `!Seek` keeps fields for at the same time. Each takes four bytes for each cell.
    #[tag(unit = "goals", range(0, 64), default = 4)]
    pub fields_max: u32,
    /// The cells of fields that are computed in a cycle.
    #[tag(unit = "cells", range(64, 4194304), default = 16384)]
    pub field_cells: u32,
    /// For flying agents: the blocks of 8 × 8 × 8 cells that can be near an obstacle. Further ones are closed.
    #[tag(unit = "blocks", range(1, 8192), default = 1024)]
    pub blocks_max: u32,
}

/// The kinds of maps.
#[derive(Clone, Copy, Debug, Names)]
pub enum NavigationName {
    /// No map.
    None,
    /// Agents walk on the upper sides of fixed bodies.
    Ground,
    /// Agents fly between fixed bodies.
    Space,
}

/// A shape that is none of the primitives. If it cannot be built there is no shape, and that is reported.
#[derive(Tag)]
#[tag(class = "geometry")]
#[repr(C)]
pub struct Geometry {
    /// What is built from the points.
    #[tag(default = "\"hull\"")]
    pub kind: Choice<GeometryKind>,
    /// Points, in metres from the object's position.
    pub points: Series<Vec3>,
    /// Of a mesh: three point indices for each triangle, from 0, counter-clockwise seen from outside.
    pub triangles: Series<u32>,
    /// Of a height field: the heights, row by row along y, from the minimum corner.
    pub heights: Series<f32>,
    /// Of a height field: the number of heights in a row along x.
    #[tag(range(2, 2049), default = 2)]
    pub columns: u32,
    /// Of a height field: the distance between neighbouring heights.
    #[tag(unit = "m", range(0.01, 10000), default = 1)]
    pub spacing: f32,
    /// Of a compound: its parts.
    pub parts: Series<GeometryPart>,
}

/// What is built from the points of a geometry.
#[derive(Clone, Copy, Debug, Names)]
pub enum GeometryKind {
    /// The convex hull of the points.
    Hull,
    /// A triangle mesh.
    Mesh,
    /// A height field: heights over a grid.
    #[tag(name = "height_field", former("field"))]
    HeightField,
    /// A compound of several parts.
    Compound,
}

/// A part of a compound.
#[derive(Record)]
#[repr(C)]
pub struct GeometryPart {
    /// Its shape.
    #[tag(default = "\"box\"")]
    pub shape: Choice<PartName>,
    /// Its centre.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// The direction of its x axis.
    #[tag(default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// The radius of a sphere, a capsule, a cylinder or a cone.
    #[tag(unit = "m", range(0.001, 100000), default = 0.5)]
    pub radius: f32,
    /// The length of a cylinder, of a cone, of the segment of a capsule.
    #[tag(unit = "m", range(0, 100000), default = 1)]
    pub length: f32,
    /// The half extents of a box.
    #[tag(unit = "m", default = "vec(0.5, 0.5, 0.5)")]
    pub half: Vec3,
    /// The points of a hull.
    pub points: Series<Vec3>,
}

/// The shapes of parts.
#[derive(Clone, Copy, Debug, Names)]
pub enum PartName {
    /// A sphere.
    Sphere,
    /// A capsule.
    Capsule,
    /// A box.
    Box,
    /// A cylinder around its z axis.
    Cylinder,
    /// A cone around its z axis, with its point up.
    Cone,
    /// The convex hull of its points.
    Hull,
}

/// Music that is heard while a condition holds.
#[derive(Record)]
#[repr(C)]
pub struct MusicState {
    /// The music.
    pub sound: Reference<Sound>,
    /// Whether it is heard, from the variables of the level.
    #[tag(signature = "Lambda(truth)")]
    pub when: Lambda,
}

/// A level: the capacities of its world, the objects at its start, and its triggers. It is itself the first object of its world,
/// known to all others as `~level`. The memory of the world is laid out from it, so the level restarts when it changes.
#[derive(Tag)]
#[tag(class = "scenario", not_recoverable)]
#[repr(C)]
pub struct Scenario {
    #[tag(base)]
    object: ObjectTag,
    /// The capacity for objects.
    #[tag(unit = "objects", range(16, 65535), default = 4096)]
    pub objects_max: u32,
    /// The capacity for the variables of all objects. 0: 32 for each object.
    #[tag(unit = "values", range(0, 16777216), default = 0)]
    pub values_max: u32,
    /// The capacity for messages carried from one cycle to the next.
    #[tag(unit = "messages", range(16, 65536), default = 4096)]
    pub messages_max: u32,
    /// The capacity for bodies.
    #[tag(unit = "bodies", range(1, 65535), default = 1024)]
    pub bodies_max: u32,
    /// The capacity for contacts. 0: four for each body.
    #[tag(unit = "contacts", range(0, 1000000), default = 0)]
    pub contacts_max: u32,
    /// The capacity for joints. 0: one for every four bodies, and 16.
    #[tag(unit = "joints", range(0, 65535), default = 0)]
    pub joints_max: u32,
    /// The physics settings.
    pub physics: PhysicsRecord,
    /// The map for finding ways.
    pub navigation: NavigationRecord,
    /// What surrounds the level: background, sun, fog.
    pub sky: Reference<Sky>,
    /// The music of the level, which repeats.
    pub music: Reference<Sound>,
    /// Other music, while a condition of the level holds: the first whose condition does. It follows at a bar or beat of the music
    /// before, as the tag of that says. All music runs on the clock of the level.
    pub music_states: Series<MusicState>,
    /// The mix of the level: its buses with their effects, and its reverb. Without one: the usual buses.
    pub mix: Reference<Mix>,
    /// The side of the cells of the spatial hash. Best about the usual radius of queries.
    #[tag(unit = "m", range(0.1, 100000), default = 16, former("cell"))]
    pub cell_size: f32,
    /// The objects at the start.
    pub placements: Series<Placement>,
    /// The trigger volumes. `OnEnter` and `OnLeave` are called for objects that enter and leave them.
    #[tag(former("zones"))]
    pub trigger_volumes: Series<TriggerVolumeRecord>,
    /// The objects that receive the players' inputs, in the order of the players.
    pub players: Series<Player>,
    /// The triggers: conditions with actions, at most 52.
    pub triggers: Series<Trigger>,
    /// The events that players can send.
    pub events: Reference<Events>,
    /// Called with an object and the name of the trigger volume that it has entered.
    #[tag(name = "OnEnter")]
    pub on_enter: Lambda,
    /// Called with an object and the name of the trigger volume that it has left.
    #[tag(name = "OnLeave")]
    pub on_leave: Lambda,
    /// The triggers that have fired: a bit for each.
    #[tag(state, hidden)]
    pub happened: f64,
}

/// Objects at the start of a level.
#[derive(Record)]
#[repr(C)]
pub struct Placement {
    /// Its name, by which scripts find its objects (`named`), and tools, imports and merges recognise it. None: it is recognised by its
    /// place in the list.
    #[tag(key)]
    pub name: StringId,
    /// Their tag.
    pub object: Reference<ObjectTag>,
    /// Their position.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// The direction of their x axis.
    #[tag(default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// Their rotation: the direction is the axis, the length the angle in radians. If it is not zero, `facing`, `up` and `right` do not
    /// count.
    #[tag(unit = "rad")]
    pub orientation: Vec3,
    /// The direction of their z axis.
    #[tag(default = "vec(0, 0, 1)")]
    pub up: Vec3,
    /// The opposite of the direction of their y axis.
    #[tag(default = "vec(0, -1, 0)")]
    pub right: Vec3,
    /// Their velocity.
    #[tag(unit = "m/s")]
    pub velocity: Vec3,
    /// Their angular velocity.
    #[tag(unit = "rad/s")]
    pub spin: Vec3,
    /// Their team.
    #[tag(range(0, 31))]
    pub team: u32,
    /// The number of objects.
    #[tag(range(1, 65535), default = 1)]
    pub count: u32,
    /// The half extents of the box around the position in which they are scattered.
    #[tag(unit = "m")]
    pub spread: Vec3,
}

/// A sphere or a box in space that reports objects entering and leaving it.
#[derive(Record)]
#[repr(C)]
pub struct TriggerVolumeRecord {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its centre.
    #[tag(unit = "m")]
    pub centre: Vec3,
    /// The half extents of a box.
    #[tag(unit = "m")]
    pub half: Vec3,
    /// The radius of a sphere. 0: it is a box.
    #[tag(unit = "m", range(0, 1000000))]
    pub radius: f32,
    /// Whether `!Move` into it is denied.
    pub closed: Truth,
}

/// An object that receives the inputs of a player.
#[derive(Record)]
#[repr(C)]
pub struct Player {
    /// Its tag.
    pub object: Reference<ObjectTag>,
    /// Its position at the start.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Its team.
    #[tag(range(0, 31))]
    pub team: u32,
}

/// A condition and the action that it fires.
#[derive(Record)]
#[repr(C)]
pub struct Trigger {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The condition, evaluated at every update of the level.
    pub when: Lambda,
    /// The action.
    pub action: Lambda,
    /// Whether it can fire again.
    pub repeats: Truth,
}

/// The events that are accepted from players.
#[derive(Tag)]
#[tag(class = "events", not_recoverable)]
#[repr(C)]
pub struct Events {
    /// The kinds of events. Each reaches the player's object as the message of its name.
    pub kinds: Series<EventRow>,
}

/// A kind of event.
#[derive(Record)]
#[repr(C)]
pub struct EventRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its fields, in the order of the handler's parameters.
    pub fields: Series<EventFieldRow>,
    /// The most that a player can send for one safe cycle.
    #[tag(range(1, 64), default = 8)]
    pub limit: u32,
    /// The probability that a robot sends one in a safe cycle.
    #[tag(range(0, 1), default = 0.1)]
    pub robots: f32,
}

/// A field of an event.
#[derive(Record)]
#[repr(C)]
pub struct EventFieldRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its type.
    #[tag(default = "\"number\"")]
    pub kind: Choice<EventKindName>,
    /// The minimum of a number.
    #[tag(default = -1000000, former("least"))]
    pub min: f32,
    /// The maximum of a number.
    #[tag(default = 1000000, former("most"))]
    pub max: f32,
}

/// The types of the fields of events.
#[derive(Clone, Copy, Debug, Names)]
pub enum EventKindName {
    /// A number.
    Number,
    /// `#3`.
    Identifier,
    /// A truth value.
    Truth,
    /// A string.
    String,
    /// A vector.
    Vector,
    /// The handle of an object.
    Object,
}

/// The settings of all levels of a game.
#[derive(Tag)]
#[tag(class = "globals", not_recoverable)]
#[repr(C)]
pub struct Globals {
    /// The name of the game, in its saves, films and crash reports: 1 to 48 letters, digits, `-` and `_`. Without one: `game`.
    pub name: Text,
    /// The version of the game, as `1.2`, for people: in what `play` and `save show` print.
    pub version: Text,
    /// The length of a brush cycle: one step of the world. Times in tags are rounded down to whole cycles.
    #[tag(unit = "ms", range(1, 100), default = 10)]
    pub brush_cycle: f32,
    /// The length of a safe cycle, after which the players' inputs enter: rounded to whole brush cycles.
    #[tag(unit = "ms", range(1, 1000), default = 50)]
    pub safe_cycle: f32,
    /// The most rounds of messages in one cycle. The rest is carried to the next cycle.
    #[tag(range(1, 64), default = 4)]
    pub message_rounds: u32,
    /// The fuel of one evaluation of a script.
    #[tag(range(100, 10000000), default = 20000)]
    pub fuel: u32,
    /// The most nested calls of an evaluation.
    #[tag(range(4, 256), default = 64)]
    pub depth: u32,
    /// The most effects of an evaluation.
    #[tag(range(1, 1024), default = 64)]
    pub effects: u32,
    /// The most values in the temporary lists and records of an evaluation.
    #[tag(range(64, 65536), default = 4096)]
    pub values: u32,
    /// The candidates that all queries of a cycle may visit before a warning.
    #[tag(range(1, 100000000), default = 2000000)]
    pub query_budget: u32,
    /// The names that `!Flag` can give objects, at most 32.
    pub flags: Series<StringId>,
    /// The colours of the teams, from team 0 on. Where there is none, a colour of the engine is taken.
    pub team_colours: Series<Colour>,
    /// The times that parts of a step may take. A step that takes longer is reported, with the tags that took most. They cannot
    /// change a world.
    pub budgets: Series<BudgetRecord>,
}

/// A budget of time.
#[derive(Record)]
#[repr(C)]
pub struct BudgetRecord {
    /// The part of the step.
    #[tag(key, default = "\"step\"")]
    pub domain: Choice<BudgetName>,
    /// The most time it may take.
    #[tag(unit = "ms", range(0.001, 1000000), default = 10)]
    pub milliseconds: f32,
}

/// The parts of a step that have budgets.
#[derive(Clone, Copy, Debug, Names)]
pub enum BudgetName {
    /// The whole step.
    Step,
    /// Updates and movement of objects, inputs, spawning and destroying, placement, tag changes.
    Mechanics,
    /// Messages, damage and callbacks.
    Messages,
    /// Physics.
    Physics,
    /// The game's own part.
    Game,
}

/// The globals of a game.
pub const GLOBALS: TagId<Globals> = TagId::at("globals.globals");

/// The `update_period` of an object whose tag states none, in milliseconds.
pub const PERIOD_BY_DEFAULT: f32 = 10.0;
