//! Checking a whole tree.
//!
//! Laws
//! 1. Every tag is packed exactly as a game would pack it, so the findings are those that a game would report.
//! 2. Findings are sorted by file and place, the same on every machine. Beyond [`FINDINGS_MAX`] they are only counted.
//! 3. Reference cycles matter only where the postprocess of a class reads other tags; all others are allowed.

use std::collections::{BTreeMap, BTreeSet};

use crate::notes::ClassNotes;
use base::StringId;
use host::walk::WalkedFile;
use host::{files, parallel};
use script::report::{Report, closest};
use script::source::Lines;
use shelf::content_key;
use shelf::limits::BULK_BYTES_MAX;
use tags::TagPath;
use tags::class::Class;
use tags::limits::TEXT_BYTES_MAX;
use tags::packed::{File, Packed};

use crate::classes::head_of;
use crate::finding::{Finding, span_at};
use crate::graph::{Edge, Graph, Missing};
use crate::limits::{FINDINGS_MAX, SUGGESTIONS_MAX};
use crate::mentions;
use crate::provider::{Loaded, load};
use crate::source_lookup::record_within;
use crate::tree::{HEADER, NOTES, Tree};

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The number of tags checked.
    pub tags: usize,
    /// The number of references.
    pub references: usize,
    /// The findings, at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
}

/// Checks tags of a tree and their references. `which` are their numbers; empty for all.
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
    findings.extend(mentions::check(tree, &loaded, which.is_none()));
    findings.extend(cycles(tree, &graph));
    findings.extend(mistakes(tree, &loaded, &graph));
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

/// References to missing tags.
fn missing(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in graph.missing.chunk_by(|left, right| left.from == right.from) {
        let path = &tree.tags[group[0].from].path;
        let source = tree.read(path.as_str()).unwrap_or_default();
        let lines = Lines::of(&source);
        for missing in group {
            let is_early = findings.len() < SUGGESTIONS_MAX;
            let help = help_for(tree, missing, is_early);
            let message = format!("`{path}` refers to `{}`, which does not exist", missing.path);
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
        None => String::from("create it with `astrarium tag new`, or name another"),
    }
}

/// Mistakes that the checks of classes find, which read referenced tags too.
fn mistakes(tree: &Tree, loaded: &[Loaded], graph: &Graph) -> Vec<Finding> {
    let mut others: Vec<usize> = loaded.iter().flat_map(|one| graph.uses(one.tag)).map(|edge| edge.to).collect();
    others.sort_unstable();
    others.dedup();
    let here: BTreeSet<usize> = loaded.iter().map(|loaded| loaded.tag).collect();
    others.retain(|tag| !here.contains(tag));
    let others = load(tree, &others);
    let by_id: BTreeMap<StringId, &Packed> = loaded
        .iter()
        .chain(&others)
        .filter_map(|loaded| Some((tree.tags[loaded.tag].path.id(), loaded.packed.as_ref()?)))
        .collect();
    let find = |id: StringId| by_id.get(&id).copied();
    let wrong = parallel::many(loaded.len(), parallel::threads(), |index| match &loaded[index].packed {
        Some(packed) => tree.classes.shared().mistakes(packed, &find),
        None => Vec::new(),
    });
    let mut findings = Vec::new();
    for (loaded, wrong) in loaded.iter().zip(wrong).filter(|(_, wrong)| !wrong.is_empty()) {
        let path = &tree.tags[loaded.tag].path;
        let source = tree.read(path.as_str()).unwrap_or_default();
        let reports: Vec<Report> = wrong.iter().map(|mistake| mistake.report(&source)).collect();
        findings.extend(Finding::of_reports(&tree.shown(path.as_str()), &source, &reports));
    }
    findings
}

/// Cycles of tags whose postprocesses read each other.
fn cycles(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let reads: BTreeMap<&str, BTreeSet<&str>> = tree
        .classes
        .all()
        .map(|class| (class.name.as_str(), class.reads.iter().map(String::as_str).collect()))
        .collect();
    let path = |tag: usize| &tree.tags[tag].path;
    let is_read = |all: &BTreeSet<&str>, class: &str| all.iter().any(|read| tree.classes.is_a(class, read));
    let counts =
        |edge: &Edge| reads.get(path(edge.from).class()).is_some_and(|all| is_read(all, path(edge.to).class()));
    let cycles = graph.cycles(counts).into_iter();
    let told = cycles.map(|circle| {
        let first = path(circle[0]);
        let mut names: Vec<String> = circle.iter().take(10).map(|tag| format!("`{}`", path(*tag))).collect();
        if circle.len() > names.len() {
            names.push(String::from("…"));
        }
        names.push(format!("`{first}`"));
        let message = format!("its postprocess is part of a dependency cycle: {}", names.join(" → "));
        let help = "each reads the next, so none can be first; remove one of the references";
        Finding::error(&tree.shown(first.as_str()), message, help)
    });
    told.collect()
}

/// Bulk data that does not match its tag. Returns the paths of all files named.
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
    let wrong: Vec<(usize, u32, (String, String))> =
        files.iter().zip(wrong).filter_map(|((tag, at, ..), trouble)| Some((*tag, *at, trouble?))).collect();
    for group in wrong.chunk_by(|left, right| left.0 == right.0) {
        let path = &tree.tags[group[0].0].path;
        let source = tree.read(path.as_str()).unwrap_or_default();
        let lines = Lines::of(&source);
        for (_, at, (message, help)) in group {
            let report = Report::error(span_at(&source, *at), message).with_help(help);
            findings.push(Finding::of_report(&tree.shown(path.as_str()), &source, &lines, &report));
        }
    }
    named
}

/// What is wrong with a bulk file, and what to do: missing, of another size, with other bytes, or without a hash. A game does not load
/// a file without one.
fn bulk_trouble(tree: &Tree, place: &str, size: Option<u64>, file: &File<'_>) -> Option<(String, String)> {
    let again = || String::from("import it again");
    let Some(size) = size else { return Some((format!("the bulk file `{place}` does not exist"), again())) };
    if size != file.bytes {
        return Some((format!("the bulk file `{place}` has {size} bytes, but its tag says {}", file.bytes), again()));
    }
    let key = match files::read_at_most(&tree.file(place), BULK_BYTES_MAX) {
        Ok(bytes) => content_key::of(&bytes),
        Err(error) => return Some((error.to_string(), again())),
    };
    if file.digest == [0; 32] {
        return Some((format!("the tag gives no hash for the bulk file `{place}`"), format!("write `hash \"{key}\"`")));
    }
    let help = format!("import it again, or write `hash \"{key}\"`");
    (key.0 != file.digest).then(|| (format!("the bulk file `{place}` does not match the hash in its tag"), help))
}

/// The path of a file beside a tag.
fn beside(path: &TagPath, file: &str) -> String {
    match path.folder() {
        "" => file.to_string(),
        folder => format!("{folder}/{file}"),
    }
}

/// Invalid notes, and notes on fields that do not exist.
fn notes(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = tree.walk.files.iter().filter_map(|file| Some((&file.path, file.path.strip_suffix(".notes")?)));
    for (path, name) in files {
        let shown = tree.shown(path);
        let Some(class) = tree.classes.class(name) else {
            let message =
                "is not a file of notes: it must have the name of a class, and lie in the root folder of the tree";
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
                findings.push(Finding::error(&shown, trouble.to_string(), ""));
                continue;
            }
        };
        let (notes, reports) = ClassNotes::read(&source);
        findings.extend(Finding::of_reports(&shown, &source, &reports));
        for (names, _) in notes.all() {
            if !has_field(class, names) {
                let message = format!("`{name}` has no field `{names}`, so the note on it is never shown");
                findings.push(Finding::warning(&shown, message, ""));
            }
        }
    }
    findings
}

/// Whether a class has a field, given by the names on the path to it.
fn has_field(class: &Class, names: &str) -> bool {
    let mut record = Some(class.root());
    names.split('.').all(|name| {
        let field = record.and_then(|record| record.field(name)).map(|(_, field)| field);
        record = field.and_then(|field| record_within(class, &field.kind));
        field.is_some()
    })
}

/// Files that are neither tags nor bulk data of one. A file that begins like a tag of an unknown class is an error: the
/// game does not see its values.
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
                "declare it with a file `{extension}.{HEADER}`, or run the game once: it writes the headers of its classes"
            ),
        };
        return Finding::error(&shown, format!("there is no class `{extension}`, so it is not a tag"), help);
    }
    let message = match extension {
        "" => String::from("is not a tag, since its extension is not a class, and no tag names it as bulk data"),
        _ => format!("there is no class `{extension}`, and no tag names the file as bulk data"),
    };
    let help = match like {
        Some(like) => format!("did you mean `{like}`?"),
        None => String::from("nothing reads it; declare its class, or remove it"),
    };
    Finding::warning(&shown, message, help)
}
