//! A virtual display (Xvfb), and what a person does at it: keys, buttons and the pointer by XTEST.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{self, ConnectionExt as _};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A virtual display. It ends with this value.
pub struct Server {
    process: Child,
    /// Its name, for `DISPLAY`.
    pub display: String,
}

impl Server {
    /// Starts a display of this size. None, with a line that says so, if Xvfb is not installed.
    ///
    /// # Panics
    /// If it is not installed where CI is set.
    pub fn start(size: [u32; 2]) -> Option<Server> {
        let screen = format!("{}x{}x24", size[0], size[1]);
        let started = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut process) = started else {
            assert!(std::env::var_os("CI").is_none(), "Xvfb must be installed where CI is set");
            println!("skipped: no Xvfb on the path (apt install xvfb)");
            return None;
        };
        let mut number = String::new();
        let output = process.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut number).expect("Xvfb says its number");
        Some(Server { process, display: format!(":{}", number.trim()) })
    }

    /// A command whose windows are shown on this display.
    pub fn show(&self, command: &mut Command) {
        command.env("DISPLAY", &self.display).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a person does at a display. Panics if the display has ended.
pub struct Person {
    x11: RustConnection,
    /// The window behind all others.
    pub root: u32,
}

/// Keys of a standard keyboard, as X11 counts them.
#[expect(missing_docs, reason = "they are the keys of these names")]
pub mod keys {
    pub const ESCAPE: u8 = 9;
    pub const TAB: u8 = 23;
    pub const W: u8 = 25;
    pub const ENTER: u8 = 36;
    pub const A: u8 = 38;
    pub const F2: u8 = 68;
    pub const F5: u8 = 71;
    pub const F8: u8 = 74;
    pub const F12: u8 = 96;
    pub const UP: u8 = 111;
    pub const LEFT: u8 = 113;
    pub const DOWN: u8 = 116;
}

impl Person {
    /// A person at a display; none: that of the environment.
    pub fn at(display: Option<&str>) -> Person {
        let (x11, screen) = RustConnection::connect(display).expect("the display runs");
        let root = x11.setup().roots[screen].root;
        Person { x11, root }
    }

    /// The window that covers a part of the display, if there is one that is visible.
    pub fn window(&self) -> Option<u32> {
        let tree = self.x11.query_tree(self.root).ok()?.reply().ok()?;
        tree.children.into_iter().find(|child| {
            let place = self.x11.get_geometry(*child).ok().and_then(|cookie| cookie.reply().ok());
            self.is_visible(*child) && place.is_some_and(|place| place.width > 100)
        })
    }

    /// Whether a window is visible.
    pub fn is_visible(&self, window: u32) -> bool {
        let shown = self.x11.get_window_attributes(window).ok().and_then(|cookie| cookie.reply().ok());
        shown.is_some_and(|shown| shown.map_state == xproto::MapState::VIEWABLE)
    }

    /// Gives a window the keyboard: without a window manager, nothing else does.
    pub fn focus(&self, window: u32) {
        let focus = xproto::InputFocus::POINTER_ROOT;
        self.x11.set_input_focus(focus, window, x11rb::CURRENT_TIME).expect("it is open");
        self.sync();
    }

    /// Presses and releases a key in a window.
    pub fn press(&self, window: u32, key: u8) {
        self.focus(window);
        self.key(key, true);
        self.key(key, false);
    }

    /// A key goes down or up.
    pub fn key(&self, code: u8, is_down: bool) {
        self.fake(if is_down { xproto::KEY_PRESS_EVENT } else { xproto::KEY_RELEASE_EVENT }, code, 0, 0);
    }

    /// A button of the mouse goes down or up.
    pub fn button(&self, number: u8, is_down: bool) {
        self.fake(if is_down { xproto::BUTTON_PRESS_EVENT } else { xproto::BUTTON_RELEASE_EVENT }, number, 0, 0);
    }

    /// Moves the pointer to a place of the display.
    pub fn move_to(&self, x: i16, y: i16) {
        self.fake(xproto::MOTION_NOTIFY_EVENT, 0, x, y);
    }

    /// Moves the pointer on.
    pub fn move_by(&self, x: i16, y: i16) {
        self.fake(xproto::MOTION_NOTIFY_EVENT, 1, x, y);
    }

    /// The colour of a pixel of a window: red, green and blue, from the highest byte.
    pub fn pixel(&self, window: u32, x: i16, y: i16) -> u32 {
        let image = self.x11.get_image(xproto::ImageFormat::Z_PIXMAP, window, x, y, 1, 1, !0).expect("it is open");
        let data = image.reply().expect("the window is visible").data;
        u32::from_le_bytes([data[0], data[1], data[2], 0])
    }

    /// Opens another window over everything.
    pub fn cover(&self, size: [u16; 2]) -> u32 {
        let cover = self.x11.generate_id().expect("there are ids");
        let values = xproto::CreateWindowAux::new().override_redirect(1).background_pixel(0x12_34_56);
        let class = xproto::WindowClass::INPUT_OUTPUT;
        self.x11.create_window(0, cover, self.root, 0, 0, size[0], size[1], 0, class, 0, &values).expect("it is open");
        self.x11.map_window(cover).expect("it is open");
        self.sync();
        cover
    }

    /// Closes a window of this person's own.
    pub fn uncover(&self, cover: u32) {
        self.x11.destroy_window(cover).expect("it is open");
        self.sync();
    }

    /// Asks a window to close, as the button of a title bar does.
    pub fn close(&self, window: u32) {
        let atom = |name: &[u8]| {
            self.x11.intern_atom(false, name).expect("it is open").reply().expect("there is room for names").atom
        };
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = xproto::ClientMessageEvent::new(32, window, protocols, [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.x11.send_event(false, window, xproto::EventMask::NO_EVENT, message).expect("it is open");
        self.sync();
    }

    fn fake(&self, kind: u8, detail: u8, x: i16, y: i16) {
        self.x11.xtest_fake_input(kind, detail, 0, self.root, x, y, 0).expect("the display has XTEST");
        self.sync();
    }

    fn sync(&self) {
        self.x11.sync().expect("the display runs");
    }
}
