//! The inputs of one record: those that are due, as many as fit.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use relay::limits::EVENTS_PER_BATCH_MAX;

use super::message::Input;
use super::record::{CHANGES_MAX, Kinds, PlayerBatch};
use crate::limits::{AIM_CYCLES_MAX, INPUT_BYTES_MAX, RECORD_BYTES_MAX};

/// The inputs of a player that wait.
pub(super) type Waiting<'a> = (u8, &'a mut VecDeque<Input>);

/// What a record has beside batches: the counts, and two bytes for each change.
const BESIDE_BYTES: usize = 1 + 2 * CHANGES_MAX;

/// What a batch has beside its events: the player, and the longest number.
const BATCH_BYTES: usize = 1 + 6;

/// The inputs that are due in a cycle, as batches in the order of the players. One input of each player in turn, and of nobody more bytes
/// than the longest input has, so that who sends much delays nobody; another player is the first in every cycle.
pub(super) fn gather(mut waiting: Vec<Waiting<'_>>, cycle: u64, kinds: &Kinds) -> Vec<PlayerBatch> {
    waiting.sort_by_key(|(player, _)| *player);
    if !waiting.is_empty() {
        let first = (cycle % waiting.len() as u64) as usize;
        waiting.rotate_left(first);
    }
    let mut batches: Vec<PlayerBatch> = Vec::new();
    let mut shares = vec![INPUT_BYTES_MAX; waiting.len()];
    let mut left = RECORD_BYTES_MAX - BESIDE_BYTES;
    let mut encoded = Vec::new();
    loop {
        let before = left;
        for ((player, inputs), share) in waiting.iter_mut().zip(&mut shares) {
            // An aim too far ahead is not believed.
            let is_due = |input: &&Input| input.aim <= cycle || input.aim > cycle + AIM_CYCLES_MAX;
            let Some(input) = inputs.front().filter(is_due) else { continue };
            encoded.clear();
            kinds.write_events(&input.events, &mut encoded);
            let bytes = BATCH_BYTES + encoded.len();
            let place = batches.iter().position(|batch| batch.player == *player);
            let events = place.map_or(0, |place| batches[place].events.len()) + input.events.len();
            if bytes > left || encoded.len() > *share || events > EVENTS_PER_BATCH_MAX {
                continue;
            }
            (left, *share) = (left - bytes, *share - encoded.len());
            let Some(Input { number, events, .. }) = inputs.pop_front() else { continue };
            match place {
                Some(place) => {
                    batches[place].number = number;
                    batches[place].events.extend(events);
                }
                None => batches.push(PlayerBatch { player: *player, number, events }),
            }
        }
        if left == before {
            break;
        }
    }
    batches.sort_by_key(|batch| batch.player);
    batches
}
