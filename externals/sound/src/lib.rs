//! How does a view become samples?
