//! The sources of one program.

use script::check::LambdaFact;
use script::source::Lines;

/// One of the sources that run in one environment.
pub struct SourcePart {
    /// Its name, mostly a file.
    pub name: String,
    /// Its text.
    pub source: String,
    /// The starts of its lines.
    pub lines: Lines,
    /// The number of functions of the program before this part.
    pub functions_from: usize,
    /// The checker's facts about its lambdas.
    pub lambdas: Vec<LambdaFact>,
}

impl SourcePart {
    /// A source before it is checked.
    pub fn new(name: String, source: String) -> SourcePart {
        SourcePart { lines: Lines::of(&source), name, source, functions_from: 0, lambdas: Vec::new() }
    }

    /// The part that a function was compiled from. None if the program came without its sources.
    pub fn of(parts: &[SourcePart], function: u32) -> Option<&SourcePart> {
        parts.iter().rev().find(|part| part.functions_from <= function as usize)
    }

    /// The line of a position in it.
    pub fn line(&self, at: u32) -> u32 {
        self.lines.place(&self.source, at).line
    }
}
