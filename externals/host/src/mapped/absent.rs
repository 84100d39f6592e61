//! No mappings: this machine has none.

use std::convert::Infallible;
use std::io;
use std::path::Path;

use crate::files::FileError;

/// Cannot be constructed.
#[derive(Debug)]
pub(super) struct Mapping(Infallible);

impl Mapping {
    pub(super) fn create<R>(path: &Path, _: u64, _: impl FnOnce(&mut [u8]) -> R) -> Result<(Mapping, R), FileError> {
        Mapping::open(path).map(|mapping| match mapping.0 {})
    }

    pub(super) fn open(path: &Path) -> Result<Mapping, FileError> {
        let cause = io::Error::new(io::ErrorKind::Unsupported, "files cannot be mapped on this machine");
        Err(FileError::when("mapping it", path)(cause))
    }

    pub(super) fn is_whole(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self.0 {}
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self.0 {}
    }

    pub(super) fn flush(&self) -> Result<(), FileError> {
        match self.0 {}
    }
}
