//! The meter: fuel per program and line, exact and without influence.

use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::Environment;
use script::library::Library;
use script::machine::{Limits, Scratch};
use script::meter::{Meter, PlaceFuel, ProgramFuel};
use script::parse::parse;
use script::row::{Head, RowView};
use script::value::Value;

/// The results, the fuel of the program, and its places and lines.
type Metered = (Vec<Option<Value>>, ProgramFuel, Vec<PlaceFuel>, Vec<(u32, u64)>);

/// Evaluates all statements a few times.
fn metered(source: &str, policy: Policy, is_metered: bool, limits: Limits) -> Metered {
    let (program, _) = compile(source, &parse(source), &["n"]);
    let mut environment = Environment::new(&program, 64);
    environment.set(0, Value::number(1.0));
    let mut library = Library::new();
    let number = library.add(program);
    let head = Head { program: number, tickets: 0 };
    library.specialise(number, RowView { head: &head, values: environment.kept() });
    let program = library.get(number).expect("it was added");
    let mut scratch = Scratch::with_cache(limits, Cache::new(policy, 64));
    if is_metered {
        let mut meter = Box::new(Meter::new(1));
        meter.set(true, number);
        scratch.set_meter(Some(meter));
    }
    let mut results = Vec::new();
    for _ in 0..5 {
        for statement in &program.statements {
            results.push(environment.evaluate(program, *statement, &[], &mut scratch).ok());
        }
    }
    let (mut of_program, mut places, mut lines) = (ProgramFuel::default(), Vec::new(), Vec::new());
    if let Some(meter) = scratch.meter() {
        meter.take_programs(|_, row| of_program = row);
        meter.take_places(|place| {
            places.push(place);
            place.spread(program, |line, fuel| lines.push((line, fuel)));
        });
    }
    (results, of_program, places, lines)
}

const SOURCE: &str = "!set double Lambda(x, x * 2 + n)
!set all Lambda(list, sum(map(list, double)))
!set slow Lambda(x,
    all([x, x + 1, x + 2])
        + sqrt(x))
all([1, 2, 3])
slow(4) + double(3)
!Tell(\"a\", n)
max(n, double(n))";

#[test]
fn places_and_lines_add_up_to_the_fuel_of_the_program_exactly() {
    for policy in [Policy::Off, Policy::Paying, Policy::Forced] {
        let (results, fuel, places, lines) = metered(SOURCE, policy, true, Limits::default());
        assert_eq!(fuel.evaluations, results.len() as u64);
        assert!(fuel.fuel > 0 && fuel.unplaced == 0);
        assert_eq!(places.iter().map(|place| place.fuel).sum::<u64>(), fuel.fuel, "{policy:?}");
        assert_eq!(lines.iter().map(|(_, fuel)| fuel).sum::<u64>(), fuel.fuel, "{policy:?}");
        assert!(lines.iter().all(|(line, _)| (1..=9).contains(line)), "{lines:?}");
        let of_line = |wanted: u32| lines.iter().filter(|(line, _)| *line == wanted).map(|(_, fuel)| fuel).sum::<u64>();
        assert!(of_line(2) > 0 && of_line(4) > 0, "{lines:?}");
    }
}

#[test]
fn fuel_does_not_depend_on_the_cache_and_metering_changes_no_result() {
    let (plain, ..) = metered(SOURCE, Policy::Paying, false, Limits::default());
    let (off, without, ..) = metered(SOURCE, Policy::Off, true, Limits::default());
    let (paying, with, ..) = metered(SOURCE, Policy::Paying, true, Limits::default());
    assert_eq!(plain, off);
    assert_eq!(plain, paying);
    assert_eq!(without, with);
}

#[test]
fn an_evaluation_that_runs_out_of_fuel_is_counted_as_far_as_it_came() {
    let limits = Limits { fuel: 40, ..Limits::default() };
    let (results, fuel, places, _) = metered(
        "sum(map([1, 2, 3, 4, 5, 6, 7, 8, 9], Lambda(x, sum(map([x, x, x], Lambda(y, y + x))))))\nn + 1",
        Policy::Off,
        true,
        limits,
    );
    assert!(results.contains(&None), "{results:?}");
    assert_eq!(places.iter().map(|place| place.fuel).sum::<u64>(), fuel.fuel);
    assert!(fuel.fuel <= 40 * fuel.evaluations);
}
