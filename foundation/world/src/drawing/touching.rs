//! Contacts: points, normals and impulses.
//!
//! The block stores contacts with their impulses, not the positions of their points: manifolds are computed again from
//! the current poses. A stored point that is gone is not drawn; a new one has no impulse yet.

use base::{Vec3, number};
use physics::contact::{Contact, ContactKey};
use physics::manifold::{Manifold, ManifoldPoint, Manifolds};
use physics::{Body, narrow};
use state::Block;
use view::{Drawing, Kind};

use super::pen::Pen;
use super::pose_of;
use crate::rules::Rules;

/// The size of a contact point, as a fraction of the lighter body's bounding radius.
const MARK_PART: f32 = 0.08;
/// The greatest length of an impulse, in bounding radii.
const IMPULSE_MAX: f32 = 2.0;
/// Twice the gravity of the Earth, in metres per second squared: an impulse that bears a body's own weight is drawn
/// half a bounding radius long.
const WEIGHT_TWICE: f32 = 2.0 * 9.81;

/// Two bodies in contact.
struct TouchingPair<'a> {
    bodies: [&'a Body; 2],
    /// The index of the lighter one: impulses are drawn as acting on it.
    lighter: usize,
    /// The length of a sub-step, in seconds.
    seconds: f32,
}

/// Draws all contacts.
pub fn draw(rules: &Rules, block: &Block, drawing: &mut Drawing) {
    let (parts, settings) = (&rules.parts.physics.parts, rules.level.physics.sanitized());
    let seconds = settings.seconds / settings.substeps as f32;
    let contacts = parts.contacts.get(block);
    let mut found = Manifolds::default();
    for of_pair in contacts.chunk_by(|one, other| one.pair() == other.pair()) {
        if drawing.is_full() {
            return;
        }
        let (first, second) = of_pair[0].pair();
        let body = |slot: u16| parts.bodies.at_slot(block, slot).map(|(_, body)| body);
        let (Some(first), Some(second)) = (body(first), body(second)) else { continue };
        let shape = |body: &Body| rules.prototypes.shapes().get(body.shape);
        let (Some(one), Some(other)) = (shape(first), shape(second)) else { continue };
        found.clear();
        narrow::collide(one, &pose_of(first), other, &pose_of(second), settings.speculative_margin, &mut found);
        let two = TouchingPair::new([first, second], seconds);
        for manifold in found.as_slice() {
            let key: ContactKey = (of_pair[0].first, of_pair[0].second, manifold.child);
            // The contacts of a pair are sorted by child.
            if let Ok(index) = of_pair.binary_search_by_key(&key, Contact::key) {
                two.draw(&of_pair[index], manifold, drawing);
            }
        }
    }
}

impl<'a> TouchingPair<'a> {
    fn new(bodies: [&'a Body; 2], seconds: f32) -> TouchingPair<'a> {
        // A static or kinematic body has no inverse mass: it counts as the heavier one.
        let is_second = bodies[1].inverse_mass >= bodies[0].inverse_mass;
        TouchingPair { bodies, lighter: usize::from(is_second), seconds }
    }

    fn draw(&self, contact: &Contact, manifold: &Manifold, drawing: &mut Drawing) {
        let kind = if contact.is_touching() { Kind::Contact } else { Kind::Near };
        manifold.points().iter().for_each(|point| self.point(kind, contact, manifold.normal, point, drawing));
    }

    fn point(&self, kind: Kind, contact: &Contact, normal: Vec3, point: &ManifoldPoint, drawing: &mut Drawing) {
        let lighter = self.bodies[self.lighter];
        let (place, size) = (self.bodies[0].position + point.anchor, MARK_PART * lighter.bounding_radius);
        let side = normal.perpendicular().normal() * size;
        let mut pen = Pen::new(drawing, kind, lighter.owner);
        pen.both_ways(place, side);
        pen.both_ways(place, side.cross(normal));
        pen.line(place, place + normal * (2.0 * size));
        let part = contact.normal_impulse_of(point.feature).unwrap_or(0.0) / self.seconds * lighter.inverse_mass
            / WEIGHT_TWICE;
        if part > 0.0 {
            let away = if self.lighter == 1 { normal } else { -normal };
            let length = lighter.bounding_radius * number::min(part, IMPULSE_MAX);
            Pen::new(drawing, Kind::Impulse, lighter.owner).line(place, place + away * length);
        }
    }
}
