//! All tests of this crate that need no process of their own, in one program: linking is most of the time of a small one.

mod common;

mod backups;
mod brushes;
mod datums;
mod entities;
mod hashes;
mod inconsistent;
mod inquiries;
mod layouts;
mod lists;
mod parallel;
mod phases;
mod plans;
mod pools;
mod reports;
mod saves;
mod snapshots;
mod targets;
mod withdrawals;
