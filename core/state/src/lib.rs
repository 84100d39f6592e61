//! What is the world, at a cycle?
//!
//! A world is one block of plain memory. Systems reserve their regions in a [`Layout`] once and get keys ([`Single`],
//! [`List`], [`Datums`], [`Pool`], [`Entities`], [`Brush`]) that find their values in any block of that plan. A cycle
//! simulates in parallel from a frozen copy (double buffering), paints the queued entries in one order, and rests.
//!
//! ```
//! use base::{Handle, Plain};
//! use state::{Alone, Heap, Layout, Settings, World, each};
//!
//! #[derive(Clone, Copy, Plain)]
//! #[repr(C)]
//! struct Lamp { level: f32, wire: Handle<Lamp> }
//!
//! let mut layout = Layout::of_world("lamps");
//! layout.system("lights");
//! let lamps = layout.datums::<Lamp>("lamps", 64);
//! let glow = layout.brush::<f32>("glow", 64);
//! let plan = layout.finish();
//!
//! let mut world = World::new(&plan, &Heap, Settings::default(), 7);
//! let first = lamps.create(&mut world).unwrap().0;
//! let (_, mut second) = lamps.create(&mut world).unwrap();
//! (second.level, second.wire) = (1.0, first);
//! drop(second);
//!
//! // One cycle: every lamp dims itself and lights the lamp it is wired to.
//! world.simulate(&Alone, &[&each(lamps, |lamp| {
//!     let now = *lamp.now();
//!     lamp.next.level = now.level * 0.5;
//!     if lamps.find_raw(lamp.frozen, now.wire.raw()).is_some() {
//!         lamp.queue(glow, lamps.address(now.wire), &(now.level * 0.25));
//!     }
//! })]);
//! glow.paint(&mut world, |world, stroke| {
//!     let lamp = lamps.handle(stroke.target).expect("only lamps glow");
//!     lamps.get_mut(world, lamp).level += stroke.payload;
//! });
//! world.rest();
//! assert_eq!(lamps.get(&world, first).level, 0.25);
//! ```
//!
//! Never: reads a clock, a file, a socket or the order of threads; holds a pointer in the block; allocates while
//! stepping; knows what a datum means.
//!
//! Laws
//! 1. `next world = step(world, content, inputs)`, and nothing else goes in: the same block, content and inputs give
//!    the same next block in every build, on every machine, with any workers, at any address, with any garbage in dead
//!    slots.
//! 2. The block is the whole state. A copy is a save; copying it back is a load; saving changes nothing.
//! 3. Every region is bounded. Running out is an ordinary outcome, counted in that region; no other region is affected.
//! 4. Three kinds of memory, kept apart by their types: the *gamestate* is [`Plain`](base::Plain) and lies in the
//!    block; the *application* is everything else; a *view* is made from a `&Block`, which is read-only.
//! 5. A wrong use (a stale handle, a write in the wrong phase, a key used twice) panics with the names of region and
//!    phase.
#![no_std]

extern crate alloc;
extern crate self as state;

pub mod limits;
pub mod memory;

pub mod plan;

mod bits;
pub mod block;

pub mod marks;
pub mod phase;
pub mod queue;
pub mod tree;

mod life;
mod validate;
pub mod world;

mod freeze;
mod waiting;

pub mod alarms;
pub mod datums;
pub mod list;
pub mod pool;
pub mod single;

pub mod entities;

pub mod brush;
pub mod simulate;

pub mod item;
mod targets;

pub mod backups;
pub mod snapshot;

pub mod conversion;
pub mod save;

pub mod difference;
pub mod inquiry;
pub mod report;

pub mod pacer;

pub use block::Block;
pub use brush::{Brush, Stroke};
pub use datums::Datums;
pub use difference::{Difference, differences};
pub use entities::Entities;
pub use item::{Item, each, each_entity, each_entity_ahead};
pub use jobs::{Alone, Workers};
pub use list::List;
pub use memory::Heap;
pub use plan::{Layout, Plan};
pub use pool::{Class, Pool};
pub use queue::Address;
pub use single::Single;
pub use snapshot::Snapshot;
pub use state_derive::Layout;
pub use tree::HashTree;
pub use world::{Edit, Settings, World};
