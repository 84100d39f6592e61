//! Alarms: a timing wheel of bit sets that wakes entities in coming cycles.
//!
//! For each of the next [`ALARM_CYCLES`] cycles the block has a bit set over the slots of an array. When a cycle
//! begins, the slots in its set are awake, and the set is cleared for the cycle [`ALARM_CYCLES`] later.
//!
//! Laws
//! 1. An alarm belongs to a slot, not to its datum, and one for a cycle beyond the wheel is set for the farthest cycle
//!    in it. So there are spurious wake-ups: the woken entity checks whether anything is due. No wake-up is ever
//!    missed.
//! 2. An alarm for a cycle that is past or has begun is set for the next one.
//! 3. Alarms are part of the block: snapshots have them, and a restored world wakes the same entities in the same
//!    cycles.

use base::plain::{self, Plain};

use crate::limits::ALARM_CYCLES;
use crate::phase::{Access, Phase};
use crate::plan::{Layout, Life, Plan, RegionKind, Reservation};
use crate::world::World;

/// Where the alarms of one array lie.
#[derive(Clone, Copy)]
pub(crate) struct Alarms {
    region: u16,
    start: u32,
    /// How many words one set has.
    words: u32,
}

impl Layout {
    /// Reserves the alarms of an array with this many slots.
    pub(crate) fn alarms(&mut self, name: &str, array: u16, slots: u32) -> Alarms {
        let words = slots.div_ceil(64);
        let (number, region) = self.reserve(Reservation {
            name,
            kind: RegionKind::Alarms,
            head: None,
            bit_sets: 0,
            capacity: words * ALARM_CYCLES as u32,
            header: None,
            value: u64::DESCRIPTION,
            value_align: align_of::<u64>(),
            chunk: 0,
            life: |_, _| Life::Always,
        });
        let start = region.elements.start as u32;
        self.set_twin(number, array);
        Alarms { region: number, start, words }
    }
}

impl Alarms {
    /// Sets one, while painting or setting up.
    #[track_caller]
    pub fn set(self, world: &mut World, slot: u32, cycle: u64) {
        // In the cycle being painted, alarms have already gone off.
        let first = world.cycle() + u64::from(world.phase == Phase::Painting);
        let at = self.word_at(slot, sooner_or_later(cycle, first));
        *world.edit::<u64>(self.region, at, Access::Edit) |= 1 << (slot % 64);
    }

    /// The offset of the word with the bit of this slot, for a cycle within the wheel.
    #[inline]
    pub fn word_at(self, slot: u32, cycle: u64) -> usize {
        let set = (cycle % ALARM_CYCLES) as usize;
        self.start as usize + (set * self.words as usize + slot as usize / 64) * 8
    }

    /// The byte range of all alarms.
    pub fn bytes(self) -> core::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.words as usize * ALARM_CYCLES as usize * 8
    }

    /// Whether this key belongs to that plan.
    pub fn is_of(self, plan: &Plan) -> bool {
        plan.regions().get(usize::from(self.region)).is_some_and(|region| {
            region.kind == RegionKind::Alarms
                && region.elements.start == self.start as usize
                && u64::from(region.elements.capacity) == u64::from(self.words) * ALARM_CYCLES
        })
    }
}

/// The cycle in which the alarm is set, clamped to the wheel, which starts at `first`.
#[inline]
pub(crate) fn sooner_or_later(cycle: u64, first: u64) -> u64 {
    cycle.clamp(first, first + ALARM_CYCLES - 2)
}

impl World {
    /// Continues the cycle count of another world. Between cycles. If the count changes, all entities with alarms are
    /// woken: their alarms were set for the old count.
    pub fn go_on_from(&mut self, cycle: u64) {
        self.set_up(|world| {
            if cycle != world.cycle() {
                world.wake_all();
            }
            world.set_cycle(cycle);
        });
    }

    /// Wakes the entities with an alarm for the cycle that begins.
    pub(crate) fn ring(&mut self) {
        let set = (self.cycle() % ALARM_CYCLES) as usize;
        let plan = self.now.plan().clone();
        for alarms in plan.alarms.iter().map(|number| &plan.regions()[usize::from(*number)]) {
            let Some(array) = alarms.twin.map(|twin| &plan.regions()[usize::from(twin)]) else { continue };
            let [living, awake] = array.bit_sets();
            let length = living.len();
            let start = alarms.elements.start + set * length;
            for word in (0..length).step_by(8) {
                let due: u64 = *self.now.value(start + word);
                if due != 0 {
                    let living: u64 = *self.now.value(living.start + word);
                    *self.now.value_mut::<u64>(awake.start + word) |= due & living;
                    *self.now.value_mut::<u64>(start + word) = 0;
                    self.marks.mark(awake.start + word..awake.start + word + 8);
                    self.marks.mark(start + word..start + word + 8);
                }
            }
        }
    }

    /// Wakes all entities with alarms, and clears the alarms.
    fn wake_all(&mut self) {
        let plan = self.now.plan().clone();
        for number in &plan.alarms {
            let alarms = &plan.regions()[usize::from(*number)];
            let Some(array) = alarms.twin else { continue };
            let [living, awake] = plan.regions()[usize::from(array)].bit_sets();
            let bytes = self.edit_bytes(array, living.start..awake.end, Access::Edit);
            let words: &mut [u64] = plain::cast_slice_mut(bytes);
            let (living, awake) = words.split_at_mut(words.len() / 2);
            awake.copy_from_slice(living);
            self.edit_bytes(*number, alarms.bytes.clone(), Access::Edit).fill(0);
        }
    }
}
