//! Crews that do the jobs of a cycle in every way the law of `Workers` allows.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use base::random::{Pcg, Random};
use state::{Alone, Workers};

/// So many threads at once.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub u32);

impl Workers for Threads {
    #[allow(clippy::disallowed_methods, reason = "a crew is where threads belong")]
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        let next = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let work = || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= count {
                        break;
                    }
                    job(number);
                }
            };
            let crew: Vec<_> = (0..self.0).map(|_| scope.spawn(work)).collect();
            let ends: Vec<_> = crew.into_iter().map(|worker| worker.join()).collect();
            if let Some(payload) = ends.into_iter().find_map(Result::err) {
                resume_unwind(payload);
            }
        });
    }

    fn crew(&self) -> u32 {
        self.0
    }
}

/// So many threads at once, which wait for one another.
#[derive(Clone, Copy, Debug)]
pub struct Together(pub u32);

impl Workers for Together {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        Threads(self.0).run(count, job);
    }

    fn crew(&self) -> u32 {
        self.0
    }

    fn together(&self) -> u32 {
        self.0
    }

    fn wait(&self, _: u32) {
        std::thread::yield_now();
    }
}

/// The caller alone, in an order that follows from a seed.
#[derive(Clone, Copy, Debug)]
pub struct Permuted(pub u64);

impl Workers for Permuted {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        let mut order: Vec<u32> = (0..count).collect();
        Pcg::new(self.0, 0).shuffle(&mut order);
        order.into_iter().for_each(job);
    }

    fn crew(&self) -> u32 {
        1
    }
}

/// The caller alone, last job first.
#[derive(Clone, Copy, Debug)]
pub struct Backwards;

impl Workers for Backwards {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn crew(&self) -> u32 {
        1
    }
}

/// One of each.
pub fn all() -> Vec<Box<dyn Workers>> {
    vec![
        Box::new(Alone),
        Box::new(Backwards),
        Box::new(Permuted(1)),
        Box::new(Permuted(2)),
        Box::new(Threads(1)),
        Box::new(Threads(2)),
        Box::new(Threads(7)),
    ]
}
