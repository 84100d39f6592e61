//! The game: its levels, its start, its step.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use astrarium::base::random::Draw;
use astrarium::base::{Handle, Random, Vec2, build_identity};
use astrarium::relay::Event;
use astrarium::state::{Block, Plan, Workers, World, each};
use astrarium::tags::Library;
use astrarium::view::{Frame, Moment};
use astrarium::{Extensions, Game, GameEntry, Players, Show, StepInput, TagsEntry};

use crate::cells::cell_at;
use crate::level::{LEVELS, Level};
use crate::painting::{WANT, add_agent, paint};
use crate::parts::{Birth, Parts};
use crate::{agents, plants, showing};

/// The sandbox as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "sandbox",
    about: "agents and plants: moving, meeting, breeding, dying",
    build: build_identity!(),
    levels: &[LEVELS[0].name, LEVELS[1].name, LEVELS[2].name, LEVELS[3].name],
    tags: TagsEntry::NONE,
    make: |_, level, _| Arc::new(Sandbox::new(Level::named(level).unwrap_or(LEVELS[0]))),
};

/// The sandbox on one level.
pub struct Sandbox {
    /// The level.
    pub level: Level,
    /// The keys into its world.
    pub parts: Parts,
}

impl Sandbox {
    /// The sandbox on a level.
    pub fn new(level: Level) -> Sandbox {
        Sandbox { level, parts: Parts::lay_out(&level) }
    }
}

impl Game for Sandbox {
    fn plan(&self) -> &Arc<Plan> {
        &self.parts.plan
    }

    fn set_up(&self, world: &mut World, _: &Library) {
        let (parts, level) = (&self.parts, &self.level);
        let mut grid = parts.grid.get_mut(world);
        grid.agents.fill(Handle::NONE);
        grid.plants.fill(Handle::NONE);
        drop(grid);
        let place = |world: &mut World| {
            let mut random = world.random();
            Vec2::new(random.between(0.0, level.side), random.between(0.0, level.side))
        };
        for _ in 0..level.plants {
            let position = place(world);
            let cell = usize::from(cell_at(position, level.side));
            let next = parts.grid.get(world).plants[cell];
            let Some((handle, mut plant)) = parts.plants.create(world) else { break };
            (plant.position, plant.food, plant.next) = (position, level.food, next);
            drop(plant);
            parts.grid.get_mut(world).plants[cell] = handle;
        }
        for number in 0..level.agents {
            let position = place(world);
            let heading = world.random().between(-3.0, 3.0);
            let energy = world.random().between(0.4, 0.9);
            let birth = Birth { position, heading, energy, parent: Handle::NONE, team: number % 3 };
            add_agent(parts, level, world, &birth);
        }
    }

    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        let (parts, level) = (&self.parts, &self.level);
        let agents = each(parts.agents, |agent| agents::update(parts, level, agent));
        let plants = each(parts.plants, plants::update);
        world.simulate(workers, &[&agents, &plants]);
        paint(parts, level, world, input);
        world.rest();
    }

    fn describe(&self, world: &Block) -> String {
        let parts = &self.parts;
        let tally = parts.tally.get(world);
        format!(
            "{} agents, {} plants; {} births, {} deaths, {} bites, {} messages, {} commands",
            parts.agents.count(world),
            parts.plants.count(world),
            tally.births,
            tally.deaths,
            tally.bites,
            tally.messages,
            tally.commands
        )
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { players: Some(self), show: Some(self), ..Extensions::default() }
    }
}

impl Players for Sandbox {
    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        if random.chance(0.5) {
            let side = self.level.side;
            let (x, y) = (random.between(0.0, side), random.between(0.0, side));
            let words = [x.to_bits(), y.to_bits(), random.below(3), random.below(2)];
            events.push(Event::new(WANT, &words));
        }
    }
}

impl Show for Sandbox {
    fn extract(&self, world: &Block, _: &Library, moment: &Moment, frame: &mut Frame, _: &dyn Workers) {
        showing::extract(&self.parts, world, moment, frame);
    }
}
