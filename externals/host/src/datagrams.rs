//! Datagrams over UDP, with time limits.
//!
//! Laws
//! 1. A call waits no longer than it is told.
//! 2. A datagram that cannot be sent now is lost, as it may be on its way anyway.
//! 3. Without sockets (wasm), opening is an error of the kind `Unsupported`.
//!
//! Never: authenticates the sender; that is the task of the [`gate`](crate::gate).

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use crate::limits::{DATAGRAM_BYTES_MAX, SOCKET_PATIENCE_MAX};
use crate::sockets::{SocketError, addresses_of};

/// A UDP socket.
#[derive(Debug)]
pub struct Datagrams {
    socket: UdpSocket,
    address: SocketAddr,
    buffer: Vec<u8>,
    is_blocking: bool,
}

impl Datagrams {
    /// Opens an address of this machine, as in `0.0.0.0:7321`; port 0 chooses a free port.
    pub fn open(address: &str) -> Result<Datagrams, SocketError> {
        let doing = "opening";
        let wanted = addresses_of(address, SOCKET_PATIENCE_MAX).map_err(SocketError::when(doing, address))?;
        let socket = UdpSocket::bind(&wanted[..]).map_err(SocketError::when(doing, address))?;
        socket.set_nonblocking(true).map_err(SocketError::when(doing, address))?;
        let address = socket.local_addr().map_err(SocketError::when(doing, address))?;
        Ok(Datagrams { socket, address, buffer: vec![0; DATAGRAM_BYTES_MAX], is_blocking: false })
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets it send to all machines of the local network at once.
    pub fn allow_broadcast(&self) -> Result<(), SocketError> {
        self.socket.set_broadcast(true).map_err(SocketError::when("allowing broadcast", self.address))
    }

    /// Sends a datagram, if the system takes it now.
    pub fn send(&self, to: SocketAddr, bytes: &[u8]) {
        // By law 2.
        let _ = self.socket.send_to(bytes, to);
    }

    /// The next datagram within this time; with zero time only one that is there already.
    pub fn receive(&mut self, patience: Duration) -> Result<Option<(SocketAddr, &[u8])>, SocketError> {
        let failed = SocketError::when("receiving", self.address);
        match self.try_receive(patience) {
            Ok((length, from)) => Ok(Some((from, &self.buffer[..length]))),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted
                // The other side's system says that nothing listens there, or, on Windows, that a datagram was longer than the buffer.
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionRefused => Ok(None),
                _ => Err(failed(error)),
            },
        }
    }

    fn try_receive(&mut self, patience: Duration) -> io::Result<(usize, SocketAddr)> {
        let is_blocking = !patience.is_zero();
        if is_blocking != self.is_blocking {
            self.socket.set_nonblocking(!is_blocking)?;
            self.is_blocking = is_blocking;
        }
        if is_blocking {
            self.socket.set_read_timeout(Some(patience.min(SOCKET_PATIENCE_MAX)))?;
        }
        self.socket.recv_from(&mut self.buffer)
    }
}

/// The first socket address of a name, as in `192.168.0.5:7321` or `games:7321`.
pub fn address_of(name: &str, patience: Duration) -> Result<SocketAddr, SocketError> {
    let found = addresses_of(name, patience).map_err(SocketError::when("resolving the name", name))?;
    found.first().copied().ok_or_else(|| {
        let none = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        SocketError::when("resolving the name", name)(none)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_arrives_and_silence_is_no_error() {
        if cfg!(target_family = "wasm") {
            return;
        }
        let mut one = Datagrams::open("127.0.0.1:0").expect("there is a free port");
        let mut other = Datagrams::open("127.0.0.1:0").expect("there is a free port");
        assert!(one.receive(Duration::ZERO).expect("it is open").is_none());
        assert!(one.receive(Duration::from_millis(5)).expect("it is open").is_none());
        other.send(one.address(), b"hello");
        let (from, bytes) = one.receive(Duration::from_secs(10)).expect("it is open").expect("it was sent");
        assert_eq!((from, bytes), (other.address(), &b"hello"[..]));
        // To where nothing listens: the answer of the system is no error.
        let gone = Datagrams::open("127.0.0.1:0").expect("there is a free port").address();
        other.send(gone, b"hello");
        assert!(other.receive(Duration::from_millis(20)).expect("it is open").is_none());
    }

    #[test]
    fn an_invalid_address_is_an_error() {
        for address in ["", "x", "127.0.0.1", "127.0.0.1:70000"] {
            assert!(Datagrams::open(address).is_err(), "{address}");
            assert!(address_of(address, Duration::from_secs(5)).is_err(), "{address}");
        }
    }
}
