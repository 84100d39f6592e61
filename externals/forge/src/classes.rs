//! The classes that a tree's tags are of: from the program, and from headers.
//!
//! Laws
//! 1. A class has one declaration in a tree. A second one that differs is an error, and the first counts, by path.
//! 2. After those come the classes that the tree's game wrote down for its tools, and then the program's own: the tree may be of
//!    another game than those the program knows. Both are passed over in silence where the tree knows better.

use std::sync::Arc;

use script::parse::parse;
use script::report::{Report, closest};
use tags::class::Class;
use tags::gather::{Header, gather};
use tags::pack::Prepared;

/// The classes of a tree by name, ready for packing.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    all: Arc<tags::Classes>,
}

impl Classes {
    /// The classes of a program.
    pub fn new(given: tags::Classes) -> Classes {
        Classes { all: Arc::new(given) }
    }

    /// Adds a class, unless there is another of its name.
    pub fn add(&mut self, class: Class) -> Result<(), String> {
        let Some(known) = self.all.get(&class.name) else {
            // Nobody else has them while they are gathered.
            return Arc::get_mut(&mut self.all).map_or(Ok(()), |all| all.add_table(class));
        };
        if known.fingerprint() == class.fingerprint() {
            return Ok(());
        }
        let origin = match known.class().origin.as_str() {
            "" => "this program",
            origin => origin,
        };
        Err(format!("the class `{}` is declared twice; {origin} declares it too, and that one counts", class.name))
    }

    /// Whether tags of a class are such as those of another: it is that class, or made from it.
    pub fn is_a(&self, class: &str, base: &str) -> bool {
        self.all.is_a(class, base)
    }

    /// All of them, as a shelf wants them.
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

    /// The class of a name, or a sentence that names those there are.
    pub fn named(&self, name: &str) -> Result<&Prepared, String> {
        self.prepared(name).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            match closest(name, names.iter().copied()) {
                Some(like) => format!("there is no class `{name}`; did you mean `{like}`?"),
                None if names.is_empty() => format!(
                    "there is no class `{name}`: this program and tree declare none; a file `{name}.header` declares it"
                ),
                None => format!("there is no class `{name}`; expected one of {}", names.join(", ")),
            }
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
    /// Reads a header: the class it declares, and what is wrong with it. It may be made from any of these.
    pub fn read_header(&self, source: &str, origin: &str) -> (Option<Class>, Vec<Report>) {
        let header = [Header { origin, source }];
        let declared = gather(&header, &self.all, &tags::Classes::new()).pop().unwrap_or_default();
        (declared.class, declared.reports)
    }
}

/// The class and version that a text names.
pub fn head_of(text: &str) -> Option<(&str, u32)> {
    // The head stands in the first line that is no comment; a part of the text is enough to find it.
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
        let trouble = classes.add(ship(Kind::Text)).unwrap_err();
        assert!(trouble.contains("declared twice") && trouble.contains("this program"), "{trouble}");
        assert_eq!(classes.class("ship").unwrap().root().fields[0].kind, Kind::Truth);
    }

    #[test]
    fn a_class_that_is_not_there_is_told_with_those_that_are() {
        let told = |given: &[&str], name| {
            let mut classes = Classes::default();
            given.iter().for_each(|name| classes.add(Class::new(name).finish().unwrap()).unwrap());
            classes.named(name).unwrap_err()
        };
        assert_eq!(told(&["ship", "weapon"], "shpi"), "there is no class `shpi`; did you mean `ship`?");
        assert_eq!(told(&["ship", "weapon"], "door"), "there is no class `door`; expected one of ship, weapon");
        assert!(told(&[], "door").contains("door.header"));
    }
}
