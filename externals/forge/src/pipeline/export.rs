//! Exporting: the files of authoring programs become files that importers read.
//!
//! `data/ships/corvette.blend` is exported to `data/ships/corvette.glb` beside it, by one Blender for all such files. Other
//! programs are declared in `data/exporters.lscript`:
//!
//! ```text
//! @exporters
//! !set rows [ { extension "kra", makes "png", command ["krita", "{source}", "--export", "--export-filename", "{output}"] } ]
//! ```
//!
//! Laws
//! 1. A file is exported if it changed since its last export, if its exporter changed, or if its output is missing.
//! 2. What cannot be exported is skipped, with the reason in one line; its earlier output stays.
//! 3. No shell reads a command: its words are passed as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use host::clock::time_of_day;
use host::files::{self, FileError};
use host::tool_run;
use host::walk::{Walk, WalkedFile};
use shelf::content_key;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Reflected;
use tags::{Record, Series, Tag, Text};

use super::index::{EXPORTS, ImportEntry, ImportIndex, SeenFile};
use super::layout;
use crate::finding::Finding;

/// The file that declares exporters, in the folder of sources.
pub const DECLARATIONS: &str = "exporters.lscript";

/// The time limit of one export; one Blender has it for each of its files.
pub const EXPORT_PATIENCE: Duration = Duration::from_secs(300);

/// The largest file that is exported.
const SOURCE_BYTES_MAX: u64 = 16 << 30;

const BLENDER: &str = include_str!("blender_export.py");

/// The declared exporters.
#[derive(Tag)]
#[tag(class = "exporters")]
#[repr(C)]
pub struct Exporters {
    /// The exporters, by the extension of the files they read.
    pub rows: Series<ExporterRow>,
}

/// One declared exporter.
#[derive(Record)]
#[repr(C)]
pub struct ExporterRow {
    /// The extension of its sources, without the dot.
    #[tag(key)]
    pub extension: base::StringId,
    /// The extension of its outputs, without the dot.
    pub makes: Text,
    /// The program and its arguments; `{source}` and `{output}` stand for the two files.
    pub command: Series<Text>,
}

/// How files of one extension are exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exporter {
    /// The extension of its sources.
    pub extension: String,
    /// The extension of its outputs.
    pub makes: String,
    /// The program and its arguments.
    pub command: ExportCommand,
}

/// How an exporter is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportCommand {
    /// One Blender for all files; the name of its program.
    Blender(String),
    /// A program for each file.
    Program(Vec<String>),
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// It was exported; its output.
    Done(String),
    /// It was skipped; why.
    Skipped(String),
}

/// The exporters of a project: Blender's, and the declared ones, which take precedence.
pub fn exporters(data: &Path) -> Result<Vec<Exporter>, ExportError> {
    let blender =
        Exporter { extension: "blend".into(), makes: "glb".into(), command: ExportCommand::Blender("blender".into()) };
    let path = data.join(DECLARATIONS);
    let bytes = match files::read_at_most(&path, TEXT_BYTES_MAX as u64) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![blender]),
        Err(error) => return Err(ExportError::File(error)),
    };
    let mut all = declared(&String::from_utf8_lossy(&bytes))?;
    if !all.iter().any(|exporter| exporter.extension == blender.extension) {
        all.push(blender);
    }
    Ok(all)
}

/// Why the exporters of a project are not known, or their index cannot be kept.
#[derive(Debug)]
pub enum ExportError {
    /// A file could not be read or written.
    File(FileError),
    /// The declarations have errors.
    Declarations(Vec<Finding>),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExportError::File(error) => error.fmt(formatter),
            ExportError::Declarations(findings) => {
                let first = findings.first().map_or("", |finding| finding.message.as_str());
                write!(formatter, "{DECLARATIONS}: {} errors, the first: {first}", findings.len())
            }
        }
    }
}

impl std::error::Error for ExportError {}

fn declared(text: &str) -> Result<Vec<Exporter>, ExportError> {
    let class = Prepared::new(Exporters::class());
    let packed = class.pack_text(text);
    if !packed.reports.is_empty() {
        return Err(ExportError::Declarations(Finding::of_reports(DECLARATIONS, text, &packed.reports)));
    }
    let word = |value: Reflected<'_>| match value {
        Reflected::Text(text) | Reflected::Name(text, _) => text.to_string(),
        _ => String::new(),
    };
    let Reflected::Series(rows) = packed.packed.reflect(class.class()).get("rows") else { return Ok(Vec::new()) };
    let read = |row| match row {
        Reflected::Record(row) => {
            let command = match row.get("command") {
                Reflected::Series(words) => words.each().map(word).collect(),
                _ => Vec::new(),
            };
            let extension = word(row.get("extension")).to_ascii_lowercase();
            Some(Exporter { extension, makes: word(row.get("makes")), command: ExportCommand::Program(command) })
        }
        _ => None,
    };
    Ok(rows.each().filter_map(read).collect())
}

/// The exporter of a file, by its extension.
#[must_use]
pub fn find<'e>(exporters: &'e [Exporter], file: &str) -> Option<&'e Exporter> {
    let extension = file.rsplit_once('.')?.1.to_ascii_lowercase();
    exporters.iter().find(|exporter| exporter.extension == extension)
}

/// The file that another one was exported from, if it is among the sources: the one with the same stem.
#[must_use]
pub fn exported_from(exporters: &[Exporter], sources: &Walk, file: &str) -> Option<String> {
    let extension = file.rsplit_once('.')?.1;
    let makers = exporters.iter().filter(|exporter| exporter.makes == extension);
    let candidates = makers.map(|exporter| format!("{}.{}", layout::stem(file), exporter.extension));
    candidates.into_iter().find(|original| sources.find(original).is_some())
}

/// An export that is due.
struct Due<'w> {
    file: &'w WalkedFile,
    content: tags::Key,
    identity: String,
    output: String,
}

/// Exports every file that changed. `has` selects files; with `is_forced` unchanged ones are exported too.
pub fn export(
    data: &Path,
    home: &Path,
    sources: &Walk,
    (has, is_forced): (&dyn Fn(&str) -> bool, bool),
    report: &mut dyn FnMut(&str, &Exported),
) -> Result<(), ExportError> {
    let exporters = exporters(data)?;
    // A damaged one costs exports that would not be needed; each of them is told.
    let (mut index, _) = ImportIndex::open_file(home, EXPORTS);
    let mut due: BTreeMap<usize, Vec<Due<'_>>> = BTreeMap::new();
    for file in sources.files.iter().filter(|file| has(&file.path)) {
        let Some(exporter) = find(&exporters, &file.path) else { continue };
        let output = format!("{}.{}", layout::stem(&file.path), exporter.makes);
        let identity = format!("{:?}", exporter.command);
        let known = index.entries.get(&file.path).filter(|known| known.importer == identity && !is_forced);
        let is_there = data.join(&output).is_file();
        if known.is_some_and(|known| is_there && known.file.is_certainly(&file.stamp)) {
            continue;
        }
        let content = match files::read_at_most(&data.join(&file.path), SOURCE_BYTES_MAX) {
            Ok(bytes) => content_key::of(&bytes),
            Err(error) => {
                report(&file.path, &Exported::Skipped(error.to_string()));
                continue;
            }
        };
        if let Some(known) = known.filter(|known| is_there && known.file.content == content) {
            let entry = ImportEntry { file: SeenFile::new(file.stamp, content, time_of_day()), ..known.clone() };
            index.entries.insert(file.path.clone(), entry);
            continue;
        }
        let number = exporters.iter().position(|other| other == exporter).unwrap_or(0);
        due.entry(number).or_default().push(Due { file, content, identity, output });
    }
    for (number, group) in due {
        let outcomes = match &exporters[number].command {
            ExportCommand::Blender(program) => run_blender(program, data, home, &group),
            ExportCommand::Program(command) => group.iter().map(|due| run_program(command, data, due)).collect(),
        };
        for (due, outcome) in group.iter().zip(outcomes) {
            report(&due.file.path, &outcome);
            if let Exported::Done(output) = outcome {
                let entry = ImportEntry {
                    file: SeenFile::new(due.file.stamp, due.content, time_of_day()),
                    importer: due.identity.clone(),
                    made: vec![output],
                    ..ImportEntry::default()
                };
                index.entries.insert(due.file.path.clone(), entry);
            }
        }
    }
    index.save_file(home, EXPORTS).map_err(ExportError::File)
}

fn run_program(command: &[String], data: &Path, due: &Due<'_>) -> Exported {
    let [program, arguments @ ..] = command else {
        return Exported::Skipped(format!("its exporter in {DECLARATIONS} has no command"));
    };
    let absolute = |path: &str| data.join(path).to_string_lossy().into_owned();
    let (source, output) = (absolute(&due.file.path), absolute(&due.output));
    let fill = |word: &String| word.replace("{source}", &source).replace("{output}", &output);
    let arguments: Vec<String> = arguments.iter().map(fill).collect();
    match tool_run::run(program, &arguments, data, EXPORT_PATIENCE) {
        Ok(()) if data.join(&due.output).is_file() => Exported::Done(due.output.clone()),
        Ok(()) => Exported::Skipped(format!("{program} made no {}", due.output)),
        Err(error) => Exported::Skipped(format!("{program}: {error}")),
    }
}

/// Exports files by one Blender. If it crashes or hangs, the file it was at is skipped, and another one goes on.
fn run_blender(program: &str, data: &Path, home: &Path, group: &[Due<'_>]) -> Vec<Exported> {
    let mut outcomes: Vec<Option<Exported>> = group.iter().map(|_| None).collect();
    loop {
        let rest: Vec<usize> = (0..group.len()).filter(|index| outcomes[*index].is_none()).collect();
        if rest.is_empty() {
            return outcomes.into_iter().flatten().collect();
        }
        let end = blender_batch(program, data, home, group, &rest, &mut outcomes);
        let left = rest.into_iter().filter(|index| outcomes[*index].is_none()).collect::<Vec<_>>();
        // Of a crash only the first one left is guilty; without Blender none can be exported.
        let lost = if end.is_final { left.len() } else { 1 };
        for index in left.into_iter().take(lost) {
            outcomes[index] = Some(Exported::Skipped(end.reason.clone()));
        }
    }
}

/// How a Blender ended.
struct BlenderEnd {
    /// Why files are left, if some are.
    reason: String,
    /// Whether another Blender would do no better.
    is_final: bool,
}

impl BlenderEnd {
    fn for_all(reason: impl ToString) -> BlenderEnd {
        BlenderEnd { reason: reason.to_string(), is_final: true }
    }
}

fn blender_batch(
    program: &str,
    data: &Path,
    home: &Path,
    group: &[Due<'_>],
    rest: &[usize],
    outcomes: &mut [Option<Exported>],
) -> BlenderEnd {
    let (jobs, results) = (home.join("export-jobs"), home.join("export-results"));
    let absolute = |path: &str| data.join(path).to_string_lossy().into_owned();
    let line = |index: &usize| format!("{}\t{}\n", absolute(&group[*index].file.path), absolute(&group[*index].output));
    let list: String = rest.iter().map(line).collect();
    let written = files::make_folder(home)
        .and_then(|()| files::write_atomically(&jobs, &[list.as_bytes()]))
        .and_then(|()| files::write_atomically(&results, &[]));
    if let Err(error) = written {
        return BlenderEnd::for_all(error);
    }
    let path = |path: &PathBuf| path.to_string_lossy().into_owned();
    let arguments =
        ["--background", "--factory-startup", "--python-expr", BLENDER, "--", &path(&jobs), &path(&results)];
    let ran = tool_run::run(program, &arguments, data, EXPORT_PATIENCE * rest.len() as u32);
    let said = files::read_at_most(&results, TEXT_BYTES_MAX as u64).unwrap_or_default();
    for line in String::from_utf8_lossy(&said).lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let Some(index) = rest.iter().find(|index| words.get(1) == Some(&absolute(&group[**index].file.path).as_str()))
        else {
            continue;
        };
        outcomes[*index] = Some(match words.as_slice() {
            ["ok", ..] => Exported::Done(group[*index].output.clone()),
            [_, _, reason, ..] => Exported::Skipped(format!("Blender: {reason}")),
            _ => Exported::Skipped("Blender gave no reason".to_string()),
        });
    }
    for path in [&jobs, &results] {
        // They lie in the folder of tools, and the next run writes them anew.
        let _ = files::remove(path);
    }
    match ran {
        Ok(()) => BlenderEnd { reason: "Blender ended before it exported this file".to_string(), is_final: false },
        Err(tool_run::ToolError::Missing) => {
            BlenderEnd::for_all("Blender is not installed; install it, or export to .glb by hand")
        }
        Err(error) => BlenderEnd { reason: format!("Blender: {error}"), is_final: false },
    }
}
