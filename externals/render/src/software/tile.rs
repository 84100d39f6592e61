//! A tile: which triangle is nearest at each sample.
//!
//! A pixel has four samples on a rotated grid. Edge functions are integers with the top-left rule, so neighbouring triangles
//! neither leave gaps nor overlap; of equal depths, the first in order wins.

use crate::software::bins::TILE;
use crate::software::geometry::{STEPS, Triangle};

/// The samples of a pixel, in sixteenths of a pixel from its top left corner.
pub const SAMPLES: [[i32; 2]; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];
/// The number of no triangle.
pub const NOTHING: u32 = u32::MAX;
/// The pixels of a tile.
pub const TILE_PIXELS: usize = (TILE * TILE) as usize;

/// The samples of a tile.
pub struct TileSamples {
    /// One over the depth of the nearest triangle; 0 where there is none.
    pub inverse: Vec<[f32; 4]>,
    /// The number of the nearest triangle.
    pub nearest: Vec<[u32; 4]>,
}

/// A triangle with its planes, within a tile.
pub struct TileTriangle {
    /// The pixels it may cover, relative to the tile: left, top, right, bottom, the last ones included.
    pub area: [i32; 4],
    /// The edge functions at the samples of the first pixel.
    edges: [[i32; 4]; 3],
    /// Their steps to the next pixel and row.
    steps: [[i32; 2]; 3],
    inverse: [f32; 4],
    inverse_step: [f32; 2],
    inverse_limits: [f32; 2],
}

impl TileSamples {
    /// Without triangles.
    pub fn new() -> TileSamples {
        TileSamples { inverse: vec![[0.0; 4]; TILE_PIXELS], nearest: vec![[NOTHING; 4]; TILE_PIXELS] }
    }

    /// Removes all triangles.
    pub fn clear(&mut self) {
        self.inverse.fill([0.0; 4]);
        self.nearest.fill([NOTHING; 4]);
    }

    /// Draws a triangle; `keeps` says whether a pixel of it, relative to the tile, is not cut out.
    #[inline]
    pub fn draw(&mut self, triangle: &TileTriangle, number: u32, mut keeps: impl FnMut(i32, i32) -> bool) {
        triangle.for_each_pixel(|x, y, covered, inverse| {
            let at = (y * TILE + x) as usize;
            let (depths, nearest) = (&mut self.inverse[at], &mut self.nearest[at]);
            let is_nearer: [bool; 4] =
                std::array::from_fn(|sample| covered[sample] & (inverse[sample] > depths[sample]));
            if (is_nearer[0] | is_nearer[1] | is_nearer[2] | is_nearer[3]) && keeps(x, y) {
                for sample in 0..4 {
                    depths[sample] = if is_nearer[sample] { inverse[sample] } else { depths[sample] };
                    nearest[sample] = if is_nearer[sample] { number } else { nearest[sample] };
                }
            }
        });
    }
}

impl TileTriangle {
    /// Sets up a triangle for a tile whose first pixel is `origin`. None if it covers nothing there.
    #[inline]
    pub fn of(triangle: &Triangle, origin: [i32; 2], area: [u32; 4]) -> Option<TileTriangle> {
        let [a, b, c] = triangle.corners;
        let bounds = |axis: usize| {
            let (low, high) = (area[axis] as i32, area[axis + 2] as i32 - 1);
            let min = a[axis].min(b[axis]).min(c[axis]) >> 4;
            let max = a[axis].max(b[axis]).max(c[axis]) >> 4;
            let first = origin[axis];
            (min.max(low).max(first) - first, max.min(high).min(first + TILE - 1) - first)
        };
        let ((x0, x1), (y0, y1)) = (bounds(0), bounds(1));
        if x0 > x1 || y0 > y1 {
            return None;
        }
        let start = [(origin[0] + x0) * STEPS, (origin[1] + y0) * STEPS];
        let mut edges = [[0; 4]; 3];
        let mut steps = [[0; 2]; 3];
        for (index, [from, to]) in [[b, c], [c, a], [a, b]].into_iter().enumerate() {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let is_top_left = dy < 0 || dy == 0 && dx > 0;
            let bias = i64::from(!is_top_left);
            let value =
                i64::from(dx) * i64::from(start[1] - from[1]) - i64::from(dy) * i64::from(start[0] - from[0]) - bias;
            // Within a tile an edge function changes by less than this, so its sign stays exact.
            let value = value.clamp(-(1 << 30), 1 << 30) as i32;
            edges[index] = SAMPLES.map(|[x, y]| value + dx * y - dy * x);
            if edges[index].iter().all(|value| *value < 0) && is_all_outside(edges[index], dx, dy, [x1 - x0, y1 - y0]) {
                return None;
            }
            steps[index] = [-dy * STEPS, dx * STEPS];
        }
        let [za, zb, zc] = triangle.inverse;
        let (ux, uy) = ((b[0] - a[0]) as f32, (b[1] - a[1]) as f32);
        let (vx, vy) = ((c[0] - a[0]) as f32, (c[1] - a[1]) as f32);
        let area = ux * vy - uy * vx;
        let along_x = ((zb - za) * vy - (zc - za) * uy) / area;
        let along_y = ((zc - za) * ux - (zb - za) * vx) / area;
        let inverse =
            SAMPLES.map(|[x, y]| za + (start[0] - a[0] + x) as f32 * along_x + (start[1] - a[1] + y) as f32 * along_y);
        let low = base::number::min(za, base::number::min(zb, zc));
        let high = base::number::max(za, base::number::max(zb, zc));
        Some(TileTriangle {
            area: [x0, y0, x1, y1],
            edges,
            steps,
            inverse,
            inverse_step: [along_x * STEPS as f32, along_y * STEPS as f32],
            inverse_limits: [low, high],
        })
    }

    /// Calls `pixel` with each pixel of which it covers samples: which ones, and one over their depths.
    #[inline]
    pub fn for_each_pixel(&self, mut pixel: impl FnMut(i32, i32, [bool; 4], [f32; 4])) {
        let [x0, y0, x1, y1] = self.area;
        let [low, high] = self.inverse_limits;
        let mut rows = self.edges;
        let mut row_inverse = self.inverse;
        for y in y0..=y1 {
            let [mut first, mut second, mut third] = rows;
            let mut inverse = row_inverse;
            for x in x0..=x1 {
                let covered: [bool; 4] =
                    std::array::from_fn(|sample| (first[sample] | second[sample] | third[sample]) >= 0);
                if covered[0] | covered[1] | covered[2] | covered[3] {
                    let clamped = inverse.map(|value| {
                        if value < low {
                            low
                        } else if value > high {
                            high
                        } else {
                            value
                        }
                    });
                    pixel(x, y, covered, clamped);
                }
                // Wrapping: beyond the last pixel of a row the values are not used.
                for sample in 0..4 {
                    first[sample] = first[sample].wrapping_add(self.steps[0][0]);
                    second[sample] = second[sample].wrapping_add(self.steps[1][0]);
                    third[sample] = third[sample].wrapping_add(self.steps[2][0]);
                    inverse[sample] += self.inverse_step[0];
                }
            }
            for sample in 0..4 {
                for (edge, step) in rows.iter_mut().zip(&self.steps) {
                    edge[sample] = edge[sample].wrapping_add(step[1]);
                }
                row_inverse[sample] += self.inverse_step[1];
            }
        }
    }
}

/// Whether an edge function that is negative at the first pixel stays so over the area.
fn is_all_outside(first: [i32; 4], dx: i32, dy: i32, [wide, high]: [i32; 2]) -> bool {
    let most = i64::from(first.into_iter().max().unwrap_or(0));
    let right = i64::from(-dy) * i64::from(wide * STEPS);
    let down = i64::from(dx) * i64::from(high * STEPS);
    most + right.max(0) + down.max(0) < 0
}
