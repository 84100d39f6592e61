//! Every limit of the world, in one place.

/// Teams have the numbers below.
pub const TEAMS_MAX: u32 = 32;

/// The most names that `!Flag` knows.
pub const FLAGS_MAX: usize = 32;

/// The most classes of objects whose objects can be asked for by class at little cost.
pub const CLASSES_MAX: usize = 96;

/// Bodies that reach farther than this are looked at by every ray, in metres; and so many of them there can be. What finds no room
/// there is met only near its place.
pub const LARGE: f32 = 32.0;
/// See above.
pub const LARGE_MAX: u32 = 4096;

/// What it costs to look at an object closely, where its shape is, beside what it costs to look at it at all.
pub const CLOSE_COST: u64 = 8;

/// So many objects are worked on by one job.
pub const CHUNK_OBJECTS: u32 = 128;

/// So many timers of one object go off in one cycle; the rest is late.
pub const TIMERS_PER_CYCLE: usize = 8;

/// Attachments are nested at most so deep.
pub const ATTACHMENT_DEPTH_MAX: u32 = 16;

/// The triggers of a level are at most so many: as many bits as a number holds exactly.
pub const TRIGGERS_MAX: usize = 52;

/// Nobody gets farther from the origin along an axis, in metres: beyond, floats no longer tell neighbouring places apart.
pub const FAR: f32 = 16_777_216.0;

/// Nobody is faster along an axis, in metres per second.
pub const FAST: f32 = 1_000_000.0;

/// Nothing is stronger, in newtons or newton metres: what scripts say of joints is cut there.
pub const FORCE_MOST: f32 = 1e12;

/// No spring of a joint swings faster, and none is damped more: a step could not follow.
pub const HERTZ_MOST: f32 = 1000.0;

/// No joint drags more, per second: the bodies of one that does are as good as still to one another after a step.
pub const DRAG_MOST: f32 = 1000.0;

/// What is remembered of troubles, for people. Older ones are forgotten.
pub const TROUBLES_MAX: usize = 64;

/// More desks than machines have processors.
pub const DESKS: usize = 64;

/// How long a brush cycle is.
pub const CYCLE_SECONDS: f32 = 0.01;

/// The same in milliseconds.
pub const CYCLE_MILLISECONDS: f64 = 10.0;

/// The variables of one object, and what its lists hold, are at most so many values.
pub const ROW_VALUES_MAX: usize = 8192;
