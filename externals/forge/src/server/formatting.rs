//! Formatting.

use lsp_types::TextEdit;
use script::format::format;
use script::source::Span;

use super::view::View;

/// The formatting edit, as small as whole lines allow; none if nothing changes. A text with syntax errors is not
/// formatted.
pub fn edits(view: &View<'_>) -> Vec<TextEdit> {
    let old = view.text();
    let Ok(mut new) = format(old, view.document.tree()) else { return Vec::new() };
    // Line ends are the editor's, and stay.
    if old.contains("\r\n") {
        new = new.replace('\n', "\r\n");
    }
    if old == new {
        return Vec::new();
    }
    let same = |pair: &(&str, &str)| pair.0 == pair.1;
    let lines = |text| str::split_inclusive(text, '\n');
    let before: usize = lines(old).zip(lines(&new)).take_while(same).map(|(line, _)| line.len()).sum();
    let behind: usize =
        lines(&old[before..]).rev().zip(lines(&new[before..]).rev()).take_while(same).map(|(line, _)| line.len()).sum();
    let span = Span::new(before as u32, (old.len() - behind) as u32);
    vec![TextEdit { range: view.document.range(span), new_text: new[before..new.len() - behind].to_string() }]
}
