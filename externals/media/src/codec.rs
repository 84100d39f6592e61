//! Calls of codecs of others. A panic of a codec is an error of the file, where panics unwind; elsewhere it ends the
//! worker process.
//!
//! It has been seen: the RIFF reader of symphonia 0.6.1 multiplies numbers of the header without a check for overflow,
//! which panics in builds that check it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::ImportError;

/// Calls a codec. Nothing that it was changing when it panicked is used afterwards: what it made is dropped.
pub fn guarded<T>(call: impl FnOnce() -> Result<T, ImportError>) -> Result<T, ImportError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        Err(ImportError::Damaged("its decoder gave up on contents that it did not expect".to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use crate::ImportError;

    #[test]
    fn a_panic_of_a_codec_is_an_error() {
        assert_eq!(guarded(|| Ok(3)), Ok(3));
        assert_eq!(guarded::<u32>(|| Err(ImportError::Empty("pixels"))), Err(ImportError::Empty("pixels")));
        assert!(matches!(guarded::<u32>(|| panic!("overflow")), Err(ImportError::Damaged(_))));
    }
}
