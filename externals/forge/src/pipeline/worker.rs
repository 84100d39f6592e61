//! Importing in worker processes.
//!
//! Laws
//! 1. A worker that crashes, hangs or runs out of memory is an error of the source it was given, and is replaced.
//! 2. Where no process can be started, imports run in the calling thread; a panic of a codec is caught there too.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use host::worker_process::{WorkerError, WorkerProcess, read_frame, write_frame};
use media::Importer;

use super::job::{Job, OUTCOME_BYTES_MAX, Outcome, run};
use super::part_cache::PartCache;

/// The largest encoded job.
const JOB_BYTES_MAX: u64 = 1 << 20;

/// The address space of a worker.
pub const WORKER_MEMORY_BYTES: u64 = 8 << 30;

/// The time limit of one import.
pub const IMPORT_PATIENCE: Duration = Duration::from_secs(600);

/// How imports are run.
#[derive(Clone, Debug)]
pub enum Isolation {
    /// In processes of this program, started with these arguments; the folder of sources and the folder of kept parts are
    /// added to them.
    Processes(PathBuf, Vec<String>),
    /// In the calling thread.
    None,
}

/// Runs imports, one at a time.
pub struct ImportWorker<'a> {
    isolation: &'a Isolation,
    data: &'a Path,
    parts: &'a Path,
    cache: PartCache,
    importers: &'a [Importer],
    patience: Duration,
    process: Option<WorkerProcess>,
}

impl<'a> ImportWorker<'a> {
    /// A worker. Its process is started with the first import.
    #[must_use]
    pub fn new(
        isolation: &'a Isolation,
        (data, parts): (&'a Path, &'a Path),
        importers: &'a [Importer],
        patience: Duration,
    ) -> ImportWorker<'a> {
        ImportWorker { isolation, data, parts, cache: PartCache::new(Some(parts)), importers, patience, process: None }
    }

    /// Runs a job.
    pub fn run(&mut self, job: &Job) -> Outcome {
        let Isolation::Processes(program, arguments) = self.isolation else {
            return run_here(self.data, job, self.importers, &self.cache);
        };
        match self.exchange(program, arguments, job) {
            Ok(outcome) => outcome,
            Err(error) => Outcome { error: describe(&error), ..Outcome::default() },
        }
    }

    fn exchange(&mut self, program: &Path, arguments: &[String], job: &Job) -> Result<Outcome, WorkerError> {
        let process = match self.process.take() {
            Some(process) => process,
            None => {
                let (data, parts) = (self.data.to_string_lossy(), self.parts.to_string_lossy());
                let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
                all.extend([&*data, &*parts]);
                WorkerProcess::start(program, &all, WORKER_MEMORY_BYTES, OUTCOME_BYTES_MAX)?
            }
        };
        let (process, answer) = process.exchange(&job.encode(), self.patience)?;
        self.process = Some(process);
        Outcome::decode(&answer)
            .map_err(|error| WorkerError::Ended { status: format!("its answer is damaged: {error}") })
    }
}

fn describe(error: &WorkerError) -> String {
    match error {
        WorkerError::Ended { status } => {
            format!(
                "the decoder crashed or ran out of memory ({status}); open the file in the program it comes from and save it again"
            )
        }
        WorkerError::TimedOut => "the decoder did not finish in time and was stopped".to_string(),
        other => other.to_string(),
    }
}

fn run_here(data: &Path, job: &Job, importers: &[Importer], cache: &PartCache) -> Outcome {
    let done = catch_unwind(AssertUnwindSafe(|| run(data, job, importers, cache)));
    done.unwrap_or_else(|_| Outcome { error: "the decoder crashed".to_string(), ..Outcome::default() })
}

/// The main loop of a worker process: answers jobs until its input ends.
pub fn serve(
    (data, parts): (&Path, &Path),
    importers: &[Importer],
    input: &mut impl Read,
    output: &mut impl Write,
) -> io::Result<()> {
    let cache = PartCache::new(Some(parts));
    while let Ok(frame) = read_frame(input, JOB_BYTES_MAX) {
        let Ok(job) = Job::decode(&frame) else { return Err(io::ErrorKind::InvalidData.into()) };
        write_frame(output, &run_here(data, &job, importers, &cache).encode())?;
    }
    Ok(())
}
