//! The null device: it takes samples in real time and discards them, so that everything else goes on as with a real one.

use std::thread;
use std::time::{Duration, Instant};

use crate::device::{Device, DeviceError};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};

/// The most it catches up after a pause of the thread, in frames.
const BEHIND_MAX: u64 = SAMPLE_RATE as u64 / 5;

/// Discards samples in real time.
#[derive(Debug)]
pub struct NullDevice {
    began: Instant,
    taken: u64,
}

impl Default for NullDevice {
    fn default() -> NullDevice {
        NullDevice { began: Instant::now(), taken: 0 }
    }
}

impl NullDevice {
    /// The frames that it takes when so much time has gone by since it began.
    fn due(&mut self, gone: Duration) -> usize {
        let frames = (gone.as_nanos() * u128::from(SAMPLE_RATE) / 1_000_000_000) as u64;
        if frames.saturating_sub(self.taken) > BEHIND_MAX {
            self.taken = frames - BEHIND_MAX;
        }
        let due = frames.saturating_sub(self.taken);
        if due >= BLOCK_FRAMES as u64 { BLOCK_FRAMES } else { 0 }
    }
}

impl Device for NullDevice {
    fn name(&self) -> String {
        "none".to_string()
    }

    fn wait(&mut self) -> Result<usize, DeviceError> {
        let due = self.due(self.began.elapsed());
        if due == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(due)
    }

    fn write(&mut self, samples: &[f32]) -> Result<(), DeviceError> {
        self.taken += samples.len() as u64 / 2;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_as_many_samples_as_time_goes_by() {
        let mut device = NullDevice::default();
        let mut taken = 0;
        for milliseconds in 0..=1000 {
            let due = device.due(Duration::from_millis(milliseconds));
            device.write(&vec![0.0; due * 2]).unwrap();
            taken += due;
        }
        assert_eq!(taken, 48_000);
    }

    #[test]
    fn it_does_not_catch_up_with_a_long_pause() {
        let mut device = NullDevice::default();
        let mut taken = 0;
        while device.due(Duration::from_secs(100)) > 0 {
            device.write(&[0.0; BLOCK_FRAMES * 2]).unwrap();
            taken += BLOCK_FRAMES;
        }
        assert_eq!(taken, 9_600);
    }
}
