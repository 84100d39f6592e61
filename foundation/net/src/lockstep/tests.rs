//! A machine that knows the password may say anything: extreme numbers in well-formed messages, in any order.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use base::StringId;
use base::bytes::ByteWriter;
use proptest::prelude::*;

use relay::Event;

use super::gathering::{Waiting, gather};
use super::message::{GuestReport, Input, Note};
use super::{JoinPoint, Kinds, LockstepSettings, Peer, PlayerBatch, Record, Term};
use crate::letter::{BlockHead, Letter};
use crate::limits::{COUNT_MAX, INPUT_BYTES_MAX, PLAYERS_MAX, RECORD_BYTES_MAX};
use crate::rights::{Right, RightUse};

const CYCLE_US: u64 = 50_000;

/// Small numbers, and those at which sums, products and changes of sign overflow.
fn number() -> impl Strategy<Value = u64> {
    let edges = vec![COUNT_MAX - 1, COUNT_MAX, COUNT_MAX + 1, 1 << 44, 1 << 60, 1 << 63, u64::MAX - 1, u64::MAX];
    prop_oneof![3 => 0..8_u64, 1 => prop::sample::select(edges)]
}

fn term() -> impl Strategy<Value = Term> {
    (number(), 0..4_u8).prop_map(|(number, host)| Term { number, host })
}

fn player() -> impl Strategy<Value = u8> {
    0..PLAYERS_MAX as u8
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let batch = (player(), number()).prop_map(|(player, number)| PlayerBatch { player, number, events: Vec::new() });
    let players = || prop::collection::vec(player(), 0..3);
    let right = prop::sample::select(vec![Right::Pause, Right::Resume, Right::Begin, Right::Kick]);
    let used = (player(), right, player()).prop_map(|(by, right, whom)| RightUse { by, right, whom });
    let record = (prop::collection::vec(batch, 0..3), players(), players(), prop::collection::vec(used, 0..3));
    prop::collection::vec(record.prop_map(|(batches, left, joined, uses)| Record { batches, left, joined, uses }), 0..4)
}

fn report() -> impl Strategy<Value = GuestReport> {
    let inputs = prop::collection::vec((number(), number()), 0..3);
    (term(), [number(), number(), number(), number()], any::<(u32, u8, bool, bool)>(), inputs).prop_map(
        |(term, [end, backlog, hashed, aim], (chain, mark, is_missing, is_leaving), inputs)| {
            let inputs = inputs.into_iter().map(|(number, aim)| Input { number, aim, events: Vec::new() }).collect();
            GuestReport { term, end, backlog, hashed, chain, mark, aim, is_missing, is_leaving, inputs }
        },
    )
}

fn note() -> impl Strategy<Value = Note> {
    let cycles = (term(), [number(), number()], records(), any::<(u8, i64)>());
    prop_oneof![
        4 => cycles.prop_map(|(term, [base, first], records, (mark, slack))| {
            Note::Cycles { term, base, first, records, mark, slack }
        }),
        4 => report().prop_map(Note::Report),
        1 => (term(), number()).prop_map(|(term, number)| Note::Ask { term, number }),
        1 => (term(), term()).prop_map(|(term, next)| Note::Ready { term, next }),
        1 => (term(), number()).prop_map(|(next, end)| Note::Vote { next, end }),
        1 => (term(), number()).prop_map(|(next, first)| Note::Want { next, first }),
        1 => (term(), number(), records()).prop_map(|(next, first, records)| Note::Past { next, first, records }),
        1 => term().prop_map(|term| Note::Gone { term }),
    ]
}

fn point() -> impl Strategy<Value = JoinPoint> {
    let members = prop::collection::vec(player(), 0..PLAYERS_MAX);
    (term(), number(), any::<u64>(), members, number(), any::<bool>()).prop_map(
        |(term, first, chain, members, taken, is_paused)| {
            let taken = [taken; PLAYERS_MAX];
            JoinPoint { term, first, chain, members, taken, is_paused }
        },
    )
}

/// Says all of it to a machine, while its time passes.
fn say(mut peer: Peer, said: &[(u8, u32, Note)]) {
    let kinds = Kinds::new(&[]);
    let mut now_us = 0;
    for (from, later_us, note) in said {
        now_us += u64::from(*later_us);
        // One that is refused changes nothing.
        let _ = peer.handle_message(now_us, *from, &note.write(&kinds));
        for _ in 0..8 {
            if peer.poll_message(now_us).is_none() {
                break;
            }
        }
        while peer.poll_cycle().is_some() {
            peer.handle_hash(1);
        }
        while peer.poll_report().is_some() {}
    }
}

proptest! {
    #[test]
    fn extreme_numbers_from_machines_that_know_the_password_never_panic(
        me in 0..3_u8,
        said in prop::collection::vec((0..4_u8, 0..2_000_000_u32, note()), 1..40),
    ) {
        let settings = LockstepSettings { players: vec![0, 1, 2], host: 0, kinds: Vec::new(), cycle_us: CYCLE_US };
        say(Peer::new(me, &settings, 0), &said);
    }

    #[test]
    fn a_machine_that_is_told_an_extreme_beginning_never_panics(
        point in point(),
        said in prop::collection::vec((0..4_u8, 0..2_000_000_u32, note()), 1..40),
    ) {
        if let Ok(Letter::Begin(point)) = Letter::read(&Letter::Begin(point).write()) {
            prop_assert!(point.first <= COUNT_MAX && point.term.number <= COUNT_MAX);
            say(Peer::join(1, &[StringId::from("order")], 1_000_000, &point, 0), &said);
        }
    }
}

#[test]
fn a_voter_that_lies_about_its_records_stops_no_election() {
    for (end, patience_us) in [(COUNT_MAX, 1_000_000), (100, 2_900_000)] {
        let settings = LockstepSettings { players: vec![0, 1, 2, 3], host: 0, kinds: Vec::new(), cycle_us: CYCLE_US };
        let (kinds, term) = (Kinds::new(&[]), Term { number: 0, host: 0 });
        let mut peer = Peer::new(1, &settings, 0);
        let next = Term { number: 1, host: 1 };
        for now_us in (0..1_400_000 + patience_us).step_by(20_000) {
            let said = [
                (2, Note::Ask { term, number: 1 }),
                (3, Note::Ask { term, number: 1 }),
                (2, Note::Vote { next, end: 0 }),
                (3, Note::Vote { next, end }),
            ];
            for (from, note) in said {
                peer.handle_message(now_us, from, &note.write(&kinds)).expect("it is a message");
            }
            while peer.poll_message(now_us).is_some() {}
        }
        assert!(peer.is_host() && peer.term() == next, "{end}");
    }
}

#[test]
fn a_record_has_an_input_of_each_player_before_a_second_of_any() {
    let event = Event::new(StringId::new("order"), &[u32::MAX; 6]);
    let kinds = Kinds::new(&[]);
    let many = kinds.fitting(&[event; 64], INPUT_BYTES_MAX);
    assert!((10..=14).contains(&many), "{many} events");
    let input = |number, count| Input { number, aim: 0, events: vec![event; count] };
    let mut loud: VecDeque<Input> = (1..=20).map(|number| input(number, many)).collect();
    let mut quiet: Vec<VecDeque<Input>> = (0..4).map(|_| VecDeque::from([input(1, 1)])).collect();
    let mut taken = [0; 5];
    for cycle in 0..24 {
        let mut waiting: Vec<Waiting<'_>> = vec![(0, &mut loud)];
        waiting.extend(quiet.iter_mut().zip(1..).map(|(waiting, player)| (player, waiting)));
        let batches = gather(waiting, cycle, &kinds);
        assert!(batches.is_sorted_by_key(|batch| batch.player));
        let record = Record { batches, left: vec![14; 15], ..Record::default() };
        let mut bytes = Vec::new();
        record.write(&kinds, &mut bytes);
        assert!(bytes.len() <= RECORD_BYTES_MAX, "{} bytes", bytes.len());
        for batch in record.batches {
            let count = &mut taken[usize::from(batch.player)];
            assert!(batch.number > *count && batch.events.len() <= 64);
            *count = batch.number;
        }
        assert!(cycle < 2 || taken[1..] == [1; 4], "{taken:?}");
    }
    assert_eq!(taken, [20, 1, 1, 1, 1]);
}

#[test]
fn what_fits_into_no_message_is_refused() {
    let event = Event::new(StringId::new("order"), &[u32::MAX; 6]);
    let kinds = Kinds::new(&[]);
    for (count, of_three, is_fine) in [(12, 5, true), (20, 6, false)] {
        let inputs = vec![Input { number: 1, aim: 0, events: vec![event; count] }];
        let report = Note::Report(GuestReport { inputs, ..GuestReport::default() });
        assert_eq!(Note::read(&kinds, &report.write(&kinds)).is_ok(), is_fine, "{count}");
        let batches = (0..3).map(|player| PlayerBatch { player, number: 1, events: vec![event; of_three] }).collect();
        let records = vec![Record { batches, ..Record::default() }];
        assert_eq!(kinds.read_tail(&kinds.write_tail(&records)).is_ok(), is_fine, "{count}");
    }
}

#[test]
fn numbers_that_would_overflow_are_refused() {
    let kinds = Kinds::new(&[]);
    let term = Term { number: 0, host: 0 };
    for number in [COUNT_MAX + 1, 1 << 60, u64::MAX] {
        let far = Term { number, host: 0 };
        let notes = [
            Note::Ask { term, number },
            Note::Ask { term: far, number: 1 },
            Note::Ready { term, next: far },
            Note::Vote { next: term, end: number },
            Note::Want { next: term, first: number },
            Note::Past { next: term, first: number, records: vec![Record::default()] },
            Note::Gone { term: far },
            Note::Cycles { term, base: 0, first: number, records: vec![Record::default()], mark: 0, slack: 0 },
            Note::Report(GuestReport { end: number, ..GuestReport::default() }),
        ];
        for note in notes {
            assert!(Note::read(&kinds, &note.write(&kinds)).is_err(), "{note:?}");
        }
        let point = JoinPoint { first: number, members: vec![0], ..JoinPoint::default() };
        let letters = [
            Letter::Loaded { next: number },
            Letter::Tail { first: number, records: vec![0] },
            Letter::Begin(point.clone()),
            Letter::Begin(JoinPoint { first: 0, term: far, ..point.clone() }),
            Letter::Begin(JoinPoint { first: 0, taken: [number; PLAYERS_MAX], ..point }),
            Letter::Done { cycle: number, chain: 0 },
            Letter::Compare { at: number },
            Letter::Differs { machine: 0, cycle: number, text: Default::default() },
            Letter::Block(BlockHead { next: number, ..BlockHead::default() }),
            Letter::Block(BlockHead { base: number, ..BlockHead::default() }),
        ];
        for letter in letters {
            assert!(Letter::read(&letter.write()).is_err(), "{letter:?}");
        }
        let batch = PlayerBatch { player: 0, number, events: Vec::new() };
        let record = Record { batches: vec![batch], ..Record::default() };
        assert!(kinds.read_tail(&kinds.write_tail(&[record])).is_err(), "{number}");
    }
    let mut twice = Letter::Begin(JoinPoint { members: vec![3, 4], ..JoinPoint::default() }).write();
    assert!(Letter::read(&twice).is_ok());
    let place = twice.windows(3).position(|bytes| bytes == [2, 3, 4]).expect("the members are there");
    twice[place + 2] = 3;
    assert!(Letter::read(&twice).is_err(), "a machine is named once");
    let mut longest = Vec::new();
    longest.write_varint(COUNT_MAX);
    assert_eq!(Letter::read(&[&[7][..], &longest].concat()), Ok(Letter::Loaded { next: COUNT_MAX }));
}
