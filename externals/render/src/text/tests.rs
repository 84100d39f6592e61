//! Any text is laid out, measured and drawn.

use super::*;
use base::StringId;

fn style(size: f32) -> TextStyle {
    TextStyle { font: StringId::NONE, size, align: 0.0, wraps: true }
}

fn placed(text: &mut Text, string: &str, style: &TextStyle) -> Vec<GlyphQuad> {
    let mut glyphs = Vec::new();
    let rect = Rect { min: Vec2::new(10.0, 20.0), max: Vec2::new(410.0, 400.0) };
    text.place(string, style, rect, 1.0, &mut glyphs);
    glyphs
}

#[test]
fn a_wider_text_is_wider_and_a_broken_one_is_higher() {
    let mut text = Text::new();
    let short = text.measure("Orbit", &style(16.0), f32::INFINITY);
    let long = text.measure("Orbit of a moon", &style(16.0), f32::INFINITY);
    let broken = text.measure("Orbit of a moon", &style(16.0), 60.0);
    assert!(short.x > 20.0 && short.x < 60.0 && long.x > short.x, "{short:?} {long:?}");
    assert!(broken.x <= 60.0 && broken.y > long.y * 1.9, "{broken:?}");
    let large = text.measure("Orbit", &style(32.0), f32::INFINITY);
    assert!((large.x - 2.0 * short.x).abs() < 0.5, "{large:?}");
}

#[test]
fn glyphs_are_rasterised_once_and_have_coverage() {
    let mut text = Text::new();
    let glyphs = placed(&mut text, "Hello", &style(20.0));
    assert_eq!(glyphs.len(), 5);
    let version = text.atlas().version();
    assert_eq!(placed(&mut text, "Hello", &style(20.0)), glyphs);
    assert_eq!(text.atlas().version(), version);
    assert!(text.atlas().texels().contains(&255));
    assert!(text.take_reports().is_empty());
}

#[test]
fn a_missing_glyph_is_a_box_and_one_report() {
    let mut text = Text::new();
    let glyphs = placed(&mut text, "漢字 🚀", &style(20.0));
    assert_eq!(glyphs.len(), 3, "{glyphs:?}");
    assert!(glyphs.iter().all(|quad| quad.glyph.width > 5));
    placed(&mut text, "ひらがな", &style(20.0));
    assert_eq!(text.take_reports().len(), 1);
}

#[test]
fn alignment_moves_lines() {
    let mut text = Text::new();
    let left = placed(&mut text, "abc", &style(20.0))[0].left;
    for wraps in [false, true] {
        let centred = placed(&mut text, "abc", &TextStyle { align: 0.5, wraps, ..style(20.0) })[0].left;
        let right = placed(&mut text, "abc", &TextStyle { align: 1.0, wraps, ..style(20.0) })[0].left;
        assert!((centred - left - 183).abs() < 4 && (right - left - 366).abs() < 8, "{left} {centred} {right}");
    }
}

#[test]
fn carets_and_bytes_fit_together() {
    let mut text = Text::new();
    let string = "First line\nand the second";
    for byte in [0, 3, 11, 17, string.len()] {
        let (place, height) = text.caret(string, &style(16.0), 400.0, byte);
        assert!(height > 10.0);
        assert_eq!(text.byte_at(string, &style(16.0), 400.0, place + Vec2::new(0.5, height / 2.0)), byte);
    }
}

#[test]
fn no_text_breaks_the_layout() {
    let long = "ab c\u{301}".repeat(20_000);
    let controls: String = (0..0xa0).filter_map(char::from_u32).collect();
    let texts = [
        "",
        "\n",
        "\n\n\n",
        "\0\u{7}\u{1b}[31m\t\r\n",
        "👨‍👩‍👧‍👦🏳️‍🌈👩🏽‍🚀",
        "שלום עולם ‏abc‏ مرحبا بالعالم",
        "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}",
        "\u{202e}abc\u{202c}\u{2066}\u{2069}\u{feff}\u{fffd}\u{10ffff}\u{e000}",
        &controls,
        &long,
    ];
    let mut text = Text::new();
    for string in texts {
        for size in [16.0, 0.0, -3.0, f32::NAN, f32::INFINITY] {
            for width in [200.0, 0.0, -1.0, f32::NAN, f32::INFINITY] {
                // The long text is laid out in a few ways only.
                if string.len() > 1000 && (size != 16.0 || !(width == 200.0 || width == f32::INFINITY)) {
                    continue;
                }
                let style = style(size);
                assert!(text.measure(string, &style, width).is_finite());
                for byte in [0, 1, 2, 3, string.len(), usize::MAX] {
                    let (place, height) = text.caret(string, &style, width, byte);
                    assert!(place.is_finite() && height.is_finite(), "{string:?}");
                    let found = text.byte_at(string, &style, width, Vec2::new(f32::NAN, 1e9));
                    assert!(string.is_char_boundary(found));
                }
                let rect = Rect { min: Vec2::new(f32::NAN, 0.0), max: Vec2::new(width, 1e30) };
                text.place(string, &style, rect, f32::NAN, &mut Vec::new());
                placed(&mut text, string, &style);
            }
        }
    }
}

#[test]
fn a_full_atlas_is_emptied_with_the_next_picture() {
    let mut text = Text::new();
    let all: String = ('!'..'~').chain('À'..'ſ').collect();
    for size in 0..30 {
        placed(&mut text, &all, &style(150.0 + size as f32));
    }
    assert!(text.take_reports().iter().any(|report| report.contains("atlas")));
    text.update(&Library::new(), &testing_source::Empty);
    assert!(!placed(&mut text, &all, &style(150.0)).is_empty());
    assert!(placed(&mut text, "x", &style(20.0)).len() == 1);
}

mod testing_source {
    use view::{BulkKind, BulkSource, PartState};

    pub struct Empty;

    impl BulkSource for Empty {
        fn part(&self, _: &tags::Bulk, _: u32, _: BulkKind) -> PartState {
            PartState::Failed
        }
    }
}
