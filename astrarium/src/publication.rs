//! What a world publishes: a frame, its status, and the content it refers to, whole and immutable.
//!
//! Laws
//! 1. A publication never changes once an extractor has it. Its memory is used again when nothing holds it any more.
//! 2. Publishing never waits. If all publications are in use, one is left out and counted.

use std::sync::Arc;

use base::StringId;
use relay::table::EventTable;
use shelf::blocks::BlockCache;
use tags::Library;
use view::{Frame, ShapeCatalogue};

use crate::status::Status;

/// Everything that presentation reads of a world at one moment.
pub struct Publication {
    /// What is to be shown and heard.
    pub frame: Frame,
    /// The state of the world for people.
    pub status: Status,
    /// The tags in force.
    pub content: Arc<Library>,
    /// The meshes of shapes.
    pub catalogue: Arc<ShapeCatalogue>,
    /// The events that players can send; none: all.
    pub events: Option<Arc<EventTable>>,
    /// The cache of bulk data.
    pub blocks: Option<Arc<BlockCache>>,
    /// When it was published, in nanoseconds of the runner's clock.
    pub at_nanos: u64,
    /// How far world time was ahead of the frame then, in seconds.
    pub ahead_seconds: f32,
    /// Brush cycles per safe cycle.
    pub brushes_per_safe: u32,
    /// The scenario tag of the level; none if the game has no scenarios.
    pub scenario: StringId,
}

/// The farthest that shown time runs ahead of a frame, in brush cycles: a late world is then held.
pub const AHEAD_CYCLES_MAX: f32 = 1.5;

impl Publication {
    fn empty(lines_max: usize) -> Publication {
        Publication {
            frame: Frame::new(lines_max),
            status: Status::default(),
            content: Arc::new(Library::new()),
            catalogue: Arc::new(ShapeCatalogue::default()),
            events: None,
            blocks: None,
            at_nanos: 0,
            ahead_seconds: 0.0,
            brushes_per_safe: 1,
            scenario: StringId::NONE,
        }
    }

    /// How far shown time is ahead of the frame at this machine time, in seconds: never negative, and bounded.
    pub fn ahead(&self, now_nanos: u64) -> f32 {
        let elapsed = now_nanos.saturating_sub(self.at_nanos) as f64 / 1e9 * f64::from(self.frame.moment.speed);
        let most = f64::from(self.frame.moment.cycle_seconds * AHEAD_CYCLES_MAX);
        (f64::from(self.ahead_seconds) + elapsed).clamp(0.0, most.max(0.0)) as f32
    }
}

/// The publications of a world, used in turn.
pub(crate) struct PublicationPool {
    all: Vec<Arc<Publication>>,
    lines_max: usize,
    most: usize,
}

impl PublicationPool {
    /// A pool whose frames have room for this many lines of debug drawing.
    pub(crate) fn new(lines_max: usize) -> PublicationPool {
        PublicationPool { all: Vec::new(), lines_max, most: 0 }
    }

    /// Sets how many publications there may be.
    pub(crate) fn set_most(&mut self, most: usize) {
        self.most = most;
    }

    /// A publication that nothing else holds; none if all are in use.
    pub(crate) fn take(&mut self) -> Option<Arc<Publication>> {
        if let Some(free) = self.all.iter().position(|held| Arc::strong_count(held) == 1) {
            return Some(self.all.swap_remove(free));
        }
        (self.all.len() < self.most).then(|| Arc::new(Publication::empty(self.lines_max)))
    }

    /// Takes a publication back, which others may still hold.
    pub(crate) fn give_back(&mut self, publication: Arc<Publication>) {
        self.all.push(publication);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publication_is_used_again_only_when_nothing_holds_it() {
        let mut pool = PublicationPool::new(16);
        pool.set_most(2);
        let one = pool.take().unwrap();
        let held = Arc::clone(&one);
        pool.give_back(one);
        let two = pool.take().unwrap();
        assert!(!Arc::ptr_eq(&held, &two));
        let other = Arc::clone(&two);
        pool.give_back(two);
        assert!(pool.take().is_none(), "both are in use");
        drop(other);
        assert!(pool.take().is_some());
    }

    #[test]
    fn shown_time_is_never_far_ahead_of_the_world() {
        let mut publication = Publication::empty(0);
        publication.frame.moment.cycle_seconds = 0.01;
        publication.frame.moment.speed = 1.0;
        publication.at_nanos = 1_000_000;
        assert_eq!(publication.ahead(0), 0.0, "a clock that went backwards");
        assert!((publication.ahead(6_000_000) - 0.005).abs() < 1e-6);
        assert!((publication.ahead(u64::MAX) - 0.015).abs() < 1e-6);
        publication.frame.moment.speed = 0.0;
        assert_eq!(publication.ahead(u64::MAX), 0.0);
    }
}
