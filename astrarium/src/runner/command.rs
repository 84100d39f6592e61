//! What can be asked of a running world.

use std::fmt;
use std::path::PathBuf;

use relay::Event;
use view::Topics;

use crate::extractor::Extractor;
use crate::film::Moment;
use crate::session::Session;

/// What [`Command::Visit`] calls.
pub type Visit = Box<dyn FnOnce(&mut Session, &RunningPace) + Send>;

/// What plays a world besides its players: a situation that repeats, a test.
pub trait Driver: Send {
    /// Called before each brush cycle of the present: delivers the inputs of a safe cycle that is about to begin, or begins the world
    /// again. True if the world does not continue the one before.
    fn before_cycle(&mut self, session: &mut Session) -> bool;
}

/// How a world runs just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningPace {
    /// Whether world time stands still.
    pub is_paused: bool,
    /// World time per machine time, in thousandths; none if it runs as fast as possible.
    pub speed: Option<u32>,
    /// Whether a past is shown, which cannot be changed.
    pub is_review: bool,
}

/// A command for a running world. All of them are accepted at any time; one that cannot be carried out is reported by a line of
/// the status.
pub enum Command {
    /// World time stands still.
    Pause,
    /// World time runs.
    Resume,
    /// World time stands still after this many brush cycles.
    Step(u32),
    /// World time per machine time, in thousandths.
    Speed(u32),
    /// Shows a moment of the film: an earlier one of the running film, or any of the film that is shown.
    Seek(Moment),
    /// Shows the present again, after a seek.
    ToPresent,
    /// Continues from the moment that is shown, as a new take.
    Branch,
    /// Continues from the moment that is shown, and this machine plays that player from there on.
    TakeOver(u16),
    /// This machine plays the player: only delivered events count, and none is also an input.
    Join(u16),
    /// A robot plays the player again.
    Leave(u16),
    /// Leaves the other machines that play this world too: then this one is alone with it.
    LeaveOthers,
    /// The events of a player of this machine. They are sealed with the next safe cycle.
    Deliver {
        /// The player.
        player: u16,
        /// The events, in order.
        events: Vec<Event>,
    },
    /// Writes a save.
    Save(PathBuf),
    /// Loads a save.
    Load(PathBuf),
    /// Restarts the level.
    Restart,
    /// Sets a variable of an object at the next safe cycle. Only with developer tools.
    Set {
        /// The raw handle of the object.
        object: u32,
        /// The name of the variable.
        variable: String,
        /// The value, as a designer writes it.
        text: String,
    },
    /// Evaluates an expression over an object, which changes nothing. The answer is a line of the status.
    Ask {
        /// The number of the answer.
        ticket: u64,
        /// The raw handle of the object; 0 for none.
        object: u32,
        /// The expression.
        text: String,
    },
    /// Watches an object: its variables are in the status, and all writes to it are lines. 0 stops that.
    Watch(u32),
    /// Adds a text to the film at this moment.
    Mark(String),
    /// Measures the stages of the step and the memory of the world, or stops that.
    Measure(bool),
    /// The topics of debug drawing that frames contain.
    Topics(Topics),
    /// Connects an extractor.
    Connect(Box<dyn Extractor>),
    /// Calls this with the session that is shown, between two cycles. What it changes has to be an input of the next safe cycle.
    Visit(Visit),
    /// From now on this plays the world too.
    Drive(Box<dyn Driver>),
    /// Ends the world.
    Stop,
}

impl Command {
    /// Whether it changes the world, or its time, other than by the events of a player.
    pub(super) fn changes_the_world(&self) -> bool {
        match self {
            Command::Pause
            | Command::Resume
            | Command::Step(_)
            | Command::Speed(_)
            | Command::Seek(_)
            | Command::ToPresent
            | Command::Branch
            | Command::TakeOver(_)
            | Command::Join(_)
            | Command::Leave(_)
            | Command::Load(_)
            | Command::Restart
            | Command::Set { .. }
            | Command::Visit(_)
            | Command::Drive(_) => true,
            Command::Deliver { .. }
            | Command::LeaveOthers
            | Command::Save(_)
            | Command::Ask { .. }
            | Command::Watch(_)
            | Command::Mark(_)
            | Command::Measure(_)
            | Command::Topics(_)
            | Command::Connect(_)
            | Command::Stop => false,
        }
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Pause => out.write_str("Pause"),
            Command::Resume => out.write_str("Resume"),
            Command::Step(count) => write!(out, "Step({count})"),
            Command::Speed(speed) => write!(out, "Speed({speed})"),
            Command::Seek(moment) => write!(out, "Seek({moment})"),
            Command::ToPresent => out.write_str("ToPresent"),
            Command::Branch => out.write_str("Branch"),
            Command::TakeOver(player) => write!(out, "TakeOver({player})"),
            Command::Join(player) => write!(out, "Join({player})"),
            Command::Leave(player) => write!(out, "Leave({player})"),
            Command::LeaveOthers => out.write_str("LeaveOthers"),
            Command::Deliver { player, events } => write!(out, "Deliver({player}, {} events)", events.len()),
            Command::Save(path) => write!(out, "Save({})", path.display()),
            Command::Load(path) => write!(out, "Load({})", path.display()),
            Command::Restart => out.write_str("Restart"),
            Command::Set { object, variable, text } => write!(out, "Set(#{object:08x}.{variable} = {text})"),
            Command::Ask { ticket, object, text } => write!(out, "Ask({ticket}, #{object:08x}, {text})"),
            Command::Watch(object) => write!(out, "Watch(#{object:08x})"),
            Command::Mark(text) => write!(out, "Mark({text})"),
            Command::Measure(is_on) => write!(out, "Measure({is_on})"),
            Command::Topics(topics) => write!(out, "Topics({topics:?})"),
            Command::Connect(_) => out.write_str("Connect"),
            Command::Visit(_) => out.write_str("Visit"),
            Command::Drive(_) => out.write_str("Drive"),
            Command::Stop => out.write_str("Stop"),
        }
    }
}
