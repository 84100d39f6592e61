//! The relay: gathers the players' batches and seals cycles.
//!
//! Local devices, peers, AI and films all deliver in the same way. See the crate's laws.

use alloc::vec::Vec;
use core::fmt;

use crate::event::Event;
use crate::limits::{CONTENT_PLAYER, CYCLES_AHEAD_MAX, EVENTS_PER_BATCH_MAX, PLAYERS_MAX, REFUSALS_MAX};
use crate::sealed::Sealed;
use crate::table::{EventRefusal, EventTable};

/// Gathers batches and seals cycles. Allocates everything on creation: some 64 KiB per player.
#[derive(Debug)]
pub struct Relay {
    /// The next cycle to be sealed.
    next: u64,
    /// The players, in order.
    players: Vec<Player>,
    /// The table of allowed events; without one, all are.
    table: Option<EventTable>,
    /// The number of events of each kind in the current batch.
    counts: Vec<u16>,
    refusals: Vec<RefusedEvent>,
}

/// A dropped event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefusedEvent {
    /// The player.
    pub player: u16,
    /// The cycle.
    pub cycle: u64,
    /// The event.
    pub event: Event,
    /// The reason.
    pub why: EventRefusal,
}

#[derive(Debug)]
struct Player {
    number: u16,
    /// A ring buffer of batches from the next cycle on.
    batches: Vec<Slot>,
    /// The number of dropped events.
    refused: u64,
}

#[derive(Debug)]
struct Slot {
    is_there: bool,
    events: Vec<Event>,
}

/// Why a batch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The player does not take part.
    UnknownPlayer,
    /// The cycle is sealed already.
    Late {
        /// The next cycle to be sealed.
        next: u64,
    },
    /// The cycle is too far ahead.
    Early {
        /// The last allowed cycle.
        last: u64,
    },
    /// A second batch for this cycle.
    Twice,
    /// More events than a batch can hold.
    TooLong {
        /// The limit.
        max: usize,
    },
}

impl Relay {
    /// A relay for these players, whose first cycle to be sealed is `first`.
    ///
    /// # Panics
    /// If a number is duplicate or there are more than [`PLAYERS_MAX`].
    pub fn new(players: &[u16], first: u64) -> Relay {
        assert!(players.len() <= usize::from(PLAYERS_MAX), "{} players", players.len());
        let mut numbers = players.to_vec();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]), "a player takes part twice: {players:?}");
        let batch = |_| Slot { is_there: false, events: Vec::with_capacity(EVENTS_PER_BATCH_MAX) };
        let batches = || (0..CYCLES_AHEAD_MAX).map(batch).collect();
        let players = numbers.into_iter().map(|number| Player { number, batches: batches(), refused: 0 }).collect();
        Relay { next: first, players, table: None, counts: Vec::new(), refusals: Vec::with_capacity(REFUSALS_MAX) }
    }

    /// The same with a table: events that it does not allow are dropped. The content feeder is exempt.
    #[must_use]
    pub fn with_table(mut self, table: EventTable) -> Relay {
        self.set_table(Some(table));
        self
    }

    /// Sets the table from the next sealed cycle on; without one, all events are allowed. It also applies to batches
    /// that arrived early: if tables change with the world, all machines judge alike, whenever batches arrive.
    pub fn set_table(&mut self, table: Option<EventTable>) {
        let kinds = table.as_ref().map_or(0, |table| table.kinds().len());
        self.counts.clear();
        self.counts.resize(kinds, 0);
        self.table = table;
    }

    /// The table of allowed events.
    pub fn table(&self) -> Option<&EventTable> {
        self.table.as_ref()
    }

    /// The first [`REFUSALS_MAX`] events dropped since [`Relay::forget_refusals`].
    pub fn refusals(&self) -> &[RefusedEvent] {
        &self.refusals
    }

    /// Clears the refusals.
    pub fn forget_refusals(&mut self) {
        self.refusals.clear();
    }

    /// The number of dropped events of a player.
    pub fn refused(&self, player: u16) -> u64 {
        self.players.iter().find(|known| known.number == player).map_or(0, |player| player.refused)
    }

    /// The next cycle to be sealed.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Accepts a player's batch for a cycle. An empty one means that the player did nothing.
    pub fn handle_batch(&mut self, player: u16, cycle: u64, events: &[Event]) -> Result<(), Refusal> {
        let next = self.next;
        let player = self.players.iter_mut().find(|known| known.number == player).ok_or(Refusal::UnknownPlayer)?;
        let ahead = cycle.checked_sub(next).ok_or(Refusal::Late { next })?;
        if ahead >= CYCLES_AHEAD_MAX {
            return Err(Refusal::Early { last: next + CYCLES_AHEAD_MAX - 1 });
        }
        if events.len() > EVENTS_PER_BATCH_MAX {
            return Err(Refusal::TooLong { max: EVENTS_PER_BATCH_MAX });
        }
        let batch = &mut player.batches[(cycle % CYCLES_AHEAD_MAX) as usize];
        if batch.is_there {
            return Err(Refusal::Twice);
        }
        batch.is_there = true;
        batch.events.clear();
        batch.events.extend_from_slice(events);
        Ok(())
    }

    /// Seals the next cycle into `sealed` if all its batches have arrived; returns whether it did. Events that the
    /// table does not allow are dropped.
    pub fn poll_sealed(&mut self, sealed: &mut Sealed) -> bool {
        let place = (self.next % CYCLES_AHEAD_MAX) as usize;
        if self.players.iter().any(|player| !player.batches[place].is_there) {
            return false;
        }
        sealed.begin(self.next);
        for player in &mut self.players {
            let batch = &mut player.batches[place];
            batch.is_there = false;
            let table = self.table.as_ref().filter(|_| player.number != CONTENT_PLAYER);
            self.counts.fill(0);
            for event in &batch.events {
                match table.map_or(Ok(()), |table| check_event(table, &mut self.counts, event)) {
                    Ok(()) => sealed.push(player.number, *event),
                    Err(why) => {
                        player.refused += 1;
                        if self.refusals.len() < REFUSALS_MAX {
                            let (player, cycle) = (player.number, self.next);
                            self.refusals.push(RefusedEvent { player, cycle, event: *event, why });
                        }
                    }
                }
            }
        }
        self.next += 1;
        true
    }
}

/// Checks an event against the table and its limit per batch.
fn check_event(table: &EventTable, counts: &mut [u16], event: &Event) -> Result<(), EventRefusal> {
    table.check(event)?;
    let number = table.number(event.kind).ok_or(EventRefusal::UnknownKind)?;
    let max = table.kinds()[number].per_batch_max;
    if counts[number] >= max {
        return Err(EventRefusal::TooMany { max });
    }
    counts[number] += 1;
    Ok(())
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::UnknownPlayer => {
                formatter.write_str("this player does not take part: list it when the relay is created")
            }
            Refusal::Late { next } => write!(formatter, "the cycle is already sealed; the next to be sealed is {next}"),
            Refusal::Early { last } => write!(formatter, "the cycle is too far ahead; the last accepted one is {last}"),
            Refusal::Twice => formatter.write_str("the player's batch for this cycle has already arrived"),
            Refusal::TooLong { max } => write!(formatter, "a batch has at most {max} events"),
        }
    }
}

impl core::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use base::StringId;

    fn event(number: u32) -> Event {
        Event::new(StringId::new("test"), &[number])
    }

    #[test]
    fn a_cycle_is_sealed_when_all_batches_have_arrived_empty_ones_included() {
        let mut relay = Relay::new(&[7, 3], 10);
        let mut sealed = Sealed::default();
        assert!(!relay.poll_sealed(&mut sealed));
        relay.handle_batch(7, 10, &[event(1), event(2)]).unwrap();
        assert!(!relay.poll_sealed(&mut sealed));
        relay.handle_batch(3, 10, &[]).unwrap();
        assert!(relay.poll_sealed(&mut sealed));
        assert_eq!(sealed.cycle(), 10);
        assert_eq!(sealed.events(), [(7, event(1)), (7, event(2))]);
        assert!(!relay.poll_sealed(&mut sealed), "a cycle is sealed once");
    }

    #[test]
    fn events_are_ordered_by_player_not_by_arrival() {
        let mut relay = Relay::new(&[7, 3], 0);
        let mut sealed = Sealed::default();
        relay.handle_batch(7, 0, &[event(1)]).unwrap();
        relay.handle_batch(3, 0, &[event(2)]).unwrap();
        assert!(relay.poll_sealed(&mut sealed));
        assert_eq!(sealed.events(), [(3, event(2)), (7, event(1))]);
    }

    #[test]
    fn batches_may_arrive_early_and_are_used_in_their_cycle() {
        let mut relay = Relay::new(&[0], 0);
        let mut sealed = Sealed::default();
        for cycle in (0..CYCLES_AHEAD_MAX).rev() {
            relay.handle_batch(0, cycle, &[event(cycle as u32)]).unwrap();
        }
        for cycle in 0..CYCLES_AHEAD_MAX {
            assert!(relay.poll_sealed(&mut sealed));
            assert_eq!(sealed.events(), [(0, event(cycle as u32))]);
        }
        assert!(!relay.poll_sealed(&mut sealed));
    }

    #[test]
    fn late_early_duplicate_long_and_unknown_batches_are_refused_and_change_nothing() {
        let mut relay = Relay::new(&[0, 1], 5);
        let mut sealed = Sealed::default();
        assert_eq!(relay.handle_batch(2, 5, &[]), Err(Refusal::UnknownPlayer));
        assert_eq!(relay.handle_batch(0, 4, &[event(9)]), Err(Refusal::Late { next: 5 }));
        assert_eq!(
            relay.handle_batch(0, 5 + CYCLES_AHEAD_MAX, &[]),
            Err(Refusal::Early { last: 4 + CYCLES_AHEAD_MAX })
        );
        let many = [event(9); EVENTS_PER_BATCH_MAX + 1];
        assert_eq!(relay.handle_batch(0, 5, &many), Err(Refusal::TooLong { max: EVENTS_PER_BATCH_MAX }));
        relay.handle_batch(0, 5, &[event(1)]).unwrap();
        assert_eq!(relay.handle_batch(0, 5, &[event(2)]), Err(Refusal::Twice));
        relay.handle_batch(1, 5, &[]).unwrap();
        assert!(relay.poll_sealed(&mut sealed));
        assert_eq!(sealed.events(), [(0, event(1))]);
    }
}
