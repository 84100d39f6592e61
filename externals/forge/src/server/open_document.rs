//! A document: opened by the editor, or read from disk for a query.

use std::cell::OnceCell;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use script::ast::Tree;
use script::parse::parse;
use script::source::Span;
use tags::header::HEADER;

use super::index::{FileKind, HEADER_EXTENSION, NOTES_EXTENSION};
use super::limits::TEXT_BYTES_MAX;
use super::position::{Encoding, LineTable};
use super::uri::{extension, path_of, tags_root};

/// The identifier of our language.
pub const LANGUAGE: &str = "lscript";

/// A document.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// Its URI, as the client writes it.
    pub uri: Uri,
    /// Its path on disk; empty if it has none.
    pub path: String,
    /// Its version, counted by the client.
    pub version: Option<i32>,
    /// The text.
    pub text: String,
    /// Whether the client says that it is of our language.
    is_ours: bool,
    encoding: Encoding,
    lines: OnceCell<LineTable>,
    tree: OnceCell<Tree>,
}

impl OpenDocument {
    /// A text at a URI.
    pub fn new(uri: Uri, text: String, encoding: Encoding) -> OpenDocument {
        let path = path_of(uri.as_str()).unwrap_or_default();
        OpenDocument {
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

    /// A document opened by the client.
    #[must_use]
    pub fn opened(mut self, version: i32, language: &str) -> OpenDocument {
        self.version = Some(version);
        self.is_ours = language == LANGUAGE;
        self
    }

    /// Its line table.
    pub fn lines(&self) -> &LineTable {
        self.lines.get_or_init(|| LineTable::of(&self.text, self.encoding))
    }

    /// Its syntax tree.
    pub fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| parse(&self.text))
    }

    /// Applies a change. One that would make it too long is ignored.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None if change.text.len() <= TEXT_BYTES_MAX => {
                self.text = change.text;
                self.lines = OnceCell::new();
            }
            Some(range) if self.text.len() + change.text.len() <= TEXT_BYTES_MAX => {
                let (one, other) = (self.byte(range.start), self.byte(range.end));
                let (start, end) = (one.min(other), one.max(other));
                self.text.replace_range(start..end, &change.text);
                if let Some(lines) = self.lines.get_mut() {
                    lines.follow(&self.text, start, end, change.text.len());
                }
            }
            _ => return,
        }
        self.tree = OnceCell::new();
    }

    /// The byte of a position.
    pub fn byte(&self, position: Position) -> usize {
        self.lines().byte(&self.text, position)
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        self.lines().range(&self.text, span)
    }

    /// The class its head names; may be empty.
    pub fn class(&self) -> &str {
        self.tree().class.map_or("", |class| class.text(&self.text))
    }

    /// Its kind.
    pub fn sort(&self) -> FileKind {
        let class = self.class();
        match extension(&self.path) {
            _ if class == HEADER => FileKind::Header,
            HEADER_EXTENSION => FileKind::Header,
            NOTES_EXTENSION => FileKind::Notes,
            extension if !class.is_empty() && extension == class => FileKind::Tag,
            _ if self.text.starts_with('@') && !self.path.is_empty() => FileKind::Tag,
            _ if self.is_ours && tags_root(&self.path).is_none() => FileKind::Script,
            _ => FileKind::Foreign,
        }
    }
}
