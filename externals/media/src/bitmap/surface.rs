//! Texels in linear light, and what is computed with them.

/// Texels in linear light: red, green, blue and alpha; rows from top to bottom. Those of a normal map are normals mapped
/// from −1…1 to 0…1.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its width in texels, at least 1.
    pub width: u32,
    /// Its height in texels, at least 1.
    pub height: u32,
    /// Its texels.
    pub texels: Vec<[f32; 4]>,
}

impl Surface {
    /// The texel at a column and a row.
    #[must_use]
    pub fn texel(&self, x: u32, y: u32) -> [f32; 4] {
        self.texels[y as usize * self.width as usize + x as usize]
    }

    /// A rectangle of it.
    ///
    /// # Panics
    /// If the rectangle is not within it.
    #[must_use]
    pub fn cut(&self, left: u32, top: u32, width: u32, height: u32) -> Surface {
        assert!(left + width <= self.width && top + height <= self.height, "a rectangle within the surface");
        let mut texels = Vec::with_capacity(width as usize * height as usize);
        for y in top..top + height {
            let start = y as usize * self.width as usize + left as usize;
            texels.extend_from_slice(&self.texels[start..start + width as usize]);
        }
        Surface { width, height, texels }
    }

    /// Turns it by half a turn.
    pub fn turn_half(&mut self) {
        self.texels.reverse();
    }

    /// The smallest and the largest alpha.
    #[must_use]
    pub fn alpha_range(&self) -> (f32, f32) {
        self.texels.iter().fold((1.0, 0.0), |(min, max), texel| {
            (if texel[3] < min { texel[3] } else { min }, if texel[3] > max { texel[3] } else { max })
        })
    }

    /// Whether every alpha is 0 or 1.
    #[must_use]
    pub fn is_cut_out(&self) -> bool {
        self.texels.iter().all(|texel| texel[3] <= 0.0 || texel[3] >= 1.0)
    }

    /// Multiplies the colours by alpha.
    pub fn premultiply(&mut self) {
        for texel in &mut self.texels {
            for channel in 0..3 {
                texel[channel] *= texel[3];
            }
        }
    }

    /// Sets every alpha to 1.
    pub fn make_opaque(&mut self) {
        for texel in &mut self.texels {
            texel[3] = 1.0;
        }
    }

    /// The sum of its colours, weighted by alpha unless they are premultiplied already, and of its alpha.
    #[must_use]
    pub fn sum(&self, is_premultiplied: bool) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for texel in &self.texels {
            let weight = if is_premultiplied { 1.0 } else { f64::from(texel[3]) };
            for channel in 0..3 {
                sum[channel] += f64::from(texel[channel]) * weight;
            }
            sum[3] += f64::from(texel[3]);
        }
        sum
    }
}
