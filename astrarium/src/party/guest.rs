//! A guest: it gets the host's world and the records since, and follows.

use std::collections::VecDeque;

use host::gate::LinkId;
use net::Peer;
use net::letter::{Letter, Offer};
use net::lockstep::{Kinds, Record};

use crate::session::Session;

use super::comparison::Comparison;
use super::world_copy::Incoming;
use super::{Party, PartyEnd, PartyError, Role, SILENCE_US};

/// How often a machine that waits says that it is there.
pub const BEAT_US: u64 = 2_000_000;

/// What a guest knows.
pub struct GuestPart {
    pub link: LinkId,
    /// The machine at the other end.
    pub host: u8,
    pub incoming: Option<Incoming>,
    pub percent_said: u64,
    /// Records that are applied at once, because this world is behind.
    pub behind: VecDeque<Record>,
    /// Whether it waits for a world, or applies what is behind it.
    pub is_joining: bool,
    /// Whether it has a world.
    pub has_world: bool,
    /// Whether `Loaded` was said for the cycle that is next.
    pub has_said: bool,
    pub is_done: bool,
    /// When it last told the host that it is there, before the first cycle.
    pub beat_us: u64,
    /// What the host plays; this machine has the same.
    pub offer: Offer,
}

impl GuestPart {
    pub fn new(link: LinkId, host: u8, offer: Offer) -> GuestPart {
        GuestPart {
            link,
            host,
            incoming: None,
            percent_said: 0,
            behind: VecDeque::new(),
            is_joining: true,
            has_world: false,
            has_said: false,
            is_done: false,
            beat_us: 0,
            offer,
        }
    }

    pub fn begin_joining(&mut self) {
        self.incoming = None;
        self.behind.clear();
        (self.is_joining, self.has_world, self.has_said) = (true, false, false);
    }
}

impl Party {
    pub(super) fn guest_letter(
        &mut self,
        now_us: u64,
        session: &mut Session,
        letter: Letter,
    ) -> Result<(), PartyError> {
        let Role::Guest(guest) = &mut self.role else { return Ok(()) };
        match letter {
            Letter::Offer(offer) if guest.is_joining => {
                let (link, before) = (guest.link, self.me);
                self.me = offer.machine;
                let accept = Letter::Accept(guest.offer.identities);
                self.wire.post(link, &accept);
                if before != self.me {
                    self.say(format!("this machine plays player {} now", self.me));
                }
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
                    self.say(format!("the world arrives: {percent} %"));
                }
                let Role::Guest(guest) = &mut self.role else { return Ok(()) };
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
                self.ended_by = None;
                point.chain = session.chain();
                let Party { settings, me, .. } = self;
                self.peer = Some(Peer::join(*me, &settings.kinds, settings.cycle_us, &point, now_us));
            }
            Letter::Differs { machine, cycle, text } => self.note_difference(session, machine, cycle, &text),
            Letter::Compare { at } if self.comparison.is_none() => {
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
                    self.end = Some(PartyEnd { why, is_orderly: true });
                } else {
                    self.peer = None;
                    self.finish_with(format!("the host has ended the session: {why}"));
                }
            }
            Letter::Roster(roster) => self.take_roster(roster),
            Letter::Say { machine, text } => {
                let name = self.name_of(machine);
                self.say(format!("{name}: {text}"));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn guest_turn(&mut self, now_us: u64, session: &Session) -> Result<(), PartyError> {
        let Role::Guest(guest) = &mut self.role else { return Ok(()) };
        if !guest.is_joining || self.end.is_some() {
            return Ok(());
        }
        let heard_us = self.wire.heard_us(guest.link);
        if heard_us.is_none_or(|heard_us| heard_us + SILENCE_US < now_us) {
            return Err(PartyError::Silent);
        }
        if guest.beat_us + BEAT_US < now_us {
            // Waiting for the others, nothing else would be sent.
            guest.beat_us = now_us;
            let link = guest.link;
            self.wire.post(link, &Letter::Ready(self.is_ready));
        }
        let Role::Guest(guest) = &mut self.role else { return Ok(()) };
        let is_safe = session.lengths().is_safe(session.world().cycle());
        if guest.has_world && !guest.has_said && guest.behind.is_empty() && is_safe {
            guest.has_said = self.wire.post(guest.link, &Letter::Loaded { next: self.next });
        }
        Ok(())
    }
}
