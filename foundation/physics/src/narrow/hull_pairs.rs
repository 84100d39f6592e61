//! Hulls against convex shapes.

use base::Vec3;

use super::polyhedron::{PlacedBox, PlacedHull, hull_view};
use super::{Pair, capsule_polyhedron, polyhedra, relative_pose, to_world};
use crate::hull::Hull;
use crate::manifold::Manifold;

pub(super) fn hull_hull(a: &Hull, b: &Hull, pair: &Pair) -> Manifold {
    let placed = PlacedHull::new(b, &relative_pose(pair));
    to_world(polyhedra::collide(&hull_view(a), &placed.view(), pair.margin, None), pair.a, Vec3::ZERO)
}

pub(super) fn hull_box(a: &Hull, half: Vec3, pair: &Pair) -> Manifold {
    let placed = PlacedBox::new(half, &relative_pose(pair));
    to_world(polyhedra::collide(&hull_view(a), &placed.view(), pair.margin, None), pair.a, Vec3::ZERO)
}

/// A capsule, or a sphere if it has no length.
pub(super) fn capsule(half: f32, radius: f32, b: &Hull, pair: &Pair) -> Manifold {
    let center = pair.b.local_direction(-pair.offset);
    let along = pair.b.local_direction(pair.a.axes.columns[2] * half);
    let found = capsule_polyhedron::collide([center - along, center + along], radius, &hull_view(b), pair.margin, None);
    to_world(found, pair.b, pair.offset)
}
