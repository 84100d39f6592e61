//! Which tag a product becomes: `data/` and `tags/` mirror each other.

use tags::Key;
use tags::path::{TagPath, TagPathError};

/// The folder of source files, beside the folder of tags.
pub const DATA: &str = "data";

/// The extension of containers of bulk data.
pub const BULK: &str = "bulk";

/// The path of the tag that a product of a source becomes.
pub fn tag_path(source: &str, product: &str, class: &str) -> Result<TagPath, TagPathError> {
    let stem = stem(source);
    let folder = if product.is_empty() { "" } else { "/" };
    TagPath::new(&format!("{stem}{folder}{product}.{class}"))
}

/// A source path without its extension.
#[must_use]
pub fn stem(source: &str) -> &str {
    let name = source.rfind('/').map_or(0, |slash| slash + 1);
    source[name..].rfind('.').map_or(source, |dot| &source[..name + dot])
}

/// The file name of the container of a tag.
#[must_use]
pub fn container_name(path: &TagPath, digest: &Key) -> String {
    let hash = digest.to_string();
    format!("{}.{}-{}.{BULK}", path.stem(), path.class(), &hash[..12])
}

/// A file name beside a tag, as a path relative to the tree.
#[must_use]
pub fn beside(path: &TagPath, file: &str) -> String {
    match path.folder() {
        "" => file.to_string(),
        folder => format!("{folder}/{file}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_lie_where_their_sources_lie() {
        let path = |source, product, class| tag_path(source, product, class).map(|path| String::from(&path)).ok();
        assert_eq!(path("ships/corvette.png", "", "bitmap").as_deref(), Some("ships/corvette.bitmap"));
        assert_eq!(
            path("a.b/c.d.glb", "materials/hull", "material").as_deref(),
            Some("a.b/c.d/materials/hull.material")
        );
        assert_eq!(path("a.b/c", "", "strings").as_deref(), Some("a.b/c.strings"));
        assert_eq!(path("ships/what?.png", "", "bitmap"), None);
        assert_eq!(path("../ship.png", "", "bitmap"), None);
    }

    #[test]
    fn a_container_has_its_hash_in_its_name() {
        let path = TagPath::new("ships/corvette.bitmap").unwrap();
        let name = container_name(&path, &Key([0xab; 32]));
        assert_eq!(name, "corvette.bitmap-abababababab.bulk");
        assert_eq!(beside(&path, &name), "ships/corvette.bitmap-abababababab.bulk");
    }
}
