//! What the book says about the world is so.

use tags::manual::{Shown, page};
use world::object::VARIABLES;
use world::{Condition, classes};

const CLASSES: &str = include_str!("../../../docs/book/src/world-classes.md");
const WORLD: &str = include_str!("../../../docs/book/src/world.md");
const STAGES: &str = include_str!("../src/stages.rs");
const DOING: &str = include_str!("../src/doing.rs");

/// The cells of the rows of the table that begins with this row.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| *line != head).skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect();
    rows.map(cells).collect()
}

#[test]
fn the_chapter_of_classes_is_their_manual() {
    let manual = classes().iter().map(|known| page(known.class(), Shown::Visible)).collect::<Vec<String>>();
    let lowered: Vec<String> = manual.iter().map(|page| format!("\n#{}", page.replace("\n#", "\n##"))).collect();
    let written = CLASSES.find("\n## ").map_or("", |place| &CLASSES[place..]);
    assert_eq!(written.trim(), lowered.join("\n").trim(), "write the second into the chapter");
}

#[test]
fn every_condition_is_in_the_table_in_its_words() {
    let told: Vec<String> =
        table(WORLD, "| condition | what is done about it |").into_iter().map(|row| row[0].clone()).collect();
    let all: Vec<&str> = Condition::ALL.iter().map(|condition| condition.text()).collect();
    assert_eq!(told, all);
}

#[test]
fn the_stages_are_told_as_their_own_page_tells_them() {
    let written: String =
        STAGES.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| format!("{line}\n")).collect();
    let own: Vec<Vec<String>> =
        table(&written, "| | stage | what happens | in |").into_iter().map(|row| row[..3].to_vec()).collect();
    assert_eq!(table(WORLD, "| | stage | what happens |"), own);
    assert!(own.len() >= 10);
}

#[test]
fn the_variables_of_every_object_are_told_in_their_order() {
    let told: Vec<String> =
        table(WORLD, "| variable | what it is | first value |").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(told, VARIABLES.map(|name| format!("`{name}`")));
}

#[test]
fn every_effect_is_told_with_the_brush_that_its_own_page_names() {
    let written: String =
        DOING.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| format!("{line}\n")).collect();
    let own = table(&written, "| effect | brush |");
    assert!(own.len() >= 8);
    assert_eq!(table(WORLD, "| effect | brush |"), own);
}

#[test]
fn its_tags_are_without_mistakes() {
    let mut count = 0;
    for block in WORLD.split("```lscript\n").skip(1) {
        let source = block.split("```").next().unwrap_or("");
        let class = source.lines().next().and_then(|line| line.strip_prefix('@')).expect("it says its class");
        let known = classes();
        let made = known.get(class).expect("every world knows it").pack_text(source);
        assert_eq!(made.reports, [], "{source}");
        count += 1;
    }
    assert!(count >= 2);
}
