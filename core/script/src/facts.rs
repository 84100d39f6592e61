//! What is known of a function without running it, and from when on keeping its results pays.
//!
//! Keeping pays if the share of evaluations that find their result is above `miss / (evaluation + miss − hit)`: almost
//! never for a few instructions, almost always for a loop over a list.

use alloc::vec::Vec;

use crate::kernel::Kernel;

/// A cached result can be told from at most so many arguments and requirements.
pub const ATOMS_MAX: usize = 4;
/// What an instruction costs, about, in nanoseconds.
pub const INSTRUCTION_NANOSECONDS: f64 = 2.0;
/// What finding a kept result costs.
pub const HIT_NANOSECONDS: f64 = 8.0;
/// What not finding one costs, on top of the evaluation.
pub const MISS_NANOSECONDS: f64 = 13.0;
/// Below so many instructions a result is not kept, whatever the lambda says: finding it would cost as much.
pub const ASKED_WORK_MIN: u32 = 15;
/// From so many instructions on, results are kept unless the lambda says `Uncached`.
pub const UNASKED_WORK_MIN: u32 = 60;

/// Whether results of a function are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// They cannot be: it does something, carries values, or takes and requires too many.
    #[default]
    Impossible,
    /// They could be, but it would not pay, or the lambda says `Uncached`.
    Possible,
    /// They are.
    Kept,
}

/// What is known of a function without running it.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The number of its body.
    pub body: u32,
    /// The variables it and the lambdas made in it read, in order of their first use, as far as [`ATOMS_MAX`] and one. What
    /// lambdas in variables read comes to it when it is evaluated: they may be exchanged.
    pub requirements: Vec<u32>,
    /// About how many instructions one evaluation takes.
    pub work: u32,
    /// Whether its results are kept.
    pub worth: Worth,
    /// Whether it calls a `!` function, sets a variable or asks the world itself.
    pub has_effect: bool,
    /// The fast way through it, if one was made.
    pub kernel: Option<Kernel>,
}

impl Facts {
    /// Adds to its requirements, each once, until there are too many to matter.
    pub(crate) fn require(&mut self, variables: &[u32]) {
        for variable in variables {
            if self.requirements.len() <= ATOMS_MAX && !self.requirements.contains(variable) {
                self.requirements.push(*variable);
            }
        }
    }
}
