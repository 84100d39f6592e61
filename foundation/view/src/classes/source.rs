//! Where an imported tag came from.

use base::StringId;
use tags::{Record, Series, Text};

/// Where a tag came from. The import fills it in; it is empty in a tag that people wrote by hand.
#[derive(Record)]
#[repr(C)]
pub struct SourceRecord {
    /// The source file: its path below `data/`.
    #[tag(read_only)]
    pub file: Text,
    /// The BLAKE3 hash of the source file's bytes, in hexadecimal.
    #[tag(read_only)]
    pub hash: Text,
    /// The importer that made the tag.
    #[tag(read_only)]
    pub importer: StringId,
    /// The version of the importer.
    #[tag(read_only)]
    pub version: u32,
    /// The options of the import that differ from their defaults. Edited here, they count for the next import.
    pub options: Series<SourceOption>,
    /// The program that wrote the file, as the file says.
    #[tag(read_only)]
    pub exporter: Text,
    /// The version of that program, as the file says.
    #[tag(read_only)]
    pub exporter_version: Text,
    /// The file that was read, if the source had to be exported first: the glTF file of a Blender file.
    #[tag(read_only)]
    pub intermediate: Text,
}

/// One option of an import.
#[derive(Record)]
#[repr(C)]
pub struct SourceOption {
    /// The name of the option.
    #[tag(key)]
    pub name: StringId,
    /// Its value.
    pub value: Text,
}
