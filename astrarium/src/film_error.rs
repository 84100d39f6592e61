//! The errors of films.

use std::error;
use std::fmt;

use base::bytes::ReadError;
use relay::film::Trouble;
use relay::film::index::FilmError;

/// Why a film, or a cycle of it, is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilmFault {
    /// The file has no index that can be read.
    Unreadable(FilmError),
    /// A chunk is damaged.
    Damaged(Trouble),
    /// The body of a chunk cannot be decoded.
    Body {
        /// The offset of the chunk in bytes.
        offset: u64,
        /// The cause.
        error: ReadError,
    },
    /// The keyframe that a patch belongs to is missing.
    NoBase {
        /// The offset of the patch in bytes.
        offset: u64,
    },
    /// The film has no take, or none with this number.
    NoTake(Option<u16>),
    /// A take has no keyframe, or none before the cycle.
    NoKeyframe {
        /// The take.
        take: u16,
    },
    /// The inputs of a cycle are missing.
    NoInputs {
        /// The take.
        take: u16,
        /// The brush cycle.
        cycle: u64,
    },
    /// A tag that changed is missing.
    NoTag,
    /// A moment is not in the film.
    Unreachable {
        /// The moment, as text.
        moment: String,
        /// The cycles that can be played, as text.
        runs: String,
    },
    /// The cycles of the game have other lengths than those of the film: its inputs belong to other moments.
    CycleLengths {
        /// The lengths of the film.
        expected: String,
        /// Those of the game, from its globals.
        found: String,
    },
    /// The blocks of a take are not as long as the plan of its level says.
    BlockLength {
        /// The length of the plan in bytes.
        expected: u64,
        /// The length that the film says.
        found: u64,
    },
    /// Nothing was loaded yet: seek first.
    NotLoaded,
    /// The hash of a keyframe is not the one that the film names.
    Keyframe {
        /// Its cycle.
        cycle: u64,
        /// The hash that the film names.
        expected: u64,
        /// The hash of its world.
        found: u64,
    },
    /// The world diverged from the film.
    Diverged {
        /// The take.
        take: u16,
        /// The cycle before which the hashes were compared.
        cycle: u64,
        /// The hash in the film.
        expected: u64,
        /// The hash of the world.
        found: u64,
    },
    /// No film of the world is being recorded.
    NotRecorded,
    /// The disk did not take the film in time.
    NotWritten,
    /// This is the last take.
    NoNextTake,
    /// A film cannot be cut into its own file.
    IntoItself,
    /// A running process is writing the file.
    BeingWritten,
    /// The end of a cut is before its start.
    EndBeforeStart {
        /// The start.
        first: u64,
        /// The end.
        last: u64,
    },
    /// A chunk is too long, or the film has too many.
    Full,
    /// A text is not a moment.
    NotAMoment(String),
}

impl fmt::Display for FilmFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilmFault::Unreadable(error) => error.fmt(out),
            FilmFault::Damaged(trouble) => trouble.fmt(out),
            FilmFault::Body { offset, error } => write!(out, "byte {offset}: {error}"),
            FilmFault::NoBase { offset } => {
                write!(out, "byte {offset}: the keyframe that this patch belongs to is missing")
            }
            FilmFault::NoTake(None) => out.write_str("the film has no take"),
            FilmFault::NoTake(Some(take)) => write!(out, "the film has no take {take}"),
            FilmFault::NoKeyframe { take } => write!(out, "take {take} has no keyframe to start from"),
            FilmFault::NoInputs { take, cycle } => write!(out, "the inputs of cycle {cycle}, take {take}, are missing"),
            FilmFault::NoTag => out.write_str("a tag that changed is not in the film"),
            FilmFault::Unreachable { moment, runs } => write!(out, "{moment} cannot be reached; the film holds {runs}"),
            FilmFault::CycleLengths { expected, found } => write!(
                out,
                "the film has {expected}, but the globals in force say {found}: play it with its own content"
            ),
            FilmFault::BlockLength { expected, found } => {
                write!(out, "expected blocks of {expected} bytes, as the plan of the level says; found {found} bytes")
            }
            FilmFault::NotLoaded => out.write_str("no cycle of the film is loaded yet"),
            FilmFault::Keyframe { cycle, expected, found } => write!(
                out,
                "the keyframe of cycle {cycle} is of another world: expected hash {expected:016x}, found {found:016x}"
            ),
            FilmFault::Diverged { take, cycle, expected, found } => write!(
                out,
                "take {take} diverged before cycle {cycle}: expected hash {expected:016x}, found {found:016x}"
            ),
            FilmFault::NotRecorded => out.write_str("no film of this world is being recorded, so it cannot be rewound"),
            FilmFault::NotWritten => out.write_str("the disk did not take the film in time"),
            FilmFault::NoNextTake => out.write_str("there is no take after this one"),
            FilmFault::BeingWritten => out.write_str("a running process is writing it; name another file"),
            FilmFault::IntoItself => out.write_str("a film cannot be cut into itself; name another file"),
            FilmFault::EndBeforeStart { first, last } => {
                write!(out, "expected an end from cycle {first} on, found {last}")
            }
            FilmFault::Full => out.write_str("the text or chunk is too long, or the film has too many chunks"),
            FilmFault::NotAMoment(text) => {
                write!(out, "expected a cycle, or a take and a cycle as in 2:1200; found \"{text}\"")
            }
        }
    }
}

impl error::Error for FilmFault {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            FilmFault::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}
