//! `show`: one asset alone in a reference environment, on a turntable; it reloads while it is edited.
//!
//! The asset becomes an object of a small world of its own, so it looks, moves and sounds as it does in a game. A material is shown on
//! the first model that uses it, a bitmap flat, an interface as a player sees it, with the values of an empty world.

use std::path::PathBuf;
use std::sync::Arc;

use astrarium::content::Content;
use astrarium::game::GameEntry;
use astrarium::objects::ObjectGame;
use astrarium::presenter::Viewpoint;
use astrarium::runner::{Runner, RunnerOptions, Stage};
use astrarium::session::{Session, Start};
use astrarium::tags::Library;
use base::StringId;
use base::number::{clamp, min};
use clap::{Arg, ArgMatches, Command, value_parser};
use gui::classes::Interface;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use shelf::embedded;
use state::Settings;
use tags::Tag;
use tags::packed::View;
use view::classes::{Bitmap, Effect, Material, Model, Sound};
use world::{ObjectTag, Rules};

use crate::arguments::{flag, path};
use crate::error::CommandError;
use crate::play::Play;
use crate::recording;
use crate::showing::{self, Showing};
use crate::window_play;

/// The paths of the reference environment's own tags.
const LEVEL: &str = "astrarium/show.scenario";
const OBJECT: &str = "astrarium/show.object";
const SKY: &str = "astrarium/show.sky";
const FLAT: &str = "astrarium/show.interface";

/// The largest size of a bitmap, on a reference screen of 1920 × 1080.
const FLAT_SIZE: [f32; 2] = [1800.0, 960.0];

/// A sky without a colour of its own, so that an asset's are seen.
const SKY_TEXT: &str = "@sky\n!set kind \"day\"\n!set zenith \"#5b6673\"\n!set horizon \"#a7adb3\"\n\
    !set sun_direction vec(0.5, -0.6, 0.8)\n!set sky_ambient \"#6a7280\"\n!set ground_ambient \"#4a4642\"\n!set sun_size 0\n";

/// The command and its arguments.
pub fn command() -> Command {
    let command =
        Command::new("show").about("Shows one asset alone on a turntable: a model, effect, sound, object, bitmap");
    let command = showing::picture_arguments(command);
    command
        .arg(Arg::new("TAG").required(true).help("The path of the tag, as in ships/corvette.model"))
        .arg(Arg::new("GAME").help("The name of a game of this program, or the folder of a game"))
        .arg(
            path("tags", "The folder of the game's tags, watched; the default is the built-in tags")
                .value_name("FOLDER"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .value_parser(value_parser!(u32).range(0..=600))
                .default_value("2")
                .help("With --screenshot: the world time that passes before the picture"),
        )
        .arg(flag("fullscreen", "Cover the screen"))
        .arg(flag("paused", "Begin paused"))
}

/// Shows a tag of a game.
pub fn carry_out(matches: &ArgMatches, entry: &GameEntry) -> Result<(), CommandError> {
    let tag = matches.get_one::<String>("TAG").expect("the parser requires it");
    let showing = Showing::of(matches)?;
    let play = Play { tags: matches.get_one::<PathBuf>("tags").cloned(), ..Play::default() };
    let content = play.content(entry, entry.levels[0])?;
    let exhibit = Exhibit::of(tag, content.library())?;
    exhibit.notes.iter().for_each(|note| eprintln!("{note}"));
    let mut session = begin(entry, content, &exhibit, tag);
    let pool = ThreadPool::new(1);
    let viewpoint = match showing.eye {
        _ if !exhibit.interface.is_empty() => Viewpoint::Players(vec![0]),
        Some(_) => window_play::viewpoint_of(&showing, Vec::new()),
        None => Viewpoint::Turntable { radius: exhibit.radius },
    };
    if showing.screenshot.is_some() {
        let seconds = matches.get_one::<u32>("seconds").copied().unwrap_or(0);
        let cycles = u64::from(seconds) * 1_000_000_000 / session.lengths().brush_nanos;
        let recorded = recording::record(&mut session, &showing, viewpoint, cycles, &pool)?;
        recorded.reports.iter().for_each(|report| eprintln!("{report}"));
        recorded.files.iter().for_each(|file| println!("{}", file.display()));
        return Ok(());
    }
    if !window_play::can_open_window() {
        let message = "there is no display: `--screenshot FILE` writes a picture instead";
        return Err(CommandError::Usage(String::from(message)));
    }
    let options = RunnerOptions { is_developer: true, is_paused: showing.is_paused, ..RunnerOptions::default() };
    let runner = Runner::begin(Stage::live(session), pool, options)?;
    window_play::show(runner, entry, &showing, tag, viewpoint).map(drop)
}

/// What is shown.
#[derive(Default)]
struct Exhibit {
    /// The text of the object that shows it.
    object: String,
    /// The interface that a player of its world sees; empty if there is none.
    interface: String,
    /// The text of that interface, if it is not one of the game.
    interface_text: String,
    /// The radius around it.
    radius: f32,
    /// How it is shown, for people.
    notes: Vec<String>,
}

impl Exhibit {
    fn of(tag: &str, content: &Library) -> Result<Exhibit, CommandError> {
        let id = StringId::from(tag);
        let Some(class) = content.class_of(id) else {
            let paths: Vec<&str> = content.tags().map(|ready| ready.path.as_str()).collect();
            let near = script::report::closest(tag, paths.iter().copied());
            let hint = near.map_or(String::new(), |near| format!("; is it {near}?"));
            return Err(CommandError::Usage(format!("expected the path of a tag of this game, found \"{tag}\"{hint}")));
        };
        let object = |line: String| format!("@object\n{line}\n");
        let plain = |object: String, radius: f32| Ok(Exhibit { object, radius, ..Exhibit::default() });
        if let Some(model) = content.get_as::<Model>(id) {
            return plain(object(format!("!set model \"{tag}\"")), radius_of(&model));
        }
        if content.get_as::<ObjectTag>(id).is_some() {
            let radius = radius_of_object(id, content);
            return Ok(Exhibit { radius, ..Exhibit::default() });
        }
        if content.get_as::<Effect>(id).is_some() {
            return plain(object(format!("!set effects [{{ name \"shown\", effect \"{tag}\" }}]")), 4.0);
        }
        if content.get_as::<Sound>(id).is_some() {
            let notes = vec![String::from("a sound is heard, not seen: `tag show --picture` draws its waveform")];
            let object = object(format!("!set sounds [{{ name \"shown\", sound \"{tag}\" }}]"));
            return Ok(Exhibit { object, radius: 2.0, notes, ..Exhibit::default() });
        }
        if content.get_as::<Material>(id).is_some() {
            return Exhibit::of_material(tag, content);
        }
        if class.is_a(Interface::CLASS) {
            let (object, interface) = (object(format!("!set interface \"{tag}\"")), tag.to_string());
            return Ok(Exhibit { object, interface, radius: 2.0, ..Exhibit::default() });
        }
        if let Some(bitmap) = content.get_as::<Bitmap>(id) {
            // An interface with one image, as large as the reference screen allows.
            let [width, height] = [bitmap.width, bitmap.height].map(|side| side.max(1) as f32);
            let factor = min(FLAT_SIZE[0] / width, FLAT_SIZE[1] / height);
            let text = format!(
                "@interface\n!set widgets [{{ name \"shown\", kind \"image\", anchor \"centre\", size vec({}, {}), \
                 look {{ bitmap \"{tag}\" }} }}]\n",
                width * factor,
                height * factor
            );
            let (object, interface) = (object(format!("!set interface \"{FLAT}\"")), FLAT.to_string());
            return Ok(Exhibit { object, interface, interface_text: text, radius: 2.0, ..Exhibit::default() });
        }
        let class = class.name.clone();
        Err(CommandError::Usage(format!("{tag} is a {class}, which has no look of its own")))
    }

    /// A material is shown on the first model that refers to it.
    fn of_material(tag: &str, content: &Library) -> Result<Exhibit, CommandError> {
        let uses = |ready: &&astrarium::tags::library::Ready| ready.packed.links().any(|link| link.path == tag);
        let mut users: Vec<&str> = content.tags().filter(uses).map(|ready| ready.path.as_str()).collect();
        users.sort_unstable();
        let model = users.iter().find(|path| content.get_as::<Model>(StringId::from(**path)).is_some());
        let Some(model) = model else {
            return Err(CommandError::Usage(format!(
                "{tag}: no model uses this material, so there is nothing to show it on"
            )));
        };
        let mut exhibit = Exhibit::of(model, content)?;
        exhibit.notes.push(format!("{tag} is shown on {model}"));
        Ok(exhibit)
    }
}

/// The session of the small world in which a tag is shown.
fn begin(entry: &GameEntry, mut content: Content, exhibit: &Exhibit, tag: &str) -> Session {
    let is_own = exhibit.object.is_empty();
    let shown = if is_own { tag } else { OBJECT };
    // An interface is seen by the player of an object.
    let list = if exhibit.interface.is_empty() { "placements" } else { "players" };
    let level =
        format!("@scenario\n!set objects_max 256\n!set sky \"{SKY}\"\n!set {list} [{{ object \"{shown}\" }}]\n");
    let mut texts = vec![(LEVEL, level.as_str()), (SKY, SKY_TEXT)];
    if !exhibit.interface_text.is_empty() {
        texts.push((FLAT, exhibit.interface_text.as_str()));
    }
    if !is_own {
        texts.push((OBJECT, exhibit.object.as_str()));
    }
    let paths: Vec<&str> = texts.iter().map(|(path, _)| *path).collect();
    // The tags they refer to are the game's, so that they are missing here is no mistake.
    let (tags, _) = embedded::load(content.classes(), &texts, &paths);
    content.add_tags(tags);
    let game = Arc::new(ObjectGame::new(Rules::new(entry.name, content.library(), StringId::from(LEVEL))));
    let players = u16::from(!exhibit.interface.is_empty());
    let start = Start { level: String::from("show"), seed: 1, players, settings: Settings::default() };
    Session::new(game, content, &start, &Pages)
}

fn radius_of(model: &View<'_, Model>) -> f32 {
    let bounds = &model.bounds;
    clamp(bounds.centre.length() + bounds.radius, 0.05, 1e6)
}

fn radius_of_object(id: StringId, content: &Library) -> f32 {
    let Some(object) = content.get_as::<ObjectTag>(id) else { return 2.0 };
    match content.follow(&object.model) {
        Some(model) => radius_of(&model) * clamp(object.scale, 0.001, 1000.0),
        None => clamp(object.radius * 1.5, 1.0, 1e6),
    }
}
