//! What belongs to one view of a picture: its textures, its lists, and its buffers.

use base::plain::bytes_of;
use view::classes::sky::SkyKind;
use view::{Light, Picture, PostValues};

use crate::gpu::blocks::{BloomBlock, LampBlock, LineBlock, ViewBlock};
use crate::gpu::buffer::GrowingBuffer;
use crate::gpu::camera::{Cast, Lens, cascades, disc_cosine};
use crate::gpu::effects::BlendedList;
use crate::gpu::finish::FinalUniform;
use crate::gpu::lamps;
use crate::gpu::options::GpuOptions;
use crate::gpu::scene::SceneTables;
use crate::gpu::targets::Targets;
use crate::resources::SkyResource;

/// The clusters of a view: columns, rows, slices. The shaders have the same numbers.
pub const CLUSTERS: u32 = 16 * 9 * 24;
/// The words of a cluster: a count and that many lamps.
const CLUSTER_WORDS: u64 = 32;
/// The width of a line of debug drawing, in pixels.
const LINE_WIDTH: f32 = 1.4;

/// One view of a picture.
pub struct Viewing {
    /// The part of the picture it fills: left, top, width, height. Its textures may have another size.
    pub pixels: [u32; 4],
    /// Its textures.
    pub targets: Targets,
    /// The view, as shaders read it.
    pub uniform: wgpu::Buffer,
    /// The lamps.
    pub lamps: GrowingBuffer,
    /// The lamps of each cluster.
    pub clusters: wgpu::Buffer,
    /// The steps of bloom: down, then up.
    pub bloom_steps: Vec<wgpu::Buffer>,
    /// What is blended.
    pub blended: BlendedList,
    /// Its sprites.
    pub sprites: GrowingBuffer,
    /// Its ribbons.
    pub ribbons: GrowingBuffer,
    /// Its decals.
    pub decals: GrowingBuffer,
    /// Its items that are drawn one by one.
    pub direct: GrowingBuffer,
    /// Its lines.
    pub lines: GrowingBuffer,
    /// How it is brought into the size of the picture.
    pub scaling: FinalUniform,
    /// The number of lines.
    pub line_count: u32,
    /// The number of lamps.
    pub lamp_count: u32,
    lamp_blocks: Vec<LampBlock>,
    line_blocks: Vec<LineBlock>,
}

/// What a view is made from.
pub struct ViewSource<'a> {
    /// The picture.
    pub picture: &'a Picture<'a>,
    /// The scene.
    pub scene: &'a SceneTables,
    /// The sky.
    pub sky: &'a SkyResource,
    /// The options.
    pub options: &'a GpuOptions,
    /// The factor on all light.
    pub brightness: f32,
}

impl Viewing {
    /// A view that fills these pixels, drawn in a size.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, pixels: [u32; 4], size: [u32; 2]) -> Viewing {
        let targets = Targets::new(device, size);
        let storage = wgpu::BufferUsages::STORAGE;
        let growing = |label| GrowingBuffer::new(device, label, storage);
        let buffer = |label, size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
        };
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let steps = bloom_steps(&targets);
        let bloom_steps = steps.iter().map(|step| {
            let made = buffer("bloom", size_of::<BloomBlock>() as u64, uniform);
            queue.write_buffer(&made, 0, bytes_of(step));
            made
        });
        Viewing {
            pixels,
            bloom_steps: bloom_steps.collect(),
            targets,
            uniform: buffer("view", size_of::<ViewBlock>() as u64, uniform),
            lamps: growing("lamps"),
            clusters: buffer("clusters", u64::from(CLUSTERS) * CLUSTER_WORDS * 4, storage),
            blended: BlendedList::default(),
            sprites: growing("sprites"),
            ribbons: growing("ribbons"),
            decals: growing("decals"),
            direct: growing("direct"),
            lines: growing("lines"),
            scaling: FinalUniform::new(device),
            line_count: 0,
            lamp_count: 0,
            lamp_blocks: Vec::new(),
            line_blocks: Vec::new(),
        }
    }

    /// Writes the view, its lamps and its lines.
    pub fn update(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, source: &ViewSource<'_>, lens: &Lens) {
        let picture = source.picture;
        let frame = picture.frame;
        let from_models = source.scene.lamps.iter().filter_map(|place| {
            let instance = frame.instances.get(place.instance as usize)?;
            let turn = |vector| instance.orientation.turned(instance.angular_velocity, picture.ahead).rotate(vector);
            Some(Light {
                position: instance.position
                    + instance.velocity * picture.ahead
                    + turn(place.light.position * instance.scale),
                direction: turn(place.light.direction),
                ..place.light
            })
        });
        let lights = frame.lights.iter().chain(&picture.visuals.lights).copied().chain(from_models);
        lamps::chosen(lights, lens.eye, &mut self.lamp_blocks);
        self.lamp_count = self.lamp_blocks.len() as u32;
        self.lamps.write(device, queue, &self.lamp_blocks);
        self.line_blocks.clear();
        self.line_blocks.extend(frame.drawing.lines().iter().map(|line| LineBlock {
            from: (line.from - lens.eye).to_array(),
            colour: u32::from_le_bytes([line.colour.red, line.colour.green, line.colour.blue, 255]),
            to: (line.to - lens.eye).to_array(),
            width: LINE_WIDTH,
        }));
        self.line_count = self.line_blocks.len() as u32;
        if !self.lines.write(device, queue, &self.line_blocks) {
            self.line_count = 0;
        }
        let block = view_block(source, lens, self.targets.size, self.lamp_count);
        queue.write_buffer(&self.uniform, 0, bytes_of(&block));
        self.sprites.write(device, queue, &self.blended.sprites);
        self.ribbons.write(device, queue, &self.blended.ribbons);
        self.decals.write(device, queue, &self.blended.decals);
        self.direct.write(device, queue, &self.blended.items);
    }
}

fn bloom_steps(targets: &Targets) -> Vec<BloomBlock> {
    let size = |level: usize| targets.bloom_sizes[level].map(|side| side as f32);
    let levels = targets.bloom_sizes.len();
    let down = (0..levels).map(|level| BloomBlock {
        size: size(level),
        is_first: if level == 0 { 1.0 } else { 0.0 },
        weight: 0.0,
    });
    let up = (0..levels - 1).rev().map(|level| BloomBlock { size: size(level), is_first: 0.0, weight: 0.62 });
    down.chain(up).collect()
}

fn view_block(source: &ViewSource<'_>, lens: &Lens, size: [u32; 2], lamp_count: u32) -> ViewBlock {
    let (picture, scene, sky, options) = (source.picture, source.scene, source.sky, source.options);
    let [width, height] = size.map(|side| side as f32);
    let sun = sky.sun_direction.normal_or(base::Vec3::Z);
    let has_sun = sky.sun_light.max_component() > 0.0;
    let cast = Cast {
        sun,
        middle: scene.middle,
        radius: scene.radius,
        count: if has_sun { options.cascades } else { 0 },
        side: options.shadow_side,
        distance: options.shadow_distance,
    };
    let up = picture.frame.up.normal_or(base::Vec3::Z);
    let flag = |value: bool, strength: f32| if value { strength } else { 0.0 };
    // Cells of a grid over a face of the sky's cube, each with one star: twice six faces.
    let stars = if sky.kind == SkyKind::Stars { sky.stars } else { 0.0 };
    let cells = base::number::sqrt(stars * STARS / 6.0 / 1.4);
    ViewBlock {
        projection: lens.projection(),
        right: lens.right.with_w(lens.tangents[0]).to_array(),
        up: lens.up.with_w(lens.tangents[1]).to_array(),
        forward: lens.forward.with_w(lens.near).to_array(),
        eye: lens.eye.with_w(if picture.ahead.is_finite() { picture.ahead } else { 0.0 }).to_array(),
        size: [width, height, 1.0 / width, 1.0 / height],
        planes: lens.planes(),
        cascades: cascades(lens, &cast),
        sun: sun.with_w(disc_cosine(sky.sun_radius)).to_array(),
        sun_colour: sky.sun_light.with_w(sky.exposure * source.brightness).to_array(),
        fog: sky.fog_colour.with_w(sky.fog_density).to_array(),
        level_up: up.with_w(FOG_FALLOFF).to_array(),
        detail: [
            height * 0.5 / lens.tangents[1] / options.error_pixels,
            LEAST_PIXELS,
            cast.count as f32,
            options.shadow_distance,
        ],
        counts: [scene.items.len() as u32, slot_count(scene), scene.list_length, lamp_count],
        strength: [
            1.0,
            flag(options.has_occlusion, 0.9),
            flag(options.has_bloom, base::number::min(sky.bloom * BLOOM, 0.5)),
            1.0,
        ],
        stars: [cells, STAR_LIGHT * sky.brightness, (sky.seed % 9973) as f32, picture.frame.moment.seconds as f32],
        ambient_above: sky.ambient[0].with_w(0.0).to_array(),
        ambient_below: sky.ambient[1].with_w(0.0).to_array(),
        post_curve: [
            lens.post.light,
            lens.post.saturation,
            lens.post.contrast,
            if lens.post == PostValues::NONE { 0.0 } else { 1.0 },
        ],
        post_tint: with_w(lens.post.tint, lens.post.vignette.1),
        post_vignette: with_w(lens.post.vignette.0, lens.post.fade.1),
        post_fade: with_w(lens.post.fade.0, 0.0),
    }
}

fn with_w([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}

/// The part of the light that bloom spreads, for a bloom of 1.
const BLOOM: f32 = 0.1;
/// The stars of a clear night, and how bright the brightest are.
const STARS: f32 = 9000.0;
/// The light of the brightest stars.
const STAR_LIGHT: f32 = 1.5;
/// Things whose radius is smaller than this are not drawn, in pixels.
const LEAST_PIXELS: f32 = 0.4;
/// Fog is thinner by a factor of e for each so many metres of height, as a reciprocal.
const FOG_FALLOFF: f32 = 1.0 / 60.0;

/// The slots of one view.
pub fn slot_count(scene: &SceneTables) -> u32 {
    scene.slots.iter().map(|(_, count)| count).sum()
}
