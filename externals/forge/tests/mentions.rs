//! What scripts mention outside of their tags: paths, classes, flags, messages, variables.

use crate::common::Folder;

use forge::check::{Checked, check};
use forge::provider::FromText;
use forge::refs::Refs;
use forge::tree::Tree;
use script::effect::Effect;
use script::meaning::Meaning;
use script::query::{Query, RecordArgument};
use tags::class::{Class, Field, Kind, Number};

static EFFECTS: [Effect; 4] = [
    Effect::new("Spawn", "Spawn(string, record?)", "Makes one.")
        .with_meanings(&[(0, Meaning::Path("ship")), (1, Meaning::State)]),
    Effect::new("Flag", "Flag(string, truth)", "Marks it.").with_meanings(&[(0, Meaning::Flag)]),
    Effect::new("Attach", "Attach(string)", "Attaches it.").with_meanings(&[(0, Meaning::Marker)]),
    Effect::new("Body", "Body(string)", "Changes it.")
        .with_meanings(&[(0, Meaning::Choice("a property", &["friction", "mass"]))]),
];

static QUERIES: [Query; 1] = [Query::new("objects", "objects(record?) list of handle", 1, "All.", ("", ""))
    .with_records(&[RecordArgument {
        index: 0,
        what: "a filter",
        fields: &["class"],
        means: &[("class", Meaning::Class)],
    }])];

/// A tree with a level, a ship whose handler does this, and another ship.
fn tree(folder: &Folder) -> Tree {
    let mut ship = Class::new("ship");
    ship.is_open = true;
    let mut hull = Field::new("hull", Kind::Number(Number::F32));
    hull.is_state = true;
    let cost = Field::new("cost", Kind::Number(Number::F32));
    ship.records[0].fields = vec![hull, Field::new("OnDamage", Kind::Lambda(String::new())), cost];
    let mut globals = Class::new("globals");
    globals.records[0].fields = vec![Field::new("flags", Kind::Series(Box::new(Kind::StringId)))];
    let mut classes =
        tags::Classes::new().with_effects(&EFFECTS).with_queries(&QUERIES).with_events(&["Damage", "Spawn"]);
    for class in [ship, globals] {
        classes.add_table(class.finish().expect("a class")).expect("the names are unique");
    }
    Tree::open(&folder.root(), classes).expect("the folder can be listed")
}

fn checked(line: &str) -> Checked {
    let folder = Folder::new(&[
        ("a.ship", &format!("@ship\n!set other nothing\n!set OnDamage Lambda(d, {line})\n!set own 3\n")),
        ("ships/b.ship", "@ship\n!set nose \"muzzle\"\n!set OnRepair Lambda(by, !set hull hull + by)\n"),
        ("globals.globals", "@globals\n!set flags [\"armed\", \"hidden\"]\n"),
    ]);
    check(&tree(&folder), None)
}

#[test]
fn wrong_words_in_scripts_are_found_with_a_suggestion() {
    for (line, message, help) in [
        ("!Spawn(\"ships/c.ship\")", "error: there is no tag `ships/c.ship`", "did you mean `ships/b.ship`?"),
        ("!Spawn(\"globals.globals\")", "error: `globals.globals` is not a `ship`", "a tag of the class `ship`"),
        ("!Spawn(\"ships/b.ship\", { hulll 3 })", "error: `ships/b.ship` has no variable `hulll`", "`hull`?"),
        (
            "!Spawn(\"ships/b.ship\", { cost 3 })",
            "error: `cost` of `ships/b.ship` is not a variable of its",
            "state true",
        ),
        ("!EventHandler(~this, \"Damge\", [ !Log(1) ])", "warning: nothing sends the message `Damge`", "`damage`?"),
        (
            "!EventHandler(~this, \"OnDamage\", [ !Log(1) ])",
            "warning: `OnDamage` is the name of a variable",
            "called `Damage`",
        ),
        ("!Send(~this, \"OnRepair\", 3)", "warning: `OnRepair` is the name of a variable", "called `Repair`"),
        ("!Flag(\"armd\", true)", "error: there is no flag `armd`", "did you mean `armed`?"),
        ("!Flag(\"nosuch\", true)", "error: there is no flag `nosuch`", "the field `flags` of the globals"),
        ("!Attach(\"muzle\")", "warning: no tag has a marker `muzle`", "did you mean `muzzle`?"),
        ("!Body(\"frction\")", "error: `frction` is not a property", "did you mean `friction`?"),
        ("!set own count(objects({ class \"shp\" }))", "error: there is no class `shp`", "did you mean `ship`?"),
        ("!Send(~this, \"repiar\", 3)", "warning: no tag handles the message `repiar`", "did you mean `repair`?"),
        ("!set own ~sender.hul", "warning: no class and no tag has a variable `hul`", "did you mean `hull`?"),
        ("!Spwan(\"ships/b.ship\")", "error: there is no effect `!Spwan`", "did you mean `!Spawn`?"),
        ("!Bang(1)", "warning: `!Bang` is not a known effect", "the game that runs this must know it"),
        ("!Send(~captain, \"repair\")", "error: there is no object `~captain`", "`~this`"),
    ] {
        let found = checked(line);
        let told: Vec<&str> = found.findings.iter().map(|finding| finding.rendered.as_str()).collect();
        assert_eq!(told.len(), 1, "{line}: {told:#?}");
        assert!(told[0].contains(message) && told[0].contains(help), "{line}: {}", told[0]);
        assert!(told[0].contains("a.ship:3:"), "{line}: {}", told[0]);
    }
}

#[test]
fn right_words_in_scripts_are_not_reported() {
    for line in [
        "do [ !Spawn(\"ships\\b.ship\", { hull 3, nose \"x\" }), !Flag(\"armed\", true), !Attach(\"muzzle\"), !Body(\"mass\") ]",
        "!Send(~sender, \"repair\", count(objects({ class \"ship\" })))",
        "!set own ~sender.hull + ~sender.own",
        "!Spawn(if d > 3 then \"ships/b.ship\" else \"a.ship\")",
        "!Send(~this, \"something_quite_else\")",
    ] {
        let found = checked(line);
        assert_eq!(found.findings.len(), 0, "{line}: {:#?}", found.findings);
    }
}

#[test]
fn tags_that_scripts_spawn_are_used() {
    let folder = Folder::new(&[
        ("a.ship", "@ship\n!set OnDamage Lambda(d, !Spawn(\"ships/b.ship\"))\n"),
        ("ships/b.ship", "@ship\n"),
        ("globals.globals", "@globals\n"),
    ]);
    let tree = tree(&folder);
    let refs = Refs::of(&tree, &mut FromText, &[]).expect("a graph");
    let number = |path: &str| tree.tag(path).expect("a tag");
    assert_eq!(refs.graph.used_by(number("ships/b.ship")).len(), 1);
    assert_eq!(refs.graph.unused(&refs.roots), [number("a.ship")]);
}

#[test]
fn a_handler_that_is_nearly_an_event_gets_a_suggestion() {
    let folder = Folder::new(&[
        ("a.ship", "@ship\n!set OnDamge Lambda(d, !Log(d))\n!set OnSomethingElse Lambda(d, !Log(d))\n"),
        ("globals.globals", "@globals\n"),
    ]);
    let found = check(&tree(&folder), None);
    let told: Vec<&str> = found.findings.iter().map(|finding| finding.rendered.as_str()).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("a.ship:2:6: warning: nothing sends the message `Damge`"), "{}", told[0]);
    assert!(told[0].contains("did you mean `OnDamage`?"), "{}", told[0]);
}
