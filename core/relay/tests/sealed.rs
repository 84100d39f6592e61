//! The encoding of sealed inputs: canonical; any bytes decode to a value or an error.

mod common;

use base::StringId;
use base::bytes::{ByteCounter, ByteReader, ByteWriter};
use common::cases;
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::collection::vec;
use proptest::prelude::*;
use relay::event::EVENT_WORDS;
use relay::limits::{EVENTS_PER_BATCH_MAX, PLAYERS_MAX};
use relay::{Event, Relay, Sealed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Any event, including short ones and ones with zeros in the middle or at the end.
fn event() -> impl Strategy<Value = Event> {
    let word = prop_oneof![Just(0), 0..4_u32, any::<u32>()];
    (any::<u64>(), vec(word, 0..=EVENT_WORDS)).prop_map(|(kind, words)| Event::new(StringId::from_number(kind), &words))
}

/// Any inputs that a relay can seal.
fn inputs() -> impl Strategy<Value = Sealed> {
    let batches = proptest::collection::btree_map(any::<u16>(), vec(event(), 0..6), 0..6);
    (batches, any::<u64>()).prop_map(|(batches, cycle)| {
        let cycle = cycle % (1 << 60);
        let players: Vec<u16> = batches.keys().copied().collect();
        let mut relay = Relay::new(&players, cycle);
        for (player, events) in &batches {
            relay.handle_batch(*player, cycle, events).expect("its first");
        }
        let mut sealed = Sealed::default();
        assert!(relay.poll_sealed(&mut sealed));
        sealed
    })
}

fn bytes_of(sealed: &Sealed) -> Vec<u8> {
    let mut bytes = Vec::new();
    sealed.write(&mut bytes);
    bytes
}

/// Asserts that bytes decode to a value that encodes to them, or to an error that leaves the reader unchanged.
fn assert_sound(bytes: &[u8]) {
    let mut reader = ByteReader::new(bytes);
    match Sealed::read(&mut reader) {
        Ok(sealed) => {
            assert_eq!(bytes_of(&sealed), bytes[..reader.offset()], "a value has one form");
            assert!(sealed.events().is_sorted_by_key(|(player, _)| *player), "by player");
            let batches = sealed.events().chunk_by(|(left, _), (right, _)| left == right);
            assert!(batches.clone().count() <= usize::from(PLAYERS_MAX));
            assert!(batches.into_iter().all(|batch| batch.len() <= EVENTS_PER_BATCH_MAX));
        }
        Err(error) => {
            assert_eq!(reader.offset(), 0);
            assert!(error.to_string().starts_with("expected "), "{error}");
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn sealed_inputs_round_trip(sealed in inputs(), after in vec(any::<u8>(), 0..4)) {
        let mut bytes = bytes_of(&sealed);
        let mut counter = ByteCounter::default();
        sealed.write(&mut counter);
        prop_assert_eq!(counter.length, bytes.len());
        bytes.extend(&after);
        let mut reader = ByteReader::new(&bytes);
        prop_assert_eq!(Sealed::read(&mut reader).unwrap(), sealed);
        prop_assert_eq!(reader.left(), after.len());
    }

    #[test]
    fn any_bytes_give_inputs_or_an_error(bytes in vec(any::<u8>(), 0..300)) {
        assert_sound(&bytes);
    }

    #[test]
    fn bytes_that_look_like_inputs_give_inputs_or_an_error(
        head in vec(0..4_u8, 2),
        rest in vec(prop_oneof![3 => Just(0_u8), 1 => 0..8_u8, 1 => any::<u8>()], 0..120),
    ) {
        assert_sound(&[head, rest].concat());
    }

    #[test]
    fn truncated_inputs_are_an_error_and_flipped_bits_are_harmless(sealed in inputs(), places in vec(any::<prop::sample::Index>(), 1..4), bit in 0..8) {
        let bytes = bytes_of(&sealed);
        for length in 0..bytes.len() {
            prop_assert!(Sealed::read(&mut ByteReader::new(&bytes[..length])).is_err());
        }
        let mut flipped = bytes.clone();
        for place in places {
            flipped[place.index(bytes.len())] ^= 1_u8 << bit;
        }
        assert_sound(&flipped);
    }
}

#[test]
fn a_count_beyond_the_bytes_does_not_allocate() {
    for count in [2_u64, 4096, 4097, u64::MAX] {
        let mut bytes = Vec::new();
        bytes.write_varint(0);
        bytes.write_varint(count);
        bytes.extend([0; 21]);
        let before = allocations_while_forbidden();
        let result = forbid(|| Sealed::read(&mut ByteReader::new(&bytes)));
        assert!(result.is_err(), "{count} events in 21 bytes");
        assert_eq!(allocations_while_forbidden(), before);
    }
}

/// The bytes of forged inputs with these events.
fn forged(events: impl Iterator<Item = (u16, u8, Vec<u32>)> + Clone) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.write_varint(3);
    bytes.write_varint(events.clone().count() as u64);
    for (player, count, words) in events {
        bytes.write_u16(player);
        bytes.write_u64(1);
        bytes.write_u8(count);
        words.iter().for_each(|word| bytes.write_u32(*word));
    }
    bytes
}

fn complaint(bytes: &[u8]) -> String {
    Sealed::read(&mut ByteReader::new(bytes)).expect_err("no relay seals this").to_string()
}

#[test]
fn inputs_that_no_relay_could_have_sealed_are_refused() {
    let plain = |players: Vec<u16>| forged(players.into_iter().map(|player| (player, 0, vec![])));
    assert!(Sealed::read(&mut ByteReader::new(&plain(vec![3, 3, 7]))).is_ok());
    assert!(complaint(&plain(vec![7, 3])).contains("the same player or a later one"));
    assert!(complaint(&plain(vec![3; 65])).contains("events of one player"));
    assert!(complaint(&plain((0..=PLAYERS_MAX).collect())).contains("players"));
    let zeros = forged([(0, 2, vec![5, 0])].into_iter());
    assert!(complaint(&zeros).contains("without zeros at their end"));
    let many = forged([(0, 7, vec![1; 7])].into_iter());
    assert!(complaint(&many).contains("7 of them, at most 6 are allowed"), "{}", complaint(&many));
}

#[test]
fn floats_of_events_are_finite_and_never_minus_zero() {
    let words = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1.5, -2.5e-42].map(f32::to_bits);
    let event = Event::new(StringId::new("test"), &words);
    let found: Vec<u32> = (0..EVENT_WORDS).map(|index| event.float(index).to_bits()).collect();
    assert_eq!(found, [0.0, 0.0, 0.0, 0.0, 1.5, -2.5e-42_f32].map(f32::to_bits));
}
