//! The profiler's track of a film: an item is the summary of a second of world time.
//!
//! Item: format, 1; varints first cycle, cycle after the last, steps, nanoseconds, steps in which tags were measured; then four
//! tables, each with its number of rows as a varint: stages (`u8` 1 for a phase of physics, text name, varints calls,
//! nanoseconds); tags (texts path, class, varints updates, nanoseconds, evaluations, fuel); lines (text path, varints line, fuel);
//! slow steps (varints cycle, nanoseconds, and two tables of text and varint nanoseconds: stages and tags).
//!
//! Laws
//! 1. Any bytes give a summary or an error, with memory proportional to the bytes.
//! 2. An item of another format is skipped by its reader, and so is a damaged one; a film is played without its tracks.

use base::bytes::{ByteReader, ByteWriter, ReadError};
use world::ObjectCost;

use super::limits::{NAME_BYTES_MAX, ROWS_READ_MAX};
use super::summary::{LineRow, ProfileRow, ProfileSummary, SlowStep, TagRow};

/// The name of the track.
pub const TRACK: &str = "profiler";

/// The format of an item.
const FORMAT: u8 = 1;

/// Appends an item to `out`.
pub fn encode(summary: &ProfileSummary, out: &mut Vec<u8>) {
    out.write_u8(FORMAT);
    let ProfileSummary { first, until, steps, nanos, rows, measured, tags, lines, slowest } = summary;
    [*first, *until, *steps, *nanos, *measured].into_iter().for_each(|number| out.write_varint(number));
    table(out, rows, |out, row| {
        out.write_u8(row.is_phase.into());
        name(out, &row.name);
        out.write_varint(row.calls);
        out.write_varint(row.nanos);
    });
    table(out, tags, |out, row| {
        name(out, &row.path);
        name(out, &row.class);
        let ObjectCost { updates, nanos, evaluations, fuel } = row.cost;
        [updates, nanos, evaluations, fuel].into_iter().for_each(|number| out.write_varint(number));
    });
    table(out, lines, |out, row| {
        name(out, &row.path);
        out.write_varint(row.line.into());
        out.write_varint(row.fuel);
    });
    table(out, slowest, |out, step| {
        out.write_varint(step.cycle);
        out.write_varint(step.nanos);
        for times in [&step.stages, &step.tags] {
            table(out, times, |out, (text, nanos)| {
                name(out, text);
                out.write_varint(*nanos);
            });
        }
    });
}

/// Reads an item; `None` if it has another format.
pub fn decode(bytes: &[u8]) -> Result<Option<ProfileSummary>, ReadError> {
    let mut reader = ByteReader::new(bytes);
    if reader.read_u8()? != FORMAT {
        return Ok(None);
    }
    let mut summary = ProfileSummary {
        first: reader.read_varint()?,
        until: reader.read_varint()?,
        steps: reader.read_varint()?,
        nanos: reader.read_varint()?,
        measured: reader.read_varint()?,
        ..ProfileSummary::default()
    };
    summary.rows = rows(&mut reader, 4, |reader| {
        let is_phase = reader.read_u8()? != 0;
        Ok(ProfileRow { is_phase, name: text(reader)?, calls: reader.read_varint()?, nanos: reader.read_varint()? })
    })?;
    summary.tags = rows(&mut reader, 6, |reader| {
        let (path, class) = (text(reader)?, text(reader)?);
        let cost = ObjectCost {
            updates: reader.read_varint()?,
            nanos: reader.read_varint()?,
            evaluations: reader.read_varint()?,
            fuel: reader.read_varint()?,
        };
        Ok(TagRow { path, class, cost })
    })?;
    summary.lines = rows(&mut reader, 3, |reader| {
        let (path, line) = (text(reader)?, reader.read_varint()?);
        Ok(LineRow { path, line: u32::try_from(line).unwrap_or(0), fuel: reader.read_varint()? })
    })?;
    let times = |reader: &mut ByteReader<'_>| rows(reader, 2, |reader| Ok((text(reader)?, reader.read_varint()?)));
    summary.slowest = rows(&mut reader, 4, |reader| {
        let (cycle, nanos) = (reader.read_varint()?, reader.read_varint()?);
        Ok(SlowStep { cycle, nanos, stages: times(reader)?, tags: times(reader)? })
    })?;
    reader.finish()?;
    Ok(Some(summary))
}

fn name(out: &mut Vec<u8>, text: &str) {
    out.write_text(&text[..text.floor_char_boundary(text.len().min(NAME_BYTES_MAX))], NAME_BYTES_MAX);
}

fn text(reader: &mut ByteReader<'_>) -> Result<String, ReadError> {
    Ok(String::from(reader.read_text(NAME_BYTES_MAX)?))
}

fn table<T>(out: &mut Vec<u8>, rows: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    let rows = &rows[..rows.len().min(ROWS_READ_MAX)];
    out.write_varint(rows.len() as u64);
    rows.iter().for_each(|row| write(out, row));
}

fn rows<'a, T>(
    reader: &mut ByteReader<'a>,
    bytes_min: usize,
    mut read: impl FnMut(&mut ByteReader<'a>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let count = reader.read_count(ROWS_READ_MAX, bytes_min)?;
    (0..count).map(|_| read(reader)).collect()
}
