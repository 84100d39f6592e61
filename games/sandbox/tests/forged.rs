//! A forged save with right checksums is refused, or its world goes on without a panic.

use astrarium::Content;
use astrarium::base::{Pcg, Random};
use astrarium::session::{Session, Start};
use astrarium::state::save::{self, HEADER_BYTES, SaveHeader};
use astrarium::state::{Alone, Heap, Settings};
use sandbox::ENTRY;

fn begin() -> Session {
    let start = Start { level: "tiny".into(), seed: 1, players: 2, settings: Settings::default() };
    Session::begin(&ENTRY, Content::none(), &start, &Heap).expect("the level exists")
}

/// The save of a world whose block has other bytes, with checksums and hash made right.
fn forge(session: &mut Session, block: &[u8]) -> Option<Vec<u8>> {
    session.world_mut().adopt(block).ok()?;
    let hash = session.hash();
    let header = SaveHeader::of(session.world(), hash, session.build(), "tiny");
    Some([&header.encode()[..], block].concat())
}

#[test]
fn worlds_of_forged_saves_go_on() {
    let mut session = begin();
    for _ in 0..120 {
        session.step(&Alone);
    }
    let block = session.world().bytes().to_vec();
    let mut random = Pcg::new(2026, 19);
    let (mut forger, mut player) = (begin(), begin());
    let mut went_on = 0;
    for round in 0..400 {
        let mut forged = block.clone();
        for _ in 0..=round % 4 {
            let at = random.below(forged.len() as u32 / 4) as usize * 4;
            let word =
                [0, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0x7f80_0000, random.next_u32()][random.below(6) as usize];
            forged[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let Some(file) = forge(&mut forger, &forged) else { continue };
        if save::load(player.world_mut(), &file, "tiny").is_ok() {
            went_on += 1;
            for _ in 0..10 {
                player.step(&Alone);
            }
        }
    }
    assert!(went_on > 50, "only {went_on} forged saves were accepted");
}

#[test]
fn a_save_whose_hash_is_not_that_of_its_world_is_refused_and_changes_nothing() {
    let mut session = begin();
    session.step(&Alone);
    let header = SaveHeader::of(session.world(), 7, session.build(), "tiny");
    let file = [&header.encode()[..], session.world().bytes()].concat();
    let mut other = begin();
    let before = other.hash();
    let error = save::load(other.world_mut(), &file, "tiny").expect_err("its hash is another").to_string();
    assert!(error.contains("0000000000000007"), "{error}");
    assert_eq!(other.hash(), before);
    assert_eq!(file.len(), HEADER_BYTES + session.world().bytes().len());
}
