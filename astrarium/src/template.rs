//! A game to begin with: a folder that can be played at once, from the files in `astrarium/template`.
//!
//! Law: nothing that is there already is changed. A folder must be new, or empty but for what tools keep there, such as `.git`.

use std::path::Path;

use host::files;
use host::walk::{WalkLimits, walk};
use shelf::headers;

use crate::game::GameEntry;
use crate::json::Json;
use crate::project::{TAGS, check_name};

/// What stands in the files for the name of the game.
const NAME: &str = "NAME";

/// The files: where each lies, and what is in it.
const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("../template/README.md")),
    (".gitignore", include_str!("../template/gitignore")),
    ("tags/globals.globals", include_str!("../template/tags/globals.globals")),
    ("tags/ship.header", include_str!("../template/tags/ship.header")),
    ("tags/mission.header", include_str!("../template/tags/mission.header")),
    ("tags/orders.events", include_str!("../template/tags/orders.events")),
    ("tags/ships/corvette.ship", include_str!("../template/tags/ships/corvette.ship")),
    ("tags/levels/first.mission", include_str!("../template/tags/levels/first.mission")),
];

/// Makes a game in a new folder, and tells on standard output how to play it. It is called otherwise than these games of the program.
pub fn make(folder: &Path, games: &[GameEntry], is_json: bool) -> Result<(), String> {
    let shown = folder.display();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("");
    check_name(name).map_err(|trouble| format!("{shown}: {trouble}"))?;
    if games.iter().any(|entry| entry.name == name) {
        let program = host::process::program();
        return Err(format!(
            "{shown}: {program} has a game {name} itself, and would take the saves and films of one for those of the other; \
             choose another name"
        ));
    }
    let is_there = FILES.iter().any(|(path, _)| folder.join(path).exists());
    if folder.exists() && (is_there || !is_empty(folder)) {
        return Err(format!("{shown}: expected the name of a new folder, found one with something in it"));
    }
    for (path, text) in FILES {
        let file = folder.join(path);
        file.parent().map_or(Ok(()), files::make_folder).map_err(|error| error.to_string())?;
        let text = if path.ends_with(".md") { text.replace(NAME, name) } else { text.to_string() };
        files::write_atomically(&file, &[text.as_bytes()]).map_err(|error| error.to_string())?;
    }
    // So that tools know the classes of every world before the game was played for the first time.
    let home = shelf::tree::home_of(&folder.join(TAGS));
    headers::write_down(&world::classes(), &home).map_err(|error| error.to_string())?;
    if is_json {
        let rows = FILES.iter().map(|(path, _)| Json::new().text("path", path));
        println!(
            "{}",
            Json::new().text("game", name).text("folder", &folder.to_string_lossy()).list("files", rows).finish()
        );
    } else {
        let program = host::process::program();
        println!("{shown} is a game: `{program} play {shown} --headless --cycles 6000` plays it");
        println!("{shown}/README.md says what lies where");
    }
    Ok(())
}

fn is_empty(folder: &Path) -> bool {
    let found = walk(folder, &WalkLimits::default());
    found.is_ok_and(|found| found.files.is_empty() && found.folders.is_empty() && found.oddities.is_empty())
}
