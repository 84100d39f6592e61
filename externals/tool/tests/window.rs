//! `play` in a real window on a virtual display (Xvfb), driven by synthetic input (XTEST).
#![cfg(all(target_os = "linux", feature = "window"))]

use crate::common;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{fs, thread};

use common::Folder;
use testing::display::{Person, Server, keys};

/// How long a test waits for what it expects; only a failing one waits that long.
const PATIENCE: Duration = Duration::from_secs(120);

fn wait_for<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "there is no {what}");
        thread::yield_now();
    }
}

fn pictures(folder: &Folder) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder.join(".astrarium/pictures")).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

#[test]
fn a_game_is_played_in_a_window_by_keys_until_it_is_closed() {
    let Some(server) = Server::start([640, 480]) else { return };
    let folder = Folder::new();
    let mut command = folder.command("play skirmish --renderer software --size 320x180 --record a.film --speed 500");
    server.show(&mut command);
    let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    let person = Person::at(Some(&server.display));
    let window = wait_for("a window", || person.window());
    // A picture while it runs, another one paused from a free camera that has flown on.
    wait_for("first picture", || {
        person.press(window, keys::F2);
        pictures(&folder).first().cloned()
    });
    person.press(window, keys::F5);
    person.press(window, keys::F8);
    person.press(window, keys::W);
    let before = pictures(&folder).len();
    wait_for("second picture", || {
        person.press(window, keys::F2);
        (pictures(&folder).len() > before).then_some(())
    });
    person.close(window);
    let output = process.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("chain"), "{said}");
    for path in pictures(&folder) {
        let bytes = fs::read(&path).expect("it was written");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1500, "{}: {} bytes", path.display(), bytes.len());
    }
    // The film of what was played is whole, and true.
    folder.run("film verify a.film --quiet").stdout();
}

#[test]
fn escape_opens_a_menu_that_changes_settings_and_ends_the_game() {
    let Some(server) = Server::start([640, 480]) else { return };
    let folder = Folder::new();
    let mut command = folder.command("play quarry --renderer software --size 320x180 --record a.film");
    server.show(&mut command);
    let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    let person = Person::at(Some(&server.display));
    let window = wait_for("a window", || person.window());
    let take = |name: &str| {
        let before = pictures(&folder).len();
        wait_for(name, || {
            person.press(window, keys::F2);
            (pictures(&folder).len() > before).then_some(())
        });
    };
    take("picture of the game");
    person.press(window, keys::ESCAPE);
    take("picture of the menu");
    // Up from the first button is the last: it ends the game.
    person.press(window, keys::UP);
    take("picture of the chosen button");
    person.press(window, keys::ENTER);
    let output = process.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    folder.run("film verify a.film --quiet").stdout();
}
