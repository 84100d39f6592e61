//! Sweeps: the time of impact of two moving shapes, by conservative advancement (Mirtich 1996).
//!
//! The distance of two convex bodies divided by a bound on their closing speed is a time that can pass safely; this is repeated
//! until they touch. The bound is directional: the speed along the present normal plus the curvature that rotation can add.
//!
//! Laws
//! 1. Time goes from 0 to 1. Bodies rotate at constant rate about their pivots, which move at constant velocity.
//! 2. No result is late: at the reported time convex bodies are separated, unless they overlapped at the start. It may be early
//!    by the time that half a millimetre takes, or two thousandths of the smaller body, or the resolution of the numbers. After
//!    [`ITERATIONS_MAX`] iterations the last safe time is reported.
//! 3. Bodies that touch at the start and do not approach there do not hit: contacts handle them. If they approach, they hit at
//!    time zero.
//! 4. Triangles are hit from their front. A body that slides past an internal edge (see [`SurfaceTriangle::classify_normal`])
//!    does not hit it; one that moves through the triangle's plane does, and no body's center passes through a triangle from its
//!    front.
//! 5. If the first shape is a mesh, each of its triangles is swept, and against convex bodies both sides count: those need no
//!    test of the center. A mesh of more than [`TRIANGLES_MAX`] triangles is swept as its AABB.
//! 6. Of equal times the lowest children win.
//! 7. A body that rotates by more than [`ROTATION_MAX`] is swept as its bounding sphere about the pivot.

use base::{Mat3, Quat, Vec3, number};

use crate::aabb::{Aabb, SweptAabb};
use crate::distance::{Convex, Distance, distance};
use crate::manifold::Manifolds;
use crate::mesh::Mesh;
use crate::narrow;
use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use crate::surface::{NormalRegion, Surface, SurfaceTriangle};

#[cfg(test)]
mod tests;

/// Limit of conservative advancement iterations.
pub const ITERATIONS_MAX: u32 = 256;

/// A moving mesh of up to this many triangles is swept triangle by triangle.
pub const TRIANGLES_MAX: usize = 256;

/// The largest rotation that is swept exactly, in radians: a full turn.
pub const ROTATION_MAX: f32 = number::TAU;

/// The motion of a body from time 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// The pose at the start.
    pub pose: Pose,
    /// The point of the shape about which it rotates: its center of mass.
    pub pivot: Vec3,
    /// The displacement of the pivot.
    pub translation: Vec3,
    /// The rotation vector, in radians.
    pub rotation: Vec3,
}

/// The time of impact of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// The time of impact, from 0 to 1.
    pub time: f32,
    /// The unit normal from the first to the second.
    pub normal: Vec3,
    /// The contact point, relative to the first position at that time, along the world axes.
    pub anchor: Vec3,
    /// The children or triangles, those of the first in the upper half.
    pub child: u64,
}

impl Motion {
    /// No motion.
    pub fn at_rest(pose: Pose) -> Motion {
        Motion { pose, pivot: Vec3::ZERO, translation: Vec3::ZERO, rotation: Vec3::ZERO }
    }

    /// The pose at a time.
    pub fn at(&self, time: f32) -> Pose {
        let start = self.pose.point(self.pivot);
        if self.rotation == Vec3::ZERO {
            return Pose { position: self.pose.position + self.translation * time, ..self.pose };
        }
        let rotation = Quat::from_rotation_vector(self.rotation * time);
        let axes = self.pose.axes.columns.map(|axis| rotation.rotate(axis));
        let pose = Pose { position: Vec3::ZERO, axes: Mat3 { columns: axes } };
        Pose { position: start + self.translation * time - pose.direction(self.pivot), ..pose }
    }

    /// The rest of the motion after a time.
    pub fn after(&self, time: f32) -> Motion {
        if time <= 0.0 {
            return *self;
        }
        let remaining = 1.0 - time;
        Motion {
            pose: self.at(time),
            translation: self.translation * remaining,
            rotation: self.rotation * remaining,
            ..*self
        }
    }

    /// The motion of a child with a pose within the shape.
    fn of_child(&self, part: &Pose) -> Motion {
        Motion { pose: self.pose.compose(part), pivot: part.local_point(self.pivot), ..*self }
    }

    /// The initial velocity of a point at an offset from the pivot.
    fn velocity(&self, anchor: Vec3) -> Vec3 {
        self.translation + self.rotation.cross(anchor)
    }

    fn relative_to(&self, origin: Vec3) -> Motion {
        Motion { pose: Pose { position: self.pose.position - origin, ..self.pose }, ..*self }
    }
}

/// Whether a body with these inscribed and bounding radii moves or turns so far that it could pass through another: by half of its
/// inscribed radius, or with a part of its surface by all of it.
pub fn is_fast(shape: &Shape, motion: &Motion, [inscribed_radius, bounding_radius]: [f32; 2]) -> bool {
    let limit = inscribed_radius * 0.5;
    motion.translation.length_squared() > limit * limit || turns_far(shape, motion, [inscribed_radius, bounding_radius])
}

/// Whether a body turns so far about its pivot that a part of its surface moves by its inscribed radius.
pub fn turns_far(shape: &Shape, motion: &Motion, [inscribed_radius, bounding_radius]: [f32; 2]) -> bool {
    let angle = motion.rotation.length();
    if angle * (bounding_radius - inscribed_radius) <= inscribed_radius {
        return false;
    }
    // The distance of the surface from the axis, in a frame along it.
    let axis = motion.rotation * (1.0 / angle);
    let across = axis.perpendicular().normal();
    let frame = Pose { position: Vec3::ZERO, axes: Mat3 { columns: [across, axis.cross(across), axis] } };
    let axes = motion.pose.axes.columns.map(|column| frame.local_direction(column));
    let aabb = shape.aabb(&Pose { position: Vec3::ZERO, axes: Mat3 { columns: axes } });
    let pivot = frame.local_direction(motion.pose.direction(motion.pivot));
    let farthest = (aabb.center() - pivot).abs() + aabb.half_extent();
    let lever = number::min(number::sqrt(farthest.x * farthest.x + farthest.y * farthest.y), bounding_radius);
    angle * (lever - inscribed_radius) > inscribed_radius
}

/// Whether a kinematic body, which nothing stops, moves so far relative to another that it could pass it.
pub fn is_driven(driver: &DriverMotion, center_of_mass: Vec3, translation: Vec3, radii: &DrivenRadii) -> bool {
    let angle = driver.rotation.length();
    let beside = translation - driver.translation - driver.rotation.cross(center_of_mass - driver.center_of_mass);
    // The rest of it is elsewhere on the path.
    let turn = if angle > DRIVER_TURN_MIN { angle * radii.bounding } else { 0.0 };
    let smaller = radii.inscribed.into_iter().filter(|radius| *radius > 0.0).reduce(number::min).unwrap_or(0.0);
    beside.length() + turn > number::max(smaller * 0.5, radii.margin)
}

/// The motion of a kinematic body in a step, from its center of mass.
#[derive(Clone, Copy, Debug)]
pub struct DriverMotion {
    /// Where it starts.
    pub center_of_mass: Vec3,
    /// Its translation.
    pub translation: Vec3,
    /// Its rotation vector.
    pub rotation: Vec3,
}

/// The sizes that decide whether a kinematic body could pass another.
#[derive(Clone, Copy, Debug)]
pub struct DrivenRadii {
    /// The inscribed radii of both.
    pub inscribed: [f32; 2],
    /// The bounding radius of the other.
    pub bounding: f32,
    /// The distance within which contacts are found in any case.
    pub margin: f32,
}

/// A kinematic body that turns farther in a step, in radians, does not move like a plate in front of another.
pub const DRIVER_TURN_MIN: f32 = 0.1;

/// The first hit of two moving shapes.
pub fn sweep(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<SweepHit> {
    sweep_before(a, motion_a, b, motion_b, 1.0)
}

/// The same, if it is no later than a time.
pub fn sweep_before(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, time_max: f32) -> Option<SweepHit> {
    sweep_accepted(a, motion_a, b, motion_b, time_max, &|_| true)
}

/// The same, without the hits that are not accepted: of each pair of convex parts, only the first hit is asked about.
pub fn sweep_accepted(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    time_max: f32,
    accepts: &dyn Fn(&SweepHit) -> bool,
) -> Option<SweepHit> {
    let is_sound = |motion: &Motion| {
        let axes = motion.pose.axes.columns;
        let sum =
            motion.pose.position + motion.pivot + motion.translation + motion.rotation + axes[0] + axes[1] + axes[2];
        sum.is_finite()
    };
    if !is_sound(motion_a) || !is_sound(motion_b) {
        return None;
    }
    if rotates_too_far(motion_a) || rotates_too_far(motion_b) {
        let (ball_a, ball_b) = (BoundingSphere::of(a, motion_a), BoundingSphere::of(b, motion_b));
        let whole = |hit: SweepHit| {
            let offset = ball_a.motion.at(hit.time).position - motion_a.at(hit.time).position;
            SweepHit { anchor: hit.anchor + offset, ..hit }
        };
        let accepts = |hit: &SweepHit| accepts(&whole(*hit));
        let (a, b) = (&ball_a, &ball_b);
        return sweep_accepted(&a.shape, &a.motion, &b.shape, &b.motion, time_max, &accepts).map(whole);
    }
    let origin = motion_a.pose.position;
    let mut first = EarliestHit { hit: None, time_max, accepts };
    sweep_shapes(a, &motion_a.relative_to(origin), b, &motion_b.relative_to(origin), &mut first, &|hit| hit);
    first.hit
}

/// The swept AABB of a shape in the world, for BVH queries; its parameter is the time.
pub fn swept_aabb(shape: &Shape, motion: &Motion) -> SweptAabb {
    relative_swept_aabb(&shape.aabb(&Pose::IDENTITY), motion, &Motion::at_rest(Pose::IDENTITY))
}

/// A shape and its motion, replaced by its bounding sphere if it rotates too far.
struct BoundingSphere {
    shape: Shape,
    motion: Motion,
}

impl BoundingSphere {
    fn of(shape: &Shape, motion: &Motion) -> BoundingSphere {
        if !rotates_too_far(motion) {
            return BoundingSphere { shape: shape.clone(), motion: *motion };
        }
        let pose = Pose { position: motion.pose.point(motion.pivot), ..Pose::IDENTITY };
        let motion_of_ball = Motion { translation: motion.translation, ..Motion::at_rest(pose) };
        BoundingSphere { shape: Shape::Sphere(shape.bounding_radius(motion.pivot)), motion: motion_of_ball }
    }
}

/// Whether a body rotates farther than is swept exactly.
fn rotates_too_far(motion: &Motion) -> bool {
    motion.rotation.length_squared() > ROTATION_MAX * ROTATION_MAX
}

/// The earliest hit so far.
struct EarliestHit<'call> {
    hit: Option<SweepHit>,
    time_max: f32,
    accepts: &'call dyn Fn(&SweepHit) -> bool,
}

/// Maps a hit of parts to one of the whole shapes.
type MapHit<'call> = &'call dyn Fn(SweepHit) -> SweepHit;

impl EarliestHit<'_> {
    fn time(&self) -> f32 {
        self.hit.map_or(self.time_max, |hit| hit.time)
    }

    fn add(&mut self, hit: SweepHit) {
        let rank = |hit: &SweepHit| (hit.time, hit.child);
        let is_first = hit.time <= self.time_max && self.hit.as_ref().is_none_or(|first| rank(&hit) < rank(first));
        if is_first && (self.accepts)(&hit) {
            self.hit = Some(hit);
        }
    }
}

fn sweep_shapes(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, first: &mut EarliestHit, map_hit: MapHit) {
    match (a, b) {
        (Shape::Compound(a), _) => {
            for (number, child) in (0..).zip(a.children()) {
                let map_hit = |mut hit: SweepHit| {
                    let triangle = (hit.child >> 32) as u32;
                    hit.child = u64::from(Compound::pack_id(number, triangle)) << 32 | hit.child & 0xffff_ffff;
                    hit.anchor += motion_a.of_child(&child.pose).at(hit.time).position - motion_a.at(hit.time).position;
                    map_hit(hit)
                };
                sweep_shapes(&child.shape, &motion_a.of_child(&child.pose), b, motion_b, first, &map_hit);
            }
        }
        (_, Shape::Compound(b)) => {
            let swept = relative_swept_aabb(&a.aabb(&Pose::IDENTITY), motion_a, motion_b);
            b.bvh().visit_swept(&swept, first.time(), |number, _| {
                let child = &b.children()[number as usize];
                let map_hit = |mut hit: SweepHit| {
                    hit.child = hit.child & !0xffff_ffff | u64::from(Compound::pack_id(number, hit.child as u32));
                    map_hit(hit)
                };
                sweep_shapes(a, motion_a, &child.shape, &motion_b.of_child(&child.pose), first, &map_hit);
                first.time()
            });
        }
        (Shape::Mesh(a), Shape::Mesh(b)) => sweep_mesh(a, motion_a, &**b, motion_b, first, map_hit),
        (Shape::Mesh(a), Shape::HeightField(b)) => sweep_mesh(a, motion_a, &**b, motion_b, first, map_hit),
        (Shape::HeightField(_), Shape::HeightField(_)) => {}
        (Shape::Mesh(a), b) if Convex::of(b).is_some() => sweep_mesh_convex(a, motion_a, b, motion_b, first, map_hit),
        (Shape::Mesh(_) | Shape::HeightField(_), _) => {
            let map_hit = |hit: SweepHit| {
                let offset = motion_b.at(hit.time).position - motion_a.at(hit.time).position;
                map_hit(SweepHit {
                    normal: -hit.normal,
                    child: hit.child.rotate_left(32),
                    anchor: hit.anchor + offset,
                    ..hit
                })
            };
            sweep_shapes(b, motion_b, a, motion_a, first, &map_hit);
        }
        (a, b) => {
            let Some(convex_a) = Convex::of(a) else { return };
            let aabb = a.aabb(&Pose::IDENTITY);
            let body = SweptBody { convex: convex_a, motion: motion_a, center: aabb.center() };
            match b {
                Shape::Mesh(b) => sweep_surface(&body, &aabb, &**b, motion_b, first, map_hit),
                Shape::HeightField(b) => sweep_surface(&body, &aabb, &**b, motion_b, first, map_hit),
                b => {
                    let Some(convex_b) = Convex::of(b) else { return };
                    let other = SweptBody { convex: convex_b, motion: motion_b, center: Vec3::ZERO };
                    let normal = || deepest_normal(a, &motion_a.pose, b, &motion_b.pose);
                    if let Some(hit) = conservative_advancement(&body, &other, first.time(), normal) {
                        first.add(map_hit(hit));
                    }
                }
            }
        }
    }
}

/// A convex body with its motion.
struct SweptBody<'shape> {
    convex: Convex<'shape>,
    motion: &'shape Motion,
    /// A point inside.
    center: Vec3,
}

impl SweptBody<'_> {
    /// The radius of a sphere around the pivot that contains it.
    fn bounding_radius(&self) -> f32 {
        self.convex.bounding_radius() + self.motion.pivot.length()
    }

    /// The support of its points, relative to the pivot, along a direction, scaled by the direction's length.
    fn angular_extent(&self, pose: &Pose, direction: Vec3) -> f32 {
        if self.motion.rotation == Vec3::ZERO {
            return 0.0;
        }
        let own = pose.local_direction(direction);
        (self.convex.support(own) - self.motion.pivot).dot(own) + self.convex.radius() * direction.length()
    }
}

/// A moving mesh against a convex body: triangle by triangle, if the hull of its vertices hits it at all.
fn sweep_mesh_convex(
    a: &Mesh,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    first: &mut EarliestHit,
    map_hit: MapHit,
) {
    let Some(convex) = Convex::of(b) else { return };
    let (mesh_aabb, is_large) = (a.aabb(), a.len() > TRIANGLES_MAX);
    let box_vertices = box_vertices(&mesh_aabb);
    let points = if is_large { None } else { a.support_vertices() };
    let body = SweptBody {
        convex: Convex::of_points(points.unwrap_or(&box_vertices)),
        motion: motion_a,
        center: mesh_aabb.center(),
    };
    let other = SweptBody { convex, motion: motion_b, center: Vec3::ZERO };
    let is_apart = distance(&body.convex, &motion_a.pose, &other.convex, &motion_b.pose).distance > 0.0;
    let between = motion_b.pose.position - motion_a.pose.position;
    let hit = if is_apart || is_large {
        conservative_advancement(&body, &other, first.time(), || between.normal_or(Vec3::Z))
    } else {
        None
    };
    if is_large || (is_apart && hit.is_none()) {
        hit.into_iter().for_each(|hit| first.add(map_hit(hit)));
        return;
    }
    a.visit_overlapping(&mesh_aabb, |number| {
        let triangle = a.triangle(number);
        let body =
            SweptBody { convex: Convex::of_triangle(triangle.vertices), motion: motion_a, center: mesh_aabb.center() };
        if let Some(hit) =
            conservative_advancement(&body, &other, first.time(), || motion_a.pose.direction(triangle.normal))
        {
            first.add(map_hit(SweepHit { child: u64::from(number) << 32 | hit.child, ..hit }));
        }
        true
    });
}

fn box_vertices(aabb: &Aabb) -> [Vec3; 8] {
    let (center, half) = (aabb.center(), aabb.half_extent());
    core::array::from_fn(|index| {
        let signed = |bit: usize, half: f32| if index & bit == 0 { -half } else { half };
        center + Vec3::new(signed(1, half.x), signed(2, half.y), signed(4, half.z))
    })
}

/// A moving mesh against triangles.
fn sweep_mesh(
    a: &Mesh,
    motion_a: &Motion,
    b: &impl Surface,
    motion_b: &Motion,
    first: &mut EarliestHit,
    map_hit: MapHit,
) {
    let mesh_aabb = a.aabb();
    if a.len() > TRIANGLES_MAX {
        let box_vertices = box_vertices(&mesh_aabb);
        let body = SweptBody { convex: Convex::of_points(&box_vertices), motion: motion_a, center: mesh_aabb.center() };
        sweep_surface(&body, &mesh_aabb, b, motion_b, first, map_hit);
        return;
    }
    a.visit_overlapping(&mesh_aabb, |number| {
        let points = a.triangle_vertices(number);
        let aabb = Aabb::from_points(points);
        let body = SweptBody { convex: Convex::of_triangle(points), motion: motion_a, center: aabb.center() };
        let map_hit = |hit: SweepHit| map_hit(SweepHit { child: u64::from(number) << 32 | hit.child, ..hit });
        sweep_surface(&body, &aabb, b, motion_b, first, &map_hit);
        true
    });
}

/// A body's swept AABB in the initial frame of another.
fn relative_swept_aabb(aabb: &Aabb, motion: &Motion, other: &Motion) -> SweptAabb {
    let pose = other.pose.local_pose(&motion.pose);
    let displacement = other.pose.local_direction(motion.translation - other.translation);
    let relative_aabb = aabb.transformed(&pose);
    let mut from = relative_aabb.center();
    let mut half = relative_aabb.half_extent();
    if motion.rotation != Vec3::ZERO {
        // A rotating body stays inside the sphere around its pivot.
        from = pose.point(motion.pivot);
        let farthest = (aabb.center() - motion.pivot).abs() + aabb.half_extent();
        half = Vec3::splat(farthest.length());
    }
    let rotation_angle = other.rotation.length();
    if rotation_angle > 0.0 {
        // In the other's rotating frame the path is curved: by at most its rotation times the largest distance from its
        // pivot.
        let start = from - other.pivot;
        let farthest = number::max(start.length(), (start + displacement).length()) + half.length();
        half += Vec3::splat(farthest * number::min(rotation_angle, 2.0));
    }
    let margin = tolerance(half.max_component(), from, displacement) * 2.0;
    SweptAabb::new(from, displacement, half + Vec3::splat(margin))
}

/// A convex body against triangles.
fn sweep_surface(
    body: &SweptBody,
    aabb: &Aabb,
    surface: &impl Surface,
    motion: &Motion,
    first: &mut EarliestHit,
    map_hit: MapHit,
) {
    let swept = relative_swept_aabb(aabb, body.motion, motion);
    surface.visit_swept(&swept, first.time(), |index, _| {
        let triangle = surface.triangle(index);
        if let Some(mut hit) = sweep_triangle(body, &triangle, motion, first.time()) {
            hit.child |= u64::from(index);
            first.add(map_hit(hit));
        }
        first.time()
    });
}

/// A convex body against one triangle.
fn sweep_triangle(body: &SweptBody, triangle: &SurfaceTriangle, motion: &Motion, time_max: f32) -> Option<SweepHit> {
    let center = |time: f32| motion.at(time).local_point(body.motion.at(time).point(body.center));
    let height = |anchor: Vec3| (anchor - triangle.vertices[0]).dot(triangle.normal);
    let start = center(0.0);
    if height(start) < 0.0 {
        return None;
    }
    let is_turning = body.motion.rotation != Vec3::ZERO || motion.rotation != Vec3::ZERO;
    let displacement = motion.pose.local_direction(body.motion.translation - motion.translation);
    if !is_turning && displacement.dot(triangle.normal) >= 0.0 {
        return None;
    }
    let target = SweptBody { convex: Convex::of_triangle(triangle.vertices), motion, center: Vec3::ZERO };
    let hit = conservative_advancement(body, &target, time_max, || -motion.pose.direction(triangle.normal))?;
    let pose = motion.at(hit.time);
    let edge_normals = [triangle.edge_normal(0), triangle.edge_normal(1), triangle.edge_normal(2)];
    let direction = pose.local_direction(-hit.normal);
    let region = triangle.classify_normal(direction, &edge_normals);
    if region == NormalRegion::Own {
        return Some(hit);
    }
    // The normal is not the triangle's own. A body that slides past its plane does not hit; one that moves through it
    // does, even if the neighbours disagree about the owner of the edge.
    let front = pose.direction(triangle.normal);
    let own_pose = body.motion.at(hit.time);
    let lowest = own_pose.point(body.convex.support(own_pose.local_direction(-front)));
    let above = (lowest - pose.point(triangle.vertices[0])).dot(front) - body.convex.radius();
    let falls = (motion.translation - body.motion.translation).dot(front) * (1.0 - hit.time);
    let is_before = direction.dot(triangle.normal) > 0.0;
    if is_before && falls > above + tolerance(body.bounding_radius(), motion.pose.position, displacement) {
        let normal = if region == NormalRegion::InternalEdge { -front } else { hit.normal };
        return Some(SweepHit { normal, ..hit });
    }
    let end = center(1.0);
    let (first, last) = (height(start), height(end));
    let passes = last < 0.0 && {
        let crossing = start + (end - start) * (first / (first - last));
        let is_inside = |edge: usize| (crossing - triangle.vertices[edge]).dot(edge_normals[edge]) <= 0.0;
        is_inside(0) && is_inside(1) && is_inside(2)
    };
    passes.then_some(SweepHit { normal: -front, ..hit })
}

/// The time of impact of two convex bodies. `normal_inside` is the normal if they overlap at the start.
fn conservative_advancement(
    a: &SweptBody,
    b: &SweptBody,
    time_max: f32,
    normal_inside: impl FnOnce() -> Vec3,
) -> Option<SweepHit> {
    let displacement = b.motion.translation - a.motion.translation;
    let (reach_a, reach_b) = (a.bounding_radius(), b.bounding_radius());
    let mut tolerance_distance = tolerance(number::min(reach_a, reach_b), b.motion.pose.position, displacement);
    let mut time = 0.0;
    let mut found = distance(&a.convex, &a.motion.pose, &b.convex, &b.motion.pose);
    if found.distance <= tolerance_distance {
        let normal = if found.normal == Vec3::ZERO { normal_inside() } else { found.normal };
        if approach(a, b, &found, normal) > tolerance_distance {
            return Some(hit_at(0.0, normal, &found));
        }
        if found.distance == 0.0 {
            return None;
        }
        tolerance_distance = found.distance * 0.5;
    }
    let (mut pose_a, mut pose_b) = (a.motion.pose, b.motion.pose);
    for _ in 0..ITERATIONS_MAX {
        let normal = found.normal;
        let (turn_a, turn_b) = (normal.cross(a.motion.rotation), normal.cross(b.motion.rotation));
        // The present closing speed along the normal, and the bound on its growth by rotation.
        let speed = a.angular_extent(&pose_a, turn_a) + b.angular_extent(&pose_b, -turn_b) - displacement.dot(normal);
        let angular_gain = |motion: &Motion, lever: Vec3, bounding_radius: f32| {
            motion.rotation.length() * lever.length() * bounding_radius * 0.5
        };
        let gain = angular_gain(a.motion, turn_a, reach_a) + angular_gain(b.motion, turn_b, reach_b);
        // Half of the tolerance is left, so that every iteration gains at least the other half.
        time += safe_time(found.distance - tolerance_distance * 0.5, speed, gain);
        if time > time_max {
            return None;
        }
        (pose_a, pose_b) = (a.motion.at(time), b.motion.at(time));
        let next = distance(&a.convex, &pose_a, &b.convex, &pose_b);
        if next.distance <= tolerance_distance {
            let normal = if next.normal == Vec3::ZERO { found.normal } else { next.normal };
            return Some(hit_at(time, normal, &next));
        }
        found = next;
    }
    Some(hit_at(time, found.normal, &found))
}

/// The time in which at most a distance is covered, at a speed that grows by twice the gain per unit of time. Infinite if it
/// never is.
fn safe_time(distance: f32, speed: f32, gain: f32) -> f32 {
    let root = speed * speed + 4.0 * gain * distance;
    // Both forms are equal; the one that adds numbers of like sign avoids cancellation.
    let time = if speed > 0.0 {
        2.0 * distance / (speed + number::sqrt(root))
    } else {
        (number::sqrt(root) - speed) / (2.0 * gain)
    };
    if time >= 0.0 { time } else { f32::INFINITY }
}

/// How far two touching bodies approach there at their initial velocities.
fn approach(a: &SweptBody, b: &SweptBody, found: &Distance, normal: Vec3) -> f32 {
    let anchor = a.motion.pose.position + (found.point_a + found.point_b) * 0.5;
    let velocity = |motion: &Motion| motion.velocity(anchor - motion.pose.point(motion.pivot));
    (velocity(a.motion) - velocity(b.motion)).dot(normal)
}

fn hit_at(time: f32, normal: Vec3, found: &Distance) -> SweepHit {
    SweepHit { time, normal, anchor: (found.point_a + found.point_b) * 0.5, child: 0 }
}

/// The contact tolerance: half a millimetre, less for small bodies, more where numbers are coarser.
fn tolerance(size: f32, offset: Vec3, displacement: Vec3) -> f32 {
    let coarse = (offset.abs().max_component() + displacement.abs().max_component() + size) * 1e-6;
    number::max(number::min(size * 2e-3, 5e-4), coarse)
}

fn deepest_normal(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec3 {
    let mut found = Manifolds::default();
    narrow::collide(a, pose_a, b, pose_b, 0.0, &mut found);
    let deepest = found
        .as_slice()
        .iter()
        .reduce(|deepest, other| if other.min_separation() < deepest.min_separation() { other } else { deepest });
    deepest.map_or_else(|| (pose_b.position - pose_a.position).normal_or(Vec3::Z), |manifold| manifold.normal)
}
