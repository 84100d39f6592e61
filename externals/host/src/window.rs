//! A window of the desktop, and what its keyboard, pointer and touch screen report.
//!
//! [`run`] opens the window and calls its [`WindowClient`] back: with every event as a plain value, and for every frame.
//! [winit](https://docs.rs/winit) does the work and stays inside this module.
//!
//! Laws
//! 1. Events come in the order of the system, and all before the frame that follows them.
//! 2. A new size is told at most once per frame, just before the frame; both of its sides are at least 1.
//! 3. While the window cannot be seen there are no frames: [`WindowClient::hidden`] is called about ten times a second.
//! 4. The window is shown after its first frame, so that it never flashes empty.
//! 5. Screen readers and other assistive technology are told what the client says the window shows; what they ask for is an event.
//! 6. Without a display, [`run`] is an error that says so; it never panics on Linux, on any thread.
//!
//! Never: interprets a key; reads a gamepad (see [`gamepad`](crate::gamepad)); draws.

mod keys;
mod pace;
mod translation;

mod handle;

mod assistance;

mod desktop;
mod painter;

use std::error::Error;
use std::fmt;

use relay::access::AccessTree;
use relay::device::DeviceEvent;

pub use handle::{Monitor, MonitorChoice, PointerKind, PointerMode, TextArea, Window};
pub use painter::Painter;
pub use winit::raw_window_handle;

/// What a window is opened with.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSettings {
    /// Its title.
    pub title: String,
    /// The size of its contents in logical pixels.
    pub size: [u32; 2],
    /// The monitor it covers; none: an ordinary window.
    pub fullscreen: Option<MonitorChoice>,
    /// The most frames per second; none: as many as presenting them lets through.
    pub frames_per_second_max: Option<u32>,
}

impl Default for WindowSettings {
    fn default() -> WindowSettings {
        WindowSettings {
            title: "Astrarium".to_owned(),
            size: [1280, 720],
            fullscreen: None,
            frames_per_second_max: None,
        }
    }
}

/// Whether a window goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// It is closed, and [`run`] returns.
    Exit,
}

/// What a window calls back, always on the thread of [`run`].
pub trait WindowClient {
    /// The window is open, and not yet visible: the place to make a surface for it.
    fn opened(&mut self, window: &Window) -> Flow;

    /// A device or the window reports something.
    fn event(&mut self, event: DeviceEvent);

    /// A frame is due: it is to be drawn and presented before returning.
    fn frame(&mut self, window: &Window) -> Flow;

    /// The window cannot be seen, and presenting could wait for it: nothing is to be drawn.
    fn hidden(&mut self, window: &Window) -> Flow;

    /// What assistive technology is told about the window. Asked after a frame, and only while something wants to know.
    fn access_tree(&mut self) -> AccessTree {
        AccessTree::empty()
    }

    /// The window is about to go: surfaces made for it must be dropped now.
    fn closed(&mut self);
}

/// Why there is no window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// Neither `WAYLAND_DISPLAY` nor `DISPLAY` is set: there is no desktop.
    NoDisplay,
    /// A desktop was named but cannot be used.
    Desktop {
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        cause: String,
    },
    /// A process can run one window, and it did.
    SecondWindow,
    /// A picture cannot be shown without a graphics processor.
    Picture {
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        cause: String,
    },
    /// The bytes of a picture do not fit its size.
    PictureSize {
        /// The bytes that the size asks for.
        expected: usize,
        /// The bytes that were given.
        found: usize,
    },
}

impl fmt::Display for WindowError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WindowError::NoDisplay => formatter.write_str(
                "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set (start it in a desktop session, or without \
                 a window)",
            ),
            WindowError::Desktop { doing, cause } => write!(formatter, "{doing} failed: {cause}"),
            WindowError::SecondWindow => formatter.write_str("this process has already run a window"),
            WindowError::Picture { doing, cause } => write!(formatter, "{doing} failed: {cause}"),
            WindowError::PictureSize { expected, found } => {
                write!(formatter, "a picture of {expected} bytes was to be shown, and {found} bytes were given")
            }
        }
    }
}

impl Error for WindowError {}

/// Opens a window and runs it until its client ends it. Only once per process, and outside of Linux only on the main thread.
pub fn run(settings: &WindowSettings, client: &mut dyn WindowClient) -> Result<(), WindowError> {
    if !has_display() {
        return Err(WindowError::NoDisplay);
    }
    desktop::run(settings, client)
}

/// Whether a desktop is named by the environment. It may still be unreachable.
#[must_use]
pub fn has_display() -> bool {
    if !cfg!(all(unix, not(target_vendor = "apple"))) {
        return true;
    }
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()))
}
