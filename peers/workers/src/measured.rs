//! Times of cycles by stage, and their table.

/// What a turn took.
#[derive(Default)]
pub struct Measured {
    /// The names of the stages.
    pub stages: Vec<String>,
    /// For each cycle, the nanoseconds of each stage.
    pub cycles: Vec<Vec<u64>>,
    /// The hash of the world at the end.
    pub hash: u64,
}

impl Measured {
    /// Adds time to a stage of the last cycle.
    pub fn add(&mut self, stage: &str, nanos: u64) {
        let number = self.stages.iter().position(|name| name == stage).unwrap_or_else(|| {
            self.stages.push(stage.to_owned());
            self.stages.len() - 1
        });
        let cycle = self.cycles.last_mut().expect("a cycle has begun");
        if cycle.len() <= number {
            cycle.resize(number + 1, 0);
        }
        cycle[number] += nanos;
    }
}

/// Prints the table of a scene: a row for each stage, a column for each number of workers.
///
/// # Panics
/// If two turns have different outcomes.
pub fn print(scene: &str, all: &[(u32, Vec<Measured>)]) {
    let hash = all[0].1[0].hash;
    assert!(all.iter().flat_map(|(_, turns)| turns).all(|turn| turn.hash == hash), "{scene}: every turn ends with the same hash");
    let head: String = all.iter().map(|(workers, _)| format!("{workers:>10}")).collect();
    println!("{scene:26}{head}   workers, µs; hash {hash:016x}");
    let stages = &all[0].1[0].stages;
    let row = |name: &str, times: Vec<f64>| {
        let gain = times[0] / times[times.len() - 1];
        let times: String = times.iter().map(|time| format!("{time:>10.2}")).collect();
        println!("    {name:22}{times}   ×{gain:.2}");
    };
    for (number, stage) in stages.iter().enumerate() {
        let times = all.iter().map(|(_, turns)| mean(turns, |cycle| cycle.get(number).copied().unwrap_or(0)));
        row(stage, times.collect());
    }
    row("cycle", all.iter().map(|(_, turns)| mean(turns, |cycle| cycle.iter().sum())).collect());
}

/// The mean over the cycles of each cycle's minimum over the turns, in microseconds.
fn mean(turns: &[Measured], time: impl Fn(&[u64]) -> u64) -> f64 {
    let cycles = turns[0].cycles.len();
    let least = |cycle: usize| turns.iter().map(|turn| time(&turn.cycles[cycle])).min().unwrap_or(0);
    (0..cycles).map(least).sum::<u64>() as f64 / cycles as f64 / 1000.0
}
