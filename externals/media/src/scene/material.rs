//! The materials of a scene.

use base::{Vec2, Vec3, Vec4};
use view::classes::material::{AlphaMode, TextureWrap};

/// A material, as glTF describes one.
#[derive(Clone, Debug)]
pub struct SceneMaterial {
    /// Its name.
    pub name: String,
    /// Its base colour and opacity, in linear light.
    pub base_colour: Vec4,
    /// How metallic it is.
    pub metallic: f32,
    /// Its roughness.
    pub roughness: f32,
    /// The colour it emits.
    pub emissive: Vec3,
    /// The factor of that.
    pub emissive_strength: f32,
    /// The factor of its normal map.
    pub normal_scale: f32,
    /// The strength of its occlusion map.
    pub occlusion_strength: f32,
    /// What opacity means.
    pub alpha: AlphaMode,
    /// The cutoff of a mask.
    pub alpha_cutoff: f32,
    /// Whether back faces are drawn.
    pub is_double_sided: bool,
    /// Whether it is shown without light.
    pub is_unlit: bool,
    /// Its textures.
    pub textures: Vec<(TextureSlot, SceneTexture)>,
}

/// What a texture of a material is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureSlot {
    /// Base colour.
    BaseColour,
    /// Roughness and metallic.
    MetallicRoughness,
    /// Normal map.
    Normal,
    /// Ambient occlusion.
    Occlusion,
    /// Emitted colour.
    Emissive,
}

/// A texture of a material.
#[derive(Clone, Debug)]
pub struct SceneTexture {
    /// The image: a file beside the source; empty if it is inside the file.
    pub file: String,
    /// The image inside the file, by its index.
    pub image: Option<usize>,
    /// The set of texture coordinates.
    pub uv: u32,
    /// How it is continued along u and v.
    pub wrap: [TextureWrap; 2],
    /// Whether pixels are interpolated.
    pub is_smooth: bool,
    /// The offset of the coordinates.
    pub offset: Vec2,
    /// Their scale.
    pub scale: Vec2,
    /// Their rotation, in radians.
    pub rotation: f32,
}

impl Default for SceneMaterial {
    fn default() -> SceneMaterial {
        SceneMaterial {
            name: String::new(),
            base_colour: Vec4::splat(1.0),
            metallic: 1.0,
            roughness: 1.0,
            emissive: Vec3::ZERO,
            emissive_strength: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            alpha: AlphaMode::Opaque,
            alpha_cutoff: 0.5,
            is_double_sided: false,
            is_unlit: false,
            textures: Vec::new(),
        }
    }
}

impl SceneTexture {
    /// An image with the usual settings.
    #[must_use]
    pub fn new(file: String) -> SceneTexture {
        SceneTexture {
            file,
            image: None,
            uv: 0,
            wrap: [TextureWrap::Repeat; 2],
            is_smooth: true,
            offset: Vec2::ZERO,
            scale: Vec2::splat(1.0),
            rotation: 0.0,
        }
    }
}

/// The name of a file beside this one, or below it, from a percent-encoded URI or a path of another program.
#[must_use]
pub fn name_beside(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    let name = String::from_utf8(bytes).ok()?;
    let name = name.strip_prefix("./").unwrap_or(&name);
    let is_beside = |part: &str| {
        let is_sound = |letter: char| !letter.is_control() && !matches!(letter, ':' | '\\' | '"');
        !part.is_empty() && part != ".." && part != "." && part.chars().all(is_sound)
    };
    (name.len() < 400 && name.split('/').all(is_beside)).then(|| name.to_string())
}
