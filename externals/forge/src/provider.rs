//! Where packed tags come from.
//!
//! Whoever asks about tags asks a provider for their packed forms; how it comes by them is its own affair. [`FromText`]
//! reads each file and packs it. A store of packed tags is another one, and much faster.

use host::files::{self, FileError, ReadLimits};
use host::parallel;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Packed;

use crate::finding::Finding;
use crate::tree::{TagFile, Tree, text_of};

/// Who has packed tags. Asked by many threads at once.
pub trait Provider: Sync {
    /// The packed form of a tag of a tree; a sentence if there is none.
    fn packed(&self, tree: &Tree, tag: &TagFile, class: &Prepared) -> Result<Packed, String>;
}

/// Reads each tag's file and packs it.
#[derive(Clone, Copy, Debug, Default)]
pub struct FromText;

impl Provider for FromText {
    fn packed(&self, tree: &Tree, tag: &TagFile, class: &Prepared) -> Result<Packed, String> {
        tree.read(tag.path.as_str()).map(|source| class.pack_text(&source).packed)
    }
}

/// A tag that was read and packed.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its number in the tree.
    pub tag: usize,
    /// Its packed form. None if its file cannot be read at all.
    pub packed: Option<Packed>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}

/// Reads and packs tags by many threads, and says what is wrong with each. The result is in the order of `which`.
pub fn load(tree: &Tree, which: &[usize]) -> Vec<Loaded> {
    let files: Vec<_> = which.iter().map(|tag| tree.file(tree.tags[*tag].path.as_str())).collect();
    let limits = ReadLimits::of_this_machine(TEXT_BYTES_MAX as u64);
    files::read_many(&files, &limits, |index, bytes| load_one(tree, which[index], bytes))
}

/// The packed forms of tags, by many threads, in the order of `which`. What a provider does not have is none.
pub fn packed(tree: &Tree, provider: &dyn Provider, which: &[usize]) -> Vec<Option<Packed>> {
    parallel::many(which.len(), parallel::threads(), |index| {
        let tag = &tree.tags[which[index]];
        provider.packed(tree, tag, tree.prepared(tag)?).ok()
    })
}

fn load_one(tree: &Tree, tag: usize, bytes: Result<Vec<u8>, FileError>) -> Loaded {
    let file = &tree.tags[tag];
    let shown = tree.shown(file.path.as_str());
    let source = bytes.map_err(|error| error.to_string()).and_then(text_of);
    match (source, tree.prepared(file)) {
        (Ok(source), Some(class)) => {
            let made = class.pack_text(&source);
            let findings = Finding::of_reports(&shown, &source, &made.reports);
            Loaded { tag, packed: Some(made.packed), findings }
        }
        (Ok(_), None) => Loaded { tag, packed: None, findings: Vec::new() },
        (Err(trouble), _) => Loaded { tag, packed: None, findings: vec![Finding::error(&shown, trouble, "")] },
    }
}
