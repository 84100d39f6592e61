//! Reference cycles: tags that refer to themselves, directly or through others.

use std::collections::HashMap;

use script::report::Report;

use super::Loaded;
use crate::limits::CYCLES_MAX;
use crate::report::{TagReport, span_of};
use crate::tree::Shelf;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Never,
    Ongoing,
    Done,
}

/// Reports each reference that closes a cycle: the back edges of an iterative depth-first search.
pub(super) fn report(shelf: &Shelf, loaded: &mut Loaded) {
    let graph = Graph::of(loaded);
    let mut reports = Vec::new();
    for circle in graph.cycles() {
        let path = graph.paths[circle[circle.len() - 1]];
        let target = graph.paths[circle[0]];
        let source = shelf.text(path);
        let link = loaded.tags.get(path).and_then(|tag| tag.packed.links().find(|link| link.path == target));
        let names: Vec<&str> = circle.iter().take(8).map(|number| graph.paths[*number]).collect();
        let more = if circle.len() > 8 { " → …" } else { "" };
        let message = format!("this reference closes a cycle: {}{more} → {target}", names.join(" → "));
        let report = Report::warning(span_of(&source, link.map_or(0, |link| link.place)), message)
            .with_help("if that is not intended, remove one of the references");
        reports.push(TagReport::in_text(path, &source, report));
    }
    loaded.reports.extend(reports);
}

struct Graph<'a> {
    paths: Vec<&'a str>,
    links: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn of(loaded: &'a Loaded) -> Graph<'a> {
        let paths: Vec<&str> = loaded.tags.keys().map(String::as_str).collect();
        let numbers: HashMap<&str, usize> = paths.iter().enumerate().map(|(number, path)| (*path, number)).collect();
        let links = loaded.tags.values();
        let links = links.map(|tag| tag.packed.links().filter_map(|link| numbers.get(link.path).copied()).collect());
        Graph { links: links.collect(), paths }
    }

    /// The cycles that the search closes, each from its first tag to the tag that refers back to it.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let mut visits = vec![Visit::Never; self.paths.len()];
        let mut cycles = Vec::new();
        for start in 0..self.paths.len() {
            if visits[start] != Visit::Never {
                continue;
            }
            // The path from the start; for each tag, the number of links followed.
            let mut way: Vec<(usize, usize)> = vec![(start, 0)];
            visits[start] = Visit::Ongoing;
            while let Some((tag, followed)) = way.last_mut() {
                let Some(target) = self.links[*tag].get(*followed).copied() else {
                    visits[*tag] = Visit::Done;
                    way.pop();
                    continue;
                };
                *followed += 1;
                match visits[target] {
                    Visit::Never => {
                        visits[target] = Visit::Ongoing;
                        way.push((target, 0));
                    }
                    Visit::Ongoing if cycles.len() < CYCLES_MAX => {
                        let from = way.iter().position(|(tag, _)| *tag == target).unwrap_or(0);
                        cycles.push(way[from..].iter().map(|(tag, _)| *tag).collect());
                    }
                    _ => {}
                }
            }
        }
        cycles
    }
}
