//! The words that tags declare and name: widgets, contexts, actions, events; and the names of inputs.

use std::collections::BTreeSet;

use script::meaning::{Meaning, Mention, Word};
use script::report::{Report, closest};

/// The most words that a report lists.
const LISTED_MAX: usize = 12;

/// The words that can be named at a place.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Each word, and what it belongs to.
    words: BTreeSet<(Word, String, String)>,
    /// The kinds of words of which more are declared than are known.
    open: BTreeSet<Word>,
}

impl Declared {
    /// Adds the words that a tag declares.
    pub fn add(&mut self, mentions: &[Mention]) {
        for mention in mentions {
            if let Meaning::Declares(word) = mention.meaning {
                match mention.text.is_empty() {
                    true => self.open.insert(word),
                    false => self.words.insert((word, mention.text.clone(), mention.of.clone())),
                };
            }
        }
    }

    /// Whether any word of this kind is declared.
    pub fn has_any(&self, word: Word) -> bool {
        self.words.iter().any(|known| known.0 == word)
    }

    /// What is wrong with a word.
    pub fn report(&self, mention: &Mention) -> Option<Report> {
        let text = mention.text.as_str();
        match mention.meaning {
            Meaning::Names(word) => self.named(word, mention),
            Meaning::Choice(what, names) if !names.contains(&text) => {
                let help = like(text, names).unwrap_or_else(|| listed(&format!("{what} is one of"), names));
                Some(Report::error(mention.span, format!("`{text}` is not {what}")).with_help(help))
            }
            Meaning::Chord(devices) => text.split('+').find_map(|part| {
                let (message, help) = input_mistake(part.trim(), devices)?;
                Some(Report::error(mention.span, message).with_help(help))
            }),
            Meaning::Pure => {
                let message = format!("`{text}` has an effect, but what is shown has none");
                let help = "move it to a handler of the widget, such as `OnClick [ … ]`";
                Some(Report::error(mention.span, message).with_help(help))
            }
            _ => None,
        }
    }

    fn named(&self, word: Word, mention: &Mention) -> Option<Report> {
        let (text, of) = (mention.text.as_str(), mention.of.as_str());
        let is_it = |known: &&(Word, String, String)| known.0 == word && (of.is_empty() || known.2 == of);
        let known: Vec<&str> = self.words.iter().filter(is_it).map(|known| known.1.as_str()).collect();
        // A field of an unknown event is not a second mistake.
        let is_event = |known: &(Word, String, String)| known.0 == Word::Event && known.1 == of;
        let has_event = !of.is_empty() && self.words.iter().any(is_event);
        if self.open.contains(&word) || known.contains(&text) || (word == Word::EventField && !has_event) {
            return None;
        }
        let (message, remedy) = match word {
            Word::Widget => (format!("there is no widget `{text}`"), listed("the widgets are", &known)),
            Word::Context => (
                format!("there is no context `{text}`"),
                format!("add `{{ name \"{text}\" }}` to `contexts` of the controls"),
            ),
            Word::Action => (
                format!("there is no action `{text}`"),
                format!("add `{{ name \"{text}\", … }}` to `actions` of the controls"),
            ),
            Word::Event => (
                format!("no `events` tag lists the event `{text}`"),
                format!("add `{{ name \"{text}\" }}` to `kinds` of the level's `events` tag"),
            ),
            Word::EventField => (format!("the event `{of}` has no field `{text}`"), listed("its fields are", &known)),
        };
        let help = like(text, &known).unwrap_or(remedy);
        // A game may also list its events in Rust.
        let is_sure = word != Word::Event || !known.is_empty();
        let report = if is_sure { Report::error } else { Report::warning };
        Some(report(mention.span, message).with_help(help))
    }
}

/// What is wrong with one input such as `key space`, and the remedy.
fn input_mistake(part: &str, devices: &[(&str, &[&str])]) -> Option<(String, String)> {
    let (device, name) = part.split_once(' ').map_or((part, ""), |(device, name)| (device, name.trim()));
    let Some((_, names)) = devices.iter().find(|(known, _)| *known == device) else {
        let known: Vec<&str> = devices.iter().map(|(known, _)| *known).collect();
        let help = format!("an input begins with one of {}: \"key space\"", known.join(", "));
        return Some((format!("`{part}` is not an input"), help));
    };
    let help = || like(name, names).unwrap_or_else(|| listed("the names are", names));
    (!names.contains(&name)).then(|| (format!("`{name}` is not an input of the device `{device}`"), help()))
}

fn like(text: &str, known: &[&str]) -> Option<String> {
    closest(text, known.iter().copied()).map(|found| format!("did you mean `{found}`?"))
}

fn listed(beginning: &str, known: &[&str]) -> String {
    let more = if known.len() > LISTED_MAX { ", …" } else { "" };
    match known.is_empty() {
        true => String::from("there are none"),
        false => format!("{beginning} {}{more}", known[..known.len().min(LISTED_MAX)].join(", ")),
    }
}
