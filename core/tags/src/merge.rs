//! Merging: two people's changes of one text, by meaning.
//!
//! The result is our text with their changes made in it, so that our comments and our way of writing stay; what they added
//! comes along with its comments.
//!
//! Laws
//! 1. No edit is lost: each is in the result, or in a conflict that is told of and marked in the text.
//! 2. A text with conflicts can still be read. Our value counts, or the change where the other side removed; the other is in
//!    comments that begin with [`MARK`], above it. They are there until somebody removes them, and [`conflicts`] finds them.
//! 3. No element is there twice because both sides had it.
//! 4. Different fields, different elements and additions on both sides are no conflict. Where the order of two additions is
//!    not given, it does not depend on who was merged into whom.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::parse::parse;
use script::source::Span;
use script::token::TokenKind;
use script::tree::{NodeId, Tree};

use crate::class::{Class, Kind};
use crate::diff::meaning::{Shape, Side, shape};
use crate::document::patch::{Comments, New, Old, Part, Patch, patch_file};
use crate::document::row::{Row, RowKind, comments_in, from};
use crate::document::{Document, Refusal, refuse, version_of};
use crate::place::Place;
use crate::upgrade::upgrade;

mod keyed;
mod record;
mod unkeyed;

/// How the comments begin that hold what could not be merged.
pub const MARK: &str = "//! conflict:";

/// Two texts made one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text.
    pub text: String,
    /// What both changed, and differently.
    pub conflicts: Vec<Conflict>,
}

/// One thing that both changed, and differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub place: Place,
    /// What it was, if it was there.
    pub base: Option<String>,
    /// What we made of it; nothing if we removed it.
    pub ours: Option<String>,
    /// What they made of it.
    pub theirs: Option<String>,
}

/// Merges two texts that both come from a third. What cannot be merged by meaning, since it is not understood or too new, is
/// refused: then the lines may be merged instead.
pub fn merge(base: &str, ours: &str, theirs: &str, class: &Class) -> Result<Merged, Refusal> {
    let whole = |text: &str| Ok(Merged { text: text.to_string(), conflicts: Vec::new() });
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
    let rows = [&merger.base, &merger.ours, &merger.theirs].map(|side| Row::of_file(side.source, side.tree));
    let parts = merger.record((Some(&rows[0]), &rows[1], &rows[2]), Some(class.root()), &Place::root());
    let text = patch_file(&ours, &trees[1], &parts);
    match parse(&text).reports.first() {
        None => Ok(Merged { text, conflicts: merger.conflicts }),
        Some(report) => Err(refuse(format!("the merged text would not be understood: {}", report.message), BY_LINES)),
    }
}

/// The marks of conflicts in a text.
pub fn conflicts(text: &str) -> Vec<Span> {
    if !text.contains(MARK) {
        return Vec::new();
    }
    let tokens = script::token::tokens(text);
    let is_mark = |kind: TokenKind, span: Span| kind == TokenKind::Comment && span.text(text).starts_with(MARK);
    tokens.iter().filter(|token| is_mark(token.kind, token.span)).map(|token| token.span).collect()
}

const BY_LINES: &str = "merge the lines instead";

/// Texts of different versions are upgraded first, so that they speak of the same fields.
fn same_version<'t>(texts: [&'t str; 3], class: &Class) -> Result<[Cow<'t, str>; 3], Refusal> {
    let mut versions = [0; 3];
    for (version, text) in versions.iter_mut().zip(texts) {
        let document = Document::new(text, class);
        document.may_write()?;
        if let Some(report) = document.tree().reports.first() {
            return Err(refuse(format!("one of the texts is not understood: {}", report.message), BY_LINES));
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

fn side<'a>(source: &'a str, tree: &'a Tree, class: &'a Class) -> Result<Side<'a>, Refusal> {
    match tree.reports.first() {
        None => Ok(Side { class, source, tree, version: version_of(source, tree)? }),
        Some(report) => Err(refuse(format!("one of the texts is not understood: {}", report.message), BY_LINES)),
    }
}

struct Merger<'a> {
    base: Side<'a>,
    ours: Side<'a>,
    theirs: Side<'a>,
    conflicts: Vec<Conflict>,
}

/// An item of a row of a text.
type At<'r> = (&'r Row, usize);

/// The same row in the three texts; of the base there may be none.
type Rows<'r> = (Option<&'r Row>, &'r Row, &'r Row);

/// What becomes of our value, and what is to be said above it.
struct Outcome {
    patch: Patch,
    above: Vec<String>,
}

/// All that a person may have done to an item: what it says, and its comments.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Signature<'a> {
    meaning: String,
    name: &'a str,
    /// Each behind so many words.
    comments: Vec<(usize, &'a str)>,
}

impl<'a> Merger<'a> {
    /// An item that all three have, or both of us added.
    fn item(
        &mut self,
        base: Option<At<'_>>,
        ours: At<'_>,
        theirs: At<'_>,
        kind: Option<&'a Kind>,
        place: &Place,
    ) -> Part {
        let index = ours.1;
        let signature = |side: &Side<'a>, at: At<'_>| signature(side, at, kind);
        let (of_ours, of_theirs) = (signature(&self.ours, ours), signature(&self.theirs, theirs));
        let of_base = base.map(|at| signature(&self.base, at));
        if of_ours == of_theirs || of_base.as_ref() == Some(&of_theirs) {
            return Part::keep(index);
        }
        let base_value = base.map(|(row, index)| row.items[index].value);
        let values = (ours.0.items[ours.1].value, theirs.0.items[theirs.1].value);
        let Outcome { patch, above } = self.value(base_value, values, (ours.0.kind, kind), place, ours);
        let mut comments = self.comments(base, ours, theirs);
        if !above.is_empty() {
            let all = comments.get_or_insert_with(|| comments_of(&self.ours, ours));
            let new = above.into_iter().filter(|line| !all.above.contains(line));
            let new: Vec<String> = new.collect();
            all.above.extend(new);
        }
        // A field may have been renamed, too.
        let name = of_theirs.name;
        let is_renamed = name != of_ours.name && of_base.is_some_and(|base| base.name == of_ours.name);
        Part::Old(Old { index, name: is_renamed.then(|| name.to_string()), patch, comments })
    }

    /// What becomes of a value that both have.
    fn value(
        &mut self,
        base: Option<NodeId>,
        (ours, theirs): (NodeId, NodeId),
        (around, kind): (RowKind, Option<&'a Kind>),
        place: &Place,
        at: At<'_>,
    ) -> Outcome {
        let (our_text, their_text) = (self.ours.text(ours), self.theirs.text(theirs));
        let base_text = base.map(|base| self.base.text(base));
        let keep = |above| Outcome { patch: Patch::Keep, above };
        if our_text == their_text || base_text == Some(their_text) {
            return keep(Vec::new());
        }
        let take = |above| Outcome { patch: Patch::Text(their_text.to_string()), above };
        if base_text == Some(our_text) {
            return take(Vec::new());
        }
        if let Some(patch) = self.rows(base, ours, theirs, kind, place) {
            return Outcome { patch, above: Vec::new() };
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
        // Comments inside the value that is not taken are put above it, unless they are about parts of it.
        let has_parts = self.ours.row(ours).is_some() || self.theirs.row(theirs).is_some();
        let can_leave = |comments: &[String]| comments.is_empty() || !has_parts;
        let is_same = our_meaning == their_meaning && (of_ours == of_theirs || !has_parts);
        if is_same || base_meaning.as_ref() == Some(&their_meaning) && can_leave(&their_new) {
            return keep(their_new);
        }
        if base_meaning.as_ref() == Some(&our_meaning) && can_leave(&our_new) {
            return take(our_new);
        }
        let name = name_of(&self.ours, at);
        let written = |text: &str| as_item(around, name, text);
        let mut above = marked("theirs", &written(their_text));
        above.extend(base_text.map(|text| marked("base", &written(text))).unwrap_or_default());
        self.conflict(place, base_text, Some(our_text), Some(their_text));
        keep(above)
    }

    /// What becomes of a value that is a row on both sides; nothing if it must be taken as a whole.
    fn rows(
        &mut self,
        base: Option<NodeId>,
        ours: NodeId,
        theirs: NodeId,
        kind: Option<&'a Kind>,
        place: &Place,
    ) -> Option<Patch> {
        let (our_row, their_row) = (self.ours.row(ours)?, self.theirs.row(theirs)?);
        let base_row = match base {
            Some(base) => Some(self.base.row(base)?),
            None => None,
        };
        let mut all: Vec<&Row> = alloc::vec![&our_row, &their_row];
        all.extend(base_row.as_ref());
        let rows = (base_row.as_ref(), &our_row, &their_row);
        match shape(self.ours.class, &all, kind) {
            Shape::Whole => None,
            Shape::Record(record) => Some(Patch::Row(self.record(rows, record, place))),
            Shape::Series(of) => self.series(rows, of, place).map(Patch::Row),
        }
    }

    fn series(&mut self, rows: Rows<'_>, of: Option<&'a Kind>, place: &Place) -> Option<Vec<Part>> {
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

    fn conflict(&mut self, place: &Place, base: Option<&str>, ours: Option<&str>, theirs: Option<&str>) {
        let text = |text: Option<&str>| text.map(ToString::to_string);
        let (base, ours, theirs) = (text(base), text(ours), text(theirs));
        self.conflicts.push(Conflict { place: place.clone(), base, ours, theirs });
    }

    /// Our item, which they removed and we changed.
    fn kept_ours(&mut self, base: At<'_>, ours: At<'_>, place: &Place) -> Part {
        let (before, now) = (item_text(&self.base, base), self.ours.text(ours.0.items[ours.1].value));
        let base_text = self.base.text(base.0.items[base.1].value);
        self.conflict(place, Some(base_text), Some(now), None);
        let mut comments = comments_of(&self.ours, ours);
        comments.above.extend(marked("theirs", "removed"));
        comments.above.extend(marked("base", before));
        Part::Old(Old { index: ours.1, comments: Some(comments), ..Old::default() })
    }

    /// Their item, which we removed and they changed.
    fn kept_theirs(&mut self, base: At<'_>, theirs: At<'_>, place: &Place) -> Part {
        let (before, now) = (item_text(&self.base, base), self.theirs.text(theirs.0.items[theirs.1].value));
        let base_text = self.base.text(base.0.items[base.1].value);
        self.conflict(place, Some(base_text), None, Some(now));
        let mut comments = comments_of(&self.theirs, theirs);
        comments.above.extend(marked("ours", "removed"));
        comments.above.extend(marked("base", before));
        Part::New(New { text: item_text(&self.theirs, theirs).to_string(), comments })
    }

    /// An item that they added.
    fn added(&self, theirs: At<'_>) -> Part {
        let text = item_text(&self.theirs, theirs).to_string();
        Part::New(New { text, comments: comments_of(&self.theirs, theirs) })
    }

    /// The comments of our item, if theirs change them: what they added comes, what they removed goes.
    fn comments(&self, base: Option<At<'_>>, ours: At<'_>, theirs: At<'_>) -> Option<Comments> {
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

    /// The comments of their row that belong to no item and are new, by the item before which they stand.
    fn free_comments(&self, rows: Rows<'_>) -> Vec<(usize, Part)> {
        let all = |side: &Side<'a>, row: &Row| -> BTreeSet<&'a str> {
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
                found.push((index, Part::Comments(around)));
            }
        }
        found
    }
}

fn signature<'a>(side: &Side<'a>, (row, index): At<'_>, kind: Option<&Kind>) -> Signature<'a> {
    let item = &row.items[index];
    let tokens = side.tree.tokens[from(&side.tree.tokens, item.own)..].iter();
    let tokens = tokens.take_while(|token| (token.span.start as usize) < item.stop);
    let (mut comments, mut words) = (Vec::new(), 0);
    for token in tokens {
        match token.kind {
            TokenKind::Comment => comments.push((words, token.span.text(side.source).trim_end())),
            // These may be there or not.
            TokenKind::NewLine | TokenKind::Comma | TokenKind::OpenRound | TokenKind::CloseRound => {}
            _ => words += 1,
        }
    }
    Signature { meaning: side.meaning(item.value, kind), name: name_of(side, (row, index)), comments }
}

fn inner_comments<'a>(side: &Side<'a>, id: NodeId) -> BTreeSet<&'a str> {
    let span = side.tree.node(id).span;
    let comments = comments_in(side.tree, span.start as usize, span.end as usize, false);
    comments.iter().map(|comment| comment.span.text(side.source).trim_end()).collect()
}

fn comments_of(side: &Side<'_>, (row, index): At<'_>) -> Comments {
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
fn name_of<'a>(side: &Side<'a>, (row, index): At<'_>) -> &'a str {
    row.items[index].name.map_or("", |name| name.text(side.source))
}

/// An item's text, without its comma and its comments.
fn item_text<'a>(side: &Side<'a>, (row, index): At<'_>) -> &'a str {
    let item = &row.items[index];
    &side.source[item.start..item.span.end as usize]
}

/// A value as an item of a row.
fn as_item(around: RowKind, name: &str, text: &str) -> String {
    match around {
        RowKind::File if name.is_empty() => text.to_string(),
        RowKind::File => format!("!set {name} {text}"),
        RowKind::Record => format!("{name} {text}"),
        RowKind::List => text.to_string(),
    }
}

/// A text in marked comments, line by line.
fn marked(who: &str, text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| format!("{MARK} {who}: {}", line.trim_end()));
    lines.map(|line| line.replace('\r', " ")).collect()
}
