//! Stepping, hashing, copying and restoring a world do not allocate from the heap.
#![allow(unsafe_code, reason = "an allocator that counts has to be one")]
#![allow(clippy::disallowed_types, reason = "each thread counts for itself")]

mod common;

use std::alloc::{GlobalAlloc, Layout as Piece, System};
use std::cell::Cell;

use base::Plain;
use base::random::Random;
use state::{
    Address, Alone, Brush, Class, Datums, Entities, Heap, Layout, List, Pool, Settings, World, each, each_entity,
};

struct Counting;

thread_local! {
    /// The number of allocations of this thread. Those of other threads, such as the test runner's, do not count.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

fn taken() -> u64 {
    TAKEN.with(Cell::get)
}

// SAFETY: forwards every call to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, piece: Piece) -> *mut u8 {
        TAKEN.with(|taken| taken.set(taken.get() + 1));
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(piece) }
    }

    unsafe fn dealloc(&self, start: *mut u8, piece: Piece) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(start, piece) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Nothing;

struct Scene {
    items: Datums<[f32; 4]>,
    list: List<u32>,
    pool: Pool,
    letters: Class<u8>,
    ping: Brush<Nothing>,
    pong: Brush<[u8; 9]>,
    things: Entities<u32, f64>,
    storm: Brush<u32>,
}

fn scene(settings: Settings) -> (World, Scene) {
    let mut layout = Layout::of_world("heap");
    layout.set_outbox_bytes(2000);
    layout.set_paint_bytes(30_000);
    layout.system("all");
    let items = layout.datums_in_chunks("items", 200, 64);
    let list = layout.list("list", 30);
    let pool = layout.pool("pool", 2000, 40);
    let letters = layout.class(pool, "letters");
    let ping = layout.brush("ping", 100);
    let pong = layout.brush("pong", 100);
    let things = layout.entities("things", 150, 300, 64);
    let storm = layout.brush("storm", 100);
    let world = World::new(&layout.finish(), &Heap, settings, 1);
    (world, Scene { items, list, pool, letters, ping, pong, things, storm })
}

impl Scene {
    /// A cycle in which outboxes, lists, arrays and pools occasionally run full.
    fn step(&self, world: &mut World) {
        let update = each(self.items, |item| {
            item.next[0] = item.random(0).unit();
            for _ in 0..3 {
                item.queue(self.ping, item.address(), &Nothing);
            }
        });
        let things = each_entity(self.things, |item, values| {
            values.fill(item.random(1).unit().into());
            item.queue(self.storm, item.address(), &3);
            item.sleep_until(item.cycle() + u64::from(item.random(2).below(200)));
        });
        world.simulate(&Alone, &[&update, &things]);
        self.ping.paint_in_rounds(world, 3, |world, stroke| {
            self.ping.queue(world, Address::WORLD, &Nothing);
            self.pong.queue(world, stroke.target, &[1; 9]);
            if let Some(letters) = self.letters.create_many(world, 50)
                && self.pool.bytes_left(world) < 300
            {
                self.pool.delete(world, letters);
                let first = self.pool.iterate(world).next();
                first.into_iter().for_each(|first| self.pool.delete(world, first));
            }
        });
        self.pong.paint(world, |world, stroke| {
            self.ping.queue(world, stroke.target, &Nothing);
            if !self.list.push(world, 7) {
                self.list.truncate(world, 3);
            }
            if world.random().below(10) == 0
                && self.items.create(world).is_none()
                && let Some((item, _)) = self.items.at_slot(world, 5)
            {
                self.items.delete(world, item);
            }
        });
        self.storm.withdraw(world, |stroke| self.things.handle(stroke.target).is_some_and(|it| it.slot() % 7 == 0));
        self.storm.paint_entities_in_rounds(world, &Alone, self.things, 3, |stroke, item, values| {
            values.reverse();
            item.queue(self.storm, item.address(), &stroke.payload);
            item.wake();
        });
        for number in 0..4 {
            let draw = world.random().below(9);
            if let Some((thing, _)) = self.things.at_slot(world, (draw * 16 + number) as u16) {
                self.things.resize(world, thing, draw * 9);
                if draw == 3 {
                    self.things.delete(world, thing);
                }
            }
            self.things.create(world, draw);
        }
        world.rest();
    }
}

#[test]
fn a_stepping_world_does_not_allocate() {
    for is_checked in [false, true] {
        let (mut world, scene) = scene(Settings { is_checked, garbage: 0xdd, shuffle: u64::from(is_checked) });
        for _ in 0..common::repeat(200, 5) {
            scene.items.create(&mut world).expect("there is room");
        }
        let mut snapshot = world.snapshot(&Heap);
        let mut copy = vec![0; world.plan().bytes()];
        let mut moment = world.copy_changed(state::marks::Moment::NEVER, &mut copy);
        let before = taken();
        for cycle in 0..common::repeat(30, 3) {
            scene.step(&mut world);
            world.save(&mut snapshot);
            moment = world.copy_changed(moment, &mut copy);
            if cycle % 4 == 3 {
                world.restore(&snapshot);
                world.adopt(&copy).expect("it adds up");
            }
            if !is_checked {
                world.hash();
            }
        }
        assert_eq!(taken() - before, 0, "checked: {is_checked}");
        let was_busy = world.time().entries_refused > 0 && scene.ping.waiting(&world) == 100;
        assert!(cfg!(miri) || was_busy, "the workload exercised every limit");
        failed_cycle_takes_once(&mut world, &scene);
    }
}

/// Memory lost by a panic in a painter is allocated again when the world is restored, not while it steps.
fn failed_cycle_takes_once(world: &mut World, scene: &Scene) {
    let good = world.snapshot(&Heap);
    common::panic_message(|| {
        world.simulate(&Alone, &[]);
        scene.ping.paint(world, |_, _| panic!("in the middle"));
    });
    world.restore(&good);
    let before = taken();
    (0..5).for_each(|_| scene.step(world));
    assert_eq!(taken() - before, 0, "after a failed cycle");
}
