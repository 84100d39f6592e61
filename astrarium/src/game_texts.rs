//! The texts of a game in the player's language, from its `strings` tags.

use std::collections::BTreeMap;

use base::StringId;
use gui::{TextParameter, Texts};
use tags::Library;
use text::{Numbers, Parameter, Source};
use view::classes::Strings;
use view::{BulkKind, BulkSource, PartState};

/// The language whose texts are used where another has none.
const DEFAULT: &str = "en";

/// The texts of a game.
pub struct GameTexts {
    texts: text::Texts,
    numbers: Numbers,
    ids: BTreeMap<StringId, String>,
    language: String,
    languages: Vec<String>,
    /// The content they were read from.
    identity: Option<u64>,
    /// Whether some are still being loaded.
    is_loading: bool,
}

impl GameTexts {
    /// No texts yet, in this language; empty is the default.
    pub fn new(language: &str) -> GameTexts {
        let texts = text::Texts::from_sources(DEFAULT, []);
        GameTexts {
            texts,
            numbers: Numbers::new(language),
            ids: BTreeMap::new(),
            language: language.to_string(),
            languages: Vec::new(),
            identity: None,
            is_loading: false,
        }
    }

    /// Sets the language. Whether it is another one.
    pub fn set_language(&mut self, language: &str) -> bool {
        let is_other = self.language != language;
        self.language = language.to_string();
        if is_other {
            self.numbers = Numbers::new(self.language());
        }
        is_other
    }

    /// The language of texts.
    pub fn language(&self) -> &str {
        if self.language.is_empty() { self.texts.default_language() } else { &self.language }
    }

    /// The languages that there are texts in.
    pub fn languages(&self) -> Vec<String> {
        self.languages.clone()
    }

    /// Reads the texts again if the content has changed or more of them were loaded. Whether they are other ones now.
    pub fn update(&mut self, content: &Library, bulk: &dyn BulkSource) -> bool {
        if self.identity == Some(content.identity()) && !self.is_loading {
            return false;
        }
        (self.identity, self.is_loading) = (Some(content.identity()), false);
        let mut sources = Vec::new();
        for (path, strings) in content.of_class::<Strings>() {
            match bulk.part(&strings.data, strings.part, BulkKind::Texture) {
                PartState::Ready(bytes) => sources.push(Source {
                    language: strings.text(&strings.language).to_string(),
                    file: path.to_string(),
                    bytes: bytes.to_vec(),
                }),
                PartState::Loading => self.is_loading = true,
                PartState::Failed => {}
            }
        }
        let default = sources.iter().find(|source| source.language == DEFAULT).or(sources.first());
        let default = default.map_or_else(|| DEFAULT.to_string(), |source| source.language.clone());
        self.languages = sources.iter().map(|source| source.language.clone()).collect();
        self.languages.sort();
        self.languages.dedup();
        self.texts = text::Texts::from_sources(&default, sources);
        self.numbers = Numbers::new(self.language());
        self.ids = self.texts.ids().into_iter().map(|id| (StringId::new(id), id.to_string())).collect();
        true
    }
}

impl Texts for GameTexts {
    fn number(&self, number: f64) -> String {
        self.numbers.say(number)
    }

    fn text(&self, id: StringId, parameters: &[(String, TextParameter)]) -> Option<String> {
        let known = self.ids.get(&id)?;
        let given = |(name, parameter): &(String, TextParameter)| match parameter {
            TextParameter::Number(number) => (name.clone(), Parameter::Number(*number), None),
            TextParameter::Text(text) => (name.clone(), Parameter::Number(0.0), Some(text.clone())),
        };
        let given: Vec<_> = parameters.iter().map(given).collect();
        let borrowed: Vec<(&str, Parameter<'_>)> = given
            .iter()
            .map(|(name, number, text)| (name.as_str(), text.as_deref().map_or(*number, Parameter::Text)))
            .collect();
        Some(self.texts.language(self.language()).say(known, &borrowed))
    }
}
