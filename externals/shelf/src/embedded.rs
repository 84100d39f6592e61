//! Tags compiled into a program: the same tags, under the same keys, as a tree with the same texts gives.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use base::StringId;
use script::parse::parse;
use tags::ancestry::{Ancestry, TagSource};
use tags::library::Ready;
use tags::packed::Packed;
use tags::path::TagPathError;
use tags::{Classes, TagPath};

use crate::content_key;
use crate::folders::inputs;
use crate::headers::is_header;
use crate::load::{EVERYTHING, ancestry_reports};
use crate::postprocess_order::{PostprocessOrder, PostprocessTask, tasks};
use crate::report::{TagReport, link_span};

/// Packs and postprocesses texts, and returns the tags that the roots lead to. No disk is read or written. Headers
/// among the texts are skipped: their classes are [added](crate::headers::add_from_texts) beforehand.
pub fn load(classes: &Classes, texts: &[(&str, &str)], roots: &[&str]) -> (Vec<Ready>, Vec<TagReport>) {
    let (mut tags, mut reports) = (BTreeMap::new(), Vec::new());
    for (path, text) in texts.iter().filter(|(path, _)| !is_header(path) && !is_library(classes, path)) {
        match pack(classes, (path, text), texts, &mut reports) {
            Ok(ready) => drop(tags.insert(ready.path.as_str().to_string(), ready)),
            Err(error) => reports.push(TagReport::of_file(path, &error.to_string(), "")),
        }
    }
    let tasks = tasks(classes, tags.iter().map(|(path, ready): (&String, &Ready)| (path.as_str(), &*ready.packed)));
    let mut order = PostprocessOrder::of(&tasks);
    while let Some((now, is_cycle)) = order.next() {
        let now: Vec<&PostprocessTask> = now.iter().map(|number| &tasks[*number]).collect();
        let hidden: BTreeSet<&str> = now.iter().map(|task| task.path.as_str()).filter(|_| is_cycle).collect();
        if is_cycle {
            reports.extend(now.iter().map(|task| TagReport::in_text(&task.path, "", task.cycle())));
        }
        let done: Vec<Ready> = now.iter().map(|task| postprocess(classes, &tags, task, &hidden)).collect();
        tags.extend(done.into_iter().map(|ready| (ready.path.as_str().to_string(), ready)));
    }
    let (mut seen, mut wave): (BTreeSet<String>, Vec<String>) =
        (BTreeSet::new(), roots.iter().filter(|root| **root != EVERYTHING).map(ToString::to_string).collect());
    if roots.contains(&EVERYTHING) {
        wave.extend(tags.keys().cloned());
    }
    while let Some(path) = wave.pop() {
        match tags.get(&path) {
            Some(ready) if seen.insert(path.clone()) => {
                wave.extend(ready.packed.links().map(|link| link.path.to_string()))
            }
            Some(_) => {}
            None => reports.push(TagReport::of_file(&path, "there is no such tag in the program", "")),
        }
    }
    tags.retain(|path, _| seen.contains(path));
    reports.extend(mistakes(classes, texts, &tags));
    (tags.into_values().collect(), reports)
}

/// The mistakes that the checks of classes find.
fn mistakes(classes: &Classes, texts: &[(&str, &str)], tags: &BTreeMap<String, Ready>) -> Vec<TagReport> {
    let by_id: BTreeMap<StringId, &Packed> = tags.values().map(|ready| (ready.path.id(), &*ready.packed)).collect();
    let find = |id: StringId| by_id.get(&id).copied();
    let mut reports = Vec::new();
    for (path, ready) in tags {
        let text = texts.iter().rev().find(|(other, _)| other == path).map_or("", |(_, text)| *text);
        let found = classes.mistakes(&ready.packed, &find);
        reports.extend(found.iter().map(|mistake| TagReport::in_text(path, text, mistake.report(text))));
    }
    reports
}

/// Why an embedded text is not a tag.
#[derive(Debug)]
enum EmbeddedError {
    Path(TagPathError),
    NoClass(String),
}

impl fmt::Display for EmbeddedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmbeddedError::Path(error) => error.fmt(out),
            EmbeddedError::NoClass(class) => write!(out, "there is no class `{class}`"),
        }
    }
}

/// Whether the text at a path is a library of a class, and no tag.
fn is_library(classes: &Classes, path: &str) -> bool {
    classes.iter().any(|class| class.class().libraries.iter().any(|library| library.path == path))
}

fn pack(
    classes: &Classes,
    (path, text): (&str, &str),
    texts: &[(&str, &str)],
    reports: &mut Vec<TagReport>,
) -> Result<Ready, EmbeddedError> {
    let path = TagPath::new(path).map_err(EmbeddedError::Path)?;
    let class = classes.get(path.class()).ok_or_else(|| EmbeddedError::NoClass(path.class().to_string()))?;
    let tree = parse(text);
    let is_a = |class: &str, base: &str| classes.is_a(class, base);
    let ancestry = Ancestry::of((&path, 0), (text, &tree), &is_a, &mut |path, below| {
        let found = texts.iter().find(|(other, _)| below.is_none() && *other == path.as_str());
        let (_, text) = found.ok_or_else(String::new)?;
        Ok(TagSource { folder: 0, shown: path.as_str().to_string(), text: text.to_string() })
    });
    let made = class.pack_from(text, &tree, &ancestry.parents());
    let misplaced = classes.check_links(&made.packed).into_iter().map(|mut report| {
        report.span = link_span(text, report.span.start);
        report
    });
    let (from, of_parents) = ancestry_reports(&ancestry, &made.inherited);
    let own = from.into_iter().chain(made.reports).chain(misplaced);
    reports.extend(own.map(|report| TagReport::in_text(path.as_str(), text, report)));
    reports.extend(of_parents);
    let key = content_key::of_composed(class, &content_key::of(text.as_bytes()), &inputs(&ancestry));
    Ok(Ready { path, key, packed: Arc::new(made.packed) })
}

/// Postprocesses one tag, which does not see the `hidden` ones.
fn postprocess(
    classes: &Classes,
    tags: &BTreeMap<String, Ready>,
    task: &PostprocessTask,
    hidden: &BTreeSet<&str>,
) -> Ready {
    let ready = &tags[&task.path];
    let Some(class) = classes.get(ready.path.class()) else { return ready.clone() };
    let seen = |path: &String| tags.get(path).filter(|_| !hidden.contains(path.as_str()));
    let key_of = |path: &String| (path.clone(), seen(path).map_or(tags::Key::default(), |read| read.key));
    let reads: Vec<(String, tags::Key)> = task.reads.iter().map(key_of).collect();
    let others: Vec<(StringId, &Packed)> =
        task.reads.iter().filter_map(|path| Some((StringId::from(path.as_str()), &*seen(path)?.packed))).collect();
    let find = |id: StringId| others.iter().find(|(other, _)| *other == id).map(|(_, packed)| *packed);
    let mut packed = Packed::clone(&ready.packed);
    classes.postprocess(ready.path.class(), &mut packed, &find);
    let key = content_key::of_postprocessed(class, &ready.key, &reads);
    Ready { path: ready.path.clone(), key, packed: Arc::new(packed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadLimits;
    use crate::testing::{Folder, Ship, classes, put};
    use crate::tree::Shelf;

    const TEXTS: [(&str, &str); 4] = [
        ("a.ship", "@ship\n!set escorts [\"b.ship\"]\n!set model \"m.model\"\n"),
        ("b.ship", "@ship\n!set model \"m.model\"\n"),
        ("m.model", "@model\n!set radius 3\n"),
        ("unused.ship", "@ship\n"),
    ];

    #[test]
    fn embedded_tags_equal_the_tags_of_a_tree_with_the_same_texts() {
        let folder = Folder::new();
        put(
            &folder,
            &TEXTS
                .map(|(path, text)| (["tags/", path].concat(), text))
                .each_ref()
                .map(|(path, text)| (path.as_str(), *text)),
        );
        let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("it is there");
        let loaded = shelf.load(&["a.ship"], &LoadLimits::default());
        let (built_in, reports) = load(&classes(), &TEXTS, &["a.ship"]);
        assert!(reports.is_empty() && loaded.reports.is_empty(), "{reports:?} {:?}", loaded.reports);
        let rows = |tags: &mut dyn Iterator<Item = Ready>| -> Vec<(TagPath, tags::Key, Vec<u8>)> {
            tags.map(|ready| (ready.path, ready.key, ready.packed.bytes().to_vec())).collect()
        };
        let found = rows(&mut built_in.clone().into_iter());
        assert_eq!(found.len(), 3);
        assert_eq!(found, rows(&mut loaded.ready()));
        assert_eq!(load(&classes(), &TEXTS, &[EVERYTHING]).0.len(), 4);
        let mut library = tags::Library::new();
        library.apply(built_in);
        assert_eq!(library.find::<Ship>("a.ship").map(|ship| ship.size), Some(12.0));
    }

    #[test]
    fn errors_are_reported() {
        let check = |texts: &[(&str, &str)], part: &str| {
            let (_, reports) = load(&classes(), texts, &["a.ship"]);
            assert!(reports.iter().any(|report| report.to_string().contains(part)), "{part}: {reports:?}");
        };
        check(&[], "there is no such tag in the program");
        check(&[("a.ship", "@ship\n!set mass \"x\"\n")], "expected a number");
        check(&[("../a.ship", "@ship\n")], "is not the path of a tag");
        check(&[("a.ship", "@ship\n!set model \"b.ship\"\n")], "expected the path of a `model`, found one of a `ship`");
        check(&[("a.boat", "@boat\n")], "there is no class `boat`");
        check(
            &[("a.ship", "@ship\n!set escorts [\"b.ship\"]\n"), ("b.ship", "@ship\n!set escorts [\"a.ship\"]\n")],
            "dependency cycle",
        );
    }

    #[test]
    fn embedded_tags_in_a_cycle_equal_those_of_a_tree() {
        let texts = [
            ("a.ship", "@ship\n!set escorts [\"b.ship\"]\n!set model \"m.model\"\n"),
            ("b.ship", "@ship\n!set escorts [\"a.ship\"]\n!set model \"m.model\"\n"),
            ("m.model", "@model\n"),
        ];
        let folder = Folder::new();
        texts.iter().for_each(|(path, text)| put(&folder, &[(&format!("tags/{path}"), text)]));
        let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("it is there");
        let loaded = shelf.load(&["a.ship"], &LoadLimits::default());
        let (built_in, reports) = load(&classes(), &texts, &["a.ship"]);
        let rows = |tags: Vec<Ready>| -> Vec<(TagPath, tags::Key)> {
            tags.into_iter().map(|ready| (ready.path, ready.key)).collect()
        };
        assert_eq!(rows(built_in), rows(loaded.ready().collect()));
        assert_eq!(reports.iter().filter(|report| report.to_string().contains("dependency cycle")).count(), 2);
    }
}
