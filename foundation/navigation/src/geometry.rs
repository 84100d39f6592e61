//! The geometry of a level, as a map asks for it: the solid spans of a column.

use base::Vec2;

use crate::limits::SPANS_MAX;

/// A column of the world, with a rectangular footprint and no ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The least corner of its footprint.
    pub least: Vec2,
    /// The other corner.
    pub most: Vec2,
}

/// A stretch of a column in which there is solid matter anywhere over the footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub low: f32,
    /// Where it ends.
    pub high: f32,
    /// Whether its upper side is too steep to stand on.
    pub is_steep: bool,
}

/// The solid matter of a level.
pub trait Geometry {
    /// Announces that the columns of an area follow, so that the shapes there can be gathered once.
    fn gather(&mut self, area: &Column) {
        let _ = area;
    }

    /// Adds the solid spans of a column, in any order. The answer may not depend on [`gather`](Geometry::gather).
    fn spans(&mut self, column: &Column, spans: &mut Spans);
}

/// The spans of a column.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    list: [Span; SPANS_MAX],
    count: usize,
}

impl Default for Spans {
    fn default() -> Spans {
        Spans { list: [Span::default(); SPANS_MAX], count: 0 }
    }
}

impl Spans {
    /// Removes all spans.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a span. One whose ends are not in order, or no numbers, is ignored.
    pub fn add(&mut self, span: Span) {
        if span.low.is_nan() || span.high.is_nan() || span.low > span.high {
            return;
        }
        // The list stays sorted and disjoint, so that the result does not depend on the order of shapes.
        let first = self.list[..self.count].iter().position(|other| other.high >= span.low).unwrap_or(self.count);
        let mut joined = span;
        let mut last = first;
        while last < self.count && self.list[last].low <= span.high {
            joined = joined.with(&self.list[last]);
            last += 1;
        }
        if last > first {
            self.list.copy_within(last..self.count, first + 1);
            self.count -= last - first - 1;
        } else if self.count < SPANS_MAX {
            self.list.copy_within(first..self.count, first + 1);
            self.count += 1;
        } else {
            let nearest = first.min(SPANS_MAX - 1);
            joined = joined.with(&self.list[nearest]);
            self.list[nearest] = joined;
            return;
        }
        self.list[first] = joined;
    }

    /// The spans, disjoint, from the lowest to the highest.
    pub fn as_slice(&self) -> &[Span] {
        &self.list[..self.count]
    }
}

impl Span {
    /// Both as one. The upper side is that of the higher one; of two equally high ones, the gentle one.
    fn with(&self, other: &Span) -> Span {
        let is_steep = match self.high.partial_cmp(&other.high) {
            Some(core::cmp::Ordering::Greater) => self.is_steep,
            Some(core::cmp::Ordering::Less) => other.is_steep,
            _ => self.is_steep && other.is_steep,
        };
        let low = if other.low < self.low { other.low } else { self.low };
        let high = if other.high > self.high { other.high } else { self.high };
        Span { low, high, is_steep }
    }
}
