//! Providers of packed tags.
//!
//! [`FromText`] reads each file and packs it. [`FromShelf`] takes unchanged tags from the store, and is much faster the
//! second time.

use std::sync::Arc;

use host::files::{self, FileError, ReadLimits};
use host::parallel;
use script::ast::Tree as ScriptTree;
use script::compile::unquoted;
use script::meaning::Mention;
use script::parse::parse;
use script::report::Report;
use script::source::Span;
use script::token::TokenKind;
use shelf::Shelf;
use tags::compose::Layer;
use tags::limits::TEXT_BYTES_MAX;
use tags::packed::{INHERITED, Packed};

use crate::finding::{Finding, span_at};
use crate::names::{Meaning, Names};
use crate::tree::{Tree, text_in};

/// A source of packed tags.
pub trait Provider {
    /// The packed forms of tags of a tree, in the order of `which`; none where a file cannot be read.
    fn packed(&mut self, tree: &Tree, which: &[usize]) -> Vec<Option<Arc<Packed>>>;
}

/// Reads and packs each tag's file, in parallel.
#[derive(Clone, Copy, Debug, Default)]
pub struct FromText;

impl Provider for FromText {
    fn packed(&mut self, tree: &Tree, which: &[usize]) -> Vec<Option<Arc<Packed>>> {
        parallel::many(which.len(), parallel::threads(), |index| {
            let tag = &tree.tags[which[index]];
            let source = tree.read(tag.path.as_str()).ok()?;
            let parsed = parse(&source);
            let ancestry = tree.ancestry(&tag.path, &source, &parsed);
            Some(Arc::new(tree.prepared(tag)?.pack_from(&source, &parsed, &ancestry.parents()).packed))
        })
    }
}

/// Takes unchanged tags from the store beside the tree.
#[derive(Debug)]
pub struct FromShelf {
    shelf: Shelf,
}

impl FromShelf {
    /// The shelf of a tree.
    pub fn new(tree: &Tree) -> FromShelf {
        FromShelf { shelf: Shelf::of_folders(tree.folders().clone(), tree.classes.shared(), tree.walk.clone()) }
    }

    /// Saves newly packed tags to the store. A failure only costs time later.
    pub fn keep(&mut self) -> Result<(), FileError> {
        self.shelf.save()
    }
}

impl Provider for FromShelf {
    fn packed(&mut self, tree: &Tree, which: &[usize]) -> Vec<Option<Arc<Packed>>> {
        let paths: Vec<&str> = which.iter().map(|tag| tree.tags[*tag].path.as_str()).collect();
        let mut packed = self.shelf.packed(&paths);
        paths.iter().map(|path| packed.remove(*path)).collect()
    }
}

/// A tag that was read and packed.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its number in the tree.
    pub tag: usize,
    /// Its packed form. None if its file cannot be read.
    pub packed: Option<Packed>,
    /// Its errors and warnings.
    pub findings: Vec<Finding>,
    /// What its scripts mention outside of it.
    pub mentioned: Mentioned,
}

/// What the scripts of a tag mention outside of it, and the words of its text that others may mention.
#[derive(Clone, Debug, Default)]
pub struct Mentioned {
    /// The mentions, by place.
    pub mentions: Vec<Mention>,
    /// The text, if there are mentions in it.
    pub source: String,
    /// The variables that it sets.
    pub sets: Vec<String>,
    /// Those that its lambdas set; none if it is made from another tag, whose lambdas may set others.
    pub state: Option<Vec<String>>,
    /// Its strings.
    pub strings: Vec<String>,
}

impl Mentioned {
    fn of(source: &str, tree: &ScriptTree, mentions: Vec<Mention>) -> Mentioned {
        let mut mentioned = Mentioned { mentions, ..Mentioned::default() };
        for (index, token) in tree.tokens.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| tree.tokens[before]);
            let is_set = || before.is_some_and(|before| before.span.text(source).eq_ignore_ascii_case("!set"));
            match token.kind {
                TokenKind::Name if is_set() => mentioned.sets.push(token.span.text(source).to_string()),
                TokenKind::String => mentioned.strings.push(unquoted(token.span.text(source))),
                _ => {}
            }
        }
        if tree.from.is_none() {
            let names = Names::of(source, tree, [], &[]).names.into_iter();
            let inner = names.filter(|name| name.meaning == Meaning::InnerSet);
            mentioned.state = Some(inner.map(|name| name.span.text(source).to_string()).collect());
        }
        if !mentioned.mentions.is_empty() {
            mentioned.source = source.to_string();
        }
        mentioned
    }
}

/// Reads and packs tags in parallel, with their findings. The result is in the order of `which`.
pub fn load(tree: &Tree, which: &[usize]) -> Vec<Loaded> {
    let files: Vec<_> = which.iter().map(|tag| tree.file(tree.tags[*tag].path.as_str())).collect();
    let limits = ReadLimits::of_this_machine(TEXT_BYTES_MAX as u64);
    files::read_many(&files, &limits, |index, bytes| load_one(tree, which[index], bytes))
}

/// The span of a reference that begins at a byte; of an inherited one, that of the path behind `!from`.
pub fn link_span(source: &str, tree: &ScriptTree, start: u32) -> Span {
    match start {
        INHERITED => tree.from_path().unwrap_or_default(),
        start => span_at(source, start),
    }
}

/// Unresolved conflicts of a merge: one report for adjacent marks.
fn unresolved(source: &str) -> Vec<Report> {
    let marks = crate::merge::conflicts(source);
    let goes_on = |index: usize| {
        let before = index.checked_sub(1).map(|before| marks[before].end..marks[index].start);
        before.is_some_and(|gap| Span::new(gap.start, gap.end).text(source).trim().is_empty())
    };
    let help = "choose one of the two values, and remove the marked comments";
    let message = "unresolved merge conflict: both sides changed this";
    let firsts = marks.iter().enumerate().filter(|(index, _)| !goes_on(*index));
    firsts.map(|(_, mark)| Report::error(*mark, message).with_help(help)).collect()
}

fn load_one(tree: &Tree, tag: usize, bytes: Result<Vec<u8>, FileError>) -> Loaded {
    let file = &tree.tags[tag];
    let shown = tree.shown(file.path.as_str());
    match (text_in(bytes), tree.prepared(file)) {
        (Ok(source), Some(class)) => {
            let parsed = parse(&source);
            let ancestry = tree.ancestry(&file.path, &source, &parsed);
            let made = class.pack_from(&source, &parsed, &ancestry.parents());
            let mentioned = Mentioned::of(&source, &parsed, made.mentions);
            let mut reports = made.reports;
            reports.extend(ancestry.report.clone());
            reports.extend(tree.classes.shared().check_links(&made.packed).into_iter().map(|mut report| {
                report.span = link_span(&source, &parsed, report.span.start);
                report
            }));
            reports.extend(unresolved(&source));
            let mut findings = Finding::of_reports(&shown, &source, &reports);
            for found in &made.inherited {
                if let Layer::Parent(number) = found.layer
                    && let Some(parent) = ancestry.tags.get(number as usize)
                {
                    let (path, text) = (tree.shown(parent.path.as_str()), &parent.source.text);
                    findings.extend(Finding::of_reports(&path, text, std::slice::from_ref(&found.report)));
                }
            }
            Loaded { tag, packed: Some(made.packed), findings, mentioned }
        }
        (Ok(_), None) => Loaded { tag, packed: None, findings: Vec::new(), mentioned: Mentioned::default() },
        (Err(error), _) => {
            let findings = vec![Finding::error(&shown, error.to_string(), "")];
            Loaded { tag, packed: None, findings, mentioned: Mentioned::default() }
        }
    }
}
