//! Shoves: a body of a tree is pushed aside, and the tree follows as its joints let it.
//!
//! What the solver left is taken as it is: the tree is asked how it answers to a blow at the body's centre of mass, and the answer,
//! as large as it has to be, is taken once for places and once for velocities. So what is pushed out of a wall pulls at its joints
//! as if the wall had held it, and they stay as closed as they were.
//!
//! Laws
//! 1. The answer is straight: nobody is turned farther by it than [`TURN_MOST`]. Then the shove falls short. Where somebody would
//!    move [`STRETCH_MOST`] times as far, there is none.
//! 2. Nobody is shoved past a limit: what is near to one stays as near as it is.
//! 3. What does not come out finite is not done.

use base::Vec3;
use base::number::{max, min};
use state::share::NOBODY;

use crate::joint::slot;
use crate::mover::{Motion, Mover, row, turned, vector};
use crate::solve::joints::factors::{respond, take_apart};
use crate::solve::joints::forest::Forest;
use crate::solve::joints::link::{Link, State, look};

/// A shove at the centre of mass of a mover.
#[derive(Clone, Copy, Debug)]
pub struct Shove {
    /// Which mover.
    pub mover: u32,
    /// In which direction, one long.
    pub direction: Vec3,
    /// How far it has to move.
    pub far: f32,
    /// How much faster it has to become.
    pub faster: f32,
}

/// How far a shove turns somebody at most, in radians.
const TURN_MOST: f32 = 0.1;

/// How many times as far as it is shoved somebody may move by that: one on rails that hardly lead away would go off along them.
const STRETCH_MOST: f32 = 10.0;

/// So near to a limit, in radians or metres, nobody is shoved nearer.
const NEAR: f32 = 0.2;

/// All trees, as the solver left them.
pub struct Trees<'a> {
    pub(super) forest: &'a Forest,
    pub(super) links: &'a mut [Link],
    /// Where each tree ends, with the joints that close its rings.
    pub(super) ends: &'a [u32],
}

impl Trees<'_> {
    /// Shoves a body, if it is in a tree, and tells who moved. False if nothing came of it.
    pub fn shove(
        &mut self,
        shove: &Shove,
        (movers, motions): (&mut [Mover], &mut [Motion]),
        mut tell: impl FnMut(u32),
    ) -> bool {
        let place = |list: &[u32]| list.get(shove.mover as usize).copied().unwrap_or(NOBODY) as usize;
        let (tree, at) = (place(&self.forest.trees), place(&self.forest.places));
        let Some(end) = self.ends.get(tree) else { return false };
        let start = if tree == 0 { 0 } else { self.ends[tree - 1] };
        let links = &mut self.links[start as usize..*end as usize];
        let count = links.iter().position(|link| link.is_closing).unwrap_or(links.len());
        let bodies = &mut links[..count];
        bodies.iter_mut().for_each(|link| link.read(movers, motions));
        look(bodies);
        let Some(Answer { far, faster }) = answer(bodies, at, shove) else { return false };
        for link in bodies {
            let (mover, motion) = (&mut movers[link.mover as usize], &mut motions[link.mover as usize]);
            let [along, about] = link.answer();
            motion.moved = row(motion.moved() + along * far);
            motion.turned = row(vector(motion.turned) + about * far);
            motion.velocity = row(motion.velocity() + along * faster);
            motion.spin = row(motion.spin() + about * faster);
            mover.orientation = turned(mover.orientation, about, far);
            tell(link.mover);
        }
        true
    }
}

/// How much of what the tree answers to a blow of one is done: for places, and for velocities.
struct Answer {
    far: f32,
    faster: f32,
}

fn answer(bodies: &mut [Link], at: usize, shove: &Shove) -> Option<Answer> {
    bodies.iter_mut().for_each(|link| {
        link.hold_limits();
        link.half = [0.0; 6];
    });
    take_apart(bodies);
    bodies.get_mut(at)?.half[..3].copy_from_slice(&shove.direction.to_array());
    if !respond(bodies) {
        return None;
    }
    let ease = bodies[at].answer()[0].dot(shove.direction);
    let [along, turn] = bodies.iter().fold([0.0; 2], |[along, turn], link| {
        let answer = link.answer();
        [max(along, answer[0].length()), max(turn, answer[1].length())]
    });
    let far = min(shove.far / ease, TURN_MOST / max(turn, f32::MIN_POSITIVE));
    let faster = shove.faster / ease;
    let is_sound = along <= ease * STRETCH_MOST && far > 0.0 && far.is_finite() && faster.is_finite();
    is_sound.then_some(Answer { far, faster })
}

impl Link {
    /// Lets limits that are near hold on both sides, and motors go.
    fn hold_limits(&mut self) {
        let (joint, measure, rows) = (&self.joint, &self.measure, &self.rows);
        for (row, goal) in rows.iter().zip(&mut self.goals) {
            let left = match row.slot {
                slot::LIMIT => min(measure.way - joint.least, joint.most - measure.way),
                slot::SWING => joint.swing_most - measure.swing,
                slot::MOTOR => f32::INFINITY,
                _ => continue,
            };
            goal.state = if left < NEAR { State::Free } else { State::Frozen };
        }
    }

    /// How its body answers: along, and about.
    fn answer(&self) -> [Vec3; 2] {
        let [x, y, z, about_x, about_y, about_z] = self.change;
        [Vec3::new(x, y, z), Vec3::new(about_x, about_y, about_z)]
    }
}
