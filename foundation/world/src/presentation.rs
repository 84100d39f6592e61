//! What presentation needs of the content: lengths of effects and sounds, formulas of materials, and workspaces for evaluations. Nothing
//! here can change a world.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::{Handle, StringId};
use jobs::PerWorker;
use script::machine::Limits;
use tags::packed::View;
use tags::{Formula, Library, TagPath};
use view::classes::material::{Material, MaterialColour};
use view::classes::{Camera, Effect, Model, PostEffect};

use crate::limits::{VIEW_FAULTS_MAX, VIEW_FUEL};
use crate::media_lengths::MediaLengths;
use crate::object::Object;
use crate::prototype::Prototypes;
use crate::tag_program::TagProgram;
use crate::workspaces::ScriptWorkspaces;

/// What presentation needs of the content.
pub struct Presentation {
    /// The lengths of effects and sounds.
    pub lengths: MediaLengths,
    /// The effects with formulas.
    pub effects: BTreeMap<StringId, TagFormulas>,
    /// The post effects of cameras.
    cameras: BTreeMap<StringId, StringId>,
    /// The post effects with formulas.
    pub posts: BTreeMap<StringId, TagFormulas>,
    /// The materials with formulas, by model.
    pub models: BTreeMap<StringId, Vec<TagFormulas>>,
    /// Workspaces of its own: those of the world count what queries cost.
    pub workspaces: ScriptWorkspaces,
    /// The objects of the frame that is being filled.
    listed: PerWorker<Vec<ListedObject>>,
    /// The faults that were reported: a tag and a function each.
    faults: PerWorker<Vec<(StringId, u32)>>,
}

/// An object of a frame that is being filled.
#[derive(Clone, Copy, Debug)]
pub struct ListedObject {
    /// The object.
    pub handle: Handle<Object>,
    /// What is left to be done for its instance.
    pub kind: InstanceKind,
}

/// What is left to be done for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceKind {
    /// Nothing.
    Plain,
    /// It has effects, sounds, animations or formulas.
    More,
    /// It has a number that is not finite, and is left out.
    Refused,
}

/// The formulas of one material, effect or post effect.
#[derive(Clone, Debug)]
pub struct TagFormulas {
    /// Its tag.
    pub tag: StringId,
    /// Its program.
    pub program: TagProgram,
    /// Its formulas that are lambdas.
    pub formulas: Vec<TagFormula>,
}

/// A formula of a material or an effect.
#[derive(Clone, Copy, Debug)]
pub struct TagFormula {
    /// The name of its field or parameter, as `roughness` or `base_colour.red`.
    pub name: StringId,
    /// Its function.
    pub function: u32,
    /// Its value if it fails.
    pub default: f32,
    /// The limits of the field.
    pub range: (f32, f32),
}

impl Presentation {
    /// That of a content.
    pub fn new(content: &Library, prototypes: &Prototypes, limits: Limits) -> Presentation {
        let mut models = BTreeMap::new();
        for prototype in prototypes.iter() {
            let model = prototype.appearance.model;
            if model.is_none() || models.contains_key(&model) {
                continue;
            }
            let materials = materials_of(content, model);
            if !materials.is_empty() {
                models.insert(model, materials);
            }
        }
        let limits = Limits { fuel: limits.fuel.min(VIEW_FUEL), ..limits };
        Presentation {
            lengths: MediaLengths::of(content),
            effects: effects_of(content),
            cameras: post_effects_of_cameras(content),
            posts: posts_of(content),
            models,
            workspaces: ScriptWorkspaces::with_desks(1, limits, &[prototypes]),
            listed: PerWorker::new(1, Vec::new),
            faults: PerWorker::new(1, || Vec::with_capacity(VIEW_FAULTS_MAX)),
        }
    }

    /// The post effect of a camera; none if it has none.
    pub fn post_effect_of(&self, camera: StringId) -> StringId {
        self.cameras.get(&camera).copied().unwrap_or(StringId::NONE)
    }

    /// Works with the list of a frame's objects, which may hold those of the last frame.
    pub fn with_listed<R>(&self, work: impl FnOnce(&mut Vec<ListedObject>) -> R) -> R {
        self.listed.with(0, work)
    }

    /// Whether a fault is new. Beyond the limit none is.
    pub fn is_new_fault(&self, tag: StringId, function: u32) -> bool {
        self.faults.with(0, |faults| {
            let is_new = faults.len() < VIEW_FAULTS_MAX && !faults.contains(&(tag, function));
            if is_new {
                faults.push((tag, function));
            }
            is_new
        })
    }
}

/// The materials of a model that have formulas, each once.
fn materials_of(content: &Library, model: StringId) -> Vec<TagFormulas> {
    let Some(model) = content.get_as::<Model>(model) else { return Vec::new() };
    let overrides = model.each(&model.material_overrides);
    let mut materials: Vec<StringId> = Vec::new();
    for slot in model.each(&model.materials) {
        let other = overrides.iter().find(|other| other.slot == slot.name && !other.material.is_none());
        materials.push(other.map_or(slot.material.id(), |other| other.material.id()));
    }
    materials.sort_unstable();
    materials.dedup();
    let of = |material: StringId| {
        let formulas = formulas_of(&content.get_as::<Material>(material)?);
        let program = TagProgram::of(content, material).filter(|_| !formulas.is_empty())?;
        Some(TagFormulas { tag: material, program, formulas })
    };
    materials.into_iter().filter_map(of).collect()
}

/// The effects that have formulas.
fn effects_of(content: &Library) -> BTreeMap<StringId, TagFormulas> {
    let mut effects = BTreeMap::new();
    for (path, effect) in content.of_class::<Effect>() {
        let formulas = effect_formulas(&effect);
        if let Some(program) = TagProgram::of(content, path.id()).filter(|_| !formulas.is_empty()) {
            effects.insert(path.id(), TagFormulas { tag: path.id(), program, formulas });
        }
    }
    effects
}

/// The post effects of the cameras that have one.
fn post_effects_of_cameras(content: &Library) -> BTreeMap<StringId, StringId> {
    let of = content.of_class::<Camera>().into_iter().map(|(path, camera)| (path.id(), camera.post_effect.id()));
    of.filter(|(_, post_effect)| !post_effect.is_none()).collect()
}

/// The post effects that have formulas.
fn posts_of(content: &Library) -> BTreeMap<StringId, TagFormulas> {
    let of = |(path, post): (&TagPath, View<'_, PostEffect>)| {
        let formulas = post_formulas(&post);
        let program = TagProgram::of(content, path.id()).filter(|_| !formulas.is_empty())?;
        Some((path.id(), TagFormulas { tag: path.id(), program, formulas }))
    };
    content.of_class::<PostEffect>().into_iter().filter_map(of).collect()
}

/// The formulas of a post effect that are lambdas.
fn post_formulas(post: &PostEffect) -> Vec<TagFormula> {
    let rows: [(&'static str, Formula, f32, (f32, f32)); 8] = [
        ("exposure", post.exposure, 0.0, (-16.0, 16.0)),
        ("saturation", post.saturation, 1.0, (0.0, 4.0)),
        ("contrast", post.contrast, 1.0, (0.0, 4.0)),
        ("tint.red", post.tint.red, 1.0, (0.0, 4.0)),
        ("tint.green", post.tint.green, 1.0, (0.0, 4.0)),
        ("tint.blue", post.tint.blue, 1.0, (0.0, 4.0)),
        ("vignette", post.vignette, 0.0, (0.0, 1.0)),
        ("fade", post.fade, 0.0, (0.0, 1.0)),
    ];
    let read = |(name, formula, default, range): (&'static str, Formula, f32, (f32, f32))| {
        let function = formula.function()?;
        Some(TagFormula { name: StringId::new(name), function, default, range })
    };
    rows.into_iter().filter_map(read).collect()
}

/// The formulas of an effect that are lambdas. Parts share the names of their fields: of several lambdas with one name the first counts.
fn effect_formulas(effect: &View<'_, Effect>) -> Vec<TagFormula> {
    let mut found: Vec<TagFormula> = Vec::new();
    let mut add = |name: &'static str, formula: &Formula, default: f32, range: (f32, f32)| {
        let name = StringId::new(name);
        if let Some(function) = formula.function().filter(|_| found.iter().all(|known| known.name != name)) {
            found.push(TagFormula { name, function, default, range });
        }
    };
    for own in effect.each(&effect.particles) {
        add("rate", &own.rate, 20.0, (0.0, 100_000.0));
        add("strength", &own.strength, 1.0, STRENGTH);
    }
    for own in effect.each(&effect.beams) {
        add("width", &own.width, 0.1, (0.0, 1000.0));
        add("strength", &own.strength, 1.0, STRENGTH);
    }
    for own in effect.each(&effect.trails) {
        add("strength", &own.strength, 1.0, STRENGTH);
    }
    for own in effect.each(&effect.rings) {
        add("strength", &own.strength, 1.0, STRENGTH);
    }
    for own in effect.each(&effect.lights) {
        add("intensity", &own.intensity, 10.0, (0.0, 1e9));
    }
    found
}

/// The limits of the field `strength` of effects.
const STRENGTH: (f32, f32) = (0.0, 10_000.0);

/// The limits of texture offsets.
const OFFSET: (f32, f32) = (-1e6, 1e6);

/// The formulas of a material that are lambdas.
fn formulas_of(material: &View<'_, Material>) -> Vec<TagFormula> {
    let mut found = Vec::new();
    let mut add = |name: StringId, formula: &Formula, default: f32, range: (f32, f32)| {
        if let Some(function) = formula.function() {
            found.push(TagFormula { name, function, default, range });
        }
    };
    let unit = (0.0, 1.0);
    for (names, colour, default) in [
        (
            ["base_colour.red", "base_colour.green", "base_colour.blue", "base_colour.opacity"],
            &material.base_colour,
            1.0,
        ),
        (["emissive.red", "emissive.green", "emissive.blue", "emissive.opacity"], &material.emissive, 0.0),
    ] {
        let MaterialColour { red, green, blue, opacity } = colour;
        for (name, part) in names.into_iter().zip([red, green, blue, opacity]) {
            add(StringId::new(name), part, default, unit);
        }
    }
    add(StringId::new("metallic"), &material.metallic, 1.0, unit);
    add(StringId::new("roughness"), &material.roughness, 1.0, unit);
    add(StringId::new("emissive_strength"), &material.emissive_strength, 1.0, (0.0, 100_000.0));
    add(StringId::new("normal_scale"), &material.normal_scale, 1.0, (-100.0, 100.0));
    add(StringId::new("occlusion_strength"), &material.occlusion_strength, 1.0, unit);
    add(StringId::new("texture_offset.u"), &material.texture_offset.u, 0.0, OFFSET);
    add(StringId::new("texture_offset.v"), &material.texture_offset.v, 0.0, OFFSET);
    for own in material.each(&material.parameters) {
        add(own.name, &own.value, 0.0, (f32::MIN, f32::MAX));
    }
    found
}
