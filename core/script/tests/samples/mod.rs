//! Sources that together use every operation, and their outcomes.

use script::compile::{begin, extend};
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::write::write;

use crate::world;

pub use world::QUERIES;

pub const SOURCES: &[&str] = &[
    "1 + 2 * 3 - 4 / 8",
    "let a = 7, b = a % 3 in if a < b or a = 7 and not (b >= 1) then -a else a - b / a * (a + b)",
    "!set hull 10\n!set hit Lambda(d, k, if k = #1 then d * 2 else if d > 3 then d - 1 else d)\nhull - hit(2, #1) - hit(5, #0)",
    "!set a vec(1, 2, 3)\n!set f Lambda(v, s, v * s + a - v / 2)\nf(a, 3).x + length(-a) + dot(a, cross(a, f(a, 1)))",
    "!set log []\n!set put Lambda(x, [ !set log join(log, [x]), !Log(\"put\", x), count(log) ])\nput(1)()\nput({ a 1, b \"t\" })()\nlog[#1].a",
    "!set add Lambda(a, Lambda(b, a + b))\nfold(map([1, 2, 3], add(10)), 0, Lambda(t, x, t + x))",
    "!set fact Lambda(n, if n < 2 then 1 else n * fact(n - 1))\nfact(10) + fact(nothing)",
    "!set damage Lambda(d, t, m, let base = d * 1.25 + 3 in let e = if t = 0 then base - m else if t = 1 then base * (1 - m / (m + 100)) else if t = 2 then base * 0.5 - m * 0.25 else base in let e = if e > 50 then e * 1.5 else e in clamp(e, 1, 999) * 0.9 + t * 0.1)\n[damage(90, 0, 3), damage(30, 1, 40), damage(10, 2, 8), damage(60, 3, 1)]",
    "let x = 3, y = 4 in [x = y, x <> y, x < y, x > y, x <= y, x >= y, if x <> y then 1, if x <= y then 2, if x >= y then 3, if x > y then 4, if x <> 3 then 5, if x <= 3 then 6, if x >= 3 then 7]",
    "let l = [3, 1, 2] in { sorted sort(l, Lambda(x, x)), near nearest(l, Lambda(x, abs(x - 2))), w with({ a 1 }, \"b\", l) }",
    "let t = not (1 < 2) in if t then #1 + #2 else identifier(2.5) - #7",
    "!set seen near(1, 4, { above 1 })\ncount(seen) + tally() + (if meets(1, 2) then 1 else 2) + (if next(1) = mark(2).point then 3 else 4)",
];

pub fn compiled(source: &str) -> Program {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = extend(begin(&["this"], &[], QUERIES), source, &tree);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    program
}

const LIMITS: Limits = Limits { fuel: 10_000, depth: 24, values: 512, effects: 16 };

/// Scratches with leftovers of earlier evaluations in their registers: nothing, numbers, lists.
pub fn scratches() -> Vec<Scratch> {
    ["", "123", "[1, 2]"]
        .into_iter()
        .map(|leftover| {
            let mut scratch = Scratch::new(LIMITS);
            if !leftover.is_empty() {
                let row = vec![leftover; 120].join(", ");
                let program = compiled(&format!("!set f Lambda(n, [{row}, f(n + 1)])\nf(0)"));
                outcome(&program, &mut scratch);
            }
            scratch
        })
        .collect()
}

/// The outcome of a program, as text: values, complaints, effects, variables.
pub fn outcome(program: &Program, scratch: &mut Scratch) -> String {
    let mut environment = Environment::new(program, 512);
    let mut text = String::new();
    for statement in &program.statements {
        let value = environment.evaluate(program, *statement, &[], scratch);
        let value = value.map(|value| write(value, program, scratch.region(), environment.kept()));
        let effects: Vec<String> = scratch
            .effects()
            .iter()
            .map(|effect| {
                format!("{}{}", effect.name, write(effect.arguments, program, scratch.region(), environment.kept()))
            })
            .collect();
        text += &format!("{value:?} {effects:?} {:?}\n", scratch.complaints());
    }
    for variable in 0..program.variables.len() as u32 {
        text += &format!("{} ", write(environment.get(variable), program, scratch.region(), environment.kept()));
    }
    text
}
