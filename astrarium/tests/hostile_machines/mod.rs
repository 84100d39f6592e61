//! Machines that know the password and send anything: nothing panics, memory is bounded, and the others play on.
//!
//! The seed of the random letters is that of all tests on random values, `PROPTEST_RNG_SEED`, where it is given.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use astrarium::Session;
use astrarium::base::compression::compress;
use astrarium::base::{Pcg, Random, StringId};
use astrarium::host::allocation::measure;
use astrarium::host::datagrams::Datagrams;
use astrarium::host::gate::{Gate, GateEvent, LinkId};
use astrarium::host::pages::Pages;
use astrarium::net::Peer;
use astrarium::net::channel::{Channel, ChannelEvent};
use astrarium::net::letter::{BlockHead, FORMAT, Identities, Letter, Offer, PLAY, Roster, RosterEntry, STREAMS};
use astrarium::net::lockstep::{JoinPoint, Kinds, LockstepReport, Term};
use astrarium::party::{Party, PartyError, PartyOptions, Visitor};
use astrarium::state::Alone;

use crate::common::{Folder, start};

const PASSWORD: &str = "sesame";

/// A machine whose every letter the test decides.
struct Stranger {
    socket: Datagrams,
    gate: Gate,
    links: BTreeMap<LinkId, Channel>,
    began: Instant,
}

impl Stranger {
    fn new(seed: u8) -> Stranger {
        let socket = Datagrams::open("127.0.0.1:0").expect("there is a free port");
        let gate = Gate::new(PASSWORD, [seed; 32], true);
        Stranger { socket, gate, links: BTreeMap::new(), began: Instant::now() }
    }

    fn address(&self) -> SocketAddr {
        self.socket.address()
    }

    fn now_us(&self) -> u64 {
        self.began.elapsed().as_micros() as u64 + 1
    }

    fn call(&mut self, address: SocketAddr) {
        let now_us = self.now_us();
        self.gate.call(now_us, address);
    }

    fn post(&mut self, letter: &Letter) {
        self.send(letter.stream(), &letter.write());
    }

    /// To all that it is connected with. What does not fit is not sent.
    fn send(&mut self, stream: u8, bytes: &[u8]) {
        for channel in self.links.values_mut() {
            let _ = channel.send(stream, bytes);
        }
    }

    /// Sends what waits, and returns the messages that have arrived, with their streams.
    fn turn(&mut self) -> Vec<(u8, Vec<u8>)> {
        let (now_us, mut patience) = (self.now_us(), Duration::from_millis(1));
        for _ in 0..256 {
            let Ok(Some((from, bytes))) = self.socket.receive(patience) else { break };
            let _ = self.gate.handle_datagram(now_us, from, bytes);
            patience = Duration::ZERO;
        }
        let mut messages = Vec::new();
        while let Some(event) = self.gate.poll_event() {
            match event {
                GateEvent::Opened { link, .. } => drop(self.links.insert(link, Channel::new(&STREAMS, now_us))),
                GateEvent::Data { link, bytes } => {
                    if let Some(channel) = self.links.get_mut(&link) {
                        let _ = channel.handle_datagram(now_us, &bytes);
                    }
                }
                GateEvent::Failed { .. } => {}
            }
        }
        let (mut datagram, mut sealed) = (Vec::new(), Vec::new());
        for (link, channel) in &mut self.links {
            while let Some(event) = channel.poll_event() {
                if let ChannelEvent::Message { stream, bytes } = event {
                    messages.push((stream, bytes));
                }
            }
            while channel.poll_datagram(now_us, &mut datagram).is_some() {
                if let Some(to) = self.gate.seal(*link, &datagram, &mut sealed) {
                    self.socket.send(to, &sealed);
                }
            }
        }
        while let Some((to, bytes)) = self.gate.poll_datagram(now_us) {
            self.socket.send(to, &bytes);
        }
        messages
    }
}

/// The letters of messages.
fn letters(messages: &[(u8, Vec<u8>)]) -> impl Iterator<Item = Letter> {
    messages.iter().filter(|(stream, _)| *stream != PLAY).filter_map(|(_, bytes)| Letter::read(bytes).ok())
}

fn seed() -> u64 {
    std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn number(random: &mut Pcg) -> u64 {
    const NUMBERS: [u64; 10] = [0, 1, 2, 5, 60, 255, 1 << 20, (1 << 40) - 1, 1 << 40, u64::MAX];
    NUMBERS[random.below(NUMBERS.len() as u32) as usize]
}

fn text(random: &mut Pcg) -> String {
    ["", "a", "tiny", "\u{202e}\n", "0123456789abcdef"][random.below(5) as usize].repeat(1 + random.below(20) as usize)
}

fn bytes(random: &mut Pcg, most: u32) -> Vec<u8> {
    (0..random.below(most)).map(|_| random.below(256) as u8).collect()
}

/// Any letter, with extreme numbers.
fn any_letter(random: &mut Pcg) -> Letter {
    let is = |random: &mut Pcg| random.below(2) == 0;
    let machine = |random: &mut Pcg| random.below(18) as u8;
    let identities =
        |random: &mut Pcg| Identities { build: number(random), content: number(random), layout: number(random) };
    match random.below(20) {
        0 => Letter::Hello {
            format: if random.below(4) == 0 { number(random) as u16 } else { FORMAT },
            is_observer: is(random),
            name: text(random),
            player: is(random).then(|| machine(random)),
            is_ready: is(random),
        },
        1 => Letter::Accept(identities(random)),
        2 => Letter::Refused { why: text(random) },
        3 => Letter::Tags(vec![(text(random), number(random)); random.below(200) as usize]),
        4 => Letter::Block(BlockHead {
            next: number(random),
            base: number(random),
            level: text(random),
            bytes: number(random),
            compressed: number(random),
            hash: number(random),
            chain: number(random),
            played: vec![machine(random), machine(random)],
        }),
        5 | 6 => Letter::Part(vec![7; random.below(1 << 16) as usize]),
        7 => Letter::Loaded { next: number(random) },
        8 => Letter::Tail { first: number(random), records: bytes(random, 400) },
        9 => Letter::Begin(JoinPoint {
            term: Term { number: number(random), host: machine(random) },
            first: number(random),
            chain: number(random),
            members: (0..random.below(15) as u8).collect(),
            is_paused: is(random),
            ..JoinPoint::default()
        }),
        10 => Letter::Done { cycle: number(random), chain: number(random) },
        11 => Letter::Compare { at: number(random) },
        12 => Letter::Differs { machine: machine(random), cycle: number(random), text: text(random) },
        13 => {
            let entry = |random: &mut Pcg, machine: u8| RosterEntry {
                machine,
                name: text(random),
                is_ready: is(random),
                is_playing: is(random),
                asks_pause: is(random),
                identity: [machine; 32],
                address: is(random).then(|| SocketAddr::from(([127, 0, 0, 1], 1 + random.below(60_000) as u16))),
            };
            let machines = (0..random.below(15) as u8).map(|number| entry(random, number)).collect();
            let (you, host) = (machine(random), machine(random));
            Letter::Roster(Roster { you, host, has_begun: is(random), is_found: is(random), machines })
        }
        14 | 15 => Letter::Say { machine: machine(random), text: text(random) },
        16 => Letter::Ready(is(random)),
        17 => Letter::Choose(machine(random)),
        18 => Letter::AskPause(is(random)),
        _ => Letter::Offer(Offer {
            game: text(random),
            level: text(random),
            identities: identities(random),
            players: number(random) as u16,
            machine: machine(random),
            cycle_us: number(random),
            kinds: vec![StringId::from("order"); random.below(4) as usize],
            ..Offer::default()
        }),
    }
}

/// Sends a few letters, and sometimes no letter at all.
fn pester(stranger: &mut Stranger, random: &mut Pcg) {
    for _ in 0..random.below(4) {
        match random.below(6) {
            0 => {
                let (stream, message) = (random.below(3) as u8, bytes(random, 600));
                stranger.send(stream, &message);
            }
            _ => stranger.post(&any_letter(random)),
        }
    }
}

fn options(folder: &Folder) -> PartyOptions {
    let guest = PartyOptions::guest(PASSWORD, folder.path().to_path_buf());
    PartyOptions { address: String::from("127.0.0.1:0"), ..guest }
}

fn begin() -> Session {
    let content = sandbox::ENTRY.content("tiny").expect("it is built in");
    let start = astrarium::session::Start { players: 4, ..start("tiny", 3) };
    Session::begin(&sandbox::ENTRY, content, &start, &Pages).expect("the level is there")
}

/// Plays until a cycle, or until that is over.
fn play(
    party: &mut Party,
    session: &mut Session,
    until: impl Fn(&Session, &Party) -> bool,
) -> Result<Vec<String>, PartyError> {
    let mut lines = Vec::new();
    while !until(session, party) && party.end().is_none() {
        party.turn(session, Duration::from_millis(2))?;
        lines.extend(party.take_lines());
        for _ in 0..10 {
            if !party.may_step(session) {
                break;
            }
            session.step(&Alone);
            party.after_step(session);
        }
    }
    Ok(lines)
}

#[test]
fn a_host_and_a_guest_play_on_whatever_others_with_the_password_say() {
    const CYCLES: u64 = 400;
    let folder = Folder::new();
    let seed = seed();
    println!("PROPTEST_RNG_SEED={seed}");
    let mut session = begin();
    let mut party = Party::host(&session, &PartyOptions { machines: 2, ..options(&folder) }).expect("a port is free");
    let (address, is_over) = (party.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let honest = scope.spawn(|| {
            let visitor = Visitor::call(Some(address), &options(&folder)).expect("the host answers");
            let mut session = begin();
            let mut party = visitor.enter(&session).expect("it has the same game");
            let lines = play(&mut party, &mut session, |session, _| session.world().cycle() >= CYCLES);
            let played = (session.world().cycle(), session.hash());
            party.finish(&mut session);
            is_over.store(true, Relaxed);
            (lines.expect("the host is sound"), played)
        });
        for number in 0..2_u8 {
            let is_over = &is_over;
            scope.spawn(move || {
                let (mut stranger, mut random) = (Stranger::new(40 + number), Pcg::new(seed, 7 + u64::from(number)));
                stranger.call(address);
                let mut called = Instant::now();
                while !is_over.load(Relaxed) {
                    stranger.turn();
                    pester(&mut stranger, &mut random);
                    // The host has let it go.
                    if called.elapsed() > Duration::from_millis(700) {
                        called = Instant::now();
                        stranger.links.clear();
                        stranger.call(address);
                    }
                }
            });
        }
        let (lines, heap) = measure(|| play(&mut party, &mut session, |_, _| is_over.load(Relaxed)));
        is_over.store(true, Relaxed);
        let (_, (cycle, _)) = honest.join().expect("it does not panic");
        let lines = lines.expect("nothing that a guest says is an error of the host's");
        assert_eq!(cycle, CYCLES, "the honest guest has played on: {lines:#?}");
        assert!(party.end().is_none() && session.world().cycle() >= CYCLES, "{:?} {lines:#?}", party.end());
        assert!(heap.peak < 256 << 20, "{heap:?}");
    });
}

#[test]
fn a_guest_withstands_whatever_a_host_says() {
    let folder = Folder::new();
    let seed = seed();
    println!("PROPTEST_RNG_SEED={seed}");
    for round in 0..12_u64 {
        let is_over = AtomicBool::new(false);
        let mut stranger = Stranger::new(90);
        let address = stranger.address();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut random = Pcg::new(seed.wrapping_add(round), 11);
                let mut session = begin();
                let (hash, chain) = (session.hash(), session.chain());
                let block = session.world().bytes().to_vec();
                let mut compressed = Vec::new();
                compress(&block, &mut compressed);
                let identities = Identities {
                    build: session.build(),
                    content: session.content().library().identity(),
                    layout: session.world().plan().hash(),
                };
                let offer = Offer {
                    level: "tiny".into(),
                    identities,
                    players: 4,
                    machine: 1,
                    cycle_us: 50_000,
                    ..Offer::default()
                };
                while !is_over.load(Relaxed) {
                    for letter in letters(&stranger.turn()) {
                        match letter {
                            Letter::Hello { .. } => stranger.post(&Letter::Offer(offer.clone())),
                            // Every other guest gets a world and takes part before the host goes mad.
                            Letter::Accept(_) if round % 2 == 0 => {
                                stranger.post(&Letter::Block(BlockHead {
                                    bytes: block.len() as u64,
                                    compressed: compressed.len() as u64,
                                    level: "tiny".into(),
                                    hash,
                                    chain,
                                    played: vec![0],
                                    ..BlockHead::default()
                                }));
                                compressed.chunks(1 << 17).for_each(|part| stranger.post(&Letter::Part(part.to_vec())));
                            }
                            Letter::Loaded { .. } => {
                                stranger.post(&Letter::Begin(JoinPoint { members: vec![0], ..JoinPoint::default() }));
                            }
                            _ => {}
                        }
                    }
                    if stranger.now_us() > 300_000 && !stranger.links.is_empty() {
                        pester(&mut stranger, &mut random);
                    }
                }
            });
            let began = Instant::now();
            let (_, heap) = measure(|| {
                let mut session = begin();
                let visitor = Visitor::call(Some(address), &options(&folder));
                let party = visitor.and_then(|visitor| visitor.enter(&session));
                // It may be refused, and any turn may end with an error: but not with a panic.
                if let Ok(mut party) = party {
                    let _ = play(&mut party, &mut session, |_, _| began.elapsed() > Duration::from_millis(1200));
                }
            });
            is_over.store(true, Relaxed);
            assert!(heap.peak < 256 << 20, "round {round}: {heap:?}");
        });
    }
}

#[test]
fn a_host_that_never_says_what_it_plays_is_left() {
    let folder = Folder::new();
    let is_over = AtomicBool::new(false);
    let mut stranger = Stranger::new(91);
    let address = stranger.address();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                stranger.turn();
                // It is heard all the time.
                stranger.post(&Letter::Ready(true));
            }
        });
        let called = Visitor::call(Some(address), &options(&folder));
        is_over.store(true, Relaxed);
        let said = called.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains("did not say what it plays"), "{said}");
    });
}

/// A machine that takes part, tells wrong chains, and sends more than its world when it is asked for it.
struct Liar {
    stranger: Stranger,
    offer: Offer,
    head: BlockHead,
    arrived: u64,
    next: u64,
    peer: Option<(Peer, u8)>,
    asked: u32,
    joined: u32,
}

impl Liar {
    fn greet(&mut self) {
        let hello =
            Letter::Hello { format: FORMAT, is_observer: false, name: "liar".into(), player: None, is_ready: true };
        self.stranger.post(&hello);
    }

    fn turn(&mut self) {
        let had_link = !self.stranger.links.is_empty();
        let messages = self.stranger.turn();
        if !had_link && !self.stranger.links.is_empty() {
            self.greet();
        }
        let now_us = self.stranger.now_us();
        for (_, bytes) in messages.iter().filter(|(stream, _)| *stream == PLAY) {
            if let Some((peer, host)) = &mut self.peer {
                let _ = peer.handle_message(now_us, *host, bytes);
            }
        }
        for letter in letters(&messages) {
            match letter {
                Letter::Offer(offer) => {
                    self.stranger.post(&Letter::Accept(offer.identities));
                    self.offer = offer;
                }
                Letter::Block(head) => (self.head, self.arrived) = (head, 0),
                Letter::Part(part) => {
                    self.arrived += part.len() as u64;
                    if self.arrived == self.head.compressed {
                        self.next = self.head.next;
                        self.stranger.post(&Letter::Loaded { next: self.next });
                    }
                }
                Letter::Tail { records, .. } => {
                    let records = Kinds::new(&self.offer.kinds).read_tail(&records).expect("the host is sound");
                    self.next += records.len() as u64;
                    self.stranger.post(&Letter::Loaded { next: self.next });
                }
                Letter::Begin(point) => {
                    let (machine, kinds) = (self.offer.machine, &self.offer.kinds);
                    let peer = Peer::join(machine, kinds, self.offer.cycle_us, &point, now_us);
                    (self.peer, self.joined) = (Some((peer, point.term.host)), self.joined + 1);
                }
                Letter::Compare { .. } => {
                    self.asked += 1;
                    let compressed = self.head.bytes / 255 + 1;
                    self.stranger.post(&Letter::Block(BlockHead { compressed, ..self.head.clone() }));
                    // More than it said, and no more than that: what waits here delays the next world.
                    self.stranger.post(&Letter::Part(vec![7; compressed as usize + 1]));
                }
                _ => {}
            }
        }
        let Some((peer, _)) = &mut self.peer else { return };
        while let Some((cycle, _)) = peer.poll_cycle() {
            peer.handle_chain(cycle ^ 0x5555);
        }
        while let Some((_, bytes)) = peer.poll_message(now_us) {
            self.stranger.send(PLAY, &bytes);
        }
        while let Some(report) = peer.poll_report() {
            if let LockstepReport::Ended(_) = report {
                self.peer = None;
                self.greet();
                return;
            }
        }
    }
}

#[test]
fn a_machine_that_lies_about_its_world_again_and_again_is_compared_a_few_times() {
    const ROUNDS: u32 = 5;
    let folder = Folder::new();
    let mut session = begin();
    let mut party = Party::host(&session, &PartyOptions { machines: 2, ..options(&folder) }).expect("a port is free");
    let (address, is_over) = (party.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let lying = scope.spawn(|| {
            let mut liar = Liar {
                stranger: Stranger::new(92),
                offer: Offer::default(),
                head: BlockHead::default(),
                arrived: 0,
                next: 0,
                peer: None,
                asked: 0,
                joined: 0,
            };
            liar.stranger.call(address);
            while !is_over.load(Relaxed) {
                liar.turn();
            }
            (liar.asked, liar.joined)
        });
        let began = Instant::now();
        let is_done = |_: &Session, party: &Party| {
            party.desyncs() >= u64::from(ROUNDS) || began.elapsed() > Duration::from_secs(300)
        };
        let lines =
            play(&mut party, &mut session, is_done).expect("nothing that a guest says is an error of the host's");
        is_over.store(true, Relaxed);
        let (asked, joined) = lying.join().expect("it does not panic");
        assert!(party.desyncs() >= u64::from(ROUNDS) && joined >= ROUNDS, "{joined} {lines:#?}");
        assert_eq!(asked, 3, "{lines:#?}");
        let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!(count("is not compared: expected"), 3, "{lines:#?}");
        assert_eq!(count("differ too often to be compared each time"), 1, "{lines:#?}");
    });
    let saved = std::fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(saved, 0, "nothing of what was sent was a world");
}
