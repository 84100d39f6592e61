//! Questions to the world: who is near, who is in the way, who is there at all, and what holds whom.
//!
//! Scripts ask them with built-ins; whoever is [`Outside`](crate::machine::Outside) answers.
//!
//! Laws
//! 1. Answers are of the world as it was when the cycle began, like all that is read of others.
//! 2. An answer is in one order, whoever gave it: nearest first, those equally far by their handles; without a place to measure
//!    from, by their handles.
//! 3. A question costs one for each candidate that was looked at, and is cut off when that is more than its budget, or when more
//!    is found than there is room for. Then the evaluation ends: a list of some of them would be a lie.

use alloc::vec::Vec;
use core::cmp::Ordering;

use base::{Handle, StringId, Vec3};

/// No answer has more hits.
pub const HITS_MAX: usize = 4096;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// All whose place is not farther than this.
    Within {
        /// From here.
        centre: Vec3,
        /// How far, at least 0.
        radius: f64,
    },
    /// All whose place is in a box, its sides included.
    Box {
        /// Its corner with the smallest coordinates.
        least: Vec3,
        /// Its corner with the largest.
        most: Vec3,
    },
    /// The so many nearest; of those equally far the ones with the smallest handles.
    Nearest {
        /// To here.
        centre: Vec3,
        /// None farther than this; it may be infinite.
        radius_max: f64,
        /// How many, at least 1.
        count: u32,
    },
    /// Those that a line from one place to another meets.
    Ray {
        /// Where it begins: distances are from here.
        from: Vec3,
        /// Where it ends.
        to: Vec3,
        /// Which of them.
        want: Want,
    },
    /// Those that a shape meets on its way from one place to another: distances are how far it gets.
    Sweep {
        /// What moves.
        form: Form,
        /// Where its middle begins.
        from: Vec3,
        /// Where it ends.
        to: Vec3,
        /// Which of them.
        want: Want,
    },
    /// Those that overlap a shape.
    Overlap {
        /// The shape.
        form: Form,
        /// Where its middle is.
        at: Vec3,
        /// Which of them: the first is that with the smallest handle.
        want: Want,
    },
    /// Those whose surfaces are not farther from a place than this.
    Surface {
        /// From here.
        centre: Vec3,
        /// How far, at least 0; it may be infinite.
        radius_max: f64,
        /// Which of them.
        want: Want,
    },
    /// All there are.
    All,
    /// How many there are: the answer is [`Asked::count`], and there are no hits.
    Count,
}

/// A shape to ask with. What has no size, or one that is not finite, meets nobody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// All not farther than this from its middle; with 0 it is a point.
    Ball(f32),
    /// A box.
    Box {
        /// Half its sides.
        half: Vec3,
        /// Where its x axis looks.
        facing: Vec3,
    },
    /// All not farther than this from a piece of a line along z.
    Capsule {
        /// How far.
        radius: f32,
        /// How long the piece is.
        length: f32,
        /// Where its x axis looks.
        facing: Vec3,
    },
    /// The shape of an object, turned as the object is. The object itself is not met.
    Object(Handle<()>),
}

/// Which of those that are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The first.
    First,
    /// Whichever: only whether there is one matters.
    Any,
    /// All.
    All,
}

/// Who is meant: those for whom all of it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Of this class, or one made from it; none is any.
    pub class: StringId,
    /// Of this team.
    pub team: Option<i32>,
    /// Of any other team than this, and of one at all.
    pub other_than_team: Option<i32>,
    /// Who belongs to this one; with the handle that names nothing, who belongs to nobody.
    pub owner: Option<Handle<()>>,
    /// With this flag set; none is any.
    pub flag: StringId,
    /// But not these.
    pub except: [Handle<()>; 2],
    /// With a body on one of these layers, a bit each.
    pub layers: Option<u32>,
}

impl Default for Filter {
    /// Everybody.
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

/// One that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Who.
    pub handle: Handle<()>,
    /// The number of its array.
    pub array: u16,
    /// How far away; 0 where nothing is measured.
    pub distance: f64,
    /// Where: its place, or where it is met.
    pub at: Vec3,
    /// The direction of its surface there, away from it; zero where there is none.
    pub normal: Vec3,
}

/// Which joints are asked for, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joints {
    /// Those of this object,
    pub of: Handle<()>,
    /// between it and this one, if one is given,
    pub other: Option<Handle<()>>,
    /// from this place on.
    pub from: u32,
}

/// A joint, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joined {
    /// Whom it holds, beside the one who is asked about.
    pub object: Handle<()>,
    /// The number of its array.
    pub array: u16,
    /// What kind it is.
    pub kind: JointKind,
    /// Its angle, how far it has moved, or how long it is.
    pub way: f32,
    /// How fast that changes; of a wheel, how fast it turns.
    pub speed: f32,
    /// What force it bore in the last step, in newtons.
    pub force: f32,
    /// What torque, in newton metres.
    pub torque: f32,
    /// Which part that is of what it can bear; 0 if it cannot break.
    pub strain: f32,
}

/// The next joint that was found, and where to look for the one after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFound {
    /// The joint; none if there are no more.
    pub joint: Option<Joined>,
    /// Where the next is looked for.
    pub next: u32,
    /// How many joints were looked at.
    pub cost: u64,
    /// Whether it was cut off: it would have cost more than its budget.
    pub is_cut: bool,
}

macro_rules! joint_kinds {
    ($($name:ident $text:literal $help:literal;)*) => {
        /// What kinds of joints scripts tell apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum JointKind {
            $(#[doc = $help] $name,)*
        }

        impl JointKind {
            /// The names of all of them.
            pub const NAMES: [&str; 6] = [$($text,)*];

            /// What scripts call it.
            pub fn name(self) -> &'static str {
                match self { $(JointKind::$name => $text,)* }
            }
        }
    };
}

joint_kinds! {
    Fixed "fixed" "Nothing moves.";
    Hinge "hinge" "It turns about an axis.";
    Slider "slider" "It moves along an axis.";
    Ball "ball" "It turns as it likes, or within a cone.";
    Distance "distance" "It keeps a distance: a rope, a rod or a spring.";
    Wheel "wheel" "It turns, and moves on a spring.";
}

/// How an answer went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// How many candidates were looked at.
    pub cost: u64,
    /// Whether it was cut off: it would have cost more than its budget, or found more than there was room for.
    pub is_cut: bool,
    /// How many were counted, if that was asked.
    pub count: u64,
}

/// The hits of an answer. Has room for a fixed number, and takes no more memory.
#[derive(Clone, Debug)]
pub struct Hits {
    list: Vec<Hit>,
    most: usize,
}

impl Hits {
    /// Room for so many, as far as [`HITS_MAX`].
    pub fn new(most: usize) -> Hits {
        let most = most.min(HITS_MAX);
        Hits { list: Vec::with_capacity(most), most }
    }

    /// Empties it, and leaves room for no more than so many.
    pub(crate) fn restrict(&mut self, most: usize) {
        self.list.clear();
        self.most = self.most.min(most);
    }

    /// Adds a hit. False if there is no room: then the answer is cut off.
    #[must_use]
    pub fn push(&mut self, hit: Hit) -> bool {
        let has_room = self.list.len() < self.most;
        if has_room {
            self.list.push(hit);
        }
        has_room
    }

    /// Adds a hit if it is among the so many nearest; the farthest goes for it. Those there must have come the same way. False if
    /// there is no room.
    #[must_use]
    pub fn push_nearest(&mut self, hit: Hit, count: u32) -> bool {
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

    /// Those that were found, in the order in which they came.
    pub fn as_slice(&self) -> &[Hit] {
        &self.list
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Brings them into the one order there is.
    pub fn sort(&mut self) {
        self.list.sort_unstable_by(Hit::rank);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }
}

impl Hit {
    /// Nearest first, then by array and handle. What is no distance is farther than any.
    pub fn rank(&self, other: &Hit) -> Ordering {
        let far = |hit: &Hit| if hit.distance.is_nan() { f64::INFINITY } else { hit.distance };
        let order = far(self).partial_cmp(&far(other)).unwrap_or(Ordering::Equal);
        let place = |hit: &Hit| (hit.array, hit.handle.slot(), hit.handle.raw());
        order.then_with(|| place(self).cmp(&place(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(slot: u16, distance: f64) -> Hit {
        Hit { handle: Handle::new(slot, 1), array: 0, distance, at: Vec3::default(), normal: Vec3::default() }
    }

    #[test]
    fn the_nearest_stay_in_whatever_order_they_come() {
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
    fn there_is_room_for_a_fixed_number() {
        let mut hits = Hits::new(2);
        assert!(hits.push(hit(0, 0.0)) && hits.push(hit(1, f64::NAN)));
        assert!(!hits.push(hit(2, 0.0)) && !hits.push_nearest(hit(2, 0.0), 3));
        assert!(hits.push_nearest(hit(2, 0.0), 2));
        assert_eq!(hits.as_slice().len(), 2);
        assert_eq!(Hits::new(usize::MAX).list.capacity(), HITS_MAX);
    }
}
