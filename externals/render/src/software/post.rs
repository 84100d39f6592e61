//! After the light: glow, the tone curve, outlines, post effects and dither.

use base::number::max;
use view::PostValues;

use crate::colour::{LUMINANCE, tone_map_lanes};
use crate::software::threads::for_each;

/// The pixels in each direction that make one of the glow.
const REDUCTION: usize = 4;
/// The pixels that go through the tone curve together.
const LANES: usize = 8;
/// The light above which things glow.
const THRESHOLD: f32 = 1.0;
/// The colours of outlines in the encoding of the screen: of selected things and of those under the pointer, with opacity.
const OUTLINES: [([f32; 3], f32); 2] = [([1.0, 0.86, 0.35], 1.0), ([0.75, 0.85, 1.0], 0.65)];

/// The ordered dither of Bayer (1973).
const DITHER: [u8; 64] = [
    0, 32, 8, 40, 2, 34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26, 12, 44, 4, 36, 14, 46, 6, 38, 60, 28, 52, 20, 62, 30,
    54, 22, 3, 35, 11, 43, 1, 33, 9, 41, 51, 19, 59, 27, 49, 17, 57, 25, 15, 47, 7, 39, 13, 45, 5, 37, 63, 31, 55, 23,
    61, 29, 53, 21,
];

/// The light that glows around bright things, at a quarter and at a sixteenth of the size.
#[derive(Default)]
pub struct Glow {
    layers: [GlowLayer; 2],
    strength: f32,
}

#[derive(Default)]
struct GlowLayer {
    width: usize,
    height: usize,
    light: Vec<[f32; 3]>,
}

impl Glow {
    /// Gathers the glow of a picture.
    pub fn gather(&mut self, light: &[[f32; 3]], width: usize, exposure: f32, strength: f32, threads: usize) {
        self.strength = strength;
        if strength <= 0.0 {
            return;
        }
        let bright = |pixel: [f32; 3]| {
            let pixel = pixel.map(|value| value * exposure);
            let luminance = pixel[0] * LUMINANCE[0] + pixel[1] * LUMINANCE[1] + pixel[2] * LUMINANCE[2];
            // A limit keeps single pixels of great light from flooding the picture.
            let part = if luminance > THRESHOLD { (luminance - THRESHOLD) / luminance } else { 0.0 };
            let limit = if luminance > 12.0 { 12.0 / luminance } else { 1.0 };
            pixel.map(|value| value * (part * limit))
        };
        let [near, far] = &mut self.layers;
        near.reduce(light, width, bright, threads);
        near.blur(threads);
        far.reduce(&near.light, near.width, |pixel| pixel, threads);
        far.blur(threads);
        far.blur(threads);
    }

    /// The glow of a row of pixels, three numbers for each.
    pub fn row(&self, y: usize, out: &mut [[f32; 3]]) {
        out.fill([0.0; 3]);
        if self.strength > 0.0 {
            self.layers[0].add_row(y, REDUCTION, 0.35 * self.strength, out);
            self.layers[1].add_row(y, REDUCTION * REDUCTION, 0.65 * self.strength, out);
        }
    }
}

impl GlowLayer {
    /// Averages squares of pixels.
    fn reduce(&mut self, light: &[[f32; 3]], width: usize, take: impl Fn([f32; 3]) -> [f32; 3] + Sync, threads: usize) {
        let height = light.len() / width;
        (self.width, self.height) = (width.div_ceil(REDUCTION), height.div_ceil(REDUCTION));
        self.light.clear();
        self.light.resize(self.width * self.height, [0.0; 3]);
        let mut rows: Vec<&mut [[f32; 3]]> = self.light.chunks_mut(self.width).collect();
        for_each(threads, &mut rows, |row, out| {
            for (column, out) in out.iter_mut().enumerate() {
                let mut sum = [0.0; 3];
                for y in row * REDUCTION..height.min((row + 1) * REDUCTION) {
                    let from = y * width + column * REDUCTION;
                    for pixel in &light[from..from + REDUCTION.min(width - column * REDUCTION)] {
                        let taken = take(*pixel);
                        (0..3).for_each(|channel| sum[channel] += taken[channel]);
                    }
                }
                *out = sum.map(|value| value * (1.0 / (REDUCTION * REDUCTION) as f32));
            }
        });
    }

    /// Blurs across and down, with the binomial weights of seven.
    fn blur(&mut self, threads: usize) {
        const WEIGHTS: [f32; 7] =
            [1.0 / 64.0, 6.0 / 64.0, 15.0 / 64.0, 20.0 / 64.0, 15.0 / 64.0, 6.0 / 64.0, 1.0 / 64.0];
        let (width, height) = (self.width, self.height);
        for is_across in [true, false] {
            let from = self.light.clone();
            let mut rows: Vec<&mut [[f32; 3]]> = self.light.chunks_mut(width).collect();
            for_each(threads, &mut rows, |y, out| {
                for (x, out) in out.iter_mut().enumerate() {
                    let mut sum = [0.0; 3];
                    for (tap, weight) in WEIGHTS.into_iter().enumerate() {
                        let shifted = |at: usize, side: usize| (at + tap).saturating_sub(3).min(side - 1);
                        let (x, y) = if is_across { (shifted(x, width), y) } else { (x, shifted(y, height)) };
                        let pixel = from[y * width + x];
                        (0..3).for_each(|channel| sum[channel] += pixel[channel] * weight);
                    }
                    *out = sum;
                }
            });
        }
    }

    /// Adds a row of it, enlarged and interpolated, to the pixels.
    fn add_row(&self, y: usize, reduction: usize, strength: f32, out: &mut [[f32; 3]]) {
        let (top, part) = place(y, reduction);
        let rows = [top, top + 1].map(|row| &self.light[row.min(self.height - 1) * self.width..][..self.width]);
        let at = |column: usize| -> [f32; 3] {
            let column = column.min(self.width - 1);
            std::array::from_fn(|channel| {
                let above = rows[0][column][channel];
                (above + (rows[1][column][channel] - above) * part) * strength
            })
        };
        let (mut left, mut pair) = (usize::MAX, [[0.0; 3]; 2]);
        for (x, pixel) in out.iter_mut().enumerate() {
            let (column, part) = place(x, reduction);
            if column != left {
                (left, pair) = (column, [at(column), at(column + 1)]);
            }
            for channel in 0..3 {
                pixel[channel] += pair[0][channel] + (pair[1][channel] - pair[0][channel]) * part;
            }
        }
    }
}

/// The column before a pixel in a layer, and how far the pixel lies beyond its middle.
#[inline]
fn place(pixel: usize, reduction: usize) -> (usize, f32) {
    // In halves of a pixel: the middle of a column lies `reduction` of them behind its edge.
    let halves = (2 * pixel + 1).saturating_sub(reduction);
    (halves / (2 * reduction), (halves % (2 * reduction)) as f32 / (2 * reduction) as f32)
}

/// The post effect of a column of pixels.
#[inline]
fn post_at<'a>(posts: &[&'a ([u32; 4], PostValues)], x: usize) -> Option<&'a ([u32; 4], PostValues)> {
    posts.iter().find(|([left, _, right, _], _)| (*left as usize..*right as usize).contains(&x)).copied()
}

/// What becomes of light on the way to the screen.
pub struct Develop<'a> {
    /// The light of all pixels.
    pub light: &'a [[f32; 3]],
    /// The samples of pixels that are selected and under the pointer; empty if nothing is.
    pub marks: &'a [[u8; 2]],
    /// The width of the picture.
    pub width: usize,
    /// The glow.
    pub glow: &'a Glow,
    /// The factor of all light.
    pub exposure: f32,
    /// The post effects of views: the first and the last column and row that are theirs, and their numbers.
    pub posts: &'a [([u32; 4], PostValues)],
}

impl Develop<'_> {
    /// The pixels of a row, as four bytes each.
    pub fn row(&self, y: usize, glow: &mut Vec<[f32; 3]>, out: &mut [u8]) {
        glow.resize(self.width, [0.0; 3]);
        self.glow.row(y, glow);
        let light = &self.light[y * self.width..][..self.width];
        let pixels = out.as_chunks_mut::<4>().0;
        let posts: Vec<&([u32; 4], PostValues)> =
            self.posts.iter().filter(|([_, top, _, bottom], _)| (*top..*bottom).contains(&(y as u32))).collect();
        let groups = light.chunks(LANES).zip(glow.chunks(LANES)).zip(pixels.chunks_mut(LANES));
        for (group, ((light, glow), pixels)) in groups.enumerate() {
            let mut lanes = [[0.0; LANES]; 3];
            for (lane, (light, glow)) in light.iter().zip(glow).enumerate() {
                for channel in 0..3 {
                    lanes[channel][lane] = light[channel] * self.exposure + glow[channel];
                }
                if let Some((_, post)) = post_at(&posts, group * LANES + lane) {
                    lanes.iter_mut().for_each(|channel| channel[lane] *= post.light);
                }
            }
            let shown = tone_map_lanes(lanes);
            for (lane, pixel) in pixels.iter_mut().enumerate() {
                let x = group * LANES + lane;
                let mut colour = shown.map(|channel| channel[lane]);
                if !self.marks.is_empty() {
                    self.outline(x, y, &mut colour);
                }
                if let Some(([left, top, right, bottom], post)) = post_at(&posts, x) {
                    let part =
                        |at: usize, first: u32, end: u32| (at as f32 + 0.5 - first as f32) / (end - first) as f32;
                    colour = post.apply(colour, [part(x, *left, *right), part(y, *top, *bottom)]);
                }
                let threshold = (f32::from(DITHER[y % 8 * 8 + x % 8]) + 0.5) * (1.0 / 64.0);
                let [red, green, blue] = colour.map(|value| (value * 255.0 + threshold) as u8);
                *pixel = [red, green, blue, 255];
            }
        }
    }

    /// Draws the outline of selected things around them.
    fn outline(&self, x: usize, y: usize, shown: &mut [f32; 3]) {
        let height = self.marks.len() / self.width;
        let (rows, columns) = (y.saturating_sub(2)..(y + 3).min(height), x.saturating_sub(2)..(x + 3).min(self.width));
        let is_near = rows
            .clone()
            .any(|row| self.marks[row * self.width..][columns.clone()].iter().any(|marks| *marks != [0; 2]));
        if !is_near {
            return;
        }
        for (kind, (colour, opacity)) in OUTLINES.into_iter().enumerate() {
            let own = f32::from(self.marks[y * self.width + x][kind]) / 4.0;
            let mut most = 0.0_f32;
            for row in rows.clone() {
                for column in columns.clone() {
                    let (dx, dy) = (column.abs_diff(x), row.abs_diff(y));
                    let near = [[1.0, 1.0, 0.85], [1.0, 0.9, 0.3], [0.85, 0.3, 0.0]][dy][dx];
                    most = max(most, f32::from(self.marks[row * self.width + column][kind]) / 4.0 * near);
                }
            }
            let cover = (most - own) * opacity;
            if cover > 0.0 {
                (0..3).for_each(|channel| shown[channel] += (colour[channel] - shown[channel]) * cover);
            }
        }
    }
}
