//! The thread pool: the host's implementation of `jobs::Workers`.
//!
//! Laws
//! 1. Those of `jobs::workers`: every job runs exactly once, panics reach the caller after all jobs have ended, nothing
//!    is allocated.
//! 2. The caller works too, and waits only for workers that joined: a run of two jobs does not wait for sixteen threads
//!    to wake.
//! 3. Of several panics, that of the lowest job number is propagated.
//! 4. A nested or concurrent run is done by its caller alone. So there are no circular waits.
//! 5. If the machine cannot start a thread, the pool has fewer workers.
//! 6. Allocation is forbidden to a job if it is to the caller (see [`allocation`](crate::allocation)).
//!
//! A run: the caller publishes it on the board and opens it; workers join, take jobs by atomic counters until none is
//! left, and leave; the caller takes jobs too, then closes the run and waits until all workers have left.

mod board;
mod order;
mod run;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use jobs::workers::{Workers, assert_float_environment};

use crate::limits::{SPINS, WORKERS_MAX};
use board::Board;
use order::Order;
use run::Run;

/// The number of the calling thread; workers are numbered from one on.
const CALLER: u32 = 0;

/// A fixed set of threads. Dropping it ends them.
#[derive(Debug)]
pub struct ThreadPool {
    board: Arc<Board>,
    threads: Vec<JoinHandle<()>>,
    shuffle: Option<u64>,
}

impl ThreadPool {
    /// A pool of this many workers, the caller included: one means no threads, and zero counts as one. At most
    /// [`WORKERS_MAX`].
    #[must_use]
    pub fn new(workers: u32) -> ThreadPool {
        let workers = workers.clamp(1, WORKERS_MAX);
        let board = Arc::new(Board::new(spins(workers)));
        let threads = (1..workers).map_while(|number| start(number, &board)).collect();
        ThreadPool { board, threads, shuffle: None }
    }

    /// A pool with one worker per processor.
    #[must_use]
    pub fn of_this_machine() -> ThreadPool {
        ThreadPool::new(
            thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(WORKERS_MAX)),
        )
    }

    /// Hands jobs out in a different order in every run, with random yields, to prove that no result depends on the
    /// order. The orders follow from the seed, the number of runs and the number of jobs alone.
    #[must_use]
    pub fn with_shuffle(mut self, seed: u64) -> ThreadPool {
        self.shuffle = Some(seed);
        self
    }

    /// Opens the run, takes part and waits for the workers.
    fn run_parallel(&self, run: &Run) {
        self.board.open(run);
        let wanted = usize::try_from(run.count() - 1).unwrap_or(usize::MAX);
        if self.board.is_any_parked() {
            self.threads.iter().take(wanted).for_each(|worker| worker.thread().unpark());
        }
        run.take_part(CALLER);
        self.board.close();
    }
}

impl Workers for ThreadPool {
    fn begin_cycle(&self) {
        assert_float_environment();
        self.board.begin_cycle();
    }

    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        if count == 0 {
            return;
        }
        let is_free = !self.board.is_taken.swap(true, Ordering::Acquire);
        let order = match self.shuffle {
            None => Order::Counted,
            Some(seed) => Order::shuffled(seed, self.board.runs().wrapping_add(u32::from(is_free)), count),
        };
        let run = Run::new(count, self.threads(), job, order);
        if is_free {
            self.run_parallel(&run);
            self.board.is_taken.store(false, Ordering::Release);
        } else {
            run.take_part(CALLER);
        }
        run.end();
    }

    fn threads(&self) -> u32 {
        1 + u32::try_from(self.threads.len()).unwrap_or(WORKERS_MAX)
    }

    /// A shuffled pool hands out every job itself.
    fn concurrent_jobs(&self) -> u32 {
        if self.shuffle.is_some() { 1 } else { self.threads() }
    }

    fn spin_wait(&self, calls: u32) {
        if calls < self.board.spins() {
            std::hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.board.shut_down();
        self.threads.iter().for_each(|worker| worker.thread().unpark());
        for worker in self.threads.drain(..) {
            // A worker catches the panics of its jobs, so there is no error to report.
            let _ = worker.join();
        }
    }
}

/// Spinning only pays off while other processors are running.
fn spins(workers: u32) -> u32 {
    let processors = thread::available_parallelism().map_or(1, |count| count.get());
    if usize::try_from(workers).is_ok_and(|workers| workers <= processors) { SPINS } else { 0 }
}

fn start(number: u32, board: &Arc<Board>) -> Option<JoinHandle<()>> {
    let board = Arc::clone(board);
    thread::Builder::new().name(format!("worker {number}")).spawn(move || board.work(number)).ok()
}

#[cfg(test)]
mod tests;
