//! Assertions for the tests of a game made of tags, a line each.
//!
//! They panic with the fault they found. `astrarium prove` checks more, and takes longer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use host::thread_pool::ThreadPool;
use host::walk::{WalkLimits, walk};
use state::{Alone, Heap, Settings, Workers};
use tags::Key;
use tags::library::Ready;

use crate::content::Content;
use crate::error::Error;
use crate::game::GameEntry;
use crate::session::{Session, Start};
use crate::tag_tree;

/// Plays a level twice, on one worker and on a thread pool with garbage and shuffled queues, and returns the game's
/// description of the final world, with its messages. `expected` is the chain as sixteen hexadecimal digits: after an
/// intended change, the failing test prints the new one.
///
/// # Panics
/// If the level cannot be played, or a chain differs from the expected one.
pub fn assert_chain(entry: &GameEntry, level: &str, cycles: u64, expected: &str) -> String {
    let shuffled = Settings { shuffle: 9, garbage: 0x5a, ..Settings::default() };
    let (alone, described) = play(entry, level, cycles, Settings::default(), &Alone);
    let (many, _) = play(entry, level, cycles, shuffled, &ThreadPool::new(POOL_WORKERS));
    assert_eq!(
        (alone.as_str(), many.as_str()),
        (expected, expected),
        "{level}, with one worker and with a thread pool\n{described}"
    );
    described
}

/// Checks that the tags of all levels have no faults, that all files of their tree are built into the program, and that
/// the tree and the built-in tags give the same content. `spare` is a folder that is created for this and removed
/// afterwards.
///
/// # Panics
/// If a check fails, or a file cannot be read or written.
pub fn assert_tags_complete(entry: &GameEntry, tree: &Path, spare: &Path) {
    let found = walk(tree, &WalkLimits::default()).expect("the tree can be read");
    assert_eq!(found.oddities, []);
    let is_text = |path: &&str| !path.ends_with(".bulk") && !path.ends_with(".imported");
    let files: BTreeSet<&str> = found.files.iter().map(|file| file.path.as_str()).filter(is_text).collect();
    let texts: BTreeSet<&str> = entry.tags.texts.iter().map(|(path, _)| *path).collect();
    assert_eq!(files, texts, "the files of the tree, and the built-in texts");
    // Opening a tree writes files beside it, so this is a copy.
    let _ = fs::remove_dir_all(spare);
    let copy = spare.join("tags");
    for path in found.files.iter().map(|file| &file.path) {
        let file = copy.join(path);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::copy(tree.join(path), file).expect("it can be copied");
    }
    for level in entry.levels {
        let built_in = entry.content(level).unwrap_or_else(|trouble| panic!("{level}: {trouble}"));
        let (content, lines) =
            tag_tree::open(entry, level, &copy).unwrap_or_else(|trouble| panic!("{level}: {trouble}"));
        assert!(lines.is_empty(), "{level}: {lines:?}");
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
    let described = session.game().describe(session.world()) + "\n" + &session.game().troubles().join("\n");
    (format!("{:016x}", session.chain()), described)
}

/// The tags of a level with keys made from their paths, so that a comment in a tag or another binary encoding does not
/// change the chain.
fn content(entry: &GameEntry, level: &str) -> Result<Content, Error> {
    let built_in = entry.content(level)?;
    let named = |ready: &Ready| {
        let mut key = Key::default();
        key.0[..8].copy_from_slice(&ready.path.id().number().to_le_bytes());
        Ready { key, ..ready.clone() }
    };
    Ok(Content::new(Arc::clone(built_in.classes()), built_in.library().tags().map(named)))
}

/// More workers than most test machines have cores, but few enough to run well there.
const POOL_WORKERS: u32 = 4;
