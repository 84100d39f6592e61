//! The menu of the engine itself: resume, save, load, settings, keys, quit; and its panel at the end of the last level.
//!
//! It is an interface like those of games, with content of its own, so that it works in every game. A game that has an interface
//! at [`GAME_MENU`] replaces it.

use std::sync::Arc;

use base::StringId;
use gui::{Answer, Gui, Mapping, Surroundings};
use tags::library::Ready;
use tags::{Classes, Key, Library, TagPath};

/// The path of the interface with which a game replaces the menu.
pub const GAME_MENU: StringId = StringId::new("interfaces/pause.interface");

/// The path of the engine's own, in its own content.
const OWN_MENU: &str = "engine/pause.interface";
const OWN_TEXT: &str = include_str!("menu/pause.interface");
const OWN_OVER: &str = "engine/over.interface";
const OVER_TEXT: &str = include_str!("menu/over.interface");

/// The message that interfaces get at the end of the last level, with its result: their handler is `OnOver`.
pub const OVER: StringId = StringId::new("over");

/// The engine's menu.
pub struct Menu {
    content: Library,
    /// Its interface.
    pub gui: Gui,
}

impl Default for Menu {
    fn default() -> Menu {
        let classes = Arc::new(gui::classes::add_to(view::classes::add_to(Classes::new())));
        let mut content = Library::with_classes(Arc::clone(&classes));
        for (path, text) in [(OWN_MENU, OWN_TEXT), (OWN_OVER, OVER_TEXT)] {
            if let (Some(class), Ok(path)) = (classes.get("interface"), TagPath::new(path)) {
                let packed = Arc::new(class.pack_text(text).packed);
                content.apply([Ready { path, key: Key([0; 32]), packed }]);
            }
        }
        Menu { content, gui: Gui::new(0) }
    }
}

impl Menu {
    /// Whether it is open, or the panel at the end.
    pub fn is_open(&self) -> bool {
        self.gui.is_open(StringId::new(OWN_MENU)) || self.gui.is_open(StringId::new(OWN_OVER))
    }

    /// Opens the panel at the end of the last level.
    pub fn open_over(&mut self, result: &str, around: &mut Surroundings<'_>) {
        self.with(around, |gui, around| {
            gui.open(StringId::new(OWN_OVER), around);
            gui.send(OVER, &[Answer::Words(result.to_string())], around);
        });
    }

    /// Closes it.
    pub fn close_over(&mut self, around: &mut Surroundings<'_>) {
        self.with(around, |gui, around| gui.close(StringId::new(OWN_OVER), around));
    }

    /// Opens it.
    pub fn open(&mut self, around: &mut Surroundings<'_>) {
        self.with(around, |gui, around| gui.open(StringId::new(OWN_MENU), around));
    }

    /// Closes it.
    pub fn close(&mut self, around: &mut Surroundings<'_>) {
        self.with(around, |gui, around| gui.close(StringId::new(OWN_MENU), around));
    }

    /// Does something with its interface and its own content.
    pub fn with<T>(
        &mut self,
        around: &mut Surroundings<'_>,
        work: impl FnOnce(&mut Gui, &mut Surroundings<'_>) -> T,
    ) -> T {
        let mut own = Surroundings {
            content: &self.content,
            measure: &mut *around.measure,
            texts: around.texts,
            clipboard: &mut *around.clipboard,
        };
        work(&mut self.gui, &mut own)
    }
}

/// A text of the menu in a language: English where there is no other. A game's own text of the same id counts more.
pub fn text(id: StringId, language: &str) -> Option<&'static str> {
    let row = TEXTS.iter().find(|row| StringId::new(row.0) == id)?;
    Some(if language == "de" || language.starts_with("de-") { row.2 } else { row.1 })
}

/// Gives the actions that move cameras titles, if the game gives them none.
pub fn name_camera_actions(mapping: &mut Mapping, names: &[&str]) {
    for action in mapping.actions.iter_mut().filter(|action| action.title.is_empty()) {
        if names.contains(&action.text.as_str()) {
            action.title = format!("engine.{}", action.text);
        }
    }
}

/// The texts of the menu: id, English, German.
const TEXTS: [(&str, &str, &str); 53] = [
    ("engine.menu", "Paused", "Pause"),
    ("engine.over", "The game is over", "Das Spiel ist zu Ende"),
    ("engine.resume", "Resume", "Weiter"),
    ("engine.save", "Save", "Speichern"),
    ("engine.load", "Load", "Laden"),
    ("engine.restart", "Restart", "Neu beginnen"),
    ("engine.settings", "Settings", "Einstellungen"),
    ("engine.quit", "Quit", "Beenden"),
    ("engine.picture", "Picture", "Bild"),
    ("engine.fullscreen", "Full screen", "Ganzer Bildschirm"),
    ("engine.monitor", "Monitor", "Bildschirm"),
    ("engine.vsync", "Wait for the screen", "Auf den Bildschirm warten"),
    ("engine.fov", "Angle of view (0: the game's)", "Blickwinkel (0: der des Spiels)"),
    ("engine.resolution", "Size of the window", "Größe des Fensters"),
    ("engine.quality", "Quality", "Qualität"),
    ("engine.low", "Low", "Niedrig"),
    ("engine.medium", "Medium", "Mittel"),
    ("engine.high", "High", "Hoch"),
    ("engine.ultra", "Ultra", "Höchste"),
    ("engine.render_scale", "Resolution of the world", "Auflösung der Welt"),
    ("engine.brightness", "Brightness", "Helligkeit"),
    ("engine.colour_vision", "Colours for", "Farben für"),
    ("engine.usual", "All eyes", "Alle Augen"),
    ("engine.protanopia", "Protanopia", "Protanopie"),
    ("engine.deuteranopia", "Deuteranopia", "Deuteranopie"),
    ("engine.tritanopia", "Tritanopia", "Tritanopie"),
    ("engine.greys", "Greys", "Graustufen"),
    ("engine.flash", "Flashes", "Blitze"),
    ("engine.sound", "Sound", "Ton"),
    ("engine.master", "Everything", "Alles"),
    ("engine.music", "Music", "Musik"),
    ("engine.effects", "Effects", "Effekte"),
    ("engine.access", "Access", "Zugang"),
    ("engine.scale", "Size of the interface", "Größe der Oberfläche"),
    ("engine.text_scale", "Size of text", "Größe der Schrift"),
    ("engine.shake", "Camera shake", "Wackeln der Kamera"),
    ("engine.toggles", "Press once instead of holding", "Einmal drücken statt halten"),
    ("engine.mouse", "Mouse", "Maus"),
    ("engine.inverted", "Reverse up and down", "Oben und unten vertauschen"),
    ("engine.language", "Language", "Sprache"),
    ("engine.keys", "Keys", "Tasten"),
    ("engine.no_keys", "This game has no controls", "Dieses Spiel hat keine Steuerung"),
    ("engine.reset_keys", "The game's own keys", "Tasten des Spiels"),
    ("engine.back", "Back", "Zurück"),
    ("engine.camera_look_x", "Look left and right", "Nach links und rechts sehen"),
    ("engine.camera_look_y", "Look up and down", "Nach oben und unten sehen"),
    ("engine.camera_turn_x", "Turn the camera", "Kamera drehen"),
    ("engine.camera_turn_y", "Tilt the camera", "Kamera neigen"),
    ("engine.camera_forward", "Camera ahead and back", "Kamera vor und zurück"),
    ("engine.camera_left", "Camera left and right", "Kamera nach links und rechts"),
    ("engine.camera_up", "Camera up and down", "Kamera auf und ab"),
    ("engine.camera_zoom", "Camera nearer and farther", "Kamera näher und ferner"),
    ("engine.camera_hurry", "Faster camera", "Schnellere Kamera"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_has_no_mistakes_and_all_its_texts() {
        let classes = gui::classes::add_to(view::classes::add_to(Classes::new()));
        for own in [OWN_TEXT, OVER_TEXT] {
            let made = classes.get("interface").unwrap().pack_text(own);
            assert_eq!(made.reports, []);
            for part in own.split("string \"").skip(1) {
                let id = part.split('"').next().unwrap();
                assert!(text(StringId::from(id), "en").is_some(), "{id}");
                assert!(text(StringId::from(id), "de-AT").is_some(), "{id}");
            }
        }
    }
}
