//! Exact queries against the shapes of objects: rays, shape casts, overlaps and nearest surfaces.
//!
//! Laws
//! 1. An object with a body is its shape in its pose; any other is a sphere of its radius. Triggers are skipped.
//! 2. Candidates beyond the bounding radii cost one. A test against a shape costs [`CLOSE_COST`] more, hit or not.
//! 3. A query with the shape of an object skips that object.

use base::number::{clamp, double, max, min};
use base::{Handle, Quat, Vec3};
use physics::closest_points::closest_points;
use physics::overlap::is_overlapping;
use physics::pose::Pose;
use physics::sweep::{Motion, sweep_before};
use physics::{Body, Shape, flag, ray};

use super::Sight;
use crate::limits::{CLOSE_COST, FAR};
use crate::object::Object;
use crate::question::{Form, Want};
use crate::space::{HitPoint, Search, SearchSegment, Visit, meet_sphere};

/// The shape of a query.
struct Probe {
    shape: Shape,
    turn: Quat,
    /// Its bounding radius.
    reach: f32,
    /// The object whose shape it is.
    owner: Handle<Object>,
}

/// A margin above rounding errors, so that culling never drops a hit.
const SLACK: f32 = 1.0e-3;

impl<'a> Sight<'a> {
    /// The body of an object, if it has one.
    pub(super) fn body(&self, handle: Handle<Object>, object: &Object) -> Option<&'a Body> {
        self.prototypes.get(object.mind.program)?.body?;
        let body = *self.keys.bodies.get(self.block).get(usize::from(handle.slot()))?;
        let (_, body) = self.keys.physics.bodies.find_raw(self.block, body.raw())?;
        (body.owner == handle.raw()).then_some(body)
    }

    /// The objects that a ray hits.
    pub(super) fn ray(&self, from: Vec3, to: Vec3, search: &mut Search<'_>) {
        // Beyond the end of space there is nothing; and far beyond it, lengths are no longer finite.
        let Some((from, to, before)) = within_space(from, to) else { return };
        let way = to - from;
        let length = way.length();
        let visit = |search: &mut Search<'_>, handle: Handle<Object>, object: &Object| {
            search.look(handle, object, &|object: &Object| {
                let hit = self.meet_ray(from, way, length, (handle, object))?;
                Some(HitPoint { distance: hit.distance + before, ..hit })
            });
        };
        self.along(&SearchSegment { from, to, reach: self.prototypes.radius_max(), is_once: false }, search, &visit);
    }

    /// The objects that a moving shape hits.
    pub(super) fn sweep(&self, form: &Form, (from, to): (Vec3, Vec3), want: Want, search: &mut Search<'_>) {
        let Some(probe) = self.probe(form) else { return };
        let way = to - from;
        let length = way.length();
        if !from.is_finite() || !length.is_finite() || length == 0.0 {
            return;
        }
        let motion = Motion { translation: way, ..Motion::at_rest(Pose::new(from, probe.turn)) };
        let meet = |shape: &Shape, pose: &Pose, most: f32| {
            // Slightly later, so that no hit at the same time is lost.
            let time_max = min(most / length * (1.0 + SLACK), 1.0);
            let hit = sweep_before(&probe.shape, &motion, shape, &Motion::at_rest(*pose), time_max)?;
            let at = from + way * hit.time + hit.anchor;
            Some(HitPoint { distance: hit.time * length, at, normal: -hit.normal })
        };
        let visit = |search: &mut Search<'_>, handle: Handle<Object>, object: &Object| {
            let along = clamp((object.position - from).dot(way) / (length * length), 0.0, 1.0);
            let apart = object.position.distance(from + way * along);
            let is_near = apart <= wider(self.reach(object) + probe.reach, from, length);
            if is_near && handle != probe.owner {
                self.look_closely(search, (handle, object), (want, length), meet);
            }
        };
        let reach = wider(self.prototypes.radius_max() + probe.reach, from, length);
        self.along(&SearchSegment { from, to, reach, is_once: true }, search, &visit);
    }

    /// The objects that overlap a shape.
    pub(super) fn overlap(&self, form: &Form, at: Vec3, want: Want, search: &mut Search<'_>) {
        let Some(probe) = self.probe(form).filter(|_| at.is_finite()) else { return };
        let pose = Pose::new(at, probe.turn);
        let visit = |search: &mut Search<'_>, handle: Handle<Object>, object: &Object| {
            let is_near = object.position.distance(at) <= wider(self.reach(object) + probe.reach, at, 0.0);
            if is_near && handle != probe.owner {
                self.look_closely(search, (handle, object), (want, 0.0), |shape, other, _| {
                    let is_met = is_overlapping(&probe.shape, &pose, shape, other);
                    is_met.then_some(HitPoint { distance: 0.0, at: object.position, normal: Vec3::ZERO })
                });
            }
        };
        self.around(at, wider(self.prototypes.radius_max() + probe.reach, at, 0.0), search, &visit);
    }

    /// The objects whose surfaces are near a point. For the nearest, the radius doubles until one is found.
    pub(super) fn surface(&self, centre: Vec3, radius_max: f32, want: Want, search: &mut Search<'_>) {
        if !centre.is_finite() || radius_max.is_nan() || radius_max < 0.0 {
            return;
        }
        let space = self.keys.space;
        let mut radius = if want == Want::All { radius_max } else { min(space.side, radius_max) };
        loop {
            search.found.clear();
            search.count = 0;
            self.surface_within(centre, radius, want, search);
            if !search.found.as_slice().is_empty() || radius >= radius_max || search.is_cut {
                return;
            }
            let is_everything = space.is_everything(self.block, radius);
            radius = if is_everything { radius_max } else { min(radius * 2.0, radius_max) };
        }
    }

    fn surface_within(&self, centre: Vec3, radius: f32, want: Want, search: &mut Search<'_>) {
        let (point, pose) = (Shape::Sphere(0.0), Pose::new(centre, Quat::IDENTITY));
        let visit = |search: &mut Search<'_>, handle: Handle<Object>, object: &Object| {
            if object.position.distance(centre) > wider(self.reach(object) + radius, centre, 0.0) {
                return;
            }
            self.look_closely(search, (handle, object), (want, radius), |shape, other, most| {
                let found = closest_points(&point, &pose, shape, other, most)?;
                // A point inside a shape is its own nearest point, without a normal.
                let is_apart = found.distance > 0.0;
                let (at, normal) =
                    if is_apart { (centre + found.point_b, -found.normal) } else { (centre, Vec3::ZERO) };
                Some(HitPoint { distance: found.distance, at, normal })
            });
        };
        self.around(centre, wider(self.prototypes.radius_max() + radius, centre, 0.0), search, &visit);
    }

    /// Tests a candidate: the filter first, then its shape, up to this distance.
    fn look_closely(
        &self,
        search: &mut Search<'_>,
        (handle, object): (Handle<Object>, &Object),
        (want, most): (Want, f32),
        meet: impl FnOnce(&Shape, &Pose, f32) -> Option<HitPoint>,
    ) {
        if !(search.is_meant)(handle, object) || !search.spend(CLOSE_COST) {
            return;
        }
        // Candidates beyond the nearest hit are not tested; the cost is the same.
        let best = search.found.as_slice().first().map(|hit| hit.distance as f32);
        let most = match (want, best) {
            (Want::Any, Some(_)) => return,
            (Want::First, Some(best)) => min(best, most),
            _ => most,
        };
        let pose = Pose::new(object.position, object.orientation);
        let met = match self.body(handle, object) {
            None => meet(&Shape::Sphere(object.radius), &pose, most),
            Some(body) if body.is(flag::TRIGGER) => None,
            Some(body) => self.prototypes.shapes().get(body.shape).and_then(|shape| meet(shape, &pose, most)),
        };
        if let Some(met) = met {
            search.add(handle, met);
        }
    }

    fn meet_ray(
        &self,
        from: Vec3,
        way: Vec3,
        length: f32,
        (handle, object): (Handle<Object>, &Object),
    ) -> Option<HitPoint> {
        let Some(body) = self.body(handle, object) else { return meet_sphere(from, way, length, object) };
        let shape = self.prototypes.shapes().get(body.shape).filter(|_| !body.is(flag::TRIGGER))?;
        let hit = ray::cast(shape, &Pose::new(object.position, object.orientation), from, way, length)?;
        Some(HitPoint { distance: hit.distance, at: from + way.normal() * hit.distance, normal: hit.normal })
    }

    /// The shape of a query; none if it has no size or its object is gone.
    fn probe(&self, form: &Form) -> Option<Probe> {
        let turned = |shape: Shape, facing: Vec3| {
            let turn = Quat::between(Vec3::X, facing.normal_or(Vec3::X));
            let reach = shape.bounding_radius(Vec3::ZERO);
            Probe { shape, turn, reach, owner: Handle::NONE }
        };
        Some(match *form {
            Form::Ball(0.0) => turned(Shape::Sphere(0.0), Vec3::X),
            Form::Ball(radius) => turned(Shape::sphere(radius).ok()?, Vec3::X),
            Form::Box { half, facing } => turned(Shape::cuboid(half).ok()?, facing),
            Form::Capsule { radius, length, facing } => turned(Shape::capsule(length / 2.0, radius).ok()?, facing),
            Form::Object(handle) => {
                let (owner, object) = self.keys.objects.find_raw(self.block, handle.raw())?;
                let shape = match self.body(owner, object) {
                    Some(body) => self.prototypes.shapes().get(body.shape)?.clone(),
                    None => Shape::Sphere(object.radius),
                };
                let reach = shape.bounding_radius(Vec3::ZERO);
                Probe { shape, turn: object.orientation, reach, owner }
            }
        })
    }

    /// The bounding radius of an object around its position.
    fn reach(&self, object: &Object) -> f32 {
        let body = self.prototypes.get(object.mind.program).and_then(|prototype| prototype.body);
        body.map_or(object.radius, |body| max(body.bounding_radius + body.center_of_mass.length(), object.radius))
    }

    fn along(&self, way: &SearchSegment, search: &mut Search<'_>, visit: &impl Visit) {
        self.keys.space.along(self.block, way, search, visit);
        self.each_large(search, visit);
    }

    fn around(&self, centre: Vec3, reach: f32, search: &mut Search<'_>, visit: &impl Visit) {
        let reach = Vec3::splat(reach);
        self.keys.space.each_in_box(self.block, (centre - reach, centre + reach), search, visit);
        self.each_large(search, visit);
    }

    /// Visits the objects too large for the spatial hash.
    fn each_large(&self, search: &mut Search<'_>, visit: &impl Visit) {
        for large in self.keys.large.get(self.block) {
            let Some((handle, object)) = self.keys.objects.find_raw(self.block, large.raw()) else { continue };
            if !search.spend(1) {
                return;
            }
            visit(search, handle, object);
        }
    }
}

/// The part of a segment that lies within space and a margin, and the length before it; none if no part does. A segment that lies within
/// stays as it is.
fn within_space(from: Vec3, to: Vec3) -> Option<(Vec3, Vec3, f32)> {
    const END: f64 = 4.0 * FAR as f64;
    if max(from.abs().max_component(), to.abs().max_component()) <= END as f32 {
        return Some((from, to, 0.0));
    }
    if !from.is_finite() || !to.is_finite() {
        return None;
    }
    let (start, end) = (from.to_array().map(f64::from), to.to_array().map(f64::from));
    // The parts of the way at which it enters and leaves, and the axis that decides: there the coordinate is the end of space, while a sum
    // of such lengths would be rounded to more than space is wide.
    let (mut first, mut last) = ((0.0, None), (1.0, None));
    for axis in 0..3 {
        let way = end[axis] - start[axis];
        if way == 0.0 {
            if double::abs(start[axis]) > END {
                return None;
            }
            continue;
        }
        let side = double::sign(way) * END;
        let (enters, leaves) = ((-side - start[axis]) / way, (side - start[axis]) / way);
        if enters > first.0 {
            first = (enters, Some((axis, -side)));
        }
        if leaves < last.0 {
            last = (leaves, Some((axis, side)));
        }
    }
    if first.0 > last.0 {
        return None;
    }
    let at = |(part, decided): (f64, Option<(usize, f64)>)| {
        let along = |axis: usize| match decided {
            Some((known, side)) if known == axis => side,
            _ => double::clamp(start[axis] + (end[axis] - start[axis]) * part, -END, END),
        };
        Vec3::from_array([0, 1, 2].map(|axis| along(axis) as f32))
    };
    let squares = [0, 1, 2].map(|axis| (end[axis] - start[axis]) * (end[axis] - start[axis]));
    let before = first.0 * double::sqrt(squares[0] + squares[1] + squares[2]);
    Some((at(first), at(last), before as f32))
}

/// A distance widened by rounding errors at this position and segment length.
fn wider(reach: f32, place: Vec3, length: f32) -> f32 {
    reach * (1.0 + SLACK) + SLACK + (place.abs().max_component() + length) * (4.0 * f32::EPSILON)
}
