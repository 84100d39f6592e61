//! The layouts of bind groups: one table of what each group holds, and how a group is made.

use wgpu::{BindGroupLayout, BindingType, BufferBindingType, SamplerBindingType, TextureFormat, TextureSampleType};
use wgpu::{StorageTextureAccess, TextureViewDimension};

/// What one binding is.
#[derive(Clone, Copy)]
enum Slot {
    Uniform,
    Read,
    Write,
    Image,
    Numbers,
    Layers,
    Cube,
    Depth,
    DepthLayers,
    Sampler,
    Comparison,
    Store8,
    Store16,
    StoreLayers16,
}

use Slot::{
    Comparison, Cube, Depth, DepthLayers, Image, Layers, Numbers, Read, Sampler, Store8, Store16, StoreLayers16,
    Uniform, Write,
};

macro_rules! layouts {
    ($($name:ident, $about:literal, $stages:ident, $slots:expr;)*) => {
        /// The layouts of all bind groups.
        pub struct BindLayouts { $(#[doc = $about] pub $name: BindGroupLayout,)* }

        impl BindLayouts {
            /// Makes all of them.
            pub fn new(device: &wgpu::Device) -> BindLayouts {
                BindLayouts { $($name: layout(device, stringify!($name), Stages::$stages, &$slots),)* }
            }
        }
    };
}

layouts! {
    view, "The view alone.", All, [Uniform];
    cascade, "The view, and the number of a cascade.", Draw, [Uniform, Uniform];
    light, "The view, and all that light needs.", All, [Uniform, Read, Read, DepthLayers, Comparison, Cube, Sampler, Read];
    scene, "What culling reads and writes.", Compute, [Read, Read, Read, Read, Read, Write, Write, Write];
    things, "What drawing triangles reads.", All, [Read, Read, Read, Read];
    textures, "The texture arrays.", All, [Sampler, Layers, Layers, Layers, Layers, Layers, Layers, Layers, Layers, Layers, Layers];
    surfaces, "Triangles, where they are seen, and their light.", Compute, [Read, Read, Read, Numbers, Depth, Store16];
    clusters, "Lamps, and the clusters they reach.", Compute, [Read, Write];
    decals, "Decals, and the depth below them.", Draw, [Read, Depth];
    effects, "Sprites, ribbons, and the depth behind them.", Draw, [Read, Read, Depth];
    occlusion, "What ambient occlusion reads and writes.", Compute, [Uniform, Depth, Store8];
    compose, "What composing reads and writes.", Compute, [Uniform, Image, Depth, Image, Cube, Sampler, Store16];
    bloom, "What a step of bloom reads and writes.", Compute, [Uniform, Image, Image, Sampler, Store16];
    tone, "What tone mapping reads and writes.", Compute, [Uniform, Image, Image, Image, Sampler, Store8];
    smaa, "What a step of smoothing reads and writes.", Compute, [Image, Image, Store8];
    lines, "Lines.", Draw, [Read];
    screen, "The size of the picture.", Draw, [Uniform];
    canvas, "Shapes of the canvas, and glyphs.", Draw, [Read, Image];
    image, "An image.", Draw, [Image, Sampler];
    sky, "What baking a sky reads and writes.", Compute, [Uniform, Cube, Sampler, StoreLayers16, Write];
}

#[derive(Clone, Copy)]
enum Stages {
    All,
    Draw,
    Compute,
}

fn layout(device: &wgpu::Device, label: &str, stages: Stages, slots: &[Slot]) -> BindGroupLayout {
    let visibility = match stages {
        Stages::All => wgpu::ShaderStages::VERTEX_FRAGMENT | wgpu::ShaderStages::COMPUTE,
        Stages::Draw => wgpu::ShaderStages::VERTEX_FRAGMENT,
        Stages::Compute => wgpu::ShaderStages::COMPUTE,
    };
    let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
        .zip(slots)
        .map(|(binding, slot)| wgpu::BindGroupLayoutEntry { binding, visibility, ty: binding_type(*slot), count: None })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn binding_type(slot: Slot) -> BindingType {
    let buffer = |ty| BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let texture =
        |sample_type, view_dimension| BindingType::Texture { sample_type, view_dimension, multisampled: false };
    let float = TextureSampleType::Float { filterable: true };
    let store = |format, view_dimension| BindingType::StorageTexture {
        access: StorageTextureAccess::WriteOnly,
        format,
        view_dimension,
    };
    match slot {
        Uniform => buffer(BufferBindingType::Uniform),
        Read => buffer(BufferBindingType::Storage { read_only: true }),
        Write => buffer(BufferBindingType::Storage { read_only: false }),
        Image => texture(float, TextureViewDimension::D2),
        Numbers => texture(TextureSampleType::Uint, TextureViewDimension::D2),
        Layers => texture(float, TextureViewDimension::D2Array),
        Cube => texture(float, TextureViewDimension::Cube),
        Depth => texture(TextureSampleType::Depth, TextureViewDimension::D2),
        DepthLayers => texture(TextureSampleType::Depth, TextureViewDimension::D2Array),
        Sampler => BindingType::Sampler(SamplerBindingType::Filtering),
        Comparison => BindingType::Sampler(SamplerBindingType::Comparison),
        Store8 => store(TextureFormat::Rgba8Unorm, TextureViewDimension::D2),
        Store16 => store(TextureFormat::Rgba16Float, TextureViewDimension::D2),
        StoreLayers16 => store(TextureFormat::Rgba16Float, TextureViewDimension::D2Array),
    }
}

/// One resource of a bind group.
pub enum Bound<'a> {
    /// A whole buffer.
    Buffer(&'a wgpu::Buffer),
    /// A texture.
    View(&'a wgpu::TextureView),
    /// A sampler.
    Sampler(&'a wgpu::Sampler),
}

/// A bind group of these resources, in the order of the layout.
pub fn group(device: &wgpu::Device, layout: &BindGroupLayout, resources: &[Bound<'_>]) -> wgpu::BindGroup {
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry {
            binding,
            resource: match resource {
                Bound::Buffer(buffer) => buffer.as_entire_binding(),
                Bound::View(view) => wgpu::BindingResource::TextureView(view),
                Bound::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
            },
        })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
