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
//!
//! Cost: beside that of `net` and of the gate, a world that arrives takes its compressed bytes, of which the head said how many, and then a
//! block that is as long as its level says. Of the worlds that differ three are compared for a key or a network, and eight for a session.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use host::clock::Clock;
use host::gate::{Identity, LinkId};
use net::finding::FoundSession;
use net::letter::{Identities, Letter, Offer, PLAY};
use net::limits::PLAYERS_MAX;
use net::lockstep::{Ending, LockstepReport, SlowCause};
use net::simulation::Profile;
use net::{LockstepSettings, Peer};
use relay::Event;

use crate::game::GameEntry;
use crate::project::title_of;
use crate::session::Session;

mod compared;
mod comparison;
mod error;
mod finding;
mod guest;
mod lobby;
mod mesh;
mod numbers;
mod passage;
mod seats;
mod visitor;
mod wire;
mod world_copy;

use compared::Compared;
use comparison::Comparison;
use finding::Beacon;
use guest::GuestPart;
use mesh::Mesh;
use seats::{KeptPlace, Seat};
use wire::{Wire, WireEvent};
use world_copy::WorldCopy;

pub use error::PartyError;
pub use finding::find;
pub use lobby::Wish;
pub use numbers::PartyNumbers;
pub use passage::{MeetingPlace, PassageTrouble};
pub use visitor::Visitor;

pub use net::simulation::profile::ALL as PROFILES;

/// How a machine takes part.
#[derive(Clone, Debug)]
pub struct PartyOptions {
    /// The address of this machine's socket.
    pub address: String,
    /// The password of the session.
    pub password: String,
    /// The secret of this machine's key pair, by which the others know it again; without one it is drawn.
    pub key: Option<[u8; 32]>,
    /// The connection that is imitated, if any.
    pub profile: Option<Profile>,
    /// Whether it plays no player.
    pub is_observer: bool,
    /// For a host: the machines that it waits for before the first cycle, itself included.
    pub machines: usize,
    /// The folder for the worlds of machines that differ.
    pub folder: PathBuf,
    /// The name of the person, for the others.
    pub name: String,
    /// For a guest: the player that it would like to play.
    pub player: Option<u8>,
    /// Whether the first cycle may begin as soon as the world is there.
    pub is_ready: bool,
    /// The meeting point, if machines behind routers are to be reached.
    pub meeting: Option<MeetingPlace>,
    /// For a host: whether it answers those who look for sessions on the local network.
    pub is_found: bool,
    /// For a host: whether the first cycle begins only when all are ready, or the host says so.
    pub has_lobby: bool,
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
    /// The machines whose worlds are to be compared, and the first cycles after which that was noticed.
    differing: VecDeque<(u8, u64)>,
    compared: Compared,
    /// The level of the world, and the length of its block: what another machine sends is measured by it.
    level: String,
    block_bytes: usize,
    /// When this machine handed over because most worlds differ from its own; it waits for its successor.
    resigned_us: Option<u64>,
    folder: PathBuf,
    entry: Option<GameEntry>,
    /// The level that the tags were loaded for.
    level_of_content: String,
    /// The chain of this world at the cycle that is next.
    chain: u64,
    /// The events of this machine's player that were dropped because too many waited.
    left_out: u64,
    desyncs: u64,
    name: String,
    is_observer: bool,
    is_ready: bool,
    mesh: Mesh,
    /// The machine whose message has ended this one's part.
    ended_by: Option<u8>,
    wishes: Option<Receiver<Wish>>,
}

/// How it ended for this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartyEnd {
    /// Why, for people.
    pub why: String,
    /// Whether the person at this machine wanted it.
    pub is_orderly: bool,
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
    has_lobby: bool,
    /// Whether the first cycle begins before all are ready.
    is_asked_to_begin: bool,
    /// Whether the host itself wants a pause.
    pauses: bool,
    /// The public keys of removed machines.
    removed: Vec<Identity>,
    /// The players of machines that fell silent.
    kept: Vec<KeptPlace>,
    /// When the machines that wait for the first cycle were told something last.
    beat_us: u64,
    beacon: Option<Beacon>,
    /// What was said about the meeting point.
    met: Option<Result<(), PassageTrouble>>,
}

impl HostPart {
    fn new(offer: Offer, tags: Vec<(String, u64)>, machines: usize) -> HostPart {
        HostPart {
            offer,
            tags,
            machines,
            seats: BTreeMap::new(),
            copy: None,
            has_lobby: false,
            is_asked_to_begin: false,
            pauses: false,
            removed: Vec::new(),
            kept: Vec::new(),
            beat_us: 0,
            beacon: None,
            met: None,
        }
    }
}

/// How long a host may be silent while this machine joins.
const SILENCE_US: u64 = 15_000_000;

/// How long ending takes at most.
const FAREWELL_US: u64 = 10_000_000;

/// How long a host that leaves waits for its guests to know.
const HAND_OVER_US: u64 = 2_000_000;

/// The kinds of lines about connections that are kept until they are read.
const LINES_MAX: usize = 1000;

impl PartyOptions {
    /// A guest's options, with any free port.
    pub fn guest(password: &str, folder: PathBuf) -> PartyOptions {
        PartyOptions {
            address: String::from("0.0.0.0:0"),
            password: password.to_string(),
            key: None,
            profile: None,
            is_observer: false,
            machines: 1,
            folder,
            name: String::new(),
            player: None,
            is_ready: true,
            meeting: None,
            is_found: false,
            has_lobby: false,
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
        let mut wire = Wire::open(options)?;
        if let Some(place) = &options.meeting {
            wire.meet(place, true)?;
        }
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
        let machines = options.machines.max(1);
        let beacon = if options.is_found { Beacon::open(wire.address().ip()) } else { None };
        let has_lobby = options.has_lobby;
        let host = HostPart { has_lobby, beacon, ..HostPart::new(offer, tags_of(session), machines) };
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
            compared: Compared::default(),
            level: String::new(),
            block_bytes: 0,
            resigned_us: None,
            folder: options.folder.clone(),
            entry: None,
            level_of_content: String::new(),
            chain: 0,
            left_out: 0,
            desyncs: 0,
            name: net::letter::plain_name(&options.name),
            is_observer: options.is_observer,
            is_ready: options.is_ready,
            mesh: Mesh::default(),
            ended_by: None,
            wishes: None,
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
        if self.level != session.level() {
            self.level = session.level().to_string();
        }
        self.block_bytes = session.world().bytes().len();
        let before_us = self.now_us();
        self.wire.receive(before_us, patience)?;
        let now_us = self.now_us();
        while let Some(event) = self.wire.poll_event() {
            self.take_event(now_us, session, event)?;
        }
        self.take_wishes(now_us);
        if matches!(self.role, Role::Host(_)) {
            self.host_turn(now_us, session);
            self.answer_questions(now_us);
            self.say_met();
            self.tell_roster(now_us);
        } else {
            for (_, letter) in self.take_early() {
                self.guest_letter(now_us, session, letter)?;
            }
            self.guest_turn(now_us, session)?;
            self.mesh_turn(now_us);
        }
        self.poll_comparison(now_us, session);
        self.drive_peer(now_us, session);
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
                if self.lines.len() < LINES_MAX {
                    self.lines.push_back(format!("the events of player {player} were refused: {refusal}"));
                }
            }
        }
        self.note_uses(session, &record.uses);
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
        let is_over = self.is_everyone_done();
        self.depart(session, "it has played to its last cycle", !is_over);
    }

    /// Leaves, with a reason for the others. The guests of a host play on: they elect its successor.
    pub fn leave(&mut self, session: &mut Session, why: &str) {
        self.depart(session, why, true);
    }

    /// Leaves, with a reason for the others. A host ends the session for all.
    pub fn end_for_all(&mut self, session: &mut Session, why: &str) {
        self.depart(session, why, false);
    }

    fn depart(&mut self, session: &mut Session, why: &str, may_hand_over: bool) {
        let has_guests = self.peer.as_ref().is_some_and(|peer| peer.is_host() && peer.members().len() > 1);
        let hands_over = may_hand_over && has_guests;
        let letter = Letter::Farewell { why: why.to_string() };
        let links: Vec<LinkId> = match &self.role {
            Role::Host(host) => {
                let hears_it = |seat: &Seat| !hands_over || seat.playing().is_none();
                host.seats.iter().filter(|(_, seat)| hears_it(seat)).map(|(link, _)| *link).collect()
            }
            Role::Guest(guest) => vec![guest.link],
        };
        for link in links {
            self.wire.post(link, &letter);
        }
        if let Some(peer) = self.peer.as_mut().filter(|peer| hands_over || !peer.is_host()) {
            peer.leave();
        }
        let patience_us = if hands_over { HAND_OVER_US } else { 300_000 };
        let began_us = self.now_us();
        while self.now_us() < began_us + patience_us
            && (self.peer.is_some() || !hands_over)
            && self.turn(session, Duration::from_millis(2)).is_ok()
        {}
    }

    /// Says whether the meeting point is reached, when that changes.
    fn say_met(&mut self) {
        let Some(passage) = self.wire.passage() else { return };
        let now = match (passage.is_open(), passage.trouble()) {
            (_, Some(trouble)) => Some(Err(trouble)),
            (true, None) => Some(Ok(())),
            (false, None) => None,
        };
        let place = passage.place();
        let Role::Host(host) = &mut self.role else { return };
        if now == host.met {
            return;
        }
        host.met = now;
        match now {
            Some(Ok(())) => self.say(format!("machines can join through the relay {place}")),
            Some(Err(trouble)) => self.say(format!("the relay {place}: {trouble}")),
            None => {}
        }
    }

    /// Answers machines that look for sessions.
    fn answer_questions(&mut self, now_us: u64) {
        let (me, players, port, has_begun) = (self.me, self.players, self.wire.address().port(), self.peer.is_some());
        let Role::Host(host) = &mut self.role else { return };
        let Some(mut beacon) = host.beacon.take() else { return };
        let is_player = |machine: &u8| u16::from(*machine) < players;
        let played = host.seats.values().filter_map(|seat| seat.machine).chain([me]).filter(is_player).count();
        let offer = &host.offer;
        beacon.answer(now_us, &mut || FoundSession {
            port,
            name: self.name.clone(),
            game: offer.game.clone(),
            version: offer.version.clone(),
            level: offer.level.clone(),
            players,
            played: played as u8,
            has_begun,
            build: offer.identities.build,
            content: offer.identities.content,
        });
        host.beacon = Some(beacon);
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
            self.end = Some(PartyEnd { why, is_orderly: false });
        }
    }

    fn take_event(&mut self, now_us: u64, session: &mut Session, event: WireEvent) -> Result<(), PartyError> {
        match event {
            WireEvent::Opened { link, identity, address, is_caller: false } => match &mut self.role {
                Role::Host(host) => drop(host.seats.insert(link, Seat::new(now_us, identity, address))),
                Role::Guest(_) => self.mesh_opened(now_us, link, identity, address),
            },
            WireEvent::Opened { link, identity, address, is_caller: true } => {
                if self.is_mesh_call(address) {
                    self.mesh_opened(now_us, link, identity, address);
                }
            }
            WireEvent::Message { link, stream: PLAY, bytes } => {
                if let (Some(from), Some(peer)) = (self.machine_on(link), &mut self.peer) {
                    let was_over = peer.ending().is_some();
                    // A message that cannot be read changes nothing.
                    let _ = peer.handle_message(now_us, from, &bytes);
                    if !was_over && peer.ending().is_some() {
                        self.ended_by = Some(from);
                    }
                }
            }
            WireEvent::Message { link, bytes, .. } => match (Letter::read(&bytes), &self.role) {
                (Ok(Letter::Differs { machine, cycle, text }), _) if self.mesh.former_host == Some(link) => {
                    self.mesh.former_host = None;
                    self.note_difference(session, machine, cycle, &text);
                }
                (Ok(letter), Role::Host(_)) => self.host_letter(now_us, link, letter),
                (Ok(letter), Role::Guest(guest)) if guest.link == link => {
                    self.guest_letter(now_us, session, letter)?;
                }
                (Ok(letter), Role::Guest(_)) => self.mesh_letter(link, letter),
                (Err(error), _) => self.say(format!("a letter that cannot be read was dropped: {error}")),
            },
            WireEvent::Failed { address, .. } => self.mesh_failed(now_us, address),
        }
        Ok(())
    }

    /// Lets lockstep send, and passes on what it reports.
    fn drive_peer(&mut self, now_us: u64, session: &mut Session) {
        let mut reports = Vec::new();
        while let Some((to, bytes)) = self.peer.as_mut().and_then(|peer| peer.poll_message(now_us)) {
            if let Some(link) = self.link_to(to) {
                // Every message fits (law 4 of lockstep); a full queue drops its oldest.
                self.wire.send(link, PLAY, &bytes);
            }
        }
        while let Some(report) = self.peer.as_mut().and_then(Peer::poll_report) {
            reports.push(report);
        }
        for report in reports {
            if let LockstepReport::NewHost { term } = report {
                self.follow_term(now_us, session, term);
            }
            self.take_report(now_us, session, report);
        }
    }

    fn take_report(&mut self, now_us: u64, session: &mut Session, report: LockstepReport) {
        let is_observer = |player: u8| u16::from(player) >= self.players;
        let name = |player: u8| match player == self.me {
            true => String::from("this machine"),
            false => self.name_of(player),
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
            LockstepReport::Desync { player, cycle } => return self.begin_comparison(session, player, cycle),
            LockstepReport::Outvoted => return self.resign(now_us, session),
            LockstepReport::Ended(ending) => return self.take_ending(now_us, ending),
        };
        self.say(line);
    }

    fn take_ending(&mut self, now_us: u64, ending: Ending) {
        if let (Role::Guest(guest), Ending::Dropped) = (&self.role, ending) {
            // A record said so: over the connection that it came on.
            self.ended_by.get_or_insert(guest.host);
        }
        if self.join_again(now_us, ending) {
            self.say(String::from("the others went on without this machine; it joins again"));
            return;
        }
        self.peer = None;
        if self.resigned_us.is_some() && ending == Ending::Left {
            return;
        }
        let why = String::from(match ending {
            Ending::Left => "this machine has left",
            Ending::Dropped => "the others go on without this machine",
            Ending::CutOff => "neither the host nor enough others are heard",
        });
        if ending == Ending::Left {
            self.end.get_or_insert(PartyEnd { why, is_orderly: true });
        } else {
            self.finish_with(why);
        }
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

/// An identity in a few letters, for people.
fn short(identity: &Identity) -> String {
    identity.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
