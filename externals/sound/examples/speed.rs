//! Measures the time of a block: `cargo run --release -p astrarium-sound --example speed`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use base::Vec3;
use common::*;
use sound::MixerSettings;
use view::RunningSound;

const BLOCKS: usize = 400;

fn main() {
    println!("blocks of 480 frames (10 ms at 48 kHz); the median of {BLOCKS}, then the slowest of 99 %");
    for voices in [1, 16, 64, 128, 256] {
        measure(&format!("{voices} spatial voices"), voices, voices as u64, "");
    }
    measure("64 spatial voices without reverb", 64, 64, "!set reverb 0");
    measure("4,096 running sounds, 64 voices", 64, 4096, "");
}

fn measure(name: &str, voices: u32, running_sounds: u64, lines: &str) {
    let mut studio = Studio::new();
    let recording = Recording { rate: 44_100, ..Recording::new(sine(440.0, 2.0, 0.2, 44_100)) };
    let tone = studio.add("tone.sound", &recording.with("!set distance_max 500").with(lines));
    let mut stage = Stage::with(studio, MixerSettings { voices, ..MixerSettings::default() });
    stage.frame.sounds = (0..running_sounds)
        .map(|id| {
            let angle = id as f32 * 0.7;
            let place = Vec3::new(base::number::cos(angle), base::number::sin(angle), 0.0) * (3.0 + id as f32 * 0.05);
            RunningSound { position: Some(place), velocity: Vec3::X * 10.0, loops: true, ..running(id, tone) }
        })
        .collect();
    let (mut hearing, mut mixing) = (Vec::new(), Vec::new());
    let mut block = [0.0; 2 * BLOCK];
    for _ in 0..BLOCKS {
        let began = Instant::now();
        stage.hear();
        hearing.push(began.elapsed().as_secs_f64() * 1e6);
        let began = Instant::now();
        stage.mixer.mix(&mut block);
        mixing.push(began.elapsed().as_secs_f64() * 1e6);
        stage.frame.moment.seconds += 0.01;
        for sound in &mut stage.frame.sounds {
            sound.position = sound.position.map(|place| place + sound.velocity * 0.01);
        }
    }
    let playing = stage.mixer.director.counters().voices;
    let show = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        format!("{:7.1} µs {:7.1} µs", times[BLOCKS / 2], times[BLOCKS * 99 / 100])
    };
    println!("{name:36} ({playing:3} heard)  mix {}   hear {}", show(&mut mixing), show(&mut hearing));
}
