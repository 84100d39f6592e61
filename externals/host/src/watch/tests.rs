use super::*;
use crate::testing::Folder;
use std::fs::{self, File};
use std::io::Write;

/// The longest wait of a test. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

fn watches(folder: &Folder) -> [Watch; 2] {
    let limits = WalkLimits::default();
    let (queue, _) = Watch::begin(folder.path(), &limits).expect("it can be watched");
    let (scanning, _) = Watch::begin_by_scans(folder.path(), &limits).expect("it can be watched");
    [queue, scanning]
}

/// Waits until every path has been reported; others may be too.
fn expect(watch: &mut Watch, paths: &[&str]) {
    let mut missing: Vec<&str> = paths.to_vec();
    let end = Instant::now() + PATIENCE;
    while !missing.is_empty() {
        let changed = watch.wait(PATIENCE);
        missing.retain(|path| !changed.iter().any(|changed| changed == path));
        assert!(missing.is_empty() || Instant::now() < end, "never reported: {missing:?}; reported: {changed:?}");
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be written");
    fs::write(path, text).expect("the folder can be written");
}

#[test]
fn the_initial_content_is_returned_and_not_reported() {
    let folder = Folder::new();
    put(&folder.join("a/b.ship"), "1");
    let (mut watch, walk) = Watch::begin(folder.path(), &WalkLimits::default()).expect("it can be watched");
    assert_eq!(walk.files.len(), 1);
    assert!(watch.poll().is_empty());
    put(&folder.join("c.ship"), "2");
    assert_eq!(watch.wait(PATIENCE), ["c.ship"]);
    assert!(watch.poll().is_empty());
}

#[test]
fn written_created_and_removed_files_are_reported() {
    let folder = Folder::new();
    put(&folder.join("a/b.ship"), "1");
    put(&folder.join("a/c.ship"), "1");
    for mut watch in watches(&folder) {
        put(&folder.join("a/b.ship"), "another text");
        expect(&mut watch, &["a/b.ship"]);
        put(&folder.join("a/new.ship"), "1");
        fs::remove_file(folder.join("a/c.ship")).expect("it is there");
        expect(&mut watch, &["a/new.ship", "a/c.ship"]);
        fs::remove_file(folder.join("a/new.ship")).expect("it is there");
        put(&folder.join("a/c.ship"), "1");
        expect(&mut watch, &["a/new.ship", "a/c.ship"]);
    }
}

#[test]
fn saving_by_rename_is_a_change_of_the_target() {
    let folder = Folder::new();
    put(&folder.join("a.ship"), "1");
    for mut watch in watches(&folder) {
        put(&folder.join("a.ship.temporary"), "a new text");
        fs::rename(folder.join("a.ship.temporary"), folder.join("a.ship")).expect("it is there");
        expect(&mut watch, &["a.ship"]);
        // As some editors do: the old file becomes a backup, which is removed when the new one is complete.
        fs::rename(folder.join("a.ship"), folder.join("a.ship~")).expect("it is there");
        put(&folder.join("a.ship"), "yet another");
        fs::remove_file(folder.join("a.ship~")).expect("it is there");
        expect(&mut watch, &["a.ship"]);
        assert_eq!(fs::read_to_string(folder.join("a.ship")).expect("it is there"), "yet another");
    }
}

#[test]
fn a_file_is_reported_after_its_writer_has_finished() {
    let folder = Folder::new();
    put(&folder.join("a.ship"), "old");
    let (mut watch, _) = Watch::begin(folder.path(), &WalkLimits::default()).expect("it can be watched");
    let mut file = File::create(folder.join("a.ship")).expect("it can be written");
    for _ in 0..100 {
        file.write_all(b"a line of text\n").expect("it can be written");
        file.flush().expect("it can be written");
    }
    drop(file);
    expect(&mut watch, &["a.ship"]);
    assert_eq!(fs::read(folder.join("a.ship")).expect("it is there").len(), 1500);
}

#[test]
fn new_folders_are_watched_too_and_moved_ones_are_reported_with_their_content() {
    let folder = Folder::new();
    put(&folder.join("a.ship"), "1");
    for mut watch in watches(&folder) {
        put(&folder.join("deep/er/still/b.ship"), "1");
        expect(&mut watch, &["deep/er/still/b.ship"]);
        put(&folder.join("deep/er/still/c.ship"), "1");
        put(&folder.join("deep/er/d.ship"), "1");
        expect(&mut watch, &["deep/er/still/c.ship", "deep/er/d.ship"]);
        fs::rename(folder.join("deep"), folder.join("moved")).expect("it is there");
        expect(
            &mut watch,
            &["deep/er/still/b.ship", "deep/er/still/c.ship", "deep/er/d.ship", "moved/er/still/b.ship"],
        );
        put(&folder.join("moved/er/still/c.ship"), "much longer than before");
        expect(&mut watch, &["moved/er/still/c.ship"]);
        fs::remove_dir_all(folder.join("moved")).expect("it is there");
        expect(&mut watch, &["moved/er/still/b.ship", "moved/er/still/c.ship", "moved/er/d.ship"]);
        put(&folder.join("moved/er/still/c.ship"), "again");
        expect(&mut watch, &["moved/er/still/c.ship"]);
        fs::remove_dir_all(folder.join("moved")).expect("it is there");
        expect(&mut watch, &["moved/er/still/c.ship"]);
    }
}

#[test]
fn many_simultaneous_changes_are_all_reported() {
    let folder = Folder::new();
    let (mut watch, _) = Watch::begin(folder.path(), &WalkLimits::default()).expect("it can be watched");
    let names: Vec<String> = (0..500).map(|number| format!("{}/{number}.ship", number % 20)).collect();
    for name in &names {
        put(&folder.join(name), "1");
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    expect(&mut watch, &names);
}

#[test]
fn hidden_files_of_tools_are_not_reported() {
    let folder = Folder::new();
    fs::create_dir(folder.join(".git")).expect("the folder can be written");
    let (mut watch, _) = Watch::begin(folder.path(), &WalkLimits::default()).expect("it can be watched");
    put(&folder.join(".git/index"), "1");
    put(&folder.join(".a.ship.swp"), "1");
    put(&folder.join(".new/b.ship"), "1");
    put(&folder.join("last.ship"), "1");
    assert_eq!(watch.wait(PATIENCE), ["last.ship"]);
}

#[test]
fn a_tree_that_is_removed_and_restored_is_watched_again() {
    let folder = Folder::new();
    let root = folder.join("tags");
    put(&root.join("a/b.ship"), "1");
    let limits = WalkLimits::default();
    let (mut watch, _) = Watch::begin(&root, &limits).expect("it can be watched");
    fs::rename(&root, folder.join("away")).expect("it is there");
    put(&folder.join("tags/a/b.ship"), "a longer text");
    expect(&mut watch, &["a/b.ship"]);
    put(&folder.join("tags/a/c.ship"), "1");
    expect(&mut watch, &["a/c.ship"]);
}

#[test]
fn scanning_without_events_is_reported_as_a_trouble() {
    let folder = Folder::new();
    let [queue, scanning] = watches(&folder);
    assert_eq!(queue.trouble(), None);
    assert!(scanning.trouble().expect("it only scans").contains("scans"));
    let error = Watch::begin(&folder.join("missing"), &WalkLimits::default()).expect_err("there is no such folder");
    assert!(error.to_string().contains("missing"), "{error}");
}

#[test]
fn waiting_ends_without_a_change() {
    let folder = Folder::new();
    for mut watch in watches(&folder) {
        assert!(watch.wait(Duration::from_millis(1)).is_empty());
    }
}
