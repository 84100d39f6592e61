//! The sources that one program was made of.

use script::check::LambdaFact;
use script::source::Lines;

/// One of the sources that are run in one environment.
pub struct Part {
    /// What it is called: a file, mostly.
    pub name: String,
    /// What is written in it.
    pub source: String,
    /// Where its lines begin.
    pub lines: Lines,
    /// How many functions the program had before it.
    pub functions_from: usize,
    /// What the checker knows of its lambdas.
    pub lambdas: Vec<LambdaFact>,
}

impl Part {
    /// A source of which nothing is known yet.
    pub fn new(name: String, source: String) -> Part {
        Part { lines: Lines::of(&source), name, source, functions_from: 0, lambdas: Vec::new() }
    }

    /// The part that a function was made from. None if the program came without its sources.
    pub fn of(parts: &[Part], function: u32) -> Option<&Part> {
        parts.iter().rev().find(|part| part.functions_from <= function as usize)
    }

    /// The line of a place in it.
    pub fn line(&self, at: u32) -> u32 {
        self.lines.place(&self.source, at).line
    }
}
