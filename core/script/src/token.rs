//! The lexer: splits a source into tokens, without losing a byte.
//!
//! Laws
//! 1. The tokens and the blanks between them are the source: every byte belongs to exactly one token or is blank.
//! 2. Any text gives tokens. Characters that begin no token become `Unknown` tokens, which the parser reports.
//! 3. Comments and ends of lines are tokens: tools keep them, and a statement ends with its line.

use alloc::vec::Vec;

use crate::source::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "kinds that share a line share its comment")]
pub enum TokenKind {
    /// `3`, `0.25`, `1e-3`.
    Number,
    /// `#3`, `#-1`.
    Identifier,
    /// Between `"` and `"`.
    String,
    /// A word that is no keyword.
    Name,
    /// `~this`.
    Object,
    /// `@class`.
    Class,
    /// `!name`.
    Effect,
    /// A keyword, in any case.
    Lambda, Cached, Uncached, If, Then, Else, Let, In, And, Or, Not, True, False, Nothing,
    /// `( ) [ ] { }`
    OpenRound, CloseRound, OpenSquare, CloseSquare, OpenCurly, CloseCurly,
    /// `, . :`
    Comma, Dot, Colon,
    /// `= <> < > <= >=`
    Equal, Unequal, Less, Greater, LessEqual, GreaterEqual,
    /// `+ - * / %`
    Plus, Minus, Star, Slash, Percent,
    /// `// …` up to the end of its line.
    Comment,
    /// The end of a line.
    NewLine,
    /// A string without a closing quote.
    OpenString,
    /// A character that begins no token.
    Unknown,
    /// After the last token.
    End,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its place in the source.
    pub span: Span,
}

/// The tokens of a source; the last one is `End`.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0 };
    let mut tokens = Vec::with_capacity(source.len() / 4 + 2);
    loop {
        let token = lexer.next();
        debug_assert!(token.kind == TokenKind::End || token.span.start < token.span.end, "every token has a byte");
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
    }
}

/// Whether a statement continues on the next line if its line ends in this token.
pub fn joins_lines(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Comma
            | Dot
            | Colon
            | Equal
            | Unequal
            | Less
            | Greater
            | LessEqual
            | GreaterEqual
            | Plus
            | Minus
            | Star
            | Slash
            | Percent
            | And
            | Or
            | Not
            | Let
            | In
            | If
            | Then
            | Else
            | Cached
            | Uncached
            | Lambda
    )
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Token {
        // A byte order mark, which some editors write, counts as a blank.
        if self.at == 0 && self.bytes.starts_with("\u{feff}".as_bytes()) {
            self.at = 3;
        }
        while matches!(self.peek(0), b' ' | b'\t' | b'\r') && self.at < self.bytes.len() {
            self.at += 1;
        }
        let start = self.at;
        let kind = if start == self.bytes.len() { TokenKind::End } else { self.cut() };
        Token { kind, span: Span::new(start as u32, self.at as u32) }
    }

    /// The byte at this distance; zero beyond the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn cut(&mut self) -> TokenKind {
        let byte = self.peek(0);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let start = self.at;
                self.skip_word();
                keyword(&self.bytes[start..self.at])
            }
            b'0'..=b'9' => self.cut_number(),
            b'"' => self.cut_string(),
            b'\n' => self.take(1, TokenKind::NewLine),
            b'/' if self.peek(1) == b'/' => {
                let rest = &self.bytes[self.at..];
                let mut length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                while length > 2 && rest[length - 1] == b'\r' {
                    length -= 1;
                }
                self.take(length, TokenKind::Comment)
            }
            b'#' => self.cut_identifier(),
            b'~' => self.cut_prefixed(TokenKind::Object),
            b'@' => self.cut_prefixed(TokenKind::Class),
            b'!' => self.cut_prefixed(TokenKind::Effect),
            b'(' => self.take(1, TokenKind::OpenRound),
            b')' => self.take(1, TokenKind::CloseRound),
            b'[' => self.take(1, TokenKind::OpenSquare),
            b']' => self.take(1, TokenKind::CloseSquare),
            b'{' => self.take(1, TokenKind::OpenCurly),
            b'}' => self.take(1, TokenKind::CloseCurly),
            b',' => self.take(1, TokenKind::Comma),
            b'.' => self.take(1, TokenKind::Dot),
            b':' => self.take(1, TokenKind::Colon),
            b'=' => self.take(1, TokenKind::Equal),
            b'<' if self.peek(1) == b'>' => self.take(2, TokenKind::Unequal),
            b'<' if self.peek(1) == b'=' => self.take(2, TokenKind::LessEqual),
            b'<' => self.take(1, TokenKind::Less),
            b'>' if self.peek(1) == b'=' => self.take(2, TokenKind::GreaterEqual),
            b'>' => self.take(1, TokenKind::Greater),
            b'+' => self.take(1, TokenKind::Plus),
            b'-' => self.take(1, TokenKind::Minus),
            b'*' => self.take(1, TokenKind::Star),
            b'/' => self.take(1, TokenKind::Slash),
            b'%' => self.take(1, TokenKind::Percent),
            _ => self.take(character_bytes(byte), TokenKind::Unknown),
        }
    }

    fn take(&mut self, length: usize, kind: TokenKind) -> TokenKind {
        self.at = (self.at + length).min(self.bytes.len());
        kind
    }

    fn skip_word(&mut self) {
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
            self.at += 1;
        }
    }

    fn skip_digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn cut_number(&mut self) -> TokenKind {
        self.skip_digits();
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.skip_digits();
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.skip_digits();
        }
        TokenKind::Number
    }

    fn cut_identifier(&mut self) -> TokenKind {
        let sign = usize::from(self.peek(1) == b'-');
        if !self.peek(1 + sign).is_ascii_digit() {
            return self.take(1, TokenKind::Unknown);
        }
        self.at += 1 + sign;
        self.skip_digits();
        TokenKind::Identifier
    }

    fn cut_prefixed(&mut self, kind: TokenKind) -> TokenKind {
        if !self.peek(1).is_ascii_alphabetic() && self.peek(1) != b'_' {
            return self.take(1, TokenKind::Unknown);
        }
        self.at += 1;
        self.skip_word();
        kind
    }

    /// A string may hold anything but the end of its line; `""` in it is one `"`.
    fn cut_string(&mut self) -> TokenKind {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\n')) else {
                return self.take(rest.len(), TokenKind::OpenString);
            };
            if rest[length] == b'\n' {
                return self.take(length, TokenKind::OpenString);
            }
            self.at += length + 1;
            if self.peek(0) != b'"' {
                return TokenKind::String;
            }
            self.at += 1;
        }
    }
}

fn keyword(word: &[u8]) -> TokenKind {
    use TokenKind::*;
    const KEYWORDS: [(&[u8], TokenKind); 14] = [
        (b"if", If),
        (b"in", In),
        (b"or", Or),
        (b"and", And),
        (b"let", Let),
        (b"not", Not),
        (b"else", Else),
        (b"then", Then),
        (b"true", True),
        (b"false", False),
        (b"cached", Cached),
        (b"lambda", Lambda),
        (b"nothing", Nothing),
        (b"uncached", Uncached),
    ];
    let is_candidate = matches!(word.len(), 2..=8)
        && matches!(word[0] | 0x20, b'a' | b'c' | b'e' | b'f' | b'i' | b'l' | b'n' | b'o' | b't' | b'u');
    if !is_candidate {
        return Name;
    }
    let found = KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
    found.map_or(Name, |(_, kind)| *kind)
}

/// The length of the UTF-8 character that starts with this byte.
fn character_bytes(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::TokenKind::*;
    use super::*;

    fn check(source: &str, expected: &[TokenKind]) {
        let found: Vec<TokenKind> = tokens(source).iter().map(|token| token.kind).collect();
        assert_eq!(found, [expected, &[End]].concat(), "{source}");
    }

    #[test]
    fn words_and_keywords() {
        check("if IF If iff", &[If, If, If, Name]);
        check("Lambda(a, b)", &[Lambda, OpenRound, Name, Comma, Name, CloseRound]);
        check("~this @ship !set", &[Object, Class, Effect]);
        check("~ @ !", &[Unknown, Unknown, Unknown]);
        check("Cached Uncached nothing anderson", &[Cached, Uncached, Nothing, Name]);
    }

    #[test]
    fn numbers_and_identifiers() {
        check("3 0.25 1e-3 1E+9 2e 3.x", &[Number, Number, Number, Number, Number, Name, Number, Dot, Name]);
        check("#3 #-1 # #x", &[Identifier, Identifier, Unknown, Unknown, Name]);
        check("a-1", &[Name, Minus, Number]);
    }

    #[test]
    fn strings_keep_backslashes_and_doubled_quotes() {
        check("\"a\\b\"", &[String]);
        check("\"say \"\"hi\"\"\" x", &[String, Name]);
        check("\"open\nnext", &[OpenString, NewLine, Name]);
        check("\"", &[OpenString]);
    }

    #[test]
    fn operators_comments_and_lines() {
        check(
            "a <> b <= c >= d < e > f",
            &[Name, Unequal, Name, LessEqual, Name, GreaterEqual, Name, Less, Name, Greater, Name],
        );
        check("a / b // c / d\r\n", &[Name, Slash, Name, Comment, NewLine]);
        check("§ ü", &[Unknown, Unknown]);
        check("\u{feff}@ship \u{feff}", &[Class, Unknown]);
    }

    #[test]
    fn every_byte_is_in_a_token_or_blank() {
        let source = "!set a [1, \"x\"\"y\"] // ü\n\u{1F600} #-";
        let mut at = 0;
        for token in tokens(source) {
            assert!(source[at..token.span.start as usize].chars().all(|letter| " \t\r".contains(letter)));
            at = token.span.end as usize;
        }
        assert_eq!(at, source.len());
    }
}
