//! A world that runs by itself: commands, films of the past, extractors.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use astrarium::extractor::{Asynchronous, Extractor, Latest};
use astrarium::film::{Film, Moment, Player, Shown};
use astrarium::host::exchange::CommandSender;
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::party::{Party, PartyOptions};
use astrarium::publication::Publication;
use astrarium::relay::Event;
use astrarium::runner::{Command, Runner, RunnerOptions, Stage, WorldLoop, connect_here};
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Settings};
use astrarium::status::LineKind;
use astrarium::{GameEntry, project};
use common::{FAULT, Folder, LAMPS, start};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

fn begin(seed: u64) -> Session {
    let content = sandbox::ENTRY.content("tiny").expect("it is built in");
    Session::begin(&sandbox::ENTRY, content, &start("tiny", seed), &Pages).expect("the level is there")
}

fn filmed(folder: &Folder, seed: u64) -> Session {
    let mut session = begin(seed);
    session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
    session
}

/// A world that is driven by the test, with a clock of its own.
struct Driven {
    world: WorldLoop,
    commands: CommandSender<Command>,
    latest: Latest,
    now: u64,
}

impl Driven {
    fn new(stage: Stage, options: RunnerOptions) -> Driven {
        let (mut world, commands) = WorldLoop::new(stage, ThreadPool::new(1), options);
        let latest = connect_here(&mut world);
        let mut driven = Driven { world, commands, latest, now: 5_000 * MS };
        driven.turn(0);
        driven
    }

    fn live(session: Session) -> Driven {
        Driven::new(Stage::live(session), RunnerOptions::default())
    }

    fn turn(&mut self, milliseconds: u64) {
        self.now += milliseconds * MS;
        self.world.turn(self.now);
        self.latest.update();
    }

    fn run_to(&mut self, cycle: u64) {
        while self.cycle() < cycle {
            self.turn(10);
        }
    }

    fn say(&mut self, command: Command) {
        self.commands.send(command).expect("there is room");
        self.turn(0);
    }

    fn shown(&self) -> &Publication {
        self.latest.get().expect("it was published")
    }

    fn cycle(&self) -> u64 {
        self.shown().status.cycle
    }

    fn hash(&mut self) -> u64 {
        self.world.shown().hash()
    }

    fn said(&self, words: &str) -> bool {
        self.shown().status.lines.iter().any(|line| line.text.contains(words))
    }
}

/// The hashes of a run without a runner, by cycle.
fn hashes(seed: u64, cycles: u64) -> Vec<u64> {
    let mut session = begin(seed);
    let mut hashes = vec![session.hash()];
    while session.world().cycle() < cycles {
        session.step(&Alone);
        hashes.push(session.hash());
    }
    hashes
}

#[test]
fn frame_rates_stalls_and_clocks_that_jump_change_no_hash() {
    let expected = hashes(3, 300);
    let steady = |hertz: u64| (0..).map(move |_| 1_000 * MS / hertz).take(400);
    let stalls = (0..400_u64).map(|turn| if turn.is_multiple_of(37) { 7_000 * MS } else { 16 * MS });
    let ways: [Vec<u64>; 5] = [
        steady(24).collect(),
        steady(60).collect(),
        steady(144).collect(),
        stalls.collect(),
        // Minimised: it is hardly ever called.
        vec![600_000 * MS; 40],
    ];
    for (number, way) in ways.iter().enumerate() {
        let mut driven = Driven::live(begin(3));
        for (turn, elapsed) in way.iter().enumerate() {
            driven.now += elapsed;
            // A clock that goes backwards now and then.
            let now = if turn % 50 == 49 { driven.now - 3_000 * MS } else { driven.now };
            driven.world.turn(now);
            driven.latest.update();
            let cycle = driven.world.shown().world().cycle();
            if cycle < 300 {
                assert_eq!(driven.hash(), expected[cycle as usize], "way {number}, cycle {cycle}");
            }
        }
        let cycle = driven.cycle();
        assert!(cycle > 200, "way {number} got to cycle {cycle}");
    }
}

#[test]
fn who_leaves_a_session_keeps_the_world_and_plays_on_alone() {
    let folder = Folder::new();
    let session = begin(5);
    let options =
        PartyOptions { address: String::from("127.0.0.1:0"), ..PartyOptions::guest("sesame", folder.join("desyncs")) };
    let party = Party::host(&session, &options).expect("there is a port");
    let (world, commands) = WorldLoop::new(Stage::live(session), ThreadPool::new(1), RunnerOptions::default());
    let mut world = world.with_party(party);
    let latest = connect_here(&mut world);
    let mut driven = Driven { world, commands, latest, now: 5_000 * MS };
    // A session has the time of the machine.
    let end = Instant::now() + Duration::from_secs(60);
    let wait = |driven: &mut Driven, is_there: fn(&Driven) -> bool| {
        while driven.latest.get().is_none() || !is_there(driven) {
            assert!(Instant::now() < end, "cycle {}", driven.cycle());
            sleep(Duration::from_millis(2));
            driven.turn(2);
        }
    };
    wait(&mut driven, |driven| driven.cycle() >= 8);
    driven.say(Command::Speed(2000));
    assert!(driven.said("not while other machines play this world too"));
    driven.say(Command::LeaveOthers);
    wait(&mut driven, |driven| driven.shown().status.is_paused);
    assert!(driven.said("this machine is alone with its world"));
    let cycle = driven.cycle();
    driven.turn(1_000);
    assert_eq!(driven.cycle(), cycle);
    driven.say(Command::LeaveOthers);
    assert!(driven.said("no other machine plays this world"));
    driven.say(Command::Resume);
    driven.run_to(cycle + 40);
}

#[test]
fn a_stall_costs_a_pause_and_no_more() {
    let mut driven = Driven::live(begin(1));
    driven.turn(60_000);
    assert_eq!(driven.cycle(), 10);
    driven.turn(0);
    assert_eq!(driven.cycle(), 10);
    driven.turn(600);
    assert!(driven.shown().status.costs.forgotten_nanos >= 59_000 * MS);
}

#[test]
fn time_stops_steps_and_changes_its_speed() {
    let mut driven = Driven::live(begin(1));
    driven.say(Command::Pause);
    driven.turn(1000);
    assert_eq!((driven.cycle(), driven.shown().status.is_paused, driven.shown().frame.moment.speed), (0, true, 0.0));
    driven.say(Command::Step(3));
    assert_eq!(driven.cycle(), 3);
    driven.say(Command::Step(25));
    driven.turn(0);
    driven.turn(0);
    assert_eq!(driven.cycle(), 28);
    driven.say(Command::Speed(500));
    driven.say(Command::Resume);
    (0..10).for_each(|_| driven.turn(10));
    assert_eq!(driven.cycle(), 33);
    driven.say(Command::Speed(u32::MAX));
    assert_eq!(driven.shown().status.speed, astrarium::runner::SPEED_MAX);
    driven.turn(1);
    assert_eq!(driven.cycle(), 43, "a hundred cycles were due, and ten are the most at once");
}

#[test]
fn rewinding_shows_what_was_and_the_present_is_what_it_would_have_been() {
    let folder = Folder::new();
    let expected = hashes(9, 260);
    let mut driven = Driven::live(filmed(&folder, 9));
    driven.run_to(203);
    let epoch = driven.shown().frame.moment.epoch;
    driven.say(Command::Pause);
    for cycle in [0, 17, 100, 99, 200, 1] {
        driven.say(Command::Seek(Moment::at(cycle)));
        assert_eq!((driven.cycle(), driven.shown().status.is_review), (cycle, true));
        assert_eq!(driven.hash(), expected[cycle as usize], "cycle {cycle}");
        assert_eq!(driven.shown().status.span, (0, 203));
        assert!(driven.shown().frame.moment.epoch > epoch);
    }
    // From the past the film runs on, into the present, and from there the world.
    driven.say(Command::Seek(Moment::at(150)));
    driven.say(Command::Resume);
    while driven.cycle() < 250 {
        driven.turn(10);
        let cycle = driven.cycle();
        assert_eq!(driven.hash(), expected[cycle as usize], "cycle {cycle}");
    }
    assert!(!driven.shown().status.is_review && driven.said("present"));
    driven.say(Command::Seek(Moment::at(40)));
    driven.say(Command::ToPresent);
    assert!(!driven.shown().status.is_review && driven.cycle() >= 250);
}

#[test]
fn a_seek_beyond_either_end_goes_to_that_end() {
    let folder = Folder::new();
    let mut driven = Driven::live(filmed(&folder, 2));
    driven.run_to(50);
    driven.say(Command::Pause);
    driven.say(Command::Seek(Moment::at(1_000_000)));
    assert_eq!((driven.cycle(), driven.shown().status.is_review), (50, false));
    driven.say(Command::Seek(Moment { take: Some(7), cycle: Some(3) }));
    assert!(driven.said("film") && driven.cycle() == 50, "{:?}", driven.shown().status.lines);
    // Of several at once, only the last counts.
    for cycle in 0..40 {
        driven.commands.send(Command::Seek(Moment::at(cycle))).expect("there is room");
    }
    driven.turn(0);
    assert_eq!(driven.cycle(), 39);
}

#[test]
fn without_a_film_a_world_cannot_be_rewound_and_says_so() {
    let mut driven = Driven::live(begin(2));
    driven.run_to(50);
    driven.say(Command::Seek(Moment::at(10)));
    assert!(driven.said("cannot be rewound") && driven.cycle() >= 50);
}

/// What the sandbox's player asks for.
fn wish(number: u32) -> Event {
    let place = (number as f32 * 3.0 % 60.0).to_bits();
    Event::new("want".into(), &[place, place, number % 3, number])
}

#[test]
fn a_branch_is_a_new_take_and_the_whole_film_stays_true() {
    let folder = Folder::new();
    let mut driven = Driven::live(filmed(&folder, 4));
    driven.run_to(120);
    driven.say(Command::Pause);
    driven.say(Command::Seek(Moment::at(63)));
    driven.say(Command::TakeOver(1));
    assert!(!driven.shown().status.is_paused, "who takes over plays on");
    assert!(!driven.shown().status.is_review && driven.shown().status.locals.as_ref() == [1]);
    assert!(driven.said("new take"), "{:?}", driven.shown().status.lines);
    let start = driven.cycle();
    assert!((63..80).contains(&start));
    for number in 0..20 {
        driven.commands.send(Command::Deliver { player: 1, events: vec![wish(number)] }).expect("there is room");
        driven.turn(10);
    }
    driven.run_to(150);
    // The first take still holds what was there, and the second what became of it.
    driven.say(Command::Pause);
    let (now, last) = (driven.hash(), driven.cycle());
    driven.say(Command::Seek(Moment { take: Some(0), cycle: Some(110) }));
    assert_eq!(driven.hash(), hashes(4, 110)[110]);
    driven.say(Command::ToPresent);
    assert_eq!((driven.hash(), driven.cycle()), (now, last));
    drop(driven);
    let path = folder.join("a.film");
    let film = Film::open(&path).expect("it is a film");
    assert_eq!(film.index().takes.len(), 2);
    let verdict =
        astrarium::film::verify(Film::open(&path).expect("it is one"), &[sandbox::ENTRY], &Alone, 5, &mut |_, _| {});
    assert!(
        verdict.is_ok_and(|verdict| verdict.departure.is_none() && !verdict.is_incomplete && verdict.compared > 30)
    );
}

#[test]
fn events_of_local_players_replace_robots_and_empty_batches_count() {
    let mut alone = Driven::new(Stage::live(begin(6)), RunnerOptions { locals: vec![0, 1], ..Default::default() });
    let mut robots = Driven::live(begin(6));
    alone.run_to(100);
    robots.run_to(100);
    assert_ne!(alone.hash(), robots.hash(), "the robots of the sandbox do something within a second");
    let mut same = Driven::new(Stage::live(begin(6)), RunnerOptions { locals: vec![0, 1], ..Default::default() });
    same.run_to(100);
    assert_eq!(alone.hash(), same.hash());
    same.say(Command::Join(77));
    assert!(same.said("found 77"));
}

#[test]
fn a_film_is_shown_and_a_player_of_it_taken_over() {
    let folder = Folder::new();
    let mut session = filmed(&folder, 8);
    common::run_to(&mut session, 200);
    session.end_film("normal exit");
    let expected = hashes(8, 200);
    let player = || {
        let film = Film::open(&folder.join("a.film")).expect("it is a film");
        Player::new(film, &[sandbox::ENTRY], Shown::Own).expect("the game is known")
    };
    let stage = |branch| Stage::film(player(), Moment::at(0), branch, &Alone).expect("it can be played");
    let mut driven = Driven::new(stage(None), RunnerOptions::default());
    driven.run_to(200);
    driven.turn(100);
    assert_eq!((driven.hash(), driven.shown().status.is_paused), (expected[200], true), "it ends paused");
    driven.say(Command::Restart);
    assert_eq!(driven.hash(), expected[0]);
    let mut driven = Driven::new(stage(Some(folder.join("b.film"))), RunnerOptions::default());
    driven.run_to(60);
    driven.say(Command::TakeOver(0));
    let left = driven.cycle();
    driven.run_to(left + 50);
    assert!(!driven.shown().status.is_review);
    assert_eq!(driven.shown().status.film.as_deref(), Some(folder.join("b.film").as_path()));
    let mut session = driven.world.into_session().expect("it is played");
    session.end_film("normal exit");
    let other = Film::open(&folder.join("b.film")).expect("it was recorded");
    assert_eq!(other.index().takes[0].opening.parent.map(|parent| parent.cycle), Some(left));
}

#[test]
fn saving_loading_and_restarting_begin_an_epoch() {
    let folder = Folder::new();
    let mut driven = Driven::live(filmed(&folder, 5));
    driven.run_to(40);
    driven.say(Command::Pause);
    let hash = driven.hash();
    // The folders are not there yet.
    let save = folder.join("fresh/saves/a.save");
    driven.say(Command::Save(save.clone()));
    // The save is written by a thread; ending waits for it.
    for _ in 0..10_000 {
        if driven.said("saved to") {
            break;
        }
        std::thread::yield_now();
        driven.turn(1);
    }
    assert!(driven.said("saved to") && save.exists(), "{:?}", driven.shown().status.lines);
    driven.say(Command::Save(save.join("within a file/b.save")));
    assert!(driven.said("not saved"), "{:?}", driven.shown().status.lines);
    driven.say(Command::Resume);
    driven.run_to(70);
    let epoch = driven.shown().frame.moment.epoch;
    driven.say(Command::Pause);
    driven.say(Command::Load(save));
    assert_eq!((driven.hash(), driven.cycle()), (hash, 40));
    assert_ne!(driven.shown().frame.moment.epoch, epoch);
    driven.say(Command::Load(folder.join("no such file")));
    assert_eq!(driven.cycle(), 40);
    driven.say(Command::Restart);
    assert_eq!(driven.cycle(), 40, "a new world continues counting");
    assert_ne!(driven.hash(), hash);
}

#[test]
fn a_slow_extractor_does_not_slow_the_world() {
    let (mut world, _commands) = WorldLoop::new(Stage::live(begin(1)), ThreadPool::new(1), RunnerOptions::default());
    let seen = Arc::new(AtomicU64::new(0));
    let theirs = Arc::clone(&seen);
    // It never returns from its first frame until the test ends.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    world.connect(Box::new(Asynchronous::new("slow", Duration::from_millis(1), move |publication| {
        theirs.store(publication.status.cycle + 1, Relaxed);
        wait.recv().is_ok()
    })));
    for turn in 0..200 {
        world.turn(turn * 10 * MS);
    }
    assert_eq!(world.shown().world().cycle(), 199);
    drop(go);
}

#[test]
fn synchronous_extractors_see_every_cycle_and_asynchronous_ones_the_newest() {
    struct Each(Arc<AtomicU64>);
    impl Extractor for Each {
        fn after_cycle(&mut self, session: &Session) -> bool {
            assert_eq!(self.0.fetch_add(1, Relaxed) + 1, session.world().cycle());
            session.world().cycle() < 50
        }
    }
    let (mut world, _commands) = WorldLoop::new(Stage::live(begin(1)), ThreadPool::new(1), RunnerOptions::default());
    let count = Arc::new(AtomicU64::new(0));
    world.connect(Box::new(Each(Arc::clone(&count))));
    let mut latest = connect_here(&mut world);
    for turn in 0..20 {
        world.turn(turn * 70 * MS);
    }
    assert_eq!(count.load(Relaxed), 50, "it was disconnected when it wanted no more");
    assert!(latest.update() && !latest.update());
    assert_eq!(latest.get().expect("it was published").status.cycle, 19 * 7);
    drop(world);
    assert!(latest.is_ended());
}

#[test]
fn a_world_on_a_thread_runs_answers_and_ends() {
    let runner =
        Runner::begin(Stage::live(begin(1)), ThreadPool::new(2), RunnerOptions { speed: 10_000, ..Default::default() });
    let runner = runner.expect("there are threads");
    let mut latest = runner.watch().expect("it runs");
    while latest.get().is_none_or(|seen| seen.status.cycle < 20) {
        latest.update();
        std::thread::yield_now();
    }
    let commander = runner.commander().expect("it runs");
    commander.send(Command::Mark(String::from("here"))).expect("there is room");
    while latest.get().is_none_or(|seen| seen.status.marks.is_empty()) {
        latest.update();
        std::thread::yield_now();
    }
    let ended = runner.finish();
    assert_eq!(ended.panic, None);
    let mut session = ended.session.expect("it was played");
    let cycle = session.world().cycle();
    assert_eq!(session.hash(), hashes(1, cycle)[cycle as usize]);
    assert!(commander.send(Command::Pause).is_err(), "it has ended");
}

#[test]
fn a_panic_of_the_game_ends_the_world_with_its_message() {
    let entry = LAMPS;
    let content = entry.content("breaks in painting").expect("it has no tags");
    let session = Session::begin(&entry, content, &start("breaks in painting", 1), &Pages).expect("the level is there");
    let options = RunnerOptions { speed: 100_000, ..Default::default() };
    let runner = Runner::begin(Stage::live(session), ThreadPool::new(1), options).expect("there are threads");
    while runner.is_running() {
        std::thread::yield_now();
    }
    let ended = runner.finish();
    assert!(ended.panic.is_some_and(|words| words.contains(&format!("cycle {FAULT}"))));
    assert!(ended.session.is_some(), "it holds the black box and the film");
}

const THING: &str = "@EnvironmentHeader
!set Namespace \"thing\"
!set Base \"object\"
!set Attributes [{ name \"age\", type \"number\", state true, default 0 }, { name \"limit\", type \"number\", default 7 }]
";

/// A game of one level with three objects that grow older.
fn game(folder: &Folder) -> GameEntry {
    let write = |path: &str, text: &str| {
        let file = folder.join("demo/tags").join(path);
        fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("folders can be made");
        fs::write(file, text).expect("files can be written");
    };
    write("thing.header", THING);
    write("old.thing", "@thing\n!set OnUpdate Lambda(seconds, !set age age + 1)\n");
    write(
        "levels/a.scenario",
        "@scenario\n!set objects_max 32\n!set placements [{ object \"old.thing\", count 3, spread vec(9, 9, 9) }]\n",
    );
    project::open(&folder.join("demo")).expect("it can be played").0
}

fn objects(folder: &Folder) -> Session {
    let entry = game(folder);
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: String::from("a"), seed: 7, players: 1, settings };
    Session::begin(&entry, entry.content("a").expect("the tree is there"), &start, &Pages).expect("the level is there")
}

fn answers(driven: &Driven) -> BTreeMap<u64, String> {
    let lines = driven.shown().status.lines.iter();
    let answer = |line: &astrarium::status::LogLine| match line.kind {
        LineKind::Answer(ticket) => Some((ticket, line.text.clone())),
        LineKind::NoAnswer(ticket) => Some((ticket, format!("no: {}", line.text))),
        _ => None,
    };
    lines.filter_map(answer).collect()
}

#[test]
fn developers_ask_without_effect_and_set_by_inputs_that_films_replay() {
    let folder = Folder::new();
    let mut session = objects(&folder);
    session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
    let mut driven = Driven::new(Stage::live(session), RunnerOptions { is_developer: true, ..Default::default() });
    driven.run_to(23);
    driven.say(Command::Pause);
    let session = driven.world.shown();
    let found = session.game().objects(session.world(), 10);
    let object = found.iter().find(|row| row.tag == "old.thing").expect("it was placed").object;
    let hash = driven.hash();
    for (ticket, object, text) in [
        (1, object, "age + limit * 1000"),
        (2, object, "!set age 5"),
        (3, 0, "1 + 1"),
        (4, 77, "1"),
        (5, object, "((("),
        (6, object, "position"),
    ] {
        driven.say(Command::Ask { ticket, object, text: text.to_string() });
    }
    let said = answers(&driven);
    assert!(said[&1].parse::<f64>().is_ok_and(|value| (7000.0..7030.0).contains(&value)), "{said:?}");
    assert_eq!(said[&3], "2");
    assert!(said[&4].starts_with("no: there is no object"), "{said:?}");
    assert!(said[&5].starts_with("no: ") && said[&6].starts_with("vec("), "{said:?}");
    assert_eq!(driven.hash(), hash, "asking changes nothing");
    for (variable, text) in [("age", "500 * 2"), ("nonsense", "1"), ("age", "\"word\""), ("position", "vec(1, 2, 3)")] {
        driven.say(Command::Set { object, variable: variable.to_string(), text: text.to_string() });
    }
    assert!(driven.said("nonsense is not set") && driven.said("age is not set"));
    driven.say(Command::Watch(object));
    driven.say(Command::Resume);
    driven.run_to(60);
    driven.say(Command::Pause);
    let variables: BTreeMap<&str, &str> =
        driven.shown().status.watched.variables.iter().map(|row| (row.0.as_str(), row.1.as_str())).collect();
    assert!(variables["age"].parse::<f64>().is_ok_and(|age| age > 1000.0), "{variables:?}");
    assert_eq!(variables["position"], "vec(1, 2, 3)");
    assert!(driven.shown().status.lines.iter().any(|line| line.kind == LineKind::Write));
    let cycle = 50;
    driven.say(Command::Seek(Moment::at(cycle)));
    let expected = driven.hash();
    drop(driven);
    let entry = game(&folder);
    let mut replayed =
        astrarium::film::session_at(&folder.join("a.film"), Moment::at(cycle), &[entry]).expect("a film");
    assert_eq!(replayed.hash(), expected);
}

#[test]
fn without_developer_tools_nothing_is_set() {
    let folder = Folder::new();
    let mut driven = Driven::live(objects(&folder));
    driven.run_to(10);
    driven.say(Command::Set { object: 1, variable: "age".into(), text: "1".into() });
    assert!(driven.said("developer tools are off"));
}

fn command(folder: &std::path::Path) -> impl Strategy<Value = (u8, u32, std::path::PathBuf)> + use<> {
    let path = folder.join("x.save");
    (0_u8..20, any::<u32>()).prop_map(move |(kind, number)| (kind, number, path.clone()))
}

fn made(kind: u8, number: u32, path: std::path::PathBuf) -> Command {
    let small = number % 200;
    match kind {
        0 => Command::Pause,
        1 => Command::Resume,
        2 => Command::Step(number % 12),
        3 => Command::Speed(number),
        4 | 5 => Command::Seek(Moment {
            take: number.is_multiple_of(3).then_some(small as u16 % 4),
            cycle: Some(u64::from(small)),
        }),
        6 => Command::ToPresent,
        7 => Command::Branch,
        8 => Command::TakeOver(number as u16 % 4),
        9 => Command::Join(number as u16),
        10 => Command::Leave(number as u16 % 4),
        11 => Command::Deliver {
            player: number as u16 % 4,
            events: vec![wish(number), Event::new("?".into(), &[number])],
        },
        12 => Command::Save(path),
        13 => Command::Load(path),
        14 => Command::Restart,
        15 => Command::Set { object: number, variable: "x".into(), text: number.to_string() },
        16 => Command::Ask { ticket: 1, object: number, text: "1 +".into() },
        17 => Command::Watch(number),
        18 => Command::Mark(number.to_string()),
        _ => Command::Measure(number.is_multiple_of(2)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn commands_in_any_order_never_panic(choices in proptest::collection::vec(command(&std::env::temp_dir()), 1..40)) {
        let folder = Folder::new();
        let mut driven = Driven::live(filmed(&folder, 1));
        for (kind, number, _) in choices {
            let _ = driven.commands.send(made(kind, number, folder.join("x.save")));
            driven.turn(u64::from(number % 60));
            driven.turn(10);
        }
        let Driven { world, .. } = driven;
        let mut session = world.into_session().expect("it is played");
        session.end_film("normal exit");
        drop(session);
        let film = Film::open(&folder.join("a.film")).expect("it is a film");
        let verdict = astrarium::film::verify(film, &[sandbox::ENTRY], &Alone, 5, &mut |_, _| {});
        prop_assert!(verdict.is_ok_and(|verdict| verdict.departure.is_none() && !verdict.is_incomplete));
    }
}
