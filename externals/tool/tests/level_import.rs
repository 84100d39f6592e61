//! Importing a level as a family of tags that a game can play.

mod common;

use common::Folder;
use media::product::resolve;
use media::{Options, Product, Source, importers};
use tags::Tag;
use world::classes::Scenario;

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

/// The products of the level, with the texts of their tags.
fn family(place: f32) -> Vec<(String, String)> {
    let importer = importers::find(importers::IMPORTERS, "yard.gltf").expect("there is an importer of glTF");
    let mut options = Options::new(importer.options);
    options.set("as", "level").expect("it has this option");
    let beside = |_: &str| Ok(floor());
    let products =
        (importer.import)(&Source { name: "yard.gltf", bytes: level(place).as_bytes(), beside: &beside }, &options);
    products.expect("it is a level").iter().map(written).collect()
}

fn written(product: &Product) -> (String, String) {
    let name = if product.name.is_empty() { String::from("yard") } else { format!("yard/{}", product.name) };
    let fields: Vec<(String, String)> =
        product.fields.iter().map(|(name, value)| (name.clone(), resolve(value, "levels"))).collect();
    let text = forge::tag_text::write("", product.class, &fields).expect("it is small");
    (format!("levels/{name}.{}", product.class), text)
}

#[test]
fn an_imported_level_is_checked_and_played() {
    let folder = Folder::new();
    folder.write("tags/props/crate.object", "@object\n!set body { shape \"box\" }\n");
    // Models are of view, which a world without pictures does not know.
    for (path, text) in family(5.0).into_iter().filter(|(path, _)| !path.ends_with(".model")) {
        folder.write(&format!("tags/{path}"), text);
    }
    let told = folder.run("tag check").told();
    assert!(told.contains("4 tags") && told.contains("no mistakes"), "{told}");
    let seen = folder.run("look . --cycles 1 --players 0 --show shapes --json").json();
    let kinds: Vec<&str> = seen.list("lines").iter().map(|line| line.text("kind")).collect();
    assert!(kinds.contains(&"fixed") && kinds.iter().any(|kind| *kind != "fixed"), "floor and crates: {kinds:?}");
}

#[test]
fn edits_by_hand_survive_a_new_import() {
    let scenario = |place: f32| family(place).swap_remove(0).1;
    let base = scenario(5.0);
    let ours = base.replace(
        "object \"props/crate.object\", position vec(0, 0, 2)",
        "object \"props/crate.object\", team 3, position vec(0, 0, 2)",
    );
    assert_ne!(ours, base, "{base}");
    let merged = forge::merge::merge(&base, &ours, &scenario(7.0), &Scenario::class()).unwrap();
    assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
    assert!(merged.text.contains("team 3") && merged.text.contains("vec(0, 7, 3)"), "{}", merged.text);
}
