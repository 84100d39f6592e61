//! Sides: whom ships obey, who leaves, who plays on for a person that is gone, and what nonsense and saves do to a match.

use std::path::Path;

use crate::common::{Match, NOBODY, content};
use astrarium::base::{Handle, StringId, Vec3};
use astrarium::relay::table::{FieldKind, FieldValue};
use astrarium::saves;
use astrarium::state::Alone;

const CORVETTE: &str = "ships/corvette.ship";
const MINER: &str = "ships/miner.miner";
const EAST: &str = "commanders/east.opponent";
const PERSON: &str = "commanders/person.opponent";
const MENU: f32 = 0.0;

fn word(text: &str) -> FieldValue {
    FieldValue::String(StringId::from(text))
}

/// A match of two persons, a little after its beginning.
fn duel() -> Match {
    let mut game = Match::begin_for(2, "duel", 1, content("duel"));
    game.run_to(100);
    game
}

fn is_computer(game: &Match, commander: &str) -> bool {
    let (commander, _) = game.handles(commander)[0];
    game.variable(commander, "is_computer").as_truth().expect("a truth")
}

#[test]
fn nothing_of_the_other_side_obeys_however_it_is_named() {
    let mut game = duel();
    let theirs = [game.side(CORVETTE, 2), game.side("stations/station.station", 2)].concat();
    let told = |game: &Match| -> Vec<String> {
        let words = |ship| ["order", "stance"].map(|name| format!("{:?}", game.variable(ship, name)));
        game.side(CORVETTE, 2).into_iter().flat_map(words).collect()
    };
    let before = told(&game);
    let rally = game.variable(theirs[theirs.len() - 1], "rally");
    for unit in &theirs {
        let named = FieldValue::Object(Handle::from_raw(unit.raw()));
        game.send("pick", &[named]);
        game.order("move", Vec3::new(0.0, 0.0, 0.0), NOBODY);
        game.choose(*unit, true);
        game.send("group", &[FieldValue::Number(1.0), FieldValue::Truth(true)]);
        game.send("group", &[FieldValue::Number(1.0), FieldValue::Truth(false)]);
        game.order("retreat", Vec3::new(0.0, 0.0, 0.0), NOBODY);
        game.send("stance", &[word("hold")]);
    }
    assert_eq!(told(&game), before);
    assert_eq!(game.variable(theirs[theirs.len() - 1], "rally"), rally);
    // The same events do move what is one's own.
    let own = game.side(CORVETTE, 1)[0];
    game.send("pick", &[FieldValue::Object(Handle::from_raw(own.raw()))]);
    game.order("move", Vec3::new(0.0, 0.0, 0.0), NOBODY);
    assert_eq!(game.variable(own, "order").as_string(), Some(StringId::from("move")));
    game.assert_no_complaint();
}

#[test]
fn who_leaves_a_match_of_two_persons_does_not_end_it_for_the_other() {
    let mut game = duel();
    for which in [MENU, 1.0, 4.0, 5.0, 11.0] {
        game.press(which);
        game.run_for(100);
        assert!(game.session.level().contains("duel"), "{which}: {}", game.session.level());
        assert_eq!(game.result(), StringId::from("none"));
    }
    // Alone with a robot, it is the person's own match.
    game.absent = vec![1];
    game.run_for(400);
    game.press(MENU);
    game.follow("battle");
}

#[test]
fn a_mind_plays_on_for_a_person_who_is_gone_and_gives_back() {
    let mut game = duel();
    game.run_for(1_000);
    assert!(!is_computer(&game, EAST), "a person who does nothing is there");
    let before = game.side(MINER, 2).len();
    game.absent = vec![1];
    game.run_for(150);
    assert!(!is_computer(&game, EAST), "a hiccup is not an absence");
    game.run_for(3_000);
    assert!(is_computer(&game, EAST) && !is_computer(&game, PERSON));
    assert!(game.side(MINER, 2).len() > before, "it builds");
    let moves = |game: &Match| {
        let orders = game.side(CORVETTE, 2).into_iter().map(|ship| game.variable(ship, "order").as_string());
        orders.filter(|order| *order == Some(StringId::from("attack"))).count()
    };
    assert!(moves(&game) > 0, "it orders");
    game.absent = Vec::new();
    game.run_for(200);
    assert!(!is_computer(&game, EAST), "the person is back");
    let queue = game.side(MINER, 2).len();
    game.run_for(1_500);
    // What was in the queues is finished; nothing is added.
    assert!(game.side(MINER, 2).len() <= queue + 3);
    game.assert_no_complaint();
}

#[test]
fn every_event_with_extreme_values_leaves_a_sound_world() {
    let mut game = duel();
    let kinds: Vec<_> = game.session.game().events().expect("it has events").kinds().to_vec();
    let (theirs, rock) = (game.side(CORVETTE, 2)[0], game.handles("rocks/a.rock")[0].0);
    let own = game.side(CORVETTE, 1)[0];
    let level = game.handles("levels/duel.match")[0].0;
    let stale = Handle::from_raw(own.raw().wrapping_add(0x0100_0000));
    let whom = [own, theirs, rock, level, NOBODY, stale, Handle::from_raw(u32::MAX)];
    let mut sent = 0;
    for round in 0..whom.len() as u32 {
        game.send("army", &[]);
        for kind in &kinds {
            let fields: Vec<FieldValue> = kind
                .fields
                .iter()
                .map(|field| {
                    let (least, most) = field.range.unwrap_or((f32::MIN, f32::MAX));
                    let number =
                        [least, most, 0.0, (least / 2.0 + most / 2.0) + 0.5, f32::MIN_POSITIVE][(round % 5) as usize];
                    match field.kind {
                        FieldKind::Number => FieldValue::Number(number),
                        FieldKind::Identifier => FieldValue::Identifier(number as i32),
                        FieldKind::Vector => FieldValue::Vector(Vec3::new(number, -number, number)),
                        FieldKind::Truth => FieldValue::Truth(round % 2 == 0),
                        FieldKind::String => {
                            word(["smart", "attack", "mine", "nonsense", "", "guard", "patrol"][round as usize])
                        }
                        FieldKind::Object => FieldValue::Object(Handle::from_raw(whom[round as usize].raw())),
                    }
                })
                .collect();
            sent += u32::from(game.try_to_send(kind.name, &fields));
        }
    }
    assert!(sent >= 80, "{sent}");
    game.run_for(300);
    game.assert_no_complaint();
    assert_eq!(game.side(CORVETTE, 2).len(), 5);
}

#[test]
fn a_match_that_was_saved_in_the_middle_goes_on_identically() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet-middle.save");
    let begin = || Match::begin_for(2, "fencer", 4, content("fencer"));
    let mut game = begin();
    game.absent = vec![1];
    game.run_to(200);
    game.send("army", &[]);
    game.order("attack", Vec3::new(500.0, 0.0, 0.0), NOBODY);
    game.send("build", &[FieldValue::Number(2.0)]);
    // Shots fly, ships are built, and the other side's mind is at work.
    game.run_to(2_735);
    assert!(game.rules.parts.progress.get(game.session.world()).hits > 0);
    saves::write(&mut game.session, &path).expect("it is written");
    let mut later = begin();
    later.absent = vec![1];
    saves::load(&mut later.session, &path).expect("it is loaded");
    assert_eq!(later.session.world().cycle(), 2_735);
    for _ in 0..600 {
        game.session.step(&Alone);
        later.session.step(&Alone);
        assert_eq!(game.session.hash(), later.session.hash(), "cycle {}", game.session.world().cycle());
    }
}
