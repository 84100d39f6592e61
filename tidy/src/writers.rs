//! Files are written through one door, the atomic writer of `host::files`: so whatever kills a program, the earlier file stays.

use crate::complaint::Complaint;
use crate::source::{code, is_for_tests, is_of_word, outside_tests};
use crate::tree::{Text, Tree};

/// The folder of the door.
const DOOR: &str = "externals/host/src/";

/// Calls that write a file in place, or put one in the place of another.
const CALLS: [&str; 8] = [
    "File::create",
    "fs::write(",
    "OpenOptions::new",
    "File::options",
    "fs::copy(",
    "fs::rename(",
    "File::create_new",
    ".set_len(",
];

/// Files that may, with the reason.
const ALLOWED: [(&str, &str); 2] = [
    ("externals/sound/src/device/wave.rs", "it cannot use host, and gets the path of a temporary file"),
    ("externals/render/src/gpu/cache.rs", "it cannot use host; a cache of the driver, written beside and renamed"),
];

/// Folders and files that are not part of what is shipped.
const OTHERS: [&str; 5] = ["tidy/", "testing/", "peers/", "games/embed_tags.rs", "astrarium/src/test_checks.rs"];

/// Checks all sources that are not for tests.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let is_checked = |file: &&Text| {
        let is_free = file.path.starts_with(DOOR) || OTHERS.iter().any(|folder| file.path.starts_with(folder));
        !is_free
            && !is_for_tests(&file.path)
            && !file.path.ends_with("/testing.rs")
            && !file.path.ends_with("/build.rs")
    };
    let allowed = |file: &Text| ALLOWED.iter().any(|(path, _)| *path == file.path);
    tree.sources().filter(is_checked).filter(|file| !allowed(file)).flat_map(check_file).collect()
}

fn check_file(file: &Text) -> Vec<Complaint> {
    let code = outside_tests(&code(&file.text));
    let mut complaints = Vec::new();
    for (number, line) in code.lines().enumerate() {
        if let Some(call) = CALLS.iter().find(|call| calls(line, call)) {
            let what = format!(
                "`{}` writes in place: a kill or a full disk would leave a torn file, or an earlier one would be lost; use host::files \
                 (write_atomically, NewFile, GrowingFile, copy, rename)",
                call.trim_matches(['(', '.'])
            );
            complaints.push(Complaint::at(&file.path, number + 1, what));
        }
    }
    complaints
}

/// Whether a line has this call, and not as the end of another name, as in `GrowingFile::create`.
fn calls(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| call.starts_with('.') || !line[..at].ends_with(is_of_word))
}
