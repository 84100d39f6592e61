//! Watching one object: what of it changes in which stage, whoever changed it.
//!
//! Scripts say what they set, and where; what changes without them (movement, attachment, another tag) is found by looking at
//! the object after every stage. Watching takes memory while stepping, and changes nothing else.

use alloc::vec::Vec;

use base::Handle;
use script::value::Value;
use state::{Block, World};

use crate::desk::Written;
use crate::object::Object;
use crate::rules::Cycle;

/// The watched object in the cycle that is being worked out; mostly there is none.
pub struct Watch {
    object: Option<Handle<Object>>,
    before: Vec<Value>,
}

impl Watch {
    /// At the start of a cycle.
    pub fn begin(cycle: &Cycle<'_>, world: &World) -> Watch {
        let object = cycle.rules.minds.watched();
        cycle.rules.minds.begin_stage(0);
        Watch { object, before: object.map_or(Vec::new(), |object| values(cycle, world, object).to_vec()) }
    }

    /// A stage is over, and the next begins.
    pub fn look(&mut self, cycle: &Cycle<'_>, world: &World, next: u32) {
        let Some(object) = self.object else { return };
        let minds = &cycle.rules.minds;
        let (now, stage, after) = (world.cycle(), minds.stage(), values(cycle, world, object));
        for (variable, (before, after)) in self.before.iter().zip(after).enumerate() {
            let variable = variable as u32;
            if before != after && !minds.is_written(now, stage, variable) {
                let (before, after) = (*before, *after);
                minds.write([Written { object, variable, function: None, start: 0, stage, cycle: now, before, after }]);
            }
        }
        self.before.clear();
        self.before.extend_from_slice(after);
        minds.begin_stage(next);
    }
}

fn values<'a>(cycle: &Cycle<'_>, block: &'a Block, object: Handle<Object>) -> &'a [Value] {
    let found = cycle.rules.parts.objects.values_untrusted(block, object.raw());
    // Behind its variables lie the parts of lists, which move about.
    found.map_or(&[], |(_, found, values)| {
        let program = cycle.moulds.programs().get(found.mind.program);
        let variables = program.map_or(0, |program| program.variables.len());
        &values[..variables.min(values.len())]
    })
}
