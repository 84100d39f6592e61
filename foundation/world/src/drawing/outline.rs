//! Outlines of shapes.
//!
//! Laws
//! 1. Of a mesh, the open edges and the edges between faces at an angle are drawn, each once. Edges between coplanar
//!    faces are left out.
//! 2. Of a height field, and of a box that is ground, at most [`FIELD_CELLS_MAX`] cells per side are drawn; a finer
//!    grid is drawn coarser.

use core::f32::consts::{FRAC_PI_2, PI};

use base::{Mat3, Vec3, number};
use physics::Shape;
use physics::height_field::HeightField;
use physics::hull::Hull;
use physics::mesh::Mesh;
use physics::pose::Pose;
use physics::surface::{EdgeKind, Surface};
use view::Round;

use super::pen::{CircleArc, Pen};

/// The most cells drawn along a side.
pub const FIELD_CELLS_MAX: u32 = 64;
/// A box is ground if both half extents of its upper side are at least this, in metres.
const FLOOR_MIN: f32 = 10.0;
/// The cell size of a floor's grid, in metres, unless that gives too many cells.
const FLOOR_CELL: f32 = 2.0;
/// The least cosine between up and the normal of an upper side: about 25 degrees.
const UPRIGHT: f32 = 0.9;

/// Draws a shape in a pose. With `is_solid`, its convex parts are solids.
pub fn draw(shape: &Shape, pose: &Pose, pen: &mut Pen<'_>, is_solid: bool) {
    if pen.is_full() {
        // The frame counts it as left out.
        return pen.line(pose.position, pose.position);
    }
    match shape {
        Shape::Mesh(shape) => mesh(shape, pose, pen),
        Shape::HeightField(shape) => field(shape, pose, pen),
        Shape::Compound(compound) => {
            for child in compound.children() {
                // Compounds are not nested, so the recursion is one level deep.
                draw(&child.shape, &pose.compose(&child.pose), pen, is_solid);
            }
        }
        _ if is_solid => pen.solid(round_of(shape, pose), |pen| convex(shape, pose, pen)),
        _ => convex(shape, pose, pen),
    }
}

/// Draws a grid on the upper side of a large box: ground.
pub fn floor(half: Vec3, pose: &Pose, up: Vec3, pen: &mut Pen<'_>) {
    let tops = pose.axes.columns.map(|axis| axis.dot(up));
    let Some(axis) = tops.iter().position(|top| number::abs(*top) > UPRIGHT) else { return };
    let side = |axis: usize| half.to_array()[axis % 3];
    let arm = |axis: usize| pose.axes.columns[axis % 3] * side(axis);
    let (one, other) = (arm(axis + 1), arm(axis + 2));
    let middle = pose.position + arm(axis) * number::sign(tops[axis]);
    if number::min(side(axis + 1), side(axis + 2)) < FLOOR_MIN {
        return;
    }
    let cells = |side: f32| number::clamp(number::ceil(side * 2.0 / FLOOR_CELL), 1.0, FIELD_CELLS_MAX as f32);
    let (across, along) = (cells(side(axis + 1)), cells(side(axis + 2)));
    let at = |first: u32, second: u32| {
        middle + one * (first as f32 * 2.0 / across - 1.0) + other * (second as f32 * 2.0 / along - 1.0)
    };
    for first in 0..=across as u32 {
        for second in 0..=along as u32 {
            if first < across as u32 {
                pen.line(at(first, second), at(first + 1, second));
            }
            if second < along as u32 {
                pen.line(at(first, second), at(first, second + 1));
            }
        }
    }
}

fn convex(shape: &Shape, pose: &Pose, pen: &mut Pen<'_>) {
    match shape {
        &Shape::Sphere(radius) => sphere(radius, pose, pen),
        &Shape::Capsule { half, radius } => capsule(half, radius, pose, pen),
        &Shape::Box(half) => cuboid(half, pose, pen),
        Shape::Hull(shape) => hull(shape, pose, pen),
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {}
    }
}

fn round_of(shape: &Shape, pose: &Pose) -> Option<Round> {
    let around = |half: f32, radius: f32| {
        let half_axis = pose.axes.columns[2] * half;
        Some(Round { ends: [pose.position - half_axis, pose.position + half_axis], radius })
    };
    match *shape {
        Shape::Sphere(radius) => around(0.0, radius),
        Shape::Capsule { half, radius } => around(half, radius),
        _ => None,
    }
}

/// The twelve edges of a box.
pub fn cuboid(half: Vec3, pose: &Pose, pen: &mut Pen<'_>) {
    let [x, y, z] = pose.axes.columns;
    let arms = [x * half.x, y * half.y, z * half.z];
    for axis in 0..3 {
        let (along, one, other) = (arms[axis], arms[(axis + 1) % 3], arms[(axis + 2) % 3]);
        for side in [-one - other, one - other, one + other, other - one] {
            pen.both_ways(pose.position + side, along);
        }
    }
}

/// Draws the three great circles of a sphere.
pub fn sphere(radius: f32, pose: &Pose, pen: &mut Pen<'_>) {
    let Mat3 { columns: [x, y, z] } = pose.axes;
    for (first, second) in [(x, y), (y, z), (z, x)] {
        pen.circle(CircleArc { middle: pose.position, first: first * radius, second: second * radius });
    }
}

fn capsule(half: f32, radius: f32, pose: &Pose, pen: &mut Pen<'_>) {
    let Mat3 { columns: [x, y, z] } = pose.axes;
    let (x, y, up, half_axis) = (x * radius, y * radius, z * radius, z * half);
    let [top, bottom] = [pose.position + half_axis, pose.position - half_axis];
    for middle in [top, bottom] {
        pen.circle(CircleArc { middle, first: x, second: y });
    }
    for side in [x, y] {
        pen.arc(CircleArc { middle: top, first: side, second: up }, 0.0, PI);
        pen.arc(CircleArc { middle: bottom, first: up, second: side }, FRAC_PI_2, FRAC_PI_2 + PI);
        pen.line(bottom + side, top + side);
        pen.line(bottom - side, top - side);
    }
}

fn hull(hull: &Hull, pose: &Pose, pen: &mut Pen<'_>) {
    let corner = |number: u8| pose.point(hull.vertices()[usize::from(number)]);
    for edge in hull.edges() {
        pen.line(corner(edge.from), corner(edge.to));
    }
}

fn mesh(mesh: &Mesh, pose: &Pose, pen: &mut Pen<'_>) {
    for index in 0..mesh.len() as u32 {
        if pen.is_full() {
            return;
        }
        let triangle = mesh.triangle(index);
        // A degenerate triangle has no normal and no visible edges.
        let edges = if triangle.normal == Vec3::ZERO { 0..0 } else { 0..3 };
        for edge in edges {
            let (from, to) = (triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]);
            let is_seen = match triangle.edges[edge] {
                EdgeKind::Open => true,
                EdgeKind::Flat => false,
                // The neighbour has the same edge in the opposite direction.
                EdgeKind::Convex | EdgeKind::Concave => from.to_array() < to.to_array(),
            };
            if is_seen {
                pen.line(pose.point(from), pose.point(to));
            }
        }
    }
}

fn field(field: &HeightField, pose: &Pose, pen: &mut Pen<'_>) {
    let [columns, rows] = field.sides();
    let is_ground = |(column, row): (u32, u32)| column + 1 < columns && row + 1 < rows && !field.is_hole(column, row);
    // A line is drawn if one of the cells beside it is no hole.
    let mut piece = |from: (u32, u32), to: (u32, u32), before: Option<(u32, u32)>| {
        if is_ground(from) || before.is_some_and(is_ground) {
            pen.line(pose.point(field.sample(from.0, from.1)), pose.point(field.sample(to.0, to.1)));
        }
    };
    for row in stops(rows) {
        for (from, to) in stops(columns).zip(stops(columns).skip(1)) {
            piece((from, row), (to, row), row.checked_sub(1).map(|before| (from, before)));
        }
    }
    for column in stops(columns) {
        for (from, to) in stops(rows).zip(stops(rows).skip(1)) {
            piece((column, from), (column, to), column.checked_sub(1).map(|before| (before, from)));
        }
    }
}

/// The samples along a side through which lines are drawn: the first, the last, and some between.
fn stops(samples: u32) -> impl Iterator<Item = u32> {
    let cells = samples.saturating_sub(1);
    let stride = cells.div_ceil(FIELD_CELLS_MAX).max(1);
    (0..=cells.div_ceil(stride)).map(move |stop| (stop * stride).min(cells))
}
