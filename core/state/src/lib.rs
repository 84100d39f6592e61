//! What is the world, at a cycle?
//!
//! A world is one block of plain memory. Systems reserve their parts in a [`Layout`] once; what they get are keys
//! ([`One`], [`List`], [`Datums`], [`Pool`], [`Entities`], [`Brush`]) that find their values in any block of that plan. A cycle
//! simulates in parallel from a frozen copy, paints what was queued in one order, and rests.
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
//!     if lamps.get_untrusted(lamp.frozen, now.wire.raw()).is_some() {
//!         lamp.queue(glow, lamps.address(now.wire), &(now.level * 0.25));
//!     }
//! })]);
//! glow.paint(&mut world, |world, stroke| {
//!     let lamp = lamps.handle(stroke.target).expect("only lamps glow");
//!     lamps.edit(world, lamp).level += stroke.payload;
//! });
//! world.rest();
//! assert_eq!(lamps.get(&world, first).level, 0.25);
//! ```
//!
//! Never: reads a clock, a file, a socket or the order of threads; holds a pointer in the block; touches the heap while
//! stepping; knows what a datum means.
//!
//! Laws
//! 1. `next world = step(world, content, inputs)`, and nothing else goes in: the same block, content and inputs give the same
//!    next block, whatever the build, the machine, the workers, the address or the garbage in dead slots.
//! 2. The block is all of it. A copy is a save; putting the copy back is a load; saving changes nothing.
//! 3. Everything is bounded. Running out is an ordinary outcome of one region, counted there, and never another's.
//! 4. Three kinds of memory, kept apart by their types: the *gamestate* is what is [`Plain`](base::Plain) and lies in the
//!    block; the *application* is everything else; a *view* of the world is made from a `&Block`, which can change nothing.
//! 5. A wrong use (a stale handle, a write in the wrong phase, a key used twice) stops the program with names in it.
#![no_std]

extern crate alloc;

pub mod desks;
pub mod limits;
pub mod memory;
pub mod widely;
pub mod workers;

mod rounds;

pub mod share;

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
pub mod one;
pub mod pool;

pub mod entities;

pub mod brush;
pub mod simulate;

pub mod item;
pub mod targets;

pub mod backups;
pub mod snapshot;

pub mod save;

pub mod difference;
pub mod inquiry;
pub mod report;

pub mod pacer;
pub mod prediction;

pub use block::Block;
pub use brush::{Brush, Stroke};
pub use datums::Datums;
pub use desks::Desks;
pub use difference::{Difference, differences};
pub use entities::Entities;
pub use item::{Item, each, each_entity, each_entity_ahead};
pub use list::List;
pub use memory::Heap;
pub use one::One;
pub use plan::{Layout, Plan};
pub use pool::{Class, Pool};
pub use queue::Address;
pub use snapshot::Snapshot;
pub use tree::HashTree;
pub use workers::{Alone, Workers};
pub use world::{Edit, Settings, World};
