//! Texture arrays: all bitmaps of surfaces, effects and the interface, one array for each size.
//!
//! A bitmap goes to the array of the smallest side that is not smaller than its own, and is stretched to a square: texture
//! coordinates reach from 0 to 1 in any case. So any material can be drawn in any order, without binding anything.
//!
//! Where its array is full, a bitmap goes to the next smaller side, and that is reported once. Each size leaves some of the memory to
//! the smaller ones, so that there is a place to fall back to.

use std::collections::BTreeMap;

use base::StringId;
use base::number::{clamp, floor, round};
use view::classes::bitmap::BitmapFilter;

use crate::gpu::blocks::NONE;
use crate::gpu::mips::{MipChain, Stretch, decoded, mip_chain};
use crate::gpu::targets::NO_VIEW;
use crate::resources::{ContentSource, Loaded, Resources, TextureResource};

/// The number of sizes.
pub const SIZES: usize = 5;
/// The side of the smallest size, in texels.
const SIDE_MIN: u32 = 128;
/// The greatest side of the levels that are loaded.
pub const SIDE_MAX: u32 = SIDE_MIN << (SIZES - 1);
/// The most bytes of all arrays. Of its sixteen parts, each size leaves one to every smaller size.
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
    /// What is added to the mip level, in quarters, with a sign: seven bits from here on.
    pub const BIAS_SHIFT: u32 = 24;
}

/// The arrays of all sizes.
pub struct TextureArrays {
    sizes: Vec<SizeArray>,
    entries: BTreeMap<EntryKey, TextureEntry>,
    /// Changes whenever an array is another one.
    pub generation: u64,
    picture: u64,
    checker: u32,
    /// The most bytes of all arrays.
    pub bytes_max: u64,
    /// The bitmaps that were decoded so far.
    #[cfg(test)]
    pub decoded: u32,
}

/// What is wanted of a bitmap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitmapWish {
    /// The bitmap.
    pub bitmap: StringId,
    /// Which of its layers.
    pub layer: LayerWish,
    /// Whether neighbouring texels are interpolated, unless its tag says otherwise.
    pub is_smooth: bool,
}

/// Which layer of a bitmap is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerWish {
    /// A frame of a sequence, counted from 0 and again after the last one.
    Frame(f32),
    /// That of a sequence that has been played for so many seconds.
    Played(f64),
}

impl BitmapWish {
    /// The first layer, smooth.
    pub fn first(bitmap: StringId) -> BitmapWish {
        BitmapWish { bitmap, layer: LayerWish::Frame(0.0), is_smooth: true }
    }
}

/// The serial of a resource, and how it was stretched: a bitmap may be shown both ways.
type EntryKey = (u64, Stretch);

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

/// The key of the checker pattern; no resource has its serial.
const CHECKER: EntryKey = (u64::MAX, Stretch::Nearest);

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
            bytes_max: BYTES_MAX,
            #[cfg(test)]
            decoded: 0,
        };
        let texel = |at: u32| {
            if (at % 128 / 16 + at / 128 / 16).is_multiple_of(2) { [230, 60, 200, 255] } else { [24, 24, 28, 255] }
        };
        let pixels: Vec<[u8; 4]> = (0..128 * 128).map(texel).collect();
        if let Some(first) = arrays.room(device, queue, 0, 1) {
            arrays.checker = arrays.write(queue, (CHECKER, 0, first), &[mip_chain(pixels, SIDE_MIN, true)]);
        }
        arrays
    }

    /// Call before each picture.
    pub fn begin_picture(&mut self) {
        self.picture += 1;
        if let Some(checker) = self.entries.get_mut(&CHECKER) {
            checker.used = self.picture;
        }
    }

    /// The code of a bitmap: [`NONE`] while it is loading, the checker pattern if it is broken or there is no room for it.
    pub fn code(&mut self, upload: &Upload<'_>, resources: &mut Resources, wish: BitmapWish) -> u32 {
        if wish.bitmap.is_none() {
            return NONE;
        }
        let texture = match resources.texture(wish.bitmap, upload.source) {
            Loaded::Ready(texture) => texture,
            Loaded::Loading => return NONE,
            Loaded::Failed => return self.checker,
        };
        let is_smooth = wish.is_smooth && texture.filter != BitmapFilter::Point;
        let stretch = if is_smooth { Stretch::Linear } else { Stretch::Nearest };
        let key = (texture.serial, stretch);
        let picture = self.picture;
        let found = match self.entries.get_mut(&key) {
            Some(entry) => {
                entry.used = picture;
                *entry
            }
            None => match self.load(upload, &texture, key) {
                Ok(Loading { entry, smaller: None }) => entry,
                Ok(Loading { entry, smaller: Some(side) }) => {
                    resources.report(upload.source.content, wish.bitmap, || {
                        format!("the memory for bitmaps is full: it is shown with {side} × {side} texels")
                    });
                    entry
                }
                Err(why) => {
                    resources
                        .report(upload.source.content, wish.bitmap, || format!("{why}: a checker pattern is shown"));
                    return self.checker;
                }
            },
        };
        if found.layers == 0 {
            return found.code;
        }
        let layer = match wish.layer {
            LayerWish::Played(seconds) => texture.layer_at(seconds),
            LayerWish::Frame(frame) if frame.is_finite() => clamp(floor(frame), 0.0, 65535.0) as u32 % found.layers,
            LayerWish::Frame(_) => 0,
        };
        let bias = round(clamp(texture.lod_bias, -8.0, 8.0) * 4.0) as i32 as u32 & 0x7f;
        let nearest = if is_smooth { 0 } else { code::NEAREST };
        (found.code + layer) | (bias << code::BIAS_SHIFT) | nearest
    }

    /// Decodes a texture into the array of its side, or of the next smaller one that has room.
    // The error is text: it is for people, and no caller decides by it.
    fn load(&mut self, upload: &Upload<'_>, texture: &TextureResource, key: EntryKey) -> Result<Loading, &'static str> {
        let layers = texture.layers.max(1) as usize;
        let wanted = self.size_for(texture);
        // The room comes first: while there is none, each picture asks again, and decoding takes long.
        let found = (0..=wanted)
            .rev()
            .find_map(|size| self.room(upload.device, upload.queue, size, layers).map(|first| (size, first)));
        let (size, first) = found.ok_or("the memory for bitmaps is full")?;
        let side = self.sizes[size].side;
        #[cfg(test)]
        {
            self.decoded += 1;
        }
        let Some(chains) = decoded(texture, side, key.1) else {
            self.sizes[size].release(first, layers);
            // An entry without layers: it is not decoded again.
            self.entries.insert(key, TextureEntry { code: self.checker, layers: 0, used: self.picture });
            return Err("its bytes are no texels of its format");
        };
        let code = self.write(upload.queue, (key, size, first), &chains);
        let entry = TextureEntry { code, layers: layers as u32, used: self.picture };
        Ok(Loading { entry, smaller: (size < wanted).then_some(side) })
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

    /// The index of the array of the smallest side that is not smaller than a texture.
    fn size_for(&self, texture: &TextureResource) -> usize {
        let largest = texture.levels.first().map_or(1, |level| level.width.max(level.height));
        self.sizes.iter().position(|array| array.side >= largest).unwrap_or(SIZES - 1)
    }

    /// Writes the layers of a bitmap at a place, and returns its code.
    fn write(&mut self, queue: &wgpu::Queue, (key, size, first): (EntryKey, usize, u32), layers: &[MipChain]) -> u32 {
        for (layer, chain) in (first..).zip(layers) {
            self.sizes[size].write(queue, layer, chain);
        }
        let code = (size as u32) << 16 | first;
        self.entries.insert(key, TextureEntry { code, layers: layers.len() as u32, used: self.picture });
        code
    }

    /// The first of so many free layers in a row, after growing the array or dropping what was not used for long.
    fn room(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, size: usize, count: usize) -> Option<u32> {
        if let Some(first) = self.sizes[size].free(count) {
            return Some(first as u32);
        }
        let bytes: u64 = self.sizes.iter().map(|array| array.bytes(array.taken.len())).sum();
        let left_to_smaller = self.bytes_max / 16 * size as u64;
        let array = &mut self.sizes[size];
        let most = device.limits().max_texture_array_layers.min(2048) as usize;
        let spare = self.bytes_max.saturating_sub(bytes + left_to_smaller) / array.bytes(1);
        let (needed, fitting) = (array.taken.len() + count, array.taken.len() + spare as usize);
        let wanted = (array.taken.len() * 2).max(needed).min(most).min(fitting);
        if wanted >= needed {
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
                sizes[size].release(entry.code & 0xffff, entry.layers as usize);
            }
            is_kept
        });
    }
}

/// A bitmap that was just decoded.
struct Loading {
    entry: TextureEntry,
    /// The side it has got, if that is smaller than its own.
    smaller: Option<u32>,
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

    fn release(&mut self, first: u32, count: usize) {
        self.taken[first as usize..first as usize + count].fill(false);
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
