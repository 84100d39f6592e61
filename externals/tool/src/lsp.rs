//! `astrarium lsp`: the language server, over standard input and output.

use std::io;

use astrarium::Extra;
use forge::server::files::Disk;
use forge::server::{Given, Server, run};

/// The command.
pub const COMMAND: Extra = Extra {
    name: "lsp",
    about: "Speaks the Language Server Protocol with an editor, over standard input and output",
    run: speak,
};

fn speak(words: &[String]) -> Result<(), String> {
    // Editors say so; there is no other way.
    if let Some(other) = words.iter().find(|word| *word != "--stdio") {
        return Err(format!("expected nothing or --stdio behind lsp, found \"{other}\""));
    }
    let server = Server::new(Disk, Given::default());
    match run::serve(server, io::stdin(), &mut io::stdout().lock()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(String::from("the editor went away without `shutdown` and `exit`")),
        Err(error) => Err(format!("speaking with the editor failed: {error}")),
    }
}
