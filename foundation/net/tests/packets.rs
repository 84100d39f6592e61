//! Any bytes in, an error or a message out: never a panic, never more memory than the limits.

use base::{Pcg, Random};
use net::Channel;
use net::channel::PacketError;
use net::simulation::profile;
use proptest::prelude::*;

use crate::common::{Pair, STREAMS};

fn warm(seed: u64) -> (Pair, Vec<Vec<u8>>) {
    let mut pair = Pair::new(seed, [profile::LAN, profile::LAN]);
    let mut datagrams = Vec::new();
    for round in 1..60_u64 {
        for end in &mut pair.ends {
            end.send(0, &[5; 20]).expect("it is short");
            end.send(1, &[6; 300]).expect("there is room");
        }
        let mut copy = pair.ends[0].clone();
        let mut bytes = Vec::new();
        while copy.poll_datagram(pair.now_us + 1, &mut bytes).is_some() {
            datagrams.push(bytes.clone());
        }
        pair.run_until(round * 20_000);
    }
    (pair, datagrams)
}

#[test]
fn damaged_datagrams_never_panic_and_refused_ones_change_nothing() {
    let (pair, datagrams) = warm(1);
    let mut random = Pcg::new(77, 0);
    let mut channel = pair.ends[1].clone();
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..60_000_u64 {
        let mut bytes = random.pick(&datagrams).expect("some were sent").clone();
        for _ in 0..random.range(1, 6) {
            let place = random.below(bytes.len() as u32) as usize;
            match random.below(4) {
                0 => bytes[place] ^= 1 << random.below(8),
                1 => bytes.truncate(place.max(1)),
                2 => bytes.insert(place, random.next_u32() as u8),
                _ => bytes[place] = random.next_u32() as u8,
            }
        }
        let before = channel.quality(0);
        match channel.handle_datagram(pair.now_us + round * 100, &bytes) {
            Ok(()) => accepted += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
                let after = channel.quality(0);
                assert_eq!(after.refused, before.refused + 1);
                assert_eq!(net::Quality { refused: before.refused, ..after }, before);
            }
        }
        let mut out = Vec::new();
        while channel.poll_datagram(pair.now_us + round * 100, &mut out).is_some() {}
        if round % 64 == 0 {
            while channel.poll_event().is_some() {}
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn forged_acknowledgements_and_windows_are_refused() {
    let mut channel = Channel::new(&STREAMS, 0);
    // Version 1 with an acknowledgement of packet 3, though none was sent.
    let forged = [0x11, 0, 0, 0, 0, 3, 0, 0];
    assert_eq!(channel.handle_datagram(0, &forged), Err(PacketError::NeverSent { sequence: 3 }));
    // A chunk of stream 1 with the number 100,000.
    let far = [0x10, 0, 0, 0, 0, 1 | 1 << 3 | 1 << 5, 0xa0, 0x8d, 0x06, 1];
    assert_eq!(channel.handle_datagram(0, &far), Err(PacketError::BeyondWindow { stream: 1, number: 100_000 }));
    // A message of a reliable stream, a chunk of an unreliable one, a stream that does not exist.
    for (frame, stream) in [(1 | 1 << 5, 1), (1 << 3 | 1 << 5, 0), (7 | 1 << 5, 7)] {
        let wrong = [0x10, 0, 0, 0, 0, frame, 1, 1];
        assert_eq!(channel.handle_datagram(0, &wrong), Err(PacketError::Stream { stream }));
    }
    assert_eq!(channel.handle_datagram(0, &[0; 1201]), Err(PacketError::TooLong { bytes: 1201 }));
    assert_eq!(channel.quality(0).received, 0);
}

#[test]
fn a_flood_that_is_not_read_is_refused() {
    let (mut sender, mut receiver) = (Channel::new(&STREAMS, 0), Channel::new(&STREAMS, 0));
    let mut bytes = Vec::new();
    let mut refusals = 0;
    for round in 0..10_000_u64 {
        let now_us = round * 10_000;
        sender.send(0, &[1; 100]).expect("it is short");
        while sender.poll_datagram(now_us, &mut bytes).is_some() {
            refusals += u32::from(receiver.handle_datagram(now_us, &bytes) == Err(PacketError::Busy));
        }
        let mut answer = Vec::new();
        while receiver.poll_datagram(now_us, &mut answer).is_some() {
            sender.handle_datagram(now_us, &answer).expect("the answer is honest");
        }
        while sender.poll_event().is_some() {}
    }
    assert!(refusals > 1_000, "{refusals}");
}

proptest! {
    #[test]
    fn any_bytes_are_accepted_or_refused(datagrams in proptest::collection::vec(
        proptest::collection::vec(any::<u8>(), 0..64), 0..40)) {
        let mut channel = Channel::new(&STREAMS, 0);
        let mut out = Vec::new();
        for (place, mut bytes) in datagrams.into_iter().enumerate() {
            if let Some(first) = bytes.first_mut().filter(|first| **first < 200) {
                // Most get past the version.
                *first = 0x10 | *first & 0x0f;
            }
            let _ = channel.handle_datagram(place as u64 * 1000, &bytes);
            while channel.poll_datagram(place as u64 * 1000, &mut out).is_some() {}
            while channel.poll_event().is_some() {}
        }
    }
}
