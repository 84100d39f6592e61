//! The software renderer: a picture on the processor, with the same bits everywhere.
//!
//! | pass | |
//! |---|---|
//! | gather | instances become draws: levels of detail, surfaces, skins; what the eye cannot see is left out |
//! | shadow | the heights of what lies towards the sun, in one map |
//! | set up | triangles in sixteenths of pixels, in bins of tiles |
//! | tiles | four samples a pixel find their nearest triangle; then each visible surface is shaded once a pixel |
//! | develop | glow, outlines, tone curve, dither; then the size of the screen, if the world was drawn in another one |
//! | canvas | the interface and the overlay; then the colours for the player's eyes |
//!
//! Laws
//! 1. Only `+ − × ÷ √` of 32-bit floats in written order, integers, and the functions of `base::number`.
//! 2. Work is cut by the picture alone, into chunks of triangles and rows of tiles; threads only choose who does it.
//! 3. Nothing that is not finite reaches the rasteriser.

mod background;
mod bins;
mod canvas;
mod decals;
mod draws;
mod eye;
mod flats;
mod geometry;
mod grain;
mod overlay;
mod post;
mod resize;
mod shade;
mod shadow;
mod skin;
mod texture;
mod threads;
mod tile;
mod view_pass;
mod whole;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use base::{StringId, Vec3};
use tags::Library;
use view::{BulkSource, Light, Picture, PictureSettings, PostValues, Quality};

use crate::limits::{LIGHTS_MAX, PICTURE_SIDE_MAX, VIEWS_MAX};
use crate::renderer::{PassTime, Pixels, RenderError, Renderer, check_size};
use crate::resources::{ContentSource, Loaded, Resources, SkyResource};
use crate::text::Text;
use crate::vision;

use background::{Background, EyeBackground};
use bins::TileGrid;
use canvas::Rows;
use decals::PlacedDecal;
use draws::{Draws, Gathering};
use eye::Eye;
use flats::{FlatSource, Flats};
use geometry::Chunk;
use overlay::OverlayTextures;
use post::{Develop, Glow};
use resize::resized_row;
use shade::Shading;
use shadow::{ShadowMap, range_of};
use texture::{SampledTexture, SampledTextures};
use threads::for_each;
use view_pass::{ViewPass, ViewTarget};

/// The greatest side of texture levels: larger ones would be seen only in pictures that take seconds.
const TEXTURE_SIDE_MAX: u32 = 1024;
/// The rows of a picture that are developed at once.
const BAND_ROWS: usize = 32;

/// Draws pictures on the processor.
pub struct SoftwareRenderer {
    threads: usize,
    resources: Resources,
    textures: SampledTextures,
    text: Text,
    overlays: OverlayTextures,
    background: Background,
    shadow: ShadowMap,
    opaque: Vec<Chunk>,
    blended: Vec<Chunk>,
    flats: Flats,
    glow: Glow,
    /// The post effects of the views that have one, with their pixels.
    posts: Vec<([u32; 4], PostValues)>,
    light: Vec<[f32; 3]>,
    marks: Vec<[u8; 2]>,
    /// The world, where it is drawn in another size than the picture.
    world: Pixels,
    pixels: Pixels,
    settings: PictureSettings,
    times: Vec<PassTime>,
}

impl SoftwareRenderer {
    /// A renderer that works with this many threads, the caller's included. Their number does not change a picture.
    pub fn new(threads: usize) -> SoftwareRenderer {
        SoftwareRenderer {
            threads: threads.clamp(1, 256),
            resources: Resources::new(TEXTURE_SIDE_MAX),
            textures: SampledTextures::default(),
            text: Text::new(),
            overlays: OverlayTextures::default(),
            background: Background::default(),
            shadow: ShadowMap::new(),
            opaque: Vec::new(),
            blended: Vec::new(),
            flats: Flats::default(),
            glow: Glow::default(),
            posts: Vec::new(),
            light: Vec::new(),
            marks: Vec::new(),
            world: Pixels::default(),
            pixels: Pixels::default(),
            settings: PictureSettings::default(),
            times: Vec::new(),
        }
    }

    /// Draws one view into the light of the picture.
    fn draw_view(&mut self, eye: &Eye, picture: &Picture<'_>, source: ContentSource<'_>, sky: &SkyResource) {
        let clock = Instant::now();
        let grid = TileGrid::of(picture.size);
        let range = range_of(eye, picture.frame.instances.iter().map(|instance| instance.position));
        let (resources, textures) = (&mut self.resources, &mut self.textures);
        let draws = Draws::gather(eye, range * 1.3, &mut Gathering { picture, source, resources, textures });
        let mut texture = |bitmap: StringId| texture_of(bitmap, resources, textures, source);
        let decals = placed_decals(picture, eye, &mut texture);
        let lights = placed_lights(picture, &draws.lights, eye);
        let mut flat_source = FlatSource { eye, grid, texture: &mut texture };
        self.flats.gather(picture.visuals, &picture.frame.drawing, &mut flat_source);
        let cube = (!sky.bitmap.is_none()).then(|| texture(sky.bitmap));
        let clock = self.note("gather", clock);

        let has_shadows = sky.sun_light != Vec3::ZERO && self.settings.quality != Quality::Low;
        if has_shadows {
            self.shadow.draw(eye, &draws, sky.sun_direction, range, self.threads);
        }
        let clock = self.note("shadow", clock);

        let (opaque, blended) = geometry::orders(&draws, eye);
        let used = geometry::cut(&draws, &mut self.opaque, opaque.into_iter());
        let used_blended = geometry::cut(&draws, &mut self.blended, blended.into_iter());
        for_each(self.threads, &mut self.opaque[..used], |_, chunk| chunk.set_up(&draws, eye, grid));
        for_each(self.threads, &mut self.blended[..used_blended], |_, chunk| chunk.set_up(&draws, eye, grid));
        let clock = self.note("set up", clock);

        self.background.prepare(sky, picture.size, self.threads);
        let up = picture.frame.up.normal_or(Vec3::Z);
        let background = EyeBackground::of(&self.background, sky, eye, up, cube, grid);
        let shadow = has_shadows.then_some(&self.shadow);
        let shading = Shading { eye, draws: &draws, sky, up, shadow, lights: &lights, decals: &decals };
        let pass = ViewPass {
            shading: &shading,
            background: &background,
            opaque: &self.opaque[..used],
            blended: &self.blended[..used_blended],
            flats: &self.flats,
            grid,
        };
        let target = ViewTarget { light: &mut self.light, marks: &mut self.marks, size: picture.size };
        pass.draw(target, self.threads);
        self.note("tiles", clock);
    }

    /// From light to pixels of the world.
    fn develop(&mut self, size: [u32; 2], sky: &SkyResource) {
        let clock = Instant::now();
        let width = size[0] as usize;
        let exposure = sky.exposure * self.settings.brightness;
        let bloom = if self.settings.quality == Quality::Low { 0.0 } else { sky.bloom };
        self.glow.gather(&self.light, width, exposure, bloom, self.threads);
        self.pixels.size = size;
        self.pixels.bytes.resize(self.light.len() * 4, 255);
        let is_marked = self.marks.iter().any(|marks| *marks != [0; 2]);
        let develop = Develop {
            light: &self.light,
            marks: if is_marked { &self.marks } else { &[] },
            width,
            glow: &self.glow,
            exposure,
            posts: &self.posts,
        };
        let mut bands: Vec<&mut [u8]> = self.pixels.bytes.chunks_mut(width * 4 * BAND_ROWS).collect();
        for_each(self.threads, &mut bands, |index, band| {
            let mut glow = Vec::new();
            for (row, pixels) in band.chunks_exact_mut(width * 4).enumerate() {
                develop.row(index * BAND_ROWS + row, &mut glow, pixels);
            }
        });
        self.note("develop", clock);
    }

    /// Brings the world to the size of the picture.
    fn resize(&mut self, size: [u32; 2]) {
        if self.pixels.size == size {
            return;
        }
        std::mem::swap(&mut self.pixels, &mut self.world);
        let width = size[0] as usize * 4;
        self.pixels.size = size;
        self.pixels.bytes.resize(width * size[1] as usize, 255);
        let world = &self.world;
        let mut bands: Vec<&mut [u8]> = self.pixels.bytes.chunks_mut(width * BAND_ROWS).collect();
        for_each(self.threads, &mut bands, |index, band| {
            for (row, pixels) in band.chunks_exact_mut(width).enumerate() {
                resized_row(world, size, (index * BAND_ROWS + row) as u32, pixels);
            }
        });
    }

    /// Draws the canvas and the overlay over the world, and changes the colours for the player's eyes.
    fn draw_flat(&mut self, picture: &Picture<'_>, source: ContentSource<'_>) {
        let clock = Instant::now();
        let width = picture.size[0] as usize;
        self.overlays.apply(picture.overlay);
        let (resources, textures) = (&mut self.resources, &mut self.textures);
        let mut texture = |bitmap: StringId| texture_of(bitmap, resources, textures, source);
        let items = canvas::items(picture.canvas, picture.size, &mut self.text, &mut texture);
        let (atlas, overlays) = (self.text.atlas().texels(), &self.overlays);
        let correction = vision::correction(self.settings.colour_vision);
        let mut bands: Vec<&mut [u8]> = self.pixels.bytes.chunks_mut(width * 4 * BAND_ROWS).collect();
        for_each(self.threads, &mut bands, |index, band| {
            let mut rows = Rows { first: (index * BAND_ROWS) as i32, width: width as i32, pixels: band };
            items.iter().for_each(|item| rows.draw(item, atlas));
            picture.overlay.meshes.iter().for_each(|mesh| rows.overlay(mesh, overlays.get(mesh.texture)));
            if let Some(matrix) = &correction {
                vision::correct(matrix, rows.pixels);
            }
        });
        self.overlays.free(picture.overlay);
        self.note("canvas", clock);
    }

    fn note(&mut self, name: &'static str, since: Instant) -> Instant {
        let now = Instant::now();
        let milliseconds = (now - since).as_secs_f32() * 1000.0;
        match self.times.iter_mut().find(|time| time.name == name) {
            Some(time) => time.milliseconds += milliseconds,
            None => self.times.push(PassTime { name, milliseconds }),
        }
        now
    }
}

impl Renderer for SoftwareRenderer {
    fn draw(&mut self, picture: &Picture<'_>, content: &Library, bulk: &dyn BulkSource) -> Result<(), RenderError> {
        check_size(picture.size)?;
        self.times.clear();
        self.resources.begin_picture();
        self.textures.begin_picture();
        self.text.update(content, bulk);
        let source = ContentSource { content, bulk };
        let sky = self.resources.sky(picture.frame.sky, source);
        let drawn = Picture { size: self.settings.drawn_size(picture.size, PICTURE_SIDE_MAX), ..*picture };
        let pixels = drawn.size[0] as usize * drawn.size[1] as usize;
        self.light.clear();
        self.light.resize(pixels, [0.0; 3]);
        self.marks.clear();
        self.marks.resize(pixels, [0; 2]);
        self.posts.clear();
        for view in picture.views.iter().take(VIEWS_MAX) {
            if let Some(eye) = Eye::of(view, drawn.size) {
                self.posts.extend((view.post != PostValues::NONE).then_some((eye.area, view.post)));
                self.draw_view(&eye, &drawn, source, &sky);
            }
        }
        self.develop(drawn.size, &sky);
        self.resize(picture.size);
        self.draw_flat(picture, source);
        Ok(())
    }

    fn set_settings(&mut self, settings: PictureSettings) {
        self.settings = settings.sound();
    }

    fn read_pixels(&mut self) -> Result<Pixels, RenderError> {
        if self.pixels.bytes.is_empty() { Err(RenderError::NoPicture) } else { Ok(self.pixels.clone()) }
    }

    fn pass_times(&self) -> &[PassTime] {
        &self.times
    }

    fn loading(&self) -> usize {
        self.resources.loading()
    }

    fn take_reports(&mut self) -> Vec<String> {
        let mut reports = self.resources.take_reports();
        reports.append(&mut self.text.take_reports());
        reports
    }

    fn text(&mut self) -> &mut Text {
        &mut self.text
    }
}

fn texture_of(
    bitmap: StringId,
    resources: &mut Resources,
    textures: &mut SampledTextures,
    source: ContentSource<'_>,
) -> Arc<SampledTexture> {
    match resources.texture(bitmap, source) {
        Loaded::Ready(resource) => textures.get(&resource),
        Loaded::Loading | Loaded::Failed => Arc::new(SampledTexture::checker()),
    }
}

fn placed_decals(
    picture: &Picture<'_>,
    eye: &Eye,
    texture: &mut dyn FnMut(StringId) -> Arc<SampledTexture>,
) -> Vec<PlacedDecal> {
    let decals = picture.visuals.decals.iter().take(view::limits::DECALS_MAX);
    let placed = decals.filter_map(|decal| {
        let texture = (!decal.bitmap.is_none()).then(|| texture(decal.bitmap));
        PlacedDecal::of(decal, eye.position, texture)
    });
    placed.filter(|decal| eye.sees(decal.centre, decal.radius)).collect()
}

/// The lights that may shine on what the eye sees, relative to it. Those of models are so already.
fn placed_lights(picture: &Picture<'_>, of_models: &[Light], eye: &Eye) -> Vec<Light> {
    let all = picture.frame.lights.iter().chain(&picture.visuals.lights);
    let relative = all.map(|light| Light { position: light.position - eye.position, ..*light });
    let is_sound = |light: &Light| {
        light.position.is_finite()
            && light.intensity.is_finite()
            && light.direction.is_finite()
            && light.cone.is_finite()
    };
    let placed = relative.chain(of_models.iter().copied()).filter(is_sound).map(|light| {
        let range = if light.range > 0.0 && light.range < 1e6 { light.range } else { 1e6 };
        Light { direction: light.direction.normal(), range, ..light }
    });
    placed.filter(|light| eye.sees(light.position, light.range)).take(LIGHTS_MAX).collect()
}
