//! What does an artist's file hold?
//!
//! An importer turns the bytes of a file of another program (an image, a sound, a scene) into products: the fields of
//! tags as LScript, and their bulk data as parts. [`importer::Importer`] is one row of the table in [`importers`].
//!
//! Never: reads or writes a file by itself (the caller hands over bytes); knows a tag tree; keeps state between imports (a caller
//! may hand over a [`result_cache`], which changes no result).
//!
//! Laws
//! 1. The same bytes and options give the same products, on every machine and with any number of threads. Exceptions are
//!    the last bits of lossy formats whose decoders use the platform's sine and power: Vorbis, MP3, OpenEXR with DWA.
//! 2. Any bytes give products or an [`error::ImportError`]; memory and time are bounded by [`limits`]. A defect of a
//!    codec that breaks this law ends a worker process, not the tool.
//! 3. Products contain nothing about this machine: no absolute path, no time, no user.

pub mod limits;

pub mod error;

pub mod product;

pub mod options;

pub mod result_cache;

pub mod importer;

mod codec;

pub mod lscript;

pub mod numbered;

#[cfg(test)]
mod trial;

pub mod scene;

pub mod collision;

pub mod animation;

pub mod bitmap;
pub mod font;
pub mod model;
pub mod sound;
pub mod strings;

pub mod picture;

pub mod importers;

pub use error::ImportError;
pub use importer::{Importer, Source};
pub use options::{OptionRow, Options};
pub use product::{Part, Product, Warning};
