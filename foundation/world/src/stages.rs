//! The stages of a cycle, in their order. Read this page first.
//!
//! | | stage | what happens | in |
//! |---|---|---|---|
//! | 1 | simulate | awake objects let timers go off, update, move and settle; in parallel, from the frozen world | [`simulate`] |
//! | 2 | input | what players did becomes messages to their objects | [`input`] |
//! | 3 | destroy | `OnDestroy` is called, then the object is removed | [`destroy`] |
//! | 4 | spawn | objects are made; whoever asked is called back | [`spawn`] |
//! | 5 | message | messages reach their objects, in rounds | [`message`] |
//! | 6 | damage | hits reach their objects, in rounds | [`message`] |
//! | 7 | callback | answers reach those who asked | [`message`] |
//! | 8 | physics | places, attachments and belongings follow; moves may be denied | [`physics`] |
//! | 9 | motion | bodies are pushed, joined, move, meet and part; objects go along | [`motion`] |
//! | 10 | tag changes | objects whose tags changed are carried over to what their tags are now | [`changes`] |
//! | 11 | end, show, tell | the level ends; what is to be seen, heard and told is put down | [`ending`] |
//! | 12 | the game's own | whatever brushes a game adds | [`Own`](crate::rules::Own) |
//!
//! What a stage queues for a later one is painted in the same cycle; for one that is over, or for itself after its last round,
//! in the next. Within a stage, entries are painted by target, then by source, then in the order in which the source queued
//! them. So neither the number of workers nor the order of queueing shows.

mod changes;
mod destroy;
mod ending;
mod fields;
mod input;
mod joints;
mod message;
mod motion;
mod physics;
mod simulate;
mod spawn;

use relay::Event;
use state::{Workers, World};
use tags::Library;
use tags::library::Changed;

use crate::rules::Rules;
use crate::watch::Watch;

pub(crate) use spawn::{Order, make};

/// What a step is given besides the world.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The tags in force.
    pub content: &'a Library,
    /// Which of them are others than in the cycle before.
    pub changed: &'a Changed,
    /// What the players did, with the player who did each.
    pub events: &'a [(u16, Event)],
}

impl Rules {
    /// One brush cycle.
    pub fn step(&self, world: &mut World, given: &Given<'_>, workers: &dyn Workers) {
        self.step_in_laps(world, given, workers, &mut |_| {});
    }

    /// The same; `lap` is called with the number of each stage when it is over, for who wants to know how long it takes.
    pub fn step_in_laps(&self, world: &mut World, given: &Given<'_>, workers: &dyn Workers, lap: &mut dyn FnMut(u32)) {
        let cycle = &self.cycle(given.content, given.changed);
        let mut watch = Watch::begin(cycle, world);
        let mut over = |world: &World, stage: u32| {
            watch.look(cycle, world, stage);
            lap(stage);
        };
        simulate::simulate(cycle, world, workers);
        over(world, 1);
        input::paint(cycle, world, given.events);
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
        physics::paint(cycle, world);
        over(world, 8);
        motion::paint(cycle, world, workers);
        over(world, 9);
        changes::paint(cycle, world);
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
