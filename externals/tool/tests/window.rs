//! `play` in a real window on a virtual display (Xvfb), driven by synthetic input (XTEST).
#![cfg(all(target_os = "linux", feature = "window"))]

use crate::common;

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use common::{Folder, Json};
use testing::display::{Person, Server, keys};

use crate::media::read_png;

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
    // A picture has another name until it is whole.
    let whole = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "png");
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).filter(whole).collect();
    paths.sort();
    paths
}

/// A game in a window, and the person before it.
struct Played {
    folder: Folder,
    process: Child,
    person: Person,
    window: u32,
}

impl Played {
    fn begin(server: &Server, folder: Folder, words: &str) -> Played {
        let mut command = folder.command(words);
        server.show(&mut command);
        let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
        let person = Person::at(Some(&server.display));
        let window = wait_for("a window", || person.window());
        Played { folder, process, person, window }
    }

    fn press(&self, key: u8) {
        self.person.press(self.window, key);
    }

    /// Takes a picture with F2, and returns its file.
    fn picture(&self, name: &str) -> Vec<u8> {
        let before = pictures(&self.folder);
        let mut next_press = Instant::now();
        let new = wait_for(name, || {
            if Instant::now() >= next_press {
                self.press(keys::F2);
                next_press = Instant::now() + Duration::from_secs(2);
            }
            pictures(&self.folder).into_iter().find(|path| !before.contains(path))
        });
        let bytes = fs::read(&new).expect("it was written");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1500, "{name}: {} bytes", bytes.len());
        bytes
    }

    /// Takes pictures until two in a row are the same.
    fn still_picture(&self, name: &str) -> Vec<u8> {
        let mut last = self.picture(name);
        wait_for(name, || {
            let next = self.picture(name);
            let is_same = last == next;
            last = next;
            is_same.then_some(())
        });
        last
    }

    fn status(&self) -> Json {
        self.folder.run("tell status --json").json()
    }

    /// Waits for its end. Returns the folder and what it said.
    fn end(self) -> (Folder, String) {
        let output = self.process.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("chain"), "{said}");
        (self.folder, said)
    }
}

#[test]
fn a_game_is_played_in_a_window_by_keys_until_it_is_closed() {
    let Some(server) = Server::start([640, 480]) else { return };
    let words = "play skirmish --renderer software --size 320x180 --record a.film --speed 500";
    let game = Played::begin(&server, Folder::new(), words);
    game.picture("a picture while it runs");
    game.press(keys::F5);
    wait_for("a pause", || (game.status().get("is_paused") == &Json::Truth(true)).then_some(()));
    let paused = game.status().number("cycle");
    let seen = game.still_picture("the same picture twice while it is paused");
    assert_eq!(game.status().number("cycle"), paused, "world time stands still");
    // A free camera begins where the player's was, and flies on as long as the key is held.
    game.press(keys::F8);
    let begun = game.still_picture("the picture of a free camera");
    game.person.focus(game.window);
    game.person.key(keys::W, true);
    wait_for("a picture from elsewhere", || (game.picture("the picture of a flight") != begun).then_some(()));
    game.person.key(keys::W, false);
    game.press(keys::F8);
    wait_for("the player's view again", || (game.picture("the player's view") == seen).then_some(()));
    game.press(keys::F5);
    wait_for("time that goes on", || (game.status().number("cycle") > paused).then_some(()));
    game.person.close(game.window);
    // The film of what was played is whole, and true.
    game.end().0.run("film verify a.film --quiet").stdout();
}

#[test]
fn escape_opens_a_menu_that_changes_settings_and_ends_the_game() {
    let Some(server) = Server::start([640, 480]) else { return };
    let words = "play quarry --renderer software --size 320x180 --record a.film";
    let game = Played::begin(&server, Folder::new(), words);
    game.picture("the picture of the game");
    game.press(keys::ESCAPE);
    wait_for("a pause", || (game.status().get("is_paused") == &Json::Truth(true)).then_some(()));
    let menu = game.still_picture("the menu");
    // The fifth button is that of the settings; there the first thing is the volume of everything.
    (0..4).for_each(|_| game.press(keys::DOWN));
    game.press(keys::ENTER);
    assert!(game.still_picture("the settings") != menu);
    game.press(keys::LEFT);
    game.press(keys::LEFT);
    let settings = game.folder.join(".astrarium/quarry.settings");
    wait_for("a changed setting", || fs::read_to_string(&settings).ok().filter(|text| text.contains("master 0.9")));
    game.press(keys::ESCAPE);
    game.still_picture("the menu again");
    // Up from the first button is the last: it ends the game.
    game.press(keys::UP);
    game.picture("the chosen button");
    game.press(keys::ENTER);
    game.end().0.run("film verify a.film --quiet").stdout();
}

#[test]
fn a_graphics_device_plays_in_a_window_and_follows_edited_shaders() {
    let Some(server) = Server::start([640, 480]) else { return };
    let folder = Folder::new();
    // Without CI, a machine without a graphics device is enough for all else.
    let tried = folder.run("play skirmish --screenshot a.png --at 1 --size 64x36 --renderer gpu").output();
    if tried.contains("no graphics device") {
        assert!(std::env::var_os("CI").is_none(), "a graphics device is required where CI is set: {tried}");
        println!("skipped: {tried}");
        return;
    }
    assert!(fs::read(folder.join("a.png")).expect("it was written").starts_with(b"\x89PNG"), "{tried}");
    assert!(folder.run("play --renderer gpu --shaders nowhere").complaint().contains("expected a folder"));
    assert!(folder.run("play --renderer software --shaders .").complaint().contains("--renderer gpu"));
    folder.write("shaders/notes.txt", "none yet\n");
    folder.write(".astrarium/player.settings", "@settings\n!set picture { quality \"low\" }\n");
    let words = "play skirmish --renderer gpu --shaders shaders --size 160x90 --record a.film --paused";
    let game = Played::begin(&server, folder, words);
    let brightness = |name: &str| {
        let pixels = read_png(&game.picture(name)).pixels;
        let sum: u64 = pixels.iter().map(|[r, g, b, _]| u64::from(*r) + u64::from(*g) + u64::from(*b)).sum();
        sum / pixels.len() as u64
    };
    let usual = brightness("the picture of a graphics device");
    assert!(usual < 380, "space is dark: {usual}");
    const TONE: &str = include_str!("../../render/src/gpu/shaders/tone.wgsl");
    let inverted = TONE.replace("vec4f(shown_colour, 1.0)", "vec4f(1.0 - shown_colour, 1.0)");
    assert!(inverted != TONE);
    game.folder.write("shaders/tone.wgsl", inverted);
    wait_for("a bright picture", || (brightness("the picture of an edited shader") > 380).then_some(()));
    game.person.close(game.window);
    let (folder, said) = game.end();
    assert!(!said.contains("the processor draws") && !said.contains("graphics device:"), "{said}");
    let compiled = fs::read_dir(folder.join(".astrarium/compiled")).map(Iterator::count).unwrap_or(0);
    assert!(compiled > 0, "what the driver compiled is kept");
    folder.run("film verify a.film --quiet").stdout();
}
