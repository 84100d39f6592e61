//! Processes that play together: what they say, and how they end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Folder, Json};

/// The longest wait for a line or for the end of a process.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that takes part. It is killed when it is dropped.
pub struct Machine {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Machine {
    pub fn begin(folder: &Folder, words: &str) -> Machine {
        Machine::begin_words(folder, &words.split_whitespace().collect::<Vec<&str>>())
    }

    /// The same with arguments that may contain blanks.
    pub fn begin_words(folder: &Folder, words: &[&str]) -> Machine {
        let mut command = folder.command("");
        command.args(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be run");
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        let stdout = child.stdout.take().map(BufReader::new);
        let (sender, lines) = channel();
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Machine { child, stdout, lines, said: Vec::new() }
    }

    /// One whose lines are on standard output.
    pub fn begin_logging(folder: &Folder, words: &str) -> Machine {
        let mut command = folder.command(words);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("the command can be run");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Machine { child, stdout: None, lines, said: Vec::new() }
    }

    /// A host of the small level of the sandbox, and its address.
    pub fn host(folder: &Folder, words: &str) -> (Machine, String) {
        let common = "--level tiny --listen 127.0.0.1 --port 0 --password sesame --headless --no-film --json";
        let mut machine = Machine::begin(folder, &format!("host sandbox {common} {words}"));
        let line = machine.wait_for("hosts sandbox");
        let address = line.rsplit(' ').next().expect("the line ends with the address").to_string();
        (machine, address)
    }

    pub fn guest(folder: &Folder, address: &str, words: &str) -> Machine {
        Machine::begin(folder, &format!("join {address} --headless --no-film --json {words}"))
    }

    /// Types a line.
    pub fn type_line(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    /// The next line with this text on standard error.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { panic!("expected \"{text}\", found {:#?}", self.said) };
            self.said.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Waits until lines with all of these texts were on standard error, in any order, from the first line on.
    #[track_caller]
    pub fn wait_for_all(&mut self, texts: &[&str]) {
        for text in texts {
            if !self.said.iter().any(|line| line.contains(text)) {
                self.wait_for(text);
            }
        }
    }

    /// Waits for its end: whether it succeeded, its JSON, and all that it said.
    #[track_caller]
    pub fn end(mut self) -> (bool, Json, String) {
        let mut printed = String::new();
        let stdout = self.stdout.take();
        let reader = thread::spawn(move || {
            stdout.map(|stdout| stdout.lines().map_while(Result::ok).last().unwrap_or_default()).unwrap_or_default()
        });
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.said.push(line);
        }
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("it can be waited for") {
                Some(status) => break status,
                None if Instant::now() > end => panic!("it does not end: {:#?}", self.said),
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        printed.push_str(&reader.join().expect("the reader does not panic"));
        let said = self.said.join("\n");
        assert!(!said.contains("panicked"), "{said}");
        (status.success(), Json::read(&printed), said)
    }

    /// The JSON of one that succeeded, and all that it said.
    #[track_caller]
    pub fn success(self) -> (Json, String) {
        let (is_success, json, said) = self.end();
        assert!(is_success, "{said}");
        (json, said)
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was killed");
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // It has ended already, or the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub fn assert_same_world(cycle: u64, machines: &[&Json]) {
    for json in machines {
        assert_eq!((json.number("cycle"), json.number("desyncs")), (cycle, 0), "{json:?}");
        assert_eq!(json.text("hash"), machines[0].text("hash"), "{machines:?}");
        assert_eq!(json.text("chain"), machines[0].text("chain"), "{machines:?}");
    }
}
