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

pub mod material;
pub mod mesh;
pub mod sky;
pub mod texture;

pub mod model;

use std::sync::Arc;

pub use material::{MapSlot, MaterialMap, MaterialResource};
pub use mesh::{Extent, MeshLod, MeshResource};
pub use model::{ModelResource, NodeResource, SkinResource};
pub use sky::SkyResource;
pub use texture::{TextureLevel, TextureResource};

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
