//! Feature ids, by which contact points are matched with those of the last step.
//!
//! | bits | what |
//! |---|---|
//! | 30..32 | the kind: 0 rounded core, 1 face of the first, 2 face of the second, 3 two edges |
//! | 24..30 | the reference face, of a box, hull or triangle |
//! | 18..24 | the incident face |
//! | 11..18 | the edge before the point: of the incident face, or (from 64) of the reference face |
//! | 4..11 | the edge after it |
//! | 0..3 | for triangles: the edges on which the point lies |

/// A point between two faces; `reference` is 0 if the reference face is the first's, 1 if it is the second's.
#[inline]
pub(super) fn face_contact(
    reference: u32,
    reference_face: u32,
    incident_face: u32,
    edge_before: u32,
    edge_after: u32,
) -> u32 {
    (reference + 1) << 30
        | (reference_face & 63) << 24
        | (incident_face & 63) << 18
        | (edge_before & 127) << 11
        | (edge_after & 127) << 4
}

/// A point between two edges.
#[inline]
pub(super) fn edge_contact(first: u32, second: u32) -> u32 {
    3 << 30 | (first & 127) << 11 | (second & 127) << 4
}

/// A point of a rounded core.
#[inline]
pub(super) fn core_contact(which: u32) -> u32 {
    (which & 0x7ff_ffff) << 4
}
