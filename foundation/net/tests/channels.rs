//! Streams over bad networks: whole, once, in order, and every packet gets its notice.

use base::{Pcg, Random};
use net::ChannelEvent;
use net::simulation::profile;

use crate::common::Pair;

#[test]
fn a_reliable_stream_arrives_whole_once_and_in_order_over_every_profile() {
    for (number, one) in profile::ALL.into_iter().enumerate() {
        let mut pair = Pair::new(number as u64, [one, one]);
        let mut random = Pcg::new(9, number as u64);
        let mut expected = Vec::new();
        for _ in 0..40 {
            let length = random.below(4_000) as usize;
            let message: Vec<u8> = (0..length).map(|_| random.next_u32() as u8).collect();
            pair.ends[0].send(1, &message).expect("there is room");
            expected.push(message);
        }
        pair.run_until(60_000_000);
        assert_eq!(pair.messages(1, 1), expected, "{}", one.name);
    }
}

#[test]
fn an_unreliable_message_arrives_once_or_never_and_its_notice_is_true_when_it_says_delivered() {
    for (number, one) in profile::ALL.into_iter().enumerate() {
        let mut pair = Pair::new(number as u64 + 50, [one, one]);
        for message in 0..600_u64 {
            let sent = pair.ends[0].send(0, &message.to_le_bytes()).expect("a short message");
            assert_eq!(sent, message);
            pair.run_until((message + 1) * 20_000);
        }
        pair.run_until(30_000_000);
        let mut arrived = [0_u32; 600];
        for bytes in pair.messages(1, 0) {
            arrived[u64::from_le_bytes(bytes.try_into().expect("eight bytes")) as usize] += 1;
        }
        let mut notices = [0_u32; 600];
        for event in &pair.events[0] {
            if let ChannelEvent::Notice { message, is_delivered, .. } = event {
                notices[*message as usize] += 1;
                assert!(!is_delivered || arrived[*message as usize] == 1, "{}: {message}", one.name);
            }
        }
        assert!(arrived.iter().all(|count| *count <= 1), "{}", one.name);
        assert!(notices.iter().all(|count| *count == 1), "{}: every message has one notice", one.name);
        let count: u32 = arrived.iter().sum();
        assert!(count > 450, "{}: {count} of 600", one.name);
        let quality = pair.ends[0].quality(pair.now_us);
        let one_way_us = one.up.delay_us + one.down.delay_us;
        assert!(quality.round_trip_us + 1_000 >= 2 * one_way_us, "{}: {quality:?}", one.name);
        assert_eq!(quality.delivered + quality.lost, 600, "{}: {quality:?}", one.name);
    }
}

#[test]
fn bulk_of_some_megabytes_passes_a_good_line_quickly() {
    let mut pair = Pair::new(5, [profile::FIBRE, profile::FIBRE]);
    let message: Vec<u8> = (0..4 << 20).map(|byte: u32| ((byte * 31) >> 5) as u8).collect();
    pair.ends[0].send(2, &message).expect("there is room");
    let mut second = 0;
    while pair.messages(1, 2).is_empty() && second < 60 {
        second += 1;
        pair.run_until(second * 1_000_000);
    }
    assert_eq!(pair.messages(1, 2), [&message[..]]);
    assert!(second <= 12, "{second} s");
}

#[test]
fn a_receiver_that_does_not_read_is_not_flooded() {
    let mut pair = Pair::new(6, [profile::LAN, profile::LAN]);
    let mut bytes = Vec::new();
    for _ in 0..24 {
        pair.ends[0].send(2, &vec![3; 1 << 20]).expect("there is room");
    }
    // The receiver answers, but its events are not polled.
    for _ in 0..20_000 {
        pair.now_us += 1_000;
        while let Some(arrival) = pair.network.poll_arrival(pair.now_us) {
            let _ = pair.ends[arrival.to].handle_datagram(pair.now_us, &arrival.bytes);
        }
        for machine in 0..2 {
            while pair.ends[machine].poll_datagram(pair.now_us, &mut bytes).is_some() {
                pair.network.send(pair.now_us, machine, 1 - machine, &bytes);
            }
        }
        while pair.ends[0].poll_event().is_some() {}
    }
    let received = pair.ends[1].quality(pair.now_us).received_bytes;
    assert!(received < 4 << 20, "{received} bytes for a program that reads nothing");
    // Once it reads, the rest comes.
    let until_us = pair.now_us + 60_000_000;
    pair.run_until(until_us);
    assert_eq!(pair.messages(1, 2).len(), 24);
}
