//! The second machine: one pure function for up to 64 objects at once.
//!
//! A register is a column of 64 values, one for each *lane*, and an instruction is a loop over it. Most of the cost of a
//! machine is finding out what to do next; here that is paid once for 64 lanes, and the loops are plain enough for the
//! compiler to make vector instructions of them. Kinds are known before anything runs, so no value is asked for its own.
//!
//! A [`Plan`] is made from a function and one example of its arguments and variables. It is the same bytecode with the
//! calls of lambdas put in place, as a row of steps. Since jumps go forward, a branch is a mask: lanes that jump wait at
//! the target until the others come there. A step writes the lanes that wait, too, unless one of them still needs what is
//! in that column; only then old and new are blended.
//!
//! Laws
//! 1. A lane is *done* only if the machine of [`machine`](crate::machine) would give the same value, without a complaint
//!    and within its limits. The value has the same bits; only of a NaN no more is said than that it is one, as
//!    everywhere (it becomes canonical where it is stored, and no operation looks into it).
//! 2. A lane that meets anything else (another kind of value than in the example, a division by zero, a list, an effect)
//!    is not done, and nothing happened to it. Whoever asked evaluates it with the machine, so complaints, effects and
//!    halts are the machine's own. What a lane does never depends on its neighbours.
//! 3. Limits stay exact: without loops a plan knows the most fuel, the deepest call and the most carried values that any lane can
//!    need. Where these exceed the limits the plan is not to be used; where they do not, the machine could not have halted
//!    either, for lists, records and effects, which use up the rest, are never done here.
//! 4. Evaluating takes nothing from the heap. Making a plan does, and is for when content is loaded.
//!
//! Cost on a busy core of the first machine: a damage formula of 30 instructions with three arguments and four branches,
//! which lanes take at random, takes 9 ns for each lane where the machine takes 120.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::kernel::{Argument, Kernel, Set};
use crate::machine::Limits;
use crate::program::Program;
use crate::value::{Kind, Value};

mod blending;
mod flatten;
mod known;
mod loops;
mod run;
mod single;
mod step;

use loops::{Column, Extra};
use step::Step;

/// How many lanes there are.
pub const LANES: usize = 64;
/// No plan has more steps.
pub const STEPS_MAX: usize = 512;
/// No plan is made of more instructions, all that is called included: not every one becomes a step.
pub const INSTRUCTIONS_MAX: u64 = 2048;
/// No plan needs more registers.
pub const REGISTERS_MAX: usize = 248;
/// No plan sets more variables.
const SETS_MAX: usize = 16;

/// How to evaluate one function for many lanes.
#[derive(Clone, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    /// For each step the next one at which lanes may wait.
    landings: Vec<u16>,
    arguments: Vec<Argument>,
    parameters: u8,
    carried: u8,
    result: Kind,
    /// Where the results are in the end.
    column: u8,
    slots: u16,
    fuel: u64,
    /// Whether every way through it takes the same fuel.
    is_steady: bool,
    depth: u32,
    /// The most values that lambdas carry on any way through it.
    values: u32,
    /// The variables it sets.
    sets: Vec<Set>,
    /// How often it can set one, at most: the machine counts every time.
    sets_made: u32,
}

/// What a worker needs to evaluate plans: made once, used again and again.
#[expect(
    clippy::vec_box,
    reason = "a result takes the place of a column by exchanging two boxes, without being copied"
)]
pub struct Lanes {
    columns: Vec<Box<Column>>,
    /// What vectors and handles have beyond their bits.
    extras: Vec<Box<Extra>>,
    spare: Box<Column>,
    blended: Box<Column>,
    spare_extra: Box<Extra>,
    waiting: Vec<u64>,
}

/// The column behind those of the registers: what a step needs for the next one.
const TEMPORARY: u8 = REGISTERS_MAX as u8;
/// The column of a result that comes from several places.
const RESULT: u8 = TEMPORARY + 1;
const COLUMNS: usize = RESULT as usize + 1;

impl Plan {
    /// A plan for a function, if it can have one: for lanes whose arguments and variables are of the same kinds as these,
    /// and hold the same lambdas.
    ///
    /// There is none for functions that carry values, call themselves, are large, or give a list,
    /// a record, a lambda, or values of several kinds.
    pub fn new(program: &Program, function: u32, arguments: &[Value], variables: &[Value]) -> Option<Plan> {
        if program.functions.get(function as usize)?.carried > 0 {
            return None;
        }
        flatten::plan(program, function, arguments, variables, false)
    }

    /// Whether no lane can exceed these limits. Otherwise the plan is not to be used: see law 3.
    pub fn is_within(&self, limits: Limits) -> bool {
        self.fuel <= limits.fuel && self.depth <= limits.depth && self.values <= limits.values
    }

    /// A kernel for a function, if it can have one: for one object whose arguments and variables are of the same kinds as
    /// these, and hold the same lambdas. What the function carries comes behind its arguments. Unlike a plan it may set
    /// variables.
    pub fn kernel(program: &Program, function: u32, arguments: &[Value], variables: &[Value]) -> Option<Kernel> {
        single::translate(flatten::plan(program, function, arguments, variables, true)?)
    }

    /// Evaluates up to 64 lanes and tells which are done; the others' results are left alone.
    ///
    /// `arguments` has a slice for each argument with a value for each lane, `variables` the variables of each lane.
    /// There are as many lanes as results; those for which something is missing, or beyond 64, are not done.
    pub fn evaluate(
        &self,
        lanes: &mut Lanes,
        arguments: &[&[Value]],
        variables: &[&[Value]],
        results: &mut [Value],
    ) -> u64 {
        run::run(self, lanes, arguments, variables, results)
    }

    /// The kind of its results.
    pub fn result(&self) -> Kind {
        self.result
    }

    /// The most fuel that a lane would need in the machine.
    pub fn fuel(&self) -> u64 {
        self.fuel
    }
}

impl Lanes {
    /// Room for any plan.
    pub fn new() -> Lanes {
        Lanes {
            columns: (0..COLUMNS).map(|_| Box::new([0; LANES])).collect(),
            extras: (0..COLUMNS).map(|_| Box::new([0; LANES])).collect(),
            spare: Box::new([0; LANES]),
            blended: Box::new([0; LANES]),
            spare_extra: Box::new([0; LANES]),
            waiting: alloc::vec![0; STEPS_MAX],
        }
    }
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes::new()
    }
}
