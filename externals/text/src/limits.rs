//! All limits of texts.

/// The default language of a folder that names none.
pub const DEFAULT_LANGUAGE: &str = "en";

/// The most languages.
pub const LANGUAGES_MAX: usize = 256;

/// The most sources of all languages together.
pub const SOURCES_MAX: usize = 10_000;

/// The most bytes of all sources together.
pub const SOURCES_BYTES_MAX: usize = 1 << 26;

/// The most bytes of one source.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// The most bytes of one entry.
pub const ENTRY_BYTES_MAX: usize = 1 << 14;

/// The deepest nesting of brackets in an entry.
pub const NESTING_MAX: usize = 8;

/// The most placeables `{ … }` of one text, including those of the messages and terms in it. Fluent stops there.
pub const PLACEABLES_MAX: u32 = 100;

/// The most digits of a number in an entry.
pub const NUMBER_DIGITS_MAX: usize = 15;

/// The default number of digits after the decimal point.
pub const FRACTION_DIGITS: usize = 3;

/// The most digits after the decimal point that an entry may ask for.
pub const FRACTION_DIGITS_MAX: usize = 15;

/// The most reports kept.
pub const REPORTS_MAX: usize = 10_000;

/// The most letters of an id.
pub const ID_BYTES_MAX: usize = 200;

const _: () = assert!(PLACEABLES_MAX <= 100, "Fluent stops at 100");
const _: () = assert!(NUMBER_DIGITS_MAX <= 18 && FRACTION_DIGITS_MAX <= 18, "plural operands have 64 bits");
