//! Texture arrays: all bitmaps of surfaces, effects and the interface, one array for each size.
//!
//! A bitmap goes to the array of the smallest side that is not smaller than its own, and is stretched to a square: texture
//! coordinates reach from 0 to 1 in any case. So any material can be drawn in any order, without binding anything.

use std::collections::BTreeMap;

use base::StringId;
use base::number::{clamp, floor, min};
use view::classes::bitmap::{AlphaKind, ColourSpace};
use view::texels::decode;

use crate::gpu::blocks::NONE;
use crate::gpu::targets::NO_VIEW;
use crate::resources::{ContentSource, Loaded, Resources, TextureResource};

/// The number of sizes.
pub const SIZES: usize = 5;
/// The side of the smallest size, in texels.
const SIDE_MIN: u32 = 128;
/// The greatest side of the levels that are loaded.
pub const SIDE_MAX: u32 = SIDE_MIN << (SIZES - 1);
/// The most bytes of all arrays.
const BYTES_MAX: u64 = 2 << 30;
/// Pictures after which an unused bitmap may be replaced.
const PICTURES_KEPT: u64 = 120;

/// The bits of a texture's code besides layer and size.
pub mod code {
    /// Mirrors along u.
    pub const MIRROR_U: u32 = 1 << 19;
    /// Mirrors along v.
    pub const MIRROR_V: u32 = 1 << 20;
    /// Continues the edge along u.
    pub const CLAMP_U: u32 = 1 << 21;
    /// Continues the edge along v.
    pub const CLAMP_V: u32 = 1 << 22;
    /// Takes the nearest texel.
    pub const NEAREST: u32 = 1 << 23;
}

/// The arrays of all sizes.
pub struct TextureArrays {
    sizes: Vec<SizeArray>,
    entries: BTreeMap<u64, TextureEntry>,
    /// Changes whenever an array is another one.
    pub generation: u64,
    picture: u64,
    checker: u32,
}

struct SizeArray {
    side: u32,
    texture: wgpu::Texture,
    taken: Vec<bool>,
}

#[derive(Clone, Copy)]
struct TextureEntry {
    code: u32,
    layers: u32,
    used: u64,
}

/// The serial of the checker pattern; no resource has it.
const CHECKER: u64 = u64::MAX;

impl TextureArrays {
    /// Arrays with nothing but the checker pattern.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> TextureArrays {
        let sizes = (0..SIZES).map(|size| SizeArray {
            side: SIDE_MIN << size,
            texture: array(device, 1, 1),
            taken: Vec::new(),
        });
        let mut arrays = TextureArrays {
            sizes: sizes.collect(),
            entries: BTreeMap::new(),
            generation: 0,
            picture: 0,
            checker: NONE,
        };
        let texel = |at: u32| {
            if (at % 128 / 16 + at / 128 / 16).is_multiple_of(2) { [230, 60, 200, 255] } else { [24, 24, 28, 255] }
        };
        let pixels: Vec<[u8; 4]> = (0..128 * 128).map(texel).collect();
        arrays.checker = arrays.place(device, queue, CHECKER, &[mip_chain(pixels, 128, true)]).unwrap_or(NONE);
        arrays
    }

    /// Call before each picture.
    pub fn begin_picture(&mut self) {
        self.picture += 1;
        if let Some(checker) = self.entries.get_mut(&CHECKER) {
            checker.used = self.picture;
        }
    }

    /// The code of a bitmap: [`NONE`] while it is loading, the checker pattern if it is broken. `frame` is the frame of a
    /// sequence.
    pub fn code(&mut self, upload: &Upload<'_>, resources: &mut Resources, bitmap: StringId, frame: f32) -> u32 {
        if bitmap.is_none() {
            return NONE;
        }
        let texture = match resources.texture(bitmap, upload.source) {
            Loaded::Ready(texture) => texture,
            Loaded::Loading => return NONE,
            Loaded::Failed => return self.checker,
        };
        let picture = self.picture;
        let found = match self.entries.get_mut(&texture.serial) {
            Some(entry) => {
                entry.used = picture;
                *entry
            }
            None => {
                let side = self.side_for(&texture);
                let Some(layers) = decoded(&texture, side) else { return self.checker };
                let code = self.place(upload.device, upload.queue, texture.serial, &layers).unwrap_or(self.checker);
                TextureEntry { code, layers: texture.layers, used: picture }
            }
        };
        let layer = if frame.is_finite() { clamp(floor(frame), 0.0, 65535.0) as u32 % found.layers.max(1) } else { 0 };
        found.code + layer
    }

    /// The views of all arrays: as sRGB, then as linear values.
    pub fn views(&self) -> Vec<wgpu::TextureView> {
        let view = |array: &SizeArray, format| {
            array.texture.create_view(&wgpu::TextureViewDescriptor {
                format: Some(format),
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..NO_VIEW
            })
        };
        let colours = self.sizes.iter().map(|array| view(array, wgpu::TextureFormat::Rgba8UnormSrgb));
        let values = self.sizes.iter().map(|array| view(array, wgpu::TextureFormat::Rgba8Unorm));
        colours.chain(values).collect()
    }

    fn side_for(&self, texture: &TextureResource) -> u32 {
        let largest = texture.levels.first().map_or(1, |level| level.width.max(level.height));
        self.sizes.iter().map(|array| array.side).find(|side| *side >= largest).unwrap_or(SIDE_MAX)
    }

    /// Puts the mip chains of layers of one side into its array. None if there is no room.
    fn place(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, serial: u64, layers: &[MipChain]) -> Option<u32> {
        let side = layers.first()?.side;
        let size = self.sizes.iter().position(|array| array.side == side)?;
        let first = self.room(device, queue, size, layers.len())?;
        for (layer, chain) in (first..).zip(layers) {
            self.sizes[size].write(queue, layer, chain);
        }
        let code = (size as u32) << 16 | first;
        self.entries.insert(serial, TextureEntry { code, layers: layers.len() as u32, used: self.picture });
        Some(code)
    }

    /// The first of so many free layers in a row, after growing the array or dropping what was not used for long.
    fn room(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, size: usize, count: usize) -> Option<u32> {
        if let Some(first) = self.sizes[size].free(count) {
            return Some(first as u32);
        }
        let bytes: u64 = self.sizes.iter().map(|array| array.bytes(array.taken.len())).sum();
        let array = &mut self.sizes[size];
        let most = device.limits().max_texture_array_layers.min(2048) as usize;
        let wanted = (array.taken.len() * 2).max(array.taken.len() + count).min(most);
        let has_room =
            wanted >= array.taken.len() + count && bytes + array.bytes(wanted - array.taken.len()) <= BYTES_MAX;
        if has_room {
            array.grow(device, queue, wanted);
            self.generation += 1;
        } else {
            self.drop_unused(size);
        }
        self.sizes[size].free(count).map(|first| first as u32)
    }

    fn drop_unused(&mut self, size: usize) {
        let (picture, sizes) = (self.picture, &mut self.sizes);
        self.entries.retain(|_, entry| {
            let is_kept = (entry.code >> 16 & 7) as usize != size || entry.used + PICTURES_KEPT >= picture;
            if !is_kept {
                let first = (entry.code & 0xffff) as usize;
                sizes[size].taken[first..first + entry.layers as usize].fill(false);
            }
            is_kept
        });
    }
}

/// With what bitmaps are loaded and written.
pub struct Upload<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// The content.
    pub source: ContentSource<'a>,
}

impl SizeArray {
    /// Takes so many free layers in a row.
    fn free(&mut self, count: usize) -> Option<usize> {
        let first = self.taken.windows(count.max(1)).position(|window| window.iter().all(|taken| !taken))?;
        self.taken[first..first + count].fill(true);
        Some(first)
    }

    fn bytes(&self, layers: usize) -> u64 {
        u64::from(self.side) * u64::from(self.side) * 4 * layers as u64 * 4 / 3
    }

    fn grow(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, layers: usize) {
        let grown = array(device, self.side, layers as u32);
        let kept = self.taken.len() as u32;
        if kept > 0 {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for mip_level in 0..grown.mip_level_count() {
                let side = self.side >> mip_level;
                let at = |texture| wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level,
                    origin: wgpu::Origin3d::ZERO,
                    aspect: wgpu::TextureAspect::All,
                };
                let extent = wgpu::Extent3d { width: side, height: side, depth_or_array_layers: kept };
                encoder.copy_texture_to_texture(at(&self.texture), at(&grown), extent);
            }
            queue.submit([encoder.finish()]);
        }
        self.texture = grown;
        self.taken.resize(layers, false);
    }

    fn write(&self, queue: &wgpu::Queue, layer: u32, chain: &MipChain) {
        for (mip_level, texels) in (0..).zip(&chain.levels) {
            let side = self.side >> mip_level;
            let target = wgpu::TexelCopyTextureInfo {
                texture: &self.texture,
                mip_level,
                origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
                aspect: wgpu::TextureAspect::All,
            };
            let rows =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(side * 4), rows_per_image: Some(side) };
            let extent = wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 };
            queue.write_texture(target, texels.as_flattened(), rows, extent);
        }
    }
}

fn array(device: &wgpu::Device, side: u32, layers: u32) -> wgpu::Texture {
    use wgpu::TextureUsages as Usage;
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("bitmaps"),
        size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: layers },
        mip_level_count: side.ilog2() + 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: Usage::TEXTURE_BINDING | Usage::COPY_DST | Usage::COPY_SRC,
        view_formats: &[wgpu::TextureFormat::Rgba8UnormSrgb],
    })
}

/// The levels of a square image, the largest first.
struct MipChain {
    side: u32,
    levels: Vec<Vec<[u8; 4]>>,
}

/// The layers of a texture at a side, each with all its levels. None if its bytes are not texels.
fn decoded(texture: &TextureResource, side: u32) -> Option<Vec<MipChain>> {
    let is_colour = texture.colour_space == ColourSpace::Srgb;
    (0..texture.layers)
        .map(|layer| {
            let source = texture.levels.iter().rev().find(|level| level.width.max(level.height) >= side);
            let source = source.or(texture.levels.first())?;
            let bytes = source.bytes.len() / texture.layers as usize;
            let texels = source.bytes.get(layer as usize * bytes..(layer as usize + 1) * bytes)?;
            let mut texels = decode(texels, source.width, source.height, texture.format)?;
            if texture.alpha == AlphaKind::Premultiplied {
                texels.iter_mut().for_each(undo_premultiplication);
            }
            Some(mip_chain(stretched(&texels, [source.width, source.height], side), side, is_colour))
        })
        .collect()
}

fn undo_premultiplication(texel: &mut [u8; 4]) {
    let [red, green, blue, alpha] = texel.map(u32::from);
    if alpha > 0 {
        let divided = [red, green, blue].map(|value| (value * 255 / alpha).min(255) as u8);
        texel[..3].copy_from_slice(&divided);
    }
}

/// An image stretched to a square, with linear interpolation.
fn stretched(texels: &[[u8; 4]], [width, height]: [u32; 2], side: u32) -> Vec<[u8; 4]> {
    if width == side && height == side {
        return texels.to_vec();
    }
    let place = |at: u32, length: u32| {
        let at = clamp((at as f32 + 0.5) * length as f32 / side as f32 - 0.5, 0.0, (length - 1) as f32);
        (at as u32, (at as u32 + 1).min(length - 1), at - floor(at))
    };
    let at = |x: u32, y: u32| texels[(y * width + x) as usize].map(f32::from);
    let mut result = Vec::with_capacity((side * side) as usize);
    for y in 0..side {
        let (top, bottom, down) = place(y, height);
        for x in 0..side {
            let (left, right, across) = place(x, width);
            let corners = [at(left, top), at(right, top), at(left, bottom), at(right, bottom)];
            result.push(std::array::from_fn(|channel| {
                let [a, b, c, d] = corners.map(|corner| corner[channel]);
                let (upper, lower) = (a + (b - a) * across, c + (d - c) * across);
                (upper + (lower - upper) * down + 0.5) as u8
            }));
        }
    }
    result
}

/// All levels below an image. Colours are averaged by their squares, which is close to averaging light.
fn mip_chain(texels: Vec<[u8; 4]>, side: u32, is_colour: bool) -> MipChain {
    let mut levels = vec![texels];
    let mut length = side;
    while length > 1 {
        let half = length / 2;
        let above = &levels[levels.len() - 1];
        let level = (0..half * half).map(|at| {
            let first = (at / half * 2 * length + at % half * 2) as usize;
            let four =
                [above[first], above[first + 1], above[first + length as usize], above[first + length as usize + 1]];
            std::array::from_fn(|channel| {
                average(four.map(|texel| u32::from(texel[channel])), is_colour && channel < 3)
            })
        });
        let level = level.collect();
        levels.push(level);
        length = half;
    }
    MipChain { side, levels }
}

fn average(four: [u32; 4], is_colour: bool) -> u8 {
    if is_colour {
        let squares: u32 = four.iter().map(|value| value * value).sum();
        min(base::number::sqrt(squares as f32 * 0.25) + 0.5, 255.0) as u8
    } else {
        ((four.iter().sum::<u32>() + 2) / 4) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_image_keeps_its_corners() {
        let texels = [[0, 0, 0, 255], [255, 0, 0, 255]];
        let square = stretched(&texels, [2, 1], 8);
        assert_eq!((square[0], square[7], square.len()), ([0, 0, 0, 255], [255, 0, 0, 255], 64));
    }

    #[test]
    fn levels_end_with_the_average() {
        let chain = mip_chain(vec![[10, 20, 30, 40]; 16], 4, false);
        assert_eq!(chain.levels.iter().map(Vec::len).collect::<Vec<_>>(), [16, 4, 1]);
        assert_eq!(chain.levels[2], [[10, 20, 30, 40]]);
        assert_eq!(average([0, 255, 0, 255], true), 180);
        assert_eq!(average([0, 255, 0, 255], false), 128);
    }
}
