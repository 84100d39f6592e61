use alloc::format;
use alloc::vec::Vec;

use super::*;

#[test]
fn an_id_is_the_hash_of_its_text() {
    const NOSE: StringId = StringId::new("nose");
    assert_eq!(NOSE.number(), hash(b"nose"));
    assert_eq!(NOSE, StringId::from("nose"));
    assert_eq!(StringId::from_number(NOSE.number()), NOSE);
    assert_ne!(NOSE, StringId::new("Nose"));
}

#[test]
fn the_empty_text_is_none() {
    assert_eq!(StringId::new(""), StringId::NONE);
    assert_eq!(StringId::from(""), StringId::NONE);
    assert_eq!(StringId::default(), StringId::NONE);
    assert!(StringId::NONE.is_none() && !StringId::new(" ").is_none());
    assert_eq!(StringTable::new().text(StringId::NONE), Some(""));
    assert_eq!(StringTable::new().add(""), Ok(StringId::NONE));
}

#[test]
fn an_id_is_shown_in_hexadecimal() {
    let id = StringId::from_number(0xab);
    assert_eq!(format!("{id}"), "00000000000000ab");
    assert_eq!(format!("{id:?}"), "StringId(0x00000000000000ab)");
}

#[test]
fn a_table_knows_what_was_added() {
    let mut table = StringTable::new();
    let nose = table.add("nose").expect("the first one");
    assert_eq!(table.add("nose"), Ok(nose));
    let tail = table.add("tail").expect("another hash");
    assert_eq!(table.text(nose), Some("nose"));
    assert_eq!(table.text(tail), Some("tail"));
    assert_eq!(table.text(StringId::new("wing")), None);
    assert_eq!(table.count(), 2);
    let ids: Vec<StringId> = table.iter().map(|(id, _)| id).collect();
    assert!(ids.is_sorted());
}

#[test]
fn a_collision_names_both_texts() {
    let mut table = StringTable::new();
    let id = table.add("nose").expect("the first one");
    let collision = table.add_as(id, "tail").expect_err("the id is taken");
    assert_eq!(format!("{collision}"), format!("\"nose\" and \"tail\" have the same id {id}: change one of them"));
    assert_eq!(table.text(id), Some("nose"));
    assert!(table.add_as(StringId::NONE, "unlucky").is_err());
}
