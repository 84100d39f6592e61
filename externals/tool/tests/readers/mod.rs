//! Every reader of bytes from outside, for the tests of growth and for the fuzzer: what it reads, how its inputs begin, and
//! hostile inputs of any size.

use base::hash::hash;

mod artists;
mod content;
pub mod content_in_files;
mod files;
mod network;
mod scripts;

/// A reader.
#[derive(Clone, Copy)]
pub struct Reader {
    /// Its name.
    pub name: &'static str,
    /// Reads an input. Must not panic.
    pub read: fn(&[u8]),
    /// Valid inputs, from which the fuzzer starts.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Hostile inputs of about so many bytes, each with a name.
    pub shapes: &'static [Shape],
    /// Makes the checksums of a changed input right, so that damage lies behind them.
    pub seal: fn(&mut [u8]),
    /// The heap that it may take for each byte of input.
    pub heap_per_byte: u64,
}

impl Reader {
    /// The heap that any input of it may take, however short, beside that of all readers: an image may have 4096 × 4096 pixels.
    pub fn heap_free(&self) -> u64 {
        if artists::IMAGES.contains(&self.name) { 360 << 20 } else { 0 }
    }

    /// The most heap that an input of so many bytes may take.
    pub fn law(&self, free: u64, bytes: usize) -> u64 {
        free + self.heap_free() + self.heap_per_byte * bytes as u64
    }
}

/// A hostile input of about so many bytes.
pub type Shape = (&'static str, fn(usize) -> Vec<u8>);

/// All readers.
pub fn readers() -> Vec<Reader> {
    [scripts::READERS, content::READERS, content_in_files::READERS, files::READERS, artists::READERS, network::READERS]
        .concat()
}

/// Inputs without checksums.
fn no_seal(_: &mut [u8]) {}

/// A text of a head, a part as often as there is room, and an end.
fn repeated(bytes: usize, head: &str, part: &str, end: &str) -> Vec<u8> {
    let count = bytes.saturating_sub(head.len() + end.len()) / part.len().max(1);
    [head, &part.repeat(count.max(1)), end].concat().into_bytes()
}

/// A text of numbered parts, until there is no more room. `#` stands for the number.
fn numbered(bytes: usize, head: &str, part: &str, end: &str) -> Vec<u8> {
    let mut text = String::from(head);
    for number in 0.. {
        if number > 0 && text.len() + end.len() >= bytes {
            break;
        }
        text.push_str(&part.replace('#', &number.to_string()));
    }
    text.push_str(end);
    text.into_bytes()
}

/// Bytes that look random, but are the same in every run.
fn noise(bytes: usize) -> Vec<u8> {
    let words = (0..bytes.div_ceil(8) as u64).flat_map(|number| hash(&number.to_le_bytes()).to_le_bytes());
    words.take(bytes).collect()
}

/// The text of an input, as far as it is one.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
