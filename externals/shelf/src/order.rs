//! In which order tags are postprocessed: each when all that it may read are ready.
//!
//! Laws
//! 1. The order follows from the tags and their references alone: it is the same for a tree and for tags that are part of a
//!    program.
//! 2. Tags that read each other in a circle come together, when nothing else is left to do before them; they see nothing of each
//!    other.

use std::collections::{BTreeSet, HashMap};

use script::report::Report;
use script::source::Span;
use tags::Classes;
use tags::packed::Packed;

/// A tag to be postprocessed, and what it may read: paths, sorted.
pub struct Task {
    /// Its path.
    pub path: String,
    /// The paths of those that it may read.
    pub reads: Vec<String>,
}

/// The tags that are postprocessed, of all these: paths, and what their texts alone give.
pub fn tasks<'a>(classes: &Classes, tags: impl Iterator<Item = (&'a str, &'a Packed)>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (path, packed) in tags {
        let name = path_class(path);
        let Some(class) = classes.get(name).filter(|_| classes.has_postprocess(name)) else { continue };
        let may_read = |path: &&str| class.class().reads.iter().any(|read| classes.is_a(path_class(path), read));
        let reads: BTreeSet<&str> = packed.links().map(|link| link.path).filter(may_read).collect();
        tasks.push(Task { path: path.to_string(), reads: reads.into_iter().map(str::to_string).collect() });
    }
    tasks
}

impl Task {
    /// What is told of one that waits in a circle.
    pub fn circle(&self) -> Report {
        let message = format!(
            "the postprocess of `{}` waits, in a circle, for tags that wait for others: {}",
            self.path,
            self.reads.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ")
        );
        Report::error(Span::default(), message).with_help("it sees none of them; take one of the references out")
    }
}

/// In which order tasks can be done.
pub struct Order {
    /// For each task, those that its own reads.
    reads: Vec<Vec<usize>>,
    /// For each task, those that read its tag.
    readers: Vec<Vec<usize>>,
    /// For each task, how many of the tasks it reads are not done.
    waits: Vec<usize>,
    is_done: Vec<bool>,
    ready: Vec<usize>,
}

impl Order {
    /// Before anything is done.
    pub fn of(tasks: &[Task]) -> Order {
        let numbers: HashMap<&str, usize> =
            tasks.iter().enumerate().map(|(number, task)| (task.path.as_str(), number)).collect();
        let mut order = Order {
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

    /// The tasks that can be done now, and whether only because they wait for each other. None when all are done.
    pub fn next(&mut self) -> Option<(Vec<usize>, bool)> {
        let mut now = std::mem::take(&mut self.ready);
        let is_circle = now.is_empty();
        if is_circle {
            now = self.circle();
        }
        now.iter().for_each(|number| self.is_done[*number] = true);
        for number in &now {
            for reader in &self.readers[*number] {
                self.waits[*reader] = self.waits[*reader].saturating_sub(1);
                if self.waits[*reader] == 0 && !self.is_done[*reader] {
                    self.ready.push(*reader);
                }
            }
        }
        self.ready.sort_unstable();
        (!now.is_empty()).then_some((now, is_circle))
    }

    /// Some that wait for each other, and for nobody else. None when all are done.
    fn circle(&self) -> Vec<usize> {
        let Some(mut at) = self.is_done.iter().position(|is_done| !is_done) else { return Vec::new() };
        loop {
            let (waited_for, waiting) = (self.reach(at, &self.reads), self.reach(at, &self.readers));
            match waited_for.difference(&waiting).next() {
                // It waits for fewer than the one before, so this ends.
                Some(other) => at = *other,
                None => return waited_for.into_iter().collect(),
            }
        }
    }

    /// What is left and can be come to, with where it begins.
    fn reach(&self, from: usize, next: &[Vec<usize>]) -> BTreeSet<usize> {
        let (mut reached, mut ends) = (BTreeSet::from([from]), vec![from]);
        while let Some(end) = ends.pop() {
            ends.extend(next[end].iter().filter(|number| !self.is_done[**number] && reached.insert(**number)));
        }
        reached
    }
}

/// The class that a path names.
fn path_class(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}
