//! What did the players do?
//!
//! Everything that can change a world from outside comes through here as an [`Event`], is gathered per player and safe
//! cycle into a batch, and is sealed when all batches of a cycle have arrived. Sealed inputs and an occasional copy of
//! the world are enough to replay it: the [`black_box`] keeps both for crash reports, and a [`film`] permanently.
//!
//! Never: reads a device, a clock, a file or a socket; knows what an event means.
//!
//! Laws
//! 1. A cycle is sealed once, when every player's batch for it has arrived, empty ones included; after that it is
//!    immutable.
//! 2. Within a cycle, events are ordered by player, then by arrival at that player's machine.
//! 3. A batch that is late, too early, duplicate, too long or from an unknown player is refused with a reason; nothing
//!    else changes. An event that the table of its cycle does not allow is dropped, named and counted when the cycle is
//!    sealed; so all machines agree.
//! 4. Inputs replayed over the block they were recorded against give the hashes they carry, or there is a bug.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod access;
pub mod event;
pub mod sealed;
pub mod table;

pub mod device;

pub mod relay;

pub mod input;

pub mod black_box;
pub mod crash_report;

pub mod film;

pub use black_box::BlackBox;
pub use crash_report::CrashReport;
pub use event::Event;
pub use relay::Relay;
pub use sealed::Sealed;
