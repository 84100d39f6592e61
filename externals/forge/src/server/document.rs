//! A text and what it says: one that an editor has open, or one read from the disk to answer a question.

use std::cell::OnceCell;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use script::class::HEADER;
use script::parse::parse;
use script::source::Span;
use script::tree::Tree;

use super::address::{extension, path_of, tags_root};
use super::index::{HEADER_EXTENSION, NOTES_EXTENSION, SCRIPT_EXTENSION, Sort};
use super::limits::TEXT_BYTES_MAX;
use super::position::{Encoding, LineTable};

/// How editors call our language.
pub const LANGUAGE: &str = "lscript";

/// A text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its address, as whoever opened it writes it.
    pub uri: Uri,
    /// Its path on the disk; empty if it has none.
    pub path: String,
    /// Its version, as the editor counts.
    pub version: Option<i32>,
    /// The text.
    pub text: String,
    /// Whether the editor says that it is ours.
    is_ours: bool,
    encoding: Encoding,
    lines: OnceCell<LineTable>,
    tree: OnceCell<Tree>,
}

impl Document {
    /// A text at an address.
    pub fn new(uri: Uri, text: String, encoding: Encoding) -> Document {
        let path = path_of(uri.as_str()).unwrap_or_default();
        Document {
            uri,
            path,
            version: None,
            text,
            is_ours: false,
            encoding,
            lines: OnceCell::new(),
            tree: OnceCell::new(),
        }
    }

    /// The same as an editor opens it.
    #[must_use]
    pub fn opened(mut self, version: i32, language: &str) -> Document {
        self.version = Some(version);
        self.is_ours = language == LANGUAGE;
        self
    }

    /// Where its lines are.
    pub fn lines(&self) -> &LineTable {
        self.lines.get_or_init(|| LineTable::of(&self.text, self.encoding))
    }

    /// Its tree.
    pub fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| parse(&self.text))
    }

    /// Changes it as an editor did. A change that would make it too long is left out.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None if change.text.len() <= TEXT_BYTES_MAX => self.text = change.text,
            Some(range) if self.text.len() + change.text.len() <= TEXT_BYTES_MAX => {
                let (start, end) = (self.byte(range.start), self.byte(range.end));
                self.text.replace_range(start.min(end)..end.max(start), &change.text);
            }
            _ => return,
        }
        self.lines = OnceCell::new();
        self.tree = OnceCell::new();
    }

    /// The byte of a place.
    pub fn byte(&self, position: Position) -> usize {
        self.lines().byte(&self.text, position)
    }

    /// The places of a span.
    pub fn range(&self, span: Span) -> Range {
        self.lines().range(&self.text, span)
    }

    /// The class its head names; may be empty.
    pub fn class(&self) -> &str {
        self.tree().class.map_or("", |class| class.text(&self.text))
    }

    /// What it is.
    pub fn sort(&self) -> Sort {
        let class = self.class();
        match extension(&self.path) {
            _ if class == HEADER => Sort::Header,
            HEADER_EXTENSION => Sort::Header,
            SCRIPT_EXTENSION => Sort::Script,
            NOTES_EXTENSION => Sort::Notes,
            extension if !class.is_empty() && extension == class => Sort::Tag,
            _ if self.text.starts_with('@') && !self.path.is_empty() => Sort::Tag,
            _ if self.is_ours && tags_root(&self.path).is_none() => Sort::Script,
            _ => Sort::Foreign,
        }
    }
}
