//! What a camera sees: its matrix, the planes around it, and the cascades of its shadows.

use base::number::{ceil, clamp, cos, exp2, floor, log2, max, min, sqrt, tan};
use base::{Quat, Vec3};
use view::{CameraView, PostValues};

use crate::gpu::blocks::{CASCADES_MAX, CascadeBlock};

/// The axes of a camera and its extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Where it is.
    pub eye: Vec3,
    /// To the right.
    pub right: Vec3,
    /// Up.
    pub up: Vec3,
    /// The direction of view.
    pub forward: Vec3,
    /// The tangents of half the angles of view, across and up.
    pub tangents: [f32; 2],
    /// The distance of the near plane.
    pub near: f32,
    /// What becomes of what it sees.
    pub post: PostValues,
}

impl Lens {
    /// The lens of a camera over pixels of this size. Numbers that make no sense are replaced.
    pub fn new(view: &CameraView, size: [u32; 2]) -> Lens {
        let turn = if view.orientation.is_finite() { view.orientation.normal() } else { Quat::IDENTITY };
        let fov = if view.fov.is_finite() { clamp(view.fov, 0.01, 3.0) } else { 1.0 };
        let tangent = tan(fov * 0.5);
        Lens {
            eye: if view.position.is_finite() { view.position } else { Vec3::ZERO },
            right: -turn.rotate(Vec3::Y),
            up: turn.rotate(Vec3::Z),
            forward: turn.rotate(Vec3::X),
            tangents: [tangent * size[0] as f32 / size[1] as f32, tangent],
            near: if view.near.is_finite() { clamp(view.near, 1e-3, 1e3) } else { 0.1 },
            post: view.post,
        }
    }

    /// From places relative to the eye to the picture, column by column. Depth is the near distance by the distance.
    pub fn projection(&self) -> [[f32; 4]; 4] {
        let (right, up) = (self.right * (1.0 / self.tangents[0]), self.up * (1.0 / self.tangents[1]));
        let column = |axis: usize| [right[axis], up[axis], 0.0, self.forward[axis]];
        [column(0), column(1), column(2), [0.0, 0.0, self.near, 0.0]]
    }

    /// The planes of its sides and the near plane: what lies outside has a negative distance.
    pub fn planes(&self) -> [[f32; 4]; 5] {
        let side =
            |axis: Vec3, tangent: f32| (self.forward * tangent + axis).normal_or(self.forward).with_w(0.0).to_array();
        let [x, y] = self.tangents;
        let near = self.forward.with_w(-self.near).to_array();
        [side(self.right, x), side(-self.right, x), side(self.up, y), side(-self.up, y), near]
    }

    /// The cosine of the angle between its axis and a corner of the picture.
    fn corner_cosine(&self) -> f32 {
        let [x, y] = self.tangents;
        1.0 / sqrt(1.0 + x * x + y * y)
    }
}

/// What shadows are cast over.
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    /// The direction to the sun.
    pub sun: Vec3,
    /// The middle of everything that is shown, and its radius.
    pub middle: Vec3,
    /// The radius around it.
    pub radius: f32,
    /// The number of cascades.
    pub count: u32,
    /// The side of a map.
    pub side: u32,
    /// The distance beyond which there are no shadows.
    pub distance: f32,
}

/// The cascades of a camera: spheres around parts of what it sees, snapped to texels so that shadows do not swim.
pub fn cascades(lens: &Lens, cast: &Cast) -> [CascadeBlock; CASCADES_MAX] {
    let mut blocks = [CascadeBlock { matrix: [[0.0; 4]; 4], metric: [0.0; 4] }; CASCADES_MAX];
    let count = cast.count.min(CASCADES_MAX as u32);
    // Nothing lies beyond the farthest thing, and nothing before the nearest.
    let centre = (cast.middle - lens.eye).length();
    let far = max(min(cast.distance, centre + cast.radius), lens.near * 16.0);
    let first = max(lens.near, max(centre - cast.radius, far * 0.004));
    for (index, block) in blocks.iter_mut().enumerate().take(count as usize) {
        let split = |part: f32| {
            let even = first + (far - first) * part;
            let steep = first * exp2(log2(far / first) * part);
            steep + (even - steep) * 0.25
        };
        let start = if index == 0 { 0.0 } else { split(index as f32 / count as f32) * 0.9 };
        let end = split((index + 1) as f32 / count as f32);
        *block = cascade(lens, cast, start, end);
    }
    blocks
}

/// A cascade from one distance to another.
fn cascade(lens: &Lens, cast: &Cast, start: f32, end: f32) -> CascadeBlock {
    let cosine = lens.corner_cosine();
    let sine = sqrt(max(1.0 - cosine * cosine, 0.0));
    let along = min((start + end) * 0.5 / cosine, end * cosine);
    let reach = |distance: f32| {
        let (x, y) = (distance * cosine - along, distance * sine);
        sqrt(x * x + y * y)
    };
    let radius = max(max(reach(end), reach(start)), end - along);
    // In steps of a sixteenth of an octave, so that the size of a texel stays while the camera turns.
    let radius = exp2(ceil(log2(max(radius, 1e-3)) * 16.0) / 16.0) * 1.02;
    let texel = 2.0 * radius / cast.side as f32;

    let down = -cast.sun;
    let across = down.cross(if down.z.abs() > 0.99 { Vec3::X } else { Vec3::Z }).normal_or(Vec3::Y);
    let upward = across.cross(down);
    let middle = lens.forward * along;
    // Snapped in the world: the eye's own part is exact in 64 bits.
    let snapped = |axis: Vec3| {
        let eye = dot64(axis, lens.eye);
        let place = eye + f64::from(axis.dot(middle));
        let texel = f64::from(texel);
        ((place / texel).floor() * texel - eye) as f32
    };
    let (x, y) = (snapped(across), snapped(upward));
    let nearest = min(down.dot(middle) - radius, down.dot(cast.middle - lens.eye) - cast.radius);
    let depth = down.dot(middle) + radius - nearest;
    let column = |axis: usize| [across[axis] / radius, upward[axis] / radius, down[axis] / depth, 0.0];
    CascadeBlock {
        matrix: [column(0), column(1), column(2), [-x / radius, -y / radius, -nearest / depth, 1.0]],
        metric: [texel, end, 1.0 / radius, 1.0 / depth],
    }
}

fn dot64(left: Vec3, right: Vec3) -> f64 {
    let part = |axis: usize| f64::from(left[axis]) * f64::from(right[axis]);
    part(0) + part(1) + part(2)
}

/// The cosine of a sun's angular radius; 1 if it is not seen.
pub fn disc_cosine(radius: f32) -> f32 {
    if radius > 0.0 { cos(min(radius, 1.0)) } else { 1.0 }
}

/// The pixels of a part of a picture: left, top, width, height. None if it has none.
pub fn pixels_of(viewport: [f32; 4], size: [u32; 2]) -> Option<[u32; 4]> {
    let edge = |part: f32, side: u32| {
        let part = if part.is_finite() { clamp(part, 0.0, 1.0) } else { 0.0 };
        floor(part * side as f32 + 0.5) as u32
    };
    let [left, top, right, bottom] = viewport;
    let (left, top) = (edge(left, size[0]), edge(top, size[1]));
    let (right, bottom) = (edge(right, size[0]), edge(bottom, size[1]));
    (right > left && bottom > top).then(|| [left, top, right - left, bottom - top])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lens(position: Vec3) -> Lens {
        let view = CameraView {
            position,
            orientation: Quat::IDENTITY,
            fov: 1.0,
            near: 0.1,
            viewport: [0.0, 0.0, 1.0, 1.0],
            post: PostValues::NONE,
        };
        Lens::new(&view, [320, 180])
    }

    fn transform(matrix: &[[f32; 4]; 4], p: Vec3) -> [f32; 4] {
        std::array::from_fn(|row| matrix[0][row] * p.x + matrix[1][row] * p.y + matrix[2][row] * p.z + matrix[3][row])
    }

    #[test]
    fn what_is_ahead_is_in_the_middle_and_left_is_left() {
        let matrix = lens(Vec3::ZERO).projection();
        let [x, y, z, w] = transform(&matrix, Vec3::new(10.0, 0.0, 0.0));
        assert_eq!((x, y, w), (0.0, 0.0, 10.0));
        assert!((z / w - 0.01).abs() < 1e-6);
        assert!(transform(&matrix, Vec3::new(10.0, 1.0, 0.0))[0] < 0.0);
        assert!(transform(&matrix, Vec3::new(10.0, 0.0, 1.0))[1] > 0.0);
    }

    #[test]
    fn planes_keep_what_the_picture_shows() {
        let lens = lens(Vec3::ZERO);
        let is_inside = |p: Vec3| lens.planes().iter().all(|[x, y, z, w]| Vec3::new(*x, *y, *z).dot(p) + w >= 0.0);
        for p in
            [Vec3::new(5.0, 4.0, 1.0), Vec3::new(5.0, 5.5, 1.0), Vec3::new(-5.0, 0.0, 0.0), Vec3::new(5.0, 0.0, 2.6)]
        {
            let [x, y, _, w] = transform(&lens.projection(), p);
            assert_eq!(is_inside(p), w > 0.1 && x.abs() <= w && y.abs() <= w, "{p:?}");
        }
    }

    #[test]
    fn cascades_cover_what_the_camera_sees() {
        let cast = Cast {
            sun: Vec3::new(0.3, 0.4, 0.8).normal(),
            middle: Vec3::new(50.0, 0.0, 0.0),
            radius: 100.0,
            count: 4,
            side: 512,
            distance: 1000.0,
        };
        let lens = lens(Vec3::new(1e4, 3.0, 7.0));
        let cast = Cast { middle: lens.eye + cast.middle, ..cast };
        let blocks = cascades(&lens, &cast);
        for distance in [0.2, 1.0, 5.0, 20.0, 60.0, 140.0] {
            for (x, y) in [(0.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -0.5)] {
                let [a, b] = lens.tangents;
                let p = (lens.forward + lens.right * (x * a) + lens.up * (y * b)).normal() * distance;
                let block =
                    blocks.iter().find(|block| distance <= block.metric[1]).expect("a cascade reaches that far");
                let [u, v, z, _] = transform(&block.matrix, p);
                assert!(
                    u.abs() <= 1.0 && v.abs() <= 1.0 && (0.0..=1.0).contains(&z),
                    "{distance} {x} {y}: {u} {v} {z}"
                );
            }
        }
    }

    #[test]
    fn a_moving_camera_moves_shadow_maps_by_whole_texels() {
        let cast = |lens: &Lens| Cast {
            sun: Vec3::new(0.3, 0.4, 0.8).normal(),
            middle: lens.eye,
            radius: 100.0,
            count: 1,
            side: 512,
            distance: 50.0,
        };
        let at = |x: f32| {
            let lens = lens(Vec3::new(x, 0.0, 0.0));
            let block = cascades(&lens, &cast(&lens))[0];
            transform(&block.matrix, Vec3::ZERO - lens.eye)[0] * 256.0
        };
        let moved = at(0.37) - at(0.0);
        assert!((moved - moved.round()).abs() < 0.01, "{moved}");
    }

    #[test]
    fn parts_of_a_picture_meet_without_a_gap() {
        assert_eq!(pixels_of([0.0, 0.0, 0.5, 1.0], [101, 50]), Some([0, 0, 51, 50]));
        assert_eq!(pixels_of([0.5, 0.0, 1.0, 1.0], [101, 50]), Some([51, 0, 50, 50]));
        assert_eq!(pixels_of([0.5, 0.0, f32::NAN, 1.0], [101, 50]), None);
    }
}
