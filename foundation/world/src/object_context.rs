//! The evaluation of an object's scripts over its variables, and the queueing of their effects.
//!
//! Laws
//! 1. An evaluation reads the object's own variables as they are now, and everything else from the frozen block.
//! 2. Its effects are queued at brushes; none acts at once. If it is halted, its sets and effects are dropped.
//! 3. A workspace cannot change a result: it holds memory and cached results.

use alloc::vec::Vec;

use base::StringId;
use script::environment::{EvaluationError, run};
use script::machine::{EvaluationContext, Scratch};
use script::message::Message;
use script::program::Program;
use script::row::{RowEdit, RowView};
use script::stage::{Delivery, deliver, next_due, perform, tick};
use script::value::Value;
use state::Item;

use crate::condition::{Condition, Warning};
use crate::effects::EffectContext;
use crate::limits::TIMERS_PER_CYCLE;
use crate::object::{Object, value_of};
use crate::rules::Cycle;
use crate::workspaces::{ScriptWorkspaces, VariableWrite};

/// An object whose scripts are evaluated.
pub struct ObjectContext<'a, 'i> {
    /// The cycle.
    pub cycle: &'a Cycle<'a>,
    /// The object.
    pub item: &'a mut Item<'i, Object>,
    /// Its variables.
    pub values: &'a mut [Value],
}

impl ObjectContext<'_, '_> {
    /// Calls a lambda of the object's prototype.
    pub fn call(&mut self, lambda: Value, arguments: &[Value]) -> Option<Value> {
        self.work(|place, row, scratch| Some(run(place, row, lambda, arguments, scratch)))
    }

    /// Delivers a message to the object's handler.
    pub fn deliver(&mut self, message: &Message) {
        self.work(|place, row, scratch| {
            match deliver(place, row, message, scratch) {
                Ok(Delivery::Handled(value)) => Some(Ok(value)),
                // Nothing was evaluated: the workspace holds the effects of another object.
                Ok(Delivery::Unhandled) => None,
                Err(trouble) => Some(Err(trouble)),
            }
        });
    }

    /// Fires the timers that are due.
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

    /// The cycle at which the object's next timer is due; cached until a timer is set or fires.
    pub fn next_timer(&mut self) -> u64 {
        self.item.next.timer_at = self.due_at().unwrap_or(u64::MAX);
        self.item.next.timer_at
    }

    /// The cycle at which the object's next timer is due.
    pub fn due_at(&self) -> Option<u64> {
        let program = self.cycle.prototypes.programs().get(self.item.next.mind.program)?;
        let due = next_due(program, RowView { head: &self.item.next.mind, values: self.values })?;
        let cycles = base::number::double::ceil(due / self.cycle.milliseconds());
        // Infinity and NaN are never due.
        if cycles < 1e15 { Some(if cycles > 0.0 { cycles as u64 } else { 0 }) } else { None }
    }

    /// Queues a warning about the object.
    pub fn warn(&mut self, warning: Warning) {
        let (warnings, address) = (self.cycle.rules.parts.warnings, self.item.address());
        self.item.queue(warnings, address, &warning);
    }

    fn work(
        &mut self,
        work: impl FnOnce(EvaluationContext<'_>, RowEdit<'_>, &mut Scratch) -> Option<Result<Value, EvaluationError>>,
    ) -> Option<Value> {
        let ObjectContext { cycle, item, values } = self;
        let (rules, sight) = (cycle.rules, cycle.sight(item.frozen));
        let program = cycle.prototypes.programs().get(item.next.mind.program)?;
        let place = EvaluationContext {
            program,
            this: value_of(item.handle),
            outside: &sight,
            now: item.cycle() as f64 * cycle.milliseconds(),
            seed: item.seed(),
        };
        rules.workspaces.with(item.handle, |scratch| {
            if let Some(meter) = scratch.meter() {
                meter.set(rules.workspaces.measuring().is_on(), item.next.mind.program);
            }
            let watch = EvaluationWatch::begin(&rules.workspaces, item, values, scratch);
            let result = work(place, RowEdit { head: &mut item.next.mind, values }, scratch)?;
            if let Some(watch) = watch {
                watch.end(program, (&rules.workspaces, item, values), scratch);
            }
            if let (Ok(value), true) = (&result, scratch.is_quiet()) {
                return Some(*value);
            }
            if scratch.has_set_timers(program) {
                item.next.timer_at = 0;
            }
            let head = item.next.mind;
            if let Some(complaint) = scratch.complaints().first() {
                let span = place.program.span_of(complaint.function, complaint.instruction);
                let warning = Warning::new(Condition::Complained, StringId::default()).at(complaint.function, span);
                rules.log.explain_complaint(item.handle, complaint, span);
                let warning = Warning { count: scratch.complaints().len() as u32, ..warning };
                let (warnings, address) = (rules.parts.warnings, item.address());
                item.queue(warnings, address, &warning);
            }
            match result {
                Ok(value) => {
                    if !scratch.effects().is_empty() {
                        let mut effects = EffectContext { cycle, item, place: (0, 0) };
                        perform(place, RowView { head: &head, values }, scratch, &mut effects);
                    }
                    Some(value)
                }
                Err(trouble) => {
                    debug_assert!(
                        scratch.effects().is_empty(),
                        "law 2 of evaluations: a halted evaluation has no effects"
                    );
                    rules.log.explain_halt(item.handle, &trouble);
                    let warning =
                        Warning::new(Condition::Halted, StringId::default()).at(trouble.function, trouble.span);
                    let (warnings, address) = (rules.parts.warnings, item.address());
                    item.queue(warnings, address, &warning);
                    None
                }
            }
        })
    }
}

/// The evaluation of a watched object.
struct EvaluationWatch {
    before: Vec<Value>,
}

impl EvaluationWatch {
    fn begin(
        workspaces: &ScriptWorkspaces,
        item: &Item<'_, Object>,
        values: &[Value],
        scratch: &mut Scratch,
    ) -> Option<EvaluationWatch> {
        if !workspaces.is_watched(item.handle) {
            return None;
        }
        scratch.set_exact(true);
        Some(EvaluationWatch { before: values.to_vec() })
    }

    fn end(
        self,
        program: &Program,
        (workspaces, item, values): (&ScriptWorkspaces, &Item<'_, Object>, &[Value]),
        scratch: &mut Scratch,
    ) {
        let value = |values: &[Value], variable: u32| values.get(variable as usize).copied().unwrap_or_default();
        let written = scratch.sets(program).map(|(variable, function, span)| VariableWrite {
            object: item.handle,
            variable,
            function: Some(function),
            start: span.start,
            stage: workspaces.stage(),
            cycle: item.cycle(),
            before: value(&self.before, variable),
            after: value(values, variable),
        });
        workspaces.write(written);
        scratch.set_exact(false);
    }
}
