//! Imported tags say where they came from, field by field, and are shown as pictures.

use crate::common;

use common::{Folder, Json};
use media::importers::IMPORTERS;
use media::picture::Picture;
use media::{Options, Source};

/// A project with an imported image of two colours.
fn imported() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    folder.write("data/ships/hull.png", hull(64).to_png());
    let done = folder.run("import --option format=bc7 --json").json();
    assert_eq!((done.number("imported"), done.number("failed")), (1, 0));
    folder
}

/// The left half is orange, the right half is blue.
fn hull(size: u32) -> Picture {
    let mut picture = Picture::filled(size, size, ORANGE);
    for y in 0..size {
        (size / 2..size).for_each(|x| picture.set(x, y, BLUE));
    }
    picture
}

const ORANGE: [u8; 4] = [230, 120, 20, 255];
const BLUE: [u8; 4] = [20, 60, 200, 255];

/// Reads a PNG file with the importer of bitmaps: its texels as they are.
pub fn read_png(bytes: &[u8]) -> Picture {
    let importer = IMPORTERS.iter().find(|importer| importer.name == "bitmap").expect("it is in the table");
    let mut options = Options::new(importer.options);
    for (name, value) in [("format", "rgba8"), ("mips", "false")] {
        options.set(name, value).expect("it has the option");
    }
    let source = Source::new("a.png", "", bytes, &|name| Err(format!("no file {name}")));
    let product = (importer.import)(&source, &options).expect("it is an image").remove(0);
    let side = |field: &str| {
        let found = product.fields.iter().find(|(name, _)| name == field).expect("it has the field");
        found.1.parse().expect("it is a number")
    };
    let (texels, _) = product.parts[0].bytes.as_chunks::<4>();
    Picture { width: side("width"), height: side("height"), pixels: texels.to_vec() }
}

fn assert_near(found: [u8; 4], expected: [u8; 4]) {
    let is_near = found.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) <= 6);
    assert!(is_near, "{found:?}, expected {expected:?}");
}

fn field<'a>(shown: &'a Json, name: &str) -> &'a Json {
    shown.list("fields").iter().find(|field| field.text("name") == name).expect("it has the field")
}

#[test]
fn a_tag_says_where_it_came_from_and_what_people_changed() {
    let folder = imported();
    folder.run_words(&["tag", "set", "ships/hull.bitmap", "width", "60", "usage", "\"interface\"", "--force"]).stdout();
    let printed = folder.run("tag show ships/hull.bitmap").stdout();
    for line in [
        "  imported from ships/hull.png by `bitmap` version 1, with format=bc7\n",
        "  width 60 px  (edited; imported as 64)\n",
        "  height 64 px  (imported)\n",
        "  usage \"interface\"  (added)\n",
        "  filter \"anisotropic\"  (default)\n",
    ] {
        assert!(printed.contains(line), "{line}{printed}");
    }
    let shown = folder.run("tag show ships/hull.bitmap --json").json();
    let source = shown.get("source");
    assert_eq!((source.text("file"), source.text("importer")), ("ships/hull.png", "bitmap"));
    assert_eq!(source.list("options")[0].text("value"), "bc7");
    let origin = |name: &str| (field(&shown, name).text("origin"), field(&shown, name).text("imported"));
    assert_eq!(origin("width"), ("edited", "64"));
    assert_eq!(origin("height"), ("imported", ""));
    assert_eq!(origin("usage"), ("added", ""));
    assert_eq!(origin("filter"), ("", ""));
}

#[test]
fn a_tag_that_people_wrote_has_no_source() {
    let folder = imported();
    folder.write("tags/plain.bitmap", "@bitmap\n!set width 4\n");
    assert!(!folder.run("tag show plain.bitmap").stdout().contains("imported"));
    assert_eq!(*folder.run("tag show plain.bitmap --json").json().get("source"), Json::Null);
    assert!(folder.run("tag show plain.bitmap --picture a.png").complaint().contains("no bulk data"));
    assert!(!folder.join("a.png").exists());
}

#[test]
fn a_tag_of_a_class_without_a_source_field_says_where_it_came_from_too() {
    let folder = Folder::new();
    folder.write("data/props/stool.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    folder.run("import --option as=collision").stdout();
    let printed = folder.run("tag show props/stool.geometry").stdout();
    assert!(printed.contains("imported from props/stool.obj by `model` version"), "{printed}");
    assert!(printed.contains("(imported)"), "{printed}");
}

#[test]
fn a_bitmap_is_shown_as_a_sheet_with_its_colours() {
    let folder = imported();
    folder.run("tag show ships/hull.bitmap --picture sheet.png").stdout();
    let sheet = read_png(&std::fs::read(folder.join("sheet.png")).expect("it was written"));
    assert!(sheet.width > 64 + 32 && sheet.height >= 64, "{} × {}", sheet.width, sheet.height);
    assert_near(sheet.pixel(8 + 10, 8 + 30), ORANGE);
    assert_near(sheet.pixel(8 + 50, 8 + 30), BLUE);
    // The second mip level.
    assert_near(sheet.pixel(8 + 64 + 8 + 5, 8 + 15), ORANGE);
    assert_near(sheet.pixel(8 + 64 + 8 + 25, 8 + 15), BLUE);
}

#[test]
fn damaged_bulk_is_an_error_and_no_picture_is_written() {
    let folder = imported();
    let walk = host::walk::walk(&folder.join("tags"), &host::walk::WalkLimits::default()).expect("there are tags");
    let container = walk.files.iter().find(|file| file.path.ends_with(".bulk")).expect("it has bulk data");
    let mut bytes = std::fs::read(folder.join(format!("tags/{}", container.path))).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    folder.write(&format!("tags/{}", container.path), bytes);
    let printed = folder.run("tag show ships/hull.bitmap --picture sheet.png").complaint();
    assert!(printed.contains("hull.bitmap") && printed.contains("damaged"), "{printed}");
    assert!(!folder.join("sheet.png").exists());
    let printed = folder.run("tag show ships/hull.bitmap").stdout();
    assert!(printed.contains("imported from ships/hull.png"), "{printed}");
}

#[test]
fn a_cube_map_is_shown_by_its_first_face() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    let mut strip = Picture::filled(96, 16, BLUE);
    for y in 0..16 {
        (0..16).for_each(|x| strip.set(x, y, ORANGE));
    }
    folder.write("data/sky.png", strip.to_png());
    folder.run("import --option kind=cube").stdout();
    let shown = folder.run("tag show sky.bitmap --picture sheet.png --json").json();
    assert_eq!(field(&shown, "layers").text("value"), "6");
    let sheet = read_png(&std::fs::read(folder.join("sheet.png")).expect("it was written"));
    for (x, y) in [(0, 0), (15, 0), (0, 15), (15, 15)] {
        assert_near(sheet.pixel(8 + x, 8 + y), ORANGE);
    }
}

#[test]
fn a_sound_is_shown_as_its_waveform() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    // One second at 8 kHz: silence, then a square wave of a quarter of the full scale.
    let sample = |frame: u32| if frame < 4000 { 0_i16 } else { [8192, -8192][frame as usize / 4 % 2] };
    let samples: Vec<u8> = (0..8000).flat_map(|frame| sample(frame).to_le_bytes()).collect();
    let mut file = b"RIFF\xa4\x3e\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data".to_vec();
    file.extend(16_000_u32.to_le_bytes());
    file.extend(samples);
    folder.write("data/shot.wav", file);
    folder.run("import --option normalise=false").stdout();
    folder.run("tag show shot.sound --picture wave.png").stdout();
    let wave = read_png(&std::fs::read(folder.join("wave.png")).expect("it was written"));
    let height = |column: u32| {
        let behind = wave.pixel(8 + 10, 8 + 2);
        (8..8 + 128).filter(|row| wave.pixel(8 + column, *row) != behind).count()
    };
    assert_eq!(height(200), 1, "silence is a line");
    assert!((30..=38).contains(&height(800)), "{}", height(800));
}

#[test]
fn a_class_without_a_picture_is_refused() {
    let folder = imported();
    folder.write("tags/crate.object", "@object\n");
    let printed = folder.run("tag show crate.object --picture a.png").complaint();
    assert!(printed.contains("`object`") && printed.contains("bitmap, sound"), "{printed}");
}
