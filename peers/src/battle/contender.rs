//! The interface of contenders in the battle.

use std::time::Duration;

/// The size of a battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Its display name.
    pub name: &'static str,
    /// The approximate number of ships at any time.
    pub ships: u32,
    /// The number of additional sleeping buoys.
    pub buoys: u32,
}

impl Scene {
    /// The number of places: of 103, about 100 have a ship at any time, and the others wait for one.
    pub fn places(self) -> u32 {
        self.ships + self.ships * 3 / 100
    }
}

/// The outcome of some cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Played {
    /// The wall time.
    pub wall: Duration,
    /// The processor time of all threads.
    pub processor: Duration,
    /// Hits.
    pub hits: u64,
    /// Ships lost.
    pub deaths: u64,
    /// Ships at the end.
    pub ships: u64,
    /// The sum of their hull values.
    pub hull: f64,
}

/// A contender in the battle.
pub trait Contender {
    /// Its name.
    fn name(&self) -> String;

    /// Whether its ships are controlled by scripts that are sandboxed from the engine.
    fn is_scripted(&self) -> bool;

    /// Continues the battle of a scene, or starts it.
    fn play(&mut self, scene: Scene, cycles: u32) -> Played;

    /// The phases of a cycle with their durations in the last cycles; none if they are not measured.
    fn phases(&self) -> Vec<(&'static str, Duration)> {
        Vec::new()
    }

    /// Drops the battle.
    fn end(&mut self);
}
