//! Workers that run jobs in every order and on every number of threads that the laws of `Workers` allow.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use base::random::{Pcg, Random};
use jobs::{Alone, Workers};

/// This many threads, started for each run.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub u32);

impl Workers for Threads {
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
            let threads: Vec<_> = (0..self.0).map(|_| scope.spawn(work)).collect();
            let ends: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            if let Some(payload) = ends.into_iter().find_map(Result::err) {
                resume_unwind(payload);
            }
        });
    }

    fn threads(&self) -> u32 {
        self.0
    }
}

/// The same, with jobs that may wait for one another.
#[derive(Clone, Copy, Debug)]
pub struct Concurrent(pub u32);

impl Workers for Concurrent {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        Threads(self.0).run(count, job);
    }

    fn threads(&self) -> u32 {
        self.0
    }

    fn concurrent_jobs(&self) -> u32 {
        self.0
    }

    fn spin_wait(&self, _: u32) {
        std::thread::yield_now();
    }
}

/// The caller alone, in an order shuffled by a seed.
#[derive(Clone, Copy, Debug)]
pub struct Permuted(pub u64);

impl Workers for Permuted {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        let mut order: Vec<u32> = (0..count).collect();
        Pcg::new(self.0, 0).shuffle(&mut order);
        order.into_iter().for_each(job);
    }

    fn threads(&self) -> u32 {
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

    fn threads(&self) -> u32 {
        1
    }
}

/// One of each kind, those whose jobs may wait excepted.
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
