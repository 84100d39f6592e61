//! `astrarium lsp`: the language server, over standard input and output.

use std::io;

use astrarium::extra::{ArgMatches, Command, Extra, Failure, flag};
use forge::server::files::Disk;
use forge::server::{Given, Server, run};

use crate::GAMES;
use crate::tag::classes;

/// The command.
pub const EXTRA: Extra = Extra { command, carry_out };

fn command() -> Command {
    // Editors say `--stdio`; there is no other way.
    Command::new("lsp")
        .about("Speaks the Language Server Protocol with an editor, over standard input and output")
        .arg(flag("stdio", "Over standard input and output, as always"))
}

fn carry_out(_: &ArgMatches) -> Result<(), Failure> {
    speak().map_err(Failure::from)
}

fn speak() -> Result<(), String> {
    let classes = classes(&GAMES).iter().map(|known| known.class().clone()).collect();
    let server = Server::new(Disk, Given { classes, effects: Vec::new() });
    match run::serve(server, io::stdin(), &mut io::stdout().lock()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(String::from("the editor went away without `shutdown` and `exit`")),
        Err(error) => Err(format!("speaking with the editor failed: {error}")),
    }
}
