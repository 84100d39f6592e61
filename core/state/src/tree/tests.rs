use alloc::sync::Arc;
use alloc::vec::Vec;

use base::random::{Pcg, Random};

use super::*;
use crate::brush::Brush;
use crate::datums::Datums;
use crate::difference::differences;
use crate::list::List;
use crate::memory::Heap;
use crate::plan::Layout;
use crate::pool::{Class, Pool};
use crate::queue::Address;
use crate::single::Single;
use crate::world::{Settings, World};

/// One region of every kind, with elements smaller and larger than a page.
struct Scene {
    one: Single<[u16; 5]>,
    small: Datums<[u32; 3]>,
    large: Datums<[u8; 5000]>,
    list: List<u64>,
    pool: Pool,
    letters: Class<u8>,
    brush: Brush<[u8; 3]>,
}

fn scene() -> (Arc<Plan>, Scene) {
    let mut layout = Layout::of_world("tree");
    layout.system("first");
    let one = layout.single("one");
    let small = layout.datums("small", 700);
    layout.system("second");
    let large = layout.datums("large", 5);
    let list = layout.list("list", 1000);
    layout.system("third");
    let pool = layout.pool("pool", 9000, 30);
    let letters = layout.class(pool, "letters");
    let brush = layout.brush("brush", 300);
    (layout.finish(), Scene { one, small, large, list, pool, letters, brush })
}

/// A world with living and dead elements everywhere.
fn world() -> World {
    let (plan, scene) = scene();
    let mut world = World::new(&plan, &Heap, Settings { is_checked: true, ..Settings::default() }, 1);
    let made = &mut world;
    *scene.one.get_mut(made) = [1, 2, 3, 4, 5];
    let small: Vec<_> = (0..600).filter_map(|_| Some(scene.small.create(made)?.0)).collect();
    let large: Vec<_> = (0..5).filter_map(|_| Some(scene.large.create(made)?.0)).collect();
    small.iter().step_by(3).for_each(|handle| scene.small.delete(made, *handle));
    large.iter().step_by(2).for_each(|handle| scene.large.delete(made, *handle));
    (0..500).for_each(|number| assert!(scene.list.push(made, number)));
    let letters: Vec<_> = (0..20).filter_map(|number| scene.letters.create_many(made, number * 7)).collect();
    letters.iter().step_by(4).for_each(|handle| scene.pool.delete(made, *handle));
    (0..40).for_each(|number| assert!(scene.brush.queue(made, Address::player(number), &[1, 2, 3])));
    world
}

/// Which bytes lie in dead elements, computed without the functions under test.
fn dead_bytes(block: &Block) -> Vec<bool> {
    let mut dead = alloc::vec![false; block.plan().bytes()];
    for region in block.plan().regions() {
        for index in (0..region.elements.capacity).filter(|index| !block.is_living(region, *index)) {
            dead[region.elements.element(index)].fill(true);
        }
    }
    dead
}

#[test]
fn every_bit_that_counts_changes_the_root_and_is_named_and_no_other_does() {
    let mut world = world();
    let plan = world.plan().clone();
    let before = HashTree::of(&world);
    let dead_bytes = dead_bytes(&world);
    let mut other = self::world();
    let mut random = Pcg::new(5, 5);
    let (mut dead, mut counting) = (0, 0);
    for _ in 0..if cfg!(miri) { 2 } else { 2500 } {
        let (at, bit) = (random.below(plan.bytes() as u32) as usize, random.below(8));
        other.now.bytes_mut()[at] ^= 1 << bit;
        let tree = HashTree::of(&other);
        let found = differences(&world, &other, 3);
        if dead_bytes[at] {
            assert_eq!(tree, before, "bit {bit} of byte {at} is dead");
            assert!(found.is_empty(), "bit {bit} of byte {at} is dead: {found:?}");
            dead += 1;
        } else {
            assert_ne!(tree.root, before.root, "bit {bit} of byte {at}");
            let system = plan.systems().iter().position(|system| system.pages.contains(&(at / PAGE_BYTES)));
            let system = system.expect("every page belongs to a system");
            let differing = (0..tree.systems.len()).filter(|index| tree.systems[*index] != before.systems[*index]);
            assert_eq!(differing.collect::<Vec<_>>(), [system]);
            assert!(!found.is_empty(), "bit {bit} of byte {at} is not named");
            let region =
                plan.regions().iter().rev().find(|region| region.bytes.start <= at).expect("the first is at 0");
            assert_eq!(found[0].system, plan.systems()[system].name);
            assert_eq!(found[0].region, region.name, "bit {bit} of byte {at}");
            counting += 1;
        }
        other.now.bytes_mut()[at] ^= 1 << bit;
    }
    assert!(cfg!(miri) || dead > 400 && counting > 400, "{dead} dead and {counting} counting bits were tried");
    assert_eq!(world.hash(), before.root);
}

#[test]
fn an_unmarked_write_is_detected_in_a_checked_world() {
    let mut world = world();
    world.hash();
    world.now.bytes_mut()[0] ^= 1;
    let said = panic_message(|| world.hash());
    assert!(said.contains("a page was written without being marked"), "{said}");
}

fn panic_message<R>(action: impl FnOnce() -> R) -> alloc::string::String {
    extern crate std;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
    let Err(payload) = caught else { panic!("nothing stopped the program") };
    *payload.downcast::<alloc::string::String>().expect("a panic has words")
}
