//! `!set`, `do` and texts: what the second edition added to the grammar.

use alloc::format;

use super::{Parser, binding, operator};
use crate::ast::{Expression, Items, NodeId, Operator};
use crate::readable::{self, TEXT_HEIGHT};
use crate::source::Span;
use crate::token::TokenKind as Kind;

impl Parser<'_> {
    /// Whether the next statement is `!from`.
    pub(super) fn is_from(&self) -> bool {
        let token = self.token();
        token.kind == Kind::Effect && token.span.text(self.source).eq_ignore_ascii_case("!from")
    }

    /// `!from "ships/corvette.ship"`: the tag that a tag is made from. It is no expression, and stands once, directly behind
    /// the class.
    pub(super) fn from(&mut self) {
        let start = self.take().span;
        if self.peek() != Kind::String {
            let found = self.token();
            let message = format!("expected the path of a tag after `!from`, found {}", self.describe(found));
            self.report(found.span, message, "as in `!from \"ships/corvette.ship\"`");
            self.skip_statement();
            return;
        }
        let path = self.leaf(Expression::String);
        if self.tree.class.is_none() {
            self.report(start, "only a tag is made from another", "begin the file with its class, such as `@ship`");
        } else if self.tree.from.is_some() {
            self.report(start, "a tag is made from one other tag", "remove one of the two lines");
        } else if !self.tree.statements.is_empty() {
            self.report(
                start,
                "`!from` stands before everything that a tag sets",
                "move the line up, behind the class",
            );
            self.tree.from = Some(path);
        } else {
            self.tree.from = Some(path);
        }
    }

    /// `!set name value`, `!set name.field value`, `!set name[index] value`, `!set name += value`.
    pub(super) fn set(&mut self, start: Span) -> NodeId {
        if self.peek() == Kind::Object {
            return self.set_of_other(start);
        }
        let variable = self.given_name("the name of a variable after `!set`").span;
        self.no_colon();
        let target = self.is_part_set().then(|| {
            let name = self.node(Expression::Name, variable, false);
            self.behind(name, false)
        });
        let operator = self.compound_operator();
        if operator.is_none() && self.peek() == Kind::Equal {
            let span = self.take().span;
            self.report(span, "expected a value, found `=`", "`!set name value` has no `=`, which compares");
        }
        let value = self.expression();
        let span = start.to(self.span(value));
        if target.is_none() && operator.is_none() {
            return self.node(Expression::Set(variable, value), span, true);
        }
        let target = target.unwrap_or_else(|| self.node(Expression::Name, variable, false));
        self.node(Expression::Update(target, operator, value), span, true)
    }

    /// `!set ~target.hull 3`: a mistake, since an object sets its own variables only.
    fn set_of_other(&mut self, start: Span) -> NodeId {
        let object = self.token();
        let help = match object.span.text(self.source) {
            "~this" => "an object sets its own variables by their names: `!set hull 3`",
            _ => "an object sets its own variables only; ask the other with a message: `!Send(~target, \"repair\", 3)`",
        };
        let message = format!("expected the name of a variable after `!set`, found {}", self.describe(object));
        self.report(object.span, message, help);
        let object = self.leaf(Expression::Object);
        let _ = self.behind(object, false);
        let _ = self.compound_operator();
        let value = self.expression();
        self.node(Expression::Missing, start.to(self.span(value)), true)
    }

    /// `+=`, `-=`, `*=` or `/=`.
    fn compound_operator(&mut self) -> Option<Operator> {
        let at = self.at + self.blanks();
        let (mark, behind) = (self.tree.tokens[at], self.tree.tokens.get(at + 1)?);
        let operator = operator(mark.kind).filter(|operator| matches!(binding(*operator), 4 | 5))?;
        let is_it = behind.kind == Kind::Equal && behind.span.start == mark.span.end;
        if !is_it || operator == Operator::Remainder {
            return None;
        }
        self.at = at + 2;
        Some(operator)
    }

    /// Whether `!set` is to change a part of the variable. A bracket directly behind its name may also be its new
    /// value, a list: then no other value follows.
    fn is_part_set(&self) -> bool {
        let tokens = &self.tree.tokens;
        let mut at = self.at + self.blanks();
        if tokens[at].kind == Kind::Dot {
            return true;
        }
        let first = at;
        loop {
            let is_adjacent = at > 0 && tokens[at - 1].span.end == tokens[at].span.start;
            match tokens[at].kind {
                Kind::Dot if at + 1 < tokens.len() - 1 => at += 2,
                Kind::OpenSquare if is_adjacent => at = self.behind_bracket(at),
                _ => break,
            }
        }
        let is_blank = |kind: Kind| kind == Kind::Comment || kind == Kind::NewLine && !self.brackets.is_empty();
        while is_blank(tokens[at].kind) {
            at += 1;
        }
        let is_compound = |at: usize| {
            let next = tokens.get(at + 1);
            next.is_some_and(|next| next.kind == Kind::Equal && next.span.start == tokens[at].span.end)
        };
        at > first
            && match tokens[at].kind {
                Kind::Plus | Kind::Star | Kind::Slash => is_compound(at),
                Kind::Equal | Kind::Minus => true,
                kind => begins_value(kind),
            }
    }

    /// The token behind the bracket that closes the one at an index; the last token if it is never closed.
    fn behind_bracket(&self, mut at: usize) -> usize {
        let mut open = 0_u32;
        loop {
            match self.tree.tokens[at].kind {
                Kind::End => return at,
                Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly => open += 1,
                Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly => open = open.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if open == 0 {
                return at;
            }
        }
    }

    /// Turns strings with names in braces, where people read them, into texts.
    pub(super) fn read_templates(&mut self, items: Items) {
        for index in items.start..items.start + items.count {
            let id = self.tree.items[index as usize];
            if let Some(text) = self.template(id) {
                self.tree.items[index as usize] = text;
            }
        }
    }

    /// A string with names in braces as a text; none if it is another node.
    pub(super) fn template(&mut self, id: NodeId) -> Option<NodeId> {
        let text = readable::text_of(self.source, &mut self.tree, id, "")?;
        self.heights.resize(self.tree.nodes.len(), TEXT_HEIGHT);
        Some(text)
    }

    /// Whether the next tokens are `do [`. The word is a name everywhere else.
    pub(super) fn is_do(&self) -> bool {
        self.token().span.text(self.source).eq_ignore_ascii_case("do") && self.peek_second() == Kind::OpenSquare
    }

    /// `do [ a, b ]`. A single element without an effect directly behind the word is an index of a variable `do`.
    pub(super) fn do_list(&mut self) -> NodeId {
        let start = self.take().span;
        let is_adjacent = self.is_adjacent();
        let (items, has_effect, end) = self.row(Kind::CloseSquare);
        match *self.tree.items(items) {
            [index] if is_adjacent && !has_effect => {
                let name = self.node(Expression::Name, start, false);
                self.node(Expression::Index(name, index), start.to(end), false)
            }
            _ => self.node(Expression::Do(items), start.to(end), true),
        }
    }
}

/// Whether a token can only begin a value.
fn begins_value(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Number | Identifier | String | OpenString | Name | Object | Effect | Lambda | Cached | Uncached | If | Let
    ) || matches!(kind, Not | True | False | Nothing | OpenRound | OpenSquare | OpenCurly)
}
