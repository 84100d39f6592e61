//! The program of a tag that no object is made from: a material, an interface, an animation graph. Its lambdas are evaluated about
//! objects.
//!
//! `~this` is the object. A name that the tag sets besides the fields of its class, as `!set heat 0`, has the value of the object's
//! variable or field of the same name; the tag's own value counts if the object has none.

use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::string_id::StringTable;
use script::bake::{Baking, bake};
use script::program::{Program, WAITING};
use script::value::Value;
use tags::{Class, Library};

use crate::limits::ROW_VALUES_MAX;
use crate::object::LEVEL;
use crate::tag_values::TagValues;

/// A program whose functions are evaluated about objects.
#[derive(Clone, Debug)]
pub struct TagProgram {
    /// The program.
    pub(crate) program: Program,
    /// Its initial row.
    pub(crate) row: Vec<Value>,
    /// The variables that take the values of the object, with their names.
    pub(crate) own: Vec<(u32, StringId)>,
}

impl TagProgram {
    /// The program of a tag; none if there is no such tag, or it has no lambdas. The numbers of its functions are those of the tag's
    /// `Lambda` and `Formula` fields.
    pub fn of(content: &Library, tag: StringId) -> Option<TagProgram> {
        let (program, class, packed) = (content.program(tag)?, content.class_of(tag)?, content.packed(tag)?);
        let values = TagValues::of(program, packed.reflect(class), LEVEL, &mut StringTable::default());
        let is_own = |name: &&String| !is_known(class, name);
        let own: Vec<&str> = program.variables.iter().filter(is_own).map(String::as_str).collect();
        let (fields, shared) = (values.fields, values.shared);
        Some(TagProgram::with_own(bake(program, Baking { first: &[], state: &own, fields, shared }), &own))
    }

    fn with_own(program: Program, own: &[&str]) -> TagProgram {
        let mut row = alloc::vec![Value::NOTHING; program.variables.len() + ROW_VALUES_MAX];
        let used = program.begin_row(&[], &mut row).unwrap_or(program.variables.len());
        row.truncate(used);
        row.shrink_to_fit();
        let own = own.iter().filter_map(|name| Some((program.variable(name)?, StringId::from(*name)))).collect();
        TagProgram { program, row, own }
    }
}

/// Whether a name is a field of the class, or one of those that the world sets.
fn is_known(class: &Class, name: &str) -> bool {
    ["this", "sender", "level", WAITING].contains(&name) || class.root().fields.iter().any(|field| field.name == name)
}
