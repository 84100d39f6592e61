//! Rows: the statements of a file, the elements of a list, the fields of a record, with the comments that go with each.
//!
//! ```text
//! [ // head
//!
//!     // free: an empty line is between it and the element
//!
//!     // the element's own
//!     element, // and this too
//!     // tail
//! ]
//! ```
//!
//! Laws
//! 1. Head, free parts, own parts and tail lie one behind the other and are all of the row: nothing is between them.
//! 2. An own part begins with the end of the line before it, if the item begins a line, and otherwise where the part before
//!    it ends. It ends behind the item's comma and the comment on its line, with the blanks that the line ends with.

use alloc::vec::Vec;

use script::source::Span;
use script::token::{Token, TokenKind};
use script::tree::{Expression, NodeId, Tree};

/// What a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// The statements of a file.
    File,
    /// The elements of a list.
    List,
    /// The fields of a record.
    Record,
}

/// Things that stand in order, with what is between them.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub kind: RowKind,
    /// Where the row begins: at its bracket, or the file.
    pub open: usize,
    /// Where its head ends.
    pub head: usize,
    pub items: Vec<Item>,
    /// Where its tail ends: at its closing bracket, or the file's end.
    pub close: usize,
    /// Whether its head has a comment.
    pub has_comment: bool,
}

/// One thing of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Where the own part begins. The free part before it begins where the own part of the item before ends.
    pub own: usize,
    /// Where the item begins: at its `!set`, its name or its value.
    pub start: usize,
    /// Its name, unless it is an element or no `!set`.
    pub name: Option<Span>,
    /// Its value; of another statement, all of it.
    pub value: NodeId,
    /// Where the value is.
    pub span: Span,
    /// Where its comma is, if it has one.
    pub comma: Option<usize>,
    /// Where the own part ends.
    pub stop: usize,
    /// Whether a comment stands behind it.
    pub has_comment: bool,
    /// Whether it is understood whole.
    pub is_sound: bool,
}

/// A comment of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub span: Span,
    pub is_behind: bool,
}

impl Row {
    /// The statements of a file.
    pub fn of_file(source: &str, tree: &Tree) -> Row {
        let tokens = &tree.tokens;
        let (mut head, mut has_comment) = (0, false);
        if let Some(class) = tree.class {
            let end = tree.version.map_or(class.end, |version| version.end) as usize;
            let line = tokens[from(tokens, end)..].iter().take_while(|token| !is_end(token.kind));
            let last = line.last();
            head = with_blanks(source, last.map_or(end, |token| token.span.end as usize));
            has_comment = last.is_some_and(|token| token.kind == TokenKind::Comment);
        }
        let mut row = Row { kind: RowKind::File, open: 0, head, items: Vec::new(), close: source.len(), has_comment };
        let mut floor = head;
        for (number, id) in tree.statements.iter().enumerate() {
            let node = tree.node(*id);
            let start = node.span.start as usize;
            let next = tree.statements.get(number + 1).map_or(source.len(), |id| tree.node(*id).span.start as usize);
            // A node for what is missing may lie on the token behind it, which the next statement begins with.
            if start < floor || node.span.end as usize > next {
                continue;
            }
            let (name, value) = match node.expression {
                Expression::Set(name, value) if name.end > name.start => (Some(name), value),
                _ => (None, *id),
            };
            let item = Item {
                own: own_start(source, tokens, floor, start),
                start,
                name,
                value,
                span: tree.node(value).span,
                comma: None,
                stop: node.span.end as usize,
                has_comment: false,
                is_sound: true,
            };
            let mut item = statement_end(tokens, item, next);
            item.stop = with_blanks(source, item.stop);
            floor = item.stop;
            row.items.push(item);
        }
        row
    }

    /// The elements of a list or the fields of a record. Nothing if the value is neither, or is not understood whole.
    pub fn of_value(source: &str, tree: &Tree, id: NodeId) -> Option<Row> {
        let node = tree.node(peeled(tree, id));
        let (kind, names, items) = match node.expression {
            Expression::List(items) => (RowKind::List, &[][..], tree.items(items)),
            Expression::Record(names, items) => (RowKind::Record, tree.names(names), tree.items(items)),
            _ => return None,
        };
        let (open, end) = (node.span.start as usize, node.span.end as usize);
        let brackets = if kind == RowKind::List { (b'[', b']') } else { (b'{', b'}') };
        let bytes = source.as_bytes();
        if end < open + 2 || (*bytes.get(open)?, *bytes.get(end - 1)?) != brackets {
            return None;
        }
        let close = end - 1;
        let tokens = &tree.tokens;
        let behind = &tokens[from(tokens, open + 1)];
        let has_comment = behind.kind == TokenKind::Comment;
        let head = with_blanks(source, if has_comment { behind.span.end as usize } else { open + 1 });
        let mut row = Row { kind, open, head, items: Vec::with_capacity(items.len()), close, has_comment };
        let mut floor = head;
        for (number, value) in items.iter().enumerate() {
            let span = tree.node(*value).span;
            let name = names.get(number).map(|name| name.span);
            let start = name.map_or(span.start, |name| name.start) as usize;
            let is_named = name.is_none_or(|name| name.end > name.start && name.end <= span.start);
            if start < floor || !is_named || span.end as usize > close {
                return None;
            }
            let own = own_start(source, tokens, floor, start);
            let stop = span.end as usize;
            let item =
                Item { own, start, name, value: *value, span, comma: None, stop, has_comment: false, is_sound: true };
            let mut item = element_end(tokens, item)?;
            item.stop = with_blanks(source, item.stop);
            floor = item.stop;
            row.items.push(item);
        }
        (floor <= close).then_some(row)
    }

    /// Where the free part before an item begins; with the number of items, where the tail does.
    pub fn free(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(self.head, |before| self.items[before].stop)
    }

    /// The items of a name, in order.
    pub fn named<'a>(&'a self, source: &'a str, name: &'a str) -> impl DoubleEndedIterator<Item = usize> + 'a {
        let is_it = move |item: &Item| item.name.is_some_and(|found| found.text(source) == name);
        self.items.iter().enumerate().filter(move |(_, item)| is_it(item)).map(|(index, _)| index)
    }

    /// The comments that go with an item: above and behind it, and behind the bracket that its value begins with.
    pub fn comments(&self, tree: &Tree, index: usize) -> Vec<Comment> {
        let item = &self.items[index];
        let mut comments = comments_in(tree, item.own, item.start, false);
        comments.extend(comments_in(tree, item.span.end as usize, item.stop, true));
        comments
    }

    /// The comments of the free part before an item, or of the tail.
    pub fn free_comments(&self, tree: &Tree, index: usize) -> Vec<Comment> {
        let end = self.items.get(index).map_or(self.close, |item| item.own);
        comments_in(tree, self.free(index), end, false)
    }
}

impl Item {
    /// Whether it begins a line.
    pub fn begins_line(&self, source: &str) -> bool {
        source[self.own..self.start].contains('\n')
    }
}

/// The comments of a stretch.
pub(crate) fn comments_in(tree: &Tree, start: usize, end: usize, is_behind: bool) -> Vec<Comment> {
    let tokens = tree.tokens[from(&tree.tokens, start)..].iter();
    let tokens = tokens.take_while(|token| (token.span.start as usize) < end);
    let comments = tokens.filter(|token| token.kind == TokenKind::Comment);
    comments.map(|token| Comment { span: token.span, is_behind }).collect()
}

/// A value without the round brackets around it.
pub(crate) fn peeled(tree: &Tree, mut id: NodeId) -> NodeId {
    while let Expression::Group(inner) = tree.node(id).expression {
        id = inner;
    }
    id
}

/// The blanks that the line of a place begins with.
pub(crate) fn indent_at(source: &str, at: usize) -> &str {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &source[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The first token that begins at a place or behind it.
pub(crate) fn from(tokens: &[Token], at: usize) -> usize {
    tokens.partition_point(|token| (token.span.start as usize) < at).min(tokens.len() - 1)
}

/// The end of a line, if only blanks are left of it; otherwise the place itself.
fn with_blanks(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    let behind = rest.trim_start_matches([' ', '\t']);
    let is_end = behind.is_empty() || behind.starts_with('\n') || behind.starts_with("\r\n");
    if is_end { source.len() - behind.len() } else { at }
}

fn is_end(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::NewLine | TokenKind::End)
}

/// Where the own part of an item begins that starts at `start`; what is before `floor` belongs to others.
fn own_start(source: &str, tokens: &[Token], floor: usize, start: usize) -> usize {
    let first = from(tokens, floor);
    let mut own = from(tokens, start);
    let is = |at: usize, kind| tokens[at].kind == kind;
    while own >= first + 2
        && is(own - 1, TokenKind::NewLine)
        && is(own - 2, TokenKind::Comment)
        && (own - 2 == first || is(own - 3, TokenKind::NewLine))
    {
        own -= 2;
    }
    if own <= first || !is(own - 1, TokenKind::NewLine) {
        return floor;
    }
    let end = tokens[own - 1].span.start as usize;
    let has_return = end > floor && source.as_bytes()[end - 1] == b'\r';
    end - usize::from(has_return)
}

/// A statement's own part ends with its line. What the parser passed over belongs to it too.
fn statement_end(tokens: &[Token], mut item: Item, next: usize) -> Item {
    let behind = &tokens[from(tokens, item.stop)..];
    let behind = &behind[..behind.partition_point(|token| (token.span.start as usize) < next)];
    let is_blank = |token: &Token| matches!(token.kind, TokenKind::NewLine | TokenKind::Comment | TokenKind::End);
    let passed = behind.iter().rposition(|token| !is_blank(token)).map_or(0, |last| last + 1);
    if passed > 0 {
        item.is_sound = false;
        item.stop = behind[passed - 1].span.end as usize;
    }
    if let Some(comment) = behind.get(passed).filter(|token| token.kind == TokenKind::Comment) {
        item.stop = comment.span.end as usize;
        item.has_comment = true;
    }
    item
}

/// The own part of an element or field ends with its comma and the comment behind it.
fn element_end(tokens: &[Token], mut item: Item) -> Option<Item> {
    let mut at = from(tokens, item.stop);
    let first = at;
    while matches!(tokens[at].kind, TokenKind::Comment | TokenKind::NewLine) {
        at += 1;
    }
    match tokens[at].kind {
        TokenKind::Comma => {
            item.comma = Some(tokens[at].span.start as usize);
            item.stop = tokens[at].span.end as usize;
            at += 1;
        }
        TokenKind::CloseSquare | TokenKind::CloseCurly => at = first,
        _ => return None,
    }
    if tokens[at].kind == TokenKind::Comment {
        item.stop = tokens[at].span.end as usize;
        item.has_comment = true;
    }
    Some(item)
}
