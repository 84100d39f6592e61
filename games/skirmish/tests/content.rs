//! All of the game is in its tags, and nothing is wrong with them.

use std::path::Path;

use astrarium::trials::tags_are_whole;
use skirmish::ENTRY;

#[test]
fn the_tags_of_the_tree_are_those_of_the_program_and_right() {
    let spare = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skirmish-content");
    tags_are_whole(&ENTRY, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tags"), &spare);
}
