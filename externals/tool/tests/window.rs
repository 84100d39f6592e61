//! `play` in a real window on a virtual display (Xvfb), driven by synthetic input (XTEST).
#![cfg(all(target_os = "linux", feature = "window"))]

use crate::common;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use common::Folder;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{self, ConnectionExt as _};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// How long a test waits for what it expects; only a failing one waits that long.
const PATIENCE: Duration = Duration::from_secs(120);

/// The keys of a standard keyboard, as X11 counts them.
const F2: u8 = 68;
const F5: u8 = 71;
const F8: u8 = 74;
const W: u8 = 25;

/// A virtual display.
struct Server {
    process: Child,
    display: String,
}

impl Server {
    fn start() -> Option<Server> {
        let mut process = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        let output = process.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut number).expect("Xvfb says its number");
        Some(Server { process, display: format!(":{}", number.trim()) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a person does at a display.
struct Person {
    x11: RustConnection,
    root: u32,
}

impl Person {
    fn at(display: &str) -> Person {
        let (x11, screen) = RustConnection::connect(Some(display)).expect("the display runs");
        let root = x11.setup().roots[screen].root;
        Person { x11, root }
    }

    /// The window that covers a part of the display, once it is visible.
    fn window(&self) -> u32 {
        wait_for("a window", || {
            let tree = self.x11.query_tree(self.root).ok()?.reply().ok()?;
            tree.children.into_iter().find(|child| {
                let shown = self.x11.get_window_attributes(*child).ok().and_then(|cookie| cookie.reply().ok());
                let place = self.x11.get_geometry(*child).ok().and_then(|cookie| cookie.reply().ok());
                shown.is_some_and(|shown| shown.map_state == xproto::MapState::VIEWABLE)
                    && place.is_some_and(|place| place.width > 100)
            })
        })
    }

    fn press(&self, window: u32, key: u8) {
        // Without a window manager, nothing else gives it the keyboard.
        let focus = xproto::InputFocus::POINTER_ROOT;
        self.x11.set_input_focus(focus, window, x11rb::CURRENT_TIME).expect("it is open");
        for kind in [xproto::KEY_PRESS_EVENT, xproto::KEY_RELEASE_EVENT] {
            self.x11.xtest_fake_input(kind, key, 0, self.root, 0, 0, 0).expect("the display has XTEST");
            self.x11.sync().expect("the display runs");
        }
    }

    /// Asks the window to close, as the button of a title bar does.
    fn close(&self, window: u32) {
        let atom = |name: &[u8]| {
            self.x11.intern_atom(false, name).expect("it is open").reply().expect("there is room for names").atom
        };
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = xproto::ClientMessageEvent::new(32, window, protocols, [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.x11.send_event(false, window, xproto::EventMask::NO_EVENT, message).expect("it is open");
        self.x11.sync().expect("the display runs");
    }
}

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
    let Some(server) = Server::start() else {
        assert!(env::var_os("CI").is_none(), "Xvfb must be installed where CI is set");
        println!("skipped: no Xvfb on the path (apt install xvfb)");
        return;
    };
    let folder = Folder::new();
    let mut command = folder.command("play skirmish --renderer software --size 320x180 --record a.film --speed 500");
    command.env("DISPLAY", &server.display).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    let person = Person::at(&server.display);
    let window = person.window();
    // A picture while it runs, another one paused from a free camera that has flown on.
    wait_for("first picture", || {
        person.press(window, F2);
        pictures(&folder).first().cloned()
    });
    person.press(window, F5);
    person.press(window, F8);
    person.press(window, W);
    let before = pictures(&folder).len();
    wait_for("second picture", || {
        person.press(window, F2);
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
