//! Entries that wait in the block for the next cycle. Knows payloads only as bytes.
//!
//! Laws
//! 1. They wait in the order of their keys; entries that come later are appended.
//! 2. Only target, source and payload are stored. The position is the order.

use core::ops::Range;

use base::plain;

use crate::block::Block;
use crate::life::{self, ListHead};
use crate::phase::Access;
use crate::plan::Region;
use crate::queue::{Address, EntryHead};
use crate::world::World;

/// The number of entries waiting at a brush.
pub(crate) fn count(block: &Block, brush: u16) -> u32 {
    block.value::<ListHead>(region(block, brush).1.bytes.start).count
}

/// Appends an entry; false if the list is full.
pub(crate) fn append(world: &mut World, brush: u16, target: Address, source: Address, payload: &[u8]) -> bool {
    let (number, region) = region(world, brush);
    let (start, elements) = (region.bytes.start, region.elements);
    let index = count(world, brush);
    let mut list = world.edit::<ListHead>(number, start, Access::Queue);
    if index == elements.capacity {
        list.refused = list.refused.saturating_add(1);
        return false;
    }
    list.count += 1;
    list.count_max = list.count_max.max(list.count);
    drop(list);
    let head = EntryHead { target, source, sequence: 0, brush, words: 0 };
    let bytes = world.edit_bytes(number, elements.element(index), Access::Queue);
    bytes.fill(0);
    bytes[..size_of::<EntryHead>()].copy_from_slice(plain::bytes_of(&head));
    bytes[elements.value_offset..elements.value_offset + payload.len()].copy_from_slice(payload);
    true
}

/// Appends all entries queued at a brush that are not painted in this cycle.
pub(crate) fn keep(world: &mut World, brush: u16) {
    if !world.queues.is_waiting(brush) {
        return;
    }
    let size = region(world, brush).1.elements.value.bytes as usize;
    let mut payload = [0; PAYLOAD_BYTES_MAX];
    let keys = world.take_sorted(brush);
    for key in &keys {
        let (head, bytes) = world.queues.entry_bytes(*key, size);
        payload[..size].copy_from_slice(bytes);
        append(world, brush, head.target, head.source, &payload[..size]);
    }
    world.queues.give_back(keys);
}

/// Moves all waiting entries of a brush into this cycle's queue.
pub(crate) fn resume(world: &mut World, brush: u16) {
    let waiting = count(world, brush);
    if waiting == 0 {
        return;
    }
    let (number, region) = region(world, brush);
    let (start, elements) = (region.bytes.start, region.elements);
    for index in 0..waiting {
        let head: EntryHead = *world.now.value(elements.element(index).start);
        let head = EntryHead { brush, ..head };
        let payload = &world.now.bytes()[elements.value(index)];
        let fits = world.queues.push_waited(&head, payload, index);
        world.count_refused(u32::from(!fits));
    }
    world.edit::<ListHead>(number, start, Access::Edit).count = 0;
    overwrite_dead(world, number, 0..waiting);
}

/// Withdraws the matching entries and returns how many. The others keep their order.
pub(crate) fn withdraw(world: &mut World, brush: u16, matches: &mut dyn FnMut(&EntryHead, &[u8]) -> bool) -> u32 {
    let (number, region) = region(world, brush);
    let (start, elements) = (region.bytes.start, region.elements);
    let waiting = count(world, brush);
    let mut left = 0;
    for index in 0..waiting {
        let head: EntryHead = *world.now.value(elements.element(index).start);
        if matches(&head, &world.now.bytes()[elements.value(index)]) {
            continue;
        }
        if left < index {
            let target = elements.element(left);
            world.edit_bytes(number, target.clone(), Access::Withdraw);
            world.now.bytes_mut().copy_within(elements.element(index), target.start);
        }
        left += 1;
    }
    if left < waiting {
        world.edit::<ListHead>(number, start, Access::Withdraw).count = left;
        overwrite_dead(world, number, left..waiting);
    }
    waiting - left
}

/// Overwrites elements as dead ones.
fn overwrite_dead(world: &mut World, number: u16, dead: Range<u32>) {
    let garbage = world.settings.garbage;
    let elements = world.plan().regions()[usize::from(number)].elements;
    let all = elements.element(dead.start).start..elements.element(dead.end - 1).end;
    world.edit_bytes(number, all, Access::Edit);
    life::overwrite_dead(&elements, dead, garbage, world.now.bytes_mut());
}

/// The largest payload.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 1024;

fn region(block: &Block, brush: u16) -> (u16, &Region) {
    let number = block.plan().brushes[usize::from(brush)];
    (number, &block.plan().regions()[usize::from(number)])
}
