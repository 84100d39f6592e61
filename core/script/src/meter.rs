//! The meter: the fuel that evaluations use, by program and by place in it, while a profile is taken.
//!
//! Laws
//! 1. Counting changes no result, and allocates nothing: the tables have a fixed size.
//! 2. Fuel is exact: that of all places of a program, and that for which the table had no place left, add up to the
//!    program's. A whole evaluation that ran as a kernel counts with the most fuel that the kernel can need.
//! 3. Fuel does not depend on workers or on the result cache: a hit is charged what the evaluation was.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::program::{FUNCTIONS_MAX, INSTRUCTIONS_MAX, Operation, Program};

/// The slots of the table of places, a power of two.
const SLOTS: usize = 1 << 11;

/// The most places in the table, so that probing stays short.
pub const PLACES_MAX: usize = SLOTS / 4 * 3;

/// The instruction that stands for a whole call: entering a function, or all of a call whose result was known or that
/// ran as a kernel.
pub const WHOLE: u32 = (1 << 21) - 1;

/// The bits of a program's number in a key.
const PROGRAMS: u32 = (1 << 22) - 1;

const _: () =
    assert!(FUNCTIONS_MAX <= 1 << 20 && INSTRUCTIONS_MAX < WHOLE as usize, "a key holds a function and an instruction");

/// Fuel by program and by place.
pub struct Meter {
    /// Whether evaluations are counted now.
    is_on: bool,
    /// The program of the evaluation.
    program: u32,
    programs: Box<[ProgramFuel]>,
    /// The programs with evaluations.
    evaluated: Vec<u32>,
    places: Box<[PlaceFuel]>,
    /// The slots that are in use.
    used: Vec<u32>,
}

/// The fuel of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFuel {
    /// The number of evaluations.
    pub evaluations: u64,
    /// Their fuel.
    pub fuel: u64,
    /// The part of it for which the table of places had no place left.
    pub unplaced: u64,
}

/// The fuel of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceFuel {
    /// The key; zero if the slot is free.
    key: u64,
    /// How often fuel was used there.
    pub times: u64,
    /// The fuel.
    pub fuel: u64,
}

impl PlaceFuel {
    /// The number of the program.
    pub fn program(&self) -> u32 {
        (self.key >> 41) as u32 & PROGRAMS
    }

    /// The function.
    pub fn function(&self) -> u32 {
        (self.key >> 21) as u32 & 0xf_ffff
    }

    /// The instruction, or [`WHOLE`].
    pub fn instruction(&self) -> u32 {
        self.key as u32 & WHOLE
    }

    /// Spreads the fuel over the lines of the program's source: `take` gets lines, of which some may come again, and
    /// their fuel. Entering a function pays for each of its instructions; what a kernel or a known result costs beyond
    /// that belongs to the instructions that call something.
    pub fn spread(&self, program: &Program, mut take: impl FnMut(u32, u64)) {
        let (number, fuel) = (self.function(), self.fuel);
        let Some(function) = program.functions.get(number as usize) else { return take(0, fuel) };
        if self.instruction() != WHOLE {
            return take(program.line(program.span_of(number, self.instruction()).start), fuel);
        }
        let calls = |operation: Operation| {
            use Operation::{Builtin, Call, Effect, Lambda, List, Query, Record};
            matches!(operation, Call | Builtin | Query | Effect | List | Record | Lambda)
        };
        let of_each = self.times.min(fuel / (function.code.len() as u64).max(1));
        let rest = fuel - of_each * function.code.len() as u64;
        let count = function.code.iter().filter(|instruction| calls(instruction.operation)).count() as u64;
        // A share of the rest for each call; what cannot be divided belongs to the line of the function.
        let share = rest.checked_div(count).unwrap_or(0);
        let mut run = (program.line(function.span.start), rest - share * count);
        for (instruction, span) in function.code.iter().zip(&function.spans) {
            let line = program.line(span.start);
            if line != run.0 {
                take(run.0, run.1);
                run = (line, 0);
            }
            run.1 += of_each + if calls(instruction.operation) { share } else { 0 };
        }
        take(run.0, run.1);
    }
}

impl Meter {
    /// A meter for this many programs. It is off.
    pub fn new(programs: usize) -> Meter {
        Meter {
            is_on: false,
            program: 0,
            programs: alloc::vec![ProgramFuel::default(); programs].into_boxed_slice(),
            evaluated: Vec::with_capacity(programs),
            places: alloc::vec![PlaceFuel::default(); SLOTS].into_boxed_slice(),
            used: Vec::with_capacity(PLACES_MAX),
        }
    }

    /// Sets whether evaluations are counted, and of which program.
    #[inline]
    pub fn set(&mut self, is_on: bool, program: u32) {
        (self.is_on, self.program) = (is_on, program);
    }

    /// Whether evaluations are counted.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Counts an evaluation that has ended.
    pub(crate) fn end(&mut self, fuel: u64) {
        let program = self.program;
        let Some(row) = self.programs.get_mut(program as usize) else { return };
        if row.evaluations == 0 {
            self.evaluated.push(program);
        }
        row.evaluations += 1;
        row.fuel += fuel;
    }

    /// Counts fuel at a place of the program.
    pub(crate) fn add(&mut self, (function, instruction): (u32, u32), fuel: u64) {
        // The top bit tells a key from a free slot.
        let place = u64::from(function & 0xf_ffff) << 21 | u64::from(instruction & WHOLE);
        let key = 1 << 63 | u64::from(self.program & PROGRAMS) << 41 | place;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (SLOTS - 1);
        for _ in 0..SLOTS {
            let Some(found) = self.places.get_mut(slot) else { return };
            if found.key == 0 {
                if self.used.len() >= PLACES_MAX {
                    break;
                }
                self.used.push(slot as u32);
                found.key = key;
            }
            if found.key == key {
                found.times += 1;
                found.fuel += fuel;
                return;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        if let Some(row) = self.programs.get_mut(self.program as usize) {
            row.unplaced += fuel;
        }
    }

    /// Takes the counts of all programs that were evaluated since the last call.
    pub fn take_programs(&mut self, mut take: impl FnMut(u32, ProgramFuel)) {
        while let Some(program) = self.evaluated.pop() {
            if let Some(row) = self.programs.get_mut(program as usize) {
                take(program, core::mem::take(row));
            }
        }
    }

    /// Takes the counts of all places since the last call.
    pub fn take_places(&mut self, mut take: impl FnMut(PlaceFuel)) {
        while let Some(slot) = self.used.pop() {
            if let Some(place) = self.places.get_mut(slot as usize) {
                take(core::mem::take(place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_counts_the_rest_as_unplaced() {
        let mut meter = Meter::new(2);
        meter.set(true, 1);
        let count = PLACES_MAX as u64 + 10;
        for round in 0..2 {
            (0..count).for_each(|place| meter.add((place as u32, WHOLE - round), 3));
        }
        meter.end(2 * count * 3);
        let mut placed = 0;
        meter.take_places(|place| {
            assert_eq!((place.program(), place.times, place.fuel), (1, 1, 3));
            assert!(place.function() < count as u32 && place.instruction() == WHOLE);
            placed += place.fuel;
        });
        let mut programs = Vec::new();
        meter.take_programs(|program, row| programs.push((program, row)));
        let unplaced = 2 * count * 3 - placed;
        assert_eq!(placed, PLACES_MAX as u64 * 3);
        assert_eq!(programs, [(1, ProgramFuel { evaluations: 1, fuel: 2 * count * 3, unplaced })]);
        meter.take_places(|_| panic!("all were taken"));
        meter.take_programs(|_, _| panic!("all were taken"));
    }
}
