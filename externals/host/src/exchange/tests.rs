use std::thread;

use super::*;

#[test]
fn the_newest_whole_value_is_seen_and_nothing_twice() {
    let (mut publisher, mut subscriber) = exchange(|| 0);
    assert!(!subscriber.update());
    assert_eq!(*subscriber.value(), 0);
    *publisher.back() = 1;
    assert!(publisher.is_seen() && publisher.publish());
    assert!(!publisher.is_seen());
    *publisher.back() = 2;
    assert!(!publisher.publish(), "the first value was never seen");
    assert!(subscriber.update());
    assert_eq!(*subscriber.value(), 2);
    assert!(!subscriber.update() && publisher.is_seen());
    assert_eq!((*subscriber.value(), subscriber.published()), (2, 2));
    *publisher.back() = 3;
    assert!(publisher.publish());
    assert_eq!(*subscriber.value(), 2, "a value stays until the next update");
    assert!(subscriber.update());
    assert_eq!(*subscriber.value(), 3);
}

#[test]
fn values_keep_their_memory() {
    let (mut publisher, mut subscriber) = exchange(|| Vec::<u32>::with_capacity(1000));
    for round in 0..10 {
        let back = publisher.back();
        back.clear();
        assert!(back.capacity() >= 1000);
        back.extend(0..round);
        publisher.publish();
        subscriber.update();
        assert_eq!(subscriber.value().len(), round as usize);
        assert!(subscriber.value().capacity() >= 1000);
    }
}

#[test]
fn two_threads_never_see_a_torn_or_an_older_value() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let rounds: u64 = if cfg!(miri) { 100 } else { 50_000 };
    let (mut publisher, mut subscriber) = exchange(|| [0_u64; 64]);
    let writer = thread::spawn(move || {
        for round in 1..=rounds {
            publisher.back().fill(round);
            publisher.publish();
        }
    });
    let (mut last, mut seen) = (0, 0);
    while last < rounds {
        if subscriber.update() {
            let value = subscriber.value();
            assert!(value.iter().all(|part| *part == value[0]), "a torn value");
            assert!(value[0] > last, "{} after {last}", value[0]);
            last = value[0];
            seen += 1;
        } else {
            thread::yield_now();
        }
    }
    assert!(seen > 0 && !subscriber.update());
    writer.join().expect("it does not panic");
    assert!(subscriber.is_alone());
}

#[test]
fn the_end_of_the_other_side_is_visible() {
    let (publisher, subscriber) = exchange(|| 0);
    assert!(!publisher.is_alone() && !subscriber.is_alone());
    drop(subscriber);
    assert!(publisher.is_alone());
}

#[test]
fn commands_arrive_in_order_and_a_full_queue_gives_back() {
    let (sender, mut receiver) = commands(2);
    let other = sender.clone();
    assert_eq!(sender.send('a'), Ok(()));
    assert_eq!(other.send('b'), Ok(()));
    assert_eq!(sender.send('c'), Err(CommandRefusal::Full('c')));
    assert_eq!(receiver.refused(), 1);
    assert_eq!(receiver.take(), Some('a'));
    assert_eq!(sender.send('d'), Ok(()));
    assert_eq!([receiver.take(), receiver.take(), receiver.take()], [Some('b'), Some('d'), None]);
    assert_eq!(receiver.take_or_end(), Ok(None));
    drop((sender, other));
    assert_eq!(receiver.take_or_end(), Err(CommandsEnded));
}

#[test]
fn a_dropped_receiver_gives_commands_back() {
    let (sender, receiver) = commands(2);
    drop(receiver);
    assert_eq!(sender.send(7), Err(CommandRefusal::Closed(7)));
}
