//! The types that are stored in the world, and its layout.

use alloc::sync::Arc;

use astrarium::base::{Enum, Handle, Plain, PlainEnum, Truth, Vec2};
use astrarium::state::pool::PoolBlock;
use astrarium::state::{Brush, Class, Datums, Layout, Plan, Pool, Single};

use crate::level::Level;

/// The level is a square grid with this many cells per side.
pub const CELLS_PER_SIDE: u32 = 64;
const CELLS: usize = (CELLS_PER_SIDE * CELLS_PER_SIDE) as usize;

/// An agent: it moves, eats, bites, breeds and dies.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Agent {
    /// Its position.
    pub position: Vec2,
    /// Its velocity, in units per second.
    pub velocity: Vec2,
    /// Its heading, in radians.
    pub heading: f32,
    /// Its health; it dies at zero.
    pub health: f32,
    /// Its energy; it breeds above one and starves below zero.
    pub energy: f32,
    /// Its maximum speed.
    pub speed: f32,
    /// The next agent of its cell's list.
    pub next: Handle<Agent>,
    /// The previous agent of its cell's list.
    pub previous: Handle<Agent>,
    /// The agent that it sends news to.
    pub friend: Handle<Agent>,
    /// Its diary.
    pub diary: Handle<PoolBlock>,
    /// Its age, in brush cycles.
    pub age: u32,
    /// The cell that lists it.
    pub cell: u16,
    /// Its team: 0, 1 or 2.
    pub team: u8,
    /// Whether it was bitten since its last update.
    pub is_hurt: Truth,
}

/// A plant: food that grows.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Plant {
    /// Its position.
    pub position: Vec2,
    /// Its food; it is full-grown at one.
    pub food: f32,
    /// The next plant of its cell's list.
    pub next: Handle<Plant>,
}

/// One entry of a diary.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Memory {
    /// The brush cycle.
    pub cycle: u64,
    /// The sender.
    pub other: Handle<Agent>,
    /// Its subject.
    pub news: Enum<News>,
}

/// The heads of each cell's lists of agents and plants.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct Grid {
    /// Agents.
    pub agents: [Handle<Agent>; CELLS],
    /// Plants.
    pub plants: [Handle<Plant>; CELLS],
}

/// Statistics.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Tally {
    /// Agents born.
    pub births: u64,
    /// Agents that died.
    pub deaths: u64,
    /// Bites between agents.
    pub bites: u64,
    /// Messages read.
    pub messages: u64,
    /// Player commands executed.
    pub commands: u64,
    /// Total damage.
    pub damage: f64,
}

/// A player's command.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Command {
    /// Its place.
    pub position: Vec2,
    /// Its team.
    pub team: u32,
    /// What it does.
    pub kind: Enum<CommandKind>,
}

/// A message from one agent to another.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Message {
    /// The sender.
    pub from: Handle<Agent>,
    /// Its subject.
    pub news: Enum<News>,
    /// How many more times it may be forwarded.
    pub hops: u32,
    /// Energy for the receiver.
    pub energy: f32,
}

/// The subject of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PlainEnum)]
#[repr(u32)]
pub enum News {
    /// Nothing: an entry of a diary that was never written.
    #[default]
    Nothing,
    /// A greeting.
    Greeting,
    /// The sender was bitten.
    Alarm,
    /// The receiver ate.
    Fed,
    /// The receiver's child was born.
    Born,
}

/// What a player's command does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PlainEnum)]
#[repr(u32)]
pub enum CommandKind {
    /// Creates an agent.
    #[default]
    Plant,
    /// Damages the agents of a cell.
    Strike,
}

/// An agent to create.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Birth {
    /// Its position.
    pub position: Vec2,
    /// Its heading, in radians.
    pub heading: f32,
    /// Its energy.
    pub energy: f32,
    /// Its parent, which gets a message.
    pub parent: Handle<Agent>,
    /// Its team.
    pub team: u32,
}

/// The keys into the world. Brushes paint in the order of their fields.
#[derive(Layout)]
#[layout(world = "sandbox", system = "life", limits = Level)]
pub struct Parts {
    /// The layout of the world's block.
    pub plan: Arc<Plan>,
    /// The agents.
    #[datums(limits.agents_max)]
    pub agents: Datums<Agent>,
    /// The plants.
    #[datums(limits.plants_max)]
    pub plants: Datums<Plant>,
    /// Memory for diaries.
    #[system("memory")]
    #[pool(limits.diary_bytes, limits.agents_max)]
    pub diaries: Pool,
    /// One diary.
    #[class(diaries)]
    pub diary: Class<Memory>,
    /// The agents and plants of each cell.
    #[system("ground")]
    #[single]
    pub grid: Single<Grid>,
    /// Statistics.
    #[single]
    pub tally: Single<Tally>,
    /// Commands of players.
    #[system("brushes")]
    #[brush(64)]
    pub commands: Brush<Command>,
    /// Agents that enter another cell.
    #[brush(64)]
    pub moves: Brush<u32>,
    /// Bites at plants.
    #[brush(64)]
    pub meals: Brush<f32>,
    /// Damage to agents.
    #[brush(64)]
    pub damage: Brush<f32>,
    /// Messages between agents.
    #[brush(limits.agents_max)]
    pub messages: Brush<Message>,
    /// Agents to create.
    #[brush(64)]
    pub births: Brush<Birth>,
    /// Agents to delete.
    #[brush(limits.agents_max)]
    pub deaths: Brush<u32>,
}
