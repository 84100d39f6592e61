//! Materials: constants, maps, and the parameters by which an instance changes them.

use base::{StringId, Vec2};
use tags::{Formula, Library};
use view::Parameter;
use view::classes::Material;
use view::classes::material::{AlphaMode, MaterialTexture, TextureWrap};

/// A material in memory. Formulas that are lambdas have the value that their parameter gives, or else the default.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialResource {
    /// Differs between all resources and versions of them.
    pub serial: u64,
    /// The tag.
    pub tag: StringId,
    /// The values that an instance may change.
    pub constants: MaterialConstants,
    /// What opacity means.
    pub alpha: AlphaMode,
    /// With a mask: the opacity below which nothing is drawn.
    pub alpha_cutoff: f32,
    /// Whether back faces are drawn.
    pub is_double_sided: bool,
    /// Whether it shows its base colour without light.
    pub is_unlit: bool,
    /// Its maps, by [`MapSlot`].
    pub maps: [MaterialMap; 5],
    /// Whether the colour of the instance multiplies the base colour: the material has a parameter `team_colour` above 0.
    pub takes_colour: bool,
}

/// The values of a material that an instance may change by parameters of these names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialConstants {
    /// The base colour in linear light, and opacity: `base_colour.red` and so on.
    pub base_colour: [f32; 4],
    /// From 0, a dielectric, to 1, a metal: `metallic`.
    pub metallic: f32,
    /// Perceptual roughness: `roughness`.
    pub roughness: f32,
    /// The emitted colour in linear light: `emissive.red` and so on.
    pub emissive: [f32; 3],
    /// The factor of the emitted light: `emissive_strength`.
    pub emissive_strength: f32,
    /// The factor of the x and y of the normal map: `normal_scale`.
    pub normal_scale: f32,
    /// The strength of the occlusion map: `occlusion_strength`.
    pub occlusion_strength: f32,
    /// What is added to the coordinates of all textures: `texture_offset.u` and `texture_offset.v`.
    pub texture_offset: [f32; 2],
}

/// The maps of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapSlot {
    /// Base colour and opacity.
    BaseColour = 0,
    /// Roughness (green) and metallic (blue).
    MetallicRoughness = 1,
    /// Tangent-space normals.
    Normal = 2,
    /// Ambient occlusion (red).
    Occlusion = 3,
    /// The emitted colour.
    Emissive = 4,
}

/// A map of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialMap {
    /// The bitmap tag; none: there is no map.
    pub bitmap: StringId,
    /// The set of texture coordinates: 0 or 1.
    pub set: u8,
    /// How coordinates beyond the image are continued along u and v.
    pub wrap: [TextureWrap; 2],
    /// Whether neighbouring texels are interpolated.
    pub is_smooth: bool,
    /// The texture coordinates are `u·columns[0] + v·columns[1] + columns[2]`: rotation, scale and offset.
    pub columns: [Vec2; 3],
}

/// The parameter of a material that says how much of its instance's colour it takes.
const TEAM_COLOUR: StringId = StringId::new("team_colour");

impl MaterialResource {
    /// Reads a material; its serial is 0. None if there is no such tag.
    pub(super) fn load(tag: StringId, content: &Library) -> Option<MaterialResource> {
        let material = content.get_as::<Material>(tag)?;
        let number = |formula: Formula, otherwise: f32| {
            let value = formula.number().map_or(otherwise, |number| number as f32);
            if value.is_finite() { value } else { otherwise }
        };
        let (base, emissive) = (&material.base_colour, &material.emissive);
        let constants = MaterialConstants {
            base_colour: [base.red, base.green, base.blue, base.opacity].map(|part| number(part, 1.0)),
            metallic: number(material.metallic, 0.0),
            roughness: number(material.roughness, 0.5),
            emissive: [emissive.red, emissive.green, emissive.blue].map(|part| number(part, 0.0)),
            emissive_strength: number(material.emissive_strength, 1.0),
            normal_scale: number(material.normal_scale, 1.0),
            occlusion_strength: number(material.occlusion_strength, 1.0),
            texture_offset: [material.texture_offset.u, material.texture_offset.v].map(|part| number(part, 0.0)),
        };
        let takes = material.each(&material.parameters).iter().find(|parameter| parameter.name == TEAM_COLOUR);
        let maps = [
            &material.base_colour_map,
            &material.metallic_roughness_map,
            &material.normal_map,
            &material.occlusion_map,
            &material.emissive_map,
        ];
        Some(MaterialResource {
            serial: 0,
            tag,
            constants,
            alpha: material.alpha.get(),
            alpha_cutoff: material.alpha_cutoff,
            is_double_sided: material.double_sided.is_true(),
            is_unlit: material.unlit.is_true(),
            maps: maps.map(map),
            takes_colour: takes.is_some_and(|parameter| number(parameter.value, 0.0) > 0.0),
        })
    }
}

fn map(texture: &MaterialTexture) -> MaterialMap {
    let (sine, cosine) = base::number::sin_cos(texture.rotation.radians);
    let scale = texture.scale;
    let columns =
        [Vec2::new(cosine * scale.x, -sine * scale.x), Vec2::new(sine * scale.y, cosine * scale.y), texture.offset];
    MaterialMap {
        bitmap: texture.bitmap.id(),
        set: texture.uv.min(1) as u8,
        wrap: [texture.wrap_u.get(), texture.wrap_v.get()],
        is_smooth: texture.smooth.is_true(),
        columns: if columns.iter().all(|column| column.is_finite()) { columns } else { MaterialMap::default().columns },
    }
}

impl MaterialConstants {
    /// Applies the parameters of an instance that are for this material or for all.
    #[must_use]
    pub fn with(mut self, material: StringId, parameters: &[Parameter]) -> MaterialConstants {
        for parameter in parameters.iter().filter(|given| given.material.is_none() || given.material == material) {
            if let Some((_, field)) = FIELDS.iter().find(|(name, _)| *name == parameter.name)
                && parameter.value.is_finite()
            {
                *field(&mut self) = parameter.value;
            }
        }
        self
    }
}

/// Finds the field of a parameter.
type ConstantField = fn(&mut MaterialConstants) -> &mut f32;

/// The names of the parameters, as the fields of the class have them.
const FIELDS: &[(StringId, ConstantField)] = &[
    (StringId::new("base_colour.red"), |constants| &mut constants.base_colour[0]),
    (StringId::new("base_colour.green"), |constants| &mut constants.base_colour[1]),
    (StringId::new("base_colour.blue"), |constants| &mut constants.base_colour[2]),
    (StringId::new("base_colour.opacity"), |constants| &mut constants.base_colour[3]),
    (StringId::new("metallic"), |constants| &mut constants.metallic),
    (StringId::new("roughness"), |constants| &mut constants.roughness),
    (StringId::new("emissive.red"), |constants| &mut constants.emissive[0]),
    (StringId::new("emissive.green"), |constants| &mut constants.emissive[1]),
    (StringId::new("emissive.blue"), |constants| &mut constants.emissive[2]),
    (StringId::new("emissive_strength"), |constants| &mut constants.emissive_strength),
    (StringId::new("normal_scale"), |constants| &mut constants.normal_scale),
    (StringId::new("occlusion_strength"), |constants| &mut constants.occlusion_strength),
    (StringId::new("texture_offset.u"), |constants| &mut constants.texture_offset[0]),
    (StringId::new("texture_offset.v"), |constants| &mut constants.texture_offset[1]),
];

impl Default for MaterialConstants {
    fn default() -> MaterialConstants {
        MaterialConstants {
            base_colour: [1.0; 4],
            metallic: 0.0,
            roughness: 0.55,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            texture_offset: [0.0; 2],
        }
    }
}

impl Default for MaterialMap {
    fn default() -> MaterialMap {
        MaterialMap {
            bitmap: StringId::NONE,
            set: 0,
            wrap: [TextureWrap::Repeat; 2],
            is_smooth: true,
            columns: [Vec2::X, Vec2::Y, Vec2::ZERO],
        }
    }
}

/// The default material: of shapes and markers, and of meshes without a material. It takes the colour of its instance.
impl Default for MaterialResource {
    fn default() -> MaterialResource {
        MaterialResource {
            serial: 0,
            tag: StringId::NONE,
            constants: MaterialConstants::default(),
            alpha: AlphaMode::Opaque,
            alpha_cutoff: 0.5,
            is_double_sided: false,
            is_unlit: false,
            maps: [MaterialMap::default(); 5],
            takes_colour: true,
        }
    }
}
