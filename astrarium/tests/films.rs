//! Films: recorded while a world is played, and played again from any cycle.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use astrarium::base::compression::compress;
use astrarium::film::{self, Film, Moment, Player, Shown};
use astrarium::host::allocation::{CountingAllocator, allocations_while_forbidden, forbid, measure};
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::relay::film::{ContentList, FilmWriter, Kind, Opening, Stamp, keyframe};
use astrarium::state::Alone;
use astrarium::{GameEntry, Session, profile, saves};
use common::{FAULT, Folder, LAMPS, run_to, start, words_of_panic};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const GAMES: &[GameEntry] = &[sandbox::ENTRY];

fn begin(level: &str, seed: u64) -> Session {
    let content = sandbox::ENTRY.content(level).expect("it is built in");
    Session::begin(&sandbox::ENTRY, content, &start(level, seed), &Pages).expect("the level is there")
}

/// A film, the hashes of all its cycles, and the chain.
struct Recorded {
    bytes: Vec<u8>,
    hashes: Vec<u64>,
    chain: u64,
}

/// The last cycles of the two films that all tests share. The first is not a safe one.
const LONG: u64 = 403;
const SHORT: u64 = 220;

/// A film of the first cycles of a level, recorded once, copied into a file of this folder.
fn record(folder: &Folder, cycles: u64) -> (PathBuf, &'static Recorded) {
    static RECORDED: [OnceLock<Recorded>; 2] = [const { OnceLock::new() }; 2];
    let recorded = RECORDED[usize::from(cycles == LONG)].get_or_init(|| record_anew(cycles));
    assert_eq!(recorded.hashes.len() as u64, cycles + 1, "only the two shared films are available");
    let path = folder.join("a.film");
    fs::write(&path, &recorded.bytes).expect("the folder can be written");
    (path, recorded)
}

fn record_anew(cycles: u64) -> Recorded {
    let folder = Folder::new();
    let path = folder.join("a.film");
    let mut session = begin("tiny", 5);
    session.film_to(&path, None).expect("the folder can be written");
    let mut hashes = vec![session.hash()];
    while session.world().cycle() < cycles {
        session.step(&Alone);
        hashes.push(session.hash());
    }
    let (costs, trouble) = session.end_film("normal exit").expect("it was recorded");
    assert_eq!(trouble, None);
    assert!(costs.bytes > 0 && costs.keyframes > 0, "{costs:?}");
    Recorded { bytes: fs::read(&path).expect("it was written"), hashes, chain: session.chain() }
}

#[test]
fn a_film_is_played_with_any_number_of_workers_and_from_anywhere() {
    let folder = Folder::new();
    let (path, Recorded { hashes, chain, .. }) = record(&folder, LONG);
    for workers in [1, 2, 3, 8] {
        let pool = ThreadPool::new(workers);
        let film = Film::open(&path).expect("it is whole");
        assert_eq!(film.troubles().count(), 0);
        let verdict = film::verify(film, GAMES, &pool, 10, &mut |_, _| ()).expect("it can be played");
        assert!(verdict.is_sound(), "{verdict:?}");
        assert_eq!((verdict.cycle, verdict.hash, verdict.chain), (LONG, hashes[LONG as usize], *chain));
        assert!(verdict.compared > 80);
        let mut player = Player::new(Film::open(&path).expect("it is whole"), GAMES, Shown::Own).unwrap();
        for cycle in [0, LONG, 17, 18, 302, 301, 5, 400] {
            player.seek(Moment::at(cycle), &pool).expect("it is in it");
            let session = player.session().expect("it was reached");
            assert_eq!((session.world().cycle(), session.hash()), (cycle, hashes[cycle as usize]));
        }
        assert!(player.take_notes().is_empty());
        assert!(player.seek(Moment::at(LONG + 1), &pool).unwrap_err().to_string().contains("take 0, cycles 0 to 403"));
    }
}

#[test]
fn a_filmed_step_allocates_nothing() {
    let folder = Folder::new();
    let mut session = begin("tiny", 5);
    session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
    let before = allocations_while_forbidden();
    for _ in 0..1500 {
        forbid(|| session.step(&Alone));
    }
    assert_eq!(allocations_while_forbidden() - before, 0);
}

#[test]
fn a_film_torn_anywhere_is_played_up_to_the_tear() {
    let folder = Folder::new();
    let (path, Recorded { bytes, hashes, .. }) = record(&folder, SHORT);
    let torn = folder.join("torn.film");
    let film = Film::open(&path).expect("it is whole");
    let first = film.index().takes[0].keyframes[0].end() as usize;
    // Every boundary between two chunks, and some offsets within; playing is slow.
    let ends: Vec<usize> = film.index().chunks.iter().map(|place| place.end() as usize).collect();
    let within = ends.windows(2).filter(|pair| pair[1] > first).map(|pair| (pair[0] + pair[1]) / 2);
    let lengths: BTreeSet<usize> = (0..first).step_by(97).chain(ends.iter().copied()).chain(within).collect();
    let mut player_reached = 0;
    for length in lengths {
        fs::write(&torn, &bytes[..length]).unwrap();
        let Ok(film) = Film::open(&torn) else {
            assert!(length < first);
            continue;
        };
        let mut player = Player::new(film, GAMES, Shown::Own).unwrap();
        let Ok(reached) = player.seek(Moment::default(), &Alone) else {
            assert!(length < first, "with its first block it can be played");
            continue;
        };
        assert_eq!(player.session().unwrap().hash(), hashes[reached.cycle as usize]);
        assert!(reached.cycle >= player_reached, "a longer film reaches further");
        assert!(reached.cycle <= player_reached + 100, "no chunk holds more than a second");
        player_reached = reached.cycle;
    }
    assert_eq!(player_reached, SHORT);
}

#[test]
fn an_altered_film_never_gives_another_world_silently() {
    let folder = Folder::new();
    let (_, Recorded { bytes, hashes, .. }) = record(&folder, SHORT);
    let altered = folder.join("altered.film");
    let mut at = 11;
    for round in 0..12 {
        let mut other = bytes.clone();
        at = (at * 31 + 7919 * round + 13) % bytes.len();
        other[at] ^= 1 << (round % 8);
        fs::write(&altered, &other).unwrap();
        let Ok(film) = Film::open(&altered) else { continue };
        let Ok(verdict) = film::verify(film, GAMES, &Alone, 3, &mut |_, _| ()) else { continue };
        assert!(!verdict.is_sound(), "byte {at} was altered, and it was not reported");
        let mut player = Player::new(Film::open(&altered).unwrap(), GAMES, Shown::Own).unwrap();
        for cycle in [SHORT, 150, 7] {
            if player.seek(Moment::at(cycle), &Alone).is_ok() {
                assert_eq!(player.session().unwrap().hash(), hashes[cycle as usize], "byte {at}, cycle {cycle}");
            }
        }
    }
}

#[test]
fn false_inputs_in_a_film_are_detected_by_its_hashes() {
    use astrarium::relay::film::{FilmIndex, FilmWriter, HEAD_BYTES, Head, Kind, Stamp};
    let folder = Folder::new();
    let (_, Recorded { bytes, .. }) = record(&folder, SHORT);
    let forged = folder.join("forged.film");
    let index = FilmIndex::read(&mut &bytes[..]).unwrap();
    // With valid checksums, but one false hash.
    let mut writer = FilmWriter::new(index.film, 0);
    let mut out = Vec::new();
    for place in &index.chunks {
        let mut body = Vec::new();
        FilmIndex::body(&mut &bytes[..], place, &mut body).unwrap();
        let Head { take, stamp, .. } = place.head;
        let kind = place.head.kind().unwrap();
        if kind == Kind::Inputs && stamp.cycle > 100 {
            body[3] ^= 1;
        }
        out.extend(writer.chunk(kind, take, Stamp { ..stamp }, &body).unwrap());
        out.extend(body);
    }
    assert!(out.len() > HEAD_BYTES);
    fs::write(&forged, out).unwrap();
    let verdict = film::verify(Film::open(&forged).unwrap(), GAMES, &Alone, 3, &mut |_, _| ()).unwrap();
    let departure = verdict.departure.expect("the divergence is detected");
    assert!(departure.cycle > 100 && departure.cycle <= SHORT, "{departure:?}");
}

#[test]
fn a_snippet_is_a_complete_film() {
    let folder = Folder::new();
    let (path, Recorded { hashes, .. }) = record(&folder, LONG);
    let out = folder.join("b.film");
    for (from, to) in [(100, 200), (101, 233), (0, LONG), (398, LONG), (250, 250)] {
        let film = Film::open(&path).unwrap();
        let parent = film.index().film;
        let snippet = film::cut(film, GAMES, (Moment::at(from), to), &out, &Alone).expect("it is in it");
        assert_eq!((snippet.first, snippet.last, snippet.hash), (from, to, hashes[to as usize]));
        let film = Film::open(&out).expect("it is whole");
        let opening = film.opening(0).unwrap().clone();
        assert_eq!(opening.parent.map(|parent| (parent.film, parent.cycle)), Some((parent, from)));
        let verdict = film::verify(film, GAMES, &Alone, 3, &mut |_, _| ()).unwrap();
        assert!(verdict.is_sound(), "{from} to {to}: {verdict:?}");
        assert_eq!((verdict.cycle, verdict.hash, verdict.chain), (to, snippet.hash, snippet.chain));
    }
    let film = Film::open(&path).unwrap();
    assert!(film::cut(film, GAMES, (Moment::at(1), 2), &path, &Alone).unwrap_err().to_string().contains("into itself"));
}

#[test]
fn a_branch_replays_like_the_film() {
    let folder = Folder::new();
    let (path, Recorded { hashes, chain, .. }) = record(&folder, LONG);
    let second = folder.join("b.film");
    for cycle in [0, 100, 303] {
        let player = Player::new(Film::open(&path).unwrap(), GAMES, Shown::Own).unwrap();
        let present = sandbox::ENTRY.content("tiny").ok().filter(|_| cycle == 100);
        let (mut session, parent) = player.go_on(Moment::at(cycle), present, &Alone).expect("it is in it");
        assert_eq!(session.hash(), hashes[cycle as usize]);
        session.film_to(&second, Some(parent)).expect("the folder can be written");
        run_to(&mut session, LONG);
        assert_eq!((session.hash(), session.chain()), (hashes[LONG as usize], *chain), "from {cycle}");
        session.end_film("enough").expect("it was recorded");
        let film = Film::open(&second).unwrap();
        assert_eq!(film.opening(0).unwrap().parent, Some(parent));
        let verdict = film::verify(film, GAMES, &Alone, 3, &mut |_, _| ()).unwrap();
        assert!(verdict.is_sound(), "{verdict:?}");
        assert_eq!(verdict.hash, hashes[LONG as usize]);
    }
}

#[test]
fn a_load_begins_a_new_take() {
    let folder = Folder::new();
    let (path, save) = (folder.join("a.film"), folder.join("a.save"));
    let mut session = begin("tiny", 5);
    session.film_to(&path, None).unwrap();
    run_to(&mut session, 102);
    saves::write(&mut session, &save).unwrap();
    let hash = session.hash();
    run_to(&mut session, 198);
    let left = session.hash();
    saves::load(&mut session, &save).unwrap();
    run_to(&mut session, 150);
    let last = session.hash();
    session.end_film("enough").unwrap();
    let mut player = Player::new(Film::open(&path).unwrap(), GAMES, Shown::Own).unwrap();
    assert_eq!(player.film().index().takes.len(), 2);
    let mut hash_at = |moment: &str| {
        player.seek(Moment::read(moment).unwrap(), &Alone).unwrap();
        player.session().unwrap().hash()
    };
    assert_eq!((hash_at("1:102"), hash_at("0:102"), hash_at("150")), (hash, hash, last));
    // Up to the brush cycle in which it was left.
    assert_eq!((hash_at("0:198"), hash_at("0:")), (left, left));
    assert!(player.seek(Moment::read("0:199").unwrap(), &Alone).is_err());
    assert_eq!(player.film().ending(0).expect("it was written").words, "another world was loaded");
    let verdict = film::verify(Film::open(&path).unwrap(), GAMES, &Alone, 3, &mut |_, _| ()).unwrap();
    assert!(verdict.is_sound(), "{verdict:?}");
}

#[test]
fn a_world_that_is_rolled_back_ends_its_take_too() {
    let folder = Folder::new();
    let path = folder.join("a.film");
    let mut session = begin("tiny", 5);
    session.film_to(&path, None).unwrap();
    run_to(&mut session, 31);
    let early = session.world().bytes().to_vec();
    run_to(&mut session, 48);
    let left = session.hash();
    session.world_mut().adopt(&early).unwrap();
    run_to(&mut session, 40);
    session.end_film("enough").unwrap();
    let mut player = Player::new(Film::open(&path).unwrap(), GAMES, Shown::Own).unwrap();
    player.seek(Moment::read("0:48").unwrap(), &Alone).unwrap();
    assert_eq!(player.session().unwrap().hash(), left);
    let verdict = film::verify(Film::open(&path).unwrap(), GAMES, &Alone, 3, &mut |_, _| ()).unwrap();
    assert!(verdict.is_sound(), "{verdict:?}");
}

#[test]
fn a_game_that_panics_leaves_a_film_up_to_its_last_complete_cycle() {
    let folder = Folder::new();
    let path = folder.join("a.film");
    let content = LAMPS.content("breaks in painting").expect("it has no tags");
    let start = start("breaks in painting", 5);
    let mut session = Session::begin(&LAMPS, content, &start, &Pages).expect("the level is there");
    session.film_to(&path, None).unwrap();
    let words = words_of_panic(|| run_to(&mut session, 2 * FAULT));
    session.end_film(&words).unwrap();
    let film = Film::open(&path).unwrap();
    assert!(film.ending(0).expect("it was written").words.contains("a fuse blew"), "{words}");
    assert_eq!(film.find(Moment::default()).ok(), Some((0, FAULT)));
    let verdict = film::verify(film, &[LAMPS], &Alone, 3, &mut |_, _| ()).unwrap();
    assert!(verdict.is_sound() && verdict.cycle == FAULT, "{verdict:?}");
}

#[test]
fn track_items_are_found() {
    let folder = Folder::new();
    let path = folder.join("a.film");
    let mut session = begin("tiny", 5);
    session.film_to(&path, None).unwrap();
    run_to(&mut session, 60);
    session.film_mut().unwrap().lay("network", 60, &[1, 2, 3]);
    run_to(&mut session, 100);
    session.end_film("enough").unwrap();
    film::mark(Film::open(&path).unwrap(), Moment::at(70), "look here").expect("it can be written");
    // A torn file can still be marked.
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    film::mark(Film::open(&path).unwrap(), Moment::at(80), "and here").expect("it can be written");
    let film = Film::open(&path).unwrap();
    assert_eq!(film.troubles().count(), 0);
    let tracks = film.tracks();
    let message: Vec<(&str, u64, &[u8])> = tracks
        .iter()
        .filter(|(name, _)| name != profile::track::TRACK)
        .flat_map(|(name, items)| items.iter().map(move |item| (&**name, item.cycle, &*item.bytes)))
        .collect();
    assert_eq!(message, [("markers", 80, &b"and here"[..]), ("network", 60, &[1, 2, 3])]);
}

#[test]
fn a_full_disk_is_reported_once_and_the_world_continues() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let mut session = begin("tiny", 5);
    session.film_to(full, None).expect("it can be opened");
    let mut message = Vec::new();
    // The disk has its own thread, which may be slow.
    for _ in 0..200 {
        for _ in 0..100 {
            session.step(&Alone);
        }
        message.extend(session.content_mut().take_lines());
        if !message.is_empty() {
            break;
        }
    }
    (0..100).for_each(|_| session.step(&Alone));
    message.extend(session.content_mut().take_lines());
    assert_eq!(message.len(), 1, "{message:?}");
    assert!(message[0].starts_with("recording stopped: /dev/full: writing it failed"), "{message:?}");
    let (_, trouble) = session.end_film("enough").expect("a film was requested");
    assert_eq!(trouble, None, "it was reported before");
}

/// The same film with other bodies of chunks, behind right checksums.
fn rewritten(path: &Path, change: impl Fn(Kind, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let film = Film::open(path).expect("it is whole");
    let mut writer = FilmWriter::new(film.index().film, 0);
    let mut bytes = Vec::new();
    for place in &film.index().chunks {
        let kind = place.head.kind().expect("it is known");
        let body = change(kind, film.body(place).expect("it is whole"));
        bytes.extend(writer.chunk(kind, place.head.take, place.head.stamp, &body).expect("there is room"));
        bytes.extend(body);
    }
    bytes
}

#[test]
fn keyframes_of_another_length_than_the_plans_are_refused_before_they_are_decoded() {
    const LENGTH: u64 = 1 << 30;
    let folder = Folder::new();
    let (path, _) = record(&folder, SHORT);
    let forged = folder.join("forged.film");
    // A gibibyte of zeros in four megabytes, in pieces of four mebibytes as a film has them.
    let mut piece = Vec::new();
    compress(&vec![0; 4 << 20], &mut piece);
    let piece = [&(piece.len() as u32).to_le_bytes()[..], &piece].concat();
    let squeezed = [&[0; 8][..], &piece.repeat(256)].concat();
    for is_squeezed in [true, false] {
        let change = |kind: Kind, body: Vec<u8>| match kind {
            Kind::Opening => Opening { block_bytes: LENGTH, ..Opening::decode(&body).expect("it is whole") }.encode(),
            Kind::Whole if is_squeezed => squeezed.clone(),
            // The first piece is the world's; the length can be believed.
            Kind::Whole => [&body[..], &vec![0; 5 << 20]].concat(),
            _ => body,
        };
        fs::write(&forged, rewritten(&path, change)).expect("the folder can be written");
        let film = Film::open(&forged).expect("its checksums are right");
        let mut player = Player::new(film, GAMES, Shown::Own).expect("it has a take");
        let (sought, heap) = measure(|| player.seek(Moment::at(10), &Alone));
        let said = sought.expect_err("it is forged").to_string();
        if is_squeezed {
            assert!(said.contains("found 1073741824 bytes"), "{said}");
        }
        assert!(heap.peak < 64 << 20, "{heap:?}");
    }
}

#[test]
fn a_moment_whose_keyframe_is_damaged_and_has_no_inputs_before_it_is_an_error() {
    let folder = Folder::new();
    let (recorded, _) = record(&folder, SHORT);
    let film = Film::open(&recorded).expect("it is whole");
    let path = folder.join("holes.film");
    let mut writer = FilmWriter::new(9, 0);
    let mut bytes = Vec::new();
    for kind in [Kind::Opening, Kind::Whole, Kind::Whole] {
        let place = film.index().of_kind(kind).next().expect("there is one");
        let mut body = film.body(place).expect("it is whole");
        let mut stamp = place.head.stamp;
        if kind == Kind::Whole && bytes.len() > 1000 {
            (stamp.cycle, stamp.until) = (50, 50);
            body[9] ^= 0x55;
        }
        bytes.extend(writer.chunk(kind, 0, stamp, &body).expect("there is room"));
        bytes.extend(body);
    }
    fs::write(&path, bytes).expect("the folder can be written");
    let mut player = Player::new(Film::open(&path).expect("its checksums are right"), GAMES, Shown::Own).unwrap();
    assert_eq!(player.seek(Moment::at(0), &Alone).expect("it is in it").cycle, 0);
    let said = player.seek(Moment::at(50), &Alone).expect_err("its keyframe is damaged").to_string();
    assert!(said.contains("50") && said.contains("holes.film"), "{said}");
}

/// A film with so many takes, whose content is missing, and a chain of so many lists of contents.
fn film_of_takes(path: &Path, recorded: &Path, takes: u16, lists: u64) {
    let film = Film::open(recorded).expect("it is whole");
    let mut writer = FilmWriter::new(9, 0);
    let mut bytes = Vec::new();
    let mut add = |kind: Kind, take: u16, stamp: Stamp, body: &[u8]| {
        bytes.extend(writer.chunk(kind, take, stamp, body).expect("there is room"));
        bytes.extend(body);
    };
    let body_of = |kind: Kind| {
        let place = *film.index().of_kind(kind).next().expect("there is one");
        (place.head.stamp, film.body(&place).expect("it is whole"))
    };
    let (opening, (stamp, _)) = (body_of(Kind::Opening), body_of(Kind::Whole));
    // Its content is not among the lists, but only they tell.
    let (mut session, mut whole) = (begin("tiny", 5), Vec::new());
    session.world_mut().set_content(1 << 40);
    keyframe::encode_whole(session.chain(), session.world().bytes(), &mut whole);
    let said = Opening::decode(&opening.1).expect("it is whole");
    for take in 0..takes {
        add(Kind::Opening, take, opening.0, &said.encode());
        if take == 0 {
            for number in 0..lists {
                let rows = vec![(format!("a/{number}.object"), [number as u8; 32])];
                let list = ContentList { identity: number + 1, base: number.checked_sub(1), rows };
                add(Kind::Content, 0, Stamp { cycle: 1, ..Stamp::default() }, &list.encode());
            }
        }
        add(Kind::Whole, take, stamp, &whole);
    }
    fs::write(path, bytes).expect("the folder can be written");
}

#[test]
fn the_lists_of_a_film_are_read_once_for_all_of_its_takes() {
    let folder = Folder::new();
    let (recorded, _) = record(&folder, SHORT);
    let path = folder.join("takes.film");
    let heap_of = |takes: u16, lists: u64| {
        film_of_takes(&path, &recorded, takes, lists);
        let film = Film::open(&path).expect("its checksums are right");
        let (verdict, heap) = measure(|| film::verify(film, GAMES, &Alone, 10, &mut |_, _| ()));
        assert!(verdict.is_ok_and(|verdict| verdict.notes.len() == usize::from(takes)), "each take is told");
        heap.bytes
    };
    let [one, many] = [1, 9].map(|takes| heap_of(takes, 4000).saturating_sub(heap_of(takes, 0)));
    assert!(one > 0 && many < 2 * one, "the lists cost {one} bytes of heap in one take, {many} in nine");
}
