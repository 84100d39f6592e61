//! `tell`: asks a running game of this machine for something.

use std::path::{Path, PathBuf};
use std::time::Duration;

use astrarium::content::FOLDER;
use clap::{Arg, ArgMatches, Command, value_parser};
use host::files;
use host::sockets::Connection;
use shelf::feed::Secret;
use shelf::feed::channel::Channel;

use crate::arguments::{file, json, word};
use crate::error::CommandError;
use crate::hearing::{Answer, ENDING, PROTOCOL, REQUEST_BYTES_MAX, RUNNING, write_request};
use crate::json::Json;

/// The longest wait for the connection and for the answer.
const CALL_PATIENCE: Duration = Duration::from_secs(5);
/// See [`CALL_PATIENCE`].
const ANSWER_PATIENCE: Duration = Duration::from_secs(600);

/// The most bytes of the file of a running game.
const RUN_BYTES_MAX: u64 = 4096;

/// The arguments.
pub fn command() -> Command {
    let object = || {
        let help =
            "A name in the level's placements, a handle as in #e2700001, the path of a tag, `level`, or \"player 0\"";
        Arg::new("OBJECT").help(help)
    };
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name).required(true).value_parser(value_parser!(u32)).help(help)
    };
    let run = word("run", "RUN", "The running game, as `tell list` names it or as a file; the default is the newest");
    Command::new("tell")
        .about("Tells a running game something: pause, step, speed, save, evaluate, set, show, mark, stop")
        .subcommand_required(true)
        .arg(run.global(true))
        .arg(json().global(true))
        .subcommand(Command::new("list").about("Lists the running games that can be told things"))
        .subcommand(Command::new("status").about("Prints level, cycle, pace and hash"))
        .subcommand(Command::new("pause").about("World time stands still"))
        .subcommand(Command::new("resume").about("World time runs"))
        .subcommand(
            Command::new("step")
                .about("Pauses, runs this many brush cycles, and prints where the world is then")
                .arg(Arg::new("N").value_parser(value_parser!(u32)).default_value("1").help("The brush cycles")),
        )
        .subcommand(
            Command::new("speed")
                .about("Sets world time per machine time")
                .arg(number("N", "In thousandths; 1000 is real time")),
        )
        .subcommand(Command::new("save").about("Writes a save").arg(file("FILE").help("The save")))
        .subcommand(
            Command::new("evaluate")
                .about("Prints the value of an expression, which changes nothing")
                .arg(Arg::new("EXPRESSION").required(true).help("As in `count_objects({ class \"ship\" })`"))
                .arg(word("object", "OBJECT", "The object whose variables it sees; the default is the level")),
        )
        .subcommand(
            Command::new("set")
                .about("Sets a variable of an object with the next safe cycle; films and crash reports replay it")
                .arg(object().required(true))
                .arg(Arg::new("VARIABLE").required(true).help("Its name"))
                .arg(Arg::new("VALUE").required(true).allow_hyphen_values(true).help("As a designer writes it")),
        )
        .subcommand(
            Command::new("show").about("Prints the objects, or one with its variables and timers").arg(object()),
        )
        .subcommand(
            Command::new("mark")
                .about("Adds a text to the film at this cycle")
                .arg(Arg::new("TEXT").required(true).help("The text")),
        )
        .subcommand(Command::new("stop").about("Ends the game as its last cycle would"))
}

/// Runs the command.
pub fn carry_out(matches: &ArgMatches) -> Result<(), CommandError> {
    let Some((name, inner)) = matches.subcommand() else {
        return Err(CommandError::Usage(String::from("astrarium tell COMMAND")));
    };
    let is_json = inner.get_flag("json");
    let folder = Path::new(FOLDER).join(RUNNING);
    if name == "list" {
        list(&folder, is_json);
        return Ok(());
    }
    let text = |name: &str| inner.get_one::<String>(name).cloned().unwrap_or_default();
    let number = |name: &str| inner.get_one::<u32>(name).map(u32::to_string).unwrap_or_default();
    let mut words = vec![name.to_string()];
    words.extend(match name {
        "step" | "speed" => vec![number("N")],
        "save" => vec![whole_path(inner.get_one::<PathBuf>("FILE").expect("the parser requires it"))?],
        "evaluate" => vec![text("object"), text("EXPRESSION")],
        "set" => vec![text("OBJECT"), text("VARIABLE"), text("VALUE")],
        "show" => vec![text("OBJECT")],
        "mark" => vec![text("TEXT")],
        _ => Vec::new(),
    });
    let answer = ask(&folder, inner.get_one::<String>("run").map(String::as_str), &words)?;
    if !answer.is_done {
        return Err(CommandError::Failed(answer.text));
    }
    println!("{}", if is_json { &answer.json } else { &answer.text });
    Ok(())
}

/// A path that means the same in the folder of the running game.
fn whole_path(path: &Path) -> Result<String, CommandError> {
    let path = std::env::current_dir()?.join(path);
    match path.to_str() {
        Some(text) => Ok(text.to_string()),
        None => Err(CommandError::Usage(format!("{}: expected a path in UTF-8", path.display()))),
    }
}

/// A running game, as its file describes it.
struct RunningGame {
    name: String,
    address: String,
    secret: String,
}

fn read(path: &Path) -> Option<RunningGame> {
    let text = String::from_utf8(files::read_at_most(path, RUN_BYTES_MAX).ok()?).ok()?;
    let mut lines = text.lines();
    let (address, secret) = (lines.next()?.to_string(), lines.next()?.to_string());
    Some(RunningGame { name: path.file_stem()?.to_string_lossy().into_owned(), address, secret })
}

/// The running games, the newest first. Those that ended without removing their file do not answer.
fn running(folder: &Path) -> Vec<RunningGame> {
    let mut runs: Vec<RunningGame> =
        files::list(folder, ENDING).unwrap_or_default().iter().filter_map(|path| read(path)).collect();
    let begun = |run: &RunningGame| {
        let mut parts = run.name.rsplit('-');
        parts.nth(1).and_then(|time| time.parse::<u64>().ok()).unwrap_or(0)
    };
    runs.sort_by_key(|run| std::cmp::Reverse(begun(run)));
    runs
}

fn list(folder: &Path, is_json: bool) {
    let living = running(folder).into_iter().filter(|run| Connection::open(&run.address, CALL_PATIENCE).is_ok());
    let living: Vec<RunningGame> = living.collect();
    if is_json {
        let rows = living.iter().map(|run| Json::new().text("run", &run.name).text("address", &run.address));
        println!("{}", Json::new().list("running", rows).finish());
    } else if living.is_empty() {
        println!("no game that was started in this folder is running");
    } else {
        living.iter().for_each(|run| println!("{}", run.name));
    }
}

fn ask(folder: &Path, wanted: Option<&str>, words: &[String]) -> Result<Answer, CommandError> {
    let runs = match wanted {
        None => running(folder),
        Some(wanted) if Path::new(wanted).is_file() => read(Path::new(wanted)).into_iter().collect(),
        Some(wanted) => running(folder).into_iter().filter(|run| run.name.starts_with(wanted)).collect(),
    };
    let reached = runs.iter().find_map(|run| Some((Connection::open(&run.address, CALL_PATIENCE).ok()?, run)));
    let Some((connection, run)) = reached else {
        let shown = wanted.map(|wanted| format!(" called {wanted}")).unwrap_or_default();
        return Err(CommandError::Failed(format!(
            "no game{shown} that was started in this folder is running; a game listens in a window, with --paced, or with --tell"
        )));
    };
    let request = write_request(words);
    if request.len() > REQUEST_BYTES_MAX {
        return Err(CommandError::Usage(format!(
            "expected at most {REQUEST_BYTES_MAX} bytes, found {}",
            request.len()
        )));
    }
    let failed = |why: String| CommandError::Failed(format!("{}: {why}", run.name));
    let secret = Secret::new(&run.secret).map_err(|error| failed(error.to_string()))?;
    let mut line = Channel::call(connection, PROTOCOL, &secret).map_err(|error| failed(error.to_string()))?;
    line.send(&request).map_err(|error| failed(error.to_string()))?;
    let answer = line.receive(ANSWER_PATIENCE).map_err(|error| failed(error.to_string()))?;
    let answer = answer.as_deref().and_then(Answer::read);
    answer.ok_or_else(|| failed(String::from("the game did not answer")))
}
