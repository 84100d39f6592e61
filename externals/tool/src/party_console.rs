//! Lines typed at a machine that plays together with others: what its person wants.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use astrarium::party::Wish;

use crate::error::CommandError;
use crate::typed_lines::{TypedLine, next_line};

/// The lines that wait until the network is looked at again.
const WAITING_MAX: usize = 16;

/// The longest line.
const LINE_BYTES_MAX: usize = 1024;

/// The commands: the word, what it takes, what it does.
const COMMANDS: [(&str, &str, &str); 10] = [
    ("ready", "", "the first cycle may begin"),
    ("wait", "", "the first cycle may not begin yet"),
    ("begin", "", "begin before all are ready; only the host"),
    ("play", "N", "play this player; before the first cycle"),
    ("say", "TEXT", "say something to all"),
    ("pause", "", "ask for a pause; the host pauses alone"),
    ("resume", "", "do not ask any more; the host lets time run for all"),
    ("kick", "N REASON", "remove a machine; only the host"),
    ("who", "", "who is there"),
    ("leave", "", "leave"),
];

/// The wishes that are typed, from a thread of its own.
pub fn wishes() -> Result<Receiver<Wish>, CommandError> {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let read = move || {
        loop {
            let wish = match next_line(&mut io::stdin().lock(), LINE_BYTES_MAX) {
                Ok(TypedLine::Text(line)) => wish_of(&line),
                Ok(TypedLine::TooLong) => None,
                Ok(TypedLine::End) | Err(_) => return,
            };
            let Some(wish) = wish else {
                help();
                continue;
            };
            if sender.send(wish).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name(String::from("console")).spawn(read)?;
    Ok(receiver)
}

/// What a line wants; none if it is not understood.
fn wish_of(line: &str) -> Option<Wish> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let wish = match word {
        "ready" => Wish::Ready(true),
        "wait" => Wish::Ready(false),
        "begin" => Wish::Begin,
        "play" => Wish::Choose(rest.parse().ok()?),
        "say" if !rest.is_empty() => Wish::Say(rest.to_string()),
        "pause" => Wish::Pause(true),
        "resume" => Wish::Pause(false),
        "kick" => {
            let (machine, why) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            Wish::Kick(machine.parse().ok()?, why.trim().to_string())
        }
        "who" => Wish::Who,
        "leave" => Wish::Leave,
        _ => return None,
    };
    Some(wish)
}

fn help() {
    for (word, takes, meaning) in COMMANDS {
        let head = format!("{word} {takes}");
        // A closed one does not stop the game.
        let _ = writeln!(io::stderr(), "  {head:<14} {meaning}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_understood_and_nothing_else() {
        for (word, takes, _) in COMMANDS {
            let line = format!("{word} {}", takes.replace('N', "3"));
            assert!(wish_of(&line).is_some(), "{line}");
        }
        assert_eq!(wish_of(" kick 2  too  loud "), Some(Wish::Kick(2, String::from("too  loud"))));
        assert_eq!(wish_of("say hello there"), Some(Wish::Say(String::from("hello there"))));
        for line in ["", "play", "play x", "kick", "kick 300", "say", "fly", "help"] {
            assert_eq!(wish_of(line), None, "{line}");
        }
    }
}
