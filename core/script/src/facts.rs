//! Static facts about a function, and the cost model of the result cache.
//!
//! Memoisation pays if the hit rate is above `miss / (evaluation + miss − hit)`: almost never for a few instructions,
//! almost always for a loop over a list.

use alloc::vec::Vec;

use crate::kernel::Kernel;

/// The most arguments and requirements of a cache key.
pub const ATOMS_MAX: usize = 8;
/// The approximate cost of an instruction, in nanoseconds.
pub const INSTRUCTION_NANOSECONDS: f64 = 2.0;
/// The cost of a cache hit.
pub const HIT_NANOSECONDS: f64 = 8.0;
/// The cost of a cache miss, on top of the evaluation.
pub const MISS_NANOSECONDS: f64 = 13.0;
/// Functions of fewer instructions are not memoised even if they say `Cached`: a hit would cost as much.
pub const ASKED_WORK_MIN: u32 = 15;
/// Functions of at least this many instructions are memoised unless they say `Uncached`.
pub const UNASKED_WORK_MIN: u32 = 60;

/// Whether the results of a function are memoised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cacheability {
    /// They cannot be: it has effects, captures values, or has too many arguments and requirements.
    #[default]
    Impossible,
    /// They could be, but it would not pay, or the function says `Uncached`.
    Possible,
    /// They are.
    Kept,
}

/// Static facts about a function.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The number of its body: functions of equal bodies have equal numbers.
    pub body: u32,
    /// The variables it and the lambdas made in it read, in order of their first use, up to one more than
    /// [`ATOMS_MAX`]. Reads of lambdas in variables are added at run time, since a variable may be set to another
    /// lambda.
    pub requirements: Vec<u32>,
    /// The approximate number of instructions of one evaluation.
    pub work: u32,
    /// Whether its results are memoised.
    pub worth: Cacheability,
    /// Whether it calls a `!` function, sets a variable or queries the world itself.
    pub has_effect: bool,
    /// Its kernel, if it was specialised.
    pub kernel: Option<Kernel>,
}

impl Facts {
    /// Adds requirements, each once, until there are too many for a key.
    pub(crate) fn require(&mut self, variables: &[u32]) {
        for variable in variables {
            if self.requirements.len() <= ATOMS_MAX && !self.requirements.contains(variable) {
                self.requirements.push(*variable);
            }
        }
        assert!(self.requirements.len() <= ATOMS_MAX + 1, "one more than a key can hold says that there are too many");
    }
}
