//! What an interface may ask of the program with `!Command("word", …)`: one table for carrying out, help and the book.

use crate::film::Moment;
use crate::runner::Command;
use crate::status::Status;

/// A word of interfaces.
#[derive(Clone, Copy, Debug)]
pub struct ProgramWord {
    /// The word.
    pub word: &'static str,
    /// What follows it.
    pub takes: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    act: Act,
}

/// What a word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Pause,
    Resume,
    PauseOrResume,
    Step,
    Speed,
    Slower,
    Faster,
    Rewind,
    Present,
    TakeOver,
    Leave,
    Restart,
    Save,
    Load,
    Screenshot,
    Fullscreen,
    Menu,
    Quit,
}

const fn row(word: &'static str, takes: &'static str, act: Act, about: &'static str) -> ProgramWord {
    ProgramWord { word, takes, about, act }
}

/// All words. Those of the controls (`rebind`, `reset_keys`) are the players' own.
pub const PROGRAM_WORDS: [ProgramWord; 18] = [
    row("pause", "", Act::Pause, "stops time"),
    row("resume", "", Act::Resume, "lets time run"),
    row("pause_or_resume", "", Act::PauseOrResume, "stops time, or lets it run"),
    row("step", "CYCLES", Act::Step, "stops time after so many brush cycles"),
    row("speed", "FACTOR", Act::Speed, "the speed of time"),
    row("slower", "", Act::Slower, "halves it, down to an eighth"),
    row("faster", "", Act::Faster, "doubles it, up to eight times"),
    row("rewind", "SECONDS", Act::Rewind, "stops time, and shows the world as it was so long ago"),
    row("present", "", Act::Present, "shows the present again, and lets time run"),
    row(
        "take_over",
        "PLAYER",
        Act::TakeOver,
        "plays on from what is shown, as this player; without a number as the own one, with `other` as the next one",
    ),
    row("leave", "", Act::Leave, "leaves the other machines that play this world too"),
    row("restart", "", Act::Restart, "begins the level again"),
    row("save", "NAME", Act::Save, "writes a save"),
    row("load", "NAME", Act::Load, "loads it"),
    row("screenshot", "", Act::Screenshot, "writes a picture"),
    row("fullscreen", "", Act::Fullscreen, "covers the screen, or no longer"),
    row("menu", "", Act::Menu, "opens the menu"),
    row("quit", "", Act::Quit, "ends the program"),
];

/// The slowest and the fastest time that steps of `slower` and `faster` lead to, in thousandths.
const SPEEDS: (u32, u32) = (125, 8000);

/// What follows a word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordArguments {
    /// As a number, if it is one.
    pub number: Option<f64>,
    /// Whether it is the text `other`.
    pub is_other: bool,
    /// The player whose view is shown.
    pub player: Option<u16>,
}

/// What is to be done for a word.
#[derive(Debug)]
pub enum Asked {
    /// The world gets these commands.
    World(Vec<Command>),
    /// This player is shown and played from here on, instead of the one before.
    Play(u16),
    /// A save is written.
    Save,
    /// A save is loaded.
    Load,
    /// A picture is written.
    Screenshot,
    /// The screen is covered, or no longer.
    Fullscreen,
    /// The menu is opened.
    Menu,
    /// The program ends.
    Quit,
}

/// What a word asks for just now; none if there is no such word.
pub fn asked(word: &str, arguments: &WordArguments, status: &Status) -> Option<Asked> {
    let row = PROGRAM_WORDS.iter().find(|row| row.word == word)?;
    let number = arguments.number.unwrap_or_default();
    let commands = match row.act {
        Act::Pause => vec![Command::Pause],
        Act::Resume => vec![Command::Resume],
        Act::PauseOrResume if status.is_paused => vec![Command::Resume],
        Act::PauseOrResume => vec![Command::Pause],
        Act::Step => vec![Command::Step(number.clamp(1.0, 1000.0) as u32)],
        Act::Speed => vec![Command::Speed((number * 1000.0).clamp(0.0, 1e6) as u32)],
        Act::Slower => vec![Command::Speed((status.speed / 2).max(SPEEDS.0))],
        Act::Faster => vec![Command::Speed(status.speed.saturating_mul(2).clamp(SPEEDS.0, SPEEDS.1))],
        Act::Rewind => vec![Command::Pause, Command::Seek(moment_before(number, status))],
        Act::Present => vec![Command::ToPresent, Command::Resume],
        Act::TakeOver => return Some(Asked::Play(player_of(arguments, status))),
        Act::Leave => vec![Command::LeaveOthers],
        Act::Restart => vec![Command::Restart],
        Act::Save => return Some(Asked::Save),
        Act::Load => return Some(Asked::Load),
        Act::Screenshot => return Some(Asked::Screenshot),
        Act::Fullscreen => return Some(Asked::Fullscreen),
        Act::Menu => return Some(Asked::Menu),
        Act::Quit => return Some(Asked::Quit),
    };
    Some(Asked::World(commands))
}

/// The moment so many seconds before the one that is shown, or the first.
fn moment_before(seconds: f64, status: &Status) -> Moment {
    let per_second = if status.seconds > 0.0 { status.cycle as f64 / status.seconds } else { 0.0 };
    // A number that is no time is none; a longer one than the film is the first moment.
    let back = (seconds.max(0.0) * per_second).round() as u64;
    let cycle = status.cycle.saturating_sub(back).max(status.span.0);
    Moment { take: Some(status.take), cycle: Some(cycle) }
}

fn player_of(arguments: &WordArguments, status: &Status) -> u16 {
    let own = arguments.player.unwrap_or_default();
    match arguments.number {
        _ if arguments.is_other => own.saturating_add(1).checked_rem(status.players).unwrap_or_default(),
        // A player that does not exist is refused by the world.
        Some(number) => number.clamp(0.0, f64::from(u16::MAX)) as u16,
        None => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status {
        Status { cycle: 3000, seconds: 30.0, speed: 1000, take: 2, span: (500, 3000), players: 2, ..Status::default() }
    }

    fn commands(word: &str, number: Option<f64>, status: &Status) -> String {
        let arguments = WordArguments { number, ..WordArguments::default() };
        match asked(word, &arguments, status) {
            Some(Asked::World(commands)) => format!("{commands:?}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn every_word_is_carried_out_and_is_there_once() {
        for (index, row) in PROGRAM_WORDS.iter().enumerate() {
            assert!(PROGRAM_WORDS[..index].iter().all(|other| other.word != row.word), "{}", row.word);
            assert!(asked(row.word, &WordArguments::default(), &status()).is_some(), "{}", row.word);
        }
        assert!(asked("fly", &WordArguments::default(), &status()).is_none());
    }

    #[test]
    fn the_book_has_every_word_with_what_follows_it() {
        let book = include_str!("../../../docs/book/src/window.md");
        for row in &PROGRAM_WORDS {
            let named = format!("{} {}", row.word, row.takes);
            assert!(book.contains(&format!("`{}`", named.trim())), "{named}");
        }
    }

    #[test]
    fn time_is_stopped_slowed_hurried_and_turned_back() {
        let (runs, stands) = (status(), Status { is_paused: true, ..status() });
        assert_eq!(commands("pause_or_resume", None, &runs), "[Pause]");
        assert_eq!(commands("pause_or_resume", None, &stands), "[Resume]");
        assert_eq!(commands("slower", None, &runs), "[Speed(500)]");
        assert_eq!(commands("slower", None, &Status { speed: 125, ..status() }), "[Speed(125)]");
        assert_eq!(commands("faster", None, &runs), "[Speed(2000)]");
        assert_eq!(commands("faster", None, &Status { speed: 8000, ..status() }), "[Speed(8000)]");
        assert_eq!(commands("faster", None, &Status { speed: 0, ..status() }), "[Speed(125)]");
        let seek = |cycle: u64| format!("[Pause, Seek({})]", Moment { take: Some(2), cycle: Some(cycle) });
        assert_eq!(commands("rewind", Some(10.0), &runs), seek(2000));
        for far in [1e9, f64::INFINITY] {
            assert_eq!(commands("rewind", Some(far), &runs), seek(500));
        }
        for none in [-5.0, 0.0, f64::NAN] {
            assert_eq!(commands("rewind", Some(none), &runs), seek(3000));
        }
        assert_eq!(
            commands("rewind", Some(10.0), &Status::default()),
            format!("[Pause, Seek({})]", Moment { take: Some(0), cycle: Some(0) })
        );
    }

    #[test]
    fn a_player_is_taken_over_by_number_the_own_one_or_the_other() {
        let played = |number: Option<f64>, is_other: bool, player: Option<u16>| match asked(
            "take_over",
            &WordArguments { number, is_other, player },
            &status(),
        ) {
            Some(Asked::Play(player)) => player,
            other => panic!("{other:?}"),
        };
        assert_eq!(played(None, false, Some(1)), 1);
        assert_eq!(played(None, true, Some(0)), 1);
        assert_eq!(played(None, true, Some(1)), 0);
        assert_eq!(played(Some(1.0), false, Some(0)), 1);
        assert_eq!(played(Some(-3.0), false, None), 0);
    }
}
