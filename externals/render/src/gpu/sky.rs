//! The sky of a level: baked once into a cube, its reflections and its light.

use base::Vec3;
use base::number::max;
use base::plain::bytes_of;
use view::classes::bitmap::BitmapKind;
use view::classes::sky::SkyKind;
use view::texels::decode_floats;

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::blocks::SkyBlock;
use crate::gpu::pipelines::Pipelines;
use crate::gpu::targets::NO_VIEW;
use crate::resources::{ContentSource, Resources, SkyResource, TextureResource};

/// The side of the cube of reflections.
const REFLECTION_SIDE: u32 = 64;
/// Its levels, from a mirror to the roughest surface. The shader has the same number.
const REFLECTION_LEVELS: u32 = 5;

/// The baked sky.
pub struct BakedSky {
    /// The sky itself, as a cube.
    pub cube: wgpu::TextureView,
    /// Its reflections, one level for each roughness.
    pub reflections: wgpu::TextureView,
    /// Its light as spherical harmonics.
    pub harmonics: wgpu::Buffer,
    key: Option<(u64, [u32; 3], u64)>,
    sky_texture: wgpu::Texture,
    reflection_texture: wgpu::Texture,
    side: u32,
}

/// With what skies are baked.
pub struct SkyWork<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// The pipelines.
    pub pipelines: &'a Pipelines,
    /// A sampler of cubes.
    pub sampler: &'a wgpu::Sampler,
}

impl BakedSky {
    /// A sky that has not been baked.
    pub fn new(device: &wgpu::Device, side: u32) -> BakedSky {
        let sky_texture = cube_texture(device, side, 1, wgpu::TextureUsages::STORAGE_BINDING);
        let reflection_texture =
            cube_texture(device, REFLECTION_SIDE, REFLECTION_LEVELS, wgpu::TextureUsages::STORAGE_BINDING);
        BakedSky {
            cube: cube_view(&sky_texture),
            reflections: cube_view(&reflection_texture),
            harmonics: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("sky light"),
                size: 9 * 16,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            }),
            key: None,
            sky_texture,
            reflection_texture,
            side,
        }
    }

    /// The side of a face of its cube.
    pub fn side(&self) -> u32 {
        self.side
    }

    /// Bakes a sky, unless it is the one that was baked last.
    pub fn update(
        &mut self,
        work: &SkyWork<'_>,
        sky: &SkyResource,
        up: Vec3,
        resources: &mut Resources,
        source: ContentSource<'_>,
    ) {
        let is_cube = sky.kind == SkyKind::Cube && !sky.bitmap.is_none();
        let bitmap = is_cube.then(|| resources.texture(sky.bitmap, source).ready()).flatten();
        let key = (sky.serial, up.to_array().map(f32::to_bits), bitmap.as_ref().map_or(0, |bitmap| bitmap.serial));
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        let image = bitmap.and_then(|bitmap| bitmap_cube(work, &bitmap));
        let mut block = sky_block(sky, up);
        block.flags[0] = u32::from(image.is_some());
        let mean = ambient_mean(sky);
        let mut encoder = work.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("sky") });
        // Bound where a step reads or writes nothing.
        let spare = cube_texture(work.device, 1, 1, wgpu::TextureUsages::STORAGE_BINDING);
        let source_cube = cube_view(image.as_ref().unwrap_or(&spare));
        block.step = [0.0, self.side as f32, 0.0, mean];
        let target = view_of(&self.sky_texture, 0, wgpu::TextureViewDimension::D2Array);
        let bake =
            SkyStep { pipeline: &work.pipelines.sky_bake, source: &source_cube, target: &target, side: self.side };
        self.dispatch(work, &mut encoder, &block, &bake);
        for level in 0..REFLECTION_LEVELS {
            let side = REFLECTION_SIDE >> level;
            let roughness = level as f32 / (REFLECTION_LEVELS - 1) as f32;
            block.step = [level as f32, side as f32, max(roughness, 0.03), mean];
            let target = view_of(&self.reflection_texture, level, wgpu::TextureViewDimension::D2Array);
            let blur = SkyStep { pipeline: &work.pipelines.sky_blur, source: &self.cube, target: &target, side };
            self.dispatch(work, &mut encoder, &block, &blur);
        }
        // The roughest reflections are smooth enough for eight directions along each side of a face.
        let rough = view_of(&self.reflection_texture, REFLECTION_LEVELS - 1, wgpu::TextureViewDimension::Cube);
        let target = view_of(&spare, 0, wgpu::TextureViewDimension::D2Array);
        let project = SkyStep { pipeline: &work.pipelines.sky_project, source: &rough, target: &target, side: 0 };
        self.dispatch(work, &mut encoder, &block, &project);
        work.queue.submit([encoder.finish()]);
    }

    fn dispatch(&self, work: &SkyWork<'_>, encoder: &mut wgpu::CommandEncoder, block: &SkyBlock, step: &SkyStep<'_>) {
        let uniform = work.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("sky"),
            size: size_of::<SkyBlock>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        work.queue.write_buffer(&uniform, 0, bytes_of(block));
        let bindings = group(
            work.device,
            &work.layouts.sky,
            &[
                Bound::Buffer(&uniform),
                Bound::View(step.source),
                Bound::Sampler(work.sampler),
                Bound::View(step.target),
                Bound::Buffer(&self.harmonics),
            ],
        );
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(step.pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        let count = step.side.div_ceil(8).max(1);
        pass.dispatch_workgroups(count, count, if step.side == 0 { 1 } else { 6 });
    }
}

/// One dispatch of baking: all faces of a side, or one thread group if the side is 0.
struct SkyStep<'a> {
    pipeline: &'a wgpu::ComputePipeline,
    source: &'a wgpu::TextureView,
    target: &'a wgpu::TextureView,
    side: u32,
}

fn ambient_mean(sky: &SkyResource) -> f32 {
    let [above, below] = sky.ambient.map(|light| light.dot(Vec3::new(0.2126, 0.7152, 0.0722)));
    (above + below) * 0.5
}

fn sky_block(sky: &SkyResource, up: Vec3) -> SkyBlock {
    let wide = |vector: Vec3, last: f32| vector.with_w(last).to_array();
    let [above, below] = sky.ambient;
    // Space is not black: the faint light that everything gets comes from somewhere.
    let [zenith, horizon, ground] = match sky.kind {
        SkyKind::Day => [sky.zenith, sky.horizon, below],
        SkyKind::Stars | SkyKind::Cube => [above * 0.06, (above + below) * 0.03, below * 0.06],
    }
    .map(|light| light * sky.brightness);
    let count = if sky.kind == SkyKind::Stars { sky.nebulae.len() } else { 0 };
    let nebula = |index: usize| if count > 0 { sky.nebulae[index % count] * sky.brightness } else { Vec3::ZERO };
    SkyBlock {
        zenith: wide(zenith, sky.brightness),
        horizon: wide(horizon, 0.0),
        ground: wide(ground, 0.0),
        nebula_a: wide(nebula(0), 0.0),
        nebula_b: wide(nebula(1), if count > 0 { 0.55 } else { 0.0 }),
        nebula_c: wide(nebula(2), 0.0),
        up: wide(up, (sky.seed % 9973) as f32),
        sun: wide(sky.sun_direction, if sky.kind == SkyKind::Day { 1.0 } else { 0.0 }),
        sun_light: wide(sky.sun_light, 0.0),
        step: [0.0; 4],
        flags: [0; 4],
    }
}

/// The cube of a bitmap, at half floats. None if it is not a cube, or its bytes are not texels.
fn bitmap_cube(work: &SkyWork<'_>, bitmap: &TextureResource) -> Option<wgpu::Texture> {
    let level = bitmap.levels.first()?;
    if bitmap.kind != BitmapKind::Cube || bitmap.layers != 6 || level.width != level.height {
        return None;
    }
    let side = level.width;
    let texture = cube_texture(work.device, side, 1, wgpu::TextureUsages::COPY_DST);
    let bytes = level.bytes.len() / 6;
    for face in 0..6 {
        let texels = decode_floats(&level.bytes[face * bytes..(face + 1) * bytes], side, side, bitmap.format)?;
        let is_colour =
            bitmap.colour_space == view::classes::bitmap::ColourSpace::Srgb && !view::texels::is_float(bitmap.format);
        let halves: Vec<u16> = texels
            .iter()
            .flat_map(|texel| {
                let linear = |value: f32| if is_colour { srgb_to_linear(value) } else { value };
                [linear(texel[0]), linear(texel[1]), linear(texel[2]), 1.0].map(crate::gpu::geometry::half_float)
            })
            .collect();
        let target = wgpu::TexelCopyTextureInfo {
            texture: &texture,
            mip_level: 0,
            origin: wgpu::Origin3d { x: 0, y: 0, z: face as u32 },
            aspect: wgpu::TextureAspect::All,
        };
        let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(side * 8), rows_per_image: Some(side) };
        let extent = wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 };
        work.queue.write_texture(target, base::plain::cast_slice(&halves), rows, extent);
    }
    Some(texture)
}

fn srgb_to_linear(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { base::number::pow((value + 0.055) / 1.055, 2.4) }
}

fn cube_texture(device: &wgpu::Device, side: u32, levels: u32, usage: wgpu::TextureUsages) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("cube"),
        size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 6 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba16Float,
        usage: usage | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

fn cube_view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor { dimension: Some(wgpu::TextureViewDimension::Cube), ..NO_VIEW })
}

fn view_of(texture: &wgpu::Texture, level: u32, dimension: wgpu::TextureViewDimension) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(dimension),
        base_mip_level: level,
        mip_level_count: Some(1),
        ..NO_VIEW
    })
}
