//! An EBNF parser for the book's grammar, and random sentences of it.

use std::collections::BTreeMap;

/// The rules by name, and whether each is lexical: those have no blanks between their items.
pub type Grammar = BTreeMap<String, (Item, bool)>;

/// A part of a rule.
#[derive(Clone, Debug)]
pub enum Item {
    /// A literal.
    Terminal(String),
    /// A reference to a rule; closed if its sentence may not end in a `let`, an `if` or a `!set`.
    Rule(String, bool),
    /// No blank before the next item.
    Adjacent,
    All(Vec<Item>),
    Either(Vec<Item>),
    Maybe(Box<Item>),
    Many(Box<Item>),
}

/// The rules in the blocks of a chapter; the last block is lexical.
pub fn read(chapter: &str) -> Grammar {
    let blocks: Vec<&str> = chapter.split("```ebnf\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let mut grammar = Grammar::new();
    for (number, block) in blocks.iter().enumerate() {
        let tokens = cut(block);
        for rule in tokens.split(|token| token == ";").filter(|rule| !rule.is_empty()) {
            assert_eq!(rule[1], "=", "{rule:?}");
            let mut rest = &rule[2..];
            let item = either(&mut rest);
            assert!(rest.is_empty(), "{rule:?}");
            let is_new = grammar.insert(rule[0].clone(), (item, number + 1 == blocks.len())).is_none();
            assert!(is_new, "{} is there twice", rule[0]);
        }
    }
    grammar
}

/// A sentence of a rule, chosen by the draws. When they are used up, it ends as soon as possible.
pub fn draw(grammar: &Grammar, rule: &str, draws: &[u8]) -> String {
    let mut drawing = Drawing { grammar, draws: draws.iter(), text: String::new(), names: 0, is_adjacent: false };
    drawing.rule(rule, false, 0);
    drawing.text
}

fn cut(block: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = block.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => rest[1..].find(first).expect("a quote ends") + 2,
            letter if letter.is_alphabetic() => {
                rest.find(|letter: char| !letter.is_alphabetic() && letter != '°').unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        tokens.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    tokens
}

fn either(rest: &mut &[String]) -> Item {
    let mut choices = vec![all(rest)];
    while rest.first().is_some_and(|token| token == "|") {
        *rest = &rest[1..];
        choices.push(all(rest));
    }
    if choices.len() == 1 { choices.remove(0) } else { Item::Either(choices) }
}

fn all(rest: &mut &[String]) -> Item {
    let mut items = Vec::new();
    while let Some(token) = rest.first().filter(|token| !["|", ")", "]", "}"].contains(&token.as_str())) {
        *rest = &rest[1..];
        let quoted = token.strip_prefix(['"', '\'']).map(|inner| inner[..inner.len() - 1].to_string());
        items.push(match (token.as_str(), quoted) {
            (_, Some(quoted)) => Item::Terminal(quoted),
            ("^", _) => Item::Adjacent,
            ("(", _) => enclosed(rest, ")"),
            ("[", _) => Item::Maybe(Box::new(enclosed(rest, "]"))),
            ("{", _) => Item::Many(Box::new(enclosed(rest, "}"))),
            (name, _) => Item::Rule(name.trim_end_matches('°').to_string(), name.ends_with('°')),
        });
    }
    Item::All(items)
}

fn enclosed(rest: &mut &[String], close: &str) -> Item {
    let item = either(rest);
    assert_eq!(rest.first().map(String::as_str), Some(close));
    *rest = &rest[1..];
    item
}

struct Drawing<'a> {
    grammar: &'a Grammar,
    draws: std::slice::Iter<'a, u8>,
    text: String,
    names: u32,
    is_adjacent: bool,
}

impl Drawing<'_> {
    fn rule(&mut self, name: &str, is_closed: bool, depth: u32) {
        match name {
            "LINE" => return self.text.push('\n'),
            "letter" => return self.pick(&["x", "Y", "_"]),
            "digit" => return self.pick(&["0", "7", "9"]),
            "character" => return self.pick(&["a", "é", " ", "\\", "/"]),
            // Unique, so that no record has duplicate fields.
            "name" => {
                self.names += 1;
                return self.write(&format!("n{}", self.names));
            }
            _ => {}
        }
        let (item, is_word) = self.grammar.get(name).unwrap_or_else(|| panic!("there is no rule {name}"));
        if *is_word {
            self.write("");
        }
        self.item(item, is_closed, *is_word, depth + 1);
    }

    fn item(&mut self, item: &Item, is_closed: bool, is_word: bool, depth: u32) {
        match item {
            Item::Terminal(text) if is_word => self.text.push_str(text),
            Item::Terminal(text) => self.write(text),
            Item::Rule(name, closed) => self.rule(name, is_closed || *closed, depth),
            Item::Adjacent => self.is_adjacent = true,
            Item::All(items) => {
                for (index, part) in items.iter().enumerate() {
                    self.item(part, is_closed && index + 1 == items.len(), is_word, depth);
                }
            }
            Item::Either(choices) => {
                let is_open = |choice: &&Item| match choice {
                    Item::All(items) => {
                        matches!(&items[..], [Item::Rule(name, _)] if ["let", "if", "set"].contains(&name.as_str()))
                    }
                    _ => false,
                };
                let choices: Vec<&Item> = choices.iter().filter(|choice| !is_closed || !is_open(choice)).collect();
                let which = self.draw(depth) as usize % choices.len();
                self.item(choices[which], is_closed, is_word, depth);
            }
            Item::Maybe(inner) => {
                if self.draw(depth) % 2 == 1 {
                    self.item(inner, is_closed, is_word, depth);
                }
            }
            Item::Many(inner) => {
                let count = if is_word { self.draw(depth) % 2 } else { self.draw(depth).saturating_sub(100) % 3 };
                for _ in 0..count {
                    self.item(inner, is_closed, is_word, depth);
                }
            }
        }
    }

    /// The next draw; 0, the simplest, if there is none left or the nesting is too deep.
    fn draw(&mut self, depth: u32) -> u8 {
        self.draws.next().copied().filter(|_| depth < 60).unwrap_or(0)
    }

    fn pick(&mut self, choices: &[&str]) {
        let which = self.draw(0) as usize % choices.len();
        self.text.push_str(choices[which]);
    }

    /// A token, with a blank before it.
    fn write(&mut self, token: &str) {
        let is_first = self.text.is_empty() || self.text.ends_with('\n');
        if !self.is_adjacent && !is_first {
            self.text.push(' ');
        }
        self.is_adjacent = false;
        self.text.push_str(token);
    }
}
