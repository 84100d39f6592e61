//! The scenes of physics in rapier, measured through pipes.
//!
//! First it says what it is. Then a line asks and a line answers, until there are no more. The words of a line are
//! separated by tabs; the first is one of
//! - `play SCENE THREADS BEFORE STEPS`: so many steps that are not measured, then some that are. The answer: what can be told after
//!   the first and after the last (pairs, energy, height); of every step the nanoseconds of the processor and of the wall; and where
//!   those that move are in the end, how fast and how turned, ten numbers each.
//! - `watch SCENE STEPS EVERY`: the latter after every so many steps.
//! - `keep SCENE STEPS TURNS`: saves and restores what there is after so many steps. The answer: how many bytes it has, then of every
//!   turn the nanoseconds of saving to bytes, restoring from them, copying, and putting the copy back.
//! - `judge SCENE NUMBERS`: how many pairs touch if those that move are there, how deep they overlap on average, and at most.

#[path = "../../src/physics/scene.rs"]
#[expect(dead_code, reason = "what a scene should come to is judged by whoever asks")]
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
        writeln!(output, "{line}").and_then(|()| output.flush()).expect("somebody listens");
    };
    answer("rapier 0.36.1".to_owned());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("questions are text");
        let words: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| words[index].parse::<usize>().expect("a number was expected");
        let scene = Scene::named(words[1]).expect("there is such a scene");
        answer(match words[0] {
            "play" => play(Stage::new(&scene, number(2)), number(3), number(4)),
            "watch" => watch(Stage::new(&scene, 1), number(2), number(3)),
            "keep" => keep(Stage::new(&scene, 1), number(2), number(3)),
            "judge" => judge(&scene, &words[2..]),
            word => panic!("nobody asks for {word}"),
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
    let told = |Tally { pairs, energy, height }: Tally| format!("{pairs}\t{energy}\t{height}");
    let numbers = stage.bodies().iter().flat_map(Moving::numbers).collect();
    format!("{}\t{}\t{}\t{}", told(first), told(stage.tally()), join(times), join(numbers))
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
        let copied = copied.expect("it was just made");
        let expected = after_some_steps(&mut stage);
        let restore = timed(&mut || stage.restore(&bytes));
        assert_eq!(after_some_steps(&mut stage), expected, "what is restored goes on the same way");
        let put_back = timed(&mut || stage.put_back(&copied));
        assert_eq!(after_some_steps(&mut stage), expected, "what is put back goes on the same way");
        answer.extend([save, restore, copy, put_back]);
    }
    join(answer)
}

fn judge(scene: &Scene, words: &[&str]) -> String {
    let numbers: Vec<f32> = words.iter().map(|word| word.parse().expect("a number was expected")).collect();
    let Overlaps { touching, mean, deepest } = judge::judge(scene, &Moving::of_numbers(&numbers));
    format!("{touching}\t{mean}\t{deepest}")
}

/// Where everything is after a few steps.
fn after_some_steps(stage: &mut Stage) -> u64 {
    (0..3).for_each(|_| stage.step());
    Scene::hash(&stage.bodies())
}

fn join<T: Display>(numbers: Vec<T>) -> String {
    let words: Vec<String> = numbers.iter().map(T::to_string).collect();
    words.join("\t")
}
