//! The list of the machines of a session, as the host tells it to all: who they are, where they are, and whether they are ready.

use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::limits::{NAME_BYTES_MAX, PLAYERS_MAX};

use super::read_machine;

/// The machines of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The number of the machine that gets it.
    pub you: u8,
    /// The number of the host.
    pub host: u8,
    /// Whether the first cycle has begun.
    pub has_begun: bool,
    /// Whether a host of it answers those who look for sessions on the local network.
    pub is_found: bool,
    /// The machines.
    pub machines: Vec<RosterEntry>,
}

/// A machine of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RosterEntry {
    /// Its number: the player it plays, or that of an observer.
    pub machine: u8,
    /// The name of the person.
    pub name: String,
    /// Whether the first cycle may begin.
    pub is_ready: bool,
    /// Whether it takes part: it has the world.
    pub is_playing: bool,
    /// Whether it asks for a pause.
    pub asks_pause: bool,
    /// Its public key.
    pub identity: [u8; 32],
    /// Where the host sees it; none for the host itself.
    pub address: Option<SocketAddr>,
}

impl Roster {
    /// The entry of a machine.
    pub fn entry(&self, machine: u8) -> Option<&RosterEntry> {
        self.machines.iter().find(|entry| entry.machine == machine)
    }

    /// The machine with a public key.
    pub fn machine_with(&self, identity: &[u8; 32]) -> Option<u8> {
        self.machines.iter().find(|entry| entry.identity == *identity).map(|entry| entry.machine)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.write_u8(self.you);
        out.write_u8(self.host);
        out.write_u8(u8::from(self.has_begun) | u8::from(self.is_found) << 1);
        let machines = &self.machines[..self.machines.len().min(PLAYERS_MAX)];
        out.write_varint(machines.len() as u64);
        for entry in machines {
            out.write_u8(entry.machine);
            write_name(&entry.name, out);
            let flags = u8::from(entry.is_ready) | u8::from(entry.is_playing) << 1 | u8::from(entry.asks_pause) << 2;
            out.write_u8(flags);
            out.put(&entry.identity);
            write_address(entry.address, out);
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Roster, ReadError> {
        let (you, host, flags) = (read_machine(reader)?, read_machine(reader)?, reader.read_u8()?);
        let (has_begun, is_found) = (flags & 1 == 1, flags & 2 == 2);
        let count = reader.read_count(PLAYERS_MAX, 36)?;
        let mut machines = Vec::with_capacity(count);
        for _ in 0..count {
            let (machine, name, flags) = (read_machine(reader)?, read_name(reader)?, reader.read_u8()?);
            let mut identity = [0; 32];
            identity.copy_from_slice(reader.take(32)?);
            let [is_ready, is_playing, asks_pause] = [0, 1, 2].map(|bit| flags >> bit & 1 == 1);
            let address = read_address(reader)?;
            machines.push(RosterEntry { machine, name, is_ready, is_playing, asks_pause, identity, address });
        }
        Ok(Roster { you, host, has_begun, is_found, machines })
    }
}

/// A name as it is shown: without what moves a cursor, and not longer than [`NAME_BYTES_MAX`].
pub fn plain_name(name: &str) -> String {
    plain_text(name, NAME_BYTES_MAX)
}

/// A text as it is shown: without what moves a cursor, and not longer than so many bytes.
pub fn plain_text(text: &str, bytes_max: usize) -> String {
    let mut plain = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control() && !turns(*letter)) {
        if plain.len() + letter.len_utf8() > bytes_max {
            break;
        }
        plain.push(letter);
    }
    String::from(plain.trim())
}

/// Whether a letter ends a line, or changes the direction of what follows.
fn turns(letter: char) -> bool {
    matches!(
        letter,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

pub(super) fn write_name(name: &str, out: &mut Vec<u8>) {
    out.write_text(&plain_name(name), NAME_BYTES_MAX);
}

pub(super) fn read_name(reader: &mut ByteReader<'_>) -> Result<String, ReadError> {
    reader.read_text(NAME_BYTES_MAX).map(plain_name)
}

/// Writes an address: the number of its bytes, the bytes, the port.
pub fn write_address(address: Option<SocketAddr>, out: &mut Vec<u8>) {
    match address.map(|address| (address.ip(), address.port())) {
        None => out.write_u8(0),
        Some((IpAddr::V4(ip), port)) => {
            out.write_u8(4);
            out.put(&ip.octets());
            out.write_u16(port);
        }
        Some((IpAddr::V6(ip), port)) => {
            out.write_u8(16);
            out.put(&ip.octets());
            out.write_u16(port);
        }
    }
}

/// Reads one.
pub fn read_address(reader: &mut ByteReader<'_>) -> Result<Option<SocketAddr>, ReadError> {
    let offset = reader.offset();
    let ip = match reader.read_u8()? {
        0 => return Ok(None),
        4 => {
            let mut octets = [0; 4];
            octets.copy_from_slice(reader.take(4)?);
            IpAddr::V4(Ipv4Addr::from(octets))
        }
        16 => {
            let mut octets = [0; 16];
            octets.copy_from_slice(reader.take(16)?);
            IpAddr::V6(Ipv6Addr::from(octets))
        }
        number => {
            let found = Found::OutOfRange { number: number.into(), max: 16 };
            return Err(ReadError { expected: "the length of an address", offset: Offset::Byte(offset as u64), found });
        }
    };
    Ok(Some(SocketAddr::new(ip, reader.read_u16()?)))
}
