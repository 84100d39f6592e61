//! From the bytes of an image file to its samples. This is the door to the crate `image`.
//!
//! The content decides about the format; the extension only where the format has no signature (Targa). The dimensions
//! are read from the header and checked before anything is allocated for pixels.

use std::io::Cursor;

use image::error::{ImageError, LimitErrorKind};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::bitmap::psd;
use crate::bitmap::raster::{Raster, Samples};
use crate::codec::guarded;
use crate::error::ImportError;
use crate::limits::{DECODED_BYTES_MAX, PIXELS_FREE, PIXELS_MAX, PIXELS_PER_BYTE, SIDE_MAX};

/// A decoded file.
#[derive(Debug)]
pub struct Decoded {
    /// Its pixels.
    pub raster: Raster,
    /// What a person should know, if the extension does not fit the content.
    pub warning: Option<String>,
}

/// Decodes a file.
pub fn decode(extension: &str, bytes: &[u8]) -> Result<Decoded, ImportError> {
    let (format, raster) = if psd::is_psd(bytes) {
        ("psd", psd::decode(bytes)?)
    } else {
        let format = format_of(extension, bytes)?;
        (name(format), guarded(|| decode_image(format, bytes))?)
    };
    let fits = match extension {
        "tif" => format == "tiff",
        "jpg" => format == "jpeg",
        other => format == other,
    };
    let warning = (!fits).then(|| format!("it is named .{extension}, but holds a {format} image, which was imported"));
    Ok(Decoded { raster, warning })
}

/// Refuses dimensions that are zero, above the limits, or more than a file of so many bytes may give.
pub fn check_size(width: u32, height: u32, bytes: usize) -> Result<(), ImportError> {
    if width == 0 || height == 0 {
        return Err(ImportError::Empty("pixels"));
    }
    let side = width.max(height);
    if side > SIDE_MAX {
        return Err(ImportError::TooLarge {
            what: "pixels on a side",
            found: u64::from(side),
            limit: u64::from(SIDE_MAX),
        });
    }
    let pixels = u64::from(width) * u64::from(height);
    if pixels > PIXELS_MAX {
        return Err(ImportError::TooLarge { what: "pixels", found: pixels, limit: PIXELS_MAX });
    }
    let limit = PIXELS_FREE.saturating_add(PIXELS_PER_BYTE.saturating_mul(bytes as u64));
    if pixels > limit {
        return Err(ImportError::TooLarge { what: "pixels for the length of its file", found: pixels, limit });
    }
    Ok(())
}

const FORMATS: &[(ImageFormat, &str)] = &[
    (ImageFormat::Png, "png"),
    (ImageFormat::Jpeg, "jpeg"),
    (ImageFormat::Tiff, "tiff"),
    (ImageFormat::Tga, "tga"),
    (ImageFormat::OpenExr, "exr"),
    (ImageFormat::Hdr, "hdr"),
];

fn name(format: ImageFormat) -> &'static str {
    FORMATS.iter().find(|(known, _)| *known == format).map_or("unknown", |(_, name)| name)
}

fn format_of(extension: &str, bytes: &[u8]) -> Result<ImageFormat, ImportError> {
    match image::guess_format(bytes) {
        Ok(format) if FORMATS.iter().any(|(known, _)| *known == format) => Ok(format),
        Ok(format) => Err(ImportError::Unsupported(format!("{format:?} images; save it as PNG or TIFF"))),
        Err(_) if extension == "tga" => Ok(ImageFormat::Tga),
        Err(_) => Err(ImportError::Damaged(format!("it does not begin as an image of the kind .{extension} does"))),
    }
}

fn decode_image(format: ImageFormat, bytes: &[u8]) -> Result<Raster, ImportError> {
    if format == ImageFormat::OpenExr {
        check_exr_windows(bytes)?;
    }
    let mut limits = Limits::default();
    limits.max_image_width = None;
    limits.max_image_height = None;
    limits.max_alloc = Some(DECODED_BYTES_MAX / 2);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(error)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, bytes.len())?;
    limits.reserve(decoder.total_bytes()).map_err(error)?;
    decoder.set_limits(limits).map_err(error)?;
    let image = DynamicImage::from_decoder(decoder).map_err(error)?;
    let (channels, samples) = match image {
        DynamicImage::ImageLuma8(image) => (1, Samples::U8(image.into_raw())),
        DynamicImage::ImageLumaA8(image) => (2, Samples::U8(image.into_raw())),
        DynamicImage::ImageRgb8(image) => (3, Samples::U8(image.into_raw())),
        DynamicImage::ImageRgba8(image) => (4, Samples::U8(image.into_raw())),
        DynamicImage::ImageLuma16(image) => (1, Samples::U16(image.into_raw())),
        DynamicImage::ImageLumaA16(image) => (2, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgb16(image) => (3, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgba16(image) => (4, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgb32F(image) => (3, Samples::F32(image.into_raw())),
        DynamicImage::ImageRgba32F(image) => (4, Samples::F32(image.into_raw())),
        other => {
            let message = format!("pixels of the type {:?}; convert the image to 8 or 16 bits", other.color());
            return Err(ImportError::Unsupported(message));
        }
    };
    // OpenEXR stores colours premultiplied by alpha, by convention.
    Ok(Raster { width, height, channels, samples, is_premultiplied: format == ImageFormat::OpenExr })
}

fn error(error: ImageError) -> ImportError {
    match error {
        ImageError::Unsupported(what) => ImportError::Unsupported(what.to_string()),
        ImageError::Limits(what) if matches!(what.kind(), LimitErrorKind::InsufficientMemory) => {
            let limit = DECODED_BYTES_MAX / 2;
            ImportError::TooLarge { what: "bytes of pixels", found: limit.saturating_add(1), limit }
        }
        other => ImportError::Damaged(other.to_string()),
    }
}

/// Checks the windows of an OpenEXR file. The crate sizes its buffers by the data window, which may be far larger than
/// the display window that it reports as the dimensions.
fn check_exr_windows(bytes: &[u8]) -> Result<(), ImportError> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    // Attributes: name, type, size, value; an empty name ends a header, and one more ends the headers of a multi-part file.
    while let Some((name, after)) = split_text(rest) {
        if name.is_empty() {
            match after.first() {
                Some(0) | None => break,
                Some(_) => {
                    rest = after;
                    continue;
                }
            }
        }
        let Some((_, after)) = split_text(after) else { break };
        let Some((size, after)) = after.split_first_chunk::<4>() else { break };
        let size = u32::from_le_bytes(*size) as usize;
        let Some((value, after)) = after.split_at_checked(size) else { break };
        if matches!(name, b"dataWindow" | b"displayWindow") && value.len() == 16 {
            let corner = |index: usize| {
                i64::from(i32::from_le_bytes(value[index * 4..][..4].try_into().expect("four bytes of sixteen")))
            };
            let side = |length: i64| u32::try_from(length.max(0)).unwrap_or(u32::MAX);
            check_size(side(corner(2) - corner(0) + 1), side(corner(3) - corner(1) + 1), bytes.len())?;
        }
        if name == b"tiles" && value.len() >= 8 {
            let side =
                |index: usize| u32::from_le_bytes(value[index * 4..][..4].try_into().expect("four bytes of eight"));
            check_size(side(0), side(1), bytes.len())?;
        }
        rest = after;
        // Behind the single header of an ordinary file come offsets, not attributes.
        if after.first() == Some(&0) && bytes[5] & 0x10 == 0 {
            break;
        }
    }
    Ok(())
}

/// The bytes up to a zero byte, and those behind it. Names have at most 255 bytes.
fn split_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().take(256).position(|byte| *byte == 0)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}
