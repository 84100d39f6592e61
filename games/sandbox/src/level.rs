//! The levels: their capacities, initial populations and sizes.

/// The size and the initial population of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Slots for agents.
    pub agents_max: u32,
    /// Agents at the start.
    pub agents: u32,
    /// Slots for plants.
    pub plants_max: u32,
    /// Plants at the start.
    pub plants: u32,
    /// Bytes for diaries.
    pub diary_bytes: u32,
    /// The side of the square they live in.
    pub side: f32,
    /// Food in a plant at the start; a plant with 1 is full-grown.
    pub food: f32,
}

/// All levels. The first is the default.
pub const LEVELS: [Level; 4] = [
    Level {
        name: "meadow",
        agents_max: 8192,
        agents: 3000,
        plants_max: 4096,
        plants: 3000,
        diary_bytes: 768 * 1024,
        side: 600.0,
        food: 0.5,
    },
    Level {
        name: "tiny",
        agents_max: 100,
        agents: 40,
        plants_max: 70,
        plants: 30,
        diary_bytes: 8 * 1024,
        side: 40.0,
        food: 0.5,
    },
    Level {
        name: "crowd",
        agents_max: 40_000,
        agents: 20_000,
        plants_max: 20_000,
        plants: 20_000,
        diary_bytes: 4 * 1024 * 1024,
        side: 1500.0,
        food: 0.5,
    },
    Level {
        name: "garden",
        agents_max: 256,
        agents: 0,
        plants_max: 65_000,
        plants: 60_000,
        diary_bytes: 64 * 1024,
        side: 2000.0,
        food: 1.0,
    },
];

impl Level {
    /// The level with this name.
    pub fn named(name: &str) -> Option<Level> {
        LEVELS.into_iter().find(|level| level.name == name)
    }
}
