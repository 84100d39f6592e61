//! Lua 5.4, LuaJIT or Luau, measured through pipes: they have the same names and cannot be linked into one program.
//!
//! The first line is its name and version. Then each request line gets a reply line, until the input ends: the reply to
//! `WAY SCENE START COUNT` is the processor time in nanoseconds and the bits of the sum, that to `parse` the nanoseconds
//! and the bytes read. The words of a line are separated by tabs.

mod scenes;

mod raw;
mod through;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use cpu_time::ThreadTime;
use mlua::Lua;

use scenes::load::{Battle, Bombardment, Damage, Idle, Mmog, RandomDamage, Scene, Unit};
use scenes::tags::{Language, files};
use scenes::{Loaded, Runner};

fn main() {
    let mut runners: BTreeMap<(String, String), Box<dyn Runner>> = BTreeMap::new();
    let mut output = std::io::stdout().lock();
    let mut answer = |line: String| {
        writeln!(output, "{line}").and_then(|()| output.flush()).expect("the parent process reads the pipe");
    };
    answer(version());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are UTF-8");
        let words: Vec<&str> = line.split('\t').collect();
        answer(match words[..] {
            ["parse"] => parse(),
            [way, scene, start, count] => {
                let key = (way.to_owned(), scene.to_owned());
                let runner = runners.entry(key).or_insert_with(|| find(way, scene));
                let [start, count] = [start, count].map(|number| number.parse().expect("a number of calls"));
                let (nanoseconds, sum) = timed(|| runner.run(start, count));
                format!("{nanoseconds}\t{}", sum.to_bits())
            }
            _ => panic!("unknown request {line:?}"),
        });
    }
}

/// The version of Lua.
fn version() -> String {
    let version = Lua::new().load("return jit and jit.version or _VERSION").eval();
    version.expect("every Lua version evaluates this")
}

fn find(way: &str, scene: &str) -> Box<dyn Runner> {
    macro_rules! scenes {
        ($($name:ty)*) => {
            $(if scene == <$name as Scene>::NAME {
                return match way {
                    "mlua" => Box::new(through::Through::<$name>(Loaded::new())),
                    "raw" => Box::new(raw::Raw::<$name>(Loaded::new())),
                    "inside" => Box::new(through::Inside::<$name>(Loaded::new())),
                    _ => panic!("unknown way of calling: {way:?}"),
                };
            })*
        };
    }
    scenes!(Damage RandomDamage Unit Idle Battle Mmog Bombardment);
    panic!("unknown scene {scene:?}")
}

/// Compiles the texts of many tags, each as a separate chunk.
fn parse() -> String {
    let lua = scenes::state();
    let texts = files(Language::Lua);
    let (nanoseconds, ()) = timed(|| {
        for text in &texts {
            lua.load(text).into_function().expect("Lua accepts the source");
        }
    });
    format!("{nanoseconds}\t{}", texts.iter().map(String::len).sum::<usize>())
}

fn timed<R>(work: impl FnOnce() -> R) -> (u128, R) {
    let start = ThreadTime::now();
    let result = std::hint::black_box(work());
    (start.elapsed().as_nanos(), result)
}
