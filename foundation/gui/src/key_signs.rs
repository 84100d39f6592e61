//! Key signs: what is printed on the keys of the player's keyboard, where that differs from an American one.
//!
//! A system tells the sign of a key when it is pressed, so they are learned, and kept in the player's settings.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use relay::device::Key;

/// The signs of keys that differ from those of an American keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySigns {
    signs: BTreeMap<Key, char>,
}

/// The signs of an American keyboard that are not the names of their keys.
const AMERICAN: [(Key, char); 11] = [
    (Key::Minus, '-'),
    (Key::Equal, '='),
    (Key::LeftBracket, '['),
    (Key::RightBracket, ']'),
    (Key::Backslash, '\\'),
    (Key::Semicolon, ';'),
    (Key::Quote, '\''),
    (Key::Backquote, '`'),
    (Key::Comma, ','),
    (Key::Period, '.'),
    (Key::Slash, '/'),
];

impl KeySigns {
    /// The signs of a text such as `y=z z=y`. What is no key or no sign is left out.
    pub fn of_text(text: &str) -> KeySigns {
        let mut signs = KeySigns::default();
        for (name, sign) in text.split(' ').filter_map(|pair| pair.split_once('=')) {
            let mut letters = sign.chars();
            if let (Some(key), Some(sign), None) = (Key::named(name), letters.next(), letters.next()) {
                signs.learn(key, sign);
            }
        }
        signs
    }

    /// Their text.
    pub fn text(&self) -> String {
        let pairs: Vec<String> = self.signs.iter().map(|(key, sign)| format!("{}={sign}", key.name())).collect();
        pairs.join(" ")
    }

    /// Learns the sign of a key. Whether it is another one now. Digits are called digits, also where they need Shift, and keys of the
    /// number pad and those with words on them keep their names.
    pub fn learn(&mut self, key: Key, sign: char) -> bool {
        let is_letter = (Key::A..=Key::Z).contains(&key);
        let american = AMERICAN.iter().find(|(known, _)| *known == key).map(|(_, sign)| *sign);
        if !is_letter && american.is_none() && key != Key::Intl || sign.is_control() || sign.is_whitespace() {
            return false;
        }
        let is_usual = american == Some(sign) || is_letter && key.name().chars().eq(sign.to_lowercase());
        match is_usual {
            true => self.signs.remove(&key).is_some(),
            false => self.signs.insert(key, sign) != Some(sign),
        }
    }

    /// What is printed on a key, as words for people; none: what an American keyboard has.
    pub fn name(&self, key: Key) -> Option<String> {
        let sign = self.signs.get(&key)?;
        let upper: String = sign.to_uppercase().collect();
        // The capital of ß is two letters, which no key has.
        Some(if upper.chars().count() == 1 { upper } else { sign.to_string() })
    }

    /// The key whose American name is printed at the place of a key.
    pub fn key(&self, key: Key) -> Key {
        let named = self.signs.get(&key).and_then(|sign| Key::named(&sign.to_lowercase().to_string()));
        named.unwrap_or(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_learned_and_kept() {
        let mut signs = KeySigns::default();
        for (key, sign, is_new) in [
            (Key::W, 'w', false),
            (Key::W, 'W', false),
            (Key::Y, 'z', true),
            (Key::Y, 'z', false),
            (Key::Semicolon, 'ö', true),
            (Key::Minus, 'ß', true),
            (Key::Comma, ',', false),
            (Key::Digit1, '&', false),
            (Key::Space, 'x', false),
            (Key::Quote, '\n', false),
        ] {
            assert_eq!(signs.learn(key, sign), is_new, "{key:?} {sign}");
        }
        assert_eq!(signs.text(), "y=z minus=ß semicolon=ö");
        assert_eq!(KeySigns::of_text(&signs.text()), signs);
        let names = [Key::Y, Key::Semicolon, Key::Minus, Key::W].map(|key| signs.name(key));
        assert_eq!(names, [Some("Z".into()), Some("Ö".into()), Some("ß".into()), None]);
        assert!(signs.learn(Key::Y, 'y') && signs.name(Key::Y).is_none(), "another layout");
        assert_eq!(KeySigns::of_text("y=zz fly=a  = q=a"), KeySigns::of_text("q=a"));
    }

    #[test]
    fn shortcuts_go_by_what_is_printed() {
        let french = KeySigns::of_text("q=a a=q");
        assert_eq!([Key::Q, Key::A, Key::C].map(|key| french.key(key)), [Key::A, Key::Q, Key::C]);
    }
}
