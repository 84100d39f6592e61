//! The window: devices become events for the world, and frames of the world become pictures and sound.
//!
//! | for each frame | |
//! |---|---|
//! | devices | keyboard, pointer and gamepads; developer panels see them first, then the engine's keys, then interface and game |
//! | events | what the player's controls and interface make of them goes to the world, and is sealed at the next safe cycle |
//! | the newest publication | its frame is moved on to this moment; cameras and effects follow |
//! | picture | the world, the interface over it, the overlay over everything |
//! | sound | what the cameras hear |
//!
//! From a key to a picture: a device reports within a frame; the event is sealed with the next safe cycle (at most 50 ms, 25 on
//! average) and acts in its first brush cycle (10 ms); the swap chain shows the picture one or two frames later. Interface, pointer
//! and cameras do not wait for the world: one or two frames.
//!
//! Laws
//! 1. The window never waits for the world, nor the world for the window.
//! 2. A device or a surface that is lost is opened again; without a graphics processor the processor draws.
//! 3. A minimised window draws nothing, and the world goes on.

mod client;
mod flying;
mod help;
mod keys;
mod overlay_source;
mod screen;
mod words;

use std::error;
use std::fmt;
use std::path::PathBuf;

use host::window::{self, MonitorChoice, WindowError, WindowSettings};
use render::RenderError;
use render::gpu::GpuOptions;

use crate::presenter::Viewpoint;
use crate::runner::{Ended, NotAccepted, Runner};

use client::Client;

pub use host::window::has_display;
pub use keys::{EngineKey, KEYS, KeyAction, action_of};
pub use overlay_source::{OverlayInput, OverlaySource};
pub use words::{PROGRAM_WORDS, ProgramWord};

/// Who draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererWish {
    /// A graphics processor, or else the processor.
    #[default]
    Auto,
    /// The processor.
    Software,
    /// A graphics processor, or an error.
    Gpu,
}

/// How a world is shown in a window.
pub struct WindowOptions {
    /// The title.
    pub title: String,
    /// The size in logical pixels.
    pub size: [u32; 2],
    /// Whether it covers the screen.
    pub is_fullscreen: bool,
    /// Who draws.
    pub renderer: RendererWish,
    /// How a graphics processor draws: with which shaders, for example.
    pub gpu: GpuOptions,
    /// Where pictures are taken from.
    pub viewpoint: Viewpoint,
    /// The folder of screenshots.
    pub screenshots: PathBuf,
    /// The folder of saves.
    pub saves: PathBuf,
    /// Reads the text of the player's settings; empty for the usual ones. Called now and then: a changed text is followed at once.
    pub read_settings: Box<dyn Fn() -> String>,
    /// Reads the text of the player's mappings of odd gamepads, in the format of SDL; empty for none.
    pub read_gamepads: Box<dyn Fn() -> String>,
    /// Called with the text of the settings when a player has changed one.
    pub keep_settings: Box<dyn Fn(&str)>,
    /// Whether it is silent.
    pub is_silent: bool,
}

/// Why there is no window, or no picture in it.
#[derive(Debug)]
pub enum PresentationError {
    /// The window.
    Window(WindowError),
    /// The renderer.
    Render(RenderError),
    /// The world has ended before.
    World(NotAccepted),
}

impl fmt::Display for PresentationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PresentationError::Window(error) => error.fmt(out),
            PresentationError::Render(error) => error.fmt(out),
            PresentationError::World(error) => error.fmt(out),
        }
    }
}

impl error::Error for PresentationError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            PresentationError::Window(error) => Some(error),
            PresentationError::Render(error) => Some(error),
            PresentationError::World(error) => Some(error),
        }
    }
}

/// What the window said, for people: reports of content, of devices, and where pictures were written.
pub type Tell<'a> = &'a mut dyn FnMut(&str);

/// Shows a running world in a window until it is closed, then ends the world. If there is no window, the runner comes back with the
/// error, so that the world can go on without.
pub fn show(
    runner: Runner,
    options: &WindowOptions,
    overlay: Option<Box<dyn OverlaySource>>,
    tell: Tell<'_>,
) -> Result<Ended, (PresentationError, Box<Runner>)> {
    let mut client = match Client::new(&runner, options, overlay, tell) {
        Ok(client) => client,
        Err(error) => return Err((PresentationError::World(error), Box::new(runner))),
    };
    let settings = WindowSettings {
        title: options.title.clone(),
        size: options.size,
        fullscreen: options.is_fullscreen.then_some(MonitorChoice::Current),
        frames_per_second_max: None,
    };
    let ran = window::run(&settings, &mut client);
    let failed = client.take_failure();
    drop(client);
    match (ran, failed) {
        (Err(error), _) => Err((PresentationError::Window(error), Box::new(runner))),
        (Ok(()), Some(error)) => Err((PresentationError::Render(error), Box::new(runner))),
        (Ok(()), None) => Ok(runner.finish()),
    }
}
