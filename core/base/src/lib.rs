//! What are our numbers, bytes and handles?
//!
//! Everything that must be the same on every machine begins here: how a float is rounded, how a text becomes a number,
//! what a random draw gives, which bytes a value is.
//!
//! Never: asks the platform for a result it may answer in its own way; holds state; knows what a world is.
//!
//! Laws
//! 1. The same arguments give the same bits: in every build, on every processor we build for.
//! 2. Floats know `+ - * / sqrt`, in the order written; everything else comes from one software library behind [`number`].
//! 3. A reader given any bytes answers with a value or a clear error, and takes no more memory than the bytes justify.
#![no_std]

extern crate alloc;
extern crate self as base;

pub mod number;
pub mod plain;
pub mod vector;

pub mod matrix;
pub mod quaternion;
pub mod transform;

pub mod bytes;
pub mod hash;

pub mod bits;
pub mod random;
pub mod string_id;

pub mod handle;

pub use handle::Handle;
pub use matrix::{Mat3, Mat4};
pub use plain::{Plain, Truth};
pub use quaternion::Quat;
pub use random::{Draw, Pcg, Random};
pub use string_id::StringId;
pub use transform::{Motion, Transform};
pub use vector::{Vec2, Vec3, Vec4};
