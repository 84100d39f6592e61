//! Triangle against triangle: SAT, for a mesh body on ground or on another mesh.
//!
//! Laws
//! 1. Only shallow contacts are found: an overlap deeper than a quarter of the smaller shape's least half extent is missed, as is
//!    a body inside another. Bodies that are nearly convex and collide at moderate speed are what this is for.
//! 2. The normal lies in the triangle's own region: its face normal, or one over an exposed edge.

use base::{Vec3, number};

use super::convex_triangle::{TargetTriangle, TriangleClip, TriangleContact, closest_on_segments};
use crate::surface::{EdgeKind, NormalRegion};

/// The contact of two triangles, the second of the body. Overlaps beyond `depth_max` are ignored.
pub(super) fn triangle_triangle(
    own: &TargetTriangle,
    body: &TargetTriangle,
    margin: f32,
    depth_max: f32,
) -> TriangleContact {
    let none = TriangleContact::default();
    let min_height = |target: &TargetTriangle, points: &[Vec3; 3]| {
        let [a, b, c] = points.map(|point| target.height(point));
        number::min(number::min(a, b), c)
    };
    let (on_own, on_body) = (min_height(own, &body.triangle.vertices), min_height(body, &own.triangle.vertices));
    if on_own > margin || on_body > margin {
        return none;
    }
    let mut best = (-depth_max, None);
    let mut at_edges = none;
    let may_push = |target: &TargetTriangle, direction: Vec3| {
        target.triangle.classify_normal(direction, &target.edge_normals) == NormalRegion::Own
    };
    if on_own > best.0 && may_push(body, -own.triangle.normal) {
        best = (on_own, Some(TriangleAxis::Own));
    }
    if on_body > best.0 && may_push(own, -body.triangle.normal) {
        best = (on_body, Some(TriangleAxis::Body));
    }
    for own_edge in 0..3 {
        for body_edge in 0..3 {
            if let Some((separation, contact)) = edge_contact(own, own_edge, body, body_edge)
                && separation > best.0 + margin * 0.01
            {
                if separation > margin {
                    return none;
                }
                (best, at_edges) = ((separation, Some(TriangleAxis::Edges)), contact);
            }
        }
    }
    match best.1 {
        Some(TriangleAxis::Own) => clip_contact(own, body, margin, false),
        Some(TriangleAxis::Body) => clip_contact(body, own, margin, true),
        Some(TriangleAxis::Edges) => at_edges,
        None => none,
    }
}

#[derive(Clone, Copy)]
enum TriangleAxis {
    Own,
    Body,
    Edges,
}

/// The part of a triangle above another. `is_turned` if the lower one is the body's, which the normal points to.
fn clip_contact(under: &TargetTriangle, above: &TargetTriangle, margin: f32, is_turned: bool) -> TriangleContact {
    let mut polygon = TriangleClip::<8>::new();
    for (index, &point) in (0..).zip(&above.triangle.vertices) {
        polygon.push(point, index);
    }
    for edge in 0..3 {
        let outward = under.edge_normals[edge];
        polygon = polygon.clip(outward, outward.dot(under.triangle.vertices[edge]), 3 + edge as u8);
    }
    let normal = under.triangle.normal;
    let mut contact = TriangleContact::along(if is_turned { -normal } else { normal });
    for (position, arrives, leaves) in polygon.vertices() {
        let separation = under.height(position);
        if separation <= margin {
            let feature = under.feature(above.feature(arrives << 3 | leaves, 0), 0);
            let on_body = if is_turned { position - normal * separation } else { position };
            contact.push(on_body, separation, feature);
        }
    }
    contact
}

/// The contact of two exposed edges.
fn edge_contact(
    own: &TargetTriangle,
    own_edge: usize,
    body: &TargetTriangle,
    body_edge: usize,
) -> Option<(f32, TriangleContact)> {
    if !own.triangle.edges[own_edge].is_exposed() || !body.triangle.edges[body_edge].is_exposed() {
        return None;
    }
    let (first, second) = (own.edge(own_edge), body.edge(body_edge));
    let along = first[1] - first[0];
    let across = match body.triangle.edges[body_edge] {
        EdgeKind::Open => body.edge_normals[body_edge],
        _ => body.triangle.neighbour_normals[body_edge],
    };
    let (on_one, on_other) = (body.triangle.normal.dot(along), across.dot(along));
    if on_one * on_other >= 0.0 {
        return None;
    }
    let direction = -(body.triangle.normal * number::abs(on_other) + across * number::abs(on_one)).normal();
    let is_out = direction.dot(own.edge_normals[own_edge]) > 0.0;
    if !is_out || own.triangle.classify_normal(direction, &own.edge_normals) != NormalRegion::Own {
        return None;
    }
    let (on_first, on_second) = closest_on_segments(first, second);
    let is_between = |part: f32| part > 0.0 && part < 1.0;
    if !is_between(on_first) || !is_between(on_second) {
        return None;
    }
    let position = second[0] + (second[1] - second[0]) * on_second;
    let separation = direction.dot(position - first[0]);
    let mut contact = TriangleContact::along(direction);
    contact.push(position, separation, own.feature(body.feature(body_edge as u32, 0), own_edge as u32));
    Some((separation, contact))
}
