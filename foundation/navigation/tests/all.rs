//! All tests of this crate in one program.

mod common;

mod cache;
mod hostile;
mod maps;
mod oracle;
mod rebuilds;
