//! The boolean attributes of a field, in one table.
//!
//! Headers read and write them by it; manuals, the language server and the schema of headers describe them with it. The
//! words of `#[tag(…)]` are tested against it.

use super::Field;

/// One boolean attribute of a field.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name in headers and in `#[tag(…)]`.
    pub name: &'static str,
    /// What it says about the field: a phrase without a full stop.
    pub phrase: &'static str,
    /// Whether a field has it.
    pub is_set: fn(&Field) -> bool,
    /// Its place in a field.
    pub of: fn(&mut Field) -> &mut bool,
}

/// All of them, in the order in which headers write them.
pub const FLAGS: [Flag; 7] = [
    Flag { name: "hidden", phrase: "hidden", is_set: |field| field.is_hidden, of: |field| &mut field.is_hidden },
    Flag {
        name: "read_only",
        phrase: "not to be changed by hand",
        is_set: |field| field.is_read_only,
        of: |field| &mut field.is_read_only,
    },
    Flag { name: "expert", phrase: "for experts", is_set: |field| field.is_expert, of: |field| &mut field.is_expert },
    Flag {
        name: "runtime",
        phrase: "not in the text, filled in when the tag is loaded",
        is_set: |field| field.is_runtime,
        of: |field| &mut field.is_runtime,
    },
    Flag {
        name: "state",
        phrase: "each object has its own copy, initialised from the tag",
        is_set: |field| field.is_state,
        of: |field| &mut field.is_state,
    },
    Flag {
        name: "replicated",
        phrase: "replicated to other machines",
        is_set: |field| field.is_replicated,
        of: |field| &mut field.is_replicated,
    },
    Flag {
        name: "resident",
        phrase: "loaded whole before the level begins, for the world to read",
        is_set: |field| field.is_resident,
        of: |field| &mut field.is_resident,
    },
];

impl Flag {
    /// What it says, as a sentence.
    pub fn sentence(&self) -> alloc::string::String {
        let (first, rest) = self.phrase.split_at(1);
        alloc::format!("{}{rest}.", first.to_ascii_uppercase())
    }
}
