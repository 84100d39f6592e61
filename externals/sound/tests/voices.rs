//! What is heard of single sounds: measured samples.

mod common;

use base::Vec3;
use common::*;
use sound::{MixerSettings, SpeedPolicy};

/// The latency of the limiter.
const LATE: usize = 64;

fn stage_with_tone(frequency: f32, seconds: f32) -> (Stage, view::RunningSound) {
    let mut studio = Studio::new();
    let recording = Recording::new(sine(frequency, seconds, 0.5, 48_000)).with("!set reverb 0");
    let tone = studio.add("tone.sound", &recording);
    (Stage::new(studio), running(1, tone))
}

#[test]
fn a_tone_has_its_frequency_and_level() {
    for rate in [22_050, 44_100, 48_000, 96_000] {
        let mut studio = Studio::new();
        let recording =
            Recording { rate, part_frames: rate as usize / 2, ..Recording::new(sine(440.0, 2.0, 0.5, rate)) };
        let tone = studio.add("tone.sound", &recording.with("!set reverb 0"));
        let mut stage = Stage::new(studio);
        stage.frame.sounds = vec![running(1, tone)];
        let [left, right] = stage.play(100);
        assert_eq!(left, right);
        let found = frequency(&left[4800..]);
        assert!((found - 440.0).abs() < 0.1, "{rate}: {found} Hz");
        // In the middle both ears get the same power: 3 dB less each.
        let level = goertzel(&left[4800..28_800], 440.0);
        assert!((level - 0.5 * std::f32::consts::FRAC_1_SQRT_2).abs() < 0.002, "{rate}: {level}");
        assert_eq!(stage.mixer.director.counters().starved_frames, 0);
    }
}

#[test]
fn stereo_without_a_place_keeps_its_channels() {
    let mut studio = Studio::new();
    let (low, high) = (sine(300.0, 1.0, 0.4, 48_000), sine(900.0, 1.0, 0.2, 48_000));
    let both = low.iter().zip(&high).flat_map(|(low, high)| [*low, *high]).collect();
    let recording = Recording { channels: 2, ..Recording::new(both) };
    let music = studio.add("music.sound", &recording.with("!set reverb 0"));
    let mut stage = Stage::new(studio);
    stage.frame.sounds = vec![running(1, music)];
    let [left, right] = stage.play(60);
    assert!((goertzel(&left[480..24_480], 300.0) - 0.4).abs() < 0.005);
    assert!(goertzel(&left[480..24_480], 900.0) < 0.005);
    assert!((goertzel(&right[480..24_480], 900.0) - 0.2).abs() < 0.005);
}

#[test]
fn a_sound_on_the_left_is_louder_there_and_muffled_on_the_right() {
    let mut studio = Studio::new();
    let low = studio.add("low.sound", &Recording::new(sine(200.0, 1.0, 0.5, 48_000)).with("!set reverb 0"));
    let high = studio.add("high.sound", &Recording::new(sine(8000.0, 1.0, 0.5, 48_000)).with("!set reverb 0"));
    let mut ratios = Vec::new();
    for (tone, frequency) in [(low, 200.0), (high, 8000.0)] {
        let mut stage = Stage::new(std::mem::replace(&mut studio, Studio::new()));
        stage.frame.sounds = vec![view::RunningSound { position: Some(Vec3::Y * 2.0), ..running(1, tone) }];
        let [left, right] = stage.play(60);
        ratios.push(goertzel(&left[4800..24_000], frequency) / goertzel(&right[4800..24_000], frequency));
        studio = stage.studio;
    }
    assert!((10.0..16.0).contains(&ratios[0]), "{ratios:?}");
    assert!(ratios[1] > 2.5 * ratios[0], "the head is in the way: {ratios:?}");
}

#[test]
fn a_sound_is_softer_far_away_and_not_heard_beyond() {
    let (mut stage, tone) = stage_with_tone(440.0, 4.0);
    let mut levels = Vec::new();
    for metres in [0.5, 2.0, 10.0, 49.0, 51.0] {
        stage.frame.sounds = vec![view::RunningSound { position: Some(Vec3::X * metres), ..tone }];
        let [left, _] = stage.play(30);
        levels.push(goertzel(&left[7_200..14_400], 440.0) / (0.5 * std::f32::consts::FRAC_1_SQRT_2));
    }
    assert!((levels[0] - 1.0).abs() < 0.01, "{levels:?}");
    assert!((levels[1] - (0.5 - 0.02) / 0.98).abs() < 0.01, "{levels:?}");
    assert!((levels[2] - (0.1 - 0.02) / 0.98).abs() < 0.01, "{levels:?}");
    assert!(levels[3] < 0.001 && levels[4] == 0.0, "{levels:?}");
}

#[test]
fn what_passes_by_is_higher_before_and_lower_after() {
    let (mut stage, tone) = stage_with_tone(1000.0, 6.0);
    let speed = Vec3::X * -34.3;
    stage.frame.sounds = vec![view::RunningSound { position: Some(Vec3::X * 40.0), velocity: speed, ..tone }];
    let [left, _] = stage.play(230);
    let before = frequency(&left[9_600..24_000]);
    let after = frequency(&left[81_600..100_000]);
    assert!((before / 1000.0 - 1.0 / 0.9).abs() < 0.003, "{before}");
    assert!((after / 1000.0 - 1.0 / 1.1).abs() < 0.003, "{after}");
}

#[test]
fn starting_stopping_and_seeking_make_no_clicks() {
    let (mut stage, mut tone) = stage_with_tone(440.0, 5.0);
    // The greatest step of the tone itself, and what a fade of a millisecond adds to it.
    let own = 0.5 * std::f32::consts::FRAC_1_SQRT_2 * std::f32::consts::TAU * 440.0 / RATE;
    let bound = own + 0.5 * std::f32::consts::FRAC_1_SQRT_2 * 2.0 / 48.0;
    tone.started = -1.2345;
    stage.frame.sounds = vec![tone];
    let [mut heard, _] = stage.play(20);
    stage.frame.sounds.clear();
    heard.extend(&stage.play(5)[0]);
    assert!(peak(&heard[9_600 + 240 + LATE + 480..]) == 0.0, "it is silent soon");
    stage.frame.sounds = vec![tone];
    heard.extend(&stage.play(20)[0]);
    (stage.frame.moment.epoch, stage.frame.moment.seconds) = (1, 2.5);
    heard.extend(&stage.play(20)[0]);
    assert!(delta(&heard) < bound, "{} is above {bound}", delta(&heard));
    assert!(peak(&heard) > 0.3);
}

#[test]
fn a_constant_level_starts_and_ends_softly() {
    let mut studio = Studio::new();
    let block = studio.add("block.sound", &Recording::new(vec![16_000; 9_600]).with("!set reverb 0"));
    let mut stage = Stage::new(studio);
    stage.frame.sounds = vec![running(1, block)];
    let [left, _] = stage.play(30);
    assert!(peak(&left) > 0.34);
    assert!(delta(&left) < 0.02, "{}", delta(&left));
    assert_eq!(peak(&left[9_600 + LATE + 480..]), 0.0);
}

#[test]
fn after_a_load_a_sound_goes_on_in_its_middle() {
    // Every half second has another frequency.
    let parts = [300.0, 600.0, 1200.0, 2400.0].map(|frequency| sine(frequency, 0.5, 0.5, 48_000));
    let mut studio = Studio::new();
    let steps = studio.add("steps.sound", &Recording::new(parts.concat()).with("!set reverb 0"));
    let mut stage = Stage::new(studio);
    stage.frame.moment.seconds = 101.1;
    stage.frame.sounds = vec![view::RunningSound { started: 100.0, ..running(1, steps) }];
    let [left, _] = stage.play(20);
    let found = frequency(&left[960..9_600]);
    assert!((found - 1200.0).abs() < 1.0, "{found}");

    (stage.frame.moment.epoch, stage.frame.moment.seconds) = (7, 100.6);
    let [left, _] = stage.play(20);
    let found = frequency(&left[960..9_600]);
    assert!((found - 600.0).abs() < 1.0, "after a rewind: {found}");
}

#[test]
fn a_sound_that_has_ended_does_not_begin() {
    let (mut stage, tone) = stage_with_tone(440.0, 0.5);
    stage.frame.moment.seconds = 10.0;
    stage.frame.sounds = vec![view::RunningSound { started: 9.4, ..tone }];
    let [left, _] = stage.play(20);
    assert_eq!(peak(&left), 0.0);
    stage.frame.sounds[0].loops = true;
    assert!(peak(&stage.play(20)[0]) == 0.0, "the same sound stays over");
    stage.frame.sounds[0].id = 2;
    assert!(peak(&stage.play(20)[0]) > 0.3, "one that repeats is never over");
}

#[test]
fn a_loop_has_no_seam() {
    // 100 whole periods of 480 Hz, after an introduction of another frequency.
    let introduction = sine(960.0, 0.25, 0.5, 48_000);
    let start = introduction.len() as u32;
    let samples = [introduction, sine(480.0, 0.25, 0.5, 48_000), vec![30_000; 5_000]].concat();
    for part_frames in [24_000, 1_000, 777] {
        let recording =
            Recording { repeat: Some((start, start + 12_000)), part_frames, ..Recording::new(samples.clone()) };
        let mut studio = Studio::new();
        let engine = studio.add("engine.sound", &recording.with("!set reverb 0"));
        let mut stage = Stage::new(studio);
        stage.frame.sounds = vec![view::RunningSound { loops: true, pitch: 1.01, ..running(1, engine) }];
        let [left, _] = stage.play(300);
        let own = 0.5 * std::f32::consts::FRAC_1_SQRT_2 * std::f32::consts::TAU * 480.0 * 1.01 / RATE;
        assert!(delta(&left[24_000..]) < own * 1.02, "{part_frames}: {} of {own}", delta(&left[24_000..]));
        let found = frequency(&left[24_000..]);
        assert!((found - 484.8).abs() < 0.1, "{part_frames}: {found}");
        assert_eq!(stage.mixer.director.counters().starved_frames, 0);
    }
}

#[test]
fn a_paused_world_is_silent_and_goes_on_where_it_was() {
    let (mut stage, tone) = stage_with_tone(440.0, 5.0);
    stage.frame.sounds = vec![tone];
    let [mut heard, _] = stage.play(30);
    stage.frame.moment.speed = 0.0;
    let [paused, _] = stage.play(50);
    assert_eq!(peak(&paused[480 + LATE..]), 0.0);
    heard.extend(&paused);
    stage.frame.moment.speed = 1.0;
    heard.extend(&stage.play(30)[0]);
    let own = 0.5 * std::f32::consts::FRAC_1_SQRT_2 * std::f32::consts::TAU * 440.0 / RATE;
    assert!(delta(&heard) < own + 0.01, "{}", delta(&heard));
    assert!(peak(&heard[heard.len() - 4_800..]) > 0.3);
    assert_eq!(stage.mixer.director.counters().voices, 1);
}

#[test]
fn slow_motion_is_lower_and_fast_forward_is_silent() {
    let (mut stage, tone) = stage_with_tone(800.0, 60.0);
    stage.frame.sounds = vec![tone];
    stage.frame.moment.speed = 0.5;
    let [left, _] = stage.play(40);
    assert!((frequency(&left[4_800..]) - 400.0).abs() < 1.0);
    stage.frame.moment.speed = 8.0;
    assert_eq!(peak(&stage.play(40)[0][960..]), 0.0);
    stage.frame.moment.speed = 1.0;
    assert!((frequency(&stage.play(40)[0][4_800..]) - 800.0).abs() < 1.0);

    let settings = MixerSettings { speed: SpeedPolicy::Mute, ..MixerSettings::default() };
    stage.mixer.director.set_settings(settings);
    stage.frame.moment.speed = 0.5;
    assert_eq!(peak(&stage.play(40)[0][960..]), 0.0);
    let settings = MixerSettings { speed: SpeedPolicy::Ignore, ..MixerSettings::default() };
    stage.mixer.director.set_settings(settings);
    assert!((frequency(&stage.play(40)[0][4_800..]) - 800.0).abs() < 1.0);
}

#[test]
fn the_interface_is_heard_while_the_world_is_paused() {
    let mut studio = Studio::new();
    let click =
        studio.add("click.sound", &Recording::new(sine(440.0, 1.0, 0.5, 48_000)).with("!set bus \"interface\""));
    let mut stage = Stage::new(studio);
    stage.frame.moment.speed = 0.0;
    stage.frame.sounds = vec![running(1, click)];
    assert!(peak(&stage.play(20)[0]) > 0.3);
}

#[test]
fn music_fades_from_one_to_the_next() {
    let mut studio = Studio::new();
    let lines = "!set bus \"music\"\n!set fade_in 0.5\n!set fade_out 0.5";
    let first = studio.add("first.sound", &Recording::new(sine(300.0, 4.0, 0.5, 48_000)).with(lines));
    let second = studio.add("second.sound", &Recording::new(sine(700.0, 4.0, 0.5, 48_000)).with(lines));
    let mut stage = Stage::new(studio);
    let music = |id, sound, started| view::RunningSound { loops: true, started, ..running(id, sound) };
    stage.frame.sounds = vec![music(1, first, 0.0)];
    stage.play(100);
    stage.frame.sounds = vec![music(2, second, 1.0)];
    let [left, _] = stage.play(100);
    let powers: Vec<f32> = left[960..24_000].chunks(2_400).map(rms).collect();
    assert!(
        powers.iter().all(|power| (power / (0.3536 * std::f32::consts::FRAC_1_SQRT_2) - 1.0).abs() < 0.2),
        "{powers:?}"
    );
    assert!(goertzel(&left[..2_400], 300.0) > goertzel(&left[..2_400], 700.0));
    assert!(goertzel(&left[28_800..], 300.0) < 0.001);
    assert!((goertzel(&left[28_800..43_200], 700.0) - 0.3536).abs() < 0.01);
}

#[test]
fn an_occluded_sound_is_softer_and_duller() {
    let level = |occlusion: f32, frequency: f32| {
        let (mut stage, tone) = stage_with_tone(frequency, 2.0);
        stage.wall = Some(occlusion);
        stage.frame.sounds = vec![view::RunningSound { position: Some(Vec3::X), ..tone }];
        goertzel(&stage.play(60)[0][9_600..24_000], frequency)
    };
    let (low, high) = (level(1.0, 100.0) / level(0.0, 100.0), level(1.0, 8000.0) / level(0.0, 8000.0));
    assert!((0.2..0.3).contains(&low), "{low}");
    assert!(high < 0.05, "{high}");
    assert!((level(f32::NAN, 100.0) / level(0.0, 100.0) - 1.0).abs() < 0.01);
}

#[test]
fn a_changed_volume_does_not_jump() {
    let (mut stage, tone) = stage_with_tone(100.0, 5.0);
    stage.frame.sounds = vec![tone];
    let [mut heard, _] = stage.play(20);
    stage.mixer.director.set_volume("effects".into(), 0.1);
    heard.extend(&stage.play(20)[0]);
    stage.frame.sounds[0].volume = 5.0;
    heard.extend(&stage.play(20)[0]);
    let own = 0.5 * std::f32::consts::FRAC_1_SQRT_2 * std::f32::consts::TAU * 100.0 / RATE;
    assert!(delta(&heard[4_800..]) < own + 0.001, "{}", delta(&heard[4_800..]));
    assert!((peak(&heard[14_400..19_000]) / 0.03536 - 1.0).abs() < 0.02);
    assert!((peak(&heard[24_000..]) / (0.03536 * 5.0) - 1.0).abs() < 0.02);
}

/// Two pieces of music of different tones, the first with these lines; the second is wanted from `change` seconds on.
fn music_that_changes(lines: &str, change: f64, seconds: f64) -> Vec<f32> {
    let mut studio = Studio::new();
    let tone = |frequency: f32| {
        let recording = Recording::new(sine(frequency, 4.0, 0.4, 48_000));
        Recording { repeat: Some((0, 192_000)), ..recording }.with("!set reverb 0\n!set bus \"music\"").with(lines)
    };
    let (calm, battle) = (studio.add("calm.sound", &tone(300.0)), studio.add("battle.sound", &tone(900.0)));
    let music = |id, sound| view::RunningSound { loops: true, ..running(id, sound) };
    let mut stage = Stage::new(studio);
    stage.mixer.director.set_patient(true);
    stage.frame.sounds = vec![music(1, calm)];
    let mut heard = stage.play((change * 100.0) as usize)[0].clone();
    stage.frame.sounds = vec![music(2, battle)];
    heard.extend(&stage.play(((seconds - change) * 100.0) as usize)[0]);
    heard
}

/// The first time at which a frequency is heard at half of its level, in seconds, measured in steps of a millisecond.
fn begins(heard: &[f32], frequency: f32) -> f64 {
    let window = 480;
    let step = 48;
    let found =
        (0..heard.len() / step - 10).find(|at| goertzel(&heard[at * step..at * step + window], frequency) > 0.14);
    // The middle of the window.
    found.map_or(f64::NAN, |at| (at * step + window / 2) as f64 / 48_000.0)
}

#[test]
fn music_changes_at_the_next_bar_or_beat() {
    // 120 beats a minute: a beat is half a second, and a bar of three beats one and a half.
    let check = |lines: &str, change: f64, expected: f64| {
        let heard = music_that_changes(lines, change, expected + 0.5);
        let found = begins(&heard, 900.0);
        assert!(
            (found - expected).abs() < 0.008,
            "{lines}: wanted at {change}, expected at {expected}, heard at {found}"
        );
        let before = (expected - 0.1) * 48_000.0;
        let calm = goertzel(&heard[before as usize..(expected * 48_000.0) as usize], 300.0);
        assert!(calm > 0.25, "{lines}: the piece before is heard until then, with {calm}");
        let after = goertzel(&heard[((expected + 0.2) * 48_000.0) as usize..], 300.0);
        assert!(after < 0.01, "{lines}: and not after it: {after}");
    };
    check("!set tempo 120\n!set bar 3", 1.6, 3.0);
    check("!set tempo 120\n!set bar 3", 2.99, 3.0);
    check("!set tempo 120\n!set follow \"beat\"", 1.6, 2.0);
    check("!set tempo 120\n!set follow \"at_once\"", 1.6, 1.6);
    check("!set bar 3", 1.6, 1.6);
}

#[test]
fn music_is_crossfaded_at_its_bar_and_the_same_in_every_run() {
    let lines = "!set tempo 60\n!set bar 2\n!set fade_in 0.5\n!set fade_out 0.5";
    let heard = music_that_changes(lines, 0.7, 3.0);
    assert_eq!(heard, music_that_changes(lines, 0.7, 3.0));
    let level = |from: f64, frequency| goertzel(&heard[(from * 48_000.0) as usize..][..4_800], frequency);
    assert!(level(1.85, 300.0) > 0.27 && level(1.85, 900.0) < 0.01, "before the bar");
    assert!(level(2.2, 300.0) > 0.05 && level(2.2, 900.0) > 0.05, "both within the fade");
    assert!(level(2.6, 300.0) < 0.01 && level(2.6, 900.0) > 0.27, "after it");
}
