//! Settings: what a player prefers, changed while the game runs, and written back as text.
//!
//! Names, ranges and defaults are those of the class `settings`; nothing here lists them again.
//!
//! Laws
//! 1. A setting always has a value of its kind within its range.
//! 2. The text of settings gives the same settings when it is read.
//!
//! Cost: time and memory in proportion to the text, as for any tag. Held by `tests/growth.rs` of the tool.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use base::number::double::clamp;
use base::{StringId, Vec3};
use script::report::Report;
use tags::class::{Class, Field, Kind, Named};
use tags::pack::Prepared;
use tags::packed::{Packed, Reflected, ReflectedRecord};
use tags::{Names, Tag};
use view::PictureSettings;

use crate::answer::Answer;
use crate::classes::settings::SettingsTag;
use crate::gui::Preferences;

/// The settings of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The values by name.
    values: BTreeMap<String, Answer>,
    /// The bindings that replace those of the controls: an action, and its chords.
    pub keys: Vec<(String, Vec<String>)>,
    /// The paths of add-ons, and whether they are used.
    pub add_ons: Vec<(String, bool)>,
}

/// Why a setting cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingRefusal {
    /// There is no setting of this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The value is of another kind.
    Kind {
        /// The name.
        name: String,
        /// What was expected.
        expected: String,
    },
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::from_text("@settings\n").0
    }
}

impl Settings {
    /// The settings of a text: wrong values are reported, and replaced by their defaults or the nearest allowed.
    pub fn from_text(text: &str) -> (Settings, Vec<Report>) {
        let prepared = Prepared::new(SettingsTag::class());
        let made = prepared.pack_text(text);
        (Settings::read(&made.packed, prepared.class()), made.reports)
    }

    /// The settings of a tag.
    pub fn read(packed: &Packed, class: &Class) -> Settings {
        let mut settings = Settings { values: BTreeMap::new(), keys: Vec::new(), add_ons: Vec::new() };
        for (field, value) in packed.reflect(class).fields() {
            match value {
                Reflected::Record(group) => {
                    for (field, value) in group.fields() {
                        settings.values.insert(field.name.clone(), answer(value));
                    }
                }
                Reflected::Series(series) => {
                    let rows =
                        series.each().filter_map(|row| if let Reflected::Record(row) = row { Some(row) } else { None });
                    match field.name.as_str() {
                        "keys" => settings.keys = rows.map(key_row).collect(),
                        _ => settings.add_ons = rows.map(add_on_row).collect(),
                    }
                }
                plain => {
                    settings.values.insert(field.name.clone(), answer(plain));
                }
            }
        }
        settings
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&Answer> {
        self.values.get(name)
    }

    /// The number of a setting; 0 if it is none.
    pub fn number(&self, name: &str) -> f32 {
        self.get(name).and_then(Answer::number).unwrap_or(0.0) as f32
    }

    /// Whether a setting is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some(&Answer::Truth(true))
    }

    /// The word of a setting: a choice or a text; empty if it is neither.
    pub fn word(&self, name: &str) -> &str {
        if let Some(Answer::Words(word)) = self.get(name) { word } else { "" }
    }

    /// All settings by name, as interfaces know them.
    pub fn all(&self) -> Vec<(String, Answer)> {
        self.values.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Changes a setting. Numbers are brought into its range. Whether its value is another one now.
    pub fn set(&mut self, name: &str, value: &Answer) -> Result<bool, SettingRefusal> {
        let class = SettingsTag::class();
        let field = field_of(&class, name).ok_or_else(|| SettingRefusal::Unknown { name: name.to_string() })?;
        let refusal = || SettingRefusal::Kind { name: name.to_string(), expected: field.kind.in_words() };
        let value = fitting(field, value).ok_or_else(refusal)?;
        let has_changed = self.values.get(name) != Some(&value);
        self.values.insert(name.to_string(), value);
        Ok(has_changed)
    }

    /// The text of the settings: what differs from the defaults, as a tag.
    pub fn to_text(&self) -> String {
        let (class, usual) = (SettingsTag::class(), Settings::default());
        let mut text = String::from("@settings\n");
        let differs = |field: &&Field| self.values.get(&field.name) != usual.values.get(&field.name);
        for field in &class.root().fields {
            if let Kind::Record(number) = field.kind {
                let fields = class.record(number).map(|record| &record.fields[..]).unwrap_or_default();
                let given: Vec<String> = fields
                    .iter()
                    .filter(differs)
                    .map(|field| format!("{} {}", field.name, written(self.values.get(&field.name))))
                    .collect();
                if !given.is_empty() {
                    text += &format!("!set {} {{ {} }}\n", field.name, given.join(", "));
                }
            } else if !matches!(field.kind, Kind::Series(_)) && differs(&field) {
                text += &format!("!set {} {}\n", field.name, written(self.values.get(&field.name)));
            }
        }
        let keys: Vec<String> = self
            .keys
            .iter()
            .map(|(action, inputs)| {
                let inputs: Vec<String> = inputs.iter().map(|input| quoted(input)).collect();
                format!("    {{ action {}, inputs [{}] }}", quoted(action), inputs.join(", "))
            })
            .collect();
        let add_ons: Vec<String> = self
            .add_ons
            .iter()
            .map(|(path, is_used)| format!("    {{ interface {}, used {is_used} }}", quoted(path)))
            .collect();
        for (name, rows) in [("keys", keys), ("add_ons", add_ons)] {
            if !rows.is_empty() {
                text += &format!("!set {name} [\n{}\n]\n", rows.join(",\n"));
            }
        }
        text
    }

    /// What interfaces follow.
    pub fn preferences(&self) -> Preferences {
        Preferences {
            interface_scale: self.number("interface_scale"),
            text_scale: self.number("text_scale"),
            safe_area: self.number("safe_area"),
        }
    }

    /// What renderers follow.
    pub fn picture(&self) -> PictureSettings {
        let settings = PictureSettings {
            quality: chosen(self.word("quality")),
            render_scale: self.number("render_scale"),
            brightness: self.number("brightness"),
            colour_vision: chosen(self.word("colour_vision")),
        };
        settings.sound()
    }

    /// The size of the window in physical pixels; none if it is left as it is.
    pub fn resolution(&self) -> Option<[u32; 2]> {
        let Some(Answer::Vector(size)) = self.get("resolution") else { return None };
        (size.x >= 1.0 && size.y >= 1.0).then_some([size.x as u32, size.y as u32])
    }

    /// The most pictures in a second; none: no limit.
    pub fn frames_per_second_max(&self) -> Option<u32> {
        Some(self.number("frames_per_second") as u32).filter(|frames| *frames > 0)
    }

    /// The add-ons that are used.
    pub fn used_add_ons(&self) -> Vec<StringId> {
        let used = self.add_ons.iter().filter(|(_, is_used)| *is_used);
        used.map(|(path, _)| StringId::from(path.as_str())).collect()
    }
}

fn key_row(row: ReflectedRecord<'_>) -> (String, Vec<String>) {
    let inputs = match row.get("inputs") {
        Reflected::Series(series) => series.each().map(word).collect(),
        _ => Vec::new(),
    };
    (word(row.get("action")), inputs)
}

fn add_on_row(row: ReflectedRecord<'_>) -> (String, bool) {
    (word(row.get("interface")), matches!(row.get("used"), Reflected::Truth(true)))
}

/// The variant of a name; the usual one if there is none.
fn chosen<T: Names + Default>(name: &str) -> T {
    let named = T::names().into_iter().zip(T::ALL).find(|(named, _)| named.name == name);
    named.map(|(_, variant)| *variant).unwrap_or_default()
}

fn word(value: Reflected<'_>) -> String {
    match value {
        Reflected::Name(text, _) | Reflected::Text(text) | Reflected::Choice(text) | Reflected::Reference(text) => {
            text.to_string()
        }
        _ => String::new(),
    }
}

fn answer(value: Reflected<'_>) -> Answer {
    match value {
        Reflected::Number(number) => Answer::Number(number),
        Reflected::Truth(truth) => Answer::Truth(truth),
        Reflected::Numbers([x, y, z, _], _) => Answer::Vector(Vec3::new(x, y, z)),
        other => Answer::Words(word(other)),
    }
}

/// The field of a setting: one of the class, or of its records.
fn field_of<'a>(class: &'a Class, name: &str) -> Option<&'a Field> {
    class.root().fields.iter().find_map(|field| match &field.kind {
        Kind::Record(number) => class.record(*number)?.field(name).map(|(_, field)| field),
        Kind::Series(_) => None,
        _ => (field.name == name).then_some(field),
    })
}

/// The value as one of the field's kind, within its range.
fn fitting(field: &Field, value: &Answer) -> Option<Answer> {
    match (&field.kind, value) {
        (Kind::Number(_), value) => {
            let number = value.number().filter(|number| number.is_finite())?;
            let (min, max) = field.range.unwrap_or((f64::MIN, f64::MAX));
            // As the packed form has it, so that it is the same when it is read again.
            let number = clamp(number, min, max) as f32;
            format!("{number}").parse().ok().map(Answer::Number)
        }
        (Kind::Truth, Answer::Truth(truth)) => Some(Answer::Truth(*truth)),
        (Kind::Truth, value) => value.number().map(|number| Answer::Truth(number != 0.0)),
        (Kind::Choice(names), Answer::Words(word)) => {
            let is_known = |named: &&Named| named.name == *word;
            names.iter().find(is_known).map(|named| Answer::Words(named.name.clone()))
        }
        (Kind::Text, Answer::Words(words)) => Some(Answer::Words(words.clone())),
        (Kind::Vector(_), Answer::Vector(vector)) if vector.is_finite() => {
            Some(Answer::Vector(Vec3::new(vector.x, vector.y, 0.0)))
        }
        _ => None,
    }
}

fn written(value: Option<&Answer>) -> String {
    match value {
        Some(Answer::Number(number)) => format!("{number}"),
        Some(Answer::Truth(truth)) => format!("{truth}"),
        Some(Answer::Words(words)) => quoted(words),
        Some(Answer::Vector(vector)) => format!("vec({}, {})", vector.x, vector.y),
        _ => "nothing".to_string(),
    }
}

/// A string in script syntax. Strings have no line breaks.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    format!("\"{}\"", text.replace('"', "\"\""))
}

impl fmt::Display for SettingRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingRefusal::Unknown { name } => write!(formatter, "there is no setting `{name}`"),
            SettingRefusal::Kind { name, expected } => write!(formatter, "the setting `{name}` is {expected}"),
        }
    }
}

impl core::error::Error for SettingRefusal {}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Answer {
        Answer::Words(text.to_string())
    }

    #[test]
    fn settings_are_changed_and_written_back() {
        let mut settings = Settings::default();
        assert_eq!(settings.to_text(), "@settings\n");
        assert_eq!((settings.number("music"), settings.is_on("vsync"), settings.word("quality")), (0.8, true, "high"));
        assert_eq!(settings.set("music", &Answer::Number(0.25)), Ok(true));
        assert_eq!(settings.set("music", &Answer::Number(0.25)), Ok(false));
        assert_eq!(settings.set("fov", &Answer::Number(9999.0)), Ok(true));
        assert_eq!(settings.set("fullscreen", &Answer::Truth(true)), Ok(true));
        assert_eq!(settings.set("quality", &words("ultra")), Ok(true));
        assert_eq!(settings.set("language", &words("de-\"AT\"")), Ok(true));
        assert_eq!(settings.set("resolution", &Answer::Vector(Vec3::new(1280.0, 720.0, 5.0))), Ok(true));
        settings.keys = alloc::vec![("fire".into(), alloc::vec!["key x".into(), "pad south".into()])];
        settings.add_ons = alloc::vec![("more.interface".into(), false), ("map.interface".into(), true)];
        let text = settings.to_text();
        let (back, reports) = Settings::from_text(&text);
        assert_eq!((reports, back.number("fov")), (Vec::new(), 150.0), "{text}");
        assert_eq!(back, settings, "{text}");
        assert_eq!(back.used_add_ons(), [StringId::new("map.interface")]);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("musik", Answer::Number(1.0)),
            ("music", words("loud")),
            ("music", Answer::Number(f64::NAN)),
            ("quality", words("best")),
            ("keys", words("x")),
            ("resolution", Answer::Number(3.0)),
        ] {
            let refusal = settings.set(name, &value).unwrap_err();
            assert!(refusal.to_string().contains(name), "{refusal}");
        }
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn renderers_and_windows_get_what_the_player_chose() {
        assert_eq!(
            (Settings::default().picture(), Settings::default().resolution()),
            (PictureSettings::default(), None)
        );
        let text = "@settings\n!set picture { quality \"low\", render_scale 0.5, brightness 1.5, resolution vec(1280, 720) }\n\
                    !set access { colour_vision \"tritanopia\" }\n";
        let (settings, reports) = Settings::from_text(text);
        assert_eq!(reports, []);
        let expected = PictureSettings {
            quality: view::Quality::Low,
            render_scale: 0.5,
            brightness: 1.5,
            colour_vision: view::ColourVision::Tritanopia,
        };
        assert_eq!((settings.picture(), settings.resolution()), (expected, Some([1280, 720])));
    }

    #[test]
    fn any_text_gives_settings() {
        for text in
            ["", "nonsense", "@settings\n!set sound { music 7, loud 2 }\n!set picture 3", "@ship\n!set language 4"]
        {
            let (settings, reports) = Settings::from_text(text);
            assert!(!reports.is_empty() && settings.values.len() == Settings::default().values.len(), "{text}");
        }
        assert_eq!(
            Settings::from_text("@settings\n!set sound { music 7 }").0.number("music"),
            1.0,
            "the nearest allowed"
        );
    }

    #[test]
    fn no_two_settings_share_a_name() {
        let class = SettingsTag::class();
        let mut names: Vec<&str> = Vec::new();
        for field in &class.root().fields {
            match &field.kind {
                Kind::Record(number) => {
                    names.extend(class.record(*number).unwrap().fields.iter().map(|field| field.name.as_str()));
                }
                _ => names.push(&field.name),
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
