//! rhai: objects are maps, functions are called with one as `this`. Compiled with all its optimisations.

use std::marker::PhantomData;
use std::time::Duration;

use ::rhai::{AST, CallFnOptions, Dynamic, Engine, FLOAT, Map, OptimizationLevel, Scope};

use super::contender::{Contender, source, timed};
use super::load::Scene;

/// rhai with a scene.
pub struct Rhai<S> {
    engine: Engine,
    tree: AST,
    objects: Vec<Dynamic>,
    scene: PhantomData<S>,
}

impl<S: Scene> Rhai<S> {
    /// A scene at its start.
    pub fn new() -> Rhai<S> {
        let mut engine = Engine::new();
        engine.set_optimization_level(OptimizationLevel::Full);
        let tree = engine.compile(source!(S::SOURCE, "rhai")).expect("rhai accepts the source");
        let object = |object| {
            let variables = S::VARIABLES.iter().enumerate();
            let map = variables.map(|(index, name)| ((*name).into(), S::first(object, index).into()));
            Dynamic::from_map(map.collect::<Map>())
        };
        Rhai { engine, tree, objects: (0..S::OBJECTS).map(object).collect(), scene: PhantomData }
    }
}

impl<S: Scene> Contender for Rhai<S> {
    fn name(&self) -> String {
        "rhai 1.27.0".to_owned()
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let Rhai { engine, tree, objects, .. } = self;
        let mut scope = Scope::new();
        timed(|| {
            let mut sum = 0.0;
            for index in start..start + count {
                let call = S::call(index);
                let (name, arguments) = S::HANDLERS[call.handler];
                let options = CallFnOptions::new().eval_ast(false);
                let options = match objects.get_mut(call.object) {
                    Some(object) => options.bind_this_ptr(object),
                    None => options,
                };
                let [a, b, c] = call.arguments;
                let result = match arguments {
                    0 => engine.call_fn_with_options::<FLOAT>(options, &mut scope, tree, name, ()),
                    1 => engine.call_fn_with_options::<FLOAT>(options, &mut scope, tree, name, (a,)),
                    2 => engine.call_fn_with_options::<FLOAT>(options, &mut scope, tree, name, (a, b)),
                    _ => engine.call_fn_with_options::<FLOAT>(options, &mut scope, tree, name, (a, b, c)),
                };
                sum += result.expect("rhai runs its source");
            }
            sum
        })
    }
}

/// Compiles a text.
pub fn compile(engine: &Engine, text: &str) {
    std::hint::black_box(engine.compile(text).expect("rhai accepts the source"));
}

/// An engine with default settings, but without depth limits.
pub fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.set_max_expr_depths(0, 0);
    engine
}
