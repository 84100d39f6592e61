//! The spatial hash: objects by cell. Space is a grid of cells; each cell hashes to a linked list of objects, which distant cells
//! may share.
//!
//! It lies in the block and changes only when an object changes its cell.
//!
//! | query | visits |
//! |---|---|
//! | within a radius or a box | the cells that overlap it, or all objects if those are fewer |
//! | the nearest | cells within a radius that doubles until no nearer object is possible |
//! | along a segment | the cells along it, widened by the largest bounding radius, and all large objects |
//!
//! Laws
//! 1. Results are sorted by distance, then by slot; the order of the lists never shows.
//! 2. Every visited candidate is counted, whether the filter accepts it or not.

use base::number::floor_to_integer;
use base::{Handle, Plain, Vec3};
use script::value::Value;
use state::{Block, Entities, List, Single, World};

use crate::object::{Object, edit_linked};
use crate::question::{Hits, QueryHit};

/// The key to the spatial hash.
#[derive(Clone, Copy)]
pub struct Space {
    /// All objects.
    pub objects: Entities<Object, Value>,
    /// The first object of each list.
    pub cells: List<Handle<Object>>,
    /// The bounds of all cells that were ever occupied.
    pub bounds: Single<CellBounds>,
    /// The number of lists, a power of two.
    pub lists: u32,
    /// The side of a cell.
    pub side: f32,
}

/// The cells whose first objects are prefetched at once.
const CELLS_AHEAD_MAX: u64 = 64;

/// The list number of an object that is in no list.
pub const NO_CELL: u32 = u32::MAX;

/// The bounds of all cells that were ever occupied: searches end there.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct CellBounds {
    /// The minimum along each axis.
    pub least: [i32; 3],
    /// The maximum along each axis.
    pub most: [i32; 3],
}

/// The coordinates of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell([i32; 3]);

/// Which candidates a search keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepPolicy {
    /// None; they are only counted.
    None,
    /// All, unsorted.
    All,
    /// This many nearest, sorted.
    Nearest(u32),
}

/// A point where a query hits an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitPoint {
    /// The distance.
    pub distance: f32,
    /// The point.
    pub at: Vec3,
    /// The outward surface normal there; zero if there is none.
    pub normal: Vec3,
}

/// A segment along which candidates are searched.
#[derive(Clone, Copy, Debug)]
pub struct SearchSegment {
    /// Its start.
    pub from: Vec3,
    /// Its end.
    pub to: Vec3,
    /// The radius around it within which candidates are searched.
    pub reach: f32,
    /// Whether each candidate is visited only once; `reach` must then be slightly larger than needed.
    pub is_once: bool,
}

/// The state of a search.
pub struct Search<'a> {
    /// The filter.
    pub is_meant: &'a dyn Fn(Handle<Object>, &Object) -> bool,
    /// The hits.
    pub found: &'a mut Hits,
    /// Which hits are kept.
    pub keep: KeepPolicy,
    /// The number of hits, kept or not.
    pub count: u64,
    /// The number of visited candidates.
    pub cost: u64,
    /// The budget of candidates.
    pub budget: u64,
    /// Whether the budget or the capacity for hits was exceeded.
    pub is_cut: bool,
}

impl Space {
    /// Empties all lists, in a new world.
    pub fn begin(self, world: &mut World) {
        for _ in 0..self.lists {
            self.cells.push(world, Handle::NONE);
        }
        assert!(
            self.lists.is_power_of_two() && self.cells.count(world) == self.lists,
            "the spatial hash has {} lists, and {} were reserved",
            self.lists,
            self.cells.count(world)
        );
        *self.bounds.get_mut(world) = CellBounds { least: [i32::MAX; 3], most: [i32::MIN; 3] };
    }

    /// The list of the cell at a position.
    pub fn list_at(self, place: Vec3) -> u32 {
        self.list_of(self.cell_at(place))
    }

    /// Whether two positions are in one cell.
    #[inline]
    pub fn is_same_cell(self, one: Vec3, other: Vec3) -> bool {
        let number = |at: f32| floor_to_integer(at / self.side);
        let is_same = |one: f32, other: f32| one == other || number(one) == number(other);
        is_same(one.x, other.x) && is_same(one.y, other.y) && is_same(one.z, other.z)
    }

    /// Moves an object to the list of its position.
    pub fn settle(self, world: &mut World, handle: Handle<Object>) {
        let object = self.objects.get(world, handle);
        let cell = self.cell_at(object.position);
        let list = self.list_of(cell);
        if object.cell != list {
            self.take_out(world, handle);
            self.put_in(world, handle, list);
        }
        if !self.bounds.get(world).hold(cell) {
            self.bounds.get_mut(world).take_in(cell);
        }
        debug_assert!(
            self.bounds.get(world).hold(cell),
            "law 1 of the spatial hash: a search that ends at the bounds misses {cell:?}"
        );
    }

    /// Removes an object from its list.
    pub fn take_out(self, world: &mut World, handle: Handle<Object>) {
        let Object { cell, next_in_cell: next, previous_in_cell: previous, .. } = *self.objects.get(world, handle);
        if cell == NO_CELL {
            return;
        }
        if let Some(mut next) = edit_linked(self.objects, world, next) {
            next.previous_in_cell = previous;
        }
        if let Some(mut previous) = edit_linked(self.objects, world, previous) {
            previous.next_in_cell = next;
        } else if let Some(mut first) = self.cells.get_mut(world, cell) {
            *first = next;
        }
        let mut object = self.objects.get_mut(world, handle);
        (object.cell, object.next_in_cell, object.previous_in_cell) = (NO_CELL, Handle::NONE, Handle::NONE);
    }

    fn put_in(self, world: &mut World, handle: Handle<Object>, list: u32) {
        let first =
            self.cells.get_mut(world, list).map_or(Handle::NONE, |mut first| core::mem::replace(&mut *first, handle));
        if let Some(mut first) = edit_linked(self.objects, world, first) {
            first.previous_in_cell = handle;
        }
        let mut object = self.objects.get_mut(world, handle);
        (object.cell, object.next_in_cell, object.previous_in_cell) = (list, first, Handle::NONE);
    }

    /// All objects within a distance of a point, nearest first.
    pub fn within(self, block: &Block, centre: Vec3, radius: f32, search: &mut Search<'_>) {
        // Negative and NaN radii find nothing.
        if radius.is_nan() || radius < 0.0 {
            return;
        }
        let reach = Vec3::splat(radius);
        let meet = |object: &Object| {
            let squared = (object.position - centre).length_squared();
            (squared <= radius * radius).then(|| HitPoint::place(base::number::sqrt(squared), object))
        };
        self.each_in_box(block, (centre - reach, centre + reach), search, &visitor(&meet));
    }

    /// All objects whose positions lie in a box, by slot.
    pub fn within_box(self, block: &Block, min: Vec3, max: Vec3, search: &mut Search<'_>) {
        let meet = |object: &Object| {
            let at = object.position;
            let is_in =
                (min.x..=max.x).contains(&at.x) && (min.y..=max.y).contains(&at.y) && (min.z..=max.z).contains(&at.z);
            is_in.then(|| HitPoint::place(0.0, object))
        };
        self.each_in_box(block, (min, max), search, &visitor(&meet));
    }

    /// The nearest objects within a distance of a point, nearest first.
    pub fn nearest(self, block: &Block, centre: Vec3, radius_max: f32, count: usize, search: &mut Search<'_>) {
        if radius_max.is_nan() {
            return;
        }
        let mut radius = base::number::min(self.side, radius_max);
        loop {
            search.found.clear();
            search.count = 0;
            self.within(block, centre, radius, search);
            let is_last = radius >= radius_max || search.is_cut;
            if search.found.as_slice().len() >= count || is_last {
                break;
            }
            // A search that visits all objects anyway is the last one.
            let is_everything = self.is_everything(block, radius);
            radius = if is_everything { radius_max } else { base::number::min(radius * 2.0, radius_max) };
        }
    }

    /// Visits all candidates near a segment.
    pub fn along(self, block: &Block, along: &SearchSegment, search: &mut Search<'_>, visit: &impl Visit) {
        let SearchSegment { from, to, reach, is_once } = *along;
        let segment = to - from;
        let length = segment.length();
        let pieces = (length / self.side) as u32;
        let wide = Vec3::splat(reach);
        let cells_of_piece = {
            let side = |segment: f32| (segment.abs() / (pieces as f32 + 1.0) + 2.0 * reach) / self.side + 2.0;
            side(segment.x) * side(segment.y) * side(segment.z)
        };
        if (pieces as f32 + 1.0) * cells_of_piece > self.objects.count(block) as f32 {
            // The segment crosses more cells than there are objects.
            self.each_of_all(block, search, visit);
        } else {
            let squared = segment.length_squared();
            let nearest_piece = |place: Vec3| {
                let part = if squared > 0.0 { (place - from).dot(segment) / squared } else { 0.0 };
                base::number::clamp(part * (pieces as f32 + 1.0), 0.0, pieces as f32) as u32
            };
            for piece in 0..=pieces {
                let at = |number: u32| from + segment * (number as f32 / (pieces + 1) as f32);
                let (start, end) = (at(piece), at(piece + 1));
                let (min, max) = (start.min(end) - wide, start.max(end) + wide);
                self.each_in_box(block, (min, max), search, &|search: &mut Search<'_>, handle, object: &Object| {
                    if !is_once || nearest_piece(object.position) == piece {
                        visit(search, handle, object);
                    }
                });
            }
        }
    }

    /// Visits all objects in the cells that a box overlaps.
    pub fn each_in_box(self, block: &Block, (min, max): (Vec3, Vec3), search: &mut Search<'_>, visit: &impl Visit) {
        let (Cell(mut first), Cell(mut last)) = (self.cell_at(min), self.cell_at(max));
        let bounds = self.bounds.get(block);
        for axis in 0..3 {
            first[axis] = first[axis].max(bounds.least[axis]);
            last[axis] = last[axis].min(bounds.most[axis]);
        }
        let sides = [0, 1, 2].map(|axis| (i64::from(last[axis]) - i64::from(first[axis]) + 1).max(0) as u64);
        let cells = sides.iter().fold(1_u64, |product, side| product.saturating_mul(*side));
        // An inverted box is empty.
        if cells == 0 {
            return;
        }
        if cells > u64::from(self.objects.count(block)) {
            return self.each_of_all(block, search, visit);
        }
        if cells <= CELLS_AHEAD_MAX {
            self.prefetch(block, first, last);
        }
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    self.each_in_cell(block, Cell([x, y, z]), search, visit);
                }
            }
        }
    }

    /// Prefetches the first objects of some cells, so that their cache misses overlap.
    fn prefetch(self, block: &Block, first: [i32; 3], last: [i32; 3]) {
        let lists = self.cells.get(block);
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    if let Some(handle) = lists.get(self.list_of(Cell([x, y, z])) as usize) {
                        self.objects.prefetch(block, *handle);
                    }
                }
            }
        }
    }

    fn each_in_cell(self, block: &Block, cell: Cell, search: &mut Search<'_>, visit: &impl Visit) {
        if !search.spend(1) {
            return;
        }
        let mut next = self.cells.get(block).get(self.list_of(cell) as usize).copied().unwrap_or(Handle::NONE);
        // No list is longer than the number of objects: a loaded block may hold a cycle.
        for _ in 0..self.objects.capacity() {
            let Some((handle, object)) = self.objects.find_raw(block, next.raw()) else { return };
            next = object.next_in_cell;
            if !search.spend(1) {
                return;
            }
            if self.cell_at(object.position) == cell {
                visit(search, handle, object);
            }
        }
    }

    fn each_of_all(self, block: &Block, search: &mut Search<'_>, visit: &impl Visit) {
        // An object in no list has no position.
        for (handle, object) in self.objects.iterate(block).filter(|(_, object)| object.cell != NO_CELL) {
            if !search.spend(1) {
                return;
            }
            visit(search, handle, object);
        }
    }

    /// Whether a search of this radius visits all objects anyway.
    pub fn is_everything(self, block: &Block, radius: f32) -> bool {
        let side = 2.0 * radius / self.side + 1.0;
        side * side * side > self.objects.count(block) as f32
    }

    #[inline]
    fn cell_at(self, place: Vec3) -> Cell {
        let number = |at: f32| floor_to_integer(at / self.side);
        Cell([number(place.x), number(place.y), number(place.z)])
    }

    #[inline]
    fn list_of(self, Cell([x, y, z]): Cell) -> u32 {
        let mixed = (x.cast_unsigned() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (y.cast_unsigned() as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ (z.cast_unsigned() as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
        (mixed ^ mixed >> 32) as u32 & (self.lists - 1)
    }
}

impl CellBounds {
    fn hold(&self, Cell(cell): Cell) -> bool {
        (0..3).all(|axis| (self.least[axis]..=self.most[axis]).contains(&cell[axis]))
    }

    fn take_in(&mut self, Cell(cell): Cell) {
        self.least = core::array::from_fn(|axis| self.least[axis].min(cell[axis]));
        self.most = core::array::from_fn(|axis| self.most[axis].max(cell[axis]));
    }
}

impl Search<'_> {
    /// Adds an object if the filter accepts it; false if the budget is used up.
    pub fn take(&mut self, handle: Handle<Object>, object: &Object) -> bool {
        if !self.spend(1) {
            return false;
        }
        self.look(handle, object, &|object: &Object| Some(HitPoint::place(0.0, object)));
        true
    }

    /// Spends from the budget. False, without spending, if it does not suffice: then the search is cut.
    #[inline]
    pub fn spend(&mut self, cost: u64) -> bool {
        let is_paid = self.cost + cost <= self.budget;
        self.cost += if is_paid { cost } else { 0 };
        self.is_cut |= !is_paid;
        debug_assert!(
            self.cost <= self.budget,
            "law 2 of the spatial hash: {} of {} candidates",
            self.cost,
            self.budget
        );
        is_paid
    }

    /// Adds an object if the query hits it and the filter accepts it.
    pub fn look(&mut self, handle: Handle<Object>, object: &Object, meet: &impl Fn(&Object) -> Option<HitPoint>) {
        let Some(met) = meet(object) else { return };
        if (self.is_meant)(handle, object) {
            self.add(handle, met);
        }
    }

    /// Adds a hit.
    pub fn add(&mut self, handle: Handle<Object>, HitPoint { distance, at, normal }: HitPoint) {
        self.count += 1;
        let hit = QueryHit { handle: handle.cast(), array: 0, distance: f64::from(distance), at, normal };
        let has_room = match self.keep {
            KeepPolicy::None => true,
            KeepPolicy::All => self.found.push(hit),
            KeepPolicy::Nearest(count) => self.is_known(&hit) || self.found.push_nearest(hit, count),
        };
        self.is_cut |= !has_room;
    }

    /// Whether an object is among the hits already: pieces of a ray overlap.
    fn is_known(&self, hit: &QueryHit) -> bool {
        let found = self.found.as_slice();
        found.binary_search_by(|other| other.rank(hit)).is_ok()
    }
}

impl HitPoint {
    /// The hit at an object's position.
    fn place(distance: f32, object: &Object) -> HitPoint {
        HitPoint { distance, at: object.position, normal: Vec3::ZERO }
    }
}

/// The visitor of candidates.
pub trait Visit: Fn(&mut Search<'_>, Handle<Object>, &Object) {}

impl<T: Fn(&mut Search<'_>, Handle<Object>, &Object)> Visit for T {}

/// A visitor that adds candidates which the query hits and the filter accepts.
fn visitor(meet: &impl Fn(&Object) -> Option<HitPoint>) -> impl Visit {
    move |search: &mut Search<'_>, handle, object: &Object| search.look(handle, object, meet)
}

/// The first intersection of a ray with an object's bounding sphere. From within: at the start, with the normal against the ray.
pub fn meet_sphere(from: Vec3, segment: Vec3, length: f32, object: &Object) -> Option<HitPoint> {
    let to_centre = object.position - from;
    let reach = object.radius * object.radius;
    if to_centre.length_squared() <= reach {
        return Some(HitPoint { distance: 0.0, at: from, normal: -segment.normal() });
    }
    if length == 0.0 {
        return None;
    }
    let direction = segment / length;
    let along = to_centre.dot(direction);
    // Not the difference of two squares: it cancels for long rays.
    let aside = (to_centre - direction * along).length_squared();
    let half = base::number::sqrt(base::number::max(0.0, reach - aside));
    let distance = along - half;
    let is_met = aside <= reach && distance >= 0.0 && distance <= length;
    is_met.then(|| {
        let at = from + direction * distance;
        HitPoint { distance, at, normal: (at - object.position).normal() }
    })
}
