//! The events of a player of this machine, until they are sealed.

use std::collections::VecDeque;

use relay::Event;
use relay::limits::EVENTS_PER_BATCH_MAX;

/// The most events that wait for a safe cycle: those of a second of furious pressing.
const WAITING_MAX: usize = EVENTS_PER_BATCH_MAX * 20;

/// A player of this machine.
#[derive(Default)]
pub struct LocalPlayer {
    waiting: VecDeque<Event>,
    batch: Vec<Event>,
    /// The events dropped because too many waited.
    left_out: u64,
}

impl LocalPlayer {
    /// Adds events. More than a batch holds wait for the next one, so that no press is lost.
    pub fn push(&mut self, events: &[Event]) {
        let room = WAITING_MAX - self.waiting.len();
        let taken = events.len().min(room);
        self.waiting.extend(&events[..taken]);
        self.left_out += (events.len() - taken) as u64;
    }

    /// The batch of the next safe cycle; often empty.
    pub fn batch(&mut self) -> &[Event] {
        self.batch.clear();
        let count = self.waiting.len().min(EVENTS_PER_BATCH_MAX);
        self.batch.extend(self.waiting.drain(..count));
        &self.batch
    }

    /// Drops what waits: the world it was meant for is gone.
    pub fn forget(&mut self) {
        self.waiting.clear();
    }

    /// The number of events dropped because too many waited, since the last call.
    pub fn take_left_out(&mut self) -> u64 {
        std::mem::take(&mut self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_beyond_a_batch_wait_for_the_next_and_floods_are_counted() {
        let event = |number: u32| Event::new("press".into(), &[number]);
        let events: Vec<Event> = (0..EVENTS_PER_BATCH_MAX as u32 + 3).map(event).collect();
        let mut player = LocalPlayer::default();
        player.push(&events);
        assert_eq!(player.batch().len(), EVENTS_PER_BATCH_MAX);
        assert_eq!(player.batch(), &events[EVENTS_PER_BATCH_MAX..]);
        assert_eq!(player.batch(), []);
        for _ in 0..100 {
            player.push(&events);
        }
        assert_eq!(player.take_left_out(), 100 * events.len() as u64 - WAITING_MAX as u64);
        player.forget();
        assert_eq!(player.batch(), []);
    }
}
