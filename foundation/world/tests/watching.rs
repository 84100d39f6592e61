//! Watching an object: every change is reported with its cycle, its stage and its line.

use crate::common;

use common::{SCENARIO, Scene, class};

const STATE: &str = "{ name \"hull\", type \"number\", state true, default 100 }";

#[test]
fn a_watched_object_reports_writes_by_scripts_and_by_the_world() {
    let tag = "@ship
!set OnUpdate Lambda(s,
    if team = 1 then !Damage(nearest_object(position, 50, { enemy_of team }), 1))
!set OnDamage Lambda(amount, kind,
    !set hull
        hull - amount)";
    let scenario = "@scenario\n!set objects_max 16\n!set placements [{ object \"a.ship\", team 1 },
{ object \"a.ship\", team 2, position vec(3, 0, 0), velocity vec(1, 0, 0) }]";
    let mut scene = Scene::new(&[&class("ship", STATE)], &[("a.ship", tag), (SCENARIO, scenario)]);
    let mut plain = Scene::new(&[&class("ship", STATE)], &[("a.ship", tag), (SCENARIO, scenario)]);
    let hurt = scene.all("a.ship")[1];
    scene.run(3);
    scene.rules.watch(hurt);
    scene.run(1);
    let written = scene.rules.take_written();
    let lines: Vec<String> = written.iter().map(|written| scene.rules.tell_written(&scene.world, written)).collect();
    let name = format!("a.ship #{:08x}", hurt.raw());
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with(&format!("cycle 3, simulate: {name}: position vec(3.03")), "{}", lines[0]);
    assert!(lines[0].ends_with("by the world itself"), "{}", lines[0]);
    assert_eq!(lines[1], format!("cycle 3, damage: {name}: hull 98 → 97, set at a.ship:5"));
    plain.run(4);
    assert_eq!(scene.world.hash(), plain.world.hash(), "watching changes nothing");
}
