//! Why a machine cannot take part.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use host::gate::CallError;
use host::sockets::SocketError;
use net::limits::PLAYERS_MAX;

use crate::error::Error;

/// Why a machine cannot take part, or not any more.
#[derive(Debug)]
pub enum PartyError {
    /// There is no socket.
    Socket(SocketError),
    /// The machine has no source of random bytes.
    NoChance(io::Error),
    /// The host was not reached.
    NotReached {
        /// Its address.
        address: SocketAddr,
        /// Why.
        why: CallError,
    },
    /// The host refused.
    Refused {
        /// The reason it gave.
        why: String,
    },
    /// This machine has another game than the host.
    Differs {
        /// What differs, a line each.
        lines: Vec<String>,
    },
    /// The world that the host sent cannot be used.
    BadWorld {
        /// Why.
        why: String,
    },
    /// The host was silent for too long.
    Silent,
    /// It is over for this machine.
    Over {
        /// Why.
        why: String,
    },
    /// The players are more than a session can have.
    TooManyPlayers {
        /// The players of the world.
        players: u16,
    },
    /// The front door refused.
    Engine(Error),
}

impl fmt::Display for PartyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartyError::Socket(error) => error.fmt(out),
            PartyError::NoChance(error) => write!(out, "this machine has no random bytes: {error}"),
            PartyError::NotReached { address, why } => write!(out, "{address}: no connection: {why}"),
            PartyError::Refused { why } => write!(out, "the host refuses: {why}"),
            PartyError::Differs { lines } => {
                out.write_str("this machine has another game than the host:")?;
                lines.iter().try_for_each(|line| write!(out, "\n  {line}"))
            }
            PartyError::BadWorld { why } => write!(out, "the world that the host sent cannot be used: {why}"),
            PartyError::Silent => out.write_str("the host is not heard any more"),
            PartyError::Over { why } => out.write_str(why),
            PartyError::TooManyPlayers { players } => {
                write!(out, "expected a world of at most {} players, found {players}", PLAYERS_MAX - 1)
            }
            PartyError::Engine(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for PartyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PartyError::Socket(error) => Some(error),
            PartyError::NoChance(error) => Some(error),
            PartyError::Engine(error) => Some(error),
            _ => None,
        }
    }
}
