//! How does one get there?
//!
//! Maps made from the solid shapes of a level, and shortest paths on them: a grid of floors for agents that walk ([`ground`]), a
//! sparse grid of volumes for agents that fly ([`space`]), searches for one agent ([`search`]) and goal fields for thousands
//! ([`fields`]). All of it works on slices of plain data, which the caller owns: a world keeps them in its block.
//!
//! Methods: floors by voxel columns after Mononen's Recast (2009), clearance after Harabor and Botea (2008), A* (Hart, Nilsson and
//! Raphael 1968), buckets after Dial (1969) for the fields, paths straightened by line of sight.
//!
//! Never: reads a clock; keeps a pointer to a map; knows what an agent is in the game.
//!
//! Laws
//! 1. A map is a function of the geometry and its settings: rebuilding the part that a change can reach gives the same cells as
//!    rebuilding all of it.
//! 2. Costs are integers: 10 along an axis, 14 across a plane, 17 across a cube. A complete path is a shortest one.
//! 3. A result does not depend on the order in which neighbours are visited or entries are queued: equal costs are ordered by the
//!    numbers of the cells.
//! 4. Memory is allocated at creation. A search visits at most the nodes of its budget; then it gives the best partial path and
//!    says so.
//! 5. No input panics: places that are not finite, outside the map or inside a wall have an answer.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod lattice;
pub mod moves;

pub mod terrain;

pub mod geometry;

pub mod solids;

pub mod ground;
pub mod space;

pub mod sight;

mod open_list;

pub mod search;

pub mod wave;

pub mod fields;

pub use geometry::{Column, Geometry, Span, Spans};
pub use ground::{Ground, GroundCell, GroundSettings};
pub use lattice::{Lattice, LatticeError};
pub use search::{Outcome, Search, Way};
pub use space::{Space, SpaceChunks};
pub use terrain::Terrain;
