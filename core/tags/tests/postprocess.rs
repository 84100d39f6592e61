//! A postprocess computes values from other tags, and sees only what its class declares.

use std::sync::Arc;

use base::StringId;
use tags::library::Ready;
use tags::packed::Packed;
use tags::postprocess::{Draft, Reads};
use tags::{Classes, Key, Library, Postprocess, Record, Reference, Series, Tag, TagPath};

/// A shape.
#[derive(Tag)]
#[repr(C)]
struct Model {
    /// How far it reaches.
    #[tag(unit = "m", range(0, 100))]
    radius: f32,
}

/// A ship.
#[derive(Tag)]
#[tag(reads(Model), postprocess = 3)]
#[repr(C)]
struct Ship {
    /// What it looks like.
    hull: Reference<Model>,
    parts: Series<Part>,
    /// How far all of it reaches.
    #[tag(runtime)]
    reach: f32,
    #[tag(runtime)]
    reaches: Series<f32>,
}

/// A part of a ship.
#[derive(Record)]
#[repr(C)]
struct Part {
    #[tag(key)]
    name: StringId,
    model: Reference<Model>,
    #[tag(runtime)]
    reach: f32,
}

/// Nothing but a name.
#[derive(Tag)]
#[repr(C)]
struct Marker {}

impl Postprocess for Marker {
    fn postprocess(draft: &mut Draft<'_, Marker>, _: &Reads<'_, Marker>) {
        let _: &Marker = draft.view().get();
    }
}

impl Postprocess for Ship {
    fn postprocess(draft: &mut Draft<'_, Ship>, reads: &Reads<'_, Ship>) {
        let ship = draft.view();
        let radius = |reference| reads.get(reference).map_or(0.0, |model| model.radius);
        let reaches: Vec<f32> = ship.each(&ship.parts).iter().map(|part| radius(&part.model)).collect();
        let largest =
            reaches.iter().fold(radius(&ship.hull), |largest, reach| if *reach > largest { *reach } else { largest });
        draft.set(|ship| &ship.get().reach, largest);
        for (index, reach) in reaches.iter().enumerate() {
            draft.set(|ship| &ship.each(&ship.get().parts)[index].reach, *reach);
        }
        draft.set_series(|ship| &ship.get().reaches, &reaches);
    }
}

fn classes() -> Classes {
    Classes::new().with::<Model>().with_postprocess::<Ship>().with_postprocess::<Marker>()
}

fn pack(classes: &Classes, path: &str, text: &str) -> (TagPath, Packed) {
    let path = TagPath::new(path).expect("a path");
    let made = classes.get(path.class()).expect("a class").pack_text(text);
    assert!(made.is_sound(), "{:?}", made.reports);
    (path, made.packed)
}

#[test]
fn values_that_depend_on_other_tags_are_computed_once() {
    let classes = classes();
    let small = pack(&classes, "small.model", "@model\n!set radius 2");
    let large = pack(&classes, "large.model", "@model\n!set radius 9");
    let (path, mut ship) = pack(
        &classes,
        "a.ship",
        "@ship\n!set hull \"small.model\"\n!set parts [{ name \"a\", model \"large.model\" }, { name \"b\", model \"none.model\" }]",
    );
    let find = |id: StringId| [&small, &large].into_iter().find(|(path, _)| path.id() == id).map(|(_, packed)| packed);
    classes.postprocess("ship", &mut ship, &find);
    let class = classes.get("ship").expect("a class").class();
    assert_eq!(Packed::check(ship.bytes(), class), Ok(ship.clone()));
    let mut library = Library::new();
    library.apply([Ready { path, key: Key::default(), packed: Arc::new(ship) }]);
    let ship = library.find::<Ship>("a.ship").expect("the tag exists");
    assert_eq!((ship.reach, ship.each(&ship.parts)[0].reach, ship.each(&ship.reaches)), (9.0, 9.0, &[9.0, 0.0][..]));
    assert!(library.follow(&ship.hull).is_none());
    assert!(library.find::<Model>("a.ship").is_none());
}

#[test]
fn a_series_of_another_tag_reads_as_empty() {
    let classes = classes();
    let text = "@ship\n!set parts [{ name \"a\" }]";
    let (left, right) = (pack(&classes, "a.ship", text).1, pack(&classes, "b.ship", text).1);
    let (left, right) = (left.view::<Ship>().expect("a ship"), right.view::<Ship>().expect("a ship"));
    assert_eq!((left.each(&left.parts).len(), right.each(&left.parts).len()), (1, 0));
}

#[test]
fn a_tag_of_a_class_without_fields_exists() {
    let classes = classes();
    let (path, mut marker) = pack(&classes, "a.marker", "@marker");
    classes.postprocess("marker", &mut marker, &|_| None);
    let mut library = Library::new();
    library.apply([Ready { path, key: Key::default(), packed: Arc::new(marker) }]);
    assert!(library.find::<Marker>("a.marker").is_some());
}
