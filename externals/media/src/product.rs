//! What an import gives: the imported fields of tags, and their bulk data.

/// One tag that an import makes or updates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Product {
    /// Empty for the tag at the path of the source file (`data/ships/corvette.png` makes `ships/corvette.bitmap`);
    /// otherwise a path below the folder named like the source: `"hull"` of `data/ships/corvette.glb` makes
    /// `ships/corvette/hull.CLASS`. Lower case letters, digits, `_`, `-` and `/`.
    pub name: String,
    /// The class of the tag, which is its extension.
    pub class: &'static str,
    /// The imported fields in the order in which a new tag lists them: name, and value as LScript.
    pub fields: Vec<(String, String)>,
    /// The name of the field that holds the bulk data, if there are parts.
    pub bulk_field: &'static str,
    /// The bulk data. A tag refers to a part by its index.
    pub parts: Vec<Part>,
    /// The program that wrote the source file, with its version, as far as the file says: "Khronos glTF Blender I/O v4.2".
    pub exporter: String,
    /// What a person should know: things left out, repaired or approximated.
    pub warnings: Vec<Warning>,
}

/// One byte string of the bulk data: a mip level, a stretch of sound, an index buffer. It is stored in compressed blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, for people and tools: `"mip 0"`, `"lod 1 indices"`.
    pub name: String,
    /// Its bytes, little-endian.
    pub bytes: Vec<u8>,
}

/// A remark on an import that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What was found, what was done about it, and the remedy.
    pub message: String,
}
