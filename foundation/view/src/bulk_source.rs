//! Reading bulk data without waiting.

use alloc::sync::Arc;

use tags::Bulk;

/// What bulk data is for: each kind has its own budget of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkKind {
    /// Texels.
    Texture,
    /// Samples.
    Sound,
    /// Vertices and indices.
    Geometry,
    /// Keys.
    Animation,
}

/// A part of bulk data.
#[derive(Clone, Debug)]
pub enum PartState {
    /// Its bytes.
    Ready(Arc<[u8]>),
    /// It has been requested, and is not there yet: a default is shown or played meanwhile.
    Loading,
    /// It cannot be had; the source has reported why.
    Failed,
}

/// Gives parts of bulk data that are in memory, and requests the others.
pub trait BulkSource: Send + Sync {
    /// A part, by its index in the tag's bulk data. Never waits.
    fn part(&self, bulk: &Bulk, part: u32, kind: BulkKind) -> PartState;
}
