//! `serve`: a host without a player, without a window and without an end, with numbers for a monitor.
//!
//! | path | what it gives |
//! |---|---|
//! | `/metrics` | numbers in the text format of Prometheus |
//! | `/health` | 200 while the session is looked after; 503 when it stands still |
//!
//! Law: the first SIGTERM or Ctrl-C ends it in good order: guests are told, the save is written, the film is closed.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use astrarium::content::FOLDER;
use astrarium::game::GameEntry;
use astrarium::net::simulation::Profile;
use astrarium::party::{PROFILES, Party, PartyNumbers, PartyOptions};
use astrarium::saves;
use astrarium::session::Session;
use clap::{Arg, ArgMatches, Command};
use host::clock::Clock;
use host::interrupt;
use host::own_key::OwnKey;
use host::thread_pool::ThreadPool;
use host::web_server::{WebResponse, WebServer, WebSettings};

use crate::access::{listening_of, password_of};
use crate::arguments::{flag, number, path, word};
use crate::error::CommandError;
use crate::json::Json;
use crate::meeting;
use crate::mods;
use crate::party_console;
use crate::play::{FilmFile, GOOD_ORDER, Play, end_film};
use crate::together::{self, PORT, failed};

/// Where a monitor asks.
const METRICS: &str = "127.0.0.1:9322";

/// How long the loop waits for a datagram when no cycle is due.
const PATIENCE: Duration = Duration::from_millis(1);

/// The brush cycles between two looks at the network.
const STEPS_MAX: u32 = 25;

/// How often the numbers are made anew.
const TOLD_US: u64 = 500_000;

/// Without a look at the network for this long, it stands still.
const STILL_US: u64 = 5_000_000;

/// The `serve` command.
pub fn command(game: Arg, level: Arg, players: Arg) -> Command {
    Command::new("serve")
        .about("Hosts a game without a player of its own, until it is told to end")
        .arg(game)
        .arg(level)
        .arg(mods::arg())
        .arg(players.help("The players of the world; robots play those that no machine plays"))
        .arg(number("machines", "Wait for this many machines before the first cycle, this one included", "1"))
        .arg(flag("lobby", "Begin only when all players are ready, or when `begin` is typed"))
        .arg(flag(
            "console",
            "Take lines from standard input: begin, kick N REASON, pause, resume, say TEXT, who, leave; see `help`",
        ))
        .args(together::relay_arguments())
        .arg(flag("hidden", "Do not answer machines that look for sessions on the local network"))
        .arg(number("port", "The UDP port; 0 chooses a free one", PORT))
        .arg(word("listen", "ADDRESS", "The address of this machine to listen at").default_value("0.0.0.0"))
        .arg(word("metrics", "ADDRESS", "Where a monitor asks for /metrics and /health").default_value(METRICS))
        .arg(word("name", "TEXT", "The name of the server, for the others"))
        .arg(
            word("password", "TEXT", "The password of the session; without one it is drawn")
                .conflicts_with("password-file"),
        )
        .arg(path("password-file", "The file with the password: other users of this machine can read the command line"))
        .arg(number("seed", "The seed of all random draws; a save has its own", "1"))
        .arg(path("load", "Continue from this save"))
        .arg(path("save", "Write a save to this file at the end"))
        .arg(path("record", "Record the film in this file; the default is a new one in .astrarium/films"))
        .arg(flag("no-film", "Record no film").conflicts_with("record"))
        .arg(number("workers", "The number of workers, including the calling thread", "1"))
        .arg(
            word("net-profile", "NAME", "Imitate a bad connection: delay, loss and bottleneck")
                .value_parser(PROFILES.map(|profile| profile.name)),
        )
        .arg(flag("json", "Log JSON objects, one per line"))
}

/// What the monitor is told.
#[derive(Default)]
struct Told {
    metrics: String,
    looked_us: u64,
}

/// Hosts a game until it is told to end.
pub fn carry_out(
    matches: &ArgMatches,
    entry: &GameEntry,
    level: &str,
    players: Option<u16>,
) -> Result<(), CommandError> {
    let (password, is_drawn) = password_of(matches, true)?;
    let workers = *matches.get_one::<u64>("workers").unwrap_or(&1);
    if !(1..=256).contains(&workers) {
        return Err(CommandError::Usage(format!("--workers: expected 1 to 256, found {workers}")));
    }
    let key = together::own_key();
    let options = PartyOptions {
        address: listening_of(matches)?,
        key: key.as_ref().map(OwnKey::secret),
        profile: matches.get_one::<String>("net-profile").and_then(|name| Profile::named(name)),
        is_observer: true,
        machines: together::machines_of(matches)?,
        name: matches.get_one::<String>("name").cloned().unwrap_or_default(),
        meeting: meeting::place_of_host(matches)?,
        is_found: !matches.get_flag("hidden"),
        has_lobby: matches.get_flag("lobby"),
        ..PartyOptions::guest(&password, Path::new(FOLDER).join("desyncs"))
    };
    let mut log = Log { is_json: matches.get_flag("json"), clock: Clock::new() };
    let mut session = together::begin(matches, entry, level, players)?;
    let lines = session_lines(&mut session);
    log.lines(&session, "tags", lines);
    let film = match matches.get_one::<PathBuf>("record") {
        Some(path) => FilmFile::At(path.clone()),
        None if matches.get_flag("no-film") => FilmFile::None,
        None => FilmFile::In(Path::new(FOLDER).join("films")),
    };
    let save = matches.get_one::<PathBuf>("save").cloned();
    let play = Play { film, save: save.clone(), ..Play::default() };
    play.begin_film(entry, &mut session, None)?;
    let mut party = Party::host(&session, &options).map_err(failed)?;
    if matches.get_flag("console") {
        party.listen_to(party_console::wishes()?);
    }
    let told = Arc::new(Mutex::new(Told::default()));
    let monitor = monitor(matches.get_one::<String>("metrics").map_or(METRICS, String::as_str), &told, log.clock)?;
    log.line(&session, "start", &format!("serves {} {level} at {}", entry.name, party.address()));
    log.line(&session, "start", &format!("metrics and health at http://{}", monitor.address()));
    if let Some(place) = &options.meeting {
        log.line(&session, "start", &format!("the invitation is {}", meeting::invitation(place)));
    }
    if is_drawn {
        log.line(&session, "start", &format!("the password is {password}"));
    }
    let why = keep(&mut session, party, workers as u32, &mut log, &told)?;
    if let Some(path) = &save {
        saves::write(&mut session, path)?;
        log.line(&session, "end", &format!("the save is written: {}", path.display()));
    }
    end_film(&mut session, GOOD_ORDER);
    let (hash, chain) = (session.hash(), session.chain());
    log.line(&session, "end", &format!("{why}; hash {hash:016x}, chain {chain:016x}"));
    Ok(())
}

/// Plays until it is told to end, or the level is over. Returns why it ended.
fn keep(
    session: &mut Session,
    mut party: Party,
    workers: u32,
    log: &mut Log,
    told: &Mutex<Told>,
) -> Result<&'static str, CommandError> {
    interrupt::watch();
    let pool = ThreadPool::new(workers);
    let mut patience = Duration::ZERO;
    let mut told_us = None;
    let mut step_nanos = 0_u64;
    let why = loop {
        if interrupt::is_asked() {
            break "the server was asked to stop";
        }
        if party.end().is_some_and(|end| end.is_orderly) {
            break "the server was told to leave";
        }
        if session.last_ending().is_some() {
            break "the level is over";
        }
        let turned = party.turn(session, patience);
        log.lines(session, "party", party.take_lines());
        turned.map_err(failed)?;
        patience = PATIENCE;
        for _ in 0..STEPS_MAX {
            if session.last_ending().is_some() || !party.may_step(session) {
                break;
            }
            patience = Duration::ZERO;
            let before = log.clock.now();
            session.step(&pool);
            step_nanos += log.clock.now().saturating_sub(before);
            party.after_step(session);
            let lines = session_lines(session);
            log.lines(session, "game", lines);
        }
        let now_us = log.clock.now() / 1000;
        let is_due = told_us.is_none_or(|told_us: u64| told_us + TOLD_US < now_us);
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.looked_us = now_us;
        if is_due {
            told_us = Some(now_us);
            told.metrics = metrics(&party.numbers(), session, step_nanos);
        }
    };
    party.end_for_all(session, why);
    log.lines(session, "party", party.take_lines());
    Ok(why)
}

fn session_lines(session: &mut Session) -> Vec<String> {
    let mut lines = session.content_mut().take_lines();
    lines.extend(session.game().troubles());
    lines.extend(session.take_refusals());
    lines
}

/// What a monitor asks, answered from the last numbers.
fn monitor(address: &str, told: &Arc<Mutex<Told>>, clock: Clock) -> Result<WebServer, CommandError> {
    let settings = WebSettings { address: address.to_string(), ..WebSettings::default() };
    let told = Arc::clone(told);
    let server = WebServer::start(
        &settings,
        Arc::new(move |request| {
            let told = told.lock().unwrap_or_else(PoisonError::into_inner);
            match request.path.as_str() {
                "/metrics" => WebResponse::bytes("text/plain; version=0.0.4; charset=utf-8", told.metrics.clone()),
                "/health" if told.looked_us + STILL_US < clock.now() / 1000 => {
                    WebResponse::unavailable("the session stands still")
                }
                "/health" => WebResponse::bytes("text/plain; charset=utf-8", "it plays\n"),
                _ => WebResponse::not_found(),
            }
        }),
    );
    server.map_err(CommandError::Socket)
}

/// A number that is told: name, kind, meaning, value.
type Metric<'row> = (&'row str, &'row str, &'row str, f64);

/// The numbers in the text format of Prometheus.
fn metrics(numbers: &PartyNumbers, session: &Session, step_nanos: u64) -> String {
    let truth = |is_it: bool| f64::from(u8::from(is_it));
    let rows: [Metric<'_>; 10] = [
        ("begun", "gauge", "Whether the first cycle has begun", truth(numbers.has_begun)),
        ("paused", "gauge", "Whether the session is paused", truth(numbers.is_paused)),
        ("players", "gauge", "Machines that play a player", numbers.players as f64),
        ("observers", "gauge", "Machines that watch, this one included", numbers.observers as f64),
        ("joining", "gauge", "Machines that join", numbers.joining as f64),
        ("brush_cycle", "gauge", "The brush cycle of the world", session.world().cycle() as f64),
        ("safe_cycles_total", "counter", "Safe cycles applied", numbers.cycles as f64),
        ("step_seconds_total", "counter", "Time spent in steps", step_nanos as f64 / 1e9),
        ("desyncs_total", "counter", "Worlds that differed", numbers.desyncs as f64),
        ("datagrams_refused_total", "counter", "Datagrams refused", numbers.refused as f64),
    ];
    let mut out = String::new();
    for (name, kind, meaning, value) in rows {
        head(&mut out, name, kind, meaning);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "astrarium_{name} {value}");
    }
    type Of = fn(&astrarium::net::Quality) -> f64;
    let of_links: [(&str, &str, &str, Of); 6] = [
        ("link_round_trip_seconds", "gauge", "Round trip", |quality| quality.round_trip_us as f64 / 1e6),
        ("link_jitter_seconds", "gauge", "Change of the delay", |quality| quality.jitter_in_us as f64 / 1e6),
        ("link_loss_ratio", "gauge", "Recent loss", |quality| quality.loss_thousandths as f64 / 1e3),
        ("link_sent_bytes_total", "counter", "Bytes sent", |quality| quality.sent_bytes as f64),
        ("link_received_bytes_total", "counter", "Bytes received", |quality| quality.received_bytes as f64),
        ("link_lost_packets_total", "counter", "Packets lost", |quality| quality.lost as f64),
    ];
    for (name, kind, meaning, of) in of_links {
        head(&mut out, name, kind, meaning);
        for (machine, quality) in &numbers.links {
            let _ = writeln!(out, "astrarium_{name}{{machine=\"{machine}\"}} {}", of(quality));
        }
    }
    out
}

fn head(out: &mut String, name: &str, kind: &str, meaning: &str) {
    let _ = writeln!(out, "# HELP astrarium_{name} {meaning}\n# TYPE astrarium_{name} {kind}");
}

/// Lines for people, or objects for programs.
struct Log {
    is_json: bool,
    clock: Clock,
}

impl Log {
    fn lines(&mut self, session: &Session, kind: &str, lines: Vec<String>) {
        lines.iter().for_each(|line| self.line(session, kind, line));
    }

    fn line(&mut self, session: &Session, kind: &str, text: &str) {
        let seconds = self.clock.now() as f64 / 1e9;
        let cycle = session.world().cycle();
        // A closed stream does not stop the server.
        if self.is_json {
            let json = Json::new().value("seconds", format_args!("{seconds:.3}")).value("cycle", cycle);
            let _ = writeln!(io::stdout(), "{}", json.text("kind", kind).text("text", text).finish());
        } else {
            let _ = writeln!(io::stderr(), "{seconds:>10.3} {cycle:>8} {kind:<5} {text}");
        }
    }
}
