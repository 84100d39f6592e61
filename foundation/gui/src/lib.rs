//! What can be read and pressed?
#![no_std]

extern crate alloc;

pub mod limits;

pub mod effects;

pub mod classes;

pub mod answer;
pub mod geometry;
pub mod look;
pub mod report;

pub mod definition;

pub mod text_edit;
pub mod tree;

pub mod node;

pub mod layout;
pub mod logic;

pub mod outgoing;
pub mod surroundings;

pub mod focus;
pub mod pick;

pub mod open;

pub mod gui;
