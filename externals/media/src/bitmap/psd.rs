//! The flattened image of a Photoshop file (PSD and PSB).
//!
//! Written by the published "Adobe Photoshop File Formats Specification". Layers are not read: the composite that
//! Photoshop stores with "Maximize Compatibility" is. Every length is checked against the file, and the dimensions
//! against the limits before anything is allocated for them.

use crate::bitmap::decode::check_size;
use crate::bitmap::raster::{Raster, Samples};
use crate::error::ImportError;

/// Whether the bytes begin as a Photoshop file does.
#[must_use]
pub fn is_psd(bytes: &[u8]) -> bool {
    bytes.starts_with(b"8BPS")
}

/// The composite image.
pub fn decode(bytes: &[u8]) -> Result<Raster, ImportError> {
    let mut reader = Reader { bytes };
    let header = Header::read(&mut reader, bytes.len())?;
    let palette = reader.section(false)?;
    reader.section(false)?;
    let layers = reader.section(header.is_large)?;
    let has_transparency = has_merged_transparency(layers, header.is_large);
    let rows = read_rows(&mut reader, &header)?;
    let is_indexed = header.mode == INDEXED;
    if is_indexed && palette.len() < 768 {
        return Err(damaged("the palette is too short"));
    }
    if is_indexed {
        return Ok(from_palette(&header, &rows, palette));
    }
    let colours = if header.mode == GREY { 1 } else { 3 };
    if header.channels < colours {
        return Err(damaged("there are fewer channels than colours"));
    }
    let channels = if header.channels > colours { colours + 1 } else { colours };
    let samples = interleave(&rows, &header, channels);
    let mut raster = Raster { width: header.width, height: header.height, channels, samples, is_premultiplied: false };
    if has_transparency && channels > colours {
        remove_white(&mut raster);
    }
    Ok(raster)
}

const GREY: u16 = 1;
const INDEXED: u16 = 2;
const RGB: u16 = 3;

struct Header {
    is_large: bool,
    channels: usize,
    width: u32,
    height: u32,
    depth: u16,
    mode: u16,
}

impl Header {
    fn read(reader: &mut Reader<'_>, bytes: usize) -> Result<Header, ImportError> {
        if reader.take(4)? != b"8BPS" {
            return Err(damaged("no signature of a Photoshop file"));
        }
        let version = reader.u16()?;
        if !matches!(version, 1 | 2) {
            return Err(damaged("unknown version"));
        }
        reader.take(6)?;
        let channels = usize::from(reader.u16()?);
        let height = reader.u32()?;
        let width = reader.u32()?;
        let depth = reader.u16()?;
        let mode = reader.u16()?;
        check_size(width, height, bytes)?;
        if !(1..=56).contains(&channels) {
            return Err(damaged("the number of channels must be 1 to 56"));
        }
        if !matches!(mode, GREY | INDEXED | RGB) {
            let message = "this colour mode of Photoshop; convert the image to RGB or greyscale";
            return Err(ImportError::Unsupported(message.to_string()));
        }
        if !matches!(depth, 8 | 16 | 32) || (mode == INDEXED && depth != 8) {
            return Err(ImportError::Unsupported(format!(
                "{depth} bits per channel; convert the image to 8, 16 or 32"
            )));
        }
        Ok(Header { is_large: version == 2, channels, width, height, depth, mode })
    }

    fn row_bytes(&self) -> usize {
        self.width as usize * usize::from(self.depth / 8)
    }
}

/// Whether the first channel behind the colours is the transparency of the composite: then the number of layers is
/// negative. Otherwise it is a channel that the artist saved, and the colours are as painted.
fn has_merged_transparency(layers: &[u8], is_large: bool) -> bool {
    let mut reader = Reader { bytes: layers };
    let Ok(info) = reader.section(is_large) else { return false };
    Reader { bytes: info }.u16().is_ok_and(|count| (count as i16) < 0)
}

/// The rows of the channels that are used, all of the first channel first.
fn read_rows(reader: &mut Reader<'_>, header: &Header) -> Result<Vec<u8>, ImportError> {
    let colours = if header.mode == RGB { 3 } else { 1 };
    let used = header.channels.min(colours + 1);
    let row_bytes = header.row_bytes();
    let height = header.height as usize;
    match reader.u16()? {
        0 => Ok(reader.take(row_bytes * height * used)?.to_vec()),
        1 => {
            let counts = reader.take(header.channels * height * if header.is_large { 4 } else { 2 })?;
            let mut counts = Reader { bytes: counts };
            let mut rows = Vec::new();
            for row in 1..=used * height {
                let stored = if header.is_large { counts.u32()? as usize } else { usize::from(counts.u16()?) };
                unpack_bits(reader.take(stored)?, &mut rows, row * row_bytes)?;
            }
            Ok(rows)
        }
        other => Err(ImportError::Unsupported(format!("compression {other} of the composite; save the file again"))),
    }
}

/// PackBits: a count and a byte that is repeated, or a count and bytes.
fn unpack_bits(stored: &[u8], rows: &mut Vec<u8>, end: usize) -> Result<(), ImportError> {
    let mut reader = Reader { bytes: stored };
    while rows.len() < end {
        let count = reader.u8()? as i8;
        if count >= 0 {
            rows.extend_from_slice(reader.take(count as usize + 1)?);
        } else if count != i8::MIN {
            let byte = reader.u8()?;
            rows.resize(rows.len() + usize::from(count.unsigned_abs()) + 1, byte);
        }
    }
    if rows.len() == end { Ok(()) } else { Err(damaged("a row is longer than the image is wide")) }
}

fn from_palette(header: &Header, rows: &[u8], palette: &[u8]) -> Raster {
    let pixels = header.width as usize * header.height as usize;
    let mut samples = Vec::with_capacity(pixels * 3);
    for index in &rows[..pixels] {
        let index = usize::from(*index);
        samples.extend([palette[index], palette[256 + index], palette[512 + index]]);
    }
    let (width, height) = (header.width, header.height);
    Raster { width, height, channels: 3, samples: Samples::U8(samples), is_premultiplied: false }
}

fn interleave(rows: &[u8], header: &Header, channels: usize) -> Samples {
    let pixels = header.width as usize * header.height as usize;
    let places = (0..pixels).flat_map(|pixel| (0..channels).map(move |channel| channel * pixels + pixel));
    match header.depth {
        8 => Samples::U8(places.map(|place| rows[place]).collect()),
        16 => Samples::U16(places.map(|place| u16::from_be_bytes([rows[place * 2], rows[place * 2 + 1]])).collect()),
        _ => {
            let float = |place: usize| {
                let place = place * 4;
                f32::from_be_bytes([rows[place], rows[place + 1], rows[place + 2], rows[place + 3]])
            };
            Samples::F32(places.map(float).collect())
        }
    }
}

/// Photoshop composites transparent images over white: this takes the white out again.
fn remove_white(raster: &mut Raster) {
    let colours = raster.channels - 1;
    match &mut raster.samples {
        Samples::U8(samples) => {
            for pixel in samples.chunks_exact_mut(raster.channels) {
                let alpha = i32::from(pixel[colours]);
                for colour in &mut pixel[..colours] {
                    *colour = without_white(i32::from(*colour), alpha, 255) as u8;
                }
            }
        }
        Samples::U16(samples) => {
            for pixel in samples.chunks_exact_mut(raster.channels) {
                let alpha = i64::from(pixel[colours]);
                for colour in &mut pixel[..colours] {
                    *colour = without_white(i64::from(*colour), alpha, 65_535) as u16;
                }
            }
        }
        Samples::F32(samples) => {
            for pixel in samples.chunks_exact_mut(raster.channels) {
                let alpha = pixel[colours];
                for colour in &mut pixel[..colours] {
                    let bare = *colour - (1.0 - alpha);
                    *colour = if alpha > 0.0 && bare > 0.0 { bare / alpha } else { 0.0 };
                }
            }
        }
    }
}

fn without_white(colour: impl Into<i64>, alpha: impl Into<i64>, max: i64) -> i64 {
    let (colour, alpha) = (colour.into(), alpha.into());
    if alpha == 0 { 0 } else { (((colour - (max - alpha)) * max + alpha / 2) / alpha).clamp(0, max) }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ImportError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(|| damaged("the file ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, ImportError> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, ImportError> {
        Ok(u16::from_be_bytes(self.take(2)?.try_into().expect("two bytes were taken")))
    }

    fn u32(&mut self) -> Result<u32, ImportError> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().expect("four bytes were taken")))
    }

    /// Bytes behind their count.
    fn section(&mut self, is_large: bool) -> Result<&'a [u8], ImportError> {
        if is_large && self.u32()? != 0 {
            return Err(damaged("the file ends too early"));
        }
        let count = self.u32()?;
        self.take(count as usize)
    }
}

fn damaged(what: &str) -> ImportError {
    ImportError::Damaged(format!("Photoshop file: {what}"))
}
