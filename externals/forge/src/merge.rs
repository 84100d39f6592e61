//! Semantic three-way merge of tags.
//!
//! The result is our text with their changes applied, so that our comments and notation stay; their additions keep
//! their comments.
//!
//! Laws
//! 1. No edit is lost: each is in the result, or in a conflict that is reported and marked in the text.
//! 2. A text with conflicts is still valid. Our value counts, or the changed one if the other side removed it; the
//!    other version is in comments above it that begin with [`MARK`]. They stay until they are removed, and
//!    [`conflicts`] finds them.
//! 3. No element is duplicated because both sides have it.
//! 4. Different fields, different elements and additions on both sides are no conflict. Where the order of two
//!    additions is not determined, it does not depend on which side is ours.

use std::borrow::Cow;
use std::collections::BTreeSet;

use script::ast::{NodeId, Tree};
use script::parse::parse;
use script::source::Span;
use script::token::TokenKind;

use crate::diff::canonical::{Comparing, ParsedText, shape};
use crate::document::item_list::{ItemList, ItemListKind, ItemRole, comments_in, from};
use crate::document::patch::{Comments, ItemEdit, KeptItem, NewItem, Patch, patch_file};
use crate::document::{Document, Refusal, refuse, version_of};
use crate::field_path::FieldPath;
use crate::upgrade::upgrade;
use tags::class::{Class, Kind};

mod keyed;
mod overlap;
mod record;
mod unkeyed;

/// The prefix of comments that hold a conflict.
pub const MARK: &str = "//! conflict:";

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedTag {
    /// The text.
    pub text: String,
    /// The conflicts.
    pub conflicts: Vec<Conflict>,
}

/// One conflicting change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Its field path.
    pub place: FieldPath,
    /// The value in the base, if it existed.
    pub base: Option<String>,
    /// Our value; none if we removed it.
    pub ours: Option<String>,
    /// Their value; none if they removed it.
    pub theirs: Option<String>,
}

/// Merges two texts with a common base. Fails if a text has syntax errors or is too new; a merge by lines may be used
/// then.
pub fn merge(base: &str, ours: &str, theirs: &str, class: &Class) -> Result<MergedTag, Refusal> {
    let whole = |text: &str| Ok(MergedTag { text: text.to_string(), conflicts: Vec::new() });
    if theirs == base || ours == theirs {
        return whole(ours);
    }
    if ours == base {
        return whole(theirs);
    }
    let [base, ours, theirs] = same_version([base, ours, theirs], class)?;
    let trees = [&base, &ours, &theirs].map(|text| parse(text));
    let mut merger = Merger {
        base: side(&base, &trees[0], class)?,
        ours: side(&ours, &trees[1], class)?,
        theirs: side(&theirs, &trees[2], class)?,
        conflicts: Vec::new(),
    };
    let rows = [&merger.base, &merger.ours, &merger.theirs].map(|side| ItemList::of_file(side.source, side.tree));
    let parts = merger.record((Some(&rows[0]), &rows[1], &rows[2]), Some(class.root()), &FieldPath::root());
    let text = patch_file(&ours, &trees[1], &parts);
    match parse(&text).reports.first() {
        None => Ok(MergedTag { text, conflicts: merger.conflicts }),
        Some(report) => Err(refuse(format!("the merged text would have a syntax error: {}", report.message), BY_LINES)),
    }
}

/// The conflict marks in a text.
pub fn conflicts(text: &str) -> Vec<Span> {
    if !text.contains(MARK) {
        return Vec::new();
    }
    let tokens = script::token::tokens(text);
    let is_mark = |kind: TokenKind, span: Span| kind == TokenKind::Comment && span.text(text).starts_with(MARK);
    tokens.iter().filter(|token| is_mark(token.kind, token.span)).map(|token| token.span).collect()
}

const BY_LINES: &str = "merge the lines instead";

/// Texts of different versions are upgraded first, so that they have the same fields.
fn same_version<'t>(texts: [&'t str; 3], class: &Class) -> Result<[Cow<'t, str>; 3], Refusal> {
    let mut versions = [0; 3];
    for (version, text) in versions.iter_mut().zip(texts) {
        let document = Document::new(text, class);
        document.may_write()?;
        if let Some(report) = document.tree().reports.first() {
            return Err(refuse(format!("one of the texts has a syntax error: {}", report.message), BY_LINES));
        }
        *version = document.version()?;
    }
    if versions[0] == versions[1] && versions[1] == versions[2] {
        return Ok(texts.map(Cow::Borrowed));
    }
    let mut upgraded = texts.map(Cow::Borrowed);
    for text in &mut upgraded {
        let done = upgrade(text, class)?;
        if version_of(&done.text, &parse(&done.text))? != class.version {
            return Err(refuse(
                "the texts are of different versions, and not all can be upgraded".to_string(),
                BY_LINES,
            ));
        }
        *text = Cow::Owned(done.text);
    }
    Ok(upgraded)
}

fn side<'a>(source: &'a str, tree: &'a Tree, class: &'a Class) -> Result<ParsedText<'a>, Refusal> {
    match tree.reports.first() {
        None => Ok(ParsedText { class, source, tree, version: version_of(source, tree)? }),
        Some(report) => Err(refuse(format!("one of the texts has a syntax error: {}", report.message), BY_LINES)),
    }
}

struct Merger<'a> {
    base: ParsedText<'a>,
    ours: ParsedText<'a>,
    theirs: ParsedText<'a>,
    conflicts: Vec<Conflict>,
}

/// An item of a list.
type ItemRef<'r> = (&'r ItemList, usize);

/// The same list in the three texts; it may be missing in the base.
type ThreeLists<'r> = (Option<&'r ItemList>, &'r ItemList, &'r ItemList);

/// The edit of our value, and comments to put above it.
struct ValueOutcome {
    patch: Patch,
    above: Vec<String>,
}

/// Everything that a person may have changed in an item: its meaning, its name, its comments.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Signature<'a> {
    meaning: String,
    name: &'a str,
    /// Each with the number of tokens before it.
    comments: Vec<(usize, &'a str)>,
}

impl<'a> Merger<'a> {
    /// Merges an item that all three texts have, or that both sides added.
    fn item(
        &mut self,
        base: Option<ItemRef<'_>>,
        ours: ItemRef<'_>,
        theirs: ItemRef<'_>,
        kind: Option<&'a Kind>,
        place: &FieldPath,
    ) -> ItemEdit {
        let index = ours.1;
        let signature = |side: &ParsedText<'a>, at: ItemRef<'_>| signature(side, at, kind);
        let (of_ours, of_theirs) = (signature(&self.ours, ours), signature(&self.theirs, theirs));
        let of_base = base.map(|at| signature(&self.base, at));
        if of_ours == of_theirs || of_base.as_ref() == Some(&of_theirs) {
            return ItemEdit::keep(index);
        }
        let base_value = base.map(|(row, index)| row.items[index].value);
        let values = (ours.0.items[ours.1].value, theirs.0.items[theirs.1].value);
        let ValueOutcome { patch, above } = self.value(base_value, values, (ours.0.kind, kind), place, ours);
        let mut comments = self.comments(base, ours, theirs);
        if !above.is_empty() {
            let all = comments.get_or_insert_with(|| comments_of(&self.ours, ours));
            let new = above.into_iter().filter(|line| !all.above.contains(line));
            let new: Vec<String> = new.collect();
            all.above.extend(new);
        }
        // The field may also have been renamed.
        let name = of_theirs.name;
        let is_renamed = name != of_ours.name && of_base.is_some_and(|base| base.name == of_ours.name);
        ItemEdit::Kept(KeptItem { index, name: is_renamed.then(|| name.to_string()), patch, comments })
    }

    /// Merges a value that both sides have.
    fn value(
        &mut self,
        base: Option<NodeId>,
        (ours, theirs): (NodeId, NodeId),
        (around, kind): (ItemListKind, Option<&'a Kind>),
        place: &FieldPath,
        at: ItemRef<'_>,
    ) -> ValueOutcome {
        let (our_text, their_text) = (self.ours.text(ours), self.theirs.text(theirs));
        let base_text = base.map(|base| self.base.text(base));
        let keep = |above| ValueOutcome { patch: Patch::Keep, above };
        if our_text == their_text || base_text == Some(their_text) {
            return keep(Vec::new());
        }
        let take = |above| ValueOutcome { patch: Patch::Text(their_text.to_string()), above };
        if base_text == Some(our_text) {
            return take(Vec::new());
        }
        if let Some(patch) = self.rows(base, ours, theirs, kind, place) {
            return ValueOutcome { patch, above: Vec::new() };
        }
        let (our_meaning, their_meaning) = (self.ours.meaning(ours, kind), self.theirs.meaning(theirs, kind));
        let base_meaning = base.map(|base| self.base.meaning(base, kind));
        let of_base = base.map_or_else(BTreeSet::new, |base| inner_comments(&self.base, base));
        let (of_ours, of_theirs) = (inner_comments(&self.ours, ours), inner_comments(&self.theirs, theirs));
        let new_in = |these: &BTreeSet<&str>, others: &BTreeSet<&str>| -> Vec<String> {
            let is_new = |line: &&&str| !of_base.contains(*line) && !others.contains(*line);
            these.iter().filter(is_new).map(ToString::to_string).collect()
        };
        let (our_new, their_new) = (new_in(&of_ours, &of_theirs), new_in(&of_theirs, &of_ours));
        // New comments inside the discarded value are moved above it, unless they belong to its parts.
        let has_parts = self.ours.row(ours).is_some() || self.theirs.row(theirs).is_some();
        let can_leave = |comments: &[String]| comments.is_empty() || !has_parts;
        let is_same = our_meaning == their_meaning && (of_ours == of_theirs || !has_parts);
        if is_same || base_meaning.as_ref() == Some(&their_meaning) && can_leave(&their_new) {
            return keep(their_new);
        }
        if base_meaning.as_ref() == Some(&our_meaning) && can_leave(&our_new) {
            return take(our_new);
        }
        let written = |text: &str| as_item(around, head_of(&self.ours, at).as_str(), text);
        let mut above = marked("theirs", &written(their_text));
        above.extend(base_text.map(|text| marked("base", &written(text))).unwrap_or_default());
        self.conflict(place, base_text, Some(our_text), Some(their_text));
        keep(above)
    }

    /// Merges a value that is a list on both sides; none if it must be taken as a whole.
    fn rows(
        &mut self,
        base: Option<NodeId>,
        ours: NodeId,
        theirs: NodeId,
        kind: Option<&'a Kind>,
        place: &FieldPath,
    ) -> Option<Patch> {
        let (our_row, their_row) = (self.ours.row(ours)?, self.theirs.row(theirs)?);
        let base_row = match base {
            Some(base) => Some(self.base.row(base)?),
            None => None,
        };
        let mut all: Vec<&ItemList> = vec![&our_row, &their_row];
        all.extend(base_row.as_ref());
        let rows = (base_row.as_ref(), &our_row, &their_row);
        match shape(self.ours.class, &all, kind) {
            Comparing::Whole => None,
            Comparing::Record(record) => Some(Patch::ItemList(self.record(rows, record, place))),
            Comparing::Series(of) => self.series(rows, of, place).map(Patch::ItemList),
        }
    }

    fn series(&mut self, rows: ThreeLists<'_>, of: Option<&'a Kind>, place: &FieldPath) -> Option<Vec<ItemEdit>> {
        let keys = (self.ours.keys(rows.1, of), self.theirs.keys(rows.2, of));
        let base_keys = rows.0.map_or_else(|| Some(Vec::new()), |row| self.base.keys(row, of));
        match (base_keys, keys) {
            (Some(base), (Some(ours), Some(theirs))) => {
                let (ours, theirs) = self.with_former_keys(rows, &base, (ours, theirs), of);
                Some(self.keyed(rows, [&base, &ours, &theirs], of, place))
            }
            _ => self.unkeyed(rows, of, place),
        }
    }

    fn conflict(&mut self, place: &FieldPath, base: Option<&str>, ours: Option<&str>, theirs: Option<&str>) {
        let text = |text: Option<&str>| text.map(ToString::to_string);
        let (base, ours, theirs) = (text(base), text(ours), text(theirs));
        self.conflicts.push(Conflict { place: place.clone(), base, ours, theirs });
    }

    /// Our item, which they removed and we changed.
    fn kept_ours(&mut self, base: ItemRef<'_>, ours: ItemRef<'_>, place: &FieldPath) -> ItemEdit {
        let (before, now) = (item_text(&self.base, base), self.ours.text(ours.0.items[ours.1].value));
        let base_text = self.base.text(base.0.items[base.1].value);
        self.conflict(place, Some(base_text), Some(now), None);
        let mut comments = comments_of(&self.ours, ours);
        comments.above.extend(marked("theirs", "removed"));
        comments.above.extend(marked("base", before));
        ItemEdit::Kept(KeptItem { index: ours.1, comments: Some(comments), ..KeptItem::default() })
    }

    /// Their item, which we removed and they changed.
    fn kept_theirs(&mut self, base: ItemRef<'_>, theirs: ItemRef<'_>, place: &FieldPath) -> ItemEdit {
        let (before, now) = (item_text(&self.base, base), self.theirs.text(theirs.0.items[theirs.1].value));
        let base_text = self.base.text(base.0.items[base.1].value);
        self.conflict(place, Some(base_text), None, Some(now));
        let mut comments = comments_of(&self.theirs, theirs);
        comments.above.extend(marked("ours", "removed"));
        comments.above.extend(marked("base", before));
        ItemEdit::New(NewItem { text: item_text(&self.theirs, theirs).to_string(), comments })
    }

    /// An item that they added.
    fn added(&self, theirs: ItemRef<'_>) -> ItemEdit {
        let text = item_text(&self.theirs, theirs).to_string();
        ItemEdit::New(NewItem { text, comments: comments_of(&self.theirs, theirs) })
    }

    /// The comments of our item, if theirs changed: additions are added, removals removed.
    fn comments(&self, base: Option<ItemRef<'_>>, ours: ItemRef<'_>, theirs: ItemRef<'_>) -> Option<Comments> {
        let of_base = base.map_or_else(Comments::default, |base| comments_of(&self.base, base));
        let (mut of_ours, of_theirs) = (comments_of(&self.ours, ours), comments_of(&self.theirs, theirs));
        let is_in = |comments: &Comments, line: &String| {
            comments.above.contains(line) || comments.behind.as_ref() == Some(line)
        };
        let before = of_ours.clone();
        let is_gone = |line: &String| is_in(&of_base, line) && !is_in(&of_theirs, line);
        of_ours.above.retain(|line| !is_gone(line));
        of_ours.behind = of_ours.behind.filter(|line| !is_gone(line));
        let is_new = |line: &&String| !is_in(&of_base, line) && !is_in(&before, line);
        of_ours.above.extend(of_theirs.above.iter().filter(is_new).cloned());
        if let Some(behind) = of_theirs.behind.as_ref().filter(is_new) {
            match of_ours.behind {
                None => of_ours.behind = Some(behind.clone()),
                Some(_) => of_ours.above.push(behind.clone()),
            }
        }
        (of_ours != before).then_some(of_ours)
    }

    /// New comments of their list that belong to no item, by the item they precede.
    fn free_comments(&self, rows: ThreeLists<'_>) -> Vec<(usize, ItemEdit)> {
        let all = |side: &ParsedText<'a>, row: &ItemList| -> BTreeSet<&'a str> {
            let end = row.items.first().map_or(row.close, |item| item.own);
            let mut comments = comments_in(side.tree, row.open, end, false);
            (1..=row.items.len()).for_each(|index| comments.extend(row.free_comments(side.tree, index)));
            comments.iter().map(|comment| comment.span.text(side.source).trim_end()).collect()
        };
        let mut known = all(&self.ours, rows.1);
        known.extend(rows.0.map(|row| all(&self.base, row)).unwrap_or_default());
        let (row, side) = (rows.2, &self.theirs);
        let mut found = Vec::new();
        for index in 0..=row.items.len() {
            let mut comments = row.free_comments(side.tree, index);
            if index == 0 {
                comments.splice(0..0, comments_in(side.tree, row.open, row.head, false));
            }
            let lines = comments.iter().map(|comment| comment.span.text(side.source).trim_end());
            let lines: Vec<String> = lines.filter(|line| !known.contains(line)).map(ToString::to_string).collect();
            if !lines.is_empty() {
                let around = [&[String::new()][..], &lines, &[String::new()][..]].concat();
                found.push((index, ItemEdit::Comments(around)));
            }
        }
        found
    }
}

fn signature<'a>(side: &ParsedText<'a>, (row, index): ItemRef<'_>, kind: Option<&Kind>) -> Signature<'a> {
    let item = &row.items[index];
    let tokens = side.tree.tokens[from(&side.tree.tokens, item.own)..].iter();
    let tokens = tokens.take_while(|token| (token.span.start as usize) < item.stop);
    let (mut comments, mut words) = (Vec::new(), 0);
    for token in tokens {
        match token.kind {
            TokenKind::Comment => comments.push((words, token.span.text(side.source).trim_end())),
            // Punctuation that may be omitted.
            TokenKind::NewLine | TokenKind::Comma | TokenKind::OpenRound | TokenKind::CloseRound => {}
            _ => words += 1,
        }
    }
    Signature { meaning: side.meaning(item.value, kind), name: name_of(side, (row, index)), comments }
}

fn inner_comments<'a>(side: &ParsedText<'a>, id: NodeId) -> BTreeSet<&'a str> {
    let span = side.tree.node(id).span;
    let comments = comments_in(side.tree, span.start as usize, span.end as usize, false);
    comments.iter().map(|comment| comment.span.text(side.source).trim_end()).collect()
}

fn comments_of(side: &ParsedText<'_>, (row, index): ItemRef<'_>) -> Comments {
    let mut found = Comments::default();
    for comment in row.comments(side.tree, index) {
        let text = comment.span.text(side.source).trim_end().to_string();
        match found.behind {
            None if comment.is_behind => found.behind = Some(text),
            _ => found.above.push(text),
        }
    }
    found
}

/// The name of an item, if it has one.
fn name_of<'a>(side: &ParsedText<'a>, (row, index): ItemRef<'_>) -> &'a str {
    row.items[index].name.map_or("", |name| name.text(side.source))
}

/// The text of an item, without its comma and comments.
fn item_text<'a>(side: &ParsedText<'a>, (row, index): ItemRef<'_>) -> &'a str {
    let item = &row.items[index];
    &side.source[item.start..item.span.end as usize]
}

/// What stands before the value of an item: `!set mass`, `!set body.mass`, `!from`, or the name of a field.
fn head_of(side: &ParsedText<'_>, (row, index): ItemRef<'_>) -> String {
    let item = &row.items[index];
    match (item.role, item.name) {
        (ItemRole::Whole, Some(name)) if row.kind == ItemListKind::File => format!("!set {}", name.text(side.source)),
        (ItemRole::Whole, name) => name.map_or("", |name| name.text(side.source)).to_string(),
        (ItemRole::From | ItemRole::Part(..), _) => {
            let words = side.source[item.start..item.span.start as usize].split_whitespace();
            words.collect::<Vec<&str>>().join(" ")
        }
    }
}

/// A value written as an item of a list.
fn as_item(around: ItemListKind, head: &str, text: &str) -> String {
    match around {
        ItemListKind::File | ItemListKind::Record if !head.is_empty() => format!("{head} {text}"),
        _ => text.to_string(),
    }
}

/// A text in marked comments, line by line.
fn marked(who: &str, text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| format!("{MARK} {who}: {}", line.trim_end()));
    lines.map(|line| line.replace('\r', " ")).collect()
}
