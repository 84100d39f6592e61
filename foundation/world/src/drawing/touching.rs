//! Contacts: where bodies touch, which way they push, and how hard.
//!
//! The block remembers what touches what and the impulses, not where: places are worked out anew, from where bodies are now. A point
//! that was remembered and is not there any more is not drawn; one that is new has no impulse yet.

use base::{Vec3, number};
use physics::contact::{Contact, Key};
use physics::manifold::{Manifold, ManifoldPoint, Manifolds};
use physics::{Body, narrow};
use state::Block;
use view::{Frame, Kind};

use super::pen::Pen;
use super::pose_of;
use crate::rules::Rules;

/// How large the mark of a point is, as a part of how far the lighter body reaches.
const MARK_PART: f32 = 0.08;
/// How many times its reach an impulse is drawn at most.
const IMPULSE_MOST: f32 = 2.0;
/// What two kilograms weigh where things are as heavy as here, in newtons: an impulse that bears a body's own weight is drawn half as
/// long as it reaches.
const WEIGHT_TWICE: f32 = 2.0 * 9.81;

/// Two bodies in contact.
struct Two<'a> {
    bodies: [&'a Body; 2],
    /// Which of them is lighter, and is drawn as the one that is pushed.
    lighter: usize,
    /// How long one part of a step is.
    seconds: f32,
}

/// Draws all contacts.
pub fn draw(rules: &Rules, block: &Block, frame: &mut Frame) {
    let (parts, settings) = (&rules.parts.physics.parts, rules.level.physics.sound());
    let seconds = settings.seconds / settings.substeps as f32;
    let contacts = parts.contacts.get(block);
    let mut found = Manifolds::default();
    for of_pair in contacts.chunk_by(|one, other| one.pair() == other.pair()) {
        if frame.is_full() {
            return;
        }
        let (first, second) = of_pair[0].pair();
        let body = |slot: u16| parts.bodies.get_absolute(block, slot).map(|(_, body)| body);
        let (Some(first), Some(second)) = (body(first), body(second)) else { continue };
        let shape = |body: &Body| rules.moulds.shapes().get(body.shape);
        let (Some(one), Some(other)) = (shape(first), shape(second)) else { continue };
        found.clear();
        narrow::collide(one, &pose_of(first), other, &pose_of(second), settings.margin, &mut found);
        let two = Two::new([first, second], seconds);
        for manifold in found.as_slice() {
            let key: Key = (of_pair[0].first, of_pair[0].second, manifold.child);
            // Those of one pair are in the order of their children.
            if let Ok(index) = of_pair.binary_search_by_key(&key, Contact::key) {
                two.draw(&of_pair[index], manifold, frame);
            }
        }
    }
}

impl<'a> Two<'a> {
    fn new(bodies: [&'a Body; 2], seconds: f32) -> Two<'a> {
        // What nothing moves is heavier than anything.
        let is_second = bodies[1].inverse_mass >= bodies[0].inverse_mass;
        Two { bodies, lighter: usize::from(is_second), seconds }
    }

    fn draw(&self, contact: &Contact, manifold: &Manifold, frame: &mut Frame) {
        let kind = if contact.is_touching() { Kind::Contact } else { Kind::Near };
        manifold.points().iter().for_each(|point| self.point(kind, contact, manifold.normal, point, frame));
    }

    fn point(&self, kind: Kind, contact: &Contact, normal: Vec3, point: &ManifoldPoint, frame: &mut Frame) {
        let lighter = self.bodies[self.lighter];
        let (place, size) = (self.bodies[0].position + point.place, MARK_PART * lighter.reach);
        let side = normal.perpendicular().normal() * size;
        let mut pen = Pen::new(frame, kind, lighter.owner);
        pen.both_ways(place, side);
        pen.both_ways(place, side.cross(normal));
        pen.line(place, place + normal * (2.0 * size));
        let part =
            contact.impulse_of(point.feature).unwrap_or(0.0) / self.seconds * lighter.inverse_mass / WEIGHT_TWICE;
        if part > 0.0 {
            let away = if self.lighter == 1 { normal } else { -normal };
            let length = lighter.reach * number::min(part, IMPULSE_MOST);
            Pen::new(frame, Kind::Impulse, lighter.owner).line(place, place + away * length);
        }
    }
}
