//! Classes: the fields of a kind of tag, and everything known about them.
//!
//! One table per class serves the checks, the packing, the defaults, the manual, the completion in editors and the
//! merge. It comes from a Rust struct with `#[derive(Tag)]` or from an LScript header; afterwards there is no
//! difference.
//!
//! Laws
//! 1. Record 0 is the tag itself. Records refer to each other by number, so that they may be recursive.
//! 2. [`Class::finish`] computes the offset of each field in the packed form, by the rules of `#[repr(C)]`: a Rust
//!    struct and a header with the same fields have the same layout.
//! 3. Two classes with the same [`fingerprint`](Class::fingerprint) pack every text to the same bytes, and objects made
//!    from their tags have the same variables. Documentation (help, units, hidden) is not part of it.
//! 4. A derived class begins with all fields of its base, like a Rust struct whose first field is the base: its packed
//!    tags can be read as tags of the base.

mod fingerprint;
mod flag;
mod inheritance;
mod kind;
mod layout;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::expression::{canonical, canonical_conversion, is_name};
use crate::limits::{FIELDS_MAX, FLAGS_MAX, NAMES_MAX, RECORDS_MAX};

pub use flag::{FLAGS, Flag};
pub use kind::{Kind, Named, Number};

pub(crate) use inheritance::is_same_kind;
pub(crate) use kind::has_own;

/// Incremented when the same text and class give other packed bytes.
pub const PACKING: u32 = 4;

/// A class of tags.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name: files of it begin with `@name` and end in `.name`.
    pub name: String,
    /// Its version, from 1 on. A file names the version it was written for.
    pub version: u32,
    /// What it is for; may be empty.
    pub help: String,
    /// Its base class; empty if there is none.
    pub base: String,
    /// The base and its own bases, the nearest first.
    pub bases: Vec<Base>,
    /// The tag itself, then the records within it. Those of the base come first.
    pub records: Vec<Record>,
    /// Whether a changed tag can replace the old one while a level runs. If not, the level restarts.
    pub is_recoverable: bool,
    /// Whether its tags may define additional variables: lambdas and values for the objects made from them.
    pub is_open: bool,
    /// The classes whose tags the postprocess may read.
    pub reads: Vec<String>,
    /// The version of the postprocess; 0 if there is none.
    pub postprocess: u32,
    /// The scripts whose names all its tags see: those of the base first.
    pub libraries: Vec<ScriptLibrary>,
    /// Where it was declared, for people: the path of a header, or empty for Rust.
    pub origin: String,
}

/// A script that all tags of a class share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLibrary {
    /// Its path in the tree.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A base of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its name.
    pub name: String,
    /// The number of the tag's leading fields that belong to it and its bases.
    pub fields: u32,
    /// The number of leading records that belong to it, the tag itself included.
    pub records: u32,
}

/// A group of fields: a tag, or an element of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its name, for people.
    pub name: String,
    /// What it is for; may be empty.
    pub help: String,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// The field that identifies the elements of a series, if one does.
    pub key: Option<u32>,
    /// Its size in the packed form.
    pub bytes: u32,
    /// Its alignment.
    pub align: u32,
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in the text.
    pub name: String,
    /// The kind of its value.
    pub kind: Kind,
    /// Its value where the text gives none, in LScript. Without one: zero, nothing, empty.
    pub default: Option<String>,
    /// The unit of its number: "m/s". May be empty.
    pub unit: String,
    /// The smallest and the largest number allowed.
    pub range: Option<(f64, f64)>,
    /// The step of a slider or spin box.
    pub step: Option<f64>,
    /// What it is for; may be empty.
    pub help: String,
    /// Shown only on request.
    pub is_hidden: bool,
    /// Shown, but not to be changed by hand.
    pub is_read_only: bool,
    /// For experts.
    pub is_expert: bool,
    /// Not in the text: filled in when the tag is loaded.
    pub is_runtime: bool,
    /// A variable of the objects made from the tag, initialised with the tag's value.
    pub is_state: bool,
    /// Whether it is replicated to other machines.
    pub is_replicated: bool,
    /// Of bulk data: whether it is loaded whole before the level begins, instead of by blocks on demand.
    pub is_resident: bool,
    /// Whether it belongs to the base and is not declared again here.
    pub is_inherited: bool,
    /// Its former names and meanings.
    pub former: Vec<Former>,
    /// Its offset in the packed record.
    pub offset: u32,
}

/// A former name or meaning of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Former {
    /// Its name then; may be today's.
    pub name: String,
    /// Files of this version and later no longer have it; 0 if files of any version may.
    pub before: u32,
    /// A lambda that computes today's value from the former one: `Lambda(old, old * 10)`. A second parameter receives
    /// the whole former record.
    pub convert: Option<String>,
}

impl Class {
    /// A class without fields.
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
            libraries: Vec::new(),
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

    /// Lays out the records, and canonicalises the LScript texts. Fails with a message if the class is invalid; it must
    /// not be used then.
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
            return Err(format!("the key of `{}` is not one of its fields", record.name));
        }
        for field in &record.fields {
            if has_own(&field.kind) && !field.is_state {
                let why = "only objects can have such a value; declare it with `state true`, or name a class of tags: `@ship`";
                return Err(format!("the field `{}` of `{}`: {why}", field.name, record.name));
            }
            if field.is_resident && !is_bulk(&field.kind) {
                let why = "only bulk data can be resident";
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

/// Whether a field of this kind names files of bulk data.
fn is_bulk(kind: &Kind) -> bool {
    match kind {
        Kind::Series(of) | Kind::Optional(of) => is_bulk(of),
        kind => *kind == Kind::Bulk,
    }
}

/// The rule for names.
const NAMES: &str = "a name is letters, digits and `_`, does not begin with a digit, and is no keyword";

fn check_names(names: &[Named]) -> Result<(), String> {
    let mut sorted: Vec<&str> = names.iter().map(|named| named.name.as_str()).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(format!("the name \"{}\" is declared twice", twice[0])),
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

    /// The key field.
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
            is_resident: false,
            is_inherited: false,
            former: Vec::new(),
            offset: 0,
        }
    }

    /// Canonicalises its texts.
    fn settle(&mut self) -> Result<(), String> {
        let former = self.former.iter().map(|former| &former.name);
        if let Some(name) = core::iter::once(&self.name).chain(former).find(|name| !is_name(name)) {
            return Err(format!("`{name}` cannot be its name: {NAMES}"));
        }
        if let Some((min, max)) = &mut self.range {
            if !(min.is_finite() && max.is_finite() && min <= max) {
                return Err(format!("its range {min} to {max} is empty or not finite"));
            }
            // Both zeros are one number.
            (*min, *max) = (*min + 0.0, *max + 0.0);
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
    fn only_bulk_data_is_resident() {
        for (kind, is_allowed) in [
            (Kind::Bulk, true),
            (Kind::Series(Box::new(Kind::Optional(Box::new(Kind::Bulk)))), true),
            (Kind::Text, false),
            (Kind::Series(Box::new(Kind::Truth)), false),
        ] {
            let mut class = class(&[kind]);
            let before = class.fingerprint();
            class.records[0].fields[0].is_resident = true;
            assert_ne!(class.fingerprint(), before);
            assert_eq!(class.finish().is_ok(), is_allowed);
        }
    }

    #[test]
    fn fields_have_the_offsets_of_a_rust_struct() {
        let made = class(&[Kind::Truth, Kind::StringId, Kind::Number(Number::U16), Kind::Vector(3)]).finish().unwrap();
        let offsets: Vec<u32> = made.root().fields.iter().map(|field| field.offset).collect();
        assert_eq!((offsets, made.root().bytes, made.root().align), (alloc::vec![0, 8, 16, 20], 32, 8));
        let optional = Kind::Optional(Box::new(Kind::Truth));
        assert_eq!(made.size_of(&optional), (8, 4));
        assert_eq!(made.size_of(&Kind::Optional(Box::new(Kind::StringId))), (16, 8));
    }

    #[test]
    fn a_record_may_contain_itself_only_through_a_series() {
        let mut tree = class(&[Kind::Series(Box::new(Kind::Record(1)))]);
        let branch = Field::new("branches", Kind::Series(Box::new(Kind::Record(1))));
        tree.records.push(Record { name: "branch".to_string(), fields: alloc::vec![branch], ..Record::default() });
        assert!(tree.clone().finish().is_ok());
        tree.records[1].fields[0].kind = Kind::Optional(Box::new(Kind::Record(1)));
        assert!(tree.finish().unwrap_err().contains("contains itself"));
    }

    #[test]
    fn documentation_does_not_change_the_fingerprint() {
        let plain = class(&[Kind::Truth]).finish().unwrap();
        let mut helped = plain.clone();
        helped.records[0].fields[0].help = "whether".to_string();
        assert_eq!(plain.fingerprint(), helped.fingerprint());
        helped.records[0].fields[0].default = Some("true".to_string());
        assert_ne!(plain.fingerprint(), helped.fingerprint());
    }
}
