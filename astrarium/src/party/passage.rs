//! The way to other machines through a meeting point, for those that no datagram reaches directly.
//!
//! The meeting point hears this machine at the same socket as everybody else, so it sees the address that a router gives it. Machines that it
//! passes datagrams on for have addresses of their own here, which no network has: the rest of the party does not see the difference.

use std::collections::VecDeque;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use host::gate::{CallError, Gate, GateEvent, LinkId};
use net::meeting::{MeetingNote, SessionNumber};

/// Where machines meet, and under which number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeetingPlace {
    /// The address of the meeting point.
    pub address: SocketAddr,
    /// The number of the session.
    pub number: SessionNumber,
    /// The password of the meeting point.
    pub password: String,
    /// Whether this machine talks to nobody but the meeting point, so that the others do not see its address.
    pub is_only: bool,
}

/// The end of a connection to a meeting point.
pub struct Passage {
    place: MeetingPlace,
    is_host: bool,
    gate: Gate,
    link: Option<LinkId>,
    /// The number of this machine there.
    me: Option<u8>,
    /// The host, and where it is seen directly.
    host: Option<(u8, Option<SocketAddr>)>,
    trouble: Option<PassageTrouble>,
    called_us: Option<u64>,
    told_us: Option<u64>,
    heard_us: u64,
    punches: VecDeque<Punch>,
    passed: VecDeque<(SocketAddr, Vec<u8>)>,
    outgoing: VecDeque<(SocketAddr, Vec<u8>)>,
    sealed: Vec<u8>,
}

/// Why there is no way through a meeting point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageTrouble {
    /// It was not reached.
    Call(CallError),
    /// It knows no such session, or has no room.
    Refused,
}

/// Datagrams that open the own router for a machine which is about to call.
struct Punch {
    address: SocketAddr,
    left: u8,
    at_us: u64,
}

/// A byte that no gate understands.
pub const PUNCH: [u8; 1] = [0];
const PUNCHES: u8 = 10;
const PUNCH_US: u64 = 200_000;
/// How many machines are punched for at once.
const PUNCHES_MAX: usize = 32;
/// How often an unanswered word is repeated, and a sign of life given.
const REPEAT_US: u64 = 300_000;
const BEAT_US: u64 = 8_000_000;
const HOST_BEAT_US: u64 = 3_000_000;
const CLAIM_US: u64 = 1_000_000;
/// A meeting point that is not heard for so long is called again.
const LOST_US: u64 = 25_000_000;
/// The most datagrams that wait in one turn.
const WAITING_MAX: usize = 2048;

/// The network that no network has: `fd00::/8` is for those who make their own numbers.
const NOWHERE: [u16; 7] = [0xfd61, 0x7374, 0x7261, 0, 0, 0, 0];

/// The address that a machine of a meeting point has here.
pub fn address_of(machine: u8) -> SocketAddr {
    let [a, b, c, d, e, f, g] = NOWHERE;
    SocketAddr::new(IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, u16::from(machine))), 1)
}

/// The machine of a meeting point that has an address here.
pub fn machine_at(address: SocketAddr) -> Option<u8> {
    let IpAddr::V6(ip) = address.ip() else { return None };
    let segments = ip.segments();
    let (machine, network) = segments.split_last()?;
    u8::try_from(*machine).ok().filter(|_| *network == NOWHERE && address.port() == 1)
}

impl Passage {
    /// The end of a connection that is made as soon as time passes. The seed is from the system's source of chance.
    pub fn new(place: MeetingPlace, is_host: bool, seed: [u8; 32]) -> Passage {
        let gate = Gate::new(&place.password, seed, false);
        Passage {
            place,
            is_host,
            gate,
            link: None,
            me: None,
            host: None,
            trouble: None,
            called_us: None,
            told_us: None,
            heard_us: 0,
            punches: VecDeque::new(),
            passed: VecDeque::new(),
            outgoing: VecDeque::new(),
            sealed: Vec::new(),
        }
    }

    /// The address of the meeting point.
    pub fn place(&self) -> SocketAddr {
        self.place.address
    }

    /// Whether datagrams may be sent to an address.
    pub fn allows(&self, to: SocketAddr) -> bool {
        !self.place.is_only || to == self.place.address
    }

    /// The host, and where it is seen directly, once this machine has entered.
    pub fn host(&self) -> Option<(u8, Option<SocketAddr>)> {
        self.host
    }

    /// Whether machines can join this host there.
    pub fn is_open(&self) -> bool {
        self.is_host && self.host.is_some_and(|(host, _)| Some(host) == self.me)
    }

    /// This machine is the host from now on, or not any more.
    pub fn stand(&mut self, is_host: bool) {
        (self.is_host, self.told_us) = (is_host, None);
    }

    /// Why there is no way.
    pub fn trouble(&self) -> Option<PassageTrouble> {
        self.trouble
    }

    /// A datagram from the meeting point.
    pub fn handle_datagram(&mut self, now_us: u64, bytes: &[u8]) {
        // What is refused is counted by the gate.
        let _ = self.gate.handle_datagram(now_us, self.place.address, bytes);
        self.take_events(now_us);
    }

    fn take_events(&mut self, now_us: u64) {
        while let Some(event) = self.gate.poll_event() {
            match event {
                GateEvent::Opened { link, .. } => {
                    (self.link, self.heard_us, self.told_us) = (Some(link), now_us, None);
                }
                GateEvent::Failed { why, .. } => {
                    self.trouble = Some(PassageTrouble::Call(why));
                    self.link = None;
                }
                GateEvent::Data { bytes, .. } => {
                    self.heard_us = now_us;
                    if let Ok(note) = MeetingNote::read(&bytes) {
                        self.take_note(now_us, note);
                    }
                }
            }
        }
    }

    fn take_note(&mut self, now_us: u64, note: MeetingNote) {
        match note {
            MeetingNote::Entered { me, host, address } => {
                self.me = Some(me);
                self.host = Some((host, address.filter(|_| !self.place.is_only)));
                self.trouble = None;
            }
            MeetingNote::Comes { address, .. } if !self.place.is_only => self.punch(now_us, address),
            MeetingNote::Pass { machine, bytes } if self.passed.len() < WAITING_MAX => {
                self.passed.push_back((address_of(machine), bytes));
            }
            MeetingNote::Refused => self.trouble = Some(PassageTrouble::Refused),
            _ => {}
        }
    }

    /// Opens the own router for a machine at an address.
    pub fn punch(&mut self, now_us: u64, address: SocketAddr) {
        if self.punches.len() < PUNCHES_MAX && self.punches.iter().all(|punch| punch.address != address) {
            self.punches.push_back(Punch { address, left: PUNCHES, at_us: now_us });
        }
    }

    /// A datagram that was passed on, with the address that its sender has here.
    pub fn poll_passed(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        self.passed.pop_front()
    }

    /// Passes a sealed datagram on to a machine.
    pub fn pass(&mut self, machine: u8, bytes: &[u8]) {
        self.tell(&MeetingNote::Pass { machine, bytes: bytes.to_vec() });
    }

    fn tell(&mut self, note: &MeetingNote) {
        let Some(link) = self.link.filter(|_| self.outgoing.len() < WAITING_MAX) else { return };
        if let Some(to) = self.gate.seal(link, &note.write(), &mut self.sealed) {
            self.outgoing.push_back((to, self.sealed.clone()));
        }
    }

    /// The next datagram, and where it is to be sent.
    pub fn poll_datagram(&mut self, now_us: u64) -> Option<(SocketAddr, Vec<u8>)> {
        self.pass_time(now_us);
        let datagram = self.gate.poll_datagram(now_us);
        self.take_events(now_us);
        datagram.or_else(|| self.outgoing.pop_front())
    }

    fn pass_time(&mut self, now_us: u64) {
        if let Some(link) = self.link.filter(|_| self.heard_us + LOST_US < now_us) {
            self.gate.close(link);
            (self.link, self.called_us) = (None, None);
        }
        let has_called = self.called_us.is_some_and(|called_us| called_us + LOST_US >= now_us);
        if self.link.is_none() && !has_called {
            self.called_us = Some(now_us);
            self.gate.call(now_us, self.place.address);
        }
        let pause_us = match self.host {
            None => REPEAT_US,
            Some(_) if self.is_open() => HOST_BEAT_US,
            // Its predecessor is forgotten first.
            Some(_) if self.is_host => CLAIM_US,
            Some(_) => BEAT_US,
        };
        if self.link.is_some() && self.told_us.is_none_or(|told_us| told_us + pause_us < now_us) {
            self.told_us = Some(now_us);
            let number = self.place.number;
            self.tell(&if self.is_host { MeetingNote::Open(number) } else { MeetingNote::Enter(number) });
        }
        for punch in &mut self.punches {
            if punch.at_us <= now_us {
                punch.at_us = now_us + PUNCH_US;
                punch.left -= 1;
                self.outgoing.push_back((punch.address, PUNCH.to_vec()));
            }
        }
        self.punches.retain(|punch| punch.left > 0);
    }
}

impl fmt::Display for PassageTrouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassageTrouble::Call(why) => write!(out, "no connection: {why}"),
            PassageTrouble::Refused => out.write_str("it knows no such session, or has no room"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_machine_is_known_again_and_no_other_is_one() {
        for machine in [0, 1, 29, 255] {
            assert_eq!(machine_at(address_of(machine)), Some(machine));
        }
        for other in
            ["10.0.0.1:1", "[fd61:7374:7261::1]:2", "[fd61:7374:7261::1:1]:1", "[::1]:1", "[fd61:7374:7261::100]:1"]
        {
            assert_eq!(machine_at(other.parse().expect("it is an address")), None, "{other}");
        }
    }
}
