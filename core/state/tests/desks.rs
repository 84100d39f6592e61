//! Desks have one worker at a time.
#![allow(clippy::disallowed_methods, reason = "a test may have threads of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::scope;

use state::Desks;

#[test]
fn nobody_gets_in_anybodys_way() {
    for (desks, workers) in [(1, 4), (3, 3), (8, 2)] {
        let rounds = if cfg!(miri) { 20 } else { 5_000 };
        let mut desks = Desks::new(desks, || (0_u64, 0_u64));
        scope(|scope| {
            for worker in 0..workers {
                let desks = &desks;
                scope.spawn(move || {
                    for _ in 0..rounds {
                        desks.with(worker, |tools| {
                            assert_eq!(tools.0, tools.1);
                            tools.0 += 1;
                            tools.1 += 1;
                        });
                    }
                });
            }
        });
        assert_eq!(desks.iter_mut().map(|tools| tools.0).sum::<u64>(), rounds * workers as u64);
    }
}

#[test]
fn a_desk_is_free_again_after_a_panic() {
    let desks = Desks::new(1, || 5);
    let result = catch_unwind(AssertUnwindSafe(|| desks.with(0, |_| panic!("an accident"))));
    assert!(result.is_err());
    assert_eq!((desks.with(7, |tools| *tools), desks.count()), (5, 1));
}
