//! LScript from the command line.

mod common;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use common::Folder;

const SHIP: &str = "@ship\n!set hull 100\n!set OnDamage Lambda(d,kind, if kind = \"emp\" then d*2 else d)\n!Log(\"hit\", hull)\nOnDamage(12, \"emp\")\n";

#[test]
fn a_file_is_run_and_its_last_value_printed() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), SHIP).unwrap();
    let output = folder.command("script run a.ship").output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "!Log(\"hit\", 100)\n24\n");
    let output = folder.command("script run a.ship --json").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("{\"value\": \"24\"}\n"));
}

#[test]
fn mistakes_are_told_with_their_place_and_fail_the_command() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), "!set hull 1\n!set x hlul\n").unwrap();
    for words in ["script check a.ship", "script run a.ship"] {
        let output = folder.command(words).output().unwrap();
        assert!(!output.status.success(), "{words}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.contains("a.ship:2:8: error: `hlul` is not known here") && told.contains("did you mean `hull`?"),
            "{told}"
        );
    }
    fs::write(folder.join("b.ship"), [0xff, 0xfe]).unwrap();
    let output = folder.command("script check b.ship").output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("expected UTF-8"));
}

#[test]
fn files_are_formatted_in_place_and_only_once() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), SHIP).unwrap();
    assert!(!folder.command("script fmt --check a.ship").output().unwrap().status.success());
    assert!(folder.command("script fmt a.ship").output().unwrap().status.success());
    let formatted = fs::read_to_string(folder.join("a.ship")).unwrap();
    assert!(formatted.contains("!set OnDamage Lambda(d, kind, if kind = \"emp\" then d * 2 else d)\n"), "{formatted}");
    assert!(folder.command("script fmt --check a.ship").output().unwrap().status.success());
}

#[test]
fn the_console_keeps_its_variables_and_survives_everything() {
    let folder = Folder::new();
    let mut console = folder.command("script repl").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = "!set a 3\n!set f Lambda(x, x + a)\nf(4)\nf(\n!set loop Lambda(n, loop(n))\nloop(1)\na * 2\n";
    console.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = console.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    assert!(told.contains("\n7\n") && told.contains("nested too deep") && told.ends_with("6\n"), "{told}");
}
