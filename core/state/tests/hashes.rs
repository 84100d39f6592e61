//! The hash tree, and the differences between two worlds.

use crate::common;

use base::plain::{Description, Kind};
use base::random::{Pcg, Random};
use common::fleet::{Cargo, Fleet};
use common::nonsense::is_dead;
use common::{CHECKED, cases, repeat};
use proptest::prelude::*;
use state::plan::{Plan, RegionKind};
use state::{Alone, HashTree, World, differences};

/// The field of a described value that contains a byte.
fn field_at(what: &Description, offset: usize, path: &str) -> String {
    match what.kind {
        Kind::Number(_) | Kind::Enum(_) => path.to_string(),
        Kind::Record(fields) => {
            let field = fields.iter().rfind(|field| field.offset as usize <= offset).expect("it has fields");
            let dot = if path.is_empty() { "" } else { "." };
            field_at(field.description, offset - field.offset as usize, &format!("{path}{dot}{}", field.name))
        }
        Kind::Array { element, .. } => {
            let size = element.bytes as usize;
            field_at(element, offset % size, &format!("{path}[{}]", offset / size))
        }
    }
}

/// The system, region, slot and field of a byte of a living value outside of pools.
fn name_of(plan: &Plan, at: usize) -> Option<(String, String, Option<u32>, String)> {
    let region = plan.regions().iter().find(|region| region.bytes.contains(&at))?;
    let elements = &region.elements;
    let index = at.checked_sub(elements.start)? / elements.stride;
    let value = elements.value(index as u32);
    if index >= elements.capacity as usize || !value.contains(&at) || region.kind == RegionKind::Pool {
        return None;
    }
    let slot = (region.kind != RegionKind::Single).then_some(index as u32);
    let field = field_at(elements.value, at - value.start, "");
    Some((plan.systems()[region.system].name.clone(), region.name.clone(), slot, field))
}

#[test]
fn every_bit_of_a_living_value_changes_the_root_and_is_named() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 4, 9);
    let mut other = fleet.world(CHECKED, 1);
    let root = world.hash();
    let bytes = world.bytes().to_vec();
    let mut random = Pcg::new(8, 8);
    let (mut named, mut systems) = (0, std::collections::BTreeSet::new());
    while named < repeat(1500, 10) {
        let (at, bit) = (random.below(bytes.len() as u32) as usize, random.below(8));
        let Some((system, region, slot, field)) = name_of(&fleet.plan, at) else { continue };
        if is_dead(&fleet.plan, &bytes, at) {
            continue;
        }
        let mut altered = bytes.clone();
        altered[at] ^= 1 << bit;
        // The flip may have made a float non-canonical, or an owner invalid.
        if other.adopt(&altered).is_err() {
            continue;
        }
        assert_ne!(other.hash(), root, "bit {bit} of {region} {slot:?} {field}");
        let found = differences(&world, &other, 10);
        assert_eq!(found.len(), 1, "{found:?}");
        let found = &found[0];
        assert_eq!((&found.system, &found.region, found.slot, &found.field), (&system, &region, slot, &field));
        assert_eq!(found.cycle, 9);
        assert_ne!(found.left, found.right, "the difference names both values");
        let back = &differences(&other, &world, 10)[0];
        assert_eq!((&back.left, &back.right), (&found.right, &found.left));
        systems.insert(system);
        named += 1;
    }
    // The owners of pool blocks can hardly be changed without making the block inconsistent; the blocks have a separate
    // test.
    assert!(cfg!(miri) || systems.len() >= 4, "{systems:?}");
}

#[test]
fn every_bit_of_a_block_in_a_pool_changes_the_root_and_is_named() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 4, 9);
    let mut other = fleet.world(CHECKED, 1);
    let root = world.hash();
    let bytes = world.bytes().to_vec();
    let mut random = Pcg::new(8, 8);
    let mut named = 0;
    let blocks: Vec<_> = fleet.hold.iterate(&world).collect();
    while named < repeat(600, 5) {
        let handle = *random.pick(&blocks).expect("there are some");
        let (name, class, values) = if let Some(cargo) = fleet.cargo.get(&world, handle) {
            ("cargo", <Cargo as base::Plain>::DESCRIPTION, base::plain::cast_slice(cargo))
        } else if let Some(parcels) = fleet.parcels.get(&world, handle) {
            ("parcels", <u32 as base::Plain>::DESCRIPTION, base::plain::cast_slice(parcels))
        } else {
            ("letters", <u8 as base::Plain>::DESCRIPTION, fleet.letters.get(&world, handle).expect("it is a letter"))
        };
        if values.is_empty() {
            continue;
        }
        let offset = random.below(values.len() as u32) as usize;
        let at = values.as_ptr() as usize - world.bytes().as_ptr() as usize + offset;
        let size = class.bytes as usize;
        let path = if values.len() == size { name.to_string() } else { format!("{name}[{}]", offset / size) };
        let field = field_at(class, offset % size, &path);
        let mut altered = bytes.clone();
        altered[at] ^= 1 << random.below(8);
        if other.adopt(&altered).is_err() {
            continue;
        }
        assert_ne!(other.hash(), root, "{field} of {handle:?}");
        let found = differences(&world, &other, 10);
        assert_eq!(found.len(), 1, "{found:?}");
        let found = (found[0].region.as_str(), found[0].slot, found[0].field.as_str());
        assert_eq!(found, ("hold bytes", Some(handle.slot().into()), field.as_str()));
        named += 1;
    }
}

#[test]
fn bits_in_dead_elements_change_nothing() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 4, 9);
    let mut other = fleet.world(CHECKED, 1);
    let tree = world.hash_tree().clone();
    let bytes = world.bytes().to_vec();
    let dead: Vec<usize> = (0..bytes.len()).filter(|at| name_of(&fleet.plan, *at).is_some()).collect();
    let dead: Vec<usize> = dead.into_iter().filter(|at| is_dead(&fleet.plan, &bytes, *at)).collect();
    let mut random = Pcg::new(9, 9);
    for _ in 0..repeat(30, 2) {
        let mut altered = bytes.clone();
        for at in &dead {
            altered[*at] = random.next_u32() as u8;
        }
        other.adopt(&altered).expect("the content of dead elements is arbitrary");
        assert_eq!(*other.hash_tree(), tree);
        assert_eq!(differences(&world, &other, 10), []);
        assert!(other.bytes() == bytes, "dead elements hold garbage again");
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn the_updated_tree_equals_the_tree_built_from_scratch(seed: u64, cycles in 1..8_u32, every in 1..4_u32) {
        let fleet = Fleet::new();
        // Unchecked, so that only this test compares.
        let mut world = fleet.world(state::Settings { is_checked: false, ..CHECKED }, seed);
        for cycle in 0..cycles {
            fleet.step(&mut world, &Alone);
            if cycle % every == 0 {
                let whole = HashTree::of(&world);
                prop_assert_eq!(world.hash_tree(), &whole);
                prop_assert_eq!(world.hash(), whole.root);
            }
        }
    }
}

#[test]
fn differences_are_ordered_and_limited() {
    let fleet = Fleet::new();
    let mut left = fleet.seasoned(CHECKED, 4, 2);
    let mut right = fleet.seasoned(CHECKED, 4, 2);
    right.set_up(|world| {
        fleet.weather.get_mut(world).storms[2] = 9;
        let ships: Vec<_> = fleet.ships.iterate(world).map(|(handle, _)| handle).collect();
        for ship in &ships[3..60] {
            fleet.ships.get_mut(world, *ship).position[1] = -5.5;
            let is_awake = fleet.ships.is_awake(world, *ship);
            fleet.ships.set_awake(world, *ship, !is_awake);
        }
        fleet.ships.delete(world, ships[70]);
    });
    assert_ne!(left.hash(), right.hash());
    for max in 0..130 {
        let found = differences(&left, &right, max);
        assert_eq!(found.len(), max.min(118), "{max}");
    }
    let found = differences(&left, &right, 1000);
    assert_eq!((found[0].region.as_str(), found[0].field.as_str()), ("weather", "storms[2]"));
    let deleted = found.iter().find(|found| found.right == "nothing").expect("a ship is gone");
    assert!(deleted.left.contains("position [") && deleted.field.is_empty(), "{deleted}");
    let slots: Vec<_> = found.iter().filter(|it| it.region == "ships").filter_map(|it| it.slot).collect();
    assert!(slots.is_sorted());
    assert!(found.iter().any(|it| it.field == "awake" && it.left != it.right));
    let line = found[0].to_string();
    assert_eq!(line, "cycle 2, sky, weather: storms[2] 0 ≠ 9");
    let line = found.iter().find(|it| it.field == "position[1]").expect("ships moved").to_string();
    assert!(line.starts_with("cycle 2, ships, ships, slot ") && line.ends_with(" ≠ -5.5"), "{line}");
}

#[test]
fn differences_in_a_pool_name_class_and_field_at_any_offset() {
    let fleet = Fleet::new();
    let plan = &fleet.plan;
    let build = |is_moved: bool| {
        let mut world = World::new(plan, &state::Heap, CHECKED, 1);
        if is_moved {
            // The same two blocks with the same handles, at different offsets.
            let first = fleet.letters.create_many(&mut world, 500).expect("there is room");
            fleet.hold.delete(&mut world, first);
        } else {
            let first = fleet.letters.create_many(&mut world, 10).expect("there is room");
            fleet.hold.delete(&mut world, first);
        }
        let cargo = fleet.cargo.create(&mut world).expect("there is room");
        let parcels = fleet.parcels.create_many(&mut world, 5).expect("there is room");
        (world, cargo, parcels)
    };
    let (left, _, _) = build(false);
    let (mut right, cargo, parcels) = build(true);
    fleet.cargo.edit(&mut right, cargo, |cargo: &mut [Cargo]| cargo[0].kinds[3] = 8);
    fleet.parcels.edit(&mut right, parcels, |parcels| parcels[4] = 77);
    let found = differences(&left, &right, 100);
    let bytes: Vec<_> = found.iter().filter(|it| it.region == "hold bytes" && it.slot.is_some()).collect();
    let found: Vec<_> =
        bytes.iter().map(|it| (it.slot, it.field.as_str(), it.left.as_str(), it.right.as_str())).collect();
    assert_eq!(found, [(Some(0), "cargo.kinds[3]", "0", "8"), (Some(1), "parcels[4]", "0", "77")]);
}

#[test]
fn a_hash_is_split_by_system() {
    let fleet = Fleet::new();
    let mut left = fleet.seasoned(CHECKED, 4, 2);
    let mut right = fleet.seasoned(CHECKED, 4, 2);
    right.set_up(|world| fleet.log.truncate(world, 0));
    let (left, right) = (left.hash_tree(), right.hash_tree());
    let names = left.systems.iter().zip(&right.systems).zip(fleet.plan.systems());
    let differing: Vec<_> = names.filter(|((left, right), _)| left != right).map(|(_, it)| it.name.as_str()).collect();
    assert_eq!(differing, ["sky"]);
}
