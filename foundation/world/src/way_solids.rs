//! The fixed bodies of a level as the geometry of its map.
//!
//! Boxes along the axes and spheres are computed. Every other shape is found by sweeping the footprint of a column at it, from above and
//! from below, so that nothing is too thin to be found. In a column a shape is solid from its lowest to its highest point.

use alloc::vec::Vec;

use base::{Quat, Vec3, number};
use navigation::solids::Solid;
use navigation::{Column, Geometry, Span, Spans};
use physics::pose::Pose;
use physics::shape::Shape;
use physics::shapes::Shapes;
use physics::sweep::{Motion, sweep};

use crate::way_map::BuiltSolid;

/// Half the thickness of a footprint.
const THIN: f32 = 0.005;

/// The shapes of bodies.
pub(crate) struct BodySolids<'a> {
    /// The bodies.
    pub solids: &'a [BuiltSolid],
    /// Their shapes.
    pub shapes: &'a Shapes,
    /// The height of the surface normal below which a slope is too steep.
    pub steep: f32,
    /// The bodies in the area that is being looked at.
    pub near: &'a mut Vec<u32>,
}

impl Geometry for BodySolids<'_> {
    fn gather(&mut self, area: &Column) {
        self.near.clear();
        for (index, solid) in self.solids.iter().enumerate() {
            if solid.body != 0 && meets(solid, area) {
                self.near.push(index as u32);
            }
        }
    }

    fn spans(&mut self, column: &Column, spans: &mut Spans) {
        for index in self.near.iter() {
            let solid = &self.solids[*index as usize];
            if meets(solid, column)
                && let Some(shape) = self.shapes.get(solid.shape)
                && let Some(span) = span(solid, shape, column, self.steep)
            {
                spans.add(span);
            }
        }
    }
}

fn meets(solid: &BuiltSolid, area: &Column) -> bool {
    let (least, most) = (solid.least, solid.most);
    least.x < area.most.x && most.x > area.least.x && least.y < area.most.y && most.y > area.least.y
}

/// The part of a shape in a column.
fn span(solid: &BuiltSolid, shape: &Shape, column: &Column, steep: f32) -> Option<Span> {
    match shape {
        Shape::Box(_) if solid.rotation == Quat::IDENTITY => {
            Some(Span { low: solid.least.z, high: solid.most.z, is_steep: false })
        }
        Shape::Sphere(radius) => Solid::Ball { centre: solid.position, radius: *radius }.span(column),
        _ => swept_span(solid, shape, column, steep),
    }
}

fn swept_span(solid: &BuiltSolid, shape: &Shape, column: &Column, steep: f32) -> Option<Span> {
    let (middle, half) = ((column.least + column.most) * 0.5, (column.most - column.least) * 0.5);
    let footprint = Shape::cuboid(Vec3::new(half.x, half.y, THIN)).ok()?;
    let body = Motion::at_rest(Pose::new(solid.position, solid.rotation));
    // From one margin beyond the bounds to the other.
    let (low, high) = (solid.least.z - 4.0 * THIN, solid.most.z + 4.0 * THIN);
    let cast = |from: f32, to: f32| {
        let pose = Pose::new(Vec3::new(middle.x, middle.y, from), Quat::IDENTITY);
        let motion = Motion { translation: Vec3::new(0.0, 0.0, to - from), ..Motion::at_rest(pose) };
        sweep(&footprint, &motion, shape, &body)
    };
    let down = cast(high, low)?;
    let top = high - (high - low) * down.time - THIN;
    // Surfaces are only hit from above: what is below them counts as solid.
    let bottom = cast(low, high).map_or(solid.least.z, |up| low + (high - low) * up.time + THIN);
    Some(Span { low: number::min(bottom, top), high: top, is_steep: -down.normal.z < steep })
}
