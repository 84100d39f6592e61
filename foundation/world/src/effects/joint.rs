//! The effects on joints: how they are queued. All of them go to the world, so that they are painted in the order of the calls;
//! [`joints`](crate::joints) paints them.

use base::StringId;
use script::stage::Act;
use script::value::Value;
use state::Address;

use super::EffectContext;
use crate::condition::Condition;
use crate::joint_request::is_kind;
use crate::object::{handle_of, may_be};
use crate::parts::JointRequest;

pub(super) const CONNECT: u32 = 0;
pub(super) const DISCONNECT: u32 = 1;
pub(super) const DRIVE: u32 = 2;

impl EffectContext<'_, '_> {
    fn change_joint(&mut self, request: &JointRequest, stated: Result<(), Condition>) {
        let JointRequest { name, one, other, .. } = *request;
        let capacity = self.cycle.rules.parts.objects.capacity();
        match stated {
            Err(condition) => self.warn(condition, name),
            Ok(()) if !may_be(one, capacity) || !may_be(other, capacity) => self.warn(Condition::NoSuchObject, name),
            Ok(()) => {
                self.item.queue(self.cycle.rules.parts.joint_requests, Address::WORLD, request);
            }
        }
    }
}

/// Invalid fields of the record are warned of; the joint is made with the others.
pub(super) fn queue_connect(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [one, other, kind, rest @ ..] = act.arguments else { return false };
    let kind = kind.as_string().unwrap_or_default();
    if !is_kind(kind) {
        context.warn(Condition::NoSuchEffect, if kind.is_none() { act.name } else { kind });
        return true;
    }
    let mut request = JointRequest::new(CONNECT, kind, [*one, *other].map(handle_of));
    let fields: &[Value] = rest.first().map_or(&[], |record| act.parts(*record));
    for [name, value] in fields.as_chunks::<2>().0 {
        let name: StringId = name.as_string().unwrap_or_default();
        if let Err(condition) = request.say(name, *value) {
            context.warn(condition, name);
        }
    }
    context.change_joint(&request, Ok(()));
    true
}

pub(super) fn queue_disconnect(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [one, other] = act.arguments else { return false };
    let request = JointRequest::new(DISCONNECT, act.name, [*one, *other].map(handle_of));
    context.change_joint(&request, Ok(()));
    true
}

pub(super) fn queue_drive(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [one, other, speed, rest @ ..] = act.arguments else { return false };
    let mut request = JointRequest::new(DRIVE, act.name, [*one, *other].map(handle_of));
    let stated = request.drive(*speed, rest.first().copied().unwrap_or_default());
    context.change_joint(&request, stated);
    true
}

pub(super) fn queue_steer(context: &mut EffectContext<'_, '_>, act: &Act<'_>) -> bool {
    let [one, other, goal] = act.arguments else { return false };
    let mut request = JointRequest::new(DRIVE, act.name, [*one, *other].map(handle_of));
    let stated = request.steer(*goal);
    context.change_joint(&request, stated);
    true
}
