//! Types: what is known about a value before there is one.
//!
//! | written | means |
//! |---|---|
//! | `number` `identifier` `truth` `string` `vector` `handle` | a value of that kind |
//! | `nothing` | the value that is not there; it may stand wherever another is expected |
//! | `any` | no promise and no check |
//! | `list of number`, `list` | a list; without `of`, of anything |
//! | `record` | a record of any fields |
//! | `{ hull number, name string }` | a record of these fields; in messages and class files |
//! | `Lambda(number, number, truth)`, `lambda` | parameters, then the result; any lambda |
//! | `!Lambda(number, nothing)` | a lambda that does something |
//! | `@weapon` | a reference to a tag of a class |
//! | `A` … `Z` | in signatures: one type, the same wherever it stands |

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// How deep a written type may be nested, and how deep one is shown.
pub const DEPTH_MAX: u32 = 16;

/// Types whose text is longer are told by their kind.
const WORDS_LENGTH_MAX: usize = 60;

/// What is known about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the table above says what they are")]
pub enum Type {
    Any, Nothing, Number, Identifier, Truth, String, Vector, Handle,
    List(Box<Type>),
    Record(Record),
    /// A lambda of which nothing else is known.
    SomeLambda,
    Lambda(Box<Lambda>),
    Reference(String),
    /// A type that is the same wherever this number stands.
    Variable(u32),
}

/// What is known about a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The fields that are known, in order.
    pub fields: Vec<(String, Type)>,
    /// Whether there may be others.
    pub is_open: bool,
}

/// What is known about a lambda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// What it takes.
    pub parameters: Vec<Type>,
    /// What it gives.
    pub result: Type,
    /// Whether it can do something: call a `!` function or set a variable.
    pub is_effectful: bool,
}

/// What something that is called by name takes and gives: `map(list of A, Lambda(A, B)) list of B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// What it must be given, in order.
    pub parameters: Vec<Type>,
    /// What it may be given after those, in order; written `number?`.
    pub optional: Vec<Type>,
    /// What it may be given after that, any number of times; written `any…`.
    pub rest: Option<Type>,
    /// What it gives; nothing if the signature does not say.
    pub result: Type,
}

impl Type {
    /// Reads a written type.
    pub fn parse(text: &str) -> Result<Type, Unread> {
        let mut reader = Reader { rest: text.trim_start(), has_variables: false };
        let found = reader.read(0)?;
        reader.end()?;
        Ok(found)
    }

    /// The type with `any` for whatever may be of several types.
    #[must_use]
    pub fn settled(&self) -> Type {
        match self {
            Type::Variable(_) => Type::Any,
            Type::List(of) => Type::List(Box::new(of.settled())),
            Type::Record(record) => Type::Record(Record {
                fields: record.fields.iter().map(|(name, field)| (name.clone(), field.settled())).collect(),
                is_open: record.is_open,
            }),
            Type::Lambda(lambda) => Type::Lambda(Box::new(Lambda {
                parameters: lambda.parameters.iter().map(Type::settled).collect(),
                result: lambda.result.settled(),
                is_effectful: lambda.is_effectful,
            })),
            other => other.clone(),
        }
    }

    /// The type with its article, as a message says it.
    pub fn in_words(&self) -> String {
        match self {
            Type::Any | Type::Variable(_) => "anything".to_string(),
            Type::Nothing => "nothing".to_string(),
            Type::Identifier => "an identifier".to_string(),
            Type::Truth => "true or false".to_string(),
            Type::Record(_) => "a record".to_string(),
            Type::SomeLambda => "a lambda".to_string(),
            Type::Reference(class) => format!("a reference to a {class}"),
            Type::List(of) if matches!(**of, Type::Any | Type::Nothing | Type::Variable(_)) => "a list".to_string(),
            other => {
                let text = format!("a {other}");
                let is_long = text.len() > WORDS_LENGTH_MAX;
                match other {
                    Type::List(_) if is_long => "a list".to_string(),
                    Type::Lambda(_) if is_long => "a lambda".to_string(),
                    _ => text,
                }
            }
        }
    }
}

impl Signature {
    /// Reads a signature.
    pub fn parse(text: &str) -> Result<Signature, Unread> {
        let mut reader = Reader { rest: text.trim_start(), has_variables: true };
        let name = reader.word().to_string();
        reader.expect("(")?;
        let (mut parameters, mut optional, mut rest) = (Vec::new(), Vec::new(), None);
        while !reader.take(")") {
            let found = reader.read(0)?;
            if reader.take("…") {
                rest = Some(found);
            } else if reader.take("?") {
                optional.push(found);
            } else {
                parameters.push(found);
            }
            if !reader.take(",") {
                reader.expect(")")?;
                break;
            }
        }
        let result = if reader.rest.is_empty() { Type::Nothing } else { reader.read(0)? };
        reader.end()?;
        Ok(Signature { name, parameters, optional, rest, result })
    }

    /// Whether it takes so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        let most = self.parameters.len() + self.optional.len();
        count >= self.parameters.len() && (count <= most || self.rest.is_some())
    }

    /// What it takes at a place.
    pub fn parameter(&self, index: usize) -> Option<&Type> {
        self.parameters.iter().chain(&self.optional).nth(index).or(self.rest.as_ref())
    }

    /// How many arguments it takes, in words.
    pub fn expected(&self) -> String {
        let (least, most) = (self.parameters.len(), self.parameters.len() + self.optional.len());
        match (least, most) {
            _ if self.rest.is_some() => format!("at least {least} arguments"),
            (1, 1) => "1 argument".to_string(),
            _ if least == most => format!("{least} arguments"),
            _ => format!("{least} to {most} arguments"),
        }
    }
}

/// A text that is no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// What was expected and what was found.
    pub message: String,
}

struct Reader<'a> {
    rest: &'a str,
    has_variables: bool,
}

/// The words a type may begin with.
pub const WORDS: &[&str] = &[
    "number",
    "identifier",
    "truth",
    "string",
    "vector",
    "handle",
    "list",
    "record",
    "Lambda",
    "lambda",
    "nothing",
    "any",
];

impl<'a> Reader<'a> {
    fn read(&mut self, depth: u32) -> Result<Type, Unread> {
        if depth > DEPTH_MAX {
            return Err(self.unread("a simpler type"));
        }
        let is_effectful = self.take("!");
        if self.take("@") {
            return Ok(Type::Reference(self.word().to_string()));
        }
        if self.take("{") {
            return self.fields(depth);
        }
        let before = self.rest;
        let word = self.word();
        Ok(match word {
            "number" => Type::Number,
            "identifier" => Type::Identifier,
            "truth" => Type::Truth,
            "string" => Type::String,
            "vector" => Type::Vector,
            "handle" => Type::Handle,
            "any" => Type::Any,
            "record" => Type::Record(Record { fields: Vec::new(), is_open: true }),
            "list" => {
                let is_of = self.rest.strip_prefix("of").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
                let of = if is_of && self.take("of") { self.read(depth + 1)? } else { Type::Any };
                Type::List(Box::new(of))
            }
            _ if word.eq_ignore_ascii_case("nothing") => Type::Nothing,
            _ if word.eq_ignore_ascii_case("lambda") && self.take("(") => self.lambda(is_effectful, depth)?,
            _ if word.eq_ignore_ascii_case("lambda") => Type::SomeLambda,
            _ if self.has_variables && word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase() => {
                Type::Variable(u32::from(word.as_bytes()[0] - b'A'))
            }
            _ => {
                self.rest = before;
                return Err(self.unread("a type"));
            }
        })
    }

    fn lambda(&mut self, is_effectful: bool, depth: u32) -> Result<Type, Unread> {
        let mut parameters = alloc::vec![self.read(depth + 1)?];
        while self.take(",") {
            parameters.push(self.read(depth + 1)?);
        }
        self.expect(")")?;
        let result = parameters.pop().unwrap_or(Type::Nothing);
        Ok(Type::Lambda(Box::new(Lambda { parameters, result, is_effectful })))
    }

    fn fields(&mut self, depth: u32) -> Result<Type, Unread> {
        let mut record = Record::default();
        while !self.take("}") {
            if self.take("…") {
                record.is_open = true;
            } else {
                let name = self.word().to_string();
                record.fields.push((name, self.read(depth + 1)?));
            }
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Type::Record(record))
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn take(&mut self, mark: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(mark) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn expect(&mut self, mark: &str) -> Result<(), Unread> {
        if self.take(mark) { Ok(()) } else { Err(self.unread(&format!("`{mark}`"))) }
    }

    fn end(&self) -> Result<(), Unread> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.unread("the end of the type")) }
    }

    fn unread(&self, wanted: &str) -> Unread {
        let found: String = self.rest.chars().take(24).collect();
        let found = if found.is_empty() { "its end".to_string() } else { format!("`{found}`") };
        Unread { message: format!("expected {wanted}, found {found}") }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, formatter, 0)
    }
}

fn show(of: &Type, formatter: &mut fmt::Formatter<'_>, depth: u32) -> fmt::Result {
    if depth > DEPTH_MAX {
        return formatter.write_str("any");
    }
    let word = match of {
        Type::Any => "any",
        Type::Nothing => "nothing",
        Type::Number => "number",
        Type::Identifier => "identifier",
        Type::Truth => "truth",
        Type::String => "string",
        Type::Vector => "vector",
        Type::Handle => "handle",
        Type::SomeLambda => "lambda",
        Type::Reference(class) => return write!(formatter, "@{class}"),
        Type::List(of) if **of == Type::Any || **of == Type::Nothing => "list",
        Type::List(of) => {
            formatter.write_str("list of ")?;
            return show(of, formatter, depth + 1);
        }
        Type::Record(Record { fields, is_open: true }) if fields.is_empty() => "record",
        Type::Record(record) => return show_record(record, formatter, depth),
        Type::Lambda(lambda) => return show_lambda(lambda, formatter, depth),
        Type::Variable(number) => {
            let letter = char::from(b'A' + (number % 26) as u8);
            return if *number < 26 {
                write!(formatter, "{letter}")
            } else {
                write!(formatter, "{letter}{}", number / 26)
            };
        }
    };
    formatter.write_str(word)
}

fn show_record(record: &Record, formatter: &mut fmt::Formatter<'_>, depth: u32) -> fmt::Result {
    formatter.write_str("{")?;
    for (index, (name, field)) in record.fields.iter().enumerate() {
        write!(formatter, "{} {name} ", if index == 0 { "" } else { "," })?;
        show(field, formatter, depth + 1)?;
    }
    if record.is_open {
        write!(formatter, "{} …", if record.fields.is_empty() { "" } else { "," })?;
    }
    let is_empty = record.fields.is_empty() && !record.is_open;
    formatter.write_str(if is_empty { "}" } else { " }" })
}

fn show_lambda(lambda: &Lambda, formatter: &mut fmt::Formatter<'_>, depth: u32) -> fmt::Result {
    formatter.write_str(if lambda.is_effectful { "!Lambda(" } else { "Lambda(" })?;
    for parameter in &lambda.parameters {
        show(parameter, formatter, depth + 1)?;
        formatter.write_str(", ")?;
    }
    show(&lambda.result, formatter, depth + 1)?;
    formatter.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written_alike() {
        for text in [
            "number",
            "list of list of string",
            "list",
            "record",
            "{ hull number, parts list of { name string } }",
            "{ hull number, … }",
            "{}",
            "Lambda(number, truth, list of number)",
            "!Lambda(nothing)",
            "lambda",
            "@weapon",
            "any",
        ] {
            assert_eq!(Type::parse(text).map(|found| found.to_string()), Ok(text.to_string()));
        }
        assert_eq!(Type::parse("  list   of  number ").map(|found| found.to_string()), Ok("list of number".into()));
    }

    #[test]
    fn what_is_no_type_is_told() {
        for (text, message) in [
            ("nubmer", "expected a type, found `nubmer`"),
            ("", "expected a type, found its end"),
            ("list of", "expected a type, found its end"),
            ("Lambda(number", "expected `)`, found its end"),
            ("number number", "expected the end of the type, found `number`"),
            ("A", "expected a type, found `A`"),
        ] {
            assert_eq!(Type::parse(text), Err(Unread { message: message.to_string() }), "{text}");
        }
        assert!(Type::parse(&"list of ".repeat(100_000)).is_err());
    }

    #[test]
    fn signatures_say_how_many_they_take() {
        let signature = Signature::parse("Send(handle, string, any…)").unwrap();
        assert_eq!((signature.takes(1), signature.takes(2), signature.takes(9)), (false, true, true));
        let signature = Signature::parse("Spawn(string, record?, lambda?) identifier").unwrap();
        assert_eq!(
            (signature.takes(0), signature.takes(1), signature.takes(3), signature.takes(4)),
            (false, true, true, false)
        );
        assert_eq!(signature.result, Type::Identifier);
        assert_eq!(signature.parameter(1).map(ToString::to_string), Some("record".to_string()));
    }
}
