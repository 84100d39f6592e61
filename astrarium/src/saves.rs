//! Saves on disk: written atomically, at once or in the background; inspected and compared.

use std::path::Path;

use base::hash::hash;
use host::background::{BackgroundWriter, Refused};
use host::files;
use host::pages::Pages;
use state::Settings;
use state::save::{self, HEADER_BYTES, SaveError, SaveHeader};

use crate::difference::{DescribedDifference, describe};
use crate::error::Error;
use crate::film::{session_at, split_path};
use crate::game::GameEntry;
use crate::session::{Session, Start};

/// Writes a save and waits until it is on the disk.
pub fn write(session: &mut Session, path: &Path) -> Result<SaveHeader, Error> {
    let header = header(session);
    files::write_atomically(path, &[&header.encode(), session.world().bytes()])?;
    Ok(header)
}

/// Copies a save into `buffer` and leaves writing it to the writer's thread. The world may continue at once.
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

/// Loads a save into a session's world. If that fails, the world is unchanged.
pub fn load(session: &mut Session, path: &Path) -> Result<SaveHeader, Error> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX)?;
    let level = session.level().to_string();
    // Checked first, so that nothing is lost if the save's tags are not stored.
    let before = session.content().library().identity();
    let fits = |header: SaveHeader| header.check(session.world(), &level).is_ok();
    let identity =
        SaveHeader::decode(&file).ok().filter(|header| fits(header.clone())).and_then(|_| save::content_of(&file));
    let identity = identity.unwrap_or(before);
    let to_content = |session: &mut Session, identity| session.return_to(identity).map_err(|error| error.in_file(path));
    to_content(session, identity)?;
    session.end_recording();
    let header = match save::load(session.world_mut(), &file, &level) {
        Ok(header) => header,
        Err(error) => {
            to_content(session, before)?;
            return Err(Error::Save(error).in_file(path));
        }
    };
    session.content_mut().offer_present();
    let (build, own) = (header.build, session.build());
    if build != own {
        let path = path.display();
        session.content_mut().note(format!("{path} was saved by another build ({build:016x}, this one is {own:016x})"));
    }
    session.compare_lengths(&path.display().to_string());
    session.begin_recording_anew();
    session.game().loaded(session.world());
    Ok(header)
}

/// The header of a save, if the file is intact. The consistency of its world is checked when it is loaded.
pub fn info(path: &Path) -> Result<SaveHeader, Error> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX)?;
    let header = SaveHeader::decode(&file).map_err(|error| Error::Save(error).in_file(path))?;
    let (expected, found) = (header.block_bytes.saturating_add(HEADER_BYTES as u64), file.len() as u64);
    if expected != found {
        return Err(Error::Save(SaveError::Length { expected, found }).in_file(path));
    }
    if hash(&file[HEADER_BYTES..]) != header.checksum {
        return Err(Error::Save(SaveError::BlockDamaged).in_file(path));
    }
    Ok(header)
}

/// The differences between the worlds of two saves of one of these games. A cycle of a film, as in `a.film@1200`, also
/// works.
pub fn diff(paths: [&Path; 2], games: &[GameEntry], most: usize) -> Result<Vec<DescribedDifference>, Error> {
    let (left, right) = (session_of(paths[0], games)?, session_of(paths[1], games)?);
    if left.world().plan().hash() != right.world().plan().hash() {
        let name = |session: &Session| format!("{} {}", session.world().plan().name(), session.level());
        return Err(Error::DifferentWorlds { left: name(&left), right: name(&right) });
    }
    Ok(describe(&left, &right, most))
}

/// The world of a save of one of these games, or of a cycle of a film, as in `a.film@1200`.
pub fn session_of(path: &Path, games: &[GameEntry]) -> Result<Session, Error> {
    let named = |error: Error| error.in_file(path);
    let (film, moment) = split_path(path)?;
    if film.extension().is_some_and(|extension| extension == "film") {
        return session_at(&film, moment, games);
    }
    let header = info(path)?;
    let known = games.iter().find(|entry| entry.name == header.game);
    let unknown = || named(Error::UnknownGame { name: header.game.clone() });
    let entry = known.ok_or_else(unknown)?;
    let start = Start { level: header.level, seed: 0, players: 0, settings: Settings::default() };
    let content = entry.content(&start.level).map_err(named)?;
    let mut session = Session::begin(entry, content, &start, &Pages).map_err(named)?;
    load(&mut session, path)?;
    Ok(session)
}

/// The maximum size of a save: a header and the largest block.
const SAVE_BYTES_MAX: u64 = (HEADER_BYTES + state::limits::BLOCK_BYTES_MAX) as u64;

fn header(session: &mut Session) -> SaveHeader {
    session.game().saving(session.world());
    let hash = session.hash();
    SaveHeader::of(session.world(), hash, session.build(), session.level())
}
