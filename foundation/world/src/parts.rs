//! The layout of a world: its regions and brushes. Brushes are listed in the order in which they paint.

use alloc::sync::Arc;

use base::{Handle, Plain, StringId, Vec3};
use physics::{Body, Physics};
use relay::Event;
use script::message::Message;
use script::value::Value;
use state::pacer::Lengths;
use state::{Block, Brush, Entities, Layout, List, Plan, Single};

use crate::condition::{Counts, Warning};
use crate::cue::{Cue, CueRing};
use crate::level::Level;
use crate::limits::{CHUNK_OBJECTS, CLASSES_MAX, CUES_MAX, FLAGS_MAX, LARGE_MAX, NAMES_MAX, TEAMS_MAX};
use crate::object::Object;
use crate::space::CellBounds;
use crate::way_map::WayKeys;

/// The progress of the level, and statistics.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Progress {
    /// The result of the level; none while it is played.
    pub result: StringId,
    /// The next scenario; none if there is none.
    pub next: StringId,
    /// The number of delivered messages.
    pub messages: u64,
    /// The number of delivered hits.
    pub hits: u64,
    /// The number of spawned objects, including those at the start.
    pub spawned: u64,
    /// The number of destroyed objects.
    pub destroyed: u64,
    /// The number of refused queue entries up to the last cycle.
    pub refused: u64,
    /// The level's own object.
    pub level: Handle<Object>,
    /// 1 once the level is over.
    pub is_over: u32,
}

/// An object that the level placed under a name.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct NamedObject {
    /// The name.
    pub name: StringId,
    /// The object; it may be destroyed by now.
    pub object: Handle<Object>,
    /// Unused.
    pub spare: u32,
}

/// A hit, queued for delivery.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Hit {
    /// The damage.
    pub amount: f64,
    /// The kind of damage.
    pub kind: StringId,
    /// The attacker.
    pub from: Handle<Object>,
    /// Unused.
    pub spare: u32,
}

/// A change of an object's position, attachment, owner, team or flags.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct PlacementRequest {
    /// The marker or the flag.
    pub name: StringId,
    /// The new position.
    pub position: Vec3,
    /// The new parent or owner.
    pub other: Handle<Object>,
    /// Selects the painter: [`SETTLE`], [`FOLLOW`], or the kind in the row of an effect.
    pub kind: u32,
    /// The team, or whether the flag is set.
    pub number: u32,
}

/// The kind of a placement request by which the links follow an object's own variables: cell, team, owner.
pub const SETTLE: u32 = 0;

/// The kind of a placement request by which attached objects follow their parent.
pub const FOLLOW: u32 = 4;

/// A force on a body, or another change of it.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct BodyRequest {
    /// The property to change, or the effect.
    pub name: StringId,
    /// The force, impulse or torque; the value of a property in each component.
    pub vector: Vec3,
    /// The point of application in the world, if there is one.
    pub point: Vec3,
    /// Selects the painter: the kind in the row of an effect.
    pub kind: u32,
    /// 1 if there is a point of application.
    pub has_point: u32,
}

/// How far a body has come to rest by the friction curve of its tag: see the stage [`settling`](crate::stages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
pub struct SettlingState {
    /// The body, as the 32 bits of its handle. Zero while no awake body with a curve is in the slot.
    pub body: u32,
    /// The index of the contact with its ground, plus one; zero if there is none.
    pub contact: u32,
    /// Its time on gentle slopes.
    pub seconds: f32,
    /// For how long it has been in the air.
    pub air_seconds: f32,
    /// The greatest speed that it can have by now unless something drives it.
    pub speed: f32,
}

/// A change of the joints between two bodies: see [`joint_request`](crate::joint_request).
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct JointRequest {
    /// The kind of joint to make, or the name of the effect.
    pub name: StringId,
    /// The scalar parameters.
    pub numbers: [f32; NUMBERS_MAX],
    /// The vector parameters.
    pub vectors: [Vec3; VECTORS_MAX],
    /// The parameters that are given: a bit for each number, then one for each vector.
    pub given: u32,
    /// Selects the painter: the kind in the row of an effect.
    pub kind: u32,
    /// The first object.
    pub one: Handle<Object>,
    /// The second object.
    pub other: Handle<Object>,
}

/// The number of scalar parameters of a joint.
pub const NUMBERS_MAX: usize = 14;
/// The number of vector parameters of a joint.
pub const VECTORS_MAX: usize = 4;

/// The end of a level.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Ending {
    /// The result.
    pub result: StringId,
    /// The next scenario; none if there is none.
    pub next: StringId,
}

/// The keys into a world.
#[derive(Clone)]
pub struct Parts {
    /// The layout of the block.
    pub plan: Arc<Plan>,
    /// All objects with their variables.
    pub objects: Entities<Object, Value>,
    /// The progress of the level, and statistics.
    pub progress: Single<Progress>,
    /// The lengths of cycles with which the world was made.
    pub lengths: Single<Lengths>,
    /// The counters of conditions.
    pub counts: Single<Counts>,
    /// The players' objects.
    pub players: List<Handle<Object>>,
    /// The objects that the level placed under names.
    pub names: List<NamedObject>,
    /// The first object in each cell's list.
    pub cells: List<Handle<Object>>,
    /// The bounds of all cells that were ever occupied.
    pub bounds: Single<CellBounds>,
    /// The bit sets of all objects, teams, flags and classes.
    pub sets: List<u64>,
    /// The last sounds, visual effects and interface events: a ring.
    pub cues: List<Cue>,
    /// Where the next of them goes.
    pub cue_ring: Single<CueRing>,
    /// The objects with bodies too large for the spatial hash: candidates of every ray.
    pub large: List<Handle<Object>>,
    /// The body of each object, by slot.
    pub bodies: List<Handle<Body>>,
    /// How far bodies have come to rest, by the slots of bodies.
    pub settling: List<SettlingState>,
    /// All bodies, contacts and joints.
    pub physics: Arc<Physics>,
    /// The map for finding ways, if the level has one.
    pub ways: Option<WayKeys>,

    /// The players' events.
    pub inputs: Brush<Event>,
    /// Objects to be destroyed.
    pub destroys: Brush<u32>,
    /// Objects whose `OnDestroy` was called.
    pub removals: Brush<u32>,
    /// Objects to be created: the tag's path is the name, followed by the variables and the callback.
    pub spawns: Brush<Message>,
    /// Messages.
    pub messages: Brush<Message>,
    /// Hits.
    pub damages: Brush<Hit>,
    /// Callbacks.
    pub callbacks: Brush<Message>,
    /// Changes of positions, attachments, owners, teams and flags.
    pub placement_requests: Brush<PlacementRequest>,
    /// Forces on bodies and changes of them.
    pub body_requests: Brush<BodyRequest>,
    /// Changes of joints. All are addressed to the world, so that they are painted in the order of an object's calls.
    pub joint_requests: Brush<JointRequest>,
    /// The end of the level.
    pub endings: Brush<Ending>,
    /// Sounds, visual effects and interface events.
    pub shows: Brush<Cue>,
    /// Conditions to be counted and logged.
    pub warnings: Brush<Warning>,
}

/// The bytes that the objects of one chunk can queue in one cycle.
const OUTBOX_BYTES: u32 = 96 * 1024;
/// The bytes that painters can queue in one cycle.
const PAINT_BYTES: u32 = 8 * 1024 * 1024;

/// The number of bit sets: all objects, then teams, flags and classes.
pub const SETS: u32 = 1 + TEAMS_MAX + FLAGS_MAX as u32 + CLASSES_MAX as u32;

impl Parts {
    /// Lays out a world. `own` reserves the regions of the game's extension, and lists its brushes behind all others.
    pub fn new<O>(name: &str, level: &Level, own: impl FnOnce(&mut Layout) -> O) -> (Parts, O) {
        let mut layout = Layout::of_world(name);
        layout.set_outbox_bytes(OUTBOX_BYTES);
        layout.set_paint_bytes(PAINT_BYTES);
        layout.system("objects");
        let (objects_max, waiting) = (level.objects_max, level.messages_max);
        let objects = layout.entities::<Object, Value>("objects", objects_max, level.values_max, CHUNK_OBJECTS);
        layout.system("level");
        let progress = layout.single::<Progress>("progress");
        let lengths = layout.single::<Lengths>("lengths of cycles");
        let counts = layout.single::<Counts>("conditions");
        let players = layout.list::<Handle<Object>>("players", u32::from(relay::limits::PEOPLE_MAX));
        let names = layout.list::<NamedObject>("names", NAMES_MAX);
        layout.system("presentation");
        let cues = layout.list::<Cue>("cues", CUES_MAX);
        let cue_ring = layout.single::<CueRing>("cue ring");
        layout.system("containers");
        let cells = layout.list::<Handle<Object>>("cells", level.cells());
        let bounds = layout.single::<CellBounds>("bounds");
        let sets = layout.list::<u64>("sets", SETS * objects_max.div_ceil(64));
        layout.system("physics");
        let bodies = layout.list::<Handle<Body>>("body of", objects_max);
        let large = layout.list::<Handle<Object>>("large", LARGE_MAX);
        let settling = layout.list::<SettlingState>("settling of", level.room_for_bodies.bodies);
        let physics = Arc::new(Physics::new(&mut layout, level.room_for_bodies));
        let ways = level.ways.map(|settings| {
            layout.system("navigation");
            WayKeys::reserve(&mut layout, &settings, level.room_for_bodies.bodies)
        });
        layout.system("brushes");
        let inputs = layout.brush::<Event>("input", 64);
        let destroys = layout.brush::<u32>("destroy", objects_max);
        let removals = layout.brush::<u32>("remove", 64);
        let spawns = layout.brush::<Message>("spawn", waiting.min(objects_max));
        let messages = layout.brush::<Message>("message", waiting);
        let damages = layout.brush::<Hit>("damage", waiting);
        let callbacks = layout.brush::<Message>("callback", waiting);
        let placement_requests = layout.brush::<PlacementRequest>("physics", waiting);
        let body_requests = layout.brush::<BodyRequest>("push", waiting);
        let joint_requests = layout.brush::<JointRequest>("joint", 64);
        let endings = layout.brush::<Ending>("end", 16);
        let shows = layout.brush::<Cue>("show", 64);
        let warnings = layout.brush::<Warning>("tell", 64);
        let own = own(&mut layout);
        let parts = Parts {
            plan: layout.finish(),
            objects,
            progress,
            lengths,
            counts,
            players,
            names,
            cells,
            bounds,
            sets,
            cues,
            cue_ring,
            large,
            bodies,
            settling,
            physics,
            ways,
            inputs,
            destroys,
            removals,
            spawns,
            messages,
            damages,
            callbacks,
            placement_requests,
            body_requests,
            joint_requests,
            endings,
            shows,
            warnings,
        };
        (parts, own)
    }

    /// The body of an object, if it has one.
    pub fn body_of(&self, block: &Block, object: Handle<Object>) -> Option<Handle<Body>> {
        let body = *self.bodies.get(block).get(usize::from(object.slot()))?;
        let (body, found) = self.physics.parts.bodies.find_raw(block, body.raw())?;
        (found.owner == object.raw()).then_some(body)
    }

    /// The object of a body, if both exist.
    pub fn owner_of(&self, block: &Block, body: Handle<Body>) -> Option<Handle<Object>> {
        let (_, body) = self.physics.parts.bodies.find_raw(block, body.raw())?;
        self.objects.find_raw(block, body.owner).map(|(handle, _)| handle)
    }
}
