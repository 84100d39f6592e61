//! The successor of a host that is not heard: who asks, who stands, who votes. See the page of [`lockstep`](super).

use alloc::vec::Vec;

use super::hosting::Hosting;
use super::message::{Note, Term};
use super::{Ending, LockstepReport, Peer, Role};
use crate::limits::LOG_CYCLES_MAX;

/// The state of a guest that does not hear its host.
#[derive(Clone, Debug)]
pub(super) struct Election {
    since_us: u64,
    /// The place of the candidate among the other members, and since when it is tried.
    place: usize,
    tried_us: u64,
    sent_us: u64,
    /// This machine as a candidate: who asked, with which number and when, and who voted.
    asks: Vec<(u8, u64, u64)>,
    stands_since_us: Option<u64>,
    votes: Vec<(u8, u64)>,
    /// The first cycle that this candidate misses, and since when it waits for it.
    wanted: Option<(u64, u64)>,
    /// Voters that did not send what they say they have: they take no part.
    mute: Vec<u8>,
}

/// How long a candidate is tried, before and after the vote.
const TRY_US: u64 = 1_500_000;
const TRY_VOTED_US: u64 = 3_000_000;
/// How long a candidate waits for the votes of all that asked, and for success.
const ALL_VOTES_US: u64 = 500_000;
/// An ask is valid for this long.
const ASK_VALID_US: u64 = 600_000;
const SEND_US: u64 = 80_000;
const YOUNG_US: u64 = 400_000;
/// How long a voter may take to send what it says it has.
const MUTE_US: u64 = 1_200_000;
const GIVE_UP_US: u64 = 20_000_000;
/// The bytes of records in one message.
const RECORDS_BYTES_MAX: usize = 900;

impl Election {
    fn new(now_us: u64) -> Election {
        Election {
            since_us: now_us,
            place: 0,
            tried_us: now_us,
            sent_us: 0,
            asks: Vec::new(),
            stands_since_us: None,
            votes: Vec::new(),
            wanted: None,
            mute: Vec::new(),
        }
    }

    /// Whether it has just begun.
    pub fn is_young(&self, now_us: u64) -> bool {
        now_us < self.since_us + YOUNG_US
    }
}

impl Peer {
    pub(super) fn election_note(&mut self, from: u8, note: Note) {
        let now_us = self.now_us;
        let Role::Guest(guest) = &mut self.role else { return };
        // A machine that hears its host takes no part.
        let Some(election) = &mut guest.election else { return };
        match note {
            Note::Ask { term, number } if term == self.term && self.members.contains(&from) => {
                election.asks.retain(|(player, ..)| *player != from);
                election.asks.push((from, number, now_us));
            }
            Note::Ready { term, next } if term == self.term && next.host == from && next >= self.promised => {
                let is_member = self.members.contains(&from);
                if next > self.promised && is_member {
                    self.promised = next;
                    self.log.cut_at_gap();
                    election.stands_since_us = None;
                    election.tried_us = now_us;
                    election.sent_us = 0;
                }
            }
            Note::Vote { next, end } if next == self.promised && next.host == self.me => {
                // Nobody is so far ahead of one that would be a successor.
                if election.mute.contains(&from) || end > self.log.end() + LOG_CYCLES_MAX as u64 {
                    return;
                }
                election.votes.retain(|(player, _)| *player != from);
                election.votes.push((from, end));
            }
            Note::Want { next, first } if next == self.promised && next.host == from => {
                let records = self.log.from(first, RECORDS_BYTES_MAX, &self.kinds);
                self.post(from, &Note::Past { next, first, records });
            }
            Note::Past { next, first, records } if next == self.promised && next.host == self.me => {
                for (record, cycle) in records.into_iter().zip(first..) {
                    self.log.insert(cycle, record);
                }
                self.count_records();
            }
            _ => {}
        }
    }

    pub(super) fn election_step(&mut self) {
        let now_us = self.now_us;
        let candidates: Vec<u8> = self.members.iter().copied().filter(|player| *player != self.term.host).collect();
        let quorum = candidates.len() / 2 + 1;
        let Role::Guest(guest) = &mut self.role else { return };
        let election = guest.election.get_or_insert_with(|| Election::new(now_us));
        if election.since_us + GIVE_UP_US < now_us || candidates.is_empty() {
            self.end(Ending::CutOff);
            return;
        }
        let has_voted = self.promised > self.term;
        let patience_us = if has_voted { TRY_VOTED_US } else { TRY_US };
        if election.tried_us + patience_us < now_us {
            election.place += 1;
            election.tried_us = now_us;
            if election.stands_since_us.take().is_some() {
                // A vote counts for one term only: the next time this machine stands, it is another.
                election.votes.clear();
            }
        }
        let candidate = candidates[election.place % candidates.len()];
        election.asks.retain(|(.., at_us)| at_us + ASK_VALID_US >= now_us);
        if election.stands_since_us.is_none() && candidate == self.me && election.asks.len() + 1 >= quorum {
            let asked = election.asks.iter().map(|(_, number, _)| *number).max().unwrap_or(0);
            self.promised = Term { number: asked.max(self.promised.number + 1), host: self.me };
            self.log.cut_at_gap();
            election.stands_since_us = Some(now_us);
            election.tried_us = now_us;
            election.sent_us = 0;
            election.votes.clear();
            election.mute.clear();
            election.wanted = None;
        }
        if election.stands_since_us.is_some() {
            self.stand(&candidates, quorum);
        } else {
            self.ask(candidate);
        }
    }

    /// Asks a candidate to stand, and votes for the one that was promised.
    fn ask(&mut self, candidate: u8) {
        let (now_us, term, promised, end) = (self.now_us, self.term, self.promised, self.log.end());
        let Role::Guest(guest) = &mut self.role else { return };
        let Some(election) = guest.election.as_mut().filter(|election| election.sent_us + SEND_US <= now_us) else {
            return;
        };
        election.sent_us = now_us;
        if promised > term && promised.host != self.me {
            self.post(promised.host, &Note::Vote { next: promised, end });
        }
        if candidate != self.me && (candidate != promised.host || promised == term) {
            self.post(candidate, &Note::Ask { term, number: promised.number + 1 });
        }
    }

    /// Collects votes and records, and begins the term.
    fn stand(&mut self, candidates: &[u8], quorum: usize) {
        let (now_us, term, next, end) = (self.now_us, self.term, self.promised, self.log.end());
        let Role::Guest(guest) = &mut self.role else { return };
        let Some(election) = &mut guest.election else { return };
        let Some(since_us) = election.stands_since_us else { return };
        let votes = election.votes.clone();
        let is_complete = votes.len() + 1 >= candidates.len() || since_us + ALL_VOTES_US < now_us;
        let best = votes.iter().copied().max_by_key(|(_, end)| *end).filter(|(_, known)| *known > end);
        let has_quorum = votes.len() + 1 >= quorum && is_complete;
        if has_quorum && best.is_none() {
            self.begin_term(&votes);
            return;
        }
        if let Some((player, _)) = best {
            let since_us = election.wanted.filter(|(first, _)| *first == end).map_or(now_us, |(_, since_us)| since_us);
            election.wanted = Some((end, since_us));
            if since_us + MUTE_US < now_us {
                election.mute.push(player);
                election.votes.retain(|(voter, _)| *voter != player);
                election.wanted = None;
                return;
            }
        }
        if election.sent_us + SEND_US > now_us {
            return;
        }
        election.sent_us = now_us;
        let missing: Vec<u8> = candidates
            .iter()
            .copied()
            .filter(|player| *player != self.me && !votes.iter().any(|(voter, _)| voter == player))
            .collect();
        for player in missing {
            self.post(player, &Note::Ready { term, next });
        }
        if let Some((player, _)) = best {
            self.post(player, &Note::Want { next, first: end });
        }
    }

    fn begin_term(&mut self, votes: &[(u8, u64)]) {
        self.term = self.promised;
        let base = self.log.end();
        let mut hosting = Hosting::new(votes.iter().copied(), base, self.now_us);
        let is_absent = |player: &&u8| **player != self.me && !votes.iter().any(|(voter, _)| voter == *player);
        let absent: Vec<u8> = self.members.iter().filter(is_absent).copied().collect();
        hosting.leave_at_once(absent, self.now_us);
        self.role = Role::Host(hosting);
        self.reports.push_back(LockstepReport::NewHost { term: self.term });
        self.clock.set_speed(1000);
        self.seal(base);
    }
}
