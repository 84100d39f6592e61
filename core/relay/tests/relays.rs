//! Batches arrive out of order, early, twice and from unknown players: the sealed inputs are always the same.

mod common;

use std::collections::BTreeMap;

use base::StringId;
use common::cases;
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::collection::vec;
use proptest::prelude::*;
use relay::limits::{CYCLES_AHEAD_MAX, EVENTS_PER_BATCH_MAX, EVENTS_PER_CYCLE_MAX, PLAYERS_MAX};
use relay::relay::Refusal;
use relay::{Event, Relay, Sealed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const FIRST: u64 = 29;

/// All batches of some players over some cycles.
#[derive(Clone, Debug)]
struct Match {
    players: Vec<u16>,
    cycles: u64,
    batches: BTreeMap<(u64, u16), Vec<Event>>,
}

fn matches() -> impl Strategy<Value = Match> {
    let players = proptest::collection::btree_set(any::<u16>(), 1..6);
    let events = vec(vec(any::<u32>(), 0..3), 0..(5 * 50));
    (players, 1..50_u64, events).prop_map(|(players, cycles, mut events)| {
        let players: Vec<u16> = players.into_iter().collect();
        let mut batches = BTreeMap::new();
        for cycle in FIRST..FIRST + cycles {
            for player in &players {
                let numbers = events.pop().unwrap_or_default();
                let events = numbers.iter().map(|number| Event::new(StringId::new("do"), &[*number])).collect();
                batches.insert((cycle, *player), events);
            }
        }
        Match { players, cycles, batches }
    })
}

impl Match {
    /// The expected events: by cycle, then by player, then in the order sent.
    fn expected(&self) -> Vec<(u64, Vec<(u16, Event)>)> {
        let mut sealed: BTreeMap<u64, Vec<(u16, Event)>> = BTreeMap::new();
        for ((cycle, player), events) in &self.batches {
            sealed.entry(*cycle).or_default().extend(events.iter().map(|event| (*player, *event)));
        }
        sealed.into_iter().collect()
    }
}

fn poll_all(relay: &mut Relay, out: &mut Vec<(u64, Vec<(u16, Event)>)>) {
    let mut sealed = Sealed::default();
    while relay.poll_sealed(&mut sealed) {
        out.push((sealed.cycle(), sealed.events().to_vec()));
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn sealed_inputs_do_not_depend_on_the_order_of_arrival(game in matches(), order in any::<u64>(), polls in any::<u64>()) {
        let mut relay = Relay::new(&game.players, FIRST);
        let mut waiting: Vec<_> = game.batches.iter().map(|((cycle, player), events)| (*cycle, *player, events)).collect();
        let mut random = base::random::Pcg::new(order, polls);
        base::random::Random::shuffle(&mut random, &mut waiting);
        let mut found = Vec::new();
        // Batches that are too early are sent again later; all others are accepted once.
        for _ in 0..=game.cycles {
            waiting.retain(|(cycle, player, events)| {
                let next = relay.next();
                let result = relay.handle_batch(*player, *cycle, events);
                match result {
                    Ok(()) => {
                        let again = relay.handle_batch(*player, *cycle, &[]);
                        assert!(matches!(again, Err(Refusal::Twice)), "{again:?}");
                    }
                    Err(refusal) => assert_eq!(refusal, Refusal::Early { last: next + CYCLES_AHEAD_MAX - 1 }),
                }
                if base::random::Random::chance(&mut random, 0.3) {
                    poll_all(&mut relay, &mut found);
                }
                result.is_err()
            });
            poll_all(&mut relay, &mut found);
            if let Some(late) = relay.next().checked_sub(1).filter(|late| *late >= FIRST) {
                let refused = relay.handle_batch(game.players[0], late, &[]);
                assert_eq!(refused, Err(Refusal::Late { next: relay.next() }));
            }
        }
        prop_assert!(waiting.is_empty());
        prop_assert_eq!(found, game.expected());
    }
}

#[test]
fn gathering_and_sealing_do_not_allocate() {
    let players: Vec<u16> = (0..PLAYERS_MAX).collect();
    let mut relay = Relay::new(&players, 0);
    let mut sealed = Sealed::with_room_for(PLAYERS_MAX);
    let full = [Event::default(); EVENTS_PER_BATCH_MAX];
    let before = allocations_while_forbidden();
    forbid(|| {
        for cycle in 0..2 * CYCLES_AHEAD_MAX {
            players.iter().for_each(|player| relay.handle_batch(*player, cycle, &full).unwrap());
            assert!(relay.poll_sealed(&mut sealed));
            assert_eq!(sealed.events().len(), EVENTS_PER_CYCLE_MAX);
        }
    });
    assert_eq!(allocations_while_forbidden() - before, 0);
}

#[test]
fn a_relay_without_players_seals_empty_cycles() {
    let mut relay = Relay::new(&[], 4);
    let mut sealed = Sealed::default();
    assert!(relay.poll_sealed(&mut sealed));
    assert_eq!(sealed, Sealed::empty(4));
    assert_eq!(relay.next(), 5);
}

#[test]
fn every_refusal_states_what_was_expected() {
    let mut relay = Relay::new(&[1], 5);
    let words = |result: Result<(), Refusal>| result.expect_err("it is refused").to_string();
    assert!(words(relay.handle_batch(1, 4, &[])).contains('5'));
    assert!(words(relay.handle_batch(1, u64::MAX, &[])).contains("36"));
    assert!(words(relay.handle_batch(1, 5, &[Event::default(); 65])).contains("64"));
    assert!(words(relay.handle_batch(2, 5, &[])).contains("this player does not take part"));
}
