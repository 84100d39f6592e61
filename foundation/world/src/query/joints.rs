//! Queries about joints.

use base::Handle;
use base::number::max;
use physics::joint::JointKind;
use physics::{Body, Joint};

use super::Sight;
use crate::object::Object;

/// A cursor over the joints of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joints {
    /// The object.
    pub of: Handle<()>,
    /// If given, only joints between the object and this one.
    pub other: Option<Handle<()>>,
    /// The position from which to search.
    pub from: u32,
}

/// A joint, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joined {
    /// The other object of the joint.
    pub object: Handle<()>,
    /// The number of the object's array.
    pub array: u16,
    /// Its kind.
    pub kind: JointKind,
    /// The joint coordinate: its angle, displacement or length.
    pub way: f32,
    /// The rate of change of the coordinate; for a wheel, its angular speed.
    pub speed: f32,
    /// Its reaction force in the last step, in newtons.
    pub force: f32,
    /// Its reaction torque, in newton metres.
    pub torque: f32,
    /// The load as a fraction of its breaking load; 0 if it cannot break.
    pub strain: f32,
}

/// The next joint of a cursor, and the position from which to continue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFound {
    /// The joint; `None` at the end.
    pub joint: Option<Joined>,
    /// The position from which to continue.
    pub next: u32,
    /// The number of joints visited.
    pub cost: u64,
    /// Whether the search was cut off because it would have exceeded its budget.
    pub is_cut: bool,
}

/// The name of a kind of joint in scripts.
pub fn kind_name(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Hinge => "hinge",
        JointKind::Slider => "slider",
        JointKind::Ball => "ball",
        JointKind::Distance => "distance",
        JointKind::Wheel => "wheel",
    }
}

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
            kind: joint.kind(),
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
