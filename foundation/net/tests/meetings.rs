//! A meeting point: who enters, what is passed on, and what strangers can do to it.

use core::net::SocketAddr;

use base::{Pcg, Random};
use net::limits::{
    MEETING_MACHINES_MAX, MEETING_MACHINES_PER_NETWORK_MAX, MEETING_SESSIONS_MAX, MEETING_SESSIONS_PER_NETWORK_MAX,
    MEETING_WAITING_MAX,
};
use net::meeting::{MeetingNote, MeetingPoint};
use proptest::prelude::*;

const SECRET: [u8; 10] = [7; 10];

fn address(number: u32) -> SocketAddr {
    SocketAddr::from(([10, 0, (number >> 8) as u8, number as u8], 7000))
}

fn tell(point: &mut MeetingPoint<u32>, now_us: u64, link: u32, note: &MeetingNote) {
    point.handle_note(now_us, link, address(link), &note.write()).expect("it is a note");
}

fn answers(point: &mut MeetingPoint<u32>) -> Vec<(u32, MeetingNote)> {
    core::iter::from_fn(|| point.poll_note()).collect()
}

/// A host at connection 1 and a guest at connection 2.
fn met() -> MeetingPoint<u32> {
    let mut point = MeetingPoint::new();
    tell(&mut point, 0, 1, &MeetingNote::Open(SECRET));
    tell(&mut point, 0, 2, &MeetingNote::Enter(SECRET));
    point
}

#[test]
fn both_are_told_where_the_other_is_seen_and_reach_each_other() {
    let mut point = met();
    let told = answers(&mut point);
    assert_eq!(
        told,
        [
            (1, MeetingNote::Entered { me: 0, host: 0, address: None }),
            (2, MeetingNote::Entered { me: 1, host: 0, address: Some(address(1)) }),
            (1, MeetingNote::Comes { machine: 1, address: address(2) }),
        ]
    );
    tell(&mut point, 1, 2, &MeetingNote::Pass { machine: 0, bytes: vec![9; 1225] });
    assert_eq!(answers(&mut point), [(1, MeetingNote::Pass { machine: 1, bytes: vec![9; 1225] })]);
    // Repeated as a sign of life: the same answer, and nobody is told again.
    tell(&mut point, 2, 2, &MeetingNote::Enter(SECRET));
    assert_eq!(answers(&mut point).len(), 1);
}

#[test]
fn nobody_enters_without_the_number_hosts_twice_or_reaches_another_session() {
    let mut point = met();
    tell(&mut point, 0, 3, &MeetingNote::Enter([8; 10]));
    tell(&mut point, 0, 4, &MeetingNote::Open(SECRET));
    tell(&mut point, 0, 5, &MeetingNote::Open([9; 10]));
    answers(&mut point);
    tell(&mut point, 1, 5, &MeetingNote::Pass { machine: 1, bytes: vec![1] });
    tell(&mut point, 1, 3, &MeetingNote::Pass { machine: 0, bytes: vec![1] });
    tell(&mut point, 1, 1, &MeetingNote::Pass { machine: 0, bytes: vec![1] });
    assert_eq!(answers(&mut point), []);
    assert_eq!((point.counts().refused, point.counts().dropped, point.counts().passed), (2, 3, 0));
}

#[test]
fn a_machine_of_the_session_succeeds_a_host_that_is_not_heard() {
    let mut point = met();
    tell(&mut point, 0, 3, &MeetingNote::Enter(SECRET));
    answers(&mut point);
    // While the host is heard, nobody takes its place.
    tell(&mut point, 5_000_000, 2, &MeetingNote::Open(SECRET));
    assert_eq!(answers(&mut point), [(2, MeetingNote::Entered { me: 1, host: 0, address: Some(address(1)) })]);
    tell(&mut point, 9_000_000, 2, &MeetingNote::Open(SECRET));
    assert_eq!(answers(&mut point), [(2, MeetingNote::Entered { me: 1, host: 1, address: None })]);
    // The first one comes back as another, and strangers find the new host.
    for (link, note) in [(1, MeetingNote::Open(SECRET)), (4, MeetingNote::Enter(SECRET))] {
        tell(&mut point, 10_000_000, link, &note);
        let told = answers(&mut point);
        assert!(matches!(told[0], (to, MeetingNote::Entered { host: 1, .. }) if to == link), "{told:?}");
    }
    // One of another session does not.
    tell(&mut point, 30_000_000, 5, &MeetingNote::Open([9; 10]));
    tell(&mut point, 30_000_000, 5, &MeetingNote::Open(SECRET));
    tell(&mut point, 30_000_000, 3, &MeetingNote::Enter(SECRET));
    let told = answers(&mut point);
    assert!(matches!(told.last(), Some((3, MeetingNote::Entered { host: 1, .. }))), "{told:?}");
    // When the host was forgotten, one of its guests is it.
    tell(&mut point, 35_000_000, 3, &MeetingNote::Enter(SECRET));
    point.pass_time(45_000_000);
    tell(&mut point, 45_000_000, 3, &MeetingNote::Open(SECRET));
    let told = answers(&mut point);
    assert!(matches!(told.last(), Some((3, MeetingNote::Entered { me: 2, host: 2, .. }))), "{told:?}");
}

#[test]
fn who_sends_too_fast_is_slowed_and_who_is_silent_is_forgotten() {
    let mut point = met();
    let note = MeetingNote::Pass { machine: 0, bytes: vec![0; 1000] };
    for step in 0..100_000_u64 {
        tell(&mut point, step * 100, 2, &note);
        answers(&mut point);
    }
    // Ten seconds, and what may be sent at once.
    let bytes = point.counts().passed_bytes;
    assert!((1_000_000..1_250_000).contains(&bytes), "{bytes}");
    assert_eq!(point.pass_time(45_000_000), [1, 2]);
    assert_eq!(point.sizes(), (0, 0));
}

#[test]
fn strangers_cannot_fill_its_memory() {
    let mut random = Pcg::new(1, 1);
    let mut point = MeetingPoint::new();
    for step in 0..20_000_u64 {
        let link = random.below(4000);
        let mut number = [0; 10];
        number[..2].copy_from_slice(&(random.below(600) as u16).to_le_bytes());
        let note = match random.below(4) {
            0 => MeetingNote::Open(number),
            1 => MeetingNote::Enter(number),
            2 => MeetingNote::Refused,
            _ => MeetingNote::Pass { machine: random.below(16) as u8, bytes: vec![0; 1200] },
        };
        tell(&mut point, step, link, &note);
        let (sessions, machines) = point.sizes();
        assert!(sessions <= MEETING_SESSIONS_MAX && machines <= MEETING_MACHINES_MAX);
    }
    assert!(point.sizes().0 > 10, "{:?}", point.sizes());
    assert!(answers(&mut point).len() <= MEETING_WAITING_MAX);
}

#[test]
fn strangers_of_one_network_keep_nobody_out() {
    for is_new in [false, true] {
        let mut point = MeetingPoint::new();
        // One machine has as many addresses as it wants.
        let stranger = |link: u32| match is_new {
            true => SocketAddr::from(([0x2001, 0xdb8, 0, 7, 1, 2, 3, link as u16], 9)),
            false => SocketAddr::from(([10, 9, 9, 9], 1000 + link as u16)),
        };
        for link in 0..2000_u32 {
            let mut number = [9; 10];
            number[..4].copy_from_slice(&link.to_le_bytes());
            // Sessions, then machines that enter the first one of them.
            let note = if link < 1000 { MeetingNote::Open(number) } else { MeetingNote::Enter([9; 10]) };
            point.handle_note(0, 100 + link, stranger(link), &note.write()).expect("it is a note");
        }
        let (sessions, machines) = point.sizes();
        assert_eq!(sessions, MEETING_SESSIONS_PER_NETWORK_MAX);
        assert!(machines <= MEETING_MACHINES_PER_NETWORK_MAX);
        answers(&mut point);
        tell(&mut point, 1, 1, &MeetingNote::Open(SECRET));
        tell(&mut point, 1, 2, &MeetingNote::Enter(SECRET));
        assert!(!answers(&mut point).iter().any(|(_, note)| *note == MeetingNote::Refused));
        assert_eq!(point.sizes(), (sessions + 1, machines + 2));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_note_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut point = met();
        let is_note = point.handle_note(1, 2, address(2), &bytes).is_ok();
        if let Ok(note) = MeetingNote::read(&bytes) {
            prop_assert!(is_note);
            prop_assert_eq!(MeetingNote::read(&note.write()), Ok(note));
        }
    }
}
