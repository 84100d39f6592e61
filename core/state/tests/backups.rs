//! Incremental backups of a running world: each is complete, and costs only the pages written.

use crate::common;

use std::collections::BTreeMap;

use common::fleet::Fleet;
use common::{CHECKED, repeat};
use state::backups::{Backups, Schedule};
use state::{Alone, Heap, World};

const SCHEDULE: Schedule = Schedule { short_cycles: 2, short_count: 3, long_cycles: 7, long_count: 2 };

/// The bytes of all backup places, and a full copy of every cycle.
struct Shelf {
    places: Vec<Vec<u8>>,
    copies: BTreeMap<u64, Vec<u8>>,
    backups: Backups,
}

impl Shelf {
    fn new(world: &World) -> Shelf {
        let places = vec![vec![0xee; world.plan().bytes()]; SCHEDULE.places()];
        Shelf { places, copies: BTreeMap::new(), backups: Backups::new(SCHEDULE) }
    }

    fn keep(&mut self, world: &mut World) -> Option<usize> {
        self.copies.insert(world.cycle(), world.bytes().to_vec());
        self.backups.keep(world, |place| &mut self.places[place])
    }

    fn assert_whole(&self) {
        for (place, cycle) in self.backups.list() {
            assert!(self.places[place] == self.copies[&cycle], "the backup of cycle {cycle} is not whole");
        }
    }
}

#[test]
fn each_backup_is_the_complete_world_of_its_cycle() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 4);
    let mut shelf = Shelf::new(&world);
    for cycle in 0..u64::from(repeat(60, 12)) {
        assert_eq!(shelf.keep(&mut world), SCHEDULE.place(cycle));
        shelf.assert_whole();
        fleet.step(&mut world, &Alone);
    }
    let cycles: Vec<u64> = shelf.backups.list().into_iter().map(|(_, cycle)| cycle).collect();
    assert!(cycles.is_sorted_by(|left, right| left > right), "newest first");
    if !cfg!(miri) {
        // Short backups 58, 54 and 50, long backups 56 and 49: a backup due as both is kept as a long one.
        assert_eq!(cycles, [58, 56, 54, 50, 49]);
    }
}

#[test]
fn a_backup_restores_the_world_of_its_cycle() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 4);
    let mut shelf = Shelf::new(&world);
    for _ in 0..9 {
        shelf.keep(&mut world);
        fleet.step(&mut world, &Alone);
    }
    let hash = world.hash();
    for (place, cycle) in shelf.backups.list() {
        let mut again = World::new(&fleet.plan, &Heap, CHECKED, 0);
        again.adopt(&shelf.places[place]).expect("a backup is consistent");
        assert_eq!(again.cycle(), cycle);
        while again.cycle() < world.cycle() {
            fleet.step(&mut again, &Alone);
        }
        assert_eq!(again.hash(), hash);
    }
}

#[test]
fn a_restored_world_is_backed_up_correctly() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 4);
    let mut shelf = Shelf::new(&world);
    let start = world.snapshot(&Heap);
    for round in 0..3 {
        for _ in 0..8 {
            shelf.keep(&mut world);
            shelf.assert_whole();
            world.set_up(|world| fleet.weather.get_mut(world).storms[0] = round);
            fleet.step(&mut world, &Alone);
        }
        world.restore(&start);
    }
}

#[test]
fn a_different_world_starts_its_backups_over() {
    let fleet = Fleet::new();
    let mut first = fleet.seasoned(CHECKED, 4, 3);
    let mut second = fleet.seasoned(CHECKED, 5, 3);
    let mut shelf = Shelf::new(&first);
    for _ in 0..6 {
        shelf.keep(&mut first);
        fleet.step(&mut first, &Alone);
        fleet.step(&mut second, &Alone);
    }
    for _ in 0..12 {
        shelf.keep(&mut second);
        shelf.assert_whole();
        assert!(shelf.backups.list().iter().all(|(_, cycle)| *cycle >= 9), "no backup is of the first world");
        fleet.step(&mut second, &Alone);
    }
}

#[test]
fn a_backup_costs_the_pages_written_since_its_place_was_used() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 4);
    let schedule = Schedule { short_cycles: 1, short_count: 2, long_cycles: 0, long_count: 0 };
    let mut backups = Backups::new(schedule);
    let mut places = vec![vec![0; world.plan().bytes()]; 2];
    let untouched = world.plan().bytes() - 1;
    for cycle in 0..6 {
        let before = places.clone();
        let place = backups.keep(&mut world, |place| &mut places[place]).expect("every cycle has one");
        let pages = places[place].chunks(4096).zip(before[place].chunks(4096));
        let changed = pages.filter(|(now, then)| now != then).count();
        if cycle >= 2 {
            // The page of the time and that of the storm; the last page was not written, so not copied.
            assert_eq!((changed, places[place][untouched]), (2, 0x5a), "in cycle {cycle}");
        }
        assert!(places[place][..untouched] == world.bytes()[..untouched]);
        places[place][untouched] = 0x5a;
        world.simulate(&Alone, &[]);
        fleet.weather.get_mut(&mut world).storms[1] += 1;
        world.rest();
    }
}

#[test]
fn no_schedule_means_no_backups() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 4);
    let schedule = Schedule { short_cycles: 0, short_count: 0, long_cycles: 0, long_count: 0 };
    let mut backups = Backups::new(schedule);
    for _ in 0..5 {
        assert_eq!(backups.keep(&mut world, |_| unreachable!("no place is asked for")), None);
        fleet.step(&mut world, &Alone);
    }
    assert!(backups.list().is_empty());
}
