//! What lies in a world, and where. The brushes are listed in the order in which they paint.

use alloc::sync::Arc;

use base::{Handle, Plain, StringId, Vec3};
use physics::{Body, Physics};
use relay::Event;
use script::message::Message;
use script::value::Value;
use state::{Block, Brush, Entities, Layout, List, One, Plan};

use crate::condition::{Counts, Told};
use crate::level::Level;
use crate::limits::{CHUNK_OBJECTS, CLASSES_MAX, FLAGS_MAX, LARGE_MAX, TEAMS_MAX};
use crate::object::Object;
use crate::space::Bounds;

/// What a world knows of its level and of itself.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Progress {
    /// How the level ended; none while it goes on.
    pub result: StringId,
    /// The scenario that comes next; none if there is none.
    pub next: StringId,
    /// How many messages were handled.
    pub messages: u64,
    /// How many hits.
    pub hits: u64,
    /// How many objects were made, from the start on.
    pub spawned: u64,
    /// How many were destroyed.
    pub destroyed: u64,
    /// How much of what was queued had found no room by the end of the last cycle.
    pub refused: u64,
    /// The level's own object.
    pub level: Handle<Object>,
    /// 1 when the level is over.
    pub is_over: u32,
}

/// A hit, on its way.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Hit {
    /// How hard.
    pub amount: f64,
    /// By what kind of thing.
    pub kind: StringId,
    /// By whom.
    pub from: Handle<Object>,
    /// Nothing.
    pub spare: u32,
}

/// A change of where an object is, or to whom it belongs.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Placing {
    /// The marker, or the flag.
    pub name: StringId,
    /// Where to.
    pub position: Vec3,
    /// To whom.
    pub other: Handle<Object>,
    /// What is to be done: see [`Deed`].
    pub deed: u32,
    /// How often, how much.
    pub number: u32,
}

/// A push, or another change of a body.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Push {
    /// Which property, for a change of one.
    pub name: StringId,
    /// How, and how hard.
    pub vector: Vec3,
    /// At which place of the world, if at one.
    pub point: Vec3,
    /// What is done: see [`PushKind`].
    pub kind: u32,
    /// 1 if it is at a place.
    pub has_point: u32,
}

/// What is done to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PushKind {
    /// A force, for one cycle.
    Force = 0,
    /// A blow.
    Impulse = 1,
    /// A force that only turns.
    Torque = 2,
    /// A property becomes another.
    Property = 3,
}

/// A change of how two bodies are joined: see [`joining`](crate::joining).
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Joining {
    /// Which kind of joint; else which effect it is.
    pub name: StringId,
    /// What is said in numbers.
    pub numbers: [f32; NUMBERS_MAX],
    /// What is said in vectors.
    pub vectors: [Vec3; VECTORS_MAX],
    /// What of that is said: a bit for each number, then one for each vector.
    pub given: u32,
    /// What is done: see [`JoiningKind`].
    pub kind: u32,
    /// The first object.
    pub one: Handle<Object>,
    /// The second.
    pub other: Handle<Object>,
}

/// What is done with a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum JoiningKind {
    /// It is made.
    Connect = 0,
    /// It is taken away.
    Disconnect = 1,
    /// Its motor goes otherwise, or to another place.
    Drive = 2,
}

/// How many numbers can be said of a joint.
pub const NUMBERS_MAX: usize = 14;
/// How many vectors.
pub const VECTORS_MAX: usize = 4;

/// What is to be done with an object's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Deed {
    /// The links follow its variables: cell, team, owner.
    Settle = 0,
    /// It is moved to a place, if nobody is against it.
    Move = 1,
    /// It is attached to another.
    Attach = 2,
    /// It is attached to nobody any more.
    Detach = 3,
    /// Those that are attached to it follow it.
    Follow = 4,
    /// It belongs to another.
    Give = 5,
    /// It is on another side.
    Join = 6,
    /// It has a flag, or not.
    Flag = 7,
}

/// The end of a level.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Ending {
    /// How it ended.
    pub result: StringId,
    /// The scenario that comes next; none if there is none.
    pub next: StringId,
}

/// Something for people to see or hear. It is there for one cycle.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Shown {
    /// `Play` or `GUIFire`.
    pub what: StringId,
    /// The path of the sound or effect, the name of the event.
    pub name: StringId,
    /// Where.
    pub position: Vec3,
    /// Whose.
    pub object: Handle<Object>,
}

/// The keys into a world.
#[derive(Clone)]
pub struct Parts {
    /// Its plan.
    pub plan: Arc<Plan>,
    /// All objects with their variables.
    pub objects: Entities<Object, Value>,
    /// What it knows of itself.
    pub progress: One<Progress>,
    /// How often which condition came up.
    pub counts: One<Counts>,
    /// The players' objects.
    pub players: List<Handle<Object>>,
    /// The first object in each cell's list.
    pub cells: List<Handle<Object>>,
    /// Which cells anybody was ever in.
    pub bounds: One<Bounds>,
    /// Who is living, on which side, of which class, with which flag: a bit set each.
    pub sets: List<u64>,
    /// What is to be seen and heard of this cycle.
    pub shown: List<Shown>,
    /// Objects whose bodies are so large that rays look at them all.
    pub large: List<Handle<Object>>,
    /// The body of each object, by slot.
    pub bodies: List<Handle<Body>>,
    /// All bodies and what they do.
    pub physics: Arc<Physics>,

    /// What the players did.
    pub inputs: Brush<Event>,
    /// Objects to be destroyed.
    pub destroys: Brush<u32>,
    /// Those whose last word was heard.
    pub removals: Brush<u32>,
    /// Objects to be made: the tag's path is the name, then the variables and the callback.
    pub spawns: Brush<Message>,
    /// Messages.
    pub messages: Brush<Message>,
    /// Hits.
    pub damages: Brush<Hit>,
    /// Answers to those who asked for something.
    pub callbacks: Brush<Message>,
    /// Places and belongings.
    pub placings: Brush<Placing>,
    /// Pushes.
    pub pushes: Brush<Push>,
    /// Joints. All are for the world, so that they are painted in the order in which an object asked for them.
    pub joinings: Brush<Joining>,
    /// The end of the level.
    pub endings: Brush<Ending>,
    /// What is to be seen and heard.
    pub shows: Brush<Shown>,
    /// What went wrong.
    pub tellings: Brush<Told>,
}

/// How much all objects of one chunk may queue in one cycle.
const OUTBOX_BYTES: u32 = 96 * 1024;
/// How much all brushes may queue at one another in one cycle.
const PAINT_BYTES: u32 = 8 * 1024 * 1024;
/// How much there is to see and hear in one cycle at most.
const SHOWN_MAX: u32 = 256;

/// How many bit sets there are: all objects, then teams, flags and classes.
pub const SETS: u32 = 1 + TEAMS_MAX + FLAGS_MAX as u32 + CLASSES_MAX as u32;

impl Parts {
    /// Lays a world out. `own` reserves what the game has of its own, and lists its brushes behind all others.
    pub fn new<O>(name: &str, level: &Level, own: impl FnOnce(&mut Layout) -> O) -> (Parts, O) {
        let mut layout = Layout::of_world(name);
        layout.set_outbox_bytes(OUTBOX_BYTES);
        layout.set_paint_bytes(PAINT_BYTES);
        layout.system("objects");
        let (objects_max, waiting) = (level.objects_max, level.messages_max);
        let objects = layout.entities::<Object, Value>("objects", objects_max, level.values_max, CHUNK_OBJECTS);
        layout.system("level");
        let progress = layout.one::<Progress>("progress");
        let counts = layout.one::<Counts>("conditions");
        let players = layout.list::<Handle<Object>>("players", u32::from(relay::limits::PEOPLE_MAX));
        let shown = layout.list::<Shown>("shown", SHOWN_MAX);
        layout.system("containers");
        let cells = layout.list::<Handle<Object>>("cells", level.cells());
        let bounds = layout.one::<Bounds>("bounds");
        let sets = layout.list::<u64>("sets", SETS * objects_max.div_ceil(64));
        layout.system("physics");
        let bodies = layout.list::<Handle<Body>>("body of", objects_max);
        let large = layout.list::<Handle<Object>>("large", LARGE_MAX);
        let physics = Arc::new(Physics::new(&mut layout, level.room_for_bodies));
        layout.system("brushes");
        let inputs = layout.brush::<Event>("input", 64);
        let destroys = layout.brush::<u32>("destroy", objects_max);
        let removals = layout.brush::<u32>("remove", 64);
        let spawns = layout.brush::<Message>("spawn", waiting.min(objects_max));
        let messages = layout.brush::<Message>("message", waiting);
        let damages = layout.brush::<Hit>("damage", waiting);
        let callbacks = layout.brush::<Message>("callback", waiting);
        let placings = layout.brush::<Placing>("physics", waiting);
        let pushes = layout.brush::<Push>("push", waiting);
        let joinings = layout.brush::<Joining>("joint", 64);
        let endings = layout.brush::<Ending>("end", 16);
        let shows = layout.brush::<Shown>("show", 64);
        let tellings = layout.brush::<Told>("tell", 64);
        let own = own(&mut layout);
        let parts = Parts {
            plan: layout.finish(),
            objects,
            progress,
            counts,
            players,
            cells,
            bounds,
            sets,
            shown,
            large,
            bodies,
            physics,
            inputs,
            destroys,
            removals,
            spawns,
            messages,
            damages,
            callbacks,
            placings,
            pushes,
            joinings,
            endings,
            shows,
            tellings,
        };
        (parts, own)
    }

    /// The body of an object, if it has one.
    pub fn body_of(&self, block: &Block, object: Handle<Object>) -> Option<Handle<Body>> {
        let body = *self.bodies.get(block).get(usize::from(object.slot()))?;
        let (body, found) = self.physics.parts.bodies.get_untrusted(block, body.raw())?;
        (found.owner == object.raw()).then_some(body)
    }

    /// The object whose body this is, if both are there.
    pub fn owner_of(&self, block: &Block, body: Handle<Body>) -> Option<Handle<Object>> {
        let (_, body) = self.physics.parts.bodies.get_untrusted(block, body.raw())?;
        self.objects.get_untrusted(block, body.owner).map(|(handle, _)| handle)
    }
}
