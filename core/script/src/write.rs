//! Values as a designer would write them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use base::StringId;

use crate::arena::{Arena, NESTING_MAX, Spaces};
use crate::builtin::{TEXT, WITH, word};
use crate::program::{Function, Program};
use crate::template;
use crate::value::{Kind, Value};

/// The most values in one text: a list may hold the same list many times over.
const VALUES_MAX: usize = 10_000;

/// The text of a value. `made` holds the parts that an evaluation made, `kept` those of a row; shared ones are in the
/// program. A text with names in braces is filled in.
pub fn write(value: Value, program: &Program, made: &Arena, kept: &[Value]) -> String {
    let spaces = Spaces { made: made.all(), kept, shared: &program.shared };
    let known = |id: StringId| text_of(id, program);
    Writer { functions: &program.functions, known: &known, spaces, left: Cell::new(VALUES_MAX) }.text(value, 0)
}

/// The text of a value whose parts all lie in `parts`, for a log: a string stands without quotes. `known` finds the texts
/// of strings.
pub fn write_plain<'a>(value: Value, parts: &'a [Value], known: &'a dyn Fn(StringId) -> Option<&'a str>) -> String {
    let spaces = Spaces { made: parts, kept: parts, shared: &[] };
    Writer { functions: &[], known, spaces, left: Cell::new(VALUES_MAX) }.plain(value, 0)
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
    functions: &'a [Function],
    known: &'a dyn Fn(StringId) -> Option<&'a str>,
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
                let function = value.as_lambda().and_then(|found| self.functions.get(found.0 as usize));
                let name = function.map_or("", |function| function.name.as_str());
                if name.is_empty() { String::from("Lambda(…)") } else { format!("Lambda(…) // {name}") }
            }
            Kind::List => {
                let elements: Vec<String> = self.parts(value).iter().map(|part| self.text(*part, depth + 1)).collect();
                format!("[{}]", elements.join(", "))
            }
            Kind::Record if self.template(value).is_some() => self.plain(value, depth),
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

    /// The text for a reader: without quotes, and filled in.
    fn plain(&self, value: Value, depth: u32) -> String {
        if let Some((text, values)) = self.template(value) {
            let pairs = self.parts(values).as_chunks::<2>().0;
            let find = |name: &str| pairs.iter().find(|pair| pair[0].as_string() == Some(StringId::new(name)));
            return template::fill(text, |name| find(name).map(|pair| self.plain(pair[1], depth + 1)));
        }
        match value.as_string() {
            Some(id) => self.known(id).map_or_else(|| format!("{id}"), String::from),
            None => self.text(value, depth),
        }
    }

    /// The text and the values of a record that `text` made, if its text has names in braces.
    fn template(&self, value: Value) -> Option<(&str, Value)> {
        let pairs = self.parts(value.as_record().map(|_| value)?).as_chunks::<2>().0;
        let field = |name: &str| pairs.iter().find(|pair| pair[0].as_string() == Some(StringId::new(name)));
        let (text, with) = (field(TEXT)?[1], field(WITH)?[1]);
        let text = self.known(text.as_string()?).filter(|text| template::holes(text).next().is_some())?;
        (pairs.len() == 2 && with.as_record().is_some()).then_some((text, with))
    }

    fn known(&self, id: StringId) -> Option<&str> {
        (self.known)(id)
    }
}
