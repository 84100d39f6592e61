//! Assets in a compact binary format, one file each, for peers.
//!
//! Bulk data comes first, so that a loader can keep it where it was read.

use super::content::{Asset, Content};

/// The extension of such a file.
pub const EXTENSION: &str = "bin";

/// The content of a file, without its bulk data.
#[derive(Debug)]
pub struct Read {
    /// The asset's number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub numbers: [f32; 3],
    /// Its elements.
    pub elements: Vec<(String, [f32; 4])>,
    /// The paths of the assets it needs.
    pub references: Vec<String>,
    /// The length of the bulk data at the start.
    pub bulk_bytes: usize,
}

/// The bytes of an asset.
pub fn bytes(content: &Content, asset: &Asset) -> Vec<u8> {
    let mut bytes = asset.bulk.clone();
    bytes.extend(asset.number.to_le_bytes());
    put_text(&mut bytes, &asset.name);
    put_numbers(&mut bytes, &asset.numbers);
    bytes.extend((asset.elements.len() as u32).to_le_bytes());
    for element in &asset.elements {
        put_text(&mut bytes, &element.name);
        put_numbers(&mut bytes, &element.numbers);
    }
    bytes.extend((asset.references.len() as u32).to_le_bytes());
    for reference in &asset.references {
        put_text(&mut bytes, &format!("{}.{EXTENSION}", content.path(*reference)));
    }
    bytes.extend((asset.bulk.len() as u32).to_le_bytes());
    bytes
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(text.len() as u8);
    bytes.extend(text.as_bytes());
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[f32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Decodes the bytes of a file; none if they are invalid.
pub fn read(bytes: &[u8]) -> Option<Read> {
    let (rest, end) = bytes.split_last_chunk()?;
    let bulk_bytes = u32::from_le_bytes(*end) as usize;
    let mut rest = rest.get(bulk_bytes..)?;
    let number = take_whole(&mut rest)?;
    let name = take_text(&mut rest)?;
    let numbers = take_numbers(&mut rest)?;
    let elements = take_many(&mut rest, |rest| Some((take_text(rest)?, take_numbers(rest)?)))?;
    let references = take_many(&mut rest, take_text)?;
    Some(Read { number, name, numbers, elements, references, bulk_bytes })
}

fn take_many<T>(rest: &mut &[u8], take: impl Fn(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    let count = take_whole(rest)? as usize;
    // An item has at least one byte: a larger count is invalid.
    let mut many = Vec::with_capacity(count.min(rest.len()));
    for _ in 0..count {
        many.push(take(rest)?);
    }
    Some(many)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = rest.split_off_first()?;
    let bytes = rest.split_off(..usize::from(*length))?;
    std::str::from_utf8(bytes).ok().map(String::from)
}

fn take_numbers<const N: usize>(rest: &mut &[u8]) -> Option<[f32; N]> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = f32::from_bits(take_whole(rest)?);
    }
    Some(numbers)
}

fn take_whole(rest: &mut &[u8]) -> Option<u32> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(u32::from_le_bytes(*first))
}
