//! The stages of a cycle, in their order. Read this page first.
//!
//! | | stage | what happens | in |
//! |---|---|---|---|
//! | 1 | simulate | awake objects fire timers, update, move and settle; in parallel, reading the frozen world | [`simulate`] |
//! | 2 | input | the players' events become messages to their objects | [`input`] |
//! | 3 | destroy | `OnDestroy` is called, then the object is removed | [`destroy`] |
//! | 4 | spawn | objects are created, and callbacks queued | [`spawn`] |
//! | 5 | message | messages are delivered, in rounds | [`message`] |
//! | 6 | damage | hits are delivered, in rounds | [`message`] |
//! | 7 | callback | callbacks are delivered | [`message`] |
//! | 8 | placement | positions, attachments, owners, teams and flags change; moves may be denied | [`placement`] |
//! | 9 | physics | forces and joints are applied, physics is stepped, objects follow their bodies | [`physics`] |
//! | 10 | tag changes | objects whose tags changed are carried over to the new prototypes | [`changes`] |
//! | 11 | end, show, tell | the level may end; sounds and visual effects are put in the ring of cues, warnings counted and logged | [`ending`] |
//! | 12 | the game's own | the brushes of the game's extension | [`Own`](crate::rules::Own) |
//!
//! At the end of stage 10 the map for finding ways follows the fixed bodies: [`way_building`](crate::way_building).
//!
//! An entry that a stage queues for a later stage is painted in the same cycle; for an earlier one, or for itself after its last
//! round, in the next. Within a stage, entries are painted by target, then by source, then in the order of queueing by the
//! source. So the result does not depend on the number of workers.

mod changes;
mod destroy;
mod ending;
mod fields;
mod input;
mod message;
mod physics;
mod placement;
mod settling;
mod simulate;
mod spawn;

use alloc::vec::Vec;
use core::cell::RefCell;

use ::physics::StepPhase;
use relay::Event;
use state::{Workers, World};
use tags::Library;
use tags::library::Changed;

use crate::rules::Rules;
use crate::watch::ObjectWatch;
use crate::way_building;

pub(crate) use changes::carry_all;
pub(crate) use spawn::{SpawnOrder, make};

/// The input of a step: everything it reads besides the world and the rules.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// The tags in force.
    pub content: &'a Library,
    /// The tags that changed since the previous cycle.
    pub changed: &'a Changed,
    /// The players' events, each with its player; empty between safe cycles.
    pub events: &'a [(u16, Event)],
}

/// A part of a cycle that has just ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lap {
    /// A stage, by its number in the table.
    Stage(u32),
    /// A phase of the physics step, within the stage `physics`.
    Physics(StepPhase),
}

impl StepInput<'static> {
    /// No tags and no events, for tests and benchmarks.
    pub fn empty() -> StepInput<'static> {
        static CONTENT: Library = Library::new();
        static CHANGED: Changed = Changed { tags: Vec::new(), classes: Vec::new() };
        StepInput { content: &CONTENT, changed: &CHANGED, events: &[] }
    }
}

impl Rules {
    /// One brush cycle.
    pub fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        self.step_in_laps(world, input, workers, &mut |_| {});
    }

    /// The same; `lap` is called at the end of each stage and of each phase of physics, so that the caller can time them.
    pub fn step_in_laps(
        &self,
        world: &mut World,
        input: &StepInput<'_>,
        workers: &dyn Workers,
        lap: &mut dyn FnMut(Lap),
    ) {
        let cycle = &self.cycle(input.content, input.changed);
        let mut watch = ObjectWatch::begin(cycle, world);
        let lap = RefCell::new(lap);
        let mut over = |world: &World, stage: u32| {
            watch.compare(cycle, world, stage);
            (lap.borrow_mut())(Lap::Stage(stage));
        };
        simulate::simulate(cycle, world, workers);
        over(world, 1);
        input::paint(cycle, world, input.events);
        over(world, 2);
        destroy::paint(cycle, world, workers);
        over(world, 3);
        spawn::paint(cycle, world);
        over(world, 4);
        message::paint_messages(cycle, world, workers);
        over(world, 5);
        message::paint_damages(cycle, world, workers);
        over(world, 6);
        message::paint_callbacks(cycle, world, workers);
        over(world, 7);
        placement::paint(cycle, world);
        over(world, 8);
        physics::paint(cycle, world, workers, &mut |phase| (lap.borrow_mut())(Lap::Physics(phase)));
        over(world, 9);
        changes::paint(cycle, world);
        way_building::follow_bodies(cycle, world);
        over(world, 10);
        ending::paint(cycle, world);
        over(world, 11);
        if let Some(own) = &self.own {
            own.paint(world, cycle, workers);
        }
        over(world, 12);
        world.rest();
    }
}
