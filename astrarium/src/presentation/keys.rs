//! The keys of the engine itself, which work in every game: one table for handling, help and the book.

use relay::device::Key;

/// What a key of the engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// Opens the menu, if neither the interface nor the controls of the game use the key.
    Menu,
    /// Shows or hides the list of keys.
    Help,
    /// Writes a picture.
    Screenshot,
    /// Stops or continues world time.
    Pause,
    /// One brush cycle back.
    Back,
    /// One brush cycle on.
    Forward,
    /// Flies a free camera, or returns to the player's.
    FreeCamera,
    /// Shows the next player's view.
    NextViewpoint,
    /// Plays the player whose view is shown, from this moment on.
    TakeOver,
    /// Covers the screen, or no longer.
    Fullscreen,
}

/// A key of the engine.
pub struct EngineKey {
    /// The key.
    pub key: Key,
    /// What it does.
    pub action: KeyAction,
    /// The same for people.
    pub about: &'static str,
}

const fn row(key: Key, action: KeyAction, about: &'static str) -> EngineKey {
    EngineKey { key, action, about }
}

/// The keys of the engine. F3, F4 and F12 are free for developer panels.
pub const KEYS: [EngineKey; 12] = [
    row(Key::F1, KeyAction::Help, "shows or hides this list"),
    row(Key::F2, KeyAction::Screenshot, "writes a picture"),
    row(Key::PrintScreen, KeyAction::Screenshot, "writes a picture"),
    row(Key::F5, KeyAction::Pause, "stops or continues time"),
    row(Key::Pause, KeyAction::Pause, "stops or continues time"),
    row(Key::F6, KeyAction::Back, "one cycle back; with shift a second"),
    row(Key::F7, KeyAction::Forward, "one cycle on; with shift a second"),
    row(Key::F8, KeyAction::FreeCamera, "a free camera: W A S D Q E, right mouse button, wheel"),
    row(Key::F9, KeyAction::NextViewpoint, "the next player's view"),
    row(Key::F10, KeyAction::TakeOver, "plays on from here as this player"),
    row(Key::F11, KeyAction::Fullscreen, "covers the screen"),
    row(Key::Escape, KeyAction::Menu, "opens the menu: save, load, settings, quit"),
];

/// What a key does; none if it is not one of the engine's.
pub fn action_of(key: Key) -> Option<KeyAction> {
    KEYS.iter().find(|row| row.key == key).map(|row| row.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_one_thing() {
        for (index, row) in KEYS.iter().enumerate() {
            assert!(KEYS[..index].iter().all(|other| other.key != row.key), "{}", row.key.name());
            assert_eq!(action_of(row.key), Some(row.action));
        }
        assert_eq!(action_of(Key::A), None);
    }
}
