//! How objects are asked: an evaluation over an object's variables, and what becomes of its effects.
//!
//! Laws
//! 1. An evaluation sees the object's own variables as they are now, and everything else as it was when the cycle began.
//! 2. Its effects are queued at brushes, none acts at once. If it is halted, nothing of it counts.
//! 3. What a desk holds cannot change a result: it is room to work in, and results that come out the same.

use alloc::vec::Vec;

use base::StringId;
use script::environment::{Callee, Trouble, evaluate};
use script::machine::{Place, Scratch};
use script::message::Message;
use script::program::Program;
use script::row::{RowEdit, RowView};
use script::stage::{Delivery, deliver, next_due, perform, tick};
use script::value::Value;
use state::Item;

use crate::condition::{Condition, Told};
use crate::desk::{Minds, Written};
use crate::doing::Doing;
use crate::limits::{CYCLE_MILLISECONDS, TIMERS_PER_CYCLE};
use crate::object::{Object, value_of};
use crate::rules::Cycle;

/// An object being asked, with all that it may see.
pub struct Asking<'a, 'i> {
    /// The cycle that is being worked out.
    pub cycle: &'a Cycle<'a>,
    /// The object.
    pub item: &'a mut Item<'i, Object>,
    /// Its variables.
    pub values: &'a mut [Value],
}

impl Asking<'_, '_> {
    /// Calls a lambda of the object's mould.
    pub fn call(&mut self, lambda: Value, arguments: &[Value]) -> Option<Value> {
        self.work(|place, row, scratch| Some(evaluate(place, row, Callee::Lambda(lambda), arguments, scratch)))
    }

    /// Lets the object handle a message.
    pub fn deliver(&mut self, message: &Message) {
        self.work(|place, row, scratch| {
            match deliver(place, row, message, scratch) {
                Ok(Delivery::Handled(value)) => Some(Ok(value)),
                // Nothing was evaluated: what lies on the desk is another's.
                Ok(Delivery::Unhandled) => None,
                Err(trouble) => Some(Err(trouble)),
            }
        });
    }

    /// Lets timers go off that are due.
    pub fn tick(&mut self) {
        if self.item.next.timer_at > self.item.cycle() {
            return;
        }
        for _ in 0..TIMERS_PER_CYCLE {
            if self.next_timer() > self.item.cycle() {
                return;
            }
            self.work(tick);
            self.item.next.timer_at = 0;
        }
    }

    /// The cycle at which the object's next timer is due, which is kept until a timer is set or goes off.
    pub fn next_timer(&mut self) -> u64 {
        self.item.next.timer_at = self.due_at().unwrap_or(u64::MAX);
        self.item.next.timer_at
    }

    /// The cycle at which the object's next timer is due.
    pub fn due_at(&self) -> Option<u64> {
        let program = self.cycle.moulds.programs().get(self.item.next.mind.program)?;
        let due = next_due(program, RowView { head: &self.item.next.mind, values: self.values })?;
        let cycles = base::number::double::ceil(due / CYCLE_MILLISECONDS);
        // Beyond all time, and what is no number, is never.
        if cycles < 1e15 { Some(if cycles > 0.0 { cycles as u64 } else { 0 }) } else { None }
    }

    /// Tells that something is wrong.
    pub fn tell(&mut self, told: Told) {
        let (tellings, address) = (self.cycle.rules.parts.tellings, self.item.address());
        self.item.queue(tellings, address, &told);
    }

    fn work(
        &mut self,
        work: impl FnOnce(Place<'_>, RowEdit<'_>, &mut Scratch) -> Option<Result<Value, Trouble>>,
    ) -> Option<Value> {
        let Asking { cycle, item, values } = self;
        let (rules, sight) = (cycle.rules, cycle.sight(item.frozen));
        let program = cycle.moulds.programs().get(item.next.mind.program)?;
        let place = Place {
            program,
            this: value_of(item.handle),
            outside: &sight,
            now: item.cycle() as f64 * CYCLE_MILLISECONDS,
            seed: item.seed(),
        };
        rules.minds.with(item.handle, |scratch| {
            let watch = Watch::begin(&rules.minds, item, values, scratch);
            let result = work(place, RowEdit { head: &mut item.next.mind, values }, scratch)?;
            if let Some(watch) = watch {
                watch.end(program, (&rules.minds, item, values), scratch);
            }
            if let (Ok(value), true) = (&result, scratch.is_quiet()) {
                return Some(*value);
            }
            if scratch.has_set_timers(program) {
                item.next.timer_at = 0;
            }
            let head = item.next.mind;
            if let Some(complaint) = scratch.complaints().first() {
                let told = Told::new(Condition::Complained, StringId::default())
                    .at(complaint.function, place.program.span_of(complaint.function, complaint.instruction));
                let told = Told { count: scratch.complaints().len() as u32, ..told };
                let (tellings, address) = (rules.parts.tellings, item.address());
                item.queue(tellings, address, &told);
            }
            match result {
                Ok(value) => {
                    if !scratch.effects().is_empty() {
                        let mut doing = Doing { cycle, item };
                        perform(place, RowView { head: &head, values }, scratch, &mut doing);
                    }
                    Some(value)
                }
                Err(trouble) => {
                    let told = Told::new(Condition::Halted, StringId::default()).at(trouble.function, trouble.span);
                    let (tellings, address) = (rules.parts.tellings, item.address());
                    item.queue(tellings, address, &told);
                    None
                }
            }
        })
    }
}

/// An evaluation of an object that is being watched.
struct Watch {
    before: Vec<Value>,
}

impl Watch {
    fn begin(minds: &Minds, item: &Item<'_, Object>, values: &[Value], scratch: &mut Scratch) -> Option<Watch> {
        if !minds.is_watched(item.handle) {
            return None;
        }
        scratch.set_exact(true);
        Some(Watch { before: values.to_vec() })
    }

    fn end(
        self,
        program: &Program,
        (minds, item, values): (&Minds, &Item<'_, Object>, &[Value]),
        scratch: &mut Scratch,
    ) {
        let value = |values: &[Value], variable: u32| values.get(variable as usize).copied().unwrap_or_default();
        let written = scratch.sets(program).map(|(variable, function, span)| Written {
            object: item.handle,
            variable,
            function: Some(function),
            start: span.start,
            stage: minds.stage(),
            cycle: item.cycle(),
            before: value(&self.before, variable),
            after: value(values, variable),
        });
        minds.write(written);
        scratch.set_exact(false);
    }
}
