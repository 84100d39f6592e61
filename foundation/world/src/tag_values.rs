//! The values of a tag's names, as scripts see them: the fields of its class, and what it sets besides.

use alloc::string::String;
use alloc::vec::Vec;

use base::string_id::StringTable;
use base::{Handle, StringId, Vec3};
use script::arena::NESTING_MAX;
use script::bake::Shared;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::program::Program;
use script::row::RowView;
use script::statement_run::StatementRun;
use script::value::{Kind, Value};
use tags::packed::{Reflected, ReflectedRecord};

use crate::limits::ROW_VALUES_MAX;
use crate::object::{Object, value_of};

/// The values of all names of a tag: the fields of its class, and what it sets besides.
pub(crate) struct TagValues {
    /// The names and values.
    pub fields: Vec<(String, Value)>,
    /// The parts of the values.
    pub shared: Shared,
}

impl TagValues {
    /// Those of a tag with this program. The texts of its strings are added to the table.
    pub fn of(
        program: &Program,
        seen: ReflectedRecord<'_>,
        level: Handle<Object>,
        strings: &mut StringTable,
    ) -> TagValues {
        let mut words = TagStrings { strings, shared: Shared::new() };
        program.strings.iter().for_each(|(_, text)| {
            words.word(text);
        });
        let mut fields = alloc::vec![(String::from("level"), value_of(level))];
        for (field, value) in seen.fields() {
            fields.push((field.name.clone(), words.value(value)));
        }
        own_values(program, &mut fields, &mut words);
        TagValues { fields, shared: words.shared }
    }
}

/// Evaluates the names that a tag sets besides the fields of its class.
fn own_values(program: &Program, fields: &mut Vec<(String, Value)>, words: &mut TagStrings<'_>) {
    const LIMITS: Limits = Limits { fuel: 100_000, depth: 64, values: 16 * 1024, effects: 64 };
    /// For all statements together.
    const FUEL_ALL: u64 = 20_000_000;
    let is_field = |name: &String| fields.iter().any(|(field, _)| field == name);
    let own: Vec<&String> = program.variables.iter().filter(|name| !is_field(name)).collect();
    if program.statements.is_empty() || own.is_empty() {
        return;
    }
    let mut environment = Environment::new(program, ROW_VALUES_MAX);
    for (name, value) in fields.iter() {
        if let Some(variable) = program.variable(name) {
            environment.set(variable, *value);
        }
    }
    let mut scratch = Scratch::new(LIMITS);
    let mut run = StatementRun::new(program, &mut environment, &mut scratch, FUEL_ALL);
    for statement in &program.statements {
        // A wrong statement was reported when the tag was packed; it sets nothing.
        let _ = run.evaluate(*statement);
    }
    for name in own {
        let value = program.variable(name).map_or(Value::NOTHING, |variable| environment.get(variable));
        fields.push((name.clone(), words.copy(value, environment.view(), 0)));
    }
}

/// The strings and lists of a tag, while they are gathered.
struct TagStrings<'a> {
    strings: &'a mut StringTable,
    shared: Shared,
}

impl TagStrings<'_> {
    /// A string, whose text is kept for the log. Of two texts with one id the first is kept.
    fn word(&mut self, text: &str) -> StringId {
        self.strings.add(text).unwrap_or_else(|_| StringId::from(text))
    }

    /// The script value of a tag's field.
    fn value(&mut self, seen: Reflected<'_>) -> Value {
        match seen {
            Reflected::Nothing | Reflected::Bulk(..) => Value::NOTHING,
            Reflected::Number(number) => Value::number(number),
            Reflected::Truth(truth) => Value::truth(truth),
            Reflected::Identifier(number) => Value::identifier(number),
            Reflected::Name(_, id) if id.is_none() => Value::NOTHING,
            Reflected::Reference("") => Value::NOTHING,
            Reflected::Name(text, _) | Reflected::Text(text) | Reflected::Choice(text) | Reflected::Reference(text) => {
                Value::string(self.word(text))
            }
            Reflected::Numbers([x, y, z, _], 3) => Value::vector(Vec3::new(x, y, z)),
            Reflected::Numbers(numbers, count) => {
                let numbers = numbers.iter().take(usize::from(count)).map(|number| Value::number(f64::from(*number)));
                self.list(numbers.collect())
            }
            Reflected::Flags(names, bits) => {
                let set = names.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
                let set: Vec<Value> = set.map(|(_, named)| Value::string(self.word(&named.name))).collect();
                self.list(set)
            }
            Reflected::Lambda(function) => Value::function(function),
            Reflected::Record(record) => {
                let mut fields = Vec::new();
                for (field, value) in record.fields() {
                    fields.push((self.word(&field.name), self.value(value)));
                }
                self.shared.record(&fields).unwrap_or_default()
            }
            Reflected::Series(series) => {
                let values = series.each().map(|value| self.value(value)).collect();
                self.list(values)
            }
        }
    }

    /// A value of a row, with its elements.
    fn copy(&mut self, value: Value, from: RowView<'_>, depth: u32) -> Value {
        if depth > NESTING_MAX {
            return Value::NOTHING;
        }
        let parts = from.parts(value).iter().map(|part| self.copy(*part, from, depth + 1)).collect::<Vec<Value>>();
        match value.kind() {
            Kind::List => self.list(parts),
            Kind::Record => {
                let (pairs, _) = parts.as_chunks::<2>();
                let fields = pairs.iter().filter_map(|[name, value]| Some((name.as_string()?, *value)));
                let fields: Vec<(StringId, Value)> = fields.collect();
                self.shared.record(&fields).unwrap_or_default()
            }
            // A lambda that carries values cannot be shared.
            Kind::Lambda => value.as_function().map_or(Value::NOTHING, Value::function),
            _ => value,
        }
    }

    fn list(&mut self, values: Vec<Value>) -> Value {
        self.shared.list(&values).unwrap_or_default()
    }
}
