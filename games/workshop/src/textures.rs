//! Textures that tile: panels of hulls, stone, ground and timber. They are grey, and materials colour them.

use astrarium::base::hash::mix;
use astrarium::base::number::{clamp, cos, floor, max, min, sin};

use crate::Product;
use crate::png;

const SIZE: usize = 256;
const TURN: f32 = core::f32::consts::TAU;

/// All textures.
pub fn all() -> Vec<Product> {
    vec![
        (String::from("skirmish/data/models/hull.png"), picture(hull)),
        (String::from("fleet/data/models/hull.png"), picture(hull)),
        (String::from("fleet/data/models/rock.png"), picture(stone)),
        (String::from("quarry/data/models/stone.png"), picture(stone)),
        (String::from("quarry/data/models/ground.png"), picture(ground)),
        (String::from("quarry/data/models/timber.png"), picture(timber)),
    ]
}

/// A grey picture of a function over the unit square.
fn picture(shade: fn(f32, f32) -> f32) -> Vec<u8> {
    let at = |index: usize| (index as f32 + 0.5) / SIZE as f32;
    let pixels: Vec<u8> = (0..SIZE * SIZE)
        .map(|index| (clamp(shade(at(index % SIZE), at(index / SIZE)), 0.0, 1.0) * 255.0) as u8)
        .collect();
    png::write(SIZE as u32, SIZE as u32, 1, &pixels)
}

/// A random number of a lattice point, from 0 to 1.
fn chance(x: i64, y: i64, seed: u64) -> f32 {
    (mix(mix(seed, x as u64), y as u64) >> 40) as f32 / (1 << 24) as f32
}

/// Noise that tiles after `cells` cells.
fn noise(u: f32, v: f32, cells: i64, seed: u64) -> f32 {
    let (x, y) = (u * cells as f32, v * cells as f32);
    let (left, top) = (floor(x), floor(y));
    let ease = |part: f32| part * part * (3.0 - 2.0 * part);
    let (a, b) = (ease(x - left), ease(y - top));
    let (left, top) = (left as i64, top as i64);
    let corner = |dx: i64, dy: i64| chance((left + dx).rem_euclid(cells), (top + dy).rem_euclid(cells), seed);
    let upper = corner(0, 0) * (1.0 - a) + corner(1, 0) * a;
    let lower = corner(0, 1) * (1.0 - a) + corner(1, 1) * a;
    upper * (1.0 - b) + lower * b
}

/// Several octaves of noise, from 0 to 1.
fn octaves(u: f32, v: f32, cells: i64, count: u32, seed: u64) -> f32 {
    let (mut sum, mut weight, mut total) = (0.0, 1.0, 0.0);
    for octave in 0..count {
        sum += noise(u, v, cells << octave, seed + u64::from(octave)) * weight;
        total += weight;
        weight *= 0.55;
    }
    sum / total
}

/// Panels with seams, rivets and wear.
fn hull(u: f32, v: f32) -> f32 {
    let rows = 4;
    let row = floor(v * rows as f32);
    let columns = if chance(row as i64, 1, 5) < 0.5 { 3.0 } else { 2.0 };
    let shift = chance(row as i64, 2, 5);
    let along = (u + shift) * columns;
    let column = floor(along).rem_euclid(columns);
    let (x, y) = (along - floor(along), v * rows as f32 - row);
    let edge = min(min(x, 1.0 - x) / columns, min(y, 1.0 - y) / rows as f32);
    let panel = 0.82 + 0.16 * chance(column as i64, row as i64, 17);
    let seam = clamp(edge * SIZE as f32 / 2.2, 0.0, 1.0);
    let inner =
        if (edge * SIZE as f32 - 6.0).abs() < 0.8 && chance(column as i64, row as i64, 3) < 0.5 { 0.9 } else { 1.0 };
    let wear = 0.92 + 0.08 * octaves(u, v, 8, 4, 40);
    let streak = 0.95 + 0.05 * noise(u, v * 0.25, 64, 77);
    panel * (0.45 + 0.55 * seam) * inner * wear * streak
}

/// Stone with grain and dark veins.
fn stone(u: f32, v: f32) -> f32 {
    let grain = octaves(u, v, 6, 6, 3);
    let vein = 1.0 - clamp((octaves(u, v, 4, 4, 91) - 0.5).abs() * 14.0, 0.0, 1.0);
    0.55 + 0.5 * grain - 0.28 * vein
}

/// Gravel and tracks.
fn ground(u: f32, v: f32) -> f32 {
    let gravel = octaves(u, v, 16, 5, 23);
    let patches = octaves(u, v, 3, 3, 57);
    let pebble = max(noise(u, v, 96, 9) - 0.78, 0.0) * 1.6;
    0.42 + 0.36 * gravel + 0.28 * patches + pebble * 0.4
}

/// Boards with grain along u.
fn timber(u: f32, v: f32) -> f32 {
    let boards = 4.0;
    let board = floor(v * boards);
    let y = v * boards - board;
    let rings = sin((octaves(u, v, 4, 3, 31) * 5.0 + y * 2.0 + chance(board as i64, 0, 2)) * TURN);
    let fibre = octaves(u * 0.25, v, 64, 2, 8);
    let seam = clamp(min(y, 1.0 - y) * SIZE as f32 / boards / 2.0, 0.0, 1.0);
    (0.70 + 0.10 * rings + 0.25 * fibre + 0.06 * cos(chance(board as i64, 1, 2) * TURN)) * (0.35 + 0.65 * seam)
}
