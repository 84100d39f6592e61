//! How often the worlds of a session are compared: a machine can join again and differ again, and each comparison costs the host two
//! sessions and leaves two saves.

use std::collections::BTreeMap;

use host::gate::Identity;
use host::share::ShareHolder;

/// The comparisons of a session, and those with machines of one public key or of one network.
const COMPARED_MAX: u32 = 8;
const COMPARED_EACH_MAX: u32 = 3;

/// The comparisons of a session so far.
#[derive(Default)]
pub struct Compared {
    count: u32,
    by_key: BTreeMap<Identity, u32>,
    by_network: BTreeMap<ShareHolder, u32>,
    is_told: bool,
}

/// Whether a world may be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Once more.
    Yes,
    /// Not any more, which is said now.
    NoMore,
    /// Not any more, and it was said.
    No,
}

impl Compared {
    /// Takes one comparison with a machine, if there is one left.
    pub fn take(&mut self, key: Identity, network: ShareHolder) -> Allowed {
        let of = |count: Option<&u32>| count.copied().unwrap_or(0);
        let most = of(self.by_key.get(&key)).max(of(self.by_network.get(&network)));
        if self.count < COMPARED_MAX && most < COMPARED_EACH_MAX {
            self.count += 1;
            *self.by_key.entry(key).or_default() += 1;
            *self.by_network.entry(network).or_default() += 1;
            return Allowed::Yes;
        }
        if std::mem::replace(&mut self.is_told, true) { Allowed::No } else { Allowed::NoMore }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(number: u8) -> ShareHolder {
        ShareHolder::of([10, 0, 0, number].into())
    }

    #[test]
    fn one_key_or_network_gets_some_comparisons_and_the_end_is_told_once() {
        for has_many_keys in [false, true] {
            let mut compared = Compared::default();
            let found: Vec<Allowed> = (0..6_u8)
                .map(|number| match has_many_keys {
                    true => compared.take([number; 32], network(1)),
                    false => compared.take([1; 32], network(number)),
                })
                .collect();
            use Allowed::{No, NoMore, Yes};
            assert_eq!(found, [Yes, Yes, Yes, NoMore, No, No]);
            assert_eq!(compared.take([77; 32], network(77)), Yes, "others are compared");
        }
    }

    #[test]
    fn a_session_has_some_comparisons_whoever_asks() {
        let mut compared = Compared::default();
        let found = (0..100_u8).filter(|number| compared.take([*number; 32], network(*number)) == Allowed::Yes);
        assert_eq!(found.count(), COMPARED_MAX as usize);
        assert!(compared.by_key.len() <= COMPARED_MAX as usize && compared.by_network.len() <= COMPARED_MAX as usize);
    }
}
