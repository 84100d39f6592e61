//! The campaign: each mission can be won by a person's events, and is lost by one who does nothing.

use crate::common::{Match, NOBODY, content};
use astrarium::base::{StringId, Vec3};
use astrarium::relay::table::FieldValue;

const MENU_FIRST_MISSION: f32 = 11.0;
const MENU: f32 = 0.0;
const NEXT: f32 = 4.0;
const SITES: [Vec3; 3] = [Vec3::new(-90.0, 330.0, 0.0), Vec3::new(-60.0, -340.0, 0.0), Vec3::new(280.0, 40.0, 0.0)];
const RELAY: &str = "relays/relay_1.relay";
const SCOUT: &str = "ships/scout.ship";

/// Plays on until the mission is decided, doing something every ten seconds; returns the result and the seconds.
fn play(game: &mut Match, seconds: u64, mut act: impl FnMut(&mut Match)) -> (StringId, f64) {
    let first = game.session.world().cycle();
    while game.session.world().cycle() < first + seconds * 100 && game.result() == StringId::from("none") {
        act(game);
        game.run_for(1_000);
    }
    game.assert_no_complaint();
    (game.result(), game.of_level("seconds_played").as_number().unwrap_or_default())
}

fn build(game: &mut Match, kind: f32) {
    game.send("build", &[FieldValue::Number(kind)]);
}

#[test]
fn the_first_mission_is_played_from_the_menu_to_the_win_and_leads_to_the_next() {
    let mut game = Match::begin("battle", 5, content("battle"));
    game.run_to(60);
    game.press(MENU_FIRST_MISSION);
    game.follow("relay");
    // The first thing that is missing is a selection; the hint says so after a while, and goes when it is made.
    game.run_for(1_200);
    assert_eq!(game.of_level("hint").as_string(), Some(StringId::from("hint.relay.select")));
    let scout = game.handles(SCOUT)[0].0;
    game.click(scout);
    game.run_for(100);
    assert_eq!(game.of_level("hint").as_string(), Some(StringId::from("none")));
    // The scout looks at one signal after the other.
    for site in SITES {
        if game.all(RELAY).is_empty() {
            game.click(scout);
            game.order("smart", site, NOBODY);
            game.run_for(1_600);
        }
    }
    let relay = game.handles(RELAY)[0];
    assert_eq!(game.all("signals/signal_1.signal").len() + game.all("signals/signal_2.signal").len(), 0);
    let (result, seconds) = play(&mut game, 500, |game| {
        build(game, 2.0);
        game.send("army", &[]);
        game.order("attack", relay.1.position, relay.0);
    });
    assert_eq!(result, StringId::from("result.relay.won"), "after {seconds} s");
    assert!(seconds < 600.0, "a new player wins in ten minutes: {seconds} s");
    game.press(NEXT);
    game.follow("blockade");
}

#[test]
fn the_first_mission_is_lost_by_who_does_nothing() {
    let mut game = Match::begin("relay", 1, content("relay"));
    let (result, seconds) = play(&mut game, 900, |_| {});
    assert_eq!(result, StringId::from("result.relay.lost"), "after {seconds} s");
    game.press(MENU);
    game.follow("battle");
}

#[test]
fn the_blockade_is_broken_with_carriers() {
    let mut game = Match::begin("blockade", 2, content("blockade"));
    game.run_to(100);
    let (result, seconds) = play(&mut game, 600, |game| {
        build(game, 4.0);
        game.send("army", &[]);
        let frigates = game.handles("ships/frigate.ship");
        let first = frigates.iter().find(|(_, ship)| ship.team == 2 && ship.position.y.abs() < 150.0);
        if let Some((frigate, ship)) = first {
            let (frigate, place) = (*frigate, ship.position);
            game.order("attack", place, frigate);
        }
    });
    assert_eq!(result, StringId::from("result.blockade.won"), "after {seconds} s");
}

#[test]
fn the_blockade_holds_against_who_does_nothing() {
    let mut game = Match::begin("blockade", 1, content("blockade"));
    let (result, seconds) = play(&mut game, 600, |_| {});
    assert_eq!(result, StringId::from("result.blockade.lost"), "after {seconds} s");
}

#[test]
fn the_dreadnought_falls_to_carriers() {
    let mut game = Match::begin("dreadnought", 3, content("dreadnought"));
    game.run_to(100);
    let (result, seconds) = play(&mut game, 900, |game| {
        build(game, 4.0);
        build(game, 2.0);
        game.send("army", &[]);
        let titan = game.handles("ships/dreadnought.ship").first().copied();
        match titan {
            Some((titan, ship)) if ship.position.x < 300.0 => game.order("attack", ship.position, titan),
            _ => game.order("attack", Vec3::new(-360.0, 0.0, 0.0), NOBODY),
        }
    });
    assert_eq!(result, StringId::from("result.titan.won"), "after {seconds} s");
}

#[test]
fn the_dreadnought_wins_against_who_does_nothing() {
    let mut game = Match::begin("dreadnought", 1, content("dreadnought"));
    let (result, seconds) = play(&mut game, 1_500, |_| {});
    assert_eq!(result, StringId::from("result.mission.station"), "after {seconds} s");
    assert!(game.all("stations/station.station").is_empty());
}
