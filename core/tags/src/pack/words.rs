//! The words in the fields of tags that mean something: names of keys, widgets, events.
//!
//! A table says it for the fields of a class. The values that are written out are mentioned, as the arguments of effects are, for
//! the tools that know the whole tree. Loading a tag does not depend on it.

use alloc::string::String;
use alloc::vec::Vec;

use script::ast::{Expression, Items, Names, NodeId, Tree};
use script::compile::unquoted;
use script::meaning::{Meaning, Mention};
use script::source::Span;
use script::template::holes;

/// The most mentions of one tag.
const MENTIONS_MAX: usize = 10_000;

/// What the fields of a class mean, and of the classes derived from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassWords {
    /// The name of the class.
    pub class: &'static str,
    /// Its fields with a meaning.
    pub fields: &'static [FieldMeaning],
}

/// What the strings of a field mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldMeaning {
    /// The names of the fields down to it: `actions.bindings.key`. A name with a star may be there any number of times.
    pub path: &'static str,
    /// What they mean.
    pub meaning: Meaning,
    /// The field of the record around whose string the word belongs to; may be empty.
    pub of: &'static str,
}

impl FieldMeaning {
    /// The meaning of a field.
    pub const fn new(path: &'static str, meaning: Meaning) -> FieldMeaning {
        FieldMeaning { path, meaning, of: "" }
    }

    /// With the field of the record around to whose string the word belongs.
    #[must_use]
    pub const fn of(self, of: &'static str) -> FieldMeaning {
        FieldMeaning { of, ..self }
    }
}

/// The mentions in the fields of a tag, in the order of the text.
pub fn mentions(source: &str, tree: &Tree, fields: &'static [FieldMeaning]) -> Vec<Mention> {
    let mut walk = FieldWalk { source, tree, fields, path: Vec::new(), records: Vec::new(), mentions: Vec::new() };
    if fields.is_empty() {
        return walk.mentions;
    }
    for statement in &tree.statements {
        let (name, value) = match tree.node(*statement).expression {
            Expression::Set(name, value) => (name, value),
            Expression::Update(target, _, value) => (tree.variable_of(target), value),
            _ => continue,
        };
        walk.path.push(name.text(source));
        walk.value(value);
        walk.path.pop();
    }
    if let Some(from) = tree.from_path() {
        // What it inherits is not written here.
        walk.open(from, |_| true);
    }
    walk.mentions
}

struct FieldWalk<'a> {
    source: &'a str,
    tree: &'a Tree,
    fields: &'static [FieldMeaning],
    /// The names of the fields down to the value.
    path: Vec<&'a str>,
    /// The records around the value.
    records: Vec<(Names, Items)>,
    mentions: Vec<Mention>,
}

/// How a path fits a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    No,
    /// It leads to what the pattern means.
    Before,
    Whole,
}

impl FieldWalk<'_> {
    fn value(&mut self, id: NodeId) {
        let node = *self.tree.node(id);
        match node.expression {
            Expression::Group(inner) => return self.value(inner),
            Expression::If(_, then, otherwise) => {
                self.value(then);
                otherwise.into_iter().for_each(|otherwise| self.value(otherwise));
                return;
            }
            Expression::List(items) => {
                self.tree.items(items).iter().for_each(|item| self.value(*item));
                return;
            }
            Expression::Record(names, values) => {
                self.records.push((names, values));
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    self.path.push(name.span.text(self.source));
                    self.value(*value);
                    self.path.pop();
                }
                self.records.pop();
                return;
            }
            _ => {}
        }
        for field in self.fields {
            if fit(field.path, &self.path) == Fit::Whole {
                self.mean(id, field);
            }
        }
        if !matches!(node.expression, Expression::String | Expression::Text(_)) {
            let path = core::mem::take(&mut self.path);
            self.open(node.span, |field| fit(field.path, &path) != Fit::No);
            self.path = path;
        }
    }

    fn mean(&mut self, id: NodeId, field: &FieldMeaning) {
        let node = *self.tree.node(id);
        match (field.meaning, node.expression) {
            (Meaning::Pure, Expression::Body(_)) => self.mention(field.meaning, node.span, String::from("[ … ]"), ""),
            (Meaning::Pure, Expression::Lambda { body, .. }) if self.tree.node(body).has_effect => {
                let span = self.effect_in(self.tree.node(body).span);
                self.mention(field.meaning, span, String::from(span.text(self.source)), "");
            }
            (Meaning::Holes(prefix, word), Expression::String | Expression::Text(_)) => {
                let text = unquoted(node.span.text(self.source));
                for name in holes(&text).filter_map(|hole| text[hole].strip_prefix(prefix)) {
                    self.mention(Meaning::Names(word), node.span, String::from(name), "");
                }
            }
            (Meaning::Pure | Meaning::Holes(..), _) => {}
            (meaning, Expression::String) => {
                let of = self.around(field.of);
                self.mention(meaning, node.span, unquoted(node.span.text(self.source)), &of);
            }
            _ => {}
        }
    }

    /// The first effect in a part of the text.
    fn effect_in(&self, part: Span) -> Span {
        let inside = |span: Span| span.start >= part.start && span.end <= part.end;
        let is_effect = |token: &&script::token::Token| token.kind == script::token::TokenKind::Effect;
        self.tree.tokens.iter().filter(is_effect).map(|token| token.span).find(|span| inside(*span)).unwrap_or(part)
    }

    /// The string of a field of the record around the one that is read.
    fn around(&self, field: &str) -> String {
        let record = self.records.len().checked_sub(2).map(|index| self.records[index]);
        let Some((names, values)) = record.filter(|_| !field.is_empty()) else { return String::new() };
        let mut rows = self.tree.names(names).iter().zip(self.tree.items(values));
        let value =
            rows.find(|(name, _)| name.span.text(self.source) == field).map(|(_, value)| self.tree.node(*value));
        let value = value.filter(|value| value.expression == Expression::String);
        value.map_or(String::new(), |value| unquoted(value.span.text(self.source)))
    }

    /// Says that more words are declared than are written.
    fn open(&mut self, span: Span, is_meant: impl Fn(&FieldMeaning) -> bool) {
        for field in self.fields {
            if matches!(field.meaning, Meaning::Declares(_)) && is_meant(field) {
                self.push(Mention { meaning: field.meaning, span, text: String::new(), of: String::new() });
            }
        }
    }

    fn mention(&mut self, meaning: Meaning, span: Span, text: String, of: &str) {
        if !text.is_empty() {
            self.push(Mention { meaning, span, text, of: String::from(of) });
        }
    }

    fn push(&mut self, mention: Mention) {
        if self.mentions.len() < MENTIONS_MAX {
            self.mentions.push(mention);
        }
    }
}

fn fit(pattern: &str, path: &[&str]) -> Fit {
    let pattern: Vec<&str> = pattern.split('.').collect();
    fit_parts(&pattern, path)
}

fn fit_parts(pattern: &[&str], path: &[&str]) -> Fit {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => Fit::Whole,
        (None, Some(_)) => Fit::No,
        (Some(_), None) => Fit::Before,
        (Some((first, rest)), Some((name, further))) => match first.strip_suffix('*') {
            Some(repeated) if repeated == *name => match fit_parts(pattern, further) {
                Fit::No => fit_parts(rest, path),
                found => found,
            },
            Some(_) => fit_parts(rest, path),
            None if first == name => fit_parts(rest, further),
            None => Fit::No,
        },
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use script::meaning::Word;
    use script::parse::parse;

    const FIELDS: &[FieldMeaning] = &[
        FieldMeaning::new("widgets.children*.name", Meaning::Declares(Word::Widget)),
        FieldMeaning::new("widgets.children*.reference", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.bind.value", Meaning::Pure),
        FieldMeaning::new("widgets.children*.text", Meaning::Holes("key_", Word::Action)),
        FieldMeaning::new("events.fields.name", Meaning::Names(Word::EventField)).of("sends"),
    ];

    fn check(text: &str, expected: &[&str]) {
        let found = mentions(text, &parse(text), FIELDS).into_iter();
        let found: Vec<String> = found.map(|it| format!("{:?} {} {}", it.meaning, it.text, it.of)).collect();
        let found: Vec<&str> = found.iter().map(|one| one.trim()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_found_at_any_depth_and_belong_to_the_record_around() {
        check(
            "!set widgets [{ name \"a\", children [{ name \"b\", children [{ reference \"a\" }] }] }]",
            &["Declares(Widget) a", "Declares(Widget) b", "Names(Widget) a"],
        );
        check("!set events [{ sends \"fire\", fields [{ name \"power\" }] }]", &["Names(EventField) power fire"]);
        check("!set widgets [{ text \"{key_fire} {hull}\" }]", &["Names(Action) fire"]);
        check("!set others [{ name \"a\" }]\n!set widgets { bind { name \"a\" } }", &[]);
    }

    #[test]
    fn computed_values_leave_the_words_open() {
        check("!set widgets made()", &["Declares(Widget)"]);
        check("!set widgets [{ name joined }]", &["Declares(Widget)"]);
        check("@interface\n!from \"a.interface\"\n!set layer 1", &["Declares(Widget)"]);
    }

    #[test]
    fn an_effect_in_a_value_without_effects_is_mentioned() {
        check("!set widgets [{ bind { value Lambda(!Send(a, \"b\")) } }]", &["Pure !Send"]);
        check("!set widgets [{ bind { value [ !Log(1) ] } }]", &["Pure [ … ]"]);
        check("!set widgets [{ bind { value Lambda(player.hull) } }]", &[]);
    }
}
