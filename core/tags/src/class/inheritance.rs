//! Inheritance: classes derived from others.
//!
//! Laws
//! 1. The attributes of a base's field hold in every derived class, unless that declares them again. Its kind cannot
//!    change.
//! 2. Attributes of the base as a whole are not inherited: its version, its help, its postprocess. Two restrictions
//!    are: if tags of the base are not recoverable, those of derived classes are not either; and if the base is open,
//!    so are they.
//! 3. A file names the version of its own class, and none of the base's. So former names of the base's fields apply to
//!    files of any version; former meanings before a version of the base do not apply here, and must be declared again
//!    where they should.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Base, Class, Field, Kind, Named, Record};
use crate::limits::BASES_MAX;

/// About the memory of a field: its row, its place by name, its part of the schema, the syntax tree of its default.
const FIELD_BYTES: usize = 1024;

/// About the memory of a name of a choice or of flags.
const NAME_BYTES: usize = 128;

impl Class {
    /// A class without fields of its own, derived from a finished one.
    pub fn derived(name: &str, base: &Class) -> Class {
        let mut class = Class::new(name);
        (class.is_recoverable, class.is_open) = (base.is_recoverable, base.is_open);
        class.bases.clone_from(&base.bases);
        class.libraries.clone_from(&base.libraries);
        class.records.extend(base.records.iter().skip(1).cloned());
        let root = class.inherit(&base.name, base.root().clone());
        class.records[0].fields = root.fields;
        class
    }

    /// About the memory that a class derived from it takes for what it inherits, prepared for packing.
    pub(crate) fn approximate_bytes(&self) -> usize {
        let field = |field: &Field| {
            let names = match &field.kind {
                Kind::Choice(names) | Kind::Flags(names) => names.len() * NAME_BYTES,
                _ => 0,
            };
            FIELD_BYTES
                + names
                + 2 * (field.name.len() + field.help.len() + field.default.as_ref().map_or(0, String::len))
        };
        self.records.iter().flat_map(|record| &record.fields).map(field).sum()
    }

    /// Whether it is a class, or derived from it.
    pub fn is_a(&self, name: &str) -> bool {
        self.name == name || self.bases.iter().any(|base| base.name == name)
    }

    /// The base that declares a field of the tag; none if the class does itself.
    pub fn base_of(&self, field: u32) -> Option<&Base> {
        self.bases.iter().rev().find(|base| field < base.fields)
    }

    /// Checks that tags of this class can be read as tags of a base that it claims. Fails with a message.
    pub fn check_base(&self, base: &Class) -> Result<(), String> {
        let shown = || format!("the class `{}` claims to be derived from `{}`", self.name, base.name);
        let known = self.bases.iter().find(|known| known.name == base.name);
        let Some(known) = known else { return Err(format!("{}, but is not", shown())) };
        let (own, its) = (&self.root().fields, &base.root().fields);
        if known.fields as usize != its.len() {
            return Err(format!("{}, which has {} fields, not {}", shown(), its.len(), known.fields));
        }
        let is_same_record = |(own, its): (&Record, &Record)| {
            let same = |(own, its): (&Field, &Field)| own.name == its.name && is_same_kind(&own.kind, &its.kind);
            own.fields.len() == its.fields.len() && own.fields.iter().zip(&its.fields).all(same)
        };
        if known.records as usize != base.records.len()
            || !self.records.iter().zip(&base.records).skip(1).all(is_same_record)
        {
            return Err(format!("{}, which has other records", shown()));
        }
        let differs = |(own, its): &(&Field, &Field)| own.name != its.name || !is_same_kind(&own.kind, &its.kind);
        match own.iter().zip(its).find(differs) {
            Some((own, its)) => {
                let words = (its.kind.in_words(), own.kind.in_words());
                Err(format!("{}, whose `{}` is {}; its own `{}` is {}", shown(), its.name, words.0, own.name, words.1))
            }
            None => Ok(()),
        }
    }

    /// Takes over the fields of a base, whose records were added before.
    pub(crate) fn inherit(&mut self, name: &str, mut root: Record) -> Record {
        let names: BTreeSet<String> = root.fields.iter().map(|field| field.name.clone()).collect();
        for field in &mut root.fields {
            field.is_inherited = true;
            field.former.retain(|former| former.before == 0 || !names.contains(&former.name));
            field.former.iter_mut().for_each(|former| former.before = 0);
        }
        let (fields, records) = (root.fields.len() as u32, self.records.len() as u32);
        self.bases.insert(0, Base { name: name.to_string(), fields, records });
        self.base = name.to_string();
        root
    }

    pub(super) fn check_bases(&self) -> Result<(), String> {
        if self.base != self.bases.first().map_or("", |base| &base.name) {
            return Err(format!("the base `{}` of `{}` does not exist", self.base, self.name));
        }
        if self.bases.len() > BASES_MAX {
            return Err(format!(
                "a class has at most {BASES_MAX} bases in a chain; `{}` has {}",
                self.name,
                self.bases.len()
            ));
        }
        let mut names = BTreeSet::from([self.name.as_str()]);
        if let Some(twice) = self.bases.iter().find(|base| !names.insert(&base.name)) {
            return Err(format!("`{}` is derived from itself: its bases lead back to `{}`", self.name, twice.name));
        }
        let (mut fields, mut records) = (self.root().fields.len(), self.records.len());
        for base in &self.bases {
            if base.fields as usize > fields || base.records as usize > records {
                return Err(format!("`{}` has fewer fields or records than its base `{}`", self.name, base.name));
            }
            (fields, records) = (base.fields as usize, base.records as usize);
        }
        Ok(())
    }
}

/// Whether two kinds have the same values and layout; help texts of names may differ.
pub(crate) fn is_same_kind(one: &Kind, other: &Kind) -> bool {
    let names = |names: &[Named]| names.iter().map(|named| named.name.clone()).collect::<Vec<String>>();
    match (one, other) {
        (Kind::Choice(left), Kind::Choice(right)) | (Kind::Flags(left), Kind::Flags(right)) => {
            names(left) == names(right)
        }
        (Kind::Series(left), Kind::Series(right)) | (Kind::Optional(left), Kind::Optional(right)) => {
            is_same_kind(left, right)
        }
        _ => one == other,
    }
}
