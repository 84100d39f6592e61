//! `host` and `join`: one world, played by several machines, in a window or without one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use astrarium::base::random::Draw;
use astrarium::content::FOLDER;
use astrarium::game::GameEntry;
use astrarium::net::letter::Offer;
use astrarium::net::simulation::Profile;
use astrarium::party::{PROFILES, Party, PartyOptions, Visitor};
use astrarium::presenter::Viewpoint;
use astrarium::runner::{Runner, RunnerOptions, Stage};
use astrarium::session::{Session, Start};
use astrarium::{objects, saves};
use clap::{Arg, ArgMatches, Command, value_parser};
use host::clock::Clock;
use host::interrupt;
use host::own_key::OwnKey;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use state::Settings;

use crate::access::{address_of, listening_of, password_of};
use crate::arguments::{flag, json, number, path, word};
use crate::error::CommandError;
use crate::finding;
use crate::inputs::Script;
use crate::json::Json;
use crate::line_limiter::LineLimiter;
use crate::meeting;
use crate::mods;
use crate::party_console;
use crate::play::{FilmFile, GOOD_ORDER, Play, end_film, print_lines};
use crate::showing::{self, Showing};
use crate::window_play;

/// The usual port.
pub const PORT: &str = "7322";

/// How long a world without a window waits for a datagram when no cycle is due.
const PATIENCE: Duration = Duration::from_millis(1);

/// The brush cycles between two looks at the network.
const STEPS_MAX: u32 = 25;

/// Where the robot of this machine's player has its random draws.
const OWN_ROBOT: u32 = u32::MAX - 1;

/// For how many safe cycles `--differ-at` withholds the first player's events.
const DIFFERING_CYCLES: u64 = 40;

/// The `host` command.
pub fn host_command(game: Arg, level: Arg, players: Arg) -> Command {
    let command = Command::new("host")
        .about("Plays a game together with other machines, which `join`")
        .arg(game)
        .arg(level)
        .arg(mods::arg())
        .arg(players.help("The players of the world; robots play those that no machine plays"))
        .arg(number("machines", "Wait for this many machines before the first cycle, this one included", "1"))
        .arg(flag("hidden", "Do not answer machines that look for sessions on the local network"))
        .args(relay_arguments())
        .arg(flag("lobby", "Begin only when all players are ready, this one included, or when `begin` is typed"))
        .arg(number("port", "The UDP port; 0 chooses a free one", PORT))
        .arg(word("listen", "ADDRESS", "The address of this machine to listen at").default_value("0.0.0.0"))
        .arg(number("seed", "The seed of all random draws; a save has its own", "1"))
        .arg(path("load", "Continue from this save"));
    with_common(command)
}

/// The `join` command.
pub fn join_command() -> Command {
    let command = Command::new("join")
        .about("Plays the game of a `host` on another machine, from its beginning or in the middle")
        .arg(Arg::new("ADDRESS").help("The host, as in 192.168.0.5, or with its port: games:7322; or an invitation, as in relay:7323/abcd-efgh-ijkm-npqr; without it, lists the sessions of the local network"))
        .arg(
            Arg::new("GAME")
                .help("The game; the default is the one that the host plays, if it is part of this program"),
        )
        .arg(
            Arg::new("player")
                .long("player")
                .value_name("N")
                .value_parser(value_parser!(u8).range(0..14))
                .help("The player to play, if it is free; otherwise the first that is"),
        )
        .arg(word("relay-password", "TEXT", "The password of the relay that the invitation names, if it has one"))
        .arg(flag("only-relay", "With an invitation: talk to nobody but the relay, so that the others do not see this machine's address"))
        .arg(word("ask", "ADDRESS", "Without an address: ask there too, as at the broadcast address of another network"))
        .arg(mods::arg());
    with_common(command)
}

fn with_common(command: Command) -> Command {
    showing::shared_window_arguments(showing::view_arguments(command))
        .arg(
            word("password", "TEXT", "The password of the session; a host without one draws it")
                .conflicts_with("password-file"),
        )
        .arg(path("password-file", "The file with the password: other users of this machine can read the command line"))
        .arg(word("name", "TEXT", "Your name, for the others"))
        .arg(flag("not-ready", "Be ready for the first cycle only when `ready` is typed"))
        .arg(flag(
            "console",
            "Take lines from standard input: ready, say TEXT, pause, resume, who, leave and more; see `help`",
        ))
        .arg(flag("observe", "Watch: this machine plays no player"))
        .arg(flag("headless", "Run without a window; a robot on this machine plays its player"))
        .arg(number("cycles", "Without a window: play until this brush cycle of the world (steps of 10 ms)", "1000"))
        .arg(path("inputs", "Without a window: the inputs of this machine's player, instead of a robot's"))
        .arg(number("workers", "The number of workers, including the calling thread", "1"))
        .arg(
            word("net-profile", "NAME", "Imitate a bad connection: delay, loss and bottleneck")
                .value_parser(PROFILES.map(|profile| profile.name)),
        )
        .arg(
            Arg::new("differ-at")
                .long("differ-at")
                .value_name("CYCLE")
                .value_parser(value_parser!(u64))
                .help("Without a window: let this machine's world differ from this cycle on, to try what happens then"),
        )
        .arg(path("save", "Write a save to this file at the end"))
        .arg(path("record", "Record the film in this file; the default is a new one in .astrarium/films"))
        .arg(flag("no-film", "Record no film").conflicts_with("record"))
        .arg(json())
}

/// The arguments of a host that is reached through a relay.
pub fn relay_arguments() -> [Arg; 2] {
    let relay = "Let machines behind routers join through this `relay`; prints an invitation for them";
    [word("relay", "ADDRESS", relay), word("relay-password", "TEXT", "The password of the relay, if it has one")]
}

/// Plays a game as the host.
pub fn host(matches: &ArgMatches, entry: &GameEntry, level: &str, players: Option<u16>) -> Result<(), CommandError> {
    let together = Together::of(matches, true)?;
    let mut session = begin(matches, entry, level, players)?;
    print_lines(session.content_mut().take_lines());
    let party = Party::host(&session, &together.options).map_err(failed)?;
    let machines = together.options.machines;
    say(&format!("hosts {} {level} at {}", entry.name, party.address()));
    if let Some(place) = &together.options.meeting {
        say(&format!("the invitation is {}", meeting::invitation(place)));
    }
    if together.is_drawn {
        say(&format!("the password is {}", together.options.password));
    }
    if machines > 1 {
        say(&format!("waits for {machines} machines"));
    }
    together.play(entry, session, party)
}

/// The world of a host: a new one, or that of a save.
pub fn begin(
    matches: &ArgMatches,
    entry: &GameEntry,
    level: &str,
    players: Option<u16>,
) -> Result<Session, CommandError> {
    let content = entry.content(level)?;
    let listed = objects::players_of(content.library(), level).map(|listed| listed.max(1));
    let seed = *matches.get_one::<u64>("seed").unwrap_or(&1);
    let players = players.or(listed).unwrap_or(2);
    let start = Start { level: level.to_string(), seed, players, settings: Settings::default() };
    let mut session = Session::begin(entry, content, &start, &Pages)?;
    if let Some(path) = matches.get_one::<PathBuf>("load") {
        saves::load(&mut session, path)?;
    }
    Ok(session)
}

/// Joins a host.
pub fn join(
    matches: &ArgMatches,
    games: &[GameEntry],
    open: &dyn Fn(&str) -> Result<GameEntry, CommandError>,
) -> Result<(), CommandError> {
    if !matches.contains_id("ADDRESS") {
        return finding::list(matches, games, open);
    }
    let mut together = Together::of(matches, false)?;
    let named = matches.get_one::<String>("GAME").map(|name| open(name)).transpose()?;
    let place = matches.get_one::<String>("ADDRESS").map_or("", String::as_str);
    together.options.meeting = meeting::place_of(place, matches)?;
    let address = match together.options.meeting {
        Some(_) => None,
        None => Some(address_of(place, PORT)?),
    };
    let visitor = Visitor::call(address, &together.options).map_err(failed)?;
    let way = if visitor.is_relayed() { "through the relay" } else { "directly" };
    let offer = visitor.offer().clone();
    let begun = begin_offered(&offer, named, games, open);
    let (entry, session) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            visitor.decline("it does not have this game");
            return Err(error);
        }
    };
    let party = visitor.enter(&session).map_err(failed)?;
    let role = if u16::from(offer.machine) < offer.players { "player" } else { "observer" };
    say(&format!("joins {} {} at {place} as {role} {}, {way}", entry.name, offer.level, offer.machine));
    together.play(&entry, session, party)
}

/// The game that a host plays, and a session of it whose world will be the host's.
fn begin_offered(
    offer: &Offer,
    named: Option<GameEntry>,
    games: &[GameEntry],
    open: &dyn Fn(&str) -> Result<GameEntry, CommandError>,
) -> Result<(GameEntry, Session), CommandError> {
    let game = &offer.game;
    let entry = match named {
        Some(entry) => entry,
        None if games.iter().any(|entry| entry.name == game) => open(game)?,
        None => {
            let message = format!(
                "the host plays \"{game}\", which is not part of this program: name the folder of the game behind the address"
            );
            return Err(CommandError::Usage(message));
        }
    };
    if entry.name != game {
        let message = format!("the host plays \"{game}\", not \"{}\"", entry.name);
        return Err(CommandError::Failed(message));
    }
    let content = entry.content(&offer.level)?;
    let (level, settings) = (offer.level.clone(), Settings::default());
    let start = Start { level, seed: offer.seed, players: offer.players, settings };
    let mut session = Session::begin(&entry, content, &start, &Pages)?;
    print_lines(session.content_mut().take_lines());
    Ok((entry, session))
}

/// The options of both commands.
struct Together {
    options: PartyOptions,
    /// Held as long as this machine plays.
    _key: Option<OwnKey>,
    is_drawn: bool,
    is_headless: bool,
    is_json: bool,
    has_console: bool,
    cycles: u64,
    inputs: Option<PathBuf>,
    differ_at: Option<u64>,
    save: Option<PathBuf>,
    film: FilmFile,
    showing: Showing,
    workers: u32,
}

impl Together {
    fn of(matches: &ArgMatches, is_host: bool) -> Result<Together, CommandError> {
        let (password, is_drawn) = password_of(matches, is_host)?;
        let showing = Showing::of(matches)?;
        let is_shown = showing.web.is_some() || window_play::can_open_window();
        let is_headless = matches.get_flag("headless") && showing.web.is_none() || !is_shown;
        if is_headless && !matches.get_flag("headless") {
            say("there is no display, so the game runs without a window; `--headless` says that this is wanted");
        }
        let workers = *matches.get_one::<u64>("workers").unwrap_or(&1);
        if !(1..=256).contains(&workers) {
            return Err(CommandError::Usage(format!("--workers: expected 1 to 256, found {workers}")));
        }
        let machines = machines_of(matches)?;
        let profile = matches.get_one::<String>("net-profile").and_then(|name| Profile::named(name));
        let key = own_key();
        let options = PartyOptions {
            address: listening_of(matches)?,
            password,
            key: key.as_ref().map(OwnKey::secret),
            profile,
            is_observer: matches.get_flag("observe"),
            machines,
            folder: Path::new(FOLDER).join("desyncs"),
            name: matches.get_one::<String>("name").cloned().unwrap_or_default(),
            player: matches.try_get_one::<u8>("player").ok().flatten().copied(),
            is_ready: !matches.get_flag("not-ready"),
            meeting: meeting::place_of_host(matches)?,
            is_found: is_host && !matches.get_flag("hidden"),
            has_lobby: matches.try_get_one::<bool>("lobby").ok().flatten().copied().unwrap_or(false),
        };
        Ok(Together {
            options,
            _key: key,
            is_drawn,
            is_headless,
            is_json: matches.get_flag("json"),
            has_console: matches.get_flag("console"),
            cycles: *matches.get_one::<u64>("cycles").unwrap_or(&1000),
            inputs: matches.get_one::<PathBuf>("inputs").cloned(),
            differ_at: matches.get_one::<u64>("differ-at").copied(),
            save: matches.get_one::<PathBuf>("save").cloned(),
            film: match matches.get_one::<PathBuf>("record") {
                Some(path) => FilmFile::At(path.clone()),
                None if matches.get_flag("no-film") => FilmFile::None,
                None => FilmFile::In(Path::new(FOLDER).join("films")),
            },
            showing: Showing { is_windowless: matches.get_flag("headless"), is_paused: false, ..showing },
            workers: workers as u32,
        })
    }

    fn play(self, entry: &GameEntry, mut session: Session, mut party: Party) -> Result<(), CommandError> {
        if self.has_console {
            party.listen_to(party_console::wishes()?);
        }
        // The film holds all that a crash report would.
        let play = Play { film: self.film.clone(), save: self.save.clone(), ..Play::default() };
        play.begin_film(entry, &mut session, None)?;
        match self.is_headless {
            true => self.play_headless(entry, session, party),
            false => self.play_shown(entry, session, party),
        }
    }

    fn play_headless(self, entry: &GameEntry, mut session: Session, mut party: Party) -> Result<(), CommandError> {
        let script = self.inputs.as_deref().map(|path| Script::read(path, &session)).transpose()?;
        interrupt::watch();
        let pool = ThreadPool::new(self.workers);
        let mut told = LogPrinter { limiter: LineLimiter::new(self.showing.is_log_whole), clock: Clock::new() };
        let mut patience = Duration::ZERO;
        let is_at_end = |session: &Session| session.world().cycle() >= self.cycles || session.last_ending().is_some();
        while !is_at_end(&session) && party.end().is_none() && !interrupt::is_asked() {
            let turned = party.turn(&mut session, patience);
            told.lines(party.take_lines());
            turned.map_err(failed)?;
            patience = PATIENCE;
            for _ in 0..STEPS_MAX {
                if is_at_end(&session) || !self.may_step(&mut session, &mut party) {
                    break;
                }
                patience = Duration::ZERO;
                session.step(&pool);
                party.after_step(&mut session);
                act(&session, &mut party, script.as_ref());
                let mut lines = session.content_mut().take_lines();
                lines.extend(session.game().troubles());
                lines.extend(session.take_refusals());
                told.lines(lines);
            }
        }
        let is_whole = is_at_end(&session);
        if is_whole {
            party.finish(&mut session);
        } else {
            party.leave(&mut session, "it was asked to stop");
        }
        told.lines(party.take_lines());
        told.rest();
        self.end(entry, &mut session, Some(&party), is_whole)
    }

    /// Whether the next brush cycle is due; `--differ-at` withholds what the first player does.
    fn may_step(&self, session: &mut Session, party: &mut Party) -> bool {
        let cycle = session.world().cycle();
        let span = DIFFERING_CYCLES * u64::from(session.lengths().brushes_per_safe);
        if self.differ_at.is_some_and(|from| (from..from.saturating_add(span)).contains(&cycle)) {
            // What was delivered first counts; the events of the session are refused then.
            let _ = session.deliver(0, session.next_safe_cycle(), &[]);
        }
        party.may_step(session)
    }

    fn play_shown(self, entry: &GameEntry, session: Session, party: Party) -> Result<(), CommandError> {
        let locals: Vec<u16> = party.player().into_iter().collect();
        let title = format!("{} · {}", entry.name, session.level());
        let viewpoint = if locals.is_empty() {
            Viewpoint::Overview
        } else {
            window_play::viewpoint_of(&self.showing, locals.clone())
        };
        let options = RunnerOptions { is_developer: false, locals, ..RunnerOptions::default() };
        let runner = Runner::begin_together(Stage::live(session), ThreadPool::new(self.workers), options, party)?;
        let ended = window_play::show(runner, entry, &self.showing, &title, viewpoint)?;
        let Some(mut session) = ended.session else {
            return Err(CommandError::Failed(ended.panic.unwrap_or_else(|| String::from("the world has ended"))));
        };
        if let Some(message) = ended.panic {
            return Err(crate::play::report_trouble(entry, &mut session, &message, None));
        }
        self.end(entry, &mut session, None, true)
    }

    fn end(
        &self,
        entry: &GameEntry,
        session: &mut Session,
        party: Option<&Party>,
        is_whole: bool,
    ) -> Result<(), CommandError> {
        if let Some(path) = &self.save {
            saves::write(session, path)?;
        }
        end_film(session, GOOD_ORDER);
        let (cycle, hash, chain) = (session.world().cycle(), session.hash(), session.chain());
        if self.is_json {
            let json = Json::new()
                .text("game", entry.name)
                .text("level", session.level())
                .value("cycle", cycle)
                .hex("hash", hash)
                .hex("chain", chain);
            let json = match party {
                Some(party) => json
                    .value("is_host", party.is_host())
                    .value("player", party.player().map_or_else(|| String::from("null"), |player| player.to_string()))
                    .value("desyncs", party.desyncs()),
                None => json,
            };
            println!("{}", json.finish());
        } else {
            println!("cycle {cycle}, hash {hash:016x}, chain {chain:016x}");
        }
        match party.and_then(Party::end) {
            Some(end) if !is_whole && !end.is_orderly => {
                Err(CommandError::Failed(format!("it ended at cycle {cycle}: {}", end.why)))
            }
            _ => Ok(()),
        }
    }
}

/// The key by which the others know this machine again. A folder that cannot be written costs that, not the game.
pub fn own_key() -> Option<OwnKey> {
    OwnKey::take(Path::new(FOLDER))
        .inspect_err(|error| say(&format!("the others will not know this machine again: {error}")))
        .ok()
}

/// The machines that are waited for.
pub fn machines_of(matches: &ArgMatches) -> Result<usize, CommandError> {
    match matches.try_get_one::<u64>("machines").ok().flatten().copied().unwrap_or(1) {
        machines @ 1..=15 => Ok(machines as usize),
        machines => Err(CommandError::Usage(format!("--machines: expected 1 to 15, found {machines}"))),
    }
}

/// Prints the lines of the log, without those that repeat too often.
struct LogPrinter {
    limiter: LineLimiter,
    clock: Clock,
}

impl LogPrinter {
    fn lines(&mut self, lines: Vec<String>) {
        if !lines.is_empty() {
            print_lines(self.limiter.sort_out(self.clock.now(), lines));
        }
    }

    fn rest(&mut self) {
        print_lines(self.limiter.rest());
    }
}

/// At the end of a safe cycle, this machine's player acts: as a file says, or as a robot would.
fn act(session: &Session, party: &mut Party, script: Option<&Script>) {
    let Some(player) = party.player() else { return };
    if !session.lengths().is_safe(session.world().cycle()) || !party.is_playing() {
        return;
    }
    let safe_cycle = session.next_safe_cycle();
    match script {
        Some(script) => script.events(safe_cycle, player).iter().for_each(|event| party.add_event(*event)),
        None => {
            let mut random = Draw::new(session.world().time().seed, safe_cycle, OWN_ROBOT, u32::from(player));
            let mut events = Vec::new();
            session.game().play_robot(&mut random, &mut events);
            events.into_iter().for_each(|event| party.add_event(event));
        }
    }
}

pub fn failed(error: astrarium::party::PartyError) -> CommandError {
    CommandError::Failed(error.to_string())
}

/// A line on standard error; a closed one does not stop the game.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
