//! The keys and the mouse of a free camera.

use std::collections::BTreeSet;

use base::Vec3;
use relay::device::{DeviceEvent, Key, MouseButton};

use crate::viewpoint::Flight;

/// How far a movement of the mouse by a pixel turns, in radians.
const TURN: f32 = 0.004;

/// What is held down and was moved since the last frame.
#[derive(Clone, Debug, Default)]
pub struct Flying {
    held: BTreeSet<Key>,
    is_turning: bool,
    motion: (f32, f32),
    wheel: f32,
}

impl Flying {
    /// Sees an event. True if it moves the camera, so that the game should not see it.
    pub fn handle(&mut self, event: &DeviceEvent) -> bool {
        match event {
            DeviceEvent::Key { key, is_down, .. } if WAYS.iter().any(|(way, _)| way == key) => {
                if *is_down {
                    self.held.insert(*key);
                } else {
                    self.held.remove(key);
                }
                true
            }
            DeviceEvent::Key { key: Key::LeftShift, is_down, .. } => {
                if *is_down {
                    self.held.insert(Key::LeftShift);
                } else {
                    self.held.remove(&Key::LeftShift);
                }
                true
            }
            DeviceEvent::MouseButton { button: MouseButton::Right, is_down } => {
                self.is_turning = *is_down;
                true
            }
            DeviceEvent::MouseMotion { x, y } if self.is_turning => {
                self.motion = (self.motion.0 + x, self.motion.1 + y);
                true
            }
            DeviceEvent::Wheel { y, .. } => {
                self.wheel += y;
                true
            }
            DeviceEvent::Focus(false) => {
                *self = Flying::default();
                false
            }
            _ => false,
        }
    }

    /// What happened since the last call.
    pub fn take(&mut self, seconds: f32) -> Flight {
        let ways = WAYS.iter().filter(|(key, _)| self.held.contains(key));
        let way = ways.fold(Vec3::ZERO, |sum, (_, way)| sum + *way);
        let way = if self.held.contains(&Key::LeftShift) { way * 4.0 } else { way };
        let (x, y) = std::mem::take(&mut self.motion);
        Flight { way, turn: (-x * TURN, -y * TURN), faster: std::mem::take(&mut self.wheel), seconds }
    }

    /// Lets everything go.
    pub fn release(&mut self) {
        *self = Flying::default();
    }
}

/// The keys that move, and where to: ahead, left, up.
const WAYS: [(Key, Vec3); 6] = [
    (Key::W, Vec3::new(1.0, 0.0, 0.0)),
    (Key::S, Vec3::new(-1.0, 0.0, 0.0)),
    (Key::A, Vec3::new(0.0, 1.0, 0.0)),
    (Key::D, Vec3::new(0.0, -1.0, 0.0)),
    (Key::E, Vec3::new(0.0, 0.0, 1.0)),
    (Key::Q, Vec3::new(0.0, 0.0, -1.0)),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: Key, is_down: bool) -> DeviceEvent {
        DeviceEvent::Key { key, is_down, is_repeat: false }
    }

    #[test]
    fn keys_move_while_they_are_held_and_the_mouse_turns_while_its_button_is() {
        let mut flying = Flying::default();
        assert!(flying.handle(&key(Key::W, true)) && !flying.handle(&key(Key::Space, true)));
        assert!(!flying.handle(&DeviceEvent::MouseMotion { x: 9.0, y: 0.0 }));
        assert_eq!(flying.take(0.1).way, Vec3::X);
        flying.handle(&DeviceEvent::MouseButton { button: MouseButton::Right, is_down: true });
        flying.handle(&DeviceEvent::MouseMotion { x: 10.0, y: -5.0 });
        let flight = flying.take(0.1);
        assert!(flight.turn.0 < 0.0 && flight.turn.1 > 0.0);
        assert_eq!(flying.take(0.1).turn, (0.0, 0.0));
        flying.handle(&DeviceEvent::Focus(false));
        assert_eq!(flying.take(0.1).way, Vec3::ZERO, "without focus all keys are released");
    }
}
