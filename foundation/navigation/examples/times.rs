//! Prints times: paths per second, a field that ten thousand agents ask, and the rebuild of one obstacle.
//!
//!     cargo run --release -p astrarium-navigation --example times
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it measures")]

use std::time::Instant;

use base::random::{Pcg, Random};
use base::{Vec2, Vec3};
use navigation::fields::{FieldSlot, FieldWork, Fields, FieldsEdit};
use navigation::ground::{self, ChangedBox};
use navigation::solids::{Solid, Solids};
use navigation::space::{Page, SpaceBuild};
use navigation::wave::Link;
use navigation::{
    Column, Geometry, Ground, GroundCell, GroundSettings, Lattice, Outcome, Search, Space, SpaceChunks, Span, Spans,
    Terrain,
};

const SIDE: u32 = 512;
const AGENTS: u32 = 10_000;

/// A floor with walls on some of its cells.
struct Squares {
    walls: Vec<bool>,
}

impl Geometry for Squares {
    fn spans(&mut self, column: &Column, spans: &mut Spans) {
        let at = (column.least + column.most) * 0.5;
        let is_wall = self.walls[(at.y as u32 * SIDE + at.x as u32) as usize];
        spans.add(Span { low: -1.0, high: if is_wall { 3.0 } else { 0.0 }, is_steep: false });
    }
}

fn main() {
    let mut random = Pcg::new(1, 1);
    let mut squares = Squares { walls: (0..SIDE * SIDE).map(|_| random.below(5) == 0).collect() };
    let lattice = Lattice::flat(Vec3::new(0.0, 0.0, -1.0), Vec3::new(SIDE as f32, SIDE as f32, 4.0), 1.0);
    let lattice = lattice.expect("512 cells along a side are few enough");
    let settings = GroundSettings { lattice, height: 2.0, step_max: 0.4, slope_max: 1.0, clearance_max: 4 };
    let mut cells = vec![GroundCell::default(); lattice.cells() as usize];
    let seconds = timed(|| ground::build(&settings, &mut cells, &mut squares));
    println!("ground of {SIDE} x {SIDE}, 20 % walls: built in {:.1} ms", seconds * 1e3);

    let mut search = Search::new(SIDE * SIDE);
    let mut place = || Vec3::new(random.below(SIDE) as f32 + 0.5, random.below(SIDE) as f32 + 0.5, 0.0);
    let pairs: Vec<[Vec3; 2]> = (0..500).map(|_| [place(), place()]).collect();
    let near: Vec<[Vec3; 2]> = pairs.iter().map(|[from, to]| [*from, *from + (*to - *from) * 0.125]).collect();
    for (what, pairs) in [("anywhere", &pairs), ("64 cells apart", &near)] {
        let (mut complete, mut nodes) = (0, 0);
        let seconds = timed(|| {
            for [from, to] in pairs {
                let way = search.find(&Ground::new(&settings, &cells), *from, *to, 1, u32::MAX);
                complete += u32::from(matches!(way.outcome, Outcome::Complete | Outcome::GoalBlocked));
                nodes += way.nodes;
            }
        });
        let count = pairs.len() as u32;
        println!(
            "paths {what}: {:.0} per second, {} nodes each, {complete} of {count} complete",
            f64::from(count) / seconds,
            nodes / count
        );
    }

    let changed_at = Vec2::new(256.0, 256.0);
    let changed = ChangedBox { least: changed_at.with_z(0.0), most: (changed_at + Vec2::splat(0.99)).with_z(3.0) };
    squares.walls[(256 * SIDE + 256) as usize] ^= true;
    let seconds = timed(|| {
        ground::rebuild(&settings, &mut cells, &changed, &mut squares);
    });
    println!("one wall changed: rebuilt in {:.1} us", seconds * 1e6);
    fields(&Ground::new(&settings, &cells), &mut place);
    space();
}

fn fields(ground: &Ground<'_>, place: &mut dyn FnMut() -> Vec3) {
    let cells = ground.lattice().cells() as usize;
    let (mut slots, mut costs) = (vec![FieldSlot::default(); 1], vec![0; cells * 2]);
    let (mut work, mut links) = (FieldWork::default(), vec![Link::default(); cells]);
    let goal = (0..lattice_middle(ground)).rev().find(|cell| ground.clearance(*cell) > 0).unwrap_or_default();
    let seconds = timed(|| {
        let mut edit = FieldsEdit { slots: &mut slots, work: &mut work, costs: &mut costs, links: &mut links };
        edit.clear();
        edit.ask(goal, 1, 1);
        while !edit.is_done() {
            edit.advance(ground, 16_384);
        }
    });
    println!("field of {cells} cells: computed in {:.1} ms", seconds * 1e3);
    let agents: Vec<Vec3> = (0..AGENTS).map(|_| place()).collect();
    let fields = Fields { slots: &slots, costs: &costs };
    let mut found = 0;
    let seconds = timed(|| {
        for agent in &agents {
            let cell = navigation::terrain::standing(ground, *agent, 1).map(|standing| standing.cell);
            found += u32::from(cell.is_some_and(|cell| fields.ahead(ground, cell, goal, 1).is_some()));
        }
    });
    println!("{AGENTS} agents asked it in {:.2} ms, {found} of them have a way", seconds * 1e3);
}

fn lattice_middle(terrain: &impl Terrain) -> u32 {
    let [width, depth, _] = terrain.lattice().size();
    terrain.lattice().number([width / 2, depth / 2, 0])
}

fn space() {
    let mut random = Pcg::new(2, 1);
    let lattice = Lattice::solid(Vec3::ZERO, Vec3::new(128.0, 128.0, 32.0), 1.0).expect("few enough cells");
    let settings = SpaceChunks::new(lattice, 3);
    let mut asteroids = Solids::new(Vec::new());
    for _ in 0..200 {
        let centre = Vec3::new(random.below(128) as f32, random.below(128) as f32, random.below(32) as f32);
        asteroids.edit().push(Solid::Ball { centre, radius: 1.0 + random.below(4) as f32 });
    }
    let (mut chunks, mut pages) = (vec![0; settings.count() as usize], vec![Page::default(); 1024]);
    let mut build = SpaceBuild::new(&settings);
    let seconds = timed(|| build.build(&settings, (&mut chunks, &mut pages), &mut asteroids));
    println!("space of 128 x 128 x 32 with 200 asteroids: built in {:.1} ms", seconds * 1e3);
    let (least, most) = asteroids.edit()[0].bounds();
    asteroids.edit().remove(0);
    let changed = ChangedBox { least, most };
    let seconds = timed(|| {
        build.rebuild(&settings, (&mut chunks, &mut pages), &changed, &mut asteroids);
    });
    println!("one asteroid gone: rebuilt in {:.1} us", seconds * 1e6);
    let mut search = Search::new(1 << 18);
    let mut place = || Vec3::new(random.below(128) as f32, random.below(128) as f32, random.below(32) as f32);
    let pairs: Vec<[Vec3; 2]> = (0..100).map(|_| [place(), place()]).collect();
    let mut nodes = 0;
    let seconds = timed(|| {
        for [from, to] in &pairs {
            nodes += search.find(&Space::new(&settings, &chunks, &pages), *from, *to, 2, u32::MAX).nodes;
        }
    });
    println!("paths in space: {:.0} per second, {} nodes each", 100.0 / seconds, nodes / 100);
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}
