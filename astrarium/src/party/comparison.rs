//! A machine whose world differs: both worlds at one cycle are compared, named, and saved; then it gets the host's.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use host::gate::LinkId;
use host::pages::Pages;
use host::share::ShareHolder;
use net::letter::{BlockHead, Letter, Roster};
use relay::film::track::MARKERS;
use state::Settings;

use crate::difference::describe;
use crate::game::GameEntry;
use crate::saves;
use crate::session::{Session, Start};

use super::compared::Allowed;
use super::world_copy::{Incoming, Outgoing, WorldCopy};
use super::{Party, PartyError, Role};

/// The cycles from the request to the compared one, so that no machine is beyond it when it hears of it.
const CYCLES_AHEAD: u64 = 12;

/// The differences that are named.
const NAMED_MAX: usize = 8;

/// How long the other world may take.
const PATIENCE_US: u64 = 60_000_000;

/// A comparison in progress.
pub struct Comparison {
    /// The cycle at whose beginning both worlds are copied.
    at: u64,
    /// The other machine, at the host.
    machine: Option<u8>,
    own: Option<WorldCopy>,
    outgoing: Option<Outgoing>,
    incoming: Option<Incoming>,
    /// Whether the head of the other world has arrived: there is one.
    has_head: bool,
    is_whole: bool,
    /// Why what was sent cannot be compared.
    refused: Option<String>,
    began_us: u64,
    thread: Option<JoinHandle<Vec<String>>>,
    /// The first cycle after which the difference was noticed.
    noticed: u64,
}

impl Comparison {
    /// That of a machine that was asked for its world.
    pub fn of_guest(at: u64, now_us: u64) -> Comparison {
        Comparison {
            at,
            machine: None,
            own: None,
            outgoing: None,
            incoming: None,
            has_head: false,
            is_whole: false,
            refused: None,
            began_us: now_us,
            thread: None,
            noticed: 0,
        }
    }
}

impl Party {
    /// At the host: the world of a machine differs. It is compared if that may be done once more, and replaced by the host's in any case.
    pub(super) fn begin_comparison(&mut self, session: &mut Session, machine: u8, cycle: u64) {
        self.desyncs += 1;
        let Role::Host(host) = &self.role else { return };
        let seat = host.link_of(machine).and_then(|link| host.seats.get(&link));
        let holder = seat.map(|seat| (seat.identity(), ShareHolder::of(seat.address().ip())));
        let allowed = holder.map_or(Allowed::No, |(identity, network)| self.compared.take(identity, network));
        match allowed {
            Allowed::Yes => {
                self.tell_difference(session, machine, cycle, "");
                self.differing.push_back((machine, cycle));
                return;
            }
            Allowed::NoMore => {
                self.tell_difference(session, machine, cycle, "its worlds differ too often to be compared each time");
            }
            Allowed::No => {}
        }
        if let Some(peer) = &mut self.peer {
            peer.kick(machine);
        }
    }

    /// At the host: all are told, and it is marked in every film.
    pub(super) fn tell_difference(&mut self, session: &mut Session, machine: u8, cycle: u64, text: &str) {
        let letter = Letter::Differs { machine, cycle, text: text.to_string() };
        let Role::Host(host) = &self.role else { return };
        let links: Vec<LinkId> =
            host.seats.iter().filter(|(_, seat)| seat.machine.is_some()).map(|(link, _)| *link).collect();
        for link in links {
            self.wire.post(link, &letter);
        }
        self.note_difference(session, machine, cycle, text);
    }

    /// Says that the world of a machine differs, and marks it in the film.
    pub(super) fn note_difference(&mut self, session: &mut Session, machine: u8, cycle: u64, text: &str) {
        let whose = if machine == self.me { String::from("this machine") } else { self.name_of(machine) };
        let cycle = self.base.saturating_add(cycle);
        let line = match text {
            "" => format!("the world of {whose} differs, first seen after safe cycle {cycle}"),
            text => format!("the world of {whose} differs since safe cycle {cycle} or before: {text}"),
        };
        let at = session.world().cycle();
        if let Some(film) = session.film_mut() {
            film.lay(MARKERS, at, line.as_bytes());
        }
        self.say(line);
    }

    /// At a host from whose world most others differ: it hands over to one of them, and joins it.
    pub(super) fn resign(&mut self, now_us: u64, session: &mut Session) {
        let me = self.me;
        self.desyncs += 1;
        self.differing.clear();
        self.comparison = None;
        self.tell_difference(session, me, self.next, "most others agree against it, so it hands over and joins again");
        self.resigned_us = Some(now_us);
        if let Some(peer) = &mut self.peer {
            peer.leave();
        }
    }

    /// At a host that has handed over: its successor is there.
    pub(super) fn take_successor(&mut self, now_us: u64, link: LinkId, roster: Roster) {
        let from = self.machine_on(link).filter(|from| *from == roster.host && self.resigned_us.is_some());
        let Some(from) = from else { return };
        self.peer = None;
        self.resigned_us = None;
        self.mesh.set_roster(roster);
        if self.step_down(now_us, from) {
            self.greet_again();
        }
    }

    /// Copies this machine's world if it is the compared cycle.
    pub(super) fn compare_at(&mut self, session: &mut Session) {
        let Some(comparison) = &mut self.comparison else { return };
        let is_guest = comparison.machine.is_none();
        let is_it = comparison.own.is_none() && (self.next == comparison.at || is_guest && self.next > comparison.at);
        if is_it {
            comparison.own = Some(WorldCopy::take(session, self.next, self.base, &self.played));
            self.entry = session.entry();
        }
    }

    /// The head of a machine's world.
    pub(super) fn compared_head(&mut self, link: LinkId, head: BlockHead) {
        if self.is_compared(link)
            && let Some(comparison) = self.comparison.as_mut().filter(|comparison| !comparison.has_head)
        {
            comparison.has_head = true;
            match incoming_of(head, &self.level, self.block_bytes) {
                Ok(incoming) => comparison.incoming = Some(incoming),
                Err(why) => comparison.refused = Some(why),
            }
        }
    }

    /// A part of it.
    pub(super) fn compared_part(&mut self, link: LinkId, part: &[u8]) {
        if self.is_compared(link)
            && let Some(comparison) = &mut self.comparison
            && let Some(incoming) = comparison.incoming.as_mut().filter(|_| !comparison.is_whole)
        {
            match incoming.add(part) {
                Ok(is_whole) => comparison.is_whole = is_whole,
                Err(error) => {
                    comparison.incoming = None;
                    comparison.refused = Some(why_of(error));
                }
            }
        }
    }

    fn is_compared(&self, link: LinkId) -> bool {
        let machine = self.comparison.as_ref().and_then(|comparison| comparison.machine);
        machine.is_some_and(|machine| matches!(&self.role, Role::Host(host) if host.link_of(machine) == Some(link)))
    }

    /// Moves a comparison on.
    pub(super) fn poll_comparison(&mut self, now_us: u64, session: &mut Session) {
        if self.comparison.is_none() {
            self.begin_next_comparison(now_us);
        }
        let Some(comparison) = &mut self.comparison else { return };
        let Some(machine) = comparison.machine else {
            self.send_compared();
            return;
        };
        if let Some(why) = comparison.refused.take() {
            self.say(format!("the world of machine {machine} is not compared: {why}"));
            self.end_comparison(machine);
            return;
        }
        if let Some(thread) = comparison.thread.take_if(|thread| thread.is_finished()) {
            let lines = thread.join().unwrap_or_else(|_| vec![String::from("the worlds could not be compared")]);
            let first = lines.get(1).map_or(String::new(), |line| line.trim().to_string());
            let cycle = comparison.noticed;
            lines.into_iter().for_each(|line| self.say(line));
            if !first.is_empty() {
                self.tell_difference(session, machine, cycle, &first);
            }
            self.end_comparison(machine);
            return;
        }
        if comparison.thread.is_some() {
            return;
        }
        let is_late = comparison.began_us + PATIENCE_US < now_us;
        let own = comparison.own.as_mut().and_then(WorldCopy::poll);
        if let (Some((head, bytes)), true, Some(entry)) = (own, comparison.is_whole, self.entry)
            && let Some(theirs) = comparison.incoming.take()
        {
            let ours = Incoming::whole(head, bytes);
            let (folder, players, base) = (self.folder.clone(), self.players, self.base);
            let level = self.level_of_content.clone();
            let work = move || compare(&entry, &level, players, machine, base, [&ours, &theirs], &folder);
            match thread::Builder::new().name(String::from("comparison")).spawn(work) {
                Ok(thread) => comparison.thread = Some(thread),
                Err(error) => {
                    self.say(format!("the worlds are not compared: {error}"));
                    self.end_comparison(machine);
                }
            }
        } else if is_late {
            self.say(format!("machine {machine} did not send its world"));
            self.end_comparison(machine);
        }
    }

    fn begin_next_comparison(&mut self, now_us: u64) {
        let Some((machine, noticed)) = self.differing.pop_front() else { return };
        let (Role::Host(host), Some(peer)) = (&self.role, &self.peer) else { return };
        let Some(link) = host.link_of(machine) else { return };
        let at = peer.known_end() + CYCLES_AHEAD;
        if self.wire.post(link, &Letter::Compare { at }) {
            self.comparison = Some(Comparison { machine: Some(machine), noticed, ..Comparison::of_guest(at, now_us) });
        }
    }

    /// At the machine that was asked.
    fn send_compared(&mut self) {
        let Role::Guest(guest) = &self.role else { return };
        let Some(comparison) = &mut self.comparison else { return };
        if let Some((head, bytes)) = comparison.own.as_mut().and_then(WorldCopy::poll) {
            let outgoing = comparison.outgoing.get_or_insert_with(|| Outgoing::new(head, bytes));
            let (link, wire) = (guest.link, &mut self.wire);
            if outgoing.post(&mut |letter| wire.post(link, letter)) {
                self.comparison = None;
            }
        }
    }

    /// The machine leaves, and joins again with the host's world.
    fn end_comparison(&mut self, machine: u8) {
        self.comparison = None;
        if let Some(peer) = &mut self.peer {
            peer.kick(machine);
        }
    }
}

/// A world to be compared with one of this level, whose block is so long.
fn incoming_of(head: BlockHead, level: &str, block_bytes: usize) -> Result<Incoming, String> {
    if head.level != level {
        return Err(format!("expected one of the level {level}, found one of {}", head.level));
    }
    let incoming = Incoming::new(head).map_err(why_of)?;
    incoming.fits(level, block_bytes).map_err(why_of)?;
    Ok(incoming)
}

fn why_of(error: PartyError) -> String {
    match error {
        PartyError::BadWorld { why } => why,
        other => other.to_string(),
    }
}

/// What differs between two worlds, in lines; both are saved.
fn compare(
    entry: &GameEntry,
    level: &str,
    players: u16,
    machine: u8,
    base: u64,
    worlds: [&Incoming; 2],
    folder: &Path,
) -> Vec<String> {
    let mut sessions = Vec::new();
    for world in worlds {
        match session_of(entry, level, players, world) {
            Ok(session) => sessions.push(session),
            Err(error) => return vec![format!("the worlds could not be compared: {error}")],
        }
    }
    let cycles = worlds.map(|world| world.head().next);
    if cycles[0] != cycles[1] {
        return vec![format!("machine {machine} was beyond the compared cycle")];
    }
    let [host, guest] = &mut sessions[..] else { return Vec::new() };
    let found = describe(host, guest, NAMED_MAX);
    let cycle = host.world().cycle();
    let mut lines =
        vec![format!("what differs before cycle {cycle} (safe cycle {}), host → machine {machine}:", base + cycles[0])];
    lines.extend(found.iter().map(|difference| format!("  {}", difference.line)));
    if found.is_empty() {
        lines.push(String::from("  nothing: the worlds are equal again"));
    }
    let paths: [PathBuf; 2] = [String::from("host"), format!("machine-{machine}")]
        .map(|who| folder.join(format!("desync-{cycle}-{who}.save")));
    let made = host::files::make_folder(folder).map_err(crate::error::Error::from);
    let saved = made.and_then(|()| saves::write(host, &paths[0])).and_then(|_| saves::write(guest, &paths[1]));
    lines.push(match saved {
        Ok(_) => format!("both worlds are saved: {} and {}", paths[0].display(), paths[1].display()),
        Err(error) => format!("the worlds are not saved: {error}"),
    });
    lines
}

fn session_of(entry: &GameEntry, level: &str, players: u16, world: &Incoming) -> Result<Session, PartyError> {
    let content = entry.content(level).map_err(PartyError::Engine)?;
    let start = Start { level: level.to_string(), seed: 0, players, settings: Settings::default() };
    let mut session = Session::begin(entry, content, &start, &Pages).map_err(PartyError::Engine)?;
    world.load(&mut session)?;
    Ok(session)
}
