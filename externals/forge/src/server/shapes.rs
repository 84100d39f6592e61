//! The shapes of files: which classes there are, and which fields and kinds a place of a file has.
//!
//! Laws
//! 1. A class that comes from several sides is the first one: the program's, then the headers' by path.
//! 2. Headers have a class like all others, so that everything which is known of tags is known of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use script::class::HEADER;
use script::types::Type;
use tags::class::{Class, Field, Kind, Named, Number, Record};
use tags::header::as_script_class;
use tags::pack::Prepared;

use super::context::Step;

/// A class, as a table and as the checker of scripts knows it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The table.
    pub class: Class,
    /// The same for scripts.
    pub script: script::class::Class,
    /// The header it comes from.
    pub header: Option<String>,
    /// The same ready for packing, which checks its tags. None if a field may hold anything: then its tags are checked as
    /// scripts are.
    pub prepared: Option<Rc<Prepared>>,
}

/// What a header declares.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The table.
    pub class: Class,
    /// The same for scripts.
    pub script: script::class::Class,
}

/// All classes of a tree.
#[derive(Clone, Debug)]
pub struct Shapes {
    given: Vec<Class>,
    /// The classes of headers, by the headers' paths.
    of_headers: BTreeMap<String, Declared>,
    shapes: BTreeMap<String, Shape>,
    scripts: Vec<script::class::Class>,
}

/// Where a place is in a class.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The record whose field it is.
    pub record: &'a Record,
    /// The field.
    pub field: &'a Field,
    /// What stands there: the field's kind, or within a list an element's.
    pub kind: &'a Kind,
    /// Whether it is an element of a list.
    pub is_element: bool,
}

impl Shapes {
    /// The classes that the program gives.
    pub fn new(given: Vec<Class>) -> Shapes {
        let mut shapes = Shapes { given, of_headers: BTreeMap::new(), shapes: BTreeMap::new(), scripts: Vec::new() };
        shapes.gather();
        shapes
    }

    /// A header declares this class, or none.
    pub fn set(&mut self, header: &str, declared: Option<Declared>) {
        match declared {
            Some(declared) => self.of_headers.insert(header.to_string(), declared),
            None => self.of_headers.remove(header),
        };
        self.gather();
    }

    /// The class of a name.
    pub fn get(&self, name: &str) -> Option<&Shape> {
        self.shapes.get(name)
    }

    /// All classes, by name.
    pub fn all(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.values()
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().map(String::as_str)
    }

    /// All classes for the checker of scripts.
    pub fn scripts(&self) -> &[script::class::Class] {
        &self.scripts
    }

    fn gather(&mut self) {
        self.shapes.clear();
        for class in std::iter::once(header_class()).chain(self.given.iter().cloned()) {
            let (script, prepared) = (as_script_class(&class), prepared(&class));
            self.shapes.entry(class.name.clone()).or_insert(Shape { class, script, header: None, prepared });
        }
        for (path, Declared { class, script }) in self.of_headers.clone() {
            let holds_anything = script.variables.iter().any(|variable| holds_anything(&variable.kind));
            let prepared = if holds_anything { None } else { prepared(&class) };
            self.shapes.entry(class.name.clone()).or_insert(Shape { class, script, header: Some(path), prepared });
        }
        let own = self.shapes.values().filter(|shape| shape.class.name != HEADER);
        self.scripts = own.map(|shape| shape.script.clone()).collect();
    }
}

/// A class ready for packing, if it can be packed.
fn prepared(class: &Class) -> Option<Rc<Prepared>> {
    let class = class.clone().finish().ok()?;
    (class.name != HEADER).then(|| Rc::new(Prepared::new(class)))
}

fn holds_anything(kind: &Type) -> bool {
    match kind {
        Type::Any | Type::Handle | Type::Nothing | Type::Variable(_) => true,
        Type::List(of) => holds_anything(of),
        Type::Record(record) => record.is_open || record.fields.iter().any(|(_, kind)| holds_anything(kind)),
        _ => false,
    }
}

/// The field at a path, and what stands there.
pub fn resolve<'a>(class: &'a Class, path: &[Step]) -> Option<Target<'a>> {
    let mut target: Option<Target<'a>> = None;
    for step in path {
        target = Some(match (step, target) {
            (Step::Field(name), None) => enter(class.root(), name)?,
            (Step::Field(name), Some(target)) => enter(record_of(class, target.kind)?, name)?,
            (Step::Element, Some(target)) => match plain_kind(target.kind) {
                Kind::Series(of) => Target { kind: of, is_element: true, ..target },
                Kind::Flags(_) | Kind::Vector(_) | Kind::Colour => Target { is_element: true, ..target },
                _ => return None,
            },
            (Step::Element, None) => return None,
        });
    }
    target
}

/// The record whose fields are named at a path.
pub fn record_at<'a>(class: &'a Class, path: &[Step]) -> Option<&'a Record> {
    match path {
        [] => Some(class.root()),
        _ => record_of(class, resolve(class, path)?.kind),
    }
}

/// A kind without `nothing` being possible.
pub fn plain_kind(kind: &Kind) -> &Kind {
    match kind {
        Kind::Optional(of) => plain_kind(of),
        other => other,
    }
}

/// The field of a name, today's or a former one.
pub fn field<'a>(record: &'a Record, name: &str) -> Option<&'a Field> {
    let of_today = record.field(name).map(|(_, field)| field);
    of_today.or_else(|| record.fields.iter().find(|field| field.former.iter().any(|former| former.name == name)))
}

fn enter<'a>(record: &'a Record, name: &str) -> Option<Target<'a>> {
    let field = field(record, name)?;
    Some(Target { record, field, kind: &field.kind, is_element: false })
}

fn record_of<'a>(class: &'a Class, kind: &Kind) -> Option<&'a Record> {
    match plain_kind(kind) {
        Kind::Record(number) => class.record(*number),
        _ => None,
    }
}

/// What headers are made of.
fn header_class() -> Class {
    let helped = |name: &str, kind: Kind, help: &str| Field { help: help.to_string(), ..Field::new(name, kind) };
    let mut class = Class::new(HEADER);
    class.help = "Declares a class: which fields its tags have, and what is said about them.".to_string();
    class.records[0].fields = vec![
        helped("Namespace", Kind::Text, "The name of the class: its files begin with `@name`."),
        helped("Attributes", Kind::Series(Box::new(Kind::Record(1))), "Its fields in order: names, or records."),
        helped("Init", Kind::Text, "The file that is run first in every environment of the class."),
    ];
    let attribute = vec![
        helped("name", Kind::Text, "The field's name."),
        helped("type", Kind::Text, "What it may hold; without one, anything."),
        helped("default", Kind::Text, "Its value before anybody sets it."),
        helped(
            "range",
            Kind::Series(Box::new(Kind::Number(Number::F64))),
            "The smallest and the largest number it may be.",
        ),
        helped("replicated", Kind::Truth, "Whether other machines are told of it."),
        helped("formula", Kind::Truth, "Whether a lambda without effects may stand for its value."),
        helped("help", Kind::Text, "What it is for."),
    ];
    class.records.push(Record { name: "attribute".to_string(), fields: attribute, ..Record::default() });
    class
}

/// The table of a class that a script's header declares.
pub fn table_of(class: &script::class::Class, origin: &str) -> Class {
    let mut table = Class::new(&class.name);
    table.origin = origin.to_string();
    for variable in &class.variables {
        let mut field = Field::new(&variable.name, kind_of(&variable.kind, &mut table.records));
        if variable.allows_formula && matches!(field.kind, Kind::Number(_)) {
            field.kind = Kind::Formula;
        }
        field.default = variable.default.clone();
        field.range = variable.range;
        field.is_replicated = variable.is_replicated;
        field.help = variable.help.clone();
        table.records[0].fields.push(field);
    }
    table
}

fn kind_of(kind: &Type, records: &mut Vec<Record>) -> Kind {
    match kind {
        Type::Number => Kind::Number(Number::F64),
        Type::Identifier => Kind::Identifier,
        Type::Truth => Kind::Truth,
        Type::String => Kind::Text,
        Type::Vector => Kind::Vector(3),
        Type::Reference(class) => Kind::Reference(class.clone()),
        Type::List(of) => Kind::Series(Box::new(kind_of(of, records))),
        Type::Record(record) => {
            let fields = record.fields.iter().map(|(name, kind)| Field::new(name, kind_of(kind, records))).collect();
            records.push(Record { name: "record".to_string(), fields, ..Record::default() });
            Kind::Record(records.len() as u32 - 1)
        }
        lambda @ Type::Lambda(_) => Kind::Lambda(lambda.to_string()),
        Type::SomeLambda => Kind::Lambda(String::new()),
        Type::Any | Type::Nothing | Type::Handle | Type::Variable(_) => Kind::Optional(Box::new(Kind::Text)),
    }
}

/// The names a value of a kind may be chosen from.
pub fn choices(kind: &Kind) -> &[Named] {
    match plain_kind(kind) {
        Kind::Choice(names) | Kind::Flags(names) => names,
        _ => &[],
    }
}
