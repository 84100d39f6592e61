//! The README and the chapters of the book, so that their examples are compiled and run with the tests.

#[doc = include_str!("../../README.md")]
struct Readme;

#[doc = include_str!("../../docs/book/src/first-game.md")]
struct FirstGame;

#[doc = include_str!("../../docs/book/src/world.md")]
struct World;

#[doc = include_str!("../../docs/book/src/physics.md")]
struct Physics;

#[doc = include_str!("../../docs/book/src/ways.md")]
struct Ways;

#[doc = include_str!("../../docs/book/src/world-classes.md")]
struct WorldClasses;

#[doc = include_str!("../../docs/book/src/interfaces.md")]
struct Interfaces;

#[doc = include_str!("../../docs/book/src/window.md")]
struct PlayingInAWindow;

#[doc = include_str!("../../docs/book/src/first-world.md")]
struct FirstWorld;

#[doc = include_str!("../../docs/book/src/block.md")]
struct Block;

#[doc = include_str!("../../docs/book/src/handles.md")]
struct Handles;

#[doc = include_str!("../../docs/book/src/cycles.md")]
struct Cycles;

#[doc = include_str!("../../docs/book/src/time.md")]
struct Time;

#[doc = include_str!("../../docs/book/src/network.md")]
struct Network;

#[doc = include_str!("../../docs/book/src/saves.md")]
struct Saves;

#[doc = include_str!("../../docs/book/src/films.md")]
struct Films;

#[doc = include_str!("../../docs/book/src/differences.md")]
struct Differences;

#[doc = include_str!("../../docs/book/src/proof.md")]
struct ProofChapter;

#[doc = include_str!("../../docs/book/src/readers.md")]
struct ReadersChapter;

#[doc = include_str!("../../docs/book/src/language.md")]
struct Language;

#[doc = include_str!("../../docs/book/src/grammar.md")]
struct Grammar;

#[doc = include_str!("../../docs/book/src/objects.md")]
struct Objects;

#[doc = include_str!("../../docs/book/src/caching.md")]
struct Caching;

#[doc = include_str!("../../docs/book/src/tags.md")]
struct Tags;

#[doc = include_str!("../../docs/book/src/living.md")]
struct Living;

#[doc = include_str!("../../docs/book/src/tag-tools.md")]
struct TagTools;

#[doc = include_str!("../../docs/book/src/mods.md")]
struct Mods;

#[doc = include_str!("../../docs/book/src/importing.md")]
struct Importing;

#[doc = include_str!("../../docs/book/src/scene-files.md")]
struct SceneFiles;

#[doc = include_str!("../../docs/book/src/texts.md")]
struct Texts;

#[doc = include_str!("../../docs/book/src/commands.md")]
struct Commands;

#[doc = include_str!("../../docs/book/src/formats.md")]
struct Formats;

#[doc = include_str!("../../docs/book/src/packed.md")]
struct Packed;

#[doc = include_str!("../../docs/book/src/bytecode.md")]
struct Bytecode;
