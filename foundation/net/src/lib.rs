//! How do machines agree?
//!
//! A [`channel`] carries messages between two machines in datagrams, and decides when to send and how much. A
//! [`simulation`] is a network in one process, from a seed. With [`lockstep`] all machines apply the same inputs in the
//! same cycles, and survive the loss of any of them; who may do what beside playing is a table of [`rights`]. A machine that joins exchanges [letters](letter)
//! with the host, which [finding] has named if it is near, and [meeting] reaches
//! through routers. A [`rehearsal`] is a whole session in one process.
//!
//! Never: opens a socket; reads a clock; knows what an event means; encrypts.
//!
//! Laws
//! 1. Time is an argument, in microseconds; the same calls give the same datagrams.
//! 2. Any bytes from outside are accepted or refused with a reason, in bounded memory.
//!
//! Cost: datagrams take at most 30 bytes of heap for each byte, letters and records 60, messages of lockstep 100, and notes of meeting and
//! finding 60, beside what [`limits`] allows to wait. Held by `tests/growth.rs` of the tool.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod channel;

pub mod simulation;

pub mod rights;

pub mod lockstep;

pub mod letter;

pub mod finding;

pub mod meeting;

pub mod rehearsal;

pub use channel::{Channel, ChannelEvent, Delivery, Quality, StreamSettings};
pub use letter::Letter;
pub use lockstep::{LockstepSettings, Peer};
pub use rehearsal::Rehearsal;
pub use simulation::{Network, Profile};
