//! What an interface needs from outside: content, texts in the player's language, the measures of text, and the clipboard.

use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::string_id::StringTable;
use tags::Library;
use view::TextMeasure;

use crate::answer::Answer;
use crate::limits::PROMPT;

/// A parameter of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextParameter {
    /// A number, which the language may inflect by.
    Number(f64),
    /// A text.
    Text(String),
}

/// The texts in the player's language.
pub trait Texts {
    /// The text of an id with these parameters; none if there is no such text.
    fn text(&self, id: StringId, parameters: &[(String, TextParameter)]) -> Option<String>;

    /// A number as it is written in the player's language.
    fn number(&self, number: f64) -> String {
        say_number(number, if number == base::number::double::floor(number) { 0 } else { 2 })
    }

    /// The key or button of an action, for people: of the device that the player used last. None if there is no such action.
    fn prompt(&self, action: &str) -> Option<String> {
        let _ = action;
        None
    }
}

/// No texts: ids are shown as they are written.
pub struct NoTexts;

impl Texts for NoTexts {
    fn text(&self, _: StringId, _: &[(String, TextParameter)]) -> Option<String> {
        None
    }
}

/// The clipboard of the system.
pub trait Clipboard {
    /// The text in it.
    fn read(&mut self) -> String;

    /// Puts a text into it.
    fn write(&mut self, text: &str);
}

impl Clipboard for String {
    fn read(&mut self) -> String {
        self.clone()
    }

    fn write(&mut self, text: &str) {
        self.clear();
        self.push_str(text);
    }
}

/// What an interface needs from outside.
pub struct Surroundings<'a> {
    /// The tags.
    pub content: &'a Library,
    /// Measures text.
    pub measure: &'a mut dyn TextMeasure,
    /// The texts in the player's language.
    pub texts: &'a dyn Texts,
    /// The clipboard.
    pub clipboard: &'a mut dyn Clipboard,
}

/// The field of a text record that has its id, and the one that has its parameters: see the built-in `text`.
const TEXT: StringId = StringId::new("text");
const WITH: StringId = StringId::new("with");

/// An answer as a text for people: a string by the texts of its language, a text record with its parameters, a number with this
/// many decimals.
pub fn say(answer: &Answer, decimals: usize, texts: &dyn Texts, strings: &StringTable) -> String {
    match answer {
        Answer::Nothing => String::new(),
        Answer::Words(words) => words.clone(),
        Answer::Number(number) => say_number(*number, decimals),
        Answer::Identifier(number) => alloc::format!("{number}"),
        Answer::Truth(truth) => alloc::format!("{truth}"),
        Answer::String(id) => say_string(*id, &[], texts, strings),
        Answer::Vector(vector) => {
            [vector.x, vector.y, vector.z].map(|number| say_number(f64::from(number), decimals)).join(", ")
        }
        Answer::Object(raw) => alloc::format!("#{raw:x}"),
        Answer::List(list) => {
            let parts: Vec<String> = list.iter().map(|part| say(part, decimals, texts, strings)).collect();
            parts.join(", ")
        }
        Answer::Record(_) => {
            let Some(Answer::String(id)) = answer.field(TEXT) else { return String::new() };
            let given = match answer.field(WITH) {
                Some(Answer::Record(fields)) => &fields[..],
                _ => &[],
            };
            let parameters: Vec<_> = given
                .iter()
                .map(|(name, value)| (strings.text(*name).unwrap_or("?").into(), parameter(value, texts, strings)))
                .collect();
            say_string(*id, &parameters, texts, strings)
        }
    }
}

/// A parameter of a text: numbers stay numbers.
pub fn parameter(value: &Answer, texts: &dyn Texts, strings: &StringTable) -> TextParameter {
    match value {
        Answer::Number(number) => TextParameter::Number(*number),
        Answer::Identifier(number) => TextParameter::Number(f64::from(*number)),
        other => TextParameter::Text(say(other, 0, texts, strings)),
    }
}

/// The text of an id; without one, the id as it is written.
pub fn say_string(
    id: StringId,
    parameters: &[(String, TextParameter)],
    texts: &dyn Texts,
    strings: &StringTable,
) -> String {
    if id.is_none() {
        return String::new();
    }
    match texts.text(id, parameters) {
        Some(found) => prompted(&found, texts),
        // An id without a text may be one itself.
        None => strings.text(id).map_or_else(|| alloc::format!("[{id}]"), |text| filled(text, parameters, texts)),
    }
}

/// A text of a tag with its placeholders replaced: `{name}` by a parameter, `{key_ACTION}` by the key or button of an action. Unknown
/// ones stay as they are written; `{{` and `}}` are the braces themselves.
pub fn filled(text: &str, parameters: &[(String, TextParameter)], texts: &dyn Texts) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let brace = &behind[..1];
        if behind[1..].starts_with(brace) {
            out.push_str(brace);
            rest = &behind[2..];
            continue;
        }
        let Some((value, end)) = value_in_braces(behind, parameters, texts) else {
            out.push_str(brace);
            rest = &behind[1..];
            continue;
        };
        out.push_str(&value);
        rest = &behind[end..];
    }
    out.push_str(rest);
    out
}

/// A text in the player's language with the keys of actions.
fn prompted(text: &str, texts: &dyn Texts) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let (value, end) = value_in_braces(behind, &[], texts).unwrap_or((String::from("{"), 1));
        out.push_str(&value);
        rest = &behind[end..];
    }
    out.push_str(rest);
    out
}

/// The value of the braces that a text begins with, and its end.
fn value_in_braces(text: &str, parameters: &[(String, TextParameter)], texts: &dyn Texts) -> Option<(String, usize)> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let name = inside.trim().trim_start_matches('$');
    let given = parameters.iter().find(|(known, _)| known == name).map(|(_, value)| match value {
        TextParameter::Number(number) => texts.number(*number),
        TextParameter::Text(text) => text.clone(),
    });
    let value = given.or_else(|| texts.prompt(name.strip_prefix(PROMPT)?))?;
    Some((value, inside.len() + 2))
}

fn say_number(number: f64, decimals: usize) -> String {
    let text = alloc::format!("{number:.decimals$}");
    // Rounding may leave a minus before a zero.
    let is_zero = text.bytes().all(|letter| matches!(letter, b'-' | b'0' | b'.'));
    if is_zero { text.trim_start_matches('-').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct German;

    impl Texts for German {
        fn text(&self, id: StringId, parameters: &[(String, TextParameter)]) -> Option<String> {
            let hit = || alloc::format!("Treffer: {parameters:?}");
            (id == StringId::new("ship.hit")).then(hit)
        }
    }

    #[test]
    fn values_are_said_in_the_language_of_the_player() {
        let mut strings = StringTable::new();
        let hit = strings.add("ship.hit").unwrap();
        let lost = strings.add("ship.lost").unwrap();
        let damage = strings.add("damage").unwrap();
        let said = |answer: Answer| say(&answer, 1, &German, &strings);
        let with = Answer::Record(alloc::vec![(damage, Answer::Number(3.0))]);
        let text = Answer::Record(alloc::vec![(TEXT, Answer::String(hit)), (WITH, with)]);
        assert_eq!(said(text), "Treffer: [(\"damage\", Number(3.0))]");
        assert_eq!(said(Answer::String(lost)), "ship.lost", "a missing text is its id");
        assert_eq!((said(Answer::Number(-0.01)), said(Answer::Number(2.25))), ("0.0".into(), "2.2".into()));
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_stay() {
        struct Prompts;
        impl Texts for Prompts {
            fn text(&self, id: StringId, _: &[(String, TextParameter)]) -> Option<String> {
                (id == StringId::new("hint")).then(|| "Press {$key_fire}".into())
            }

            fn prompt(&self, action: &str) -> Option<String> {
                (action == "fire").then(|| "Space".into())
            }
        }
        let mut strings = StringTable::new();
        let hull = strings.add("hull {n} of {m}, {key_fire} {key_jump} {").unwrap();
        let parameters = [("n".into(), TextParameter::Number(3.0)), ("m".into(), TextParameter::Number(4.5))];
        assert_eq!(say_string(hull, &parameters, &Prompts, &strings), "hull 3 of 4.50, Space {key_jump} {");
        assert_eq!(filled("{{n}} {n}} {m", &parameters, &Prompts), "{n} 3} {m", "braces are written twice");
        assert_eq!(say_string(StringId::new("hint"), &[], &Prompts, &strings), "Press Space");
    }
}
