//! Callers that have not shown yet that they know the secret, and who of them makes room for another.
//!
//! Laws
//! 1. A new caller is always admitted. If there are too many, the oldest of the network with the most callers leaves.
//! 2. So a network with few callers loses none while another has more: an equal share is safe from everybody else.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use host::sockets::Connection;

use crate::limits::STRANGERS_MAX;

/// The callers, oldest first.
#[derive(Debug, Default)]
pub(super) struct Strangers {
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
        let networks: Vec<[u8; 8]> = self.callers.iter().map(|stranger| network(stranger.peer)).collect();
        let at = share_to_give(&networks, network(newcomer))?;
        let stranger = self.callers.remove(at);
        stranger.connection.close();
        Some(stranger.peer)
    }
}

/// The oldest place of the network with the most callers. Of two networks with equally many, the newcomer's gives.
fn share_to_give(networks: &[[u8; 8]], newcomer: [u8; 8]) -> Option<usize> {
    let mut counts: BTreeMap<[u8; 8], usize> = BTreeMap::from([(newcomer, 1)]);
    networks.iter().for_each(|network| *counts.entry(*network).or_default() += 1);
    let most = counts.values().copied().max()?;
    let is_most = |network: &[u8; 8]| counts.get(network) == Some(&most);
    let gives = if is_most(&newcomer) { Some(newcomer) } else { networks.iter().copied().find(is_most) };
    // If every caller is of another network, the newcomer's is not among them: then the oldest of all leaves.
    networks.iter().position(|network| Some(*network) == gives).or((!networks.is_empty()).then_some(0))
}

/// Who shares an address: an IPv4 address, or the 64 bits of an IPv6 address that name a network, within which a machine may
/// choose any address.
fn network(peer: SocketAddr) -> [u8; 8] {
    let mut found = [0; 8];
    match peer.ip().to_canonical() {
        IpAddr::V4(address) => found[..4].copy_from_slice(&address.octets()),
        IpAddr::V6(address) => found.copy_from_slice(&address.octets()[..8]),
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> [u8; 8] {
        network(SocketAddr::new(text.parse().expect("it is an address"), 7))
    }

    #[test]
    fn the_network_with_the_most_callers_makes_room() {
        let (many, few, new) = (of("10.0.0.1"), of("10.0.0.2"), of("10.0.0.3"));
        let mut networks = vec![few, many, many, many, few];
        assert_eq!(share_to_give(&networks, new), Some(1), "the oldest of the many");
        assert_eq!(share_to_give(&networks, few), Some(0), "as many as the many by now");
        networks.remove(2);
        assert_eq!(share_to_give(&networks, many), Some(1));
        assert_eq!(share_to_give(&[few, many], few), Some(0));
        assert_eq!(share_to_give(&[few, many], new), Some(0), "all have one");
        assert_eq!(share_to_give(&[], new), None);
    }

    #[test]
    fn a_machine_with_many_addresses_has_one_share() {
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    }
}
