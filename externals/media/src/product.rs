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
    /// The imported fields in the order in which a new tag lists them: name, and value as LScript. A string that begins
    /// with `./` is a reference to a tag whose path is relative to the folder of the source; [`resolve`] completes it.
    pub fields: Vec<(String, String)>,
    /// The name of the field that holds the bulk data, if there are parts.
    pub bulk_field: &'static str,
    /// The bulk data. A tag refers to a part by its index.
    pub parts: Vec<Part>,
    /// The paths of tags for which the source gives no class. The fields have them as objects, `"PATH.object"`; the caller
    /// puts the class of the tag that is there in its place.
    pub classless: Vec<String>,
    /// The program that wrote the source file, and its version, as far as the file says.
    pub exporter: (String, String),
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

/// A value with the references that are relative to the folder of the source made whole. The folder is a path below the
/// root of the tags without a slash at its end; empty is the root.
#[must_use]
pub fn resolve(value: &str, folder: &str) -> String {
    let mut resolved = String::with_capacity(value.len());
    // Every other piece between quotes is inside a string. Behind a doubled quote, a string goes on.
    let mut is_doubled = false;
    for (index, piece) in value.split('"').enumerate() {
        resolved.push_str(if index == 0 { "" } else { "\"" });
        match piece.strip_prefix("./").filter(|_| index % 2 == 1 && !is_doubled) {
            Some(path) if folder.is_empty() => resolved.push_str(path),
            Some(path) => {
                resolved.push_str(folder);
                resolved.push('/');
                resolved.push_str(path);
            }
            None => resolved.push_str(piece),
        }
        is_doubled = index > 0 && index % 2 == 0 && piece.is_empty();
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references_beside_the_source_get_its_folder() {
        assert_eq!(resolve("\"./a.bitmap\"", ""), "\"a.bitmap\"");
        let value = "[{ a \"./ship/hull.material\", b \"x ./y\", c \"q\"\"./z\" }]";
        let expected = "[{ a \"ships/ship/hull.material\", b \"x ./y\", c \"q\"\"./z\" }]";
        assert_eq!(resolve(value, "ships"), expected, "only whole strings are references");
    }
}
