//! Shared by the tests of the front door: temporary folders, sessions of the sandbox, worlds that are shown, and a small game with faults.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub mod shown;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use astrarium::base::random::Draw;
use astrarium::base::{Handle, Plain, Random, StringId};
use astrarium::host::pages::Pages;
use astrarium::relay::Event;
use astrarium::session::{Session, Start};
use astrarium::state::{Address, Alone, Block, Brush, Datums, Layout, Plan, Settings, Single, Workers, World, each};
use astrarium::tags::Library;
use astrarium::{Content, Extensions, Game, GameEntry, Players, Show, StepInput, TagsEntry};

#[allow(unused_imports, reason = "each file of tests uses a part of it")]
pub use testing::Folder;

pub fn start(level: &str, seed: u64) -> Start {
    let settings = Settings { is_checked: false, ..Settings::default() };
    Start { level: level.to_string(), seed, players: 2, settings }
}

/// A session of the sandbox.
pub fn tiny(seed: u64) -> Session {
    Session::new(
        (sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()),
        Content::none(),
        &start("tiny", seed),
        &Pages,
    )
}

pub fn run_to(session: &mut Session, cycle: u64) {
    while session.world().cycle() < cycle {
        session.step(&Alone);
    }
}

/// The hash of an uninterrupted run.
pub fn hash_at(seed: u64, cycle: u64) -> u64 {
    let mut session = tiny(seed);
    run_to(&mut session, cycle);
    session.hash()
}

/// The message of a panic. Panics if there was none.
pub fn words_of_panic<R>(deed: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(deed)) else { panic!("the code did not panic") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a panic has a message")).to_string(),
    }
}

#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Lamp {
    pub level: f32,
    pub wire: Handle<Lamp>,
}

#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Meter {
    pub flashes: u64,
    pub events: u64,
    pub fault: u64,
}

/// Lamps that light one another, and fail as the name of their level says.
pub struct Lamps {
    pub plan: Arc<Plan>,
    pub lamps: Datums<Lamp>,
    pub meter: Single<Meter>,
    pub flash: Brush<f32>,
    pub fault: String,
    pub saved: AtomicU64,
    pub loaded: AtomicU64,
}

pub const LAMPS: GameEntry = GameEntry {
    name: "lamps",
    about: "they light one another",
    build: 17,
    levels: &[
        "sound",
        "breaks in painting",
        "breaks in simulating",
        "breaks when checked",
        "counts outside",
        "late counter",
    ],
    tags: TagsEntry::NONE,
    make: |_, level, _| Arc::new(Lamps::new(level)),
};

/// The cycle in which it fails.
pub const FAULT: u64 = 137;

/// State outside the world, which a game must not have.
static OUTSIDE: AtomicU64 = AtomicU64::new(1);

impl Lamps {
    pub fn new(fault: &str) -> Lamps {
        let mut layout = Layout::of_world("lamps");
        layout.system("house");
        let lamps = layout.datums_in_chunks("lamps", 300, 64);
        let flash = layout.brush("flash", 100);
        let meter = layout.single("meter");
        let plan = layout.finish();
        let (saved, loaded) = (AtomicU64::new(0), AtomicU64::new(0));
        Lamps { plan, lamps, meter, flash, fault: fault.to_string(), saved, loaded }
    }
}

impl Game for Lamps {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn set_up(&self, world: &mut World, _: &Library) {
        let mut wire = Handle::NONE;
        for _ in 0..250 {
            let level = world.random().unit();
            let Some((handle, mut lamp)) = self.lamps.create(world) else { return };
            *lamp = Lamp { level, wire };
            wire = handle;
        }
    }

    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        let is_time = world.cycle() == FAULT;
        let is_fault = |name: &str| self.fault == name;
        assert!(!(is_fault("breaks when checked") && is_time && world.settings().is_checked), "a checked world");
        let glow = each(self.lamps, |lamp| {
            let now = *lamp.now();
            if is_time && is_fault("breaks in simulating") && lamp.handle.slot() == 100 {
                panic!("lamp {} burnt through in cycle {}", lamp.handle.slot(), lamp.cycle());
            }
            lamp.next.level = now.level + lamp.random(0).between(0.0, 0.02);
            if lamp.next.level > 1.0 {
                lamp.next.level = 0.0;
                lamp.queue(self.flash, self.lamps.address(now.wire), &0.1);
            }
        });
        world.simulate(workers, &[&glow]);
        for (_, event) in input.events {
            self.meter.get_mut(world).events += 1;
            self.flash.queue(world, Address::WORLD, &event.float(0));
        }
        let mut painted = 0;
        self.flash.paint(world, |world, stroke| {
            painted += 1;
            if is_time && is_fault("breaks in painting") && painted == 2 {
                panic!("a fuse blew in cycle {}: {:?}", world.cycle(), stroke.target);
            }
            self.meter.get_mut(world).flashes += 1;
            let Some(lamp) = self.lamps.handle(stroke.target) else { return };
            if let Some(mut lamp) = self.lamps.find_mut(world, lamp) {
                lamp.level += stroke.payload;
            }
        });
        if is_fault("counts outside") || (is_fault("late counter") && world.cycle() == 7) {
            self.meter.get_mut(world).fault = OUTSIDE.fetch_add(1, Relaxed);
        }
        world.rest();
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { players: Some(self), show: Some(self), ..Extensions::default() }
    }
}

impl Players for Lamps {
    /// Far too many events, if the level is sound: the excess does not enter.
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let count = if random.chance(0.1) { 1000 } else { 3 };
        let event = |_| Event::new(StringId::new("switch"), &[random.unit().to_bits()]);
        events.extend((0..count).map(event));
    }
}

impl Show for Lamps {
    fn saving(&self, world: &Block) {
        self.saved.store(world.plan().hash(), Relaxed);
    }

    fn loaded(&self, world: &Block) {
        self.loaded.store(world.plan().hash(), Relaxed);
    }
}
