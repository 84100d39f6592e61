use super::*;
use crate::content_key;
use crate::testing::Folder;
use host::walk::{WalkLimits, walk};
use proptest::prelude::*;
use std::fs;

const SECOND: i64 = 1_000_000_000;

fn stamp(modified: i64) -> Stamp {
    Stamp { size: 7, modified, number: 3 }
}

fn some_index() -> Index {
    let mut index = Index::default();
    for number in 0..50_u8 {
        let mut entry = Entry::read(stamp(i64::from(number)), content_key::of(&[number]), 100 * SECOND);
        if number % 3 != 0 {
            let made = BuildRecord {
                key: content_key::of(&[number, 1]),
                fingerprint: u64::from(number),
                ..BuildRecord::default()
            };
            let mut made = made.with_references(["b.ship", "a.ship", "b.ship"]);
            made.is_reported = number % 5 == 0;
            made.reads = vec![("x.model".into(), content_key::of(b"x"))];
            entry.made = Some(made);
        }
        index.set(&format!("ships/{number}.ship"), entry);
    }
    index
}

#[test]
fn an_index_is_read_as_it_was_written() {
    let folder = Folder::new();
    let path = folder.join("index");
    let mut index = some_index();
    index.save(&path).expect("the folder can be written");
    let (read, trouble) = Index::load(&path);
    assert_eq!((&read, trouble), (&index, None));
    assert_eq!(read.entries().count(), 50);
    let made = read.get("ships/1.ship").and_then(|entry| entry.made.as_ref()).expect("it was made");
    assert_eq!(made.references().collect::<Vec<_>>(), ["a.ship", "b.ship"]);
    assert_eq!(read.needed().len(), 40, "with six marks, and the key of zeros");
    let (none, trouble) = Index::load(&folder.join("missing"));
    assert_eq!((none, trouble), (Index::default(), None));
}

#[test]
fn only_what_changed_is_saved() {
    let folder = Folder::new();
    let path = folder.join("index");
    let mut index = some_index();
    assert!(index.to_be_saved().is_some());
    assert!(index.to_be_saved().is_none());
    let entry = index.get("ships/1.ship").expect("it is there").clone();
    index.set("ships/1.ship", entry);
    index.remove("missing");
    index.save(&path).expect("there is nothing to write");
    assert!(!path.exists());
    index.remove("ships/1.ship");
    index.save(&path).expect("the folder can be written");
    assert!(path.exists());
}

#[test]
fn damage_at_any_byte_makes_an_index_empty() {
    let folder = Folder::new();
    let path = folder.join("index");
    some_index().save(&path).expect("the folder can be written");
    let whole = fs::read(&path).expect("it is there");
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        assert_eq!(encoding::read(&bytes), None, "byte {place}");
        assert_eq!(encoding::read(&whole[..place]), None, "cut at {place}");
    }
    fs::write(&path, &whole[1..]).expect("it can be written");
    let (index, trouble) = Index::load(&path);
    assert_eq!(index, Index::default());
    assert!(trouble.expect("the damage is reported").contains("damaged"));
}

proptest! {
    #[test]
    fn any_bytes_decode_to_an_index_or_none(mut bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        encoding::read(&bytes);
        // With a valid header, so that the rest is decoded.
        let mut whole = b"ASTRINDX\x01\0\0\0".to_vec();
        whole.extend(base::hash::hash(&bytes).to_le_bytes());
        whole.append(&mut bytes);
        encoding::read(&whole);
    }
}

#[test]
fn a_file_is_certain_only_if_it_was_old_when_it_was_read() {
    for (modified, read, is_certain) in [
        (0, 10 * SECOND, true),
        (9 * SECOND, 10 * SECOND, false),
        (8 * SECOND, 10 * SECOND, false),
        (20 * SECOND, 10 * SECOND, false),
        (i64::MAX, 0, false),
        (7 * SECOND, 10 * SECOND, true),
    ] {
        let entry = Entry::read(stamp(modified), content_key::of(b""), read);
        assert_eq!(entry.is_certainly(&stamp(modified)), is_certain, "modified {modified}, read {read}");
        assert!(!entry.is_certainly(&stamp(modified.saturating_sub(1))));
    }
}

#[test]
fn new_changed_and_racy_files_are_uncertain_and_removed_ones_are_dropped() {
    let folder = Folder::new();
    for name in ["a.ship", "b.ship", "c.ship", "d.ship"] {
        fs::write(folder.join(name), name).expect("the folder can be written");
    }
    let walk = walk(folder.path(), &WalkLimits::default()).expect("it can be listed");
    let mut index = Index::default();
    assert_eq!(index.uncertain(&walk), [0, 1, 2, 3]);
    for file in &walk.files {
        index.set(&file.path, Entry::read(file.stamp, content_key::of(b""), i64::MAX));
    }
    index.set("aa.ship", Entry::default());
    index.set("z.ship", Entry::default());
    assert!(index.uncertain(&walk).is_empty());
    let stamps: Vec<Stamp> = walk.files.iter().map(|file| file.stamp).collect();
    index.set("b.ship", Entry::read(Stamp { size: 99, ..stamps[1] }, content_key::of(b""), i64::MAX));
    index.set("c.ship", Entry::read(stamps[2], content_key::of(b""), stamps[2].modified));
    index.remove("d.ship");
    assert_eq!(index.uncertain(&walk), [1, 2, 3]);
    index.keep_only(&walk);
    let paths: Vec<&str> = index.entries().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a.ship", "b.ship", "c.ship"]);
}

#[test]
fn every_reason_has_a_sentence() {
    let key = content_key::of(b"text");
    let made = BuildRecord { key: content_key::of(b"made"), fingerprint: 1, ..BuildRecord::default() };
    let with = |change: fn(&mut BuildRecord)| {
        let mut made = made.clone();
        change(&mut made);
        made
    };
    let told = |before: Option<(&Key, &BuildRecord)>, now: &BuildRecord| {
        RebuildReason::between(before, "ship", &key, now).to_string()
    };
    assert_eq!(told(None, &made), "it was never built");
    assert_eq!(told(Some((&content_key::of(b"other"), &made)), &made), "its text changed");
    assert_eq!(told(Some((&key, &with(|made| made.fingerprint = 2))), &made), "the class `ship` changed");
    assert_eq!(RebuildReason::Dependency("a.model".into()).to_string(), "it reads `a.model`, which changed");
    let other = with(|made| made.key = content_key::of(b"another way"));
    assert_eq!(told(Some((&key, &other)), &made), "the packing of this program changed");
    let reported = with(|made| made.is_reported = true);
    assert_eq!(told(Some((&key, &reported)), &made), "it has reports");
    assert_eq!(told(Some((&key, &made)), &made), "it was missing in the store");
}
