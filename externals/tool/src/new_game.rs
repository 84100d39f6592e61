//! `new`: creates a game to start from, a folder that can be played at once, from one of the templates in `externals/tool/template`.
//!
//! Law: existing files are not changed. The folder must be new, or empty except for hidden files of tools, such as
//! `.git`.

use std::path::Path;

use host::walk::{WalkLimits, walk};
use shelf::headers;

use crate::error::CommandError;
use crate::json::Json;
use astrarium::game::GameEntry;
use astrarium::project::{TAGS, check_name};

/// The token that is replaced by the name of the game.
const NAME: &str = "NAME";

/// The files of a template: path and content.
type Files = &'static [(&'static str, &'static str)];

/// A game to start from.
struct Template {
    name: &'static str,
    about: &'static str,
    files: Files,
}

/// What can be chosen. The first is the usual one.
const TEMPLATES: &[Template] = &[
    Template { name: "strategy", about: "two fleets that meet, and a ship that obeys its player", files: STRATEGY },
    Template { name: "arena", about: "a fighter against waves of drones", files: ARENA },
    Template { name: "toy", about: "bodies that fall, stack and tumble", files: TOY },
    Template { name: "empty", about: "one thing in one level", files: EMPTY },
];

/// What every game has: its checks, and the settings of editors.
const COMMON: Files = &[
    (".gitignore", include_str!("../template/common/gitignore")),
    (".editorconfig", include_str!("../template/common/editorconfig")),
    (".vscode/settings.json", include_str!("../template/common/vscode.json")),
    (".github/workflows/check.yml", include_str!("../template/common/check.yml")),
    ("check.sh", include_str!("../template/common/check.sh")),
];

const STRATEGY: Files = &[
    ("README.md", include_str!("../template/strategy/README.md")),
    ("tags/globals.globals", include_str!("../template/strategy/tags/globals.globals")),
    ("tags/mission.header", include_str!("../template/strategy/tags/mission.header")),
    ("tags/orders.events", include_str!("../template/strategy/tags/orders.events")),
    ("tags/player.controls", include_str!("../template/strategy/tags/player.controls")),
    ("tags/ship.header", include_str!("../template/strategy/tags/ship.header")),
    ("tags/cameras/fleet.camera", include_str!("../template/strategy/tags/cameras/fleet.camera")),
    ("tags/interfaces/hud.interface", include_str!("../template/strategy/tags/interfaces/hud.interface")),
    ("tags/levels/first.mission", include_str!("../template/strategy/tags/levels/first.mission")),
    ("tags/ships/corvette.ship", include_str!("../template/strategy/tags/ships/corvette.ship")),
];

const ARENA: Files = &[
    ("README.md", include_str!("../template/arena/README.md")),
    ("tags/floor.object", include_str!("../template/arena/tags/floor.object")),
    ("tags/fighter.header", include_str!("../template/arena/tags/fighter.header")),
    ("tags/globals.globals", include_str!("../template/arena/tags/globals.globals")),
    ("tags/player.controls", include_str!("../template/arena/tags/player.controls")),
    ("tags/players.events", include_str!("../template/arena/tags/players.events")),
    ("tags/round.header", include_str!("../template/arena/tags/round.header")),
    ("tags/cameras/behind.camera", include_str!("../template/arena/tags/cameras/behind.camera")),
    ("tags/effects/end.effect", include_str!("../template/arena/tags/effects/end.effect")),
    ("tags/effects/shot.effect", include_str!("../template/arena/tags/effects/shot.effect")),
    ("tags/fighters/drone.fighter", include_str!("../template/arena/tags/fighters/drone.fighter")),
    ("tags/fighters/pilot.fighter", include_str!("../template/arena/tags/fighters/pilot.fighter")),
    ("tags/interfaces/hud.interface", include_str!("../template/arena/tags/interfaces/hud.interface")),
    ("tags/levels/arena.round", include_str!("../template/arena/tags/levels/arena.round")),
    ("tags/lib/fight.lscript", include_str!("../template/arena/tags/lib/fight.lscript")),
];

const TOY: Files = &[
    ("README.md", include_str!("../template/toy/README.md")),
    ("tags/globals.globals", include_str!("../template/toy/tags/globals.globals")),
    ("tags/player.controls", include_str!("../template/toy/tags/player.controls")),
    ("tags/players.events", include_str!("../template/toy/tags/players.events")),
    ("tags/skies/day.sky", include_str!("../template/toy/tags/skies/day.sky")),
    ("tags/thing.header", include_str!("../template/toy/tags/thing.header")),
    ("tags/cameras/side.camera", include_str!("../template/toy/tags/cameras/side.camera")),
    ("tags/interfaces/hud.interface", include_str!("../template/toy/tags/interfaces/hud.interface")),
    ("tags/levels/tower.scenario", include_str!("../template/toy/tags/levels/tower.scenario")),
    ("tags/players/hand.thing", include_str!("../template/toy/tags/players/hand.thing")),
    ("tags/things/ball.thing", include_str!("../template/toy/tags/things/ball.thing")),
    ("tags/things/crate.thing", include_str!("../template/toy/tags/things/crate.thing")),
    ("tags/things/ground.thing", include_str!("../template/toy/tags/things/ground.thing")),
    ("tags/things/plank.thing", include_str!("../template/toy/tags/things/plank.thing")),
];

const EMPTY: Files = &[
    ("README.md", include_str!("../template/empty/README.md")),
    ("tags/globals.globals", include_str!("../template/empty/tags/globals.globals")),
    ("tags/player.controls", include_str!("../template/empty/tags/player.controls")),
    ("tags/thing.object", include_str!("../template/empty/tags/thing.object")),
    ("tags/cameras/free.camera", include_str!("../template/empty/tags/cameras/free.camera")),
    ("tags/levels/first.scenario", include_str!("../template/empty/tags/levels/first.scenario")),
];

/// The names of the templates, and what they are.
pub fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATES.iter().map(|template| (template.name, template.about))
}

/// Creates a game in a new folder, and prints how to play it. Its name must differ from those of the program's games.
pub fn make(folder: &Path, template: &str, games: &[GameEntry], is_json: bool) -> Result<(), CommandError> {
    let template = TEMPLATES.iter().find(|known| known.name == template).unwrap_or(&TEMPLATES[0]);
    let files: Vec<_> = COMMON.iter().chain(template.files).collect();
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
    let is_there = files.iter().any(|(path, _)| folder.join(path).exists());
    if folder.exists() && (is_there || !is_empty(folder)) {
        let message = format!("{shown}: expected the name of a new folder, found one that is not empty");
        return Err(CommandError::Usage(message));
    }
    for (path, text) in &files {
        let file = folder.join(path);
        file.parent().map_or(Ok(()), host::files::make_folder)?;
        let text = if path.ends_with(".md") || path.ends_with(".globals") {
            text.replace(NAME, name)
        } else {
            text.to_string()
        };
        host::files::write_atomically(&file, &[text.as_bytes()])?;
    }
    // So that tools know the classes of every world before the game is played for the first time.
    let home = shelf::tree::home_of(&folder.join(TAGS));
    headers::write_down(&astrarium::classes(), &home)?;
    if is_json {
        let rows = files.iter().map(|(path, _)| Json::new().text("path", path));
        println!(
            "{}",
            Json::new()
                .text("game", name)
                .text("template", template.name)
                .text("folder", &folder.to_string_lossy())
                .list("files", rows)
                .finish()
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
