//! What egui draws, as an overlay.

use std::collections::BTreeMap;

use astrarium::view::{Overlay, OverlayMesh, OverlayTexture, OverlayVertex};
use egui::epaint::{ImageDelta, Primitive, TextureId};
use egui::{ClippedPrimitive, ImageData, TexturesDelta};

/// The name of a texture in an overlay.
fn name_of(texture: TextureId) -> u64 {
    match texture {
        TextureId::Managed(number) => number << 1,
        TextureId::User(number) => number << 1 | 1,
    }
}

/// Fills an overlay with the shapes of a frame. Textures are listed by their names, so that equal frames give equal overlays.
pub fn fill(overlay: &mut Overlay, textures: &TexturesDelta, primitives: Vec<ClippedPrimitive>, scale: f32) {
    let changed: BTreeMap<u64, &[ImageDelta]> =
        textures.set.iter().map(|(texture, deltas)| (name_of(*texture), deltas.as_slice())).collect();
    overlay.changed.clear();
    for (texture, deltas) in changed {
        overlay.changed.extend(deltas.iter().map(|delta| texture_of(texture, delta)));
    }
    overlay.freed = textures.free.iter().map(|texture| name_of(*texture)).collect();
    overlay.freed.sort_unstable();
    overlay.meshes.clear();
    for ClippedPrimitive { clip_rect, primitive } in primitives {
        let Primitive::Mesh(mesh) = primitive else { continue };
        let vertices = mesh.vertices.iter().map(|vertex| OverlayVertex {
            position: [vertex.pos.x * scale, vertex.pos.y * scale],
            uv: [vertex.uv.x, vertex.uv.y],
            colour: vertex.color.to_array(),
        });
        overlay.meshes.push(OverlayMesh {
            clip: [clip_rect.min.x, clip_rect.min.y, clip_rect.max.x, clip_rect.max.y].map(|edge| edge * scale),
            texture: name_of(mesh.texture_id),
            vertices: vertices.collect(),
            indices: mesh.indices,
        });
    }
}

/// The textures as they are now, for a renderer that saw none of their changes.
#[derive(Debug, Default)]
pub struct Textures {
    whole: BTreeMap<u64, OverlayTexture>,
}

impl Textures {
    /// Applies the changes of an overlay. One that does not fit its texture is left out.
    pub fn follow(&mut self, overlay: &Overlay) {
        for change in &overlay.changed {
            let Some([x, y]) = change.corner.map(|corner| corner.map(|place| place as usize)) else {
                self.whole.insert(change.texture, change.clone());
                continue;
            };
            let Some(known) = self.whole.get_mut(&change.texture) else { continue };
            let [width, height] = change.size.map(|side| side as usize);
            let [all, rows] = known.size.map(|side| side as usize);
            if width == 0 || x + width > all || y + height > rows {
                continue;
            }
            for (row, pixels) in change.pixels.chunks_exact(width * 4).enumerate() {
                let at = ((y + row) * all + x) * 4;
                known.pixels[at..at + width * 4].copy_from_slice(pixels);
            }
        }
        overlay.freed.iter().for_each(|freed| drop(self.whole.remove(freed)));
    }

    /// All of them, whole.
    pub fn all(&self) -> Vec<OverlayTexture> {
        self.whole.values().cloned().collect()
    }
}

fn texture_of(texture: u64, delta: &ImageDelta) -> OverlayTexture {
    let ImageData::Color(image) = &delta.image;
    OverlayTexture {
        texture,
        corner: delta.pos.map(|corner| corner.map(|place| place as u32)),
        size: image.size.map(|side| side as u32),
        pixels: image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect(),
    }
}
