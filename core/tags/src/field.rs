//! The Rust types of fields: plain values that are read in place.
//!
//! | in Rust | in the text |
//! |---|---|
//! | `i8` … `u64`, `f32`, `f64` | `3`, `0.25` |
//! | [`Truth`] | `true` |
//! | [`Identifier`] | `#3` |
//! | [`StringId`] | `"muzzle"` |
//! | [`Text`] | `"words as they are"` |
//! | [`Vec2`], [`Vec3`], [`Vec4`] | `vec(1, 2, 3)`, `[1, 2, 3, 4]` |
//! | [`Angle`] | `45`, in degrees |
//! | [`Colour`] | `"#ff8800"` |
//! | [`Choice<E>`](Choice), [`Flags<E>`](Flags) | `"small"`, `["fast", "armed"]` |
//! | [`Reference<T>`](Reference) | `"weapons/laser.weapon"` |
//! | [`Bulk`] | `{ file "corvette.pixels", bytes 4096, hash "…" }` |
//! | [`OwnHandle`], [`OwnValue`] | nothing: only objects have a value here |
//! | [`Lambda`], [`Formula`] | `Lambda(damage, damage * 2)`; a number or such a lambda |
//! | a struct with `#[derive(Record)]` | `{ name value, … }` |
//! | [`Series<T>`](Series) | `[a, b]` |
//! | [`Maybe<T>`](Maybe) | a value or `nothing` |
//!
//! A class, its records and its names:
//!
//! ```
//! use base::StringId;
//! use tags::{Choice, Lambda, Names, Record, Series, Tag};
//!
//! /// A ship.
//! #[derive(Tag)]
//! #[tag(version = 2)]
//! #[repr(C)]
//! struct Ship {
//!     /// What it weighs when empty.
//!     #[tag(unit = "t", range(0.1, 1e6), step = 0.1, default = 1200)]
//!     mass: f32,
//!     #[tag(default = "\"small\"")]
//!     size: Choice<Size>,
//!     /// What is mounted where.
//!     weapons: Series<Weapon>,
//!     #[tag(name = "OnDamage", signature = "Lambda(number, string, number)")]
//!     on_damage: Lambda,
//!     #[tag(unit = "m/s", former("speed", before = 2, convert = "Lambda(old, old / 3.6)"))]
//!     speed: f32,
//! }
//!
//! #[derive(Record)]
//! #[repr(C)]
//! struct Weapon {
//!     #[tag(key)]
//!     marker: StringId,
//! }
//!
//! #[derive(Clone, Copy, Names)]
//! enum Size {
//!     Small,
//!     #[tag(former("big"))]
//!     Large,
//! }
//!
//! let class = Ship::class();
//! assert_eq!((class.name.as_str(), class.version, class.help.as_str()), ("ship", 2, "A ship."));
//! assert_eq!(class.root().fields[0].default.as_deref(), Some("1200"));
//! ```
//!
//! | on a class | |
//! |---|---|
//! | `class = "ship"` | its name; by default the struct's, in snake case |
//! | `version = 2` | its version; by default 1 |
//! | `not_recoverable` | a changed tag restarts the level |
//! | `open` | its tags may define additional variables |
//! | `reads(Model, Collision)`, `postprocess = 1` | the classes that the postprocess may read, and its version |
//!
//! | on a field | |
//! |---|---|
//! | `base` | on the first field, whose type is a class: its fields become the first of this class |
//! | `name = "OnDamage"` | its name in the text; by default the field's own |
//! | `unit = "t"`, `range(0.1, 1e6)`, `step = 0.1` | its unit, its limits, and the step of a slider |
//! | `default = 1200` | its value where the text gives none: a number, `true` or `false`, or a string with the LScript text: `"vec(0, 0, 1)"`, `"\"small\""`. Without it, a record has the defaults of its fields, and everything else is zero, empty or nothing |
//! | `hidden`, `read_only`, `expert`, `runtime`, `state`, `replicated`, `resident` | as [`class::Field`] has them |
//! | `key` | it identifies the elements of a series |
//! | `signature = "Lambda(number, number)"` | of a lambda: its parameters, then its result |
//! | `former("hp")`, `former("speed", before = 3, convert = "Lambda(old, old / 3.6)")` | a former name or meaning; any number of them |
//!
//! On the variant of an enum: `name = "…"` (by default its own in snake case) and `former("…")`. A struct can be a
//! field only if each of its fields can; the compiler names the one that cannot:
//!
//! ```compile_fail,E0277
//! #[derive(tags::Record)]
//! #[repr(C)]
//! struct Wrong {
//!     text: &'static str,
//! }
//! ```
//!
//! Laws
//! 1. Any bytes are a valid value of every type here, so that a damaged file cannot create an invalid one. A number
//!    that names no choice reads as the first choice; bits without a flag are ignored.
//! 2. A type with parts elsewhere ([`Text`], [`Series`]) holds an offset relative to itself, and is valid only in its
//!    place: it cannot be copied out of its tag. [`View`](crate::packed::View) follows the offset.
#![allow(unsafe_code, reason = "promises that any bytes are a value, which the compiler cannot check")]

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

use base::{StringId, Truth, Vec2, Vec3, Vec4};

use crate::class::{self, Class, Kind, Named, Number};

/// Types of which any bytes are a valid value.
///
/// # Safety
/// It has no invalid bit patterns, no pointer and no interior mutability, and a fixed layout (`#[repr(C)]`). Padding is
/// allowed: packed bytes are only read.
pub unsafe trait AnyBytes: Sized + Send + Sync + 'static {}

/// Types that may be fields: those of this page, and structs with `#[derive(Record)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a tag",
    note = "see the table of `tags::field`; a struct can with `#[derive(Record)]`, an enum as `Choice<E>` or `Flags<E>` with `#[derive(Names)]`"
)]
pub trait FieldType: AnyBytes {
    /// The kind of the field. Records are declared through the builder.
    fn kind(builder: &mut Builder) -> Kind;
}

/// A struct of fields. Implemented by `#[derive(Record)]` and `#[derive(Tag)]`.
pub trait RecordType: FieldType {
    /// Its fields, help and key. Offsets are computed later, and compared with [`RecordType::offsets`].
    fn describe(builder: &mut Builder) -> class::Record;

    /// The offsets of its fields, those of its base first.
    fn offsets() -> Vec<usize>;
}

/// A class of tags. Implemented by `#[derive(Tag)]`.
pub trait Tag: RecordType {
    /// The class's name.
    const CLASS: &'static str;

    /// The attributes of the class, before its records are added.
    fn head() -> Class;

    /// The class's table.
    ///
    /// # Panics
    /// If the class is declared wrongly: a duplicate field, an empty range.
    fn class() -> Class {
        Builder::build::<Self>()
    }
}

/// An enum whose variants are the names of a [`Choice`] or of [`Flags`]. Implemented by `#[derive(Names)]`.
pub trait Names: Copy + Send + Sync + 'static {
    /// The variants in order.
    const ALL: &'static [Self];

    /// Their names in the text, in order.
    fn names() -> Vec<Named>;

    /// The index of this variant.
    fn index(self) -> u32;
}

/// Collects the records of a class.
#[derive(Debug)]
pub struct Builder {
    class: Class,
    /// The type and size of each record, and the offsets of its fields.
    known: Vec<(TypeId, usize, Vec<usize>)>,
}

impl Builder {
    fn build<T: Tag>() -> Class {
        let mut builder = Builder { class: T::head(), known: Vec::new() };
        builder.known.push((TypeId::of::<T>(), size_of::<T>(), T::offsets()));
        let root = T::describe(&mut builder);
        builder.class.records[0] = root;
        let class = builder.class.finish().unwrap_or_else(|why| panic!("{why}"));
        for (record, (_, bytes, offsets)) in class.records.iter().zip(&builder.known) {
            let lies: Vec<usize> = record.fields.iter().map(|field| field.offset as usize).collect();
            assert_eq!(
                (record.bytes as usize, &*lies),
                (*bytes, &**offsets),
                "`{}` does not have the layout of its table: is it `#[repr(C)]`?",
                record.name
            );
        }
        class
    }

    /// Adds the fields of the base of the class, with which its own record begins.
    ///
    /// # Panics
    /// If called for a record within the class: only a class has a base.
    pub fn base<T: Tag>(&mut self) -> class::Record {
        assert_eq!(
            self.known.len(),
            1,
            "a class derived from `{}` cannot be a field: only a class has a base",
            T::CLASS
        );
        let head = T::head();
        self.class.is_recoverable &= head.is_recoverable;
        self.class.is_open |= head.is_open;
        let record = T::describe(self);
        self.class.inherit(T::CLASS, record)
    }

    /// The number of a record, which is described on first use.
    pub fn record<T: RecordType>(&mut self) -> Kind {
        let id = TypeId::of::<T>();
        if let Some(number) = self.known.iter().position(|(known, ..)| *known == id) {
            return Kind::Record(number as u32);
        }
        let number = self.known.len();
        self.known.push((id, size_of::<T>(), T::offsets()));
        self.class.records.push(class::Record::default());
        let record = T::describe(self);
        self.class.records[number] = record;
        Kind::Record(number as u32)
    }
}

/// Support for the derives.
#[doc(hidden)]
pub mod derived {
    pub use alloc::vec::Vec;

    use alloc::boxed::Box;
    use alloc::string::ToString;

    use crate::class::Kind;

    /// The kind with the signature of its lambda.
    ///
    /// # Panics
    /// If it has no lambda.
    pub fn with_signature(kind: Kind, signature: &str) -> Kind {
        match kind {
            Kind::Lambda(_) => Kind::Lambda(signature.to_string()),
            Kind::Series(of) => Kind::Series(Box::new(with_signature(*of, signature))),
            Kind::Optional(of) => Kind::Optional(Box::new(with_signature(*of, signature))),
            other => panic!("only a lambda has a signature, and this is {}", other.in_words()),
        }
    }
}

macro_rules! define_kinds {
    ($($kind:ty => $value:expr),* $(,)?) => {$(
        impl FieldType for $kind {
            fn kind(_: &mut Builder) -> Kind {
                $value
            }
        }
    )*};
}

define_kinds! {
    i8 => Kind::Number(Number::I8),
    i16 => Kind::Number(Number::I16),
    i32 => Kind::Number(Number::I32),
    i64 => Kind::Number(Number::I64),
    u8 => Kind::Number(Number::U8),
    u16 => Kind::Number(Number::U16),
    u32 => Kind::Number(Number::U32),
    u64 => Kind::Number(Number::U64),
    f32 => Kind::Number(Number::F32),
    f64 => Kind::Number(Number::F64),
    Truth => Kind::Truth,
    Identifier => Kind::Identifier,
    StringId => Kind::StringId,
    Text => Kind::Text,
    Vec2 => Kind::Vector(2),
    Vec3 => Kind::Vector(3),
    Vec4 => Kind::Vector(4),
    Angle => Kind::Angle,
    Colour => Kind::Colour,
    Bulk => Kind::Bulk,
    OwnHandle => Kind::Own(true),
    OwnValue => Kind::Own(false),
    Lambda => Kind::Lambda("".to_string()),
    Formula => Kind::Formula,
}

macro_rules! any_bytes {
    ($($kind:ident $(<$parameter:ident: $bound:path>)?),* $(,)?) => {$(
        // SAFETY: it is `#[repr(C)]` or transparent, and all it holds are numbers and other such values.
        unsafe impl $(<$parameter: $bound>)? AnyBytes for $kind $(<$parameter>)? {}
    )*};
}

any_bytes! { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Truth, StringId, Vec2, Vec3, Vec4 }
any_bytes! { Identifier, Text, Angle, Colour, Bulk, OwnHandle, OwnValue, Lambda, Formula }
any_bytes! { Choice<E: Names>, Flags<E: Names>, Reference<T: Tag>, Series<T: FieldType>, Maybe<T: FieldType> }

/// An identifier: `#3`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Identifier(pub i32);

/// A handle that only objects have and no text can give: for state fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct OwnHandle;

/// Any value that only objects have and no text can give: for state fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct OwnValue;

/// An angle, in radians. Designers write degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Angle {
    /// The angle in radians.
    pub radians: f32,
}

/// A colour: red, green and blue in linear light, and opacity, each usually between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Colour {
    pub red: f32,
    pub green: f32,
    pub blue: f32,
    pub opacity: f32,
}

/// A text.
#[repr(C)]
pub struct Text {
    pub(crate) offset: i32,
    pub(crate) bytes: u32,
}

/// Any number of values of one type.
#[repr(C)]
pub struct Series<T> {
    pub(crate) offset: i32,
    pub(crate) count: u32,
    of: PhantomData<fn() -> T>,
}

/// An optional value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Maybe<T> {
    is_there: u32,
    value: T,
}

/// One of the names of `E`.
#[repr(transparent)]
pub struct Choice<E> {
    number: u32,
    of: PhantomData<fn() -> E>,
}

/// Some of the names of `E`.
#[repr(transparent)]
pub struct Flags<E> {
    bits: u32,
    of: PhantomData<fn() -> E>,
}

/// Another tag, or none. Follow it with [`Library::follow`](crate::library::Library::follow).
#[repr(transparent)]
pub struct Reference<T> {
    id: StringId,
    of: PhantomData<fn() -> T>,
}

/// Bulk data: bytes in a file beside the tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bulk {
    /// The BLAKE3 digest of the bytes; zeros if there are none.
    pub digest: [u8; 32],
    /// Their number.
    pub bytes: u64,
}

/// A lambda of the tag, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Lambda {
    /// The number of its function in the tag's program, plus one; 0 for none.
    pub(crate) function: u32,
}

/// A number, or a lambda that computes one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Formula {
    pub(crate) number: f64,
    pub(crate) function: u32,
    unused: u32,
}

impl<T: FieldType> FieldType for Series<T> {
    fn kind(builder: &mut Builder) -> Kind {
        Kind::Series(Box::new(T::kind(builder)))
    }
}

impl<T: FieldType> FieldType for Maybe<T> {
    fn kind(builder: &mut Builder) -> Kind {
        Kind::Optional(Box::new(T::kind(builder)))
    }
}

impl<E: Names> FieldType for Choice<E> {
    fn kind(_: &mut Builder) -> Kind {
        Kind::Choice(E::names())
    }
}

impl<E: Names> FieldType for Flags<E> {
    fn kind(_: &mut Builder) -> Kind {
        Kind::Flags(E::names())
    }
}

impl<T: Tag> FieldType for Reference<T> {
    fn kind(_: &mut Builder) -> Kind {
        Kind::Reference(T::CLASS.to_string())
    }
}

impl<T: FieldType> Maybe<T> {
    /// The value, if there is one.
    pub fn get(&self) -> Option<&T> {
        (self.is_there != 0).then_some(&self.value)
    }
}

impl<E: Names> Choice<E> {
    /// The chosen variant; the first, if the number names none.
    pub fn get(self) -> E {
        E::ALL.get(self.number as usize).copied().unwrap_or(E::ALL[0])
    }
}

impl<E: Names> Flags<E> {
    /// Whether this flag is set.
    pub fn has(self, flag: E) -> bool {
        self.bits >> flag.index() & 1 == 1
    }
}

impl<E> Clone for Choice<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Choice<E> {}

impl<E> Clone for Flags<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Flags<E> {}

impl<T> Reference<T> {
    /// Whether it names a tag.
    pub fn is_none(&self) -> bool {
        self.id.is_none()
    }

    /// The id of the path it names.
    pub fn id(&self) -> StringId {
        self.id
    }
}

impl Lambda {
    /// The function in the tag's program, if there is one.
    pub fn function(self) -> Option<u32> {
        self.function.checked_sub(1)
    }
}

impl Formula {
    /// The number, if it is one.
    pub fn number(self) -> Option<f64> {
        (self.function == 0).then_some(self.number)
    }

    /// The function in the tag's program, if it is a lambda.
    pub fn function(self) -> Option<u32> {
        self.function.checked_sub(1)
    }
}

impl<T> Series<T> {
    /// The length stored in the file; [`View::each`](crate::packed::View::each) iterates over the elements that exist.
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl<E: Names + fmt::Debug> fmt::Debug for Choice<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(formatter)
    }
}

impl<E: Names + fmt::Debug> fmt::Debug for Flags<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(E::ALL.iter().filter(|flag| self.has(**flag))).finish()
    }
}

impl<T> fmt::Debug for Reference<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Reference({})", self.id)
    }
}

impl<T> fmt::Debug for Series<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Series of {}", self.count)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Text of {} bytes", self.bytes)
    }
}
