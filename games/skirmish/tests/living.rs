//! Hot reload: a changed tag enters at the same cycle for every player, and rewinding, loading and replaying find the
//! content of their time.

#![allow(clippy::disallowed_methods, reason = "a test may write files and wait for them")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use astrarium::content::{Arrivals, Feed};
use astrarium::host::files::read_at_most;
use astrarium::relay::limits::CONTENT_PLAYER;
use astrarium::relay::{CrashReport, Sealed};
use astrarium::session::{Session, Start};
use astrarium::state::backups::Schedule;
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tags::library::{Change, Ready};
use astrarium::tags::{Classes, Key, Library, TagPath};
use astrarium::{Content, saves};
use skirmish::ENTRY;

fn start() -> Start {
    let settings = Settings { is_checked: false, ..Settings::default() };
    Start { level: "skirmish".into(), seed: 1, players: 2, settings }
}

fn begin(content: Content) -> Session {
    Session::begin(&ENTRY, content, &start(), &Heap).expect("the level exists")
}

/// A small level.
fn content() -> Content {
    content_with(small(64, 20))
}

fn content_with(scenario: Ready) -> Content {
    let built_in = ["globals.globals", CORVETTE, "commanders/admiral.commander", "events/skirmish.events"];
    let tags = built_in.map(|path| ready(path, text(path)));
    Content::new(Arc::new(classes()), tags.into_iter().chain([scenario]))
}

const CORVETTE: &str = "ships/corvette.ship";

/// The scenario of a level with this capacity and this many ships of two teams.
fn small(objects_max: u32, ships: u32) -> Ready {
    scenario(objects_max, ships, "")
}

fn scenario(objects_max: u32, ships: u32, more: &str) -> Ready {
    let placed =
        |team: u32| format!("{{ object \"{CORVETTE}\", team {team}, count {}, spread vec(40, 40, 0) }}", ships / 2);
    let text = format!(
        "@scenario\n!set objects_max {objects_max}\n!set values_max 8192\n!set placements [{}, {}]
!set players [{{ object \"commanders/admiral.commander\", team 1 }}, {{ object \"commanders/admiral.commander\", team 2 }}]\n!set events \"events/skirmish.events\"\n{more}",
        placed(1),
        placed(2)
    );
    ready("levels/skirmish.scenario", &text)
}

fn classes() -> Classes {
    ENTRY.classes().expect("the built-in headers have no mistakes")
}

/// The text of a built-in tag.
fn text(path: &str) -> &'static str {
    ENTRY.tags.texts.iter().find(|(known, _)| *known == path).expect("the tag is built in").1
}

fn ready(path: &str, text: &str) -> Ready {
    let path = TagPath::new(path).expect("a path");
    let made = classes().get(path.class()).expect("a class").pack_text(text);
    assert!(made.is_sound(), "{path}: {:?}", made.reports);
    let mut key = [7; 32];
    key[..8].copy_from_slice(&astrarium::base::hash::hash(text.as_bytes()).to_le_bytes());
    Ready { path, key: Key(key), packed: Arc::new(made.packed) }
}

/// The corvette with a changed text.
fn corvette(from: &str, to: &str) -> Ready {
    let text = text(CORVETTE);
    assert!(text.contains(from), "{from}");
    ready(CORVETTE, &text.replace(from, to))
}

fn fast() -> Ready {
    corvette("!set speed 30", "!set speed 90")
}

fn run_to(session: &mut Session, cycle: u64) {
    while session.world().cycle() < cycle {
        session.step(&Alone);
    }
}

/// Keeps versions, as a tag store does.
#[derive(Default)]
struct Kept {
    versions: Vec<Ready>,
    contents: Vec<(u64, Vec<Ready>)>,
}

impl Feed for Kept {
    fn poll(&mut self) -> Arrivals {
        Arrivals::default()
    }

    fn fetch(&mut self, change: Change) -> Option<Ready> {
        self.versions.iter().find(|ready| ready.path.id() == change.path && ready.key.half() == change.key).cloned()
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        self.contents.iter().find(|(known, _)| *known == identity).map(|(_, tags)| tags.clone())
    }

    fn keep(&mut self, library: &Library) {
        self.contents.push((library.identity(), library.tags().cloned().collect()));
    }
}

#[test]
fn a_changed_tag_enters_with_the_next_safe_cycle_and_the_world_continues() {
    let (mut left, mut right, mut without) = (begin(content()), begin(content()), begin(content()));
    let before = left.content().library().identity();
    // Offered at different times, but within one safe cycle.
    run_to(&mut left, 101);
    run_to(&mut right, 104);
    left.content_mut().offer(fast());
    right.content_mut().offer(fast());
    run_to(&mut left, 105);
    assert_eq!((left.world().time().content, left.content().library().identity()), (before, before));
    for session in [&mut left, &mut right, &mut without] {
        run_to(session, 300);
    }
    assert_eq!(left.chain(), right.chain());
    assert_ne!(left.chain(), without.chain());
    assert_ne!(left.world().time().content, before);
    assert_eq!(left.world().time().content, left.content().library().identity());
}

/// The number of hits.
fn hits(session: &Session) -> u64 {
    let description = session.game().describe(session.world());
    let hits = description.split(" hits").next().and_then(|description| description.rsplit(' ').next()?.parse().ok());
    hits.unwrap_or_else(|| panic!("{description}"))
}

#[test]
fn a_changed_lambda_applies_to_living_ships() {
    let mut session = begin(content());
    run_to(&mut session, 200);
    let before = hits(&session);
    assert!(before > 20, "{before}");
    // From now on they do not fire.
    session.content_mut().offer(corvette("stance = \"hunt\" and heat < 1", "false"));
    run_to(&mut session, 210);
    let held = hits(&session);
    run_to(&mut session, 400);
    assert_eq!(hits(&session), held);
    let description = session.game().describe(session.world());
    assert!(!description.contains(" time"), "{description}");
    assert_eq!(session.game().troubles(), [""; 0]);
    // Then they fire again, however hot they are.
    session.content_mut().offer(corvette("stance = \"hunt\" and heat < 1", "true"));
    run_to(&mut session, 450);
    assert!(hits(&session) > held + before, "{} {held}", hits(&session));
}

/// The ships, by their handles, with how often they were tended; none if that is not counted.
fn tended(session: &Session) -> BTreeMap<u32, Option<f64>> {
    let objects = session.game().objects(session.world(), 64);
    let ships = objects.iter().filter(|object| object.tag == CORVETTE);
    let count = |ship: u32| {
        let variables = session.game().variables(session.world(), ship);
        variables.iter().find(|found| found.name == "tended")?.value.parse().ok()
    };
    ships.map(|ship| (ship.object, count(ship.object))).collect()
}

#[test]
fn an_edited_lambda_goes_on_in_the_timers_that_run_it() {
    let mut session = begin(content());
    let edited =
        |step: u32| corvette("!set tend [", &format!("!set tended 0\n!set tend [\n    !set tended tended + {step},"));
    // The ships mend by timers of `tend`, which begin in their first half second. From the first edit on that is counted.
    for (step, cycle) in [(1, 150), (1000, 320)] {
        run_to(&mut session, cycle);
        let grown = tended(&session);
        session.content_mut().offer(edited(step));
        run_to(&mut session, cycle + 60);
        let before = tended(&session);
        run_to(&mut session, cycle + 160);
        // Twice in a second.
        let after = tended(&session);
        let more = |ship: &u32| Some(after.get(ship).copied()?? - before.get(ship).copied()??);
        let living: Vec<f64> = grown.keys().filter_map(more).collect();
        assert!(living.len() >= 5 && living.iter().all(|more| *more == f64::from(2 * step)), "{step}: {living:?}");
    }
    let troubles = session.game().troubles();
    assert!(!troubles.iter().any(|line| line.contains("dropped")), "{troubles:?}");
}

#[test]
fn the_same_version_again_changes_nothing() {
    let (mut left, mut right) = (begin(content()), begin(content()));
    let own = left.content().library().tags().next().expect("the content has tags").clone();
    left.content_mut().offer(own);
    run_to(&mut left, 50);
    run_to(&mut right, 50);
    assert_eq!(left.chain(), right.chain());
}

#[test]
fn a_changed_scenario_restarts_the_level_and_cycles_continue() {
    let (mut left, mut right) = (begin(content()), begin(content()));
    let smaller = || small(80, 10);
    for session in [&mut left, &mut right] {
        run_to(session, 100);
        let plan = session.world().plan().hash();
        session.content_mut().offer(smaller());
        run_to(session, 200);
        assert_ne!(session.world().plan().hash(), plan);
        assert_eq!(session.world().cycle(), 200);
    }
    assert_eq!(left.chain(), right.chain());
    let objects = left.game().describe(left.world()).split(' ').next().and_then(|count| count.parse::<u32>().ok());
    assert!(objects.is_some_and(|count| count < 30), "{objects:?}");
}

#[test]
fn a_loaded_world_has_the_content_it_was_saved_with() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living.save");
    let mut session = begin(content());
    run_to(&mut session, 100);
    saves::write(&mut session, &path).expect("it is written");
    let (old, chain) = (session.content().library().identity(), session.chain());
    let mut expected = begin(content());
    run_to(&mut expected, 200);
    session.content_mut().offer(fast());
    run_to(&mut session, 200);
    let new = session.content().library().identity();
    saves::load(&mut session, &path).expect("it is loaded");
    assert_eq!(session.content().library().identity(), old);
    session.set_chain(chain);
    run_to(&mut session, 200);
    assert_eq!(session.chain(), expected.chain());
    // A program that never had the content takes it from the save.
    session.content_mut().offer(fast());
    run_to(&mut session, 250);
    assert_eq!(session.content().library().identity(), new);
    saves::write(&mut session, &path).expect("it is written");
    let mut other = begin(content());
    saves::load(&mut other, &path).expect("the save has its content");
    assert_eq!((other.content().library().identity(), other.hash()), (new, session.hash()));
    // A program whose store has kept the content finds it.
    let mut kept = Kept::default();
    kept.keep(session.content().library());
    let mut other = begin(content().with_feed(Box::new(kept)));
    saves::load(&mut other, &path).expect("the store has its content");
    assert_eq!(other.content().library().identity(), new);
    // The current text of its files enters like an edit.
    run_to(&mut other, 260);
    assert_eq!(other.content().library().identity(), old);
    std::fs::remove_file(&path).expect("the file can be removed");
}

#[test]
fn sealed_inputs_carry_their_content() {
    let mut live = begin(content());
    let mut inputs: Vec<Sealed> = Vec::new();
    while live.world().cycle() < 300 {
        if live.world().cycle() == 120 {
            live.content_mut().offer(fast());
        }
        live.step(&Alone);
        if live.last_inputs().cycle() == inputs.len() as u64 {
            inputs.push(live.last_inputs().clone());
        }
    }
    let replay = |content: Content| {
        let mut session = begin(content);
        while session.world().cycle() < 300 {
            let cycle = session.world().cycle();
            let is_safe = session.lengths().is_safe(cycle);
            let sealed = is_safe.then(|| &inputs[session.lengths().safe_cycle(cycle) as usize]);
            session.replay(sealed, &Alone);
        }
        session
    };
    let kept = Kept { versions: vec![fast()], contents: Vec::new() };
    let found = replay(content().with_feed(Box::new(kept)));
    assert_eq!(found.chain(), live.chain());
    let mut lost = replay(content());
    assert_ne!(lost.chain(), live.chain());
    let troubles = lost.content_mut().take_lines();
    assert!(troubles.len() == 1 && troubles[0].contains("ships/corvette.ship changes to version"), "{troubles:?}");
}

#[test]
fn many_changes_enter_at_once_and_none_is_lost() {
    let mut session = begin(content());
    // Only the session has these versions.
    let (count, before) = (500, session.content().library().tags().len() as u64);
    for number in 0..count {
        session.content_mut().offer(ready(&format!("many/{number}.ship"), "@ship\n"));
    }
    let next = session.next_safe_cycle();
    session.deliver(CONTENT_PLAYER, next, &[]).expect("the session accepts changes from outside");
    run_to(&mut session, 5 * (count / 64 + 3));
    let library = session.content().library();
    assert_eq!(library.tags().len() as u64, count + before);
    assert_eq!(session.world().time().content, library.identity());
    assert!(session.content_mut().take_lines().iter().all(|line| !line.contains("not stored")));
}

#[test]
fn a_loaded_world_runs_by_the_rules_of_its_content() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living_game.save");
    let mut session = begin(content());
    run_to(&mut session, 100);
    saves::write(&mut session, &path).expect("it is written");
    let chain = session.chain();
    let mut expected = begin(content());
    run_to(&mut expected, 300);
    // The same capacity, so that the layout stays; but other rules.
    session.content_mut().offer(scenario(64, 20, "!set cell_size 3\n!set update_period 70\n"));
    run_to(&mut session, 150);
    saves::load(&mut session, &path).expect("it is loaded");
    session.set_chain(chain);
    run_to(&mut session, 300);
    assert_eq!(session.chain(), expected.chain());
    std::fs::remove_file(&path).expect("the file can be removed");
}

#[test]
fn a_crash_right_after_a_restart_can_be_replayed() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living.blackbox");
    for objects_max in [64, 80] {
        let other = || small(objects_max, 10);
        let mut session = begin(content());
        session.record_to(&path, Schedule::default()).expect("it is written");
        run_to(&mut session, 101);
        session.content_mut().offer(other());
        run_to(&mut session, 108);
        let bytes = read_at_most(&path, 1 << 30).expect("the file can be read");
        let report = CrashReport::read(&bytes).expect("the report is readable");
        let backup = report.backups.first().expect("the report has a backup");
        let mut again = begin(content_with(other()));
        backup.load(again.world_mut()).expect("the backup is consistent");
        assert_eq!(again.content().library().identity(), backup.content());
        while again.world().cycle() < report.complete {
            let cycle = again.world().cycle();
            let safe = again.lengths().is_safe(cycle).then(|| again.lengths().safe_cycle(cycle));
            let record = safe.map(|safe| report.record(safe).expect("its inputs are recorded"));
            again.replay(record.map(|record| &record.inputs), &Alone);
        }
        assert_eq!((again.world().cycle(), again.hash()), (108, session.hash()));
        std::fs::remove_file(&path).expect("the file can be removed");
    }
}
