//! `import`: makes tags of the files under `data/`, once or whenever they change.

use std::io::{IsTerminal, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use astrarium::GameEntry;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use forge::classes::Classes;
use forge::field_path::FieldPath;
use forge::pipeline::export::Exported;
use forge::pipeline::intake::{TagChange, TakeImported, TakenTag};
use forge::pipeline::layout;
use forge::pipeline::plan::{Plan, Request, VanishedSource};
use forge::pipeline::run::{Event, Pipeline, Summary, data_of};
use forge::pipeline::worker::{Isolation, serve};
use forge::tree::find_root;
use media::Importer;
use media::importers::IMPORTERS;
use script::report::closest;

use crate::arguments::{flag, json, path};
use crate::error::{CommandError, Failure};
use crate::json::Json;
use crate::tag::classes;

/// The hidden command that a worker process runs.
pub const WORKER: &str = "import-worker";

/// The command and its arguments.
pub fn command() -> Command {
    let repeated = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help(help)
    };
    Command::new("import")
        .about("Makes tags of the images, sounds, scenes and texts under data/")
        .arg(Arg::new("PATHS").num_args(0..).help("Files or folders under data/; all if none is given"))
        .arg(flag("watch", "Go on, and import every file when it changes"))
        .arg(flag("check", "Only report what would be imported, and what is wrong; write nothing"))
        .arg(flag("force", "Import unchanged files too"))
        .arg(flag("reexport", "First export what changed in the files of authoring programs: .blend, and those that data/exporters.lscript declares"))
        .arg(flag("list", "List the importers, their file types and their options"))
        .arg(repeated("option", "NAME=VALUE", "An option of the importer; the tag keeps it for later imports. Without a value, it has its default again"))
        .arg(repeated(
            "take-imported",
            "FIELD",
            "Where source and people changed this field, take the source's value; `all` means every field",
        ))
        .arg(
            path("data", "The folder of sources; `data` beside the folder of tags if none is given")
                .value_name("FOLDER"),
        )
        .arg(path("tags", "The folder of tags; the nearest one named `tags` if none is given").value_name("FOLDER"))
        .arg(
            Arg::new("workers")
                .long("workers")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..=256))
                .help("How many files are imported at a time; one per processor if not given"),
        )
        .arg(json())
}

/// The hidden command.
pub fn worker_command() -> Command {
    Command::new(WORKER)
        .hide(true)
        .about("Imports the files that another program names on standard input")
        .arg(Arg::new("DATA").required(true).value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("PARTS").required(true).value_parser(value_parser!(PathBuf)))
}

/// All importers: the engine's, then those of the games.
#[must_use]
pub fn all(own: &[Importer]) -> Vec<Importer> {
    IMPORTERS.iter().chain(own).copied().collect()
}

/// Serves imports on standard input and output.
pub fn work(matches: &ArgMatches, own: &[Importer]) -> Result<(), CommandError> {
    let folder = |name: &str| matches.get_one::<PathBuf>(name).map_or(Path::new(""), PathBuf::as_path);
    let folders = (folder("DATA"), folder("PARTS"));
    // A crash is the parent's to report.
    std::panic::set_hook(Box::new(|_| {}));
    serve(folders, &all(own), &mut stdin().lock(), &mut stdout().lock()).map_err(CommandError::Stream)
}

/// Runs the command.
pub fn carry_out(matches: &ArgMatches, games: &[GameEntry], own: &[Importer]) -> Result<(), Failure> {
    let importers = all(own);
    if matches.get_flag("list") {
        list(&importers, matches.get_flag("json"));
        return Ok(());
    }
    let tree =
        find_root(matches.get_one::<PathBuf>("tags").map(PathBuf::as_path)).map_err(|error| error.to_string())?;
    let data = matches.get_one::<PathBuf>("data").cloned().unwrap_or_else(|| data_of(&tree));
    if !data.is_dir() {
        let message = format!("{}: there is no such folder; put the files of other programs there", data.display());
        return Err(Failure::from(message));
    }
    let request = request(matches, &data, &importers)?;
    let known = forge::tree::Tree::open(&tree, classes(games)).map_err(|error| error.to_string())?;
    let take = take_imported(matches, &known.classes)?;
    let pipeline = Pipeline {
        data,
        tree,
        classes: known.classes,
        importers: &importers,
        isolation: isolation(),
        workers: matches.get_one::<u64>("workers").map_or_else(host::parallel::threads, |number| *number as usize),
        patience: Pipeline::PATIENCE,
        take,
        is_dry: matches.get_flag("check"),
    };
    let mut screen = Screen::new(matches.get_flag("json"), pipeline.is_dry);
    if matches.get_flag("reexport") {
        let done = pipeline.export(&request, &mut |source, exported| screen.exported(source, exported));
        done.map_err(|error| error.to_string())?;
    }
    if matches.get_flag("watch") {
        let end = AtomicBool::new(false);
        let done = pipeline.watch(&request, &end, &mut |event| screen.show(event));
        return done.map_err(|error| Failure::from(error.to_string()));
    }
    let start = Instant::now();
    let summary = pipeline.run(&request, &mut |event| screen.show(event)).map_err(|error| error.to_string())?;
    screen.end(&summary, start)
}

/// Worker processes of this program, where there are processes.
fn isolation() -> Isolation {
    match std::env::current_exe() {
        Ok(program) if !cfg!(target_family = "wasm") => Isolation::Processes(program, vec![WORKER.to_string()]),
        _ => Isolation::None,
    }
}

fn request(matches: &ArgMatches, data: &Path, importers: &[Importer]) -> Result<Request, Failure> {
    let all = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let mut options = Vec::new();
    for given in all("option") {
        let Some((name, value)) = given.split_once('=') else {
            return Err(Failure::from(format!("expected --option NAME=VALUE, found `{given}`")));
        };
        let name = name.trim();
        if !importers.iter().flat_map(|importer| importer.options).any(|option| option.name == name) {
            return Err(Failure::from(format!("no importer has an option `{name}`; `import --list` lists them")));
        }
        options.push((name.to_string(), value.trim().to_string()));
    }
    let mut only = Vec::new();
    for given in all("PATHS") {
        only.push(
            below(data, &given)
                .ok_or_else(|| format!("{given}: not found; expected a file or folder in {}", data.display()))?,
        );
    }
    // Without this, `import data` would name no file.
    only.retain(|path| !path.is_empty());
    Ok(Request { only, options, is_forced: matches.get_flag("force") })
}

/// A path as it is below the folder of sources: given from there, or from the current folder.
fn below(data: &Path, given: &str) -> Option<String> {
    if data.join(given).exists() && Path::new(given).is_relative() {
        return Some(given.trim_end_matches('/').replace('\\', "/"));
    }
    let (given, data) = (std::fs::canonicalize(given).ok()?, std::fs::canonicalize(data).ok()?);
    Some(given.strip_prefix(data).ok()?.to_str()?.replace('\\', "/"))
}

/// The fields whose imported values are taken. A field that no class has is refused.
fn take_imported(matches: &ArgMatches, classes: &Classes) -> Result<TakeImported, Failure> {
    let fields: Vec<String> = matches.get_many::<String>("take-imported").into_iter().flatten().cloned().collect();
    if fields.is_empty() {
        return Ok(TakeImported::None);
    }
    if fields.iter().any(|field| field == "all") {
        return Ok(TakeImported::All);
    }
    let names = || classes.all().flat_map(|class| class.root().fields.iter().map(|field| field.name.as_str()));
    for field in &fields {
        let first = FieldPath::new(field).map_err(|error| format!("--take-imported {field}: {error}"))?;
        let first = first.first_field().unwrap_or_default();
        if !names().any(|name| name == first) {
            let help = closest(first, names()).map_or(String::new(), |found| format!("; did you mean `{found}`?"));
            return Err(Failure::from(format!("--take-imported {field}: no class has a field `{first}`{help}")));
        }
    }
    Ok(TakeImported::Fields(fields))
}

fn list(importers: &[Importer], is_json: bool) {
    if is_json {
        let rows = importers.iter().map(|importer| {
            let options = importer.options.iter().map(|option| {
                let row = Json::new().text("name", option.name).text("default", option.default);
                row.text("expected", &option.expected()).text("help", option.help)
            });
            let row = Json::new().text("name", importer.name).value("version", importer.version);
            row.texts("extensions", importer.extensions).text("help", importer.help).list("options", options)
        });
        println!("{}", Json::new().list("importers", rows).finish());
        return;
    }
    for importer in importers {
        println!("{} (.{})", importer.name, importer.extensions.join(" ."));
        println!("  {}", importer.help);
        for option in importer.options {
            println!("  {:<16} {} [{}; {}]", option.name, option.help, option.expected(), option.default);
        }
    }
}

/// Shows events: a line each, for people or as JSON, and the progress where people look.
struct Screen {
    is_json: bool,
    is_dry: bool,
    total: usize,
    done: usize,
    start: Instant,
    has_bar: bool,
}

impl Screen {
    fn new(is_json: bool, is_dry: bool) -> Screen {
        let has_bar = !is_json && stderr().is_terminal();
        Screen { is_json, is_dry, total: 0, done: 0, start: Instant::now(), has_bar }
    }

    fn show(&mut self, event: Event) {
        self.clear_bar();
        match event {
            Event::Planned(plan) => self.planned(&plan),
            Event::Imported { source, reason, tags, dropped, parts, time } => {
                self.done += 1;
                if self.is_json {
                    let rows = tags.iter().map(row);
                    let event = if self.is_dry { "would_import" } else { "imported" };
                    let object = Json::new().text("event", event).text("source", &source);
                    let object =
                        object.text("reason", &reason.to_string()).list("tags", rows).texts("dropped", &dropped);
                    let object = object.value("parts_made", parts.made).value("parts_kept", parts.found);
                    println!("{}", object.value("milliseconds", time.as_millis()).finish());
                } else {
                    let word = if self.is_dry { "would be imported" } else { "imported" };
                    let made = match (parts.found, parts.made) {
                        (0, _) => String::new(),
                        (found, made) => format!("; {made} of {} parts made, the rest kept", made + found),
                    };
                    println!("{source}: {word}, as {reason} ({}{made}; {} ms)", counted(&tags), time.as_millis());
                    tags.iter().for_each(remarks);
                    for path in dropped {
                        println!("  {path}: no longer made by this file; remove it if nothing refers to it");
                    }
                }
            }
            Event::Failed { source, error } => {
                self.done += 1;
                self.failed(&source, &error);
            }
            Event::Waiting(other) => {
                if self.is_json {
                    println!("{}", Json::new().text("event", "waiting").text("for", &other).finish());
                } else {
                    eprintln!("waiting for {other}, which has the same tags");
                }
            }
            Event::CacheDamaged(what) => eprintln!("{what}"),
            Event::NotSaved(error) => eprintln!("{error}; the next import takes longer"),
        }
        self.bar();
    }

    fn exported(&self, source: &str, exported: &Exported) {
        let (word, rest) = match exported {
            Exported::Done(output) => ("exported", output),
            Exported::Skipped(reason) => ("skipped", reason),
        };
        if self.is_json {
            let name = if word == "exported" { "output" } else { "reason" };
            println!("{}", Json::new().text("event", word).text("source", source).text(name, rest).finish());
        } else {
            println!(
                "{source}: {}",
                if word == "exported" { format!("exported to {rest}") } else { format!("not exported: {rest}") }
            );
        }
    }

    fn planned(&mut self, plan: &Plan) {
        (self.total, self.done, self.start) = (plan.jobs.len(), 0, Instant::now());
        for (source, error) in &plan.failed {
            self.failed(source, error);
        }
        for (first, second) in &plan.doubled {
            self.failed(second, &format!("it would make the same tag as {first}; rename one of them"));
        }
        for VanishedSource { source, made, moved_to, part_of } in &plan.vanished {
            let (word, other) = match (moved_to, part_of) {
                (Some(to), _) => ("moved", to.as_str()),
                (None, Some(owner)) => ("gathered", owner.as_str()),
                (None, None) => ("vanished", ""),
            };
            if self.is_json {
                let object = Json::new().text("event", word).text("source", source);
                println!("{}", object.text("by", other).texts("tags", made).finish());
            } else if !made.is_empty() && layout::stem(source) != layout::stem(other) {
                let what = match word {
                    "moved" => format!("moved to {other}, with what people added to its tags; the former tags stay"),
                    "gathered" => format!("now a part of {other}; the tags it had on its own stay"),
                    _ => "no longer there; its tags stay".to_string(),
                };
                println!("{source}: {what}: {}", made.join(", "));
            }
        }
        for line in &plan.skipped {
            if self.is_json {
                println!("{}", Json::new().text("event", "left_out").text("what", line).finish());
            } else {
                println!("{line}");
            }
        }
    }

    fn failed(&self, source: &str, error: &str) {
        if self.is_json {
            println!("{}", Json::new().text("event", "failed").text("source", source).text("error", error).finish());
        } else {
            println!("{source}: not imported: {error}");
        }
    }

    /// The progress and an estimate of the time left.
    fn bar(&self) {
        if self.has_bar && self.done > 0 && self.done < self.total {
            let left = self.start.elapsed().as_secs_f64() / self.done as f64 * (self.total - self.done) as f64;
            eprint!("{} of {}, about {left:.0} s left", self.done, self.total);
            let _ = stderr().flush();
        }
    }

    fn clear_bar(&self) {
        if self.has_bar {
            eprint!("\r\x1b[K");
        }
    }

    fn end(&self, summary: &Summary, start: Instant) -> Result<(), Failure> {
        let Summary { imported, failed, unchanged, written } = *summary;
        let seconds = start.elapsed().as_secs_f64();
        let found = Json::new()
            .value("check", self.is_dry)
            .value("imported", imported)
            .value("failed", failed)
            .value("unchanged", unchanged)
            .value("written", written)
            .value("seconds", format!("{seconds:.3}"));
        if failed > 0 {
            return Err(Failure {
                message: format!("{failed} of {} files were not imported", imported + failed + unchanged),
                found,
            });
        }
        match self.is_json {
            true => println!("{}", found.finish()),
            false if self.is_dry => {
                println!("{imported} would be imported, {unchanged} unchanged, {written} tags would be written");
            }
            false => println!("{imported} imported, {unchanged} unchanged, {written} tags written, in {seconds:.2} s"),
        }
        Ok(())
    }
}

fn row(tag: &TakenTag) -> Json {
    let kept = tag.kept.iter().map(|kept| {
        let row = Json::new().text("field", &kept.place.to_string());
        let row = row.text("edited", kept.ours.as_deref().unwrap_or(""));
        row.text("imported", kept.theirs.as_deref().unwrap_or(""))
    });
    let change = match tag.change {
        TagChange::Created => "created",
        TagChange::Updated => "updated",
        TagChange::None => "none",
    };
    let row = Json::new().text("path", tag.path.as_str()).text("change", change);
    let overruled = tag.overruled.iter().map(|edit| {
        let row = Json::new().text("field", &edit.place.to_string());
        let row = row.text("edited", edit.ours.as_deref().unwrap_or(""));
        row.text("imported", edit.theirs.as_deref().unwrap_or(""))
    });
    row.list("kept", kept).list("overruled", overruled).texts("warnings", &tag.warnings)
}

fn counted(tags: &[TakenTag]) -> String {
    match tags {
        [tag] => tag.path.to_string(),
        [tag, rest @ ..] => format!("{} and {} more", tag.path, rest.len()),
        [] => "no tags".to_string(),
    }
}

/// The start of a value, on one line.
fn shown(value: &Option<String>) -> String {
    const SHOWN_MAX: usize = 80;
    let Some(value) = value else { return "removed".to_string() };
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

fn remarks(tag: &TakenTag) {
    for edit in &tag.overruled {
        println!(
            "  {}: {} was edited here ({}), but only the import sets it; it is as imported again ({})",
            tag.path,
            edit.place,
            shown(&edit.ours),
            shown(&edit.theirs)
        );
    }
    for kept in &tag.kept {
        println!(
            "  {}: {} was edited here ({}) and changed in the source ({}); the edit stays, unless with --take-imported {}",
            tag.path,
            kept.place,
            shown(&kept.ours),
            shown(&kept.theirs),
            kept.place
        );
    }
    for warning in &tag.warnings {
        println!("  {}: {warning}", tag.path);
    }
}
