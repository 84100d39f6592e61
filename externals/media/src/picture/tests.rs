//! Pictures show what was imported.

use image::{DynamicImage, ImageFormat, Rgb32FImage};
use view::classes::bitmap::{AlphaKind, TexelFormat};
use view::classes::sound::SampleFormat;

use super::*;
use crate::lscript::variant;
use crate::trial::import;
use crate::{bitmap, sound};

/// A gradient with this alpha.
fn gradient(width: u32, height: u32, alpha: u8) -> Picture {
    let mut picture = Picture::filled(width, height, [0; 4]);
    for y in 0..height {
        for x in 0..width {
            picture.set(x, y, [(x * 255 / width) as u8, (y * 255 / height) as u8, 90, alpha]);
        }
    }
    picture
}

/// The sheet of an image file that is imported in a format.
fn sheet_of(name: &str, bytes: &[u8], format: &str, alpha: AlphaKind, size: (u32, u32)) -> Picture {
    let product = import(&bitmap::IMPORTER, name, bytes, &[("format", format)]).unwrap();
    let side = |side: u32, level: usize| (side >> level).max(1);
    let levels: Vec<SheetLevel<'_>> = product
        .parts
        .iter()
        .enumerate()
        .map(|(level, part)| SheetLevel { width: side(size.0, level), height: side(size.1, level), bytes: &part.bytes })
        .collect();
    contact_sheet(&levels, variant::<TexelFormat>(format).unwrap(), alpha).unwrap()
}

fn assert_near(found: [u8; 4], expected: [u8; 4], what: &str) {
    let is_near = found.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) <= 12);
    assert!(is_near, "{what}: {found:?}, expected {expected:?}");
}

#[test]
fn a_sheet_has_the_colours_of_the_source_in_every_format() {
    let source = gradient(64, 40, 255);
    for format in ["bc1", "bc3", "bc7", "rgba8"] {
        let sheet = sheet_of("a.png", &source.to_png(), format, AlphaKind::None, (64, 40));
        assert_eq!((sheet.width, sheet.height), (GAP + 64 + GAP + 32 + GAP, 39 + 7 * GAP), "{format}");
        for (x, y) in [(0, 0), (5, 37), (33, 20), (63, 39), (62, 1)] {
            assert_near(sheet.pixel(GAP + x, GAP + y), source.pixel(x, y), format);
        }
        for (x, y) in [(2, 2), (30, 18)] {
            let next = sheet.pixel(GAP + 64 + GAP + x, GAP + y);
            assert_near(next, source.pixel(x * 2, y * 2), &format!("{format}, mip level 1"));
        }
    }
}

#[test]
fn one_channel_is_grey_and_normals_have_their_third_component() {
    let grey = Picture {
        pixels: gradient(16, 16, 255).pixels.iter().map(|[x, ..]| [*x, *x, *x, 255]).collect(),
        ..gradient(16, 16, 255)
    };
    let product = sheet_of("a.png", &grey.to_png(), "bc4", AlphaKind::None, (16, 16));
    assert_near(product.pixel(GAP + 9, GAP + 3), grey.pixel(9, 3), "bc4");
    let normal = [217, 128, 217, 255];
    let sheet = sheet_of("a_n.png", &Picture::filled(16, 16, normal).to_png(), "bc5", AlphaKind::None, (16, 16));
    assert_near(sheet.pixel(GAP + 7, GAP + 7), normal, "bc5");
}

#[test]
fn floats_are_mapped_so_that_every_brightness_is_seen() {
    let image = Rgb32FImage::from_fn(16, 16, |x, _| image::Rgb([if x < 8 { 1.0 } else { 4.0 }; 3]));
    let mut file = Cursor::new(Vec::new());
    DynamicImage::ImageRgb32F(image).write_to(&mut file, ImageFormat::OpenExr).unwrap();
    for format in ["bc6h", "rgba16f"] {
        let sheet = sheet_of("sky.exr", file.get_ref(), format, AlphaKind::None, (16, 16));
        // 1 ∕ 2 and 4 ∕ 5 of linear light as sRGB.
        assert_near(sheet.pixel(GAP + 2, GAP + 2), [188, 188, 188, 255], format);
        assert_near(sheet.pixel(GAP + 13, GAP + 2), [231, 231, 231, 255], format);
    }
}

#[test]
fn transparent_texels_show_squares_of_two_greys() {
    let clear = gradient(32, 32, 0);
    let sheet = sheet_of("a.png", &clear.to_png(), "rgba8", AlphaKind::Blend, (32, 32));
    let (one, other) = (sheet.pixel(GAP + 1, GAP + 1), sheet.pixel(GAP + 9, GAP + 1));
    assert!(one != other && one[3] == 255, "{one:?}, {other:?}");
}

#[test]
fn a_large_bitmap_is_shown_smaller_and_a_hostile_one_is_refused() {
    let bytes = vec![7; 4096 * 2048 * 4];
    let level = SheetLevel { width: 4096, height: 2048, bytes: &bytes };
    let sheet = contact_sheet(&[level; 100], TexelFormat::Rgba8, AlphaKind::None).unwrap();
    assert!(sheet.width <= SIDE_MAX && sheet.height <= SIDE_MAX, "{} × {}", sheet.width, sheet.height);
    for (width, height, format) in
        [(4096, 2047, TexelFormat::Rgba8), (u32::MAX, u32::MAX, TexelFormat::Bc1), (0, 4, TexelFormat::Bc7)]
    {
        let refused = contact_sheet(&[SheetLevel { width, height, bytes: &bytes }], format, AlphaKind::None);
        assert!(matches!(refused, Err(PictureError::Part(_))), "{width} × {height}");
    }
    assert_eq!(contact_sheet(&[], TexelFormat::Bc1, AlphaKind::None), Err(PictureError::Empty("mip levels")));
}

/// A WAVE file of one channel at 8 kHz.
fn wave(samples: &[i16]) -> Vec<u8> {
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + bytes.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data");
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(bytes);
    file
}

#[test]
fn a_waveform_is_as_high_as_its_sound_is_loud() {
    // Silence, then a square wave of a quarter of the full scale.
    let samples: Vec<i16> = (0..8000)
        .map(|frame| {
            if frame < 4000 {
                0
            } else if frame / 4 % 2 == 0 {
                8192
            } else {
                -8192
            }
        })
        .collect();
    for (name, format) in [("pcm16", SampleFormat::Pcm16), ("ima_adpcm", SampleFormat::ImaAdpcm)] {
        let options = [("format", name), ("normalise", "false")];
        let product = import(&sound::IMPORTER, "a.wav", &wave(&samples), &options).unwrap();
        let parts: Vec<&[u8]> = product.parts.iter().map(|part| part.bytes.as_slice()).collect();
        assert_eq!(parts.len(), 2);
        let takes = vec![ShownTake { frames: 8000, parts }];
        let shown = ShownSound { format, channels: 1, part_frames: 4000, looped: Some((0, 4000)), takes };
        let picture = waveform(&shown).unwrap();
        let height = |column: u32| {
            let zero = picture.pixel(GAP + 100, GAP + 3);
            (0..128)
                .filter(|row| {
                    ![zero, picture.pixel(0, 0), [24, 24, 28, 255]].contains(&picture.pixel(GAP + column, GAP + row))
                })
                .count()
        };
        assert_eq!(height(200), 1, "{name}: silence is a line");
        let loud = height(800);
        assert!((30..=38).contains(&loud), "{name}: {loud} of 128 rows");
        assert_ne!(picture.pixel(GAP + 100, GAP + 3), picture.pixel(GAP + 900, GAP + 3), "the loop is marked");
        let cut = ShownSound { takes: vec![ShownTake { frames: 7999, parts: vec![b"ab"] }], ..shown };
        assert!(matches!(waveform(&cut), Err(PictureError::Part(_))), "{name}");
    }
}
