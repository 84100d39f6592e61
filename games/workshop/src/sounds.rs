//! The sounds of the games, each computed from a few oscillators and noise.

use astrarium::base::number::{exp, sin};

use crate::Product;
use crate::wave::{Wave, pluck, saw, sine, triangle};

/// All sounds.
pub fn all() -> Vec<Product> {
    let mut products = Vec::new();
    let mut put = |path: String, wave: Wave, loops: bool| products.push((path, wave.file(loops)));
    for take in 1..=3u64 {
        put(format!("skirmish/data/sounds/laser_{take:02}.wav"), laser(take), false);
        put(format!("skirmish/data/sounds/hit_{take:02}.wav"), shield_hit(take), false);
        put(format!("skirmish/data/sounds/blast_{take:02}.wav"), blast(take, 1.0), false);
        put(format!("quarry/data/sounds/rock_{take:02}.wav"), rock(take), false);
        put(format!("quarry/data/sounds/wood_{take:02}.wav"), wood(take), false);
        put(format!("quarry/data/sounds/gun_{take:02}.wav"), gun(take), false);
    }
    put(String::from("skirmish/data/sounds/explosion.wav"), blast(9, 2.2), false);
    put(String::from("skirmish/data/sounds/launch.wav"), launch(), false);
    put(String::from("skirmish/data/sounds/engine.wav"), engine(52.0, 900.0), true);
    put(String::from("skirmish/data/sounds/click.wav"), click(880.0), false);
    put(
        String::from("skirmish/data/sounds/music.wav"),
        music(&[[0, 7, 12, 16], [-4, 3, 8, 12], [-7, 0, 5, 9], [-5, 2, 7, 11]]),
        true,
    );
    for take in 1..=3u64 {
        put(format!("fleet/data/sounds/laser_{take:02}.wav"), laser(take), false);
        put(format!("fleet/data/sounds/hit_{take:02}.wav"), shield_hit(take), false);
        put(format!("fleet/data/sounds/blast_{take:02}.wav"), blast(take, 1.0), false);
        put(format!("fleet/data/sounds/missile_{take:02}.wav"), missile(take), false);
    }
    put(String::from("fleet/data/sounds/explosion.wav"), blast(9, 2.2), false);
    put(String::from("fleet/data/sounds/engine.wav"), engine(52.0, 900.0), true);
    put(String::from("fleet/data/sounds/drill.wav"), engine(96.0, 2_400.0), true);
    put(String::from("fleet/data/sounds/beam.wav"), beam(), true);
    put(String::from("fleet/data/sounds/won.wav"), notes(&[523.0, 659.0, 784.0, 1046.0, 1318.0]), false);
    put(String::from("fleet/data/sounds/click.wav"), click(880.0), false);
    put(String::from("fleet/data/sounds/order.wav"), notes(&[660.0, 880.0]), false);
    put(String::from("fleet/data/sounds/ready.wav"), notes(&[523.0, 659.0, 784.0]), false);
    put(String::from("fleet/data/sounds/taken.wav"), notes(&[392.0, 523.0, 784.0, 1046.0]), false);
    put(String::from("fleet/data/sounds/lost.wav"), notes(&[523.0, 415.0, 311.0]), false);
    let calm = music(&[[0, 7, 12, 15], [-4, 3, 8, 12], [3, 7, 10, 15], [-2, 5, 10, 14]]);
    put(String::from("fleet/data/sounds/calm.wav"), calm, true);
    put(String::from("fleet/data/sounds/battle.wav"), battle(&[0, 0, -4, -2]), true);
    put(String::from("quarry/data/sounds/motor.wav"), engine(38.0, 500.0), true);
    put(String::from("quarry/data/sounds/wind.wav"), wind(), true);
    products
}

/// A falling chirp with a click.
fn laser(take: u64) -> Wave {
    let mut wave = Wave::silence(0.28);
    let top = 1_700.0 + take as f32 * 130.0;
    wave.tone(saw, |time| 190.0 + top * exp(-time / 0.045), |time| 0.35 * pluck(0.001, 0.06)(time));
    wave.tone(sine, |time| 95.0 + top * 0.5 * exp(-time / 0.05), |time| 0.6 * pluck(0.001, 0.08)(time));
    wave.noise(take, |time| 9_000.0 * exp(-time / 0.02) + 500.0, 400.0, |time| 0.8 * pluck(0.0005, 0.012)(time));
    wave.saturate(1.3)
}

/// A beam that cuts: a torn fifth, and hiss above it.
fn beam() -> Wave {
    let mut wave = Wave::silence(2.0);
    for (frequency, strength) in [(55.0, 0.5), (82.5, 0.4), (110.5, 0.3), (165.5, 0.2)] {
        wave.tone(saw, move |_| frequency, move |_| strength);
    }
    wave.noise(91, |_| 9_000.0, 1_500.0, |_| 0.5);
    wave.saturate(1.8)
}

/// A ring that glides upwards, as of glass under water.
fn shield_hit(take: u64) -> Wave {
    let mut wave = Wave::silence(0.5);
    let base = 420.0 + take as f32 * 37.0;
    for (ratio, strength) in [(1.0, 0.5), (2.76, 0.25), (5.4, 0.12)] {
        let decay = 0.16 / ratio;
        wave.tone(
            sine,
            move |time| base * ratio * (1.0 + 0.08 * time),
            move |time| strength * pluck(0.002, decay + 0.03)(time),
        );
    }
    wave.noise(take + 40, |_| 3_000.0, 700.0, |time| 0.7 * pluck(0.001, 0.03)(time));
    wave.saturate(1.1)
}

/// A blast: a crack, a body of brown noise, and a falling thud.
fn blast(take: u64, size: f32) -> Wave {
    let mut wave = Wave::silence(0.9 * size);
    wave.noise(
        take * 3 + 1,
        move |time| 200.0 + 7_000.0 * exp(-time / (0.09 * size)),
        30.0,
        move |time| 1.8 * pluck(0.002, 0.2 * size)(time),
    );
    wave.noise(take * 3 + 2, |_| 260.0, 20.0, move |time| 3.0 * pluck(0.01, 0.32 * size)(time));
    wave.tone(sine, move |time| 30.0 + 75.0 * exp(-time / 0.08), move |time| 0.9 * pluck(0.002, 0.22 * size)(time));
    wave.saturate(1.5)
}

/// A cannon: a short burst and a deep knock.
fn gun(take: u64) -> Wave {
    let mut wave = Wave::silence(0.7);
    wave.noise(take + 70, |time| 500.0 + 9_000.0 * exp(-time / 0.03), 60.0, |time| 2.0 * pluck(0.0008, 0.06)(time));
    wave.noise(take + 80, |_| 420.0, 30.0, |time| 2.2 * pluck(0.004, 0.2)(time));
    wave.tone(sine, |time| 38.0 + 110.0 * exp(-time / 0.035), |time| pluck(0.001, 0.13)(time));
    wave.saturate(1.6)
}

/// Six damped modes of a stone.
fn rock(take: u64) -> Wave {
    let mut wave = Wave::silence(0.35);
    let base = 150.0 + take as f32 * 45.0;
    for mode in 0..6 {
        let ratio = 1.0 + mode as f32 * 0.83 + sin(mode as f32 * 2.1 + take as f32) * 0.2;
        let strength = 0.5 / (1.0 + mode as f32);
        wave.tone(sine, move |_| base * ratio, move |time| strength * pluck(0.0008, 0.05 / ratio + 0.01)(time));
    }
    wave.noise(take + 20, |time| 600.0 + 5_000.0 * exp(-time / 0.012), 120.0, |time| 1.4 * pluck(0.0006, 0.03)(time));
    wave.saturate(1.4)
}

/// A crate that breaks: many small cracks.
fn wood(take: u64) -> Wave {
    let mut wave = Wave::silence(0.6);
    for crack in 0..7u64 {
        let mut one = Wave::silence(0.12);
        let base = 320.0 + ((take * 97 + crack * 131) % 400) as f32;
        one.tone(triangle, move |_| base, |time| 0.5 * pluck(0.0005, 0.018)(time));
        one.noise(take * 31 + crack, |_| 4_500.0, 500.0, |time| 1.3 * pluck(0.0005, 0.012)(time));
        let when = crack as f32 * 0.045 + ((take * 53 + crack * 29) % 30) as f32 * 0.001;
        wave.add(&one, when, 1.0 / (1.0 + crack as f32 * 0.35), false);
    }
    wave.saturate(1.3)
}

/// A fighter leaves its bay.
fn launch() -> Wave {
    let mut wave = Wave::silence(1.1);
    wave.noise(5, |time| 300.0 + 2_400.0 * time, 120.0, |time| 1.6 * pluck(0.12, 0.3)(time));
    wave.tone(saw, |time| 60.0 + 120.0 * time, |time| 0.25 * pluck(0.08, 0.3)(time));
    wave.saturate(1.2)
}

/// Three saws out of tune, and air: a bed that loops.
fn engine(base: f32, air: f32) -> Wave {
    let mut wave = Wave::silence(2.4);
    for (detune, strength) in [(1.0, 0.2), (1.007, 0.16), (0.501, 0.22)] {
        wave.tone(saw, move |_| base * detune, move |time| strength * (0.85 + 0.15 * sin(time * 3.1 * detune)));
    }
    wave.noise(12, move |_| air, 40.0, |time| 0.9 + 0.1 * sin(time * 7.0));
    wave.saturate(0.9).looped(0.4)
}

fn wind() -> Wave {
    let mut wave = Wave::silence(6.0);
    wave.noise(3, |time| 420.0 + 180.0 * sin(time * 1.3), 60.0, |time| 1.3 + 0.5 * sin(time * 0.9));
    wave.saturate(0.8).looped(1.0)
}

/// A launch: a hiss that rises and goes.
fn missile(take: u64) -> Wave {
    let mut wave = Wave::silence(0.9);
    let top = 2_600.0 + take as f32 * 300.0;
    wave.noise(take + 110, |time| 500.0 + top * time, 250.0, |time| 1.5 * pluck(0.03, 0.22)(time));
    wave.tone(saw, |time| 70.0 + 50.0 * time, |time| 0.2 * pluck(0.02, 0.2)(time));
    wave.saturate(1.2)
}

/// Soft notes, one after the other: what happened, without a word.
fn notes(pitches: &[f32]) -> Wave {
    let mut wave = Wave::silence(0.5 + 0.11 * pitches.len() as f32);
    for (number, pitch) in pitches.iter().enumerate() {
        let mut note = Wave::silence(0.5);
        note.tone(sine, |_| *pitch, |time| 0.35 * pluck(0.004, 0.12)(time));
        note.tone(sine, |_| *pitch * 2.01, |time| 0.12 * pluck(0.003, 0.07)(time));
        wave.add(&note, number as f32 * 0.11, 1.0, false);
    }
    wave
}

/// A pulse over four roots, given in semitones from A: what the calm music becomes in a fight.
fn battle(roots: &[i32; 4]) -> Wave {
    let (bar, beats) = (5.0f32, 16u32);
    let mut wave = Wave::silence(bar * roots.len() as f32);
    for (number, root) in roots.iter().enumerate() {
        let pitch = 55.0 * exp(*root as f32 / 12.0 * core::f32::consts::LN_2);
        for beat in 0..beats {
            let is_strong = beat % 4 == 0 || beat % 8 == 3;
            let strength = if is_strong { 0.42 } else { 0.2 };
            let mut hit = Wave::silence(0.6);
            hit.tone(saw, |_| pitch, |time| strength * 0.5 * pluck(0.004, 0.09)(time));
            hit.tone(sine, |time| pitch + 40.0 * exp(-time / 0.03), |time| strength * pluck(0.003, 0.12)(time));
            hit.noise(u64::from(beat) + 200, |_| 5_200.0, 2_400.0, |time| strength * 0.35 * pluck(0.001, 0.03)(time));
            wave.add(&hit, number as f32 * bar + beat as f32 * bar / beats as f32, 1.0, true);
        }
        let mut pad = Wave::silence(bar + 1.5);
        for ratio in [2.0, 3.0, 4.0, 4.757] {
            let shape = move |time: f32| if time < 0.8 { time / 0.8 } else { exp(-(time - 0.8) / 3.0) };
            pad.tone(triangle, move |_| pitch * ratio, move |time| 0.07 * shape(time));
        }
        wave.add(&pad, number as f32 * bar, 1.0, true);
    }
    wave.saturate(1.1)
}

fn click(pitch: f32) -> Wave {
    let mut wave = Wave::silence(0.09);
    wave.tone(sine, move |_| pitch, |time| 0.5 * pluck(0.001, 0.014)(time));
    wave.tone(sine, move |_| pitch * 1.5, |time| 0.3 * pluck(0.001, 0.02)(time));
    wave
}

/// Slow pads over four chords, given in semitones from A.
fn music(chords: &[[i32; 4]; 4]) -> Wave {
    let (bar, tail) = (5.0, 2.5);
    let mut wave = Wave::silence(bar * chords.len() as f32);
    for (number, chord) in chords.iter().enumerate() {
        let mut pad = Wave::silence(bar + tail);
        for (voice, note) in chord.iter().enumerate() {
            let pitch = 110.0 * exp(*note as f32 / 12.0 * core::f32::consts::LN_2);
            let shape = move |time: f32| {
                let rise = if time < 1.4 { time / 1.4 } else { 1.0 };
                let fall = if time > bar { 1.0 - (time - bar) / tail } else { 1.0 };
                rise * fall
            };
            for detune in [0.997, 1.0, 1.004] {
                pad.tone(triangle, move |_| pitch * detune, move |time| 0.05 * shape(time));
            }
            pad.tone(
                sine,
                move |_| pitch * 2.0,
                move |time| 0.03 * shape(time) * (0.6 + 0.4 * sin(time * (1.1 + voice as f32 * 0.3))),
            );
        }
        wave.add(&pad, number as f32 * bar, 1.0, true);
        let mut bass = Wave::silence(bar);
        let root = 55.0 * exp(chord[0] as f32 / 12.0 * core::f32::consts::LN_2);
        bass.tone(sine, move |_| root, |time| 0.22 * pluck(0.05, 1.6)(time));
        wave.add(&bass, number as f32 * bar, 1.0, true);
    }
    wave.saturate(1.0)
}
