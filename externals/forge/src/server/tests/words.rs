//! What the arguments of effects and queries mean: offered, and told where it is not there.

use script::effect::Effect;
use script::meaning::Meaning as Means;
use script::query::{Query, RecordArgument};

use super::*;

static EFFECTS: [Effect; 4] = [
    Effect::new("Spawn", "Spawn(string, record?)", "Makes one.")
        .with_meanings(&[(0, Means::Path("ship")), (1, Means::State)]),
    Effect::new("Flag", "Flag(string, truth)", "Marks it.").with_meanings(&[(0, Means::Flag)]),
    Effect::new("Body", "Body(string)", "Changes it.")
        .with_meanings(&[(0, Means::Choice("a property", &["friction", "mass"]))]),
    Effect::new("Connect", "Connect(record)", "Joins it.").with_meanings(&[(
        0,
        Means::Record("a joint", &["axis", "kind"], &[("kind", Means::Choice("a kind", &["hinge"]))]),
    )]),
];

static QUERIES: [Query; 1] = [Query::new("objects", "objects(record?) list of handle", 1, "All.", ("", ""))
    .with_records(&[RecordArgument {
        index: 0,
        what: "a filter",
        fields: &["class", "team"],
        means: &[("class", Means::Class)],
    }])];

const SHIP: &str = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [\n    { name \"hull\", type \"number\", state true },\n    { name \"mass\", type \"number\" },\n    { name \"OnHit\", type \"lambda\" }\n]\n";

fn editor() -> Editor {
    let files = [
        ("/g/tags/ship.header", SHIP),
        (
            "/g/tags/globals.header",
            "@EnvironmentHeader\n!set Namespace \"globals\"\n!set Attributes [{ name \"flags\", type \"list of string id\" }]\n",
        ),
        ("/g/tags/globals.globals", "// Of the game.\n@globals\n!set flags [\"armed\", \"hidden\"]\n"),
        ("/g/tags/ships/b.ship", "// Another.\n@ship\n!set hull 3\n!set OnHit Lambda(!set own 3)\n"),
    ];
    let vocabulary = Vocabulary { effects: &EFFECTS, queries: &QUERIES, ..Vocabulary::default() };
    Editor::with(&files, files_capabilities(), ServerSetup { vocabulary, ..ServerSetup::default() })
}

fn marked(line: &str) -> String {
    format!("@ship\n!set OnHit Lambda({line})\n")
}

#[test]
fn words_of_effects_and_queries_are_offered() {
    let mut editor = editor();
    for (line, expected) in [
        ("!Spawn(\"|\")", &["a.ship", "ships/b.ship"][..]),
        ("!Flag(\"|\")", &["armed", "hidden"]),
        ("!Body(\"fr|\")", &["friction", "mass"]),
        ("!Connect({ | })", &["axis", "kind"]),
        ("!Connect({ axis 1, | })", &["kind"]),
        ("!Connect({ kind \"|\" })", &["hinge"]),
        ("count(objects({ | }))", &["class", "team"]),
        ("count(objects({ class \"|\" }))", &["globals", "ship"]),
        ("!Spawn(\"ships/b.ship\", { | })", &["hull"]),
    ] {
        let offers = editor.offers("/g/tags/a.ship", &marked(line));
        assert_eq!(offers, expected, "{line}");
    }
    // Outside of strings they are offered before what else may stand there.
    let offers = editor.offers("/g/tags/a.ship", &marked("!Flag(|"));
    assert!(offers.contains(&"armed".to_string()) && offers.contains(&"hull".to_string()), "{offers:?}");
}

#[test]
fn words_that_are_not_there_are_told() {
    let mut editor = editor();
    for (line, expected) in [
        (
            "!Spawn(\"globals.globals\")",
            &[
                "1:25 `globals.globals` is not a `ship`\na tag of the class `ship`, or of one derived from it, is expected here",
            ][..],
        ),
        ("!Spawn(\"ships/c.ship\")", &["1:25 there is no tag `ships/c.ship`\ndid you mean `ships/b.ship`?"]),
        (
            "!Spawn(\"ships/b.ship\", { hulll 3 })",
            &["1:43 `ships/b.ship` has no variable `hulll`\ndid you mean `hull`?"],
        ),
        ("!Flag(\"armd\", true)", &["1:24 there is no flag `armd`\ndid you mean `armed`?"]),
        (
            "!Flag(\"nosuch\", true)",
            &["1:24 there is no flag `nosuch`\nthe field `flags` of the globals lists the flags of a game"],
        ),
        ("!Spawn(\"ships/b.ship\", { hull 3, own 4 })", &[]),
        ("!Flag(\"armed\", true)", &[]),
        ("!Spawn(\"ships\\b.ship\")", &[]),
    ] {
        editor.open("/g/tags/a.ship", &marked(line));
        assert_eq!(editor.wrong("/g/tags/a.ship"), expected, "{line}");
    }
}
