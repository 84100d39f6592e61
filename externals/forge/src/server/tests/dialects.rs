//! Tags that do not run in the world, such as interfaces, have effects of their own.

use script::effect::Effect;
use script::meaning::{Meaning, Word};
use script::readable::Readable;
use tags::class::{Field, Kind};
use tags::pack::Dialect;
use tags::pack::words::{ClassWords, FieldMeaning};

use super::*;

const TEXTS: Readable = Readable { fields: &[], reserved: "" };
static WORLD: [Effect; 1] = [Effect::new("Spawn", "Spawn(string)", "Makes an object.")];
static OWN: [Effect; 1] = [Effect::new("GUIFire", "GUIFire(string, any…)", "Sends an event.")];
static NAMING: [Effect; 1] =
    [Effect::new("GUIFire", "GUIFire(string)", "").with_meanings(&[(0, Meaning::Names(Word::Event))])];
static WORDS: [ClassWords; 2] = [
    ClassWords { class: "guibutton", fields: &[FieldMeaning::new("Shown", Meaning::Pure)] },
    ClassWords { class: "events", fields: &[FieldMeaning::new("kinds", Meaning::Declares(Word::Event))] },
];

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
fn words_that_no_tag_declares_are_told() {
    static DIALECTS: [Dialect; 1] = [Dialect { class: "guibutton", effects: &NAMING, texts: TEXTS }];
    let class = |name, field, kind| {
        let mut class = Class::new(name);
        class.records[0].fields.push(Field::new(field, kind));
        class.records[0].fields.push(Field::new("OnClick", Kind::Lambda(String::new())));
        class.finish().unwrap()
    };
    let vocabulary = Vocabulary { dialects: &DIALECTS, words: &WORDS, ..Vocabulary::default() };
    let classes =
        vec![class("guibutton", "Shown", Kind::Lambda(String::new())), class("events", "kinds", Kind::StringId)];
    let files = [("/g/tags/all.events", "@events\n!set kinds \"fire\"\n")];
    let mut editor = Editor::with(&files, files_capabilities(), ServerSetup { classes, vocabulary });
    let path = "/g/tags/a.guibutton";
    editor.open(path, "@guibutton\n!set OnClick [ !GUIFire(\"fier\") ]\n!set Shown [ !GUIFire(\"fire\") ]\n");
    let wrong = editor.wrong(path);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].contains("no `events` tag lists the event `fier`") && wrong[0].contains("`fire`?"), "{wrong:?}");
    assert!(wrong[1].contains("has an effect"), "{wrong:?}");
}

#[test]
fn a_dialect_offers_its_effects_as_statements() {
    let mut editor = editor();
    assert!(editor.offers("/g/tags/a.guibutton", "@guibutton\n!|\n").contains(&"!EventHandler".to_string()));
    assert!(!editor.offers("/g/tags/a.ship", "@ship\n!|\n").contains(&"!Spawn".to_string()));
}
