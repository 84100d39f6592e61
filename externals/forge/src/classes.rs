//! The classes of a tree's tags: from the program, and from headers.
//!
//! Laws
//! 1. A class has one declaration in a tree. A second one that differs is an error; the first counts, by path.
//! 2. Next come the classes that the tree's game wrote for its tools, then the program's own: the tree may belong to
//!    another game. Both are silently overridden by the tree.

use std::sync::Arc;

use script::parse::parse;
use script::report::{Report, closest};
use tags::class::Class;
use tags::header_set::{Header, read_all};
use tags::pack::Prepared;

use crate::class_error::ClassError;

/// The classes of a tree by name, prepared for packing.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    all: Arc<tags::Classes>,
}

impl Classes {
    /// The classes of a program.
    pub fn new(given: tags::Classes) -> Classes {
        Classes { all: Arc::new(given) }
    }

    /// Adds a class, unless its name is taken.
    pub fn add(&mut self, class: Class) -> Result<(), ClassError> {
        let Some(known) = self.all.get(&class.name) else {
            // They are not shared while they are collected.
            let added = Arc::get_mut(&mut self.all).map_or(Ok(()), |all| all.add_table(class));
            return added.map_err(|message| ClassError::Table { message });
        };
        if known.fingerprint() == class.fingerprint() {
            return Ok(());
        }
        Err(ClassError::DeclaredTwice { class: class.name, first: known.class().origin.clone() })
    }

    /// Whether a class is another one, or derived from it.
    pub fn is_a(&self, class: &str, base: &str) -> bool {
        self.all.is_a(class, base)
    }

    /// All of them, for a shelf.
    pub fn shared(&self) -> Arc<tags::Classes> {
        Arc::clone(&self.all)
    }

    /// Whether there is a class of this name.
    pub fn has(&self, name: &str) -> bool {
        self.all.get(name).is_some()
    }

    /// The class of a name, ready for packing.
    pub fn prepared(&self, name: &str) -> Option<&Prepared> {
        self.all.get(name)
    }

    /// The class of a name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.prepared(name).map(Prepared::class)
    }

    /// The class of a name, or an error that lists the known ones.
    pub fn named(&self, name: &str) -> Result<&Prepared, ClassError> {
        self.prepared(name).ok_or_else(|| ClassError::Unknown {
            name: name.to_string(),
            similar: closest(name, self.names()).map(String::from),
            known: self.names().map(String::from).collect(),
        })
    }

    /// The names of all classes, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all().map(|class| class.name.as_str())
    }

    /// All classes, by name.
    pub fn all(&self) -> impl Iterator<Item = &Class> {
        self.all.iter().map(Prepared::class)
    }
}

impl Classes {
    /// Reads a header: its class, and its errors. The class may be derived from any of these.
    pub fn read_header(&self, source: &str, origin: &str) -> (Option<Class>, Vec<Report>) {
        let header = [Header { origin, source }];
        let declared = read_all(&header, &self.all, &tags::Classes::new()).pop().unwrap_or_default();
        (declared.class, declared.reports)
    }
}

/// The class and version that a text names.
pub fn head_of(text: &str) -> Option<(&str, u32)> {
    // The head stands in the first line that is not a comment; the beginning of the text is enough to find it.
    const LOOKED_AT: usize = 64 * 1024;
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let tree = parse(&text[..end]);
    let name = tree.class?.text(text);
    Some((name, tree.version.and_then(|span| span.text(text).parse().ok()).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tags::class::{Field, Kind};

    #[test]
    fn a_class_is_declared_once() {
        let ship = |kind| {
            let mut class = Class::new("ship");
            class.records[0].fields.push(Field::new("a", kind));
            class.finish().unwrap()
        };
        let mut classes = Classes::default();
        assert_eq!(classes.add(ship(Kind::Truth)), Ok(()));
        assert_eq!(classes.add(ship(Kind::Truth)), Ok(()));
        let refused = classes.add(ship(Kind::Text)).unwrap_err();
        assert_eq!(refused, ClassError::DeclaredTwice { class: String::from("ship"), first: String::new() });
        let told = refused.to_string();
        assert!(told.contains("declared twice") && told.contains("this program"), "{told}");
        assert_eq!(classes.class("ship").unwrap().root().fields[0].kind, Kind::Truth);
    }

    #[test]
    fn a_missing_class_is_reported_with_the_known_ones() {
        let told = |given: &[&str], name| {
            let mut classes = Classes::default();
            given.iter().for_each(|name| classes.add(Class::new(name).finish().unwrap()).unwrap());
            classes.named(name).unwrap_err().to_string()
        };
        assert_eq!(told(&["ship", "weapon"], "shpi"), "there is no class `shpi`; did you mean `ship`?");
        assert_eq!(told(&["ship", "weapon"], "door"), "there is no class `door`; expected one of ship, weapon");
        assert!(told(&[], "door").contains("door.header"));
    }
}
