//! A small busy world that uses every kind of region and every queueing function.
//!
//! Its rules work with any bytes in its values: handles in fields are not trusted and sums wrap. So a panic after
//! loading a damaged save is never caused by the scene.

use std::sync::Arc;

use base::random::Random;
use base::{Handle, Plain, Truth};
use state::pool::PoolBlock;
use state::{Brush, Class, Datums, Heap, Item, Layout, List, Plan, Pool, Settings, Single, Workers, World, each};

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Ship {
    pub position: [f32; 3],
    pub velocity: [f32; 3],
    pub hull: i32,
    pub fuel: u32,
    pub next: Handle<Ship>,
    pub hold: Handle<PoolBlock>,
    pub crew: u16,
    pub deck: u8,
    pub is_hurt: Truth,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Mine {
    pub born: u64,
    pub fuse: u32,
    pub ship: Handle<Ship>,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Weather {
    pub wind: [f32; 2],
    pub bells: u64,
    pub storms: [u16; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Note {
    pub cycle: u64,
    pub hull: i32,
    pub ship: Handle<Ship>,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Cargo {
    pub weight: f64,
    pub count: u32,
    pub kinds: [u8; 12],
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Push {
    pub force: [f32; 2],
    pub depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Hit {
    pub damage: i32,
    pub spread: u8,
    pub kind: [u8; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Bell;

/// The keys of the scene.
pub struct Fleet {
    pub plan: Arc<Plan>,
    pub weather: Single<Weather>,
    pub storm: Single<u8>,
    pub log: List<Note>,
    pub ships: Datums<Ship>,
    pub mines: Datums<Mine>,
    pub hold: Pool,
    pub cargo: Class<Cargo>,
    pub parcels: Class<u32>,
    pub letters: Class<u8>,
    pub push: Brush<Push>,
    pub hit: Brush<Hit>,
    pub launch: Brush<Ship>,
    pub bell: Brush<Bell>,
}

impl Fleet {
    pub fn new() -> Fleet {
        Fleet::called("fleet")
    }

    pub fn called(name: &str) -> Fleet {
        let mut layout = Layout::of_world(name);
        layout.set_outbox_bytes(1000);
        layout.set_paint_bytes(4000);
        layout.system("sky");
        let weather = layout.single::<Weather>("weather");
        let storm = layout.single::<u8>("storm");
        let log = layout.list::<Note>("log", 70);
        layout.system("ships");
        let ships = layout.datums_in_chunks::<Ship>("ships", 200, 64);
        let mines = layout.datums_in_chunks::<Mine>("mines", 40, 64);
        layout.system("holds");
        let hold = layout.pool("hold", 4500, 90);
        let cargo = layout.class::<Cargo>(hold, "cargo");
        let parcels = layout.class::<u32>(hold, "parcels");
        let letters = layout.class::<u8>(hold, "letters");
        layout.system("causes");
        let push = layout.brush::<Push>("push", 40);
        let hit = layout.brush::<Hit>("hit", 30);
        let launch = layout.brush::<Ship>("launch", 10);
        let bell = layout.brush::<Bell>("bell", 20);
        let plan = layout.finish();
        Fleet { plan, weather, storm, log, ships, mines, hold, cargo, parcels, letters, push, hit, launch, bell }
    }

    /// A world with a hundred ships in a ring, at rest.
    pub fn world(&self, settings: Settings, seed: u64) -> World {
        let mut world = World::new(&self.plan, &Heap, settings, seed);
        world.set_up(|world| {
            let mut before = Handle::NONE;
            for number in 0..100 {
                before = self.launch_ship(world, before, number).expect("there is room for a hundred");
            }
            for _ in 0..5 {
                self.lay_mine(world, before);
            }
            self.push.queue(world, self.ships.address(before), &Push { force: [1.0, -0.0], depth: 3 });
        });
        world
    }

    /// The same after some cycles, so that there are gaps, waiting entries and moved blocks.
    pub fn seasoned(&self, settings: Settings, seed: u64, cycles: u32) -> World {
        let mut world = self.world(settings, seed);
        (0..cycles).for_each(|_| self.step(&mut world, &state::Alone));
        world
    }

    /// One whole cycle.
    pub fn step(&self, world: &mut World, workers: &dyn Workers) {
        let ships = each(self.ships, |ship| self.sail(ship));
        let mines = each(self.mines, |mine| self.tick(mine));
        world.simulate(workers, &[&ships, &mines]);
        self.paint(world);
        world.rest();
    }

    fn sail(&self, ship: &mut Item<'_, Ship>) {
        let now = *ship.now();
        let mut chance = ship.random(1);
        for axis in 0..3 {
            ship.next.position[axis] = now.position[axis] + now.velocity[axis] * 0.01;
        }
        ship.next.fuel = now.fuel.wrapping_sub(1);
        let Some((other, frozen)) = self.ships.find_raw(ship.frozen, now.next.raw()) else {
            ship.next.next = Handle::NONE;
            return ship.sleep();
        };
        if chance.below(4) == 0 {
            let force = [chance.between(-1.0, 1.0), frozen.velocity[0] * 0.5];
            ship.queue(self.push, self.ships.address(other), &Push { force, depth: chance.below(3) });
        }
        if chance.below(8) == 0 {
            let hit = Hit { damage: chance.range(1, 40), spread: 3, kind: [1, 2, 3] };
            ship.queue(self.hit, self.ships.address(other), &hit);
            ship.queue(self.bell, ship.address(), &Bell);
        }
        if chance.below(20) == 0 {
            ship.queue(self.launch, ship.address(), &Ship { next: other, ..now });
        }
        if chance.below(30) == 0 {
            ship.sleep();
        }
    }

    fn tick(&self, mine: &mut Item<'_, Mine>) {
        mine.next.fuse = mine.now().fuse.wrapping_sub(1);
        if mine.next.fuse.is_multiple_of(4) {
            let target = self.ships.address(mine.next.ship);
            mine.queue(self.hit, target, &Hit { damage: 10, spread: 1, kind: [0; 3] });
            mine.queue(self.push, target, &Push { force: [0.25, 0.5], depth: 1 });
        }
    }

    fn paint(&self, world: &mut World) {
        self.push.paint(world, |world, stroke| {
            let Some(ship) = self.ship_of(world, stroke.target) else { return };
            let push: Push = stroke.payload;
            let mut edit = self.ships.get_mut(world, ship);
            edit.velocity[0] += push.force[0];
            edit.velocity[1] -= push.force[1];
            drop(edit);
            self.ships.set_awake(world, ship, true);
            if push.depth > 0 {
                let further = Push { depth: push.depth.min(3) - 1, ..push };
                self.push.queue(world, stroke.target, &further);
                self.hit.queue_from(world, stroke.target, stroke.source, &Hit { damage: 1, spread: 0, kind: [9; 3] });
            }
        });
        self.hit.paint_in_rounds(world, 2, |world, stroke| self.hit_ship(world, stroke));
        if !world.cycle().is_multiple_of(3) {
            self.launch.paint(world, |world, stroke| {
                let Some(parent) = self.ship_of(world, stroke.target) else { return };
                let number = world.random().below(1000);
                let Some(child) = self.launch_ship(world, parent, number) else { return };
                self.lay_mine(world, child);
                self.push.queue(world, self.ships.address(child), &Push { force: [0.1; 2], depth: 2 });
            });
        }
        self.bell.paint(world, |world, stroke| {
            let ship = self.ship_of(world, stroke.target).unwrap_or(Handle::NONE);
            let mut weather = self.weather.get_mut(world);
            weather.bells = weather.bells.wrapping_add(1);
            weather.wind[0] = -weather.wind[0] * 0.5;
            drop(weather);
            let cycle = world.cycle();
            if !self.log.push(world, Note { cycle, hull: 1, ship }) {
                self.log.truncate(world, 20);
            }
        });
    }

    fn hit_ship(&self, world: &mut World, stroke: state::Stroke<Hit>) {
        let Some(ship) = self.ship_of(world, stroke.target) else { return };
        let mut edit = self.ships.get_mut(world, ship);
        edit.hull = edit.hull.wrapping_sub(stroke.payload.damage);
        edit.is_hurt = Truth::TRUE;
        let (hull, next, hold) = (edit.hull, edit.next, edit.hold);
        drop(edit);
        if hull <= 0 {
            self.ships.delete(world, ship);
            if self.is_in_hold(world, hold) {
                self.hold.delete(world, hold);
            }
            let mines: Vec<_> = self.mines.iterate(world).filter(|(_, mine)| mine.ship == ship).collect();
            let mines: Vec<_> = mines.into_iter().map(|(handle, _)| handle).collect();
            mines.into_iter().for_each(|mine| self.mines.delete(world, mine));
        } else if stroke.payload.spread > 0 {
            let weaker = Hit { damage: 2, spread: stroke.payload.spread - 1, kind: [7; 3] };
            self.hit.queue(world, self.ships.address(next), &weaker);
        }
    }

    pub fn launch_ship(&self, world: &mut World, next: Handle<Ship>, number: u32) -> Option<Handle<Ship>> {
        let hold = match number % 3 {
            0 => self.cargo.create(world),
            1 => self.parcels.create_many(world, number % 41),
            _ => self.letters.create_many(world, number % 101),
        };
        let hold = hold.unwrap_or(Handle::NONE);
        let created = self.ships.create(world).map(|(handle, mut ship)| {
            ship.velocity = [1.0, number as f32, -0.0];
            (ship.hull, ship.fuel, ship.next, ship.hold) = (60, 500, next, hold);
            ship.crew = number as u16;
            handle
        });
        match created {
            Some(_) if !hold.is_none() => self.fill(world, hold, number),
            None if !hold.is_none() => self.hold.delete(world, hold),
            _ => {}
        }
        created
    }

    fn fill(&self, world: &mut World, hold: Handle<PoolBlock>, number: u32) {
        self.cargo.edit(world, hold, |cargo| (cargo[0].weight, cargo[0].count) = (-0.0, number));
        self.parcels.edit(world, hold, |parcels| parcels.fill(number));
        self.letters.edit(world, hold, |letters| letters.fill(number as u8));
    }

    fn lay_mine(&self, world: &mut World, ship: Handle<Ship>) {
        let cycle = world.cycle();
        if let Some((_, mut mine)) = self.mines.create(world) {
            *mine = Mine { born: cycle, fuse: 9, ship };
        }
    }

    /// The living ship that an address refers to, if any. The handle may be invalid.
    pub fn ship_of(&self, world: &World, address: state::Address) -> Option<Handle<Ship>> {
        let handle = self.ships.handle(address)?;
        self.ships.find_raw(world, handle.raw()).map(|(handle, _)| handle)
    }

    /// Whether a block exists. The handle may be invalid.
    pub fn is_in_hold(&self, world: &World, handle: Handle<PoolBlock>) -> bool {
        self.hold.iterate(world).any(|found| found == handle)
    }
}
