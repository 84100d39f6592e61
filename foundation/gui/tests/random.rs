//! Whatever devices report and tags say, nothing panics.

use crate::common;

use common::{MAIN, Stage, content, id};
use gui::mapper::{Mapper, Situation};
use gui::mapping::Mapping;
use gui::report::Reports;
use proptest::prelude::*;
use relay::device::{DeviceEvent, Key, MouseButton, PadAxis, PadButton, TouchPhase};

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![6 => -50.0_f32..2000.0, 1 => any::<f32>(), 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)]
}

fn unit() -> impl Strategy<Value = f32> {
    prop_oneof![4 => -1.0_f32..1.0, 1 => any::<f32>()]
}

fn event() -> impl Strategy<Value = DeviceEvent> {
    let key = (0..Key::ALL.len()).prop_map(|index| Key::ALL[index]);
    let mouse = (0..MouseButton::ALL.len()).prop_map(|index| MouseButton::ALL[index]);
    let button = (0..PadButton::ALL.len()).prop_map(|index| PadButton::ALL[index]);
    let axis = (0..PadAxis::ALL.len()).prop_map(|index| PadAxis::ALL[index]);
    let phase = prop_oneof![
        Just(TouchPhase::Began),
        Just(TouchPhase::Moved),
        Just(TouchPhase::Ended),
        Just(TouchPhase::Cancelled)
    ];
    let text = prop_oneof![Just("ä".to_string()), Just("日本".to_string()), any::<String>()];
    prop_oneof![
        6 => (key, any::<bool>(), any::<bool>())
            .prop_map(|(key, is_down, is_repeat)| DeviceEvent::Key { key, is_down, is_repeat }),
        2 => text.clone().prop_map(DeviceEvent::Text),
        1 => (text, proptest::option::of((0_usize..9, 0_usize..9)))
            .prop_map(|(text, cursor)| DeviceEvent::Composition { text, cursor }),
        6 => (number(), number()).prop_map(|(x, y)| DeviceEvent::PointerMoved { x, y }),
        1 => Just(DeviceEvent::PointerLeft),
        1 => (number(), number()).prop_map(|(x, y)| DeviceEvent::MouseMotion { x, y }),
        6 => (mouse, any::<bool>()).prop_map(|(button, is_down)| DeviceEvent::MouseButton { button, is_down }),
        2 => (number(), number()).prop_map(|(x, y)| DeviceEvent::Wheel { x, y }),
        2 => (0_u64..4, phase, number(), number())
            .prop_map(|(finger, phase, x, y)| DeviceEvent::Touch { finger, phase, x, y }),
        3 => (0_u8..3, button, any::<bool>())
            .prop_map(|(pad, button, is_down)| DeviceEvent::PadButton { pad, button, is_down }),
        3 => (0_u8..3, axis, unit()).prop_map(|(pad, axis, value)| DeviceEvent::PadAxis { pad, axis, value }),
        1 => (0_u8..3).prop_map(|pad| DeviceEvent::PadDisconnected { pad }),
        1 => (any::<u32>(), any::<u32>(), number())
            .prop_map(|(width, height, scale)| DeviceEvent::Resized { width, height, scale }),
        1 => any::<bool>().prop_map(DeviceEvent::Focus),
    ]
}

const INTERFACE: &str = r#"@interface
!set keys true
!set items [1, 2, 3]
!set widgets [
    { name "s", kind "scroll", size vec(400, 300), children [
        { name "l", kind "list", bind { items Lambda(items) }, children [{ name "row", kind "button", bind { text Lambda(item) },
            OnClick [ !set items join(items, [item]) ] }] },
        { name "t", kind "text_input", text "hello" }, { name "v", kind "slider", step 0.25 }, { name "o", kind "toggle", text "on" }] },
    { name "less", kind "button", offset vec(500, 0), OnClick [ !set items [1] ] },
    { name "ask", kind "button", offset vec(500, 100), OnClick [ !Show("modal") ] },
    { name "modal", modal true, hidden true, anchor "centre", children [{ name "yes", kind "button", OnClick [ !Hide("modal"), !Focus("t") ] }] },
    { name "drag", offset vec(700, 0), size vec(100, 100), OnDrag Lambda(x, y, !GUIFire("drag", x, y)) }]
"#;

const CONTROLS: &str = r#"@controls
!set contexts [{ name "a" }, { name "b", blocks true }]
!set actions [
    { name "x", context "a", sends "x", when "both", bindings [{ key "w" }, { pad "south" }, { axis "left_x" }, { mouse "left", with ["left_shift"] }] },
    { name "y", context "b", mode "toggle", sends "y", when "change", fields [{ name "v" }], bindings [{ key "w", with ["left_control"] }, { axis "left_y", curve 2 }] },
    { name "z", sends "z", when "held", repeat 0.05, bindings [{ motion "x" }, { mouse "wheel_up" }, { key "s" }] }]
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_events_leave_an_interface_sound(events in prop::collection::vec(event(), 1..60)) {
        let mut stage = Stage::new(&[(MAIN, INTERFACE)]);
        for event in events {
            stage.work(|gui, around| gui.handle(&event, around));
            stage.update(0.02);
            for (name, rect, _) in stage.gui.visible() {
                let size = rect.max - rect.min;
                prop_assert!(rect.min.is_finite() && size.x >= 0.0 && size.y >= 0.0, "{name}: {rect:?}");
            }
        }
        let canvas = stage.draw();
        let depth = canvas.items.iter().fold(0_i32, |depth, item| match item {
            view::CanvasItem::Clip { .. } => depth + 1,
            view::CanvasItem::Unclip => depth - 1,
            _ => depth,
        });
        prop_assert_eq!(depth, 0, "every clip ends");
    }

    #[test]
    fn any_events_leave_a_mapper_sound(events in prop::collection::vec(event(), 1..80), every in 1_usize..9) {
        let (content, _) = content(&[("k.controls", CONTROLS)]);
        let mut mapper = Mapper::new(Mapping::read(&content, id("k.controls"), &mut Reports::default()), 2);
        for (index, event) in events.iter().enumerate() {
            mapper.handle(event);
            mapper.update(0.02);
            if index % every == 0 {
                mapper.set_context(id("b"), index % 2 == 0);
                let sent = mapper.cycle(&[Situation::default()]);
                prop_assert!(sent.iter().all(|event| event.local_player < 2));
            }
            for action in ["x", "y", "z"] {
                let state = mapper.state(0, id(action));
                prop_assert!(state.value.abs() <= 1.0 && state.motion.is_finite(), "{action}: {state:?}");
            }
        }
        mapper.handle(&DeviceEvent::Focus(false));
        for (player, action) in [(0, "x"), (0, "y"), (0, "z"), (1, "x"), (1, "y")] {
            let state = mapper.state(player, id(action));
            prop_assert!(!state.is_used && state.value == 0.0, "{}: {:?}", action, state);
        }
    }

    #[test]
    fn any_text_of_widgets_is_shown_or_reported(words in prop::collection::vec(word(), 0..40)) {
        let (content, _) = content(&[(MAIN, &format!("@interface\n!set widgets [{}]", words.join(" ")))]);
        let mut stage = Stage::with(content);
        stage.update(0.1);
        stage.click(10.0, 10.0);
        stage.draw();
    }
}

/// Pieces of widgets, in any order.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "{",
        "}",
        "[",
        "]",
        ",",
        "name \"a\"",
        "name \"b\"",
        "kind \"list\"",
        "kind \"row\"",
        "kind \"marker\"",
        "parent \"a\"",
        "parent \"b\"",
        "reference \"a\"",
        "size vec(10, 20)",
        "size vec(-5, 1e30)",
        "share vec(2, 2)",
        "grow 3",
        "columns 0",
        "between { from \"bottom\" }",
        "children [{ name \"c\" }]",
        "bind { items Lambda([1, 2]) }",
        "bind { value Lambda(item) }",
        "OnClick [ !Close() ]",
        "use \"main.interface\"",
        "modal true",
        "look { font_size 0.1 }",
        "text \"hello\"",
        "wraps true",
    ];
    (0..known.len()).prop_map(move |index| known[index].to_string())
}
