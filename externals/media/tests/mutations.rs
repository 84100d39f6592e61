//! Mutated files of every kind: each gives products or an error, without a panic and in bounded time.
//!
//! `MUTATIONS` is the number of mutations of each seed, and `MUTATION_SEEDS` a folder of further seeds, for campaigns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use media::importers::{IMPORTERS, find};
use media::picture::Picture;
use media::{Options, Source};

/// Longer than any import of a small file takes, also in a debug build on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

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

/// Changes a file in a few places.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], state: &mut u64) {
    const VALUES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b'-'];
    for _ in 0..=below(state, 4) {
        if bytes.is_empty() {
            return;
        }
        let at = below(state, bytes.len());
        // Headers are at the start, and most depends on them.
        let at = if draw(state).is_multiple_of(2) { at % bytes.len().min(256) } else { at };
        let end = (at + 1 + below(state, 64)).min(bytes.len());
        match below(state, 8) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << below(state, 8),
            2 => bytes[at] = VALUES[below(state, VALUES.len())],
            3 => bytes[at..end].fill(VALUES[below(state, VALUES.len())]),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            6 => {
                let from = below(state, other.len());
                let piece = other[from..(from + 64).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
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

fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut wav =
        b"RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x22\x56\0\0\x44\xac\0\0\x02\0\x10\0data\x10\0\0\0".to_vec();
    wav.extend(1..=16);
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"name":"a","mesh":0,"children":[2]},{"name":"crate@props/crate","translation":[1,2,3],"extras":{"team":3}},
{"name":"TV_gate","rotation":[0,0,0,1],"scale":[1,2,3]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":3}],
"buffers":[{"byteLength":39,
"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAEC"}]}"#;
    let object = b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1\n";
    let texts = b"greeting = Hello { $name }\ncount = { $n ->\n    [one] one\n   *[other] many\n }\n";
    let mut seeds: Vec<(String, Vec<u8>)> = vec![
        ("a.png".into(), Picture::filled(12, 8, [200, 90, 30, 128]).to_png()),
        ("a.wav".into(), wav),
        ("a.gltf".into(), gltf.into()),
        ("a.obj".into(), object.to_vec()),
        ("en/a.ftl".into(), texts.to_vec()),
    ];
    if let Some(folder) = std::env::var_os("MUTATION_SEEDS") {
        for entry in std::fs::read_dir(Path::new(&folder)).expect("MUTATION_SEEDS is a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            seeds.push((name, std::fs::read(entry.path()).expect("a seed can be read")));
        }
    }
    seeds.sort();
    seeds
}

/// Imports a mutation of a seed: whether there are products, or what went wrong.
fn outcome(name: &str, bytes: &[u8], is_level: bool) -> Result<bool, String> {
    let importer = find(IMPORTERS, name).expect("seeds have known extensions");
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let mut options = Options::new(importer.options);
    for (option, value) in [("quality", "fast"), ("as", if is_level { "level" } else { "model" })] {
        if importer.options.iter().any(|row| row.name == option) {
            options.set(option, value).expect("the importer has it");
        }
    }
    let start = Instant::now();
    let beside = |name: &str| Err(format!("{name} is not there"));
    let work = || (importer.import)(&Source::new(file, folder, bytes, &beside), &options);
    let done = catch_unwind(AssertUnwindSafe(work)).map_err(|_| "a panic".to_string())?;
    if start.elapsed() > LONGEST {
        return Err(format!("{} s", start.elapsed().as_secs()));
    }
    match done {
        Ok(products) if products.is_empty() => Err("neither products nor an error".to_string()),
        Err(error) if error.to_string().is_empty() => Err("an error without words".to_string()),
        done => Ok(done.is_ok()),
    }
}

#[test]
fn mutated_files_give_products_or_an_error() {
    let count: u64 = std::env::var("MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let seeds = seeds();
    let mut failures = Vec::new();
    for (number, (name, whole)) in seeds.iter().enumerate() {
        assert_eq!(outcome(name, whole, true), Ok(true), "{name}: seeds are sound");
        let (mut good, mut bad) = (0, 0);
        for case in 0..count {
            let mut state = case << 16 | number as u64;
            let mut bytes = whole.clone();
            let other = &seeds[below(&mut state, seeds.len())].1;
            mutate(&mut bytes, other, &mut state);
            match outcome(name, &bytes, case % 2 == 0) {
                Ok(true) => good += 1,
                Ok(false) => bad += 1,
                Err(why) => failures.push(format!("{name}, case {case}: {why}")),
            }
        }
        println!("{name}: {good} imported, {bad} refused");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
