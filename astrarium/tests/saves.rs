//! Saves on disk: a loaded world continues as it would have, and a refused save changes nothing.

use crate::common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use astrarium::base::hash::hash;
use astrarium::host::background::BackgroundWriter;
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::saves;
use astrarium::state::save::{HEADER_BYTES, SaveError, SaveHeader};
use astrarium::state::{Alone, Settings};
use astrarium::tags::Library;
use astrarium::{Content, Error, Game, Session};
use common::{Folder, LAMPS, Lamps, run_to, start, tiny};

#[test]
fn a_loaded_world_continues_as_if_nothing_had_happened() {
    let folder = Folder::new();
    let path = folder.join("a.save");
    for cycle in [0, 1, 5, 7, 250, 604] {
        let mut session = tiny(9);
        run_to(&mut session, cycle);
        let header = saves::write(&mut session, &path).expect("the folder can be written");
        assert_eq!((header.cycle, header.hash), (cycle, session.hash()));
        // Another seed, other garbage, all checks, shuffled queues, three workers: none of it may matter.
        let settings = Settings { is_checked: true, garbage: 0x11, shuffle: 5 };
        let mut start = start("tiny", 1234);
        start.settings = settings;
        let mut other = Session::new(
            (sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()),
            Content::none(),
            &start,
            &Pages,
        );
        run_to(&mut other, 13);
        assert_eq!(saves::load(&mut other, &path).expect("it was just written"), header);
        assert_eq!(other.hash(), session.hash());
        other.set_chain(session.chain());
        let pool = ThreadPool::new(3).with_shuffle(8);
        for _ in 0..60 {
            session.step(&Alone);
            other.step(&pool);
            assert_eq!((other.hash(), other.chain()), (session.hash(), session.chain()), "from cycle {cycle}");
        }
    }
}

#[test]
fn saving_changes_nothing() {
    let folder = Folder::new();
    let (mut session, mut other) = (tiny(3), tiny(3));
    for cycle in 0..40 {
        run_to(&mut session, cycle);
        run_to(&mut other, cycle);
        let before = session.world().bytes().to_vec();
        saves::write(&mut session, &folder.join("a.save")).expect("the folder can be written");
        assert!(session.world().bytes() == before);
    }
    assert_eq!((session.hash(), session.chain()), (other.hash(), other.chain()));
}

/// The file of a save with a changed header and valid checksums.
fn with_header(file: &[u8], change: impl FnOnce(&mut SaveHeader)) -> Vec<u8> {
    let mut header = SaveHeader::decode(file).expect("a sound save");
    change(&mut header);
    [&header.encode()[..], &file[HEADER_BYTES..]].concat()
}

/// The file of a save with a changed byte of its block and valid checksums.
fn with_block(file: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    change(&mut file[HEADER_BYTES..]);
    let block = &file[HEADER_BYTES..];
    // The hash of the world is made right where the block can be one.
    let mut session = tiny(1);
    let world = session.world_mut().adopt(block).is_ok().then(|| session.hash());
    let checksum = hash(block);
    with_header(&file, |header| (header.checksum, header.hash) = (checksum, world.unwrap_or(header.hash)))
}

/// A description, the file, a predicate on the error, and a part of the expected message.
type Bad = (&'static str, Vec<u8>, fn(&SaveError) -> bool, &'static str);

#[test]
fn a_refused_save_says_why_and_leaves_world_and_file_unchanged() {
    let folder = Folder::new();
    let path = folder.join("good.save");
    let mut session = tiny(2);
    run_to(&mut session, 30);
    saves::write(&mut session, &path).expect("the folder can be written");
    let good = fs::read(&path).unwrap();
    run_to(&mut session, 47);

    let flipped = |at: usize| {
        let mut file = good.clone();
        file[at] ^= 0x10;
        file
    };
    let newer = {
        let mut file = good.clone();
        file[8] = 3;
        file
    };
    let count = {
        let agents = session.world().plan().regions().iter().find(|region| region.name == "agents").unwrap();
        agents.bytes.start
    };
    let bad: Vec<Bad> = vec![
        ("empty", vec![], |error| matches!(error, SaveError::Length { .. }), "found 0"),
        ("cut in the header", good[..100].to_vec(), |error| matches!(error, SaveError::Length { .. }), "found 100"),
        ("cut in the block", good[..5000].to_vec(), |error| matches!(error, SaveError::Length { .. }), "found 5000"),
        ("longer", [&good[..], b"x"].concat(), |error| matches!(error, SaveError::Length { .. }), "expected"),
        ("something else", vec![7; good.len()], |error| matches!(error, SaveError::NotASave), "ASTRSAVE"),
        ("newer", newer, |error| matches!(error, SaveError::Format { found: 3 }), "a newer version"),
        ("header flipped", flipped(70), |error| matches!(error, SaveError::HeaderDamaged), "header is damaged"),
        ("block flipped", flipped(HEADER_BYTES + 9000), |error| matches!(error, SaveError::BlockDamaged), "is damaged"),
        (
            "another game",
            with_header(&good, |header| header.game = "chess".into()),
            |error| matches!(error, SaveError::Other { what: "game", .. }),
            "expected sandbox, found chess",
        ),
        (
            "another level",
            with_header(&good, |header| header.level = "meadow".into()),
            |error| matches!(error, SaveError::Other { what: "level", .. }),
            "expected tiny, found meadow",
        ),
        (
            "an older layout",
            with_header(&good, |header| header.layout = 0xabc),
            |error| matches!(error, SaveError::Other { what: "layout", .. }),
            "found 0000000000000abc",
        ),
        (
            "another size",
            with_header(&good, |header| header.block_bytes += 4096),
            |error| matches!(error, SaveError::Length { .. }),
            "expected",
        ),
        (
            "a world that cannot be",
            with_block(&good, |block| block[count] ^= 1),
            |error| matches!(error, SaveError::Inconsistent(_)),
            "is inconsistent",
        ),
        (
            "another cycle than it says",
            with_header(&good, |header| header.cycle = 31),
            |error| matches!(error, SaveError::Inconsistent(_)),
            "31",
        ),
    ];
    let (before, hash_before, chain) = (session.world().bytes().to_vec(), session.hash(), session.chain());
    for (name, file, is_expected, words) in bad {
        let bad = folder.join("bad.save");
        fs::write(&bad, &file).unwrap();
        let error = saves::load(&mut session, &bad).expect_err(name);
        assert!(matches!(error.kind(), Error::Save(error) if is_expected(error)), "{name}: {error:?}");
        let message = error.to_string();
        assert!(message.contains(words) && message.contains("bad.save"), "{name}: {message}");
        assert!(session.world().bytes() == before, "{name}: the world is unchanged");
        assert_eq!((session.hash(), session.chain()), (hash_before, chain), "{name}");
        assert!(fs::read(&bad).unwrap() == file, "{name}: the file is unchanged");
    }
    for missing in [folder.join("missing.save"), folder.path().to_path_buf()] {
        let error = saves::load(&mut session, &missing).expect_err("it is not there");
        assert!(matches!(error, Error::File(_)), "{error:?}");
        assert_eq!(
            error.to_string().matches(&*missing.to_string_lossy()).count(),
            1,
            "the path is named once: {error}"
        );
    }
    assert!(fs::read(&path).unwrap() == good);
    // The world continues, and the good save can still be loaded.
    run_to(&mut session, 60);
    assert_eq!(session.hash(), common::hash_at(2, 60));
    saves::load(&mut session, &path).expect("it is sound");
    assert_eq!(session.world().cycle(), 30);
}

#[test]
fn a_save_of_a_larger_level_is_recognised_by_its_level_not_by_its_size() {
    let folder = Folder::new();
    let path = folder.join("meadow.save");
    let mut meadow = Session::new(
        (sandbox::ENTRY.make)(&sandbox::ENTRY, "meadow", &Library::new()),
        Content::none(),
        &start("meadow", 1),
        &Pages,
    );
    saves::write(&mut meadow, &path).expect("the folder can be written");
    let message = saves::load(&mut tiny(1), &path).expect_err("another level").to_string();
    assert!(message.contains("expected tiny, found meadow"), "{message}");
}

#[test]
fn a_save_that_cannot_be_written_leaves_the_old_one() {
    let folder = Folder::new();
    let mut session = tiny(1);
    let error = saves::write(&mut session, &folder.join("missing/a.save")).expect_err("there is no such folder");
    assert!(error.to_string().contains("a.save"), "{error}");
    let path = folder.join("taken");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("inside"), "old").unwrap();
    saves::write(&mut session, &path).expect_err("a folder is in the way");
    assert_eq!(fs::read(path.join("inside")).unwrap(), b"old");
    assert_eq!(folder.names(), ["taken"], "no temporary is left");
}

#[test]
fn a_save_in_the_background_writes_the_same_file_while_the_world_continues() {
    let folder = Folder::new();
    let (mut session, writer) = (tiny(4), BackgroundWriter::new(2));
    let mut buffer = Vec::new();
    for cycle in [0, 12, 33] {
        run_to(&mut session, cycle);
        let (now, later) = (folder.join("now.save"), folder.join("later.save"));
        let header = saves::write(&mut session, &now).expect("the folder can be written");
        let submitted = saves::write_in_background(&mut session, &later, &writer, buffer).expect("there is room");
        assert_eq!(submitted, header);
        run_to(&mut session, cycle + 5);
        writer.finish();
        let finished = writer.poll().expect("it is done");
        finished.result.expect("the folder can be written");
        buffer = finished.bytes;
        assert!(fs::read(&now).unwrap() == fs::read(&later).unwrap(), "cycle {cycle}");
    }
}

#[test]
fn a_writer_that_is_behind_gives_the_buffer_back() {
    let folder = Folder::new();
    let (mut session, writer) = (tiny(4), BackgroundWriter::new(1));
    saves::write_in_background(&mut session, &folder.join("a"), &writer, Vec::new()).expect("there is room");
    let refused = saves::write_in_background(&mut session, &folder.join("b"), &writer, Vec::new());
    let refused = refused.expect_err("the queue is full");
    assert_eq!(refused.bytes.len(), HEADER_BYTES + session.world().bytes().len());
    writer.finish();
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn a_game_is_notified_of_a_load_only_if_it_succeeded() {
    let folder = Folder::new();
    let game = Arc::new(Lamps::new("sound"));
    let mut session = Session::new(game.clone(), Content::none(), &start("sound", 1), &Pages);
    let path = folder.join("lamps.save");
    saves::write(&mut session, &path).expect("the folder can be written");
    assert_eq!(game.saved.load(Relaxed), game.plan().hash());
    assert!(saves::load(&mut session, &folder.join("missing")).is_err());
    assert_eq!(game.loaded.load(Relaxed), 0);
    saves::load(&mut session, &path).expect("it is sound");
    assert_eq!(game.loaded.load(Relaxed), game.plan().hash());
}

#[test]
fn only_an_intact_save_gives_its_header() {
    let folder = Folder::new();
    let path = folder.join("a.save");
    let mut session = tiny(1);
    run_to(&mut session, 11);
    let header = saves::write(&mut session, &path).expect("the folder can be written");
    assert_eq!(saves::info(&path).expect("it is whole"), header);
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(saves::info(&path).expect_err("it is cut").to_string().contains(&format!("found {}", good.len() - 1)));
    let mut flipped = good.clone();
    flipped[HEADER_BYTES + 77] ^= 1;
    fs::write(&path, &flipped).unwrap();
    assert!(saves::info(&path).expect_err("it is damaged").to_string().contains("damaged"));
}

fn diff(left: &Path, right: &Path) -> Result<Vec<String>, Error> {
    let found = saves::diff([left, right], &[sandbox::ENTRY, LAMPS], 10)?;
    Ok(found.iter().map(ToString::to_string).collect())
}

#[test]
fn differences_between_saves_are_named_by_fields() {
    let folder = Folder::new();
    let (left, right) = (folder.join("left.save"), folder.join("right.save"));
    let mut session = tiny(1);
    run_to(&mut session, 20);
    saves::write(&mut session, &left).expect("the folder can be written");
    let good = fs::read(&left).unwrap();
    assert!(diff(&left, &left).unwrap().is_empty());
    // One bit of the energy of the agent in slot 3.
    let plan = session.world().plan().clone();
    let agents = plan.regions().iter().find(|region| region.name == "agents").unwrap();
    let energy = std::mem::offset_of!(sandbox::parts::Agent, energy);
    let at = agents.elements.value(3).start + energy;
    fs::write(&right, with_block(&good, |block| block[at] ^= 1)).unwrap();
    let found = diff(&left, &right).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let value = |file: &[u8]| f32::from_le_bytes(file[HEADER_BYTES + at..][..4].try_into().unwrap());
    let (before, after) = (value(&good), value(&fs::read(&right).unwrap()));
    for part in ["20", "life", "agents", "3", "energy", &before.to_string(), &after.to_string()] {
        assert!(found[0].contains(part), "{} does not say {part}", found[0]);
    }
}

#[test]
fn a_save_of_another_build_loads_and_is_reported() {
    let folder = Folder::new();
    let path = folder.join("tiny.save");
    let mut session = tiny(1);
    saves::write(&mut session, &path).expect("the folder can be written");
    saves::load(&mut session, &path).expect("the build is the same");
    assert_eq!(session.content_mut().take_lines(), Vec::<String>::new());
    fs::write(&path, with_header(&fs::read(&path).unwrap(), |header| header.build ^= 5)).unwrap();
    saves::load(&mut session, &path).expect("the layout is the same");
    let lines = session.content_mut().take_lines();
    assert!(lines.len() == 1 && lines[0].contains("tiny.save was saved by another build"), "{lines:?}");
}

#[test]
fn saves_that_cannot_be_compared_name_the_file_and_the_reason() {
    let folder = Folder::new();
    let path = folder.join("tiny.save");
    let mut session = tiny(1);
    saves::write(&mut session, &path).expect("the folder can be written");
    let good = fs::read(&path).unwrap();
    let complaint = |change: &dyn Fn(&mut SaveHeader)| {
        let other = folder.join("other.save");
        fs::write(&other, with_header(&good, change)).unwrap();
        let message = diff(&path, &other).expect_err("they cannot be compared").to_string();
        assert!(message.contains("other.save"), "{message}");
        message
    };
    assert!(complaint(&|header| header.game = "chess".into()).contains("found \"chess\""));
    assert!(complaint(&|header| header.level = "../etc".into()).contains("found \"../etc\""));
    assert!(complaint(&|header| header.layout = 5).contains("layout"));
    let lamps = folder.join("lamps.save");
    let mut session =
        Session::new((LAMPS.make)(&LAMPS, "sound", &Library::new()), Content::none(), &start("sound", 1), &Pages);
    saves::write(&mut session, &lamps).expect("the folder can be written");
    assert!(diff(&path, &lamps).expect_err("two games").to_string().contains("sandbox tiny and lamps sound"));
}
