//! Plain old data with reflection: the only kind of value in a world.
//!
//! A plain value is its bytes: no pointers, no padding, no invalid bit patterns, the same layout on every machine we
//! build for. It describes itself (name, type and offset of every field), so that a save can be checked against the
//! program that loads it, and a difference of two worlds can be reported by field.
//!
//! Laws
//! 1. Any bytes of the right length are a value; reading them never fails.
//! 2. A description covers every byte exactly once.
//! 3. A canonical value holds no −0 and no NaN but the one of [`number::canonical`](crate::number::canonical). Values
//!    stored in a world are canonical, because the sign of a zero and the bits of a NaN are not the same on all
//!    machines.
//! 4. Bytes are little-endian: this crate does not compile for big-endian machines.
//!
//! ```
//! use base::{Plain, Truth, Vec3};
//!
//! #[derive(Clone, Copy, Plain)]
//! #[repr(C)]
//! struct Ship {
//!     position: Vec3,
//!     hull: f32,
//!     crew: u16,
//!     is_docked: Truth,
//!     lamps: [u8; 5],
//! }
//! assert_eq!(Ship::DESCRIPTION.bytes, 24);
//! assert!(Ship::DESCRIPTION.has_floats);
//! ```
//!
//! Platform-dependent types and padding are refused:
//!
//! ```compile_fail,E0277
//! #[derive(Clone, Copy, base::Plain)]
//! #[repr(C)]
//! struct Counted { length: usize }
//! ```
//! ```compile_fail,E0277
//! #[derive(Clone, Copy, base::Plain)]
//! #[repr(C)]
//! struct Named { name: &'static str }
//! ```
//! ```compile_fail,E0080
//! #[derive(Clone, Copy, base::Plain)]
//! #[repr(C)]
//! struct Padded { small: u8, large: u32 }
//! ```

mod choice;

use core::fmt;

pub use base_derive::{Plain, PlainEnum};
#[doc(hidden)]
pub use bytemuck::{Pod, Zeroable};
pub use bytemuck::{
    bytes_of, bytes_of_mut, cast_slice, cast_slice_mut, from_bytes, from_bytes_mut, pod_read_unaligned,
};
pub use choice::{Enum, PlainEnum};

use crate::number::{canonical, canonical_f64};

const _: () = assert!(cfg!(target_endian = "little"), "worlds are little-endian bytes");
const _: () = assert!(
    !cfg!(target_arch = "x86") || cfg!(target_feature = "sse2"),
    "without SSE2, x87 rounds intermediate results differently"
);

/// A value that is its bytes. Implemented with `#[derive(Plain)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in a world",
    label = "not plain data",
    note = "plain are: u8 to u64, i8 to i64, f32, f64, arrays, `Truth` (for bool), `Enum<E>` (for enums), handles, \
            string ids, vectors, and `#[repr(C)]` structs of these with `#[derive(Plain)]`; not: bool, usize, char, enums, references, Vec, String"
)]
pub trait Plain: Pod + Send + Sync {
    /// The description of the type.
    const DESCRIPTION: &'static Description;

    /// Canonicalises every float. Free for types without floats.
    fn canonicalise(&mut self);
}

/// The description of a plain type.
#[derive(Debug, PartialEq, Eq)]
pub struct Description {
    /// The type's name, without its path.
    pub name: &'static str,
    /// Its size.
    pub bytes: u32,
    /// Its structure.
    pub kind: Kind,
    /// Whether it contains a float.
    pub has_floats: bool,
}

/// The structure of a described type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One number.
    Number(Number),
    /// The number of one of these variants.
    Enum(&'static [Variant]),
    /// Named fields, in the order of their offsets.
    Record(&'static [Field]),
    /// An array.
    Array {
        /// The type of an element.
        element: &'static Description,
        /// The number of elements.
        count: u32,
    },
}

/// One variant of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    /// Its number.
    pub number: u64,
}

/// One field of a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its offset in the record.
    pub offset: u32,
    /// Its type.
    pub description: &'static Description,
}

/// The interpretation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Unsigned, one to eight bytes.
    Unsigned,
    /// Signed, one to eight bytes.
    Signed,
    /// An IEEE float of four or eight bytes.
    Float,
    /// A boolean, one byte.
    Truth,
    /// A handle: slot and generation.
    Handle,
    /// The hash of a text.
    StringId,
}

impl Description {
    /// Formats the value in `bytes` for people. A wrong length gives a text that says so.
    pub fn write_value(&self, bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
        match self.kind {
            Kind::Number(number) => write_number(number, bytes, out),
            Kind::Enum(variants) => match variants.iter().find(|variant| Some(variant.number) == unsigned(bytes)) {
                Some(variant) => out.write_str(variant.name),
                None => {
                    write_number(Number::Unsigned, bytes, out)?;
                    write!(out, " (no variant of {})", self.name)
                }
            },
            Kind::Record(fields) => {
                out.write_str("{ ")?;
                for (index, field) in fields.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(out, "{separator}{} ", field.name)?;
                    let start = field.offset as usize;
                    let part = bytes.get(start..start + field.description.bytes as usize).unwrap_or(&[]);
                    field.description.write_value(part, out)?;
                }
                out.write_str(" }")
            }
            Kind::Array { element, count } => {
                out.write_char('[')?;
                for index in 0..count as usize {
                    let separator = if index == 0 { "" } else { ", " };
                    out.write_str(separator)?;
                    let start = index * element.bytes as usize;
                    element.write_value(bytes.get(start..start + element.bytes as usize).unwrap_or(&[]), out)?;
                }
                out.write_char(']')
            }
        }
    }
}

fn write_number(number: Number, bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(unsigned) = unsigned(bytes) else { return write!(out, "({} bytes)", bytes.len()) };
    match number {
        Number::Unsigned => write!(out, "{unsigned}"),
        Number::Signed => {
            let unused = 64 - 8 * bytes.len() as u32;
            write!(out, "{}", (unsigned << unused).cast_signed() >> unused)
        }
        Number::Float if bytes.len() == 4 => write!(out, "{:?}", f32::from_bits(unsigned as u32)),
        Number::Float => write!(out, "{:?}", f64::from_bits(unsigned)),
        Number::Truth => out.write_str(if unsigned == 0 { "false" } else { "true" }),
        Number::Handle if unsigned == u64::from(u32::MAX) => out.write_str("NONE"),
        Number::Handle => write!(out, "{unsigned:#010x}"),
        Number::StringId => write!(out, "string id {unsigned:#018x}"),
    }
}

/// The unsigned number in one to eight bytes.
fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    let is_number = !bytes.is_empty() && bytes.len() <= word.len();
    is_number.then(|| {
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    })
}

/// A boolean as plain data. Any nonzero byte reads as true; only zero and one are written.
#[derive(Clone, Copy, Default, Plain)]
#[plain(number = Truth)]
#[repr(transparent)]
pub struct Truth(u8);

impl Truth {
    /// False.
    pub const FALSE: Truth = Truth(0);
    /// True.
    pub const TRUE: Truth = Truth(1);

    /// As a `bool`.
    pub const fn is_true(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        Truth(u8::from(value))
    }
}

impl From<Truth> for bool {
    fn from(value: Truth) -> bool {
        value.is_true()
    }
}

impl fmt::Debug for Truth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.is_true().fmt(formatter)
    }
}

impl PartialEq for Truth {
    fn eq(&self, other: &Truth) -> bool {
        self.is_true() == other.is_true()
    }
}

impl Eq for Truth {}

const fn number(name: &'static str, bytes: u32, number: Number) -> Description {
    Description { name, bytes, kind: Kind::Number(number), has_floats: matches!(number, Number::Float) }
}

macro_rules! plain_integers {
    ($($integer:ident $kind:ident),*) => {$(
        impl Plain for $integer {
            const DESCRIPTION: &'static Description =
                &number(stringify!($integer), size_of::<$integer>() as u32, Number::$kind);

            fn canonicalise(&mut self) {}
        }
    )*};
}

plain_integers!(u8 Unsigned, u16 Unsigned, u32 Unsigned, u64 Unsigned, i8 Signed, i16 Signed, i32 Signed, i64 Signed);

impl Plain for f32 {
    const DESCRIPTION: &'static Description = &number("f32", 4, Number::Float);

    #[inline]
    fn canonicalise(&mut self) {
        *self = canonical(*self);
    }
}

impl Plain for f64 {
    const DESCRIPTION: &'static Description = &number("f64", 8, Number::Float);

    #[inline]
    fn canonicalise(&mut self) {
        *self = canonical_f64(*self);
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const DESCRIPTION: &'static Description = &Description {
        name: "array",
        bytes: size_of::<[T; N]>() as u32,
        kind: Kind::Array { element: T::DESCRIPTION, count: N as u32 },
        has_floats: T::DESCRIPTION.has_floats,
    };

    #[inline]
    fn canonicalise(&mut self) {
        if T::DESCRIPTION.has_floats {
            self.iter_mut().for_each(T::canonicalise);
        }
    }
}
