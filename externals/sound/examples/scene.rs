//! A short scene: music, an engine that flies by, shots, an explosion, and a voice that makes the music softer.
//!
//! `cargo run --release -p astrarium-sound --example scene -- FILE.wav` writes it, and without a file (and with
//! `--features device`) it is played.

#[path = "../tests/common/mod.rs"]
mod common;

use std::thread;
use std::time::{Duration, Instant};

use base::number::{TAU, exp, sin};
use base::{StringId, Vec3};
use common::*;
use sound::{HeardScene, MixerSettings, Output, OutputKind};
use view::{Frame, RunningSound};

const SECONDS: f64 = 10.0;

fn main() {
    let path = std::env::args().nth(1);
    let kind = path.as_ref().map_or(OutputKind::Device, |path| OutputKind::File(path.into()));
    let mut studio = Studio::new();
    let sounds = Sounds::add(&mut studio);
    let mut output = Output::open(&kind, MixerSettings::default()).expect("the file can be written");
    let mut frame = Frame::new(0);
    let began = Instant::now();
    for cycle in 0..=(SECONDS * 100.0) as u32 {
        let seconds = f64::from(cycle) * 0.01;
        (frame.moment.seconds, frame.moment.speed) = (seconds, 1.0);
        frame.sounds = sounds.at(seconds);
        output.hear(&HeardScene::new(&frame, &[LISTENER], &studio.content, &studio.bulk));
        output.take_reports().iter().for_each(|report| println!("{report}"));
        if path.is_none() {
            thread::sleep(Duration::from_secs_f64(seconds).saturating_sub(began.elapsed()));
            if cycle.is_multiple_of(100) {
                println!("{seconds} s: {:?}", output.status());
            }
        }
    }
    println!("{:?}", output.director().counters());
    output.close().expect("the file can be written");
}

struct Sounds {
    music: StringId,
    engine: StringId,
    shot: StringId,
    explosion: StringId,
    speech: StringId,
}

impl Sounds {
    fn add(studio: &mut Studio) -> Sounds {
        let music = Recording { channels: 2, repeat: Some((0, 192_000)), ..Recording::new(make(192_000 * 2, chord)) };
        let engine = Recording { repeat: Some((0, 48_000)), ..Recording::new(make(48_000, engine)) };
        let lines = "!set bus \"music\"\n!set fade_in 1\n!set fade_out 1\n!set volume -6";
        Sounds {
            music: studio.add("music.sound", &music.with(lines)),
            engine: studio.add("engine.sound", &engine.with("!set distance_min 4\n!set distance_max 400")),
            shot: studio.add("shot.sound", &Recording::new(make(14_400, shot)).with("!set pitch_variation 2")),
            explosion: studio.add(
                "explosion.sound",
                &Recording::new(make(96_000, explosion)).with("!set distance_min 10\n!set distance_max 500"),
            ),
            speech: studio.add("speech.sound", &Recording::new(make(72_000, speech)).with("!set bus \"speech\"")),
        }
    }

    /// What runs at a time.
    fn at(&self, seconds: f64) -> Vec<RunningSound> {
        let speed = Vec3::new(0.0, -40.0, 0.0);
        // Passes in front of the listener, from left to right, at 4 s.
        let place = Vec3::new(6.0, 0.0, 0.0) + speed * (seconds - 4.0) as f32;
        let flying = RunningSound { position: Some(place), velocity: speed, loops: true, ..running(2, self.engine) };
        let mut list = vec![RunningSound { loops: true, ..running(1, self.music) }, flying];
        for shot in 0..8_u32 {
            let started = 5.0 + f64::from(shot) * 0.15;
            let position = Some(Vec3::new(5.0, 4.0 - shot as f32, 0.0));
            let shot = RunningSound { started, position, ..running(u64::from(10 + shot), self.shot) };
            list.extend((started <= seconds && seconds < started + 0.4).then_some(shot));
        }
        let bang =
            RunningSound { started: 6.5, position: Some(Vec3::new(30.0, 10.0, 0.0)), ..running(30, self.explosion) };
        list.extend((6.5 <= seconds).then_some(bang));
        let word = RunningSound { started: 7.5, ..running(31, self.speech) };
        list.extend((7.5..9.1).contains(&seconds).then_some(word));
        list
    }
}

fn make(samples: u32, wave: impl Fn(u32) -> f32) -> Vec<i16> {
    (0..samples).map(|sample| (wave(sample) * 32_767.0) as i16).collect()
}

/// Three notes that repeat after four seconds; the channels differ in phase.
fn chord(sample: u32) -> f32 {
    let (seconds, right) = ((sample / 2) as f32 / RATE, sample % 2 == 1);
    let note = |frequency: f32, shift: f32| sin(TAU * frequency * seconds + if right { shift } else { 0.0 });
    0.2 * (note(220.0, 0.4) + note(277.25, 0.9) + note(329.75, 1.3)) * (0.8 + 0.2 * sin(TAU * 0.5 * seconds))
}

/// Harmonics of 80 Hz.
fn engine(sample: u32) -> f32 {
    let seconds = sample as f32 / RATE;
    (1..12).map(|harmonic| sin(TAU * 80.0 * harmonic as f32 * seconds) / harmonic as f32).sum::<f32>() * 0.35
}

fn noise(sample: u32) -> f32 {
    let mixed = sample.wrapping_mul(0x9E37_79B9) ^ sample.wrapping_mul(0x85EB_CA6B).rotate_left(13);
    (mixed.wrapping_mul(0xC2B2_AE35) >> 8) as f32 / 8_388_608.0 - 1.0
}

fn shot(sample: u32) -> f32 {
    let seconds = sample as f32 / RATE;
    (0.6 * noise(sample) + 0.4 * sin(TAU * (900.0 - 1500.0 * seconds) * seconds)) * exp(-18.0 * seconds)
}

fn explosion(sample: u32) -> f32 {
    let seconds = sample as f32 / RATE;
    let rumble = sin(TAU * 45.0 * seconds + 3.0 * noise(sample / 64));
    (0.5 * noise(sample / 8) + 0.5 * rumble) * exp(-2.5 * seconds)
}

fn speech(sample: u32) -> f32 {
    let seconds = sample as f32 / RATE;
    let voice = (1..20).map(|harmonic| sin(TAU * 130.0 * harmonic as f32 * seconds) / harmonic as f32).sum::<f32>();
    voice * 0.3 * (0.5 - 0.5 * syllables(seconds))
}

fn syllables(seconds: f32) -> f32 {
    sin(TAU * 4.0 * seconds + TAU / 4.0)
}
