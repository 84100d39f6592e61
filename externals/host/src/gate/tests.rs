//! Two gates that talk over a line which loses, repeats and forges.

use super::*;

const GUEST: &str = "10.0.0.2:5000";
const HOST: &str = "10.0.0.1:7321";

fn address(text: &str) -> SocketAddr {
    text.parse().expect("it is an address")
}

/// Both ends, and the time.
struct Pair {
    host: Gate,
    guest: Gate,
    now_us: u64,
    /// One datagram in so many is lost; zero: none.
    loss: u64,
    chance: SeededBytes,
}

impl Pair {
    fn new(host: &str, guest: &str) -> Pair {
        let (host, guest) = (Gate::new(host, [1; 32], true), Gate::new(guest, [2; 32], false));
        Pair { host, guest, now_us: 1_000_000, loss: 0, chance: SeededBytes::new([5; 32]) }
    }

    fn arrives(&mut self) -> bool {
        self.loss == 0 || !self.chance.draw_number().is_multiple_of(self.loss)
    }

    /// Passes datagrams on until there are none, and a little time.
    fn exchange(&mut self) {
        self.now_us += 50_000;
        loop {
            let (up, down) = (self.guest.poll_datagram(self.now_us), self.host.poll_datagram(self.now_us));
            if up.is_none() && down.is_none() {
                break;
            }
            if let Some((to, bytes)) = up.filter(|_| self.arrives()) {
                assert_eq!(to, address(HOST));
                let _ = self.host.handle_datagram(self.now_us, address(GUEST), &bytes);
            }
            if let Some((to, bytes)) = down.filter(|_| self.arrives()) {
                assert_eq!(to, address(GUEST));
                let _ = self.guest.handle_datagram(self.now_us, address(HOST), &bytes);
            }
        }
    }

    fn connect(&mut self) -> (LinkId, LinkId) {
        self.guest.call(self.now_us, address(HOST));
        let (mut of_host, mut of_guest) = (None, None);
        for _ in 0..200 {
            self.exchange();
            for (gate, found) in [(&mut self.host, &mut of_host), (&mut self.guest, &mut of_guest)] {
                match gate.poll_event() {
                    Some(GateEvent::Opened { link, identity, .. }) => *found = Some((link, identity)),
                    Some(other) => panic!("{other:?}"),
                    None => {}
                }
            }
            if let (Some((host, guest_key)), Some((guest, host_key))) = (of_host, of_guest) {
                assert_eq!((guest_key, host_key), (self.guest.identity(), self.host.identity()));
                return (host, guest);
            }
        }
        panic!("no connection");
    }
}

fn sealed(gate: &mut Gate, link: LinkId, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    gate.seal(link, bytes, &mut out).expect("it is open");
    out
}

#[test]
fn who_knows_the_password_is_connected_and_what_is_said_arrives() {
    let mut pair = Pair::new("open sesame", "open sesame");
    let (host, guest) = pair.connect();
    let datagram = sealed(&mut pair.guest, guest, b"a secret");
    assert_eq!(datagram.len(), 8 + OVERHEAD_BYTES);
    assert!(!datagram.windows(8).any(|part| part == b"a secret"));
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &datagram), Ok(()));
    assert_eq!(pair.host.poll_event(), Some(GateEvent::Data { link: host, bytes: b"a secret".to_vec() }));
    let datagram = sealed(&mut pair.host, host, b"another");
    assert_eq!(pair.guest.handle_datagram(pair.now_us, address(HOST), &datagram), Ok(()));
    assert_eq!(pair.guest.poll_event(), Some(GateEvent::Data { link: guest, bytes: b"another".to_vec() }));
}

#[test]
fn a_wrong_password_is_refused_and_guesses_are_limited() {
    let mut pair = Pair::new("open sesame", "open barley");
    let mut answers = Vec::new();
    for _ in 0..40 {
        pair.guest.call(pair.now_us, address(HOST));
        // Guesses in a row, without a pause.
        for _ in 0..4 {
            pair.now_us -= 50_000;
            pair.exchange();
        }
        while let Some(event) = pair.guest.poll_event() {
            answers.push(event);
        }
    }
    let count = |wanted: CallError| {
        let is_it = |event: &&GateEvent| matches!(event, GateEvent::Failed { why, .. } if *why == wanted);
        answers.iter().filter(is_it).count()
    };
    assert_eq!(answers.len(), 40, "{answers:?}");
    let wrong = count(CallError::WrongPassword);
    assert!((2..=8).contains(&wrong), "{wrong} guesses in no time");
    assert_eq!(count(CallError::Full), 40 - wrong);
    assert_eq!((pair.host.links(), pair.guest.links(), pair.host.pending()), (0, 0, 0));
    assert!(pair.host.poll_event().is_none());
}

#[test]
fn a_handshake_survives_loss() {
    for loss in [3, 5, 8] {
        let mut pair = Pair::new("x", "x");
        pair.loss = loss;
        pair.connect();
    }
}

#[test]
fn a_call_that_is_not_answered_fails() {
    let mut pair = Pair::new("x", "x");
    pair.loss = 1;
    pair.guest.call(pair.now_us, address(HOST));
    for _ in 0..300 {
        pair.exchange();
    }
    let silence = GateEvent::Failed { address: address(HOST), why: CallError::Silence };
    assert_eq!(pair.guest.poll_event(), Some(silence));
    // Who does not accept is not called.
    let (mut one, mut other) = (Gate::new("x", [3; 32], false), Gate::new("x", [4; 32], false));
    one.call(0, address(HOST));
    let (_, hello) = one.poll_datagram(0).expect("it calls");
    assert_eq!(other.handle_datagram(0, address(GUEST), &hello), Err(GateError::Busy));
}

#[test]
fn repeated_changed_and_foreign_datagrams_open_nothing() {
    let mut pair = Pair::new("x", "x");
    let (_, guest) = pair.connect();
    let datagram = sealed(&mut pair.guest, guest, b"once");
    for place in 0..datagram.len() {
        let mut changed = datagram.clone();
        changed[place] ^= 0x10;
        let refused = pair.host.handle_datagram(pair.now_us, address(GUEST), &changed);
        assert!(refused.is_err(), "byte {place}");
    }
    assert!(pair.host.poll_event().is_none());
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &datagram), Ok(()));
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &datagram), Err(GateError::Repeated));
    // Its own datagrams, sent back.
    assert_eq!(pair.guest.handle_datagram(pair.now_us, address(HOST), &datagram), Err(GateError::Unknown));
    assert!(pair.host.poll_event().is_some() && pair.host.poll_event().is_none());
}

#[test]
fn datagrams_may_overtake_one_another_across_a_change_of_keys() {
    let mut pair = Pair::new("x", "x");
    let (_, guest) = pair.connect();
    for start in [(1_u64 << 16) - 40, (2 << 16) - 30] {
        let link = pair.guest.links.get_mut(&guest.0).expect("it is open");
        link.sending.skip_to(start);
        let mut datagrams: Vec<Vec<u8>> = (0..80_u8).map(|number| sealed(&mut pair.guest, guest, &[number])).collect();
        // Late ones and early ones: pairs are swapped, and one is very late.
        for place in (0..78).step_by(2) {
            datagrams.swap(place, place + 1);
        }
        let late = datagrams.remove(3);
        datagrams.push(late);
        for datagram in &datagrams {
            assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), datagram), Ok(()));
        }
        for datagram in &datagrams {
            let repeated = pair.host.handle_datagram(pair.now_us, address(GUEST), datagram);
            assert_eq!(repeated, Err(GateError::Repeated));
        }
        let mut found = 0;
        while pair.host.poll_event().is_some() {
            found += 1;
        }
        assert_eq!(found, 80);
    }
}

#[test]
fn numbers_far_behind_the_newest_are_refused() {
    let mut pair = Pair::new("x", "x");
    let (_, guest) = pair.connect();
    let datagrams: Vec<Vec<u8>> = (0..1100_u32).map(|_| sealed(&mut pair.guest, guest, b"x")).collect();
    let mut handle = |place: usize| pair.host.handle_datagram(pair.now_us, address(GUEST), &datagrams[place]);
    assert_eq!(handle(1099), Ok(()));
    assert_eq!(handle(1099 - 1000), Ok(()));
    assert_eq!(handle(1099 - 1000), Err(GateError::Repeated));
    assert_eq!(handle(1099 - 1030), Err(GateError::Repeated));
}

#[test]
fn a_connection_follows_its_caller_to_another_address() {
    let mut pair = Pair::new("x", "x");
    let (host, guest) = pair.connect();
    let old = sealed(&mut pair.guest, guest, b"old");
    let datagram = sealed(&mut pair.guest, guest, b"new");
    let elsewhere = address("10.9.9.9:1");
    assert_eq!(pair.host.handle_datagram(pair.now_us, elsewhere, &datagram), Ok(()));
    assert_eq!(pair.host.address(host), Some(elsewhere));
    // An older one does not lead it back.
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &old), Ok(()));
    assert_eq!(pair.host.address(host), Some(elsewhere));
    pair.host.close(host);
    assert_eq!(pair.host.seal(host, b"x", &mut Vec::new()), None);
}

#[test]
fn strangers_get_fewer_bytes_than_they_send_and_leave_nothing_behind() {
    let mut host = Gate::new("x", [1; 32], true);
    let mut sent = 0;
    let mut answered = 0;
    for number in 0..20_000_u64 {
        let from = SocketAddr::from(([10, 1, (number >> 8) as u8, number as u8], 1000));
        let mut hello = vec![0; HELLO_BYTES];
        (hello[0], hello[1]) = (HELLO, VERSION);
        hello[2..10].copy_from_slice(&number.to_le_bytes());
        assert_eq!(host.handle_datagram(number, from, &hello), Ok(()));
        // A cookie that was made up.
        let mut first = vec![7; 61];
        first[0] = FIRST;
        first[1..9].copy_from_slice(&number.to_le_bytes());
        assert_eq!(host.handle_datagram(number, from, &first), Err(GateError::Cookie));
        sent += hello.len() + first.len();
        while let Some((_, bytes)) = host.poll_datagram(number) {
            answered += bytes.len();
        }
    }
    assert!(answered * 2 < sent, "{answered} bytes for {sent}");
    assert_eq!((host.pending(), host.links(), host.credits.len()), (0, 0, 0));
}

#[test]
fn a_cookie_is_of_one_address_and_a_while() {
    let mut pair = Pair::new("x", "x");
    pair.guest.call(pair.now_us, address(HOST));
    let (_, hello) = pair.guest.poll_datagram(pair.now_us).expect("it calls");
    pair.host.handle_datagram(pair.now_us, address(GUEST), &hello).expect("it accepts");
    let (_, cookie) = pair.host.poll_datagram(pair.now_us).expect("it answers");
    pair.guest.handle_datagram(pair.now_us, address(HOST), &cookie).expect("it called");
    let (_, first) = pair.guest.poll_datagram(pair.now_us).expect("it goes on");
    let elsewhere = address("10.0.0.3:5000");
    assert_eq!(pair.host.handle_datagram(pair.now_us, elsewhere, &first), Err(GateError::Cookie));
    let late_us = pair.now_us + 3 * COOKIE_US;
    assert_eq!(pair.host.handle_datagram(late_us, address(GUEST), &first), Err(GateError::Cookie));
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &first), Ok(()));
    assert_eq!(pair.host.handle_datagram(pair.now_us, address(GUEST), &first), Err(GateError::Repeated));
    assert_eq!(pair.host.pending(), 1);
    assert!(pair.host.poll_datagram(pair.now_us + HANDSHAKE_US + 1).is_some());
    assert_eq!(pair.host.pending(), 0, "a handshake that is not finished is forgotten");
}

#[test]
fn one_address_cannot_fill_the_gate() {
    let mut host = Gate::new("x", [1; 32], true);
    let mut busy = 0;
    for number in 0..100_u8 {
        let mut guest = Gate::new("x", [number; 32], false);
        guest.call(0, address(HOST));
        for _ in 0..2 {
            let (_, bytes) = guest.poll_datagram(0).expect("it goes on");
            busy += u32::from(host.handle_datagram(0, address(GUEST), &bytes) == Err(GateError::Busy));
            let (_, bytes) = host.poll_datagram(0).expect("it answers");
            let _ = guest.handle_datagram(0, address(HOST), &bytes);
        }
    }
    assert_eq!(host.pending(), CALLS_PENDING_PER_NETWORK_MAX);
    assert_eq!(busy as usize, 100 - CALLS_PENDING_PER_NETWORK_MAX);
}

/// Calls from an address as far as the first message, which waits for the third then. Returns the answer to the first.
fn knock(host: &mut Gate, now_us: u64, from: SocketAddr, guest: &mut Gate) -> Result<(), GateError> {
    guest.call(now_us, address(HOST));
    let (_, hello) = guest.poll_datagram(now_us).expect("it calls");
    host.handle_datagram(now_us, from, &hello).expect("every hello gets a cookie");
    let (_, cookie) = host.poll_datagram(now_us).expect("it answers");
    guest.handle_datagram(now_us, address(HOST), &cookie).expect("it called");
    let (_, first) = guest.poll_datagram(now_us).expect("it goes on");
    let answer = host.handle_datagram(now_us, from, &first);
    let (_, second) = host.poll_datagram(now_us).expect("it answers");
    let _ = guest.handle_datagram(now_us, address(HOST), &second);
    answer
}

#[test]
fn strangers_of_several_networks_cannot_keep_a_friend_out() {
    let mut pair = Pair::new("open sesame", "open sesame");
    let mut seed = 0_u8;
    let mut flood = |host: &mut Gate, now_us: u64| {
        for number in 0..17_u8 {
            for network in 0..5_u8 {
                let from = match network {
                    4 => SocketAddr::from(([0x2001, 0xdb8, 1, 2, 0, 0, 0, u16::from(number)], 1)),
                    _ => SocketAddr::from(([10, 9, 9, network], 1000 + u16::from(number))),
                };
                seed = seed.wrapping_add(1);
                let _ = knock(host, now_us, from, &mut Gate::new("barley", [seed; 32], false));
            }
        }
    };
    flood(&mut pair.host, pair.now_us);
    assert_eq!(pair.host.pending(), CALLS_PENDING_MAX);
    // The friend calls while they go on.
    pair.guest.call(pair.now_us, address(HOST));
    let mut opened = false;
    for _ in 0..20 {
        flood(&mut pair.host, pair.now_us);
        while pair.host.poll_datagram(pair.now_us).is_some() {}
        pair.exchange();
        opened = matches!(pair.host.poll_event(), Some(GateEvent::Opened { address, .. }) if address == self::address(GUEST));
        if opened {
            break;
        }
    }
    assert!(opened, "{:?}", pair.guest.poll_event());
    assert!(pair.host.pending() <= CALLS_PENDING_MAX);
}

#[test]
fn the_addresses_of_one_network_share_what_it_may_spend() {
    let mut host = Gate::new("x", [1; 32], true);
    let mut taken = 0;
    for number in 0..30_u8 {
        let from = SocketAddr::from(([0x2001, 0xdb8, 1, 2, 0, 0, u16::from(number), 1], 5000));
        let answer = knock(&mut host, 0, from, &mut Gate::new("x", [number; 32], false));
        taken += usize::from(answer.is_ok());
    }
    assert_eq!((taken, host.credits.len()), (CALLS_PENDING_PER_NETWORK_MAX, 1));
}

#[test]
fn any_bytes_are_refused_without_harm_at_every_stage() {
    let mut pair = Pair::new("x", "x");
    let mut random = SeededBytes::new([9; 32]);
    let mut noise = |pair: &mut Pair| {
        for kind in 0xa0..=0xa7 {
            let length = random.draw_number() as usize % 200;
            let mut bytes: Vec<u8> = (0..length).map(|_| random.draw_number() as u8).collect();
            if let Some(first) = bytes.first_mut() {
                *first = kind;
            }
            let _ = pair.host.handle_datagram(pair.now_us, address(GUEST), &bytes);
            let _ = pair.guest.handle_datagram(pair.now_us, address(HOST), &bytes);
            // The right form, the wrong content.
            for gate in [&mut pair.host, &mut pair.guest] {
                let indices: Vec<u32> = gate.links.keys().chain(gate.pending.keys()).copied().collect();
                for index in indices {
                    let mut aimed = vec![kind];
                    aimed.extend_from_slice(&index.to_le_bytes());
                    aimed.extend_from_slice(&random.draw());
                    let from = address("10.3.3.3:3");
                    assert!(gate.handle_datagram(pair.now_us, from, &aimed).is_err());
                }
            }
        }
    };
    noise(&mut pair);
    pair.guest.call(pair.now_us, address(HOST));
    for _ in 0..4 {
        noise(&mut pair);
        if let Some((_, bytes)) = pair.guest.poll_datagram(pair.now_us) {
            let _ = pair.host.handle_datagram(pair.now_us, address(GUEST), &bytes);
        }
        noise(&mut pair);
        while let Some((_, bytes)) = pair.host.poll_datagram(pair.now_us) {
            let _ = pair.guest.handle_datagram(pair.now_us, address(HOST), &bytes);
        }
    }
    noise(&mut pair);
    let opened = |gate: &mut Gate| matches!(gate.poll_event(), Some(GateEvent::Opened { .. }));
    assert!(opened(&mut pair.host) && opened(&mut pair.guest));
    assert!(pair.host.poll_event().is_none() && pair.guest.poll_event().is_none());
}

#[test]
fn a_gate_has_as_many_connections_as_it_is_told() {
    let mut pair = Pair::new("open sesame", "open sesame");
    pair.host = Gate::new("open sesame", [1; 32], true).with_links_max(1);
    pair.connect();
    pair.guest.call(pair.now_us, address(HOST));
    let failed = (0..40).find_map(|_| {
        pair.exchange();
        pair.guest.poll_event()
    });
    assert_eq!(failed, Some(GateEvent::Failed { address: address(HOST), why: CallError::Full }));
    assert_eq!(pair.host.links(), 1);
}

#[test]
fn a_kept_key_gives_the_same_identity_in_every_process_and_connects() {
    let kept = |seed: u8| Gate::new("x", [seed; 32], true).with_key([9; 32]);
    assert_eq!(kept(1).identity(), kept(2).identity());
    assert_ne!(kept(1).identity(), Gate::new("x", [1; 32], true).identity());
    assert_ne!(kept(1).identity(), Gate::new("x", [1; 32], true).with_key([8; 32]).identity());
    let mut pair = Pair::new("x", "x");
    (pair.host, pair.guest) = (kept(1), Gate::new("x", [2; 32], false).with_key([8; 32]));
    pair.connect();
}
