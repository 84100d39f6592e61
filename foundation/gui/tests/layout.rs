//! Layouts: widgets as text in, rectangles out. The screen is 1920 by 1080.

use crate::common;

use common::Stage;

/// The rectangles, as `name x y width height`, of widgets.
fn check(widgets: &str, expected: &str) {
    let mut stage = Stage::of(widgets);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(stage.shown().lines().collect::<Vec<&str>>(), expected, "{widgets}");
    assert_eq!(stage.reports(), [] as [String; 0]);
}

#[test]
fn nine_anchors_place_a_widget_at_the_edges_of_the_screen() {
    for (anchor, x, y) in [
        ("top_left", 0, 0),
        ("top", 910, 0),
        ("top_right", 1820, 0),
        ("left", 0, 520),
        ("centre", 910, 520),
        ("right", 1820, 520),
        ("bottom_left", 0, 1040),
        ("bottom", 910, 1040),
        ("bottom_right", 1820, 1040),
        ("RightCenter", 1820, 520),
    ] {
        check(&format!("{{ name \"a\", anchor \"{anchor}\", size vec(100, 40) }}"), &format!("a {x} {y} 100 40"));
    }
}

#[test]
fn the_offset_leads_from_the_reference_anchor_to_the_own_anchor() {
    check(
        r#"{ name "a", anchor "right", reference_anchor "left", offset vec(300, 10), size vec(100, 40) }"#,
        "a 200 530 100 40",
    );
    check(r#"{ name "a", anchor_at vec(0.25, 1), reference_at vec(0.5, 0.5), size vec(100, 40) }"#, "a 935 500 100 40");
}

#[test]
fn a_child_is_placed_in_its_parent() {
    check(
        r#"{ name "a", offset vec(100, 100), size vec(200, 100), padding vec(10, 5), children [
            { name "b", anchor "bottom_right", size vec(20, 20) },
            { name "c", share vec(0.5, 1) } ] }"#,
        "a 100 100 200 100
         b 270 175 20 20
         c 110 105 90 90",
    );
}

#[test]
fn a_widget_is_placed_beside_a_sibling_wherever_that_is_listed() {
    check(
        r#"{ name "c", reference "b", reference_anchor "top_right", size vec(10, 10) },
           { name "b", reference "a", reference_anchor "bottom_left", offset vec(0, 5), size vec(30, 10) },
           { name "a", offset vec(50, 50), size vec(20, 20) }"#,
        "c 80 75 10 10
         b 50 75 30 10
         a 50 50 20 20",
    );
}

#[test]
fn a_widget_fills_the_area_between_two_points() {
    check(r#"{ name "a", between { from "top", inset vec(10, 20), inset_end vec(30, 40) } }"#, "a 970 20 920 1020");
    check(r#"{ name "a", between { from "bottom_right", to "top_left" } }"#, "a 1920 1080 0 0");
}

#[test]
fn sizes_are_limited() {
    check(r#"{ name "a", share vec(1, 1), size_max vec(500, 0), size_min vec(0, 2000) }"#, "a 0 0 500 2000");
}

#[test]
fn text_is_measured() {
    check(r#"{ name "a", kind "text", text "hello", look { font_size 20 } }"#, "a 0 0 50 20");
    check(
        r#"{ name "a", kind "text", text "hello world!", wraps true, size vec(60, 0), look { font_size 20 } }"#,
        "a 0 0 60 40",
    );
    check(r#"{ name "a", kind "button", text "hello", look { font_size 20 } }"#, "a 0 0 82 40");
    check(r#"{ name "a", kind "text", string "menu.play", look { font_size 20 } }"#, "a 0 0 70 20");
}

#[test]
fn a_panel_is_as_large_as_its_content() {
    check(
        r#"{ name "a", padding vec(5, 5), children [{ name "b", offset vec(10, 20), size vec(100, 50) }] }"#,
        "a 0 0 120 80
         b 15 25 100 50",
    );
}

#[test]
fn a_row_places_its_content_from_left_to_right() {
    check(
        r#"{ name "r", kind "row", gap 10, size vec(400, 50), children [
            { name "a", size vec(100, 20) }, { name "b", size vec(50, 0) }, { name "c", size vec(50, 20) } ] }"#,
        "r 0 0 400 50
         a 0 0 100 20
         b 110 0 50 50
         c 170 0 50 20",
    );
}

#[test]
fn what_grows_shares_the_room_that_is_left() {
    check(
        r#"{ name "r", kind "row", gap 0, size vec(400, 50), children [
            { name "a", size vec(100, 0) }, { name "b", grow 1 }, { name "c", grow 2 } ] }"#,
        "r 0 0 400 50
         a 0 0 100 50
         b 100 0 100 50
         c 200 0 200 50",
    );
    check(
        r#"{ name "r", kind "row", gap 0, size vec(400, 50), children [
            { name "a", size vec(100, 0) }, { name "s", kind "spacer", grow 1 }, { name "b", size vec(100, 0) } ] }"#,
        "r 0 0 400 50
         a 0 0 100 50
         s 100 0 200 50
         b 300 0 100 50",
    );
}

#[test]
fn content_is_arranged_and_aligned() {
    for (arrange, align, x, y) in
        [("start", "start", 0, 0), ("centre", "centre", 95, 15), ("end", "end", 190, 30), ("spread", "stretch", 0, 0)]
    {
        check(
            &format!(
                "{{ name \"r\", kind \"row\", gap 10, size vec(300, 50), arrange \"{arrange}\", align \"{align}\", children [
                {{ name \"a\", size vec(50, 20) }}, {{ name \"b\", size vec(50, 20) }} ] }}"
            ),
            &format!("r 0 0 300 50\na {x} {y} 50 20\nb {} {y} 50 20", if arrange == "spread" { 250 } else { x + 60 }),
        );
    }
}

#[test]
fn a_column_stretches_its_content_and_breaks_its_text() {
    check(
        r#"{ name "k", kind "column", gap 5, size vec(100, 0), look { font_size 20 }, children [
            { name "a", kind "text", text "twelve chars", wraps true, look { font_size 20 } },
            { name "b", size vec(0, 30) },
            { name "c", size vec(40, 10) } ] }"#,
        "k 0 0 100 90
         a 0 0 100 40
         b 0 45 100 30
         c 0 80 40 10",
    );
}

#[test]
fn a_grid_has_columns_of_equal_width_and_rows_as_high_as_needed() {
    check(
        r#"{ name "g", kind "grid", columns 2, gap 10, size vec(210, 0), children [
            { name "a", size vec(0, 20) }, { name "b", size vec(0, 40) }, { name "c", size vec(30, 10) } ] }"#,
        "g 0 0 210 60
         a 0 0 100 20
         b 110 0 100 40
         c 0 50 30 10",
    );
}

#[test]
fn what_is_hidden_takes_no_room() {
    check(
        r#"{ name "k", kind "column", gap 5, children [
            { name "a", size vec(50, 10) }, { name "b", size vec(90, 10), hidden true }, { name "c", size vec(50, 10) } ] }"#,
        "k 0 0 50 25
         a 0 0 50 10
         c 0 15 50 10",
    );
}

#[test]
fn a_widget_may_name_its_parent() {
    check(
        r#"{ name "b", parent "a", size vec(10, 10) }, { name "a", offset vec(5, 5), size vec(100, 100) }"#,
        "a 5 5 100 100
         b 5 5 10 10",
    );
}

#[test]
fn the_screen_is_scaled_by_its_smaller_side_and_the_players_factor() {
    let mut stage = Stage::of(r#"{ name "a", anchor "bottom_right", size vec(100, 100) }"#);
    stage.gui.resize(3840, 1080);
    stage.update(0.0);
    assert_eq!(stage.shown(), "a 3740 980 100 100");
    assert_eq!(stage.gui.scale(), 1.0);
    stage.gui.resize(960, 1080);
    stage.update(0.0);
    assert_eq!((stage.gui.scale(), stage.shown().as_str()), (0.5, "a 1820 2060 100 100"));
    stage.gui.set_preferences(gui::gui::Preferences { interface_scale: 2.0, text_scale: 1.0, safe_area: 0.1 });
    stage.update(0.0);
    assert_eq!((stage.gui.scale(), stage.shown().as_str()), (1.0, "a 764 872 100 100"));
    let canvas = stage.draw();
    assert_eq!((canvas.size.x, canvas.size.y, canvas.scale), (960.0, 1080.0, 1.0));
}

#[test]
fn larger_text_needs_more_room() {
    let mut stage = Stage::of(r#"{ name "a", kind "text", text "hello", look { font_size 20 } }"#);
    stage.gui.set_preferences(gui::gui::Preferences { text_scale: 1.5, ..Default::default() });
    stage.update(0.0);
    assert_eq!(stage.shown(), "a 0 0 75 30");
}

#[test]
fn scrolled_content_is_moved_and_cut() {
    let mut stage = Stage::of(
        r#"{ name "s", kind "scroll", gap 0, size vec(100, 50), children [
            { name "a", kind "button", size vec(0, 40) }, { name "b", kind "button", size vec(0, 40) } ] }"#,
    );
    assert_eq!(stage.shown(), "s 0 0 100 50\na 0 0 100 40\nb 0 40 100 40");
    stage.move_to(50.0, 20.0);
    assert!(stage.event(relay::device::DeviceEvent::Wheel { x: 0.0, y: -0.5 }));
    assert_eq!(stage.shown(), "s 0 0 100 50\na 0 -24 100 40\nb 0 16 100 40");
    stage.event(relay::device::DeviceEvent::Wheel { x: 0.0, y: -10.0 });
    assert_eq!(stage.shown(), "s 0 0 100 50\na 0 -30 100 40\nb 0 10 100 40");
    stage.event(relay::device::DeviceEvent::Wheel { x: 0.0, y: 10.0 });
    assert_eq!(stage.shown(), "s 0 0 100 50\na 0 0 100 40\nb 0 40 100 40");
}

#[test]
fn the_text_of_a_low_button_is_in_its_middle() {
    for (height, top) in [(24, 2.0), (80, 30.0), (12, -4.0)] {
        let text =
            format!(r#"{{ name "a", kind "button", text "hello", size vec(300, {height}), look {{ font_size 20 }} }}"#);
        let canvas = Stage::of(&text).draw();
        let found = canvas.items.iter().find_map(|item| match item {
            view::CanvasItem::Text { rect, .. } => Some(rect.min.y),
            _ => None,
        });
        assert_eq!(found, Some(top), "a button of {height}");
    }
}
