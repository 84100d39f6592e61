//! Readers of LScript: text, and bytecode.

use script::binary;
use script::check::{Setting, check};
use script::compile::{begin, extend};
use script::effect::EFFECTS;
use script::environment::Environment;
use script::format::format;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::statement_run::StatementRun;
use world::{effects, queries};

use super::{Reader, Shape, no_seal, noise, numbered, repeated, text};

const LIMITS: Limits = Limits { fuel: 20_000, depth: 64, values: 1 << 14, effects: 1000 };

const SHAPES: &[Shape] = &[
    ("sets", |bytes| numbered(bytes, "", "!set v# #\n", "")),
    ("sets of lists", |bytes| numbered(bytes, "", "!set v# [#, 2]\n", "")),
    ("sets of the same", |bytes| repeated(bytes, "!set a [1, 2, 3]\n", "!set b a\n", "")),
    ("lambdas", |bytes| numbered(bytes, "", "!set f# Lambda(a, b, if a > b then f#(b, a) else a + #)\n", "")),
    ("lambdas in a row", |bytes| {
        numbered(bytes, "!set f0 Lambda(a, a)\n", "!set g# Lambda(a, g#(f0(a)) + g0(a))\n", "")
    }),
    ("lambdas that all call all", all_call_all),
    ("unknown names", |bytes| numbered(bytes, "", "x# + y#(z#)\n", "")),
    ("errors", |bytes| repeated(bytes, "", "!set ) ] }\n", "")),
    ("open brackets", |bytes| repeated(bytes, "", "[", "")),
    ("open braces", |bytes| repeated(bytes, "!set a ", "{ a ", "")),
    ("nested conditions", |bytes| repeated(bytes, "!set a ", "if a then b else ", "c")),
    ("a long list", |bytes| numbered(bytes, "!set a [0", ", #", "]\n")),
    ("a long record", |bytes| numbered(bytes, "!set a { a 0", ", a# #", "}\n")),
    ("a long sum", |bytes| repeated(bytes, "!set a 1", " + 1", "\n")),
    ("a long string", |bytes| repeated(bytes, "!set a \"", "ab ", "\"\n")),
    ("comments", |bytes| repeated(bytes, "", "// a\n", "")),
    ("spaces", |bytes| repeated(bytes, "!set a", "  \t", "1\n")),
    ("a long name", |bytes| repeated(bytes, "!set ", "abc", " 1\n")),
    ("effects", |bytes| repeated(bytes, "", "!After(10, [ !Log(1) ])\n", "")),
    ("noise", noise),
];

/// `n` lambdas with `n` calls each.
fn all_call_all(bytes: usize) -> Vec<u8> {
    let count = (1..).take_while(|count| count * (count * 9 + 30) < bytes).last().unwrap_or(1);
    let calls: Vec<String> = (0..count).map(|number| format!("x{number}(a)")).collect();
    let calls = calls.join(", ");
    (0..count).map(|number| format!("!set x{number} Lambda(a, [{calls}])\n")).collect::<String>().into_bytes()
}

pub const READERS: &[Reader] = &[
    Reader { name: "script-parse", read: read_parse, seeds, shapes: SHAPES, seal: no_seal, heap_per_byte: 100 },
    Reader { name: "script-format", read: read_format, seeds, shapes: SHAPES, seal: no_seal, heap_per_byte: 150 },
    Reader { name: "script-check", read: read_check, seeds, shapes: SHAPES, seal: no_seal, heap_per_byte: 500 },
    Reader { name: "script-run", read: read_run, seeds, shapes: SHAPES, seal: no_seal, heap_per_byte: 400 },
    Reader {
        name: "bytecode",
        read: read_bytecode,
        seeds: || seeds().iter().map(|seed| binary::encode(&compiled(&text(seed)))).collect(),
        shapes: &[
            ("sets", |bytes| encoded(&numbered(bytes / 4, "", "!set v# #\n", ""))),
            ("lambdas", |bytes| {
                encoded(&numbered(bytes / 4, "", "!set f# Lambda(a, b, if a > b then f#(b, a) else a + #)\n", ""))
            }),
            ("strings", |bytes| encoded(&numbered(bytes / 4, "!set a [0", ", \"name #\"", "]\n"))),
            ("noise behind a head", |bytes| {
                let mut made = encoded(b"!set a 1\n");
                made.extend(noise(bytes));
                seal_bytecode(&mut made);
                made
            }),
        ],
        seal: seal_bytecode,
        heap_per_byte: 100,
    },
];

fn seal_bytecode(bytes: &mut [u8]) {
    binary::seal(bytes);
}

fn encoded(source: &[u8]) -> Vec<u8> {
    binary::encode(&compiled(&text(source)))
}

fn compiled(source: &str) -> Program {
    extend(begin(&["this"], &[], &queries::SIGNATURES), source, &parse(source)).0
}

fn read_parse(bytes: &[u8]) {
    drop(parse(&text(bytes)));
}

fn read_format(bytes: &[u8]) {
    let source = text(bytes);
    let tree = parse(&source);
    if let Ok(formatted) = format(&source, &tree) {
        // Once more changes nothing; only for small inputs, since it is the same work again.
        if bytes.len() < 4096 {
            assert_eq!(format(&formatted, &parse(&formatted)).as_deref(), Ok(&*formatted));
        }
    }
}

fn read_check(bytes: &[u8]) {
    let source = text(bytes);
    let tree = parse(&source);
    let effects = [EFFECTS, &effects::SIGNATURES];
    let setting = Setting { effects: &effects, queries: &queries::SIGNATURES, ..Setting::default() };
    drop(check(&source, &tree, &setting));
}

fn read_run(bytes: &[u8]) {
    run(&compiled(&text(bytes)));
}

fn run(program: &Program) {
    let mut environment = Environment::new(program, 1 << 12);
    let mut scratch = Scratch::new(LIMITS);
    let mut run = StatementRun::new(program, &mut environment, &mut scratch, 20 * LIMITS.fuel);
    for statement in &program.statements {
        let _ = run.evaluate(*statement);
    }
}

fn read_bytecode(bytes: &[u8]) {
    if let Ok(program) = binary::decode(bytes, &queries::SIGNATURES) {
        run(&program);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    [
        "@ship\n!set mass 1200 // kg\n!set weapons [{ marker \"nose\", power 3 }, { marker \"tail\" }]\n!set f Cached Lambda(a, kind, if kind = \"emp\" then a * 2 else a)\nf(2, \"emp\")\n",
        "!set fact Lambda(n, if n < 2 then 1 else n * fact(n - 1))\nfact(10)\n!set names map(range(4), Lambda(x, \"a\"))\nsum(range(9)) + names.0\n",
        "!set OnStart [ !After(100, [ !Log(\"now\"), !set hull 3 ]), !Every(10, [ !Log(~this) ]) ]\nfold([1, 2, 3], 0, Lambda(a, b, a + b))\nsort([3, 1], Lambda(x, -x))\n",
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .to_vec()
}
