//! How does a view become pixels?
