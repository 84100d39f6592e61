//! Searches and fields against Dijkstra's algorithm, on random maps.

use base::Vec3;
use navigation::sight::is_straight;
use navigation::solids::{Solid, Solids};
use navigation::wave::downhill;
use navigation::{Outcome, Search, Terrain};
use proptest::prelude::*;

use crate::common::{FieldMemory, GroundMap, SpaceMap, dijkstra, floor, wall};

const SIDE: u32 = 24;

fn ground(walls: &[(u32, u32)]) -> GroundMap {
    let mut solids = vec![floor(SIDE as f32, SIDE as f32)];
    solids.extend(walls.iter().map(|(x, y)| wall(*x as f32, *y as f32)));
    GroundMap::new(Vec3::new(SIDE as f32, SIDE as f32, 5.0), 1.0, &mut Solids::new(solids))
}

fn asteroids(balls: &[(f32, f32, f32, f32)]) -> SpaceMap {
    let list = balls.iter().map(|(x, y, z, radius)| Solid::Ball { centre: Vec3::new(*x, *y, *z), radius: *radius });
    SpaceMap::new(Vec3::new(20.0, 17.0, 12.0), &mut Solids::new(list.collect()), 64)
}

/// Everything that must hold between two free cells.
fn check(terrain: &impl Terrain, start: u32, goal: u32, needed: u8) {
    let truth = dijkstra(terrain, goal, needed);
    let mut search = Search::new(terrain.lattice().cells());
    let way = search.find_between(terrain, start, goal, needed, u32::MAX);
    match truth.get(&start) {
        Some(cost) => {
            assert_eq!((way.outcome, way.cost), (Outcome::Complete, *cost));
            assert_eq!((way.corners.first(), way.corners.last()), (Some(&start), Some(&goal)));
        }
        None => {
            assert_eq!(way.outcome, Outcome::Unreachable);
            assert_eq!(way.corners.first(), Some(&start));
        }
    }
    for pair in way.corners.windows(2) {
        assert!(is_straight(terrain, pair[0], pair[1], needed), "{pair:?}");
    }
    let corners = way.corners.to_vec();
    assert_eq!(search.find_between(terrain, start, goal, needed, u32::MAX).corners, corners, "a used workspace");

    let mut memory = FieldMemory::new(terrain, 1);
    assert!(memory.edit().ask(goal, needed, 1));
    while !memory.edit().is_done() {
        assert!(memory.edit().advance(terrain, 7) <= 7);
    }
    let fields = memory.fields();
    for cell in 0..terrain.lattice().cells() {
        assert_eq!(fields.cost(terrain, cell, goal, needed), truth.get(&cell).copied(), "cell {cell}");
    }
    // Going downhill costs what the field says.
    let costs = &memory.costs[terrain.lattice().cells() as usize..];
    let (mut cell, mut steps) = (start, 0);
    while truth.contains_key(&start) && cell != goal {
        let next = downhill(terrain, costs, cell, needed).expect("there is a path");
        assert!(costs[next as usize] < costs[cell as usize]);
        (cell, steps) = (next, steps + 1);
        assert!(steps <= terrain.lattice().cells());
    }
    if let Some(ahead) = fields.ahead(terrain, start, goal, needed) {
        assert!(is_straight(terrain, start, ahead, needed) && truth[&ahead] < truth[&start]);
    } else {
        assert!(start == goal || !truth.contains_key(&start));
    }
}

/// The free cell at or after a number.
fn free_from(terrain: &impl Terrain, number: u32, needed: u8) -> Option<u32> {
    let cells = terrain.lattice().cells();
    (0..cells).map(|offset| (number + offset) % cells).find(|cell| terrain.clearance(*cell) >= needed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn paths_and_fields_on_the_ground_are_shortest(
        walls in prop::collection::vec((0..SIDE, 0..SIDE), 0..200), start in 0..SIDE * SIDE, goal in 0..SIDE * SIDE, needed in 1_u8..4,
    ) {
        let map = ground(&walls);
        let ground = map.ground();
        if let (Some(start), Some(goal)) = (free_from(&ground, start, needed), free_from(&ground, goal, needed)) {
            check(&ground, start, goal, needed);
        }
    }

    #[test]
    fn paths_and_fields_in_space_are_shortest(
        balls in prop::collection::vec((0.0_f32..20.0, 0.0_f32..17.0, 0.0_f32..12.0, 0.5_f32..5.0), 0..12),
        start in 0..4080_u32, goal in 0..4080_u32, needed in 1_u8..3,
    ) {
        let map = asteroids(&balls);
        let space = map.space();
        prop_assert_eq!(space.lost(), 0);
        if let (Some(start), Some(goal)) = (free_from(&space, start, needed), free_from(&space, goal, needed)) {
            check(&space, start, goal, needed);
        }
    }

    #[test]
    fn moves_are_symmetric(walls in prop::collection::vec((0..SIDE, 0..SIDE), 0..200), needed in 1_u8..4) {
        use navigation::moves::{OFFSETS, OPPOSITE};
        let map = ground(&walls);
        let ground = map.ground();
        for cell in (0..SIDE * SIDE).filter(|cell| ground.clearance(*cell) >= needed) {
            for index in (0..8).filter(|index| ground.moves(cell, needed) >> index & 1 == 1) {
                let lattice = ground.lattice();
                let other = lattice.beside(lattice.position(cell), OFFSETS[index]).unwrap();
                prop_assert!(ground.moves(other, needed) >> OPPOSITE[index] & 1 == 1);
            }
        }
    }
}
