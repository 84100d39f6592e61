//! Reading one attribute of a header as a field.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::ast::{Expression, Tree};
use script::report::closest;
use script::source::Span;

use super::read::{HeaderReader, NAMES};
use super::types::{self, WrittenType};
use super::values::HeaderValue;
use super::vocabulary;
use crate::class::{FLAGS, Field, Former, Kind, Named, Number, Record, has_own, is_same_kind};
use crate::expression::{canonical_conversion, is_name, is_shared_default};
use crate::limits::{DEPTH_MAX, FIELDS_MAX, FLAGS_MAX, NAMES_MAX, RECORDS_MAX};

/// An attribute while it is being read.
struct Attribute {
    field: Field,
    span: Span,
    is_key: bool,
    allows_formula: bool,
    written: Option<(WrittenType, Span)>,
    /// Whether a type was given but is invalid, which was reported.
    is_type_wrong: bool,
    names: Option<Vec<Named>>,
    fields: Option<HeaderValue>,
    default: Option<HeaderValue>,
}

impl HeaderReader<'_> {
    /// Reads an attribute of a record: the field, and whether it is the key. A field declared by the base starts with
    /// the base's attributes.
    pub fn attribute(&mut self, given: HeaderValue, record: u32, depth: u32) -> Option<(Field, bool)> {
        if let Some(name) = self.values.line(given) {
            if let Some(field) = self.initialised(&name).filter(|_| record == 0) {
                return Some((field, false));
            }
            let help = format!("declare its type: `{{ name \"{name}\", type \"number\" }}`");
            self.report(given.span, format!("the attribute `{name}` has no type"), help);
            return None;
        }
        let Some(pairs) = self.values.record(given) else {
            self.expected(given, "this attribute", "a record such as `{ name \"mass\", type \"number\" }`");
            return None;
        };
        let name = pairs.iter().find(|(name, _)| name == "name");
        let Some(name) = name.and_then(|(_, value)| self.values.line(*value)) else {
            self.report(given.span, "this attribute has no name", "give it one: `{ name \"mass\", … }`");
            return None;
        };
        if !is_name(&name) {
            self.report(given.span, format!("`{name}` cannot be the name of a field"), NAMES);
            return None;
        }
        let inherited = self.inherited.iter().find(|field| record == 0 && field.name == name).cloned();
        let mut attribute = Attribute {
            field: inherited.clone().unwrap_or_else(|| Field::new(&name, Kind::Truth)),
            span: given.span,
            is_key: false,
            allows_formula: false,
            written: None,
            is_type_wrong: false,
            names: None,
            fields: None,
            default: None,
        };
        for (name, value) in pairs {
            self.fill(&mut attribute, &name, value);
        }
        attribute.field.kind = match inherited {
            Some(inherited) => self.kept_kind(&attribute, inherited.kind, depth)?,
            None => self.kind(&attribute, depth)?,
        };
        attribute.field.is_inherited = false;
        if has_own(&attribute.field.kind) && !attribute.field.is_state {
            let span = attribute.written.as_ref().map_or(attribute.span, |(_, span)| *span);
            let message =
                format!("the type of the attribute `{}`: only objects can have such a value", attribute.field.name);
            self.report(span, message, "declare it with `state true`, or name a class of tags: `@ship`");
            return None;
        }
        if let Some(default) = attribute.default {
            self.check_default(&attribute.field, default, record);
        }
        Some((attribute.field, attribute.is_key))
    }

    /// A variable of the objects of which only the name is declared: its type is that of its value in the script of `Init`.
    fn initialised(&self, name: &str) -> Option<Field> {
        let (source, tree) = self.init.as_ref().filter(|_| is_name(name))?;
        let value = tree.statements.iter().rev().find_map(|statement| match tree.node(*statement).expression {
            Expression::Set(set, value) if set.text(source) == name => Some(tree.node(value)),
            _ => None,
        });
        let kind = match value.map(|value| value.expression) {
            Some(Expression::Number(_) | Expression::Negate(_) | Expression::Binary(..)) => Kind::Number(Number::F64),
            Some(Expression::Truth(_)) => Kind::Truth,
            Some(Expression::Identifier(_)) => Kind::Identifier,
            Some(Expression::String) => Kind::Text,
            Some(Expression::Call(callee, _)) if tree.node(callee).span.text(source) == "vec" => Kind::Vector(3),
            Some(Expression::Lambda { .. } | Expression::Body(_)) => Kind::Lambda(String::new()),
            None | Some(Expression::Nothing) => Kind::Own(false),
            _ => return None,
        };
        let is_state = !matches!(kind, Kind::Lambda(_));
        Some(Field { is_state, ..Field::new(name, kind) })
    }

    fn fill(&mut self, attribute: &mut Attribute, name: &str, value: HeaderValue) {
        let what = format!("`{name}` of the attribute `{}`", attribute.field.name);
        let field = &mut attribute.field;
        match name {
            "name" => {}
            "type" => match self.values.line(value).map(|text| types::read(&text)) {
                Some(Ok(written)) => attribute.written = Some((written, value.span)),
                Some(Err(unread)) => {
                    attribute.is_type_wrong = true;
                    let message = format!("the type of the attribute `{}`: {}", field.name, unread.message);
                    self.report(value.span, message, unread.help);
                }
                None => {
                    attribute.is_type_wrong = true;
                    self.expected(value, &what, "a type in quotes, such as \"number\"");
                }
            },
            "default" => match self.values.script(value) {
                Ok(text) if self.spend(value.span, text.len()) => {
                    field.default = Some(text);
                    attribute.default = Some(value);
                }
                Ok(_) => {}
                Err(why) => self.wrong(value, &what, why),
            },
            "range" => {
                let ends = self.values.list(value).unwrap_or_default();
                let numbers: Vec<f64> = ends.into_iter().filter_map(|end| self.values.number(end)).collect();
                match *numbers {
                    [min, max] if min <= max && min.is_finite() && max.is_finite() => {
                        field.range = Some((min, max));
                    }
                    _ => self.expected(value, &what, "the smallest and the largest number, such as `[0, 100]`"),
                }
            }
            "step" => match self.values.number(value).filter(|step| *step > 0.0 && step.is_finite()) {
                Some(step) => field.step = Some(step),
                None => self.expected(value, &what, "a number above 0"),
            },
            "unit" => self.fill_text(&mut field.unit, value, &what),
            "help" => self.fill_text(&mut field.help, value, &what),
            "key" => self.fill_truth(&mut attribute.is_key, value, &what),
            "formula" => self.fill_truth(&mut attribute.allows_formula, value, &what),
            "names" => attribute.names = Some(self.names(value, &what)),
            "fields" => attribute.fields = Some(value),
            "former" => field.former = self.former(value, &what),
            _ => match FLAGS.iter().find(|flag| flag.name == name) {
                Some(flag) => self.fill_truth((flag.of)(field), value, &what),
                None => self.unknown(value.name, "an attribute", name, &vocabulary::attribute_names()),
            },
        }
    }

    /// The names of a choice or of flags.
    fn names(&mut self, given: HeaderValue, what: &str) -> Vec<Named> {
        let Some(list) = self.values.list(given) else {
            self.expected(given, what, "a list of names in quotes");
            return Vec::new();
        };
        let mut names: Vec<Named> = Vec::new();
        let mut seen = BTreeSet::new();
        for given in list {
            if !self.spend(given.span, size_of::<Named>()) {
                break;
            }
            let mut named = Named::new("");
            let mut has_name = false;
            if let Some(name) = self.values.line(given) {
                has_name = true;
                if self.spend(given.span, name.len()) {
                    named.name = name;
                }
            } else {
                for (name, value) in self.values.record(given).unwrap_or_default() {
                    match name.as_str() {
                        "name" => {
                            has_name = self.values.text(value).is_some();
                            self.fill_text(&mut named.name, value, what);
                        }
                        "help" => self.fill_text(&mut named.help, value, what),
                        "former" => named.former = self.texts(value, what),
                        _ => self.unknown(value.name, "a name", &name, &vocabulary::names(&vocabulary::NAME)),
                    }
                }
            }
            if !has_name {
                self.expected(given, what, "a name in quotes, or a record such as `{ name \"small\", help \"…\" }`");
            } else if !seen.insert(named.name.clone()) {
                self.report(
                    given.span,
                    format!("the name \"{}\" is declared twice", named.name),
                    "remove one of the two",
                );
            } else if names.len() >= NAMES_MAX {
                self.report(given.span, format!("there can be at most {NAMES_MAX} names"), "");
                break;
            } else {
                names.push(named);
            }
        }
        names
    }

    /// A text, or a list of texts.
    fn texts(&mut self, given: HeaderValue, what: &str) -> Vec<String> {
        if let Some(text) = self.values.line(given) {
            return Vec::from([text]);
        }
        let mut texts = Vec::new();
        match self.values.list(given) {
            Some(list) => {
                for given in list {
                    match self.values.text(given) {
                        Some(text) if self.spend(given.span, size_of::<String>() + text.len()) => texts.push(text),
                        Some(_) => break,
                        None => self.expected(given, what, "a text in quotes"),
                    }
                }
            }
            None => self.expected(given, what, "a text in quotes, or a list of them"),
        }
        texts
    }

    fn former(&mut self, given: HeaderValue, what: &str) -> Vec<Former> {
        let list = self.values.list(given).unwrap_or_else(|| Vec::from([given]));
        let mut all = Vec::new();
        for given in list {
            if !self.spend(given.span, size_of::<Former>()) {
                break;
            }
            let mut former = Former { name: String::new(), before: 0, convert: None };
            if let Some(name) = self.values.line(given) {
                former.name = name;
            } else {
                for (name, value) in self.values.record(given).unwrap_or_default() {
                    match name.as_str() {
                        "name" => self.fill_text(&mut former.name, value, what),
                        "before" => match self.values.whole(value, 0) {
                            Some(before) => former.before = before,
                            None => self.expected(value, what, "in `before`, a version"),
                        },
                        "convert" => match self.values.script(value).and_then(|text| canonical_conversion(&text)) {
                            Ok(text) if self.spend(value.span, text.len()) => former.convert = Some(text),
                            Ok(_) => {}
                            Err(why) => self.wrong(value, what, why),
                        },
                        _ => {
                            self.unknown(value.name, "a former meaning", &name, &vocabulary::names(&vocabulary::FORMER))
                        }
                    }
                }
            }
            if is_name(&former.name) {
                all.push(former);
            } else {
                self.expected(given, what, "a name in quotes, or a record such as `{ name \"speed\", before 3 }`");
            }
        }
        all
    }

    /// The kind of a field of the base, which cannot change here; none if it was declared otherwise.
    fn kept_kind(&mut self, attribute: &Attribute, kind: Kind, depth: u32) -> Option<Kind> {
        let is_said = attribute.written.is_some() || attribute.fields.is_some() || attribute.allows_formula;
        if attribute.is_type_wrong || !is_said || is_same_kind(&self.kind(attribute, depth)?, &kind) {
            return Some(kind);
        }
        let name = &attribute.field.name;
        let message = format!("`{name}` of the base `{}` is {}, which cannot change", self.base, kind.in_words());
        self.report(attribute.span, message, "omit the type, or choose another name");
        None
    }

    fn kind(&mut self, attribute: &Attribute, depth: u32) -> Option<Kind> {
        let name = &attribute.field.name;
        let kind = match (&attribute.written, attribute.default, attribute.fields) {
            (Some((written, span)), ..) => self.resolve(written.clone(), attribute, *span, depth)?,
            (None, _, Some(_)) => self.resolve(WrittenType::Record(String::new()), attribute, attribute.span, depth)?,
            (None, Some(default), None) => self.kind_of(default, name)?,
            (None, None, None) if attribute.is_type_wrong => return None,
            (None, None, None) => {
                let help = format!("declare its type: `{{ name \"{name}\", type \"number\" }}`");
                self.report(attribute.span, format!("the attribute `{name}` has no type"), help);
                return None;
            }
        };
        match kind {
            Kind::Number(_) if attribute.allows_formula => Some(Kind::Formula),
            Kind::Formula => Some(Kind::Formula),
            _ if attribute.allows_formula => {
                let message = format!("the attribute `{name}` is not a number, so it cannot have a formula");
                self.report(attribute.span, message, "remove `formula`, or make it a number");
                Some(kind)
            }
            kind => Some(kind),
        }
    }

    /// The kind implied by a default.
    fn kind_of(&mut self, default: HeaderValue, name: &str) -> Option<Kind> {
        if self.values.number(default).is_some() {
            return Some(Kind::Number(Number::F64));
        }
        if self.values.line(default).is_some() {
            return Some(Kind::Text);
        }
        if self.values.truth(default).is_some() {
            return Some(Kind::Truth);
        }
        if matches!(self.values.expression(default), Some(Expression::Lambda { .. } | Expression::Body(_))) {
            return Some(Kind::Lambda(String::new()));
        }
        let help = format!("declare its type: `{{ name \"{name}\", type \"list of number\", … }}`");
        self.report(default.span, format!("the type of `{name}` does not follow from its default"), help);
        None
    }

    fn resolve(&mut self, written: WrittenType, attribute: &Attribute, span: Span, depth: u32) -> Option<Kind> {
        match written {
            WrittenType::Kind(kind) => Some(kind),
            WrittenType::Series(of) => Some(Kind::Series(Box::new(self.resolve(*of, attribute, span, depth)?))),
            WrittenType::Optional(of) => Some(Kind::Optional(Box::new(self.resolve(*of, attribute, span, depth)?))),
            WrittenType::Choice | WrittenType::Flags => {
                self.named_kind(written == WrittenType::Choice, attribute, span)
            }
            WrittenType::Record(name) if name.is_empty() => {
                let Some(fields) = attribute.fields else {
                    let help = "list its fields: `fields [{ … }]`, or name one of `Records`: \"record weapon\"";
                    let message = format!("the record of `{}` is not declared", attribute.field.name);
                    self.report(span, message, help);
                    return None;
                };
                let number = self.add_record(&attribute.field.name, span, depth)?;
                self.fill_record(number, fields, "`fields`", depth + 1);
                Some(Kind::Record(number))
            }
            WrittenType::Record(name) => self.record_of(&name, span).map(Kind::Record),
            WrittenType::Fields(fields) => self.fields(fields, attribute, span, depth),
        }
    }

    fn named_kind(&mut self, is_choice: bool, attribute: &Attribute, span: Span) -> Option<Kind> {
        let mut names = attribute.names.clone().unwrap_or_default();
        let name = &attribute.field.name;
        if is_choice && names.is_empty() {
            let message = format!("the choice `{name}` has no names");
            self.report(span, message, "list them: `names [\"small\", \"large\"]`");
            return None;
        }
        if !is_choice && names.len() > FLAGS_MAX {
            self.report(span, format!("there can be at most {FLAGS_MAX} flags"), "");
            names.truncate(FLAGS_MAX);
        }
        Some(if is_choice { Kind::Choice(names) } else { Kind::Flags(names) })
    }

    /// `{ marker string }`. A field that needs more than a type cannot be declared there.
    fn fields(&mut self, fields: Vec<(String, WrittenType)>, of: &Attribute, span: Span, depth: u32) -> Option<Kind> {
        let number = self.add_record(&of.field.name, span, depth)?;
        let mut made: Vec<Field> = Vec::new();
        let mut names = BTreeSet::new();
        for (name, written) in fields {
            if !names.insert(name.clone()) {
                self.report(span, format!("the field `{name}` is declared twice"), "remove one of the two");
            } else if made.len() >= FIELDS_MAX || !self.spend(span, size_of::<Field>()) {
                self.report(span, format!("a record has at most {FIELDS_MAX} fields"), "");
                break;
            } else if needs_more(&written) {
                let help = "give the attribute `fields [{ … }]` instead";
                self.report(span, format!("the field `{name}` needs more than a type in `{{ … }}`"), help);
            } else if let Some(kind) = self.resolve(written, of, span, depth + 1) {
                made.push(Field::new(&name, kind));
            }
        }
        self.records[number as usize].fields = made;
        Some(Kind::Record(number))
    }

    fn add_record(&mut self, name: &str, span: Span, depth: u32) -> Option<u32> {
        if depth >= DEPTH_MAX || self.records.len() >= RECORDS_MAX {
            let message = format!("a class has at most {RECORDS_MAX} records, nested at most {DEPTH_MAX} deep");
            self.report(span, message, "");
            return None;
        }
        self.records.push(Record { name: name.to_string(), ..Record::default() });
        Some(self.records.len() as u32 - 1)
    }

    /// One of `Records`, by name or by number.
    fn record_of(&mut self, name: &str, span: Span) -> Option<u32> {
        let found = match name.parse::<u32>() {
            Ok(number) => (number >= 1 && number <= self.declared).then_some(Some(number)),
            Err(_) => self.named.get(name).copied(),
        };
        match found {
            Some(Some(number)) => Some(number),
            Some(None) => {
                let help = "give them different names, or write its number: \"record 1\" is the first";
                self.report(span, format!("there are several records `{name}` in `Records`"), help);
                None
            }
            None => {
                let help = closest(name, self.named.keys().map(String::as_str)).map_or_else(
                    || "`!set Records [{ name \"weapon\", fields […] }]` declares records".to_string(),
                    |found| format!("did you mean `{found}`?"),
                );
                self.report(span, format!("there is no record `{name}` in `Records`"), help);
                None
            }
        }
    }

    /// Reports an invalid default; it is kept, since packing reports it too and continues.
    fn check_default(&mut self, field: &Field, default: HeaderValue, record: u32) {
        let number = self.values.number(default);
        if let (Some((min, max)), Some(number)) = (field.range, number)
            && (number < min || number > max)
        {
            let message = format!("the default of `{}` is outside its range {min} to {max}", field.name);
            self.report(default.span, message, "change one of the two");
        }
        if let Some(text) = field.default.as_deref().filter(|text| record > 0 && is_shared_default(text)) {
            let is_lambda = text.starts_with("Lambda") || has_lambda(&field.kind);
            let what = if is_lambda { "a lambda" } else { "a formula" };
            let message =
                format!("the default of `{}` is {what}, which only a field of the tag itself can have", field.name);
            self.report(default.span, message, "give the records of the tags their values");
        }
        let Some(expression) = self.values.expression(default) else { return };
        if !may_be(&field.kind, expression) {
            let message = format!("the default of `{}`: expected {}", field.name, field.kind.in_words());
            self.report(default.span, message, "change it, or the type");
        }
        if let (Kind::Choice(names), Some(text)) = (&field.kind, self.values.line(default))
            && !names.iter().any(|named| named.name == text)
        {
            let help = closest(&text, names.iter().map(|named| named.name.as_str()))
                .map_or(String::new(), |found| format!("did you mean \"{found}\"?"));
            let message = format!("the default of `{}`: expected {}", field.name, field.kind.in_words());
            self.report(default.span, message, help);
        }
    }
}

/// Where the text of a header gives the default of a field of the tag, if it writes it out.
pub fn default_span(source: &str, tree: &Tree, field: &str) -> Option<Span> {
    let attributes = tree.statements.iter().find_map(|statement| match tree.node(*statement).expression {
        Expression::Set(name, value) if name.text(source) == "Attributes" => Some(tree.node(value).expression),
        _ => None,
    });
    let Some(Expression::List(items)) = attributes else { return None };
    tree.items(items).iter().find_map(|item| {
        let Expression::Record(names, values) = tree.node(*item).expression else { return None };
        let pairs = || tree.names(names).iter().zip(tree.items(values));
        let value = |wanted: &str| pairs().find(|(name, _)| name.span.text(source) == wanted).map(|(_, value)| *value);
        let name = tree.node(value("name")?).span.text(source);
        let default = value("default").filter(|_| name.trim_matches('"') == field)?;
        Some(tree.node(default).span)
    })
}

fn has_lambda(kind: &Kind) -> bool {
    matches!(kind, Kind::Lambda(_) | Kind::Formula)
}

/// Whether a type takes names or fields from its attribute.
fn needs_more(written: &WrittenType) -> bool {
    match written {
        WrittenType::Choice | WrittenType::Flags => true,
        WrittenType::Record(name) => name.is_empty(),
        WrittenType::Series(of) | WrittenType::Optional(of) => needs_more(of),
        WrittenType::Kind(_) | WrittenType::Fields(_) => false,
    }
}

/// Whether a value of a kind may be written like this. Formulas may be anything, and `nothing` is always allowed.
fn may_be(kind: &Kind, expression: Expression) -> bool {
    let kind = match kind {
        Kind::Optional(of) => return may_be(of, expression),
        other => other,
    };
    match expression {
        Expression::Number(_) => matches!(kind, Kind::Number(_) | Kind::Angle | Kind::Formula),
        Expression::String => {
            matches!(kind, Kind::StringId | Kind::Text | Kind::Choice(_) | Kind::Reference(_) | Kind::Colour)
        }
        Expression::Truth(_) => *kind == Kind::Truth,
        Expression::List(_) => matches!(kind, Kind::Series(_) | Kind::Flags(_) | Kind::Vector(_) | Kind::Colour),
        Expression::Record(..) => matches!(kind, Kind::Record(_) | Kind::Bulk),
        _ => true,
    }
}
