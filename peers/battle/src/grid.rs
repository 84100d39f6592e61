//! Nearest-neighbour search: a uniform grid over the field, rebuilt in every cycle by counting sort.

use bevy_ecs::prelude::{Entity, Resource};
use bevy_math::Vec3;

use crate::rules::field_side;

/// How far ships may leave the field, in metres.
const MARGIN: f32 = 300.0;

/// The side of a cell, in metres.
const CELL: f32 = 70.0;

/// All ships, sorted by cell.
#[derive(Resource, Default)]
pub struct Grid {
    /// Cells per side.
    side: usize,
    /// The start of each cell in `ships`, and the end of the last one.
    begins: Vec<u32>,
    ships: Vec<Found>,
    /// Ships in input order, with their cells.
    given: Vec<(u32, Found)>,
}

/// One ship.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its entity.
    pub ship: Entity,
    /// Its team.
    pub team: u8,
    /// Its position.
    pub position: Vec3,
}

impl Grid {
    /// A grid over a field with this many places.
    pub fn new(places: u32) -> Grid {
        Grid { side: ((field_side(places) + 2.0 * MARGIN) / CELL).ceil() as usize + 1, ..Grid::default() }
    }

    /// Rebuilds the grid from the current ships.
    pub fn fill(&mut self, ships: impl Iterator<Item = Found>) {
        self.begins.clear();
        self.begins.resize(self.side * self.side + 1, 0);
        self.given.clear();
        for found in ships {
            let [column, row] = self.cell(found.position);
            let cell = row * self.side + column;
            self.begins[cell] += 1;
            self.given.push((cell as u32, found));
        }
        let mut end = 0;
        for begin in &mut self.begins {
            end += *begin;
            *begin = end;
        }
        let Some(&(_, any)) = self.given.first() else { return self.ships.clear() };
        self.ships.resize(self.given.len(), any);
        for &(cell, found) in &self.given {
            let begin = &mut self.begins[cell as usize];
            *begin -= 1;
            self.ships[*begin as usize] = found;
        }
    }

    /// The nearest ship of another team within a radius.
    pub fn nearest_enemy(&self, centre: Vec3, radius: f32, team: u8) -> Option<Entity> {
        let [column, row] = self.cell(centre);
        let mut nearest = None;
        let mut nearest_squared = radius * radius;
        let rings = (radius / CELL).ceil() as usize;
        for ring in 0..=rings {
            // Ships in this ring are at least this far away.
            let least = ring.saturating_sub(1) as f32 * CELL;
            if least * least > nearest_squared {
                break;
            }
            let (bottom, top) = (row.saturating_sub(ring), (row + ring).min(self.side - 1));
            let (left, right) = (column.saturating_sub(ring), (column + ring).min(self.side - 1));
            for at in bottom..=top {
                let is_edge = at + ring == row || at == row + ring;
                let mut look = |from: usize, to: usize| {
                    let first = self.begins[at * self.side + from] as usize;
                    let end = self.begins[at * self.side + to + 1] as usize;
                    for found in &self.ships[first..end] {
                        let squared = found.position.distance_squared(centre);
                        if found.team != team && squared < nearest_squared {
                            (nearest, nearest_squared) = (Some(found.ship), squared);
                        }
                    }
                };
                if is_edge {
                    look(left, right);
                } else {
                    if left + ring == column {
                        look(left, left);
                    }
                    if right == column + ring {
                        look(right, right);
                    }
                }
            }
        }
        nearest
    }

    /// The column and row of a position, clamped to the grid.
    fn cell(&self, position: Vec3) -> [usize; 2] {
        [position.x, position.y].map(|along| (((along + MARGIN) / CELL).max(0.0) as usize).min(self.side - 1))
    }
}
