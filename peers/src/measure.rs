//! Measured times, their statistics, and the output tables.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// Repeated measurements of one operation, in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// One known time, not measured here.
    pub fn known(microseconds: f64) -> Times {
        Times(vec![microseconds])
    }

    /// Times measured elsewhere.
    pub fn of_nanoseconds(times: impl IntoIterator<Item = u64>) -> Times {
        Times(times.into_iter().map(|time| time as f64 / 1000.0).collect())
    }

    /// Runs an operation and records its time.
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.time_each(1, work)
    }

    /// Runs an operation of this many equal parts and records the time of one part.
    pub fn time_each<R>(&mut self, parts: u32, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        self.0.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(parts));
        result
    }

    /// Adds a time measured by other means.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1e6);
    }

    /// The mean time per part, from equally many measurements of each part: minimum of the minima, median of the medians. So
    /// a disturbance affects one part, not all of them.
    pub fn per_part(parts: Vec<Times>) -> Times {
        let sorted: Vec<Vec<f64>> = parts.into_iter().map(Times::sorted).collect();
        let rounds = sorted.iter().map(Vec::len).min().unwrap_or(0);
        Times(
            (0..rounds).map(|rank| sorted.iter().map(|times| times[rank]).sum::<f64>() / sorted.len() as f64).collect(),
        )
    }

    /// The same times divided by a count, in a finer unit.
    pub fn each(&self, parts: u32, finer: f64) -> Times {
        Times(self.0.iter().map(|time| time * finer / f64::from(parts)).collect())
    }

    /// The minimum: the cost on an idle machine.
    pub fn minimum(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The median: the cost under the current load.
    pub fn median(&self) -> f64 {
        self.clone().sorted()[self.0.len() / 2]
    }

    fn sorted(mut self) -> Vec<f64> {
        self.0.sort_by(f64::total_cmp);
        self.0
    }
}

/// One comparison.
#[derive(Clone, Debug)]
pub struct Row {
    /// What is measured.
    pub what: String,
    /// Our times.
    pub ours: Times,
    /// The peer's times.
    pub peer: Times,
    /// The peer's name.
    pub peer_name: String,
    /// The minimum ratio.
    pub goal: Option<f64>,
}

impl Row {
    /// A comparison without a goal.
    pub fn new(what: impl Into<String>, ours: &Times, peer: &Times, peer_name: impl Into<String>) -> Row {
        Row { what: what.into(), ours: ours.clone(), peer: peer.clone(), peer_name: peer_name.into(), goal: None }
    }

    /// The same with a goal.
    pub fn with_goal(self, goal: f64) -> Row {
        Row { goal: Some(goal), ..self }
    }

    fn ratio(&self) -> f64 {
        self.peer.minimum() / self.ours.minimum()
    }
}

/// Prints the rows for people.
pub fn print_table(name: &str, rows: &[Row]) {
    println!("{name}, on {}", machine());
    println!("times in µs: the minimum, and in brackets the median; ratio = peer / ours of the minima\n");
    println!("| what | ours | peer | | ratio | goal |");
    println!("|---|--:|--:|---|--:|---|");
    for row in rows {
        let goal = match row.goal {
            None => String::new(),
            Some(goal) => format!("≥ {goal:.2}: {}", if row.ratio() >= goal { "met" } else { "missed" }),
        };
        let (what, ours, peer, ratio) = (&row.what, format_times(&row.ours), format_times(&row.peer), row.ratio());
        println!("| {what} | {ours} | {peer} | {} | {ratio:.2} | {goal} |", row.peer_name);
    }
}

/// Prints the rows for machines: one line, one JSON object.
pub fn print_json(name: &str, rows: &[Row]) {
    let mut line = format!("{{\"bench\": {name:?}, \"rows\": [");
    for (index, row) in rows.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let (what, peer_name, ratio) = (&row.what, &row.peer_name, row.ratio());
        let (ours, peer) = (row.ours.minimum(), row.peer.minimum());
        let write = write!(
            line,
            "{comma}{{\"what\": {what:?}, \"ours\": {ours:.6}, \"peer\": {peer:.6}, \"peer_name\": {peer_name:?}, \
             \"ratio\": {ratio:.4}}}"
        );
        write.expect("writing to a string cannot fail");
    }
    println!("{line}]}}");
}

fn format_times(times: &Times) -> String {
    let digits = |time: f64| match time {
        1.0.. => format!("{time:.1}"),
        0.01.. => format!("{time:.4}"),
        _ => format!("{time:.6}"),
    };
    match times.0.len() {
        1 => digits(times.minimum()),
        _ => format!("{} ({})", digits(times.minimum()), digits(times.median())),
    }
}

fn machine() -> String {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {}", env!("COMPILER"))
}
