//! Reads FBX, by the library ufbx.
//!
//! It is written in C, so it is not part of builds for WebAssembly; there FBX is reported as not supported. It computes
//! rotations by the platform's sine, in double precision; what is kept is rounded to single precision, in which the
//! platforms' differences vanish.

#[cfg(not(target_family = "wasm"))]
mod convert;

use super::Scene;
use crate::error::ImportError;
use crate::importer::Source;

/// Reads the scene of a file.
#[cfg(not(target_family = "wasm"))]
pub fn read(source: &Source<'_>) -> Result<Scene, ImportError> {
    convert::read(source)
}

/// Reports that FBX is not supported in this build.
#[cfg(target_family = "wasm")]
pub fn read(_: &Source<'_>) -> Result<Scene, ImportError> {
    let message = "FBX in a build for WebAssembly; export glTF, or import it with another build";
    Err(ImportError::Unsupported(message.into()))
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests;
