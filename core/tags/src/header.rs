//! Headers: classes as LScript files, read and written.
//!
//! A header declares a class without a line of Rust. It is that of [`script::class`], and more can be said in it:
//!
//! ```text
//! @EnvironmentHeader
//! !set Namespace  "ship"
//! !set Version    2
//! !set Help       "What flies."
//! !set Attributes [
//!     { name "mass", type "f32", default 1200, range [0.1, 1e6], unit "t", help "What it weighs when empty." },
//!     { name "size", type "choice", names ["small", { name "large", former "big" }], default "small" },
//!     { name "weapons", type "list of record weapon" },
//!     { name "speed", type "f32", former [{ name "speed", before 2, convert Lambda(old, old / 3.6) }] }
//! ]
//! !set Records [
//!     { name "weapon", fields [{ name "marker", type "string id", key true }, { name "tag", type "@weapon" }] }
//! ]
//! ```
//!
//! | variable | |
//! |---|---|
//! | `Namespace` | the class's name |
//! | `Base` | the class that it is made from, in quotes: it begins with all fields of that |
//! | `Attributes` | its fields; each a record |
//! | `Records` | the records that its fields hold, by name; they may hold each other, and series of themselves |
//! | `Version`, `Help` | its version (1 unless said), and what it is for |
//! | `Recoverable` | false if a changed tag starts the level again; so it is if it is of the base |
//! | `Open` | true if its tags may set names of their own beside its fields; so it is if it is of the base |
//! | `Reads`, `Postprocess` | the classes its postprocess may read, and the number of that |
//! | `Init` | means something to scripts only |
//!
//! | of an attribute | |
//! |---|---|
//! | `name`, `type` | as they are called; the types are those of the table below. Without a type, that of the default |
//! | `default` | its value where the text gives none; kept as it is written, unless it uses a variable of the header |
//! | `range`, `step`, `unit` | what its number may be, how far a knob turns, what it counts |
//! | `help` | what it is for |
//! | `hidden` `read_only` `expert` `runtime` `state` `replicated` | true or false, as [`class::Field`](crate::class::Field) has them |
//! | `key` | true if it tells the elements of a series apart |
//! | `formula` | true if a lambda may stand for the number |
//! | `names` | of a choice or of flags: texts, or records of `name`, `help`, `former` |
//! | `fields` | of a record that is declared here: attributes, as above |
//! | `former` | what it was called or meant: a text, a record of `name`, `before`, `convert`, or a list of these |
//!
//! | type | |
//! |---|---|
//! | `i8` … `u64`, `f32`, `f64`; `number` | a number; `number` is `f64`, which keeps all digits that a designer writes |
//! | `truth` `identifier` `angle` `colour` `bulk` `formula` | as [`class::Kind`](crate::class::Kind) has them |
//! | `text`, `string` | words that are kept as they are |
//! | `string id` | a name, known to the game by its id |
//! | `vec2` `vec3` `vec4`; `vector` | a vector; `vector` is `vec3` |
//! | `handle` `any` | what only objects have and no text can say; for fields that are state |
//! | `choice` `flags` | one, or some, of the attribute's `names` |
//! | `@weapon`, `tag` | a tag of that class; of any |
//! | `lambda`, `Lambda(number, number)` | a lambda; what it takes, then what it gives |
//! | `record weapon`, `record`, `{ marker string }` | one of `Records`; that of the attribute's `fields`; one of these |
//! | `list of …`, `… or nothing`, `( … )` | any number of the same; perhaps nothing; brackets decide what belongs together |
//!
//! A text may also be a list of texts, which are its lines.
//!
//! A header with a base that names a field of the base again says something else about it: another default, range, help. Its type
//! need not be written, and cannot be another.
//!
//! Laws
//! 1. Read again, what was written is the same class, with the same fingerprint.
//! 2. What is wrong is reported with its place, and the rest counts. Only without a name, without its base, or if the records
//!    have no layout, is there no class.
//! 3. Formulas work: what is not a literal is evaluated, within limits. Only `Base` is always written out.
//! 4. In which order headers lie does not matter: [`gather`](crate::gather) finds the base of each among the others.

mod kinds;
mod values;

mod script_class;

mod read;
mod write;

mod attribute;

pub use read::{Bases, read, read_with};
pub use script_class::as_script_class;
pub use write::write;

/// The variables of a header that mean something.
const KNOWN: [&str; 11] = [
    "Namespace",
    "Base",
    "Attributes",
    "Records",
    "Version",
    "Help",
    "Recoverable",
    "Open",
    "Reads",
    "Postprocess",
    "Init",
];
