//! Sins that a running program cannot show on one machine, because they differ from machine to machine or from build to
//! build: the compiler or the linter must refuse their source.
#![allow(clippy::disallowed_methods, reason = "a test may run the compiler of its machine")]

use std::env::temp_dir;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Compiles a source and returns the errors; none if there are none.
fn complaint(mut compiler: Command, source: &str) -> Option<String> {
    let out = temp_dir().join(format!("astrarium-sin-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("the temporary folder can be written");
    compiler.args([
        "--edition",
        "2024",
        "--crate-type",
        "lib",
        "--emit",
        "metadata",
        "--crate-name",
        "sin",
        "--out-dir",
    ]);
    compiler.arg(&out).arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = compiler.spawn().expect("the compiler that built the tests is installed");
    child.stdin.take().expect("stdin is piped").write_all(source.as_bytes()).expect("the compiler reads its source");
    let output = child.wait_with_output().expect("the compiler ends");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Refused in a crate without the standard library, like all of core, foundation and the games' worlds.
fn check_refused_without_std(source: &str, expected: &str) {
    let source = format!("#![no_std]\n{source}");
    let text = complaint(Command::new("rustc"), &source).unwrap_or_else(|| panic!("accepted:\n{source}"));
    assert!(text.contains(expected), "expected \"{expected}\", found:\n{text}");
}

#[test]
fn code_without_sins_compiles() {
    let source = "#![no_std]\npub fn step(x: f32) -> f32 { x * x + 1.0 }";
    assert_eq!(complaint(Command::new("rustc"), source), None);
}

#[test]
fn the_platforms_cosine_is_out_of_reach() {
    check_refused_without_std("pub fn step(x: f32) -> f32 { x.cos() }", "no method named `cos`");
    check_refused_without_std("pub fn step(x: f32) -> f32 { x.powf(0.5) }", "no method named `powf`");
}

#[test]
fn clocks_maps_threads_and_the_environment_are_out_of_reach() {
    check_refused_without_std("pub fn step() { let _ = std::time::Instant::now(); }", "`std`");
    check_refused_without_std("pub type Map = std::collections::HashMap<u32, u32>;", "`std`");
    check_refused_without_std("pub fn step() { std::thread::yield_now(); }", "`std`");
    check_refused_without_std("pub fn step() { let _ = std::env::var(\"HOME\"); }", "`std`");
}

/// Functions of the library `core` that the linter must refuse.
fn check_refused_by_linter(source: &str, expected: &str) {
    let is_there = Command::new("clippy-driver").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "clippy-driver is required in CI");
        println!("skipped: clippy-driver is not installed (rustup component add clippy)");
        return;
    }
    let mut linter = Command::new("clippy-driver");
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the sandbox lies in games/");
    linter.env("CLIPPY_CONF_DIR", games).args(["-D", "clippy::disallowed_methods", "-D", "clippy::disallowed_types"]);
    let text = complaint(linter, source).unwrap_or_else(|| panic!("accepted:\n{source}"));
    assert!(text.contains(expected), "expected \"{expected}\", found:\n{text}");
}

#[test]
fn minima_whose_zero_has_any_sign_are_refused() {
    check_refused_by_linter("pub fn step(x: f32) -> f32 { x.min(0.0) }", "min");
    check_refused_by_linter("pub fn step(x: f32) -> f32 { x.max(-0.0) }", "max");
    check_refused_by_linter("pub fn step(x: f64) -> f64 { x.clamp(0.0, 1.0) }", "clamp");
}

#[test]
fn a_game_that_uses_the_standard_library_is_refused_the_same_things() {
    check_refused_by_linter("pub fn step(x: f32) -> f32 { x.cos() }", "cos");
    check_refused_by_linter("pub fn step() { let _ = std::time::Instant::now(); }", "Instant");
    check_refused_by_linter("pub fn step() { let _ = std::collections::HashMap::<u32, u32>::new(); }", "HashMap");
}
