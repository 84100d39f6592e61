//! The answers to queries about joints.

use base::StringId;
use physics::joint::JointKind;
use script::machine::Halt;
use script::value::Value;

use super::QueryContext;
use super::arguments::handle_of;
use crate::query::{Joined, Joints, kind_name};

/// The fields of a joint.
const JOINT: [&str; 7] = ["object", "kind", "way", "speed", "force", "torque", "strain"];

/// The strings in the record of a joint: its fields and its kinds.
pub(super) const WORDS: &[&str] = &[
    "object", "kind", "way", "speed", "force", "torque", "strain", "fixed", "hinge", "slider", "ball", "distance",
    "wheel",
];

impl QueryContext<'_, '_> {
    /// The next joint of a cursor; advances the cursor and charges the fuel.
    fn next_joint(&mut self, joints: &mut Joints) -> Result<Option<Joined>, Halt> {
        let found = self.sight.joint(joints, self.machine.fuel());
        self.machine.burn(found.cost.max(1))?;
        if found.is_cut {
            return Err(Halt::Fuel);
        }
        joints.from = found.next;
        Ok(found.joint)
    }

    fn joint_record(&mut self, joint: &Joined) -> Result<Value, Halt> {
        let number = |number: f32| Value::number(f64::from(number));
        let kind = Value::string(StringId::new(kind_name(joint.kind)));
        let numbers = [joint.way, joint.speed, joint.force, joint.torque, joint.strain];
        let [way, speed, force, torque, strain] = numbers.map(number);
        let object = Value::handle(joint.object, joint.array);
        self.machine.make_record(JOINT, [object, kind, way, speed, force, torque, strain])
    }
}

pub(super) fn joint_between(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let [of, other] = [0, 1].map(|index| handle_of(context.machine, context.arguments[index]));
    let mut joints = Joints { of, other: Some(other), from: 0 };
    let mut found = None;
    // Other joints take precedence over distance joints.
    while let Some(joint) = context.next_joint(&mut joints)? {
        let is_rope = joint.kind == JointKind::Distance;
        if !is_rope || found.is_none() {
            found = Some(joint);
        }
        if !is_rope {
            break;
        }
    }
    found.map_or(Ok(Value::NOTHING), |joint| context.joint_record(&joint))
}

pub(super) fn joints_of(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let mut joints = Joints { of: handle_of(context.machine, context.arguments[0]), other: None, from: 0 };
    let sight = context.sight;
    context.machine.build(|machine| {
        let mut context = QueryContext { sight, machine, arguments: [Value::NOTHING; _] };
        while let Some(joint) = context.next_joint(&mut joints)? {
            let record = context.joint_record(&joint)?;
            context.machine.push(record)?;
        }
        Ok(())
    })
}
