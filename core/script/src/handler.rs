//! What handlers are called with: one table per world, which the checker reads.

/// A handler that the world calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The name of the variable or field that holds it, as in `OnCollide`; of a field of records in a variable, both: `triggers.when`.
    pub name: &'static str,
    /// What it is called with, as a type: `Lambda(handle, number, any)`. Its result counts only in a field of records.
    pub called: &'static str,
}

/// The handler of a name.
pub fn find<'a>(handlers: &'a [Handler], name: &str) -> Option<&'a Handler> {
    handlers.iter().find(|handler| handler.name == name)
}
