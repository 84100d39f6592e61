//! Pools against a model that only counts.

use crate::common;

use base::{Handle, Plain};
use common::{CHECKED, assert_stops, cases};
use proptest::prelude::*;
use proptest::sample::Index;
use state::pool::PoolBlock;
use state::{Class, Heap, Layout, Pool, World};

const GRANULE: usize = 32;
const PREFIX: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Plank {
    length: u64,
    holes: [u16; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(16))]
struct Beam {
    load: [u8; 48],
}

struct Yard {
    pool: Pool,
    planks: Class<Plank>,
    beams: Class<Beam>,
    nails: Class<u8>,
    spikes: Class<u16>,
}

/// A world with a pool of this many granules and blocks, between two arrays.
fn yard(granules: usize, blocks: u32) -> (World, Yard) {
    let mut layout = Layout::of_world("yard");
    layout.system("wood");
    let pool = layout.pool("pool", (granules * GRANULE) as u32, blocks);
    let planks = layout.class(pool, "planks");
    let beams = layout.class(pool, "beams");
    let nails = layout.class(pool, "nails");
    let spikes = layout.class(pool, "spikes");
    (World::new(&layout.finish(), &Heap, CHECKED, 1), Yard { pool, planks, beams, nails, spikes })
}

impl Yard {
    fn create(&self, world: &mut World, class: u8, count: u32) -> Option<Handle<PoolBlock>> {
        match class {
            0 if count == 1 => self.planks.create(world),
            0 => self.planks.create_many(world, count),
            1 => self.beams.create_many(world, count),
            2 => self.nails.create_many(world, count),
            _ => self.spikes.create_many(world, count),
        }
    }

    fn fill(&self, world: &mut World, class: u8, handle: Handle<PoolBlock>, bytes: &[u8]) {
        fn copy<T: Plain>(values: &mut [T], bytes: &[u8]) {
            base::plain::cast_slice_mut::<T, u8>(values).copy_from_slice(bytes);
        }
        let done = match class {
            0 => self.planks.edit(world, handle, |values| copy(values, bytes)),
            1 => self.beams.edit(world, handle, |values| copy(values, bytes)),
            2 => self.nails.edit(world, handle, |values| copy(values, bytes)),
            _ => self.spikes.edit(world, handle, |values| copy(values, bytes)),
        };
        assert_eq!(done, Some(()));
    }

    /// The content of a block as read by each class.
    fn bytes(&self, world: &World, handle: Handle<PoolBlock>) -> [Option<Vec<u8>>; 4] {
        fn copy<T: Plain>(values: Option<&[T]>) -> Option<Vec<u8>> {
            values.map(|values| base::plain::cast_slice::<T, u8>(values).to_vec())
        }
        [
            copy(self.planks.get(world, handle)),
            copy(self.beams.get(world, handle)),
            copy(self.nails.get(world, handle)),
            copy(self.spikes.get(world, handle)),
        ]
    }

    /// Whether any class finds the block; it may be deleted.
    fn is_found(&self, world: &World, handle: Handle<PoolBlock>) -> bool {
        self.planks.find(world, handle).is_some()
            || self.beams.find(world, handle).is_some()
            || self.nails.find(world, handle).is_some()
            || self.spikes.find(world, handle).is_some()
    }
}

fn size_of_class(class: u8) -> usize {
    [16, 48, 1, 2][usize::from(class)]
}

fn granules_of(bytes: usize) -> usize {
    (PREFIX + bytes).div_ceil(GRANULE)
}

#[derive(Clone, Debug)]
enum Operation {
    Create(u8, u32),
    Delete(Index),
    Fill(Index, u8),
    SaveAndLoad,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0..4_u8, 0..12_u32).prop_map(|(class, count)| Operation::Create(class, count)),
        1 => (0..4_u8, 0..700_u32).prop_map(|(class, count)| Operation::Create(class, count)),
        1 => (0..4_u8, any::<u32>()).prop_map(|(class, count)| Operation::Create(class, count)),
        5 => any::<Index>().prop_map(Operation::Delete),
        2 => (any::<Index>(), any::<u8>()).prop_map(|(index, byte)| Operation::Fill(index, byte)),
        1 => Just(Operation::SaveAndLoad),
    ]
}

struct Block {
    handle: Handle<PoolBlock>,
    class: u8,
    bytes: Vec<u8>,
}

fn compare(world: &World, yard: &Yard, model: &[Block], granules: usize) {
    let used: usize = model.iter().map(|block| granules_of(block.bytes.len())).sum();
    assert_eq!(yard.pool.bytes_left(world), (granules - used) * GRANULE);
    assert_eq!(yard.pool.count(world) as usize, model.len());
    let mut expected: Vec<_> = model.iter().map(|block| block.handle).collect();
    expected.sort_by_key(|handle| handle.slot());
    assert_eq!(yard.pool.iterate(world).collect::<Vec<_>>(), expected);
    for block in model {
        let found = yard.bytes(world, block.handle);
        for (class, found) in (0..).zip(found) {
            let wanted = (class == block.class).then_some(&block.bytes);
            assert_eq!(found.as_ref(), wanted, "{:?} as class {class}", block.handle);
        }
    }
    let planks = yard.planks.iterate(world).map(|(handle, _)| handle);
    let wanted = expected.iter().filter(|handle| model.iter().any(|it| it.handle == **handle && it.class == 0));
    assert!(planks.eq(wanted.copied()));
    // Free granules hold garbage: neither old content nor anything that could pass for a block.
    let region = world.plan().regions().iter().find(|region| region.name == "pool bytes").expect("it was reserved");
    let dead = (0..region.elements.capacity).filter(|granule| !world.is_living(region, *granule));
    let dead: Vec<_> = dead.collect();
    assert_eq!(dead.len(), granules - used);
    assert!(dead.into_iter().all(|granule| world.bytes()[region.elements.value(granule)] == [0xdd; GRANULE]));
}

fn follow(granules: usize, blocks: u32, operations: Vec<Operation>) {
    let (mut world, yard) = yard(granules, blocks);
    world.set_up(|_| ());
    let mut model: Vec<Block> = Vec::new();
    let mut next = 0_u8;
    for operation in operations {
        match operation {
            Operation::Create(class, count) => {
                let bytes = size_of_class(class) * count as usize;
                let used: usize = model.iter().map(|block| granules_of(block.bytes.len())).sum();
                let fits = granules_of(bytes) <= granules - used && (model.len() as u32) < blocks;
                let created = world.set_up(|world| yard.create(world, class, count));
                assert_eq!(created.is_some(), fits, "{bytes} bytes where {used} of {granules} granules are used");
                let Some(handle) = created else { continue };
                assert_eq!(yard.bytes(&world, handle)[usize::from(class)], Some(vec![0; bytes]), "a new block is zero");
                next = next.wrapping_add(1);
                let filling: Vec<u8> = (0..bytes).map(|index| next.wrapping_add(index as u8)).collect();
                world.set_up(|world| yard.fill(world, class, handle, &filling));
                model.push(Block { handle, class, bytes: filling });
            }
            Operation::Delete(index) if !model.is_empty() => {
                let block = model.swap_remove(index.index(model.len()));
                assert!(yard.is_found(&world, block.handle));
                world.set_up(|world| yard.pool.delete(world, block.handle));
                assert!(!yard.is_found(&world, block.handle));
                assert!(!yard.pool.is_living(&world, block.handle));
                assert_stops(&["datum array \"pool\"", "stale"], || yard.planks.get(&world, block.handle).is_some());
            }
            Operation::Fill(index, byte) if !model.is_empty() => {
                let place = index.index(model.len());
                let block = &mut model[place];
                block.bytes.fill(byte);
                world.set_up(|world| yard.fill(world, block.class, block.handle, &block.bytes));
            }
            Operation::SaveAndLoad => {
                let bytes = world.bytes().to_vec();
                world.adopt(&bytes).expect("the bytes of a valid world are consistent");
                assert!(world.bytes() == bytes);
            }
            Operation::Delete(_) | Operation::Fill(..) => {}
        }
        compare(&world, &yard, &model, granules);
    }
    let bytes = world.bytes().to_vec();
    world.adopt(&bytes).expect("the bytes of a valid world are consistent");
    world.hash();
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_pool_matches_its_model(
        granules in prop_oneof![1..40_usize, 60..70_usize, 120..200_usize],
        blocks in prop_oneof![2..10_u32, 30..100_u32],
        operations in prop::collection::vec(operation(), 1..common::repeat(120, 30) as usize),
    ) {
        follow(granules, blocks, operations);
    }
}

#[test]
fn a_request_fails_only_if_too_few_granules_are_free() {
    let (mut world, yard) = yard(10, 20);
    let ones: Vec<_> = (0..10).map(|_| yard.nails.create_many(&mut world, 16).expect("there is room")).collect();
    assert!(yard.nails.create_many(&mut world, 0).is_none());
    for index in [1, 3, 5, 7] {
        yard.nails.edit(&mut world, ones[index + 1], |nails| nails.fill(index as u8));
        yard.pool.delete(&mut world, ones[index]);
    }
    assert!(yard.nails.create_many(&mut world, 4 * 32 - 15).is_none(), "one byte more than is left");
    let large = yard.nails.create_many(&mut world, 4 * 32 - 16).expect("all that is left, although in four pieces");
    assert_eq!(yard.nails.get(&world, large).map(<[u8]>::len), Some(112));
    for index in [1, 3, 5, 7] {
        assert_eq!(yard.nails.get(&world, ones[index + 1]), Some(&[index as u8; 16][..]));
    }
    let report = state::report::memory_report(&world);
    let row = report.rows.iter().find(|row| row.region == "pool bytes").expect("it has a row");
    assert_eq!((row.used, row.used_max, row.capacity, row.refused), (320, 320, 320, 2));
    assert_eq!(row.compactions, 1, "the report counts it");
    assert!(report.to_string().contains("compacted 1×"), "{report}");
}

#[test]
fn a_request_that_overflows_is_refused() {
    let (mut world, yard) = yard(10, 20);
    assert!(yard.nails.create_many(&mut world, u32::MAX).is_none());
    // In granules this is slightly above 2^32: 32-bit arithmetic would overflow to a small block.
    for count in [u32::MAX, (1 << 27) + 1, 89_478_486] {
        assert!(yard.beams.create_many(&mut world, count).is_none(), "{count} beams");
        assert!(yard.planks.create_many(&mut world, count).is_none(), "{count} planks");
    }
    assert_eq!(yard.pool.bytes_left(&world), 320);
    assert_eq!(yard.pool.count(&world), 0);
}

#[test]
fn a_request_for_too_many_large_elements_is_refused() {
    #[derive(Clone, Copy, Plain)]
    #[repr(C)]
    struct Page {
        bytes: [u8; 1024],
    }

    let mut layout = Layout::of_world("book");
    layout.system("all");
    let pool = layout.pool("pool", 4096, 10);
    let pages = layout.class::<Page>(pool, "pages");
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    assert!(pages.create_many(&mut world, (1 << 27) + 1).is_none());
    assert!(pages.create_many(&mut world, 4).is_none());
    assert!(pages.create_many(&mut world, 3).is_some());
}

#[test]
fn running_out_of_blocks_takes_no_bytes() {
    let (mut world, yard) = yard(100, 2);
    yard.planks.create(&mut world).expect("there is room");
    yard.planks.create(&mut world).expect("there is room");
    let left = yard.pool.bytes_left(&world);
    assert!(yard.planks.create(&mut world).is_none());
    assert_eq!(yard.pool.bytes_left(&world), left);
    let report = state::report::memory_report(&world);
    let refused = |name: &str| report.rows.iter().find(|row| row.region == name).map(|row| row.refused);
    assert_eq!((refused("pool"), refused("pool bytes")), (Some(1), Some(0)));
}

#[test]
fn a_pool_moves_no_block_without_need() {
    let (mut world, yard) = yard(10, 20);
    let first = yard.nails.create_many(&mut world, 16).expect("there is room");
    let second = yard.nails.create_many(&mut world, 16).expect("there is room");
    let where_is = |world: &World, handle| {
        let bytes = yard.nails.get(world, handle).expect("it is of this class").as_ptr() as usize;
        bytes - world.bytes().as_ptr() as usize
    };
    let place = where_is(&world, second);
    yard.pool.delete(&mut world, first);
    let third = yard.nails.create_many(&mut world, 16).expect("there is room");
    assert_eq!(where_is(&world, second), place);
    assert!(where_is(&world, third) > place, "new blocks are appended");
    let last = yard.nails.create_many(&mut world, 6 * 32 + 16).expect("up to the end");
    yard.pool.delete(&mut world, last);
    yard.nails.create_many(&mut world, 6 * 32 + 16).expect("in place of the last block");
    assert_eq!(where_is(&world, second), place);
    let compactions = |world: &World| state::report::memory_report(world).rows[2].compactions;
    assert_eq!(compactions(&world), 0);
    yard.nails.create(&mut world).expect("in place of the first block");
    assert!(where_is(&world, second) < place, "this one needed compaction");
    assert_eq!(compactions(&world), 1);
}
