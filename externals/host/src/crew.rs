//! The threads that do the parallel work.
//!
//! Laws
//! 1. Those of `state::workers`: every job exactly once, panics carried to the caller after all have ended, nothing from
//!    the heap.
//! 2. The caller works too, and waits only for workers who took part: a run of two jobs does not wait for sixteen
//!    sleepers to wake.
//! 3. Of several panics, that of the lowest job number is carried on.
//! 4. A run within a run, or beside one, is done by its caller alone. So nobody waits for anybody in a circle.
//! 5. The crew is as large as the machine allows: threads that cannot be had are done without.
//! 6. Allocating is forbidden to a job if it is to the caller (see [`allocation`](crate::allocation)).
//!
//! How a run goes: the caller puts it on the board and opens it; workers join, take jobs by counters
//! until there are none, and leave; the caller takes jobs too, then closes the run and waits until all have left.

mod board;
mod order;
mod run;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use state::workers::Workers;

use crate::limits::{SPINS, WORKERS_MAX};
use board::Board;
use order::Order;
use run::Run;

/// The number of whoever calls; the others are numbered from one on.
const CALLER: u32 = 0;

/// A fixed crew of threads. Dropping it ends them.
#[derive(Debug)]
pub struct Crew {
    board: Arc<Board>,
    threads: Vec<JoinHandle<()>>,
    shuffle: Option<u64>,
}

impl Crew {
    /// A crew of so many workers, the caller included: one means no threads at all, and none counts as one. At most
    /// [`WORKERS_MAX`].
    #[must_use]
    pub fn new(workers: u32) -> Crew {
        let workers = workers.clamp(1, WORKERS_MAX);
        let board = Arc::new(Board::new(spins(workers)));
        let threads = (1..workers).map_while(|number| hire(number, &board)).collect();
        Crew { board, threads, shuffle: None }
    }

    /// A crew with one worker per processor.
    #[must_use]
    pub fn of_this_machine() -> Crew {
        Crew::new(thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(WORKERS_MAX)))
    }

    /// Hands jobs out in another order in every run, and dawdles at random between them, to prove that nothing depends
    /// on the order. The orders follow from the seed, the number of runs so far and the number of jobs alone.
    #[must_use]
    pub fn with_shuffle(mut self, seed: u64) -> Crew {
        self.shuffle = Some(seed);
        self
    }

    /// Opens the run to all, does its part and waits for the others.
    fn do_together(&self, run: &Run) {
        self.board.open(run);
        let wanted = usize::try_from(run.count() - 1).unwrap_or(usize::MAX);
        self.threads.iter().take(wanted).for_each(|worker| worker.thread().unpark());
        run.take_part(CALLER);
        self.board.close();
    }
}

impl Workers for Crew {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        if count == 0 {
            return;
        }
        let is_free = !self.board.is_taken.swap(true, Ordering::Acquire);
        let order = match self.shuffle {
            None => Order::Counted,
            Some(seed) => Order::shuffled(seed, self.board.runs().wrapping_add(u32::from(is_free)), count),
        };
        let run = Run::new(count, self.crew(), job, order);
        if is_free {
            self.do_together(&run);
            self.board.is_taken.store(false, Ordering::Release);
        } else {
            run.take_part(CALLER);
        }
        run.end();
    }

    fn crew(&self) -> u32 {
        1 + u32::try_from(self.threads.len()).unwrap_or(WORKERS_MAX)
    }

    /// A shuffled crew hands out every job itself.
    fn together(&self) -> u32 {
        if self.shuffle.is_some() { 1 } else { self.crew() }
    }

    fn wait(&self, turns: u32) {
        if turns < self.board.spins() {
            std::hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.dismiss();
        self.threads.iter().for_each(|worker| worker.thread().unpark());
        for worker in self.threads.drain(..) {
            // A worker catches what its jobs throw, so there is nothing to tell.
            let _ = worker.join();
        }
    }
}

/// Looking again and again only pays while another processor is at work.
fn spins(workers: u32) -> u32 {
    let processors = thread::available_parallelism().map_or(1, |count| count.get());
    if usize::try_from(workers).is_ok_and(|workers| workers <= processors) { SPINS } else { 0 }
}

fn hire(number: u32, board: &Arc<Board>) -> Option<JoinHandle<()>> {
    let board = Arc::clone(board);
    thread::Builder::new().name(format!("worker {number}")).spawn(move || board.work(number)).ok()
}

#[cfg(test)]
mod tests;
