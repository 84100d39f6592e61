//! The textures of overlays.

use std::collections::BTreeMap;

use base::number::clamp;
use view::{Overlay, OverlayTexture};

use crate::limits::{OVERLAY_TEXTURES_MAX, PICTURE_SIDE_MAX};

/// The texture of an overlay.
#[derive(Debug, Default)]
pub struct OverlayPixels {
    size: [u32; 2],
    texels: Vec<[u8; 4]>,
}

/// The textures of overlays, by name.
#[derive(Debug, Default)]
pub struct OverlayTextures {
    textures: BTreeMap<u64, OverlayPixels>,
}

impl OverlayTextures {
    /// Applies the changes of an overlay. Changes that do not fit their texture are ignored.
    pub fn apply(&mut self, overlay: &Overlay) {
        for change in &overlay.changed {
            let [width, height] = change.size;
            let is_sound = width <= PICTURE_SIDE_MAX
                && height <= PICTURE_SIDE_MAX
                && change.pixels.len() == width as usize * height as usize * 4;
            if is_sound && (self.textures.len() < OVERLAY_TEXTURES_MAX || self.textures.contains_key(&change.texture)) {
                self.change(change);
            }
        }
    }

    fn change(&mut self, change: &OverlayTexture) {
        let texels = change.pixels.as_chunks::<4>().0;
        let Some([x, y]) = change.corner else {
            self.textures.insert(change.texture, OverlayPixels { size: change.size, texels: texels.to_vec() });
            return;
        };
        let Some(texture) = self.textures.get_mut(&change.texture) else { return };
        let [width, height] = change.size;
        let fits = x.checked_add(width).is_some_and(|end| end <= texture.size[0])
            && y.checked_add(height).is_some_and(|end| end <= texture.size[1]);
        if !fits || width == 0 {
            return;
        }
        for (row, texels) in texels.chunks_exact(width as usize).enumerate() {
            let start = (y as usize + row) * texture.size[0] as usize + x as usize;
            texture.texels[start..start + texels.len()].copy_from_slice(texels);
        }
    }

    /// Drops the textures that an overlay has freed.
    pub fn free(&mut self, overlay: &Overlay) {
        for texture in &overlay.freed {
            self.textures.remove(texture);
        }
    }

    /// A texture.
    pub fn get(&self, texture: u64) -> Option<&OverlayPixels> {
        self.textures.get(&texture)
    }
}

impl OverlayPixels {
    /// A texel, bilinear, from 0 to 255.
    pub fn sample(&self, [u, v]: [f32; 2]) -> [f32; 4] {
        if self.texels.is_empty() {
            return [255.0; 4];
        }
        let [width, height] = self.size;
        let place = |part: f32, side: u32| clamp(part * side as f32 - 0.5, 0.0, side as f32 - 1.0);
        let (x, y) = (place(u, width), place(v, height));
        let (left, top) = (x as u32, y as u32);
        let (part_x, part_y) = (x - left as f32, y - top as f32);
        let at = |x: u32, y: u32| self.texels[(y.min(height - 1) * width + x.min(width - 1)) as usize];
        let [a, b, c, d] = [at(left, top), at(left + 1, top), at(left, top + 1), at(left + 1, top + 1)];
        std::array::from_fn(|channel| {
            let [a, b, c, d] = [a, b, c, d].map(|texel| f32::from(texel[channel]));
            let above = a + (b - a) * part_x;
            above + (c + (d - c) * part_x - above) * part_y
        })
    }
}
