//! Lists and single values.

use crate::common;

use common::{CHECKED, cases};
use proptest::prelude::*;
use state::{Heap, Layout, World};

#[derive(Clone, Debug)]
enum Operation {
    Push(u32),
    Insert(u32, u32),
    Remove(u32),
    Edit(u32, u32),
    Truncate(u32),
    SaveAndLoad,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        5 => any::<u32>().prop_map(Operation::Push),
        2 => (0..30_u32, any::<u32>()).prop_map(|(index, value)| Operation::Insert(index, value)),
        1 => (0..30_u32).prop_map(Operation::Remove),
        2 => (0..30_u32, any::<u32>()).prop_map(|(index, value)| Operation::Edit(index, value)),
        1 => (0..30_u32).prop_map(Operation::Truncate),
        1 => Just(Operation::SaveAndLoad),
    ]
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_list_matches_its_model(capacity in 1..20_u32, operations in prop::collection::vec(operation(), 1..60)) {
        let mut layout = Layout::of_world("list");
        layout.system("all");
        let list = layout.list::<[u32; 2]>("list", capacity);
        let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
        let (mut model, mut used_max, mut refused) = (Vec::new(), 0, 0);
        for operation in operations {
            match operation {
                Operation::Push(value) => {
                    let fits = world.set_up(|world| list.push(world, [value, !value]));
                    prop_assert_eq!(fits, model.len() < capacity as usize);
                    match fits {
                        true => model.push([value, !value]),
                        false => refused += 1,
                    }
                }
                Operation::Insert(index, value) => {
                    let fits = world.set_up(|world| list.insert(world, index, [value, !value]));
                    prop_assert_eq!(fits, model.len() < capacity as usize);
                    match fits {
                        true => model.insert(model.len().min(index as usize), [value, !value]),
                        false => refused += 1,
                    }
                }
                Operation::Remove(index) => {
                    world.set_up(|world| list.remove(world, index));
                    if (index as usize) < model.len() {
                        model.remove(index as usize);
                    }
                }
                Operation::Edit(index, value) => {
                    let replace = |it: &mut [u32; 2]| std::mem::replace(&mut it[0], value);
                    let found = world.set_up(|world| list.get_mut(world, index).map(|mut it| replace(&mut it)));
                    let expected = model.get_mut(index as usize).map(replace);
                    prop_assert_eq!(found, expected);
                }
                Operation::Truncate(count) => {
                    world.set_up(|world| list.truncate(world, count));
                    model.truncate(count as usize);
                }
                Operation::SaveAndLoad => {
                    let bytes = world.bytes().to_vec();
                    world.adopt(&bytes).expect("the bytes of a valid world are consistent");
                    prop_assert!(world.bytes() == bytes);
                }
            }
            used_max = used_max.max(model.len());
            prop_assert_eq!(list.get(&world), &model[..]);
            prop_assert_eq!(list.count(&world) as usize, model.len());
            let region = &world.plan().regions()[1];
            let dead = model.len() as u32..capacity;
            prop_assert!(dead.into_iter().all(|index| world.bytes()[region.elements.value(index)] == [0xdd; 8]));
            let row = &state::report::memory_report(&world).rows[1];
            prop_assert_eq!((row.used, row.used_max, row.refused), (model.len() as u64, used_max as u64, refused));
        }
    }
}

#[test]
fn a_pushed_float_is_made_canonical() {
    let mut layout = Layout::of_world("list");
    layout.system("all");
    let list = layout.list::<f32>("list", 2);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    list.push(&mut world, -0.0);
    list.push(&mut world, f32::from_bits(0xffc0_0001));
    assert_eq!(list.get(&world).iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [0, 0x7fc0_0000]);
}

#[test]
fn single_values_start_as_zeros_and_do_not_touch_their_neighbours() {
    let mut layout = Layout::of_world("ones");
    layout.system("all");
    let small = layout.single::<u8>("small");
    let large = layout.single::<[u64; 600]>("large");
    let middle = layout.single::<[f32; 3]>("middle");
    layout.system("others");
    let last = layout.single::<u16>("last");
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    assert_eq!((*small.get(&world), *last.get(&world)), (0, 0));
    assert!(large.get(&world).iter().all(|value| *value == 0));
    *small.get_mut(&mut world) = 0xff;
    large.get_mut(&mut world).fill(u64::MAX);
    *last.get_mut(&mut world) = 7;
    assert_eq!(*middle.get(&world), [0.0; 3]);
    *middle.get_mut(&mut world) = [-0.0, 1.0, 2.0];
    assert_eq!(middle.get(&world)[0].to_bits(), 0);
    assert_eq!((*small.get(&world), *last.get(&world)), (0xff, 7));
    assert!(large.get(&world).iter().all(|value| *value == u64::MAX));
    world.set_up(|_| ());
    let bytes = world.bytes().to_vec();
    let mut other = World::new(world.plan(), &Heap, CHECKED, 2);
    other.adopt(&bytes).expect("it adds up");
    assert_eq!(other.hash(), world.hash());
    assert_eq!(*last.get(&other), 7);
}
