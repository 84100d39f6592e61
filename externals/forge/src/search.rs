//! Search: tags that satisfy a condition, and their relations.
//!
//! Laws
//! 1. Results are sorted by path.
//! 2. Tags of a class include those of derived classes, which have all its fields.
//! 3. A tag is used by another if that one refers to it directly.
//! 4. The [`Provider`] decides where packed tags come from; loading and evaluating are timed separately.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use host::parallel;
use tags::pack::Prepared;
use tags::packed::Packed;

use crate::limits::ASKED_AT_ONCE;
use crate::provider::Provider;
use crate::query::{Query, QueryRunner};
use crate::query_error::{AnswerError, SearchError};
use crate::tree::Tree;

/// Tags of a class that satisfy a condition; without one, all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagFilter {
    /// The class.
    pub class: String,
    /// The condition: an expression over the fields.
    pub condition: Option<String>,
}

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The wanted tags.
    pub wanted: TagFilter,
    /// Each must be satisfied by some tag that refers to it.
    pub used_by: Vec<TagFilter>,
    /// Each must be satisfied by some tag that it refers to.
    pub uses: Vec<TagFilter>,
    /// Expressions whose values are listed for each result.
    pub show: Vec<String>,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// The tags, sorted by path.
    pub found: Vec<SearchHit>,
    /// The number of tags evaluated.
    pub asked: usize,
    /// The number of tags for which the condition could not be evaluated.
    pub unanswered: usize,
    /// The first of them, and why.
    pub why: Option<(String, AnswerError)>,
    /// The time it took to load the packed tags.
    pub loading: Duration,
    /// The time it took to evaluate them.
    pub asking: Duration,
}

/// A tag that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// Its number in the tree.
    pub tag: usize,
    /// The values of the listed expressions.
    pub values: Vec<String>,
}

/// Searches a tree.
pub fn find(tree: &Tree, provider: &mut dyn Provider, search: &Search) -> Result<SearchResult, SearchError> {
    let prepared = tree.classes.named(&search.wanted.class)?;
    let show: Vec<Query> =
        search.show.iter().map(|text| Query::new(text, prepared.class())).collect::<Result<_, _>>()?;
    let mut answer = SearchResult::default();
    let mut found = holds(tree, provider, &search.wanted, &mut answer)?;
    for wanted in &search.used_by {
        let users = holds(tree, provider, wanted, &mut answer)?;
        let used: BTreeSet<&str> = users.iter().flat_map(|(_, packed)| packed.links().map(|link| link.path)).collect();
        found.retain(|(tag, _)| used.contains(tree.tags[*tag].path.as_str()));
    }
    for wanted in &search.uses {
        let there = holds(tree, provider, wanted, &mut answer)?;
        let there: BTreeSet<&str> = there.iter().map(|(tag, _)| tree.tags[*tag].path.as_str()).collect();
        found.retain(|(_, packed)| packed.links().any(|link| there.contains(link.path)));
    }
    let begun = Instant::now();
    answer.found = shown(&found, prepared, &show);
    answer.asking += begun.elapsed();
    Ok(answer)
}

/// The tags that satisfy a condition, with their packed forms.
fn holds(
    tree: &Tree,
    provider: &mut dyn Provider,
    wanted: &TagFilter,
    answer: &mut SearchResult,
) -> Result<Vec<(usize, Arc<Packed>)>, SearchError> {
    let prepared = tree.classes.named(&wanted.class)?;
    let condition = wanted.condition.as_deref().map(|text| Query::new(text, prepared.class())).transpose()?;
    let begun = Instant::now();
    let of_class = (0..tree.tags.len()).filter(|tag| tree.classes.is_a(tree.tags[*tag].path.class(), &wanted.class));
    let which: Vec<usize> = of_class.collect();
    let packed = provider.packed(tree, &which);
    answer.loading += begun.elapsed();
    answer.asked += which.len();
    let begun = Instant::now();
    let jobs: Vec<&[Option<Arc<Packed>>]> = packed.chunks(ASKED_AT_ONCE).collect();
    let truths = parallel::many(jobs.len(), parallel::threads(), |job| ask(jobs[job], prepared, condition.as_ref()));
    let mut found = Vec::new();
    for ((tag, truth), packed) in which.into_iter().zip(truths.into_iter().flatten()).zip(packed) {
        match (truth, packed) {
            (Ok(true), Some(packed)) => found.push((tag, packed)),
            (Ok(_), _) => {}
            (Err(why), _) => {
                answer.unanswered += 1;
                answer.why.get_or_insert_with(|| (tree.shown(tree.tags[tag].path.as_str()), why));
            }
        }
    }
    answer.asking += begun.elapsed();
    Ok(found)
}

fn ask(tags: &[Option<Arc<Packed>>], class: &Prepared, condition: Option<&Query>) -> Vec<Result<bool, AnswerError>> {
    let mut asker = condition.map(QueryRunner::new);
    let truths = tags.iter().map(|packed| match (packed, &mut asker) {
        (None, _) => Err(AnswerError::Unreadable),
        (Some(_), None) => Ok(true),
        (Some(packed), Some(asker)) => asker.is_true(packed, class.class()),
    });
    truths.collect()
}

fn shown(found: &[(usize, Arc<Packed>)], class: &Prepared, show: &[Query]) -> Vec<SearchHit> {
    let jobs: Vec<&[(usize, Arc<Packed>)]> = found.chunks(ASKED_AT_ONCE).collect();
    let rows = parallel::many(jobs.len(), parallel::threads(), |job| {
        let mut askers: Vec<QueryRunner<'_>> = show.iter().map(QueryRunner::new).collect();
        let rows = jobs[job].iter().map(|(tag, packed)| {
            let answer = |asker: &mut QueryRunner<'_>| {
                asker.answer(packed, class.class()).unwrap_or_else(|why| format!("({why})"))
            };
            SearchHit { tag: *tag, values: askers.iter_mut().map(answer).collect() }
        });
        rows.collect::<Vec<SearchHit>>()
    });
    rows.into_iter().flatten().collect()
}
