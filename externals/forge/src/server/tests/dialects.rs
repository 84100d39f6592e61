//! Tags that do not run in the world, such as interfaces, have effects of their own.

use script::effect::Effect;
use script::readable::Readable;
use tags::class::{Field, Kind};
use tags::pack::Dialect;

use super::*;

const TEXTS: Readable = Readable { fields: &[], reserved: "" };
static WORLD: [Effect; 1] = [Effect::new("Spawn", "Spawn(string)", "Makes an object.")];
static OWN: [Effect; 1] = [Effect::new("GUIFire", "GUIFire(string, any…)", "Sends an event.")];

/// The thesis's own example of a button.
const BUTTON: &str = "@guibutton\n!EventHandler(~this, \"guiclick\", [\n    !GUIFire(\"fireblaster\")\n])\n";

fn editor() -> Editor {
    static DIALECTS: [Dialect; 1] = [Dialect { class: "guibutton", effects: &OWN, texts: TEXTS }];
    let class = |name| {
        let mut class = Class::new(name);
        class.records[0].fields.push(Field::new("OnClick", Kind::Lambda(String::new())));
        class.finish().unwrap()
    };
    let vocabulary = Vocabulary { effects: &WORLD, dialects: &DIALECTS, ..Vocabulary::default() };
    let classes = vec![class("guibutton"), class("ship")];
    Editor::with(&[], files_capabilities(), ServerSetup { classes, vocabulary })
}

#[test]
fn the_thesis_statement_is_accepted_in_its_class_alone() {
    let mut editor = editor();
    editor.open("/g/tags/fire.guibutton", BUTTON);
    assert_eq!(editor.wrong("/g/tags/fire.guibutton"), [""; 0]);
    editor.open("/g/tags/a.ship", &BUTTON.replace("guibutton", "ship"));
    let wrong = editor.wrong("/g/tags/a.ship");
    assert!(wrong.iter().any(|told| told.contains("a tag only sets its fields")), "{wrong:?}");
}

#[test]
fn effects_of_the_world_are_errors_and_not_offered() {
    let mut editor = editor();
    editor.open("/g/tags/a.guibutton", "@guibutton\n!set OnClick [ !Spawn(\"x\") ]\n");
    let wrong = editor.wrong("/g/tags/a.guibutton");
    assert!(wrong.iter().any(|told| told.contains("Spawn")), "{wrong:?}");
    for (path, class, own, other) in
        [("/g/tags/a.guibutton", "guibutton", "!GUIFire", "!Spawn"), ("/g/tags/a.ship", "ship", "!Spawn", "!GUIFire")]
    {
        for body in ["[ !| ]", "Lambda(!|)", "Lambda(|)"] {
            let offers = editor.offers(path, &format!("@{class}\n!set OnClick {body}\n"));
            let has = |name: &str| offers.iter().any(|offer| offer == name);
            assert!(has(own) && has("!After") && !has(other), "{class} {body}: {offers:?}");
        }
    }
    let told = editor.hover("/g/tags/a.guibutton", "@guibutton\n!set OnClick [ !GUI|Fire(\"x\") ]\n");
    assert!(told.contains("Sends an event."), "{told}");
}

#[test]
fn a_dialect_offers_its_effects_as_statements() {
    let mut editor = editor();
    assert!(editor.offers("/g/tags/a.guibutton", "@guibutton\n!|\n").contains(&"!EventHandler".to_string()));
    assert!(!editor.offers("/g/tags/a.ship", "@ship\n!|\n").contains(&"!Spawn".to_string()));
}
