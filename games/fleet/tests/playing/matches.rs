//! Matches: computers play them to an end, and a person selects and orders with the events of the level.

use crate::common::{Match, content, content_with};
use astrarium::Content;
use astrarium::base::{Handle, StringId, Vec3};
use astrarium::proof::Proof;
use astrarium::relay::table::FieldValue;
use astrarium::world::Object;
use fleet::ENTRY;

/// The battle, in which relays count at once and decide after a few seconds.
fn short_battle() -> Content {
    content_with("battle", |map| format!("{map}\n!set peace 0\n!set hold 8\n"))
}

#[test]
fn two_computers_fight_for_relays_until_one_side_has_held_three() {
    let mut game = Match::begin("battle", 3, short_battle());
    let mut ending = None;
    while game.session.world().cycle() < 20_000 && ending.is_none() {
        game.step();
        ending = game.session.game().ending(game.session.world(), game.session.content().library());
    }
    let ending = ending.expect("it ends");
    assert!(ending.result.ends_with(".relays") && ending.next.is_none(), "{ending:?}");
    let side = if ending.result.contains("amber") { 1 } else { 2 };
    let held = (1..=5).filter(|number| {
        let relays = game.all(&format!("relays/relay_{number}.relay"));
        relays.iter().all(|relay| relay.team == side)
    });
    assert!(held.count() >= 3, "{ending:?}");
    game.assert_no_complaint();
}

#[test]
fn sides_mine_build_and_fire_at_each_other() {
    let mut game = Match::begin("battle", 1, content("battle"));
    let before = game.all("ships/miner.miner").len();
    game.run_to(6_000);
    assert!(game.all("ships/miner.miner").len() > before);
    assert!(game.rules.parts.progress.get(game.session.world()).hits > 100);
    game.assert_no_complaint();
}

#[test]
fn a_box_selects_ships_and_an_order_sends_them_to_a_relay() {
    let mut game = Match::begin("fencer", 1, content("fencer"));
    game.run_to(100);
    let vector = |x, y, z| FieldValue::Vector(Vec3::new(x, y, z));
    let nothing = FieldValue::Object(Handle::NONE);
    // A camera behind the station, and a box from the upper left to the lower right around the ships before it.
    game.send("view", &[vector(-1050.0, 0.0, 240.0), vector(0.69, 0.0, -0.724)]);
    game.send("press", &[vector(0.863, 0.163, -0.475)]);
    game.send("choose", &[nothing, vector(0.75, -0.25, -0.61), FieldValue::Truth(false)]);
    let what = FieldValue::String(StringId::from("attack"));
    game.send("command", &[what, vector(-330.0, 360.0, 0.0), nothing]);
    game.send("build", &[FieldValue::Number(1.0)]);
    game.run_to(3_500);
    let relay = game.all("relays/relay_2.relay");
    assert!(relay.iter().all(|relay| relay.team == 1) && !relay.is_empty());
    let scouts = game.all("ships/scout.ship");
    assert_eq!(scouts.iter().filter(|scout| scout.team == 1).count(), 2, "one was there, and one was built");
    // Corvettes guard the relay; miners were left out of the box, and mine.
    let near = |ship: &Object| ship.team == 1 && ship.position.distance(Vec3::new(-330.0, 360.0, 0.0)) < 260.0;
    assert!(game.all("ships/corvette.ship").iter().any(near));
    assert!(!game.all("ships/miner.miner").iter().any(near));
    game.assert_no_complaint();
}

#[test]
fn the_battle_passes_the_proof() {
    let proof = Proof { level: "battle".into(), cycles: 60, seed: 1, players: 1, workers: vec![2, 16] };
    for verdict in proof.run(&ENTRY) {
        assert!(verdict.chain.is_some(), "{}: {}", verdict.run, verdict.trouble);
    }
}
