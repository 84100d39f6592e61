//! Quality: the stability of towers, the height of bounces, tunnelling of fast shots.
//!
//! All contenders are judged here by the same criteria, from the positions and velocities of bodies.

use super::contender::Contender;
use super::scene::{BOUNCE_HEIGHT, BOUNCE_RADIUS, GRAVITY, Moving, SECONDS, SHOT_FROM, SHOT_TOUCHES, Scene};
use crate::measure::{Row, Times};

/// The duration of the tower scenes: twenty seconds, in steps.
const STEPS_OF_TOWER: usize = 1200;

/// The goals for the drift and the overlap of a tower of forty, in metres; and for the overlap of one with a heavy top.
const DRIFT_MAX: f64 = 0.005;
const OVERLAP_MAX: f64 = 0.015;
const HEAVY_OVERLAP_MAX: f64 = 0.03;

/// Towers with randomly displaced cubes.
const CROOKED: [(&str, u32); 2] = [("crooked 40 0.001", 1), ("crooked 40 0.005", 5)];

/// The bounce that is measured, and the allowed error of its height in percent.
const BOUNCES: usize = 14;
const HEIGHT_PERCENT_MAX: f64 = 0.2;

/// The steps that certainly suffice for it.
const STEPS_OF_BOUNCE: usize = 2400;

/// The observed duration of a shot, in steps, and the allowed error of its position, in metres.
const STEPS_OF_SHOT: usize = 12;
const ASTRAY_MAX: f64 = 0.1;

/// The speed of shots, in metres per second; the suffix of their scene, and its description.
const SHOTS: [(f32, &str, &str); 4] = [
    (50.0, "", ""),
    (400.0, "", ""),
    (1000.0, "", ", its limit of 400 m/s as it is"),
    (1000.0, " unlimited", ", without its limit of 400 m/s"),
];

/// Values below this count as zero, in any unit.
const NOTHING: f64 = 1e-6;

/// All rows.
pub fn compare(ours: &mut dyn Contender, peer: &mut dyn Contender) -> Vec<Row> {
    let name = peer.name();
    let mut watch =
        |scene: &str, steps: usize, every: usize| [ours.watch(scene, steps, every), peer.watch(scene, steps, every)];
    let mut rows = Vec::new();
    let tower = watch("tower 40 1", STEPS_OF_TOWER, STEPS_OF_TOWER).map(|watched| last(&watched));
    let drifts = tower.each_ref().map(|cubes| drift("tower 40 1", cubes));
    rows.extend(against("tower of 40 after 20 s: drift of its top, in metres", drifts, &name, DRIFT_MAX));
    let overlaps = tower.each_ref().map(|cubes| overlap(cubes));
    rows.extend(against("tower of 40 after 20 s: deepest overlap, in metres", overlaps, &name, OVERLAP_MAX));

    for (scene, millimetres) in CROOKED {
        let drifts = watch(scene, STEPS_OF_TOWER, STEPS_OF_TOWER).map(|watched| drift(scene, &last(&watched)));
        let what = format!("tower of 40, each up to {millimetres} mm aside, after 20 s: drift of its top, in metres");
        let [ours, theirs] = drifts.map(|drift| Times::known(drift.max(NOTHING)));
        rows.push(Row::new(&what, &ours, &theirs, &name));
    }

    let overlaps = watch("tower 10 100", STEPS_OF_TOWER, STEPS_OF_TOWER).map(|watched| overlap(&last(&watched)));
    let what = "tower of 10, its top 100 times as heavy, after 20 s: deepest overlap, in metres";
    rows.extend(against(what, overlaps, &name, HEAVY_OVERLAP_MAX));

    let heights = watch("bounce", STEPS_OF_BOUNCE, 1).map(|watched| bounce_height(&watched));
    eprintln!("bounce {BOUNCES} of {BOUNCE_HEIGHT} m: {:.4} m: ours; {:.4} m: {name}", heights[0], heights[1]);
    let errors = heights.map(|height| (height / f64::from(BOUNCE_HEIGHT) - 1.0).abs() * 100.0);
    let what = format!("bounce {BOUNCES} of a ball that gives all back: percent too high or too low");
    rows.extend(against(&what, errors, &name, HEIGHT_PERCENT_MAX));

    for (speed, limits, of_limits) in SHOTS {
        let scene = format!("shot {speed}{limits}");
        let shots = watch(&scene, STEPS_OF_SHOT, STEPS_OF_SHOT).map(|watched| last(&watched)[0]);
        let [ours, theirs] = shots.map(|shot| tell_shot(&shot));
        let what = format!("ball of 5 cm at {speed} m/s, wall of 2 cm, after 0.2 s: metres astray; {ours}");
        let astray = shots.map(|shot| astray(speed, &shot));
        // Our limit is the same in both cases, so the row with the goal appears once.
        let rows_of_speed = against(&what, astray, &format!("{name}{of_limits}: {theirs}"), ASTRAY_MAX);
        rows.extend(rows_of_speed.into_iter().take(if limits.is_empty() { 2 } else { 1 }));
    }
    rows
}

/// The final states of the moving bodies.
fn last(watched: &[Vec<Moving>]) -> Vec<Moving> {
    watched.last().cloned().unwrap_or_default()
}

/// Our value against theirs, and against the goal. Lower is better.
fn against(what: &str, values: [f64; 2], name: &str, most: f64) -> [Row; 2] {
    let [ours, theirs] = values.map(|value| Times::known(value.max(NOTHING)));
    [Row::new(what, &ours, &theirs, name), Row::new(what, &ours, &Times::known(most), "the goal").with_goal(1.0)]
}

/// The sideways drift of the top of a tower.
fn drift(scene: &str, cubes: &[Moving]) -> f64 {
    let placed = Scene::named(scene).and_then(|scene| scene.bodies.last().copied()).expect("a tower has a top");
    let [x, y, _] = cubes[cubes.len() - 1].position.map(f64::from);
    let [from_x, from_y, _] = placed.position.map(f64::from);
    (x - from_x).hypot(y - from_y)
}

/// The greatest overlap of two neighbouring cubes, or of the lowest cube with the ground.
fn overlap(cubes: &[Moving]) -> f64 {
    let heights = cubes.iter().map(|cube| f64::from(cube.position[2]));
    let below = std::iter::once(-0.5).chain(heights.clone());
    heights.zip(below).map(|(upper, lower)| 1.0 - (upper - lower)).fold(0.0, f64::max)
}

/// The height that the ball reaches after this many bounces: of its center, plus the height equivalent of its speed.
fn bounce_height(watched: &[Vec<Moving>]) -> f64 {
    let is_falling = |moment: &Vec<Moving>| moment[0].velocity[2] < 0.0;
    let mut tops = watched.windows(2).filter(|pair| !is_falling(&pair[0]) && is_falling(&pair[1]));
    let top = tops.nth(BOUNCES - 1).map_or(Moving::default(), |pair| pair[1][0]);
    let (height, speed) = (f64::from(top.position[2] - BOUNCE_RADIUS), f64::from(top.velocity[2]));
    height + speed * speed / (2.0 * f64::from(GRAVITY))
}

/// The outcome of a shot, for the table.
fn tell_shot(shot: &Moving) -> String {
    let speed = shot.velocity[0];
    match shot.position[0] {
        x if x.abs() < SHOT_TOUCHES * 0.9 => format!("caught in the wall, {speed:.1} m/s"),
        0.0.. => format!("through, {speed:.1} m/s"),
        _ if speed < -1.0 => format!("bounced, {speed:.1} m/s"),
        _ => format!("stopped, {speed:.1} m/s"),
    }
}

/// The error of its position: ideally it reaches the wall at once and returns at the same speed.
fn astray(speed: f32, shot: &Moving) -> f64 {
    let [speed, from, touches] = [speed, SHOT_FROM, SHOT_TOUCHES].map(f64::from);
    let until = (from - touches) / speed;
    let back = f64::from(SECONDS) * STEPS_OF_SHOT as f64 - until;
    let expected = if back < 0.0 { -touches + back * speed } else { -touches - back * speed };
    (f64::from(shot.position[0]) - expected).abs()
}
