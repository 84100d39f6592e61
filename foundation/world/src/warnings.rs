//! Warnings of painters: conditions that come up while the world is painted.

use base::{Handle, StringId};
use state::{Address, Stroke, World};

use crate::condition::{Condition, Warning};
use crate::object::Object;
use crate::rules::Cycle;

/// Queues a warning about an effect of an object, or about the world if there is none.
pub fn warn(cycle: &Cycle<'_>, world: &mut World, condition: Condition, about: StringId, object: Handle<Object>) {
    let parts = &cycle.rules.parts;
    let target = if object.is_none() { Address::WORLD } else { parts.objects.address(object) };
    parts.warnings.queue(world, target, &Warning::new(condition, about));
}

/// Queues a warning with its number of occurrences; none if that is zero.
pub fn count(cycle: &Cycle<'_>, world: &mut World, condition: Condition, count: u32) {
    if count > 0 {
        let warning = Warning { count, ..Warning::new(condition, StringId::default()) };
        cycle.rules.parts.warnings.queue(world, Address::WORLD, &warning);
    }
}

/// Entries whose targets do not exist: their number, and the addresses of the first.
#[derive(Clone, Copy, Default)]
pub struct MissingTargets {
    count: u32,
    first: Option<(Address, Address)>,
}

impl MissingTargets {
    /// Counts an entry.
    pub fn add<T>(&mut self, stroke: &Stroke<T>) {
        self.count = self.count.saturating_add(1);
        self.first = self.first.or(Some((stroke.target, stroke.source)));
    }

    /// Queues one warning for all of them, under the object that caused the first. It names the missing target.
    pub fn warn(self, cycle: &Cycle<'_>, world: &mut World, about: StringId) {
        let Some((target, source)) = self.first else { return };
        let parts = &cycle.rules.parts;
        let subject = parts.objects.handle(target).map_or(0, Handle::raw);
        let warning = Warning { count: self.count, subject, ..Warning::new(Condition::NoSuchObject, about) };
        let blamed = parts.objects.handle(source).map_or(Address::WORLD, |_| source);
        parts.warnings.queue(world, blamed, &warning);
    }
}

/// Queues a warning that the target of one entry does not exist.
pub fn warn_missing<T>(cycle: &Cycle<'_>, world: &mut World, stroke: &Stroke<T>, about: StringId) {
    let mut missing = MissingTargets::default();
    missing.add(stroke);
    missing.warn(cycle, world, about);
}
