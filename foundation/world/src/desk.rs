//! The desks at which objects are asked. What lies on a desk cannot change a result: it is room to work in, results that come
//! out the same, and counts of what was looked at.

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

use base::Handle;
use script::cache::{Cache, Policy};
use script::machine::{Limits, Scratch};
use script::value::Value;
use state::Desks;

use crate::limits::{CHUNK_OBJECTS, DESKS, ROW_VALUES_MAX};
use crate::mould::Moulds;
use crate::object::Object;

/// Results that each desk keeps.
const RESULTS_MAX: usize = 1024;

/// The stages of a cycle, by their names, in their order.
pub const STAGES: [&str; 12] = [
    "simulate",
    "input",
    "destroy",
    "spawn",
    "message",
    "damage",
    "callback",
    "physics",
    "motion",
    "tag changes",
    "end",
    "the game's own",
];

/// Where objects are asked.
pub struct Minds {
    desks: Desks<Scratch>,
    /// A row to work on while an object is carried over.
    spare: Desks<Vec<Value>>,
    /// How many objects queries have looked at in this cycle, and how often one was cut short. Sums, so that it does not matter
    /// who counted first.
    looked: AtomicU64,
    cut: AtomicU64,
    /// The handle of the object that is being watched; zero if none is.
    watched: AtomicU32,
    /// The stage that is being worked out, while an object is watched.
    stage: AtomicU32,
    written: Desks<Vec<Written>>,
}

/// A variable was set, in a world that is being watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Whose.
    pub object: Handle<Object>,
    /// Which.
    pub variable: u32,
    /// By which function of the object's mould; none if it was no script.
    pub function: Option<u32>,
    /// Where that stands in its tag's text.
    pub start: u32,
    /// In which stage of the cycle, by its place in [`STAGES`].
    pub stage: u32,
    /// When.
    pub cycle: u64,
    /// Before it was set, and after.
    pub before: Value,
    /// See above.
    pub after: Value,
}

impl Minds {
    /// Desks for scripts with these limits, and objects made from these moulds.
    pub fn new(limits: Limits, moulds: &[&Moulds]) -> Minds {
        let rows = moulds.iter().flat_map(|moulds| moulds.iter()).map(|mould| mould.row.len()).max().unwrap_or(0);
        let desks = Desks::new(DESKS, || {
            let mut cache = Cache::new(Policy::Paying, RESULTS_MAX);
            // Nothing may be allocated while stepping, also not by a desk that is used for the first time.
            for program in moulds.iter().filter_map(|moulds| moulds.programs().get(0)) {
                cache = cache.ready_for(program);
            }
            Scratch::with_cache(limits, cache).ready_for_rows(rows)
        });
        Minds {
            desks,
            spare: Desks::new(1, || alloc::vec![Value::NOTHING; ROW_VALUES_MAX]),
            looked: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            watched: AtomicU32::new(0),
            stage: AtomicU32::new(0),
            written: Desks::new(1, Vec::new),
        }
    }

    /// Works at a free desk. Objects of a chunk are one worker's, so that workers seldom want the same one.
    #[inline]
    pub fn with<R>(&self, object: Handle<Object>, work: impl FnOnce(&mut Scratch) -> R) -> R {
        self.desks.with(usize::from(object.slot()) / CHUNK_OBJECTS as usize, work)
    }

    /// Works with a spare row.
    pub fn with_row<R>(&self, work: impl FnOnce(&mut [Value]) -> R) -> R {
        self.spare.with(0, |spare| work(spare))
    }

    /// A query has looked at so many objects.
    #[inline]
    pub fn look(&self, cost: u64, is_cut: bool) {
        self.looked.fetch_add(cost, Relaxed);
        if is_cut {
            self.cut.fetch_add(1, Relaxed);
        }
    }

    /// How many objects were looked at in this cycle, and how many queries were cut short. Begins to count anew.
    pub fn take_looked(&self) -> (u64, u64) {
        (self.looked.swap(0, Relaxed), self.cut.swap(0, Relaxed))
    }

    /// From now on what is set of this object is written down, with the place of each set. This takes memory while stepping, and
    /// changes nothing else.
    pub fn watch(&self, object: Handle<Object>) {
        self.watched.store(if object.is_none() { 0 } else { object.raw() }, Relaxed);
        self.written.with(0, Vec::clear);
    }

    /// The object that is being watched, if one is.
    #[inline]
    pub fn watched(&self) -> Option<Handle<Object>> {
        let raw = self.watched.load(Relaxed);
        (raw != 0).then(|| Handle::from_raw(raw))
    }

    /// A stage begins.
    pub fn begin_stage(&self, stage: u32) {
        self.stage.store(stage, Relaxed);
    }

    /// The stage that is being worked out.
    pub fn stage(&self) -> u32 {
        self.stage.load(Relaxed)
    }

    /// Whether an object is being watched.
    #[inline]
    pub fn is_watched(&self, object: Handle<Object>) -> bool {
        self.watched.load(Relaxed) == object.raw()
    }

    /// Writes down what was set.
    pub fn write(&self, written: impl IntoIterator<Item = Written>) {
        self.written.with(0, |list| list.extend(written));
    }

    /// Whether a script has set a variable of the watched object in this stage.
    pub fn is_written(&self, cycle: u64, stage: u32, variable: u32) -> bool {
        let is_it = |written: &Written| (written.cycle, written.stage, written.variable) == (cycle, stage, variable);
        self.written.with(0, |list| list.iter().rev().any(is_it))
    }

    /// What was set of the watched object since the last call.
    pub fn take_written(&self) -> Vec<Written> {
        self.written.with(0, core::mem::take)
    }
}
