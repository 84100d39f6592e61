use std::fs;

use proptest::prelude::*;
use tags::bulk::BLOCK_BYTES;

use super::*;
use crate::Shelf;
use crate::load::LoadLimits;
use crate::testing::{Folder, classes, put_texture};

const BUDGET: BlockBudgets = BlockBudgets([4 * BLOCK_BYTES as u64; KINDS]);

/// Eight blocks, each filled with its number.
fn texture() -> Vec<u8> {
    (0..8).flat_map(|number| std::iter::repeat_n(number, BLOCK_BYTES)).collect()
}

/// The containers of a tree with a model `m`, and the field of the model.
fn tree(folder: &Folder) -> (Arc<Containers>, Bulk) {
    let digest = put_texture(folder, "m", &texture()).0;
    (containers(folder), Bulk { digest, bytes: 0 })
}

fn containers(folder: &Folder) -> Arc<Containers> {
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let _ = shelf.load(&["*"], &LoadLimits::default());
    Arc::clone(shelf.containers())
}

fn read(cache: &BlockCache, bulk: BulkHandle, block: u32) -> Option<u8> {
    let bytes = cache.request(BlockHandle { bulk, block }, 0)?;
    assert!(bytes.len() == BLOCK_BYTES && bytes.iter().all(|byte| *byte == bytes[0]));
    Some(bytes[0])
}

#[test]
fn a_request_returns_nothing_until_the_block_was_read() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let cache = BlockCache::new(containers, &BUDGET);
    let bulk = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    // The thread does not start before the first request, which therefore finds nothing.
    assert_eq!(read(&cache, bulk, 3), None);
    cache.finish();
    assert_eq!(read(&cache, bulk, 3), Some(3));
    let directory = cache.directory(bulk).expect("it was read with the block");
    assert_eq!((directory.find("mip 0"), directory.blocks().len()), (Some(0), 8));
    let counters = cache.counters(BlockKind::Texture);
    assert_eq!((counters.hits, counters.misses, counters.blocks, counters.failed), (1, 1, 1, 0));
    assert_eq!(counters.bytes, BLOCK_BYTES as u64);
    assert!(cache.take_troubles().is_empty());
}

#[test]
fn without_threads_a_request_reads_at_once() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let cache = BlockCache::without_thread(containers, &BUDGET);
    let bulk = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    assert!(cache.directory(bulk).is_some());
    for block in 0..8 {
        assert_eq!(read(&cache, bulk, block), Some(block as u8));
    }
}

#[test]
fn the_least_recently_used_block_is_evicted_and_pinned_ones_stay() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let cache = BlockCache::without_thread(containers, &BUDGET);
    let bulk = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    let handle = |block| BlockHandle { bulk, block };
    let there = || (0..8).filter(|block| cache.shared.lock().peek(handle(*block)).is_some()).collect::<Vec<u32>>();
    let held = cache.request(handle(0), 0).expect("it is read at once");
    for block in [1, 2, 3, 0] {
        let _ = read(&cache, bulk, block);
    }
    assert_eq!(there(), [0, 1, 2, 3]);
    let _ = read(&cache, bulk, 4);
    assert_eq!(there(), [0, 2, 3, 4], "1 was not used for the longest time");
    cache.pin(handle(2));
    for block in [5, 6, 7] {
        let _ = read(&cache, bulk, block);
    }
    assert_eq!(there(), [2, 5, 6, 7]);
    assert!(held.iter().all(|byte| *byte == 0), "a block that is held lives on");
    let counters = cache.counters(BlockKind::Texture);
    assert_eq!((counters.evictions, counters.pinned_bytes), (4, BLOCK_BYTES as u64));
    // Pinned blocks that take the whole budget.
    for block in [5, 6, 7] {
        cache.pin(handle(block));
    }
    assert_eq!(read(&cache, bulk, 0), None);
    assert_eq!(cache.counters(BlockKind::Texture).refused, 1);
    cache.unpin(handle(5));
    assert_eq!(read(&cache, bulk, 0), Some(0));
    assert_eq!(there(), [0, 2, 6, 7]);
}

#[test]
fn each_kind_has_its_own_budget() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let cache = BlockCache::without_thread(containers, &BUDGET);
    let [textures, sounds] = [BlockKind::Texture, BlockKind::Sound].map(|kind| cache.open(&bulk, kind));
    let (textures, sounds) = (textures.expect("it is named"), sounds.expect("it is named"));
    assert_ne!(textures, sounds);
    assert_eq!(cache.open(&bulk, BlockKind::Sound), Some(sounds), "the same container and kind");
    assert_eq!(read(&cache, sounds, 0), Some(0));
    for block in 0..8 {
        let _ = read(&cache, textures, block);
    }
    assert_eq!((cache.counters(BlockKind::Texture).evictions, cache.counters(BlockKind::Sound).evictions), (4, 0));
    assert_eq!(cache.counters(BlockKind::Sound).blocks, 1);
}

#[test]
fn a_damaged_block_is_reported_once_and_never_returned() {
    let folder = Folder::new();
    let (_, bulk) = tree(&folder);
    let path = folder.join("tags/m.model.bulk");
    let mut file = fs::read(&path).expect("it is there");
    let directory = Directory::parse(&file, file.len() as u64).expect("it is sound");
    let row = directory.blocks()[5];
    file[row.offset as usize + 40] ^= 1;
    // As if the disk had changed it after it was hashed: the digest is the one of the damaged file.
    let digest = crate::content_key::of(&file);
    fs::write(&path, &file).expect("it can be written");
    crate::testing::put(&folder, &[("tags/m.model", &crate::testing::texture_text("m", file.len(), &digest))]);
    assert_ne!(digest.0, bulk.digest);
    let cache = BlockCache::new(containers(&folder), &BUDGET);
    let bulk = Bulk { digest: digest.0, bytes: 0 };
    let bulk = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    for _ in 0..3 {
        assert_eq!(read(&cache, bulk, 5), None);
        cache.finish();
    }
    assert!(cache.has_failed(BlockHandle { bulk, block: 5 }) && !cache.has_failed(BlockHandle { bulk, block: 4 }));
    let troubles = cache.take_troubles();
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].starts_with("m.model.bulk, block 5: "), "{troubles:?}");
    assert_eq!(cache.counters(BlockKind::Texture).failed, 1);
    let _ = read(&cache, bulk, 4);
    cache.finish();
    assert_eq!(read(&cache, bulk, 4), Some(4));
}

#[test]
fn a_missing_container_is_reported_once_and_found_when_it_comes_back() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let path = folder.join("tags/m.model.bulk");
    let file = fs::read(&path).expect("it is there");
    fs::remove_file(&path).expect("it is ours");
    let cache = BlockCache::new(containers, &BUDGET);
    let bulk = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    for _ in 0..3 {
        assert!(read(&cache, bulk, 0).is_none() && cache.directory(bulk).is_none());
        cache.finish();
    }
    assert!(read(&cache, bulk, 1).is_none() && cache.shared.lock().is_idle(), "it is not opened for each block");
    let troubles = cache.take_troubles();
    assert!(troubles.len() == 1 && troubles[0].starts_with("m.model.bulk: no file has the hash"), "{troubles:?}");
    cache.retry_failed();
    assert!(read(&cache, bulk, 0).is_none());
    cache.finish();
    assert!(cache.take_troubles().is_empty(), "the same failure again is not reported again");
    fs::write(&path, file).expect("it can be written");
    cache.retry_failed();
    let _ = read(&cache, bulk, 0);
    cache.finish();
    assert_eq!(read(&cache, bulk, 0), Some(0));
}

#[test]
fn the_handle_of_a_closed_container_finds_nothing() {
    let folder = Folder::new();
    let (containers, bulk) = tree(&folder);
    let cache = BlockCache::without_thread(containers, &BUDGET);
    let first = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    cache.pin(BlockHandle { bulk: first, block: 1 });
    assert!(read(&cache, first, 0).is_some() && read(&cache, first, 1).is_some());
    cache.close(first);
    assert!(read(&cache, first, 0).is_none() && cache.directory(first).is_none());
    let counters = cache.counters(BlockKind::Texture);
    assert_eq!((counters.blocks, counters.bytes, counters.pinned_bytes), (0, 0, 0));
    let second = cache.open(&bulk, BlockKind::Texture).expect("the field names something");
    assert_ne!(first, second);
    assert_eq!(read(&cache, second, 0), Some(0));
    assert_eq!(cache.open(&Bulk::default(), BlockKind::Texture), None, "a field that names nothing");
}

#[test]
fn higher_priorities_are_read_first_and_a_request_can_raise_its_own() {
    let mut state = CacheState::new(&BUDGET);
    let bulk = state.open(Key([1; 32]), BlockKind::Texture).expect("there is room");
    let handle = |block| BlockHandle { bulk, block };
    for (block, priority) in [(0, 1), (1, 5), (2, 5), (3, 0), (3, 9), (1, 2)] {
        assert!(state.request(handle(block), priority).is_none());
    }
    assert!(state.directory(bulk).is_none());
    assert_eq!(state.next_job(), Some(Job::Open(bulk, Key([1; 32]))));
    let order: Vec<Job> = std::iter::from_fn(|| state.next_job()).collect();
    assert_eq!(order, [3, 1, 2, 0].map(|block| Job::Read(handle(block), Key([1; 32]))));
    assert_eq!(state.counters(BlockKind::Texture).misses, 4);
}

#[test]
fn a_failure_that_began_before_files_changed_does_not_count() {
    let mut state = CacheState::new(&BUDGET);
    let bulk = state.open(Key([1; 32]), BlockKind::Texture).expect("there is room");
    let handle = BlockHandle { bulk, block: 0 };
    for is_outdated in [true, false] {
        assert!(state.request(handle, 0).is_none());
        assert!(state.next_job().is_some());
        if is_outdated {
            state.retry_failed();
        }
        state.fail_bulk(bulk, Some("gone".into()));
        state.end_job();
        assert_eq!((state.has_failed(handle), state.troubles.is_empty()), (!is_outdated, is_outdated));
    }
}

#[test]
fn the_queue_is_bounded() {
    let mut state = CacheState::new(&BUDGET);
    let bulk = state.open(Key([1; 32]), BlockKind::Texture).expect("there is room");
    let most = crate::limits::BLOCKS_WAITING_MAX as u32;
    for block in 0..most + 10 {
        assert!(state.request(BlockHandle { bulk, block }, 0).is_none());
    }
    let counters = state.counters(BlockKind::Texture);
    assert_eq!((counters.misses, counters.refused), (u64::from(most), 10));
}

proptest! {
    /// Any order of calls and arrivals: the counters are the sums over the blocks, and the budgets hold.
    #[test]
    fn the_bookkeeping_adds_up(calls in prop::collection::vec((0..8_u8, 0..3_u8, 0..6_u32), 0..200)) {
        let mut state = CacheState::new(&BlockBudgets([3 * BLOCK_BYTES as u64; KINDS]));
        let kind = |container: u8| if container == 2 { BlockKind::Sound } else { BlockKind::Texture };
        let mut bulks = [0, 1, 2].map(|container| state.open(Key([container + 1; 32]), kind(container)));
        for (call, container, block) in calls {
            let slot = &mut bulks[usize::from(container)];
            let Some(bulk) = *slot else { continue };
            let handle = BlockHandle { bulk, block };
            match call {
                0 => state.pin(handle),
                1 => state.unpin(handle),
                2 if block == 0 => {
                    state.close(bulk);
                    *slot = state.open(Key([container + 1; 32]), kind(container));
                }
                2 => drop(state.directory(bulk)),
                3 if block == 5 => state.retry_failed(),
                3..6 => drop(state.request(handle, block as u8)),
                _ => {
                    match state.next_job() {
                        Some(Job::Read(handle, _)) if block == 5 => state.fail_block(handle, String::new()),
                        Some(Job::Read(handle, _)) => state.arrived(handle, vec![0; BLOCK_BYTES - 7].into()),
                        Some(Job::Open(bulk, _)) if block == 5 => state.fail_bulk(bulk, Some(String::new())),
                        Some(Job::Open(bulk, _)) => {
                            let empty = tags::bulk::BulkWriter::new().finish();
                            let directory = Directory::parse(&empty, empty.len() as u64).expect("it is sound");
                            state.opened(bulk, Arc::new(directory));
                        }
                        None => {}
                    }
                    state.end_job();
                }
            }
            state.check();
        }
    }
}
