//! From an artist's file to a running world: the file changes, the import runs, and the game has the new data.

use crate::common;

use std::thread::sleep;
use std::time::{Duration, Instant};

use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::{project, tag_tree};
use common::Folder;
use shelf::blocks::{BlockHandle, BlockKind};
use view::classes::Strings;

const PATIENCE: Duration = Duration::from_secs(60);

/// The Fluent text that the running game has, through its block cache.
fn shown(session: &Session) -> Option<String> {
    let library = session.content().library();
    let bulk = library.find::<Strings>("texts/de/ship.strings")?.data;
    let blocks = session.content().blocks();
    let handle = blocks.open(&bulk, BlockKind::Other)?;
    let first = blocks.directory(handle)?.parts().first()?.blocks.start;
    let bytes = blocks.request(BlockHandle { bulk: handle, block: first }, 1)?;
    String::from_utf8(bytes.to_vec()).ok()
}

#[test]
fn an_import_reaches_a_running_world() {
    let folder = Folder::new();
    folder.write("demo/tags/globals.globals", "@globals\n");
    folder.write("demo/tags/levels/one.scenario", "@scenario\n!set objects_max 16\n");
    folder.write("demo/data/texts/de/ship.ftl", "line = Erste Fassung\n");
    folder.run("import --tags demo/tags").stdout();
    let (entry, printed) = project::open(&folder.join("demo")).expect("it is a game");
    assert!(printed.is_empty(), "{printed:?}");
    let (content, printed) = tag_tree::open(&entry, "one", &folder.join("demo/tags")).expect("it can be loaded");
    assert!(printed.is_empty(), "{printed:?}");
    let start = Start { level: "one".into(), seed: 1, players: 0, settings: Settings::default() };
    let mut session = Session::begin(&entry, content, &start, &Heap).expect("the level is there");
    let mut wait_for = |text: &str| {
        let end = Instant::now() + PATIENCE;
        while shown(&session).is_none_or(|shown| !shown.contains(text)) {
            assert!(Instant::now() < end, "{text} did not arrive: {:?}", session.content_mut().take_lines());
            sleep(Duration::from_millis(5));
            session.step(&Alone);
        }
    };
    wait_for("Erste Fassung");
    for round in 0..3 {
        folder.write("demo/data/texts/de/ship.ftl", format!("line = Fassung {round}\n"));
        folder.run("import --tags demo/tags").stdout();
        wait_for(&format!("Fassung {round}"));
    }
}
