//! Output into a file in world time: as many samples as world time goes by, however fast the world runs.

use std::path::Path;
use std::thread;
use std::time::Duration;

use view::Frame;

use crate::device::wave::WaveFile;
use crate::device::{Device, DeviceError};
use crate::director::Director;
use crate::engine::Engine;
use crate::limits::SAMPLE_RATE;

/// The most that one frame of the view moves on, in seconds; a seek is no time that goes by.
const STEP_MAX_SECONDS: f64 = 10.0;

/// How many times samples are asked for, a millisecond apart.
const ASKS_MAX: u32 = 5_000;

/// The frames that are mixed at a time.
const CHUNK_FRAMES: usize = 4_800;

/// Writes a file in world time.
#[derive(Debug)]
pub struct FileRender {
    engine: Engine,
    file: WaveFile,
    /// The epoch and the time up to which samples were written.
    last: Option<(u32, f64)>,
    /// The part of a frame that is due.
    due: f64,
    chunk: Vec<f32>,
}

impl FileRender {
    /// Creates the file.
    pub fn create(path: &Path, engine: Engine) -> Result<FileRender, DeviceError> {
        let file = WaveFile::create(path)?;
        Ok(FileRender { engine, file, last: None, due: 0.0, chunk: vec![0.0; 2 * CHUNK_FRAMES] })
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.file.name()
    }

    /// Writes the samples between the last frame of the view and this one.
    pub fn advance(&mut self, frame: &Frame, ahead: f32) -> Result<(), DeviceError> {
        let now = frame.moment.seconds + f64::from(ahead);
        let last = self.last.replace((frame.moment.epoch, now));
        let gone = last.filter(|(epoch, _)| *epoch == frame.moment.epoch).map_or(0.0, |(_, last)| now - last);
        // Also false for what is no number.
        if gone > 0.0 && gone <= STEP_MAX_SECONDS {
            self.due += gone * f64::from(SAMPLE_RATE);
        }
        // A thousandth of a frame too little is rounding.
        let mut frames = (self.due + 1e-3) as usize;
        self.due -= frames as f64;
        while frames > 0 {
            let count = frames.min(CHUNK_FRAMES);
            let chunk = &mut self.chunk[..2 * count];
            self.engine.mix(chunk);
            self.file.write(chunk)?;
            frames -= count;
        }
        Ok(())
    }

    /// Hears until all samples are there. False if they did not come in time.
    pub fn hear_all(&self, director: &mut Director, mut hear: impl FnMut(&mut Director)) -> bool {
        for _ in 0..ASKS_MAX {
            hear(director);
            if !director.is_waiting() {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        director.set_patient(false);
        hear(director);
        director.set_patient(true);
        false
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), DeviceError> {
        self.file.finish()
    }
}
