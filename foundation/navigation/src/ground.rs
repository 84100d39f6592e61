//! A map for agents that walk: a grid of floors (2.5D), one for each cell.
//!
//! The floor of a cell is the lowest surface with room for the agent above it that is not too steep. Neighbours are joined if the
//! difference of their heights can be stepped or climbed. A wall is a floor that no neighbour is joined to.
//!
//! A floor follows from the geometry; joints and clearances follow from the floors. So a rebuild of the floors in a box, and of the
//! rest in that box grown by the reach of a clearance, gives the same cells as a full build.

use base::{Plain, Vec2, Vec3, number};

use crate::geometry::{Column, Geometry, Spans};
use crate::lattice::Lattice;
use crate::limits::{CLEARANCE_MAX, TILE_SIDE};
use crate::moves::{COSTS, OFFSETS, PLANE, legal};
use crate::terrain::Terrain;

/// The height of a cell without a floor.
const NO_FLOOR: i16 = i16::MIN;

/// The steps in which heights are stored.
const LEVELS: f32 = 65_534.0;

/// A cell of a ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct GroundCell {
    height: i16,
    /// The moves to joined neighbours.
    joints: u8,
    clearance: u8,
}

/// What agents can walk on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundSettings {
    /// The cells.
    pub lattice: Lattice,
    /// The height of an agent: the room it needs above a floor.
    pub height: f32,
    /// The largest step.
    pub step_max: f32,
    /// The steepest slope, as height over distance.
    pub slope_max: f32,
    /// The largest clearance that is told apart, in cells; at most [`CLEARANCE_MAX`].
    pub clearance_max: u8,
}

impl GroundSettings {
    fn reach(&self) -> u32 {
        u32::from(self.clearance_max.clamp(1, CLEARANCE_MAX))
    }

    fn quantum(&self) -> f32 {
        (self.lattice.top() - self.lattice.least().z) / LEVELS
    }

    /// The largest difference of stored heights between joined cells, along an axis and across.
    fn climbs(&self) -> [i32; 2] {
        let climb = |cells: f32| {
            let height = number::max(self.step_max, self.slope_max * self.lattice.cell() * cells);
            let levels = number::floor(height / self.quantum());
            // One more: both heights were rounded. Not a number allows nothing.
            if levels >= LEVELS {
                i32::MAX
            } else if levels >= 0.0 {
                levels as i32 + 1
            } else {
                0
            }
        };
        [climb(1.0), climb(core::f32::consts::SQRT_2)]
    }

    fn column(&self, [x, y]: [u32; 2], [to_x, to_y]: [u32; 2]) -> Column {
        let (least, cell) = (self.lattice.least(), self.lattice.cell());
        let at = |x: u32, y: u32| Vec2::new(least.x + x as f32 * cell, least.y + y as f32 * cell);
        Column { least: at(x, y), most: at(to_x, to_y) }
    }

    /// The stored height of the floor in a column of these spans.
    fn floor(&self, spans: &Spans) -> i16 {
        let (bottom, top) = (self.lattice.least().z, self.lattice.top());
        let list = spans.as_slice();
        for (index, span) in list.iter().enumerate() {
            let above = list.get(index + 1).map_or(f32::INFINITY, |next| next.low);
            if span.high >= bottom && span.high <= top && !span.is_steep && above - span.high >= self.height {
                let level = number::floor((span.high - bottom) / self.quantum() + 0.5);
                return (number::clamp(level, 0.0, LEVELS) as i32 - 32_767) as i16;
            }
        }
        NO_FLOOR
    }
}

/// A ground, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    settings: &'a GroundSettings,
    cells: &'a [GroundCell],
}

impl<'a> Ground<'a> {
    /// The ground in these cells. Panics if they are not as many as the lattice has.
    pub fn new(settings: &'a GroundSettings, cells: &'a [GroundCell]) -> Ground<'a> {
        assert_eq!(
            cells.len(),
            settings.lattice.cells() as usize,
            "a ground has one entry for each cell of its lattice"
        );
        Ground { settings, cells }
    }

    /// The height of the floor of a cell; none if it has none.
    pub fn floor(&self, cell: u32) -> Option<f32> {
        let height = self.cells[cell as usize].height;
        let levels = (i32::from(height) + 32_767) as f32;
        (height != NO_FLOOR).then(|| self.settings.lattice.least().z + levels * self.settings.quantum())
    }
}

impl Terrain for Ground<'_> {
    fn lattice(&self) -> &Lattice {
        &self.settings.lattice
    }

    #[inline]
    fn clearance(&self, cell: u32) -> u8 {
        self.cells[cell as usize].clearance
    }

    #[inline]
    fn moves(&self, cell: u32, needed: u8) -> u32 {
        let row = self.settings.lattice.size()[0] as i32;
        let mut joints = u32::from(self.cells[cell as usize].joints);
        crate::moves::each(joints, |index| {
            let [x, y, _] = OFFSETS[index];
            // A joined neighbour is in the map.
            let other = cell.wrapping_add_signed(x + y * row);
            if self.cells.get(other as usize).is_none_or(|other| other.clearance < needed) {
                joints &= !(1 << index);
            }
        });
        legal(joints, PLANE)
    }

    fn stand(&self, cell: u32) -> Vec3 {
        let centre = self.settings.lattice.centre(cell);
        Vec3::new(centre.x, centre.y, self.floor(cell).unwrap_or(centre.z))
    }

    fn holds(&self, cell: u32, place: Vec3) -> bool {
        let (settings, floor) = (self.settings, self.floor(cell));
        floor.is_some_and(|floor| place.z >= floor - settings.step_max && place.z <= floor + settings.height)
    }
}

/// A box of the world in which the geometry has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangedBox {
    /// Its least corner.
    pub least: Vec3,
    /// Its other corner.
    pub most: Vec3,
}

/// Builds all cells.
pub fn build(settings: &GroundSettings, cells: &mut [GroundCell], geometry: &mut impl Geometry) {
    let [width, depth, _] = settings.lattice.size();
    rebuild_area(settings, cells, [[0, width], [0, depth]], geometry);
}

/// Rebuilds the cells that a change of the geometry in a box can reach. Returns the number of floors that were looked up.
pub fn rebuild(
    settings: &GroundSettings,
    cells: &mut [GroundCell],
    changed: &ChangedBox,
    geometry: &mut impl Geometry,
) -> u32 {
    let touched = |axis: usize| settings.lattice.touched(axis, changed.least[axis], changed.most[axis], 1);
    rebuild_area(settings, cells, [touched(0), touched(1)], geometry)
}

fn rebuild_area(
    settings: &GroundSettings,
    cells: &mut [GroundCell],
    [[left, right], [front, back]]: [[u32; 2]; 2],
    geometry: &mut impl Geometry,
) -> u32 {
    let [width, depth, _] = settings.lattice.size();
    assert_eq!(cells.len(), settings.lattice.cells() as usize, "a ground has one entry for each cell of its lattice");
    if left >= right || front >= back {
        return 0;
    }
    let mut spans = Spans::default();
    for y in (front..back).step_by(TILE_SIDE as usize) {
        for x in (left..right).step_by(TILE_SIDE as usize) {
            let (to_x, to_y) = ((x + TILE_SIDE).min(right), (y + TILE_SIDE).min(back));
            geometry.gather(&settings.column([x, y], [to_x, to_y]));
            for row in y..to_y {
                for column in x..to_x {
                    spans.clear();
                    geometry.spans(&settings.column([column, row], [column + 1, row + 1]), &mut spans);
                    cells[settings.lattice.number([column, row, 0]) as usize].height = settings.floor(&spans);
                }
            }
        }
    }
    let grown = |from: u32, to: u32, by: u32, end: u32| from.saturating_sub(by)..(to + by).min(end);
    join(settings, cells, grown(left, right, 1, width), grown(front, back, 1, depth));
    let reach = settings.reach() + 1;
    measure(settings, cells, grown(left, right, reach, width), grown(front, back, reach, depth));
    (right - left) * (back - front)
}

/// Joins the cells of an area with their neighbours.
fn join(
    settings: &GroundSettings,
    cells: &mut [GroundCell],
    columns: core::ops::Range<u32>,
    rows: core::ops::Range<u32>,
) {
    let (lattice, climbs) = (&settings.lattice, settings.climbs());
    let height = |cells: &[GroundCell], position: [u32; 3], offset: [i32; 3]| {
        let height = lattice.beside(position, offset).map_or(NO_FLOOR, |cell| cells[cell as usize].height);
        (height != NO_FLOOR).then_some(i32::from(height))
    };
    let can_climb = |one: Option<i32>, two: Option<i32>, climb: i32| match (one, two) {
        (Some(one), Some(two)) => (one - two).abs() <= climb,
        _ => false,
    };
    for y in rows {
        for x in columns.clone() {
            let position = [x, y, 0];
            let own = height(cells, position, [0, 0, 0]);
            let mut joints = 0_u8;
            for (index, offset) in OFFSETS[..PLANE].iter().enumerate() {
                let other = height(cells, position, *offset);
                let is_joined = if COSTS[index] == 10 {
                    can_climb(own, other, climbs[0])
                } else {
                    // Both ways around the corner must be open too, so that a diagonal move cuts no corner.
                    let around = |offset: [i32; 3]| {
                        let side = height(cells, position, offset);
                        can_climb(own, side, climbs[0]) && can_climb(side, other, climbs[0])
                    };
                    can_climb(own, other, climbs[1]) && around([offset[0], 0, 0]) && around([0, offset[1], 0])
                };
                joints |= u8::from(is_joined) << index;
            }
            cells[lattice.number(position) as usize].joints = joints;
        }
    }
}

/// Measures the clearances of an area: one more than the distance, along an axis, to the nearest cell that lacks a joint.
fn measure(
    settings: &GroundSettings,
    cells: &mut [GroundCell],
    columns: core::ops::Range<u32>,
    rows: core::ops::Range<u32>,
) {
    let [width, depth, _] = settings.lattice.size();
    let reach = settings.reach();
    for y in rows {
        for x in columns.clone() {
            let own = settings.lattice.number([x, y, 0]) as usize;
            let mut clearance = 0;
            if cells[own].height != NO_FLOOR {
                clearance = (1..reach)
                    .find(|distance| !is_ring_whole(cells, [x, y], distance - 1, [width, depth]))
                    .unwrap_or(reach);
            }
            cells[own].clearance = clearance as u8;
        }
    }
}

/// Whether all cells at this distance have all joints.
fn is_ring_whole(cells: &[GroundCell], [x, y]: [u32; 2], distance: u32, [width, depth]: [u32; 2]) -> bool {
    let is_whole = |x: u32, y: u32| cells[(x + y * width) as usize].joints == u8::MAX;
    let (left, right) = (x.checked_sub(distance), Some(x + distance).filter(|right| *right < width));
    let (front, back) = (y.checked_sub(distance), Some(y + distance).filter(|back| *back < depth));
    // Beyond the border there is no floor: the border cells lack joints, and are nearer.
    let columns = left.unwrap_or(0)..=right.unwrap_or(width - 1);
    let rows = front.unwrap_or(0)..=back.unwrap_or(depth - 1);
    [front, back].iter().flatten().all(|y| columns.clone().all(|x| is_whole(x, *y)))
        && [left, right].iter().flatten().all(|x| rows.clone().all(|y| is_whole(*x, y)))
}
