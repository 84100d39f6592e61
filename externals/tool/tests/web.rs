//! A running world in a browser.

use crate::common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, Json};

/// The longest wait for an answer, and the pause between two tries.
const PATIENCE: Duration = Duration::from_secs(60);
const BETWEEN: Duration = Duration::from_millis(10);

/// A game that is shown in a browser alone.
struct Shown {
    process: Child,
    address: String,
}

impl Shown {
    fn start(folder: &Folder, words: &str) -> Shown {
        let mut command = folder.command(&format!("play {words} --headless --web 0 --no-film --no-black-box"));
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it can be run");
        let mut lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("it is text");
            line.split("http://").nth(1).map(|rest| rest.trim_end_matches('/').to_string())
        });
        let address = address.expect("it says where");
        // Its further messages are read, so that it never waits for them.
        std::thread::spawn(move || lines.for_each(drop));
        Shown { process, address }
    }

    /// The status and the body of an answer.
    fn get(&self, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it is a socket");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)
            .expect("it listens");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("it has a head");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        (head.lines().next().unwrap_or_default().to_string(), answer[end + 4..].to_vec())
    }

    fn json(&self, path: &str) -> Json {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let (status, body) = self.get(path);
            if status.contains("200") {
                return Json::read(&String::from_utf8(body).expect("it is text"));
            }
            // The first publication is about to come.
            std::thread::sleep(BETWEEN);
        }
        panic!("{path} is never there");
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        // It runs until it is ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_browser_sees_objects_variables_the_time_line_and_a_picture() {
    let folder = Folder::new();
    let shown = Shown::start(&folder, "skirmish");
    let (status, page) = shown.get("/");
    assert!(status.contains("200") && String::from_utf8_lossy(&page).contains("<html"));
    let state = shown.json("/status.json");
    assert_eq!((state.text("game"), state.text("level")), ("skirmish", "skirmish"));
    let film = shown.json("/film.json");
    assert!(film.number("first") <= film.number("cycle") && film.number("cycle") <= film.number("last"));
    assert!(shown.json("/levels.json").list("levels").contains(&Json::Text(String::from("battle"))));
    let objects = shown.json("/objects.json");
    let ship = objects.list("objects").iter().find(|row| row.text("tag").ends_with(".ship")).expect("there are ships");
    let variables = shown.json(&format!("/objects/{}.json", ship.text("object")));
    assert!(variables.list("variables").iter().any(|row| row.text("name") == "position"));
    let (status, picture) = shown.get("/picture.png");
    assert!(status.contains("200") && picture.starts_with(b"\x89PNG"), "{status}");
    for path in ["/nowhere", "/objects/zz.json", "/../etc/passwd", "/objects/00000000.json"] {
        let (status, _) = shown.get(path);
        assert!(!status.contains("200"), "{path}: {status}");
    }
    let nothing = shown.json("/objects/ffffffff.json");
    assert!(nothing.list("variables").is_empty());
}

#[test]
fn a_paused_world_answers_too() {
    let folder = Folder::new();
    let shown = Shown::start(&folder, "sandbox --level tiny --paused");
    assert_eq!(shown.json("/status.json").number("cycle"), 0);
    assert_eq!(shown.json("/objects.json").list("objects").len(), 0, "the sandbox has no objects of tags");
    assert_eq!(shown.json("/status.json").get("is_paused"), &Json::Truth(true));
}
