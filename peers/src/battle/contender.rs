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
    /// Weapons fired.
    pub shots: u64,
    /// Of those, so many hit.
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

    /// Goes on with the battle of a scene, or begins it.
    fn play(&mut self, scene: Scene, cycles: u32) -> Played;

    /// Forgets the battle.
    fn end(&mut self);
}
