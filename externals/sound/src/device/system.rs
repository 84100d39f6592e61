//! The loudspeakers of Windows and macOS: WASAPI and Core Audio, by cpal.
//!
//! The system calls back for samples on a thread of its own, which only copies from a ring. If the default device runs at another
//! rate than the mixer and does not convert itself, or has other channels, that is done while copying.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, ErrorKind, SampleFormat, StreamConfig};

use crate::device::{Device, DeviceError};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};
use crate::ring::Ring;

/// How far the ring is filled, in frames.
const FILL: usize = 30 * SAMPLE_RATE as usize / 1000;

/// How often the default device is asked for: another one may have been plugged in.
const ASK: Duration = Duration::from_secs(2);

/// A stream to the default device.
pub struct SystemDevice {
    name: String,
    id: Option<cpal::DeviceId>,
    shared: Arc<Shared>,
    asked: Instant,
    /// Ends when it is dropped.
    _stream: cpal::Stream,
}

struct Shared {
    ring: Ring,
    is_gone: AtomicBool,
    underruns: AtomicU64,
    mixing: Thread,
}

impl SystemDevice {
    /// Opens the default device. To be called on the mixing thread, which is woken when samples are needed.
    pub fn open() -> Result<SystemDevice, DeviceError> {
        let device = cpal::default_host().default_output_device();
        let device = device.ok_or(DeviceError::None("nothing is plugged in"))?;
        let usual = device.default_output_config().map_err(refusal)?;
        if usual.sample_format() != SampleFormat::F32 {
            return Err(DeviceError::Refused(format!("it takes {} samples, not f32", usual.sample_format())));
        }
        let config = StreamConfig {
            channels: usual.channels(),
            sample_rate: usual.sample_rate(),
            buffer_size: BufferSize::Default,
        };
        let shared = Arc::new(Shared {
            ring: Ring::new(2 * (FILL + 2 * BLOCK_FRAMES)),
            is_gone: AtomicBool::new(false),
            underruns: AtomicU64::new(0),
            mixing: thread::current(),
        });
        let mut feeder = Feeder::new(Arc::clone(&shared), config.channels, config.sample_rate);
        let failing = Arc::clone(&shared);
        let stream = device.build_output_stream(
            config,
            move |out: &mut [f32], _: &cpal::OutputCallbackInfo| feeder.fill(out),
            move |error: cpal::Error| {
                // A buffer that ran dry, or a thread without priority, is no end.
                if matches!(
                    error.kind(),
                    ErrorKind::DeviceNotAvailable | ErrorKind::StreamInvalidated | ErrorKind::DeviceChanged
                ) {
                    failing.is_gone.store(true, Ordering::Release);
                    failing.mixing.unpark();
                }
            },
            Some(ANSWER),
        );
        let stream = stream.map_err(refusal)?;
        stream.play().map_err(refusal)?;
        Ok(SystemDevice {
            name: device.to_string(),
            id: device.id().ok(),
            shared,
            asked: Instant::now(),
            _stream: stream,
        })
    }

    /// Whether the default device is another one now. Asked now and then.
    fn is_replaced(&mut self) -> bool {
        if self.asked.elapsed() < ASK {
            return false;
        }
        self.asked = Instant::now();
        let now = cpal::default_host().default_output_device();
        now.and_then(|device| device.id().ok()) != self.id
    }
}

/// How long the system may take to open a stream.
const ANSWER: Duration = Duration::from_secs(3);

impl Device for SystemDevice {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn wait(&mut self) -> Result<usize, DeviceError> {
        for is_last in [false, true] {
            if self.shared.is_gone.load(Ordering::Acquire) || self.is_replaced() {
                return Err(DeviceError::Gone);
            }
            if self.shared.ring.filled() < 2 * FILL {
                return Ok(BLOCK_FRAMES);
            }
            if !is_last {
                thread::park_timeout(Duration::from_millis(5));
            }
        }
        Ok(0)
    }

    fn write(&mut self, samples: &[f32]) -> Result<(), DeviceError> {
        self.shared.ring.write(samples);
        Ok(())
    }

    fn latency(&self) -> f32 {
        FILL as f32 / SAMPLE_RATE as f32
    }

    fn underruns(&self) -> u64 {
        self.shared.underruns.load(Ordering::Relaxed)
    }
}

fn refusal(error: cpal::Error) -> DeviceError {
    match error.kind() {
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable => DeviceError::None("nothing is plugged in"),
        _ => DeviceError::Refused(error.to_string()),
    }
}

/// Copies from the ring, converting channels and the rate.
struct Feeder {
    shared: Arc<Shared>,
    channels: usize,
    resampler: Resampler,
    has_begun: bool,
}

impl Feeder {
    fn new(shared: Arc<Shared>, channels: u16, rate: u32) -> Feeder {
        Feeder { shared, channels: usize::from(channels).max(1), resampler: Resampler::new(rate), has_begun: false }
    }

    fn fill(&mut self, out: &mut [f32]) {
        let mut is_dry = false;
        for frame in out.chunks_mut(self.channels) {
            let ring = &self.shared.ring;
            let next = || {
                let mut pair = [0.0; 2];
                (ring.read(|index, sample| pair[index] = sample, 2) == 2).then_some(pair)
            };
            let [left, right] = self.resampler.next(next).unwrap_or_else(|| {
                is_dry = true;
                [0.0; 2]
            });
            match frame {
                [only] => *only = (left + right) * 0.5,
                [first, second, rest @ ..] => {
                    (*first, *second) = (left, right);
                    rest.fill(0.0);
                }
                [] => {}
            }
        }
        // The first requests come before anything was mixed.
        if is_dry && self.has_begun {
            self.shared.underruns.fetch_add(1, Ordering::Relaxed);
        }
        self.has_begun |= !is_dry;
        self.shared.mixing.unpark();
    }
}

/// From the rate of the mixer to another one, by lines between samples. At the same rate, samples are passed on as they are.
struct Resampler {
    step: f64,
    /// From 0 to 1 between the last two frames.
    place: f64,
    frames: [[f32; 2]; 2],
}

impl Resampler {
    fn new(rate: u32) -> Resampler {
        Resampler { step: f64::from(SAMPLE_RATE) / f64::from(rate.max(1)), place: 1.0, frames: [[0.0; 2]; 2] }
    }

    /// The next frame; none if there are no more samples.
    fn next(&mut self, mut frame: impl FnMut() -> Option<[f32; 2]>) -> Option<[f32; 2]> {
        if self.step == 1.0 {
            return frame();
        }
        while self.place >= 1.0 {
            self.frames = [self.frames[1], frame()?];
            self.place -= 1.0;
        }
        let part = self.place as f32;
        let [before, after] = self.frames;
        self.place += self.step;
        Some([0, 1].map(|side| before[side] + (after[side] - before[side]) * part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_rate_keeps_the_pitch() {
        // A second of a ramp at the mixer's rate is a second at the device's.
        for rate in [44_100, 48_000, 96_000] {
            let mut resampler = Resampler::new(rate);
            let mut taken = 0_u32;
            let mut made = 0_u32;
            while resampler
                .next(|| {
                    taken += 1;
                    (taken <= SAMPLE_RATE).then_some([taken as f32, 0.0])
                })
                .is_some()
            {
                made += 1;
            }
            assert!(made.abs_diff(rate) <= 2, "{made} frames at {rate}");
        }
    }

    #[test]
    fn channels_are_filled_and_a_dry_ring_is_silence() {
        let shared = Arc::new(Shared {
            ring: Ring::new(1000),
            is_gone: AtomicBool::new(false),
            underruns: AtomicU64::new(0),
            mixing: thread::current(),
        });
        let mut six = Feeder::new(Arc::clone(&shared), 6, SAMPLE_RATE);
        shared.ring.write(&[0.5, -0.5]);
        let mut out = [1.0; 12];
        six.fill(&mut out[..6]);
        assert_eq!(out[..6], [0.5, -0.5, 0.0, 0.0, 0.0, 0.0]);
        six.fill(&mut out[6..]);
        assert_eq!((&out[6..], shared.underruns.load(Ordering::Relaxed)), (&[0.0; 6][..], 1));
        let mut mono = Feeder::new(Arc::clone(&shared), 1, SAMPLE_RATE);
        shared.ring.write(&[0.5, 0.25]);
        mono.fill(&mut out[..1]);
        assert_eq!(out[0], 0.375);
    }
}
