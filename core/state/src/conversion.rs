//! Conversion of a block to another plan: a saved world goes on in a level with other capacities.
//!
//! Laws
//! 1. Slots and generations stay, so every handle that named something names it afterwards.
//! 2. A region is carried over if the other plan has one of the same name, kind and type. Elements that do not fit its capacity are
//!    named, and then nothing is converted.
//! 3. The result is validated like any block from outside when a world adopts it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::plain::{self, Plain};

use crate::block::Block;
use crate::life::{ArrayHead, BlockPrefix, ListHead, PoolBlock, PoolHead};
use crate::limits::{ALARM_CYCLES, GRANULE_BYTES};
use crate::plan::{Life, Region, RegionKind};
use crate::queue::EntryHead;

/// A region that does not fit the other plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The name of the region.
    pub region: String,
    /// The capacity that its elements need.
    pub needed: u32,
    /// The capacity that the other plan gives it.
    pub capacity: u32,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misfit { region, needed, capacity } = self;
        write!(formatter, "\"{region}\" needs room for {needed}, and there is room for {capacity}")
    }
}

/// The bytes of a block of another plan with everything that `before` holds. `empty` is a new block of that plan; the regions in
/// `left_out` stay as they are there.
pub fn convert(before: &Block, empty: &Block, left_out: &[&str]) -> Result<Vec<u8>, Vec<Misfit>> {
    let (plan, mut misfits) = (empty.plan(), Vec::new());
    let mut out = Converted { from: before.bytes(), bytes: empty.bytes().to_vec() };
    let numbers: Vec<Option<usize>> = before.plan().regions().iter().map(|old| number_of(empty, old)).collect();
    for (number, old) in before.plan().regions().iter().enumerate() {
        let Some(new) = numbers[number].map(|number| &plan.regions()[number]) else { continue };
        if left_out.contains(&new.name.as_str()) {
            continue;
        }
        let done = match old.kind {
            RegionKind::Single => out.copy(old.elements.value(0).start, new.elements.value(0).start, old),
            RegionKind::Datums => out.array(old, new),
            RegionKind::List => out.list(old, new),
            RegionKind::Brush => out.list(old, new).map(|()| out.renumber(new, &numbers)),
            RegionKind::Pool => {
                let owners = numbers[number - 1].map(|number| &plan.regions()[number]);
                owners.map_or(Ok(()), |owners| out.pool(old, new, owners))
            }
            RegionKind::Alarms => out.alarms(before, empty, old, new),
        };
        misfits.extend(done.err());
    }
    if misfits.is_empty() { Ok(out.bytes) } else { Err(misfits) }
}

/// The number of the region of another plan that continues this one.
fn number_of(block: &Block, old: &Region) -> Option<usize> {
    let is_it = |new: &Region| {
        let (one, other) = (&old.elements, &new.elements);
        let types =
            (one.value.name, one.value.bytes, one.stride) == (other.value.name, other.value.bytes, other.stride);
        new.name == old.name && new.kind == old.kind && types
    };
    block.plan().regions().iter().position(is_it)
}

struct Converted<'a> {
    from: &'a [u8],
    bytes: Vec<u8>,
}

impl Converted<'_> {
    fn read<T: Plain>(&self, at: usize) -> T {
        plain::pod_read_unaligned(&self.from[at..at + size_of::<T>()])
    }

    fn write<T: Plain>(&mut self, at: usize, value: &T) {
        self.bytes[at..at + size_of::<T>()].copy_from_slice(plain::bytes_of(value));
    }

    fn take(&mut self, from: core::ops::Range<usize>, to: usize) {
        let length = from.len();
        self.bytes[to..to + length].copy_from_slice(&self.from[from]);
    }

    fn copy(&mut self, from: usize, to: usize, old: &Region) -> Result<(), Misfit> {
        self.take(from..from + old.elements.value.bytes as usize, to);
        Ok(())
    }

    fn array(&mut self, old: &Region, new: &Region) -> Result<(), Misfit> {
        let head: ArrayHead = self.read(old.bytes.start);
        let capacity = new.elements.capacity;
        let [living, awake] = old.bit_sets();
        let words = living.len() / 8;
        let is_set = |bits: &core::ops::Range<usize>, slot: u32| {
            let at = bits.start + slot as usize / 64 * 8;
            plain::pod_read_unaligned::<u64>(&self.from[at..at + 8]) >> (slot % 64) & 1 == 1
        };
        let end = (0..old.elements.capacity).rev().find(|slot| is_set(&living, *slot)).map_or(0, |slot| slot + 1);
        if end > capacity {
            return Err(Misfit { region: new.name.clone(), needed: end, capacity });
        }
        let [new_living, new_awake] = new.bit_sets();
        let common = words.min(new_living.len() / 8) * 8;
        self.take(living.start..living.start + common, new_living.start);
        if !awake.is_empty() && !new_awake.is_empty() {
            self.take(awake.start..awake.start + common, new_awake.start);
        }
        for slot in (0..end).filter(|slot| is_living(self.from, &living, *slot)) {
            self.take(old.elements.element(slot), new.elements.element(slot).start);
        }
        let (taken_below, count_max) = (head.taken_below.min(capacity), head.count_max.min(capacity));
        self.write(new.bytes.start, &ArrayHead { taken_below, count_max, ..head });
        Ok(())
    }

    fn list(&mut self, old: &Region, new: &Region) -> Result<(), Misfit> {
        let head: ListHead = self.read(old.bytes.start);
        let capacity = new.elements.capacity;
        if head.count > capacity {
            return Err(Misfit { region: new.name.clone(), needed: head.count, capacity });
        }
        let start = old.elements.start;
        self.take(start..start + old.elements.stride * head.count as usize, new.elements.start);
        self.write(new.bytes.start, &ListHead { count_max: head.count_max.min(capacity), ..head });
        Ok(())
    }

    /// The addresses of waiting entries name arrays by their numbers in the plan.
    fn renumber(&mut self, new: &Region, numbers: &[Option<usize>]) {
        let head: ListHead = plain::pod_read_unaligned(&self.bytes[new.bytes.start..][..size_of::<ListHead>()]);
        for index in 0..head.count {
            let at = new.elements.element(index).start;
            let mut entry: EntryHead = plain::pod_read_unaligned(&self.bytes[at..at + size_of::<EntryHead>()]);
            for address in [&mut entry.target, &mut entry.source] {
                // The first array has a number above 0: region 0 is the time.
                if let Some(Some(number)) = numbers.get(usize::from(address.array)).filter(|_| address.array != 0) {
                    address.array = *number as u16;
                }
            }
            self.write(at, &entry);
        }
    }

    fn pool(&mut self, old: &Region, new: &Region, owners: &Region) -> Result<(), Misfit> {
        let head: PoolHead = self.read(old.bytes.start);
        let capacity = new.elements.capacity;
        if head.used > capacity {
            return Err(Misfit { region: new.name.clone(), needed: head.used, capacity });
        }
        let ([living, _], Life::Bits(bits)) = (old.bit_sets(), new.elements.life) else { return Ok(()) };
        let (mut from, mut to) = (0, 0);
        while from < head.end {
            if !is_living(self.from, &living, from) {
                from += 1;
                continue;
            }
            let at = old.elements.start + from as usize * GRANULE_BYTES;
            let prefix: BlockPrefix = self.read(at);
            let bytes = prefix.granules as usize * GRANULE_BYTES;
            self.take(at..at + bytes, new.elements.start + to as usize * GRANULE_BYTES);
            for granule in to..to + prefix.granules {
                self.bytes[bits + granule as usize / 8] |= 1 << (granule % 8);
            }
            let owner = owners.elements.value(u32::from(prefix.owner.slot())).start;
            let block: PoolBlock = plain::pod_read_unaligned(&self.bytes[owner..owner + size_of::<PoolBlock>()]);
            self.write(owner, &PoolBlock { start: to, ..block });
            from += prefix.granules.max(1);
            to += prefix.granules;
        }
        self.write(new.bytes.start, &PoolHead { end: to, used_max: head.used_max.min(capacity), ..head });
        Ok(())
    }

    fn alarms(&mut self, before: &Block, empty: &Block, old: &Region, new: &Region) -> Result<(), Misfit> {
        let words = |region: &Region| region.elements.capacity as usize / ALARM_CYCLES as usize;
        let (Some(array), Some(twin)) = (old.twin, new.twin) else { return Ok(()) };
        let [living, _] = before.plan().regions()[usize::from(array)].bit_sets();
        let [_, last] = empty.plan().regions()[usize::from(twin)].bit_sets();
        debug_assert_eq!(words(new) * 8, last.len(), "an alarm set has a bit for each slot");
        for set in 0..ALARM_CYCLES as usize {
            for word in 0..words(old).min(words(new)) {
                let at = old.elements.start + (set * words(old) + word) * 8;
                // Entries of free slots wake no object.
                let bits = self.read::<u64>(at) & self.read::<u64>(living.start + word * 8);
                self.write(new.elements.start + (set * words(new) + word) * 8, &bits);
            }
        }
        Ok(())
    }
}

fn is_living(bytes: &[u8], bits: &core::ops::Range<usize>, index: u32) -> bool {
    bytes[bits.start + index as usize / 8] >> (index % 8) & 1 == 1
}
