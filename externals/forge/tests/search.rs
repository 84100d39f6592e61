//! Search over all tags, and invalid queries.

use crate::common;

use common::Folder;
use forge::provider::FromText;
use forge::search::{Search, SearchResult, TagFilter, find};
use forge::tree::Tree;

fn wanted(class: &str, condition: &str) -> TagFilter {
    TagFilter { class: class.to_string(), condition: (!condition.is_empty()).then(|| condition.to_string()) }
}

fn fleet() -> Folder {
    Folder::new(&[
        (
            "a.ship",
            "@ship\n!set hull 150\n!set name \"alpha\"\n!set size \"large\"\n!set traits [\"fast\"]\n!set nose vec(3, 4, 0)\n!set mounts [{ marker \"nose\", weapon \"l.weapon\" }, { marker \"tail\", delay 2 }]\n",
        ),
        (
            "b.ship",
            "@ship\n!set hull 50\n!set speed Lambda(hull / 2)\n!set mounts [{ weapon \"m.weapon\" }]\n!set shield 3\n",
        ),
        ("c.ship", "@ship\n!set speed 9\n"),
        ("l.weapon", "@weapon\n!set damage 60\n!set name \"laser\"\n!set turn 90\n!set numbers [1, 2, 3]\n"),
        ("m.weapon", "@weapon\n!set damage 70\n"),
        ("n.weapon", "@weapon\n!set damage 5\n"),
    ])
}

fn paths(tree: &Tree, answer: &SearchResult) -> String {
    let found: Vec<&str> = answer.found.iter().map(|found| tree.tags[found.tag].path.stem()).collect();
    found.join(" ")
}

#[track_caller]
fn check(class: &str, condition: &str, expected: &str) {
    let folder = fleet();
    let tree = folder.tree();
    let search = Search { wanted: wanted(class, condition), ..Search::default() };
    let answer = find(&tree, &mut FromText, &search).expect("the query is valid");
    assert_eq!(paths(&tree, &answer), expected, "{condition}: {:?}", answer.why);
}

#[test]
fn a_condition_is_evaluated_for_every_tag_of_a_class() {
    check("weapon", "", "l m n");
    check("weapon", "damage > 50", "l m");
    check("weapon", "damage > 50 and name = \"laser\"", "l");
    check("weapon", "turn = 90", "l");
    check("weapon", "sum(numbers) = 6", "l");
    check("weapon", "count(numbers) = 0", "m n");
    check("ship", "hull >= 100", "a c");
    check("ship", "size = \"large\"", "a");
    check("ship", "name = \"alpha\"", "a");
    check("ship", "contains(traits, \"fast\")", "a");
    check("ship", "length(nose) = 5", "a");
    check("ship", "any(mounts, Lambda(m, m.delay > 1))", "a");
    check("ship", "any(mounts, Lambda(m, m.weapon = \"m.weapon\"))", "b");
    check("ship", "count(filter(mounts, Lambda(m, m.marker = \"nose\"))) = 1", "a");
    check("ship", "shield <> nothing", "b");
    check("ship", "false", "");
}

#[test]
fn tags_are_found_by_their_references_in_both_directions() {
    let folder = fleet();
    let tree = folder.tree();
    let ask = |search: &Search| paths(&tree, &find(&tree, &mut FromText, search).unwrap());
    let weapons = Search { wanted: wanted("weapon", "damage > 50"), ..Search::default() };
    let big = Search { used_by: vec![wanted("ship", "hull > 100")], ..weapons.clone() };
    assert_eq!(ask(&big), "l");
    assert_eq!(ask(&Search { used_by: vec![wanted("ship", "")], ..weapons.clone() }), "l m");
    let ships = Search { wanted: wanted("ship", ""), uses: vec![wanted("weapon", "damage = 70")], ..Search::default() };
    assert_eq!(ask(&ships), "b");
}

#[test]
fn values_are_shown_as_lscript() {
    let folder = fleet();
    let tree = folder.tree();
    let show =
        ["damage", "name", "damage * 2", "if damage > 60 then name else \"weak\"", "map(numbers, Lambda(n, n * 10))"];
    let search =
        Search { wanted: wanted("weapon", "damage >= 60"), show: show.map(String::from).to_vec(), ..Search::default() };
    let answer = find(&tree, &mut FromText, &search).unwrap();
    let values: Vec<String> = answer.found.iter().map(|found| found.values.join(" | ")).collect();
    assert_eq!(values, ["60 | \"laser\" | 120 | \"weak\" | [10, 20, 30]", "70 | \"\" | 140 | \"\" | []"]);
}

#[test]
fn tags_without_a_result_are_counted_with_a_reason() {
    let folder = fleet();
    folder.write("broken.ship", &[0xff; 10]);
    let tree = folder.tree();
    let search = Search { wanted: wanted("ship", "speed > 5"), ..Search::default() };
    let answer = find(&tree, &mut FromText, &search).unwrap();
    assert_eq!((paths(&tree, &answer).as_str(), answer.asked, answer.unanswered), ("c", 4, 2));
    assert!(answer.why.unwrap().0.ends_with("b.ship"));
}

#[test]
fn invalid_queries_are_refused_with_a_reason() {
    let folder = fleet();
    let tree = folder.tree();
    for (class, condition, part) in [
        ("weapn", "", "did you mean `weapon`?"),
        ("weapon", "damag > 3", "damag"),
        ("weapon", "damage >", "expected"),
        ("weapon", "!set damage 3", "!"),
        ("weapon", "!Log(1)", "!"),
        ("weapon", "1\n2", "one expression"),
        ("weapon", "  ", "one expression"),
        ("weapon", "damage + \"a\" > 3", "number"),
    ] {
        let search = Search { wanted: wanted(class, condition), ..Search::default() };
        let trouble = find(&tree, &mut FromText, &search).unwrap_err();
        assert!(trouble.to_string().contains(part), "{condition}: {trouble}");
    }
    let long = Search { wanted: wanted("weapon", &"not ".repeat(50_000)), ..Search::default() };
    assert!(find(&tree, &mut FromText, &long).is_err());
    let deep = Search { wanted: wanted("weapon", &"(".repeat(50_000)), ..Search::default() };
    assert!(find(&tree, &mut FromText, &deep).is_err());
    let number = Search { wanted: wanted("weapon", "damage"), ..Search::default() };
    assert!(find(&tree, &mut FromText, &number).map_or(true, |answer| answer.unanswered == 3));
}

#[test]
fn long_series_can_be_queried() {
    let mounts: Vec<String> =
        (0..100_000).map(|number| format!("{{ marker \"m{number}\", delay {number} }}")).collect();
    let folder = Folder::new(&[("long.ship", &format!("@ship\n!set mounts [{}]\n", mounts.join(", ")))]);
    let tree = folder.tree();
    let search = Search { wanted: wanted("ship", "any(mounts, Lambda(m, m.delay = 99999))"), ..Search::default() };
    let answer = find(&tree, &mut FromText, &search).unwrap();
    assert_eq!(answer.found.len(), 1, "{:?}", answer.why);
}
