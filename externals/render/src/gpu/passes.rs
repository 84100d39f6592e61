//! The page of passes: what is done for one view, in order, each line timed by itself.

use wgpu::{Color, CommandEncoder, LoadOp, Operations, StoreOp, TextureView};

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::blocks::DrawBlock;
use crate::gpu::effects::{BlendedDraw, MeshDraw};
use crate::gpu::geometry::Geometry;
use crate::gpu::pipelines::Pipelines;
use crate::gpu::scene::SceneTables;
use crate::gpu::sky::BakedSky;
use crate::gpu::stage::{Samplers, SceneBuffers, ShadowMaps};
use crate::gpu::targets::colour;
use crate::gpu::timing::Timing;
use crate::gpu::viewing::{CLUSTERS, Viewing, slot_count};

/// What the passes of a view work with.
pub struct Passes<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// The pipelines.
    pub pipelines: &'a Pipelines,
    /// The samplers.
    pub samplers: &'a Samplers,
    /// The scene.
    pub scene: &'a SceneTables,
    /// Its buffers.
    pub buffers: &'a SceneBuffers,
    /// The meshes.
    pub geometry: &'a Geometry,
    /// The shadow maps.
    pub shadows: &'a ShadowMaps,
    /// The sky.
    pub sky: &'a BakedSky,
    /// The bindings of all bitmaps.
    pub textures: &'a wgpu::BindGroup,
    /// The view.
    pub view: &'a Viewing,
    /// The number of cascades.
    pub cascades: u32,
    /// Whether there is ambient occlusion, bloom, smoothing.
    pub has: [bool; 3],
}

impl Passes<'_> {
    /// All passes of the view.
    pub fn encode(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let [has_occlusion, has_bloom, has_smoothing] = self.has;
        self.reset(encoder);
        self.cull(encoder, timing);
        for cascade in 0..self.cascades {
            self.shadow(encoder, timing, cascade);
        }
        if self.view.lamp_count > 0 {
            self.assign_lamps(encoder, timing);
        }
        self.triangles(encoder, timing);
        self.surfaces(encoder, timing);
        if !self.view.blended.decals.is_empty() {
            self.decals(encoder, timing);
        }
        if has_occlusion {
            self.occlusion(encoder, timing);
        }
        self.compose(encoder, timing);
        if !self.view.blended.draws.is_empty() {
            self.blended(encoder, timing);
        }
        if !self.view.blended.outlines.is_empty() {
            self.outlines(encoder, timing);
        }
        if has_bloom {
            self.bloom(encoder, timing);
        }
        self.tone(encoder, timing, has_smoothing);
        if has_smoothing {
            self.smooth(encoder, timing);
        }
        if self.view.line_count > 0 {
            self.lines(encoder, timing);
        }
    }

    /// No list has an item yet.
    fn reset(&self, encoder: &mut CommandEncoder) {
        let bytes = self.scene.draws.len() as u64 * size_of::<DrawBlock>() as u64;
        if bytes > 0 {
            encoder.copy_buffer_to_buffer(self.buffers.template.get(), 0, self.buffers.draws.get(), 0, bytes);
        }
    }

    fn cull(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let view = group(self.device, &self.layouts.view, &[Bound::Buffer(&self.view.uniform)]);
        let scene = self.buffers.cull_group(self.device, self.layouts);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("cull"),
            timestamp_writes: timing.compute("cull"),
        });
        pass.set_pipeline(&self.pipelines.cull);
        pass.set_bind_group(0, &view, &[]);
        pass.set_bind_group(1, &scene, &[]);
        pass.dispatch_workgroups((self.scene.items.len() as u32).div_ceil(64), 1, 1);
    }

    fn shadow(&self, encoder: &mut CommandEncoder, timing: &mut Timing, cascade: u32) {
        let index = cascade as usize;
        let view = group(
            self.device,
            &self.layouts.cascade,
            &[Bound::Buffer(&self.view.uniform), Bound::Buffer(&self.shadows.indices[index])],
        );
        let things = self.buffers.things_group(self.device, self.layouts, self.buffers.visible.get());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[],
            depth_stencil_attachment: Some(depth(&self.shadows.layers[index], LoadOp::Clear(1.0))),
            timestamp_writes: timing.render("shadows"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &view, &[]);
        pass.set_bind_group(1, &things, &[]);
        pass.set_bind_group(2, self.textures, &[]);
        let pipelines = [&self.pipelines.shadow, &self.pipelines.shadow_double, &self.pipelines.shadow_masked];
        self.draw_slots(&mut pass, 1 + cascade, pipelines);
    }

    fn assign_lamps(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let view = group(self.device, &self.layouts.view, &[Bound::Buffer(&self.view.uniform)]);
        let lamps = [Bound::Buffer(self.view.lamps.get()), Bound::Buffer(&self.view.clusters)];
        let lamps = group(self.device, &self.layouts.clusters, &lamps);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("lamps"),
            timestamp_writes: timing.compute("lamps"),
        });
        pass.set_pipeline(&self.pipelines.clusters);
        pass.set_bind_group(0, &view, &[]);
        pass.set_bind_group(1, &lamps, &[]);
        pass.dispatch_workgroups(CLUSTERS.div_ceil(64), 1, 1);
    }

    /// Which triangle is seen at each pixel.
    fn triangles(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let view = group(self.device, &self.layouts.view, &[Bound::Buffer(&self.view.uniform)]);
        let things = self.buffers.things_group(self.device, self.layouts, self.buffers.visible.get());
        let targets = &self.view.targets;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("triangles"),
            // Where the depth is that of nothing, what the last picture left is not read.
            color_attachments: &[colour(&targets.ids, LoadOp::Load)],
            depth_stencil_attachment: Some(depth(&targets.depth, LoadOp::Clear(0.0))),
            timestamp_writes: timing.render("triangles"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &view, &[]);
        pass.set_bind_group(1, &things, &[]);
        pass.set_bind_group(2, self.textures, &[]);
        self.draw_slots(&mut pass, 0, [&self.pipelines.ids, &self.pipelines.ids_double, &self.pipelines.ids_masked]);
    }

    /// The light of those triangles.
    fn surfaces(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let light = self.light_group();
        let things = self.buffers.things_group(self.device, self.layouts, self.buffers.visible.get());
        let targets = &self.view.targets;
        let triangles = group(
            self.device,
            &self.layouts.surfaces,
            &[
                Bound::Buffer(self.buffers.draws.get()),
                Bound::Buffer(self.geometry.indices.get()),
                Bound::Buffer(self.geometry.vertices.get()),
                Bound::View(&targets.ids),
                Bound::View(&targets.depth),
                Bound::View(&targets.lit),
            ],
        );
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("surfaces"),
            timestamp_writes: timing.compute("surfaces"),
        });
        pass.set_pipeline(&self.pipelines.surfaces);
        pass.set_bind_group(0, &light, &[]);
        pass.set_bind_group(1, &things, &[]);
        pass.set_bind_group(2, self.textures, &[]);
        pass.set_bind_group(3, &triangles, &[]);
        let [width, height] = targets.size;
        pass.dispatch_workgroups(width.div_ceil(8), height.div_ceil(8), 1);
    }

    fn decals(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let light = self.light_group();
        let targets = &self.view.targets;
        let decals = [Bound::Buffer(self.view.decals.get()), Bound::View(&targets.depth)];
        let decals = group(self.device, &self.layouts.decals, &decals);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("decals"),
            color_attachments: &[colour(&targets.lit, LoadOp::Load)],
            timestamp_writes: timing.render("decals"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipelines.decal);
        pass.set_bind_group(0, &light, &[]);
        pass.set_bind_group(1, &decals, &[]);
        pass.set_bind_group(2, self.textures, &[]);
        pass.draw(0..36, 0..self.view.blended.decals.len() as u32);
    }

    fn occlusion(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let bindings = group(
            self.device,
            &self.layouts.occlusion,
            &[Bound::Buffer(&self.view.uniform), Bound::View(&targets.depth), Bound::View(&targets.occlusion)],
        );
        self.full_screen(
            encoder,
            timing,
            "occlusion",
            &[(&self.pipelines.occlusion, &bindings, targets.occlusion_size)],
        );
    }

    fn compose(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let bindings = group(
            self.device,
            &self.layouts.compose,
            &[
                Bound::Buffer(&self.view.uniform),
                Bound::View(&targets.lit),
                Bound::View(&targets.depth),
                Bound::View(&targets.occlusion),
                Bound::View(&self.sky.cube),
                Bound::Sampler(&self.samplers.linear),
                Bound::View(&targets.light),
            ],
        );
        self.full_screen(encoder, timing, "compose", &[(&self.pipelines.compose, &bindings, targets.size)]);
    }

    fn blended(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let light = self.light_group();
        let things = self.buffers.things_group(self.device, self.layouts, self.view.direct.get());
        let view = group(self.device, &self.layouts.view, &[Bound::Buffer(&self.view.uniform)]);
        let effects = group(
            self.device,
            &self.layouts.effects,
            &[
                Bound::Buffer(self.view.sprites.get()),
                Bound::Buffer(self.view.ribbons.get()),
                Bound::View(&targets.depth),
            ],
        );
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("blended"),
            color_attachments: &[colour(&targets.light, LoadOp::Load)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &targets.depth,
                // Only read: sprites also read it as a texture.
                depth_ops: None,
                stencil_ops: None,
            }),
            timestamp_writes: timing.render("blended"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(2, self.textures, &[]);
        for draw in &self.view.blended.draws {
            match *draw {
                BlendedDraw::Sprites { first, count } => {
                    pass.set_pipeline(&self.pipelines.sprite);
                    pass.set_bind_group(0, &view, &[]);
                    pass.set_bind_group(1, &effects, &[]);
                    pass.draw(0..6, first..first + count);
                }
                BlendedDraw::Ribbon { first, count } => {
                    pass.set_pipeline(&self.pipelines.ribbon);
                    pass.set_bind_group(0, &view, &[]);
                    pass.set_bind_group(1, &effects, &[]);
                    pass.draw(first * 2..(first + count) * 2, 0..1);
                }
                BlendedDraw::Mesh(mesh) => {
                    pass.set_pipeline(&self.pipelines.blended);
                    pass.set_bind_group(0, &light, &[]);
                    pass.set_bind_group(1, &things, &[]);
                    self.draw_mesh(&mut pass, &mesh);
                }
            }
        }
    }

    fn outlines(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let light = self.light_group();
        let things = self.buffers.things_group(self.device, self.layouts, self.view.direct.get());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("outlines"),
            color_attachments: &[colour(&self.view.targets.outline, LoadOp::Clear(Color::TRANSPARENT))],
            timestamp_writes: timing.render("outlines"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipelines.outline);
        pass.set_bind_group(0, &light, &[]);
        pass.set_bind_group(1, &things, &[]);
        for mesh in &self.view.blended.outlines {
            self.draw_mesh(&mut pass, mesh);
        }
    }

    fn bloom(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let levels = targets.bloom.len();
        let bind = |step: usize, fine: &TextureView, coarse: &TextureView, target: &TextureView| {
            group(
                self.device,
                &self.layouts.bloom,
                &[
                    Bound::Buffer(&self.view.bloom_steps[step]),
                    Bound::View(fine),
                    Bound::View(coarse),
                    Bound::Sampler(&self.samplers.linear),
                    Bound::View(target),
                ],
            )
        };
        let mut groups = Vec::new();
        for level in 0..levels {
            let fine = if level == 0 { &targets.light } else { &targets.bloom[level - 1] };
            groups.push(bind(level, fine, fine, &targets.bloom[level]));
        }
        for (step, level) in (0..levels - 1).rev().enumerate() {
            let coarse = if level + 2 == levels { &targets.bloom[level + 1] } else { &targets.bloom_up[level + 1] };
            groups.push(bind(levels + step, &targets.bloom[level], coarse, &targets.bloom_up[level]));
        }
        let sizes = (0..levels).chain((0..levels - 1).rev()).map(|level| targets.bloom_sizes[level]);
        let steps: Vec<_> = groups
            .iter()
            .zip(sizes)
            .enumerate()
            .map(|(step, (bindings, size))| {
                let pipeline = if step < levels { &self.pipelines.bloom_down } else { &self.pipelines.bloom_up };
                (pipeline, bindings, size)
            })
            .collect();
        self.full_screen(encoder, timing, "bloom", &steps);
    }

    fn tone(&self, encoder: &mut CommandEncoder, timing: &mut Timing, is_smoothed: bool) {
        let targets = &self.view.targets;
        let has_outlines = !self.view.blended.outlines.is_empty();
        let bloom = if targets.bloom.len() > 1 { &targets.bloom_up[0] } else { &targets.bloom[0] };
        let bindings = group(
            self.device,
            &self.layouts.tone,
            &[
                Bound::Buffer(&self.view.uniform),
                Bound::View(&targets.light),
                Bound::View(bloom),
                Bound::View(if has_outlines { &targets.outline } else { &self.samplers.nothing }),
                Bound::Sampler(&self.samplers.linear),
                Bound::View(&targets.shown[if is_smoothed { 0 } else { 3 }]),
            ],
        );
        self.full_screen(encoder, timing, "tone", &[(&self.pipelines.tone, &bindings, targets.size)]);
    }

    fn smooth(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let [shown, edges, weights, result] = &targets.shown;
        let bind = |colours, marks, target| {
            group(self.device, &self.layouts.smaa, &[Bound::View(colours), Bound::View(marks), Bound::View(target)])
        };
        let groups = [bind(shown, shown, edges), bind(shown, edges, weights), bind(shown, weights, result)];
        self.full_screen(
            encoder,
            timing,
            "smoothing",
            &[
                (&self.pipelines.smaa_edges, &groups[0], targets.size),
                (&self.pipelines.smaa_weights, &groups[1], targets.size),
                (&self.pipelines.smaa_blend, &groups[2], targets.size),
            ],
        );
    }

    fn lines(&self, encoder: &mut CommandEncoder, timing: &mut Timing) {
        let targets = &self.view.targets;
        let view = group(self.device, &self.layouts.view, &[Bound::Buffer(&self.view.uniform)]);
        let lines = group(self.device, &self.layouts.lines, &[Bound::Buffer(self.view.lines.get())]);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("lines"),
            color_attachments: &[colour(&targets.shown[3], LoadOp::Load)],
            depth_stencil_attachment: Some(depth(&targets.depth, LoadOp::Load)),
            timestamp_writes: timing.render("lines"),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipelines.line);
        pass.set_bind_group(0, &view, &[]);
        pass.set_bind_group(1, &lines, &[]);
        pass.draw(0..6, 0..self.view.line_count);
    }

    fn light_group(&self) -> wgpu::BindGroup {
        group(
            self.device,
            &self.layouts.light,
            &[
                Bound::Buffer(&self.view.uniform),
                Bound::Buffer(self.view.lamps.get()),
                Bound::Buffer(&self.view.clusters),
                Bound::View(&self.shadows.all),
                Bound::Sampler(&self.samplers.comparison),
                Bound::View(&self.sky.reflections),
                Bound::Sampler(&self.samplers.linear),
                Bound::Buffer(&self.sky.harmonics),
            ],
        )
    }

    /// Draws what the lists of a view hold, one indirect draw for each slot.
    fn draw_slots(&self, pass: &mut wgpu::RenderPass<'_>, list: u32, pipelines: [&wgpu::RenderPipeline; 3]) {
        pass.set_vertex_buffer(0, self.geometry.vertices.get().slice(..));
        let (by_position, by_vertex) = (&self.geometry.position_indices, &self.geometry.indices);
        let bytes = size_of::<DrawBlock>() as u64;
        // Masks need texture coordinates, the others positions alone.
        let indices = [by_position, by_position, by_vertex];
        for ((pipeline, indices), (first, count)) in pipelines.iter().zip(indices).zip(self.scene.slots) {
            if count > 0 {
                pass.set_index_buffer(indices.get().slice(..), wgpu::IndexFormat::Uint32);
                pass.set_pipeline(pipeline);
                let at = u64::from(list * slot_count(self.scene) + first) * bytes;
                pass.multi_draw_indexed_indirect(self.buffers.draws.get(), at, count);
            }
        }
    }

    fn draw_mesh(&self, pass: &mut wgpu::RenderPass<'_>, mesh: &MeshDraw) {
        pass.set_vertex_buffer(0, self.geometry.vertices.get().slice(..));
        pass.set_index_buffer(self.geometry.indices.get().slice(..), wgpu::IndexFormat::Uint32);
        let level = mesh.level;
        let indices = level.first_index..level.first_index + level.index_count;
        pass.draw_indexed(indices, level.base_vertex, mesh.entry..mesh.entry + 1);
    }

    /// Steps over all pixels, each of which may read what the one before wrote.
    fn full_screen(
        &self,
        encoder: &mut CommandEncoder,
        timing: &mut Timing,
        name: &'static str,
        steps: &[(&wgpu::ComputePipeline, &wgpu::BindGroup, [u32; 2])],
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(name),
            timestamp_writes: timing.compute(name),
        });
        for (pipeline, bindings, [width, height]) in steps {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, *bindings, &[]);
            pass.dispatch_workgroups(width.div_ceil(8), height.div_ceil(8), 1);
        }
    }
}

fn depth(view: &TextureView, load: LoadOp<f32>) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(Operations { load, store: StoreOp::Store }),
        stencil_ops: None,
    }
}
