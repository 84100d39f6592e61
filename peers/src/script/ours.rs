//! Ours. All that knows how scripts are run is here.

use std::marker::PhantomData;
use std::time::Duration;

use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::value::Value;

use super::contender::{Contender, source, timed};
use super::load::Scene;

/// How many values of lists and records an object may keep.
const KEPT_MAX: usize = 32;

/// Our machine with a scene.
pub struct Ours<S> {
    program: Program,
    environments: Vec<Environment>,
    scratch: Scratch,
    /// The variable of each handler.
    handlers: Vec<u32>,
    scene: PhantomData<S>,
}

impl<S: Scene> Ours<S> {
    /// A scene at its beginning.
    pub fn new() -> Ours<S> {
        let program = program(source!(S::SOURCE, "lscript"));
        let number = |name: &str| program.variable(name).unwrap_or_else(|| panic!("{}: {name} is not there", S::NAME));
        let mut scratch = Scratch::new(Limits::default());
        let mut first = Environment::new(&program, KEPT_MAX);
        for statement in &program.statements {
            first.evaluate(&program, *statement, &[], &mut scratch).expect("our sources run");
        }
        let mut environments = vec![first; S::OBJECTS.max(1)];
        for (object, environment) in environments.iter_mut().enumerate() {
            for (index, name) in S::VARIABLES.iter().enumerate() {
                environment.set(number(name), Value::number(S::first(object, index)));
            }
        }
        let handlers = S::HANDLERS.iter().map(|(name, _)| number(name)).collect();
        Ours { program, environments, scratch, handlers, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Ours<S> {
    fn name(&self) -> String {
        "ours".to_owned()
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let Ours { program, environments, scratch, handlers, .. } = self;
        timed(|| {
            let mut sum = 0.0;
            for index in start..start + count {
                let call = S::call(index);
                let arguments = call.arguments.map(Value::number);
                let arguments = &arguments[..S::HANDLERS[call.handler].1];
                let result = environments[call.object].call(program, handlers[call.handler], arguments, scratch);
                sum += result.ok().and_then(Value::as_number).expect("our sources give numbers");
            }
            sum
        })
    }
}

/// Reads a text and does nothing with it.
pub fn read(text: &str) {
    let tree = parse(text);
    assert!(tree.reports.is_empty(), "{:#?}", tree.reports.first());
    std::hint::black_box(tree);
}

/// Reads and compiles a text.
pub fn program(text: &str) -> Program {
    let tree = parse(text);
    assert!(tree.reports.is_empty(), "{:#?}", tree.reports.first());
    let (program, reports) = compile(text, &tree, &["this"]);
    assert!(reports.is_empty(), "{:#?}", reports.first());
    program
}
