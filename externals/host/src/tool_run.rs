//! Running an external program to its end, with a time limit and the end of what it printed.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::{TOOL_ANSWER_BYTES_MAX, TOOL_DEATH};

/// Why a program did not do its work.
#[derive(Debug)]
pub enum ToolError {
    /// There is no such program.
    Missing,
    /// It could not be started.
    Start(io::Error),
    /// It did not end in time and was killed.
    TimedOut,
    /// It failed: its status, and the end of what it printed.
    Failed {
        /// Its status, as the system says.
        status: String,
        /// The end of what it printed.
        printed: String,
    },
}

impl fmt::Display for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolError::Missing => formatter.write_str("the program is not installed"),
            ToolError::Start(error) => write!(formatter, "the program could not be started: {error}"),
            ToolError::TimedOut => formatter.write_str("the program did not end in time and was stopped"),
            ToolError::Failed { status, printed } => {
                let last = printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
                write!(formatter, "the program failed ({status}): {last}")
            }
        }
    }
}

impl Error for ToolError {}

/// Runs a program in a folder.
pub fn run<A: AsRef<OsStr>>(
    program: &str,
    arguments: &[A],
    folder: &Path,
    patience: Duration,
) -> Result<(), ToolError> {
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(
            |error| if error.kind() == io::ErrorKind::NotFound { ToolError::Missing } else { ToolError::Start(error) },
        )?;
    let (sender, printed) = mpsc::channel();
    let streams = [
        child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ];
    for (number, mut stream) in streams.into_iter().flatten().enumerate() {
        let sender = sender.clone();
        // The thread ends with the stream, which a grandchild may keep open.
        let reader = thread::Builder::new().spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                if sender.send((number, piece[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        reader.map_err(ToolError::Start)?;
    }
    drop(sender);
    let end = Instant::now() + patience;
    let mut tails = [Vec::new(), Vec::new()];
    let mut keep = |(number, piece): (usize, Vec<u8>)| {
        let tail: &mut Vec<u8> = &mut tails[number];
        tail.extend(piece);
        let excess = tail.len().saturating_sub(TOOL_ANSWER_BYTES_MAX as usize);
        tail.drain(..excess);
    };
    let status = loop {
        while let Ok(piece) = printed.try_recv() {
            keep(piece);
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(ToolError::TimedOut);
            }
        }
    };
    let end = Instant::now() + TOOL_DEATH;
    while let Ok(piece) = printed.recv_timeout(end.saturating_duration_since(Instant::now())) {
        keep(piece);
    }
    if status.success() {
        return Ok(());
    }
    // What a program says of its failure is on its standard error, if it says anything there.
    let tail = tails.iter().rev().find(|tail| !tail.is_empty()).map_or(&[][..], Vec::as_slice);
    Err(ToolError::Failed { status: status.to_string(), printed: String::from_utf8_lossy(tail).into_owned() })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn shell(script: &str, patience: Duration) -> Result<(), ToolError> {
        run("sh", &["-c", script], Path::new("/"), patience)
    }

    #[test]
    fn a_program_runs_in_its_folder_to_its_end() {
        assert!(shell("test \"$(pwd)\" = /", MINUTE).is_ok());
    }

    #[test]
    fn the_end_of_what_a_failed_program_printed_is_kept() {
        let failed = shell("seq 1 100000; echo the reason >&2; sleep 0.01; exit 4", MINUTE);
        let Err(ToolError::Failed { printed, status }) = failed else { panic!("{failed:?}") };
        assert!(
            printed.contains("the reason") && printed.len() < 100_000 && status.contains('4'),
            "{status} {printed}"
        );
    }

    #[test]
    fn a_program_that_is_missing_or_hangs_is_an_error() {
        assert!(matches!(run("no such program", &["a"], Path::new("/"), MINUTE), Err(ToolError::Missing)));
        assert!(matches!(shell("exec sleep 1000", Duration::from_millis(20)), Err(ToolError::TimedOut)));
    }
}
