//! The entries of one language, and their consistency.
//!
//! Laws
//! 1. A *sound* text can be resolved: it needs at most [`PLACEABLES_MAX`] placeables, including those of the texts it
//!    refers to, and is not part of a cycle. Only sound texts are passed to Fluent's resolver, which has its own
//!    limits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fluent_bundle::FluentResource;
use fluent_syntax::ast::Pattern;

use crate::limits::{ID_BYTES_MAX, NUMBER_DIGITS_MAX, PLACEABLES_MAX};
use crate::number::{NUMBER, NUMBER_OPTIONS};
use crate::report::{Place, Report};
use crate::source::{Piece, complain};
use crate::walk::{Use, cost, patterns, visit};

/// All entries of one language.
#[derive(Default)]
pub(crate) struct Entries {
    /// By key: `name`, `-term`, `name.attribute`, `-term.attribute`.
    pub texts: BTreeMap<String, Text>,
    /// The keys of the messages' texts, by their ids.
    pub ids: BTreeMap<String, String>,
    /// The parsed resources, to be put into a bundle.
    pub resources: Vec<Arc<FluentResource>>,
    /// Where each name was first defined for a message or a term: a Fluent bundle keeps both in one table.
    names: BTreeMap<String, Place>,
}

/// One text: of a message, of a term, or of an attribute.
pub(crate) struct Text {
    /// Where its entry begins.
    pub place: Place,
    /// What it refers to directly.
    pub uses: BTreeSet<Use>,
    /// The parameters that it and the messages in it read.
    pub parameters: BTreeSet<String>,
    /// The resource it belongs to.
    resource: usize,
}

/// Whether this is an id by law 1 of the crate.
pub(crate) fn is_id(id: &str) -> bool {
    id.len() <= ID_BYTES_MAX
        && id.starts_with(|first: char| first.is_ascii_alphabetic())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

impl Entries {
    /// Adds an entry, unless its name is taken.
    pub fn add(&mut self, piece: &Piece, reports: &mut Vec<Report>) {
        let place = &piece.place;
        let mut texts: BTreeMap<String, Text> = BTreeMap::new();
        for (key, pattern) in patterns(piece.entry()) {
            let mut uses = BTreeSet::new();
            visit(pattern, &mut |thing| {
                uses.insert(thing);
            });
            let verdict = check_text(&key, &uses);
            let verdict = verdict.and_then(|()| self.check_name(&key)).and_then(|()| match texts.contains_key(&key) {
                true => Err((format!("`{key}` is defined twice"), String::from("remove one of them"))),
                false => Ok(()),
            });
            if let Err((message, help)) = verdict {
                return complain(reports, Report::error(place, message, help));
            }
            let resource = self.resources.len();
            texts.insert(key, Text { place: place.clone(), uses, parameters: BTreeSet::new(), resource });
        }
        // A message and its attribute cannot have the same id: the attribute's is longer.
        self.ids.extend(texts.keys().filter_map(|key| Some((id_of(key)?, key.clone()))));
        if let Some(key) = texts.keys().next() {
            self.names.insert(bare_name_of(key).to_owned(), place.clone());
        }
        self.texts.extend(texts);
        self.resources.push(Arc::clone(&piece.resource));
    }

    /// Once all entries are added: determines which are sound, and removes the others.
    pub fn finish(&mut self, reports: &mut Vec<Report>) {
        for (key, text) in &self.texts {
            self.check_uses(key, text, reports);
        }
        let mut costs: BTreeMap<String, u32> = BTreeMap::new();
        for key in self.order() {
            let cost = self.pattern(&key).map_or(0, |pattern| {
                let of = |other: &str| costs.get(other).copied().unwrap_or(0);
                cost(pattern, &of)
            });
            // There may be very many unsound texts.
            let parameters = if cost <= PLACEABLES_MAX { self.parameters_of(&key) } else { BTreeSet::new() };
            costs.insert(key.clone(), cost);
            if let Some(text) = self.texts.get_mut(&key) {
                text.parameters = parameters;
            }
        }
        let is_unsound = |key: &String, _: &mut Text| costs.get(key).is_none_or(|cost| *cost > PLACEABLES_MAX);
        let unsound: Vec<(String, Text)> = self.texts.extract_if(.., is_unsound).collect();
        for (key, text) in unsound {
            let message = match costs.get(&key) {
                Some(cost) => format!("`{key}` needs {cost} placeables, and at most {PLACEABLES_MAX} are allowed"),
                None => format!("`{key}` is part of a reference cycle, or refers to one"),
            };
            complain(reports, Report::error(&text.place, message, "remove one of the messages or terms in it"));
        }
        self.ids.retain(|_, key| self.texts.contains_key(key));
    }

    /// Whether a text of this key can be added.
    fn check_name(&self, key: &str) -> Result<(), (String, String)> {
        let name = bare_name_of(key);
        if name == NUMBER {
            return Err((format!("`{NUMBER}` is the name of a function"), String::from("choose another name")));
        }
        let same = id_of(key).and_then(|id| self.ids.get(&id)).and_then(|key| self.texts.get(key));
        let Some(first) = same.map(|text| &text.place).or_else(|| self.names.get(name)) else { return Ok(()) };
        let Place { file, line, .. } = first;
        let help = "messages, terms and ids need unique names: remove or rename one of them";
        Err((format!("`{key}` is defined twice: the first is in {file}, line {line}"), String::from(help)))
    }

    /// The keys of the texts in topological order, without those in cycles.
    fn order(&self) -> Vec<String> {
        let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
        let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (key, text) in &self.texts {
            let known = others(text).filter(|other| self.texts.contains_key(*other));
            let known: Vec<&str> = known.collect();
            waiting.insert(key, known.len());
            known.into_iter().for_each(|other| users.entry(other).or_default().push(key));
        }
        let ready = waiting.iter().filter(|(_, count)| **count == 0);
        let mut order: Vec<&str> = ready.map(|(key, _)| *key).collect();
        let mut at = 0;
        while let Some(key) = order.get(at).copied() {
            at += 1;
            for user in users.get(key).into_iter().flatten() {
                let Some(count) = waiting.get_mut(user) else { continue };
                *count -= 1;
                if *count == 0 {
                    order.push(user);
                }
            }
        }
        order.into_iter().map(String::from).collect()
    }

    /// The parameters of a text. Messages pass theirs on to the messages in them; terms have their own.
    fn parameters_of(&self, key: &str) -> BTreeSet<String> {
        let Some(text) = self.texts.get(key) else { return BTreeSet::new() };
        let own = text.uses.iter().filter_map(|thing| match thing {
            Use::Parameter(name) => Some(name),
            _ => None,
        });
        let messages = others(text).filter(|other| !other.starts_with('-'));
        let of_others = messages.filter_map(|other| self.texts.get(other)).flat_map(|other| &other.parameters);
        own.chain(of_others).cloned().collect()
    }

    fn pattern(&self, key: &str) -> Option<&Pattern<&str>> {
        let resource = self.resources.get(self.texts.get(key)?.resource)?;
        patterns(resource.get_entry(0)?).into_iter().find(|(own, _)| own == key).map(|(_, pattern)| pattern)
    }

    fn check_uses(&self, key: &str, text: &Text, reports: &mut Vec<Report>) {
        for other in others(text).filter(|other| !self.texts.contains_key(*other)) {
            let what = if other.starts_with('-') { "term" } else { "message" };
            let message = format!("`{key}` refers to the {what} `{other}`, which this language does not have");
            let help = format!("add `{} = …` to this language, or correct the name", name_of(other));
            complain(reports, Report::error(&text.place, message, help));
        }
    }
}

/// The keys of the texts that a text refers to.
fn others(text: &Text) -> impl Iterator<Item = &str> {
    text.uses.iter().filter_map(|thing| match thing {
        Use::Text(other) => Some(other.as_str()),
        _ => None,
    })
}

/// The id of a message's text; terms have none.
fn id_of(key: &str) -> Option<String> {
    (!key.starts_with('-')).then(|| key.replace('-', "."))
}

/// The name of the entry of a key.
fn name_of(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

/// The same without the mark of a term.
fn bare_name_of(key: &str) -> &str {
    name_of(key).trim_start_matches('-')
}

/// Checks one text by itself.
fn check_text(key: &str, uses: &BTreeSet<Use>) -> Result<(), (String, String)> {
    if key.len() > ID_BYTES_MAX {
        let message = format!("a name of {} letters is too long", key.len());
        return Err((message, format!("at most {ID_BYTES_MAX} letters are allowed")));
    }
    for thing in uses {
        match thing {
            Use::Number(digits) if digits.len() > NUMBER_DIGITS_MAX => {
                return Err((
                    format!("the number {digits} is too long"),
                    format!("at most {NUMBER_DIGITS_MAX} digits are allowed"),
                ));
            }
            Use::DeadVariant(digits) => {
                let help = "choose by the parameter itself and a whole number: `{ $count -> [0] … }`";
                return Err((format!("the variant [{digits}] of `{key}` can never be chosen"), String::from(help)));
            }
            Use::Function(name) if name != NUMBER => {
                return Err((format!("there is no function `{name}`"), format!("the only function is `{NUMBER}`")));
            }
            Use::Option(name) if !NUMBER_OPTIONS.contains(&name.as_str()) => {
                let known = NUMBER_OPTIONS.join(", ");
                return Err((format!("`{NUMBER}` has no option `{name}`"), format!("it has {known}")));
            }
            _ => {}
        }
    }
    Ok(())
}
