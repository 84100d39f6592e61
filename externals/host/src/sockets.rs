//! TCP connections with time limits.
//!
//! Laws
//! 1. Every call has a deadline; exceeding it is an error of the kind `TimedOut`. The connection should then be
//!    dropped, because a part of the data may have been transferred.
//! 2. Reads never exceed the caller's buffer.
//! 3. A connection closed in the middle of a read is an error of the kind `UnexpectedEof`.
//! 4. Writes are sent at once (`TCP_NODELAY`).
//! 5. Without sockets (wasm), opening is an error of the kind `Unsupported`.
//!
//! Never: authenticates the peer. An address proves nothing.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::{ACCEPT_NAP, ADDRESSES_MAX, LOOKUPS_MAX, SOCKET_PATIENCE_MAX};

/// A failed socket operation: address, operation and cause.
#[derive(Debug)]
pub struct SocketError {
    address: String,
    doing: &'static str,
    cause: io::Error,
}

impl SocketError {
    pub(crate) fn when(doing: &'static str, address: impl fmt::Display) -> impl FnOnce(io::Error) -> SocketError {
        move |cause| {
            // Systems differ in the kind of a timeout.
            let cause = match cause.kind() {
                io::ErrorKind::WouldBlock => io::Error::new(io::ErrorKind::TimedOut, "timed out"),
                _ => cause,
            };
            SocketError { address: address.to_string(), doing, cause }
        }
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.cause.kind()
    }
}

impl fmt::Display for SocketError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} failed: {}", self.address, self.doing, self.cause)
    }
}

impl Error for SocketError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

/// A listening socket.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens at an address of this machine, as in `127.0.0.1:7000`; port 0 chooses a free port.
    pub fn open(address: &str) -> Result<Listener, SocketError> {
        let doing = "listening";
        let wanted =
            numbers(address, Deadline::after(SOCKET_PATIENCE_MAX)).map_err(SocketError::when(doing, address))?;
        let socket = TcpListener::bind(&wanted[..]).map_err(SocketError::when(doing, address))?;
        socket.set_nonblocking(true).map_err(SocketError::when(doing, address))?;
        let address = socket.local_addr().map_err(SocketError::when(doing, address))?;
        Ok(Listener { socket, address })
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection within this time; with zero time only one already pending. `None` if there is none.
    pub fn accept(&self, patience: Duration) -> Result<Option<Connection>, SocketError> {
        let deadline = Deadline::after(patience);
        loop {
            match self.socket.accept() {
                Ok((socket, peer)) => match Connection::of(socket, peer) {
                    Ok(connection) => return Ok(Some(connection)),
                    // A connection closed again does not count.
                    Err(_) if deadline.left().is_some() => {}
                    Err(_) => return Ok(None),
                },
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::Interrupted
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::ConnectionReset => match deadline.left() {
                        Some(left) => thread::sleep(left.min(ACCEPT_NAP)),
                        None => return Ok(None),
                    },
                    _ => return Err(SocketError::when("accepting a connection", self.address)(error)),
                },
            }
        }
    }
}

/// A connection to another machine.
#[derive(Debug)]
pub struct Connection {
    socket: TcpStream,
    peer: SocketAddr,
}

impl Connection {
    /// Connects to an address, as in `192.168.0.5:7000` or `artist:7000`, within this time.
    pub fn open(address: &str, patience: Duration) -> Result<Connection, SocketError> {
        let doing = "connecting";
        let deadline = Deadline::after(patience);
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for number in numbers(address, deadline).map_err(SocketError::when(doing, address))? {
            let called = deadline.or_late().and_then(|left| TcpStream::connect_timeout(&number, left));
            match called.and_then(|socket| Connection::of(socket, number)) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = error,
            }
        }
        Err(SocketError::when(doing, address)(last))
    }

    fn of(socket: TcpStream, peer: SocketAddr) -> io::Result<Connection> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        Ok(Connection { socket, peer })
    }

    /// The address of the peer.
    #[must_use]
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// A second handle of the same connection, so that one thread can read while another writes.
    pub fn twin(&self) -> Result<Connection, SocketError> {
        let socket = self.socket.try_clone().map_err(SocketError::when("sharing the connection", self.peer))?;
        Ok(Connection { socket, peer: self.peer })
    }

    /// Reads exactly `bytes.len()` bytes within this time.
    pub fn read_exactly(&mut self, bytes: &mut [u8], patience: Duration) -> Result<(), SocketError> {
        self.fill(bytes, Deadline::after(patience)).map_err(SocketError::when("reading", self.peer))
    }

    fn fill(&mut self, bytes: &mut [u8], deadline: Deadline) -> io::Result<()> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.read_once(&mut bytes[filled..], deadline)? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer closed the connection")),
                read => filled += read,
            }
        }
        Ok(())
    }

    /// Reads the available bytes and returns their number: at least one, or zero at the end of the stream.
    pub fn read_some(&mut self, bytes: &mut [u8], patience: Duration) -> Result<usize, SocketError> {
        self.read_once(bytes, Deadline::after(patience)).map_err(SocketError::when("reading", self.peer))
    }

    fn read_once(&mut self, bytes: &mut [u8], deadline: Deadline) -> io::Result<usize> {
        loop {
            self.socket.set_read_timeout(Some(deadline.or_late()?))?;
            match self.socket.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// Sends all bytes within this time, which a peer that does not read exceeds.
    pub fn write_all(&mut self, bytes: &[u8], patience: Duration) -> Result<(), SocketError> {
        self.send(bytes, Deadline::after(patience)).map_err(SocketError::when("writing", self.peer))
    }

    fn send(&mut self, mut bytes: &[u8], deadline: Deadline) -> io::Result<()> {
        while !bytes.is_empty() {
            self.socket.set_write_timeout(Some(deadline.or_late()?))?;
            match self.socket.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Shuts the connection down for both sides and all handles.
    pub fn close(&self) {
        // An error means that the peer is gone already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// The end of a time limit.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    end: Instant,
}

impl Deadline {
    fn after(patience: Duration) -> Deadline {
        Deadline { end: Instant::now() + patience.min(SOCKET_PATIENCE_MAX) }
    }

    /// The time left; never zero, which means "forever" to sockets.
    fn left(self) -> Option<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    fn or_late(self) -> io::Result<Duration> {
        self.left().ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "timed out"))
    }
}

/// The socket addresses of a name, within this time: at least one.
pub(crate) fn addresses_of(address: &str, patience: Duration) -> io::Result<Vec<SocketAddr>> {
    numbers(address, Deadline::after(patience))
}

/// The socket addresses of a name: at least one.
fn numbers(address: &str, deadline: Deadline) -> io::Result<Vec<SocketAddr>> {
    if cfg!(target_family = "wasm") {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "this machine has no sockets"));
    }
    if let Ok(number) = address.parse() {
        return Ok(vec![number]);
    }
    let answer = ask_for_numbers(address)?;
    let numbers = answer
        .recv_timeout(deadline.or_late()?)
        .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "resolving the name timed out"))??;
    if numbers.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
    }
    Ok(numbers)
}

/// Resolves a name in a thread, because the system call has no time limit.
fn ask_for_numbers(address: &str) -> io::Result<mpsc::Receiver<io::Result<Vec<SocketAddr>>>> {
    static OPEN: AtomicUsize = AtomicUsize::new(0);
    if OPEN.fetch_add(1, Ordering::Relaxed) >= LOOKUPS_MAX {
        OPEN.fetch_sub(1, Ordering::Relaxed);
        return Err(io::Error::other("too many name lookups are in progress"));
    }
    let (sender, answer) = mpsc::channel();
    let address = address.to_string();
    let ask = move || {
        let numbers = address.to_socket_addrs().map(|numbers| numbers.take(ADDRESSES_MAX).collect());
        OPEN.fetch_sub(1, Ordering::Relaxed);
        // The caller may have stopped waiting.
        let _ = sender.send(numbers);
    };
    match thread::Builder::new().name("names".into()).spawn(ask) {
        Ok(_) => Ok(answer),
        Err(error) => {
            OPEN.fetch_sub(1, Ordering::Relaxed);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(20);

    fn pair() -> (Connection, Connection) {
        let listener = Listener::open("127.0.0.1:0").expect("there is a free port");
        let caller = Connection::open(&listener.address().to_string(), PATIENCE).expect("it listens");
        let called = listener.accept(PATIENCE).expect("it listens").expect("a caller has connected");
        (caller, called)
    }

    #[test]
    fn written_bytes_arrive() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let (mut caller, mut called) = pair();
        caller.write_all(b"hello", PATIENCE).expect("it is open");
        let mut bytes = [0; 5];
        called.read_exactly(&mut bytes, PATIENCE).expect("it was sent");
        assert_eq!(&bytes, b"hello");
        called.write_all(b"ab", PATIENCE).expect("it is open");
        assert!(caller.read_some(&mut bytes, PATIENCE).is_ok_and(|read| read == 1 || read == 2));
    }

    #[test]
    fn a_peer_that_sends_nothing_times_out() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let (mut caller, mut called) = pair();
        let error = caller.read_exactly(&mut [0; 5], SHORT).expect_err("nothing was sent");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        called.write_all(b"abc", PATIENCE).expect("it is open");
        let error = caller.read_exactly(&mut [0; 5], SHORT).expect_err("too little was sent");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(called);
        let error = caller.read_exactly(&mut [0; 5], PATIENCE).expect_err("the peer is gone");
        assert!(error.to_string().contains("reading failed"), "{error}");
        assert_ne!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_peer_that_reads_nothing_times_out() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let (mut caller, called) = pair();
        let much = vec![7; 1 << 24];
        // The socket buffers take some of it.
        let mut result = Ok(());
        for _ in 0..64 {
            result = caller.write_all(&much, SHORT);
            if result.is_err() {
                break;
            }
        }
        assert_eq!(result.expect_err("the peer does not read").kind(), io::ErrorKind::TimedOut);
        drop(called);
    }

    #[test]
    fn no_pending_connection_is_no_error_and_no_listener_is_one() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let listener = Listener::open("127.0.0.1:0").expect("there is a free port");
        assert!(listener.accept(Duration::ZERO).expect("it listens").is_none());
        assert!(listener.accept(SHORT).expect("it listens").is_none());
        let error = Listener::open(&listener.address().to_string()).expect_err("the port is in use");
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        // Another process may get the port as soon as it is free: then another one is tried.
        let refused = |listener: Listener| {
            let address = listener.address().to_string();
            drop(listener);
            let error = Connection::open(&address, PATIENCE).err()?;
            Some((address, error.to_string()))
        };
        let open = || Listener::open("127.0.0.1:0").expect("there is a free port");
        let (address, error) = (0..20).find_map(|_| refused(open())).expect("one of the ports has no listener");
        assert!(error.contains(&address), "{error}");
    }

    #[test]
    fn an_invalid_address_is_an_error() {
        for address in ["", "x", "127.0.0.1", "127.0.0.1:70000", ":::::", "a b:1"] {
            assert!(Connection::open(address, PATIENCE).is_err(), "{address}");
            assert!(Listener::open(address).is_err(), "{address}");
        }
    }

    #[test]
    fn closing_ends_a_wait_in_another_thread() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let (mut caller, _called) = pair();
        let twin = caller.twin().expect("it is open");
        let reader = thread::spawn(move || caller.read_exactly(&mut [0; 1], PATIENCE));
        twin.close();
        assert!(reader.join().expect("it does not panic").is_err());
    }
}
