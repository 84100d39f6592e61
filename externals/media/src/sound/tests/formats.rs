//! Every file format gives the samples that were written, and damaged files are refused.

use super::files::{aiff, flac, markers, mp3, ogg, sampler, wav};
use super::{made, refused, sine};
use crate::ImportError;
use crate::sound::IMPORTER;
use crate::sound::decode::{Waveform, decode};
use crate::trial::{check_damage, flip_bits, import};

const SAMPLES: [i16; 8] = [0, 1, -1, 12_345, -12_345, 32_767, -32_768, 7];

fn check(sound: &Waveform, rate: u32, channels: usize) {
    assert_eq!((sound.rate, sound.channels.len()), (rate, channels));
    for (frame, wanted) in SAMPLES.chunks(channels).enumerate() {
        for (channel, wanted) in wanted.iter().enumerate() {
            assert_eq!(sound.channels[channel][frame], f32::from(*wanted) / 32_768.0);
        }
    }
    assert_eq!(sound.frames(), SAMPLES.len() / channels);
}

#[test]
fn lossless_formats_give_the_samples_that_were_written() {
    check(&decode("wav", &wav(44_100, 1, &SAMPLES, &[])).unwrap().0, 44_100, 1);
    check(&decode("wav", &wav(22_050, 2, &SAMPLES, &[])).unwrap().0, 22_050, 2);
    check(&decode("aif", &aiff(48_000, 1, &SAMPLES, &[])).unwrap().0, 48_000, 1);
    check(&decode("aiff", &aiff(44_100, 2, &SAMPLES, &markers(1, 3))).unwrap().0, 44_100, 2);
    let samples: Vec<i16> = SAMPLES.iter().copied().cycle().take(64).collect();
    let sound = decode("flac", &flac(32_000, &samples)).unwrap().0;
    assert_eq!((sound.rate, sound.frames()), (32_000, 64));
    let wanted: Vec<f32> = samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
    assert_eq!(sound.channels[0], wanted);
}

#[test]
fn lossy_formats_are_near_what_was_written() {
    let sine = sine(44_100, 0.5, 440.0, -6.0);
    let stereo: Vec<f32> = sine.iter().flat_map(|sample| [*sample, *sample]).collect();
    for (name, bytes) in [("mp3", mp3(44_100, 2, &stereo)), ("ogg", ogg(44_100, &stereo, |_| ()))] {
        let (sound, _) = decode(name, &bytes).unwrap();
        assert_eq!((sound.rate, sound.channels.len()), (44_100, 2), "{name}");
        // Codecs delay the sound: the error is that of the best delay.
        let middle = 8_000..12_000;
        let error = |delay: usize| {
            let differences = middle.clone().map(|frame| f64::from(sound.channels[1][frame + delay] - sine[frame]));
            differences.map(|difference| difference * difference).sum::<f64>() / middle.len() as f64
        };
        let best = (0..2_300).map(error).fold(f64::INFINITY, f64::min);
        let power = 0.125 * 10f64.powf(-6.0 / 10.0) * 4.0;
        assert!(10.0 * (power / best).log10() > 20.0, "{name}: {} dB", 10.0 * (power / best).log10());
    }
}

#[test]
fn the_content_decides_and_not_the_extension() {
    let bytes = wav(44_100, 1, &SAMPLES, &[]);
    assert_eq!(made("a.mp3", &bytes, &[]).parts, made("a.wav", &bytes, &[]).parts);
    for bytes in [&b"this is a letter, and no sound"[..], b"", b"RIFF"] {
        let error = refused("a.wav", bytes, &[]);
        assert!(matches!(error, ImportError::Damaged(_) | ImportError::Empty(_)), "{error}");
    }
}

#[test]
fn gigantic_and_empty_sounds_are_refused_by_their_headers() {
    let mut bytes = flac(44_100, &SAMPLES.repeat(8));
    // 36 bits of frames in the header.
    bytes[22..26].copy_from_slice(&[0xff; 4]);
    assert!(matches!(refused("a.flac", &bytes, &[]), ImportError::TooLarge { what: "samples", .. }));
    let mut bytes = wav(44_100, 1, &SAMPLES, &[]);
    bytes[22] = 40;
    let error = refused("a.wav", &bytes, &[]);
    assert!(!matches!(error, ImportError::Option { .. }), "{error}");
    assert!(matches!(refused("a.wav", &wav(400_000, 1, &SAMPLES, &[]), &[]), ImportError::Unsupported(_)));
    let error = refused("a.wav", &wav(44_100, 1, &[], &[]), &[]);
    assert!(matches!(error, ImportError::Empty(_) | ImportError::Damaged(_)), "{error}");
}

#[test]
fn a_truncated_sound_is_imported_up_to_its_end_with_a_remark() {
    let bytes = wav(44_100, 1, &SAMPLES.repeat(500), &[]);
    let product = made("a.wav", &bytes[..bytes.len() / 2], &[]);
    assert!(product.warnings.iter().any(|warning| warning.message.contains("ends early")), "{:?}", product.warnings);
}

#[test]
fn damaged_lossless_files_give_an_error_or_a_product_and_never_a_panic() {
    check_damage(&IMPORTER, "a.wav", &wav(44_100, 2, &SAMPLES.repeat(8), &sampler(2, 20)), 600);
    check_damage(&IMPORTER, "a.aif", &aiff(44_100, 1, &SAMPLES.repeat(8), &markers(3, 30)), 600);
    check_damage(&IMPORTER, "a.flac", &flac(44_100, &SAMPLES.repeat(16)), 600);
}

#[test]
fn damaged_lossy_files_give_an_error_or_a_product_and_never_a_panic() {
    let sound = sine(44_100, 0.1, 440.0, -6.0);
    check_damage(&IMPORTER, "a.mp3", &mp3(44_100, 1, &sound), 300);
    check_damage(&IMPORTER, "a.ogg", &ogg(44_100, &sound, |_| ()), 200);
}

#[test]
fn damaged_packets_with_right_checksums_never_make_a_panic() {
    let sound = sine(44_100, 0.1, 440.0, -6.0);
    let mut imported = 0;
    for seed in 0..200 {
        let mut packets = 0;
        let bytes = ogg(44_100, &sound, |packet| {
            packets += 1;
            // One packet of each file is damaged: the headers in some files, the sound in others.
            if packets == 1 + seed % 6 {
                flip_bits(packet, seed);
            }
        });
        imported += u32::from(import(&IMPORTER, "a.ogg", &bytes, &[]).is_ok());
    }
    assert!((20..180).contains(&imported), "{imported} of 200 were imported");
}
