//! The programs of a game, by number. Lambdas of equal bodies share cache entries across programs.

use alloc::vec::Vec;

use crate::analysis::BodyTable;
use crate::program::Program;
use crate::row::RowView;
use crate::specialise::specialise;

/// The programs of a game, by number.
#[derive(Clone, Debug, Default)]
pub struct Library {
    programs: Vec<Program>,
    bodies: BodyTable,
}

impl Library {
    /// No programs.
    pub fn new() -> Library {
        Library::default()
    }

    /// Adds a program and returns its number. It must be verified, as those of the compiler and of `decode` are.
    pub fn add(&mut self, program: Program) -> u32 {
        let number = self.add_unstamped(program);
        self.stamp();
        number
    }

    /// Adds one of many programs, in time that does not depend on their number. [`Library::stamp`] must follow the last, before any of
    /// them is evaluated.
    pub fn add_unstamped(&mut self, mut program: Program) -> u32 {
        debug_assert_eq!(program.verify(), Ok(()));
        self.bodies.add(&mut program);
        self.programs.push(program);
        self.programs.len() as u32 - 1
    }

    /// Replaces a program. Function numbers of lambdas that objects hold now refer to the new program.
    ///
    /// Does nothing if there is no program of this number.
    pub fn replace(&mut self, number: u32, mut program: Program) {
        if let Some(place) = self.programs.get_mut(number as usize) {
            self.bodies.add(&mut program);
            *place = program;
            self.stamp();
        }
    }

    /// Compiles kernels for a program, from the row of an object that has just begun. Never changes a result.
    pub fn specialise(&mut self, number: u32, example: RowView<'_>) {
        if let Some(program) = self.programs.get_mut(number as usize) {
            specialise(program, example);
        }
    }

    /// A program.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Program> {
        self.programs.get(number as usize)
    }

    /// Tells all programs which cache entries they may share.
    pub fn stamp(&mut self) {
        let (stamp, functions) = (self.bodies.stamp(), self.bodies.functions());
        for program in &mut self.programs {
            (program.stamp, program.all) = (stamp, functions);
        }
    }
}
