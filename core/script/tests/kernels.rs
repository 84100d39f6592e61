//! Kernels return what the virtual machine returns, or nothing.

use std::cell::Cell;

use base::{Handle, StringId, Vec3};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use script::builtin::BUILTINS;
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::{Operation, Program};
use script::specialise::kernel_for;
use script::value::{Kind, Value};

fn compiled(source: &str) -> Program {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = compile(source, &tree, &["n", "w", "k", "b", "h"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    program
}

fn function(program: &Program, name: &str) -> u32 {
    program.functions.iter().position(|function| function.name == name).expect("the function exists") as u32
}

/// An environment in which all statements were run.
fn environment(program: &Program) -> Environment {
    let mut environment = Environment::new(program, 256);
    let mut scratch = Scratch::new(Limits::default());
    for statement in &program.statements {
        environment.evaluate(program, *statement, &[], &mut scratch).expect("preludes stay within their limits");
    }
    environment
}

fn row(program: &Program, environment: &Environment) -> Vec<Value> {
    (0..program.variables.len() as u32).map(|variable| environment.get(variable)).collect()
}

/// Whether two values have the same bits, or are NaN in the same places.
fn is_same(left: Value, right: Value) -> bool {
    let both_nan = |left: f64, right: f64| left.is_nan() && right.is_nan();
    match (left.as_number(), right.as_number(), left.as_vector(), right.as_vector()) {
        (Some(left), Some(right), ..) => left.to_bits() == right.to_bits() || both_nan(left, right),
        (_, _, Some(left), Some(right)) => {
            let pairs = [(left.x, right.x), (left.y, right.y), (left.z, right.z)];
            pairs.iter().all(|(l, r)| l.to_bits() == r.to_bits() || both_nan((*l).into(), (*r).into()))
        }
        _ => left == right,
    }
}

/// Evaluates a function for several objects with a kernel and without one, and compares results, sets, complaints and
/// halts. Returns whether there is a kernel.
fn compare(
    program: &Program,
    function: u32,
    arguments: &[Vec<Value>],
    environments: &[Environment],
) -> Result<bool, TestCaseError> {
    let mut fast = program.clone();
    let example: Vec<Value> = arguments.iter().map(|argument| argument[0]).collect();
    let kernel = kernel_for(program, function, &example, &row(program, &environments[0]));
    let has_kernel = kernel.is_some();
    fast.functions[function as usize].facts.kernel = kernel;
    for limits in [
        Limits::default(),
        Limits { fuel: 40, ..Limits::default() },
        Limits { depth: 1, ..Limits::default() },
        Limits { values: 5, ..Limits::default() },
    ] {
        let (mut scratch, mut fast_scratch) = (Scratch::new(limits), Scratch::new(limits));
        for (object, environment) in environments.iter().enumerate() {
            let given: Vec<Value> = arguments.iter().map(|argument| argument[object]).collect();
            let (mut slowly, mut fastly) = (environment.clone(), environment.clone());
            let expected = slowly.evaluate(program, function, &given, &mut scratch);
            let found = fastly.evaluate(&fast, function, &given, &mut fast_scratch);
            let is_alike = match (&expected, &found) {
                (Ok(expected), Ok(found)) => is_same(*expected, *found),
                (expected, found) => expected == found,
            };
            prop_assert!(is_alike, "object {object}, {given:?}: expected {expected:?}, found {found:?}");
            prop_assert_eq!(slowly.kept(), fastly.kept());
            prop_assert_eq!(scratch.complaints(), fast_scratch.complaints());
            prop_assert_eq!(scratch.effects(), fast_scratch.effects());
        }
    }
    Ok(has_kernel)
}

/// Evaluates `main` of a source for objects that each have one row of arguments.
fn check(source: &str, rows: &[&[Value]], has_kernel: bool) {
    let program = compiled(source);
    let environments = vec![environment(&program); rows.len()];
    let arguments: Vec<Vec<Value>> =
        (0..rows[0].len()).map(|number| rows.iter().map(|row| row[number]).collect()).collect();
    let found = compare(&program, function(&program, "main"), &arguments, &environments);
    assert_eq!(found.unwrap_or_else(|error| panic!("{source}: {error}")), has_kernel, "{source}");
}

fn number(number: f64) -> Value {
    Value::number(number)
}

#[test]
fn every_branch_is_taken() {
    let source =
        "!set main Lambda(x, y, if x < 0 then -x else if x > y and y <> 3 then x * 2 else let z = x + y in z * z)";
    let row = |x: f64, y: f64| [number(x), number(y)];
    let rows = [row(-1.0, 0.0), row(2.0, 1.0), row(2.0, 3.0), row(f64::NAN, 1.0), row(-0.0, 0.0)];
    check(source, &rows.each_ref().map(|row| &row[..]), true);
}

#[test]
fn kernels_bail_out_to_the_virtual_machine() {
    let pair = |left: Value, right: Value| [left, right];
    let rows = [
        pair(number(6.0), number(3.0)),
        pair(number(6.0), number(0.0)),
        pair(number(6.0), number(-0.0)),
        pair(number(6.0), Value::TRUE),
        pair(Value::NOTHING, number(2.0)),
        pair(number(1.0), number(f64::INFINITY)),
    ];
    let rows = rows.each_ref().map(|row| &row[..]);
    check("!set main Lambda(x, y, x / y)", &rows, true);
    check("!set main Lambda(x, y, x % y)", &rows, true);
    let [one, two] = [&[number(1.0)][..], &[number(-1.0)][..]];
    check("!set main Lambda(x, if x > 0 then x else count([x]))", &[one, two], true);
    check("!set main Lambda(x, if x > 0 then x else [ !Log(x), x ]())", &[one, two], true);
    check("!set main Lambda(x, if x > 0 then x else \"a\" * 2)", &[one, two], true);
}

#[test]
fn some_functions_have_no_kernel() {
    let one = [number(1.0)];
    for source in [
        "!set main Lambda(x, [x])",
        "!set main Lambda(x, { a x })",
        "!set main Lambda(x, Lambda(y, y))",
        "!set main Lambda(x, if x > 0 then x)",
        "!set main Lambda(x, if x < 1 then 1 else x * main(x - 1))",
        "!set main Lambda(x, !Log(x))",
        "!set main Lambda(x, x + \"a\")",
        "!set main Lambda(x, nothing(x))",
    ] {
        check(source, &[&one], false);
    }
    let long = "!set f Lambda(a, a * a * a * a * a * a * a * a)\n!set main Lambda(x, x".to_string();
    check(&(long.clone() + &" + f(x)".repeat(20) + ")"), &[&one], true);
    let long = long + &" + f(x)".repeat(80) + ")";
    check(&long, &[&one], false);
}

#[test]
fn calls_are_inlined() {
    let one = [number(3.0)];
    check("!set f Lambda(a, a + 1)\n!set main Lambda(x, f(x) * f(f(x)))", &[&one], true);
    check("!set f Lambda(a, b, b = nothing)\n!set main Lambda(x, if f(x) then x else 0)", &[&one], true);
    check("!set f Lambda(a, a + 1)\n!set main Lambda(x, f(x, 2, 3))", &[&one], true);
    check("!set f Lambda(a, a + 1)\n!set main Lambda(x, (if x < 1 then f(x) else x) + f(x))", &[&one], true);
    check("!set main Lambda(x, let f = Lambda(y, y * y) in f(x) + f(2))", &[&one], true);
    check("!set main Lambda(x, Lambda(f, y, f(f(y)))(Lambda(z, z * 2), x))", &[&one], true);
    check(
        "!set f Lambda(a, if a > 2 then a * 2 else a)\n!set main Lambda(x, let k = x - 1 in k + f(x) + f(k))",
        &[&one],
        true,
    );
}

#[test]
fn an_object_with_a_different_lambda_does_not_use_the_kernel() {
    let program = compiled("!set f Lambda(a, a + 1)\n!set g Lambda(a, a * 2)\n!set main Lambda(x, f(x))");
    let same = environment(&program);
    let mut other = same.clone();
    let mut scratch = Scratch::new(Limits::default());
    let change = compiled("!set f Lambda(a, a + 1)\n!set g Lambda(a, a * 2)\n!set main Lambda(x, f(x))\n!set f g");
    let last = *change.statements.last().unwrap();
    other.evaluate(&change, last, &[], &mut scratch).unwrap();
    let environments = [same.clone(), other, same];
    let has_kernel = compare(&program, function(&program, "main"), &[vec![number(1.0); 3]], &environments);
    assert!(has_kernel.unwrap());
}

#[test]
fn examples_of_built_ins_are_the_same_with_a_kernel() {
    let mut with_kernel = Vec::new();
    for builtin in BUILTINS {
        let program = compiled(&format!("!set main Lambda({})", builtin.example.0));
        let environments = [environment(&program)];
        if compare(&program, function(&program, "main"), &[], &environments).unwrap() {
            with_kernel.push(builtin.name);
        }
    }
    assert!(["kind", "fold"].iter().all(|name| with_kernel.contains(name)), "{with_kernel:?}");
    assert_eq!(with_kernel.len(), 28, "{with_kernel:?}");
}

#[test]
fn exponentially_growing_calls_have_no_kernel_and_are_rejected_quickly() {
    let mut source = String::from("!set f0 Lambda(x, nothing)\n");
    for level in 1..60 {
        let below = level - 1;
        source += &format!("!set f{level} Lambda(x, let y = f{below}(x) in f{below}(x))\n");
    }
    let one = [number(1.0)];
    check(&format!("{source}!set main Lambda(x, f50(x) = nothing)"), &[&one], false);
    check(&format!("{source}!set main Lambda(x, f3(x) = nothing)"), &[&one], true);
}

#[test]
fn folds_over_known_lists_are_unrolled() {
    let rows: &[&[Value]] = &[&[number(3.0)], &[number(-2.0)], &[number(0.0)], &[Value::TRUE], &[number(f64::NAN)]];
    for source in [
        "!set main Lambda(x, fold([0.95, 0.9, 1.05], x, Lambda(rest, factor, rest * factor - 0.1)))",
        "!set main Lambda(x, fold([], x, Lambda(rest, factor, rest * factor)))",
        "!set main Lambda(x, fold(range(16), 0, Lambda(total, step, total + x / (step + 1))))",
        "!set main Lambda(x, fold(range(-3), x, Lambda(total, step, total + 1)))",
        "!set main Lambda(x, fold([x, x + 1], 0, Lambda(total, each, if each > x then total + each else total)))",
        "!set main Lambda(x, fold([vec(1, x, 2), vec(x, 0, 1)], 0, Lambda(total, each, total + each.x * each.y)))",
        "!set main Lambda(x, fold([1, 2], x, Lambda(total, total + 1)))",
        "!set main Lambda(x, fold([1, 2], x, Lambda(total, each, more, if more = nothing then total else each)))",
        "!set main Lambda(x, fold(range(3), 0, Lambda(a, i, a + fold([i, x], a, Lambda(b, j, b + i * j)))))",
        "!set f Lambda(list, fold(list, 1, Lambda(a, b, a * b)))\n!set main Lambda(x, f([x, 2]) + f(range(4)))",
        "!set main Lambda(x, fold([Lambda(y, y + 1), Lambda(y, y * 2)], x, Lambda(a, each, each(a))))",
        "!set main Lambda(x, if x > 0 then x else fold(range(17), 0, Lambda(a, i, a + i)))",
        "!set main Lambda(x, if x > 0 then x else fold(x, 0, Lambda(a, i, a + i)))",
    ] {
        check(source, rows, true);
    }
    for source in [
        "!set n 1\n!set main Lambda(x, fold([1, 2], x, Lambda(a, each, [ !set n a, a + each ]())))",
        "!set main Lambda(x, fold([1, 2], x, 3))",
        "!set main Lambda(x, fold([1, \"a\"], x, Lambda(a, each, a + each)))",
        "!set main Lambda(x, fold([1, 2], x, Lambda(0)))",
        "!set main Lambda(x, fold(range(x), x, Lambda(a, each, a + each)))",
    ] {
        check(source, rows, false);
    }
}

#[test]
fn folds_that_are_too_large_to_unroll_do_not_cost_the_rest_of_a_kernel() {
    let large = format!("Lambda(a, i, a{})", " * a + i".repeat(60));
    let source = format!("!set main Lambda(x, if x > 0 then x else fold(range(16), x, {large}))");
    check(&source, &[&[number(1.0)], &[number(-1.0)]], true);
    // Exponentially many are rejected quickly.
    let mut source = String::from("!set f0 Lambda(a, i, a + i)\n");
    for level in 1..30 {
        let below = level - 1;
        let fold = format!("fold(range(9), a, Lambda(b, j, f{below}(b, j)))");
        source += &format!("!set f{level} Lambda(a, i, if a > 0 then {fold} else {fold})\n");
    }
    check(&format!("{source}!set main Lambda(x, if x > 0 then x else f29(x, 1) * 0)"), &[&[number(1.0)]], false);
}

/// Generates sources from random numbers; ever simpler ones as these run out.
struct Writer<'a> {
    choices: &'a [u8],
    names: u32,
    locals: Vec<(String, Kind)>,
}

impl Writer<'_> {
    fn choose(&mut self, count: u8) -> u8 {
        let Some((first, rest)) = self.choices.split_first() else { return 0 };
        self.choices = rest;
        first % count
    }

    fn local(&mut self, kind: Kind, otherwise: &str) -> String {
        let known: Vec<String> =
            self.locals.iter().filter(|(_, known)| *known == kind).map(|(name, _)| name.clone()).collect();
        match known.len() {
            0 => otherwise.into(),
            count => known[usize::from(self.choose(255)) % count].clone(),
        }
    }

    fn expression(&mut self, kind: Kind) -> String {
        let kind = match self.choose(200) {
            1 => Kind::Nothing,
            2 => Kind::String,
            3 => Kind::Vector,
            4 => Kind::Number,
            _ => kind,
        };
        match self.choose(14) {
            1 => {
                return format!(
                    "(if {} then {} else {})",
                    self.condition(),
                    self.expression(kind),
                    self.expression(kind)
                );
            }
            2 => {
                let bound = [Kind::Number, Kind::Vector, Kind::Truth][usize::from(self.choose(3))];
                self.names += 1;
                let (name, value) = (format!("l{}", self.names), self.expression(bound));
                self.locals.push((name.clone(), bound));
                let body = self.expression(kind);
                self.locals.pop();
                return format!("(let {name} = {value} in {body})");
            }
            3 => {
                return format!(
                    "Lambda(c, d, if {} then c else d)({}, {})",
                    self.constant_condition(),
                    self.expression(kind),
                    self.expression(kind)
                );
            }
            _ => {}
        }
        match kind {
            Kind::Number => self.number(),
            Kind::Vector => self.vector(),
            Kind::Truth => self.condition(),
            Kind::Identifier => self.identifier(),
            Kind::String => ["k", "\"emp\"", "\"laser\"", "kind(n)"][usize::from(self.choose(4))].into(),
            Kind::Handle => ["h", "~h"][usize::from(self.choose(2))].into(),
            _ => "nothing".into(),
        }
    }

    fn constant_condition(&mut self) -> &'static str {
        ["1 < 2", "2 < 1", "c = d"][usize::from(self.choose(3))]
    }

    fn number(&mut self) -> String {
        let operators = ["+", "-", "*", "/", "%"];
        match self.choose(26) {
            0 | 1 => self.local(Kind::Number, "1"),
            2 => ["0", "1", "-2.5", "100", "1e300", "0.1"][usize::from(self.choose(6))].into(),
            3 => "n".into(),
            4..=9 => {
                let operator = operators[usize::from(self.choose(5))];
                format!("({} {operator} {})", self.expression(Kind::Number), self.expression(Kind::Number))
            }
            10 | 11 => {
                let operator = operators[usize::from(self.choose(4))];
                format!("({} {operator} 1.5)", self.expression(Kind::Number))
            }
            12 => format!("(-{})", self.expression(Kind::Number)),
            13 | 14 => {
                let unary = ["abs", "floor", "ceil", "round", "sign", "sqrt", "sin", "exp", "ln"];
                format!("{}({})", unary[usize::from(self.choose(9))], self.expression(Kind::Number))
            }
            15 | 16 => {
                let binary = ["min", "max", "pow", "atan2", "f", "g"][usize::from(self.choose(6))];
                format!("{binary}({}, {})", self.expression(Kind::Number), self.expression(Kind::Number))
            }
            17 | 18 => {
                let name = ["clamp", "lerp"][usize::from(self.choose(2))];
                let parts = [(); 3].map(|()| self.expression(Kind::Number));
                format!("{name}({})", parts.join(", "))
            }
            19 => format!("{}.{}", self.expression(Kind::Vector), ["x", "y", "z"][usize::from(self.choose(3))]),
            20 | 21 => {
                let name = ["dot", "distance"][usize::from(self.choose(2))];
                format!("{name}({}, {})", self.expression(Kind::Vector), self.expression(Kind::Vector))
            }
            22 => format!("length({})", self.expression(Kind::Vector)),
            23 | 24 => self.fold(),
            _ => format!("number({})", self.expression(Kind::Identifier)),
        }
    }

    /// A fold over a list that is written out, over a range, or over records.
    fn fold(&mut self) -> String {
        let element = [Kind::Number, Kind::Vector][usize::from(self.choose(2))];
        let list = match (element, self.choose(4)) {
            (Kind::Number, 0 | 1) => {
                format!("range({})", ["0", "3", "-1", "2.5", "16", "17"][usize::from(self.choose(6))])
            }
            _ => {
                let elements: Vec<String> = (0..self.choose(5)).map(|_| self.expression(element)).collect();
                format!("[{}]", elements.join(", "))
            }
        };
        let initial = self.expression(Kind::Number);
        self.names += 2;
        let [total, each] = [self.names - 1, self.names].map(|number| format!("l{number}"));
        self.locals.extend([(total.clone(), Kind::Number), (each.clone(), element)]);
        let body = self.expression(Kind::Number);
        self.locals.truncate(self.locals.len() - 2);
        format!("fold({list}, {initial}, Lambda({total}, {each}, {body}))")
    }

    fn vector(&mut self) -> String {
        match self.choose(9) {
            0 | 1 => self.local(Kind::Vector, "w"),
            2 => "w".into(),
            3 => {
                let parts = [(); 3].map(|()| self.expression(Kind::Number));
                format!("vec({})", parts.join(", "))
            }
            4 => {
                let operator = ["+", "-"][usize::from(self.choose(2))];
                format!("({} {operator} {})", self.expression(Kind::Vector), self.expression(Kind::Vector))
            }
            5 => {
                let operator = ["*", "/"][usize::from(self.choose(2))];
                format!("({} {operator} {})", self.expression(Kind::Vector), self.expression(Kind::Number))
            }
            6 => format!("({} * {})", self.expression(Kind::Number), self.expression(Kind::Vector)),
            7 => format!("cross({}, {})", self.expression(Kind::Vector), self.expression(Kind::Vector)),
            _ => {
                let name = ["normal", "-"][usize::from(self.choose(2))];
                format!("{name}({})", self.expression(Kind::Vector))
            }
        }
    }

    fn identifier(&mut self) -> String {
        match self.choose(5) {
            0 => self.local(Kind::Identifier, "#1"),
            1 => ["#0", "#1", "#-7"][usize::from(self.choose(3))].into(),
            2 => {
                let operator = ["+", "-"][usize::from(self.choose(2))];
                format!("({} {operator} {})", self.expression(Kind::Identifier), self.expression(Kind::Identifier))
            }
            3 => format!("identifier({})", self.expression(Kind::Number)),
            _ => format!("(-{})", self.expression(Kind::Identifier)),
        }
    }

    fn condition(&mut self) -> String {
        let comparisons = ["<", ">", "<=", ">=", "=", "<>"];
        match self.choose(12) {
            0 => self.local(Kind::Truth, "b"),
            1..=4 => {
                let how = comparisons[usize::from(self.choose(6))];
                format!("({} {how} {})", self.expression(Kind::Number), self.expression(Kind::Number))
            }
            5 => {
                let how = comparisons[usize::from(self.choose(6))];
                format!("({} {how} 1)", self.expression(Kind::Number))
            }
            6 => {
                let how = comparisons[usize::from(self.choose(6))];
                format!("({} {how} {})", self.expression(Kind::Identifier), self.expression(Kind::Identifier))
            }
            7 => {
                let how = comparisons[4 + usize::from(self.choose(2))];
                let kinds = [Kind::String, Kind::Vector, Kind::Truth, Kind::Handle, Kind::Nothing, Kind::Identifier];
                let (left, right) = (self.choose(6), self.choose(24));
                let right = if right < 6 { right } else { left };
                let [left, right] = [left, right].map(|kind| self.expression(kinds[usize::from(kind)]));
                format!("({left} {how} {right})")
            }
            8 => format!("(not {})", self.condition()),
            9 | 10 => {
                let operator = ["and", "or"][usize::from(self.choose(2))];
                format!("({} {operator} {})", self.condition(), self.condition())
            }
            _ => ["b", "true", "false"][usize::from(self.choose(3))].into(),
        }
    }
}

fn numbers() -> impl Strategy<Value = f64> {
    let strange = prop::sample::select(&[
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e308,
        -1e308,
        5e-324,
        -1e-310,
        f64::MAX,
        4e9,
        -3e38,
    ]);
    prop_oneof![4 => (-4..5_i8).prop_map(f64::from), 4 => -1000.0..1000.0, 1 => strange]
}

fn values(kind: Kind) -> BoxedStrategy<Value> {
    let vector = || {
        [numbers(), numbers(), numbers()].prop_map(|[x, y, z]| Value::vector(Vec3::new(x as f32, y as f32, z as f32)))
    };
    let string = prop::sample::select(&["emp", "laser", ""]).prop_map(|text| Value::string(StringId::new(text)));
    let identifier = prop_oneof![4 => -3..4, 1 => any::<i32>()].prop_map(Value::identifier);
    let handle = (0..3_u16, 1..3_u16, 0..2_u16)
        .prop_map(|(slot, generation, array)| Value::handle(Handle::new(slot, generation), array));
    match kind {
        Kind::Number => numbers().prop_map(Value::number).boxed(),
        Kind::Vector => vector().boxed(),
        Kind::Truth => any::<bool>().prop_map(Value::truth).boxed(),
        Kind::String => string.boxed(),
        Kind::Identifier => identifier.boxed(),
        Kind::Handle => handle.boxed(),
        _ => Just(Value::NOTHING).boxed(),
    }
}

/// A value of any bytes: with stray bits, or of an unknown kind.
fn wild() -> BoxedStrategy<Value> {
    let word = || prop_oneof![Just(0_u32), Just(1), Just(2), any::<u32>()];
    let words = (word(), word(), 0..12_u32, word());
    let value = words.prop_map(|(low, high, kind, extra)| {
        let bytes = [low, high, kind, extra].map(u32::to_le_bytes).concat();
        base::plain::pod_read_unaligned(&bytes)
    });
    value.boxed()
}

/// A value of a kind for each object; occasionally of a different kind.
fn values_of(kind: Kind, count: usize) -> impl Strategy<Value = Vec<Value>> {
    let other = prop_oneof![values(Kind::Nothing), values(Kind::Truth), values(Kind::Number), wild()];
    let rest = prop_oneof![60 => values(kind), 1 => other];
    (values(kind), prop::collection::vec(rest, count - 1)).prop_map(|(first, rest)| [vec![first], rest].concat())
}

#[test]
fn kernels_set_variables_as_the_virtual_machine_does() {
    let check = |source: &str, rows: &[&[Value]]| check(source, rows, true);
    let numbers: &[&[Value]] = &[&[number(3.0)], &[number(-2.0)], &[number(f64::NAN)], &[Value::TRUE], &[number(0.0)]];
    check("!set n 5\n!set main Lambda(x, [ !set n n + x, !set n n * 2, n ]())", numbers);
    check("!set n 5\n!set m 1\n!set main Lambda(x, [ if x > 0 then !set n x else !set m n / x, n - m ]())", numbers);
    check("!set n 5\n!set f Lambda(a, a * n)\n!set main Lambda(x, [ !set n f(x), !set n f(n), f(1) ]())", numbers);
    check("!set n 5\n!set f Lambda(a, [ !set n a, n ]())\n!set main Lambda(x, f(x) + n + f(n + 1))", numbers);
    check("!set v vec(1, 2, 3)\n!set main Lambda(x, [ !set v v * x + vec(1, 0, x), v.z ]())", numbers);
    check("!set k \"a\"\n!set main Lambda(x, [ if x < 0 then !set k \"b\", if k = \"b\" then 1 else x ]())", numbers);
    check("!set b true\n!set main Lambda(x, [ !set b not b and x > 1, if b then x else 0 ]())", numbers);
    check("!set n 0\n!set main Lambda(x, kind(n))", numbers);
    check("!set n 0\n!set main Lambda(x, [ !set n -0 * x, 1 / (x - 3) ]())", numbers);
}

#[test]
fn random_functions_give_the_same_result_with_a_kernel() {
    let parameters =
        [("p", Kind::Number), ("q", Kind::Number), ("v", Kind::Vector), ("i", Kind::Identifier), ("t", Kind::Truth)];
    let variables =
        [("n", Kind::Number), ("w", Kind::Vector), ("k", Kind::String), ("b", Kind::Truth), ("h", Kind::Handle)];
    let strategy = (1..65_usize, prop::collection::vec(any::<u8>(), 10..160)).prop_flat_map(move |(count, choices)| {
        let columns = parameters.map(|(_, kind)| values_of(kind, count));
        let rows = variables.map(|(_, kind)| values_of(kind, count));
        (Just(choices), changes(), columns, rows)
    });
    let (with_kernel, without) = (Cell::new(0), Cell::new(0));
    let mut runner =
        TestRunner::new(ProptestConfig { cases: CASES, max_shrink_iters: 2000, ..ProptestConfig::default() });
    let result = runner.run(&strategy, |(choices, changes, columns, rows)| {
        let locals = parameters.iter().map(|(name, kind)| ((*name).to_string(), *kind)).collect();
        let mut writer = Writer { choices: &choices, names: 0, locals };
        let kinds =
            [Kind::Number, Kind::Number, Kind::Vector, Kind::Truth, Kind::Identifier, Kind::String, Kind::Handle];
        let kind = kinds[usize::from(writer.choose(7))];
        let body = writer.expression(kind);
        let prelude = "!set f Lambda(a, b, if a < b then a * 2 else b - a)\n!set g Lambda(a, b, f(a, f(b, a)) / b)";
        let source = format!("{prelude}\n!set main Lambda(p, q, v, i, t, {body})");
        let program = compiled(&source);
        let Some(program) = changed(program, &changes) else { return Ok(()) };
        let count = columns[0].len();
        let mut environments = vec![environment(&program); count];
        for ((name, _), row) in variables.iter().zip(&rows) {
            let variable = program.variable(name).expect("it was declared");
            environments.iter_mut().zip(row).for_each(|(environment, value)| environment.set(variable, *value));
        }
        match compare(&program, function(&program, "main"), &columns, &environments) {
            Ok(true) => with_kernel.set(with_kernel.get() + 1),
            Ok(false) => without.set(without.get() + 1),
            Err(error) => return Err(TestCaseError::fail(format!("{source}\n{error}"))),
        }
        Ok(())
    });
    result.unwrap();
    let counts = [with_kernel.get(), without.get()];
    assert!(counts[0] > 3 * counts[1], "too few cases ran as kernels: {counts:?}");
}

/// Mutations of instructions: three of four programs stay unchanged.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let some = prop::collection::vec((any::<prop::sample::Index>(), 0..5_u8, 0..45_u8), 1..4);
    prop_oneof![3 => Just(Vec::new()), 1 => some]
}

/// The program with mutated lambdas, if it still verifies: kernels must also match code that the compiler never emits.
fn changed(mut program: Program, changes: &[(prop::sample::Index, u8, u8)]) -> Option<Program> {
    for (place, field, with) in changes {
        let main = function(&program, "main") as usize;
        let code = &mut program.functions[main].code;
        let at = place.index(code.len());
        let small = with % 16;
        match field {
            0 => code[at].operation = *Operation::ALL.get(usize::from(*with))?,
            1 => code[at].a = small,
            2 => code[at].b = small,
            3 => code[at].c = small,
            _ => code[at].number = (*with).into(),
        }
    }
    program.verify().is_ok().then_some(program)
}

const CASES: u32 = 600;

#[test]
fn expensive_calls_whose_results_are_memoised_are_not_inlined() {
    let rows: &[&[Value]] = &[&[number(3.0)], &[number(-2.0)]];
    let worth = "Lambda(x, fold(range(16), 0, Lambda(a, i, a + x / (i + 1) * (if i % 4 = x then 2 else 1))))";
    check(&format!("!set worth Uncached {worth}\n!set main Lambda(x, worth(x) + 1)"), rows, true);
    check(&format!("!set worth Cached {worth}\n!set main Lambda(x, worth(x) + 1)"), rows, false);
    check(&format!("!set main Cached {worth}"), rows, true);
}
