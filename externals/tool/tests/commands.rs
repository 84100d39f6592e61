//! Every command as a person or a program calls it: its output, and its errors.

use crate::common;

use std::fs;

use astrarium::Content;
use astrarium::base::hash::hash;
use astrarium::session::{Session, Start};
use astrarium::state::Heap;
use astrarium::state::save::{HEADER_BYTES, SaveHeader};
use common::{Folder, Json};

#[test]
fn a_headless_play_ends_with_cycle_hash_and_chain_in_json() {
    let folder = Folder::new();
    let json = folder.run("play sandbox --headless --level tiny --cycles 57 --workers 2 --json").json();
    assert_eq!((json.text("game"), json.text("level"), json.number("cycle")), ("sandbox", "tiny", 57));
    for name in ["hash", "chain"] {
        let text = json.text(name);
        assert!(text.len() == 16 && text.chars().all(|digit| digit.is_ascii_hexdigit()), "{name} is {text}");
    }
    assert_eq!(json.number("allocations_while_stepping"), 0);
    let again = folder.run("play --headless --level tiny --cycles 57 --shuffle 4 --garbage 0 --checked --json").json();
    assert_eq!((again.text("hash"), again.text("chain")), (json.text("hash"), json.text("chain")));
    let other = folder.run("play --headless --level tiny --cycles 57 --seed 2 --json").json();
    assert_ne!(other.text("chain"), json.text("chain"));
    let printed = folder.run("play --headless --level tiny --cycles 57").stdout();
    assert!(printed.contains(json.text("hash")) && printed.contains(json.text("chain")), "{printed}");
    let with_memory = folder.run("play --headless --level tiny --cycles 1 --memory --json").json();
    assert!(with_memory.list("memory").iter().any(|row| row.text("region") == "agents"));
    assert_eq!(folder.run("play --headless --level tiny --cycles 0 --json").json().number("cycle"), 0);
    let printed = folder.run("play --headless --level tiny --cycles 0").stdout();
    assert!(printed.contains("1 keyframe") && !printed.contains("% of a core"), "{printed}");
}

#[test]
fn scripts_allocate_nothing_while_stepping_whichever_ships_come() {
    let folder = Folder::new();
    let json = folder.run("play skirmish --headless --no-black-box --cycles 600 --json").json();
    assert_eq!(json.number("allocations_while_stepping"), 0);
}

#[test]
fn every_command_with_json_ends_with_one_object() {
    let folder = Folder::new();
    folder.run("play --headless --level tiny --cycles 9 --save a.save --black-box a.crash").stdout();
    for words in [
        "play --headless --level tiny --cycles 3 --paced --speed 100000 --json",
        "prove --level tiny --cycles 6 --workers 2 --json",
        "save info a.save --json",
        "save diff a.save a.save --json",
        "crash show a.crash --json",
        "crash replay a.crash --json",
    ] {
        assert!(matches!(folder.run(words).json(), Json::Object(_)), "{words}");
    }
}

#[test]
fn failures_are_reported_and_set_the_exit_status() {
    let folder = Folder::new();
    folder.run("play --headless --level tiny --cycles 9 --save a.save").stdout();
    let good = fs::read(folder.join("a.save")).unwrap();
    let mut flipped = good.clone();
    flipped[HEADER_BYTES + 5000] ^= 4;
    fs::write(folder.join("flipped.save"), flipped).unwrap();
    fs::write(folder.join("short.save"), &good[..good.len() / 2]).unwrap();
    fs::write(folder.join("text.save"), "not a save at all").unwrap();
    fs::write(folder.join("empty.save"), "").unwrap();
    for (words, parts) in [
        ("play chess --headless", &["expected one of: sandbox", "\"chess\""][..]),
        ("play --headless --level moon", &["meadow, tiny", "\"moon\""]),
        ("prove --level moon", &["meadow, tiny", "\"moon\""]),
        ("play --headless --level tiny --load none.save", &["none.save", "No such file"]),
        ("play --headless --level tiny --load flipped.save", &["flipped.save", "damaged"]),
        ("play --headless --level tiny --load short.save", &["short.save", "expected"]),
        ("play --headless --level tiny --load text.save", &["text.save", "expected"]),
        ("play --headless --level tiny --load empty.save", &["empty.save", "expected"]),
        ("play --headless --level tiny --load .", &["not a regular file"]),
        ("play --headless --level meadow --load a.save", &["a.save", "expected meadow, found tiny"]),
        ("play --headless --level tiny --save none/a.save", &["none/a.save", "No such file"]),
        ("play --headless --level tiny --black-box a.save/a.crash", &["a.save"]),
        ("play --headless --workers 0", &["--workers", "1 to 256"]),
        ("play --headless --workers 257", &["--workers", "1 to 256"]),
        ("play --headless --workers 4294967297", &["--workers", "1 to 256"]),
        ("play --headless --players 65", &["--players", "0 to 64"]),
        ("play --headless --garbage 256", &["--garbage", "0..=255"]),
        ("play --headless --paced --speed 0", &["--speed", "1 to"]),
        ("play --headless --cycles 18446744073709551616", &["--cycles"]),
        ("play --headless --cycles many", &["--cycles"]),
        ("play --headless --chain 00", &["--load"]),
        ("play --headless --load a.save --chain nothing", &["--chain"]),
        ("play --headless --save-every 5", &["--save"]),
        ("play --headless --speed 5", &["--paced"]),
        ("play --headless --black-box a.crash --no-black-box", &["--black-box"]),
        ("prove --workers 0", &["--workers"]),
        ("save", &["info"]),
        ("save info none.save", &["none.save", "No such file"]),
        ("save info short.save", &["short.save", "expected"]),
        ("save info flipped.save", &["flipped.save", "damaged"]),
        ("save info text.save", &["text.save", "ASTRSAVE"]),
        ("save diff a.save", &["RIGHT"]),
        ("save diff a.save none.save", &["none.save", "No such file"]),
        ("save diff flipped.save a.save", &["flipped.save", "damaged"]),
        ("save diff a.save a.save --most 0", &["--most", "1 to"]),
        ("crash show", &["no crash report"]),
        ("crash replay", &["no crash report"]),
        ("crash show a.save", &["a.save", "ASTRCRSH"]),
        ("crash replay none.crash", &["none.crash", "No such file"]),
        ("crash replay a.save --workers 0", &["--workers", "1 to 256"]),
        ("dance", &["dance"]),
    ] {
        let printed = folder.run(words).complaint();
        for part in parts {
            assert!(printed.contains(part), "{words}: {printed:?} does not say {part:?}");
        }
    }
    assert!(fs::read(folder.join("a.save")).unwrap() == good, "the save that was there is as it was");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".writing")), "no temporary is left: {left:?}");
    assert!(!folder.join("none").exists());
}

#[test]
fn a_play_from_a_save_continues_like_an_uninterrupted_one() {
    let folder = Folder::new();
    let whole = folder.run("play --headless --level tiny --seed 6 --cycles 123 --json").json();
    let first = folder.run("play --headless --level tiny --seed 6 --cycles 61 --save a.save --json").json();
    // The save holds its seed; the chain is passed as an argument.
    let words =
        format!("play --headless --level tiny --load a.save --chain {} --cycles 62 --json", first.text("chain"));
    let second = folder.run(&words).json();
    assert_eq!(second.number("cycle"), 123);
    assert_eq!((second.text("hash"), second.text("chain")), (whole.text("hash"), whole.text("chain")));
}

#[test]
fn a_save_prints_its_header() {
    let folder = Folder::new();
    let played = folder.run("play --headless --level tiny --cycles 33 --save a.save --json").json();
    let json = folder.run("save info a.save --json").json();
    assert_eq!((json.text("game"), json.text("level"), json.number("cycle")), ("sandbox", "tiny", 33));
    assert_eq!(json.text("hash"), played.text("hash"));
    assert_eq!(json.number("bytes"), fs::metadata(folder.join("a.save")).unwrap().len());
    let printed = folder.run("save info a.save").stdout();
    assert!(printed.contains("sandbox tiny, cycle 33") && printed.contains(played.text("hash")), "{printed}");
}

#[test]
fn two_saves_that_differ_in_one_bit_are_compared_by_system_array_slot_field_and_values() {
    let folder = Folder::new();
    folder.run("play --headless --level tiny --cycles 20 --save a.save").stdout();
    // One bit of the food of the plant in slot 4, with valid checksums.
    let good = fs::read(folder.join("a.save")).unwrap();
    let game = sandbox::Sandbox::new(sandbox::Level::named("tiny").unwrap());
    let plants = game.parts.plan.regions().iter().find(|region| region.name == "plants").unwrap();
    let at = HEADER_BYTES + plants.elements.value(4).start + std::mem::offset_of!(sandbox::parts::Plant, food);
    let mut other = good.clone();
    other[at] ^= 1;
    let mut header = SaveHeader::decode(&good).unwrap();
    header.checksum = hash(&other[HEADER_BYTES..]);
    let start = Start { level: "tiny".into(), seed: 1, players: 0, settings: Default::default() };
    let mut session = Session::begin(&sandbox::ENTRY, Content::none(), &start, &Heap).unwrap();
    session.world_mut().adopt(&other[HEADER_BYTES..]).unwrap();
    header.hash = session.hash();
    other[..HEADER_BYTES].copy_from_slice(&header.encode());
    fs::write(folder.join("b.save"), &other).unwrap();
    let food = |file: &[u8]| f32::from_le_bytes(file[at..at + 4].try_into().unwrap()).to_string();

    let json = folder.run("save diff a.save b.save --json").json();
    assert_eq!(json.number("count"), 1);
    let difference = &json.list("differences")[0];
    assert_eq!((difference.number("cycle"), difference.number("slot")), (20, 4));
    assert_eq!((difference.text("system"), difference.text("region")), ("life", "plants"));
    assert_eq!(difference.text("field"), "food");
    assert_eq!((difference.text("left"), difference.text("right")), (&*food(&good), &*food(&other)));
    let printed = folder.run("save diff a.save b.save").stdout();
    for part in ["life", "plants", "4", "food", &food(&good), &food(&other)] {
        assert!(printed.contains(part), "{printed} does not say {part}");
    }
}

#[test]
fn two_saves_a_cycle_apart_differ_in_many_fields_and_a_save_equals_itself() {
    let folder = Folder::new();
    folder.run("play --headless --level tiny --cycles 20 --save a.save").stdout();
    folder.run("play --headless --level tiny --cycles 21 --save b.save").stdout();
    let json = folder.run("save diff a.save b.save --most 7 --json").json();
    assert_eq!((json.number("count"), json.get("is_more")), (7, &Json::Truth(true)));
    let first = &json.list("differences")[0];
    assert_eq!((first.text("field"), first.text("left"), first.text("right")), ("cycle", "20", "21"));
    assert_eq!(first.get("slot"), &Json::Null);
    let printed = folder.run("save diff a.save b.save --most 7").stdout();
    assert_eq!(printed.lines().count(), 8, "{printed}");
    assert_eq!(folder.run("save diff a.save a.save").stdout().trim(), "the same world");
    assert_eq!(folder.run("save diff a.save a.save --json").json().number("count"), 0);
    folder.run("play --headless --level garden --cycles 0 --save c.save").stdout();
    assert!(folder.run("save diff a.save c.save").complaint().contains("sandbox tiny and sandbox garden"));
}

#[test]
fn a_crash_is_shown_and_replayed_from_its_newest_report() {
    let folder = Folder::new();
    let printed = folder.run("play --headless --level tiny --cycles 500 --panic-at 212").last_words();
    assert!(printed.contains("panic requested at cycle 212") && printed.contains("crash replay"), "{printed}");
    let printed = folder.run("play --headless --level tiny --cycles 500 --panic-at 333").last_words();
    let path =
        printed.split("the crash report is ").nth(1).and_then(|rest| rest.split(';').next()).expect("it says where");
    let expected = folder.run("play --headless --level tiny --cycles 333 --json").json();

    let shown = folder.run("crash show --json").json();
    assert_eq!(shown.text("file"), path);
    assert_eq!((shown.text("game"), shown.text("level"), shown.number("complete")), ("sandbox", "tiny", 333));
    assert_eq!(shown.text("last_words"), "panic requested at cycle 333");
    assert_eq!(shown.list("backups").len(), 4);
    let printed = folder.run("crash show").stdout();
    assert!(printed.contains("333 brush cycles") && printed.contains("panic requested"), "{printed}");
    for words in
        ["crash replay --json", "crash replay --oldest --workers 3 --json", &format!("crash replay {path} --json")]
    {
        let replayed = folder.run(words).json();
        assert_eq!((replayed.number("cycle"), replayed.text("hash")), (333, expected.text("hash")), "{words}");
    }
    assert_eq!(folder.run("crash replay --oldest --json").json().number("from"), 0);
    assert_eq!(folder.run("crash replay --through --json").json().number("cycle"), 334);
}

#[test]
fn a_play_that_ends_well_leaves_only_the_requested_files() {
    let folder = Folder::new();
    folder.run("play --headless --level tiny --cycles 20 --save a.save --save-every 3").stdout();
    assert_eq!(fs::read_dir(folder.join(".astrarium/crash")).unwrap().count(), 0);
    folder.run("play --headless --level tiny --cycles 20 --black-box sub/a.crash").stdout();
    assert!(folder.run("crash show sub/a.crash").stdout().contains("normal exit"));
    let other = Folder::new();
    other.run("play --headless --level tiny --cycles 20 --no-black-box --no-film").stdout();
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
}

#[test]
fn the_sandbox_passes_the_proof_for_a_hundred_cycles() {
    let folder = Folder::new();
    let json = folder.run("prove --level tiny --cycles 100 --json").json();
    assert_eq!((json.number("failed"), json.list("runs").len()), (0, 15));
    let printed = folder.run("prove --level tiny --cycles 100 --workers 2,3").stdout();
    let chain = folder.run("play --headless --level tiny --cycles 100 --json").json().text("chain").to_string();
    assert_eq!(printed.lines().filter(|line| line.contains(&chain)).count(), 13, "{printed}");
}

#[test]
fn help_and_doctor_print_something() {
    let folder = Folder::new();
    for words in ["help", "--help", "play --help", "help crash", "--version", "doctor"] {
        assert!(!folder.run(words).stdout().is_empty(), "{words}");
    }
    for words in ["help", "play --help", "prove --help"] {
        let printed = folder.run(words).stdout();
        assert!(printed.contains("sandbox") && printed.contains("meadow, tiny, crowd, garden"), "{printed}");
    }
    assert!(!folder.run("doctor --json").json().list("facts").is_empty());
}
