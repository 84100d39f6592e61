use super::*;
use crate::content_key;
use crate::testing::Folder;
use std::fs;

fn object(number: u32) -> (Key, Vec<u8>) {
    let bytes = number.to_le_bytes().repeat(1 + number as usize % 50);
    (content_key::of(&number.to_le_bytes()), bytes)
}

fn put(store: &mut Store, numbers: impl Iterator<Item = u32>) {
    let objects: Vec<_> = numbers.map(object).collect();
    let borrowed: Vec<(Key, &[u8])> = objects.iter().map(|(key, bytes)| (*key, bytes.as_slice())).collect();
    store.put(&borrowed).expect("the folder can be written");
}

fn packs(folder: &Folder) -> Vec<PathBuf> {
    files::list(folder.path(), EXTENSION).expect("it can be listed")
}

fn has_all(store: &Store, numbers: impl Iterator<Item = u32>) -> bool {
    let objects: Vec<_> = numbers.map(object).collect();
    let keys: Vec<Key> = objects.iter().map(|(key, _)| *key).collect();
    let found = store.get_many(&keys, 3, |number, bytes| bytes == Some(&objects[number].1[..]));
    found.into_iter().all(|is_right| is_right)
}

#[test]
fn objects_are_found_by_this_and_the_next_process() {
    let folder = Folder::new();
    let mut store = Store::open(folder.path()).expect("it can be made");
    put(&mut store, 0..1000);
    put(&mut store, 500..1500);
    assert_eq!(store.fullness().objects, 1500, "no object is stored twice");
    for store in [store, Store::open(folder.path()).expect("it is there")] {
        assert!(has_all(&store, 0..1500));
        assert!(store.troubles().is_empty());
        assert_eq!(store.get(&content_key::of(b"another")), None);
        let (key, bytes) = object(77);
        assert!(store.has(&key));
        assert_eq!(store.get(&key), Some(bytes));
        assert_eq!(store.fullness().packs, 2);
    }
    let empty: Vec<()> = Store::open(folder.path()).expect("it is there").get_many(&[], 2, |_, _| ());
    assert!(empty.is_empty());
}

#[test]
fn two_stores_in_one_folder_lose_nothing() {
    let folder = Folder::new();
    let mut one = Store::open(folder.path()).expect("it can be made");
    let mut other = Store::open(folder.path()).expect("it can be made");
    put(&mut one, 0..100);
    put(&mut other, 50..150);
    put(&mut one, 100..200);
    assert!(has_all(&one, 0..200));
    assert!(has_all(&other, 50..150));
    assert!(has_all(&Store::open(folder.path()).expect("it is there"), 0..200));
    one.put_in_order(&BTreeSet::new(), u64::MAX).expect("the folder can be written");
    assert!(has_all(&one, 0..200));
    let (key, _) = object(60);
    // Either still there, or reported as missing.
    assert!(other.get(&key).is_none_or(|bytes| bytes == object(60).1));
    put(&mut other, 200..210);
    assert!(has_all(&Store::open(folder.path()).expect("it is there"), 0..210));
}

#[test]
fn damage_at_any_byte_is_detected() {
    let folder = Folder::new();
    put(&mut Store::open(folder.path()).expect("it can be made"), 0..20);
    let path = packs(&folder).pop().expect("there is one");
    let whole = fs::read(&path).expect("it is there");
    let good =
        |store: &Store| (0..20).map(object).filter(|(key, bytes)| store.get(key).as_ref() == Some(bytes)).count();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x40;
        fs::write(&path, &bytes).expect("it can be written");
        let store = Store::open(folder.path()).expect("damage is no error");
        for (key, bytes) in (0..20).map(object) {
            assert!(store.get(&key).is_none_or(|found| found == bytes), "byte {place} of the pack");
        }
        // Damage in the table loses all objects; in an object, that one; in the gaps, none.
        assert!([0, 19, 20].contains(&good(&store)), "byte {place} of the pack");
        assert_eq!(path.exists(), store.troubles().is_empty(), "a damaged pack is removed");
    }
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).expect("it can be written");
        let store = Store::open(folder.path()).expect("damage is no error");
        assert!(good(&store) < 20);
    }
}

#[test]
fn a_damaged_object_can_be_replaced() {
    let folder = Folder::new();
    let mut store = Store::open(folder.path()).expect("it can be made");
    put(&mut store, 1..2);
    let path = packs(&folder).pop().expect("there is one");
    let mut bytes = fs::read(&path).expect("it is there");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    fs::write(&path, &bytes).expect("it can be written");
    let (key, object) = object(1);
    assert_eq!(store.get(&key), None);
    store.replace(&[(key, &object)]).expect("the folder can be written");
    assert_eq!(store.get(&key).as_ref(), Some(&object));
    assert_eq!(Store::open(folder.path()).expect("it is there").get(&key), Some(object));
}

#[test]
fn any_bytes_in_a_pack_file_are_harmless() {
    let folder = Folder::new();
    put(&mut Store::open(folder.path()).expect("it can be made"), 0..5);
    for (number, bytes) in
        [&b""[..], b"ASTRPACK", &[0xff; 100], b"ASTRPACK\x01\0\0\0\xff\xff\xff\xff12345678"].iter().enumerate()
    {
        fs::write(folder.join(format!("{number}.pack")), bytes).expect("it can be written");
    }
    fs::create_dir(folder.join("folder.pack")).expect("it can be written");
    let store = Store::open(folder.path()).expect("damage is no error");
    assert_eq!(store.troubles().len(), 4);
    assert!(has_all(&store, 0..5));
    assert!(Store::open(folder.path()).expect("it is there").troubles().is_empty());
}

#[test]
fn compaction_keeps_live_objects_and_then_the_newest() {
    let folder = Folder::new();
    let mut store = Store::open(folder.path()).expect("it can be made");
    for pack in 0..40 {
        put(&mut store, pack * 10..(pack + 1) * 10);
    }
    assert!(store.is_out_of_order(u64::MAX));
    let needed: BTreeSet<Key> = (0..100).map(|number| object(number).0).collect();
    let needed_bytes: u64 = (0..100).map(|number| object(number).1.len() as u64).sum();
    store.put_in_order(&needed, u64::MAX).expect("the folder can be written");
    assert!(has_all(&store, 0..400), "all fit into the limit");
    assert_eq!(packs(&folder).len(), 1);
    put(&mut store, 400..410);
    let newest: u64 = (400..410).map(|number| object(number).1.len() as u64).sum();
    assert!(store.is_out_of_order(needed_bytes + newest));
    store.put_in_order(&needed, needed_bytes + newest).expect("the folder can be written");
    assert!(has_all(&store, 0..100), "live objects stay");
    assert!(has_all(&store, 400..410), "the newest objects stay");
    assert_eq!(store.fullness().objects, 110);
    store.put_in_order(&needed, 0).expect("the folder can be written");
    assert!(has_all(&store, 0..100), "live objects stay, whatever the limit");
    assert!(has_all(&Store::open(folder.path()).expect("it is there"), 0..100));
    store.put_in_order(&BTreeSet::new(), 0).expect("the folder can be written");
    assert!(packs(&folder).is_empty());
}

#[test]
fn packs_of_another_version_are_left_alone() {
    let folder = Folder::new();
    let foreign = folder.join("foreign.pack");
    fs::write(&foreign, b"ASTRPACK\x02\0\0\0and what comes behind").expect("it can be written");
    let mut store = Store::open(folder.path()).expect("it can be made");
    put(&mut store, 0..10);
    store.put_in_order(&BTreeSet::new(), 0).expect("the folder can be written");
    assert!(store.troubles().is_empty() && foreign.exists());
}

#[test]
fn a_store_whose_folder_was_deleted_continues_to_work() {
    let folder = Folder::new();
    let home = folder.join("store");
    let mut store = Store::open(&home).expect("it can be made");
    put(&mut store, 0..10);
    fs::remove_dir_all(&home).expect("it is there");
    assert!(!has_all(&store, 0..10));
    put(&mut store, 10..20);
    assert!(has_all(&store, 10..20));
    assert!(has_all(&Store::open(&home).expect("it is there"), 10..20));
}
