//! Device events as egui understands them.

use astrarium::relay::device::{DeviceEvent, Key, MouseButton};
use egui::{Event, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, RawInput, Rect, TouchPhase, Vec2};

/// The most events that wait for a frame; a window that draws nothing does not gather more.
const EVENTS_MAX: usize = 4096;

/// The events since the last frame, and what is held down.
#[derive(Debug, Default)]
pub struct PanelInput {
    events: Vec<Event>,
    modifiers: Modifiers,
    pointer: Pos2,
    scale: f32,
}

impl PanelInput {
    /// Takes note of an event.
    pub fn add(&mut self, event: &DeviceEvent) {
        let translated = self.translate(event);
        if let Some(translated) = translated
            && self.events.len() < EVENTS_MAX
        {
            self.events.push(translated);
        }
    }

    /// The input of the next frame: a window of this size in physical pixels, of which `scale` make a point.
    pub fn take(&mut self, size: [u32; 2], scale: f32, seconds: f64) -> RawInput {
        self.scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        let points = Vec2::new(size[0] as f32, size[1] as f32) / self.scale;
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, points)),
            time: Some(seconds),
            events: std::mem::take(&mut self.events),
            focused: true,
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
            viewport.native_pixels_per_point = Some(self.scale);
        }
        input
    }

    fn translate(&mut self, event: &DeviceEvent) -> Option<Event> {
        match event {
            DeviceEvent::Key { key, is_down, is_repeat } => {
                let held = match key {
                    Key::LeftShift | Key::RightShift => Some(&mut self.modifiers.shift),
                    Key::LeftAlt | Key::RightAlt => Some(&mut self.modifiers.alt),
                    Key::LeftControl | Key::RightControl => Some(&mut self.modifiers.ctrl),
                    _ => None,
                };
                if let Some(held) = held {
                    *held = *is_down;
                    self.modifiers.command = self.modifiers.ctrl;
                    return Some(Event::ModifiersChanged(self.modifiers));
                }
                let (key, modifiers) = (key_of(*key)?, self.modifiers);
                Some(Event::Key { key, physical_key: Some(key), pressed: *is_down, repeat: *is_repeat, modifiers })
            }
            DeviceEvent::Text(text) => {
                let printable: String = text.chars().filter(|letter| !letter.is_control()).collect();
                (!printable.is_empty() && !self.modifiers.ctrl).then_some(Event::Text(printable))
            }
            DeviceEvent::PointerMoved { x, y } => {
                let scale = if self.scale > 0.0 { self.scale } else { 1.0 };
                self.pointer = Pos2::new(x / scale, y / scale);
                Some(Event::PointerMoved(self.pointer))
            }
            DeviceEvent::PointerLeft => Some(Event::PointerGone),
            DeviceEvent::MouseButton { button, is_down } => {
                let button = match button {
                    MouseButton::Left => PointerButton::Primary,
                    MouseButton::Right => PointerButton::Secondary,
                    MouseButton::Middle => PointerButton::Middle,
                    MouseButton::Back => PointerButton::Extra1,
                    MouseButton::Forward => PointerButton::Extra2,
                };
                let (pos, modifiers) = (self.pointer, self.modifiers);
                Some(Event::PointerButton { pos, button, pressed: *is_down, modifiers })
            }
            DeviceEvent::Wheel { x, y } => Some(Event::MouseWheel {
                unit: MouseWheelUnit::Line,
                delta: Vec2::new(*x, *y),
                phase: TouchPhase::Move,
                source: MouseWheelSource::Unknown,
                modifiers: self.modifiers,
            }),
            DeviceEvent::Focus(is_focused) => {
                self.modifiers = Modifiers::default();
                Some(Event::WindowFocused(*is_focused))
            }
            _ => None,
        }
    }
}

/// The key of egui for a key; none for one that egui does not know.
fn key_of(key: Key) -> Option<egui::Key> {
    let name = match key {
        Key::Left => "ArrowLeft",
        Key::Right => "ArrowRight",
        Key::Up => "ArrowUp",
        Key::Down => "ArrowDown",
        Key::Escape => "Escape",
        Key::Enter | Key::PadEnter => "Enter",
        Key::Tab => "Tab",
        Key::Space => "Space",
        Key::Backspace => "Backspace",
        Key::Insert => "Insert",
        Key::Delete => "Delete",
        Key::Home => "Home",
        Key::End => "End",
        Key::PageUp => "PageUp",
        Key::PageDown => "PageDown",
        Key::Minus => "Minus",
        Key::Equal => "Equals",
        Key::Comma => "Comma",
        Key::Period => "Period",
        Key::Slash => "Slash",
        Key::Backslash => "Backslash",
        Key::Semicolon => "Semicolon",
        Key::Backquote => "Backtick",
        other => return egui::Key::from_name(&other.name().to_uppercase()),
    };
    egui::Key::from_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_arrows_are_known_to_both() {
        for key in [Key::A, Key::Z, Key::Digit0, Key::F12, Key::Left, Key::Enter, Key::Backspace, Key::Backquote] {
            assert!(key_of(key).is_some(), "{}", key.name());
        }
    }

    #[test]
    fn held_modifiers_are_part_of_later_events_and_lost_with_the_focus() {
        let mut input = PanelInput::default();
        input.add(&DeviceEvent::Key { key: Key::LeftControl, is_down: true, is_repeat: false });
        input.add(&DeviceEvent::Key { key: Key::A, is_down: true, is_repeat: false });
        input.add(&DeviceEvent::Text(String::from("a")));
        input.add(&DeviceEvent::Focus(false));
        input.add(&DeviceEvent::Key { key: Key::A, is_down: true, is_repeat: false });
        let events = input.take([800, 600], 2.0, 0.0).events;
        let with_control = |event: &Event| matches!(event, Event::Key { modifiers, .. } if modifiers.ctrl);
        assert!(with_control(&events[1]) && !events.iter().any(|event| matches!(event, Event::Text(_))));
        assert!(!with_control(events.last().unwrap()));
        assert_eq!(input.take([0, 0], f32::NAN, 0.0).events, []);
    }
}
