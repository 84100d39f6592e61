//! Everything that lives on a device. Nothing lives only there: a lost device is replaced, and all of this made again.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Instant, SystemTime};

use base::plain::bytes_of;
use view::{BulkSource, Picture, PictureSettings};

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::blocks::ShapeBlock;
use crate::gpu::buffer::GrowingBuffer;
use crate::gpu::cache::CompiledCache;
use crate::gpu::camera::{Lens, pixels_of};
use crate::gpu::canvas::CanvasList;
use crate::gpu::device::Device;
use crate::gpu::finish::{FinalStep, FinalUniform, FinalWork};
use crate::gpu::geometry::Geometry;
use crate::gpu::options::GpuOptions;
use crate::gpu::overlay::{OverlayBuffers, OverlayImages, OverlayWork};
use crate::gpu::passes::Passes;
use crate::gpu::pipelines::{DEPTH, Factory, Pipelines, SHOWN};
use crate::gpu::reading::{DrawnCount, WAIT_MAX, read_buffer, read_texture};
use crate::gpu::scene::{SceneTables, SceneWork};
use crate::gpu::shaders::MODULES;
use crate::gpu::sky::{BakedSky, SkyWork};
use crate::gpu::targets::{NO_VIEW, colour, texture};
use crate::gpu::textures::{TextureArrays, Upload};
use crate::gpu::timing::Timing;
use crate::gpu::viewing::{ViewSource, Viewing, slot_count};
use crate::limits::{ATLAS_SIDE, PICTURE_SIDE_MAX, VIEWS_MAX};
use crate::renderer::{Pixels, RenderError};
use crate::resources::{ContentSource, Resources};
use crate::text::{GlyphQuad, Text};
use crate::vision;

/// Pictures that may be under way at the same time.
const PICTURES_UNDER_WAY: usize = 2;
/// The usage of the arguments of draws.
const DRAWN_FROM: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::INDIRECT).union(wgpu::BufferUsages::COPY_SRC);
/// The bytes of a `Placed` of the shaders.
const PLACED_BYTES: u64 = 80;
/// Pictures between two looks at the folder of shaders.
const RELOAD_PICTURES: u64 = 30;

/// Everything that lives on a device.
pub struct Stage {
    /// The device.
    pub device: Device,
    /// The layouts.
    pub layouts: BindLayouts,
    /// The samplers.
    pub samplers: Samplers,
    /// The times of passes.
    pub timing: Timing,
    /// The size of the picture, as shaders read it.
    pub screen: wgpu::Buffer,
    pipelines: Pipelines,
    cache: Option<CompiledCache>,
    geometry: Geometry,
    arrays: TextureArrays,
    bound_textures: Option<(u64, wgpu::BindGroup)>,
    sky: BakedSky,
    scene: SceneTables,
    buffers: SceneBuffers,
    shadows: ShadowMaps,
    views: Vec<Viewing>,
    output: Option<Output>,
    /// The picture in the colours for the player's eyes, where they differ.
    corrected: Option<Output>,
    correction: FinalUniform,
    canvas: GrowingBuffer,
    canvas_shapes: Vec<ShapeBlock>,
    glyph_quads: Vec<GlyphQuad>,
    glyphs: wgpu::Texture,
    glyphs_version: Option<u64>,
    overlay: OverlayBuffers,
    under_way: VecDeque<wgpu::SubmissionIndex>,
    shader_times: Vec<Option<SystemTime>>,
    picture: u64,
    processor_ms: f32,
}

/// The picture itself.
pub struct Output {
    /// Its size.
    pub size: [u32; 2],
    /// Its texture.
    pub texture: wgpu::Texture,
    /// A view of it.
    pub view: wgpu::TextureView,
}

/// The samplers, and a texture of one pixel that stands for none.
pub struct Samplers {
    /// Interpolates, and continues edges.
    pub linear: wgpu::Sampler,
    /// Of bitmaps: repeats.
    pub bitmaps: wgpu::Sampler,
    /// Of shadow maps.
    pub comparison: wgpu::Sampler,
    /// One transparent pixel.
    pub nothing: wgpu::TextureView,
}

/// The maps of all cascades.
pub struct ShadowMaps {
    /// Their number, which is 0 where one map stands for none, and their side.
    made_for: [u32; 2],
    /// All of them.
    pub all: wgpu::TextureView,
    /// Each by itself.
    pub layers: Vec<wgpu::TextureView>,
    /// The number of each, as shaders read it.
    pub indices: Vec<wgpu::Buffer>,
}

/// The tables of a scene on the device.
pub struct SceneBuffers {
    instances: GrowingBuffer,
    items: GrowingBuffer,
    parts: GrowingBuffer,
    buckets: GrowingBuffer,
    matrices: GrowingBuffer,
    placed: GrowingBuffer,
    materials: GrowingBuffer,
    /// The lists of visible items.
    pub visible: GrowingBuffer,
    /// The arguments of draws.
    pub draws: GrowingBuffer,
    /// The same, before culling.
    pub template: GrowingBuffer,
}

/// What a picture is drawn from besides the picture itself.
pub struct StageInput<'a> {
    /// The picture.
    pub picture: &'a Picture<'a>,
    /// The tags.
    pub content: &'a tags::Library,
    /// Their bulk data.
    pub bulk: &'a dyn BulkSource,
    /// The resources.
    pub resources: &'a mut Resources,
    /// The text.
    pub text: &'a mut Text,
    /// The textures of overlays.
    pub images: &'a OverlayImages,
    /// The options.
    pub options: &'a GpuOptions,
    /// What the player prefers.
    pub settings: PictureSettings,
}

impl Stage {
    /// Makes everything on a device.
    pub fn new(device: Device, options: &GpuOptions) -> Result<Stage, RenderError> {
        let (raw, queue) = (&device.device, &device.queue);
        let layouts = BindLayouts::new(raw);
        let cache = options.cache_folder.as_deref().and_then(|folder| CompiledCache::open(&device, folder));
        let factory = Factory {
            device: raw,
            layouts: &layouts,
            cache: cache.as_ref().map(|cache| &cache.cache),
            folder: options.shader_folder.as_deref(),
        };
        let pipelines = Pipelines::new(&factory)
            .or_else(|error| {
                // Shaders of a folder that are wrong from the start are reported by the first reload.
                let built_in = Factory { folder: None, ..factory };
                if options.shader_folder.is_some() { Pipelines::new(&built_in) } else { Err(error) }
            })
            .map_err(|why| RenderError::NoDevice { why })?;
        if let Some(cache) = &cache {
            cache.save();
        }
        let glyphs = texture(
            raw,
            "glyphs",
            [ATLAS_SIDE, ATLAS_SIDE],
            wgpu::TextureFormat::R8Unorm,
            wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        );
        Ok(Stage {
            samplers: Samplers::new(raw, device.is_processor()),
            timing: Timing::new(raw, queue, device.has_timestamps),
            screen: uniform(raw, "screen", 16),
            geometry: Geometry::new(raw),
            arrays: TextureArrays::new(raw, queue),
            bound_textures: None,
            sky: BakedSky::new(raw, options.sky_side),
            scene: SceneTables::default(),
            buffers: SceneBuffers::new(raw),
            shadows: ShadowMaps::new(raw, queue, options),
            views: Vec::new(),
            output: None,
            corrected: None,
            correction: FinalUniform::new(raw),
            canvas: GrowingBuffer::new(raw, "canvas", wgpu::BufferUsages::STORAGE),
            canvas_shapes: Vec::new(),
            glyph_quads: Vec::new(),
            glyphs,
            glyphs_version: None,
            overlay: OverlayBuffers::new(raw),
            under_way: VecDeque::new(),
            shader_times: options.shader_folder.iter().flat_map(|folder| shader_times(folder)).collect(),
            picture: 0,
            processor_ms: 0.0,
            pipelines,
            cache,
            layouts,
            device,
        })
    }

    /// The time to prepare and encode the last picture, without its submission, in milliseconds.
    pub fn processor_ms(&self) -> f32 {
        self.processor_ms
    }

    /// The picture that was drawn last, as it is shown.
    pub fn output(&self) -> Option<&Output> {
        self.corrected.as_ref().or(self.output.as_ref())
    }

    /// Draws a picture. Returns what is to be reported.
    pub fn draw(&mut self, input: &mut StageInput<'_>) -> Vec<String> {
        self.picture += 1;
        let mut reports = Vec::new();
        if self.picture.is_multiple_of(RELOAD_PICTURES)
            && let Some(Err(error)) = self.reload_shaders(input.options)
        {
            reports.push(error);
        }
        self.wait_for_room();
        self.follow(input.options);
        let start = Instant::now();
        let mut encoder =
            self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        self.prepare(input);
        self.encode_views(input, &mut encoder);
        self.encode_flat(&mut encoder);
        self.encode_correction(input, &mut encoder);
        self.timing.resolve(&mut encoder);
        self.processor_ms = start.elapsed().as_secs_f32() * 1000.0;
        let submitted = self.device.queue.submit([encoder.finish()]);
        self.under_way.push_back(submitted);
        self.timing.collect();
        reports.extend(self.device.take_errors().into_iter().map(|error| format!("graphics device: {error}")));
        reports
    }

    /// Makes again what options have changed.
    fn follow(&mut self, options: &GpuOptions) {
        let (device, queue) = (&self.device.device, &self.device.queue);
        if self.shadows.made_for != [options.cascades, options.shadow_side] {
            self.shadows = ShadowMaps::new(device, queue, options);
        }
        if self.sky.side() != options.sky_side {
            self.sky = BakedSky::new(device, options.sky_side);
        }
    }

    /// Waits until few enough pictures are under way.
    fn wait_for_room(&mut self) {
        while self.under_way.len() >= PICTURES_UNDER_WAY {
            let submission_index = self.under_way.pop_front();
            // A failure means that the device is lost, which the next picture finds out.
            let waited = self.device.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(WAIT_MAX) });
            if waited.is_err() {
                self.under_way.clear();
            }
        }
    }

    /// Waits until everything that was asked for is drawn.
    pub fn wait(&self) {
        // A failure means that the device is lost, which the next picture finds out.
        let _ = self.device.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(WAIT_MAX) });
    }

    /// Brings everything that a picture needs onto the device.
    fn prepare(&mut self, input: &mut StageInput<'_>) {
        let (device, queue) = (&self.device.device, &self.device.queue);
        let picture = input.picture;
        let source = ContentSource { content: input.content, bulk: input.bulk };
        let upload = Upload { device, queue, source };
        self.arrays.begin_picture();
        self.scene.update(
            picture,
            &mut SceneWork { upload: &upload, resources: input.resources, geometry: &mut self.geometry },
        );
        let frame = picture.frame;
        let parameters = |index: u32| {
            frame.instances.get(index as usize).map_or(&[][..], |instance| instance.parameters.of(&frame.parameters))
        };
        let mut materials = std::mem::take(&mut self.scene.materials);
        let blocks = materials.blocks(parameters, &mut self.arrays, input.resources, &upload, picture.seconds());
        self.buffers.materials.write(device, queue, blocks);
        self.scene.materials = materials;
        self.buffers.update(device, queue, &self.scene);

        let sky = input.resources.sky(frame.sky, source);
        let work = SkyWork {
            device,
            queue,
            layouts: &self.layouts,
            pipelines: &self.pipelines,
            sampler: &self.samplers.linear,
        };
        self.sky.update(&work, &sky, frame.up.normal_or(base::Vec3::Z), input.resources, source);

        if self.output.as_ref().is_none_or(|output| output.size != picture.size) {
            self.output = None;
            self.output = Some(Output::new(device, picture.size));
        }
        let placed: Vec<_> = picture
            .views
            .iter()
            .take(VIEWS_MAX)
            .filter_map(|camera| Some((camera, pixels_of(camera.viewport, picture.size)?)))
            .collect();
        self.views.truncate(placed.len());
        for (index, (camera, pixels)) in placed.iter().enumerate() {
            let size = input.settings.drawn_size([pixels[2], pixels[3]], PICTURE_SIDE_MAX);
            if self.views.get(index).is_none_or(|view| view.targets.size != size) {
                self.views.truncate(index);
                self.views.push(Viewing::new(device, queue, *pixels, size));
            }
            let view = &mut self.views[index];
            view.pixels = *pixels;
            let lens = Lens::new(camera, [pixels[2], pixels[3]]);
            view.blended.update(picture, &lens, &self.scene, &mut self.arrays, input.resources, &upload);
            let source = ViewSource {
                picture,
                scene: &self.scene,
                sky: &sky,
                options: input.options,
                brightness: input.settings.brightness,
            };
            view.update(device, queue, &source, &lens);
        }
        self.prepare_flat(input);
        let generation = self.arrays.generation;
        if self.bound_textures.as_ref().is_none_or(|(bound, _)| *bound != generation) {
            let views = self.arrays.views();
            let mut bound = vec![Bound::Sampler(&self.samplers.bitmaps)];
            bound.extend(views.iter().map(Bound::View));
            self.bound_textures = Some((generation, group(device_of(&self.device), &self.layouts.textures, &bound)));
        }
    }

    /// Brings canvas and overlay onto the device.
    fn prepare_flat(&mut self, input: &mut StageInput<'_>) {
        let (device, queue) = (&self.device.device, &self.device.queue);
        let picture = input.picture;
        let [width, height] = picture.size.map(|side| side as f32);
        queue.write_buffer(&self.screen, 0, bytes_of(&[width, height, 1.0 / width, 1.0 / height]));
        let source = ContentSource { content: input.content, bulk: input.bulk };
        let mut list = CanvasList {
            text: input.text,
            arrays: &mut self.arrays,
            resources: input.resources,
            upload: &Upload { device, queue, source },
            glyphs: &mut self.glyph_quads,
        };
        list.list(picture.canvas, picture.size, &mut self.canvas_shapes);
        if !self.canvas.write(device, queue, &self.canvas_shapes) {
            self.canvas_shapes.clear();
        }
        let atlas = input.text.atlas();
        if self.glyphs_version != Some(atlas.version()) {
            self.glyphs_version = Some(atlas.version());
            let rows = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(ATLAS_SIDE),
                rows_per_image: Some(ATLAS_SIDE),
            };
            queue.write_texture(self.glyphs.as_image_copy(), atlas.texels(), rows, self.glyphs.size());
        }
        let work = OverlayWork { device, queue, layouts: &self.layouts, sampler: &self.samplers.linear };
        self.overlay.update(&work, picture.overlay, input.images, picture.size);
    }

    fn encode_views(&mut self, input: &StageInput<'_>, encoder: &mut wgpu::CommandEncoder) {
        let Some(output) = &self.output else { return };
        let Some((_, textures)) = &self.bound_textures else { return };
        let options = input.options;
        let is_covered = self.views.len() == 1 && self.views[0].pixels == [0, 0, output.size[0], output.size[1]];
        if !is_covered {
            encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("clear"),
                color_attachments: &[colour(&output.view, wgpu::LoadOp::Clear(wgpu::Color::BLACK))],
                ..wgpu::RenderPassDescriptor::default()
            });
        }
        for view in &self.views {
            let passes = Passes {
                device: &self.device.device,
                layouts: &self.layouts,
                pipelines: &self.pipelines,
                samplers: &self.samplers,
                scene: &self.scene,
                buffers: &self.buffers,
                geometry: &self.geometry,
                shadows: &self.shadows,
                sky: &self.sky,
                textures,
                view,
                cascades: options.cascades,
                has: [options.has_occlusion, options.has_bloom, options.has_smoothing],
            };
            passes.encode(encoder, &mut self.timing);
            let [left, top, width, height] = view.pixels;
            if view.targets.size != [width, height] {
                let work = FinalWork {
                    device: &self.device.device,
                    queue: &self.device.queue,
                    layouts: &self.layouts,
                    sampler: &self.samplers.linear,
                };
                let step = FinalStep {
                    from: &view.targets.shown[3],
                    from_size: view.targets.size,
                    to: &output.view,
                    area: view.pixels,
                    matrix: [[0.0; 3]; 3],
                    name: "scale",
                };
                view.scaling.encode(&work, &self.pipelines.scale, &step, encoder, &mut self.timing);
                continue;
            }
            let mut target = output.texture.as_image_copy();
            target.origin = wgpu::Origin3d { x: left, y: top, z: 0 };
            let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            encoder.copy_texture_to_texture(view.targets.result.as_image_copy(), target, extent);
        }
    }

    /// The colours for the player's eyes, of everything.
    fn encode_correction(&mut self, input: &StageInput<'_>, encoder: &mut wgpu::CommandEncoder) {
        let Some(output) = &self.output else { return };
        let Some(matrix) = vision::correction(input.settings.colour_vision) else {
            self.corrected = None;
            return;
        };
        let device = &self.device.device;
        let made = self.corrected.take().filter(|made| made.size == output.size);
        let made = made.unwrap_or_else(|| Output::new(device, output.size));
        let work =
            FinalWork { device, queue: &self.device.queue, layouts: &self.layouts, sampler: &self.samplers.linear };
        let step = FinalStep {
            from: &output.view,
            from_size: output.size,
            to: &made.view,
            area: [0, 0, output.size[0], output.size[1]],
            matrix,
            name: "colours",
        };
        self.correction.encode(&work, &self.pipelines.vision, &step, encoder, &mut self.timing);
        self.corrected = Some(made);
    }

    /// The canvas and the overlay, over all views.
    fn encode_flat(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let (Some(output), Some((_, textures))) = (&self.output, &self.bound_textures) else { return };
        if self.canvas_shapes.is_empty() && self.overlay.draws.is_empty() {
            return;
        }
        let device = &self.device.device;
        let screen = group(device, &self.layouts.screen, &[Bound::Buffer(&self.screen)]);
        let glyphs = self.glyphs.create_view(&NO_VIEW);
        let canvas = [Bound::Buffer(self.canvas.get()), Bound::View(&glyphs)];
        let canvas = group(device, &self.layouts.canvas, &canvas);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("interface"),
            color_attachments: &[colour(&output.view, wgpu::LoadOp::Load)],
            timestamp_writes: self.timing.render("interface"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &screen, &[]);
        if !self.canvas_shapes.is_empty() {
            pass.set_pipeline(&self.pipelines.shape);
            pass.set_bind_group(1, &canvas, &[]);
            pass.set_bind_group(2, textures, &[]);
            pass.draw(0..6, 0..self.canvas_shapes.len() as u32);
        }
        pass.set_pipeline(&self.pipelines.overlay);
        pass.set_vertex_buffer(0, self.overlay.vertices.get().slice(..));
        pass.set_index_buffer(self.overlay.indices.get().slice(..), wgpu::IndexFormat::Uint32);
        for draw in &self.overlay.draws {
            let Some(bindings) = self.overlay.bindings(draw.texture) else { continue };
            let [left, top, width, height] = draw.clip;
            pass.set_scissor_rect(left, top, width, height);
            pass.set_bind_group(1, bindings, &[]);
            pass.draw_indexed(draw.first_index..draw.first_index + draw.index_count, draw.base_vertex, 0..1);
        }
    }

    /// Makes all pipelines anew if a shader of the folder has changed. None if none has; on an error the old ones stay.
    // The error is text: what the compiler of a shader says, for people who write it.
    pub fn reload_shaders(&mut self, options: &GpuOptions) -> Option<Result<(), String>> {
        let folder = options.shader_folder.as_ref()?;
        let times: Vec<_> = shader_times(folder).collect();
        if times == self.shader_times {
            return None;
        }
        self.shader_times = times;
        let factory = Factory {
            device: &self.device.device,
            layouts: &self.layouts,
            cache: self.cache.as_ref().map(|cache| &cache.cache),
            folder: Some(folder),
        };
        Some(Pipelines::new(&factory).map(|pipelines| self.pipelines = pipelines))
    }

    /// The pixels of the last picture; waits for it.
    pub fn read_pixels(&self) -> Result<Pixels, RenderError> {
        let output = self.output().ok_or(RenderError::NoPicture)?;
        read_texture(&self.device, &output.texture)
    }

    /// The sizes in which the views are drawn.
    #[cfg(test)]
    pub fn view_sizes(&self) -> Vec<[u32; 2]> {
        self.views.iter().map(|view| view.targets.size).collect()
    }

    /// What the lists of the last view hold: the camera's, then one for each cascade; waits for it.
    pub fn read_counts(&self) -> Result<Vec<DrawnCount>, RenderError> {
        let slots = slot_count(&self.scene) as usize;
        let bytes = read_buffer(&self.device, self.buffers.draws.get(), size_of_val(self.scene.draws.as_slice()))?;
        let words: Vec<u64> =
            bytes.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_le_bytes(*word))).collect();
        let draws: Vec<(u64, u64)> = words.chunks_exact(5).map(|draw| (draw[0], draw[1])).collect();
        Ok(draws
            .chunks(slots.max(1))
            .map(|list| DrawnCount {
                instances: list.iter().map(|(_, instances)| instances).sum(),
                triangles: list.iter().map(|(indices, instances)| indices / 3 * instances).sum(),
            })
            .collect())
    }
}

fn device_of(device: &Device) -> &wgpu::Device {
    &device.device
}

/// When each file of shaders was written.
fn shader_times(folder: &Path) -> impl Iterator<Item = Option<SystemTime>> {
    let files: std::collections::BTreeSet<_> = MODULES.iter().flat_map(|row| row.files).collect();
    let folder = folder.to_path_buf();
    files
        .into_iter()
        .map(move |file| std::fs::metadata(folder.join(format!("{file}.wgsl"))).and_then(|found| found.modified()).ok())
}

impl Output {
    fn new(device: &wgpu::Device, size: [u32; 2]) -> Output {
        use wgpu::TextureUsages as Usage;
        let usage = Usage::RENDER_ATTACHMENT | Usage::COPY_DST | Usage::COPY_SRC | Usage::TEXTURE_BINDING;
        let made = texture(device, "picture", size, SHOWN, usage);
        Output { size, view: made.create_view(&NO_VIEW), texture: made }
    }
}

impl Samplers {
    /// On a processor, bitmaps are not filtered along an axis: lavapipe of Mesa 22.3 takes seconds for it in masked-out code.
    fn new(device: &wgpu::Device, is_processor: bool) -> Samplers {
        let linear = wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        };
        let repeat = wgpu::AddressMode::Repeat;
        let nothing = texture(device, "nothing", [1, 1], SHOWN, wgpu::TextureUsages::TEXTURE_BINDING);
        Samplers {
            linear: device.create_sampler(&linear),
            bitmaps: device.create_sampler(&wgpu::SamplerDescriptor {
                address_mode_u: repeat,
                address_mode_v: repeat,
                anisotropy_clamp: if is_processor { 1 } else { 8 },
                ..linear.clone()
            }),
            comparison: device
                .create_sampler(&wgpu::SamplerDescriptor { compare: Some(wgpu::CompareFunction::LessEqual), ..linear }),
            nothing: nothing.create_view(&NO_VIEW),
        }
    }
}

impl ShadowMaps {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue, options: &GpuOptions) -> ShadowMaps {
        let count = options.cascades.max(1);
        let made = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadows"),
            size: wgpu::Extent3d {
                width: options.shadow_side,
                height: options.shadow_side,
                depth_or_array_layers: count,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: DEPTH,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let layer = |index| {
            made.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: index,
                array_layer_count: Some(1),
                ..NO_VIEW
            })
        };
        let index = |value: u32| {
            let buffer = uniform(device, "cascade", 32);
            queue.write_buffer(&buffer, 0, bytes_of(&[value, 0, 0, 0, 0, 0, 0, 0]));
            buffer
        };
        ShadowMaps {
            made_for: [options.cascades, options.shadow_side],
            all: made.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..NO_VIEW
            }),
            layers: (0..count).map(layer).collect(),
            indices: (0..count).map(index).collect(),
        }
    }
}

impl SceneBuffers {
    fn new(device: &wgpu::Device) -> SceneBuffers {
        let storage = |label| GrowingBuffer::new(device, label, wgpu::BufferUsages::STORAGE);
        SceneBuffers {
            instances: storage("instances"),
            items: storage("items"),
            parts: storage("parts"),
            buckets: storage("buckets"),
            matrices: storage("matrices"),
            placed: storage("placed"),
            materials: storage("materials"),
            visible: storage("visible"),
            draws: GrowingBuffer::new(device, "draws", DRAWN_FROM),
            template: GrowingBuffer::new(device, "template", wgpu::BufferUsages::COPY_SRC),
        }
    }

    /// Writes what has changed.
    fn update(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, scene: &SceneTables) {
        if scene.has_moved {
            self.instances.write(device, queue, &scene.instances);
        }
        if scene.has_posed {
            self.matrices.write(device, queue, &scene.matrices);
        }
        if !scene.is_new {
            return;
        }
        self.items.write(device, queue, &scene.items);
        self.parts.write(device, queue, &scene.parts);
        self.buckets.write(device, queue, &scene.buckets);
        self.template.write(device, queue, &scene.draws);
        let lists = u64::from(scene.list_length) * (1 + crate::gpu::blocks::CASCADES_MAX as u64);
        self.visible.reserve(device, lists * 4);
        self.placed.reserve(device, scene.items.len() as u64 * PLACED_BYTES);
        self.draws.reserve(device, size_of_val(scene.draws.as_slice()) as u64);
    }

    /// What culling reads and writes.
    pub fn cull_group(&self, device: &wgpu::Device, layouts: &BindLayouts) -> wgpu::BindGroup {
        let buffers = [
            &self.instances,
            &self.items,
            &self.parts,
            &self.buckets,
            &self.matrices,
            &self.placed,
            &self.visible,
            &self.draws,
        ];
        group(device, &layouts.scene, &buffers.map(|buffer| Bound::Buffer(buffer.get())))
    }

    /// What drawing reads, with a list of items.
    pub fn things_group(&self, device: &wgpu::Device, layouts: &BindLayouts, list: &wgpu::Buffer) -> wgpu::BindGroup {
        let (placed, matrices, materials) = (self.placed.get(), self.matrices.get(), self.materials.get());
        group(device, &layouts.things, &[list, placed, matrices, materials].map(Bound::Buffer))
    }
}

fn uniform(device: &wgpu::Device, label: &str, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
