//! Every tool copes with any files in a tree, and changes nothing that it was not asked to.

use crate::common;

use common::{Folder, ship, weapon};
use forge::check::check;
use forge::classes::Classes;
use forge::edit::{Edit, edit, write};
use forge::edit_error::EditError;
use forge::field_path::FieldPath;
use forge::file_merge::{Comparison, class_of, compare, merge};
use forge::provider::{FromShelf, FromText, Provider};
use forge::refs::{Refs, spots};
use forge::rename;
use forge::search::{Search, TagFilter, find};
use forge::show::show;
use forge::tree_upgrade;
use proptest::prelude::*;

/// Parts of valid tags, and arbitrary text.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@ship\n"),
        Just("@ship 2\n"),
        Just("@weapon"),
        Just("!set hull 3\n"),
        Just("!set hull "),
        Just("!set mounts [{ marker \"a\", weapon \"w.weapon\" }, { marker \"a\" }]\n"),
        Just("!set mounts [{ marker "),
        Just("!set escort \"s.ship\"\n"),
        Just("!set pixels { file \"a\", bytes 3 }\n"),
        Just("!set speed Lambda(hull * 2)\n"),
        Just("!set speed hull * 2\n"),
        Just("//? a note\n"),
        Just("//! conflict: x\n"),
        Just("<<<<<<< ours\n"),
        Just("[[{{(("),
        Just("\"never"),
        Just("\u{feff}"),
        Just("\r\n"),
        Just("ü§\0"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_tool_answers_for_any_files(first in text(), second in text(), bytes in any::<[u8; 12]>()) {
        let folder = Folder::new(&[("s.ship", &first), ("w.weapon", &second), ("x.header", &second), ("ship.notes", &first)]);
        folder.write("b.ship", &bytes);
        let tree = folder.tree();
        let found = check(&tree, None);
        prop_assert_eq!(found.tags, 3);
        let all = [0, 1, 2];
        for (text, kept) in FromText.packed(&tree, &all).into_iter().zip(FromShelf::new(&tree).packed(&tree, &all)) {
            prop_assert!(text.is_none() || text == kept);
        }
        for tag in all {
            let _ = show(&tree, tag);
            if let Ok(edited) = edit(&tree, tag, &[Edit::Set(FieldPath::new("hull").expect("it is a field path"), "7".to_string())]) {
                prop_assert!(edited.after.contains("hull"));
            }
        }
        let refs = Refs::of(&tree, &mut FromText, &[]).expect("no roots are named");
        spots(&tree, refs.graph.used_by(2));
        for condition in ["hull > 3", "any(mounts, Lambda(m, m.delay > 0))", "escort = \"s.ship\""] {
            let wanted = TagFilter { class: "ship".to_string(), condition: Some(condition.to_string()) };
            let search = Search { wanted, show: vec!["mounts".to_string()], ..Search::default() };
            prop_assert_eq!(find(&tree, &mut FromText, &search).expect("the query is valid").asked, 2);
        }
        let mut class = ship();
        class.version = 3;
        let plan = tree_upgrade::plan(&tree, &all, Some(&class));
        prop_assert!(plan.changes.len() + plan.same + plan.newer.len() <= 3);
        let renamed = rename::plan(&tree, "s.ship", "t.ship").expect("it is there");
        prop_assert!(renamed.files.len() <= 4);
        prop_assert_eq!(folder.read("s.ship"), first);
    }

    #[test]
    fn any_texts_are_compared_and_merged(base in text(), ours in text(), theirs in text()) {
        let mut classes = Classes::default();
        classes.add(ship()).expect("the class is new");
        classes.add(weapon()).expect("the class is new");
        let class = class_of(&classes, "a.ship", &[&base, &ours, &theirs]);
        match compare(&base, &ours, class.as_ref()) {
            Comparison::Changes(changes) => prop_assert!(!changes.is_empty() || base == ours),
            Comparison::Lines(lines, why) => prop_assert!(!lines.is_empty() && !why.is_empty()),
        }
        let merged = merge(&base, &ours, &theirs, class.as_ref());
        if ours == base {
            prop_assert_eq!(&merged.text, &theirs);
        }
        if theirs == base {
            prop_assert_eq!(&merged.text, &ours);
        }
    }

    #[test]
    fn any_text_is_a_header_or_has_reports(source in text()) {
        let (class, reports) = Classes::default().read_header(&source, "x");
        prop_assert!(class.is_some() || !reports.is_empty() || source.trim().is_empty() || !source.contains("Header"));
    }
}

#[test]
fn a_file_changed_by_another_program_is_left_alone() {
    let folder = Folder::new(&[("s.ship", "@ship\n")]);
    let file = folder.root().join("s.ship");
    let refused = write(&file, "@ship\n!set hull 2\n", "@ship\n").unwrap_err();
    assert!(matches!(refused, EditError::ChangedMeanwhile { .. }), "{refused}");
    assert!(!write(&file, "@ship\n", "@ship\n").unwrap());
    assert!(write(&file, "@ship\n", "@ship\n!set hull 3\n").unwrap());
    assert_eq!(folder.read("s.ship"), "@ship\n!set hull 3\n");
}

#[test]
fn bulk_data_moves_with_its_tag_and_stays_with_others() {
    let hash = shelf::content_key::of(b"1234");
    let bulk = |file: &str| format!("@ship\n!set pixels {{ file \"{file}\", bytes 4, hash \"{hash}\" }}\n");
    let folder = Folder::new(&[
        ("s/a.ship", &bulk("own.bulk")),
        ("s/b.ship", &bulk("shared.bulk")),
        ("s/c.ship", &bulk("shared.bulk")),
    ]);
    folder.write("s/own.bulk", b"1234");
    folder.write("s/shared.bulk", b"1234");
    for (from, to) in [("s/a.ship", "t/a.ship"), ("s/b.ship", "t/deep/b.ship")] {
        let tree = folder.tree();
        let plan = rename::plan(&tree, from, to).unwrap();
        assert!(rename::carry_out(&tree, &plan).unwrap().is_empty());
    }
    assert_eq!(check(&folder.tree(), None).errors, 0);
    let there = |path: &str| folder.root().join(path).exists();
    assert!(!there("s/own.bulk") && there("t/own.bulk") && there("s/shared.bulk") && there("t/deep/shared.bulk"));
    // Interrupted after the file was moved, the same command finishes it.
    folder.write("d.ship", b"@ship\n!set escort \"s/b.ship\"\n");
    let tree = folder.tree();
    let plan = rename::plan(&tree, "s/b.ship", "t/deep/b.ship").unwrap();
    assert_eq!((plan.is_moved, plan.files.len()), (false, 1));
    assert!(rename::carry_out(&tree, &plan).unwrap().is_empty());
    assert_eq!(folder.read("d.ship"), "@ship\n!set escort \"t/deep/b.ship\"\n");
}
