//! Secure datagrams: who may talk to this machine, and that no other reads or changes what is said. Without sockets and clocks.
//!
//! The handshake is Noise XXpsk3 over Curve25519, ChaCha20-Poly1305 and BLAKE2s: both sides prove that they know the password and who they
//! are (an identity is a public key), and earlier conversations stay secret if a key is lost later. A recorded handshake allows no
//! search for the password.
//!
//! | datagram | bytes | content |
//! |---|---|---|
//! | hello | 64 | version, number of the call, zeros |
//! | cookie | 25 | number of the call, cookie |
//! | first | 61 | number of the call, cookie, Noise message 1 with the caller's index |
//! | second | 109 | number of the call, Noise message 2 with the called side's index |
//! | third | 69 | the called side's index, Noise message 3 |
//! | data | 25 + n | the receiver's index, the lower half of the datagram's number, sealed bytes |
//! | refused | 10 | number of the call, reason |
//!
//! Laws
//! 1. Until an address has answered with its cookie, nothing is kept about it, and it gets fewer bytes than it sent.
//! 2. Any bytes are accepted or refused with a reason; memory is bounded by `limits`, whatever arrives.
//! 3. A datagram that was changed, repeated or sealed by another opens nothing and changes nothing but counts.
//! 4. Guesses of a password are limited per network (as [`share`](crate::share) has them), and so are handshakes in progress. A handshake that
//!    finds all places taken gets the oldest one of the network with the most: strangers cannot keep a friend out.
//! 5. A connection follows its caller to another address once a newer datagram that opens comes from there.
//!
//! Cost: at most 60 bytes of heap for each byte that arrives, and never more than `limits` allow: 64 handshakes and 64 connections. Held by
//! `tests/growth.rs` of the tool.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;

use snow::{Builder, HandshakeState};

mod keys;
#[cfg(test)]
mod tests;

use crate::limits::{
    ADDRESSES_COUNTED_MAX, CALLS_PENDING_MAX, CALLS_PENDING_PER_NETWORK_MAX, GATE_EVENTS_MAX, LINKS_MAX,
};
use crate::share::{ShareHolder, place_to_give};
use keys::{KEY_BYTES, OpenError, Parts, ReceivingKeys, SeededBytes, SendingKeys, TAG_BYTES, digest, password_key};

/// The bytes that sealing adds to a datagram.
pub const OVERHEAD_BYTES: usize = 9 + TAG_BYTES;

/// The public key of a machine.
pub type Identity = [u8; KEY_BYTES];

const PATTERN: &str = "Noise_XXpsk3_25519_ChaChaPoly_BLAKE2s";
const PROLOGUE: &[u8] = b"astrarium datagrams";
const VERSION: u8 = 1;

const HELLO: u8 = 0xa0;
const COOKIE: u8 = 0xa1;
const FIRST: u8 = 0xa2;
const SECOND: u8 = 0xa3;
const THIRD: u8 = 0xa4;
const DATA: u8 = 0xa5;
const REFUSED: u8 = 0xa6;

const HELLO_BYTES: usize = 64;
const COOKIE_BYTES: usize = 16;

/// How long a cookie is valid, at least.
const COOKIE_US: u64 = 30_000_000;
/// How long a handshake may take.
const HANDSHAKE_US: u64 = 5_000_000;
/// How long a caller tries.
const CALL_US: u64 = 10_000_000;
/// The first pause before a datagram of a handshake is repeated; the next ones are twice as long.
const REPEAT_US: u64 = 150_000;
const REPEAT_US_MAX: u64 = 600_000;
/// What a network may spend on handshakes: one costs one, a wrong password four more; so many come back per second.
const CREDIT_MAX: u64 = 24;
const CREDIT_PER_SECOND: u64 = 4;
const WRONG_COST: u64 = 4;

/// A connection of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(u32);

/// Why a datagram was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateError {
    /// It has no known form.
    Malformed,
    /// It belongs to no connection or handshake.
    Unknown,
    /// Its cookie is not valid for its address and time.
    Cookie,
    /// It was not sealed by the other side, or was changed.
    Forged,
    /// It arrived already, or is too old.
    Repeated,
    /// The other side does not know the password.
    Password,
    /// Too many connections, or too many handshakes from this network.
    Busy,
}

/// Why a call did not lead to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// No answer.
    Silence,
    /// The password is another.
    WrongPassword,
    /// The other side has too many connections, or too many came from this network.
    Full,
    /// The other side speaks another version.
    Version,
}

/// What a gate reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateEvent {
    /// There is a connection.
    Opened {
        /// Which.
        link: LinkId,
        /// The other side's address.
        address: SocketAddr,
        /// The other side's public key.
        identity: Identity,
        /// Whether this side called.
        is_caller: bool,
    },
    /// A datagram arrived.
    Data {
        /// From where.
        link: LinkId,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// A call has failed.
    Failed {
        /// Whom it was for.
        address: SocketAddr,
        /// Why.
        why: CallError,
    },
}

/// The secure end of a socket.
pub struct Gate {
    random: SeededBytes,
    private: Vec<u8>,
    identity: Identity,
    password: [u8; KEY_BYTES],
    cookie_secret: [u8; KEY_BYTES],
    accepts: bool,
    links_max: usize,
    calls: BTreeMap<u64, Call>,
    pending: BTreeMap<u32, Pending>,
    links: BTreeMap<u32, Link>,
    credits: BTreeMap<ShareHolder, Credit>,
    outgoing: VecDeque<(SocketAddr, Vec<u8>)>,
    events: VecDeque<GateEvent>,
    opened: Vec<u8>,
    /// The datagrams that were refused.
    refused: u64,
}

/// A call of this side.
struct Call {
    address: SocketAddr,
    began_us: u64,
    sent_us: u64,
    pause_us: u64,
    index: u32,
    noise: Option<HandshakeState>,
    datagram: Vec<u8>,
}

/// A call of another side that has shown its cookie.
struct Pending {
    call: u64,
    address: SocketAddr,
    began_us: u64,
    caller_index: u32,
    noise: HandshakeState,
    second: Vec<u8>,
}

struct Link {
    address: SocketAddr,
    /// The other side's index.
    index: u32,
    identity: Identity,
    sending: SendingKeys,
    receiving: ReceivingKeys,
    stage: LinkStage,
}

enum LinkStage {
    /// This side called, and does not know yet whether the password was right.
    Called(Third),
    /// The other side called: the digest of its message 3, to know a repetition.
    Accepted([u8; KEY_BYTES]),
    /// This side called, and was heard.
    Confirmed,
}

/// Message 3, until the other side has shown that it has it.
struct Third {
    call: u64,
    datagram: Vec<u8>,
    sent_us: u64,
    began_us: u64,
    pause_us: u64,
}

#[derive(Clone, Copy)]
struct Credit {
    left: u64,
    at_us: u64,
}

impl Gate {
    /// A gate for a session with this password. The seed is 32 bytes from the system's source of chance. Only one that accepts can be
    /// called.
    pub fn new(password: &str, seed: [u8; KEY_BYTES], accepts: bool) -> Gate {
        let mut random = SeededBytes::new(seed);
        let cookie_secret = random.draw();
        let (private, identity) = pair_of(random.draw());
        Gate {
            random,
            private,
            identity,
            password: password_key(password),
            cookie_secret,
            accepts,
            links_max: LINKS_MAX,
            calls: BTreeMap::new(),
            pending: BTreeMap::new(),
            links: BTreeMap::new(),
            credits: BTreeMap::new(),
            outgoing: VecDeque::new(),
            events: VecDeque::new(),
            opened: Vec::new(),
            refused: 0,
        }
    }

    /// With the key pair of this secret instead of a drawn one: the machine is known again after a restart.
    #[must_use]
    pub fn with_key(mut self, secret: [u8; KEY_BYTES]) -> Gate {
        (self.private, self.identity) = pair_of(secret);
        self
    }

    /// The same gate, with other than [`LINKS_MAX`] connections at most.
    #[must_use]
    pub fn with_links_max(self, links_max: usize) -> Gate {
        Gate { links_max, ..self }
    }

    /// The public key of this machine.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The number of datagrams that were refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The number of connections.
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// The number of handshakes of others that are not complete.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Calls another machine. An event says what becomes of it.
    pub fn call(&mut self, now_us: u64, address: SocketAddr) {
        let number = self.random.draw_number();
        let mut datagram = vec![0; HELLO_BYTES];
        (datagram[0], datagram[1]) = (HELLO, VERSION);
        datagram[2..10].copy_from_slice(&number.to_le_bytes());
        self.outgoing.push_back((address, datagram.clone()));
        let index = self.free_index();
        let (began_us, sent_us, pause_us) = (now_us, now_us, REPEAT_US);
        self.calls.insert(number, Call { address, began_us, sent_us, pause_us, index, noise: None, datagram });
    }

    /// Ends a connection; nothing is sent.
    pub fn close(&mut self, link: LinkId) {
        self.links.remove(&link.0);
    }

    /// The address of a connection's other side.
    pub fn address(&self, link: LinkId) -> Option<SocketAddr> {
        self.links.get(&link.0).map(|link| link.address)
    }

    /// Seals a datagram into `out`, and returns where it is to be sent; `None` if the connection is closed.
    pub fn seal(&mut self, link: LinkId, bytes: &[u8], out: &mut Vec<u8>) -> Option<SocketAddr> {
        let link = self.links.get_mut(&link.0)?;
        out.clear();
        out.push(DATA);
        out.extend_from_slice(&link.index.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        link.sending.seal(bytes, out, 5);
        Some(link.address)
    }

    /// Accepts a datagram.
    pub fn handle_datagram(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let result = match bytes.first() {
            Some(&HELLO) => self.hello(now_us, from, bytes),
            Some(&COOKIE) => self.cookie(now_us, from, bytes),
            Some(&FIRST) => self.first(now_us, from, bytes),
            Some(&SECOND) => self.second(now_us, from, bytes),
            Some(&THIRD) => self.third(now_us, from, bytes),
            Some(&DATA) => self.data(from, bytes),
            Some(&REFUSED) => self.told_refused(from, bytes),
            _ => Err(GateError::Malformed),
        };
        self.refused += u64::from(result.is_err());
        result
    }

    /// The next datagram of a handshake, and where it is to be sent.
    pub fn poll_datagram(&mut self, now_us: u64) -> Option<(SocketAddr, Vec<u8>)> {
        self.pass_time(now_us);
        self.outgoing.pop_front()
    }

    /// The next report.
    pub fn poll_event(&mut self) -> Option<GateEvent> {
        self.events.pop_front()
    }

    fn pass_time(&mut self, now_us: u64) {
        self.pending.retain(|_, pending| pending.began_us + HANDSHAKE_US > now_us);
        let mut silent = Vec::new();
        for (number, call) in &mut self.calls {
            if call.began_us + CALL_US < now_us {
                silent.push((*number, call.address));
            } else if call.sent_us + call.pause_us < now_us {
                (call.sent_us, call.pause_us) = (now_us, (call.pause_us * 2).min(REPEAT_US_MAX));
                self.outgoing.push_back((call.address, call.datagram.clone()));
            }
        }
        for (number, address) in silent {
            self.fail_call(number, address, CallError::Silence);
        }
        let mut unconfirmed = Vec::new();
        for (index, link) in &mut self.links {
            let LinkStage::Called(third) = &mut link.stage else { continue };
            if third.began_us + CALL_US < now_us {
                unconfirmed.push((*index, link.address));
            } else if third.sent_us + third.pause_us < now_us {
                (third.sent_us, third.pause_us) = (now_us, (third.pause_us * 2).min(REPEAT_US_MAX));
                self.outgoing.push_back((link.address, third.datagram.clone()));
            }
        }
        for (index, address) in unconfirmed {
            self.links.remove(&index);
            self.events.push_back(GateEvent::Failed { address, why: CallError::Silence });
        }
    }

    /// A call has failed. Returns false if there is no such call to this address.
    fn fail_call(&mut self, number: u64, address: SocketAddr, why: CallError) -> bool {
        let is_it = |link: &Link| matches!(&link.stage, LinkStage::Called(third) if third.call == number);
        let unconfirmed = self.links.iter().find(|(_, link)| is_it(link) && link.address == address);
        let unconfirmed = unconfirmed.map(|(index, _)| *index);
        let is_call = self.calls.get(&number).is_some_and(|call| call.address == address);
        if is_call {
            self.calls.remove(&number);
        }
        let is_link = unconfirmed.is_some_and(|index| self.links.remove(&index).is_some());
        if is_call || is_link {
            self.events.push_back(GateEvent::Failed { address, why });
        }
        is_call || is_link
    }

    /// A number that no connection or handshake has.
    fn free_index(&mut self) -> u32 {
        loop {
            let index = self.random.draw_number() as u32;
            let is_called = self.calls.values().any(|call| call.index == index);
            if !is_called && !self.links.contains_key(&index) && !self.pending.contains_key(&index) {
                return index;
            }
        }
    }

    fn noise(&mut self, is_caller: bool) -> HandshakeState {
        let parts = Box::new(Parts(SeededBytes::new(self.random.draw())));
        let builder = Builder::with_resolver(pattern(), parts)
            .local_private_key(&self.private)
            .and_then(|builder| builder.psk(3, &self.password))
            .and_then(|builder| builder.prologue(PROLOGUE));
        let made = builder.and_then(|builder| match is_caller {
            true => builder.build_initiator(),
            false => builder.build_responder(),
        });
        made.expect("all that the pattern needs is given")
    }

    fn cookie_of(&self, slot: u64, from: SocketAddr, call: u64) -> [u8; COOKIE_BYTES] {
        let address = from.to_string();
        let parts: [&[u8]; 4] = [&self.cookie_secret, &slot.to_le_bytes(), address.as_bytes(), &call.to_le_bytes()];
        *digest("astrarium cookie", &parts).first_chunk().expect("a digest is longer")
    }

    /// Answers with a cookie, and keeps nothing.
    fn hello(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        if bytes.len() != HELLO_BYTES {
            return Err(GateError::Malformed);
        }
        if !self.accepts || self.outgoing.len() >= GATE_EVENTS_MAX {
            return Err(GateError::Busy);
        }
        let call = number_at(bytes, 2)?;
        if bytes[1] != VERSION {
            self.outgoing.push_back((from, refusal(call, CallError::Version)));
            return Err(GateError::Malformed);
        }
        let cookie = self.cookie_of(now_us / COOKIE_US, from, call);
        let answer = [&[COOKIE][..], &call.to_le_bytes(), &cookie].concat();
        self.outgoing.push_back((from, answer));
        Ok(())
    }

    fn cookie(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        if bytes.len() != 9 + COOKIE_BYTES {
            return Err(GateError::Malformed);
        }
        let number = number_at(bytes, 1)?;
        let call = self.calls.get(&number).ok_or(GateError::Unknown)?;
        if call.address != from || call.noise.is_some() {
            return Err(GateError::Repeated);
        }
        let index = call.index;
        let mut noise = self.noise(true);
        let mut message = [0; 128];
        let length = noise.write_message(&index.to_le_bytes(), &mut message).map_err(|_| GateError::Malformed)?;
        let datagram = [&[FIRST][..], &bytes[1..], &message[..length]].concat();
        let Some(call) = self.calls.get_mut(&number) else { return Err(GateError::Unknown) };
        call.noise = Some(noise);
        call.datagram.clone_from(&datagram);
        (call.sent_us, call.pause_us) = (now_us, REPEAT_US);
        self.outgoing.push_back((from, datagram));
        Ok(())
    }

    fn first(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let number = number_at(bytes, 1)?;
        let (cookie, message) =
            bytes.get(9..).and_then(|rest| rest.split_at_checked(COOKIE_BYTES)).ok_or(GateError::Malformed)?;
        let slot = now_us / COOKIE_US;
        let is_valid = |slot: u64| self.cookie_of(slot, from, number) == cookie;
        if !self.accepts || !is_valid(slot) && !slot.checked_sub(1).is_some_and(is_valid) {
            return Err(GateError::Cookie);
        }
        if let Some(pending) = self.pending.values().find(|pending| pending.call == number && pending.address == from) {
            // It was lost on the way back.
            self.outgoing.push_back((from, pending.second.clone()));
            return Err(GateError::Repeated);
        }
        let holder = ShareHolder::of(from.ip());
        let from_there =
            self.pending.values().filter(|pending| ShareHolder::of(pending.address.ip()) == holder).count();
        let is_full = from_there >= CALLS_PENDING_PER_NETWORK_MAX || self.links.len() >= self.links_max;
        if is_full || !self.spend(now_us, holder, 1) {
            self.outgoing.push_back((from, refusal(number, CallError::Full)));
            return Err(GateError::Busy);
        }
        let mut noise = self.noise(false);
        let mut payload = [0; 64];
        let length = noise.read_message(message, &mut payload).map_err(|_| GateError::Malformed)?;
        let caller_index = index_of(&payload[..length])?;
        let index = self.free_index();
        let mut answer = [0; 128];
        let length = noise.write_message(&index.to_le_bytes(), &mut answer).map_err(|_| GateError::Malformed)?;
        let second = [&[SECOND][..], &number.to_le_bytes(), &answer[..length]].concat();
        self.outgoing.push_back((from, second.clone()));
        if self.pending.len() >= CALLS_PENDING_MAX {
            self.turn_out(holder);
        }
        let pending = Pending { call: number, address: from, began_us: now_us, caller_index, noise, second };
        self.pending.insert(index, pending);
        Ok(())
    }

    /// Forgets the oldest handshake of the network with the most, for one from this network.
    fn turn_out(&mut self, newcomer: ShareHolder) {
        let mut by_age: Vec<(u64, u32, ShareHolder)> = Vec::with_capacity(self.pending.len());
        let row =
            |(index, pending): (&u32, &Pending)| (pending.began_us, *index, ShareHolder::of(pending.address.ip()));
        by_age.extend(self.pending.iter().map(row));
        by_age.sort_unstable();
        let holders: Vec<ShareHolder> = by_age.iter().map(|(_, _, holder)| *holder).collect();
        if let Some(place) = place_to_give(&holders, newcomer) {
            self.pending.remove(&by_age[place].1);
        }
    }

    fn second(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let number = number_at(bytes, 1)?;
        let call = self.calls.get_mut(&number).ok_or(GateError::Unknown)?;
        if call.address != from {
            return Err(GateError::Unknown);
        }
        let Some(mut noise) = call.noise.take() else { return Err(GateError::Unknown) };
        let mut payload = [0; 128];
        let read = noise.read_message(&bytes[9..], &mut payload);
        let Ok(length) = read else {
            // Noise goes on after a message that does not open; a forged one costs nothing.
            call.noise = Some(noise);
            return Err(GateError::Forged);
        };
        let index = index_of(&payload[..length])?;
        let own = call.index;
        self.calls.remove(&number);
        let mut message = [0; 128];
        let length = noise.write_message(&[], &mut message).map_err(|_| GateError::Malformed)?;
        let datagram = [&[THIRD][..], &index.to_le_bytes(), &message[..length]].concat();
        self.outgoing.push_back((from, datagram.clone()));
        let third = Third { call: number, datagram, sent_us: now_us, began_us: now_us, pause_us: REPEAT_US };
        self.add_link(own, from, index, noise, LinkStage::Called(third));
        Ok(())
    }

    fn third(&mut self, now_us: u64, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let index = index_of(bytes.get(1..5).ok_or(GateError::Malformed)?)?;
        let digest = digest("astrarium third message", &[&bytes[5..]]);
        if let Some(link) = self.links.get(&index) {
            if matches!(link.stage, LinkStage::Accepted(own) if own == digest) && link.address == from {
                // The answer was lost: an empty datagram says that the connection is there.
                self.answer_empty(index);
            }
            return Err(GateError::Repeated);
        }
        let pending = self.pending.get_mut(&index).filter(|pending| pending.address == from);
        let pending = pending.ok_or(GateError::Unknown)?;
        let mut payload = [0; 128];
        if pending.noise.read_message(&bytes[5..], &mut payload).is_err() {
            let call = pending.call;
            self.pending.remove(&index);
            self.spend(now_us, ShareHolder::of(from.ip()), WRONG_COST);
            self.outgoing.push_back((from, refusal(call, CallError::WrongPassword)));
            return Err(GateError::Password);
        }
        let Some(Pending { noise, caller_index, .. }) = self.pending.remove(&index) else {
            return Err(GateError::Unknown);
        };
        let identity = self.add_link(index, from, caller_index, noise, LinkStage::Accepted(digest));
        self.events.push_back(GateEvent::Opened { link: LinkId(index), address: from, identity, is_caller: false });
        self.answer_empty(index);
        Ok(())
    }

    /// Adds a connection, and returns the other side's public key.
    fn add_link(
        &mut self,
        own: u32,
        address: SocketAddr,
        index: u32,
        mut noise: HandshakeState,
        stage: LinkStage,
    ) -> Identity {
        let mut identity = [0; KEY_BYTES];
        if let Some(key) = noise.get_remote_static() {
            identity.copy_from_slice(key);
        }
        let is_caller = noise.is_initiator();
        let (of_caller, of_called) = noise.dangerously_get_raw_split();
        let (sending, receiving) = if is_caller { (of_caller, of_called) } else { (of_called, of_caller) };
        let (sending, receiving) = (SendingKeys::new(sending), ReceivingKeys::new(receiving));
        self.links.insert(own, Link { address, index, identity, sending, receiving, stage });
        identity
    }

    fn answer_empty(&mut self, index: u32) {
        let mut out = Vec::new();
        if let Some(address) = self.seal(LinkId(index), &[], &mut out) {
            self.outgoing.push_back((address, out));
        }
    }

    fn data(&mut self, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let (head, sealed) = bytes.split_at_checked(9).ok_or(GateError::Malformed)?;
        let index = index_of(&head[1..5])?;
        let link = self.links.get_mut(&index).ok_or(GateError::Unknown)?;
        if self.events.len() >= GATE_EVENTS_MAX {
            return Err(GateError::Busy);
        }
        let opened = link.receiving.open(head, index_of(&head[5..9])?, sealed, &mut self.opened);
        let is_newest = opened.map_err(|error| match error {
            OpenError::Forged => GateError::Forged,
            OpenError::Repeated => GateError::Repeated,
        })?;
        if is_newest {
            link.address = from;
        }
        if let LinkStage::Called(_) = link.stage {
            link.stage = LinkStage::Confirmed;
            let (link, identity) = (LinkId(index), link.identity);
            self.events.push_back(GateEvent::Opened { link, address: from, identity, is_caller: true });
        }
        if !self.opened.is_empty() {
            self.events.push_back(GateEvent::Data { link: LinkId(index), bytes: self.opened.clone() });
        }
        Ok(())
    }

    fn told_refused(&mut self, from: SocketAddr, bytes: &[u8]) -> Result<(), GateError> {
        let number = number_at(bytes, 1)?;
        let why = match bytes.get(9) {
            Some(1) => CallError::WrongPassword,
            Some(2) => CallError::Full,
            Some(3) => CallError::Version,
            _ => return Err(GateError::Malformed),
        };
        if self.fail_call(number, from, why) { Ok(()) } else { Err(GateError::Unknown) }
    }

    /// Takes handshakes from what a network may spend. Returns false if it has spent all.
    fn spend(&mut self, now_us: u64, from: ShareHolder, cost: u64) -> bool {
        if self.credits.len() >= ADDRESSES_COUNTED_MAX && !self.credits.contains_key(&from) {
            // Those that were quiet for longest have their credit back.
            let oldest = self.credits.iter().min_by_key(|(_, credit)| credit.at_us).map(|(address, _)| *address);
            oldest.and_then(|address| self.credits.remove(&address));
        }
        let credit = self.credits.entry(from).or_insert(Credit { left: CREDIT_MAX, at_us: now_us });
        let back = now_us.saturating_sub(credit.at_us) * CREDIT_PER_SECOND / 1_000_000;
        if back > 0 {
            (credit.left, credit.at_us) = ((credit.left + back).min(CREDIT_MAX), now_us);
        }
        let has = credit.left >= cost;
        credit.left = credit.left.saturating_sub(cost);
        has
    }
}

/// The private and the public key that a secret gives, always the same.
fn pair_of(secret: [u8; KEY_BYTES]) -> (Vec<u8>, Identity) {
    let pair = Builder::with_resolver(pattern(), Box::new(Parts(SeededBytes::new(secret)))).generate_keypair();
    let pair = pair.expect("Curve25519 is a part, and random bytes do not fail");
    let mut identity = [0; KEY_BYTES];
    identity.copy_from_slice(&pair.public);
    (pair.private, identity)
}

fn pattern() -> snow::params::NoiseParams {
    PATTERN.parse().expect("it is a pattern that snow knows")
}

fn refusal(call: u64, why: CallError) -> Vec<u8> {
    let why = match why {
        CallError::WrongPassword => 1,
        CallError::Full | CallError::Silence => 2,
        CallError::Version => 3,
    };
    [&[REFUSED][..], &call.to_le_bytes(), &[why]].concat()
}

fn number_at(bytes: &[u8], at: usize) -> Result<u64, GateError> {
    let found = bytes.get(at..at + 8).and_then(|bytes| bytes.first_chunk());
    found.map(|bytes| u64::from_le_bytes(*bytes)).ok_or(GateError::Malformed)
}

fn index_of(bytes: &[u8]) -> Result<u32, GateError> {
    let bytes: [u8; 4] = bytes.try_into().map_err(|_| GateError::Malformed)?;
    Ok(u32::from_le_bytes(bytes))
}

impl fmt::Display for GateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            GateError::Malformed => "a datagram of no known form",
            GateError::Unknown => "a datagram of no connection",
            GateError::Cookie => "a cookie that is not valid",
            GateError::Forged => "a datagram that the other side did not seal",
            GateError::Repeated => "a datagram that arrived already",
            GateError::Password => "a call with a wrong password",
            GateError::Busy => "too many connections or handshakes",
        })
    }
}

impl std::error::Error for GateError {}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            CallError::Silence => "it does not answer",
            CallError::WrongPassword => "the password is wrong",
            CallError::Full => "it has too many connections, or too many came from this network",
            CallError::Version => "it speaks another version: update the older program",
        })
    }
}

impl std::error::Error for CallError {}
