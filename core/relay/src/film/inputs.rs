//! The inputs of safe cycles.
//!
//! Body: how many records, as a varint; a record is the hash of the world before the cycle, in 64 bits, and the sealed
//! inputs (the number of the safe cycle and the number of events as varints; for each event the player in 16 bits, the
//! kind in 64, how many numbers as a varint, and those in 32 bits each).

use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::crash_report::Record;
use crate::film::chunk::Stamp;
use crate::film::limits::RECORDS_MAX;
use crate::sealed::Sealed;

/// Appends a record.
pub fn write_record(hash_before: u64, inputs: &Sealed, out: &mut impl ByteWriter) {
    out.write_u64(hash_before);
    inputs.write(out);
}

/// Decodes a body. The records must be those of the cycles in the stamp, without gaps.
pub fn decode(body: &[u8], stamp: &Stamp, brushes_per_safe: u32) -> Result<Vec<Record>, ReadError> {
    let mut reader = ByteReader::new(body);
    let count = reader.read_count(RECORDS_MAX, 8 + 2)?;
    let brushes = u64::from(brushes_per_safe.max(1));
    let mut records = Vec::with_capacity(count);
    let mut cycle = stamp.cycle;
    for _ in 0..count {
        let offset = Offset::Byte(reader.offset() as u64);
        let hash_before = reader.read_u64()?;
        let inputs = Sealed::read(&mut reader)?;
        if inputs.cycle().checked_mul(brushes) != Some(cycle) {
            let found = Found::OutOfRange { number: inputs.cycle(), max: cycle / brushes };
            return Err(ReadError { expected: "the next safe cycle", offset, found });
        }
        cycle = cycle.saturating_add(brushes);
        records.push(Record { hash_before, inputs });
    }
    if cycle != stamp.until {
        let found = Found::OutOfRange { number: cycle, max: stamp.until };
        return Err(ReadError {
            expected: "the safe cycles that the head names",
            offset: Offset::Byte(reader.offset() as u64),
            found,
        });
    }
    reader.finish()?;
    Ok(records)
}
