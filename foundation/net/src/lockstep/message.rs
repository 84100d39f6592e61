//! The messages of lockstep, for one unreliable, urgent stream. Each may be lost, late or doubled.

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use relay::Event;

use super::record::{Kinds, Record, out_of_range, read_number, read_player};
use crate::limits::{BATCHES_WAITING_MAX, INPUT_BYTES_MAX, LOG_CYCLES_MAX};

/// The reign of one host: its number and the host. Later terms are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Counted from zero.
    pub number: u64,
    /// The player whose machine decides.
    pub host: u8,
}

/// An input on its way to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub number: u64,
    /// The cycle it is meant for; the host takes it then, or as soon as it has it.
    pub aim: u64,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// From the host: the first cycle of its term (or the one before `first`, once the guest is known to follow), records,
    /// and how early the guest's report arrived for its aim, in units of 4 ms.
    Cycles { term: Term, base: u64, first: u64, records: Vec<Record>, mark: u8, slack: i64 },
    /// From a guest.
    Report(GuestReport),
    /// From a guest that does not hear its host of the term: please stand, with at least this number.
    Ask { term: Term, number: u64 },
    /// From a candidate that heard enough of these: it stands for `next`.
    Ready { term: Term, next: Term },
    /// To the candidate: this machine follows no other candidate from here on, and has the cycles before `end`.
    Vote { next: Term, end: u64 },
    /// From the candidate: please send the cycles from here on.
    Want { next: Term, first: u64 },
    /// The answer.
    Past { next: Term, first: u64, records: Vec<Record> },
    /// From a host: this machine is no member of the term.
    Gone { term: Term },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GuestReport {
    pub term: Term,
    /// The first cycle it does not have.
    pub end: u64,
    /// The cycles that are due there and not applied.
    pub backlog: u64,
    /// The cycles of its chain, and the chain's lower half.
    pub hashed: u64,
    pub chain: u32,
    pub mark: u8,
    pub aim: u64,
    pub is_missing: bool,
    pub is_leaving: bool,
    pub inputs: Vec<Input>,
}

impl Term {
    fn write(self, out: &mut Vec<u8>) {
        out.write_varint(self.number);
        out.write_u8(self.host);
    }

    fn read(reader: &mut ByteReader<'_>) -> Result<Term, ReadError> {
        Ok(Term { number: read_number(reader)?, host: read_player(reader)? })
    }
}

impl Note {
    pub fn write(&self, kinds: &Kinds) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Note::Cycles { term, base, first, records, mark, slack } => {
                out.write_u8(0);
                term.write(&mut out);
                out.write_varint(*first);
                out.write_varint_signed(base.wrapping_sub(*first).cast_signed());
                out.write_u8(*mark);
                out.write_varint_signed(*slack);
                write_records(records, kinds, &mut out);
            }
            Note::Report(report) => report.write(kinds, &mut out),
            Note::Ask { term, number } => {
                out.write_u8(2);
                term.write(&mut out);
                out.write_varint(*number);
            }
            Note::Ready { term, next } => {
                out.write_u8(3);
                term.write(&mut out);
                next.write(&mut out);
            }
            Note::Vote { next, end: number } | Note::Want { next, first: number } => {
                out.write_u8(if matches!(self, Note::Vote { .. }) { 4 } else { 5 });
                next.write(&mut out);
                out.write_varint(*number);
            }
            Note::Past { next, first, records } => {
                out.write_u8(6);
                next.write(&mut out);
                out.write_varint(*first);
                write_records(records, kinds, &mut out);
            }
            Note::Gone { term } => {
                out.write_u8(7);
                term.write(&mut out);
            }
        }
        out
    }

    pub fn read(kinds: &Kinds, bytes: &[u8]) -> Result<Note, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let tag = reader.read_u8()?;
        let note = match tag & 0x0f {
            0 => {
                let (term, first) = (Term::read(&mut reader)?, read_number(&mut reader)?);
                let base = first.saturating_add_signed(reader.read_varint_signed()?);
                let (mark, slack) = (reader.read_u8()?, reader.read_varint_signed()?);
                Note::Cycles { term, base, first, mark, slack, records: read_records(kinds, &mut reader)? }
            }
            1 => Note::Report(GuestReport::read(kinds, tag, &mut reader)?),
            2 => Note::Ask { term: Term::read(&mut reader)?, number: read_number(&mut reader)? },
            3 => Note::Ready { term: Term::read(&mut reader)?, next: Term::read(&mut reader)? },
            4 => Note::Vote { next: Term::read(&mut reader)?, end: read_number(&mut reader)? },
            5 => Note::Want { next: Term::read(&mut reader)?, first: read_number(&mut reader)? },
            6 => {
                let (next, first) = (Term::read(&mut reader)?, read_number(&mut reader)?);
                Note::Past { next, first, records: read_records(kinds, &mut reader)? }
            }
            7 => Note::Gone { term: Term::read(&mut reader)? },
            number => {
                let found = Found::OutOfRange { number: number.into(), max: 7 };
                return Err(ReadError { expected: "a kind of message", offset: Offset::Byte(0), found });
            }
        };
        reader.finish()?;
        Ok(note)
    }
}

impl Input {
    /// Encodes it, for a report of a machine that has the cycles before `end`.
    pub fn write(&self, end: u64, kinds: &Kinds, out: &mut Vec<u8>) {
        out.write_varint(self.number);
        out.write_varint_signed(self.aim.wrapping_sub(end).cast_signed());
        kinds.write_events(&self.events, out);
    }
}

impl GuestReport {
    fn write(&self, kinds: &Kinds, out: &mut Vec<u8>) {
        out.write_u8(1 | u8::from(self.is_missing) << 4 | u8::from(self.is_leaving) << 5);
        self.term.write(out);
        out.write_varint(self.end);
        out.write_varint(self.backlog);
        out.write_varint_signed(self.end.wrapping_sub(self.hashed).cast_signed());
        out.write_u32(self.chain);
        out.write_u8(self.mark);
        out.write_varint_signed(self.aim.wrapping_sub(self.end).cast_signed());
        out.write_varint(self.inputs.len() as u64);
        self.inputs.iter().for_each(|input| input.write(self.end, kinds, out));
    }

    fn read(kinds: &Kinds, tag: u8, reader: &mut ByteReader<'_>) -> Result<GuestReport, ReadError> {
        let (term, end, backlog) = (Term::read(reader)?, read_number(reader)?, read_number(reader)?);
        let hashed = end.wrapping_sub(reader.read_varint_signed()?.cast_unsigned());
        let (chain, mark) = (reader.read_u32()?, reader.read_u8()?);
        let aim = end.wrapping_add(reader.read_varint_signed()?.cast_unsigned());
        let (is_missing, is_leaving) = (tag >> 4 & 1 == 1, tag >> 5 & 1 == 1);
        let mut inputs = Vec::new();
        for _ in 0..reader.read_count(BATCHES_WAITING_MAX, 3)? {
            let number = read_number(reader)?;
            let aim = end.wrapping_add(reader.read_varint_signed()?.cast_unsigned());
            let began = reader.offset();
            let events = kinds.read_events(reader)?;
            let bytes = reader.offset() - began;
            if bytes > INPUT_BYTES_MAX {
                return Err(out_of_range(
                    "an input that fits into a record",
                    reader,
                    bytes as u64,
                    INPUT_BYTES_MAX as u64 + 1,
                ));
            }
            inputs.push(Input { number, aim, events });
        }
        Ok(GuestReport { term, end, backlog, hashed, chain, mark, aim, is_missing, is_leaving, inputs })
    }
}

fn write_records(records: &[Record], kinds: &Kinds, out: &mut Vec<u8>) {
    out.write_varint(records.len() as u64);
    for record in records {
        record.write(kinds, out);
    }
}

fn read_records(kinds: &Kinds, reader: &mut ByteReader<'_>) -> Result<Vec<Record>, ReadError> {
    let count = reader.read_count(LOG_CYCLES_MAX, 1)?;
    (0..count).map(|_| Record::read(kinds, reader)).collect()
}
