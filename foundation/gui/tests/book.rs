//! The chapter on interfaces agrees with the code.

use crate::common;

use base::StringId;
use common::{Stage, content, id};
use gui::effects::SIGNATURES;
use gui::limits::{DEPTH_MAX, ITEMS_MAX, WIDGETS_MAX};
use gui::mapping::Mapping;
use gui::report::Reports;
use gui::settings::Settings;

const PAGE: &str = include_str!("../../../docs/book/src/interfaces.md");

/// The tags of the page, with their paths.
fn tags() -> Vec<(&'static str, &'static str)> {
    let blocks = PAGE.split("```lscript ").skip(1).map(|block| block.split("```").next().unwrap_or(""));
    let tags: Vec<_> = blocks.filter_map(|block| block.split_once('\n')).collect();
    assert_eq!(tags.len(), 6);
    tags
}

#[test]
fn the_tags_of_the_page_have_no_mistakes_and_open() {
    let (content, reports) = content(&tags());
    assert_eq!(reports, [] as [String; 0]);
    let mut stage = Stage::with(content);
    stage.reports();
    for (path, _) in tags().iter().filter(|(path, _)| path.ends_with("interface") || path.ends_with("guibutton")) {
        stage.work(|gui, around| gui.open(StringId::from(*path), around));
        stage.update(0.1);
    }
    stage.draw();
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn the_menu_of_the_page_is_used_with_keys() {
    use relay::device::Key;
    let (content, _) = content(&tags());
    let mut stage = Stage::with(content);
    stage.gui.set_settings(Settings::default().all());
    stage.work(|gui, around| gui.open(id("interfaces/menu.interface"), around));
    stage.update(0.1);
    assert_eq!(stage.gui.focused(), "play");
    stage.key(Key::Down);
    stage.key(Key::Left);
    let requests = stage.requests();
    let value = match &requests[..] {
        [gui::outgoing::Request::Setting { name, value }] if name == "music" => value.number(),
        other => panic!("{other:?}"),
    };
    assert!((value.unwrap() - 0.75).abs() < 1e-5);
    stage.key(Key::Down);
    stage.key(Key::Down);
    stage.key(Key::Enter);
    assert!(stage.rect("sure").is_some());
    stage.key(Key::Escape);
    assert!(!stage.gui.is_open(id("interfaces/menu.interface")));
}

#[test]
fn the_controls_and_settings_of_the_page_are_read() {
    let (content, _) = content(&tags());
    let mut reports = Reports::default();
    let mut mapping = Mapping::read(&content, id("player.controls"), &mut reports);
    let (_, text) = tags().into_iter().find(|(path, _)| *path == "player.settings").expect("it is there");
    let (settings, wrong) = Settings::from_text(text);
    assert_eq!((settings.number("fov"), wrong), (70.0, Vec::new()));
    mapping.apply_overrides(&settings.keys, &mut reports);
    assert_eq!(mapping.chords(id("fire"))[1].text(), "key left_control + key f");
    assert_eq!(reports.take(), []);
    assert_eq!(settings.preferences().text_scale, 1.25);
}

#[test]
fn every_effect_is_listed_with_its_help() {
    for effect in &SIGNATURES {
        let row = format!("| `!{}` | {} |", effect.signature, effect.help);
        assert!(PAGE.contains(&row), "{row}");
    }
}

#[test]
fn the_limits_of_the_page_are_those_of_the_code() {
    assert_eq!((WIDGETS_MAX, DEPTH_MAX, ITEMS_MAX), (65_536, 256, 4_096));
    assert!(PAGE.contains("at most 65,536 widgets, 256 deep; a list shows at most 4,096 items"));
}
