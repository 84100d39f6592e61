//! Types, as the checker infers them and as signatures and headers write them.
//!
//! | written | means |
//! |---|---|
//! | `number` `identifier` `truth` `string` `vector` `handle` | a value of that kind |
//! | `nothing` | the absent value; it is accepted for every other type |
//! | `any` | no promise and no check |
//! | `list of number`, `list` | a list; without `of`, of anything |
//! | `record` | a record of any fields |
//! | `{ hull number, name string }` | a record of these fields; in error messages and in headers |
//! | `Lambda(number, number, truth)`, `lambda` | parameters, then the result; any lambda |
//! | `!Lambda(number, nothing)` | a lambda with effects |
//! | `@weapon` | a reference to a tag of a class |
//! | `A` … `Z` | in signatures: a type variable |

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// How deep a written type may be nested, and how deep one is shown.
pub const DEPTH_MAX: u32 = 16;

/// Messages describe a type with a longer text by its kind alone.
const WORDS_LENGTH_MAX: usize = 60;

/// The most arguments of a built-in or a query.
pub const ARGUMENTS_MAX: usize = 4;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the table above says what they are")]
pub enum Type {
    Any, Nothing, Number, Identifier, Truth, String, Vector, Handle,
    List(Box<Type>),
    Record(Record),
    /// A lambda of unknown signature.
    SomeLambda,
    Lambda(Box<Lambda>),
    Reference(String),
    /// A type variable.
    Variable(u32),
}

/// The type of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The fields that are known, in order.
    pub fields: Vec<(String, Type)>,
    /// Whether it may have others.
    pub is_open: bool,
}

/// The type of a lambda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result.
    pub result: Type,
    /// Whether it can have an effect: call a `!` function or set a variable.
    pub is_effectful: bool,
}

/// The signature of a built-in, a query or an effect: `map(list of A, Lambda(A, B)) list of B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The types of its required parameters.
    pub parameters: Vec<Type>,
    /// The types of its optional parameters; written `number?`.
    pub optional: Vec<Type>,
    /// The type of its variadic parameter; written `any…`.
    pub rest: Option<Type>,
    /// The type of its result; nothing if the signature names none.
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

    /// The type with its article, for messages.
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

    /// Whether it takes this number of arguments.
    pub fn takes(&self, count: usize) -> bool {
        let max = self.parameters.len() + self.optional.len();
        count >= self.parameters.len() && (count <= max || self.rest.is_some())
    }

    /// The type of the parameter at an index.
    pub fn parameter(&self, index: usize) -> Option<&Type> {
        self.parameters.iter().chain(&self.optional).nth(index).or(self.rest.as_ref())
    }

    /// How many arguments it takes, in words.
    pub fn expected(&self) -> String {
        let (min, max) = (self.parameters.len(), self.parameters.len() + self.optional.len());
        arguments_in_words((min, if self.rest.is_some() { usize::MAX } else { max })).to_string()
    }
}

/// The fewest and the most arguments of something that is called, in words.
pub(crate) fn arguments_in_words((least, most): (usize, usize)) -> impl fmt::Display {
    fmt::from_fn(move |formatter| match (least, most) {
        (_, usize::MAX) => write!(formatter, "at least {least} arguments"),
        (1, 1) => write!(formatter, "1 argument"),
        _ if least == most => write!(formatter, "{least} arguments"),
        _ => write!(formatter, "{least} to {most} arguments"),
    })
}

/// The error of a text that is no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// What was expected and what was found.
    pub message: String,
}

struct Reader<'a> {
    rest: &'a str,
    has_variables: bool,
}

/// The words that a type may begin with.
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
        take_word(&mut self.rest)
    }

    fn take(&mut self, mark: &str) -> bool {
        take_mark(&mut self.rest, mark)
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

/// Takes a word of letters, digits and `_` from the front of a text, and the blanks behind it; it may be empty. Headers
/// of tags, whose types have more words, are read with it too.
pub fn take_word<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    *rest = behind.trim_start();
    word
}

/// Takes a mark from the front of a text, and the blanks behind it, if it is there.
pub fn take_mark(rest: &mut &str, mark: &str) -> bool {
    let Some(behind) = rest.strip_prefix(mark) else { return false };
    *rest = behind.trim_start();
    true
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
    fn types_round_trip() {
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
    fn invalid_types_are_reported() {
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
    fn signatures_state_the_number_of_arguments() {
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
