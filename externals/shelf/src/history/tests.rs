use super::*;
use crate::Shelf;
use crate::load::LoadLimits;
use crate::testing::{Folder, Ship, classes, put};
use base::StringId;
use std::fs;
use tags::TagId;

fn kept(shelf: &Shelf) -> History {
    let paths = shelf.walk().files.iter().map(|file| file.path.as_str());
    History::new(shelf.home(), Arc::clone(shelf.classes()), paths)
}

fn load(folder: &Folder) -> (Shelf, Library) {
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let library = shelf.load(&["a.ship"], &LoadLimits::default()).library(classes());
    shelf.save().expect("the folder can be written");
    (shelf, library)
}

#[test]
fn an_earlier_content_is_found_by_the_next_process() {
    let folder = Folder::new();
    put(
        &folder,
        &[
            ("tags/a.ship", "@ship\n!set mass 1\n!set escorts [\"b.ship\"]\n"),
            ("tags/b.ship", "@ship\n!set mass 1e9\n"),
        ],
    );
    let (shelf, first) = load(&folder);
    let mut keeper = kept(&shelf);
    keeper.keep(&first);
    drop(keeper);
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    let (shelf, second) = load(&folder);
    assert_ne!(first.identity(), second.identity());
    let keeper = kept(&shelf);
    let mut again = Library::new();
    again.apply(keeper.content_of(first.identity()).expect("it was kept"));
    assert_eq!(again.identity(), first.identity());
    assert_eq!(again.get(TagId::<Ship>::at("a.ship")).map(|ship| ship.mass), Some(1.0));
    assert_eq!(again.get(TagId::<Ship>::at("b.ship")).map(|ship| ship.mass), Some(1000.0), "with reports too");
    assert!(keeper.content_of(second.identity()).is_none(), "it was not kept");
    let id = StringId::new("a.ship");
    let change = Change { path: id, key: first.key(id).expect("it is there").half() };
    assert_eq!(keeper.fetch(change).map(|ready| ready.key), first.key(id));
    assert!(keeper.fetch(Change { key: 7, ..change }).is_none());
    assert!(keeper.fetch(Change { path: StringId::new("c.ship"), ..change }).is_none());
    // A stored content also provides the history with its paths.
    let mut stranger = History::new(shelf.home(), classes(), []);
    assert!(stranger.fetch(change).is_none());
    stranger.keep(&first);
    assert_eq!(stranger.fetch(change).map(|ready| ready.key), first.key(id));
}

#[test]
fn damage_at_any_byte_of_a_content_is_detected() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n")]);
    let (shelf, library) = load(&folder);
    let mut keeper = kept(&shelf);
    keeper.keep(&library);
    drop(keeper);
    let path = kept(&shelf).path_of(library.identity());
    let whole = fs::read(&path).expect("it was kept");
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 4;
        assert!(read(&bytes).is_none(), "byte {place}");
        assert!(read(&whole[..place]).is_none(), "cut at {place}");
    }
    assert!(read(&whole).is_some());
}

#[test]
fn a_damaged_content_is_told_and_written_again() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n")]);
    let (shelf, library) = load(&folder);
    let path = kept(&shelf).path_of(library.identity());
    // There is none yet, there is a whole one, there is a damaged one.
    for (round, is_told) in [false, false, true].into_iter().enumerate() {
        if is_told {
            let whole = fs::read(&path).expect("it was kept");
            fs::write(&path, &whole[..whole.len() - 1]).expect("the folder can be written");
            assert!(kept(&shelf).content_of(library.identity()).is_none());
        }
        let mut keeper = kept(&shelf);
        keeper.keep(&library);
        let troubles = keeper.take_troubles();
        assert_eq!(troubles.len(), usize::from(is_told), "round {round}: {troubles:?}");
        drop(keeper);
        assert!(kept(&shelf).content_of(library.identity()).is_some(), "round {round}");
    }
}
