//! The tags that a tag is made from: `!from "ships/corvette.ship"`.
//!
//! Laws
//! 1. A tag is made from a tag of its own class, or of a base of it. Anything else is an error at the path, and the chain ends
//!    there.
//! 2. A chain has at most [`PARENTS_MAX`] tags and no cycle.
//! 3. Where several folders hold a tag of one path, a path means the uppermost. In a tag of that very path it means the next one
//!    below, so that an upper folder can change parts of a tag.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::ast::Tree;
use script::compile::unquoted;
use script::parse::parse;
use script::report::Report;
use script::source::Span;

use crate::compose::Parent;
use crate::limits::PARENTS_MAX;
use crate::path::TagPath;

/// The text of a tag, and the folder that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSource {
    /// The number of the folder, the lowest first.
    pub folder: u32,
    /// Where it lies, for people.
    pub shown: String,
    /// Its text.
    pub text: String,
}

/// A tag that another is made from.
#[derive(Clone, Debug)]
pub struct Ancestor {
    /// Its path.
    pub path: TagPath,
    /// Its text, and where that lies.
    pub source: TagSource,
    /// Its syntax tree.
    pub tree: Tree,
}

/// The tags that a tag is made from, the nearest first.
#[derive(Clone, Debug, Default)]
pub struct Ancestry {
    /// The tags.
    pub tags: Vec<Ancestor>,
    /// Why the chain ends early, at the tag's own `!from`.
    pub report: Option<Report>,
    /// Paths that were looked for and not found.
    pub missing: Option<TagPath>,
}

/// Finds the text of a tag: the uppermost, or the one below a folder. Fails with a help text.
pub type FindSource<'a> = dyn FnMut(&TagPath, Option<u32>) -> Result<TagSource, String> + 'a;

impl Ancestry {
    /// The ancestry of a tag: its path, and the number of the folder that holds it.
    pub fn of(
        (path, folder): (&TagPath, u32),
        (source, tree): (&str, &Tree),
        is_a: &dyn Fn(&str, &str) -> bool,
        find: &mut FindSource<'_>,
    ) -> Ancestry {
        let mut ancestry = Ancestry::default();
        let Some(first) = tree.from_path() else { return ancestry };
        let mut from = Some(unquoted(first.text(source)));
        let (mut own, mut below) = (path.clone(), folder);
        while let Some(written) = from.take() {
            let parent = match ancestry.next((path, folder), (&own, below), &written, is_a, find) {
                Ok(parent) => parent,
                Err((message, help)) => {
                    let through = match ancestry.tags.last() {
                        Some(last) => format!("`{}`, which it is made from: ", last.source.shown),
                        None => String::new(),
                    };
                    let report = Report::error(first, format!("`!from`: {through}{message}"));
                    ancestry.report = Some(report.with_help(help));
                    break;
                }
            };
            (own, below) = (parent.path.clone(), parent.source.folder);
            from = parent.tree.from_path().map(|span| unquoted(span.text(&parent.source.text)));
            ancestry.tags.push(parent);
        }
        ancestry
    }

    fn next(
        &mut self,
        first: (&TagPath, u32),
        (own, folder): (&TagPath, u32),
        written: &str,
        is_a: &dyn Fn(&str, &str) -> bool,
        find: &mut FindSource<'_>,
    ) -> Result<Ancestor, (String, String)> {
        let path = TagPath::new(written).map_err(|wrong| (wrong.to_string(), String::new()))?;
        if !is_a(own.class(), path.class()) {
            let message = format!("expected a tag of the class `{}` or of a base of it, found `{path}`", own.class());
            return Err((message, String::from("a tag is made from a tag of its own class")));
        }
        if self.tags.len() + 1 >= PARENTS_MAX {
            let message = format!("at most {PARENTS_MAX} tags are made from each other in a chain");
            return Err((message, String::from("let the tag be made from one nearer to the end of the chain")));
        }
        let is_own = path == *own;
        let source = find(&path, is_own.then_some(folder)).map_err(|help| {
            self.missing = Some(path.clone());
            let message = match is_own {
                true => format!("`{path}` is this tag itself, and no folder below has one"),
                false => format!("the tag `{path}` does not exist"),
            };
            (message, help)
        })?;
        let before = self.tags.iter().map(|tag| (&tag.path, tag.source.folder));
        if core::iter::once(first).chain(before).any(|known| known == (&path, source.folder)) {
            let names = self.tags.iter().map(|tag| tag.path.as_str()).chain([path.as_str()]);
            let names: Vec<String> =
                core::iter::once(first.0.as_str()).chain(names).map(|name| format!("`{name}`")).collect();
            let message = format!("the tags form a cycle: {}", names.join(" → "));
            return Err((message, String::from("a tag cannot be made from itself; remove one `!from`")));
        }
        let tree = parse(&source.text);
        Ok(Ancestor { path, source, tree })
    }

    /// The tags as packing needs them.
    pub fn parents(&self) -> Vec<Parent<'_>> {
        debug_assert!(self.tags.len() < PARENTS_MAX, "law 2 of ancestries");
        self.tags
            .iter()
            .map(|tag| Parent { path: &tag.source.shown, source: &tag.source.text, tree: &tag.tree })
            .collect()
    }
}

/// Whether a text may be made from another: a quick look before it is parsed.
pub fn may_have_from(text: &str) -> bool {
    text.as_bytes().windows(5).any(|bytes| bytes.eq_ignore_ascii_case(b"!from"))
}

/// The path of the tag that a text is made from, as it is written, with its span.
pub fn written_from(source: &str, tree: &Tree) -> Option<(String, Span)> {
    tree.from_path().map(|span| (unquoted(span.text(source)).replace('\\', "/"), span))
}
