//! Importing a level as a family of tags that a game can play.

mod common;

use common::Folder;

/// A level with a floor of two triangles and two crates; the second is at this place.
fn level(place: f32) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,1,2,3,4]}}],
"nodes":[{{"name":"floor-col","mesh":0}},{{"name":"one@props/crate","translation":[0,2,0]}},
{{"name":"two@props/crate","translation":[{place},3,0]}},{{"name":"TV_gate","scale":[1,2,3]}},{{"name":"MK_start"}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},{{"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":6}}],
"buffers":[{{"uri":"floor.bin","byteLength":54}}]}}"#
    )
}

/// The floor: 20 m wide, y up.
fn floor() -> Vec<u8> {
    let corners = [[-10.0_f32, 0.0, -10.0], [-10.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, -10.0]];
    let mut bytes: Vec<u8> = corners.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend([0, 1, 2, 0, 2, 3]);
    bytes
}

/// A folder of a game with the level as a source, imported.
fn imported() -> Folder {
    let folder = Folder::new();
    folder.write("tags/props/crate.object", "@object\n!set body { shape \"box\" }\n");
    folder.write("data/levels/yard.gltf", level(5.0));
    folder.write("data/levels/floor.bin", floor());
    let done = folder.run("import --option as=level --json").json();
    assert_eq!((done.number("imported"), done.number("failed")), (1, 0));
    folder
}

#[test]
fn an_imported_level_is_checked_and_played() {
    let folder = imported();
    let printed = folder.run("tag check").stdout();
    assert!(printed.contains("no errors"), "{printed}");
    let seen = folder.run("look . --cycles 1 --players 0 --show shapes --json").json();
    let kinds: Vec<&str> = seen.list("lines").iter().map(|line| line.text("kind")).collect();
    assert!(kinds.contains(&"fixed") && kinds.iter().any(|kind| *kind != "fixed"), "floor and crates: {kinds:?}");
}

#[test]
fn edits_by_hand_survive_a_new_import_without_the_cache() {
    let folder = imported();
    let text = folder.read("tags/levels/yard.scenario");
    let edited = text.replace("position vec(0, 0, 2)", "team 3, position vec(0, 0, 2)");
    assert_ne!(edited, text, "{text}");
    folder.write("tags/levels/yard.scenario", edited);
    folder.write("data/levels/yard.gltf", level(7.0));
    // As in a fresh clone: the options are found beside the tag.
    std::fs::remove_dir_all(folder.join(".astrarium")).expect("there is a cache");
    let done = folder.run("import --json").json();
    assert_eq!((done.number("imported"), done.number("failed")), (1, 0));
    let text = folder.read("tags/levels/yard.scenario");
    assert!(text.contains("team 3") && text.contains("vec(0, 7, 3)"), "{text}");
    assert!(!folder.join("tags/levels/yard.model").exists(), "it is still a level");
    assert_eq!(folder.run("import --json").json().number("unchanged"), 1);
}
