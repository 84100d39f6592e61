//! The host: takes inputs, decides records, sends them, and watches its guests.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::gathering::gather;
use super::log::Log;
use super::message::{GuestReport, Input, Note, Term};
use super::record::{CHANGES_MAX, Kinds, Record};
use super::{Ending, LockstepReport, Peer, Role, SlowCause};
use crate::limits::{BATCHES_WAITING_MAX, LOG_CYCLES_MAX};
use crate::rights::{Right, RightUse};

/// What a host knows.
#[derive(Clone, Debug)]
pub(super) struct Hosting {
    /// The first cycle of the term.
    base: u64,
    guests: Vec<GuestState>,
    leaving: Vec<u8>,
    /// The players who are members from the next record on.
    joining: Vec<u8>,
    /// The rights used since the last record.
    uses: Vec<RightUse>,
    /// The machines that took no part in the election of this host, and when they were told of it: since then, and last.
    absent: Vec<u8>,
    absent_since_us: u64,
    absent_told_us: u64,
    /// When the last input was taken.
    active_us: u64,
    /// When the last record was decided, in which this host leaves; it only waits until its guests have it.
    last_us: Option<u64>,
    /// Whether most worlds differ from the host's.
    is_outvoted: bool,
}

#[derive(Clone, Debug)]
struct GuestState {
    player: u8,
    /// The first cycle it does not have, and since when that is so.
    end: u64,
    end_since_us: u64,
    heard_us: u64,
    sent_us: u64,
    /// The cycles sent at least once.
    sent_end: u64,
    /// Where repeating what it misses goes on, and since when that began at its end.
    again: u64,
    again_since_us: u64,
    mark: u8,
    slack: i64,
    follows: bool,
    is_missing: bool,
    /// The cycles that are due there and not applied.
    backlog: u64,
    waiting: VecDeque<Input>,
    accepted: u64,
    cause: Option<SlowCause>,
    /// Since when its chain differs from the host's, and the first cycle at which that was noticed.
    differs: Option<(u64, u64)>,
    is_told: bool,
}

/// A guest that is not heard for this long is dropped.
const DROP_US: u64 = 5_000_000;
/// A guest that is not heard for this long does not follow.
const DESERTED_US: u64 = 1_200_000;
/// How often a machine that was absent is told that it is out, and for how long.
const TELL_US: u64 = 1_000_000;
const TELL_FOR_US: u64 = 60_000_000;
/// The longest silence of a host, for a guest with nothing new.
const SILENCE_US: u64 = 100_000;
/// Without inputs for this long, two cycles are decided at a time, one of them ahead.
const IDLE_US: u64 = 400_000;
/// Every record is in this many messages, so that single losses cost no round trip.
const REDUNDANT_CYCLES: u64 = 3;
/// Without progress for this long, a guest gets all that it does not have.
const RESEND_US: u64 = 400_000;
/// How often one that is far behind gets a piece.
const CATCH_UP_US: u64 = 50_000;
/// How long a host that leaves waits for its guests, and how often it repeats its last record.
const HAND_OVER_US: u64 = 1_500_000;
const HAND_OVER_EVERY_US: u64 = 60_000;
/// How long is waited for the chains of others when one differs.
const VERDICT_US: u64 = 500_000;
/// The bytes of records in one message.
const RECORDS_BYTES_MAX: usize = 900;
/// Where a guest counts as slow.
const BACKLOG_SLOW: u64 = 10;
const BEHIND_SLOW: u64 = 30;
/// How far behind a guest may be before the host stops slowing down for it.
const BACKLOG_HOPELESS: u64 = 60;
const SPEED_SLOW: u64 = 900;
/// How far the host's own world may be behind.
const OWN_BACKLOG_MAX: u64 = 10;

impl Hosting {
    pub fn new(guests: impl Iterator<Item = (u8, u64)>, base: u64, now_us: u64) -> Hosting {
        let guests = guests.map(|(player, end)| GuestState::new(player, end, now_us)).collect();
        Hosting {
            base,
            guests,
            leaving: Vec::new(),
            joining: Vec::new(),
            uses: Vec::new(),
            absent: Vec::new(),
            absent_since_us: 0,
            absent_told_us: 0,
            active_us: 0,
            last_us: None,
            is_outvoted: false,
        }
    }

    /// Whether it has decided its last record.
    pub fn is_handing_over(&self) -> bool {
        self.last_us.is_some()
    }

    /// Whether there is somebody to hand over to.
    pub fn has_guests(&self) -> bool {
        !self.guests.is_empty()
    }

    /// Adds a guest that has all cycles before `end`.
    pub fn admit(&mut self, player: u8, end: u64, now_us: u64) -> bool {
        let is_new = self.guests.iter().all(|guest| guest.player != player) && self.last_us.is_none();
        if is_new {
            self.guests.push(GuestState::new(player, end, now_us));
            self.joining.push(player);
            self.absent.retain(|absent| *absent != player);
        }
        is_new
    }

    pub fn is_guest(&self, player: u8) -> bool {
        self.guests.iter().any(|guest| guest.player == player)
    }

    pub fn remove(&mut self, player: u8) -> bool {
        let is_guest = self.guests.iter().any(|guest| guest.player == player);
        if is_guest && !self.leaving.contains(&player) {
            self.leaving.push(player);
        }
        is_guest
    }

    /// Puts the use of a right into the next record that has room.
    pub fn add_use(&mut self, used: RightUse) -> bool {
        let has_room = self.uses.len() < CHANGES_MAX && used.is_recorded();
        if has_room {
            self.uses.push(used);
        }
        has_room
    }

    /// Whether the session will be paused after the next records, if it is now.
    pub fn will_be_paused(&self, is_paused: bool) -> bool {
        let last = self.uses.iter().rev().find(|used| matches!(used.right, Right::Pause | Right::Resume));
        last.map_or(is_paused, |used| used.right == Right::Pause)
    }

    /// Lets players leave in the next record, though they are no guests of this term. For a while they are told, if they come back.
    pub fn leave_at_once(&mut self, players: Vec<u8>, now_us: u64) {
        self.absent.clone_from(&players);
        (self.absent_since_us, self.leaving) = (now_us, players);
    }

    /// The machines that are to be told now that they are out.
    fn absent_to_tell(&mut self, now_us: u64) -> Vec<u8> {
        let is_due = self.absent_told_us + TELL_US <= now_us && now_us < self.absent_since_us + TELL_FOR_US;
        if !is_due || self.absent.is_empty() {
            return Vec::new();
        }
        self.absent_told_us = now_us;
        self.absent.clone()
    }

    pub fn forgive(&mut self, elapsed_us: u64) {
        for guest in &mut self.guests {
            guest.heard_us += elapsed_us;
        }
    }
}

impl GuestState {
    fn new(player: u8, end: u64, now_us: u64) -> GuestState {
        GuestState {
            player,
            end,
            end_since_us: now_us,
            heard_us: now_us,
            sent_us: 0,
            sent_end: end,
            again: end,
            again_since_us: 0,
            mark: 0,
            slack: 0,
            follows: false,
            is_missing: false,
            backlog: 0,
            waiting: VecDeque::new(),
            accepted: 0,
            cause: None,
            differs: None,
            is_told: false,
        }
    }

    /// Takes a report's inputs that come next.
    fn accept(&mut self, report: &GuestReport, taken: u64) {
        self.accepted = self.accepted.max(taken);
        for input in &report.inputs {
            if input.number == self.accepted + 1 && self.waiting.len() < BATCHES_WAITING_MAX {
                self.accepted += 1;
                self.waiting.push_back(input.clone());
            }
        }
    }

    /// For one that is far behind: what it misses, piece by piece, without waiting for its answers; from its end again if that does not move.
    fn catch_up(&mut self, now_us: u64, term: Term, log: &Log, kinds: &Kinds) -> Option<(u8, Note)> {
        if self.again_since_us + RESEND_US < now_us && self.end_since_us + RESEND_US < now_us || self.again < self.end {
            (self.again, self.again_since_us) = (self.end, now_us);
        }
        if self.sent_us + CATCH_UP_US > now_us {
            return None;
        }
        let records = log.from(self.again, RECORDS_BYTES_MAX, kinds);
        let (first, base) = (self.again, self.end.saturating_sub(1));
        self.again += records.len() as u64;
        (self.sent_us, self.is_missing) = (now_us, false);
        self.sent_end = self.sent_end.max(self.again);
        let (mark, slack) = (self.mark, self.slack);
        Some((self.player, Note::Cycles { term, base, first, records, mark, slack }))
    }

    fn slowness(&self, report: &GuestReport, log_end: u64) -> Option<SlowCause> {
        if log_end.saturating_sub(report.end) >= BEHIND_SLOW {
            return Some(SlowCause::Connection);
        }
        (report.backlog >= BACKLOG_SLOW).then_some(SlowCause::Processor)
    }
}

impl Peer {
    pub(super) fn host_note(&mut self, from: u8, note: Note) {
        let is_guest = |role: &Role| matches!(role, Role::Host(hosting) if hosting.is_guest(from));
        let is_member = self.members.contains(&from) || is_guest(&self.role);
        let is_deserted = self.is_deserted();
        match note {
            // The others have another host. One guest alone cannot say so while the others follow.
            Note::Gone { term } if term.host == from && term > self.term => match &mut self.role {
                // The successor has the last record.
                Role::Host(hosting) if hosting.is_handing_over() => {
                    let log_end = self.log.end();
                    hosting
                        .guests
                        .iter_mut()
                        .filter(|guest| guest.player == from)
                        .for_each(|guest| guest.end = log_end);
                }
                _ if is_deserted => self.end(Ending::Dropped),
                _ => {}
            },
            Note::Gone { .. } => {}
            _ if !is_member => {
                let term = self.term;
                self.post(from, &Note::Gone { term });
            }
            Note::Report(report) if report.term == self.term => self.host_report(from, &report),
            _ => {}
        }
    }

    /// Whether at most half of the guests have been heard of late.
    fn is_deserted(&self) -> bool {
        let Role::Host(hosting) = &self.role else { return false };
        let heard = hosting.guests.iter().filter(|guest| guest.heard_us + DESERTED_US >= self.now_us).count();
        2 * heard <= hosting.guests.len()
    }

    fn host_report(&mut self, from: u8, report: &GuestReport) {
        let (now_us, log_end, cycle_us) = (self.now_us, self.log.end(), self.cycle_us);
        let taken = self.taken[usize::from(from)];
        let slack_us = (report.aim.min(log_end + LOG_CYCLES_MAX as u64) * cycle_us).cast_signed()
            - (self.clock.position_us().max(log_end.saturating_sub(1) * cycle_us)).cast_signed();
        // The host's chain after as many cycles as the guest has hashed.
        let back = self.hashed.checked_sub(report.hashed).and_then(|back| usize::try_from(back).ok());
        let own = back.and_then(|back| self.chains.iter().rev().nth(back)).copied();
        let Role::Host(hosting) = &mut self.role else { return };
        let Some(guest) = hosting.guests.iter_mut().find(|guest| guest.player == from) else { return };
        guest.heard_us = now_us;
        guest.follows = true;
        guest.is_missing |= report.is_missing && report.end >= guest.end;
        if report.end > guest.end && report.end <= log_end {
            (guest.end, guest.end_since_us) = (report.end, now_us);
        }
        (guest.mark, guest.slack) = (report.mark, slack_us / 4_000);
        guest.accept(report, taken);
        guest.backlog = report.backlog;
        let cause = guest.slowness(report, log_end);
        if cause != guest.cause {
            guest.cause = cause;
            self.reports.push_back(LockstepReport::Slow { player: from, cause });
        }
        if own.is_some_and(|own| own != report.chain) && report.hashed > 0 && guest.differs.is_none() {
            guest.differs = Some((now_us, report.hashed - 1));
        }
        // By what each has said last: the report of another does not make a hopeless one worth waiting for.
        let is_held_up =
            |guest: &GuestState| guest.cause == Some(SlowCause::Processor) && guest.backlog <= BACKLOG_HOPELESS;
        let speed = if hosting.guests.iter().any(is_held_up) { SPEED_SLOW } else { 1000 };
        if report.is_leaving {
            hosting.remove(from);
        }
        self.clock.set_speed(speed);
    }

    /// Tells whose worlds differ, once it is known of most: if more than half of all machines differ from the host, it is the host's.
    fn judge_differences(&mut self) {
        let now_us = self.now_us;
        let Role::Host(hosting) = &mut self.role else { return };
        let (guests, is_outvoted) = (&mut hosting.guests, &mut hosting.is_outvoted);
        let patience_us = if guests.len() > 1 { VERDICT_US } else { 0 };
        let is_due = |guest: &GuestState| {
            !guest.is_told && guest.differs.is_some_and(|(since_us, _)| since_us + patience_us <= now_us)
        };
        if *is_outvoted || !guests.iter().any(is_due) {
            return;
        }
        let differing = guests.iter().filter(|guest| guest.differs.is_some()).count();
        if 2 * differing > guests.len() + 1 {
            *is_outvoted = true;
            self.reports.push_back(LockstepReport::Outvoted);
            return;
        }
        for guest in guests.iter_mut().filter(|guest| is_due(guest)) {
            guest.is_told = true;
            if let Some((_, cycle)) = guest.differs {
                self.reports.push_back(LockstepReport::Desync { player: guest.player, cycle });
            }
        }
    }

    pub(super) fn host_step(&mut self) {
        self.judge_differences();
        let now_us = self.now_us;
        let limit_us = self.clock.position_us() + self.cycle_us * 5;
        let Role::Host(hosting) = &mut self.role else { return };
        if let Some(last_us) = hosting.last_us {
            self.hand_over(last_us);
            return;
        }
        if self.is_paused && hosting.will_be_paused(true) {
            self.clock.stand(now_us);
        } else {
            self.clock.advance(now_us, limit_us);
        }
        let silent: Vec<u8> =
            hosting.guests.iter().filter(|guest| guest.heard_us + DROP_US < now_us).map(|guest| guest.player).collect();
        for player in silent {
            hosting.remove(player);
        }
        let is_idle = self.gathered.is_empty()
            && hosting.joining.is_empty()
            && self.unconfirmed.is_empty()
            && hosting.leaving.is_empty()
            && hosting.uses.is_empty()
            && hosting.guests.iter().all(|guest| guest.waiting.is_empty())
            && hosting.active_us + IDLE_US < now_us;
        loop {
            let next = self.log.end();
            let is_backed_up = next >= self.next + OWN_BACKLOG_MAX;
            let ahead = u64::from(is_idle && next % 2 == 1);
            if is_backed_up || next.saturating_sub(ahead) * self.cycle_us > self.clock.position_us() {
                break;
            }
            self.seal(next);
        }
        let term = self.term;
        let Role::Host(hosting) = &mut self.role else { return };
        for player in hosting.absent_to_tell(now_us) {
            self.post(player, &Note::Gone { term });
        }
        self.send_cycles();
    }

    /// Decides the last record of this host: in it, it leaves. Its guests elect a successor as soon as they have it.
    pub(super) fn seal_last(&mut self) {
        let (now_us, me, cycle) = (self.now_us, self.me, self.log.end());
        let Role::Host(hosting) = &mut self.role else { return };
        if hosting.last_us.is_none() {
            hosting.last_us = Some(now_us);
            hosting.leaving.push(me);
            self.seal(cycle);
        }
    }

    /// Repeats the last record to those who do not have it, and ends when all have it, or after a while.
    fn hand_over(&mut self, last_us: u64) {
        let (now_us, log_end) = (self.now_us, self.log.end());
        let Role::Host(hosting) = &mut self.role else { return };
        let is_known = hosting.guests.iter().all(|guest| guest.end >= log_end);
        if is_known || last_us + HAND_OVER_US < now_us {
            self.end(Ending::Left);
            return;
        }
        for guest in &mut hosting.guests {
            guest.is_missing |= guest.end < log_end && guest.sent_us + HAND_OVER_EVERY_US <= now_us;
        }
        self.send_cycles();
    }

    /// Decides the record of a cycle.
    pub(super) fn seal(&mut self, cycle: u64) {
        self.close_input(cycle);
        let mut record = Record::default();
        let own: Vec<Input> = self.unconfirmed.iter().cloned().collect();
        let mut own = VecDeque::from(own);
        for input in &mut own {
            input.aim = cycle;
        }
        let Role::Host(hosting) = &mut self.role else { return };
        let Hosting { guests, leaving, .. } = &mut *hosting;
        let staying = guests.iter_mut().filter(|guest| !leaving.contains(&guest.player));
        let waiting = staying.map(|guest| (guest.player, &mut guest.waiting)).chain([(self.me, &mut own)]);
        record.batches = gather(waiting.collect(), cycle, &self.kinds);
        if !record.batches.is_empty() {
            hosting.active_us = self.now_us;
        }
        record.left = core::mem::take(&mut hosting.leaving);
        let joining = hosting.joining.len().min(CHANGES_MAX - record.left.len());
        record.joined = hosting.joining.drain(..joining).collect();
        let used = hosting.uses.len().min(CHANGES_MAX - record.left.len() - record.joined.len());
        record.uses = hosting.uses.drain(..used).collect();
        hosting.guests.retain(|guest| !record.left.contains(&guest.player));
        let left = record.left.clone();
        self.log.insert(cycle, record);
        self.count_records();
        for player in left {
            let term = self.term;
            if player != self.me {
                self.post(player, &Note::Gone { term });
            }
        }
    }

    fn send_cycles(&mut self) {
        let (now_us, log_end, term) = (self.now_us, self.log.end(), self.term);
        let Role::Host(hosting) = &mut self.role else { return };
        let base = hosting.base;
        let mut notes = Vec::new();
        for guest in &mut hosting.guests {
            if log_end.saturating_sub(guest.end) >= BEHIND_SLOW && guest.follows {
                notes.extend(guest.catch_up(now_us, term, &self.log, &self.kinds));
                continue;
            }
            let is_new = guest.sent_end < log_end;
            if !is_new && !guest.is_missing && guest.sent_us + SILENCE_US > now_us {
                continue;
            }
            let is_stuck = guest.end + REDUNDANT_CYCLES < log_end && guest.end_since_us + RESEND_US < now_us;
            let is_whole = is_stuck || guest.is_missing || !guest.follows;
            let mut first = if is_whole {
                guest.end
            } else {
                guest.end.max(log_end.saturating_sub(REDUNDANT_CYCLES)).min(guest.sent_end)
            };
            if is_stuck {
                guest.end_since_us = now_us;
            }
            // What was sent before is repeated only where there is room.
            while !is_whole && first < guest.sent_end && self.log.bytes_from(first, &self.kinds) > RECORDS_BYTES_MAX {
                first += 1;
            }
            (guest.sent_us, guest.is_missing) = (now_us, false);
            let base = if guest.follows { first.saturating_sub(1) } else { base };
            let records = self.log.from(first, RECORDS_BYTES_MAX, &self.kinds);
            // What is not known any more is as sent.
            let is_all = is_whole || records.is_empty();
            guest.sent_end = if is_all { log_end } else { guest.sent_end.max(first + records.len() as u64) };
            let (mark, slack) = (guest.mark, guest.slack);
            notes.push((guest.player, Note::Cycles { term, base, first, records, mark, slack }));
        }
        for (player, note) in notes {
            self.post(player, &note);
        }
    }
}
