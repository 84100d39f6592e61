//! Questions for sessions on the local network, and their answers.

use core::net::{IpAddr, Ipv4Addr};

use net::finding::{AnswerLimit, FoundSession, QUESTION_BYTES, read_question, write_question};
use net::limits::FINDING_ADDRESSES_MAX;
use proptest::prelude::*;

fn session(text: &str) -> FoundSession {
    FoundSession {
        port: 7322,
        name: "Änne".into(),
        game: text.into(),
        version: "1".into(),
        level: text.into(),
        players: 8,
        played: 3,
        has_begun: true,
        build: 1 << 60,
        content: 5,
    }
}

#[test]
fn questions_and_answers_are_read_as_they_were_written_and_an_answer_is_not_longer() {
    assert_eq!(read_question(&write_question(77)), Ok(77));
    let found = session("skirmish");
    assert_eq!(FoundSession::read(&found.write(77)), Ok((77, found)));
    let longest = FoundSession { name: "ä".repeat(90), version: "v".repeat(900), ..session(&"ö".repeat(900)) };
    assert!(longest.write(u64::MAX).len() <= QUESTION_BYTES, "{}", longest.write(1).len());
    // A short question gets no answer: it could make a longer one.
    let question = write_question(1);
    for length in [0, 11, 19, QUESTION_BYTES - 1] {
        assert!(read_question(&question[..length]).is_err(), "{length}");
    }
}

#[test]
fn answers_are_limited_for_one_address_and_for_all() {
    let address = |number: u32| IpAddr::V4(Ipv4Addr::from(number));
    let mut limit = AnswerLimit::default();
    let given = (0..100).filter(|_| limit.may_answer(0, address(1))).count();
    assert_eq!(given, 4);
    // Two per second after that.
    let given = (0..1000_u64).filter(|step| limit.may_answer(1_000_000 + step * 10_000, address(1))).count();
    assert!((19..=24).contains(&given), "{given} in ten seconds");
    let mut limit = AnswerLimit::default();
    let given = (0..10_000).filter(|number| limit.may_answer(0, address(*number))).count();
    assert_eq!(given, 64);
    for number in 0..50_000_u32 {
        limit.may_answer(u64::from(number), address(number));
        assert!(limit.addresses() <= FINDING_ADDRESSES_MAX);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), place in 0usize..200, value: u8) {
        let _ = (read_question(&bytes).is_ok(), FoundSession::read(&bytes).is_ok());
        let mut answer = session("quarry").write(9);
        let length = answer.len();
        answer[place % length] = value;
        if let Ok((_, found)) = FoundSession::read(&answer) {
            prop_assert_eq!(FoundSession::read(&found.write(1)), Ok((1, found)));
        }
    }
}
