//! Times the warm start of 8,000 object tags with lambdas: `cargo run --release -p astrarium-tool --example warm_start`.
//!
//! Each tag has five lambdas of its own and is placed once. A start opens the tree, loads the level with all tags from the store,
//! and makes the rules with their prototypes, which is what `play` does before its first cycle. The first start fills the store and is
//! printed apart. Processor time counts all threads, as the system reports it, in steps of ten milliseconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use base::StringId;
use shelf::Shelf;
use shelf::headers::add_from_tree;
use shelf::load::LoadLimits;
use tags::Classes;
use world::Rules;

const TAGS: u32 = 8000;
const STARTS: u32 = 7;
const LEVEL: &str = "levels/one.scenario";

const HEADER: &str = "@EnvironmentHeader
!set Namespace \"ship\"
!set Base \"object\"
!set Attributes [
    { name \"hull\", type \"number\", default 10, state true },
    { name \"shield\", type \"number\", default 3, state true },
    { name \"speed\", type \"number\", default 3 },
]
";

fn main() -> ExitCode {
    let folder = std::env::temp_dir().join(format!("astrarium-warm-start-{}", std::process::id()));
    let done = write(&folder).and_then(|()| measure(&folder));
    // What cannot be removed is temporary anyway.
    let _ = fs::remove_dir_all(&folder);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path) -> Result<(), String> {
    let mut classes = world::classes();
    add_from_tree(&mut classes, folder).map_err(|error| error.to_string())?;
    let classes = Arc::new(classes);
    let first = start(folder, &classes)?;
    println!("store empty: {} ms of processor time, {} ms", first.processor, first.wall);
    let mut warm = Vec::new();
    for _ in 0..STARTS {
        let times = start(folder, &classes)?;
        let Times { processor, loading, wall } = times;
        println!("store warm: {processor} ms of processor time, {loading} of them for loading, {wall} ms");
        warm.push(processor);
    }
    warm.sort_unstable();
    println!("median of {STARTS}: {} ms of processor time for {TAGS} tags", warm[warm.len() / 2]);
    Ok(())
}

/// The milliseconds of a start: processor time, its part until the tags are loaded, and wall time.
struct Times {
    processor: u64,
    loading: u64,
    wall: u128,
}

fn start(folder: &Path, classes: &Arc<Classes>) -> Result<Times, String> {
    let (clock, before) = (Instant::now(), processor_milliseconds()?);
    let mut shelf = Shelf::open(folder, Arc::clone(classes)).map_err(|error| error.to_string())?;
    let loaded = shelf.load(&[LEVEL], &LoadLimits::default());
    if let Some(report) = loaded.reports.first() {
        return Err(format!("{report:?}"));
    }
    let library = loaded.library(Arc::clone(classes));
    let loading = processor_milliseconds()? - before;
    let rules = std::hint::black_box(Rules::new("warm", &library, StringId::from(LEVEL)));
    let times = Times { processor: processor_milliseconds()? - before, loading, wall: clock.elapsed().as_millis() };
    // The level is an object too.
    let (count, expected) = (rules.prototypes.iter().count(), TAGS as usize + 1);
    if count != expected {
        return Err(format!("expected {expected} prototypes, found {count}"));
    }
    shelf.save().map_err(|error| error.to_string())?;
    Ok(times)
}

/// The processor time of all threads of this process so far, also of those that have ended.
fn processor_milliseconds() -> Result<u64, String> {
    let text = fs::read_to_string("/proc/self/stat").map_err(|error| format!("/proc/self/stat: {error}"))?;
    // Behind the name of the program, which may contain anything, come twelve fields, then user and system time in hundredths.
    let behind = text.rsplit(')').next().unwrap_or_default();
    let times = behind.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>());
    let ticks = times.sum::<Result<u64, _>>().map_err(|error| format!("/proc/self/stat: {error}"))?;
    Ok(ticks * 10)
}

/// Writes the tree, without a store.
fn write(folder: &Path) -> Result<(), String> {
    let put = |path: PathBuf, text: &str| {
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(path, text))
            .map_err(|error| error.to_string())
    };
    put(folder.join("ship.header"), HEADER)?;
    let mut placements = String::new();
    for number in 0..TAGS {
        let path = format!("ships/{:03}/s{number}.ship", number / 10);
        put(folder.join(&path), &tag(number))?;
        placements.push_str(&format!("    {{ object \"{path}\" }},\n"));
    }
    put(folder.join(LEVEL), &format!("@scenario\n!set objects_max 16000\n!set placements [\n{placements}]\n"))
}

/// A ship whose lambdas no other has.
fn tag(number: u32) -> String {
    format!(
        "@ship
!set speed {number}
!set storage 24
!set scars []
!set tend [ !set shield min(40, shield + 2), !set hull min(100, hull + count(scars) * {number}) ]
!set turn Lambda(way, let l = length(way) in if l > 0 then way / l else facing)
!set OnSpawn Lambda(!Every(500, tend))
!set OnDamage Lambda(amount, kind, [ !set hull hull - max(0, amount - shield), !set scars join(scars, [amount]), if hull < {number} then !Destroy(~this) ]())
!set OnUpdate Lambda(seconds, !set velocity turn(velocity) * speed * {})
",
        number % 7 + 1
    )
}
