//! Texts that resemble tags, in four languages. This file is shared with the program that runs Lua.
//!
//! Ships with comments, numbers, references, lists of records and one or two formulas, generated from a seed. Each language
//! expresses the same content in the same number of statements, idiomatically. JSON has neither comments nor formulas: there
//! a formula is a string.

use std::fmt::Write;

/// The number of files.
pub const FILES: u64 = 128;
/// The number of ships per file.
const SHIPS: u64 = 24;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// LScript.
    LScript,
    /// Lua.
    Lua,
    /// rhai.
    Rhai,
    /// JSON.
    Json,
}

/// All files in a language.
pub fn files(language: Language) -> Vec<String> {
    (0..FILES).map(|file| File { language, text: String::new(), random: file }.written()).collect()
}

struct File {
    language: Language,
    text: String,
    random: u64,
}

/// A field of a record: its name, and the writer of its value.
type Field<'a> = (&'a str, &'a dyn Fn(&mut File));

const CLASSES: [&str; 6] = ["corvette", "frigate", "destroyer", "carrier", "freighter", "scout"];
const MARKERS: [&str; 5] = ["nose", "tail", "left_wing", "right_wing", "turret_upper"];
const WEAPONS: [&str; 4] = ["laser", "mine", "missile_swarm", "point_defence"];
const KINDS: [&str; 4] = ["emp", "kinetic", "thermal", "blast"];

impl File {
    fn written(mut self) -> String {
        match self.language {
            Language::LScript => self.text.push_str("@ships\n"),
            Language::Json => self.text.push_str("{\n"),
            Language::Lua | Language::Rhai => {}
        }
        for ship in 0..SHIPS {
            self.ship(ship);
        }
        if self.language == Language::Json {
            self.text.push_str("  \"end\": null\n}\n");
        }
        self.text
    }

    /// Ten statements.
    fn ship(&mut self, ship: u64) {
        let class = self.one_of(&CLASSES);
        self.comment(&format!("The {class} of the {ship}. yard. Its hull is what the balancing sheet says."));
        let name = format!("{class}_{ship}");
        self.set(&name, "name", |file| file.string(&format!("ship.{class}.{ship}")));
        self.set(&name, "model", |file| file.string(&format!("ships/{class}/{class}_{ship}.model")));
        self.set(&name, "mass", |file| file.number(200.0, 5000.0));
        self.set(&name, "hull", |file| file.number(50.0, 900.0));
        self.set(&name, "turn_rate", |file| file.number(0.1, 3.0));
        self.comment("Markers are those of the model; a weapon without one is not drawn.");
        self.set(&name, "weapons", File::weapons);
        self.set(&name, "resistances", File::resistances);
        self.set(&name, "path", File::points);
        self.set(&name, "on_damage", File::on_damage);
        self.set(&name, "upkeep", File::upkeep);
        self.text.push('\n');
    }

    fn comment(&mut self, words: &str) {
        let mark = match self.language {
            Language::LScript | Language::Rhai => "//",
            Language::Lua => "--",
            Language::Json => return,
        };
        writeln!(self.text, "{mark} {words}").expect("writing to a string cannot fail");
    }

    fn set(&mut self, ship: &str, field: &str, value: impl FnOnce(&mut File)) {
        let (before, after) = match self.language {
            Language::LScript => (format!("!set {ship}_{field} "), "\n"),
            Language::Lua => (format!("{ship}_{field} = "), "\n"),
            Language::Rhai => (format!("let {ship}_{field} = "), ";\n"),
            Language::Json => (format!("  \"{ship}_{field}\": "), ",\n"),
        };
        self.text.push_str(&before);
        value(self);
        self.text.push_str(after);
    }

    fn string(&mut self, text: &str) {
        write!(self.text, "\"{text}\"").expect("writing to a string cannot fail");
    }

    fn number(&mut self, least: f64, most: f64) {
        let share = self.random() as f64 / u64::MAX as f64;
        let digits = self.random() as usize % 3;
        write!(self.text, "{:.digits$}", least + (most - least) * share).expect("writing to a string cannot fail");
    }

    fn weapons(&mut self) {
        let count = 2 + self.random() % 3;
        self.list(count, |file| {
            let (marker, weapon) = (file.one_of(&MARKERS), file.one_of(&WEAPONS));
            file.record(&[
                ("marker", &|file| file.string(marker)),
                ("weapon", &|file| file.string(&format!("weapons/{weapon}.weapon"))),
                ("delay", &|file| file.number(0.0, 2.0)),
            ]);
        });
    }

    fn resistances(&mut self) {
        self.list(KINDS.len() as u64, |file| {
            let kind = file.one_of(&KINDS);
            file.record(&[("kind", &|file| file.string(kind)), ("factor", &|file| file.number(0.2, 1.5))]);
        });
    }

    fn points(&mut self) {
        self.list(6, |file| file.list(3, |file| file.number(-100.0, 100.0)));
    }

    fn on_damage(&mut self) {
        let kind = self.one_of(&KINDS);
        let formula = match self.language {
            Language::LScript => format!("Lambda(damage, kind, if kind = \"{kind}\" then damage * 2 else damage - 5)"),
            Language::Lua => {
                format!(
                    "function(damage, kind) if kind == \"{kind}\" then return damage * 2 else return damage - 5 end end"
                )
            }
            Language::Rhai => format!("|damage, kind| if kind == \"{kind}\" {{ damage * 2 }} else {{ damage - 5 }}"),
            Language::Json => format!("\"(damage, kind) if kind = '{kind}' then damage * 2 else damage - 5\""),
        };
        self.text.push_str(&formula);
    }

    fn upkeep(&mut self) {
        let formula = match self.language {
            Language::LScript => "Lambda(crew, days, let pay = crew * 12.5 + 3 in pay * days / 30)",
            Language::Lua => "function(crew, days) local pay = crew * 12.5 + 3 return pay * days / 30 end",
            Language::Rhai => "|crew, days| { let pay = crew * 12.5 + 3; pay * days / 30 }",
            Language::Json => "\"(crew, days) pay = crew * 12.5 + 3 in pay * days / 30\"",
        };
        self.text.push_str(formula);
    }

    fn list(&mut self, count: u64, mut element: impl FnMut(&mut File)) {
        let (open, close) = if self.language == Language::Lua { ("{ ", " }") } else { ("[ ", " ]") };
        self.text.push_str(open);
        for index in 0..count {
            if index > 0 {
                self.text.push_str(", ");
            }
            element(self);
        }
        self.text.push_str(close);
    }

    fn record(&mut self, fields: &[Field<'_>]) {
        self.text.push_str(if self.language == Language::Rhai { "#{ " } else { "{ " });
        for (index, (name, value)) in fields.iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            let name = match self.language {
                Language::LScript => format!("{name} "),
                Language::Lua => format!("{name} = "),
                Language::Rhai => format!("{name}: "),
                Language::Json => format!("\"{name}\": "),
            };
            self.text.push_str(&name);
            value(self);
        }
        self.text.push_str(" }");
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.random() as usize % words.len()]
    }

    fn random(&mut self) -> u64 {
        // Stafford's mixer over a counter: the same numbers in every language.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ number >> 31
    }
}
