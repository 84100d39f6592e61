//! The uses of a field of a class in a workspace: those that are certain, and those that may mean another field.

use std::collections::{BTreeMap, BTreeSet};

use script::ast::Expression;
use script::query::Query;
use script::source::Span;
use tags::class::{Class, Kind, Record};

use super::index::{FileKind, Known};
use super::near::ancestry_near;
use super::open_document::OpenDocument;
use super::shapes::{FileShape, each_value};
use super::uri::extension;
use super::view::{View, WorkspaceView};
use crate::names::Meaning;
use crate::rename::field_search::{FoundUses, Home, Mentions, SearchedFile, find};
use crate::rename::wearers::{SearchScope, Sought, User};

/// A field of a class.
#[derive(Clone, Copy, Debug)]
pub struct FieldOf<'a> {
    /// The class.
    pub shape: &'a FileShape,
    /// The record of it.
    pub record: &'a Record,
    /// The field's name.
    pub name: &'a str,
}

/// The uses of a field.
#[derive(Default)]
pub struct FieldPlaces {
    /// The certain ones, by document.
    pub certain: Vec<(OpenDocument, Vec<Span>)>,
    /// Those that may mean another field.
    pub undecided: Vec<(OpenDocument, Vec<Span>)>,
    /// Why the field cannot get its new name: documents, places and reasons.
    pub conflicts: Vec<(OpenDocument, Span, String)>,
}

/// The uses of a field, which may get another name.
pub fn uses_of_field(view: &View<'_>, of: FieldOf<'_>, to: Option<&str>) -> FieldPlaces {
    let is_root = std::ptr::eq(of.record, of.shape.class.root());
    let sought = Sought { class: base_of(of).unwrap_or(&of.shape.class.name), field: of.name, to };
    let around = WorkspaceAround { view };
    let (mut documents, mut files) = (Vec::new(), Vec::new());
    for path in around.mentioning(of) {
        let Some(document) = (view.around.texts)(&path) else { continue };
        let home = around.home(&path);
        let mentions = if is_root { around.mentions(&document) } else { Mentions::new() };
        files.push(SearchedFile { text: document.text.clone(), home, mentions });
        documents.push(document);
    }
    // A file outside of the tree is not indexed, and is searched separately.
    if view.around.index.file(&view.document.path).is_none() {
        let (text, home) = (view.document.text.clone(), Home::Classes(Vec::new()));
        files.push(SearchedFile { text, home, mentions: Mentions::new() });
        documents.push(view.document.clone());
    }
    let mut uses = FieldPlaces::default();
    let mut found = match is_root {
        true => find(&around, sought, &files),
        false => FoundUses::default(),
    };
    found.spans.resize(files.len(), Vec::new());
    for (number, document) in documents.into_iter().enumerate() {
        let within = View::new(&document, view.around);
        let mut spans = std::mem::take(&mut found.spans[number]);
        spans.extend(places_of_field(&within, of));
        spans.sort_unstable();
        spans.dedup();
        let mut undecided: Vec<Span> = match is_root {
            true => found.undecided.iter().filter(|remark| remark.file == number).map(|remark| remark.span).collect(),
            // A read of a field of a record does not say which record.
            false => {
                let accesses = within.names.names.iter().filter(|name| name.meaning == Meaning::Access);
                accesses.map(|name| name.span).filter(|span| within.word(*span) == of.name).collect()
            }
        };
        undecided.retain(|span| !spans.contains(span));
        for remark in found.conflicts.iter().filter(|remark| remark.file == number) {
            uses.conflicts.push((document.clone(), remark.span, remark.words.clone()));
        }
        if !undecided.is_empty() {
            uses.undecided.push((document.clone(), undecided));
        }
        if !spans.is_empty() {
            uses.certain.push((document, spans));
        }
    }
    uses
}

/// The base that declares a field, if the class does not itself.
pub fn base_of(of: FieldOf<'_>) -> Option<&str> {
    let class = &of.shape.class;
    let number = class.records.iter().position(|record| std::ptr::eq(record, of.record))? as u32;
    let base = match number {
        0 => class.root().field(of.name).and_then(|(field, _)| class.base_of(field)),
        number => class.bases.iter().rev().find(|base| number < base.records),
    };
    base.map(|base| base.name.as_str())
}

/// The positions where a file names a field of its class.
fn places_of_field(view: &View<'_>, of: FieldOf<'_>) -> Vec<Span> {
    if view.shape.is_none_or(|shape| !shape.class.is_a(&of.shape.class.name)) {
        return Vec::new();
    }
    let is_root = std::ptr::eq(of.record, of.shape.class.root());
    let mut spans: Vec<Span> = match is_root {
        true => view.names.variable(view.text(), of.name).map(|name| name.span).collect(),
        false => Vec::new(),
    };
    let (class, tree) = (&of.shape.class, view.document.tree());
    each_value(class, view.text(), tree, &mut |id, kind| {
        if let (Expression::Record(names, _), Kind::Record(number)) = (tree.node(id).expression, kind)
            && class.record(*number).is_some_and(|record| std::ptr::eq(record, of.record))
        {
            let names = tree.names(names).iter().map(|name| name.span);
            spans.extend(names.filter(|span| view.word(*span) == of.name));
        }
    });
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// A workspace as the search sees it.
struct WorkspaceAround<'v, 'a> {
    view: &'v View<'a>,
}

impl<'a> WorkspaceAround<'_, 'a> {
    fn workspace(&self) -> WorkspaceView<'a> {
        self.view.around
    }

    /// The paths of the files that may use a field.
    fn mentioning(&self, of: FieldOf<'_>) -> BTreeSet<String> {
        let around = self.workspace();
        let mut paths: BTreeSet<String> = around.index.mentioning(of.name).into_iter().map(String::from).collect();
        // Libraries are scripts without a class, which the index does not read.
        for shape in around.shapes.all() {
            let libraries = shape.class.libraries.iter().filter(|library| library.text.contains(of.name));
            let Some(header) = &shape.header else { continue };
            paths.extend(libraries.map(|library| self.on_disk(header, &library.path)));
        }
        paths
    }

    fn on_disk(&self, header: &str, library: &str) -> String {
        format!("{}/{library}", self.workspace().index.root_of(header))
    }

    fn home(&self, path: &str) -> Home {
        let around = self.workspace();
        let is_header = |file: &Known| file.sort == FileKind::Header;
        match around.index.file(path) {
            Some(file) if !is_header(file) && file.sort != FileKind::Foreign => {
                Home::Tag(around.index.tag(path).unwrap_or(path).to_string())
            }
            _ => {
                let is_of = |shape: &&FileShape| {
                    let Some(header) = shape.header.as_deref() else { return false };
                    let mut libraries = shape.class.libraries.iter();
                    header == path || libraries.any(|library| self.on_disk(header, &library.path) == path)
                };
                Home::Classes(around.shapes.all().filter(is_of).map(|shape| shape.class.name.clone()).collect())
            }
        }
    }

    /// What the scripts of a tag mention outside of it.
    fn mentions(&self, document: &OpenDocument) -> Mentions {
        let shapes = self.workspace().shapes;
        let prepared = shapes.get(extension(&document.path)).and_then(|shape| shape.prepared.as_ref());
        let Some(prepared) = prepared.filter(|_| document.sort() == FileKind::Tag) else { return BTreeMap::new() };
        let is_a = |class: &str, base: &str| shapes.is_a(class, base);
        let ancestry = ancestry_near(&is_a, &document.path, &document.text, document.tree());
        let made = prepared.pack_from(&document.text, document.tree(), &ancestry.parents());
        made.mentions.into_iter().map(|mention| (mention.span, (mention.meaning, mention.of))).collect()
    }
}

impl SearchScope for WorkspaceAround<'_, '_> {
    fn is_a(&self, class: &str, base: &str) -> bool {
        class == base || self.workspace().shapes.is_a(class, base)
    }

    fn class(&self, name: &str) -> Option<&Class> {
        self.workspace().shapes.get(name).map(|shape| &shape.class)
    }

    fn classes(&self) -> Vec<&Class> {
        self.workspace().shapes.all().map(|shape| &shape.class).collect()
    }

    fn queries(&self) -> &'static [Query] {
        self.workspace().vocabulary.queries
    }

    fn users_of(&self, path: &str) -> Vec<User> {
        let around = self.workspace();
        let mut users = Vec::new();
        for other in around.index.mentioning(path) {
            match self.home(other) {
                Home::Tag(tag) => users.push(User::Tag(tag)),
                Home::Classes(classes) => users.extend(classes.into_iter().map(User::Class)),
            }
        }
        let named = |shape: &&FileShape| shape.class.libraries.iter().any(|library| library.text.contains(path));
        users.extend(around.shapes.all().filter(named).map(|shape| User::Class(shape.class.name.clone())));
        users
    }
}
