//! The import pipeline: from the source files of `data/` to the tags of `tags/`.
//!
//! `data/ships/corvette.png` makes `tags/ships/corvette.bitmap` and, beside it, the container with its bulk data.
//!
//! | file | what it does |
//! |---|---|
//! | [`layout`] | which tag a product becomes |
//! | [`index`] | what was imported last time, so that nothing is imported twice |
//! | [`export`] | the files of authoring programs become files that importers read |
//! | [`surroundings`] | the folders, and the options that tags keep |
//! | [`plan`] | which sources must be imported, and why |
//! | [`part_cache`] | results of work on parts of sources, so that one changed mesh of a level is all that is made |
//! | [`job`] | the import of one source, in whatever process: from its bytes to texts and containers |
//! | [`worker`] | the same in worker processes, which may crash, hang or run out of memory |
//! | [`follow`] | the fields that only the import sets |
//! | [`held`] | the container that a tag has, compared with a new one |
//! | [`intake`] | the three-way merge with what people edited, and the writing of files |
//! | [`run`] | all of it for a folder, once or while it is watched |
//!
//! Laws
//! 1. A tag and its bulk data change together. A container has its hash in its name and is written first; then the text
//!    of the tag, which names it, is replaced atomically; then the former container is removed. Killed at any moment,
//!    the former or the new tag is there, whole.
//! 2. What people edited stays. An import merges three texts: the last imported one, which the container keeps, the
//!    present one, and the new one. Where source and people changed the same value, the people's counts, and both are
//!    reported. Read-only fields follow the import, and an edit of one is reported.
//! 3. A source is imported again only if its bytes, a file that it names, its importer's version or its options have
//!    changed, or a tag that it made is missing.
//! 4. A source that cannot be imported changes nothing; its error names it, and the others are imported.
//! 5. Memory is bounded by the number of workers times the largest import.

pub mod index;
pub mod layout;
pub mod part_cache;

pub mod job;

pub mod export;
pub mod follow;
pub mod held;

pub mod intake;

pub mod surroundings;

pub mod plan;
pub mod worker;

pub mod run;
