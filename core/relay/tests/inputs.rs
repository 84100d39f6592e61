//! Sources of batches: the local player, and byte streams.

mod common;

use base::StringId;
use base::bytes::ByteReader;
use common::cases;
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::collection::vec;
use proptest::prelude::*;
use relay::event::EVENT_WORDS;
use relay::input::{BatchError, ExternalInput, Input, LocalInput, deliver, read_batch, write_batch};
use relay::limits::{BATCH_BYTES_MAX, CYCLES_AHEAD_MAX, EVENTS_PER_BATCH_MAX};
use relay::{Event, Relay, Sealed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn event(number: u32) -> Event {
    Event::new(StringId::new("do"), &[number])
}

fn bytes_of(player: u16, cycle: u64, events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_batch(player, cycle, events, &mut bytes);
    bytes
}

#[test]
fn local_events_are_delivered_with_the_next_cycle_empty_batches_included() {
    let (mut relay, mut input) = (Relay::new(&[4], 0), LocalInput::new(4));
    let mut sealed = Sealed::default();
    input.push(event(1));
    input.push(event(2));
    for (cycle, wanted) in [(0, vec![(4, event(1)), (4, event(2))]), (1, vec![]), (2, vec![])] {
        assert_eq!(deliver(&mut input, &mut relay, cycle), Ok(true));
        assert!(relay.poll_sealed(&mut sealed));
        assert_eq!(sealed.events(), wanted);
    }
    let taken = (0..100).filter(|number| input.push(event(*number))).count();
    assert_eq!((taken, input.left_out()), (EVENTS_PER_BATCH_MAX, 100 - EVENTS_PER_BATCH_MAX as u64));
    assert_eq!(deliver(&mut input, &mut relay, 3), Ok(true));
}

#[test]
fn a_cycle_waits_for_remote_batches() {
    let (mut relay, mut input) = (Relay::new(&[4], 7), ExternalInput::new(4));
    let mut sealed = Sealed::default();
    let bytes = [bytes_of(4, 7, &[event(1)]), bytes_of(4, 8, &[]), bytes_of(4, 9, &[event(3)])].concat();
    let (early, late) = bytes.split_at(11);
    assert_eq!(input.handle_bytes(early), Ok(11));
    assert_eq!(deliver(&mut input, &mut relay, 7), Ok(false));
    assert_eq!(input.handle_bytes(late), Ok(late.len()));
    for wanted in [&[(4, event(1))][..], &[], &[(4, event(3))]] {
        let next = relay.next();
        assert_eq!(deliver(&mut input, &mut relay, next), Ok(true));
        assert!(relay.poll_sealed(&mut sealed));
        assert_eq!(sealed.events(), wanted);
    }
    assert_eq!(deliver(&mut input, &mut relay, 10), Ok(false));
}

#[test]
fn an_error_ends_a_stream_and_earlier_batches_count() {
    let check = |bytes: Vec<u8>, words: &str| {
        let mut input = ExternalInput::new(4);
        let all = [bytes_of(4, 7, &[event(1)]), bytes, bytes_of(4, 9, &[])].concat();
        let wrong = input.handle_bytes(&all).unwrap_err();
        assert!(wrong.to_string().contains(words), "{words}: {wrong}");
        assert_eq!((input.wrong(), input.handle_bytes(&all)), (Some(wrong), Err(wrong)));
        assert_eq!((input.poll_batch(7).map(<[Event]>::len), input.poll_batch(9)), (Some(1), None));
    };
    check(bytes_of(3, 8, &[]), "found one of player 3");
    check(bytes_of(4, 7, &[]), "a cycle after 7");
    check(vec![0xff; 20], "the length of a batch");
    check(vec![0; 20], "the length of a batch");
    let mut damaged = bytes_of(4, 8, &[event(2)]);
    damaged[12] ^= 1;
    check(damaged, "a matching checksum");
}

#[test]
fn the_number_of_waiting_batches_is_bounded_without_allocation() {
    let mut input = ExternalInput::new(4);
    let full = [event(9); EVENTS_PER_BATCH_MAX];
    let all: Vec<u8> = (0..3 * CYCLES_AHEAD_MAX).flat_map(|cycle| bytes_of(4, cycle, &full)).collect();
    let before = allocations_while_forbidden();
    forbid(|| {
        let mut left = &all[..];
        let mut cycle = 0;
        while cycle < 3 * CYCLES_AHEAD_MAX {
            left = &left[input.handle_bytes(left).unwrap()..];
            while let Some(events) = input.poll_batch(cycle) {
                assert_eq!(events.len(), EVENTS_PER_BATCH_MAX);
                cycle += 1;
            }
        }
        assert!(left.is_empty());
    });
    assert_eq!(allocations_while_forbidden() - before, 0);
}

fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let event = (any::<u64>(), vec(prop_oneof![Just(0), any::<u32>()], 0..=EVENT_WORDS));
    vec(event.prop_map(|(kind, words)| Event::new(StringId::from_number(kind), &words)), 0..=EVENTS_PER_BATCH_MAX)
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn batches_round_trip(player in any::<u16>(), cycle in any::<u64>(), events in any_events()) {
        let bytes = bytes_of(player, cycle, &events);
        prop_assert!(bytes.len() <= BATCH_BYTES_MAX);
        let mut reader = ByteReader::new(&bytes);
        let batch = read_batch(&mut reader).unwrap();
        prop_assert_eq!((batch.player, batch.cycle, batch.events, reader.left()), (player, cycle, events, 0));
    }

    #[test]
    fn any_bytes_give_batches_or_an_error_however_they_are_split(
        mut bytes in vec(any::<u8>(), 0..300), events in any_events(), flip in any::<u16>(), cut in 1..64_usize,
        is_whole in any::<bool>(),
    ) {
        if is_whole {
            let mut sent = bytes_of(4, 3, &events);
            sent.extend(bytes_of(4, 4, &[]));
            let place = usize::from(flip) % sent.len();
            sent[place] ^= 1 << (flip >> 13);
            bytes.splice(0..0, sent);
        }
        let mut at_once = ByteReader::new(&bytes);
        if let Err(error) = read_batch(&mut at_once) {
            prop_assert_eq!(at_once.offset(), 0);
            prop_assert!(error.to_string().contains("expected "), "{}", error);
        }
        let run = |piece: usize| {
            let (mut input, mut found, mut wrong): (_, Vec<(u64, usize)>, Option<BatchError>) =
                (ExternalInput::new(4), Vec::new(), None);
            for piece in bytes.chunks(piece) {
                match input.handle_bytes(piece) {
                    Ok(taken) => assert_eq!(taken, piece.len(), "few batches always have room"),
                    Err(error) => wrong = Some(error),
                }
            }
            found.extend((0..8).filter_map(|cycle| input.poll_batch(cycle).map(|events| (cycle, events.len()))));
            (found, wrong)
        };
        prop_assert_eq!(run(cut), run(usize::MAX));
    }
}
