//! The glyph atlas: coverage of glyphs in one texture of 8 bits, packed in shelves.

use std::collections::BTreeMap;

use swash::scale::{Render, ScaleContext, Source};
use swash::zeno::{Format, Vector};

use crate::limits::{ATLAS_SIDE, GLYPHS_MAX, TEXT_SIZE_MAX};
use crate::reports::Reports;
use crate::text::fonts::Fonts;

/// A glyph of one font, size and position within a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlyphKey {
    font: u16,
    id: u16,
    /// The size in 64ths of a physical pixel per em.
    size: u16,
    /// The quarter of a pixel at which it begins.
    quarter: u8,
}

/// Where a glyph lies in the atlas. An empty glyph, as a space, has no width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtlasGlyph {
    /// The left edge in the atlas.
    pub x: u16,
    /// The top edge in the atlas.
    pub y: u16,
    /// Its width.
    pub width: u16,
    /// Its height.
    pub height: u16,
    /// From the origin of the glyph to its left edge, in pixels.
    pub left: i16,
    /// From the baseline up to its top edge, in pixels.
    pub top: i16,
}

/// The coverage of glyphs, one byte for each texel.
pub struct GlyphAtlas {
    texels: Vec<u8>,
    glyphs: BTreeMap<GlyphKey, AtlasGlyph>,
    shelves: Vec<Shelf>,
    is_full: bool,
    version: u64,
    scaling: ScaleContext,
}

/// A row of glyphs of about the same height.
#[derive(Clone, Copy, Debug)]
struct Shelf {
    top: u32,
    height: u32,
    used: u32,
}

/// Texels between glyphs, so that filtering does not mix them.
const GAP: u32 = 1;

impl GlyphKey {
    /// The key of a glyph at a size in physical pixels per em; sizes are limited.
    pub fn new(font: u16, id: u16, size: f32, quarter: u8) -> GlyphKey {
        let size = base::number::clamp(size, 1.0, TEXT_SIZE_MAX);
        // Large glyphs are drawn at whole sizes: the difference is not seen, and fewer of them are kept.
        let steps = base::number::round(size * 64.0);
        GlyphKey { font, id, size: steps as u16, quarter: quarter & 3 }
    }
}

impl GlyphAtlas {
    /// An empty atlas.
    pub fn new() -> GlyphAtlas {
        GlyphAtlas {
            texels: vec![0; (ATLAS_SIDE * ATLAS_SIDE) as usize],
            glyphs: BTreeMap::new(),
            shelves: Vec::new(),
            is_full: false,
            version: 0,
            scaling: ScaleContext::new(),
        }
    }

    /// Its texels: rows of [`ATLAS_SIDE`] bytes from top to bottom, 255 where a glyph covers all of a texel.
    pub fn texels(&self) -> &[u8] {
        &self.texels
    }

    /// Changes whenever a texel changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Empties it if it has become full.
    pub(super) fn begin_picture(&mut self) {
        if self.is_full {
            self.texels.fill(0);
            self.glyphs.clear();
            self.shelves.clear();
            self.is_full = false;
            self.version += 1;
        }
    }

    /// A glyph, which is rasterised when it is new. None if the atlas is full: it is left out of this picture.
    pub(super) fn glyph(&mut self, key: GlyphKey, fonts: &Fonts, reports: &mut Reports) -> Option<AtlasGlyph> {
        if let Some(known) = self.glyphs.get(&key) {
            return Some(*known);
        }
        let image = self.rasterise(key, fonts);
        let (width, height) = if image.height == 0 { (0, 0) } else { (image.width, image.height) };
        let place = if width == 0 || height == 0 { Some((0, 0)) } else { self.allocate(width, height) };
        let Some((x, y)) = place.filter(|_| self.glyphs.len() < GLYPHS_MAX) else {
            self.is_full = true;
            reports
                .general("atlas full", || "the texts of one picture have more glyphs than the atlas holds".to_string());
            return None;
        };
        for (row, texels) in image.coverage.chunks_exact(width.max(1) as usize).take(height as usize).enumerate() {
            let start = (y as usize + row) * ATLAS_SIDE as usize + x as usize;
            self.texels[start..start + texels.len()].copy_from_slice(texels);
        }
        let made = AtlasGlyph {
            x: x as u16,
            y: y as u16,
            width: width as u16,
            height: height as u16,
            left: image.left as i16,
            top: image.top as i16,
        };
        self.glyphs.insert(key, made);
        self.version += 1;
        Some(made)
    }

    fn rasterise(&mut self, key: GlyphKey, fonts: &Fonts) -> GlyphCoverage {
        let size = f32::from(key.size) / 64.0;
        let offset = f32::from(key.quarter) / 4.0;
        let drawn = fonts.font(key.font).filter(|_| key.id != 0).and_then(|font| {
            let mut scaler = self.scaling.builder(font).size(size).hint(false).build();
            let image = Render::new(&[Source::Outline])
                .format(Format::Alpha)
                .offset(Vector::new(offset, 0.0))
                .render(&mut scaler, key.id)?;
            let place = image.placement;
            let is_sound = place.width <= 2 * TEXT_SIZE_MAX as u32
                && place.height <= 2 * TEXT_SIZE_MAX as u32
                && image.data.len() == place.width as usize * place.height as usize
                && [place.left, place.top].iter().all(|value| i16::try_from(*value).is_ok());
            let coverage = image.data;
            is_sound.then_some(GlyphCoverage {
                width: place.width,
                height: place.height,
                left: place.left,
                top: place.top,
                coverage,
            })
        });
        match drawn {
            Some(drawn) => drawn,
            None if key.id == 0 => missing(size),
            None => GlyphCoverage::default(),
        }
    }

    /// A free rectangle, on the first shelf whose height fits.
    fn allocate(&mut self, width: u32, height: u32) -> Option<(u32, u32)> {
        let (wide, high) = (width + GAP, height + GAP);
        let fits = |shelf: &&mut Shelf| {
            high <= shelf.height && shelf.height <= high + high / 4 + 2 && shelf.used + wide <= ATLAS_SIDE
        };
        if let Some(shelf) = self.shelves.iter_mut().find(fits) {
            let x = shelf.used;
            shelf.used += wide;
            return Some((x, shelf.top));
        }
        let top = self.shelves.last().map_or(0, |shelf| shelf.top + shelf.height);
        if top + high > ATLAS_SIDE || wide > ATLAS_SIDE {
            return None;
        }
        self.shelves.push(Shelf { top, height: high, used: wide });
        Some((0, top))
    }
}

impl Default for GlyphAtlas {
    fn default() -> GlyphAtlas {
        GlyphAtlas::new()
    }
}

/// The coverage of a glyph.
#[derive(Default)]
struct GlyphCoverage {
    width: u32,
    height: u32,
    left: i32,
    top: i32,
    coverage: Vec<u8>,
}

/// A box for a character that no font has.
fn missing(size: f32) -> GlyphCoverage {
    let (width, height) = ((size * 0.5) as u32 + 2, (size * 0.7) as u32 + 2);
    let line = (size / 16.0) as u32 + 1;
    let is_border = |x: u32, y: u32| x < line || y < line || x + line >= width || y + line >= height;
    let texel = |at: u32| if is_border(at % width, at / width) { 200 } else { 0 };
    GlyphCoverage { width, height, left: 1, top: height as i32, coverage: (0..width * height).map(texel).collect() }
}
