//! The formatter: one canonical layout of a source, which never changes its meaning.
//!
//! It keeps the line breaks and decides everything within the lines: indentation by brackets, one blank
//! between words, none inside round and square brackets. In a run of `!set` lines the values are aligned, and so
//! are the comments behind them. More than one empty line becomes one.
//!
//! Laws
//! 1. The tokens of the result are the tokens of the source.
//! 2. Formatting is idempotent.
//! 3. A source with syntax errors is not changed.
//!
//! Cost: time and memory in proportion to the text: at most 150 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

use alloc::string::String;
use alloc::vec::Vec;

use crate::ast::{Expression, Tree};
use crate::report::Report;
use crate::source::Span;
use crate::token::TokenKind as Kind;
use crate::token::{Token, joins_lines};

const INDENT: usize = 4;
/// Names longer than this do not move the values of the other lines.
const NAME_MAX: usize = 24;
/// Comments are not aligned beyond this column.
const COMMENT_COLUMN_MAX: usize = 60;

/// The formatted source, or its syntax errors.
pub fn format<'a>(source: &str, tree: &'a Tree) -> Result<String, &'a [Report]> {
    if !tree.reports.is_empty() {
        return Err(&tree.reports);
    }
    let mut lines = LineBuffer { source, negations: negations(tree), targets: targets(tree), lines: Vec::new() };
    lines.read(&tree.tokens);
    align_values(&mut lines.lines);
    align_comments(&mut lines.lines);
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    for line in &lines.lines {
        line.write(&mut out);
    }
    Ok(out)
}

/// The places of unary minus signs.
fn negations(tree: &Tree) -> Vec<u32> {
    let negations = tree.nodes.iter().filter(|node| matches!(node.expression, Expression::Negate(_)));
    let mut starts: Vec<u32> = negations.map(|node| node.span.start).collect();
    starts.sort_unstable();
    starts
}

/// The starts of the statements that change a part of a variable, with the ends of these parts, by place.
fn targets(tree: &Tree) -> Vec<(u32, u32)> {
    let updates = tree.statements.iter().map(|statement| tree.node(*statement));
    let targets = updates.filter_map(|node| match node.expression {
        Expression::Update(target, ..) => Some((node.span.start, tree.node(target).span.end)),
        _ => None,
    });
    targets.collect()
}

#[derive(Default)]
struct Line {
    indent: usize,
    /// `!set name`, where the line is such a statement.
    name: String,
    /// The number of columns by which the value is moved to the right.
    name_padding: usize,
    text: String,
    comment: String,
    comment_padding: usize,
}

impl Line {
    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.text.is_empty() && self.comment.is_empty()
    }

    fn code_width(&self) -> usize {
        let between = usize::from(!self.name.is_empty() && !self.text.is_empty());
        self.indent + self.name.chars().count() + self.name_padding + between + self.text.chars().count()
    }

    fn write(&self, out: &mut String) {
        let start = out.len();
        let blanks = |out: &mut String, count: usize| out.extend(core::iter::repeat_n(' ', count));
        if !self.is_empty() {
            blanks(out, self.indent);
        }
        out.push_str(&self.name);
        if !self.name.is_empty() && !self.text.is_empty() {
            blanks(out, self.name_padding + 1);
        }
        out.push_str(&self.text);
        if !self.comment.is_empty() {
            if out.len() > start + self.indent {
                blanks(out, self.comment_padding + 1);
            }
            out.push_str(&self.comment);
        }
        out.push('\n');
    }
}

struct LineBuffer<'a> {
    source: &'a str,
    negations: Vec<u32>,
    targets: Vec<(u32, u32)>,
    lines: Vec<Line>,
}

impl LineBuffer<'_> {
    fn read(&mut self, tokens: &[Token]) {
        // The lines of the open brackets; several on one line indent only once.
        let mut open: Vec<usize> = Vec::new();
        // Whether the statement continues on the next line, at bracket depth zero.
        let mut goes_on = false;
        let lines = tokens.split(|token| matches!(token.kind, Kind::NewLine | Kind::End));
        for (number, line) in lines.enumerate() {
            let closing = line.iter().take_while(|token| closes(token.kind)).count();
            let (around, closed) = open.split_at(open.len().saturating_sub(closing));
            // A line that begins with closing brackets is indented like the line that opened them.
            let around = around.iter().filter(|line| closed.first() != Some(*line));
            let around: Vec<usize> = around.copied().collect();
            let levels = around.chunk_by(|left, right| left == right).count();
            let indent = levels + usize::from(goes_on && open.is_empty());
            let is_statement = open.is_empty() && !goes_on;
            let made = self.line(line, indent * INDENT, is_statement);
            let is_second_empty = made.is_empty() && self.lines.last().is_none_or(Line::is_empty);
            if !is_second_empty {
                self.lines.push(made);
            }
            for token in line {
                if opens(token.kind) {
                    open.push(number);
                } else if closes(token.kind) {
                    open.pop();
                }
            }
            if let Some(last) = line.iter().rev().find(|token| token.kind != Kind::Comment) {
                goes_on = joins_lines(last.kind);
            }
        }
        while self.lines.last().is_some_and(Line::is_empty) {
            self.lines.pop();
        }
    }

    fn line(&self, tokens: &[Token], indent: usize, is_statement: bool) -> Line {
        let mut line = Line { indent, ..Line::default() };
        let is_set = is_statement && tokens.first().is_some_and(|token| self.text(token).eq_ignore_ascii_case("!set"));
        let start = tokens.first().map_or(0, |token| token.span.start);
        let target = self.targets.binary_search_by_key(&start, |(start, _)| *start).map(|at| self.targets[at].1);
        for (index, token) in tokens.iter().enumerate() {
            if token.kind == Kind::Comment {
                line.comment.push_str(self.text(token).trim_end());
                continue;
            }
            let is_name = is_set && (index < 2 || target.is_ok_and(|end| token.span.end <= end));
            let out = if is_name { &mut line.name } else { &mut line.text };
            let before = index.checked_sub(1).map(|before| &tokens[before]);
            if let Some(before) = before.filter(|_| !out.is_empty())
                && self.has_blank(before, token)
            {
                out.push(' ');
            }
            out.push_str(self.text(token));
        }
        line
    }

    /// Whether there is a blank between two tokens of a line.
    fn has_blank(&self, before: &Token, after: &Token) -> bool {
        let is_unary = before.kind == Kind::Minus && self.negations.binary_search(&before.span.start).is_ok();
        if is_unary || matches!(before.kind, Kind::OpenRound | Kind::OpenSquare | Kind::Dot) {
            return false;
        }
        match after.kind {
            // `+=` and its like are two tokens.
            Kind::Equal if matches!(before.kind, Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash) => {
                before.span.end != after.span.start
            }
            Kind::Comma | Kind::Dot | Kind::Colon | Kind::CloseRound | Kind::CloseSquare => false,
            Kind::CloseCurly => before.kind != Kind::OpenCurly,
            Kind::OpenRound if before.kind == Kind::Lambda => false,
            // A bracket directly behind a value is a call or an index; one behind a blank is a separate value.
            Kind::OpenRound | Kind::OpenSquare if ends_value(before.kind) => before.span.end != after.span.start,
            _ => true,
        }
    }

    fn text(&self, token: &Token) -> &str {
        Span::text(token.span, self.source)
    }
}

fn opens(kind: Kind) -> bool {
    matches!(kind, Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly)
}

fn closes(kind: Kind) -> bool {
    matches!(kind, Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly)
}

fn ends_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name
            | Kind::Effect
            | Kind::Object
            | Kind::String
            | Kind::Number
            | Kind::Identifier
            | Kind::True
            | Kind::False
            | Kind::Nothing
            | Kind::CloseRound
            | Kind::CloseSquare
            | Kind::CloseCurly
    )
}

/// Aligns the values in each run of `!set` lines.
fn align_values(lines: &mut [Line]) {
    let is_set = |line: &Line| !line.name.is_empty();
    for run in lines.chunk_by_mut(|left, right| is_set(left) && is_set(right)) {
        let widths =
            run.iter().map(|line| line.name.chars().count()).filter(|width| *width <= "!set ".len() + NAME_MAX);
        let widest = widths.max().unwrap_or(0);
        for line in run.iter_mut().filter(|line| is_set(line)) {
            line.name_padding = widest.saturating_sub(line.name.chars().count());
        }
    }
}

/// Aligns the trailing comments in each run of lines.
fn align_comments(lines: &mut [Line]) {
    let has_code = |line: &Line| !line.name.is_empty() || !line.text.is_empty();
    let has_both = |line: &Line| has_code(line) && !line.comment.is_empty();
    for run in lines.chunk_by_mut(|left, right| has_both(left) && has_both(right)) {
        let widths = run.iter().map(Line::code_width).filter(|width| *width <= COMMENT_COLUMN_MAX);
        let widest = widths.max().unwrap_or(0);
        for line in run.iter_mut() {
            line.comment_padding = 1 + widest.saturating_sub(line.code_width());
        }
    }
}
