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

fn texture_of(texture: u64, delta: &ImageDelta) -> OverlayTexture {
    let ImageData::Color(image) = &delta.image;
    OverlayTexture {
        texture,
        corner: delta.pos.map(|corner| corner.map(|place| place as u32)),
        size: image.size.map(|side| side as u32),
        pixels: image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect(),
    }
}
