//! Assets as our tags: one LScript text each, with bulk data in a file beside it.

use std::fmt::Write;

use super::content::{Asset, Content};

/// The extension of a tag.
pub const EXTENSION: &str = "asset";
/// The extension of its bulk.
pub const BULK_EXTENSION: &str = "bulk";

/// The text of an asset.
pub fn text(content: &Content, asset: &Asset) -> String {
    let mut text = String::from("@asset\n\n");
    let wrote = write(&mut text, content, asset);
    wrote.expect("writing to a string cannot fail");
    text
}

fn write(text: &mut String, content: &Content, asset: &Asset) -> std::fmt::Result {
    let [mass, cost, life] = asset.numbers;
    writeln!(text, "!set number {}", asset.number)?;
    writeln!(text, "!set name \"{}\"", asset.name)?;
    writeln!(text, "!set mass {mass}\n!set cost {cost}\n!set life {life}")?;
    writeln!(text, "!set elements [")?;
    for element in &asset.elements {
        let [x, y, z, size] = element.numbers;
        writeln!(text, "    {{ name \"{}\", x {x}, y {y}, z {z}, size {size} }},", element.name)?;
    }
    writeln!(text, "]\n!set references [")?;
    for reference in &asset.references {
        writeln!(text, "    \"{}.{EXTENSION}\",", content.path(*reference))?;
    }
    writeln!(text, "]")?;
    if !asset.bulk.is_empty() {
        let (path, bytes) = (content.path(asset.number), asset.bulk.len());
        let name = path.rsplit('/').next().unwrap_or(&path);
        let hash = blake3::hash(&asset.bulk).to_hex();
        writeln!(text, "!set bulk {{ file \"{name}.{BULK_EXTENSION}\", bytes {bytes}, hash \"{hash}\" }}")?;
    }
    Ok(())
}
