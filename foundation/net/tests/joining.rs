//! Machines that join a session while it is played, and the letters of joining.

use base::StringId;
use net::Rehearsal;
use net::letter::{BlockHead, FORMAT, Identities, Letter, Offer, Roster, RosterEntry};
use net::limits::PLAYERS_MAX;
use net::lockstep::{JoinPoint, Kinds, LockstepReport, PlayerBatch, Record, Term};
use net::rights::{Right, RightUse};
use net::simulation::profile;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000;

/// Runs in steps until the machine has become a member, and returns how long that took.
fn join(session: &mut Rehearsal, place: usize) -> u64 {
    let began_us = session.now_us;
    assert!(session.join(place), "machine {place} can join");
    while !session.machines[0].peer.members().contains(&(place as u8)) {
        session.run_until(session.now_us + 10_000);
        assert!(session.now_us < began_us + 10 * SECOND, "machine {place} becomes a member");
    }
    session.now_us - began_us
}

#[test]
fn a_machine_that_left_joins_again_and_its_inputs_count() {
    for (seed, one) in [(1, profile::LAN), (2, profile::DSL), (3, profile::MOBILE), (4, profile::MOUNTAIN_CABIN)] {
        let mut session = Rehearsal::new(seed, &[one; 4], 5_000);
        session.actions_per_minute = 400;
        session.run_until(8 * SECOND);
        session.machines[2].peer.leave();
        session.run_until(16 * SECOND);
        assert!(!session.machines[0].peer.members().contains(&2), "{}: it has left", one.name);
        let stalled_us: Vec<u64> = [0, 1, 3].map(|place: usize| session.machines[place].peer.stalled_us()).to_vec();
        join(&mut session, 2);
        let (_, before) = session.machines[2].delays_us;
        session.run_until(session.now_us + 12 * SECOND);
        assert_eq!(session.check(), Ok(()), "{}", one.name);
        assert_eq!(session.living().len(), 4, "{}", one.name);
        let machine = &session.machines[2];
        assert!(machine.peer.members().len() == 4, "{}: {:?}", one.name, machine.peer.members());
        assert!(machine.delays_us.1 > before + 20, "{}: {} inputs", one.name, machine.delays_us.1 - before);
        let joined = |(_, report): &(u64, LockstepReport)| matches!(report, LockstepReport::Joined { player: 2, .. });
        for place in 0..4 {
            assert!(session.machines[place].reports.iter().any(joined), "{}: machine {place} is told", one.name);
        }
        if one == profile::LAN {
            // The others play on while it joins.
            for (place, stalled_us) in [0, 1, 3].into_iter().zip(stalled_us) {
                let more_us = session.machines[place].peer.stalled_us() - stalled_us;
                assert!(more_us < 50_000, "machine {place} stalled for {more_us} µs");
            }
        }
    }
}

#[test]
fn who_joined_takes_part_in_the_succession() {
    let mut session = Rehearsal::new(7, &[profile::FIBRE; 3], 5_000);
    session.actions_per_minute = 300;
    session.run_until(3 * SECOND);
    session.machines[1].peer.leave();
    session.run_until(9 * SECOND);
    join(&mut session, 1);
    session.run_until(14 * SECOND);
    session.network.kill(0);
    session.run_until(24 * SECOND);
    assert_eq!(session.check(), Ok(()));
    assert_eq!(session.living(), [1, 2]);
    let host = session.machines[1].peer.term().host;
    assert_eq!(session.machines[2].peer.term().host, host);
    assert_eq!(host, 2, "who joined last is the last to stand");
    let chains = session.machines[1].chains.len();
    session.run_until(26 * SECOND);
    assert!(session.machines[1].chains.len() > chains + 30);
}

#[test]
fn sessions_in_which_machines_come_and_go_agree() {
    for seed in 0..12 {
        let profiles = [profile::LAN, profile::DSL, profile::WIFI, profile::FIBRE];
        let mut session = Rehearsal::new(seed, &profiles, 5_000);
        session.actions_per_minute = 300;
        for round in 0..4 {
            session.run_until(session.now_us + 2 * SECOND);
            let place = 1 + (seed as usize + round) % 3;
            if session.machines[0].peer.members().contains(&(place as u8)) {
                assert!(session.machines[0].peer.kick(place as u8));
            } else {
                join(&mut session, place);
            }
            assert_eq!(session.check(), Ok(()), "seed {seed}");
        }
        session.run_until(session.now_us + 4 * SECOND);
        assert_eq!(session.check(), Ok(()), "seed {seed}");
        let shortest = session.living().into_iter().map(|place| session.machines[place].chains.len()).min();
        assert!(shortest >= Some(200), "seed {seed}: {shortest:?} cycles in 12 s");
    }
}

#[test]
fn nothing_joins_twice_or_without_its_records() {
    let mut session = Rehearsal::new(3, &[profile::LAN; 3], 5_000);
    session.run_until(SECOND);
    let end = session.machines[0].peer.known_end();
    assert!(!session.machines[0].peer.admit(1, end), "it is a member");
    assert!(!session.machines[0].peer.admit(9, end + 1), "a cycle that is not decided");
    assert!(!session.machines[0].peer.admit(PLAYERS_MAX as u8, end), "no such player");
    assert!(!session.machines[1].peer.admit(9, end), "only the host can");
    assert!(session.machines[0].peer.admit(9, end));
    assert!(!session.machines[0].peer.admit(9, end), "it is about to join");
}

fn letters() -> Vec<Letter> {
    let identities = Identities { build: 1, content: 2, layout: 3 };
    let offer = Offer {
        game: "skirmish".into(),
        version: "1".into(),
        level: "levels/a".into(),
        identities,
        seed: 9,
        players: 2,
        machine: 1,
        cycle_us: 50_000,
        kinds: vec![StringId::from("order")],
    };
    let head = BlockHead {
        next: 5,
        base: 6,
        level: "main".into(),
        bytes: 7,
        compressed: 6,
        hash: 8,
        chain: 9,
        played: vec![0, 14],
    };
    let point = JoinPoint {
        term: Term { number: 3, host: 2 },
        first: 77,
        chain: 1 << 60,
        members: vec![2, 0],
        taken: [300; PLAYERS_MAX],
        is_paused: true,
    };
    let entry = |machine: u8, address: Option<&str>| RosterEntry {
        machine,
        name: format!("Änne {machine}"),
        is_ready: true,
        is_playing: machine == 3,
        asks_pause: machine == 2,
        identity: [machine; 32],
        address: address.map(|text| text.parse().expect("it is an address")),
    };
    let machines = vec![entry(3, None), entry(2, Some("10.0.0.2:7322")), entry(14, Some("[fd00::7]:1"))];
    vec![
        Letter::Hello { format: FORMAT, is_observer: true, name: "Änne".into(), player: Some(3), is_ready: false },
        Letter::Offer(offer),
        Letter::Accept(identities),
        Letter::Refused { why: "full".into() },
        Letter::Tags(vec![("ships/corvette.ship".into(), 5)]),
        Letter::Block(head),
        Letter::Part(vec![1, 2, 3]),
        Letter::Loaded { next: 900 },
        Letter::Tail { first: 3, records: vec![0] },
        Letter::Begin(point),
        Letter::Done { cycle: 4, chain: 5 },
        Letter::Farewell { why: "it is late".into() },
        Letter::Compare { at: 300 },
        Letter::Differs { machine: 4, cycle: 77, text: "object 3: hull 4 ≠ 5".into() },
        Letter::Roster(Roster { you: 2, host: 3, has_begun: true, is_found: true, machines }),
        Letter::Say { machine: 4, text: "well played".into() },
        Letter::Ready(true),
        Letter::Choose(1),
        Letter::AskPause(false),
    ]
}

#[test]
fn letters_are_read_as_they_were_written() {
    for letter in letters() {
        assert_eq!(Letter::read(&letter.write()), Ok(letter));
    }
    let long = Letter::Farewell { why: "ä".repeat(3000) };
    assert!(matches!(Letter::read(&long.write()), Ok(Letter::Farewell { why }) if why.len() == 2048));
}

#[test]
fn a_greeting_of_another_version_is_known_by_its_number() {
    let told = Letter::read(&[0, 1, 0, 1]);
    assert!(matches!(told, Ok(Letter::Hello { format: 1, .. })), "{told:?}");
}

#[test]
fn names_and_lines_cannot_move_a_cursor() {
    let said = Letter::Say { machine: 1, text: "a\u{1b}[2Jb\r\nc\u{202e}".into() };
    assert_eq!(Letter::read(&said.write()), Ok(Letter::Say { machine: 1, text: "a[2Jbc".into() }));
    for why in ["a\u{1b}]0;b\u{7}", "\u{2067}a\u{2028}]0;b\u{2069}", " a]\u{61c}0;b\r"] {
        let plain = Letter::Refused { why: "a]0;b".into() };
        assert_eq!(Letter::read(&Letter::Refused { why: why.into() }.write()), Ok(plain), "{why:?}");
    }
    let offer = Letter::Offer(Offer { game: "a\u{1b}c".into(), cycle_us: 50_000, ..Offer::default() });
    assert!(matches!(Letter::read(&offer.write()), Ok(Letter::Offer(offer)) if offer.game == "ac"));
    let long = Letter::Say { machine: 1, text: "ä".repeat(400) };
    assert!(matches!(Letter::read(&long.write()), Ok(Letter::Say { text, .. }) if text.len() == 240));
}

#[test]
fn a_tail_is_read_as_it_was_written() {
    let kinds = Kinds::new(&[StringId::from("order")]);
    let event = relay::Event::new(StringId::from("order"), &[1, 2, 70_000]);
    let records = vec![
        Record::default(),
        Record {
            batches: vec![PlayerBatch { player: 3, number: 8, events: vec![event] }],
            left: vec![1, 2],
            joined: vec![3, 14],
            uses: vec![RightUse { by: 14, right: Right::Kick, whom: 1 }],
        },
    ];
    assert_eq!(kinds.read_tail(&kinds.write_tail(&records)), Ok(records));
    // Who leaves comes before who joins, and both are players.
    for damaged in
        [&[1, 0x20, 0x83, 1][..], &[1, 0x10, 0x8f], &[1, 0x10, 15], &[1, 0x10, 0x4f, 0x30], &[1, 0x10, 0x40, 0x40]]
    {
        assert!(kinds.read_tail(damaged).is_err(), "{damaged:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_letter_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(letter) = Letter::read(&bytes) {
            prop_assert_eq!(Letter::read(&letter.write()), Ok(letter));
        }
    }

    #[test]
    fn a_damaged_letter_is_read_or_refused(place in 0usize..400, value: u8, cut in 0usize..60) {
        for letter in letters() {
            let mut bytes = letter.write();
            let length = bytes.len();
            bytes[place % length] = value;
            bytes.truncate(length.saturating_sub(cut).max(1));
            let _ = Letter::read(&bytes);
            let _ = Kinds::new(&[]).read_tail(&bytes);
        }
    }
}
