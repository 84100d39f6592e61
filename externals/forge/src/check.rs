//! Everything that is wrong with a tree.
//!
//! Laws
//! 1. Every tag is packed exactly as a game would pack it, so what is told here is what a game would tell.
//! 2. Findings are in the order of the files and places, the same on every machine. Beyond [`FINDINGS_MAX`] they are counted.
//! 3. Circles of references matter only where a class reads others' tags while it is made ready; any others are allowed.

use std::collections::{BTreeMap, BTreeSet};

use host::walk::WalkedFile;
use host::{files, parallel};
use script::report::{Report, closest};
use script::source::Lines;
use shelf::key;
use shelf::limits::BULK_BYTES_MAX;
use tags::TagPath;
use tags::class::Class;
use tags::limits::TEXT_BYTES_MAX;
use tags::notes::ClassNotes;
use tags::packed::File;

use crate::classes::head_of;
use crate::finding::{Finding, span_at};
use crate::graph::{Edge, Graph, Missing};
use crate::limits::{FINDINGS_MAX, SUGGESTIONS_MAX};
use crate::place::record_within;
use crate::provider::{Loaded, load};
use crate::tree::{HEADER, NOTES, Tree};

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// How many tags were looked at.
    pub tags: usize,
    /// How many references there are.
    pub references: usize,
    /// What was found, at most [`FINDINGS_MAX`] of it.
    pub findings: Vec<Finding>,
    /// How many errors there are.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
}

/// Checks tags of a tree, and where they refer to. `which` are their numbers, all of them if none are given.
pub fn check(tree: &Tree, which: Option<&[usize]>) -> Checked {
    let all: Vec<usize> = (0..tree.tags.len()).collect();
    let loaded = load(tree, which.unwrap_or(&all));
    let graph = Graph::of(tree, loaded.iter().filter_map(|loaded| Some((loaded.tag, loaded.packed.as_ref()?))));
    let mut findings: Vec<Finding> = match which {
        None => tree.findings.clone(),
        Some(_) => Vec::new(),
    };
    findings.extend(loaded.iter().flat_map(|loaded| loaded.findings.iter().cloned()));
    findings.extend(missing(tree, &graph));
    findings.extend(circles(tree, &graph));
    let named = bulk(tree, &loaded, &mut findings);
    if which.is_none() {
        findings.extend(strangers(tree, &named));
        findings.extend(notes(tree));
    }
    findings.sort_by(|left, right| (&left.file, left.place).cmp(&(&right.file, right.place)));
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let warnings = findings.len() - errors;
    findings.truncate(FINDINGS_MAX);
    Checked { tags: loaded.len(), references: graph.count() + graph.missing.len(), findings, errors, warnings }
}

/// References to tags that are not there.
fn missing(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in graph.missing.chunk_by(|left, right| left.from == right.from) {
        let path = &tree.tags[group[0].from].path;
        let source = tree.read(path.as_str()).unwrap_or_default();
        let lines = Lines::of(&source);
        for missing in group {
            let is_early = findings.len() < SUGGESTIONS_MAX;
            let help = help_for(tree, missing, is_early);
            let message = format!("`{path}` refers to `{}`, which is not there", missing.path);
            let report = Report::error(span_at(&source, missing.place), message).with_help(help);
            findings.push(Finding::of_report(&tree.shown(path.as_str()), &source, &lines, &report));
        }
    }
    findings
}

fn help_for(tree: &Tree, missing: &Missing, may_search: bool) -> String {
    let class = missing.path.rsplit_once('.').map_or("", |(_, class)| class);
    if !tree.classes.has(class) {
        let like = closest(class, tree.classes.names());
        return match like {
            Some(like) => format!("there is no class `{class}`; did you mean `{like}`?"),
            None => format!("there is no class `{class}`"),
        };
    }
    match may_search.then(|| tree.similar(&missing.path)).flatten() {
        Some(like) => format!("did you mean `{like}`?"),
        None => String::from("make it with `astrarium tag new`, or name another"),
    }
}

/// Tags that are read by others while those are read by them.
fn circles(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let reads: BTreeMap<&str, BTreeSet<&str>> = tree
        .classes
        .all()
        .map(|class| (class.name.as_str(), class.reads.iter().map(String::as_str).collect()))
        .collect();
    let path = |tag: usize| &tree.tags[tag].path;
    let is_read = |all: &BTreeSet<&str>, class: &str| all.iter().any(|read| tree.classes.is_a(class, read));
    let counts =
        |edge: &Edge| reads.get(path(edge.from).class()).is_some_and(|all| is_read(all, path(edge.to).class()));
    let circles = graph.circles(counts).into_iter();
    let told = circles.map(|circle| {
        let first = path(circle[0]);
        let mut names: Vec<String> = circle.iter().take(10).map(|tag| format!("`{}`", path(*tag))).collect();
        if circle.len() > names.len() {
            names.push(String::from("…"));
        }
        names.push(format!("`{first}`"));
        let message = format!("goes in a circle: {}", names.join(" → "));
        let help = "each is made ready from the next, so none can be first; remove one of the references";
        Finding::error(&tree.shown(first.as_str()), message, help)
    });
    told.collect()
}

/// Bulk data that is not as its tag says. Gives the paths of all that is named.
fn bulk(tree: &Tree, loaded: &[Loaded], findings: &mut Vec<Finding>) -> BTreeSet<String> {
    let sizes: BTreeMap<&str, u64> = tree.others.iter().map(|file| (file.path.as_str(), file.stamp.size)).collect();
    let mut named = BTreeSet::new();
    let mut files: Vec<(usize, u32, String, File<'_>)> = Vec::new();
    for Loaded { tag, packed, .. } in loaded {
        for file in packed.iter().flat_map(|packed| packed.files()) {
            let place = beside(&tree.tags[*tag].path, file.file);
            named.insert(place.clone());
            files.push((*tag, file.place, place, file));
        }
    }
    let wrong = parallel::many(files.len(), parallel::threads(), |index| {
        let (_, _, place, file) = &files[index];
        bulk_trouble(tree, place, sizes.get(place.as_str()).copied(), file)
    });
    let wrong: Vec<(usize, u32, String)> =
        files.iter().zip(wrong).filter_map(|((tag, at, ..), trouble)| Some((*tag, *at, trouble?))).collect();
    for group in wrong.chunk_by(|left, right| left.0 == right.0) {
        let path = &tree.tags[group[0].0].path;
        let source = tree.read(path.as_str()).unwrap_or_default();
        let lines = Lines::of(&source);
        for (_, at, message) in group {
            let report = Report::error(span_at(&source, *at), message).with_help("import it again");
            findings.push(Finding::of_report(&tree.shown(path.as_str()), &source, &lines, &report));
        }
    }
    named
}

/// What is wrong with a file of bulk data: that it is missing, its size, its bytes.
fn bulk_trouble(tree: &Tree, place: &str, size: Option<u64>, file: &File<'_>) -> Option<String> {
    let Some(size) = size else { return Some(format!("the bulk file `{place}` is not there")) };
    if size != file.bytes {
        return Some(format!("the bulk file `{place}` has {size} bytes, and the tag says {}", file.bytes));
    }
    if file.digest == [0; 32] {
        return None;
    }
    match files::read_at_most(&tree.file(place), BULK_BYTES_MAX) {
        Ok(bytes) if key::of(&bytes).0 == file.digest => None,
        Ok(_) => Some(format!("the bulk file `{place}` has other bytes than the tag says")),
        Err(error) => Some(error.to_string()),
    }
}

/// The path of a file beside a tag.
fn beside(path: &TagPath, file: &str) -> String {
    match path.folder() {
        "" => file.to_string(),
        folder => format!("{folder}/{file}"),
    }
}

/// Notes that are no notes, or on what is not there.
fn notes(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = tree.walk.files.iter().filter_map(|file| Some((&file.path, file.path.strip_suffix(".notes")?)));
    for (path, name) in files {
        let shown = tree.shown(path);
        let Some(class) = tree.classes.class(name) else {
            let message = "is no file of notes: it is called as a class, and lies in the folder of the tree";
            let help = match closest(name, tree.classes.names()) {
                Some(like) => format!("did you mean `{like}.{NOTES}`?"),
                None => String::new(),
            };
            findings.push(Finding::warning(&shown, message, help));
            continue;
        };
        let source = match tree.read(path) {
            Ok(source) => source,
            Err(trouble) => {
                findings.push(Finding::error(&shown, trouble, ""));
                continue;
            }
        };
        let (notes, reports) = ClassNotes::read(&source);
        findings.extend(Finding::of_reports(&shown, &source, &reports));
        for (names, _) in notes.all() {
            if !has_field(class, names) {
                let message = format!("`{name}` has no field `{names}`, so nobody sees the note on it");
                findings.push(Finding::warning(&shown, message, ""));
            }
        }
    }
    findings
}

/// Whether a class has a field, by the names on the way there.
fn has_field(class: &Class, names: &str) -> bool {
    let mut record = Some(class.root());
    names.split('.').all(|name| {
        let field = record.and_then(|record| record.field(name)).map(|(_, field)| field);
        record = field.and_then(|field| record_within(class, &field.kind));
        field.is_some()
    })
}

/// Files that are neither tags nor named by one. One that says it is a tag of a class that nobody declares is an error: its
/// values are lost to the game.
fn strangers(tree: &Tree, named: &BTreeSet<String>) -> Vec<Finding> {
    let strange: Vec<&WalkedFile> = tree.others.iter().filter(|file| !named.contains(&file.path)).collect();
    parallel::many(strange.len(), parallel::threads(), |index| stranger(tree, strange[index]))
}

fn stranger(tree: &Tree, file: &WalkedFile) -> Finding {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let shown = tree.shown(&file.path);
    let like = closest(extension, tree.classes.names());
    let is_small = file.stamp.size <= TEXT_BYTES_MAX as u64;
    let text =
        if is_small && !extension.is_empty() { tree.read(&file.path).unwrap_or_default() } else { String::new() };
    if head_of(&text).is_some_and(|(class, _)| class == extension) {
        let help = match like {
            Some(like) => format!("did you mean `{like}`?"),
            None => format!(
                "declare it with a file `{extension}.{HEADER}`, or run the game once: it writes its classes down"
            ),
        };
        return Finding::error(&shown, format!("there is no class `{extension}`, so it is no tag"), help);
    }
    let message = match extension {
        "" => String::from("is no tag, for its name does not end in a class; and no tag names it as bulk data"),
        _ => format!("there is no class `{extension}`, and no tag names the file as bulk data"),
    };
    let help = match like {
        Some(like) => format!("did you mean `{like}`?"),
        None => String::from("nothing reads it; declare its class, or remove it"),
    };
    Finding::warning(&shown, message, help)
}
