use alloc::string::String;
use alloc::sync::Arc;

use super::*;
use crate::memory::Heap;
use crate::plan::Plan;
use crate::world::Settings;

fn scene() -> (Arc<Plan>, Datums<[u32; 3]>) {
    let mut layout = Layout::of_world("garbage");
    layout.system("all");
    let balls = layout.datums("balls", 70);
    (layout.finish(), balls)
}

#[test]
fn a_write_to_a_free_slot_is_detected_in_a_checked_world() {
    for is_generation in [false, true] {
        let (plan, balls) = scene();
        let mut world = World::new(&plan, &Heap, Settings { is_checked: true, ..Settings::default() }, 1);
        let first = balls.create(&mut world).expect("there is room").0;
        balls.create(&mut world).expect("there is room");
        balls.delete(&mut world, first);
        let elements = plan.regions()[1].elements;
        let at = if is_generation { elements.element(0).start } else { elements.value(0).end - 1 };
        world.now.bytes_mut()[at] ^= 4;
        let said = panic_message(|| balls.create(&mut world).is_some());
        let generation = if is_generation { "0x0004" } else { "0x0000" };
        let array = "datum array \"balls\" of 70 array";
        let expected =
            alloc::format!("{array}: free slot 0 was written to: generation {generation}, garbage 0xdd not intact");
        assert_eq!(said, expected);
    }
}

#[test]
fn datums_of_a_range_of_slots_are_found_up_to_the_last_one() {
    let (plan, balls) = scene();
    let mut world = World::new(&plan, &Heap, Settings::default(), 1);
    assert_eq!(balls.slots_end(&world), 0);
    let all: alloc::vec::Vec<_> = (0..70).map(|_| balls.create(&mut world).expect("there is room").0).collect();
    assert_eq!(balls.slots_end(&world), 70);
    all.iter().filter(|ball| ![0, 3, 63, 64].contains(&ball.slot())).for_each(|ball| balls.delete(&mut world, *ball));
    assert_eq!(balls.slots_end(&world), 65);
    let found = |slots: Range<u32>| -> alloc::vec::Vec<u16> {
        balls.iterate_slots(&world, slots).map(|(ball, _)| ball.slot()).collect()
    };
    assert_eq!(found(0..70), [0, 3, 63, 64]);
    assert_eq!(found(1..64), [3, 63]);
    assert_eq!(found(4..63), []);
    let mut changed = 0;
    balls.edit_each(&mut world, &jobs::Alone, |_| true, |_, ball| ball[0] = 5);
    balls.iterate(&world).for_each(|(_, ball)| changed += ball[0]);
    assert_eq!(changed, 20);
}

#[test]
fn a_write_to_a_free_slot_is_not_checked_in_an_unchecked_world() {
    let (plan, balls) = scene();
    let mut world = World::new(&plan, &Heap, Settings { is_checked: false, ..Settings::default() }, 1);
    world.now.bytes_mut()[plan.regions()[1].elements.value(0)].fill(7);
    let (handle, value) = balls.create(&mut world).expect("there is room");
    assert_eq!((*value, handle.slot()), ([0; 3], 0));
}

fn panic_message<R>(action: impl FnOnce() -> R) -> String {
    extern crate std;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
    let Err(payload) = caught else { panic!("nothing stopped the program") };
    *payload.downcast::<String>().expect("a panic has words")
}
