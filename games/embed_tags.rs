//! The build script of games whose tags are part of the program: lists the files of `tags/`.

#![allow(clippy::disallowed_methods, reason = "a build script reads the folder in which it may write")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo gives it")).join("tags");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    list(&root, &mut files)?;
    files.sort();
    let (mut texts, mut containers) = (String::new(), String::new());
    for file in &files {
        let name = file.strip_prefix(&root).expect("it was listed below").to_string_lossy().replace('\\', "/");
        let _ = match Path::new(&name).extension().and_then(|extension| extension.to_str()) {
            Some("bulk") => writeln!(containers, "    include_bytes!({file:?}),"),
            // What an import last made of a tag: only the next import reads it.
            Some("imported") => Ok(()),
            _ => writeln!(texts, "    ({name:?}, include_str!({file:?})),"),
        };
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo gives it")).join("tags.rs");
    let comment = ["/// The tags and headers that are part of the program.", "/// The bulk containers of the tags."];
    fs::write(
        out,
        format!(
            "{}\npub const TEXTS: &[(&str, &str)] = &[\n{texts}];\n\n{}\npub const CONTAINERS: &[&[u8]] = &[\n{containers}];\n",
            comment[0], comment[1]
        ),
    )
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A new file in a folder is noticed by the time of the folder.
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
