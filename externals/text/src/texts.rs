//! The texts of a game in all its languages.
//!
//! Cost: time and memory in proportion to the texts: at most 400 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use base::StringId;
use base::string_id::StringTable;
use fluent_bundle::FluentValue;
use unic_langid::LanguageIdentifier;

use crate::bundle::Bundle;
use crate::entries::{Entries, is_id};
use crate::limits::{DEFAULT_LANGUAGE, LANGUAGES_MAX, REPORTS_MAX, SOURCES_BYTES_MAX, SOURCES_MAX};
use crate::report::{Place, Report};
use crate::source::{complain, read};

mod check;

/// One file of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The language tag, which is the name of its folder: `de`, `de-AT`, `zh-Hant`.
    pub language: String,
    /// The name of the file in reports.
    pub file: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter<'a> {
    /// A number: it is formatted by locale, and selects plurals.
    Number(f64),
    /// A text, inserted as it is.
    Text(&'a str),
}

/// All texts of a game.
pub struct Texts {
    languages: BTreeMap<String, Bundle>,
    default: String,
    ids: StringTable,
    reports: Vec<Report>,
    reported: Mutex<Reported>,
}

/// The problems reported while reading, each once.
#[derive(Default)]
struct Reported {
    before: BTreeSet<String>,
    reports: Vec<Report>,
}

/// Whether this is a language tag: `de`, `de-AT`, `zh-Hant`.
pub fn is_language(tag: &str) -> bool {
    parse_language(tag).is_some()
}

impl Texts {
    /// Parses sources. Errors are in [`reports`](Texts::reports), and the rest is used.
    pub fn from_sources(default: &str, sources: impl IntoIterator<Item = Source>) -> Texts {
        let mut reports = Vec::new();
        let default = parse_language(default).unwrap_or_else(|| {
            let message = format!("the default language {default:?} is not a language tag; {DEFAULT_LANGUAGE} is used");
            complain(&mut reports, Report::error(&Place::default(), message, TAG_HELP));
            parse_language(DEFAULT_LANGUAGE).unwrap_or_default()
        });
        let mut found: BTreeMap<String, (LanguageIdentifier, Entries)> = BTreeMap::new();
        let mut bytes_left = SOURCES_BYTES_MAX;
        for (count, source) in sources.into_iter().enumerate() {
            let place = Place { file: source.file.clone(), line: 1, column: 1 };
            let is_room = count < SOURCES_MAX && source.bytes.len() <= bytes_left;
            let Some(language) = parse_language(&source.language) else {
                let message = format!("{:?} is not a language tag", source.language);
                complain(&mut reports, Report::error(&place, message, TAG_HELP));
                continue;
            };
            let name = language.to_string();
            if !is_room || (found.len() >= LANGUAGES_MAX && !found.contains_key(&name)) {
                let message = "there are too many texts: this file is not read";
                let help = format!("{SOURCES_MAX} files of {LANGUAGES_MAX} languages with {SOURCES_BYTES_MAX} bytes");
                complain(&mut reports, Report::error(&place, message, format!("at most {help} are")));
                continue;
            }
            bytes_left -= source.bytes.len();
            let (_, entries) = found.entry(name).or_insert_with(|| (language, Entries::default()));
            for piece in read(&source.file, &source.bytes, &mut reports) {
                entries.add(&piece, &mut reports);
            }
        }
        let mut texts = Texts {
            languages: BTreeMap::new(),
            default: default.to_string(),
            ids: StringTable::new(),
            reports,
            reported: Mutex::default(),
        };
        for (name, (language, mut entries)) in found {
            entries.finish(&mut texts.reports);
            for (id, key) in &entries.ids {
                let place = entries.texts.get(key).map(|text| text.place.clone()).unwrap_or_default();
                if let Err(collision) = texts.ids.add(id) {
                    complain(&mut texts.reports, Report::error(&place, collision.to_string(), ""));
                }
            }
            texts.languages.insert(name, Bundle::new(language, entries));
        }
        texts
    }

    /// The errors of each language by itself. [`check`](Texts::check) adds those between languages.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The languages there are, in the order of their tags.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.languages.keys().map(String::as_str)
    }

    /// The language that all others fall back to.
    pub fn default_language(&self) -> &str {
        &self.default
    }

    /// The ids of all texts, in order.
    pub fn ids(&self) -> Vec<&str> {
        let ids: BTreeSet<&str> = self.ids.iter().map(|(_, id)| id).collect();
        ids.into_iter().collect()
    }

    /// Whether placeables are enclosed in bidirectional isolation marks (U+2068 and U+2069). Off by default: a screen
    /// that lays out text wants them, a plain line does not.
    pub fn isolate(&mut self, is_isolating: bool) {
        self.languages.values_mut().for_each(|bundle| bundle.isolate(is_isolating));
    }

    /// The texts for readers of a language. Any tag is accepted: the nearest available languages are used.
    pub fn language(&self, tag: &str) -> Reading<'_> {
        let mut chain = Vec::new();
        match parse_language(tag) {
            Some(language) => add_chain(&mut chain, &language),
            None => self.report(format!("{tag:?} is not a language tag; {} is used", self.default), TAG_HELP),
        }
        if let Some(language) = parse_language(&self.default) {
            add_chain(&mut chain, &language);
        }
        let bundles = chain.iter().filter_map(|name| self.languages.get_key_value(name));
        Reading { texts: self, chain: bundles.map(|(name, bundle)| (name.as_str(), bundle)).collect() }
    }

    /// The problems reported while reading since the last call, each once.
    pub fn take_reports(&self) -> Vec<Report> {
        std::mem::take(&mut self.reported.lock().unwrap_or_else(PoisonError::into_inner).reports)
    }

    fn report(&self, message: String, help: &str) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.before.len() < REPORTS_MAX && reported.before.insert(message.clone()) {
            reported.reports.push(Report::error(&Place::default(), message, help));
        }
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let languages: Vec<&str> = self.languages().collect();
        write!(formatter, "Texts({} in {})", self.ids.count(), languages.join(", "))
    }
}

/// The texts in one language, and in those it falls back to.
#[derive(Clone)]
pub struct Reading<'a> {
    texts: &'a Texts,
    chain: Vec<(&'a str, &'a Bundle)>,
}

impl Reading<'_> {
    /// The text of an id. An id without a text reads as itself in brackets, a missing parameter as its name in braces.
    /// Both are reported, once.
    pub fn say(&self, id: &str, parameters: &[(&str, Parameter<'_>)]) -> String {
        for (language, bundle) in &self.chain {
            let given = parameters.iter().map(|(name, parameter)| (*name, value_of(*parameter))).collect();
            let Some((text, lacking)) = bundle.say(id, given) else { continue };
            for name in lacking {
                self.texts.report(
                    format!("{id:?} in {language} lacks its parameter `{name}`"),
                    "pass it where the text is used",
                );
            }
            return text;
        }
        let help = if is_id(id) { "add it to the texts" } else { "an id is letters, digits, `_` and dots" };
        self.texts.report(format!("there is no text {id:?}"), help);
        format!("[{id}]")
    }

    /// The same for the hash of an id, as the world stores it. An unknown one reads as its number in brackets.
    pub fn say_string(&self, id: StringId, parameters: &[(&str, Parameter<'_>)]) -> String {
        match self.texts.ids.text(id) {
            Some(id) => self.say(id, parameters),
            None => self.say(&id.to_string(), parameters),
        }
    }

    /// The languages that are searched, in order.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.chain.iter().map(|(name, _)| *name)
    }
}

const TAG_HELP: &str = "a language tag looks like `de`, `de-AT` or `zh-Hant`";

fn parse_language(tag: &str) -> Option<LanguageIdentifier> {
    let language: LanguageIdentifier = tag.parse().ok()?;
    // Longer tags are valid but not assigned: a folder `german` is a mistake.
    let letters = language.language.as_str().len();
    (matches!(letters, 2 | 3) && !language.language.is_empty()).then_some(language)
}

/// A language tag, then the same without variants, without region, without script.
fn add_chain(chain: &mut Vec<String>, language: &LanguageIdentifier) {
    let mut language = language.clone();
    let mut add = |language: &LanguageIdentifier| {
        let name = language.to_string();
        if !chain.contains(&name) {
            chain.push(name);
        }
    };
    add(&language);
    language.clear_variants();
    add(&language);
    language.region = None;
    add(&language);
    language.script = None;
    add(&language);
}

/// A number that is not finite has no plural: it is inserted as text.
fn value_of(parameter: Parameter<'_>) -> FluentValue<'_> {
    match parameter {
        Parameter::Number(number) if number.is_finite() => FluentValue::from(number),
        Parameter::Number(number) => FluentValue::from(number.to_string()),
        Parameter::Text(text) => FluentValue::from(text),
    }
}
