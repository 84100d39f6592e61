//! Hulls against everything convex.

use base::Vec3;

use super::facets::{BoxSeen, HullSeen, of_hull};
use super::{Pair, flat, in_world, round_flat, second_seen};
use crate::hull::Hull;
use crate::manifold::Manifold;

pub(super) fn hulls(a: &Hull, b: &Hull, pair: &Pair) -> Manifold {
    let seen = HullSeen::new(b, &second_seen(pair));
    in_world(flat::touch(&of_hull(a), &seen.facets(), pair.margin, None), pair.a, Vec3::ZERO)
}

pub(super) fn hull_box(a: &Hull, half: Vec3, pair: &Pair) -> Manifold {
    let seen = BoxSeen::new(half, &second_seen(pair));
    in_world(flat::touch(&of_hull(a), &seen.facets(), pair.margin, None), pair.a, Vec3::ZERO)
}

/// A capsule, or with no length a sphere.
pub(super) fn round(half: f32, radius: f32, b: &Hull, pair: &Pair) -> Manifold {
    let middle = pair.b.direction_back(-pair.offset);
    let along = pair.b.direction_back(pair.a.axes.columns[2] * half);
    let found = round_flat::touch([middle - along, middle + along], radius, &of_hull(b), pair.margin, None);
    in_world(found, pair.b, pair.offset)
}
