//! The last steps of a picture: the world in the size of the screen, and the colours for the player's eyes.

use base::plain::bytes_of;

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::blocks::FinalBlock;
use crate::gpu::targets::colour;
use crate::gpu::timing::Timing;
use crate::vision::Matrix;

/// One of the last steps: from one texture to a part of another.
pub struct FinalStep<'a> {
    /// What is read.
    pub from: &'a wgpu::TextureView,
    /// Its size.
    pub from_size: [u32; 2],
    /// What is drawn into.
    pub to: &'a wgpu::TextureView,
    /// The part of it: left, top, width, height.
    pub area: [u32; 4],
    /// What becomes of linear light.
    pub matrix: Matrix,
    /// The name under which it is timed.
    pub name: &'static str,
}

/// With what steps are encoded.
pub struct FinalWork<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// Interpolates, and continues edges.
    pub sampler: &'a wgpu::Sampler,
}

/// The values of a step on the device, kept from picture to picture.
pub struct FinalUniform(wgpu::Buffer);

impl FinalUniform {
    /// A buffer for one step of each picture.
    pub fn new(device: &wgpu::Device) -> FinalUniform {
        FinalUniform(device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("final"),
            size: size_of::<FinalBlock>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }))
    }

    /// Encodes a step.
    pub fn encode(
        &self,
        work: &FinalWork<'_>,
        pipeline: &wgpu::RenderPipeline,
        step: &FinalStep<'_>,
        encoder: &mut wgpu::CommandEncoder,
        timing: &mut Timing,
    ) {
        let [width, height] = step.from_size.map(|side| side as f32);
        let [first, second, third] = step.matrix;
        let row = |[x, y, z]: [f32; 3], w| [x, y, z, w];
        let area = step.area.map(|side| side as f32);
        let block = FinalBlock { rows: [row(first, width), row(second, height), row(third, 0.0)], area };
        work.queue.write_buffer(&self.0, 0, bytes_of(&block));
        let values = group(work.device, &work.layouts.screen, &[Bound::Buffer(&self.0)]);
        let image = group(work.device, &work.layouts.image, &[Bound::View(step.from), Bound::Sampler(work.sampler)]);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(step.name),
            color_attachments: &[colour(step.to, wgpu::LoadOp::Load)],
            timestamp_writes: timing.render(step.name),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &values, &[]);
        pass.set_bind_group(1, &image, &[]);
        let [left, top, width, height] = step.area;
        pass.set_scissor_rect(left, top, width, height);
        pass.draw(0..3, 0..1);
    }
}
