//! Patches: an edit script for item lists, and the text it produces.
//!
//! Laws
//! 1. Everything that a patch does not mention is copied byte for byte.
//! 2. A removed item takes its own comments with it; a moved one takes them along. Free comments stay.
//! 3. A comment never swallows the text after it: a line end is inserted where it would.

use script::ast::{NodeId, Tree};

use super::item_list::{Item, ItemList, ItemListKind, ItemRole, indent_at};

/// The indentation of new items in a list that had none.
const INDENT: &str = "    ";

/// The edit of a value.
#[derive(Clone, Debug, Default)]
pub(crate) enum Patch {
    /// Keep it.
    #[default]
    Keep,
    /// Replace its text.
    Text(String),
    /// Edit the items of a list, a record or a file.
    ItemList(Vec<ItemEdit>),
}

/// One item of the new list.
#[derive(Clone, Debug)]
pub(crate) enum ItemEdit {
    /// An existing item.
    Kept(KeptItem),
    /// A new one.
    New(NewItem),
    /// Comments that belong to no item, each with its `//`, and empty lines.
    Comments(Vec<String>),
}

/// An existing item.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptItem {
    /// Its index in the old list.
    pub index: usize,
    /// Its new name.
    pub name: Option<String>,
    /// The edit of its value.
    pub patch: Patch,
    /// Its new comments, if they change.
    pub comments: Option<Comments>,
}

/// The comments of an item, each with its `//`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comments {
    pub above: Vec<String>,
    pub behind: Option<String>,
}

/// A new item.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewItem {
    /// Its text without the comma: `!set mass 3`, `marker "nose"`, `{ … }`.
    pub text: String,
    pub comments: Comments,
}

impl ItemEdit {
    /// An unchanged item.
    pub fn keep(index: usize) -> ItemEdit {
        ItemEdit::Kept(KeptItem { index, ..KeptItem::default() })
    }

    /// An item with an edited value.
    pub fn patched(index: usize, patch: Patch) -> ItemEdit {
        ItemEdit::Kept(KeptItem { index, patch, ..KeptItem::default() })
    }

    /// A new item without comments.
    pub fn new(text: String) -> ItemEdit {
        ItemEdit::New(NewItem { text, comments: Comments::default() })
    }
}

/// The text of a file with its statements edited.
pub(crate) fn patch_file(source: &str, tree: &Tree, parts: &[ItemEdit]) -> String {
    let row = ItemList::of_file(source, tree);
    let mut renderer = Renderer::new(source, tree);
    renderer.row(&row, parts);
    renderer.out
}

struct Renderer<'a> {
    source: &'a str,
    tree: &'a Tree,
    out: String,
    /// Whether the output ends in a comment, which extends to the end of its line.
    is_in_comment: bool,
}

/// The style of new items.
struct Style<'a> {
    indent: &'a str,
    has_lines: bool,
    line_end: &'static str,
}

impl<'a> Renderer<'a> {
    fn new(source: &'a str, tree: &'a Tree) -> Renderer<'a> {
        Renderer { source, tree, out: String::with_capacity(source.len() + 256), is_in_comment: false }
    }

    fn value(&mut self, id: NodeId, patch: &Patch) {
        let span = self.tree.node(id).span;
        match patch {
            Patch::Keep => self.copy(span.start as usize, span.end as usize),
            Patch::Text(text) => self.out.push_str(text),
            Patch::ItemList(parts) => match ItemList::of_value(self.source, self.tree, id) {
                Some(row) => {
                    self.copy(span.start as usize, row.open);
                    self.row(&row, parts);
                    self.copy(row.close, span.end as usize);
                }
                None => self.copy(span.start as usize, span.end as usize),
            },
        }
        self.is_in_comment = false;
    }

    fn row(&mut self, row: &ItemList, parts: &[ItemEdit]) {
        let mut indent = String::new();
        let style = self.style(row, &mut indent);
        self.copy(row.open, row.head);
        self.is_in_comment = row.has_comment;
        let in_order = in_order(parts);
        let is_item = |part: &ItemEdit| !matches!(part, ItemEdit::Comments(_));
        let last = parts.iter().rposition(is_item);
        let ends_with_comma = row.items.last().is_some_and(|item| item.comma.is_some());
        let mut next_free = 0;
        let mut before: Option<usize> = None;
        let mut is_first = true;
        for (number, part) in parts.iter().enumerate() {
            let has_comma = row.kind != ItemListKind::File && (last != Some(number) || ends_with_comma);
            match part {
                ItemEdit::Kept(old) => {
                    let item = &row.items[old.index];
                    if in_order[number] {
                        self.free_parts(row, next_free, old.index + 1);
                        next_free = old.index + 1;
                    }
                    let is_displaced = before != old.index.checked_sub(1) || is_first != (old.index == 0);
                    self.old(row, item, old, &style, (is_displaced, is_first));
                    self.old_end(item, old, has_comma);
                    before = Some(old.index);
                    is_first = false;
                }
                ItemEdit::New(new) => {
                    self.new_item(row, new, &style, is_first);
                    if has_comma {
                        self.out.push(',');
                    }
                    self.behind(new.comments.behind.as_deref());
                    before = None;
                    is_first = false;
                }
                ItemEdit::Comments(lines) => {
                    for line in lines {
                        self.line(style.line_end, if line.is_empty() { "" } else { style.indent });
                        self.out.push_str(line);
                        self.is_in_comment = !line.is_empty();
                    }
                }
            }
        }
        self.free_parts(row, next_free, row.items.len());
        self.tail(row, parts, &style);
    }

    fn style<'s>(&self, row: &ItemList, indent: &'s mut String) -> Style<'s> {
        let line_end = line_end(self.source);
        let own_line = row.items.iter().find(|item| item.begins_line(self.source));
        *indent = match (row.kind, own_line) {
            (ItemListKind::File, _) => String::new(),
            (_, Some(item)) => indent_at(self.source, item.start).to_string(),
            (_, None) => {
                let base = indent_at(self.source, row.open);
                [base, if base.contains('\t') { "\t" } else { INDENT }].concat()
            }
        };
        Style { indent, has_lines: row.kind == ItemListKind::File || own_line.is_some(), line_end }
    }

    /// Copies the free parts of some items.
    fn free_parts(&mut self, row: &ItemList, from: usize, to: usize) {
        for index in from..to {
            let (start, end) = (row.free(index), row.items[index].own);
            if start < end {
                let free = &self.source[start..end];
                self.end_line(row, free);
                self.out.push_str(free);
                // It contains only comments.
                let last = free.rsplit('\n').next().unwrap_or("");
                self.is_in_comment = last.contains("//") || self.is_in_comment && !free.contains('\n');
            }
        }
    }

    fn old(&mut self, row: &ItemList, item: &Item, old: &KeptItem, style: &Style<'_>, place: (bool, bool)) {
        let (is_displaced, is_first) = place;
        let lead = &self.source[item.own..item.start];
        match &old.comments {
            None if lead.contains('\n') => self.lead(lead),
            None if self.is_in_comment || row.kind == ItemListKind::File && !self.out.is_empty() => {
                self.line(style.line_end, style.indent);
                self.out.push_str(lead.trim_start_matches([' ', '\t']));
            }
            None if row.kind != ItemListKind::File && self.out.ends_with('\n') => {
                self.out.push_str(style.indent);
                self.out.push_str(lead.trim_start_matches([' ', '\t']));
            }
            None if is_displaced && is_first && row.kind == ItemListKind::List => {
                self.out.push_str(lead.trim_start_matches([' ', '\t']));
            }
            None if is_displaced && lead.is_empty() && row.kind != ItemListKind::File => self.out.push(' '),
            None => self.out.push_str(lead),
            Some(comments) => {
                let has_lines =
                    style.has_lines || lead.contains('\n') || !comments.above.is_empty() || self.is_in_comment;
                self.above(comments, has_lines, lead, style);
            }
        }
        self.is_in_comment = false;
        let head_end = item.span.start as usize;
        match (&old.name, item.name) {
            (Some(new), Some(name)) => {
                self.copy(item.start, name.start as usize);
                self.out.push_str(new);
                self.copy(name.end as usize, head_end);
            }
            _ => self.copy(item.start, head_end),
        }
        let is_glued = self.out.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        if (item.name.is_some() || item.role != ItemRole::Whole) && is_glued {
            self.out.push(' ');
        }
        self.value(item.value, &old.patch);
    }

    /// Writes the end of an item: its comma, and the comment behind it.
    fn old_end(&mut self, item: &Item, old: &KeptItem, has_comma: bool) {
        let end = item.span.end as usize;
        let behind = old.comments.as_ref().map(|comments| comments.behind.as_deref());
        match item.comma {
            Some(comma) => {
                let between = &self.source[end..comma];
                // If the comments change, those between a value and its comma are dropped.
                self.out.push_str(if behind.is_some() { "" } else { between });
                self.out.push_str(if has_comma { "," } else { "" });
                if behind.is_none() {
                    self.copy(comma + 1, item.stop);
                }
            }
            None => {
                self.out.push_str(if has_comma { "," } else { "" });
                if behind.is_none() {
                    self.copy(end, item.stop);
                }
            }
        }
        match behind {
            Some(behind) => self.behind(behind),
            None => self.is_in_comment = item.has_comment,
        }
    }

    fn new_item(&mut self, row: &ItemList, new: &NewItem, style: &Style<'_>, is_first: bool) {
        let is_block = row.items.is_empty() && new.text.starts_with('{');
        let has_lines = style.has_lines || !new.comments.above.is_empty() || self.is_in_comment || is_block;
        let lead = if is_first && row.kind == ItemListKind::List { "" } else { " " };
        self.above(&new.comments, has_lines, lead, style);
        self.is_in_comment = false;
        self.out.push_str(&new.text);
    }

    /// Writes the comments above an item, and its lead.
    fn above(&mut self, comments: &Comments, has_lines: bool, lead: &str, style: &Style<'_>) {
        for comment in &comments.above {
            self.line(style.line_end, style.indent);
            self.out.push_str(comment);
        }
        if has_lines {
            self.line(style.line_end, style.indent);
        } else {
            self.out.push_str(lead);
        }
    }

    fn behind(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.out.push(' ');
            self.out.push_str(comment);
            self.is_in_comment = true;
        }
    }

    /// Writes the tail of a list, up to its closing bracket.
    fn tail(&mut self, row: &ItemList, parts: &[ItemEdit], style: &Style<'_>) {
        let tail = &self.source[row.free(row.items.len())..row.close];
        let is_open_line = self.is_in_comment && !tail.contains('\n');
        let is_new_block = row.items.is_empty()
            && !tail.contains('\n')
            && parts.iter().any(|part| matches!(part, ItemEdit::New(new) if new.text.starts_with('{')));
        match row.kind {
            ItemListKind::File => {
                self.end_line(row, tail);
                self.out.push_str(tail);
                if !self.source.contains('\n') && parts.iter().any(|part| matches!(part, ItemEdit::New(_))) {
                    self.out.push_str(style.line_end);
                }
            }
            _ if is_open_line || is_new_block => {
                let base = indent_at(self.source, row.open).to_string();
                self.line(style.line_end, &base);
            }
            ItemListKind::Record if row.items.is_empty() && !parts.is_empty() && tail.is_empty() => self.out.push(' '),
            _ => self.out.push_str(tail),
        }
        self.is_in_comment = false;
    }

    /// Starts a new line. The first line of a file needs no line end before it.
    fn line(&mut self, line_end: &str, indent: &str) {
        if !self.out.is_empty() {
            self.out.push_str(line_end);
        }
        self.out.push_str(indent);
        self.is_in_comment = false;
    }

    /// Writes the lead of an item, which begins with a line end; that is omitted at the start of a file.
    fn lead(&mut self, lead: &str) {
        let behind = lead.strip_prefix("\r\n").or_else(|| lead.strip_prefix('\n'));
        match behind {
            Some(behind) if self.out.is_empty() && !self.source.starts_with(['\n', '\r']) => self.out.push_str(behind),
            Some(_) => self.out.push_str(lead),
            // The first item of a file, moved away from there.
            None => {
                self.line(line_end(self.source), "");
                self.out.push_str(lead);
            }
        }
    }

    /// Ends the line where the following text would otherwise become part of it: after a comment, and in a file after a
    /// statement.
    fn end_line(&mut self, row: &ItemList, next: &str) {
        let next = next.trim_start_matches([' ', '\t', '\r']);
        let is_open = row.kind == ItemListKind::File && !self.out.is_empty() && !self.out.ends_with('\n');
        if (is_open || self.is_in_comment) && next.starts_with("//") {
            self.out.push_str(line_end(self.source));
            self.is_in_comment = false;
        }
    }

    fn copy(&mut self, start: usize, end: usize) {
        self.out.push_str(&self.source[start..end]);
    }
}

/// The line end of a text.
pub(crate) fn line_end(source: &str) -> &'static str {
    let first = source.find('\n').unwrap_or(0);
    if first > 0 && source.as_bytes()[first - 1] == b'\r' { "\r\n" } else { "\n" }
}

/// Which of the old items keep their relative order: a longest increasing subsequence. The others were moved.
fn in_order(parts: &[ItemEdit]) -> Vec<bool> {
    let numbers: Vec<(usize, usize)> = parts
        .iter()
        .enumerate()
        .filter_map(|(number, part)| match part {
            ItemEdit::Kept(old) => Some((number, old.index)),
            _ => None,
        })
        .collect();
    let mut found = vec![false; parts.len()];
    for place in longest_rising(&numbers.iter().map(|(_, index)| *index).collect::<Vec<_>>()) {
        found[numbers[place].0] = true;
    }
    found
}

/// The indices of a longest increasing subsequence (Schensted 1961, by patience sorting).
pub(crate) fn longest_rising(numbers: &[usize]) -> Vec<usize> {
    // For each length, the index of the smallest number that ends an increasing subsequence of it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (place, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(place);
        } else {
            ends[length] = place;
        }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(place) = at {
        found.push(place);
        at = before[place];
    }
    found.reverse();
    found
}
