//! Whatever the folder of a game contains, the game can be played, or the error says why not.

use crate::common;

use std::fs;
use std::path::Path;

use astrarium::base::Random;
use astrarium::base::random::Draw;
use astrarium::host::pages::Pages;
use astrarium::project;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Settings};
use common::Folder;

/// The files of the intact game.
const FILES: [&str; 6] = [
    "globals.globals",
    "ship.header",
    "mission.header",
    "orders.events",
    "ships/corvette.ship",
    "levels/first.mission",
];

/// The tokens from which scripts and headers are made.
const WORDS: [&str; 16] = [
    "!set ",
    "Lambda(",
    "]())",
    "\"ship\"",
    "nothing",
    "-1e300",
    "0",
    "object",
    "~this",
    "!Spawn(\"ships/corvette.ship\")",
    "!EndLevel(\"x\", \"first\")",
    "state true",
    "65535",
    "[",
    "}",
    "@mission",
];

fn damage(text: &str, random: &mut Draw) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let (start, end) =
            (random.below(bytes.len() as u32 + 1) as usize, random.below(bytes.len() as u32 + 1) as usize);
        let word = WORDS[random.below(WORDS.len() as u32) as usize].as_bytes();
        match random.below(4) {
            0 => drop(bytes.splice(start..start, word.iter().copied())),
            1 => drop(bytes.drain(start.min(end)..start.max(end).min(start.min(end) + 30))),
            2 => bytes.truncate(start),
            _ => bytes.iter_mut().skip(start).take(2).for_each(|byte| *byte = random.below(256) as u8),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn a_game_with_any_errors_plays_or_says_why_not() {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../externals/tool/template/strategy/tags");
    let folder = Folder::new();
    let (mut played, mut refused) = (0, 0);
    for case in 0..60 {
        let mut random = Draw::new(0x5eed, case, 0, 0);
        let tags = folder.join("demo/tags");
        let _ = fs::remove_dir_all(&tags);
        let broken = random.below(FILES.len() as u32) as usize;
        for (number, file) in FILES.iter().enumerate() {
            let text = fs::read_to_string(template.join(file)).expect("it is there");
            let bytes = if number == broken { damage(&text, &mut random) } else { text.into_bytes() };
            let path = tags.join(file);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("folders can be made");
            fs::write(path, bytes).expect("files can be written");
        }
        let Ok((entry, _)) = project::open(&folder.join("demo")) else {
            refused += 1;
            continue;
        };
        let settings = Settings { is_checked: false, ..Settings::default() };
        let start = Start { level: String::from("first"), seed: case, players: 2, settings };
        let content = entry.content("first").expect("the tree is there");
        let mut session = Session::begin(&entry, content, &start, &Pages).expect("the level is there");
        common::run_to(&mut session, 30);
        session.step(&Alone);
        assert!(session.game().troubles().len() <= 64, "case {case}");
        assert!(!session.game().describe(session.world()).is_empty());
        played += 1;
    }
    println!("{played} were played, {refused} refused");
    assert!(played > refused);
}
