//! Machines that play together lose their host, agree before they begin, pause, and find each other.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common;

use common::machines::{Machine, assert_same_world};
use common::{Folder, Json};

#[test]
fn of_three_machines_two_play_on_when_the_host_is_killed_and_a_fourth_joins_them() {
    let folder = Folder::new();
    let (host, address) = Machine::host(&folder, "--players 4 --machines 3 --cycles 100000");
    let mut one = Machine::guest(&folder, &address, "--password sesame --player 1 --cycles 3000");
    one.wait_for("joins sandbox");
    let mut other = Machine::guest(&folder, &address, "--password sesame --player 2 --cycles 3000");
    one.wait_for_all(&["player 2 can be reached without the host", "player 2 joins"]);
    other.wait_for_all(&["player 1 can be reached without the host", "this machine joins"]);
    let killed = Instant::now();
    host.kill();
    let line = one.wait_for("other machines can join at");
    one.wait_for("this machine is the host now");
    other.wait_for("player 1 is the host now");
    // 1.2 s of silence are the detection; the rest is for a busy machine.
    assert!(killed.elapsed() < Duration::from_secs(8), "{:?}", killed.elapsed());
    let port = line.rsplit(':').next().expect("the line ends with the port");
    let fourth = Machine::guest(&folder, &format!("127.0.0.1:{port}"), "--password sesame --cycles 3000");
    one.wait_for("player 0 joins");
    let ((one, said), (other, _), (fourth, _)) = (one.success(), other.success(), fourth.success());
    assert_same_world(3000, &[&one, &other, &fourth]);
    assert_eq!((one.get("is_host"), other.get("is_host")), (&Json::Truth(true), &Json::Truth(false)));
    assert!(said.contains("player 0 has left"), "{said}");
}

#[test]
fn of_three_machines_two_play_on_when_the_host_leaves_and_the_new_one_is_found() {
    let folder = Folder::new();
    let (mut host, address) = Machine::host(&folder, "--players 4 --machines 3 --console --name Ann --cycles 100000");
    let name = format!("heir{}", std::process::id());
    let words = format!("--password sesame --player 1 --name {name} --cycles 2000");
    let mut one = Machine::guest(&folder, &address, &words);
    one.wait_for("joins sandbox");
    let mut other = Machine::guest(&folder, &address, "--password sesame --player 2 --cycles 2000");
    one.wait_for_all(&["player 2 can be reached without the host", "player 2 joins"]);
    other.wait_for_all(&["can be reached without the host", "this machine joins"]);
    host.type_line("leave");
    one.wait_for("player 0 (Ann) has left in safe cycle");
    one.wait_for("this machine is the host now");
    other.wait_for("is the host now");
    let (_, said) = host.success();
    assert!(!said.contains("has ended the session"), "{said}");
    let listed = folder.run("join --json").json();
    let found = listed.list("sessions").iter().find(|session| session.text("name") == name);
    let found = found.unwrap_or_else(|| panic!("{listed:?}"));
    assert_eq!((found.number("players"), found.number("played")), (4, 2));
    let ((one, _), (other, said)) = (one.success(), other.success());
    assert_same_world(2000, &[&one, &other]);
    assert!(!said.contains("has ended the session"), "{said}");
}

#[test]
fn players_agree_in_the_lobby_talk_pause_and_one_is_removed() {
    let folder = Folder::new();
    let (mut host, address) =
        Machine::host(&folder, "--players 4 --lobby --console --name Ann --not-ready --cycles 1500");
    let words = "--password sesame --console --not-ready --cycles 1500";
    let mut bob = Machine::guest(&folder, &address, &format!("{words} --name Bob"));
    host.wait_for("as player 1");
    let mut eve = Machine::guest(&folder, &address, &format!("{words} --name Eve"));
    host.wait_for("as player 2");
    bob.type_line("play 3");
    host.wait_for("player 1 plays player 3 now");
    bob.wait_for("this machine plays player 3 now");
    bob.type_line("say who has the map?");
    eve.wait_for("player 3 (Bob): who has the map?");
    eve.type_line("kick 0 mine");
    eve.wait_for("only the host can do that");
    host.type_line("ready");
    eve.type_line("ready");
    bob.wait_for("player 2 (Eve) is ready");
    bob.type_line("wait");
    bob.type_line("ready");
    host.wait_for("player 3 (Bob) is ready");
    host.wait_for("player 3 (Bob) joins in safe cycle");
    // Two of three players pause, and the host lets time run.
    bob.type_line("pause");
    host.wait_for("player 3 (Bob) asks for a pause: 1 of 3 players");
    eve.type_line("pause");
    for machine in [&mut host, &mut bob, &mut eve] {
        machine.wait_for("player 2 (Eve) pauses");
    }
    host.type_line("who");
    host.wait_for("player 0 (Ann): plays, host, this machine");
    host.type_line("resume");
    bob.wait_for("player 0 (Ann) goes on");
    host.type_line("kick 2 too loud");
    bob.wait_for("player 0 (Ann) removes player 2 (Eve)");
    let (is_success, _, said) = eve.end();
    assert!(!is_success && said.contains("the host has removed this machine: too loud"), "{said}");
    let ((host, _), (bob, _)) = (host.success(), bob.success());
    assert_same_world(1500, &[&host, &bob]);
    assert_eq!(bob.number("player"), 3);
}

#[test]
fn a_host_begins_before_all_are_ready_and_a_guest_leaves_in_good_order() {
    let folder = Folder::new();
    let (mut host, address) = Machine::host(&folder, "--players 2 --lobby --console --cycles 900");
    let mut guest = Machine::guest(&folder, &address, "--password sesame --console --not-ready --cycles 900");
    guest.wait_for("the world arrives: 100 %");
    host.type_line("begin");
    host.wait_for("player 0 begins");
    guest.wait_for("this machine joins");
    guest.type_line("leave");
    let (_, said) = guest.success();
    assert!(said.contains("player 0 begins"), "{said}");
    host.wait_for("player 1 has left");
    host.success();
}

#[test]
fn a_session_is_found_by_its_name_and_can_be_joined_at_its_address() {
    let folder = Folder::new();
    let name = format!("found {}", std::process::id());
    let words = ["host", "sandbox", "--level", "tiny", "--listen", "127.0.0.1", "--port", "0", "--password", "sesame"];
    let more = ["--headless", "--no-film", "--json", "--players", "3", "--machines", "2", "--cycles", "200", "--name"];
    let mut host = Machine::begin_words(&folder, &[&words[..], &more, &[&name]].concat());
    let line = host.wait_for("hosts sandbox");
    let address = line.rsplit(' ').next().expect("the line ends with the address");
    let listed = folder.run("join --json").json();
    let found = listed.list("sessions").iter().find(|session| session.text("name") == name);
    let found = found.unwrap_or_else(|| panic!("{listed:?}"));
    assert_eq!((found.text("address"), found.text("game"), found.text("level")), (address, "sandbox", "tiny"));
    assert_eq!((found.number("players"), found.number("played")), (3, 1));
    assert_eq!((found.text("fit"), found.get("has_begun")), ("the same version", &Json::Truth(false)));
    let guest = Machine::guest(&folder, found.text("address"), "--password sesame --cycles 200");
    assert_same_world(200, &[&host.success().0, &guest.success().0]);
}

/// What a server of a small level answers to a request.
fn ask(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    connection.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn a_server_tells_its_numbers_logs_objects_and_ends_in_good_order() {
    let folder = Folder::new();
    let words = "serve sandbox --level tiny --players 2 --listen 127.0.0.1 --port 0 --password sesame --no-film --json \
                 --metrics 127.0.0.1:0 --save end.save --hidden";
    let mut server = Machine::begin_logging(&folder, words);
    let line = Json::read(&server.wait_for("serves sandbox tiny at"));
    let address = line.text("text").rsplit(' ').next().expect("the line ends with the address").to_string();
    let line = Json::read(&server.wait_for("metrics and health at"));
    let monitor = line.text("text").rsplit('/').next().expect("the line ends with the address").to_string();
    assert!(ask(&monitor, "/health").starts_with("HTTP/1.1 200 "));
    assert!(ask(&monitor, "/").starts_with("HTTP/1.1 404 "));
    let mut guest = Machine::guest(&folder, &address, "--password sesame --player 1 --cycles 100000");
    guest.wait_for("this machine joins");
    let joined = server.wait_for("player 1 joins");
    assert_eq!(Json::read(&joined).text("kind"), "party");
    let end = Instant::now() + Duration::from_secs(60);
    let metrics = loop {
        let metrics = ask(&monitor, "/metrics");
        if metrics.contains("astrarium_players 1\n") || Instant::now() > end {
            break metrics;
        }
    };
    for expected in [
        "HTTP/1.1 200 ",
        "text/plain; version=0.0.4",
        "# TYPE astrarium_safe_cycles_total counter",
        "astrarium_players 1\n",
        "astrarium_observers 1\n",
        "astrarium_desyncs_total 0\n",
        "astrarium_link_round_trip_seconds{machine=\"1\"} 0.",
    ] {
        assert!(metrics.contains(expected), "{expected}: {metrics}");
    }
    signal("-TERM", &server);
    server.wait_for("the save is written: end.save");
    let last = Json::read(&server.wait_for("the server was asked to stop; hash"));
    assert_eq!(last.text("kind"), "end");
    let (is_success, _, said) = guest.end();
    assert!(!is_success && said.contains("the host has ended the session: the server was asked to stop"), "{said}");
    assert!(folder.join("end.save").exists());
}

#[test]
fn a_server_takes_lines_begins_pauses_and_removes_who_cannot_come_back() {
    let folder = Folder::new();
    let words = "serve sandbox --level tiny --players 3 --lobby --console --listen 127.0.0.1 --port 0 --password sesame --no-film \
                 --metrics 127.0.0.1:0 --hidden";
    let mut server = Machine::begin(&folder, words);
    let line = server.wait_for("serves sandbox tiny at");
    let address = line.rsplit(' ').next().expect("the line ends with the address").to_string();
    let words = "--password sesame --console --not-ready --cycles 100000";
    let mut bob = Machine::guest(&folder, &address, &format!("{words} --name Bob"));
    bob.wait_for("the world arrives: 100 %");
    let mut eve = Machine::guest(&folder, &address, &format!("{words} --name Eve"));
    eve.wait_for("the world arrives: 100 %");
    server.type_line("play 2");
    server.wait_for("this machine only watches");
    server.type_line("begin");
    bob.wait_for("this machine joins");
    eve.wait_for("this machine joins");
    server.type_line("pause");
    bob.wait_for("pauses");
    server.type_line("resume");
    bob.wait_for("goes on");
    server.type_line("kick 1 too loud");
    let (is_success, _, said) = eve.end();
    assert!(!is_success && said.contains("the host has removed this machine: too loud"), "{said}");
    // It is started again, and is known by its key.
    let (is_success, _, said) = Machine::guest(&folder, &address, "--password sesame --name Ann").end();
    assert!(!is_success && said.contains("the host has removed this machine"), "{said}");
    server.type_line("leave");
    server.wait_for("the server was told to leave; hash");
    let (is_success, _, said) = bob.end();
    assert!(!is_success && said.contains("the host has ended the session: the server was told to leave"), "{said}");
}

#[test]
fn the_player_of_a_machine_that_died_is_kept_for_it() {
    let (here, there) = (Folder::new(), Folder::new());
    let (mut host, address) = Machine::host(&here, "--players 2 --cycles 100000");
    let words = "--password sesame --cycles 100000";
    let mut first = Machine::guest(&there, &address, words);
    first.wait_for("this machine joins");
    host.wait_for("player 1 joins");
    first.kill();
    host.wait_for("player 1 has left");
    let (is_success, _, said) = Machine::guest(&here, &address, words).end();
    assert!(!is_success && said.contains("all 2 players are taken"), "{said}");
    let mut second = Machine::guest(&there, &address, words);
    second.wait_for("this machine joins");
    host.wait_for("player 1 joins");
    second.kill();
    host.kill();
}

#[test]
fn a_host_that_stood_still_finds_itself_replaced_and_joins_again() {
    let folder = Folder::new();
    let (mut host, address) = Machine::host(&folder, "--players 3 --machines 3 --cycles 3000");
    let mut one = Machine::guest(&folder, &address, "--password sesame --player 1 --cycles 3000");
    one.wait_for("joins sandbox");
    let mut other = Machine::guest(&folder, &address, "--password sesame --player 2 --cycles 3000");
    one.wait_for_all(&["player 2 can be reached without the host", "player 2 joins"]);
    other.wait_for_all(&["player 1 can be reached without the host", "this machine joins"]);
    signal("-STOP", &host);
    one.wait_for("this machine is the host now");
    other.wait_for("player 1 is the host now");
    signal("-CONT", &host);
    host.wait_for("the others went on without this machine; it joins again");
    one.wait_for("player 0 joins");
    let ((host, _), (one, _), (other, _)) = (host.success(), one.success(), other.success());
    assert_same_world(3000, &[&host, &one, &other]);
    assert_eq!((host.number("player"), host.get("is_host")), (0, &Json::Truth(false)));
}

fn signal(which: &str, machine: &Machine) {
    let sent = Command::new("kill").args([which, &machine.process().to_string()]).status();
    assert!(sent.expect("there is such a command").success());
}

#[test]
fn machines_meet_at_a_relay_and_play_on_through_it_when_the_host_dies() {
    let folder = Folder::new();
    let mut relay = Machine::begin(&folder, "relay --listen 127.0.0.1 --port 0 --password barley");
    let line = relay.wait_for("relays at");
    let place = line.rsplit(' ').next().expect("the line ends with the address");
    let common = "--level tiny --players 4 --password sesame --headless --no-film --json --hidden";
    let words = format!("host sandbox {common} --listen 127.0.0.1 --port 0 --machines 3 --cycles 100000");
    let mut host = Machine::begin(&folder, &format!("{words} --relay {place} --relay-password barley"));
    let line = host.wait_for("the invitation is");
    let invitation = line.rsplit(' ').next().expect("the line ends with the invitation").to_string();
    host.wait_for("machines can join through the relay");
    let words = "--password sesame --relay-password barley --cycles 2500";
    // One that no datagram reaches directly: it may only talk to the relay.
    let mut one = Machine::guest(&folder, &invitation, &format!("{words} --player 1 --only-relay"));
    one.wait_for("through the relay");
    let mut other = Machine::guest(&folder, &invitation, &format!("{words} --player 2 --only-relay"));
    other.wait_for_all(&["player 1 can be reached without the host", "this machine joins"]);
    one.wait_for_all(&["player 2 can be reached without the host", "player 2 joins"]);
    host.kill();
    one.wait_for("this machine is the host now");
    // The invitation is good for the new host, as soon as the old one is forgotten.
    one.wait_for("machines can join through the relay");
    let third = Machine::guest(&folder, &invitation, &format!("{words} --player 3 --only-relay"));
    one.wait_for("player 3 joins");
    let ((one, _), (other, _), (third, _)) = (one.success(), other.success(), third.success());
    assert_same_world(2500, &[&one, &other, &third]);
    signal("-TERM", &relay);
    let last = relay.wait_for("ends; ");
    assert!(last.contains("datagrams and") && !last.contains(" 0 datagrams and"), "{last}");
}

#[test]
fn an_invitation_to_nowhere_a_wrong_password_of_a_relay_and_a_direct_way_are_named() {
    let folder = Folder::new();
    let mut relay = Machine::begin(&folder, "relay --listen 127.0.0.1 --port 0");
    let line = relay.wait_for("relays at");
    let place = line.rsplit(' ').next().expect("the line ends with the address").to_string();
    let unknown = format!("{place}/abcd-efgh-ijkm-npqr");
    let (is_success, _, said) = Machine::guest(&folder, &unknown, "--password sesame").end();
    assert!(!is_success && said.contains("the relay knows no such session"), "{said}");
    let (is_success, _, said) = Machine::guest(&folder, &unknown, "--password sesame --relay-password x").end();
    assert!(!is_success && said.contains("the password is wrong"), "{said}");
    let complaint = folder.run(&format!("join {place}/abc --password sesame --headless")).complaint();
    assert!(complaint.contains("expected an invitation"), "{complaint}");
    let common = "--level tiny --players 2 --password sesame --headless --no-film --json --hidden --cycles 400";
    let words = format!("host sandbox {common} --listen 127.0.0.1 --port 0 --machines 2 --relay {place}");
    let mut host = Machine::begin(&folder, &words);
    let line = host.wait_for("the invitation is");
    let invitation = line.rsplit(' ').next().expect("the line ends with the invitation").to_string();
    host.wait_for("machines can join through the relay");
    let mut guest = Machine::guest(&folder, &invitation, "--password sesame --cycles 400");
    guest.wait_for("directly");
    assert_same_world(400, &[&host.success().0, &guest.success().0]);
}
