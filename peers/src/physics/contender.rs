//! The interface of contenders in the physics scenes.

use super::scene::{Moving, Tally};

/// A contender, which runs scenes by name.
pub trait Contender {
    /// Its name in the table.
    fn name(&self) -> String;

    /// Runs a scene from its start with this many threads: some unmeasured steps, then some measured ones.
    fn play(&mut self, scene: &str, threads: u32, steps: Steps) -> Played;

    /// Runs a scene from its start. Returns the states of the moving bodies at this interval of steps.
    fn watch(&mut self, scene: &str, steps: usize, every: usize) -> Vec<Vec<Moving>>;

    /// Saves and restores a scene repeatedly after this many steps.
    fn keep(&mut self, scene: &str, steps: usize, turns: usize) -> Kept;
}

/// The numbers of steps.
#[derive(Clone, Copy)]
pub struct Steps {
    /// Unmeasured steps.
    pub before: usize,
    /// Measured steps.
    pub measured: usize,
}

/// The outcome and the cost of a scene.
pub struct Played {
    /// The summaries before the first measured step and after the last.
    pub tallies: [Tally; 2],
    /// The final states of the moving bodies.
    pub bodies: Vec<Moving>,
    /// Processor time of every step, in nanoseconds.
    pub processor: Vec<u64>,
    /// Wall time of every step, in nanoseconds.
    pub wall: Vec<u64>,
    /// Processor time of the whole brush cycle, in nanoseconds, where a brush cycle surrounds the step.
    pub cycle: Vec<u64>,
}

/// The cost of saving and restoring: processor time of every turn, in nanoseconds.
pub struct Kept {
    /// The size of the state of the bodies, in bytes.
    pub bytes: u64,
    /// The methods. We have one; rapier has bytes and clones.
    pub ways: Vec<Way>,
}

/// A method of saving and restoring.
pub struct Way {
    /// Its name, if there are several.
    pub name: &'static str,
    /// Saving.
    pub save: Vec<u64>,
    /// Restoring.
    pub restore: Vec<u64>,
}
