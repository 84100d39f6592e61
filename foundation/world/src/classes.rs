//! The classes of tags that every world knows: what is said of an object, of a level, of the whole game.
//!
//! A game's own classes of objects have [`ObjectTag`] as their base, and a level with variables of its own has [`Scenario`].

use base::{StringId, Truth, Vec3};
use tags::{Choice, Classes, Lambda, Names, OwnHandle, Record, Reference, Series, Tag, TagId};

/// What is said of every object. Its lambdas are evaluated over the object's own variables: those the class calls state, and
/// those that the tag's lambdas set. A tag may set names of its own: handlers such as `OnHit`, lambdas, values.
#[derive(Tag)]
#[tag(class = "object", open)]
#[repr(C)]
pub struct ObjectTag {
    /// Where it is.
    #[tag(unit = "m", state, replicated)]
    pub position: Vec3,
    /// How it moves; it moves by itself.
    #[tag(unit = "m/s", state, replicated)]
    pub velocity: Vec3,
    /// The direction it looks in.
    #[tag(state, replicated, default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// Whose side it is on.
    #[tag(state, replicated, range(0, 31))]
    pub team: u32,
    /// The object it belongs to.
    #[tag(state, replicated)]
    pub owner: OwnHandle,
    /// How far it reaches around its position, for rays.
    #[tag(unit = "m", range(0, 10000), default = 1)]
    pub radius: f32,
    /// How often `OnUpdate` is called. In between the object sleeps, unless it moves.
    #[tag(unit = "ms", range(10, 3600000), step = 10, default = 10)]
    pub update_period: f32,
    /// How many values its lists, records and timers may hold together. A timer takes four.
    #[tag(unit = "values", range(0, 4096), default = 16)]
    pub room: u32,
    /// Its body, if it has a shape: then physics moves it, and it meets others.
    pub body: BodyRecord,
    /// What it does to the bodies around it: it pulls, as planets do, or they move in it, as in water. It goes where the object goes.
    pub field: FieldRecord,
    /// Whether it goes on without what it is attached to. If not, it is destroyed with it.
    pub survives_parent: Truth,
    /// Where others can be attached to it.
    pub markers: Series<Marker>,
    /// Called once, when it has come into the world with all its variables.
    #[tag(name = "OnSpawn")]
    pub on_spawn: Lambda,
    /// Called every `update_period` with that period in seconds.
    #[tag(name = "OnUpdate")]
    pub on_update: Lambda,
    /// Called with the name and the arguments of a message for which there is no `OnName`.
    #[tag(name = "OnMessage")]
    pub on_message: Lambda,
    /// Called with how hard it was hit, and by what kind of thing. Who did it is `~sender`.
    #[tag(name = "OnDamage")]
    pub on_damage: Lambda,
    /// Called before it is removed. What it does then still counts.
    #[tag(name = "OnDestroy")]
    pub on_destroy: Lambda,
}

/// A place on an object where others can be attached.
#[derive(Record)]
#[repr(C)]
pub struct Marker {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Where it is, seen from the object.
    #[tag(unit = "m")]
    pub offset: Vec3,
}

/// The body of an object. Its position is the object's; while the object is attached to another, it has none.
#[derive(Record)]
#[repr(C)]
pub struct BodyRecord {
    /// What it is; with none, there is no body.
    #[tag(default = "\"none\"")]
    pub shape: Choice<ShapeName>,
    /// The radius of a sphere or a capsule.
    #[tag(unit = "m", range(0.001, 100000), default = 0.5)]
    pub radius: f32,
    /// How long the straight part of a capsule is, along its z axis.
    #[tag(unit = "m", range(0, 100000), default = 1)]
    pub length: f32,
    /// How far a box goes along each axis, from its centre.
    #[tag(unit = "m", default = "vec(0.5, 0.5, 0.5)")]
    pub half: Vec3,
    /// The shape, if it is none of the simple ones.
    pub geometry: Reference<Geometry>,
    /// How heavy it is. 0: as its density says.
    #[tag(unit = "kg", range(0, 1000000000), default = 0)]
    pub mass: f32,
    /// How heavy a cubic metre of it is.
    #[tag(unit = "kg/m3", range(0.001, 100000), default = 1000)]
    pub density: f32,
    /// How rough it is. Of two bodies, the root of the product counts.
    #[tag(range(0, 10), default = 0.5)]
    pub friction: f32,
    /// How much of a blow it gives back. Of two bodies, the greater counts.
    #[tag(range(0, 1), default = 0)]
    pub restitution: f32,
    /// How hard it is to roll: as if it stood on a disc of this radius.
    #[tag(unit = "m", range(0, 100), default = 0)]
    pub rolling: f32,
    /// How much of its velocity it loses per second.
    #[tag(unit = "1/s", range(0, 1000), default = 0)]
    pub damping: f32,
    /// How much of its spin it loses per second.
    #[tag(unit = "1/s", range(0, 1000), default = 0)]
    pub spin_damping: f32,
    /// How much of gravity and of fields it feels.
    #[tag(range(-100, 100), default = 1)]
    pub gravity: f32,
    /// Which layer it is on.
    #[tag(range(0, 31), default = 0)]
    pub layer: u32,
    /// The layers it meets. None said: all. Two bodies meet if each meets the other's layer.
    pub meets: Series<u32>,
    /// Whether it never moves.
    pub fixed: Truth,
    /// Whether it goes where its velocity leads, and nothing stops it.
    pub driven: Truth,
    /// Whether it only notices what is in it: `OnEnter` and `OnLeave` are told who comes and goes.
    pub trigger: Truth,
    /// Whether it does not turn, whatever hits it.
    pub upright: Truth,
    /// Whether it never sleeps.
    pub restless: Truth,
    /// Whether it counts as a point, and its way as a line: for shots.
    pub point: Truth,
}

/// The simple shapes of bodies, and one that is described elsewhere.
#[derive(Clone, Copy, Debug, Names)]
pub enum ShapeName {
    /// No body.
    None,
    /// A ball.
    Sphere,
    /// A rod with round ends.
    Capsule,
    /// Six sides.
    Box,
    /// What `geometry` says.
    Geometry,
}

/// What pulls at bodies besides the level's gravity, or what they move in: a planet, a zone, water, wind. An object's is seen from the
/// object, and moves and turns with it; nobody feels its own.
#[derive(Record)]
#[repr(C)]
pub struct FieldRecord {
    /// How it pulls; with none, there is no field.
    #[tag(default = "\"none\"")]
    pub kind: Choice<FieldName>,
    /// Where its centre is.
    #[tag(unit = "m")]
    pub centre: Vec3,
    /// How strongly it pulls to its centre. Less than 0: it pushes away.
    #[tag(unit = "m/s2", range(-10000, 10000), default = 10)]
    pub strength: f32,
    /// The distance at which it is as strong as it says: a planet's radius.
    #[tag(unit = "m", range(0.001, 1000000), default = 1)]
    pub radius: f32,
    /// Of a zone: which way it pulls, and how strongly.
    #[tag(unit = "m/s2")]
    pub pull: Vec3,
    /// How far it is felt. 0: everywhere, or as far as its box goes.
    #[tag(unit = "m", range(0, 10000000), default = 0)]
    pub reach: f32,
    /// How far it is felt along each axis, if it is a box.
    #[tag(unit = "m")]
    pub half: Vec3,
    /// Whether it counts instead of the level's gravity and of the fields that do not replace.
    pub replaces: Truth,
    /// How much of the difference to its flow bodies in it lose per second. 0: there is nothing to move in.
    #[tag(unit = "1/s", range(0, 1000), default = 0)]
    pub drag: f32,
    /// How what bodies move in flows: wind, a river.
    #[tag(unit = "m/s")]
    pub flow: Vec3,
}

/// How fields pull.
#[derive(Clone, Copy, Debug, Names)]
pub enum FieldName {
    /// No field.
    None,
    /// To its centre: `strength` at `radius`, beyond it less with the square of the distance, within it less with the distance.
    Planet,
    /// To its centre: `strength` everywhere.
    Centre,
    /// To its centre: `strength` at `radius`, and everywhere in proportion to the distance.
    Linear,
    /// Along `pull`, everywhere the same.
    Zone,
}

/// How the bodies of a level move. The defaults are good ones; the book has the reasons.
#[derive(Record)]
#[repr(C)]
pub struct PhysicsRecord {
    /// The pull on all bodies.
    #[tag(unit = "m/s2")]
    pub gravity: Vec3,
    /// Into how many parts a cycle is divided: more hold higher towers, and cost more.
    #[tag(range(1, 32), default = 4)]
    pub substeps: u32,
    /// How long a body has to rest to fall asleep. 0: none does.
    #[tag(unit = "s", range(0, 3600), default = 0.5)]
    pub sleep_after: f32,
    /// How slow it has to be for that.
    #[tag(unit = "m/s", range(0, 10), default = 0.05)]
    pub sleep_speed: f32,
    /// Bodies that meet slower than this do not bounce.
    #[tag(unit = "m/s", range(0, 100), default = 0.5)]
    pub bounce_speed: f32,
    /// What pulls besides: planets, zones, water, wind. Objects can have fields too.
    pub fields: Series<FieldRecord>,
}

/// The shape of bodies that are none of the simple ones. What cannot be made has no shape, and that is reported.
#[derive(Tag)]
#[tag(class = "geometry")]
#[repr(C)]
pub struct Geometry {
    /// How the points are meant.
    #[tag(default = "\"hull\"")]
    pub kind: Choice<GeometryKind>,
    /// Points, in metres from the object's position.
    pub points: Series<Vec3>,
    /// Of a mesh: each three numbers are the points of a triangle, counted from 0, anticlockwise as seen from outside.
    pub triangles: Series<u32>,
    /// Of a field: heights, row by row along y, from the least corner on.
    pub heights: Series<f32>,
    /// Of a field: how many heights a row along x has.
    #[tag(range(2, 2049), default = 2)]
    pub columns: u32,
    /// Of a field: how far neighbouring heights are apart.
    #[tag(unit = "m", range(0.01, 10000), default = 1)]
    pub spacing: f32,
    /// Of a compound: its parts.
    pub parts: Series<GeometryPart>,
}

/// How the points of a geometry are meant.
#[derive(Clone, Copy, Debug, Names)]
pub enum GeometryKind {
    /// The least convex body around the points.
    Hull,
    /// Triangles between the points.
    Mesh,
    /// Heights over a grid.
    Field,
    /// Several parts.
    Compound,
}

/// A part of a compound.
#[derive(Record)]
#[repr(C)]
pub struct GeometryPart {
    /// What it is.
    #[tag(default = "\"box\"")]
    pub shape: Choice<PartName>,
    /// Where its centre is.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Which way its x axis points.
    #[tag(default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// The radius of a sphere or a capsule.
    #[tag(unit = "m", range(0.001, 100000), default = 0.5)]
    pub radius: f32,
    /// How long the straight part of a capsule is.
    #[tag(unit = "m", range(0, 100000), default = 1)]
    pub length: f32,
    /// How far a box goes along each axis.
    #[tag(unit = "m", default = "vec(0.5, 0.5, 0.5)")]
    pub half: Vec3,
    /// The points of a hull.
    pub points: Series<Vec3>,
}

/// The shapes of parts.
#[derive(Clone, Copy, Debug, Names)]
pub enum PartName {
    /// A ball.
    Sphere,
    /// A rod with round ends.
    Capsule,
    /// Six sides.
    Box,
    /// The least convex body around its points.
    Hull,
}

/// A level: how much room its world has, what is there at the start, and what happens in it. It is an object itself, the
/// first of its world, and known to all others as `~level`. Its memory is laid out by it, so the level starts again when it
/// changes.
#[derive(Tag)]
#[tag(class = "scenario", not_recoverable)]
#[repr(C)]
pub struct Scenario {
    #[tag(base)]
    object: ObjectTag,
    /// Room for objects.
    #[tag(unit = "objects", range(16, 65535), default = 4096)]
    pub objects_max: u32,
    /// Room for the variables of all objects together. 0: 32 for each.
    #[tag(unit = "values", range(0, 16777216), default = 0)]
    pub values_max: u32,
    /// How many messages may wait from one cycle to the next.
    #[tag(unit = "messages", range(16, 65536), default = 4096)]
    pub messages_max: u32,
    /// Room for bodies.
    #[tag(unit = "bodies", range(1, 65535), default = 1024)]
    pub bodies_max: u32,
    /// Room for contacts between bodies. 0: four for each body.
    #[tag(unit = "contacts", range(0, 1000000), default = 0)]
    pub contacts_max: u32,
    /// Room for joints between bodies. 0: one for every four bodies, and 16.
    #[tag(unit = "joints", range(0, 65535), default = 0)]
    pub joints_max: u32,
    /// How bodies move.
    pub physics: PhysicsRecord,
    /// The side of the cells in which objects are looked for. About as long as what is mostly asked for.
    #[tag(unit = "m", range(0.1, 100000), default = 16)]
    pub cell: f32,
    /// Who is there at the start.
    pub placements: Series<Placement>,
    /// Parts of space. `OnEnter` and `OnLeave` are told who comes and goes.
    pub zones: Series<Zone>,
    /// Whom the players' inputs reach: the first player's the first, and so on.
    pub players: Series<Player>,
    /// What happens when something is so.
    pub triggers: Series<Trigger>,
    /// What players can do.
    pub events: Reference<Events>,
    /// Called with an object and the name of the zone that it has entered.
    #[tag(name = "OnEnter")]
    pub on_enter: Lambda,
    /// Called with an object and the name of the zone that it has left.
    #[tag(name = "OnLeave")]
    pub on_leave: Lambda,
    /// Which triggers have happened: a bit for each.
    #[tag(state, hidden)]
    pub happened: f64,
}

/// Objects that are there at the start.
#[derive(Record)]
#[repr(C)]
pub struct Placement {
    /// What they are.
    pub object: Reference<ObjectTag>,
    /// Where.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Which way they look.
    #[tag(default = "vec(1, 0, 0)")]
    pub facing: Vec3,
    /// How they move.
    #[tag(unit = "m/s")]
    pub velocity: Vec3,
    /// Whose side they are on.
    #[tag(range(0, 31))]
    pub team: u32,
    /// How many.
    #[tag(range(1, 65535), default = 1)]
    pub count: u32,
    /// How far around the position they are scattered.
    #[tag(unit = "m")]
    pub spread: Vec3,
}

/// A part of space.
#[derive(Record)]
#[repr(C)]
pub struct Zone {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its centre.
    #[tag(unit = "m")]
    pub centre: Vec3,
    /// How far it goes from there along each axis; a zone with a radius needs none.
    #[tag(unit = "m")]
    pub half: Vec3,
    /// How far it goes from there in all directions. 0: it is a box.
    #[tag(unit = "m", range(0, 1000000))]
    pub radius: f32,
    /// Whether nobody can `!Move` into it.
    pub closed: Truth,
}

/// Whom the inputs of a player reach.
#[derive(Record)]
#[repr(C)]
pub struct Player {
    /// What it is.
    pub object: Reference<ObjectTag>,
    /// Where it begins.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Whose side it is on.
    #[tag(range(0, 31))]
    pub team: u32,
}

/// Something that happens when something is so.
#[derive(Record)]
#[repr(C)]
pub struct Trigger {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Whether it is so. Asked at every update of the level.
    pub when: Lambda,
    /// What happens then.
    pub action: Lambda,
    /// Whether it can happen again.
    pub repeats: Truth,
}

/// What players can do: the events that are taken from them, and nothing else.
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
    /// What it carries, in the order in which the handler is given it.
    pub fields: Series<EventFieldRow>,
    /// How many of them a player can send for one safe cycle.
    #[tag(range(1, 64), default = 8)]
    pub limit: u32,
    /// How likely a robot sends one in a safe cycle.
    #[tag(range(0, 1), default = 0.1)]
    pub robots: f32,
}

/// What an event carries.
#[derive(Record)]
#[repr(C)]
pub struct EventFieldRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// What it is.
    #[tag(default = "\"number\"")]
    pub kind: Choice<EventKindName>,
    /// The least it may be.
    #[tag(default = -1000000)]
    pub least: f32,
    /// The most it may be.
    #[tag(default = 1000000)]
    pub most: f32,
}

/// What an event can carry.
#[derive(Clone, Copy, Debug, Names)]
pub enum EventKindName {
    /// A number.
    Number,
    /// `#3`.
    Identifier,
    /// Yes or no.
    Truth,
    /// A name.
    String,
    /// Three numbers.
    Vector,
    /// The handle of an object.
    Object,
}

/// What holds in every level of a game.
#[derive(Tag)]
#[tag(class = "globals", not_recoverable)]
#[repr(C)]
pub struct Globals {
    /// How many rounds of messages there are in one cycle at most. The rest waits for the next cycle.
    #[tag(range(1, 64), default = 4)]
    pub message_rounds: u32,
    /// How much work one evaluation of a script may be.
    #[tag(range(100, 10000000), default = 20000)]
    pub fuel: u32,
    /// How deep its calls may be nested.
    #[tag(range(4, 256), default = 64)]
    pub depth: u32,
    /// How many effects it may have.
    #[tag(range(1, 1024), default = 64)]
    pub effects: u32,
    /// How many values its lists and records may hold on the way.
    #[tag(range(64, 65536), default = 4096)]
    pub values: u32,
    /// How many objects all queries of a cycle may look at before it is told.
    #[tag(range(1, 100000000), default = 2000000)]
    pub query_budget: u32,
    /// The names that `!Flag` can give objects, at most 32.
    pub flags: Series<StringId>,
}

/// The globals of a game.
pub const GLOBALS: TagId<Globals> = TagId::at("globals.globals");

/// The classes that every world knows.
pub fn classes() -> Classes {
    Classes::new().with::<ObjectTag>().with::<Scenario>().with::<Events>().with::<Globals>().with::<Geometry>()
}
