//! Tags from another machine: attaches a feed to a game, and reads or draws the secret that both sides need.
//!
//! Laws
//! 1. Both sides must know the secret; see [`shelf::feed`].
//! 2. Every version received is stored beside the game, so that its saves and crash reports find it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use host::files;
use shelf::feed::{Client, Fed, Secret, new_secret};
use shelf::history::History;
use shelf::store::Store;
use tags::Key;
use tags::library::Ready;

use crate::content::{Arrivals, Content, Feed};
use crate::error::Error;

/// The maximum size of a file with a secret.
pub const SECRET_BYTES_MAX: u64 = 4096;

/// Feeds content from the program at an address. Received versions are stored in the folder `home`.
pub fn attach(content: Content, address: &str, secret: &Path, home: &Path) -> Result<Content, Error> {
    let secret = read_secret(secret)?;
    let classes = Arc::clone(content.classes());
    let containers = Arc::clone(content.blocks().containers());
    let client = Client::begin(address, secret, Arc::clone(&classes), content.library(), containers);
    let paths: Vec<String> = content.library().tags().map(|ready| ready.path.as_str().to_string()).collect();
    let history = History::new(home, classes, paths.iter().map(String::as_str));
    let remote = Remote { client, history, home: home.to_path_buf() };
    remote.store(content.library().tags().cloned().collect());
    Ok(content.with_feed(Box::new(remote)))
}

/// The secret in a file.
pub fn read_secret(path: &Path) -> Result<Secret, Error> {
    let bytes = files::read_at_most(path, SECRET_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::SecretNotText.in_file(path))?;
    Secret::new(&text).map_err(|why| Error::Secret(why).in_file(path))
}

/// Draws a secret and writes it into a new file that only its owner can read.
pub fn make_secret(path: &Path) -> Result<Secret, Error> {
    let text = new_secret().map_err(Error::NoRandomBytes)?;
    files::write_private(path, &[text.as_bytes(), b"\n"])?;
    Secret::new(&text).map_err(Error::Secret)
}

struct Remote {
    client: Client,
    history: History,
    home: PathBuf,
}

impl Remote {
    /// Stores versions in the background.
    fn store(&self, tags: Vec<Ready>) {
        let folder = self.home.join("store");
        let work = move || {
            let objects: Vec<(Key, &[u8])> = tags.iter().map(|ready| (ready.key, ready.packed.bytes())).collect();
            // A failed write costs only later replays.
            let _ = Store::open(&folder).and_then(|mut store| store.put(&objects));
        };
        let _ = thread::Builder::new().name("keeper".into()).spawn(work);
    }
}

impl Feed for Remote {
    fn poll(&mut self) -> Arrivals {
        let Fed { bulk, containers, ready, mut troubles } = self.client.poll();
        troubles.extend(self.history.take_troubles());
        if !ready.is_empty() {
            self.store(ready.clone());
        }
        Arrivals { tags: ready, bulk, has_new_blocks: !containers.is_empty(), lines: troubles }
    }

    fn history(&mut self) -> Option<&mut History> {
        Some(&mut self.history)
    }
}
