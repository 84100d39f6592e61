//! The derive for classes of tags.
