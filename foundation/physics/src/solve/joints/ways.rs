//! Ways: how each body of a tree gives way to what strikes it, with all that hangs on it.

use state::share::NOBODY;

use crate::solve::block::single::{Six, add, times};

/// How a body gives way, and what it has felt on a tour.
#[derive(Clone, Copy)]
pub struct Ways {
    /// Where its tree begins among all links.
    pub tree: u32,
    /// Whether it is on the tour: bodies without a footing on their branch are left out.
    pub is_on_tour: bool,
    /// When it comes, and who is next.
    pub turn: u32,
    /// See above.
    pub next: u32,
    /// How many footings its tree has: said of its first link.
    pub footings: u32,
    /// What it hands on to its parent of what strikes it.
    pub hands: [Six; 6],
    /// How it gives way.
    pub gives: [Six; 6],
    /// By what it moves differently since the tour began.
    pub felt: Six,
    /// What it has to bear of what strikes its branch.
    pub borne: Six,
    /// What strikes it.
    pub struck: Six,
}

impl Ways {
    /// Of one without footings.
    pub const NONE: Ways = Ways {
        tree: 0,
        is_on_tour: false,
        turn: 0,
        next: NOBODY,
        footings: 0,
        hands: [[0.0; 6]; 6],
        gives: [[0.0; 6]; 6],
        felt: [0.0; 6],
        borne: [0.0; 6],
        struck: [0.0; 6],
    };

    /// Bears this, and gives way.
    pub fn bear(&mut self, change: &Six) {
        add(&mut self.borne, change);
        let moved = times(&self.gives, change);
        add(&mut self.felt, &moved);
    }
}
