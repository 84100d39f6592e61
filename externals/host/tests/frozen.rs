//! Write protection by the MMU: a write to a protected page faults where it happens. And a thread whose float environment
//! was changed is detected.
#![allow(unsafe_code, reason = "the laws under test can be broken only through raw pointers and assembly")]
#![cfg(not(target_family = "wasm"))]

#[path = "../src/testing.rs"]
mod testing;

use std::process::{ExitStatus, Output};
use std::ptr::NonNull;

use host::pages::{Pages, page_bytes};
use host::thread_pool::ThreadPool;
use state::{Datums, Layout, Settings, Single, World, each};

/// A world with one array that is nearly empty and one value, each in its own system.
struct Hall {
    world: World,
    guests: Datums<u32>,
    clock: Single<u64>,
}

impl Hall {
    fn new() -> Hall {
        let mut layout = Layout::of_world("hall");
        layout.system("guests");
        let guests = layout.datums("guests", 60_000);
        layout.system("clock");
        let clock = layout.single("clock");
        let settings = Settings { is_checked: true, ..Settings::default() };
        let mut world = World::new(&layout.finish(), &Pages, settings, 1);
        world.set_up(|world| {
            for number in 0..10 {
                *guests.create(world).expect("there is room").1 = number;
            }
        });
        Hall { world, guests, clock }
    }

    /// One cycle, in which each guest does something.
    fn step(&mut self, deed: impl Fn(&state::Block) + Sync) {
        let visit = each(self.guests, |guest| {
            *guest.next += 1;
            deed(guest.frozen);
        });
        self.world.simulate(&ThreadPool::new(2), &[&visit]);
        *self.clock.get_mut(&mut self.world) += 1;
        self.world.rest();
    }

    /// The address of a byte of the living block, in a form that jobs may share.
    fn address(&self, offset: usize) -> usize {
        self.world.bytes()[offset..].as_ptr() as usize
    }

    /// The last byte of a region.
    fn end_of(&self, region: &str) -> usize {
        let region = self.world.plan().regions().iter().find(|found| found.name == region).expect("it is reserved");
        region.elements.element(region.elements.capacity - 1).end - 1
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

/// Runs the test of this name again in a child process.
fn child(test: &str) -> Output {
    testing::again(test).output().expect("the test binary runs")
}

#[track_caller]
fn assert_write_faults(output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("about to write") && !stderr.contains("wrote it"), "{stderr}");
    assert!(is_fault(output.status), "{:?}: {stderr}", output.status);
}

#[cfg(unix)]
fn is_fault(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    // SIGSEGV is 11 everywhere; some systems send SIGBUS.
    matches!(status.signal(), Some(11)) || (cfg!(target_vendor = "apple") && matches!(status.signal(), Some(10)))
}

#[cfg(not(unix))]
fn is_fault(status: ExitStatus) -> bool {
    !status.success()
}

#[test]
fn allowed_writes_do_not_fault() {
    let mut hall = Hall::new();
    for cycle in 0..5 {
        hall.step(|frozen| assert!(!frozen.bytes().is_empty()));
        assert_eq!((*hall.clock.get(&hall.world), hall.world.cycle()), (cycle + 1, cycle + 1));
    }
}

#[test]
fn writing_the_frozen_world_while_simulating_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        hall.step(|_| ());
        return hall.step(|frozen| write(frozen.bytes().as_ptr() as usize));
    }
    assert_write_faults(&child("writing_the_frozen_world_while_simulating_faults"));
}

#[test]
fn writing_a_resting_world_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        hall.step(|_| ());
        return write(hall.address(0));
    }
    assert_write_faults(&child("writing_a_resting_world_faults"));
}

#[test]
fn writing_a_world_that_was_just_set_up_faults() {
    if testing::is_child() {
        return write(Hall::new().address(0));
    }
    assert_write_faults(&child("writing_a_world_that_was_just_set_up_faults"));
}

#[test]
fn writing_beyond_the_last_item_of_an_array_while_simulating_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        let address = hall.address(hall.end_of("guests"));
        assert!(hall.end_of("guests") > 4 * page_bytes(), "the end of the array is on another page");
        return hall.step(|_| write(address));
    }
    assert_write_faults(&child("writing_beyond_the_last_item_of_an_array_while_simulating_faults"));
}

#[test]
fn writing_a_value_of_no_domain_while_simulating_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        let address = hall.address(hall.end_of("clock"));
        return hall.step(|_| write(address));
    }
    // With pages of 16 KiB or more the clock may share one with the array's end, which is protected too.
    assert_write_faults(&child("writing_a_value_of_no_domain_while_simulating_faults"));
}

#[test]
fn writing_a_world_that_was_loaded_faults() {
    if testing::is_child() {
        let mut hall = Hall::new();
        let bytes = hall.world.bytes().to_vec();
        hall.step(|_| ());
        hall.world.adopt(&bytes).expect("its own bytes are valid");
        return write(hall.address(0));
    }
    assert_write_faults(&child("writing_a_world_that_was_loaded_faults"));
}

#[cfg(target_arch = "x86_64")]
mod counting {
    use super::*;
    use core::arch::asm;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::thread;

    use state::Workers;

    /// The flush-to-zero bit of MXCSR, which some libraries turn on.
    const FLUSH_TO_ZERO: u32 = 1 << 15;

    fn control() -> u32 {
        let mut word: u32 = 0;
        // SAFETY: stores four bytes at the address of a u32 that is ours.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
        word
    }

    fn set_control(word: u32) {
        // SAFETY: the word is one that was read, with a bit changed that exists; `Spoiled` puts it back.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
    }

    /// Flush-to-zero is on in this thread while the value lives.
    struct Spoiled(u32);

    impl Spoiled {
        fn new() -> Spoiled {
            let word = control();
            set_control(word | FLUSH_TO_ZERO);
            Spoiled(word)
        }
    }

    impl Drop for Spoiled {
        fn drop(&mut self) {
            set_control(self.0);
        }
    }

    /// Turns on flush-to-zero on the worker thread of a pool of two.
    fn spoil_worker(pool: &ThreadPool) {
        let (caller, started) = (thread::current().id(), AtomicU32::new(0));
        pool.run(2, &|_| {
            started.fetch_add(1, Relaxed);
            while started.load(Relaxed) < 2 {
                thread::yield_now();
            }
            if thread::current().id() != caller {
                set_control(control() | FLUSH_TO_ZERO);
            }
        });
    }

    fn words_of_panic(deed: impl FnOnce()) -> String {
        let payload = catch_unwind(AssertUnwindSafe(deed)).expect_err("the change is detected");
        match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => (*payload.downcast::<&str>().expect("a panic has a message")).to_string(),
        }
    }

    fn simulate(is_checked: bool, workers: &dyn Workers) {
        let mut layout = Layout::of_world("hall");
        layout.system("guests");
        let guests = layout.datums::<u32>("guests", 10);
        let settings = Settings { is_checked, ..Settings::default() };
        let mut world = World::new(&layout.finish(), &Pages, settings, 1);
        guests.create(&mut world).expect("there is room");
        world.simulate(workers, &[&each(guests, |guest| *guest.next += 1)]);
        world.rest();
    }

    #[test]
    fn a_worker_with_a_changed_float_environment_is_detected_in_the_next_cycle() {
        let pool = ThreadPool::new(2);
        spoil_worker(&pool);
        let words = words_of_panic(|| {
            pool.begin_cycle();
            // Ends when the worker has joined a run; a run may be over before it does.
            loop {
                pool.run(2, &|_| thread::yield_now());
            }
        });
        assert!(words.contains("does not round floats"), "{words}");
    }

    #[test]
    fn a_caller_with_a_changed_float_environment_is_detected() {
        let words = words_of_panic(|| {
            let _spoiled = Spoiled::new();
            simulate(false, &ThreadPool::new(1));
        });
        assert!(words.contains("does not round floats"), "{words}");
        simulate(false, &ThreadPool::new(1));
    }
}
