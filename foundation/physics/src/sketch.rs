//! Sketches: of each contact the few bytes that are needed where one goes through all of them.
//!
//! Laws
//! 1. There is one of each contact that was found, in the order of keys.
//! 2. They say nothing that the contacts do not; what is left out has to be looked up.

use alloc::vec::Vec;

use base::number::{max, min};
use state::Workers;
use state::share::{NOBODY, each_chunk};

use crate::limits::CONTACTS_CHUNK;
use crate::mover::Mover;
use crate::settings::Settings;
use crate::touching::{Narrow, Touching};

/// What is needed of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Sketch {
    /// The movers, or [`NOBODY`].
    pub movers: [u32; 2],
    /// The slots of both bodies.
    pub pair: (u16, u16),
    /// How deep they are in one another, in metres.
    pub depth: f32,
    state: u32,
}

/// The sketches of all contacts that were found.
#[derive(Default)]
pub struct Sketches {
    list: Vec<Sketch>,
}

/// The bits of a sketch.
const TRIGGER: u32 = 1;
const SOLVED: u32 = 1 << 1;
const ACTIVE: u32 = 1 << 2;
const ONE_POINT: u32 = 1 << 3;
const TOUCHING: u32 = 1 << 4;
const PRESSED: u32 = 1 << 5;

impl Sketches {
    /// Room for so many.
    pub fn with_capacity(contacts: usize) -> Sketches {
        Sketches { list: Vec::with_capacity(contacts) }
    }

    /// Draws all that were found.
    pub fn draw(&mut self, narrow: &Narrow, movers: &[Mover], settings: &Settings, workers: &dyn Workers) {
        let nothing = Sketch { movers: [NOBODY; 2], pair: (0, 0), depth: 0.0, state: 0 };
        self.list.resize(narrow.count(), nothing);
        each_chunk(workers, &mut self.list, CONTACTS_CHUNK, |first, list| {
            for (index, sketch) in list.iter_mut().enumerate() {
                *sketch = Sketch::of(narrow.get(first + index), movers, settings);
            }
        });
    }

    /// Notes which of them had to be held apart.
    pub fn note(&mut self, workers: &dyn Workers, is_held: impl Fn(usize) -> bool + Sync) {
        each_chunk(workers, &mut self.list, CONTACTS_CHUNK, |first, list| {
            for (index, sketch) in list.iter_mut().enumerate() {
                if sketch.state & (SOLVED | TOUCHING) == SOLVED && is_held(first + index) {
                    sketch.state |= TOUCHING;
                }
            }
        });
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Sketch] {
        &self.list
    }
}

impl Sketch {
    fn of(touching: &Touching, movers: &[Mover], settings: &Settings) -> Sketch {
        let separations = &touching.separations[..touching.contact.count()];
        let nearest = separations.iter().copied().fold(f32::INFINITY, min);
        let is_solved = !touching.is_trigger && (touching.is_active || nearest <= settings.margin);
        let is_pressed = !touching.is_trigger && nearest < 0.0 && touching.is_hard(movers);
        let bits = [
            (TRIGGER, touching.is_trigger),
            (SOLVED, is_solved),
            (ACTIVE, touching.is_active),
            (ONE_POINT, separations.len() == 1),
            (TOUCHING, touching.contact.is_touching()),
            (PRESSED, is_pressed),
        ];
        Sketch {
            movers: touching.movers,
            pair: touching.contact.pair(),
            depth: max(-nearest, 0.0),
            state: bits.iter().fold(0, |state, (bit, is_set)| state | if *is_set { *bit } else { 0 }),
        }
    }

    /// Whether one of them is a trigger: then nothing is held apart.
    #[inline]
    pub fn is_trigger(&self) -> bool {
        self.state & TRIGGER != 0
    }

    /// Whether it is solved: whether they could touch within the step.
    #[inline]
    pub fn is_solved(&self) -> bool {
        self.state & SOLVED != 0
    }

    /// Whether they will touch within the step if nothing holds them.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.state & ACTIVE != 0
    }

    /// Whether it has one point.
    #[inline]
    pub fn has_one_point(&self) -> bool {
        self.state & ONE_POINT != 0
    }

    /// Whether they touch: from the start of the step on, or because something had to be held apart in it.
    #[inline]
    pub fn is_touching(&self) -> bool {
        self.state & TOUCHING != 0
    }

    /// Whether one of them is in the other, and nothing can move one of both.
    #[inline]
    pub fn is_pressed(&self) -> bool {
        self.state & PRESSED != 0
    }
}
