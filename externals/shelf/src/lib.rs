//! Where are tags kept?
//!
//! A tree of text files is what people edit; packed tags are what a game reads. Between them lies the folder `.astrarium`,
//! which remembers what was made of what, so that nothing is made twice. It can be deleted at any time.
//!
//! Never: changes a file of the tree; trusts a byte of what it kept; decides what a tag means.
//!
//! Laws
//! 1. What is in `.astrarium` saves work and nothing else: with it, without it, or with any byte of it damaged, the same
//!    tags are loaded.
//! 2. The tree is never left: no link, no path and no reference leads out of it.
//! 3. At most 128 files are open at once, and everything that comes from a file or a socket has a limit.
//! 4. Everything that is made anew says why.

pub mod limits;

pub mod key;

pub mod store;

pub mod index;

pub mod report;

pub mod headers;

mod order;

pub mod tree;

pub mod load;

pub mod embedded;

pub mod kept;

pub mod living;

pub mod feed;

pub use tree::Shelf;

#[cfg(test)]
mod testing;
