//! Box against box: the separating axis test over 15 axes (Gottschalk, Lin and Manocha 1996), then face clipping (Sutherland and
//! Hodgman 1974).
//!
//! The axes are three face normals of each box and the nine cross products of their edges. The one with the largest separation
//! (the least penetration) gives the contact normal. On a face axis the incident face is clipped to the reference face, which
//! leaves up to eight points; an edge axis gives one point.

use base::{Vec3, number};

use super::polyhedron::PlacedBox;
use super::reduction::{ClipPoint, reduce_to_four};
use super::{CLIP_TOLERANCE, FACE_PREFERENCE, Pair, feature, polyhedra, relative_pose, single_point, to_world};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// As [`FACE_PREFERENCE`], but larger: resting boxes penetrate by that much, and must not degrade to a single edge contact.
const FACE_PREFERENCE_RESTING: f32 = 5e-3;

/// Edges with a smaller squared sine are parallel: the face axes cover them.
const PARALLEL_SINE_SQUARED: f32 = 1e-6;

pub(super) fn box_box(a: Vec3, b: Vec3, pair: &Pair) -> Manifold {
    let pair_ = BoxPair::new(a, b, pair);
    let [face_a, face_b] = pair_.face_axes();
    // Written so that a NaN is no contact.
    let is_near = face_a.separation <= pair.margin && face_b.separation <= pair.margin;
    if !is_near {
        return Manifold::default();
    }
    let preference = FACE_PREFERENCE_RESTING * number::min(a.min_component(), b.min_component());
    let second_is_reference = face_b.separation > face_a.separation + preference;
    let face = if second_is_reference { face_b } else { face_a };
    let found = match pair_.edge_axis(face.separation + preference) {
        Some(edge_axis) if edge_axis.separation > pair.margin => return Manifold::default(),
        Some(edge_axis) => pair_.edge_contact(&edge_axis, pair),
        None if second_is_reference => pair_.swapped().clip_face(face.axis, pair).into_flipped_manifold(pair),
        None => pair_.clip_face(face.axis, pair).into_manifold(pair),
    };
    if found.count > 0 { found } else { closest(a, b, pair) }
}

/// Two separated boxes whose faces do not project onto each other: closest points by GJK, mostly at vertices.
#[cold]
fn closest(a: Vec3, b: Vec3, pair: &Pair) -> Manifold {
    let second = relative_pose(pair);
    let (seen_a, seen_b) = (PlacedBox::new(a, &Pose::IDENTITY), PlacedBox::new(b, &second));
    to_world(polyhedra::closest(&seen_a.view(), &seen_b.view(), pair.margin, None), pair.a, Vec3::ZERO)
}

/// The second box in the frame of the first.
struct BoxPair {
    /// Half extents of the first and the second.
    half_extents: [[f32; 3]; 2],
    /// The second's center.
    offset: [f32; 3],
    /// The second's axes: `axes[j][i]` is the component of its axis `j` along our axis `i`.
    axes: [[f32; 3]; 3],
    /// Their absolute values.
    axes_abs: [[f32; 3]; 3],
    /// The second's center along its own axes.
    offset_in_second: [f32; 3],
    /// 0 in the frame of the first box, 1 in that of the second.
    reference: u32,
}

/// A face axis and the separation along it.
#[derive(Clone, Copy)]
struct BoxFaceAxis {
    axis: usize,
    separation: f32,
}

/// An edge of each and the separation along their cross product.
struct BoxEdgeAxis {
    axes: [usize; 2],
    separation: f32,
    length: f32,
}

/// The clipped incident face, in the frame of the reference box.
struct ClippedFace {
    points: [ClipPoint; 8],
    count: usize,
    axis: usize,
    sign: f32,
    height: f32,
}

impl BoxPair {
    #[inline]
    fn new(a: Vec3, b: Vec3, pair: &Pair) -> BoxPair {
        let offset = pair.a.local_direction(pair.offset);
        let axes = pair.b.axes.columns.map(|axis| pair.a.local_direction(axis));
        BoxPair {
            half_extents: [a.to_array(), b.to_array()],
            offset: offset.to_array(),
            axes: axes.map(Vec3::to_array),
            axes_abs: axes.map(|axis| axis.abs().to_array()),
            offset_in_second: axes.map(|axis| axis.dot(offset)),
            reference: 0,
        }
    }

    /// The first box in the frame of the second.
    fn swapped(&self) -> BoxPair {
        BoxPair {
            half_extents: [self.half_extents[1], self.half_extents[0]],
            offset: self.offset_in_second.map(|fraction| -fraction),
            axes: transpose(&self.axes),
            axes_abs: transpose(&self.axes_abs),
            offset_in_second: self.offset.map(|fraction| -fraction),
            reference: 1,
        }
    }

    /// The best face axis of each box.
    #[inline]
    fn face_axes(&self) -> [BoxFaceAxis; 2] {
        let [a, b] = self.half_extents;
        let axes = &self.axes_abs;
        let apart_a: [f32; 3] = core::array::from_fn(|i| {
            self.offset[i].abs() - (a[i] + (b[0] * axes[0][i] + b[1] * axes[1][i] + b[2] * axes[2][i]))
        });
        let apart_b: [f32; 3] = core::array::from_fn(|j| {
            self.offset_in_second[j].abs() - (b[j] + (a[0] * axes[j][0] + a[1] * axes[j][1] + a[2] * axes[j][2]))
        });
        [largest(apart_a), largest(apart_b)]
    }

    /// The edge axis with the largest separation above `separation_min`.
    #[inline]
    fn edge_axis(&self, separation_min: f32) -> Option<BoxEdgeAxis> {
        let [a, b] = self.half_extents;
        let mut best = None;
        let mut separation_min = separation_min;
        for (i, (i1, i2)) in OTHER_AXES.into_iter().enumerate() {
            for (j, (j1, j2)) in OTHER_AXES.into_iter().enumerate() {
                // The axis is the cross product of our axis i and its axis j; its length is the sine of their angle.
                let (c1, c2) = (self.axes[j][i1], self.axes[j][i2]);
                let squared = c1 * c1 + c2 * c2;
                let reach_a = a[i1] * self.axes_abs[j][i2] + a[i2] * self.axes_abs[j][i1];
                let reach_b = b[j1] * self.axes_abs[j2][i] + b[j2] * self.axes_abs[j1][i];
                let separation = (self.offset[i2] * c1 - self.offset[i1] * c2).abs() - (reach_a + reach_b);
                // Compared squared, so that only the few winners need a square root.
                let limit = separation_min * separation_min * squared;
                let wins = if separation_min < 0.0 {
                    separation >= 0.0 || separation * separation < limit
                } else {
                    separation > 0.0 && separation * separation > limit
                };
                if wins && squared > PARALLEL_SINE_SQUARED {
                    let length = number::sqrt(squared);
                    separation_min = separation / length;
                    best = Some(BoxEdgeAxis { axes: [i, j], separation: separation_min, length });
                }
            }
        }
        best
    }

    /// Clips the incident face of the second to a reference face of the first.
    fn clip_face(&self, axis: usize, pair: &Pair) -> ClippedFace {
        let [a, b] = self.half_extents;
        let sign = if self.offset[axis] < 0.0 { -1.0 } else { 1.0 };
        let along: [f32; 3] = core::array::from_fn(|j| self.axes_abs[j][axis]);
        let incident = largest(along).axis;
        let incident_sign = if self.axes[incident][axis] * sign > 0.0 { -1.0 } else { 1.0 };
        let (u, v) = OTHER_AXES[axis];
        let (k, l) = OTHER_AXES[incident];
        let pair_ = |vector: &[f32; 3], scale: f32| [vector[u] * scale, vector[v] * scale, vector[axis] * sign * scale];
        let center = pair_(&self.axes[incident], incident_sign * b[incident]);
        let center =
            [center[0] + self.offset[u], center[1] + self.offset[v], center[2] + self.offset[axis] * sign - a[axis]];
        let (first, second) = (pair_(&self.axes[k], b[k]), pair_(&self.axes[l], b[l]));
        let vertex = |s: f32, t: f32, edge_before: u8, edge_after: u8| FaceVertex {
            position: core::array::from_fn(|fraction| center[fraction] + s * first[fraction] + t * second[fraction]),
            edge_before,
            edge_after,
        };
        let mut polygon = FacePolygon { vertices: [FaceVertex::default(); 8], count: 4 };
        polygon.vertices[0] = vertex(1.0, 1.0, 3, 0);
        polygon.vertices[1] = vertex(-1.0, 1.0, 0, 1);
        polygon.vertices[2] = vertex(-1.0, -1.0, 1, 2);
        polygon.vertices[3] = vertex(1.0, -1.0, 2, 3);
        let tolerance = CLIP_TOLERANCE * (a[u] + a[v]);
        polygon.clip::<0>(1.0, a[u] + tolerance, 64);
        polygon.clip::<0>(-1.0, a[u] + tolerance, 65);
        polygon.clip::<1>(1.0, a[v] + tolerance, 66);
        polygon.clip::<1>(-1.0, a[v] + tolerance, 67);
        let number = |axis: usize, sign: f32| axis as u32 * 2 + u32::from(sign > 0.0);
        let (reference_face, clip) = (number(axis, sign), number(incident, incident_sign));
        let mut found = ClippedFace { points: [ClipPoint::default(); 8], count: 0, axis, sign, height: a[axis] };
        for vertex in &polygon.vertices[..polygon.count] {
            let [u, v, height] = vertex.position;
            if height <= pair.margin {
                let feature = feature::face_contact(
                    self.reference,
                    reference_face,
                    clip,
                    vertex.edge_before.into(),
                    vertex.edge_after.into(),
                );
                found.points[found.count] = ClipPoint { u, v, separation: height, feature };
                found.count += 1;
            }
        }
        found.count = reduce_to_four(&mut found.points[..found.count], FACE_PREFERENCE * a[axis]);
        found
    }

    /// The contact point of two edges; none if they are separated and closest at an end of one.
    fn edge_contact(&self, edge_axis: &BoxEdgeAxis, pair: &Pair) -> Manifold {
        let [i, j] = edge_axis.axes;
        let ((i1, i2), (j1, j2)) = (OTHER_AXES[i], OTHER_AXES[j]);
        let [a, b] = self.half_extents;
        let mut normal = [0.0; 3];
        normal[i1] = -self.axes[j][i2] / edge_axis.length;
        normal[i2] = self.axes[j][i1] / edge_axis.length;
        let normal = Vec3::from_array(normal);
        let offset = Vec3::from_array(self.offset);
        let normal = if normal.dot(offset) < 0.0 { -normal } else { normal };
        let axes = self.axes.map(Vec3::from_array);
        let signed = |fraction: f32, half_extents: f32| if fraction < 0.0 { -half_extents } else { half_extents };
        let mut point_a = [0.0; 3];
        point_a[i1] = signed(normal.to_array()[i1], a[i1]);
        point_a[i2] = signed(normal.to_array()[i2], a[i2]);
        let (b1, b2) = (-signed(normal.dot(axes[j1]), b[j1]), -signed(normal.dot(axes[j2]), b[j2]));
        let point_b = offset + axes[j1] * b1 + axes[j2] * b2;
        // The closest points of both edge lines.
        let between = point_b - Vec3::from_array(point_a);
        let cosine = self.axes[j][i];
        let (along_a, along_b) = (between.to_array()[i], between.dot(axes[j]));
        let sine_squared = edge_axis.length * edge_axis.length;
        let unclamped_a = (along_a - cosine * along_b) / sine_squared;
        let unclamped_b = (cosine * along_a - along_b) / sine_squared;
        let is_beyond_end =
            unclamped_a.abs() > a[i] * (1.0 + CLIP_TOLERANCE) || unclamped_b.abs() > b[j] * (1.0 + CLIP_TOLERANCE);
        if edge_axis.separation > 0.0 && is_beyond_end {
            return Manifold::default();
        }
        let at_a = number::clamp(unclamped_a, -a[i], a[i]);
        let at_b = number::clamp(unclamped_b, -b[j], b[j]);
        point_a[i] = at_a;
        let center = (Vec3::from_array(point_a) + point_b + axes[j] * at_b) * 0.5;
        let sign = |fraction: f32| u32::from(fraction > 0.0);
        let number_a = i as u32 * 4 + sign(point_a[i1]) * 2 + sign(point_a[i2]);
        let number_b = j as u32 * 4 + sign(b1) * 2 + sign(b2);
        let position = pair.a.direction(center);
        let point = ManifoldPoint {
            anchor: position,
            separation: edge_axis.separation,
            feature: feature::edge_contact(number_a, number_b),
        };
        single_point(pair.a.direction(normal), point)
    }
}

impl ClippedFace {
    /// To world axes, with the reference face on the first box.
    fn into_manifold(self, pair: &Pair) -> Manifold {
        self.placed(pair.a.axes.columns)
    }

    /// To world axes, with the reference face on the second box.
    fn into_flipped_manifold(self, pair: &Pair) -> Manifold {
        self.placed(pair.b.axes.columns).flipped(-pair.offset)
    }

    fn placed(&self, axes: [Vec3; 3]) -> Manifold {
        let (u, v) = OTHER_AXES[self.axis];
        let normal = axes[self.axis] * self.sign;
        let mut manifold = Manifold { normal, ..Manifold::default() };
        for point in &self.points[..self.count] {
            let position = axes[u] * point.u + axes[v] * point.v + normal * (self.height + point.separation * 0.5);
            manifold.push(ManifoldPoint { anchor: position, separation: point.separation, feature: point.feature });
        }
        manifold
    }
}

/// A vertex of the incident face: its position on and height above the reference face, and the two edges it lies between.
#[derive(Clone, Copy, Default)]
struct FaceVertex {
    position: [f32; 3],
    edge_before: u8,
    edge_after: u8,
}

/// Up to eight vertices: four of the incident face and one more per clip plane.
struct FacePolygon {
    vertices: [FaceVertex; 8],
    count: usize,
}

impl FacePolygon {
    /// Clips everything beyond `limit` along an axis.
    #[inline]
    fn clip<const AXIS: usize>(&mut self, sign: f32, limit: f32, edge: u8) {
        let mut distances: [f32; 8] = [0.0; 8];
        let mut is_outside = false;
        for (distances, vertex) in distances.iter_mut().zip(&self.vertices[..self.count]) {
            *distances = vertex.position[AXIS] * sign - limit;
            is_outside |= *distances > 0.0;
        }
        if !is_outside {
            return;
        }
        let mut kept = FacePolygon { vertices: [FaceVertex::default(); 8], count: 0 };
        for index in 0..self.count {
            let next = if index + 1 == self.count { 0 } else { index + 1 };
            let (vertex, incident) = (&self.vertices[index], &self.vertices[next]);
            let (distance_this, distance_next) = (distances[index], distances[next]);
            if distance_this <= 0.0 {
                kept.push(*vertex);
            }
            if (distance_this > 0.0) != (distance_next > 0.0) {
                let fraction = distance_this / (distance_this - distance_next);
                let position = core::array::from_fn(|axis| {
                    vertex.position[axis] + (incident.position[axis] - vertex.position[axis]) * fraction
                });
                let (edge_before, edge_after) =
                    if distance_this > 0.0 { (edge, vertex.edge_after) } else { (vertex.edge_after, edge) };
                kept.push(FaceVertex { position, edge_before, edge_after });
            }
        }
        *self = kept;
    }

    /// Clipping a convex polygon adds at most one vertex. What rounding would add beyond eight is dropped.
    #[inline]
    fn push(&mut self, vertex: FaceVertex) {
        if let Some(position) = self.vertices.get_mut(self.count) {
            *position = vertex;
            self.count += 1;
        }
    }
}

/// The two axes that follow an axis cyclically.
const OTHER_AXES: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

#[inline]
fn largest([first, second, third]: [f32; 3]) -> BoxFaceAxis {
    if first >= second && first >= third {
        BoxFaceAxis { axis: 0, separation: first }
    } else if second >= third {
        BoxFaceAxis { axis: 1, separation: second }
    } else {
        BoxFaceAxis { axis: 2, separation: third }
    }
}

#[inline]
fn transpose([x, y, z]: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
}
