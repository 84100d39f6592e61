//! Running an external program with a time limit.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::{TOOL_ANSWER_BYTES_MAX, TOOL_DEATH};

/// The output of a program, if it succeeded before `end`. Otherwise it is killed.
#[must_use]
pub fn ask(program: &str, arguments: &[&str], end: Instant) -> Option<String> {
    ask_at_most(program, arguments, end, TOOL_ANSWER_BYTES_MAX)
}

/// The same for an output of up to this many bytes. A program that writes more fails.
#[must_use]
pub fn ask_at_most(program: &str, arguments: &[&str], end: Instant, bytes_max: u64) -> Option<String> {
    if Instant::now() >= end {
        return None;
    }
    let mut child = Command::new(program)
        .args(arguments)
        // A missing toolchain must not be downloaded.
        .env("RUSTUP_AUTO_INSTALL", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let answer = listen(&mut child, end, bytes_max);
    if has_ended_well(&mut child, end) {
        answer
    } else {
        let _ = child.kill();
        // Reaps it, if it exits at once.
        has_ended_well(&mut child, Instant::now() + TOOL_DEATH);
        None
    }
}

/// A thread reads the output, since a read cannot be interrupted: a grandchild may keep the pipe open after its parent
/// has exited. The thread then lives until the pipe is closed.
fn listen(child: &mut Child, end: Instant, bytes_max: u64) -> Option<String> {
    let pipe = child.stdout.take()?;
    let (sender, receiver) = mpsc::sync_channel(1);
    let listener = thread::Builder::new().spawn(move || {
        let mut answer = Vec::new();
        let read = pipe.take(bytes_max).read_to_end(&mut answer);
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&answer).into_owned()));
    });
    listener.ok()?;
    receiver.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?.ok()
}

fn has_ended_well(child: &mut Child, end: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(1)),
            _ => return false,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn in_a_minute() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn the_output_of_a_tool_is_returned() {
        assert_eq!(ask("echo", &["one"], in_a_minute()).as_deref(), Some("one\n"));
    }

    #[test]
    fn a_tool_that_is_missing_or_fails_gives_no_output() {
        assert_eq!(ask("no such program anywhere", &[], in_a_minute()), None);
        assert_eq!(ask("sh", &["-c", "echo one; exit 1"], in_a_minute()), None);
    }

    #[test]
    fn a_tool_that_hangs_is_abandoned() {
        let start = Instant::now();
        assert_eq!(ask("sleep", &["1000"], start + Duration::from_millis(20)), None);
        // Its child keeps the pipe open, and is not waited for either.
        assert_eq!(ask("sh", &["-c", "sleep 5 & echo one"], start + Duration::from_millis(40)), None);
        assert!(start.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_tool_with_endless_output_is_stopped() {
        assert_eq!(ask("yes", &[], in_a_minute()), None);
    }
}
