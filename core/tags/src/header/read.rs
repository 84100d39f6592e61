//! Reading a header as a class.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;

use script::ast::{Expression, Tree};
use script::parse::parse;
use script::report::{Report, closest};
use script::source::Span;

use super::values::{HeaderValue, Values};
use super::vocabulary;
use crate::class::{Class, Field, Record, ScriptLibrary};
use crate::expression::is_name;
use crate::limits::{FIELDS_MAX, HEADER_BYTES_MAX, LIBRARIES_MAX, RECORDS_MAX, REPORTS_MAX, TEXT_BYTES_MAX};
use crate::path::TagPath;

/// Looks up a base class by name, or returns an error message and a help text.
pub type Bases<'a> = dyn Fn(&str) -> Result<&'a Class, (String, String)> + 'a;

/// Looks up the text of a library by its path, or returns a help text.
pub type Libraries<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// What a header may refer to.
#[derive(Clone, Copy)]
pub struct Surroundings<'s, 'a> {
    /// The classes that it may be derived from.
    pub bases: &'s Bases<'a>,
    /// The scripts that it may use.
    pub libraries: &'s Libraries<'a>,
    /// The memory that it and the headers after it may still take, approximately. Reading subtracts what the class takes.
    pub left: &'s Cell<usize>,
}

/// Reads a header without a base. `origin` is its path, for people. Without a `Namespace` there is no class.
pub fn read(source: &str, tree: &Tree, origin: &str) -> (Option<Class>, Vec<Report>) {
    let bases: &Bases<'_> = &|name| Err((format!("there is no class `{name}`"), String::new()));
    read_with(source, tree, origin, bases)
}

/// Reads a header whose class may be derived from another.
pub fn read_with(source: &str, tree: &Tree, origin: &str, bases: &Bases<'_>) -> (Option<Class>, Vec<Report>) {
    let left = &Cell::new(HEADER_BYTES_MAX);
    read_in(source, tree, origin, Surroundings { bases, libraries: &|_| Err(String::new()), left })
}

/// Reads a header whose class may be derived from another, and use libraries.
pub fn read_in(
    source: &str,
    tree: &Tree,
    origin: &str,
    surroundings: Surroundings<'_, '_>,
) -> (Option<Class>, Vec<Report>) {
    let mut reports = tree.reports.clone();
    if source.len() > TEXT_BYTES_MAX {
        reports.push(Report::error(Span::default(), format!("a header has at most {TEXT_BYTES_MAX} bytes")));
        return (None, reports);
    }
    let values = Values::new(source, tree, &mut reports);
    reports.truncate(REPORTS_MAX);
    let mut reader = HeaderReader {
        values,
        reports,
        records: Vec::new(),
        named: BTreeMap::new(),
        declared: 0,
        base: String::new(),
        inherited: Vec::new(),
        init: None,
        left: HEADER_BYTES_MAX.min(surroundings.left.get()),
    };
    let before = reader.left;
    let class = reader.class(tree.class.unwrap_or_default(), origin, surroundings);
    let spent = before - reader.left;
    surroundings.left.set(surroundings.left.get().saturating_sub(spent));
    (class, reader.reports)
}

/// The rule for names.
pub const NAMES: &str = "a name is letters, digits and `_`, does not begin with a digit, and is no keyword";

/// Reads a header.
pub struct HeaderReader<'a> {
    /// The values of its variables.
    pub values: Values<'a>,
    reports: Vec<Report>,
    /// The tag itself, the records of `Records`, then those declared inline.
    pub records: Vec<Record>,
    /// The number of each record of `Records` by name; none if several have the name.
    pub named: BTreeMap<String, Option<u32>>,
    /// The number of records in `Records` and the base; they are numbered from 1.
    pub declared: u32,
    /// The base class; empty if there is none.
    pub base: String,
    /// The fields of the base.
    pub inherited: Vec<Field>,
    /// The script that initialises its tags, with its syntax tree.
    pub init: Option<(String, Tree)>,
    /// The memory that the class may still take. An evaluated value can be much larger than its text.
    left: usize,
}

impl HeaderReader<'_> {
    fn class(&mut self, start: Span, origin: &str, surroundings: Surroundings<'_, '_>) -> Option<Class> {
        let Some(given) = self.values.variable("Namespace") else {
            let help = "`!set Namespace \"name\"` names the class; its files begin with `@name`";
            self.report(start, "this header has no `Namespace`", help);
            return None;
        };
        let name = match self.values.line(given) {
            Some(name) if is_name(&name) => name,
            Some(name) => {
                self.report(given.span, format!("`{name}` cannot be the name of a class"), NAMES);
                return None;
            }
            None => {
                self.expected(given, "`Namespace`", "a name in quotes");
                return None;
            }
        };
        let mut class = match self.values.variable("Base") {
            Some(given) => {
                let base = self.base(given, surroundings.bases)?;
                if !self.spend(given.span, base.approximate_bytes()) {
                    return None;
                }
                Class::derived(&name, base)
            }
            None => Class::new(&name),
        };
        class.origin = origin.to_string();
        let (is_recoverable, is_open) = (class.is_recoverable, class.is_open);
        self.fill_head(&mut class);
        (class.is_recoverable, class.is_open) = (class.is_recoverable && is_recoverable, class.is_open || is_open);
        self.fill_libraries(&mut class, surroundings.libraries);
        self.take_records(&mut class);
        let declared = self.declare_records();
        match self.values.variable("Attributes") {
            Some(attributes) => self.fill_record(0, attributes, "`Attributes`", 0),
            None if class.base.is_empty() => {
                let help = "`!set Attributes [{ name \"mass\", type \"number\" }]` lists its fields";
                self.report(start, "this header has no `Attributes`", help);
                return None;
            }
            None => {}
        }
        for (number, fields) in declared {
            self.fill_record(number, fields, "`fields`", 0);
        }
        class.records = core::mem::take(&mut self.records);
        match class.finish() {
            Ok(class) => Some(class),
            Err(why) => {
                self.report(given.span, why, "");
                None
            }
        }
    }

    /// The base class.
    fn base<'a>(&mut self, given: HeaderValue, bases: &Bases<'a>) -> Option<&'a Class> {
        let is_written = self.values.expression(given) == Some(Expression::String);
        let Some(name) = self.values.line(given).filter(|name| is_written && is_name(name)) else {
            self.expected(given, "`Base`", "the name of a class in quotes");
            return None;
        };
        match bases(&name) {
            Ok(base) => Some(base),
            Err((why, help)) => {
                self.report(given.span, format!("`Base`: {why}"), help);
                None
            }
        }
    }

    /// Inherits from the base: its fields may be declared again, its records used.
    fn take_records(&mut self, class: &mut Class) {
        self.records = core::mem::take(&mut class.records);
        self.declared = self.records.len() as u32 - 1;
        self.base.clone_from(&class.base);
        self.inherited.clone_from(&self.records[0].fields);
        for (number, record) in self.records.iter().enumerate().skip(1) {
            let number = Some(number as u32);
            self.named.entry(record.name.clone()).and_modify(|several| *several = None).or_insert(number);
        }
    }

    fn fill_head(&mut self, class: &mut Class) {
        if let Some(given) = self.values.variable("Version") {
            match self.values.whole(given, 1) {
                Some(version) => class.version = version,
                None => self.expected(given, "`Version`", "a whole number from 1 on"),
            }
        }
        if let Some(given) = self.values.variable("Help") {
            match self.values.text(given) {
                Some(help) => class.help = help,
                None => self.expected(given, "`Help`", "a text in quotes"),
            }
        }
        if let Some(given) = self.values.variable("Recoverable") {
            match self.values.truth(given) {
                Some(is_recoverable) => class.is_recoverable = is_recoverable,
                None => self.expected(given, "`Recoverable`", "true or false"),
            }
        }
        if let Some(given) = self.values.variable("Open") {
            match self.values.truth(given) {
                Some(is_open) => class.is_open = is_open,
                None => self.expected(given, "`Open`", "true or false"),
            }
        }
        if let Some(given) = self.values.variable("Postprocess") {
            match self.values.whole(given, 0) {
                Some(postprocess) => class.postprocess = postprocess,
                None => self.expected(given, "`Postprocess`", "a whole number"),
            }
        }
        if let Some(given) = self.values.variable("Reads") {
            let Some(names) = self.values.list(given) else {
                return self.expected(given, "`Reads`", "a list of names of classes");
            };
            for given in names {
                match self.values.line(given).filter(|name| is_name(name)) {
                    Some(name) => class.reads.push(name),
                    None => self.expected(given, "`Reads`", "the name of a class in quotes"),
                }
            }
        }
    }

    /// Reads `Libraries`, which tools write, then the scripts that `Use` and `Init` name.
    fn fill_libraries(&mut self, class: &mut Class, libraries: &Libraries<'_>) {
        let written = self.values.variable("Libraries").and_then(|given| self.values.list(given)).unwrap_or_default();
        for given in written {
            let mut library = ScriptLibrary { path: String::new(), text: String::new() };
            for (name, value) in self.values.record(given).unwrap_or_default() {
                match name.as_str() {
                    "path" => self.fill_text(&mut library.path, value, "`path` of a library"),
                    "text" => self.fill_text(&mut library.text, value, "`text` of a library"),
                    _ => self.unknown(value.name, "a library", &name, &vocabulary::names(&vocabulary::LIBRARY)),
                }
            }
            self.add_library(class, given, library);
        }
        if let Some(given) = self.values.variable("Use") {
            let paths = match self.values.line(given) {
                Some(_) => Vec::from([given]),
                None => self.values.list(given).unwrap_or_else(|| Vec::from([given])),
            };
            for given in paths {
                self.library(class, given, "`Use`", libraries);
            }
        }
        if let Some(given) = self.values.variable("Init") {
            let text = self.library(class, given, "`Init`", libraries);
            self.init = text.map(|text| (text.clone(), parse(&text)));
        }
    }

    /// Adds the library at a path.
    fn library(
        &mut self,
        class: &mut Class,
        given: HeaderValue,
        what: &str,
        libraries: &Libraries<'_>,
    ) -> Option<String> {
        let Some(path) = self.values.line(given) else {
            self.expected(given, what, "the path of a script in quotes, such as \"lib/combat.lscript\"");
            return None;
        };
        let path = match TagPath::new(&path) {
            Ok(path) => path.as_str().to_string(),
            Err(why) => {
                self.report(given.span, format!("{what}: {why}"), "");
                return None;
            }
        };
        match libraries(&path) {
            Ok(text) if text.len() <= TEXT_BYTES_MAX => {
                self.add_library(class, given, ScriptLibrary { path, text: text.clone() });
                Some(text)
            }
            Ok(_) => {
                self.report(given.span, format!("{what}: `{path}` has more than {TEXT_BYTES_MAX} bytes"), "");
                None
            }
            Err(help) => {
                self.report(given.span, format!("{what}: the script `{path}` does not exist"), help);
                None
            }
        }
    }

    fn add_library(&mut self, class: &mut Class, given: HeaderValue, mut library: ScriptLibrary) {
        // A header as tools write it holds the lines only.
        library.text = library.text.replace("\r\n", "\n");
        if class.libraries.len() >= LIBRARIES_MAX {
            let message = format!("a class has at most {LIBRARIES_MAX} libraries, those of its bases included");
            self.report(given.span, message, "join some of them");
        } else if self.spend(given.span, library.text.len()) {
            // The base may use it too; then it counts again, as the last.
            class.libraries.retain(|known| known.path != library.path);
            class.libraries.push(library);
        }
    }

    /// Assigns each record of `Records` its number, so that they can refer to each other. Returns the fields still to
    /// be read.
    fn declare_records(&mut self) -> Vec<(u32, HeaderValue)> {
        let Some(given) = self.values.variable("Records") else { return Vec::new() };
        let Some(list) = self.values.list(given) else {
            let wanted = "a list of records such as `{ name \"weapon\", fields […] }`";
            self.expected(given, "`Records`", wanted);
            return Vec::new();
        };
        let mut all = Vec::new();
        for given in list {
            if self.records.len() >= RECORDS_MAX {
                self.report(given.span, format!("a class has at most {RECORDS_MAX} records"), "");
                break;
            }
            let mut record = Record::default();
            let mut fields = None;
            match self.values.record(given) {
                Some(pairs) => {
                    for (name, value) in pairs {
                        match name.as_str() {
                            "name" => self.fill_text(&mut record.name, value, "`name` of this record"),
                            "help" => self.fill_text(&mut record.help, value, "`help` of this record"),
                            "fields" => fields = Some(value),
                            _ => self.unknown(
                                value.name,
                                "a record of `Records`",
                                &name,
                                &vocabulary::names(&vocabulary::RECORD),
                            ),
                        }
                    }
                    if fields.is_none() {
                        self.report(given.span, "this record has no `fields`", "they are a list of attributes");
                    }
                }
                None => self.expected(given, "`Records`", "a record such as `{ name \"weapon\", fields […] }`"),
            }
            if let Some(fields) = fields {
                all.push((self.records.len() as u32, fields));
            }
            self.declared += 1;
            let number = Some(self.declared);
            self.named.entry(record.name.clone()).and_modify(|several| *several = None).or_insert(number);
            self.records.push(record);
        }
        all
    }

    /// Reads the fields of a record.
    pub fn fill_record(&mut self, number: u32, given: HeaderValue, what: &str, depth: u32) {
        let Some(list) = self.values.list(given) else {
            self.expected(given, what, "a list of attributes such as `{ name \"mass\", type \"number\" }`");
            return;
        };
        let mut fields = if number == 0 { self.inherited.clone() } else { Vec::new() };
        let inherited: BTreeMap<String, usize> =
            fields.iter().enumerate().map(|(place, field)| (field.name.clone(), place)).collect();
        let mut key = None;
        let mut names = BTreeSet::new();
        for given in list {
            if fields.len() >= FIELDS_MAX {
                self.report(given.span, format!("there can be at most {FIELDS_MAX} attributes"), "");
                break;
            }
            if !self.spend(given.span, size_of::<Field>()) {
                break;
            }
            let Some((field, is_key)) = self.attribute(given, number, depth) else { continue };
            if !names.insert(field.name.clone()) {
                let message = format!("the attribute `{}` is declared twice", field.name);
                self.report(given.span, message, "remove one of the two");
                continue;
            }
            let place = inherited.get(&field.name).copied().unwrap_or(fields.len());
            if is_key && key.replace(place as u32).is_some() {
                self.report(given.span, "another attribute is the key", "elements have one key");
            }
            match fields.get_mut(place) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
        if let Some(record) = self.records.get_mut(number as usize) {
            (record.fields, record.key) = (fields, key);
        }
    }

    /// Whether this many more bytes are within the limit.
    pub fn spend(&mut self, span: Span, bytes: usize) -> bool {
        let had_room = self.left > 0;
        self.left = self.left.saturating_sub(bytes);
        if (had_room || self.reports.is_empty()) && self.left == 0 {
            let help =
                "a class may take 64 MB, and all headers together 64 MB and 32 bytes for each byte of their texts";
            self.report(span, "this class is too large, alone or with the headers before it", help);
        }
        self.left > 0
    }

    /// Reads a text.
    pub fn fill_text(&mut self, text: &mut String, given: HeaderValue, what: &str) {
        match self.values.text(given) {
            Some(found) if self.spend(given.span, found.len()) => *text = found,
            Some(_) => {}
            None => self.expected(given, what, "a text in quotes"),
        }
    }

    /// Reads true or false.
    pub fn fill_truth(&mut self, truth: &mut bool, given: HeaderValue, what: &str) {
        match self.values.truth(given) {
            Some(found) => *truth = found,
            None => self.expected(given, what, "true or false"),
        }
    }

    /// Reports what was expected.
    pub fn expected(&mut self, given: HeaderValue, what: &str, wanted: &str) {
        self.wrong(given, what, format!("expected {wanted}"));
    }

    /// Reports an error, unless the parser has.
    pub fn wrong(&mut self, given: HeaderValue, what: &str, why: String) {
        if !self.values.has_mistake(given) {
            self.report(given.span, format!("{what}: {why}"), "");
        }
    }

    /// Reports an unknown name.
    pub fn unknown(&mut self, span: Span, whole: &str, name: &str, known: &[&str]) {
        let help = closest(name, known.iter().copied())
            .map_or_else(|| format!("there are {}", known.join(", ")), |found| format!("did you mean `{found}`?"));
        self.report(span, format!("{whole} has no field `{name}`"), help);
    }

    /// Reports an error.
    pub fn report(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        if self.reports.len() < REPORTS_MAX {
            self.reports.push(Report::error(span, message).with_help(help));
        }
    }
}
