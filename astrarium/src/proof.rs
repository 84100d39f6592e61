//! The proof of determinism: the same world is run in many configurations, and every hash must be the same.
//!
//! A reference run (one worker, default settings) records the hash of every safe cycle. Then the game is run again in
//! configurations that must not matter; the first hash that differs ends a run, and both worlds are compared field by
//! field at the first brush cycle in which they differ. A run that panics is reported like one that differs.
//!
//! | run | finds |
//! |---|---|
//! | again | clocks, random maps, counters outside the world, addresses |
//! | n workers | work divided by the number of threads, results in the order of threads |
//! | shuffled | queues and chunks processed in order of arrival |
//! | garbage | reads of dead elements |
//! | checked | results that depend on the checks; writes to the frozen block |
//! | saving | saves that change the world |
//! | moving | state outside the block: every cycle the world moves into another block full of garbage, often with a new instance of the game |
//! | twice | caches: every cycle is run, rolled back, and run again |
//!
//! Other builds and other processors cannot be tested by a single process: run `astrarium play` on each of them and
//! compare the chains.

use std::panic::{self, AssertUnwindSafe};

use host::allocation;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use state::{Alone, Settings, Snapshot, Workers};

use crate::crash::panic_message;
use crate::difference::describe;
use crate::game::GameEntry;
use crate::session::{Session, Start};

/// The parameters of a proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The level.
    pub level: String,
    /// The number of brush cycles.
    pub cycles: u64,
    /// The seed of all random draws.
    pub seed: u64,
    /// The number of players.
    pub players: u16,
    /// The worker counts to try.
    pub workers: Vec<u32>,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The run's name.
    pub run: String,
    /// The chain, if it equals that of the reference.
    pub chain: Option<u64>,
    /// The divergence; empty if there is none.
    pub trouble: String,
}

/// A configuration that must not change the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunMode {
    Plain,
    Saving,
    Moving,
    Twice,
}

struct Run {
    name: String,
    mode: RunMode,
    workers: u32,
    settings: Settings,
}

impl Proof {
    /// Runs all configurations. The first verdict is the reference.
    pub fn run(&self, entry: &GameEntry) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        self.run_each(entry, |verdict| verdicts.push(verdict));
        verdicts
    }

    /// The same; `report` receives each verdict as soon as it is known.
    pub fn run_each(&self, entry: &GameEntry, mut report: impl FnMut(Verdict)) {
        let plain = Settings { is_checked: false, ..Settings::default() };
        let run = |name: &str, mode, workers, settings| Run { name: name.to_string(), mode, workers, settings };
        let reference = match caught(|| self.reference(entry, plain)) {
            Ok(reference) => reference,
            Err(trouble) => return report(Verdict { run: String::from("reference"), chain: None, trouble }),
        };
        report(reference.verdict());
        let mut runs = vec![run("again", RunMode::Plain, 1, plain)];
        for count in &self.workers {
            runs.push(run(&format!("{count} workers"), RunMode::Plain, *count, plain));
        }
        for seed in [1, 0x5eed] {
            let settings = Settings { shuffle: seed, ..plain };
            runs.push(run(&format!("shuffled, seed {seed}"), RunMode::Plain, 3, settings));
        }
        for garbage in [0x00, 0xaa, 0xff] {
            let settings = Settings { garbage, ..plain };
            runs.push(run(&format!("garbage {garbage:#04x}"), RunMode::Plain, 1, settings));
        }
        runs.push(run("checked", RunMode::Plain, 2, Settings { is_checked: true, ..plain }));
        runs.push(run("saving every cycle", RunMode::Saving, 1, plain));
        runs.push(run("moving every cycle", RunMode::Moving, 1, plain));
        runs.push(run("every cycle twice", RunMode::Twice, 1, plain));
        for run in runs {
            let verdict = caught(|| self.compare(entry, &reference, &run));
            report(verdict.unwrap_or_else(|trouble| Verdict { run: run.name, chain: None, trouble }));
        }
    }

    fn start(&self, settings: Settings) -> Start {
        Start { level: self.level.clone(), seed: self.seed, players: self.players, settings }
    }

    fn reference(&self, entry: &GameEntry, settings: Settings) -> Reference {
        let mut session = session_of(entry, &self.start(settings));
        let before = allocation::allocations_while_forbidden();
        let mut chains = Vec::new();
        while session.world().cycle() < self.cycles {
            session.step(&Alone);
            if session.lengths().is_safe(session.world().cycle()) {
                chains.push(session.chain());
            }
        }
        let allocations = allocation::allocations_while_forbidden() - before;
        Reference { chains, hash: session.hash(), allocations, settings }
    }

    fn compare(&self, entry: &GameEntry, reference: &Reference, run: &Run) -> Verdict {
        let pool = ThreadPool::new(run.workers);
        let pool = if run.settings.shuffle == 0 { pool } else { pool.with_shuffle(run.settings.shuffle) };
        let mut runner = ProofRunner::new(entry, &self.start(run.settings), run.mode);
        let mut safe = 0;
        while runner.cycle() < self.cycles {
            runner.step(&pool);
            if runner.is_safe() {
                if runner.chain() != reference.chains[safe] {
                    return self.locate(entry, reference, run, &pool, runner.cycle());
                }
                safe += 1;
            }
        }
        // The chain ends with the last safe cycle; there may be a few brush cycles after it.
        if runner.session().hash() != reference.hash {
            return self.locate(entry, reference, run, &pool, self.cycles);
        }
        Verdict { run: run.name.clone(), chain: Some(runner.chain()), trouble: String::new() }
    }

    /// Runs both again, side by side, up to the first brush cycle that differs, and describes the difference.
    fn locate(&self, entry: &GameEntry, reference: &Reference, run: &Run, pool: &ThreadPool, end: u64) -> Verdict {
        let verdict = |trouble: String| Verdict { run: run.name.clone(), chain: None, trouble };
        let mut expected = session_of(entry, &self.start(reference.settings));
        let mut found = ProofRunner::new(entry, &self.start(run.settings), run.mode);
        while expected.world().cycle() < end {
            expected.step(&Alone);
            found.step(pool);
            if expected.hash() != found.session().hash() {
                return verdict(self.explain(entry, reference, &expected, found.session()));
            }
        }
        verdict(format!("not reproducible: it differed before cycle {end}, but not when it was run again"))
    }
}

impl Proof {
    /// The difference between two sessions that have just diverged, in the game's terms where it has some; and for a
    /// variable of an object, its last write.
    fn explain(&self, entry: &GameEntry, reference: &Reference, expected: &Session, found: &Session) -> String {
        let list = describe(expected, found, 3);
        let mut lines: Vec<String> = list.iter().map(|described| described.line.clone()).collect();
        let raw = list.iter().find_map(|described| expected.game().object_of(&described.difference, expected.world()));
        if let Some((object, variable)) = raw {
            let mut again = session_of(entry, &self.start(reference.settings));
            while again.world().cycle() + 1 < expected.world().cycle() {
                again.step(&Alone);
            }
            again.game().watch(object);
            again.step(&Alone);
            let written = again.game().written(again.world());
            let last = written.iter().rev().find(|writing| writing.variable == variable);
            lines.extend(last.map(|writing| writing.line.clone()));
        }
        lines.join("; ")
    }
}

struct Reference {
    chains: Vec<u64>,
    /// The hash after the last cycle.
    hash: u64,
    allocations: u64,
    settings: Settings,
}

impl Reference {
    fn verdict(&self) -> Verdict {
        let trouble = match self.allocations {
            0 => String::new(),
            count => format!("{count} allocations while stepping"),
        };
        let chain = trouble.is_empty().then(|| self.chains.last().copied().unwrap_or(0));
        Verdict { run: String::from("reference"), chain, trouble }
    }
}

/// Runs a game in one configuration.
struct ProofRunner<'a> {
    entry: &'a GameEntry,
    start: Start,
    mode: RunMode,
    session: Session,
    /// The block into which a moving world goes next.
    other: Option<Session>,
    snapshot: Snapshot,
}

impl<'a> ProofRunner<'a> {
    fn new(entry: &'a GameEntry, start: &Start, mode: RunMode) -> ProofRunner<'a> {
        let mut session = session_of(entry, start);
        let snapshot = session.world_mut().snapshot(&Pages);
        ProofRunner { entry, start: start.clone(), mode, session, other: None, snapshot }
    }

    fn step(&mut self, workers: &dyn Workers) {
        if self.session.move_on() {
            // The new level may have another layout.
            self.start.level = self.session.level().to_string();
            self.snapshot = self.session.world_mut().snapshot(&Pages);
            self.other = None;
        }
        match self.mode {
            RunMode::Plain => self.session.step(workers),
            RunMode::Saving => {
                self.session.step(workers);
                self.session.world_mut().save(&mut self.snapshot);
            }
            RunMode::Moving => {
                self.session.step(workers);
                self.move_on();
            }
            RunMode::Twice => {
                let chain = self.session.chain();
                self.session.world_mut().save(&mut self.snapshot);
                self.session.step(workers);
                self.session.world_mut().restore(&self.snapshot);
                self.session.set_chain(chain);
                self.session.step(workers);
            }
        }
    }

    /// Moves the world into another block full of garbage, and now and then to a new instance of the game.
    fn move_on(&mut self) {
        let cycle = self.session.world().cycle();
        if cycle % MOVES_PER_GAME == 1 || self.other.is_none() {
            let settings = Settings { garbage: cycle as u8, ..self.start.settings };
            let start = Start { settings, ..self.start.clone() };
            self.other = Some(session_of(self.entry, &start));
        }
        let Some(mut other) = self.other.take() else { return };
        let moved = other.world_mut().adopt(self.session.world().bytes());
        moved.expect("a world that was just stepped is consistent");
        other.set_chain(self.session.chain());
        self.other = Some(std::mem::replace(&mut self.session, other));
    }

    fn cycle(&self) -> u64 {
        self.session.world().cycle()
    }

    fn is_safe(&self) -> bool {
        self.session.lengths().is_safe(self.cycle())
    }

    fn chain(&self) -> u64 {
        self.session.chain()
    }

    fn session(&mut self) -> &mut Session {
        &mut self.session
    }
}

/// A session of a level. A level that cannot be played panics, and that is a verdict too.
fn session_of(entry: &GameEntry, start: &Start) -> Session {
    let session = entry.content(&start.level).and_then(|content| Session::begin(entry, content, start, &Pages));
    session.unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// Catches a panic of the game: that is a verdict too. The error is text because a panic has nothing but a message.
fn caught<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    result.map_err(|payload| format!("stopped: {}", panic_message(&*payload)))
}

/// The number of cycles after which a moving run makes a new instance of the game.
const MOVES_PER_GAME: u64 = 16;
