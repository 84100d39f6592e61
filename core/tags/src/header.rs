//! Headers: classes as LScript files, read and written.
//!
//! A header declares a class without Rust:
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
//! | `Base` | the base class, in quotes; its fields come first |
//! | `Attributes` | its fields; each a record |
//! | `Records` | the records of its fields, by name; they may contain each other, and series of themselves |
//! | `Version`, `Help` | its version (default 1), and what it is for |
//! | `Recoverable` | false if a changed tag restarts the level; inherited from the base |
//! | `Open` | true if its tags may define additional variables; inherited from the base |
//! | `Use` | the path of a script, or a list of them: what it sets, all tags of the class see |
//! | `Init` | the path of a script that sets the initial values of the tags; behind `Use`, otherwise the same |
//! | `Libraries` | those scripts with their texts, as tools write them: records of `path` and `text` |
//! | `Reads`, `Postprocess` | the classes that its postprocess may read, and its version |
//!
//! | of an attribute | |
//! |---|---|
//! | `name`, `type` | its name, and a type of the table below; by default the type of the default |
//! | `default` | its value where the text gives none, which may be a lambda or a formula of other fields; kept as written, unless it uses a variable of the header |
//! | `range`, `step`, `unit` | the limits of its number, the step of a slider, its unit |
//! | `help` | what it is for |
//! | the flags of [`class::FLAGS`](crate::class::FLAGS) | true or false |
//! | `key` | true if it identifies the elements of a series |
//! | `formula` | true if a lambda may compute the number |
//! | `names` | of a choice or of flags: texts, or records of `name`, `help`, `former` |
//! | `fields` | of a record that is declared here: attributes, as above |
//! | `former` | former names or meanings: a text, a record of `name`, `before`, `convert`, or a list of these |
//!
//! | type | |
//! |---|---|
//! | `i8` … `u64`, `f32`, `f64`; `number` | a number; `number` is `f64`, which keeps all digits of the text |
//! | `truth` `identifier` `angle` `colour` `bulk` `formula` | as [`class::Kind`](crate::class::Kind) has them |
//! | `text`, `string` | a text |
//! | `string id` | a name, known to the game by its id |
//! | `vec2` `vec3` `vec4`; `vector` | a vector; `vector` is `vec3` |
//! | `handle` `any` | a value that only objects have; for state fields |
//! | `choice` `flags` | one, or some, of the attribute's `names` |
//! | `@weapon`, `tag` | a tag of that class, or of any |
//! | `lambda`, `Lambda(number, number)` | a lambda; its parameters, then its result |
//! | `record weapon`, `record`, `{ marker string }` | one of `Records`; the attribute's `fields`; an inline record |
//! | `list of …`, `… or nothing`, `( … )` | a series; an optional value; grouping |
//!
//! A text may also be a list of texts: its lines.
//!
//! A header with a base may declare a field of the base again, with another default, range or help. Its type may be
//! omitted, and cannot change.
//!
//! Laws
//! 1. Reading what was written gives the same class, with the same fingerprint.
//! 2. Errors are reported with their place, and the rest counts. There is no class only if its name or its base is
//!    missing, or if the records have no layout.
//! 3. Formulas work: values that are not literals are evaluated, within limits. Only `Base` must be a literal.
//! 4. The order of headers does not matter: [`header_set`](crate::header_set) finds the base of each among the others.

pub mod vocabulary;

mod types;
mod values;

mod schema;

mod read;
mod write;

mod attribute;

pub use attribute::default_span;
pub use read::{Bases, Libraries, Surroundings, read, read_in, read_with};
pub use schema::schema_of;
pub use write::write;

/// The class name in the first line of every header.
pub const HEADER: &str = "EnvironmentHeader";
