//! When a shape that moves first meets another.
//!
//! Bodies that move farther in a cycle than they are thick are not looked for where they end up but along their way. The time of touch is
//! approached from before it (conservative advancement): the distance between two convex bodies, divided by how fast they can come nearer,
//! is time that can pass safely.
//!
//! Laws
//! 1. Time goes from 0 to 1. The bodies turn evenly about their centres, which move evenly along straight lines.
//! 2. No answer is late: at the time that is told convex bodies are apart, or were not so in the beginning. It may be early, by the time
//!    that half a millimetre takes, or two thousandths of the smaller body, or what numbers of that size can tell. After
//!    [`ROUNDS_MAX`] rounds the time that was proved safe is told as the time of touch.
//! 3. Bodies that touch in the beginning and do not come nearer there do not meet: contacts are for that. If they do come nearer, they
//!    meet at time zero.
//! 4. Triangles are met from their front. Whoever only slides past an edge that cannot be touched (see [`Facet::lean`]) is let past;
//!    whoever falls through the triangle's plane is not, and no middle of a body passes through a triangle from its front.
//! 5. The first of two that is a mesh is swept with each of its triangles, and against what is convex from both of their sides:
//!    those that meet it need not look at its middle. One of more than [`TRIANGLES_MAX`] triangles is swept as its box.
//! 6. Of equal times, the one of the lowest children counts.
//! 7. What turns farther than [`TURN_MAX`] is swept as the ball around its centre that it fills as it turns.

use base::{Mat3, Quat, Vec3, number};

use crate::bounds::{Bounds, Line};
use crate::distance::{Convex, Distance, distance};
use crate::facet::{Facet, Lean, Surface};
use crate::manifold::Manifolds;
use crate::mesh::Mesh;
use crate::narrow;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};

#[cfg(test)]
mod tests;

/// After how many rounds a time of touch is good enough.
pub const ROUNDS_MAX: u32 = 256;

/// Up to how many triangles a mesh that moves is swept with each of them.
pub const TRIANGLES_MAX: usize = 256;

/// How far a body may turn and still be swept as it is, in radians: all the way round.
pub const TURN_MAX: f32 = number::TAU;

/// How a body moves from time 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Where it begins.
    pub pose: Pose,
    /// The point of the shape about which it turns: its centre of mass.
    pub centre: Vec3,
    /// How far the centre moves.
    pub translation: Vec3,
    /// Along which axis and how far it turns, in radians.
    pub rotation: Vec3,
}

/// When two shapes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// When, from 0 to 1.
    pub time: f32,
    /// From the first to the second, of length one.
    pub normal: Vec3,
    /// Where, seen from the first one's position at that time, along the axes of the world.
    pub place: Vec3,
    /// Which children or triangles, those of the first in the upper half.
    pub child: u64,
}

impl Motion {
    /// Does not move.
    pub fn still(pose: Pose) -> Motion {
        Motion { pose, centre: Vec3::ZERO, translation: Vec3::ZERO, rotation: Vec3::ZERO }
    }

    /// Where it is at a time.
    pub fn at(&self, time: f32) -> Pose {
        let start = self.pose.point(self.centre);
        if self.rotation == Vec3::ZERO {
            return Pose { position: self.pose.position + self.translation * time, ..self.pose };
        }
        let turn = Quat::from_rotation_vector(self.rotation * time);
        let axes = self.pose.axes.columns.map(|axis| turn.rotate(axis));
        let pose = Pose { position: Vec3::ZERO, axes: Mat3 { columns: axes } };
        Pose { position: start + self.translation * time - pose.direction(self.centre), ..pose }
    }

    /// What is left of it after a time.
    pub fn after(&self, time: f32) -> Motion {
        if time <= 0.0 {
            return *self;
        }
        let left = 1.0 - time;
        Motion { pose: self.at(time), translation: self.translation * left, rotation: self.rotation * left, ..*self }
    }

    /// The same of a part that lies in a pose within the shape.
    fn of_part(&self, part: &Pose) -> Motion {
        Motion { pose: self.pose.inner(part), centre: part.point_back(self.centre), ..*self }
    }

    /// How fast a point moves that is `place` from the centre at the beginning.
    fn velocity(&self, place: Vec3) -> Vec3 {
        self.translation + self.rotation.cross(place)
    }

    fn seen_from(&self, origin: Vec3) -> Motion {
        Motion { pose: Pose { position: self.pose.position - origin, ..self.pose }, ..*self }
    }
}

/// When two shapes that move first meet.
pub fn sweep(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<SweepHit> {
    sweep_before(a, motion_a, b, motion_b, 1.0)
}

/// The same, if they meet no later than a time.
pub fn sweep_before(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, time_max: f32) -> Option<SweepHit> {
    let is_sound = |motion: &Motion| {
        let axes = motion.pose.axes.columns;
        let sum =
            motion.pose.position + motion.centre + motion.translation + motion.rotation + axes[0] + axes[1] + axes[2];
        sum.is_finite()
    };
    if !is_sound(motion_a) || !is_sound(motion_b) {
        return None;
    }
    if is_whirling(motion_a) || is_whirling(motion_b) {
        let (ball_a, ball_b) = (Ball::of(a, motion_a), Ball::of(b, motion_b));
        let hit = sweep_before(&ball_a.shape, &ball_a.motion, &ball_b.shape, &ball_b.motion, time_max)?;
        let place = hit.place + ball_a.motion.at(hit.time).position - motion_a.at(hit.time).position;
        return Some(SweepHit { place, ..hit });
    }
    let origin = motion_a.pose.position;
    let mut first = First { hit: None, time_max };
    shapes(a, &motion_a.seen_from(origin), b, &motion_b.seen_from(origin), &mut first, &|hit| hit);
    first.hit
}

/// The way of a shape's box through the world, on which a tree of bodies is asked: its length is the time.
pub fn line(shape: &Shape, motion: &Motion) -> Line {
    Along::new(shape, motion, &Motion::still(Pose::IDENTITY)).line
}

/// A shape and how it moves; a ball if it turns too fast.
struct Ball {
    shape: Shape,
    motion: Motion,
}

impl Ball {
    fn of(shape: &Shape, motion: &Motion) -> Ball {
        if !is_whirling(motion) {
            return Ball { shape: shape.clone(), motion: *motion };
        }
        let pose = Pose { position: motion.pose.point(motion.centre), ..Pose::IDENTITY };
        let motion_of_ball = Motion { translation: motion.translation, ..Motion::still(pose) };
        Ball { shape: Shape::Sphere(shape.reach(motion.centre)), motion: motion_of_ball }
    }
}

/// Whether a body turns farther than is looked at.
fn is_whirling(motion: &Motion) -> bool {
    motion.rotation.length_squared() > TURN_MAX * TURN_MAX
}

/// The first that was found so far.
struct First {
    hit: Option<SweepHit>,
    time_max: f32,
}

/// How what is found of parts is told of the whole.
type Told<'call> = &'call dyn Fn(SweepHit) -> SweepHit;

impl First {
    fn time(&self) -> f32 {
        self.hit.map_or(self.time_max, |hit| hit.time)
    }

    fn add(&mut self, hit: SweepHit) {
        let rank = |hit: &SweepHit| (hit.time, hit.child);
        if hit.time <= self.time_max && self.hit.as_ref().is_none_or(|first| rank(&hit) < rank(first)) {
            self.hit = Some(hit);
        }
    }
}

fn shapes(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, first: &mut First, told: Told) {
    match (a, b) {
        (Shape::Compound(a), _) => {
            for (number, child) in (0..).zip(a.children()) {
                let told = |mut hit: SweepHit| {
                    let triangle = (hit.child >> 32) as u32;
                    hit.child = u64::from(Compound::number(number, triangle)) << 32 | hit.child & 0xffff_ffff;
                    hit.place += motion_a.of_part(&child.pose).at(hit.time).position - motion_a.at(hit.time).position;
                    told(hit)
                };
                shapes(&child.shape, &motion_a.of_part(&child.pose), b, motion_b, first, &told);
            }
        }
        (_, Shape::Compound(b)) => {
            let line = Along::new(a, motion_a, motion_b);
            b.tree().each_along(&line.line, first.time(), |number, _| {
                let child = &b.children()[number as usize];
                let told = |mut hit: SweepHit| {
                    hit.child = hit.child & !0xffff_ffff | u64::from(Compound::number(number, hit.child as u32));
                    told(hit)
                };
                shapes(a, motion_a, &child.shape, &motion_b.of_part(&child.pose), first, &told);
                first.time()
            });
        }
        (Shape::Mesh(a), Shape::Mesh(b)) => mesh(a, motion_a, &**b, motion_b, first, told),
        (Shape::Mesh(a), Shape::Field(b)) => mesh(a, motion_a, &**b, motion_b, first, told),
        (Shape::Field(_), Shape::Field(_)) => {}
        (Shape::Mesh(a), b) if Convex::of(b).is_some() => mesh_to_convex(a, motion_a, b, motion_b, first, told),
        (Shape::Mesh(_) | Shape::Field(_), _) => {
            let told = |hit: SweepHit| {
                let offset = motion_b.at(hit.time).position - motion_a.at(hit.time).position;
                told(SweepHit {
                    normal: -hit.normal,
                    child: hit.child.rotate_left(32),
                    place: hit.place + offset,
                    ..hit
                })
            };
            shapes(b, motion_b, a, motion_a, first, &told);
        }
        (a, b) => {
            let Some(convex_a) = Convex::of(a) else { return };
            let bounds = a.bounds(&Pose::IDENTITY);
            let body = Body { convex: convex_a, motion: motion_a, middle: bounds.middle() };
            match b {
                Shape::Mesh(b) => surface(&body, &bounds, &**b, motion_b, first, told),
                Shape::Field(b) => surface(&body, &bounds, &**b, motion_b, first, told),
                b => {
                    let Some(convex_b) = Convex::of(b) else { return };
                    let other = Body { convex: convex_b, motion: motion_b, middle: Vec3::ZERO };
                    let normal = || deepest_normal(a, &motion_a.pose, b, &motion_b.pose);
                    if let Some(hit) = advance(&body, &other, first.time(), normal) {
                        first.add(told(hit));
                    }
                }
            }
        }
    }
}

/// A convex body on its way.
struct Body<'shape> {
    convex: Convex<'shape>,
    motion: &'shape Motion,
    /// A point inside.
    middle: Vec3,
}

impl Body<'_> {
    /// No point is farther from the centre about which it turns.
    fn reach(&self) -> f32 {
        self.convex.reach() + self.motion.centre.length()
    }

    /// The most that any of its points, as seen from the centre, reaches along a direction of any length, times that length.
    fn turning(&self, pose: &Pose, direction: Vec3) -> f32 {
        if self.motion.rotation == Vec3::ZERO {
            return 0.0;
        }
        let own = pose.direction_back(direction);
        (self.convex.support(own) - self.motion.centre).dot(own) + self.convex.radius() * direction.length()
    }
}

/// A mesh that moves against a convex body: with each of its triangles, if the hull of its corners meets it at all.
fn mesh_to_convex(a: &Mesh, motion_a: &Motion, b: &Shape, motion_b: &Motion, first: &mut First, told: Told) {
    let Some(convex) = Convex::of(b) else { return };
    let (all, is_large) = (a.bounds(), a.len() > TRIANGLES_MAX);
    let corners = corners(&all);
    let points = if is_large { None } else { a.corners() };
    let body = Body { convex: Convex::of_points(points.unwrap_or(&corners)), motion: motion_a, middle: all.middle() };
    let other = Body { convex, motion: motion_b, middle: Vec3::ZERO };
    let is_apart = distance(&body.convex, &motion_a.pose, &other.convex, &motion_b.pose).distance > 0.0;
    let between = motion_b.pose.position - motion_a.pose.position;
    let hit =
        if is_apart || is_large { advance(&body, &other, first.time(), || between.normal_or(Vec3::Z)) } else { None };
    if is_large || (is_apart && hit.is_none()) {
        hit.into_iter().for_each(|hit| first.add(told(hit)));
        return;
    }
    a.each_in(&all, |number| {
        let facet = a.facet(number);
        let body = Body { convex: Convex::of_triangle(facet.points), motion: motion_a, middle: all.middle() };
        if let Some(hit) = advance(&body, &other, first.time(), || motion_a.pose.direction(facet.normal)) {
            first.add(told(SweepHit { child: u64::from(number) << 32 | hit.child, ..hit }));
        }
        true
    });
}

fn corners(bounds: &Bounds) -> [Vec3; 8] {
    let (middle, half) = (bounds.middle(), bounds.half());
    core::array::from_fn(|index| {
        let side = |bit: usize, half: f32| if index & bit == 0 { -half } else { half };
        middle + Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
    })
}

/// A mesh that moves against triangles.
fn mesh(a: &Mesh, motion_a: &Motion, b: &impl Surface, motion_b: &Motion, first: &mut First, told: Told) {
    let all = a.bounds();
    if a.len() > TRIANGLES_MAX {
        let corners = corners(&all);
        let body = Body { convex: Convex::of_points(&corners), motion: motion_a, middle: all.middle() };
        surface(&body, &all, b, motion_b, first, told);
        return;
    }
    a.each_in(&all, |number| {
        let points = a.points(number);
        let bounds = Bounds::around(points);
        let body = Body { convex: Convex::of_triangle(points), motion: motion_a, middle: bounds.middle() };
        let told = |hit: SweepHit| told(SweepHit { child: u64::from(number) << 32 | hit.child, ..hit });
        surface(&body, &bounds, b, motion_b, first, &told);
        true
    });
}

/// The way of a body's box through the tree of another, as the other sees it in the beginning.
struct Along {
    line: Line,
}

impl Along {
    fn new(shape: &Shape, motion: &Motion, other: &Motion) -> Along {
        Along::of_bounds(&shape.bounds(&Pose::IDENTITY), motion, other)
    }

    fn of_bounds(bounds: &Bounds, motion: &Motion, other: &Motion) -> Along {
        let pose = other.pose.back(&motion.pose);
        let way = other.pose.direction_back(motion.translation - other.translation);
        let seen = bounds.moved(&pose);
        let mut from = seen.middle();
        let mut half = seen.half();
        if motion.rotation != Vec3::ZERO {
            // Wherever it turns to, it stays in the ball around its centre.
            from = pose.point(motion.centre);
            let far = (bounds.middle() - motion.centre).abs() + bounds.half();
            half = Vec3::splat(far.length());
        }
        let turn = other.rotation.length();
        if turn > 0.0 {
            // As the other sees it, the way is bent: by no more than the turn times the farthest distance from its centre.
            let start = from - other.centre;
            let far = number::max(start.length(), (start + way).length()) + half.length();
            half += Vec3::splat(far * number::min(turn, 2.0));
        }
        let slack = slop(half.max_component(), from, way) * 2.0;
        Along { line: Line::of_box(from, way, half + Vec3::splat(slack)) }
    }
}

/// A convex body against triangles.
fn surface(body: &Body, bounds: &Bounds, surface: &impl Surface, motion: &Motion, first: &mut First, told: Told) {
    let along = Along::of_bounds(bounds, body.motion, motion);
    surface.each_along(&along.line, first.time(), |triangle, _| {
        let facet = surface.facet(triangle);
        if let Some(mut hit) = against_facet(body, &facet, motion, first.time()) {
            hit.child |= u64::from(triangle);
            first.add(told(hit));
        }
        first.time()
    });
}

/// A convex body against one triangle.
fn against_facet(body: &Body, facet: &Facet, motion: &Motion, time_max: f32) -> Option<SweepHit> {
    let middle = |time: f32| motion.at(time).point_back(body.motion.at(time).point(body.middle));
    let height = |place: Vec3| (place - facet.points[0]).dot(facet.normal);
    let start = middle(0.0);
    if height(start) < 0.0 {
        return None;
    }
    let is_turning = body.motion.rotation != Vec3::ZERO || motion.rotation != Vec3::ZERO;
    let way = motion.pose.direction_back(body.motion.translation - motion.translation);
    if !is_turning && way.dot(facet.normal) >= 0.0 {
        return None;
    }
    let target = Body { convex: Convex::of_triangle(facet.points), motion, middle: Vec3::ZERO };
    let hit = advance(body, &target, time_max, || -motion.pose.direction(facet.normal))?;
    let pose = motion.at(hit.time);
    let outwards = [facet.outward(0), facet.outward(1), facet.outward(2)];
    let direction = pose.direction_back(-hit.normal);
    let lean = facet.lean(direction, &outwards);
    if lean == Lean::Own {
        return Some(hit);
    }
    // It meets an edge that is not this triangle's to touch. Whoever only slides past its plane is let past; whoever falls through it is
    // not, even where the neighbours disagree about whose the edge is.
    let front = pose.direction(facet.normal);
    let own_pose = body.motion.at(hit.time);
    let lowest = own_pose.point(body.convex.support(own_pose.direction_back(-front)));
    let above = (lowest - pose.point(facet.points[0])).dot(front) - body.convex.radius();
    let falls = (motion.translation - body.motion.translation).dot(front) * (1.0 - hit.time);
    let is_before = direction.dot(facet.normal) > 0.0;
    if is_before && falls > above + slop(body.reach(), motion.pose.position, way) {
        let normal = if lean == Lean::Inner { -front } else { hit.normal };
        return Some(SweepHit { normal, ..hit });
    }
    let end = middle(1.0);
    let (first, last) = (height(start), height(end));
    let passes = last < 0.0 && {
        let crossing = start + (end - start) * (first / (first - last));
        let is_inside = |edge: usize| (crossing - facet.points[edge]).dot(outwards[edge]) <= 0.0;
        is_inside(0) && is_inside(1) && is_inside(2)
    };
    passes.then_some(SweepHit { normal: -front, ..hit })
}

/// When two convex bodies meet. `normal_inside` is the direction from the first to the second if they overlap in the beginning.
fn advance(a: &Body, b: &Body, time_max: f32, normal_inside: impl FnOnce() -> Vec3) -> Option<SweepHit> {
    let way = b.motion.translation - a.motion.translation;
    let (reach_a, reach_b) = (a.reach(), b.reach());
    let mut near = slop(number::min(reach_a, reach_b), b.motion.pose.position, way);
    let mut time = 0.0;
    let mut found = distance(&a.convex, &a.motion.pose, &b.convex, &b.motion.pose);
    if found.distance <= near {
        let normal = if found.normal == Vec3::ZERO { normal_inside() } else { found.normal };
        if comes_nearer(a, b, &found, normal) > near {
            return Some(hit_at(0.0, normal, &found));
        }
        if found.distance == 0.0 {
            return None;
        }
        near = found.distance * 0.5;
    }
    let (mut pose_a, mut pose_b) = (a.motion.pose, b.motion.pose);
    for _ in 0..ROUNDS_MAX {
        let normal = found.normal;
        let (turn_a, turn_b) = (normal.cross(a.motion.rotation), normal.cross(b.motion.rotation));
        // How fast they come nearer along the normal right now at most, and how much faster they can become by turning on.
        let speed = a.turning(&pose_a, turn_a) + b.turning(&pose_b, -turn_b) - way.dot(normal);
        let bend = |motion: &Motion, turn: Vec3, reach: f32| motion.rotation.length() * turn.length() * reach * 0.5;
        let gain = bend(a.motion, turn_a, reach_a) + bend(b.motion, turn_b, reach_b);
        // Half of what is near enough is left, so that every round gains at least the other half.
        time += time_for(found.distance - near * 0.5, speed, gain);
        if time > time_max {
            return None;
        }
        (pose_a, pose_b) = (a.motion.at(time), b.motion.at(time));
        let next = distance(&a.convex, &pose_a, &b.convex, &pose_b);
        if next.distance <= near {
            let normal = if next.normal == Vec3::ZERO { found.normal } else { next.normal };
            return Some(hit_at(time, normal, &next));
        }
        found = next;
    }
    Some(hit_at(time, found.normal, &found))
}

/// The time in which no more than a distance is gone, at a speed that grows by twice the gain in every unit of time. Infinite if it never
/// is.
fn time_for(distance: f32, speed: f32, gain: f32) -> f32 {
    let root = speed * speed + 4.0 * gain * distance;
    // Both forms are the same number; the one that adds like signs does not lose digits.
    let time = if speed > 0.0 {
        2.0 * distance / (speed + number::sqrt(root))
    } else {
        (number::sqrt(root) - speed) / (2.0 * gain)
    };
    if time >= 0.0 { time } else { f32::INFINITY }
}

/// How much nearer two bodies that touch come there, if they go on as they begin.
fn comes_nearer(a: &Body, b: &Body, found: &Distance, normal: Vec3) -> f32 {
    let place = a.motion.pose.position + (found.point_a + found.point_b) * 0.5;
    let velocity = |motion: &Motion| motion.velocity(place - motion.pose.point(motion.centre));
    (velocity(a.motion) - velocity(b.motion)).dot(normal)
}

fn hit_at(time: f32, normal: Vec3, found: &Distance) -> SweepHit {
    SweepHit { time, normal, place: (found.point_a + found.point_b) * 0.5, child: 0 }
}

/// How near is near enough: half a millimetre, less for small bodies, more where numbers are too coarse for that.
fn slop(size: f32, offset: Vec3, way: Vec3) -> f32 {
    let coarse = (offset.abs().max_component() + way.abs().max_component() + size) * 1e-6;
    number::max(number::min(size * 2e-3, 5e-4), coarse)
}

fn deepest_normal(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec3 {
    let mut found = Manifolds::default();
    narrow::collide(a, pose_a, b, pose_b, 0.0, &mut found);
    let deepest = found.as_slice().iter().reduce(
        |deepest, other| {
            if other.deepest() < deepest.deepest() { other } else { deepest }
        },
    );
    deepest.map_or_else(|| (pose_b.position - pose_a.position).normal_or(Vec3::Z), |manifold| manifold.normal)
}
