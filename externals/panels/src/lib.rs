//! What happens inside?
