//! Validation of blocks: every inconsistency is found and named before the block is adopted.

use crate::common;

use std::ops::Range;

use common::fleet::{Bell, Fleet, Note, Push};
use common::{CHECKED, repeat};
use state::plan::Region;
use state::{Address, World};

/// A valid block, to be corrupted.
struct Scene {
    fleet: Fleet,
    world: World,
    bytes: Vec<u8>,
}

impl Scene {
    /// Ships in slots 0, 2 and 3 of 200; three blocks in the pool, the second of parcels; two notes; one bell waits.
    fn new() -> Scene {
        let fleet = Fleet::new();
        let mut world = World::new(&fleet.plan, &state::Heap, CHECKED, 1);
        let ships: Vec<_> = (0..4).filter_map(|_| Some(fleet.ships.create(&mut world)?.0)).collect();
        fleet.ships.delete(&mut world, ships[1]);
        fleet.cargo.create(&mut world).expect("there is room");
        fleet.parcels.create_many(&mut world, 9).expect("there is room");
        fleet.letters.create_many(&mut world, 3).expect("there is room");
        for _ in 0..2 {
            fleet.log.push(&mut world, Note { cycle: 1, hull: 2, ship: ships[0] });
        }
        fleet.bell.queue(&mut world, Address::WORLD, &Bell);
        fleet.push.queue(&mut world, Address::WORLD, &Push { force: [1.0; 2], depth: 1 });
        world.set_up(|_| ());
        let bytes = world.bytes().to_vec();
        Scene { fleet, world, bytes }
    }

    fn region(&self, name: &str) -> &Region {
        self.fleet.plan.regions().iter().find(|region| region.name == name).expect("it was reserved")
    }

    /// The bytes of one 32-bit number of a head.
    fn head(&self, name: &str, number: usize) -> Range<usize> {
        let start = self.region(name).bytes.start + number * 4;
        start..start + 4
    }

    /// The offset of an element.
    fn element(&self, name: &str, index: u32) -> usize {
        self.region(name).elements.element(index).start
    }

    fn value(&self, name: &str, index: u32) -> usize {
        self.region(name).elements.value(index).start
    }

    /// Corrupts the block with these changes; returns the error, after checking that the world is unchanged.
    fn said(&mut self, changes: &[(usize, &[u8])]) -> String {
        let mut spoilt = self.bytes.clone();
        for (at, bytes) in changes {
            spoilt[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        assert!(spoilt != self.bytes, "nothing was changed");
        let verdict = self.world.adopt(&spoilt);
        let error = verdict.expect_err(&format!("{changes:?} went unnoticed")).to_string();
        assert!(self.world.bytes() == self.bytes, "the world changed");
        error
    }

    #[track_caller]
    fn assert_refused(&mut self, words: &[&str], changes: &[(usize, &[u8])]) {
        let said = self.said(changes);
        for word in words {
            assert!(said.contains(word), "{said:?} does not say {word:?}");
        }
    }
}

#[test]
fn the_scene_itself_is_consistent() {
    let mut scene = Scene::new();
    let bytes = scene.bytes.clone();
    scene.world.adopt(&bytes).expect("nothing was changed");
    // The bytes need not be aligned.
    let shifted = [&[0], &bytes[..]].concat();
    scene.world.adopt(&shifted[1..]).expect("an unaligned block is accepted too");
    assert!(scene.world.bytes() == bytes);
}

#[test]
fn a_head_of_an_array_that_contradicts_the_slots_is_refused() {
    let mut scene = Scene::new();
    let [count, count_max, taken_below, _, next_generation] =
        [0, 1, 2, 3, 4].map(|number| scene.head("ships", number).start);
    let name = "\"ships\"";
    scene.assert_refused(&[name, "3 slots are living, the head counts 2"], &[(count, &[2])]);
    scene.assert_refused(&[name, "3 slots are living, the head counts 4"], &[(count, &[4])]);
    scene.assert_refused(&[name, "does not fit 200 slots"], &[(count, &[5])]);
    scene.assert_refused(&[name, "does not fit 200 slots"], &[(count_max, &[2])]);
    scene.assert_refused(&[name, "does not fit 200 slots"], &[(count_max, &[201])]);
    scene.assert_refused(&[name, "slot 1 is free"], &[(taken_below, &[2])]);
    scene.assert_refused(&[name, "does not fit 200 slots"], &[(taken_below, &[201])]);
    scene.assert_refused(&[name, "the next generation is 0x7fff"], &[(next_generation, &[0xff, 0x7f])]);
    scene.assert_refused(&[name, "the next generation is 0x0000"], &[(next_generation, &[0, 0])]);
}

#[test]
fn a_head_of_a_full_array_beyond_its_end_is_refused() {
    let mut scene = Scene::new();
    // All 40 slots are taken, so that no free slot reveals the error.
    let mines = scene.fleet.mines;
    scene.world.set_up(|world| while mines.create(world).is_some() {});
    scene.bytes = scene.world.bytes().to_vec();
    let taken_below = scene.head("mines", 2).start;
    scene.assert_refused(&["\"mines\"", "does not fit 40 slots"], &[(taken_below, &[41])]);
}

#[test]
fn slots_that_contradict_their_bits_are_refused() {
    let mut scene = Scene::new();
    let [living, dead] = [2, 1].map(|slot| scene.element("ships", slot));
    let bits = scene.region("ships").bytes.start + 24;
    let awake = bits + 32;
    let name = "\"ships\"";
    scene.assert_refused(&[name, "slot 2 has generation 0x0000 and is living"], &[(living, &[0, 0])]);
    scene.assert_refused(&[name, "slot 2 has generation 0x7fff and is living"], &[(living, &[0xff, 0x7f])]);
    scene.assert_refused(&[name, "slot 1 has generation 0x0001 and is free"], &[(dead, &[1, 0])]);
    scene.assert_refused(&[name, "slot 1 has generation 0x8001 and is free"], &[(dead, &[1, 0x80])]);
    scene.assert_refused(&[name, "slot 3 has generation", "is free"], &[(bits, &[0b0101])]);
    scene.assert_refused(&[name, "slot 1 has generation 0x0000 and is living"], &[(bits, &[0b1111])]);
    scene.assert_refused(&[name, "slot 1 is free and awake"], &[(awake, &[0b1111])]);
    scene.assert_refused(&[name, "slot 199 is free and awake"], &[(awake + 24, &[0b1000_0000])]);
    // 200 slots: the last word has 56 unused bits.
    scene.assert_refused(&[name, "beyond slot 200"], &[(bits + 25, &[1])]);
    scene.assert_refused(&[name, "beyond slot 200"], &[(awake + 31, &[0x80])]);
    let asleep = {
        let mut bytes = scene.bytes.clone();
        bytes[awake] = 0;
        bytes
    };
    scene.world.adopt(&asleep).expect("any living slot may be asleep");
}

#[test]
fn a_list_or_a_brush_with_a_count_above_its_capacity_is_refused() {
    let mut scene = Scene::new();
    for (name, capacity) in [("log", 70), ("bell", 20), ("push", 40)] {
        let [count, count_max] = [0, 1].map(|number| scene.head(name, number).start);
        let words = format!("does not fit {capacity} elements");
        scene.assert_refused(&[name, &words], &[(count, &[3])]);
        scene.assert_refused(&[name, &words], &[(count_max, &[0])]);
        scene.assert_refused(&[name, &words], &[(count_max, &[capacity + 1])]);
        scene.assert_refused(&[name, &words], &[(count, &[capacity + 1]), (count_max, &[capacity + 1])]);
        scene.assert_refused(&[name, &words], &[(count, &[0xff; 4]), (count_max, &[0xff; 4])]);
    }
}

#[test]
fn a_head_of_a_pool_that_contradicts_the_blocks_is_refused() {
    let mut scene = Scene::new();
    let name = "\"hold bytes\"";
    let [used, used_max, end] = [0, 1, 2].map(|number| scene.head("hold bytes", number).start);
    let bits = scene.region("hold bytes").bytes.start + 24;
    // Cargo and parcels take two granules each, letters one; there are 141.
    scene.assert_refused(&[name, "found 3 blocks of 5 granules, the head counts 3 of 4"], &[(used, &[4])]);
    scene.assert_refused(&[name, "does not fit 141 granules"], &[(used, &[6])]);
    scene.assert_refused(&[name, "does not fit 141 granules"], &[(used_max, &[142])]);
    scene.assert_refused(&[name, "does not fit 141 granules"], &[(end, &[142])]);
    scene.assert_refused(&[name, "the block at granule 4 has 1 granules"], &[(end, &[4])]);
    scene.assert_refused(&[name, "granule 2 has 2 granules"], &[(bits, &[0b10111])]);
    scene.assert_refused(&[name, "granule 1 has"], &[(bits, &[0b11110])]);
    scene.assert_refused(&[name, "granule 7 has"], &[(bits, &[0b1001_1111]), (end, &[20])]);
    scene.assert_refused(&[name, "found 2 blocks of 4 granules, the head counts 3 of 5"], &[(bits, &[0b01111])]);
    scene.assert_refused(
        &[name, "found 2 blocks of 4 granules, the head counts 3 of 4"],
        &[(bits, &[0b01111]), (used, &[4])],
    );
    scene.assert_refused(&[name, "beyond slot 141"], &[(bits + 17, &[0b10_0000])]);
}

#[test]
fn blocks_that_contradict_their_owners_are_refused() {
    let mut scene = Scene::new();
    let name = "\"hold bytes\"";
    let [first, second, third] = [0, 2, 4].map(|granule| scene.element("hold bytes", granule));
    let owner = scene.value("hold", 1);
    let handle = scene.bytes[second..second + 4].to_vec();
    let other_generation = [handle[0], handle[1], handle[2] ^ 1, handle[3]];
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(second, &other_generation)]);
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(second, &[90])]);
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(second, &[0xff; 4])]);
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(second, &[0; 4])]);
    let first_handle = scene.bytes[first..first + 4].to_vec();
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(second, &first_handle)]);
    scene.assert_refused(&[name, "granule 2 has 0 granules"], &[(second + 4, &[0])]);
    scene.assert_refused(&[name, "granule 2 has 1 granules"], &[(second + 4, &[1])]);
    scene.assert_refused(&[name, "granule 2 has 3 granules"], &[(second + 4, &[3])]);
    scene.assert_refused(&[name, "granule 2 has 4294967295 granules"], &[(second + 4, &[0xff; 4])]);
    // The fields of the owner: offset, length, class.
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(owner, &[0])]);
    scene.assert_refused(&[name, "granule 2 is not that of its owner"], &[(owner, &[0xff; 4])]);
    scene.assert_refused(&[name, "granule 2 has 2 granules for", "bytes: 35"], &[(owner + 4, &[35])]);
    scene.assert_refused(&[name, "granule 2 has 2 granules for", "bytes: 52"], &[(owner + 4, &[52])]);
    scene.assert_refused(&[name, "granule 2 has 2 granules for", "bytes: 12"], &[(owner + 4, &[12])]);
    scene.assert_refused(
        &[name, "granule 2 has 2 granules for", "bytes: 4294967292"],
        &[(owner + 4, &[0xfc, 0xff, 0xff, 0xff])],
    );
    scene.assert_refused(&[name, "granule 2 has 2 granules for", "class: 0"], &[(owner + 8, &[0])]);
    scene.assert_refused(&[name, "granule 2 has 2 granules for", "class: 3"], &[(owner + 8, &[3])]);
    // After three letters there are thirteen bytes of padding.
    scene.assert_refused(&[name, "belongs to no field"], &[(third + 16 + 3, &[1])]);
    scene.assert_refused(&[name, "belongs to no field"], &[(third + 31, &[1])]);
}

#[test]
fn padding_must_be_zero() {
    let mut scene = Scene::new();
    let plan = scene.fleet.plan.clone();
    let weather = scene.region("weather").bytes.clone();
    let storm = scene.region("storm").bytes.clone();
    assert!(storm.start > weather.end, "there is a gap between them");
    scene.assert_refused(&["belongs to no field"], &[(weather.end, &[1])]);
    scene.assert_refused(&["belongs to no field"], &[(storm.end, &[1])]);
    scene.assert_refused(&["belongs to no field"], &[(storm.start.next_multiple_of(4096) - 1, &[1])]);
    scene.assert_refused(&["belongs to no field"], &[(48, &[1])]);
    scene.assert_refused(&["belongs to no field"], &[(plan.bytes() - 1, &[1])]);
    for name in ["ships", "mines", "hold", "log", "bell", "hold bytes"] {
        let region = scene.region(name);
        let last = region.elements.element(region.elements.capacity - 1).end;
        assert!(last < region.bytes.end);
        scene.assert_refused(&[name, "belongs to no field"], &[(last, &[1])]);
    }
    let mines = scene.region("mines");
    let gap = mines.bytes.start + 24 + 16;
    assert!(gap < mines.elements.start, "there is a gap between the bits and the slots");
    scene.assert_refused(&["mines", "belongs to no field"], &[(gap, &[1])]);
    let slot = scene.element("ships", 2);
    scene.assert_refused(&["ships", "belongs to no field"], &[(slot + 2, &[1])]);
    scene.assert_refused(&["ships", "belongs to no field"], &[(slot + 3, &[1])]);
}

#[test]
fn non_canonical_numbers_are_refused() {
    let mut scene = Scene::new();
    let ship = scene.value("ships", 2);
    let places = [scene.value("weather", 0) + 4, ship, ship + 20, scene.value("push", 0) + 4];
    let (zero, nan) = ((-0.0_f32).to_le_bytes(), 0x7fc0_0001_u32.to_le_bytes());
    for at in places {
        for bytes in [&zero, &nan, &0xffc0_0000_u32.to_le_bytes()] {
            scene.assert_refused(&["begins a f32 that is not canonical"], &[(at, bytes)]);
        }
    }
    let weight = scene.element("hold bytes", 0) + 16;
    scene.assert_refused(&["begins a f64 that is not canonical"], &[(weight, &(-0.0_f64).to_le_bytes())]);
    scene.assert_refused(&["begins a Truth that is not canonical"], &[(ship + 43, &[2])]);
    let mut bytes = scene.bytes.clone();
    bytes[ship..ship + 4].copy_from_slice(&0x7fc0_0000_u32.to_le_bytes());
    bytes[ship + 43] = 1;
    scene.world.adopt(&bytes).expect("the canonical NaN and true may be stored");
}

#[test]
fn a_block_of_any_other_length_is_refused() {
    let mut scene = Scene::new();
    let bytes = [&scene.bytes[..], &[0; 4096]].concat();
    for length in [0, 1, 4096, scene.bytes.len() - 1, scene.bytes.len() + 1, bytes.len()] {
        let error = scene.world.adopt(&bytes[..length]).expect_err("it is of another length").to_string();
        assert!(error.contains(&format!("{length} bytes instead of {}", scene.bytes.len())), "{error}");
    }
}

#[test]
fn blocks_with_one_flipped_structure_bit_are_refused_or_harmless() {
    let scene = Scene::new();
    let groups = common::nonsense::structure(&scene.fleet.plan, &scene.bytes);
    let every = repeat(7, 500) as usize;
    let bits = groups.concat().into_iter().flat_map(|at| (0..8).map(move |bit| (at, bit)));
    let (mut accepted, mut refused) = (0, 0);
    for (at, bit) in bits.step_by(every) {
        let mut world = World::new(&scene.fleet.plan, &state::Heap, CHECKED, 2);
        let mut bytes = scene.bytes.clone();
        bytes[at] ^= 1 << bit;
        match world.adopt(&bytes) {
            Ok(()) => {
                accepted += 1;
                common::nonsense::live_fully(&scene.fleet, &mut world, 3);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(cfg!(miri) || accepted > 20 && refused > 100, "{accepted} accepted, {refused} refused");
}
