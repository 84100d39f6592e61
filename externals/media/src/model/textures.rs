//! The images inside a scene's file: each that a material uses becomes a bitmap.

use super::family::Family;
use super::kept;
use crate::bitmap;
use crate::importer::Source;
use crate::limits::WARNINGS_MAX;
use crate::options::Options;
use crate::product::Product;
use crate::result_cache::ResultCache;
use crate::scene::SceneImage;
use crate::scene::material::TextureSlot;

/// A product for each image that is used. One that cannot be decoded is left out with a warning, and so are its uses.
pub fn products(family: &mut Family, cache: &dyn ResultCache) -> Vec<Product> {
    let mut products = Vec::new();
    for (number, image) in std::mem::take(&mut family.scene.images).into_iter().enumerate() {
        let materials = &mut family.scene.materials;
        let textures = materials.iter().flat_map(|material| &material.textures);
        let slots: Vec<TextureSlot> =
            textures.filter(|(_, texture)| texture.image == Some(number)).map(|(slot, _)| *slot).collect();
        if slots.is_empty() {
            continue;
        }
        let name = &family.image_paths[number];
        match decode(&image, name, &slots, cache) {
            Ok(product) => products.push(Product { name: format!("textures/{name}"), ..product }),
            Err(reason) => {
                for material in materials {
                    material.textures.retain(|(_, texture)| texture.image != Some(number));
                }
                if family.scene.warnings.len() < WARNINGS_MAX {
                    family.scene.warn(format!("the image \"{name}\" is left out: {reason}"));
                }
            }
        }
    }
    products
}

/// Imports one image as the slots that use it need it. The error is text, for a warning.
fn decode(image: &SceneImage, name: &str, slots: &[TextureSlot], cache: &dyn ResultCache) -> Result<Product, String> {
    let is_colour = |slot: &TextureSlot| matches!(slot, TextureSlot::BaseColour | TextureSlot::Emissive);
    let mut options = Options::new(bitmap::IMPORTER.options);
    let kind = if slots.contains(&TextureSlot::Normal) { "normal_map" } else { "2d" };
    options.set("kind", kind).map_err(|error| error.to_string())?;
    if !slots.iter().any(is_colour) {
        options.set("colour_space", "linear").map_err(|error| error.to_string())?;
    }
    let name = format!("{name}.{}", image.extension);
    let beside = |_: &str| Err("an image inside a file has none beside it".to_string());
    let source = Source::new(&name, "", &image.bytes, &beside);
    kept::texture(cache, &source, &options).map_err(|error| error.to_string())
}
