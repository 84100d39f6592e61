//! Events by tables: which kinds there are, what each carries, and what is possible at all.
//!
//! | field | words of an event |
//! |---|---|
//! | number | 1: the bits of a float |
//! | identifier | 1 |
//! | truth | 1: zero or one |
//! | object | 1: a handle |
//! | string | 2: the id of a name, its lower half first |
//! | vector | 3: numbers |
//!
//! Laws
//! 1. Whatever an event's words are, the table accepts it as one that a player can have meant, or refuses it with a reason.
//! 2. What is accepted is read as it was made: numbers are finite and within their range, handles have the form of handles. Whom
//!    a handle names, and whether a player may do what is asked, is for the world to say.
//! 3. Checking and reading take nothing from the heap. Cost: a search among the kinds, and a look at each word.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use base::handle::SALT_MIN;
use base::{Handle, StringId, Vec3};

use crate::event::{EVENT_WORDS, Event};
use crate::limits::{EVENTS_PER_BATCH_MAX, KINDS_MAX};

/// A kind of event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventKind {
    /// Its name.
    pub name: StringId,
    /// What it carries, in order.
    pub fields: Vec<EventField>,
    /// How many of it a player can send for one safe cycle.
    pub per_batch_max: u16,
}

/// What an event carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventField {
    /// Its name.
    pub name: StringId,
    /// What it is.
    pub kind: FieldKind,
    /// The smallest and the largest that a number, an identifier, or each number of a vector may be. Others have none.
    pub range: Option<(f32, f32)>,
}

/// What a field of an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum FieldKind {
    Number,
    Identifier,
    Truth,
    Object,
    String,
    Vector,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum FieldValue {
    Number(f32),
    Identifier(i32),
    Truth(bool),
    Object(Handle<()>),
    String(StringId),
    Vector(Vec3),
}

/// Which events there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTable {
    kinds: Vec<EventKind>,
    /// The numbers of the kinds, by name.
    by_name: Vec<u16>,
}

/// Why an event is impossible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventRefusal {
    /// No kind has its name.
    UnknownKind,
    /// A number that is infinite or none.
    NotFinite {
        /// Of which field.
        field: StringId,
    },
    /// A number that is too small or too large.
    OutOfRange {
        /// Of which field.
        field: StringId,
        /// What was found.
        found: f32,
        /// The smallest and the largest that was expected.
        range: (f32, f32),
    },
    /// Neither zero nor one.
    NoTruth {
        /// Of which field.
        field: StringId,
        /// What was found.
        found: u32,
    },
    /// Bits that no handle has.
    NoHandle {
        /// Of which field.
        field: StringId,
        /// What was found.
        found: u32,
    },
    /// A word that no field has, and that is not zero.
    Spare {
        /// Which one.
        word: usize,
        /// What was found.
        found: u32,
    },
    /// More of its kind in one batch than there may be.
    TooMany {
        /// How many there may be.
        most: u16,
    },
    /// Another number of values than its kind has fields.
    Count {
        /// How many it has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A value of another kind than its field.
    Kind {
        /// Of which field.
        field: StringId,
        /// What it should have been.
        expected: FieldKind,
    },
}

/// What is wrong with a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableMistake {
    /// There are more kinds than there may be.
    TooManyKinds {
        /// How many there are.
        found: usize,
    },
    /// A kind without a name.
    NoName {
        /// Which one, counted from zero.
        number: usize,
    },
    /// Two kinds of one name.
    KindTwice {
        /// The name.
        kind: StringId,
    },
    /// Two fields of one name.
    FieldTwice {
        /// Of which kind.
        kind: StringId,
        /// The name.
        field: StringId,
    },
    /// More than an event can carry.
    TooLarge {
        /// Which kind.
        kind: StringId,
        /// How many words it would need.
        words: usize,
    },
    /// A range that is not from a number to one that is not smaller.
    Range {
        /// Of which kind.
        kind: StringId,
        /// Of which field.
        field: StringId,
        /// What was said.
        range: (f32, f32),
    },
    /// A kind of which nobody may send any, or more than a batch can hold.
    Limit {
        /// Which kind.
        kind: StringId,
        /// What was said.
        limit: u16,
    },
}

impl EventTable {
    /// A table of these kinds, or all that is wrong with them.
    pub fn new(kinds: Vec<EventKind>) -> Result<EventTable, Vec<TableMistake>> {
        let mistakes = mistakes(&kinds);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut by_name: Vec<u16> = (0..kinds.len() as u16).collect();
        by_name.sort_by_key(|number| kinds[usize::from(*number)].name);
        Ok(EventTable { kinds, by_name })
    }

    /// The kinds, in the order in which they were given.
    pub fn kinds(&self) -> &[EventKind] {
        &self.kinds
    }

    /// The number of the kind of a name.
    pub fn number(&self, name: StringId) -> Option<usize> {
        let found = self.by_name.binary_search_by_key(&name, |number| self.kinds[usize::from(*number)].name);
        found.ok().map(|place| usize::from(self.by_name[place]))
    }

    /// The kind of a name.
    pub fn kind(&self, name: StringId) -> Option<&EventKind> {
        self.number(name).map(|number| &self.kinds[number])
    }

    /// Whether an event is possible; if not, why.
    pub fn check(&self, event: &Event) -> Result<(), EventRefusal> {
        let kind = self.kind(event.kind).ok_or(EventRefusal::UnknownKind)?;
        let mut at = 0;
        for field in &kind.fields {
            let words = field.kind.words();
            field.check(&event.words[at..at + words])?;
            at += words;
        }
        match event.words[at..].iter().position(|word| *word != 0) {
            Some(spare) => Err(EventRefusal::Spare { word: at + spare, found: event.words[at + spare] }),
            None => Ok(()),
        }
    }

    /// What an event carries, by the names of its fields. Nothing if its kind is unknown; of one that was not checked, numbers
    /// that are not finite are zero.
    pub fn read<'a>(&'a self, event: &'a Event) -> impl Iterator<Item = (StringId, FieldValue)> + 'a {
        let fields = self.kind(event.kind).map_or(&[][..], |kind| &kind.fields);
        let mut at = 0;
        fields.iter().map(move |field| {
            let value = field.kind.read(event, at);
            at += field.kind.words();
            (field.name, value)
        })
    }

    /// An event of a kind with these values, which are checked.
    pub fn make(&self, name: StringId, values: &[FieldValue]) -> Result<Event, EventRefusal> {
        let kind = self.kind(name).ok_or(EventRefusal::UnknownKind)?;
        if kind.fields.len() != values.len() {
            return Err(EventRefusal::Count { expected: kind.fields.len(), found: values.len() });
        }
        let mut event = Event { kind: name, words: [0; EVENT_WORDS] };
        let mut at = 0;
        for (field, value) in kind.fields.iter().zip(values) {
            if value.kind() != field.kind {
                return Err(EventRefusal::Kind { field: field.name, expected: field.kind });
            }
            let words = field.kind.words();
            value.write(&mut event.words[at..at + words]);
            at += words;
        }
        self.check(&event).map(|()| event)
    }
}

impl EventRefusal {
    /// The field that it is about, if it is about one.
    pub fn field(&self) -> Option<StringId> {
        match self {
            EventRefusal::NotFinite { field }
            | EventRefusal::OutOfRange { field, .. }
            | EventRefusal::NoTruth { field, .. }
            | EventRefusal::NoHandle { field, .. }
            | EventRefusal::Kind { field, .. } => Some(*field),
            EventRefusal::UnknownKind
            | EventRefusal::Spare { .. }
            | EventRefusal::TooMany { .. }
            | EventRefusal::Count { .. } => None,
        }
    }
}

impl EventField {
    fn check(&self, words: &[u32]) -> Result<(), EventRefusal> {
        let field = self.name;
        match self.kind {
            FieldKind::Number | FieldKind::Vector => words.iter().try_for_each(|word| {
                let number = f32::from_bits(*word);
                if number.is_finite() { self.check_range(number) } else { Err(EventRefusal::NotFinite { field }) }
            }),
            FieldKind::Identifier => self.check_range(words[0].cast_signed() as f32),
            FieldKind::Truth if words[0] > 1 => Err(EventRefusal::NoTruth { field, found: words[0] }),
            FieldKind::Object => {
                let handle = Handle::<()>::from_raw(words[0]);
                let is_handle = handle.is_none() || handle.salt() >= SALT_MIN;
                if is_handle { Ok(()) } else { Err(EventRefusal::NoHandle { field, found: words[0] }) }
            }
            FieldKind::Truth | FieldKind::String => Ok(()),
        }
    }

    fn check_range(&self, found: f32) -> Result<(), EventRefusal> {
        match self.range {
            Some(range) if found < range.0 || found > range.1 => {
                Err(EventRefusal::OutOfRange { field: self.name, found, range })
            }
            _ => Ok(()),
        }
    }
}

impl FieldKind {
    /// How many words of an event it takes.
    pub const fn words(self) -> usize {
        match self {
            FieldKind::Number | FieldKind::Identifier | FieldKind::Truth | FieldKind::Object => 1,
            FieldKind::String => 2,
            FieldKind::Vector => 3,
        }
    }

    const fn has_range(self) -> bool {
        matches!(self, FieldKind::Number | FieldKind::Identifier | FieldKind::Vector)
    }

    const fn text(self) -> &'static str {
        match self {
            FieldKind::Number => "a number",
            FieldKind::Identifier => "an identifier",
            FieldKind::Truth => "true or false",
            FieldKind::Object => "the handle of an object",
            FieldKind::String => "a name",
            FieldKind::Vector => "a vector",
        }
    }

    fn read(self, event: &Event, at: usize) -> FieldValue {
        let word = event.words[at];
        match self {
            FieldKind::Number => FieldValue::Number(event.float(at)),
            FieldKind::Identifier => FieldValue::Identifier(word.cast_signed()),
            FieldKind::Truth => FieldValue::Truth(word != 0),
            FieldKind::Object => FieldValue::Object(Handle::from_raw(word)),
            FieldKind::String => {
                let number = u64::from(word) | u64::from(event.words[at + 1]) << 32;
                FieldValue::String(StringId::from_number(number))
            }
            FieldKind::Vector => {
                FieldValue::Vector(Vec3::new(event.float(at), event.float(at + 1), event.float(at + 2)))
            }
        }
    }
}

impl FieldValue {
    /// What it is a value of.
    pub const fn kind(self) -> FieldKind {
        match self {
            FieldValue::Number(_) => FieldKind::Number,
            FieldValue::Identifier(_) => FieldKind::Identifier,
            FieldValue::Truth(_) => FieldKind::Truth,
            FieldValue::Object(_) => FieldKind::Object,
            FieldValue::String(_) => FieldKind::String,
            FieldValue::Vector(_) => FieldKind::Vector,
        }
    }

    /// Into as many words as its kind takes. There is one zero.
    fn write(self, words: &mut [u32]) {
        let bits = |number: f32| (number + 0.0).to_bits();
        match self {
            FieldValue::Number(number) => words[0] = bits(number),
            FieldValue::Identifier(number) => words[0] = number.cast_unsigned(),
            FieldValue::Truth(truth) => words[0] = u32::from(truth),
            FieldValue::Object(handle) => words[0] = handle.raw(),
            FieldValue::String(id) => {
                words.copy_from_slice(&[id.number() as u32, (id.number() >> 32) as u32]);
            }
            FieldValue::Vector(vector) => words.copy_from_slice(&[bits(vector.x), bits(vector.y), bits(vector.z)]),
        }
    }
}

fn mistakes(kinds: &[EventKind]) -> Vec<TableMistake> {
    if kinds.len() > KINDS_MAX {
        return alloc::vec![TableMistake::TooManyKinds { found: kinds.len() }];
    }
    let (mut mistakes, mut names) = (Vec::new(), BTreeSet::new());
    for (number, EventKind { name: kind, fields, per_batch_max: limit }) in kinds.iter().enumerate() {
        let kind = *kind;
        if kind.is_none() {
            mistakes.push(TableMistake::NoName { number });
        } else if !names.insert(kind) {
            mistakes.push(TableMistake::KindTwice { kind });
        }
        if *limit == 0 || usize::from(*limit) > EVENTS_PER_BATCH_MAX {
            mistakes.push(TableMistake::Limit { kind, limit: *limit });
        }
        let words = fields.iter().map(|field| field.kind.words()).fold(0, usize::saturating_add);
        if words > EVENT_WORDS {
            mistakes.push(TableMistake::TooLarge { kind, words });
            continue;
        }
        let mut names = BTreeSet::new();
        for EventField { name: field, kind: of, range } in fields {
            let field = *field;
            if !names.insert(field) {
                mistakes.push(TableMistake::FieldTwice { kind, field });
            }
            let is_wrong = |range: &(f32, f32)| !(range.0.is_finite() && range.1.is_finite() && range.0 <= range.1);
            if let Some(range) = range.filter(|range| of.has_range() && is_wrong(range)) {
                mistakes.push(TableMistake::Range { kind, field, range });
            }
        }
    }
    mistakes
}

impl fmt::Display for EventRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventRefusal::UnknownKind => formatter.write_str("expected an event of the table, found another kind"),
            EventRefusal::NotFinite { field } => {
                write!(formatter, "expected a finite number in {field}, found another")
            }
            EventRefusal::OutOfRange { field, found, range: (least, most) } => {
                write!(formatter, "expected {least} to {most} in {field}, found {found}")
            }
            EventRefusal::NoTruth { field, found } => {
                write!(formatter, "expected 0 or 1 in {field}, found {found}")
            }
            EventRefusal::NoHandle { field, found } => {
                write!(formatter, "expected a handle in {field}, found {found:#010x}")
            }
            EventRefusal::Spare { word, found } => {
                write!(formatter, "expected 0 in the unused word {word}, found {found}")
            }
            EventRefusal::TooMany { most } => write!(formatter, "expected at most {most} of its kind, found more"),
            EventRefusal::Count { expected, found } => {
                write!(formatter, "expected {expected} values, found {found}")
            }
            EventRefusal::Kind { field, expected } => {
                write!(formatter, "expected {} in {field}, found a value of another kind", expected.text())
            }
        }
    }
}

impl core::error::Error for EventRefusal {}

impl fmt::Display for TableMistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableMistake::TooManyKinds { found } => {
                write!(formatter, "expected at most {KINDS_MAX} kinds of events, found {found}")
            }
            TableMistake::NoName { number } => write!(formatter, "the kind of events {number} has no name"),
            TableMistake::KindTwice { kind } => write!(formatter, "the kind of events {kind} is there twice"),
            TableMistake::FieldTwice { kind, field } => {
                write!(formatter, "the events {kind} have the field {field} twice")
            }
            TableMistake::TooLarge { kind, words } => {
                write!(formatter, "the events {kind} carry {words} words; expected at most {EVENT_WORDS}")
            }
            TableMistake::Range { kind, field, range: (least, most) } => {
                let wanted = "expected a number and one that is not smaller";
                write!(formatter, "the field {field} of the events {kind} goes from {least} to {most}; {wanted}")
            }
            TableMistake::Limit { kind, limit } => {
                write!(formatter, "a batch may hold {limit} of the events {kind}; expected 1 to {EVENTS_PER_BATCH_MAX}")
            }
        }
    }
}

impl core::error::Error for TableMistake {}
