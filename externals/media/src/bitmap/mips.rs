//! Mip chains: each level is the exact area average (box filter) of the level above, in linear light.
//!
//! A side of `n` texels becomes `n / 2`, rounded down, at least 1. If `n` is odd, a texel of the next level covers
//! fractions of texels, and each counts by the area that is covered; so the average of an image is the same in all
//! levels. Colours are weighted by alpha, so that the colour of transparent texels does not bleed into visible ones.
//! Normals are averaged as vectors and made unit vectors again. A mask keeps the share of its area that passes the
//! alpha test (Castaño, "Computing alpha mipmaps", 2010).

use base::number::double;

use crate::bitmap::surface::Surface;

/// How texels are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Averaging {
    /// Each channel by itself: colours without alpha, or premultiplied by it.
    Plain,
    /// Colours weighted by alpha.
    ByAlpha,
    /// Normals.
    Normals,
}

/// The alpha from which on a texel of a mask is shown.
pub const MASK_THRESHOLD: f32 = 0.5;

/// The next smaller level.
#[must_use]
pub fn half(surface: &Surface, averaging: Averaging) -> Surface {
    let width = (surface.width / 2).max(1);
    let height = (surface.height / 2).max(1);
    let columns: Vec<Cover> = (0..width).map(|x| Cover::new(x, width, surface.width)).collect();
    let mut texels = Vec::with_capacity(width as usize * height as usize);
    for y in 0..height {
        let rows = Cover::new(y, height, surface.height);
        for column in &columns {
            texels.push(average(surface, column, &rows, averaging));
        }
    }
    Surface { width, height, texels }
}

/// The texels of one axis that a texel of the next level covers, with the share of each. A side is at most halved with
/// one texel left over, so there are at most three, or four where they do not align.
struct Cover {
    first: u32,
    shares: [f32; 4],
    count: usize,
}

impl Cover {
    fn new(index: u32, count: u32, of: u32) -> Cover {
        // In units of 1/count texels, so that all bounds are whole numbers.
        let (start, end) = (u64::from(index) * u64::from(of), (u64::from(index) + 1) * u64::from(of));
        let unit = u64::from(count);
        let first = start / unit;
        let last = (end - 1) / unit;
        let mut shares = [0.0; 4];
        for texel in first..=last {
            let covered = end.min((texel + 1) * unit) - start.max(texel * unit);
            shares[(texel - first) as usize] = (covered as f64 / of as f64) as f32;
        }
        Cover { first: first as u32, shares, count: (last - first + 1) as usize }
    }
}

fn average(surface: &Surface, columns: &Cover, rows: &Cover, averaging: Averaging) -> [f32; 4] {
    let mut plain = [0.0f32; 4];
    let mut weighted = [0.0f32; 3];
    for (row, row_share) in rows.shares[..rows.count].iter().enumerate() {
        for (column, column_share) in columns.shares[..columns.count].iter().enumerate() {
            let texel = surface.texel(columns.first + column as u32, rows.first + row as u32);
            let share = row_share * column_share;
            for channel in 0..4 {
                plain[channel] += texel[channel] * share;
            }
            for channel in 0..3 {
                weighted[channel] += texel[channel] * texel[3] * share;
            }
        }
    }
    match averaging {
        Averaging::Plain => plain,
        Averaging::ByAlpha if plain[3] > 0.0 => {
            [weighted[0] / plain[3], weighted[1] / plain[3], weighted[2] / plain[3], plain[3]]
        }
        Averaging::ByAlpha => plain,
        Averaging::Normals => unit_normal(plain),
    }
}

/// The texel with its normal made a unit vector; straight up if the normals cancel out.
#[must_use]
pub fn unit_normal(texel: [f32; 4]) -> [f32; 4] {
    let [x, y, z] = [0, 1, 2].map(|channel| f64::from(texel[channel]) * 2.0 - 1.0);
    let length = double::sqrt(x * x + y * y + z * z);
    if length < 1e-6 {
        return [0.5, 0.5, 1.0, texel[3]];
    }
    let [x, y, z] = [x, y, z].map(|part| ((part / length) * 0.5 + 0.5) as f32);
    [x, y, z, texel[3]]
}

/// The share of texels that pass the alpha test.
#[must_use]
pub fn coverage(surface: &Surface, alpha_scale: f32) -> f64 {
    let passed = surface.texels.iter().filter(|texel| texel[3] * alpha_scale >= MASK_THRESHOLD).count();
    passed as f64 / surface.texels.len() as f64
}

/// Scales alpha so that the share of texels that pass the alpha test comes nearest to a wanted one.
pub fn keep_coverage(surface: &mut Surface, wanted: f64) {
    let (mut low, mut high) = (0.0f32, 16.0f32);
    let mut best = (1.0f32, distance(surface, 1.0, wanted));
    for _ in 0..12 {
        let middle = (low + high) * 0.5;
        let found = distance(surface, middle, wanted);
        if found < best.1 {
            best = (middle, found);
        }
        if coverage(surface, middle) < wanted { low = middle } else { high = middle }
    }
    for texel in &mut surface.texels {
        let scaled = texel[3] * best.0;
        texel[3] = if scaled > 1.0 { 1.0 } else { scaled };
    }
}

fn distance(surface: &Surface, alpha_scale: f32, wanted: f64) -> f64 {
    (coverage(surface, alpha_scale) - wanted).abs()
}
