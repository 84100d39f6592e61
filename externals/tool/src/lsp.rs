//! `astrarium lsp`: the language server, over standard input and output.

use std::io;

use crate::arguments::flag;
use crate::error::CommandError;
use astrarium::GameEntry;
use clap::Command;
use forge::server::files::Disk;
use forge::server::{Server, ServerSetup, main_loop};

use crate::tag::classes;

/// The command and its arguments.
pub fn command() -> Command {
    // Editors pass `--stdio`; there is no other transport.
    Command::new("lsp")
        .about("Speaks the Language Server Protocol with an editor, over standard input and output")
        .arg(flag("stdio", "Accepted for compatibility; it is the only transport"))
}

/// Serves until the editor says `exit`.
pub fn serve(games: &[GameEntry]) -> Result<(), CommandError> {
    let known = classes(games);
    let classes = known.iter().map(|known| known.class().clone()).collect();
    let server = Server::new(Disk, ServerSetup { classes, vocabulary: known.vocabulary() });
    match main_loop::serve(server, io::stdin(), &mut io::stdout().lock()) {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(CommandError::Failed(String::from("the editor closed the connection without `shutdown` and `exit`")))
        }
        Err(error) => Err(CommandError::Failed(format!("the connection to the editor failed: {error}"))),
    }
}
