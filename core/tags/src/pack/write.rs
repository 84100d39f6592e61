//! Encoding of values by kind.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::number::{canonical, canonical_f64, double};
use base::plain::bytes_of;
use script::ast::{Expression, Tree};
use script::parse::parse;
use script::report::{Report, closest};
use script::source::Span;

use super::given_value::{GivenValue, Origin};
use super::{Evaluated, Packer};
use crate::angle::radians;
use crate::class::{Field, Kind, Named, Number, Record};
use crate::expression::is_shared_default;
use crate::former::{find as find_supply, is_former};
use crate::limits::{DEPTH_MAX, ELEMENTS_MAX, FIELD_TEXT_BYTES_MAX, FILES_MAX, REFERENCES_MAX};
use crate::literal::colour;
use crate::packed::{FileRow, LinkRow, RESIDENT};
use crate::path::TagPath;

/// The field that a value is for.
#[derive(Clone, Copy)]
struct FieldTarget<'a> {
    field: &'a Field,
    depth: u32,
}

/// Names, their spans and their values.
type Given<'s, 'g> = &'s [(&'g str, Span, GivenValue<'g>)];

impl<'a> Packer<'a> {
    /// Packs the fields of a record: from the names given in the text, then from those that it inherits.
    pub(super) fn record(
        &mut self,
        at: usize,
        number: u32,
        (given, inherited): (Given<'_, '_>, Given<'_, '_>),
        depth: u32,
    ) {
        let prepared = self.prepared;
        let Some(record) = prepared.class.record(number) else { return };
        let names = &prepared.names[number as usize];
        // Where each field is given under today's name.
        let mut own: Vec<Option<usize>> = alloc::vec![None; record.fields.len()];
        for (index, (name, span, _)) in given.iter().enumerate() {
            match names.get(*name).map(|field| *field as usize) {
                Some(field) if record.fields[field].is_runtime => {
                    let message = format!("`{name}` is filled in by the game and cannot be set");
                    self.report(Report::error(*span, message).with_help("remove the line"));
                }
                Some(field) => own[field] = Some(index),
                None if is_former(record, name, self.version) => {}
                // An additional variable of the tag: its program has it.
                None if number == 0 && (prepared.class.is_open || prepared.shared.names.contains(*name)) => {}
                None => self.report_unknown(number, name, *span),
            }
        }
        for (index, field) in record.fields.iter().enumerate().filter(|(_, field)| !field.is_runtime) {
            let to = FieldTarget { field, depth };
            let is_written = if field.former.is_empty() {
                own[index].is_some_and(|found| self.field(at, to, given[found].2))
            } else {
                self.former(at, to, record, given)
            };
            // Given under today's name, and in today's meaning.
            let of_others = || inherited.iter().find(|(name, ..)| *name == field.name).map(|(.., value)| *value);
            let is_written = is_written || of_others().is_some_and(|value| self.field(at, to, value));
            if !is_written {
                self.default(at, number, index, to);
            }
        }
    }

    /// Packs a field that has former names or meanings.
    fn former(
        &mut self,
        at: usize,
        to: FieldTarget<'a>,
        record: &'a Record,
        given: &[(&str, Span, GivenValue<'_>)],
    ) -> bool {
        let present = |name: &str| given.iter().rposition(|(found, ..)| *found == name);
        let Some(supply) = find_supply(record, to.field, self.version, present) else { return false };
        if let Some(ignored) = supply.ignored {
            let (name, span, _) = given[ignored];
            let message = format!("`{name}` is the former name of `{}`, and both are set", to.field.name);
            let help = format!("`{}` counts; `astrarium tag upgrade` keeps both", to.field.name);
            self.report(Report::warning(span, message).with_help(help));
        }
        let (_, span, value) = given[supply.at];
        let Some(convert) = supply.former.and_then(|former| former.convert.as_deref()) else {
            return self.field(at, to, value);
        };
        let texts: Vec<(&str, String)> = given.iter().map(|(name, _, value)| (*name, value.written())).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        match self.converter.convert(convert, &value.written(), &texts, &to.field.kind) {
            Ok(converted) => {
                let text = format!("!set {} {converted}", to.field.name);
                let tree = parse(&text);
                self.statement(at, to, (&text, &tree), Some(span))
            }
            Err(why) => {
                let message = format!("`{}` cannot be converted: {why}", to.field.name);
                self.report(Report::error(span, message).with_help(self.default_help(to.field)));
                false
            }
        }
    }

    /// Packs a field; false if its default has to be used.
    fn field(&mut self, at: usize, to: FieldTarget<'a>, value: GivenValue<'_>) -> bool {
        if value.is_missing() {
            return false;
        }
        self.value(at + to.field.offset as usize, &to.field.kind, value, to)
    }

    /// Packs a field that the text does not give: its default, or, if it is a record, the defaults of its fields.
    fn default(&mut self, at: usize, number: u32, index: usize, to: FieldTarget<'a>) {
        let prepared = self.prepared;
        if let Some(Some((source, tree))) = prepared.defaults[number as usize].get(index)
            && self.statement(at, to, (source, tree), None)
        {
            return;
        }
        self.defaults_of_record(at + to.field.offset as usize, &to.field.kind, to);
    }

    /// Packs the defaults of all fields of a record, if the kind is one. Zero-sized records are skipped: nested ones
    /// could be without number.
    fn defaults_of_record(&mut self, at: usize, kind: &Kind, to: FieldTarget<'a>) {
        if let Kind::Record(number) = kind
            && to.depth < DEPTH_MAX
            && self.prepared.class.size_of(kind).0 > 0
        {
            self.record(at, *number, (&[], &[]), to.depth + 1);
        }
    }

    /// What is wrong with the default of a field.
    pub(super) fn try_default(&mut self, number: u32, index: usize) -> Option<String> {
        let prepared = self.prepared;
        let record = prepared.class.record(number)?;
        let field = record.fields.get(index).filter(|field| !field.is_runtime)?;
        let at = self.room(record.bytes as usize, record.align as usize)?;
        if number == 0 && field.default.as_deref().is_some_and(is_shared_default) {
            // Checked with the class: it may read other fields.
            return None;
        }
        let Some((source, tree)) = prepared.defaults[number as usize].get(index)? else {
            return field.default.as_ref().map(|text| format!("`{text}` cannot be understood"));
        };
        self.statement(at, FieldTarget { field, depth: 0 }, (source, tree), Some(Span::default()));
        let report = self.reports.first()?;
        let help = if report.help.contains("default") { "" } else { report.help.as_str() };
        Some(format!("{} {help}", report.message).trim_end().to_string())
    }

    /// Packs a field from a separate text: a default, or the result of a conversion. Errors in a default are reported
    /// where the class is declared; errors in a conversion, at the former value.
    fn statement(&mut self, at: usize, to: FieldTarget<'a>, (source, tree): (&str, &Tree), span: Option<Span>) -> bool {
        let Some(first) = tree.statements.first() else { return false };
        let Expression::Set(_, node) = tree.node(*first).expression else { return false };
        let origin = Origin { source, tree, evaluated: &NOTHING_EVALUATED };
        let value = GivenValue { origin: Some(origin), node: Some(node), value: None };
        let (before, links, files) = (self.reports.len(), self.links.len(), self.files.len());
        let is_written = self.value(at + to.field.offset as usize, &to.field.kind, value, to);
        match span {
            None => self.reports.truncate(before),
            Some(span) => self.reports[before..].iter_mut().for_each(|report| report.span = span),
        }
        let place = span.unwrap_or_default().start;
        self.links[links..].iter_mut().for_each(|row| row.place = place);
        self.files[files..].iter_mut().for_each(|row| row.place = place);
        is_written
    }

    fn put(&mut self, at: usize, bytes: &[u8]) -> bool {
        if let Some(place) = self.data.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        true
    }

    /// Reports what was expected and what was found.
    fn refuse(&mut self, value: GivenValue<'_>, to: FieldTarget<'a>, kind: &Kind) -> bool {
        let message = format!("`{}`: expected {}, found {}", to.field.name, kind.in_words(), value.describe());
        self.report(Report::error(value.span(), message).with_help(self.default_help(to.field)));
        false
    }

    fn default_help(&self, field: &Field) -> String {
        match (&field.default, &field.kind) {
            (Some(default), _) => format!("its default, {default}, is used"),
            (None, Kind::Record(_)) => "the defaults of its fields are used".to_string(),
            (None, _) => String::new(),
        }
    }

    fn value(&mut self, at: usize, kind: &'a Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        match kind {
            Kind::Optional(of) => {
                if value.is_nothing() {
                    return true;
                }
                let inner = at + self.prepared.class.optional_offset(of) as usize;
                self.value(inner, of, value, to) && self.put(at, &1_u32.to_le_bytes())
            }
            Kind::Series(of) => self.series(at, of, value, to),
            Kind::Record(number) => {
                let Some(fields) = value.record() else { return self.refuse(value, to, kind) };
                if to.depth >= DEPTH_MAX {
                    let message = format!("records are nested at most {DEPTH_MAX} deep");
                    self.report(Report::error(value.span(), message));
                    return false;
                }
                self.record(at, *number, (&fields, &[]), to.depth + 1);
                true
            }
            Kind::Number(number) => match value.number() {
                Some(found) => self.number(at, *number, found, value, to),
                None => self.refuse(value, to, kind),
            },
            Kind::Formula => self.formula(at, kind, value, to),
            Kind::Lambda(_) if value.is_nothing() => true,
            Kind::Lambda(_) => match value.function() {
                Some(function) => self.put(at, &(function + 1).to_le_bytes()),
                None if value.is_lambda() => {
                    let message = format!("`{}`: a lambda in a tag cannot capture values", to.field.name);
                    self.report(Report::error(value.span(), message).with_help("write the values into the lambda"));
                    false
                }
                None => self.refuse(value, to, kind),
            },
            Kind::Truth => match value.truth() {
                Some(truth) => self.put(at, &[u8::from(truth)]),
                None => self.refuse(value, to, kind),
            },
            Kind::Identifier => match value.identifier() {
                Some(number) => self.put(at, &number.to_le_bytes()),
                None => self.refuse(value, to, kind),
            },
            Kind::Angle => match value.number() {
                Some(degrees) => {
                    let degrees = self.in_range(degrees, Number::F32.range(), value, to);
                    self.put(at, &canonical(radians(degrees)).to_le_bytes())
                }
                None => self.refuse(value, to, kind),
            },
            Kind::Vector(count) => match value.numbers() {
                Some(numbers) if numbers.len() == usize::from(*count) => self.floats(at, &numbers, value, to),
                // A built-in vector always has three; a plane needs the first two.
                Some(numbers) if *count == 2 && numbers.len() == 3 && numbers[2] == 0.0 => {
                    self.floats(at, &numbers[..2], value, to)
                }
                _ => self.refuse(value, to, kind),
            },
            Kind::Colour => self.colour(at, kind, value, to),
            Kind::StringId => match value.text() {
                Some(text) => {
                    let id = self.name(&text, value.span());
                    self.put(at, &id.number().to_le_bytes())
                }
                None => self.refuse(value, to, kind),
            },
            Kind::Text => self.text(at, kind, value, to),
            Kind::Choice(names) => match value.text() {
                Some(text) => match find(names, &text) {
                    Some(index) => self.put(at, &index.to_le_bytes()),
                    None => self.refuse_name(&text, names, kind, value, to),
                },
                None => self.refuse(value, to, kind),
            },
            Kind::Flags(names) => self.flags(at, kind, names, value, to),
            Kind::Reference(class) => self.reference(at, kind, class, value, to),
            Kind::Bulk => self.bulk(at, kind, value, to),
            Kind::Own(_) => value.is_nothing() || self.refuse(value, to, kind),
        }
    }

    fn series(&mut self, at: usize, of: &'a Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        let Some(elements) = value.list() else {
            let message = format!("`{}`: expected a list, found {}", to.field.name, value.describe());
            self.report(Report::error(value.span(), message).with_help("write it between `[` and `]`"));
            return false;
        };
        if elements.len() > ELEMENTS_MAX {
            let message =
                format!("`{}` has {} elements; at most {ELEMENTS_MAX} are allowed", to.field.name, elements.len());
            self.report(
                Report::error(value.span(), message).with_help("move large data into bulk data: a file beside the tag"),
            );
            return false;
        }
        let (bytes, align) = self.prepared.class.size_of(of);
        // Records without fields cannot be counted.
        if elements.is_empty() || bytes == 0 {
            return true;
        }
        let Some(start) = self.room((bytes as usize).saturating_mul(elements.len()), align as usize) else {
            return false;
        };
        for (index, element) in elements.iter().enumerate() {
            // A wrong element becomes the zero of its kind or the defaults of its record, so that the others keep their
            // positions.
            let place = start + index * bytes as usize;
            if !self.value(place, of, *element, to) {
                self.defaults_of_record(place, of, to);
            }
        }
        self.check_keys(of, &elements, to);
        self.point(at, start, elements.len())
    }

    /// Reports two elements with one key.
    fn check_keys(&mut self, of: &'a Kind, elements: &[GivenValue<'_>], to: FieldTarget<'a>) {
        let prepared = self.prepared;
        let Kind::Record(number) = of else { return };
        let Some(key) = prepared.class.record(*number).and_then(|record| record.key_field()) else { return };
        let mut keys = alloc::collections::BTreeSet::new();
        for element in elements {
            let fields = element.record().unwrap_or_default();
            let found = fields.iter().find(|(name, ..)| *name == key.name);
            let Some((_, span, value)) = found else { continue };
            let text = value.text().or_else(|| value.number().map(|number| Cow::Owned(number.to_string())));
            let text = text.or_else(|| value.identifier().map(|number| Cow::Owned(format!("#{number}"))));
            if let Some(text) = text
                && !keys.insert(text.to_string())
            {
                let message = format!("`{}` has two elements whose `{}` is {text:?}", to.field.name, key.name);
                self.report(Report::error(*span, message).with_help("give one of them another key"));
            }
        }
    }

    /// Writes the relative offset of a series or text.
    fn point(&mut self, at: usize, start: usize, count: usize) -> bool {
        let offset = i32::try_from(start as i64 - at as i64).expect("packed data is smaller than 2 GiB");
        self.put(at, &offset.to_le_bytes()) && self.put(at + 4, &(count as u32).to_le_bytes())
    }

    /// Clamps a number to the field's range and its kind.
    fn in_range(&mut self, found: f64, holds: (f64, f64), value: GivenValue<'_>, to: FieldTarget<'a>) -> f64 {
        let (min, max) = to.field.range.unwrap_or(holds);
        let (min, max) = (double::max(min, holds.0), double::min(max, holds.1));
        if found >= min && found <= max {
            return found;
        }
        let unit = if to.field.unit.is_empty() { String::new() } else { format!(" {}", to.field.unit) };
        let message = format!("`{}`: expected {min} to {max}{unit}, found {found}", to.field.name);
        let nearest = if found > max { max } else { min };
        self.report(Report::error(value.span(), message).with_help(format!("{nearest} is used")));
        nearest
    }

    fn number(&mut self, at: usize, number: Number, found: f64, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        let mut found = self.in_range(found, number.range(), value, to);
        if !number.is_float() && double::floor(found) != found {
            let message = format!("`{}`: expected a whole number, found {found}", to.field.name);
            found = double::floor(found);
            self.report(Report::error(value.span(), message).with_help(format!("{found} is used")));
        }
        match number {
            Number::I8 => self.put(at, &(found as i8).to_le_bytes()),
            Number::I16 => self.put(at, &(found as i16).to_le_bytes()),
            Number::I32 => self.put(at, &(found as i32).to_le_bytes()),
            Number::I64 => self.put(at, &(found as i64).to_le_bytes()),
            Number::U8 => self.put(at, &(found as u8).to_le_bytes()),
            Number::U16 => self.put(at, &(found as u16).to_le_bytes()),
            Number::U32 => self.put(at, &(found as u32).to_le_bytes()),
            Number::U64 => self.put(at, &(found as u64).to_le_bytes()),
            Number::F32 => self.put(at, &canonical(found as f32).to_le_bytes()),
            Number::F64 => self.put(at, &canonical_f64(found).to_le_bytes()),
        }
    }

    fn floats(&mut self, at: usize, numbers: &[f64], value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        for (index, number) in numbers.iter().enumerate() {
            let number = self.in_range(*number, Number::F32.range(), value, to);
            self.put(at + index * 4, &canonical(number as f32).to_le_bytes());
        }
        true
    }

    fn formula(&mut self, at: usize, kind: &Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        if let Some(number) = value.number() {
            let number = self.in_range(number, Number::F64.range(), value, to);
            return self.put(at, &canonical_f64(number).to_le_bytes());
        }
        match value.function() {
            Some(function) => self.put(at + 8, &(function + 1).to_le_bytes()),
            None => self.refuse(value, to, kind),
        }
    }

    fn colour(&mut self, at: usize, kind: &Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        let found = match (value.text(), value.numbers()) {
            (Some(text), _) => colour(&text),
            (None, Some(numbers)) if matches!(numbers.len(), 3 | 4) => {
                let opacity = numbers.get(3).copied().unwrap_or(1.0);
                return self.floats(at, &[numbers[0], numbers[1], numbers[2], opacity], value, to);
            }
            _ => None,
        };
        match found {
            Some(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.put(at + index * 4, &part.to_le_bytes());
                }
                true
            }
            None => self.refuse(value, to, kind),
        }
    }

    fn text(&mut self, at: usize, kind: &Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        let Some(text) = value.text() else { return self.refuse(value, to, kind) };
        if text.len() > FIELD_TEXT_BYTES_MAX {
            let message =
                format!("`{}` has {} bytes; at most {FIELD_TEXT_BYTES_MAX} are allowed", to.field.name, text.len());
            self.report(Report::error(value.span(), message));
            return false;
        }
        let Some(start) = self.room(text.len(), 1) else { return false };
        self.put(start, text.as_bytes()) && (text.is_empty() || self.point(at, start, text.len()))
    }

    fn flags(
        &mut self,
        at: usize,
        kind: &Kind,
        names: &'a [Named],
        value: GivenValue<'_>,
        to: FieldTarget<'a>,
    ) -> bool {
        let Some(elements) = value.list() else { return self.refuse(value, to, kind) };
        let mut bits = 0_u32;
        for element in elements {
            match element.text().map(|text| (find(names, &text), text)) {
                Some((Some(index), _)) => bits |= 1 << index,
                Some((None, text)) => {
                    self.refuse_name(&text, names, kind, element, to);
                }
                None => {
                    self.refuse(element, to, kind);
                }
            }
        }
        self.put(at, &bits.to_le_bytes())
    }

    fn refuse_name(
        &mut self,
        text: &str,
        names: &[Named],
        kind: &Kind,
        value: GivenValue<'_>,
        to: FieldTarget<'a>,
    ) -> bool {
        if self.has_enough_reports() {
            return false;
        }
        let like = closest(text, names.iter().map(|named| named.name.as_str()));
        let help = like.map_or_else(|| self.default_help(to.field), |like| format!("did you mean \"{like}\"?"));
        let message = format!("`{}`: expected {}, found {text:?}", to.field.name, kind.in_words());
        self.report(Report::error(value.span(), message).with_help(help));
        false
    }

    fn reference(&mut self, at: usize, kind: &Kind, class: &str, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        if value.is_nothing() {
            return true;
        }
        let Some(text) = value.text() else { return self.refuse(value, to, kind) };
        if text.is_empty() {
            return true;
        }
        let path = match TagPath::new(&text) {
            Ok(path) => path,
            Err(wrong) => {
                self.report(Report::error(value.span(), format!("`{}`: {wrong}", to.field.name)));
                return false;
            }
        };
        if self.links.len() >= REFERENCES_MAX {
            self.report(Report::error(value.span(), format!("a tag has at most {REFERENCES_MAX} references")));
            return false;
        }
        let (path_part, class_part) = (self.letters(path.as_str()), self.letters(class));
        let place = value.span().start;
        self.links.push(LinkRow { at: at as u32, place, path: path_part, class: class_part });
        self.put(at, &path.id().number().to_le_bytes())
    }

    fn bulk(&mut self, at: usize, kind: &Kind, value: GivenValue<'_>, to: FieldTarget<'a>) -> bool {
        if value.is_nothing() {
            return true;
        }
        let Some(fields) = value.record() else { return self.refuse(value, to, kind) };
        let get = |name: &str| fields.iter().find(|(found, ..)| *found == name).map(|(_, _, value)| *value);
        let file = get("file").and_then(|value| value.text()).filter(|file| is_file_name(file));
        let Some(file) = file else {
            let message = format!("`{}`: expected the name of a file beside the tag", to.field.name);
            let help = "as in `{ file \"corvette.pixels\", bytes 4096, hash \"…\" }`";
            self.report(Report::error(value.span(), message).with_help(help));
            return false;
        };
        let bytes = get("bytes").and_then(|value| value.number()).unwrap_or(0.0);
        let digest = get("hash").and_then(|value| value.text()).and_then(|text| digest_of(&text));
        if digest.is_none() && get("hash").is_some() {
            let message = format!("`{}`: expected a hash of 64 hexadecimal digits", to.field.name);
            self.report(Report::error(value.span(), message).with_help("`astrarium tag check` prints the right one"));
        }
        if self.files.len() >= FILES_MAX {
            self.report(Report::error(value.span(), format!("a tag names at most {FILES_MAX} files")));
            return false;
        }
        let (digest, bytes) = (digest.unwrap_or_default(), (bytes as u64).min(RESIDENT - 1));
        let file = self.letters(&file);
        let place = value.span().start;
        let resident = if to.field.is_resident { RESIDENT } else { 0 };
        self.files.push(FileRow { at: at as u32, place, file, digest, bytes: bytes | resident });
        self.put(at, &digest) && self.put(at + 32, bytes_of(&bytes))
    }
}

/// For defaults, in which nothing is evaluated.
static NOTHING_EVALUATED: Evaluated = Evaluated::NOTHING;

fn find(names: &[Named], text: &str) -> Option<u32> {
    let is_now = |named: &Named| named.name == text;
    let was_once = |named: &Named| named.former.iter().any(|former| former == text);
    names.iter().position(is_now).or_else(|| names.iter().position(was_once)).map(|index| index as u32)
}

/// Whether a text names a file in the tag's own folder.
fn is_file_name(text: &str) -> bool {
    let is_allowed = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+' | ' ');
    !text.is_empty() && text.len() <= 200 && !text.starts_with('.') && text.chars().all(is_allowed)
}

fn digest_of(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(digest)
}
