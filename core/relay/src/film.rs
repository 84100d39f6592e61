//! The film: everything that happened to a world, in a file that only grows.
//!
//! A film is *strips*, one after the other and nothing else. A strip is a head of 72 bytes and a body:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `ASTRFILM` |
//! | 8..10 | format, now 1 |
//! | 10..12 | what kind of strip it is, see [`Kind`] |
//! | 12..14 | the take it belongs to, from 0 |
//! | 14..16 | zero |
//! | 16..20 | its number; they grow from strip to strip |
//! | 20..24 | the length of the body |
//! | 24..32 | the film it belongs to, a number drawn when it was begun |
//! | 32..40 | the brush cycle it begins with |
//! | 40..48 | the brush cycle it ends before |
//! | 48..56 | the hash of the world at the cycle it begins with |
//! | 56..64 | checksum of the body |
//! | 64..72 | checksum of all before |
//!
//! All numbers are little-endian; checksums are XXH3-64. A *take* is a run of cycles without a break, with one plan: it begins
//! with an [`Opening`] and a whole block. The body of each kind is told where it is written and read, below.
//!
//! Laws
//! 1. A film only grows, and each strip is whole by itself: what was written before a power cut is readable after it.
//! 2. Any bytes give an index ([`Reel`]) or a clear error, in memory that the bytes justify. What is damaged is named by its place
//!    and left out; nothing that a checksum does not vouch for is used.
//! 3. Inputs carry the hash of the world before each safe cycle, and keyframes that of their own: a replay that went another
//!    way is noticed at the next safe cycle.
//! 4. A film holds the content it was played with. What is kept by a key is embedded once.
//! 5. A kind that is not known is passed over: anybody may add to a film, in tracks or in kinds of their own.

pub mod limits;

pub mod squeeze;

pub mod patch;

pub mod strip;

pub mod source;

pub mod content;
pub mod ending;
pub mod inputs;
pub mod keyframe;
pub mod opening;
pub mod track;

pub mod reel;

pub mod writer;

pub use content::{ContentList, Tag};
pub use ending::Ending;
pub use keyframe::Keyframe;
pub use opening::{Opening, Parent, Reason};
pub use reel::{Place, Reel, Take, Trouble};
pub use source::Source;
pub use strip::{HEAD_BYTES, Head, Kind, Stamp};
pub use track::Item;
pub use writer::FilmWriter;
