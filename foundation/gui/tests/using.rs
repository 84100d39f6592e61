//! Using interfaces: pointer, touch, keys, gamepads, text.

use crate::common;

use base::{Quat, StringId, Vec2, Vec3};
use common::{MAIN, Stage, content, id};
use gui::answer::Answer;
use gui::classes::interface::CursorName;
use relay::device::{DeviceEvent, Key, PadAxis, PadButton, TouchPhase};
use view::{CameraView, CanvasItem, Colour, Frame, Instance, Shape, Span};

fn with_keys(widgets: &str) -> Stage {
    Stage::new(&[(MAIN, &format!("@interface\n!set keys true\n!set widgets [{widgets}]\n"))])
}

#[test]
fn only_what_lies_under_the_pointer_is_pressed() {
    let mut stage = Stage::of(
        r##"{ name "back", size vec(300, 300), look { fill "#202020" } },
           { name "a", kind "button", size vec(100, 50), OnClick [ !GUIFire("a") ] },
           { name "glass", size vec(100, 50), passes true, look { fill "#ffffff20" } },
           { name "b", kind "button", offset vec(50, 0), size vec(100, 50), OnClick [ !GUIFire("b") ] }"##,
    );
    for (x, y, is_used, expected) in [
        (10.0, 10.0, true, Some("a")),
        (60.0, 10.0, true, Some("b")),
        (149.9, 49.9, true, Some("b")),
        (150.0, 10.0, true, None),
        (299.0, 299.0, true, None),
        (300.0, 10.0, false, None),
    ] {
        assert_eq!(stage.click(x, y), is_used, "{x} {y}");
        let sent: Vec<StringId> = stage.events().into_iter().map(|(name, _)| name).collect();
        assert_eq!(sent, expected.map(id).into_iter().collect::<Vec<_>>(), "{x} {y}");
    }
}

#[test]
fn a_click_needs_press_and_release_on_the_same_widget() {
    let mut stage = Stage::of(r#"{ name "a", kind "button", size vec(100, 50), OnClick [ !GUIFire("a") ] }"#);
    stage.move_to(10.0, 10.0);
    assert!(stage.button(true));
    stage.move_to(500.0, 500.0);
    assert!(stage.button(false), "the release of a press that was ours is ours");
    assert_eq!(stage.events(), []);
    stage.button(true);
    stage.move_to(10.0, 10.0);
    assert!(!stage.button(false));
    assert_eq!(stage.events(), [], "the press was the game's");
}

#[test]
fn a_text_in_a_button_does_not_take_its_clicks() {
    let mut stage = Stage::of(
        r##"{ name "a", kind "button", size vec(100, 50), OnClick [ !GUIFire("a") ], children [
            { name "t", kind "text", text "hello" }, { name "i", size vec(20, 20), look { fill "#ff0000" } }] }"##,
    );
    stage.click(5.0, 5.0);
    assert_eq!(stage.events().len(), 1);
}

#[test]
fn what_is_disabled_does_nothing() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set ready false
!set widgets [{ name "a", kind "button", size vec(100, 50), bind { enabled Lambda(ready) }, OnClick [ !GUIFire("a") ] },
  { name "b", kind "button", offset vec(0, 100), size vec(100, 50), OnClick [ !set ready true ] }]"#,
    )]);
    assert!(stage.click_on("a"), "it still covers what lies behind");
    assert_eq!(stage.events(), []);
    stage.click_on("b");
    stage.click_on("a");
    assert_eq!(stage.events().len(), 1);
}

#[test]
fn nothing_outside_of_a_modal_panel_can_be_used() {
    let mut stage = with_keys(
        r#"{ name "a", kind "button", size vec(100, 50), OnClick [ !Show("ask") ] },
           { name "ask", hidden true, modal true, anchor "centre", size vec(200, 100), children [
               { name "yes", kind "button", size vec(50, 50), OnClick [ !Hide("ask") ] },
               { name "no", kind "button", offset vec(100, 0), size vec(50, 50) }] }"#,
    );
    stage.click_on("a");
    assert!(stage.rect("ask").is_some());
    assert!(stage.click(10.0, 10.0) && stage.click(1900.0, 1000.0), "all presses are the panel's");
    stage.key(Key::Tab);
    stage.key(Key::Tab);
    assert_eq!(stage.gui.focused(), "no");
    stage.key(Key::Tab);
    assert_eq!(stage.gui.focused(), "yes", "the focus stays within it");
    stage.key(Key::Enter);
    assert!(stage.rect("ask").is_none());
    assert!(!stage.click(1900.0, 1000.0));
}

#[test]
fn looks_are_blended_between_states() {
    let mut stage = Stage::of(
        r##"{ name "a", kind "button", size vec(100, 50), blend 0.1, look { fill "#000000" },
            states [{ state "hovered", look { fill "#ffffff" } }] }"##,
    );
    let fill = |stage: &mut Stage| match stage.draw().items[0] {
        CanvasItem::Quad { fill, .. } => fill.red,
        other => panic!("{other:?}"),
    };
    assert_eq!(fill(&mut stage), 0);
    stage.work(|gui, around| gui.handle(&DeviceEvent::PointerMoved { x: 5.0, y: 5.0 }, around));
    stage.update(0.05);
    let half = fill(&mut stage);
    assert!((120..=136).contains(&half), "{half}");
    stage.update(0.1);
    assert_eq!(fill(&mut stage), 255);
    stage.move_to(500.0, 500.0);
    stage.update(0.2);
    assert_eq!(fill(&mut stage), 0);
}

#[test]
fn two_parts_of_an_image_are_drawn_over_each_other_while_the_state_changes() {
    let mut stage = Stage::of(
        r#"{ name "a", kind "button", size vec(100, 50), blend 0.1, look { bitmap "b.bitmap", part [0, 0, 0.5, 1] },
            states [{ state "hovered", look { part [0.5, 0, 1, 1] } }] }"#,
    );
    let images = |stage: &mut Stage| {
        let canvas = stage.draw();
        let images = canvas.items.iter().filter_map(|item| match item {
            CanvasItem::Image { part, tint, .. } => Some((part.min.x, tint.alpha)),
            _ => None,
        });
        images.collect::<Vec<_>>()
    };
    assert_eq!(images(&mut stage), [(0.0, 255)]);
    stage.work(|gui, around| gui.handle(&DeviceEvent::PointerMoved { x: 5.0, y: 5.0 }, around));
    stage.update(0.05);
    assert_eq!(images(&mut stage), [(0.5, 255), (0.0, 128)]);
    stage.update(0.1);
    assert_eq!(images(&mut stage), [(0.5, 255)]);
}

#[test]
fn a_slider_follows_the_pointer_in_steps() {
    let mut stage = with_keys(
        r#"{ name "s", kind "slider", size vec(100, 20), min 0, max 10, step 2, OnChange Lambda(value, !GUIFire("set", value)) }"#,
    );
    stage.move_to(0.0, 10.0);
    stage.button(true);
    stage.move_to(41.0, 10.0);
    stage.move_to(45.0, 500.0);
    stage.move_to(900.0, 10.0);
    stage.button(false);
    let values: Vec<Answer> = stage.events().into_iter().map(|(_, fields)| fields[0].clone()).collect();
    assert_eq!(values, [4.0, 10.0].map(Answer::Number));
    stage.key(Key::Left);
    assert_eq!(stage.events()[0].1, [Answer::Number(8.0)]);
}

#[test]
fn a_toggle_switches() {
    let mut stage =
        Stage::of(r#"{ name "t", kind "toggle", text "sound", OnChange Lambda(is_on, !GUIFire("set", is_on)) }"#);
    stage.click_on("t");
    stage.click_on("t");
    let values: Vec<Answer> = stage.events().into_iter().map(|(_, fields)| fields[0].clone()).collect();
    assert_eq!(values, [Answer::Truth(true), Answer::Truth(false)]);
}

#[test]
fn dragging_tells_the_way() {
    let mut stage = Stage::of(r#"{ name "d", size vec(100, 100), OnDrag Lambda(x, y, !GUIFire("drag", x, y)) }"#);
    stage.move_to(50.0, 50.0);
    stage.button(true);
    stage.move_to(52.0, 50.0);
    stage.move_to(60.0, 45.0);
    stage.move_to(50.0, 45.0);
    stage.button(false);
    stage.move_to(70.0, 45.0);
    let ways: Vec<Vec<Answer>> = stage.events().into_iter().map(|(_, fields)| fields).collect();
    assert_eq!(ways, [[10.0, -5.0], [-10.0, 0.0]].map(|way| way.map(Answer::Number).to_vec()));
}

const MENU: &str = r#"
    { name "left", kind "column", size vec(200, 0), children [
        { name "a", kind "button", size vec(0, 40) }, { name "b", kind "button", size vec(0, 40) }, { name "c", kind "button", size vec(0, 40) }] },
    { name "right", kind "column", offset vec(300, 0), size vec(200, 0), children [
        { name "x", kind "button", size vec(0, 40) }, { name "y", kind "button", size vec(0, 40), focus { down "a" } }] }"#;

#[test]
fn keys_walk_through_a_menu() {
    let mut stage = with_keys(MENU);
    let mut walk = |keys: &[(Key, &str)]| {
        for (key, expected) in keys {
            stage.key(*key);
            assert_eq!(stage.gui.focused(), *expected, "{key:?}");
        }
    };
    walk(&[(Key::Down, "b"), (Key::Down, "c"), (Key::Down, "c"), (Key::Up, "b")]);
    walk(&[(Key::Right, "y"), (Key::Up, "x"), (Key::Left, "b"), (Key::Right, "x")]);
    walk(&[(Key::Down, "y"), (Key::Down, "a"), (Key::Tab, "b")]);
}

#[test]
fn a_gamepad_walks_too_and_repeats() {
    let mut stage = with_keys(MENU);
    assert!(stage.pad(PadButton::Down));
    assert_eq!(stage.gui.focused(), "b");
    assert!(stage.event(DeviceEvent::PadAxis { pad: 0, axis: PadAxis::LeftY, value: -0.9 }));
    assert_eq!(stage.gui.focused(), "c");
    stage.event(DeviceEvent::PadAxis { pad: 0, axis: PadAxis::LeftY, value: 0.9 });
    assert_eq!(stage.gui.focused(), "b");
    stage.update(0.3);
    assert_eq!(stage.gui.focused(), "b");
    stage.update(0.2);
    assert_eq!(stage.gui.focused(), "a", "it repeats after 0.4 s");
    stage.event(DeviceEvent::Focus(false));
    stage.pad(PadButton::Down);
    stage.update(0.5);
    assert_eq!(stage.gui.focused(), "b", "nothing is held any more");
}

#[test]
fn two_directions_at_once_are_a_diagonal() {
    let mut stage = with_keys(
        r#"{ name "a", kind "button", size vec(50, 50) }, { name "b", kind "button", offset vec(60, 0), size vec(50, 50) },
           { name "c", kind "button", offset vec(0, 60), size vec(50, 50) }, { name "d", kind "button", offset vec(60, 60), size vec(50, 50) }"#,
    );
    let down = |key| DeviceEvent::Key { key, is_down: true, is_repeat: false };
    stage.event(down(Key::Right));
    stage.event(down(Key::Down));
    assert_eq!(stage.gui.focused(), "d");
}

#[test]
fn the_focus_goes_to_what_is_shown_at_the_same_time_as_the_items_of_a_list() {
    let mut stage = Stage::new(&[(
        MAIN,
        "@interface\n!set keys true\n!set page 1\n!set widgets [\n\
         { name \"go\", kind \"button\", size vec(50, 20), bind { visible Lambda(page = 1) }, OnClick [ !set page 2, !Focus(\"second\") ] },\n\
         { name \"many\", kind \"list\", bind { items Lambda(if page = 2 then range(3) else []) }, children [{ name \"it\", kind \"text\", text \"x\" }] },\n\
         { name \"second\", offset vec(0, 200), bind { visible Lambda(page = 2) }, children [{ name \"b\", kind \"button\", size vec(50, 20), OnClick [ !GUIFire(\"b\") ] }] }]\n",
    )]);
    stage.click_on("go");
    stage.key(Key::Enter);
    assert_eq!(stage.events().len(), 1);
}

#[test]
fn a_list_wraps_and_scrolls_to_the_focus() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set keys true
!set items [1, 2, 3, 4, 5, 6]
!set widgets [{ name "s", kind "scroll", size vec(100, 100), gap 0, children [{ name "l", kind "list", gap 0, bind { items Lambda(items) }, children [
    { name "row", kind "button", size vec(0, 40), bind { text Lambda(item) }, OnClick [ !GUIFire("pick", item) ] }] }] }]"#,
    )]);
    stage.key(Key::Up);
    stage.key(Key::Enter);
    assert_eq!(stage.events(), [(id("pick"), vec![Answer::Number(6.0)])], "up from the first is the last");
    let rows: Vec<f32> = stage.gui.visible().iter().filter(|(name, ..)| name == "row").map(|it| it.1.min.y).collect();
    assert_eq!(rows, [-140.0, -100.0, -60.0, -20.0, 20.0, 60.0], "it is scrolled into view");
    stage.key(Key::Down);
    stage.key(Key::Enter);
    assert_eq!(stage.events(), [(id("pick"), vec![Answer::Number(1.0)])]);
}

#[test]
fn keys_are_the_games_unless_a_menu_is_open() {
    let mut stage = Stage::of(r#"{ name "a", kind "button", size vec(50, 50) }"#);
    assert!(!stage.key(Key::Down) && !stage.key(Key::Enter) && !stage.pad(PadButton::South));
    assert!(!stage.gui.has_keys());
    assert_eq!(stage.gui.focused(), "");
}

#[test]
fn escape_is_told_to_the_interface() {
    let mut stage = Stage::new(&[(
        MAIN,
        "@interface\n!set keys true\n!set OnGuicancel [ !Close() ]\n!set widgets [{ name \"a\" }]",
    )]);
    assert!(stage.key(Key::Escape));
    assert!(!stage.gui.is_open(id(MAIN)));
    assert!(!stage.key(Key::Escape));
}

#[test]
fn text_is_typed_copied_and_submitted() {
    let mut stage = with_keys(
        r#"{ name "name", kind "text_input", size vec(300, 40), length_max 8,
            OnSubmit Lambda(text, !Command("rename", text))}"#,
    );
    stage.click(250.0, 20.0);
    assert_eq!(stage.gui.text_area().map(|area| area.max.x), Some(300.0));
    assert!(stage.event(DeviceEvent::Text("Gräfin".into())));
    assert!(stage.key(Key::W), "letters do not reach the game");
    assert!(!stage.event(DeviceEvent::Key { key: Key::F1, is_down: true, is_repeat: false }), "function keys do");
    let hold = |stage: &mut Stage, key, is_down| stage.event(DeviceEvent::Key { key, is_down, is_repeat: false });
    hold(&mut stage, Key::LeftControl, true);
    stage.key(Key::A);
    stage.key(Key::X);
    stage.key(Key::V);
    stage.key(Key::V);
    hold(&mut stage, Key::LeftControl, false);
    assert_eq!((stage.clipboard.as_str(), stage.text("name").as_deref()), ("Gräfin", Some("GräfinGr")));
    stage.event(DeviceEvent::Composition { text: "xy".into(), cursor: Some((2, 2)) });
    stage.key(Key::Backspace);
    stage.key(Key::Enter);
    let request = stage.requests().pop().unwrap();
    let expected =
        gui::outgoing::Request::Command { name: "rename".into(), arguments: vec![Answer::Words("GräfinG".into())] };
    assert_eq!(request, expected);
    stage.key(Key::Escape);
    assert_eq!(stage.gui.text_area(), None);
}

#[test]
fn the_pointer_places_the_caret_and_selects() {
    let mut stage =
        with_keys(r#"{ name "n", kind "text_input", text "abcdef", size vec(300, 40), look { font_size 20 } }"#);
    stage.move_to(30.0, 20.0);
    stage.button(true);
    stage.move_to(50.0, 20.0);
    stage.button(false);
    stage.event(DeviceEvent::Text("X".into()));
    assert_eq!(stage.text("n").as_deref(), Some("abXef"));
    assert_eq!(stage.gui.cursor(), CursorName::Text);
}

#[test]
fn the_pointer_places_the_caret_in_a_text_that_is_longer_than_its_field() {
    let mut stage = with_keys(
        r#"{ name "n", kind "text_input", text "abcdefghijklmnopqrst", size vec(100, 40), look { font_size 20 } },
           { name "other", kind "button", offset vec(0, 100), size vec(50, 20) }"#,
    );
    stage.click(15.0, 20.0);
    stage.key(Key::End);
    // Eight letters of ten pixels are seen: those behind the twelfth.
    stage.move_to(51.0, 20.0);
    stage.button(true);
    stage.event(DeviceEvent::Text("X".into()));
    stage.event(DeviceEvent::Text("Y".into()));
    assert_eq!(stage.text("n").as_deref(), Some("abcdefghijklmnopXYqrst"), "the text stays where it is pressed");
    stage.button(false);
    // Without the focus it is seen from its beginning.
    stage.click_on("other");
    stage.click(31.0, 20.0);
    stage.event(DeviceEvent::Text("Z".into()));
    assert_eq!(stage.text("n").as_deref(), Some("abZcdefghijklmnopXYqrst"));
}

#[test]
fn a_drag_box_lies_between_the_press_and_the_pointer() {
    let mut stage = Stage::of(
        r##"{ name "box", kind "drag_box", action "drag", look { fill "#ff000040", border "#ff0000", border_width 2 } },
           { name "other_box", kind "drag_box", action "other" }"##,
    );
    let quads = |stage: &mut Stage| {
        let items = stage.draw().items;
        let rects = items.into_iter().filter_map(|item| match item {
            CanvasItem::Quad { rect, .. } => Some([rect.min.x, rect.min.y, rect.max.x, rect.max.y]),
            _ => None,
        });
        rects.collect::<Vec<[f32; 4]>>()
    };
    assert_eq!(quads(&mut stage), [[0.0; 4]; 0]);
    let drag = |corners: [[f32; 2]; 2]| [(id("drag"), corners.map(|[x, y]| Vec2::new(x, y)))];
    stage.gui.set_drags(&drag([[300.0, 80.0], [120.0, 200.0]]));
    assert_eq!(quads(&mut stage), [[120.0, 80.0, 300.0, 200.0]], "whichever way it is drawn");
    assert!(!stage.click(200.0, 100.0), "the pointer passes through it");
    stage.gui.set_drags(&drag([[300.0, 80.0], [301.0, 81.0]]));
    assert_eq!(quads(&mut stage), [[0.0; 4]; 0], "a click is no drag");
    stage.gui.set_drags(&drag([[300.0, f32::NAN], [0.0, 0.0]]));
    assert_eq!(quads(&mut stage), [[0.0; 4]; 0]);
}

#[test]
fn a_finger_presses_and_scrolls() {
    let mut stage = Stage::of(
        r#"{ name "s", kind "scroll", size vec(100, 50), gap 0, children [
            { name "a", kind "button", size vec(0, 40), OnClick [ !GUIFire("a") ] }, { name "b", kind "button", size vec(0, 40) }] }"#,
    );
    let mut touch = |finger, phase, y| stage.event(DeviceEvent::Touch { finger, phase, x: 50.0, y });
    assert!(touch(1, TouchPhase::Began, 20.0));
    assert!(!touch(2, TouchPhase::Began, 20.0), "a second finger is the game's");
    assert!(touch(1, TouchPhase::Ended, 20.0));
    assert!(touch(1, TouchPhase::Began, 30.0));
    assert!(touch(1, TouchPhase::Moved, 10.0));
    assert!(touch(1, TouchPhase::Ended, 10.0));
    assert!(!touch(3, TouchPhase::Began, 900.0));
    assert_eq!(stage.events().len(), 1, "a finger that scrolls does not click");
    assert_eq!(stage.rect("a").unwrap().min.y, -20.0);
}

fn frame(place: Vec3) -> Frame {
    let mut frame = Frame::new(0);
    frame.instances.push(Instance {
        object: 0x8000_0001,
        parent: 0,
        model: id(""),
        shape: Shape::Sphere { radius: 1.0 },
        position: place,
        orientation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        scale: 1.0,
        colour: Colour::default(),
        team: 0,
        look: 0,
        pose: Span::default(),
        clips: Span::default(),
        parameters: Span::default(),
    });
    frame
}

#[test]
fn a_marker_follows_its_object() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set widgets [{ name "m", kind "marker", anchor "bottom", offset vec(0, -10), size vec(60, 20), stays true, bind { object Lambda(selection[0]) } },
  { name "n", kind "marker", anchor "centre", size vec(20, 20), bind { object Lambda(selection[0]) } }]"#,
    )]);
    let viewport = [0.0, 0.0, 1.0, 1.0];
    stage.camera = Some(CameraView {
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        fov: 1.0,
        near: 0.1,
        viewport,
        post: view::PostValues::NONE,
    });
    stage.gui.set_selection(&[0x8000_0001]);
    stage.frame = Some(frame(Vec3::new(10.0, 0.0, 0.0)));
    stage.update(0.01);
    stage.update(0.01);
    assert_eq!(stage.shown(), "m 930 510 60 20\nn 950 530 20 20");
    stage.frame = Some(frame(Vec3::new(10.0, 100.0, 0.0)));
    stage.update(0.01);
    assert_eq!(stage.shown().lines().next(), Some("m 10 510 60 20"), "at the left edge");
    let ends = |item: &CanvasItem| match item {
        CanvasItem::Line { from, to, .. } => vec![from.x, to.x],
        _ => Vec::new(),
    };
    let arrow: Vec<f32> = stage.draw().items.iter().flat_map(ends).collect();
    assert!(!arrow.is_empty() && arrow.iter().all(|x| *x >= 0.0), "with an arrow within the picture: {arrow:?}");
    stage.frame = Some(frame(Vec3::new(-10.0, 0.0, 1.0)));
    stage.update(0.01);
    assert_eq!(stage.shown().lines().count(), 1, "behind the camera only that which stays is shown");
    stage.frame = None;
    stage.update(0.01);
    assert_eq!(stage.shown(), "");
}

#[test]
fn ten_thousand_widgets_are_laid_out_and_drawn() {
    let column = |index: usize| {
        let rows: Vec<String> =
            (0..100).map(|row| format!("{{ name \"w{index}_{row}\", kind \"text\", text \"{row}\" }}")).collect();
        format!("{{ name \"c{index}\", kind \"column\", gap 0, children [{}] }}", rows.join(", "))
    };
    let columns: Vec<String> = (0..100).map(column).collect();
    let mut stage = Stage::of(&format!("{{ name \"r\", kind \"row\", gap 0, children [{}] }}", columns.join(", ")));
    assert_eq!(stage.gui.visible().len(), 10_101);
    assert_eq!(stage.draw().items.len(), 10_000);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn trees_that_are_too_deep_or_circular_are_reported_and_cut() {
    let deep: Vec<String> = (0..10_000)
        .map(|index| match index {
            0 => "{ name \"w0\", size vec(9, 9) }".to_string(),
            _ => format!("{{ name \"w{index}\", parent \"w{}\", size vec(9, 9) }}", index - 1),
        })
        .collect();
    let mut stage = Stage::of(&deep.join(", "));
    assert_eq!(stage.gui.visible().len(), 256);
    assert_eq!(stage.reports(), ["main.interface: expected widgets at most 256 deep; 9744 deeper ones are left out"]);
    stage.draw();

    let mut stage = Stage::of(
        r#"{ name "a", parent "c" }, { name "b", parent "a" }, { name "c", parent "b" }, { name "d", parent "d" }, { name "e", parent "x" }"#,
    );
    assert_eq!(stage.gui.visible().len(), 5);
    assert_eq!(
        stage.reports(),
        [
            "main.interface: the parent `x` of the widget `e` is unknown; it stays where it is written",
            "main.interface: the widget `a` lies in itself by its parents; it is placed on the screen",
            "main.interface: the widget `d` lies in itself by its parents; it is placed on the screen",
        ]
    );

    let mut stage = Stage::of(
        r#"{ name "a", reference "b", size vec(9, 9) }, { name "b", reference "c" }, { name "c", reference "a" }, { name "d", reference "nowhere" }"#,
    );
    assert_eq!(stage.gui.visible().len(), 4);
    let reports = stage.reports();
    assert!(reports.len() == 2 && reports[1].contains("is placed beside itself by its references"), "{reports:?}");

    let chain: Vec<String> = (0..10_000)
        .map(|index| format!("{{ name \"w{index}\", reference \"w{}\", offset vec(1, 0) }}", index + 1))
        .collect();
    let mut stage = Stage::of(&format!("{}, {{ name \"w10000\" }}", chain.join(", ")));
    assert_eq!(stage.rect("w0").unwrap().min.x, 10_000.0);
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn an_interface_that_uses_itself_is_cut() {
    let (content, _) = content(&[
        (MAIN, "@interface\n!set widgets [{ name \"a\", use \"b.interface\" }]"),
        (
            "b.interface",
            "@interface\n!set widgets [{ name \"b\", use \"main.interface\" }, { name \"c\", use \"none.interface\" }]",
        ),
    ]);
    let mut stage = Stage::with(content);
    assert_eq!(stage.gui.visible().len(), 3);
    let reports = stage.reports();
    assert!(
        reports[0].contains("the interface uses itself") && reports[1].contains("expected an interface"),
        "{reports:?}"
    );
}

#[test]
fn assistive_technology_knows_roles_names_values_and_focus_and_uses_widgets() {
    let mut stage = Stage::new(&[(
        common::MAIN,
        r#"@interface
!set keys true
!set loud 0.5
!set widgets [
    { name "behind", kind "button", text "behind" },
    { name "box", kind "column", modal true, size vec(400, 0), children [
        { name "label", kind "text", text "Loudness" },
        { name "loud", kind "slider", step 0.25, bind { value Lambda(loud) }, OnChange Lambda(value, !set loud value) },
        { name "mute", kind "toggle", text "Silence" },
        { name "who", kind "text_input", text "me" },
        { name "go", kind "button", text "Go", disabled true },
        { name "rows", kind "list", bind { items Lambda([1, 2]) }, children [ { name "row", children [ { name "t", kind "text", text "x" } ] } ] }
    ] }
]"#,
    )]);
    let tree = stage.work(|gui, around| gui.access_tree(around));
    let said: Vec<String> =
        tree.nodes.iter().map(|node| format!("{:?} {} {:?}", node.role, node.name, node.value)).collect();
    let expected = [
        "Window  None",
        "Dialog  None",
        "Label Loudness None",
        "Slider Loudness Some(Number { value: 0.5, range: (0.0, 1.0), step: 0.25 })",
        "Switch Silence Some(Truth(false))",
        "TextInput who Some(Text(\"me\"))",
        "Button Go None",
        "List  None",
        "ListItem  None",
        "Label x None",
        "ListItem  None",
        "Label x None",
    ];
    assert_eq!(said, expected, "what lies behind a dialog is not there");
    let named = |name: &str, role: &str| {
        tree.nodes.iter().find(|node| node.name == name && format!("{:?}", node.role) == role).unwrap().clone()
    };
    assert_eq!(tree.nodes[0].children, [tree.nodes[1].id]);
    assert!(!named("Go", "Button").is_enabled && named("Silence", "Switch").is_enabled);
    let mut ids: Vec<u64> = tree.nodes.iter().map(|node| node.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), tree.nodes.len());
    use relay::access::AccessAction;
    let does = |stage: &mut Stage, id: u64, action: AccessAction| {
        let is_done = stage.work(|gui, around| gui.perform_access(id, &action, around));
        stage.update(0.01);
        is_done
    };
    let (slider, switch) = (named("Loudness", "Slider").id, named("Silence", "Switch").id);
    assert!(does(&mut stage, slider, AccessAction::Increment));
    assert_eq!(stage.variable("loud"), Answer::Number(0.75));
    assert!(does(&mut stage, switch, AccessAction::Click) && does(&mut stage, switch, AccessAction::Focus));
    assert!(!does(&mut stage, switch, AccessAction::Increment) && !does(&mut stage, 77, AccessAction::Click));
    assert!(!does(&mut stage, named("Go", "Button").id, AccessAction::Click), "it is disabled");
    assert!(does(&mut stage, named("who", "TextInput").id, AccessAction::SetText("you".into())));
    let tree = stage.work(|gui, around| gui.access_tree(around));
    assert_eq!(tree.focus, switch);
    assert_eq!(tree.node(switch).unwrap().value, Some(relay::access::AccessValue::Truth(true)));
    assert_eq!(stage.text("who").as_deref(), Some("you"));
}

#[test]
fn markers_in_a_list_are_where_their_objects_are() {
    let mut stage = Stage::of(
        r#"{ name "bars", kind "list", bind { items Lambda(selection) }, children [
            { name "m", kind "marker", anchor "centre", size vec(20, 10), bind { object Lambda(item) }, children [
                { name "b", kind "bar", share vec(1, 1) } ] } ] }"#,
    );
    let viewport = [0.0, 0.0, 1.0, 1.0];
    stage.camera = Some(CameraView {
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        fov: 1.0,
        near: 0.1,
        viewport,
        post: view::PostValues::NONE,
    });
    stage.gui.set_selection(&[0x8000_0001]);
    stage.frame = Some(frame(Vec3::new(10.0, 0.0, 0.0)));
    (0..3).for_each(|_| stage.update(0.01));
    assert_eq!(stage.shown(), "bars 0 0 0 0\nm 950 535 20 10\nb 950 535 20 10");
}

#[test]
fn an_interface_selects_objects() {
    let mut stage = Stage::new(&[(
        MAIN,
        r#"@interface
!set widgets [
    { name "go", kind "button", text "go", OnClick [ !Select(player, [player]) ] },
    { name "none", kind "button", text "none", offset vec(0, 100), OnClick [ !Select() ] }
]"#,
    )]);
    let mut frame = Frame::new(0);
    let object = 0x8000_0001;
    frame.players.push(view::PlayerView {
        player: 0,
        object,
        interface: id(MAIN),
        team: 1,
        ..view::PlayerView::default()
    });
    stage.frame = Some(frame);
    stage.update(0.01);
    stage.click_on("go");
    assert_eq!(stage.gui.selection(), [object], "each once");
    stage.click_on("none");
    assert_eq!(stage.gui.selection(), [] as [u32; 0]);
    assert_eq!(stage.reports(), [] as [String; 0]);
}
