//! The cache of goal fields.

use navigation::solids::{Solid, Solids};
use navigation::{Ground, Terrain, ground};

use crate::common::{FieldMemory, GroundMap, drawn, wall};

fn cell(ground: &Ground<'_>, x: u32, y: u32) -> u32 {
    ground.lattice().number([x, y, 0])
}

#[test]
fn a_full_cache_forgets_the_goal_asked_for_longest_ago() {
    let map = GroundMap::drawn(&["........", "........"]);
    let ground = map.ground();
    let mut memory = FieldMemory::new(&ground, 2);
    assert!(memory.edit().ask(1, 1, 1) && memory.edit().ask(2, 1, 1));
    assert!(!memory.edit().ask(3, 1, 1), "both slots are of this cycle");
    memory.edit().advance(&ground, 1000);
    assert!(memory.fields().ahead(&ground, 0, 1, 1).is_some() && memory.fields().ahead(&ground, 0, 2, 1).is_some());
    assert!(memory.edit().ask(1, 1, 2) && memory.edit().ask(3, 1, 2));
    assert!(memory.fields().ahead(&ground, 0, 2, 1).is_none(), "2 was asked for longest ago");
    assert!(memory.fields().ahead(&ground, 0, 3, 1).is_none(), "3 is not computed yet");
    memory.edit().advance(&ground, 1000);
    assert_eq!(memory.fields().ahead(&ground, 0, 3, 1), Some(3));
    assert_eq!(memory.fields().ahead(&ground, 0, 1, 1), Some(1));
    assert_eq!(memory.fields().ahead(&ground, 1, 1, 1), None, "at the goal");
}

#[test]
fn a_field_of_an_earlier_map_answers_with_legal_moves_until_it_is_renewed() {
    let rows = ["......", "......", "......", "......"];
    let mut solids = Solids::new(drawn(&rows));
    let mut map = GroundMap::drawn(&rows);
    let (start, goal) = (cell(&map.ground(), 0, 1), cell(&map.ground(), 5, 1));
    let mut memory = FieldMemory::new(&map.ground(), 1);
    memory.edit().ask(goal, 1, 1);
    memory.edit().advance(&map.ground(), 1000);
    assert_eq!(memory.fields().ahead(&map.ground(), start, goal, 1), Some(goal));

    let walls: Vec<Solid> = (0..3).map(|y| wall(3.0, y as f32)).collect();
    solids.edit().extend(&walls);
    for wall in &walls {
        let (least, most) = wall.bounds();
        ground::rebuild(&map.settings, &mut map.cells, &ground::ChangedBox { least, most }, &mut solids);
    }
    memory.edit().expire();
    assert!(!memory.edit().is_done());
    let stale = memory.fields().ahead(&map.ground(), start, goal, 1);
    assert!(stale.is_some_and(|next| map.ground().lattice().position(next)[0] < 3), "{stale:?}");
    // A wave that the next change interrupts starts again.
    assert_eq!(memory.edit().advance(&map.ground(), 3), 3);
    memory.edit().expire();
    memory.edit().advance(&map.ground(), 1000);
    assert!(memory.edit().is_done());
    assert_eq!(memory.fields().cost(&map.ground(), start, goal, 1), Some(14 + 14 + 10 + 10 + 14 + 10));
}
