//! The syntactic context of the cursor, determined from the tokens before it, so that it works in incomplete text.
//!
//! Laws
//! 1. Any text and any position give a context, in time proportional to the text before it.
//! 2. A `!set` at the start of a line begins a statement, whatever is still open before it, as in the parser.

use script::source::Span;
use script::token::TokenKind as Kind;
use script::token::{Token, joins_lines};

/// The deepest nesting of brackets that is tracked.
const DEPTH_MAX: usize = 512;

/// One step from a tag to a value within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field of the tag or of a record.
    Field(String),
    /// To an element of a list.
    Element,
}

/// What is expected at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A statement: the line is empty, or has only the beginning of its first word.
    Statement,
    /// The name of the class, after `@`.
    Class,
    /// The name of a variable, after `!set`.
    Variable,
    /// The name of a field of the record at `path`.
    FieldName,
    /// A value at `path`.
    Value,
    /// The name of a field after the dot behind a value.
    Access,
    /// A new name: nothing can be offered.
    NewName,
    /// A comment: nothing can be offered.
    Comment,
    /// The continuation of a complete value: an operator.
    Operator,
}

/// A call around the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingCall {
    /// The callee, as it is written.
    pub name: String,
    /// Whether it is an effect.
    pub is_effect: bool,
    /// The index of the argument.
    pub argument: usize,
    /// Whether the cursor is in a record that is the argument.
    pub is_record: bool,
    /// The field of that record whose value is at the cursor.
    pub field: Option<String>,
    /// The first argument, if it is a string.
    pub first: Option<String>,
}

/// The context of the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorContext {
    /// What is expected.
    pub expected: Expected,
    /// The path from the tag to the value or record at the cursor. Empty outside of `!set` statements.
    pub path: Vec<Step>,
    /// The span of the word at the cursor: what would be replaced.
    pub word: Span,
    /// Whether the word is a string; its span is without quotes.
    pub is_string: bool,
    /// The names of the record's fields before and after the cursor.
    pub siblings: Vec<String>,
    /// The innermost call around the cursor.
    pub call: Option<EnclosingCall>,
}

/// Determines the context of a position.
pub fn look(source: &str, tokens: &[Token], byte: u32) -> CursorContext {
    let mut scanner = Scanner { source, frames: Vec::new(), is_statement_open: false };
    let mut before: Option<Token> = None;
    let mut index = 0;
    while let Some(token) = tokens.get(index).copied() {
        if token.kind == Kind::End || token.span.start >= byte || is_word_at(token, byte) {
            break;
        }
        if is_comment_at(token, byte) {
            return scanner.context(Expected::Comment, Span::new(byte, byte), &tokens[index..]);
        }
        scanner.take(token, before);
        before = Some(token).filter(|token| token.kind != Kind::Comment).or(before);
        index += 1;
    }
    let rest = &tokens[index.min(tokens.len())..];
    let here = rest.first().copied().filter(|token| is_word_at(*token, byte));
    let word = here.map_or(Span::new(byte, byte), |token| token.span);
    let expected = scanner.expected(before, here);
    scanner.context(expected, word, rest)
}

/// Whether the position is inside a token that is a word, or at its end.
fn is_word_at(token: Token, byte: u32) -> bool {
    let is_inside = token.span.start < byte && byte <= token.span.end;
    match token.kind {
        Kind::String => token.span.start < byte && byte < token.span.end,
        Kind::OpenString => is_inside,
        Kind::Name | Kind::Effect | Kind::Object | Kind::Class | Kind::Number | Kind::Identifier => is_inside,
        kind if is_keyword(kind) => is_inside,
        // A mark without a word behind it yet.
        Kind::Unknown => is_inside,
        _ => false,
    }
}

fn is_comment_at(token: Token, byte: u32) -> bool {
    token.kind == Kind::Comment && token.span.start < byte && byte <= token.span.end
}

fn is_keyword(kind: Kind) -> bool {
    use Kind::{And, Cached, Else, False, If, In, Lambda, Let, Not, Nothing, Or, Then, True, Uncached};
    matches!(kind, Lambda | Cached | Uncached | If | Then | Else | Let | In | And | Or | Not | True | False | Nothing)
}

/// An open bracket.
#[derive(Clone, Debug, Default)]
struct Frame {
    sort: BracketKind,
    /// Of a record: its fields so far; the last is still incomplete unless a comma follows it.
    fields: Vec<String>,
    /// Of a record: whether a name is expected.
    wants_name: bool,
    /// Of a call: the callee.
    callee: Option<(String, bool)>,
    /// Of a call: its first argument, if it is a string.
    first: Option<String>,
    /// The number of commas so far.
    commas: usize,
    /// Whether a `let` is open in it: then names are bound to values.
    is_let: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BracketKind {
    /// No bracket: the statement itself. Its only field is the variable that is set.
    #[default]
    Statement,
    Record,
    List,
    Round,
    Lambda,
}

struct Scanner<'a> {
    source: &'a str,
    /// The statement, and its open brackets.
    frames: Vec<Frame>,
    is_statement_open: bool,
}

impl Scanner<'_> {
    fn text(&self, token: Token) -> String {
        token.span.text(self.source).to_string()
    }

    fn is_set(&self, token: Token) -> bool {
        token.kind == Kind::Effect && token.span.text(self.source).eq_ignore_ascii_case("!set")
    }

    fn take(&mut self, token: Token, before: Option<Token>) {
        let is_line_start = before.is_none_or(|before| before.kind == Kind::NewLine);
        let is_at_margin = token.span.start == 0
            || self.source.as_bytes().get(token.span.start as usize - 1).is_some_and(|byte| *byte == b'\n');
        if is_line_start && is_at_margin && self.is_set(token) {
            self.frames.clear();
            self.is_statement_open = false;
        }
        match token.kind {
            Kind::Comment => return,
            Kind::NewLine => {
                let goes_on = before.is_some_and(|before| joins_lines(before.kind));
                if self.frames.len() <= 1 && !goes_on {
                    self.frames.clear();
                    self.is_statement_open = false;
                }
                return;
            }
            _ => {}
        }
        if !self.is_statement_open {
            self.is_statement_open = true;
            self.frames.push(Frame::default());
        }
        match token.kind {
            Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly => self.open(token, before),
            Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly if self.frames.len() > 1 => {
                self.frames.pop();
            }
            Kind::Comma => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.commas += 1;
                    frame.wants_name = frame.sort == BracketKind::Record;
                }
            }
            Kind::Let | Kind::In => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.is_let = token.kind == Kind::Let;
                }
            }
            Kind::Name => self.name(token, before),
            Kind::String => {
                let text = token.span.text(self.source).trim_matches('"').to_string();
                if let Some(frame) = self.frames.last_mut().filter(|frame| frame.callee.is_some() && frame.commas == 0)
                {
                    frame.first = Some(text);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, token: Token, before: Option<Token>) {
        if self.frames.len() >= DEPTH_MAX {
            return;
        }
        let is_behind = before.is_some_and(|before| before.span.end == token.span.start);
        let sort = match token.kind {
            Kind::OpenCurly => BracketKind::Record,
            Kind::OpenSquare if is_behind && before.is_some_and(ends_value) => BracketKind::Round,
            Kind::OpenSquare => BracketKind::List,
            _ if before.is_some_and(|before| before.kind == Kind::Lambda) => BracketKind::Lambda,
            _ => BracketKind::Round,
        };
        let callee = before.filter(|before| token.kind == Kind::OpenRound && is_behind && ends_value(*before));
        let callee = callee.map(|callee| (self.text(callee), callee.kind == Kind::Effect));
        self.frames.push(Frame { sort, callee, wants_name: sort == BracketKind::Record, ..Frame::default() });
    }

    fn name(&mut self, token: Token, before: Option<Token>) {
        let text = self.text(token);
        let is_set = before.is_some_and(|before| self.is_set(before));
        let is_only = self.frames.len() == 1;
        if let Some(frame) = self.frames.last_mut() {
            if frame.sort == BracketKind::Record && frame.wants_name {
                frame.fields.push(text);
                frame.wants_name = false;
            } else if is_set && is_only {
                frame.fields = vec![text];
            }
        }
    }

    fn expected(&self, before: Option<Token>, here: Option<Token>) -> Expected {
        let behind = before.filter(|before| before.kind != Kind::NewLine || self.is_statement_open);
        match here.map(|token| token.kind) {
            Some(Kind::Class) => return Expected::Class,
            Some(Kind::Unknown) if here.is_some_and(|token| self.text(token) == "@") => return Expected::Class,
            _ => {}
        }
        let Some(before) = behind else { return Expected::Statement };
        if !self.is_statement_open {
            return Expected::Statement;
        }
        let is_record = self.frames.last().is_some_and(|frame| frame.sort == BracketKind::Record);
        if is_record && self.frames.last().is_some_and(|frame| frame.wants_name) {
            return Expected::FieldName;
        }
        match before.kind {
            _ if self.is_set(before) => Expected::Variable,
            Kind::Dot => Expected::Access,
            Kind::Let | Kind::Colon => Expected::NewName,
            Kind::Comma if self.frames.last().is_some_and(|frame| frame.is_let) => Expected::NewName,
            Kind::Class => Expected::Operator,
            Kind::Name if self.is_name_given(before) => Expected::Value,
            _ if ends_value(before) => Expected::Operator,
            _ => Expected::Value,
        }
    }

    /// Whether a name is followed by its value: a field's, or a variable's after `!set`.
    fn is_name_given(&self, token: Token) -> bool {
        let text = token.span.text(self.source);
        let head = self.source.get(..token.span.start as usize).unwrap_or("").trim_end();
        let is_set = head.len() >= 4 && head.get(head.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case("!set"));
        let is_field = self.frames.last().is_some_and(|frame| {
            frame.sort == BracketKind::Record && frame.fields.last().is_some_and(|name| name == text)
        });
        is_set || is_field && head.ends_with(['{', ','])
    }

    fn context(&self, expected: Expected, word: Span, rest: &[Token]) -> CursorContext {
        let first = rest.first().copied().filter(|token| token.span == word);
        let is_string = first.is_some_and(|token| matches!(token.kind, Kind::String | Kind::OpenString));
        let word = match first.map(|token| token.kind) {
            Some(Kind::String) => Span::new(word.start + 1, word.end.saturating_sub(1).max(word.start + 1)),
            Some(Kind::OpenString) => Span::new(word.start + 1, word.end),
            _ => word,
        };
        let mut path = Vec::new();
        let mut is_in_value = true;
        for frame in &self.frames {
            match frame.sort {
                BracketKind::Statement | BracketKind::Record => {
                    let is_named = !frame.wants_name || frame.sort == BracketKind::Statement;
                    match frame.fields.last().filter(|_| is_named) {
                        Some(name) if is_in_value => path.push(Step::Field(name.clone())),
                        _ => {}
                    }
                }
                BracketKind::List => path.push(Step::Element),
                // The operand of an expression is no longer the field's value itself; only a bracket around it changes
                // nothing.
                BracketKind::Round if frame.callee.is_none() => {}
                BracketKind::Round | BracketKind::Lambda => is_in_value = false,
            }
            if !is_in_value {
                path.clear();
            }
        }
        let is_set = self.frames.first().is_some_and(|frame| !frame.fields.is_empty());
        if !is_set || !is_in_value {
            path.clear();
        }
        let call = self.frames.iter().enumerate().rev().find_map(|(index, frame)| {
            let (name, is_effect) = frame.callee.as_ref()?;
            // A bracket around a value changes nothing.
            let is_bracket = |frame: &&Frame| frame.sort == BracketKind::Round && frame.callee.is_none();
            let mut inner = self.frames[index + 1..].iter().filter(|frame| !is_bracket(frame));
            let record = match (inner.next(), inner.next()) {
                (Some(only), None) if only.sort == BracketKind::Record => Some(only),
                _ => None,
            };
            let field = record.filter(|record| !record.wants_name).and_then(|record| record.fields.last().cloned());
            let (name, first) = (name.clone(), frame.first.clone());
            let is_record = record.is_some();
            Some(EnclosingCall { name, is_effect: *is_effect, argument: frame.commas, is_record, field, first })
        });
        CursorContext { expected, path, word, is_string, siblings: self.siblings(rest), call }
    }

    /// The names of the fields of the record at the cursor.
    fn siblings(&self, rest: &[Token]) -> Vec<String> {
        let Some(frame) = self.frames.last().filter(|frame| frame.sort == BracketKind::Record) else {
            return Vec::new();
        };
        let mut names = frame.fields.clone();
        let mut depth = 0_usize;
        let mut wants_name = false;
        for token in rest {
            match token.kind {
                Kind::OpenRound | Kind::OpenSquare | Kind::OpenCurly => depth += 1,
                Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly if depth == 0 => break,
                Kind::CloseRound | Kind::CloseSquare | Kind::CloseCurly => depth -= 1,
                Kind::Comma if depth == 0 => wants_name = true,
                Kind::Name if depth == 0 && wants_name => {
                    names.push(self.text(*token));
                    wants_name = false;
                }
                Kind::Effect if depth == 0 && self.is_set(*token) => break,
                Kind::NewLine | Kind::Comment => {}
                _ => wants_name = false,
            }
        }
        names
    }
}

fn ends_value(token: Token) -> bool {
    use Kind::{CloseCurly, CloseRound, CloseSquare, Effect, False, Identifier, Name, Nothing, Number, Object, True};
    matches!(
        token.kind,
        Name | Effect
            | Object
            | Kind::String
            | Number
            | Identifier
            | True
            | False
            | Nothing
            | CloseRound
            | CloseSquare
            | CloseCurly
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use script::token::tokens;

    use super::*;

    /// The cursor is marked by `|`. Returns what is expected, the path, the word.
    fn look_at(marked: &str) -> (CursorContext, String) {
        let byte = marked.find('|').unwrap();
        let source = marked.replacen('|', "", 1);
        let context = look(&source, &tokens(&source), byte as u32);
        let word = context.word.text(&source).to_string();
        (context, word)
    }

    #[track_caller]
    fn check(marked: &str, expected: Expected, path: &str, word: &str) {
        let (context, found) = look_at(marked);
        let steps: String = context
            .path
            .iter()
            .map(|step| match step {
                Step::Field(name) => format!(".{name}"),
                Step::Element => "[]".to_string(),
            })
            .collect();
        assert_eq!((context.expected, steps.as_str(), found.as_str()), (expected, path, word), "{marked}");
    }

    #[test]
    fn statements_and_assigned_values() {
        check("|", Expected::Statement, "", "");
        check("@sh|", Expected::Class, "", "@sh");
        check("@|", Expected::Class, "", "@");
        check("@ship\n!s|", Expected::Statement, "", "!s");
        check("@ship\n!set |", Expected::Variable, "", "");
        check("@ship\n!set ma|", Expected::Variable, "", "ma");
        check("@ship\n!set mass |", Expected::Value, ".mass", "");
        check("@ship\n!set mass 3|", Expected::Value, ".mass", "3");
        check("@ship\n!set mass 3 |", Expected::Operator, ".mass", "");
        check("@ship\n!set mass 3 + |", Expected::Value, ".mass", "");
        check("!set a 1 // no|", Expected::Comment, ".a", "");
    }

    #[test]
    fn records_lists_and_strings() {
        check("!set weapons [ { |", Expected::FieldName, ".weapons[]", "");
        check("!set weapons [ { marker \"no|se\" } ]", Expected::Value, ".weapons[].marker", "nose");
        check("!set weapons [ { marker \"nose\", we| } ]", Expected::FieldName, ".weapons[]", "we");
        check("!set weapons [\n    { a 1 },\n    { b |", Expected::Value, ".weapons[].b", "");
        check("!set look \"ships/|", Expected::Value, ".look", "ships/");
        check("!set flags [\"a\", \"|\"]", Expected::Value, ".flags[]", "");
        check("!set pair { a { b |", Expected::Value, ".pair.a.b", "");
    }

    #[test]
    fn a_new_statement_closes_open_brackets() {
        check("!set a [ { b (\n!set c |", Expected::Value, ".c", "");
        check("!set a [\n    |", Expected::Value, ".a[]", "");
        check("!set a 1\n|", Expected::Statement, "", "");
        check("!set a 1 +\n|", Expected::Value, ".a", "");
    }

    #[test]
    fn calls_and_names() {
        check("!set a max(1, |", Expected::Value, "", "");
        check("!set a (|", Expected::Value, ".a", "");
        let (context, _) = look_at("!set a [ !Send(~this, |");
        let call = |name: &str, argument| EnclosingCall {
            name: name.into(),
            is_effect: name.starts_with('!'),
            argument,
            is_record: false,
            field: None,
            first: None,
        };
        assert_eq!(context.call, Some(call("!Send", 1)));
        let (context, _) = look_at("!set a [ !Spawn(\"a.ship\", ({ hull 3, |");
        let first = Some(String::from("a.ship"));
        assert_eq!(context.call, Some(EnclosingCall { is_record: true, first, ..call("!Spawn", 1) }));
        let (context, _) = look_at("!set a count(objects({ team 1, class \"|\" }))");
        let field = Some(String::from("class"));
        assert_eq!(context.call, Some(EnclosingCall { is_record: true, field, ..call("objects", 0) }));
        let (context, _) = look_at("!set a f({ b { c |");
        assert_eq!(context.call, Some(call("f", 0)));
        check("!set a let |", Expected::NewName, ".a", "");
        check("!set a ship.|", Expected::Access, ".a", "");
        check("!set a Lambda(x, x + |", Expected::Value, "", "");
    }

    #[test]
    fn siblings_on_both_sides_are_found() {
        let (context, _) = look_at("!set w [ { a 1, |, c { d 1 }, e 2 }, { f 1 } ]");
        assert_eq!(context.siblings, ["a", "c", "e"]);
    }

    proptest! {
        #[test]
        fn any_text_and_position_have_a_context(source in "([!@~a-z{}\\[\\](),.:\" =\n/0-9#]|!set |//){0,60}", at: u16) {
            let byte = u32::from(at) % (source.len() as u32 + 1);
            let context = look(&source, &tokens(&source), byte);
            prop_assert!(context.word.start <= context.word.end && context.word.end as usize <= source.len());
        }
    }
}
