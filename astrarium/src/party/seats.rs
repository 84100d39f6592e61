//! The host's side of joining: who called, which player it gets, its world, and the records since.

use std::net::SocketAddr;

use host::gate::{Identity, LinkId};
use net::Peer;
use net::letter::{BULK, BlockHead, FORMAT, Letter, Offer, RosterEntry};
use net::limits::PLAYERS_MAX;
use net::lockstep::Kinds;
use net::rights::{Right, RightUse};

use crate::session::Session;

use super::lobby::Allowance;
use super::world_copy::{Outgoing, WorldCopy};
use super::{HostPart, Party, Role, identities_of, short};

/// A connection of the host.
pub struct Seat {
    pub stage: SeatStage,
    /// The player or observer that it is.
    pub machine: Option<u8>,
    /// The cycle at which it has ended, and its chain there, until this machine is there too.
    done: Option<(u64, u64)>,
    pub is_done: bool,
    /// The name of the person.
    pub name: String,
    pub is_ready: bool,
    pub asks_pause: bool,
    pub allowance: Allowance,
    identity: Identity,
    address: SocketAddr,
    since_us: u64,
}

/// What a machine wants to be.
#[derive(Clone, Copy)]
pub struct RoleWanted {
    is_observer: bool,
    player: Option<u8>,
}

/// How far a machine has come.
pub enum SeatStage {
    /// It is connected.
    Greeting,
    /// All places are taken: it waits whether one becomes free. What it wants to be.
    Full(RoleWanted),
    /// It knows what is played, and makes its game.
    Offered,
    /// It has the same game, and waits for a copy of the world.
    Waiting,
    /// The world is being sent: it has all cycles before this one.
    Sending(Outgoing, u64),
    /// It loads what was sent: it will have all cycles before this one, or later ones.
    Loading(u64),
    /// It has all cycles before this one.
    Loaded(u64),
    /// It takes part.
    Playing,
    /// It was refused.
    Closing,
}

/// How long a machine may take to say hello, to make its game, and to be silent otherwise.
const GREETING_US: u64 = 10_000_000;
const OFFERED_US: u64 = 120_000_000;
const SILENT_US: u64 = 20_000_000;
const CLOSING_US: u64 = 2_000_000;
/// A player whose machine fell silent is kept for it, from when it was heard last: it may be starting again.
const KEPT_US: u64 = 60_000_000;
/// How long a host that has handed over waits for its successor.
const SUCCESSOR_US: u64 = 15_000_000;
/// How long a machine waits for a place.
const FULL_US: u64 = 2_500_000;
/// A machine that is behind by no more takes part.
const BEHIND_MAX: u64 = 12;
/// A copy of the world that is older by more cycles is not sent.
const COPY_AGE_MAX: u64 = 200;
/// The records of one tail.
const TAIL_CYCLES: usize = 1000;

/// The player of a machine that fell silent and has not said that it leaves.
pub struct KeptPlace {
    machine: u8,
    identity: Identity,
    until_us: u64,
}

impl Seat {
    pub fn new(now_us: u64, identity: Identity, address: SocketAddr) -> Seat {
        let stage = SeatStage::Greeting;
        Seat {
            stage,
            machine: None,
            done: None,
            is_done: false,
            name: String::new(),
            is_ready: false,
            asks_pause: false,
            allowance: Allowance::default(),
            identity,
            address,
            since_us: now_us,
        }
    }

    /// That of a machine which takes part already, at a new host.
    pub fn of_member(now_us: u64, entry: &RosterEntry, address: SocketAddr) -> Seat {
        let RosterEntry { machine, name, is_ready, asks_pause, identity, .. } = entry.clone();
        let seat = Seat::new(now_us, identity, address);
        Seat { stage: SeatStage::Playing, machine: Some(machine), name, is_ready, asks_pause, ..seat }
    }

    /// The public key of its machine.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A world that was sent does not count any more.
    pub fn send_again(&mut self, now_us: u64) {
        if matches!(self.stage, SeatStage::Sending(..) | SeatStage::Loading(_) | SeatStage::Loaded(_)) {
            self.enter(now_us, SeatStage::Waiting);
        }
    }

    /// The number of its machine, if it takes part or did.
    pub fn playing(&self) -> Option<u8> {
        self.machine.filter(|_| matches!(self.stage, SeatStage::Playing))
    }

    pub fn enter(&mut self, now_us: u64, stage: SeatStage) {
        (self.stage, self.since_us) = (stage, now_us);
    }

    /// The first cycle whose record it needs.
    fn needs(&self) -> Option<u64> {
        match self.stage {
            SeatStage::Sending(_, next) | SeatStage::Loading(next) | SeatStage::Loaded(next) => Some(next),
            _ => None,
        }
    }
}

impl HostPart {
    /// The connection of a machine.
    pub fn link_of(&self, machine: u8) -> Option<LinkId> {
        self.seats.iter().find(|(_, seat)| seat.machine == Some(machine)).map(|(link, _)| *link)
    }

    /// Copies the world, if a machine waits for it and there is no new copy.
    pub fn take_copy(&mut self, session: &mut Session, next: u64, base: u64, played: &[u8]) {
        let is_wanted = self.seats.values().any(|seat| matches!(seat.stage, SeatStage::Waiting));
        let is_new = self.copy.as_ref().is_some_and(|copy| copy.next() + COPY_AGE_MAX >= next);
        if is_wanted && !is_new {
            self.copy = Some(WorldCopy::take(session, next, base, played));
        } else if !is_wanted {
            self.copy = None;
        }
    }

    /// The machine for who says hello: the one it had, or a free one.
    fn machine_for(&self, link: LinkId, wanted: RoleWanted, taken: &[u8]) -> Option<u8> {
        let seat = self.seats.get(&link)?;
        let players = self.offer.players as u8;
        let range = if wanted.is_observer { players..PLAYERS_MAX as u8 } else { 0..players };
        let here = self.seats.values().filter(|other| other.identity == seat.identity);
        let kept = self.kept.iter().filter(|place| place.identity == seat.identity);
        let before = here.filter_map(|other| other.machine).chain(kept.map(|place| place.machine));
        let before = before.into_iter().find(|machine| range.contains(machine));
        let wanted = wanted.player.filter(|player| range.contains(player) && !taken.contains(player));
        before.or(wanted).or_else(|| range.clone().find(|machine| !taken.contains(machine)))
    }

    /// The player of a machine that has fallen silent is its own for a while.
    fn keep_place(&mut self, now_us: u64, machine: u8, identity: Identity, heard_us: u64) {
        self.kept.retain(|place| place.until_us > now_us && place.machine != machine);
        self.kept.push(KeptPlace { machine, identity, until_us: heard_us + KEPT_US });
    }
}

impl Party {
    pub(super) fn host_letter(&mut self, now_us: u64, link: LinkId, letter: Letter) {
        match letter {
            Letter::Hello { format, is_observer, name, player, is_ready } => {
                self.seat_from_mesh(now_us, link);
                let Role::Host(host) = &mut self.role else { return };
                let Some(seat) = host.seats.get_mut(&link) else { return };
                if !seat.allowance.may_greet(now_us) {
                    return;
                }
                (seat.name, seat.is_ready) = (name, is_ready);
                self.hello(now_us, link, format, RoleWanted { is_observer, player });
            }
            Letter::Accept(identities) => {
                let Role::Host(host) = &mut self.role else { return };
                let Some(seat) = host.seats.get_mut(&link) else { return };
                if !matches!(seat.stage, SeatStage::Offered) {
                    return;
                }
                if identities == host.offer.identities {
                    seat.enter(now_us, SeatStage::Waiting);
                    return;
                }
                seat.enter(now_us, SeatStage::Closing);
                seat.machine = None;
                let address = seat.address;
                if identities.content != host.offer.identities.content {
                    self.wire.post(link, &Letter::Tags(host.tags.clone()));
                }
                // In the stream of the tags, so that it comes after them.
                let refused = Letter::Refused { why: String::from("another game") };
                self.wire.send(link, BULK, &refused.write());
                self.say(format!("{address} has another program or other tags, and was refused"));
            }
            Letter::Loaded { next } => {
                let Role::Host(host) = &mut self.role else { return };
                let Some(seat) = host.seats.get_mut(&link) else { return };
                if matches!(seat.stage, SeatStage::Loading(least) if next >= least) {
                    seat.enter(now_us, SeatStage::Loaded(next));
                }
            }
            Letter::Done { cycle, chain } => {
                let Role::Host(host) = &mut self.role else { return };
                let Some(seat) = host.seats.get_mut(&link) else { return };
                seat.done = Some((cycle, chain));
            }
            Letter::Farewell { why } => {
                let Role::Host(host) = &mut self.role else { return };
                let Some(seat) = host.seats.get_mut(&link) else { return };
                let (machine, address) = (seat.machine, seat.address);
                seat.enter(now_us, SeatStage::Closing);
                (seat.is_done, seat.machine) = (true, None);
                if let (Some(machine), Some(peer)) = (machine, &mut self.peer) {
                    peer.kick(machine);
                }
                self.say(format!("{address} has left: {why}"));
            }
            Letter::Roster(roster) => self.take_successor(now_us, link, roster),
            Letter::Block(head) => self.compared_head(link, head),
            Letter::Part(part) => self.compared_part(link, &part),
            letter => self.take_wish_of(now_us, link, letter),
        }
    }

    fn hello(&mut self, now_us: u64, link: LinkId, format: u16, wanted: RoleWanted) {
        let members = self.peer.as_ref().map_or_else(|| vec![self.me], |peer| peer.members().to_vec());
        let Role::Host(host) = &mut self.role else { return };
        host.kept.retain(|place| place.until_us > now_us);
        let mut taken: Vec<u8> = host.seats.values().filter_map(|seat| seat.machine).collect();
        taken.extend(host.kept.iter().map(|place| place.machine));
        taken.extend(&members);
        taken.push(self.me);
        let machine = host.machine_for(link, wanted, &taken);
        let players = host.offer.players;
        let Some(seat) = host.seats.get_mut(&link) else { return };
        let is_removed = host.removed.contains(&seat.identity);
        if matches!(seat.stage, SeatStage::Closing) {
            return;
        }
        if machine.is_none() && format == FORMAT {
            match seat.stage {
                SeatStage::Full(_) if seat.since_us + FULL_US > now_us => return,
                SeatStage::Full(_) => {}
                _ => return seat.enter(now_us, SeatStage::Full(wanted)),
            }
        }
        let why = match machine {
            _ if format != FORMAT => {
                Some(format!("it speaks version {format}, the host {FORMAT}: update the older program"))
            }
            _ if is_removed => Some(String::from("the host has removed this machine")),
            None if wanted.is_observer => Some(String::from("there are too many observers")),
            None => Some(format!(
                "all {players} players are taken; that of a machine which fell silent is kept for a minute; `--observe` watches"
            )),
            Some(_) => None,
        };
        if let Some(why) = why {
            seat.enter(now_us, SeatStage::Closing);
            self.wire.post(link, &Letter::Refused { why });
            return;
        }
        let (address, identity, machine) = (seat.address, short(&seat.identity), machine.unwrap_or_default());
        // The connection that it had before.
        let others: Vec<LinkId> = host
            .seats
            .iter()
            .filter(|(other, seat)| **other != link && seat.machine == Some(machine))
            .map(|(other, _)| *other)
            .collect();
        host.kept.retain(|place| place.machine != machine);
        for other in others {
            host.seats.remove(&other);
            self.wire.close(other);
        }
        if let Some(seat) = host.seats.get_mut(&link) {
            (seat.machine, seat.done, seat.is_done) = (Some(machine), None, false);
            seat.enter(now_us, SeatStage::Offered);
        }
        let offer = Offer { machine, ..host.offer.clone() };
        if let Some(peer) = &mut self.peer {
            peer.kick(machine);
        }
        self.wire.post(link, &Letter::Offer(offer));
        let role = if u16::from(machine) < players { "player" } else { "observer" };
        self.say(format!("{address} (key {identity}) wants to join as {role} {machine}"));
    }

    /// Moves all connections on.
    pub(super) fn host_turn(&mut self, now_us: u64, session: &mut Session) {
        if let Some(resigned_us) = self.resigned_us {
            if resigned_us + SUCCESSOR_US < now_us {
                self.finish_with(String::from("no other machine has taken over"));
            }
            return;
        }
        if self.peer.is_none() && self.end.is_none() {
            self.begin_when_all_are_there(now_us, session);
        }
        let (next, base) = (self.next, self.base);
        let Role::Host(host) = &mut self.role else { return };
        if session.lengths().is_safe(session.world().cycle()) {
            host.take_copy(session, next, base, &self.played);
        }
        // By their numbers: the members of a session, and so its successors, are in this order.
        let mut links: Vec<LinkId> = host.seats.keys().copied().collect();
        links.sort_by_key(|link| host.seats.get(link).and_then(|seat| seat.machine));
        for link in links {
            let Role::Host(host) = &self.role else { return };
            if let Some(SeatStage::Full(wanted)) = host.seats.get(&link).map(|seat| &seat.stage) {
                self.hello(now_us, link, FORMAT, *wanted);
            }
            self.move_on(now_us, link);
            self.let_go(link);
        }
        let Role::Host(host) = &self.role else { return };
        let waits = host.seats.values().any(|seat| matches!(seat.stage, SeatStage::Waiting));
        let of_copy = host.copy.as_ref().filter(|_| waits).map(WorldCopy::next);
        let kept = host.seats.values().filter_map(Seat::needs).chain(of_copy).min();
        if let Some(peer) = &mut self.peer {
            peer.keep_from(kept);
        }
    }

    /// Begins the first cycle once as many machines have the world as are waited for.
    fn begin_when_all_are_there(&mut self, now_us: u64, session: &Session) {
        let Role::Host(host) = &self.role else { return };
        let ready = host.seats.values().filter(|seat| matches!(seat.stage, SeatStage::Loaded(_))).count();
        if ready + 1 < host.machines || !session.lengths().is_safe(session.world().cycle()) {
            return;
        }
        // Who has a place is waited for, until it has the world and is ready. An observer is not asked.
        let players = host.offer.players;
        let waits = |seat: &Seat| {
            let is_loaded = matches!(seat.stage, SeatStage::Loaded(_));
            seat.machine.is_some_and(|machine| u16::from(machine) < players && !(seat.is_ready && is_loaded))
        };
        // With a lobby, a host does not begin alone before anybody could come.
        let is_alone = host.seats.values().all(|seat| seat.machine.is_none());
        let is_held = host.seats.values().any(waits) || !self.is_ready && !self.is_observer || is_alone;
        if host.has_lobby && is_held && !host.is_asked_to_begin {
            return;
        }
        let is_asked = host.is_asked_to_begin && is_held;
        let mut peer = Peer::new(self.me, &self.settings, now_us);
        peer.begin_chain(session.chain());
        if is_asked {
            peer.add_use(RightUse { by: self.me, right: Right::Begin, whom: self.me });
        }
        self.chain = session.chain();
        self.peer = Some(peer);
        debug_assert_eq!(identities_of(session).layout, host.offer.identities.layout, "the world has not changed");
    }

    /// Compares the last chain of a machine that has played to its end, once this one is there too, and says farewell.
    fn let_go(&mut self, link: LinkId) {
        let Role::Host(host) = &mut self.role else { return };
        let Some(seat) = host.seats.get_mut(&link) else { return };
        let machine = seat.machine.unwrap_or_default();
        let Some((cycle, chain)) = seat.done.filter(|(cycle, _)| *cycle <= self.next && !seat.is_done) else { return };
        seat.is_done = true;
        self.wire.post(link, &Letter::Farewell { why: String::from("it has played to its last cycle") });
        if cycle == self.next && chain != self.chain {
            self.desyncs += 1;
            let own = self.chain;
            self.say(format!("the chain of machine {machine} at its end is {chain:016x}, the host's {own:016x}"));
        }
    }

    fn move_on(&mut self, now_us: u64, link: LinkId) {
        let Party { role: Role::Host(host), peer, wire, settings, players, .. } = self else { return };
        let Some(seat) = host.seats.get_mut(&link) else { return };
        let heard_us = wire.heard_us(link).unwrap_or(0);
        let patience_us = match seat.stage {
            SeatStage::Greeting => seat.since_us + GREETING_US,
            SeatStage::Offered => seat.since_us + OFFERED_US,
            SeatStage::Closing => seat.since_us + CLOSING_US,
            _ => heard_us.max(seat.since_us) + SILENT_US,
        };
        if patience_us < now_us {
            let (place, identity) = (seat.playing().filter(|machine| u16::from(*machine) < *players), seat.identity);
            host.seats.remove(&link);
            wire.close(link);
            if let Some(machine) = place {
                host.keep_place(now_us, machine, identity, heard_us);
            }
            return;
        }
        let HostPart { seats, copy, .. } = &mut **host;
        let Some(seat) = seats.get_mut(&link) else { return };
        match &mut seat.stage {
            SeatStage::Waiting => {
                if let Some((head, bytes)) = copy.as_mut().and_then(WorldCopy::poll)
                    && has_records(peer.as_ref(), head)
                {
                    let next = head.next;
                    let outgoing = Outgoing::new(head, bytes);
                    seat.enter(now_us, SeatStage::Sending(outgoing, next));
                } else if copy.as_mut().and_then(WorldCopy::poll).is_some() {
                    // Too old: another one is taken.
                    *copy = None;
                }
            }
            SeatStage::Sending(outgoing, next) => {
                let next = *next;
                if outgoing.post(&mut |letter| wire.post(link, letter)) {
                    seat.enter(now_us, SeatStage::Loading(next));
                }
            }
            SeatStage::Loaded(next) => {
                let (next, Some(peer), Some(machine)) = (*next, peer, seat.machine) else { return };
                if peer.members().contains(&machine) {
                    return;
                }
                if peer.known_end().saturating_sub(next) <= BEHIND_MAX {
                    let point = peer.join_point(next, 0);
                    if wire.post(link, &Letter::Begin(point)) && peer.admit(machine, next) {
                        seat.enter(now_us, SeatStage::Playing);
                    } else {
                        seat.enter(now_us, SeatStage::Closing);
                        wire.post(link, &Letter::Refused { why: String::from("it cannot be admitted; join again") });
                    }
                    return;
                }
                let Some(mut records) = peer.tail(next) else {
                    // It took too long: it gets a new world.
                    seat.enter(now_us, SeatStage::Waiting);
                    return;
                };
                records.truncate(TAIL_CYCLES);
                let records = Kinds::new(&settings.kinds).write_tail(&records);
                if wire.post(link, &Letter::Tail { first: next, records }) {
                    seat.enter(now_us, SeatStage::Loading(next + 1));
                }
            }
            SeatStage::Greeting
            | SeatStage::Full(_)
            | SeatStage::Offered
            | SeatStage::Loading(_)
            | SeatStage::Playing
            | SeatStage::Closing => {}
        }
    }
}

/// Whether the records after a copy are known: all of them before the first cycle.
fn has_records(peer: Option<&Peer>, head: &BlockHead) -> bool {
    peer.is_none_or(|peer| peer.tail(head.next).is_some())
}
