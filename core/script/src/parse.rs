//! The parser: recursive descent from tokens to the syntax tree, with error recovery at the next line.
//!
//! The grammar is in the book (`grammar.md`); the functions below are its rules, lowest precedence first.
//!
//! Laws
//! 1. Any text gives a tree. A syntax error becomes a report and a `Missing` node, and parsing continues with the next
//!    statement.
//! 2. The time is proportional to the text and the recursion is bounded by [`DEPTH_MAX`]; the tree is at most
//!    [`HEIGHT_MAX`] nodes high, so that recursion over it is safe.
//! 3. At bracket depth zero a statement ends with its line, unless the line ends in an operator or a comma, or the next
//!    begins with a word that can only continue it (`then`, `else`, `in`, `and`, `or`).
//!
//! Cost: time and memory in proportion to the text: at most 100 bytes of heap for each byte, and nesting has a
//! limit. Held by `tests/growth.rs` of the tool.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use crate::ast::{Caching, Expression, GivenName, Items, Names, Node, NodeId, Operator, Tree};
use crate::report::Report;
use crate::source::{SOURCE_BYTES_MAX, Span};
use crate::token::TokenKind as Kind;
use crate::token::{Token, joins_lines, tokens};

mod set;

/// The deepest nesting of expressions.
pub const DEPTH_MAX: u32 = 200;

/// The largest height of a statement's tree: nesting, and chains such as `a + b + c`.
pub const HEIGHT_MAX: u16 = 400;

/// The deepest nesting of written types.
pub const TYPE_DEPTH_MAX: u32 = 16;

/// Records with more fields than this are large.
const FIELDS_FEW: usize = 16;

/// The most reports of one source. Files that are not scripts would give far more.
pub const REPORTS_MAX: usize = 100;

/// Parses a line of a console: a string that is its last statement is a text that is read, `"{hull} of {hull_max}"`.
pub fn parse_line(source: &str) -> Tree {
    parse_with(source, true)
}

/// Parses a source.
pub fn parse(source: &str) -> Tree {
    parse_with(source, false)
}

fn parse_with(source: &str, is_line: bool) -> Tree {
    let is_short = source.len() <= SOURCE_BYTES_MAX;
    let source = if is_short { source } else { "" };
    let tree = Tree {
        nodes: Vec::with_capacity(source.len() / 8),
        items: Vec::new(),
        names: Vec::new(),
        tokens: tokens(source),
        class: None,
        version: None,
        from: None,
        statements: Vec::new(),
        texts: Vec::new(),
        reports: Vec::new(),
    };
    let (scratch, heights, brackets) = (Vec::new(), Vec::new(), Vec::new());
    let mut parser = Parser { source, tree, at: 0, brackets, depth: 0, scratch, heights };
    if !is_short {
        parser.report(Span::default(), format!("a source has at most {SOURCE_BYTES_MAX} bytes"), "");
    }
    parser.file();
    if let Some(last) = parser.tree.statements.last().copied().filter(|_| is_line)
        && let Some(text) = parser.template(last)
    {
        parser.tree.statements.pop();
        parser.tree.statements.push(text);
    }
    assert!(parser.scratch.is_empty() && parser.depth == 0, "every bracket and every expression was left again");
    parser.tree
}

struct Parser<'a> {
    source: &'a str,
    tree: Tree,
    /// The next token.
    at: usize,
    /// The open brackets, innermost last.
    brackets: Vec<Span>,
    depth: u32,
    /// Children of the lists being parsed, innermost last.
    scratch: Vec<NodeId>,
    /// The height of the tree below each node.
    heights: Vec<u16>,
}

impl Parser<'_> {
    fn file(&mut self) {
        self.skip_lines();
        if self.peek() == Kind::Class {
            let span = self.take().span;
            self.tree.class = Some(Span::new(span.start + 1, span.end));
            if self.peek() == Kind::Number {
                self.tree.version = Some(self.take().span);
            }
            self.end_statement();
        }
        loop {
            self.skip_lines();
            if self.peek() == Kind::End {
                return;
            }
            if self.is_from() {
                self.from();
                self.end_statement();
                continue;
            }
            let statement = self.statement();
            self.tree.statements.push(statement);
            self.end_statement();
        }
    }

    fn statement(&mut self) -> NodeId {
        if self.peek() == Kind::Class {
            let span = self.take().span;
            self.report(
                span,
                "a class is named once, at the top of the file",
                "move this line to the top, or remove it",
            );
            return self.node(Expression::Missing, span, false);
        }
        self.expression()
    }

    /// Expects the end of a statement; otherwise reports it and skips the rest of the line.
    fn end_statement(&mut self) {
        debug_assert!(self.brackets.is_empty());
        if matches!(self.peek(), Kind::NewLine | Kind::End) {
            return;
        }
        let token = self.token();
        let help = match token.kind {
            Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly => "there is no open bracket for it",
            Kind::Equal => "`!set name value` gives a variable its value",
            Kind::OpenRound => "a call has no blank before its bracket: `f(x)`",
            Kind::Name if self.is_behind_number() => self.otherwise(token, "a number is written without its unit"),
            _ => self.otherwise(token, "a statement ends with its line; put the next one on a line of its own"),
        };
        self.report(token.span, format!("expected the end of the line, found {}", self.describe(token)), help);
        self.skip_statement();
    }

    /// Whether the token before the next one is a number: `12 km`.
    fn is_behind_number(&self) -> bool {
        let before = (self.at + self.blanks()).checked_sub(1);
        before.is_some_and(|before| self.tree.tokens[before].kind == Kind::Number)
    }

    /// Skips to the end of the line, and of the brackets opened on it.
    fn skip_statement(&mut self) {
        let mut open = 0_u32;
        loop {
            let token = self.tree.tokens[self.at];
            match token.kind {
                Kind::End => return,
                Kind::NewLine if open == 0 || self.starts_statement(self.at + 1) => return,
                Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly => open += 1,
                Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether this token certainly begins a statement: `!set` at the very start of a line.
    fn starts_statement(&self, at: usize) -> bool {
        let token = self.tree.tokens[at];
        let is_set = token.kind == Kind::Effect && token.span.text(self.source).eq_ignore_ascii_case("!set");
        is_set && (token.span.start == 0 || self.source.as_bytes()[token.span.start as usize - 1] == b'\n')
    }

    fn expression(&mut self) -> NodeId {
        self.depth += 1;
        let result = if self.depth > DEPTH_MAX {
            let span = self.token().span;
            self.report(span, format!("nested deeper than {DEPTH_MAX}"), "give parts of it names with `let` or `!set`");
            self.missing_value()
        } else {
            match self.peek() {
                Kind::Let => self.let_in(),
                Kind::If => self.if_then(),
                _ => self.binary(0),
            }
        };
        self.depth -= 1;
        result
    }

    fn let_in(&mut self) -> NodeId {
        let start = self.take().span;
        let base = self.scratch.len();
        let mut names = Vec::new();
        loop {
            names.push(self.given_name("a name after `let`"));
            self.expect(Kind::Equal, "`=`");
            let value = self.expression();
            self.scratch.push(value);
            if self.peek() != Kind::Comma {
                break;
            }
            self.take();
        }
        self.expect(Kind::In, "`in`");
        let body = self.expression();
        let (values, has_effect) = self.close_row(base);
        let names = self.close_names(&names);
        let has_effect = has_effect || self.has_effect(body);
        self.node(Expression::Let(names, values, body), start.to(self.span(body)), has_effect)
    }

    fn if_then(&mut self) -> NodeId {
        let start = self.take().span;
        let condition = self.expression();
        self.expect(Kind::Then, "`then`");
        let then = self.expression();
        let otherwise = (self.peek() == Kind::Else).then(|| {
            self.take();
            self.expression()
        });
        let last = otherwise.unwrap_or(then);
        let has_effect =
            [Some(condition), Some(then), otherwise].into_iter().flatten().any(|part| self.has_effect(part));
        self.node(Expression::If(condition, then, otherwise), start.to(self.span(last)), has_effect)
    }

    /// Binary operators by precedence, lowest first: 0 `or`, 1 `and`, 2 `not`, 3 comparisons, 4 sums, 5 products, 6
    /// unary minus.
    fn binary(&mut self, level: u32) -> NodeId {
        match level {
            2 if self.peek() == Kind::Not => self.prefixed(Expression::Not, 2),
            2 => self.binary(3),
            6 if self.peek() == Kind::Minus => self.prefixed(Expression::Negate, 6),
            6 => self.postfix(),
            _ => {
                let mut left = self.binary(level + 1);
                while let Some(operator) = operator(self.peek()).filter(|operator| binding(*operator) == level) {
                    let token = self.take();
                    if operator == Operator::Equal && self.peek() == Kind::Equal && self.is_adjacent() {
                        let second = self.take().span;
                        self.report(second, "expected a value, found `=`", "`=` compares two values");
                    }
                    // An `if` or a `let` may be the last operand: `a + if b then c else d`.
                    let right = match self.peek() {
                        Kind::If | Kind::Let => self.expression(),
                        _ => self.binary(level + 1),
                    };
                    if level == 3 && operator_is_next(self.peek(), 3) {
                        let help = "compare two at a time: `a < b and b < c`";
                        self.report(token.span, "comparisons do not chain", help);
                    }
                    let has_effect = self.has_effect(left) || self.has_effect(right);
                    let span = self.span(left).to(self.span(right));
                    left = self.node(Expression::Binary(operator, left, right), span, has_effect);
                }
                left
            }
        }
    }

    fn prefixed(&mut self, make: fn(NodeId) -> Expression, level: u32) -> NodeId {
        let start = self.take().span;
        self.depth += 1;
        let of = if self.depth > DEPTH_MAX {
            self.report(start, format!("nested deeper than {DEPTH_MAX}"), "");
            self.missing_value()
        } else {
            self.binary(level)
        };
        self.depth -= 1;
        let has_effect = self.has_effect(of);
        self.node(make(of), start.to(self.span(of)), has_effect)
    }

    /// A value and the calls, elements and fields behind it.
    fn postfix(&mut self) -> NodeId {
        let value = self.primary();
        self.behind(value, true)
    }

    /// The elements and fields behind a value, and its calls if it may be called.
    fn behind(&mut self, mut value: NodeId, may_call: bool) -> NodeId {
        loop {
            let start = self.span(value);
            match self.peek() {
                Kind::OpenRound if may_call && self.is_adjacent() => {
                    let (arguments, has_effect, end) = self.row(Kind::CloseRound);
                    let has_effect = has_effect || self.has_effect(value);
                    value = self.node(Expression::Call(value, arguments), start.to(end), has_effect);
                }
                Kind::OpenSquare if self.is_adjacent() => {
                    let (indices, has_effect, end) = self.row(Kind::CloseSquare);
                    let span = start.to(end);
                    let index = match *self.tree.items(indices) {
                        [index] => index,
                        _ => {
                            self.report(span, "expected one index", "the third element is `list[#2]`");
                            self.node(Expression::Missing, span, false)
                        }
                    };
                    let has_effect = has_effect || self.has_effect(value);
                    value = self.node(Expression::Index(value, index), span, has_effect);
                }
                Kind::Dot => {
                    self.take();
                    let name = self.given_name("the name of a field after `.`").span;
                    let has_effect = self.has_effect(value);
                    value = self.node(Expression::Field(value, name), start.to(name), has_effect);
                }
                _ => return value,
            }
        }
    }

    fn primary(&mut self) -> NodeId {
        let token = self.token();
        match token.kind {
            Kind::Number => {
                self.take();
                let text = token.span.text(self.source);
                let number: f64 = text.parse().unwrap_or(f64::INFINITY);
                if !number.is_finite() {
                    self.report(token.span, "this number is too large", "the largest is about 1.8e308");
                }
                let number = if number.is_finite() { number } else { 0.0 };
                self.node(Expression::Number(number), token.span, false)
            }
            Kind::Identifier => {
                self.take();
                let number = token.span.text(self.source)[1..].parse();
                if number.is_err() {
                    self.report(token.span, "this identifier is too large", "identifiers have 32 bits");
                }
                self.node(Expression::Identifier(number.unwrap_or(0)), token.span, false)
            }
            Kind::String => self.leaf(Expression::String),
            Kind::OpenString => {
                self.report(token.span, "this string never ends", "add a `\"`; a quote within a string is `\"\"`");
                self.leaf(Expression::String)
            }
            Kind::True => self.leaf(Expression::Truth(true)),
            Kind::False => self.leaf(Expression::Truth(false)),
            Kind::Nothing => self.leaf(Expression::Nothing),
            Kind::Name if self.is_do() => self.do_list(),
            Kind::Name => self.leaf(Expression::Name),
            Kind::Object => self.leaf(Expression::Object),
            Kind::Effect => self.effect(),
            Kind::Lambda | Kind::Cached | Kind::Uncached => self.lambda(),
            Kind::OpenRound => self.group(),
            Kind::OpenSquare => self.list(),
            Kind::OpenCurly => self.record(),
            Kind::If | Kind::Let => self.expression(),
            _ => {
                let help = match token.kind {
                    Kind::Then | Kind::Else => "it has no `if` before it",
                    Kind::Class => "a class is named at the top of the file",
                    Kind::Unknown => self.otherwise(token, "this character has no meaning in LScript"),
                    Kind::Dot if self.peek_second() == Kind::Number => "a number has a digit before its point: `0.5`",
                    _ => "",
                };
                self.report(token.span, format!("expected a value, found {}", self.describe(token)), help);
                self.missing_value()
            }
        }
    }

    fn leaf(&mut self, expression: Expression) -> NodeId {
        let span = self.take().span;
        self.node(expression, span, false)
    }

    /// `!set name value` or `!Name(…)`.
    fn effect(&mut self) -> NodeId {
        let token = self.take();
        let name = Span::new(token.span.start + 1, token.span.end);
        if name.text(self.source).eq_ignore_ascii_case("set") {
            return self.set(token.span);
        }
        if self.peek() != Kind::OpenRound {
            let found = self.token();
            self.report(
                found.span,
                format!("expected `(` after `{}`", token.span.text(self.source)),
                "`!Name(…)` calls it",
            );
            return self.node(Expression::Effect(name, Items::default()), token.span, true);
        }
        let (arguments, _, end) = self.row(Kind::CloseRound);
        if name.text(self.source) == "Log" {
            self.read_templates(arguments);
        }
        self.node(Expression::Effect(name, arguments), token.span.to(end), true)
    }

    fn lambda(&mut self) -> NodeId {
        let first = self.take();
        let caching = match first.kind {
            Kind::Cached => Caching::Cached,
            Kind::Uncached => Caching::Uncached,
            _ => Caching::Unsaid,
        };
        if first.kind != Kind::Lambda {
            self.expect(Kind::Lambda, "`Lambda`");
        }
        if !self.open(Kind::OpenRound, "`(` after `Lambda`") {
            return self.node(Expression::Missing, first.span, false);
        }
        let mut parameters = Vec::new();
        while self.peek() == Kind::Name && matches!(self.peek_second(), Kind::Comma | Kind::Colon) {
            parameters.push(self.parameter());
            self.expect(Kind::Comma, "`,` and the body");
        }
        let body = self.expression();
        let end = self.close(Kind::CloseRound);
        let parameters = self.close_names(&parameters);
        self.node(Expression::Lambda { caching, parameters, body }, first.span.to(end), false)
    }

    fn group(&mut self) -> NodeId {
        let start = self.token().span;
        self.open(Kind::OpenRound, "`(`");
        let inner = self.expression();
        let end = self.close(Kind::CloseRound);
        let has_effect = self.has_effect(inner);
        self.node(Expression::Group(inner), start.to(end), has_effect)
    }

    fn list(&mut self) -> NodeId {
        let start = self.token().span;
        let (items, has_effect, end) = self.row(Kind::CloseSquare);
        let expression = if has_effect { Expression::Body(items) } else { Expression::List(items) };
        self.node(expression, start.to(end), false)
    }

    fn record(&mut self) -> NodeId {
        let start = self.token().span;
        self.open(Kind::OpenCurly, "`{`");
        let base = self.scratch.len();
        let mut names: Vec<GivenName> = Vec::new();
        // A linear search is fastest for the usual few names; large records use a set.
        let mut many = BTreeSet::new();
        while !matches!(self.peek(), Kind::CloseCurly | Kind::End) {
            let before = self.at;
            let name = self.given_name("the name of a field");
            self.no_colon();
            let text = name.span.text(self.source);
            if names.len() == FIELDS_FEW {
                many = names.iter().map(|other| other.span.text(self.source)).collect();
            }
            let is_there = match names.len() {
                0..FIELDS_FEW => names.iter().any(|other| other.span.text(self.source) == text),
                _ => !many.insert(text),
            };
            if is_there {
                self.report(name.span, "this field is set twice", "a field has one value");
            }
            if self.peek() == Kind::Colon || self.peek() == Kind::Equal {
                let span = self.take().span;
                self.report(span, "expected a value", "a field is its name and its value: `{ marker \"nose\" }`");
            }
            names.push(name);
            let value = self.expression();
            self.scratch.push(value);
            if !self.comma_or(Kind::CloseCurly, before) {
                break;
            }
        }
        let end = self.close(Kind::CloseCurly);
        let (values, has_effect) = self.close_row(base);
        let names = self.close_names(&names);
        self.node(Expression::Record(names, values), start.to(end), has_effect)
    }

    /// A bracket, values with commas between them, and the closing bracket: items, whether one has an effect, the end.
    fn row(&mut self, close: Kind) -> (Items, bool, Span) {
        let opened = self.token().span;
        self.at += self.blanks() + 1;
        self.brackets.push(opened);
        let base = self.scratch.len();
        while self.peek() != close && self.peek() != Kind::End {
            let before = self.at;
            let value = self.expression();
            self.scratch.push(value);
            if !self.comma_or(close, before) {
                break;
            }
        }
        let end = self.close(close);
        let (items, has_effect) = self.close_row(base);
        (items, has_effect, end)
    }

    /// After an element: a comma means that another may follow. A list may end with a comma.
    fn comma_or(&mut self, close: Kind, before: usize) -> bool {
        let token = self.token();
        if token.kind == Kind::Comma {
            self.take();
            return true;
        }
        if token.kind == close || token.kind == Kind::End {
            return false;
        }
        let wanted = format!("expected `,` or {}, found {}", bracket(close), self.describe(token));
        let help = match self.otherwise(token, "") {
            "" => self.still_open(token.span),
            help => help.into(),
        };
        self.report(token.span, wanted, &help);
        // Continue with the next element if this one consumed a token; otherwise give up the list.
        self.at > before && !matches!(token.kind, Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly)
    }

    fn open(&mut self, kind: Kind, wanted: &str) -> bool {
        if self.peek() != kind {
            self.expect(kind, wanted);
            return false;
        }
        let opened = self.take();
        self.brackets.push(opened.span);
        true
    }

    fn close(&mut self, kind: Kind) -> Span {
        let token = self.token();
        if token.kind == kind {
            self.at += self.blanks() + 1;
        } else {
            let message = format!("expected {}, found {}", bracket(kind), self.describe(token));
            let help = match self.otherwise(token, "") {
                "" => self.still_open(token.span),
                help => help.into(),
            };
            self.report(token.span, message, &help);
            self.recover(kind);
        }
        self.brackets.pop();
        token.span
    }

    /// Which bracket is open at a place, if it was opened in another line: the mistake may be there.
    fn still_open(&self, at: Span) -> alloc::string::String {
        let Some(opened) = self.brackets.last() else { return alloc::string::String::new() };
        let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let (before, between) = self.source[..at.start as usize].split_at(opened.start as usize);
        match lines(between) {
            0 => alloc::string::String::new(),
            _ => format!("the `{}` of line {} is not closed", opened.text(self.source), lines(before) + 1),
        }
    }

    /// Searches for the closing bracket, up to the certain start of a new statement.
    fn recover(&mut self, close: Kind) {
        let mut open = 0_u32;
        let mut at = self.at;
        loop {
            let token = self.tree.tokens[at];
            match token.kind {
                Kind::End => break,
                Kind::NewLine if self.starts_statement(at + 1) => break,
                Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly => open += 1,
                kind if kind == close && open == 0 => {
                    at += 1;
                    break;
                }
                Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly => open = open.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        self.at = at;
    }

    fn expect(&mut self, kind: Kind, wanted: &str) {
        let token = self.token();
        if token.kind == kind {
            self.take();
        } else {
            let message = format!("expected {wanted}, found {}", self.describe(token));
            self.report(token.span, message, self.otherwise(token, ""));
        }
    }

    fn given_name(&mut self, wanted: &str) -> GivenName {
        let token = self.token();
        if token.kind != Kind::Name {
            let help = if token.kind == Kind::String { "names are written without quotes" } else { "" };
            self.report(token.span, format!("expected {wanted}, found {}", self.describe(token)), help);
            if token.kind == Kind::String {
                self.take();
            }
            return GivenName { span: Span::new(token.span.start, token.span.start), written_type: None };
        }
        self.take();
        GivenName { span: token.span, written_type: None }
    }

    /// Skips a colon, which other languages write here.
    fn no_colon(&mut self) {
        let token = self.token();
        if token.kind == Kind::Colon {
            self.report(token.span, "there is no `:` between a name and its value", "leave it out");
            self.take();
        }
    }

    /// `name`, or `name: type`.
    fn parameter(&mut self) -> GivenName {
        let mut name = self.given_name("a parameter");
        if self.peek() == Kind::Colon {
            self.take();
            name.written_type = self.written_type(0);
        }
        name
    }

    /// `number`, `list of number`, `Lambda(number, truth)`, `@weapon`. The checker resolves the words.
    fn written_type(&mut self, depth: u32) -> Option<Span> {
        let found = self.token();
        let is_type = matches!(found.kind, Kind::Name | Kind::Lambda | Kind::Nothing | Kind::Class);
        if !is_type || depth > TYPE_DEPTH_MAX {
            self.report(found.span, format!("expected a type, found {}", self.describe(found)), "");
            return None;
        }
        self.take();
        let mut span = found.span;
        if self.peek() == Kind::Name && self.token().span.text(self.source) == "of" {
            self.take();
            span = span.to(self.written_type(depth + 1)?);
        } else if found.kind == Kind::Lambda && self.peek() == Kind::OpenRound {
            self.open(Kind::OpenRound, "`(`");
            while self.written_type(depth + 1).is_some() && self.peek() == Kind::Comma {
                self.take();
            }
            span = span.to(self.close(Kind::CloseRound));
        }
        Some(span)
    }

    /// The number of tokens to skip before the next one: comments always, ends of lines inside brackets.
    #[inline]
    fn blanks(&self) -> usize {
        let mut at = self.at;
        loop {
            match self.tree.tokens[at].kind {
                Kind::Comment => at += 1,
                Kind::NewLine if !self.brackets.is_empty() => at += 1,
                Kind::NewLine if self.line_continues(at) => return self.behind_blanks(at) - self.at,
                _ => return at - self.at,
            }
        }
    }

    /// The first token at or after an index that is neither a comment nor the end of a line.
    #[cold]
    fn behind_blanks(&self, at: usize) -> usize {
        let blanks = self.tree.tokens[at..].iter();
        at + blanks.take_while(|token| matches!(token.kind, Kind::Comment | Kind::NewLine)).count()
    }

    #[cold]
    fn line_continues(&self, new_line: usize) -> bool {
        let mut before = self.tree.tokens[..new_line].iter().rev();
        let last = before.find(|token| !matches!(token.kind, Kind::Comment | Kind::NewLine));
        // After an operator or `set` at the end of a line the value may be on the next line, but not behind an empty
        // one.
        if last.is_some_and(|token| joins_lines(token.kind)) {
            return true;
        }
        let mut after = self.tree.tokens[new_line..].iter();
        let next = after.find(|token| !matches!(token.kind, Kind::Comment | Kind::NewLine));
        next.is_some_and(|token| matches!(token.kind, Kind::Then | Kind::Else | Kind::In | Kind::And | Kind::Or))
    }

    #[inline]
    fn token(&self) -> Token {
        self.tree.tokens[self.at + self.blanks()]
    }

    #[inline]
    fn peek(&self) -> Kind {
        self.token().kind
    }

    fn peek_second(&self) -> Kind {
        let mut after = self.tree.tokens[self.at + self.blanks()..].iter().skip(1);
        let next = after.find(|token| !matches!(token.kind, Kind::Comment | Kind::NewLine));
        next.map_or(Kind::End, |token| token.kind)
    }

    /// Whether the next token follows the last without a blank: `f (x)` in a record is a field and a value.
    fn is_adjacent(&self) -> bool {
        let token = self.token();
        self.at > 0 && self.tree.tokens[self.at - 1].span.end == token.span.start
    }

    fn take(&mut self) -> Token {
        self.at += self.blanks();
        let token = self.tree.tokens[self.at];
        if !matches!(token.kind, Kind::End | Kind::NewLine) {
            self.at += 1;
        }
        token
    }

    fn skip_lines(&mut self) {
        while matches!(self.tree.tokens[self.at].kind, Kind::NewLine | Kind::Comment) {
            self.at += 1;
        }
    }

    /// A missing value. Skips one token that no surrounding construct can use.
    fn missing_value(&mut self) -> NodeId {
        let token = self.token();
        let is_harmless = matches!(token.kind, Kind::Unknown | Kind::Class | Kind::Colon | Kind::Dot);
        if is_harmless || operator(token.kind).is_some() {
            self.take();
        }
        self.node(Expression::Missing, token.span, false)
    }

    fn node(&mut self, mut expression: Expression, span: Span, has_effect: bool) -> NodeId {
        let mut height = 1 + self.height_below(expression);
        if height > HEIGHT_MAX {
            let help = "give parts of it names with `let` or `!set`";
            self.report(span, format!("more than {HEIGHT_MAX} nested operators, calls or brackets"), help);
            (expression, height) = (Expression::Missing, 1);
        }
        self.heights.push(height);
        self.tree.nodes.push(Node { expression, span, has_effect });
        NodeId(self.tree.nodes.len() as u32 - 1)
    }

    /// The height of the highest child of a node.
    fn height_below(&self, expression: Expression) -> u16 {
        let of = |id: NodeId| self.heights[id.0 as usize];
        let row = |items: Items| self.tree.items(items).iter().map(|id| of(*id)).max().unwrap_or(0);
        match expression {
            Expression::List(items)
            | Expression::Body(items)
            | Expression::Do(items)
            | Expression::Text(items)
            | Expression::Record(_, items)
            | Expression::Effect(_, items) => row(items),
            Expression::Lambda { body: inner, .. }
            | Expression::Set(_, inner)
            | Expression::Field(inner, _)
            | Expression::Negate(inner)
            | Expression::Not(inner)
            | Expression::Group(inner) => of(inner),
            Expression::Call(callee, items) | Expression::Let(_, items, callee) => row(items).max(of(callee)),
            Expression::Index(left, right)
            | Expression::Binary(_, left, right)
            | Expression::Update(left, _, right) => of(left).max(of(right)),
            Expression::If(condition, then, otherwise) => of(condition).max(of(then)).max(otherwise.map_or(0, of)),
            _ => 0,
        }
    }

    fn span(&self, id: NodeId) -> Span {
        self.tree.node(id).span
    }

    fn has_effect(&self, id: NodeId) -> bool {
        self.tree.node(id).has_effect
    }

    fn close_row(&mut self, base: usize) -> (Items, bool) {
        let has_effect = self.scratch[base..].iter().any(|id| self.tree.node(*id).has_effect);
        let start = self.tree.items.len() as u32;
        self.tree.items.extend(self.scratch.drain(base..));
        (Items { start, count: self.tree.items.len() as u32 - start }, has_effect)
    }

    fn close_names(&mut self, names: &[GivenName]) -> Names {
        let start = self.tree.names.len() as u32;
        self.tree.names.extend_from_slice(names);
        Names { start, count: names.len() as u32 }
    }

    fn describe(&self, token: Token) -> alloc::string::String {
        match token.kind {
            Kind::End => "the end of the file".into(),
            Kind::NewLine => "the end of the line".into(),
            _ => {
                let text = token.span.text(self.source);
                let short: alloc::string::String = text.chars().take(24).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                format!("`{short}{dots}`")
            }
        }
    }

    /// The LScript spelling of an operator of another language; for other tokens, `help`.
    fn otherwise(&self, token: Token, help: &'static str) -> &'static str {
        let rest = &self.source[token.span.start as usize..];
        if token.kind == Kind::Name && matches!(token.span.text(self.source), "elif" | "elseif" | "elsif") {
            return "write `else if`";
        }
        let known = [
            (";", "a statement ends with its line: remove it"),
            ("!=", "write `<>`: it is true for unequal values"),
            ("!", "write `not`"),
            ("&", "write `and`"),
            ("|", "write `or`"),
            ("'", "a string is written with double quotes: `\"nose\"`"),
        ];
        let found = known.iter().find(|(text, _)| token.kind == Kind::Unknown && rest.starts_with(text));
        found.map_or(help, |(_, help)| help)
    }

    #[cold]
    fn report(&mut self, span: Span, message: impl Into<alloc::string::String>, help: &str) {
        // One error often causes others at the same place: only the first is reported.
        let is_known = self.tree.reports.last().is_some_and(|last| last.span.start == span.start);
        if !is_known && self.tree.reports.len() < REPORTS_MAX {
            self.tree.reports.push(Report::error(span, message).with_help(help));
        }
    }
}

fn operator(kind: Kind) -> Option<Operator> {
    Some(match kind {
        Kind::Or => Operator::Or,
        Kind::And => Operator::And,
        Kind::Equal => Operator::Equal,
        Kind::Unequal => Operator::Unequal,
        Kind::Less => Operator::Less,
        Kind::Greater => Operator::Greater,
        Kind::LessEqual => Operator::LessEqual,
        Kind::GreaterEqual => Operator::GreaterEqual,
        Kind::Plus => Operator::Add,
        Kind::Minus => Operator::Subtract,
        Kind::Star => Operator::Multiply,
        Kind::Slash => Operator::Divide,
        Kind::Percent => Operator::Remainder,
        _ => return None,
    })
}

/// The precedence of an operator; see `Parser::binary`.
pub(crate) fn binding(operator: Operator) -> u32 {
    use Operator::*;
    match operator {
        Or => 0,
        And => 1,
        Equal | Unequal | Less | Greater | LessEqual | GreaterEqual => 3,
        Add | Subtract => 4,
        Multiply | Divide | Remainder => 5,
    }
}

fn operator_is_next(kind: Kind, level: u32) -> bool {
    operator(kind).is_some_and(|operator| binding(operator) == level)
}

fn bracket(kind: Kind) -> &'static str {
    match kind {
        Kind::CloseRound => "`)`",
        Kind::CloseSquare => "`]`",
        _ => "`}`",
    }
}
