//! Diagnosis of this machine: what it offers, what is missing, and how to install it.
//!
//! Laws
//! 1. Never fails: an unknown fact is a row that says so.
//! 2. Never hangs: each tool has [`TOOL_PATIENCE`], all together [`DOCTOR_PATIENCE`].
//! 3. Changes nothing, connects to nothing: tools only print their version, and `rustup` must not install anything.

mod presentation;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use crate::files::FileError;
use crate::limits::{DOCTOR_FILES_MAX, DOCTOR_PATIENCE, TOOL_PATIENCE};
use crate::mapped::MappedFile;
use crate::pages::page_bytes;
use crate::tool;

/// One row of the doctor's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name of the feature.
    pub name: &'static str,
    /// Whether it exists and works.
    pub found: bool,
    /// The findings, or the reason why it is missing.
    pub detail: String,
    /// Its purpose, and how to install it.
    pub remedy: &'static str,
}

/// Examines the machine. Takes about a second, for running the tools.
#[must_use]
pub fn examine() -> Vec<Fact> {
    let mut facts = vec![processors(), page_size(), page_protection(), mapped_files()];
    facts.extend(presentation::facts(&presentation::Surroundings {
        variable: &|name| std::env::var(name).ok(),
        exists: &|path| path.exists(),
        names: &names_in,
    }));
    let end = Instant::now() + DOCTOR_PATIENCE;
    facts.extend(TOOLS.iter().map(|tool| tool.examine(end)));
    facts.extend(TARGETS.iter().map(|target| target.examine(end)));
    facts
}

/// The names of the files in a folder; none if it cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).take(DOCTOR_FILES_MAX).collect()
}

/// A program on the path, by the first of its version commands that succeeds.
struct Tool {
    name: &'static str,
    questions: &'static [&'static [&'static str]],
    remedy: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { name: "rustc", questions: &[&["rustc", "--version"]], remedy: "builds everything: https://rustup.rs" },
    Tool { name: "cargo", questions: &[&["cargo", "--version"]], remedy: "builds everything: https://rustup.rs" },
    Tool {
        name: "rustup targets",
        questions: &[&["rustup", "target", "list", "--installed"]],
        remedy: "installs the targets of the proofs: https://rustup.rs",
    },
    Tool {
        name: "qemu-aarch64",
        questions: &[&["qemu-aarch64", "--version"], &["qemu-aarch64-static", "--version"]],
        remedy: "runs the aarch64 proof: apt install qemu-user (or qemu-user-static)",
    },
    Tool {
        name: "aarch64-linux-gnu-gcc",
        questions: &[&["aarch64-linux-gnu-gcc", "--version"]],
        remedy: "links the aarch64 proof: apt install gcc-aarch64-linux-gnu",
    },
    Tool { name: "node", questions: &[&["node", "--version"]], remedy: "runs the wasm proof: apt install nodejs" },
    Tool {
        name: "x86_64-w64-mingw32-gcc",
        questions: &[&["x86_64-w64-mingw32-gcc", "--version"]],
        remedy: "links the Windows proof: apt install gcc-mingw-w64-x86-64-win32",
    },
    Tool {
        name: "wine",
        questions: &[&["wine", "--version"]],
        remedy: "runs the Windows proof: apt install --no-install-recommends wine wine64",
    },
    Tool {
        name: "miri",
        questions: &[&["cargo", "+nightly", "miri", "--version"]],
        remedy: "checks the unsafe code: rustup toolchain install nightly --component miri,rust-src",
    },
];

impl Tool {
    fn examine(&self, end: Instant) -> Fact {
        let answer = self.questions.iter().find_map(|question| ask(question, end));
        let detail = answer.as_deref().map_or_else(|| "not found, or no answer".to_owned(), first_words);
        Fact { name: self.name, found: answer.is_some(), detail, remedy: self.remedy }
    }
}

/// A compilation target. The compiler is queried, since not every target comes from rustup.
struct Target {
    name: &'static str,
    triple: &'static str,
    remedy: &'static str,
}

const TARGETS: &[Target] = &[
    Target {
        name: "target aarch64-unknown-linux-gnu",
        triple: "aarch64-unknown-linux-gnu",
        remedy: "builds the aarch64 proof: rustup target add aarch64-unknown-linux-gnu",
    },
    Target {
        name: "target wasm32-wasip1",
        triple: "wasm32-wasip1",
        remedy: "builds the wasm proof: rustup target add wasm32-wasip1",
    },
    Target {
        name: "target x86_64-pc-windows-gnu",
        triple: "x86_64-pc-windows-gnu",
        remedy: "builds the Windows proof: rustup target add x86_64-pc-windows-gnu",
    },
    Target {
        name: "target aarch64-apple-darwin",
        triple: "aarch64-apple-darwin",
        remedy: "checks the build for macOS: rustup target add aarch64-apple-darwin",
    },
    Target {
        name: "target wasm32-unknown-unknown",
        triple: "wasm32-unknown-unknown",
        remedy: "checks the build for browsers: rustup target add wasm32-unknown-unknown",
    },
];

impl Target {
    fn examine(&self, end: Instant) -> Fact {
        let answer = ask(&["rustc", "--print", "target-libdir", "--target", self.triple], end);
        let (found, detail) = match answer {
            Some(folder) if Path::new(folder.trim()).is_dir() => (true, "installed".to_owned()),
            Some(_) => (false, "not installed".to_owned()),
            None => (false, "rustc does not answer".to_owned()),
        };
        Fact { name: self.name, found, detail, remedy: self.remedy }
    }
}

fn ask(question: &[&str], end: Instant) -> Option<String> {
    let (program, arguments) = question.split_first()?;
    tool::ask(program, arguments, end.min(Instant::now() + TOOL_PATIENCE))
}

/// The lines of an output joined and truncated.
fn first_words(answer: &str) -> String {
    let lines: Vec<&str> = answer.lines().map(str::trim).filter(|line| !line.is_empty()).take(4).collect();
    lines.join(", ").chars().take(120).collect()
}

fn processors() -> Fact {
    let count = thread::available_parallelism();
    Fact {
        name: "processors",
        found: count.is_ok(),
        detail: count.map_or_else(|error| error.to_string(), |count| count.to_string()),
        remedy: "more processors make a step faster; its result is the same",
    }
}

fn page_size() -> Fact {
    Fact {
        name: "page size",
        found: true,
        detail: format!("{} bytes", page_bytes()),
        remedy: "larger pages protect the frozen world more coarsely, never wrongly",
    }
}

fn page_protection() -> Fact {
    #[cfg(not(target_family = "wasm"))]
    let found = crate::pages::protection_works();
    #[cfg(target_family = "wasm")]
    let found = false;
    Fact {
        name: "page protection",
        found,
        detail: if found { "works" } else { "not available" }.to_owned(),
        remedy: "in checked worlds, a wrong write faults where it happens; provided by the operating system",
    }
}

fn mapped_files() -> Fact {
    let outcome = try_mapping();
    Fact {
        name: "mapped files",
        found: outcome.is_ok(),
        detail: outcome.map_or_else(|error| error.to_string(), |path| format!("work as {}", path.display())),
        remedy: "for crash reports; needs a temporary folder (TMPDIR) on a disk whose files can be mapped",
    }
}

/// Maps a file, and returns its path, which is free again.
fn try_mapping() -> Result<PathBuf, FileError> {
    let path = path_of_trial();
    let outcome = MappedFile::create(&path, 4096).and_then(|mut mapped| {
        mapped.bytes_mut().fill(1);
        mapped.flush()
    });
    let _ = fs::remove_file(&path);
    outcome.map(|()| path)
}

#[cfg(not(target_family = "wasm"))]
fn path_of_trial() -> PathBuf {
    std::env::temp_dir().join(format!("astrarium-doctor-{}", crate::process::number()))
}

/// wasm has neither a temporary folder nor processes, and panics when they are requested.
#[cfg(target_family = "wasm")]
fn path_of_trial() -> PathBuf {
    PathBuf::from("astrarium-doctor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_detail_and_the_basic_features_are_found() {
        let facts = examine();
        assert!(facts.iter().all(|fact| !fact.detail.is_empty() && !fact.remedy.is_empty()));
        let mut names: Vec<&str> = facts.iter().map(|fact| fact.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), facts.len(), "names are unique");
        for name in ["processors", "page size", "page protection", "mapped files"] {
            let fact = facts.iter().find(|fact| fact.name == name).expect("it is examined");
            assert!(fact.found || cfg!(target_family = "wasm"), "{fact:?}");
        }
    }

    #[test]
    fn a_doctor_out_of_time_still_reports() {
        let now = Instant::now();
        for tool in TOOLS {
            assert!(!tool.examine(now).found, "a tool cannot answer in no time");
        }
    }

    #[test]
    fn an_output_is_shortened_to_one_line() {
        assert_eq!(first_words("one\n\n  two \n"), "one, two");
        assert_eq!(first_words(&"a".repeat(1000)).len(), 120);
    }
}
