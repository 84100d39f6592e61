//! The classes of tags that every game knows.

use tags::{Classes, Series, Tag, TagId, Text};

/// The folder of the tags, in the folder of a game or of a mod.
pub const TAGS: &str = "tags";

/// The classes of worlds, media and interfaces, and those of mods.
#[must_use]
pub fn classes() -> Classes {
    gui::classes::add_to(world::classes()).with::<ModTag>().with::<ModsTag>()
}

/// What a mod is called. It lies in the folder of the mod, as `mod.mod`.
#[derive(Tag)]
#[tag(class = "mod")]
#[repr(C)]
pub struct ModTag {
    /// Its name, in saves, films, crash reports and messages: 1 to 48 letters, digits, `-` and `_`. Without one: that of its folder.
    pub name: Text,
    /// Its version, as `1.2`, for people.
    pub version: Text,
    /// What it does, for people.
    pub about: Text,
}

/// The mods of a game: `mods.mods`.
#[derive(Tag)]
#[tag(class = "mods", not_recoverable)]
#[repr(C)]
pub struct ModsTag {
    /// The folders of mods, in the folder `mods` beside the game's `tags`, the lowest first.
    pub folders: Series<Text>,
    /// The mods in force, each with its version and its hash. The engine writes this, in a tag of its own.
    #[tag(hidden)]
    pub loaded: Series<Text>,
}

/// The mods that a game declares.
pub const DECLARED_MODS: TagId<ModsTag> = TagId::at("mods.mods");

/// The mods in force, which the engine lists.
pub const LOADED_MODS: TagId<ModsTag> = TagId::at("mods/loaded.mods");
