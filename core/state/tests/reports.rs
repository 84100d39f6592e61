//! The memory report: owner, capacity, usage, peak usage and refusals of each region.

use crate::common;

use common::CHECKED;
use common::fleet::{Bell, Fleet, Note};
use state::report::memory_report;
use state::{Address, Alone, World};

#[test]
fn every_region_has_a_correct_row() {
    let fleet = Fleet::new();
    let mut world = World::new(&fleet.plan, &state::Heap, CHECKED, 1);
    let ships: Vec<_> = (0..7).filter_map(|_| Some(fleet.ships.create(&mut world)?.0)).collect();
    fleet.ships.delete(&mut world, ships[0]);
    let letters = fleet.letters.create_many(&mut world, 100).expect("there is room");
    fleet.letters.create_many(&mut world, 10).expect("there is room");
    fleet.hold.delete(&mut world, letters);
    assert!(fleet.letters.create_many(&mut world, 9000).is_none());
    for _ in 0..72 {
        fleet.log.push(&mut world, Note { cycle: 0, hull: 0, ship: ships[1] });
    }
    fleet.log.truncate(&mut world, 5);
    for _ in 0..25 {
        fleet.bell.queue(&mut world, Address::WORLD, &Bell);
    }
    let report = memory_report(&world);
    assert_eq!(report.rows.len(), fleet.plan.regions().len());
    assert_eq!(report.bytes, fleet.plan.bytes());
    let row = |name: &str| {
        let row = report.rows.iter().find(|row| row.region == name).expect("every region has a row");
        (row.system.as_str(), row.unit, row.used, row.used_max, row.capacity, row.refused)
    };
    assert_eq!(row("time"), ("time", "value", 1, 1, 1, 0));
    assert_eq!(row("weather"), ("sky", "value", 1, 1, 1, 0));
    assert_eq!(row("log"), ("sky", "elements", 5, 70, 70, 2));
    assert_eq!(row("ships"), ("ships", "slots", 6, 7, 200, 0));
    assert_eq!(row("hold"), ("holds", "slots", 1, 2, 90, 0));
    // A hundred bytes and their prefix take four granules, ten take one.
    assert_eq!(row("hold bytes"), ("holds", "bytes", 32, 160, 4512, 1));
    assert_eq!(row("bell"), ("causes", "waiting", 20, 20, 20, 5));
    let text = report.to_string();
    assert_eq!(text.lines().count(), report.rows.len() + 2);
    assert!(text.ends_with("0 entries refused by outboxes"), "{text}");
    for row in &report.rows {
        assert!(text.lines().any(|line| line.contains(&row.region) && line.contains(&row.bytes.to_string())));
    }
}

#[test]
fn the_bytes_of_all_rows_fit_into_the_block_without_overlap() {
    let fleet = Fleet::new();
    let world = fleet.seasoned(CHECKED, 1, 5);
    let report = memory_report(&world);
    let sum: usize = report.rows.iter().map(|row| row.bytes).sum();
    assert!(sum <= report.bytes && report.bytes - sum < 4096 * fleet.plan.systems().len());
}

#[test]
fn refusals_of_outboxes_are_reported() {
    let mut layout = state::Layout::of_world("narrow");
    layout.set_outbox_bytes(64);
    layout.set_paint_bytes(32);
    layout.system("all");
    let items = layout.datums::<u32>("items", 10);
    let brush = layout.brush::<u32>("brush", 20);
    let mut world = World::new(&layout.finish(), &state::Heap, CHECKED, 1);
    for _ in 0..10 {
        items.create(&mut world).expect("there is room");
    }
    let update = state::each(items, |item| {
        item.queue(brush, item.address(), &1);
    });
    world.simulate(&Alone, &[&update]);
    assert_eq!(memory_report(&world).entries_refused, 8);
    assert!(brush.queue(&mut world, Address::WORLD, &1));
    assert!(!brush.queue(&mut world, Address::WORLD, &1));
    assert_eq!(memory_report(&world).entries_refused, 9);
}
