//! What every side of the comparison can do.

use super::scene::{Object, Tally};

/// One side, with a world of its own and one copy of it.
///
/// What is measured is `save`, `save_and_hash` and `restore`; the rest is what happens between.
pub trait Contender {
    /// Who it is.
    fn name(&self) -> &'static str;

    /// All these are born, then those whose places they take die.
    fn churn(&mut self, births: &[Object]);

    /// Something changes in each of those at these places.
    fn touch(&mut self, places: &[u32]);

    /// Makes the copy equal to the world.
    fn save(&mut self);

    /// Makes the copy equal to the world, and a number that stands for all of it.
    fn save_and_hash(&mut self) -> u64;

    /// Makes the world equal to the copy.
    fn restore(&mut self);

    /// Looks up anew who is at which place, after `restore`.
    fn find_again(&mut self);

    /// What is in the world.
    fn tally(&mut self) -> Tally;
}
