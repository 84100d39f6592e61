//! `film`: inspects, plays, verifies and cuts films.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use host::clock::Clock;
use host::files;
use host::thread_pool::ThreadPool;
use relay::film::{Item, Kind, Reason, Take};
use shelf::history::History;
use shelf::store::Store;
use tags::Key;

use crate::arguments::{file, flag, json, number, path, word};
use crate::error::{CommandError, Failure};
use crate::film_count;
use crate::inputs;
use crate::inspect;
use crate::json::Json;
use crate::mods;
use crate::nearby;
use crate::profile;
use crate::recording;
use crate::showing::{Showing, picture_arguments, window_arguments};
use crate::window_play;
use crate::words::counted;
use astrarium::Error;
use astrarium::content::FOLDER;
use astrarium::difference::DescribedDifference;
use astrarium::film::{self, Departure, Film, FilmVerdict, Moment, Player, Shown, Snippet};
use astrarium::film_error::FilmFault;
use astrarium::game::GameEntry;
use astrarium::profile::ProfileSummary;
use astrarium::saves;
use astrarium::session::Session;

/// The command and its arguments.
pub fn command() -> Command {
    let workers = || number("workers", "The number of workers; 0 for one per processor", "0");
    let cycle = |name: &'static str| Arg::new(name).required(true).help("A cycle, or take and cycle as in 2:1200");
    Command::new("film")
        .about("Inspects, plays, verifies and cuts films")
        .subcommand_required(true)
        .arg(mods::arg().global(true))
        .subcommand(
            Command::new("info")
                .about("Prints the contents of a film, and any damage")
                .arg(file("FILE").help("The film"))
                .arg(flag("check", "Check the bodies of all chunks, not only their heads"))
                .arg(json()),
        )
        .subcommand(
            window_arguments(picture_arguments(Command::new("play")))
                .about("Plays all takes of a film in order: as fast as possible, or in a window with --window")
                .arg(file("FILE").help("The film"))
                .arg(flag(
                    "window",
                    "Show it in a window: F6 and F7 step, F9 shows the next player, F10 takes that one over",
                ))
                .arg(number("speed", "With --window: world time per machine time, in thousandths", "1000"))
                .arg(word("from", "CYCLE", "The first cycle; 2:1200 is cycle 1200 of take 2"))
                .arg(word("to", "CYCLE", "The last cycle; without a take, that of the last take that holds it"))
                .arg(
                    word("take", "N", "Play only this take")
                        .value_parser(value_parser!(u16))
                        .conflicts_with_all(["from", "to", "tags"]),
                )
                .arg(workers())
                .arg(
                    word("content", "WHICH", "Play with the film's own content, or with the current one")
                        .value_parser(["own", "now"])
                        .default_value("own"),
                )
                .arg(path("tags", "Play with the content of this folder, to compare").value_name("FOLDER"))
                .arg(path("game", "With --content now: the folder of the game, if it is one").value_name("FOLDER"))
                .arg(number("most", "The maximum number of differences to print, at least 1", "20"))
                .arg(json()),
        )
        .subcommand(
            Command::new("verify")
                .about("Replays all of a film and compares every hash")
                .arg(file("FILE").help("The film"))
                .arg(workers())
                .arg(number("most", "The maximum number of differences to print, at least 1", "20"))
                .arg(flag("quiet", "Do not print the progress"))
                .arg(json()),
        )
        .subcommand(
            Command::new("seek")
                .about("Seeks to cycles of a film in order, and prints the time it took")
                .arg(file("FILE").help("The film"))
                .arg(cycle("CYCLE").num_args(1..))
                .arg(workers())
                .arg(json()),
        )
        .subcommand(
            Command::new("cut")
                .about("Cuts a part out of a film, as a complete film")
                .arg(file("FILE").help("The film"))
                .arg(cycle("FROM"))
                .arg(cycle("TO"))
                .arg(file("OUT").help("The film to write"))
                .arg(workers())
                .arg(json()),
        )
        .subcommand(
            Command::new("branch")
                .about("Branches off a film at a cycle: writes a save, or a film for `play --from`")
                .arg(file("FILE").help("The film"))
                .arg(cycle("CYCLE"))
                .arg(file("OUT").help("The save or film to write, by its extension"))
                .arg(workers())
                .arg(json()),
        )
        .subcommand(
            Command::new("who")
                .about("Finds the last write to a variable of an object: cycle, stage, tag and line")
                .arg(file("FILE").help("The film"))
                .arg(Arg::new("OBJECT").required(true).help(
                    "Its handle as reports show it, #e2700001; a name in the level's placements; `level`; the path of its tag",
                ))
                .arg(Arg::new("VARIABLE").required(true).help("The variable's name"))
                .arg(word("before", "CYCLE", "Search backwards from this moment; the default is the end of the film"))
                .arg(workers())
                .arg(json()),
        )
        .subcommand(inspect::arguments(
            Command::new("show").about("Prints the objects of a cycle, or one with its variables and timers"),
            "The film, at its end or at a cycle as in a.film@1200",
        ))
        .subcommand(
            Command::new("inputs")
                .about("Prints the players' inputs as text, which `play --inputs` plays again")
                .arg(file("FILE").help("The film"))
                .arg(word("take", "N", "The take; the default is the first").value_parser(value_parser!(u16)))
                .arg(json()),
        )
        .subcommand(film_count::command())
        .subcommand(
            Command::new("tracks")
                .about("Lists the tracks: data recorded beside the inputs")
                .arg(file("FILE").help("The film"))
                .arg(json()),
        )
        .subcommand(
            Command::new("profile")
                .about("Prints the profile that was recorded with a film: times by stage, class, tag and line")
                .arg(file("FILE").help("The film"))
                .arg(number("from", "The first cycle", "0"))
                .arg(word("to", "CYCLE", "The last cycle").value_parser(value_parser!(u64)))
                .arg(word("take", "N", "Only this take").value_parser(value_parser!(u16)))
                .arg(number("most", "The maximum number of tags and of lines to print, at least 1", "20"))
                .arg(json()),
        )
        .subcommand(
            Command::new("mark")
                .about("Adds a text marker at a cycle")
                .arg(file("FILE").help("The film"))
                .arg(cycle("CYCLE"))
                .arg(Arg::new("TEXT").required(true).help("The text"))
                .arg(json()),
        )
}

/// Runs one of its subcommands.
pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("info", matches)) => info(matches, games).map_err(Failure::from),
        Some(("play", matches)) => play(matches, games).map_err(Failure::from),
        Some(("verify", matches)) => verify(matches, games),
        Some(("seek", matches)) => seek(matches, games).map_err(Failure::from),
        Some(("cut", matches)) => cut(matches, games).map_err(Failure::from),
        Some(("branch", matches)) => branch(matches, games).map_err(Failure::from),
        Some(("who", matches)) => who(matches, games).map_err(Failure::from),
        Some(("show", matches)) => inspect::show(matches, games).map_err(Failure::from),
        Some(("inputs", matches)) => print_inputs(matches, games).map_err(Failure::from),
        Some(("count", matches)) => film_count::carry_out(matches, games),
        Some(("tracks", matches)) => tracks(matches).map_err(Failure::from),
        Some(("profile", matches)) => film_profile(matches).map_err(Failure::from),
        Some(("mark", matches)) => mark(matches).map_err(Failure::from),
        _ => {
            let names = "astrarium film info|play|verify|seek|cut|branch|who|show|inputs|count|tracks|profile|mark";
            Err(Failure::from(String::from(names)))
        }
    }
}

fn info(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let clock = Clock::new();
    let mut film = open(matches)?;
    let milliseconds = clock.now() as f64 / 1e6;
    let is_checked = matches.get_flag("check");
    if is_checked {
        film.check_all();
    } else {
        film.check_endings();
    }
    let takes = film.index().takes.iter();
    let endings: Vec<String> =
        takes.map(|take| film.ending(take.number).map_or_else(String::new, |ending| ending.words)).collect();
    let is_recorded = files::is_held(film.path());
    // A film whose content is damaged is shown without them.
    let made_with = film::mods_of(film.path(), games).unwrap_or_default();
    let tracks = film.tracks();
    let (number, bytes) = (film.index().film, film.index().length);
    if matches.get_flag("json") {
        let takes = film.index().takes.iter().zip(&endings).map(|(take, ending)| json_of_take(take, ending));
        let sizes = film.sizes();
        let sizes = sizes.iter().map(|(kind, count, bytes)| {
            Json::new().text("kind", kind.name()).value("count", count).value("bytes", bytes)
        });
        let json = Json::new()
            .text("file", &film.path().to_string_lossy())
            .hex("film", number)
            .value("bytes", bytes)
            .value("milliseconds", format_args!("{milliseconds:.3}"))
            .list("takes", takes)
            .list("mods", mods::rows(&made_with))
            .list("chunks", sizes)
            .list("tracks", tracks.iter().map(|(name, items)| json_of_track(name, items)))
            .value("is_checked", is_checked)
            .value("is_recorded", is_recorded)
            .texts("troubles", film.troubles().map(ToString::to_string));
        println!("{}", json.finish());
        return Ok(());
    }
    println!("film {number:016x}, {bytes} bytes; opened in {milliseconds:.1} ms");
    mods::print(&made_with);
    for (take, ending) in film.index().takes.iter().zip(&endings) {
        let opening = &take.opening;
        let seconds = (take.last() - take.start) as f64 * opening.brush_nanos as f64 / 1e9;
        println!(
            "take {}: {} {}, {}; cycles {} to {} ({seconds:.1} s), {}, seed {}, {}",
            take.number,
            opening.game,
            opening.level,
            reason(opening.reason),
            take.start,
            take.last(),
            counted(usize::from(opening.players), "player"),
            opening.seed,
            counted(take.keyframes.len(), "keyframe")
        );
        println!(
            "  layout {:016x}, content {:016x}, build {:016x}; recorded by {}; {}",
            opening.layout,
            opening.content,
            opening.game_content,
            opening.program,
            describe_end(&film, take, ending, is_recorded)
        );
        if let Some(parent) = opening.parent {
            println!("  from film {:016x}, take {}, cycle {}", parent.film, parent.take, parent.cycle);
        }
    }
    for (kind, count, bytes) in film.sizes() {
        println!("{:<17} {count:>8} {bytes:>12} bytes", kind.name());
    }
    for (name, items) in &tracks {
        let (first, last) = cycles_of(items);
        println!("track {name:?}: {}, cycles {first} to {last}", counted(items.len(), "item"));
    }
    let unread: Vec<String> =
        film.unread().iter().map(|(kind, count)| format!("{} {count}", kind.name())).filter(|_| !is_checked).collect();
    if !unread.is_empty() {
        println!("not checked: {}; --check checks all chunks", unread.join(", "));
    }
    if film.troubles().next().is_some() {
        film.troubles().for_each(|trouble| println!("{trouble}"));
        println!("playable: {}", film.describe_runs());
    }
    Ok(())
}

/// The first and the last cycle of the items of a track.
fn cycles_of(items: &[Item]) -> (u64, u64) {
    let cycle = |item: Option<&Item>| item.map_or(0, |item| item.cycle);
    (cycle(items.first()), cycle(items.last()))
}

fn json_of_track(name: &str, items: &[Item]) -> Json {
    let (first, last) = cycles_of(items);
    let bytes: usize = items.iter().map(|item| item.bytes.len()).sum();
    let json = Json::new().text("name", name).value("items", items.len()).value("bytes", bytes);
    json.value("first", first).value("last", last)
}

/// The reason why a take ends.
fn describe_end(film: &Film, take: &Take, ending: &str, is_recorded: bool) -> String {
    let is_last = film.index().takes.last().is_some_and(|last| last.number == take.number);
    if !ending.is_empty() {
        String::from(ending)
    } else if let Some(cycle) = take.leads_to {
        format!("the next take continues from it at cycle {cycle}")
    } else if is_last && is_recorded {
        String::from("it is being recorded")
    } else {
        String::from("its end is missing: the recording was cut short")
    }
}

fn json_of_take(take: &Take, ending: &str) -> Json {
    let opening = &take.opening;
    let runs = take.runs().into_iter().map(|run| Json::new().value("first", run.first).value("last", run.last));
    let json = Json::new()
        .value("take", take.number)
        .text("game", &opening.game)
        .text("level", &opening.level)
        .text("reason", reason(opening.reason))
        .value("first", take.start)
        .value("last", take.last())
        .value("players", opening.players)
        .value("seed", opening.seed)
        .value("keyframes", take.keyframes.len())
        .hex("layout", opening.layout)
        .hex("content", opening.content)
        .hex("game_content", opening.game_content)
        .value("brush_nanoseconds", opening.brush_nanos)
        .value("brushes_per_safe", opening.brushes_per_safe)
        .text("program", &opening.program)
        .text("end", ending)
        .list("can_be_played", runs);
    match opening.parent {
        Some(parent) => {
            json.hex("parent", parent.film).value("parent_take", parent.take).value("parent_cycle", parent.cycle)
        }
        None => json,
    }
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Begun => "start of the game",
        Reason::Anew => "start of a level",
        Reason::Loaded => "a world was loaded",
        Reason::Continued => "continued from another film",
    }
}

fn play(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let film = open(matches)?;
    let from = moment_of(matches, "from")?;
    let to = moment_of(matches, "to")?;
    let pool = pool(matches)?;
    let tags = matches.get_one::<PathBuf>("tags").cloned();
    let is_now = tags.is_some() || matches.get_one::<String>("content").is_some_and(|which| which == "now");
    let only = matches.get_one::<u16>("take").copied();
    let first = only.map_or_else(|| film.index().takes.first(), |take| film.index().take(take));
    let first = first
        .ok_or_else(|| CommandError::Usage(format!("--take: expected one of its takes: {}", film.describe_runs())))?;
    let from = from.unwrap_or(Moment { take: Some(first.number), cycle: Some(first.start) });
    if is_now {
        if only.is_some() {
            let message = "--take: not with the current content; select cycles with --from and --to";
            return Err(CommandError::Usage(String::from(message)));
        }
        let to = to.and_then(|to| to.cycle);
        let games = &games_now(matches, &film, games, tags.is_some())?;
        let name = &first.opening.game;
        if let Some(entry) = games.iter().find(|entry| entry.name == name.as_str()) {
            mods::print_differences(film.path(), &film::mods_of(film.path(), games)?, entry);
        }
        let verdict = film::compare(film, games, Shown::Now(tags), (from, to), &pool, most_of(matches)?)?;
        print_verdict(&verdict, matches.get_flag("json"), "the replay with the current content is identical");
        return Ok(());
    }
    let showing = Showing::of(matches)?;
    if matches.get_flag("window") || showing.web.is_some() {
        let speed = matches.get_one::<u64>("speed").map_or(1000, |speed| (*speed).min(1_000_000) as u32);
        let showing = Showing { is_windowless: !matches.get_flag("window"), ..showing };
        let player = Player::new(film, games, Shown::Own)?;
        return window_play::show_film(player, from, pool, speed, &showing);
    }
    if showing.screenshot.is_some() {
        let mut player = Player::new(film, games, Shown::Own)?;
        player.seek(from, &pool)?;
        let (mut session, _) = player.leave()?;
        let viewpoint = window_play::viewpoint_of(&showing, vec![0]);
        let recorded = recording::record(&mut session, &showing, viewpoint, 0, &pool)?;
        recorded.files.iter().for_each(|file| println!("{}", file.display()));
        return Ok(());
    }
    let begun = film.find(from)?;
    let end = film.find(to.unwrap_or(Moment { take: only, cycle: None }))?;
    if end < begun {
        let moment = |(take, cycle)| Moment { take: Some(take), cycle: Some(cycle) };
        let message = format!("--to: expected an end that is not before {}, found {}", moment(begun), moment(end));
        return Err(CommandError::Usage(message));
    }
    let mut player = Player::new(film, games, Shown::Own)?;
    player.seek(from, &pool)?;
    let clock = Clock::new();
    let whole = player.film().cycles_between(begun, end);
    let mut progress = Progress::new(matches.get_flag("json"));
    let mut played: u64 = 0;
    while player.place() < end {
        progress.print(played, whole);
        // Where a take continues in the next one, a step belongs to the next; its first cycle needs no step.
        let is_next = player.next_first() == Some(end);
        if !is_next && player.step(&pool)? {
            played += 1;
        } else {
            player.load_next()?;
        }
    }
    let begun = begun.1;
    let seconds = clock.now().max(1) as f64 / 1e9;
    for note in player.take_notes() {
        eprintln!("{note}");
    }
    let (take, cycle) = player.place();
    let session = player.session().ok_or(Error::Film(FilmFault::NotLoaded))?;
    let (hash, chain) = (session.hash(), session.chain());
    let per_second = played as f64 / seconds;
    if matches.get_flag("json") {
        let json = Json::new()
            .text("game", session.world().plan().name())
            .text("level", session.level())
            .value("take", take)
            .value("from", begun)
            .value("cycle", cycle)
            .value("cycles", played)
            .hex("hash", hash)
            .hex("chain", chain)
            .value("cycles_per_second", format_args!("{per_second:.0}"));
        println!("{}", json.finish());
    } else {
        println!("{}", session.game().describe(session.world()));
        println!("take {take}, cycle {cycle}, hash {hash:016x}, chain {chain:016x}; {per_second:.0} cycles per second");
    }
    Ok(())
}

/// The games with the film's own among them, as it is now. An error if its tags of today are not found.
fn games_now(
    matches: &ArgMatches,
    film: &Film,
    games: &[GameEntry],
    has_tags: bool,
) -> Result<Vec<GameEntry>, CommandError> {
    let mut games = games.to_vec();
    let Some(take) = film.index().takes.first() else { return Ok(games) };
    let name = take.opening.game.as_str();
    if let Some(folder) = matches.get_one::<PathBuf>("game") {
        games.insert(0, mods::open(matches, folder)?);
    } else if !games.iter().any(|entry| entry.name == name) {
        games.extend(nearby::game_near(film.path(), name, &mods::folders(matches)));
    }
    if !has_tags && !games.iter().any(|entry| entry.name == name) {
        let message = format!("the game {name} is a folder, which is not found near the film; say --game FOLDER");
        return Err(CommandError::Usage(message));
    }
    Ok(games)
}

fn print_inputs(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let film = open(matches)?;
    let takes = &film.index().takes;
    let wanted = matches.get_one::<u16>("take").copied().or(takes.first().map(|take| take.number)).unwrap_or(0);
    let Some(take) = film.index().take(wanted) else {
        return Err(CommandError::Usage(format!("--take: expected one of its takes: {}", film.describe_runs())));
    };
    let (start, brushes) = (take.start, u64::from(take.opening.brushes_per_safe));
    let (game, level, players) = (take.opening.game.clone(), take.opening.level.clone(), take.opening.players);
    let places: Vec<_> =
        film.index().of_kind(Kind::Inputs).filter(|place| place.head.take == wanted).copied().collect();
    let bodies = places.iter().map(|place| film.body(place)).collect::<Result<Vec<_>, _>>()?;
    let path = film.path().to_path_buf();
    let mut player = Player::new(film, games, Shown::Own)?;
    player.seek(Moment { take: Some(wanted), cycle: Some(start) }, &pool_of(1))?;
    let session = player.session().ok_or(Error::Film(FilmFault::NotLoaded))?;
    let mut text = String::new();
    for (place, body) in places.iter().zip(&bodies) {
        let records = relay::film::inputs::decode(body, &place.head.stamp, brushes as u32)
            .map_err(|error| CommandError::Failed(format!("{}: its inputs cannot be read: {error}", path.display())))?;
        for record in records {
            inputs::write_lines(&mut text, record.inputs.cycle().saturating_mul(brushes), &record.inputs, session);
        }
    }
    if matches.get_flag("json") {
        println!("{}", Json::new().value("take", wanted).texts("lines", text.lines()).finish());
    } else {
        println!("// {game} {level}, {players} players: cycle, player, event and its fields");
        print!("{text}");
    }
    Ok(())
}

fn pool_of(count: u32) -> ThreadPool {
    ThreadPool::new(count)
}

fn verify(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let film = open(matches)?;
    let path = film.path().display().to_string();
    let is_json = matches.get_flag("json");
    let pool = pool(matches)?;
    let mut progress = Progress::new(is_json || matches.get_flag("quiet"));
    let most = most_of(matches)?;
    let verdict = film::verify(film, games, &pool, most, &mut |done, whole| progress.print(done, whole))?;
    if verdict.is_sound() {
        print_verdict(&verdict, is_json, "all hashes are equal");
        return Ok(());
    }
    let message = match &verdict.departure {
        Some(departure) => {
            if !is_json {
                print_verdict(&verdict, false, "");
            }
            format!("{path}: {}", describe_departure(departure))
        }
        None => {
            if !is_json {
                verdict.troubles.iter().for_each(|trouble| eprintln!("{trouble}"));
                verdict.notes.iter().for_each(|note| eprintln!("{note}"));
            }
            let (count, compared) = (verdict.troubles.len(), verdict.compared);
            format!("{path}: {count} parts of it are damaged; {compared} hashes of the rest are equal")
        }
    };
    Err(Failure { message, found: json_of_verdict(&verdict) })
}

fn seek(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let clock = Clock::new();
    let mut player = Player::new(open(matches)?, games, Shown::Own)?;
    let opened = clock.now();
    let pool = pool(matches)?;
    let moments: Vec<&String> = matches.get_many::<String>("CYCLE").map(Iterator::collect).unwrap_or_default();
    let mut rows = Vec::new();
    for text in moments {
        let began = clock.now();
        let reached = player.seek(Moment::read(text)?, &pool)?;
        let milliseconds = clock.now().saturating_sub(began) as f64 / 1e6;
        player.take_notes().iter().for_each(|note| eprintln!("{note}"));
        let session = player.session().ok_or(Error::Film(FilmFault::NotLoaded))?;
        let (hash, chain) = (session.hash(), session.chain());
        let described = session.game().describe(session.world());
        if matches.get_flag("json") {
            rows.push(
                Json::new()
                    .value("take", reached.take)
                    .value("cycle", reached.cycle)
                    .value("from", reached.from)
                    .hex("hash", hash)
                    .hex("chain", chain)
                    .text("description", &described)
                    .value("milliseconds", format_args!("{milliseconds:.3}")),
            );
        } else {
            println!("take {}, cycle {}: {described}", reached.take, reached.cycle);
            println!("hash {hash:016x}, chain {chain:016x}; {milliseconds:.1} ms, from cycle {}", reached.from);
        }
    }
    if matches.get_flag("json") {
        let opened = opened as f64 / 1e6;
        let json = Json::new().value("open_milliseconds", format_args!("{opened:.3}"));
        println!("{}", json.list("seeks", rows).finish());
    }
    Ok(())
}

fn who(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let pool = pool(matches)?;
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let (object, variable) = (text("OBJECT"), text("VARIABLE"));
    let moment = match matches.get_one::<String>("before") {
        Some(text) => Moment::read(text)?,
        None => Moment::default(),
    };
    let mut player = Player::new(open(matches)?, games, Shown::Own)?;
    player.seek(moment, &pool)?;
    let handle = object_meant(&mut player, object, variable)?;
    let found = film::who(&mut player, (handle, variable), moment, &pool)?;
    let none = || CommandError::Failed(format!("nothing wrote `{variable}` of #{handle:08x} before {moment}"));
    let writing = found.ok_or_else(none)?;
    if matches.get_flag("json") {
        println!("{}", Json::new().value("cycle", writing.cycle).text("line", &writing.line).finish());
    } else {
        println!("{}", writing.line);
    }
    Ok(())
}

/// The object that a person means at the moment where the player is, whose variable that is. One that is gone by then is named by its
/// handle.
fn object_meant(player: &mut Player, object: &str, variable: &str) -> Result<u32, CommandError> {
    let session = player.session().ok_or(Error::Film(FilmFault::NotLoaded))?;
    let (world, game) = (session.world(), session.game());
    let digits = object.trim_start_matches('#').trim_start_matches("0x");
    let raw = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8);
    let resolved = inspect::resolve(session, raw.map_or(object.to_string(), |raw| format!("#{raw:08x}")).as_str());
    let handle = match (resolved, raw) {
        (Ok(found), _) => found[0],
        (Err(error), None) => return Err(error),
        (Err(_), Some(raw)) => {
            let rules = game.extensions().rules;
            let can_exist = rules.is_some_and(|rules| {
                let handle = astrarium::base::Handle::from_raw(raw);
                astrarium::world::object::may_be(handle, rules.parts.objects.capacity())
            });
            let cycle = world.cycle();
            if !can_exist {
                return Err(CommandError::Failed(format!(
                    "there is no object #{raw:08x}: no object of this level has such a handle"
                )));
            }
            eprintln!("there is no object #{raw:08x} in cycle {cycle}; the film before it is searched");
            return Ok(raw);
        }
    };
    let variables = game.variables(world, handle);
    if variables.iter().any(|row| row.name == variable) {
        return Ok(handle);
    }
    let names: Vec<&str> =
        variables.iter().map(|row| row.name.as_str()).filter(|name| !name.starts_with('~')).collect();
    let near = astrarium::script::report::closest(variable, names.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(CommandError::Failed(format!("#{handle:08x} has no variable `{variable}`{near}; it has {}", names.join(", "))))
}

fn cut(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let pool = pool(matches)?;
    let from = moment_of(matches, "FROM")?.unwrap_or_default();
    let to = moment_of(matches, "TO")?.unwrap_or_default();
    let film = open(matches)?;
    let from = Moment { take: from.take.or(to.take), ..from };
    let (take, _) = film.find(from)?;
    let (_, to) = film.find(Moment { take: Some(take), cycle: to.cycle })?;
    let out = path_of(matches, "OUT");
    let snippet = film::cut(film, games, (Moment { take: Some(take), ..from }, to), out, &pool)?;
    print_snippet(&snippet, out, matches.get_flag("json"));
    Ok(())
}

fn branch(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let pool = pool(matches)?;
    let moment = moment_of(matches, "CYCLE")?.unwrap_or_default();
    let film = open(matches)?;
    let out = path_of(matches, "OUT");
    match out.extension().and_then(|extension| extension.to_str()) {
        Some("film") => {
            let snippet = film::branch(film, games, moment, out, &pool)?;
            print_snippet(&snippet, out, matches.get_flag("json"));
            Ok(())
        }
        Some("save") => {
            let mut player = Player::new(film, games, Shown::Own)?;
            let reached = player.seek(moment, &pool)?;
            let session = player.session().ok_or(Error::Film(FilmFault::NotLoaded))?;
            keep_content(session, Path::new(FOLDER))?;
            let header = saves::write(session, out)?;
            let chain = session.chain();
            if matches.get_flag("json") {
                let json = Json::new()
                    .text("file", &out.to_string_lossy())
                    .value("take", reached.take)
                    .value("cycle", header.cycle)
                    .hex("hash", header.hash)
                    .hex("chain", chain);
                println!("{}", json.finish());
            } else {
                println!("cycle {}, hash {:016x}, chain {chain:016x}: {}", header.cycle, header.hash, out.display());
            }
            Ok(())
        }
        _ => {
            let message = format!("expected a file that ends in .save or .film, found {}", out.display());
            Err(CommandError::Usage(message))
        }
    }
}

/// Stores the tags that a world was made with, so that a save of it can be loaded.
fn keep_content(session: &Session, home: &Path) -> Result<(), CommandError> {
    let library = session.content().library();
    if library.tags().len() == 0 {
        return Ok(());
    }
    let objects: Vec<(Key, &[u8])> = library.tags().map(|ready| (ready.key, ready.packed.bytes())).collect();
    let stored = Store::open(&home.join("store")).and_then(|mut store| store.put(&objects));
    stored?;
    let paths: Vec<&str> = library.tags().map(|ready| ready.path.as_str()).collect();
    let mut history = History::new(home, std::sync::Arc::clone(session.content().classes()), paths);
    history.keep(library);
    history.take_troubles().iter().for_each(|line| eprintln!("{line}"));
    Ok(())
}

fn tracks(matches: &ArgMatches) -> Result<(), CommandError> {
    let film = open(matches)?;
    let tracks = film.tracks();
    if matches.get_flag("json") {
        let rows = tracks.iter().map(|(name, items)| {
            let items = items.iter().map(|item| {
                let row = Json::new().value("cycle", item.cycle).value("bytes", item.bytes.len());
                match std::str::from_utf8(&item.bytes) {
                    Ok(text) => row.text("text", text),
                    Err(_) => row,
                }
            });
            Json::new().text("name", name).list("items", items)
        });
        println!("{}", Json::new().list("tracks", rows).finish());
        return Ok(());
    }
    if tracks.is_empty() {
        println!("the film has no tracks");
    }
    for (name, items) in &tracks {
        println!("{name}: {}", counted(items.len(), "item"));
        for item in items {
            match std::str::from_utf8(&item.bytes) {
                Ok(text) => println!("  cycle {}: {}", item.cycle, text.escape_debug()),
                Err(_) => println!("  cycle {}: {} bytes", item.cycle, item.bytes.len()),
            }
        }
    }
    Ok(())
}

fn film_profile(matches: &ArgMatches) -> Result<(), CommandError> {
    let film = open(matches)?;
    let from = matches.get_one::<u64>("from").copied().unwrap_or(0);
    let to = matches.get_one::<u64>("to").copied().unwrap_or(u64::MAX);
    let (seconds, unread) = film.profile(matches.get_one::<u16>("take").copied(), from..=to);
    let mut whole = ProfileSummary::default();
    seconds.iter().for_each(|second| whole.absorb(second));
    whole.truncate(most_of(matches)?);
    if matches.get_flag("json") {
        let seconds = seconds.iter().map(|second| {
            let json = Json::new().value("first", second.first).value("steps", second.steps);
            json.value("nanoseconds", second.nanos)
                .value("slowest_nanoseconds", second.slowest.first().map_or(0, |step| step.nanos))
        });
        let json = Json::new().value("first", whole.first).value("until", whole.until).value("steps", whole.steps);
        let json = profile::json_of(&whole, json).list("seconds", seconds).value("unread", unread);
        println!("{}", json.finish());
        return Ok(());
    }
    if unread > 0 {
        eprintln!("{unread} items of the profile could not be read");
    }
    if whole.steps == 0 {
        println!("the film has no profile of these cycles");
        return Ok(());
    }
    println!("cycles {} to {}: {} steps, tags measured in {}", whole.first, whole.until, whole.steps, whole.measured);
    println!("{whole}");
    Ok(())
}

fn mark(matches: &ArgMatches) -> Result<(), CommandError> {
    let moment = moment_of(matches, "CYCLE")?.unwrap_or_default();
    let text = matches.get_one::<String>("TEXT").map_or("", String::as_str);
    let (take, cycle) = film::mark(open(matches)?, moment, text)?;
    if matches.get_flag("json") {
        println!("{}", Json::new().value("take", take).value("cycle", cycle).text("text", text).finish());
    } else {
        println!("take {take}, cycle {cycle}: {text}");
    }
    Ok(())
}

fn print_snippet(snippet: &Snippet, out: &Path, is_json: bool) {
    let Snippet { first, last, hash, chain, bytes } = *snippet;
    if is_json {
        let json = Json::new().text("file", &out.to_string_lossy()).value("first", first).value("cycle", last);
        println!("{}", json.hex("hash", hash).hex("chain", chain).value("bytes", bytes).finish());
    } else {
        println!("cycles {first} to {last}, hash {hash:016x}, {bytes} bytes: {}", out.display());
    }
}

fn print_verdict(verdict: &FilmVerdict, is_json: bool, good: &str) {
    if is_json {
        println!("{}", json_of_verdict(verdict).finish());
        return;
    }
    verdict.troubles.iter().for_each(|trouble| eprintln!("{trouble}"));
    verdict.notes.iter().for_each(|note| eprintln!("{note}"));
    let FilmVerdict { cycle, hash, chain, compared, .. } = verdict;
    match &verdict.departure {
        None => println!("{good}: {compared} compared; cycle {cycle}, hash {hash:016x}, chain {chain:016x}"),
        Some(departure) => {
            println!("{}", describe_departure(departure));
            if let Some(at) = departure.compared_at {
                println!("at cycle {at}, with the film on the left and the world on the right:");
            }
            departure.fields.iter().for_each(|described| println!("{}", described.line));
        }
    }
}

fn describe_departure(departure: &Departure) -> String {
    let Departure { take, cycle, expected, found, .. } = departure;
    format!("take {take} diverged before cycle {cycle}: expected hash {expected:016x}, found {found:016x}")
}

fn json_of_verdict(verdict: &FilmVerdict) -> Json {
    let json = Json::new()
        .value("is_sound", verdict.is_sound())
        .value("compared", verdict.compared)
        .value("cycle", verdict.cycle)
        .hex("hash", verdict.hash)
        .hex("chain", verdict.chain)
        .texts("troubles", verdict.troubles.iter().map(ToString::to_string))
        .texts("notes", &verdict.notes);
    let Some(departure) = &verdict.departure else { return json.value("differs_at", "null") };
    let field = |DescribedDifference { difference, line }: &DescribedDifference| {
        Json::new()
            .text("line", line)
            .text("system", &difference.system)
            .text("region", &difference.region)
            .value("slot", difference.slot.map_or_else(|| String::from("null"), |slot| slot.to_string()))
            .text("field", &difference.field)
            .text("left", &difference.left)
            .text("right", &difference.right)
    };
    json.value("differs_at", departure.cycle)
        .value("take", departure.take)
        .hex("expected", departure.expected)
        .hex("found", departure.found)
        .value("compared_at", departure.compared_at.map_or_else(|| String::from("null"), |at| at.to_string()))
        .list("differences", departure.fields.iter().map(field))
}

/// Prints the progress of a task, at every tenth of it.
struct Progress {
    is_quiet: bool,
    tenths: u64,
}

impl Progress {
    fn new(is_quiet: bool) -> Progress {
        Progress { is_quiet, tenths: 0 }
    }

    fn print(&mut self, done: u64, whole: u64) {
        let tenths = done.saturating_mul(10).checked_div(whole).unwrap_or(0);
        if tenths > self.tenths && !self.is_quiet {
            eprintln!("{} %: {done} of {whole} cycles", tenths * 10);
        }
        self.tenths = tenths.max(self.tenths);
    }
}

fn open(matches: &ArgMatches) -> Result<Film, CommandError> {
    Ok(Film::open(path_of(matches, "FILE"))?)
}

fn path_of<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one::<PathBuf>(name).expect("the parser requires it")
}

fn moment_of(matches: &ArgMatches, name: &str) -> Result<Option<Moment>, CommandError> {
    Ok(matches.get_one::<String>(name).map(|text| Moment::read(text)).transpose()?)
}

fn most_of(matches: &ArgMatches) -> Result<usize, CommandError> {
    let most = matches.get_one::<u64>("most").copied().unwrap_or(20);
    let fits = usize::try_from(most).ok().filter(|most| (1..=1_000_000).contains(most));
    fits.ok_or_else(|| CommandError::Usage(format!("--most: expected 1 to 1000000, found {most}")))
}

fn pool(matches: &ArgMatches) -> Result<ThreadPool, CommandError> {
    let processors = || std::thread::available_parallelism().map_or(1, |count| count.get() as u64).min(16);
    let count = matches.get_one::<u64>("workers").copied().unwrap_or(0);
    let count = if count == 0 { processors() } else { count };
    let fits = u32::try_from(count).ok().filter(|count| *count <= 256);
    fits.map(ThreadPool::new).ok_or_else(|| CommandError::Usage(format!("--workers: expected 0 to 256, found {count}")))
}
