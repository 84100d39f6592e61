//! Steel, a Scheme: objects are vectors, its fastest data structure.

use std::marker::PhantomData;
use std::time::Duration;

use ::steel::SteelVal;
use ::steel::steel_vm::engine::Engine;

use super::contender::{Contender, source, timed};
use super::load::Scene;

/// Steel with a scene.
pub struct Steel<S> {
    engine: Engine,
    handlers: Vec<SteelVal>,
    objects: Vec<SteelVal>,
    scene: PhantomData<S>,
}

impl<S: Scene> Steel<S> {
    /// A scene at its start.
    pub fn new() -> Steel<S> {
        let mut engine = Engine::new();
        engine.run(source!(S::SOURCE, "scm")).expect("Steel accepts the source");
        let handlers =
            S::HANDLERS.iter().map(|(name, _)| engine.extract_value(name).expect("the function is defined")).collect();
        let names = S::VARIABLES.join(" ");
        engine.run(format!("(define (object-of {names}) (vector {names}))")).expect("Steel accepts the definition");
        let make = engine.extract_value("object-of").expect("the function is defined");
        let objects = (0..S::OBJECTS).map(|object| {
            let numbers = (0..S::VARIABLES.len()).map(|index| SteelVal::NumV(S::first(object, index))).collect();
            engine.call_function_with_args(make.clone(), numbers).expect("the constructor accepts numbers")
        });
        let objects = objects.collect();
        Steel { engine, handlers, objects, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Steel<S> {
    fn name(&self) -> String {
        "steel-core 0.8.3".to_owned()
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let Steel { engine, handlers, objects, .. } = self;
        timed(|| {
            let mut sum = 0.0;
            for index in start..start + count {
                let call = S::call(index);
                let count = S::HANDLERS[call.handler].1;
                let [a, b, c] = call.arguments.map(SteelVal::NumV);
                let handler = handlers[call.handler].clone();
                let result = match objects.get(call.object).cloned() {
                    Some(object) => {
                        let mut arguments = [object, a, b, c];
                        engine.call_function_with_args_from_mut_slice(handler, &mut arguments[..=count])
                    }
                    None => engine.call_function_with_args_from_mut_slice(handler, &mut [a, b, c][..count]),
                };
                sum += match result.expect("Steel runs its source") {
                    SteelVal::NumV(number) => number,
                    other => panic!("{} returned {other}", S::NAME),
                };
            }
            sum
        })
    }
}
