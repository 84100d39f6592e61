//! Who plays the scenes of physics.

use super::scene::{Moving, Tally};

/// Somebody who can play scenes, by their names.
pub trait Contender {
    /// How it is called in the table.
    fn name(&self) -> String;

    /// Plays a scene from its start with so many threads: some steps that are not measured, then some that are.
    fn play(&mut self, scene: &str, threads: u32, steps: Steps) -> Played;

    /// Plays a scene from its start. Gives those that move after every so many steps.
    fn watch(&mut self, scene: &str, steps: usize, every: usize) -> Vec<Vec<Moving>>;

    /// Saves and restores a scene after so many steps, again and again.
    fn keep(&mut self, scene: &str, steps: usize, turns: usize) -> Kept;
}

/// How many steps are played.
#[derive(Clone, Copy)]
pub struct Steps {
    /// Not measured.
    pub before: usize,
    /// Measured.
    pub measured: usize,
}

/// What came of a scene, and what it cost.
pub struct Played {
    /// What could be told before the first step that was measured, and after the last.
    pub tallies: [Tally; 2],
    /// Those that move, as they were in the end.
    pub bodies: Vec<Moving>,
    /// Nanoseconds of the processor, of every step.
    pub processor: Vec<u64>,
    /// Nanoseconds of the wall.
    pub wall: Vec<u64>,
    /// Nanoseconds of the processor for all of a brush cycle, where there is one around the step.
    pub cycle: Vec<u64>,
}

/// What it costs to save and to restore: of every turn, nanoseconds of the processor.
pub struct Kept {
    /// How many bytes the state of the bodies has.
    pub bytes: u64,
    /// The ways to do it. Ours is one; rapier has bytes and clones.
    pub ways: Vec<Way>,
}

/// A way to save and restore.
pub struct Way {
    /// How it is called, if there are several.
    pub name: &'static str,
    /// Saving.
    pub save: Vec<u64>,
    /// Restoring.
    pub restore: Vec<u64>,
}
