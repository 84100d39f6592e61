//! What the tests of the front door share: folders of their own, sessions of the sandbox, and a small game with faults.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use astrarium::base::random::Draw;
use astrarium::base::{Handle, Plain, Random, StringId};
use astrarium::host::pages::Pages;
use astrarium::relay::Event;
use astrarium::session::{Session, Start};
use astrarium::state::{Address, Alone, Block, Brush, Datums, Layout, One, Plan, Settings, Workers, World, each};
use astrarium::tags::Library;
use astrarium::{Content, Game, GameEntry, Given, TagsEntry};

/// An empty folder that goes away with the value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("astrarium-front-{}-{}", std::process::id(), MADE.fetch_add(1, Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there").map(|entry| entry.expect("it can be read"));
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

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

/// What the program says when it is stopped. Panics if it is not.
pub fn words_of_panic<R>(deed: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(deed)) else { panic!("nothing stopped the program") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a panic has words")).to_string(),
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

/// Lamps that light one another, and can break in the way their level is called.
pub struct Lamps {
    pub plan: Arc<Plan>,
    pub lamps: Datums<Lamp>,
    pub meter: One<Meter>,
    pub flash: Brush<f32>,
    pub fault: String,
    pub saved: AtomicU64,
    pub loaded: AtomicU64,
}

pub const LAMPS: GameEntry = GameEntry {
    name: "lamps",
    about: "they light one another",
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

/// In which cycle it breaks.
pub const FAULT: u64 = 137;

/// What a game must not have: something that goes on outside the world.
static OUTSIDE: AtomicU64 = AtomicU64::new(1);

impl Lamps {
    pub fn new(fault: &str) -> Lamps {
        let mut layout = Layout::of_world("lamps");
        layout.system("house");
        let lamps = layout.datums_in_chunks("lamps", 300, 64);
        let flash = layout.brush("flash", 100);
        let meter = layout.one("meter");
        let plan = layout.finish();
        let (saved, loaded) = (AtomicU64::new(0), AtomicU64::new(0));
        Lamps { plan, lamps, meter, flash, fault: fault.to_string(), saved, loaded }
    }
}

impl Game for Lamps {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn content(&self) -> u64 {
        17
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

    fn step(&self, world: &mut World, given: &Given<'_>, workers: &dyn Workers) {
        let is_time = world.cycle() == FAULT;
        let is_fault = |name: &str| self.fault == name;
        assert!(!(is_fault("breaks when checked") && is_time && world.settings().is_checked), "somebody looked");
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
        for (_, event) in given.events() {
            self.meter.edit(world).events += 1;
            self.flash.queue(world, Address::WORLD, &event.float(0));
        }
        let mut painted = 0;
        self.flash.paint(world, |world, stroke| {
            painted += 1;
            if is_time && is_fault("breaks in painting") && painted == 2 {
                panic!("a fuse blew in cycle {}: {:?}", world.cycle(), stroke.target);
            }
            self.meter.edit(world).flashes += 1;
            let Some(lamp) = self.lamps.handle(stroke.target) else { return };
            if let Some(mut lamp) = self.lamps.try_edit(world, lamp) {
                lamp.level += stroke.payload;
            }
        });
        if is_fault("counts outside") || (is_fault("late counter") && world.cycle() == 7) {
            self.meter.edit(world).fault = OUTSIDE.fetch_add(1, Relaxed);
        }
        world.rest();
    }

    /// Far too many events, if the level is sound: what is too much does not enter.
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        let count = if random.chance(0.1) { 1000 } else { 3 };
        let event = |_| Event::new(StringId::new("switch"), &[random.unit().to_bits()]);
        events.extend((0..count).map(event));
    }

    fn saving(&self, world: &Block) {
        self.saved.store(world.plan().hash(), Relaxed);
    }

    fn loaded(&self, world: &Block) {
        self.loaded.store(world.plan().hash(), Relaxed);
    }
}
