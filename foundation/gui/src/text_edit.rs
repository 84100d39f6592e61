//! The text of an input field: caret, selection and composition.
//!
//! Laws
//! 1. Caret and selection lie between characters.
//! 2. The text is never longer than the field allows, in characters and in bytes.

use alloc::string::String;

use crate::limits::INPUT_BYTES_MAX;

/// The text of an input field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdit {
    text: String,
    caret: usize,
    /// The other end of the selection.
    mark: usize,
    /// What an input method composes at the caret, and the byte of its cursor in it.
    composed: Option<(String, usize)>,
}

/// How a caret moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaretMove {
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// To the beginning of the word, or of the one before.
    WordLeft,
    /// To the end of the word, or of the next.
    WordRight,
    /// To the beginning.
    Start,
    /// To the end.
    End,
}

impl TextEdit {
    /// A field with this text, and the caret at its end.
    pub fn new(text: &str, characters_max: usize) -> TextEdit {
        let mut edit = TextEdit::default();
        edit.insert(text, characters_max);
        edit
    }

    /// The text, without what is being composed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is shown, with what is being composed, and the byte of the caret in it.
    pub fn shown(&self) -> (String, usize) {
        let Some((composed, cursor)) = &self.composed else { return (self.text.clone(), self.caret) };
        let mut shown = self.text.clone();
        shown.insert_str(self.caret, composed);
        (shown, self.caret + cursor)
    }

    /// The caret's byte.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// The selected bytes; empty if there are none.
    pub fn selected(&self) -> core::ops::Range<usize> {
        self.caret.min(self.mark)..self.caret.max(self.mark)
    }

    /// The selected text.
    pub fn selected_text(&self) -> &str {
        self.text.get(self.selected()).unwrap_or("")
    }

    /// The bytes of the shown text that are being composed.
    pub fn composed(&self) -> Option<core::ops::Range<usize>> {
        self.composed.as_ref().map(|(text, _)| self.caret..self.caret + text.len())
    }

    /// Replaces the selection. Control characters and what is too long are left out. Whether the text has changed.
    pub fn insert(&mut self, text: &str, characters_max: usize) -> bool {
        let had_selection = !self.selected().is_empty();
        self.remove_selection();
        let mut left = characters_max.saturating_sub(self.text.chars().count());
        let mut has_changed = had_selection;
        for letter in text.chars().filter(|letter| !letter.is_control()) {
            if left == 0 || self.text.len() + letter.len_utf8() > INPUT_BYTES_MAX {
                break;
            }
            left -= 1;
            self.text.insert(self.caret, letter);
            self.caret += letter.len_utf8();
            has_changed = true;
        }
        self.mark = self.caret;
        has_changed
    }

    /// Shows what an input method composes; empty: it has ended.
    pub fn compose(&mut self, text: &str, cursor: Option<(usize, usize)>) {
        self.composed = None;
        if text.is_empty() || text.len() > INPUT_BYTES_MAX {
            return;
        }
        self.remove_selection();
        let cursor = cursor.map_or(text.len(), |(_, end)| end.min(text.len()));
        let cursor = (0..=cursor).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(0);
        self.composed = Some((text.into(), cursor));
    }

    /// Moves the caret; `selects` keeps the other end of the selection.
    pub fn move_caret(&mut self, way: CaretMove, selects: bool) {
        let selected = self.selected();
        let has_selection = !selects && !selected.is_empty();
        self.caret = match way {
            CaretMove::Left if has_selection => selected.start,
            CaretMove::Right if has_selection => selected.end,
            CaretMove::Left => self.before(self.caret),
            CaretMove::Right => self.after(self.caret),
            CaretMove::WordLeft => self.word_left(),
            CaretMove::WordRight => self.word_right(),
            CaretMove::Start => 0,
            CaretMove::End => self.text.len(),
        };
        if !selects {
            self.mark = self.caret;
        }
    }

    /// Puts the caret before the character at a byte.
    pub fn place_caret(&mut self, byte: usize, selects: bool) {
        let byte = byte.min(self.text.len());
        self.caret = (0..=byte).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        if !selects {
            self.mark = self.caret;
        }
    }

    /// Selects everything.
    pub fn select_all(&mut self) {
        (self.mark, self.caret) = (0, self.text.len());
    }

    /// Removes the selection, or the character before or after the caret. Whether the text has changed.
    pub fn delete(&mut self, is_forward: bool) -> bool {
        if self.selected().is_empty() {
            self.mark = if is_forward { self.after(self.caret) } else { self.before(self.caret) };
        }
        let has_changed = !self.selected().is_empty();
        self.remove_selection();
        has_changed
    }

    fn remove_selection(&mut self) {
        let selected = self.selected();
        self.text.replace_range(selected.clone(), "");
        (self.caret, self.mark) = (selected.start, selected.start);
    }

    fn before(&self, byte: usize) -> usize {
        self.text[..byte].char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self, byte: usize) -> usize {
        self.text[byte..].chars().next().map_or(byte, |letter| byte + letter.len_utf8())
    }

    fn word_left(&self) -> usize {
        let before = &self.text[..self.caret];
        let before = before.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        before.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let after = &self.text[self.caret..];
        let after = after.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let after = after.trim_start_matches(char::is_alphanumeric);
        self.text.len() - after.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with the caret as `|` and the other end of the selection as `^`.
    fn shown(edit: &TextEdit) -> String {
        let mut text = String::from(edit.text());
        let (first, last) = (edit.caret.min(edit.mark), edit.caret.max(edit.mark));
        if first == last {
            text.insert(first, '|');
        } else {
            text.insert(last, if last == edit.caret { '|' } else { '^' });
            text.insert(first, if first == edit.caret { '|' } else { '^' });
        }
        text
    }

    #[test]
    fn the_caret_moves_by_characters_and_words() {
        let mut edit = TextEdit::new("naïve ship, gone", 100);
        for (way, selects, expected) in [
            (CaretMove::WordLeft, false, "naïve ship, |gone"),
            (CaretMove::WordLeft, false, "naïve |ship, gone"),
            (CaretMove::WordLeft, false, "|naïve ship, gone"),
            (CaretMove::Left, false, "|naïve ship, gone"),
            (CaretMove::Right, false, "n|aïve ship, gone"),
            (CaretMove::WordRight, true, "n^aïve| ship, gone"),
            (CaretMove::Left, false, "n|aïve ship, gone"),
            (CaretMove::End, true, "n^aïve ship, gone|"),
            (CaretMove::Right, false, "naïve ship, gone|"),
        ] {
            edit.move_caret(way, selects);
            assert_eq!(shown(&edit), expected, "{way:?}");
        }
    }

    #[test]
    fn typing_replaces_the_selection_and_stops_at_the_limit() {
        let mut edit = TextEdit::new("abc", 5);
        edit.select_all();
        assert!(edit.insert("äöü\n1234", 5));
        assert_eq!(shown(&edit), "äöü12|");
        assert!(!edit.insert("x", 5), "it is full");
        assert!(edit.delete(false) && !edit.delete(true));
        edit.place_caret(1, false);
        assert_eq!(shown(&edit), "|äöü1", "a caret never lies within a character");
        assert!(edit.delete(true));
        assert_eq!(shown(&edit), "|öü1");
    }

    #[test]
    fn what_is_composed_is_shown_and_not_part_of_the_text() {
        let mut edit = TextEdit::new("ab", 10);
        edit.move_caret(CaretMove::Left, false);
        edit.compose("にほ", Some((3, 3)));
        assert_eq!((edit.shown(), edit.text()), ((String::from("aにほb"), 4), "ab"));
        edit.compose("", None);
        assert!(edit.insert("日本", 10));
        assert_eq!(shown(&edit), "a日本|b");
    }
}
