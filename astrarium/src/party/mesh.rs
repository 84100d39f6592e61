//! Connections between guests, and what becomes of the session when its host is not heard any more.
//!
//! The host tells all machines where the others are and what their public keys are ([`Roster`](net::letter::Roster)). Of two guests the one with the higher number
//! calls the other, through the same gate and with the same password. Nothing travels there while the host is heard. When it is not, lockstep
//! elects its successor over these connections, and the successor takes over the host's duties: its guests are its seats.
//!
//! Law: a connection counts as that of a machine only if its public key is the one that the host told.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::SocketAddr;

use host::gate::{Identity, LinkId};
use net::letter::{FORMAT, Letter, Roster};
use net::lockstep::{Ending, Term};

use crate::session::Session;

use super::finding::Beacon;
use super::guest::GuestPart;
use super::passage;
use super::seats::Seat;
use super::{HostPart, Party, Role, tags_of};

/// The connections to other guests.
#[derive(Default)]
pub struct Mesh {
    /// The machines, as the host told.
    pub roster: Roster,
    /// The names of the machines, those that have left included.
    pub names: BTreeMap<u8, String>,
    links: BTreeMap<LinkId, MeshLink>,
    /// The calls in progress or failed, and when they began.
    calls: BTreeMap<SocketAddr, u64>,
    /// Letters of machines that are not the host, or not yet.
    early: Vec<(LinkId, Letter)>,
    kept_us: u64,
    punched_us: u64,
    /// The connection to the last host: why it handed over may be heard after its successor is known.
    pub former_host: Option<LinkId>,
}

struct MeshLink {
    identity: Identity,
    /// The machine that it was the host as.
    machine: Option<u8>,
    since_us: u64,
    /// Whether its machine was named to the person here.
    is_named: bool,
}

/// How long a connection of a machine that the host does not name is kept.
const STRANGER_US: u64 = 5_000_000;
/// The pause between two calls of one machine.
const CALL_AGAIN_US: u64 = 12_000_000;
/// How often a silent connection sends something, so that routers keep it.
const KEEP_US: u64 = 5_000_000;
/// How often the own router is opened for a machine that is to call.
const PUNCH_US: u64 = 1_000_000;
/// A connection that was heard within this time lives.
const LIVES_US: u64 = 3_000_000;
/// The most letters that wait for their sender to become the host.
const EARLY_MAX: usize = 16;

impl Mesh {
    /// Remembers who is there, and returns who was.
    pub fn set_roster(&mut self, roster: Roster) -> Roster {
        self.names.extend(roster.machines.iter().map(|entry| (entry.machine, entry.name.clone())));
        std::mem::replace(&mut self.roster, roster)
    }
}

impl Party {
    /// The connection to a machine.
    pub(super) fn link_to(&self, machine: u8) -> Option<LinkId> {
        match &self.role {
            Role::Host(host) => host.link_of(machine).or_else(|| self.mesh_link_to(machine)),
            Role::Guest(guest) if guest.host == machine => Some(guest.link),
            Role::Guest(_) => self.mesh_link_to(machine),
        }
    }

    fn mesh_link_to(&self, machine: u8) -> Option<LinkId> {
        let identity = self.mesh.roster.entry(machine).map(|entry| entry.identity);
        let is_it =
            |link: &MeshLink| identity == Some(link.identity) || identity.is_none() && link.machine == Some(machine);
        let links = self.mesh.links.iter().filter(|(_, link)| is_it(link));
        links.max_by_key(|(link, _)| self.wire.heard_us(**link)).map(|(link, _)| *link)
    }

    /// The machine whose messages of lockstep come over a connection.
    pub(super) fn machine_on(&self, link: LinkId) -> Option<u8> {
        let in_mesh = || {
            let known = self.mesh.links.get(&link)?;
            self.mesh.roster.machine_with(&known.identity).or(known.machine)
        };
        match &self.role {
            Role::Host(host) => host.seats.get(&link).and_then(Seat::playing).or_else(in_mesh),
            Role::Guest(guest) if guest.link == link => Some(guest.host),
            Role::Guest(_) => in_mesh(),
        }
    }

    /// A connection that is not the one to the host.
    pub(super) fn mesh_opened(&mut self, now_us: u64, link: LinkId, identity: Identity, address: SocketAddr) {
        self.mesh.calls.remove(&address);
        self.mesh.links.insert(link, MeshLink { identity, machine: None, since_us: now_us, is_named: false });
    }

    /// At the host: a connection that was not one of its guests becomes a seat, because its machine says hello.
    pub(super) fn seat_from_mesh(&mut self, now_us: u64, link: LinkId) {
        let (Role::Host(host), Some(address)) = (&mut self.role, self.wire.address_of(link)) else { return };
        if let Some(known) = self.mesh.links.remove(&link) {
            host.seats.entry(link).or_insert_with(|| Seat::new(now_us, known.identity, address));
        }
    }

    pub(super) fn mesh_failed(&mut self, now_us: u64, address: SocketAddr) {
        // The entry stays until it may be called again.
        self.mesh.calls.entry(address).and_modify(|at_us| *at_us = now_us);
    }

    /// Whether a call was meant for another guest.
    pub(super) fn is_mesh_call(&self, address: SocketAddr) -> bool {
        self.mesh.calls.contains_key(&address)
    }

    /// A letter from a machine that is not the host.
    pub(super) fn mesh_letter(&mut self, link: LinkId, letter: Letter) {
        if let Letter::Hello { .. } = letter {
            let host = match &self.role {
                Role::Guest(guest) => self.wire.address_of(guest.link),
                Role::Host(_) => None,
            };
            let why = host.map_or_else(
                || String::from("this machine is not the host"),
                |host| format!("this machine is not the host; that is {host}"),
            );
            self.wire.post(link, &Letter::Refused { why });
        } else if self.mesh.early.len() < EARLY_MAX {
            self.mesh.early.push((link, letter));
        }
    }

    /// Calls the machines that this one is to call, and ends connections of those that the host does not name.
    pub(super) fn mesh_turn(&mut self, now_us: u64) {
        self.name_reached();
        let Role::Guest(guest) = &self.role else { return };
        let (me, host) = (self.me, guest.host);
        let roster = &self.mesh.roster;
        let is_playing = roster.entry(me).is_some_and(|entry| entry.is_playing) && self.is_member();
        let missing: Vec<SocketAddr> = roster
            .machines
            .iter()
            .filter(|entry| is_playing && entry.is_playing && entry.machine < me && entry.machine != host)
            .filter(|entry| self.mesh_link_to(entry.machine).is_none())
            .filter_map(|entry| entry.address)
            .collect();
        let higher = roster.machines.iter().filter(|entry| is_playing && entry.is_playing && entry.machine > me);
        let coming: Vec<SocketAddr> = higher
            .filter(|entry| entry.machine != host && self.mesh_link_to(entry.machine).is_none())
            .filter_map(|entry| entry.address)
            .filter(|address| passage::machine_at(*address).is_none())
            .collect();
        if self.mesh.punched_us + PUNCH_US < now_us {
            self.mesh.punched_us = now_us;
            coming.into_iter().for_each(|address| self.wire.punch(now_us, address));
        }
        self.mesh.calls.retain(|_, at_us| *at_us + CALL_AGAIN_US > now_us);
        for address in missing {
            if let Entry::Vacant(call) = self.mesh.calls.entry(address) {
                call.insert(now_us);
                self.wire.call(now_us, address);
            }
        }
        let strangers: Vec<LinkId> = self
            .mesh
            .links
            .iter()
            .filter(|(link, known)| {
                let is_known = self.mesh.roster.machine_with(&known.identity).is_some();
                let is_replaced = is_known && self.mesh_link_of(&known.identity) != Some(**link);
                (!is_known && known.machine.is_none() || is_replaced) && known.since_us + STRANGER_US < now_us
            })
            .map(|(link, _)| *link)
            .collect();
        for link in strangers {
            self.mesh.links.remove(&link);
            self.wire.close(link);
        }
        if self.mesh.kept_us + KEEP_US < now_us {
            self.mesh.kept_us = now_us;
            let links: Vec<LinkId> = self.mesh.links.keys().copied().collect();
            links.into_iter().for_each(|link| self.wire.keep_alive(now_us, link));
        }
    }

    /// Whether this machine has the record in which it joined. Before, it cannot go on without the host.
    fn is_member(&self) -> bool {
        self.peer.as_ref().is_some_and(|peer| peer.members().contains(&self.me))
    }

    fn name_reached(&mut self) {
        if !self.is_member() {
            return;
        }
        let mut reached = Vec::new();
        for link in self.mesh.links.values_mut().filter(|link| !link.is_named) {
            if let Some(machine) = self.mesh.roster.machine_with(&link.identity) {
                link.is_named = true;
                reached.push(machine);
            }
        }
        for machine in reached {
            let name = self.name_of(machine);
            self.say(format!("{name} can be reached without the host"));
        }
    }

    fn mesh_link_of(&self, identity: &Identity) -> Option<LinkId> {
        self.mesh.roster.machine_with(identity).and_then(|machine| self.mesh_link_to(machine))
    }

    /// Another machine decides from now on, or this one.
    pub(super) fn follow_term(&mut self, now_us: u64, session: &mut Session, term: Term) {
        if let Role::Host(_) = self.role {
            return;
        }
        if term.host == self.me {
            self.take_over(now_us, session);
            return;
        }
        let Some(link) = self.mesh_link_to(term.host) else { return };
        let Role::Guest(guest) = &mut self.role else { return };
        let before = std::mem::replace(&mut guest.link, link);
        let old = std::mem::replace(&mut guest.host, term.host);
        self.mesh.links.remove(&link);
        self.keep_old_host(now_us, before, old);
        self.comparison = None;
    }

    /// The connection to the old host stays for a while, so that one that was only cut off is told.
    fn keep_old_host(&mut self, now_us: u64, link: LinkId, machine: u8) {
        self.mesh.former_host = Some(link);
        if let Some(entry) = self.mesh.roster.entry(machine) {
            let identity = entry.identity;
            self.mesh
                .links
                .insert(link, MeshLink { identity, machine: Some(machine), since_us: now_us, is_named: true });
        }
    }

    /// The letters that a machine sent before this one knew it as its host.
    pub(super) fn take_early(&mut self) -> Vec<(LinkId, Letter)> {
        let Role::Guest(guest) = &self.role else {
            self.mesh.early.clear();
            return Vec::new();
        };
        let link = guest.link;
        let (now, later): (Vec<_>, Vec<_>) = self.mesh.early.drain(..).partition(|(from, _)| *from == link);
        self.mesh.early = later;
        now
    }

    /// This machine has the duties of the host from now on.
    fn take_over(&mut self, now_us: u64, session: &mut Session) {
        let Role::Guest(guest) = &self.role else { return };
        let (link, old, offer) = (guest.link, guest.host, guest.offer.clone());
        let members = self.peer.as_ref().map(|peer| peer.members().to_vec()).unwrap_or_default();
        let mut seats = BTreeMap::new();
        for entry in &self.mesh.roster.machines {
            if entry.machine == self.me || entry.machine == old || !members.contains(&entry.machine) {
                continue;
            }
            let Some(link) = self.mesh_link_to(entry.machine) else { continue };
            let Some(address) = self.wire.address_of(link) else { continue };
            seats.insert(link, Seat::of_member(now_us, entry, address));
        }
        self.mesh.links.retain(|link, _| !seats.contains_key(link));
        self.keep_old_host(now_us, link, old);
        let is_paused = self.peer.as_ref().is_some_and(|peer| peer.is_paused());
        let address = self.wire.address();
        // One that talks to the relay alone shows its address to nobody.
        let is_seen = self.mesh.roster.is_found && self.wire.passage().is_none_or(|passage| passage.allows(address));
        let beacon = if is_seen { Beacon::open(address.ip()) } else { None };
        let host = HostPart { seats, beacon, pauses: is_paused, ..HostPart::new(offer, tags_of(session), 1) };
        self.wire.stand_at_meeting(true);
        self.role = Role::Host(Box::new(host));
        self.comparison = None;
        // One that has handed over waits for it.
        let roster = self.roster();
        self.wire.post(link, &Letter::Roster(Roster { you: old, ..roster }));
        self.say(format!("other machines can join at {address}"));
    }

    /// A host that the others have replaced joins them again as a guest. Returns false if there is nobody to join.
    pub(super) fn step_down(&mut self, now_us: u64, from: u8) -> bool {
        let Some(link) = self.link_to(from) else { return false };
        let Role::Host(host) = &mut self.role else { return false };
        let offer = host.offer.clone();
        let seats = std::mem::take(&mut host.seats);
        self.wire.stand_at_meeting(false);
        for (other, seat) in seats {
            if other != link {
                self.mesh.links.insert(
                    other,
                    MeshLink { identity: seat.identity(), machine: seat.machine, since_us: now_us, is_named: true },
                );
            }
        }
        self.role = Role::Guest(Box::new(GuestPart::new(link, from, offer)));
        true
    }

    /// After an ending: joins those who go on without this machine, if one of them has just been heard.
    pub(super) fn join_again(&mut self, now_us: u64, ending: Ending) -> bool {
        let Some(from) = self.ended_by.take().filter(|_| matches!(ending, Ending::Dropped | Ending::CutOff)) else {
            return false;
        };
        if let Role::Host(_) = self.role
            && !self.step_down(now_us, from)
        {
            return false;
        }
        let in_mesh = self.mesh_link_to(from);
        let Role::Guest(guest) = &mut self.role else { return false };
        if guest.host != from {
            let Some(link) = in_mesh else { return false };
            (guest.host, guest.link) = (from, link);
            self.mesh.links.remove(&link);
        }
        if self.wire.heard_us(guest.link).is_none_or(|heard_us| heard_us + LIVES_US < now_us) {
            return false;
        }
        self.peer = None;
        self.greet_again();
        true
    }

    /// A guest that has lost its place asks for a world again.
    pub(super) fn greet_again(&mut self) {
        let Role::Guest(guest) = &mut self.role else { return };
        guest.begin_joining();
        let link = guest.link;
        self.comparison = None;
        let hello = self.hello_letter();
        self.wire.post(link, &hello);
    }

    pub(super) fn hello_letter(&self) -> Letter {
        Letter::Hello {
            format: FORMAT,
            is_observer: self.is_observer,
            name: self.name.clone(),
            player: Some(self.me).filter(|_| !self.is_observer),
            is_ready: self.is_ready,
        }
    }
}
