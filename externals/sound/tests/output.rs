//! Outputs: a file in world time, and a thread without a device.

mod common;

use std::path::PathBuf;

use base::Vec3;
use common::*;
use sound::{HeardScene, MixerSettings, Output, OutputKind};
use view::{Frame, RunningSound};

struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("astrarium_sound_{}_{name}.wav", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// The samples of a file.
fn read(path: &PathBuf) -> Vec<f32> {
    let bytes = std::fs::read(path).expect("it works in a test");
    assert_eq!((&bytes[..4], &bytes[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
    let data = u32::from_le_bytes(bytes[40..44].try_into().expect("it works in a test")) as usize;
    assert_eq!(bytes.len(), 44 + data);
    bytes[44..].as_chunks::<2>().0.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32_767.0).collect()
}

fn render(name: &str, speed: f32, is_slow: bool) -> Vec<f32> {
    let file = Temporary::new(name);
    let mut studio = Studio::new();
    let tone = studio.add("tone.sound", &Recording::new(sine(440.0, 3.0, 0.5, 48_000)).with("!set reverb 0"));
    if is_slow {
        *studio.bulk.asks.lock().expect("it works in a test") = Some(std::collections::BTreeMap::new());
    }
    let mut output =
        Output::open(&OutputKind::File(file.0.clone()), MixerSettings::default()).expect("it works in a test");
    let mut frame = Frame::new(0);
    for cycle in 0..=100 {
        frame.moment.seconds = f64::from(cycle) * 0.01;
        frame.moment.speed = speed;
        frame.sounds = vec![RunningSound { started: 0.25, ..running(1, tone) }];
        output.hear(&HeardScene::new(&frame, &[LISTENER], &studio.content, &studio.bulk));
    }
    assert!(output.take_reports().is_empty());
    output.close().expect("it works in a test");
    read(&file.0)
}

#[test]
fn a_file_has_the_world_time_and_the_same_samples_in_every_run() {
    let first = render("first", 1.0, false);
    assert_eq!(first.len(), 2 * 48_000);
    assert_eq!(first, render("fast", 16.0, false), "however fast the world runs");
    assert_eq!(first, render("slow", 1.0, true), "however slowly samples are read");
    let left: Vec<f32> = first.iter().step_by(2).copied().collect();
    assert_eq!(peak(&left[..12_000]), 0.0);
    assert!(peak(&left[12_064..12_500]) > 0.3, "it begins in its block");
    assert!((frequency(&left[14_400..]) - 440.0).abs() < 0.1);
}

#[test]
fn a_paused_world_writes_nothing_and_a_seek_no_gap() {
    let file = Temporary::new("seek");
    let studio = Studio::new();
    let mut output =
        Output::open(&OutputKind::File(file.0.clone()), MixerSettings::default()).expect("it works in a test");
    let mut frame = Frame::new(0);
    for (seconds, epoch) in [(0.0, 0), (0.5, 0), (0.5, 0), (100.0, 1), (100.5, 1), (3.0, 2), (f64::NAN, 2), (3.5, 2)] {
        (frame.moment.seconds, frame.moment.epoch) = (seconds, epoch);
        output.hear(&HeardScene::new(&frame, &[], &studio.content, &studio.bulk));
    }
    output.close().expect("it works in a test");
    assert_eq!(read(&file.0).len(), 2 * 48_000);
}

#[test]
fn a_file_that_cannot_be_created_is_an_error() {
    let kind = OutputKind::File("/nowhere/at/all.wav".into());
    assert!(Output::open(&kind, MixerSettings::default()).is_err());
}

#[test]
fn a_thread_without_a_device_starts_hears_and_ends() {
    let mut studio = Studio::new();
    let tone = studio.add("tone.sound", &Recording::new(sine(440.0, 1.0, 0.5, 48_000)));
    let mut output = Output::open(&OutputKind::Null, MixerSettings::default()).expect("it works in a test");
    let mut frame = Frame::new(0);
    frame.moment.speed = 1.0;
    frame.sounds = vec![RunningSound { position: Some(Vec3::X), loops: true, ..running(1, tone) }];
    for _ in 0..10 {
        output.hear(&HeardScene::new(&frame, &[LISTENER], &studio.content, &studio.bulk));
    }
    assert_eq!(output.director().counters().voices, 1);
    assert!(output.take_reports().is_empty());
    output.close().expect("it works in a test");
}
