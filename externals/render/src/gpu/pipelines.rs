//! All pipelines, made at the start and in parallel, so that no picture waits for a compiler.

use std::collections::BTreeMap;
use std::path::Path;

use wgpu::{BindGroupLayout, BlendState, ComputePipeline, Face, RenderPipeline, TextureFormat, VertexFormat};

use crate::gpu::bindings::BindLayouts;
use crate::gpu::blocks::VertexBlock;
use crate::gpu::shaders::{MODULES, module_text};

/// The format of light.
pub const LIGHT: TextureFormat = TextureFormat::Rgba16Float;
/// The format of items and triangles.
pub const IDS: TextureFormat = TextureFormat::Rg32Uint;
/// The format of displayed colours: values in sRGB, blended as they are.
pub const SHOWN: TextureFormat = TextureFormat::Rgba8Unorm;
/// The format of depth.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;

macro_rules! pipelines {
    ($($name:ident: $kind:ident,)*) => {
        /// All pipelines.
        pub struct Pipelines { $(pub $name: $kind,)* }

        impl Pipelines {
            /// Makes all of them.
            // The error is text: what the compiler of a shader says, for people who write it.
            pub fn new(factory: &Factory<'_>) -> Result<Pipelines, String> {
                let scope = factory.device.push_error_scope(wgpu::ErrorFilter::Validation);
                let modules = Modules::new(factory);
                let made: Result<_, String> = std::thread::scope(|threads| {
                    $(let $name = threads.spawn(|| {
                        let own = factory.device.push_error_scope(wgpu::ErrorFilter::Validation);
                        let pipeline = recipe::$name(factory, &modules);
                        (pipeline, pollster::block_on(own.pop()))
                    });)*
                    let mut error: Option<String> = None;
                    $(let $name = $name.join().map_err(|_| format!("{}: the compiler failed", stringify!($name)))?;
                      error = error.or($name.1.map(|error| error.to_string()));)*
                    Ok((Pipelines { $($name: $name.0,)* }, error))
                });
                let outer = pollster::block_on(scope.pop()).map(|error| error.to_string());
                let (pipelines, error) = made?;
                outer.or(error).map_or(Ok(pipelines), Err)
            }
        }
    };
}

pipelines! {
    cull: ComputePipeline,
    clusters: ComputePipeline,
    shadow: RenderPipeline,
    shadow_double: RenderPipeline,
    shadow_masked: RenderPipeline,
    ids: RenderPipeline,
    ids_double: RenderPipeline,
    ids_masked: RenderPipeline,
    surfaces: ComputePipeline,
    blended: RenderPipeline,
    outline: RenderPipeline,
    decal: RenderPipeline,
    sprite: RenderPipeline,
    ribbon: RenderPipeline,
    occlusion: ComputePipeline,
    compose: ComputePipeline,
    bloom_down: ComputePipeline,
    bloom_up: ComputePipeline,
    tone: ComputePipeline,
    smaa_edges: ComputePipeline,
    smaa_weights: ComputePipeline,
    smaa_blend: ComputePipeline,
    line: RenderPipeline,
    shape: RenderPipeline,
    overlay: RenderPipeline,
    scale: RenderPipeline,
    vision: RenderPipeline,
    sky_bake: ComputePipeline,
    sky_blur: ComputePipeline,
    sky_project: ComputePipeline,
}

/// What pipelines are made with.
pub struct Factory<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// What the driver compiled before.
    pub cache: Option<&'a wgpu::PipelineCache>,
    /// Shaders that replace those built in.
    pub folder: Option<&'a Path>,
}

/// The modules of all shaders.
pub struct Modules(BTreeMap<&'static str, wgpu::ShaderModule>);

impl Modules {
    fn new(factory: &Factory<'_>) -> Modules {
        let create = |text: String, name| {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            factory.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source })
        };
        Modules(MODULES.iter().map(|row| (row.name, create(module_text(row, factory.folder), row.name))).collect())
    }

    fn get(&self, name: &str) -> &wgpu::ShaderModule {
        self.0.get(name).expect("the recipes name modules of the table, as every start of a renderer shows")
    }
}

/// What differs between render pipelines.
struct Drawn<'a> {
    module: &'a str,
    vertex: &'a str,
    fragment: Option<&'a str>,
    groups: &'a [&'a BindGroupLayout],
    buffer: Buffers,
    topology: wgpu::PrimitiveTopology,
    cull: Option<Face>,
    depth: Option<(bool, wgpu::CompareFunction)>,
    target: Option<(TextureFormat, Option<BlendState>)>,
    bias: i32,
}

#[derive(Clone, Copy)]
enum Buffers {
    None,
    Mesh,
    Overlay,
}

const MESH_ATTRIBUTES: [wgpu::VertexAttribute; 8] = [
    attribute(0, VertexFormat::Float32x3, 0),
    attribute(1, VertexFormat::Snorm16x2, 12),
    attribute(2, VertexFormat::Snorm16x2, 16),
    attribute(3, VertexFormat::Float32x2, 20),
    attribute(4, VertexFormat::Float16x2, 28),
    attribute(5, VertexFormat::Unorm8x4, 32),
    attribute(6, VertexFormat::Uint16x4, 36),
    attribute(7, VertexFormat::Unorm8x4, 44),
];
const OVERLAY_ATTRIBUTES: [wgpu::VertexAttribute; 3] = [
    attribute(0, VertexFormat::Float32x2, 0),
    attribute(1, VertexFormat::Float32x2, 8),
    attribute(2, VertexFormat::Unorm8x4, 16),
];
/// The bytes of a vertex of an overlay.
pub const OVERLAY_STRIDE: u64 = 20;

const fn attribute(shader_location: u32, format: VertexFormat, offset: u64) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute { format, offset, shader_location }
}

impl Factory<'_> {
    fn compute(&self, modules: &Modules, module: &str, entry: &str, groups: &[&BindGroupLayout]) -> ComputePipeline {
        let layout = self.pipeline_layout(groups);
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&layout),
            module: modules.get(module),
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: self.cache,
        })
    }

    fn render(&self, modules: &Modules, drawn: &Drawn<'_>) -> RenderPipeline {
        let layout = self.pipeline_layout(drawn.groups);
        let module = modules.get(drawn.module);
        let buffers = match drawn.buffer {
            Buffers::None => None,
            Buffers::Mesh => Some((size_of::<VertexBlock>() as u64, &MESH_ATTRIBUTES[..])),
            Buffers::Overlay => Some((OVERLAY_STRIDE, &OVERLAY_ATTRIBUTES[..])),
        }
        .map(|(array_stride, attributes)| wgpu::VertexBufferLayout {
            array_stride,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes,
        });
        let buffers = [buffers];
        let targets = [drawn.target.map(|(format, blend)| wgpu::ColorTargetState {
            format,
            blend,
            write_mask: wgpu::ColorWrites::ALL,
        })];
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(drawn.vertex),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(drawn.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: if buffers[0].is_some() { &buffers } else { &[] },
            },
            primitive: wgpu::PrimitiveState {
                topology: drawn.topology,
                cull_mode: drawn.cull,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: drawn.depth.map(|(writes, compare)| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(writes),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState { constant: drawn.bias, slope_scale: drawn.bias as f32, clamp: 0.0 },
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: drawn.fragment.map(|entry| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: if drawn.target.is_some() { &targets } else { &[] },
            }),
            multiview_mask: None,
            cache: self.cache,
        })
    }

    fn pipeline_layout(&self, groups: &[&BindGroupLayout]) -> wgpu::PipelineLayout {
        let groups: Vec<Option<&BindGroupLayout>> = groups.iter().map(|group| Some(*group)).collect();
        self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: 0,
        })
    }

    /// The pipeline that copies pictures to windows of a format.
    pub fn copy(&self, format: TextureFormat) -> RenderPipeline {
        let modules = Modules::new(self);
        let fragment = if format.is_srgb() { "fragment_copy_linear" } else { "fragment_copy" };
        let layouts = self.layouts;
        self.render(
            &modules,
            &Drawn {
                module: "overlay",
                vertex: "vertex_copy",
                fragment: Some(fragment),
                groups: &[&layouts.screen, &layouts.image],
                target: Some((format, None)),
                ..DRAWN
            },
        )
    }
}

const DRAWN: Drawn<'static> = Drawn {
    module: "",
    vertex: "",
    fragment: None,
    groups: &[],
    buffer: Buffers::None,
    topology: wgpu::PrimitiveTopology::TriangleList,
    cull: None,
    depth: None,
    target: None,
    bias: 0,
};

const OVER: BlendState = BlendState::PREMULTIPLIED_ALPHA_BLENDING;

/// One recipe for each pipeline.
mod recipe {
    use wgpu::CompareFunction::{Greater, GreaterEqual, Less};

    use super::{
        BindGroupLayout, BlendState, Buffers, ComputePipeline, DRAWN, Drawn, Face, Factory, IDS, LIGHT, Modules, OVER,
        RenderPipeline, SHOWN,
    };

    type F<'a> = Factory<'a>;

    pub fn cull(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "cull", "cull", &[&f.layouts.view, &f.layouts.scene])
    }

    pub fn clusters(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "clusters", "assign", &[&f.layouts.view, &f.layouts.clusters])
    }

    fn shadow_with(f: &F<'_>, m: &Modules, cull: Option<Face>, is_masked: bool) -> RenderPipeline {
        let groups: [&BindGroupLayout; 3] = [&f.layouts.cascade, &f.layouts.things, &f.layouts.textures];
        f.render(
            m,
            &Drawn {
                module: "ids",
                vertex: if is_masked { "vertex_masked_shadow" } else { "vertex_shadow" },
                fragment: is_masked.then_some("fragment_masked_shadow"),
                groups: if is_masked { &groups } else { &groups[..2] },
                buffer: Buffers::Mesh,
                cull,
                depth: Some((true, Less)),
                bias: 2,
                ..DRAWN
            },
        )
    }

    pub fn shadow(f: &F<'_>, m: &Modules) -> RenderPipeline {
        shadow_with(f, m, Some(Face::Back), false)
    }

    pub fn shadow_double(f: &F<'_>, m: &Modules) -> RenderPipeline {
        shadow_with(f, m, None, false)
    }

    pub fn shadow_masked(f: &F<'_>, m: &Modules) -> RenderPipeline {
        shadow_with(f, m, None, true)
    }

    fn ids_with(f: &F<'_>, m: &Modules, cull: Option<Face>, is_masked: bool) -> RenderPipeline {
        let groups: [&BindGroupLayout; 3] = [&f.layouts.view, &f.layouts.things, &f.layouts.textures];
        f.render(
            m,
            &Drawn {
                module: "ids",
                vertex: if is_masked { "vertex_masked_id" } else { "vertex_id" },
                fragment: Some(if is_masked { "fragment_masked_id" } else { "fragment_id" }),
                groups: if is_masked { &groups } else { &groups[..2] },
                buffer: Buffers::Mesh,
                cull,
                depth: Some((true, Greater)),
                target: Some((IDS, None)),
                ..DRAWN
            },
        )
    }

    pub fn ids(f: &F<'_>, m: &Modules) -> RenderPipeline {
        ids_with(f, m, Some(Face::Back), false)
    }

    pub fn ids_double(f: &F<'_>, m: &Modules) -> RenderPipeline {
        ids_with(f, m, None, false)
    }

    pub fn ids_masked(f: &F<'_>, m: &Modules) -> RenderPipeline {
        ids_with(f, m, None, true)
    }

    pub fn surfaces(f: &F<'_>, m: &Modules) -> ComputePipeline {
        let layouts = f.layouts;
        let groups = [&layouts.light, &layouts.things, &layouts.textures, &layouts.surfaces];
        f.compute(m, "surfaces", "light_surfaces", &groups)
    }

    pub fn blended(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "mesh",
                vertex: "vertex_main",
                fragment: Some("fragment_blended"),
                groups: &[&f.layouts.light, &f.layouts.things, &f.layouts.textures],
                buffer: Buffers::Mesh,
                depth: Some((false, Greater)),
                target: Some((LIGHT, Some(OVER))),
                ..DRAWN
            },
        )
    }

    pub fn outline(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "mesh",
                vertex: "vertex_outline",
                fragment: Some("fragment_outline"),
                groups: &[&f.layouts.light, &f.layouts.things],
                buffer: Buffers::Mesh,
                target: Some((SHOWN, None)),
                ..DRAWN
            },
        )
    }

    pub fn decal(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "decals",
                vertex: "vertex_decal",
                fragment: Some("fragment_decal"),
                groups: &[&f.layouts.light, &f.layouts.decals, &f.layouts.textures],
                // The inside is drawn, so that a camera within the box sees it.
                cull: Some(Face::Front),
                target: Some((LIGHT, Some(BlendState { color: OVER.color, alpha: KEEP }))),
                ..DRAWN
            },
        )
    }

    /// Opacity of light is its ambient part, which decals leave as it is.
    const KEEP: wgpu::BlendComponent = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Zero,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };

    fn effect(f: &F<'_>, m: &Modules, vertex: &str, topology: wgpu::PrimitiveTopology) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "effects",
                vertex,
                fragment: Some("fragment_effect"),
                groups: &[&f.layouts.view, &f.layouts.effects, &f.layouts.textures],
                topology,
                depth: Some((false, Greater)),
                target: Some((LIGHT, Some(OVER))),
                ..DRAWN
            },
        )
    }

    pub fn sprite(f: &F<'_>, m: &Modules) -> RenderPipeline {
        effect(f, m, "vertex_sprite", wgpu::PrimitiveTopology::TriangleList)
    }

    pub fn ribbon(f: &F<'_>, m: &Modules) -> RenderPipeline {
        effect(f, m, "vertex_ribbon", wgpu::PrimitiveTopology::TriangleStrip)
    }

    pub fn occlusion(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "occlusion", "occlude", &[&f.layouts.occlusion])
    }

    pub fn compose(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "compose", "compose", &[&f.layouts.compose])
    }

    pub fn bloom_down(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "bloom", "down", &[&f.layouts.bloom])
    }

    pub fn bloom_up(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "bloom", "up", &[&f.layouts.bloom])
    }

    pub fn tone(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "tone", "tone", &[&f.layouts.tone])
    }

    pub fn smaa_edges(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "smaa", "edges", &[&f.layouts.smaa])
    }

    pub fn smaa_weights(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "smaa", "weights", &[&f.layouts.smaa])
    }

    pub fn smaa_blend(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "smaa", "blend", &[&f.layouts.smaa])
    }

    pub fn line(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "flat",
                vertex: "vertex_line",
                fragment: Some("fragment_line"),
                groups: &[&f.layouts.view, &f.layouts.lines],
                depth: Some((false, GreaterEqual)),
                target: Some((SHOWN, Some(OVER))),
                ..DRAWN
            },
        )
    }

    pub fn shape(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "canvas",
                vertex: "vertex_shape",
                fragment: Some("fragment_shape"),
                groups: &[&f.layouts.screen, &f.layouts.canvas, &f.layouts.textures],
                target: Some((SHOWN, Some(OVER))),
                ..DRAWN
            },
        )
    }

    pub fn overlay(f: &F<'_>, m: &Modules) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "overlay",
                vertex: "vertex_overlay",
                fragment: Some("fragment_overlay"),
                groups: &[&f.layouts.screen, &f.layouts.image],
                buffer: Buffers::Overlay,
                target: Some((SHOWN, Some(OVER))),
                ..DRAWN
            },
        )
    }

    fn last(f: &F<'_>, m: &Modules, fragment: &str) -> RenderPipeline {
        f.render(
            m,
            &Drawn {
                module: "final",
                vertex: "vertex_final",
                fragment: Some(fragment),
                groups: &[&f.layouts.screen, &f.layouts.image],
                target: Some((SHOWN, None)),
                ..DRAWN
            },
        )
    }

    pub fn scale(f: &F<'_>, m: &Modules) -> RenderPipeline {
        last(f, m, "fragment_scale")
    }

    pub fn vision(f: &F<'_>, m: &Modules) -> RenderPipeline {
        last(f, m, "fragment_vision")
    }

    pub fn sky_bake(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "sky", "bake", &[&f.layouts.sky])
    }

    pub fn sky_blur(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "sky", "blur", &[&f.layouts.sky])
    }

    pub fn sky_project(f: &F<'_>, m: &Modules) -> ComputePipeline {
        f.compute(m, "sky", "project", &[&f.layouts.sky])
    }
}
