//! What searches and fields ask a map.

use base::Vec3;

use crate::lattice::Lattice;
use crate::limits::SNAP_MAX;

/// A map that agents move on.
pub trait Terrain {
    /// Where its cells are.
    fn lattice(&self) -> &Lattice;

    /// How far the next obstacle is, in cells: 0 for a cell that cannot be entered, 1 beside an obstacle.
    fn clearance(&self, cell: u32) -> u8;

    /// The legal moves from a cell for an agent that needs this clearance, as bits of [`OFFSETS`](crate::moves::OFFSETS).
    fn moves(&self, cell: u32, needed: u8) -> u32;

    /// Where an agent in a cell stands: the centre of a volume, or of a floor.
    fn stand(&self, cell: u32) -> Vec3;

    /// Whether a place in the column of a cell is where agents in that cell are.
    fn holds(&self, cell: u32, place: Vec3) -> bool;
}

/// The cell of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The cell.
    pub cell: u32,
    /// Whether the place is in it; otherwise it is the nearest free one.
    pub is_exact: bool,
}

/// The clearance that an agent of a radius needs, so that it touches no obstacle from any point of a cell.
pub fn needed_clearance(radius: f32, cell: f32) -> u8 {
    let cells = base::number::ceil(radius / cell);
    // A radius that is no number needs what no cell has.
    if cells <= 0.0 {
        1
    } else if cells < 200.0 {
        cells as u8 + 1
    } else {
        u8::MAX
    }
}

/// Whether an agent that needs this clearance can be at a place.
pub fn is_free(terrain: &impl Terrain, place: Vec3, needed: u8) -> bool {
    free_cell(terrain, place, needed).is_some()
}

fn free_cell(terrain: &impl Terrain, place: Vec3, needed: u8) -> Option<u32> {
    let cell = terrain.lattice().number(terrain.lattice().holding(place)?);
    (terrain.clearance(cell) >= needed.max(1) && terrain.holds(cell, place)).then_some(cell)
}

/// The cell of a place, or the nearest free one within [`SNAP_MAX`] cells; at equal distance the one with the smallest number.
pub fn standing(terrain: &impl Terrain, place: Vec3, needed: u8) -> Option<Standing> {
    if let Some(cell) = free_cell(terrain, place, needed) {
        return Some(Standing { cell, is_exact: true });
    }
    let lattice = terrain.lattice();
    let middle = lattice.nearest(place)?;
    let mut best: Option<(f32, u32)> = None;
    for ring in 0..=SNAP_MAX {
        each_of_ring(lattice, middle, ring, |cell| {
            if terrain.clearance(cell) < needed.max(1) {
                return;
            }
            let away = (terrain.stand(cell) - place) / lattice.cell();
            let distance = away.length_squared();
            // Cells come by ring, not by number: equal distances are decided here.
            if distance.is_finite() && best.is_none_or(|best| (distance, cell) < best) {
                best = Some((distance, cell));
            }
        });
        // A cell of the next ring is at least this far away from the place, which may be anywhere in its cell.
        let far = ring as f32 + 0.5;
        if best.is_some_and(|(distance, _)| distance <= far * far) {
            break;
        }
    }
    best.map(|(_, cell)| Standing { cell, is_exact: false })
}

/// Calls `work` with each cell whose largest distance along an axis from the middle is `ring`.
fn each_of_ring(lattice: &Lattice, middle: [u32; 3], ring: u32, mut work: impl FnMut(u32)) {
    let span = |axis: usize| {
        let last = lattice.size()[axis] - 1;
        middle[axis].saturating_sub(ring)..=(middle[axis] + ring).min(last)
    };
    for z in span(2) {
        for y in span(1) {
            let is_face = z.abs_diff(middle[2]) == ring || y.abs_diff(middle[1]) == ring;
            for x in span(0) {
                if is_face || x.abs_diff(middle[0]) == ring {
                    work(lattice.number([x, y, z]));
                }
            }
        }
    }
}
