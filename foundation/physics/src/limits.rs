//! All limits of physics and the relations between them.

/// Points per manifold.
pub const POINTS_MAX: usize = 4;

/// Manifolds per pair of bodies: the deepest are kept, of equals those of the lowest children.
pub const MANIFOLDS_MAX: usize = 8;

/// Most vertices of a hull.
pub const HULL_VERTICES_MAX: usize = 64;
/// Most faces of a hull.
pub const HULL_FACES_MAX: usize = 64;
/// Smallest size of a shape, in metres; smaller ones are refused.
pub const SIZE_MIN: f32 = 1e-6;
/// Largest extent of a shape from its origin, in metres.
pub const SIZE_MAX: f32 = 1e6;
/// Most triangles of a mesh.
pub const MESH_TRIANGLES_MAX: usize = 1 << 20;
/// Most children of a compound.
pub const CHILDREN_MAX: usize = 1024;
/// Most samples of a height field along a side.
pub const HEIGHT_FIELD_SIDE_MAX: usize = 2049;

const _: () = assert!(MESH_TRIANGLES_MAX as u64 * 2 <= u32::MAX as u64, "node indices of a BVH have 32 bits");
const _: () = assert!(
    HEIGHT_FIELD_SIDE_MAX * HEIGHT_FIELD_SIDE_MAX * 2 <= u32::MAX as usize,
    "triangle indices of a height field have 32 bits"
);

/// The largest coordinate of a body, in metres.
pub const POSITION_MAX: f32 = 16_777_216.0;

/// Force fields: each is evaluated for each simulated body.
pub const FORCE_FIELDS_MAX: usize = 64;
/// The maximum acceleration by gravity and fields, in metres per second squared.
pub const ACCELERATION_MAX: f32 = 1.0e4;
/// The maximum drag of a medium, per second.
pub const DRAG_MAX: f32 = 1.0e3;
/// The maximum speed of a medium and of a field along an axis, in metres per second.
pub const FLOW_SPEED_MAX: f32 = 1.0e5;

/// How often a step begins anew because a sleeping body was hit. Each round finds the next body of a row with gaps; the last finds all that
/// is left of it.
pub const WAKE_ROUNDS_MAX: u32 = 8;

/// Bodies per job.
pub const BODIES_CHUNK: usize = 64;
/// Contacts per job.
pub const CONTACTS_CHUNK: usize = 256;
/// Contact blocks per job. With one, jobs cost more than sixteen workers gain; with eight, a colour has fewer jobs than these.
pub const BLOCKS_CHUNK: usize = 2;
/// Colours; contacts beyond them are solved sequentially.
pub const COLOURS_MAX: usize = 32;
/// Ends of a joint: two bodies, or one and the world.
pub const ENDS_MAX: u32 = 2;
/// Lanes of a contact block, the same on every machine.
pub const LANES: usize = 8;

const _: () = assert!(COLOURS_MAX <= 32, "the colours of a body are bits of a word");

const _: () =
    assert!(HULL_VERTICES_MAX <= 64 && HULL_FACES_MAX <= 64, "sets of vertices and faces are bit sets of 64 bits");

/// Most solves of a tree of joints per pass, because the active set of limits and motors changed.
pub const ACTIVE_SET_ROUNDS_MAX: usize = 4;
/// Newton steps that refine the prediction of a tree that rotates fast.
pub const JOINT_REFINEMENTS_MAX: usize = 2;
/// Most loop-closing rows of one tree that are solved directly.
pub const LOOP_ROWS_MAX: usize = 48;
/// Most of these rows times the bodies of the tree: each row needs the response of the whole tree.
pub const LOOP_WORK_MAX: usize = 4096;
/// Fewest links of trees in one job.
pub const JOINT_LINKS_CHUNK: u32 = 16;
/// Most links of a group: trees and bodies that touch one another, whose contacts are solved together.
pub const GROUP_LINKS_MAX: u32 = 64;
/// The same for one tree and the free bodies that touch it.
pub const GROUP_PARTNERS_MAX: u32 = 256;
/// Capacity for free bodies that touch a tree, per joint.
pub const PARTNERS_PER_JOINT: usize = 2;
/// Capacity for tree contacts, per joint.
pub const TREE_CONTACTS_PER_JOINT: usize = 4;
/// Rounds of tree contacts and joints in the biased solve: contacts respond to limits of joints only by these.
pub const TREE_CONTACT_ROUNDS: u32 = 2;
/// Largest correction speed of joints, in metres or radians per second: fast enough that no gap is seen, slow enough that no body
/// is dragged through a wall.
pub const JOINT_CORRECTION_SPEED_MAX: f32 = 10.0;
/// Rate at which a motor approaches its target, per second: the error is a hundredth after a quarter of a second.
pub const JOINT_TARGET_RATE: f32 = 20.0;
