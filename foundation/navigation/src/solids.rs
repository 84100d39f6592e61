//! Simple solid shapes, for levels that have no physics.

use alloc::vec::Vec;

use base::{Vec3, number};

use crate::geometry::{Column, Geometry, Span, Spans};

/// A solid shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// An axis-aligned box.
    Box {
        /// Its least corner.
        least: Vec3,
        /// Its other corner.
        most: Vec3,
    },
    /// A ball.
    Ball {
        /// Its centre.
        centre: Vec3,
        /// Its radius.
        radius: f32,
    },
}

impl Solid {
    /// Its bounds.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        match *self {
            Solid::Box { least, most } => (least, most),
            Solid::Ball { centre, radius } => (centre - Vec3::splat(radius), centre + Vec3::splat(radius)),
        }
    }

    fn meets(&self, area: &Column) -> bool {
        let (least, most) = self.bounds();
        // False for bounds that are no numbers. Shapes that only touch a column from outside are not in it.
        least.x < area.most.x && most.x > area.least.x && least.y < area.most.y && most.y > area.least.y
    }

    /// Its part in a column that it meets.
    pub fn span(&self, column: &Column) -> Option<Span> {
        match *self {
            Solid::Box { least, most } => Some(Span { low: least.z, high: most.z, is_steep: false }),
            Solid::Ball { centre, radius } => {
                let x = number::clamp(centre.x, column.least.x, column.most.x) - centre.x;
                let y = number::clamp(centre.y, column.least.y, column.most.y) - centre.y;
                let left = radius * radius - x * x - y * y;
                let half = number::sqrt(left);
                (left > 0.0).then(|| Span {
                    low: centre.z - half,
                    high: centre.z + half,
                    is_steep: half < radius / 2.0,
                })
            }
        }
    }
}

/// A list of shapes as the geometry of a level.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    list: Vec<Solid>,
    near: Option<(Column, Vec<usize>)>,
}

impl Solids {
    /// The geometry of these shapes.
    pub fn new(list: Vec<Solid>) -> Solids {
        Solids { list, near: None }
    }

    /// The shapes, to be changed.
    pub fn edit(&mut self) -> &mut Vec<Solid> {
        self.near = None;
        &mut self.list
    }
}

impl Geometry for Solids {
    fn gather(&mut self, area: &Column) {
        let near = (0..self.list.len()).filter(|index| self.list[*index].meets(area)).collect();
        self.near = Some((*area, near));
    }

    fn spans(&mut self, column: &Column, spans: &mut Spans) {
        let is_in = |area: &Column| {
            let (least, most) = (column.least - area.least, area.most - column.most);
            least.x >= 0.0 && least.y >= 0.0 && most.x >= 0.0 && most.y >= 0.0
        };
        let mut add = |solid: &Solid| {
            if solid.meets(column)
                && let Some(span) = solid.span(column)
            {
                spans.add(span);
            }
        };
        match &self.near {
            Some((area, near)) if is_in(area) => {
                near.iter().filter_map(|index| self.list.get(*index)).for_each(&mut add);
            }
            _ => self.list.iter().for_each(&mut add),
        }
    }
}
