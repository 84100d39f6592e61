//! The materials of a glTF.

use std::borrow::Cow;

use base::{Vec2, Vec3, Vec4};
use view::classes::material::{AlphaMode, TextureWrap};

use super::super::json::Json;
use super::super::material::{SceneMaterial, SceneTexture, TextureSlot, name_beside};
use super::super::{Scene, SceneImage};
use super::accessor::{Buffers, base64};
use super::{items, short};
use crate::error::ImportError;

/// What textures refer to.
struct TextureTables<'d> {
    textures: Vec<Json<'d>>,
    /// Each image once, since many textures may name one.
    images: Vec<ImageFile>,
    samplers: Vec<Json<'d>>,
    /// The number of textures that were left out because there is no image for them.
    missing: usize,
}

/// Where an image is.
enum ImageFile {
    Beside(String),
    /// Inside the file: the index among the images of the scene.
    Inside(usize),
    Missing,
}

/// Finds an image. Those inside the file are copied, together at most as many bytes as the file and its buffers have.
fn image_file(image: Json<'_>, buffers: &Buffers<'_>, bytes_left: &mut u64, scene: &mut Scene) -> ImageFile {
    let uri = image.get("uri").text();
    let inside = match (image.get("bufferView").index(), uri.as_deref().and_then(|uri| uri.strip_prefix("data:"))) {
        (Some(view), _) => buffers.bytes_of(view).map(Cow::Borrowed),
        (None, Some(data)) => data.split_once("base64,").and_then(|(_, text)| base64(text)).map(Cow::Owned),
        (None, None) => {
            return uri.as_deref().and_then(name_beside).map_or(ImageFile::Missing, ImageFile::Beside);
        }
    };
    let extension = match inside.as_deref() {
        Some([0x89, b'P', b'N', b'G', ..]) => "png",
        Some([0xff, 0xd8, ..]) => "jpg",
        _ => return ImageFile::Missing,
    };
    let bytes = inside.map(Cow::into_owned).unwrap_or_default();
    let Some(left) = bytes_left.checked_sub(bytes.len() as u64) else { return ImageFile::Missing };
    *bytes_left = left;
    let name = image.get("name").text().map(|name| short(&name)).unwrap_or_default();
    scene.images.push(SceneImage { name, extension, bytes });
    ImageFile::Inside(scene.images.len() - 1)
}

/// Reads all materials.
pub fn read(root: Json<'_>, buffers: &Buffers<'_>, bytes_max: u64, scene: &mut Scene) -> Result<(), ImportError> {
    let mut bytes_left = bytes_max;
    let images = items(root, "images")?.into_iter();
    let mut tables = TextureTables {
        textures: items(root, "textures")?,
        images: images.map(|image| image_file(image, buffers, &mut bytes_left, scene)).collect(),
        samplers: items(root, "samplers")?,
        missing: 0,
    };
    for material in items(root, "materials")? {
        scene.materials.push(read_material(material, &mut tables));
    }
    if tables.missing > 0 {
        let count = tables.missing;
        scene.warn(format!("{count} textures have no PNG or JPEG image beside or inside the file and are left out"));
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
        let (texture, mut made) = match (texture, image) {
            (Some(texture), Some(ImageFile::Beside(file))) => (texture, SceneTexture::new(file.clone())),
            (Some(texture), Some(ImageFile::Inside(image))) => {
                (texture, SceneTexture { image: Some(*image), ..SceneTexture::new(String::new()) })
            }
            _ => {
                self.missing += 1;
                return None;
            }
        };
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
