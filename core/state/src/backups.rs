//! Backups: a copy every second and every half minute, the newest few of each.
//!
//! The caller provides the bytes: memory for rewinding, a memory-mapped file for crash reports. The place of a backup
//! is a function of its cycle, so that the bytes can be interpreted by a later process.
//!
//! Laws
//! 1. A backup costs the pages written since its place was last used.
//! 2. While a backup is being written its place counts as empty: a process killed there leaves no torn copy that looks
//!    whole.

use alloc::vec::Vec;

use base::plain::Plain;

use crate::marks::Moment;
use crate::world::World;

/// The intervals, and how many backups of each are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Schedule {
    /// The interval of backups in brush cycles, …
    pub short_cycles: u32,
    /// … of which this many are kept.
    pub short_count: u32,
    /// The interval of longer-lived backups in brush cycles, …
    pub long_cycles: u32,
    /// … of which this many are kept.
    pub long_count: u32,
}

impl Default for Schedule {
    /// Every second, and every 30 seconds, with brush cycles of 10 ms.
    fn default() -> Schedule {
        Schedule { short_cycles: 100, short_count: 4, long_cycles: 3000, long_count: 3 }
    }
}

impl Schedule {
    /// The number of places.
    pub fn places(&self) -> usize {
        self.short_count as usize + self.long_count as usize
    }

    /// The place for the backup of this cycle, if one is due.
    pub fn place(&self, cycle: u64) -> Option<usize> {
        let turn = |every: u32, count: u32| (cycle / u64::from(every) % u64::from(count)) as usize;
        let is_due = |every: u32, count: u32| count > 0 && every > 0 && cycle.is_multiple_of(u64::from(every));
        if is_due(self.long_cycles, self.long_count) {
            Some(self.short_count as usize + turn(self.long_cycles, self.long_count))
        } else if is_due(self.short_cycles, self.short_count) {
            Some(turn(self.short_cycles, self.short_count))
        } else {
            None
        }
    }
}

/// The backups of one world, in numbered places. With another world it starts over.
#[derive(Debug)]
pub struct Backups {
    schedule: Schedule,
    places: Vec<Place>,
    /// The world they are copies of.
    identity: Option<u64>,
}

/// The content of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    cycle: Option<u64>,
    moment: Moment,
}

impl Place {
    const EMPTY: Place = Place { cycle: None, moment: Moment::NEVER };
}

impl Backups {
    /// No backups yet.
    pub fn new(schedule: Schedule) -> Backups {
        Backups { schedule, places: alloc::vec![Place::EMPTY; schedule.places()], identity: None }
    }

    /// The intervals, and how many backups of each are kept.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// If a backup of this cycle is due, copies it to its place: `bytes_of(place)` gives the bytes of that place.
    /// Returns the place.
    pub fn keep<'a>(&mut self, world: &mut World, bytes_of: impl FnOnce(usize) -> &'a mut [u8]) -> Option<usize> {
        if self.identity != Some(world.identity()) {
            self.places.fill(Place::EMPTY);
            self.identity = Some(world.identity());
        }
        let cycle = world.cycle();
        let number = self.schedule.place(cycle)?;
        let place = &mut self.places[number];
        place.cycle = None;
        place.moment = world.copy_changed(place.moment, bytes_of(number));
        place.cycle = Some(cycle);
        Some(number)
    }

    /// All backups: place and cycle, newest first.
    pub fn list(&self) -> Vec<(usize, u64)> {
        let kept = self.places.iter().enumerate();
        let mut list: Vec<_> = kept.filter_map(|(number, place)| Some((number, place.cycle?))).collect();
        list.sort_unstable_by_key(|(number, cycle)| (core::cmp::Reverse(*cycle), *number));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_are_due_every_second() {
        let schedule = Schedule::default();
        let due: Vec<u64> = (1..=3000).filter(|cycle| schedule.place(*cycle).is_some()).collect();
        assert_eq!(due.len(), 30);
        assert!(due.iter().all(|cycle| cycle % 100 == 0));
    }

    #[test]
    fn the_newest_of_each_kind_are_in_different_places() {
        let schedule = Schedule::default();
        let places: Vec<_> = [3000, 6000, 9000, 9100, 9200, 9300, 9400].map(|cycle| schedule.place(cycle)).into();
        let mut distinct = places.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), places.len());
        assert!(places.iter().all(|place| place.is_some_and(|place| place < schedule.places())));
    }
}
