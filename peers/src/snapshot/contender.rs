//! The interface of contenders in the snapshot benchmark.

use super::scene::{Object, Tally};

/// A contender, with its own world and one copy of it.
///
/// `save`, `save_and_hash` and `restore` are measured; the other methods run in between.
pub trait Contender {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Spawns these objects, then removes the ones they replace.
    fn churn(&mut self, births: &[Object]);

    /// Modifies the objects at these places.
    fn touch(&mut self, places: &[u32]);

    /// Saves the world to the copy.
    fn save(&mut self);

    /// Saves the world to the copy, and returns a hash of all of it.
    fn save_and_hash(&mut self) -> u64;

    /// Restores the world from the copy.
    fn restore(&mut self);

    /// Rebuilds the index from places to objects, after `restore`.
    fn find_again(&mut self);

    /// The content of the world.
    fn tally(&mut self) -> Tally;
}
