//! What touches what?
//!
//! Bodies move under forces, collide, rest, stack and are joined. All that can change lies in the world's block: bodies,
//! contacts with their impulses, joints. Shapes are content: they are made when it is loaded and never change.
//!
//! Never: keeps anything of a world outside its block that could change a result; reads a clock; allocates while stepping; knows
//! what a body is in the game.
//!
//! Laws
//! 1. The step is a function of the block, the shapes and the settings. Whoever restores a block and steps gets what everybody
//!    gets, at every single cycle.
//! 2. Neither the number of workers nor the width of vectors changes a bit: work is cut up by constants, lanes never mix, and
//!    whatever is gathered is put in the order of its keys.
//! 3. Everything is bounded. What finds no room is left out by a rule that no thread chose, and counted.
//! 4. No number in the block is ever not finite: a body that would become so is quarantined and told.
#![no_std]

extern crate alloc;

pub mod limits;
pub mod pose;

pub mod bounds;
pub mod error;
pub mod tree;

pub mod facet;
pub mod field;
pub mod hull;
pub mod mesh;

pub mod manifold;
pub mod shape;
pub mod shapes;

pub mod distance;
pub mod mass;
pub mod narrow;

pub mod ray;
pub mod sweep;

pub mod nearest;

pub mod overlap;

pub mod question;

pub mod body;
pub mod contact;
pub mod joint;
pub mod settings;

pub mod pull;

pub mod lanes;
pub mod parts;

pub mod ends;

pub mod mover;
pub mod proxy;
pub mod swarm;

mod near;

pub mod broad;
pub mod colours;
pub mod islands;
pub mod touching;

pub mod sketch;

pub mod solve;

pub mod fast;

mod room;

pub mod step;

pub use body::{Body, flag};
pub use contact::{Contact, Touch, TouchKind};
pub use joint::Joint;
pub use joint::draft::Draft;
pub use mass::Mass;
pub use parts::{Capacities, Parts};
pub use pull::{Pull, PullKind};
pub use settings::Settings;
pub use shape::Shape;
pub use shapes::Shapes;
pub use step::Physics;
