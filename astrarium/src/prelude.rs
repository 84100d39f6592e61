//! The names that nearly every game uses: `use astrarium::prelude::*`.

pub use std::sync::Arc;

pub use base::{Enum, Handle, Plain, PlainEnum, Quat, Random, StringId, Truth, Vec2, Vec3, build_identity};
pub use host::thread_pool::ThreadPool;
pub use state::{
    Address, Alone, Block, Brush, Class, Datums, Entities, Layout, List, Plan, Pool, Single, Workers, World, each,
};
pub use tags::{Library, Tag};

pub use crate::game::{Extensions, Game, GameEntry, TagsEntry};
pub use crate::session::Session;
pub use world::StepInput;
