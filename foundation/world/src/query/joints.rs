//! What holds whom: joints as scripts see them.

use base::Handle;
use base::number::max;
use physics::joint::Kind;
use physics::{Body, Joint};
use script::query::{Joined, JointFound, JointKind, Joints};

use super::Sight;
use crate::object::Object;

impl Sight<'_> {
    /// The next joint that is asked for, in the order of slots.
    pub(super) fn find_joint(&self, asked: &Joints, budget: u64) -> JointFound {
        let mut found = JointFound { next: self.keys.physics.joints.capacity(), cost: 1, ..JointFound::default() };
        let other = asked.other.map(|other| self.end(other.cast()));
        let Some(of) = self.end(asked.of.cast()) else { return found };
        // Whoever has no body is joined to nobody.
        if other == Some(None) {
            return found;
        }
        let other = other.flatten();
        // The world may be joined to many.
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

    /// A joint of a body, if it is one, and if it is between it and the other, if one is given.
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
                Kind::Fixed => JointKind::Fixed,
                Kind::Hinge => JointKind::Hinge,
                Kind::Slider => JointKind::Slider,
                Kind::Ball => JointKind::Ball,
                Kind::Distance => JointKind::Distance,
                Kind::Wheel => JointKind::Wheel,
            },
            way: joint.way,
            speed: joint.speed,
            force: joint.force,
            torque: joint.torque,
            strain: max(part(joint.force, joint.break_force), part(joint.torque, joint.break_torque)),
        })
    }

    /// The body at the end of a joint: none for the world itself. Nothing if the object is gone or has no body.
    fn end(&self, handle: Handle<Object>) -> Option<Handle<Body>> {
        if handle == self.keys.level {
            return Some(Handle::NONE);
        }
        let (handle, object) = self.keys.objects.get_untrusted(self.block, handle.raw())?;
        self.body(handle, object)?;
        self.keys.bodies.get(self.block).get(usize::from(handle.slot())).copied()
    }

    /// Whose a body is; the level's, if it is none.
    fn owner(&self, body: Handle<Body>) -> Option<Handle<Object>> {
        if body.is_none() {
            return Some(self.keys.level);
        }
        let (_, body) = self.keys.physics.bodies.get_untrusted(self.block, body.raw())?;
        self.keys.objects.get_untrusted(self.block, body.owner).map(|(handle, _)| handle)
    }
}
