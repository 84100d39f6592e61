//! The battle in Bevy, measured through pipes.
//!
//! The first line lists its AI back ends with their display names. Then each request line gets a reply line, until the
//! input ends: `MIND PLACES BUOYS CYCLES` continues that battle for this many cycles; the reply has the wall and processor times in
//! nanoseconds, the hits and deaths since the last reply, the number of ships and the sum of their hull values in thousandths.
//! `end` drops all battles. The words of a line are separated by tabs.

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

/// The number of Bevy's threads besides the main one.
const THREADS: usize = 2;

fn main() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(THREADS).build());
    let mut fields: BTreeMap<(String, u32, u32), Field> = BTreeMap::new();
    let mut output = std::io::stdout().lock();
    let mut answer = |line: String| {
        writeln!(output, "{line}").and_then(|()| output.flush()).expect("the parent process reads the pipe");
    };
    answer(minds());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are UTF-8");
        if line == "end" {
            fields.clear();
            answer(line);
            continue;
        }
        let words: Vec<&str> = line.split('\t').collect();
        let [mind, places, buoys, cycles] = words[..] else { panic!("unknown request {line:?}") };
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

/// The AI back ends of this program, with their display names.
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
