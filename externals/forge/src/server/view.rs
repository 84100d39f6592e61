//! The context of a query: a document with its class, its names and its workspace.

use lsp_types::{Location, Range};
use script::effect::{EFFECTS, Effect};
use script::handler::Handler;
use script::query::Query;
use script::source::Span;
use tags::pack::Vocabulary;

use super::files::Files;
use super::index::{FileKind, Index, Known, plain};
use super::open_document::OpenDocument;
use super::shapes::{FileShape, Shapes};
use super::uri::{extension, stem, tags_root, uri_of};
use crate::names::{Meaning, Name, Names};

/// A document in its workspace.
pub struct View<'a> {
    /// The text.
    pub document: &'a OpenDocument,
    /// Its kind.
    pub sort: FileKind,
    /// Its class.
    pub shape: Option<&'a FileShape>,
    /// The effects that its lambdas may use: those of the script machine, and those of the world or of its dialect.
    pub effects: [&'static [Effect]; 2],
    /// Whether its class has a vocabulary of its own, and its statements may be effects.
    pub has_dialect: bool,
    /// Its resolved names.
    pub names: Names,
    /// Its workspace.
    pub around: WorkspaceView<'a>,
}

/// A workspace, and the documents open in it.
#[derive(Clone, Copy)]
pub struct WorkspaceView<'a> {
    /// The files.
    pub index: &'a Index,
    /// The classes.
    pub shapes: &'a Shapes,
    /// What scripts in tags may say, besides the vocabulary of the script machine.
    pub vocabulary: Vocabulary,
    /// The disk.
    pub files: &'a dyn Files,
    /// Returns a document by its path; an open one takes precedence.
    pub texts: &'a dyn Fn(&str) -> Option<OpenDocument>,
}

impl<'a> View<'a> {
    /// Analyses a document.
    pub fn new(document: &'a OpenDocument, around: WorkspaceView<'a>) -> View<'a> {
        let (mut sort, path) = (document.sort(), document.path.as_str());
        // The class of a tag is named by its path, whatever its head says. Notes belong to the class of their file
        // name.
        let by_path = around.shapes.get(if sort == FileKind::Notes { stem(path) } else { extension(path) });
        let by_path = by_path.filter(|_| sort != FileKind::Header && sort != FileKind::Script);
        if sort == FileKind::Foreign && by_path.is_some() && tags_root(path).is_some() {
            sort = FileKind::Tag;
        }
        let shape = by_path.or_else(|| around.shapes.get(document.class()));
        let declared = shape.map_or(&[][..], |shape| &shape.schema.variables);
        let declared = declared.iter().map(|variable| variable.name.as_str());
        let names = Names::of(&document.text, document.tree(), declared, around.vocabulary.queries);
        let dialect = shape.and_then(|shape| around.vocabulary.dialect_of(&shape.class));
        let effects = [EFFECTS, dialect.map_or(around.vocabulary.effects, |dialect| dialect.effects)];
        View { document, sort, shape, effects, has_dialect: dialect.is_some(), names, around }
    }

    /// The handlers that the world calls.
    pub fn handlers(&self) -> &'static [Handler] {
        let has_dialect = self.shape.is_some_and(|shape| self.around.vocabulary.dialect_of(&shape.class).is_some());
        if has_dialect { &[] } else { self.around.vocabulary.handlers }
    }

    /// The queries of the world.
    pub fn queries(&self) -> &'static [Query] {
        self.around.vocabulary.queries
    }

    /// The text.
    pub fn text(&self) -> &'a str {
        &self.document.text
    }

    /// The text of a span.
    pub fn word(&self, span: Span) -> &'a str {
        span.text(&self.document.text)
    }

    /// The location of a span.
    pub fn location(&self, span: Span) -> Location {
        Location { uri: self.document.uri.clone(), range: self.document.range(span) }
    }

    /// Whether its variables are the fields of a class, and it is data rather than a script.
    pub fn is_tag(&self) -> bool {
        matches!(self.sort, FileKind::Tag | FileKind::Header | FileKind::Notes)
    }

    /// Whether its class has a variable.
    pub fn is_declared(&self, name: &str) -> bool {
        self.shape.is_some_and(|shape| shape.schema.variable(name).is_some())
    }

    /// The file of the tag that a string names.
    pub fn tag_at(&self, name: Name) -> Option<&'a str> {
        let text = plain(self.word(name.span));
        let found = (name.meaning == Meaning::Text).then(|| self.around.index.find(&self.document.path, &text));
        found.flatten().map(|file| file.path.as_str())
    }

    /// The tags of a class and of derived ones, or all if it is empty: file and path.
    pub fn tags(&self, class: &'a str) -> impl Iterator<Item = (&'a Known, &'a str)> + 'a {
        let shapes = self.around.shapes;
        let is_meant = move |path: &str| class.is_empty() || shapes.is_a(extension(path), class);
        self.around.index.tags("").filter(move |(_, path)| is_meant(path))
    }

    /// The location of the start of a file.
    pub fn start_of(&self, path: &str) -> Option<Location> {
        let uri = (self.around.texts)(path).map(|document| document.uri).or_else(|| uri_of(path))?;
        Some(Location { uri, range: Range::default() })
    }
}
