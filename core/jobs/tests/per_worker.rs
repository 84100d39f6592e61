//! A per-worker value has one user at a time.
#![allow(clippy::disallowed_methods, reason = "a test may have threads of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::scope;

use jobs::PerWorker;

#[test]
fn threads_never_share_a_value() {
    for (count, threads) in [(1, 4), (3, 3), (8, 2)] {
        let repeats = if cfg!(miri) { 20 } else { 5_000 };
        let mut values = PerWorker::new(count, || (0_u64, 0_u64));
        scope(|scope| {
            for thread in 0..threads {
                let values = &values;
                scope.spawn(move || {
                    for _ in 0..repeats {
                        values.with(thread, |value| {
                            assert_eq!(value.0, value.1);
                            value.0 += 1;
                            value.1 += 1;
                        });
                    }
                });
            }
        });
        assert_eq!(values.iter_mut().map(|value| value.0).sum::<u64>(), repeats * threads as u64);
    }
}

#[test]
fn a_value_is_free_again_after_a_panic() {
    let values = PerWorker::new(1, || 5);
    let result = catch_unwind(AssertUnwindSafe(|| values.with(0, |_| panic!("an accident"))));
    assert!(result.is_err());
    assert_eq!((values.with(7, |value| *value), values.count()), (5, 1));
}
