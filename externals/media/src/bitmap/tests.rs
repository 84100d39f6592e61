//! Images of every format are decoded, processed and compressed; damaged ones are refused.

mod decoding;
mod formats;
mod processing;
mod quality;

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use tags::Tag;
use view::classes::Bitmap;

use crate::bitmap::IMPORTER;
use crate::trial::{check_class, import};
use crate::{ImportError, Product};

/// A product of the importer, checked against the class.
fn made(name: &str, bytes: &[u8], options: &[(&str, &str)]) -> Product {
    let product = import(&IMPORTER, name, bytes, options).unwrap();
    check_class(&product, Bitmap::class());
    product
}

fn refused(name: &str, bytes: &[u8], options: &[(&str, &str)]) -> ImportError {
    import(&IMPORTER, name, bytes, options).unwrap_err()
}

fn written(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

/// Opaque pixels: a gradient with a hard edge.
fn picture(width: u32, height: u32) -> image::RgbImage {
    image::RgbImage::from_fn(width, height, |x, y| {
        let edge = if x * 3 > y * 4 { 90 } else { 0 };
        image::Rgb([(x * 200 / width) as u8 + edge / 2, (y * 150 / height) as u8 + edge, 40 + edge / 2])
    })
}

/// The handmade bytes of a Photoshop file: RGB with 8 bits, raw or PackBits, planes given one after the other.
fn psd(width: u32, height: u32, planes: &[Vec<u8>], is_packed: bool, layer_count: i16) -> Vec<u8> {
    let mut bytes = b"8BPS\0\x01\0\0\0\0\0\0".to_vec();
    bytes.extend((planes.len() as u16).to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend([0, 8, 0, 3]);
    bytes.extend([0; 8]);
    bytes.extend([0, 0, 0, 6, 0, 0, 0, 2]);
    bytes.extend(layer_count.to_be_bytes());
    bytes.extend([0, u8::from(is_packed)]);
    if is_packed {
        let rows: Vec<Vec<u8>> = planes
            .iter()
            .flat_map(|plane| plane.chunks(width as usize))
            .map(|row| {
                // The first byte repeated once, then the others as they are.
                let mut packed = vec![(-1i8) as u8, row[0], (row.len() - 3) as u8];
                packed.extend(&row[2..]);
                packed
            })
            .collect();
        rows.iter().for_each(|row| bytes.extend((row.len() as u16).to_be_bytes()));
        rows.iter().for_each(|row| bytes.extend(row));
    } else {
        planes.iter().for_each(|plane| bytes.extend(plane));
    }
    bytes
}
