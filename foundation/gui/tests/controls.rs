//! Key mappings: reports of devices in, actions and events out.

use crate::common;

use base::Vec3;
use common::{content, id};
use gui::answer::Answer;
use gui::input::Chord;
use gui::mapper::{Mapper, Situation};
use gui::mapping::{Mapping, RebindRefusal};
use gui::report::Reports;
use relay::device::{DeviceEvent, Key, MouseButton, PadAxis, PadButton};

const CONTROLS: &str = r#"@controls
!set contexts [{ name "walk" }, { name "drive", starts_on false }, { name "menu", starts_on false, blocks true }]
!set actions [
    { name "fire", context "walk", sends "fire", fields [{ name "at", from "pointed_object" }, { name "power", from "number", number 3 }],
      bindings [{ mouse "left" }, { key "space" }, { pad "right_trigger" }] },
    { name "forward", context "walk", sends "move", when "change", fields [{ name "speed" }],
      bindings [{ key "w" }, { key "s", value -1 }, { axis "left_y", dead_zone 0.2 }] },
    { name "save", bindings [{ key "s", with ["left_control"] }], sends "save" },
    { name "crouch", context "walk", mode "toggle", bindings [{ key "c" }] },
    { name "aim", context "walk", mode "choice", bindings [{ mouse "right" }] },
    { name "horn", context "drive", bindings [{ key "space" }], sends "horn", when "both", fields [{ name "on", from "used" }] },
    { name "close", context "menu", bindings [{ key "escape" }] },
    { name "look", bindings [{ motion "x", value 0.5 }] },
    { name "zoom", bindings [{ mouse "wheel_up" }, { motion "wheel_y" }] },
    { name "order", bindings [{ mouse "middle" }], sends "order", fields [{ name "unit", from "selected" }, { name "place", from "pointed_place" }] },
    { name "next", repeat 0.1, bindings [{ key "n" }], sends "next" }
]
"#;

fn mapping() -> Mapping {
    let (content, reports) = content(&[("keys.controls", CONTROLS)]);
    assert_eq!(reports, [] as [String; 0]);
    let mut reports = Reports::default();
    let mapping = Mapping::read(&content, id("keys.controls"), &mut reports);
    assert_eq!(reports.take(), []);
    mapping
}

struct Desk(Mapper);

impl Desk {
    fn new(players: usize) -> Desk {
        Desk(Mapper::new(mapping(), players))
    }

    fn key(&mut self, key: Key, is_down: bool) {
        self.0.handle(&DeviceEvent::Key { key, is_down, is_repeat: false });
    }

    fn tap(&mut self, key: Key) {
        self.key(key, true);
        self.key(key, false);
    }

    fn mouse(&mut self, button: MouseButton, is_down: bool) {
        self.0.handle(&DeviceEvent::MouseButton { button, is_down });
    }

    fn axis(&mut self, axis: PadAxis, value: f32) {
        self.0.handle(&DeviceEvent::PadAxis { pad: 0, axis, value });
    }

    fn value(&self, action: &str) -> f32 {
        self.0.state(0, id(action)).value
    }

    fn is_used(&self, action: &str) -> bool {
        self.0.state(0, id(action)).is_used
    }

    /// The events of a safe cycle: name, and the values of the fields.
    fn cycle(&mut self) -> Vec<(String, Vec<Answer>)> {
        let names = ["fire", "move", "save", "horn", "order", "next"];
        let situation =
            Situation { pointed_object: 7, pointed_place: Some(Vec3::X), selection: &[4, 5], ..Situation::default() };
        let events = self.0.cycle(&[situation]).into_iter().map(|event| {
            let name = names.iter().find(|name| id(name) == event.name).expect("it is listed");
            (name.to_string(), event.fields.into_iter().map(|(_, value)| value).collect())
        });
        events.collect()
    }
}

#[test]
fn a_short_press_between_two_cycles_is_not_lost() {
    let mut desk = Desk::new(1);
    desk.tap(Key::Space);
    desk.tap(Key::Space);
    assert!(!desk.is_used("fire"));
    let fire = ("fire".to_string(), vec![Answer::Object(7), Answer::Number(3.0)]);
    assert_eq!(desk.cycle(), [fire.clone(), fire]);
    assert_eq!(desk.cycle(), []);
    desk.tap(Key::W);
    let moved = |speed| ("move".to_string(), vec![Answer::Number(speed)]);
    assert_eq!(desk.cycle(), [moved(1.0)]);
    assert_eq!(desk.cycle(), [moved(0.0)], "and it ends");
    assert_eq!(desk.cycle(), []);
}

#[test]
fn keys_and_axes_are_summed() {
    let mut desk = Desk::new(1);
    desk.key(Key::W, true);
    assert_eq!(desk.value("forward"), 1.0);
    desk.key(Key::S, true);
    assert_eq!(desk.value("forward"), 0.0);
    desk.key(Key::W, false);
    assert_eq!(desk.value("forward"), -1.0);
    desk.key(Key::S, false);
    assert_eq!(desk.value("forward"), 0.0);
    desk.axis(PadAxis::LeftY, 0.1);
    assert_eq!(desk.value("forward"), 0.0, "in the dead zone");
    desk.axis(PadAxis::LeftY, 0.6);
    assert!((desk.value("forward") - 0.5).abs() < 1e-5);
    desk.axis(PadAxis::LeftX, 0.8);
    assert!((desk.value("forward") - 0.6).abs() < 1e-5, "the dead zone is round: 0.6 and 0.8 are the whole way");
    desk.key(Key::W, true);
    assert_eq!(desk.value("forward"), 1.0);
}

#[test]
fn a_chord_with_modifiers_hides_the_key_alone() {
    let mut desk = Desk::new(1);
    desk.key(Key::LeftControl, true);
    desk.key(Key::S, true);
    assert!(desk.is_used("save") && !desk.is_used("forward"), "though save is of no context");
    desk.key(Key::LeftControl, false);
    assert!(desk.is_used("save"), "it is held by its own key");
    desk.key(Key::S, false);
    assert!(!desk.is_used("save"));
}

#[test]
fn contexts_lie_over_each_other() {
    let mut desk = Desk::new(1);
    desk.0.set_context(id("drive"), true);
    desk.tap(Key::Space);
    let horn = |on| ("horn".to_string(), vec![Answer::Truth(on)]);
    assert_eq!(desk.cycle(), [horn(true), horn(false)], "the highest context has the key");
    desk.key(Key::Space, true);
    desk.0.set_context(id("drive"), false);
    assert!(!desk.is_used("horn"), "switching a context off releases its actions");
    assert_eq!(desk.cycle(), [horn(true), horn(false)]);
    desk.key(Key::Space, false);
    desk.0.set_context(id("menu"), true);
    desk.tap(Key::W);
    desk.tap(Key::Escape);
    assert_eq!(desk.cycle(), [], "the menu blocks what lies below it");
    assert_eq!(desk.0.take_edges().iter().filter(|edge| edge.action == id("close")).count(), 2);
}

#[test]
fn a_release_in_a_later_cycle_is_told_as_a_release() {
    let mut desk = Desk::new(1);
    desk.0.set_context(id("drive"), true);
    let horn = |on| ("horn".to_string(), vec![Answer::Truth(on)]);
    desk.key(Key::Space, true);
    assert_eq!(desk.cycle(), [horn(true)]);
    desk.key(Key::Space, false);
    assert_eq!(desk.cycle(), [horn(false)]);
    desk.key(Key::Space, true);
    desk.cycle();
    desk.key(Key::Space, false);
    desk.key(Key::Space, true);
    assert_eq!(desk.cycle(), [horn(false), horn(true)]);
}

#[test]
fn an_action_may_switch_instead_of_being_held() {
    let mut desk = Desk::new(1);
    desk.tap(Key::C);
    assert!(desk.is_used("crouch"));
    desk.tap(Key::C);
    assert!(!desk.is_used("crouch"));
    desk.mouse(MouseButton::Right, true);
    desk.mouse(MouseButton::Right, false);
    assert!(!desk.is_used("aim"));
    desk.0.set_prefers_toggles(true);
    desk.mouse(MouseButton::Right, true);
    desk.mouse(MouseButton::Right, false);
    assert!(desk.is_used("aim"));
}

#[test]
fn losing_the_focus_releases_everything() {
    let mut desk = Desk::new(1);
    desk.key(Key::W, true);
    desk.key(Key::C, true);
    desk.mouse(MouseButton::Left, true);
    desk.axis(PadAxis::LeftY, 1.0);
    desk.0.handle(&DeviceEvent::Focus(false));
    for action in ["forward", "fire", "crouch"] {
        assert!(!desk.is_used(action) && desk.value(action) == 0.0, "{action}");
    }
    desk.key(Key::W, false);
    assert_eq!(desk.value("forward"), 0.0, "a late release changes nothing");
}

#[test]
fn motions_are_summed_until_they_are_taken() {
    let mut desk = Desk::new(1);
    for _ in 0..4 {
        desk.0.handle(&DeviceEvent::MouseMotion { x: 3.0, y: 1.0 });
    }
    assert_eq!(desk.0.take_motion(0, id("look")), 6.0);
    assert_eq!(desk.0.take_motion(0, id("look")), 0.0);
    assert_eq!(desk.0.state(0, id("look")).motion, 6.0, "the next safe cycle has its own sum");
    desk.0.handle(&DeviceEvent::Wheel { x: 0.0, y: 2.0 });
    assert_eq!(desk.0.state(0, id("zoom")).pressed, 1);
    assert_eq!(desk.0.take_motion(0, id("zoom")), 2.0);
    desk.0.handle(&DeviceEvent::MouseMotion { x: f32::NAN, y: f32::INFINITY });
    assert_eq!(desk.0.take_motion(0, id("look")), 0.0);
}

#[test]
fn one_event_is_sent_for_each_selected_object() {
    let mut desk = Desk::new(1);
    desk.mouse(MouseButton::Middle, true);
    let order = |unit| ("order".to_string(), vec![Answer::Object(unit), Answer::Vector(Vec3::X)]);
    assert_eq!(desk.cycle(), [order(4), order(5)]);
}

#[test]
fn a_gamepad_belongs_to_the_player_who_presses_it_first() {
    let mut mapper = Mapper::new(mapping(), 2);
    let press = |mapper: &mut Mapper, pad| {
        mapper.handle(&DeviceEvent::PadButton { pad, button: PadButton::RightTrigger, is_down: true });
    };
    mapper.handle(&DeviceEvent::PadAxis { pad: 3, axis: PadAxis::LeftY, value: 1.0 });
    assert_eq!(mapper.player_of(3), None, "a stick that drifts claims no player");
    press(&mut mapper, 5);
    press(&mut mapper, 3);
    assert_eq!((mapper.player_of(5), mapper.player_of(3)), (Some(0), Some(1)));
    assert!(mapper.state(0, id("fire")).is_used && mapper.state(1, id("fire")).is_used);
    mapper.handle(&DeviceEvent::PadDisconnected { pad: 5 });
    assert!(!mapper.state(0, id("fire")).is_used && mapper.state(1, id("fire")).is_used);
    press(&mut mapper, 9);
    assert_eq!(mapper.player_of(9), Some(0));
}

#[test]
fn the_first_gamepad_beside_a_keyboard_is_the_second_players() {
    let press = |pad| DeviceEvent::PadButton { pad, button: PadButton::RightTrigger, is_down: true };
    let mut mapper = Mapper::new(mapping(), 2);
    mapper.handle(&DeviceEvent::Key { key: Key::W, is_down: true, is_repeat: false });
    mapper.handle(&press(4));
    mapper.handle(&press(5));
    assert_eq!((mapper.player_of(4), mapper.player_of(5)), (Some(1), Some(0)));
    assert!(mapper.state(1, id("fire")).is_used);
    // Who plays alone has all devices.
    let mut alone = Mapper::new(mapping(), 1);
    alone.handle(&DeviceEvent::MouseButton { button: MouseButton::Left, is_down: true });
    alone.handle(&press(4));
    assert_eq!(alone.player_of(4), Some(0));
}

/// The mapping with another key for `crouch`.
fn other_mapping() -> Mapping {
    let mut other = mapping();
    let chord = Chord::parse("key x").expect("it is one");
    other.rebind(id("crouch"), 0, chord).expect("no other action has it");
    other
}

#[test]
fn a_reload_that_changes_no_binding_keeps_what_is_held_and_switched() {
    let mut desk = Desk::new(2);
    desk.tap(Key::C);
    desk.key(Key::Space, true);
    desk.0.set_context(id("drive"), true);
    desk.0.handle(&DeviceEvent::PadButton { pad: 3, button: PadButton::RightTrigger, is_down: true });
    desk.cycle();
    desk.0.replace(mapping(), 2);
    assert!(desk.is_used("crouch") && desk.is_used("fire") && desk.0.is_on(id("drive")));
    assert_eq!((desk.cycle(), desk.0.player_of(3)), (Vec::new(), Some(1)), "nothing is pressed again");
}

#[test]
fn other_bindings_release_everything_and_keep_contexts_sticks_and_gamepads() {
    let mut desk = Desk::new(1);
    desk.0.set_context(id("drive"), true);
    desk.0.set_context(id("walk"), false);
    desk.0.set_context(id("walk"), true);
    desk.axis(PadAxis::LeftY, 1.0);
    desk.0.set_context(id("drive"), false);
    desk.0.set_context(id("drive"), true);
    desk.key(Key::Space, true);
    assert_eq!(desk.cycle().len(), 2, "the horn and the stick");
    desk.0.replace(other_mapping(), 1);
    assert_eq!(desk.cycle(), [("horn".to_string(), vec![Answer::Truth(false)])], "the world is told that it ends");
    assert!(desk.0.is_on(id("drive")) && desk.0.is_on(id("walk")) && !desk.0.is_on(id("menu")));
    assert_eq!((desk.value("forward"), desk.0.player_of(0)), (1.0, Some(0)), "the stick is where it was");
    desk.0.replace(other_mapping(), 4);
    assert_eq!(desk.0.player_of(0), Some(0), "more players play");
}

#[test]
fn held_actions_repeat() {
    let mut desk = Desk::new(1);
    desk.key(Key::N, true);
    desk.0.update(0.3);
    assert_eq!(desk.cycle().len(), 1);
    for _ in 0..4 {
        desk.0.update(0.1);
    }
    assert_eq!(desk.cycle().len(), 4, "after 0.4 s, every 0.1 s");
    desk.key(Key::N, false);
    desk.0.update(0.3);
    assert_eq!(desk.cycle(), []);
}

#[test]
fn rebinding_refuses_conflicts_and_is_kept_in_the_settings() {
    let mut desk = Desk::new(1);
    let chord = |text: &str| Chord::parse(text).unwrap();
    let refused = desk.0.change(|mapping| mapping.rebind(id("crouch"), 0, chord("key w")));
    assert_eq!(refused, Err(RebindRefusal::Conflict { actions: vec!["forward".into()] }));
    assert_eq!(refused.unwrap_err().to_string(), "it is used for forward already");
    assert_eq!(
        desk.0.change(|mapping| mapping.rebind(id("fly"), 0, chord("key x"))),
        Err(RebindRefusal::UnknownAction)
    );
    assert_eq!(desk.0.change(|mapping| mapping.rebind(id("horn"), 0, chord("key w"))), Ok(()), "another context");
    assert_eq!(desk.0.change(|mapping| mapping.rebind(id("crouch"), 0, chord("key left_alt + key x"))), Ok(()));
    assert_eq!(desk.0.change(|mapping| mapping.rebind(id("crouch"), 9, chord("pad east"))), Ok(()));
    desk.0.change(|mapping| mapping.unbind(id("fire"), 1));
    let kept = desk.0.mapping().overrides();
    let mut other = mapping();
    let mut reports = Reports::default();
    other.apply_overrides(&kept, &mut reports);
    assert_eq!(other.overrides(), kept);
    assert_eq!(other.chords(id("fire")).len(), 2);
    other.apply_overrides(&[("fly".into(), vec![]), ("fire".into(), vec!["key nonsense".into()])], &mut reports);
    assert_eq!((reports.take().len(), other.chords(id("fire")).len()), (2, 0));
}

#[test]
fn mistakes_in_controls_are_reported_and_the_rest_works() {
    let text = r#"@controls
!set actions [
    { name "a", context "nowhere", bindings [{ key "spcae" }, { }, { key "w", pad "south" }, { key "w", with ["ctrl"] }, { key "x" }],
      fields [{ name "f", action "none" }] }]"#;
    let (content, _) = content(&[("keys.controls", text)]);
    let mut reports = Reports::default();
    let mapping = Mapping::read(&content, id("keys.controls"), &mut reports);
    assert_eq!(mapping.controls.len(), 1);
    let told: Vec<String> = reports.take().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(told.iter().any(|report| report.contains("did you mean `space`?")), "{told:#?}");
    assert!(Mapping::read(&content, id("none.controls"), &mut reports).actions.is_empty());
    assert_eq!(reports.take().len(), 1);
}
