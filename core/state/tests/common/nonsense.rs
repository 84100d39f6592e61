//! Corruption of blocks, and a workload that exercises all of a world.

use base::Handle;
use base::random::{Pcg, Random};
use proptest::prelude::*;
use state::plan::{Life, Plan, RegionKind};
use state::{Alone, World};

use super::fleet::{Fleet, Push};

/// One change to the bytes of a block.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// Flips a bit.
    Flip(u8),
    /// Writes a byte.
    Byte(u8),
    /// Adds to the 32-bit number that starts at the byte.
    Add(i8),
    /// Writes the largest number, or zero, over 32 bits.
    Extreme(bool),
}

/// A random change.
pub fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..8_u8).prop_map(Change::Flip),
        any::<u8>().prop_map(Change::Byte),
        (-3..=3_i8).prop_map(Change::Add),
        any::<bool>().prop_map(Change::Extreme),
    ]
}

/// Applies a change at a byte.
pub fn apply(bytes: &mut [u8], at: usize, change: Change) {
    match change {
        Change::Flip(bit) => bytes[at] ^= 1 << bit,
        Change::Byte(byte) => bytes[at] = byte,
        Change::Add(by) => {
            let at = (at & !3).min(bytes.len() - 4);
            let word = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            bytes[at..at + 4].copy_from_slice(&word.wrapping_add_signed(i32::from(by)).to_le_bytes());
        }
        Change::Extreme(is_large) => {
            let at = (at & !3).min(bytes.len() - 4);
            bytes[at..at + 4].fill(if is_large { 0xff } else { 0 });
        }
    }
}

/// The offsets of all structural bytes, in groups: the time, every head, every region's bit sets, the prefixes of
/// living elements, the owners and prefixes of pool blocks.
pub fn structure(plan: &Plan, bytes: &[u8]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![(0..48).collect()];
    for region in plan.regions() {
        let elements = &region.elements;
        let head_end = region.bytes.start + region.head.map_or(0, |head| head.bytes as usize);
        let is_living = |index: &u32| !is_dead(plan, bytes, elements.element(*index).start);
        let living: Vec<u32> = (0..elements.capacity).filter(is_living).collect();
        let ways = living.into_iter().flat_map(|index| {
            let element = elements.element(index);
            let end = match region.kind {
                RegionKind::Datums if region.name == "hold" || region.twin.is_some() => element.end,
                RegionKind::Datums | RegionKind::Brush => element.start + elements.value_offset,
                RegionKind::Pool => element.start + 16,
                RegionKind::Single | RegionKind::List | RegionKind::Alarms => element.start,
            };
            element.start..end
        });
        groups.push((region.bytes.start..head_end).collect());
        groups.push((head_end..elements.start).collect());
        groups.push(ways.collect());
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Whether a byte of a block lies in a dead element.
pub fn is_dead(plan: &Plan, bytes: &[u8], place: usize) -> bool {
    plan.regions().iter().any(|region| {
        let elements = &region.elements;
        let last = elements.start + elements.stride * elements.capacity as usize;
        if !(elements.start..last).contains(&place) {
            return false;
        }
        let index = (place - elements.start) / elements.stride;
        match elements.life {
            Life::Always => false,
            Life::Bits(start) => bytes[start + index / 8] >> (index % 8) & 1 == 0,
            Life::Below(at) => index >= u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize,
        }
    })
}

/// Exercises every operation of a world: one that adopted an accepted block must survive this.
pub fn live_fully(fleet: &Fleet, world: &mut World, seed: u64) {
    look_at_all(fleet, world);
    (0..3).for_each(|_| fleet.step(world, &Alone));
    look_at_all(fleet, world);
    world.set_up(|world| change_all(fleet, world, seed));
    (0..2).for_each(|_| fleet.step(world, &Alone));
    let own = world.bytes().to_vec();
    world.adopt(&own).expect("a world stepped from an accepted block is consistent");
    world.hash();
}

/// Reads all values.
pub fn look_at_all(fleet: &Fleet, world: &World) {
    assert_eq!(fleet.ships.iterate(world).count() as u32, fleet.ships.count(world));
    assert_eq!(fleet.mines.iterate(world).count() as u32, fleet.mines.count(world));
    assert_eq!(fleet.hold.iterate(world).count() as u32, fleet.hold.count(world));
    for (handle, ship) in fleet.ships.iterate(world) {
        assert!(std::ptr::eq(fleet.ships.get(world, handle), ship));
        fleet.ships.is_awake(world, handle);
        fleet.ships.at_slot(world, handle.slot()).expect("it is living");
        fleet.ships.find_raw(world, ship.next.raw());
    }
    for handle in fleet.hold.iterate(world) {
        let found = [
            fleet.cargo.get(world, handle).is_some(),
            fleet.parcels.get(world, handle).is_some(),
            fleet.letters.get(world, handle).is_some(),
        ];
        assert_eq!(found.iter().filter(|found| **found).count(), 1, "{handle:?} is of one class");
    }
    let in_classes = fleet.cargo.iterate(world).count()
        + fleet.parcels.iterate(world).count()
        + fleet.letters.iterate(world).count();
    assert_eq!(in_classes as u32, fleet.hold.count(world));
    fleet.log.get(world);
    fleet.weather.get(world);
    state::report::memory_report(world);
    assert!(state::differences(world, world, 10).is_empty());
}

fn change_all(fleet: &Fleet, world: &mut World, seed: u64) {
    let mut random = Pcg::new(seed, 1);
    for _ in 0..300 {
        fleet.launch_ship(world, Handle::NONE, random.below(1000));
        let blocks: Vec<_> = fleet.hold.iterate(world).collect();
        if let Some(block) = random.pick(&blocks).filter(|_| blocks.len() > 50) {
            fleet.hold.delete(world, *block);
        }
        let ships: Vec<_> = fleet.ships.iterate(world).map(|(handle, _)| handle).collect();
        if let Some(ship) = random.pick(&ships).filter(|_| ships.len() > 150) {
            fleet.ships.set_awake(world, *ship, false);
            fleet.push.queue(world, fleet.ships.address(*ship), &Push { force: [0.5; 2], depth: 2 });
            fleet.ships.delete(world, *ship);
        }
        let note = super::fleet::Note { cycle: 1, hull: 2, ship: Handle::NONE };
        fleet.log.push(world, note);
    }
    let ships: Vec<_> = fleet.ships.iterate(world).map(|(handle, _)| handle).collect();
    for (index, ship) in ships.into_iter().enumerate() {
        fleet.ships.set_awake(world, ship, !index.is_multiple_of(3));
        if index.is_multiple_of(5) {
            fleet.ships.delete(world, ship);
        }
    }
    let blocks: Vec<_> = fleet.hold.iterate(world).collect();
    blocks.into_iter().for_each(|block| fleet.hold.delete(world, block));
    assert_eq!(fleet.hold.count(world), 0);
    let left = fleet.hold.bytes_left(world);
    let whole = fleet.letters.create_many(world, left as u32 - 16).expect("an empty pool can allocate its capacity");
    assert!(fleet.letters.create(world).is_none());
    fleet.hold.delete(world, whole);
    for _ in 0..80 {
        fleet.log.push(world, super::fleet::Note { cycle: 1, hull: 2, ship: Handle::NONE });
    }
    fleet.log.truncate(world, 3);
    world.random().next_u32();
}
