//! All shapes of a world's content, by number.

use alloc::vec::Vec;

use crate::shape::Shape;

/// The table of shapes.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    list: Vec<Option<Shape>>,
}

impl Shapes {
    /// The shapes with these numbers.
    pub fn new(list: Vec<Option<Shape>>) -> Shapes {
        Shapes { list }
    }

    /// The shape with this number, if there is one. A body without a shape moves and touches nothing.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Shape> {
        self.list.get(number as usize)?.as_ref()
    }
}
