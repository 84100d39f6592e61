//! Questions over all tags: which are there for which a condition holds, and who is used by whom.
//!
//! Laws
//! 1. What is found is in the order of the paths.
//! 2. Tags of a class are also those of classes made from it: what is asked about them, they have.
//! 3. A tag is used by another if that one refers to it itself.
//! 4. Where the packed tags come from is the [`Provider`]'s affair; how long that takes and how long asking takes is told apart.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use host::parallel;
use tags::pack::Prepared;
use tags::packed::Packed;

use crate::limits::ASKED_AT_ONCE;
use crate::provider::Provider;
use crate::question::{Asker, Question};
use crate::tree::Tree;

/// Tags of a class for which a condition holds; without one, all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The class.
    pub class: String,
    /// The condition: an expression over its fields.
    pub condition: Option<String>,
}

/// A question over all tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub wanted: Wanted,
    /// Each of these must be true of some tag that refers to it.
    pub used_by: Vec<Wanted>,
    /// Each of these must be true of some tag that it refers to.
    pub uses: Vec<Wanted>,
    /// Expressions whose values are told of each.
    pub show: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The tags, in the order of their paths.
    pub found: Vec<Found>,
    /// How many tags were asked.
    pub asked: usize,
    /// For how many there is no answer, and why for the first.
    pub unanswered: usize,
    /// The first tag without an answer, and why it has none.
    pub why: Option<(String, String)>,
    /// How long it took to have the packed tags.
    pub loading: Duration,
    /// How long it took to ask them.
    pub asking: Duration,
}

/// A tag that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number in the tree.
    pub tag: usize,
    /// The values that are to be shown.
    pub values: Vec<String>,
}

/// Looks for tags.
pub fn find(tree: &Tree, provider: &mut dyn Provider, search: &Search) -> Result<Answer, String> {
    let prepared = tree.classes.named(&search.wanted.class)?;
    let show: Vec<Question> =
        search.show.iter().map(|text| Question::new(text, prepared.class())).collect::<Result<_, _>>()?;
    let mut answer = Answer::default();
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

/// The tags for which a condition holds, with their packed forms.
fn holds(
    tree: &Tree,
    provider: &mut dyn Provider,
    wanted: &Wanted,
    answer: &mut Answer,
) -> Result<Vec<(usize, Arc<Packed>)>, String> {
    let prepared = tree.classes.named(&wanted.class)?;
    let condition = wanted.condition.as_deref().map(|text| Question::new(text, prepared.class())).transpose()?;
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

fn ask(tags: &[Option<Arc<Packed>>], class: &Prepared, condition: Option<&Question>) -> Vec<Result<bool, String>> {
    let mut asker = condition.map(Asker::new);
    let truths = tags.iter().map(|packed| match (packed, &mut asker) {
        (None, _) => Err(String::from("it cannot be read")),
        (Some(_), None) => Ok(true),
        (Some(packed), Some(asker)) => asker.is_true(packed, class.class()),
    });
    truths.collect()
}

fn shown(found: &[(usize, Arc<Packed>)], class: &Prepared, show: &[Question]) -> Vec<Found> {
    let jobs: Vec<&[(usize, Arc<Packed>)]> = found.chunks(ASKED_AT_ONCE).collect();
    let rows = parallel::many(jobs.len(), parallel::threads(), |job| {
        let mut askers: Vec<Asker<'_>> = show.iter().map(Asker::new).collect();
        let rows = jobs[job].iter().map(|(tag, packed)| {
            let answer =
                |asker: &mut Asker<'_>| asker.answer(packed, class.class()).unwrap_or_else(|why| format!("({why})"));
            Found { tag: *tag, values: askers.iter_mut().map(answer).collect() }
        });
        rows.collect::<Vec<Found>>()
    });
    rows.into_iter().flatten().collect()
}
