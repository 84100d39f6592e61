//! Cryptographically secure random bytes of the operating system, for secrets and nonces. Never for the world, which
//! has its own generators.

use std::io;

/// Fills bytes with random values. An error on machines without a source (wasm).
pub fn fill(bytes: &mut [u8]) -> io::Result<()> {
    give(bytes)
}

#[cfg(not(target_family = "wasm"))]
fn give(bytes: &mut [u8]) -> io::Result<()> {
    getrandom::fill(bytes).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(target_family = "wasm")]
fn give(_: &mut [u8]) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this machine has no source of random bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fillings_are_equal() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        if cfg!(target_family = "wasm") {
            assert!(fill(&mut one).is_err());
            return;
        }
        fill(&mut one).expect("this machine has random bytes");
        fill(&mut other).expect("this machine has random bytes");
        assert_ne!(one, other);
        assert_ne!(one, [0; 32]);
    }
}
