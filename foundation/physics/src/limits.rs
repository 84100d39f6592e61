//! All limits of physics, and what they must be to one another.

/// How many points of a manifold are kept.
pub const POINTS_MAX: usize = 4;

/// How many manifolds there are of one pair of bodies: those that are deepest, then those of the lowest children.
pub const MANIFOLDS_MAX: usize = 8;

/// How many vertices, faces and edges a hull has at most.
pub const HULL_VERTICES_MAX: usize = 64;
/// See above.
pub const HULL_FACES_MAX: usize = 64;
/// The least size of a shape, in metres: what is smaller is refused.
pub const SIZE_LEAST: f32 = 1e-6;
/// How far a shape may reach from its origin, in metres.
pub const SIZE_MOST: f32 = 1e6;
/// How many triangles a mesh has at most.
pub const MESH_TRIANGLES_MAX: usize = 1 << 20;
/// How many shapes a compound has at most.
pub const CHILDREN_MAX: usize = 1024;
/// How many samples a height field has along a side at most.
pub const FIELD_SIDE_MAX: usize = 2049;

const _: () = assert!(MESH_TRIANGLES_MAX as u64 * 2 <= u32::MAX as u64, "a node of a tree is found by 32 bits");
const _: () = assert!(FIELD_SIDE_MAX * FIELD_SIDE_MAX * 2 <= u32::MAX as usize, "so is a triangle of a field");

/// How far from the origin a body can be along each axis, in metres.
pub const FAR: f32 = 16_777_216.0;

/// How many pulls there are at most, besides gravity: each is looked at for each body that moves.
pub const PULLS_MAX: usize = 64;
/// Nothing pulls harder, in metres per second squared. Gravity neither.
pub const PULL_MOST: f32 = 1.0e4;
/// No medium drags more, per second.
pub const PULL_DRAG_MOST: f32 = 1.0e3;
/// No medium flows faster along an axis, and no pull moves faster, in metres per second.
pub const PULL_FLOW_MOST: f32 = 1.0e5;

/// How many bodies one job works on.
pub const BODIES_CHUNK: usize = 64;
/// How many contacts one job works on.
pub const CONTACTS_CHUNK: usize = 256;
/// How many blocks of constraints one job works on.
pub const BLOCKS_CHUNK: usize = 8;
/// How many colours there are before the rest is done one after the other.
pub const COLOURS_MAX: usize = 32;
/// How many ends a joint has: two bodies, or one and the world.
pub const ENDS_MAX: u32 = 2;
/// How many lanes a block of constraints has. Not the machine's: the same everywhere.
pub const LANES: usize = 8;

const _: () = assert!(COLOURS_MAX <= 32, "the colours of a body are bits of a word");

const _: () =
    assert!(HULL_VERTICES_MAX <= 64 && HULL_FACES_MAX <= 64, "sets of vertices and faces are bits of a number");

/// How often a tree of joints is worked out anew because a limit or a motor turned out otherwise than thought.
pub const JOINT_ROUNDS_MAX: usize = 4;
/// How often a tree that turns fast is looked ahead of once more.
pub const JOINT_REFINES_MAX: usize = 2;
/// How many rows of joints that close rings of one tree are worked out at once.
pub const RING_ROWS_MAX: usize = 48;
/// How many of these rows times the bodies of the tree, at most: for so many bodies the tree is asked for each row.
pub const RING_WORK_MAX: usize = 4096;
/// How many bodies of trees one job works on, at least.
pub const JOINT_LINKS_CHUNK: u32 = 16;
/// How many contacts with what nothing can move there are for each joint, that are worked out with its tree.
pub const FOOTINGS_OF_JOINT: usize = 4;
/// How often contacts and joints of such a tree take turns in the first look: limits of joints are felt by contacts only then.
pub const FOOTING_TURNS: u32 = 2;
/// How fast what a joint holds comes back at most if it is far off, in metres or radians per second: fast enough that nobody sees
/// it hang loose, slow enough that nothing is torn through a wall.
pub const JOINT_PUSH_SPEED_MAX: f32 = 10.0;
/// How fast a motor closes in on its goal, per second: it is there but for a hundredth after a quarter of a second.
pub const JOINT_GOAL_RATE: f32 = 20.0;
