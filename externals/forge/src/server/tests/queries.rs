//! The queries of a world are offered, explained and checked like built-ins.

use script::query::RecordArgument;

use super::*;

static QUERIES: &[Query] =
    &[Query::new("near", "near(vector, record?) list of handle", 8, "Who is near.", ("near(vec(0, 0, 0))", "[]"))
        .with_records(&[RecordArgument { index: 1, what: "a filter", fields: &["team"], means: &[] }])];

fn editor() -> Editor {
    let setup = ServerSetup { queries: QUERIES, ..ServerSetup::default() };
    Editor::with(&[("/g/tags/ship.header", SHIP_HEADER)], files_capabilities(), setup)
}

#[test]
fn queries_are_offered_and_explained() {
    let mut editor = editor();
    assert!(editor.offers("/g/a.script", "!set a |\n").contains(&"near".to_string()));
    let told = editor.hover("/g/a.script", "!set a ne|ar(vec(1, 2, 3))\n");
    assert!(told.contains("near(vector, record?) list of handle") && told.contains("Who is near."), "{told}");
    assert!(told.contains("`near(vec(0, 0, 0))` gives `[]`"), "{told}");
    assert!(!Editor::new(&[]).offers("/g/a.script", "!set a |\n").contains(&"near".to_string()));
}

#[test]
fn calls_of_queries_are_checked_in_scripts_and_tags() {
    let mut editor = editor();
    for (path, head) in [("/g/a.script", ""), ("/g/tags/a.ship", "@ship\n")] {
        editor.open(path, &format!("{head}!set other count(near(vec(1, 2, 3), {{ team 1 }}))\n"));
        assert_eq!(editor.wrong(path), [""; 0], "{path}");
        editor.open(path, &format!("{head}!set other count(near(vec(1, 2, 3), {{ tema 1 }}))\n"));
        assert_eq!(editor.wrong(path).len(), 1, "{path}");
        editor.open(path, &format!("{head}!set other count(naer(vec(1, 2, 3)))\n"));
        let wrong = editor.wrong(path);
        assert!(wrong.iter().any(|told| told.contains("`naer` is not known here\ndid you mean `near`?")), "{wrong:?}");
    }
}
