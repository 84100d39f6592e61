//! Everything that is known when a question about a place is asked.

use lsp_types::{Location, Range};
use script::effect::Effect;
use script::source::Span;

use super::address::{extension, stem, tags_root, uri_of};
use super::document::Document;
use super::files::Files;
use super::index::{Index, Known, Sort, plain};
use super::names::{Meaning, Name, Names};
use super::shapes::{Shape, Shapes};

/// A text in its tree.
pub struct View<'a> {
    /// The text.
    pub document: &'a Document,
    /// What it is.
    pub sort: Sort,
    /// Its class.
    pub shape: Option<&'a Shape>,
    /// Its names.
    pub names: Names,
    /// Where it is and who else is there.
    pub around: Around<'a>,
}

/// A tree, and the texts that editors have open in it.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The files.
    pub index: &'a Index,
    /// The classes.
    pub shapes: &'a Shapes,
    /// The effects.
    pub effects: &'a [&'static [Effect]],
    /// The disk.
    pub files: &'a dyn Files,
    /// Gives a text by its path on the disk, the editor's before the disk's.
    pub texts: &'a dyn Fn(&str) -> Option<Document>,
}

impl<'a> View<'a> {
    /// Looks at a text.
    pub fn new(document: &'a Document, around: Around<'a>) -> View<'a> {
        let (mut sort, path) = (document.sort(), document.path.as_str());
        // A tag is of the class that its path names, whatever its head says. Notes are on the class they are called by.
        let by_path = around.shapes.get(if sort == Sort::Notes { stem(path) } else { extension(path) });
        let by_path = by_path.filter(|_| sort != Sort::Header && sort != Sort::Script);
        if sort == Sort::Foreign && by_path.is_some() && tags_root(path).is_some() {
            sort = Sort::Tag;
        }
        let shape = by_path.or_else(|| around.shapes.get(document.class()));
        let declared = shape.map_or(&[][..], |shape| &shape.script.variables);
        let declared = declared.iter().map(|variable| variable.name.as_str());
        let names = Names::of(&document.text, document.tree(), declared);
        View { document, sort, shape, names, around }
    }

    /// The text.
    pub fn text(&self) -> &'a str {
        &self.document.text
    }

    /// The text of a span.
    pub fn word(&self, span: Span) -> &'a str {
        span.text(&self.document.text)
    }

    /// A place in this text.
    pub fn location(&self, span: Span) -> Location {
        Location { uri: self.document.uri.clone(), range: self.document.range(span) }
    }

    /// Whether its variables are the fields of a class, and it is read and not run.
    pub fn is_tag(&self) -> bool {
        matches!(self.sort, Sort::Tag | Sort::Header | Sort::Notes)
    }

    /// Whether its class has a variable.
    pub fn is_declared(&self, name: &str) -> bool {
        self.shape.is_some_and(|shape| shape.script.variable(name).is_some())
    }

    /// The file of the tag that a string names.
    pub fn tag_at(&self, name: Name) -> Option<&'a str> {
        let text = plain(self.word(name.span));
        let found = (name.meaning == Meaning::Text).then(|| self.around.index.find(&self.document.path, &text));
        found.flatten().map(|file| file.path.as_str())
    }

    /// The tags of a class and of those made from it, or of all if it is empty: file and path.
    pub fn tags(&self, class: &'a str) -> impl Iterator<Item = (&'a Known, &'a str)> + 'a {
        let shapes = self.around.shapes;
        let is_meant = move |path: &str| class.is_empty() || shapes.is_a(extension(path), class);
        self.around.index.tags("").filter(move |(_, path)| is_meant(path))
    }

    /// The start of a file.
    pub fn start_of(&self, path: &str) -> Option<Location> {
        let uri = (self.around.texts)(path).map(|document| document.uri).or_else(|| uri_of(path))?;
        Some(Location { uri, range: Range::default() })
    }
}
