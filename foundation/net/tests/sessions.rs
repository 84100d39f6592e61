//! Whole sessions with faults: machines agree on every cycle they share, and none hangs.

use base::{Pcg, Random, StringId};
use net::Rehearsal;
use net::lockstep::{Ending, LockstepReport, Peer, SlowCause};
use net::rehearsal::{ORDER, faulty, try_seed};
use net::simulation::{Profile, profile};
use relay::Event;
use relay::limits::EVENTS_PER_BATCH_MAX;

const SECOND: u64 = 1_000_000;

fn session(seed: u64, profiles: &[Profile], actions: u32) -> Rehearsal {
    let mut session = Rehearsal::new(seed, profiles, 5_000);
    session.actions_per_minute = actions;
    session
}

fn agree(session: &Rehearsal, what: &str) {
    assert_eq!(session.check(), Ok(()), "{what}");
}

#[test]
fn eight_players_agree_and_their_inputs_take_effect() {
    for one in [profile::LAN, profile::DSL, profile::MOBILE, profile::MOUNTAIN_CABIN] {
        let mut session = session(1, &[one; 8], 250);
        session.run_until(20 * SECOND);
        agree(&session, one.name);
        for machine in &session.machines {
            let (sum_us, count) = machine.delays_us;
            assert!(machine.chains.len() > 200, "{}: {} cycles", one.name, machine.chains.len());
            assert!(count > 40, "{}: {count} inputs took effect", one.name);
            let mean_ms = sum_us / count / 1000;
            println!(
                "{} player {}: {mean_ms} ms mean, {} ms longest, window {} ms, stalled {} ms",
                one.name,
                machine.peer.player(),
                machine.delay_us_max / 1000,
                machine.peer.window_us() / 1000,
                machine.peer.stalled_us() / 1000
            );
        }
        assert!(session.machines.iter().all(|machine| machine.peer.term().number == 0), "{}", one.name);
    }
}

#[test]
fn a_bad_connection_slows_only_its_own_player() {
    let mut profiles = [profile::FIBRE; 4];
    profiles[3] = profile::MOUNTAIN_CABIN;
    let mut session = session(2, &profiles, 200);
    session.run_until(30 * SECOND);
    agree(&session, "one cabin");
    let mean_us = |place: usize| session.machines[place].delays_us.0 / session.machines[place].delays_us.1;
    assert!(mean_us(1) < 150_000 && mean_us(2) < 150_000, "{} and {} µs", mean_us(1), mean_us(2));
    assert!(mean_us(3) > 2 * mean_us(1), "{} µs", mean_us(3));
    let windows = [1, 3].map(|place: usize| session.machines[place].peer.window_us());
    assert!(windows[1] > windows[0] + 200_000, "the window follows the connection: {windows:?}");
    assert!(session.machines[1].peer.stalled_us() < SECOND, "{}", session.machines[1].peer.stalled_us());
}

#[test]
fn a_hiccup_of_300_ms_of_a_guest_stalls_no_other() {
    let mut session = session(3, &[profile::DSL; 4], 200);
    session.run_until(10 * SECOND);
    let before: Vec<u64> = session.machines.iter().map(|machine| machine.peer.stalled_us()).collect();
    session.network.stall(2, session.now_us + 300_000);
    session.run_until(15 * SECOND);
    agree(&session, "hiccup");
    for place in [0, 1, 3] {
        let stalled_us = session.machines[place].peer.stalled_us() - before[place];
        assert!(stalled_us < 20_000, "machine {place} stalled for {stalled_us} µs");
    }
    assert_eq!(session.living().len(), 4);
}

#[test]
fn a_slow_processor_is_named_and_recovers() {
    let mut session = session(4, &[profile::FIBRE; 3], 100);
    session.machines[2].cycles_per_second_max = 15;
    session.run_until(8 * SECOND);
    let named = LockstepReport::Slow { player: 2, cause: Some(SlowCause::Processor) };
    assert!(session.machines[0].reports.iter().any(|(_, report)| *report == named));
    session.machines[2].cycles_per_second_max = 0;
    session.run_until(14 * SECOND);
    let recovered = LockstepReport::Slow { player: 2, cause: None };
    assert_eq!(session.machines[0].reports.last().map(|(_, report)| *report), Some(recovered));
    agree(&session, "slow processor");
}

#[test]
fn a_different_world_is_noticed() {
    let mut session = session(5, &[profile::FIBRE; 3], 100);
    session.run_until(2 * SECOND);
    session.machines[1].peer.handle_hash(7);
    session.run_until(4 * SECOND);
    let found = session.machines[0]
        .reports
        .iter()
        .any(|(_, report)| matches!(report, LockstepReport::Desync { player: 1, .. }));
    assert!(found, "{:?}", session.machines[0].reports);
}

#[test]
fn a_host_whose_world_differs_from_most_is_outvoted() {
    let mut session = session(14, &[profile::FIBRE; 3], 100);
    session.run_until(2 * SECOND);
    session.machines[0].peer.handle_hash(7);
    session.run_until(4 * SECOND);
    let reports: Vec<LockstepReport> = session.machines[0].reports.iter().map(|(_, report)| *report).collect();
    assert_eq!(reports.iter().filter(|report| **report == LockstepReport::Outvoted).count(), 1, "{reports:?}");
    assert!(!reports.iter().any(|report| matches!(report, LockstepReport::Desync { .. })), "{reports:?}");
}

#[test]
fn players_who_leave_are_kicked_or_vanish_leave_the_others_in_the_same_state() {
    let mut session = session(6, &[profile::DSL; 5], 200);
    session.run_until(3 * SECOND);
    session.machines[1].peer.leave();
    assert!(session.machines[0].peer.kick(2));
    assert!(!session.machines[4].peer.kick(3), "only the host kicks");
    session.network.kill(3);
    session.run_until(12 * SECOND);
    agree(&session, "leavings");
    assert_eq!(session.machines[1].peer.ending(), Some(Ending::Left));
    assert_eq!(session.machines[2].peer.ending(), Some(Ending::Dropped));
    for place in [0, 4] {
        assert_eq!(session.machines[place].peer.members(), [0, 4]);
    }
}

#[test]
fn the_death_of_the_host_is_survived_within_a_second_of_its_detection() {
    for seed in 0..10 {
        let mut session = session(seed, &[profile::DSL; 6], 200);
        session.run_until(5 * SECOND);
        session.network.kill(0);
        session.run_until(12 * SECOND);
        agree(&session, "host death");
        assert_eq!(session.living(), [1, 2, 3, 4, 5], "seed {seed}");
        for place in 1..6 {
            let machine = &session.machines[place];
            assert_eq!(machine.peer.term().host, 1);
            assert_eq!(machine.peer.members(), [1, 2, 3, 4, 5]);
            let applied: Vec<u64> =
                machine.chains.iter().map(|(_, at_us)| *at_us).filter(|at| *at > 5 * SECOND).collect();
            let longest_us = applied.windows(2).map(|pair| pair[1] - pair[0]).max().expect("it went on");
            // 1.2 s of silence are the detection.
            assert!(longest_us < 2_200_000, "seed {seed}, machine {place}: {longest_us} µs without a cycle");
        }
    }
}

#[test]
fn a_host_that_leaves_hands_over_within_a_second() {
    for (seed, count) in [(0, 2), (1, 3), (2, 6), (3, 6)] {
        let mut session = session(seed, &[profile::DSL; 6][..count], 200);
        session.run_until(5 * SECOND);
        session.machines[0].peer.leave();
        session.run_until(12 * SECOND);
        agree(&session, "a host leaves");
        assert_eq!(session.machines[0].peer.ending(), Some(Ending::Left), "seed {seed}");
        let others: Vec<usize> = (1..count).collect();
        assert_eq!(session.living(), others, "seed {seed}");
        for machine in &session.machines[1..] {
            assert_eq!((machine.peer.term().number, machine.peer.term().host), (1, 1));
            assert!(!machine.peer.members().contains(&0));
            let applied: Vec<u64> =
                machine.chains.iter().map(|(_, at_us)| *at_us).filter(|at| *at > 4 * SECOND).collect();
            let longest_us = applied.windows(2).map(|pair| pair[1] - pair[0]).max().expect("it went on");
            assert!(longest_us < SECOND, "seed {seed}: {longest_us} µs without a cycle");
        }
    }
}

#[test]
fn a_burst_of_all_players_at_once_reaches_everybody() {
    let mut session = session(12, &[profile::DSL; 8], 100);
    session.run_until(2 * SECOND);
    for machine in &mut session.machines {
        // The largest events, of a kind that has no number.
        let event = Event::new(StringId::new("unlisted"), &[u32::MAX; 6]);
        let taken = (0..EVENTS_PER_BATCH_MAX).take_while(|_| machine.peer.add_event(event)).count();
        assert_eq!(taken, EVENTS_PER_BATCH_MAX);
    }
    let before: Vec<usize> = session.machines.iter().map(|machine| machine.chains.len()).collect();
    session.run_until(8 * SECOND);
    agree(&session, "a burst");
    assert_eq!(session.living().len(), 8);
    for (machine, before) in session.machines.iter_mut().zip(before) {
        let moved = machine.chains.len() - before;
        assert!(moved > 105, "{moved} cycles in six seconds");
        assert!(machine.peer.add_event(Event::new(ORDER, &[1])), "all of the burst was taken");
    }
}

#[test]
fn a_hopeless_machine_slows_nobody() {
    let mut session = session(13, &[profile::FIBRE; 4], 100);
    session.machines[3].cycles_per_second_max = 8;
    session.run_until(12 * SECOND);
    let before = session.machines[1].chains.len();
    for _ in 0..100 {
        let now_us = session.now_us + SECOND / 20;
        session.run_until(now_us);
        assert_eq!(session.machines[0].peer.speed(), 1000, "at {now_us} µs");
    }
    assert!(session.machines[1].chains.len() - before >= 98);
    agree(&session, "a hopeless machine");
}

#[test]
fn one_guest_that_does_not_hear_the_host_deposes_nobody() {
    let mut session = session(7, &[profile::DSL; 5], 200);
    session.run_until(3 * SECOND);
    let until_us = session.now_us + 3 * SECOND;
    session.network.cut(2, until_us);
    session.run_until(12 * SECOND);
    agree(&session, "a cut");
    assert_eq!(session.living().len(), 5);
    assert!(session.machines.iter().all(|machine| machine.peer.term().number == 0));
}

#[test]
fn a_host_that_was_cut_off_is_told_that_the_others_have_another() {
    let mut session = session(10, &[profile::DSL; 4], 200);
    session.run_until(3 * SECOND);
    let until_us = session.now_us + 8 * SECOND;
    session.network.cut(0, until_us);
    session.run_until(7 * SECOND);
    assert!(session.machines[0].peer.is_host() && session.machines[1].peer.is_host(), "it goes on alone");
    session.run_until(20 * SECOND);
    agree(&session, "a cut");
    assert_eq!(session.machines[0].peer.ending(), Some(Ending::Dropped));
    assert_eq!(session.living(), [1, 2, 3]);
}

#[test]
fn hundreds_of_sessions_with_faults_never_disagree_and_never_hang() {
    for seed in 0..300 {
        if let Err(fault) = try_seed(seed) {
            panic!("seed {seed}: {fault}");
        }
    }
}

#[test]
fn a_paused_session_stands_still_for_all_survives_its_host_and_goes_on() {
    let mut session = session(9, &[profile::DSL; 4], 200);
    session.run_until(3 * SECOND);
    assert!(!session.machines[1].peer.pause(1, true), "only the host pauses");
    assert!(session.machines[0].peer.pause(2, true));
    assert!(!session.machines[0].peer.pause(0, true), "it is about to be paused");
    session.run_until(5 * SECOND);
    let before: Vec<usize> = session.machines.iter().map(|machine| machine.chains.len()).collect();
    let stalled_us: Vec<u64> = session.machines.iter().map(|machine| machine.peer.stalled_us()).collect();
    session.run_until(9 * SECOND);
    for (place, before) in before.iter().enumerate() {
        let machine = &session.machines[place];
        assert!(machine.peer.is_paused(), "machine {place}");
        assert_eq!(machine.chains.len(), *before, "machine {place} stands still");
        assert_eq!(before, &session.machines[0].chains.len(), "all stand in the same cycle");
        assert!(machine.peer.stalled_us() < stalled_us[place] + 60_000, "a pause is no stall");
    }
    session.network.kill(0);
    session.run_until(14 * SECOND);
    assert_eq!(session.living(), [1, 2, 3]);
    assert!(session.machines[1].peer.is_host() && session.machines[1].peer.is_paused());
    let before = session.machines[1].chains.len();
    assert!(session.machines[1].peer.pause(1, false));
    session.run_until(17 * SECOND);
    agree(&session, "a pause");
    for place in [1, 2, 3] {
        let moved = session.machines[place].chains.len() - before;
        assert!(!session.machines[place].peer.is_paused() && moved > 50, "machine {place} moved by {moved} cycles");
    }
}

#[test]
fn a_rehearsal_is_the_same_again_from_its_seed() {
    let (one, other) = (faulty(11), faulty(11));
    let chains =
        |session: &Rehearsal| session.machines.iter().map(|machine| machine.chains.clone()).collect::<Vec<_>>();
    assert_eq!(chains(&one), chains(&other));
}

#[test]
fn damaged_messages_never_panic() {
    let mut session = session(8, &[profile::WIFI; 4], 500);
    session.run_until(2 * SECOND);
    let mut random = Pcg::new(5, 5);
    let mut peers: Vec<Peer> = session.machines.iter().map(|machine| machine.peer.clone()).collect();
    let mut messages = Vec::new();
    for round in 0..20_000_u64 {
        let now_us = session.now_us + round * 2_000;
        let place = random.below(4) as usize;
        while let Some((_, bytes)) = peers[place].poll_message(now_us) {
            if messages.len() < 500 {
                messages.push(bytes);
            }
        }
        let Some(mut bytes) = random.pick(&messages).cloned() else { continue };
        for _ in 0..random.range(0, 4) {
            let at = random.below(bytes.len() as u32) as usize;
            match random.below(3) {
                0 => bytes[at] = random.next_u32() as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, random.next_u32() as u8),
            }
        }
        let from = random.below(5) as u8;
        if let Err(error) = peers[place].handle_message(now_us, from, &bytes) {
            assert!(!error.to_string().is_empty());
        }
        while peers[place].poll_cycle().is_some() {
            peers[place].handle_hash(1);
        }
    }
}
