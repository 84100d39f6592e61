//! Postprocessing, in topological order of the dependencies.
//!
//! A tag is postprocessed when all tags that it may read are ready. The result is cached in the store under a key made
//! of its own key and theirs. Tags in a cycle are reported, and do not see each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::StringId;
use host::parallel;
use tags::packed::Packed;

use super::{Loaded, class_name};
use crate::content_key::{self, Key};
use crate::index::RebuildReason;
use crate::postprocess_order::{PostprocessOrder, PostprocessTask, tasks};
use crate::report::TagReport;
use crate::tree::{Shelf, open_files};

/// The result for one tag.
struct Done {
    key: Key,
    reads: Vec<(String, Key)>,
    /// None if it is unchanged.
    packed: Option<Packed>,
    is_stored: bool,
}

/// Returns the paths of changed tags.
pub(super) fn run(shelf: &mut Shelf, loaded: &mut Loaded) -> Vec<String> {
    let tags = loaded.tags.iter().map(|(path, tag)| (path.as_str(), &*tag.text_packed));
    let tasks = tasks(&shelf.classes, tags);
    let mut order = PostprocessOrder::of(&tasks);
    let mut changed = Vec::new();
    while let Some((now, is_cycle)) = order.next() {
        let hidden: BTreeSet<&str> =
            if is_cycle { now.iter().map(|number| tasks[*number].path.as_str()).collect() } else { BTreeSet::new() };
        let now: Vec<&PostprocessTask> = now.iter().map(|number| &tasks[*number]).collect();
        if is_cycle {
            now.iter().for_each(|task| loaded.reports.push(cycle(shelf, task)));
        }
        changed.extend(round(shelf, loaded, &now, &hidden));
    }
    changed
}

fn cycle(shelf: &Shelf, task: &PostprocessTask) -> TagReport {
    TagReport::in_text(&task.path, &shelf.text(&task.path), task.cycle())
}

/// Postprocesses tags that do not depend on each other, or belong to one cycle.
fn round(shelf: &mut Shelf, loaded: &mut Loaded, tasks: &[&PostprocessTask], hidden: &BTreeSet<&str>) -> Vec<String> {
    let tags = &loaded.tags;
    let is_seen = |path: &String| !hidden.contains(path.as_str());
    let keys: Vec<(Key, Vec<(String, Key)>)> = tasks
        .iter()
        .map(|task| {
            let key_of = |path: &String| tags.get(path).filter(|_| is_seen(path)).map_or(Key::default(), |tag| tag.key);
            let reads: Vec<(String, Key)> = task.reads.iter().map(|path| (path.clone(), key_of(path))).collect();
            let class = shelf.classes.get(class_name(&task.path)).expect("only tags with a class are tasks");
            (content_key::of_postprocessed(class, &tags[&task.path].text_key, &reads), reads)
        })
        .collect();
    let wanted: Vec<Key> = keys.iter().map(|(key, _)| *key).collect();
    let check = |_: usize, bytes: Option<&[u8]>| bytes.and_then(|bytes| Packed::check_parts(bytes).ok());
    let stored = match &shelf.store {
        Some(store) => store.get_many(&wanted, open_files(), check),
        None => wanted.iter().map(|_| None).collect(),
    };
    let stored: Vec<std::sync::Mutex<Option<Packed>>> = stored.into_iter().map(std::sync::Mutex::new).collect();
    let classes = &shelf.classes;
    let done = parallel::many(tasks.len(), parallel::threads(), |number| {
        let (task, (key, reads)) = (tasks[number], &keys[number]);
        let tag = &tags[&task.path];
        let kept = stored[number].lock().ok().and_then(|mut packed| packed.take());
        let is_stored = kept.is_some();
        let packed = (tag.key != *key).then(|| {
            kept.unwrap_or_else(|| {
                let others: Vec<(StringId, &Packed)> = task
                    .reads
                    .iter()
                    .filter(|path| is_seen(path))
                    .filter_map(|path| Some((StringId::from(path.as_str()), &*tags.get(path)?.packed)))
                    .collect();
                let find = |id: StringId| others.iter().find(|(other, _)| *other == id).map(|(_, packed)| *packed);
                let mut packed = Packed::clone(&tag.text_packed);
                classes.postprocess(class_name(&task.path), &mut packed, &find);
                packed
            })
        });
        Done { key: *key, reads: reads.clone(), packed, is_stored }
    });
    let mut changed = Vec::new();
    for (task, done) in tasks.iter().zip(done) {
        if done.packed.is_some() {
            changed.push(task.path.clone());
        }
        take(shelf, loaded, &task.path, done);
    }
    changed
}

fn take(shelf: &mut Shelf, loaded: &mut Loaded, path: &str, done: Done) {
    note(shelf, loaded, path, &done);
    let Some(packed) = done.packed else { return };
    let packed = Arc::new(packed);
    if !done.is_stored {
        shelf.made.push((done.key, Some(Arc::clone(&packed))));
    }
    if let Some(tag) = loaded.tags.get_mut(path) {
        (tag.key, tag.packed) = (done.key, packed);
    }
}

/// Records in the index the inputs of a tag, and the reason if it was rebuilt for another reason than its text.
fn note(shelf: &mut Shelf, loaded: &mut Loaded, path: &str, done: &Done) {
    let Some(mut entry) = shelf.index.get(path).cloned() else { return };
    let Some(made) = &mut entry.made else { return };
    let is_made = done.packed.is_some() && !done.is_stored;
    if is_made && !loaded.built.contains_key(path) {
        let changed = done.reads.iter().find(|read| !made.reads.contains(read));
        let reason = match changed {
            Some(_) if made.reads.is_empty() => RebuildReason::NeverMade,
            Some((other, _)) => RebuildReason::Dependency(other.clone()),
            None => RebuildReason::Lost,
        };
        loaded.built.insert(path.to_string(), reason);
    }
    made.reads.clone_from(&done.reads);
    made.ready = done.key;
    shelf.index.set(path, entry);
}
