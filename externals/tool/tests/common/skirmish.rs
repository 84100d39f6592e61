//! A small skirmish, as files: its own tags, with a scenario for a few ships.

use std::fs;
use std::path::{Path, PathBuf};

use skirmish::ENTRY;

pub const CORVETTE: &str = "ships/corvette.ship";
pub const SCENARIO: &str = "levels/skirmish.scenario";

/// Writes all its tags, headers and bulk containers into a folder. There are twenty ships.
pub fn write(tags: &Path) {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/skirmish/tags");
    for container in containers(&tree) {
        let file = tags.join(container.strip_prefix(&tree).expect("it was found below"));
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::copy(&container, file).expect("it can be copied");
    }
    for (path, text) in ENTRY.tags.texts {
        let file = tags.join(path);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        let small = scenario(64, 20);
        fs::write(file, if *path == SCENARIO { small.as_str() } else { text }).expect("it can be written");
    }
}

/// The bulk containers below a folder.
fn containers(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it can be listed").map(|entry| entry.expect("it can be listed").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let own = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "bulk"));
    own.chain(folders.iter().flat_map(|folder| containers(folder))).collect()
}

/// The scenario with this capacity and this many ships on two sides.
pub fn scenario(objects_max: u32, ships: u32) -> String {
    let half = ships / 2;
    let values_max = objects_max * 64;
    format!(
        "@scenario
!set objects_max {objects_max}
!set values_max {values_max}
!set events \"events/skirmish.events\"
!set players [{{ object \"commanders/admiral.commander\", team 1 }}, {{ object \"commanders/admiral.commander\", team 2 }}]
!set placements [
    {{ object \"{CORVETTE}\", team 1, count {half}, spread vec(40, 40, 0) }},
    {{ object \"{CORVETTE}\", team 2, count {half}, spread vec(40, 40, 0) }}
]
"
    )
}

/// The corvette with this speed.
pub fn corvette(speed: u32) -> String {
    let (_, text) = ENTRY.tags.texts.iter().find(|(path, _)| *path == CORVETTE).expect("it is part of the program");
    assert!(text.contains("!set speed 30"), "{text}");
    text.replace("!set speed 30", &format!("!set speed {speed}"))
}
