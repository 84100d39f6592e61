//! Event tables: the schema by which events are encoded, decoded and checked.
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
//! 1. Any words are either accepted as an event of a known kind, or refused with a reason.
//! 2. Accepted events decode to the encoded values: numbers are finite and in range, handles are well-formed. Whether a
//!    handle names something, and whether the player may do this, is for the world to decide.
//! 3. Checking and decoding do not allocate. Cost: a binary search among the kinds, and a check of each word.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use base::handle::GENERATION_MIN;
use base::{Handle, StringId, Vec3};

use crate::event::{EVENT_WORDS, Event};
use crate::limits::{EVENTS_PER_BATCH_MAX, KINDS_MAX};

/// A kind of event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventKind {
    /// Its name.
    pub name: StringId,
    /// Its fields, in order.
    pub fields: Vec<EventField>,
    /// The most events of this kind per player and safe cycle.
    pub per_batch_max: u16,
}

/// A field of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventField {
    /// Its name.
    pub name: StringId,
    /// Its type.
    pub kind: FieldKind,
    /// The range of a number, an identifier, or each number of a vector. Other types have none.
    pub range: Option<(f32, f32)>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
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
#[expect(missing_docs, reason = "the names say it")]
pub enum FieldValue {
    Number(f32),
    Identifier(i32),
    Truth(bool),
    Object(Handle<()>),
    String(StringId),
    Vector(Vec3),
}

/// A table of event kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTable {
    kinds: Vec<EventKind>,
    /// The numbers of the kinds, by name.
    by_name: Vec<u16>,
}

/// Why an event is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventRefusal {
    /// Unknown kind.
    UnknownKind,
    /// An infinite number or NaN.
    NotFinite {
        /// The field.
        field: StringId,
    },
    /// A number out of range.
    OutOfRange {
        /// The field.
        field: StringId,
        /// The value found.
        found: f32,
        /// The range.
        range: (f32, f32),
    },
    /// Neither zero nor one.
    NoTruth {
        /// The field.
        field: StringId,
        /// The value found.
        found: u32,
    },
    /// A malformed handle.
    NoHandle {
        /// The field.
        field: StringId,
        /// The value found.
        found: u32,
    },
    /// A nonzero word after the last field.
    Spare {
        /// Its index.
        word: usize,
        /// The value found.
        found: u32,
    },
    /// Too many events of its kind in one batch.
    TooMany {
        /// The limit.
        max: u16,
    },
    /// Wrong number of values.
    Count {
        /// The number of fields.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// A value of the wrong type.
    Kind {
        /// The field.
        field: StringId,
        /// The expected type.
        expected: FieldKind,
    },
}

/// A mistake in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableMistake {
    /// Too many kinds.
    TooManyKinds {
        /// Their number.
        found: usize,
    },
    /// A kind without a name.
    NoName {
        /// Its index.
        number: usize,
    },
    /// Two kinds with the same name.
    KindTwice {
        /// The name.
        kind: StringId,
    },
    /// Two fields with the same name.
    FieldTwice {
        /// The kind.
        kind: StringId,
        /// The name.
        field: StringId,
    },
    /// Too many words.
    TooLarge {
        /// The kind.
        kind: StringId,
        /// The number of words it would need.
        words: usize,
    },
    /// An empty or invalid range.
    Range {
        /// The kind.
        kind: StringId,
        /// The field.
        field: StringId,
        /// The value given.
        range: (f32, f32),
    },
    /// A limit of zero, or larger than a batch.
    Limit {
        /// The kind.
        kind: StringId,
        /// The value given.
        limit: u16,
    },
}

impl EventTable {
    /// A table of these kinds, or all mistakes in them.
    pub fn new(kinds: Vec<EventKind>) -> Result<EventTable, Vec<TableMistake>> {
        let mistakes = mistakes(&kinds);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut by_name: Vec<u16> = (0..kinds.len() as u16).collect();
        by_name.sort_by_key(|number| kinds[usize::from(*number)].name);
        Ok(EventTable { kinds, by_name })
    }

    /// The kinds, in the given order.
    pub fn kinds(&self) -> &[EventKind] {
        &self.kinds
    }

    /// The number of the kind with this name hash.
    pub fn number(&self, name: StringId) -> Option<usize> {
        let found = self.by_name.binary_search_by_key(&name, |number| self.kinds[usize::from(*number)].name);
        found.ok().map(|place| usize::from(self.by_name[place]))
    }

    /// The kind with this name hash.
    pub fn kind(&self, name: StringId) -> Option<&EventKind> {
        self.number(name).map(|number| &self.kinds[number])
    }

    /// Checks an event.
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

    /// The values of an event by field name. Empty if its kind is unknown; in an unchecked event non-finite numbers are
    /// zero.
    pub fn read<'a>(&'a self, event: &'a Event) -> impl Iterator<Item = (StringId, FieldValue)> + 'a {
        let fields = self.kind(event.kind).map_or(&[][..], |kind| &kind.fields);
        let mut at = 0;
        fields.iter().map(move |field| {
            let value = field.kind.read(event, at);
            at += field.kind.words();
            (field.name, value)
        })
    }

    /// Encodes an event of a kind with these values, which are checked.
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
    /// The field concerned, if any.
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
                let is_handle = handle.is_none() || handle.generation() >= GENERATION_MIN;
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
    /// Its number of words.
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
    /// Its type.
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

    /// Encodes it into the words of its type. -0 becomes +0.
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
            EventRefusal::UnknownKind => {
                formatter.write_str("expected a kind of event in the table, found an unknown one")
            }
            EventRefusal::NotFinite { field } => {
                write!(formatter, "expected a finite number in {field}, found infinity or NaN")
            }
            EventRefusal::OutOfRange { field, found, range: (min, max) } => {
                write!(formatter, "expected {min} to {max} in {field}, found {found}")
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
            EventRefusal::TooMany { max } => write!(formatter, "expected at most {max} of its kind, found more"),
            EventRefusal::Count { expected, found } => {
                write!(formatter, "expected {expected} values, found {found}")
            }
            EventRefusal::Kind { field, expected } => {
                write!(formatter, "expected {} in {field}, found a value of another type", expected.text())
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
            TableMistake::KindTwice { kind } => write!(formatter, "the kind of events {kind} is listed twice"),
            TableMistake::FieldTwice { kind, field } => {
                write!(formatter, "the events {kind} have the field {field} twice")
            }
            TableMistake::TooLarge { kind, words } => {
                write!(formatter, "the events {kind} carry {words} words; expected at most {EVENT_WORDS}")
            }
            TableMistake::Range { kind, field, range: (min, max) } => {
                let wanted = "expected a finite minimum and a maximum that is not below it";
                write!(formatter, "the field {field} of the events {kind} goes from {min} to {max}; {wanted}")
            }
            TableMistake::Limit { kind, limit } => {
                write!(formatter, "a batch may hold {limit} of the events {kind}; expected 1 to {EVENTS_PER_BATCH_MAX}")
            }
        }
    }
}

impl core::error::Error for TableMistake {}
