//! `relay`: a meeting point for machines behind routers; and the invitations that name one.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::Duration;

use astrarium::net::limits::MEETING_MACHINES_MAX;
use astrarium::net::meeting::{MeetingPoint, SessionNumber};
use astrarium::party::MeetingPlace;
use clap::{ArgMatches, Command};
use host::clock::Clock;
use host::datagrams::Datagrams;
use host::gate::{Gate, GateEvent, LinkId};
use host::{chance, interrupt};

use crate::access::{LETTERS, address_of, listening_of, password_of};
use crate::arguments::{flag, number, path, word};
use crate::error::CommandError;
use crate::json::Json;

/// The usual port.
pub const PORT: &str = "7323";

/// The password of a relay that lets everybody in.
const OPEN: &str = "";

/// How long the loop waits for a datagram.
const PATIENCE: Duration = Duration::from_millis(20);

/// The datagrams that are received before others are sent.
const RECEIVED_MAX: usize = 512;

/// How long a machine may be connected without a word.
const MUTE_US: u64 = 10_000_000;

/// How often the numbers are told.
const TOLD_US: u64 = 60_000_000;

/// The `relay` command.
pub fn command() -> Command {
    Command::new("relay")
        .about("Lets machines behind routers meet: `host --relay ADDRESS` and `join INVITATION`")
        .arg(number("port", "The UDP port; 0 chooses a free one", PORT))
        .arg(word("listen", "ADDRESS", "The address of this machine to listen at").default_value("0.0.0.0"))
        .arg(
            word("password", "TEXT", "Who may use it; without one everybody who knows its address")
                .conflicts_with("password-file"),
        )
        .arg(path("password-file", "The file with the password: other users of this machine can read the command line"))
        .arg(flag("json", "Log JSON objects, one per line"))
}

/// Relays until it is told to end.
pub fn carry_out(matches: &ArgMatches) -> Result<(), CommandError> {
    let has_password = matches.contains_id("password") || matches.contains_id("password-file");
    let password = if has_password { password_of(matches, false)?.0 } else { String::from(OPEN) };
    let mut socket = Datagrams::open(&listening_of(matches)?).map_err(CommandError::Socket)?;
    let mut seed = [0; 32];
    chance::fill(&mut seed)?;
    let mut gate = Gate::new(&password, seed, true).with_links_max(MEETING_MACHINES_MAX);
    let mut point: MeetingPoint<LinkId> = MeetingPoint::new();
    // The machines that are connected, and since when without a word.
    let mut mute: BTreeMap<LinkId, u64> = BTreeMap::new();
    let clock = Clock::new();
    let is_json = matches.get_flag("json");
    say(is_json, &clock, &format!("relays at {}", socket.address()));
    interrupt::watch();
    let mut told_us = 0;
    let mut sealed = Vec::new();
    while !interrupt::is_asked() {
        let mut patience = PATIENCE;
        for _ in 0..RECEIVED_MAX {
            let Some((from, bytes)) = socket.receive(patience).map_err(CommandError::Socket)? else { break };
            patience = Duration::ZERO;
            // What is refused is counted by the gate.
            let _ = gate.handle_datagram(clock.now() / 1000, from, bytes);
        }
        let now_us = clock.now() / 1000;
        while let Some(event) = gate.poll_event() {
            match event {
                GateEvent::Opened { link, .. } => drop(mute.insert(link, now_us)),
                GateEvent::Data { link, bytes } => {
                    let address = gate.address(link);
                    if let Some(address) = address
                        && point.handle_note(now_us, link, address, &bytes).is_ok()
                        && point.knows(link)
                    {
                        mute.remove(&link);
                    }
                }
                GateEvent::Failed { .. } => {}
            }
        }
        while let Some((link, note)) = point.poll_note() {
            if let Some(to) = gate.seal(link, &note.write(), &mut sealed) {
                socket.send(to, &sealed);
            }
        }
        while let Some((to, bytes)) = gate.poll_datagram(now_us) {
            socket.send(to, &bytes);
        }
        let mut gone = point.pass_time(now_us);
        gone.extend(mute.iter().filter(|(_, since_us)| **since_us + MUTE_US < now_us).map(|(link, _)| *link));
        for link in gone {
            mute.remove(&link);
            gate.close(link);
        }
        if told_us + TOLD_US < now_us {
            told_us = now_us;
            say(is_json, &clock, &numbers(&point, &gate));
        }
    }
    say(is_json, &clock, &format!("ends; {}", numbers(&point, &gate)));
    Ok(())
}

fn numbers(point: &MeetingPoint<LinkId>, gate: &Gate) -> String {
    let ((sessions, machines), counts) = (point.sizes(), point.counts());
    format!(
        "{sessions} sessions, {machines} machines, {} datagrams and {} bytes passed on, {} dropped, {} entries and {} datagrams refused",
        counts.passed,
        counts.passed_bytes,
        counts.dropped,
        counts.refused,
        gate.refused()
    )
}

fn say(is_json: bool, clock: &Clock, text: &str) {
    let seconds = clock.now() as f64 / 1e9;
    // A closed stream does not stop the relay.
    if is_json {
        let json = Json::new().value("seconds", format_args!("{seconds:.3}")).text("text", text);
        let _ = writeln!(io::stdout(), "{}", json.finish());
    } else {
        let _ = writeln!(io::stderr(), "{seconds:>10.3} {text}");
    }
}

/// The place where a host and its guests meet, under a number of its own.
pub fn place_of_host(matches: &ArgMatches) -> Result<Option<MeetingPlace>, CommandError> {
    let Some(relay) = matches.try_get_one::<String>("relay").ok().flatten() else { return Ok(None) };
    let mut number = SessionNumber::default();
    chance::fill(&mut number)?;
    let password = relay_password(matches);
    Ok(Some(MeetingPlace { address: address_of(relay, PORT)?, number, password, is_only: false }))
}

fn relay_password(matches: &ArgMatches) -> String {
    let given = matches.try_get_one::<String>("relay-password").ok().flatten();
    given.cloned().unwrap_or_else(|| String::from(OPEN))
}

/// What a host gives to its guests.
pub fn invitation(place: &MeetingPlace) -> String {
    format!("{}/{}", place.address, letters_of(&place.number))
}

/// The place that an invitation names; none if it is an address.
pub fn place_of(text: &str, matches: &ArgMatches) -> Result<Option<MeetingPlace>, CommandError> {
    let Some((relay, letters)) = text.split_once('/') else { return Ok(None) };
    let Some(number) = number_of(letters) else {
        let message = format!("expected an invitation as in relay:7323/abcd-efgh-ijkm-npqr, found {text}");
        return Err(CommandError::Usage(message));
    };
    let address: SocketAddr = address_of(relay, PORT)?;
    let is_only = matches.get_flag("only-relay");
    Ok(Some(MeetingPlace { address, number, password: relay_password(matches), is_only }))
}

/// Sixteen letters in groups of four.
fn letters_of(number: &SessionNumber) -> String {
    let bits = number.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let letters: Vec<char> =
        (0..16).rev().map(|place| char::from(LETTERS[(bits >> (5 * place) & 31) as usize])).collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join("-")
}

fn number_of(text: &str) -> Option<SessionNumber> {
    let mut bits = 0_u128;
    let mut count = 0;
    for letter in text.bytes().filter(|letter| *letter != b'-') {
        let place = LETTERS.iter().position(|known| *known == letter.to_ascii_lowercase())?;
        bits = bits << 5 | place as u128;
        count += 1;
        if count > 16 {
            return None;
        }
    }
    let bytes = bits.to_be_bytes();
    (count == 16).then(|| bytes[6..].try_into().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_was_written() {
        for number in [[0; 10], [255; 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] {
            let text = letters_of(&number);
            assert_eq!((text.len(), number_of(&text)), (19, Some(number)), "{text}");
            assert_eq!(number_of(&text.to_uppercase()), Some(number));
        }
        for text in ["", "abc", "aaaa-aaaa-aaaa-aaa1", "aaaa-aaaa-aaaa-aaaaa"] {
            assert_eq!(number_of(text), None, "{text}");
        }
    }
}
