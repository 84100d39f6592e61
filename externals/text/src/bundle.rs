//! The Fluent bundle of one language.

use std::sync::Arc;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::resolver::ResolverError;
use fluent_bundle::resolver::errors::ReferenceKind;
use fluent_bundle::{FluentArgs, FluentError, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::entries::Entries;
use crate::number::{NUMBER, number_function, write_value};

/// The entries of one language, and their resolver.
pub(crate) struct Bundle {
    pub entries: Entries,
    fluent: FluentBundle<Arc<FluentResource>>,
}

impl Bundle {
    /// Builds the bundle from finished entries.
    pub fn new(language: LanguageIdentifier, entries: Entries) -> Bundle {
        let mut fluent = FluentBundle::new_concurrent(vec![language]);
        fluent.set_use_isolating(false);
        fluent.set_formatter(Some(write_value));
        // Nothing is overridden: names are unique, and none equals the function's.
        let _ = fluent.add_function(NUMBER, number_function);
        for resource in &entries.resources {
            let _ = fluent.add_resource(Arc::clone(resource));
        }
        Bundle { entries, fluent }
    }

    /// Whether placeables are enclosed in bidirectional isolation marks.
    pub fn isolate(&mut self, is_isolating: bool) {
        self.fluent.set_use_isolating(is_isolating);
    }

    /// The text of an id with its parameters, and the names of missing parameters. None if there is no such text.
    pub fn say(&self, id: &str, parameters: Vec<(&str, FluentValue<'_>)>) -> Option<(String, Vec<String>)> {
        let key = self.entries.ids.get(id)?;
        let pattern = match key.split_once('.') {
            Some((name, attribute)) => self.fluent.get_message(name)?.get_attribute(attribute)?.value(),
            None => self.fluent.get_message(key)?.value()?,
        };
        let arguments: FluentArgs<'_> = parameters.into_iter().collect();
        let (mut out, mut errors) = (String::new(), Vec::new());
        self.fluent.write_pattern(&mut out, pattern, Some(&arguments), &mut errors).ok()?;
        let mut lacking: Vec<String> = errors.into_iter().filter_map(lacking_parameter).collect();
        lacking.dedup();
        Some((out, lacking))
    }
}

fn lacking_parameter(error: FluentError) -> Option<String> {
    match error {
        FluentError::ResolverError(ResolverError::Reference(ReferenceKind::Variable { id })) => Some(id),
        _ => None,
    }
}
