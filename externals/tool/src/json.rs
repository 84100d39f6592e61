//! A writer of the JSON object with which a command ends. Written by hand: it is a dozen names and numbers.

use std::fmt::{Display, Write};

/// A JSON object under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(String);

impl Default for Json {
    fn default() -> Json {
        Json::new()
    }
}

impl Json {
    /// An empty object.
    pub fn new() -> Json {
        Json(String::from("{"))
    }

    /// Adds a number, or any value that is valid JSON.
    pub fn value(mut self, name: &str, value: impl Display) -> Json {
        self.name(name);
        write!(self.0, "{value}").expect("writing to a string cannot fail");
        self
    }

    /// Adds a text.
    pub fn text(mut self, name: &str, value: &str) -> Json {
        self.name(name);
        quote(&mut self.0, value);
        self
    }

    /// Adds a 64-bit number as sixteen hexadecimal digits: numbers in JSON lose the last bits.
    pub fn hex(self, name: &str, value: u64) -> Json {
        self.text(name, &format!("{value:016x}"))
    }

    /// Adds a list of objects.
    pub fn list(mut self, name: &str, objects: impl IntoIterator<Item = Json>) -> Json {
        self.name(name);
        let objects: Vec<String> = objects.into_iter().map(Json::finish).collect();
        write!(self.0, "[{}]", objects.join(", ")).expect("writing to a string cannot fail");
        self
    }

    /// Adds a list of texts.
    pub fn texts<T: AsRef<str>>(mut self, name: &str, texts: impl IntoIterator<Item = T>) -> Json {
        self.name(name);
        self.0.push('[');
        for (index, text) in texts.into_iter().enumerate() {
            self.0.push_str(if index == 0 { "" } else { ", " });
            quote(&mut self.0, text.as_ref());
        }
        self.0.push(']');
        self
    }

    /// The whole object.
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push_str(", ");
        }
        quote(&mut self.0, name);
        self.0.push_str(": ");
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            control if control < ' ' => {
                write!(out, "\\u{:04x}", control as u32).expect("writing to a string cannot fail");
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        let json = Json::new()
            .text("a\"b", "line\n\\")
            .value("n", 1.5)
            .hex("h", 255)
            .list("l", [Json::new()])
            .texts("t", ["a", "\""]);
        assert_eq!(
            json.finish(),
            "{\"a\\\"b\": \"line\\u000a\\\\\", \"n\": 1.5, \"h\": \"00000000000000ff\", \"l\": [{}], \"t\": [\"a\", \"\\\"\"]}"
        );
    }
}
