//! Tags of classes that the program declares, with every kind of field.

use tags::class::{Field, Former, Kind, Named, Number, Record};

use super::*;

fn named(names: &[&str]) -> Vec<Named> {
    names.iter().map(|name| Named { help: format!("Being {name}."), ..Named::new(name) }).collect()
}

/// A class of ships.
fn ship() -> Class {
    let mut class = Class::new("ship");
    class.version = 2;
    class.help = "Something that flies.".to_string();
    let mass = Field {
        default: Some("10".to_string()),
        unit: "t".to_string(),
        range: Some((0.0, 100.0)),
        step: Some(0.5),
        help: "How heavy it is.".to_string(),
        former: vec![Former { name: "weight".to_string(), before: 2, convert: None }],
        ..Field::new("mass", Kind::Number(Number::F32))
    };
    class.records[0].fields = vec![
        mass,
        Field::new("size", Kind::Choice(named(&["small", "large"]))),
        Field::new("marks", Kind::Flags(named(&["fast", "armed"]))),
        Field::new("weapon", Kind::Optional(Box::new(Kind::Reference("weapon".to_string())))),
        Field::new("slots", Kind::Series(Box::new(Kind::Record(1)))),
        Field { is_hidden: true, ..Field::new("secret", Kind::Truth) },
        Field::new("thrust", Kind::Formula),
    ];
    let slot = vec![Field::new("marker", Kind::StringId), Field::new("weapon", Kind::Reference("weapon".to_string()))];
    class.records.push(Record { name: "slot".to_string(), fields: slot, key: Some(0), ..Record::default() });
    class.finish().unwrap()
}

fn editor() -> Editor {
    let files = [("/g/tags/w/laser.weapon", "@weapon\n"), ("/g/tags/w/mine.weapon", "@weapon\n")];
    let given = ServerSetup { classes: vec![ship(), Class::new("weapon").finish().unwrap()], ..ServerSetup::default() };
    Editor::with(&files, files_capabilities(), given)
}

const PATH: &str = "/g/tags/a.ship";

#[test]
fn a_tag_is_checked_by_its_class() {
    let mut editor = editor();
    for (text, wrong) in [
        ("@ship 2\n!set mass 3\n!set size \"small\"\n!set marks [\"fast\"]\n", &[][..]),
        ("@ship 2\n!set mass 300\n", &["1:10"]),
        ("@ship 2\n!set mass \"x\"\n", &["1:10"]),
        ("@ship 2\n!set mas 3\n", &["1:5"]),
        ("@ship 2\n!set size \"smal\"\n", &["1:10"]),
        ("@ship 2\n!set weapon \"w/lasr.weapon\"\n", &["1:12"]),
        (
            "@ship 2\n!set slots [ { marker \"a\", weapon \"w/laser.weapon\" }, { marker \"b\", weapon \"w\\gone.weapon\" } ]\n",
            &["1:75"],
        ),
        ("@ship 2\n!set weapon \"w/laser.weapon\"\n!set thrust Lambda(mass * 3)\n", &[]),
        ("@ship 2\n!set mass (\n", &["2:0"]),
    ] {
        editor.open(PATH, text);
        let found = editor.wrong(PATH);
        let places: Vec<&str> = found.iter().map(|found| found.split(' ').next().unwrap()).collect();
        assert_eq!(places, wrong, "{text}: {found:?}");
    }
    editor.open(PATH, "@ship 2\n!set weapon \"w/lasr.weapon\"\n");
    assert_eq!(editor.wrong(PATH), ["1:12 there is no tag `w/lasr.weapon`\ndid you mean `w/laser.weapon`?"]);
    editor.open(PATH, "!set mass 3\n");
    assert_eq!(editor.wrong(PATH).len(), 1, "its head is missing");
    editor.open(PATH, "@weapon\n!set mass 3\n");
    assert_eq!(editor.wrong(PATH).len(), 1, "its head names another class");
    editor.open("/g/tags/a.shop", "@shop\n!set x 1\n");
    assert!(editor.wrong("/g/tags/a.shop")[0].starts_with("0:1 the class `@shop` is unknown here"));
}

#[test]
fn a_new_tag_is_no_longer_missing() {
    let mut editor = editor();
    editor.open(PATH, "@ship 2\n!set weapon \"w/new.weapon\"\n");
    assert_eq!(editor.wrong(PATH).len(), 1);
    editor.open("/g/tags/w/new.weapon", "@weapon\n");
    assert!(editor.wrong(PATH).is_empty());
}

#[test]
fn names_of_choices_and_flags_are_offered() {
    let mut editor = editor();
    assert_eq!(&editor.offers(PATH, "@ship 2\n!set size |")[..2], ["\"small\"", "\"large\""]);
    assert_eq!(editor.offers(PATH, "@ship 2\n!set size \"|\""), ["\"small\"", "\"large\""]);
    assert_eq!(editor.offers(PATH, "@ship 2\n!set marks [\"|\"]"), ["\"fast\"", "\"armed\""]);
    assert_eq!(&editor.offers(PATH, "@ship 2\n!set weapon |")[..3], ["w/laser.weapon", "w/mine.weapon", "nothing"]);
    assert_eq!(editor.offers(PATH, "@ship 2\n!set slots [ { marker \"a\", weapon \"las|\" } ]"), ["w/laser.weapon"]);
    let slots = "@ship 2\n!set slots [ { marker \"nose\" }, { marker \"tail\" }, { marker \"|\" } ]";
    assert_eq!(editor.offers(PATH, slots), ["nose", "tail"]);
    let offers = editor.offers(PATH, "@ship 2\n!set mass 1\n!set |");
    assert_eq!(offers, ["size", "marks", "weapon", "slots", "thrust"]);
}

#[test]
fn hover_shows_all_attributes_of_a_field() {
    let mut editor = editor();
    let told = editor.hover(PATH, "@ship 2\n!set ma|ss 3 //? try 20\n");
    for wanted in
        ["**mass**", "unit t", "from 0 to 100", "in steps of 0.5", "default `10`", "How heavy", "`weight`", "> try 20"]
    {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    assert!(editor.hover(PATH, "@ship 2\n!set size \"sm|all\"\n").contains("Being small."));
    assert!(editor.hover(PATH, "@ship 2\n!set mass 3|0\n").contains("**mass**"));
    assert!(editor.hover(PATH, "@ship 2\n!set slots [ { mar|ker \"a\" } ]\n").contains("in `slot` of `@ship`"));
    assert!(editor.hover(PATH, "@sh|ip 2\n").contains("Something that flies."));
    assert!(editor.hover(PATH, "@ship 2\n!set weapon \"w/la|ser.weapon\"\n").contains("the tag `w/laser.weapon`"));
}

#[test]
fn fields_of_records_differ_from_those_of_the_tag() {
    let mut editor = editor();
    let text = "@ship 2\n!set weapon \"w/laser.weapon\"\n!set slots [ { marker \"a\", we|apon \"w/laser.weapon\" }, { weapon \"w/mine.weapon\" } ]\n";
    let found = editor.places("textDocument/references", PATH, text);
    assert_eq!(found, ["tags/a.ship:2:27-33", "tags/a.ship:2:56-62"]);
    let found = editor.places("textDocument/references", PATH, &text.replace('|', "").replace("!set we", "!set we|"));
    assert_eq!(found, ["tags/a.ship:1:5-11"]);
}

#[test]
fn a_field_of_a_class_in_rust_is_renamed_there() {
    let mut editor = editor();
    assert!(editor.rename(PATH, "@ship 2\n!set ma|ss 3\n", "weight").unwrap_err().contains("declared in Rust"));
    // The header that a game wrote is shown, and not changed.
    let written = shelf::headers::sealed(SHIP_HEADER);
    let files = [("/g/.astrarium/classes/ship.header", &*written)];
    for classes in [vec![ship()], Vec::new()] {
        let mut editor = Editor::with(&files, files_capabilities(), ServerSetup { classes, ..ServerSetup::default() });
        assert!(editor.rename(PATH, "@ship\n!set ma|ss 3\n", "heft").unwrap_err().contains("declared in Rust"));
        let found = editor.places("textDocument/definition", PATH, "@ship\n!set ma|ss 3\n");
        assert_eq!(found, [".astrarium/classes/ship.header:3:11-17"]);
    }
}

#[test]
fn a_damaged_header_of_a_game_is_not_used_and_said_so() {
    const MADE: &str = "/g/.astrarium/classes/ship.header";
    let written = shelf::headers::sealed(SHIP_HEADER);
    let damaged = written.replace("[0, 100]", "[0, 101]");
    for (text, is_known) in [(&written, true), (&damaged, false)] {
        let mut editor = Editor::new(&[(MADE, &**text)]);
        editor.open(PATH, "@ship\n!set mass 3\n");
        let found = editor.wrong(PATH);
        assert_eq!(found.is_empty(), is_known, "{found:?}");
        editor.open(MADE, text);
        let found = editor.wrong(MADE);
        assert_eq!(found.iter().any(|report| report.contains("is damaged")), !is_known, "{found:?}");
    }
}

#[test]
fn notes_on_a_class_are_checked_and_offered() {
    let mut editor = editor();
    editor.open("/g/tags/ship.notes", "!set mass \"not below 3\"\n!set mas \"x\"\n!set size 3\n");
    let found = editor.wrong("/g/tags/ship.notes");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("did you mean `mass`?"), "{found:?}");
    let offers = editor.offers("/g/tags/ship.notes", "!set mass \"a\"\n!set |");
    assert!(offers.contains(&"size".to_string()) && !offers.contains(&"mass".to_string()), "{offers:?}");
}

const OBJECT_HEADER: &str = "@EnvironmentHeader
!set Namespace \"object\"
!set Attributes [
    { name \"hull\", type \"f32\", state true },
    { name \"friend\", type \"@object\" }
]
";

const BOAT_HEADER: &str = "@EnvironmentHeader
!set Namespace \"boat\"
!set Base \"object\"
!set Attributes [{ name \"hull\", default 5 }, { name \"sail\", type \"truth\" }]
";

const BOAT: &str = "/g/tags/a.boat";

fn harbour() -> Editor {
    // The derived one comes first, by path.
    let files = [("/g/tags/boat.header", BOAT_HEADER), ("/g/tags/object.header", OBJECT_HEADER)];
    let more = [("/g/tags/b.boat", "@boat\n!set hull 1\n"), ("/g/tags/c.object", "@object\n!set hull 1\n")];
    let files: Vec<(&str, &str)> = files.into_iter().chain(more).collect();
    Editor::with(&files, files_capabilities(), ServerSetup::default())
}

#[test]
fn a_tag_has_the_fields_of_its_class_and_of_the_bases() {
    let mut editor = harbour();
    assert_eq!(editor.offers(BOAT, "@boat\n!set |"), ["hull", "friend", "sail"]);
    editor.open(BOAT, "@boat\n!set hull 3\n!set friend \"b.boat\"\n!set sail true\n");
    assert_eq!(editor.wrong(BOAT), [""; 0]);
    editor.open(BOAT, "@boat\n!set friend \"object.header\"\n");
    let found = editor.wrong(BOAT);
    assert!(found.iter().any(|found| found.contains("expected the path of a `object`")), "{found:?}");
    assert_eq!(editor.offers(BOAT, "@boat\n!set friend \"|\""), ["a.boat", "b.boat", "c.object"]);
    let told = editor.hover(BOAT, "@boat\n!set hu|ll 3\n");
    assert!(told.contains("from `@object`") && told.contains("each object has its own"), "{told}");
    assert!(editor.hover(BOAT, "@bo|at\n").contains("derived from `@object`"));
    let found = editor.places("textDocument/definition", BOAT, "@boat\n!set fr|iend \"\"\n");
    assert_eq!(found, ["tags/object.header:4:11-19"]);
}

#[test]
fn a_base_is_completed_shown_and_reported_if_missing() {
    let mut editor = harbour();
    let path = "/g/tags/boat.header";
    let offers = editor.offers(path, &BOAT_HEADER.replace("\"object\"", "\"|\""));
    assert!(offers.contains(&"object".to_string()), "{offers:?}");
    let found = editor.places("textDocument/definition", path, &BOAT_HEADER.replace("\"object\"", "\"obj|ect\""));
    assert_eq!(found, ["tags/object.header:0:0-0"]);
    editor.open(path, BOAT_HEADER);
    assert_eq!(editor.wrong(path), [""; 0]);
    editor.open(path, &BOAT_HEADER.replace("\"object\"", "\"objekt\""));
    let found = editor.wrong(path);
    assert!(found.len() == 1 && found[0].contains("there is no class `objekt`\ndid you mean \"object\"?"), "{found:?}");
    editor.open(path, &BOAT_HEADER.replace("\"object\"", "\"boat\""));
    assert!(editor.wrong(path)[0].contains("form a cycle: `boat` → `boat`"));
}

#[test]
fn a_field_of_a_base_is_renamed_in_the_base_and_all_tags() {
    let mut editor = harbour();
    let refused = editor.rename(BOAT, "@boat\n!set fr|iend \"\"\n", "ally").unwrap_err();
    assert!(refused.contains("declared by `@object`: rename it there"), "{refused}");
    let text = OBJECT_HEADER.replace("\"hull\"", "\"hu|ll\"");
    let edits = editor.rename("/g/tags/object.header", &text, "health").unwrap().join("\n");
    for file in ["object.header", "boat.header", "b.boat", "c.object"] {
        assert!(edits.contains(file), "{file}: {edits}");
    }
    let found = editor.places("textDocument/references", "/g/tags/object.header", &text);
    assert!(found.iter().any(|found| found.starts_with("tags/b.boat")), "{found:?}");
}

/// A harbour whose boats are used from elsewhere.
fn busy_harbour(more: &[(&str, &str)]) -> Editor {
    let level = "@level\n!set OnSpawn Lambda(!Spawn(\"b.boat\", { sail true }, Lambda(made, !Log(made.sail))))\n";
    let header = "@EnvironmentHeader\n!set Namespace \"boat\"\n!set Base \"object\"\n!set Attributes [\n    { name \"sail\", type \"truth\", state true },\n    { name \"double\", type \"formula\", default Lambda(if sail then 2 else 1) }\n]\n";
    let level_header = "@EnvironmentHeader\n!set Namespace \"level\"\n!set Base \"object\"\n!set Attributes []\n";
    let mut files = vec![
        ("/g/tags/boat.header", header),
        ("/g/tags/level.header", level_header),
        ("/g/tags/object.header", OBJECT_HEADER),
        ("/g/tags/b.boat", "@boat\n!set sail true\n!set OnSpawn Lambda(!Log(~this.sail))\n"),
        ("/g/tags/a.level", level),
    ];
    files.extend(more);
    Editor::with(&files, files_capabilities(), world())
}

/// The effects that the world of these tests has.
fn world() -> ServerSetup {
    use script::effect::Effect;
    use script::meaning::Meaning;
    static EFFECTS: [Effect; 1] = [Effect::new("Spawn", "Spawn(string, record?, lambda?)", "Creates an object.")
        .with_meanings(&[(0, Meaning::Path("object")), (1, Meaning::State)])];
    let vocabulary = tags::pack::Vocabulary { effects: &EFFECTS, ..Default::default() };
    ServerSetup { vocabulary, ..ServerSetup::default() }
}

const BUSY_HEADER: &str = "/g/tags/boat.header";

/// The header of boats with the cursor on a field.
fn at_sail(editor: &Editor) -> String {
    let text = editor.server.text_at(BUSY_HEADER).unwrap().text;
    text.replace("name \"sail\"", "name \"sa|il\"")
}

#[test]
fn a_field_is_found_and_renamed_where_others_use_it() {
    let mut editor = busy_harbour(&[]);
    let marked = at_sail(&editor);
    let found = editor.places("textDocument/references", BUSY_HEADER, &marked);
    let expected = [
        "tags/a.level:1:39-43",
        "tags/a.level:1:75-79",
        "tags/b.boat:1:5-9",
        "tags/b.boat:2:31-35",
        "tags/boat.header:4:11-17",
        "tags/boat.header:5:55-59",
    ];
    let mut sorted = found.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let edits = editor.rename(BUSY_HEADER, &marked, "sheet").unwrap();
    for place in expected.iter().filter(|place| **place != "tags/boat.header:4:11-17") {
        assert!(edits.contains(&format!("{place} \"sheet\"")), "{place}: {edits:?}");
    }
    assert_eq!(editor.remarks, [""; 0]);
}

#[test]
fn what_may_mean_another_field_stays_and_is_told() {
    let text = "@level\n!set OnSpawn Lambda(let r = { sail 3 } in !Log(r.sail))\n";
    let mut editor = busy_harbour(&[("/g/tags/c.level", text)]);
    let marked = at_sail(&editor);
    let edits = editor.rename(BUSY_HEADER, &marked, "sheet").unwrap().join("\n");
    assert!(edits.contains("a.level:1:39-43") && !edits.contains("c.level"), "{edits}");
    let [remark] = &editor.remarks[..] else { panic!("{:?}", editor.remarks) };
    assert!(remark.starts_with("these places may mean something else, and keep the old name:\n"), "{remark}");
    // The handle may be one of those records, too.
    assert!(remark.contains("a.level:2:76\nc.level:2:50"), "{remark}");
}

#[test]
fn a_new_name_that_means_something_else_where_the_field_is_used_is_refused() {
    let header = "/g/tags/boat.header";
    let mut editor = busy_harbour(&[("/g/tags/d.boat", "@boat\n!set f Lambda(sheet, if sail then sheet)\n")]);
    let marked = at_sail(&editor);
    let refused = editor.rename(header, &marked, "sheet").unwrap_err();
    assert!(refused.contains("d.boat") && refused.contains("in line 2"), "{refused}");
}
