//! Machines behind routers meet at a third one: it tells each where the other is seen, and passes sealed datagrams on where no direct way exists.
//!
//! A host opens a session under a number that nobody guesses; who knows the number enters. Each has a connection of its own to the meeting
//! point, encrypted and authenticated by its gate; what is passed on is sealed a second time between the machines, so that the meeting point cannot
//! read it.
//!
//! Laws
//! 1. A datagram is passed on only between machines of one session, and only as fast as the sender's allowance refills.
//! 2. Memory is bounded by `limits`, whatever arrives; a machine that is not heard for half a minute is forgotten.
//! 3. Any bytes are read or refused.
//! 4. One network has a sixteenth of the sessions and of the machines at most: strangers of one network cannot keep others out.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::letter::{read_address, write_address};
use crate::limits::{
    MEETING_MACHINES_MAX, MEETING_MACHINES_PER_NETWORK_MAX, MEETING_SESSIONS_MAX, MEETING_SESSIONS_PER_NETWORK_MAX,
    MEETING_WAITING_MAX, PASSED_BYTES_MAX, PLAYERS_MAX,
};

/// The number of a session at a meeting point: 80 bits by chance.
pub type SessionNumber = [u8; 10];

/// A message between a machine and its meeting point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeetingNote {
    /// From a host: it opens this session, or hosts it in place of one that is not heard any more. Repeated as a sign of life.
    Open(SessionNumber),
    /// From a guest: it enters this session. Repeated as a sign of life.
    Enter(SessionNumber),
    /// The answer: the number of this machine, that of the host, and where the host is seen.
    Entered {
        /// This machine.
        me: u8,
        /// The host.
        host: u8,
        /// Where the host is seen; none to the host itself.
        address: Option<SocketAddr>,
    },
    /// To all others of the session: a machine has entered, and is seen there.
    Comes {
        /// The machine.
        machine: u8,
        /// Where it is seen.
        address: SocketAddr,
    },
    /// To a meeting point, with the receiver; from it, with the sender.
    Pass {
        /// The other machine.
        machine: u8,
        /// A sealed datagram.
        bytes: Vec<u8>,
    },
    /// From a meeting point: there is no such session, or no room.
    Refused,
}

impl MeetingNote {
    /// Encodes it.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            MeetingNote::Open(number) | MeetingNote::Enter(number) => {
                out.write_u8(u8::from(matches!(self, MeetingNote::Enter(_))));
                out.put(number);
            }
            MeetingNote::Entered { me, host, address } => {
                [2, *me, *host].iter().for_each(|byte| out.write_u8(*byte));
                write_address(*address, &mut out);
            }
            MeetingNote::Comes { machine, address } => {
                [3, *machine].iter().for_each(|byte| out.write_u8(*byte));
                write_address(Some(*address), &mut out);
            }
            MeetingNote::Pass { machine, bytes } => {
                [4, *machine].iter().for_each(|byte| out.write_u8(*byte));
                out.put(bytes);
            }
            MeetingNote::Refused => out.write_u8(5),
        }
        out
    }

    /// Decodes it.
    pub fn read(bytes: &[u8]) -> Result<MeetingNote, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let out_of_range = |number: u8, expected: &'static str| {
            let found = Found::OutOfRange { number: number.into(), max: 5 };
            Err(ReadError { expected, offset: Offset::Byte(0), found })
        };
        let note = match reader.read_u8()? {
            kind @ (0 | 1) => {
                let mut number = SessionNumber::default();
                number.copy_from_slice(reader.take(10)?);
                if kind == 0 { MeetingNote::Open(number) } else { MeetingNote::Enter(number) }
            }
            2 => {
                let (me, host) = (reader.read_u8()?, reader.read_u8()?);
                MeetingNote::Entered { me, host, address: read_address(&mut reader)? }
            }
            3 => {
                let machine = reader.read_u8()?;
                match read_address(&mut reader)? {
                    Some(address) => MeetingNote::Comes { machine, address },
                    None => return out_of_range(0, "an address"),
                }
            }
            4 => {
                let machine = reader.read_u8()?;
                let rest = bytes.len().saturating_sub(2);
                if rest > PASSED_BYTES_MAX {
                    return out_of_range(4, "a datagram that can be passed on");
                }
                MeetingNote::Pass { machine, bytes: reader.take(rest)?.to_vec() }
            }
            5 => MeetingNote::Refused,
            number => return out_of_range(number, "a kind of note"),
        };
        reader.finish()?;
        Ok(note)
    }
}

/// How long a machine is remembered without a sign of life.
const FORGET_US: u64 = 30_000_000;
/// A host that is not heard for so long may be succeeded by another machine of its session.
const HOST_LOST_US: u64 = 7_000_000;
/// What a machine may pass on per second, and at once.
const PASSED_PER_SECOND: u64 = 96 * 1024;
const PASSED_AT_ONCE: u64 = 192 * 1024;

/// A meeting point, without sockets and clocks: `Link` names a connection to a machine.
#[derive(Clone, Debug, Default)]
pub struct MeetingPoint<Link: Ord + Copy> {
    sessions: BTreeMap<SessionNumber, Vec<Link>>,
    machines: BTreeMap<Link, MetMachine>,
    outgoing: VecDeque<(Link, MeetingNote)>,
    counts: MeetingCounts,
}

/// What a meeting point has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeetingCounts {
    /// Datagrams passed on.
    pub passed: u64,
    /// Their bytes.
    pub passed_bytes: u64,
    /// Datagrams dropped, because the sender was too fast or the receiver is unknown.
    pub dropped: u64,
    /// Sessions or machines refused.
    pub refused: u64,
}

#[derive(Clone, Copy, Debug)]
struct MetMachine {
    session: SessionNumber,
    number: u8,
    is_host: bool,
    address: SocketAddr,
    heard_us: u64,
    allowance: u64,
    refilled_us: u64,
}

/// Who shares an address: an IPv4 address, or the 64 bits of an IPv6 address that name a network, within which a machine may choose any.
fn network_of(address: SocketAddr) -> [u16; 4] {
    match address.ip().to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets().map(u16::from);
            [0, 0, a << 8 | b, c << 8 | d]
        }
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            [a, b, c, d]
        }
    }
}

impl<Link: Ord + Copy> MeetingPoint<Link> {
    /// An empty one.
    pub fn new() -> MeetingPoint<Link> {
        MeetingPoint {
            sessions: BTreeMap::new(),
            machines: BTreeMap::new(),
            outgoing: VecDeque::new(),
            counts: MeetingCounts::default(),
        }
    }

    /// The sessions and the machines.
    pub fn sizes(&self) -> (usize, usize) {
        (self.sessions.len(), self.machines.len())
    }

    /// Whether a machine has entered.
    pub fn knows(&self, link: Link) -> bool {
        self.machines.contains_key(&link)
    }

    /// What it has done.
    pub fn counts(&self) -> MeetingCounts {
        self.counts
    }

    /// Takes a message that came over a connection, which is seen at an address now.
    pub fn handle_note(&mut self, now_us: u64, link: Link, address: SocketAddr, bytes: &[u8]) -> Result<(), ReadError> {
        match MeetingNote::read(bytes)? {
            MeetingNote::Open(number) => self.enter(now_us, link, address, number, true),
            MeetingNote::Enter(number) => self.enter(now_us, link, address, number, false),
            MeetingNote::Pass { machine, bytes } => self.pass(now_us, link, machine, bytes),
            _ => self.counts.dropped += 1,
        }
        Ok(())
    }

    /// The next message, and the connection it goes over.
    pub fn poll_note(&mut self) -> Option<(Link, MeetingNote)> {
        self.outgoing.pop_front()
    }

    /// Forgets machines that are not heard. Their connections are returned, to be closed.
    pub fn pass_time(&mut self, now_us: u64) -> Vec<Link> {
        let is_silent = |machine: &MetMachine| machine.heard_us + FORGET_US < now_us;
        let silent: Vec<Link> =
            self.machines.iter().filter(|(_, machine)| is_silent(machine)).map(|(link, _)| *link).collect();
        silent.iter().for_each(|link| self.forget(*link));
        silent
    }

    /// Forgets a machine whose connection has ended.
    pub fn forget(&mut self, link: Link) {
        let Some(machine) = self.machines.remove(&link) else { return };
        if let Some(links) = self.sessions.get_mut(&machine.session) {
            links.retain(|other| *other != link);
            if links.is_empty() {
                self.sessions.remove(&machine.session);
            }
        }
    }

    fn post(&mut self, link: Link, note: MeetingNote) {
        if self.outgoing.len() < MEETING_WAITING_MAX {
            self.outgoing.push_back((link, note));
        } else {
            self.counts.dropped += 1;
        }
    }

    fn host_of(&self, session: &SessionNumber) -> Option<MetMachine> {
        let links = self.sessions.get(session)?;
        links.iter().filter_map(|link| self.machines.get(link)).find(|machine| machine.is_host).copied()
    }

    /// Whether the network of an address has room for another machine, or for another host.
    fn has_share(&self, address: SocketAddr, is_host: bool) -> bool {
        let own = network_of(address);
        let there = self.machines.values().filter(|machine| network_of(machine.address) == own);
        let (machines, hosts) =
            there.fold((0, 0), |(all, hosts), machine| (all + 1, hosts + usize::from(machine.is_host)));
        machines < MEETING_MACHINES_PER_NETWORK_MAX && (!is_host || hosts < MEETING_SESSIONS_PER_NETWORK_MAX)
    }

    fn enter(&mut self, now_us: u64, link: Link, address: SocketAddr, session: SessionNumber, is_host: bool) {
        let is_hosted = self.host_of(&session).is_some_and(|host| host.heard_us + HOST_LOST_US >= now_us);
        if let Some(machine) = self.machines.get_mut(&link) {
            // A sign of life; a machine stays in its session.
            machine.heard_us = now_us;
            machine.address = address;
            let (me, is_same) = (machine.number, machine.session == session);
            if is_same {
                if is_host && !is_hosted {
                    self.succeed(link, &session);
                }
                self.answer(link, me, session);
            }
            return;
        }
        let host = self.host_of(&session);
        let links = self.sessions.get(&session).map_or(&[][..], Vec::as_slice);
        let numbers: Vec<u8> = links.iter().filter_map(|link| self.machines.get(link)).map(|it| it.number).collect();
        let number = (0..=u8::MAX).find(|number| !numbers.contains(number)).unwrap_or(0);
        let has_room = self.machines.len() < MEETING_MACHINES_MAX
            && numbers.len() < 2 * PLAYERS_MAX
            && self.has_share(address, is_host)
            && (!links.is_empty() || self.sessions.len() < MEETING_SESSIONS_MAX);
        // A session has one host at a time; only hosts make sessions.
        if is_host == host.is_some() || !has_room {
            self.counts.refused += 1;
            self.post(link, MeetingNote::Refused);
            return;
        }
        let machine = MetMachine {
            session,
            number,
            is_host,
            address,
            heard_us: now_us,
            allowance: PASSED_AT_ONCE,
            refilled_us: now_us,
        };
        let others: Vec<Link> = links.to_vec();
        self.machines.insert(link, machine);
        self.sessions.entry(session).or_default().push(link);
        self.answer(link, number, session);
        for other in others {
            self.post(other, MeetingNote::Comes { machine: number, address });
        }
    }

    /// A machine of a session is its host from now on: the last one is not heard any more.
    fn succeed(&mut self, link: Link, session: &SessionNumber) {
        let links = self.sessions.get(session).map_or(&[][..], Vec::as_slice);
        for other in links {
            if let Some(machine) = self.machines.get_mut(other) {
                machine.is_host = *other == link;
            }
        }
    }

    fn answer(&mut self, link: Link, me: u8, session: SessionNumber) {
        if let Some(host) = self.host_of(&session) {
            let address = Some(host.address).filter(|_| host.number != me);
            self.post(link, MeetingNote::Entered { me, host: host.number, address });
        }
    }

    fn pass(&mut self, now_us: u64, link: Link, to: u8, bytes: Vec<u8>) {
        let length = bytes.len() as u64;
        let Some(machine) = self.machines.get_mut(&link) else {
            self.counts.dropped += 1;
            return;
        };
        machine.heard_us = now_us;
        let elapsed_us = now_us.saturating_sub(machine.refilled_us);
        let more = elapsed_us.saturating_mul(PASSED_PER_SECOND) / 1_000_000;
        if more > 0 {
            machine.allowance = machine.allowance.saturating_add(more).min(PASSED_AT_ONCE);
            machine.refilled_us = now_us;
        }
        let (session, from, has) = (machine.session, machine.number, machine.allowance >= length);
        let links = self.sessions.get(&session).map_or(&[][..], Vec::as_slice);
        let is_it = |other: &&Link| self.machines.get(other).is_some_and(|other| other.number == to && to != from);
        let receiver = links.iter().find(is_it).copied().filter(|_| has);
        let Some(receiver) = receiver else {
            self.counts.dropped += 1;
            return;
        };
        if let Some(machine) = self.machines.get_mut(&link) {
            machine.allowance -= length;
        }
        self.counts.passed += 1;
        self.counts.passed_bytes += length;
        self.post(receiver, MeetingNote::Pass { machine: from, bytes });
    }
}
