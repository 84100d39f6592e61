//! What can be read and pressed?
#![no_std]

extern crate alloc;
