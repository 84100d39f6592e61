//! What are our numbers, bytes and handles?
//!
//! The deterministic ground: float arithmetic, hashes, random generators, byte and bit encodings, compression, and
//! plain data.
//!
//! Never: calls a platform function whose result is platform-dependent; holds state; knows what a world is.
//!
//! Laws
//! 1. The same arguments give the same bits: in every build, on every processor we build for.
//! 2. Floats use `+ - * / sqrt`, in the order written; everything else comes from one software library behind
//!    [`number`].
//! 3. Any bytes decode to a value or to a clear error, with memory proportional to the bytes.
#![no_std]

extern crate alloc;
extern crate self as base;

pub mod number;
pub mod plain;
pub mod vector;

pub mod matrix;
pub mod quaternion;

pub mod bytes;
pub mod compression;
pub mod hash;

pub mod bits;
pub mod random;
pub mod string_id;

pub mod handle;

pub use base_derive::build_identity;
pub use handle::Handle;
pub use matrix::Mat3;
pub use plain::{Enum, Plain, PlainEnum, Truth};
pub use quaternion::Quat;
pub use random::{Draw, Pcg, Random};
pub use string_id::StringId;
pub use vector::{Vec2, Vec3, Vec4};
