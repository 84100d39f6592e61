//! Shared by the tests of inputs: a world that reacts to its players, its recording in a black box, and the replay.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use base::hash::mix;
use base::random::{Draw, Random};
use base::{Handle, Plain, StringId};
use proptest::test_runner::Config;
use relay::black_box::{BlackBox, Purpose};
use relay::crash_report::Backup;
use relay::{CrashReport, Event, Relay, Sealed};
use state::backups::Schedule;
use state::{Alone, Brush, Datums, Heap, Layout, Plan, Settings, Single, World, each};

pub const BRUSHES_PER_SAFE: u64 = 5;
pub const PLAYERS: u16 = 3;
pub const LEVEL: &str = "market";
pub const CONTENT: u64 = 0x0e11;
/// Small numbers, so that every place and every journal is reused many times.
pub const SCHEDULE: Schedule = Schedule { short_cycles: 3, short_count: 3, long_cycles: 20, long_count: 2 };

/// This many random cases, unless the environment sets a number.
pub fn cases(count: u32) -> Config {
    let mut config = Config::default();
    config.cases = if config.cases == 256 { count } else { config.cases };
    config.failure_persistence = None;
    config
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Bell {
    pub tone: u32,
    pub level: f32,
    pub next: Handle<Bell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Tower {
    pub heard: u64,
    pub rung: u64,
    pub last: Handle<Bell>,
    pub reserved: u32,
}

/// A small world: bells that ring one another, and a tower that records all events. Its rules work with any bytes in
/// its values.
pub struct Town {
    pub plan: Arc<Plan>,
    pub bells: Datums<Bell>,
    pub tower: Single<Tower>,
    pub ring: Brush<u32>,
}

impl Town {
    pub fn new() -> Town {
        let mut layout = Layout::of_world("town");
        layout.set_outbox_bytes(4000);
        layout.set_paint_bytes(4000);
        layout.system("bells");
        let bells = layout.datums_in_chunks("bells", 200, 64);
        layout.system("tower");
        let tower = layout.single("tower");
        let ring = layout.brush("ring", 40);
        Town { plan: layout.finish(), bells, tower, ring }
    }

    pub fn world(&self, seed: u64) -> World {
        // A checked world rehashes everything each time, and allocates for it.
        let settings = Settings { is_checked: false, ..Settings::default() };
        let mut world = World::new(&self.plan, &Heap, settings, seed);
        world.set_up(|world| {
            self.tower.get_mut(world).last = Handle::NONE;
            for number in 0..30 {
                self.hang(world, number * 7919);
            }
        });
        world
    }

    pub fn step(&self, world: &mut World, inputs: Option<&Sealed>) {
        let swing = each(self.bells, |bell| {
            let now = *bell.now();
            let push = bell.random(0).between(0.0, 0.1);
            bell.next.level = now.level * 0.9 + push;
            if bell.next.level > 0.7 {
                bell.next.level = 0.1;
                bell.queue(self.ring, self.bells.address(now.next), &now.tone);
            }
        });
        world.simulate(&Alone, &[&swing]);
        for (player, event) in inputs.map_or(&[][..], Sealed::events) {
            self.hear(world, *player, event);
        }
        self.ring.paint(world, |world, stroke| {
            let named = self.bells.handle(stroke.target).map(Handle::raw);
            let found = named.and_then(|raw| self.bells.find_raw(world, raw)).map(|(bell, _)| bell);
            if let Some(bell) = found {
                let mut bell = self.bells.get_mut(world, bell);
                bell.tone = bell.tone.wrapping_mul(31).wrapping_add(stroke.payload);
                bell.level += 0.05;
            }
            let mut tower = self.tower.get_mut(world);
            tower.rung = tower.rung.wrapping_add(1);
        });
        world.rest();
    }

    fn hear(&self, world: &mut World, player: u16, event: &Event) {
        let mut tower = self.tower.get_mut(world);
        tower.heard = event.words.iter().fold(mix(tower.heard, player.into()), |sum, word| mix(sum, (*word).into()));
        drop(tower);
        if event.words[0].is_multiple_of(4) {
            let found = self.bells.at_slot(world, (event.words[1] % 200) as u16).map(|(bell, _)| bell);
            if let Some(bell) = found {
                self.bells.delete(world, bell);
            }
        } else {
            self.hang(world, event.words[1]);
        }
    }

    fn hang(&self, world: &mut World, tone: u32) {
        let next = self.tower.get(world).last;
        let Some((handle, mut bell)) = self.bells.create(world) else { return };
        *bell = Bell { tone, level: 0.5, next };
        drop(bell);
        self.tower.get_mut(world).last = handle;
    }

    /// Runs to a brush cycle with the inputs of its players, without a box.
    pub fn run_to(&self, world: &mut World, cycle: u64, events_max: u32) {
        while world.cycle() < cycle {
            let inputs = is_safe(world.cycle()).then(|| sealed(world.cycle() / BRUSHES_PER_SAFE, events_max));
            self.step(world, inputs.as_ref());
        }
    }
}

pub fn is_safe(cycle: u64) -> bool {
    cycle.is_multiple_of(BRUSHES_PER_SAFE)
}

/// The events of a player in a safe cycle: deterministic, at most `max`.
pub fn events_of(player: u16, safe_cycle: u64, max: u32) -> Vec<Event> {
    let mut random = Draw::new(7, safe_cycle, 1, player.into());
    let count = random.below(max + 1);
    (0..count).map(|_| Event::new(StringId::new("pull"), &[random.below(1 << 20), random.below(1 << 20)])).collect()
}

/// The inputs of a safe cycle in which every player has exactly this many events.
pub fn sealed_exactly(safe_cycle: u64, count: usize) -> Sealed {
    seal(safe_cycle, |_| vec![Event::new(StringId::new("pull"), &[1, 2]); count])
}

/// The sealed inputs of all players in a safe cycle.
pub fn sealed(safe_cycle: u64, max: u32) -> Sealed {
    seal(safe_cycle, |player| events_of(player, safe_cycle, max))
}

fn seal(safe_cycle: u64, events: impl Fn(u16) -> Vec<Event>) -> Sealed {
    let players: Vec<u16> = (0..PLAYERS).collect();
    let mut relay = Relay::new(&players, safe_cycle);
    for player in players {
        relay.handle_batch(player, safe_cycle, &events(player)).expect("its first");
    }
    let mut sealed = Sealed::default();
    assert!(relay.poll_sealed(&mut sealed));
    sealed
}

/// A world with a box that records it, and the hashes of all its cycles.
pub struct Recording {
    pub town: Town,
    pub world: World,
    pub bytes: Vec<u8>,
    pub black_box: BlackBox,
    pub hashes: BTreeMap<u64, u64>,
    pub events_max: u32,
}

/// The parameters of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Take {
    /// Its first cycle.
    pub first: u64,
    pub schedule: Schedule,
    pub journal_bytes: u32,
    /// The most events of a player in a safe cycle.
    pub events_max: u32,
}

impl Take {
    pub const USUAL: Take = Take { first: 0, schedule: SCHEDULE, journal_bytes: 8192, events_max: 3 };

    /// Runs a town to the first cycle of the recording, and starts it.
    pub fn begin(&self) -> Recording {
        let town = Town::new();
        let mut world = town.world(5);
        town.run_to(&mut world, self.first, self.events_max);
        let purpose = self.purpose(&world);
        let mut bytes = vec![0; purpose.bytes() as usize];
        let black_box = BlackBox::new(&purpose, &mut bytes, &mut world);
        let hashes = BTreeMap::from([(world.cycle(), world.hash())]);
        Recording { town, world, bytes, black_box, hashes, events_max: self.events_max }
    }

    pub fn purpose(&self, world: &World) -> Purpose {
        let journal_bytes = self.journal_bytes;
        Purpose { journal_bytes, ..Purpose::of(world, CONTENT, LEVEL, self.schedule) }
    }
}

impl Recording {
    /// Runs one cycle. `inspect` is called after every write to the box.
    pub fn step(&mut self, inspect: &mut dyn FnMut(&Recording)) {
        let cycle = self.world.cycle();
        let inputs = is_safe(cycle).then(|| sealed(cycle / BRUSHES_PER_SAFE, self.events_max));
        if let Some(inputs) = &inputs {
            let hash = self.world.hash();
            self.black_box.record_inputs(&mut self.bytes, &mut self.world, hash, inputs);
            inspect(self);
        }
        self.town.step(&mut self.world, inputs.as_ref());
        self.hashes.insert(self.world.cycle(), self.world.hash());
        inspect(self);
        self.black_box.complete(&mut self.bytes, &mut self.world);
        inspect(self);
    }

    pub fn run_to(&mut self, cycle: u64) {
        while self.world.cycle() < cycle {
            self.step(&mut |_| ());
        }
    }

    pub fn report(&self) -> CrashReport<'_> {
        CrashReport::read(&self.bytes).expect("a box that was just written")
    }

    /// Whether all inputs from a backup to the last complete cycle are there.
    pub fn has_inputs(report: &CrashReport<'_>, backup: &Backup<'_>) -> bool {
        let first = backup.cycle.div_ceil(BRUSHES_PER_SAFE);
        (first..report.complete.div_ceil(BRUSHES_PER_SAFE)).all(|cycle| report.record(cycle).is_some())
    }

    /// Replays from a backup to the last complete cycle; every hash must match the recorded one.
    pub fn assert_replays(&self, report: &CrashReport<'_>, backup: &Backup<'_>) {
        let mut world = self.town.world(99);
        backup.load(&mut world).expect("a whole backup");
        assert_eq!(Some(&world.hash()), self.hashes.get(&backup.cycle), "the backup of cycle {}", backup.cycle);
        while world.cycle() < report.complete {
            let cycle = world.cycle();
            let record = is_safe(cycle).then(|| report.record(cycle / BRUSHES_PER_SAFE).expect("its inputs are there"));
            if let Some(record) = record {
                assert_eq!(record.hash_before, world.hash(), "the inputs of cycle {cycle} were for another world");
            }
            self.town.step(&mut world, record.map(|record| &record.inputs));
            let (found, expected) = (world.hash(), self.hashes[&world.cycle()]);
            assert_eq!(found, expected, "from {} at {}", backup.cycle, world.cycle());
        }
    }

    /// The newest backup leads to the last complete cycle, and so does the oldest whose inputs are there.
    pub fn assert_newest_and_oldest_replay(&self) {
        let report = self.report();
        let newest = report.backups.first().expect("some backup is whole at every moment");
        assert!(Recording::has_inputs(&report, newest), "the newest has its inputs");
        self.assert_replays(&report, newest);
        let oldest = report.backups.iter().rev().find(|backup| Recording::has_inputs(&report, backup));
        let oldest = oldest.expect("the newest has them");
        self.assert_replays(&report, oldest);
    }
}
