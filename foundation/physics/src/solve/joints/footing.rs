//! Footings: contacts of a tree with what nothing can move, or what is asleep.
//!
//! What a contact does to a body of a tree it does to all of the tree. Worked out with the mass of the body alone, most of it would be
//! taken away again by the joints, and it would take as many looks until a foot bears a person as the person is heavier than the foot.
//! So each of these contacts feels how its body gives way with all that hangs on it, and they are worked out one after the other on a
//! tour of the tree: from the root out along each branch and back, so that each feels what those before it did. In the end, the tree
//! answers to all of them at once, exactly.
//!
//! Laws
//! 1. Only joints that hold both ways take part. Limits and motors give way while contacts are looked at: a contact that took a limit
//!    for firm that lets go would do far too much. So joints are worked out behind contacts again, for a few turns.
//! 2. A tree with a ring has no footings, and what finds no room is none: these contacts are worked out like all others.
//! 3. Where the impulses of joints are forgotten, so are those of footings: only both together are in balance.

use alloc::vec::Vec;

use base::Vec3;
use state::share::NOBODY;

use crate::joint::slot;
use crate::limits::FOOTINGS_OF_JOINT;
use crate::mover::{Motion, Mover};
use crate::sketch::Sketches;
use crate::solve::block::Pace;
use crate::solve::block::single::{Give, Sides, Single, Six, add, times, times_across};
use crate::solve::joints::factors::{respond, take_apart};
use crate::solve::joints::link::{Link, State, forget_all};
use crate::solve::joints::small::{backward, forward, triangle};
use crate::solve::joints::tree::take;
use crate::solve::joints::{each_tree, energy};
use crate::touching::Narrow;

/// Room for the footings of all trees.
pub struct Footings {
    /// In the order of the trees, and in each in the order of its tour.
    pub(super) list: Vec<Footing>,
    /// Where those of each job end.
    pub(super) job_ends: Vec<u32>,
    found: Vec<Found>,
    /// Which footing a contact is.
    places: Vec<u32>,
    /// Which link a mover is, if its tree may have footings.
    links: Vec<u32>,
}

/// A contact of a tree with what nothing can move.
#[derive(Clone, Copy)]
pub struct Footing {
    /// Where its body is in the tree.
    link: u32,
    movers: [u32; 2],
    /// Which of both the body is.
    side: usize,
    single: Single,
}

/// Which look it is that is had at all contacts of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Solve,
    Relax,
    Bounce,
}

/// A contact that is to be a footing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    tree: u32,
    turn: u32,
    contact: u32,
    link: u32,
    side: u32,
}

/// So much of its own a body gives way at least, so that contacts of what its joints hold firmly do not bear without end; and so that
/// what lies against its limits does not twitch.
const OWN_LEAST: f32 = 1.0e-2;
/// So much more than its joints let it each body is taken to give way: far more than rounding, or a heavy body that hangs on a light
/// one would feel the rounding of that.
const ROUNDING: f32 = 1.0e-5;

impl Footings {
    /// Room for those of so many joints.
    pub fn new(bodies: usize, contacts: usize, joints: usize) -> Footings {
        let most = contacts.min(joints * FOOTINGS_OF_JOINT);
        Footings {
            list: Vec::with_capacity(most),
            job_ends: Vec::with_capacity(joints),
            found: Vec::with_capacity(most),
            places: Vec::with_capacity(contacts),
            links: Vec::with_capacity(bodies),
        }
    }

    /// The footing that a contact is.
    #[inline]
    pub fn of(&self, contact: usize) -> Option<&Single> {
        let place = self.places.get(contact)?;
        self.list.get(*place as usize).map(|footing| &footing.single)
    }

    /// Finds those of all trees, which are in the hands of these jobs.
    pub(super) fn find(
        &mut self,
        (links, job_ends): (&mut [Link], &[u32]),
        (narrow, sketches): (&Narrow, &Sketches),
        movers: &[Mover],
    ) {
        self.list.clear();
        self.found.clear();
        self.places.clear();
        self.job_ends.clear();
        if links.is_empty() {
            return;
        }
        self.find_links(links, movers.len());
        self.find_contacts(sketches, movers);
        self.plan_tours(links);
        self.found.sort_unstable();
        self.places.resize(sketches.as_slice().len(), NOBODY);
        for (place, found) in self.found.iter().enumerate() {
            let (touching, side) = (narrow.get(found.contact as usize), found.side as usize);
            let single = Single::new(touching, side, movers);
            self.list.push(Footing { link: found.link - found.tree, movers: touching.movers, side, single });
            self.places[found.contact as usize] = place as u32;
            links[found.tree as usize].ways.footings += 1;
        }
        for end in job_ends {
            self.job_ends.push(self.found.partition_point(|found| found.tree < *end) as u32);
        }
    }

    fn find_links(&mut self, links: &mut [Link], movers: usize) {
        let places = &mut self.links;
        places.clear();
        places.resize(movers, NOBODY);
        let mut start = 0;
        each_tree(links, |links| {
            if links.iter().all(|link| !link.is_closing) {
                links.iter().zip(start..).for_each(|(link, place)| places[link.mover as usize] = place);
            }
            start += links.len() as u32;
        });
    }

    fn find_contacts(&mut self, sketches: &Sketches, movers: &[Mover]) {
        let is_firm = |mover: u32| movers.get(mover as usize).is_none_or(|mover| mover.inverse_mass <= 0.0);
        for (contact, sketch) in sketches.as_slice().iter().enumerate().filter(|(_, sketch)| sketch.is_solved()) {
            let [first, second] = sketch.movers;
            let (side, mover) = match (is_firm(first), is_firm(second)) {
                (false, true) => (0, first),
                (true, false) => (1, second),
                _ => continue,
            };
            let link = self.links[mover as usize];
            if link != NOBODY && self.found.len() < self.found.capacity() {
                self.found.push(Found { tree: 0, turn: 0, contact: contact as u32, link, side });
            }
        }
    }

    /// Plans a tour of each tree along all branches with footings.
    fn plan_tours(&mut self, links: &mut [Link]) {
        let mut start = 0;
        let found = &mut self.found;
        found.iter().for_each(|found| links[found.link as usize].ways.is_on_tour = true);
        each_tree(links, |links| {
            for index in 0..links.len() {
                let parent = links[index].parent as usize;
                if links[index].ways.is_on_tour && parent < links.len() {
                    links[parent].ways.is_on_tour = true;
                }
            }
            // Parents are seen before their children, and each child is put right behind its parent.
            for index in (0..links.len()).rev() {
                let parent = links[index].parent as usize;
                if links[index].ways.is_on_tour && parent < links.len() {
                    links[index].ways.next = core::mem::replace(&mut links[parent].ways.next, index as u32);
                }
            }
            let (mut here, mut turn) = (links.len() as u32 - 1, 0);
            while let Some(link) = links.get_mut(here as usize) {
                (link.ways.turn, link.ways.tree) = (turn, start);
                (here, turn) = (link.ways.next, turn + 1);
            }
            start += links.len() as u32;
        });
        for found in found {
            let ways = &links[found.link as usize].ways;
            (found.tree, found.turn) = (ways.tree, ways.turn);
        }
    }
}

/// Begins with the impulses of before; or without, if those of the joints were forgotten.
pub(super) fn warm(links: &mut [Link], footings: &mut [Footing]) {
    forget_with_joints(links, footings);
    footings.iter().for_each(|footing| links[footing.link as usize].strike(&footing.single.borne()));
}

/// Forgets all impulses if those of the joints were.
pub(super) fn forget_with_joints(links: &mut [Link], footings: &mut [Footing]) {
    if core::mem::take(&mut links[0].ledger.is_forgotten) {
        footings.iter_mut().for_each(|footing| footing.single.forget());
    }
}

/// Has a look at all contacts of a tree whose joints were worked out. If what comes of it is more than they can do, nothing does.
pub(super) fn work(links: &mut [Link], footings: &mut [Footing], motions: &[Motion], pace: &Pace, look: Look) {
    let_limits_go(links);
    find_ways(links);
    footings.iter_mut().for_each(|footing| footing.feel(&links[footing.link as usize]));
    let push_speed = if look == Look::Solve { pace.push_speed_max } else { 0.0 };
    let is_fit = energy::watch(links, push_speed, |links| go_round(links, footings, motions, pace, look));
    if !is_fit {
        forget_all(links);
        forget_with_joints(links, footings);
    } else if look == Look::Relax {
        footings.iter_mut().for_each(|footing| footing.single.add_up());
    }
}

/// Lets those that met come apart again; right behind the second look.
pub(super) fn bounce(links: &mut [Link], footings: &mut [Footing], motions: &[Motion], pace: &Pace, looks: u32) {
    if footings.iter().any(|footing| footing.single.has_blow()) {
        let is_fit = (0..looks).all(|_| go_round(links, footings, motions, pace, Look::Bounce));
        if !is_fit {
            forget_all(links);
            forget_with_joints(links, footings);
        }
    }
}

/// Whether nothing moves that they stand on.
pub(super) fn are_firm(footings: &[Footing], motions: &[Motion]) -> bool {
    let is_still = |motion: &Motion| motion.velocity() == Vec3::ZERO && motion.spin() == Vec3::ZERO;
    footings.iter().all(|footing| motions.get(footing.movers[1 - footing.side] as usize).is_none_or(is_still))
}

/// Ends a sub-step.
pub(super) fn end(links: &mut [Link], footings: &mut [Footing]) {
    footings.iter_mut().for_each(|footing| footing.single.end());
    forget_with_joints(links, footings);
}

/// Takes the tree apart without what is bounded.
fn let_limits_go(links: &mut [Link]) {
    for link in links.iter_mut() {
        for (row, goal) in link.rows.iter().zip(&mut link.goals) {
            if matches!(row.slot, slot::LIMIT | slot::SWING | slot::MOTOR) {
                goal.state = State::Frozen;
            }
        }
    }
    take_apart(links);
}

/// Works out how all bodies on the tour give way, from the root to the leaves.
fn find_ways(links: &mut [Link]) {
    for index in (0..links.len()).rev() {
        if !links[index].ways.is_on_tour {
            continue;
        }
        let above = links.get(links[index].parent as usize).map(|parent| parent.ways.gives);
        let (hands, mut gives) = links[index].ways_alone();
        if let Some(above) = above {
            // What comes back from the parent of what was handed on to it.
            let back: [Six; 6] = core::array::from_fn(|axis| {
                let handed = core::array::from_fn(|row| hands[row][axis]);
                times_across(&hands, &times(&above, &handed))
            });
            gives.iter_mut().zip(&back).for_each(|(gives, back)| add(gives, back));
        }
        (links[index].ways.hands, links[index].ways.gives) = (hands, gives);
    }
}

/// Goes round the tree and has a look at each contact; then all of the tree answers. False if that did not come out finite.
fn go_round(links: &mut [Link], footings: &mut [Footing], motions: &[Motion], pace: &Pace, look: Look) -> bool {
    for link in links.iter_mut() {
        (link.ways.felt, link.ways.borne, link.ways.struck) = ([0.0; 6], [0.0; 6], [0.0; 6]);
    }
    let (mut here, mut left) = (links.len() - 1, footings);
    loop {
        let count = left.iter().take_while(|footing| footing.link as usize == here).count();
        let (own, rest) = left.split_at_mut(count);
        own.iter_mut().for_each(|footing| footing.look(&mut links[here], motions, pace, look));
        left = rest;
        let next = links[here].ways.next as usize;
        if left.is_empty() || next >= links.len() {
            break;
        }
        while here != links[next].parent as usize {
            here = hand_on(links, here);
        }
        links[next].ways.felt = times_across(&links[next].ways.hands, &links[here].ways.felt);
        here = next;
    }
    links.iter_mut().for_each(|link| link.half = link.ways.struck);
    if !respond(links) {
        return false;
    }
    for index in 0..links.len() {
        let struck = links[index].ways.struck;
        links[index].strike(&struck);
        take(links, index);
    }
    true
}

/// From a body to its parent, which feels what was handed on to it.
fn hand_on(links: &mut [Link], here: usize) -> usize {
    let (parent, handed) = (links[here].parent as usize, times(&links[here].ways.hands, &links[here].ways.borne));
    links[parent].ways.bear(&handed);
    parent
}

impl Footing {
    /// Takes over how its body gives way.
    fn feel(&mut self, link: &Link) {
        let mut resists = link.ways.gives;
        link.add_own(&mut resists, OWN_LEAST);
        self.single.set_give(&Give::new(&link.ways.gives), &Give::new(&resists));
    }

    fn look(&mut self, link: &mut Link, motions: &[Motion], pace: &Pace, look: Look) {
        let nobody = Motion::default();
        let both = self.movers.map(|mover| motions.get(mover as usize).unwrap_or(&nobody));
        let sides = Sides::new(both, self.side, link.on_tour());
        let before = self.single.borne();
        match look {
            Look::Solve => self.single.solve(&sides, pace),
            Look::Relax => self.single.relax(&sides, pace),
            Look::Bounce => self.single.bounce(&sides, pace),
        }
        let after = self.single.borne();
        let change = core::array::from_fn(|axis| after[axis] - before[axis]);
        add(&mut link.ways.struck, &change);
        link.ways.bear(&change);
    }
}

impl Link {
    /// What it hands on to its parent, and how it gives way while its parent does not.
    fn ways_alone(&self) -> ([Six; 6], [Six; 6]) {
        let factors = &self.factors;
        let (mut hands, mut gives) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        for (axis, row) in gives.iter_mut().enumerate() {
            row[axis] = 1.0;
            forward(&factors.body, row);
            backward(&factors.body, row);
        }
        let mut rows = factors.own;
        for row in 0..factors.count {
            for column in 0..row {
                let (part, before) = (factors.joint[triangle(row) + column], rows[column]);
                (0..6).for_each(|axis| rows[row][axis] -= part * before[axis]);
            }
            let scale = factors.joint[triangle(row) + row];
            rows[row].iter_mut().for_each(|value| *value *= scale);
        }
        for (row, above) in rows[..factors.count].iter_mut().zip(&factors.above) {
            backward(&factors.body, row);
            for line in 0..6 {
                (0..6).for_each(|axis| gives[line][axis] -= row[line] * row[axis]);
                (0..6).for_each(|axis| hands[line][axis] -= above[line] * row[axis]);
            }
        }
        if !self.can_turn {
            for line in 0..6 {
                (3..6).for_each(|axis| (gives[line][axis], gives[axis][line], hands[line][axis]) = (0.0, 0.0, 0.0));
            }
        }
        self.add_own(&mut gives, ROUNDING);
        (hands, gives)
    }

    /// Adds a part of how its body would give way alone.
    fn add_own(&self, gives: &mut [Six; 6], part: f32) {
        for (axis, column) in self.inverse_inertia.columns.into_iter().enumerate() {
            gives[axis][axis] += self.inverse_mass * part;
            let turning = column.to_array().into_iter().enumerate();
            turning.for_each(|(row, value)| gives[3 + row][3 + axis] += value * part);
        }
    }

    /// How it moves and turns by what was felt on the tour.
    fn on_tour(&self) -> [Vec3; 2] {
        let [x, y, z, turn_x, turn_y, turn_z] = self.ways.felt;
        [self.own.velocity + Vec3::new(x, y, z), self.own.spin + Vec3::new(turn_x, turn_y, turn_z)]
    }

    /// What pushes and turns its body, as if it were alone.
    fn strike(&mut self, [x, y, z, turn_x, turn_y, turn_z]: &Six) {
        self.own.velocity += Vec3::new(*x, *y, *z) * self.inverse_mass;
        self.own.spin += self.inverse_inertia * Vec3::new(*turn_x, *turn_y, *turn_z);
    }
}
