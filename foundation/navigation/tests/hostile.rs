//! Input that makes no sense has an answer.

use base::Vec3;
use navigation::ground::{self, ChangedBox};
use navigation::solids::{Solid, Solids};
use navigation::terrain::{is_free, needed_clearance};
use navigation::wave::Link;
use navigation::{
    Column, Geometry, GroundCell, GroundSettings, Lattice, LatticeError, Outcome, Search, Span, Spans, Terrain,
};
use proptest::prelude::*;

use crate::common::{FieldMemory, GroundMap, SpaceMap};

const BAD: [f32; 7] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -0.0, f32::MIN_POSITIVE];

#[test]
fn a_lattice_that_cannot_be_is_an_error() {
    let one = Vec3::splat(1.0);
    for bad in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        assert_eq!(Lattice::flat(Vec3::ZERO, Vec3::new(bad, 1.0, 1.0), 1.0), Err(LatticeError::Bounds), "{bad}");
        assert_eq!(Lattice::solid(Vec3::ZERO, one, bad), Err(LatticeError::Cell), "{bad}");
    }
    assert_eq!(Lattice::flat(Vec3::ZERO, Vec3::splat(1e9), 1.0), Err(LatticeError::TooMany));
    assert_eq!(Lattice::solid(Vec3::ZERO, Vec3::splat(1000.0), 1.0), Err(LatticeError::TooMany));
    assert_eq!(Lattice::solid(Vec3::ZERO, one, f32::MIN_POSITIVE), Err(LatticeError::TooMany));
    assert_eq!(Lattice::flat(Vec3::splat(f32::MIN), Vec3::splat(f32::MAX), 1.0), Err(LatticeError::Bounds));
    assert!(Lattice::flat(Vec3::ZERO, one, 100.0).is_ok_and(|lattice| lattice.cells() == 1));
}

#[test]
fn strange_places_find_nothing_or_a_path_from_the_border() {
    let map = GroundMap::drawn(&["....", "....", "...."]);
    let ground = map.ground();
    let mut search = Search::new(64);
    let good = Vec3::new(0.5, 0.5, 0.0);
    for x in BAD {
        for bad in [Vec3::new(x, 0.5, 0.0), Vec3::new(0.5, x, 0.0), Vec3::new(0.5, 0.5, x), Vec3::splat(x)] {
            for (from, to) in [(bad, good), (good, bad), (bad, bad)] {
                let way = search.find(&ground, from, to, 1, 64);
                assert_eq!(way.corners.is_empty(), way.outcome == Outcome::Nowhere, "{from:?} {to:?}");
            }
            assert!(!is_free(&ground, bad, 1) || bad.length() < 5.0);
        }
    }
    let outside = search.find(&ground, good, Vec3::new(9.0, 1.5, 0.0), 1, 64);
    assert_eq!(outside.outcome, Outcome::GoalBlocked);
    assert_eq!(ground.stand(*outside.corners.last().unwrap()).x, 3.5);
    assert_eq!(search.find(&ground, good, Vec3::new(900.0, 1.5, 0.0), 1, 64).outcome, Outcome::GoalBlocked);
    assert_eq!(search.find(&ground, good, good, 1, 64).corners.len(), 1);
    assert_eq!(search.find(&ground, good, good, 200, 64).outcome, Outcome::Nowhere, "no cell is that wide");
}

#[test]
fn sizes_that_are_no_sizes_fit_nowhere_or_everywhere() {
    assert_eq!(needed_clearance(f32::NAN, 1.0), u8::MAX);
    assert_eq!(needed_clearance(f32::INFINITY, 1.0), u8::MAX);
    assert_eq!(needed_clearance(-5.0, 1.0), 1);
    assert_eq!(needed_clearance(1e30, 1.0), u8::MAX);
}

#[test]
fn an_empty_level_has_no_floor_and_is_free_to_fly() {
    let map = GroundMap::new(Vec3::new(9.0, 9.0, 5.0), 1.0, &mut Solids::default());
    let places = (Vec3::new(1.0, 1.0, 0.0), Vec3::new(8.0, 8.0, 1.0));
    assert_eq!(Search::new(9).find(&map.ground(), places.0, places.1, 1, 9).outcome, Outcome::Nowhere);
    let space = SpaceMap::new(Vec3::splat(9.0), &mut Solids::default(), 0);
    let way = Search::new(400).find(&space.space(), places.0, places.1, 1, 400).corners.len();
    assert_eq!(way, 2);
}

/// Every number that a geometry can get wrong.
struct Nonsense;

impl Geometry for Nonsense {
    fn spans(&mut self, column: &Column, spans: &mut Spans) {
        for low in BAD {
            for high in BAD {
                spans.add(Span { low, high, is_steep: column.least.x > 3.0 });
            }
        }
        for index in 0..100 {
            spans.add(Span { low: index as f32, high: index as f32 + 0.5, is_steep: false });
        }
    }
}

#[test]
fn nonsense_from_a_geometry_is_ignored() {
    let lattice = Lattice::flat(Vec3::ZERO, Vec3::splat(9.0), 1.0).unwrap();
    for bad in BAD {
        let settings = GroundSettings { lattice, height: bad, step_max: bad, slope_max: bad, clearance_max: 255 };
        let mut cells = vec![GroundCell::default(); 81];
        ground::build(&settings, &mut cells, &mut Nonsense);
        for other in BAD {
            let changed = ChangedBox { least: Vec3::splat(bad), most: Vec3::splat(other) };
            ground::rebuild(&settings, &mut cells, &changed, &mut Nonsense);
            let solid = Solid::Ball { centre: Vec3::splat(bad), radius: other };
            GroundMap::new(Vec3::splat(4.0), 1.0, &mut Solids::new(vec![solid]));
            SpaceMap::new(Vec3::splat(9.0), &mut Solids::new(vec![solid]), 2);
        }
    }
}

#[test]
fn a_search_beyond_its_budget_gives_the_best_partial_path() {
    let map = GroundMap::drawn(&["..........", ".########.", "..........", ".........."]);
    let ground = map.ground();
    let mut search = Search::new(40);
    let (from, to) = (Vec3::new(0.5, 0.5, 0.0), Vec3::new(9.5, 3.5, 0.0));
    let mut lengths = Vec::new();
    for budget in [0, 1, 2, 5, 10, 20, 40, 1000] {
        let way = search.find(&ground, from, to, 1, budget);
        assert!(way.nodes <= budget.clamp(1, 40), "{way:?}");
        let end = ground.stand(*way.corners.last().unwrap());
        lengths.push((to - end).length());
        let is_complete = way.outcome == Outcome::Complete;
        assert!(is_complete || way.outcome == Outcome::Cut, "{budget}: {way:?}");
        assert_eq!(is_complete, (end - to).length() < 0.1);
    }
    assert!(lengths.is_sorted_by(|one, two| one >= two), "{lengths:?}");
    assert_eq!(lengths.last(), Some(&lengths[7]));
    assert!(lengths[7] < 0.1);
}

#[test]
fn a_field_to_a_goal_that_is_not_in_the_map_is_empty() {
    let map = GroundMap::drawn(&["...."]);
    let mut memory = FieldMemory::new(&map.ground(), 2);
    assert!(memory.edit().ask(u32::MAX, 1, 1) && memory.edit().ask(2, 255, 1));
    memory.edit().advance(&map.ground(), 100);
    assert_eq!(memory.fields().ahead(&map.ground(), 0, u32::MAX, 1), None);
    assert_eq!(memory.fields().ahead(&map.ground(), 0, 2, 255), None);
}

/// A value of these words, repeated: any bytes may lie in a block.
fn foreign<T: base::Plain>(words: &[u32]) -> T {
    let bytes: Vec<u8> = words.iter().cycle().flat_map(|word| word.to_le_bytes()).take(size_of::<T>()).collect();
    base::plain::pod_read_unaligned(&bytes)
}

/// Words as they are in a block: cells, small numbers, none, nonsense.
fn words(count: usize) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![3 => 0..40_u32, 2 => Just(u32::MAX), 1 => any::<u32>()], count)
}

/// Computes fields for a while: some visits at a time, and never more.
fn go_on(memory: &mut FieldMemory, terrain: &impl Terrain) {
    for _ in 0..40 {
        assert!(memory.edit().advance(terrain, 20) <= 20);
        for (cell, goal) in [(0, 3), (5, 0), (31, 31)] {
            let _ = (memory.fields().ahead(terrain, cell, goal, 1), memory.fields().cost(terrain, cell, goal, 1));
        }
        memory.edit().ask(7, 1, 9);
    }
    memory.links.resize(terrain.lattice().cells() as usize, Link::default());
    memory.edit().clear();
    assert!(memory.edit().ask(7, 1, 10));
    memory.edit().advance(terrain, 1000);
    assert_eq!(memory.fields().cost(terrain, 7, 7, 1), Some(0), "what was there before does not matter any more");
}

#[test]
fn a_wave_without_cells_is_broken_off_and_begins_again() {
    let map = GroundMap::drawn(&["....", "...."]);
    let mut memory = FieldMemory::new(&map.ground(), 1);
    memory.edit().ask(2, 1, 1);
    memory.edit().advance(&map.ground(), 1);
    // Every list is empty, and yet cells are open.
    let mut wave = vec![u32::MAX; 32];
    wave.extend([0, 1, 1, 1]);
    memory.work = foreign(&wave);
    memory.edit().advance(&map.ground(), 100);
    assert_eq!(memory.fields().cost(&map.ground(), 0, 2, 1), Some(20));
}

proptest! {
    #[test]
    fn fields_of_a_foreign_block_go_on(
        work in words(36), slots in prop::collection::vec(words(6), 3), links in words(50), costs in words(90), cut in 0..40_usize,
    ) {
        let map = GroundMap::drawn(&["........", "..####..", "........", "........"]);
        let mut memory = FieldMemory::new(&map.ground(), 3);
        memory.work = foreign(&work);
        memory.slots = slots.iter().map(|words| foreign(words)).collect();
        memory.links.iter_mut().zip(links.windows(2)).for_each(|(link, words)| *link = foreign(words));
        memory.costs.iter_mut().zip(&costs).for_each(|(own, cost)| *own = *cost);
        memory.links.truncate(40 - cut);
        go_on(&mut memory, &map.ground());
    }

    #[test]
    fn a_wave_under_way_that_was_changed_goes_on(
        steps in 1..30_u32, place in 0..36_usize, word in prop_oneof![0..40_u32, Just(u32::MAX), any::<u32>()], links in prop::collection::vec((0..32_usize, words(2)), 0..3),
    ) {
        let map = GroundMap::drawn(&["........", "..####..", "........", "........"]);
        let mut memory = FieldMemory::new(&map.ground(), 2);
        memory.edit().ask(3, 1, 1);
        memory.edit().advance(&map.ground(), steps);
        let mut bytes = base::plain::bytes_of(&memory.work).to_vec();
        bytes[4 * place..4 * place + 4].copy_from_slice(&word.to_le_bytes());
        memory.work = base::plain::pod_read_unaligned(&bytes);
        links.iter().for_each(|(at, words)| memory.links[*at] = foreign(words));
        go_on(&mut memory, &map.ground());
    }
}
