//! Queries about joints.

use base::Handle;
use base::number::max;
use physics::joint::JointKind as PhysicsKind;
use physics::{Body, Joint};
use script::query::{Joined, JointFound, JointKind, Joints};

use super::Sight;
use crate::object::Object;

impl Sight<'_> {
    /// The next joint, in the order of slots.
    pub(super) fn find_joint(&self, asked: &Joints, budget: u64) -> JointFound {
        let mut found = JointFound { next: self.keys.physics.joints.capacity(), cost: 1, ..JointFound::default() };
        let other = asked.other.map(|other| self.end(other.cast()));
        let Some(of) = self.end(asked.of.cast()) else { return found };
        // An object without a body has no joints.
        if other == Some(None) {
            return found;
        }
        let other = other.flatten();
        // The world may have many joints: the other end is searched.
        let whose = other.filter(|_| of.is_none()).unwrap_or(of);
        for (handle, joint) in self.keys.physics.joints_of(self.block, whose, asked.from) {
            found.cost += 1;
            if found.cost > budget {
                return JointFound { cost: budget, is_cut: true, ..found };
            }
            let joint = self.joined(joint, of, other);
            if joint.is_some() {
                return JointFound { joint, next: u32::from(handle.slot()) + 1, ..found };
            }
        }
        found
    }

    /// A joint as scripts see it, if it is one of this body, and between it and the other if one is given.
    fn joined(&self, joint: &Joint, of: Handle<Body>, other: Option<Handle<Body>>) -> Option<Joined> {
        let far = match () {
            () if joint.first == of => joint.second,
            () if joint.second == of => joint.first,
            () => return None,
        };
        if other.is_some_and(|other| other != far) {
            return None;
        }
        let part = |of: f32, most: f32| if most > 0.0 { of / most } else { 0.0 };
        Some(Joined {
            object: self.owner(far)?.cast(),
            array: 0,
            kind: match joint.kind() {
                PhysicsKind::Fixed => JointKind::Fixed,
                PhysicsKind::Hinge => JointKind::Hinge,
                PhysicsKind::Slider => JointKind::Slider,
                PhysicsKind::Ball => JointKind::Ball,
                PhysicsKind::Distance => JointKind::Distance,
                PhysicsKind::Wheel => JointKind::Wheel,
            },
            way: joint.coordinate,
            speed: joint.speed,
            force: joint.force,
            torque: joint.torque,
            strain: max(part(joint.force, joint.break_force), part(joint.torque, joint.break_torque)),
        })
    }

    /// The body of a joint's end; `Handle::NONE` for the world. None if the object is gone or has no body.
    fn end(&self, handle: Handle<Object>) -> Option<Handle<Body>> {
        if handle == self.keys.level {
            return Some(Handle::NONE);
        }
        let (handle, object) = self.keys.objects.find_raw(self.block, handle.raw())?;
        self.body(handle, object)?;
        self.keys.bodies.get(self.block).get(usize::from(handle.slot())).copied()
    }

    /// The object of a body; the level for the world.
    fn owner(&self, body: Handle<Body>) -> Option<Handle<Object>> {
        if body.is_none() {
            return Some(self.keys.level);
        }
        let (_, body) = self.keys.physics.bodies.find_raw(self.block, body.raw())?;
        self.keys.objects.find_raw(self.block, body.owner).map(|(handle, _)| handle)
    }
}
