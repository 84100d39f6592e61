//! Rust sources without comments, the content of literals, and tests.
//!
//! Not a parser: it finds the ends of comments, strings, characters and test items, and blanks them. Line numbers stay the
//! same.

/// The text with comments and the content of strings and characters blanked.
pub fn code(text: &str) -> String {
    let mut blanker = Blanker { chars: text.chars().collect(), at: 0, out: String::with_capacity(text.len()) };
    blanker.run();
    blanker.out
}

/// The code with everything for tests blanked: items and statements under `#[cfg(test)]`, or the whole file if that
/// attribute is at its top. Takes the result of [`code`].
pub fn outside_tests(code: &str) -> String {
    if code.contains("#![cfg(test)]") {
        return blank(code);
    }
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = next_test_attribute(rest) {
        let (before, from) = rest.split_at(start);
        let (item, after) = from.split_at(item_len(from));
        out.push_str(before);
        out.push_str(&blank(item));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a file with this path is compiled for tests, examples or benchmarks only.
pub fn is_for_tests(path: &str) -> bool {
    ["/tests/", "/benches/", "/examples/"].iter().any(|folder| path.contains(folder)) || path.ends_with("/tests.rs")
}

/// A word of code and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'code> {
    /// The line, from one.
    pub line: usize,
    /// The offset of its first byte in the code.
    pub start: usize,
    /// The word: letters, digits and underscores.
    pub text: &'code str,
}

/// All words of some code, in order. Numbers are words too.
pub fn words(code: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut line = 1;
    let mut start = None;
    for (at, char) in code.char_indices().chain([(code.len(), ' ')]) {
        match (is_of_word(char), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                let text = &code[first..at];
                words.push(Word { line, start: first, text });
                start = None;
            }
            _ => {}
        }
        line += usize::from(char == '\n');
    }
    words
}

/// The text after a word, without the blanks between.
pub fn after<'code>(code: &'code str, word: &Word<'_>) -> &'code str {
    code[word.start + word.text.len()..].trim_start()
}

/// Whether a character can be part of a word.
pub fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn blank(text: &str) -> String {
    text.chars().map(|char| if char == '\n' { '\n' } else { ' ' }).collect()
}

fn next_test_attribute(code: &str) -> Option<usize> {
    let starts = ["#[cfg(test)]", "#[cfg(all(test,"];
    starts.iter().filter_map(|start| code.find(start)).min()
}

/// The length of the attributes at the start of `code` and of their item.
fn item_len(code: &str) -> usize {
    let mut start = 0;
    while code[start..].trim_start().starts_with("#[") {
        start += closing_bracket(&code[start..]);
    }
    let first_word = words(&code[start..]).first().map_or("", |word| word.text);
    let is_field = !ITEM_STARTS.contains(&first_word);
    let mut depth = 0_i32;
    for (at, char) in code[start..].char_indices() {
        let end = start + at + char.len_utf8();
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth -= 1,
            '}' if depth <= 1 => return if depth == 1 { end } else { start + at },
            '}' => depth -= 1,
            ';' if depth == 0 => return end,
            ',' if depth == 0 && is_field => return end,
            _ => {}
        }
    }
    code.len()
}

/// The words that an item can start with. Anything else under an attribute is a field, a variant or a statement.
const ITEM_STARTS: [&str; 14] = [
    "pub", "fn", "mod", "use", "impl", "struct", "enum", "trait", "const", "static", "type", "unsafe", "extern",
    "async",
];

fn closing_bracket(code: &str) -> usize {
    let mut depth = 0_i32;
    for (at, char) in code.char_indices() {
        depth += i32::from(char == '[') - i32::from(char == ']');
        if char == ']' && depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

struct Blanker {
    chars: Vec<char>,
    at: usize,
    out: String,
}

impl Blanker {
    fn run(&mut self) {
        while let Some(char) = self.peek(0) {
            match (char, self.peek(1)) {
                ('/', Some('/')) => self.blank_until(|own| own.peek(0) == Some('\n')),
                ('/', Some('*')) => self.blank_block_comment(),
                ('"', _) => self.blank_string(),
                ('r', Some('"' | '#')) if !self.is_inside_word() && self.raw_hashes().is_some() => self.blank_raw(),
                ('\'', Some('\\')) => {
                    self.keep();
                    self.blank_many(2);
                    self.blank_until(|own| own.peek(0) == Some('\''));
                    self.keep();
                }
                ('\'', Some(_)) if self.peek(2) == Some('\'') => {
                    self.keep();
                    self.blank_many(1);
                    self.keep();
                }
                _ => self.keep(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        self.out.extend(self.peek(0));
        self.at += 1;
    }

    fn blank_many(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(char) = self.peek(0) {
                self.out.push(if char == '\n' { '\n' } else { ' ' });
                self.at += 1;
            }
        }
    }

    fn blank_until(&mut self, is_end: impl Fn(&Self) -> bool) {
        while self.at < self.chars.len() && !is_end(self) {
            self.blank_many(1);
        }
    }

    fn blank_block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.blank_many(1);
                    continue;
                }
            }
            self.blank_many(2);
            if depth == 0 {
                return;
            }
        }
    }

    fn blank_string(&mut self) {
        self.keep();
        while let Some(char) = self.peek(0).filter(|char| *char != '"') {
            self.blank_many(if char == '\\' { 2 } else { 1 });
        }
        self.keep();
    }

    fn blank_raw(&mut self) {
        let hashes = self.raw_hashes().unwrap_or(0);
        for _ in 0..hashes + 2 {
            self.keep();
        }
        self.blank_until(|own| own.peek(0) == Some('"') && (1..=hashes).all(|ahead| own.peek(ahead) == Some('#')));
        for _ in 0..=hashes {
            self.keep();
        }
    }

    /// The number of hashes of a raw string that starts with the `r` here; none if none starts.
    fn raw_hashes(&self) -> Option<usize> {
        let mut hashes = 0;
        while self.peek(1 + hashes) == Some('#') {
            hashes += 1;
        }
        (self.peek(1 + hashes) == Some('"')).then_some(hashes)
    }

    /// Whether the word of the current character began earlier; the prefixes of `br"` and `cr"` do not count.
    fn is_inside_word(&self) -> bool {
        let before = |steps: usize| self.at.checked_sub(steps).and_then(|at| self.chars.get(at)).copied();
        match before(1) {
            Some('b' | 'c') => before(2).is_some_and(is_of_word),
            other => other.is_some_and(is_of_word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = code(text);
        assert_eq!(found, expected);
        assert_eq!(found.lines().count(), text.lines().count());
    }

    #[test]
    fn comments_are_blanked() {
        check("a // unsafe\nb", "a          \nb");
        check("a /* x /* y */ z */ b", "a                   b");
        check("//! page\nfn", "        \nfn");
    }

    #[test]
    fn strings_are_blanked() {
        check(r#"a("x \" y", b"z")"#, r#"a("      ", b" ")"#);
        check("r\"\\\" + r#\"a\"b\"# + br\"c\"", "r\" \" + r#\"   \"# + br\" \"");
        check("r#type \"x", "r#type \" ");
    }

    #[test]
    fn characters_are_blanked_and_lifetimes_are_not() {
        check(r"'a' '\'' '\u{1F600}' 'ä'", r"' ' '  ' '         ' ' '");
        check("&'a str, 'static", "&'a str, 'static");
        check(r#"'"' fn"#, r#"' ' fn"#);
    }

    fn check_outside(text: &str, expected: &[&str]) {
        let found = outside_tests(&code(text));
        let found: Vec<&str> = words(&found).iter().map(|word| word.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn test_items_are_blanked() {
        check_outside("a; #[cfg(test)] mod tests { fn x() { y } } b", &["a", "b"]);
        check_outside("#[cfg(test)] extern crate std; b", &["b"]);
        check_outside("#[cfg(test)]\n#[path = \"x\"]\nmod tests; b", &["b"]);
        check_outside("#[cfg(all(test, not(miri)))] fn f<A, B>(a: [u8; 3]) { c } b", &["b"]);
        check_outside("struct S { #[cfg(test)] a: u8, b: u8 }", &["struct", "S", "b", "u8"]);
        check_outside("struct S { b: u8, #[cfg(test)] a: u8 } c", &["struct", "S", "b", "u8", "c"]);
        check_outside("#![cfg(test)] fn f() {}", &[]);
        check_outside("#[cfg(not(test))] fn f() {}", &["cfg", "not", "test", "fn", "f"]);
    }

    #[test]
    fn words_know_their_lines() {
        let code = "a b_1\n  c!";
        let found = words(code);
        let lines: Vec<(usize, &str)> = found.iter().map(|word| (word.line, word.text)).collect();
        assert_eq!(lines, [(1, "a"), (1, "b_1"), (2, "c")]);
        assert_eq!(after(code, &found[2]), "!");
    }
}
