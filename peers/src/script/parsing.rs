//! Parsing: our parser and compiler against other compilers, and against a JSON parser.
//!
//! Every contender reads the same ships from the same number of files in its own language: ours, Lua and rhai the same
//! number of statements, JSON the same values. Texts are in memory before the measurement, which includes dropping the result.

use super::Luas;
use super::contender::timed;
use super::tags::{FILES, Language, files};
use super::{ours, rhai};
use crate::measure::{Row, Times};

const ROUNDS: u32 = 20;
/// The goal: at least 100 MB per second.
const GOAL_BYTES_PER_MICROSECOND: f64 = 100.0;

/// All rows.
pub fn run(luas: &Luas) -> Vec<Row> {
    let [texts, rhai_texts, json_texts] = [Language::LScript, Language::Rhai, Language::Json].map(files);
    let bytes: usize = texts.iter().map(String::len).sum();
    let engine = rhai::engine();
    let [mut read, mut compiled, mut json, mut rhai_compiled] = [(); 4].map(|()| Times::default());
    let mut lua_times = vec![Times::default(); luas.len()];
    for _ in 0..ROUNDS {
        read.add(each(&texts, ours::read));
        compiled.add(each(&texts, |text| drop(std::hint::black_box(ours::program(text)))));
        json.add(each(&json_texts, |text| {
            let value: serde_json::Value = serde_json::from_str(text).expect("serde_json accepts the text");
            drop(std::hint::black_box(value));
        }));
        for (lua, times) in luas.iter().zip(&mut lua_times) {
            times.add(lua.borrow_mut().parse());
        }
        rhai_compiled.add(each(&rhai_texts, |text| rhai::compile(&engine, text)));
    }
    let what = |verb: &str| format!("{verb} {FILES} files, {:.2} MB", bytes as f64 / 1e6);
    let goal = Times::known(bytes as f64 / GOAL_BYTES_PER_MICROSECOND);
    let mut rows = vec![
        Row::new(what("parse"), &read, &goal, "the goal: 100 MB/s").with_goal(1.0),
        Row::new(what("parse"), &read, &json, "serde_json 1.0.154, as JSON"),
        Row::new(what("parse and compile"), &compiled, &rhai_compiled, "rhai 1.27.0"),
    ];
    for (lua, times) in luas.iter().zip(&lua_times) {
        rows.push(Row::new(what("parse and compile"), &compiled, times, lua.borrow().name()));
    }
    rows
}

fn each(texts: &[String], work: impl Fn(&str)) -> std::time::Duration {
    timed(|| texts.iter().for_each(|text| work(text))).0
}
