//! Devices: where samples go.

pub mod null;
#[cfg(all(unix, not(target_vendor = "apple"), feature = "device"))]
mod pulse;
#[cfg(all(any(windows, target_vendor = "apple"), feature = "device"))]
mod system;
pub mod wave;

use std::fmt;
use std::io;

#[cfg(all(unix, not(target_vendor = "apple"), feature = "device"))]
use pulse::PulseDevice as Loudspeakers;
#[cfg(all(any(windows, target_vendor = "apple"), feature = "device"))]
use system::SystemDevice as Loudspeakers;

/// Something that takes samples at its own pace.
pub trait Device: Send {
    /// Its name, for a person.
    fn name(&self) -> String;

    /// Waits until it takes frames, some milliseconds at most, and returns how many it takes now: 0 if none yet.
    ///
    /// # Errors
    /// If it is gone.
    fn wait(&mut self) -> Result<usize, DeviceError>;

    /// Takes interleaved stereo samples, at most as many frames as it said.
    ///
    /// # Errors
    /// If it is gone.
    fn write(&mut self, samples: &[f32]) -> Result<(), DeviceError>;

    /// The time from writing a sample until it is heard, in seconds, as far as it is known.
    fn latency(&self) -> f32 {
        0.0
    }

    /// How many times it ran out of samples.
    fn underruns(&self) -> u64 {
        0
    }
}

/// Why a device does not work.
#[derive(Debug)]
pub enum DeviceError {
    /// There is none on this machine, or none that this build can use.
    None(&'static str),
    /// It is no longer there.
    Gone,
    /// It did not answer.
    Silent,
    /// It refused, in its own words.
    Refused(String),
    /// A file cannot be written.
    File(io::Error),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::None(why) => write!(formatter, "there is no sound device: {why}"),
            DeviceError::Gone => write!(formatter, "the sound device is gone"),
            DeviceError::Silent => write!(formatter, "the sound server does not answer"),
            DeviceError::Refused(why) => write!(formatter, "the sound server refused: {why}"),
            DeviceError::File(error) => write!(formatter, "the sound file cannot be written: {error}"),
        }
    }
}

impl std::error::Error for DeviceError {}

impl From<io::Error> for DeviceError {
    fn from(error: io::Error) -> DeviceError {
        DeviceError::File(error)
    }
}

/// Opens the loudspeakers of this machine. May take as long as a sound server takes to answer.
///
/// # Errors
/// If there are none, or this build cannot use them.
#[cfg(all(any(unix, windows), feature = "device"))]
pub fn open_loudspeakers() -> Result<Box<dyn Device>, DeviceError> {
    Ok(Box::new(Loudspeakers::open()?))
}

/// Opens the loudspeakers of this machine: not in this build.
///
/// # Errors
/// Always.
#[cfg(not(all(any(unix, windows), feature = "device")))]
pub fn open_loudspeakers() -> Result<Box<dyn Device>, DeviceError> {
    Err(DeviceError::None("this build has no support for devices"))
}
