//! Rebuilding the part that a change can reach gives the same map as rebuilding all of it.

use base::Vec3;
use navigation::Terrain;
use navigation::ground::{self, ChangedBox};
use navigation::solids::{Solid, Solids};
use proptest::prelude::*;

use crate::common::{GroundMap, SpaceMap, floor};

fn solid() -> impl Strategy<Value = Solid> {
    let place = (-3.0_f32..35.0, -3.0_f32..35.0, -2.0_f32..14.0);
    (place, 0.1_f32..6.0, any::<bool>()).prop_map(|((x, y, z), size, is_ball)| {
        let centre = Vec3::new(x, y, z);
        if is_ball {
            Solid::Ball { centre, radius: size }
        } else {
            Solid::Box { least: centre, most: centre + Vec3::new(size, 6.0 - size, size) }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_partial_rebuild_is_a_full_one(first in prop::collection::vec(solid(), 0..8), steps in prop::collection::vec((any::<prop::sample::Index>(), solid(), 0_u8..3), 1..6)) {
        let mut list = vec![floor(32.0, 30.0)];
        list.extend(first);
        let mut solids = Solids::new(list);
        let most = Vec3::new(32.0, 30.0, 12.0);
        let mut map = GroundMap::new(most, 0.75, &mut solids);
        let mut space = SpaceMap::new(most, &mut solids, 256);
        for (index, new, kind) in steps {
            // A shape is added, removed or moved: the box covers where it was and where it is.
            let list = solids.edit();
            let mut boxes = Vec::new();
            if kind != 0 && !list.is_empty() {
                boxes.push(list.remove(index.index(list.len())).bounds());
            }
            if kind != 1 {
                boxes.push(new.bounds());
                list.push(new);
            }
            for (least, most) in boxes {
                let changed = ChangedBox { least, most };
                ground::rebuild(&map.settings, &mut map.cells, &changed, &mut solids);
                let SpaceMap { settings, chunks, pages, build } = &mut space;
                build.rebuild(settings, (chunks, pages), &changed, &mut solids);
            }
            let full = GroundMap::new(most, 0.75, &mut solids);
            prop_assert!(map.cells == full.cells);
            let full = SpaceMap::new(most, &mut solids, 256);
            prop_assert_eq!(full.space().lost(), 0);
            for cell in 0..full.settings.lattice().cells() {
                prop_assert_eq!(space.space().clearance(cell), full.space().clearance(cell), "cell {}", cell);
            }
        }
    }
}

#[test]
fn only_the_cells_near_a_change_are_looked_up() {
    let mut solids = Solids::new(vec![floor(400.0, 400.0)]);
    let mut map = GroundMap::new(Vec3::new(400.0, 400.0, 5.0), 1.0, &mut solids);
    let new = Solid::Box { least: Vec3::new(100.5, 100.5, 0.0), most: Vec3::new(103.5, 103.5, 3.0) };
    solids.edit().push(new);
    let (least, most) = new.bounds();
    let count = ground::rebuild(&map.settings, &mut map.cells, &ChangedBox { least, most }, &mut solids);
    assert_eq!(count, 36);
    let far = ChangedBox { least: Vec3::splat(f32::NAN), most: Vec3::splat(900.0) };
    assert_eq!(ground::rebuild(&map.settings, &mut map.cells, &far, &mut solids), 0);
}

#[test]
fn a_chunk_without_a_page_is_closed_until_there_is_one() {
    let balls: Vec<Solid> = (0..4)
        .map(|index| Solid::Ball { centre: Vec3::new(12.0 + 24.0 * index as f32, 12.0, 12.0), radius: 2.0 })
        .collect();
    let most = Vec3::new(96.0, 24.0, 24.0);
    let mut solids = Solids::new(balls.clone());
    let needed = SpaceMap::new(most, &mut solids, 1000);
    let used = needed.pages.iter().filter(|page| **page != navigation::space::Page::default()).count();
    let mut map = SpaceMap::new(most, &mut solids, used - 1);
    assert_eq!(map.space().lost(), 1);
    solids.edit().remove(0);
    let (least, most_of_ball) = balls[0].bounds();
    let SpaceMap { settings, chunks, pages, build } = &mut map;
    build.rebuild(settings, (chunks, pages), &ChangedBox { least, most: most_of_ball }, &mut solids);
    let whole = ChangedBox { least: Vec3::ZERO, most };
    build.rebuild(settings, (chunks, pages), &whole, &mut solids);
    assert_eq!(map.space().lost(), 0);
}
