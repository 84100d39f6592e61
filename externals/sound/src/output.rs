//! The output: a director, and a thread that plays, or a file that is written in world time. The one thing that a program opens.

mod thread;
mod world_time;

use std::path::PathBuf;

use crate::device::DeviceError;
use crate::director::{Director, HeardScene, MixerSettings};
use crate::mixer::Mixer;
use thread::MixingThread;
use world_time::FileRender;

/// Where sound goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// To the loudspeakers; nowhere while there are none.
    Device,
    /// Nowhere, but in real time.
    Null,
    /// Into a WAV file, in world time: the same samples in every run.
    File(PathBuf),
}

/// What a panel shows of the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceStatus {
    /// The name of the device.
    pub name: String,
    /// The time until a sample is heard, in seconds.
    pub latency: f32,
    /// How many times the device ran out of samples.
    pub underruns: u64,
    /// The time that mixing a block of 10 ms took lately, in microseconds.
    pub block_microseconds: f32,
}

/// Plays what frames list.
#[derive(Debug)]
pub struct Output {
    director: Director,
    drive: Drive,
    reports: Vec<String>,
}

#[derive(Debug)]
enum Drive {
    Thread(MixingThread),
    File(Box<FileRender>),
    /// The file cannot be written any more.
    Broken(DeviceError),
    /// There are no threads on this machine.
    Silent,
}

impl Output {
    /// Opens it. Never waits: a device is opened by its own thread, and what is wrong with it is reported.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn open(kind: &OutputKind, settings: MixerSettings) -> Result<Output, DeviceError> {
        let (mut director, engine) = Mixer::new(settings).split();
        let mut reports = Vec::new();
        let drive = match kind {
            OutputKind::File(path) => {
                director.set_patient(true);
                director.set_own_speed(true);
                Drive::File(Box::new(FileRender::create(path, engine)?))
            }
            OutputKind::Device | OutputKind::Null => match MixingThread::start(engine, *kind == OutputKind::Device) {
                Ok(thread) => Drive::Thread(thread),
                Err(error) => {
                    reports.push(format!("there is no sound: no thread can be started: {error}"));
                    Drive::Silent
                }
            },
        };
        Ok(Output { director, drive, reports })
    }

    /// The director: settings, volumes, mix, occluder and counters.
    pub fn director(&mut self) -> &mut Director {
        &mut self.director
    }

    /// Hears a frame, `ahead` seconds of world time after its moment: see [`Director::hear`]. With a file, the samples up to
    /// this moment are written, and samples that are not there yet are waited for.
    pub fn hear(&mut self, scene: &HeardScene<'_>) {
        match &mut self.drive {
            Drive::Thread(_) => self.director.hear(scene),
            Drive::File(file) => {
                if let Err(error) = file.advance(scene.frame, scene.ahead) {
                    self.reports.push(error.to_string());
                    self.drive = Drive::Broken(error);
                    return;
                }
                let hear = |director: &mut Director| director.hear(scene);
                if !file.hear_all(&mut self.director, hear) {
                    self.reports.push("samples were not read in time: there is silence instead".to_string());
                }
            }
            Drive::Broken(_) | Drive::Silent => {}
        }
    }

    /// The device.
    #[must_use]
    pub fn status(&self) -> DeviceStatus {
        match &self.drive {
            Drive::Thread(thread) => thread.status(),
            Drive::File(file) => DeviceStatus { name: file.name(), ..DeviceStatus::default() },
            Drive::Broken(_) | Drive::Silent => DeviceStatus { name: "none".to_string(), ..DeviceStatus::default() },
        }
    }

    /// What is wrong with content or the device, since this was last asked.
    pub fn take_reports(&mut self) -> Vec<String> {
        let mut reports = std::mem::take(&mut self.reports);
        if let Drive::Thread(thread) = &self.drive {
            reports.extend(thread.take_reports());
        }
        reports.extend(self.director.take_reports());
        reports
    }

    /// Ends it: a file is completed.
    ///
    /// # Errors
    /// If the file cannot be written, or could not while it was heard.
    pub fn close(self) -> Result<(), DeviceError> {
        match self.drive {
            Drive::File(file) => file.finish(),
            Drive::Broken(error) => Err(error),
            Drive::Thread(_) | Drive::Silent => Ok(()),
        }
    }
}
