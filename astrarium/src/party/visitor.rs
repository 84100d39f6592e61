//! A machine that has called a host: what is played there, and whether it has the same game.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use host::clock::Clock;
use host::gate::{CallError, LinkId};
use net::LockstepSettings;
use net::letter::{CONTROL, FORMAT, Identities, Letter, Offer};

use crate::session::Session;

use super::guest::GuestPart;
use super::passage::{self, PassageTrouble};
use super::wire::{Wire, WireEvent};
use super::{Party, PartyError, PartyOptions, Role, SILENCE_US, identities_of, tags_of};

/// How long a host may take to say what it plays, once there is a connection; it needs 3 s to find that all places are taken.
const OFFER_US: u64 = 12_000_000;

/// How long a farewell is repeated by one that does not take part.
const DECLINE_US: u64 = 200_000;

/// A machine that has reached a host and knows what it plays, but has no world yet.
pub struct Visitor {
    clock: Clock,
    wire: Wire,
    link: LinkId,
    options: PartyOptions,
    offer: Offer,
}

impl Visitor {
    /// Calls the host at an address, or through the meeting point of the options, and asks what it plays.
    pub fn call(address: Option<SocketAddr>, options: &PartyOptions) -> Result<Visitor, PartyError> {
        let clock = Clock::new();
        let mut wire = Wire::open(options)?;
        let now_us = clock.now() / 1000;
        let mut ways = Ways { began_us: now_us, ..Ways::default() };
        match (address, &options.meeting) {
            (Some(address), _) => ways.call(now_us, &mut wire, address),
            (None, Some(place)) => wire.meet(place, false)?,
            (None, None) => {}
        }
        let mut link = None;
        let mut linked_us = None;
        loop {
            let now_us = clock.now() / 1000;
            wire.receive(now_us, Duration::from_millis(5))?;
            while let Some(event) = wire.poll_event() {
                match event {
                    WireEvent::Opened { link: opened, .. } if link.is_some() => wire.close(opened),
                    WireEvent::Opened { link: opened, .. } => {
                        (link, linked_us) = (Some(opened), Some(now_us));
                        let hello = Letter::Hello {
                            format: FORMAT,
                            is_observer: options.is_observer,
                            name: options.name.clone(),
                            player: options.player,
                            is_ready: options.is_ready,
                        };
                        wire.post(opened, &hello);
                    }
                    WireEvent::Failed { address, why } => ways.failed(now_us, &mut wire, address, why)?,
                    WireEvent::Message { link: from, stream: CONTROL, bytes } if Some(from) == link => {
                        match Letter::read(&bytes) {
                            Ok(Letter::Offer(offer)) => {
                                return Ok(Visitor { clock, wire, link: from, options: options.clone(), offer });
                            }
                            Ok(Letter::Refused { why } | Letter::Farewell { why }) => {
                                return Err(PartyError::Refused { why });
                            }
                            _ => {}
                        }
                    }
                    WireEvent::Message { .. } => {}
                }
            }
            if link.is_none() {
                ways.go_on(now_us, &mut wire)?;
            }
            wire.flush(now_us);
            // One that says other things is heard, and yet it does not answer.
            if linked_us.is_some_and(|linked_us| linked_us + OFFER_US < now_us) {
                let seconds = OFFER_US / 1_000_000;
                return Err(PartyError::Over { why: format!("the host did not say what it plays within {seconds} s") });
            }
            let heard_us = link.and_then(|link| wire.heard_us(link));
            if heard_us.is_some_and(|heard_us| heard_us + SILENCE_US < now_us) {
                return Err(PartyError::Silent);
            }
        }
    }

    /// Whether the way leads through the meeting point.
    pub fn is_relayed(&self) -> bool {
        self.wire.address_of(self.link).is_some_and(|address| passage::machine_at(address).is_some())
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
        let me = offer.machine;
        // Which machine the host is it tells when the world is there.
        let guest = GuestPart::new(link, me, offer.clone());
        let settings =
            LockstepSettings { players: vec![me], host: me, kinds: offer.kinds.clone(), cycle_us: offer.cycle_us };
        let role = Role::Guest(Box::new(guest));
        let mut party = Party::new(wire, me, offer.players, role, settings, &options);
        party.clock = clock;
        Ok(party)
    }
}

/// The ways on which a host is tried: directly, and through the meeting point when that does not lead there soon.
#[derive(Default)]
struct Ways {
    began_us: u64,
    /// The calls that may still lead to it.
    calls: Vec<SocketAddr>,
    /// When it was called directly, where the meeting point sees it.
    direct_us: Option<u64>,
    is_passed: bool,
}

/// How long the direct way is tried alone.
const DIRECT_US: u64 = 2_000_000;
/// How long a meeting point may take.
const MEETING_US: u64 = 12_000_000;

impl Ways {
    fn call(&mut self, now_us: u64, wire: &mut Wire, address: SocketAddr) {
        self.calls.push(address);
        wire.call(now_us, address);
    }

    fn failed(&mut self, now_us: u64, wire: &mut Wire, address: SocketAddr, why: CallError) -> Result<(), PartyError> {
        self.calls.retain(|call| *call != address);
        let is_last = self.calls.is_empty() && (self.is_passed || wire.passage().is_none());
        if is_last || matches!(why, CallError::WrongPassword | CallError::Version) {
            return Err(PartyError::NotReached { address, why });
        }
        self.pass(now_us, wire);
        Ok(())
    }

    fn go_on(&mut self, now_us: u64, wire: &mut Wire) -> Result<(), PartyError> {
        let Some(passage) = wire.passage() else { return Ok(()) };
        let (place, host, trouble) = (passage.place(), passage.host(), passage.trouble());
        match (host, trouble) {
            (_, Some(PassageTrouble::Refused)) => {
                let why = String::from("the relay knows no such session, or has no room");
                return Err(PartyError::Refused { why });
            }
            (None, Some(PassageTrouble::Call(why))) => return Err(PartyError::NotReached { address: place, why }),
            (None, None) if self.began_us + MEETING_US < now_us => {
                return Err(PartyError::NotReached { address: place, why: CallError::Silence });
            }
            (Some((_, Some(direct))), _) if self.direct_us.is_none() => {
                self.direct_us = Some(now_us);
                self.call(now_us, wire, direct);
            }
            (Some((_, None)), _) => self.pass(now_us, wire),
            _ => {}
        }
        if self.direct_us.is_some_and(|direct_us| direct_us + DIRECT_US < now_us) {
            self.pass(now_us, wire);
        }
        Ok(())
    }

    /// Calls the host through the meeting point.
    fn pass(&mut self, now_us: u64, wire: &mut Wire) {
        let host = wire.passage().and_then(|passage| passage.host());
        if let Some((machine, _)) = host.filter(|_| !self.is_passed) {
            self.is_passed = true;
            self.call(now_us, wire, passage::address_of(machine));
        }
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
