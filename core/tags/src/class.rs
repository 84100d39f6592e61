//! Classes: what fields a kind of tag has, and everything that is said about them.
//!
//! One table per class, and everything reads that table: the checks, the packing, the defaults, the documentation, the
//! completion in editors, the merge. It comes from a Rust struct with `#[derive(Tag)]` or from an LScript header; from there
//! on nobody can tell which.
//!
//! Laws
//! 1. Record 0 is the tag itself. Records name each other by number, so that they may lie within themselves.
//! 2. [`Class::finish`] decides where each field lies in the packed form, by the rules of `#[repr(C)]`: a Rust struct and a
//!    header with the same fields have the same layout.
//! 3. Two classes with the same [`fingerprint`](Class::fingerprint) pack every text to the same bytes, and objects made of their
//!    tags have the same variables. What is only for people (help, units, hidden) does not count.
//! 4. A class with a base begins with all fields of the base, as a Rust struct whose first field is the base would: what is
//!    packed with it can be looked at as if it were packed with the base.

mod derived;
mod fingerprint;
mod kind;
mod layout;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::expression::{canonical, canonical_conversion, is_name};
use crate::limits::{FIELDS_MAX, FLAGS_MAX, NAMES_MAX, RECORDS_MAX};

pub use kind::{Kind, Named, Number};

pub(crate) use derived::is_same_kind;
pub(crate) use kind::has_own;

/// Raised when the same text and class begin to give other packed bytes.
pub const PACKING: u32 = 3;

/// A class of tags.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name: files of it begin with `@name` and end in `.name`.
    pub name: String,
    /// Its version, from 1 on. A file says the version it was written with.
    pub version: u32,
    /// What it is for; may be empty.
    pub help: String,
    /// The class whose fields it begins with; empty if there is none.
    pub base: String,
    /// That class and those it is made from itself, the nearest first.
    pub bases: Vec<Base>,
    /// The tag itself, then the records that lie within it. Those of the base come first.
    pub records: Vec<Record>,
    /// Whether a changed tag can take the old one's place while a level runs. If not, the level is started again.
    pub is_recoverable: bool,
    /// Whether its tags may set names of their own beside its fields: lambdas and values for the objects made from them.
    pub is_open: bool,
    /// The classes whose tags the postprocess may read.
    pub reads: Vec<String>,
    /// The number of the postprocess: another one, another result. 0 if there is none.
    pub postprocess: u32,
    /// Where it was declared, for people: a header's path, or empty for Rust.
    pub origin: String,
}

/// A class that another is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its name.
    pub name: String,
    /// So many of the tag's fields are its own and those of its bases: the first ones.
    pub fields: u32,
    /// So many of the records are, the tag itself included.
    pub records: u32,
}

/// Fields that lie together: a tag, or an element of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its name, for people.
    pub name: String,
    /// What it is for; may be empty.
    pub help: String,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// The field that tells the elements of a series apart, if one does.
    pub key: Option<u32>,
    /// Its size in the packed form.
    pub bytes: u32,
    /// What its offset is a multiple of.
    pub align: u32,
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in the text.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Its value where the text gives none, as a designer writes it. Without one: zero, nothing, empty.
    pub default: Option<String>,
    /// What its number counts: "m/s". May be empty.
    pub unit: String,
    /// The smallest and the largest number it may be.
    pub range: Option<(f64, f64)>,
    /// How far one turn of a knob goes.
    pub step: Option<f64>,
    /// What it is for; may be empty.
    pub help: String,
    /// Not shown, unless asked for.
    pub is_hidden: bool,
    /// Shown, but not to be changed by hand.
    pub is_read_only: bool,
    /// For those who know what they do.
    pub is_expert: bool,
    /// Not in the text: set up when the tag is loaded.
    pub is_runtime: bool,
    /// A variable of the objects made from the tag, which begins with the tag's value.
    pub is_state: bool,
    /// Whether other machines are told of it.
    pub is_replicated: bool,
    /// It is the base's, and nothing else was said about it here.
    pub is_inherited: bool,
    /// What it was called, or meant, before.
    pub former: Vec<Former>,
    /// Where it lies in its record's packed form.
    pub offset: u32,
}

/// What a field was called, or meant, before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Former {
    /// Its name then; perhaps the same as today.
    pub name: String,
    /// Files of this version and later no longer mean it so; 0 if files of any version may.
    pub before: u32,
    /// A lambda that makes today's value out of the former one: `Lambda(old, old * 10)`. With a second parameter it is given the
    /// whole former record too.
    pub convert: Option<String>,
}

impl Class {
    /// A class with no fields.
    pub fn new(name: &str) -> Class {
        Class {
            name: name.to_string(),
            version: 1,
            help: String::new(),
            base: String::new(),
            bases: Vec::new(),
            records: alloc::vec![Record { name: name.to_string(), ..Record::default() }],
            is_recoverable: true,
            is_open: false,
            reads: Vec::new(),
            postprocess: 0,
            origin: String::new(),
        }
    }

    /// The tag itself.
    pub fn root(&self) -> &Record {
        &self.records[0]
    }

    /// A record by its number.
    pub fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    /// Lays out the records, and brings what is written in LScript into its one form. What is wrong with the class is told, and
    /// then it must not be used.
    pub fn finish(mut self) -> Result<Class, String> {
        if self.records.is_empty() || self.records.len() > RECORDS_MAX {
            return Err(format!("a class has 1 to {RECORDS_MAX} records; `{}` has {}", self.name, self.records.len()));
        }
        if self.version == 0 {
            return Err(format!("the versions of a class begin with 1; `{}` has 0", self.name));
        }
        if let Some(name) = core::iter::once(&self.name).chain(&self.reads).find(|name| !is_name(name)) {
            return Err(format!("`{name}` cannot be the name of a class: {NAMES}"));
        }
        self.check_bases()?;
        self.records[0].name.clone_from(&self.name);
        self.records[0].help.clone_from(&self.help);
        for number in 0..self.records.len() {
            self.check_record(number)?;
            let record = &mut self.records[number];
            for field in &mut record.fields {
                field.settle().map_err(|why| format!("the field `{}` of `{}`: {why}", field.name, record.name))?;
            }
            (record.bytes, record.align) = (0, 0);
        }
        for number in 0..self.records.len() {
            self.lay_out(number, 0)?;
        }
        Ok(self)
    }

    fn check_record(&self, number: usize) -> Result<(), String> {
        let record = &self.records[number];
        if record.fields.len() > FIELDS_MAX {
            return Err(format!(
                "a record has at most {FIELDS_MAX} fields; `{}` has {}",
                record.name,
                record.fields.len()
            ));
        }
        let mut names: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the field `{}` of `{}` is declared twice", twice[0], record.name));
        }
        if record.key.is_some_and(|key| key as usize >= record.fields.len()) {
            return Err(format!("the key of `{}` is no field of it", record.name));
        }
        for field in &record.fields {
            if has_own(&field.kind) && !field.is_state {
                let why = "only objects have such a value; say `state true`, or name a tag: `@ship`";
                return Err(format!("the field `{}` of `{}`: {why}", field.name, record.name));
            }
            self.check_kind(&field.kind, 0)
                .map_err(|why| format!("the field `{}` of `{}`: {why}", field.name, record.name))?;
        }
        Ok(())
    }

    fn check_kind(&self, kind: &Kind, depth: u32) -> Result<(), String> {
        match kind {
            Kind::Choice(names) if names.is_empty() => Err("a choice needs names to choose from".to_string()),
            Kind::Choice(names) if names.len() > NAMES_MAX => Err(format!("a choice has at most {NAMES_MAX} names")),
            Kind::Flags(names) if names.len() > FLAGS_MAX => Err(format!("there can be at most {FLAGS_MAX} flags")),
            Kind::Choice(names) | Kind::Flags(names) => check_names(names),
            Kind::Reference(class) if !class.is_empty() && !is_name(class) => {
                Err(format!("`{class}` cannot be the name of a class: {NAMES}"))
            }
            Kind::Vector(count) if !(2..=4).contains(count) => Err("a vector has 2 to 4 numbers".to_string()),
            Kind::Record(number) if *number == 0 || *number as usize >= self.records.len() => {
                Err("its record is not declared".to_string())
            }
            Kind::Series(of) | Kind::Optional(of) if depth < 8 => self.check_kind(of, depth + 1),
            Kind::Series(_) | Kind::Optional(_) => Err("it is nested too deep".to_string()),
            _ => Ok(()),
        }
    }
}

/// What a name may be.
const NAMES: &str = "a name is letters, digits and `_`, does not begin with a digit, and is no keyword";

fn check_names(names: &[Named]) -> Result<(), String> {
    let mut sorted: Vec<&str> = names.iter().map(|named| named.name.as_str()).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(format!("the name \"{}\" is there twice", twice[0])),
        None => Ok(()),
    }
}

impl Record {
    /// The field of a name, and its number.
    pub fn field(&self, name: &str) -> Option<(u32, &Field)> {
        self.fields
            .iter()
            .enumerate()
            .find(|(_, field)| field.name == name)
            .map(|(number, field)| (number as u32, field))
    }

    /// The field that tells elements apart.
    pub fn key_field(&self) -> Option<&Field> {
        self.key.and_then(|key| self.fields.get(key as usize))
    }
}

impl Field {
    /// A field of which only name and kind are known.
    pub fn new(name: &str, kind: Kind) -> Field {
        Field {
            name: name.to_string(),
            kind,
            default: None,
            unit: String::new(),
            range: None,
            step: None,
            help: String::new(),
            is_hidden: false,
            is_read_only: false,
            is_expert: false,
            is_runtime: false,
            is_state: false,
            is_replicated: false,
            is_inherited: false,
            former: Vec::new(),
            offset: 0,
        }
    }

    /// Brings what is said about it into its one form.
    fn settle(&mut self) -> Result<(), String> {
        let former = self.former.iter().map(|former| &former.name);
        if let Some(name) = core::iter::once(&self.name).chain(former).find(|name| !is_name(name)) {
            return Err(format!("`{name}` cannot be its name: {NAMES}"));
        }
        if let Some((least, most)) = &mut self.range {
            if !(least.is_finite() && most.is_finite() && least <= most) {
                return Err(format!("its range {least} to {most} must go from a number to one that is not smaller"));
            }
            // There is one zero.
            (*least, *most) = (*least + 0.0, *most + 0.0);
        }
        if let Some(step) = self.step.filter(|step| !step.is_finite() || *step <= 0.0) {
            return Err(format!("its step must be more than 0; it is {step}"));
        }
        if let Some(default) = &mut self.default {
            *default = canonical(default).map_err(|why| format!("its default: {why}"))?;
        }
        for former in &mut self.former {
            if let Some(convert) = &mut former.convert {
                *convert = canonical_conversion(convert).map_err(|why| format!("`{}` before: {why}", former.name))?;
            }
        }
        self.kind.settle()
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;

    fn class(kinds: &[Kind]) -> Class {
        let mut class = Class::new("thing");
        let fields = kinds.iter().enumerate().map(|(index, kind)| Field::new(&format!("f{index}"), kind.clone()));
        class.records[0].fields = fields.collect();
        class
    }

    #[test]
    fn fields_lie_as_in_rust() {
        let made = class(&[Kind::Truth, Kind::StringId, Kind::Number(Number::U16), Kind::Vector(3)]).finish().unwrap();
        let offsets: Vec<u32> = made.root().fields.iter().map(|field| field.offset).collect();
        assert_eq!((offsets, made.root().bytes, made.root().align), (alloc::vec![0, 8, 16, 20], 32, 8));
        let optional = Kind::Optional(Box::new(Kind::Truth));
        assert_eq!(made.size_of(&optional), (8, 4));
        assert_eq!(made.size_of(&Kind::Optional(Box::new(Kind::StringId))), (16, 8));
    }

    #[test]
    fn a_record_may_lie_in_itself_only_as_a_series() {
        let mut tree = class(&[Kind::Series(Box::new(Kind::Record(1)))]);
        let branch = Field::new("branches", Kind::Series(Box::new(Kind::Record(1))));
        tree.records.push(Record { name: "branch".to_string(), fields: alloc::vec![branch], ..Record::default() });
        assert!(tree.clone().finish().is_ok());
        tree.records[1].fields[0].kind = Kind::Optional(Box::new(Kind::Record(1)));
        assert!(tree.finish().unwrap_err().contains("lies inside itself"));
    }

    #[test]
    fn what_is_only_for_people_does_not_change_the_fingerprint() {
        let plain = class(&[Kind::Truth]).finish().unwrap();
        let mut helped = plain.clone();
        helped.records[0].fields[0].help = "whether".to_string();
        assert_eq!(plain.fingerprint(), helped.fingerprint());
        helped.records[0].fields[0].default = Some("true".to_string());
        assert_ne!(plain.fingerprint(), helped.fingerprint());
    }
}
