//! Fuzzes the readers: `cargo run --release -p astrarium-tool --example fuzz -- --minutes 10 [--seed N] [READER …]`.
//!
//! Each reader gets mutated inputs for its share of the time: seeds and hostile shapes, changed in a few places, cut, spliced and
//! with pieces repeated, with right checksums every other time. An input that panics, takes longer than five seconds or more heap than
//! the reader's law is written to `target/fuzz/` and ends the program with an error. Without a reader all are fuzzed; `--list`
//! names them. The same seed gives the same inputs; without one it is that of the tests on random values, `PROPTEST_RNG_SEED`, or 1.

#[path = "../tests/readers/mod.rs"]
mod readers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use base::hash::hash;
use host::allocation::{CountingAllocator, measure};
use host::files;
use readers::{Reader, readers};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Longer than any reader takes for inputs of these sizes.
const LONGEST: Duration = Duration::from_secs(5);

/// The sizes of hostile shapes, in bytes.
const SHAPE_BYTES: usize = 2000;

/// Heap that any input may take.
const HEAP_FREE: u64 = 64 << 20;

/// The largest input.
const INPUT_BYTES_MAX: usize = 1 << 19;

struct Wish {
    minutes: f64,
    seed: u64,
    names: Vec<String>,
    is_list: bool,
}

fn main() -> ExitCode {
    let wish = match wish() {
        Ok(wish) => wish,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let chosen: Vec<Reader> = readers()
        .into_iter()
        .filter(|reader| wish.names.is_empty() || wish.names.iter().any(|name| name == reader.name))
        .collect();
    if wish.is_list {
        chosen.iter().for_each(|reader| println!("{}", reader.name));
        return ExitCode::SUCCESS;
    }
    if chosen.is_empty() {
        eprintln!("there is no such reader; --list names them");
        return ExitCode::from(2);
    }
    // Panics are told once, with the input that caused them.
    std::panic::set_hook(Box::new(|_| {}));
    let share = Duration::from_secs_f64(wish.minutes * 60.0 / chosen.len() as f64);
    let mut found = 0;
    for reader in &chosen {
        let (inputs, troubles) = fuzz(reader, share, wish.seed);
        println!("{:<16} {inputs:>9} inputs, {troubles} found", reader.name);
        found += troubles;
    }
    if found == 0 {
        return ExitCode::SUCCESS;
    }
    eprintln!("{found} found with --seed {}", wish.seed);
    ExitCode::FAILURE
}

fn wish() -> Result<Wish, String> {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut wish = Wish { minutes: 1.0, seed, names: Vec::new(), is_list: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).filter(|number| *number >= 0.0);
        match word.as_str() {
            "--minutes" => wish.minutes = number().ok_or("--minutes: expected a number")?.min(1e6),
            "--seed" => {
                let given = words.next().and_then(|word| word.parse().ok());
                wish.seed = given.ok_or("--seed: expected a whole number")?;
            }
            "--list" => wish.is_list = true,
            other if other.starts_with('-') => return Err(format!("unknown option {other}")),
            name => wish.names.push(name.to_string()),
        }
    }
    Ok(wish)
}

/// Fuzzes a reader for some time. Returns the number of inputs and of those that it did not withstand.
fn fuzz(reader: &Reader, share: Duration, seed: u64) -> (u64, u32) {
    let mut corpus = (reader.seeds)();
    corpus.extend(reader.shapes.iter().map(|(_, make)| make(SHAPE_BYTES)));
    corpus.iter().for_each(|input| drop(trouble(reader, input)));
    let mut state = seed ^ hash(reader.name.as_bytes());
    let end = Instant::now() + share;
    let (mut inputs, mut troubles) = (0, 0);
    while Instant::now() < end && troubles < 10 {
        let mut input = corpus[below(&mut state, corpus.len())].clone();
        let other = &corpus[below(&mut state, corpus.len())];
        mutate(&mut input, other, &mut state);
        input.truncate(INPUT_BYTES_MAX);
        if draw(&mut state).is_multiple_of(2) {
            (reader.seal)(&mut input);
        }
        inputs += 1;
        if let Some(trouble) = trouble(reader, &input) {
            troubles += 1;
            let path = PathBuf::from(format!("target/fuzz/{}-{:016x}", reader.name, hash(&input)));
            let written = files::make_folder(&PathBuf::from("target/fuzz"))
                .and_then(|()| files::write_atomically(&path, &[&input]));
            let shown = written.map_or_else(|error| error.to_string(), |()| path.display().to_string());
            println!("{}: {trouble}: {shown}", reader.name);
        }
    }
    (inputs, troubles)
}

/// What is wrong with the way an input is read.
fn trouble(reader: &Reader, input: &[u8]) -> Option<String> {
    let begun = Instant::now();
    let (result, heap) = measure(|| catch_unwind(AssertUnwindSafe(|| (reader.read)(input))));
    if let Err(payload) = result {
        return Some(format!("panicked: {}", astrarium::crash::panic_message(&*payload)));
    }
    let law = reader.law(HEAP_FREE, input.len());
    if heap.peak > law {
        return Some(format!("took {} bytes of heap for {} bytes", heap.peak, input.len()));
    }
    (begun.elapsed() > LONGEST)
        .then(|| format!("took {:.1} s for {} bytes", begun.elapsed().as_secs_f64(), input.len()))
}

/// Steele, Lea and Flood's splitmix.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn below(state: &mut u64, count: usize) -> usize {
    if count == 0 { 0 } else { (draw(state) % count as u64) as usize }
}

/// Changes an input in a few places.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], state: &mut u64) {
    const VALUES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b'-'];
    const WORDS: [u64; 6] = [0, 1, u32::MAX as u64, 1 << 31, u64::MAX, 1 << 63];
    for _ in 0..=below(state, 5) {
        if bytes.is_empty() {
            return;
        }
        let at = below(state, bytes.len());
        // Headers are at the start, and most depends on them.
        let at = if draw(state).is_multiple_of(3) { at % bytes.len().min(256) } else { at };
        let end = (at + 1 + below(state, 64)).min(bytes.len());
        match below(state, 10) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << below(state, 8),
            2 => bytes[at] = VALUES[below(state, VALUES.len())],
            3 => bytes[at..end].fill(VALUES[below(state, VALUES.len())]),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let copy = bytes[at..end].repeat(1 + below(state, 8));
                bytes.splice(at..at, copy);
            }
            6 | 7 => {
                let from = below(state, other.len());
                let piece = other[from..(from + 1 + below(state, 64)).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            8 => {
                let word = WORDS[below(state, WORDS.len())].to_le_bytes();
                let width = [1, 2, 4, 8][below(state, 4)].min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&word[..width]);
            }
            // A digit of a text format.
            _ => {
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    bytes[at + digit] = b'0' + below(state, 10) as u8;
                }
            }
        }
    }
}
