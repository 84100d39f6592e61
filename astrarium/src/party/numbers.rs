//! What a machine can tell a monitor about the session: numbers of now, and counts since its beginning.

use net::Quality;

use super::{Party, Role};

/// The numbers of a session, as one machine sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartyNumbers {
    /// Whether the first cycle has begun.
    pub has_begun: bool,
    /// Whether it is paused.
    pub is_paused: bool,
    /// The machines that take part and play a player.
    pub players: usize,
    /// Those that watch.
    pub observers: usize,
    /// The machines that join.
    pub joining: usize,
    /// The safe cycles of the session that are applied here.
    pub cycles: u64,
    /// The worlds that differed, counted each time.
    pub desyncs: u64,
    /// The datagrams that were refused.
    pub refused: u64,
    /// The connections, with the machine at the other end.
    pub links: Vec<(u8, Quality)>,
}

impl Party {
    /// The numbers of now.
    pub fn numbers(&self) -> PartyNumbers {
        let now_us = self.now_us();
        let members = self.peer.as_ref().map(|peer| peer.members().to_vec()).unwrap_or_default();
        let players = members.iter().filter(|machine| u16::from(**machine) < self.players).count();
        let links = match &self.role {
            Role::Host(host) => host.seats.iter().filter_map(|(link, seat)| Some((seat.machine?, *link))).collect(),
            Role::Guest(guest) => vec![(guest.host, guest.link)],
        };
        let joining = links.iter().filter(|(machine, _)| !members.contains(machine)).count();
        let quality = |(machine, link)| Some((machine, self.wire.quality(now_us, link)?));
        PartyNumbers {
            has_begun: self.peer.is_some(),
            is_paused: self.peer.as_ref().is_some_and(|peer| peer.is_paused()),
            players,
            observers: members.len() - players,
            joining,
            cycles: self.next,
            desyncs: self.desyncs,
            refused: self.wire.refused(),
            links: links.into_iter().filter_map(quality).collect(),
        }
    }
}
