//! Whole values from one thread to another, and bounded commands back, without waiting.
//!
//! A publisher fills its back value in place and publishes it; a subscriber always gets the newest whole value (a triple
//! buffer: one value is filled, one is read, one is in between). Commands go the other way through a queue with a limit.
//!
//! Laws
//! 1. Neither side ever waits: publishing and updating are one atomic operation each.
//! 2. A value is seen whole, and values are seen in the order of their publishing. Older ones may be skipped.
//! 3. Values are used again, so their vectors keep their memory. A back value has the contents of some earlier one.
//! 4. A command that finds the queue full is given back and counted.
#![allow(unsafe_code, reason = "two threads own different slots of one array; an atomic index says which")]

use std::cell::{Cell, UnsafeCell};
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, TryRecvError, TrySendError};

use crate::limits::COMMANDS_MAX;

/// A publisher and a subscriber of values that `make` creates: it is called three times, and never again.
pub fn exchange<T: Send>(mut make: impl FnMut() -> T) -> (Publisher<T>, Subscriber<T>) {
    let slots = [UnsafeCell::new(make()), UnsafeCell::new(make()), UnsafeCell::new(make())];
    let shared = Arc::new(Slots { slots, middle: AtomicU8::new(1), published: AtomicU64::new(0) });
    let publisher = Publisher { shared: Arc::clone(&shared), back: 0, one_thread: PhantomData };
    (publisher, Subscriber { shared, front: 2, one_thread: PhantomData })
}

/// The side that fills values.
#[derive(Debug)]
pub struct Publisher<T> {
    shared: Arc<Slots<T>>,
    back: u8,
    /// May be sent to another thread, but not shared: a reference to its value would be shared with it.
    one_thread: PhantomData<Cell<()>>,
}

impl<T: Send> Publisher<T> {
    /// The value to be filled.
    pub fn back(&mut self) -> &mut T {
        let slot = self.shared.slots[usize::from(self.back)].get();
        // SAFETY: law 1 of `Slots`: `back` is the index of this side alone, and the borrow of `self` keeps it.
        unsafe { &mut *slot }
    }

    /// Publishes the back value, and gets another one to fill. False if the value before it was never seen.
    pub fn publish(&mut self) -> bool {
        let before = self.shared.middle.swap(self.back | FRESH, Ordering::AcqRel);
        self.back = before & INDEX;
        self.shared.published.fetch_add(1, Ordering::Relaxed);
        before & FRESH == 0
    }

    /// Whether the subscriber has taken over what was published last; true before the first.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.shared.middle.load(Ordering::Relaxed) & FRESH == 0
    }

    /// Whether the subscriber was dropped.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }
}

/// The side that reads values.
#[derive(Debug)]
pub struct Subscriber<T> {
    shared: Arc<Slots<T>>,
    front: u8,
    /// As in [`Publisher`].
    one_thread: PhantomData<Cell<()>>,
}

impl<T: Send> Subscriber<T> {
    /// Takes over the newest value. False if none was published since the last time.
    pub fn update(&mut self) -> bool {
        if self.shared.middle.load(Ordering::Relaxed) & FRESH == 0 {
            return false;
        }
        self.front = self.shared.middle.swap(self.front, Ordering::AcqRel) & INDEX;
        true
    }

    /// The value of the last update; before the first, as it was made.
    #[must_use]
    pub fn value(&self) -> &T {
        let slot = self.shared.slots[usize::from(self.front)].get();
        // SAFETY: law 1 of `Slots`: `front` is the index of this side alone, and the borrow of `self` keeps it.
        unsafe { &*slot }
    }

    /// The same, to be changed: what is taken out of it costs the publisher its memory.
    pub fn value_mut(&mut self) -> &mut T {
        let slot = self.shared.slots[usize::from(self.front)].get();
        // SAFETY: law 1 of `Slots`: `front` is the index of this side alone, and the borrow of `self` keeps it.
        unsafe { &mut *slot }
    }

    /// The number of values published so far.
    #[must_use]
    pub fn published(&self) -> u64 {
        self.shared.published.load(Ordering::Relaxed)
    }

    /// Whether the publisher was dropped, after which nothing new comes.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }
}

/// The bits of the index in `middle`.
const INDEX: u8 = 3;
/// Whether the middle value is newer than the front value.
const FRESH: u8 = 4;

/// Three values.
///
/// Law 1: `Publisher::back`, `Subscriber::front` and the index in `middle` are always 0, 1 and 2 in some order. Each side
/// changes its own only by swapping it with `middle` in one atomic operation, which also orders the accesses to the slots.
struct Slots<T> {
    slots: [UnsafeCell<T>; 3],
    middle: AtomicU8,
    published: AtomicU64,
}

// SAFETY: by law 1 a slot is accessed by one thread at a time, so the values are only sent between threads.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> fmt::Debug for Slots<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values belong to two threads.
        formatter.debug_struct("Slots").field("published", &self.published).finish_non_exhaustive()
    }
}

/// The two ends of a queue of at most this many commands, and of at most [`COMMANDS_MAX`].
#[must_use]
pub fn commands<C: Send>(capacity: usize) -> (CommandSender<C>, CommandReceiver<C>) {
    let (sender, receiver) = mpsc::sync_channel(capacity.clamp(1, COMMANDS_MAX));
    let refused = Arc::new(AtomicU64::new(0));
    (CommandSender { sender, refused: Arc::clone(&refused) }, CommandReceiver { receiver, refused })
}

/// The end that sends. Its clones share the queue.
#[derive(Debug)]
pub struct CommandSender<C> {
    sender: mpsc::SyncSender<C>,
    refused: Arc<AtomicU64>,
}

impl<C> Clone for CommandSender<C> {
    fn clone(&self) -> CommandSender<C> {
        CommandSender { sender: self.sender.clone(), refused: Arc::clone(&self.refused) }
    }
}

impl<C: Send> CommandSender<C> {
    /// Queues a command, or gives it back. Never waits for room.
    pub fn send(&self, command: C) -> Result<(), CommandRefusal<C>> {
        self.sender.try_send(command).map_err(|error| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(command) => CommandRefusal::Full(command),
                TrySendError::Disconnected(command) => CommandRefusal::Closed(command),
            }
        })
    }
}

/// Why a command was not queued, with the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRefusal<C> {
    /// The queue is full.
    Full(C),
    /// The receiver was dropped.
    Closed(C),
}

impl<C> fmt::Display for CommandRefusal<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            CommandRefusal::Full(_) => "the queue of commands is full",
            CommandRefusal::Closed(_) => "the receiver of the commands has ended",
        })
    }
}

impl<C: fmt::Debug> Error for CommandRefusal<C> {}

/// The end that receives.
#[derive(Debug)]
pub struct CommandReceiver<C> {
    receiver: mpsc::Receiver<C>,
    refused: Arc<AtomicU64>,
}

impl<C: Send> CommandReceiver<C> {
    /// The next command, if there is one. Never waits.
    pub fn take(&mut self) -> Option<C> {
        self.receiver.try_recv().ok()
    }

    /// The same, and tells an empty queue from one that stays empty.
    pub fn take_or_end(&mut self) -> Result<Option<C>, CommandsEnded> {
        match self.receiver.try_recv() {
            Ok(command) => Ok(Some(command)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(CommandsEnded),
        }
    }

    /// The number of commands refused so far.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// All senders were dropped and all commands taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandsEnded;

impl fmt::Display for CommandsEnded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("all senders of commands have ended")
    }
}

impl Error for CommandsEnded {}

#[cfg(test)]
mod tests;
