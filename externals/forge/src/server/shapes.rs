//! The classes of a workspace, and the fields and kinds at a path.
//!
//! Laws
//! 1. Of several classes of one name, the first counts: those of headers in the workspace by path, then those that a
//!    game wrote for its tools, then the program's. The workspace may belong to another game than the program.
//! 2. Headers have a class like all other files, so that every feature works in them.
//! 3. A header that a game wrote counts only if its checksum is right, as for every other reader of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use script::ast::{Expression, NodeId, Tree};
use script::parse::parse;
use script::report::Report;
use script::schema::{DeclaredVariable, Schema};
use shelf::headers::is_sound;
use tags::class::{Class, Field, Kind, Named, Record};
use tags::header::{HEADER, schema_of};
use tags::header_set::{Declaration, Header, read_all_with};
use tags::pack::{Prepared, Vocabulary};

use super::cursor::Step;
use super::limits::HEADERS_MAX;
use super::near::text_near;
use super::uri::is_made;

/// A class, as a table and as the schema of the script checker.
#[derive(Clone, Debug)]
pub struct FileShape {
    /// The table.
    pub class: Class,
    /// Its fields as variables of its lambdas.
    pub schema: Schema,
    /// The header it comes from, or which a game wrote for it.
    pub header: Option<String>,
    /// Whether people write that header. If not, the class is declared in Rust.
    pub is_written: bool,
    /// The same ready for packing, which checks its tags. None for headers, and for a class without a valid layout.
    pub prepared: Option<Rc<Prepared>>,
}

/// The indexed form of a header.
#[derive(Clone, Debug, Default)]
pub struct HeaderText {
    /// Its text.
    pub text: String,
    /// The class it declares, if that has no base.
    pub declared: Option<Class>,
    /// Whether its class has a base, so that it can only be read together with all others.
    pub has_base: bool,
}

/// All classes of a workspace.
#[derive(Clone, Debug)]
pub struct Shapes {
    given: Vec<Class>,
    vocabulary: Vocabulary,
    /// The headers, by their paths.
    headers: BTreeMap<String, HeaderText>,
    /// The errors of headers whose class has a base.
    reports: BTreeMap<String, Vec<Report>>,
    shapes: BTreeMap<String, FileShape>,
}

/// The target of a path in a class.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The record whose field it is.
    pub record: &'a Record,
    /// The field.
    pub field: &'a Field,
    /// Its kind: the field's, or that of an element of its list.
    pub kind: &'a Kind,
    /// Whether it is an element of a list.
    pub is_element: bool,
}

impl Shapes {
    /// The classes of the program, and what scripts in their tags may say.
    pub fn new(given: Vec<Class>, vocabulary: Vocabulary) -> Shapes {
        let (headers, reports) = (BTreeMap::new(), BTreeMap::new());
        let mut shapes = Shapes { given, vocabulary, headers, reports, shapes: BTreeMap::new() };
        shapes.rebuild();
        shapes
    }

    /// Headers were added, changed, or removed.
    pub fn set(&mut self, headers: Vec<(String, Option<HeaderText>)>) {
        for (path, header) in headers {
            match header.filter(|header| !is_damaged(&path, &header.text)) {
                Some(header) => self.headers.insert(path, header),
                None => self.headers.remove(&path),
            };
        }
        self.rebuild();
    }

    /// The errors of a header whose class has a base, if its text is the indexed one.
    pub fn reports(&self, header: &str, text: &str) -> Option<&[Report]> {
        self.headers.get(header).filter(|known| known.text == text)?;
        self.reports.get(header).map(Vec::as_slice)
    }

    /// Whether a class is another one, or derived from it.
    pub fn is_a(&self, class: &str, base: &str) -> bool {
        class == base || self.get(class).is_some_and(|shape| shape.class.is_a(base))
    }

    /// A class and its bases, the nearest first.
    pub fn lineage<'a>(&'a self, shape: &'a FileShape) -> impl Iterator<Item = &'a FileShape> {
        let bases = shape.class.bases.iter().filter_map(|base| self.get(&base.name));
        core::iter::once(shape).chain(bases)
    }

    /// The class of a name.
    pub fn get(&self, name: &str) -> Option<&FileShape> {
        self.shapes.get(name)
    }

    /// All classes, by name.
    pub fn all(&self) -> impl Iterator<Item = &FileShape> {
        self.shapes.values()
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().map(String::as_str)
    }

    fn rebuild(&mut self) {
        let vocabulary = self.vocabulary;
        self.shapes.clear();
        let own = tags::header::vocabulary::class();
        let shape = FileShape {
            schema: schema_of(&own),
            prepared: prepared(&own, vocabulary),
            class: own,
            header: None,
            is_written: false,
        };
        self.shapes.insert(shape.class.name.clone(), shape);
        for (path, class) in &self.declared() {
            let known = self.shapes.entry(class.name.clone()).or_insert_with(|| FileShape {
                class: class.clone(),
                schema: seen_schema(class),
                header: None,
                is_written: !is_made(path),
                prepared: prepared(class, vocabulary),
            });
            // For a class in Rust, the header that its game wrote is the only declaration that can be shown.
            if known.is_written || is_made(path) {
                known.header.get_or_insert_with(|| path.clone());
            }
        }
        for class in &self.given {
            self.shapes.entry(class.name.clone()).or_insert_with(|| FileShape {
                class: class.clone(),
                schema: seen_schema(class),
                header: None,
                is_written: false,
                prepared: prepared(class, vocabulary),
            });
        }
    }
}

/// Whether a header that a game wrote is not as it was written.
pub fn is_damaged(path: &str, text: &str) -> bool {
    is_made(path) && !is_sound(text)
}

impl Shapes {
    /// The declarations of all headers: those of the workspace by path, then those that a game wrote.
    fn declared(&mut self) -> Vec<(String, Class)> {
        let (made, written): (Vec<_>, Vec<_>) = self.headers.iter().partition(|(path, _)| is_made(path));
        let all: Vec<(&String, &HeaderText)> = written.into_iter().chain(made).collect();
        let mut declared: Vec<(String, Class)> = Vec::new();
        let mut derived = self.derived(&all).into_iter();
        self.reports.clear();
        for (path, header) in all {
            let found = derived.next().filter(|_| header.has_base);
            let class = found.as_ref().and_then(|found| found.class.clone());
            declared.extend(class.or_else(|| header.declared.clone()).map(|class| (path.clone(), class)));
            self.reports.extend(found.map(|found| (path.clone(), found.reports)));
        }
        declared
    }

    /// The results for all headers, where some have bases.
    fn derived(&self, all: &[(&String, &HeaderText)]) -> Vec<Declaration> {
        if !all.iter().any(|(_, header)| header.has_base) {
            return Vec::new();
        }
        let mut given = tags::Classes::new();
        for class in &self.given {
            // Of one name, the first counts.
            let _ = given.add_table(class.clone());
        }
        let headers = all.iter().take(HEADERS_MAX).map(|(path, header)| Header { origin: path, source: &header.text });
        let headers: Vec<Header<'_>> = headers.collect();
        let library = |path: &str| {
            let found = headers.iter().find_map(|header| text_near(header.origin, path).ok());
            found.ok_or_else(|| String::from("its path begins in the folder of the tags"))
        };
        read_all_with(&headers, &tags::Classes::new(), &given, &library)
    }
}

/// The variables that the tags of a class see: its fields, and the names of its libraries.
fn seen_schema(class: &Class) -> Schema {
    let mut schema = schema_of(class);
    for library in &class.libraries {
        let tree = parse(&library.text);
        for name in tree.statements.iter().filter_map(|statement| tree.set_by(tree.node(*statement))) {
            let name = name.text(&library.text);
            if schema.variable(name).is_none() {
                schema.variables.push(DeclaredVariable::added(name));
            }
        }
    }
    schema
}

/// A class prepared for packing, if it is valid.
fn prepared(class: &Class, vocabulary: Vocabulary) -> Option<Rc<Prepared>> {
    let class = class.clone().finish().ok()?;
    (class.name != HEADER).then(|| Rc::new(Prepared::new(class).with_vocabulary(vocabulary)))
}

/// The field at a path, and its kind.
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

/// A kind without the optional around it.
pub fn plain_kind(kind: &Kind) -> &Kind {
    match kind {
        Kind::Optional(of) => plain_kind(of),
        other => other,
    }
}

/// A field by its current or a former name.
pub fn field<'a>(record: &'a Record, name: &str) -> Option<&'a Field> {
    let of_today = record.field(name).map(|(_, field)| field);
    of_today.or_else(|| record.fields.iter().find(|field| field.former.iter().any(|former| former.name == name)))
}

/// Calls `each` with every value of a tag that belongs to a field, and its kind. One pass.
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
    /// The recursion is as deep as the tree, which the parser limits.
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

/// The names that a value of a kind may have.
pub fn choices(kind: &Kind) -> &[Named] {
    match plain_kind(kind) {
        Kind::Choice(names) | Kind::Flags(names) => names,
        _ => &[],
    }
}
