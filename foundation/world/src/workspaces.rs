//! The per-worker workspaces of scripts, the counters of queries, and the recording of a watched object. Nothing here can change a
//! result.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

use base::Handle;
use jobs::PerWorker;
use script::cache::{Cache, Policy};
use script::machine::{Limits, Scratch};
use script::meter::{Meter, PlaceFuel};
use script::value::Value;

use crate::limits::{CHUNK_OBJECTS, DESKS, GRAPH_VALUES_MAX, ROW_VALUES_MAX};
use crate::object::Object;
use crate::profiling::{ObjectCost, ObjectMeasuring, ProfileClock};
use crate::prototype::Prototypes;
use crate::question::Hits;

/// The result cache entries of each workspace.
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
    "placement",
    "physics",
    "tag changes",
    "end",
    "the game's own",
];

/// The workspaces in which scripts are evaluated.
pub struct ScriptWorkspaces {
    desks: PerWorker<Scratch>,
    /// The hits of the query that is being answered.
    hits: PerWorker<OwnLine<Hits>>,
    /// A spare row for carrying an object over to a new prototype.
    spare: PerWorker<Vec<Value>>,
    /// Rows for the lambdas of animation graphs, which are evaluated about objects.
    graphs: PerWorker<Vec<Value>>,
    /// The candidates that queries visited in this cycle, and the queries that were cut. Sums, so that the order of workers does
    /// not matter.
    looked: AtomicU64,
    cut: AtomicU64,
    /// The handle of the watched object; zero if there is none.
    watched: AtomicU32,
    /// The current stage, while an object is watched.
    stage: AtomicU32,
    written: PerWorker<Vec<VariableWrite>>,
    /// The measuring of objects, while a profile is taken.
    measuring: ObjectMeasuring,
}

/// A value in cache lines of its own, so that workers do not slow each other down.
#[repr(align(128))]
struct OwnLine<T>(T);

/// A write to a variable of the watched object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableWrite {
    /// The object.
    pub object: Handle<Object>,
    /// The variable.
    pub variable: u32,
    /// The function of the object's prototype; none if no script wrote it.
    pub function: Option<u32>,
    /// The start of its span in the tag's text.
    pub start: u32,
    /// The stage, by its index in [`STAGES`].
    pub stage: u32,
    /// The cycle.
    pub cycle: u64,
    /// The value before.
    pub before: Value,
    /// The value after.
    pub after: Value,
}

impl ScriptWorkspaces {
    /// Workspaces for scripts with these limits and these prototypes.
    pub fn new(limits: Limits, prototypes: &[&Prototypes]) -> ScriptWorkspaces {
        ScriptWorkspaces::with_desks(DESKS, limits, prototypes)
    }

    /// The same for this many workers.
    pub fn with_desks(count: usize, limits: Limits, prototypes: &[&Prototypes]) -> ScriptWorkspaces {
        let rows = prototypes
            .iter()
            .flat_map(|prototypes| prototypes.iter())
            .map(|prototype| prototype.row.len())
            .max()
            .unwrap_or(0);
        let desks = PerWorker::new(count, || {
            let mut cache = Cache::new(Policy::Paying, RESULTS_MAX);
            // Stepping does not allocate, not even at the first use of a workspace.
            for program in prototypes.iter().filter_map(|prototypes| prototypes.programs().get(0)) {
                cache = cache.ready_for(program);
            }
            Scratch::with_cache(limits, cache).ready_for_rows(rows)
        });
        ScriptWorkspaces {
            desks,
            hits: PerWorker::new(count, || OwnLine(Hits::new(limits.values as usize))),
            graphs: PerWorker::new(count, || alloc::vec![Value::NOTHING; graph_values(prototypes)]),
            spare: PerWorker::new(1, || alloc::vec![Value::NOTHING; ROW_VALUES_MAX]),
            looked: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            watched: AtomicU32::new(0),
            stage: AtomicU32::new(0),
            written: PerWorker::new(1, Vec::new),
            measuring: ObjectMeasuring::new(),
        }
    }

    /// Works in a free workspace. All objects of a chunk are one worker's, so that workers seldom contend.
    #[inline]
    pub fn with<R>(&self, object: Handle<Object>, work: impl FnOnce(&mut Scratch) -> R) -> R {
        self.desks.with(usize::from(object.slot()) / CHUNK_OBJECTS as usize, work)
    }

    /// Works with a free list of hits, which may hold those of an earlier query.
    #[inline]
    pub(crate) fn with_hits<R>(&self, asker: Handle<Object>, work: impl FnOnce(&mut Hits) -> R) -> R {
        self.hits.with(usize::from(asker.slot()) / CHUNK_OBJECTS as usize, |hits| work(&mut hits.0))
    }

    /// Works with a spare row.
    pub fn with_row<R>(&self, work: impl FnOnce(&mut [Value]) -> R) -> R {
        self.spare.with(0, |spare| work(spare))
    }

    /// Works with a row for the lambdas of an animation graph.
    pub fn with_graph_row<R>(&self, object: Handle<Object>, work: impl FnOnce(&mut [Value]) -> R) -> R {
        self.graphs.with(usize::from(object.slot()) / CHUNK_OBJECTS as usize, |row| work(row))
    }

    /// Counts the visited candidates of a query.
    #[inline]
    pub fn look(&self, cost: u64, is_cut: bool) {
        self.looked.fetch_add(cost, Relaxed);
        if is_cut {
            self.cut.fetch_add(1, Relaxed);
        }
    }

    /// Takes the counts of visited candidates and of cut queries.
    pub fn take_query_counts(&self) -> (u64, u64) {
        (self.looked.swap(0, Relaxed), self.cut.swap(0, Relaxed))
    }

    /// Allocates the tables of a profile for this many prototypes.
    pub(crate) fn prepare_profile(&self, clock: &ProfileClock, prototypes: usize) {
        self.measuring.prepare(clock, prototypes);
        for number in 0..self.desks.count() {
            self.desks.with(number, |scratch| scratch.set_meter(Some(Box::new(Meter::new(prototypes)))));
        }
    }

    /// The measuring of objects.
    #[inline]
    pub(crate) fn measuring(&self) -> &ObjectMeasuring {
        &self.measuring
    }

    /// Takes the costs of the cycle. A prototype may come several times.
    pub(crate) fn take_costs(&self, mut take: impl FnMut(u32, ObjectCost)) {
        self.measuring.take(&mut take);
        self.each_meter(|meter| {
            meter.take_programs(|number, row| {
                take(number, ObjectCost { evaluations: row.evaluations, fuel: row.fuel, ..ObjectCost::default() });
            });
        });
    }

    /// Takes the fuel of places since the last call.
    pub(crate) fn take_places(&self, mut take: impl FnMut(PlaceFuel)) {
        self.each_meter(|meter| meter.take_places(&mut take));
    }

    fn each_meter(&self, mut work: impl FnMut(&mut Meter)) {
        for number in 0..self.desks.count() {
            self.desks.with(number, |scratch| scratch.meter().map(&mut work));
        }
    }

    /// Records all writes to this object's variables from now on. Recording allocates while stepping, and changes nothing else.
    pub fn watch(&self, object: Handle<Object>) {
        self.watched.store(if object.is_none() { 0 } else { object.raw() }, Relaxed);
        self.written.with(0, Vec::clear);
    }

    /// The watched object.
    #[inline]
    pub fn watched(&self) -> Option<Handle<Object>> {
        let raw = self.watched.load(Relaxed);
        (raw != 0).then(|| Handle::from_raw(raw))
    }

    /// A stage begins.
    pub fn begin_stage(&self, stage: u32) {
        self.stage.store(stage, Relaxed);
    }

    /// The current stage.
    pub fn stage(&self) -> u32 {
        self.stage.load(Relaxed)
    }

    /// Whether this object is watched.
    #[inline]
    pub fn is_watched(&self, object: Handle<Object>) -> bool {
        self.watched.load(Relaxed) == object.raw()
    }

    /// Records writes.
    pub fn write(&self, written: impl IntoIterator<Item = VariableWrite>) {
        self.written.with(0, |list| list.extend(written));
    }

    /// Whether a script has set a variable of the watched object in this stage.
    pub fn is_written(&self, cycle: u64, stage: u32, variable: u32) -> bool {
        let is_it =
            |written: &VariableWrite| (written.cycle, written.stage, written.variable) == (cycle, stage, variable);
        self.written.with(0, |list| list.iter().rev().any(is_it))
    }

    /// Takes the writes since the last call.
    pub fn take_written(&self) -> Vec<VariableWrite> {
        self.written.with(0, core::mem::take)
    }
}

/// The values of the largest row that the lambdas of a graph need; none without graphs.
fn graph_values(prototypes: &[&Prototypes]) -> usize {
    let programs =
        prototypes.iter().flat_map(|prototypes| prototypes.graphs()).filter_map(|graph| graph.program.as_ref());
    programs.map(|program| program.row.len() + GRAPH_VALUES_MAX).max().unwrap_or(0)
}
