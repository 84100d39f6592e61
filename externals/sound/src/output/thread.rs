//! The mixing thread: it owns the engine and the device. A device that goes is replaced by none, and looked for again.

use std::io;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::device::null::NullDevice;
use crate::device::{Device, DeviceError, open_loudspeakers};
use crate::engine::Engine;
use crate::limits::{BLOCK_FRAMES, REPORTS_MAX};
use crate::output::DeviceStatus;

/// The time between two attempts to find a device.
const RETRY: Duration = Duration::from_secs(2);

/// A thread that mixes.
#[derive(Debug)]
pub struct MixingThread {
    shared: Arc<ThreadShared>,
    handle: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct ThreadShared {
    is_over: AtomicBool,
    /// Written only when the device changes, never while it plays.
    device: Mutex<DeviceNews>,
    latency: AtomicU32,
    underruns: AtomicU64,
    block_microseconds: AtomicU32,
}

#[derive(Debug, Default)]
struct DeviceNews {
    name: String,
    reports: Vec<String>,
}

impl MixingThread {
    /// Starts it, with the loudspeakers or without.
    pub fn start(engine: Engine, wants_loudspeakers: bool) -> io::Result<MixingThread> {
        let shared = Arc::new(ThreadShared::default());
        let own = Arc::clone(&shared);
        let run = move || Mixing::new(engine, own, wants_loudspeakers).run();
        let handle = Builder::new().name("mixing".to_string()).spawn(run)?;
        Ok(MixingThread { shared, handle: Some(handle) })
    }

    /// What a panel shows.
    pub fn status(&self) -> DeviceStatus {
        let shared = &self.shared;
        DeviceStatus {
            name: shared.news(|news| news.name.clone()),
            latency: f32::from_bits(shared.latency.load(Ordering::Relaxed)),
            underruns: shared.underruns.load(Ordering::Relaxed),
            block_microseconds: f32::from_bits(shared.block_microseconds.load(Ordering::Relaxed)),
        }
    }

    /// What is wrong with the device.
    pub fn take_reports(&self) -> Vec<String> {
        self.shared.news(|news| mem::take(&mut news.reports))
    }
}

impl Drop for MixingThread {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        if let Some(handle) = self.handle.take() {
            handle.thread().unpark();
            // A panic of the mixing thread was printed by itself.
            drop(handle.join());
        }
    }
}

impl ThreadShared {
    fn news<T>(&self, read: impl FnOnce(&mut DeviceNews) -> T) -> T {
        read(&mut self.device.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the thread owns.
struct Mixing {
    engine: Engine,
    shared: Arc<ThreadShared>,
    device: Box<dyn Device>,
    /// When a device is looked for; none if there is one, or none is wanted.
    retry: Option<Instant>,
    wants_loudspeakers: bool,
    has_failed: bool,
    samples: [f32; 2 * BLOCK_FRAMES],
}

impl Mixing {
    fn new(engine: Engine, shared: Arc<ThreadShared>, wants_loudspeakers: bool) -> Mixing {
        Mixing {
            engine,
            shared,
            device: Box::new(NullDevice::default()),
            retry: wants_loudspeakers.then(Instant::now),
            wants_loudspeakers,
            has_failed: false,
            samples: [0.0; 2 * BLOCK_FRAMES],
        }
    }

    fn run(mut self) {
        self.announce();
        while !self.shared.is_over.load(Ordering::Acquire) {
            if self.retry.is_some_and(|retry| Instant::now() >= retry) {
                self.look_for_device();
            }
            if let Err(error) = self.play() {
                self.lose_device(&error);
            }
        }
    }

    /// Mixes what the device takes.
    fn play(&mut self) -> Result<(), DeviceError> {
        let frames = self.device.wait()?.min(BLOCK_FRAMES);
        if frames == 0 {
            return Ok(());
        }
        let began = Instant::now();
        let samples = &mut self.samples[..2 * frames];
        self.engine.mix(samples);
        let microseconds = began.elapsed().as_secs_f32() * 1e6;
        self.device.write(samples)?;
        let shared = &self.shared;
        let before = f32::from_bits(shared.block_microseconds.load(Ordering::Relaxed));
        let smooth = before + (microseconds - before) * 0.05;
        shared.block_microseconds.store(smooth.to_bits(), Ordering::Relaxed);
        shared.latency.store(self.device.latency().to_bits(), Ordering::Relaxed);
        shared.underruns.store(self.device.underruns(), Ordering::Relaxed);
        Ok(())
    }

    fn look_for_device(&mut self) {
        match open_loudspeakers() {
            Ok(device) => {
                self.device = device;
                (self.retry, self.has_failed) = (None, false);
                self.announce();
            }
            Err(error) => {
                // Said once, not every two seconds.
                if !mem::replace(&mut self.has_failed, true) {
                    self.report(error.to_string());
                }
                self.retry = Some(Instant::now() + RETRY);
            }
        }
    }

    fn lose_device(&mut self, error: &DeviceError) {
        self.report(format!("{}: {error}", self.device.name()));
        self.device = Box::new(NullDevice::default());
        self.retry = self.wants_loudspeakers.then(|| Instant::now() + RETRY);
        self.announce();
    }

    fn announce(&self) {
        let name = self.device.name();
        self.shared.news(|news| news.name = name);
    }

    fn report(&self, text: String) {
        self.shared.news(|news| {
            if news.reports.len() < REPORTS_MAX {
                news.reports.push(text);
            }
        });
    }
}
