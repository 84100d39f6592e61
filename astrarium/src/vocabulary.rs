//! The classes of tags that every game knows.

use tags::{Classes, Series, Tag, TagId, Text};
use world::Scenario;

/// The folder of the tags, in the folder of a game or of a mod.
pub const TAGS: &str = "tags";

/// The classes of worlds, media and interfaces, and those of mods.
#[must_use]
pub fn classes() -> Classes {
    gui::classes::add_to(world::classes()).with::<ModTag>().with::<ModsTag>().with::<Situation>()
}

/// A level that begins again and again while one edits: a cast (its placements) and the inputs of its players, or a stretch of a film.
#[derive(Tag)]
#[tag(class = "situation", not_recoverable)]
#[repr(C)]
pub struct Situation {
    #[tag(base)]
    scenario: Scenario,
    /// After this many brush cycles it begins again.
    #[tag(unit = "cycles", range(5, 1000000), default = 500)]
    pub cycles: u32,
    /// The players' inputs, a line each, as `play --inputs` reads them; cycles count from its beginning. Without any, robots play.
    pub inputs: Series<Text>,
    /// A film, by its path from the game's folder: then the situation is the part of it from `first` on, with the inputs of the film and
    /// the tags of today.
    pub film: Text,
    /// The cycle of the film with which it begins.
    #[tag(unit = "cycles", range(0, 1000000000), default = 0)]
    pub first: u32,
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
