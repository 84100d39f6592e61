//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;
#[path = "book/table.rs"]
mod table;

mod articulated_contacts;
mod bad;
mod book;
mod ccd;
mod contact;
mod ends;
mod exact;
mod force_fields;
mod hits;
mod joined_hits;
mod joint_laws;
mod joints;
mod kinematic;
mod long;
mod machines;
mod moving_meshes;
mod oracle;
mod oracle_parts;
mod places;
mod room;
mod scenes;
mod stacks;
mod triggers;
mod turning;
mod worlds;
