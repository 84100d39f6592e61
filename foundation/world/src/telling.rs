//! How painters tell that something is wrong.

use base::{Handle, StringId};
use state::{Address, World};

use crate::condition::{Condition, Told};
use crate::object::Object;
use crate::rules::Cycle;

/// Tells that something is wrong with what an object asked for.
pub fn tell(cycle: &Cycle<'_>, world: &mut World, condition: Condition, about: StringId, object: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let target = if object.is_none() { Address::WORLD } else { parts.objects.address(object) };
    parts.tellings.queue(world, target, &Told::new(condition, about));
}

/// Tells that something went wrong so often.
pub fn count(cycle: &Cycle<'_>, world: &mut World, condition: Condition, count: u32) {
    if count > 0 {
        let told = Told { count, ..Told::new(condition, StringId::default()) };
        cycle.rules.parts.tellings.queue(world, Address::WORLD, &told);
    }
}
