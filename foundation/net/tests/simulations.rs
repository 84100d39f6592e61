//! The simulated network does what its profile says, and the same again from the same seed.

use net::simulation::{Arrival, LinkProfile, Network, Profile, profile};

fn arrivals(seed: u64, one: Profile, count: u64, bytes: usize) -> Vec<Arrival> {
    let mut network = Network::new(seed, &[one, one]);
    let mut found = Vec::new();
    for packet in 0..count {
        let now_us = packet * 5_000;
        let mut body = vec![0; bytes];
        body[..8].copy_from_slice(&packet.to_le_bytes());
        network.send(now_us, 0, 1, &body);
        while let Some(arrival) = network.poll_arrival(now_us) {
            found.push(arrival);
        }
    }
    while let Some(wake_us) = network.wake_us() {
        found.extend(network.poll_arrival(wake_us));
    }
    found
}

fn number(arrival: &Arrival) -> u64 {
    u64::from_le_bytes(arrival.bytes[..8].try_into().expect("eight bytes"))
}

#[test]
fn the_same_seed_gives_the_same_arrivals_and_another_gives_others() {
    for one in profile::ALL {
        assert_eq!(arrivals(7, one, 500, 40), arrivals(7, one, 500, 40), "{}", one.name);
    }
    assert_ne!(arrivals(7, profile::MOBILE, 500, 40), arrivals(8, profile::MOBILE, 500, 40));
    assert_eq!(Profile::named("mountain_cabin"), Some(profile::MOUNTAIN_CABIN));
}

#[test]
fn loss_duplication_reordering_and_delay_are_as_stated() {
    let link = LinkProfile {
        loss: 100_000,
        duplicate: 50_000,
        reorder: 50_000,
        jitter_us: 4_000,
        ..LinkProfile::with_delay(10_000)
    };
    let up = Profile { name: "test", up: link, down: LinkProfile::with_delay(5_000) };
    let found = arrivals(1, up, 20_000, 40);
    let mut counts = vec![0_u32; 20_000];
    for arrival in &found {
        counts[number(arrival) as usize] += 1;
        let delay_us = arrival.at_us - number(arrival) * 5_000;
        assert!((15_000..=41_000).contains(&delay_us), "{delay_us}");
    }
    let lost = counts.iter().filter(|count| **count == 0).count();
    let twice = counts.iter().filter(|count| **count == 2).count();
    assert!((1_800..2_200).contains(&lost), "{lost}");
    assert!((700..1_100).contains(&twice), "{twice}");
    let overtaken = found.windows(2).filter(|pair| number(&pair[0]) > number(&pair[1])).count();
    assert!(overtaken > 500, "{overtaken}");
}

#[test]
fn a_bottleneck_delays_by_its_rate_and_drops_what_its_queue_cannot_hold() {
    // 972 + 28 bytes at 100,000 B/s: 10 ms each, twice what arrives every 5 ms.
    let slow = Profile { up: LinkProfile::with_delay(0).with_rate(100_000, 50_000), ..profile::LAN };
    let found = arrivals(1, Profile { down: LinkProfile::with_delay(0), ..slow }, 1_000, 972);
    assert!((495..515).contains(&found.len()), "{}", found.len());
    let longest_us = found.iter().map(|arrival| arrival.at_us - number(arrival) * 5_000).max();
    assert!((55_000..=60_000).contains(&longest_us.expect("some arrive")), "{longest_us:?}");
}

#[test]
fn cuts_stalls_detours_and_deaths_happen_when_asked() {
    let mut network = Network::new(1, &[Profile::symmetric("clean", LinkProfile::with_delay(1_000)); 3]);
    network.cut(1, 10_000);
    network.send(0, 0, 1, &[1]);
    network.send(10_000, 0, 1, &[2]);
    network.stall(2, 50_000);
    network.send(10_000, 0, 2, &[3]);
    network.set_detour(1, 0, 7_000);
    network.send(20_000, 1, 0, &[4]);
    let mut found = Vec::new();
    while let Some(wake_us) = network.wake_us() {
        found.extend(network.poll_arrival(wake_us).map(|arrival| (arrival.at_us, arrival.bytes[0])));
    }
    assert_eq!(found, [(12_000, 2), (29_000, 4), (50_000, 3)]);
    network.kill(2);
    network.send(60_000, 0, 2, &[5]);
    network.send(60_000, 2, 0, &[6]);
    assert_eq!(network.poll_arrival(1_000_000), None);
}
