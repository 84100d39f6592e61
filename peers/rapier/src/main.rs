//! The scenes of physics in rapier, measured through pipes.
//!
//! The first line is its name and version. Then each request line gets a reply line, until the input ends. The words of a line
//! are separated by tabs; the first is one of
//! - `play SCENE THREADS BEFORE STEPS`: runs some unmeasured steps, then some measured ones. The reply: pairs, energy and height
//!   before the first measured step and after the last; processor and wall time of every step in nanoseconds; and the position,
//!   velocity and rotation of each moving body at the end, ten numbers each.
//! - `watch SCENE STEPS EVERY`: those ten numbers of each moving body at this interval.
//! - `keep SCENE STEPS TURNS`: saves and restores the world after some steps. The reply: the size in bytes, then for every turn
//!   the nanoseconds of saving to bytes, restoring from them, cloning, and restoring the clone.
//! - `judge SCENE NUMBERS`: the number of touching pairs with the moving bodies in these poses, and their mean and greatest
//!   penetration.

#[path = "../../src/physics/scene.rs"]
#[expect(dead_code, reason = "the parent process checks the outcome of a scene")]
mod scene;

mod judge;
mod stage;

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::time::Instant;

use cpu_time::ProcessTime;

use scene::{Moving, Overlaps, Scene, Tally};
use stage::Stage;

fn main() {
    let mut output = std::io::stdout().lock();
    let mut answer = |line: String| {
        writeln!(output, "{line}").and_then(|()| output.flush()).expect("the parent process reads the pipe");
    };
    answer("rapier 0.36.1".to_owned());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are UTF-8");
        let words: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| words[index].parse::<usize>().expect("a number was expected");
        let scene = Scene::named(words[1]).expect("the scene exists");
        answer(match words[0] {
            "play" => play(Stage::new(&scene, number(2)), number(3), number(4)),
            "watch" => watch(Stage::new(&scene, 1), number(2), number(3)),
            "keep" => keep(Stage::new(&scene, 1), number(2), number(3)),
            "judge" => judge(&scene, &words[2..]),
            word => panic!("unknown request {word}"),
        });
    }
}

fn play(mut stage: Stage, before: usize, steps: usize) -> String {
    (0..before).for_each(|_| stage.step());
    let first = stage.tally();
    let mut times = Vec::with_capacity(steps * 2);
    for _ in 0..steps {
        let (processor, wall) = (ProcessTime::now(), Instant::now());
        stage.step();
        times.extend([processor.elapsed().as_nanos(), wall.elapsed().as_nanos()]);
    }
    let write = |Tally { pairs, energy, height }: Tally| format!("{pairs}\t{energy}\t{height}");
    let numbers = stage.bodies().iter().flat_map(Moving::numbers).collect();
    format!("{}\t{}\t{}\t{}", write(first), write(stage.tally()), join(times), join(numbers))
}

fn watch(mut stage: Stage, steps: usize, every: usize) -> String {
    let mut numbers = Vec::new();
    for step in 1..=steps {
        stage.step();
        if step % every == 0 {
            numbers.extend(stage.bodies().iter().flat_map(Moving::numbers));
        }
    }
    join(numbers)
}

fn keep(mut stage: Stage, steps: usize, turns: usize) -> String {
    (0..steps).for_each(|_| stage.step());
    let mut answer = vec![stage.save().len() as u128];
    for _ in 0..turns {
        let timed = |work: &mut dyn FnMut()| {
            let start = ProcessTime::now();
            work();
            start.elapsed().as_nanos()
        };
        let mut bytes = Vec::new();
        let save = timed(&mut || bytes = stage.save());
        let mut copied = None;
        let copy = timed(&mut || copied = Some(stage.copy()));
        let copied = copied.expect("the bytes were just written");
        let expected = after_some_steps(&mut stage);
        let restore = timed(&mut || stage.restore(&bytes));
        assert_eq!(after_some_steps(&mut stage), expected, "a restored world continues identically");
        let put_back = timed(&mut || stage.put_back(&copied));
        assert_eq!(after_some_steps(&mut stage), expected, "a restored clone continues identically");
        answer.extend([save, restore, copy, put_back]);
    }
    join(answer)
}

fn judge(scene: &Scene, words: &[&str]) -> String {
    let numbers: Vec<f32> = words.iter().map(|word| word.parse().expect("a number was expected")).collect();
    let Overlaps { touching, mean, deepest } = judge::judge(scene, &Moving::of_numbers(&numbers));
    format!("{touching}\t{mean}\t{deepest}")
}

/// The poses after a few steps.
fn after_some_steps(stage: &mut Stage) -> u64 {
    (0..3).for_each(|_| stage.step());
    Scene::hash(&stage.bodies())
}

fn join<T: Display>(numbers: Vec<T>) -> String {
    let words: Vec<String> = numbers.iter().map(T::to_string).collect();
    words.join("\t")
}
