//! Overlays: textured triangles over everything, with textures that come as changes. The processor keeps a copy of each
//! texture, so that a lost device can be replaced.

use std::collections::BTreeMap;

use base::plain::cast_slice;
use view::{Overlay, OverlayTexture};

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::buffer::GrowingBuffer;
use crate::gpu::pipelines::SHOWN;
use crate::gpu::targets::{NO_VIEW, texture};
use crate::limits::{OVERLAY_SIDE_MAX, OVERLAY_TEXTURES_MAX, OVERLAY_VERTICES_MAX};

/// The textures of overlays on the processor.
#[derive(Default)]
pub struct OverlayImages {
    images: BTreeMap<u64, OverlayImage>,
}

struct OverlayImage {
    size: [u32; 2],
    pixels: Vec<u8>,
    /// Changes with every change.
    version: u64,
}

impl OverlayImages {
    /// Applies the changes of an overlay. A change that does not fit its texture is ignored.
    pub fn apply(&mut self, overlay: &Overlay) {
        for change in &overlay.changed {
            self.change(change);
        }
    }

    /// Drops the textures that an overlay was the last to use.
    pub fn free(&mut self, overlay: &Overlay) {
        for freed in &overlay.freed {
            self.images.remove(freed);
        }
    }

    fn change(&mut self, change: &OverlayTexture) {
        let [width, height] = change.size;
        let is_sound =
            change.pixels.len() as u64 == u64::from(width) * u64::from(height) * 4 && width > 0 && height > 0;
        if !is_sound || width > OVERLAY_SIDE_MAX || height > OVERLAY_SIDE_MAX {
            return;
        }
        let Some([x, y]) = change.corner else {
            let version = self.images.get(&change.texture).map_or(1, |image| image.version + 1);
            if self.images.len() < OVERLAY_TEXTURES_MAX || self.images.contains_key(&change.texture) {
                let image = OverlayImage { size: change.size, pixels: change.pixels.clone(), version };
                self.images.insert(change.texture, image);
            }
            return;
        };
        let Some(image) = self.images.get_mut(&change.texture) else { return };
        let fits = |at: u32, length: u32, side: u32| at.checked_add(length).is_some_and(|end| end <= side);
        if !fits(x, width, image.size[0]) || !fits(y, height, image.size[1]) {
            return;
        }
        let stride = width as usize * 4;
        for (row, pixels) in change.pixels.chunks_exact(stride).enumerate() {
            let at = ((y as usize + row) * image.size[0] as usize + x as usize) * 4;
            image.pixels[at..at + stride].copy_from_slice(pixels);
        }
        image.version += 1;
    }
}

/// Overlays on the graphics processor.
pub struct OverlayBuffers {
    /// The vertices of all meshes.
    pub vertices: GrowingBuffer,
    /// Their indices.
    pub indices: GrowingBuffer,
    /// The draws.
    pub draws: Vec<OverlayDraw>,
    textures: BTreeMap<u64, OverlayBound>,
}

struct OverlayBound {
    size: [u32; 2],
    version: u64,
    texture: wgpu::Texture,
    bindings: wgpu::BindGroup,
}

/// A mesh of an overlay.
pub struct OverlayDraw {
    /// Left, top, width, height.
    pub clip: [u32; 4],
    /// The texture.
    pub texture: u64,
    /// The first index.
    pub first_index: u32,
    /// The number of indices.
    pub index_count: u32,
    /// The vertex that index 0 means.
    pub base_vertex: i32,
}

impl OverlayBuffers {
    /// Empty buffers.
    pub fn new(device: &wgpu::Device) -> OverlayBuffers {
        OverlayBuffers {
            vertices: GrowingBuffer::new(device, "overlay", wgpu::BufferUsages::VERTEX),
            indices: GrowingBuffer::new(device, "overlay", wgpu::BufferUsages::INDEX),
            draws: Vec::new(),
            textures: BTreeMap::new(),
        }
    }

    /// The bindings of a texture.
    pub fn bindings(&self, texture: u64) -> Option<&wgpu::BindGroup> {
        self.textures.get(&texture).map(|bound| &bound.bindings)
    }

    /// Writes an overlay.
    pub fn update(&mut self, work: &OverlayWork<'_>, overlay: &Overlay, images: &OverlayImages, size: [u32; 2]) {
        self.textures.retain(|name, _| images.images.contains_key(name));
        for (name, image) in &images.images {
            self.update_texture(work, *name, image);
        }
        self.draws.clear();
        let mut vertices: Vec<u32> = Vec::new();
        let mut indices: Vec<u32> = Vec::new();
        for mesh in &overlay.meshes {
            let base = vertices.len() / VERTEX_WORDS;
            let is_sound = mesh.indices.iter().all(|index| (*index as usize) < mesh.vertices.len());
            let has_room = base + mesh.vertices.len() <= OVERLAY_VERTICES_MAX
                && indices.len() + mesh.indices.len() <= OVERLAY_VERTICES_MAX * 3;
            let Some(clip) = clip_of(mesh.clip, size) else { continue };
            if !is_sound || !has_room || mesh.indices.is_empty() {
                continue;
            }
            self.draws.push(OverlayDraw {
                clip,
                texture: mesh.texture,
                first_index: indices.len() as u32,
                index_count: mesh.indices.len() as u32 / 3 * 3,
                base_vertex: base as i32,
            });
            for vertex in &mesh.vertices {
                let [x, y] = vertex.position.map(f32::to_bits);
                let [u, v] = vertex.uv.map(f32::to_bits);
                vertices.extend([x, y, u, v, u32::from_le_bytes(vertex.colour)]);
            }
            indices.extend(&mesh.indices);
        }
        let is_written = self.vertices.write(work.device, work.queue, &vertices)
            && self.indices.write(work.device, work.queue, &indices);
        if !is_written {
            self.draws.clear();
        }
    }

    fn update_texture(&mut self, work: &OverlayWork<'_>, name: u64, image: &OverlayImage) {
        let is_current = |bound: &OverlayBound| bound.version == image.version && bound.size == image.size;
        if self.textures.get(&name).is_some_and(is_current) {
            return;
        }
        let kept = self.textures.remove(&name).filter(|bound| bound.size == image.size);
        let made = kept.unwrap_or_else(|| {
            let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
            let made = texture(work.device, "overlay", image.size, SHOWN, usage);
            let view = made.create_view(&NO_VIEW);
            let bound = [Bound::View(&view), Bound::Sampler(work.sampler)];
            let bindings = group(work.device, &work.layouts.image, &bound);
            OverlayBound { size: image.size, version: 0, texture: made, bindings }
        });
        let [width, height] = image.size;
        let rows =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: Some(height) };
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        work.queue.write_texture(made.texture.as_image_copy(), cast_slice(&image.pixels), rows, extent);
        self.textures.insert(name, OverlayBound { version: image.version, ..made });
    }
}

/// With what overlays are written.
pub struct OverlayWork<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// The sampler of images.
    pub sampler: &'a wgpu::Sampler,
}

/// The words of a vertex: position, texture coordinates, colour.
const VERTEX_WORDS: usize = 5;

fn clip_of(clip: [f32; 4], size: [u32; 2]) -> Option<[u32; 4]> {
    let whole = |value: f32, side: u32| base::number::clamp(base::number::round(value), 0.0, side as f32) as u32;
    if clip.iter().any(|value| value.is_nan()) {
        return None;
    }
    let (left, top) = (whole(clip[0], size[0]), whole(clip[1], size[1]));
    let (right, bottom) = (whole(clip[2], size[0]), whole(clip[3], size[1]));
    (right > left && bottom > top).then(|| [left, top, right - left, bottom - top])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_outside_of_its_texture_is_ignored() {
        let mut images = OverlayImages::default();
        let change = |corner, size: [u32; 2], value| OverlayTexture {
            texture: 7,
            corner,
            size,
            pixels: vec![value; (size[0] * size[1] * 4) as usize],
        };
        images.change(&change(None, [4, 4], 1));
        images.change(&change(Some([3, 3]), [2, 1], 9));
        images.change(&change(Some([u32::MAX, 0]), [2, 1], 9));
        images.change(&OverlayTexture { pixels: vec![0; 3], ..change(None, [1, 1], 0) });
        images.change(&change(Some([1, 2]), [2, 1], 5));
        let image = &images.images[&7];
        assert_eq!((image.pixels.iter().filter(|value| **value == 5).count(), image.version), (8, 2));
        assert_eq!(image.pixels[(2 * 4 + 1) * 4], 5);
        images.free(&Overlay { freed: vec![7], ..Overlay::default() });
        assert!(images.images.is_empty());
    }

    #[test]
    fn clips_stay_within_the_picture() {
        assert_eq!(clip_of([-5.0, 2.0, f32::INFINITY, 4.0], [10, 10]), Some([0, 2, 10, 2]));
        assert_eq!(clip_of([5.0, 2.0, 5.0, 4.0], [10, 10]), None);
        assert_eq!(clip_of([f32::NAN, 2.0, 5.0, 4.0], [10, 10]), None);
    }
}
