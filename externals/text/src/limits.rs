//! How large things may be.

/// The default language of a folder that names none.
pub const DEFAULT_LANGUAGE: &str = "en";

/// Languages, at most.
pub const LANGUAGES_MAX: usize = 256;

/// Sources of all languages together, at most.
pub const SOURCES_MAX: usize = 10_000;

/// The bytes of all sources together, at most.
pub const SOURCES_BYTES_MAX: usize = 1 << 26;

/// The bytes of one source, at most.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// The bytes of one entry, at most.
pub const ENTRY_BYTES_MAX: usize = 1 << 14;

/// How deep brackets may lie in brackets within an entry.
pub const NESTING_MAX: usize = 8;

/// How many `{ … }` one text may need, those of the messages and terms in it included. Fluent stops there.
pub const PLACEABLES_MAX: u32 = 100;

/// The digits of a number written in an entry, at most.
pub const NUMBER_DIGITS_MAX: usize = 15;

/// The digits after the point that a number is shown with, unless its entry asks for others.
pub const FRACTION_DIGITS: usize = 3;

/// The digits after the point that an entry may ask for.
pub const FRACTION_DIGITS_MAX: usize = 15;

/// The reports that are kept, at most.
pub const REPORTS_MAX: usize = 10_000;

/// The letters of an id, at most.
pub const ID_BYTES_MAX: usize = 200;

const _: () = assert!(PLACEABLES_MAX <= 100, "Fluent gives up at 100");
const _: () = assert!(NUMBER_DIGITS_MAX <= 18 && FRACTION_DIGITS_MAX <= 18, "plurals are found with 64 bits");
