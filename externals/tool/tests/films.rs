//! Films across programs: recorded while files are edited, killed, cut, continued.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use ::skirmish::ENTRY;
use astrarium::film::{self, Film, Moment, Player, Shown};
use astrarium::host::thread_pool::ThreadPool;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::{GameEntry, tag_tree};
use common::skirmish::{self, CORVETTE, SCENARIO, corvette, scenario};
use common::{Folder, draw, seed};

const GAMES: &[GameEntry] = &[sandbox::ENTRY, ENTRY];

/// The number of attempts at something slow, and the pause between them.
const TRIES: usize = 750;
const BETWEEN: Duration = Duration::from_millis(20);

/// A film of a game whose tags were edited, the hashes of all its cycles, and the chain.
struct Edited {
    bytes: Vec<u8>,
    hashes: Vec<(u64, u64)>,
    chain: u64,
}

/// Runs until the content has changed, with pauses between the steps; records the hashes of all cycles.
fn run_to_change(session: &mut Session, hashes: &mut Vec<(u64, u64)>) {
    let before = session.content().library().identity();
    for _ in 0..TRIES {
        if session.content().library().identity() != before {
            return;
        }
        sleep(BETWEEN);
        step(session, hashes);
    }
    panic!("nothing changed: {:?}", session.content_mut().take_lines());
}

fn step(session: &mut Session, hashes: &mut Vec<(u64, u64)>) {
    session.step(&Alone);
    hashes.push((session.world().cycle(), session.hash()));
}

/// A film recorded while tags were edited, made once for all tests; in `a.film`.
fn record_edits(folder: &Folder) -> &'static Edited {
    static EDITED: OnceLock<Edited> = OnceLock::new();
    let edited = EDITED.get_or_init(record_edits_anew);
    folder.write("a.film", &edited.bytes);
    edited
}

/// The tree and its store are deleted when this returns.
fn record_edits_anew() -> Edited {
    let folder = &Folder::new();
    skirmish::write(&folder.join("tags"));
    folder.write(&format!("tags/{SCENARIO}"), scenario(64, 8));
    let (content, printed) = tag_tree::open(&ENTRY, "skirmish", &folder.join("tags")).expect("it is there");
    assert!(printed.is_empty(), "{printed:?}");
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: "skirmish".into(), seed: 1, players: 2, settings };
    let mut session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level is there");
    session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
    let mut hashes = vec![(0, session.hash())];
    (0..12).for_each(|_| step(&mut session, &mut hashes));
    let edits = [
        (CORVETTE, corvette(90)),
        // The level restarts, first with the same plan, then with another.
        (SCENARIO, scenario(64, 6)),
        (SCENARIO, scenario(80, 6)),
        (CORVETTE, corvette(95)),
        // An earlier version again.
        (CORVETTE, corvette(90)),
    ];
    for (file, text) in edits {
        folder.write(&format!("tags/{file}"), &text);
        run_to_change(&mut session, &mut hashes);
        (0..13).for_each(|_| step(&mut session, &mut hashes));
    }
    let (_, trouble) = session.end_film("enough").expect("it was recorded");
    assert_eq!(trouble, None);
    let bytes = fs::read(folder.join("a.film")).expect("it was written");
    Edited { bytes, hashes, chain: session.chain() }
}

#[test]
fn a_film_recorded_while_tags_change_plays_without_them_anywhere() {
    let folder = Folder::new();
    let Edited { hashes, chain, .. } = record_edits(&folder);
    let path = folder.join("a.film");
    let film = Film::open(&path).expect("it is whole");
    assert_eq!((film.index().takes.len(), film.troubles().count()), (3, 0));
    let mut state = seed();
    let (last, _) = *hashes.last().expect("there are some");
    for workers in [1, 2, 3, 8] {
        let pool = ThreadPool::new(workers);
        let verdict = film::verify(Film::open(&path).expect("it is whole"), GAMES, &pool, 5, &mut |_, _| ());
        let verdict = verdict.expect("it can be played");
        assert!(verdict.is_sound() && verdict.notes.is_empty(), "{verdict:?}");
        assert_eq!((verdict.cycle, verdict.chain), (last, *chain));
        let mut player = Player::new(Film::open(&path).expect("it is whole"), GAMES, Shown::Own).expect("it is known");
        for _ in 0..4 {
            let (cycle, hash) = hashes[draw(&mut state) as usize % hashes.len()];
            player.seek(Moment::at(cycle), &pool).expect("it is in it");
            let found = player.session().expect("it was reached").hash();
            // In the cycle in which the level restarts there is a world before and one after.
            let is_start = player.film().index().takes.iter().any(|take| take.start == cycle && take.number > 0);
            assert!(found == hash || is_start, "cycle {cycle}");
        }
    }
    let run = folder.run("film verify a.film --workers 3 --json --quiet").json();
    assert_eq!((run.number("cycle"), run.text("chain").to_string()), (last, format!("{chain:016x}")));
    // Level by level, and each of them alone.
    let printed = folder.run("film info a.film").stdout();
    assert_eq!(printed.matches("the level restarted because of a tag").count(), 2, "{printed}");
    let played = folder.run("film play a.film --json").json();
    assert_eq!((played.number("take"), played.text("chain")), (2, run.text("chain")));
    let second = folder.run("film play a.film --take 1 --json").json();
    let info = folder.run("film info a.film --json").json();
    let takes = info.list("takes");
    assert_eq!((second.number("take"), second.number("cycle")), (1, takes[1].number("last")));
    assert_eq!(second.number("cycles"), takes[1].number("last") - takes[1].number("first"));
}

#[test]
fn snippets_of_a_film_with_edits_hold_the_tags_they_need() {
    let folder = Folder::new();
    let Edited { hashes, .. } = record_edits(&folder);
    let film = Film::open(&folder.join("a.film")).expect("it is whole");
    let takes: Vec<(u16, u64, u64)> =
        film.index().takes.iter().map(|take| (take.number, take.start, take.last())).collect();
    for (take, first, last) in takes {
        for (from, to) in [(first, last), ((first + last) / 2, last), (first + 7, (first + last) / 2 + 3)] {
            let words = format!("film cut a.film {take}:{from} {to} cut.film --json");
            let cut = folder.run(&words).json();
            let verdict = folder.run("film verify cut.film --json").json();
            assert_eq!(cut.text("hash"), verdict.text("hash"), "{words}");
            let hash = hashes.iter().rev().find(|(cycle, _)| *cycle == to).expect("it was played").1;
            let is_start = film.index().takes.iter().any(|take| take.start == to && take.number > 0);
            assert!(is_start || cut.text("hash") == format!("{hash:016x}"), "{words}");
            // Smaller than its parent, as far as tags and inputs are concerned.
            assert!(verdict.list("troubles").is_empty());
        }
    }
}

#[test]
fn a_film_with_the_content_of_today_reports_where_it_diverges() {
    let folder = Folder::new();
    skirmish::write(&folder.join("tags"));
    folder.write("tags/levels/skirmish.scenario", scenario(64, 8));
    folder.run("play skirmish --headless --cycles 120 --tags tags --record a.film").stdout();
    let same = folder.run("film play a.film --tags tags --json").json();
    assert_eq!(same.get("differs_at"), &common::Json::Null);
    assert_eq!(same.text("hash"), folder.run("film play a.film --json").json().text("hash"));
    folder.write("tags/ships/corvette.ship", corvette(90));
    let other = folder.run("film play a.film --tags tags --json").json();
    let cycle = other.number("differs_at");
    assert!(cycle > 0 && cycle <= 120, "{other:?}");
    assert_eq!(other.number("compared_at"), cycle);
    let is_reported = |row: &common::Json| {
        row.text("line").contains("ships/corvette.ship") && row.text("line").contains(": position")
    };
    assert!(other.list("differences").iter().any(is_reported), "{other:?}");
    assert_eq!(other.number("cycle"), 120, "it is played to its end nevertheless");
    // With its own content the film does not diverge.
    folder.run("film verify a.film").stdout();
    // A world with another layout cannot be compared.
    folder.write("tags/levels/skirmish.scenario", scenario(80, 8));
    assert!(folder.run("film play a.film --tags tags").complaint().contains("another layout"));
}

#[test]
fn playing_records_a_film_and_continues_from_any_cycle() {
    let folder = Folder::new();
    let whole = folder.run("play sandbox --level tiny --headless --cycles 300 --json").json();
    let path = whole.text("film").to_string();
    assert!(path.starts_with(".astrarium/films/sandbox-") && folder.join(&path).exists(), "{path}");
    let info = folder.run(&format!("film info {path} --json")).json();
    let take = &info.list("takes")[0];
    assert_eq!((take.number("first"), take.number("last"), take.text("game")), (0, 300, "sandbox"));
    assert!(info.list("troubles").is_empty());
    for cycle in [0, 150, 233] {
        let words = format!(
            "play sandbox --level tiny --headless --cycles {} --from {path}@{cycle} --record b.film --json",
            300 - cycle
        );
        let on = folder.run(&words).json();
        assert_eq!((on.text("hash"), on.text("chain")), (whole.text("hash"), whole.text("chain")), "{words}");
        let again = folder.run("film verify b.film --json").json();
        assert_eq!(again.text("chain"), whole.text("chain"));
        let info = folder.run("film info b.film --json").json();
        assert_eq!(info.list("takes")[0].number("parent_cycle"), cycle);
    }
    // From its end, from a save, and from a film of one world.
    let branch = folder.run(&format!("film branch {path} 150 at.save --json")).json();
    let chain = branch.text("chain").to_string();
    let saved = format!("play sandbox --level tiny --headless --cycles 150 --load at.save --chain {chain} --json");
    assert_eq!(folder.run(&saved).json().text("chain"), whole.text("chain"));
    folder.run(&format!("film branch {path} 150 at.film")).stdout();
    let filmed = "play sandbox --level tiny --headless --cycles 150 --from at.film --json";
    assert_eq!(folder.run(filmed).json().text("chain"), whole.text("chain"));
    assert!(folder.run(&format!("film branch {path} 150 at.txt")).complaint().contains(".save or .film"));
    // A cycle of a film works like a save.
    assert_eq!(folder.run(&format!("save diff at.save {path}@150")).stdout().trim(), "the same world");
    let differences = folder.run(&format!("save diff {path}@150 {path}@151 --json")).json();
    assert!(differences.number("count") > 0);
    folder.run("play sandbox --level tiny --headless --cycles 10 --no-film --json").stdout();
}

/// A game in a folder, with two levels, of which the first leads to the second.
fn write_game(folder: &Folder) {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("template/strategy/tags");
    for path in ["globals.globals", "mission.header", "orders.events", "ship.header", "ships/corvette.ship"] {
        folder.write(&format!("fleets/tags/{path}"), fs::read(template.join(path)).expect("it is there"));
    }
    let level = |next: &str| {
        format!(
            "@mission\n!set objects_max 64\n!set messages_max 256\n!set update_period 500\n\
             !set events \"orders.events\"\n\
             !set placements [{{ object \"ships/corvette.ship\", count 3, spread vec(400, 80, 20), team 1 }}, \
             {{ object \"ships/corvette.ship\", count 3, spread vec(400, 80, 20), team 2 }}]\n\
             !set OnSpawn Lambda(!After(580, Lambda(!EndLevel(\"over\"{next}))))\n"
        )
    };
    folder.write("fleets/tags/levels/first.mission", level(", \"second\""));
    folder.write("fleets/tags/levels/second.mission", level("").replace("580", "60000"));
}

#[test]
fn a_film_of_a_game_that_is_a_folder_needs_no_folder() {
    let folder = Folder::new();
    write_game(&folder);
    let words = "play fleets --level first --headless --cycles 152 --record a.film --json";
    let whole = folder.run(words).json();
    assert_eq!(whole.text("level"), "second", "one level leads to the next");
    fs::rename(folder.join("fleets"), folder.join("elsewhere")).expect("it is there");
    for workers in [1, 3] {
        let verdict = folder.run(&format!("film verify a.film --workers {workers} --json")).json();
        assert_eq!(verdict.text("chain"), whole.text("chain"));
        assert_eq!((verdict.number("cycle"), verdict.list("notes").len()), (152, 0));
    }
    let info = folder.run("film info a.film --json").json();
    let takes = info.list("takes");
    assert_eq!((takes.len(), takes[0].text("level"), takes[1].text("level")), (2, "first", "second"));
    assert_eq!(takes[0].number("last"), takes[1].number("first"));
    // The inputs until the level ended, to its last brush cycle; and why it ended.
    assert_eq!(takes[0].text("end"), "first is over: over; second begins");
    assert_eq!(takes[0].list("can_be_played")[0].number("last"), takes[0].number("last"));
    let played = folder.run("film play a.film --json").json();
    assert_eq!((played.number("take"), played.text("chain")), (1, whole.text("chain")));
    assert_eq!((played.number("cycles"), played.number("cycle")), (152, 152));
    let last = takes[0].number("last");
    for (words, take, cycle, cycles) in [
        ("--take 0", 0, last, last),
        ("--take 1", 1, 152, 152 - last),
        ("--from 0:7 --to 1:90", 1, 90, 83),
        ("--to 1:60", 1, 60, 60),
        ("--from 1:61 --to 70", 1, 70, 9),
    ] {
        let played = folder.run(&format!("film play a.film {words} --json")).json();
        let found = (played.number("take"), played.number("cycle"), played.number("cycles"));
        assert_eq!(found, (take, cycle, cycles), "{words}");
    }
    let seeks = folder.run("film seek a.film 0:57 1:90 0:20 152 --json").json();
    assert_eq!(seeks.list("seeks")[3].text("hash"), whole.text("hash"));
    // Continued from any cycle, of either level.
    for cycle in [50, 97] {
        let words = format!("play --headless --from a.film@{cycle} --cycles {} --record b.film --json", 152 - cycle);
        assert_eq!(folder.run(&words).json().text("chain"), whole.text("chain"), "{words}");
        folder.run("film verify b.film").stdout();
    }
    folder.run("film cut a.film 0:10 58 cut.film").stdout();
    folder.run("film verify cut.film").stdout();
}

#[test]
fn only_the_newest_films_are_kept() {
    let folder = Folder::new();
    for _ in 0..10 {
        folder.run("play sandbox --level tiny --headless --cycles 5").stdout();
    }
    assert_eq!(fs::read_dir(folder.join(".astrarium/films")).expect("it is there").count(), 8);
}

#[test]
fn a_killed_program_leaves_a_film_up_to_the_last_second() {
    let folder = Folder::new();
    let words = "play sandbox --level tiny --headless --paced --cycles 100000 --record a.film";
    let mut child = folder.command(words).stdout(Stdio::null()).spawn().expect("it starts");
    let length = || fs::metadata(folder.join("a.film")).map_or(0, |metadata| metadata.len());
    let has_inputs = || {
        let film = Film::open(&folder.join("a.film")).ok();
        film.is_some_and(|film| film.index().takes.first().is_some_and(|take| take.last() >= 100))
    };
    let is_there = (0..TRIES).any(|_| {
        sleep(BETWEEN);
        length() > 0 && has_inputs()
    });
    let [running, recorded] = ["crash show", "film info a.film"].map(|words| folder.run(words).output());
    child.kill().expect("it runs");
    child.wait().expect("it was started");
    assert!(is_there, "nothing was recorded");
    assert!(running.contains("last words: none yet: the program is running"), "{running}");
    assert!(recorded.contains("it is being recorded"), "{recorded}");
    assert!(folder.run("crash show").stdout().contains("last words: none: it was killed"));
    let info = folder.run("film info a.film --json").json();
    assert!(info.list("takes")[0].number("last") >= 100);
    let verdict = folder.run("film verify a.film --json").json();
    assert!(verdict.number("compared") >= 20);
    assert!(folder.run("film info a.film").stdout().contains("its end is missing"));
}

#[test]
fn a_film_of_a_crash_can_be_replayed_into_it() {
    let folder = Folder::new();
    let words = "play sandbox --level tiny --headless --cycles 500 --panic-at 333 --record a.film --black-box a.crash";
    folder.run(words).last_words();
    let printed = folder.run("film info a.film").stdout();
    assert!(printed.contains("panic requested at cycle 333"), "{printed}");
    let film = folder.run("film play a.film --json").json();
    assert_eq!(film.number("cycle"), 333);
    assert_eq!(film.text("hash"), folder.run("crash replay a.crash --json").json().text("hash"));
}

#[test]
fn marks_are_added_and_listed() {
    let folder = Folder::new();
    folder.run("play sandbox --level tiny --headless --cycles 100 --record a.film").stdout();
    let printed = folder.run("film tracks a.film").stdout();
    assert!(printed.starts_with("profiler: 1 item"), "{printed}");
    folder.run_words(&["film", "mark", "a.film", "50", "they \"meet\""]).stdout();
    let tracks = folder.run("film tracks a.film --json").json();
    let track = &tracks.list("tracks")[0];
    assert_eq!((track.text("name"), track.list("items")[0].text("text")), ("markers", "they \"meet\""));
    assert!(folder.run_words(&["film", "mark", "a.film", "101", "x"]).complaint().contains("cycles 0 to 100"));
    folder.run("film verify a.film").stdout();
}

#[test]
fn a_profile_is_printed_and_recorded_with_the_film() {
    let folder = Folder::new();
    let words = "play skirmish --headless --cycles 130 --record a.film --profile";
    let printed = folder.run(words).stdout();
    for part in ["simulate", "mechanics", "updates/step", "ships/corvette.ship:", "slowest step"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let played = folder.run(&format!("{words} --json")).json();
    let (tags, lines) = (played.list("profile_tags"), played.list("profile_lines"));
    let fuel: u64 = tags.iter().map(|row| row.number("fuel")).sum();
    assert_eq!(lines.iter().map(|row| row.number("fuel")).sum::<u64>(), fuel, "every unit of fuel has a line");
    assert_eq!(played.number("profile_measured_steps"), 130);
    assert_eq!(played.list("profile")[0].number("calls"), 130);
    let plain = folder.run("play skirmish --headless --cycles 130 --no-film --json").json();
    assert_eq!(played.text("chain"), plain.text("chain"));
    let info = folder.run("film info a.film --json").json();
    let track = &info.list("tracks")[0];
    assert_eq!((track.text("name"), track.number("items"), track.number("last")), ("profiler", 2, 100));
    assert!(folder.run("film info a.film").stdout().contains("track \"profiler\": 2 items, cycles 0 to 100"));
    let printed = folder.run("film profile a.film --most 2").stdout();
    assert!(printed.starts_with("cycles 0 to 130: 130 steps, tags measured in 130"), "{printed}");
    let second = folder.run("film profile a.film --from 100 --to 129 --json").json();
    assert_eq!((second.number("steps"), second.list("seconds").len(), second.number("unread")), (30, 1, 0));
    assert!(second.list("profile_lines").len() <= 12 && !second.list("profile_tags").is_empty());
    let printed = folder.run("film profile a.film --from 5000").stdout();
    assert_eq!(printed.trim(), "the film has no profile of these cycles");
}

#[test]
fn an_altered_film_fails_its_verification_and_says_where() {
    let folder = Folder::new();
    folder.run("play sandbox --level tiny --headless --cycles 120 --record a.film").stdout();
    let bytes = fs::read(folder.join("a.film")).expect("it is there");
    let printed = folder.run("film info a.film").stdout();
    assert!(printed.contains("not checked: content 1, inputs "), "{printed}");
    assert!(!folder.run("film info a.film --check").stdout().contains("not checked"));
    let mut state = seed();
    for _ in 0..10 {
        let mut other = bytes.clone();
        let at = draw(&mut state) as usize % bytes.len();
        other[at] ^= 1 << (draw(&mut state) % 8);
        folder.write("b.film", &other);
        let complaint = folder.run("film verify b.film --quiet").complaint();
        assert!(complaint.contains("b.film"), "byte {at}: {complaint}");
        let info = folder.run("film info b.film --check");
        assert!(info.is_orderly() && info.output().contains("byte "), "byte {at}: {}", info.output());
        assert!(folder.run("film seek b.film 100").is_orderly());
    }
}

#[test]
fn every_command_of_the_chapter_about_films_succeeds() {
    let chapter = include_str!("../../../docs/book/src/films.md");
    let folder = Folder::new();
    let mut count = 0;
    for line in chapter.lines().filter_map(|line| line.strip_prefix("$ astrarium ")) {
        // Words in quotation marks are one argument.
        let words = line.split('"').enumerate().flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let words: Vec<&str> = words.collect();
        folder.run_words(&words).stdout();
        count += 1;
    }
    assert!(count >= 10, "{count}");
    let printed = folder.run("save diff meadow.film@599 other.film@599").stdout();
    assert_eq!(printed.trim(), "the same world");
}

#[test]
fn wrong_arguments_are_explained() {
    let folder = Folder::new();
    folder.run("play sandbox --level tiny --headless --cycles 50 --record a.film").stdout();
    folder.write("no.film", "this is a text");
    for (words, part) in [
        ("film info no.film", "expected a film, which begins with ASTRFILM"),
        ("film info missing.film", "missing.film"),
        ("film seek a.film 51", "the film holds take 0, cycles 0 to 50"),
        ("film seek a.film 3:7", "cycle 7 of take 3 cannot be reached"),
        ("film seek a.film x", "expected a cycle, or a take and a cycle"),
        ("film play a.film --take 3", "expected one of its takes: take 0, cycles 0 to 50"),
        ("film play a.film --from 30 --to 20", "expected an end that is not before cycle 30 of take 0"),
        ("film play a.film --to 51", "cycle 51 cannot be reached"),
        ("film play a.film --take 0 --content now", "--take: not with the current content"),
        ("film cut a.film 40 30 b.film", "expected an end from cycle 40 on, found 30"),
        ("film cut a.film 10 20 a.film", "into itself"),
        ("play sandbox --headless --from a.film@99", "cycle 99 cannot be reached"),
        ("play skirmish --headless --from a.film", "expected a game of this program, found \"sandbox\""),
    ] {
        let complaint = folder.run(words).complaint();
        assert!(complaint.contains(part), "{words}: {complaint}");
    }
    assert!(folder.join("a.film").exists() && !Path::new("b.film").exists());
}

#[test]
fn a_film_replaces_only_another_film() {
    let folder = Folder::new();
    folder.write("precious.txt", "a letter");
    let play = "play sandbox --level tiny --headless --cycles 20 --no-black-box";
    assert!(folder.run(&format!("{play} --record precious.txt")).complaint().contains("is not a film"));
    assert_eq!(folder.read("precious.txt"), "a letter");
    folder.run(&format!("{play} --record a.film")).stdout();
    folder.run(&format!("{play} --record a.film")).stdout();
    let same = folder.run("play --headless --cycles 5 --no-black-box --from a.film@10 --record ./a.film");
    assert!(same.complaint().contains("is the film that is continued"), "{}", same.output());
    assert!(folder.run(&format!("{play} --record b.film --save b.film")).complaint().contains("is also the save"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_film_that_was_asked_for_and_cannot_be_written_is_told_by_the_status() {
    let folder = Folder::new();
    let play = "play sandbox --level tiny --headless --cycles 100 --no-black-box";
    let full = folder.run(&format!("{play} --record /dev/full"));
    let complaint = full.complaint();
    assert!(complaint.contains("recording stopped: /dev/full"), "{complaint}");
    assert!(complaint.contains("--record: /dev/full was not recorded to the end"), "{complaint}");
    assert!(full.output().contains("cycle 100, hash"), "the game goes on: {}", full.output());
}
