//! All classes of a game.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;

use crate::class::Class;
use crate::field::Tag;
use crate::pack::Prepared;
use crate::packed::Packed;
use crate::postprocess::{Postprocess, Run, run};

/// The classes of a game, by name.
#[derive(Debug, Default)]
pub struct Classes {
    entries: Vec<Entry>,
    names: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct Entry {
    prepared: Prepared,
    postprocess: Option<Run>,
}

impl Classes {
    /// No classes.
    pub fn new() -> Classes {
        Classes::default()
    }

    /// With a class that is a Rust type.
    ///
    /// # Panics
    /// If the type is declared wrongly, a default is no value of its field, or its name is taken.
    #[must_use]
    pub fn with<T: Tag>(mut self) -> Classes {
        self.declare(T::class(), None);
        self
    }

    /// With a class that is a Rust type and works something out once its tags are there.
    ///
    /// # Panics
    /// As [`Classes::with`].
    #[must_use]
    pub fn with_postprocess<T: Postprocess>(mut self) -> Classes {
        let mut class = T::class();
        class.postprocess = class.postprocess.max(1);
        self.declare(class, Some(run::<T>));
        self
    }

    /// Adds a class that is known only as a table: from a header. If a class of its name is there already, that one stays.
    pub fn add_table(&mut self, class: Class) -> Result<(), String> {
        self.add(class, None)
    }

    /// Adds a class of the program's own. What is wrong with it is the program's mistake.
    fn declare(&mut self, class: Class, postprocess: Option<Run>) {
        let name = class.name.clone();
        let wrong = self.add(class, postprocess).err();
        let wrong = wrong.or_else(|| self.get(&name).and_then(Prepared::wrong_default));
        if let Some(why) = wrong {
            panic!("{why}");
        }
    }

    fn add(&mut self, class: Class, postprocess: Option<Run>) -> Result<(), String> {
        let name = class.name.clone();
        if self.names.contains_key(&name) {
            return Err(format!("the class `{name}` is declared twice"));
        }
        self.names.insert(name, self.entries.len() as u32);
        self.entries.push(Entry { prepared: Prepared::new(class), postprocess });
        Ok(())
    }

    /// The class of a name, ready for packing.
    pub fn get(&self, name: &str) -> Option<&Prepared> {
        self.names.get(name).map(|number| &self.entries[*number as usize].prepared)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Prepared> {
        self.names.values().map(|number| &self.entries[*number as usize].prepared)
    }

    /// Whether tags of this class are postprocessed here.
    pub fn has_postprocess(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|number| self.entries[*number as usize].postprocess.is_some())
    }

    /// Postprocesses a tag of a class. `find` gives the tags of the classes that it reads, by their paths' ids; only those that
    /// the tag refers to are asked for.
    pub fn postprocess<'a>(
        &self,
        name: &str,
        packed: &mut Packed,
        find: &(dyn Fn(StringId) -> Option<&'a Packed> + 'a),
    ) {
        let entry = self.names.get(name).map(|number| &self.entries[*number as usize]);
        if let Some(run) = entry.and_then(|entry| entry.postprocess) {
            run(packed, find);
        }
    }
}
