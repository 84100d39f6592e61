//! `look`: a picture of a world, or its lines for machines.

use std::path::{Path, PathBuf};

use base::Vec3;
use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use host::files;
use view::limits::{LINES_MAX, LINES_USUAL};
use view::{Drawing, Line, Topic, Topics};

use crate::arguments::{flag, number, path, word};
use crate::camera::{self, Camera, Wish};
use crate::error::CommandError;
use crate::json::Json;
use crate::picture;
use crate::place::read_place;
use crate::recording;
use crate::showing::{RendererChoice, Showing};
use astrarium::presenter::Viewpoint;
use astrarium::screenshot;
use astrarium::session::Session;

/// The width and height of a picture.
const SIZE: [f32; 2] = [960.0, 600.0];

/// A view of a world.
pub struct Look {
    drawing: Drawing,
    camera: Camera,
    /// The topics drawn over a picture in colour: those that were asked for, and none by default.
    topics: Topics,
    /// Whether it is one of several, so that its file has the cycle in its name.
    is_of_series: bool,
}

/// The command and its arguments, except the one that names the world.
pub fn command() -> Command {
    let place = |name: &'static str, help: &'static str| {
        word(name, "X,Y,Z", help).value_parser(read_place).allow_hyphen_values(true)
    };
    let show = Arg::new("show")
        .long("show")
        .value_name("TOPICS")
        .value_delimiter(',')
        .default_value("shapes,joints")
        .value_parser(Topic::ALL.map(|topic| PossibleValue::new(topic.name()).aliases(topic.former_name())))
        .help("The topics to draw, separated by commas");
    Command::new("look")
        .about("Draws a world: its physics as lines in SVG or JSON, or the whole scene in colour as PNG")
        .arg(place("eye", "The position of the camera; the default is far enough to see all moving bodies"))
        .arg(place("at", "The point to look at; the default is the middle of all moving bodies"))
        .arg(show)
        .arg(
            path("out", "The picture to write: lines in SVG, or the whole scene in colour as PNG")
                .required_unless_present("json"),
        )
        .arg(
            Arg::new("last")
                .long("last")
                .value_name("CYCLE")
                .value_parser(clap::value_parser!(u64))
                .help("Of a film: a series of pictures up to this cycle, each with its cycle in the name of its file"),
        )
        .arg(number("every", "With --last: the cycles from one picture to the next", "10").requires("last"))
        .arg(number("most", "The maximum number of lines, at least 1", USUAL))
        .arg(flag("json", "End with one JSON object that contains the lines"))
}

/// The default number of cycles between two pictures.
const EVERY: u64 = 10;

/// The default number of lines, as text for the command line.
const USUAL: &str = "262144";
const _: () = assert!(LINES_USUAL == 262_144, "the default of the command line is the same number");

impl Look {
    /// The view of a session's world that the arguments request.
    pub fn of(session: &Session, matches: &ArgMatches) -> Result<Look, CommandError> {
        let most = matches.get_one::<u64>("most").copied().unwrap_or(LINES_USUAL as u64);
        if !(1..=LINES_MAX as u64).contains(&most) {
            return Err(CommandError::Usage(format!("--most: expected 1 to {LINES_MAX}, found {most}")));
        }
        let named = matches.get_many::<String>("show").unwrap_or_default();
        let topics: Topics = named.filter_map(|name| Topic::named(name)).collect();
        let mut drawing = Drawing::new(most as usize);
        session.game().draw(session.world(), topics, &mut drawing);
        let place = |name: &str| matches.get_one::<Vec3>(name).copied();
        let at = place("at").unwrap_or_else(|| camera::middle(&drawing));
        drawing.set_up(session.game().up_at(session.world(), at));
        let wish = Wish { eye: place("eye"), at: Some(at) };
        let camera = Camera::of(&drawing, wish, SIZE);
        let camera =
            camera.ok_or_else(|| CommandError::Usage(String::from("--eye: expected a point other than --at")))?;
        let is_asked = matches.value_source("show") == Some(ValueSource::CommandLine);
        Ok(Look { drawing, camera, topics: if is_asked { topics } else { Topics::NONE }, is_of_series: false })
    }

    /// The view of another cycle from the same place.
    pub fn of_series(&self, session: &Session, matches: &ArgMatches) -> Result<Look, CommandError> {
        let found = Look::of(session, matches)?;
        Ok(Look { camera: self.camera, is_of_series: true, ..found })
    }

    /// Writes the picture, and prints a summary of it.
    pub fn print(&self, session: &mut Session, matches: &ArgMatches) -> Result<(), CommandError> {
        let (name, level) = (session.world().plan().name().to_string(), session.level().to_string());
        let (cycle, hash) = (session.world().cycle(), session.hash());
        let (drawing, camera) = (&self.drawing, &self.camera);
        let out = matches.get_one::<PathBuf>("out");
        let out = out.map(|out| if self.is_of_series { with_cycle(out, cycle) } else { out.clone() });
        let out = out.as_deref();
        match out {
            Some(out) if is_png(out) => self.write_png(session, out)?,
            Some(out) => write(out, &picture::draw(drawing, camera, &format!("{name} {level}, cycle {cycle}")))?,
            None => {}
        }
        if matches.get_flag("json") {
            let json = Json::new().text("game", &name).text("level", &level).value("cycle", cycle).hex("hash", hash);
            let json = out.map_or(json.clone(), |out| json.text("file", &out.to_string_lossy()));
            let json = json
                .value("eye", list(camera.eye))
                .value("at", list(camera.at))
                .value("left_out", drawing.refused())
                .list("lines", drawing.lines().iter().map(json_of));
            println!("{}", json.finish());
            return Ok(());
        }
        if let Some(out) = out {
            let [eye, at] =
                [camera.eye, camera.at].map(|place| format!("{:.1},{:.1},{:.1}", place.x, place.y, place.z));
            println!("{}: {} lines; --eye {eye} --at {at}", out.display(), drawing.lines().len());
        }
        match (drawing.lines().is_empty(), drawing.refused()) {
            (true, _) => eprintln!("{name} {level} has nothing to draw for these topics"),
            (false, 0) => {}
            (false, _) => eprintln!("some lines were left out: --most N draws up to N lines"),
        }
        Ok(())
    }
}

impl Look {
    /// Writes the whole scene in colour, drawn by the software renderer, with the lines of the requested topics over it.
    fn write_png(&self, session: &mut Session, out: &Path) -> Result<(), CommandError> {
        let viewpoint = Viewpoint::Fixed { eye: self.camera.eye, at: self.camera.at };
        let size = [SIZE[0] as u32, SIZE[1] as u32];
        let showing = Showing { renderer: RendererChoice::Software, size, ..Showing::default() };
        let mut camera = recording::PictureTaker::new(&showing, viewpoint)?;
        camera.topics = self.topics;
        let pixels = camera.take(session, 0.0, 0.0)?;
        screenshot::write(out, &pixels).map_err(|error| CommandError::Failed(error.to_string()))
    }
}

/// The last cycle of a series of pictures, and the cycles between two; none if there is one picture.
pub fn series_of(matches: &ArgMatches) -> Result<Option<(u64, u64)>, CommandError> {
    let Some(last) = matches.get_one::<u64>("last").copied() else { return Ok(None) };
    match matches.get_one::<u64>("every").copied().unwrap_or(EVERY) {
        0 => Err(CommandError::Usage(String::from("--every: expected at least 1 cycle, found 0"))),
        every => Ok(Some((last, every))),
    }
}

/// The file of one picture of a series: `a.png` of cycle 1200 is `a-001200.png`.
fn with_cycle(out: &Path, cycle: u64) -> PathBuf {
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = out.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    out.with_file_name(format!("{stem}-{cycle:06}{ending}"))
}

fn is_png(out: &Path) -> bool {
    out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Whether a text names a save or a moment of a film, and not a game.
pub fn is_file(what: &str) -> bool {
    let is_there = |file: &str| Path::new(file).is_file();
    is_there(what) || what.rsplit_once('@').is_some_and(|(file, _)| is_there(file))
}

fn write(out: &Path, text: &str) -> Result<(), CommandError> {
    Ok(files::write_atomically(out, &[text.as_bytes()])?)
}

fn json_of(line: &Line) -> Json {
    Json::new()
        .text("kind", line.kind.name())
        .text("object", &format!("#{:08x}", line.owner))
        .text("colour", &format!("#{:06x}", line.colour.digits()))
        .value("from", list(line.from))
        .value("to", list(line.to))
}

fn list(place: Vec3) -> String {
    format!("[{}, {}, {}]", place.x, place.y, place.z)
}
