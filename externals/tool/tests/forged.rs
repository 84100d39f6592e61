//! Forged worlds of every game of this repository: their blocks are refused, or played on without a panic.
//!
//! `FORGERIES` is the number of forged blocks of each level, for campaigns, and `FORGED` a part of the names of games and levels. The
//! seed is that of all tests on random values, `PROPTEST_RNG_SEED`, where it is given.

use std::panic::{AssertUnwindSafe, catch_unwind};

use astrarium::GameEntry;
use astrarium::crash::panic_message;
use astrarium::session::{PastWorld, Session, Start};
use base::{Pcg, Random};
use host::pages::Pages;
use state::{Alone, Settings};

/// The forged blocks of each level.
const FORGERIES: u32 = 6;

/// The cycles before the block is forged, and those that a forged one is played.
const CYCLES: [u32; 2] = [60, 15];

/// Words that mean something in many places: no handle, small numbers, floats without a value.
const WORDS: [u32; 8] = [0, 1, 7, u32::MAX, 0x7fff_ffff, 0x8000_0001, 0x7fc0_0000, 0x7f7f_ffff];

const GAMES: [GameEntry; 4] = [sandbox::ENTRY, skirmish::ENTRY, quarry::ENTRY, fleet::ENTRY];

fn begin(entry: &GameEntry, level: &str) -> Session {
    let content = entry.content(level).expect("the tags of the game have no mistakes");
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: level.into(), seed: 1, players: 2, settings };
    Session::begin(entry, content, &start, &Pages).expect("the level exists")
}

/// The places of all words that are not zero: where something lives.
fn living(block: &[u8]) -> Vec<usize> {
    let words = block.chunks_exact(4).enumerate();
    words.filter(|(_, word)| word.iter().any(|byte| *byte != 0)).map(|(place, _)| 4 * place).collect()
}

/// A block that was changed in a few places: a nonsensical word, one from elsewhere, a flipped bit.
fn forge(block: &[u8], places: &[usize], random: &mut Pcg) -> Vec<u8> {
    let mut forged = block.to_vec();
    for _ in 0..=random.below(4) {
        let at = places[random.below(places.len() as u32) as usize];
        let other = places[random.below(places.len() as u32) as usize];
        let before = u32::from_le_bytes([forged[at], forged[at + 1], forged[at + 2], forged[at + 3]]);
        let word = match random.below(4) {
            0 => WORDS[random.below(WORDS.len() as u32) as usize],
            1 => before ^ 1 << random.below(32),
            2 => before.wrapping_add(random.below(3)).wrapping_sub(1),
            _ => u32::from_le_bytes([block[other], block[other + 1], block[other + 2], block[other + 3]]),
        };
        forged[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    forged
}

#[test]
fn worlds_of_forged_blocks_go_on() {
    let number = std::env::var("FORGERIES").ok().and_then(|text| text.parse().ok());
    let wanted = std::env::var("FORGED").unwrap_or_default();
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0_u64);
    let (mut troubles, mut taken) = (Vec::new(), 0);
    for entry in &GAMES {
        // The levels of the others are played by tests of their own; a campaign forges all.
        let levels = if number.is_some() { entry.levels } else { &entry.levels[..1] };
        for level in levels.iter().filter(|level| format!("{} {level}", entry.name).contains(&wanted)) {
            let mut session = begin(entry, level);
            for _ in 0..CYCLES[0] {
                session.step(&Alone);
            }
            let (block, chain) = (session.world().bytes().to_vec(), session.chain());
            let places = living(&block);
            let mut of_level = 0;
            for round in 0..number.unwrap_or(FORGERIES) {
                let mut random = Pcg::new(seed.wrapping_add(u64::from(round)), 19);
                let forged = forge(&block, &places, &mut random);
                let past = PastWorld { level, block: &forged, chain };
                let played = catch_unwind(AssertUnwindSafe(|| {
                    let is_taken = session.return_to_block(&past).is_ok();
                    if is_taken {
                        for _ in 0..CYCLES[1] {
                            session.step(&Alone);
                        }
                    }
                    is_taken
                }));
                match played {
                    Ok(is_taken) => of_level += u32::from(is_taken),
                    Err(payload) => {
                        troubles.push(format!("{} {level}, {round}: {}", entry.name, panic_message(&*payload)));
                        session = begin(entry, level);
                    }
                }
            }
            // For people: shown with --nocapture.
            println!("{:<9} {level:<10} {of_level} forged blocks were taken", entry.name);
            taken += of_level;
        }
    }
    assert!(troubles.is_empty(), "PROPTEST_RNG_SEED={seed}: {troubles:#?}");
    assert!(taken > 0, "every forged block was refused");
}
