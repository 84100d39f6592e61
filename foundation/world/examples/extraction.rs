//! How long presentation holds up a world: the extraction of a frame, and how many prediction cycles follow in a second.
//!
//! `cargo run --release -p astrarium-world --example extraction`. A brush cycle has 10 ms; publishing a frame may cost 3 % of it.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{SCENARIO, Scene};
use host::clock::Clock;
use host::thread_pool::ThreadPool;
use state::Workers;
use view::{Frame, Moment, PositionColumns};

const RUNS: u32 = 400;

const PLAIN: &str = "!set velocity vec(1, 2, 0)\n";
const BODIES: &str = "!set velocity vec(1, 2, 0)\n!set body { shape \"sphere\", radius 0.5 }\n";
const ANIMATED: &str = "!set velocity vec(1, 2, 0)\n!set speed 3\n!set OnUpdate Lambda(s, !set speed speed + s)\n\
    !set graph \"a.animation_graph\"\n";
const GRAPH: &str = "@animation_graph\n!set speed 0\n!set clips [{ name \"a\", animation \"a.animation\" }]\n\
    !set layers [{ name \"body\", weight Lambda(speed / 10),\n\
    states [{ name \"idle\", clip \"a\" }, { name \"walk\", clip \"a\", speed Lambda(speed) }],\n\
    transitions [{ name \"go\", from \"idle\", to \"walk\", when Lambda(speed > 1) },\n\
    { name \"stop\", from \"walk\", to \"idle\", when Lambda(speed < 1) }] }]\n";

fn main() {
    let heads = ["objects", "workers", "step µs", "extract µs", "median µs", "of 10 ms", "predictions/s"];
    println!("{:<10}{}", "", heads.map(|head| format!("{head:>14}")).concat());
    for (name, count, kind) in [
        ("plain", 250, PLAIN),
        ("plain", 8_000, PLAIN),
        ("plain", 10_000, PLAIN),
        ("bodies", 8_000, BODIES),
        ("still", 1_000, "!set velocity vec(1, 2, 0)\n!set speed 3\n!set OnUpdate Lambda(s, !set speed speed + s)\n"),
        ("animated", 1_000, ANIMATED),
    ] {
        let mut scene = scene(count, kind);
        scene.run(20);
        let clock = Clock::new();
        let began = clock.now();
        scene.run(20);
        let step = (clock.now() - began) as f64 / 1e3 / 20.0;
        for workers in [1, 2] {
            print!("{name:<10}{count:>14}{workers:>14}{step:>14.0}");
            measure(&scene, count, &ThreadPool::new(workers));
        }
    }
}

fn scene(count: u32, kind: &str) -> Scene {
    let level = format!(
        "@scenario\n!set objects_max {0}\n!set bodies_max {0}\n!set physics {{ gravity vec(0, 0, 0) }}\n\
         !set placements [{{ object \"a.object\", count {count}, spread vec(2000, 2000, 2000) }}]\n",
        count + 10
    );
    let object = format!("@object\n{kind}");
    let texts = [
        (SCENARIO, level.as_str()),
        ("a.object", object.as_str()),
        ("a.animation_graph", GRAPH),
        ("a.animation", "@animation\n!set duration 1\n!set loops true\n"),
    ];
    Scene::new(&[], &texts)
}

fn measure(scene: &Scene, count: u32, workers: &dyn Workers) {
    let (mut frame, moment) = (Frame::new(0), Moment { cycle_seconds: 0.01, speed: 1.0, ..Moment::default() });
    let clock = Clock::new();
    let extract = |_| {
        let began = clock.now();
        scene.rules.extract_with(&scene.world, &moment, &mut frame, workers);
        (clock.now() - began) as f64 / 1e3
    };
    let mut times: Vec<f64> = (0..RUNS).map(extract).collect();
    times.sort_by(f64::total_cmp);
    assert_eq!(frame.instances.len() as u32, count, "every object is shown");
    let mut columns = PositionColumns::default();
    columns.set_frame(&frame);
    let (began, mut cycles) = (clock.now(), 0_u64);
    while clock.now() - began < 200_000_000 {
        for cycle in 0..100_u16 {
            std::hint::black_box(columns.at(f32::from(cycle) * 0.0001));
        }
        cycles += 100;
    }
    let per_second = cycles as f64 * 1e9 / (clock.now() - began) as f64;
    let (least, median) = (times[0], times[times.len() / 2]);
    println!("{least:>14.1}{median:>14.1}{:>12.2} %{per_second:>14.0}", least / 100.0);
}
