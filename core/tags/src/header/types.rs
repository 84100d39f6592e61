//! The syntax of types in headers.
//!
//! Law: [`TypeReader`] reads what [`text`] writes as the same kind, given the same names and records.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::report::closest;
use script::types::{take_mark, take_word};

use crate::class::{Class, Kind, Number};
use crate::expression::{canonical_signature, is_name};

/// The deepest nesting of a type, brackets included.
const DEPTH_MAX: u32 = 24;

/// The most lists and optionals around a value, as in [`Class::finish`].
const AROUND_MAX: u32 = 8;

/// A type before its names and records are resolved.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenType {
    /// A complete kind.
    Kind(Kind),
    /// One of the attribute's names.
    Choice,
    /// Some of the attribute's names.
    Flags,
    /// A record of the header, by name or number; empty for the attribute's fields.
    Record(String),
    /// An inline record of these fields.
    Fields(Vec<(String, WrittenType)>),
    /// A series.
    Series(Box<WrittenType>),
    /// An optional value.
    Optional(Box<WrittenType>),
}

/// Why a text is not a type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeError {
    pub message: String,
    pub help: String,
}

/// Reads a type.
pub fn read(text: &str) -> Result<WrittenType, TypeError> {
    let mut reader = TypeReader { rest: text.trim() };
    let found = reader.whole(0)?;
    if around(&found) > AROUND_MAX {
        return Err(TypeReader { rest: text }.unread("a simpler type"));
    }
    if reader.rest.is_empty() { Ok(found) } else { Err(reader.unread("the end of the type")) }
}

fn around(written: &WrittenType) -> u32 {
    match written {
        WrittenType::Series(of) | WrittenType::Optional(of) => 1 + around(of),
        WrittenType::Fields(fields) => fields.iter().map(|(_, of)| around(of)).max().unwrap_or(0),
        _ => 0,
    }
}

/// The names of a class's records in types.
pub struct RecordNames<'a> {
    /// Each record's name, if it is unique.
    names: Vec<Option<&'a str>>,
}

impl<'a> RecordNames<'a> {
    /// The names for a class.
    pub fn of(class: &'a Class) -> RecordNames<'a> {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for record in class.records.iter().skip(1) {
            *counts.entry(&record.name).or_default() += 1;
        }
        let is_clear = |name: &&str| is_name(name) && counts.get(name) == Some(&1);
        RecordNames { names: class.records.iter().map(|record| Some(&*record.name).filter(is_clear)).collect() }
    }

    fn text(&self, number: u32) -> String {
        match self.names.get(number as usize).copied().flatten() {
            Some(name) => format!("record {name}"),
            None => format!("record {number}"),
        }
    }
}

/// Writes a type.
pub fn text(records: &RecordNames<'_>, kind: &Kind) -> String {
    let word = match kind {
        Kind::Number(number) => number.name(),
        Kind::Truth => "truth",
        Kind::Identifier => "identifier",
        Kind::StringId => "string id",
        Kind::Text => "text",
        Kind::Vector(count) => return format!("vec{count}"),
        Kind::Angle => "angle",
        Kind::Colour => "colour",
        Kind::Choice(_) => "choice",
        Kind::Flags(_) => "flags",
        Kind::Reference(class) if class.is_empty() => "tag",
        Kind::Reference(class) => return format!("@{class}"),
        Kind::Bulk => "bulk",
        Kind::Own(true) => "handle",
        Kind::Own(false) => "any",
        Kind::Lambda(signature) if signature.is_empty() => "lambda",
        Kind::Lambda(signature) => signature,
        Kind::Formula => "formula",
        Kind::Record(number) => return records.text(*number),
        Kind::Series(of) if matches!(**of, Kind::Optional(_)) => return format!("list of ({})", text(records, of)),
        Kind::Series(of) => return format!("list of {}", text(records, of)),
        Kind::Optional(of) => return format!("{} or nothing", text(records, of)),
    };
    word.to_string()
}

static WORDS: [(&str, Kind); 14] = [
    ("truth", Kind::Truth),
    ("identifier", Kind::Identifier),
    ("text", Kind::Text),
    ("angle", Kind::Angle),
    ("colour", Kind::Colour),
    ("bulk", Kind::Bulk),
    ("formula", Kind::Formula),
    ("number", Kind::Number(Number::F64)),
    ("vector", Kind::Vector(3)),
    ("vec2", Kind::Vector(2)),
    ("vec3", Kind::Vector(3)),
    ("vec4", Kind::Vector(4)),
    ("tag", Kind::Reference(String::new())),
    ("lambda", Kind::Lambda(String::new())),
];

struct TypeReader<'a> {
    rest: &'a str,
}

impl<'a> TypeReader<'a> {
    fn whole(&mut self, depth: u32) -> Result<WrittenType, TypeError> {
        let mut found = self.unit(depth)?;
        let mut depth = depth;
        while self.take_word("or") {
            if !self.take_word("nothing") {
                return Err(self.unread("`nothing`"));
            }
            depth += 1;
            self.check_depth(depth)?;
            found = WrittenType::Optional(Box::new(found));
        }
        Ok(found)
    }

    fn unit(&mut self, depth: u32) -> Result<WrittenType, TypeError> {
        self.check_depth(depth)?;
        if self.take("(") {
            let found = self.whole(depth + 1)?;
            return if self.take(")") { Ok(found) } else { Err(self.unread("`)`")) };
        }
        if self.take("{") {
            return self.fields(depth);
        }
        if self.take("@") {
            let class = self.word();
            let is_right = is_name(class);
            let kind = WrittenType::Kind(Kind::Reference(class.to_string()));
            return if is_right { Ok(kind) } else { Err(self.unread("the name of a class")) };
        }
        if let Some(signature) = self.signature()? {
            return Ok(WrittenType::Kind(Kind::Lambda(signature)));
        }
        let before = self.rest;
        let word = self.word();
        match word {
            "string" if self.take_word("id") => Ok(WrittenType::Kind(Kind::StringId)),
            "string" => Ok(WrittenType::Kind(Kind::Text)),
            "choice" => Ok(WrittenType::Choice),
            "flags" => Ok(WrittenType::Flags),
            "list" if self.take_word("of") => Ok(WrittenType::Series(Box::new(self.unit(depth + 1)?))),
            "list" => Err(self.unfit(before, "name the type of its elements: `list of number`")),
            "record" => {
                let is_next = self.rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
                let is_named = is_next && !self.peeks_word("or");
                Ok(WrittenType::Record(if is_named { self.word().to_string() } else { String::new() }))
            }
            "any" => Ok(WrittenType::Kind(Kind::Own(false))),
            "handle" => Ok(WrittenType::Kind(Kind::Own(true))),
            "nothing" => Err(self.unfit(before, "name the type of its value: `number or nothing`")),
            _ => {
                let number = Number::ALL.into_iter().find(|number| number.name() == word);
                let known = WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| kind.clone());
                let found = number.map(Kind::Number).or(known).map(WrittenType::Kind);
                found.ok_or_else(|| self.unknown(before, word))
            }
        }
    }

    fn fields(&mut self, depth: u32) -> Result<WrittenType, TypeError> {
        let mut fields = Vec::new();
        while !self.take("}") {
            let name = self.word().to_string();
            if !is_name(&name) {
                return Err(self.unread("the name of a field"));
            }
            fields.push((name, self.whole(depth + 1)?));
            if !self.take(",") {
                if self.take("}") {
                    break;
                }
                return Err(self.unread("`}`"));
            }
        }
        Ok(WrittenType::Fields(fields))
    }

    /// `Lambda(…)`, perhaps with a `!` before it.
    fn signature(&mut self) -> Result<Option<String>, TypeError> {
        let start = self.rest.strip_prefix('!').unwrap_or(self.rest).trim_start();
        let is_lambda = start.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("lambda"));
        let Some(inside) = start.get(6..).filter(|_| is_lambda).and_then(|rest| rest.trim_start().strip_prefix('('))
        else {
            return Ok(None);
        };
        let mut open = 1_u32;
        for (index, byte) in inside.bytes().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                let length = self.rest.len() - inside.len() + index + 1;
                let (signature, rest) = self.rest.split_at(length);
                self.rest = rest.trim_start();
                return canonical_signature(signature)
                    .map(Some)
                    .map_err(|message| TypeError { message, help: String::new() });
            }
        }
        Err(TypeError { message: "expected `)`, found its end".to_string(), help: String::new() })
    }

    fn check_depth(&self, depth: u32) -> Result<(), TypeError> {
        if depth <= DEPTH_MAX { Ok(()) } else { Err(self.unread("a simpler type")) }
    }

    fn word(&mut self) -> &'a str {
        take_word(&mut self.rest)
    }

    fn take(&mut self, mark: &str) -> bool {
        take_mark(&mut self.rest, mark)
    }

    fn peeks_word(&self, word: &str) -> bool {
        TypeReader { rest: self.rest }.word() == word
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.peeks_word(word);
        if is_there {
            self.word();
        }
        is_there
    }

    fn unread(&self, wanted: &str) -> TypeError {
        let found: String = self.rest.chars().take(24).collect();
        let found = if found.is_empty() { "its end".to_string() } else { format!("`{found}`") };
        TypeError { message: format!("expected {wanted}, found {found}"), help: String::new() }
    }

    fn unfit(&self, found: &str, help: &str) -> TypeError {
        let reader = TypeReader { rest: found };
        TypeError { help: help.to_string(), ..reader.unread("the type of a field") }
    }

    fn unknown(&self, found: &str, word: &str) -> TypeError {
        let more = ["string", "string id", "choice", "flags", "list of", "record", "Lambda"];
        let numbers = Number::ALL.iter().map(|number| number.name());
        let all = WORDS.iter().map(|(word, _)| *word).chain(more).chain(numbers);
        let listed =
            "a type is a word such as `number`, `truth`, `text`, `vector`, `i32` or `f32`, `list of …`, or `@class`";
        let help = closest(word, all).map_or(String::from(listed), |found| format!("did you mean `{found}`?"));
        TypeError { help, ..TypeReader { rest: found }.unread("a type") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_written_as_they_were_read() {
        let class = Class::new("thing");
        let records = RecordNames::of(&class);
        for written in [
            "f32",
            "u8",
            "i64",
            "truth",
            "identifier",
            "string id",
            "text",
            "vec2",
            "vec4",
            "angle",
            "colour",
            "@weapon",
            "tag",
            "bulk",
            "lambda",
            "formula",
            "Lambda(number, list of string)",
            "!Lambda(Lambda(number), nothing)",
            "list of list of truth",
            "list of (f64 or nothing)",
            "list of f64 or nothing",
            "f64 or nothing or nothing",
        ] {
            assert_eq!(text(&records, &kind(read(written).unwrap())), written);
        }
    }

    fn kind(written: WrittenType) -> Kind {
        match written {
            WrittenType::Kind(kind) => kind,
            WrittenType::Series(of) => Kind::Series(Box::new(kind(*of))),
            WrittenType::Optional(of) => Kind::Optional(Box::new(kind(*of))),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn types_of_scripts_are_read() {
        for (written, expected) in [
            ("number", "f64"),
            ("string", "text"),
            ("vector", "vec3"),
            ("list  of(  number )", "list of f64"),
            ("lambda( number )", "Lambda(number)"),
        ] {
            assert_eq!(text(&RecordNames::of(&Class::new("thing")), &kind(read(written).unwrap())), expected);
        }
        let fields = "{ marker string, more { a number or nothing } }";
        let WrittenType::Fields(fields) = read(fields).unwrap() else { panic!() };
        assert_eq!(fields[0], ("marker".to_string(), WrittenType::Kind(Kind::Text)));
        assert_eq!(read("record part"), Ok(WrittenType::Record("part".to_string())));
        assert_eq!(read("record or nothing"), Ok(WrittenType::Optional(Box::new(WrittenType::Record(String::new())))));
    }

    #[test]
    fn an_invalid_type_is_reported_with_help() {
        for (written, message, help) in [
            ("nubmer", "expected a type, found `nubmer`", "did you mean `number`?"),
            ("color", "expected a type, found `color`", "did you mean `colour`?"),
            (
                "",
                "expected a type, found its end",
                "a type is a word such as `number`, `truth`, `text`, `vector`, `i32` or `f32`, `list of …`, or `@class`",
            ),
            (
                "nothing",
                "expected the type of a field, found `nothing`",
                "name the type of its value: `number or nothing`",
            ),
            ("list", "expected the type of a field, found `list`", "name the type of its elements: `list of number`"),
            ("f32 f32", "expected the end of the type, found `f32`", ""),
            ("f32 or", "expected `nothing`, found its end", ""),
            ("(f32", "expected `)`, found its end", ""),
            ("{ a f32", "expected `}`, found its end", ""),
            ("{ , }", "expected the name of a field, found `, }`", ""),
            ("@", "expected the name of a class, found its end", ""),
            ("Lambda(number", "expected `)`, found its end", ""),
        ] {
            let expected = TypeError { message: message.to_string(), help: help.to_string() };
            assert_eq!(read(written), Err(expected), "{written}");
        }
        assert!(read(&"(".repeat(10_000)).is_err());
        assert!(read(&"list of ".repeat(10_000)).is_err());
        assert!(read(&"{ a ".repeat(10_000)).is_err());
        assert!(read(&format!("f32{}", " or nothing".repeat(10_000))).is_err());
    }
}
