//! The materials of a glTF.

use base::{Vec2, Vec3, Vec4};
use view::classes::material::{AlphaMode, TextureWrap};

use super::super::Scene;
use super::super::json::Json;
use super::super::material::{SceneMaterial, SceneTexture, TextureSlot, name_beside};
use super::{items, short};
use crate::error::ImportError;

/// What textures refer to.
struct TextureTables<'d> {
    textures: Vec<Json<'d>>,
    /// Each image once, since many textures may name one.
    images: Vec<ImageFile>,
    samplers: Vec<Json<'d>>,
    /// The number of textures that were left out because their images lie in the file.
    embedded: usize,
    missing: usize,
}

/// Where an image is.
enum ImageFile {
    Beside(String),
    Embedded,
    Missing,
}

fn image_file(image: Json<'_>) -> ImageFile {
    let uri = image.get("uri").text();
    if image.get("bufferView").is_there() || uri.as_ref().is_some_and(|uri| uri.starts_with("data:")) {
        return ImageFile::Embedded;
    }
    uri.as_deref().and_then(name_beside).map_or(ImageFile::Missing, ImageFile::Beside)
}

/// Reads all materials.
pub fn read(root: Json<'_>, scene: &mut Scene) -> Result<(), ImportError> {
    let mut tables = TextureTables {
        textures: items(root, "textures")?,
        images: items(root, "images")?.into_iter().map(image_file).collect(),
        samplers: items(root, "samplers")?,
        embedded: 0,
        missing: 0,
    };
    for material in items(root, "materials")? {
        scene.materials.push(read_material(material, &mut tables));
    }
    if tables.embedded > 0 {
        let count = tables.embedded;
        scene.warn(format!("{count} textures lie inside the file and are left out; export images as files beside it"));
    }
    if tables.missing > 0 {
        scene.warn(format!("{} textures name no image beside the file and are left out", tables.missing));
    }
    Ok(())
}

fn read_material(material: Json<'_>, tables: &mut TextureTables<'_>) -> SceneMaterial {
    let default = SceneMaterial::default();
    let surface = material.get("pbrMetallicRoughness");
    let extensions = material.get("extensions");
    let unit =
        |json: Json<'_>, otherwise: f32| json.float().map_or(otherwise, |number| base::number::clamp(number, 0.0, 1.0));
    let floats = |json: Json<'_>| -> Vec<f32> { json.elements().take(4).map(|part| unit(part, 1.0)).collect() };
    let mut made = SceneMaterial {
        name: material.get("name").text().map(|name| short(&name)).unwrap_or_default(),
        base_colour: match floats(surface.get("baseColorFactor"))[..] {
            [red, green, blue, opacity] => Vec4::new(red, green, blue, opacity),
            _ => default.base_colour,
        },
        metallic: unit(surface.get("metallicFactor"), 1.0),
        roughness: unit(surface.get("roughnessFactor"), 1.0),
        emissive: match floats(material.get("emissiveFactor"))[..] {
            [red, green, blue] => Vec3::new(red, green, blue),
            _ => default.emissive,
        },
        emissive_strength: extensions
            .get("KHR_materials_emissive_strength")
            .get("emissiveStrength")
            .float()
            .map_or(1.0, |number| base::number::clamp(number, 0.0, 1e5)),
        normal_scale: material
            .get("normalTexture")
            .get("scale")
            .float()
            .map_or(1.0, |number| base::number::clamp(number, -100.0, 100.0)),
        occlusion_strength: unit(material.get("occlusionTexture").get("strength"), 1.0),
        alpha: match material.get("alphaMode").word() {
            Some("MASK") => AlphaMode::Mask,
            Some("BLEND") => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        alpha_cutoff: unit(material.get("alphaCutoff"), 0.5),
        is_double_sided: material.get("doubleSided").truth().unwrap_or(false),
        is_unlit: extensions.get("KHR_materials_unlit").is_there(),
        textures: Vec::new(),
    };
    for (slot, texture) in [
        (TextureSlot::BaseColour, surface.get("baseColorTexture")),
        (TextureSlot::MetallicRoughness, surface.get("metallicRoughnessTexture")),
        (TextureSlot::Normal, material.get("normalTexture")),
        (TextureSlot::Occlusion, material.get("occlusionTexture")),
        (TextureSlot::Emissive, material.get("emissiveTexture")),
    ] {
        if texture.is_there() {
            made.textures.extend(tables.texture(texture).map(|texture| (slot, texture)));
        }
    }
    made
}

impl TextureTables<'_> {
    fn texture(&mut self, info: Json<'_>) -> Option<SceneTexture> {
        let texture = info.get("index").index().and_then(|index| self.textures.get(index)).copied();
        let image = texture.and_then(|texture| self.images.get(texture.get("source").index()?));
        let (texture, file) = match (texture, image) {
            (Some(texture), Some(ImageFile::Beside(file))) => (texture, file.clone()),
            (_, Some(ImageFile::Embedded)) => {
                self.embedded += 1;
                return None;
            }
            _ => {
                self.missing += 1;
                return None;
            }
        };
        let mut made = SceneTexture::new(file);
        let sampler = texture.get("sampler").index().and_then(|sampler| self.samplers.get(sampler)).copied();
        let sampler = sampler.unwrap_or(Json::Missing);
        let wrap = |json: Json<'_>| match json.index() {
            Some(33071) => TextureWrap::Clamp,
            Some(33648) => TextureWrap::Mirror,
            _ => TextureWrap::Repeat,
        };
        made.wrap = [wrap(sampler.get("wrapS")), wrap(sampler.get("wrapT"))];
        made.is_smooth = sampler.get("magFilter").index() != Some(9728);
        let transform = info.get("extensions").get("KHR_texture_transform");
        let set = transform.get("texCoord").index().or(info.get("texCoord").index());
        made.uv = set.map_or(0, |set| set.min(1) as u32);
        let pair = |json: Json<'_>, otherwise: Vec2| match json
            .elements()
            .take(3)
            .filter_map(Json::float)
            .collect::<Vec<f32>>()[..]
        {
            [u, v] => Vec2::new(u, v),
            _ => otherwise,
        };
        made.offset = pair(transform.get("offset"), made.offset);
        made.scale = pair(transform.get("scale"), made.scale);
        made.rotation = transform.get("rotation").float().unwrap_or(0.0);
        Some(made)
    }
}
