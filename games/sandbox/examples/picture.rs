//! Draws a corner of the meadow: `cargo run --release -p astrarium-sandbox --example picture > meadow.svg`.

use astrarium::Content;
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::session::{Session, Start};
use astrarium::state::Settings;
use sandbox::{Level, Sandbox};

const CYCLES: u64 = 3000;
/// The side of the corner, in units of the world, and how large a unit is drawn.
const SIDE: f32 = 180.0;
const SCALE: f32 = 5.0;
const COLOURS: [&str; 3] = ["#e4572e", "#29b6c6", "#f3c13a"];

fn main() {
    let level = Level::named("meadow").expect("the sandbox has a meadow");
    let start = Start { level: level.name.into(), seed: 1, players: 2, settings: Settings::default() };
    let sandbox = std::sync::Arc::new(Sandbox::new(level));
    let mut session = Session::new(sandbox.clone(), Content::none(), &start, &Pages);
    let crew = ThreadPool::of_this_machine();
    for _ in 0..CYCLES {
        session.step(&crew);
    }
    let (world, parts) = (session.world(), &sandbox.parts);
    let edge = SIDE * SCALE;
    println!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {edge} {:.0}\">", edge * 0.5);
    println!("<rect width=\"100%\" height=\"100%\" fill=\"#10201a\"/>");
    for (_, plant) in parts.plants.iterate(world).filter(|(_, plant)| is_inside(plant.position.x, plant.position.y)) {
        let (x, y) = (plant.position.x * SCALE, plant.position.y * SCALE);
        println!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"#3f7d4e\"/>", 1.0 + plant.food * 4.0);
    }
    for (_, agent) in parts.agents.iterate(world).filter(|(_, agent)| is_inside(agent.position.x, agent.position.y)) {
        let (x, y) = (agent.position.x * SCALE, agent.position.y * SCALE);
        let (tail_x, tail_y) = (x - agent.velocity.x * 1.2, y - agent.velocity.y * 1.2);
        let colour = COLOURS[usize::from(agent.team)];
        let radius = 1.5 + agent.energy * 1.5;
        println!("<path d=\"M{tail_x:.1} {tail_y:.1}L{x:.1} {y:.1}\" stroke=\"{colour}\" stroke-opacity=\".55\"/>");
        println!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{colour}\"/>");
    }
    println!("</svg>");
}

fn is_inside(x: f32, y: f32) -> bool {
    x < SIDE && y < SIDE * 0.5
}
