//! The importer of fonts: the file is kept as it is, with what layout needs to know about it in fields. This is the
//! door to the crate `ttf-parser`.
//!
//! Cost: reading takes time and memory in proportion to the file. Held by `tests/growth.rs` of the tool.

#[cfg(test)]
mod tests;

use ttf_parser::{Face, FaceParsingError, Permissions, name_id};

use crate::codec::guarded;
use crate::error::ImportError;
use crate::importer::{Importer, Source, gathers_nothing};
use crate::limits::{COVERAGE_RANGES_MAX, FONT_BYTES_MAX};
use crate::lscript::{double, list, record, text};
use crate::options::Options;
use crate::product::{Part, Product, Warning};

/// The row of the importer.
pub const IMPORTER: Importer = Importer {
    name: "font",
    extensions: &["ttf", "otf"],
    version: 1,
    options: &[],
    help: "Makes a font of a TrueType or OpenType file: its outlines as they are, its metrics and the characters it has.",
    gathers: gathers_nothing,
    import,
};

/// The subtables of characters that are asked. Fonts have two or three.
const SUBTABLES_MAX: u16 = 16;

fn import(source: &Source<'_>, _: &Options) -> Result<Vec<Product>, ImportError> {
    let bytes = source.bytes;
    if bytes.len() as u64 > FONT_BYTES_MAX {
        return Err(ImportError::TooLarge { what: "bytes", found: bytes.len() as u64, limit: FONT_BYTES_MAX });
    }
    if bytes.starts_with(b"wOFF") || bytes.starts_with(b"wOF2") {
        return Err(ImportError::Unsupported("web fonts (WOFF); convert it to TrueType or OpenType".to_string()));
    }
    let (fields, remarks) = guarded(|| read(bytes))?;
    let parts = vec![Part { name: "font file".to_string(), bytes: bytes.to_vec() }];
    let warnings = remarks.into_iter().map(|message| Warning { message }).collect();
    Ok(vec![Product { class: "font", fields, bulk_field: "data", parts, warnings, ..Product::default() }])
}

type Fields = Vec<(String, String)>;

/// The fields of a font, and what a person should know.
fn read(bytes: &[u8]) -> Result<(Fields, Vec<String>), ImportError> {
    let face = Face::parse(bytes, 0).map_err(|why| match why {
        FaceParsingError::UnknownMagic => ImportError::Damaged("it does not begin as a font does".to_string()),
        other => ImportError::Damaged(other.to_string()),
    })?;
    let mut remarks = Vec::new();
    if ttf_parser::fonts_in_collection(bytes).is_some_and(|fonts| fonts > 1) {
        remarks.push("it is a collection: only its first font was imported".to_string());
    }
    if face.permissions() == Some(Permissions::Restricted) {
        remarks
            .push("the font says that it must not be embedded: ask its maker before the game is published".to_string());
    }
    let ranges = coverage(&face);
    if ranges.is_empty() {
        return Err(ImportError::Empty("characters"));
    }
    if ranges.len() > COVERAGE_RANGES_MAX {
        let (found, limit) = (ranges.len() as u64, COVERAGE_RANGES_MAX as u64);
        return Err(ImportError::TooLarge { what: "ranges of characters", found, limit });
    }
    let ranges: Vec<String> = ranges
        .iter()
        .map(|(first, last)| record(&[("first", double(f64::from(*first))), ("last", double(f64::from(*last)))]))
        .collect();
    let whole = |value: i16| double(f64::from(value));
    let family = name(&face, &[name_id::TYPOGRAPHIC_FAMILY, name_id::FAMILY]);
    let style = name(&face, &[name_id::TYPOGRAPHIC_SUBFAMILY, name_id::SUBFAMILY]);
    let fields = [
        ("family", text(&family)),
        ("style", text(&style)),
        ("weight", double(f64::from(face.weight().to_number().min(1000)))),
        ("italic", (face.is_italic() || face.is_oblique()).to_string()),
        ("monospaced", face.is_monospaced().to_string()),
        ("units_per_em", double(f64::from(face.units_per_em()))),
        ("ascent", whole(face.ascender())),
        ("descent", whole(face.descender())),
        ("line_gap", whole(face.line_gap())),
        ("capital_height", whole(face.capital_height().unwrap_or(0))),
        ("x_height", whole(face.x_height().unwrap_or(0))),
        ("glyphs", double(f64::from(face.number_of_glyphs()))),
        ("coverage", list(ranges)),
        ("part", double(0.0)),
    ];
    Ok((fields.map(|(name, value)| (name.to_string(), value)).to_vec(), remarks))
}

/// The first of these names that the font has, in English if it has it in English.
fn name(face: &Face<'_>, ids: &[u16]) -> String {
    for id in ids {
        let names = face.names().into_iter().filter(|name| name.name_id == *id && name.is_unicode());
        let names: Vec<_> = names.take(256).collect();
        let english = names.iter().find(|name| name.language().primary_language() == "English");
        if let Some(found) = english.or(names.first()).and_then(|name| name.to_string()) {
            return found.chars().take(256).collect();
        }
    }
    String::new()
}

/// The characters that the font has. Every character of the planes in use is looked up: the crate can also list them,
/// but a hostile table would make that list endless.
fn coverage(face: &Face<'_>) -> Vec<(u32, u32)> {
    let Some(table) = face.tables().cmap else { return Vec::new() };
    let count = table.subtables.len().min(SUBTABLES_MAX);
    let subtables = (0..count).filter_map(|index| table.subtables.get(index));
    let subtables: Vec<_> = subtables.filter(|subtable| subtable.is_unicode()).collect();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    // Planes 4 to 13 have no characters.
    for code in (0..0x4_0000).chain(0xe_0000..0x11_0000) {
        let is_there = char::from_u32(code).is_some()
            && subtables.iter().any(|subtable| subtable.glyph_index(code).is_some_and(|glyph| glyph.0 != 0));
        match ranges.last_mut() {
            _ if !is_there => {}
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    ranges
}
