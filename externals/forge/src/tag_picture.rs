//! A picture of an imported tag: the contact sheet of a bitmap, the waveform of a sound.

use std::fmt;

use host::files::{self, FileError};
use media::lscript::variant;
use media::picture::{Picture, PictureError, SheetLevel, ShownSound, ShownTake, contact_sheet, waveform};
use tags::bulk::{BulkError, Directory, read_part};
use tags::field::Names;
use tags::packed::{Reflected, ReflectedRecord};
use view::classes::bitmap::AlphaKind;

use crate::imported::container;
use crate::pipeline::held::CONTAINER_BYTES_MAX;
use crate::tree::Tree;
use crate::tree_error::TreeError;

/// The classes that have a picture.
const CLASSES: [&str; 2] = ["bitmap", "sound"];

/// The most mip levels and takes that are shown.
const SHOWN_MAX: usize = 24;

/// Why a tag has no picture.
#[derive(Debug)]
pub enum TagPictureError {
    /// Its tree cannot be read.
    Tree(TreeError),
    /// Tags of this class have none.
    Class(String),
    /// The tag names no bulk data.
    NoBulk,
    /// Its bulk data cannot be read.
    File(FileError),
    /// Its bulk data is damaged.
    Bulk(BulkError),
    /// A value of the tag is not one of its class.
    Value(&'static str),
    /// Tag and bulk data do not fit.
    Picture(PictureError),
}

impl fmt::Display for TagPictureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TagPictureError::Tree(error) => error.fmt(formatter),
            TagPictureError::Class(class) => {
                write!(formatter, "a tag of the class `{class}` has no picture; expected one of {}", CLASSES.join(", "))
            }
            TagPictureError::NoBulk => formatter.write_str("it has no bulk data to show; import it first"),
            TagPictureError::File(error) => error.fmt(formatter),
            TagPictureError::Bulk(error) => write!(formatter, "its bulk data is damaged: {error}; import it again"),
            TagPictureError::Value(field) => {
                write!(formatter, "its field `{field}` has no valid value; import it again")
            }
            TagPictureError::Picture(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for TagPictureError {}

impl From<TreeError> for TagPictureError {
    fn from(error: TreeError) -> TagPictureError {
        TagPictureError::Tree(error)
    }
}

/// The picture of a tag.
pub fn picture_of(tree: &Tree, tag: usize) -> Result<Picture, TagPictureError> {
    let path = &tree.tags[tag].path;
    if !CLASSES.contains(&path.class()) {
        return Err(TagPictureError::Class(path.class().to_string()));
    }
    let prepared = tree.classes.named(path.class()).map_err(TreeError::from)?;
    let packed = prepared.pack_text(&tree.read(path.as_str())?).packed;
    let file = container(tree, tag, &packed).ok_or(TagPictureError::NoBulk)?;
    let bytes = files::read_at_most(&file, CONTAINER_BYTES_MAX).map_err(TagPictureError::File)?;
    let directory = Directory::parse(&bytes, bytes.len() as u64).map_err(TagPictureError::Bulk)?;
    let part = |index: usize| match directory.parts().get(index) {
        Some(_) => read_part(&bytes, &directory, index).map_err(TagPictureError::Bulk),
        None => Err(TagPictureError::Picture(PictureError::Part(format!("there is no part {index}")))),
    };
    let seen = packed.reflect(prepared.class());
    if path.class() == "bitmap" { sheet(seen, &part) } else { wave(seen, &part) }
}

type ReadPart<'a> = &'a dyn Fn(usize) -> Result<Vec<u8>, TagPictureError>;

fn sheet(seen: ReflectedRecord<'_>, part: ReadPart<'_>) -> Result<Picture, TagPictureError> {
    let layers = number(seen, "layers").max(1);
    let mut read = Vec::new();
    for level in rows(seen, "levels") {
        let bytes = part(number(level, "part"))?;
        read.push((number(level, "width") as u32, number(level, "height") as u32, bytes));
    }
    let levels: Vec<SheetLevel<'_>> = read
        .iter()
        .map(|(width, height, bytes)| SheetLevel {
            width: *width,
            height: *height,
            // The layers have the same size, one after the other.
            bytes: &bytes[..bytes.len() / layers],
        })
        .collect();
    let alpha: AlphaKind = choice(seen, "alpha")?;
    contact_sheet(&levels, choice(seen, "format")?, alpha).map_err(TagPictureError::Picture)
}

fn wave(seen: ReflectedRecord<'_>, part: ReadPart<'_>) -> Result<Picture, TagPictureError> {
    let mut read = Vec::new();
    for take in rows(seen, "permutations") {
        let first = number(take, "first_part");
        let parts: Result<Vec<Vec<u8>>, _> = (first..first.saturating_add(number(take, "parts"))).map(part).collect();
        read.push((number(take, "frames"), parts?));
    }
    let takes = read
        .iter()
        .map(|(frames, parts)| ShownTake { frames: *frames, parts: parts.iter().map(Vec::as_slice).collect() })
        .collect();
    let is_looped = matches!(seen.get("loops"), Reflected::Truth(true));
    let shown = ShownSound {
        format: choice(seen, "format")?,
        channels: number(seen, "channels"),
        part_frames: number(seen, "part_frames"),
        looped: is_looped.then(|| (number(seen, "loop_start"), number(seen, "loop_end"))),
        takes,
    };
    waveform(&shown).map_err(TagPictureError::Picture)
}

fn number(record: ReflectedRecord<'_>, name: &str) -> usize {
    match record.get(name) {
        Reflected::Number(number) => number as usize,
        _ => 0,
    }
}

fn choice<E: Names>(record: ReflectedRecord<'_>, name: &'static str) -> Result<E, TagPictureError> {
    match record.get(name) {
        Reflected::Choice(word) => variant(word).ok_or(TagPictureError::Value(name)),
        _ => Err(TagPictureError::Value(name)),
    }
}

fn rows<'a>(record: ReflectedRecord<'a>, name: &str) -> Vec<ReflectedRecord<'a>> {
    let Reflected::Series(rows) = record.get(name) else { return Vec::new() };
    let row = |row| match row {
        Reflected::Record(row) => Some(row),
        _ => None,
    };
    rows.each().take(SHOWN_MAX).filter_map(row).collect()
}
