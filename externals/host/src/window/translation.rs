//! Reports of winit as plain events.

use relay::device::{DeviceEvent, TouchPhase};
use winit::event::{ElementState, Ime, MouseScrollDelta, Touch, WindowEvent};
use winit::keyboard::{ModifiersState, PhysicalKey};
use winit::platform::modifier_supplement::KeyEventExtModifierSupplement;

use super::keys::{button_of, key_of};
use crate::limits::TYPED_BYTES_MAX;

/// How many logical pixels of a touch pad's scrolling count as one line of a wheel.
const PIXELS_PER_LINE: f64 = 20.0;

/// What the meaning of later reports depends on.
#[derive(Debug, Default)]
pub(super) struct Translation {
    modifiers: ModifiersState,
    is_composing: bool,
}

impl Translation {
    /// The events of a report: none, one, or a key and its text.
    pub(super) fn translate(&mut self, report: &WindowEvent, scale: f64, tell: &mut dyn FnMut(DeviceEvent)) {
        match report {
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                if event.state == ElementState::Pressed && !event.repeat {
                    sign(event.physical_key, &event.key_without_modifiers(), tell);
                }
                self.key(event.physical_key, event.state, event.repeat, tell);
                if event.state == ElementState::Pressed
                    && let Some(text) = &event.text
                {
                    self.text(text, tell);
                }
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Ime(ime) => self.composition(ime, tell),
            WindowEvent::Focused(is_focused) => {
                if !is_focused {
                    *self = Translation::default();
                }
                tell(DeviceEvent::Focus(*is_focused));
            }
            WindowEvent::CursorMoved { position, .. } => {
                tell(DeviceEvent::PointerMoved { x: position.x as f32, y: position.y as f32 });
            }
            WindowEvent::CursorLeft { .. } => tell(DeviceEvent::PointerLeft),
            WindowEvent::MouseInput { state, button, .. } => {
                if let Some(button) = button_of(*button) {
                    tell(DeviceEvent::MouseButton { button, is_down: *state == ElementState::Pressed });
                }
            }
            WindowEvent::MouseWheel { delta, .. } => tell(wheel(*delta, scale)),
            WindowEvent::Touch(touch) => tell(touched(touch)),
            WindowEvent::CloseRequested => tell(DeviceEvent::CloseRequested),
            _ => {}
        }
    }

    fn key(&self, place: PhysicalKey, state: ElementState, is_repeat: bool, tell: &mut dyn FnMut(DeviceEvent)) {
        if let PhysicalKey::Code(code) = place
            && let Some(key) = key_of(code)
        {
            tell(DeviceEvent::Key { key, is_down: state == ElementState::Pressed, is_repeat });
        }
    }

    /// Text of a key, unless it belongs to a composition or to a shortcut. Alt with control is the third level of keyboards.
    fn text(&self, text: &str, tell: &mut dyn FnMut(DeviceEvent)) {
        let is_shortcut = self.modifiers.super_key() || (self.modifiers.control_key() && !self.modifiers.alt_key());
        if !self.is_composing && !is_shortcut {
            commit(text, tell);
        }
    }

    fn composition(&mut self, ime: &Ime, tell: &mut dyn FnMut(DeviceEvent)) {
        match ime {
            Ime::Preedit(text, cursor) => {
                self.is_composing = !text.is_empty();
                let text = shortened(text);
                let inside = |at: usize| at <= text.len() && text.is_char_boundary(at);
                let cursor = cursor.filter(|(first, last)| first <= last && inside(*first) && inside(*last));
                tell(DeviceEvent::Composition { text: text.to_owned(), cursor });
            }
            Ime::Commit(text) => {
                self.is_composing = false;
                commit(text, tell);
            }
            Ime::Disabled if self.is_composing => {
                self.is_composing = false;
                tell(DeviceEvent::Composition { text: String::new(), cursor: None });
            }
            Ime::Enabled | Ime::Disabled => {}
        }
    }
}

/// Tells what the layout has at the place of a key.
fn sign(place: PhysicalKey, meaning: &winit::keyboard::Key, tell: &mut dyn FnMut(DeviceEvent)) {
    use winit::keyboard::Key;
    let sign = match meaning {
        Key::Character(text) => {
            let mut letters = text.chars();
            letters.next().filter(|_| letters.next().is_none())
        }
        Key::Dead(sign) => *sign,
        _ => None,
    };
    if let PhysicalKey::Code(code) = place
        && let Some(key) = key_of(code)
        && let Some(sign) = sign.filter(|sign| !sign.is_control() && !sign.is_whitespace())
    {
        tell(DeviceEvent::KeySign { key, sign });
    }
}

/// Text without control characters: those are keys.
fn commit(text: &str, tell: &mut dyn FnMut(DeviceEvent)) {
    let text: String = shortened(text).chars().filter(|letter| !letter.is_control()).collect();
    if !text.is_empty() {
        tell(DeviceEvent::Text(text));
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(TYPED_BYTES_MAX)]
}

/// Winit moves the contents, we turn the wheel: to the right the contents move left.
fn wheel(delta: MouseScrollDelta, scale: f64) -> DeviceEvent {
    let (x, y) = match delta {
        MouseScrollDelta::LineDelta(x, y) => (x, y),
        MouseScrollDelta::PixelDelta(pixels) => {
            let line = PIXELS_PER_LINE * scale.max(0.1);
            ((pixels.x / line) as f32, (pixels.y / line) as f32)
        }
    };
    DeviceEvent::Wheel { x: -x, y }
}

fn touched(touch: &Touch) -> DeviceEvent {
    let phase = match touch.phase {
        winit::event::TouchPhase::Started => TouchPhase::Began,
        winit::event::TouchPhase::Moved => TouchPhase::Moved,
        winit::event::TouchPhase::Ended => TouchPhase::Ended,
        winit::event::TouchPhase::Cancelled => TouchPhase::Cancelled,
    };
    DeviceEvent::Touch { finger: touch.id, phase, x: touch.location.x as f32, y: touch.location.y as f32 }
}

#[cfg(test)]
mod tests {
    use relay::device::Key;
    use winit::dpi::PhysicalPosition;
    use winit::event::{DeviceId, TouchPhase as Phase};
    use winit::keyboard::KeyCode;

    use super::*;

    fn told(act: impl FnOnce(&mut dyn FnMut(DeviceEvent))) -> Vec<DeviceEvent> {
        let mut events = Vec::new();
        act(&mut |event| events.push(event));
        events
    }

    fn of(translation: &mut Translation, report: &WindowEvent) -> Vec<DeviceEvent> {
        told(|tell| translation.translate(report, 2.0, tell))
    }

    #[test]
    fn keys_are_named_by_their_place() {
        let translation = Translation::default();
        let press = |place| told(|tell| translation.key(place, ElementState::Pressed, true, tell));
        assert_eq!(
            press(PhysicalKey::Code(KeyCode::KeyZ)),
            [DeviceEvent::Key { key: Key::Z, is_down: true, is_repeat: true }]
        );
        assert_eq!(press(PhysicalKey::Code(KeyCode::BrowserBack)), []);
    }

    #[test]
    fn text_of_shortcuts_and_control_characters_is_no_text() {
        let mut translation = Translation::default();
        let typed = |translation: &Translation, text: &str| told(|tell| translation.text(text, tell));
        assert_eq!(typed(&translation, "ä\u{8}"), [DeviceEvent::Text("ä".into())]);
        assert_eq!(typed(&translation, "\r"), []);
        translation.modifiers = ModifiersState::CONTROL;
        assert_eq!(typed(&translation, "c"), []);
        translation.modifiers = ModifiersState::CONTROL | ModifiersState::ALT;
        assert_eq!(typed(&translation, "@"), [DeviceEvent::Text("@".into())]);
        translation.modifiers = ModifiersState::SUPER;
        assert_eq!(typed(&translation, "a"), []);
    }

    #[test]
    fn key_text_is_ignored_while_an_input_method_composes() {
        let mut translation = Translation::default();
        let preedit = WindowEvent::Ime(Ime::Preedit("に".into(), Some((0, 3))));
        assert_eq!(
            of(&mut translation, &preedit),
            [DeviceEvent::Composition { text: "に".into(), cursor: Some((0, 3)) }]
        );
        assert_eq!(told(|tell| translation.text("n", tell)), []);
        assert_eq!(of(&mut translation, &WindowEvent::Ime(Ime::Commit("日".into()))), [DeviceEvent::Text("日".into())]);
        assert_eq!(told(|tell| translation.text("n", tell)), [DeviceEvent::Text("n".into())]);
    }

    #[test]
    fn a_cursor_within_a_letter_is_left_out() {
        let mut translation = Translation::default();
        for cursor in [Some((0, 1)), Some((3, 0)), Some((0, 99))] {
            let events = of(&mut translation, &WindowEvent::Ime(Ime::Preedit("に".into(), cursor)));
            assert_eq!(events, [DeviceEvent::Composition { text: "に".into(), cursor: None }]);
        }
    }

    #[test]
    fn endless_text_is_cut_between_letters() {
        let mut translation = Translation::default();
        let events = of(&mut translation, &WindowEvent::Ime(Ime::Commit("に".repeat(100_000))));
        let [DeviceEvent::Text(text)] = &events[..] else { panic!("{events:?}") };
        assert!(text.len() <= TYPED_BYTES_MAX && text.len() > TYPED_BYTES_MAX - 3);
    }

    #[test]
    fn wheels_turn_in_lines_and_touch_pads_in_parts_of_them() {
        let mut translation = Translation::default();
        let mut turned = |delta| {
            let device_id = DeviceId::dummy();
            of(&mut translation, &WindowEvent::MouseWheel { device_id, delta, phase: Phase::Moved })
        };
        assert_eq!(turned(MouseScrollDelta::LineDelta(-1.0, 2.0)), [DeviceEvent::Wheel { x: 1.0, y: 2.0 }]);
        let pixels = MouseScrollDelta::PixelDelta(PhysicalPosition::new(0.0, -60.0));
        assert_eq!(turned(pixels), [DeviceEvent::Wheel { x: -0.0, y: -1.5 }]);
    }

    #[test]
    fn focus_ends_compositions_and_modifiers() {
        let mut translation = Translation { modifiers: ModifiersState::CONTROL, is_composing: true };
        assert_eq!(of(&mut translation, &WindowEvent::Focused(false)), [DeviceEvent::Focus(false)]);
        assert!(translation.modifiers.is_empty() && !translation.is_composing);
    }
}
