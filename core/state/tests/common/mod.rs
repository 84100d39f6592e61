//! Shared by the tests of this crate: scenes and assertions.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub mod fleet;
pub mod nonsense;

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::test_runner::Config;
use state::{Settings, World};

/// All run-time checks are on, except under Miri, where hashing twice takes too long.
pub const CHECKED: Settings = Settings { is_checked: !cfg!(miri), garbage: 0xdd, shuffle: 0 };

/// This many random cases; fewer under Miri.
pub fn cases(count: u32) -> Config {
    let mut config = Config::default();
    // The environment may set fewer, or many more for a nightly run.
    let is_default = config.cases == 256;
    config.cases = match (cfg!(miri), is_default) {
        (true, _) => 2,
        (false, true) => count,
        (false, false) => config.cases,
    };
    config.failure_persistence = None;
    config
}

/// `usually`, or `rarely` under Miri.
pub fn repeat(usually: u32, rarely: u32) -> u32 {
    if cfg!(miri) { rarely } else { usually }
}

/// The message of the panic that `action` causes. Panics if it causes none.
pub fn panic_message<R>(action: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(action)) else { panic!("nothing stopped the program") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a panic has words")).to_string(),
    }
}

/// Asserts that `action` panics with a message that contains all these words.
pub fn assert_stops<R>(words: &[&str], action: impl FnOnce() -> R) {
    let said = panic_message(action);
    for word in words {
        assert!(said.contains(word), "{said:?} does not say {word:?}");
    }
}

/// Asserts that two worlds are equal; the message names the fields that differ.
pub fn assert_same(left: &mut World, right: &mut World, when: &str) {
    let found = state::differences(left, right, 5);
    assert!(found.is_empty(), "{when}: {}", found.iter().map(|found| format!("{found}\n")).collect::<String>());
    assert_eq!(left.hash(), right.hash(), "{when}: the hashes differ, but no field does");
}
