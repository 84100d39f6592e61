//! Finding sessions on the local network: a question to all, and the answer of a host.
//!
//! | datagram | bytes | content |
//! |---|---|---|
//! | question | 512 | "astrarium?", version, number, zeros |
//! | answer | at most 512 | "astrarium!", version, number of the question, what is played |
//!
//! Laws
//! 1. An answer is never longer than its question.
//! 2. An address gets four answers in a row and then two per second; all addresses together get 64 and then 32 per second.
//! 3. Any bytes are read or refused, and memory is bounded.
//!
//! Never: says anything secret. An answer proves nothing: the password does, when a machine joins.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::letter::plain_text;
use crate::limits::{FINDING_ADDRESSES_MAX, FINDING_TEXT_BYTES_MAX, NAME_BYTES_MAX};

/// The bytes of a question, and the most of an answer.
pub const QUESTION_BYTES: usize = 512;

/// The first of the ports at which hosts answer; each takes the first that is free.
pub const PORT_FIRST: u16 = 7330;

/// The number of these ports.
pub const PORTS: u16 = 16;

const QUESTION: &[u8; 10] = b"astrarium?";
const ANSWER: &[u8; 10] = b"astrarium!";
const VERSION: u8 = 1;

/// A session that can be joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSession {
    /// The port of the host's session.
    pub port: u16,
    /// The host's name.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its version, for people.
    pub version: String,
    /// The level.
    pub level: String,
    /// The players of the world.
    pub players: u16,
    /// The players that machines play.
    pub played: u8,
    /// Whether play has begun.
    pub has_begun: bool,
    /// The code that steps the world.
    pub build: u64,
    /// The tags.
    pub content: u64,
}

/// A question with this number.
pub fn write_question(number: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(QUESTION_BYTES);
    out.put(QUESTION);
    out.write_u8(VERSION);
    out.write_u64(number);
    out.resize(QUESTION_BYTES, 0);
    out
}

/// The number of a question.
pub fn read_question(bytes: &[u8]) -> Result<u64, ReadError> {
    let mut reader = ByteReader::new(bytes);
    read_head(&mut reader, QUESTION)?;
    let number = reader.read_u64()?;
    // All of it: by law 1.
    reader.take(QUESTION_BYTES - QUESTION.len() - 9)?;
    reader.finish()?;
    Ok(number)
}

fn read_head(reader: &mut ByteReader<'_>, wanted: &[u8]) -> Result<(), ReadError> {
    let is_it = reader.take(wanted.len())? == wanted && reader.read_u8()? == VERSION;
    if is_it {
        return Ok(());
    }
    let found = Found::OutOfRange { number: 0, max: u64::from(VERSION) };
    Err(ReadError { expected: "a datagram of finding", offset: Offset::Byte(0), found })
}

impl FoundSession {
    /// The answer to a question with this number.
    pub fn write(&self, number: u64) -> Vec<u8> {
        let mut out = Vec::new();
        out.put(ANSWER);
        out.write_u8(VERSION);
        out.write_u64(number);
        out.write_u16(self.port);
        out.write_text(&plain_text(&self.name, NAME_BYTES_MAX), NAME_BYTES_MAX);
        for text in [&self.game, &self.version, &self.level] {
            out.write_text(&plain_text(text, FINDING_TEXT_BYTES_MAX), FINDING_TEXT_BYTES_MAX);
        }
        out.write_u16(self.players);
        out.write_u8(self.played);
        out.write_u8(u8::from(self.has_begun));
        out.write_u64(self.build);
        out.write_u64(self.content);
        out
    }

    /// An answer, and the number of its question.
    pub fn read(bytes: &[u8]) -> Result<(u64, FoundSession), ReadError> {
        let mut reader = ByteReader::new(bytes);
        read_head(&mut reader, ANSWER)?;
        let (number, port) = (reader.read_u64()?, reader.read_u16()?);
        let name = plain_text(reader.read_text(NAME_BYTES_MAX)?, NAME_BYTES_MAX);
        let mut text = || Ok(plain_text(reader.read_text(FINDING_TEXT_BYTES_MAX)?, FINDING_TEXT_BYTES_MAX));
        let (game, version, level) = (text()?, text()?, text()?);
        let (players, played, has_begun) = (reader.read_u16()?, reader.read_u8()?, reader.read_u8()? != 0);
        let (build, content) = (reader.read_u64()?, reader.read_u64()?);
        reader.finish()?;
        Ok((number, FoundSession { port, name, game, version, level, players, played, has_begun, build, content }))
    }
}

const OWN_MAX: u64 = 4;
const OWN_EVERY_US: u64 = 500_000;
const ALL_MAX: u64 = 64;
const ALL_EVERY_US: u64 = 31_250;

/// How many answers may be given now.
#[derive(Clone, Debug, Default)]
pub struct AnswerLimit {
    all_until_us: u64,
    of_addresses: BTreeMap<IpAddr, u64>,
}

impl AnswerLimit {
    /// Whether an address may get an answer now. If so, it counts as given.
    pub fn may_answer(&mut self, now_us: u64, to: IpAddr) -> bool {
        // Who has everything back needs no entry.
        self.of_addresses.retain(|_, until_us| *until_us > now_us);
        let is_known = self.of_addresses.contains_key(&to);
        if !is_known && self.of_addresses.len() >= FINDING_ADDRESSES_MAX {
            return false;
        }
        let own_us = self.of_addresses.get(&to).map_or(now_us, |until_us| now_us.max(*until_us));
        let all_us = self.all_until_us.max(now_us);
        let has = own_us < now_us + OWN_MAX * OWN_EVERY_US && all_us < now_us + ALL_MAX * ALL_EVERY_US;
        if has {
            self.of_addresses.insert(to, own_us + OWN_EVERY_US);
            self.all_until_us = all_us + ALL_EVERY_US;
        }
        has
    }

    /// The addresses that are remembered.
    pub fn addresses(&self) -> usize {
        self.of_addresses.len()
    }
}
