//! The textures that the passes of one view draw into.

use wgpu::{TextureFormat, TextureUsages, TextureView};

use crate::gpu::pipelines::{DEPTH, IDS, LIGHT, SHOWN};

/// The most levels of bloom.
pub const BLOOM_LEVELS_MAX: u32 = 6;

/// The textures of one view. They are made again when its size changes, after the old ones were dropped.
pub struct Targets {
    /// Width and height.
    pub size: [u32; 2],
    /// Distance, reversed.
    pub depth: TextureView,
    /// The item, level and triangle that is seen.
    pub ids: TextureView,
    /// Light of surfaces, before occlusion and fog.
    pub lit: TextureView,
    /// Light of everything.
    pub light: TextureView,
    /// Ambient occlusion, at half the size.
    pub occlusion: TextureView,
    /// The size of that.
    pub occlusion_size: [u32; 2],
    /// The levels of bloom on the way down, each half the size of the one before.
    pub bloom: Vec<TextureView>,
    /// The same on the way up.
    pub bloom_up: Vec<TextureView>,
    /// The sizes of the levels.
    pub bloom_sizes: Vec<[u32; 2]>,
    /// The mask of outlines.
    pub outline: TextureView,
    /// Displayed colours: what tone mapping gives, then edges, weights, and the result of smoothing.
    pub shown: [TextureView; 4],
    /// The texture of the last.
    pub result: wgpu::Texture,
}

impl Targets {
    /// Textures for a view of this size.
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Targets {
        let drawn = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
        let stored = TextureUsages::STORAGE_BINDING | TextureUsages::TEXTURE_BINDING;
        let view = |label, size, format, usage| texture(device, label, size, format, usage).create_view(&NO_VIEW);
        let half = size.map(|side| side.div_ceil(2));
        let mut bloom_sizes = vec![half];
        while bloom_sizes.len() < BLOOM_LEVELS_MAX as usize {
            let next = bloom_sizes[bloom_sizes.len() - 1].map(|side| side.div_ceil(2));
            if next[0].min(next[1]) < 4 {
                break;
            }
            bloom_sizes.push(next);
        }
        let levels = |label| bloom_sizes.iter().map(|size| view(label, *size, LIGHT, stored)).collect();
        let result = texture(device, "result", size, SHOWN, stored | drawn | TextureUsages::COPY_SRC);
        Targets {
            size,
            depth: view("depth", size, DEPTH, drawn),
            ids: view("ids", size, IDS, drawn),
            lit: view("lit", size, LIGHT, drawn | stored),
            light: view("light", size, LIGHT, drawn | stored),
            occlusion: view("occlusion", half, SHOWN, stored),
            occlusion_size: half,
            bloom: levels("bloom"),
            bloom_up: levels("bloom up"),
            outline: view("outline", size, SHOWN, drawn),
            shown: [
                view("shown", size, SHOWN, stored),
                view("edges", size, SHOWN, stored),
                view("weights", size, SHOWN, stored),
                result.create_view(&NO_VIEW),
            ],
            result,
            bloom_sizes,
        }
    }
}

/// A colour attachment.
pub fn colour(view: &TextureView, load: wgpu::LoadOp<wgpu::Color>) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    Some(wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
    })
}

/// A view of a whole texture.
pub const NO_VIEW: wgpu::TextureViewDescriptor<'static> = wgpu::TextureViewDescriptor {
    label: None,
    format: None,
    dimension: None,
    usage: None,
    aspect: wgpu::TextureAspect::All,
    base_mip_level: 0,
    mip_level_count: None,
    base_array_layer: 0,
    array_layer_count: None,
};

/// A flat texture without mip levels.
pub fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    format: TextureFormat,
    usage: TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
