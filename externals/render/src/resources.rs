//! Resources: what content becomes in memory, for both renderers.
//!
//! [`Resources`] takes tags from a library and their bulk data from a source, and keeps what they become: models, textures,
//! materials and skies, and the meshes of shapes.
//!
//! Laws
//! 1. Nothing waits: what is not there yet is [`Loaded::Loading`], and asked for again with the next picture.
//! 2. A resource whose tag changed in the library is made again; until then the former one is used.
//! 3. Broken content is [`Loaded::Failed`], and reported once per tag and version.
//! 4. Each kind of resource has a budget; what was not used for longest is dropped first. A dropped one is made again when it is
//!    asked for.

mod cache;
mod vertices;

pub mod material;
pub mod mesh;
pub mod sky;
pub mod texture;

pub mod model;

pub mod shapes;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use base::StringId;
use tags::Library;
use view::{BulkSource, Shape, ShapeCatalogue};

use crate::limits::{
    MATERIALS_MAX, MODEL_BYTES_MAX, MODELS_MAX, PICTURE_SIDE_MAX, SKIES_MAX, TEXTURE_BYTES_MAX, TEXTURES_MAX,
};
use crate::reports::Reports;

use cache::{Cache, Step};
pub use material::{MapSlot, MaterialConstants, MaterialMap, MaterialResource};
pub use mesh::{Extent, MeshLod, MeshResource};
pub use model::{MarkerResource, ModelLamp, ModelResource, NodeResource, SkinResource};
pub use shapes::{ShapeModel, ShapeModels};
pub use sky::SkyResource;
pub use texture::{TextureLevel, TextureResource};

/// Makes resources of content, and keeps them.
#[derive(Debug)]
pub struct Resources {
    models: Cache<ModelResource>,
    textures: Cache<TextureResource>,
    materials: Cache<MaterialResource>,
    skies: Cache<SkyResource>,
    shapes: ShapeModels,
    reports: Reports,
    /// The greatest side of the texture levels that are loaded.
    texture_side_max: u32,
    loading: usize,
    serial: u64,
}

/// What resources are made of.
#[derive(Clone, Copy)]
pub struct ContentSource<'a> {
    /// The tags.
    pub content: &'a Library,
    /// Their bulk data.
    pub bulk: &'a dyn BulkSource,
}

impl Resources {
    /// None yet. Texture levels with a side greater than this are not loaded, but for the smallest one.
    pub fn new(texture_side_max: u32) -> Resources {
        Resources {
            models: Cache::new(MODELS_MAX, MODEL_BYTES_MAX),
            textures: Cache::new(TEXTURES_MAX, TEXTURE_BYTES_MAX),
            materials: Cache::new(MATERIALS_MAX, usize::MAX),
            skies: Cache::new(SKIES_MAX, usize::MAX),
            shapes: ShapeModels::new(),
            reports: Reports::default(),
            texture_side_max: texture_side_max.clamp(1, 2 * PICTURE_SIDE_MAX),
            loading: 0,
            serial: 0,
        }
    }

    /// Call before each picture: drops what is beyond the budgets, the longest unused first.
    pub fn begin_picture(&mut self) {
        self.models.begin_picture();
        self.textures.begin_picture();
        self.materials.begin_picture();
        self.skies.begin_picture();
        self.shapes.begin_picture();
        self.loading = 0;
    }

    /// A model.
    pub fn model(&mut self, tag: StringId, source: ContentSource<'_>) -> Loaded<ModelResource> {
        let (reports, serial) = (&mut self.reports, &mut self.serial);
        let make = |_: Option<&ModelResource>| match ModelResource::load(tag, source) {
            Step::Ready(model) => Step::Ready(ModelResource { serial: next(serial), ..model }),
            other => other,
        };
        let bytes = |model: &ModelResource| model.bytes();
        self.models.get(tag, source.content, make, bytes, reports, &mut self.loading)
    }

    /// A texture.
    pub fn texture(&mut self, tag: StringId, source: ContentSource<'_>) -> Loaded<TextureResource> {
        let (reports, serial, side_max) = (&mut self.reports, &mut self.serial, self.texture_side_max);
        let make =
            |former: Option<&TextureResource>| TextureResource::load(tag, source, side_max, former, || next(serial));
        let bytes = |texture: &TextureResource| texture.bytes();
        self.textures.get(tag, source.content, make, bytes, reports, &mut self.loading)
    }

    /// A material. None is the default material.
    pub fn material(&mut self, tag: StringId, source: ContentSource<'_>) -> Loaded<MaterialResource> {
        let (reports, serial) = (&mut self.reports, &mut self.serial);
        let make = |_: Option<&MaterialResource>| match MaterialResource::load(tag, source.content) {
            Some(material) => Step::Ready(MaterialResource { serial: next(serial), ..material }),
            None => Step::Failed("no material tag: the default material is used".to_string()),
        };
        self.materials.get(tag, source.content, make, |_| size_of::<MaterialResource>(), reports, &mut self.loading)
    }

    /// A sky. None is the default sky.
    pub fn sky(&mut self, tag: StringId, source: ContentSource<'_>) -> Arc<SkyResource> {
        if tag.is_none() {
            return Arc::default();
        }
        let (reports, serial) = (&mut self.reports, &mut self.serial);
        let make = |_: Option<&SkyResource>| match SkyResource::load(tag, source.content) {
            Some(sky) => Step::Ready(SkyResource { serial: next(serial), ..sky }),
            None => Step::Failed("no sky tag: the default sky is used".to_string()),
        };
        let found = self.skies.get(tag, source.content, make, |_| size_of::<SkyResource>(), reports, &mut self.loading);
        found.ready().unwrap_or_default()
    }

    /// The model of a shape. None if nothing is shown.
    pub fn shape(&mut self, shape: &Shape, catalogue: &ShapeCatalogue) -> Option<ShapeModel> {
        let serial = &mut self.serial;
        self.shapes.get(shape, catalogue, || next(serial))
    }

    /// The number of resources that were asked for since the picture began and are still being loaded.
    pub fn loading(&self) -> usize {
        self.loading
    }

    /// Reports something about a tag, once for each version of it.
    pub fn report(&mut self, content: &Library, tag: StringId, what: impl FnOnce() -> String) {
        self.reports.about(content, tag, what);
    }

    /// What was found to be missing or broken since the last call.
    pub fn take_reports(&mut self) -> Vec<String> {
        self.reports.take()
    }
}

fn next(serial: &mut u64) -> u64 {
    *serial += 1;
    *serial
}

/// What is known of a resource.
#[derive(Debug)]
pub enum Loaded<T> {
    /// It is there. Each version of it has another `serial`.
    Ready(Arc<T>),
    /// It is being loaded: a default is shown.
    Loading,
    /// It is missing or broken, which has been reported: a default is shown.
    Failed,
}

impl<T> Loaded<T> {
    /// The resource, if it is there.
    pub fn ready(self) -> Option<Arc<T>> {
        match self {
            Loaded::Ready(resource) => Some(resource),
            Loaded::Loading | Loaded::Failed => None,
        }
    }
}

impl<T> Clone for Loaded<T> {
    fn clone(&self) -> Loaded<T> {
        match self {
            Loaded::Ready(resource) => Loaded::Ready(Arc::clone(resource)),
            Loaded::Loading => Loaded::Loading,
            Loaded::Failed => Loaded::Failed,
        }
    }
}
