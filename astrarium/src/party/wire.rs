//! A socket, its gate, a channel per connection, and the way through a meeting point if there is one.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use host::chance;
use host::datagrams::Datagrams;
use host::gate::{CallError, Gate, GateEvent, Identity, LinkId};
use net::Quality;
use net::channel::{Channel, ChannelEvent};
use net::letter::{Letter, STREAMS};
use net::simulation::{LinkProfile, Network, Profile};

use super::passage::{self, MeetingPlace, PUNCH, Passage};
use super::{PartyError, PartyOptions};

/// The most datagrams received in one turn.
const RECEIVED_MAX: usize = 512;

/// What a wire reports.
#[derive(Debug)]
pub enum WireEvent {
    /// There is a connection.
    Opened {
        /// Which.
        link: LinkId,
        /// The other side's public key.
        identity: Identity,
        /// The other side's address.
        address: SocketAddr,
        /// Whether this side called.
        is_caller: bool,
    },
    /// A call has failed.
    Failed {
        /// Whom it was for.
        address: SocketAddr,
        /// Why.
        why: CallError,
    },
    /// A message arrived.
    Message {
        /// From where.
        link: LinkId,
        /// Its stream.
        stream: u8,
        /// The message.
        bytes: Vec<u8>,
    },
}

/// A socket with secure connections.
pub struct Wire {
    socket: Datagrams,
    gate: Gate,
    lines: BTreeMap<LinkId, Line>,
    shaper: Option<Shaper>,
    passage: Option<Passage>,
    events: VecDeque<WireEvent>,
    sealed: Vec<u8>,
    datagram: Vec<u8>,
}

struct Line {
    channel: Channel,
    heard_us: u64,
}

impl Wire {
    /// Opens a socket at an address of this machine. Traffic is shaped by the profile, if there is one.
    pub fn open(options: &PartyOptions) -> Result<Wire, PartyError> {
        let PartyOptions { address, password, profile, key, .. } = options;
        let mut seed = [0; 32];
        chance::fill(&mut seed).map_err(PartyError::NoChance)?;
        let gate = Gate::new(password, seed, true);
        let gate = match key {
            Some(key) => gate.with_key(*key),
            None => gate,
        };
        Ok(Wire {
            socket: Datagrams::open(address).map_err(PartyError::Socket)?,
            gate,
            lines: BTreeMap::new(),
            shaper: profile.map(|profile| Shaper::new(seed, profile)),
            passage: None,
            events: VecDeque::new(),
            sealed: Vec::new(),
            datagram: Vec::new(),
        })
    }

    /// Goes through a meeting point too.
    pub fn meet(&mut self, place: &MeetingPlace, is_host: bool) -> Result<(), PartyError> {
        let mut seed = [0; 32];
        chance::fill(&mut seed).map_err(PartyError::NoChance)?;
        self.passage = Some(Passage::new(place.clone(), is_host, seed));
        Ok(())
    }

    /// The way through a meeting point.
    pub fn passage(&self) -> Option<&Passage> {
        self.passage.as_ref()
    }

    /// This machine is the host at the meeting point from now on, or not any more.
    pub fn stand_at_meeting(&mut self, is_host: bool) {
        if let Some(passage) = &mut self.passage {
            passage.stand(is_host);
        }
    }

    /// Opens the own router for a machine that is about to call.
    pub fn punch(&mut self, now_us: u64, address: SocketAddr) {
        match &mut self.passage {
            Some(passage) => passage.punch(now_us, address),
            None => self.dispatch(now_us, address, &PUNCH),
        }
    }

    /// The address of the socket.
    pub fn address(&self) -> SocketAddr {
        self.socket.address()
    }

    /// The public key of this machine.
    pub fn identity(&self) -> Identity {
        self.gate.identity()
    }

    /// The quality of a connection so far.
    pub fn quality(&self, now_us: u64, link: LinkId) -> Option<Quality> {
        self.lines.get(&link).map(|line| line.channel.quality(now_us))
    }

    /// The number of datagrams that were refused.
    pub fn refused(&self) -> u64 {
        self.gate.refused()
    }

    /// The address of a connection's other side.
    pub fn address_of(&self, link: LinkId) -> Option<SocketAddr> {
        self.gate.address(link)
    }

    /// Sends something that says nothing, so that routers keep the way open.
    pub fn keep_alive(&mut self, now_us: u64, link: LinkId) {
        let mut sealed = std::mem::take(&mut self.sealed);
        if let Some(to) = self.gate.seal(link, &[], &mut sealed) {
            self.dispatch(now_us, to, &sealed);
        }
        self.sealed = sealed;
    }

    /// Calls another machine.
    pub fn call(&mut self, now_us: u64, address: SocketAddr) {
        self.gate.call(now_us, address);
    }

    /// Queues a letter. False if too much waits already: then later.
    pub fn post(&mut self, link: LinkId, letter: &Letter) -> bool {
        self.send(link, letter.stream(), &letter.write())
    }

    /// Queues a message. False if too much waits already, or the connection is closed.
    pub fn send(&mut self, link: LinkId, stream: u8, bytes: &[u8]) -> bool {
        self.lines.get_mut(&link).is_some_and(|line| line.channel.send(stream, bytes).is_ok())
    }

    /// Ends a connection.
    pub fn close(&mut self, link: LinkId) {
        self.lines.remove(&link);
        self.gate.close(link);
    }

    /// When the other side was heard last; none if the connection is closed.
    pub fn heard_us(&self, link: LinkId) -> Option<u64> {
        self.lines.get(&link).map(|line| line.heard_us)
    }

    /// The next report.
    pub fn poll_event(&mut self) -> Option<WireEvent> {
        self.events.pop_front()
    }

    /// Waits for a datagram, at most this long, and takes what has arrived.
    pub fn receive(&mut self, now_us: u64, patience: Duration) -> Result<(), PartyError> {
        let mut patience = patience;
        for _ in 0..RECEIVED_MAX {
            let Some((from, bytes)) = self.socket.receive(patience).map_err(PartyError::Socket)? else { break };
            patience = Duration::ZERO;
            match &mut self.shaper {
                Some(shaper) => shaper.enter(now_us, from, bytes, false),
                None => {
                    let bytes = bytes.to_vec();
                    self.handle_datagram(now_us, from, &bytes);
                }
            }
        }
        while let Some((from, bytes)) = self.shaper.as_mut().and_then(|shaper| shaper.poll(now_us, false)) {
            self.handle_datagram(now_us, from, &bytes);
        }
        while let Some(event) = self.gate.poll_event() {
            self.take_event(now_us, event);
        }
        for (link, line) in &mut self.lines {
            while let Some(event) = line.channel.poll_event() {
                if let ChannelEvent::Message { stream, bytes } = event {
                    self.events.push_back(WireEvent::Message { link: *link, stream, bytes });
                }
            }
        }
        Ok(())
    }

    fn handle_datagram(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) {
        let Some(passage) = self.passage.as_mut().filter(|passage| passage.place() == from) else {
            // An address that no network has is only given here. What is refused is counted by the gate.
            if passage::machine_at(from).is_none() {
                let _ = self.gate.handle_datagram(now_us, from, bytes);
            }
            return;
        };
        passage.handle_datagram(now_us, bytes);
        while let Some((from, bytes)) = passage.poll_passed() {
            let _ = self.gate.handle_datagram(now_us, from, &bytes);
        }
    }

    fn take_event(&mut self, now_us: u64, event: GateEvent) {
        match event {
            GateEvent::Opened { link, address, identity, is_caller } => {
                self.lines.insert(link, Line { channel: Channel::new(&STREAMS, now_us), heard_us: now_us });
                self.events.push_back(WireEvent::Opened { link, identity, address, is_caller });
            }
            GateEvent::Failed { address, why } => self.events.push_back(WireEvent::Failed { address, why }),
            GateEvent::Data { link, bytes } => {
                let Some(line) = self.lines.get_mut(&link) else { return };
                line.heard_us = now_us;
                // Refused datagrams are duplicates; their channel counts them.
                let _ = line.channel.handle_datagram(now_us, &bytes);
            }
        }
    }

    /// Sends what is to be sent now.
    pub fn flush(&mut self, now_us: u64) {
        while let Some((to, bytes)) = self.gate.poll_datagram(now_us) {
            self.dispatch(now_us, to, &bytes);
        }
        let mut datagram = std::mem::take(&mut self.datagram);
        let mut sealed = std::mem::take(&mut self.sealed);
        let links: Vec<LinkId> = self.lines.keys().copied().collect();
        for link in links {
            while self
                .lines
                .get_mut(&link)
                .is_some_and(|line| line.channel.poll_datagram(now_us, &mut datagram).is_some())
            {
                if let Some(to) = self.gate.seal(link, &datagram, &mut sealed) {
                    self.dispatch(now_us, to, &sealed);
                }
            }
        }
        (self.datagram, self.sealed) = (datagram, sealed);
        while let Some((to, bytes)) = self.passage.as_mut().and_then(|passage| passage.poll_datagram(now_us)) {
            self.send_raw(now_us, to, &bytes);
        }
        while let Some((to, bytes)) = self.shaper.as_mut().and_then(|shaper| shaper.poll(now_us, true)) {
            self.socket.send(to, &bytes);
        }
    }

    fn dispatch(&mut self, now_us: u64, to: SocketAddr, bytes: &[u8]) {
        match (passage::machine_at(to), &mut self.passage) {
            (Some(machine), Some(passage)) => passage.pass(machine, bytes),
            (Some(_), None) => {}
            (None, Some(passage)) if !passage.allows(to) => {}
            (None, _) => self.send_raw(now_us, to, bytes),
        }
    }

    fn send_raw(&mut self, now_us: u64, to: SocketAddr, bytes: &[u8]) {
        match &mut self.shaper {
            Some(shaper) => shaper.enter(now_us, to, bytes, true),
            None => self.socket.send(to, bytes),
        }
    }
}

/// The connection of this machine as a profile has it: what it sends and receives is delayed, lost, doubled and held up.
struct Shaper {
    network: Network,
    addresses: Vec<SocketAddr>,
    out: VecDeque<(SocketAddr, Vec<u8>)>,
    inside: VecDeque<(SocketAddr, Vec<u8>)>,
}

/// The machine of the profile, and the rest of the world.
const OWN: usize = 0;
const OTHERS: usize = 1;

/// The most addresses that a shaped connection talks to.
const ADDRESSES_MAX: usize = 4096;

impl Shaper {
    fn new(seed: [u8; 32], profile: Profile) -> Shaper {
        let others = Profile::symmetric("others", LinkProfile::with_delay(0));
        let network = Network::new(base::hash::hash(&seed), &[profile, others]);
        Shaper { network, addresses: Vec::new(), out: VecDeque::new(), inside: VecDeque::new() }
    }

    /// The bytes enter the network with the number of the address behind them.
    fn enter(&mut self, now_us: u64, address: SocketAddr, bytes: &[u8], is_out: bool) {
        let known = self.addresses.iter().position(|known| *known == address);
        let number = known.unwrap_or_else(|| {
            if self.addresses.len() >= ADDRESSES_MAX {
                self.addresses.clear();
            }
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        let bytes = [bytes, &(number as u16).to_le_bytes()].concat();
        let (from, to) = if is_out { (OWN, OTHERS) } else { (OTHERS, OWN) };
        self.network.send(now_us, from, to, &bytes);
    }

    /// The next datagram that has passed, in this direction.
    fn poll(&mut self, now_us: u64, is_out: bool) -> Option<(SocketAddr, Vec<u8>)> {
        while let Some(mut arrival) = self.network.poll_arrival(now_us) {
            let Some((body, number)) = arrival.bytes.split_last_chunk::<2>() else { continue };
            let (length, number) = (body.len(), u16::from_le_bytes(*number));
            let Some(address) = self.addresses.get(usize::from(number)).copied() else { continue };
            arrival.bytes.truncate(length);
            let passed = if arrival.to == OWN { &mut self.inside } else { &mut self.out };
            passed.push_back((address, arrival.bytes));
        }
        if is_out { self.out.pop_front() } else { self.inside.pop_front() }
    }
}
