//! Questions about the objects of a world, as [`Sight`](crate::query::Sight) takes them, and their hits.
//!
//! Laws
//! 1. The order of hits does not depend on the implementation: by distance, then by array and handle. Without a point
//!    to measure from, all distances are 0.
//! 2. A question costs one for each candidate visited. It is cut off if that exceeds its budget, or if there are more
//!    hits than the list can hold: an incomplete list would be wrong.

use alloc::vec::Vec;
use core::cmp::Ordering;

use base::{Handle, StringId, Vec3};

/// The most hits of one query.
pub const HITS_MAX: usize = 4096;

/// A question about the objects of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// All objects whose position is within a radius.
    Within {
        /// The centre of the sphere.
        centre: Vec3,
        /// Its radius, at least 0.
        radius: f64,
    },
    /// All objects whose position is in an axis-aligned box, its faces included.
    Box {
        /// The minimum corner.
        least: Vec3,
        /// The maximum corner.
        most: Vec3,
    },
    /// The nearest objects, up to a count. At equal distance, smaller handles come first.
    Nearest {
        /// The point from which distances are measured.
        centre: Vec3,
        /// The largest distance; may be infinite.
        radius_max: f64,
        /// The number of objects, at least 1.
        count: u32,
    },
    /// A ray cast: the objects that a line segment hits.
    Ray {
        /// The start of the segment, from which distances are measured.
        from: Vec3,
        /// Its end.
        to: Vec3,
        /// Which hits to return.
        want: Want,
    },
    /// A shape cast: the objects that a moving shape hits. Distances are those the shape travels before contact.
    Sweep {
        /// The shape.
        form: Form,
        /// The start of its centre.
        from: Vec3,
        /// The end of its centre.
        to: Vec3,
        /// Which hits to return.
        want: Want,
    },
    /// The objects that overlap a shape.
    Overlap {
        /// The shape.
        form: Form,
        /// Its centre.
        at: Vec3,
        /// Which hits to return; the first is the one with the smallest handle.
        want: Want,
    },
    /// The objects whose surface is within a distance of a point.
    Surface {
        /// The point.
        centre: Vec3,
        /// The largest distance, at least 0; may be infinite.
        radius_max: f64,
        /// Which hits to return.
        want: Want,
    },
    /// All objects.
    All,
    /// The number of objects, in [`Asked::count`]; there are no hits.
    Count,
}

/// The shape of a query. A shape with an invalid or non-finite size hits nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A sphere of this radius; 0 is a point.
    Ball(f32),
    /// A box.
    Box {
        /// Its half extents.
        half: Vec3,
        /// The direction of its x axis.
        facing: Vec3,
    },
    /// A capsule along z.
    Capsule {
        /// Its radius.
        radius: f32,
        /// The length of its axis, without the caps.
        length: f32,
        /// The direction of its x axis.
        facing: Vec3,
    },
    /// The shape of an object, with its rotation. The object itself is not hit.
    Object(Handle<()>),
}

/// Which hits a query returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The first.
    First,
    /// Any one of them: only whether there is a hit matters.
    Any,
    /// All.
    All,
}

/// A filter of objects: all conditions must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The class, which may be a base class; `NONE` matches any.
    pub class: StringId,
    /// The team.
    pub team: Option<i32>,
    /// A team that the object must not have. Objects without a team do not match.
    pub other_than_team: Option<i32>,
    /// The owner; `Handle::NONE` matches objects without an owner.
    pub owner: Option<Handle<()>>,
    /// A flag that must be set; `NONE` matches any.
    pub flag: StringId,
    /// Objects to exclude.
    pub except: [Handle<()>; 2],
    /// A bit mask of layers: the body must be on one of them.
    pub layers: Option<u32>,
}

impl Default for Filter {
    /// Matches every object.
    fn default() -> Filter {
        Filter {
            class: StringId::NONE,
            team: None,
            other_than_team: None,
            owner: None,
            flag: StringId::NONE,
            except: [Handle::NONE; 2],
            layers: None,
        }
    }
}

/// A hit of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryHit {
    /// The object.
    pub handle: Handle<()>,
    /// The number of the object's array.
    pub array: u16,
    /// The distance; 0 for queries that measure none.
    pub distance: f64,
    /// The object's position, or the point where it is hit.
    pub at: Vec3,
    /// The outward surface normal there; zero if the query has none.
    pub normal: Vec3,
}

/// The outcome of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The number of candidates visited.
    pub cost: u64,
    /// Whether the query was cut off: it would have exceeded its budget, or the list of hits was full.
    pub is_cut: bool,
    /// The result of [`Question::Count`].
    pub count: u64,
}

/// The hits of a query, in a list of fixed capacity.
#[derive(Clone, Debug)]
pub struct Hits {
    list: Vec<QueryHit>,
    capacity: usize,
    most: usize,
}

impl Hits {
    /// Allocates a list for this many hits, at most [`HITS_MAX`].
    pub fn new(most: usize) -> Hits {
        let most = most.min(HITS_MAX);
        Hits { list: Vec::with_capacity(most), capacity: most, most }
    }

    /// Clears the list, which may then hold at most this many hits, within its capacity.
    pub(crate) fn begin(&mut self, most: usize) {
        self.list.clear();
        self.most = self.capacity.min(most);
    }

    /// Adds a hit. False if the list is full: then the query is cut off.
    #[must_use]
    pub fn push(&mut self, hit: QueryHit) -> bool {
        let has_room = self.list.len() < self.most;
        if has_room {
            self.list.push(hit);
        }
        has_room
    }

    /// Adds a hit if it is among the `count` nearest, and drops the farthest if there are more. The list must have been
    /// filled by this function alone. False if the list is full.
    #[must_use]
    pub fn push_nearest(&mut self, hit: QueryHit, count: u32) -> bool {
        let place = self.list.partition_point(|other| other.rank(&hit) == Ordering::Less);
        if place >= count as usize {
            return true;
        }
        if self.list.len() >= count as usize {
            self.list.pop();
        } else if self.list.len() >= self.most {
            return false;
        }
        self.list.insert(place, hit);
        true
    }

    /// The hits, in the order in which they are stored.
    pub fn as_slice(&self) -> &[QueryHit] {
        &self.list
    }

    /// Removes all hits.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Sorts the hits by [`QueryHit::rank`].
    pub fn sort(&mut self) {
        self.list.sort_unstable_by(QueryHit::rank);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }
}

impl QueryHit {
    /// Order by distance, then by array and handle. NaN counts as infinite.
    pub fn rank(&self, other: &QueryHit) -> Ordering {
        let far = |hit: &QueryHit| if hit.distance.is_nan() { f64::INFINITY } else { hit.distance };
        let order = far(self).partial_cmp(&far(other)).unwrap_or(Ordering::Equal);
        let place = |hit: &QueryHit| (hit.array, hit.handle.slot(), hit.handle.raw());
        order.then_with(|| place(self).cmp(&place(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(slot: u16, distance: f64) -> QueryHit {
        QueryHit { handle: Handle::new(slot, 1), array: 0, distance, at: Vec3::default(), normal: Vec3::default() }
    }

    #[test]
    fn the_nearest_hits_do_not_depend_on_insertion_order() {
        for turn in 0..6_u16 {
            let mut hits = Hits::new(10);
            for index in 0..6_u16 {
                let slot = (index * 5 + turn) % 6;
                assert!(hits.push_nearest(hit(slot, f64::from(slot / 2)), 3));
            }
            let slots: Vec<_> = hits.as_slice().iter().map(|hit| hit.handle.slot()).collect();
            assert_eq!(slots, [0, 1, 2]);
        }
    }

    #[test]
    fn a_full_list_refuses_hits() {
        let mut hits = Hits::new(2);
        assert!(hits.push(hit(0, 0.0)) && hits.push(hit(1, f64::NAN)));
        assert!(!hits.push(hit(2, 0.0)) && !hits.push_nearest(hit(2, 0.0), 3));
        assert!(hits.push_nearest(hit(2, 0.0), 2));
        assert_eq!(hits.as_slice().len(), 2);
        assert_eq!(Hits::new(usize::MAX).list.capacity(), HITS_MAX);
    }
}
