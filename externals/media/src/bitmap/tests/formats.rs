//! Every file format gives the pixels that were written, and damaged files are refused.

use image::{DynamicImage, ImageFormat};

use super::{made, picture, psd, refused, written};
use crate::ImportError;
use crate::bitmap::IMPORTER;
use crate::bitmap::decode::decode;
use crate::bitmap::raster::Samples;
use crate::limits::{PIXELS_FREE, PIXELS_PER_BYTE};
use crate::trial::check_damage;

fn bytes_of(extension: &str, bytes: &[u8]) -> (usize, Vec<u8>) {
    let raster = decode(extension, bytes).unwrap().raster;
    match raster.samples {
        Samples::U8(samples) => (raster.channels, samples),
        other => panic!("8 bits expected: {other:?}"),
    }
}

#[test]
fn lossless_formats_give_the_pixels_that_were_written() {
    let opaque = DynamicImage::ImageRgb8(picture(13, 7));
    let clear = DynamicImage::ImageRgba8(image::RgbaImage::from_fn(5, 6, |x, y| {
        image::Rgba([x as u8 * 40, y as u8 * 30, 7, (x * y * 8) as u8])
    }));
    let grey = DynamicImage::ImageLuma8(image::GrayImage::from_fn(9, 4, |x, y| image::Luma([(x * 20 + y) as u8])));
    for image in [&opaque, &clear, &grey] {
        for (format, extension) in [(ImageFormat::Png, "png"), (ImageFormat::Tga, "tga"), (ImageFormat::Tiff, "tif")] {
            let (channels, samples) = bytes_of(extension, &written(image, format));
            assert_eq!(
                (channels, &*samples),
                (usize::from(image.color().channel_count()), image.as_bytes()),
                "{extension}"
            );
        }
    }
    let deep = image::ImageBuffer::from_fn(4, 4, |x, y| image::Rgb([x as u16 * 9000, y as u16 * 9001, 65_535]));
    for format in [ImageFormat::Png, ImageFormat::Tiff] {
        let raster = decode("png", &written(&DynamicImage::ImageRgb16(deep.clone()), format)).unwrap().raster;
        assert!(matches!(raster.samples, Samples::U16(samples) if samples == *deep.as_raw()));
    }
}

#[test]
fn jpeg_is_near_what_was_written() {
    let image = picture(32, 24);
    let (_, samples) = bytes_of("jpg", &written(&DynamicImage::ImageRgb8(image.clone()), ImageFormat::Jpeg));
    let error: u32 = samples.iter().zip(image.as_raw()).map(|(found, wanted)| u32::from(found.abs_diff(*wanted))).sum();
    assert!(error / (samples.len() as u32) < 6, "{error}");
}

#[test]
fn floats_keep_their_brightness() {
    let floats = image::Rgb32FImage::from_fn(8, 4, |x, y| image::Rgb([x as f32 * 3.0, y as f32 * 0.25, 12.5]));
    let image = DynamicImage::ImageRgb32F(floats.clone());
    let exr = decode("exr", &written(&image, ImageFormat::OpenExr)).unwrap().raster;
    assert!(matches!(&exr.samples, Samples::F32(samples) if samples == floats.as_raw()), "{:?}", exr.samples);
    let hdr = decode("hdr", &written(&image, ImageFormat::Hdr)).unwrap().raster;
    let Samples::F32(samples) = &hdr.samples else { panic!("floats") };
    for (found, wanted) in samples.iter().zip(floats.as_raw()) {
        assert!((found - wanted).abs() <= 0.01 * 21.0, "{found} {wanted}");
    }
}

#[test]
fn the_composite_of_a_photoshop_file_is_read() {
    let planes: Vec<Vec<u8>> = [10, 100, 200].map(|start| (0..24).map(|pixel| start + pixel).collect()).to_vec();
    let wanted: Vec<u8> = (0..24).flat_map(|pixel| [10 + pixel, 100 + pixel, 200 + pixel]).collect();
    assert_eq!(bytes_of("psd", &psd(6, 4, &planes, false, 1)), (3, wanted));
    let mut planes = planes;
    planes.iter_mut().for_each(|plane| (0..24).step_by(6).for_each(|row| plane[row + 1] = plane[row]));
    let packed = bytes_of("psd", &psd(6, 4, &planes, true, 1)).1;
    assert_eq!(packed[..9], [10, 100, 200, 10, 100, 200, 12, 102, 202]);
}

#[test]
fn a_photoshop_file_has_the_white_behind_transparent_layers_taken_out_but_not_behind_saved_channels() {
    // A texel of red 100 and opacity 0.5 over white.
    let planes = vec![vec![178], vec![128], vec![128], vec![128]];
    let of = |layers| bytes_of("psd", &psd(1, 1, &planes, false, layers));
    assert_eq!(of(-1), (4, vec![102, 2, 2, 128]));
    assert_eq!(of(1), (4, vec![178, 128, 128, 128]));
}

#[test]
fn the_content_decides_and_not_the_extension() {
    let png = written(&DynamicImage::ImageRgb8(picture(8, 8)), ImageFormat::Png);
    let product = made("picture.jpg", &png, &[]);
    assert_eq!(product.warnings[0].message, "it is named .jpg, but holds a png image, which was imported");
    assert!(made("picture.png", &png, &[]).warnings.is_empty());
    assert!(matches!(refused("picture.png", b"this is a letter, and no image", &[]), ImportError::Damaged(_)));
    assert!(matches!(refused("picture.png", b"GIF89a\x01\0\x01\0", &[]), ImportError::Unsupported(_)));
    assert!(matches!(refused("picture.png", b"", &[]), ImportError::Damaged(_)));
}

#[test]
fn a_short_file_gives_so_many_pixels_and_a_longer_one_more() {
    // Heads of images with a bit for each pixel, and zeros.
    let refusal = |side: u32, bytes: usize| {
        let mut png = written(&DynamicImage::ImageRgb8(picture(8, 8)), ImageFormat::Png);
        for place in [16, 20] {
            png[place..place + 4].copy_from_slice(&side.to_be_bytes());
        }
        png[24..26].copy_from_slice(&[1, 0]);
        let crc = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        png.truncate(png.windows(4).position(|name| name == b"IDAT").unwrap() + 4);
        png.resize(bytes, 0);
        refused("a.png", &png, &[])
    };
    let pixels = 8192 * 8192;
    let short = refusal(8192, 4000);
    let limit = PIXELS_FREE + 4000 * PIXELS_PER_BYTE;
    assert_eq!(short, ImportError::TooLarge { what: "pixels for the length of its file", found: pixels, limit });
    for (side, bytes) in [(4096, 4000), (8192, ((pixels - PIXELS_FREE) / PIXELS_PER_BYTE) as usize)] {
        assert!(matches!(refusal(side, bytes), ImportError::Damaged(_)), "{side}");
    }
}

#[test]
fn gigantic_and_empty_images_are_refused_by_their_headers() {
    let too_large = |name: &str, bytes: &[u8]| {
        let error = refused(name, bytes, &[]);
        assert!(matches!(error, ImportError::TooLarge { found: 60_000, .. }), "{name}: {error}");
    };
    // The side of 60,000 pixels is written into the headers of small files.
    let image = DynamicImage::ImageRgb8(picture(8, 8));
    let mut png = written(&image, ImageFormat::Png);
    for place in [16, 20] {
        png[place..place + 4].copy_from_slice(&60_000u32.to_be_bytes());
    }
    let crc = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&crc.to_be_bytes());
    too_large("a.png", &png);
    let mut tga = written(&image, ImageFormat::Tga);
    tga[12..16].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    too_large("a.tga", &tga);
    let mut jpeg = written(&image, ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xea, 0x60, 0xea, 0x60]);
    too_large("a.jpg", &jpeg);
    too_large("a.psd", &psd(60_000, 60_000, &[], false, 0));
    let floats = DynamicImage::ImageRgb32F(image::Rgb32FImage::new(8, 8));
    let hdr = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 60000 +X 60000\n";
    too_large("a.hdr", hdr.as_bytes());
    for window in ["dataWindow", "displayWindow"] {
        let mut exr = written(&floats, ImageFormat::OpenExr);
        let name = format!("{window}\0box2i\0");
        let place = exr.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap() + name.len() + 4;
        exr[place + 8..place + 12].copy_from_slice(&59_999u32.to_le_bytes());
        exr[place + 12..place + 16].copy_from_slice(&59_999u32.to_le_bytes());
        too_large("a.exr", &exr);
    }
    let mut tiff = written(&image, ImageFormat::Tiff);
    let directory = u32::from_le_bytes(tiff[4..8].try_into().unwrap()) as usize;
    assert_eq!(tiff[directory + 2..directory + 4], [0, 1], "the tag of the width comes first");
    tiff[directory + 4..directory + 14].copy_from_slice(&[4, 0, 1, 0, 0, 0, 0x60, 0xea, 0, 0]);
    too_large("a.tif", &tiff);
    assert_eq!(refused("a.psd", &psd(0, 4, &[], false, 0), &[]), ImportError::Empty("pixels"));
    tga[12..16].copy_from_slice(&[0, 0, 8, 0]);
    assert!(matches!(
        refused("a.tga", &tga, &[]),
        ImportError::Empty(_) | ImportError::Damaged(_) | ImportError::Unsupported(_)
    ));
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

#[test]
fn damaged_files_give_an_error_or_a_product_and_never_a_panic() {
    let image = DynamicImage::ImageRgb8(picture(12, 12));
    let floats = DynamicImage::ImageRgb32F(image.to_rgb32f());
    let planes: Vec<Vec<u8>> = vec![(0..36).collect(); 4];
    check_damage(&IMPORTER, "a.png", &written(&image, ImageFormat::Png), 400);
    check_damage(&IMPORTER, "a.jpg", &written(&image, ImageFormat::Jpeg), 400);
    check_damage(&IMPORTER, "a.tga", &written(&image, ImageFormat::Tga), 400);
    check_damage(&IMPORTER, "a.tif", &written(&image, ImageFormat::Tiff), 400);
    check_damage(&IMPORTER, "a.hdr", &written(&floats, ImageFormat::Hdr), 400);
    check_damage(&IMPORTER, "a.psd", &psd(6, 6, &planes, false, -1), 400);
    check_damage(&IMPORTER, "b.psd", &psd(6, 6, &planes, true, 1), 400);
}

#[test]
fn damaged_openexr_files_give_an_error_or_a_product_and_never_a_panic() {
    let floats = DynamicImage::ImageRgb32F(DynamicImage::ImageRgb8(picture(6, 6)).to_rgb32f());
    check_damage(&IMPORTER, "a.exr", &written(&floats, ImageFormat::OpenExr), 400);
}
