//! Deliberate sins against determinism, each a small mutation of the sandbox. The proof must catch every one of them in
//! the run made for it, and name the place.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "each forbidden use is a sin under test")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use astrarium::base::{Pcg, Random};
use astrarium::host::allocation::CountingAllocator;
use astrarium::proof::{Proof, Verdict};
use astrarium::state::{Plan, Workers, World};
use astrarium::tags::Library;
use astrarium::{Extensions, Game, GameEntry, StepInput, TagsEntry};
use sandbox::{Level, Sandbox};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A mutation, applied at the end of every cycle.
trait Sin: Default + Send + Sync + 'static {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, workers: &dyn Workers);
}

/// The sandbox with one sin.
struct Sinful<S> {
    sandbox: Sandbox,
    sin: S,
}

impl<S: Sin> Game for Sinful<S> {
    fn plan(&self) -> &Arc<Plan> {
        self.sandbox.plan()
    }

    fn set_up(&self, world: &mut World, content: &Library) {
        self.sandbox.set_up(world, content);
    }

    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        self.sandbox.step(world, input, workers);
        world.set_up(|world| self.sin.commit(&self.sandbox, world, workers));
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { show: None, ..self.sandbox.extensions() }
    }
}

fn make<S: Sin>(_: &GameEntry, level: &str, _: &Library) -> Arc<dyn Game> {
    let level = Level::named(level).expect("the level exists");
    Arc::new(Sinful { sandbox: Sandbox::new(level), sin: S::default() })
}

fn verdicts<S: Sin>() -> Vec<Verdict> {
    let entry =
        GameEntry { name: "sandbox", about: "", build: 0, levels: &["tiny"], tags: TagsEntry::NONE, make: make::<S> };
    let proof = Proof { level: "tiny".into(), cycles: 250, seed: 3, players: 2, workers: vec![2, 3, 7, 16] };
    proof.run(&entry)
}

/// The diverging runs include one whose name begins with `run`, and it names `place`.
fn check_caught<S: Sin>(run: &str, place: &str) {
    let verdicts = verdicts::<S>();
    let caught = verdicts.iter().filter(|verdict| verdict.chain.is_none());
    let found = caught.clone().any(|verdict| verdict.run.starts_with(run) && verdict.trouble.contains(place));
    assert!(found, "expected \"{run}\" to name \"{place}\"; found {:#?}", caught.collect::<Vec<_>>());
}

/// Writes a number into the tally.
fn write(sandbox: &Sandbox, world: &mut World, number: f64) {
    sandbox.parts.tally.get_mut(world).damage = number;
}

#[derive(Default)]
struct Innocent;

impl Sin for Innocent {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        write(sandbox, world, 1.0);
    }
}

#[test]
fn a_sandbox_without_sins_passes() {
    let verdicts = verdicts::<Innocent>();
    assert!(
        verdicts.iter().all(|verdict| verdict.chain == verdicts[0].chain && verdict.chain.is_some()),
        "{verdicts:#?}"
    );
}

#[derive(Default)]
struct MapOrder;

impl Sin for MapOrder {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let map: HashMap<u64, f64> = (0..64).map(|key| (key, key as f64)).collect();
        #[allow(clippy::iter_over_hash_type, reason = "this use is the sin under test")]
        let sum = map.values().fold(0.0, |sum, value| sum * 0.9 + value);
        write(sandbox, world, sum);
    }
}

#[test]
fn the_order_of_a_map_is_caught() {
    check_caught::<MapOrder>("again", "tally: damage");
}

#[derive(Default)]
struct ClockRead;

impl Sin for ClockRead {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let now = SystemTime::UNIX_EPOCH.elapsed().expect("it is after 1970");
        write(sandbox, world, now.as_nanos() as f64);
    }
}

#[test]
fn a_clock_is_caught() {
    check_caught::<ClockRead>("again", "tally: damage");
}

#[derive(Default)]
struct CounterOutside;

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Sin for CounterOutside {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        write(sandbox, world, COUNTER.fetch_add(1, Ordering::Relaxed) as f64);
    }
}

#[test]
fn a_counter_outside_the_world_is_caught() {
    check_caught::<CounterOutside>("again", "tally: damage");
}

#[derive(Default)]
struct ChunksByCrew;

impl Sin for ChunksByCrew {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, workers: &dyn Workers) {
        let energies: Vec<f32> = sandbox.parts.agents.iterate(world).map(|(_, agent)| agent.energy).collect();
        let chunk = energies.len().div_ceil(workers.threads() as usize).max(1);
        let sum: f32 = energies.chunks(chunk).map(|chunk| chunk.iter().sum::<f32>()).sum();
        write(sandbox, world, f64::from(sum));
    }
}

#[test]
fn chunks_that_depend_on_the_number_of_workers_are_caught() {
    check_caught::<ChunksByCrew>("3 workers", "tally: damage");
}

#[derive(Default)]
struct UnsortedQueue;

impl Sin for UnsortedQueue {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, workers: &dyn Workers) {
        let queue = Mutex::new(Vec::new());
        workers.run(64, &|job| queue.lock().expect("no job panics").push(job));
        let queue = queue.into_inner().expect("no job panics");
        write(sandbox, world, queue.iter().fold(0.0, |sum, job| sum * 0.9 + f64::from(*job)));
    }
}

#[test]
fn a_queue_in_the_order_of_arrival_is_caught() {
    check_caught::<UnsortedQueue>("shuffled", "tally: damage");
}

#[derive(Default)]
struct UnsavedCache {
    count: Mutex<Option<u32>>,
}

impl Sin for UnsavedCache {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let mut cache = self.count.lock().expect("no holder of the lock panics");
        if world.cycle() == 1 {
            *cache = Some(sandbox.parts.agents.count(world));
        }
        write(sandbox, world, f64::from(cache.unwrap_or(0)));
    }
}

#[test]
fn a_cache_that_is_not_saved_is_caught() {
    check_caught::<UnsavedCache>("moving", "tally: damage");
}

struct UnsavedGenerator(Mutex<Pcg>);

impl Default for UnsavedGenerator {
    fn default() -> Self {
        UnsavedGenerator(Mutex::new(Pcg::new(1, 1)))
    }
}

impl Sin for UnsavedGenerator {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let draw = self.0.lock().expect("no holder of the lock panics").unit();
        write(sandbox, world, f64::from(draw));
    }
}

#[test]
fn a_generator_that_is_not_saved_is_caught() {
    check_caught::<UnsavedGenerator>("every cycle twice", "tally: damage");
    check_caught::<UnsavedGenerator>("moving", "tally: damage");
}

#[derive(Default)]
struct DeadRead;

impl Sin for DeadRead {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let plan = world.plan().clone();
        let agents = plan.regions().iter().find(|region| region.name == "agents").expect("there are agents");
        let dead = (0..agents.elements.capacity).find(|slot| !world.is_living(agents, *slot));
        let sum: u32 =
            dead.map_or(0, |slot| world.bytes()[agents.elements.value(slot)].iter().map(|byte| u32::from(*byte)).sum());
        write(sandbox, world, f64::from(sum));
    }
}

#[test]
fn reading_deleted_data_is_caught() {
    check_caught::<DeadRead>("garbage", "tally: damage");
}

#[derive(Default)]
struct SettingsRead;

impl Sin for SettingsRead {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let number = if world.settings().is_checked { 2.0 } else { 1.0 };
        write(sandbox, world, number);
    }
}

#[test]
fn behaving_when_watched_is_caught() {
    check_caught::<SettingsRead>("checked", "tally: damage");
}

#[derive(Default)]
struct AddressRead;

impl Sin for AddressRead {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let address = world.bytes().as_ptr() as usize;
        write(sandbox, world, address as f64);
    }
}

#[test]
fn an_address_is_caught() {
    check_caught::<AddressRead>("moving", "tally: damage");
}

#[derive(Default)]
struct HeapUse;

impl Sin for HeapUse {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let boxed = std::hint::black_box(Box::new(1.0));
        write(sandbox, world, *boxed);
    }
}

#[test]
fn allocating_on_the_heap_is_caught() {
    check_caught::<HeapUse>("reference", "250 allocations while stepping");
}

/// NaN payloads and signs of zero, which may differ between machines.
#[derive(Default)]
struct WildFloats;

impl Sin for WildFloats {
    fn commit(&self, sandbox: &Sandbox, world: &mut World, _: &dyn Workers) {
        let wild = COUNTER.fetch_add(1, Ordering::Relaxed);
        let number = if world.cycle().is_multiple_of(2) {
            f64::from_bits(0x7ff8_0000_0000_0000 | (wild & 1) << 63 | (wild & 0xffff))
        } else {
            f64::from_bits((wild & 1) << 63)
        };
        write(sandbox, world, number);
    }
}

#[test]
fn nan_payloads_and_signs_of_zero_do_not_enter_the_world() {
    let verdicts = verdicts::<WildFloats>();
    assert!(verdicts.iter().all(|verdict| verdict.chain.is_some()), "{verdicts:#?}");
}

/// Writes after the cycle has ended.
#[test]
#[should_panic(expected = "cannot edit \"tally\" while the world is resting")]
fn writing_between_cycles_is_caught() {
    let sandbox = Sandbox::new(Level::named("tiny").expect("the sandbox has a tiny level"));
    let mut world = World::new(sandbox.plan(), &astrarium::state::Heap, Default::default(), 1);
    world.set_up(|world| sandbox.set_up(world, &Library::new()));
    sandbox.step(&mut world, &StepInput::empty(), &astrarium::state::Alone);
    write(&sandbox, &mut world, 1.0);
}
