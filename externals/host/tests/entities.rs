//! While entities are simulated or painted, only their own parts of the block are writable; the MMU stops other writes.
#![allow(unsafe_code, reason = "the laws under test can be broken only through raw pointers")]
#![cfg(not(target_family = "wasm"))]

#[path = "../src/testing.rs"]
mod testing;

use std::ptr::NonNull;

use host::pages::Pages;
use host::thread_pool::ThreadPool;
use state::{Brush, Entities, Layout, Settings, Single, World, each_entity};

/// A world with some guests, each with a few values, and a clock that belongs to no entity.
struct Hall {
    world: World,
    guests: Entities<u32, u64>,
    toast: Brush<u64>,
    clock: Single<u64>,
}

impl Hall {
    fn new() -> Hall {
        let mut layout = Layout::of_world("hall");
        layout.system("guests");
        let guests = layout.entities("guests", 20_000, 60_000, 256);
        layout.system("clock");
        let clock = layout.single("clock");
        let toast = layout.brush("toast", 1000);
        let settings = Settings { is_checked: true, ..Settings::default() };
        let mut world = World::new(&layout.finish(), &Pages, settings, 1);
        world.set_up(|world| {
            for number in 0..1000 {
                guests.create(world, number % 5 + 1).expect("there is room");
            }
        });
        Hall { world, guests, toast, clock }
    }

    /// One cycle, in which each guest sleeps for a while, and drinks when it wakes.
    fn step(&mut self, simulated: impl Fn() + Sync, painted: impl Fn() + Sync) {
        let pool = ThreadPool::new(2);
        let visit = each_entity(self.guests, |guest, values| {
            *guest.next += 1;
            values.fill(guest.cycle());
            guest.queue(self.toast, guest.address(), &7);
            guest.sleep_until(guest.cycle() + 1 + u64::from(guest.handle.slot() % 3));
            simulated();
        });
        self.world.simulate(&pool, &[&visit]);
        self.toast.paint_entities(&mut self.world, &pool, self.guests, |stroke, guest, values| {
            *guest.next += 1;
            values.fill(stroke.payload);
            guest.wake_at(guest.cycle() + 2);
            painted();
        });
        *self.clock.get_mut(&mut self.world) += 1;
        self.world.rest();
    }

    /// The address of the first byte of a region, in a form that jobs may share.
    fn start_of(&self, region: &str) -> usize {
        let region = self.world.plan().regions().iter().find(|found| found.name == region).expect("it is reserved");
        self.world.bytes()[region.bytes.start..].as_ptr() as usize
    }
}

/// Writes a byte that is write-protected.
fn write(address: usize) {
    eprintln!("about to write");
    let place = NonNull::new(address as *mut u8).expect("a block is not at address zero");
    // SAFETY: there is none. The byte is mapped and belongs to a living block, but others hold references to it: the very
    // thing the guard must stop. The process does nothing else with the block.
    unsafe { place.as_ptr().write_volatile(1) };
    eprintln!("wrote it");
}

/// Runs the test of this name again in a child process, which must be stopped at the write.
#[track_caller]
fn assert_write_faults(test: &str) {
    let output = testing::again(test).output().expect("the test binary runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("about to write") && !stderr.contains("wrote it"), "{stderr}");
    assert!(!output.status.success());
}

#[test]
fn allowed_writes_to_entities_do_not_fault() {
    let mut hall = Hall::new();
    for _ in 0..6 {
        hall.step(|| (), || ());
    }
    let bytes = hall.world.bytes().to_vec();
    hall.world.adopt(&bytes).expect("its own bytes are valid");
    let visits: u32 = hall.guests.iterate(&hall.world).map(|(_, guest)| *guest).sum();
    assert!(visits > 4000, "{visits} visits");
}

#[test]
fn moving_rows_while_entities_are_simulated_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        let address = hall.start_of("guests values");
        return hall.step(|| write(address), || ());
    }
    assert_write_faults("moving_rows_while_entities_are_simulated_faults");
}

#[test]
fn writing_a_value_of_no_entity_while_entities_are_painted_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        let address = hall.start_of("clock");
        return hall.step(|| (), || write(address));
    }
    assert_write_faults("writing_a_value_of_no_entity_while_entities_are_painted_faults");
}
