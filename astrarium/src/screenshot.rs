//! Pictures on disk.

use std::error;
use std::fmt;
use std::path::Path;

use host::files::{self, FileError};
use render::Pixels;
use render::files::{FileError as EncodeError, write_png};

/// Why a picture was not written.
#[derive(Debug)]
pub enum ScreenshotError {
    /// The file.
    File(FileError),
    /// The picture itself.
    Encode(EncodeError),
}

impl fmt::Display for ScreenshotError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScreenshotError::File(error) => error.fmt(out),
            ScreenshotError::Encode(error) => error.fmt(out),
        }
    }
}

impl error::Error for ScreenshotError {}

impl From<FileError> for ScreenshotError {
    fn from(error: FileError) -> ScreenshotError {
        ScreenshotError::File(error)
    }
}

/// The bytes of a PNG file.
pub fn encode(pixels: &Pixels) -> Result<Vec<u8>, ScreenshotError> {
    let mut bytes = Vec::new();
    write_png(&mut bytes, pixels).map_err(ScreenshotError::Encode)?;
    Ok(bytes)
}

/// Writes a picture as PNG; a file that is there is replaced, whole or not at all. The folder is made if it is missing.
pub fn write(path: &Path, pixels: &Pixels) -> Result<(), ScreenshotError> {
    let bytes = encode(pixels)?;
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(Ok(()), files::make_folder)?;
    Ok(files::write_atomically(path, &[&bytes])?)
}
