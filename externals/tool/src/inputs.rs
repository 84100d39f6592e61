//! Players' inputs as text: `play --inputs`, `play --record-inputs`, `film inputs`.
//!
//! A line is a cycle, a player, an event and its fields: `120 0 order vec(1, 2, 3) true`. Empty lines, and what follows `//`, are ignored.
//! A field is a number, `#3` (an identifier), `true` or `false`, `"a string"`, `vec(1, 2, 3)`, or `~e2700001` (an object) or `~nothing`.
//! An event that no table describes is written in raw words: `120 0 @0123456789abcdef 00000001 00000000`.
//!
//! Laws
//! 1. What was recorded is read back to the same bits: numbers are written in the shortest form that is read as the same number.
//! 2. A mistake names the file, the line and the column, what was expected and what was found. Nothing is played with a mistake.
//! 3. With inputs from a file no robot plays: a player without a line in a safe cycle does nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use astrarium::base::{Handle, StringId, Vec3};
use astrarium::film::Film;
use astrarium::relay::event::EVENT_WORDS;
use astrarium::relay::film::inputs::decode;
use astrarium::relay::film::{Kind, Place};
use astrarium::relay::limits::{CONTENT_PLAYER, EVENTS_PER_BATCH_MAX};
use astrarium::relay::table::{FieldKind, FieldValue};
use astrarium::relay::{Event, Sealed};
use astrarium::script::report::closest;
use astrarium::session::Session;

use crate::arguments::read_input;
use crate::error::CommandError;

/// The longest file of inputs.
const BYTES_MAX: u64 = 256 << 20;

/// The mistakes that are reported.
const MISTAKES_MAX: usize = 20;

/// The inputs of a file, by safe cycle and player.
#[derive(Debug, Default)]
pub struct Script {
    batches: BTreeMap<(u64, u16), Vec<Event>>,
}

impl Script {
    /// Reads a file, or standard input if it is `-`, for a session that has not begun to step.
    pub fn read(path: &Path, session: &Session) -> Result<Script, CommandError> {
        let bytes = read_input(path, BYTES_MAX)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CommandError::Failed(format!("{}: expected UTF-8 text", path.display())))?;
        Script::parse(&text, &path.display().to_string(), session)
    }

    /// The inputs of a text. The file is named in messages.
    pub fn parse(text: &str, file: &str, session: &Session) -> Result<Script, CommandError> {
        let (mut script, mut mistakes) = (Script::default(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let mut reader = LineReader { line, at: 0 };
            match script.take_line(&mut reader, session) {
                Ok(()) => {}
                Err(message) => mistakes.push(format!("{file}:{}:{}: {message}", number + 1, reader.column())),
            }
            if mistakes.len() == MISTAKES_MAX {
                break;
            }
        }
        if mistakes.is_empty() { Ok(script) } else { Err(CommandError::Failed(mistakes.join("\n"))) }
    }

    fn take_line(&mut self, reader: &mut LineReader<'_>, session: &Session) -> Result<(), String> {
        let lengths = session.lengths();
        if reader.is_at_end() {
            return Ok(());
        }
        let cycle: u64 = reader.number("the number of a cycle")?;
        reader.skip_blanks();
        let first = session.world().cycle();
        if cycle < first {
            reader.at = 0;
            return Err(format!("expected a cycle from {first} on, found {cycle}"));
        }
        let player: u64 = reader.number("the number of a player")?;
        let players = u64::from(session.players());
        if player >= players {
            return Err(format!(
                "expected a player from 0 to {}, found {player}; --players N plays with more",
                players.saturating_sub(1)
            ));
        }
        let event = reader.event(session)?;
        if !reader.is_at_end() {
            return Err(format!("expected the end of the line, found \"{}\"", reader.rest()));
        }
        let safe = lengths.safe_cycle(cycle) + u64::from(!lengths.is_safe(cycle));
        let batch = self.batches.entry((safe, player as u16)).or_default();
        if batch.len() == EVENTS_PER_BATCH_MAX {
            return Err(format!("expected at most {EVENTS_PER_BATCH_MAX} events of a player in a safe cycle"));
        }
        batch.push(event);
        Ok(())
    }

    /// The inputs of a part of a film's take.
    pub fn of_film(film: &Film, take: u16, first: u64, last: u64) -> Result<Script, CommandError> {
        let mut script = Script::default();
        let Some(opening) = film.opening(take) else { return Ok(script) };
        let brushes = opening.brushes_per_safe;
        let places: Vec<Place> =
            film.index().of_kind(Kind::Inputs).filter(|place| place.head.take == take).copied().collect();
        for place in places {
            let body = film.body(&place)?;
            let records = decode(&body, &place.head.stamp, brushes).map_err(|error| {
                CommandError::Failed(format!("{}: its inputs cannot be read: {error}", film.path().display()))
            })?;
            for record in records {
                let safe = record.inputs.cycle();
                if (first..last).contains(&safe.saturating_mul(u64::from(brushes))) {
                    for (player, event) in record.inputs.events().iter().filter(|(player, _)| *player != CONTENT_PLAYER)
                    {
                        script.batches.entry((safe, *player)).or_default().push(*event);
                    }
                }
            }
        }
        Ok(script)
    }

    /// The events of a player in a safe cycle.
    pub fn events(&self, safe_cycle: u64, player: u16) -> &[Event] {
        self.batches.get(&(safe_cycle, player)).map_or(&[], Vec::as_slice)
    }

    /// Delivers the inputs of the safe cycle that is about to begin, if one is. Their cycles count from this safe cycle on.
    pub fn deliver(&self, session: &mut Session, since: u64) -> Result<(), CommandError> {
        let cycle = session.world().cycle();
        if !session.lengths().is_safe(cycle) {
            return Ok(());
        }
        let safe = session.lengths().safe_cycle(cycle);
        for player in 0..session.players() {
            let at = (safe.saturating_sub(since), player);
            let events = self.batches.get(&at).map_or(&[][..], Vec::as_slice);
            let delivered = session.deliver(player, safe, events);
            delivered.map_err(|refusal| CommandError::Failed(format!("cycle {cycle}, player {player}: {refusal}")))?;
        }
        Ok(())
    }
}

/// Appends the players' events of a safe cycle, a line each. `cycle` is its first brush cycle.
pub fn write_lines(out: &mut String, cycle: u64, inputs: &Sealed, session: &Session) {
    for (player, event) in inputs.events().iter().filter(|(player, _)| *player != CONTENT_PLAYER) {
        let _ = writeln!(out, "{cycle} {player} {}", text_of(event, session));
    }
}

fn text_of(event: &Event, session: &Session) -> String {
    let library = session.content().library();
    let named = |id: StringId| session.game().text_of(id, library);
    let table = session.game().events().filter(|table| table.check(event).is_ok());
    let known = table.and_then(|table| Some((table, named(event.kind).filter(|name| is_word(name))?)));
    let values = known.and_then(|(table, name)| {
        let mut text = name.to_string();
        for (_, value) in table.read(event) {
            text.push(' ');
            text.push_str(&match value {
                // A number is written so that it is read back to the same bits.
                FieldValue::Number(number) => format!("{number}"),
                FieldValue::Identifier(number) => format!("#{number}"),
                FieldValue::Truth(truth) => truth.to_string(),
                FieldValue::Object(handle) if handle.is_none() => String::from("~nothing"),
                FieldValue::Object(handle) => format!("~{:08x}", handle.raw()),
                FieldValue::String(id) if id == StringId::default() => String::from("\"\""),
                FieldValue::String(id) => {
                    format!("\"{}\"", named(id).filter(|text| !text.contains(['"', '\\', '\n']))?)
                }
                FieldValue::Vector(vector) => format!("vec({}, {}, {})", vector.x, vector.y, vector.z),
            });
        }
        Some(text)
    });
    values.unwrap_or_else(|| {
        let words: Vec<String> = event.words.iter().map(|word| format!("{word:08x}")).collect();
        format!("@{:016x} {}", event.kind.number(), words.join(" "))
    })
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

struct LineReader<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> LineReader<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// Counted from one, in letters.
    fn column(&self) -> usize {
        self.line[..self.at].chars().count() + 1
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty() || self.rest().starts_with("//")
    }

    /// The next letters up to a blank, a comma or a bracket.
    fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|letter: char| letter.is_whitespace() || ",()".contains(letter)).unwrap_or(rest.len());
        &rest[..end]
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        let word = self.word();
        let number = word.parse().map_err(|_| format!("expected {what}, found \"{word}\""))?;
        self.at += word.len();
        Ok(number)
    }

    fn sign(&mut self, sign: char) -> Result<(), String> {
        self.skip_blanks();
        if !self.rest().starts_with(sign) {
            return Err(format!("expected `{sign}`, found \"{}\"", self.rest()));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    fn event(&mut self, session: &Session) -> Result<Event, String> {
        let word = self.word();
        if let Some(digits) = word.strip_prefix('@') {
            return self.raw_event(digits, word.len());
        }
        let library = session.content().library();
        let text = |id: StringId| session.game().text_of(id, library).unwrap_or("?");
        let Some(table) = session.game().events() else {
            return Err(format!(
                "this game has no table of events: expected the raw words of an event, found \"{word}\""
            ));
        };
        let Some(kind) = table.kind(StringId::from(word)) else {
            let names: Vec<&str> = table.kinds().iter().map(|kind| text(kind.name)).collect();
            let near = closest(word, names.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            return Err(format!("expected an event of the level ({}), found \"{word}\"{near}", names.join(", ")));
        };
        let start = self.at;
        self.at += word.len();
        let mut values = Vec::new();
        for field in &kind.fields {
            let name = text(field.name);
            if self.is_at_end() {
                return Err(format!("`{word}`: the field `{name}` is missing"));
            }
            values.push(self.field(field.kind).map_err(|message| format!("`{name}`: {message}"))?);
        }
        table.make(kind.name, &values).map_err(|refusal| {
            self.at = start;
            let said = refusal.to_string();
            match refusal.field() {
                Some(field) => said.replace(&field.to_string(), text(field)),
                None => said,
            }
        })
    }

    fn raw_event(&mut self, digits: &str, length: usize) -> Result<Event, String> {
        let wrong = || format!("expected sixteen hexadecimal digits, found \"{digits}\"");
        let kind = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16).ok_or_else(wrong)?;
        self.at += length;
        let mut words = [0; EVENT_WORDS];
        for word in &mut words {
            if self.is_at_end() {
                break;
            }
            let text = self.word();
            *word = u32::from_str_radix(text, 16)
                .map_err(|_| format!("expected eight hexadecimal digits, found \"{text}\""))?;
            self.at += text.len();
        }
        Ok(Event { kind: StringId::from_number(kind), words })
    }

    fn field(&mut self, kind: FieldKind) -> Result<FieldValue, String> {
        self.skip_blanks();
        let word = self.word();
        let value = match kind {
            FieldKind::Number => return self.number("a number").map(FieldValue::Number),
            FieldKind::Identifier => {
                let number = word.strip_prefix('#').and_then(|digits| digits.parse().ok());
                FieldValue::Identifier(
                    number.ok_or_else(|| format!("expected an identifier as in #3, found \"{word}\""))?,
                )
            }
            FieldKind::Truth => {
                FieldValue::Truth(word.parse().map_err(|_| format!("expected true or false, found \"{word}\""))?)
            }
            FieldKind::Object if word == "~nothing" => FieldValue::Object(Handle::NONE),
            FieldKind::Object => {
                let raw = word.strip_prefix('~').and_then(|digits| u32::from_str_radix(digits, 16).ok());
                let raw =
                    raw.ok_or_else(|| format!("expected an object as in ~e2700001, or ~nothing, found \"{word}\""))?;
                FieldValue::Object(Handle::from_raw(raw))
            }
            FieldKind::String => return self.string(),
            FieldKind::Vector => return self.vector(),
        };
        self.at += word.len();
        Ok(value)
    }

    fn string(&mut self) -> Result<FieldValue, String> {
        let inside = self.rest().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (inside, _) =
            inside.ok_or_else(|| format!("expected a string in double quotes, found \"{}\"", self.rest()))?;
        self.at += inside.len() + 2;
        let id = if inside.is_empty() { StringId::default() } else { StringId::from(inside) };
        Ok(FieldValue::String(id))
    }

    fn vector(&mut self) -> Result<FieldValue, String> {
        let word = self.word();
        if word != "vec" {
            return Err(format!("expected a vector as in vec(1, 2, 3), found \"{word}\""));
        }
        self.at += word.len();
        self.sign('(')?;
        let mut numbers = [0.0; 3];
        for (index, number) in numbers.iter_mut().enumerate() {
            if index > 0 {
                self.sign(',')?;
            }
            *number = self.number("a number")?;
        }
        self.sign(')')?;
        Ok(FieldValue::Vector(Vec3::from_array(numbers)))
    }
}
