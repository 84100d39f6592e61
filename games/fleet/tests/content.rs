//! The game is complete in its tags, and they have no mistakes.

use std::path::Path;

use astrarium::test_checks::assert_tags_complete;
use fleet::ENTRY;

#[test]
fn the_built_in_tags_match_the_files_and_have_no_mistakes() {
    let spare = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet-content");
    assert_tags_complete(&ENTRY, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tags"), &spare);
}
