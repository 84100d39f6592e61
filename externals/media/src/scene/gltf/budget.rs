//! How much a file may unfold to.
//!
//! A few bytes of JSON can name the same accessor again and again. So the corners of all triangles, and the samples of
//! all curves, are limited in proportion to the bytes of the files.

use crate::error::ImportError;
use crate::limits::{CORNERS_FREE, CORNERS_MAX, CORNERS_PER_BYTE, CURVE_SAMPLES_MAX, DECODED_BYTES_MAX};

/// What may still be unfolded.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    corners: u64,
    bytes: u64,
    samples: u64,
}

impl Budget {
    /// For files of this many bytes in all.
    pub fn new(bytes: u64) -> Budget {
        let limit = bytes.saturating_mul(CORNERS_PER_BYTE).saturating_add(CORNERS_FREE);
        Budget { limit: limit.min(CORNERS_MAX), corners: 0, bytes: 0, samples: 0 }
    }

    /// Takes corners of triangles.
    pub fn take_corners(&mut self, count: usize) -> Result<(), ImportError> {
        self.corners = self.corners.saturating_add(count as u64);
        check("corners of triangles", self.corners, self.limit)
    }

    /// Takes bytes of decoded vertices.
    pub fn take_bytes(&mut self, bytes: u64) -> Result<(), ImportError> {
        self.bytes = self.bytes.saturating_add(bytes);
        check("bytes of vertices", self.bytes, DECODED_BYTES_MAX)
    }

    /// Takes keys of curves, or matrices.
    pub fn take_samples(&mut self, count: usize) -> Result<(), ImportError> {
        self.samples = self.samples.saturating_add(count as u64);
        check("keys of curves", self.samples, self.limit.min(CURVE_SAMPLES_MAX))
    }
}

fn check(what: &'static str, found: u64, limit: u64) -> Result<(), ImportError> {
    if found > limit { Err(ImportError::TooLarge { what, found, limit }) } else { Ok(()) }
}
