//! Explains places in the block as objects, tags and lines.
//!
//! Reports of `core` name regions and slots. Here a place in the block is resolved to terms that designers know: the
//! tag and the handle of an object, the name of a variable, and its value.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::{Handle, StringId};
use script::value::Value;
use state::Block;

use crate::object::Object;
use crate::rules::Rules;
use crate::workspaces::{STAGES, VariableWrite};

impl Rules {
    /// The tag and the handle of the object in a slot: `ships/corvette.ship #e26f0001`. Nothing if there is none.
    pub fn name_of(&self, block: &Block, slot: u16) -> Option<String> {
        let (handle, object) = self.parts.objects.at_slot(block, slot)?;
        let path = self
            .prototypes
            .get(object.mind.program)
            .map_or("an object whose tag is missing", |prototype| &prototype.path);
        Some(format!("{path} #{:08x}", handle.raw()))
    }

    /// The name of a variable of the object in a slot.
    pub fn variable_name(&self, block: &Block, slot: u16, variable: usize) -> Option<&str> {
        let (_, object) = self.parts.objects.at_slot(block, slot)?;
        let program = self.prototypes.programs().get(object.mind.program)?;
        program.variables.get(variable).map(String::as_str)
    }

    /// A variable of an object, by its name.
    pub fn variable(&self, block: &Block, object: Handle<Object>, name: &str) -> Option<(u32, Value)> {
        let (_, found, values) = self.parts.objects.find_values(block, object.raw())?;
        let number = self.prototypes.programs().get(found.mind.program)?.variable_of(StringId::from(name))?;
        values.get(number as usize).map(|value| (number, *value))
    }

    /// Records the writes to this object from now on; `None` stops recording. The world is not influenced.
    pub fn watch(&self, object: Handle<Object>) {
        self.workspaces.watch(object);
    }

    /// Takes the writes to the watched object since the last call, in order.
    pub fn take_written(&self) -> Vec<VariableWrite> {
        self.workspaces.take_written()
    }

    /// A write to the watched object, as a line: `cycle 812, damage: hull 37 → 36, set at corvette.ship:41`.
    pub fn tell_written(&self, block: &Block, written: &VariableWrite) -> String {
        let slot = written.object.slot();
        let name = self.variable_name(block, slot, written.variable as usize).unwrap_or("a variable");
        let object = self.name_of(block, slot).unwrap_or_else(|| format!("#{:08x}", written.object.raw()));
        let stage = STAGES.get(written.stage as usize).copied().unwrap_or("a stage");
        let (before, after) = (self.prototypes.written(written.before), self.prototypes.written(written.after));
        let place = match written.function {
            Some(_) => format!("set at {}", self.place_of(block, slot, written.start)),
            None => String::from("by the world itself"),
        };
        format!("cycle {}, {stage}: {object}: {name} {before} → {after}, {place}", written.cycle)
    }

    /// The path and line of a byte in the text of an object's tag.
    fn place_of(&self, block: &Block, slot: u16, byte: u32) -> String {
        let found = self.parts.objects.at_slot(block, slot);
        let number = found.map(|(_, object)| object.mind.program);
        let prototype = number.and_then(|number| self.prototypes.get(number));
        let program = number.and_then(|number| self.prototypes.programs().get(number));
        let place = program.map(|program| program.place(byte));
        let own = prototype.map_or("a missing tag", |prototype| &prototype.path);
        let path = place.and_then(|place| place.path).unwrap_or(own);
        format!("{path}:{}", place.map_or(0, |place| place.place.line))
    }
}
