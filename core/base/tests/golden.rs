//! Is every result the same as on the first machine?
//!
//! One stream of inputs goes through every function of base; the results are hashed, bit by bit, and compared with what
//! is written here. A difference means another platform, compiler or library gives another bit somewhere, and names the
//! function.
//!
//! A number here changes only together with a reason: every save and film that was made before it becomes another
//! world. NaNs are made canonical before they are hashed, because nobody promises their bits; the signs of zeros are
//! hashed.

mod golden {
    mod chance;
    mod numbers;
    mod record;
    mod space;
    mod streams;
}
