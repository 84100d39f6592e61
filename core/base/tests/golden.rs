//! Golden hashes: every result is the same as on the first machine.
//!
//! One stream of inputs is passed to every function of base; the results are hashed bit by bit and compared with the
//! values here. A mismatch names the function for which a platform, compiler or library gives different bits.
//!
//! A change of a value here needs a reason: it invalidates every earlier save and film. NaNs are made canonical before
//! they are hashed, because their bits are unspecified; the signs of zeros are hashed.

mod golden {
    mod chance;
    mod numbers;
    mod record;
    mod space;
    mod streams;
}
