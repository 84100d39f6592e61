//! A ring of samples from one thread to another, without locks: the mixing thread writes, the thread of a device reads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A ring of samples for one writer and one reader.
///
/// Laws
/// 1. Every sample is read once, in the order of writing.
/// 2. Neither side waits: what does not fit is not written, what is not there is not read.
#[derive(Debug)]
pub struct Ring {
    /// The bits of floats.
    samples: Vec<AtomicU32>,
    /// The numbers of samples ever written and ever read.
    written: AtomicU64,
    read: AtomicU64,
}

impl Ring {
    /// Of this many samples.
    #[must_use]
    pub fn new(samples: usize) -> Ring {
        let samples = (0..samples.max(1)).map(|_| AtomicU32::new(0)).collect();
        Ring { samples, written: AtomicU64::new(0), read: AtomicU64::new(0) }
    }

    /// The number of samples that can be read.
    #[must_use]
    pub fn filled(&self) -> usize {
        let read = self.read.load(Ordering::Acquire);
        self.written.load(Ordering::Acquire).saturating_sub(read) as usize
    }

    /// Writes as many samples as fit, and returns their number. For the writer only.
    pub fn write(&self, samples: &[f32]) -> usize {
        let written = self.written.load(Ordering::Relaxed);
        let filled = written.saturating_sub(self.read.load(Ordering::Acquire)) as usize;
        let count = samples.len().min(self.samples.len() - filled.min(self.samples.len()));
        for (offset, sample) in samples[..count].iter().enumerate() {
            let place = ((written + offset as u64) % self.samples.len() as u64) as usize;
            self.samples[place].store(sample.to_bits(), Ordering::Relaxed);
        }
        // The samples before their number: the reader sees them when it sees the number.
        self.written.store(written + count as u64, Ordering::Release);
        count
    }

    /// Reads as many samples as there are, and returns their number. For the reader only.
    pub fn read(&self, mut put: impl FnMut(usize, f32), count: usize) -> usize {
        let read = self.read.load(Ordering::Relaxed);
        let filled = self.written.load(Ordering::Acquire).saturating_sub(read) as usize;
        let count = count.min(filled);
        for offset in 0..count {
            let place = ((read + offset as u64) % self.samples.len() as u64) as usize;
            put(offset, f32::from_bits(self.samples[place].load(Ordering::Relaxed)));
        }
        self.read.store(read + count as u64, Ordering::Release);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_out_in_order_and_no_more_than_went_in() {
        let ring = Ring::new(10);
        assert_eq!(ring.write(&[1.0; 7]), 7);
        assert_eq!(ring.write(&[2.0; 7]), 3);
        let mut out = Vec::new();
        assert_eq!(ring.read(|_, sample| out.push(sample), 8), 8);
        assert_eq!(out, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]);
        assert_eq!((ring.filled(), ring.read(|_, _| {}, 8)), (2, 2));
    }

    #[test]
    fn two_threads_share_it() {
        let ring = Ring::new(64);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut next = 0;
                while next < 2_000 {
                    next += ring.write(&[next as f32]);
                    std::thread::yield_now();
                }
            });
            let mut expected = 0.0;
            while expected < 2_000.0 {
                ring.read(
                    |_, sample| {
                        assert_eq!(sample, expected);
                        expected += 1.0;
                    },
                    17,
                );
                std::thread::yield_now();
            }
        });
    }
}
