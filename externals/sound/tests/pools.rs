//! Many sounds, few voices; broken content; streaming; and the same samples in every run.

mod common;

use std::collections::BTreeMap;

use base::{Quat, StringId, Vec3};
use common::*;
use sound::choice::Plans;
use sound::reports::Reports;
use sound::{Listener, MixerSettings};
use view::RunningSound;

fn at(sound: RunningSound, position: Vec3) -> RunningSound {
    RunningSound { position: Some(position), ..sound }
}

#[test]
fn the_loud_and_the_important_have_the_voices() {
    let mut studio = Studio::new();
    let tone = |frequency: f32| Recording::new(sine(frequency, 2.0, 0.1, 48_000)).with("!set reverb 0");
    let far = studio.add("far.sound", &tone(500.0));
    let near = studio.add("near.sound", &tone(1000.0));
    let important = studio.add("important.sound", &tone(2000.0).with("!set priority 1000"));
    let mut stage = Stage::with(studio, MixerSettings { voices: 8, ..MixerSettings::default() });
    let mut sounds: Vec<RunningSound> = (0..40).map(|id| at(running(id, far), Vec3::X * 20.0)).collect();
    sounds.extend((40..47).map(|id| at(running(id, near), Vec3::X * 2.0)));
    sounds.push(at(running(99, important), Vec3::X * 40.0));
    stage.frame.sounds = sounds;
    let [left, _] = stage.play(50);
    let counters = stage.mixer.director.counters();
    assert_eq!((counters.running, counters.voices, counters.refused), (48, 8, 40));
    let level = |frequency| goertzel(&left[4_800..24_000], frequency);
    assert!(level(500.0) < 1e-4, "{}", level(500.0));
    assert!(
        (level(1000.0) / (7.0 * 0.1 * std::f32::consts::FRAC_1_SQRT_2 * 0.49) - 1.0).abs() < 0.05,
        "{}",
        level(1000.0)
    );
    assert!((level(2000.0) / (0.1 * std::f32::consts::FRAC_1_SQRT_2 * 0.0051) - 1.0).abs() < 0.1, "{}", level(2000.0));
}

#[test]
fn a_louder_sound_takes_a_voice_and_its_loser_keeps_time() {
    let mut studio = Studio::new();
    let steps = [300.0, 600.0, 1200.0, 2400.0].map(|frequency| sine(frequency, 0.5, 0.2, 48_000)).concat();
    let steps = studio.add("steps.sound", &Recording::new(steps).with("!set reverb 0"));
    let loud = studio.add("loud.sound", &Recording::new(sine(100.0, 0.7, 0.8, 48_000)).with("!set reverb 0"));
    let mut stage = Stage::with(studio, MixerSettings { voices: 1, ..MixerSettings::default() });
    stage.frame.sounds = vec![at(running(1, steps), Vec3::X * 4.0)];
    assert!((frequency(&stage.play(40)[0][4_800..]) - 300.0).abs() < 1.0);
    stage.frame.sounds.push(RunningSound { started: 0.4, ..running(2, loud) });
    let [left, _] = stage.play(60);
    assert!(goertzel(&left[4_800..24_000], 600.0) < 0.001, "the first one is not heard");
    assert_eq!(stage.mixer.director.counters().stolen, 1);
    // At 1.1 s the loud one has ended, and the first one is in its third part.
    let [left, _] = stage.play(40);
    let found = frequency(&left[9_600..]);
    assert!((found - 1200.0).abs() < 2.0, "{found}");
}

#[test]
fn a_kind_of_sound_has_its_own_limit() {
    let mut studio = Studio::new();
    let first = studio.add("first.sound", &Recording::new(sine(300.0, 2.0, 0.1, 48_000)));
    studio.add("second.sound", &Recording::new(sine(300.0, 2.0, 0.1, 48_000)));
    let group =
        "@sound\n!set voices_max 3\n!set alternatives [{ sound \"first.sound\" }, { sound \"second.sound\" }]\n";
    let group = studio.tag("group.sound", group);
    let mut stage = Stage::new(studio);
    stage.frame.sounds = (0..20).map(|id| running(id, group)).collect();
    stage.frame.sounds.extend((20..24).map(|id| running(id, first)));
    stage.play(10);
    assert_eq!(stage.mixer.director.counters().voices, 3 + 4);
}

#[test]
fn four_thousand_sounds_are_sorted_out() {
    let mut studio = Studio::new();
    let noise = Recording::new((0..24_000_u32).map(|frame| (frame.wrapping_mul(2_654_435_761) >> 18) as i16).collect());
    let noise = studio.add("noise.sound", &noise);
    let mut stage = Stage::new(studio);
    stage.frame.sounds = (0..4096)
        .map(|id| {
            let place = Vec3::new((id % 64) as f32, (id / 64) as f32, 0.0);
            RunningSound { loops: true, ..at(running(id, noise), place) }
        })
        .collect();
    let [left, right] = stage.play(20);
    assert!(left.iter().chain(&right).all(|sample| sample.abs() <= 1.0));
    let counters = stage.mixer.director.counters();
    assert_eq!((counters.running, counters.voices), (4096, 64));
    assert!(counters.refused > 1000 && counters.limiter_gain < 1.0);
    stage.frame.sounds.truncate(1);
    stage.play(5);
    assert_eq!(stage.mixer.director.counters().voices, 1);
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    let mut studio = Studio::new();
    let tone = studio.add("tone.sound", &Recording::new(sine(440.0, 2.0, 0.5, 48_000)));
    let mut stage = Stage::new(studio);
    let nan = Vec3::new(f32::NAN, f32::INFINITY, 0.0);
    stage.frame.sounds = vec![
        at(running(1, tone), nan),
        RunningSound { velocity: nan, ..at(running(2, tone), Vec3::X) },
        RunningSound { volume: f32::NAN, pitch: f32::NAN, ..running(3, tone) },
        RunningSound { started: f64::NAN, pitch: 0.0, ..running(4, tone) },
        RunningSound { volume: f32::INFINITY, pitch: 1e30, loops: true, ..running(5, tone) },
        RunningSound { started: f64::NEG_INFINITY, volume: -3.0, ..running(6, tone) },
    ];
    stage.listeners.push(Listener { position: nan, orientation: Quat::new(f32::NAN, 0.0, 0.0, 0.0), velocity: nan });
    for (speed, seconds) in [(1.0, 0.0), (f32::NAN, 1.0), (-1.0, f64::NAN), (f32::INFINITY, 2.0), (1.0, 3.0)] {
        (stage.frame.moment.speed, stage.frame.moment.seconds) = (speed, seconds);
        stage.hear();
        let mut block = [9.0; 2 * BLOCK];
        stage.mixer.mix(&mut block);
        assert!(block.iter().all(|sample| sample.abs() <= 1.0));
    }
    stage.frame.sounds = vec![running(7, tone)];
    (stage.frame.moment.seconds, stage.frame.sounds[0].started) = (4.0, 4.0);
    assert!(peak(&stage.play(30)[0][9_600..]) > 0.3, "the next sound is heard");
}

#[test]
fn many_loud_sounds_stay_within_one() {
    let mut studio = Studio::new();
    let loud = studio.add("loud.sound", &Recording::new(sine(200.0, 2.0, 1.0, 48_000)).with("!set volume 20"));
    let mut stage = Stage::new(studio);
    stage.frame.sounds = (0..60).map(|id| running(id, loud)).collect();
    let [left, _] = stage.play(50);
    assert!(peak(&left) <= 0.967 && peak(&left) > 0.9, "{}", peak(&left));
    assert!(stage.mixer.director.counters().limiter_gain < 0.01);
}

#[test]
fn broken_content_is_silence_and_one_report() {
    let mut studio = Studio::new();
    let tone = Recording::new(sine(440.0, 1.0, 0.5, 48_000));
    let no_rate = studio.add("no_rate.sound", &Recording { rate: 0, ..tone.clone() });
    let empty = studio.tag("empty.sound", "@sound\n");
    let circle = studio.tag("circle.sound", "@sound\n!set alternatives [{ sound \"circle.sound\" }]\n");
    // Its container does not exist.
    let no_bulk = "@sound\n!set sample_rate 48000\n!set channels 1\n!set part_frames 24000\n\
                   !set permutations [{ name \"a\", first_part 0, parts 2, frames 48000 }]\n";
    let no_bulk = studio.tag("no_bulk.sound", no_bulk);
    // Its parts are not as long as the tag says.
    let other = studio.add("other.sound", &tone);
    studio.cut();
    let missing = StringId::new("missing.sound");
    let mut stage = Stage::new(studio);
    let ids = [no_rate, empty, circle, no_bulk, other, missing];
    stage.frame.sounds = ids.iter().enumerate().map(|(id, sound)| running(id as u64, *sound)).collect();
    let [left, _] = stage.play(50);
    assert_eq!(peak(&left), 0.0);
    let mut reports = stage.mixer.director.take_reports();
    reports.sort();
    let starts = [
        "`circle.sound`: its alternatives",
        "`empty.sound`: it has neither",
        "`no_bulk.sound`: its samples cannot",
        "`no_rate.sound`: it has neither",
        "`no_rate.sound`: its samples cannot be played",
        "`other.sound`: its samples are damaged",
    ];
    for start in starts {
        assert_eq!(reports.iter().filter(|report| report.starts_with(start)).count(), 1, "{start}: {reports:#?}");
    }
    assert_eq!(reports.len(), starts.len() + 1, "{reports:#?}");
    assert!(reports.iter().any(|report| report.contains("there is no such sound tag")));
}

#[test]
fn samples_that_come_late_are_silence_without_clicks() {
    let mut studio = Studio::new();
    let recording = Recording { part_frames: 4_800, ..Recording::new(sine(440.0, 1.0, 0.5, 48_000)) };
    let tone = studio.add("tone.sound", &recording.with("!set reverb 0"));
    let mut stage = Stage::new(studio);
    stage.studio.bulk.set_loading(&[2, 3]);
    stage.frame.sounds = vec![running(1, tone)];
    let [mut heard, _] = stage.play(30);
    assert!(peak(&heard[..9_000]) > 0.3);
    assert_eq!(peak(&heard[10_100..14_400]), 0.0);
    assert!(stage.mixer.director.counters().starved_frames > 3_000);
    stage.studio.bulk.set_loading(&[]);
    heard.extend(&stage.play(30)[0]);
    assert!(peak(&heard[16_000..]) > 0.3, "it goes on where it would be");
    let own = 0.5 * std::f32::consts::FRAC_1_SQRT_2 * std::f32::consts::TAU * 440.0 / RATE;
    assert!(delta(&heard[480..]) < own + 0.002, "{}", delta(&heard[480..]));

    // One whose first part is late begins later, in its middle.
    stage.studio.bulk.set_loading(&[0, 1]);
    let mut second = Recording::new([sine(300.0, 0.5, 0.5, 48_000), sine(600.0, 0.5, 0.5, 48_000)].concat());
    second.part_frames = 4_800;
    let second = stage.studio.add("second.sound", &second);
    let started = stage.frame.moment.seconds;
    stage.frame.sounds = vec![RunningSound { started, ..running(2, second) }];
    let [late, _] = stage.play(15);
    assert_eq!(peak(&late[480..]), 0.0);
    assert_eq!(stage.mixer.director.counters().waiting, 1);
    stage.studio.bulk.set_loading(&[]);
    let found = frequency(&stage.play(60)[0][21_000..27_000]);
    assert!((found - 600.0).abs() < 2.0, "{found}");
}

#[test]
fn permutations_are_as_frequent_as_their_weights() {
    let mut studio = Studio::new();
    let takes = Recording { takes: vec![vec![0; 100], vec![0; 101], vec![0; 102]], ..Recording::new(Vec::new()) };
    let weights = "!set weights [{ name \"take1\", weight 3 }, { name \"take2\", weight 4, skip_fraction 0.5 }]\n\
                   !set alternatives [{ sound \"other.sound\", weight 2 }]";
    let shot = studio.add("shot.sound", &takes.with(weights));
    studio.add("other.sound", &Recording::new(vec![0; 200]));
    let (mut plans, mut reports) = (Plans::default(), Reports::default());
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    let count = 40_000_u32;
    for seed in 0..u64::from(count) {
        let choice = plans.choose(shot, seed, &studio.content, &mut reports).unwrap();
        assert_eq!(Some(&choice), plans.choose(shot, seed, &studio.content, &mut reports).as_ref());
        *found.entry(choice.take.frames).or_default() += 1;
    }
    // Of 10: 1, 3, 4 and 2. Half of the 4 are skipped, and shared out among the others as 1 : 3 : 2.
    let expected = [(100, 0.1 + 0.2 / 6.0), (101, 0.3 + 0.2 / 2.0), (102, 0.2), (200, 0.2 + 0.2 / 3.0)];
    for (frames, part) in expected {
        let found = found[&frames] as f32 / count as f32;
        assert!((found - part).abs() < 0.01, "{frames}: {found}, expected {part}");
    }
}

#[test]
fn variations_stay_within_their_limits() {
    let mut studio = Studio::new();
    let lines = "!set volume_variation 6\n!set pitch_variation 12";
    let shot = studio.add("shot.sound", &Recording::new(vec![0; 100]).with(lines));
    let (mut plans, mut reports) = (Plans::default(), Reports::default());
    let choices: Vec<_> =
        (0..2000).map(|seed| plans.choose(shot, seed, &studio.content, &mut reports).unwrap()).collect();
    assert!(choices.iter().all(|choice| (0.5..=2.0).contains(&choice.pitch) && (0.5..=2.0).contains(&choice.volume)));
    assert!(choices.iter().any(|choice| choice.pitch > 1.9) && choices.iter().any(|choice| choice.pitch < 0.55));
}

#[test]
fn a_changed_tag_is_heard_at_once() {
    let mut studio = Studio::new();
    let tone = studio.add("tone.sound", &Recording::new(sine(440.0, 5.0, 0.5, 48_000)).with("!set reverb 0"));
    let mut stage = Stage::new(studio);
    stage.frame.sounds = vec![running(1, tone)];
    stage.play(30);
    let higher = Recording::new(sine(880.0, 5.0, 0.5, 48_000)).with("!set volume -20\n!set reverb 0");
    stage.studio.add("tone.sound", &higher);
    let [left, _] = stage.play(30);
    let found = frequency(&left[4_800..]);
    assert!((found - 880.0).abs() < 2.0, "{found}, {:?}", stage.mixer.director.counters());
    assert!(peak(&left[4_800..]) < 0.06);
}

#[test]
fn the_sounds_of_effects_are_those_that_the_frame_lists() {
    let mut studio = Studio::new();
    studio.add("boom.sound", &Recording::new(sine(440.0, 1.0, 0.5, 48_000)));
    let effect = studio.tag("boom.effect", "@effect\n!set sounds [{ name \"boom\", sound \"boom.sound\" }]\n");
    let mut stage = Stage::new(studio);
    stage.frame.effects = vec![view::RunningEffect {
        id: 1,
        effect,
        object: 0,
        marker: StringId::NONE,
        marker_place: None,
        position: Vec3::X,
        orientation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        target: None,
        started: 0.0,
        stopped: f64::INFINITY,
        seed: 5,
        scale: 1.0,
        parameters: view::Span::default(),
    }];
    assert_eq!(peak(&stage.play(30)[0]), 0.0, "a world lists them itself: nothing is heard twice");
}

#[test]
fn after_a_change_of_epoch_not_even_the_reverb_is_heard() {
    let mut studio = Studio::new();
    let boom = studio.add("boom.sound", &Recording::new(sine(440.0, 1.0, 0.8, 48_000)).with("!set reverb 4"));
    let mut stage = Stage::new(studio);
    stage.frame.sounds = vec![running(1, boom)];
    stage.play(50);
    stage.frame.sounds.clear();
    let [tail, _] = stage.play(10);
    assert!(peak(&tail[2_400..]) > 0.001, "it has a reverb");
    stage.frame.moment.epoch += 1;
    let [left, _] = stage.play(10);
    assert!(delta(&left[..960]) < 0.05, "it fades out without a jump");
    assert_eq!(peak(&left[960..]), 0.0);
}

#[test]
fn sounds_of_an_interface_are_heard_while_the_world_is_paused() {
    let mut studio = Studio::new();
    // Its tag says nothing of a bus: it is on that of effects, which is held.
    let click = studio.add("click.sound", &Recording::new(sine(440.0, 0.2, 0.5, 48_000)));
    let mut stage = Stage::new(studio);
    stage.frame.moment.speed = 0.0;
    stage.frame.sounds = vec![running(1, click)];
    assert_eq!(peak(&stage.play(30)[0]), 0.0, "sounds of the world are held");
    stage.interface = vec![running(2, click)];
    let [left, _] = stage.play(30);
    assert!(peak(&left[..9_000]) > 0.3 && peak(&left[10_500..]) == 0.0, "it is played once, to its end");
}

#[test]
fn speech_makes_music_softer_and_a_mix_changes_the_buses() {
    let mut studio = Studio::new();
    let lines = |bus: &str| format!("!set bus \"{bus}\"\n!set reverb 0");
    let music = studio.add("music.sound", &Recording::new(sine(300.0, 9.0, 0.5, 48_000)).with(&lines("music")));
    let speech = studio.add("speech.sound", &Recording::new(sine(900.0, 2.0, 0.3, 48_000)).with(&lines("speech")));
    let mix =
        "@mix\n!set buses [{ name \"speech\", low_pass 100 }, { name \"music\", volume -20 }]\n!set ceiling -20\n";
    let mix = studio.tag("quiet.mix", mix);
    let mut stage = Stage::new(studio);
    stage.frame.sounds = vec![running(1, music)];
    let alone = goertzel(&stage.play(60)[0][9_600..24_000], 300.0);
    stage.frame.sounds.push(RunningSound { started: 0.6, ..running(2, speech) });
    let ducked = goertzel(&stage.play(60)[0][14_400..28_800], 300.0);
    assert!((ducked / alone - 0.355).abs() < 0.02, "{}", ducked / alone);
    stage.play(340);
    let after = goertzel(&stage.play(60)[0][..24_000], 300.0);
    assert!((after / alone - 1.0).abs() < 0.02);

    stage.frame.mix = mix;
    stage.frame.sounds.push(RunningSound { started: stage.frame.moment.seconds, ..running(3, speech) });
    let [left, _] = stage.play(60);
    assert!((goertzel(&left[4_800..24_000], 300.0) / alone - 0.1).abs() < 0.01);
    let muffled = goertzel(&left[4_800..24_000], 900.0) / (0.3 * std::f32::consts::FRAC_1_SQRT_2);
    assert!(muffled < 0.15, "{muffled}");
    assert!(peak(&left[960..]) <= 0.1);

    // The tag is edited: the next frame is heard through other buses. Then another level has no mix.
    stage.studio.tag("quiet.mix", "@mix\n!set buses [{ name \"speech\" }, { name \"music\", volume -40 }]\n");
    stage.frame.sounds.truncate(1);
    stage.play(10);
    let edited = goertzel(&stage.play(60)[0][4_800..24_000], 300.0) / alone;
    assert!((edited - 0.01).abs() < 0.001, "{edited}");
    stage.frame.mix = StringId::NONE;
    stage.play(10);
    let usual = goertzel(&stage.play(60)[0][4_800..24_000], 300.0) / alone;
    assert!((usual - 1.0).abs() < 0.02, "{usual}");
}

#[test]
fn the_same_frames_give_the_same_samples() {
    let render = |slow: bool| {
        let mut studio = Studio::new();
        let engine = Recording { rate: 44_100, ..Recording::new(sine(90.0, 3.0, 0.3, 44_100)) };
        let engine = studio.add("engine.sound", &engine.with("!set pitch_variation 2"));
        let shot = studio.add("shot.sound", &Recording::new(sine(1500.0, 0.4, 0.5, 48_000)));
        if slow {
            *studio.bulk.asks.lock().unwrap() = Some(BTreeMap::new());
        }
        let mut stage = Stage::new(studio);
        stage.mixer.director.set_patient(true);
        let mut all = Vec::new();
        for cycle in 0..80_u64 {
            let seconds = cycle as f64 * 0.01;
            stage.frame.moment.seconds = seconds;
            let place = Vec3::new(5.0 - cycle as f32 * 0.1, 2.0, 0.0);
            let flying = RunningSound { velocity: Vec3::X * -10.0, loops: true, ..at(running(1, engine), place) };
            stage.frame.sounds = vec![flying];
            let first = cycle / 10;
            stage.frame.sounds.extend((first.saturating_sub(3)..=first).map(|shots| {
                let started = shots as f64 * 0.1;
                RunningSound { started, ..at(running(100 + shots, shot), Vec3::Y * shots as f32) }
            }));
            for _ in 0..20 {
                stage.hear();
                if !stage.mixer.director.is_waiting() {
                    break;
                }
            }
            let mut block = [0.0; 2 * BLOCK];
            stage.mixer.mix(&mut block);
            all.extend(block.map(f32::to_bits));
        }
        all
    };
    let first = render(false);
    assert_eq!(first, render(false));
    assert_eq!(first, render(true), "nor does it matter how fast samples are read");
    // The same on every machine: this number changes only when the mixer does.
    let hash = base::hash::hash(&first.iter().flat_map(|bits| bits.to_le_bytes()).collect::<Vec<u8>>());
    assert_eq!(hash, 0x6b0c_874d_d37f_fbef, "{hash:#018x}");
}
