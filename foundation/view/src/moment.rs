//! When a frame was taken.

/// The moment of a world that a frame shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// The brush cycle.
    pub cycle: u64,
    /// The world time since the world began, in seconds.
    pub seconds: f64,
    /// The length of a brush cycle in seconds of world time.
    pub cycle_seconds: f32,
    /// World time per machine time; 0 while the world is paused.
    pub speed: f32,
    /// Changes whenever the world does not continue from the previous frame: after a load, a seek, a rewind or a restart. Nothing
    /// of an earlier epoch is blended with a later one.
    pub epoch: u32,
}

/// A run of elements in one of a frame's lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The index of the first element.
    pub first: u32,
    /// The number of elements.
    pub count: u32,
}

impl Span {
    /// Its elements; none if it lies outside of the list.
    pub fn of<T>(self, list: &[T]) -> &[T] {
        let first = self.first as usize;
        list.get(first..first.saturating_add(self.count as usize)).unwrap_or_default()
    }

    /// The same, to change them.
    pub fn of_mut<T>(self, list: &mut [T]) -> &mut [T] {
        let first = self.first as usize;
        list.get_mut(first..first.saturating_add(self.count as usize)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_outside_of_its_list_is_empty() {
        let list = [1, 2, 3];
        assert_eq!(Span { first: 1, count: 2 }.of(&list), [2, 3]);
        assert_eq!(Span { first: 2, count: 2 }.of(&list), []);
        assert_eq!(Span { first: u32::MAX, count: u32::MAX }.of(&list), []);
    }
}
