//! The lamps of a picture: those that matter most to a camera, relative to it.

use base::Vec3;
use base::number::max;
use view::Light;

use crate::gpu::blocks::LampBlock;

/// The most lamps of one view.
pub const LAMPS_MAX: usize = 256;

/// The lamps that matter most to an eye, the rest left out.
pub fn chosen(lights: impl Iterator<Item = Light>, eye: Vec3, out: &mut Vec<LampBlock>) {
    let mut ranked: Vec<(f32, Light)> = lights
        .filter(|light| light.range > 0.0 && light.position.is_finite() && light.intensity.is_finite())
        .map(|light| (weight(&light, eye), light))
        .collect();
    if ranked.len() > LAMPS_MAX {
        ranked.select_nth_unstable_by(LAMPS_MAX, |left, right| right.0.total_cmp(&left.0));
        ranked.truncate(LAMPS_MAX);
    }
    out.clear();
    out.extend(ranked.iter().map(|(_, light)| LampBlock {
        position: (light.position - eye).to_array(),
        range: light.range,
        intensity: light.intensity.to_array(),
        cone: if light.direction == Vec3::ZERO { -1.0 } else { light.cone },
        direction: light.direction.normal_or(Vec3::Z).to_array(),
        pad: 0.0,
    }));
}

/// How much of a picture a lamp lights, and how brightly.
fn weight(light: &Light, eye: Vec3) -> f32 {
    let distance = max(light.position.distance(eye) - light.range, 1.0);
    light.intensity.max_component() * light.range / (distance * distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light(x: f32, intensity: f32) -> Light {
        Light {
            position: Vec3::new(x, 0.0, 0.0),
            direction: Vec3::ZERO,
            intensity: Vec3::splat(intensity),
            range: 5.0,
            cone: -1.0,
        }
    }

    #[test]
    fn the_lamps_that_matter_least_are_left_out() {
        let mut out = Vec::new();
        let lights = (0..LAMPS_MAX + 50).map(|index| light(index as f32 * 10.0, 1.0));
        chosen(lights, Vec3::ZERO, &mut out);
        assert_eq!(out.len(), LAMPS_MAX);
        assert!(out.iter().all(|lamp| lamp.position[0] < (LAMPS_MAX + 1) as f32 * 10.0));
        chosen([light(f32::NAN, 1.0), Light { range: 0.0, ..light(0.0, 1.0) }].into_iter(), Vec3::ZERO, &mut out);
        assert!(out.is_empty());
    }
}
