//! Worker processes: one that crashes or hangs fails one source. This program is its own worker, so it has no test harness.

#[path = "common/note.rs"]
mod note;

use std::path::Path;
use std::time::Duration;

use forge::classes::Classes;
use forge::pipeline::intake::TakeImported;
use forge::pipeline::plan::Request;
use forge::pipeline::run::{Event, Pipeline};
use forge::pipeline::worker::{Isolation, serve};
use note::{IMPORTERS, Note};
use tags::Tag;

/// The first argument of a worker.
const SERVE: &str = "serve-imports";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [word, data, parts] if word == SERVE => {
            let folders = (Path::new(data), Path::new(parts));
            serve(folders, IMPORTERS, &mut std::io::stdin(), &mut std::io::stdout()).expect("the pipe is open");
        }
        [word, ..] if word == "--list" => {}
        _ if cfg!(not(unix)) => println!("skipped: worker processes are limited by a shell"),
        _ => {
            a_worker_that_crashes_hangs_or_grows_fails_one_source();
            println!("1 passed, 0 failed");
        }
    }
}

fn a_worker_that_crashes_hangs_or_grows_fails_one_source() {
    let folder = testing::Folder::new();
    for (path, text) in [
        ("a.txt", "one"),
        ("b.txt", "exit"),
        ("c.txt", "hang"),
        ("d.txt", "four"),
        ("e.txt", "grow"),
        ("f.txt", "panic"),
    ] {
        folder.write(&format!("data/{path}"), text.as_bytes());
    }
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    let mut classes = Classes::default();
    classes.add(Note::class()).expect("the only class");
    let program = std::env::current_exe().expect("this program has a path");
    let pipeline = Pipeline {
        data: folder.join("data"),
        tree: folder.join("tags"),
        classes,
        importers: IMPORTERS,
        isolation: Isolation::Processes(program, vec![SERVE.to_string()]),
        workers: 2,
        patience: Duration::from_secs(20),
        take: TakeImported::None,
        is_dry: false,
    };
    let mut errors = std::collections::BTreeMap::new();
    let summary = pipeline
        .run(&Request::default(), &mut |event| {
            if let Event::Failed { source, error } = event {
                errors.insert(source, error);
            }
        })
        .expect("the folders are there");
    assert_eq!((summary.imported, summary.failed), (2, 4), "{errors:?}");
    assert!(errors["b.txt"].contains("crashed"), "{errors:?}");
    assert!(errors["c.txt"].contains("in time"), "{errors:?}");
    assert!(errors["e.txt"].contains("memory"), "{errors:?}");
    assert!(errors["f.txt"].contains("crashed"), "{errors:?}");
    assert!(folder.read("tags/a.note").contains("one") && folder.read("tags/d.note").contains("four"));
}
