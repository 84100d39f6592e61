//! The web extractor: a running world as read-only JSON, and a page that shows it in a browser.
//!
//! | path | what it gives |
//! |---|---|
//! | `/` | the page |
//! | `/status.json` | game, level, time, film, messages, costs |
//! | `/objects.json` | the objects: handle, tag, team, position |
//! | `/objects/HANDLE.json` | the variables of an object |
//! | `/levels.json` | the levels of the game |
//! | `/film.json` | the time line of the film: its first and last cycle, the cycle that is shown, the marks |
//! | `/picture.png` | the world as the first player sees it |
//!
//! Laws
//! 1. Nothing here changes a world.
//! 2. The world does not wait for a browser: a question is answered in the next synchronous window, or with the last answer.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use astrarium::extractor::Extractor;
use astrarium::game::ObjectRow;
use astrarium::publication::Publication;
use astrarium::session::Session;
use astrarium::status::Status;

use host::sockets::SocketError;
use host::web_server::{WebResponse, WebServer, WebSettings};

use crate::json::Json;

/// The page.
const PAGE: &str = include_str!("web/page.html");

/// The most objects in one answer.
const OBJECTS_MAX: usize = 2000;

/// The messages in the status.
const LINES_MAX: usize = 40;

/// How long a question waits for a synchronous window.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A source of the picture that is shown to a browser, as PNG; none if there is none yet.
pub trait PictureSource: Send {
    /// Makes the picture of a publication.
    fn picture(&mut self, publication: &Publication) -> Option<Vec<u8>>;
}

/// What a browser asks of a world, and what the world answered.
#[derive(Default)]
struct Board {
    /// The newest publication.
    publication: Option<Arc<Publication>>,
    /// The objects asked for: all of them, or the variables of one.
    wanted: Option<u32>,
    objects: Vec<ObjectRow>,
    variables: (u32, Vec<(String, String)>),
    /// Counts the answers.
    answers: u64,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    board: Mutex<Board>,
    answered: Condvar,
}

/// The side of the web server.
pub struct WebView {
    shared: Arc<Shared>,
    levels: Vec<String>,
    pictures: Mutex<Box<dyn PictureSource>>,
}

/// The side of the world.
pub struct WebExtractor {
    shared: Arc<Shared>,
}

/// The two sides of a web extractor.
pub fn web(levels: Vec<String>, pictures: Box<dyn PictureSource>) -> (WebExtractor, WebView) {
    let shared = Arc::new(Shared::default());
    (WebExtractor { shared: Arc::clone(&shared) }, WebView { shared, levels, pictures: Mutex::new(pictures) })
}

impl Extractor for WebExtractor {
    fn publish(&mut self, publication: &Arc<Publication>, session: &Session) -> bool {
        // Law 2: if a browser's thread holds the board, the next window will do.
        let Ok(mut board) = self.shared.board.try_lock() else { return true };
        board.publication = Some(Arc::clone(publication));
        if let Some(object) = board.wanted.take() {
            if object == 0 {
                board.objects = session.game().objects(session.world(), OBJECTS_MAX);
            } else {
                let variables = session.game().variables(session.world(), object);
                board.variables = (object, variables.into_iter().map(|it| (it.name, it.value)).collect());
            }
            board.answers += 1;
            drop(board);
            self.shared.answered.notify_all();
        }
        true
    }
}

impl Drop for WebExtractor {
    fn drop(&mut self) {
        lock(&self.shared.board).is_over = true;
        self.shared.answered.notify_all();
    }
}

/// Serves a web view until the server is dropped. The address is as in `127.0.0.1:8080`.
pub fn serve(view: WebView, address: &str) -> Result<WebServer, SocketError> {
    let settings = WebSettings { address: address.to_string(), ..WebSettings::default() };
    WebServer::start(&settings, Arc::new(move |request| view.respond(&request.path)))
}

impl WebView {
    /// Answers a request for a path, with or without a query.
    pub fn respond(&self, path: &str) -> WebResponse {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        match path {
            "/" | "/index.html" => WebResponse::bytes("text/html; charset=utf-8", PAGE),
            "/status.json" => self.of_status(json_of_status),
            "/film.json" => self.of_status(json_of_film),
            "/levels.json" => json(Json::new().texts("levels", &self.levels)),
            "/objects.json" => {
                let board = self.ask(0);
                json(Json::new().list("objects", board.objects.iter().map(json_of_object)))
            }
            "/picture.png" => self.picture(),
            _ => match object_in(path) {
                Some(object) => self.object(object),
                None => WebResponse::not_found(),
            },
        }
    }

    fn of_status(&self, show: impl FnOnce(&Status) -> Json) -> WebResponse {
        let publication = lock(&self.shared.board).publication.clone();
        match publication {
            Some(publication) => json(show(&publication.status)),
            None => WebResponse::not_found(),
        }
    }

    fn object(&self, object: u32) -> WebResponse {
        let board = self.ask(object);
        let (of, variables) = &board.variables;
        let found: &[(String, String)] = if *of == object { variables } else { &[] };
        let rows = found.iter().map(|(name, value)| Json::new().text("name", name).text("value", value));
        json(Json::new().text("object", &format!("{object:08x}")).list("variables", rows))
    }

    fn picture(&self) -> WebResponse {
        let publication = lock(&self.shared.board).publication.clone();
        let Some(publication) = publication else { return WebResponse::not_found() };
        match lock(&self.pictures).picture(&publication) {
            Some(body) => WebResponse::bytes("image/png", body),
            None => WebResponse::not_found(),
        }
    }

    /// Asks in the next synchronous window, and waits for it.
    fn ask(&self, object: u32) -> MutexGuard<'_, Board> {
        let mut board = lock(&self.shared.board);
        board.wanted = Some(object);
        let before = board.answers;
        let is_waiting = |board: &mut Board| board.answers == before && !board.is_over;
        let waited = self.shared.answered.wait_timeout_while(board, PATIENCE, is_waiting);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The object of a path `/objects/HANDLE.json`; none if it is not one.
fn object_in(path: &str) -> Option<u32> {
    let handle = path.strip_prefix("/objects/")?.strip_suffix(".json")?;
    u32::from_str_radix(handle, 16).ok().filter(|object| *object != 0)
}

fn json_of_status(status: &Status) -> Json {
    let lines = status.lines.iter().rev().take(LINES_MAX).rev();
    let lines = lines.map(|line| Json::new().value("cycle", line.cycle).text("text", &line.text));
    let film = status.film.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    Json::new()
        .text("game", &status.game)
        .text("level", &status.level)
        .value("cycle", status.cycle)
        .value("seconds", status.seconds)
        .value("speed", status.speed)
        .value("is_paused", status.is_paused)
        .value("is_review", status.is_review)
        .hex("hash", status.hash)
        .text("film", &film)
        .value("take", status.take)
        .value("first", status.span.0)
        .value("last", status.span.1)
        .list("marks", marks_of(status))
        .value("players", status.players)
        .value("step_nanoseconds", status.costs.step_nanos)
        .value("publish_nanoseconds", status.costs.publish_nanos)
        .list("lines", lines)
}

fn json_of_film(status: &Status) -> Json {
    Json::new()
        .value("take", status.take)
        .value("first", status.span.0)
        .value("last", status.span.1)
        .value("cycle", status.cycle)
        .list("marks", marks_of(status))
}

fn marks_of(status: &Status) -> Vec<Json> {
    status.marks.iter().map(|(cycle, text)| Json::new().value("cycle", cycle).text("text", text)).collect()
}

fn json_of_object(row: &ObjectRow) -> Json {
    let [x, y, z] = row.position.to_array().map(|number| if number.is_finite() { number } else { 0.0 });
    Json::new()
        .text("object", &format!("{:08x}", row.object))
        .text("tag", &row.tag)
        .value("team", row.team)
        .value("position", format_args!("[{x}, {y}, {z}]"))
}

fn json(json: Json) -> WebResponse {
    WebResponse::bytes("application/json", json.finish())
}

/// No code panics while holding a lock, so the data behind a poisoned one is intact.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
