//! All shapes of a world's content, by number.

use alloc::vec::Vec;

use crate::shape::Shape;

/// The table of shapes.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    list: Vec<Option<Shape>>,
    /// The forms that differ for moving bodies, by number.
    moving: Vec<Option<Shape>>,
}

impl Shapes {
    /// The shapes with these numbers.
    pub fn new(list: Vec<Option<Shape>>) -> Shapes {
        let moving = list.iter().map(|shape| shape.as_ref().and_then(Shape::moving)).collect();
        Shapes { list, moving }
    }

    /// The shape with this number, if there is one. A body without a shape moves and touches nothing.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Shape> {
        self.list.get(number as usize)?.as_ref()
    }

    /// The shape with this number as a body collides: see [`Shape::moving`].
    #[inline]
    pub fn colliding(&self, number: u32, is_static: bool) -> Option<&Shape> {
        let moving = if is_static { None } else { self.moving.get(number as usize)?.as_ref() };
        moving.or_else(|| self.get(number))
    }
}
