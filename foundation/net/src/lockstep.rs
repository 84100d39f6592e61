//! Lockstep: all machines apply the same inputs in the same safe cycles.
//!
//! Inputs go through the host. A player's machine aims each input at a cycle and sends it to the host until it is taken; the
//! host decides which inputs are in a cycle, and sends records to all. It never waits: a player on a bad connection has
//! a longer way to effect and hurts no other. A mesh would need seven times the packets, and an agreement among all
//! whenever one drops; here the host's record is the agreement, and a player leaves in a cycle like any other input.
//!
//! When the host is not heard, its guests ask the first of them to stand. It becomes host when more than half of the guests
//! ask and vote for it; voters follow no other, and tell how far their records reach. The successor collects the longest and
//! goes on from there in a new [`Term`]. Those who did not vote leave in its first cycle.
//!
//! A host that leaves says so in its last record; whoever has that record asks at once.
//!
//! A machine joins with the world of a cycle and the records since ([`JoinPoint`]): the host adds it to a record, and from that cycle on
//! it is a member like any other. Nothing waits for it.
//!
//! Laws
//! 1. In a term, the record of a cycle is decided by one machine, once. Machines of the same term agree on every cycle
//!    that both have, from the beginning of the session.
//! 2. A player's inputs are taken in order, each once or, if the player leaves or the host dies before it is known, never.
//! 3. A message may be lost, late, doubled or forged bytes: nothing panics, and a malformed one changes nothing. Numbers above
//!    [`COUNT_MAX`](crate::limits::COUNT_MAX) are malformed.
//! 4. Every message and every record fits into a datagram, however much players send; what does not fit waits for the next record, and
//!    of each player an input is taken before the second of another.
//! 5. No machine waits for ever: it goes on, or it ends with a reason. A host without guests goes on alone.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use base::StringId;
use base::bytes::ReadError;
use base::hash::mix;
use relay::Event;
use relay::limits::EVENTS_PER_BATCH_MAX;

mod clock;
mod election;
mod gathering;
mod guest;
mod hosting;
mod log;
mod message;
mod record;

pub use message::Term;
pub(crate) use record::read_number;
pub use record::{Kinds, PlayerBatch, Record};

use crate::limits::{
    BATCHES_WAITING_MAX, INPUT_BYTES_MAX, KEPT_CYCLES_MAX, LOG_CYCLES_MAX, MESSAGE_BYTES_MAX, PLAYERS_MAX,
    TAIL_CYCLES_MAX,
};
use crate::rights::{Right, RightUse};
use clock::SessionClock;
use guest::Guest;
use hosting::Hosting;
use log::Log;
use message::{Input, Note};

/// What all machines of a session know at its start.
#[derive(Clone, Debug)]
pub struct LockstepSettings {
    /// The players; also the order of succession.
    pub players: Vec<u8>,
    /// The first host.
    pub host: u8,
    /// The kinds of events, in an order that all share.
    pub kinds: Vec<StringId>,
    /// The length of a safe cycle.
    pub cycle_us: u64,
}

/// Where a machine enters a session that is being played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinPoint {
    /// The term, and so the host.
    pub term: Term,
    /// The first cycle that it has not applied.
    pub first: u64,
    /// The chain over the cycles before.
    pub chain: u64,
    /// The players, in the order of succession.
    pub members: Vec<u8>,
    /// The number of each player's last taken input.
    pub taken: [u64; PLAYERS_MAX],
    /// Whether the session is paused.
    pub is_paused: bool,
}

/// One machine of a session.
#[derive(Clone, Debug)]
pub struct Peer {
    me: u8,
    cycle_us: u64,
    kinds: Kinds,
    /// The players that have not left, by the records so far.
    members: Vec<u8>,
    /// The number of each player's last taken input.
    taken: [u64; PLAYERS_MAX],
    term: Term,
    /// The greatest term that this machine voted for or follows.
    promised: Term,
    log: Log,
    /// The cycles whose leavings and inputs are counted.
    counted: u64,
    clock: SessionClock,
    /// The next cycle to be applied.
    next: u64,
    /// The first cycle that is kept for machines that are joining.
    kept: Option<u64>,
    hashed: u64,
    chain: u64,
    /// The lower halves of the last chains.
    chains: VecDeque<u32>,
    gathered: Vec<Event>,
    unconfirmed: VecDeque<Input>,
    next_input: u64,
    role: Role,
    outgoing: VecDeque<(u8, Vec<u8>)>,
    reports: VecDeque<LockstepReport>,
    now_us: u64,
    is_leaving: bool,
    /// Whether the session is paused, by the records so far.
    is_paused: bool,
}

#[derive(Clone, Debug)]
enum Role {
    Host(Hosting),
    Guest(Box<Guest>),
    Ended(Ending),
}

/// Why a machine is no longer part of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The player went.
    Left,
    /// The others go on without it: it was kicked, or not heard for too long.
    Dropped,
    /// Neither the host nor enough others are heard.
    CutOff,
}

/// What a person or a program should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockstepReport {
    /// A player holds the session up, or did; only the host reports it.
    Slow {
        /// The player.
        player: u8,
        /// Why, or `None` when it has caught up.
        cause: Option<SlowCause>,
    },
    /// A player is a member from a cycle on.
    Joined {
        /// The player.
        player: u8,
        /// The cycle.
        cycle: u64,
    },
    /// A player left in a cycle.
    Left {
        /// The player.
        player: u8,
        /// The cycle.
        cycle: u64,
    },
    /// This machine follows another host, or is it.
    NewHost {
        /// The term.
        term: Term,
    },
    /// A player's world differs from the host's; only the host reports it.
    Desync {
        /// The player.
        player: u8,
        /// The first cycle at which it was noticed.
        cycle: u64,
    },
    /// The worlds of more than half of all machines differ from the host's; only the host reports it.
    Outvoted,
    /// The session is over for this machine.
    Ended(Ending),
}

/// Why a player is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowCause {
    /// Cycles do not reach it, or are lost.
    Connection,
    /// Its machine does not apply in time what it has.
    Processor,
}

impl Peer {
    /// The machine of the player `me`.
    ///
    /// # Panics
    /// If a player is not below [`PLAYERS_MAX`], or `me` or the host is no player, or the cycle has no length.
    pub fn new(me: u8, settings: &LockstepSettings, now_us: u64) -> Peer {
        let players = &settings.players;
        assert!(players.iter().all(|player| usize::from(*player) < PLAYERS_MAX), "{players:?}");
        assert!(players.contains(&me) && players.contains(&settings.host), "{me} and {}", settings.host);
        assert!(settings.cycle_us > 0, "a cycle has a length");
        let term = Term { number: 0, host: settings.host };
        let role = if me == settings.host {
            let guests = players.iter().filter(|player| **player != me).map(|player| (*player, 0));
            Role::Host(Hosting::new(guests, 0, now_us))
        } else {
            Role::Guest(Box::new(Guest::new(now_us)))
        };
        Peer {
            me,
            cycle_us: settings.cycle_us,
            kinds: Kinds::new(&settings.kinds),
            members: players.clone(),
            taken: [0; PLAYERS_MAX],
            term,
            promised: term,
            log: Log::default(),
            counted: 0,
            clock: SessionClock::new(now_us),
            next: 0,
            kept: None,
            hashed: 0,
            chain: 0,
            chains: VecDeque::new(),
            gathered: Vec::new(),
            unconfirmed: VecDeque::new(),
            next_input: 1,
            role,
            outgoing: VecDeque::new(),
            reports: VecDeque::new(),
            now_us,
            is_leaving: false,
            is_paused: false,
        }
    }

    /// The machine of the player `me`, which joins a session at a point that the host told it.
    ///
    /// # Panics
    /// If a player is not below [`PLAYERS_MAX`], or the cycle has no length.
    pub fn join(me: u8, kinds: &[StringId], cycle_us: u64, point: &JoinPoint, now_us: u64) -> Peer {
        let players = [&point.members[..], &[me, point.term.host]].concat();
        let settings = LockstepSettings { players, host: point.term.host, kinds: kinds.to_vec(), cycle_us };
        let first = point.first;
        let mut peer = Peer::new(me, &settings, now_us);
        peer.role = Role::Guest(Box::new(Guest::new(now_us)));
        peer.members.clone_from(&point.members);
        (peer.taken, peer.is_paused) = (point.taken, point.is_paused);
        (peer.term, peer.promised) = (point.term, point.term);
        peer.log = Log::from_cycle(first);
        (peer.counted, peer.next, peer.hashed, peer.chain) = (first, first, first, point.chain);
        peer.clock.jump(first * cycle_us);
        peer
    }

    /// Where another machine could enter now, if its world has all cycles before `first`.
    pub fn join_point(&self, first: u64, chain: u64) -> JoinPoint {
        JoinPoint {
            term: self.term,
            first,
            chain,
            members: self.members.clone(),
            taken: self.taken,
            is_paused: self.is_paused,
        }
    }

    /// Adds a machine whose world has all cycles before `first`: its player is a member from the next record on. Only the host can.
    /// Returns whether it will happen.
    pub fn admit(&mut self, player: u8, first: u64) -> bool {
        let is_free = usize::from(player) < PLAYERS_MAX && !self.members.contains(&player);
        let has_records = first <= self.log.end() && (first == self.log.end() || self.log.get(first).is_some());
        let now_us = self.now_us;
        let is_new = match &mut self.role {
            Role::Host(hosting) if is_free && has_records => hosting.admit(player, first, now_us),
            _ => false,
        };
        if is_new {
            // Its inputs are counted anew.
            self.taken[usize::from(player)] = 0;
        }
        is_new
    }

    /// Keeps the records from a cycle on for machines that are joining, up to [`KEPT_CYCLES_MAX`].
    pub fn keep_from(&mut self, first: Option<u64>) {
        self.kept = first;
    }

    /// The known records from a cycle on, at most [`TAIL_CYCLES_MAX`]; none if they are not kept any more.
    pub fn tail(&self, first: u64) -> Option<Vec<Record>> {
        let end = self.log.end().min(first.saturating_add(TAIL_CYCLES_MAX as u64));
        (first..end).map(|cycle| self.log.get(cycle).cloned()).collect()
    }

    /// The first cycle whose record is not known.
    pub fn known_end(&self) -> u64 {
        self.log.end()
    }

    /// The next cycle to be applied.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The time of the session here, in microseconds of it: a cycle is due at its number times its length.
    pub fn position_us(&self) -> u64 {
        self.clock.position_us()
    }

    /// Adds an event of this machine's player. Returns false if too many wait already.
    pub fn add_event(&mut self, event: Event) -> bool {
        let has_room = self.gathered.len() < EVENTS_PER_BATCH_MAX && self.unconfirmed.len() < BATCHES_WAITING_MAX / 2;
        if has_room {
            self.gathered.push(event);
        }
        has_room
    }

    /// Accepts a message from the machine of a player.
    pub fn handle_message(&mut self, now_us: u64, from: u8, bytes: &[u8]) -> Result<(), ReadError> {
        let note = Note::read(&self.kinds, bytes)?;
        self.pass_time(now_us);
        match &self.role {
            Role::Host(_) => self.host_note(from, note),
            Role::Guest(_) => self.guest_note(from, note),
            Role::Ended(_) => {}
        }
        Ok(())
    }

    /// The next message to be sent, with its receiver. Call it after all that arrived was handled.
    pub fn poll_message(&mut self, now_us: u64) -> Option<(u8, Vec<u8>)> {
        self.pass_time(now_us);
        match &self.role {
            Role::Host(_) => self.host_step(),
            Role::Guest(_) => self.guest_step(),
            Role::Ended(_) => {}
        }
        self.outgoing.pop_front()
    }

    /// The next cycle, if it is due: its number and its record. The world applies it, and its hash comes back with
    /// [`Peer::handle_hash`].
    pub fn poll_cycle(&mut self) -> Option<(u64, Record)> {
        let is_due = self.next * self.cycle_us <= self.clock.position_us();
        let record = self.log.get(self.next).filter(|_| is_due)?.clone();
        self.next += 1;
        let kept = self.kept.map(|kept| kept.max(self.log.end().saturating_sub(KEPT_CYCLES_MAX)));
        self.log.trim(self.next.min(kept.unwrap_or(self.next)));
        Some((self.next - 1, record))
    }

    /// The hash of the world after the next cycle; it is added to the chain that machines compare.
    pub fn handle_hash(&mut self, hash: u64) {
        self.handle_chain(mix(self.chain, hash));
    }

    /// The same, for a world that counts its chain itself.
    pub fn handle_chain(&mut self, chain: u64) {
        self.chain = chain;
        self.hashed += 1;
        self.remember_chain();
    }

    /// The chain before the first cycle, for a host whose world has a history.
    pub fn begin_chain(&mut self, chain: u64) {
        self.chain = chain;
    }

    fn remember_chain(&mut self) {
        self.chains.push_back(self.chain as u32);
        if self.chains.len() > LOG_CYCLES_MAX {
            self.chains.pop_front();
        }
    }

    /// The next report.
    pub fn poll_report(&mut self) -> Option<LockstepReport> {
        self.reports.pop_front()
    }

    /// Leaves the session. A guest tells the host. A host leaves in a record of its own, waits a moment until its guests have it, and they
    /// elect its successor.
    pub fn leave(&mut self) {
        self.is_leaving = true;
        match &self.role {
            Role::Host(hosting) if hosting.has_guests() => self.seal_last(),
            Role::Host(_) => self.end(Ending::Left),
            Role::Guest(_) | Role::Ended(_) => {}
        }
    }

    /// Removes a player; only the host can. Returns whether it will happen.
    pub fn kick(&mut self, player: u8) -> bool {
        match &mut self.role {
            Role::Host(hosting) => hosting.remove(player),
            _ => false,
        }
    }

    /// Puts the use of a right into a record, for all to see; only the host can. Returns whether it will happen.
    pub fn add_use(&mut self, used: RightUse) -> bool {
        match &mut self.role {
            Role::Host(hosting) => hosting.add_use(used),
            _ => false,
        }
    }

    /// Stops the time of the session from the next record on, or lets it run again; only the host can. Returns whether that changes.
    pub fn pause(&mut self, by: u8, is_paused: bool) -> bool {
        let right = if is_paused { Right::Pause } else { Right::Resume };
        match &mut self.role {
            Role::Host(hosting) => {
                hosting.will_be_paused(self.is_paused) != is_paused && hosting.add_use(RightUse { by, right, whom: by })
            }
            _ => false,
        }
    }

    /// Whether the session is paused, by the records so far.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// The player of this machine.
    pub fn player(&self) -> u8 {
        self.me
    }

    /// The term that it follows, and so the host.
    pub fn term(&self) -> Term {
        self.term
    }

    /// Whether this machine decides.
    pub fn is_host(&self) -> bool {
        matches!(self.role, Role::Host(_))
    }

    /// Why the session is over for this machine, if it is.
    pub fn ending(&self) -> Option<Ending> {
        match self.role {
            Role::Ended(ending) => Some(ending),
            _ => None,
        }
    }

    /// The players that have not left.
    pub fn members(&self) -> &[u8] {
        &self.members
    }

    /// The speed of this machine's time in thousandths: around 1000, so that it follows the host without stalls.
    pub fn speed(&self) -> u64 {
        self.clock.speed()
    }

    /// The time for which cycles were missing here.
    pub fn stalled_us(&self) -> u64 {
        self.clock.stalled_us
    }

    /// How far ahead of its own time this machine aims inputs: it follows the one-way delay and the jitter.
    pub fn window_us(&self) -> u64 {
        match &self.role {
            Role::Guest(guest) => guest.window.lead_us(),
            _ => 0,
        }
    }

    fn pass_time(&mut self, now_us: u64) {
        let elapsed_us = now_us.saturating_sub(self.now_us);
        self.now_us = self.now_us.max(now_us);
        // When this machine stood still, the silence of the others says nothing.
        if elapsed_us > STANDSTILL_US {
            match &mut self.role {
                Role::Host(hosting) => hosting.forgive(elapsed_us),
                Role::Guest(guest) => guest.forgive(elapsed_us),
                Role::Ended(_) => {}
            }
        }
    }

    /// Counts the leavings and inputs of cycles that became known.
    fn count_records(&mut self) {
        while self.counted < self.log.end() {
            let cycle = self.counted;
            self.counted += 1;
            let Some(record) = self.log.get(cycle) else { continue };
            for batch in &record.batches {
                let taken = &mut self.taken[usize::from(batch.player)];
                *taken = (*taken).max(batch.number);
            }
            let left = record.left.clone();
            for player in left {
                let was_member = self.members.contains(&player);
                self.members.retain(|member| *member != player);
                self.reports.push_back(LockstepReport::Left { player, cycle });
                // A machine that joins again finds in the records that it had left. A host that leaves waits until its guests know.
                let hands_over = matches!(&self.role, Role::Host(hosting) if hosting.is_handing_over());
                if player == self.me && was_member && !hands_over {
                    self.end(if self.is_leaving { Ending::Left } else { Ending::Dropped });
                }
            }
            let Some(record) = self.log.get(cycle) else { continue };
            for used in &record.uses {
                match used.right {
                    Right::Pause => self.is_paused = true,
                    Right::Resume => self.is_paused = false,
                    _ => {}
                }
            }
            let joined = record.joined.clone();
            for player in joined {
                if !self.members.contains(&player) {
                    self.members.push(player);
                }
                let batches = self.log.get(cycle).map_or(&[][..], |record| &record.batches);
                let own = batches.iter().find(|batch| batch.player == player);
                self.taken[usize::from(player)] = own.map_or(0, |batch| batch.number);
                self.reports.push_back(LockstepReport::Joined { player, cycle });
            }
        }
        let taken = self.taken[usize::from(self.me)];
        while self.unconfirmed.front().is_some_and(|input| input.number <= taken) {
            self.unconfirmed.pop_front();
        }
    }

    fn end(&mut self, ending: Ending) {
        if !matches!(self.role, Role::Ended(_)) {
            self.role = Role::Ended(ending);
            self.outgoing.clear();
            self.reports.push_back(LockstepReport::Ended(ending));
        }
    }

    fn post(&mut self, to: u8, note: &Note) {
        let bytes = note.write(&self.kinds);
        debug_assert!(bytes.len() <= MESSAGE_BYTES_MAX, "{} bytes are no message", bytes.len());
        self.outgoing.push_back((to, bytes));
    }

    /// Makes inputs of the gathered events: one, or several if there are many.
    fn close_input(&mut self, aim: u64) {
        let mut events = core::mem::take(&mut self.gathered);
        while !events.is_empty() {
            let rest = events.split_off(self.kinds.fitting(&events, INPUT_BYTES_MAX));
            self.unconfirmed.push_back(Input { number: self.next_input, aim, events });
            self.next_input += 1;
            events = rest;
        }
    }
}

/// A machine that was not called for this long stood still.
const STANDSTILL_US: u64 = 300_000;

#[cfg(test)]
mod tests;
