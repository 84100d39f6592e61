//! Datagrams between two machines: sequence numbers, acknowledgements, notices, streams, flow and congestion control.
//!
//! A datagram is opaque bytes, in and out: a security layer wraps it. Time is an argument, in microseconds from any start.
//!
//! Laws
//! 1. Any bytes are accepted or refused with a reason; a refused datagram changes only the count of refusals.
//! 2. Every packet that carries messages gets one notice: delivered or lost. A message of an unreliable stream arrives
//!    whole, once or never; the messages of a reliable stream arrive all, once, in order.
//! 3. The rate follows the path: after growing, the standing queue is about 10 ms, and it stays below 30 ms on a path with
//!    little jitter, whatever the bottleneck.
//! 4. Urgent streams do not wait for others. Streams that compete get bytes in proportion to their shares.
//! 5. Memory is bounded by `limits`, whatever arrives.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use base::bytes::ByteReader;

mod congestion;
mod flight;
mod inbox;
mod outbox;
mod packet;
mod path;
mod quality;
mod receipt;

pub use outbox::{Delivery, SendError, StreamSettings};
pub use packet::PacketError;
pub use quality::Quality;

use crate::limits::{DATAGRAM_BYTES_MAX, EVENTS_UNREAD_MAX, MESSAGE_BYTES_MAX, STREAMS_MAX};
use congestion::{Congestion, PathState};
use flight::{Content, Flight, Outcome};
use inbox::Inbox;
use outbox::{FRAME_BYTES, Outbox};
use packet::{Frame, Head, clock, span_us};
use path::{DelayTrack, RoundTrip};
use receipt::Receipt;

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Channel {
    outboxes: Vec<Outbox>,
    inboxes: Vec<Option<Inbox>>,
    receipt: Receipt,
    flight: Flight,
    round_trip: RoundTrip,
    delay_out: DelayTrack,
    delay_in: DelayTrack,
    congestion: Congestion,
    /// Windows to be announced.
    windows: Vec<(u8, u64)>,
    events: VecDeque<ChannelEvent>,
    outcomes: Vec<Outcome>,
    /// Until when acknowledgements are sent quickly, because bulk arrives.
    hurry_until_us: u64,
    /// The position of the stream that was served last, in weighted fair queueing.
    served: u64,
    loss_millionths: u64,
    counts: Quality,
}

/// What a channel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelEvent {
    /// A message arrived.
    Message {
        /// The stream.
        stream: u8,
        /// The message.
        bytes: Vec<u8>,
    },
    /// The fate of a packet that carried messages is known.
    Packet {
        /// The number that [`Channel::poll_datagram`] returned.
        packet: u64,
        /// Whether it arrived.
        is_delivered: bool,
    },
    /// The fate of a message of an unreliable stream is known.
    Notice {
        /// The stream.
        stream: u8,
        /// The number that [`Channel::send`] returned.
        message: u64,
        /// Whether it arrived.
        is_delivered: bool,
    },
}

/// How long an acknowledgement may wait for a packet that goes the same way, and for how many packets.
const ANSWER_US: u64 = 200_000;
const ANSWER_PACKETS: u32 = 4;
/// The same while bulk arrives.
const ANSWER_HURRY_US: u64 = 15_000;
const ANSWER_HURRY_PACKETS: u32 = 2;

impl Channel {
    /// A channel with these streams; both ends have the same list.
    ///
    /// # Panics
    /// If there are no streams or more than [`STREAMS_MAX`], or one has no share.
    pub fn new(streams: &[StreamSettings], now_us: u64) -> Channel {
        assert!((1..=STREAMS_MAX).contains(&streams.len()), "{} streams", streams.len());
        assert!(streams.iter().all(|stream| stream.share > 0), "a stream without a share is never sent");
        let inbox = |stream: &StreamSettings| (stream.delivery == Delivery::Reliable).then(Inbox::new);
        Channel {
            outboxes: streams.iter().map(|stream| Outbox::new(*stream)).collect(),
            inboxes: streams.iter().map(inbox).collect(),
            receipt: Receipt::default(),
            flight: Flight::new(),
            round_trip: RoundTrip::default(),
            delay_out: DelayTrack::default(),
            delay_in: DelayTrack::default(),
            congestion: Congestion::new(now_us),
            windows: Vec::new(),
            events: VecDeque::new(),
            outcomes: Vec::new(),
            hurry_until_us: 0,
            served: 0,
            loss_millionths: 0,
            counts: Quality::default(),
        }
    }

    /// Queues a message and returns its number within the stream.
    pub fn send(&mut self, stream: u8, message: &[u8]) -> Result<u64, SendError> {
        let served = self.served;
        let outbox = self.outboxes.get_mut(usize::from(stream)).ok_or(SendError::NoStream)?;
        if !outbox.has_more() {
            // An idle stream saves no credit.
            outbox.finish = outbox.finish.max(served);
        }
        outbox.send(message)
    }

    /// Accepts a datagram from the other end.
    pub fn handle_datagram(&mut self, now_us: u64, bytes: &[u8]) -> Result<(), PacketError> {
        let result = self.check(bytes);
        match result {
            Ok((head, sequence, newest)) => self.apply(now_us, bytes, head, sequence, newest),
            Err(_) => self.counts.refused += 1,
        }
        result.map(|_| ())
    }

    /// Writes the next datagram into `out`, if one is to be sent now, and returns its number.
    pub fn poll_datagram(&mut self, now_us: u64, out: &mut Vec<u8>) -> Option<u64> {
        self.settle(now_us);
        self.update_rate(now_us);
        let is_urgent = self.outboxes.iter().any(|outbox| outbox.settings.is_urgent && outbox.has_more());
        let is_answer_due = self.answer_due_us().is_some_and(|due_us| due_us <= now_us) || !self.windows.is_empty();
        let has_bulk = self.outboxes.iter().any(Outbox::has_more);
        let may_carry = self.flight.has_room()
            && (is_urgent && self.congestion.may_send(now_us, true)
                || has_bulk && self.congestion.may_send(now_us, false));
        if !(may_carry || is_answer_due && self.flight.has_room()) {
            return None;
        }
        Some(self.write_datagram(now_us, may_carry, out))
    }

    /// The next time at which [`Channel::poll_datagram`] or [`Channel::poll_event`] may have something, if nothing
    /// arrives before.
    pub fn wake_us(&self) -> Option<u64> {
        let urgent = self.outboxes.iter().any(|outbox| outbox.settings.is_urgent && outbox.has_more());
        let send_us = self.outboxes.iter().any(Outbox::has_more).then(|| self.congestion.due_us(urgent));
        let lost_us = self.flight.due_us(self.round_trip.patience_us(ANSWER_US));
        [send_us, self.answer_due_us(), lost_us].into_iter().flatten().min()
    }

    /// The next report.
    pub fn poll_event(&mut self) -> Option<ChannelEvent> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        for (stream, inbox) in self.inboxes.iter_mut().enumerate() {
            let Some(inbox) = inbox else { continue };
            let message = inbox.poll_message();
            if let Some(limit) = inbox.window_due() {
                inbox.announce(limit);
                self.windows.push((stream as u8, limit));
            }
            if let Some(bytes) = message {
                return Some(ChannelEvent::Message { stream: stream as u8, bytes });
            }
        }
        None
    }

    /// What was measured so far.
    pub fn quality(&self, now_us: u64) -> Quality {
        Quality {
            round_trip_us: self.round_trip.smoothed_us,
            round_trip_min_us: self.round_trip.min_us,
            jitter_out_us: self.delay_out.jitter_us(),
            jitter_in_us: self.delay_in.jitter_us(),
            spread_in_us: self.delay_in.spread_us(),
            queue_us: self.delay_out.queue_us(now_us, self.queue_span_us()),
            rate: self.congestion.rate(),
            loss_thousandths: self.loss_millionths / 1000,
            dropped: self.outboxes.iter().map(|outbox| outbox.dropped).sum(),
            ..self.counts
        }
    }

    /// Checks a whole datagram without changing anything.
    fn check(&self, bytes: &[u8]) -> Result<(Head, u64, Option<u64>), PacketError> {
        if bytes.len() > DATAGRAM_BYTES_MAX {
            return Err(PacketError::TooLong { bytes: bytes.len() });
        }
        let mut reader = ByteReader::new(bytes);
        let head = Head::read(&mut reader)?;
        let newest = head.acknowledged.map(|own| self.flight.expand(own.newest)).transpose()?;
        while reader.left() > 0 {
            self.check_frame(Frame::read(&mut reader)?)?;
        }
        let sequence = self.receipt.expand(head.sequence);
        if !self.receipt.is_fresh(sequence) {
            return Err(PacketError::Twice);
        }
        if self.events.len() >= EVENTS_UNREAD_MAX {
            return Err(PacketError::Busy);
        }
        Ok((head, sequence, newest))
    }

    fn check_frame(&self, frame: Frame<'_>) -> Result<(), PacketError> {
        let (Frame::Message { stream, .. } | Frame::Chunk { stream, .. } | Frame::Window { stream, .. }) = frame;
        let inbox = self.inboxes.get(usize::from(stream)).ok_or(PacketError::Stream { stream })?;
        match (frame, inbox) {
            (Frame::Message { bytes, .. }, None) if bytes.len() <= MESSAGE_BYTES_MAX => Ok(()),
            (Frame::Message { .. }, None) => Err(PacketError::MessageTooLong { stream }),
            (Frame::Chunk { number, .. }, Some(inbox)) if !inbox.is_granted(number) => {
                Err(PacketError::BeyondWindow { stream, number })
            }
            (Frame::Chunk { bytes, .. }, Some(inbox)) if inbox.is_too_long(bytes.len()) => {
                Err(PacketError::MessageTooLong { stream })
            }
            (Frame::Chunk { .. } | Frame::Window { .. }, Some(_)) => Ok(()),
            _ => Err(PacketError::Stream { stream }),
        }
    }

    fn apply(&mut self, now_us: u64, bytes: &[u8], head: Head, sequence: u64, newest: Option<u64>) {
        self.counts.received += 1;
        self.counts.received_bytes += bytes.len() as u64;
        self.receipt.accept(now_us, sequence, head.wants_answer);
        self.delay_in.sample(now_us, head.sent, clock(now_us));
        if let (Some(newest), Some(own)) = (newest, head.acknowledged) {
            let sent_us = self.flight.sent_us(newest).filter(|_| own.held != u16::MAX);
            if let Some(sent_us) = sent_us {
                let whole_us = now_us.saturating_sub(sent_us);
                self.round_trip.sample(whole_us.saturating_sub(span_us(own.held)));
                self.delay_out.sample(now_us, clock(sent_us), head.sent.wrapping_sub(own.held));
            }
            self.flight.acknowledge(newest, own, &mut self.outcomes);
        }
        let mut reader = ByteReader::new(bytes);
        let mut frames = Head::read(&mut reader).is_ok();
        while frames && reader.left() > 0 {
            match Frame::read(&mut reader) {
                Ok(frame) => self.apply_frame(now_us, frame),
                Err(_) => frames = false,
            }
        }
        self.settle(now_us);
        self.update_rate(now_us);
    }

    fn apply_frame(&mut self, now_us: u64, frame: Frame<'_>) {
        match frame {
            Frame::Message { stream, bytes } => {
                self.events.push_back(ChannelEvent::Message { stream, bytes: bytes.to_vec() });
            }
            Frame::Chunk { stream, number, is_last, bytes } => {
                self.hurry_until_us = now_us + 500_000;
                let Some(Some(inbox)) = self.inboxes.get_mut(usize::from(stream)) else { return };
                inbox.handle_chunk(number, is_last, bytes);
                if let Some(limit) = inbox.window_due() {
                    inbox.announce(limit);
                    self.windows.push((stream, limit));
                }
            }
            Frame::Window { stream, limit } => {
                if let Some(outbox) = self.outboxes.get_mut(usize::from(stream)) {
                    outbox.handle_window(limit);
                }
            }
        }
    }

    /// Finds lost packets and passes on what is known.
    fn settle(&mut self, now_us: u64) {
        let mut outcomes = core::mem::take(&mut self.outcomes);
        self.flight.find_lost(now_us, self.round_trip.patience_us(ANSWER_US), &mut outcomes);
        for outcome in outcomes.drain(..) {
            self.settle_packet(&outcome);
        }
        self.outcomes = outcomes;
    }

    fn settle_packet(&mut self, outcome: &Outcome) {
        let is_delivered = outcome.is_delivered;
        if outcome.wants_answer {
            // An average over some fifty packets.
            self.loss_millionths = (49 * self.loss_millionths + if is_delivered { 0 } else { 1_000_000 }) / 50;
            if is_delivered {
                self.counts.delivered += 1;
                self.congestion.delivered(outcome.bytes);
            } else {
                self.counts.lost += 1;
                self.congestion.lost();
            }
            self.events.push_back(ChannelEvent::Packet { packet: outcome.packet, is_delivered });
        }
        for content in &outcome.contents {
            match *content {
                Content::Message { stream, number } => {
                    self.events.push_back(ChannelEvent::Notice { stream, message: number, is_delivered });
                }
                Content::Chunk { stream, number } => {
                    self.outboxes[usize::from(stream)].handle_fate(number, is_delivered);
                }
                Content::Window { stream, limit } => {
                    let inbox = self.inboxes[usize::from(stream)].as_mut();
                    if let Some(limit) = inbox.and_then(|inbox| inbox.handle_fate(limit, is_delivered)) {
                        self.windows.push((stream, limit));
                    }
                }
            }
        }
    }

    fn update_rate(&mut self, now_us: u64) {
        let path = PathState {
            round_trip_us: self.round_trip.or_guess_us(),
            queue_us: self.delay_out.queue_us(now_us, self.queue_span_us()),
            jitter_us: self.delay_out.jitter_us(),
        };
        self.congestion.update(now_us, path);
    }

    /// The span of time in which delays belong to one queue.
    fn queue_span_us(&self) -> u64 {
        (self.round_trip.or_guess_us() / 2).clamp(30_000, 100_000)
    }

    fn answer_due_us(&self) -> Option<u64> {
        let is_hurried = self.receipt.due_us(0, 0).is_some_and(|since_us| since_us < self.hurry_until_us);
        let (delay_us, packets) =
            if is_hurried { (ANSWER_HURRY_US, ANSWER_HURRY_PACKETS) } else { (ANSWER_US, ANSWER_PACKETS) };
        self.receipt.due_us(delay_us, packets)
    }

    fn write_datagram(&mut self, now_us: u64, may_carry: bool, out: &mut Vec<u8>) -> u64 {
        let mut contents = Vec::new();
        let mut body = Vec::new();
        for (stream, limit) in self.windows.drain(..) {
            if contents.len() < STREAMS_MAX {
                Frame::Window { stream, limit }.write(false, &mut body);
                contents.push(Content::Window { stream, limit });
            }
        }
        if may_carry {
            self.fill(&mut body, &mut contents);
        }
        let packet = self.flight.next();
        let wants_answer = !contents.is_empty();
        let acknowledged = self.receipt.answer(now_us);
        let head = Head { sequence: packet as u16, sent: clock(now_us), wants_answer, acknowledged };
        out.clear();
        head.write(out);
        out.extend_from_slice(&body);
        self.counts.sent += 1;
        self.counts.sent_bytes += out.len() as u64;
        self.congestion.spend(out.len());
        self.flight.push(now_us, out.len(), wants_answer, contents);
        packet
    }

    /// Fills a datagram with frames: urgent streams first, the others by weighted fair queueing. The last frame has no
    /// length.
    fn fill(&mut self, body: &mut Vec<u8>, contents: &mut Vec<Content>) {
        let goal = self.congestion.datagram_bytes() - HEAD_BYTES;
        let mut length = body.len();
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(stream) = self.next_stream() {
            let outbox = &mut self.outboxes[stream];
            // The first frame may exceed the goal: messages are not cut, and chunks were cut when the rate was higher.
            let end = if pieces.is_empty() { DATAGRAM_BYTES_MAX - HEAD_BYTES } else { goal };
            if length + FRAME_BYTES + outbox.next_bytes() > end {
                break;
            }
            let room = goal.saturating_sub(length + FRAME_BYTES).max(1);
            let Some(piece) = take_piece(outbox, stream as u8, room) else { break };
            let bytes = piece.bytes.len() + FRAME_BYTES;
            length += bytes;
            self.served = outbox.finish;
            outbox.finish += ((bytes as u64) << 16) / u64::from(outbox.settings.share);
            pieces.push(piece);
        }
        let last = pieces.len().saturating_sub(1);
        for (place, piece) in pieces.iter().enumerate() {
            piece.frame().write(place == last, body);
            contents.push(piece.content);
        }
    }

    fn next_stream(&self) -> Option<usize> {
        let ready = self.outboxes.iter().enumerate().filter(|(_, outbox)| outbox.has_more());
        ready.min_by_key(|(stream, outbox)| (!outbox.settings.is_urgent, outbox.finish, *stream)).map(|(at, _)| at)
    }
}

/// The longest head.
const HEAD_BYTES: usize = 18;

/// A frame to be written.
struct Piece {
    content: Content,
    is_last: bool,
    bytes: Vec<u8>,
}

impl Piece {
    fn frame(&self) -> Frame<'_> {
        match self.content {
            Content::Message { stream, .. } => Frame::Message { stream, bytes: &self.bytes },
            Content::Chunk { stream, number } => {
                Frame::Chunk { stream, number, is_last: self.is_last, bytes: &self.bytes }
            }
            Content::Window { stream, limit } => Frame::Window { stream, limit },
        }
    }
}

/// Takes a whole message, or a chunk of up to `room` bytes.
fn take_piece(outbox: &mut Outbox, stream: u8, room: usize) -> Option<Piece> {
    match outbox.settings.delivery {
        Delivery::Unreliable => {
            let (number, bytes) = outbox.take_message()?;
            Some(Piece { content: Content::Message { stream, number }, is_last: true, bytes })
        }
        Delivery::Reliable => {
            let number = outbox.take_chunk(room)?;
            let (is_last, bytes) = outbox.chunk_bytes(number)?;
            Some(Piece { content: Content::Chunk { stream, number }, is_last, bytes: bytes.to_vec() })
        }
    }
}
