//! The identity of this process.

use std::path::Path;
use std::time::SystemTime;

/// The process id. Zero where there are no processes (wasm).
#[must_use]
pub fn number() -> u32 {
    // wasm panics when it is requested.
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// A name for files of this process: the time in milliseconds and the process id, which alone is reused (in a
/// container, by every process).
#[must_use]
pub fn stamp() -> String {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    format!("{time}-{}", number())
}

/// The file name of the program.
#[must_use]
pub fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    Path::new(&called).file_name().map_or_else(|| String::from("astrarium"), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_number_stays_and_is_a_processs_own() {
        println!("{}", number());
        if testing::is_child() {
            return;
        }
        assert_eq!(number(), number());
        let output = testing::again("process::tests::a_number_stays_and_is_a_processs_own").output();
        let stdout = String::from_utf8(output.expect("the test binary runs").stdout).expect("its output is text");
        let other = stdout.lines().find_map(|line| line.split_whitespace().last()?.parse().ok());
        assert!(other.is_some_and(|other: u32| other != number()), "{stdout}");
    }

    #[test]
    fn a_stamp_has_the_time_and_the_process_id() {
        let stamp = stamp();
        let (time, found) = stamp.split_once('-').expect("two parts");
        assert!(time.parse::<u64>().is_ok_and(|time| time > 1_600_000_000_000), "{stamp}");
        assert_eq!(found, number().to_string());
    }

    #[test]
    fn the_program_has_the_name_of_its_file() {
        let binary = std::env::current_exe().expect("a test knows its own binary");
        assert_eq!(program(), binary.file_name().expect("it has a name").to_string_lossy());
    }
}
