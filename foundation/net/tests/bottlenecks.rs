//! A bottleneck that the channel was not told about keeps a short queue, and is used.

use net::ChannelEvent;
use net::simulation::{LinkProfile, Profile};

use crate::common::Pair;

/// Sends bulk over a bottleneck for some seconds. Returns the longest wait before it, and the use of its last half in
/// hundredths.
fn run(seed: u64, rate: u64, delay_us: u64, seconds: u64) -> (u64, u64) {
    let slow = Profile::symmetric("bottleneck", LinkProfile::with_delay(delay_us / 2).with_rate(rate, 2_000_000));
    let free = Profile::symmetric("free", LinkProfile::with_delay(delay_us / 2));
    let mut pair = Pair::new(seed, [slow, free]);
    let message = vec![7; 1 << 20];
    let (mut queue_us, mut half) = (0, 0);
    for second in 0..seconds {
        while pair.ends[0].send(2, &message).is_ok() {}
        pair.run_until((second + 1) * 1_000_000);
        queue_us = queue_us.max(pair.network.take_queue_us_max(0));
        if second == seconds / 2 - 1 {
            half = pair.ends[1].quality(pair.now_us).received_bytes;
        }
    }
    let received = pair.ends[1].quality(pair.now_us).received_bytes - half;
    (queue_us, received * 100 / (rate * (seconds - seconds / 2)))
}

#[test]
fn an_unknown_bottleneck_builds_less_than_30_ms_of_queue_and_is_used() {
    for (rate, delay_us) in [
        (24_000, 20_000),
        (24_000, 60_000),
        (64_000, 100_000),
        (125_000, 30_000),
        (500_000, 40_000),
        (1_000_000, 20_000),
    ] {
        let (queue_us, used) = run(1, rate, delay_us, 20);
        println!("{rate} B/s, {} ms one way: queue {} ms, used {used} %", delay_us / 1000, queue_us / 1000);
        assert!(queue_us <= 30_000, "{rate} B/s, {delay_us} µs one way: {queue_us} µs of queue");
        assert!(used >= 60, "{rate} B/s, {delay_us} µs one way: only {used} % are used");
    }
}

#[test]
fn play_does_not_wait_for_bulk() {
    let slow = Profile::symmetric("bottleneck", LinkProfile::with_delay(20_000).with_rate(64_000, 2_000_000));
    let mut pair = Pair::new(3, [slow, slow]);
    let message = vec![7; 1 << 20];
    pair.ends[0].send(2, &message).expect("there is room");
    let mut slowest_us = 0;
    for number in 0..200_u64 {
        pair.ends[0].send(0, &number.to_le_bytes()).expect("play has room");
        let sent_us = pair.now_us;
        pair.events[1].clear();
        while !pair.events[1].iter().any(|event| matches!(event, ChannelEvent::Message { stream: 0, .. })) {
            assert!(pair.now_us < sent_us + 1_000_000, "message {number} did not arrive");
            pair.run_until(pair.now_us + 1_000);
        }
        slowest_us = slowest_us.max(pair.now_us - sent_us);
        pair.run_until(sent_us + 100_000);
    }
    // 40 ms of delay and the queue.
    assert!(slowest_us <= 70_000, "{slowest_us} µs");
    assert!(pair.ends[1].quality(pair.now_us).received_bytes > 500_000, "bulk was sent beside it");
}

#[test]
fn streams_that_compete_get_their_shares() {
    let slow = Profile::symmetric("bottleneck", LinkProfile::with_delay(20_000).with_rate(64_000, 2_000_000));
    let mut pair = Pair::new(4, [slow, slow]);
    for _ in 0..1000 {
        pair.ends[0].send(1, &[1; 1000]).expect("there is room");
        pair.ends[0].send(2, &[2; 1000]).expect("there is room");
    }
    pair.run_until(20_000_000);
    let (four, one) = (pair.messages(1, 1).len(), pair.messages(1, 2).len());
    assert!(one > 20, "{one}");
    let ratio = four * 100 / one;
    assert!((300..500).contains(&ratio), "{four} to {one}");
}
