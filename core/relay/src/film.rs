//! The film: everything that happened to a world, in a file that only grows.
//!
//! A film is a sequence of *chunks*. A chunk is a head of 72 bytes and a body:
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `ASTRFILM` |
//! | 8..10 | format, now 1 |
//! | 10..12 | the kind of the chunk, see [`Kind`] |
//! | 12..14 | the take it belongs to, from 0 |
//! | 14..16 | zero |
//! | 16..20 | its number, ascending |
//! | 20..24 | the length of the body |
//! | 24..32 | the film it belongs to, a random number |
//! | 32..40 | the brush cycle it begins with |
//! | 40..48 | the brush cycle it ends before |
//! | 48..56 | the hash of the world at the cycle it begins with |
//! | 56..64 | checksum of the body |
//! | 64..72 | checksum of all before |
//!
//! All numbers are little-endian; checksums are XXH3-64. A *take* is a gapless run of cycles with one plan: it begins
//! with an [`Opening`] and a whole block. The body of each kind is documented with its encoder, below.
//!
//! Laws
//! 1. A film is append-only, and each chunk is self-contained: everything written before a power cut is readable after
//!    it.
//! 2. Any bytes give an index ([`FilmIndex`]) or a clear error, with memory proportional to the bytes. Damaged parts
//!    are reported with their offset and skipped; nothing without a valid checksum is used.
//! 3. Inputs have the hash of the world before each safe cycle, and keyframes that of their block: a replay that
//!    diverges is detected at the next safe cycle.
//! 4. A film contains the content it was played with, each version of a tag once.
//! 5. Unknown kinds are skipped: extensions are possible in tracks or in new kinds.

pub mod limits;

pub mod compression;

pub mod patch;

pub mod chunk;

pub mod source;

pub mod content;
pub mod ending;
pub mod inputs;
pub mod keyframe;
pub mod opening;
pub mod track;

pub mod index;

pub mod writer;

pub use chunk::{HEAD_BYTES, Head, Kind, Stamp};
pub use content::{ContentList, Tag};
pub use ending::Ending;
pub use index::{FilmIndex, Place, Take, Trouble};
pub use keyframe::Keyframe;
pub use opening::{Opening, Parent, Reason};
pub use source::Source;
pub use track::Item;
pub use writer::FilmWriter;
