//! Loudness, peaks, loops, resampling, permutations and the formats of parts.

use super::files::{aiff, markers, sampler, wav};
use super::{made, refused, sine};
use crate::ImportError;
use crate::sound::IMPORTER;
use crate::sound::adpcm::decode_part;
use crate::sound::decode::Waveform;
use crate::sound::loudness::{integrated_loudness, true_peak};
use crate::sound::resample::resample;
use crate::trial::{field, import_beside};

fn of(rate: u32, channels: Vec<Vec<f32>>) -> Waveform {
    Waveform { rate, channels }
}

fn quantised(samples: &[f32]) -> Vec<i16> {
    samples.iter().map(|sample| (sample * 32_768.0).round() as i16).collect()
}

fn number(product: &crate::Product, name: &str) -> f64 {
    field(product, name).parse().unwrap()
}

#[test]
fn a_sine_has_the_loudness_of_the_standard() {
    // ITU-R BS.1770-4: 997 Hz at 0 dBFS in one channel is −3.01 LKFS, so in two channels the decibels of its peak.
    for rate in [22_050, 44_100, 48_000, 96_000] {
        for decibels in [0.0, -20.0, -23.0, -40.0] {
            let channel = sine(rate, 3.0, 997.0, decibels);
            let mono = integrated_loudness(&[of(rate, vec![channel.clone()])]);
            assert!((mono - (decibels - 3.01)).abs() < 0.1, "{rate} Hz, {decibels} dB: {mono} LUFS");
            let stereo = integrated_loudness(&[of(rate, vec![channel.clone(), channel])]);
            assert!((stereo - decibels).abs() < 0.1, "{rate} Hz, {decibels} dB: {stereo} LUFS");
        }
    }
}

#[test]
fn loudness_is_gated_as_the_standard_says() {
    // EBU Tech 3341, case 3 (shortened): quiet parts around the loud one do not count. Case 4 adds parts of −72.
    let part = |seconds, decibels| sine(48_000, seconds, 1000.0, decibels);
    for levels in [
        vec![(3.0, -36.0), (18.0, -23.0), (3.0, -36.0)],
        vec![(3.0, -72.0), (3.0, -36.0), (18.0, -23.0), (3.0, -36.0), (3.0, -72.0)],
    ] {
        let channel: Vec<f32> = levels.iter().flat_map(|(seconds, decibels)| part(*seconds, *decibels)).collect();
        let found = integrated_loudness(&[of(48_000, vec![channel.clone(), channel])]);
        assert!((found + 23.0).abs() < 0.1, "{found} LUFS");
    }
    // Case 6: five channels with surround weights, as 5.1: left, right −28, centre −24, low frequencies, surround −30.
    let channels = [-28.0, -28.0, -24.0, 0.0, -30.0, -30.0].map(|decibels| part(3.0, decibels)).to_vec();
    let found = integrated_loudness(&[of(48_000, channels)]);
    assert!((found + 23.0).abs() < 0.1, "{found} LUFS");
    assert_eq!(integrated_loudness(&[of(48_000, vec![vec![0.0; 48_000]])]), -70.0);
    let short = integrated_loudness(&[of(48_000, vec![sine(48_000, 0.2, 997.0, -20.0)])]);
    assert!((short + 23.01).abs() < 0.3, "{short} LUFS");
}

#[test]
fn the_true_peak_lies_between_samples() {
    // A quarter of the sample rate, with samples at 45°: they are 3 dB below the peak.
    let samples = (0..4800).map(|frame| if frame % 4 < 2 { 0.353_553_4 } else { -0.353_553_4 }).collect::<Vec<f32>>();
    let found = true_peak(&of(48_000, vec![samples[1000..3000].to_vec()]));
    assert!((found + 6.02).abs() < 0.4, "{found} dBTP");
    let found = true_peak(&of(48_000, vec![sine(48_000, 0.5, 997.0, -3.0)]));
    assert!((found + 3.0).abs() < 0.05, "{found} dBTP");
}

#[test]
fn a_sound_is_brought_to_the_target_loudness_unless_its_peaks_forbid() {
    let bytes = wav(48_000, 1, &quantised(&sine(48_000, 1.0, 997.0, -30.0)), &[]);
    let product = made("a.wav", &bytes, &[("format", "pcm16")]);
    assert!((number(&product, "loudness") + 33.01).abs() < 0.1 && (number(&product, "gain") - 15.01).abs() < 0.1);
    let samples: Vec<f32> = product
        .parts
        .iter()
        .flat_map(|part| part.bytes.chunks(2))
        .map(|bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / 32_768.0)
        .collect();
    let found = integrated_loudness(&[of(48_000, vec![samples])]);
    assert!((found + 18.0).abs() < 0.05, "{found} LUFS");
    let loud = made("a.wav", &bytes, &[("target_loudness", "0")]);
    assert!((number(&loud, "peak") + number(&loud, "gain") + 1.0).abs() < 0.05);
    assert!(loud.warnings[0].message.contains("below the target loudness"));
    let same = made("a.wav", &bytes, &[("normalise", "false"), ("format", "pcm16")]);
    assert_eq!(field(&same, "gain"), "0");
    assert_eq!(same.parts[0].bytes[..40], bytes[44..84]);
    assert_eq!(field(&made("a.wav", &wav(48_000, 1, &[0; 4800], &[]), &[]), "gain"), "0", "silence stays silence");
}

#[test]
fn parts_are_half_a_second_and_can_be_decoded_alone() {
    let left = sine(44_100, 1.25, 440.0, -6.0);
    let right = sine(44_100, 1.25, 880.0, -12.0);
    let interleaved: Vec<i16> =
        quantised(&left).into_iter().zip(quantised(&right)).flat_map(|(left, right)| [left, right]).collect();
    let bytes = wav(44_100, 2, &interleaved, &[]);
    let product = made("wind.wav", &bytes, &[("normalise", "false")]);
    assert_eq!(
        (field(&product, "format"), field(&product, "part_frames"), product.parts.len()),
        ("\"ima_adpcm\"", "22050", 3)
    );
    assert_eq!(product.parts[2].name, "wind part 2");
    assert!(product.parts[0].bytes.len() * 4 < 22_050 * 4 + 64);
    let decoded = decode_part(&product.parts[1].bytes, 2, 22_050).unwrap();
    for (channel, wanted) in decoded.iter().zip([&left, &right]) {
        let wanted = &wanted[22_050..44_100];
        let power: f64 = wanted.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        let error: f64 = channel
            .iter()
            .zip(wanted)
            .map(|(found, wanted)| (f64::from(*found) / 32_768.0 - f64::from(*wanted)).powi(2))
            .sum();
        assert!(10.0 * (power / error).log10() > 30.0, "{} dB", 10.0 * (power / error).log10());
    }
    assert_eq!(decode_part(&product.parts[2].bytes, 2, 22_050), None);
    assert_eq!(decode_part(&[], 2, 0), None);
    let last = decode_part(&product.parts[2].bytes, 2, 55_125 - 44_100).unwrap();
    assert_eq!(last[0].len(), 11_025);
}

#[test]
fn loops_come_from_the_file_and_follow_the_sample_rate() {
    let samples = quantised(&sine(44_100, 0.2, 440.0, -20.0));
    let loop_of =
        |product: &crate::Product| ["loops", "loop_start", "loop_end"].map(|name| field(product, name).to_string());
    let bytes = wav(44_100, 1, &samples, &sampler(441, 8_819));
    assert_eq!(loop_of(&made("a.wav", &bytes, &[])), ["true", "441", "8820"]);
    assert_eq!(loop_of(&made("a.wav", &bytes, &[("sample_rate", "22050")])), ["true", "221", "4410"]);
    assert_eq!(loop_of(&made("a.wav", &bytes, &[("loop", "none")])), ["false", "0", "0"]);
    assert_eq!(loop_of(&made("a.wav", &bytes, &[("loop", "whole")])), ["true", "0", "8820"]);
    assert_eq!(loop_of(&made("a.aif", &aiff(44_100, 1, &samples, &markers(100, 8_000)), &[])), ["true", "100", "8000"]);
    let product = made("a.wav", &wav(44_100, 1, &samples, &sampler(441, 99_999)), &[]);
    assert_eq!(loop_of(&product), ["true", "441", "8820"]);
    assert!(product.warnings[0].message.contains("loop ends behind"));
    assert_eq!(loop_of(&made("a.wav", &wav(44_100, 1, &samples, &sampler(900, 3)), &[])), ["false", "0", "0"]);
}

#[test]
fn resampling_keeps_what_can_be_heard_and_removes_what_cannot() {
    for (from, to) in [(44_100, 48_000), (48_000, 44_100), (48_000, 22_050), (8_000, 48_000)] {
        let sound = of(from, vec![sine(from, 0.5, 997.0, -6.0)]);
        let resampled = resample(&sound, to);
        assert_eq!(resampled.frames(), (to / 2) as usize);
        let wanted = sine(to, 0.5, 997.0, -6.0);
        let middle = to as usize / 8..to as usize * 3 / 8;
        let error: f64 =
            middle.clone().map(|frame| f64::from(resampled.channels[0][frame] - wanted[frame]).powi(2)).sum();
        let ratio = 10.0 * (0.125 * middle.len() as f64 / error).log10();
        assert!(ratio > 80.0, "{from} to {to}: {ratio} dB");
    }
    // 15 kHz cannot be in a sound of 22,050 Hz: it is removed, and not folded to 7,050 Hz.
    let high = resample(&of(48_000, vec![sine(48_000, 0.5, 15_000.0, 0.0)]), 22_050);
    let power: f64 =
        high.channels[0][2_000..9_000].iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / 7_000.0;
    assert!(10.0 * power.log10() < -70.0, "{power}");
}

#[test]
fn channels_can_be_mixed_into_one() {
    let product = made(
        "a.wav",
        &wav(44_100, 2, &[1000, 3000, -500, 500], &[]),
        &[("mono", "true"), ("normalise", "false"), ("format", "pcm16")],
    );
    assert_eq!((field(&product, "channels"), &*product.parts[0].bytes), ("1", &[0xd0, 0x07, 0, 0][..]));
}

#[test]
fn numbered_files_become_permutations_with_one_gain() {
    let take = |decibels: f64| wav(44_100, 1, &quantised(&sine(44_100, 0.7, 997.0, decibels)), &[]);
    let beside = |name: &str| if name == "shot_02.wav" { Ok(take(-26.0)) } else { Err("no such file".to_string()) };
    let product = import_beside(&IMPORTER, "shot_01.wav", &take(-20.0), &[("permutations", "true")], &beside).unwrap();
    crate::trial::check_class(&product, <view::classes::Sound as tags::Tag>::class());
    assert_eq!(
        field(&product, "permutations"),
        "[\n    { name \"shot_01\", first_part 0, parts 2, frames 30870 },\n    { name \"shot_02\", first_part 2, parts 2, frames 30870 }\n]"
    );
    assert_eq!(product.parts.len(), 4);
    let peak = |part: usize| {
        decode_part(&product.parts[part].bytes, 1, 22_050).unwrap()[0]
            .iter()
            .map(|sample| f64::from(sample.unsigned_abs()))
            .fold(0.0, f64::max)
    };
    assert!((20.0 * (peak(0) / peak(2)).log10() - 6.0).abs() < 0.3);
    let other = |_: &str| Ok(wav(22_050, 1, &[1; 100], &[]));
    let error = import_beside(&IMPORTER, "shot_01.wav", &take(-20.0), &[("permutations", "true")], &other).unwrap_err();
    assert!(matches!(error, ImportError::Beside { .. }), "{error}");
    assert!(matches!(refused("shot.wav", &take(-20.0), &[("permutations", "true")]), ImportError::Option { .. }));
}
