//! A font made by hand is read, and damaged ones are refused.

use tags::Tag;
use view::classes::Font;

use crate::ImportError;
use crate::font::IMPORTER;
use crate::trial::{check_class, check_damage, field, import};

/// A TrueType font without outlines: two ranges of characters, names and metrics.
fn font() -> Vec<u8> {
    let words = |words: &[u16]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let mut head = words(&[1, 0, 0, 0, 0, 0, 0x5f0f, 0x3cf5, 0, 2048]);
    head.resize(54, 0);
    let mut horizontal = words(&[1, 0, 1900, (-500i16) as u16, 67]);
    horizontal.resize(34, 0);
    horizontal.extend([0, 1]);
    // Format 4: A to Z, a to f, and the end; glyph numbers follow from the codes.
    let segments = words(&[
        4,
        40,
        0,
        6,
        4,
        1,
        2,
        90,
        102,
        0xffff,
        0,
        65,
        97,
        0xffff,
        0u16.wrapping_sub(64),
        0u16.wrapping_sub(64),
        1,
        0,
        0,
        0,
    ]);
    let mut characters = words(&[0, 1, 3, 1, 0, 12]);
    characters.extend(segments);
    let texts: Vec<u8> =
        "Quarry \"Q\"".encode_utf16().chain("Bold".encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let mut names = words(&[0, 2, 30, 3, 1, 0x409, 1, 20, 0, 3, 1, 0x409, 2, 8, 20]);
    names.extend(texts);
    let mut windows = words(&[4, 0, 700, 5, 2]);
    windows.resize(96, 0);
    windows[62..64].copy_from_slice(&[0, 0x20]);
    windows[86..90].copy_from_slice(&[4, 0, 5, 180]);
    let tables = [
        (b"OS/2", windows),
        (b"cmap", characters),
        (b"head", head),
        (b"hhea", horizontal),
        (b"hmtx", words(&[1000, 0])),
        (b"maxp", words(&[0, 0x5000, 60])),
        (b"name", names),
    ];
    let mut bytes = words(&[1, 0, tables.len() as u16, 0, 0, 0]);
    let mut data = Vec::new();
    let start = bytes.len() + tables.len() * 16;
    for (name, table) in &tables {
        bytes.extend(*name);
        bytes.extend([0; 4]);
        bytes.extend(((start + data.len()) as u32).to_be_bytes());
        bytes.extend((table.len() as u32).to_be_bytes());
        data.extend(table);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    bytes.extend(data);
    bytes
}

#[test]
fn a_font_has_its_metrics_names_and_characters() {
    let bytes = font();
    let product = import(&IMPORTER, "quarry.ttf", &bytes, &[]).unwrap();
    check_class(&product, Font::class());
    let rows = [
        ("family", "\"Quarry \"\"Q\"\"\""),
        ("style", "\"Bold\""),
        ("weight", "700"),
        ("italic", "false"),
        ("units_per_em", "2048"),
        ("ascent", "1900"),
        ("descent", "-500"),
        ("line_gap", "67"),
        ("x_height", "1024"),
        ("capital_height", "1460"),
        ("glyphs", "60"),
        ("coverage", "[\n    { first 65, last 90 },\n    { first 97, last 102 }\n]"),
    ];
    for (name, wanted) in rows {
        assert_eq!(field(&product, name), wanted, "{name}");
    }
    assert_eq!(product.parts[0].bytes, bytes);
    assert_eq!(product.warnings.len(), 1, "it must not be embedded: {:?}", product.warnings);
}

#[test]
fn what_is_no_font_is_refused() {
    let refused = |bytes: &[u8]| import(&IMPORTER, "a.ttf", bytes, &[]).unwrap_err();
    assert!(matches!(refused(b""), ImportError::Damaged(_)));
    assert!(matches!(refused(b"this is a letter, and no font"), ImportError::Damaged(_)));
    assert!(matches!(refused(b"wOF2 and so on"), ImportError::Unsupported(_)));
    let mut bytes = font();
    let table = bytes.windows(4).position(|name| name == b"cmap").unwrap();
    bytes[table] = b'x';
    assert_eq!(refused(&bytes), ImportError::Empty("characters"));
}

#[test]
fn damaged_fonts_give_an_error_or_a_product_and_never_a_panic() {
    check_damage(&IMPORTER, "a.ttf", &font(), 300);
}
