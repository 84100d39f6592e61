//! Callers that have not shown yet that they know the secret, and who of them makes room for another.
//!
//! Laws
//! 1. A new caller is always admitted. If there are too many, the oldest of the network with the most callers leaves.
//! 2. So a network with few callers loses none while another has more: an equal share is safe from everybody else ([`host::share`]).

use std::net::SocketAddr;

use host::share::{ShareHolder, place_to_give};
use host::sockets::Connection;

use crate::limits::STRANGERS_MAX;

/// The callers, oldest first.
#[derive(Debug, Default)]
pub struct Strangers {
    callers: Vec<Stranger>,
    /// The number of the next one.
    next: u64,
}

#[derive(Debug)]
struct Stranger {
    number: u64,
    peer: SocketAddr,
    connection: Connection,
}

impl Strangers {
    /// Admits a caller. Returns its number, and the address of the one that was turned out for it.
    pub fn admit(&mut self, peer: SocketAddr, connection: Connection) -> (u64, Option<SocketAddr>) {
        let turned_out = (self.callers.len() >= STRANGERS_MAX).then(|| self.turn_out(peer)).flatten();
        let number = self.next;
        self.next += 1;
        self.callers.push(Stranger { number, peer, connection });
        (number, turned_out)
    }

    /// Forgets a caller, who is a friend by now or gone.
    pub fn leave(&mut self, number: u64) {
        self.callers.retain(|stranger| stranger.number != number);
    }

    /// Closes the oldest connection of the network with the most, counting the newcomer's.
    fn turn_out(&mut self, newcomer: SocketAddr) -> Option<SocketAddr> {
        let holder = |peer: SocketAddr| ShareHolder::of(peer.ip());
        let places: Vec<ShareHolder> = self.callers.iter().map(|stranger| holder(stranger.peer)).collect();
        let at = place_to_give(&places, holder(newcomer))?;
        let stranger = self.callers.remove(at);
        stranger.connection.close();
        Some(stranger.peer)
    }
}
