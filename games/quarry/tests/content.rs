//! All of the game is in its tags, and nothing is wrong with them.
#![allow(clippy::disallowed_methods, reason = "a test may read files")]

use std::collections::BTreeSet;
use std::path::Path;

use astrarium::tree;
use quarry::ENTRY;

#[test]
fn nothing_is_wrong_with_any_level() {
    for level in ENTRY.levels {
        let content = ENTRY.content(level);
        assert!(content.is_ok(), "{level}: {}", content.err().unwrap_or_default());
    }
}

#[test]
fn every_file_of_the_tree_is_part_of_the_program_and_the_tree_gives_the_same_tags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tags");
    let mut files = BTreeSet::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(&root).expect("it is in it").to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let texts: BTreeSet<String> = ENTRY.tags.texts.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(files, texts);
    // A tree writes down what it made beside itself, so this is a copy.
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("content");
    let _ = std::fs::remove_dir_all(&project);
    for (path, text) in ENTRY.tags.texts {
        let file = project.join("tags").join(path);
        std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        std::fs::write(file, text).expect("it can be written");
    }
    for level in ENTRY.levels {
        let (content, told) = tree::open(&ENTRY, level, &project.join("tags")).expect("it is there");
        assert!(told.is_empty(), "{told:?}");
        let built_in = ENTRY.content(level).expect("nothing is wrong with it");
        assert_eq!(content.library().identity(), built_in.library().identity(), "{level}");
    }
    std::fs::remove_dir_all(&project).expect("it is there");
}
