//! The binary format of a program, so that a source is compiled once and not at every start. The format is in the book.
//!
//! Laws
//! 1. A program has one encoding: decoding and encoding again gives the same bytes.
//! 2. A decoded program is verified. Whatever the bytes are, decoding returns a valid program or an error, and never
//!    panics.
//! 3. Decoding takes time and memory in proportion to the bytes, never to the counts they claim: at most some thirty
//!    bytes for each.
//! 4. Built-ins and queries are written by name, in one list: a program means the same when their tables have grown.
//! 5. An invalid program can be encoded, and is refused when it is decoded.
//!
//! Cost: decoding takes time and memory in proportion to the bytes: at most 100 bytes of heap for each. Held by
//! `tests/growth.rs` of the tool.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use base::hash::hash;
use base::string_id::{Collision, StringTable};
use base::{Handle, StringId, Vec3};

use crate::analysis::BodyTable;
use crate::ast::Caching;
use crate::builtin::{self, BUILTINS};
use crate::facts::Facts;
use crate::program::{
    CONSTANTS_MAX, FUNCTIONS_MAX, Function, INSTRUCTIONS_MAX, Instruction, Operation, Origin, Program, STATEMENTS_MAX,
    VARIABLES_MAX,
};
use crate::query::{self, Query};
use crate::source::{Place, SOURCE_BYTES_MAX, Span};
use crate::value::{Kind, Value};
use crate::verify::Breach;

/// The first bytes of a program.
pub const MAGIC: [u8; 8] = *b"ASTRCODE";
/// The version of the format: raised whenever anything in the book's page changes.
pub const FORMAT: u32 = 3;

/// The error of bytes that are no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinaryError {
    /// They do not begin with [`MAGIC`].
    Magic,
    /// They have a different version of the format.
    Format(u32),
    /// The checksum differs.
    Checksum,
    /// A value cannot be read.
    Read(ReadError),
    /// They use an unknown built-in or query.
    Builtin(Box<str>),
    /// Two of their texts have the same id.
    Collision(Collision),
    /// Their texts are not sorted, or one occurs twice.
    Order,
    /// The verifier refused the program.
    Breach(Breach),
}

/// Encodes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.put(&MAGIC);
    bytes.write_u32(FORMAT);
    bytes.write_u32(u32::from(!program.origins.is_empty()));
    bytes.write_u64(0);
    write_program(&mut bytes, program);
    seal(&mut bytes);
    bytes
}

/// Decodes a program for a world with these queries.
pub fn decode(bytes: &[u8], queries: &'static [Query]) -> Result<Program, BinaryError> {
    let mut reader = ByteReader::new(bytes);
    if !is_program(bytes) {
        return Err(BinaryError::Magic);
    }
    reader.take(MAGIC.len())?;
    let format = reader.read_u32()?;
    if format != FORMAT {
        return Err(BinaryError::Format(format));
    }
    let has_origins = reader.read_u32()?;
    within("whether it comes from several files", has_origins.into(), 1, &reader)?;
    if reader.read_u64()? != hash(&bytes[HEADER_BYTES..]) {
        return Err(BinaryError::Checksum);
    }
    let mut program = read_program(&mut reader, queries)?;
    if has_origins == 1 {
        program.origins = read_origins(&mut reader)?;
    }
    reader.finish()?;
    program.verify().map_err(BinaryError::Breach)?;
    program.number_places();
    BodyTable::default().add(&mut program);
    Ok(program)
}

/// Whether bytes begin with [`MAGIC`].
pub fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Recomputes the checksum of encoded bytes. For tests of corruption that a checksum does not detect.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    if let Some((header, body)) = bytes.split_at_mut_checked(HEADER_BYTES) {
        header[HEADER_BYTES - 8..].copy_from_slice(&hash(body).to_le_bytes());
    }
}

/// Magic, format, whether it has origins, checksum.
const HEADER_BYTES: usize = 24;
const TEXT_BYTES_MAX: usize = SOURCE_BYTES_MAX;
/// The fewest bytes of a function: the length of its name, four counts and facts, its span, its reads, its code.
const FUNCTION_BYTES_MIN: usize = 1 + 4 + 2 + 1 + 1 + INSTRUCTION_BYTES_MIN;
/// The fewest bytes of an instruction: itself and its span.
const INSTRUCTION_BYTES_MIN: usize = 8 + 2;

fn write_program(bytes: &mut Vec<u8>, program: &Program) {
    bytes.write_varint(program.strings.count() as u64);
    program.strings.iter().for_each(|(_, text)| bytes.write_text(text, TEXT_BYTES_MAX));
    let named = named_calls(program);
    bytes.write_varint(named.len() as u64);
    for call in &named {
        let number = call.number as usize;
        let name = match call.operation {
            Operation::Query => program.queries.get(number).map_or("", |query| query.name),
            _ => BUILTINS.get(number).map_or("", |builtin| builtin.name),
        };
        bytes.write_text(name, TEXT_BYTES_MAX);
    }
    bytes.write_varint(program.variables.len() as u64);
    program.variables.iter().for_each(|name| bytes.write_text(name, TEXT_BYTES_MAX));
    bytes.write_varint(program.constants.len() as u64);
    program.constants.iter().for_each(|constant| write_constant(bytes, *constant));
    bytes.write_varint(program.functions.len() as u64);
    program.functions.iter().for_each(|function| write_function(bytes, function, &named));
    bytes.write_varint(program.statements.len() as u64);
    program.statements.iter().for_each(|statement| bytes.write_varint((*statement).into()));
    bytes.write_varint(program.lines.len() as u64);
    let before = core::iter::once(0).chain(program.lines.iter().copied());
    program.lines.iter().zip(before).for_each(|(start, before)| bytes.write_varint((start - before).into()));
    if !program.origins.is_empty() {
        write_origins(bytes, &program.origins);
    }
}

/// Origins are encoded as the distance of their start from the one before, which is never zero behind the first, their path,
/// and their place.
fn write_origins(bytes: &mut Vec<u8>, origins: &[Origin]) {
    bytes.write_varint(origins.len() as u64);
    let mut before = 0;
    for origin in origins {
        bytes.write_varint((origin.start - before).into());
        before = origin.start;
        bytes.write_text(&origin.path, TEXT_BYTES_MAX);
        bytes.write_varint(origin.place.line.into());
        bytes.write_varint(origin.place.column.into());
    }
}

fn read_origins(reader: &mut ByteReader<'_>) -> Result<Vec<Origin>, BinaryError> {
    const ORIGIN_BYTES_MIN: usize = 4;
    let mut start = 0_u64;
    let origins = read_row(reader, SOURCE_BYTES_MAX, ORIGIN_BYTES_MIN, |reader| {
        start = start.saturating_add(u64::from(read_number(reader)?));
        let start = within("where an origin starts", start, SOURCE_BYTES_MAX as u64, reader)? as u32;
        let path = String::from(reader.read_text(TEXT_BYTES_MAX)?);
        let mut number = || {
            let number = u64::from(read_number(reader)?);
            Ok::<u32, BinaryError>(within("a line or column", number, SOURCE_BYTES_MAX as u64, reader)? as u32)
        };
        let place = Place { line: number()?, column: number()? };
        Ok(Origin { start, path, place })
    })?;
    let is_sorted = !origins.is_empty() && origins.windows(2).all(|pair| pair[0].start < pair[1].start);
    if is_sorted { Ok(origins) } else { Err(BinaryError::Order) }
}

/// A built-in or a query: its operation and its number in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamedCall {
    operation: Operation,
    number: u32,
}

impl NamedCall {
    /// The built-in or the query that an instruction calls.
    fn of(instruction: &Instruction) -> Option<NamedCall> {
        let is_it = matches!(instruction.operation, Operation::Builtin | Operation::Query);
        is_it.then_some(NamedCall { operation: instruction.operation, number: instruction.number })
    }

    fn find(name: &str, queries: &[Query]) -> Option<NamedCall> {
        let builtin = builtin::find(name).map(|(number, _)| NamedCall { operation: Operation::Builtin, number });
        let query = || query::find(queries, name).map(|(number, _)| NamedCall { operation: Operation::Query, number });
        builtin.or_else(query)
    }
}

/// The built-ins and queries of a program, in the order of their first use, which numbers them in the file.
fn named_calls(program: &Program) -> Vec<NamedCall> {
    let mut named = Vec::new();
    for call in program.functions.iter().flat_map(|function| &function.code).filter_map(NamedCall::of) {
        if !named.contains(&call) {
            named.push(call);
        }
    }
    named
}

fn write_constant(bytes: &mut Vec<u8>, constant: Value) {
    bytes.write_u8(constant.kind() as u8);
    match constant.kind() {
        Kind::Number => bytes.write_f64(constant.as_number().unwrap_or_default()),
        Kind::Identifier => bytes.write_i32(constant.as_identifier().unwrap_or_default()),
        Kind::Truth => bytes.write_u8(constant.as_truth().unwrap_or_default().into()),
        Kind::String => bytes.write_u64(constant.as_string().unwrap_or_default().number()),
        Kind::Vector => {
            let vector = constant.as_vector().unwrap_or_default();
            [vector.x, vector.y, vector.z].into_iter().for_each(|part| bytes.write_f32(part));
        }
        Kind::Handle => {
            if let Some((handle, array)) = constant.as_handle() {
                bytes.write_u32(handle.raw());
                bytes.write_u16(array);
            }
        }
        Kind::Nothing | Kind::Lambda | Kind::List | Kind::Record => {}
    }
}

fn write_function(bytes: &mut Vec<u8>, function: &Function, named: &[NamedCall]) {
    bytes.write_text(&function.name, TEXT_BYTES_MAX);
    [function.parameters, function.captured, function.registers].into_iter().for_each(|count| bytes.write_u8(count));
    let caching = match function.caching {
        Caching::Unsaid => 0,
        Caching::Cached => 1,
        Caching::Uncached => 2,
    };
    bytes.write_u8(u8::from(function.is_effectful) | caching << 1);
    write_span(bytes, function.span, 0);
    bytes.write_varint(function.reads.len() as u64);
    function.reads.iter().for_each(|read| bytes.write_varint((*read).into()));
    bytes.write_varint(function.code.len() as u64);
    for instruction in &function.code {
        let Instruction { operation, a, b, c, number } = *instruction;
        let call = NamedCall::of(instruction);
        let place = call.and_then(|call| named.iter().position(|known| *known == call));
        let operation = if call.is_some() { Operation::Builtin } else { operation };
        [operation as u8, a, b, c].into_iter().for_each(|byte| bytes.write_u8(byte));
        bytes.write_u32(place.map_or(number, |place| place as u32));
    }
    let mut before = function.span.start;
    for span in &function.spans {
        write_span(bytes, *span, before);
        before = span.start;
    }
}

/// A span is encoded as the distance of its start from another, and its length.
fn write_span(bytes: &mut Vec<u8>, span: Span, before: u32) {
    bytes.write_varint_signed(i64::from(span.start) - i64::from(before));
    bytes.write_varint_signed(i64::from(span.end) - i64::from(span.start));
}

fn read_program(reader: &mut ByteReader<'_>, queries: &'static [Query]) -> Result<Program, BinaryError> {
    let mut strings = StringTable::new();
    let mut last = StringId::NONE;
    for _ in 0..reader.read_count(CONSTANTS_MAX, 2)? {
        let id = strings.add(reader.read_text(TEXT_BYTES_MAX)?).map_err(BinaryError::Collision)?;
        if id <= last {
            return Err(BinaryError::Order);
        }
        last = id;
    }
    let mut named = Vec::new();
    for _ in 0..reader.read_count(BUILTINS.len() + queries.len(), 1)? {
        let name = reader.read_text(TEXT_BYTES_MAX)?;
        named.push(NamedCall::find(name, queries).ok_or_else(|| BinaryError::Builtin(name.into()))?);
    }
    let variables = read_row(reader, VARIABLES_MAX, 1, |reader| Ok(String::from(reader.read_text(TEXT_BYTES_MAX)?)))?;
    let constants = read_row(reader, CONSTANTS_MAX, 1, read_constant)?;
    let functions = read_row(reader, FUNCTIONS_MAX, FUNCTION_BYTES_MIN, |reader| read_function(reader, &named))?;
    let statements = read_row(reader, STATEMENTS_MAX, 1, read_number)?;
    let mut start = 0_u64;
    let lines = read_row(reader, SOURCE_BYTES_MAX + 1, 1, |reader| {
        start = start.saturating_add(u64::from(read_number(reader)?));
        Ok(within("where a line starts", start, SOURCE_BYTES_MAX as u64, reader)? as u32)
    })?;
    let program =
        Program { functions, constants, strings, variables, statements, lines, queries, ..Program::default() };
    if named_calls(&program) == named { Ok(program) } else { Err(BinaryError::Order) }
}

fn read_row<'b, T>(
    reader: &mut ByteReader<'b>,
    count_max: usize,
    bytes_least: usize,
    mut read: impl FnMut(&mut ByteReader<'b>) -> Result<T, BinaryError>,
) -> Result<Vec<T>, BinaryError> {
    let count = reader.read_count(count_max, bytes_least)?;
    let mut row = Vec::with_capacity(count);
    for _ in 0..count {
        row.push(read(reader)?);
    }
    Ok(row)
}

fn read_constant(reader: &mut ByteReader<'_>) -> Result<Value, BinaryError> {
    Ok(match reader.read_u8()? {
        0 => Value::NOTHING,
        1 => Value::number(reader.read_f64()?),
        2 => Value::identifier(reader.read_i32()?),
        3 => Value::truth(within("a truth", u64::from(reader.read_u8()?), 1, reader)? != 0),
        4 => Value::string(StringId::from_number(reader.read_u64()?)),
        5 => Value::vector(Vec3::new(reader.read_f32()?, reader.read_f32()?, reader.read_f32()?)),
        6 => Value::handle(Handle::from_raw(reader.read_u32()?), reader.read_u16()?),
        kind => return Err(out_of_range("a kind without parts", kind.into(), Kind::Handle as u64, reader)),
    })
}

fn read_function(reader: &mut ByteReader<'_>, named: &[NamedCall]) -> Result<Function, BinaryError> {
    let name = String::from(reader.read_text(TEXT_BYTES_MAX)?);
    let (parameters, captured, registers) = (reader.read_u8()?, reader.read_u8()?, reader.read_u8()?);
    let claims = within("a function's claims", u64::from(reader.read_u8()?), 5, reader)?;
    let caching = match claims >> 1 {
        0 => Caching::Unsaid,
        1 => Caching::Cached,
        _ => Caching::Uncached,
    };
    let span = read_span(reader, 0)?;
    let reads = read_row(reader, VARIABLES_MAX, 1, read_number)?;
    let code = read_row(reader, INSTRUCTIONS_MAX, INSTRUCTION_BYTES_MIN, |reader| {
        let operation = reader.read_u8()?;
        // In a file a query is a built-in.
        let max = Operation::Query as u64 - 1;
        let known = Operation::ALL.get(usize::from(operation)).copied().filter(|known| *known != Operation::Query);
        let operation = known.ok_or_else(|| out_of_range("an operation", operation.into(), max, reader))?;
        let (a, b, c, number) = (reader.read_u8()?, reader.read_u8()?, reader.read_u8()?, reader.read_u32()?);
        let NamedCall { operation, number } = match operation {
            Operation::Builtin => {
                let known = named.get(number as usize).copied();
                known.ok_or_else(|| out_of_range("a built-in", number.into(), named.len() as u64, reader))?
            }
            _ => NamedCall { operation, number },
        };
        Ok(Instruction { operation, a, b, c, number })
    })?;
    let mut spans = Vec::with_capacity(code.len());
    let mut before = span.start;
    for _ in 0..code.len() {
        let span = read_span(reader, before)?;
        before = span.start;
        spans.push(span);
    }
    let is_effectful = claims & 1 != 0;
    let facts = Facts::default();
    let place = 0;
    Ok(Function {
        name,
        code,
        spans,
        parameters,
        captured,
        registers,
        is_effectful,
        reads,
        caching,
        span,
        facts,
        place,
    })
}

fn read_span(reader: &mut ByteReader<'_>, before: u32) -> Result<Span, BinaryError> {
    let mut next = |before: u32| {
        let place = i64::from(before).checked_add(reader.read_varint_signed()?);
        let place = place.and_then(|place| u32::try_from(place).ok());
        place.ok_or_else(|| out_of_range("a place in the source", u64::MAX, u32::MAX.into(), reader))
    };
    let start = next(before)?;
    Ok(Span { start, end: next(start)? })
}

fn read_number(reader: &mut ByteReader<'_>) -> Result<u32, BinaryError> {
    let number = reader.read_varint()?;
    u32::try_from(number).map_err(|_| out_of_range("a number", number, u32::MAX.into(), reader))
}

fn within(expected: &'static str, number: u64, max: u64, reader: &ByteReader<'_>) -> Result<u64, BinaryError> {
    if number <= max { Ok(number) } else { Err(out_of_range(expected, number, max, reader)) }
}

fn out_of_range(expected: &'static str, number: u64, max: u64, reader: &ByteReader<'_>) -> BinaryError {
    let offset = Offset::Byte(reader.offset() as u64);
    BinaryError::Read(ReadError { expected, offset, found: Found::OutOfRange { number, max } })
}

impl From<ReadError> for BinaryError {
    fn from(error: ReadError) -> BinaryError {
        BinaryError::Read(error)
    }
}

impl fmt::Display for BinaryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryError::Magic => write!(formatter, "not a compiled script"),
            BinaryError::Format(format) => {
                write!(formatter, "compiled for format {format}, this is format {FORMAT}: compile it again")
            }
            BinaryError::Checksum => write!(formatter, "the file is damaged: its checksum differs"),
            BinaryError::Read(error) => error.fmt(formatter),
            BinaryError::Builtin(name) => write!(formatter, "there is no built-in or query `{name}`: compile it again"),
            BinaryError::Collision(collision) => collision.fmt(formatter),
            BinaryError::Order => write!(formatter, "its texts, built-ins or queries are not in order"),
            BinaryError::Breach(breach) => breach.fmt(formatter),
        }
    }
}

impl core::error::Error for BinaryError {}
