//! Saves on disk: written atomically, at once or in the background; loaded, converted, inspected and compared.

use std::collections::BTreeSet;
use std::path::Path;

use host::background::{BackgroundWriter, Refused};
use host::files;
use host::pages::Pages;
use state::Settings;
use state::save::{self, HEADER_BYTES, SaveError, SaveHeader, content_of_block};

use crate::conversion::{changed_tags, convert, losses};
use crate::difference::{DescribedDifference, describe};
use crate::error::Error;
use crate::film::{session_at, split_path};
use crate::game::{GameEntry, is_of_tags_alone};
use crate::mods::{ModIdentity, differences, in_force};
use crate::project::{is_called, of_tags, title_of};
use crate::saved_content::{self, encoded};
use crate::session::{Session, Start};

/// Writes a save and waits until it is on the disk.
pub fn write(session: &mut Session, path: &Path) -> Result<SaveHeader, Error> {
    let content = encoded(session.content_mut());
    let header = header(session).with_content(&content);
    files::write_atomically(path, &[&header.encode(), session.world().bytes(), &content])?;
    Ok(header)
}

/// Copies a save into `buffer` and leaves writing it to the writer's thread. The world may continue at once.
pub fn write_in_background(
    session: &mut Session,
    path: &Path,
    writer: &BackgroundWriter,
    mut buffer: Vec<u8>,
) -> Result<SaveHeader, Refused> {
    let content = encoded(session.content_mut());
    let header = header(session).with_content(&content);
    buffer.clear();
    buffer.extend_from_slice(&header.encode());
    buffer.extend_from_slice(session.world().bytes());
    buffer.extend_from_slice(&content);
    writer.submit(path.to_path_buf(), buffer)?;
    Ok(header)
}

/// Loads a save into a session's world. If that fails, the world is unchanged.
///
/// A save that was made with other tags goes on with those of today, if they are being edited: as after an edit while it runs, or, where
/// the level would restart or the classes are others, converted at once. [`Content::take_lines`](crate::Content::take_lines) then says what it lost.
pub fn load(session: &mut Session, path: &Path) -> Result<SaveHeader, Error> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX)?;
    let named = |error: Error| error.in_file(path);
    let other_mods = differences(&mods_in(&file), &in_force(session.content().library()));
    let mut edit_loses = Vec::new();
    let header = match difference(session, &file) {
        Difference::Converted(past, header) => {
            let past = past.map_err(named)?;
            let lines = convert(&past, session).map_err(named)?;
            let shown = path.display();
            let title = |session: &Session| title_of(session.content().library()).1;
            let (then, now) = (title(&past), title(session));
            if then != now {
                session
                    .content_mut()
                    .note(format!("{shown} was saved by version {then:?} of the game; this is version {now:?}"));
            }
            session.content_mut().note(format!("{shown} was converted to the tags of today"));
            lines.into_iter().for_each(|line| session.content_mut().note(line));
            note_mods(session, path, &other_mods);
            note_build(session, path, &header);
            return Ok(header);
        }
        Difference::Edited(past) => {
            // Said before the edit enters, which is when the next safe cycle begins.
            edit_loses = losses(&past, session).map_err(named)?;
            load_as_it_is(session, &file, path)?
        }
        Difference::Nothing => load_as_it_is(session, &file, path)?,
    };
    edit_loses.into_iter().for_each(|line| session.content_mut().note(line));
    session.content_mut().offer_present();
    note_mods(session, path, &other_mods);
    note_build(session, path, &header);
    session.compare_lengths(&path.display().to_string());
    session.begin_recording_anew();
    session.game().loaded(session.world());
    Ok(header)
}

/// What loading a save into a session would lose, a line each; empty if it loses nothing. An error if it cannot be loaded. Changes nothing.
pub fn check(session: &Session, path: &Path) -> Result<Vec<String>, Error> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX)?;
    let named = |error: Error| error.in_file(path);
    let mut lines = differences(&mods_in(&file), &in_force(session.content().library()));
    match difference(session, &file) {
        Difference::Converted(past, _) => {
            lines.extend(losses(&past.map_err(named)?, session).map_err(named)?);
            Ok(lines)
        }
        Difference::Edited(past) => {
            lines.extend(losses(&past, session).map_err(named)?);
            Ok(lines)
        }
        Difference::Nothing => {
            let header = SaveHeader::decode(&file).map_err(|error| named(error.into()))?;
            header.parts(&file).map_err(|error| named(error.into()))?;
            header.check(session.world(), session.level()).map_err(|error| named(error.into()))?;
            Ok(lines)
        }
    }
}

/// How the tags of a save differ from those of the session that loads it.
enum Difference {
    /// Not at all, or the save goes on with its own.
    Nothing,
    /// Today's enter as an edit while it runs. With the world of the save in its own session.
    Edited(Session),
    /// The layout, the classes or the level are others too: it has to be converted. With its world in its own session.
    Converted(Result<Session, Error>, SaveHeader),
}

fn difference(session: &Session, file: &[u8]) -> Difference {
    found_difference(session, file).unwrap_or(Difference::Nothing)
}

fn found_difference(session: &Session, file: &[u8]) -> Option<Difference> {
    let header = SaveHeader::decode(file).ok()?;
    let (block, saved) = header.parts(file).ok()?;
    let entry = session.entry()?;
    let identity = content_of_block(block)?;
    let library = session.content().library();
    let is_same_layout = header.layout == session.world().plan().hash();
    let is_ours = is_called(&entry, &header.game) && header.level == session.level();
    if !is_ours || (identity == library.identity() && is_same_layout) || session.game().extensions().rules.is_none() {
        return None;
    }
    // With the store, a save of the same layout and classes gets its own tags again; the difference enters as an edit.
    let mut why = Vec::new();
    let past = past_session(&entry, &header, (block, saved), &mut why);
    match past {
        Some(past) => {
            let changed = changed_tags(past.content().library(), library);
            let is_like_an_edit = is_same_layout
                && !past.content().has_fixed(&changed)
                && past.content().has_classes_of(session.content())
                && session.content().is_followed();
            let stays =
                is_same_layout && !session.content().is_followed() && past.content().has_classes_of(session.content());
            match (is_like_an_edit, stays) {
                (true, _) => Some(Difference::Edited(past)),
                (false, true) => None,
                (false, false) => Some(Difference::Converted(Ok(past), header)),
            }
        }
        None if is_same_layout || why.is_empty() => None,
        None => Some(Difference::Converted(Err(Error::NotConverted { reasons: why }), header)),
    }
}

/// The world of a save with its own content, which lies in it.
fn past_session(
    entry: &GameEntry,
    header: &SaveHeader,
    (block, saved): (&[u8], &[u8]),
    why: &mut Vec<String>,
) -> Option<Session> {
    let content = saved_content::decode(entry, saved, why)?;
    let entry = entry.called(&header.game);
    let start = Start { level: header.level.clone(), seed: 0, players: 0, settings: Settings::default() };
    let begun = Session::begin(&entry.with_level(&header.level), content, &start, &Pages);
    let mut session = begun.map_err(|error| why.push(error.to_string())).ok()?;
    if session.world().plan().hash() != header.layout {
        why.push(String::from("this version of the engine gives its level another layout"));
        return None;
    }
    session.world_mut().adopt(block).map_err(|error| why.push(error.to_string())).ok()?;
    Some(session)
}

/// Loads a save with the tags that it was made with.
fn load_as_it_is(session: &mut Session, file: &[u8], path: &Path) -> Result<SaveHeader, Error> {
    let level = session.level().to_string();
    // Checked first, so that nothing is lost if the save's tags are not stored.
    let before = session.content().library().identity();
    let fits = |header: SaveHeader| header.check(session.world(), &level).is_ok();
    let identity =
        SaveHeader::decode(file).ok().filter(|header| fits(header.clone())).and_then(|_| save::content_of(file));
    let identity = identity.unwrap_or(before);
    let to_content = |session: &mut Session, identity| session.return_to(identity).map_err(|error| error.in_file(path));
    if to_content(session, identity).is_err() {
        // Not in the store: the save has its tags itself.
        let saved = SaveHeader::decode(file).ok().and_then(|header| header.parts(file).ok().map(|(_, saved)| saved));
        let entry = session.entry();
        if let (Some(entry), Some(saved)) = (entry, saved)
            && let Some(own) = saved_content::decode(&entry, saved, &mut Vec::new())
            && own.has_classes_of(session.content())
        {
            session.content_mut().remember(own.library());
        }
        to_content(session, identity)?;
    }
    session.end_recording();
    match save::load(session.world_mut(), file, &level) {
        Ok(header) => Ok(header),
        Err(error) => {
            to_content(session, before)?;
            Err(Error::Save(error).in_file(path))
        }
    }
}

/// The mods that a save was made with.
pub fn mods_of(path: &Path) -> Result<Vec<ModIdentity>, Error> {
    Ok(mods_in(&read(path)?.0))
}

fn mods_in(file: &[u8]) -> Vec<ModIdentity> {
    let saved = SaveHeader::decode(file).ok().and_then(|header| header.parts(file).ok().map(|(_, saved)| saved));
    saved.map_or_else(Vec::new, saved_content::mods_in)
}

fn note_mods(session: &mut Session, path: &Path, lines: &[String]) {
    lines.iter().for_each(|line| session.content_mut().note(format!("{}: {line}", path.display())));
}

fn note_build(session: &mut Session, path: &Path, header: &SaveHeader) {
    let (build, own) = (header.build, session.build());
    if build != own {
        let path = path.display();
        session.content_mut().note(format!("{path} was saved by another build ({build:016x}, this one is {own:016x})"));
    }
}

/// The header of a save, if the file is intact. The consistency of its world is checked when it is loaded.
pub fn info(path: &Path) -> Result<SaveHeader, Error> {
    read(path).map(|(_, header)| header)
}

fn read(path: &Path) -> Result<(Vec<u8>, SaveHeader), Error> {
    let file = files::read_at_most(path, SAVE_BYTES_MAX)?;
    let named = |error: SaveError| Error::Save(error).in_file(path);
    let header = SaveHeader::decode(&file).map_err(named)?;
    header.parts(&file).map_err(named)?;
    Ok((file, header))
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
    let (file, header) = read(path)?;
    let known = games.iter().find(|entry| is_called(entry, &header.game)).copied();
    let (block, saved) = header.parts(&file).map_err(|error| named(error.into()))?;
    // A game of tags alone is complete in its tags, which the save holds.
    let levels = BTreeSet::from([header.level.as_str()]);
    let of_tags = || is_of_tags_alone(header.build).then(|| of_tags(&header.game, &levels).ok()).flatten();
    let mut why = Vec::new();
    if let Some(entry) = known.or_else(of_tags)
        && let Some(session) = past_session(&entry, &header, (block, saved), &mut why)
    {
        return Ok(session);
    }
    let unknown = || named(Error::UnknownGame { name: header.game.clone() });
    let entry = known.ok_or_else(unknown)?;
    let start = Start { level: header.level, seed: 0, players: 0, settings: Settings::default() };
    let content = entry.content(&start.level).map_err(named)?;
    let mut session = Session::begin(&entry, content, &start, &Pages).map_err(named)?;
    load(&mut session, path)?;
    Ok(session)
}

/// The maximum size of a save: a header, the largest block, and its content.
const SAVE_BYTES_MAX: u64 = (HEADER_BYTES + state::limits::BLOCK_BYTES_MAX) as u64 + CONTENT_BYTES_MAX;

/// The maximum size of the content in a save.
const CONTENT_BYTES_MAX: u64 = 1 << 30;

fn header(session: &mut Session) -> SaveHeader {
    session.game().saving(session.world());
    let hash = session.hash();
    SaveHeader::of(session.world(), hash, session.build(), session.level())
}
