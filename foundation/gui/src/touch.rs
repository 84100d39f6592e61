//! Fingers on the world: what no interface uses of a touch screen.
//!
//! A short touch is a click of the left button of the mouse, a long one of the right button, so a game that is played with a mouse
//! is played with fingers too. One finger that moves drags, two turn and pinch.
//!
//! Laws
//! 1. A touch that has moved or that others have joined is never a click.
//! 2. Fingers that the system loses leave nothing held.

use alloc::vec::Vec;

use base::Vec2;
use base::number::{clamp, log2, max};
use relay::device::{MouseButton, TouchPhase};

use crate::limits::{COORDINATE_MAX, FINGERS_MAX};

/// How long a finger rests until that is a long touch, in seconds.
const LONG: f32 = 0.5;
/// How far a finger may move and still rest, in logical pixels.
const REST: f32 = 12.0;
/// The least distance of two fingers that is compared, in physical pixels.
const APART: f32 = 8.0;

/// The fingers that touch the world.
#[derive(Clone, Debug, Default)]
pub struct Fingers {
    held: Vec<Finger>,
    /// How long the first one rests, in seconds; none: it has moved, or others have joined.
    resting: Option<f32>,
    /// Where it began.
    start: Vec2,
    motion: FingerMotion,
}

#[derive(Clone, Copy, Debug)]
struct Finger {
    number: u64,
    place: Vec2,
}

/// What fingers did since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FingerMotion {
    /// The way of a single finger, in physical pixels to the right and down.
    pub drag: Vec2,
    /// The way of the middle between two fingers.
    pub turn: Vec2,
    /// How often the distance between two fingers has doubled.
    pub pinch: f32,
}

/// A click by a finger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FingerClick {
    /// The button of the mouse that it stands for.
    pub button: MouseButton,
    /// Where, in physical pixels.
    pub place: Vec2,
}

impl Fingers {
    /// A finger does something, of which no interface knows. A click, if it is one. `scale` is the number of physical pixels of a
    /// logical one.
    pub fn handle(&mut self, number: u64, phase: TouchPhase, place: Vec2, scale: f32) -> Option<FingerClick> {
        let known = self.held.iter().position(|finger| finger.number == number);
        if !place.is_finite() {
            return None;
        }
        let place = Vec2::new(within(place.x), within(place.y));
        match (phase, known) {
            (TouchPhase::Began, None) if self.held.len() < FINGERS_MAX => {
                self.resting = self.held.is_empty().then_some(0.0);
                self.start = place;
                self.held.push(Finger { number, place });
                None
            }
            (TouchPhase::Moved, Some(index)) => {
                if self.start.distance(place) > REST * max(scale, 0.1) {
                    self.resting = None;
                }
                self.follow(index, place);
                None
            }
            (TouchPhase::Ended, Some(index)) => {
                self.held.remove(index);
                let click = self.resting.take().map(|_| FingerClick { button: MouseButton::Left, place: self.start });
                click.filter(|_| self.held.is_empty())
            }
            (TouchPhase::Cancelled, _) => {
                self.release();
                None
            }
            _ => None,
        }
    }

    /// Moves on in time. A click, if a finger has rested for long.
    pub fn update(&mut self, seconds: f32) -> Option<FingerClick> {
        let rested = self.resting.as_mut()?;
        *rested += clamp(if seconds.is_finite() { seconds } else { 0.0 }, 0.0, LONG);
        if *rested < LONG {
            return None;
        }
        self.resting = None;
        Some(FingerClick { button: MouseButton::Right, place: self.start })
    }

    /// What they did since the last call.
    pub fn take_motion(&mut self) -> FingerMotion {
        core::mem::take(&mut self.motion)
    }

    /// All fingers are gone.
    pub fn release(&mut self) {
        self.held.clear();
        self.resting = None;
    }

    /// A finger is at another place.
    fn follow(&mut self, index: usize, place: Vec2) {
        let before = core::mem::replace(&mut self.held[index].place, place);
        match self.held[..] {
            [_] if self.resting.is_none() => self.motion.drag += place - before,
            // Of three and more fingers, the first two count.
            [first, second, ..] if index < 2 => {
                let other = if index == 0 { second.place } else { first.place };
                self.motion.turn += (place - before) * 0.5;
                let apart = [before, place].map(|it| max(it.distance(other), APART));
                self.motion.pinch += log2(apart[1] / apart[0]);
            }
            _ => {}
        }
    }
}

/// A coordinate that can be reckoned with.
fn within(coordinate: f32) -> f32 {
    clamp(coordinate, -COORDINATE_MAX, COORDINATE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Vec2 {
        Vec2::new(x, y)
    }

    #[test]
    fn a_short_touch_is_a_left_click_and_a_long_one_a_right_click() {
        let mut fingers = Fingers::default();
        assert_eq!(fingers.handle(1, TouchPhase::Began, at(50.0, 60.0), 1.0), None);
        assert_eq!(fingers.handle(1, TouchPhase::Moved, at(54.0, 60.0), 1.0), None);
        let click = |button| Some(FingerClick { button, place: at(50.0, 60.0) });
        assert_eq!(fingers.update(0.2), None);
        assert_eq!(fingers.handle(1, TouchPhase::Ended, at(54.0, 60.0), 1.0), click(MouseButton::Left));
        fingers.handle(2, TouchPhase::Began, at(50.0, 60.0), 1.0);
        assert_eq!((fingers.update(0.3), fingers.update(0.3)), (None, click(MouseButton::Right)));
        assert_eq!(fingers.handle(2, TouchPhase::Ended, at(50.0, 60.0), 1.0), None, "it was one already");
        assert_eq!(fingers.take_motion(), FingerMotion::default(), "a finger that rests drags nothing");
    }

    #[test]
    fn one_finger_drags_and_two_turn_and_pinch() {
        let mut fingers = Fingers::default();
        fingers.handle(1, TouchPhase::Began, at(100.0, 100.0), 1.0);
        fingers.handle(1, TouchPhase::Moved, at(130.0, 90.0), 1.0);
        assert_eq!(fingers.take_motion().drag, at(30.0, -10.0));
        fingers.handle(2, TouchPhase::Began, at(230.0, 90.0), 1.0);
        fingers.handle(2, TouchPhase::Moved, at(330.0, 90.0), 1.0);
        let motion = fingers.take_motion();
        assert_eq!((motion.drag, motion.turn, motion.pinch), (Vec2::ZERO, at(50.0, 0.0), 1.0));
        assert_eq!(fingers.handle(2, TouchPhase::Ended, at(330.0, 90.0), 1.0), None);
        assert_eq!(fingers.handle(1, TouchPhase::Ended, at(130.0, 90.0), 1.0), None, "no click");
    }

    #[test]
    fn nonsense_and_lost_fingers_leave_nothing_held() {
        let mut fingers = Fingers::default();
        for number in 0..100 {
            fingers.handle(number, TouchPhase::Began, at(number as f32, f32::NAN), f32::NAN);
            fingers.handle(number, TouchPhase::Began, at(number as f32, 0.0), 0.0);
            fingers.handle(number / 2, TouchPhase::Moved, at(f32::INFINITY, 1e30), 1.0);
            fingers.handle(number / 2, TouchPhase::Moved, at(1e30, -1e30), 1.0);
        }
        assert!(fingers.held.len() <= FINGERS_MAX && fingers.take_motion().pinch.is_finite());
        fingers.handle(0, TouchPhase::Cancelled, at(0.0, 0.0), 1.0);
        assert!(fingers.held.is_empty() && fingers.update(9.0).is_none());
    }
}
