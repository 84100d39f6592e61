//! `new`: creates a game to start from, a folder that can be played at once, from the files in `externals/tool/template`.
//!
//! Law: existing files are not changed. The folder must be new, or empty except for hidden files of tools, such as
//! `.git`.

use std::path::Path;

use host::files;
use host::walk::{WalkLimits, walk};
use shelf::headers;

use crate::error::CommandError;
use crate::json::Json;
use astrarium::game::GameEntry;
use astrarium::project::{TAGS, check_name};

/// The token that is replaced by the name of the game.
const NAME: &str = "NAME";

/// The files: path and content.
const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("../template/README.md")),
    (".gitignore", include_str!("../template/gitignore")),
    ("tags/globals.globals", include_str!("../template/tags/globals.globals")),
    ("tags/ship.header", include_str!("../template/tags/ship.header")),
    ("tags/mission.header", include_str!("../template/tags/mission.header")),
    ("tags/orders.events", include_str!("../template/tags/orders.events")),
    ("tags/player.controls", include_str!("../template/tags/player.controls")),
    ("tags/cameras/fleet.camera", include_str!("../template/tags/cameras/fleet.camera")),
    ("tags/interfaces/hud.interface", include_str!("../template/tags/interfaces/hud.interface")),
    ("tags/ships/corvette.ship", include_str!("../template/tags/ships/corvette.ship")),
    ("tags/levels/first.mission", include_str!("../template/tags/levels/first.mission")),
];

/// Creates a game in a new folder, and prints how to play it. Its name must differ from those of the program's games.
pub fn make(folder: &Path, games: &[GameEntry], is_json: bool) -> Result<(), CommandError> {
    let shown = folder.display();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("");
    check_name(name).map_err(|error| error.in_file(folder))?;
    if games.iter().any(|entry| entry.name == name) {
        let program = host::process::program();
        return Err(CommandError::Usage(format!(
            "{shown}: {program} already has a game named {name}, and could not tell the saves and films of the two apart; \
             choose another name"
        )));
    }
    let is_there = FILES.iter().any(|(path, _)| folder.join(path).exists());
    if folder.exists() && (is_there || !is_empty(folder)) {
        let message = format!("{shown}: expected the name of a new folder, found one that is not empty");
        return Err(CommandError::Usage(message));
    }
    for (path, text) in FILES {
        let file = folder.join(path);
        file.parent().map_or(Ok(()), files::make_folder)?;
        let text = if path.ends_with(".md") || path.ends_with(".globals") {
            text.replace(NAME, name)
        } else {
            text.to_string()
        };
        files::write_atomically(&file, &[text.as_bytes()])?;
    }
    // So that tools know the classes of every world before the game is played for the first time.
    let home = shelf::tree::home_of(&folder.join(TAGS));
    headers::write_down(&astrarium::classes(), &home)?;
    if is_json {
        let rows = FILES.iter().map(|(path, _)| Json::new().text("path", path));
        println!(
            "{}",
            Json::new().text("game", name).text("folder", &folder.to_string_lossy()).list("files", rows).finish()
        );
    } else {
        let program = host::process::program();
        println!("created {shown}; play it with `{program} play {shown}`");
        println!("without a window: `{program} play {shown} --headless --cycles 6000`");
        println!("{shown}/README.md describes its files");
    }
    Ok(())
}

fn is_empty(folder: &Path) -> bool {
    let found = walk(folder, &WalkLimits::default());
    found.is_ok_and(|found| found.files.is_empty() && found.folders.is_empty() && found.oddities.is_empty())
}
