//! Every limit of this crate, in one place.

/// The largest datagram, without IP and UDP headers: it passes every path of the internet without fragmentation, with
/// room for a security layer.
pub const DATAGRAM_BYTES_MAX: usize = 1200;

/// The size below which datagrams are not made smaller for a slow path.
pub const DATAGRAM_BYTES_SMALL: usize = 140;

/// IP version 4 and UDP headers, which count against a path's rate.
pub const HEADER_BYTES: usize = 28;

/// The most streams of a channel.
pub const STREAMS_MAX: usize = 8;

/// The longest message of an unreliable stream: it is never fragmented.
pub const MESSAGE_BYTES_MAX: usize = 1150;

/// The longest message of a reliable stream.
pub const BULK_BYTES_MAX: usize = 16 << 20;

/// The most bytes that wait in a reliable stream to be sent.
pub const BULK_QUEUE_BYTES_MAX: usize = 2 * BULK_BYTES_MAX;

/// The most messages that wait in an unreliable stream; beyond it the oldest is dropped.
pub const MESSAGES_QUEUED_MAX: usize = 64;

/// How many chunks beyond the next expected one a receiver stores.
pub const CHUNKS_AHEAD_MAX: u64 = 512;

/// The unread bytes of a reliable stream above which its receiver grants no more.
pub const UNREAD_BYTES_MAX: usize = 1 << 20;

/// The most events of a channel that wait to be polled; beyond it datagrams are refused, as if lost.
pub const EVENTS_UNREAD_MAX: usize = 4096;

/// The most packets whose outcome is unknown.
pub const PACKETS_IN_FLIGHT_MAX: usize = 2048;

/// The most players of one lockstep session.
pub const PLAYERS_MAX: usize = 15;

/// The sealed cycles that every machine keeps for others: at 50 ms, 25 seconds.
pub const LOG_CYCLES_MAX: usize = 512;

/// The cycles that a host keeps at most for machines that are joining: at 50 ms, ten minutes.
pub const KEPT_CYCLES_MAX: u64 = 12_000;

/// The most records of one tail, for a machine that is joining.
pub const TAIL_CYCLES_MAX: usize = 4096;

/// The longest safe cycle.
pub const CYCLE_US_MAX: u64 = 1_000_000;

/// The longest text in a letter, in bytes.
pub const LETTER_TEXT_BYTES_MAX: usize = 2048;

/// The longest name of a person, in bytes.
pub const NAME_BYTES_MAX: usize = 32;

/// The longest line that is said to all, in bytes.
pub const SAID_BYTES_MAX: usize = 240;

/// The longest text in an answer of finding, in bytes.
pub const FINDING_TEXT_BYTES_MAX: usize = 96;

/// The most addresses whose questions a host counts.
pub const FINDING_ADDRESSES_MAX: usize = 256;

/// The most sessions at a meeting point.
pub const MEETING_SESSIONS_MAX: usize = 256;

/// The most machines at a meeting point.
pub const MEETING_MACHINES_MAX: usize = 1024;

/// The most sessions that machines of one network open at a meeting point.
pub const MEETING_SESSIONS_PER_NETWORK_MAX: usize = MEETING_SESSIONS_MAX / 16;

/// The most machines of one network at a meeting point.
pub const MEETING_MACHINES_PER_NETWORK_MAX: usize = MEETING_MACHINES_MAX / 16;

/// The most messages that wait at a meeting point.
pub const MEETING_WAITING_MAX: usize = 4096;

/// The longest datagram that a meeting point passes on: a sealed one of a session.
pub const PASSED_BYTES_MAX: usize = DATAGRAM_BYTES_MAX + 64;

/// The most kinds of events that have numbers in a session.
pub const KINDS_TOLD_MAX: usize = 1024;

/// The most tags that a host lists for a guest with others.
pub const TAGS_TOLD_MAX: usize = 20_000;

/// The longest part of a compressed block.
pub const PART_BYTES_MAX: usize = 1 << 18;

/// The longest encoded tail of records.
pub const TAIL_BYTES_MAX: usize = 8 << 20;

/// The greatest number of a cycle, a term or an input that is read: at 50 ms, cycles of 1,700 years. Sums and products of such
/// numbers do not overflow, whoever sent them.
pub const COUNT_MAX: u64 = 1 << 40;

/// How many cycles ahead of the next sealed one a player may aim an input.
pub const AIM_CYCLES_MAX: u64 = 60;

/// The longest encoding of one record: with its head it fits into a message, and at 50 ms a flood takes less than a channel has at its start.
pub const RECORD_BYTES_MAX: usize = 600;

/// The longest encoding of one input's events: a record has room for at least one input, whatever else is in it.
pub const INPUT_BYTES_MAX: usize = 480;

/// The batches of one player that wait at the host for their cycles.
pub const BATCHES_WAITING_MAX: usize = 64;

const _: () = assert!(MESSAGE_BYTES_MAX + 32 <= DATAGRAM_BYTES_MAX, "a message fits into a datagram with its head");
const _: () = assert!(
    COUNT_MAX <= i64::MAX as u64 / (4 * CYCLE_US_MAX),
    "the time of a cycle is a number, and so is a difference of times"
);
const _: () = assert!(RECORD_BYTES_MAX + 64 <= MESSAGE_BYTES_MAX, "a record fits into a message with its head");
const _: () = assert!(INPUT_BYTES_MAX + 64 <= RECORD_BYTES_MAX, "a record has room for an input and changes");
const _: () = assert!(PACKETS_IN_FLIGHT_MAX < 1 << 15, "sequences of 16 bits are expanded to the nearest");
const _: () = assert!(STREAMS_MAX == 8, "a frame has three bits for its stream");
