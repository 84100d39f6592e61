//! Sessions on the local network: a host answers those who ask, and a machine without an address asks all.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use host::chance;
use host::clock::Clock;
use host::datagrams::Datagrams;
use net::finding::{AnswerLimit, FoundSession, PORT_FIRST, PORTS, read_question, write_question};

use super::PartyError;

/// The questions that a host looks at in one turn.
const QUESTIONS_MAX: usize = 32;

/// The sessions that are listed.
const FOUND_MAX: usize = 64;

/// How often a question is repeated.
const ASK_US: u64 = 300_000;

/// A host's ear for questions.
pub struct Beacon {
    socket: Datagrams,
    limit: AnswerLimit,
}

impl Beacon {
    /// Listens at the first free of the ports for questions; none if all are taken.
    pub fn open(ip: IpAddr) -> Option<Beacon> {
        let mut ports = PORT_FIRST..PORT_FIRST + PORTS;
        let socket = ports.find_map(|port| Datagrams::open(&SocketAddr::new(ip, port).to_string()).ok())?;
        Some(Beacon { socket, limit: AnswerLimit::default() })
    }

    /// Answers the questions that have arrived.
    pub fn answer(&mut self, now_us: u64, session: &mut dyn FnMut() -> FoundSession) {
        for _ in 0..QUESTIONS_MAX {
            // A question that cannot be received is as none.
            let Ok(Some((from, bytes))) = self.socket.receive(Duration::ZERO) else { return };
            let Ok(number) = read_question(bytes) else { continue };
            if self.limit.may_answer(now_us, from.ip()) {
                self.socket.send(from, &session().write(number));
            }
        }
    }
}

/// Asks for sessions for so long: at the broadcast address, at this machine, and at `beside`, if that is given.
pub fn find(beside: Option<IpAddr>, patience: Duration) -> Result<Vec<(SocketAddr, FoundSession)>, PartyError> {
    let mut seed = [0; 8];
    chance::fill(&mut seed).map_err(PartyError::NoChance)?;
    let number = u64::from_le_bytes(seed);
    let question = write_question(number);
    let mut socket = Datagrams::open("0.0.0.0:0").map_err(PartyError::Socket)?;
    socket.allow_broadcast().map_err(PartyError::Socket)?;
    let clock = Clock::new();
    let end_us = patience.as_micros() as u64;
    let mut asked_us = None;
    let mut found: BTreeMap<SocketAddr, FoundSession> = BTreeMap::new();
    loop {
        let now_us = clock.now() / 1000;
        if now_us >= end_us {
            break;
        }
        if asked_us.is_none_or(|asked_us| asked_us + ASK_US < now_us) {
            asked_us = Some(now_us);
            let places = [Some(IpAddr::from([255; 4])), Some(IpAddr::from([127, 0, 0, 1])), beside];
            for ip in places.into_iter().flatten() {
                for port in PORT_FIRST..PORT_FIRST + PORTS {
                    socket.send(SocketAddr::new(ip, port), &question);
                }
            }
        }
        let Some((from, bytes)) = socket.receive(Duration::from_millis(20)).map_err(PartyError::Socket)? else {
            continue;
        };
        if let Ok((answered, session)) = FoundSession::read(bytes)
            && answered == number
            && found.len() < FOUND_MAX
        {
            let address = SocketAddr::new(from.ip(), session.port);
            found.insert(address, session);
        }
    }
    // A host of this machine is heard at two addresses.
    let is_double = |address: &SocketAddr, session: &FoundSession| {
        address.ip().is_loopback()
            && found
                .iter()
                .any(|(other, same)| !other.ip().is_loopback() && same == session && other.port() == address.port())
    };
    Ok(found
        .iter()
        .filter(|(address, session)| !is_double(address, session))
        .map(|(address, session)| (*address, session.clone()))
        .collect())
}
