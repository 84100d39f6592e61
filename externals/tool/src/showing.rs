//! The options of commands that show a world: in a window, as a picture, a video or a sound file, in a browser.

use std::path::PathBuf;

use base::Vec3;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::arguments::{flag, path, word};
use crate::error::CommandError;
use crate::place::read_place;

/// The size of pictures and windows, if none is given.
pub const SIZE: [u32; 2] = [1280, 720];

/// The largest side of a picture.
const SIDE_MAX: u32 = 8192;

/// Who draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererChoice {
    /// A graphics processor if there is one, the processor otherwise.
    #[default]
    Auto,
    /// The processor: the same picture on every machine.
    Software,
    /// A graphics processor, or an error.
    Gpu,
}

/// How a world is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Showing {
    /// A picture to write.
    pub screenshot: Option<PathBuf>,
    /// The cycle of the picture.
    pub at: Option<u64>,
    /// A video to write.
    pub video: Option<PathBuf>,
    /// The first cycle of the video and of the sound.
    pub first: Option<u64>,
    /// The last cycle of the video and of the sound.
    pub last: Option<u64>,
    /// The pictures per second of world time in the video.
    pub fps: u32,
    /// A sound file to write.
    pub sound_out: Option<PathBuf>,
    /// The size of pictures, or of the window.
    pub size: [u32; 2],
    /// The position of the eye; none: the camera of the player.
    pub eye: Option<Vec3>,
    /// The point the eye looks at.
    pub look_at: Option<Vec3>,
    /// Who draws.
    pub renderer: RendererChoice,
    /// The folder with shaders that replace the built-in ones of a graphics processor.
    pub shaders: Option<PathBuf>,
    /// The address at which a browser can see the world.
    pub web: Option<String>,
    /// Whether every line that the world says is printed.
    pub is_log_whole: bool,
    /// The world begins paused.
    pub is_paused: bool,
    /// There is no window, only a browser.
    pub is_windowless: bool,
    /// The window covers the screen.
    pub is_fullscreen: bool,
    /// The players of this machine.
    pub locals: u16,
}

impl Default for Showing {
    fn default() -> Showing {
        Showing {
            screenshot: None,
            at: None,
            video: None,
            first: None,
            last: None,
            fps: 30,
            sound_out: None,
            size: SIZE,
            eye: None,
            look_at: None,
            renderer: RendererChoice::Auto,
            shaders: None,
            web: None,
            is_log_whole: false,
            is_paused: false,
            is_windowless: false,
            is_fullscreen: false,
            locals: 1,
        }
    }
}

/// Adds the options for pictures.
pub fn picture_arguments(command: Command) -> Command {
    view_arguments(command.arg(path("screenshot", "Write a picture to this file (PNG), without a window")))
}

/// Adds the options for what is seen.
pub fn view_arguments(command: Command) -> Command {
    let place = |name: &'static str, help: &'static str| {
        word(name, "X,Y,Z", help).value_parser(read_place).allow_hyphen_values(true)
    };
    command
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("WxH")
                .value_parser(read_size)
                .help("The size of pictures and of the window, as in 1920x1080"),
        )
        .arg(place("eye", "The position of the camera; the default is the camera of the first player"))
        .arg(place("look-at", "The point that the camera looks at"))
        .arg(
            word(
                "renderer",
                "WHICH",
                "Who draws: the processor, with the same picture everywhere, or a graphics processor",
            )
            .value_parser(["auto", "software", "gpu"])
            .default_value("auto"),
        )
        .arg(
            path("shaders", "Shaders (.wgsl) that replace those of a graphics processor, read again when they change")
                .value_name("FOLDER"),
        )
}

/// Adds the options for videos and sounds.
pub fn video_arguments(command: Command) -> Command {
    let cycle = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("CYCLE").value_parser(value_parser!(u64)).help(help)
    };
    command
        .arg(
            cycle("at", "With --screenshot: the cycle of the picture; the default is the last one")
                .requires("screenshot"),
        )
        .arg(path("video", "Write a video to this file (an animated .png, or .y4m), without a window"))
        .arg(path("sound-out", "Write what would be heard to this file (WAV), without a window"))
        .arg(cycle("first", "With --video or --sound-out: its first cycle; the default is the first one"))
        .arg(cycle("last", "With --video or --sound-out: its last cycle; the default is the last one"))
        .arg(
            Arg::new("fps")
                .long("fps")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..=240))
                .default_value("30")
                .help("With --video: the pictures per second of world time"),
        )
}

/// Adds the options for windows and browsers.
pub fn window_arguments(command: Command) -> Command {
    shared_window_arguments(command.arg(flag("paused", "Begin paused"))).arg(
        Arg::new("local")
            .long("local")
            .value_name("N")
            .value_parser(value_parser!(u16).range(0..=4))
            .default_value("1")
            .help("The players of this machine, side by side in one window; robots play the others"),
    )
}

/// Adds the options for windows and browsers that also fit a world which several machines play.
pub fn shared_window_arguments(command: Command) -> Command {
    command
        .arg(
            Arg::new("log")
                .long("log")
                .value_name("WHICH")
                .value_parser(["some", "all"])
                .default_value("some")
                .help("Print each line that differs only in cycle and object once a second, or every line"),
        )
        .arg(flag("fullscreen", "Cover the screen"))
        .arg(
            Arg::new("web")
                .long("web")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .help("Show the world in a browser at this port; 0 chooses a free one"),
        )
        .arg(
            word("web-address", "ADDRESS", "With --web: the address to listen at")
                .default_value("127.0.0.1")
                .requires("web"),
        )
}

impl Showing {
    /// The options of a command that has some of these arguments.
    pub fn of(matches: &ArgMatches) -> Result<Showing, CommandError> {
        let usual = Showing::default();
        let showing = Showing {
            screenshot: given(matches, "screenshot"),
            at: given(matches, "at"),
            video: given(matches, "video"),
            first: given(matches, "first"),
            last: given(matches, "last"),
            fps: given(matches, "fps").unwrap_or(usual.fps),
            sound_out: given(matches, "sound-out"),
            size: given(matches, "size").unwrap_or(usual.size),
            eye: given(matches, "eye"),
            look_at: given(matches, "look-at"),
            renderer: match given::<String>(matches, "renderer").as_deref() {
                Some("software") => RendererChoice::Software,
                Some("gpu") => RendererChoice::Gpu,
                _ => RendererChoice::Auto,
            },
            shaders: given(matches, "shaders"),
            web: given::<u16>(matches, "web").map(|port| {
                let address = given::<String>(matches, "web-address").unwrap_or_default();
                if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
            }),
            is_log_whole: given::<String>(matches, "log").as_deref() == Some("all"),
            is_paused: given(matches, "paused").unwrap_or(false),
            is_windowless: false,
            is_fullscreen: given(matches, "fullscreen").unwrap_or(false),
            locals: given(matches, "local").unwrap_or(usual.locals),
        };
        if let (Some(first), Some(last)) = (showing.first, showing.last)
            && last < first
        {
            let message = format!("--last: expected a cycle that is not before {first}, found {last}");
            return Err(CommandError::Usage(message));
        }
        if let Some(folder) = &showing.shaders {
            let is_software = showing.renderer == RendererChoice::Software
                || showing.renderer == RendererChoice::Auto && showing.is_recording();
            if is_software {
                let message = "--shaders: the processor draws without shaders, `--renderer gpu` draws with them";
                return Err(CommandError::Usage(String::from(message)));
            }
            if !folder.is_dir() {
                let message = format!("--shaders: expected a folder, found \"{}\"", folder.display());
                return Err(CommandError::Usage(message));
            }
        }
        Ok(showing)
    }

    /// Whether files are written instead of opening a window.
    pub fn is_recording(&self) -> bool {
        self.screenshot.is_some() || self.video.is_some() || self.sound_out.is_some()
    }
}

/// The value of an argument that the command may not have.
fn given<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

/// Parses a size: `1920x1080`. The error is text because clap prints it behind the name of the argument.
fn read_size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("expected width and height from 1 to {SIDE_MAX} as in 1920x1080, found \"{text}\"");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=SIDE_MAX).contains(side));
    Ok([side(width).ok_or_else(wrong)?, side(height).ok_or_else(wrong)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!(read_size("640x480"), Ok([640, 480]));
        assert_eq!(read_size("1 × 8192"), Ok([1, 8192]));
        for wrong in ["", "640", "0x1", "640x", "9000x1", "-1x5", "1x2x3"] {
            assert!(read_size(wrong).is_err_and(|message| message.contains("1920x1080")), "{wrong}");
        }
    }
}
