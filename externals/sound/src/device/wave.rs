//! The file device: it writes a WAV file of 16-bit stereo samples.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use base::number;

use crate::device::{Device, DeviceError};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

/// The bytes before the samples.
const HEAD_BYTES: u32 = 44;

/// The most bytes of samples: a WAV file counts in 32 bits. About six hours.
const DATA_BYTES_MAX: u32 = u32::MAX - HEAD_BYTES - 4 * BLOCK_FRAMES as u32;

/// After so many bytes the sizes in the head are brought up to date, so that a file that was not finished can be played: 1 s.
const MEND_BYTES: u32 = SAMPLE_RATE * 4;

/// Writes a WAV file.
#[derive(Debug)]
pub struct WaveFile {
    path: PathBuf,
    file: BufWriter<File>,
    data_bytes: u32,
    mended_bytes: u32,
}

impl WaveFile {
    /// Creates the file, or replaces it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path) -> Result<WaveFile, DeviceError> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&head(0))?;
        Ok(WaveFile { path: path.to_path_buf(), file, data_bytes: 0, mended_bytes: 0 })
    }

    /// The frames that were written.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.data_bytes / 4
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&head(self.data_bytes))?;
        self.file.seek(SeekFrom::Start(u64::from(HEAD_BYTES) + u64::from(self.data_bytes)))?;
        self.file.flush()?;
        self.mended_bytes = self.data_bytes;
        Ok(())
    }
}

impl Device for WaveFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn wait(&mut self) -> Result<usize, DeviceError> {
        Ok(BLOCK_FRAMES)
    }

    fn write(&mut self, samples: &[f32]) -> Result<(), DeviceError> {
        for frame in samples.chunks_exact(2) {
            if self.data_bytes >= DATA_BYTES_MAX {
                return Err(DeviceError::Refused("a WAV file has at most 4 GB".to_string()));
            }
            for sample in frame {
                // Casts saturate, and what is no number becomes 0.
                let quantised = number::round(*sample * 32_767.0) as i16;
                self.file.write_all(&quantised.to_le_bytes())?;
            }
            self.data_bytes += 4;
        }
        if self.data_bytes - self.mended_bytes >= MEND_BYTES {
            self.finish()?;
        }
        Ok(())
    }
}

impl Drop for WaveFile {
    fn drop(&mut self) {
        // A failure was reported by the last write, or concerns the last second only.
        drop(self.finish());
    }
}

/// The head of a file with so many bytes of samples.
fn head(data_bytes: u32) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD_BYTES as usize);
    head.extend(b"RIFF");
    head.extend((data_bytes + HEAD_BYTES - 8).to_le_bytes());
    head.extend(b"WAVEfmt ");
    head.extend(16_u32.to_le_bytes());
    // PCM, two channels.
    head.extend(1_u16.to_le_bytes());
    head.extend(2_u16.to_le_bytes());
    head.extend(SAMPLE_RATE.to_le_bytes());
    head.extend((SAMPLE_RATE * 4).to_le_bytes());
    head.extend(4_u16.to_le_bytes());
    head.extend(16_u16.to_le_bytes());
    head.extend(b"data");
    head.extend(data_bytes.to_le_bytes());
    head
}
