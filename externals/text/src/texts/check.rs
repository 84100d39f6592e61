//! Consistency between languages: missing texts, and parameters used differently.

use super::{Texts, add_chain, parse_language};
use crate::bundle::Bundle;
use crate::entries::Text;
use crate::report::{Place, Report};
use crate::source::complain;

impl Texts {
    /// All problems of the texts, of each language and between them, in the order of files and lines.
    pub fn check(&self) -> Vec<Report> {
        let mut reports = self.reports.clone();
        let Some(default) = self.languages.get(&self.default) else {
            let message = format!("there are no texts in {}, the default language", self.default);
            complain(&mut reports, Report::error(&Place::default(), message, "add a folder for it, or name another"));
            return reports;
        };
        for (language, bundle) in self.languages.iter().filter(|(language, _)| **language != self.default) {
            self.check_missing(language, default, &mut reports);
            self.check_parameters(language, bundle, default, &mut reports);
        }
        reports.sort();
        reports.dedup();
        reports
    }

    /// Every text of the default language exists in each other language or in a wider one that it falls back to; and
    /// vice versa.
    fn check_missing(&self, language: &str, default: &Bundle, reports: &mut Vec<Report>) {
        let mut chain = Vec::new();
        if let Some(language) = parse_language(language) {
            add_chain(&mut chain, &language);
        }
        let own: Vec<&Bundle> = chain.iter().filter_map(|name| self.languages.get(name)).collect();
        for (id, key) in &default.entries.ids {
            let Some(text) = default.entries.texts.get(key) else { continue };
            if !own.iter().any(|bundle| bundle.entries.ids.contains_key(id)) {
                let message = format!("{id:?} has no text in {language}");
                let help = format!("add `{key}` to the texts of {language}");
                complain(reports, Report::error(&text.place, message, help));
            }
        }
        for (id, text) in own.first().map(|bundle| texts_of(bundle)).unwrap_or_default() {
            if !default.entries.ids.contains_key(id) {
                let message = format!("{id:?} has no text in {}, the default language", self.default);
                complain(reports, Report::error(&text.place, message, "add it there, or remove it here"));
            }
        }
    }

    /// A parameter that the default language does not use is probably misspelt; one that is omitted may be intended.
    fn check_parameters(&self, language: &str, bundle: &Bundle, default: &Bundle, reports: &mut Vec<Report>) {
        for (id, text) in texts_of(bundle) {
            let other = default.entries.ids.get(id).and_then(|key| default.entries.texts.get(key));
            let Some(other) = other else { continue };
            let default = &self.default;
            for name in text.parameters.difference(&other.parameters) {
                let message = format!("{id:?} uses `${name}` in {language}, but not in {default}");
                let known: Vec<String> = other.parameters.iter().map(|name| format!("`${name}`")).collect();
                let known = if known.is_empty() { String::from("no parameters") } else { known.join(", ") };
                complain(reports, Report::error(&text.place, message, format!("in {default} it uses {known}")));
            }
            for name in other.parameters.difference(&text.parameters) {
                let message = format!("{id:?} uses `${name}` in {default}, but not in {language}");
                complain(reports, Report::warning(&text.place, message, "intended, if the text reads well without it"));
            }
        }
    }
}

fn texts_of(bundle: &Bundle) -> Vec<(&String, &Text)> {
    let entries = &bundle.entries;
    entries.ids.iter().filter_map(|(id, key)| Some((id, entries.texts.get(key)?))).collect()
}
