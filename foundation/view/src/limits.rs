//! The limits of a frame.

/// The greatest capacity of a debug drawing, in lines.
pub const LINES_MAX: usize = 1 << 20;
/// The default capacity: enough for the outlines of a heap of thousands of bodies.
pub const LINES_USUAL: usize = 1 << 18;
/// The most instances of a frame.
pub const INSTANCES_MAX: usize = 1 << 18;
/// The most animations that the instances of a frame play.
pub const CLIPS_MAX: usize = 1 << 18;
/// The most node poses of a frame.
pub const POSES_MAX: usize = 1 << 20;
/// The most parameters of a frame.
pub const PARAMETERS_MAX: usize = 1 << 20;
/// The most lights of a frame.
pub const LIGHTS_MAX: usize = 4096;
/// The most running effects of a frame.
pub const EFFECTS_MAX: usize = 1 << 16;
/// The most running sounds of a frame.
pub const SOUNDS_MAX: usize = 4096;
/// The most sprites that all effects show at one time.
pub const SPRITES_MAX: usize = 1 << 16;
/// The most ribbon points that all effects show at one time.
pub const RIBBON_POINTS_MAX: usize = 1 << 17;
/// The most trails and beams at one time.
pub const RIBBONS_MAX: usize = 1 << 14;
/// The most trails that are remembered.
pub const TRAILS_MAX: usize = 4096;
/// The most points of a trail.
pub const TRAIL_POINTS_MAX: usize = 32;
/// The most particles that are looked at for one picture, shown or not.
pub const PARTICLES_TRIED_MAX: u64 = 1 << 19;
/// The most shakes at one time.
pub const SHAKES_MAX: usize = 64;
/// The most nodes above a marker.
pub const NODE_DEPTH_MAX: usize = 256;
/// The most missing tags that wait for being reported.
pub const MISSING_MAX: usize = 1024;
/// The most decals at one time.
pub const DECALS_MAX: usize = 4096;

const _: () = assert!(LINES_USUAL <= LINES_MAX, "the default capacity is within the greatest");
