//! Everything that is blended, from back to front: sprites, ribbons and blended meshes. Decals too, which are blended with
//! surfaces.

use base::Vec3;
use base::number::max;
use view::{Blend, Decal, Picture, Ribbon, Sprite};

use crate::gpu::blocks::{DecalBlock, NONE, RibbonBlock, SpriteBlock};
use crate::gpu::camera::Lens;
use crate::gpu::geometry::PooledLevel;
use crate::gpu::poses::rows;
use crate::gpu::scene::{DirectItem, SceneTables};
use crate::gpu::textures::{BitmapWish, LayerWish, TextureArrays, Upload, code};
use crate::limits::{DECALS_DRAWN_MAX, SPRITES_MAX};
use crate::resources::Resources;

/// What is blended in one view, in order.
#[derive(Default)]
pub struct BlendedList {
    /// Sprites, in the order of their draws.
    pub sprites: Vec<SpriteBlock>,
    /// Points of ribbons.
    pub ribbons: Vec<RibbonBlock>,
    /// Decals.
    pub decals: Vec<DecalBlock>,
    /// Items that are drawn one by one: those of blended meshes, then those with outlines.
    pub items: Vec<u32>,
    /// The draws, from back to front.
    pub draws: Vec<BlendedDraw>,
    /// The draws of things with outlines.
    pub outlines: Vec<MeshDraw>,
    order: Vec<(u32, Source)>,
}

/// A draw of something blended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlendedDraw {
    /// So many sprites in a row.
    Sprites {
        /// The first.
        first: u32,
        /// The number.
        count: u32,
    },
    /// A ribbon with so many points.
    Ribbon {
        /// The first point.
        first: u32,
        /// The number of points.
        count: u32,
    },
    /// A mesh.
    Mesh(MeshDraw),
}

/// A draw of one mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshDraw {
    /// What is drawn.
    pub level: PooledLevel,
    /// The place of its item in `BlendedList::items`.
    pub entry: u32,
}

#[derive(Clone, Copy)]
enum Source {
    Sprite(u32),
    Ribbon(u32),
    Mesh(u32),
}

/// The bits of `SpriteBlock::flags`.
mod flag {
    pub const ADDITIVE: u32 = 1;
    pub const DISC: u32 = 2;
}

impl BlendedList {
    /// Lists what a camera sees.
    pub fn update(
        &mut self,
        picture: &Picture<'_>,
        lens: &Lens,
        scene: &SceneTables,
        arrays: &mut TextureArrays,
        resources: &mut Resources,
        upload: &Upload<'_>,
    ) {
        self.sprites.clear();
        self.ribbons.clear();
        self.decals.clear();
        self.items.clear();
        self.draws.clear();
        self.outlines.clear();
        self.sort(picture, lens, scene);
        let order = std::mem::take(&mut self.order);
        let visuals = picture.visuals;
        for (_, source) in &order {
            match *source {
                Source::Sprite(index) => {
                    let sprite = &visuals.sprites[index as usize];
                    let texture = clamped(arrays.code(
                        upload,
                        resources,
                        BitmapWish { layer: LayerWish::Frame(sprite.frame), ..BitmapWish::first(sprite.bitmap) },
                    ));
                    self.push_sprite(sprite, texture, lens);
                }
                Source::Ribbon(index) => {
                    let ribbon = &visuals.ribbons[index as usize];
                    let texture = arrays.code(upload, resources, BitmapWish::first(ribbon.bitmap));
                    let texture = if texture == NONE { NONE } else { texture | code::CLAMP_V };
                    self.push_ribbon(ribbon, picture, texture, lens);
                }
                Source::Mesh(index) => {
                    let draw = self.mesh_draw(&scene.blended[index as usize], picture, lens);
                    self.draws.extend(draw.map(BlendedDraw::Mesh));
                }
            }
        }
        self.order = order;
        for item in &scene.outlined {
            let draw = self.mesh_draw(item, picture, lens);
            self.outlines.extend(draw);
        }
        for decal in visuals.decals.iter().take(DECALS_DRAWN_MAX).filter(|decal| is_drawn(decal)) {
            let texture = clamped(arrays.code(upload, resources, BitmapWish::first(decal.bitmap)));
            self.decals.push(decal_block(decal, texture, lens.eye));
        }
    }

    /// The order from back to front; the index decides between equals.
    fn sort(&mut self, picture: &Picture<'_>, lens: &Lens, scene: &SceneTables) {
        let visuals = picture.visuals;
        self.order.clear();
        // Larger distances first. The bits of positive floats are in the order of their values.
        let key = |distance: f32| !max(distance, 0.0).to_bits();
        for (index, sprite) in (0..).zip(visuals.sprites.iter().take(SPRITES_MAX)) {
            let away = sprite.position - lens.eye;
            let depth = away.dot(lens.forward);
            let reach = sprite.size + sprite.stretch.length();
            let is_seen = away.is_finite() && reach.is_finite() && sprite.size > 0.0 && depth > lens.near - reach;
            if is_seen && sprite.colour[3] > 0.0 {
                self.order.push((key(depth), Source::Sprite(index)));
            }
        }
        for (index, ribbon) in (0..).zip(&visuals.ribbons) {
            let points = ribbon.points.of(&visuals.ribbon_points);
            if points.len() >= 2 && points.iter().all(|point| point.position.is_finite() && point.width.is_finite()) {
                let middle = points[points.len() / 2].position - lens.eye;
                self.order.push((key(middle.dot(lens.forward)), Source::Ribbon(index)));
            }
        }
        for (index, item) in (0..).zip(&scene.blended) {
            let instance = &picture.frame.instances[item.instance as usize];
            let away = instance.position + instance.velocity * picture.ahead - lens.eye;
            self.order.push((key(away.dot(lens.forward)), Source::Mesh(index)));
        }
        self.order.sort_by_key(|(key, _)| *key);
    }

    fn push_sprite(&mut self, sprite: &Sprite, texture: u32, lens: &Lens) {
        let at = self.sprites.len() as u32;
        let is_additive = u32::from(sprite.blend == Blend::Additive) * flag::ADDITIVE;
        self.sprites.push(SpriteBlock {
            position: (sprite.position - lens.eye).to_array(),
            size: sprite.size,
            stretch: sprite.stretch.to_array(),
            rotation: sprite.rotation,
            colour: sprite.colour,
            texture,
            flags: is_additive | flag::DISC,
            pad: [0; 2],
        });
        match self.draws.last_mut() {
            Some(BlendedDraw::Sprites { count, .. }) => *count += 1,
            _ => self.draws.push(BlendedDraw::Sprites { first: at, count: 1 }),
        }
    }

    fn push_ribbon(&mut self, ribbon: &Ribbon, picture: &Picture<'_>, texture: u32, lens: &Lens) {
        let points = ribbon.points.of(&picture.visuals.ribbon_points);
        let first = self.ribbons.len() as u32;
        let flags = u32::from(ribbon.blend == Blend::Additive) * flag::ADDITIVE;
        let mut along = 0.0;
        for (index, point) in points.iter().enumerate() {
            let before = points[index.saturating_sub(1)].position;
            let after = points[(index + 1).min(points.len() - 1)].position;
            // A bitmap is repeated as often as it is wide.
            along += point.position.distance(before) / max(point.width * 2.0, 1e-3);
            self.ribbons.push(RibbonBlock {
                position: (point.position - lens.eye).to_array(),
                width: point.width,
                colour: point.colour,
                direction: (after - before).normal_or(lens.forward).to_array(),
                along,
                texture,
                flags,
                pad: [0; 2],
            });
        }
        self.draws.push(BlendedDraw::Ribbon { first, count: points.len() as u32 });
    }

    fn mesh_draw(&mut self, item: &DirectItem, picture: &Picture<'_>, lens: &Lens) -> Option<MeshDraw> {
        let instance = picture.frame.instances.get(item.instance as usize)?;
        let distance = max(instance.position.distance(lens.eye), lens.near);
        // A thousand pixels in height are enough to choose a level by.
        let allowed = distance * lens.tangents[1] * 2.0 / 1000.0 / max(instance.scale, 1e-6);
        let is_fine =
            |level: &&PooledLevel| if level.error < 0.0 { distance >= -level.error } else { level.error <= allowed };
        let level = item.mesh.levels.iter().rev().find(is_fine).or(item.mesh.levels.first())?;
        self.items.push(item.item);
        Some(MeshDraw { level: *level, entry: self.items.len() as u32 - 1 })
    }
}

/// The code of a bitmap that does not repeat.
fn clamped(texture: u32) -> u32 {
    if texture == NONE { NONE } else { texture | code::CLAMP_U | code::CLAMP_V }
}

fn is_drawn(decal: &Decal) -> bool {
    decal.position.is_finite()
        && decal.orientation.is_finite()
        && decal.half.is_finite()
        && decal.half.to_array().iter().all(|side| *side > 0.0)
}

fn decal_block(decal: &Decal, texture: u32, eye: Vec3) -> DecalBlock {
    let turn = decal.orientation.normal();
    let position = decal.position - eye;
    let inverse = rows(Vec3::ZERO, turn.conjugate(), Vec3::ONE);
    let back = turn.rotate_back(position);
    let rows = [0, 1, 2].map(|row| {
        let [x, y, z, _] = inverse[row];
        [x, y, z, -back[row]].map(|value| value / decal.half[row])
    });
    DecalBlock {
        rows,
        colour: decal.colour,
        position: position.to_array(),
        texture,
        orientation: turn.to_vector().to_array(),
        half: decal.half.to_array(),
        pad: 0,
    }
}

#[cfg(test)]
mod tests {
    use base::Quat;

    use super::*;

    #[test]
    fn the_box_of_a_decal_reaches_from_minus_one_to_one() {
        let decal = Decal {
            position: Vec3::new(10.0, 0.0, 5.0),
            orientation: Quat::from_axis_angle(Vec3::Z, 1.0),
            half: Vec3::new(2.0, 3.0, 1.0),
            bitmap: base::StringId::NONE,
            colour: [1.0; 4],
        };
        let eye = Vec3::new(1.0, 2.0, 3.0);
        let block = decal_block(&decal, NONE, eye);
        let corner = decal.position + decal.orientation.rotate(decal.half) - eye;
        for [x, y, z, w] in block.rows {
            assert!((Vec3::new(x, y, z).dot(corner) + w - 1.0).abs() < 1e-4);
        }
    }
}
