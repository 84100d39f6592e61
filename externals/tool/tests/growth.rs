//! Every reader takes time and memory in proportion to its input.
//!
//! Each hostile shape is read at a size at which it takes some time, and at four times that size. The heap is counted exactly, and its peak may grow by the
//! factor of the bytes, give or take a logarithm, and stays below the reader's law. Time is that of the processor, and may grow by twice
//! the factor of the bytes: a reader that is quadratic grows by its square. Of several runs the least time of the larger input is
//! compared with the longest of the smaller: so a busy machine does not make this fail, and a quadratic reader does.

mod readers;

use std::fs;
use std::time::{Duration, Instant};

use host::allocation::{CountingAllocator, HeapUse, is_watched, measure};
use readers::{Reader, readers};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The smallest and the largest size of the smaller input, in bytes.
const SIZES: [usize; 2] = [48 << 10, 768 << 10];

/// The time that the smaller input takes at least, unless it has the largest size: the machine counts in steps of 4 ms.
const TIME_LEAST: Duration = Duration::from_millis(20);

/// How much larger the larger input is.
const FACTOR: usize = 4;

/// Heap that any input may take: tables that are made once, a world, the workspace of the virtual machine.
const HEAP_FREE: u64 = 24 << 20;

/// Time that any input may take.
const TIME_FREE: Duration = Duration::from_millis(30);

/// The most runs of a measurement.
const RUNS_MAX: u32 = 5;

/// What an input cost.
#[derive(Clone, Copy, Debug)]
struct Cost {
    bytes: usize,
    heap: HeapUse,
    time: Duration,
}

#[test]
fn every_reader_takes_time_and_memory_in_proportion_to_its_input() {
    assert!(is_watched());
    let wanted = std::env::var("READER").unwrap_or_default();
    let mut complaints = Vec::new();
    for reader in readers().iter().filter(|reader| reader.name.starts_with(&wanted)) {
        // What is made once is made here.
        (reader.seeds)().iter().for_each(|seed| (reader.read)(seed));
        for (shape, make) in reader.shapes {
            if let Err(complaint) = check(reader, shape, &inputs(reader, *make)) {
                complaints.push(format!("{} of {shape}: {complaint}", reader.name));
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn the_checksums_of_seeds_are_right() {
    for reader in readers() {
        for seed in (reader.seeds)() {
            let mut sealed = seed.clone();
            (reader.seal)(&mut sealed);
            assert_eq!(sealed, seed, "{}", reader.name);
        }
    }
}

#[test]
fn the_worlds_of_the_films_of_the_table_are_reached() {
    for reader in readers().iter().filter(|reader| reader.name == "film-content") {
        for seed in (reader.seeds)() {
            let errors = readers::content_in_files::unreached(&seed);
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }
}

/// Two inputs of a shape, of which the smaller takes some time.
fn inputs(reader: &Reader, make: fn(usize) -> Vec<u8>) -> [Vec<u8>; 2] {
    let mut size = SIZES[0];
    loop {
        let small = make(size);
        if 2 * size > SIZES[1] || cost(reader, &small).time >= TIME_LEAST {
            return [small, make(FACTOR * size)];
        }
        size *= 2;
    }
}

fn check(reader: &Reader, shape: &str, inputs: &[Vec<u8>; 2]) -> Result<(), String> {
    let [mut small, mut large] = [&inputs[0], &inputs[1]].map(|input| cost(reader, input));
    let growth = (large.bytes.max(1) as f64 / small.bytes.max(1) as f64).max(1.0);
    // For people: shown with --nocapture.
    println!(
        "{:<15} {shape:<28} {:>7} to {:>7} bytes: {:>9.3?} to {:>9.3?}, {:>6.1} to {:>6.1} bytes of heap at a time and {:>6.1} in all for each",
        reader.name,
        small.bytes,
        large.bytes,
        small.time,
        large.time,
        small.heap.peak as f64 / small.bytes as f64,
        large.heap.peak as f64 / large.bytes as f64,
        large.heap.bytes as f64 / large.bytes as f64,
    );
    let law = reader.law(HEAP_FREE, large.bytes);
    if large.heap.peak > law {
        return Err(format!("{large:?}: more heap than {law} bytes"));
    }
    // A quarter more for logarithms, and for vectors that double.
    let heap_max = (small.heap.bytes as f64 * growth * 1.25) as u64 + HEAP_FREE;
    if large.heap.bytes > 2 * heap_max {
        return Err(format!("{small:?}, {large:?}: the heap grows faster than the input"));
    }
    for _ in 0..RUNS_MAX {
        if is_in_proportion(small, large, growth) {
            return Ok(());
        }
        small.time = small.time.max(cost(reader, &inputs[0]).time);
        large.time = large.time.min(cost(reader, &inputs[1]).time);
    }
    Err(format!("{small:?}, {large:?}: the time grows faster than the input"))
}

fn is_in_proportion(small: Cost, large: Cost, growth: f64) -> bool {
    large.time <= small.time.mul_f64(2.0 * growth) + TIME_FREE
}

fn cost(reader: &Reader, input: &[u8]) -> Cost {
    let begun = processor_time();
    let ((), heap) = measure(|| (reader.read)(input));
    let time = processor_time().saturating_sub(begun);
    Cost { bytes: input.len(), heap, time }
}

/// The processor time of this thread where the machine tells it, which does not count the time of others; else the time.
fn processor_time() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.as_deref().and_then(|told| told.split(' ').next()).and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(since_start, Duration::from_nanos)
}

fn since_start() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
