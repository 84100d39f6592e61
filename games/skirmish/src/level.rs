//! The scenes.

/// How large a scene is and how it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Slots for ships.
    pub ships_max: u32,
    /// Ships at the start.
    pub ships: u32,
    /// Every so manieth ship is hostile to the world; none if 0.
    pub hostile_every: u32,
    /// The side of the square they are in.
    pub side: f32,
}

/// All scenes. The first is the default.
pub const LEVELS: [Level; 3] = [
    Level { name: "skirmish", ships_max: 600, ships: 300, hostile_every: 0, side: 300.0 },
    Level { name: "fleet", ships_max: 12_000, ships: 8_000, hostile_every: 0, side: 1500.0 },
    Level { name: "hostile", ships_max: 300, ships: 150, hostile_every: 3, side: 200.0 },
];
