//! A guest: follows the host's records, and reports to it.

use super::clock::InputWindow;
use super::election::Election;
use super::message::{GuestReport, Note, Term};
use super::record::Record;
use super::{Ending, LockstepReport, Peer, Role};
use crate::limits::LOG_CYCLES_MAX;
use alloc::vec::Vec;

/// What a guest knows.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    /// When the host was heard last.
    pub heard_us: u64,
    /// The longest recent silence of the host.
    silence_us: u64,
    sent_us: u64,
    asked_us: u64,
    mark: u8,
    pub window: InputWindow,
    pub election: Option<Election>,
}

/// How often a guest reports: with nothing to say, and while inputs are not confirmed.
const REPORT_US: u64 = 200_000;
const REPEAT_US: u64 = 100_000;
/// How often it asks for missing cycles.
const ASK_US: u64 = 60_000;
/// How often it reports to a host that has left.
const GONE_REPORT_US: u64 = 60_000;
/// A host that is silent for this long is suspected; on a bad connection it takes longer.
const SUSPECT_US: u64 = 1_200_000;
const SUSPECT_US_MAX: u64 = 4_000_000;
/// The bytes of inputs in one report.
const INPUTS_BYTES_MAX: usize = 900;

impl Guest {
    pub fn new(now_us: u64) -> Guest {
        let (silence_us, sent_us, asked_us, mark) = (0, 0, 0, 0);
        Guest { heard_us: now_us, silence_us, sent_us, asked_us, mark, window: InputWindow::new(), election: None }
    }

    pub fn forgive(&mut self, elapsed_us: u64) {
        self.heard_us += elapsed_us;
    }

    fn hear(&mut self, now_us: u64) {
        let silence_us = now_us.saturating_sub(self.heard_us);
        self.silence_us = silence_us.max(self.silence_us - self.silence_us / 64);
        self.heard_us = now_us;
    }

    fn suspects(&self, now_us: u64) -> bool {
        let patience_us = (3 * self.silence_us).clamp(SUSPECT_US, SUSPECT_US_MAX);
        self.heard_us + patience_us < now_us
    }
}

impl Peer {
    pub(super) fn guest_note(&mut self, from: u8, note: Note) {
        match note {
            Note::Cycles { term, base, first, records, mark, slack } if from == term.host => {
                if self.adopt(term, base) {
                    self.guest_cycles(first, records, mark, slack);
                }
            }
            Note::Gone { term } if from == term.host && term >= self.term && from != self.me => {
                let is_awaited = term >= self.promised || term == self.term && self.promised == self.term;
                if is_awaited {
                    self.end(if self.is_leaving { Ending::Left } else { Ending::Dropped });
                }
            }
            note => self.election_note(from, note),
        }
    }

    /// Whether records of this term are accepted. The first of a term that this machine voted for makes it follow.
    fn adopt(&mut self, term: Term, base: u64) -> bool {
        if term != self.promised {
            return false;
        }
        if term == self.term {
            return true;
        }
        if self.log.end() > base {
            // It has cycles of the last host that its successor does not know: its world is another.
            self.end(Ending::CutOff);
            return false;
        }
        self.term = term;
        self.clock.forget();
        if let Role::Guest(guest) = &mut self.role {
            guest.election = None;
            guest.heard_us = self.now_us;
            guest.silence_us = 0;
        }
        self.reports.push_back(LockstepReport::NewHost { term });
        true
    }

    fn guest_cycles(&mut self, first: u64, records: Vec<Record>, mark: u8, slack: i64) {
        let before = self.log.end();
        let has_room = before < self.next + LOG_CYCLES_MAX as u64;
        for (record, cycle) in records.into_iter().zip(first..).filter(|_| has_room) {
            self.log.insert(cycle, record);
        }
        if self.log.end() > before {
            self.clock.sample(self.now_us, before * self.cycle_us);
        }
        let now_us = self.now_us;
        let has_left = self.has_host_left();
        if let Role::Guest(guest) = &mut self.role {
            guest.hear(now_us);
            if !has_left {
                guest.election = None;
            }
            guest.window.handle_slack(mark, slack.clamp(-1_000, 1_000) * 4_000);
        }
        self.count_records();
    }

    pub(super) fn guest_step(&mut self) {
        let now_us = self.now_us;
        self.clock.follow(now_us);
        let limit_us = self.log.end() * self.cycle_us;
        if self.is_paused && self.clock.position_us() >= limit_us {
            self.clock.stand(now_us);
        } else {
            self.clock.advance(now_us, limit_us);
        }
        let has_left = self.has_host_left();
        let Role::Guest(guest) = &mut self.role else { return };
        if guest.election.is_some() || self.promised > self.term || has_left || guest.suspects(now_us) {
            // So that a host which waits for it knows that its last record has arrived.
            let is_young = guest.election.as_ref().is_none_or(|election| election.is_young(now_us));
            if has_left && is_young && guest.sent_us + GONE_REPORT_US <= now_us {
                self.send_report(false);
            }
            self.election_step();
            return;
        }
        let since_us = now_us.saturating_sub(guest.sent_us);
        let has_gap = self.log.has_gap() && guest.asked_us + ASK_US <= now_us;
        let is_due = !self.gathered.is_empty() && since_us >= self.cycle_us
            || !self.unconfirmed.is_empty() && since_us >= REPEAT_US
            || since_us >= REPORT_US
            || has_gap;
        if is_due {
            self.send_report(has_gap);
        }
    }

    /// Whether the host has left in a record that this machine has.
    fn has_host_left(&self) -> bool {
        !self.members.contains(&self.term.host)
    }

    fn send_report(&mut self, is_missing: bool) {
        let position_us = self.clock.position_us();
        let aim_us = position_us + self.window_us();
        let aim = aim_us.div_ceil(self.cycle_us);
        self.close_input(aim);
        let mut inputs = Vec::new();
        let mut encoded = Vec::new();
        for input in &self.unconfirmed {
            input.write(self.log.end(), &self.kinds, &mut encoded);
            if encoded.len() > INPUTS_BYTES_MAX && !inputs.is_empty() {
                break;
            }
            inputs.push(input.clone());
        }
        let due = (position_us / self.cycle_us).min(self.log.end());
        let (now_us, host) = (self.now_us, self.term.host);
        let Role::Guest(guest) = &mut self.role else { return };
        guest.mark = guest.mark.wrapping_add(1);
        guest.window.sent(guest.mark, (aim * self.cycle_us).cast_signed() - position_us.cast_signed());
        guest.sent_us = now_us;
        if is_missing {
            guest.asked_us = now_us;
        }
        let report = GuestReport {
            term: self.term,
            end: self.log.end(),
            backlog: due.saturating_sub(self.hashed),
            hashed: self.hashed,
            chain: self.chain as u32,
            mark: guest.mark,
            aim,
            is_missing,
            is_leaving: self.is_leaving,
            inputs,
        };
        self.post(host, &Note::Report(report));
    }
}
