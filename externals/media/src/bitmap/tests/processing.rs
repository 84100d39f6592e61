//! Mip levels, alpha, normals, cube maps, sequences and the choice of formats.

use image::{DynamicImage, ImageFormat};
use proptest::prelude::*;

use super::{made, picture, refused, written};
use crate::ImportError;
use crate::bitmap::mips::{Averaging, coverage, half, keep_coverage};
use crate::bitmap::surface::Surface;
use crate::bitmap::{IMPORTER, cube};
use crate::trial::{field, import_beside};

fn surface(width: u32, height: u32, texel: impl Fn(u32, u32) -> [f32; 4]) -> Surface {
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| texel(x, y)).collect();
    Surface { width, height, texels }
}

fn noise(x: u32, y: u32, channel: u32) -> f32 {
    let mixed = (x.wrapping_mul(374_761_393) ^ y.wrapping_mul(668_265_263) ^ channel.wrapping_mul(40_503))
        .wrapping_mul(1_274_126_177);
    (mixed >> 16) as f32 / 65_536.0
}

fn rgba(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let image = image::RgbaImage::from_fn(width, height, |x, y| image::Rgba(pixel(x, y)));
    written(&DynamicImage::ImageRgba8(image), ImageFormat::Png)
}

proptest! {
    #[test]
    fn every_level_has_the_average_of_the_image(width in 1u32..40, height in 1u32..40) {
        let full = surface(width, height, |x, y| [0, 1, 2, 3].map(|channel| noise(x, y, channel)));
        for (averaging, is_premultiplied) in [(Averaging::Plain, true), (Averaging::ByAlpha, false)] {
            let wanted = full.sum(is_premultiplied).map(|sum| sum / full.texels.len() as f64);
            let mut level = full.clone();
            while level.width.max(level.height) > 1 {
                level = half(&level, averaging);
                let found = level.sum(is_premultiplied).map(|sum| sum / level.texels.len() as f64);
                for channel in 0..4 {
                    prop_assert!((found[channel] - wanted[channel]).abs() < 1e-5, "{:?} {:?}", found, wanted);
                }
            }
        }
    }
}

#[test]
fn levels_are_averaged_in_linear_light() {
    // Black and white lines: half of the light is sRGB 188, not 128.
    let product = made(
        "lines.png",
        &rgba(4, 4, |x, _| if x % 2 == 0 { [0, 0, 0, 255] } else { [255; 4] }),
        &[("format", "rgba8")],
    );
    assert_eq!(product.parts.len(), 3);
    assert_eq!(product.parts[1].bytes[..4], [188, 188, 188, 255]);
    assert_eq!(field(&product, "average"), "[0.5, 0.5, 0.5, 1]");
    assert_eq!(field(&product, "levels").matches("part").count(), 3);
    let linear = [("format", "rgba8"), ("colour_space", "linear")];
    let product = made("lines.png", &rgba(4, 4, |x, _| if x % 2 == 0 { [0, 0, 0, 255] } else { [255; 4] }), &linear);
    assert_eq!(product.parts[2].bytes, [128, 128, 128, 255]);
}

#[test]
fn the_colour_of_transparent_texels_does_not_bleed() {
    let bytes = rgba(4, 4, |x, _| if x % 2 == 0 { [200, 10, 10, 255] } else { [0, 255, 0, 0] });
    let product = made("leaf.png", &bytes, &[("format", "rgba8"), ("alpha", "blend")]);
    assert_eq!(product.parts[1].bytes[..4], [200, 10, 10, 128]);
    assert_eq!((field(&product, "alpha"), field(&product, "opaque")), ("\"blend\"", "false"));
    let product = made("leaf.png", &bytes, &[("format", "rgba8"), ("premultiply", "true")]);
    assert_eq!(product.parts[0].bytes[4..8], [0, 0, 0, 0]);
    assert_eq!(field(&product, "alpha"), "\"premultiplied\"");
    let product = made("leaf.png", &bytes, &[("format", "rgba8"), ("alpha", "none")]);
    assert_eq!(product.parts[0].bytes[4..8], [0, 255, 0, 255]);
    assert_eq!(field(&product, "opaque"), "true");
}

#[test]
fn a_mask_keeps_its_covered_area_in_all_levels() {
    // Thin random leaves: without a correction, the far levels would vanish.
    let full = surface(128, 128, |x, y| [1.0, 1.0, 1.0, f32::from(u8::from(noise(x, y, 0) > 0.7))]);
    let wanted = coverage(&full, 1.0);
    let mut level = full;
    for _ in 0..4 {
        level = half(&level, Averaging::ByAlpha);
        let mut kept = level.clone();
        keep_coverage(&mut kept, wanted);
        assert!((coverage(&kept, 1.0) - wanted).abs() < 0.06, "{} {wanted}", coverage(&kept, 1.0));
    }
    assert!(coverage(&level, 1.0) < 0.05, "the correction is needed: {}", coverage(&level, 1.0));
    let bytes = rgba(8, 8, |x, y| [255, 255, 255, if noise(x, y, 3) > 0.5 { 255 } else { 0 }]);
    assert_eq!(field(&made("leaf.png", &bytes, &[]), "alpha"), "\"mask\"");
}

#[test]
fn normals_stay_unit_vectors_and_are_found_by_name() {
    let level = half(
        &surface(2, 1, |x, _| if x == 0 { [1.0, 0.5, 0.5, 1.0] } else { [0.5, 0.5, 1.0, 1.0] }),
        Averaging::Normals,
    );
    let [x, y, z, _] = level.texels[0].map(|channel| f64::from(channel) * 2.0 - 1.0);
    assert!((x - 0.5f64.sqrt()).abs() < 1e-6 && y.abs() < 1e-6 && (z - 0.5f64.sqrt()).abs() < 1e-6);
    let bytes = written(
        &DynamicImage::ImageRgb8(image::RgbImage::from_pixel(8, 8, image::Rgb([128, 180, 240]))),
        ImageFormat::Png,
    );
    let product = made("wall_n.png", &bytes, &[]);
    assert_eq!(
        (field(&product, "kind"), field(&product, "format"), field(&product, "colour_space")),
        ("\"normal_map\"", "\"bc5\"", "\"linear\"")
    );
    assert_eq!(field(&made("wall.png", &bytes, &[]), "kind"), "\"2d\"");
    let raw = |normal_y| {
        made("a.png", &bytes, &[("kind", "normal_map"), ("format", "rgba8"), ("normal_y", normal_y)]).parts[0].bytes[1]
    };
    assert!(raw("up") > 170 && raw("down") < 85);
    let error = refused("wall_n.png", &bytes, &[("colour_space", "srgb")]);
    assert!(matches!(error, ImportError::Option { name: "colour_space", .. }));
}

#[test]
fn the_faces_of_a_cube_are_found_in_strips_and_crosses() {
    let number = |faces: &[Surface]| faces.iter().map(|face| face.texel(0, 0)[0]).collect::<Vec<_>>();
    // Texel values number the cells in reading order.
    let cells = |columns: u32, rows: u32| {
        surface(columns * 2, rows * 2, |x, y| [(y / 2 * columns + x / 2) as f32, (x % 2 + y % 2 * 2) as f32, 0.0, 1.0])
    };
    assert_eq!(number(&cube::faces(&cells(6, 1)).unwrap()), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(number(&cube::faces(&cells(1, 6)).unwrap()), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(number(&cube::faces(&cells(4, 3)).unwrap()), [6.0, 4.0, 1.0, 9.0, 5.0, 7.0]);
    let cross = cube::faces(&cells(3, 4)).unwrap();
    assert_eq!(number(&cross), [5.0, 3.0, 1.0, 7.0, 4.0, 10.0]);
    assert_eq!((cross[4].texel(0, 0)[1], cross[5].texel(0, 0)[1]), (0.0, 3.0), "the back is turned");
    assert!(cube::faces(&cells(2, 2)).is_err());
    let product = made(
        "sky.png",
        &written(&DynamicImage::ImageRgb8(picture(48, 8)), ImageFormat::Png),
        &[("kind", "cube"), ("format", "bc1")],
    );
    assert_eq!((field(&product, "layers"), field(&product, "width")), ("6", "8"));
    assert_eq!(product.parts[0].bytes.len(), 6 * 4 * 8);
}

#[test]
fn a_sequence_reads_its_frames_until_one_is_missing() {
    let frame = |value: u8| rgba(4, 4, |_, _| [value, 0, 0, 255]);
    let beside = |name: &str| match name {
        "fire.0010.png" => Ok(frame(20)),
        "fire.0011.png" => Ok(frame(30)),
        other => Err(format!("no {other}")),
    };
    let options = [("kind", "sequence"), ("format", "rgba8"), ("mips", "false")];
    let product = import_beside(&IMPORTER, "fire.0009.png", &frame(10), &options, &beside).unwrap();
    assert_eq!((field(&product, "layers"), product.parts.len()), ("3", 1));
    let bytes = &product.parts[0].bytes;
    assert_eq!([bytes[0], bytes[64], bytes[128]], [10, 20, 30]);
    let other_size = |_: &str| Ok(rgba(8, 8, |_, _| [0; 4]));
    let error = import_beside(&IMPORTER, "fire_1.png", &frame(10), &options, &other_size).unwrap_err();
    assert!(matches!(error, ImportError::Beside { .. }), "{error}");
    assert!(matches!(refused("fire.png", &frame(1), &options), ImportError::Option { .. }));
}

#[test]
fn the_format_follows_from_the_content() {
    let format = |name: &str, bytes: &[u8]| field(&made(name, bytes, &[]), "format").to_string();
    let flat = DynamicImage::ImageRgb8(image::RgbImage::from_pixel(16, 16, image::Rgb([90, 90, 180])));
    assert_eq!(format("a.png", &written(&flat, ImageFormat::Png)), "\"bc1\"");
    let noisy = rgba(16, 16, |x, y| {
        [0, 1, 2, 3].map(|channel| if channel == 3 { 255 } else { (noise(x, y, channel) * 255.0) as u8 })
    });
    assert_eq!(format("a.png", &noisy), "\"bc7\"");
    assert_eq!(format("a.png", &rgba(8, 8, |x, y| [9, 9, 9, (x * y) as u8])), "\"bc7\"");
    let grey = DynamicImage::ImageLuma8(image::GrayImage::from_fn(8, 8, |x, _| image::Luma([x as u8 * 9])));
    assert_eq!(format("a.png", &written(&grey, ImageFormat::Png)), "\"bc4\"");
    let floats = DynamicImage::ImageRgb32F(image::Rgb32FImage::from_pixel(8, 8, image::Rgb([3.0, 2.0, 1.0])));
    assert_eq!(format("a.exr", &written(&floats, ImageFormat::OpenExr)), "\"bc6h\"");
    let clear = DynamicImage::ImageRgba32F(image::Rgba32FImage::from_pixel(8, 8, image::Rgba([3.0, 2.0, 1.0, 0.5])));
    let product = made("a.exr", &written(&clear, ImageFormat::OpenExr), &[]);
    assert_eq!((field(&product, "format"), field(&product, "alpha")), ("\"rgba16f\"", "\"premultiplied\""));
    assert_eq!(format("a.png", &written(&DynamicImage::ImageRgb8(picture(30, 30)), ImageFormat::Png)), "\"rgba8\"");
}

#[test]
fn any_size_can_be_compressed_and_a_large_image_is_halved_to_its_limit() {
    for (width, height) in [(1, 1), (3, 5), (4, 6), (17, 2), (33, 31)] {
        let png = written(&DynamicImage::ImageRgb8(picture(width, height)), ImageFormat::Png);
        let product = made("a.png", &png, &[("format", "bc1")]);
        let (mut width, mut height) = (width, height);
        for part in &product.parts {
            assert_eq!(part.bytes.len() as u32, width.div_ceil(4) * height.div_ceil(4) * 8);
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        let last = product.parts.last().unwrap();
        assert_eq!(last.bytes.len(), 8);
    }
    let png = written(&DynamicImage::ImageRgb8(picture(64, 20)), ImageFormat::Png);
    let product = made("a.png", &png, &[("max_size", "16"), ("mips", "false")]);
    assert_eq!((field(&product, "width"), field(&product, "height"), product.parts.len()), ("16", "5", 1));
    assert!(matches!(refused("a.png", &png, &[("max_size", "0")]), ImportError::Option { name: "max_size", .. }));
}

#[test]
fn what_a_format_cannot_hold_is_remarked() {
    let product = made("a.png", &rgba(4, 4, |x, _| [9, 9, 9, x as u8]), &[("format", "bc1")]);
    assert!(product.warnings[0].message.contains("no alpha"));
    let floats = DynamicImage::ImageRgb32F(image::Rgb32FImage::from_pixel(4, 4, image::Rgb([3.0, f32::NAN, -1.0])));
    let product = made("a.exr", &written(&floats, ImageFormat::OpenExr), &[("format", "rgba8")]);
    let messages: Vec<&str> = product.warnings.iter().map(|warning| &*warning.message).collect();
    assert!(
        messages.len() == 2 && messages[0].contains("clamped to") && messages[1].contains("0 to 1"),
        "{messages:?}"
    );
    assert_eq!(product.parts[0].bytes[..4], [255, 0, 0, 255]);
}
