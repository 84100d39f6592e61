//! What devices report, as plain values: keys, pointer, touch and gamepads. A host produces these; key mappings turn them into
//! actions, and only the events that an interface makes of actions enter a world.
//!
//! Keys and buttons are named by their place on the device, so that a mapping means the same on every keyboard layout. The
//! names are those that mapping tags use.

use alloc::string::String;

use crate::access::AccessAction;

/// One report of a device or a window.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceEvent {
    /// Assistive technology asks something of a node of the accessibility tree.
    Access {
        /// The node.
        node: u64,
        /// What is asked.
        action: AccessAction,
    },
    /// A key went down or up.
    Key {
        /// The key.
        key: Key,
        /// Whether it went down.
        is_down: bool,
        /// Whether the system repeats a key that is held.
        is_repeat: bool,
    },
    /// What the keyboard layout of the system has at the place of a key, told when it is pressed.
    KeySign {
        /// The key.
        key: Key,
        /// The letter or sign that it types alone.
        sign: char,
    },
    /// Text was typed or committed by an input method.
    Text(String),
    /// The text that an input method is composing, and the bytes of its cursor; empty when composition ends.
    Composition {
        /// The text.
        text: String,
        /// The first and the last byte of the cursor.
        cursor: Option<(usize, usize)>,
    },
    /// The pointer is at this position, in physical pixels from the top left corner of the window.
    PointerMoved {
        /// From the left.
        x: f32,
        /// From the top.
        y: f32,
    },
    /// The pointer left the window.
    PointerLeft,
    /// The mouse was moved by this much, without acceleration.
    MouseMotion {
        /// To the right.
        x: f32,
        /// Down.
        y: f32,
    },
    /// A button of the mouse went down or up.
    MouseButton {
        /// The button.
        button: MouseButton,
        /// Whether it went down.
        is_down: bool,
    },
    /// The wheel was turned, in lines.
    Wheel {
        /// To the right.
        x: f32,
        /// Away from the person.
        y: f32,
    },
    /// A finger touches the screen.
    Touch {
        /// The finger.
        finger: u64,
        /// What it does.
        phase: TouchPhase,
        /// From the left, in physical pixels.
        x: f32,
        /// From the top.
        y: f32,
    },
    /// A gamepad was connected; its number stays the same while it is.
    PadConnected {
        /// Its number.
        pad: u8,
        /// Its name.
        name: String,
        /// Whose names its buttons have.
        family: PadFamily,
    },
    /// A gamepad was disconnected.
    PadDisconnected {
        /// Its number.
        pad: u8,
    },
    /// A button of a gamepad went down or up.
    PadButton {
        /// The gamepad.
        pad: u8,
        /// The button.
        button: PadButton,
        /// Whether it went down.
        is_down: bool,
    },
    /// An axis of a gamepad moved: −1 to 1, triggers from 0 to 1. Sticks are positive to the right and up.
    PadAxis {
        /// The gamepad.
        pad: u8,
        /// The axis.
        axis: PadAxis,
        /// The position.
        value: f32,
    },
    /// The window has a new size in physical pixels, and this many of them make a logical pixel.
    Resized {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
        /// Physical pixels per logical pixel.
        scale: f32,
    },
    /// The window has, or no longer has, the keyboard. Without it all keys count as released.
    Focus(bool),
    /// The person wants to close the window.
    CloseRequested,
}

/// Whose names the buttons of a gamepad have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PadFamily {
    /// A, B, X and Y, from the lowest one.
    #[default]
    Xbox,
    /// Cross, circle, square and triangle.
    PlayStation,
    /// B, A, Y and X.
    Nintendo,
}

/// What a finger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchPhase {
    /// It touches.
    Began,
    /// It moves.
    Moved,
    /// It was lifted.
    Ended,
    /// The system took the touch over.
    Cancelled,
}

/// Makes an enumeration whose members have names.
macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($member:ident $name:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "`")] $member,)*
        }

        impl $type {
            /// All of them, in order.
            pub const ALL: &[$type] = &[$($type::$member),*];

            /// Their names, in the same order.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Its name, as mapping tags use it.
            pub const fn name(self) -> &'static str {
                match self { $($type::$member => $name),* }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    };
}

named! {
    /// A key, by its place on an American keyboard.
    Key {
        A "a", B "b", C "c", D "d", E "e", F "f", G "g", H "h", I "i", J "j", K "k", L "l", M "m",
        N "n", O "o", P "p", Q "q", R "r", S "s", T "t", U "u", V "v", W "w", X "x", Y "y", Z "z",
        Digit0 "0", Digit1 "1", Digit2 "2", Digit3 "3", Digit4 "4", Digit5 "5", Digit6 "6", Digit7 "7", Digit8 "8", Digit9 "9",
        F1 "f1", F2 "f2", F3 "f3", F4 "f4", F5 "f5", F6 "f6", F7 "f7", F8 "f8", F9 "f9", F10 "f10", F11 "f11", F12 "f12",
        Escape "escape", Enter "enter", Tab "tab", Space "space", Backspace "backspace",
        Insert "insert", Delete "delete", Home "home", End "end", PageUp "page_up", PageDown "page_down",
        Left "left", Right "right", Up "up", Down "down",
        LeftShift "left_shift", RightShift "right_shift", LeftControl "left_control", RightControl "right_control",
        LeftAlt "left_alt", RightAlt "right_alt", LeftSuper "left_super", RightSuper "right_super",
        CapsLock "caps_lock", NumLock "num_lock", ScrollLock "scroll_lock", PrintScreen "print_screen", Pause "pause", Menu "menu",
        Minus "minus", Equal "equal", LeftBracket "left_bracket", RightBracket "right_bracket", Backslash "backslash",
        Semicolon "semicolon", Quote "quote", Backquote "backquote", Comma "comma", Period "period", Slash "slash",
        Intl "intl_backslash",
        Pad0 "numpad_0", Pad1 "numpad_1", Pad2 "numpad_2", Pad3 "numpad_3", Pad4 "numpad_4", Pad5 "numpad_5", Pad6 "numpad_6",
        Pad7 "numpad_7", Pad8 "numpad_8", Pad9 "numpad_9", PadAdd "numpad_add", PadSubtract "numpad_subtract",
        PadMultiply "numpad_multiply", PadDivide "numpad_divide", PadDecimal "numpad_decimal", PadEnter "numpad_enter",
    }
}

named! {
    /// A button of a mouse.
    MouseButton { Left "left", Right "right", Middle "middle", Back "back", Forward "forward" }
}

named! {
    /// A button of a gamepad, by its place.
    PadButton {
        South "south", East "east", West "west", North "north",
        LeftShoulder "left_shoulder", RightShoulder "right_shoulder", LeftTrigger "left_trigger", RightTrigger "right_trigger",
        LeftStick "left_stick", RightStick "right_stick", Select "select", Start "start", Guide "guide",
        Up "up", Down "down", Left "left", Right "right",
        Paddle1 "paddle_1", Paddle2 "paddle_2", Paddle3 "paddle_3", Paddle4 "paddle_4",
    }
}

named! {
    /// An axis of a gamepad.
    PadAxis {
        LeftX "left_x", LeftY "left_y", RightX "right_x", RightY "right_y",
        LeftTrigger "left_trigger_axis", RightTrigger "right_trigger_axis",
        Wheel "wheel", Throttle "throttle", Brake "brake",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_own_member() {
        assert!(Key::ALL.iter().all(|key| Key::named(key.name()) == Some(*key)));
        assert!(MouseButton::ALL.iter().all(|button| MouseButton::named(button.name()) == Some(*button)));
        assert!(PadButton::ALL.iter().all(|button| PadButton::named(button.name()) == Some(*button)));
        assert!(PadAxis::ALL.iter().all(|axis| PadAxis::named(axis.name()) == Some(*axis)));
        assert_eq!(Key::named("key_a"), None);
    }
}
