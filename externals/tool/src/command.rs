//! The commands that a game's program offers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, value_parser};
use host::allocation::{set_limit, share_heap};
use host::{doctor, files, memory_limit};
use media::Importer;
use state::Settings;

use crate::arguments::{at_cycle, file, flag, json, number, path, word};
use crate::error::{CommandError, Failure};
use crate::json::Json;
use crate::look::Look;
use crate::play::{BlackBoxFile, FilmFile, Play};
use crate::showing::{self, Showing};
use crate::{
    crash, feed, film, import, inspect, look, lsp, meeting, mods, nearby, new_game, script, serve, show, tag, tell,
    text, together, tour, window_play,
};
use astrarium::Error;
use astrarium::content::FOLDER;
use astrarium::crash::Replay;
use astrarium::difference::DescribedDifference;
use astrarium::game::GameEntry;
use astrarium::proof::Proof;

/// The subfolder for crash reports.
const CRASHES: &str = "crash";

/// The game that is shown to a person who asks for nothing in particular.
const SHOWN: &str = "fleet";

/// The subfolder for films.
const FILMS: &str = "films";

/// Runs a program that offers these games. Without a command it opens the one that is made to be looked at, or runs its tour.
///
/// # Panics
/// If there are no games, or one of them has no level.
pub fn run(games: &[GameEntry]) -> ExitCode {
    run_with(games, &[])
}

/// The same, with importers of the games' own behind the engine's.
///
/// # Panics
/// If there are no games, or one of them has no level.
pub fn run_with(games: &[GameEntry], importers: &[Importer]) -> ExitCode {
    assert!(!games.is_empty(), "a program offers at least one game");
    for entry in games {
        assert!(!entry.levels.is_empty(), "{} has at least one level", entry.name);
    }
    end_quietly_when_nobody_reads();
    set_limit(memory_limit::of_group());
    if memory_limit::of_addresses() > 0 {
        share_heap();
    }
    let matches = command(games).get_matches();
    let done = match matches.subcommand() {
        Some(("film", inner)) => film::carry_out(inner, games),
        Some(("tag", inner)) => tag::carry_out(inner, games),
        Some(("import", inner)) => import::carry_out(inner, games, importers),
        Some((import::WORKER, inner)) => import::work(inner, importers).map_err(Failure::from),
        _ => carry_out(&matches, games).map_err(Failure::from),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.message);
            if wants_json(&matches) {
                println!("{}", failure.found.text("error", &failure.message).finish());
            }
            ExitCode::FAILURE
        }
    }
}

/// Ends the program quietly when standard output is closed, as `head` does, instead of panicking.
fn end_quietly_when_nobody_reads() {
    let standard = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if words.starts_with("failed printing to std") {
            // 141 is the status that shells report for a program ended by a closed pipe.
            std::process::exit(if words.contains("Broken pipe") { 141 } else { 1 });
        }
        standard(panic);
    }));
}

/// Whether the command was called with `--json`.
fn wants_json(matches: &ArgMatches) -> bool {
    let is_here = matches.try_get_one::<bool>("json").is_ok_and(|flag| flag == Some(&true));
    is_here || matches.subcommand().is_some_and(|(_, inner)| wants_json(inner))
}

fn command(games: &[GameEntry]) -> Command {
    Command::new("astrarium")
        .about(
            "A deterministic game engine: plays, saves, records, replays and proves games. Without a command: a tour.",
        )
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(list_games(games))
        .subcommand(
            Command::new("new")
                .about("Creates a game: a folder of tags that can be played at once")
                .arg(file("NAME").help("The new folder; its name is the name of the game"))
                .arg(template())
                .arg(json()),
        )
        .subcommand(play_command().after_help(list_games(games)))
        .subcommand(together::host_command(game(), level(), players()).after_help(list_games(games)))
        .subcommand(serve::command(game(), level(), players()).after_help(list_games(games)))
        .subcommand(meeting::command())
        .subcommand(together::join_command().after_help(list_games(games)))
        .subcommand(prove_command().after_help(list_games(games)))
        .subcommand(look_command().after_help(list_games(games)))
        .subcommand(show::command().after_help(list_games(games)))
        .subcommand(
            Command::new("save")
                .about("Inspects and compares saves")
                .subcommand_required(true)
                .arg(mods::arg().global(true))
                .subcommand(
                    Command::new("info")
                        .about("Prints the header of a save")
                        .arg(file("FILE").help("The save"))
                        .arg(json()),
                )
                .subcommand(inspect::arguments(
                    Command::new("show").about("Prints the objects of a save, or one with its variables and timers"),
                    "The save, or a cycle of a film as in a.film@1200",
                ))
                .subcommand(
                    Command::new("check")
                        .about("Says what loading a save with the tags of today would lose, or why it cannot be loaded")
                        .arg(file("FILE").help("The save"))
                        .arg(game_folder())
                        .arg(json()),
                )
                .subcommand(
                    Command::new("diff")
                        .about("Lists the differences between two saves of one game, by field name")
                        .arg(file("LEFT").help("A save, or a cycle of a film as in a.film@1200"))
                        .arg(file("RIGHT").help("Another one of the same game"))
                        .arg(number("most", "The maximum number of differences to print, at least 1", "20"))
                        .arg(game_folder())
                        .arg(json()),
                ),
        )
        .subcommand(film::command())
        .subcommand(
            Command::new("crash")
                .about("Inspects and replays crash reports")
                .subcommand_required(true)
                .arg(mods::arg().global(true))
                .subcommand(
                    Command::new("show").about("Prints the contents of a crash report").arg(crash_report()).arg(json()),
                )
                .subcommand(
                    Command::new("replay")
                        .about("Replays a crash report up to the last complete cycle and compares hashes")
                        .arg(crash_report())
                        .arg(number("workers", "The number of workers", "1"))
                        .arg(path("tags", "The folder of tags that the game was played with").value_name("FOLDER"))
                        .arg(game_folder())
                        .arg(flag("oldest", "Start from the oldest backup instead of the newest"))
                        .arg(flag("through", "Continue into the cycle that was not completed"))
                        .arg(json()),
                ),
        )
        .subcommand(tell::command())
        .subcommand(feed_command().after_help(list_games(games)))
        .subcommand(script_command())
        .subcommand(text_command())
        .subcommand(
            Command::new("doctor")
                .about("Lists what this machine offers, what is missing, and how to install it")
                .arg(json()),
        )
        .subcommand(tag::command())
        .subcommand(import::command())
        .subcommand(import::worker_command())
        .subcommand(lsp::command())
}

fn feed_command() -> Command {
    Command::new("feed")
        .about("Sends changed tags to running games on other machines")
        .arg(game())
        .arg(level())
        .arg(path("tags", "The folder of the game's tags; required unless the game is a folder").value_name("FOLDER"))
        .arg(mods::arg())
        .arg(word("listen", "ADDRESS", "The address to listen on").default_value("127.0.0.1:7321"))
        .arg(path("secret", "The file with the shared secret; created if it does not exist").required(true))
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .help("Stop after this many seconds"),
        )
        .arg(json())
}

fn script_command() -> Command {
    Command::new("script")
        .about("Runs, checks and formats LScript")
        .subcommand_required(true)
        .subcommand(
            Command::new("run")
                .about("Runs a file and prints the value of its last statement")
                .arg(file("FILE").help("The script or bytecode file; - for a script on standard input"))
                .arg(headers())
                .arg(path("texts", "A folder of texts, to print the script's texts in a language").value_name("FOLDER"))
                .arg(language().requires("texts"))
                .arg(flag("cache", "Print the result-cache statistics of each lambda, or why it is not cached"))
                .arg(json()),
        )
        .subcommand(
            Command::new("build")
                .about("Compiles a file to bytecode, which `run` accepts too")
                .arg(file("FILE").help("The script; - for standard input"))
                .arg(headers())
                .arg(path("output", "The file to write").short('o').required(true))
                .arg(json()),
        )
        .subcommand(
            Command::new("check")
                .about("Reports errors and warnings in files")
                .arg(scripts())
                .arg(headers())
                .arg(json()),
        )
        .subcommand(
            Command::new("explain")
                .about("Prints the type, effects, reads and cost of each lambda in a file")
                .arg(file("FILE").help("The script; - for standard input"))
                .arg(headers())
                .arg(json()),
        )
        .subcommand(
            Command::new("fmt")
                .about("Formats files")
                .arg(scripts())
                .arg(flag("check", "Only list files that are not formatted"))
                .arg(json()),
        )
        .subcommand(Command::new("repl").about("A console: evaluates line by line"))
}

fn text_command() -> Command {
    let parameters = Arg::new("PARAMETERS").num_args(0..).value_name("NAME=VALUE").help("The parameters of the text");
    Command::new("text")
        .about("Checks and prints texts for people")
        .subcommand_required(true)
        .subcommand(
            Command::new("check")
                .about("Reports errors and warnings in a folder of texts")
                .arg(file("FOLDER").help("The folder of texts; - for a file of them from standard input"))
                .arg(json()),
        )
        .subcommand(
            Command::new("say")
                .about("Prints one text")
                .arg(file("FOLDER").help("The folder of texts"))
                .arg(Arg::new("ID").required(true).help("The id, as in ship.hit"))
                .arg(parameters)
                .arg(language())
                .arg(json()),
        )
}

fn list_games(games: &[GameEntry]) -> String {
    let game = |entry: &GameEntry| format!("  {}: {}\n    {}", entry.name, entry.about, entry.levels.join(", "));
    let games: Vec<String> = games.iter().map(game).collect();
    format!("Games and their levels; the first of each is the default:\n{}", games.join("\n"))
}

fn play_command() -> Command {
    let command = Command::new("play").about("Plays a game in a window, or without one");
    let command = showing::window_arguments(showing::video_arguments(showing::picture_arguments(command)));
    command
        .arg(game())
        .arg(level())
        .arg(mods::arg())
        .arg(flag("headless", "Run without a window"))
        .arg(number("cycles", "Without a window: the number of brush cycles (steps of 10 ms)", "1000"))
        .arg(number("workers", "The number of workers, including the calling thread", "1"))
        .arg(number("seed", "The seed of all random draws; a save has its own", "1"))
        .arg(players())
        .arg(number("shuffle", "If not 0, shuffle chunks and queues; the result must not change", "0"))
        .arg(Arg::new("garbage").long("garbage").value_name("N").value_parser(value_parser!(u8)).help(
            "The byte that fills dead slots, 0 to 255 (default 0, in debug builds 221); the result must not change",
        ))
        .arg(flag("paced", "Without a window: run in real time instead of as fast as possible"))
        .arg(number("speed", "World time per machine time, in thousandths", "1000"))
        .arg(flag("memory", "Print which system reserved how much memory, and how much of it was ever used"))
        .arg(flag("profile", "Print the time per stage of the cycle and per phase of physics"))
        .arg(flag("checked", "Enable expensive checks, as in debug builds; the result must not change"))
        .arg(
            path("tags", "The folder of the game's tags, watched while playing; the default is the built-in tags")
                .value_name("FOLDER"),
        )
        .arg(
            word("feed", "ADDRESS", "Receive changed tags from the `feed` at this address")
                .requires("secret")
                .conflicts_with("tags"),
        )
        .arg(path("secret", "With --feed: the file with the shared secret").requires("feed"))
        .arg(path(
            "inputs",
            "Without a window: play these inputs (cycle, player, event, fields); - reads standard input",
        ))
        .arg(path("record-inputs", "Without a window: write the players' inputs to this file"))
        .arg(path("load", "Continue from this save"))
        .arg(
            Arg::new("chain")
                .long("chain")
                .value_name("HEX")
                .help("With --load: the chain to continue from")
                .requires("load"),
        )
        .arg(path("save", "Write a save to this file at the end"))
        .arg(
            number("save-every", "With --save: also write it in the background, at intervals of this many cycles", "0")
                .requires("save"),
        )
        .arg(
            path("from", "Continue from this film, at its end or at a cycle, as in a.film@1200")
                .value_name("FILM[@CYCLE]")
                .conflicts_with_all(["load", "feed"]),
        )
        .arg(path("record", "Record the film in this file; the default is a new one in .astrarium/films"))
        .arg(flag("no-film", "Record no film").conflicts_with("record"))
        .arg(path("black-box", "Keep the crash report in this file, even after a normal exit"))
        .arg(flag("no-black-box", "Keep no crash report").conflicts_with("black-box"))
        .arg(
            Arg::new("panic-at")
                .long("panic-at")
                .value_name("CYCLE")
                .value_parser(value_parser!(u64))
                .help("Panic before this cycle, to try the crash report"),
        )
        .arg(flag("tell", "Without a window: listen to `tell` even if it does not run in real time"))
        .arg(flag("no-tell", "Do not listen to `tell`").conflicts_with("tell"))
        .arg(json())
}

fn prove_command() -> Command {
    Command::new("prove")
        .about("Runs a game under conditions that must not matter, and reports the first difference")
        .arg(game())
        .arg(level())
        .arg(mods::arg())
        .arg(number("cycles", "The number of brush cycles of each run", "1000"))
        .arg(number("seed", "The seed of all random draws", "1"))
        .arg(number("players", "The number of players; robots play them", "2"))
        .arg(
            Arg::new("workers")
                .long("workers")
                .value_delimiter(',')
                .default_value("2,3,7,16")
                .value_parser(value_parser!(u32).range(1..=256))
                .help("The numbers of workers to try"),
        )
        .arg(json())
}

fn look_command() -> Command {
    let what = "A game of this program or the folder of a game; or a save; or a cycle of a film, as in a.film@1200";
    look::command()
        .arg(game().help(what))
        .arg(level())
        .arg(mods::arg())
        .arg(number("cycles", "The number of brush cycles to run first", "1000"))
        .arg(number("workers", "The number of workers, including the calling thread", "1"))
        .arg(number("seed", "The seed of all random draws", "1"))
        .arg(players())
        .arg(path("tags", "The folder of the game's tags; the default is the built-in tags").value_name("FOLDER"))
        .arg(game_folder().help("The folder of the game of the save or film, if the game is a folder"))
}

/// The option of `new`: what to start from.
fn template() -> Arg {
    let names = new_game::templates().map(|(name, about)| PossibleValue::new(name).help(about));
    Arg::new("template")
        .long("template")
        .value_name("TEMPLATE")
        .value_parser(PossibleValuesParser::new(names))
        .help("What to start from; strategy if it is not given")
}

fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    match matches.subcommand() {
        Some(("new", matches)) => {
            let template = matches.get_one::<String>("template").map_or("", String::as_str);
            new_game::make(path_of(matches, "NAME"), template, games, matches.get_flag("json"))
        }
        Some(("play", matches)) => play(matches, games),
        Some(("host", matches)) => host(matches, games),
        Some(("relay", matches)) => meeting::carry_out(matches),
        Some(("serve", matches)) => {
            let entry = game_of(matches, games)?;
            let level = level_of(matches, &entry)?;
            serve::carry_out(matches, &entry, &level, players_of(matches)?)
        }
        Some(("join", matches)) => {
            let open = |name: &str| named_game(matches, name, games);
            together::join(matches, games, &open)
        }
        Some(("prove", matches)) => prove(matches, games),
        Some(("look", matches)) => look(matches, games),
        Some(("show", matches)) => show::carry_out(matches, &game_of(matches, games)?),
        Some(("feed", matches)) => feed(matches, games),
        Some(("save", matches)) => match matches.subcommand() {
            Some(("info", matches)) => save_info(matches),
            Some(("show", matches)) => inspect::show(matches, &with_folder(matches, games)?),
            Some(("check", matches)) => save_check(matches, games),
            Some(("diff", matches)) => save_diff(matches, games),
            _ => Err(CommandError::Usage(String::from("astrarium save info|show|check|diff"))),
        },
        Some(("crash", matches)) => match matches.subcommand() {
            Some(("show", matches)) => crash::show(&crash_file(matches)?, matches.get_flag("json")),
            Some(("replay", matches)) => crash_replay(matches, games),
            _ => Err(CommandError::Usage(String::from("astrarium crash show|replay"))),
        },
        Some(("script", matches)) => match matches.subcommand() {
            Some(("run", matches)) => script_run(matches),
            Some(("build", matches)) => {
                let is_json = matches.get_flag("json");
                script::build(path_of(matches, "FILE"), headers_of(matches), path_of(matches, "output"), is_json)
            }
            Some(("check", matches)) => {
                script::check(&paths_of(matches), headers_of(matches), matches.get_flag("json"))
            }
            Some(("explain", matches)) => {
                script::explain(path_of(matches, "FILE"), headers_of(matches), matches.get_flag("json"))
            }
            Some(("fmt", matches)) => {
                script::fmt(&paths_of(matches), matches.get_flag("check"), matches.get_flag("json"))
            }
            Some(("repl", _)) => script::repl(),
            _ => Err(CommandError::Usage(String::from("astrarium script run|build|check|explain|fmt|repl"))),
        },
        Some(("tell", matches)) => tell::carry_out(matches),
        Some(("text", matches)) => match matches.subcommand() {
            Some(("check", matches)) => text::check(path_of(matches, "FOLDER"), matches.get_flag("json")),
            Some(("say", matches)) => text_say(matches),
            _ => Err(CommandError::Usage(String::from("astrarium text check|say"))),
        },
        Some(("doctor", matches)) => {
            show_doctor(matches.get_flag("json"));
            Ok(())
        }
        Some(("lsp", _)) => lsp::serve(games),
        _ => greet(games),
    }
}

fn host(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let entry = game_of(matches, games)?;
    let level = level_of(matches, &entry)?;
    together::host(matches, &entry, &level, players_of(matches)?)
}

/// Without a command: a window of the game that is made to be looked at if there is a display, the tour otherwise.
fn greet(games: &[GameEntry]) -> Result<(), CommandError> {
    let shown = games.iter().find(|entry| entry.name == SHOWN).unwrap_or(&games[0]);
    if !window_play::can_open_window() {
        return tour::run(shown, Path::new(FOLDER), &Path::new(FOLDER).join(FILMS));
    }
    let play = Play {
        film: FilmFile::In(Path::new(FOLDER).join(FILMS)),
        black_box: BlackBoxFile::In(Path::new(FOLDER).join(CRASHES)),
        speed: Some(1000),
        players: None,
        ..Play::default()
    };
    play.run_shown(shown, &Showing::default())
}

fn feed(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let entry = &game_of(matches, games)?;
    let level = level_of(matches, entry)?;
    let level = if level.is_empty() { entry.levels[0] } else { &level };
    let address = matches.get_one::<String>("listen").map_or("", String::as_str);
    let line = (address, path_of(matches, "secret"));
    let tags = matches.get_one::<PathBuf>("tags").map(PathBuf::as_path).or(entry.tags.folder);
    let tags = tags.ok_or_else(|| {
        CommandError::Usage(format!("--tags FOLDER: expected the folder of the tags of {}", entry.name))
    })?;
    feed::run(entry, level, tags, line, matches.get_one::<u64>("seconds").copied(), matches.get_flag("json"))
}

fn play(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let entry = &match matches.get_one::<PathBuf>("from").filter(|_| !matches.contains_id("GAME")) {
        Some(path) => astrarium::film::entry_of(path, games)?,
        None => game_of(matches, games)?,
    };
    let showing = Showing::of(matches)?;
    let is_recording = showing.is_recording();
    let is_shown = showing.web.is_some() || window_play::can_open_window();
    let is_headless = matches.get_flag("headless") && showing.web.is_none() || is_recording || !is_shown;
    if is_headless && !is_recording && !matches.get_flag("headless") {
        eprintln!("there is no display, so the game runs without a window; `--headless` says that this is wanted");
    }
    if is_headless && !matches.get_flag("paced") && is_given(matches, "speed") {
        return Err(CommandError::Usage(String::from("--speed: without a window only with --paced")));
    }
    if is_headless && showing.is_paused && matches.get_flag("no-tell") {
        return Err(CommandError::Usage(String::from(
            "--paused: without a window and with --no-tell it would never go on",
        )));
    }
    let chain = matches.get_one::<String>("chain").map_or(Ok(0), |text| u64::from_str_radix(text, 16));
    let play = Play {
        level: level_of(matches, entry)?,
        cycles: number_of(matches, "cycles"),
        workers: small_number_of(matches, "workers", 1, 256)?,
        shuffle: number_of(matches, "shuffle"),
        seed: number_of(matches, "seed"),
        is_log_whole: showing.is_log_whole,
        players: players_of(matches)?,
        is_checked: matches.get_flag("checked") || Settings::default().is_checked,
        garbage: matches.get_one::<u8>("garbage").copied().unwrap_or(Settings::default().garbage),
        tags: matches.get_one::<PathBuf>("tags").cloned(),
        feed: matches.get_one::<String>("feed").cloned().zip(matches.get_one::<PathBuf>("secret").cloned()),
        load: matches.get_one::<PathBuf>("load").cloned(),
        chain: chain.map_err(|error| CommandError::Usage(format!("--chain: {error}")))?,
        save: matches.get_one::<PathBuf>("save").cloned(),
        save_every: number_of(matches, "save-every"),
        from: matches.get_one::<PathBuf>("from").cloned(),
        film: match matches.get_one::<PathBuf>("record") {
            Some(path) => FilmFile::At(path.clone()),
            None if matches.get_flag("no-film") => FilmFile::None,
            None => FilmFile::In(Path::new(FOLDER).join(FILMS)),
        },
        black_box: match matches.get_one::<PathBuf>("black-box") {
            Some(path) => BlackBoxFile::At(path.clone()),
            None if matches.get_flag("no-black-box") => BlackBoxFile::None,
            None => BlackBoxFile::In(Path::new(FOLDER).join(CRASHES)),
        },
        panic_at: matches.get_one::<u64>("panic-at").copied(),
        inputs: matches.get_one::<PathBuf>("inputs").cloned(),
        record_inputs: matches.get_one::<PathBuf>("record-inputs").cloned(),
        speed: match matches.get_flag("paced") || !is_headless {
            true => Some(small_number_of(matches, "speed", 1, 1_000_000)?),
            false => None,
        },
        is_told: !matches.get_flag("no-tell")
            && (matches.get_flag("tell") || matches.get_flag("paced") || showing.is_paused || !is_headless),
        is_paused: showing.is_paused,
        is_memory_printed: matches.get_flag("memory"),
        is_profiled: matches.get_flag("profile"),
        is_json: matches.get_flag("json"),
    };
    match (is_recording, is_headless) {
        (true, _) => play.record(entry, &showing),
        (false, true) => play.run(entry),
        (false, false) => {
            let showing = Showing { is_windowless: matches.get_flag("headless"), ..showing };
            play.run_shown(entry, &showing)
        }
    }
}

/// Whether an argument with a default was given.
fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

fn prove(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let entry = &game_of(matches, games)?;
    let proof = Proof {
        level: level_of(matches, entry)?,
        cycles: number_of(matches, "cycles"),
        seed: number_of(matches, "seed"),
        players: small_number_of(matches, "players", 0, relay::limits::PEOPLE_MAX)?,
        workers: matches.get_many("workers").map(|counts| counts.copied().collect()).unwrap_or_default(),
    };
    let is_json = matches.get_flag("json");
    let mut verdicts = Vec::new();
    proof.run_each(entry, |verdict| {
        if !is_json {
            match verdict.chain {
                Some(chain) => println!("{:<22} chain {chain:016x}", verdict.run),
                None => println!("{:<22} {}", verdict.run, verdict.trouble),
            }
        }
        verdicts.push(verdict);
    });
    let failed = verdicts.iter().filter(|verdict| verdict.chain.is_none()).count();
    if is_json {
        let rows = verdicts.iter().map(|verdict| {
            let row = Json::new().text("run", &verdict.run).value("is_equal", verdict.chain.is_some());
            row.text("trouble", &verdict.trouble)
        });
        let json = Json::new().text("game", entry.name).value("cycles", proof.cycles).value("failed", failed);
        println!("{}", json.list("runs", rows).finish());
    } else if failed == 0 {
        let count = verdicts.len();
        println!("proven: all {count} runs of {} cycles give the same world", proof.cycles);
    }
    match failed {
        0 => Ok(()),
        count => Err(CommandError::Failed(format!("{count} of {} runs diverged from the reference", verdicts.len()))),
    }
}

fn look(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let what = matches.get_one::<String>("GAME").map(String::as_str);
    let is_game = |what: &str| games.iter().any(|entry| entry.name == what);
    let file = what.filter(|what| !is_game(what) && look::is_file(what));
    let mut session = match file {
        Some(file) => {
            let given = ["level", "cycles", "seed", "players", "tags"];
            if let Some(name) = given.iter().find(|name| is_given(matches, name)) {
                let message = format!("--{name}: not for {file}, which is drawn as it is; `play` can continue from it");
                return Err(CommandError::Usage(message));
            }
            astrarium::saves::session_of(Path::new(file), &with_folder(matches, games)?)?
        }
        None => {
            let entry = game_of(matches, games)?;
            let play = Play {
                level: level_of(matches, &entry)?,
                cycles: number_of(matches, "cycles"),
                workers: small_number_of(matches, "workers", 1, 256)?,
                seed: number_of(matches, "seed"),
                players: players_of(matches)?,
                tags: matches.get_one::<PathBuf>("tags").cloned(),
                ..Play::default()
            };
            play.played(&entry)?
        }
    };
    let seen = Look::of(&session, matches)?;
    let Some((last, every)) = look::series_of(matches)? else { return seen.print(&mut session, matches) };
    let Some(file) = file else {
        return Err(CommandError::Usage(String::from(
            "--last: only of a film; `play --video` shows a game that is played",
        )));
    };
    let (film, _) = astrarium::film::split_path(Path::new(file))?;
    let games = with_folder(matches, games)?;
    let mut cycle = session.world().cycle();
    while cycle <= last {
        if session.world().cycle() != cycle {
            session = astrarium::saves::session_of(&at_cycle(&film, cycle), &games)?;
        }
        // All pictures are taken from where the first one is.
        seen.of_series(&session, matches)?.print(&mut session, matches)?;
        cycle = cycle.saturating_add(every);
    }
    Ok(())
}

fn save_info(matches: &ArgMatches) -> Result<(), CommandError> {
    let path = path_of(matches, "FILE");
    let header = astrarium::saves::info(path)?;
    let made_with = astrarium::saves::mods_of(path)?;
    let bytes = header.file_bytes();
    if matches.get_flag("json") {
        let json = Json::new()
            .text("game", &header.game)
            .text("level", &header.level)
            .value("cycle", header.cycle)
            .hex("hash", header.hash)
            .hex("layout", header.layout)
            .hex("build", header.build)
            .list("mods", mods::rows(&made_with))
            .value("bytes", bytes);
        println!("{}", json.finish());
    } else {
        println!("{} {}, cycle {}, {bytes} bytes", header.game, header.level, header.cycle);
        println!("hash {:016x}, layout {:016x}, build {:016x}", header.hash, header.layout, header.build);
        mods::print(&made_with);
    }
    Ok(())
}

fn save_check(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let path = path_of(matches, "FILE");
    let header = astrarium::saves::info(path)?;
    let games = with_folder_of(matches, games, path, &header.game)?;
    let known = games.iter().find(|entry| astrarium::project::is_called(entry, &header.game));
    let entry = known.ok_or_else(|| Error::UnknownGame { name: header.game.clone() }.in_file(path))?;
    let play = Play { level: header.level.clone(), ..Play::default() };
    let session = play.session_to_load(entry)?;
    let losses = astrarium::saves::check(&session, path)?;
    if matches.get_flag("json") {
        println!("{}", Json::new().value("is_lossless", losses.is_empty()).texts("losses", &losses).finish());
    } else if losses.is_empty() {
        println!("it can be loaded, and nothing is lost");
    } else {
        losses.iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

fn save_diff(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let paths = [path_of(matches, "LEFT"), path_of(matches, "RIGHT")];
    let most: u32 = small_number_of(matches, "most", 1, 1_000_000)?;
    // One more than is printed, to find out whether there are more.
    let mut found = astrarium::saves::diff(paths, &with_folder(matches, games)?, most as usize + 1)?;
    let is_more = found.len() > most as usize;
    found.truncate(most as usize);
    if matches.get_flag("json") {
        let rows = found.iter().map(|DescribedDifference { difference, line }| {
            let slot = difference.slot.map_or_else(|| String::from("null"), |slot| slot.to_string());
            Json::new()
                .text("line", line)
                .value("cycle", difference.cycle)
                .text("system", &difference.system)
                .text("region", &difference.region)
                .value("slot", slot)
                .text("field", &difference.field)
                .text("left", &difference.left)
                .text("right", &difference.right)
        });
        let json = Json::new().value("count", found.len()).value("is_more", is_more);
        println!("{}", json.list("differences", rows).finish());
    } else if found.is_empty() {
        println!("the same world");
    } else {
        found.iter().for_each(|described| println!("{}", described.line));
        if is_more {
            println!("and more: --most N prints N of them");
        }
    }
    Ok(())
}

fn crash_replay(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let workers = small_number_of(matches, "workers", 1, 256)?;
    let (oldest, through) = (matches.get_flag("oldest"), matches.get_flag("through"));
    let path = crash_file(matches)?;
    let tags = matches.get_one::<PathBuf>("tags").cloned();
    let how = Replay { workers, is_from_oldest: oldest, is_through: through, tags };
    let game = astrarium::crash::game_of(&path)?;
    let games = with_folder_of(matches, games, &path, &game)?;
    if let Some(entry) = games.iter().find(|entry| astrarium::project::is_called(entry, &game)) {
        mods::print_differences(&path, &astrarium::crash::mods_of(&path)?, entry);
    }
    let replayed = astrarium::crash::replay(&path, &games, &how)?;
    if matches.get_flag("json") {
        let json = Json::new()
            .text("file", &path.to_string_lossy())
            .value("from", replayed.from)
            .value("cycle", replayed.to)
            .hex("hash", replayed.hash)
            .value("compared", replayed.compared);
        println!("{}", json.finish());
    } else {
        println!("from the backup of cycle {} to cycle {}", replayed.from, replayed.to);
        println!("{} hashes compared on the way, all equal; hash {:016x}", replayed.compared, replayed.hash);
    }
    Ok(())
}

fn script_run(matches: &ArgMatches) -> Result<(), CommandError> {
    let texts = text::read_if_wanted(matches.get_one("texts"))?;
    let reading = texts.as_ref().map(|texts| text::reading(texts, matches.get_one("language")));
    let how = script::Run {
        headers: headers_of(matches),
        reading: reading.as_ref(),
        is_cache_printed: matches.get_flag("cache"),
        is_json: matches.get_flag("json"),
    };
    let result = script::run(path_of(matches, "FILE"), &how);
    texts.iter().for_each(text::print_reports);
    result
}

fn text_say(matches: &ArgMatches) -> Result<(), CommandError> {
    let id = matches.get_one::<String>("ID").expect("the parser requires it");
    let parameters: Vec<String> = matches.get_many("PARAMETERS").map(|all| all.cloned().collect()).unwrap_or_default();
    let language = matches.get_one("language");
    text::say(path_of(matches, "FOLDER"), id, language, &parameters, matches.get_flag("json"))
}

fn show_doctor(is_json: bool) {
    let facts = doctor::examine();
    if is_json {
        let rows = facts.iter().map(|fact| {
            let row = Json::new().text("name", fact.name).value("found", fact.found);
            row.text("detail", &fact.detail).text("remedy", fact.remedy)
        });
        println!("{}", Json::new().list("facts", rows).finish());
        return;
    }
    for fact in facts {
        let mark = if fact.found { "yes" } else { "no " };
        println!("{mark}  {:<28} {}", fact.name, fact.detail);
        if !fact.found && !fact.remedy.is_empty() {
            println!("     {:<28} {}", "", fact.remedy);
        }
    }
}

/// The named game: one of the program, or the one in a folder.
fn game_of(matches: &ArgMatches, games: &[GameEntry]) -> Result<GameEntry, CommandError> {
    let Some(name) = matches.get_one::<String>("GAME") else { return mods::over(matches, games[0]) };
    named_game(matches, name, games)
}

/// The game of the program with this name, or the one in this folder.
fn named_game(matches: &ArgMatches, name: &str, games: &[GameEntry]) -> Result<GameEntry, CommandError> {
    if let Some(found) = games.iter().find(|entry| entry.name == name) {
        return mods::over(matches, *found);
    }
    let folder = Path::new(name);
    if !folder.exists() {
        let names: Vec<&str> = games.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        let message = format!("expected one of: {names}, or the folder of a game; found \"{name}\"");
        return Err(CommandError::Usage(message));
    }
    mods::open(matches, folder)
}

/// The games of the program, with the game of this name that the given file belongs to: in the given folder, or near the file.
fn with_folder_of(
    matches: &ArgMatches,
    games: &[GameEntry],
    file: &Path,
    name: &str,
) -> Result<Vec<GameEntry>, CommandError> {
    let mut games = with_folder(matches, games)?;
    if !games.iter().any(|entry| astrarium::project::is_called(entry, name)) {
        games.extend(nearby::game_near(file, name, &mods::folders(matches)));
    }
    Ok(games)
}

/// The games of the program, preceded by the one in the given folder.
fn with_folder(matches: &ArgMatches, games: &[GameEntry]) -> Result<Vec<GameEntry>, CommandError> {
    let folder = matches.get_one::<PathBuf>("game").map(|folder| mods::open(matches, folder)).transpose()?;
    Ok(folder.into_iter().chain(games.iter().copied()).collect())
}

fn level_of(matches: &ArgMatches, entry: &GameEntry) -> Result<String, CommandError> {
    let Some(name) = matches.get_one::<String>("level") else { return Ok(entry.levels[0].to_string()) };
    if entry.levels.contains(&name.as_str()) {
        return Ok(name.clone());
    }
    let levels = entry.levels.iter().map(ToString::to_string).collect();
    Err(Error::UnknownLevel { game: entry.name.to_string(), level: name.clone(), levels }.into())
}

fn path_of<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one::<PathBuf>(name).expect("the parser requires it")
}

fn headers_of(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<PathBuf>("headers").map(PathBuf::as_path)
}

/// The named crash report, or the newest one.
fn crash_file(matches: &ArgMatches) -> Result<PathBuf, CommandError> {
    if let Some(path) = matches.get_one::<PathBuf>("FILE") {
        return Ok(path.clone());
    }
    let folder = Path::new(FOLDER).join(CRASHES);
    let newest = files::newest(&folder, "crash")?;
    let newest =
        newest.ok_or_else(|| CommandError::Usage(format!("there is no crash report in {}", folder.display())))?;
    eprintln!("the newest report is {}", newest.display());
    Ok(newest)
}

fn paths_of(matches: &ArgMatches) -> Vec<PathBuf> {
    matches.get_many::<PathBuf>("FILES").map(|paths| paths.cloned().collect()).unwrap_or_default()
}

fn number_of(matches: &ArgMatches, name: &str) -> u64 {
    *matches.get_one::<u64>(name).expect("it has a default")
}

fn small_number_of<T: TryFrom<u64> + Into<u64>>(
    matches: &ArgMatches,
    name: &str,
    least: u64,
    most: T,
) -> Result<T, CommandError> {
    let found = number_of(matches, name);
    let most: u64 = most.into();
    let fits = T::try_from(found).ok().filter(|_| (least..=most).contains(&found));
    fits.ok_or_else(|| CommandError::Usage(format!("--{name}: expected {least} to {most}, found {found}")))
}

fn players() -> Arg {
    let help = "The number of players; robots play them. The default is as many as the level lists, or 2";
    Arg::new("players").long("players").value_name("N").value_parser(value_parser!(u64)).help(help)
}

/// The number of players; none if the level says.
fn players_of(matches: &ArgMatches) -> Result<Option<u16>, CommandError> {
    let is_given = matches.contains_id("players");
    is_given.then(|| small_number_of(matches, "players", 0, relay::limits::PEOPLE_MAX)).transpose()
}

fn game() -> Arg {
    Arg::new("GAME").help("The name of a game of this program, or the folder of a game")
}

fn game_folder() -> Arg {
    path("game", "The folder of the game, if it is one").value_name("FOLDER")
}

fn level() -> Arg {
    Arg::new("level").long("level").value_name("NAME").help("The level; the default is the game's first")
}

fn language() -> Arg {
    Arg::new("language").long("language").value_name("TAG").help("The language, as in de or de-AT")
}

fn scripts() -> Arg {
    let files = Arg::new("FILES").required(true).num_args(1..).value_parser(value_parser!(PathBuf));
    files.help("The files; - for standard input")
}

fn headers() -> Arg {
    path("headers", "A header (`*.header`) or a folder of them, besides those beside the file and in its tree of tags")
}

fn crash_report() -> Arg {
    Arg::new("FILE").value_parser(value_parser!(PathBuf)).help("The report; the default is the newest")
}
