//! A world on its own thread.
//!
//! The runner owns a session and the film that is being recorded. Commands come through a bounded queue, and publications go out
//! through extractors; so presentation never waits for the world, nor the world for presentation. One turn of its loop is the
//! page to read: [`WorldLoop::turn`].
//!
//! Laws
//! 1. Frame rates, stalls and commands that only look change nothing in a world: its hashes are those of a run without them.
//! 2. What a person does enters the world as an input that is sealed at a safe cycle, or begins a new take of the film.
//! 3. A command never panics and never blocks its sender. What cannot be done is said in the status.

mod command;
mod journal;
mod local_player;
mod stage;
mod world_loop;

use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use host::clock::Clock;
use host::exchange::CommandSender;
use host::thread_pool::ThreadPool;

use crate::extractor::{Extractor, Latest, latest};
use crate::paced::PaceClock;
use crate::party::Party;
use crate::session::Session;

pub use command::{Command, Driver, RunningPace, Visit};
pub use journal::LINES_MAX;
pub use stage::{Advance, Stage};
pub use world_loop::{COMMANDS_WAITING_MAX, RunnerOptions, SPEED_MAX, Turn, WorldLoop};

/// A world on its own thread. Dropping it ends the world and waits for that.
pub struct Runner {
    sender: Option<CommandSender<Command>>,
    clock: Clock,
    thread: Option<JoinHandle<Ended>>,
    waker: Thread,
}

/// Sends commands to a running world. Its clones send to the same one.
#[derive(Clone)]
pub struct Commander {
    sender: CommandSender<Command>,
    waker: Thread,
}

/// How a world on a thread has ended.
pub struct Ended {
    /// The session that was played; none if a film was shown, or the world panicked while it was stepped.
    pub session: Option<Session>,
    /// The machine time that was dropped because the machine was too slow, in nanoseconds.
    pub forgotten_nanos: u64,
    /// The message of the panic that ended it, if one did. The session then holds the black box and the film.
    pub panic: Option<String>,
}

/// The command was not accepted: the queue is full, or the world has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAccepted;

impl fmt::Display for NotAccepted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the world has ended, or too many commands wait")
    }
}

impl std::error::Error for NotAccepted {}

impl Runner {
    /// Begins to run a world on a thread of its own.
    pub fn begin(stage: Stage, workers: ThreadPool, options: RunnerOptions) -> io::Result<Runner> {
        let (running, sender) = WorldLoop::new(stage, workers, options);
        Runner::begin_loop(running, sender)
    }

    fn begin_loop(running: WorldLoop, sender: CommandSender<Command>) -> io::Result<Runner> {
        let clock = Clock::new();
        let mut times = clock;
        let work = move || run(running, &mut times, &mut |pause| thread::park_timeout(Duration::from_nanos(pause)));
        let thread = thread::Builder::new().name(String::from("world")).spawn(work)?;
        let waker = thread.thread().clone();
        Ok(Runner { sender: Some(sender), clock, thread: Some(thread), waker })
    }

    /// Begins to run a world that other machines play too.
    pub fn begin_together(
        stage: Stage,
        workers: ThreadPool,
        options: RunnerOptions,
        party: Party,
    ) -> io::Result<Runner> {
        let (running, sender) = WorldLoop::new(stage, workers, options);
        Runner::begin_loop(running.with_party(party), sender)
    }

    /// Sends a command.
    pub fn send(&self, command: Command) -> Result<(), NotAccepted> {
        let sender = self.sender.as_ref().ok_or(NotAccepted)?;
        sender.send(command).map_err(|_| NotAccepted)?;
        self.waker.unpark();
        Ok(())
    }

    /// Connects an extractor.
    pub fn connect(&self, extractor: impl Extractor + 'static) -> Result<(), NotAccepted> {
        self.send(Command::Connect(Box::new(extractor)))
    }

    /// Connects this thread: it finds the newest publication there.
    pub fn watch(&self) -> Result<Latest, NotAccepted> {
        let (sender, receiver) = latest();
        self.connect(sender)?;
        Ok(receiver)
    }

    /// An end from which commands can be sent by other threads.
    pub fn commander(&self) -> Option<Commander> {
        Some(Commander { sender: self.sender.clone()?, waker: self.waker.clone() })
    }

    /// The clock in whose time publications are stamped.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether the world's thread is still running.
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Ends the world and waits for that.
    pub fn finish(mut self) -> Ended {
        self.end().unwrap_or(Ended { session: None, forgotten_nanos: 0, panic: None })
    }

    fn end(&mut self) -> Option<Ended> {
        // A full queue does not keep the world from ending: without senders it ends as well.
        let _ = self.send(Command::Stop);
        self.sender = None;
        self.waker.unpark();
        let thread = self.thread.take()?;
        let failed = |payload: Box<dyn Any + Send>| Ended {
            session: None,
            forgotten_nanos: 0,
            panic: Some(crate::crash::panic_message(&*payload)),
        };
        Some(thread.join().unwrap_or_else(failed))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end();
    }
}

impl Commander {
    /// Sends to a loop on this thread, which is not a runner's: it takes the commands from the other end.
    pub fn to_this_thread(sender: CommandSender<Command>) -> Commander {
        Commander { sender, waker: thread::current() }
    }

    /// Sends a command.
    pub fn send(&self, command: Command) -> Result<(), NotAccepted> {
        self.sender.send(command).map_err(|_| NotAccepted)?;
        self.waker.unpark();
        Ok(())
    }
}

/// Runs a world until it ends.
fn run(running: WorldLoop, clock: &mut dyn PaceClock, pause: &mut dyn FnMut(u64)) -> Ended {
    let mut running = running;
    let ran = panic::catch_unwind(AssertUnwindSafe(|| {
        loop {
            let turn = running.turn(clock.now());
            if turn.is_over {
                return;
            }
            if turn.pause_nanos > 0 {
                pause(turn.pause_nanos);
            }
        }
    }));
    let panic = ran.err().map(|payload| crate::crash::panic_message(&*payload));
    let forgotten_nanos = running.forgotten_nanos();
    Ended { session: running.into_session(), forgotten_nanos, panic }
}

/// The newest publication, without a thread: for tools that drive a loop themselves.
pub fn connect_here(running: &mut WorldLoop) -> Latest {
    let (sender, receiver) = latest();
    running.connect(Box::new(sender));
    receiver
}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<WorldLoop>();
    is_send::<Arc<crate::publication::Publication>>();
};
