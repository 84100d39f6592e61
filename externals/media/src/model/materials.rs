//! The materials of a family.

use base::Vec2;
use view::classes::material::{AlphaMode, TextureWrap};

use super::family::Family;
use crate::lscript::{self, RecordText};
use crate::product::Product;
use crate::scene::material::{SceneMaterial, SceneTexture, TextureSlot};

/// A product for each material.
pub fn products(family: &Family) -> impl Iterator<Item = Product> {
    family.scene.materials.iter().zip(&family.material_paths).map(|(material, path)| Product {
        name: format!("materials/{path}"),
        class: "material",
        fields: fields(family, material),
        bulk_field: "data",
        ..Product::default()
    })
}

fn fields(family: &Family, material: &SceneMaterial) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: String| fields.push((name.to_string(), value));
    let colour = material.base_colour;
    let base_colour =
        colour_text([colour.x, colour.y, colour.z]).with_if(colour.w != 1.0, "opacity", lscript::number(colour.w));
    field("base_colour", base_colour.finish());
    field("metallic", lscript::number(material.metallic));
    field("roughness", lscript::number(material.roughness));
    field("emissive", colour_text(material.emissive.to_array()).finish());
    field("emissive_strength", lscript::number(material.emissive_strength));
    field("normal_scale", lscript::number(material.normal_scale));
    field("occlusion_strength", lscript::number(material.occlusion_strength));
    let alpha = match material.alpha {
        AlphaMode::Opaque => "opaque",
        AlphaMode::Mask => "mask",
        AlphaMode::Blend => "blend",
    };
    field("alpha", lscript::text(alpha));
    field("alpha_cutoff", lscript::number(material.alpha_cutoff));
    field("double_sided", material.is_double_sided.to_string());
    field("unlit", material.is_unlit.to_string());
    for (slot, texture) in &material.textures {
        let name = match slot {
            TextureSlot::BaseColour => "base_colour_map",
            TextureSlot::MetallicRoughness => "metallic_roughness_map",
            TextureSlot::Normal => "normal_map",
            TextureSlot::Occlusion => "occlusion_map",
            TextureSlot::Emissive => "emissive_map",
        };
        field(name, texture_text(family, texture));
    }
    fields
}

fn colour_text([red, green, blue]: [f32; 3]) -> RecordText {
    RecordText::new()
        .with("red", lscript::number(red))
        .with("green", lscript::number(green))
        .with("blue", lscript::number(blue))
}

fn texture_text(family: &Family, texture: &SceneTexture) -> String {
    let beside = || {
        let stem = texture.file.rsplit_once('.').filter(|(_, end)| !end.contains('/'));
        stem.map_or(texture.file.clone(), |(stem, _)| stem.to_string())
    };
    let stem = match texture.image {
        Some(image) => family.path(&format!("textures/{}", family.image_paths[image])),
        None => beside(),
    };
    let wrap = |wrap: TextureWrap| match wrap {
        TextureWrap::Repeat => lscript::text("repeat"),
        TextureWrap::Mirror => lscript::text("mirror"),
        TextureWrap::Clamp => lscript::text("clamp"),
    };
    let [u, v] = texture.wrap;
    RecordText::new()
        .with("bitmap", lscript::beside(&format!("{stem}.bitmap")))
        .with_if(texture.uv != 0, "uv", texture.uv)
        .with_if(u != TextureWrap::Repeat, "wrap_u", wrap(u))
        .with_if(v != TextureWrap::Repeat, "wrap_v", wrap(v))
        .with_if(!texture.is_smooth, "smooth", false)
        .with_if(texture.offset != Vec2::ZERO, "offset", lscript::pair(texture.offset))
        .with_if(texture.scale != Vec2::splat(1.0), "scale", lscript::pair(texture.scale))
        .with_if(
            texture.rotation != 0.0,
            "rotation",
            lscript::number(texture.rotation * (180.0 / std::f32::consts::PI)),
        )
        .finish()
}
