//! Every limit of the world, in one place.

/// The number of teams.
pub const TEAMS_MAX: u32 = 32;

/// The most flags of a game.
pub const FLAGS_MAX: usize = 32;

/// The most object classes with a bit set, by which queries filter.
pub const CLASSES_MAX: usize = 96;

/// Bodies with a larger bounding radius, in metres, are candidates of every ray and sweep, outside the spatial hash.
pub const LARGE: f32 = 32.0;
/// The most such bodies; further ones are found only in the cells around their position.
pub const LARGE_MAX: u32 = 4096;

/// The cost of a test against an object's shape, besides that of visiting it.
pub const CLOSE_COST: u64 = 8;

/// The objects of one job.
pub const CHUNK_OBJECTS: u32 = 128;

/// The most timers of one object that fire in one cycle; the rest fires later.
pub const TIMERS_PER_CYCLE: usize = 8;

/// The greatest depth of nested attachments.
pub const ATTACHMENT_DEPTH_MAX: u32 = 16;

/// The most objects of a level that have names.
pub const NAMES_MAX: u32 = 1024;

/// The most triggers of a level: the bits that a script number holds exactly.
pub const TRIGGERS_MAX: usize = 52;

/// The end of space along each axis, in metres: beyond it the spacing of f32 exceeds a metre.
pub const FAR: f32 = 16_777_216.0;

/// The speed limit along each axis, in metres per second.
pub const FAST: f32 = 1_000_000.0;

/// The largest angular velocity that scripts can state, about each axis, in radians per second.
pub const SPIN_MAX: f32 = 10_000.0;

/// How deep `!Move` may place a body into a fixed one, in metres: a body that was measured to stand on the ground may.
pub const MOVE_DEPTH_MAX: f32 = 0.02;

/// For how long a body may lose its ground, in seconds, before the time of its friction curve begins again: what rolls over edges or
/// tumbles leaves it for a moment.
pub const SETTLING_AIR_SECONDS: f32 = 0.1;

/// The most players' objects that are asked for the distance of the nearest player.
pub const NEAREST_PLAYERS_MAX: usize = 64;

/// The largest force or torque of a joint, in newtons or newton metres.
pub const FORCE_MAX: f32 = 1e12;

/// The largest frequency and damping ratio of a joint's spring that a step can integrate.
pub const HERTZ_MAX: f32 = 1000.0;

/// The largest drag of a joint, per second: it removes the relative angular velocity within a step.
pub const DRAG_MAX: f32 = 1000.0;

/// For how many cycles a frame says that an object was placed without passing through the space between: a safe cycle and one more, since
/// a moved object settles in the next cycle, and not every cycle is shown.
pub const PLACED_CYCLES: u32 = 6;

/// The cues that a block keeps; older ones are overwritten.
pub const CUES_MAX: u32 = 1024;

/// The arguments of an interface event.
pub const CUE_ARGUMENTS: usize = 4;

/// The longest time that a cue runs, in seconds.
pub const CUE_SECONDS_MAX: f64 = 30.0;

/// The cross-fade of `!Animate` without one, in milliseconds.
pub const ANIMATION_FADE: f64 = 200.0;

/// The longest cross-fade, in milliseconds.
pub const ANIMATION_FADE_MAX: f64 = 60_000.0;

/// The most layers of an animation graph; further ones are left out.
pub const GRAPH_LAYERS_MAX: usize = 4;

/// The most parameters of an animation graph that are smoothed.
pub const GRAPH_PARAMETERS_MAX: usize = 8;

/// The brush cycles between two updates of an object's animation graph.
pub const GRAPH_PERIOD: u64 = 2;

/// The most keyframe events of one layer in one update.
pub const GRAPH_EVENTS_MAX: usize = 8;

/// The values of lists and records that the lambdas of an animation graph can read of an object.
pub const GRAPH_VALUES_MAX: usize = 256;

/// The fuel of one evaluation for presentation: conditions of effects, formulas of materials, values of interfaces.
pub const VIEW_FUEL: u64 = 5_000;

/// The evaluations for one frame; what comes later keeps its default.
pub const VIEW_EVALUATIONS_MAX: u32 = 16 * 1024;

/// The faults of evaluations for presentation that are remembered, so that each is reported once.
pub const VIEW_FAULTS_MAX: usize = 256;

/// The owners that are asked for the player an interface event is for.
pub const INTERFACE_OWNERS: u32 = 8;

/// For how many seconds a frame lists an interface event, in which presentation takes it.
pub const INTERFACE_SECONDS: f64 = 1.0;

/// The log lines that are kept; older ones are dropped.
pub const TROUBLES_MAX: usize = 64;

/// The number of script workspaces: more than machines have processors.
pub const DESKS: usize = 64;

/// While a profile is taken, the updates of each tag's objects that are measured in every chunk and cycle.
pub const MEASURED_FIRST: u64 = 4;

/// The mean interval of further updates that are measured.
pub const MEASURED_INTERVAL: u32 = 16;

/// The most budgets of a game.
pub const BUDGETS_MAX: usize = 16;

/// The longest brush cycle of the globals, in seconds.
pub const CYCLE_SECONDS_MAX: f32 = 0.1;

/// The most values of one object: its variables and the elements of its lists.
pub const ROW_VALUES_MAX: usize = 8192;

// Relations that the block and its bit sets rely on.
const _: () = {
    assert!(FLAGS_MAX <= u32::BITS as usize, "the flags of an object are the bits of a u32");
    assert!(CLASSES_MAX <= u128::BITS as usize, "filters hold classes as the bits of a u128");
    assert!(TRIGGERS_MAX <= f64::MANTISSA_DIGITS as usize, "fired triggers are bits of a script number");
    assert!(CHUNK_OBJECTS.is_multiple_of(u64::BITS), "a chunk owns whole words of the bit sets");
    assert!(FAST * CYCLE_SECONDS_MAX < FAR, "an object cannot cross space in one cycle");
};
