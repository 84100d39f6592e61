//! A writer is killed repeatedly at random moments: the file is always whole, either the old version or the new.

#[path = "../src/testing.rs"]
mod testing;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};
use std::{env, io, process, thread};

use host::files::{read_at_most, write_atomically};
use testing::Folder;

const KILLS: u64 = 200;
const WORDS: u64 = 1 << 17;
const PATH: &str = "ASTRARIUM_HOST_TEST_KILL";

#[test]
fn a_file_is_whole_whenever_its_writer_is_killed() {
    if testing::is_child() {
        write_forever(&PathBuf::from(env::var_os(PATH).expect("the parent says where")));
    }
    let seed = env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(seed_of_this_moment);
    println!("SEED={seed}");
    let folder = Folder::new();
    let path = folder.join("battle.save");
    let (mut state, mut version, mut interrupted, mut left) = (seed, 0, 0, 0);
    for kill in 0..KILLS {
        let reported = kill_a_writer(&path, Duration::from_micros(draw(&mut state) % 20_000));
        let found = version_of(&path);
        // A version is reported right after it was written, so the next one may exist already.
        assert!(found == reported || found == reported + 1, "kill {kill}: {reported} was reported, {found} was found");
        assert!(found > version, "kill {kill}: {version} was there, {found} was found");
        version = found;
        let temporaries = folder.names().len() - 1;
        assert!(temporaries <= 1, "kill {kill}: leftovers of earlier kills are removed");
        interrupted += usize::from(reported != found) + temporaries;
        left = temporaries;
    }
    println!("{version} versions were written; {interrupted} of {KILLS} kills interrupted a write");
    assert!(interrupted > 0, "no kill interrupted a write");
    write_atomically(&path, &[b"the last"]).expect("the folder can be written");
    assert_eq!(folder.names().len(), 1, "{left} leftovers are removed by the next writer");
}

/// Starts a writer, waits for its first version, and kills it after this time. Returns the last version it reported.
fn kill_a_writer(path: &Path, moment: Duration) -> u64 {
    let mut child = testing::again("a_file_is_whole_whenever_its_writer_is_killed")
        .env(PATH, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test binary runs");
    let mut pipe = child.stderr.take().expect("it is piped");
    let mut first = [0; 8];
    pipe.read_exact(&mut first).expect("the writer reports its first version");
    thread::sleep(moment);
    child.kill().expect("it runs until it is killed");
    child.wait().expect("it was killed");
    let mut reported = first.to_vec();
    pipe.read_to_end(&mut reported).expect("the pipe outlives the writer");
    let (versions, _) = reported.as_chunks::<8>();
    u64::from_le_bytes(*versions.last().expect("the first is there"))
}

/// The child: writes version after version, and reports each right after it was written.
fn write_forever(path: &Path) -> ! {
    let mut version = if path.exists() { version_of(path) } else { 0 };
    loop {
        version += 1;
        let content = content_of(version);
        let (start, rest) = content.split_at(content.len() / 3);
        if let Err(error) = write_atomically(path, &[start, rest]) {
            eprintln!("{error}");
            process::exit(1);
        }
        if io::stderr().write_all(&version.to_le_bytes()).is_err() {
            process::exit(1);
        }
    }
}

/// The version number repeated, in a length that differs from the previous version's, and a checksum.
fn content_of(version: u64) -> Vec<u8> {
    let words = WORDS + version % 7;
    let sum = version.wrapping_mul(words) ^ words;
    let mut content = version.to_le_bytes().repeat(words as usize);
    content.extend(sum.to_le_bytes());
    content
}

/// The version of the file. Panics if it is not whole.
fn version_of(path: &Path) -> u64 {
    let bytes = read_at_most(path, 2 << 20).expect("the file exists at every moment");
    let (words, rest) = bytes.as_chunks::<8>();
    assert!(rest.is_empty(), "it is whole");
    let version = u64::from_le_bytes(words[0]);
    assert!(bytes == content_of(version), "it is whole: version {version}, {} bytes", bytes.len());
    version
}

fn seed_of_this_moment() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later than 1970");
    u64::from(since.subsec_nanos())
}

/// Splitmix64.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
