//! Navigation: definitions and references.
//!
//! Laws
//! 1. Open documents take precedence over files on disk.
//! 2. Files that cannot mention a symbol are not read.

use lsp_types::Location;
use script::ast::{Expression, NodeId};
use script::source::Span;
use tags::header::HEADER;

use super::cursor::{Step, look};
use super::field_uses::{FieldOf, uses_of_field};
use super::index::{FileKind, plain};
use super::limits::PLACES_MAX;
use super::open_document::OpenDocument;
use super::shapes::{FileShape, field, record_at};
use super::view::View;
use crate::names::{Meaning, Name};

/// The symbol at a position.
#[derive(Clone, Debug)]
pub enum Thing<'a> {
    /// A parameter or a `let` of the file.
    Local(u32),
    /// A variable of the file that its class does not have.
    Variable(&'a str),
    /// A field of a class.
    FieldOf(FieldOf<'a>),
    /// A tag: the path of its file.
    Tag(&'a str),
    /// The class of the file, if it is known.
    Class(Option<&'a FileShape>),
}

/// The symbol at a byte.
pub fn thing_at<'a>(view: &View<'a>, byte: u32) -> Option<(Thing<'a>, Name)> {
    let name = view.names.at(byte)?;
    let word = view.word(name.span);
    let thing = match name.meaning {
        Meaning::Local(number) => Thing::Local(number),
        Meaning::Set | Meaning::InnerSet | Meaning::Variable => match declared_field(view, &[], word) {
            Some(found) => Thing::FieldOf(found),
            None => Thing::Variable(word),
        },
        Meaning::Field => {
            let context = look(view.text(), &view.document.tree().tokens, name.span.start);
            Thing::FieldOf(declared_field(view, &context.path, word)?)
        }
        Meaning::Text => match view.tag_at(name) {
            Some(path) => Thing::Tag(path),
            None => in_header(view, name)?,
        },
        Meaning::Class => Thing::Class(view.shape),
        Meaning::Builtin | Meaning::Effect | Meaning::Object | Meaning::Access => return None,
    };
    Some((thing, name))
}

/// The definition of the symbol at a byte.
pub fn definitions(view: &View<'_>, byte: u32) -> Vec<Location> {
    match thing_at(view, byte) {
        Some((Thing::Local(number), _)) => {
            let local = view.names.locals.get(number as usize);
            local.map(|local| view.location(local.given.span)).into_iter().collect()
        }
        Some((Thing::Variable(word), name)) => sets_of(view, word, name),
        Some((Thing::FieldOf(found), name)) => match declaration(view, found) {
            Some(location) => vec![location],
            None if name.meaning == Meaning::Variable => sets_of(view, found.name, name),
            None => Vec::new(),
        },
        Some((Thing::Tag(path), _)) => view.start_of(path).into_iter().collect(),
        Some((Thing::Class(shape), _)) => {
            let header = shape.and_then(|shape| shape.header.as_deref());
            header.and_then(|header| view.start_of(header)).into_iter().collect()
        }
        None => Vec::new(),
    }
}

/// The references to the symbol at a byte.
pub fn references(view: &View<'_>, byte: u32, includes_declaration: bool) -> Vec<Location> {
    let Some((thing, _)) = thing_at(view, byte) else { return Vec::new() };
    // On the head of a tag, the tag itself is meant, not its class.
    let thing = match thing {
        Thing::Class(_) if view.sort == FileKind::Tag && !view.document.path.is_empty() => {
            Thing::Tag(&view.document.path)
        }
        other => other,
    };
    let mut found = match thing {
        Thing::Local(number) => {
            let given = view.names.locals.get(number as usize).map(|local| local.given.span);
            let places = view.names.local(number).filter(|name| includes_declaration || Some(name.span) != given);
            places.map(|name| view.location(name.span)).collect()
        }
        Thing::Variable(word) => {
            let is_meant = |name: &Name| includes_declaration || name.meaning == Meaning::Variable;
            view.names.variable(view.text(), word).filter(is_meant).map(|name| view.location(name.span)).collect()
        }
        Thing::FieldOf(of) => {
            let uses = uses_of_field(view, of, None).certain;
            let mut found: Vec<Location> =
                uses.iter().flat_map(|(document, spans)| locations(document, spans)).collect();
            if includes_declaration {
                found.extend(declaration(view, of));
            }
            found
        }
        Thing::Tag(path) => {
            let uses = uses_of_tag(view, path);
            let mut found: Vec<Location> =
                uses.iter().flat_map(|(document, spans)| locations(document, spans)).collect();
            if includes_declaration {
                found.extend(view.start_of(path));
            }
            found
        }
        Thing::Class(shape) => {
            let class = shape.map_or(view.document.class(), |shape| &shape.class.name);
            let files = view.around.index.all().filter(|file| file.class == class);
            files.take(PLACES_MAX).filter_map(|file| view.start_of(&file.path)).collect()
        }
    };
    found.truncate(PLACES_MAX);
    found
}

/// The string in a header that declares a field.
pub fn declaration_span(header: &OpenDocument, of: FieldOf<'_>) -> Option<Span> {
    let is_root = std::ptr::eq(of.record, of.shape.class.root());
    let owner = if is_root { None } else { Some(of.record.name.as_str()) };
    let mut declared = declarations(header).into_iter();
    declared.find(|found| found.owner.as_deref() == owner && found.name == of.name).map(|found| found.span)
}

/// All references to a tag: strings, with their quotes.
pub fn uses_of_tag(view: &View<'_>, path: &str) -> Vec<(OpenDocument, Vec<Span>)> {
    let Some(tag) = view.around.index.tag(path) else { return Vec::new() };
    let mut found = Vec::new();
    for other in view.around.index.mentioning(tag) {
        let is_meant = view.around.index.find(other, tag).is_some_and(|file| file.path == path);
        let Some(document) = is_meant.then(|| (view.around.texts)(other)).flatten() else { continue };
        let strings = document.tree().tokens.iter().filter(|token| {
            token.kind == script::token::TokenKind::String && plain(token.span.text(&document.text)) == tag
        });
        let spans: Vec<Span> = strings.map(|token| token.span).collect();
        if !spans.is_empty() {
            found.push((document, spans));
        }
    }
    found
}

/// A field by name in the record at a path.
fn declared_field<'a>(view: &View<'a>, path: &[Step], name: &str) -> Option<FieldOf<'a>> {
    let shape = view.shape?;
    let record = record_at(&shape.class, path)?;
    let name = &field(record, name)?.name;
    Some(FieldOf { shape, record, name })
}

/// The symbol of a string in a header: the field that it declares, or the class.
fn in_header<'a>(view: &View<'a>, name: Name) -> Option<Thing<'a>> {
    if view.sort != FileKind::Header {
        return None;
    }
    let shape = view.around.shapes.all().find(|shape| shape.header.as_deref() == Some(&view.document.path))?;
    let word = plain(view.word(name.span));
    if let Some(found) = declarations(view.document).into_iter().find(|found| found.span == name.span) {
        let record = match &found.owner {
            None => shape.class.root(),
            Some(owner) => shape.class.records.iter().skip(1).find(|record| record.name == *owner)?,
        };
        return Some(Thing::FieldOf(FieldOf { shape, record, name: &field(record, &word)?.name }));
    }
    if !shape.class.base.is_empty() && word == shape.class.base {
        return Some(Thing::Class(view.around.shapes.get(&word)));
    }
    (word == shape.class.name).then_some(Thing::Class(Some(shape)))
}

fn declaration(view: &View<'_>, of: FieldOf<'_>) -> Option<Location> {
    let headers = view.around.shapes.lineage(of.shape).filter_map(|shape| shape.header.as_deref());
    let headers: Vec<OpenDocument> = headers.filter_map(|header| (view.around.texts)(header)).collect();
    let written = headers.iter().find_map(|header| Some((header, declaration_span(header, of)?)));
    let (header, span) = written.or_else(|| headers.first().and_then(|header| Some((header, header.tree().class?))))?;
    locations(header, &[span]).pop()
}

/// A field that a header declares.
struct Declaration {
    /// The record it is in; none for the tag itself.
    owner: Option<String>,
    name: String,
    /// The string that names it.
    span: Span,
}

/// The fields that a header declares as literals.
fn declarations(header: &OpenDocument) -> Vec<Declaration> {
    let mut found = Vec::new();
    if header.class() != HEADER {
        return found;
    }
    for statement in &header.tree().statements {
        if let Expression::Set(name, value) = header.tree().node(*statement).expression {
            match name.text(&header.text) {
                "Attributes" => declare(header, value, None, 0, &mut found),
                "Records" => {
                    for record in elements(header, value).iter().copied() {
                        let name = member(header, record, "name").and_then(|name| string(header, name));
                        if let (Some((name, _)), Some(fields)) = (name, member(header, record, "fields")) {
                            declare(header, fields, Some(&name), 0, &mut found);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// The fields of a list of attributes, and of inline records, which are named by their fields.
fn declare(header: &OpenDocument, list: NodeId, owner: Option<&str>, depth: u32, found: &mut Vec<Declaration>) {
    const DEPTH_MAX: u32 = 32;
    for attribute in elements(header, list).iter().copied() {
        let name = string(header, attribute)
            .or_else(|| member(header, attribute, "name").and_then(|name| string(header, name)));
        let Some((name, span)) = name else { continue };
        if let Some(fields) = member(header, attribute, "fields").filter(|_| depth < DEPTH_MAX) {
            declare(header, fields, Some(&name), depth + 1, found);
        }
        found.push(Declaration { owner: owner.map(String::from), name, span });
    }
}

fn elements(header: &OpenDocument, list: NodeId) -> &[NodeId] {
    match header.tree().node(list).expression {
        Expression::List(items) => header.tree().items(items),
        _ => &[],
    }
}

fn member(header: &OpenDocument, record: NodeId, name: &str) -> Option<NodeId> {
    let tree = header.tree();
    let Expression::Record(names, values) = tree.node(record).expression else { return None };
    let place = tree.names(names).iter().position(|given| given.span.text(&header.text) == name)?;
    tree.items(values).get(place).copied()
}

fn string(header: &OpenDocument, id: NodeId) -> Option<(String, Span)> {
    let node = header.tree().node(id);
    (node.expression == Expression::String).then(|| (plain(node.span.text(&header.text)), node.span))
}

/// The positions where a variable is set: by statements, or else anywhere.
fn sets_of(view: &View<'_>, word: &str, asked: Name) -> Vec<Location> {
    let all: Vec<Name> = view.names.variable(view.text(), word).collect();
    let of =
        |meaning: Meaning| all.iter().filter(move |name| name.meaning == meaning).map(|name| view.location(name.span));
    let mut found: Vec<Location> = of(Meaning::Set).collect();
    if found.is_empty() {
        found = of(Meaning::InnerSet).collect();
    }
    if found.is_empty() && asked.meaning != Meaning::Variable {
        found.push(view.location(asked.span));
    }
    found
}

fn locations(document: &OpenDocument, spans: &[Span]) -> Vec<Location> {
    let location = |span: &Span| Location { uri: document.uri.clone(), range: document.range(*span) };
    spans.iter().map(location).collect()
}
