//! Importing a level as a family of tags that a game can play.

use crate::common;

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

/// A level of some hills, each a mesh of its own; one of them is of another height.
fn hills(count: usize, changed: usize) -> (String, Vec<u8>) {
    const SIDE: usize = 6;
    let mut bytes: Vec<u8> = Vec::new();
    let (mut views, mut accessors, mut meshes, mut nodes) = (vec![], vec![], vec![], vec![]);
    for hill in 0..count {
        let height = if hill == changed { 2.0 } else { 1.0 };
        let start = bytes.len();
        for at in 0..SIDE * SIDE {
            let (x, z) = ((at % SIDE) as f32, (at / SIDE) as f32);
            let y = (x * (5.0 - x) * z * (5.0 - z)) * 0.01 * height + hill as f32 * 0.001;
            [x, y, z].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        let middle = bytes.len();
        for at in (0..SIDE * SIDE).filter(|at| at % SIDE < SIDE - 1 && at / SIDE < SIDE - 1) {
            for corner in [at, at + SIDE, at + 1, at + 1, at + SIDE, at + SIDE + 1] {
                bytes.extend((corner as u16).to_le_bytes());
            }
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let (points, corners) = (SIDE * SIDE, (SIDE - 1) * (SIDE - 1) * 6);
        views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{}}}", middle - start));
        views.push(format!("{{\"buffer\":0,\"byteOffset\":{middle},\"byteLength\":{}}}", corners * 2));
        let [one, two] = [2 * hill, 2 * hill + 1];
        accessors.push(format!("{{\"bufferView\":{one},\"componentType\":5126,\"count\":{points},\"type\":\"VEC3\"}}"));
        accessors
            .push(format!("{{\"bufferView\":{two},\"componentType\":5123,\"count\":{corners},\"type\":\"SCALAR\"}}"));
        meshes.push(format!(
            "{{\"name\":\"hill{hill}\",\"primitives\":[{{\"attributes\":{{\"POSITION\":{one}}},\"indices\":{two}}}]}}"
        ));
        nodes.push(format!("{{\"name\":\"hill{hill}\",\"mesh\":{hill},\"translation\":[{},0,0]}}", hill * 6));
    }
    let all: Vec<String> = (0..count).map(|node| node.to_string()).collect();
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}],\"meshes\":[{}],
\"accessors\":[{}],\"bufferViews\":[{}],\"buffers\":[{{\"uri\":\"hills.bin\",\"byteLength\":{}}}]}}",
        all.join(","),
        nodes.join(","),
        meshes.join(","),
        accessors.join(","),
        views.join(","),
        bytes.len()
    );
    (text, bytes)
}

#[test]
fn of_a_level_only_the_changed_mesh_is_made_again() {
    let folder = Folder::new();
    let write = |changed: usize| {
        let (text, bytes) = hills(20, changed);
        folder.write("data/levels/hills.gltf", text);
        folder.write("data/levels/hills.bin", bytes);
    };
    let parts = |done: common::Ran| {
        let printed = done.stdout();
        let line = printed.lines().find(|line| line.contains("parts_made")).expect("one file is imported");
        let event = common::Json::read(line);
        (event.number("parts_made"), event.number("parts_kept"))
    };
    folder.write("tags/props/crate.object", "@object\n");
    write(20);
    assert_eq!(parts(folder.run("import --option as=level --json")), (20, 0));
    write(7);
    assert_eq!(parts(folder.run("import --json")), (1, 19));
    let fresh = folder.read("tags/levels/hills/structure.model");
    assert_eq!(parts(folder.run("import --force --json")), (0, 20));
    std::fs::remove_dir_all(folder.join(".astrarium")).expect("there is a cache");
    assert_eq!(parts(folder.run("import --force --json")), (20, 0), "without the cache all is made again");
    assert_eq!(folder.read("tags/levels/hills/structure.model"), fresh, "a cache changes no tag");
}

#[test]
fn a_damaged_cache_of_parts_is_reported_and_made_again() {
    let folder = Folder::new();
    let (text, bytes) = hills(5, 5);
    folder.write("tags/props/crate.object", "@object\n");
    folder.write("data/levels/hills.gltf", text);
    folder.write("data/levels/hills.bin", bytes);
    folder.run("import --option as=level --json").json();
    let before = folder.read("tags/levels/hills/structure.model");
    let parts = folder.join(".astrarium/import-parts");
    // At the start of a pack is its table, behind it are the objects.
    for part_of_file in [1.0, 0.1, 0.0] {
        std::fs::remove_dir_all(&parts).expect("there is a cache");
        folder.run("import --force").stdout();
        let pack =
            std::fs::read_dir(&parts).expect("there is a cache").flatten().next().expect("there is a pack").path();
        let mut bytes = std::fs::read(&pack).expect("it can be read");
        let place = ((bytes.len() - 1) as f64 * part_of_file) as usize;
        bytes[place] ^= 0xff;
        std::fs::write(&pack, bytes).expect("it can be written");
        let printed = folder.run("import --force").output();
        assert!(printed.contains("again"), "damage is reported: {printed}");
        assert_eq!(folder.read("tags/levels/hills/structure.model"), before);
        let printed = folder.run("import --force").output();
        assert!(!printed.contains("again") && printed.contains("0 of 5 parts made"), "it was mended: {printed}");
    }
}

#[test]
fn what_a_level_cannot_hold_is_reported() {
    let folder = Folder::new();
    folder.write("tags/props/crate.object", "@object\n!set body { shape \"box\" }\n");
    let nodes = [
        r#"{"name":"plain@props/crate","rotation":[0,0.7071068,0,0.7071068]}"#,
        r#"{"name":"big@props/crate","scale":[2,2,2]}"#,
        r#"{"name":"lying@props/crate","rotation":[0,0,0.7071068,0.7071068],"extras":{"team":3}}"#,
        r#"{"name":"leagued@props/crate","extras":{"team":99}}"#,
        r#"{"name":"fractional@props/crate","extras":{"team":2.5}}"#,
        r#"{"name":"TV_gate","rotation":[0,0.3826834,0,0.9238795]}"#,
        r#"{"name":"TV_quarter","rotation":[0,0.7071068,0,0.7071068]}"#,
    ];
    let numbers: Vec<String> = (0..nodes.len()).map(|node| node.to_string()).collect();
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}]}}",
        numbers.join(","),
        nodes.join(",")
    );
    folder.write("data/maps/yard.gltf", text);
    let printed = folder.run("import --option as=level").stdout();
    for expected in [
        "1 objects have a scale, which is left out; scale the model of the tag: \"big@props/crate\"",
        "2 objects have a `team` that is left out; expected a whole number from 0 to 31: \"leagued@props/crate\", \"fractional@props/crate\"",
        "1 trigger volumes are rotated; the box around each, along the axes, is used: \"gate\"",
        "`play` offers only the levels in data/levels/; move the file there",
    ] {
        assert!(printed.contains(expected), "{expected}\n{printed}");
    }
    assert!(!printed.contains("lying@") && !printed.contains("plain@"), "{printed}");
    let text = folder.read("tags/maps/yard.scenario");
    assert_eq!(text.matches("up vec(").count(), 1, "one is rotated about the axis that it faces along: {text}");
}

#[test]
fn a_node_without_a_class_is_the_object_that_is_there() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    folder.write("data/levels/yard.gltf", level(5.0));
    folder.write("data/levels/floor.bin", floor());
    let printed = folder.run("import --option as=level").stdout();
    assert!(printed.contains("there is no tag props/crate.object yet"), "{printed}");
    folder.write("tags/box.header", "@EnvironmentHeader\n!set Namespace \"box\"\n!set Base \"object\"\n");
    folder.write("tags/props/crate.box", "@box\n");
    folder.write("tags/props/crate.scenario", "@scenario\n");
    folder.run("import --force").stdout();
    let text = folder.read("tags/levels/yard.scenario");
    assert!(text.matches("\"props/crate.box\"").count() == 2 && !text.contains("crate.object"), "{text}");
    folder.write("tags/chest.header", "@EnvironmentHeader\n!set Namespace \"chest\"\n!set Base \"object\"\n");
    folder.write("tags/props/crate.chest", "@chest\n");
    let printed = folder.run("import --force").stdout();
    assert!(printed.contains("props/crate may be props/crate.box or props/crate.chest"), "{printed}");
}
