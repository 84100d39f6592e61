//! What everybody in the battle can do.

use std::time::Duration;

/// How large a battle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// How it is told.
    pub name: &'static str,
    /// About so many ships are there at any time.
    pub ships: u32,
    /// So many buoys are there besides, asleep.
    pub buoys: u32,
}

impl Scene {
    /// How many places there are: of 103, about 100 have a ship at any time, and the others wait for one.
    pub fn places(self) -> u32 {
        self.ships + self.ships * 3 / 100
    }
}

/// What was played.
#[derive(Clone, Copy, Debug, Default)]
pub struct Played {
    /// How long it took.
    pub wall: Duration,
    /// How long all processors took.
    pub processor: Duration,
    /// Shots that hit.
    pub hits: u64,
    /// Ships lost.
    pub deaths: u64,
    /// Ships there at the end.
    pub ships: u64,
    /// The sum of their hulls.
    pub hull: f64,
}

/// Somebody who plays the battle.
pub trait Contender {
    /// Who it is.
    fn name(&self) -> String;

    /// Whether its ships' minds are scripts that cannot hurt the engine.
    fn is_scripted(&self) -> bool;

    /// Goes on with the battle of a scene, or begins it.
    fn play(&mut self, scene: Scene, cycles: u32) -> Played;

    /// The phases of a cycle, and how long each took in the last cycles played; none if nobody knows.
    fn phases(&self) -> Vec<(&'static str, Duration)> {
        Vec::new()
    }

    /// Forgets the battle.
    fn end(&mut self);
}
