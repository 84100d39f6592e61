//! What is walkable, and for which agent.

use base::Vec3;
use navigation::solids::{Solid, Solids};
use navigation::terrain::{is_free, needed_clearance, standing};
use navigation::{Outcome, Search, Terrain};

use crate::common::{GroundMap, SpaceMap, drawn, floor};

fn at(x: f32, y: f32) -> Vec3 {
    Vec3::new(x, y, 0.0)
}

#[test]
fn a_path_goes_around_a_wall_and_cuts_no_corner() {
    let map = GroundMap::drawn(&["......", ".####.", "......", "......"]);
    let ground = map.ground();
    let mut search = Search::new(100);
    let way = search.find(&ground, at(2.5, 0.5), at(2.5, 2.5), 1, 100);
    assert_eq!((way.outcome, way.cost), (Outcome::Complete, 60));
    let places: Vec<Vec3> = way.corners.iter().map(|cell| ground.stand(*cell)).collect();
    assert!(places.iter().all(|place| place.z.abs() < 0.001), "{places:?}");
    let flat: Vec<(f32, f32)> = places.iter().map(|place| (place.x, place.y)).collect();
    assert_eq!(flat, [(2.5, 0.5), (0.5, 0.5), (0.5, 2.5), (2.5, 2.5)]);
}

#[test]
fn an_agent_fits_through_a_gap_of_its_width() {
    let rows = ["..........", "..........", "####..####", "..........", ".........."];
    // Cells of a quarter: the gap of two metres is eight cells wide.
    let map = GroundMap::new(Vec3::new(10.0, 5.0, 5.0), 0.25, &mut Solids::new(drawn(&rows)));
    let ground = map.ground();
    let mut search = Search::new(2000);
    for (radius, is_open) in [(0.0, true), (0.25, true), (0.5, true), (0.75, true), (1.1, false)] {
        let needed = needed_clearance(radius, 0.25);
        let way = search.find(&ground, at(5.0, 1.0), at(5.0, 4.0), needed, 2000);
        assert_eq!(way.outcome == Outcome::Complete, is_open, "radius {radius}: {way:?}");
    }
}

#[test]
fn a_free_cell_keeps_the_agent_off_every_wall() {
    let rows = ["..........", "...#......", "......##..", "..........", ".#........", ".........."];
    let map = GroundMap::new(Vec3::new(10.0, 6.0, 5.0), 0.5, &mut Solids::new(drawn(&rows)));
    let ground = map.ground();
    for radius in [0.3, 0.5, 0.9, 1.4] {
        let needed = needed_clearance(radius, 0.5);
        for cell in (0..240).filter(|cell| ground.clearance(*cell) >= needed && ground.floor(*cell) < Some(1.0)) {
            let centre = ground.stand(cell);
            for (y, row) in rows.iter().enumerate() {
                for (x, _) in row.bytes().enumerate().filter(|(_, byte)| *byte == b'#') {
                    // Between the squares of the cell and of the wall.
                    let gap =
                        |centre: f32, wall: usize| base::number::max((centre - wall as f32 - 0.5).abs() - 0.75, 0.0);
                    let (x, y) = (gap(centre.x, x), gap(centre.y, y));
                    assert!(x * x + y * y >= radius * radius - 0.001, "{radius} at {centre:?}");
                }
            }
        }
    }
}

#[test]
fn steps_are_climbed_and_ledges_are_not() {
    let block =
        |x: f32, height: f32| Solid::Box { least: Vec3::new(x, 0.0, 0.0), most: Vec3::new(x + 2.0, 3.0, height) };
    let ramp = vec![floor(12.0, 3.0), block(2.0, 0.3), block(4.0, 0.6), block(6.0, 0.9)];
    let settings = |map: &mut GroundMap| map.settings.slope_max = 0.0;
    let mut map = GroundMap::new(Vec3::new(12.0, 3.0, 5.0), 1.0, &mut Solids::new(ramp.clone()));
    settings(&mut map);
    navigation::ground::build(&map.settings, &mut map.cells, &mut Solids::new(ramp));
    let mut search = Search::new(100);
    let up = search.find(&map.ground(), at(0.5, 1.5), Vec3::new(7.5, 1.5, 0.9), 1, 100);
    assert_eq!(up.outcome, Outcome::Complete);
    let last = map.ground().stand(*up.corners.last().unwrap());
    assert!((last.z - 0.9).abs() < 0.001, "{last:?}");
    let over = search.find(&map.ground(), at(0.5, 1.5), at(11.5, 1.5), 1, 100);
    assert_eq!(over.outcome, Outcome::Unreachable, "the ledge is 0.9 high");
    // The path to the nearest reachable cell ends on top of it.
    assert_eq!(map.ground().stand(*over.corners.last().unwrap()).x, 7.5);
}

#[test]
fn a_roof_is_walked_under_and_a_low_one_is_not() {
    let roof = |low: f32| Solid::Box { least: Vec3::new(3.0, 0.0, low), most: Vec3::new(5.0, 3.0, low + 0.5) };
    for (low, is_open) in [(2.0, true), (1.9, false)] {
        let mut solids = Solids::new(vec![floor(9.0, 3.0), roof(low)]);
        let map = GroundMap::new(Vec3::new(9.0, 3.0, 5.0), 1.0, &mut solids);
        let way = Search::new(100).find(&map.ground(), at(0.5, 1.5), at(8.5, 1.5), 1, 100).outcome;
        assert_eq!(way == Outcome::Complete, is_open, "{low}");
    }
}

#[test]
fn a_wall_thinner_than_a_cell_is_a_wall() {
    let thin = Solid::Box { least: Vec3::new(4.2, 0.0, 0.0), most: Vec3::new(4.25, 3.0, 3.0) };
    let map = GroundMap::new(Vec3::new(9.0, 3.0, 5.0), 1.0, &mut Solids::new(vec![floor(9.0, 3.0), thin]));
    let way = Search::new(100).find(&map.ground(), at(0.5, 1.5), at(8.5, 1.5), 1, 100).outcome;
    assert_eq!(way, Outcome::Unreachable);
}

#[test]
fn a_place_in_a_wall_is_moved_to_the_nearest_floor() {
    let map = GroundMap::drawn(&["......", ".##...", ".##...", "......"]);
    let ground = map.ground();
    assert!(!is_free(&ground, at(1.5, 1.5), 1) && is_free(&ground, at(0.5, 1.5), 1));
    assert!(is_free(&ground, Vec3::new(0.5, 1.5, 1.0), 1), "the middle of an agent");
    assert!(!is_free(&ground, Vec3::new(0.5, 1.5, 4.0), 1), "in the air");
    let found = standing(&ground, at(1.1, 2.4), 1).unwrap();
    assert_eq!((ground.stand(found.cell).x, ground.stand(found.cell).y, found.is_exact), (0.5, 2.5, false));
}

#[test]
fn ships_fly_around_asteroids() {
    let mut solids = Solids::new(vec![Solid::Ball { centre: Vec3::new(20.0, 10.0, 10.0), radius: 5.0 }]);
    let map = SpaceMap::new(Vec3::new(40.0, 20.0, 20.0), &mut solids, 64);
    let space = map.space();
    assert!(map.chunks.contains(&u32::MAX), "chunks far away have no page");
    let mut search = Search::new(16_000);
    let (from, to) = (Vec3::new(5.0, 10.0, 10.0), Vec3::new(35.0, 10.0, 10.0));
    for needed in 1..=3 {
        let way = search.find(&space, from, to, needed, 16_000);
        assert_eq!(way.outcome, Outcome::Complete);
        assert!((3..=4).contains(&way.corners.len()), "{:?}", way.corners);
        for cell in way.corners {
            let away = (space.stand(*cell) - Vec3::new(20.0, 10.0, 10.0)).length();
            assert!(away > 5.0 + f32::from(needed) - 1.0, "{away}");
        }
    }
}
