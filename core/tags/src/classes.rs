//! All classes of a game.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use script::effect::Effect;
use script::handler::Handler;
use script::query::Query;
use script::report::Report;
use script::source::Span;

use crate::class::Class;
use crate::field::Tag;
use crate::limits::REPORTS_MAX;
use crate::mistake::{CheckTag, FindTag, Mistake};
use crate::pack::words::ClassWords;
use crate::pack::{Dialect, Prepared, Vocabulary};
use crate::packed::{Link, Packed};
use crate::postprocess::{Postprocess, Run, run};

/// The classes of a game, by name.
#[derive(Debug, Default)]
pub struct Classes {
    entries: Vec<Entry>,
    names: BTreeMap<String, u32>,
    ids: BTreeMap<StringId, u32>,
    /// The numbers of the classes that name a base, by its name, whether it is known or not.
    derived: BTreeMap<String, Vec<u32>>,
    vocabulary: Vocabulary,
    /// The checks of classes, by their names.
    checks: Vec<(&'static str, CheckTag)>,
    events: &'static [&'static str],
}

/// Classes after a change of their declarations.
#[derive(Debug)]
pub struct RenewedClasses {
    /// The classes that count.
    pub classes: Classes,
    /// The changed ones, by name.
    pub changed: Vec<String>,
    /// Those whose change a running game cannot follow: of other fields, new, or gone.
    pub waiting: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    prepared: Prepared,
    postprocess: Option<Run>,
}

impl Classes {
    /// No classes.
    pub const fn new() -> Classes {
        Classes {
            entries: Vec::new(),
            names: BTreeMap::new(),
            ids: BTreeMap::new(),
            derived: BTreeMap::new(),
            vocabulary: Vocabulary { effects: &[], queries: &[], handlers: &[], dialects: &[], words: &[] },
            checks: Vec::new(),
            events: &[],
        }
    }

    /// No classes, with all that counts for tags of every class as another set has it: what scripts may say, the messages of the
    /// world, and the checks.
    #[must_use]
    pub fn with_rules_of(other: &Classes) -> Classes {
        let rules = Classes { checks: other.checks.clone(), events: other.events, ..Classes::new() };
        rules.with_vocabulary(other.vocabulary)
    }

    /// Adds a class given as a Rust type.
    ///
    /// # Panics
    /// If the type is declared wrongly, a default does not fit its field, or the name is taken.
    #[must_use]
    pub fn with<T: Tag>(mut self) -> Classes {
        self.declare(T::class(), None);
        self
    }

    /// With the effects that scripts in tags may use besides those of the script machine.
    #[must_use]
    pub fn with_effects(self, effects: &'static [Effect]) -> Classes {
        let vocabulary = Vocabulary { effects, ..self.vocabulary };
        self.with_vocabulary(vocabulary)
    }

    /// With the queries that scripts in tags may ask their world.
    #[must_use]
    pub fn with_queries(self, queries: &'static [Query]) -> Classes {
        let vocabulary = Vocabulary { queries, ..self.vocabulary };
        self.with_vocabulary(vocabulary)
    }

    /// With the handlers that the world calls.
    #[must_use]
    pub fn with_handlers(self, handlers: &'static [Handler]) -> Classes {
        let vocabulary = Vocabulary { handlers, ..self.vocabulary };
        self.with_vocabulary(vocabulary)
    }

    /// With the messages that the world itself sends to objects.
    #[must_use]
    pub fn with_events(mut self, events: &'static [&'static str]) -> Classes {
        self.events = events;
        self
    }

    /// The messages that the world itself sends to objects.
    pub fn events(&self) -> &'static [&'static str] {
        self.events
    }

    /// With the vocabularies of classes whose tags do not run in the world.
    #[must_use]
    pub fn with_dialects(self, dialects: &'static [Dialect]) -> Classes {
        let vocabulary = Vocabulary { dialects, ..self.vocabulary };
        self.with_vocabulary(vocabulary)
    }

    /// With the meanings of words in fields.
    #[must_use]
    pub fn with_words(self, words: &'static [ClassWords]) -> Classes {
        let vocabulary = Vocabulary { words, ..self.vocabulary };
        self.with_vocabulary(vocabulary)
    }

    /// With all that scripts in tags may say, as another set of classes has it.
    #[must_use]
    pub fn with_vocabulary(mut self, vocabulary: Vocabulary) -> Classes {
        self.vocabulary = vocabulary;
        self.entries.iter_mut().for_each(|entry| entry.prepared.set_vocabulary(vocabulary));
        self
    }

    /// What scripts in tags may say, besides the vocabulary of the script machine.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// With a check of the tags of a class, and of the classes derived from it: see [`mistake`](crate::mistake).
    #[must_use]
    pub fn with_check<T: Tag>(mut self, check: CheckTag) -> Classes {
        self.checks.push((T::CLASS, check));
        self
    }

    /// The mistakes in a tag that the checks of its classes find. `find` is called only for tags that the tag refers to.
    pub fn mistakes<'a>(&self, packed: &'a Packed, find: &FindTag<'a>) -> Vec<Mistake> {
        let Some(class) = self.by_id(packed.class()).map(Prepared::class) else { return Vec::new() };
        let is_meant = |(name, _): &&(&'static str, CheckTag)| class.name == *name || class.is_a(name);
        let found = self.checks.iter().filter(is_meant).flat_map(|(_, check)| check(packed, find));
        found.take(REPORTS_MAX).collect()
    }

    /// Adds a class given as a Rust type, with its postprocess.
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

    /// Adds a class known only as a table: from a header. If the name is taken, the existing class stays.
    pub fn add_table(&mut self, class: Class) -> Result<(), String> {
        self.add(class, None)
    }

    /// Adds a class that the program declares. An invalid one is a bug of the program.
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
        self.check_bases(&class)?;
        self.ids.insert(StringId::from(name.as_str()), self.entries.len() as u32);
        self.names.insert(name, self.entries.len() as u32);
        let mut prepared = Prepared::new(class);
        prepared.set_vocabulary(self.vocabulary);
        self.entries.push(Entry { prepared, postprocess });
        self.note_bases(self.entries.len() - 1);
        Ok(())
    }

    fn note_bases(&mut self, number: usize) {
        for base in &self.entries[number].prepared.class().bases {
            let numbers = self.derived.entry(base.name.clone()).or_default();
            if numbers.last() != Some(&(number as u32)) {
                numbers.push(number as u32);
            }
        }
    }

    /// Checks that a class begins with the layout of its bases, and its derived classes with its own, as far as they
    /// are known.
    fn check_bases(&self, class: &Class) -> Result<(), String> {
        for base in class.bases.iter().filter_map(|base| self.get(&base.name)) {
            class.check_base(base.class())?;
        }
        let derived = self.derived.get(&class.name).into_iter().flatten();
        let derived = derived.map(|number| self.entries[*number as usize].prepared.class());
        derived.filter(|derived| derived.is_a(&class.name)).try_for_each(|derived| derived.check_base(class))
    }

    /// These classes after a change of their declarations, as far as a running game can follow. Classes whose tags keep their
    /// layout are replaced: other defaults, ranges, libraries and former names count at once. The others stay.
    pub fn renewed(&self, new: Classes) -> RenewedClasses {
        let mut renewed = RenewedClasses { classes: new, changed: Vec::new(), waiting: Vec::new() };
        for old in self.entries.iter() {
            let name = old.prepared.class().name.as_str();
            match renewed.classes.names.get(name).map(|number| *number as usize) {
                Some(number) => {
                    let place = &mut renewed.classes.entries[number];
                    let is_same = place.prepared.fingerprint() == old.prepared.fingerprint();
                    let fits = place.prepared.layout_fingerprint() == old.prepared.layout_fingerprint();
                    if !fits {
                        renewed.waiting.push(String::from(name));
                        *place = Entry {
                            prepared: Prepared::new(old.prepared.class().clone()),
                            postprocess: old.postprocess,
                        };
                        renewed.classes.note_bases(number);
                    } else if !is_same {
                        renewed.changed.push(String::from(name));
                    }
                }
                None => {
                    renewed.waiting.push(String::from(name));
                    let _ = renewed.classes.add(old.prepared.class().clone(), old.postprocess);
                }
            }
        }
        let is_new = |class: &&Prepared| self.get(class.class().name.as_str()).is_none();
        renewed.waiting.extend(renewed.classes.iter().filter(is_new).map(|class| class.class().name.clone()));
        let vocabulary = self.vocabulary;
        renewed.classes.entries.iter_mut().for_each(|entry| entry.prepared.set_vocabulary(vocabulary));
        renewed
    }

    /// A class by name, prepared for packing.
    pub fn get(&self, name: &str) -> Option<&Prepared> {
        self.names.get(name).map(|number| &self.entries[*number as usize].prepared)
    }

    /// A class by the id of its name.
    pub fn by_id(&self, id: StringId) -> Option<&Prepared> {
        self.ids.get(&id).map(|number| &self.entries[*number as usize].prepared)
    }

    /// Whether a class is another one, or derived from it.
    pub fn is_a(&self, class: &str, base: &str) -> bool {
        class == base || self.get(class).is_some_and(|class| class.class().is_a(base))
    }

    /// Checks the classes of a tag's references; each report gives the byte where the reference begins. Needs all
    /// classes.
    pub fn check_links(&self, packed: &Packed) -> Vec<Report> {
        misplaced(packed, |class, base| self.is_a(class, base))
    }

    /// All classes, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Prepared> {
        self.names.values().map(|number| &self.entries[*number as usize].prepared)
    }

    /// Whether tags of this class are postprocessed.
    pub fn has_postprocess(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|number| self.entries[*number as usize].postprocess.is_some())
    }

    /// Postprocesses a tag of a class. `find` returns tags of the declared classes by the ids of their paths; it is
    /// called only for tags that the tag refers to.
    pub fn postprocess<'a>(
        &self,
        name: &str,
        packed: &mut Packed,
        find: &(dyn Fn(StringId) -> Option<&'a Packed> + 'a),
    ) {
        let entry = self.names.get(name).map(|number| &self.entries[*number as usize]);
        if let Some(run) = entry.and_then(|entry| entry.postprocess) {
            let is_a = |class, base: &str| self.by_id(class).is_some_and(|class| class.class().is_a(base));
            run(packed, find, &is_a);
        }
    }
}

/// The same with another source of the inheritance relation.
pub fn misplaced(packed: &Packed, is_a: impl Fn(&str, &str) -> bool) -> Vec<Report> {
    let is_wrong = |link: &Link<'_>| !link.class.is_empty() && !is_a(class_of(link.path), link.class);
    let told = packed.links().filter(is_wrong).take(REPORTS_MAX).map(|link| {
        let (class, found) = (link.class, class_of(link.path));
        let message = format!("expected the path of a `{class}`, found one of a `{found}`");
        let help = format!("it must end in `.{class}`, or in the name of a class derived from it");
        Report::error(Span::new(link.place, link.place), message).with_help(help)
    });
    told.collect()
}

/// The class that a path's extension names.
fn class_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}
