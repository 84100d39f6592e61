//! The classes that a tree's tags are of: from the program, and from headers.
//!
//! Laws
//! 1. A class has one declaration. A second one that differs is an error, and the first counts: the program's, then those in
//!    the tree by path, then those that a game wrote down for its tools.
//! 2. What a game wrote down may be older than the program. So it is passed over in silence where the program knows better.

use std::collections::BTreeMap;

use script::parse::parse;
use script::report::{Report, closest};
use tags::class::Class;
use tags::pack::Prepared;

/// The classes of a tree by name, ready for packing.
#[derive(Debug, Default)]
pub struct Classes {
    by_name: BTreeMap<String, Prepared>,
}

impl Classes {
    /// The classes of a program. Of two with one name the first counts.
    pub fn new(given: Vec<Class>) -> Classes {
        let mut classes = Classes::default();
        for class in given {
            classes.by_name.entry(class.name.clone()).or_insert_with(|| Prepared::new(class));
        }
        classes
    }

    /// Adds a class, unless there is another of its name.
    pub fn add(&mut self, class: Class) -> Result<(), String> {
        let Some(known) = self.by_name.get(&class.name) else {
            self.by_name.insert(class.name.clone(), Prepared::new(class));
            return Ok(());
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

    /// Whether there is a class of this name.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The class of a name, ready for packing.
    pub fn prepared(&self, name: &str) -> Option<&Prepared> {
        self.by_name.get(name)
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
        self.by_name.keys().map(String::as_str)
    }

    /// All classes, by name.
    pub fn all(&self) -> impl Iterator<Item = &Class> {
        self.by_name.values().map(Prepared::class)
    }
}

/// Reads a header: the class it declares, and what is wrong with it.
pub fn read_header(source: &str, origin: &str) -> (Option<Class>, Vec<Report>) {
    let (class, reports) = temporary::read(source);
    let class = class.map(|class| Class { origin: origin.to_string(), ..class });
    (class, reports)
}

mod temporary {
    //! Headers as scripts have them.
    use super::*;
    use script::types::Type;
    use tags::class::{Field, Kind, Number};

    pub fn read(source: &str) -> (Option<Class>, Vec<Report>) {
        let tree = parse(source);
        let (class, mut reports) = script::class::read(source, &tree);
        reports.extend(tree.reports);
        let class = class.and_then(|class| {
            let mut made = Class::new(&class.name);
            for variable in &class.variables {
                let mut field = Field::new(&variable.name, kind(&variable.kind));
                (field.default, field.range, field.help) =
                    (variable.default.clone(), variable.range, variable.help.clone());
                made.records[0].fields.push(field);
            }
            made.finish().ok()
        });
        (class, reports)
    }

    fn kind(kind: &Type) -> Kind {
        match kind {
            Type::Truth => Kind::Truth,
            Type::String => Kind::StringId,
            Type::Vector => Kind::Vector(3),
            Type::Reference(class) => Kind::Reference(class.clone()),
            Type::List(of) => Kind::Series(Box::new(self::kind(of))),
            Type::Identifier => Kind::Identifier,
            _ => Kind::Number(Number::F64),
        }
    }
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
        let mut classes = Classes::new(vec![ship(Kind::Truth)]);
        assert_eq!(classes.add(ship(Kind::Truth)), Ok(()));
        let trouble = classes.add(ship(Kind::Text)).unwrap_err();
        assert!(trouble.contains("declared twice") && trouble.contains("this program"), "{trouble}");
        assert_eq!(classes.class("ship").unwrap().root().fields[0].kind, Kind::Truth);
    }

    #[test]
    fn a_class_that_is_not_there_is_told_with_those_that_are() {
        let told = |given: &[&str], name| {
            let given = given.iter().map(|name| Class::new(name).finish().unwrap()).collect();
            Classes::new(given).named(name).unwrap_err()
        };
        assert_eq!(told(&["ship", "weapon"], "shpi"), "there is no class `shpi`; did you mean `ship`?");
        assert_eq!(told(&["ship", "weapon"], "door"), "there is no class `door`; expected one of ship, weapon");
        assert!(told(&[], "door").contains("door.header"));
    }
}
