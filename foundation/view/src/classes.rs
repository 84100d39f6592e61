//! The classes of media tags: what importers make of artists' files, and what renderers and mixers read.
//!
//! Every media class has its `source` (where it came from) and the imported fields; the fields that only people set come
//! last. An importer never writes a field that people set, so a new import keeps them. The bytes (texels, samples,
//! outlines) are parts of the bulk data in `data`, to which the fields refer by index.

pub mod source;

pub mod bitmap;
pub mod font;
pub mod sound;

pub mod material;

pub mod model;

pub mod animation;

pub mod animation_graph;

pub mod effect;

pub mod strings;

#[cfg(test)]
mod tests;

pub use bitmap::Bitmap;
pub use font::Font;
pub use sound::Sound;
pub use source::SourceRecord;
