//! What is done to the steps of a plan when all of them are there.

use alloc::vec::Vec;

use super::RESULT;
use super::step::{Columns, Step, Work};

/// Most functions end with their only copy to the result. It is spared: the result is where it is copied from.
pub(super) fn without_last_copy(steps: &mut Vec<Step>) -> u8 {
    let copies = steps.iter().filter(|step| step.is_writing && step.to == RESULT).count();
    match steps.last() {
        Some(Step { work: Work::Move | Work::MoveWide, to: RESULT, from: [from, ..], .. }) if copies == 1 => {
            let from = *from;
            steps.pop();
            from
        }
        _ => RESULT,
    }
}

/// Finds the steps that write a column of which lanes that wait further on still need the old values.
pub(super) fn mark_blended(steps: &mut [Step], slots: u16, result: u8) {
    // For each slot its first jump, and where it lands.
    let mut ranges = alloc::vec![(usize::MAX, usize::MAX); usize::from(slots)];
    for (at, step) in steps.iter().enumerate() {
        if let Some(slot) = step.jump() {
            let first = &mut ranges[usize::from(slot)].0;
            *first = at.min(*first);
        }
        if let Work::Land(slot) = step.work {
            ranges[usize::from(slot)].1 = at;
        }
    }
    // What is still needed before each step, from the end on: jumps go forward, so one pass is enough.
    let mut needed = alloc::vec![Columns::default(); steps.len() + 1];
    needed[steps.len()].insert(result);
    for (at, step) in steps.iter().enumerate().rev() {
        let mut now = if step.is_end() { Columns::default() } else { needed[at + 1] };
        if let Some(landing) = step.jump().map(|slot| ranges[usize::from(slot)].1) {
            now.extend(&needed[landing.min(steps.len())]);
        }
        if step.is_writing {
            now.remove(step.to);
        }
        step.from[..usize::from(step.reads)].iter().for_each(|column| now.insert(*column));
        needed[at] = now;
    }
    for (at, step) in steps.iter_mut().enumerate().filter(|(_, step)| step.is_writing) {
        let mut waiting = ranges.iter().filter(|(first, landing)| *first < at && at < *landing);
        step.is_blended = waiting.any(|(_, landing)| needed[(*landing).min(needed.len() - 1)].contains(step.to));
    }
}

pub(super) fn landings(steps: &[Step]) -> Vec<u16> {
    let mut next = steps.len() as u16;
    let mut landings = alloc::vec![next; steps.len()];
    for (at, step) in steps.iter().enumerate().rev() {
        landings[at] = next;
        if matches!(step.work, Work::Land(_)) {
            next = at as u16;
        }
    }
    landings
}
