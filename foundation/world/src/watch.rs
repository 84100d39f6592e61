//! Watching one object: which of its variables change in which stage, by scripts or by the world.
//!
//! Writes of scripts are recorded with their place; other changes (movement, attachment, a new tag) are found by comparing the
//! object after every stage. Watching allocates while stepping, and changes nothing else.

use alloc::vec::Vec;

use base::Handle;
use script::value::Value;
use state::{Block, World};

use crate::object::Object;
use crate::rules::Cycle;
use crate::workspaces::VariableWrite;

/// The watched object in a cycle; usually there is none.
pub struct ObjectWatch {
    object: Option<Handle<Object>>,
    before: Vec<Value>,
}

impl ObjectWatch {
    /// At the start of a cycle.
    pub fn begin(cycle: &Cycle<'_>, world: &World) -> ObjectWatch {
        let object = cycle.rules.workspaces.watched();
        cycle.rules.workspaces.begin_stage(0);
        ObjectWatch { object, before: object.map_or(Vec::new(), |object| values(cycle, world, object).to_vec()) }
    }

    /// Compares the object after a stage.
    pub fn compare(&mut self, cycle: &Cycle<'_>, world: &World, next: u32) {
        let Some(object) = self.object else { return };
        let workspaces = &cycle.rules.workspaces;
        let (now, stage, after) = (world.cycle(), workspaces.stage(), values(cycle, world, object));
        for (variable, (before, after)) in self.before.iter().zip(after).enumerate() {
            let variable = variable as u32;
            if before != after && !workspaces.is_written(now, stage, variable) {
                let (before, after) = (*before, *after);
                workspaces.write([VariableWrite {
                    object,
                    variable,
                    function: None,
                    start: 0,
                    stage,
                    cycle: now,
                    before,
                    after,
                }]);
            }
        }
        self.before.clear();
        self.before.extend_from_slice(after);
        workspaces.begin_stage(next);
    }
}

fn values<'a>(cycle: &Cycle<'_>, block: &'a Block, object: Handle<Object>) -> &'a [Value] {
    let found = cycle.rules.parts.objects.find_values(block, object.raw());
    // Behind the variables lie the elements of lists, which move.
    found.map_or(&[], |(_, found, values)| {
        let program = cycle.prototypes.programs().get(found.mind.program);
        let variables = program.map_or(0, |program| program.variables.len());
        &values[..variables.min(values.len())]
    })
}
