//! The order of postprocessing: a topological order of the dependency graph.
//!
//! Laws
//! 1. The order follows from the tags and their references alone: it is the same for a tree and for embedded tags.
//! 2. A strongly connected component is processed together, once everything it depends on is done; its members do not
//!    see each other.

use std::collections::{BTreeSet, HashMap};

use script::report::Report;
use script::source::Span;
use tags::Classes;
use tags::packed::Packed;

/// A tag to be postprocessed, and the paths it may read, sorted.
pub struct PostprocessTask {
    /// Its path.
    pub path: String,
    /// The paths that it may read.
    pub reads: Vec<String>,
}

/// The tasks among these tags, given by path and packed text.
pub fn tasks<'a>(classes: &Classes, tags: impl Iterator<Item = (&'a str, &'a Packed)>) -> Vec<PostprocessTask> {
    let mut tasks = Vec::new();
    for (path, packed) in tags {
        let name = path_class(path);
        let Some(class) = classes.get(name).filter(|_| classes.has_postprocess(name)) else { continue };
        let may_read = |path: &&str| class.class().reads.iter().any(|read| classes.is_a(path_class(path), read));
        let reads: BTreeSet<&str> = packed.links().map(|link| link.path).filter(may_read).collect();
        tasks.push(PostprocessTask { path: path.to_string(), reads: reads.into_iter().map(str::to_string).collect() });
    }
    tasks
}

impl PostprocessTask {
    /// The report about a task in a cycle.
    pub fn cycle(&self) -> Report {
        let message = format!(
            "the postprocess of `{}` is part of a dependency cycle; it reads {}",
            self.path,
            self.reads.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ")
        );
        Report::error(Span::default(), message)
            .with_help("the tags of a cycle do not see each other; remove one of the references")
    }
}

/// The state of a topological sort over tasks (Kahn 1962).
pub struct PostprocessOrder {
    /// For each task, the tasks it reads.
    reads: Vec<Vec<usize>>,
    /// For each task, the tasks that read it.
    readers: Vec<Vec<usize>>,
    /// For each task, the number of unfinished tasks it reads.
    waits: Vec<usize>,
    is_done: Vec<bool>,
    ready: Vec<usize>,
}

impl PostprocessOrder {
    /// The start of the sort.
    pub fn of(tasks: &[PostprocessTask]) -> PostprocessOrder {
        let numbers: HashMap<&str, usize> =
            tasks.iter().enumerate().map(|(number, task)| (task.path.as_str(), number)).collect();
        let mut order = PostprocessOrder {
            reads: vec![Vec::new(); tasks.len()],
            readers: vec![Vec::new(); tasks.len()],
            waits: vec![0; tasks.len()],
            is_done: vec![false; tasks.len()],
            ready: Vec::new(),
        };
        for (number, task) in tasks.iter().enumerate() {
            for read in task.reads.iter().filter_map(|path| numbers.get(path.as_str())) {
                order.reads[number].push(*read);
                order.readers[*read].push(number);
                order.waits[number] += 1;
            }
        }
        order.ready = (0..tasks.len()).filter(|number| order.waits[*number] == 0).collect();
        order
    }

    /// The tasks that can run now, and whether they form a cycle. None when all are done.
    pub fn next(&mut self) -> Option<(Vec<usize>, bool)> {
        let mut now = std::mem::take(&mut self.ready);
        let is_cycle = now.is_empty();
        if is_cycle {
            now = self.cycle();
        }
        for number in &now {
            assert!(!self.is_done[*number], "a task runs once");
            self.is_done[*number] = true;
        }
        for number in &now {
            for reader in &self.readers[*number] {
                assert!(self.waits[*reader] > 0, "a task waits for each of its reads once");
                self.waits[*reader] -= 1;
                if self.waits[*reader] == 0 && !self.is_done[*reader] {
                    self.ready.push(*reader);
                }
            }
        }
        self.ready.sort_unstable();
        (!now.is_empty()).then_some((now, is_cycle))
    }

    /// A strongly connected component without unfinished inputs. Empty when all are done.
    fn cycle(&self) -> Vec<usize> {
        let Some(mut at) = self.is_done.iter().position(|is_done| !is_done) else { return Vec::new() };
        loop {
            let (waited_for, waiting) = (self.reach(at, &self.reads), self.reach(at, &self.readers));
            match waited_for.difference(&waiting).next() {
                // It depends on fewer tasks than the one before, so this ends.
                Some(other) => at = *other,
                None => return waited_for.into_iter().collect(),
            }
        }
    }

    /// The unfinished tasks reachable from one, itself included.
    fn reach(&self, from: usize, next: &[Vec<usize>]) -> BTreeSet<usize> {
        let (mut reached, mut ends) = (BTreeSet::from([from]), vec![from]);
        while let Some(end) = ends.pop() {
            ends.extend(next[end].iter().filter(|number| !self.is_done[**number] && reached.insert(**number)));
        }
        reached
    }
}

/// The class that a path's extension names.
fn path_class(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}
