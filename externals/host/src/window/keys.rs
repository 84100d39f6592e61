//! The keys of winit as keys of mapping tags.

use relay::device::{Key, MouseButton};
use winit::keyboard::KeyCode;

/// The mouse button, if mappings know it.
pub(super) fn button_of(button: winit::event::MouseButton) -> Option<MouseButton> {
    Some(match button {
        winit::event::MouseButton::Left => MouseButton::Left,
        winit::event::MouseButton::Right => MouseButton::Right,
        winit::event::MouseButton::Middle => MouseButton::Middle,
        winit::event::MouseButton::Back => MouseButton::Back,
        winit::event::MouseButton::Forward => MouseButton::Forward,
        winit::event::MouseButton::Other(_) => return None,
    })
}

/// The key at this place, if mappings know it.
pub(super) fn key_of(code: KeyCode) -> Option<Key> {
    KEYS.iter().find(|(known, _)| *known == code).map(|(_, key)| *key)
}

const KEYS: &[(KeyCode, Key)] = &[
    (KeyCode::KeyA, Key::A),
    (KeyCode::KeyB, Key::B),
    (KeyCode::KeyC, Key::C),
    (KeyCode::KeyD, Key::D),
    (KeyCode::KeyE, Key::E),
    (KeyCode::KeyF, Key::F),
    (KeyCode::KeyG, Key::G),
    (KeyCode::KeyH, Key::H),
    (KeyCode::KeyI, Key::I),
    (KeyCode::KeyJ, Key::J),
    (KeyCode::KeyK, Key::K),
    (KeyCode::KeyL, Key::L),
    (KeyCode::KeyM, Key::M),
    (KeyCode::KeyN, Key::N),
    (KeyCode::KeyO, Key::O),
    (KeyCode::KeyP, Key::P),
    (KeyCode::KeyQ, Key::Q),
    (KeyCode::KeyR, Key::R),
    (KeyCode::KeyS, Key::S),
    (KeyCode::KeyT, Key::T),
    (KeyCode::KeyU, Key::U),
    (KeyCode::KeyV, Key::V),
    (KeyCode::KeyW, Key::W),
    (KeyCode::KeyX, Key::X),
    (KeyCode::KeyY, Key::Y),
    (KeyCode::KeyZ, Key::Z),
    (KeyCode::Digit0, Key::Digit0),
    (KeyCode::Digit1, Key::Digit1),
    (KeyCode::Digit2, Key::Digit2),
    (KeyCode::Digit3, Key::Digit3),
    (KeyCode::Digit4, Key::Digit4),
    (KeyCode::Digit5, Key::Digit5),
    (KeyCode::Digit6, Key::Digit6),
    (KeyCode::Digit7, Key::Digit7),
    (KeyCode::Digit8, Key::Digit8),
    (KeyCode::Digit9, Key::Digit9),
    (KeyCode::F1, Key::F1),
    (KeyCode::F2, Key::F2),
    (KeyCode::F3, Key::F3),
    (KeyCode::F4, Key::F4),
    (KeyCode::F5, Key::F5),
    (KeyCode::F6, Key::F6),
    (KeyCode::F7, Key::F7),
    (KeyCode::F8, Key::F8),
    (KeyCode::F9, Key::F9),
    (KeyCode::F10, Key::F10),
    (KeyCode::F11, Key::F11),
    (KeyCode::F12, Key::F12),
    (KeyCode::Escape, Key::Escape),
    (KeyCode::Enter, Key::Enter),
    (KeyCode::Tab, Key::Tab),
    (KeyCode::Space, Key::Space),
    (KeyCode::Backspace, Key::Backspace),
    (KeyCode::Insert, Key::Insert),
    (KeyCode::Delete, Key::Delete),
    (KeyCode::Home, Key::Home),
    (KeyCode::End, Key::End),
    (KeyCode::PageUp, Key::PageUp),
    (KeyCode::PageDown, Key::PageDown),
    (KeyCode::ArrowLeft, Key::Left),
    (KeyCode::ArrowRight, Key::Right),
    (KeyCode::ArrowUp, Key::Up),
    (KeyCode::ArrowDown, Key::Down),
    (KeyCode::ShiftLeft, Key::LeftShift),
    (KeyCode::ShiftRight, Key::RightShift),
    (KeyCode::ControlLeft, Key::LeftControl),
    (KeyCode::ControlRight, Key::RightControl),
    (KeyCode::AltLeft, Key::LeftAlt),
    (KeyCode::AltRight, Key::RightAlt),
    (KeyCode::SuperLeft, Key::LeftSuper),
    (KeyCode::SuperRight, Key::RightSuper),
    (KeyCode::CapsLock, Key::CapsLock),
    (KeyCode::NumLock, Key::NumLock),
    (KeyCode::ScrollLock, Key::ScrollLock),
    (KeyCode::PrintScreen, Key::PrintScreen),
    (KeyCode::Pause, Key::Pause),
    (KeyCode::ContextMenu, Key::Menu),
    (KeyCode::Minus, Key::Minus),
    (KeyCode::Equal, Key::Equal),
    (KeyCode::BracketLeft, Key::LeftBracket),
    (KeyCode::BracketRight, Key::RightBracket),
    (KeyCode::Backslash, Key::Backslash),
    (KeyCode::Semicolon, Key::Semicolon),
    (KeyCode::Quote, Key::Quote),
    (KeyCode::Backquote, Key::Backquote),
    (KeyCode::Comma, Key::Comma),
    (KeyCode::Period, Key::Period),
    (KeyCode::Slash, Key::Slash),
    (KeyCode::IntlBackslash, Key::Intl),
    (KeyCode::Numpad0, Key::Pad0),
    (KeyCode::Numpad1, Key::Pad1),
    (KeyCode::Numpad2, Key::Pad2),
    (KeyCode::Numpad3, Key::Pad3),
    (KeyCode::Numpad4, Key::Pad4),
    (KeyCode::Numpad5, Key::Pad5),
    (KeyCode::Numpad6, Key::Pad6),
    (KeyCode::Numpad7, Key::Pad7),
    (KeyCode::Numpad8, Key::Pad8),
    (KeyCode::Numpad9, Key::Pad9),
    (KeyCode::NumpadAdd, Key::PadAdd),
    (KeyCode::NumpadSubtract, Key::PadSubtract),
    (KeyCode::NumpadMultiply, Key::PadMultiply),
    (KeyCode::NumpadDivide, Key::PadDivide),
    (KeyCode::NumpadDecimal, Key::PadDecimal),
    (KeyCode::NumpadEnter, Key::PadEnter),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_mappings_is_at_exactly_one_place() {
        for key in Key::ALL {
            let places = KEYS.iter().filter(|(_, known)| known == key).count();
            assert_eq!(places, 1, "{key:?}");
        }
        assert_eq!(KEYS.len(), Key::ALL.len());
        for (code, key) in KEYS {
            assert_eq!(key_of(*code), Some(*key), "each place is listed once");
        }
    }

    #[test]
    fn keys_and_buttons_that_no_mapping_knows_are_left_out() {
        assert_eq!(key_of(KeyCode::MediaPlayPause), None);
        assert_eq!(button_of(winit::event::MouseButton::Other(9)), None);
    }
}
