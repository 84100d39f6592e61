//! Generators of classes and texts.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part of it, and a failing test shows the line")]

#[path = "../../../../core/tags/tests/dice/mod.rs"]
mod dice;

pub use dice::Dice;
use forge::document::Document;
use forge::field_path::FieldPath;
use forge::field_path::PathStep;
use proptest::prelude::*;
use tags::class::{Class, Field, Kind, Named, Number, Record};

/// A class with everything that matters: keyed series within keyed series, series without keys, records.
pub fn ship() -> Class {
    let number = || Kind::Number(Number::F32);
    let series = |kind: Kind| Kind::Series(Box::new(kind));
    let mut class = Class::new("ship");
    class.records[0].fields = vec![
        Field::new("title", Kind::Text),
        Field::new("mass", number()),
        Field::new("hull", Kind::Record(1)),
        Field::new("spare", Kind::Optional(Box::new(Kind::Record(1)))),
        Field::new("weapons", series(Kind::Record(2))),
        Field::new("shapes", series(Kind::Record(4))),
        Field::new("speeds", series(number())),
        Field::new("grid", series(series(number()))),
    ];
    let names = vec![Named::new("small"), Named::new("large")];
    let record = |name: &str, fields: Vec<Field>, key| Record { name: name.into(), fields, key, ..Record::default() };
    class.records.push(record(
        "hull",
        vec![Field::new("plates", number()), Field::new("kind", Kind::Choice(names))],
        None,
    ));
    let weapon = vec![
        Field::new("name", Kind::StringId),
        Field::new("count", number()),
        Field::new("weapon", Kind::Reference("weapon".into())),
        Field::new("mounts", series(Kind::Record(3))),
    ];
    class.records.push(record("weapon", weapon, Some(0)));
    class.records.push(record("mount", vec![Field::new("id", number()), Field::new("at", Kind::Vector(3))], Some(0)));
    class.records.push(record("shape", vec![Field::new("width", number()), Field::new("height", number())], None));
    class.finish().unwrap()
}

/// A ship class with randomly keyed series, which lacks some fields of the texts.
pub fn some_ship(seed: u64) -> Class {
    let mut class = ship();
    let mut dice = Dice(seed ^ 0x5eed);
    for record in &mut class.records[2..4] {
        record.key = record.key.filter(|_| dice.roll(3) > 0);
    }
    for record in [0, 2] {
        if dice.roll(3) == 0 {
            let fields = &mut class.records[record].fields;
            let at = 1 + dice.roll(fields.len() - 1);
            fields.remove(at);
        }
    }
    class
}

/// A text of a ship in unusual formatting.
pub fn text(seed: u64) -> String {
    write(seed, false)
}

/// The same with unique values.
pub fn unique_text(seed: u64) -> String {
    write(seed, true)
}

fn write(seed: u64, is_unique: bool) -> String {
    let mut writer = Writer { dice: Dice(seed), out: String::new(), line: "\n", words: 0, is_unique };
    if writer.dice.roll(4) == 0 {
        writer.line = "\r\n";
    }
    writer.file();
    writer.out
}

struct Writer {
    dice: Dice,
    out: String,
    line: &'static str,
    words: usize,
    is_unique: bool,
}

impl Writer {
    fn file(&mut self) {
        if self.dice.roll(5) > 0 {
            self.out.push_str("@ship");
            self.maybe_comment();
            self.out.push_str(self.line);
        }
        let mut names = vec!["title", "mass", "hull", "weapons", "shapes", "speeds", "grid", "odd", "strange"];
        for _ in 0..self.dice.roll(7) + 1 {
            let at = self.dice.roll(names.len());
            let name = names.remove(at);
            self.comments_above("");
            let blank = self.dice.pick(&[" ", "  ", "\t", " \t"]);
            self.out.push_str(&format!("!set{blank}{name}{blank}"));
            self.field(name);
            self.maybe_comment();
            self.out.push_str(self.line);
        }
        if self.dice.roll(3) == 0 {
            self.comments_above("");
        }
        if self.dice.roll(5) == 0 {
            self.out.truncate(self.out.trim_end().len());
        }
    }

    fn field(&mut self, name: &str) {
        match name {
            "hull" => self.row("{}", &["plates", "kind", "odd"], 1),
            "weapons" => self.row("[]", &["weapon"], 1),
            "shapes" => self.row("[]", &["shape"], 1),
            "weapon" => self.row("{}", &["name", "count", "mounts", "unknown"], 2),
            "mounts" => self.row("[]", &["mount"], 3),
            "mount" => self.row("{}", &["id", "at"], 3),
            "shape" => self.row("{}", &["width", "height"], 2),
            "speeds" => self.row("[]", &["number"], 1),
            "grid" => self.row("[]", &["speeds"], 1),
            "name" | "id" => {
                self.words += 1;
                let words = self.words;
                let text = if name == "id" { (20_000 + words).to_string() } else { format!("\"n{words}\"") };
                self.out.push_str(&text);
            }
            "odd" => self.row("[]", &["hull", "number"], 2),
            _ if self.is_unique => {
                self.words += 1;
                let value = format!("{}", 10_000 + self.words);
                self.out.push_str(&value);
            }
            _ => {
                let value =
                    self.dice.pick(&["1", "-2.5", "\"a // b\"", "3 * 4", "(7)", "vec(1, 2, 3)", "\"x\"\"y\"", "true"]);
                self.out.push_str(value);
            }
        }
    }

    fn row(&mut self, brackets: &str, of: &[&str], depth: usize) {
        let is_record = brackets == "{}";
        let has_lines = self.dice.roll(2) == 0;
        let indent = "  ".repeat(depth);
        self.out.push_str(&brackets[..1]);
        if has_lines {
            self.maybe_comment();
        }
        let count = if is_record { of.len() } else { self.dice.roll(4) };
        let mut is_first = true;
        for number in 0..count {
            let what = of[if is_record { number } else { self.dice.roll(of.len()) }];
            if is_record && what != "name" && what != "id" && self.dice.roll(4) == 0 {
                continue;
            }
            if !is_first {
                self.out.push(',');
                if has_lines {
                    self.maybe_comment();
                }
            }
            is_first = false;
            if has_lines {
                self.out.push_str(self.line);
                self.comments_above(&indent);
                self.out.push_str(&indent);
            } else {
                let blank = self.dice.pick(&["", " ", " "]);
                self.out.push_str(blank);
            }
            if is_record {
                self.out.push_str(what);
                self.out.push(' ');
            }
            self.field(what);
        }
        if !is_first && self.dice.roll(4) == 0 {
            self.out.push(',');
        }
        if has_lines {
            self.maybe_comment();
            self.out.push_str(self.line);
            if self.dice.roll(5) == 0 {
                self.comments_above(&indent);
            }
        }
        self.out.push_str(&brackets[1..]);
    }

    fn comments_above(&mut self, indent: &str) {
        for _ in 0..self.dice.roll(7).saturating_sub(4) {
            if self.dice.roll(3) == 0 {
                self.out.push_str(self.line);
            } else {
                self.comment(indent);
                self.out.push_str(self.line);
            }
        }
    }

    fn maybe_comment(&mut self) {
        if self.dice.roll(4) == 0 {
            self.comment(" ");
        }
        let blank = self.dice.pick(&["", "", "", "  "]);
        self.out.push_str(blank);
    }

    fn comment(&mut self, before: &str) {
        self.words += 1;
        let words = self.words;
        let mark = self.dice.pick(&["// c", "//? n", "//"]);
        self.out.push_str(&format!("{before}{mark}{words}"));
    }
}

/// All places of a text, also within unknown fields.
pub fn places(source: &str, class: &Class) -> Vec<FieldPath> {
    let document = Document::new(source, class);
    let mut open = Vec::new();
    for name in ["title", "mass", "hull", "weapons", "shapes", "speeds", "grid", "odd", "strange"] {
        open.push(FieldPath::root().field(name));
    }
    let mut found = Vec::new();
    while let Some(place) = open.pop() {
        let Ok(value) = document.get(&place) else { continue };
        if value.text.starts_with('{') {
            for name in ["plates", "kind", "odd", "name", "count", "mounts", "unknown", "id", "at", "width", "height"] {
                open.push(place.field(name));
            }
        } else if value.text.starts_with('[') {
            open.extend((0..4).map(|index| place.then(PathStep::Index(index))));
        }
        found.push(place);
    }
    found.reverse();
    found
}

/// Words of the language in random order.
pub fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "@ship", "!set", "mass", "weapons", "hull", "speeds", "[", "]", "{", "}", "(", ")", ",", "1", "\"a\"", "\"",
        "\n", "\r\n", "// c", "//? n", "//", "name", "plates", "+", "if", "then", "let", "=", "in", "Lambda", "#1",
        "~this", "\n!set ", " ",
    ];
    prop::collection::vec(prop::sample::select(words), 0..40).prop_map(|words| words.join(" "))
}
