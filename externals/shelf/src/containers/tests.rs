use std::fs;

use super::*;
use crate::Shelf;
use crate::load::LoadLimits;
use crate::testing::{Folder, classes, put_texture};

/// The containers of a tree after it was loaded.
fn load(folder: &Folder) -> std::sync::Arc<Containers> {
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let loaded = shelf.load(&["*"], &LoadLimits::default());
    assert!(loaded.reports.is_empty(), "{:?}", loaded.reports);
    std::sync::Arc::clone(shelf.containers())
}

fn first_part(container: &mut Container) -> Vec<u8> {
    let blocks = container.directory.parts()[0].blocks.clone();
    let mut buffers = BlockBuffers::default();
    blocks.flat_map(|block| container.read_block(block, &mut buffers).expect("it is sound").to_vec()).collect()
}

fn stored(folder: &Folder) -> usize {
    files::list(&folder.join(".astrarium/bulk"), EXTENSION).expect("it can be listed").len()
}

#[test]
fn a_container_is_found_by_its_digest_and_named_after_its_file() {
    let folder = Folder::new();
    let digest = put_texture(&folder, "m", &[7; 300_000]);
    let containers = load(&folder);
    let mut container = containers.open(&digest).expect("it is in the tree");
    assert_eq!(container.name, "m.model.bulk");
    assert_eq!(first_part(&mut container), [7; 300_000]);
    assert_eq!(container.directory.blocks().len(), 2);
    let mut buffers = BlockBuffers::default();
    let beyond = container.read_block(2, &mut buffers);
    assert!(matches!(beyond, Err(ContainerError::NoBlock { block: 2, blocks: 2 })), "{beyond:?}");
    assert!(matches!(containers.open(&Key([1; 32])), Err(ContainerError::Missing { .. })));
}

#[test]
fn a_file_with_another_digest_is_not_opened() {
    let folder = Folder::new();
    let digest = put_texture(&folder, "m", b"first");
    let containers = load(&folder);
    let other = tags::bulk::BulkWriter::new().finish();
    fs::write(folder.join("tags/m.model.bulk"), other).expect("it can be written");
    assert!(matches!(containers.open(&digest), Err(ContainerError::Missing { .. })));
}

#[test]
fn an_earlier_container_is_found_after_its_file_changed_in_place() {
    let folder = Folder::new();
    let first = put_texture(&folder, "m", b"first");
    let containers = load(&folder);
    assert_eq!(containers.keep(&["m.model"], u64::MAX).expect("it can be stored"), 1);
    let second = put_texture(&folder, "m", b"second");
    let containers = load(&folder);
    assert_eq!(first_part(&mut containers.open(&first).expect("it is stored")), b"first");
    assert_eq!(first_part(&mut containers.open(&second).expect("it is in the tree")), b"second");
}

#[test]
fn the_oldest_versions_that_no_tag_names_are_removed_above_the_limit() {
    let folder = Folder::new();
    let noise: Vec<u8> = (0..10_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut digests = Vec::new();
    for number in 0..6 {
        digests.push(put_texture(&folder, "m", &[&[number], &noise[..]].concat()));
        let containers = load(&folder);
        containers.keep(&["m.model"], u64::MAX).expect("it can be stored");
        // Their order is that of their times, which may be coarse.
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 + u64::from(number));
        let file = fs::File::options().write(true).open(containers.stored(&digests[usize::from(number)]));
        file.expect("it was stored").set_modified(time).expect("it is ours");
    }
    let containers = load(&folder);
    containers.limit().expect("they can be removed");
    assert_eq!(stored(&folder), 6);
    let bytes = containers.stored_bytes();
    let known = std::sync::Arc::try_unwrap(containers).expect("nobody else has it").with_limit(bytes / 2);
    known.limit().expect("they can be removed");
    let found: Vec<bool> = digests.iter().map(|digest| known.open(digest).is_ok()).collect();
    assert_eq!(found, [false, false, false, true, true, true]);
    // The one in force stays, whatever the limit is.
    known.with_limit(0).limit().expect("they can be removed");
    assert_eq!(stored(&folder), 1);
}

#[cfg(unix)]
#[test]
fn containers_above_the_limit_are_linked_and_damage_to_them_is_found() {
    let folder = Folder::new();
    let digest = put_texture(&folder, "m", b"first");
    let containers = std::sync::Arc::try_unwrap(load(&folder)).expect("nobody else has it").with_limit(0);
    containers.keep(&["m.model"], u64::MAX).expect("it can be stored");
    assert_eq!((stored(&folder), containers.stored_bytes()), (1, 0));
    assert!(Containers::in_home(&folder.join(".astrarium")).open(&digest).is_ok());
    // Overwritten in place, both are another file: it is found out, and the stored one is removed.
    fs::write(folder.join("tags/m.model.bulk"), b"other bytes").expect("it can be written");
    assert!(Containers::in_home(&folder.join(".astrarium")).open(&digest).is_err());
    assert_eq!(stored(&folder), 0);
}

#[test]
fn storing_stops_after_the_bytes_that_are_allowed_at_once() {
    let folder = Folder::new();
    put_texture(&folder, "a", b"first");
    put_texture(&folder, "b", b"second");
    let containers = load(&folder);
    assert_eq!(containers.keep(&["a.model", "b.model"], 1).expect("it can be stored"), 1);
    assert_eq!(stored(&folder), 1);
    assert_eq!(containers.keep(&["b.model"], 1).expect("it can be stored"), 1);
    assert_eq!(stored(&folder), 2);
}

#[test]
fn a_received_container_appears_only_with_its_digest() {
    let folder = Folder::new();
    let containers = Containers::in_home(&folder.join(".astrarium"));
    let file = tags::bulk::BulkWriter::new().finish();
    let digest = content_key::of(&file);
    for (bytes, is_good) in [(&file[..file.len() - 1], false), (&[&file[..], b"x"].concat(), false), (&file, true)] {
        let mut incoming = containers.receive(&digest, file.len() as u64).expect("the folder can be written");
        bytes.chunks(5).for_each(|piece| incoming.append(piece).expect("there is space"));
        assert_eq!(incoming.finish().expect("the folder can be written"), is_good);
        assert_eq!(containers.open(&digest).is_ok(), is_good);
    }
    assert!(containers.missing().is_empty() && containers.has(&digest));
}

#[test]
fn digests_are_remembered_by_the_index_so_that_files_are_hashed_once() {
    let folder = Folder::new();
    let digest = put_texture(&folder, "m", b"first");
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let _ = shelf.load(&["*"], &LoadLimits::default());
    assert!(shelf.containers().hashed().is_empty(), "nothing is hashed by a load");
    shelf.containers().open(&digest).expect("it is in the tree");
    assert_eq!(shelf.containers().hashed().len(), 1);
    shelf.save().expect("the folder can be written");
    let containers = load(&folder);
    assert_eq!(containers.hashed().len(), 1, "the index knows it");
}

#[test]
fn a_container_of_the_program_is_read_without_a_file_and_a_damaged_one_is_an_error() {
    let mut writer = tags::bulk::BulkWriter::new();
    writer.add_part("texels", &[9; 300_000]).expect("it is small");
    let whole: &'static [u8] = writer.finish().leak();
    let cut = &whole[..whole.len() - 1];
    let folder = Folder::new();
    let containers = Containers::in_home(&folder.join(".astrarium")).with_embedded(&[whole, cut]);
    let digest = content_key::of(whole);
    assert!(containers.has(&digest));
    assert_eq!(first_part(&mut containers.open(&digest).expect("it is in the program")), [9; 300_000]);
    assert_eq!(&*containers.read(&digest, u64::MAX).expect("it is in the program"), whole);
    assert!(matches!(containers.open(&content_key::of(cut)), Err(ContainerError::Bulk(_))));
    assert!(matches!(containers.open(&Key([1; 32])), Err(ContainerError::Missing { .. })));
}
