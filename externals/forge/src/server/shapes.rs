//! The shapes of files: which classes there are, and which fields and kinds a place of a file has.
//!
//! Laws
//! 1. A class that comes from several sides is the first one: those of headers in the tree by path, then those that a game wrote
//!    down for its tools, then the program's. For the tree may be of another game than those the program knows.
//! 2. Headers have a class like all others, so that everything which is known of tags is known of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use script::class::HEADER;
use script::report::Report;
use script::tree::{Expression, NodeId, Tree};
use script::types::Type;
use tags::class::{Class, Field, Kind, Named, Number, Record};
use tags::gather::{Declaration, Header, gather};
use tags::header::as_script_class;
use tags::pack::Prepared;

use super::address::is_made;
use super::context::Step;
use super::limits::HEADERS_MAX;

/// A class, as a table and as the checker of scripts knows it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The table.
    pub class: Class,
    /// The same for scripts.
    pub script: script::class::Class,
    /// The header it comes from, or which a game wrote for it.
    pub header: Option<String>,
    /// Whether people write that header. If not, the class is declared in Rust.
    pub is_written: bool,
    /// The same ready for packing, which checks its tags. None if its header is one of scripts, with fields that may hold
    /// anything: then its tags are checked as scripts are.
    pub prepared: Option<Rc<Prepared>>,
}

/// What a header declares.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The table.
    pub class: Class,
    /// The same for scripts.
    pub script: script::class::Class,
    /// Whether every field has a type, so that tags of it can be packed.
    pub is_typed: bool,
}

/// What there is to know of a header.
#[derive(Clone, Debug, Default)]
pub struct HeaderText {
    /// Its text.
    pub text: String,
    /// What it declares, if its class is made from no other.
    pub declared: Option<Declared>,
    /// Whether its class is made from another, which only who knows all of them can read.
    pub has_base: bool,
}

/// All classes of a tree.
#[derive(Clone, Debug)]
pub struct Shapes {
    given: Vec<Class>,
    /// The headers, by their paths.
    headers: BTreeMap<String, HeaderText>,
    /// What is wrong with those whose class is made from another.
    reports: BTreeMap<String, Vec<Report>>,
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
        let (headers, reports) = (BTreeMap::new(), BTreeMap::new());
        let mut shapes = Shapes { given, headers, reports, shapes: BTreeMap::new(), scripts: Vec::new() };
        shapes.gather();
        shapes
    }

    /// These headers came, changed, or went.
    pub fn set(&mut self, headers: Vec<(String, Option<HeaderText>)>) {
        for (path, header) in headers {
            match header {
                Some(header) => self.headers.insert(path, header),
                None => self.headers.remove(&path),
            };
        }
        self.gather();
    }

    /// What is wrong with a header whose class is made from another, if its text is the one that is known.
    pub fn reports(&self, header: &str, text: &str) -> Option<&[Report]> {
        self.headers.get(header).filter(|known| known.text == text)?;
        self.reports.get(header).map(Vec::as_slice)
    }

    /// Whether tags of a class are such as those of another: it is that class, or made from it.
    pub fn is_a(&self, class: &str, base: &str) -> bool {
        class == base || self.get(class).is_some_and(|shape| shape.class.is_a(base))
    }

    /// A class and those it is made from, the nearest first.
    pub fn lineage<'a>(&'a self, shape: &'a Shape) -> impl Iterator<Item = &'a Shape> {
        let bases = shape.class.bases.iter().filter_map(|base| self.get(&base.name));
        core::iter::once(shape).chain(bases)
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
        let own = header_class();
        let shape = Shape {
            script: as_script_class(&own),
            prepared: prepared(&own),
            class: own,
            header: None,
            is_written: false,
        };
        self.shapes.insert(shape.class.name.clone(), shape);
        for (path, Declared { class, script, is_typed }) in &self.declared() {
            let known = self.shapes.entry(class.name.clone()).or_insert_with(|| Shape {
                class: class.clone(),
                script: script.clone(),
                header: None,
                is_written: !is_made(path),
                prepared: if *is_typed { prepared(class) } else { None },
            });
            // Of a class in Rust, the header that its game wrote is the only place there is to show.
            if known.is_written || is_made(path) {
                known.header.get_or_insert_with(|| path.clone());
            }
        }
        for class in &self.given {
            self.shapes.entry(class.name.clone()).or_insert_with(|| Shape {
                class: class.clone(),
                script: as_script_class(class),
                header: None,
                is_written: false,
                prepared: prepared(class),
            });
        }
        let own = self.shapes.values().filter(|shape| shape.class.name != HEADER);
        self.scripts = own.map(|shape| shape.script.clone()).collect();
    }
}

impl Shapes {
    /// What all headers declare: those of the tree by path, then those that a game wrote down.
    fn declared(&mut self) -> Vec<(String, Declared)> {
        let (made, written): (Vec<_>, Vec<_>) = self.headers.iter().partition(|(path, _)| is_made(path));
        let all: Vec<(&String, &HeaderText)> = written.into_iter().chain(made).collect();
        let mut declared: Vec<(String, Declared)> = Vec::new();
        let mut derived = self.derived(&all).into_iter();
        self.reports.clear();
        for (path, header) in all {
            let found = derived.next().filter(|_| header.has_base);
            let class = found.as_ref().and_then(|found| found.class.clone());
            let of_base = class.map(|class| Declared { script: as_script_class(&class), class, is_typed: true });
            declared.extend(of_base.or_else(|| header.declared.clone()).map(|declared| (path.clone(), declared)));
            self.reports.extend(found.map(|found| (path.clone(), found.reports)));
        }
        declared
    }

    /// What became of all headers, where one is made from another.
    fn derived(&self, all: &[(&String, &HeaderText)]) -> Vec<Declaration> {
        if !all.iter().any(|(_, header)| header.has_base) {
            return Vec::new();
        }
        let mut given = tags::Classes::new();
        for class in &self.given {
            // Of one name the first counts.
            let _ = given.add_table(class.clone());
        }
        let headers = all.iter().take(HEADERS_MAX).map(|(path, header)| Header { origin: path, source: &header.text });
        gather(&headers.collect::<Vec<_>>(), &tags::Classes::new(), &given)
    }
}

/// A class ready for packing, if it can be packed.
fn prepared(class: &Class) -> Option<Rc<Prepared>> {
    let class = class.clone().finish().ok()?;
    (class.name != HEADER).then(|| Rc::new(Prepared::new(class)))
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

/// Calls `each` with every value of a tag that a field of its class holds, and what kind it is to be. One pass.
pub fn each_value<'a>(class: &'a Class, source: &str, tree: &Tree, each: &mut dyn FnMut(NodeId, &'a Kind)) {
    for statement in &tree.statements {
        if let Expression::Set(name, value) = tree.node(*statement).expression
            && let Some(field) = field(class.root(), name.text(source))
        {
            Values { class, source, tree }.walk(value, &field.kind, each);
        }
    }
}

struct Values<'a, 't> {
    class: &'a Class,
    source: &'t str,
    tree: &'t Tree,
}

impl<'a> Values<'a, '_> {
    /// As deep as the tree is high, which the parser limits.
    fn walk(&self, id: NodeId, kind: &'a Kind, each: &mut dyn FnMut(NodeId, &'a Kind)) {
        let kind = plain_kind(kind);
        each(id, kind);
        match (self.tree.node(id).expression, kind) {
            (Expression::Group(inner), _) => self.walk(inner, kind, each),
            (Expression::List(items), Kind::Series(of)) => {
                self.tree.items(items).iter().for_each(|item| self.walk(*item, of, each));
            }
            (Expression::Record(names, items), Kind::Record(_)) => {
                let Some(record) = record_of(self.class, kind) else { return };
                for (name, item) in self.tree.names(names).iter().zip(self.tree.items(items)) {
                    if let Some(field) = field(record, name.span.text(self.source)) {
                        self.walk(*item, &field.kind, each);
                    }
                }
            }
            _ => {}
        }
    }
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

/// What headers are made of; the page of [`tags::header`] says more.
fn header_class() -> Class {
    let text = || Kind::Text;
    let list = |record| Kind::Series(Box::new(Kind::Record(record)));
    let numbers = || Kind::Series(Box::new(Kind::Number(Number::F64)));
    let record = |name: &str, fields: Vec<(&str, Kind, &str)>| {
        let field = |(name, kind, help): (&str, Kind, &str)| Field { help: help.to_string(), ..Field::new(name, kind) };
        Record { name: name.to_string(), fields: fields.into_iter().map(field).collect(), ..Record::default() }
    };
    let mut class = Class::new(HEADER);
    class.help = "Declares a class: which fields its tags have, and what is said about them.".to_string();
    class.records = vec![
        record(
            HEADER,
            vec![
                ("Namespace", text(), "The name of the class: its files begin with `@name`."),
                ("Base", text(), "The class that it is made from: it begins with all fields of that."),
                ("Version", Kind::Number(Number::U32), "Its version, from 1 on."),
                ("Help", text(), "What it is for."),
                ("Attributes", list(1), "Its fields in order."),
                ("Records", list(2), "The records that its fields hold, by name."),
                ("Recoverable", Kind::Truth, "False if a changed tag starts the level again."),
                ("Open", Kind::Truth, "True if its tags may set names of their own beside its fields."),
                ("Reads", Kind::Series(Box::new(text())), "The classes whose tags its postprocess may read."),
                ("Postprocess", Kind::Number(Number::U32), "The number of its postprocess."),
                ("Init", text(), "The file that is run first in every environment of the class; for scripts."),
            ],
        ),
        record(
            "attribute",
            vec![
                ("name", text(), "The field's name."),
                ("type", text(), "What it may hold; without one, what its default is."),
                ("default", text(), "Its value where the text gives none."),
                ("range", numbers(), "The smallest and the largest number it may be."),
                ("step", Kind::Number(Number::F64), "How far one turn of a knob goes."),
                ("unit", text(), "What its number counts: \"m/s\"."),
                ("help", text(), "What it is for."),
                ("hidden", Kind::Truth, "Not shown, unless asked for."),
                ("read_only", Kind::Truth, "Shown, but not to be changed by hand."),
                ("expert", Kind::Truth, "For those who know what they do."),
                ("runtime", Kind::Truth, "Not in the text: set up when the tag is loaded."),
                ("state", Kind::Truth, "A variable of the objects made from the tag."),
                ("replicated", Kind::Truth, "Whether other machines are told of it."),
                ("key", Kind::Truth, "Whether it tells the elements of a series apart."),
                ("formula", Kind::Truth, "Whether a lambda without effects may stand for its value."),
                ("names", list(3), "Of a choice or of flags: what may be chosen from."),
                ("fields", list(1), "Of a record that is declared here: its attributes."),
                ("former", list(4), "What it was called, or meant, before."),
            ],
        ),
        record(
            "record",
            vec![
                ("name", text(), "What types call it: `record name`."),
                ("help", text(), "What it is for."),
                ("fields", list(1), "Its attributes."),
            ],
        ),
        record(
            "name",
            vec![
                ("name", text(), "The name in the text."),
                ("help", text(), "What it means."),
                ("former", Kind::Series(Box::new(text())), "What it was called before."),
            ],
        ),
        record(
            "former",
            vec![
                ("name", text(), "Its name then; perhaps the same as today."),
                ("before", Kind::Number(Number::U32), "Files of this version and later no longer mean it so."),
                ("convert", Kind::Lambda(String::new()), "Makes today's value out of the former one."),
            ],
        ),
    ];
    class
}

/// The table of a class that a script's header declares: as far as there is a kind for a type.
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
