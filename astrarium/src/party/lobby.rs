//! What machines tell each other beside playing: who is there and ready, lines of talk, pauses, and who is removed.
//!
//! A machine wishes; the host decides by the table of [rights](net::rights), and tells all machines what has become of it. What changes
//! the course of play is in the records too, and so in every film.

use std::sync::mpsc::Receiver;

use host::gate::LinkId;
use net::letter::{Letter, Offer, Roster, RosterEntry, plain_name, plain_text};
use net::limits::SAID_BYTES_MAX;
use net::rights::{Right, RightUse, Standing};
use relay::film::track::MARKERS;

use crate::session::Session;

use super::guest::BEAT_US;
use super::seats::SeatStage;
use super::{HostPart, Party, PartyEnd, Role};

/// What a person at this machine wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The first cycle may begin, or not any more.
    Ready(bool),
    /// To play this player.
    Choose(u8),
    /// To stop the time, or to let it run.
    Pause(bool),
    /// A line for all.
    Say(String),
    /// To remove a machine, for this reason.
    Kick(u8, String),
    /// To begin before all are ready.
    Begin,
    /// To leave.
    Leave,
    /// To see who is there.
    Who,
}

/// The lines that one machine may say at once, and one more per so many microseconds.
const SAID_MAX: u64 = 8;
const SAID_EVERY_US: u64 = 1_000_000;
/// The same for its other wishes, of which all are told too; a sign of life is one.
const WISHED_MAX: u64 = 16;
const WISHED_EVERY_US: u64 = 250_000;
/// The same for greetings: each may begin a copy of the world.
const GREETED_MAX: u64 = 6;
const GREETED_EVERY_US: u64 = 2_000_000;
/// The most wishes of one turn.
const WISHES_MAX: usize = 16;
/// The public keys that may not come back.
const REMOVED_MAX: usize = 64;

/// How much of what costs others something a machine may still do.
#[derive(Clone, Copy, Default)]
pub struct Allowance {
    said_until_us: u64,
    wished_until_us: u64,
    greeted_until_us: u64,
}

impl Allowance {
    /// Whether it may say a line now.
    fn may_say(&mut self, now_us: u64) -> bool {
        spend(&mut self.said_until_us, now_us, SAID_MAX, SAID_EVERY_US)
    }

    /// Whether it may wish something now.
    fn may_wish(&mut self, now_us: u64) -> bool {
        spend(&mut self.wished_until_us, now_us, WISHED_MAX, WISHED_EVERY_US)
    }

    /// Whether it may greet now.
    pub fn may_greet(&mut self, now_us: u64) -> bool {
        spend(&mut self.greeted_until_us, now_us, GREETED_MAX, GREETED_EVERY_US)
    }
}

/// Spends one of what is allowed `most` times at once and once more per `every_us`, if there is one.
fn spend(until_us: &mut u64, now_us: u64, most: u64, every_us: u64) -> bool {
    let spent_us = (*until_us).max(now_us);
    let has = spent_us < now_us + most * every_us;
    if has {
        *until_us = spent_us + every_us;
    }
    has
}

impl Party {
    /// Where the wishes of the person at this machine come from.
    pub fn listen_to(&mut self, wishes: Receiver<Wish>) {
        self.wishes = Some(wishes);
    }

    pub(super) fn take_wishes(&mut self, now_us: u64) {
        let Some(wishes) = self.wishes.take() else { return };
        for wish in wishes.try_iter().take(WISHES_MAX).collect::<Vec<Wish>>() {
            self.wish(now_us, wish);
        }
        self.wishes = Some(wishes);
    }

    /// Carries out what the person at this machine wants, or asks the host for it.
    pub fn wish(&mut self, now_us: u64, wish: Wish) {
        match &wish {
            Wish::Leave => {
                let why = String::from("this machine has left");
                self.end.get_or_insert(PartyEnd { why, is_orderly: true });
                return;
            }
            Wish::Who => return self.say_who(),
            Wish::Choose(_) if self.is_observer => {
                return self.say(String::from("this machine only watches: it plays no player"));
            }
            Wish::Ready(is_ready) => self.is_ready = *is_ready,
            _ => {}
        }
        let me = self.me;
        let Role::Guest(guest) = &self.role else {
            self.decide(now_us, me, wish);
            return;
        };
        let letter = match wish {
            Wish::Ready(is_ready) => Letter::Ready(is_ready),
            Wish::Choose(player) => Letter::Choose(player),
            Wish::Pause(is_paused) => Letter::AskPause(is_paused),
            Wish::Say(text) => Letter::Say { machine: me, text },
            Wish::Kick(..) | Wish::Begin => return self.say(String::from("only the host can do that")),
            Wish::Leave | Wish::Who => return,
        };
        let link = guest.link;
        self.wire.post(link, &letter);
    }

    /// At the host: a letter with a wish. Others change nothing.
    pub(super) fn take_wish_of(&mut self, now_us: u64, link: LinkId, letter: Letter) {
        let Role::Host(host) = &mut self.role else { return };
        let Some(seat) = host.seats.get_mut(&link) else { return };
        let Some(machine) = seat.machine else { return };
        let wish = match letter {
            Letter::Say { text, .. } if seat.allowance.may_say(now_us) => Wish::Say(text),
            Letter::Say { .. } => return,
            _ if !seat.allowance.may_wish(now_us) => return,
            Letter::Ready(is_ready) => Wish::Ready(is_ready),
            Letter::Choose(player) => Wish::Choose(player),
            Letter::AskPause(is_paused) => Wish::Pause(is_paused),
            _ => return,
        };
        self.decide(now_us, machine, wish);
    }

    fn standing(&self, machine: u8) -> Standing {
        match machine {
            _ if machine == self.me => Standing::Host,
            _ if u16::from(machine) < self.players => Standing::Player,
            _ => Standing::Observer,
        }
    }

    fn decide(&mut self, now_us: u64, by: u8, wish: Wish) {
        let standing = self.standing(by);
        let right = match &wish {
            Wish::Ready(_) => Right::Ready,
            Wish::Choose(_) => Right::Choose,
            Wish::Pause(_) if standing == Standing::Host => Right::Pause,
            Wish::Pause(_) => Right::AskPause,
            Wish::Say(_) => Right::Say,
            Wish::Kick(..) => Right::Kick,
            Wish::Begin => Right::Begin,
            Wish::Leave | Wish::Who => return,
        };
        if !standing.may(right) {
            return;
        }
        match wish {
            Wish::Ready(is_ready) => self.set_ready(by, is_ready),
            Wish::Choose(player) => self.choose(now_us, by, player),
            Wish::Pause(is_paused) => self.ask_pause(by, is_paused),
            Wish::Say(text) => self.pass_on(by, &text),
            Wish::Kick(machine, why) => self.remove(now_us, by, machine, &why),
            Wish::Begin => {
                if let Role::Host(host) = &mut self.role {
                    host.is_asked_to_begin = true;
                }
            }
            Wish::Leave | Wish::Who => {}
        }
    }

    fn set_ready(&mut self, by: u8, is_ready: bool) {
        let name = self.name_of(by);
        let me = self.me;
        let Role::Host(host) = &mut self.role else { return };
        let seat = host.seats.values_mut().find(|seat| seat.machine == Some(by));
        match seat {
            // It is repeated as a sign of life.
            Some(seat) if seat.is_ready == is_ready => return,
            Some(seat) => seat.is_ready = is_ready,
            None if by == me => self.is_ready = is_ready,
            None => return,
        }
        if self.peer.is_none() {
            self.say(format!("{name} is {}ready", if is_ready { "" } else { "not " }));
        }
    }

    /// Before the first cycle, a machine may play another player that is free.
    fn choose(&mut self, now_us: u64, by: u8, player: u8) {
        let (me, players) = (self.me, self.players);
        let Role::Host(host) = &mut self.role else { return };
        let is_taken = player == me || host.seats.values().any(|seat| seat.machine == Some(player));
        if self.peer.is_some() || is_taken || u16::from(player) >= players {
            let name = self.name_of(by);
            self.say(format!("{name} cannot play player {player}: it is taken, or play has begun"));
            return;
        }
        if by == me {
            // The copies of the world say who plays.
            host.copy = None;
            host.seats.values_mut().for_each(|seat| seat.send_again(now_us));
            self.me = player;
            (self.settings.players, self.settings.host) = (vec![player], player);
            self.played = vec![player];
        } else if let Some((link, seat)) = host.seats.iter_mut().find(|(_, seat)| seat.machine == Some(by)) {
            // It accepts again, so that it knows its player before it takes part.
            seat.machine = Some(player);
            seat.enter(now_us, SeatStage::Offered);
            self.wire.post(*link, &Letter::Offer(Offer { machine: player, ..host.offer.clone() }));
        }
        self.say(format!("player {by} plays player {player} now"));
    }

    fn ask_pause(&mut self, by: u8, is_paused: bool) {
        let me = self.me;
        let Role::Host(host) = &mut self.role else { return };
        match host.seats.values_mut().find(|seat| seat.machine == Some(by)) {
            Some(seat) => seat.asks_pause = is_paused,
            None if by == me => host.pauses = is_paused,
            None => return,
        }
        if by == me && !is_paused {
            // The host lets time run for all.
            host.seats.values_mut().for_each(|seat| seat.asks_pause = false);
        }
        let playing = |host: &HostPart| -> Vec<(u8, bool)> {
            let of_seat = |seat: &super::seats::Seat| seat.playing().map(|machine| (machine, seat.asks_pause));
            host.seats.values().filter_map(of_seat).collect()
        };
        let mut players: Vec<(u8, bool)> = playing(host);
        players.push((me, host.pauses));
        players.retain(|(machine, _)| u16::from(*machine) < self.players);
        let asking = players.iter().filter(|(_, asks)| *asks).count();
        let wanted = host.pauses || 2 * asking > players.len();
        let changes = self.peer.as_mut().is_some_and(|peer| peer.pause(by, wanted));
        if !changes && is_paused {
            let name = self.name_of(by);
            let line = format!("{name} asks for a pause: {asking} of {} players", players.len());
            self.tell_all(&line);
        }
    }

    /// A line of a machine, or of the host, for all.
    fn pass_on(&mut self, by: u8, text: &str) {
        let text = plain_text(text, SAID_BYTES_MAX);
        if text.is_empty() {
            return;
        }
        let letter = Letter::Say { machine: by, text: text.clone() };
        let Role::Host(host) = &self.role else { return };
        let links: Vec<LinkId> =
            host.seats.iter().filter(|(_, seat)| seat.machine.is_some()).map(|(link, _)| *link).collect();
        for link in links {
            self.wire.post(link, &letter);
        }
        let name = self.name_of(by);
        self.say(format!("{name}: {text}"));
    }

    fn tell_all(&mut self, text: &str) {
        self.pass_on(self.me, text);
    }

    /// Removes a machine, which is told why. Its public key may not come back.
    fn remove(&mut self, now_us: u64, by: u8, machine: u8, why: &str) {
        let why = plain_text(why, SAID_BYTES_MAX);
        let name = self.name_of(machine);
        let Role::Host(host) = &mut self.role else { return };
        let Some(link) = host.link_of(machine) else {
            self.say(format!("there is no machine {machine}"));
            return;
        };
        if let Some(seat) = host.seats.get_mut(&link) {
            if host.removed.len() < REMOVED_MAX {
                host.removed.push(seat.identity());
            }
            seat.enter(now_us, SeatStage::Closing);
            (seat.is_done, seat.machine) = (true, None);
        }
        let reason = if why.is_empty() {
            String::from("the host has removed this machine")
        } else {
            format!("the host has removed this machine: {why}")
        };
        self.wire.post(link, &Letter::Refused { why: reason });
        if let Some(peer) = &mut self.peer {
            peer.add_use(RightUse { by, right: Right::Kick, whom: machine });
            peer.kick(machine);
        }
        self.tell_all(&format!("{name} was removed{}{why}", if why.is_empty() { "" } else { ": " }));
    }

    /// Marks in the film and says which rights were used in a record.
    pub(super) fn note_uses(&mut self, session: &mut Session, uses: &[RightUse]) {
        let cycle = session.world().cycle();
        for used in uses {
            let by = self.name_of(used.by);
            let whom = if used.whom == used.by { String::new() } else { format!(" {}", self.name_of(used.whom)) };
            let text = format!("{by} {}{whom}", used.right.verb());
            if let Some(film) = session.film_mut() {
                film.lay(MARKERS, cycle, text.as_bytes());
            }
            self.say(text);
        }
    }

    /// A machine for people: its player, and the name of the person if that is known.
    pub(super) fn name_of(&self, machine: u8) -> String {
        let kind = if u16::from(machine) < self.players { "player" } else { "observer" };
        let of_roster = || self.mesh.names.get(&machine).cloned();
        let name = match &self.role {
            _ if machine == self.me => Some(self.name.clone()),
            Role::Host(host) => {
                let seat = host.seats.values().find(|seat| seat.machine == Some(machine));
                seat.map(|seat| seat.name.clone()).or_else(of_roster)
            }
            Role::Guest(_) => of_roster(),
        };
        match name.filter(|name| !name.is_empty()) {
            Some(name) => format!("{kind} {machine} ({name})"),
            None => format!("{kind} {machine}"),
        }
    }

    /// The machines of the session.
    pub fn roster(&self) -> Roster {
        let Role::Host(host) = &self.role else { return self.mesh.roster.clone() };
        let mut machines = vec![RosterEntry {
            machine: self.me,
            name: plain_name(&self.name),
            is_ready: self.is_ready,
            is_playing: true,
            asks_pause: host.pauses,
            identity: self.wire.identity(),
            address: None,
        }];
        let entries = host.seats.iter().filter_map(|(link, seat)| {
            Some(RosterEntry {
                machine: seat.machine?,
                name: seat.name.clone(),
                is_ready: seat.is_ready,
                is_playing: seat.playing().is_some(),
                asks_pause: seat.asks_pause,
                identity: seat.identity(),
                address: self.wire.address_of(*link),
            })
        });
        machines.extend(entries);
        machines.sort_by_key(|entry| entry.machine);
        let (has_begun, is_found) = (self.peer.is_some(), host.beacon.is_some());
        Roster { you: self.me, host: self.me, has_begun, is_found, machines }
    }

    /// At the host: tells all machines who is there, whenever that has changed; before the first cycle also that this one is.
    pub(super) fn tell_roster(&mut self, now_us: u64) {
        let roster = self.roster();
        if self.resigned_us.is_some() {
            return;
        }
        let waits = self.peer.is_none();
        let Role::Host(host) = &mut self.role else { return };
        let beats = waits && host.beat_us + BEAT_US < now_us;
        if roster == self.mesh.roster && !beats {
            return;
        }
        host.beat_us = now_us;
        for (link, seat) in &host.seats {
            if let Some(machine) = seat.machine {
                self.wire.post(*link, &Letter::Roster(Roster { you: machine, ..roster.clone() }));
            }
        }
        self.mesh.set_roster(roster);
    }

    /// At a guest: who is there.
    pub(super) fn take_roster(&mut self, roster: Roster) {
        if self.peer.is_none() && roster.you != self.me && roster.entry(roster.you).is_some() {
            self.me = roster.you;
            self.say(format!("this machine plays player {} now", roster.you));
        }
        let before = self.mesh.set_roster(roster);
        let mut lines = Vec::new();
        for entry in self.mesh.roster.machines.iter().filter(|entry| entry.machine != self.me) {
            let was = before.machines.iter().find(|was| was.identity == entry.identity);
            let is_news = was.map_or(entry.is_ready, |was| was.is_ready != entry.is_ready);
            if is_news && !self.mesh.roster.has_begun {
                let is_ready = if entry.is_ready { "ready" } else { "not ready" };
                lines.push(format!("{} is {is_ready}", self.name_of(entry.machine)));
            }
        }
        lines.into_iter().for_each(|line| self.say(line));
    }

    fn say_who(&mut self) {
        let roster = self.roster();
        for entry in &roster.machines {
            let mut line = self.name_of(entry.machine);
            let stage = match (entry.is_playing, entry.is_ready) {
                (_, true) if !roster.has_begun => "ready",
                (true, false) if !roster.has_begun => "not ready",
                (true, _) => "plays",
                (false, _) => "joins",
            };
            line.push_str(&format!(": {stage}"));
            for (is_it, word) in [
                (entry.machine == roster.host, ", host"),
                (entry.machine == self.me, ", this machine"),
                (entry.asks_pause, ", asks for a pause"),
            ] {
                line.push_str(if is_it { word } else { "" });
            }
            self.say(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_wishes_is_limited_and_a_person_is_not() {
        let mut allowance = Allowance::default();
        let mut heard = [0; 3];
        // Ten seconds of a thousand letters each second.
        for now_us in (0..10_000_000).step_by(1_000) {
            heard[0] += u32::from(allowance.may_say(now_us));
            heard[1] += u32::from(allowance.may_wish(now_us));
            heard[2] += u32::from(allowance.may_greet(now_us));
        }
        assert_eq!(heard, [18, 56, 11]);
        // Signs of life and a wish each second.
        let mut allowance = Allowance::default();
        for now_us in (0..100_000_000).step_by(1_000_000) {
            assert!(allowance.may_wish(now_us) && (now_us % 2_000_000 > 0 || allowance.may_wish(now_us)));
        }
    }
}
