//! The errors of the front door, as values that a caller can match on.
//!
//! Law: no code decides by the text of an error. `Display` is for people: it names the file, what was expected, what
//! was found and, where there is one, the remedy.

use std::error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use host::files::FileError;
use relay::crash_report::{BackupError, CrashReportError};
use shelf::feed::SecretTooShort;
use shelf::report::TagReport;
use state::limits::NAME_BYTES_MAX;
use state::save::SaveError;
use state::snapshot::Inconsistent;

use crate::film_error::FilmFault;

/// The errors of the front door.
#[derive(Debug)]
pub enum Error {
    /// A file or folder could not be read or written.
    File(FileError),
    /// An error about the content of a file.
    In {
        /// The file.
        path: PathBuf,
        /// The error.
        error: Box<Error>,
    },
    /// The program has no game of this name.
    UnknownGame {
        /// The name.
        name: String,
    },
    /// A game has no level of this name.
    UnknownLevel {
        /// The game.
        game: String,
        /// The name.
        level: String,
        /// The levels it has.
        levels: Vec<String>,
    },
    /// A name that no game can have.
    GameName {
        /// The name.
        name: String,
    },
    /// A folder is not a game.
    GameFolder(GameFolderFault),
    /// A folder is not a mod, or not of this game.
    Mod(ModFault),
    /// The tags that are part of the program are wrong.
    BuiltInTags(Box<TagReport>),
    /// The tags of this identity are not stored on this machine.
    ContentMissing {
        /// The identity that a world or a file names.
        identity: u64,
        /// The identity of the tags in force.
        in_force: u64,
    },
    /// With the tags of this identity, the game has a layout other than that of the world.
    ContentLayout {
        /// The identity.
        identity: u64,
    },
    /// A file is of a world with another layout.
    Layout {
        /// The layout of this game.
        expected: u64,
        /// The layout that the file names.
        found: u64,
    },
    /// A world cannot go on with the tags as they are now.
    NotConverted {
        /// The reasons, each with its remedy.
        reasons: Vec<String>,
    },
    /// A save was refused.
    Save(SaveError),
    /// The bytes of a block are not a valid world.
    World(Inconsistent),
    /// Two worlds cannot be compared: their layouts differ.
    DifferentWorlds {
        /// Game and level of the first.
        left: String,
        /// Game and level of the second.
        right: String,
    },
    /// A crash report was refused.
    CrashReport(CrashReportError),
    /// No backup of a crash report can be replayed to its last complete cycle.
    NoBackup {
        /// The last complete cycle.
        cycle: u64,
        /// The number of backups in the report.
        backups: usize,
        /// The number of backups that have all inputs up to that cycle.
        with_inputs: usize,
        /// The reasons why these were refused.
        refusals: Vec<BackupError>,
    },
    /// The cycle after the last complete one did not begin, so it cannot be replayed.
    CycleNotBegun {
        /// The brush cycle.
        cycle: u64,
        /// The safe cycle whose inputs are missing.
        safe_cycle: u64,
    },
    /// A replay gave another world.
    Diverged {
        /// The brush cycle before which the hashes were compared.
        cycle: u64,
        /// The recorded hash.
        expected: u64,
        /// The hash of the replayed world.
        found: u64,
        /// Messages of the content during the replay, for people.
        notes: Vec<String>,
    },
    /// A film cannot be read, or not from there.
    Film(FilmFault),
    /// The file of a secret is not UTF-8 text.
    SecretNotText,
    /// A secret was refused.
    Secret(SecretTooShort),
    /// The machine has no source of random bytes for a secret.
    NoRandomBytes(io::Error),
}

/// Why a folder is not taken as a mod.
#[derive(Debug)]
pub enum ModFault {
    /// It does not exist, or is a file.
    NoFolder,
    /// A name that no mod can have.
    Name {
        /// The name.
        name: String,
    },
    /// A version that cannot be stored.
    Version {
        /// The version.
        version: String,
    },
    /// Two mods have one name.
    Twice {
        /// The name.
        name: String,
    },
    /// More mods than a game can have.
    TooMany,
    /// The game's tags lie in its folder itself, so there is no folder for declared mods.
    NoPlace,
    /// The game's tags are part of the program.
    NoTree {
        /// The game.
        game: String,
    },
}

/// Why a folder is not a game.
#[derive(Debug)]
pub enum GameFolderFault {
    /// It cannot be opened.
    Unreadable(io::Error),
    /// It is a file.
    IsFile,
    /// It has no tags, and no folder of tags.
    NoTags,
    /// None of its tags is a level.
    NoLevel {
        /// The findings, and the remedy.
        hint: String,
    },
}

impl Error {
    /// The same error with the file it is about. A file that was named before stays.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Error {
        match self {
            Error::File(_) | Error::In { .. } => self,
            error => Error::In { path: path.to_path_buf(), error: Box::new(error) },
        }
    }

    /// The error itself, without the file it is about.
    #[must_use]
    pub fn kind(&self) -> &Error {
        match self {
            Error::In { error, .. } => error.kind(),
            error => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(out),
            Error::In { path, error } => write!(out, "{}: {error}", path.display()),
            Error::UnknownGame { name } => write!(
                out,
                "expected a game of this program, found \"{name}\"; `--game FOLDER` names the folder of a game"
            ),
            Error::UnknownLevel { game, level, levels } => {
                write!(out, "expected a level of {game}: {}; found \"{level}\"", levels.join(", "))
            }
            Error::GameName { name } => write!(
                out,
                "the name of a game: expected 1 to {NAME_BYTES_MAX} letters, digits, `-` and `_`, found \"{name}\""
            ),
            Error::GameFolder(fault) => fault.fmt(out),
            Error::Mod(fault) => fault.fmt(out),
            Error::BuiltInTags(report) => report.fmt(out),
            Error::ContentMissing { identity, in_force } => write!(
                out,
                "it was made with content {identity:016x}, which is not stored here; the content in force is {in_force:016x}"
            ),
            Error::ContentLayout { identity } => {
                write!(out, "it was made with content {identity:016x}, which gives the game another layout")
            }
            Error::Layout { expected, found } => {
                write!(out, "it has another layout: expected {expected:016x}, found {found:016x}")
            }
            Error::NotConverted { reasons } => {
                write!(out, "its world cannot go on with the game as it is now: {}", reasons.join("; "))
            }
            Error::Save(error) => error.fmt(out),
            Error::World(error) => error.fmt(out),
            Error::DifferentWorlds { left, right } => write!(out, "they hold different worlds: {left} and {right}"),
            Error::CrashReport(error) => error.fmt(out),
            Error::NoBackup { cycle, backups, with_inputs, refusals } => {
                write!(
                    out,
                    "no backup leads to cycle {cycle}: of {backups} backups, {with_inputs} have all inputs up to it"
                )?;
                refusals.iter().try_for_each(|refusal| write!(out, "; {refusal}"))
            }
            Error::CycleNotBegun { cycle, safe_cycle } => {
                write!(out, "cycle {cycle} did not begin: the inputs of safe cycle {safe_cycle} are missing")
            }
            Error::Diverged { cycle, expected, found, notes } => {
                write!(
                    out,
                    "the replay diverged before cycle {cycle}: expected hash {expected:016x}, found {found:016x}"
                )?;
                notes.iter().try_for_each(|note| write!(out, "; {note}"))
            }
            Error::Film(fault) => fault.fmt(out),
            Error::SecretNotText => out.write_str("expected a secret in UTF-8 text"),
            Error::Secret(error) => error.fmt(out),
            Error::NoRandomBytes(error) => write!(out, "this machine has no random bytes for a secret: {error}"),
        }
    }
}

impl fmt::Display for ModFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModFault::NoFolder => out.write_str("expected the folder of a mod, found none"),
            ModFault::Name { name } => write!(
                out,
                "the name of a mod: expected 1 to {NAME_BYTES_MAX} letters, digits, `-` and `_`, found \"{name}\""
            ),
            ModFault::Version { version } => {
                write!(out, "the version of a mod: expected at most {NAME_BYTES_MAX} bytes without quotes, found \"{version}\"")
            }
            ModFault::Twice { name } => write!(out, "there is another mod named `{name}`; remove one, or rename it"),
            ModFault::TooMany => out.write_str("expected at most 16 mods; remove this one"),
            ModFault::NoPlace => out.write_str(
                "declared mods lie beside the folder `tags`, which this game does not have; use --mod FOLDER, or move its tags there",
            ),
            ModFault::NoTree { game } => {
                write!(out, "the tags of {game} are part of the program; a mod needs their folder: --tags FOLDER")
            }
        }
    }
}

impl fmt::Display for GameFolderFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameFolderFault::Unreadable(error) => write!(out, "expected the folder of a game: {error}"),
            GameFolderFault::IsFile => out.write_str("expected the folder of a game, found a file"),
            GameFolderFault::NoTags => write!(
                out,
                "there are no tags in this folder, and it has no folder `tags`; `{} new NAME` creates a game to start from",
                host::process::program()
            ),
            GameFolderFault::NoLevel { hint } => write!(out, "there is no level: {hint}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::File(error) => Some(error),
            Error::In { error, .. } => error.source(),
            Error::Save(error) => Some(error),
            Error::World(error) => Some(error),
            Error::CrashReport(error) => Some(error),
            Error::Film(fault) => fault.source(),
            Error::Secret(error) => Some(error),
            Error::NoRandomBytes(error) | Error::GameFolder(GameFolderFault::Unreadable(error)) => Some(error),
            _ => None,
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Error {
        Error::File(error)
    }
}

impl From<SaveError> for Error {
    fn from(error: SaveError) -> Error {
        Error::Save(error)
    }
}

impl From<Inconsistent> for Error {
    fn from(error: Inconsistent) -> Error {
        Error::World(error)
    }
}

impl From<CrashReportError> for Error {
    fn from(error: CrashReportError) -> Error {
        Error::CrashReport(error)
    }
}

impl From<FilmFault> for Error {
    fn from(fault: FilmFault) -> Error {
        Error::Film(fault)
    }
}
