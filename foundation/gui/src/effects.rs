//! The effects that interface logic can have, one row each: signature, help and an example.
//!
//! This table is the only list of them: the checker, the language server and the manual read [`SIGNATURES`]. Timers, handlers
//! and random numbers are effects of the script machine: see [`script::effect`].

use script::effect::Effect;
use script::meaning::{Meaning, Word};

macro_rules! effects {
    ($($kind:ident $name:literal $signature:literal $help:literal $example:literal [$($meaning:expr)?])*) => {
        /// An effect of interface logic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum GuiEffect {
            $(#[doc = concat!("`", $signature, "`")] $kind,)*
        }

        impl GuiEffect {
            /// All of them, in the order of the table.
            pub const ALL: &[GuiEffect] = &[$(GuiEffect::$kind),*];

            /// The effect of a name.
            pub fn named(name: base::StringId) -> Option<GuiEffect> {
                const NAMES: &[base::StringId] = &[$(base::StringId::new($name)),*];
                NAMES.iter().position(|known| *known == name).map(|index| GuiEffect::ALL[index])
            }
        }

        /// The rows as the checker and the editors read them.
        pub static SIGNATURES: [Effect; [$($name),*].len()] =
            [$(Effect::new($name, $signature, $help).with_meanings(&[$((0, $meaning))?])),*];

        /// A call of each effect, which a test runs.
        pub static EXAMPLES: [&str; SIGNATURES.len()] = [$($example),*];
    };
}

effects! {
    Fire "GUIFire" "GUIFire(string, any…)" "Sends the world an event of the player, with these fields in the order of the event." r#"!GUIFire("fireblaster", 3)"# [Meaning::Names(Word::Event)]
    Send "Send" "Send(any, string, any…)" "Sends a widget, by its name, or an interface, by its handle or path, a message." r#"!Send("score", "blink", 2)"# []
    Show "Show" "Show(string)" "Shows a widget of this interface." r#"!Show("menu")"# [Meaning::Names(Word::Widget)]
    Hide "Hide" "Hide(string)" "Hides a widget of this interface." r#"!Hide("menu")"# [Meaning::Names(Word::Widget)]
    Enable "Enable" "Enable(string, truth)" "Says whether a widget of this interface can be used." r#"!Enable("start", false)"# [Meaning::Names(Word::Widget)]
    Focus "Focus" "Focus(string?)" "Moves the focus to a widget of this interface, or takes it away." r#"!Focus("start")"# [Meaning::Names(Word::Widget)]
    Open "Open" "Open(string, record?)" "Opens the interface at this path over the others, with these variables set." r#"!Open("menu.interface", { title "menu.pause" })"# [Meaning::Path("interface")]
    Close "Close" "Close(string?)" "Closes the interface at this path, or this one." r#"!Close("menu.interface")"# [Meaning::Path("interface")]
    Stage "Stage" "Stage(string)" "Switches to another stage of the game: interfaces that are not of this stage are hidden." r#"!Stage("battle")"# []
    Put "Put" "Put(string, any)" "Gives a widget of this interface its value or its text." r#"!Put("volume", 0.5)"# [Meaning::Names(Word::Widget)]
    Scroll "Scroll" "Scroll(string, number)" "Scrolls a widget of this interface to a share of its content: 0 is the top, 1 the bottom." r#"!Scroll("log", 1)"# [Meaning::Names(Word::Widget)]
    Play "Play" "Play(string, any…)" "Plays the sound at this path." r#"!Play("sounds/click.sound")"# [Meaning::Path("")]
    Setting "Setting" "Setting(string, any)" "Changes one of the player's settings." r#"!Setting("music", 0.5)"# []
    Command "Command" "Command(string, any…)" "Gives the program a command: pause, save, load, quit, rebind, menu and others." r#"!Command("save", "slot 1")"# []
    Context "Context" "Context(string, truth)" "Switches a context of the controls on or off." r#"!Context("driving", true)"# [Meaning::Names(Word::Context)]
    Select "Select" "Select(any…)" "Selects these objects, given as handles or lists of handles; without any, none." r#"!Select(player)"# []
    Log "Log" "Log(any…)" "Writes these values to the developer's log." r#"!Log("here", 1)"# []
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_signature_of_its_name_an_example_and_help() {
        for (row, example) in SIGNATURES.iter().zip(EXAMPLES) {
            let signature = row.signature().expect(row.name);
            assert_eq!(signature.name, row.name);
            assert!(!row.help.is_empty() && example.starts_with(&alloc::format!("!{}(", row.name)), "{}", row.name);
            assert!(GuiEffect::named(base::StringId::new(row.name)).is_some());
        }
        assert_eq!(GuiEffect::named(base::StringId::new("Spawn")), None);
    }
}
