//! Trees on disk: findings of every kind, and references.

use crate::common;

use std::collections::BTreeSet;
use std::fs;

use common::{Folder, classes, ship};
use forge::check::{Checked, check};
use forge::provider::FromText;
use forge::refs::{Refs, spots};
use forge::search::{Search, TagFilter, find};
use forge::tree::Tree;

fn all(tree: &Tree) -> Checked {
    check(tree, None)
}

/// Some finding contains all these parts.
#[track_caller]
fn expect(found: &Checked, parts: &[&str]) {
    let has = found.findings.iter().any(|finding| parts.iter().all(|part| finding.rendered.contains(part)));
    let told: Vec<&str> = found.findings.iter().map(|finding| finding.rendered.as_str()).collect();
    assert!(has, "{parts:?} is not in:\n{}", told.join("\n"));
}

#[test]
fn a_sound_tree_has_no_findings() {
    let folder = Folder::new(&[
        ("ships/a.ship", "@ship\n!set hull 50\n!set mounts [{ marker \"nose\", weapon \"w\\laser.weapon\" }]\n"),
        ("w/laser.weapon", "@weapon\n!set damage 5\n"),
        ("globals.globals", "@globals\n"),
        ("ship.notes", "!set hull \"not too much\"\n"),
    ]);
    let found = all(&folder.tree());
    assert_eq!((found.tags, found.references, found.errors, found.warnings), (3, 1, 0, 0), "{:?}", found.findings);
}

#[test]
fn errors_have_file_line_column_and_help() {
    let folder = Folder::new(&[
        ("a.ship", "@ship\n\n!set hul 3\n!set escort \"ships/b.ship\"\n"),
        ("ships/bb.ship", "@ship\n!set hull -4\n!set mounts [{ weapon \"w/x.weapon\" }]\n"),
        ("elsewhere/b.ship", "@weapon\n"),
        ("w/y.weapon", "@weapon\n!set numbers [1, \"two\"]\n"),
    ]);
    let found = all(&folder.tree());
    expect(&found, &["tags/a.ship:3:6: error: `ship` has no field `hul`", "did you mean `hull`"]);
    expect(
        &found,
        &["tags/a.ship:4:13: error: `a.ship` refers to `ships/b.ship`, which does not exist", "elsewhere/b.ship"],
    );
    expect(&found, &["bb.ship:2:11: error: `hull`: expected 0 to 1000000 t, found -4"]);
    expect(&found, &["bb.ship:3:23", "refers to `w/x.weapon`, which does not exist", "did you mean `w/y.weapon`?"]);
    expect(&found, &["elsewhere/b.ship:1:2: error: expected `@ship`", "found `@weapon`"]);
    expect(&found, &["w/y.weapon:2:18: error"]);
    assert!(found.findings.windows(2).all(|pair| pair[0].file <= pair[1].file));
    let tree = folder.tree();
    let only = [tree.tag("w/y.weapon").unwrap()];
    let one = check(&tree, Some(&only));
    assert_eq!((one.tags, one.errors), (1, 1));
}

#[test]
fn misplaced_files_are_reported() {
    let folder = Folder::new(&[
        ("ships/a.ship", "@ship\n"),
        ("ships/A.ship", "@ship\n"),
        ("b.ship/x.ship", "@ship\n"),
        ("what?.ship", "@ship\n"),
        ("c.shpi", "@shpi\n"),
        ("readme", "words"),
        ("d.pixels", "@shpi\n"),
    ]);
    folder.write("damaged.ship", b"@ship\n!set hull 3\xff\xfe\n");
    folder.write("empty.ship", b"");
    folder.write("zeros.ship", &[0; 1000]);
    folder.write("marked.ship", "\u{feff}@ship\n".as_bytes());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), folder.root().join("out")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", folder.root().join("gone.ship")).unwrap();
    }
    let found = all(&folder.tree());
    expect(&found, &["ships/a.ship", "differs from `ships/A.ship` only in upper and lower case"]);
    expect(&found, &["b.ship: error: is a folder, though it is named like a tag of the class `ship`"]);
    expect(&found, &["what?.ship: error", "may not be in it"]);
    expect(&found, &["c.shpi: error: there is no class `shpi`, so it is not a tag", "did you mean `ship`?"]);
    expect(&found, &["d.pixels: warning: there is no class `pixels`"]);
    expect(&found, &["readme: warning"]);
    expect(&found, &["damaged.ship: error: expected a text in UTF-8, found other bytes from byte 17 on"]);
    expect(&found, &["empty.ship:1:1: error: expected `@ship` in the first line"]);
    expect(&found, &["zeros.ship:1:1: error"]);
    assert!(found.findings.iter().all(|finding| !finding.file.contains("marked")));
    #[cfg(unix)]
    {
        expect(&found, &["out: error: is a link that leads out of the tree"]);
        expect(&found, &["gone.ship: warning: is a dangling link"]);
    }
}

#[test]
fn a_class_declared_twice_is_reported_and_the_first_counts() {
    let header = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Attributes [{ name \"other\", type \"number\" }]\n";
    let door = header.replace("ship", "door");
    let second = door.replace("other", "another");
    let files =
        [("doors/door.header", door.as_str()), ("doors/second.header", &second), ("a.door", "@door\n!set other 3\n")];
    let folder = Folder::new(&files);
    let tree = folder.tree();
    let found = all(&tree);
    expect(&found, &["second.header: error: the class `door` is declared twice", "doors/door.header"]);
    assert_eq!(found.errors, 1, "{:?}", found.findings);
    // The program's own counts where the tree declares none.
    assert_eq!(tree.classes.class("ship"), Some(&ship()));
    let written = folder.path().join(".astrarium/classes");
    fs::create_dir_all(&written).unwrap();
    let sealed = shelf::headers::sealed;
    fs::write(written.join("ship.header"), sealed(header)).unwrap();
    fs::write(written.join("gate.header"), sealed(&header.replace("ship", "gate"))).unwrap();
    fs::write(written.join("fence.header"), sealed(&header.replace("ship", "fence")).replace("other", "ather"))
        .unwrap();
    folder.write("broken.header", b"@EnvironmentHeader\n!set Namespace 3\n");
    folder.write("noise.header", &[0xff; 100]);
    let tree = folder.tree();
    assert!(tree.classes.has("gate"));
    // Headers written by the tree's game take precedence over the program's classes.
    assert!(tree.classes.class("ship").is_some_and(|class| class.root().field("other").is_some()));
    let found = all(&tree);
    expect(&found, &["broken.header"]);
    expect(&found, &["noise.header", "UTF-8"]);
    // What a game wrote is a cache: damage in it is no mistake of anybody's, and declares nothing.
    expect(&found, &["fence.header: warning: is damaged", "play its game once"]);
    assert!(!tree.classes.has("fence"));
}

#[test]
fn bulk_data_must_exist_with_its_size_and_hash() {
    let bulk = |file: &str| format!("@ship\n!set pixels {{ file \"{file}\", bytes 4 }}\n");
    let folder =
        Folder::new(&[("s/a.ship", &bulk("a.bulk")), ("s/b.ship", &bulk("b.bulk")), ("s/c.ship", &bulk("c.bulk"))]);
    folder.write("s/a.bulk", b"1234");
    folder.write("s/b.bulk", b"123");
    folder.write("s/d.bulk", b"123");
    let hash =
        |bytes: &[u8]| shelf::content_key::of(bytes).0.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let hashed = |bytes| format!("@ship\n!set pixels {{ file \"a.bulk\", bytes 4, hash \"{}\" }}\n", hash(bytes));
    folder.write("s/e.ship", hashed(b"1234").as_bytes());
    folder.write("s/f.ship", hashed(b"4321").as_bytes());
    let found = all(&folder.tree());
    let right = format!("write `hash \"{}\"`", hash(b"1234"));
    expect(&found, &["f.ship:2", "the bulk file `s/a.bulk` does not match the hash in its tag", &right]);
    // A game loads no file without a hash.
    expect(&found, &["s/a.ship:2", "the tag gives no hash for the bulk file `s/a.bulk`", &right]);
    expect(&found, &["b.ship:2", "the bulk file `s/b.bulk` has 3 bytes, but its tag says 4"]);
    expect(&found, &["c.ship:2", "the bulk file `s/c.bulk` does not exist"]);
    expect(&found, &["s/d.bulk: warning: there is no class `bulk`, and no tag names the file"]);
    assert_eq!((found.errors, found.warnings), (4, 1), "{:?}", found.findings);
}

#[test]
fn cycles_matter_only_between_postprocesses() {
    let refers = |to: &str| format!("@ship\n!set escort \"{to}.ship\"\n");
    let folder = Folder::new(&[("a.ship", &refers("b")), ("b.ship", &refers("c")), ("c.ship", &refers("b"))]);
    assert_eq!(all(&folder.tree()).errors, 0);
    let mut reading = classes();
    reading[0].reads = vec!["ship".to_string()];
    let found = all(&folder.tree_of(reading));
    expect(&found, &["b.ship: error: its postprocess is part of a dependency cycle: `b.ship` → `c.ship` → `b.ship`"]);
    assert_eq!(found.errors, 1);
}

#[test]
fn a_long_chain_of_tags_is_traversed_without_recursion() {
    let count = 3000;
    let text = |next: usize| format!("@ship\n!set escort \"s{next:05}.ship\"\n");
    let files: Vec<(String, String)> =
        (0..count).map(|number| (format!("s{number:05}.ship"), text((number + 1) % count))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = Folder::new(&files);
    let mut reading = classes();
    reading[0].reads = vec!["ship".to_string()];
    let tree = folder.tree_of(reading);
    assert_eq!(all(&tree).errors, 1);
    let refs = Refs::of(&tree, &mut FromText, &["s00000.ship".to_string()]).unwrap();
    assert_eq!(refs.graph.chain(&refs.roots, count - 1).unwrap().len(), count - 1);
}

#[test]
fn references_are_listed_with_line_and_field() {
    let folder = Folder::new(&[
        (
            "a.ship",
            "@ship\n!set mounts [\n  { marker \"nose\", weapon \"l.weapon\" },\n  { weapon (\"l.weapon\") },\n]\n",
        ),
        ("b.ship", "@ship\n!set escort \"a.ship\"\n"),
        ("l.weapon", "@weapon\n"),
        ("alone.weapon", "@weapon\n"),
        ("g.globals", "@globals\n"),
    ]);
    let tree = folder.tree();
    let refs = Refs::of(&tree, &mut FromText, &["b.ship".to_string()]).unwrap();
    let laser = tree.tag("l.weapon").unwrap();
    let spots = spots(&tree, refs.graph.used_by(laser));
    let told: Vec<String> = spots
        .iter()
        .map(|spot| format!("{}:{}:{} {}", spot.from, spot.place.line, spot.place.column, spot.field))
        .collect();
    assert_eq!(told, ["a.ship:3:27 mounts[nose].weapon", "a.ship:4:12 mounts[#1].weapon"]);
    let unused: Vec<&str> = refs.graph.unused(&refs.roots).iter().map(|tag| tree.tags[*tag].path.as_str()).collect();
    assert_eq!(unused, ["alone.weapon"]);
    let chain = refs.graph.chain(&refs.roots, laser).unwrap();
    let way: Vec<&str> = chain.iter().map(|edge| tree.tags[edge.to].path.as_str()).collect();
    assert_eq!(way, ["a.ship", "l.weapon"]);
    assert_eq!(refs.graph.chain(&BTreeSet::new(), laser), None);
    assert!(Refs::of(&tree, &mut FromText, &["missing.ship".to_string()]).is_err());
}

#[test]
fn a_tag_is_named_by_its_path_or_its_file() {
    let folder = Folder::new(&[("ships/corvette.ship", "@ship\n")]);
    let tree = folder.tree();
    let file = folder.root().join("ships/corvette.ship");
    for written in ["ships/corvette.ship", "ships\\corvette.ship", file.to_str().unwrap()] {
        assert_eq!(tree.tag(written).ok(), Some(0), "{written}");
    }
    let missing = tree.tag("corvette.ship").unwrap_err();
    assert_eq!(missing.to_string(), "there is no tag `corvette.ship`; did you mean `ships/corvette.ship`?");
    assert!(tree.tag("../x.ship").is_err());
    assert!(tree.tag("").is_err());
    assert!(Tree::open(&folder.root().join("none"), tags::Classes::new()).is_err());
    assert!(Tree::open(&file, tags::Classes::new()).is_err());
}

#[test]
fn notes_on_missing_fields_are_reported() {
    let folder = Folder::new(&[
        ("ship.notes", "!set hull \"fine\"\n!set mounts { delay \"fine\", none \"gone\" }\n!set hul \"slip\"\n"),
        ("shpi.notes", "!set hull \"fine\"\n"),
        ("weapon.notes", "!set damage [\n"),
    ]);
    let found = all(&folder.tree());
    expect(&found, &["ship.notes: warning: `ship` has no field `hul`"]);
    expect(&found, &["ship.notes: warning: `ship` has no field `mounts.none`"]);
    expect(&found, &["shpi.notes: warning", "did you mean `ship.notes`?"]);
    expect(&found, &["weapon.notes:2:1: error"]);
    assert_eq!(found.warnings, 3, "{:?}", found.findings);
}

#[test]
fn classes_may_derive_from_each_other_in_any_header() {
    let folder = Folder::new(&[]);
    let header = |name: &str, base: &str, field: &str| {
        let base = if base.is_empty() { String::new() } else { format!("!set Base \"{base}\"\n") };
        let fields = format!(
            "!set Attributes [{{ name \"{field}\", type \"f32\" }}, {{ name \"to_{field}\", type \"@thing\" }}]\n"
        );
        format!("@EnvironmentHeader\n!set Namespace \"{name}\"\n{base}{fields}")
    };
    folder.write("boat.header", header("boat", "vessel", "sail").as_bytes());
    folder.write("vessel.header", header("vessel", "thing", "hull").as_bytes());
    let thing = shelf::headers::sealed(&header("thing", "", "mass"));
    folder.write("../.astrarium/classes/thing.header", thing.as_bytes());
    folder.write("a.boat", b"@boat\n!set mass 1\n!set hull 2\n!set sail 3\n!set to_mass \"b.vessel\"\n");
    folder.write("b.vessel", b"@vessel\n!set hull 2\n!set to_hull \"ship.header\"\n");
    let tree = Tree::open(&folder.root(), tags::Classes::new()).unwrap();
    assert!(tree.classes.is_a("boat", "thing"), "{:?}", tree.findings);
    let checked = check(&tree, None);
    let told: Vec<&str> = checked.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert!(told.iter().any(|told| told.contains("expected the path of a `thing`")), "{told:?}");
    assert!(checked.findings.iter().all(|finding| finding.file.ends_with("b.vessel")), "{told:?}");
    let wanted = TagFilter { class: "thing".to_string(), condition: Some("mass < 2".to_string()) };
    let search = Search { wanted, ..Search::default() };
    let answer = find(&tree, &mut FromText, &search).unwrap();
    assert_eq!(answer.found.len(), 2, "derived classes are included");
}

#[test]
fn a_tag_made_from_another_is_checked_shown_and_found() {
    let folder = Folder::new(&[
        ("ships/a.ship", "@ship\n!set hull 50\n!set mounts [{ marker \"nose\", weapon \"w/laser.weapon\" }]\n"),
        ("ships/b.ship", "@ship\n!from \"ships/a.ship\"\n!set mounts[#0].delay 2\n!set size \"large\"\n"),
        ("ships/c.ship", "@ship\n!from \"ships/b.ship\"\n!set hull 70\n"),
        ("w/laser.weapon", "@weapon\n"),
    ]);
    let tree = folder.tree();
    let found = all(&tree);
    assert_eq!((found.errors, found.warnings), (0, 0), "{:?}", found.findings);
    let shown = forge::show::show(&tree, tree.tag("ships/c.ship").expect("a tag")).expect("it can be read");
    let row = |name: &str| {
        let row = shown.rows.iter().find(|row| row.name == name).expect("a field");
        format!("{} ({}{})", row.value, row.from, if row.is_default { "default" } else { "" })
    };
    assert_eq!(
        (row("hull"), row("size"), row("shield")),
        ("70 ()".into(), "\"large\" (ships/b.ship)".into(), "nothing (default)".into())
    );
    assert!(row("mounts").contains("delay 2") && row("mounts").contains("(ships/a.ship"), "{}", row("mounts"));
    // What is inherited is referred to by the tag that sets it.
    let refs = Refs::of(&tree, &mut FromText, &[]).expect("they are collected");
    let laser = tree.tag("w/laser.weapon").expect("a tag");
    assert_eq!(refs.graph.used_by(laser).len(), 1);
    let parents = spots(&tree, refs.graph.used_by(tree.tag("ships/a.ship").expect("a tag")));
    assert_eq!(
        parents.iter().map(|site| (site.from.as_str(), site.place.line)).collect::<Vec<_>>(),
        [("ships/b.ship", 2)]
    );
    let plan = forge::rename::plan(&tree, "ships/a.ship", "ships/z.ship").expect("it can be renamed");
    assert_eq!(plan.files.len(), 1);
    assert!(plan.files[0].after.contains("!from \"ships/z.ship\""), "{}", plan.files[0].after);
}

#[test]
fn what_a_class_shares_is_checked_with_it() {
    let header = "@EnvironmentHeader\n!set Namespace \"gun\"\n!set Use \"lib/guns.lscript\"\n!set Attributes [\n\
                  { name \"twice\", type \"lambda\", default Lambda(x, x * raech) },\n\
                  { name \"reach\", type \"f32\", default 3 }\n]\n";
    let folder = Folder::new(&[
        ("gun.header", header),
        ("lib/guns.lscript", "// What guns know.\n!set far Lambda(x, x + rach)\n"),
        ("a.gun", "@gun\n!set reach far(2)\n"),
        (
            "wrong.header",
            "@EnvironmentHeader\n!set Namespace \"wrong\"\n!set Use \"lib/gun.lscript\"\n!set Attributes []\n",
        ),
    ]);
    let found = all(&folder.tree());
    expect(&found, &["gun.header:5:40", "`raech`"]);
    expect(&found, &["lib/guns.lscript:2:24", "`rach`", "did you mean `reach`?"]);
    expect(&found, &["wrong.header:3:10", "the script `lib/gun.lscript` does not exist"]);
    // The tag that uses the library does not repeat the library's mistake.
    let repeats =
        |finding: &forge::finding::Finding| finding.file.ends_with("a.gun") && format!("{finding:?}").contains("rach");
    assert!(!found.findings.iter().any(repeats), "{:?}", found.findings);
}
