//! Files that a text refers to by their paths below the folder of the tags, which is one of the folders around it.

use std::path::Path;

use host::files;
use script::ast::Tree;
use tags::TagPath;
use tags::ancestry::{Ancestry, TagSource, may_have_from};
use tags::limits::TEXT_BYTES_MAX;

/// The text of a file, as it is on disk.
// The error is text: the help of a report, for people only.
pub fn text_near(of: &str, path: &str) -> Result<String, String> {
    let folders = Path::new(of).ancestors().skip(1);
    let found = folders.map(|folder| folder.join(path)).find(|file| file.is_file());
    let bytes = found.and_then(|file| files::read_at_most(&file, TEXT_BYTES_MAX as u64).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| String::from("its path begins in the folder of the tags"))
}

/// The tags that a tag is made from.
pub fn ancestry_near(is_a: &dyn Fn(&str, &str) -> bool, of: &str, text: &str, tree: &Tree) -> Ancestry {
    // The path within the tree is not known here; the last part of it has the class.
    let name = of.rsplit('/').next().unwrap_or(of);
    let Ok(own) = TagPath::new(name).or_else(|_| TagPath::new(&format!("unknown.{}", tags::header::HEADER))) else {
        return Ancestry::default();
    };
    if !may_have_from(text) {
        return Ancestry::default();
    }
    Ancestry::of((&own, 0), (text, tree), is_a, &mut |path, _| {
        let text = text_near(of, path.as_str())?;
        Ok(TagSource { folder: 0, shown: path.as_str().to_string(), text })
    })
}
