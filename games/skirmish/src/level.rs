//! The classes of tags, and the scenes that they describe.

use astrarium::tags::{Classes, Library, Tag, TagId};

/// What holds in every level.
#[derive(Tag)]
#[repr(C)]
pub struct Globals {
    /// How fast ships go.
    #[tag(unit = "m/s", range(0, 1000), default = 30)]
    pub speed: f32,
    /// How often a ship is shown somebody new.
    #[tag(unit = "cycles", range(1, 10000), default = 50)]
    pub look_cycles: u32,
}

/// How large a scene is and how it starts. Its memory is laid out by it, so the level starts again when it changes.
#[derive(Tag)]
#[tag(not_recoverable)]
#[repr(C)]
pub struct Scenario {
    /// Room for ships.
    #[tag(unit = "ships", range(1, 60000), default = 600)]
    pub ships_max: u32,
    /// Ships at the start.
    #[tag(unit = "ships", range(0, 60000), default = 300)]
    pub ships: u32,
    /// Every so manieth ship is hostile to the world; none if 0.
    pub hostile_every: u32,
    /// The side of the square they are in.
    #[tag(unit = "m", range(10, 100000), default = 300)]
    pub side: f32,
}

/// The globals.
pub const GLOBALS: TagId<Globals> = TagId::at("globals.globals");

/// A scene: its scenario's values, which do not change while it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Slots for ships.
    pub ships_max: u32,
    /// Ships at the start.
    pub ships: u32,
    /// Every so manieth ship is hostile to the world; none if 0.
    pub hostile_every: u32,
    /// The side of the square they are in.
    pub side: f32,
}

/// The tags that are part of the program.
pub const TEXTS: &[(&str, &str)] = &[
    ("globals.globals", include_str!("../tags/globals.globals")),
    ("levels/skirmish.scenario", include_str!("../tags/levels/skirmish.scenario")),
    ("levels/fleet.scenario", include_str!("../tags/levels/fleet.scenario")),
    ("levels/hostile.scenario", include_str!("../tags/levels/hostile.scenario")),
];

/// The classes of tags.
pub fn classes() -> Classes {
    Classes::new().with::<Globals>().with::<Scenario>()
}

/// The scenario of a level.
pub fn scenario(level: &str) -> alloc::string::String {
    alloc::format!("levels/{level}.scenario")
}

impl Level {
    /// A scene by its name. One without a scenario is as an empty one would be.
    pub fn of(content: &Library, name: &str) -> Level {
        match content.find::<Scenario>(&scenario(name)) {
            Some(found) => Level {
                ships_max: found.ships_max,
                ships: found.ships,
                hostile_every: found.hostile_every,
                side: found.side,
            },
            None => Level { ships_max: 600, ships: 300, hostile_every: 0, side: 300.0 },
        }
    }
}
