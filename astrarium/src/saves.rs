//! Saves on disk: written whole or not at all, now or in the background; looked at and compared.

use std::fmt;
use std::path::{Path, PathBuf};

use base::hash::hash;
use host::background::{BackgroundWriter, Refused};
use host::files::{self, FileError};
use host::pages::Pages;
use state::Settings;
use state::save::{self, HEADER_BYTES, SaveError, SaveHeader};

use crate::film::{session_at, split_path};
use crate::game::GameEntry;
use crate::session::{Session, Start};
use crate::telling::{Told, told};

/// Why a save could not be written or loaded.
#[derive(Debug)]
pub enum SaveFileError {
    /// The file could not be read or written.
    File(FileError),
    /// The tags it was made with are not kept.
    Content {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// What is in it cannot be loaded.
    Save {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: SaveError,
    },
}

/// Writes a save and waits until it is on the disk.
pub fn write(session: &mut Session, path: &Path) -> Result<SaveHeader, SaveFileError> {
    let header = header(session);
    files::write_atomically(path, &[&header.encode(), session.world().bytes()]).map_err(SaveFileError::File)?;
    Ok(header)
}

/// Copies a save into `buffer` and lets the writer's thread see to the disk. The world may go on at once.
pub fn write_in_background(
    session: &mut Session,
    path: &Path,
    writer: &BackgroundWriter,
    mut buffer: Vec<u8>,
) -> Result<SaveHeader, Refused> {
    let header = header(session);
    buffer.clear();
    buffer.extend_from_slice(&header.encode());
    buffer.extend_from_slice(session.world().bytes());
    writer.submit(path.to_path_buf(), buffer)?;
    Ok(header)
}

/// Loads a save over a session's world. If it cannot be, the world is as it was.
pub fn load(session: &mut Session, path: &Path) -> Result<SaveHeader, SaveFileError> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX).map_err(SaveFileError::File)?;
    let (content, level) = (session.game().content(), session.level().to_string());
    // Asked first, so that nothing is lost if the tags it was made with are not kept.
    let before = session.content().library().identity();
    let fits = |header: SaveHeader| header.check(session.world(), content, &level).is_ok();
    let identity =
        SaveHeader::decode(&file).ok().filter(|header| fits(header.clone())).and_then(|_| save::content_of(&file));
    let identity = identity.unwrap_or(before);
    let to_content = |session: &mut Session, identity| {
        let returned = session.return_to(identity);
        returned.map_err(|why| SaveFileError::Content { path: path.to_path_buf(), why })
    };
    to_content(session, identity)?;
    session.end_recording();
    let header = match save::load(session.world_mut(), &file, content, &level) {
        Ok(header) => header,
        Err(error) => {
            to_content(session, before)?;
            return Err(of_save(path)(error));
        }
    };
    session.content_mut().offer_present();
    session.begin_recording_anew();
    session.game().loaded(session.world());
    Ok(header)
}

/// What a save says of itself, if it is whole. Whether the world in it adds up is seen when it is loaded.
pub fn info(path: &Path) -> Result<SaveHeader, SaveFileError> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX).map_err(SaveFileError::File)?;
    let header = SaveHeader::decode(&file).map_err(of_save(path))?;
    let (expected, found) = (header.block_bytes.saturating_add(HEADER_BYTES as u64), file.len() as u64);
    if expected != found {
        return Err(of_save(path)(SaveError::Length { expected, found }));
    }
    if hash(&file[HEADER_BYTES..]) != header.checksum {
        return Err(of_save(path)(SaveError::BlockDamaged));
    }
    Ok(header)
}

/// How the worlds of two saves of one of these games differ. A cycle of a film, as in `a.film@1200`, is as good as a save.
pub fn diff(paths: [&Path; 2], games: &[GameEntry], most: usize) -> Result<Vec<Told>, String> {
    let (left, right) = (session_of(paths[0], games)?, session_of(paths[1], games)?);
    if left.world().plan().hash() != right.world().plan().hash() {
        let name = |session: &Session| format!("{} {}", session.world().plan().name(), session.level());
        return Err(format!("they are of different worlds: {} and {}", name(&left), name(&right)));
    }
    Ok(told(&left, &right, most))
}

/// The world of a save of one of these games, or of a cycle of a film, as in `a.film@1200`.
pub fn session_of(path: &Path, games: &[GameEntry]) -> Result<Session, String> {
    let named = |complaint: String| format!("{}: {complaint}", path.display());
    let (film, moment) = split_path(path)?;
    if film.extension().is_some_and(|extension| extension == "film") {
        return session_at(&film, moment, games);
    }
    let header = info(path).map_err(|error| error.to_string())?;
    let known = games.iter().find(|entry| entry.name == header.game);
    let unknown = || named(format!("expected a game of this program, found \"{}\"", header.game));
    let entry = known.ok_or_else(unknown)?;
    let start = Start { level: header.level, seed: 0, players: 0, settings: Settings::default() };
    let content = entry.content(&start.level).map_err(named)?;
    let mut session = Session::begin(entry, content, &start, &Pages).map_err(named)?;
    load(&mut session, path).map_err(|error| error.to_string())?;
    Ok(session)
}

/// No save is larger: a header and the largest block.
const SAVE_BYTES_MAX: u64 = (HEADER_BYTES + state::limits::BLOCK_BYTES_MAX) as u64;

fn header(session: &mut Session) -> SaveHeader {
    session.game().saving(session.world());
    let hash = session.hash();
    SaveHeader::of(session.world(), hash, session.game().content(), session.level())
}

impl fmt::Display for SaveFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveFileError::File(error) => error.fmt(formatter),
            SaveFileError::Save { path, error } => write!(formatter, "{}: {error}", path.display()),
            SaveFileError::Content { path, why } => write!(formatter, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for SaveFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SaveFileError::File(error) => Some(error),
            SaveFileError::Save { error, .. } => Some(error),
            SaveFileError::Content { .. } => None,
        }
    }
}

fn of_save(path: &Path) -> impl FnOnce(SaveError) -> SaveFileError {
    move |error| SaveFileError::Save { path: path.to_path_buf(), error }
}
