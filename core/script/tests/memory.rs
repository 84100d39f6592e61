//! Evaluation does not allocate from the heap.

use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid, is_watched};
use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::write::{parts, write};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Evaluates the statements of a source and compares the result of the last, which must not allocate.
fn check(source: &str, expected: &str) {
    assert!(is_watched());
    let (program, reports) = compile(source, &parse(source), &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    let limits = Limits { values: 64 * 1024, ..Limits::default() };
    let mut scratch = Scratch::with_cache(limits, Cache::new(Policy::Paying, 64).ready_for(&program));
    let mut environment = Environment::new(&program, 200);
    let (last, before) = program.statements.split_last().expect("there is something to do");
    for statement in before {
        environment.evaluate(&program, *statement, &[], &mut scratch).expect("it ends");
    }
    let taken = allocations_while_forbidden();
    let result = forbid(|| environment.evaluate(&program, *last, &[], &mut scratch));
    assert_eq!(allocations_while_forbidden() - taken, 0, "{source}");
    let result = result.expect("it ends");
    let (made, kept) = (scratch.region(), environment.kept());
    let found = write(parts(result, made, kept).last().copied().unwrap_or(result), &program, made, kept);
    assert_eq!(found, expected, "{source}");
}

#[test]
fn large_records_and_lists_are_sorted_in_place() {
    // Names whose ids are not in the order of the list.
    let names: Vec<String> = (0..150).map(|number| format!("\"name{number}\"")).collect();
    check(
        &format!("!set names [{}]\n[fold(names, {{ x 0 }}, Lambda(r, n, with(r, n, n))).name77]", names.join(", ")),
        "\"name77\"",
    );
    check("sort(range(5000), Lambda(x, -x))", "0");
    check("sort(range(700), Lambda(x, x % 7))", "699");
    check("sort([5, 1, 9], Lambda(x, if x = 1 then 1e300 * 1e300 - 1e300 * 1e300 else x))", "1");
    check("sort([1, 2, 3, 4], Lambda(x, if x % 2 = 0 then 0 else -0))", "4");
}
