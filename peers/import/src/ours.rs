//! Ours: the import pipeline as the command `astrarium import` runs it, with a worker process for each core, which are this program.

use std::path::Path;
use std::time::{Duration, Instant};

use forge::classes::Classes;
use forge::pipeline::intake::TakeImported;
use forge::pipeline::plan::Request;
use forge::pipeline::run::{Event, Pipeline};
use forge::pipeline::worker::{Isolation, serve as serve_imports};
use media::importers::IMPORTERS;

use crate::KINDS;
use crate::project::Project;

/// The first argument of a worker.
pub const WORKER: &str = "import-worker";

/// Serves imports to the pipeline.
pub fn serve(data: &Path, parts: &Path) {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve_imports((data, parts), IMPORTERS, &mut input, &mut output).expect("the pipeline reads");
}

/// Imports what must be imported. Panics if a source fails: then the comparison would not be one.
pub fn import(project: &Project) -> Duration {
    run(project, &Request::default())
}

/// The same after a texture was changed.
pub fn import_changed(project: &Project) -> Duration {
    project.change_texture();
    import(project)
}

/// Says how fast each kind is imported, one after the other. Every file is imported again; parts of models are found in the cache, so
/// it is removed first.
pub fn throughput(project: &Project) {
    let _ = std::fs::remove_dir_all(project.folder.join(".astrarium/import-parts"));
    let shape = project.shape();
    for kind in KINDS {
        let folder = if kind.extension() == "ftl" { "texts" } else { kind.extension() };
        let time = run(project, &Request { only: vec![folder.to_string()], is_forced: true, ..Request::default() });
        let (_, count, bytes) = shape.iter().find(|(other, ..)| *other == kind).expect("all kinds are listed");
        let seconds = time.as_secs_f64();
        eprintln!(
            "ours: {count} {} files in {seconds:.2} s: {:.0} files/s, {:.1} MB/s",
            kind.extension(),
            *count as f64 / seconds,
            *bytes as f64 / 1e6 / seconds
        );
    }
}

fn run(project: &Project, request: &Request) -> Duration {
    let start = Instant::now();
    let program = std::env::current_exe().expect("this program has a path");
    let pipeline = Pipeline {
        data: project.data(),
        tree: project.folder.join("tags"),
        classes: Classes::new(world::classes()),
        importers: IMPORTERS,
        isolation: Isolation::Processes(program, vec![WORKER.to_string()]),
        workers: std::thread::available_parallelism().map_or(2, usize::from),
        patience: Pipeline::PATIENCE,
        take: TakeImported::None,
        is_dry: false,
    };
    let mut report = |event: Event| {
        if let Event::Failed { source, error } = event {
            panic!("{source}: {error}");
        }
    };
    let summary = pipeline.run(request, &mut report).expect("the folder is writable");
    assert_eq!(summary.failed, 0, "every source is sound");
    if request.only.is_empty() {
        assert_eq!(summary.imported + summary.unchanged, project.files());
    }
    start.elapsed()
}
