//! `play` in a window, and in a browser without one.

use std::io::{self, Write};
use std::path::Path;
#[cfg(all(feature = "window", not(target_family = "wasm")))]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use astrarium::content::FOLDER;
use astrarium::film::{Moment, Player};
use astrarium::game::GameEntry;
use astrarium::presenter::Viewpoint;
use astrarium::runner::{Command, Commander, Ended, Runner, RunnerOptions, Stage};
use astrarium::session::Session;
#[cfg(all(feature = "window", not(target_family = "wasm")))]
use host::clock::Clock;
use host::files;
use host::interrupt;
use host::thread_pool::ThreadPool;
use host::web_server::WebServer;

use crate::error::CommandError;
use crate::hearing::{Hearing, RUNNING};
use crate::json::Json;
#[cfg(all(feature = "window", not(target_family = "wasm")))]
use crate::line_limiter::LineLimiter;
use crate::play::{Begun, BlackBoxFile, GOOD_ORDER, Play, end_film, report_trouble};
use crate::recording;
#[cfg(all(feature = "window", not(target_family = "wasm")))]
use crate::renderers;
use crate::showing::Showing;
use crate::situation::Repeating;
use crate::web;
use crate::web_pictures::WebPictures;

/// The subfolders for pictures and saves, and the file of the player's settings.
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const PICTURES: &str = "pictures";
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const SAVES: &str = "saves";
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const SETTINGS: &str = "player.settings";
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const SETTINGS_ENDING: &str = "settings";
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const SETTINGS_BYTES_MAX: u64 = 1 << 20;
/// The player's file of mappings of gamepads, and its greatest size.
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const GAMEPADS: &str = "gamepads.txt";
#[cfg(all(feature = "window", not(target_family = "wasm")))]
const GAMEPADS_BYTES_MAX: u64 = 4 << 20;

/// How long a shown world runs before the program looks whether it has ended, or has been asked to end.
const PATIENCE: Duration = Duration::from_millis(100);

impl Play {
    /// Runs without a window and writes pictures, a video or a sound file.
    pub fn record(&self, entry: &GameEntry, showing: &Showing) -> Result<(), CommandError> {
        let pool = self.pool();
        let Begun { mut session, .. } = self.begin(entry, &pool)?;
        let locals: Vec<u16> = (0..showing.locals.min(session.players())).collect();
        let recorded = recording::record(&mut session, showing, viewpoint_of(showing, locals), self.cycles, &pool)?;
        recorded.reports.iter().for_each(|report| say(report));
        if self.is_json {
            let json = Json::new()
                .text("game", entry.name)
                .text("level", session.level())
                .value("cycle", session.world().cycle())
                .hex("hash", session.hash())
                .value("pictures", recorded.pictures)
                .texts("files", recorded.files.iter().map(|path| path.to_string_lossy().into_owned()));
            println!("{}", json.finish());
        } else {
            recorded.files.iter().for_each(|path| println!("{}", path.display()));
        }
        Ok(())
    }

    /// Plays in a window, or in a browser alone, until it is closed or the world ends.
    pub fn run_shown(&self, entry: &GameEntry, showing: &Showing) -> Result<(), CommandError> {
        let pool = self.pool();
        let Begun { mut session, parent, repeating: situation } = self.begin(entry, &pool)?;
        let black_box = self.begin_black_box(entry, &mut session)?;
        self.begin_film(entry, &mut session, parent)?;
        let level = session.level().to_string();
        let locals: Vec<u16> = (0..showing.locals.min(session.players())).collect();
        let has_inputs = situation.as_ref().is_some_and(Repeating::has_inputs);
        let options = RunnerOptions {
            is_developer: true,
            speed: self.speed.unwrap_or(1000),
            is_paused: showing.is_paused,
            locals: if has_inputs { Vec::new() } else { locals.clone() },
            ..RunnerOptions::default()
        };
        let runner = Runner::begin(Stage::live(session), pool, options)?;
        if let Some(situation) = situation {
            let driven = runner.send(Command::Drive(Box::new(situation)));
            driven.map_err(|error| CommandError::Failed(error.to_string()))?;
        }
        let _hearing = self.hear_shown(entry, &runner);
        let viewpoint = viewpoint_of(showing, locals);
        let title = format!("{} · {level}", entry.name);
        let ended = show(runner, entry, showing, &title, viewpoint)?;
        let Ended { session, panic, .. } = ended;
        let Some(mut session) = session else {
            return Err(CommandError::Failed(panic.unwrap_or_else(|| String::from("the world has ended"))));
        };
        if let Some(message) = panic {
            return Err(report_trouble(entry, &mut session, &message, black_box.as_deref()));
        }
        self.end_shown(&mut session, black_box.as_deref())
    }

    /// The ear for `tell`. A game that cannot have one is played all the same.
    fn hear_shown(&self, entry: &GameEntry, runner: &Runner) -> Option<Hearing> {
        let commander = runner.commander().filter(|_| self.is_told)?;
        let begun = Hearing::begin(&Path::new(FOLDER).join(RUNNING), entry.name, commander);
        begun.map_err(|error| say(&format!("`tell` cannot reach this game: {error}"))).ok()
    }

    fn end_shown(&self, session: &mut Session, black_box: Option<&Path>) -> Result<(), CommandError> {
        if let Some(path) = &self.save {
            astrarium::saves::write(session, path)?;
        }
        session.write_last_words(GOOD_ORDER);
        let film = end_film(session, GOOD_ORDER);
        if let (BlackBoxFile::In(_), Some(path)) = (&self.black_box, black_box) {
            // It may have been deleted already.
            files::remove(path).or_else(|error| if path.exists() { Err(error) } else { Ok(()) })?;
        }
        println!("cycle {}, hash {:016x}, chain {:016x}", session.world().cycle(), session.hash(), session.chain());
        self.check_film(film)
    }
}

/// Shows a film in a window. A world that branches off is recorded in a new film.
pub fn show_film(
    player: Player,
    moment: Moment,
    pool: ThreadPool,
    speed: u32,
    showing: &Showing,
) -> Result<(), CommandError> {
    let entry = *player.entry();
    let title = player.film().path().display().to_string();
    let name = format!("{}-{}.film", entry.name, host::process::stamp());
    let branch = Path::new(FOLDER).join("films").join(name);
    let stage = Stage::film(player, moment, Some(branch), &pool)?;
    let options = RunnerOptions { is_developer: true, speed, is_paused: showing.is_paused, ..RunnerOptions::default() };
    let runner = Runner::begin(stage, pool, options)?;
    let ended = show(runner, &entry, showing, &title, viewpoint_of(showing, vec![0]))?;
    if let Some(mut session) = ended.session {
        session.write_last_words(GOOD_ORDER);
        end_film(&mut session, GOOD_ORDER);
    }
    match ended.panic {
        Some(message) => Err(CommandError::Failed(message)),
        None => Ok(()),
    }
}

/// Where pictures are taken from.
pub fn viewpoint_of(showing: &Showing, players: Vec<u16>) -> Viewpoint {
    match (showing.eye, showing.look_at) {
        (Some(eye), at) => Viewpoint::Fixed { eye, at: at.unwrap_or_default() },
        _ if players.is_empty() => Viewpoint::Overview,
        _ => Viewpoint::Players(players),
    }
}

/// Shows a running world: in a browser if wanted, and in a window if there can be one.
pub fn show(
    runner: Runner,
    entry: &GameEntry,
    showing: &Showing,
    title: &str,
    viewpoint: Viewpoint,
) -> Result<Ended, CommandError> {
    let _server = serve(&runner, entry, showing, &viewpoint)?;
    let _ending = runner.commander().and_then(EndWhenAsked::begin);
    let shown = match showing.is_windowless {
        true => Err(Box::new(runner)),
        false => open_window(runner, entry.name, showing, title, viewpoint)?,
    };
    match shown {
        Ok(ended) => Ok(*ended),
        Err(runner) if showing.web.is_some() => {
            while runner.is_running() {
                thread::sleep(PATIENCE);
            }
            Ok(runner.finish())
        }
        Err(runner) => Ok(runner.finish()),
    }
}

/// A thread that ends a shown world in good order when the program is asked to end: by Ctrl-C or SIGTERM.
struct EndWhenAsked {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EndWhenAsked {
    /// None if the machine has no more threads: then such a signal ends the program at once.
    fn begin(commander: Commander) -> Option<EndWhenAsked> {
        let is_over = Arc::new(AtomicBool::new(false));
        let has_ended = Arc::clone(&is_over);
        let work = move || {
            while !has_ended.load(Ordering::Relaxed) {
                if interrupt::is_asked() && commander.send(Command::Stop).is_ok() {
                    return;
                }
                thread::park_timeout(PATIENCE);
            }
        };
        let thread = thread::Builder::new().name(String::from("ending")).spawn(work).ok()?;
        interrupt::watch();
        Some(EndWhenAsked { is_over, thread: Some(thread) })
    }
}

impl Drop for EndWhenAsked {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It only waits and sends: it does not panic.
            let _ = thread.join();
        }
    }
}

/// What became of a window: it was closed and the world has ended, or there is none and the world runs on.
type Shown = Result<Box<Ended>, Box<Runner>>;

#[cfg(all(feature = "window", not(target_family = "wasm")))]
fn open_window(
    runner: Runner,
    game: &str,
    showing: &Showing,
    title: &str,
    viewpoint: Viewpoint,
) -> Result<Shown, CommandError> {
    use astrarium::presentation::{self, PresentationError, RendererWish, WindowOptions};

    use crate::showing::RendererChoice;

    let settings = PlayerSettings::in_folder(Path::new(FOLDER), game);
    let read = PlayerSettings::in_folder(Path::new(FOLDER), game);
    let (mut limiter, clock) = (LineLimiter::new(showing.is_log_whole), Clock::new());
    let options = WindowOptions {
        title: title.to_string(),
        size: showing.size,
        is_fullscreen: showing.is_fullscreen,
        renderer: match showing.renderer {
            RendererChoice::Auto => RendererWish::Auto,
            RendererChoice::Software => RendererWish::Software,
            RendererChoice::Gpu => RendererWish::Gpu,
        },
        gpu: renderers::gpu_options(showing),
        viewpoint,
        screenshots: Path::new(FOLDER).join(PICTURES),
        saves: Path::new(FOLDER).join(SAVES),
        read_settings: Box::new(move || read.read()),
        read_gamepads: Box::new(read_gamepads),
        keep_settings: Box::new(move |text| {
            // A folder that cannot be written costs the settings, not the game.
            if let Err(error) = settings.keep(text) {
                say(&error.to_string());
            }
        }),
        is_silent: false,
    };
    let mut tell = |line: &str| {
        limiter.sort_out(clock.now(), vec![line.to_string()]).iter().for_each(|line| say(line));
    };
    match presentation::show(runner, &options, Some(Box::new(panels::Panels::new())), &mut tell) {
        Ok(ended) => Ok(Ok(Box::new(ended))),
        Err((error @ PresentationError::Window(_), runner)) if showing.web.is_some() => {
            say(&error.to_string());
            Ok(Err(runner))
        }
        Err((error, _)) => Err(CommandError::Failed(error.to_string())),
    }
}

#[cfg(not(all(feature = "window", not(target_family = "wasm"))))]
fn open_window(runner: Runner, _: &str, _: &Showing, _: &str, _: Viewpoint) -> Result<Shown, CommandError> {
    Ok(Err(Box::new(runner)))
}

/// Whether a window can be expected: the program can open one, and there is a display.
pub fn can_open_window() -> bool {
    #[cfg(all(feature = "window", not(target_family = "wasm")))]
    return astrarium::presentation::has_display();
    #[cfg(not(all(feature = "window", not(target_family = "wasm"))))]
    return false;
}

fn serve(
    runner: &Runner,
    entry: &GameEntry,
    showing: &Showing,
    viewpoint: &Viewpoint,
) -> Result<Option<WebServer>, CommandError> {
    let Some(address) = &showing.web else { return Ok(None) };
    let levels = entry.levels.iter().map(ToString::to_string).collect();
    let pictures = WebPictures::new(viewpoint.clone());
    let (extractor, view) = web::web(levels, Box::new(pictures));
    let server = web::serve(view, address).map_err(CommandError::Socket)?;
    let connected = runner.connect(extractor);
    connected.map_err(|error| CommandError::Failed(error.to_string()))?;
    say(&format!("the world is shown at http://{}/", server.address()));
    Ok(Some(server))
}

/// Where the player's settings of a game are kept. What is said about picture, sound and access counts for all games of a folder, until
/// a game has settings of its own; keys are those of one game.
#[cfg(all(feature = "window", not(target_family = "wasm")))]
struct PlayerSettings {
    /// Of this game.
    own: PathBuf,
    /// Of the game that was played last, without its keys.
    common: PathBuf,
}

#[cfg(all(feature = "window", not(target_family = "wasm")))]
impl PlayerSettings {
    fn in_folder(folder: &Path, game: &str) -> PlayerSettings {
        let own = folder.join(game).with_added_extension(SETTINGS_ENDING);
        PlayerSettings { own, common: folder.join(SETTINGS) }
    }

    /// The text of the settings; empty if there are none yet.
    fn read(&self) -> String {
        let text_of = |path: &Path| {
            let bytes = files::read_at_most(path, SETTINGS_BYTES_MAX).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let common = || text_of(&self.common).map(|text| without_keys(&text));
        text_of(&self.own).or_else(common).unwrap_or_default()
    }

    fn keep(&self, text: &str) -> Result<(), files::FileError> {
        if let Some(folder) = self.own.parent() {
            files::make_folder(folder)?;
        }
        files::write_atomically(&self.own, &[text.as_bytes()])?;
        files::write_atomically(&self.common, &[without_keys(text).as_bytes()])
    }
}

/// The player's mappings of odd gamepads and joysticks; empty if there is no such file.
#[cfg(all(feature = "window", not(target_family = "wasm")))]
fn read_gamepads() -> String {
    let bytes = files::read_at_most(&Path::new(FOLDER).join(GAMEPADS), GAMEPADS_BYTES_MAX).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Settings without the keys, which are actions of one game.
#[cfg(all(feature = "window", not(target_family = "wasm")))]
fn without_keys(text: &str) -> String {
    let (mut settings, _) = gui::Settings::from_text(text);
    settings.keys.clear();
    settings.add_ons.clear();
    settings.to_text()
}

/// A line on standard error; a closed one does not stop the game.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(all(test, feature = "window", not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_one_game_are_not_those_of_another_and_the_volume_is() {
        let folder = testing::Folder::new();
        let place = folder.join("fresh");
        let (racer, bastion) =
            (PlayerSettings::in_folder(&place, "racer"), PlayerSettings::in_folder(&place, "bastion"));
        assert_eq!(racer.read(), "");
        let mut settings = gui::Settings::default();
        settings.set("music", &gui::Answer::Number(0.25)).expect("it is a setting");
        settings.keys = vec![(String::from("drive"), vec![String::from("w")])];
        racer.keep(&settings.to_text()).expect("the folder is made");
        let read = |of: &PlayerSettings| gui::Settings::from_text(&of.read()).0;
        assert_eq!((read(&racer).number("music"), read(&racer).keys.len()), (0.25, 1));
        assert_eq!((read(&bastion).number("music"), read(&bastion).keys.len()), (0.25, 0));
    }
}
