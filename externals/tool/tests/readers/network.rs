//! Readers of what other machines send: datagrams, letters, records, and the notes of a meeting point.
//!
//! Where the order matters, an input is a row of frames: two bytes for the length of a frame, and its bytes.

use std::net::SocketAddr;

use astrarium::net::finding::{FoundSession, read_question, write_question};
use astrarium::net::letter::{BULK, BlockHead, Identities, Letter, Offer, PLAY, Roster, RosterEntry, STREAMS};
use astrarium::net::limits::PART_BYTES_MAX;
use astrarium::net::lockstep::{JoinPoint, Kinds, PlayerBatch, Record};
use astrarium::net::meeting::{MeetingNote, MeetingPoint};
use astrarium::net::{Channel, ChannelEvent, LockstepSettings, Peer};
use base::StringId;
use base::bytes::ByteWriter;
use host::gate::{Gate, GateEvent, LinkId};
use relay::Event;

use super::{Reader, no_seal, noise};

pub const READERS: &[Reader] = &[
    Reader {
        name: "datagrams",
        read: read_datagrams,
        seeds: || vec![told(&[300, 20]), told(&[9000])],
        shapes: &[
            ("long messages", |bytes| told(&[bytes])),
            ("short messages", |bytes| told(&vec![10; bytes / 40])),
            ("datagrams of no bytes", |bytes| vec![0; bytes]),
            ("chunks after a gap", |bytes| framed(bytes, |number| told_frames(&[1 << 16])[1 + number % 40].clone())),
            ("noise", |bytes| framed(bytes, |number| noise(1200 - number % 1000))),
        ],
        seal: no_seal,
        heap_per_byte: 30,
    },
    Reader {
        name: "letter",
        read: |bytes| {
            let _ = Letter::read(bytes);
        },
        seeds: || letters().iter().map(Letter::write).collect(),
        shapes: &[
            ("tags", |bytes| Letter::Tags((0..bytes / 14).map(|number| (number.to_string(), 5)).collect()).write()),
            ("a part", |bytes| Letter::Part(noise(bytes.min(PART_BYTES_MAX))).write()),
            ("a tail", |bytes| Letter::Tail { first: 1, records: noise(bytes) }.write()),
            ("a long reason", |bytes| Letter::Refused { why: "\u{202e}a".repeat(bytes / 4) }.write()),
            ("noise", noise),
        ],
        seal: no_seal,
        heap_per_byte: 20,
    },
    Reader {
        name: "tail",
        read: |bytes| drop(kinds().read_tail(bytes)),
        seeds: || vec![kinds().write_tail(&records(3, 2)), kinds().write_tail(&vec![Record::default(); 40])],
        shapes: &[
            ("empty cycles", |bytes| kinds().write_tail(&vec![Record::default(); bytes])),
            ("events", |bytes| kinds().write_tail(&records(bytes / 200, 20))),
            ("noise", noise),
        ],
        seal: no_seal,
        // The shortest event has three bytes here, and 32 in memory.
        heap_per_byte: 60,
    },
    Reader {
        name: "lockstep",
        read: read_lockstep,
        seeds: || vec![session(400)],
        shapes: &[("a session", session), ("noise", |bytes| framed(bytes, |number| noise(100 - number % 90)))],
        seal: no_seal,
        heap_per_byte: 100,
    },
    Reader {
        name: "finding",
        read: |bytes| {
            let _ = (read_question(bytes), FoundSession::read(bytes));
        },
        seeds: || vec![write_question(7), found().write(7)],
        shapes: &[("noise", noise), ("noise behind an answer", |bytes| [found().write(7), noise(bytes)].concat())],
        seal: no_seal,
        heap_per_byte: 2,
    },
    Reader {
        name: "meeting",
        read: read_meeting,
        seeds: || vec![meeting(40)],
        shapes: &[("a meeting", meeting), ("noise", |bytes| framed(bytes, |number| noise(40 - number % 40)))],
        seal: no_seal,
        heap_per_byte: 60,
    },
    Reader {
        name: "gate",
        read: read_gate,
        seeds: || vec![knocking(1), knocking(9)],
        shapes: &[
            ("a connection", |bytes| knocking(bytes / 100)),
            ("noise", |bytes| framed(bytes, |number| [&[0xa0 + number as u8 % 8][..], &noise(100)].concat())),
        ],
        seal: no_seal,
        heap_per_byte: 60,
    },
];

const CYCLE_US: u64 = 50_000;

/// Frames until there is no more room.
fn framed(bytes: usize, frame: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut made = Vec::new();
    for number in 0.. {
        add_frame(&mut made, &frame(number));
        if made.len() >= bytes {
            break;
        }
    }
    made
}

fn add_frame(to: &mut Vec<u8>, frame: &[u8]) {
    to.extend((frame.len() as u16).to_le_bytes());
    to.extend(frame);
}

/// The frames of an input; a last one that is cut off ends where the input does.
fn frames(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<2>()?;
        let (frame, rest) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
        bytes = rest;
        Some(frame)
    })
}

fn read_datagrams(bytes: &[u8]) {
    let (mut channel, mut out) = (Channel::new(&STREAMS, 0), Vec::new());
    for (number, frame) in frames(bytes).enumerate() {
        let now_us = 1000 * number as u64;
        let _ = channel.handle_datagram(now_us, frame);
        while let Some(event) = channel.poll_event() {
            if let ChannelEvent::Message { stream: 1.., bytes } = event {
                let _ = Letter::read(&bytes);
            }
        }
        let _ = channel.poll_datagram(now_us, &mut out);
    }
}

/// The datagrams in which a machine tells these messages in the stream of what is large.
fn told_frames(lengths: &[usize]) -> Vec<Vec<u8>> {
    let (mut one, mut other) = (Channel::new(&STREAMS, 0), Channel::new(&STREAMS, 0));
    let mut waiting = lengths.iter().flat_map(|length| {
        // No message is longer than a mebibyte.
        let whole = std::iter::repeat_n(1 << 20, length >> 20);
        whole.chain([length % (1 << 20)])
    });
    let (mut next, mut told, mut out) = (waiting.next(), Vec::new(), Vec::new());
    for now_us in (0..).step_by(2000) {
        while let Some(length) = next
            && one.send(BULK, &vec![9; length]).is_ok()
        {
            next = waiting.next();
        }
        while one.poll_datagram(now_us, &mut out).is_some() {
            let _ = other.handle_datagram(now_us, &out);
            told.push(out.clone());
        }
        while other.poll_event().is_some() {}
        while other.poll_datagram(now_us, &mut out).is_some() {
            let _ = one.handle_datagram(now_us, &out);
        }
        while one.poll_event().is_some() {}
        if next.is_none() && one.wake_us().is_none_or(|wake_us| wake_us > now_us + 100_000) {
            break;
        }
    }
    told
}

fn told(lengths: &[usize]) -> Vec<u8> {
    let mut made = Vec::new();
    told_frames(lengths).iter().for_each(|frame| add_frame(&mut made, frame));
    made
}

fn letters() -> Vec<Letter> {
    let text = |text: &str| text.to_string();
    let offer = Offer {
        game: text("skirmish"),
        version: text("1"),
        level: text("main"),
        cycle_us: CYCLE_US,
        players: 2,
        kinds: vec![StringId::from("order")],
        ..Offer::default()
    };
    let head = BlockHead {
        next: 5,
        bytes: 700,
        compressed: 60,
        level: text("main"),
        played: vec![0, 3],
        ..BlockHead::default()
    };
    let entry = RosterEntry { machine: 1, name: text("Anna"), address: Some(address(1)), ..RosterEntry::default() };
    vec![
        Letter::Hello { format: 2, is_observer: false, name: text("Anna"), player: Some(1), is_ready: true },
        Letter::Offer(offer),
        Letter::Accept(Identities::default()),
        Letter::Tags(vec![(text("a.ship"), 5), (text("b.ship"), 6)]),
        Letter::Block(head),
        Letter::Part(vec![1, 2, 3]),
        Letter::Tail { first: 3, records: kinds().write_tail(&records(2, 2)) },
        Letter::Begin(JoinPoint { first: 7, members: vec![0, 1], ..JoinPoint::default() }),
        Letter::Roster(Roster { you: 1, machines: vec![entry], ..Roster::default() }),
        Letter::Say { machine: 1, text: text("well played") },
        Letter::Farewell { why: text("it is late") },
    ]
}

fn kinds() -> Kinds {
    Kinds::new(&[StringId::from("order"), StringId::from("stop")])
}

fn event(number: usize) -> Event {
    Event::new(StringId::from(["order", "stop", "other"][number % 3]), &[number as u32, 70_000])
}

/// Cycles with so many events of one player.
fn records(count: usize, events: usize) -> Vec<Record> {
    let record = |number: usize| {
        let events = (0..events).map(event).collect();
        Record { batches: vec![PlayerBatch { player: 1, number: number as u64 + 1, events }], ..Record::default() }
    };
    (0..count).map(record).collect()
}

/// The machines of a session of three: the host is the first.
fn peers() -> Vec<Peer> {
    let settings = LockstepSettings {
        players: vec![0, 1, 2],
        host: 0,
        kinds: vec![StringId::from("order"), StringId::from("stop")],
        cycle_us: CYCLE_US,
    };
    (0..3).map(|player| Peer::new(player, &settings, 0)).collect()
}

/// What a machine does between two messages.
fn go_on(peer: &mut Peer) {
    while let Some((cycle, _)) = peer.poll_cycle() {
        peer.handle_chain(cycle);
    }
    while peer.poll_report().is_some() {}
}

/// The first byte of a frame says from whom and to whom the message is.
fn read_lockstep(bytes: &[u8]) {
    let mut peers = peers();
    for (number, frame) in frames(bytes).enumerate() {
        let now_us = 5000 * number as u64;
        let Some((way, message)) = frame.split_first() else { continue };
        let (from, to) = (way >> 4 & 3, usize::from(way % 3));
        let _ = peers[to].handle_message(now_us, from, message);
        while peers[to].poll_message(now_us).is_some() {}
        go_on(&mut peers[to]);
    }
}

/// The messages of a session.
fn session(bytes: usize) -> Vec<u8> {
    let (mut peers, mut made) = (peers(), Vec::new());
    for step in 0_u64.. {
        let now_us = 10_000 * step;
        for from in 0..3_u8 {
            peers[usize::from(from)].add_event(event(step as usize));
            while let Some((to, message)) = peers[usize::from(from)].poll_message(now_us) {
                add_frame(&mut made, &[&[from << 4 | to], &message[..]].concat());
                let _ = peers[usize::from(to)].handle_message(now_us, from, &message);
            }
            go_on(&mut peers[usize::from(from)]);
        }
        if made.len() >= bytes {
            break;
        }
    }
    made
}

fn found() -> FoundSession {
    FoundSession { port: 7322, name: "Anna".into(), game: "skirmish".into(), players: 4, ..FoundSession::default() }
}

fn address(number: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, number], 7000))
}

/// The first byte of a frame is the machine that sends the note.
fn read_meeting(bytes: &[u8]) {
    let mut point: MeetingPoint<u8> = MeetingPoint::new();
    for (number, frame) in frames(bytes).enumerate() {
        let now_us = 1000 * number as u64;
        let Some((link, note)) = frame.split_first() else { continue };
        let _ = point.handle_note(now_us, *link, address(*link), note);
        while point.poll_note().is_some() {}
        if number % 64 == 0 {
            point.pass_time(now_us);
        }
    }
}

fn meeting(bytes: usize) -> Vec<u8> {
    framed(bytes, |step| {
        let (link, session) = (step as u8, [(step as u8) / 16; 10]);
        let note = match step % 40 {
            0..20 if link.is_multiple_of(16) => MeetingNote::Open(session),
            0..20 => MeetingNote::Enter(session),
            _ => MeetingNote::Pass { machine: link % 16, bytes: vec![7; 30] },
        };
        [&[link], &note.write()[..]].concat()
    })
}

/// A gate that is called by whoever sends the frames.
fn read_gate(bytes: &[u8]) {
    let mut gate = Gate::new("sesame", [1; 32], true);
    for (number, frame) in frames(bytes).enumerate() {
        let now_us = 1000 * number as u64;
        let _ = gate.handle_datagram(now_us, address(1), frame);
        while gate.poll_event().is_some() {}
        while gate.poll_datagram(now_us).is_some() {}
    }
}

/// What a machine sends that knows the password: the handshake, then sealed datagrams.
fn knocking(sealed: usize) -> Vec<u8> {
    let (mut host, mut guest) = (Gate::new("sesame", [1; 32], true), Gate::new("sesame", [2; 32], false));
    let (mut made, mut link, mut out) = (Vec::new(), None::<LinkId>, Vec::new());
    guest.call(0, address(2));
    for now_us in 0..20 {
        while let Some((_, bytes)) = guest.poll_datagram(now_us) {
            add_frame(&mut made, &bytes);
            let _ = host.handle_datagram(now_us, address(1), &bytes);
        }
        while let Some((_, bytes)) = host.poll_datagram(now_us) {
            let _ = guest.handle_datagram(now_us, address(2), &bytes);
        }
        while let Some(event) = guest.poll_event() {
            if let GateEvent::Opened { link: opened, .. } = event {
                link = Some(opened);
            }
        }
    }
    for number in 0..link.map_or(0, |_| sealed) {
        let mut message = vec![PLAY];
        message.write_varint(number as u64);
        message.resize(70, 7);
        if link.is_some_and(|link| guest.seal(link, &message, &mut out).is_some()) {
            add_frame(&mut made, &out);
        }
    }
    made
}
