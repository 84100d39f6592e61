//! Datums and lists written in parallel.

use base::Plain;
use state::{Alone, Heap, Layout, Settings, Workers, World};
use testing::workers::Threads;

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Lamp {
    level: f32,
    number: u32,
}

#[test]
fn parallel_writes_change_all_selected_datums_and_no_other_byte() {
    let mut layout = Layout::of_world("lamps");
    layout.system("lights");
    let lamps = layout.datums::<Lamp>("lamps", 200);
    let after = layout.list::<u32>("after", 4);
    let plan = layout.finish();
    let run = |workers: &dyn Workers| {
        let mut world = World::new(&plan, &Heap, Settings::default(), 1);
        world.set_up(|world| {
            let all: Vec<_> = (0..150).map(|_| lamps.create(world).expect("room").0).collect();
            after.push(world, 77);
            all.iter().step_by(3).for_each(|lamp| lamps.delete(world, *lamp));
            let is_meant = |handle: base::Handle<Lamp>| handle.slot().is_multiple_of(2);
            lamps.edit_each(world, workers, is_meant, |handle, lamp| {
                *lamp = Lamp { level: -0.0, number: handle.raw() };
            });
            let number = |handle: base::Handle<Lamp>| if is_meant(handle) { handle.raw() } else { 0 };
            assert!(lamps.iterate(world).all(|(handle, lamp)| lamp.number == number(handle)));
            assert!(lamps.iterate(world).all(|(_, lamp)| lamp.level.to_bits() == 0), "stored values are canonical");
            assert_eq!((lamps.count(world), after.get(world)), (100, &[77][..]));
        });
        world.hash()
    };
    assert_eq!(run(&Alone), run(&Threads(4)));
}

#[test]
fn a_list_is_rebuilt_within_its_capacity() {
    let mut layout = Layout::of_world("lists");
    layout.system("numbers");
    let list = layout.list::<u32>("list", 1000);
    let plan = layout.finish();
    let mut world = World::new(&plan, &Heap, Settings::default(), 1);
    world.set_up(|world| {
        for count in [3, 1000, 0, 700, 20] {
            list.rewrite(world, &Threads(2), count, |index| index * 2);
            let expected: Vec<u32> = (0..count).map(|index| index * 2).collect();
            assert_eq!(list.get(world), expected);
        }
        list.rewrite(world, &Alone, 1005, |index| index);
        assert_eq!(list.count(world), 1000);
    });
}
