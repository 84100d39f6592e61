//! A small HTTP server for pages about a running game: GET only, one answer per connection, and feeds of events.
//!
//! Laws
//! 1. It listens on this machine only, unless told otherwise.
//! 2. Every request is bounded in size and time, and so is the number of connections. Any bytes get an answer or a closed
//!    connection, never a panic.
//! 3. A request that names another host than this one is refused: a page of another site could otherwise read ours by letting
//!    its name point here (DNS rebinding). So is one that a page of another origin makes.
//! 4. A handler runs on the thread of its connection. One that panics is an answer with the status 500.
//!
//! Never: serves files by their path; changes anything; authenticates.

mod feed;
mod request;

mod response;

use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use feed::WebFeed;
pub use request::{WebRefusal, WebRequest};
pub use response::{WebBody, WebResponse};

use crate::limits::{WEB_ACCEPT, WEB_CONNECTIONS_MAX, WEB_HEAD_BYTES_MAX, WEB_REQUEST_PATIENCE, WEB_WRITE_PATIENCE};
use crate::sockets::{Connection, Listener, SocketError};
use request::AllowedHosts;

/// What answers requests.
pub type WebHandler = dyn Fn(&WebRequest) -> WebResponse + Send + Sync;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSettings {
    /// The address, as in `127.0.0.1:8080`; port 0 chooses a free port.
    pub address: String,
    /// The names by which other machines may ask for it, if it listens for them; numeric addresses always work.
    pub host_names: Vec<String>,
}

impl Default for WebSettings {
    fn default() -> WebSettings {
        WebSettings { address: "127.0.0.1:0".to_owned(), host_names: Vec::new() }
    }
}

/// A running server. It ends when this is dropped.
#[derive(Debug)]
pub struct WebServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct ServerState {
    is_over: AtomicBool,
    connections: AtomicUsize,
}

impl WebServer {
    /// Starts a server.
    pub fn start(settings: &WebSettings, handler: Arc<WebHandler>) -> Result<WebServer, SocketError> {
        let listener = Listener::open(&settings.address)?;
        let address = listener.address();
        let shared = Arc::new(ServerState::default());
        let hosts = Arc::new(AllowedHosts { is_local: address.ip().is_loopback(), names: settings.host_names.clone() });
        let server = Arc::clone(&shared);
        let listen = move || accept_all(&listener, &server, &hosts, &handler);
        let thread = thread::Builder::new().name("web".into()).spawn(listen);
        let thread = thread.map_err(|error| SocketError::when("starting a thread", address)(error))?;
        Ok(WebServer { address, shared, thread: Some(thread) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has no state that a panic could have left half changed.
            let _ = thread.join();
        }
    }
}

fn accept_all(listener: &Listener, shared: &Arc<ServerState>, hosts: &Arc<AllowedHosts>, handler: &Arc<WebHandler>) {
    while !shared.is_over.load(Ordering::Relaxed) {
        match listener.accept(WEB_ACCEPT) {
            Ok(None) => {}
            Ok(Some(connection)) => serve_beside(connection, shared, hosts, handler),
            // The system is out of something; other connections end meanwhile.
            Err(_) => thread::sleep(WEB_ACCEPT),
        }
    }
}

/// Serves a connection on a thread of its own, if there is room.
fn serve_beside(
    mut connection: Connection,
    shared: &Arc<ServerState>,
    hosts: &Arc<AllowedHosts>,
    handler: &Arc<WebHandler>,
) {
    if shared.connections.fetch_add(1, Ordering::AcqRel) >= WEB_CONNECTIONS_MAX {
        shared.connections.fetch_sub(1, Ordering::AcqRel);
        // Short enough for the buffer of the system: does not wait.
        let _ = connection.write_all(&WebResponse::refusal(WebRefusal::Busy).head(), WEB_ACCEPT);
        return connection.close();
    }
    let (turn, hosts, handler) = (Turn(Arc::clone(shared)), Arc::clone(hosts), Arc::clone(handler));
    let serve = move || {
        // Errors mean that the client is gone.
        let _ = serve(&mut connection, &turn.0, &hosts, &*handler);
        connection.close();
    };
    // Without a thread the connection and its turn are dropped.
    let _ = thread::Builder::new().name("web connection".into()).spawn(serve);
}

/// One of the connections; given back when it ends, however it ends.
struct Turn(Arc<ServerState>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

fn serve(
    connection: &mut Connection,
    shared: &ServerState,
    hosts: &AllowedHosts,
    handler: &WebHandler,
) -> Result<(), SocketError> {
    let answer = match read_request(connection, hosts)? {
        Ok(request) => panic::catch_unwind(AssertUnwindSafe(|| handler(&request)))
            .unwrap_or_else(|_| WebResponse::refusal(WebRefusal::Failed)),
        Err(refusal) => WebResponse::refusal(refusal),
    };
    connection.write_all(&answer.head(), WEB_WRITE_PATIENCE)?;
    match answer.body {
        WebBody::Bytes(bytes) => connection.write_all(&bytes, WEB_WRITE_PATIENCE),
        WebBody::Feed(feed, seen) => {
            feed.follow(seen, &shared.is_over, &mut |bytes| connection.write_all(bytes, WEB_WRITE_PATIENCE))
        }
    }
}

/// Reads a request to the end of its head. The outer error means that the connection is gone.
fn read_request(
    connection: &mut Connection,
    hosts: &AllowedHosts,
) -> Result<Result<WebRequest, WebRefusal>, SocketError> {
    let end = Instant::now() + WEB_REQUEST_PATIENCE;
    let mut head = Vec::new();
    let mut some = [0; 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let read = connection.read_some(&mut some, left)?;
        head.extend_from_slice(&some[..read]);
        // The end may lie across two reads.
        let from = head.len().saturating_sub(read + 3);
        if head[from..].windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(request::parse(&head, hosts));
        }
        if head.len() > WEB_HEAD_BYTES_MAX {
            return Ok(Err(WebRefusal::TooLarge));
        }
        if read == 0 {
            return Ok(Err(WebRefusal::Malformed));
        }
    }
}

#[cfg(test)]
mod tests;
