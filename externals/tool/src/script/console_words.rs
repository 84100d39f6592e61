//! What the console understands beside LScript.

use script::builtin::BUILTINS;
use world::queries;

use super::setting;

/// A word of the console's own.
#[derive(Debug, PartialEq, Eq)]
pub enum ConsoleWord<'a> {
    /// End.
    Quit,
    /// Of everything, or of one name.
    Help(Option<&'a str>),
}

impl ConsoleWord<'_> {
    /// `quit`, `exit`, `help`, `help()`, `help map` and `help(map)`.
    pub fn of(line: &str) -> Option<ConsoleWord<'_>> {
        let line = line.trim();
        if matches!(line, "quit" | "exit" | "quit()" | "exit()") {
            return Some(ConsoleWord::Quit);
        }
        let of = line.strip_prefix("help")?;
        let name = of.strip_prefix('(').and_then(|of| of.strip_suffix(')')).or(of.strip_prefix(' '));
        let name = if of.is_empty() { "" } else { name?.trim() };
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '!');
        is_name.then_some(ConsoleWord::Help(Some(name).filter(|name| !name.is_empty())))
    }
}

/// Lists what scripts can call, or explains one of it.
pub fn print_help(name: Option<&str>) {
    let builtins =
        BUILTINS.iter().map(|builtin| (builtin.name, builtin.signature, builtin.help, Some(builtin.example)));
    let queries = queries::SIGNATURES.iter().map(|query| (query.name, query.signature, query.help, None));
    let effects = setting().effects.iter().flat_map(|table| table.iter());
    let effects = effects.map(|effect| (effect.name, effect.signature, effect.help, None));
    let wanted = name.map(|name| name.trim_start_matches('!'));
    let mut is_found = false;
    for (name, signature, help, example) in builtins.chain(queries).chain(effects) {
        if wanted.is_none_or(|wanted| wanted == name) {
            is_found = true;
            println!("{signature:<44} {help}");
            if let Some((expression, value)) = example.filter(|_| wanted.is_some()) {
                println!("    {expression}  is  {value}");
            }
        }
    }
    if let (false, Some(wanted)) = (is_found, wanted) {
        println!("there is no built-in, query or effect `{wanted}`; `help` lists them");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_quit_are_words_and_other_lines_are_not() {
        for line in ["quit", "exit", " quit() \n"] {
            assert_eq!(ConsoleWord::of(line), Some(ConsoleWord::Quit), "{line}");
        }
        for line in ["help", "help()", "help \n"] {
            assert_eq!(ConsoleWord::of(line), Some(ConsoleWord::Help(None)), "{line}");
        }
        for line in ["help map", "help(map)", "help( map )"] {
            assert_eq!(ConsoleWord::of(line), Some(ConsoleWord::Help(Some("map"))), "{line}");
        }
        for line in ["helper", "help + 1", "quit + 1", "1", "!set help 2", ""] {
            assert_eq!(ConsoleWord::of(line), None, "{line}");
        }
    }
}
