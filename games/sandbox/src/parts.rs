//! What lies in the world, and where: every type, array, pool and brush.

use alloc::sync::Arc;

use astrarium::base::{Handle, Plain, Truth, Vec2};
use astrarium::state::pool::PoolBlock;
use astrarium::state::{Brush, Class, Datums, Layout, One, Plan, Pool};

use crate::level::Level;

/// The square is divided into this many cells on each side.
pub const CELLS_PER_SIDE: u32 = 64;
const CELLS: usize = (CELLS_PER_SIDE * CELLS_PER_SIDE) as usize;

/// A small animal.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Agent {
    /// Where it is.
    pub position: Vec2,
    /// How it moves, in units per second.
    pub velocity: Vec2,
    /// Where it looks, in radians.
    pub heading: f32,
    /// It dies at zero.
    pub health: f32,
    /// It breeds above one and starves below zero.
    pub energy: f32,
    /// How fast it can be.
    pub speed: f32,
    /// The next one in its cell.
    pub next: Handle<Agent>,
    /// The one before in its cell.
    pub previous: Handle<Agent>,
    /// Whom it tells news.
    pub friend: Handle<Agent>,
    /// What it remembers.
    pub diary: Handle<PoolBlock>,
    /// In brush cycles.
    pub age: u32,
    /// The cell it is listed in.
    pub cell: u16,
    /// 0, 1 or 2.
    pub team: u8,
    /// Whether it was bitten since it last looked.
    pub is_hurt: Truth,
}

/// Something to eat.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Plant {
    /// Where it is.
    pub position: Vec2,
    /// Full-grown at one.
    pub food: f32,
    /// The next one in its cell.
    pub next: Handle<Plant>,
}

/// One line of a diary.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Memory {
    /// When.
    pub cycle: u64,
    /// Who.
    pub other: Handle<Agent>,
    /// What: see the news.
    pub news: u32,
}

/// The first of each cell's agents and plants.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct Grid {
    /// Agents.
    pub agents: [Handle<Agent>; CELLS],
    /// Plants.
    pub plants: [Handle<Plant>; CELLS],
}

/// What happened, counted.
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
    /// Commands of players followed.
    pub commands: u64,
    /// Damage done in all.
    pub damage: f64,
}

/// What a player wants.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Command {
    /// Where.
    pub position: Vec2,
    /// Which team it is for.
    pub team: u32,
    /// 0 plants agents, 1 strikes.
    pub kind: u32,
}

/// News from one agent to another.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Message {
    /// Who sends it.
    pub from: Handle<Agent>,
    /// What: see [`news`].
    pub news: u32,
    /// How often it may still be passed on.
    pub hops: u32,
    /// Energy that comes with it.
    pub energy: f32,
}

/// What messages say.
pub mod news {
    /// Good day.
    pub const GREETING: u32 = 1;
    /// I was bitten.
    pub const ALARM: u32 = 2;
    /// You ate.
    pub const FED: u32 = 3;
    /// Your child was born.
    pub const BORN: u32 = 4;
}

/// A new agent.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Birth {
    /// Where.
    pub position: Vec2,
    /// Looking where.
    pub heading: f32,
    /// With how much.
    pub energy: f32,
    /// Of whom; they are told.
    pub parent: Handle<Agent>,
    /// Of which team.
    pub team: u32,
}

/// All keys into the world.
pub struct Parts {
    /// What lies where.
    pub plan: Arc<Plan>,
    /// The animals.
    pub agents: Datums<Agent>,
    /// The plants.
    pub plants: Datums<Plant>,
    /// Memory for diaries.
    pub pool: Pool,
    /// Diaries.
    pub diaries: Class<Memory>,
    /// Who is in which cell.
    pub grid: One<Grid>,
    /// What happened.
    pub tally: One<Tally>,
    /// Brushes in the order they paint: what players want, …
    pub commands: Brush<Command>,
    /// … who goes to which cell, …
    pub moves: Brush<u32>,
    /// … who bites which plant, …
    pub meals: Brush<f32>,
    /// … who is hurt how much, …
    pub damage: Brush<f32>,
    /// … who tells whom what, …
    pub messages: Brush<Message>,
    /// … who is born, …
    pub births: Brush<Birth>,
    /// … who dies.
    pub deaths: Brush<u32>,
}

impl Parts {
    /// Lays out a world for a level.
    pub fn new(level: &Level) -> Parts {
        let mut layout = Layout::of_world("sandbox");
        layout.system("life");
        let agents = layout.datums("agents", level.agents_max);
        let plants = layout.datums("plants", level.plants_max);
        layout.system("memory");
        let pool = layout.pool("diaries", level.diary_bytes, level.agents_max);
        let diaries = layout.class(pool, "diary");
        layout.system("ground");
        let grid = layout.one("grid");
        let tally = layout.one("tally");
        layout.system("brushes");
        Parts {
            commands: layout.brush("commands", 64),
            moves: layout.brush("moves", 64),
            meals: layout.brush("meals", 64),
            damage: layout.brush("damage", 64),
            messages: layout.brush("messages", level.agents_max),
            births: layout.brush("births", 64),
            deaths: layout.brush("deaths", level.agents_max),
            plan: layout.finish(),
            agents,
            plants,
            pool,
            diaries,
            grid,
            tally,
        }
    }
}
