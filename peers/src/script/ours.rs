//! Our contender. All use of our script engine is in this file.

use std::marker::PhantomData;
use std::time::Duration;

use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::{Callee, evaluate};
use script::library::Library;
use script::machine::{Limits, Nowhere, EvaluationContext, Scratch};
use script::parse::parse;
use script::program::Program;
use script::row::{Head, Row64, RowEdit};
use script::value::Value;

use super::contender::{Contender, source, timed};
use super::load::{Scene, Source};

/// The capacity of a worker's result cache.
const CACHE_ENTRIES: usize = 4096;

/// Our virtual machine with a scene.
pub struct Ours<S> {
    policy: Policy,
    library: Library,
    rows: Rows,
    scratch: Scratch,
    /// The variable of each handler.
    handlers: Vec<u32>,
    scene: PhantomData<S>,
}

impl<S: Scene> Ours<S> {
    /// A scene at its start, with a cache policy.
    pub fn new(policy: Policy) -> Ours<S> {
        let mut library = Library::new();
        let number = library.add(program(source!(S::SOURCE, "lscript")));
        prepare(&mut library, number);
        let program = library.get(number).expect("it was added");
        let variable = |name: &str| program.variable(name).unwrap_or_else(|| panic!("{}: no {name}", S::NAME));
        let mut scratch = Scratch::with_cache(Limits::default(), Cache::new(policy, CACHE_ENTRIES));
        let mut rows = Rows::new(S::OBJECTS.max(1), S::SOURCE);
        for object in 0..rows.heads.len() {
            rows.edit(object).begin(program, number, Value::NOTHING).expect("the row is long enough");
            for statement in &program.statements {
                let callee = Callee::Function(*statement);
                evaluate(place(program), rows.edit(object), callee, &[], &mut scratch).expect("our sources run");
            }
            for (index, name) in S::VARIABLES.iter().enumerate() {
                rows.edit(object).set(variable(name), Value::number(S::first(object, index)));
            }
        }
        let handlers = S::HANDLERS.iter().map(|(name, _)| variable(name)).collect();
        Ours { policy, library, rows, scratch, handlers, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Ours<S> {
    fn name(&self) -> String {
        match self.policy {
            Policy::Off => "ours without a cache",
            Policy::Paying => "ours",
            Policy::Forced => "ours with everything cached",
        }
        .to_owned()
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let Ours { library, rows, scratch, handlers, .. } = self;
        let program = library.get(0).expect("it was added");
        timed(|| {
            let mut sum = 0.0;
            for index in start..start + count {
                let call = S::call(index);
                let arguments = call.arguments.map(Value::number);
                let arguments = &arguments[..S::HANDLERS[call.handler].1];
                let callee = Callee::Variable(handlers[call.handler]);
                let result = evaluate(place(program), rows.edit(call.object), callee, arguments, scratch);
                sum += result.ok().and_then(Value::as_number).expect("our sources return numbers");
            }
            sum
        })
    }
}

/// Compiles the kernels of a program, as a game does after loading it.
fn prepare(library: &mut Library, number: u32) {
    let program = library.get(number).expect("it was added");
    let (mut row, mut scratch) = (Row64::default(), Scratch::new(Limits::default()));
    row.edit().begin(program, number, Value::NOTHING).expect("the row is long enough");
    for statement in &program.statements {
        let callee = Callee::Function(*statement);
        evaluate(place(program), row.edit(), callee, &[], &mut scratch).expect("our sources run");
    }
    library.specialise(number, row.view());
}

/// The rows of all objects, contiguous as in a world's block.
struct Rows {
    heads: Vec<Head>,
    values: Vec<Value>,
    length: usize,
}

impl Rows {
    fn new(count: usize, source: Source) -> Rows {
        // The smallest of the sizes of `Row16` and `Row64` that fits.
        let length = if source == Source::Object { 64 } else { 16 };
        Rows { heads: vec![Head::default(); count], values: vec![Value::NOTHING; count * length], length }
    }

    #[inline]
    fn edit(&mut self, object: usize) -> RowEdit<'_> {
        let start = object * self.length;
        RowEdit { head: &mut self.heads[object], values: &mut self.values[start..start + self.length] }
    }
}

#[inline]
fn place(program: &Program) -> EvaluationContext<'_> {
    EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 }
}

/// Parses a text and drops the result.
pub fn read(text: &str) {
    let tree = parse(text);
    assert!(tree.reports.is_empty(), "{:#?}", tree.reports.first());
    std::hint::black_box(tree);
}

/// Parses and compiles a text.
pub fn program(text: &str) -> Program {
    let tree = parse(text);
    assert!(tree.reports.is_empty(), "{:#?}", tree.reports.first());
    let (program, reports) = compile(text, &tree, &["this"]);
    assert!(reports.is_empty(), "{:#?}", reports.first());
    program
}
