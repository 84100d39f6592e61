//! The sandbox against itself: one worker and two, asleep and awake; and prediction against published numbers.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ::sandbox::{Level, Sandbox};
use astrarium::base::Vec3;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::host::pages::Pages;
use astrarium::state::pacer::Lengths;
use astrarium::state::{Settings, Snapshot, Workers, World};
use astrarium::tags::Library;
use astrarium::view::PositionColumns;
use astrarium::{Game, StepInput};

use crate::measure::{Row, Times};

const SEED: u64 = 2026;

/// The cycles of a repetition, from the same snapshot: whole safe cycles.
const CYCLES: usize = 20;

/// Cycles before the measurement, so that agents have met and full-grown plants sleep.
const CYCLES_BEFORE: u32 = 200;

/// All rows.
pub fn run() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(compare_workers("meadow", 100));
    rows.extend(compare_workers("crowd", 40));
    rows.extend(measure_sleep());
    rows.push(measure_prediction());
    rows
}

fn compare_workers(level: &str, turns: u32) -> Vec<Row> {
    let level = Level::named(level).expect("the sandbox has this level");
    let (mut one, mut two) = (Stage::new(level, 1), Stage::new(level, 2));
    for _ in 0..turns {
        one.play();
        two.play();
        assert_eq!(one.world.hash(), two.world.hash(), "the number of workers does not change the outcome");
    }
    let (one, two) = (one.measured(), two.measured());
    let row =
        |what: &str, ours: &Times, peer: &Times| Row::new(format!("{}: {what}", level.name), ours, peer, "one worker");
    vec![
        row("brush cycle", &two.cycle, &one.cycle),
        row("simulate, the jobs", &two.jobs, &one.jobs),
        row("freeze, gather and paint, in order", &two.in_order, &one.in_order),
        row("hash, once in five cycles", &two.hash, &one.hash),
    ]
}

/// The cost of a sleeping object: the same garden with plants, without plants, and with growing plants.
fn measure_sleep() -> [Row; 2] {
    let garden = Level::named("garden").expect("the sandbox has this level");
    let mut asleep = Stage::new(garden, 1);
    let mut awake = Stage::new(Level { food: 0.0, ..garden }, 1);
    let mut empty = Stage::new(Level { plants: 0, ..garden }, 1);
    assert_eq!(asleep.count_plants(), (garden.plants, 0), "all plants exist and are asleep");
    assert_eq!(awake.count_plants(), (garden.plants, garden.plants), "all plants exist and are awake");
    assert_eq!(empty.count_plants(), (0, 0), "there are no plants");
    for _ in 0..60 {
        asleep.play();
        awake.play();
        empty.play();
    }
    let (asleep, awake, empty) = (asleep.measured(), awake.measured(), empty.measured());
    let each = |measured: &Measured| {
        let nanoseconds = (measured.cycle.minimum() - empty.cycle.minimum()) * 1000.0;
        // A difference within the noise counts as one nanosecond in total.
        Times::known(nanoseconds.max(1.0) / f64::from(garden.plants))
    };
    [
        Row::new("garden: brush cycle, 60,000 asleep", &asleep.cycle, &empty.cycle, "the same without plants"),
        Row::new("garden: one sleeping object, in nanoseconds", &each(&asleep), &each(&awake), "one awake"),
    ]
}

/// The Telesto thesis reports 1.0 to 1.8 million prediction cycles per second, on a machine of its time and with brush
/// cycles running in parallel. This is the best of these numbers; it was not measured here.
const TELESTO_CYCLES_PER_SECOND: f64 = 1.8e6;

fn measure_prediction() -> Row {
    const CYCLES: u32 = 10_000;
    let mut prediction = PositionColumns::default();
    prediction
        .set((0..250u8).map(|number| (Vec3::new(f32::from(number), 1.0, 2.0), Vec3::new(1.0, 2.0, f32::from(number)))));
    let mut ours = Times::default();
    for _ in 0..500 {
        ours.time_each(CYCLES, || {
            for cycle in 0..CYCLES {
                std::hint::black_box(prediction.at(cycle as f32 * 1e-6));
            }
        });
    }
    let telesto = Times::known(1e6 / TELESTO_CYCLES_PER_SECOND);
    Row::new("prediction cycle, 250 objects", &ours, &telesto, "Telesto, as published").with_goal(10.0)
}

/// The measurements of a brush cycle: in total, and by part.
#[derive(Default)]
struct Measured {
    cycle: Times,
    jobs: Times,
    in_order: Times,
    hash: Times,
}

/// A level that is run repeatedly from the same snapshot.
struct Stage {
    game: Sandbox,
    world: World,
    start: Snapshot,
    workers: Watched,
    cycles: [Measured; CYCLES],
}

impl Stage {
    fn new(level: Level, workers: u32) -> Stage {
        let game = Sandbox::new(level);
        let workers = Watched { crew: ThreadPool::new(workers), nanoseconds: AtomicU64::new(0) };
        let settings = Settings { is_checked: false, ..Settings::default() };
        let mut world = World::new(game.plan(), &Pages, settings, SEED);
        world.set_up(|world| game.set_up(world, &Library::new()));
        for _ in 0..CYCLES_BEFORE {
            game.step(&mut world, &StepInput::empty(), &workers);
        }
        let start = world.snapshot(&Pages);
        Stage { game, world, start, workers, cycles: std::array::from_fn(|_| Measured::default()) }
    }

    /// Runs it from the snapshot.
    fn play(&mut self) {
        self.world.restore(&self.start);
        // One unmeasured cycle brings the frozen block and the caches up to date.
        self.game.step(&mut self.world, &StepInput::empty(), &self.workers);
        self.world.hash();
        for measured in &mut self.cycles {
            self.workers.nanoseconds.store(0, Relaxed);
            let start = Instant::now();
            self.game.step(&mut self.world, &StepInput::empty(), &self.workers);
            let stepped = start.elapsed();
            if Lengths::default().is_safe(self.world.cycle()) {
                self.world.hash();
            }
            let hashed = start.elapsed();
            let jobs = Duration::from_nanos(self.workers.nanoseconds.load(Relaxed));
            measured.cycle.add(hashed);
            measured.jobs.add(jobs);
            measured.in_order.add(stepped - jobs);
            measured.hash.add(hashed - stepped);
        }
    }

    /// The mean cost of the cycles.
    fn measured(&self) -> Measured {
        let of_all = |part: fn(&Measured) -> &Times| Times::per_part(self.cycles.iter().map(part).cloned().collect());
        Measured {
            cycle: of_all(|cycle| &cycle.cycle),
            jobs: of_all(|cycle| &cycle.jobs),
            in_order: of_all(|cycle| &cycle.in_order),
            hash: of_all(|cycle| &cycle.hash),
        }
    }

    /// The number of plants, and the number of awake ones.
    fn count_plants(&self) -> (u32, u32) {
        let plants = self.game.parts.plants;
        let awake = plants.iterate(&self.world).filter(|(handle, _)| plants.is_awake(&self.world, *handle)).count();
        (plants.count(&self.world), awake as u32)
    }
}

/// A thread pool, and the time it has spent in jobs.
struct Watched {
    crew: ThreadPool,
    nanoseconds: AtomicU64,
}

impl Workers for Watched {
    fn begin_cycle(&self) {
        self.crew.begin_cycle();
    }

    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        let start = Instant::now();
        self.crew.run(count, job);
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    }

    fn threads(&self) -> u32 {
        self.crew.threads()
    }
}
