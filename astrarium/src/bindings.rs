//! The values of a world that interfaces show: their lambdas are evaluated on the world's thread in the synchronous window, and the
//! answers travel to the thread of presentation.
//!
//! Laws
//! 1. An evaluation reads the world between two cycles and changes nothing; what it costs is not counted there.
//! 2. A publication evaluates at most [`EVALUATIONS_MAX`] bindings, so that a large interface does not stop the world. If more are
//!    wanted, they take turns, and a turn ends when its answers were seen; so every one is answered.
//! 3. Neither side waits for the other: if both want the list at once, the world uses it with the next publication.

use std::sync::{Arc, Mutex, PoisonError};

use gui::{Answer, Binding, BindingFault, Workspace};
use host::exchange::{Publisher, Subscriber, exchange};

use crate::extractor::Extractor;
use crate::publication::Publication;
use crate::session::Session;

/// The most bindings that are evaluated for one publication.
const EVALUATIONS_MAX: usize = 2048;

/// The milliseconds of a brush cycle that scripts see.
const NANOS_PER_MILLISECOND: f64 = 1e6;

/// An answer to a binding.
#[derive(Clone, Debug)]
pub struct BindingAnswer {
    /// The local player whose interface asks.
    pub player: u8,
    /// The number of the binding.
    pub id: u64,
    /// Its value.
    pub answer: Answer,
    /// What is wrong in it.
    pub fault: Option<BindingFault>,
}

type Wanted = Arc<Mutex<Vec<(u8, Binding)>>>;

/// The side of the world.
pub struct BindingExtractor {
    wanted: Wanted,
    workspace: Workspace,
    publisher: Publisher<Vec<BindingAnswer>>,
    /// The place in the list where the turn begins, and the number of bindings in it.
    turn: (usize, usize),
}

/// The side of presentation.
pub struct BindingReader {
    wanted: Wanted,
    subscriber: Subscriber<Vec<BindingAnswer>>,
}

/// The two sides.
pub fn bindings() -> (BindingExtractor, BindingReader) {
    let wanted = Wanted::default();
    let (publisher, subscriber) = exchange(Vec::new);
    let (workspace, turn) = (Workspace::default(), (0, 0));
    let extractor = BindingExtractor { wanted: Arc::clone(&wanted), workspace, publisher, turn };
    (extractor, BindingReader { wanted, subscriber })
}

/// Evaluates bindings about a session's world, all of them.
pub fn evaluate<'a>(
    session: &Session,
    wanted: impl IntoIterator<Item = &'a (u8, Binding)>,
    workspace: &mut Workspace,
    answers: &mut Vec<BindingAnswer>,
) {
    answers.clear();
    let mut wanted = wanted.into_iter();
    let now = session.world().cycle() as f64 * (session.lengths().brush_nanos as f64 / NANOS_PER_MILLISECOND);
    session.game().observe(session.world(), &mut |outside| {
        for (player, binding) in wanted.by_ref() {
            let answer = binding.evaluate(outside, now, workspace);
            answers.push(BindingAnswer { player: *player, id: binding.id, answer, fault: workspace.take_fault() });
        }
    });
}

impl Extractor for BindingExtractor {
    fn publish(&mut self, _: &Arc<Publication>, session: &Session) -> bool {
        let Ok(wanted) = self.wanted.try_lock() else { return true };
        if !wanted.is_empty() {
            let (before, evaluated) = self.turn;
            let first = if self.publisher.is_seen() { before + evaluated } else { before } % wanted.len();
            let count = wanted.len().min(EVALUATIONS_MAX);
            self.turn = (first, count);
            let turn = wanted.iter().cycle().skip(first).take(count);
            evaluate(session, turn, &mut self.workspace, self.publisher.back());
            self.publisher.publish();
        }
        !self.publisher.is_alone()
    }
}

impl BindingReader {
    /// Says what is wanted from now on.
    pub fn want(&mut self, wanted: Vec<(u8, Binding)>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = wanted;
    }

    /// The newest answers, if there are newer ones than last time.
    pub fn take(&mut self) -> Option<&[BindingAnswer]> {
        self.subscriber.update().then(|| self.subscriber.value().as_slice())
    }
}
