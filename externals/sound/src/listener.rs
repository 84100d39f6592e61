//! Listeners, and how a sound at a place reaches them: attenuation, panning, head shadow and the Doppler effect.

use base::{Quat, Vec3, number};
use view::CameraView;
use view::classes::sound::Rolloff;

use crate::dsp::{finite, low_pass};

/// The greatest panning: the far ear always hears something, if muffled.
const PAN_MAX: f32 = 0.9;

/// The distance below which a sound is inside the head, in metres: it comes from all sides.
const HEAD: f32 = 0.5;

/// The cut-off frequency of an ear that nothing is in front of, in hertz.
const OPEN: f32 = 20_000.0;

/// Who hears: usually where a camera is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listener {
    /// The position.
    pub position: Vec3,
    /// The rotation: the face points along the x axis, y is left and z up.
    pub orientation: Quat,
    /// The velocity, for the Doppler effect.
    pub velocity: Vec3,
}

impl Listener {
    /// At a camera that moves with a velocity.
    #[must_use]
    pub fn at(camera: &CameraView, velocity: Vec3) -> Listener {
        Listener { position: camera.position, orientation: camera.orientation, velocity }
    }

    /// The same, with sound values for those that are no numbers.
    #[must_use]
    pub fn sanitized(self) -> Listener {
        let orientation = self.orientation.normal();
        Listener {
            position: if self.position.is_finite() { self.position } else { Vec3::ZERO },
            orientation: if orientation.is_finite() { orientation } else { Quat::IDENTITY },
            velocity: if self.velocity.is_finite() { self.velocity } else { Vec3::ZERO },
        }
    }
}

/// What a sound does between its place and the ears, as its tag says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The distance up to which it is heard at full volume.
    pub distance_min: f32,
    /// The distance beyond which it is not heard; 0: everywhere.
    pub distance_max: f32,
    /// How it falls between them.
    pub rolloff: Rolloff,
    /// The strength of the Doppler effect.
    pub doppler: f32,
}

/// How a sound reaches a listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The factor of the distance.
    pub gain: f32,
    /// The factor for the left ear.
    pub left: f32,
    /// The factor for the right ear.
    pub right: f32,
    /// The cut-off frequency at the left ear, in hertz.
    pub left_hertz: f32,
    /// The cut-off frequency at the right ear, in hertz.
    pub right_hertz: f32,
    /// The factor on the pitch.
    pub doppler: f32,
}

impl Placement {
    /// A sound without a place, or in the middle of the head.
    pub const CENTRE: Placement = Placement {
        gain: 1.0,
        left: number::SQRT_HALF,
        right: number::SQRT_HALF,
        left_hertz: OPEN,
        right_hertz: OPEN,
        doppler: 1.0,
    };

    /// Not heard.
    pub const SILENT: Placement = Placement { gain: 0.0, ..Placement::CENTRE };

    /// The filter coefficients of both ears behind something that occludes by this much, from 0 to 1.
    #[must_use]
    pub fn filters(&self, occlusion: f32) -> [f32; 2] {
        // Down to 800 Hz behind a wall.
        let muffled = if occlusion > 0.0 { number::pow(0.04, occlusion) } else { 1.0 };
        [low_pass(self.left_hertz * muffled), low_pass(self.right_hertz * muffled)]
    }
}

/// The factor of a distance.
#[must_use]
pub fn attenuation(spread: &Spread, distance: f32) -> f32 {
    let least = number::max(spread.distance_min, 0.01);
    let most = spread.distance_max;
    let is_limited = most > 0.0;
    if is_limited && distance >= most {
        return 0.0;
    }
    if distance <= least {
        return 1.0;
    }
    // From 1 at the least distance down to 0 at the greatest; below `distance` both are above the least.
    let linear = if is_limited { (most - distance) / (most - least) } else { 1.0 };
    match spread.rolloff {
        Rolloff::Inverse if is_limited => (least / distance - least / most) / (1.0 - least / most),
        Rolloff::Inverse => least / distance,
        Rolloff::Linear => linear,
        Rolloff::Squared => linear * linear,
        Rolloff::Constant => 1.0,
    }
}

/// How a sound at a place reaches the nearest of the listeners, and where that one is. Nothing reaches nobody.
#[must_use]
pub fn place(
    listeners: &[Listener],
    position: Vec3,
    velocity: Vec3,
    spread: &Spread,
    speed_of_sound: f32,
) -> (Placement, Vec3) {
    if !position.is_finite() {
        return (Placement::SILENT, Vec3::ZERO);
    }
    let mut nearest: Option<(&Listener, f32)> = None;
    for listener in listeners {
        let distance = listener.position.distance(position);
        if nearest.is_none_or(|(_, least)| distance < least) {
            nearest = Some((listener, distance));
        }
    }
    let Some((listener, distance)) = nearest.filter(|(_, distance)| distance.is_finite()) else {
        return (Placement::SILENT, Vec3::ZERO);
    };
    let gain = attenuation(spread, distance);
    if gain <= 0.0 {
        return (Placement::SILENT, listener.position);
    }
    let direction = (position - listener.position).normal();
    let own = listener.orientation.rotate_back(direction);
    let focus = number::clamp(distance / HEAD, 0.0, 1.0);
    let side = number::clamp(-own.y, -1.0, 1.0) * focus;
    let behind = number::max(-own.x, 0.0) * focus;
    let (right, left) = number::sin_cos((side * PAN_MAX + 1.0) * (number::PI / 4.0));
    // The far ear hears through the head, and both hear less from behind.
    let shadow = |far: f32| OPEN * number::pow(0.12, far) * number::pow(0.4, behind);
    let velocity = if velocity.is_finite() { velocity } else { Vec3::ZERO };
    let placement = Placement {
        gain,
        left,
        right,
        left_hertz: shadow(number::max(side, 0.0)),
        right_hertz: shadow(number::max(-side, 0.0)),
        doppler: doppler(direction, listener.velocity, velocity, spread.doppler, speed_of_sound),
    };
    (placement, listener.position)
}

/// The factor on the pitch; `direction` points from the listener to the sound. From 0.5 to 2.
fn doppler(direction: Vec3, listener: Vec3, sound: Vec3, strength: f32, speed_of_sound: f32) -> f32 {
    let speed = number::max(finite(speed_of_sound, 343.0, 1.0, 1e6), 1.0);
    let approaching = listener.dot(direction) * strength;
    let receding = sound.dot(direction) * strength;
    // A sound that is faster than itself has no meaning here: it is as high as it gets.
    let divisor = number::max(speed + receding, speed * 0.01);
    finite((speed + approaching) / divisor, 1.0, 0.5, 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPREAD: Spread = Spread { distance_min: 1.0, distance_max: 100.0, rolloff: Rolloff::Inverse, doppler: 1.0 };
    const HERE: Listener = Listener { position: Vec3::ZERO, orientation: Quat::IDENTITY, velocity: Vec3::ZERO };

    fn placed(position: Vec3, velocity: Vec3) -> Placement {
        place(&[HERE], position, velocity, &SPREAD, 343.0).0
    }

    #[test]
    fn every_rolloff_falls_from_one_to_nothing() {
        for rolloff in [Rolloff::Inverse, Rolloff::Linear, Rolloff::Squared] {
            let spread = Spread { rolloff, ..SPREAD };
            assert_eq!(attenuation(&spread, 0.5), 1.0);
            assert!(attenuation(&spread, 99.9) < 0.01);
            assert_eq!(attenuation(&spread, 100.0), 0.0);
            let gains: Vec<f32> = (1..100).map(|metre| attenuation(&spread, metre as f32)).collect();
            assert!(gains.windows(2).all(|pair| pair[1] <= pair[0]), "{rolloff:?}");
        }
        let constant = Spread { rolloff: Rolloff::Constant, ..SPREAD };
        assert_eq!((attenuation(&constant, 99.0), attenuation(&constant, 101.0)), (1.0, 0.0));
        let everywhere = Spread { distance_max: 0.0, ..SPREAD };
        assert!((attenuation(&everywhere, 10_000.0) - 1e-4).abs() < 1e-9);
    }

    #[test]
    fn limits_that_contradict_each_other_are_harmless() {
        let spread = Spread { distance_min: 100.0, distance_max: 50.0, ..SPREAD };
        for metre in 0..200 {
            let gain = attenuation(&spread, metre as f32);
            assert!((0.0..=1.0).contains(&gain), "{metre}: {gain}");
        }
    }

    #[test]
    fn panning_keeps_the_power_and_the_far_ear_is_muffled() {
        for degree in 0..360 {
            let turned = Quat::from_axis_angle(Vec3::Z, degree as f32 * number::RADIANS_PER_DEGREE);
            let placement = placed(turned.rotate(Vec3::X) * 5.0, Vec3::ZERO);
            let power = placement.left * placement.left + placement.right * placement.right;
            assert!((power - 1.0).abs() < 1e-5);
        }
        let left = placed(Vec3::Y * 5.0, Vec3::ZERO);
        assert!(left.left > 10.0 * left.right && left.left_hertz > 8.0 * left.right_hertz);
        let behind = placed(Vec3::X * -5.0, Vec3::ZERO);
        assert!((behind.left - behind.right).abs() < 1e-5 && behind.left_hertz < 9_000.0);
    }

    #[test]
    fn the_nearest_listener_hears() {
        let there = Listener { position: Vec3::X * 50.0, ..HERE };
        let (placement, ear) = place(&[HERE, there], Vec3::X * 49.0, Vec3::ZERO, &SPREAD, 343.0);
        assert_eq!((placement.gain, ear), (1.0, there.position));
        assert_eq!(place(&[], Vec3::ZERO, Vec3::ZERO, &SPREAD, 343.0).0, Placement::SILENT);
    }

    #[test]
    fn what_comes_nearer_is_higher() {
        let ahead = Vec3::X * 10.0;
        assert!((placed(ahead, Vec3::X * -34.3).doppler - 1.0 / 0.9).abs() < 1e-4);
        assert!((placed(ahead, Vec3::X * 34.3).doppler - 1.0 / 1.1).abs() < 1e-4);
        assert_eq!(placed(ahead, Vec3::X * -5_000.0).doppler, 2.0);
        assert_eq!(placed(ahead, Vec3::X * 5_000.0).doppler, 0.5);
        let running = Listener { velocity: Vec3::X * 34.3, ..HERE };
        assert!((place(&[running], ahead, Vec3::ZERO, &SPREAD, 343.0).0.doppler - 1.1).abs() < 1e-4);
    }

    #[test]
    fn numbers_that_are_none_are_silent_or_still() {
        let wrong = Vec3::new(f32::NAN, 0.0, 0.0);
        assert_eq!(placed(wrong, Vec3::ZERO), Placement::SILENT);
        assert_eq!(placed(Vec3::X, wrong).doppler, 1.0);
        let lost = Listener { position: wrong, orientation: Quat::new(f32::NAN, 0.0, 0.0, 0.0), velocity: wrong };
        assert_eq!(lost.sanitized().position, Vec3::ZERO);
        assert!(lost.sanitized().orientation.is_finite());
    }
}
