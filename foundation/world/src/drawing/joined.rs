//! Joints: lines from the centres of mass to the anchors, axes, and limits.

use core::f32::consts::TAU;

use base::{Handle, Quat, Vec3, number};
use physics::joint::{JointKind, flag};
use physics::{Body, Joint};
use state::Block;
use view::{Drawing, Kind};

use super::pen::{CircleArc, Pen};
use crate::rules::Rules;

/// The size of a joint, as a fraction of the smaller bounding radius of its bodies.
const SIZE_PART: f32 = 0.6;

/// One end of a joint, in world space.
struct JointEnd {
    /// The raw handle of the body's object; 0 for the world.
    owner: u32,
    /// The body's centre of mass; for the world, the anchor.
    centre: Vec3,
    anchor: Vec3,
    turn: Quat,
    /// The body's bounding radius; infinite for the world.
    reach: f32,
}

/// Draws all joints.
pub fn draw(rules: &Rules, block: &Block, drawing: &mut Drawing) {
    let parts = &rules.parts.physics.parts;
    for (_, joint) in parts.joints.iterate(block) {
        if drawing.is_full() {
            return;
        }
        let end = |handle: Handle<Body>, anchor: Vec3, turn: Quat| {
            let body = match handle.is_none() {
                true => None,
                false => Some(parts.bodies.find_raw(block, handle.raw())?.1),
            };
            Some(JointEnd::new(body, anchor, turn))
        };
        // A joint whose body is gone is removed by the next step.
        let ends = end(joint.first, joint.first_anchor, joint.first_rotation).zip(end(
            joint.second,
            joint.second_anchor,
            joint.second_rotation,
        ));
        if let Some((first, second)) = ends {
            draw_one(joint, &first, &second, drawing);
        }
    }
}

fn draw_one(joint: &Joint, first: &JointEnd, second: &JointEnd, drawing: &mut Drawing) {
    let owner = if second.owner == 0 { first.owner } else { second.owner };
    let reach = number::min(first.reach, second.reach);
    let size = if reach.is_finite() { SIZE_PART * reach } else { SIZE_PART };
    let mut pen = Pen::new(drawing, Kind::Joint, owner);
    pen.line(first.centre, first.anchor);
    pen.line(first.anchor, second.anchor);
    pen.line(second.anchor, second.centre);
    let [x, y, z] = first.turn.matrix().columns;
    let is_turning = joint.kind().is_angle();
    if is_turning {
        // The current angle, between the limits.
        pen.line(first.anchor, first.anchor + second.turn.rotate(Vec3::Y) * size);
    }
    let axes: &[Vec3] = match joint.kind() {
        JointKind::Fixed | JointKind::Distance => &[],
        JointKind::Hinge | JointKind::Slider | JointKind::Ball => &[x],
        JointKind::Wheel => &[x, z],
    };
    let mut pen = Pen::new(drawing, Kind::Axis, owner);
    axes.iter().for_each(|axis| pen.both_ways(first.anchor, *axis * size));
    let mut pen = Pen::new(drawing, Kind::Limit, owner);
    if joint.kind() == JointKind::Ball && joint.swing_max > 0.0 {
        cone(first.anchor, [x, y, z].map(|axis| axis * size), joint.swing_max, &mut pen);
    }
    if !joint.is(flag::LIMITED) {
        return;
    }
    match joint.kind() {
        JointKind::Fixed => {}
        JointKind::Hinge | JointKind::Ball => {
            let arc = CircleArc { middle: first.anchor, first: y * size, second: z * size };
            let least = number::clamp(joint.lower, -TAU, TAU);
            let most = number::clamp(joint.upper, least, least + TAU);
            pen.arc(arc, least, most);
            [least, most].into_iter().for_each(|angle| pen.line(first.anchor, arc.at(angle)));
        }
        JointKind::Slider => limit_range(first.anchor, x, y * size, joint, &mut pen),
        JointKind::Wheel => limit_range(first.anchor, z, x * size, joint, &mut pen),
        JointKind::Distance => {
            let along = (second.anchor - first.anchor).normal_or(x);
            limit_range(first.anchor, along, along.perpendicular().normal() * size, joint, &mut pen);
        }
    }
}

/// The range between the limits along an axis, with a tick at both.
fn limit_range(from: Vec3, axis: Vec3, mark: Vec3, joint: &Joint, pen: &mut Pen<'_>) {
    let ends = [joint.lower, joint.upper].map(|coordinate| from + axis * coordinate);
    pen.line(ends[0], ends[1]);
    ends.into_iter().for_each(|end| pen.both_ways(end, mark * 0.25));
}

/// The swing limit of an axis: a circle, and four lines to it.
fn cone(tip: Vec3, [axis, first, second]: [Vec3; 3], swing: f32, pen: &mut Pen<'_>) {
    let (sine, cosine) = number::sin_cos(swing);
    let arc = CircleArc { middle: tip + axis * cosine, first: first * sine, second: second * sine };
    pen.circle(arc);
    (0..4).for_each(|quarter| pen.line(tip, arc.at(quarter as f32 * TAU / 4.0)));
}

impl JointEnd {
    fn new(body: Option<&Body>, anchor: Vec3, turn: Quat) -> JointEnd {
        let Some(body) = body else {
            return JointEnd { owner: 0, centre: anchor, anchor, turn, reach: f32::INFINITY };
        };
        JointEnd {
            owner: body.owner,
            centre: body.world_center_of_mass(),
            anchor: body.position + body.rotation.rotate(anchor),
            turn: body.rotation * turn,
            reach: body.bounding_radius,
        }
    }
}
