//! What the tests of the ground share: scenes, crews, and small ways of asking.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub mod crews;
pub mod fleet;
pub mod nonsense;

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::test_runner::Config;
use state::{Settings, World};

/// Everything is looked at that can be; but where each step takes a thousand times longer, hashing twice takes too long.
pub const CHECKED: Settings = Settings { is_checked: !cfg!(miri), garbage: 0xdd, shuffle: 0 };

/// So many random cases; fewer where each takes a thousand times longer.
pub fn cases(count: u32) -> Config {
    let mut config = Config::default();
    // The environment may ask for fewer, or for many more over night.
    let is_default = config.cases == 256;
    config.cases = match (cfg!(miri), is_default) {
        (true, _) => 2,
        (false, true) => count,
        (false, false) => config.cases,
    };
    config.failure_persistence = None;
    config
}

/// `usually`, or `rarely` where everything takes a thousand times longer.
pub fn repeat(usually: u32, rarely: u32) -> u32 {
    if cfg!(miri) { rarely } else { usually }
}

/// What the program says when it is stopped. Panics if it is not.
pub fn words_of_panic<R>(deed: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(deed)) else { panic!("nothing stopped the program") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a panic has words")).to_string(),
    }
}

/// That the program is stopped, with all these words.
pub fn assert_stops<R>(words: &[&str], deed: impl FnOnce() -> R) {
    let said = words_of_panic(deed);
    for word in words {
        assert!(said.contains(word), "{said:?} does not say {word:?}");
    }
}

/// That two worlds are the same, or in which fields they are not.
pub fn assert_same(left: &mut World, right: &mut World, when: &str) {
    let found = state::differences(left, right, 5);
    assert!(found.is_empty(), "{when}: {}", found.iter().map(|found| format!("{found}\n")).collect::<String>());
    assert_eq!(left.hash(), right.hash(), "{when}: the hashes differ, but no field does");
}
