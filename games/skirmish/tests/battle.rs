//! The battle: everything that a world offers, in tags.

use std::sync::Arc;

use astrarium::Content;
use astrarium::base::{StringId, Vec3};
use astrarium::proof::Proof;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tags::library::Ready;
use astrarium::tags::{Key, TagPath};
use astrarium::world::{Condition, Object, Rules};
use skirmish::ENTRY;

const MISSION: &str = "levels/battle.mission";

/// A battle, with the rules to read its world.
struct Battle {
    session: Session,
    rules: Rules,
}

impl Battle {
    fn begin(content: Content) -> Battle {
        let rules = Rules::new(ENTRY.name, content.library(), StringId::from(MISSION));
        let settings = Settings { is_checked: false, ..Settings::default() };
        let start = Start { level: "battle".into(), seed: 1, players: 2, settings };
        let session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level exists");
        Battle { session, rules }
    }

    fn run_to(&mut self, cycle: u64) {
        while self.session.world().cycle() < cycle {
            self.session.step(&Alone);
        }
    }

    fn all(&self, path: &str) -> Vec<Object> {
        let tag = StringId::from(path);
        let objects = self.rules.parts.objects.iterate(self.session.world());
        objects.filter(|(_, object)| object.tag.id() == tag).map(|(_, object)| *object).collect()
    }

    fn count(&self, condition: Condition) -> u64 {
        self.rules.parts.counts.get(self.session.world()).of(condition)
    }
}

fn content() -> Content {
    ENTRY.content("battle").expect("the built-in tags have no mistakes")
}

/// The same content, with one text replaced.
fn content_with(path: &str, from: &str, to: &str) -> Content {
    let built_in = content();
    let text = ENTRY.tags.texts.iter().find(|(known, _)| *known == path).expect("the text contains it").1;
    assert!(text.contains(from), "{from}");
    let path = TagPath::new(path).expect("a path");
    let made = built_in.classes().get(path.class()).expect("a class").pack_text(&text.replace(from, to));
    assert!(made.is_sound(), "{:?}", made.reports);
    let other = Ready { path, key: Key([7; 32]), packed: Arc::new(made.packed) };
    let tags = built_in.library().tags().filter(|ready| ready.path != other.path).cloned().collect::<Vec<_>>();
    Content::new(Arc::clone(built_in.classes()), tags.into_iter().chain([other]))
}

#[test]
fn ships_fire_and_miss_turrets_stand_on_carriers_and_fighters_fly() {
    let mut battle = Battle::begin(content());
    battle.run_to(600);
    let world = battle.session.world();
    let progress = battle.rules.parts.progress.get(world);
    assert!(progress.hits > 500 && progress.destroyed > 10, "{}", battle.session.game().describe(world));
    let (carriers, turrets) = (battle.all("ships/carrier.carrier"), battle.all("turrets/flak.turret"));
    assert_eq!((carriers.len(), turrets.len()), (4, 8));
    for turret in &turrets {
        let carrier = battle.rules.parts.objects.get(world, turret.parent);
        assert_eq!(turret.team, carrier.team);
        let away = (turret.position - carrier.position).length();
        assert!((away - Vec3::new(20.0, 0.0, 4.0).length()).abs() < 0.01, "{away}");
    }
    let fighters = battle.all("ships/fighter.ship");
    assert!(fighters.len() > 4, "{}", fighters.len());
    assert!(fighters.iter().all(|fighter| carriers.iter().any(|carrier| carrier.team == fighter.team)));
    // Players ordered ships, within their limit.
    for player in battle.rules.parts.players.get(world) {
        let owned = battle.rules.parts.objects.iterate(world).filter(|(_, object)| object.owner == *player).count();
        assert!((1..=9).contains(&owned), "{owned}");
    }
    for condition in [Condition::Halted, Condition::Complained, Condition::NoSuchEffect, Condition::EventRefused] {
        assert_eq!(battle.count(condition), 0, "{condition:?}: {:?}", battle.session.game().troubles());
    }
}

#[test]
fn a_battle_that_was_lost_leads_to_the_next_level() {
    let mut battle = Battle::begin(content_with(MISSION, "!set losses_max    120", "!set losses_max    5"));
    let mut ending = None;
    while battle.session.world().cycle() < 1500 && ending.is_none() {
        battle.session.step(&Alone);
        let session = &battle.session;
        ending = session.game().ending(session.world(), session.content().library());
    }
    let ending = ending.expect("it ends");
    assert_eq!((ending.result.as_str(), ending.next.as_deref()), ("nobody has won", Some("skirmish")));
}

#[test]
fn the_battle_passes_the_proof() {
    let proof = Proof { level: "battle".into(), cycles: 60, seed: 1, players: 2, workers: vec![2, 16] };
    for verdict in proof.run(&ENTRY) {
        assert!(verdict.chain.is_some(), "{}: {}", verdict.run, verdict.trouble);
    }
}
