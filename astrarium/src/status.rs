//! The state of a running world, as people see it: its time, its film, its messages and its costs.

use std::path::Path;
use std::sync::Arc;

use state::report::ReportRow;

use crate::profile::ProfileSummary;

/// The state of a running world. Lists are shared: a copy costs a few words.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The game.
    pub game: Arc<str>,
    /// The level.
    pub level: Arc<str>,
    /// The brush cycle that is shown.
    pub cycle: u64,
    /// The world time that is shown, in seconds.
    pub seconds: f64,
    /// World time per machine time, in thousandths, while it is not paused.
    pub speed: u32,
    /// Whether world time stands still.
    pub is_paused: bool,
    /// Whether a film is shown: an earlier moment of the running one, or a film that was opened.
    pub is_review: bool,
    /// The take that is shown.
    pub take: u16,
    /// The first and the last cycle of the time line: of the take being recorded or shown.
    pub span: (u64, u64),
    /// The film: the one being recorded, or the one that is shown.
    pub film: Option<Arc<Path>>,
    /// The hash of the world at the last safe cycle.
    pub hash: u64,
    /// How the last level has ended, for people.
    pub ending: Option<Arc<str>>,
    /// The result with which it has ended.
    pub result: Option<Arc<str>>,
    /// The players of this machine.
    pub locals: Arc<[u16]>,
    /// The number of players.
    pub players: u16,
    /// The messages of late, oldest first.
    pub lines: Arc<[LogLine]>,
    /// The marks of the film.
    pub marks: Arc<[(u64, String)]>,
    /// The times of the last second's steps, while they are measured.
    pub profile: Arc<ProfileSummary>,
    /// The memory of the world, while it is measured.
    pub memory: Arc<[ReportRow]>,
    /// The runtime errors counted so far.
    pub conditions: Arc<[(&'static str, u64)]>,
    /// The object whose variables are watched, and those variables; 0 and none without one.
    pub watched: Watched,
    /// The costs of the world's thread.
    pub costs: LoopCosts,
}

/// The object whose variables are watched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Its raw handle; 0 if there is none.
    pub object: u32,
    /// Its variables: name, value, and whether it can be set.
    pub variables: Arc<[(String, String, bool)]>,
}

/// The costs of a world's thread, in nanoseconds of machine time. Means over the last second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCosts {
    /// One step.
    pub step_nanos: u64,
    /// Publishing once.
    pub publish_nanos: u64,
    /// Machine time that was dropped because the machine was too slow, since the start.
    pub forgotten_nanos: u64,
    /// Publications left out because all frames were in use, since the start.
    pub left_out: u64,
    /// Commands refused because the queue was full, since the start.
    pub commands_refused: u64,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Its number: messages are counted from 1.
    pub serial: u64,
    /// The cycle.
    pub cycle: u64,
    /// What it is about.
    pub kind: LineKind,
    /// The text.
    pub text: String,
    /// How often it was said: a fault that is reported again is counted here, and the cycle is that of the last time.
    pub count: u32,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A fault in content that did not stop the world.
    Trouble,
    /// A tag that changed, or a message of a feed.
    Content,
    /// An event that the game's table refused.
    Refusal,
    /// A write to the watched object.
    Write,
    /// The answer to a question of a developer, with the number it was asked with.
    Answer(u64),
    /// The answer is an error.
    NoAnswer(u64),
    /// The world's thread itself: a save was written, a film was rewound.
    Runner,
}

/// A line without its cycle and the handles of its objects.
pub fn gist_of(line: &str) -> String {
    let rest = line.strip_prefix("cycle ").and_then(|rest| rest.split_once(": ")).map_or(line, |(_, rest)| rest);
    let is_handle = |word: &&str| {
        let digits = word.trim_end_matches([':', ',', '.']).strip_prefix('#').unwrap_or_default();
        digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    rest.split(' ').filter(|word| !is_handle(word)).collect::<Vec<&str>>().join(" ")
}
