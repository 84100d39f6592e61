//! Scripts: our virtual machine against others, and against Rust.
//!
//! Contenders take turns with batches of calls, each with its own objects, while the others are idle. After every batch
//! all sums must be equal. Processor time counts, not wall time.

mod load;
mod tags;

mod contender;

mod lua;
mod native;
mod ours;
mod rhai;
mod steel;

mod parsing;

use std::cell::RefCell;
use std::rc::Rc;

use ::script::cache::Policy;
use contender::{Contender, is_native};
use load::{Battle, Bombardment, Damage, Idle, Mmog, RandomDamage, Scene, Source, Thesis, Unit, cycle_calls};
use lua::{Lua, WAYS, Way};
use native::Native;
use ours::Ours;
use rhai::Rhai;
use steel::Steel;

use crate::measure::{Row, Times};

/// Batches per contender, and per slow contender. The first warms the caches and is not measured.
struct Rounds {
    all: u64,
    slow: u64,
}

type Luas = [Rc<RefCell<Lua>>];

/// The contenders of a scene.
type Contenders = Vec<Box<dyn Contender>>;

/// All rows.
pub fn run() -> Vec<Row> {
    let luas = Lua::all();
    let mut rows = Vec::new();
    rows.extend(calls::<Damage>(&luas, &Rounds { all: 200, slow: 40 }, Some(25.0)));
    rows.extend(calls::<RandomDamage>(&luas, &Rounds { all: 200, slow: 10 }, None));
    rows.extend(calls::<Unit>(&luas, &Rounds { all: 100, slow: 20 }, None));
    rows.extend(cycles::<Idle>(&luas));
    rows.extend(cycles::<Battle>(&luas));
    rows.extend(cycles::<Mmog>(&luas));
    rows.extend(cycles::<Bombardment>(&luas));
    rows.extend(parsing::run(&luas));
    rows
}

/// The time of one call, in nanoseconds.
fn calls<S: Scene>(luas: &Luas, rounds: &Rounds, goal: Option<f64>) -> Vec<Row> {
    let mut rows =
        compare::<S>(&format!("{}: one call, in nanoseconds", S::NAME), luas, rounds, S::BATCH as f64 / 1000.0);
    if let (Some(goal), Some(first)) = (goal, rows.first()) {
        let row = Row::new(first.what.clone(), &first.ours, &Times::known(goal), "the goal").with_goal(1.0);
        rows.push(row);
    }
    rows
}

/// Memoisation must be a gain or free; this much is noise.
const FREE: f64 = 0.97;

/// The time of one cycle of a scene of the thesis, in microseconds.
fn cycles<T: Thesis>(luas: &Luas) -> Vec<Row> {
    let what = format!("{}: one cycle, {} calls", <T as Thesis>::NAME, cycle_calls::<T>());
    let mut rows = compare::<T>(&what, luas, &Rounds { all: 60, slow: 10 }, T::CYCLES as f64);
    for row in &mut rows {
        if row.peer_name == "ours without a cache" {
            row.goal = Some(FREE);
        }
    }
    rows
}

fn compare<S: Scene>(what: &str, luas: &Luas, rounds: &Rounds, parts: f64) -> Vec<Row> {
    let (contenders, slow) = contenders::<S>(luas);
    take_turns::<S>(what, contenders, slow, rounds, parts)
}

/// Runs all contenders in turn; the times are those of a batch, divided.
fn take_turns<S: Scene>(
    what: &str,
    mut contenders: Contenders,
    slow: Contenders,
    rounds: &Rounds,
    parts: f64,
) -> Vec<Row> {
    let first_slow = contenders.len();
    contenders.extend(slow);
    let mut times = vec![Times::default(); contenders.len()];
    for round in 0..=rounds.all {
        let count = if round <= rounds.slow { contenders.len() } else { first_slow };
        let mut sum = None;
        for (contender, times) in contenders.iter_mut().zip(&mut times).take(count) {
            let (time, found) = contender.run(round * S::BATCH, S::BATCH);
            let expected = *sum.get_or_insert(found);
            assert!(expected == found, "{what}: the sum of {} is {found}, not {expected}", contender.name());
            if round > 0 {
                times.add(time.div_f64(parts));
            }
        }
    }
    let peers = contenders.iter().zip(&times).skip(1);
    peers.map(|(peer, time)| Row::new(what, &times[0], time, peer.name())).collect()
}

/// The contenders of a scene, ours first; and the slow ones, which run fewer batches.
fn contenders<S: Scene>(luas: &Luas) -> (Contenders, Contenders) {
    let mut contenders: Contenders = vec![Box::new(Ours::<S>::new(Policy::Paying))];
    if S::SOURCE == Source::Object {
        contenders.push(Box::new(Ours::<S>::new(Policy::Off)));
        contenders.push(Box::new(Ours::<S>::new(Policy::Forced)));
    }
    for lua in luas {
        // The scenes with random calls and those of the thesis have a reference in Rust only.
        let ways = WAYS.iter().filter(|(way, _)| *way != "inside" || matches!(S::NAME, "damage" | "unit"));
        contenders.extend(ways.map(|way| Box::new(Way::<S>::new(lua, *way)) as Box<dyn Contender>));
    }
    if is_native(S::SOURCE) {
        contenders.push(Box::new(Native::<S>::new()));
    }
    (contenders, vec![Box::new(Steel::<S>::new()), Box::new(Rhai::<S>::new())])
}
