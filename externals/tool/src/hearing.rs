//! The ear of a running game: requests of `tell`, over a socket of this machine.
//!
//! A game that is played in real time listens at a free port of this machine, and writes a file that only its owner can read, with the
//! address and a secret. The connection is that of the feed of tags: both sides prove that they know the secret first.
//!
//! Laws
//! 1. A request is carried out between two cycles. What it changes in the world is an input of the next safe cycle, so films and crash
//!    reports replay it; everything else only looks, or changes the pace.
//! 2. A caller that does not know the secret costs a thread for five seconds. If there are too many of them, the oldest makes room:
//!    other users of this machine cannot keep the owner out.
//! 3. A folder or port that cannot be used costs the ear, not the game.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use astrarium::paced::PaceClock;
use astrarium::runner::{Command, Commander, RunningPace, SPEED_MAX};
use astrarium::saves;
use astrarium::session::Session;
use astrarium::world::LEVEL;
use host::clock::Clock;
use host::exchange::{CommandReceiver, commands};
use host::files;
use host::interrupt;
use host::sockets::{Connection, Listener};
use relay::film::track::MARKERS;
use shelf::feed::channel::{Channel, ChannelError, Protocol};
use shelf::feed::strangers::Strangers;
use shelf::feed::{Secret, new_secret};
use shelf::limits::STRANGERS_MAX;

use crate::error::CommandError;
use crate::inspect;
use crate::json::Json;

/// What is spoken between `tell` and a running game.
pub const PROTOCOL: Protocol = Protocol(*b"ASTRTELL");

/// The folder of the files of running games, below `.astrarium`, and their ending.
pub const RUNNING: &str = "running";
/// See [`RUNNING`].
pub const ENDING: &str = "tell";

/// The longest request and the longest answer, in bytes.
pub const REQUEST_BYTES_MAX: usize = 64 << 10;

/// Callers at a time: those who know the secret, those who have not shown it yet, and those who were turned out and have not noticed.
const CALLERS_MAX: usize = 8 + 2 * STRANGERS_MAX;

/// How long the thread waits for a caller before it looks whether the game has ended.
const STEP: Duration = Duration::from_millis(50);

/// How long a request may wait for its turn between two cycles.
const TURN_PATIENCE: Duration = Duration::from_secs(30);

/// How long a world that is told to step may stand still before the request fails.
const STEP_PATIENCE: Duration = Duration::from_secs(5);

/// The most cycles of one `step`.
const STEPS_MAX: u32 = 100_000;

/// The most objects that one answer lists.
const OBJECTS_MAX: usize = 200;

/// The commands that may wait for a game without a window.
const COMMANDS_WAITING_MAX: usize = 64;

/// How long a paused game without a window sleeps before it looks for commands, in case it was not woken.
const PAUSE: Duration = Duration::from_millis(20);

/// The longest sleep of a paced game between two looks at the clock, in nanoseconds.
const NAP_NANOS: u64 = 20_000_000;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it was carried out.
    pub is_done: bool,
    /// For people: the answer, or why not.
    pub text: String,
    /// For programs; without the error.
    pub json: String,
}

impl Answer {
    fn done(text: String, json: Json) -> Answer {
        Answer { is_done: true, text, json: json.finish() }
    }

    fn not(text: impl Into<String>) -> Answer {
        let text = text.into();
        Answer { is_done: false, json: Json::new().text("error", &text).finish(), text }
    }

    /// As it is sent.
    fn write(&self) -> Vec<u8> {
        let mark = if self.is_done { "1" } else { "0" };
        let text = self.text.replace('\0', " ");
        [mark, &text, "\0", &self.json].concat().into_bytes()
    }

    /// As it was received.
    pub fn read(bytes: &[u8]) -> Option<Answer> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (text, json) = text.split_once('\0')?;
        let is_done = match text.get(..1)? {
            "1" => true,
            "0" => false,
            _ => return None,
        };
        Some(Answer { is_done, text: text[1..].to_string(), json: json.to_string() })
    }
}

/// A request as it is sent: its words.
pub fn write_request(words: &[String]) -> Vec<u8> {
    words.join("\0").into_bytes()
}

/// The ear of a running game, open until it is dropped.
#[derive(Debug)]
pub struct Hearing {
    file: PathBuf,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hearing {
    /// Listens for a game, and writes its file into a folder.
    pub fn begin(folder: &Path, name: &str, commander: Commander) -> Result<Hearing, CommandError> {
        files::make_folder(folder)?;
        forget_the_dead(folder);
        let listener = Listener::open("127.0.0.1:0").map_err(CommandError::Socket)?;
        let words = new_secret()?;
        let secret = Secret::new(&words).map_err(|error| CommandError::Failed(error.to_string()))?;
        let file = folder.join(format!("{name}-{}.{ENDING}", host::process::stamp()));
        let text = format!("{}\n{words}\n{name}\n", listener.address());
        files::write_private(&file, &[text.as_bytes()])?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let work = move || listen(&listener, &secret, &commander, &over);
        let thread = thread::Builder::new().name(String::from("hearing")).spawn(work)?;
        Ok(Hearing { file, is_over, thread: Some(thread) })
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The folder may have been deleted.
        let _ = files::remove(&self.file);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Removes the files of games that ended without doing it.
fn forget_the_dead(folder: &Path) {
    for path in files::list(folder, ENDING).unwrap_or_default() {
        let address = files::read_at_most(&path, 1 << 12).ok();
        let address = address.and_then(|bytes| Some(String::from_utf8(bytes).ok()?.lines().next()?.to_string()));
        let is_refused = address.is_none_or(|address| Connection::open(&address, STEP).is_err());
        if is_refused {
            // Another game may have removed it.
            let _ = files::remove(&path);
        }
    }
}

fn listen(listener: &Listener, secret: &Secret, commander: &Commander, is_over: &Arc<AtomicBool>) {
    let strangers: Arc<Mutex<Strangers>> = Arc::default();
    let mut callers: Vec<JoinHandle<()>> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let connection = match listener.accept(STEP) {
            Ok(Some(connection)) => connection,
            Ok(None) => continue,
            Err(_) => {
                thread::sleep(STEP);
                continue;
            }
        };
        callers.retain(|caller| !caller.is_finished());
        let Some(twin) = connection.twin().ok().filter(|_| callers.len() < CALLERS_MAX) else { continue };
        let (number, _) = locked(&strangers).admit(connection.peer(), twin);
        let (secret, commander, others) = (secret.clone(), commander.clone(), Arc::clone(&strangers));
        let work = move || {
            let line = Channel::answer(connection, PROTOCOL, &secret);
            locked(&others).leave(number);
            // A caller that goes away is no trouble of the game's.
            let _ = line.and_then(|line| hear(line, &commander));
        };
        match thread::Builder::new().name(String::from("hearing line")).spawn(work) {
            Ok(caller) => callers.push(caller),
            Err(_) => locked(&strangers).leave(number),
        }
    }
}

fn locked(strangers: &Mutex<Strangers>) -> MutexGuard<'_, Strangers> {
    strangers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One request of a caller that knows the secret.
fn hear(line: Channel, commander: &Commander) -> Result<(), ChannelError> {
    let mut line = line.with_messages_of(REQUEST_BYTES_MAX);
    let Some(request) = line.receive(STEP_PATIENCE)? else { return Ok(()) };
    let answer = match std::str::from_utf8(&request) {
        Ok(text) => carry_out(&text.split('\0').collect::<Vec<&str>>(), commander),
        Err(_) => Answer::not("the request is no text"),
    };
    line.send(&answer.write())
}

/// Carries a request out.
fn carry_out(words: &[&str], commander: &Commander) -> Answer {
    let number = |text: &str| text.parse::<u32>().ok();
    let paced = |command: Command| match commander.send(command) {
        Ok(()) => visit(commander, state_of),
        Err(error) => Answer::not(error.to_string()),
    };
    match *words {
        ["status"] => visit(commander, state_of),
        ["pause"] => paced(Command::Pause),
        ["resume"] => paced(Command::Resume),
        ["step", count] => match number(count).filter(|count| (1..=STEPS_MAX).contains(count)) {
            Some(count) => step(commander, count),
            None => Answer::not(format!("expected 1 to {STEPS_MAX} cycles, found {count}")),
        },
        ["speed", speed] => match number(speed).filter(|speed| (1..=SPEED_MAX).contains(speed)) {
            Some(speed) => paced(Command::Speed(speed)),
            None => Answer::not(format!("expected a speed of 1 to {SPEED_MAX} thousandths, found {speed}")),
        },
        ["mark", text] => paced(Command::Mark(text.to_string())),
        ["save", path] => {
            let path = PathBuf::from(path);
            visit(commander, move |session, _| match saves::write(session, &path) {
                Ok(header) => Answer::done(
                    format!("saved cycle {} to {}", header.cycle, path.display()),
                    Json::new().text("file", &path.to_string_lossy()).value("cycle", header.cycle),
                ),
                Err(error) => Answer::not(error.to_string()),
            })
        }
        ["evaluate", object, text] => {
            let (object, text) = (object.to_string(), text.to_string());
            visit(commander, move |session, _| evaluate(session, &object, &text))
        }
        ["set", object, variable, text] => {
            let [object, variable, text] = [object, variable, text].map(str::to_string);
            visit(commander, move |session, pace| set(session, pace, &object, &variable, &text))
        }
        ["show", object] => {
            let object = object.to_string();
            visit(commander, move |session, _| match inspect::described(session, &object, OBJECTS_MAX) {
                Ok((text, json)) => Answer::done(text, json),
                Err(error) => Answer::not(error.to_string()),
            })
        }
        ["stop"] => match commander.send(Command::Stop) {
            Ok(()) => Answer::done(String::from("it ends"), Json::new()),
            Err(error) => Answer::not(error.to_string()),
        },
        _ => Answer::not("the running game does not know this request; it is of another version"),
    }
}

/// Calls this between two cycles, and waits for its answer.
fn visit(commander: &Commander, look: impl FnOnce(&mut Session, &RunningPace) -> Answer + Send + 'static) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let visit = Command::Visit(Box::new(move |session, pace| {
        // Who asked may have gone.
        let _ = sender.send(look(session, pace));
    }));
    if let Err(error) = commander.send(visit) {
        return Answer::not(error.to_string());
    }
    match receiver.recv_timeout(TURN_PATIENCE) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Answer::not(format!("the game did not answer within {} seconds", TURN_PATIENCE.as_secs()))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Answer::not("the game has ended"),
    }
}

/// Steps a paused world, and answers when it has stepped.
fn step(commander: &Commander, count: u32) -> Answer {
    let cycle_of = || {
        let (sender, receiver) = mpsc::channel();
        let answer = visit(commander, move |session, pace| {
            // The receiver waits for it.
            let _ = sender.send(session.world().cycle());
            state_of(session, pace)
        });
        (receiver.try_recv().ok(), answer)
    };
    if let Err(error) = commander.send(Command::Pause) {
        return Answer::not(error.to_string());
    }
    let (Some(first), answer) = cycle_of() else { return Answer::not("the game has ended") };
    if !answer.is_done || commander.send(Command::Step(count)).is_err() {
        return Answer::not("the game has ended");
    }
    let (mut last, mut moved) = (first, Instant::now());
    loop {
        let (Some(now), answer) = cycle_of() else { return Answer::not("the game has ended") };
        if now >= first + u64::from(count) {
            return answer;
        }
        if now != last {
            (last, moved) = (now, Instant::now());
        } else if moved.elapsed() > STEP_PATIENCE {
            return Answer::not(format!("the world stands still at cycle {now}: is its level over?"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn state_of(session: &mut Session, pace: &RunningPace) -> Answer {
    let (hash, cycle) = (session.hash(), session.world().cycle());
    let (game, level) = (session.world().plan().name().to_string(), session.level().to_string());
    let speed = match pace.speed {
        _ if pace.is_paused => String::from("paused"),
        Some(speed) => format!("speed {speed}"),
        None => String::from("as fast as possible"),
    };
    let json = Json::new()
        .text("game", &game)
        .text("level", &level)
        .value("cycle", cycle)
        .hex("hash", hash)
        .value("is_paused", pace.is_paused)
        .value("speed", pace.speed.map_or_else(|| String::from("null"), |speed| speed.to_string()));
    Answer::done(format!("{game} {level}, cycle {cycle}, {speed}, hash {hash:016x}"), json)
}

/// The object that a person means; the level if none.
fn object_of(session: &Session, text: &str) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(session.game().extensions().rules.map_or(0, |_| LEVEL.raw()));
    }
    let found = inspect::resolve(session, text).map_err(|error| error.to_string())?;
    match found[..] {
        [object] => Ok(object),
        _ => Err(format!("`{text}` means {} objects; name one by its handle", found.len())),
    }
}

fn evaluate(session: &Session, object: &str, text: &str) -> Answer {
    let value = object_of(session, object)
        .and_then(|object| session.game().ask(session.world(), object, text).map_err(|error| error.to_string()));
    match value {
        Ok(value) => {
            let json = Json::new().value("cycle", session.world().cycle()).text("value", &value);
            Answer::done(value, json)
        }
        Err(why) => Answer::not(why),
    }
}

fn set(session: &mut Session, pace: &RunningPace, object: &str, variable: &str, text: &str) -> Answer {
    if pace.is_review {
        return Answer::not("a film is shown, whose past cannot be changed");
    }
    let event = object_of(session, object).and_then(|object| {
        session.game().set_event(session.world(), object, variable, text).map_err(|error| error.to_string())
    });
    match event {
        Ok(event) if session.content_mut().offer_event(event) => {
            let words = format!("{variable} is {text} from the next safe cycle on");
            Answer::done(words, Json::new().text("variable", variable))
        }
        Ok(_) => Answer::not("too many variables wait to be set"),
        Err(why) => Answer::not(why),
    }
}

/// The pace of a game without a window, as its loop and its clock know it.
#[derive(Debug)]
pub struct HeardPace {
    is_paused: Cell<bool>,
    /// The single steps that wait.
    steps: Cell<u32>,
    /// In thousandths; none if it runs as fast as possible.
    speed: Cell<Option<u32>>,
}

/// The loop's end of the ear, for a game without a window.
pub struct Heard {
    receiver: Option<CommandReceiver<Command>>,
    pace: Rc<HeardPace>,
    waited: Rc<Cell<u64>>,
    _hearing: Option<Hearing>,
}

impl Heard {
    /// Without an ear.
    pub fn nothing(speed: Option<u32>) -> Heard {
        let pace = HeardPace { is_paused: Cell::new(false), steps: Cell::new(0), speed: Cell::new(speed) };
        Heard { receiver: None, pace: Rc::new(pace), waited: Rc::default(), _hearing: None }
    }

    /// Listens for a game that this thread steps.
    pub fn begin(folder: &Path, name: &str, speed: Option<u32>, is_paused: bool) -> Result<Heard, CommandError> {
        let (sender, receiver) = commands(COMMANDS_WAITING_MAX);
        let hearing = Hearing::begin(folder, name, Commander::to_this_thread(sender))?;
        let heard = Heard::nothing(speed);
        heard.pace.is_paused.set(is_paused);
        Ok(Heard { receiver: Some(receiver), _hearing: Some(hearing), ..heard })
    }

    /// The clock of a paced run: it knows nothing of the time in which the world was paused.
    pub fn clock(&self) -> HeardClock {
        let base = self.pace.speed.get().unwrap_or(1000).max(1);
        let (pace, waited) = (Rc::clone(&self.pace), Rc::clone(&self.waited));
        HeardClock { clock: Clock::new(), pace, waited, base, shown: 0, last: 0, waited_before: 0 }
    }

    /// Carries out what was told, and waits while the world is paused. False if it is to end.
    pub fn listen(&mut self, session: &mut Session) -> bool {
        let Some(receiver) = &mut self.receiver else { return true };
        let clock = Clock::new();
        loop {
            while let Some(command) = receiver.take() {
                if !carry_out_here(command, session, &self.pace) {
                    return false;
                }
            }
            let steps = self.pace.steps.get();
            if !self.pace.is_paused.get() || steps > 0 {
                self.pace.steps.set(steps.saturating_sub(1));
                break;
            }
            if interrupt::is_asked() {
                break;
            }
            thread::park_timeout(PAUSE);
        }
        self.waited.set(self.waited.get() + clock.now());
        true
    }
}

/// A command for a game without a window. False if it is to end.
fn carry_out_here(command: Command, session: &mut Session, pace: &HeardPace) -> bool {
    match command {
        Command::Pause => {
            pace.is_paused.set(true);
            pace.steps.set(0);
        }
        Command::Resume => {
            pace.is_paused.set(false);
            pace.steps.set(0);
        }
        Command::Step(count) => {
            pace.is_paused.set(true);
            pace.steps.set(pace.steps.get().saturating_add(count));
        }
        // A game that runs as fast as possible has no speed.
        Command::Speed(speed) => pace.speed.set(pace.speed.get().map(|_| speed.clamp(1, SPEED_MAX))),
        Command::Mark(text) => {
            let cycle = session.world().cycle();
            if let Some(film) = session.film_mut() {
                film.lay(MARKERS, cycle, text.as_bytes());
            }
        }
        Command::Visit(visit) => {
            let now = RunningPace { is_paused: pace.is_paused.get(), speed: pace.speed.get(), is_review: false };
            visit(session, &now);
        }
        Command::Stop => return false,
        // Of a window alone.
        _ => {}
    }
    true
}

/// The machine's time as a paced run reads it: faster or slower when the speed is changed, and without pauses.
#[derive(Debug)]
pub struct HeardClock {
    clock: Clock,
    pace: Rc<HeardPace>,
    waited: Rc<Cell<u64>>,
    /// The speed that the run believes in.
    base: u32,
    /// The time that was shown last, …
    shown: u64,
    /// … the machine's time then, and the time waited until then.
    last: u64,
    waited_before: u64,
}

impl HeardClock {
    fn speed(&self) -> u64 {
        u64::from(self.pace.speed.get().unwrap_or(self.base).max(1))
    }
}

impl PaceClock for HeardClock {
    fn now(&mut self) -> u64 {
        let (now, waited) = (self.clock.now(), self.waited.get());
        let passed = now.saturating_sub(self.last).saturating_sub(waited - self.waited_before);
        let shown = u128::from(passed) * u128::from(self.speed()) / u128::from(self.base);
        self.shown += u64::try_from(shown).unwrap_or(u64::MAX / 4);
        (self.last, self.waited_before) = (now, waited);
        self.shown
    }

    fn sleep(&mut self, nanoseconds: u64) {
        let machine = u128::from(nanoseconds) * u128::from(self.base) / u128::from(self.speed());
        self.clock.sleep(u64::try_from(machine).unwrap_or(u64::MAX).min(NAP_NANOS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        for answer in [Answer::done(String::from("a\nb"), Json::new().value("n", 1)), Answer::not("no \0 such")] {
            let read = Answer::read(&answer.write()).expect("it is an answer");
            assert_eq!((read.is_done, &read.json), (answer.is_done, &answer.json));
        }
        for bytes in [&b""[..], b"1", b"2a\0{}", b"\xff\0", "ä\0".as_bytes()] {
            assert_eq!(Answer::read(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn the_clock_of_a_paced_run_follows_the_speed_and_leaves_pauses_out() {
        let heard = Heard::nothing(Some(1000));
        let mut clock = heard.clock();
        clock.now();
        heard.pace.speed.set(Some(100_000));
        thread::sleep(Duration::from_millis(20));
        let fast = clock.now();
        assert!(fast >= 2_000_000_000, "{fast}");
        thread::sleep(Duration::from_millis(20));
        heard.waited.set(1 << 40);
        assert_eq!(clock.now(), fast, "all of it was a pause");
    }
}
