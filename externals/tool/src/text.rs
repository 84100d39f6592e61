//! Texts for people from the command line: checking a folder of them, printing one, and resolving those of scripts.

use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base::StringId;
use host::files;
use script::arena::Arena;
use script::builtin::{TEXT, WITH};
use script::program::Program;
use script::value::{Kind, Value};
use script::write::{parts, text_of, write};
use text::limits::{LANGUAGES_MAX, SOURCE_BYTES_MAX, SOURCES_MAX};
use text::{DEFAULT_LANGUAGE, Parameter, Reading, Severity, Source, Texts};

use crate::arguments::{is_standard_input, read_input};
use crate::error::CommandError;
use crate::json::Json;

/// The file in a folder of texts that names its default language.
const DEFAULT_FILE: &str = "default-language.txt";

/// The maximum nesting of texts in parameters of texts.
const NESTING_MAX: u32 = 8;

/// The maximum number of texts in one value. Further ones are printed as script source.
const TEXTS_MAX: u32 = 100;

/// The maximum size of a parameter; longer ones are truncated.
const PARAMETER_BYTES_MAX: usize = 1 << 12;

/// The texts of a folder: `LANGUAGE/*.ftl`, and the file that names the default language.
///
/// Standard input, `-`, is a file of the default language.
pub fn read_folder(folder: &Path) -> Result<Texts, CommandError> {
    if is_standard_input(folder) {
        let bytes = read_input(folder, SOURCE_BYTES_MAX as u64)?;
        let source = Source { language: String::from(DEFAULT_LANGUAGE), file: String::from("standard input"), bytes };
        return Ok(Texts::from_sources(DEFAULT_LANGUAGE, vec![source]));
    }
    let default = match files::read_at_most(&folder.join(DEFAULT_FILE), 100) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => String::from(DEFAULT_LANGUAGE),
        Err(error) => return Err(error.into()),
    };
    let mut sources = Vec::new();
    for language in files::folders_in(folder, LANGUAGES_MAX)? {
        let name = language.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in files::files_in(&language, "ftl", SOURCES_MAX)? {
            let bytes = files::read_at_most(&path, SOURCE_BYTES_MAX as u64)?;
            sources.push(Source { language: name.clone(), file: path.display().to_string(), bytes });
        }
    }
    if sources.is_empty() {
        let shown = folder.display();
        let message = format!("{shown}: expected folders of languages with files in them, as in en/a.ftl");
        return Err(CommandError::Usage(message));
    }
    Ok(Texts::from_sources(&default, sources))
}

/// Prints the faults in a folder of texts.
pub fn check(folder: &Path, is_json: bool) -> Result<(), CommandError> {
    let texts = read_folder(folder)?;
    let reports = texts.check();
    let errors = reports.iter().filter(|report| report.severity == Severity::Error).count();
    let (count, languages) = (texts.ids().len(), texts.languages().collect::<Vec<_>>().join(", "));
    if is_json {
        let rows = reports.iter().map(|report| {
            let severity = if report.severity == Severity::Error { "error" } else { "warning" };
            let row = Json::new().text("file", &report.file).value("line", report.line).value("column", report.column);
            row.text("severity", severity).text("message", &report.message).text("help", &report.help)
        });
        let json = Json::new().value("texts", count).text("languages", &languages).value("errors", errors);
        println!("{}", json.list("reports", rows).finish());
    } else {
        reports.iter().for_each(|report| eprintln!("{report}"));
        println!("{count} texts in {languages}");
    }
    let shown = if is_standard_input(folder) { String::from("standard input") } else { folder.display().to_string() };
    match errors {
        0 => Ok(()),
        count => Err(CommandError::Mistakes(format!("{count} errors in the texts of {shown}"))),
    }
}

/// Prints one text. Parameters are `name=value`; a value that is not a number, or is in quotes, is a string.
pub fn say(
    folder: &Path,
    id: &str,
    language: Option<&String>,
    parameters: &[String],
    is_json: bool,
) -> Result<(), CommandError> {
    let texts = read_folder(folder)?;
    let mut given = Vec::new();
    for parameter in parameters {
        let pair = parameter.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) =
            pair.ok_or_else(|| CommandError::Usage(format!("expected name=value, found \"{parameter}\"")))?;
        given.push((name, parameter_of(value)));
    }
    let said = reading(&texts, language).say(id, &given);
    if !texts.reports().is_empty() {
        eprintln!("errors or warnings in the texts: {}; `astrarium text check` lists them", texts.reports().len());
    }
    let reports = texts.take_reports();
    if is_json && reports.is_empty() {
        println!("{}", Json::new().text("text", &said).finish());
    } else if !is_json {
        println!("{said}");
    }
    match reports.first() {
        None => Ok(()),
        Some(_) => {
            let lines: Vec<String> = reports.iter().map(ToString::to_string).collect();
            Err(CommandError::Mistakes(lines.join("\n")))
        }
    }
}

/// The texts that a command was given, if any.
pub fn read_if_wanted(folder: Option<&PathBuf>) -> Result<Option<Texts>, CommandError> {
    folder.map(|folder| read_folder(folder)).transpose()
}

/// Texts in a language, or in their default language.
pub fn reading<'a>(texts: &'a Texts, language: Option<&String>) -> Reading<'a> {
    texts.language(language.map_or(texts.default_language(), String::as_str))
}

/// Prints the faults in the texts on standard error.
pub fn print_reports(texts: &Texts) {
    texts.take_reports().iter().for_each(|report| eprintln!("{report}"));
}

/// A value as text: resolved if it is a text for people and `reading` is given, and as script source otherwise. `made`
/// and `kept` hold the parts of values, as for [`write`].
pub fn show(value: Value, program: &Program, made: &Arena, kept: &[Value], reading: Option<&Reading<'_>>) -> String {
    let said = reading.and_then(|reading| Wanted { program, made, kept, reading, said: Cell::new(0) }.say(value, 0));
    match said {
        Some(said) => format!("\"{}\"", said.replace('"', "\"\"")),
        None => write(value, program, made, kept),
    }
}

/// A number, or a string if it is not a number or is in quotes.
fn parameter_of(value: &str) -> Parameter<'_> {
    let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => Parameter::Number(number),
        _ => Parameter::Text(quoted.unwrap_or(value)),
    }
}

/// Resolves the texts of one value.
struct Wanted<'a> {
    program: &'a Program,
    made: &'a Arena,
    kept: &'a [Value],
    reading: &'a Reading<'a>,
    /// The number of texts resolved up to now.
    said: Cell<u32>,
}

/// A parameter that owns its text.
enum Given {
    Number(f64),
    Text(String),
}

impl Wanted<'_> {
    /// The resolved text of a value `text(id, parameters)`; none for any other value.
    fn say(&self, value: Value, depth: u32) -> Option<String> {
        if value.kind() != Kind::Record || depth > NESTING_MAX || self.said.get() >= TEXTS_MAX {
            return None;
        }
        let fields = parts(value, self.made, self.kept);
        let field = |name| {
            let pairs = fields.as_chunks::<2>().0.iter();
            pairs.into_iter().find(|pair| pair[0].as_string() == Some(StringId::new(name))).map(|pair| pair[1])
        };
        let (id, with) = (field(TEXT)?.as_string()?, field(WITH)?);
        if fields.len() != 4 || with.kind() != Kind::Record {
            return None;
        }
        self.said.set(self.said.get() + 1);
        let pairs = parts(with, self.made, self.kept).as_chunks::<2>().0;
        let given: Vec<(String, Given)> =
            pairs.iter().map(|[name, value]| (self.text(*name), self.given(*value, depth))).collect();
        let parameters: Vec<(&str, Parameter<'_>)> = given
            .iter()
            .map(|(name, given)| match given {
                Given::Number(number) => (name.as_str(), Parameter::Number(*number)),
                Given::Text(text) => (name.as_str(), Parameter::Text(text)),
            })
            .collect();
        Some(match self.program.strings.text(id) {
            Some(id) => self.reading.say(id, &parameters),
            None => self.reading.say_string(id, &parameters),
        })
    }

    fn given(&self, value: Value, depth: u32) -> Given {
        if let Some(number) = value.as_number().or_else(|| value.as_identifier().map(f64::from)) {
            return Given::Number(number);
        }
        let mut text = self.say(value, depth + 1).unwrap_or_else(|| self.text(value));
        if text.len() > PARAMETER_BYTES_MAX {
            text.truncate(text.floor_char_boundary(PARAMETER_BYTES_MAX));
            text.push('…');
        }
        Given::Text(text)
    }

    /// A string as it is, and any other value as script source.
    fn text(&self, value: Value) -> String {
        let known = value.as_string().and_then(|id| text_of(id, self.program));
        known.map_or_else(|| write(value, self.program, self.made, self.kept), String::from)
    }
}
