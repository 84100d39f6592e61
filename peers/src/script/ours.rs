//! Our contender. All use of our script engine is in this file.

use std::marker::PhantomData;
use std::time::Duration;

use script::bake::{Baking, Shared, bake};
use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::{Callee, evaluate};
use script::library::Library;
use script::machine::{Limits, Nowhere, EvaluationContext, Scratch};
use script::parse::parse;
use script::program::Program;
use script::row::{Head, Row64, RowEdit, RowView};
use script::value::{Kind, Value};

use super::contender::{Contender, source, timed};
use super::load::{Scene, Source};

/// The capacity of a worker's result cache.
const CACHE_ENTRIES: usize = 4096;

/// Our virtual machine with a scene. As in a game, the source is a tag: its lambdas and lists are shared by all objects, which
/// have rows with their own numbers.
pub struct Ours<S> {
    policy: Policy,
    library: Library,
    rows: Rows,
    scratch: Scratch,
    /// The lambda of each handler.
    handlers: Vec<Value>,
    scene: PhantomData<S>,
}

impl<S: Scene> Ours<S> {
    /// A scene at its start, with a cache policy.
    pub fn new(policy: Policy) -> Ours<S> {
        let mut library = Library::new();
        let number = library.add(baked(&program(source!(S::SOURCE, "lscript")), S::VARIABLES));
        let program = library.get(number).expect("it was added");
        let mut rows = Rows::new(S::OBJECTS.max(1), S::SOURCE);
        for object in 0..rows.heads.len() {
            rows.edit(object).begin(program, number, Value::NOTHING).expect("the row is long enough");
            for (index, name) in S::VARIABLES.iter().enumerate() {
                let variable = program.variable(name).unwrap_or_else(|| panic!("{}: no {name}", S::NAME));
                rows.edit(object).set(variable, Value::number(S::first(object, index)));
            }
        }
        let handler = |(name, _): &(&str, usize)| program.baked((*name).into()).expect("the source sets it");
        let handlers = S::HANDLERS.iter().map(handler).collect();
        library.specialise(number, rows.edit(0).view());
        let scratch = Scratch::with_cache(Limits::default(), Cache::new(policy, CACHE_ENTRIES));
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
                let callee = Callee::Lambda(handlers[call.handler]);
                let result = evaluate(place(program), rows.edit(call.object), callee, arguments, scratch);
                sum += result.ok().and_then(Value::as_number).expect("our sources return numbers");
            }
            sum
        })
    }
}

/// The program of the objects of a tag: what no script sets becomes constant.
fn baked(program: &Program, state: &[&str]) -> Program {
    let (mut row, mut scratch) = (Row64::default(), Scratch::new(Limits::default()));
    row.edit().begin(program, 0, Value::NOTHING).expect("the row is long enough");
    for statement in &program.statements {
        let callee = Callee::Function(*statement);
        evaluate(place(program), row.edit(), callee, &[], &mut scratch).expect("our sources run");
    }
    let mut shared = Shared::new();
    let values = (0_u32..).zip(&program.variables).map(|(number, name)| (name, row.view().get(number)));
    let fields = values.map(|(name, value)| (name.clone(), share(row.view(), value, &mut shared))).collect();
    bake(program, Baking { first: &[], state, fields, shared })
}

/// Copies the parts of a value.
fn share(row: RowView<'_>, value: Value, shared: &mut Shared) -> Value {
    let parts: Vec<Value> = row.parts(value).iter().map(|part| share(row, *part, shared)).collect();
    match value.kind() {
        Kind::List => shared.list(&parts).expect("there is space"),
        Kind::Record => {
            let pairs = parts.as_chunks::<2>().0.iter();
            let fields: Vec<_> = pairs.map(|[name, value]| (name.as_string().unwrap_or_default(), *value)).collect();
            shared.record(&fields).expect("there is space")
        }
        _ => value,
    }
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
