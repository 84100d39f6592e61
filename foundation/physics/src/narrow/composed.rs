//! Pairs of which at least one has parts: triangles or children.
//!
//! Laws
//! 1. Each part is met through its hierarchy, in an order that follows from the shapes and poses alone.
//! 2. What touches in one direction is one manifold: see [`Gather`].
//! 3. Ground does not touch ground.
//! 4. What overlaps is told. What is only near is told roughly where it is near a corner, and may be left out there if it is farther
//!    than two fifths of the margin: it is told when it is nearer.

use base::number;

use super::gather::Gather;
use super::solid::{SolidBox, SolidHull};
use super::touch::{self, Target, Touch};
use super::{Pair, compound, mesh};
use crate::bounds::Bounds;
use crate::facet::{Facet, Surface};
use crate::manifold::{Manifold, Manifolds};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::shape::Shape;

#[cfg(test)]
mod tests;

/// Finds how two shapes touch of which at least one has parts.
pub(super) fn collide(a: &Shape, b: &Shape, pair: &Pair, found: &mut Manifolds) {
    match (a, b) {
        (Shape::Compound(a), b) => compound::collide_compound(a, b, pair, found),
        (a, Shape::Compound(b)) => turned(pair, found, |pair, found| compound::collide_compound(b, a, pair, found)),
        (Shape::Mesh(a), Shape::Mesh(b)) => surfaces(&**a, b, pair, found),
        (Shape::Field(a), Shape::Mesh(b)) => surfaces(&**a, b, pair, found),
        (Shape::Mesh(a), Shape::Field(b)) => turned(pair, found, |pair, found| surfaces(&**b, a, pair, found)),
        (Shape::Field(_), Shape::Field(_)) => {}
        (Shape::Mesh(a), b) => surface(&**a, b, pair, found),
        (Shape::Field(a), b) => surface(&**a, b, pair, found),
        (a, Shape::Mesh(b)) => turned(pair, found, |pair, found| surface(&**b, a, pair, found)),
        (a, Shape::Field(b)) => turned(pair, found, |pair, found| surface(&**b, a, pair, found)),
        _ => {}
    }
}

/// What is found when both are taken the other way round.
fn turned(pair: &Pair, found: &mut Manifolds, collide: impl FnOnce(&Pair, &mut Manifolds)) {
    let other_way = Pair { a: pair.b, b: pair.a, offset: -pair.offset, margin: pair.margin };
    let mut inner = Manifolds::default();
    collide(&other_way, &mut inner);
    found.refuse(inner.refused());
    for manifold in inner.as_slice() {
        found.push(manifold.turned(other_way.offset));
    }
}

/// A surface and a convex body.
fn surface(surface: &impl Surface, body: &Shape, pair: &Pair, found: &mut Manifolds) {
    let pose = pair.a.back(pair.b);
    let bounds = body.bounds(&pose).grown(pair.margin);
    match body {
        &Shape::Sphere(radius) => {
            each_triangle(surface, &pose, &bounds, pair, found, |target, margin, _| {
                touch::sphere(radius, target, margin)
            });
        }
        &Shape::Capsule { half, radius } => {
            let half = pose.axes.columns[2] * half;
            each_triangle(surface, &pose, &bounds, pair, found, |target, margin, _| {
                touch::capsule(half, radius, target, margin)
            });
        }
        &Shape::Box(half) => {
            let solid = SolidBox::of_box(half, &pose);
            each_triangle(surface, &pose, &bounds, pair, found, |target, margin, is_last| {
                touch::solid(&solid, target, margin, is_last)
            });
        }
        Shape::Hull(hull) => {
            let solid = SolidHull::of_hull(hull, &pose);
            each_triangle(surface, &pose, &bounds, pair, found, |target, margin, is_last| {
                touch::solid(&solid, target, margin, is_last)
            });
        }
        Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_) => {}
    }
}

/// Every triangle near a body at a pose, as the surface sees it.
#[inline]
fn each_triangle(
    surface: &impl Surface,
    pose: &Pose,
    bounds: &Bounds,
    pair: &Pair,
    found: &mut Manifolds,
    find: impl Fn(&Target, f32, bool) -> Touch,
) {
    let mut gather = Gather::new(bounds.half().max_component() * 2e-3);
    // Each triangle leaves to its neighbours what is theirs. Should all have done so, the second time none does.
    for is_last in [false, true] {
        let mut is_left = false;
        surface.each_in(bounds, |number| {
            let target = Target::new(surface.facet(number).seen_from(pose.position), number);
            let touch = find(&target, pair.margin, is_last);
            is_left |= touch.is_left;
            gather.add(touch.normal, u64::from(number) << 32, touch.points());
            true
        });
        if !is_left || !gather.is_empty() {
            break;
        }
    }
    gather.settle(|child, way| {
        let number = (child >> 32) as u32;
        let touch = find(&Target::new(surface.facet(number).seen_from(pose.position + way), number), 0.0, false);
        touch.points().iter().fold(0.0, |least, point| number::min(least, point.separation))
    });
    gather.finish(found, |manifold| placed(manifold, pair));
}

/// A surface and a body that is one too.
fn surfaces(surface: &impl Surface, body: &Mesh, pair: &Pair, found: &mut Manifolds) {
    let pose = pair.a.back(pair.b);
    let all = surface.bounds();
    let least = number::min(body.bounds().half().min_component(), all.half().max_component());
    let depth_max = least * 0.25;
    let reach = pair.margin + depth_max;
    let mut gather = Gather::new(body.bounds().half().max_component() * 2e-3);
    body.each_in(&all.moved_back(&pose).grown(reach), |number| {
        let facet = body.facet(number);
        // In the axes of the surface, around the body's position.
        let facet = Facet {
            points: facet.points.map(|point| pose.direction(point)),
            normal: pose.direction(facet.normal),
            across: facet.across.map(|across| pose.direction(across)),
            apexes: facet.apexes.map(|apex| pose.direction(apex)),
            ..facet
        };
        let bounds = Bounds::around(facet.points.map(|point| point + pose.position)).grown(reach);
        let other = Target::new(facet, number);
        surface.each_in(&bounds, |own_number| {
            let own = Target::new(surface.facet(own_number).seen_from(pose.position), own_number);
            let touch = mesh::triangles(&own, &other, pair.margin, depth_max);
            gather.add(touch.normal, u64::from(own_number) << 32 | u64::from(number), touch.points());
            true
        })
    });
    gather.finish(found, |manifold| placed(manifold, pair));
}

/// A manifold in the axes of the first, around the second, as it is told: in those of the world, around the first.
fn placed(mut manifold: Manifold, pair: &Pair) -> Manifold {
    manifold.normal = pair.a.direction(manifold.normal);
    for point in &mut manifold.points[..manifold.count as usize] {
        point.place = pair.a.direction(point.place) + pair.offset;
    }
    manifold
}
