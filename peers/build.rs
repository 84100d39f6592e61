//! Passes the version of the compiler to the program, for the heading of its tables.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").expect("cargo names the compiler");
    let answer = Command::new(compiler).arg("--version").output().expect("the compiler runs");
    println!("cargo::rustc-env=COMPILER={}", String::from_utf8_lossy(&answer.stdout).trim());
    println!("cargo::rerun-if-changed=build.rs");
}
