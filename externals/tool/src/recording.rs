//! Pictures, videos and sounds of a world, without a window.
//!
//! Laws
//! 1. What is written follows from the world, its content and the options: not from the speed of the machine.
//! 2. A picture is complete: bulk data is waited for.
//! 3. A file that is there is replaced when the new one is whole; if anything fails before, it stays.

use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use astrarium::bindings::{self, BindingAnswer};
use astrarium::bulk_reader::BulkReader;
use astrarium::local_players::{InterfaceUpdate, LocalPlayers};
use astrarium::presenter::{PictureInput, Presenter, ShownScene, Viewpoint};
use astrarium::screenshot;
use astrarium::session::Session;
use base::Vec2;
use gui::{Settings, Workspace};
use host::files::{self, NewFile};
use render::files::{ApngWriter, Y4mWriter};
use render::{Pixels, Renderer};
use sound::{HeardScene, MixerSettings, Output, OutputKind};
use state::{Alone, Workers};
use tags::Library;
use view::limits::LINES_USUAL;
use view::{Frame, Moment, ShapeCatalogue, Topics};

use crate::error::CommandError;
use crate::renderers;
use crate::showing::Showing;

/// How often a picture is drawn again while resources are loaded.
const TRIES_MAX: u32 = 64;

/// The most pictures of a video: the format counts them in advance.
const PICTURES_MAX: u64 = 1_000_000;

/// The most rounds in which interfaces ask the world for one picture: lists within lists and markers within them are filled.
const ROUNDS_MAX: usize = 8;

/// Takes pictures of a session at any of its cycles.
pub struct PictureTaker {
    presenter: Presenter,
    renderer: Box<dyn Renderer>,
    size: [u32; 2],
    frame: Frame,
    content: Option<(u64, Arc<Library>, ShapeCatalogue)>,
    players: LocalPlayers,
    workspace: Workspace,
    answers: Vec<BindingAnswer>,
    /// The lines of debug drawing that pictures show.
    pub topics: Topics,
}

impl PictureTaker {
    /// A camera with these options.
    pub fn new(showing: &Showing, viewpoint: Viewpoint) -> Result<PictureTaker, CommandError> {
        let renderer = renderers::open(showing).map_err(failed)?;
        let players = match &viewpoint {
            Viewpoint::Players(players) => players.clone(),
            _ => Vec::new(),
        };
        Ok(PictureTaker {
            presenter: Presenter::new(viewpoint),
            renderer,
            size: showing.size,
            frame: Frame::new(LINES_USUAL),
            content: None,
            players: LocalPlayers::new(&players, Settings::default()),
            workspace: Workspace::default(),
            answers: Vec::new(),
            topics: Topics::NONE,
        })
    }

    /// The picture of a session's world, `ahead` seconds of world time after its cycle; `seconds` after the last picture.
    pub fn take(&mut self, session: &mut Session, ahead: f32, seconds: f32) -> Result<Pixels, CommandError> {
        let bulk = self.look(session, ahead, seconds);
        self.draw_interfaces(session, &bulk, seconds);
        let (_, content, catalogue) = self.content.as_ref().expect("looking sets it");
        let scene = ShownScene { frame: &self.frame, content, catalogue, bulk: &bulk, ahead };
        for _ in 0..TRIES_MAX {
            self.presenter.draw(&scene, self.size, &mut *self.renderer).map_err(failed)?;
            if self.renderer.loading() == 0 {
                break;
            }
        }
        self.renderer.read_pixels().map_err(failed)
    }

    /// Moves the cameras on without drawing.
    fn look(&mut self, session: &mut Session, ahead: f32, seconds: f32) -> BulkReader {
        let identity = session.content().library().identity();
        if self.content.as_ref().is_none_or(|(known, ..)| *known != identity) {
            let library = session.content_mut().shared();
            self.content = Some((identity, library, session.game().shape_catalogue()));
        }
        let moment = moment_of(session);
        let (_, content, catalogue) = self.content.as_ref().expect("it was just set");
        session.game().extract(session.world(), content, &moment, &mut self.frame, &Alone);
        if self.topics != Topics::NONE {
            session.game().draw(session.world(), self.topics, &mut self.frame.drawing);
        }
        let bulk = BulkReader::patient(Arc::clone(session.content().blocks()));
        let scene = ShownScene { frame: &self.frame, content, catalogue, bulk: &bulk, ahead };
        let aspect = self.size[0] as f32 / self.size[1] as f32;
        self.presenter.advance(&scene, &PictureInput { seconds, aspect, ..PictureInput::default() });
        bulk
    }

    /// Draws what the players' interfaces show. The first round finds out what they want to know of the world.
    fn draw_interfaces(&mut self, session: &Session, bulk: &BulkReader, seconds: f32) {
        let Some((_, content, _)) = &self.content else { return };
        // A list of the world shows its items a round later, and a marker its content another one.
        // A marker is placed in the round after its object is known, and only then asks for what it shows: so the wishes have to be the
        // same in two rounds after each other.
        let (mut asked, mut settled) = (None, 0);
        for round in 0..ROUNDS_MAX {
            let is_last = round + 1 == ROUNDS_MAX;
            let update = InterfaceUpdate {
                content,
                shown: self.presenter.shown(),
                meshes: self.presenter.meshes(),
                views: self.presenter.views(),
                seconds: if round == 0 { seconds } else { 0.0 },
                size: self.size,
            };
            self.players.update(&update, bulk, self.renderer.text());
            let wanted = self.players.bindings();
            let ids: Vec<(u8, u64)> = wanted.iter().map(|(player, binding)| (*player, binding.id)).collect();
            settled = if asked.replace(ids.clone()) == Some(ids) { settled + 1 } else { 0 };
            if settled >= 2 || is_last {
                break;
            }
            bindings::evaluate(session, &wanted, &mut self.workspace, &mut self.answers);
            self.players.answer(&self.answers);
        }
        let canvas = self.presenter.canvas();
        canvas.clear();
        canvas.scale = 1.0;
        canvas.size = Vec2::new(self.size[0] as f32, self.size[1] as f32);
        self.players.draw(canvas, content, self.renderer.text());
    }

    /// What was missing or broken in the content.
    pub fn take_reports(&mut self) -> Vec<String> {
        let mut reports = self.renderer.take_reports();
        reports.extend(self.players.take_reports());
        if let Some((_, content, _)) = &self.content {
            reports.extend(self.presenter.take_reports(content));
        }
        reports
    }
}

/// The moment of a session's world, as it is shown without a window.
pub fn moment_of(session: &Session) -> Moment {
    let (lengths, cycle) = (session.lengths(), session.world().cycle());
    let seconds = cycle as f64 * (lengths.brush_nanos as f64 / 1e9);
    Moment { cycle, seconds, cycle_seconds: lengths.brush_seconds(), speed: 1.0, epoch: 0 }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The pictures of the video.
    pub pictures: u64,
    /// What was missing or broken in the content.
    pub reports: Vec<String>,
}

/// Steps a session to the end of what is wanted and writes the files on the way. `cycles` are played if nothing says otherwise.
pub fn record(
    session: &mut Session,
    showing: &Showing,
    viewpoint: Viewpoint,
    cycles: u64,
    workers: &dyn Workers,
) -> Result<Recorded, CommandError> {
    let begun = session.world().cycle();
    let end = begun.saturating_add(cycles);
    let first = showing.first.unwrap_or(begun).max(begun);
    let last = showing.last.unwrap_or(end).max(first);
    let at = showing.at.unwrap_or(last).max(begun);
    for path in [&showing.screenshot, &showing.video, &showing.sound_out].into_iter().flatten() {
        files::try_to_write(path)?;
    }
    let mut camera = PictureTaker::new(showing, viewpoint)?;
    let mut video = Video::begin(showing, first, last, session)?;
    let mut sound = match &showing.sound_out {
        Some(path) => {
            let file = NewFile::begin(path)?;
            let kind = OutputKind::File(file.temporary_path().to_path_buf());
            Some((Output::open(&kind, MixerSettings::default()).map_err(failed)?, file))
        }
        None => None,
    };
    let mut recorded = Recorded::default();
    let is_continuous = video.is_some() || sound.is_some();
    let until = if is_continuous { last.max(if showing.screenshot.is_some() { at } else { 0 }) } else { at };
    loop {
        let cycle = session.world().cycle();
        if showing.screenshot.is_some() && cycle == at {
            let pixels = camera.take(session, 0.0, 0.0)?;
            write_picture(showing.screenshot.as_deref(), &pixels, &mut recorded)?;
        }
        if (first..=last).contains(&cycle) {
            if let Some(video) = &mut video {
                video.take(session, &mut camera)?;
            }
            if let Some((output, _)) = &mut sound {
                hear(session, &mut camera, output);
            }
        }
        if cycle >= until || session.last_ending().is_some() {
            break;
        }
        session.step(workers);
        crate::play::print_lines(session.content_mut().take_lines());
    }
    if showing.screenshot.is_some() && recorded.files.is_empty() {
        // The last level ended before.
        let pixels = camera.take(session, 0.0, 0.0)?;
        write_picture(showing.screenshot.as_deref(), &pixels, &mut recorded)?;
    }
    if let Some(video) = video {
        recorded.pictures = video.pictures;
        recorded.files.push(video.finish(session, &mut camera)?);
    }
    if let (Some((output, file)), Some(path)) = (sound, &showing.sound_out) {
        output.close().map_err(failed)?;
        file.finish()?;
        recorded.files.push(path.clone());
    }
    recorded.reports = camera.take_reports();
    Ok(recorded)
}

fn write_picture(path: Option<&Path>, pixels: &Pixels, recorded: &mut Recorded) -> Result<(), CommandError> {
    if let Some(path) = path {
        screenshot::write(path, pixels).map_err(failed)?;
        recorded.files.push(path.to_path_buf());
    }
    Ok(())
}

/// Hears the world at a cycle, where the camera is.
fn hear(session: &mut Session, camera: &mut PictureTaker, output: &mut Output) {
    let seconds = session.lengths().brush_seconds();
    let bulk = camera.look(session, 0.0, seconds);
    let listeners = camera.presenter.listeners(seconds);
    if let Some((_, content, _)) = &camera.content {
        let walls = camera.presenter.obstacles();
        let heard = HeardScene::new(camera.presenter.shown(), &listeners, content, &bulk);
        output.hear(&HeardScene { walls: Some(&walls), ..heard });
    }
}

/// A video that is being written.
struct Video {
    path: PathBuf,
    stream: Stream,
    file: SharedFile,
    first: u64,
    /// The pictures that it will have, and those that it has.
    planned: u64,
    pictures: u64,
    fps: u32,
}

enum Stream {
    Apng(Box<ApngWriter<SharedFile>>),
    Y4m(Box<Y4mWriter<SharedFile>>),
}

/// A file in the making that its encoder shares, since an encoder does not give it back.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<BufWriter<NewFile>>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl Video {
    fn begin(showing: &Showing, first: u64, last: u64, session: &Session) -> Result<Option<Video>, CommandError> {
        let Some(path) = &showing.video else { return Ok(None) };
        let brush_nanos = session.lengths().brush_nanos;
        let nanos = u128::from(last - first) * u128::from(brush_nanos);
        let planned = (nanos * u128::from(showing.fps) / 1_000_000_000) as u64 + 1;
        if planned > PICTURES_MAX {
            let message = format!("--video: expected at most {PICTURES_MAX} pictures, found {planned}");
            return Err(CommandError::Usage(message));
        }
        let made = SharedFile(Rc::new(RefCell::new(BufWriter::new(NewFile::begin(path)?))));
        let file = made.clone();
        let fps = showing.fps as u16;
        let stream = match path.extension().and_then(|extension| extension.to_str()) {
            Some("y4m") => Stream::Y4m(Box::new(Y4mWriter::new(file, showing.size, fps).map_err(failed)?)),
            Some("png" | "apng") => {
                Stream::Apng(Box::new(ApngWriter::new(file, showing.size, planned as u32, fps).map_err(failed)?))
            }
            _ => {
                let message = format!("--video: expected a file .png, .apng or .y4m, found {}", path.display());
                return Err(CommandError::Usage(message));
            }
        };
        Ok(Some(Video { path: path.clone(), stream, file: made, first, planned, pictures: 0, fps: showing.fps }))
    }

    /// Takes the pictures that lie between this cycle and the next.
    fn take(&mut self, session: &mut Session, camera: &mut PictureTaker) -> Result<(), CommandError> {
        let brush = session.lengths().brush_nanos;
        let now = (session.world().cycle() - self.first) * brush;
        while self.pictures < self.planned {
            let at = (u128::from(self.pictures) * 1_000_000_000 / u128::from(self.fps)) as u64;
            if at >= now + brush {
                break;
            }
            let ahead = at.saturating_sub(now) as f32 / 1e9;
            let pixels = camera.take(session, ahead, 1.0 / self.fps as f32)?;
            self.add(&pixels)?;
        }
        Ok(())
    }

    fn add(&mut self, pixels: &Pixels) -> Result<(), CommandError> {
        self.pictures += 1;
        match &mut self.stream {
            Stream::Apng(writer) => writer.frame(pixels).map_err(failed),
            Stream::Y4m(writer) => writer.frame(pixels).map_err(failed),
        }
    }

    /// Ends it. If the last level ended before, the last picture stands still.
    fn finish(mut self, session: &mut Session, camera: &mut PictureTaker) -> Result<PathBuf, CommandError> {
        if self.pictures < self.planned {
            let pixels = camera.take(session, 0.0, 0.0)?;
            while self.pictures < self.planned {
                self.add(&pixels)?;
            }
        }
        match self.stream {
            Stream::Apng(writer) => writer.finish().map_err(failed)?,
            Stream::Y4m(writer) => writer.finish().map_err(failed)?,
        }
        let buffer =
            Rc::try_unwrap(self.file.0).map_err(|_| CommandError::Failed("the video is in use".to_string()))?;
        buffer.into_inner().into_inner().map_err(|error| CommandError::Failed(error.to_string()))?.finish()?;
        Ok(self.path)
    }
}

fn failed(error: impl std::error::Error) -> CommandError {
    CommandError::Failed(error.to_string())
}
