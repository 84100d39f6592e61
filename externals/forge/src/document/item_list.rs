//! Item lists: the statements of a file, the elements of a list or the fields of a record, with the comments that
//! belong to each.
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
//! 1. Head, free parts, own parts and tail are adjacent and cover the whole list.
//! 2. An own part begins with the preceding line end, if the item begins a line, and otherwise where the previous part
//!    ends. It ends after the item's comma, the comment on its line, and trailing blanks.

use script::ast::{Expression, NodeId, Operator, Tree};
use script::source::Span;
use script::token::{Token, TokenKind};

/// The kind of an item list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemListKind {
    /// The statements of a file.
    File,
    /// The elements of a list.
    List,
    /// The fields of a record.
    Record,
}

/// Items in order, with everything between them.
#[derive(Clone, Debug)]
pub(crate) struct ItemList {
    pub kind: ItemListKind,
    /// Its start: the opening bracket, or the start of the file.
    pub open: usize,
    /// The end of its head.
    pub head: usize,
    pub items: Vec<Item>,
    /// The end of its tail: the closing bracket, or the end of the file.
    pub close: usize,
    /// Whether its head has a comment.
    pub has_comment: bool,
}

/// One item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The start of its own part. The free part before it begins where the previous item's own part ends.
    pub own: usize,
    /// Its start: `!set`, its name or its value.
    pub start: usize,
    /// What it does in its list.
    pub role: ItemRole,
    /// Its name, unless it is an element or not a `!set` of a whole variable.
    pub name: Option<Span>,
    /// Its value; of `!from`, the path; of another statement, the whole statement.
    pub value: NodeId,
    /// The span of the value.
    pub span: Span,
    /// The position of its comma, if it has one.
    pub comma: Option<usize>,
    /// The end of its own part.
    pub stop: usize,
    /// Whether a comment stands behind it.
    pub has_comment: bool,
    /// Whether it has no syntax errors.
    pub is_sound: bool,
}

/// What an item does in its list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ItemRole {
    /// It is an element, a field, `!set name value`, or another statement.
    Whole,
    /// `!from "ships/corvette.ship"`
    From,
    /// `!set body.mass 5`, `!set hull += 5`: the part that is set, and the operator before `=`.
    Part(NodeId, Option<Operator>),
}

/// A comment of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub span: Span,
    pub is_behind: bool,
}

impl ItemList {
    /// The statements of a file.
    pub fn of_file(source: &str, tree: &Tree) -> ItemList {
        let tokens = &tree.tokens;
        let (mut head, mut has_comment) = (0, false);
        if let Some(class) = tree.class {
            let end = tree.version.map_or(class.end, |version| version.end) as usize;
            let line = tokens[from(tokens, end)..].iter().take_while(|token| !is_end(token.kind));
            let last = line.last();
            head = with_blanks(source, last.map_or(end, |token| token.span.end as usize));
            has_comment = last.is_some_and(|token| token.kind == TokenKind::Comment);
        }
        let mut row =
            ItemList { kind: ItemListKind::File, open: 0, head, items: Vec::new(), close: source.len(), has_comment };
        let mut floor = head;
        let mut statements: Vec<(Span, NodeId)> = tree.statements.iter().map(|id| (tree.node(*id).span, *id)).collect();
        if let Some((span, path)) = tree.from.and_then(|path| Some((from_statement(tree, path)?, path))) {
            let number = statements.partition_point(|(other, _)| other.start < span.start);
            statements.insert(number, (span, path));
        }
        for (number, (statement, id)) in statements.iter().enumerate() {
            let start = statement.start as usize;
            let next = statements.get(number + 1).map_or(source.len(), |(next, _)| next.start as usize);
            // A node for a missing part may lie on the next token, with which the next statement begins.
            if start < floor || statement.end as usize > next {
                continue;
            }
            let (role, name, value) = match tree.node(*id).expression {
                _ if tree.from == Some(*id) => (ItemRole::From, None, *id),
                Expression::Set(name, value) if name.end > name.start => (ItemRole::Whole, Some(name), value),
                Expression::Update(target, operator, value) => (ItemRole::Part(target, operator), None, value),
                _ => (ItemRole::Whole, None, *id),
            };
            let item = Item {
                own: own_start(source, tokens, floor, start),
                start,
                role,
                name,
                value,
                span: tree.node(value).span,
                comma: None,
                stop: statement.end as usize,
                has_comment: false,
                is_sound: true,
            };
            let mut item = statement_end(tokens, item, next);
            item.stop = with_blanks(source, item.stop);
            floor = item.stop;
            row.items.push(item);
        }
        row.assert_order();
        row
    }

    /// The elements of a list or the fields of a record. None if the value is neither, or has syntax errors.
    pub fn of_value(source: &str, tree: &Tree, id: NodeId) -> Option<ItemList> {
        let node = tree.node(peeled(tree, id));
        let (kind, names, items) = match node.expression {
            Expression::List(items) => (ItemListKind::List, &[][..], tree.items(items)),
            Expression::Record(names, items) => (ItemListKind::Record, tree.names(names), tree.items(items)),
            _ => return None,
        };
        let (open, end) = (node.span.start as usize, node.span.end as usize);
        let brackets = if kind == ItemListKind::List { (b'[', b']') } else { (b'{', b'}') };
        let bytes = source.as_bytes();
        if end < open + 2 || (*bytes.get(open)?, *bytes.get(end - 1)?) != brackets {
            return None;
        }
        let close = end - 1;
        let tokens = &tree.tokens;
        let behind = &tokens[from(tokens, open + 1)];
        let has_comment = behind.kind == TokenKind::Comment;
        let head = with_blanks(source, if has_comment { behind.span.end as usize } else { open + 1 });
        let mut row = ItemList { kind, open, head, items: Vec::with_capacity(items.len()), close, has_comment };
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
            let (role, value) = (ItemRole::Whole, *value);
            let item =
                Item { own, start, role, name, value, span, comma: None, stop, has_comment: false, is_sound: true };
            let mut item = element_end(tokens, item)?;
            item.stop = with_blanks(source, item.stop);
            floor = item.stop;
            row.items.push(item);
        }
        if floor > close {
            return None;
        }
        row.assert_order();
        Some(row)
    }

    /// Law 1: the parts of the items follow each other within the list.
    fn assert_order(&self) {
        let mut floor = self.head;
        for item in &self.items {
            let places = [floor, item.own, item.start, item.stop, self.close];
            assert!(places.is_sorted(), "the parts of an item follow each other: {places:?}");
            floor = item.stop;
        }
    }

    /// The start of the free part before an item; with the number of items, the start of the tail.
    pub fn free(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(self.head, |before| self.items[before].stop)
    }

    /// The items with a name, in order.
    pub fn named<'a>(&'a self, source: &'a str, name: &'a str) -> impl DoubleEndedIterator<Item = usize> + 'a {
        let is_it = move |item: &Item| item.name.is_some_and(|found| found.text(source) == name);
        self.items.iter().enumerate().filter(move |(_, item)| is_it(item)).map(|(index, _)| index)
    }

    /// The comments of an item: above and behind it, and behind the opening bracket of its value.
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

/// The span of `!from` and its path.
fn from_statement(tree: &Tree, path: NodeId) -> Option<Span> {
    let span = tree.node(path).span;
    let before = &tree.tokens[..from(&tree.tokens, span.start as usize)];
    let mark = before.iter().rfind(|token| token.kind == TokenKind::Effect)?;
    Some(Span::new(mark.span.start, span.end))
}

/// The comments of a range.
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

/// The indentation of the line at a position.
pub(crate) fn indent_at(source: &str, at: usize) -> &str {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &source[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The first token at or after a position.
pub(crate) fn from(tokens: &[Token], at: usize) -> usize {
    tokens.partition_point(|token| (token.span.start as usize) < at).min(tokens.len() - 1)
}

/// The end of the line, if only blanks follow; otherwise the position itself.
fn with_blanks(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    let behind = rest.trim_start_matches([' ', '\t']);
    let is_end = behind.is_empty() || behind.starts_with('\n') || behind.starts_with("\r\n");
    if is_end { source.len() - behind.len() } else { at }
}

fn is_end(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::NewLine | TokenKind::End)
}

/// The start of the own part of an item that begins at `start`; text before `floor` belongs to others.
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

/// A statement's own part ends with its line. Tokens that the parser skipped belong to it too.
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
