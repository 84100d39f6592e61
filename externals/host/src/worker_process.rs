//! A child process that answers requests, for work that may crash, hang or take too much memory.
//!
//! A request and its answer are one frame each: the length in eight bytes, little-endian, then that many bytes.
//!
//! Laws
//! 1. An exchange ends by its deadline: with an answer, or with an error that says what became of the child.
//! 2. After an error the child is killed and reaped. The next exchange needs a new one.
//! 3. No answer above the given limit is read into memory.
//! 4. Where `sh` is there (Unix), the child's address space is limited; elsewhere only its time is.
//! 5. A request is short enough for the buffer of a pipe (some ten kilobytes), so that sending it cannot block for long.
//! 6. The child ends by itself when its standard input is closed: it does not outlive its parent.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::TOOL_DEATH;

/// A running child process.
#[derive(Debug)]
pub struct WorkerProcess {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Result<Vec<u8>, FrameError>>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum WorkerError {
    /// The child could not be started.
    Start(io::Error),
    /// The child ended before it answered: a crash, or its memory limit.
    Ended {
        /// How it ended, as the system says: "signal: 11 (SIGSEGV)".
        status: String,
    },
    /// The deadline passed.
    TimedOut,
    /// The answer would exceed the limit.
    TooLarge {
        /// The size of the answer.
        bytes: u64,
    },
}

impl fmt::Display for WorkerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerError::Start(error) => write!(formatter, "the worker process could not be started: {error}"),
            WorkerError::Ended { status } => write!(formatter, "the worker process ended without an answer ({status})"),
            WorkerError::TimedOut => formatter.write_str("the worker process did not answer in time and was stopped"),
            WorkerError::TooLarge { bytes } => {
                write!(formatter, "the answer of the worker process is too large: {bytes} bytes")
            }
        }
    }
}

impl Error for WorkerError {}

impl WorkerProcess {
    /// Starts a program. `memory_bytes` limits its address space where the system can do that.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        memory_bytes: u64,
        answer_bytes_max: u64,
    ) -> Result<WorkerProcess, WorkerError> {
        let mut command = limited(program, memory_bytes);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(WorkerError::Start)?;
        let (Some(requests), Some(mut pipe)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(WorkerError::Start(io::Error::other("it has no standard input or output")));
        };
        let (sender, answers) = mpsc::sync_channel(1);
        // A read cannot be interrupted, so a thread reads; it ends with the pipe.
        let reader = thread::Builder::new().name("worker answers".into()).spawn(move || {
            loop {
                let answer = read_frame(&mut pipe, answer_bytes_max);
                let is_end = answer.is_err();
                if sender.send(answer).is_err() || is_end {
                    return;
                }
            }
        });
        reader.map_err(WorkerError::Start)?;
        Ok(WorkerProcess { child, requests, answers })
    }

    /// Sends a request and waits for its answer.
    pub fn exchange(mut self, request: &[u8], patience: Duration) -> Result<(WorkerProcess, Vec<u8>), WorkerError> {
        // A failure to write means that the child ended, which reading its answer finds too.
        let _ = write_frame(&mut self.requests, request);
        match self.answers.recv_timeout(patience) {
            Ok(Ok(answer)) => Ok((self, answer)),
            Ok(Err(FrameError::TooLarge(bytes))) => {
                self.stop();
                Err(WorkerError::TooLarge { bytes })
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(WorkerError::Ended { status: self.stop() }),
            Err(RecvTimeoutError::Timeout) => {
                self.stop();
                Err(WorkerError::TimedOut)
            }
        }
    }

    /// Stops the child. Returns how it ended.
    fn stop(&mut self) -> String {
        let end = Instant::now() + TOOL_DEATH;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < end => {
                    thread::sleep(Duration::from_millis(1));
                }
                _ => break "it still ran".to_string(),
            }
        };
        let _ = self.child.kill();
        let _ = self.child.wait();
        status
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command for a program with a limited address space: `sh` sets the limit and becomes the program.
#[cfg(unix)]
fn limited(program: &Path, memory_bytes: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    // `$0` is the program, and "$@" its arguments, so that no character of a path means anything to the shell.
    command.arg("-c").arg(format!("ulimit -v {} 2>/dev/null; exec \"$0\" \"$@\"", memory_bytes / 1024)).arg(program);
    command
}

#[cfg(not(unix))]
fn limited(program: &Path, _memory_bytes: u64) -> Command {
    Command::new(program)
}

/// Why there is no frame.
#[derive(Debug)]
pub enum FrameError {
    /// The input ended before the frame did, or it could not be read.
    Ended,
    /// The frame is longer than the limit: its length.
    TooLarge(u64),
}

/// Reads a frame.
pub fn read_frame(input: &mut impl Read, bytes_max: u64) -> Result<Vec<u8>, FrameError> {
    let mut length = [0; 8];
    input.read_exact(&mut length).map_err(|_| FrameError::Ended)?;
    let length = u64::from_le_bytes(length);
    if length > bytes_max {
        return Err(FrameError::TooLarge(length));
    }
    // The length is only a claim: memory grows with the bytes that come.
    let mut frame = Vec::new();
    input.take(length).read_to_end(&mut frame).map_err(|_| FrameError::Ended)?;
    if frame.len() as u64 == length { Ok(frame) } else { Err(FrameError::Ended) }
}

/// Writes a frame.
pub fn write_frame(output: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    output.write_all(&(frame.len() as u64).to_le_bytes())?;
    output.write_all(frame)?;
    output.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> WorkerProcess {
        WorkerProcess::start(Path::new("/bin/sh"), &["-c", script], 1 << 30, 100).expect("there is a shell")
    }

    #[test]
    fn a_worker_answers_frame_by_frame() {
        let (worker, answer) = shell("cat").exchange(b"one", MINUTE).unwrap();
        assert_eq!(answer, b"one");
        assert_eq!(worker.exchange(&[], MINUTE).unwrap().1, b"");
    }

    #[test]
    fn a_worker_that_ends_hangs_or_floods_is_an_error() {
        assert!(matches!(shell("exit 3").exchange(b"one", MINUTE), Err(WorkerError::Ended { .. })));
        assert!(matches!(shell("kill -9 $$").exchange(b"one", MINUTE), Err(WorkerError::Ended { .. })));
        let start = Instant::now();
        let hung = shell("exec sleep 1000").exchange(b"one", Duration::from_millis(20));
        assert!(matches!(hung, Err(WorkerError::TimedOut)));
        assert!(start.elapsed() < MINUTE);
        let flood = shell("printf '\\377\\0\\0\\0\\0\\0\\0\\0'; cat >/dev/null").exchange(b"one", MINUTE);
        assert!(matches!(flood, Err(WorkerError::TooLarge { bytes: 255 })), "{flood:?}");
        assert!(matches!(
            shell("printf '\\5\\0\\0\\0\\0\\0\\0\\0ab'").exchange(b"one", MINUTE),
            Err(WorkerError::Ended { .. })
        ));
    }

    #[test]
    fn a_worker_has_a_memory_limit() {
        // The limit is inherited: the shell reports its own.
        let mut limit = shell("ulimit -v >&2; cat");
        assert!(limit.child.try_wait().expect("it can be asked").is_none());
        let printed =
            shell("v=$(ulimit -v); printf '\\7\\0\\0\\0\\0\\0\\0\\0%s' $v; cat >/dev/null").exchange(b"", MINUTE);
        assert_eq!(printed.unwrap().1, b"1048576");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let missing = WorkerProcess::start(Path::new("/no/such/program"), &[], 1 << 30, 100);
        // The shell starts, and then finds no program.
        assert!(matches!(missing.and_then(|worker| worker.exchange(b"", MINUTE)), Err(WorkerError::Ended { .. })));
    }
}
