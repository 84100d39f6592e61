//! A generated project, imported by ours, by Bevy's asset processor and by Godot; and BC7 by our encoder and another.
//!
//! The first line of the output is the greeting. Then each line of the input is a request, and gets a line: `import FILES`
//! gives rows of `what`, our microseconds, the peer's and its name between tabs, and a unit separator between rows.
//! Everything else is said on the error output. With `PEERS_IMPORT_ALONE` only ours is run.

mod bevy;
mod encoders;
mod godot;
mod ours;
mod project;

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use project::{Kind, Project};

/// One comparison.
pub struct Row {
    /// What is measured.
    pub what: String,
    /// Our time.
    pub ours: Duration,
    /// The peer's time.
    pub peer: Duration,
    /// The peer's name.
    pub name: String,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, data, parts] = words.as_slice()
        && word == ours::WORKER
    {
        ours::serve(Path::new(data), Path::new(parts));
        return;
    }
    println!("import");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are text");
        let files = line.strip_prefix("import ").and_then(|count| count.parse().ok()).unwrap_or(3_900);
        let mut rows = compare(files);
        rows.extend(encoders::rows());
        let shown = rows.iter().map(|row| {
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            format!("{}\t{}\t{}\t{}", row.what, micros(row.ours), micros(row.peer), row.name)
        });
        println!("{}", shown.collect::<Vec<_>>().join("\u{1f}"));
        std::io::stdout().flush().expect("the reader waits");
    }
}

/// A contender: what it needs to import the project, once more, and once more with a changed texture.
type Contender = (&'static str, fn(&Project) -> Result<(), String>);

fn compare(files: usize) -> Vec<Row> {
    let folder = std::env::temp_dir().join(format!("peers-import-{}", std::process::id()));
    let project = Project::generate(&folder, files);
    for (kind, count, bytes) in project.shape() {
        eprintln!("{count} {} files, {:.1} MB", kind.extension(), bytes as f64 / 1e6);
    }
    let ours = [ours::import(&project), ours::import(&project), ours::import_changed(&project)];
    ours::throughput(&project);
    let labels = ["first import", "nothing changed", "one texture changed"];
    let mut rows = Vec::new();
    let peers: [Contender; 2] = [(bevy::NAME, bevy::import), (godot::NAME, godot::import)];
    let is_alone = std::env::var_os("PEERS_IMPORT_ALONE").is_some();
    for (name, import) in peers.into_iter().filter(|_| !is_alone) {
        let timed = |what: &str| {
            let start = Instant::now();
            import(&project).map(|()| start.elapsed()).inspect_err(|why| eprintln!("skipped: {name}, {what}: {why}"))
        };
        for (label, ours) in labels.iter().zip(&ours) {
            if *label == "one texture changed" {
                project.change_texture();
            }
            let Ok(peer) = timed(label) else { continue };
            eprintln!("{name}: {label}: {:.2} s; ours {:.2} s", peer.as_secs_f64(), ours.as_secs_f64());
            let what = format!("{label}, {files} files");
            rows.push(Row { what, ours: *ours, peer, name: name.to_string() });
        }
    }
    for (label, ours) in labels.iter().zip(&ours) {
        eprintln!("ours: {label}: {:.3} s", ours.as_secs_f64());
    }
    drop(project);
    let _ = std::fs::remove_dir_all(&folder);
    rows
}

/// The kinds in the order of the table.
pub const KINDS: [Kind; 4] = [Kind::Sound, Kind::Texture, Kind::Model, Kind::Text];
