//! Values as a designer would write them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use base::StringId;

use crate::arena::{Arena, NESTING_MAX, Spaces};
use crate::builtin::word;
use crate::program::Program;
use crate::value::{Kind, Value};

/// The most values in one text: a list may hold the same list many times over.
const VALUES_MAX: usize = 10_000;

/// The text of a value. `made` holds the parts that an evaluation made, `kept` those of a row; shared ones are in the
/// program.
pub fn write(value: Value, program: &Program, made: &Arena, kept: &[Value]) -> String {
    let spaces = Spaces { made: made.all(), kept, shared: &program.shared };
    Writer { program, spaces, left: Cell::new(VALUES_MAX) }.text(value, 0)
}

/// The elements of a list, or the names and values of a record, in an arena or a row; [`parts_of`] also finds shared
/// ones.
pub fn parts<'a>(value: Value, made: &'a Arena, kept: &'a [Value]) -> &'a [Value] {
    let spaces = Spaces { made: made.all(), kept, shared: &[] };
    value.parts().map_or(&[], |elements| spaces.parts(elements))
}

/// The elements of a list, or the names and values of a record, in any memory.
pub fn parts_of<'a>(value: Value, program: &'a Program, made: &'a Arena, kept: &'a [Value]) -> &'a [Value] {
    if value.is_shared() { program.parts(value) } else { parts(value, made, kept) }
}

/// The text of a string: one of the program's source, or one that only built-ins and queries produce.
pub fn text_of(id: StringId, program: &Program) -> Option<&str> {
    let words = || program.queries.iter().flat_map(|query| query.words).find(|word| StringId::new(word) == id);
    program.strings.text(id).or_else(|| word(id)).or_else(|| words().copied())
}

struct Writer<'a> {
    program: &'a Program,
    spaces: Spaces<'a>,
    left: Cell<usize>,
}

impl Writer<'_> {
    fn text(&self, value: Value, depth: u32) -> String {
        let left = self.left.get();
        if depth > NESTING_MAX || left == 0 {
            return String::from("…");
        }
        self.left.set(left - 1);
        match value.kind() {
            Kind::Nothing => String::from("nothing"),
            Kind::Number => format!("{}", value.as_number().unwrap_or_default()),
            Kind::Identifier => format!("#{}", value.as_identifier().unwrap_or_default()),
            Kind::Truth => format!("{}", value.as_truth().unwrap_or_default()),
            Kind::String => {
                let id = value.as_string().unwrap_or_default();
                let known = self.known(id);
                known.map_or_else(|| format!("{id}"), |text| format!("\"{}\"", text.replace('"', "\"\"")))
            }
            Kind::Vector => {
                let vector = value.as_vector().unwrap_or_default();
                format!("vec({}, {}, {})", vector.x, vector.y, vector.z)
            }
            Kind::Handle => format!("~{:?}", value.as_handle().unwrap_or_default().0),
            Kind::Lambda => {
                let function = value.as_lambda().and_then(|found| self.program.functions.get(found.0 as usize));
                let name = function.map_or("", |function| function.name.as_str());
                if name.is_empty() { String::from("Lambda(…)") } else { format!("Lambda(…) // {name}") }
            }
            Kind::List => {
                let elements: Vec<String> = self.parts(value).iter().map(|part| self.text(*part, depth + 1)).collect();
                format!("[{}]", elements.join(", "))
            }
            Kind::Record => {
                let pairs = self.parts(value).chunks_exact(2);
                let mut fields: Vec<String> = pairs
                    .map(|pair| {
                        let name = pair[0].as_string().and_then(|id| self.known(id));
                        format!("{} {}", name.unwrap_or("?"), self.text(pair[1], depth + 1))
                    })
                    .collect();
                fields.sort_unstable();
                if fields.is_empty() { String::from("{}") } else { format!("{{ {} }}", fields.join(", ")) }
            }
        }
    }

    fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.spaces.parts(elements))
    }

    fn known(&self, id: StringId) -> Option<&str> {
        text_of(id, self.program)
    }
}
