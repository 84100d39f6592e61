//! How two surfaces touch: a body made of triangles on ground or another body made of triangles.
//!
//! Laws
//! 1. Only what is nearly on the surface is known: an overlap deeper than a quarter of the smaller one's least half size is not seen, nor a
//!    body inside another. Bodies that are nearly convex and meet at moderate speed are what this is for.
//! 2. A triangle pushes along its normal, or over an edge that can be touched, and only what may be pushed there.

use base::{Vec3, number};

use super::touch::{Polygon, Target, Touch, nearest_parts};
use crate::facet::{Edge, Lean};

/// How two triangles touch, of which the second is the body's. Overlaps beyond `depth_max` are none.
pub(super) fn triangles(own: &Target, body: &Target, margin: f32, depth_max: f32) -> Touch {
    let none = Touch::default();
    let least = |target: &Target, points: &[Vec3; 3]| {
        let [a, b, c] = points.map(|point| target.height(point));
        number::min(number::min(a, b), c)
    };
    let (on_own, on_body) = (least(own, &body.facet.points), least(body, &own.facet.points));
    if on_own > margin || on_body > margin {
        return none;
    }
    let mut best = (-depth_max, None);
    let mut at_edges = none;
    let may_push = |target: &Target, direction: Vec3| target.facet.lean(direction, &target.outwards) == Lean::Own;
    if on_own > best.0 && may_push(body, -own.facet.normal) {
        best = (on_own, Some(Way::Own));
    }
    if on_body > best.0 && may_push(own, -body.facet.normal) {
        best = (on_body, Some(Way::Body));
    }
    for own_edge in 0..3 {
        for body_edge in 0..3 {
            if let Some((separation, touch)) = edges(own, own_edge, body, body_edge)
                && separation > best.0 + margin * 0.01
            {
                if separation > margin {
                    return none;
                }
                (best, at_edges) = ((separation, Some(Way::Edges)), touch);
            }
        }
    }
    match best.1 {
        Some(Way::Own) => over(own, body, margin, false),
        Some(Way::Body) => over(body, own, margin, true),
        Some(Way::Edges) => at_edges,
        None => none,
    }
}

#[derive(Clone, Copy)]
enum Way {
    Own,
    Body,
    Edges,
}

/// What of a triangle lies over another. `is_turned` if the other is the body's, which the direction points to.
fn over(under: &Target, above: &Target, margin: f32, is_turned: bool) -> Touch {
    let mut polygon = Polygon::<8>::new();
    for (index, &point) in (0..).zip(&above.facet.points) {
        polygon.push(point, index);
    }
    for edge in 0..3 {
        let outward = under.outwards[edge];
        polygon = polygon.cut(outward, outward.dot(under.facet.points[edge]), 3 + edge as u8);
    }
    let normal = under.facet.normal;
    let mut touch = Touch::along(if is_turned { -normal } else { normal });
    for (place, arrives, leaves) in polygon.corners() {
        let separation = under.height(place);
        if separation <= margin {
            let feature = under.feature(above.feature(arrives << 3 | leaves, 0), 0);
            let on_body = if is_turned { place - normal * separation } else { place };
            touch.push(on_body, separation, feature);
        }
    }
    touch
}

/// How two edges touch that both can be touched.
fn edges(own: &Target, own_edge: usize, body: &Target, body_edge: usize) -> Option<(f32, Touch)> {
    if !own.facet.edges[own_edge].is_touchable() || !body.facet.edges[body_edge].is_touchable() {
        return None;
    }
    let (first, second) = (own.edge(own_edge), body.edge(body_edge));
    let along = first[1] - first[0];
    let across = match body.facet.edges[body_edge] {
        Edge::Open => body.outwards[body_edge],
        _ => body.facet.across[body_edge],
    };
    let (on_one, on_other) = (body.facet.normal.dot(along), across.dot(along));
    if on_one * on_other >= 0.0 {
        return None;
    }
    let direction = -(body.facet.normal * number::abs(on_other) + across * number::abs(on_one)).normal();
    let is_out = direction.dot(own.outwards[own_edge]) > 0.0;
    if !is_out || own.facet.lean(direction, &own.outwards) != Lean::Own {
        return None;
    }
    let (on_first, on_second) = nearest_parts(first, second);
    let is_between = |part: f32| part > 0.0 && part < 1.0;
    if !is_between(on_first) || !is_between(on_second) {
        return None;
    }
    let place = second[0] + (second[1] - second[0]) * on_second;
    let separation = direction.dot(place - first[0]);
    let mut touch = Touch::along(direction);
    touch.push(place, separation, own.feature(body.feature(body_edge as u32, 0), own_edge as u32));
    Some((separation, touch))
}
