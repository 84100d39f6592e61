//! Every effect of a world, by the example in its row.

use crate::common;

use common::{SCENARIO, Scene};
use world::effects::EFFECTS;

const LEVEL: &str = "@scenario\n!set objects_max 64\n!set bodies_max 32\n!set placements [{ object \"probe.object\" }, { object \"box.object\", position vec(5, 0, 0) }]\n";
const BOX: &str = "@object\n!set body { shape \"sphere\", radius 1 }\n";

/// A world in which one object has run an example, with another object in reach.
fn run(example: &str) -> Scene {
    let tag = format!(
        "{BOX}!set graph \"probe.animation_graph\"\n!set OnSpawn Lambda(unused, let other = nearest_object(position, 100, {{ except ~this }}) in {example})\n"
    );
    let globals = "@globals\n!set flags [\"armed\"]\n";
    let graph = "@animation_graph\n!set layers [{ name \"body\", states [{ name \"idle\" }, { name \"walk\" }] }]\n";
    let texts = [
        ("probe.object", tag.as_str()),
        ("box.object", BOX),
        ("globals.globals", globals),
        ("probe.animation_graph", graph),
        (SCENARIO, LEVEL),
    ];
    let mut scene = Scene::new(&[], &texts);
    scene.run(4);
    scene
}

#[test]
fn the_example_of_every_effect_runs_without_a_warning() {
    for row in &EFFECTS {
        let scene = run(row.example);
        assert_eq!(scene.conditions(), [], "{}", row.example);
    }
}

#[test]
fn the_example_of_every_effect_changes_the_world() {
    let plain = run("nothing").world.hash();
    for row in EFFECTS.iter().filter(|row| !["Detach", "Play", "GUIFire", "Disconnect"].contains(&row.effect.name)) {
        assert_ne!(run(row.example).world.hash(), plain, "{}", row.example);
    }
}
