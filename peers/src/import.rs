//! The import of a generated project by ours, Bevy's asset processor and Godot, and BC7 by two encoders: in a separate program, since
//! its codecs are of no use to the others.

use crate::measure::{Row, Times};
use crate::program::Program;

/// The number of files if the environment does not say otherwise: a tenth of Halo 2's.
const FILES: u32 = 3_900;

/// Runs the comparison. `PEERS_IMPORT_FILES` is the number of files.
pub fn run() -> Vec<Row> {
    let files = std::env::var("PEERS_IMPORT_FILES").ok().and_then(|files| files.parse().ok()).unwrap_or(FILES);
    let started = Program::start("import", "compressing").or_else(|why| {
        eprintln!("skipped: Bevy's compression of textures, because {why}");
        Program::start("import", "")
    });
    let mut program = match started {
        Ok(program) => program,
        Err(why) => {
            eprintln!("skipped: import, because {why}");
            return Vec::new();
        }
    };
    let answer = program.ask(&format!("import {files}"));
    answer.split('\u{1f}').filter_map(row).collect()
}

fn row(text: &str) -> Option<Row> {
    let mut words = text.split('\t');
    let (what, ours, peer, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let times = |word: &str| word.parse().ok().map(Times::known);
    Some(Row::new(what, &times(ours)?, &times(peer)?, name))
}
