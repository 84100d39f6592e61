//! Tags from another machine: a game that is fed while it runs, and the program that feeds it.
//!
//! Laws
//! 1. Only who knows the secret is fed or feeds; see [`shelf::feed`].
//! 2. Every version that came is kept beside the game, so that its saves and crash reports find it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use host::clock::Clock;
use host::files;
use shelf::feed::{Client, Fed, Secret, Server, new_secret};
use shelf::headers;
use shelf::kept::Kept;
use shelf::living::Living;
use shelf::load::LoadLimits;
use shelf::store::Store;
use tags::library::{Change, Ready};
use tags::{Key, Library};

use crate::content::{Arrivals, Content, Feed};
use crate::game::GameEntry;

/// The longest file with a secret.
const SECRET_BYTES_MAX: u64 = 4096;

/// How long a feeding program waits for a file to change before it looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// From now on, content is fed by the program at an address. What comes is kept in the folder `home`.
pub fn attach(content: Content, address: &str, secret: &Path, home: &Path) -> Result<Content, String> {
    let secret = read_secret(secret)?;
    let classes = Arc::clone(content.classes());
    let client = Client::begin(address, secret, Arc::clone(&classes), content.library());
    let paths: Vec<String> = content.library().tags().map(|ready| ready.path.as_str().to_string()).collect();
    let kept = Kept::new(home, classes, paths.iter().map(String::as_str));
    let remote = Remote { client, kept, home: home.to_path_buf() };
    remote.store(content.library().tags().cloned().collect());
    Ok(content.with_feed(Box::new(remote)))
}

/// Feeds games with a tree of tags, for so many seconds, or until it is ended.
pub fn feed(
    entry: &GameEntry,
    level: &str,
    root: &Path,
    (address, secret): (&str, &Path),
    seconds: Option<u64>,
) -> Result<(), String> {
    let secret = match files::read_at_most(secret, SECRET_BYTES_MAX) {
        Ok(_) => read_secret(secret)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_secret(secret)?,
        Err(error) => return Err(error.to_string()),
    };
    let mut classes = (entry.tags.classes)();
    let reports =
        headers::add_from_tree_over(&mut classes, root, entry.tags.texts).map_err(|error| error.to_string())?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let begun = Living::begin(root, Arc::new(classes), &roots, &LoadLimits::default());
    let (mut living, loaded) = begun.map_err(|error| error.to_string())?;
    reports.iter().chain(&loaded.reports).for_each(|report| eprintln!("{report}"));
    let server = Server::open(address, secret, &loaded).map_err(|error| error.to_string())?;
    println!("feeding {} tags of {} at {}", loaded.tags.len(), root.display(), server.address());
    let clock = Clock::new();
    while seconds.is_none_or(|seconds| clock.now() / 1_000_000_000 < seconds) {
        let news = living.wait(PATIENCE);
        server.offer(&news);
        // Whoever listened to this program may be gone; the games are not.
        let (mut out, mut errors) = (io::stdout(), io::stderr());
        for report in &news.reports {
            let _ = writeln!(errors, "{report}");
        }
        for ready in &news.ready {
            let _ = writeln!(out, "{} changed; games that are fed: {}", ready.path, server.fed());
        }
        for trouble in server.take_troubles() {
            let _ = writeln!(errors, "{trouble}");
        }
    }
    Ok(())
}

fn read_secret(path: &Path) -> Result<Secret, String> {
    let bytes = files::read_at_most(path, SECRET_BYTES_MAX).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: expected a text", path.display()))?;
    Secret::new(&text).map_err(|why| format!("{}: {why}", path.display()))
}

fn make_secret(path: &Path) -> Result<Secret, String> {
    let text = new_secret().map_err(|error| format!("no secret can be drawn on this machine: {error}"))?;
    files::write_private(path, &[text.as_bytes(), b"\n"]).map_err(|error| error.to_string())?;
    println!("a new secret is in {}; the other machine needs a copy of that file", path.display());
    Secret::new(&text)
}

struct Remote {
    client: Client,
    kept: Kept,
    home: PathBuf,
}

impl Remote {
    /// Keeps versions, without anybody waiting for the disk.
    fn store(&self, tags: Vec<Ready>) {
        let folder = self.home.join("store");
        let work = move || {
            let objects: Vec<(Key, &[u8])> = tags.iter().map(|ready| (ready.key, ready.packed.bytes())).collect();
            // That it cannot be written costs only later replays.
            let _ = Store::open(&folder).and_then(|mut store| store.put(&objects));
        };
        let _ = thread::Builder::new().name("keeper".into()).spawn(work);
    }
}

impl Feed for Remote {
    fn poll(&mut self) -> Arrivals {
        let Fed { bulk, ready, troubles } = self.client.poll();
        if !ready.is_empty() {
            self.store(ready.clone());
        }
        Arrivals { tags: ready, bulk, lines: troubles }
    }

    fn fetch(&mut self, change: Change) -> Option<Ready> {
        self.kept.fetch(change)
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        self.kept.content_of(identity)
    }

    fn keep(&mut self, library: &Library) {
        self.kept.keep(library);
    }
}
