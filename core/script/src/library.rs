//! All programs of a game. Equal lambdas of different programs are one to the cache.

use alloc::vec::Vec;

use crate::body::Bodies;
use crate::columns::Plan;
use crate::program::Program;
use crate::row::RowView;
use crate::specialise::specialise;

/// The programs of a game, by number.
#[derive(Clone, Debug, Default)]
pub struct Library {
    programs: Vec<Program>,
    /// For each program and each of its functions, how to evaluate it for many objects at once.
    plans: Vec<Vec<Option<Plan>>>,
    bodies: Bodies,
}

impl Library {
    /// No programs.
    pub fn new() -> Library {
        Library::default()
    }

    /// Adds a program and gives its number. It must have been verified, as those from the compiler and from `decode` are.
    pub fn add(&mut self, mut program: Program) -> u32 {
        self.bodies.add(&mut program);
        self.programs.push(program);
        self.plans.push(Vec::new());
        self.stamp();
        self.programs.len() as u32 - 1
    }

    /// Puts another program in the place of one. Lambdas that objects keep of the old one mean functions of the new one.
    pub fn replace(&mut self, number: u32, mut program: Program) {
        if let Some(place) = self.programs.get_mut(number as usize) {
            self.bodies.add(&mut program);
            *place = program;
            self.plans[number as usize].clear();
            self.stamp();
        }
    }

    /// Prepares the fast ways through a program for objects like this one, which has just begun. Never changes a result.
    pub fn specialise(&mut self, number: u32, example: RowView<'_>) {
        let number = number as usize;
        if let (Some(program), Some(plans)) = (self.programs.get_mut(number), self.plans.get_mut(number)) {
            *plans = specialise(program, example);
        }
    }

    /// How to evaluate a function for many objects at once, if it can be done.
    #[inline]
    pub fn plan(&self, program: u32, function: u32) -> Option<&Plan> {
        self.plans.get(program as usize)?.get(function as usize)?.as_ref()
    }

    /// A program.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Program> {
        self.programs.get(number as usize)
    }

    fn stamp(&mut self) {
        let (stamp, functions) = (self.bodies.stamp(), self.bodies.functions());
        for program in &mut self.programs {
            (program.stamp, program.all) = (stamp, functions);
        }
    }
}
