//! The loop: its chain, its robots, its allocations, and its reports; and what others may say to it.

mod common;
mod hostile_machines;

use std::fs;

use astrarium::base::hash::mix;
use astrarium::host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::relay::{CrashReport, Sealed};
use astrarium::state::Alone;
use astrarium::state::backups::Schedule;
use astrarium::tags::Library;
use astrarium::{Content, GameEntry, Session, saves};
use common::{Folder, LAMPS, Lamps, run_to, start, tiny, words_of_panic};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SCHEDULE: Schedule = Schedule { short_cycles: 20, short_count: 3, long_cycles: 100, long_count: 2 };

#[test]
fn the_chain_is_a_hash_of_the_hashes_of_safe_cycles() {
    let mut session = tiny(1);
    let mut chain = 0;
    assert_eq!(session.chain(), chain);
    for cycle in 1..=50 {
        session.step(&Alone);
        if cycle % 5 == 0 {
            chain = mix(chain, session.hash());
        }
        assert_eq!(session.chain(), chain, "cycle {cycle}");
    }
}

#[test]
fn the_chain_continues_across_a_load_in_the_middle_of_a_safe_cycle() {
    let folder = Folder::new();
    let path = folder.join("a.save");
    let mut whole = tiny(6);
    run_to(&mut whole, 200);
    for cycle in [50, 51, 54, 123] {
        let mut first = tiny(6);
        run_to(&mut first, cycle);
        saves::write(&mut first, &path).expect("the folder can be written");
        let mut second = tiny(77);
        saves::load(&mut second, &path).expect("it is sound");
        second.set_chain(first.chain());
        run_to(&mut second, 200);
        assert_eq!((second.hash(), second.chain()), (whole.hash(), whole.chain()), "loaded at {cycle}");
    }
}

#[test]
fn robots_follow_the_seed_of_their_world() {
    let folder = Folder::new();
    let save = folder.join("a.save");
    let inputs = |session: &mut Session| -> Vec<Sealed> {
        let path = folder.join("a.crash");
        session.record_to(&path, SCHEDULE).expect("the folder can be written");
        run_to(session, 100);
        let bytes = fs::read(&path).unwrap();
        let records = CrashReport::read(&bytes).expect("it is whole").records;
        assert_eq!(records.len(), 20);
        records.into_iter().map(|record| record.inputs).collect()
    };
    let mut first = tiny(6);
    saves::write(&mut first, &save).expect("the folder can be written");
    let mut other = tiny(7);
    let expected = inputs(&mut first);
    assert_ne!(inputs(&mut other), expected, "another seed gives other inputs");
    saves::load(&mut other, &save).expect("it is sound");
    assert_eq!(inputs(&mut other), expected);
    assert_eq!(first.hash(), other.hash());
}

#[test]
fn a_whole_step_allocates_nothing() {
    let folder = Folder::new();
    for is_recorded in [false, true] {
        let mut session = tiny(1);
        let pool = ThreadPool::new(2);
        if is_recorded {
            session.record_to(&folder.join("a.crash"), SCHEDULE).expect("the folder can be written");
        }
        let before = allocations_while_forbidden();
        for _ in 0..500 {
            forbid(|| session.step(&pool));
        }
        assert_eq!(allocations_while_forbidden() - before, 0, "recorded: {is_recorded}");
    }
}

#[test]
fn any_number_of_players_can_play() {
    for players in [0, 1, 64] {
        let sessions = [1, 3].map(|workers| {
            let mut start = start("tiny", 1);
            start.players = players;
            let mut session = Session::new(
                (sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()),
                Content::none(),
                &start,
                &Pages,
            );
            let pool = ThreadPool::new(workers);
            (0..60).for_each(|_| session.step(&pool));
            (session.hash(), session.chain())
        });
        assert_eq!(sessions[0], sessions[1], "{players} players");
    }
}

#[test]
fn a_robot_that_does_too_much_is_cut_short() {
    let game = std::sync::Arc::new(Lamps::new("sound"));
    let mut session = Session::new(game.clone(), Content::none(), &start("sound", 1), &Pages);
    run_to(&mut session, 500);
    let events = game.meter.get(session.world()).events;
    let safe_cycles = 100;
    assert!(events > 2 * 3 * safe_cycles && events < 2 * 64 * safe_cycles, "{events} events of two players");
}

#[test]
fn a_session_replayed_from_its_report_has_the_same_chain() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let mut session = tiny(2);
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    run_to(&mut session, 95);
    let bytes = fs::read(&path).unwrap();
    let report = CrashReport::read(&bytes).expect("it is whole");
    let mut again = tiny(2);
    while again.world().cycle() < 95 {
        let cycle = again.world().cycle();
        let record = cycle.is_multiple_of(5).then(|| report.record(cycle / 5).expect("all are there"));
        again.replay(record.map(|record| &record.inputs), &Alone);
    }
    assert_eq!((again.hash(), again.chain()), (session.hash(), session.chain()));
}

#[test]
fn a_game_whose_world_has_another_name_is_refused_at_once() {
    let entry = GameEntry { name: "lights", ..LAMPS };
    let message = words_of_panic(|| Session::begin(&entry, Content::none(), &start("sound", 1), &Pages).map(drop));
    assert!(message.contains("Layout::of_world(\"lights\")"), "{message}");
    let begun = Session::begin(&LAMPS, Content::none(), &start("nowhere", 1), &Pages);
    let error = begun.err().expect("no such level").to_string();
    assert!(error.contains("sound") && error.contains("found \"nowhere\""), "{error}");
}
