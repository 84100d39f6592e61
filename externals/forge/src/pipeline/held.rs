//! The container that a tag has: the text of its last import, and whether a new import holds anything else.

use std::path::Path;

use host::files;
use tags::bulk::{Directory, read_part};

use super::job::{IMPORTED, MadeTag};
use shelf::content_key;

/// The largest container.
pub const CONTAINER_BYTES_MAX: u64 = 4 << 30;

/// The start of the source record, whose hash is that of the whole file.
const SOURCE: &str = "!set source ";
const HASH: &str = " hash \"";

/// The text of a tag as it was last imported, from the file of its container.
#[must_use]
pub fn imported_text(container: &Path) -> Option<String> {
    imported_in(&files::read_at_most(container, CONTAINER_BYTES_MAX).ok()?)
}

/// The text of a tag as it was last imported, from its container.
#[must_use]
pub fn imported_in(container: &[u8]) -> Option<String> {
    let directory = Directory::parse(container, container.len() as u64).ok()?;
    let part = read_part(container, &directory, directory.find(IMPORTED)?).ok()?;
    String::from_utf8(part).ok()
}

/// Lets an imported tag be as it was if only the hash of its source changed: a change of one mesh of a level leaves the
/// materials, textures and clips of the same file as they are. Their hash is then that of the file they were made of.
pub fn keep_if_same(made: &mut MadeTag, base: Option<&str>, container: Vec<u8>) {
    let Some(base) = base else { return };
    let is_same_text = without_hash(base).is_some_and(|base| Some(base) == without_hash(&made.text));
    if is_same_text && are_same_parts(&made.container, &container) {
        made.text = base.to_string();
        made.digest = content_key::of(&container).0;
        made.container = container;
    }
}

/// What stands around the hash of the source.
fn without_hash(text: &str) -> Option<(&str, &str)> {
    let source = text.rfind(SOURCE)?;
    let start = source + text[source..].find(HASH)? + HASH.len();
    let end = start + text[start..].find('"')?;
    Some((&text[..start], &text[end..]))
}

/// Whether two containers have the same parts, byte for byte, apart from the imported text.
fn are_same_parts(one: &[u8], other: &[u8]) -> bool {
    let [Ok(of_one), Ok(of_other)] = [one, other].map(|bytes| Directory::parse(bytes, bytes.len() as u64)) else {
        return false;
    };
    let is_data = |name: &str| name != IMPORTED;
    let mut pairs = (of_one.parts().iter().filter(|part| is_data(&part.name)))
        .zip(of_other.parts().iter().filter(|part| is_data(&part.name)));
    of_one.parts().len() == of_other.parts().len()
        && pairs.all(|(part, same)| {
            let stored = |bytes, directory: &Directory, at: u32| {
                let row = directory.blocks().get(at as usize).copied();
                row.map(|row| (row.codec, row.bytes, stored_bytes(bytes, row.offset, row.stored_bytes)))
            };
            part.name == same.name
                && part.bytes == same.bytes
                && part.blocks.len() == same.blocks.len()
                && (part.blocks.clone().zip(same.blocks.clone()))
                    .all(|(block, twin)| stored(one, &of_one, block) == stored(other, &of_other, twin))
        })
}

fn stored_bytes(container: &[u8], offset: u64, count: u32) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    container.get(start..start.checked_add(count as usize)?)
}
