//! Where are tags kept?
//!
//! People edit a tree of text files; a game reads packed tags. Between the two lies the folder `.astrarium`, a
//! content-addressed store and an index for incremental builds: nothing is built twice. It can be deleted at any time.
//!
//! Never: changes a file of the tree; trusts a byte of the store; decides what a tag means.
//!
//! Laws
//! 1. `.astrarium` is a cache: with it, without it, or with any byte of it damaged, the same tags are loaded.
//! 2. No link, path or reference leads out of the tree.
//! 3. At most 128 files are open at once, and everything that comes from a file or a socket has a limit.
//! 4. Every rebuild states its reason.

pub mod limits;

pub mod content_key;

pub mod store;

pub mod index;

pub mod report;

pub mod folders;

pub mod containers;

pub mod blocks;

pub mod headers;

mod postprocess_order;

pub mod tree;

pub mod load;

pub mod embedded;

pub mod history;

pub mod hot_reload;

pub mod feed;

pub use tree::Shelf;

#[cfg(test)]
mod testing;
