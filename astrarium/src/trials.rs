//! Trials: what the tests of a game of tags ask of it, in a line each.
//!
//! They are for tests, and say by a panic what is wrong. `astrarium prove` asks more, and takes longer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use host::crew::Crew;
use host::walk::{WalkLimits, walk};
use state::{Alone, Heap, Settings, Workers};
use tags::Key;
use tags::library::Ready;

use crate::content::Content;
use crate::game::GameEntry;
use crate::session::{Session, Start};
use crate::tree;

/// Plays a level twice, alone, and by a crew that finds garbage and shuffled queues, and gives what the game tells in the end, with
/// its troubles. `expected` is the chain, as sixteen digits: after a change that is meant, the test tells the one to write there.
///
/// # Panics
/// If the level cannot be played, or a chain is another than expected.
pub fn goes_its_way(entry: &GameEntry, level: &str, cycles: u64, expected: &str) -> String {
    let shuffled = Settings { shuffle: 9, garbage: 0x5a, ..Settings::default() };
    let (alone, told) = play(entry, level, cycles, Settings::default(), &Alone);
    let (many, _) = play(entry, level, cycles, shuffled, &Crew::new(CREW));
    assert_eq!((alone.as_str(), many.as_str()), (expected, expected), "{level}, alone and by a crew\n{told}");
    told
}

/// Checks that nothing is wrong with the tags of any level, that all files of the tree they are written in are part of the program,
/// and that they mean the same from there. `spare` is a folder that is made for this, and gone afterwards.
///
/// # Panics
/// If it is not so, or a file cannot be read or written.
pub fn tags_are_whole(entry: &GameEntry, tree: &Path, spare: &Path) {
    let found = walk(tree, &WalkLimits::default()).expect("the tree can be read");
    assert_eq!(found.oddities, []);
    let files: BTreeSet<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let texts: BTreeSet<&str> = entry.tags.texts.iter().map(|(path, _)| *path).collect();
    assert_eq!(files, texts, "what is in the tree, and what is in the program");
    // A tree has what was made of it written down beside it, so this is a copy.
    let _ = fs::remove_dir_all(spare);
    let copy = spare.join("tags");
    for (path, text) in entry.tags.texts {
        let file = copy.join(path);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(file, text).expect("it can be written");
    }
    for level in entry.levels {
        let built_in = entry.content(level).unwrap_or_else(|trouble| panic!("{level}: {trouble}"));
        let (content, told) = tree::open(entry, level, &copy).unwrap_or_else(|trouble| panic!("{level}: {trouble}"));
        assert!(told.is_empty(), "{level}: {told:?}");
        assert_eq!(content.library().identity(), built_in.library().identity(), "{level}");
    }
    fs::remove_dir_all(spare).expect("it was made above");
}

fn play(entry: &GameEntry, level: &str, cycles: u64, settings: Settings, workers: &dyn Workers) -> (String, String) {
    let start = Start { level: level.into(), seed: 1, players: 2, settings };
    let session = content(entry, level).and_then(|content| Session::begin(entry, content, &start, &Heap));
    let mut session = session.unwrap_or_else(|trouble| panic!("{level}: {trouble}"));
    for _ in 0..cycles {
        session.step(workers);
    }
    let told = session.game().describe(session.world()) + "\n" + &session.game().troubles().join("\n");
    (format!("{:016x}", session.chain()), told)
}

/// The tags of a level under keys of their own, so that a comment in one of them, or another way of packing, is no other way for
/// the world.
fn content(entry: &GameEntry, level: &str) -> Result<Content, String> {
    let built_in = entry.content(level)?;
    let named = |ready: &Ready| {
        let mut key = Key::default();
        key.0[..8].copy_from_slice(&ready.path.id().number().to_le_bytes());
        Ready { key, ..ready.clone() }
    };
    Ok(Content::new(Arc::clone(built_in.classes()), built_in.library().tags().map(named)))
}

/// More workers than most machines have that run tests, few enough not to stand in each other's way there.
const CREW: u32 = 4;
