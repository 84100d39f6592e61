//! The battle in Bevy, measured through pipes.
//!
//! First it says its minds and how they are told. Then a line asks and a line answers, until there are no more:
//! `MIND PLACES BUOYS CYCLES` goes on with that battle for so many cycles, and is answered with the nanoseconds of the wall and
//! of the processor, then with what happened since the last answer: hits and deaths; and with the ships there now and
//! the sum of their hulls, in thousandths. `end` forgets all battles. The words of a line are separated by tabs.

#[path = "../../src/battle/rules.rs"]
mod rules;

mod grid;
mod mind;
mod native;
#[cfg(any(feature = "lua54", feature = "luajit"))]
mod through;

#[cfg(feature = "luajit")]
mod direct;

mod field;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use cpu_time::ProcessTime;

use field::Field;

/// How many threads Bevy has beside the one that waits for them.
const THREADS: usize = 2;

fn main() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(THREADS).build());
    let mut fields: BTreeMap<(String, u32, u32), Field> = BTreeMap::new();
    let mut output = std::io::stdout().lock();
    let mut answer = |line: String| {
        writeln!(output, "{line}").and_then(|()| output.flush()).expect("somebody listens");
    };
    answer(minds());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines are text");
        if line == "end" {
            fields.clear();
            answer(line);
            continue;
        }
        let words: Vec<&str> = line.split('\t').collect();
        let [mind, places, buoys, cycles] = words[..] else { panic!("nobody understands {line:?}") };
        let [places, buoys, cycles] = [places, buoys, cycles].map(|number| number.parse().expect("a number"));
        let key = (mind.to_owned(), places, buoys);
        let field = fields.entry(key).or_insert_with(|| begin(mind, places, buoys));
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        for _ in 0..cycles {
            field.step();
        }
        let (wall, processor) = (wall.elapsed().as_nanos(), processor.elapsed().as_nanos());
        let seen = field.look();
        let mut words = vec![wall.to_string(), processor.to_string()];
        words.extend([seen.hits, seen.deaths, seen.ships].map(|count| count.to_string()));
        words.push(format!("{:.0}", seen.hull * 1000.0));
        answer(words.join("\t"));
    }
}

/// The minds of this program, and how they are told.
fn minds() -> String {
    #[cfg(not(any(feature = "lua54", feature = "luajit")))]
    return "native\tin Rust alone".to_owned();
    #[cfg(feature = "lua54")]
    return format!("through\t{}, mlua 0.12.2", through::version());
    #[cfg(feature = "luajit")]
    return format!("through\t{0}, mlua 0.12.2\tdirect\t{0}, pointers to components", through::version());
}

fn begin(mind: &str, places: u32, buoys: u32) -> Field {
    match mind {
        "native" => Field::new::<native::Native>(places, buoys),
        #[cfg(any(feature = "lua54", feature = "luajit"))]
        "through" => Field::new::<through::Through>(places, buoys),
        #[cfg(feature = "luajit")]
        "direct" => Field::new::<direct::Direct>(places, buoys),
        _ => panic!("there is no mind {mind:?}"),
    }
}
