//! Conversions: a lambda of the class computes today's value from a former one.
//!
//! The lambda and the value are compiled into a small program, which is evaluated like any script, but without a world.
//! So a conversion has no effects, ends within its limits, and gives the same result everywhere.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use script::arena::NESTING_MAX;
use script::ast::{Expression, NodeId, Tree};
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::value::{Kind as Of, Value};
use script::write::parts;

use crate::class::{Kind, Named};
use crate::formula::Dependence;
use crate::limits::CONVERTED_BYTES_MAX;

/// The most values of a list or record in one statement of the program.
const ROW_MAX: usize = 64;

/// Computes today's values from former ones.
#[derive(Default)]
pub struct Converter {
    scratch: Option<Scratch>,
}

/// Why a value could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    /// What was expected and what was found.
    pub message: String,
}

/// The source of a conversion's program.
struct ConversionSource {
    source: String,
    /// The prefix of its variables, which no other name in it has.
    prefix: String,
    variables: usize,
}

impl Converter {
    /// A converter that has not been used yet.
    pub fn new() -> Converter {
        Converter::default()
    }

    /// The text of today's value. `convert` is the class's lambda, `old` the text of the former value, `record` the
    /// names and texts of all values of its former record, and `kind` the kind expected now.
    pub fn convert(
        &mut self,
        convert: &str,
        old: &str,
        record: &[(&str, &str)],
        kind: &Kind,
    ) -> Result<String, ConversionError> {
        let lambda = parse(convert);
        let takes_record = match lambda.statements.as_slice() {
            [only] if lambda.reports.is_empty() => match lambda.node(*only).expression {
                Expression::Lambda { parameters, .. } => match lambda.names(parameters).len() {
                    1 => false,
                    2 => true,
                    _ => return fail("a conversion takes one or two values: the former one, and its record"),
                },
                _ => return fail("the conversion is not a lambda"),
            },
            _ => return fail("the conversion cannot be understood"),
        };
        let mentioned = if takes_record { mentioned(convert, &lambda) } else { BTreeSet::new() };
        let record: Vec<(&str, &str)> = record.iter().filter(|(name, _)| mentioned.contains(name)).copied().collect();
        let size = convert.len() + old.len() + record.iter().map(|(_, value)| value.len()).sum::<usize>();
        if size > CONVERTED_BYTES_MAX {
            return fail("the value is too large to be converted");
        }
        let mut prefix = "former".to_string();
        let is_used = |prefix: &str| {
            convert.contains(prefix) || old.contains(prefix) || record.iter().any(|(_, text)| text.contains(prefix))
        };
        while is_used(&prefix) {
            prefix.push('_');
        }
        let mut draft = ConversionSource { source: String::new(), prefix, variables: 0 };
        let old = draft.constant(old)?;
        let call = if takes_record {
            let record = draft.record(&record)?;
            format!("{}_new({old}, {record})", draft.prefix)
        } else {
            format!("{}_new({old})", draft.prefix)
        };
        let source = format!("{}!set {}_new {convert}\n{call}\n", draft.source, draft.prefix);
        self.evaluate(&source, size, kind)
    }

    fn evaluate(&mut self, source: &str, size: usize, kind: &Kind) -> Result<String, ConversionError> {
        let tree = parse(source);
        if let Some(report) = tree.reports.first() {
            return fail(&report.message);
        }
        let (program, reports) = compile(source, &tree, &[]);
        if let Some(report) = reports.first() {
            return fail(&report.message);
        }
        let limits = limits(size);
        let mut environment = Environment::new(&program, limits.values as usize);
        let is_enough = |scratch: &Scratch| scratch.limits().values >= limits.values;
        let mut scratch = self.scratch.take().filter(is_enough).unwrap_or_else(|| Scratch::new(limits));
        let mut result = Ok(Value::NOTHING);
        for statement in &program.statements {
            result = match environment.evaluate(&program, *statement, &[], &mut scratch) {
                Err(trouble) => fail(&trouble.to_string()),
                Ok(_) if !scratch.effects().is_empty() => fail("a conversion may not have effects"),
                Ok(value) => match scratch.complaints().first() {
                    Some(complaint) => fail(&complaint.to_string()),
                    None => Ok(value),
                },
            };
            if result.is_err() {
                break;
            }
        }
        let text = result.and_then(|value| {
            let is_nothing = value.kind() == Of::Nothing && !matches!(kind, Kind::Optional(_));
            if is_nothing {
                return fail("the conversion gives nothing");
            }
            let mut writer =
                Writer { program: &program, scratch: &scratch, kept: environment.kept(), out: String::new() };
            writer.write(value, Some(kind), 0)?;
            if !writer.fits(value, kind, 0) {
                return fail(&format!(
                    "the conversion gives `{}`, expected {}",
                    shortened(&writer.out),
                    kind.in_words()
                ));
            }
            Ok(writer.out)
        });
        self.scratch = Some(scratch);
        text
    }
}

fn fail<T>(message: &str) -> Result<T, ConversionError> {
    Err(ConversionError { message: message.to_string() })
}

/// The limits for evaluating a text of this many bytes.
fn limits(size: usize) -> Limits {
    let values = (size * 4).next_power_of_two().max(4096);
    let values = u32::try_from(values).unwrap_or(u32::MAX);
    Limits { fuel: u64::from(values) * 64, depth: 64, values, effects: 16 }
}

/// The fields that a lambda may read from its record: all words and strings in it. The others need not be constant.
fn mentioned<'a>(source: &'a str, tree: &Tree) -> BTreeSet<&'a str> {
    let words = tree.tokens.iter().map(|token| token.span.text(source).trim_matches('"'));
    words.collect()
}

impl ConversionSource {
    /// An expression for a text without dependences.
    fn constant(&mut self, text: &str) -> Result<String, ConversionError> {
        let tree = parse(text);
        let (true, [node]) = (tree.reports.is_empty(), tree.statements.as_slice()) else {
            return fail("the value cannot be understood");
        };
        let found = Dependence::of(text, &tree, *node);
        if let Some(name) = found.names.first() {
            return fail(&format!("the value is a formula that reads `{}`", name.text(text)));
        }
        if !found.is_constant() {
            return fail("the value is a lambda");
        }
        Ok(self.value(text, &tree, *node))
    }

    /// An expression for a record.
    fn record(&mut self, fields: &[(&str, &str)]) -> Result<String, ConversionError> {
        let mut made = Vec::new();
        for (name, text) in fields {
            let value = self.constant(text).map_err(|why| ConversionError {
                message: format!("the conversion reads `{name}`, but {}", why.message),
            })?;
            // The last of a duplicate name counts.
            made.retain(|(other, _)| other != name);
            made.push((*name, value));
        }
        Ok(self.row_of_fields(&made))
    }

    /// Long lists become variables, since one expression holds a limited number of values.
    fn value(&mut self, source: &str, tree: &Tree, id: NodeId) -> String {
        let node = tree.node(id);
        match node.expression {
            Expression::List(items) => {
                let items: Vec<String> = tree.items(items).iter().map(|item| self.value(source, tree, *item)).collect();
                if items.len() <= ROW_MAX {
                    let text = format!("[{}]", items.join(", "));
                    return self.as_variable_if_long(text);
                }
                let name = self.variable("[]");
                for chunk in items.chunks(ROW_MAX) {
                    let line = format!("!set {name} join({name}, [{}])\n", chunk.join(", "));
                    self.source.push_str(&line);
                }
                name
            }
            Expression::Record(names, items) => {
                let names = tree.names(names).iter().map(|name| name.span.text(source));
                let values: Vec<String> =
                    tree.items(items).iter().map(|item| self.value(source, tree, *item)).collect();
                let fields: Vec<(&str, String)> = names.zip(values).collect();
                self.row_of_fields(&fields)
            }
            // In a tag a vector may have two numbers; in a script it has three.
            Expression::Call(callee, arguments) if tree.node(callee).span.text(source) == "vec" => {
                let numbers = tree.items(arguments).iter().map(|item| self.value(source, tree, *item));
                let mut numbers: Vec<String> = numbers.collect();
                if numbers.len() == 2 {
                    numbers.push("0".to_string());
                }
                format!("vec({})", numbers.join(", "))
            }
            Expression::Number(_)
            | Expression::Identifier(_)
            | Expression::String
            | Expression::Truth(_)
            | Expression::Nothing => node.span.text(source).to_string(),
            // In brackets, so that it may have several lines; the last may end in a comment.
            _ => format!("({}\n)", node.span.text(source)),
        }
    }

    fn row_of_fields(&mut self, fields: &[(&str, String)]) -> String {
        if fields.len() <= ROW_MAX {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
            return self.as_variable_if_long(format!("{{ {} }}", fields.join(", ")));
        }
        let record = self.variable("{}");
        for (name, value) in fields {
            let line = format!("!set {record} with({record}, \"{name}\", {value})\n");
            self.source.push_str(&line);
        }
        record
    }

    /// A long text becomes a variable of its own.
    fn as_variable_if_long(&mut self, text: String) -> String {
        const LONG: usize = 200;
        if text.len() < LONG { text } else { self.variable(&text) }
    }

    fn variable(&mut self, value: &str) -> String {
        let name = format!("{}_{}", self.prefix, self.variables);
        self.variables += 1;
        let line = format!("!set {name} {value}\n");
        self.source.push_str(&line);
        name
    }
}

/// Writes a value as LScript.
struct Writer<'a> {
    program: &'a Program,
    scratch: &'a Scratch,
    kept: &'a [Value],
    out: String,
}

impl Writer<'_> {
    fn write(&mut self, value: Value, kind: Option<&Kind>, depth: u32) -> Result<(), ConversionError> {
        if depth > NESTING_MAX || self.out.len() > CONVERTED_BYTES_MAX {
            return fail("the conversion gives a value too large for a tag");
        }
        match value.kind() {
            Of::Nothing => self.out.push_str("nothing"),
            Of::Number => self.number(value.as_number().unwrap_or_default())?,
            Of::Identifier => self.out.push_str(&format!("#{}", value.as_identifier().unwrap_or_default())),
            Of::Truth => self.out.push_str(if value.as_truth() == Some(true) { "true" } else { "false" }),
            Of::String => {
                let id = value.as_string().unwrap_or_default();
                let known = self.program.strings.text(id).or_else(|| script::builtin::word(id));
                let Some(text) = known else { return fail("the conversion gives a string without a known text") };
                self.out.push_str(&format!("\"{}\"", text.replace('"', "\"\"")));
            }
            Of::Vector => {
                let vector = value.as_vector().unwrap_or_default();
                if !(vector.x.is_finite() && vector.y.is_finite() && vector.z.is_finite()) {
                    return fail("the conversion gives a number that is not finite");
                }
                let flat = matches!(wanted(kind), Some(Kind::Vector(2)));
                let text = format!("vec({}, {}", vector.x, vector.y);
                self.out.push_str(&if flat { format!("{text})") } else { format!("{text}, {})", vector.z) });
            }
            Of::Handle | Of::Lambda => {
                return fail(&format!("the conversion gives a {}, which cannot be written", value.kind().name()));
            }
            Of::List => {
                let of = match wanted(kind) {
                    Some(Kind::Series(of)) => Some(&**of),
                    _ => None,
                };
                let (scratch, kept) = (self.scratch, self.kept);
                self.out.push('[');
                for (index, part) in parts(value, scratch.region(), kept).iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { ", " });
                    self.write(*part, of, depth + 1)?;
                }
                self.out.push(']');
            }
            Of::Record => self.record(value, depth)?,
        }
        Ok(())
    }

    fn record(&mut self, value: Value, depth: u32) -> Result<(), ConversionError> {
        let mut fields = Vec::new();
        let (scratch, kept, program) = (self.scratch, self.kept, self.program);
        for pair in parts(value, scratch.region(), kept).chunks_exact(2) {
            let name =
                pair[0].as_string().and_then(|id| program.strings.text(id).or_else(|| script::builtin::word(id)));
            let Some(name) = name else { return fail("the conversion gives a field without a known name") };
            fields.push((name, pair[1]));
        }
        fields.sort_unstable_by_key(|(name, _)| *name);
        self.out.push('{');
        for (index, (name, value)) in fields.iter().enumerate() {
            self.out.push_str(if index == 0 { " " } else { ", " });
            self.out.push_str(name);
            self.out.push(' ');
            self.write(*value, None, depth + 1)?;
        }
        self.out.push_str(if fields.is_empty() { "}" } else { " }" });
        Ok(())
    }

    /// Whether a value is of a kind. The contents of records are checked when the tag is packed.
    fn fits(&self, value: Value, kind: &Kind, depth: u32) -> bool {
        if depth > NESTING_MAX {
            return false;
        }
        let items = |kind: &Kind| {
            let items = parts(value, self.scratch.region(), self.kept);
            value.kind() == Of::List && items.iter().all(|item| self.fits(*item, kind, depth + 1))
        };
        let numbers = |count: core::ops::RangeInclusive<usize>| {
            let numbers = parts(value, self.scratch.region(), self.kept);
            value.kind() == Of::List
                && count.contains(&numbers.len())
                && numbers.iter().all(|item| item.kind() == Of::Number)
        };
        match kind {
            Kind::Number(_) | Kind::Angle | Kind::Formula => value.kind() == Of::Number,
            Kind::Truth => value.kind() == Of::Truth,
            Kind::Identifier => value.kind() == Of::Identifier,
            Kind::StringId | Kind::Text => value.kind() == Of::String,
            Kind::Choice(names) => self.is_one_of(value, names),
            Kind::Vector(size @ (2 | 3)) => {
                value.kind() == Of::Vector || numbers(usize::from(*size)..=usize::from(*size))
            }
            Kind::Vector(size) => numbers(usize::from(*size)..=usize::from(*size)),
            Kind::Colour => value.kind() == Of::String || value.kind() == Of::Vector || numbers(3..=4),
            Kind::Flags(names) => items(&Kind::Choice(names.clone())),
            Kind::Reference(_) => matches!(value.kind(), Of::String | Of::Nothing),
            Kind::Bulk => matches!(value.kind(), Of::Record | Of::Nothing),
            Kind::Record(_) => value.kind() == Of::Record,
            Kind::Series(of) => items(of),
            Kind::Optional(of) => value.kind() == Of::Nothing || self.fits(value, of, depth + 1),
            Kind::Own(_) => value.kind() == Of::Nothing,
            // It cannot be written.
            Kind::Lambda(_) => false,
        }
    }

    fn is_one_of(&self, value: Value, names: &[Named]) -> bool {
        let id = value.as_string();
        let text = id.and_then(|id| self.program.strings.text(id).or_else(|| script::builtin::word(id)));
        let is_it = |named: &Named| {
            text.is_some_and(|text| named.name == text || named.former.iter().any(|former| former == text))
        };
        names.iter().any(is_it)
    }

    fn number(&mut self, number: f64) -> Result<(), ConversionError> {
        if !number.is_finite() {
            return fail("the conversion gives a number that is not finite");
        }
        // Far from one, the digits would fill a line.
        let is_plain = number == 0.0 || (1e-6..1e16).contains(&number.abs());
        let text = if is_plain { format!("{number}") } else { format!("{number:e}") };
        self.out.push_str(&text);
        Ok(())
    }
}

/// The beginning of a text.
fn shortened(text: &str) -> String {
    const SHOWN_MAX: usize = 60;
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The kind of an optional's value.
fn wanted(kind: Option<&Kind>) -> Option<&Kind> {
    match kind {
        Some(Kind::Optional(of)) => Some(of),
        other => other,
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Converter")
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl core::error::Error for ConversionError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Number;

    fn check(convert: &str, old: &str, record: &[(&str, &str)], expected: Result<&str, &str>) {
        check_kind(&Kind::Number(Number::F64), convert, old, record, expected);
    }

    fn check_kind(kind: &Kind, convert: &str, old: &str, record: &[(&str, &str)], expected: Result<&str, &str>) {
        let found = Converter::new().convert(convert, old, record, kind);
        match (&found, expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{convert} {old}"),
            (Err(why), Err(part)) => assert!(why.message.contains(part), "{}", why.message),
            _ => panic!("{convert} {old}: {found:?}"),
        }
    }

    #[test]
    fn a_lambda_computes_todays_value() {
        check("Lambda(old, old * 10)", "3", &[], Ok("30"));
        check("Lambda(old, old * 10)", "3 * 4 // many\n", &[], Ok("120"));
        check("Lambda(old, old * 10)", "1 +\n 2", &[], Ok("30"));
        check("Lambda(old, old / 4)", "-1", &[], Ok("-0.25"));
        check_kind(&Kind::Vector(2), "Lambda(old, [old.x, old.y])", "vec(1, 2)", &[], Ok("[1, 2]"));
        let made = "{ a \"x\", b \"say \"\"hi\"\"\" }";
        check_kind(&Kind::Record(1), "Lambda(old, { a old, b \"say \"\"hi\"\"\" })", "\"x\"", &[], Ok(made));
        check("Lambda(old, record, old * record.scale)", "3", &[("scale", "2"), ("other", "old + 1")], Ok("6"));
        check("Lambda(old, if old = \"fast\" then 2 else 1)", "\"fast\"", &[], Ok("2"));
        check("Lambda(old, old * 1e300)", "1", &[], Ok("1e300"));
    }

    #[test]
    fn a_failed_conversion_says_why() {
        check("Lambda(old, old * 10)", "mass * 2", &[], Err("reads `mass`"));
        check("Lambda(old, old * 10)", "Lambda(3)", &[], Err("a lambda"));
        check("Lambda(old, old * 10)", "\"a\"", &[], Err("number"));
        check("Lambda(old, nothing)", "1", &[], Err("nothing"));
        check("Lambda(old, former)", "1", &[], Err("not known"));
        check("Lambda(1)", "1", &[], Err("one or two"));
        check("3", "1", &[], Err("not a lambda"));
        check("Lambda(old,", "1", &[], Err("understood"));
        check("Lambda(old, 1)", "1 2", &[], Err("understood"));
        check("Lambda(old, record, record.scale)", "1", &[("scale", "other")], Err("reads `scale`"));
        check("Lambda(old, Lambda(x, x))", "1", &[], Err("cannot be written"));
        check("Lambda(old, 1e308 * old)", "1000", &[], Err("finite"));
        check("Lambda(old, [ !Log(1) ]())", "1000", &[], Err("effects"));
    }

    #[test]
    fn a_result_of_another_kind_than_the_field_is_refused() {
        let (number, series) = (Kind::Number(Number::F32), |kind: Kind| Kind::Series(kind.into()));
        let maybe = |kind: Kind| Kind::Optional(kind.into());
        let record = [("width", "4"), ("height", "3")];
        let names = || alloc::vec![Named::new("small"), Named::new("large")];
        let cases: [(Kind, &str, Result<&str, &str>); 20] = [
            (Kind::Choice(names()), "if old > 3 then \"large\" else \"small\"", Ok("\"large\"")),
            (Kind::Choice(names()), "\"huge\"", Err("gives `\"huge\"`, expected one of \"small\"")),
            (Kind::Flags(names()), "[\"large\"]", Ok("[\"large\"]")),
            (Kind::Flags(names()), "[\"huge\"]", Err("expected a list of some of")),
            (Kind::Vector(2), "[old, all.height]", Ok("[4, 3]")),
            (Kind::Vector(2), "[old, all.depth]", Err("gives `[4, nothing]`, expected a vector")),
            (Kind::Vector(2), "[old]", Err("expected a vector")),
            (Kind::Vector(2), "vec(old, 1, 0)", Ok("vec(4, 1)")),
            (Kind::Vector(4), "[old, 1, 2, 3]", Ok("[4, 1, 2, 3]")),
            (number.clone(), "\"wide\"", Err("gives `\"wide\"`, expected a number")),
            (Kind::Text, "old", Err("expected a text")),
            (Kind::Truth, "old > 3", Ok("true")),
            (Kind::Colour, "[old, 0, 0]", Ok("[4, 0, 0]")),
            (Kind::Colour, "old", Err("expected a colour")),
            (series(number.clone()), "[old, old]", Ok("[4, 4]")),
            (series(number.clone()), "[old, \"a\"]", Err("expected a list")),
            (series(number.clone()), "old", Err("expected a list")),
            (maybe(number.clone()), "all.depth", Ok("nothing")),
            (maybe(number), "\"a\"", Err("or nothing")),
            (Kind::Record(1), "old", Err("expected a record")),
        ];
        for (kind, body, expected) in cases {
            check_kind(&kind, &format!("Lambda(old, all, {body})"), "4", &record, expected);
        }
    }

    #[test]
    fn long_lists_are_converted_too() {
        let long: Vec<String> = (0..3000).map(|number| format!("{{ a {number}, b [{number}] }}")).collect();
        let long = format!("[{}]", long.join(", "));
        check("Lambda(old, sum(map(old, Lambda(x, x.a))))", &long, &[], Ok("4498500"));
        let found =
            Converter::new().convert("Lambda(old, old)", &long, &[], &Kind::Series(Kind::Record(1).into())).unwrap();
        assert_eq!(found, long);
    }
}
