//! Orders: to hundreds, to those who guard, and to what cannot move; and what each side sees.

use crate::common::{Match, NOBODY, content, content_with};
use astrarium::base::{StringId, Vec3};
use astrarium::relay::table::FieldValue;
use astrarium::state::Alone;
use astrarium::view::instance::look;
use astrarium::view::{Frame, Moment};

const CORVETTE: &str = "ships/corvette.ship";
const STATION: &str = "stations/station.station";

#[test]
fn an_order_reaches_hundreds_of_ships() {
    let many = |map: &str| {
        let found = "\"ships/corvette.ship\", count 5, position vec(-690";
        assert!(map.contains(found));
        map.replace(found, "\"ships/corvette.ship\", count 320, position vec(-690")
    };
    let mut game = Match::begin("fencer", 1, content_with("fencer", many));
    game.run_to(100);
    game.send("army", &[]);
    // Far enough that no place in the formation is one where a ship already is.
    game.order("move", Vec3::new(700.0, 0.0, 0.0), NOBODY);
    let corvettes = game.side(CORVETTE, 1);
    assert_eq!(corvettes.len(), 320);
    let moving =
        corvettes.iter().filter(|ship| game.variable(**ship, "order").as_string() == Some(StringId::from("move")));
    assert_eq!(moving.count(), 320);
    game.assert_no_complaint();
}

#[test]
fn a_station_is_given_a_rally_point() {
    let mut game = Match::begin("fencer", 1, content("fencer"));
    game.run_to(100);
    let station = game.side(STATION, 1)[0];
    game.click(station);
    let place = Vec3::new(-500.0, 100.0, 0.0);
    game.order("smart", place, NOBODY);
    assert_eq!(game.variable(station, "rally").as_vector(), Some(place));
    game.assert_no_complaint();
}

#[test]
fn guards_keep_their_places_beside_whom_they_guard() {
    let mut game = Match::begin("fencer", 1, content("fencer"));
    game.run_to(100);
    let corvettes = game.side(CORVETTE, 1);
    corvettes.iter().for_each(|ship| game.choose(*ship, true));
    let scout = game.side("ships/scout.ship", 1)[0];
    game.order("guard", game.position(scout), scout);
    game.run_for(2_500);
    let berths: Vec<Vec3> =
        corvettes.iter().map(|ship| game.variable(*ship, "berth").as_vector().expect("a place")).collect();
    for (number, berth) in berths.iter().enumerate() {
        let others = berths[number + 1..].iter();
        assert!(others.clone().all(|other| other.distance(*berth) > 20.0), "{berths:?}");
        let place = game.position(corvettes[number]) - game.position(scout);
        assert!(place.distance(*berth) < 60.0, "{number}: {place:?}, its place is {berth:?}");
    }
    game.assert_no_complaint();
}

#[test]
fn each_side_sees_its_own_ships_and_not_those_that_it_has_not_found() {
    let mut game = Match::begin_for(2, "duel", 1, content("duel"));
    game.run_to(200);
    let seen_by = |game: &Match, player: u16, team: u32| {
        let world = game.session.world();
        let moment = Moment { cycle: world.cycle(), seconds: 2.0, cycle_seconds: 0.01, speed: 1.0, epoch: 0 };
        let mut frame = Frame::new(0);
        game.session.game().extract(world, game.session.content().library(), &moment, &mut frame, &Alone);
        frame.hide_unseen(&[player]);
        let shown = |ship: &_| frame.instance_of(*ship).is_some_and(|it| it.look & look::HIDDEN == 0);
        let ships: Vec<u32> = game.side(CORVETTE, team).into_iter().map(|ship| ship.raw()).collect();
        (ships.iter().filter(|ship| shown(ship)).count(), ships.len())
    };
    assert_eq!(seen_by(&game, 0, 1), (5, 5));
    assert_eq!(seen_by(&game, 0, 2), (0, 5));
    assert_eq!(seen_by(&game, 1, 1), (0, 5));
    assert_eq!(seen_by(&game, 1, 2), (5, 5));
    // Both players' events are taken: the second one builds.
    let table = game.session.game().events().expect("the level has events");
    let event = table.make(StringId::from("build"), &[FieldValue::Number(1.0)]).expect("the table has it");
    let next = game.session.next_safe_cycle();
    game.session.deliver(1, next, &[event]).expect("the batch is valid");
    game.run_for(700);
    assert_eq!((game.side("ships/scout.ship", 1).len(), game.side("ships/scout.ship", 2).len()), (1, 2));
}
