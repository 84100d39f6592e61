//! Classes: which variables an environment has, and what is said about them.
//!
//! A class is declared in Rust, or in a header: an LScript file that sets `Namespace`, `Attributes` and perhaps `Init`. A
//! header is evaluated like any other file, so that formulas work in it.
//!
//! An attribute is a name, or a record:
//!
//! | field | |
//! |---|---|
//! | `name` | the variable's name |
//! | `type` | its type, as [`crate::types`] has them; without one, `any` |
//! | `default` | its value before anybody sets it |
//! | `range` | the smallest and the largest number it may be |
//! | `replicated` | whether other machines are told of it |
//! | `formula` | whether a lambda without effects may stand for its value |
//! | `help` | what it is for |
//!
//! A header may also declare a class of tags, and then says more: `unit`, `former` and so on, and types such as `f32` or
//! `string id`. A script needs no more of them than what its own types can tell.
//!
//! Laws
//! 1. The order of the attributes is the order of the variables.
//! 2. What is wrong with an attribute is reported, and the rest of it counts.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;

use crate::compile::compile;
use crate::environment::Environment;
use crate::machine::{Limits, Scratch};
use crate::parse::{REPORTS_MAX, parse};
use crate::program::Program;
use crate::region::Region;
use crate::report::{Report, closest};
use crate::source::Span;
use crate::token::{TokenKind, tokens};
use crate::tree::{Expression, Tree};
use crate::types::{DEPTH_MAX, Type, WORDS};
use crate::value::{Kind, Value};
use crate::write::write;

/// The name that makes a file a header.
pub const HEADER: &str = "EnvironmentHeader";

/// The most attributes a class may have.
pub const VARIABLES_MAX: usize = 4096;

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name: files of it begin with `@name`.
    pub name: String,
    /// Its variables in order.
    pub variables: Vec<Variable>,
    /// The file that is run first in every environment of it.
    pub init: Option<String>,
}

/// One variable of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it may hold.
    pub kind: Type,
    /// Its value before anybody sets it, as a designer writes it.
    pub default: Option<String>,
    /// The smallest and the largest number it may be.
    pub range: Option<(f64, f64)>,
    /// Whether other machines are told of it.
    pub is_replicated: bool,
    /// Whether a lambda without effects may stand for its value.
    pub allows_formula: bool,
    /// What it is for; may be empty.
    pub help: String,
}

impl Class {
    /// The variable of a name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The names of its variables, in order.
    pub fn names(&self) -> Vec<&str> {
        self.variables.iter().map(|variable| variable.name.as_str()).collect()
    }
}

impl Variable {
    /// A variable of which only the name is known.
    pub fn new(name: &str) -> Variable {
        Variable {
            name: name.to_string(),
            kind: Type::Any,
            default: None,
            range: None,
            is_replicated: false,
            allows_formula: false,
            help: String::new(),
        }
    }
}

/// What a name may be.
const NAMES: &str = "a name is letters, digits and `_`, does not begin with a digit, and is no keyword";

/// What is said of an attribute to those who make tags of it.
const OF_TAGS: [&str; 11] =
    ["unit", "step", "hidden", "read_only", "expert", "runtime", "state", "key", "former", "names", "fields"];

/// The type of what tags call by a word of their own. What may be written in several ways is anything.
fn type_of_tags(text: &str, depth: u32) -> Option<Type> {
    if depth > DEPTH_MAX {
        return None;
    }
    let of = |inner: &str| {
        let inner = inner.trim();
        type_of_tags(inner, depth + 1).or_else(|| Type::parse(inner).ok())
    };
    if let Some(inner) = text.strip_suffix(" or nothing") {
        return of(inner);
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return of(inner);
    }
    if let Some(inner) = text.strip_prefix("list of ") {
        return type_of_tags(inner.trim(), depth + 1).map(|inner| Type::List(Box::new(inner)));
    }
    match text {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64" | "angle" | "formula" => {
            Some(Type::Number)
        }
        "string id" | "text" | "choice" | "tag" => Some(Type::String),
        "vec3" => Some(Type::Vector),
        "vec2" | "vec4" | "colour" => Some(Type::Any),
        "flags" => Some(Type::List(Box::new(Type::String))),
        "bulk" => Type::parse("record").ok(),
        _ if text.starts_with("record ") => Type::parse("record").ok(),
        _ => None,
    }
}

/// Whether a text is one name.
fn is_name(text: &str) -> bool {
    tokens(text).first().is_some_and(|token| token.kind == TokenKind::Name && token.span.text(text) == text)
}

/// Whether a source is a header.
pub fn is_header(source: &str, tree: &Tree) -> bool {
    tree.class.is_some_and(|class| class.text(source) == HEADER)
}

/// Reads a header. Without a `Namespace` there is no class.
pub fn read(source: &str, tree: &Tree) -> (Option<Class>, Vec<Report>) {
    let (program, mut reports) = compile(source, tree, &[]);
    let mut environment = Environment::new(&program, Limits::default().values as usize);
    let mut scratch = Scratch::new(Limits::default());
    for (statement, node) in program.statements.iter().zip(&tree.statements) {
        if let Err(trouble) = environment.evaluate(&program, *statement, &[], &mut scratch) {
            reports.push(Report::error(tree.node(*node).span, trouble.to_string()));
        }
    }
    let mut reader = Reader { source, tree, program: &program, environment: &environment, reports };
    let class = reader.class();
    (class, reader.reports)
}

struct Reader<'a> {
    source: &'a str,
    tree: &'a Tree,
    program: &'a Program,
    environment: &'a Environment,
    reports: Vec<Report>,
}

impl Reader<'_> {
    fn report(&mut self, report: Report) {
        if self.reports.len() < REPORTS_MAX {
            self.reports.push(report);
        }
    }

    fn class(&mut self) -> Option<Class> {
        let name = match self.variable("Namespace").and_then(|value| self.text(value)) {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => {
                let span = self.tree.class.unwrap_or_default();
                let help = "`!set Namespace \"name\"` names the class; its files begin with `@name`";
                self.report(Report::error(span, "this header has no `Namespace`").with_help(help));
                return None;
            }
        };
        let init = self.variable("Init").and_then(|value| self.text(value)).map(ToString::to_string);
        let span = self.span_of("Attributes");
        let attributes = self.variable("Attributes").unwrap_or_default();
        if attributes.as_list().is_none() {
            let help = "`!set Attributes [\"MaxHealth\", { name \"CurHealth\", type \"number\" }]` lists its variables";
            let message = format!("expected a list of attributes, found {}", attributes.kind().name());
            self.report(Report::error(span, message).with_help(help));
        }
        let places = self.places();
        let mut variables: Vec<Variable> = Vec::new();
        if !is_name(&name) {
            let message = format!("`{name}` cannot be the name of a class");
            self.report(Report::error(self.span_of("Namespace"), message).with_help(NAMES));
        }
        let mut names = alloc::collections::BTreeSet::new();
        let parts: Vec<Value> = self.parts(attributes).to_vec();
        for (index, attribute) in parts.into_iter().enumerate() {
            let span = places.get(index).copied().unwrap_or(span);
            let Some(variable) = self.attribute(attribute, span) else { continue };
            if !is_name(&variable.name) {
                let message = format!("`{}` cannot be the name of a variable", variable.name);
                self.report(Report::error(span, message).with_help(NAMES));
                continue;
            }
            if variables.len() >= VARIABLES_MAX {
                self.report(Report::error(span, format!("a class has at most {VARIABLES_MAX} attributes")));
                break;
            }
            if names.insert(variable.name.clone()) {
                variables.push(variable);
            } else {
                let message = format!("the attribute `{}` is there already", variable.name);
                self.report(Report::error(span, message).with_help("remove one of the two"));
            }
        }
        Some(Class { name, variables, init })
    }

    fn attribute(&mut self, value: Value, span: Span) -> Option<Variable> {
        if let Some(name) = self.text(value) {
            return Some(Variable::new(name));
        }
        if value.as_record().is_none() {
            let message = format!("expected an attribute, found {}", value.kind().name());
            let help = "an attribute is a name, or a record such as `{ name \"CurHealth\", type \"number\" }`";
            self.report(Report::error(span, message).with_help(help));
            return None;
        }
        let Some(name) = self.field(value, "name").and_then(|name| self.text(name)) else {
            let help = "give it one: `{ name \"CurHealth\", … }`";
            self.report(Report::error(span, "this attribute has no name").with_help(help));
            return None;
        };
        let mut variable = Variable::new(name);
        let pairs: Vec<Value> = self.parts(value).to_vec();
        for pair in pairs.chunks_exact(2) {
            let field = self.text(pair[0]).unwrap_or("").to_string();
            self.fill(&mut variable, &field, pair[1], span);
        }
        let default = self.field(value, "default").filter(|_| variable.default.is_some());
        if let Some(default) = default.filter(|default| !self.fits(*default, &variable.kind)) {
            let (wanted, found) = (variable.kind.in_words(), default.kind().name());
            let message = format!("the default of `{}`: expected {wanted}, found {found}", variable.name);
            self.report(Report::error(span, message).with_help("change it, or the type"));
        }
        if let (Some((least, most)), Some(default)) = (variable.range, self.field(value, "default"))
            && default.as_number().is_some_and(|default| default < least || default > most)
        {
            let message = format!("the default of `{}` is outside its range {least} to {most}", variable.name);
            self.report(Report::error(span, message).with_help("change one of the two"));
        }
        Some(variable)
    }

    /// Whether a value is of a type.
    fn fits(&self, value: Value, kind: &Type) -> bool {
        match kind {
            _ if value == Value::NOTHING => true,
            Type::Any | Type::Variable(_) => true,
            Type::Number => value.as_number().is_some(),
            Type::Identifier => value.as_identifier().is_some(),
            Type::Truth => value.as_truth().is_some(),
            Type::String | Type::Reference(_) => value.as_string().is_some(),
            Type::Vector => value.kind() == Kind::Vector,
            Type::List(of) => value.as_list().is_some() && self.parts(value).iter().all(|part| self.fits(*part, of)),
            Type::Record(record) => {
                let fits =
                    |(name, kind): &(String, Type)| self.field(value, name).is_none_or(|field| self.fits(field, kind));
                value.as_record().is_some() && record.fields.iter().all(fits)
            }
            Type::Nothing | Type::Handle | Type::SomeLambda | Type::Lambda(_) => false,
        }
    }

    fn fill(&mut self, variable: &mut Variable, field: &str, value: Value, span: Span) {
        const FIELDS: [&str; 7] = ["name", "type", "default", "range", "replicated", "formula", "help"];
        let fits = match field {
            "name" => true,
            "type" => match self.text(value) {
                Some(text) => {
                    let text = text.to_string();
                    self.fill_type(variable, &text, span);
                    true
                }
                None => false,
            },
            "default" => {
                let text = write(value, self.program, &Region::new(0), self.environment.kept());
                let is_writable = parse(&text).reports.is_empty();
                variable.default = is_writable.then_some(text);
                is_writable
            }
            "range" => {
                let numbers: Vec<f64> = self.parts(value).iter().filter_map(|part| part.as_number()).collect();
                variable.range = match *numbers {
                    [least, most] if least <= most => Some((least, most)),
                    _ => None,
                };
                variable.range.is_some()
            }
            "replicated" => value.as_truth().is_some_and(|truth| {
                variable.is_replicated = truth;
                true
            }),
            "formula" => value.as_truth().is_some_and(|truth| {
                variable.allows_formula = truth;
                true
            }),
            "help" => {
                variable.help = self.text(value).unwrap_or("").to_string();
                self.text(value).is_some()
            }
            _ if OF_TAGS.contains(&field) => true,
            _ => {
                let help = closest(field, FIELDS)
                    .map_or(format!("there are {}", FIELDS.join(", ")), |found| format!("did you mean `{found}`?"));
                let message = format!("an attribute has no field `{field}`");
                self.report(Report::error(span, message).with_help(help));
                return;
            }
        };
        if !fits {
            let expected = match field {
                "type" => "a type in quotes, such as \"number\"",
                "range" => "the smallest and the largest number, such as `[0, 100]`",
                "replicated" | "formula" => "true or false",
                "default" => "a value without lambdas and handles",
                _ => "a text in quotes",
            };
            let message = format!("`{field}` of the attribute `{}`: expected {expected}", variable.name);
            self.report(Report::error(span, message));
        }
    }

    fn fill_type(&mut self, variable: &mut Variable, text: &str, span: Span) {
        if let Some(kind) = type_of_tags(text.trim(), 0) {
            variable.kind = kind;
            variable.allows_formula |= text.trim() == "formula";
            return;
        }
        match Type::parse(text) {
            Ok(kind) => variable.kind = kind,
            Err(unread) => {
                let help = closest(text, WORDS.iter().copied())
                    .map_or(String::new(), |found| format!("did you mean `{found}`?"));
                let message = format!("the type of the attribute `{}`: {}", variable.name, unread.message);
                self.report(Report::error(span, message).with_help(help));
            }
        }
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.program.variable(name).map(|number| self.environment.get(number))
    }

    fn text(&self, value: Value) -> Option<&str> {
        value.as_string().and_then(|id| self.program.strings.text(id))
    }

    fn parts(&self, value: Value) -> &[Value] {
        self.environment.view().parts(value)
    }

    fn field(&self, record: Value, name: &str) -> Option<Value> {
        let id = StringId::new(name);
        let pairs = self.parts(record).chunks_exact(2);
        pairs.into_iter().find(|pair| pair[0].as_string() == Some(id)).map(|pair| pair[1])
    }

    /// Where a variable was last set.
    fn span_of(&self, name: &str) -> Span {
        let sets = self.tree.statements.iter().rev().map(|statement| self.tree.node(*statement));
        let mut found =
            sets.filter(|node| matches!(node.expression, Expression::Set(of, _) if of.text(self.source) == name));
        found.next().map_or(self.tree.class.unwrap_or_default(), |node| node.span)
    }

    /// Where each attribute stands, if they are written as one list.
    fn places(&self) -> Vec<Span> {
        let sets = self.tree.statements.iter().rev().map(|statement| self.tree.node(*statement));
        let found = sets.filter_map(|node| match node.expression {
            Expression::Set(of, value) if of.text(self.source) == "Attributes" => Some(self.tree.node(value)),
            _ => None,
        });
        match found.map(|node| node.expression).next() {
            Some(Expression::List(items)) => {
                self.tree.items(items).iter().map(|item| self.tree.node(*item).span).collect()
            }
            _ => Vec::new(),
        }
    }
}
