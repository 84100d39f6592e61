//! What touches what?
//!
//! Rigid bodies with contacts, friction, joints, sleeping and continuous collision detection. All mutable state lies in the world's
//! block: bodies, contacts with their accumulated impulses, joints. Shapes are content: made when it is loaded, never changed.
//! `METHODS.md` names the method of each file, its authors and what is different here.
//!
//! Never: keeps anything of a world outside its block that could change a result; reads a clock; allocates while stepping; knows
//! what a body is in the game.
//!
//! Laws
//! 1. The step is a function of the block, the shapes and the settings. A restored block steps to the same blocks as the original.
//! 2. Neither the number of workers nor the SIMD width changes a bit: chunk sizes are constants, lanes never mix, and results of
//!    parallel work are put in key order.
//! 3. Every list has a capacity. What exceeds it is dropped by a rule that does not depend on threads, and counted.
//! 4. Every number in the block is finite: a body that would break this is quarantined and reported.
#![no_std]

extern crate alloc;

pub mod limits;
pub mod pose;

pub mod aabb;
pub mod bvh;
pub mod error;
mod vector64;

pub mod surface;

pub mod height_field;
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

pub mod closest_points;

pub mod overlap;

pub mod query;

pub mod body;
pub mod contact;
pub mod joint;
pub mod profile;
pub mod settings;

pub mod force_field;

pub mod lanes;
pub mod parts;

pub mod ends;

mod bvh8;
pub mod proxy;
pub mod solver_body;

mod pair_cache;

pub mod broad;
pub mod colours;
pub mod islands;
pub mod narrow_phase;

pub mod contact_summary;

pub mod solve;

pub mod ccd;

mod workspace;

pub mod step;

pub use body::{Body, flag};
pub use contact::{Contact, ContactEvent, ContactEventKind};
pub use force_field::{ForceField, ForceFieldKind};
pub use joint::Joint;
pub use joint::definition::JointDefinition;
pub use mass::Mass;
pub use parts::{Capacities, Parts};
pub use profile::{Profile, StepPhase};
pub use settings::Settings;
pub use shape::Shape;
pub use shapes::Shapes;
pub use step::Physics;
