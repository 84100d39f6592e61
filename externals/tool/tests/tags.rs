//! `astrarium tag …` as a person or a program would call it, over a small tree with two classes from headers.

use crate::common;

use std::fs;

use common::{Folder, Json};

const SHIP: &str = "@EnvironmentHeader
!set Namespace  \"ship\"
!set Help       \"What flies.\"
!set Attributes [
    { name \"hull\", type \"f32\", default 100, range [0, 1e6], unit \"t\", help \"How much it can take.\" },
    { name \"name\", type \"string id\" },
    { name \"mounts\", type \"list of record mount\" },
    { name \"escort\", type \"@ship\" }
]
!set Records [
    { name \"mount\", fields [{ name \"marker\", type \"string id\", key true }, { name \"weapon\", type \"@weapon\" }, { name \"delay\", type \"f32\", default 0.5 }] }
]
";

const WEAPON: &str = "@EnvironmentHeader
!set Namespace  \"weapon\"
!set Attributes [{ name \"damage\", type \"f32\", default 10, range [0, 1000] }, { name \"name\", type \"text\" }]
";

const CORVETTE: &str = "// The fast one.
@ship
//? never below 50
!set hull 150
!set mounts [
    { marker \"nose\", weapon \"weapons/laser.weapon\" }, // forward
    { marker \"tail\", weapon \"weapons\\laser.weapon\", delay 2 },
]
!set escort \"ships/tug.ship\"
";

fn tree() -> Folder {
    let folder = Folder::new();
    for (path, text) in [
        ("tags/ship.header", SHIP),
        ("tags/weapon.header", WEAPON),
        ("tags/ships/corvette.ship", CORVETTE),
        ("tags/ships/tug.ship", "@ship\n!set hull 20 * 2\n"),
        ("tags/weapons/laser.weapon", "@weapon\n!set damage 60\n!set name \"laser\"\n"),
        ("tags/weapons/gun.weapon", "@weapon\n"),
        ("tags/ship.notes", "!set hull \"small ships have less\"\n"),
    ] {
        folder.write(path, text);
    }
    folder
}

fn tags_of(json: &Json, list: &str) -> Vec<String> {
    json.list(list).iter().map(|row| row.text("tag").to_string()).collect()
}

fn texts(json: &Json, list: &str) -> Vec<String> {
    let text = |json: &Json| match json {
        Json::Text(text) => text.clone(),
        other => panic!("{other:?} is not a text"),
    };
    json.list(list).iter().map(text).collect()
}

#[test]
fn help_names_all_commands() {
    let folder = Folder::new();
    let printed = folder.run("--help").stdout();
    assert!(printed.contains("\n  tag ") && printed.contains("\n  play ") && printed.contains("\n  lsp "), "{printed}");
    let printed = folder.run("tag --help").stdout();
    for name in ["new", "show", "set", "check", "diff", "merge", "upgrade", "refs", "find", "rename", "manual", "git"] {
        assert!(printed.contains(&format!("\n  {name} ")), "{name}: {printed}");
    }
}

#[test]
fn a_tree_is_checked_from_any_folder_of_it() {
    let folder = tree();
    let json = folder.run("tag check --json").json();
    assert_eq!((json.number("tags"), json.number("references"), json.number("errors")), (4, 3, 0));
    assert!(folder.run("tag check").stdout().contains("4 tags, 3 references, no errors"));
    assert_eq!(folder.run("tag check ships/tug.ship --json").json().number("tags"), 1);
    assert_eq!(folder.run("tag check --tags tags --json").json().number("tags"), 4);
    folder.write("tags/ships/bad.ship", "@ship\n!set hul 3\n!set escort \"ships/tub.ship\"\n");
    let ran = folder.run("tag check --json");
    let json = ran.failed_json();
    assert_eq!((json.number("errors"), json.text("error")), (2, "2 errors in 5 tags"));
    let places: Vec<(u64, u64)> =
        json.list("reports").iter().map(|row| (row.number("line"), row.number("column"))).collect();
    assert_eq!(places, [(2, 6), (3, 13)]);
    let printed = folder.run("tag check").last_words();
    assert!(printed.contains("2 errors in 5 tags"), "{printed}");
}

#[cfg(unix)]
/// The checks of classes (see `world::vocabulary`) look at whole tags, and at the tags they refer to.
#[test]
fn the_checks_of_classes_run_on_a_tree() {
    let folder = Folder::new();
    folder.run("new harbour").stdout();
    folder.run("tag check --tags harbour/tags").stdout();
    fs::write(
        folder.join("harbour/tags/flat.geometry"),
        "@geometry\n!set points [vec(0, 0, 0), vec(1, 0, 0), vec(2, 0, 0)]\n",
    )
    .expect("the folder can be written");
    let checked = folder.run("tag check --tags harbour/tags");
    checked.complaint();
    assert!(checked.output().contains("flat.geometry:2"), "{}", checked.output());
}

#[test]
fn nothing_is_written_behind_links_and_links_beside_a_scene_are_not_read() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (tree(), Folder::new());
    symlink(outside.path(), folder.join("tags/out")).expect("links can be made");
    for command in ["tag new out/a.ship", "tag new out/deep/a.ship", "tag rename ships/tug.ship out/tug.ship"] {
        let output = folder.command(command).output().expect("the command can be run");
        assert!(!output.status.success(), "{command}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("is a link"), "{command}: {told}");
    }
    assert_eq!(fs::read_dir(outside.path()).expect("it is there").count(), 0);
    assert!(folder.join("tags/ships/tug.ship").exists());
    // A buffer of numbers that lies elsewhere.
    outside.write("numbers.bin", [0_u8; 36]);
    symlink(outside.join("numbers.bin"), folder.join("scene.bin")).expect("links can be made");
    folder.write("scene.gltf", SCENE);
    let command = "tag import scene.gltf --out shapes/a.geometry --print --as mesh";
    let told = String::from_utf8_lossy(&folder.command(command).output().expect("it runs").stderr).into_owned();
    assert!(told.contains("links are not followed"), "{told}");
}

/// A triangle whose buffer lies beside it.
const SCENE: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
 "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }], "buffers": [{ "uri": "scene.bin", "byteLength": 36 }],
 "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
 "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [0,0,0] }] }"#;

#[test]
fn a_tree_and_its_tags_can_be_named_in_many_ways() {
    let folder = tree();
    let door = shelf::headers::sealed(&WEAPON.replace("\"weapon\"", "\"door\""));
    folder.write(".astrarium/classes/door.header", door);
    let run_in = |place: &str, words: &str| {
        let output = folder.command(words).current_dir(folder.join(place)).output().expect("the command can be run");
        assert!(output.status.success(), "{place} {words}: {output:?}");
        String::from_utf8(output.stdout).expect("the output is UTF-8")
    };
    for (place, words) in [
        ("", "tag new tags/a/b/one.door"),
        ("tags", "tag new --tags . a/b/two.door"),
        ("tags/ships", "tag new three.door"),
        ("tags/ships", "tag new ../a/four.door"),
        ("tags/ships", "tag show tug.ship"),
        ("tags/ships", "tag show ships/tug.ship"),
        ("tags/ships", "tag show ../ships/tug.ship"),
    ] {
        run_in(place, words);
    }
    for path in ["a/b/one.door", "a/b/two.door", "ships/three.door", "a/four.door"] {
        assert!(folder.join("tags").join(path).exists(), "{path}");
    }
    let printed = run_in("tags/ships", "tag refs tug.ship");
    assert!(printed.contains("corvette.ship:9:13  escort"), "{printed}");
}

#[test]
fn tags_are_found_by_their_values_and_their_references() {
    let folder = tree();
    for _ in 0..2 {
        let json =
            folder.run_words(&["tag", "find", "weapon", "damage > 50", "--show", "damage,name", "--json"]).json();
        assert_eq!(tags_of(&json, "found"), ["weapons/laser.weapon"]);
        assert_eq!(texts(&json.list("found")[0], "values"), ["60", "\"laser\""]);
    }
    let used = ["tag", "find", "weapon", "--used-by", "ship", "hull > 100", "--json"];
    assert_eq!(tags_of(&folder.run_words(&used).json(), "found"), ["weapons/laser.weapon"]);
    let uses = ["tag", "find", "ship", "--uses", "weapon", "damage > 50", "--json"];
    assert_eq!(tags_of(&folder.run_words(&uses).json(), "found"), ["ships/corvette.ship"]);
    let printed = folder.run_words(&["tag", "find", "ship", "hull < 50", "--show", "hull * 2"]).stdout();
    assert_eq!(printed, "tags/ships/tug.ship  hull * 2 80\n");
    // A file saved after it was stored is read again.
    folder.write("tags/weapons/gun.weapon", "@weapon\n!set damage 99\n");
    let json = folder.run_words(&["tag", "find", "weapon", "damage > 50", "--json"]).json();
    assert_eq!(json.number("count"), 2);
}

#[test]
fn references_are_listed_in_both_directions() {
    let folder = tree();
    let json = folder.run("tag refs weapons/laser.weapon --json").json();
    let fields: Vec<&str> = json.list("used_by").iter().map(|row| row.text("field")).collect();
    assert_eq!(fields, ["mounts[nose].weapon", "mounts[tail].weapon"]);
    let json = folder.run("tag refs tags/ships/corvette.ship --json").json();
    assert_eq!((json.list("uses").len(), json.list("used_by").len()), (3, 0));
    let json = folder.run("tag refs --unused --root ships/corvette.ship --json").json();
    assert_eq!(texts(&json, "unused"), ["weapons/gun.weapon"]);
    let printed = folder.run("tag refs weapons/laser.weapon --why --root ships/corvette.ship").stdout();
    assert_eq!(printed, "tags/ships/corvette.ship:6:29  mounts[nose].weapon → weapons/laser.weapon\n");
    assert!(folder.run("tag refs weapons/gun.weapon --why").complaint().contains("no references lead to"));
}

#[test]
fn a_new_tag_is_valid_and_never_overwrites_another() {
    let folder = tree();
    folder.run("tag new ships/deep/new.ship").stdout();
    assert_eq!(folder.run("tag check ships/deep/new.ship --json").json().number("warnings"), 0);
    assert!(folder.read("tags/ships/deep/new.ship").contains("// How much it can take.\n"));
    let before = folder.read("tags/ships/tug.ship");
    assert!(folder.run("tag new ships/tug.ship").complaint().contains("already"));
    assert!(folder.run("tag new ships/TUG.ship").complaint().contains("upper and lower case"));
    assert_eq!(folder.read("tags/ships/tug.ship"), before);
    assert!(folder.run("tag new ships/a.shpi").complaint().contains("did you mean `ship`?"));
    assert!(folder.run("tag new ../a.ship").complaint().contains("is not the path of a tag"));
    assert!(folder.run("tag new x.weapon --print").stdout().starts_with("@weapon\n"));
    assert!(!folder.join("tags/x.weapon").exists());
}

#[test]
fn a_tag_is_shown_with_units_defaults_formulas_and_notes() {
    let folder = tree();
    let printed = folder.run("tag show ships/corvette.ship").stdout();
    for part in [
        "  hull 150 t\n",
        "//? never below 50\n",
        "//? small ships have less\n",
        "  name \"\"  (default)\n",
        "  escort \"ships/tug.ship\"\n",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let printed = folder.run("tag show ships/tug.ship").stdout();
    assert!(printed.contains("  hull 40 t  (= 20 * 2)\n"), "{printed}");
    assert_eq!(folder.run("tag show ships/tug.ship hull").stdout(), "20 * 2\n");
    assert_eq!(folder.run("tag show ships/corvette.ship mounts[tail].delay").stdout(), "2\n");
    assert_eq!(folder.run("tag show ships/tug.ship name --json").json().text("value"), "\"\"");
    assert!(folder.run("tag show ships/tug.ship mounts[x].delay").complaint().contains("mounts"));
    assert!(folder.run("tag show ships/tug.ship mounts[").complaint().contains("is not a field path"));
    let json = folder.run("tag show ships/tug.ship --json").json();
    assert_eq!((json.text("class"), json.number("version"), json.list("fields").len()), ("ship", 1, 4));
}

#[test]
fn values_are_set_by_path_and_the_rest_of_the_file_stays() {
    let folder = tree();
    folder
        .run_words(&["tag", "set", "ships/corvette.ship", "hull", "175", "mounts[tail].delay", "3", "name", "\"a b\""])
        .stdout();
    let now = folder.read("tags/ships/corvette.ship");
    let expected = CORVETTE.replace("150", "175").replace("delay 2", "delay 3");
    assert!(now.contains("!set name") && now.contains("\"a b\""), "{now}");
    let without: String = now.split_inclusive('\n').filter(|line| !line.starts_with("!set name")).collect();
    assert_eq!(without, expected);
    assert!(folder.run("tag set ships/tug.ship hull 40").stdout().contains("changed"));
    assert!(folder.run("tag set ships/tug.ship hull 40").stdout().contains("already has these values"));
    let before = folder.read("tags/ships/tug.ship");
    for (words, part) in [
        (&["tag", "set", "ships/tug.ship", "hull", "\"much\""][..], "expected a number"),
        (&["tag", "set", "ships/tug.ship", "hull", "-4"], "expected 0 to 1000000 t, found -4"),
        (&["tag", "set", "ships/tug.ship", "hul", "4"], "did you mean `hull`"),
        (&["tag", "set", "ships/tug.ship", "hull", "1 2"], "this is not a value"),
        (&["tag", "set", "ships/tug.ship", "hull", ""], ""),
        (&["tag", "set", "ships/tug.ship", "hull"], "expected a value after `hull`"),
        (&["tag", "set", "ships/tug.ship"], "nothing to change"),
        (&["tag", "set", "ships/tug.ship", "mounts[nose].delay", "4"], "mounts"),
        (&["tag", "set", "ships/none.ship", "hull", "4"], "there is no tag"),
    ] {
        let printed = folder.run_words(words).complaint();
        assert!(printed.contains(part), "{words:?}: {printed}");
    }
    assert_eq!(folder.read("tags/ships/tug.ship"), before);
    folder.run_words(&["tag", "set", "ships/tug.ship", "--note", "hull=it is weak"]).stdout();
    assert!(folder.read("tags/ships/tug.ship").contains("//? it is weak\n!set hull 40"));
    folder.run_words(&["tag", "set", "ships/tug.ship", "hul", "4", "--force"]).stdout();
    folder.run_words(&["tag", "set", "ships/tug.ship", "--remove", "hul", "--remove", "hull"]).stdout();
    assert_eq!(folder.read("tags/ships/tug.ship"), "@ship\n");
}

#[test]
fn concurrent_changes_of_a_tag_are_never_lost() {
    let folder = tree();
    std::thread::scope(|scope| {
        for number in 0..12 {
            let (folder, element) = (&folder, format!("{{ marker \"m{number}\" }}"));
            scope.spawn(move || {
                let words = ["tag", "set", "ships/corvette.ship", "mounts[]", &element];
                assert!(folder.run_words(&words).stdout().contains("changed"));
            });
        }
    });
    let now = folder.read("tags/ships/corvette.ship");
    assert!((0..12).all(|number| now.contains(&format!("\"m{number}\""))), "{now}");
}

#[test]
fn a_change_of_a_class_is_planned_and_applied_to_the_tree() {
    let folder = tree();
    let renamed = SHIP
        .replace(
            "{ name \"hull\", type \"f32\"",
            "{ name \"armour\", former { name \"hull\", before 2, convert Lambda(old, old * 10) }, type \"f32\"",
        )
        .replace("!set Help", "!set Version 2\n!set Help");
    folder.write("tags/ship.header", &renamed);
    folder.write("tags/ships/future.ship", "@ship 9\n!set hull 7\n");
    let before = folder.read("tags/ships/corvette.ship");
    let json = folder.run("tag upgrade --dry-run --json").json();
    assert_eq!((json.number("changes"), json.number("written")), (2, 0));
    assert_eq!(texts(&json, "newer"), ["ships/future.ship"]);
    let field = json.list("fields").iter().find(|row| row.text("to") == "armour").expect("it is printed");
    assert_eq!((field.text("from"), field.text("before"), field.text("after")), ("hull", "150", "1500"));
    assert_eq!(folder.read("tags/ships/corvette.ship"), before);
    let printed = folder.run("tag upgrade").stdout();
    assert!(printed.contains("2 tags changed"), "{printed}");
    let after = before.replace("@ship", "@ship 2").replace("!set hull 150", "!set armour 1500");
    assert_eq!(folder.read("tags/ships/corvette.ship"), after);
    assert_eq!(folder.read("tags/ships/future.ship"), "@ship 9\n!set hull 7\n");
    assert!(folder.run("tag upgrade").stdout().contains("0 tags changed"));
    assert!(folder.run("tag set ships/future.ship armour 3").complaint().contains("version 9"));
}

#[test]
fn references_to_a_renamed_tag_follow_it() {
    let folder = tree();
    let json = folder.run("tag rename weapons/laser.weapon guns/beam.weapon --dry-run --json").json();
    assert_eq!(json.number("references"), 2);
    assert!(folder.join("tags/weapons/laser.weapon").exists());
    folder.run("tag rename weapons/laser.weapon guns/beam.weapon").stdout();
    let expected = CORVETTE.replace("weapons/laser", "guns/beam").replace("weapons\\laser", "guns\\beam");
    assert_eq!(folder.read("tags/ships/corvette.ship"), expected);
    assert!(!folder.join("tags/weapons/laser.weapon").exists());
    assert_eq!(folder.run("tag check --json").json().number("errors"), 0);
    fs::create_dir(folder.join("tags/ships/folder.ship")).expect("it can be written");
    for (words, part) in [
        ("tag rename ships/tug.ship ships/folder.ship", "another file is at `ships/folder.ship`"),
        ("tag rename ships/tug.ship ships/corvette.ship", "already"),
        ("tag rename ships/tug.ship ships/Corvette.ship", "only in letter case"),
        ("tag rename ships/tug.ship ships/tug.weapon", "keeps its class"),
        ("tag rename ships/tug.ship ../tug.ship", "not the path"),
        ("tag rename ships/none.ship ships/other.ship", "there is no tag"),
    ] {
        assert!(folder.run(words).complaint().contains(part), "{words}");
    }
}

#[test]
fn the_imported_text_of_a_renamed_tag_moves_with_it_and_replaces_none() {
    let folder = tree();
    let imported = |tag: &str| format!("tags/{tag}.imported");
    let [laser, beam] = ["weapons/laser.weapon", "weapons/beam.weapon"];
    for (tag, text) in [(laser, "// of the laser\n"), (beam, "// left of an earlier tag\n")] {
        fs::write(folder.join(imported(tag)), text).expect("it can be written");
    }
    let rename = format!("tag rename {laser} {beam}");
    let complaint = folder.run(&rename).complaint();
    assert!(complaint.contains("left of an earlier tag; nothing was renamed"), "{complaint}");
    assert!(folder.join("tags").join(laser).exists());
    assert_eq!(folder.read(&imported(beam)), "// left of an earlier tag\n");
    // One that was interrupted behind the tag itself is ended by the same command.
    fs::remove_file(folder.join(imported(beam))).expect("it is there");
    fs::rename(folder.join("tags").join(laser), folder.join("tags").join(beam)).expect("it is there");
    folder.run(&rename).stdout();
    assert_eq!(folder.read(&imported(beam)), "// of the laser\n");
    assert!(!folder.join(imported(laser)).exists());
    assert_eq!(folder.run("tag check --json").json().number("errors"), 0);
}

#[test]
fn a_renamed_field_keeps_its_former_name_in_the_header() {
    let folder = tree();
    folder.run("tag rename --field ship hull armour").stdout();
    assert!(folder.read("tags/ship.header").contains("name \"armour\""));
    assert!(folder.read("tags/ship.header").contains("former \"hull\""));
    assert_eq!(folder.read("tags/ships/corvette.ship"), CORVETTE.replace("!set hull", "!set armour"));
    assert_eq!(folder.run("tag check --json").json().number("errors"), 0);
    folder.run("tag rename --field ship armour plates").stdout();
    folder.write("tags/ships/old.ship", "@ship\n!set hull 7\n");
    assert_eq!(folder.run("tag check --json").json().number("errors"), 0);
    let printed = folder.run("tag show ships/old.ship").stdout();
    assert!(printed.contains("plates 7 t  (in the file as `hull`)"), "{printed}");
    folder.run("tag rename --field ship mounts.delay wait").stdout();
    assert!(folder.read("tags/ship.header").contains("{ name \"wait\", type \"f32\", default 0.5, former \"delay\" }"));
    let text = folder.read("tags/ships/corvette.ship");
    assert!(text.contains("\"weapons\\laser.weapon\", wait 2 }"), "{text}");
    assert_eq!(folder.run("tag check --json").json().number("errors"), 0);
    assert!(
        folder.run("tag rename --field ship mounts.none other").complaint().contains("`mount` has no field `none`")
    );
    assert!(folder.run("tag rename --field ship name.none other").complaint().contains("with fields"));
    assert!(folder.run("tag rename --field ship none other").complaint().contains("no field `none`"));
    assert!(folder.run("tag rename --field ship plates name").complaint().contains("already"));
    assert!(folder.run("tag rename --field scenario cycles other").complaint().contains("this program"));
}

#[test]
fn the_manual_of_a_class_is_printed() {
    let folder = tree();
    let printed = folder.run("tag manual ship").stdout();
    assert!(printed.starts_with("# ship\n") && printed.contains("How much it can take."), "{printed}");
    let classes = texts(&folder.run("tag manual --json").json(), "classes");
    assert!(classes.contains(&"ship".to_string()) && classes.contains(&"globals".to_string()), "{classes:?}");
}

#[test]
fn versions_are_compared_and_merged_by_meaning() {
    let folder = tree();
    let base = "@ship\n!set hull 1\n!set mounts [{ marker \"a\" }, { marker \"b\" }]\n";
    folder.write("base.ship", base);
    folder.write("ours.ship", base.replace("hull 1", "hull 2"));
    folder.write("theirs.ship", base.replace("{ marker \"b\" }", "{ marker \"b\", delay 3 }, { marker \"c\" }"));
    let json = folder.run("tag diff base.ship theirs.ship --json").json();
    let places: Vec<&str> = json.list("changes").iter().map(|row| row.text("place")).collect();
    assert_eq!(places, ["mounts[b].delay", "mounts[c]"]);
    assert_eq!(folder.run("tag diff base.ship ours.ship").stdout(), "  hull: 1 → 2\n");
    assert_eq!(folder.run("tag diff base.ship base.ship --json").json().number("count"), 0);
    let json = folder.run("tag merge base.ship ours.ship theirs.ship --json").json();
    assert_eq!(json.list("conflicts").len(), 0);
    let merged = "@ship\n!set hull 2\n!set mounts [{ marker \"a\" }, { marker \"b\", delay 3 }, { marker \"c\" }]\n";
    assert_eq!(folder.read("ours.ship"), merged);
    folder.write("theirs.ship", base.replace("hull 1", "hull 9"));
    let json = folder.run("tag merge base.ship ours.ship theirs.ship --json").failed_json();
    assert_eq!(json.list("conflicts").len(), 1);
    let text = folder.read("ours.ship");
    assert!(text.contains("!set hull 2") && text.contains('9') && text.contains("conflict"), "{text}");
    folder.write("tags/ships/merged.ship", &text);
    assert!(folder.run("tag check").complaint().contains("error"));
}

#[test]
fn unparsable_tags_are_merged_by_lines() {
    let folder = tree();
    folder.write("base.ship", "@ship\n!set hull [\nx\n");
    folder.write("ours.ship", "@ship\n!set hull [\nours\n");
    folder.write("theirs.ship", "@ship\n!set hull [\nx\ntheirs\n");
    let printed = folder.run("tag merge base.ship ours.ship theirs.ship").complaint();
    assert!(printed.contains("merged by lines"), "{printed}");
    assert_eq!(
        folder.read("ours.ship"),
        "@ship\n!set hull [\n<<<<<<< ours\nours\n=======\nx\ntheirs\n>>>>>>> theirs\n"
    );
    folder.write("ours.ship", [0xff, 0xfe, 0]);
    assert!(folder.run("tag merge base.ship ours.ship theirs.ship").complaint().contains("nothing was merged"));
    assert_eq!(fs::read(folder.join("ours.ship")).unwrap(), [0xff, 0xfe, 0]);
    // Fields are merged even if their class is undeclared.
    folder.write("base.door", "@door 3\n!set a 1\n!set b 1\n");
    folder.write("ours.door", "@door 3\n!set a 2\n!set b 1\n");
    folder.write("theirs.door", "@door 3\n!set a 1\n!set b 2\n");
    folder.run("tag merge base.door ours.door theirs.door").stdout();
    assert_eq!(folder.read("ours.door"), "@door 3\n!set a 2\n!set b 2\n");
}

#[test]
fn every_command_with_json_ends_with_one_object() {
    let folder = tree();
    for words in [
        "tag new a.ship --json",
        "tag show ships/tug.ship --json",
        "tag set ships/tug.ship hull 3 --json",
        "tag check --json",
        "tag diff ships/tug.ship ships/corvette.ship --json",
        "tag upgrade --json",
        "tag refs ships/tug.ship --json",
        "tag find ship --json",
        "tag rename a.ship b.ship --json",
        "tag manual weapon --json",
    ] {
        assert!(matches!(folder.run(words).json(), Json::Object(_)), "{words}");
    }
}

#[test]
fn damaged_files_are_reported_without_a_panic() {
    let folder = tree();
    let damages: [&[u8]; 6] =
        [b"", &[0; 5000], &[0xff; 5000], b"@ship\n!set hull [[[[[[", b"\xef\xbb\xbf", b"@ship 99999999999999\n"];
    for bytes in damages {
        folder.write("tags/ships/bad.ship", bytes);
        let before = fs::read(folder.join("tags/ships/bad.ship")).unwrap();
        for words in [
            "tag check",
            "tag show ships/bad.ship --all",
            "tag find ship --show hull,mounts",
            "tag refs ships/bad.ship",
            "tag diff ships/bad.ship ships/tug.ship",
            "tag upgrade --dry-run",
            "tag rename ships/bad.ship ships/worse.ship --dry-run",
            "tag rename --field ship hull armour --dry-run",
            "tag merge --print tags/ships/tug.ship tags/ships/bad.ship tags/ships/corvette.ship",
        ] {
            let ran = folder.run(words);
            assert!(ran.is_orderly(), "{words} over {bytes:?}");
        }
        assert_eq!(fs::read(folder.join("tags/ships/bad.ship")).unwrap(), before);
    }
    for bytes in damages {
        folder.write("tags/bad.header", bytes);
        assert!(folder.run("tag check").is_orderly());
        assert!(folder.run("tag manual").is_orderly());
    }
}

#[test]
fn missing_files_and_folders_are_reported() {
    let folder = Folder::new();
    for (words, part) in [
        ("tag check", "there is no folder `tags`"),
        ("tag check --tags none", "none is not a folder"),
        ("tag find ship", "there is no folder `tags`"),
        ("tag merge a b c", "No such file"),
        ("tag diff a b", "there is no such file"),
        ("tag diff a b c", "expected two files"),
        ("tag git", "there is no folder"),
        ("tag", "check"),
        ("tag dance", "dance"),
    ] {
        let printed = folder.run(words).complaint();
        assert!(printed.contains(part), "{words}: {printed}");
    }
    folder.write("tags", "a file where a folder should be");
    assert!(folder.run("tag check").complaint().contains("no folder"));
    assert!(folder.run("tag check --tags tags").complaint().contains("not a folder"));
}

#[test]
fn all_commands_handle_a_series_of_a_hundred_thousand_elements() {
    let folder = tree();
    let mounts: Vec<String> =
        (0..100_000).map(|number| format!("    {{ marker \"m{number}\", delay {number} }},\n")).collect();
    folder.write("tags/long.ship", format!("@ship\n!set mounts [\n{}]\n", mounts.concat()));
    assert_eq!(folder.run("tag check long.ship --json").json().number("errors"), 0);
    folder.run("tag set long.ship mounts[m99999].delay 7").stdout();
    assert_eq!(folder.run("tag show long.ship mounts[m99999].delay").stdout(), "7\n");
    assert!(folder.run("tag show long.ship").stdout().len() < 10_000);
    let json = folder.run_words(&["tag", "find", "ship", "count(mounts) = 100000", "--json"]).json();
    assert_eq!(json.number("count"), 1);
    assert_eq!(folder.run("tag upgrade long.ship --json").json().number("changes"), 0);
    let ours = folder.read("tags/long.ship");
    folder.write("base.ship", &ours);
    folder.write("ours.ship", ours.replace("\"m5\", delay 5 ", "\"m5\", delay 55 "));
    folder.write("theirs.ship", ours.replace("\"m90000\", delay 90000 ", "\"m90000\", delay 1 "));
    folder.run("tag merge base.ship ours.ship theirs.ship").stdout();
    let merged = folder.read("ours.ship");
    assert!(merged.contains("\"m5\", delay 55 }") && merged.contains("\"m90000\", delay 1 }"));
}

#[test]
fn interfaces_are_checked_with_their_own_effects() {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("tags")).expect("it can be made");
    let write = |name: &str, text: &str| fs::write(folder.join("tags").join(name), text).expect("it can be written");
    write("fire.guibutton", "@guibutton\n!EventHandler(~this, \"guiclick\", [\n    !GUIFire(\"fireblaster\")\n])\n");
    let rows: Vec<String> =
        (0..300).map(|row| format!("{{ name \"w{row}\", OnClick [ !Show(\"w{row}\") ] }}")).collect();
    write("many.interface", &format!("@interface\n!set widgets [{}]\n", rows.join(", ")));
    let found = folder.run("tag check --tags tags").stdout();
    assert!(found.contains("no errors"), "{found}");
    write("wrong.interface", "@interface\n!set OnOpen [ !Spawn(\"ships/a.ship\") ]\n");
    let found = folder.run("tag check --tags tags").output();
    assert!(found.contains("`!Spawn` is not a known effect"), "{found}");
}

#[test]
fn a_field_is_renamed_wherever_it_is_used() {
    let folder = Folder::new();
    folder.write("tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write(
        "tags/ship.header",
        "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Base \"object\"\n!set Use \"lib/combat.lscript\"\n!set Attributes [\n    { name \"hull\", type \"f32\", default 100, state true },\n    { name \"double\", type \"formula\", default Lambda(hull * 2) }\n]\n",
    );
    folder.write("tags/lib/combat.lscript", "!set lose Lambda(much, !set hull hull - much)\n");
    folder.write(
        "tags/carrier.header",
        "@EnvironmentHeader\n!set Namespace \"carrier\"\n!set Base \"ship\"\n!set Attributes []\n",
    );
    folder.write(
        "tags/ships/only_reads.ship",
        "@ship\n!set OnDamage Lambda(much, do [ lose(much), if hull < 3 then !Destroy(~this) ])\n",
    );
    folder.write("tags/ships/sets.carrier", "@carrier\n!set hull 7\n!set OnUpdate Lambda(!set hull += 1)\n!set told Lambda(!Log(\"{hull} left\", ~this.hull))\n");
    folder.write(
        "tags/levels/a.scenario",
        "@scenario\n!set OnSpawn Lambda(!Spawn(\"ships/only_reads.ship\", { hull 3 }, Lambda(made, !Log(made.hull, named(\"x\").hull))))\n",
    );
    folder.run("tag check").stdout();
    let dry = folder.run("tag rename --field ship hull health --dry-run --json").json();
    assert_eq!(dry.list("conflicts").len(), 0);
    let said = folder.run("tag rename --field ship hull health").stdout();
    assert!(!said.contains("stays"), "{said}");
    folder.run("tag check").stdout();
    for (file, part) in [
        ("lib/combat.lscript", "!set health health - much"),
        ("ships/only_reads.ship", "if health < 3"),
        ("ships/sets.carrier", "!set health 7\n!set OnUpdate Lambda(!set health += 1)"),
        ("ships/sets.carrier", "!Log(\"{health} left\", ~this.health)"),
        ("levels/a.scenario", "{ health 3 }, Lambda(made, !Log(made.health, named(\"x\").health))"),
        ("ship.header", "default Lambda(health * 2)"),
        ("ship.header", "former \"hull\""),
    ] {
        let text = folder.read(&format!("tags/{file}"));
        assert!(text.contains(part), "{file}: {text}");
    }
    // What may mean another field is listed; what would change the meaning of a name is refused.
    folder.write("tags/levels/b.scenario", "@scenario\n!set OnSpawn Lambda(let r = { health 3 } in !Log(r.health))\n");
    let said = folder.run("tag rename --field ship health hull").stdout();
    assert!(said.contains("b.scenario:2:52: `.health` stays"), "{said}");
    // Its own name is no former one.
    let header = folder.read("tags/ship.header");
    assert!(header.contains("name \"hull\"") && header.contains("former \"health\""), "{header}");
    folder.write("tags/ships/shadow.ship", "@ship\n!set f Lambda(armour, hull + armour)\n");
    let before = folder.read("tags/ship.header");
    let complaint = folder.run("tag rename --field ship hull armour").complaint();
    assert!(complaint.contains("shadow.ship:2:23: `armour` is a parameter"), "{complaint}");
    assert_eq!(folder.read("tags/ship.header"), before);
}

/// A ship and what it shows: the graph and the material of the book.
fn shown_tree(more: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    let attributes = "[\n    { name \"speed\", type \"f32\", state true },\n    { name \"heat\", type \"f32\", state true },\n    { name \"mounts\", type \"list of record mount\", default [{ delay 1 }, { delay 2 }] }\n]";
    let records = "[{ name \"mount\", fields [{ name \"delay\", type \"f32\", default 0.5 }] }]";
    let header = |class: &str, attributes: &str| {
        format!("@EnvironmentHeader\n!set Namespace \"{class}\"\n!set Base \"object\"\n!set Attributes {attributes}\n")
    };
    folder.write("tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write("tags/man.header", header("man", attributes) + &format!("!set Records {records}\n"));
    folder.write("tags/tree.header", header("tree", "[]"));
    folder.write("tags/man.model", "@model\n!set materials [{ name \"skin\", material \"skin.material\" }]\n");
    folder.write("tags/skin.material", "@material\n!set emissive_strength Lambda(~this.heat / 10)\n");
    folder.write(
        "tags/man.animation_graph",
        "@animation_graph\n!set speed 0\n!set parameters [{ name \"speed\", smoothing 0.2 }]\n!set layers [{\n    name \"body\",\n    states [{ name \"idle\", loops true }, { name \"walk\", loops true, speed Lambda(speed / 1.4) }],\n    transitions [\n        { name \"start\", from \"idle\", to \"walk\", when Lambda(speed > 0.1), duration 0.15 },\n        { name \"stop\", from \"walk\", to \"idle\", when Lambda(speed < 0.1) }\n    ]\n}]\n",
    );
    folder.write("tags/men/a.man", "@man\n!set model \"man.model\"\n!set graph \"man.animation_graph\"\n");
    more.iter().for_each(|(path, text)| folder.write(path, text));
    folder
}

#[test]
fn a_renamed_field_follows_into_what_its_objects_show() {
    let folder = shown_tree(&[]);
    let said = folder.run("tag rename --field man speed pace").stdout();
    assert!(!said.contains("stays"), "{said}");
    let graph = folder.read("tags/man.animation_graph");
    for part in [
        "!set pace 0\n",
        "[{ name \"pace\", smoothing",
        "speed Lambda(pace / 1.4)",
        "when Lambda(pace > 0.1)",
        "when Lambda(pace < 0.1)",
    ] {
        assert!(graph.contains(part), "{part}: {graph}");
    }
    let said = folder.run("tag rename --field man heat warmth").stdout();
    assert!(!said.contains("stays"), "{said}");
    assert!(folder.read("tags/skin.material").contains("Lambda(~this.warmth / 10)"));
}

#[test]
fn a_renamed_field_is_listed_where_other_objects_show_the_same() {
    let other = "@tree\n!set model \"man.model\"\n!set graph \"man.animation_graph\"\n";
    let folder = shown_tree(&[("tags/trees/a.tree", other)]);
    let graph = folder.read("tags/man.animation_graph");
    let json = folder.run("tag rename --field man speed pace --json").json();
    let undecided = texts(&json, "undecided");
    assert_eq!(undecided.len(), 5, "{undecided:?}");
    for part in [":2:6: `speed`", ":3:26: the parameter `speed`", ":8:61: `speed`"] {
        let is_it = |place: &String| place.ends_with(&format!("man.animation_graph{part}"));
        assert!(undecided.iter().any(is_it), "{part}: {undecided:?}");
    }
    assert_eq!(folder.read("tags/man.animation_graph"), graph);
    let said = folder.run("tag rename --field man heat warmth").stdout();
    assert!(said.contains("skin.material:2:37: `.heat` stays"), "{said}");
    // What only others show is theirs.
    folder.write("tags/men/a.man", "@man\n");
    let json = folder.run("tag rename --field man warmth heat --json").json();
    assert_eq!(json.list("undecided").len(), 0);
}

#[test]
fn reads_of_a_renamed_field_of_a_record_follow_or_are_listed() {
    let man = "@man\n!set mounts[#0].delay 3\n!set mounts[#1] { delay 4 }\n!set OnUpdate Lambda(!set heat mounts[#1].delay + ~this.mounts[0].delay)\n!set slow Lambda(map(mounts, Lambda(m, m.delay)))\n";
    let folder = shown_tree(&[
        ("tags/men/a.man", man),
        ("tags/levels/a.scenario", "@scenario\n!set OnSpawn Lambda(!Log(named(\"a\").mounts[#0].delay))\n"),
    ]);
    let said = folder.run("tag rename --field man mounts.delay wait").stdout();
    let text = folder.read("tags/men/a.man");
    assert_eq!(text, man.replace("delay", "wait").replace("m.wait", "m.delay"), "{said}");
    for place in ["men/a.man:5:42: `.delay` stays", "levels/a.scenario:2:48: `.delay` stays"] {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert_eq!(said.matches("stays").count(), 2, "{said}");
}

#[test]
fn a_text_from_standard_input_is_checked_and_merged() {
    let folder = tree();
    let checked = folder.run_on("tag check -", "@ship\n!set hull 3\n!set escort \"ships/tug.ship\"\n").stdout();
    assert_eq!(checked, "1 tag, 1 reference, no errors\n");
    let made = folder.run_on("tag check - --json", "@ship\n!from \"ships/corvette.ship\"\n!set mounts[#0].delay 3\n");
    assert_eq!(made.json().number("errors"), 0);
    let ran = folder.run_on("tag check -", "@ship\n!set hull \"x\"\n!set escort \"ships/tuk.ship\"\n");
    let printed = ran.output();
    assert!(ran.complaint().contains("2 errors in 1 tag"), "{printed}");
    for part in ["standard input:2:11: error", "standard input:3:13: error", "did you mean `ships/tug.ship`?"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(folder.run_on("tag check -", "@shop\n").complaint().contains("shop"));
    let (base, theirs) = ("@ship\n!set hull 1\n", "@ship\n!from \"ships/tug.ship\"\n!set hull 1\n");
    folder.write("base.ship", base);
    folder.write("theirs.ship", theirs);
    let merged = folder.run_on("tag merge base.ship - theirs.ship --path a.ship --tags tags", "@ship\n!set hull 2\n");
    assert_eq!(merged.stdout(), "@ship\n!from \"ships/tug.ship\"\n!set hull 2\n");
    let merged =
        folder.run_on("tag merge base.ship theirs.ship - --print --path a.ship --tags tags", "@ship\n!set hull 2\n");
    assert_eq!(merged.stdout(), "@ship\n!from \"ships/tug.ship\"\n!set hull 2\n");
    assert!(folder.run_on("tag merge - - theirs.ship", base).complaint().contains("for one of the three"));
}
