//! Formatting: the change that makes a text as it should be written.

use lsp_types::TextEdit;
use script::format::format;
use script::source::Span;

use super::view::View;

/// One change, as small as whole lines allow; none where nothing is to be done. A text with mistakes is not touched.
pub fn edits(view: &View<'_>) -> Vec<TextEdit> {
    let old = view.text();
    let Ok(mut new) = format(old, view.document.tree()) else { return Vec::new() };
    // The ends of lines are the editor's and stay as they are.
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
