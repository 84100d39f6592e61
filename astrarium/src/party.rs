//! A world that several machines play, each with a world of its own: one machine's part in it.
//!
//! The host decides which events are in a safe cycle; every machine hands the same events to its own session, which seals them as ever.
//! Robots play the players that no machine plays, the same everywhere. A machine that joins gets the host's world of a cycle and the
//! records since, while all others play on.
//!
//! Laws
//! 1. All that enters a world is in the records. With equal programs and tags, all machines have equal chains.
//! 2. Nothing waits for a machine that joins or is slow.
//! 3. Only machines that know the password are heard. What they send can be refused; it cannot stop a machine.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use host::clock::Clock;
use host::gate::{CallError, Identity, LinkId};
use host::sockets::SocketError;
use net::letter::{CONTROL, FORMAT, Identities, Letter, Offer, PLAY};
use net::limits::PLAYERS_MAX;
use net::lockstep::{Ending, Kinds, LockstepReport, Record, SlowCause};
use net::simulation::Profile;
use net::{LockstepSettings, Peer};
use relay::Event;

use crate::error::Error;
use crate::game::GameEntry;
use crate::project::title_of;
use crate::session::Session;

mod comparison;
mod seats;
mod wire;
mod world_copy;

use comparison::Comparison;
use seats::Seat;
use wire::{Wire, WireEvent};
use world_copy::{Incoming, WorldCopy};

pub use net::simulation::profile::ALL as PROFILES;

/// How a machine takes part.
#[derive(Clone, Debug)]
pub struct PartyOptions {
    /// The address of this machine's socket.
    pub address: String,
    /// The password of the session.
    pub password: String,
    /// The connection that is imitated, if any.
    pub profile: Option<Profile>,
    /// Whether it plays no player.
    pub is_observer: bool,
    /// For a host: the machines that it waits for before the first cycle, itself included.
    pub machines: usize,
    /// The folder for the worlds of machines that differ.
    pub folder: PathBuf,
}

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

/// One machine's part in a world that several machines play.
pub struct Party {
    clock: Clock,
    wire: Wire,
    me: u8,
    /// The players of the world: machines from this number on are observers.
    players: u16,
    peer: Option<Peer>,
    role: Role,
    /// The safe cycle of the world at cycle 0 of the party.
    base: u64,
    /// The next cycle that this world applies.
    next: u64,
    /// The players that machines play, at that cycle.
    played: Vec<u8>,
    settings: LockstepSettings,
    lines: VecDeque<String>,
    end: Option<PartyEnd>,
    comparison: Option<Comparison>,
    /// The machines whose worlds are to be compared.
    differing: VecDeque<u8>,
    folder: PathBuf,
    entry: Option<GameEntry>,
    /// The level that the tags were loaded for.
    level_of_content: String,
    /// The chain of this world at the cycle that is next.
    chain: u64,
    /// The events of this machine's player that were dropped because too many waited.
    left_out: u64,
    desyncs: u64,
}

/// How it ended for this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartyEnd {
    /// Why, for people.
    pub why: String,
}

enum Role {
    Host(Box<HostPart>),
    Guest(Box<GuestPart>),
}

struct HostPart {
    offer: Offer,
    tags: Vec<(String, u64)>,
    machines: usize,
    seats: BTreeMap<LinkId, Seat>,
    copy: Option<WorldCopy>,
}

struct GuestPart {
    link: LinkId,
    /// The machine at the other end.
    host: u8,
    incoming: Option<Incoming>,
    percent_said: u64,
    /// Records that are applied at once, because this world is behind.
    behind: VecDeque<Record>,
    /// Whether it waits for a world, or applies what is behind it.
    is_joining: bool,
    /// Whether it has a world.
    has_world: bool,
    /// Whether `Loaded` was said for the cycle that is next.
    has_said: bool,
    is_done: bool,
    identities: Identities,
    is_observer: bool,
}

/// How long a host may be silent while this machine joins.
const SILENCE_US: u64 = 15_000_000;

/// How long a farewell is repeated by one that does not take part.
const DECLINE_US: u64 = 200_000;

/// How long ending takes at most.
const FAREWELL_US: u64 = 10_000_000;

/// The kinds of lines about connections that are kept until they are read.
const LINES_MAX: usize = 1000;

impl PartyOptions {
    /// A guest's options, with any free port.
    pub fn guest(password: &str, folder: PathBuf) -> PartyOptions {
        PartyOptions {
            address: String::from("0.0.0.0:0"),
            password: password.to_string(),
            profile: None,
            is_observer: false,
            machines: 1,
            folder,
        }
    }
}

/// What must be equal on all machines, of a session.
fn identities_of(session: &Session) -> Identities {
    Identities {
        build: session.build(),
        content: session.content().library().identity(),
        layout: session.world().plan().hash(),
    }
}

/// The tags in force, with a part of their hashes.
fn tags_of(session: &Session) -> Vec<(String, u64)> {
    let half = |key: [u8; 32]| key.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let library = session.content().library();
    library.tags().map(|ready| (ready.path.as_str().to_string(), half(ready.key.0))).collect()
}

/// The length of a safe cycle of a session, in microseconds.
fn cycle_us_of(session: &Session) -> u64 {
    let lengths = session.lengths();
    (lengths.brush_nanos * u64::from(lengths.brushes_per_safe) / 1000).max(1)
}

impl Party {
    /// Becomes the host of a session, at its next safe cycle.
    pub fn host(session: &Session, options: &PartyOptions) -> Result<Party, PartyError> {
        let players = session.players();
        if usize::from(players) >= PLAYERS_MAX {
            return Err(PartyError::TooManyPlayers { players });
        }
        let wire = Wire::open(&options.address, &options.password, true, options.profile)?;
        let me = if options.is_observer { players as u8 } else { 0 };
        let cycle_us = cycle_us_of(session);
        let kinds: Vec<base::StringId> = session
            .game()
            .events()
            .map(|table| table.kinds().iter().map(|kind| kind.name).collect())
            .unwrap_or_default();
        let offer = Offer {
            game: session.world().plan().name().to_string(),
            version: title_of(session.content().library()).1,
            level: session.level().to_string(),
            identities: identities_of(session),
            seed: session.world().time().seed,
            players,
            machine: 0,
            cycle_us,
            kinds: kinds.clone(),
        };
        let host = HostPart {
            offer,
            tags: tags_of(session),
            machines: options.machines.max(1),
            seats: BTreeMap::new(),
            copy: None,
        };
        let settings = LockstepSettings { players: vec![me], host: me, kinds, cycle_us };
        let party = Party::new(wire, me, players, Role::Host(Box::new(host)), settings, options);
        let played = if u16::from(me) < players { vec![me] } else { Vec::new() };
        let (base, chain, level_of_content) = (session.next_safe_cycle(), session.chain(), session.level().to_string());
        Ok(Party { base, played, chain, level_of_content, ..party })
    }

    fn new(wire: Wire, me: u8, players: u16, role: Role, settings: LockstepSettings, options: &PartyOptions) -> Party {
        Party {
            clock: Clock::new(),
            wire,
            me,
            players,
            peer: None,
            role,
            base: 0,
            next: 0,
            played: Vec::new(),
            settings,
            lines: VecDeque::new(),
            end: None,
            comparison: None,
            differing: VecDeque::new(),
            folder: options.folder.clone(),
            entry: None,
            level_of_content: String::new(),
            chain: 0,
            left_out: 0,
            desyncs: 0,
        }
    }

    /// The address of this machine's socket.
    pub fn address(&self) -> SocketAddr {
        self.wire.address()
    }

    /// The player of this machine; none for an observer.
    pub fn player(&self) -> Option<u16> {
        Some(u16::from(self.me)).filter(|me| *me < self.players)
    }

    /// Whether this machine decides.
    pub fn is_host(&self) -> bool {
        self.peer.as_ref().map_or(matches!(self.role, Role::Host(_)), Peer::is_host)
    }

    /// Whether the world of this machine is one of those that are played: not while it joins, nor before all are there.
    pub fn is_playing(&self) -> bool {
        self.peer.is_some() && self.end.is_none()
    }

    /// How it ended, if it has.
    pub fn end(&self) -> Option<&PartyEnd> {
        self.end.as_ref()
    }

    /// The number of the machines that take part.
    pub fn machines(&self) -> usize {
        self.peer.as_ref().map_or(1, |peer| peer.members().len())
    }

    /// The machines whose world differed from the host's, counted each time; the host knows of all, a guest of itself.
    pub fn desyncs(&self) -> u64 {
        self.desyncs
    }

    /// What happened since the last call, a line each.
    pub fn take_lines(&mut self) -> Vec<String> {
        if self.left_out > 0 {
            self.say(format!("{} events were dropped: too many at once", self.left_out));
            self.left_out = 0;
        }
        self.lines.drain(..).collect()
    }

    /// Adds an event of this machine's player.
    pub fn add_event(&mut self, event: Event) {
        let is_taken = self.player().is_some() && self.peer.as_mut().is_some_and(|peer| peer.add_event(event));
        self.left_out += u64::from(!is_taken && self.peer.is_some());
    }

    /// Sends and receives, and lets machines join. Waits for a datagram, at most this long. Call it between two steps.
    pub fn turn(&mut self, session: &mut Session, patience: Duration) -> Result<(), PartyError> {
        let before_us = self.now_us();
        self.wire.receive(before_us, patience)?;
        let now_us = self.now_us();
        while let Some(event) = self.wire.poll_event() {
            self.take_event(now_us, session, event)?;
        }
        if matches!(self.role, Role::Host(_)) {
            self.host_turn(now_us, session);
        } else {
            self.guest_turn(now_us, session)?;
        }
        self.poll_comparison(now_us);
        self.drive_peer(now_us);
        self.wire.flush(now_us);
        Ok(())
    }

    /// Whether the next brush cycle of the world is due. At the beginning of a safe cycle, hands the session the events of all players.
    pub fn may_step(&mut self, session: &mut Session) -> bool {
        if self.end.is_some() {
            return false;
        }
        let (cycle, lengths) = (session.world().cycle(), session.lengths());
        if !lengths.is_safe(cycle) {
            let Some(peer) = &self.peer else { return true };
            let within = cycle % u64::from(lengths.brushes_per_safe);
            let due_us = (self.next - 1) * self.settings.cycle_us + within * lengths.brush_nanos / 1000;
            return due_us <= peer.position_us();
        }
        let record = match (&mut self.peer, &mut self.role) {
            (Some(peer), _) => peer.poll_cycle().map(|(_, record)| record),
            (None, Role::Guest(guest)) => guest.behind.pop_front(),
            (None, Role::Host(_)) => None,
        };
        let Some(record) = record else { return false };
        self.played.retain(|player| !record.left.contains(player));
        let joined = record.joined.iter().filter(|player| u16::from(**player) < self.players);
        self.played.extend(joined);
        let safe_cycle = session.next_safe_cycle();
        for player in &self.played {
            let batch = record.batches.iter().find(|batch| batch.player == *player);
            let events = batch.map_or(&[][..], |batch| &batch.events);
            if let Err(refusal) = session.deliver(u16::from(*player), safe_cycle, events) {
                // All machines refuse the same.
                self.lines.push_back(format!("the events of player {player} were refused: {refusal}"));
            }
        }
        self.next += 1;
        true
    }

    /// Call it after each brush cycle.
    pub fn after_step(&mut self, session: &mut Session) {
        if !session.lengths().is_safe(session.world().cycle()) {
            return;
        }
        self.chain = session.chain();
        if let Some(peer) = &mut self.peer {
            peer.handle_chain(self.chain);
        }
        self.compare_at(session);
        if let Role::Host(host) = &mut self.role {
            host.take_copy(session, self.next, self.base, &self.played);
        }
    }

    /// How far the world is behind the time of the session, in seconds: what is shown is extrapolated by it.
    pub fn ahead_seconds(&self, session: &Session) -> f32 {
        let Some(peer) = &self.peer else { return 0.0 };
        let lengths = session.lengths();
        let within = session.world().cycle() % u64::from(lengths.brushes_per_safe);
        let cycles = if within == 0 { self.next } else { self.next - 1 };
        let shown_us = cycles * self.settings.cycle_us + within * lengths.brush_nanos / 1000;
        // The next brush cycle is due at `shown_us`, so the shown world is that of one brush cycle before.
        let ahead_us = (peer.position_us() + lengths.brush_nanos / 1000).saturating_sub(shown_us);
        (ahead_us as f32 / 1e6).min(lengths.brush_seconds())
    }

    /// Ends this machine's part after its last cycle: waits until all that play have told their chains, or a while, and says farewell.
    pub fn finish(&mut self, session: &mut Session) {
        let began_us = self.now_us();
        let mut was_done = false;
        while self.now_us() < began_us + FAREWELL_US && self.end.is_none() {
            if self.turn(session, Duration::from_millis(2)).is_err() {
                break;
            }
            if !was_done {
                was_done = self.say_done(session);
            }
            if was_done && self.is_everyone_done() {
                break;
            }
        }
        self.leave(session, "it has played to its last cycle");
    }

    /// Leaves, with a reason for the others.
    pub fn leave(&mut self, session: &mut Session, why: &str) {
        let letter = Letter::Farewell { why: why.to_string() };
        let links: Vec<LinkId> = match &self.role {
            Role::Host(host) => host.seats.keys().copied().collect(),
            Role::Guest(guest) => vec![guest.link],
        };
        for link in links {
            self.wire.post(link, &letter);
        }
        if let Some(peer) = self.peer.as_mut().filter(|peer| !peer.is_host()) {
            peer.leave();
        }
        let began_us = self.now_us();
        while self.now_us() < began_us + 300_000 && self.turn(session, Duration::from_millis(2)).is_ok() {}
    }

    fn now_us(&self) -> u64 {
        self.clock.now() / 1000
    }

    fn say(&mut self, line: String) {
        if self.lines.len() < LINES_MAX {
            self.lines.push_back(line);
        }
    }

    fn finish_with(&mut self, why: String) {
        if self.end.is_none() {
            self.say(why.clone());
            self.end = Some(PartyEnd { why });
        }
    }

    fn take_event(&mut self, now_us: u64, session: &mut Session, event: WireEvent) -> Result<(), PartyError> {
        match event {
            WireEvent::Opened { link, identity, address, is_caller: false } => {
                if let Role::Host(host) = &mut self.role {
                    host.seats.insert(link, Seat::new(now_us, identity, address));
                }
            }
            WireEvent::Message { link, stream: PLAY, bytes } => {
                let from = match &self.role {
                    Role::Host(host) => host.seats.get(&link).and_then(Seat::playing),
                    Role::Guest(guest) => Some(guest.host),
                };
                if let (Some(from), Some(peer)) = (from, &mut self.peer) {
                    // A message that cannot be read changes nothing.
                    let _ = peer.handle_message(now_us, from, &bytes);
                }
            }
            WireEvent::Message { link, bytes, .. } => match Letter::read(&bytes) {
                Ok(letter) if matches!(self.role, Role::Host(_)) => self.host_letter(now_us, link, letter),
                Ok(letter) => self.guest_letter(now_us, session, letter)?,
                Err(error) => self.say(format!("a letter that cannot be read was dropped: {error}")),
            },
            WireEvent::Opened { .. } | WireEvent::Failed { .. } => {}
        }
        Ok(())
    }

    /// Lets lockstep send, and passes on what it reports.
    fn drive_peer(&mut self, now_us: u64) {
        let Some(peer) = &mut self.peer else { return };
        let mut reports = Vec::new();
        while let Some((to, bytes)) = peer.poll_message(now_us) {
            let link = match &self.role {
                Role::Host(host) => host.link_of(to),
                Role::Guest(guest) => Some(guest.link).filter(|_| to == guest.host),
            };
            if let Some(link) = link {
                // The longest message fits; a full queue drops its oldest.
                self.wire.send(link, PLAY, &bytes);
            }
        }
        while let Some(report) = peer.poll_report() {
            reports.push(report);
        }
        for report in reports {
            self.take_report(report);
        }
    }

    fn take_report(&mut self, report: LockstepReport) {
        let is_observer = |player: u8| u16::from(player) >= self.players;
        let name = |player: u8| match (player == self.me, is_observer(player)) {
            (true, _) => String::from("this machine"),
            (_, true) => format!("observer {player}"),
            (_, false) => format!("player {player}"),
        };
        let line = match report {
            LockstepReport::Joined { player, cycle } => {
                format!("{} joins in safe cycle {}", name(player), self.base + cycle)
            }
            LockstepReport::Left { player, cycle } => {
                let robot = if is_observer(player) { "" } else { "; a robot plays on" };
                format!("{} has left in safe cycle {}{robot}", name(player), self.base + cycle)
            }
            LockstepReport::Slow { player, cause: Some(SlowCause::Connection) } => {
                format!("{} is slow: its connection", name(player))
            }
            LockstepReport::Slow { player, cause: Some(SlowCause::Processor) } => {
                format!("{} is slow: its processor", name(player))
            }
            LockstepReport::Slow { player, cause: None } => format!("{} has caught up", name(player)),
            LockstepReport::NewHost { term } => format!("{} is the host now", name(term.host)),
            LockstepReport::Desync { player, cycle } => {
                let line =
                    format!("the world of {} differs, first seen after safe cycle {}", name(player), self.base + cycle);
                self.begin_comparison(player);
                line
            }
            LockstepReport::Ended(ending) => return self.take_ending(ending),
        };
        self.say(line);
    }

    fn take_ending(&mut self, ending: Ending) {
        if let Role::Guest(guest) = &mut self.role
            && ending == Ending::Dropped
        {
            // It joins again, over the same connection.
            let hello = Letter::Hello { format: FORMAT, is_observer: guest.is_observer };
            let link = guest.link;
            guest.begin_joining();
            self.peer = None;
            self.say(String::from("the others went on without this machine; it joins again"));
            self.wire.post(link, &hello);
            return;
        }
        self.peer = None;
        self.finish_with(String::from(match ending {
            Ending::Left => "this machine has left",
            Ending::Dropped => "the others go on without this machine",
            Ending::CutOff => "neither the host nor enough others are heard",
        }));
    }

    /// Whether a host has heard the end of all, or a guest the host's farewell.
    fn is_everyone_done(&self) -> bool {
        match &self.role {
            Role::Host(host) => {
                let is_member = |machine: u8| self.peer.as_ref().is_some_and(|peer| peer.members().contains(&machine));
                host.seats.values().all(|seat| seat.is_done || !seat.playing().is_some_and(is_member))
            }
            Role::Guest(_) => self.is_host(),
        }
    }

    /// Says that this world has applied its last cycle. Returns whether it was said.
    fn say_done(&mut self, session: &Session) -> bool {
        match &mut self.role {
            Role::Host(_) => true,
            Role::Guest(guest) => {
                guest.is_done = true;
                self.wire.post(guest.link, &Letter::Done { cycle: self.next, chain: session.chain() })
            }
        }
    }
}

impl GuestPart {
    fn begin_joining(&mut self) {
        self.incoming = None;
        self.behind.clear();
        (self.is_joining, self.has_world, self.has_said) = (true, false, false);
    }
}

/// A machine that has reached a host and knows what it plays, but has no world yet.
pub struct Visitor {
    clock: Clock,
    wire: Wire,
    link: LinkId,
    options: PartyOptions,
    offer: Offer,
}

impl Visitor {
    /// Calls the host at an address, and asks what it plays.
    pub fn call(address: SocketAddr, options: &PartyOptions) -> Result<Visitor, PartyError> {
        let clock = Clock::new();
        let mut wire = Wire::open(&options.address, &options.password, false, options.profile)?;
        let now_us = clock.now() / 1000;
        wire.call(now_us, address);
        let mut link = None;
        loop {
            let now_us = clock.now() / 1000;
            wire.receive(now_us, Duration::from_millis(5))?;
            while let Some(event) = wire.poll_event() {
                match event {
                    WireEvent::Opened { link: opened, .. } => {
                        link = Some(opened);
                        wire.post(opened, &Letter::Hello { format: FORMAT, is_observer: options.is_observer });
                    }
                    WireEvent::Failed { address, why } => return Err(PartyError::NotReached { address, why }),
                    WireEvent::Message { link, stream: CONTROL, bytes } => match Letter::read(&bytes) {
                        Ok(Letter::Offer(offer)) => {
                            return Ok(Visitor { clock, wire, link, options: options.clone(), offer });
                        }
                        Ok(Letter::Refused { why } | Letter::Farewell { why }) => {
                            return Err(PartyError::Refused { why });
                        }
                        _ => {}
                    },
                    WireEvent::Message { .. } => {}
                }
            }
            wire.flush(now_us);
            let heard_us = link.and_then(|link| wire.heard_us(link));
            if heard_us.is_some_and(|heard_us| heard_us + SILENCE_US < now_us) {
                return Err(PartyError::Silent);
            }
        }
    }

    /// What the host plays.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Does not take part, and says why, so that its place is free.
    pub fn decline(mut self, why: &str) {
        self.wire.post(self.link, &Letter::Farewell { why: why.to_string() });
        let began_us = self.clock.now() / 1000;
        let mut now_us = began_us;
        while now_us < began_us + DECLINE_US {
            self.wire.flush(now_us);
            if self.wire.receive(now_us, Duration::from_millis(5)).is_err() {
                return;
            }
            now_us = self.clock.now() / 1000;
        }
    }

    /// Takes part with a session that was begun as the offer says. An error names what differs from the host's.
    pub fn enter(self, session: &Session) -> Result<Party, PartyError> {
        let Visitor { clock, mut wire, link, options, offer } = self;
        let identities = identities_of(session);
        wire.post(link, &Letter::Accept(identities));
        if identities != offer.identities {
            let tags = wait_for_tags(&clock, &mut wire, link)?;
            return Err(PartyError::Differs { lines: differences(&offer, &identities, &tags, &tags_of(session)) });
        }
        wire.flush(clock.now() / 1000);
        let guest = GuestPart {
            link,
            host: 0,
            incoming: None,
            percent_said: 0,
            behind: VecDeque::new(),
            is_joining: true,
            has_world: false,
            has_said: false,
            is_done: false,
            identities,
            is_observer: options.is_observer,
        };
        let me = offer.machine;
        let settings =
            LockstepSettings { players: vec![me], host: me, kinds: offer.kinds.clone(), cycle_us: offer.cycle_us };
        let role = Role::Guest(Box::new(guest));
        let mut party = Party::new(wire, me, offer.players, role, settings, &options);
        party.clock = clock;
        Ok(party)
    }
}

/// The host's tags, after this machine has said that its own are others; empty if only the program differs.
fn wait_for_tags(clock: &Clock, wire: &mut Wire, link: LinkId) -> Result<Vec<(String, u64)>, PartyError> {
    let began_us = clock.now() / 1000;
    let mut tags = Vec::new();
    loop {
        let now_us = clock.now() / 1000;
        wire.flush(now_us);
        wire.receive(now_us, Duration::from_millis(5))?;
        while let Some(event) = wire.poll_event() {
            let WireEvent::Message { bytes, .. } = event else { continue };
            match Letter::read(&bytes) {
                Ok(Letter::Tags(told)) => tags = told,
                Ok(Letter::Refused { .. }) => {
                    wire.close(link);
                    return Ok(tags);
                }
                _ => {}
            }
        }
        if began_us + SILENCE_US < now_us {
            return Ok(tags);
        }
    }
}

/// The most tags that are named.
const NAMED_MAX: usize = 12;

/// What differs between a host and a guest, a line each.
fn differences(offer: &Offer, own: &Identities, theirs: &[(String, u64)], ours: &[(String, u64)]) -> Vec<String> {
    let mut lines = Vec::new();
    let host = &offer.identities;
    if host.build != own.build {
        lines.push(format!(
            "the program: the host's steps worlds with build {:016x}, this one with {:016x}; use the same version",
            host.build, own.build
        ));
    }
    if host.content != own.content {
        let theirs: BTreeMap<&str, u64> = theirs.iter().map(|(path, key)| (path.as_str(), *key)).collect();
        let ours: BTreeMap<&str, u64> = ours.iter().map(|(path, key)| (path.as_str(), *key)).collect();
        let mut named = Vec::new();
        for (path, key) in &theirs {
            match ours.get(path) {
                None => named.push(format!("the tag {path}: only the host has it")),
                Some(own) if own != key => named.push(format!("the tag {path}: the host has another version")),
                Some(_) => {}
            }
        }
        let only_here = ours.keys().filter(|path| !theirs.is_empty() && !theirs.contains_key(*path));
        named.extend(only_here.map(|path| format!("the tag {path}: the host does not have it")));
        if named.is_empty() {
            named.push(String::from("the tags: the host has others"));
        }
        let more = named.len().saturating_sub(NAMED_MAX);
        named.truncate(NAMED_MAX);
        lines.extend(named);
        if more > 0 {
            lines.push(format!("and {more} more tags"));
        }
    }
    if lines.is_empty() {
        lines.push(format!(
            "the layout of the world: {:016x} at the host, {:016x} here; use the same version and the same tags",
            host.layout, own.layout
        ));
    }
    lines
}

impl Party {
    fn guest_letter(&mut self, now_us: u64, session: &mut Session, letter: Letter) -> Result<(), PartyError> {
        let Role::Guest(guest) = &mut self.role else { return Ok(()) };
        match letter {
            Letter::Offer(offer) if guest.is_joining => {
                self.me = offer.machine;
                let link = guest.link;
                let accept = Letter::Accept(guest.identities);
                self.wire.post(link, &accept);
            }
            Letter::Block(head) if guest.is_joining => {
                guest.begin_joining();
                guest.incoming = Some(Incoming::new(head)?);
            }
            Letter::Part(part) => {
                let Some(incoming) = &mut guest.incoming else { return Ok(()) };
                let is_whole = incoming.add(&part)?;
                let percent = incoming.percent();
                if percent >= guest.percent_said + 25 || is_whole {
                    guest.percent_said = percent;
                    self.lines.push_back(format!("the world arrives: {percent} %"));
                }
                if is_whole && let Some(incoming) = guest.incoming.take() {
                    incoming.load(session)?;
                    let head = incoming.head();
                    (self.base, self.next) = (head.base, head.next);
                    self.played.clone_from(&head.played);
                    guest.percent_said = 0;
                    guest.has_world = true;
                }
            }
            Letter::Tail { first, records } if guest.is_joining && first == self.next && guest.behind.is_empty() => {
                let kinds = Kinds::new(&self.settings.kinds);
                let records = kinds.read_tail(&records);
                let records = records.map_err(|error| PartyError::BadWorld { why: error.to_string() })?;
                guest.behind.extend(records);
                guest.has_said = false;
            }
            Letter::Begin(mut point) if guest.is_joining && point.first == self.next => {
                (guest.is_joining, guest.has_world, guest.host) = (false, false, point.term.host);
                point.chain = session.chain();
                let Party { settings, me, .. } = self;
                self.peer = Some(Peer::join(*me, &settings.kinds, settings.cycle_us, &point, now_us));
            }
            Letter::Compare { at } => {
                self.desyncs += 1;
                self.say(format!(
                    "this machine's world differs from the host's; it gets the host's after safe cycle {}",
                    self.base + at
                ));
                self.comparison = Some(Comparison::of_guest(at, now_us));
            }
            Letter::Refused { why } => return Err(PartyError::Refused { why }),
            Letter::Farewell { why } => {
                if guest.is_done {
                    self.end = Some(PartyEnd { why });
                } else {
                    self.peer = None;
                    self.finish_with(format!("the host has ended the session: {why}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn guest_turn(&mut self, now_us: u64, session: &Session) -> Result<(), PartyError> {
        let Role::Guest(guest) = &mut self.role else { return Ok(()) };
        if !guest.is_joining || self.end.is_some() {
            return Ok(());
        }
        let heard_us = self.wire.heard_us(guest.link);
        if heard_us.is_none_or(|heard_us| heard_us + SILENCE_US < now_us) {
            return Err(PartyError::Silent);
        }
        let is_safe = session.lengths().is_safe(session.world().cycle());
        if guest.has_world && !guest.has_said && guest.behind.is_empty() && is_safe {
            guest.has_said = self.wire.post(guest.link, &Letter::Loaded { next: self.next });
        }
        Ok(())
    }
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

/// An identity in a few letters, for people.
fn short(identity: &Identity) -> String {
    identity.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
