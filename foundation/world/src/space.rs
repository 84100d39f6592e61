//! The spatial container: who is where. Space is divided into cells; a cell's objects are found in a list, which cells far
//! apart may share.
//!
//! It lies in the block and is changed only by who changes cells, so that whoever stays where it is costs nothing.
//!
//! | question | looks at |
//! |---|---|
//! | within a radius or a box | the cells around, or all objects if those are fewer |
//! | the nearest | the cells around, twice as far each time, until nobody nearer can come |
//! | along a way | the cells along it, as wide as the largest object reaches, and all that are very large |
//!
//! Laws
//! 1. Answers come nearest first, then in the order of slots: never in an order that lists happen to have.
//! 2. Every object that was looked at counts, whether it is meant or not; so the cost of a question is known.

use base::number::floor_to_integer;
use base::{Handle, Plain, Vec3};
use script::query::{Hit, Hits};
use script::value::Value;
use state::{Block, Entities, List, One, World};

use crate::object::{Object, edit_linked};

/// The key to the cells.
#[derive(Clone, Copy)]
pub struct Space {
    /// All objects.
    pub objects: Entities<Object, Value>,
    /// The first of each list.
    pub cells: List<Handle<Object>>,
    /// Which cells anybody was ever in.
    pub bounds: One<Bounds>,
    /// How many lists there are: a power of two.
    pub lists: u32,
    /// The side of a cell.
    pub side: f32,
}

/// The objects of no more cells are brought nearer at once.
const CELLS_AHEAD_MAX: u64 = 64;

/// The list of an object that is in none.
pub const NO_CELL: u32 = u32::MAX;

/// A box of cells around all that anybody was ever in: beyond it nobody has to be looked for.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Bounds {
    /// The least along each axis.
    pub least: [i32; 3],
    /// The most along each axis.
    pub most: [i32; 3],
}

/// A cell, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell([i32; 3]);

/// Which of those that are found are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None: they are counted.
    None,
    /// All of them, in no order yet.
    All,
    /// The so many nearest, in order.
    Nearest(u32),
}

/// Where an object is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// How far away.
    pub distance: f32,
    /// Where.
    pub at: Vec3,
    /// The direction of its surface there, away from it; zero where there is none.
    pub normal: Vec3,
}

/// A line along which objects are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Where it begins.
    pub from: Vec3,
    /// Where it ends.
    pub to: Vec3,
    /// Whoever is farther from it than this is not looked for.
    pub reach: f32,
    /// Whether everybody is looked at only once: then `reach` must be somewhat more than is needed.
    pub is_once: bool,
}

/// A search under way.
pub struct Search<'a> {
    /// Who is meant.
    pub is_meant: &'a dyn Fn(Handle<Object>, &Object) -> bool,
    /// What was found.
    pub found: &'a mut Hits,
    /// Which of them are wanted.
    pub keep: Keep,
    /// How many were found, whether they are kept or not.
    pub count: u64,
    /// How many objects were looked at.
    pub cost: u64,
    /// How many may be.
    pub budget: u64,
    /// Whether something had to be left out.
    pub is_cut: bool,
}

impl Space {
    /// Makes all lists empty, in a new world.
    pub fn begin(self, world: &mut World) {
        for _ in 0..self.lists {
            self.cells.push(world, Handle::NONE);
        }
        *self.bounds.edit(world) = Bounds { least: [i32::MAX; 3], most: [i32::MIN; 3] };
    }

    /// The list that a place's cell is found in.
    pub fn list_at(self, place: Vec3) -> u32 {
        self.list_of(self.cell_at(place))
    }

    /// Whether two places are in one cell.
    #[inline]
    pub fn is_same_cell(self, one: Vec3, other: Vec3) -> bool {
        let number = |at: f32| floor_to_integer(at / self.side);
        let is_same = |one: f32, other: f32| one == other || number(one) == number(other);
        is_same(one.x, other.x) && is_same(one.y, other.y) && is_same(one.z, other.z)
    }

    /// Puts an object into the list of its place, out of the one it was in.
    pub fn settle(self, world: &mut World, handle: Handle<Object>) {
        let object = self.objects.get(world, handle);
        let cell = self.cell_at(object.position);
        let list = self.list_of(cell);
        if object.cell != list {
            self.take_out(world, handle);
            self.put_in(world, handle, list);
        }
        if !self.bounds.get(world).hold(cell) {
            self.bounds.edit(world).take_in(cell);
        }
    }

    /// Takes an object out of its list.
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
        } else if let Some(mut first) = self.cells.edit(world, cell) {
            *first = next;
        }
        let mut object = self.objects.edit(world, handle);
        (object.cell, object.next_in_cell, object.previous_in_cell) = (NO_CELL, Handle::NONE, Handle::NONE);
    }

    fn put_in(self, world: &mut World, handle: Handle<Object>, list: u32) {
        let first =
            self.cells.edit(world, list).map_or(Handle::NONE, |mut first| core::mem::replace(&mut *first, handle));
        if let Some(mut first) = edit_linked(self.objects, world, first) {
            first.previous_in_cell = handle;
        }
        let mut object = self.objects.edit(world, handle);
        (object.cell, object.next_in_cell, object.previous_in_cell) = (list, first, Handle::NONE);
    }

    /// All within a distance of a place, nearest first.
    pub fn within(self, block: &Block, centre: Vec3, radius: f32, search: &mut Search<'_>) {
        // Nobody is nearer than not at all, and what is no distance is none.
        if radius.is_nan() || radius < 0.0 {
            return;
        }
        let reach = Vec3::splat(radius);
        let meet = |object: &Object| {
            let squared = (object.position - centre).length_squared();
            (squared <= radius * radius).then(|| Met::place(base::number::sqrt(squared), object))
        };
        self.each_in_box(block, (centre - reach, centre + reach), search, &looking(&meet));
    }

    /// All whose places lie in a box, in the order of slots.
    pub fn within_box(self, block: &Block, least: Vec3, most: Vec3, search: &mut Search<'_>) {
        let meet = |object: &Object| {
            let at = object.position;
            let is_in = (least.x..=most.x).contains(&at.x)
                && (least.y..=most.y).contains(&at.y)
                && (least.z..=most.z).contains(&at.z);
            is_in.then(|| Met::place(0.0, object))
        };
        self.each_in_box(block, (least, most), search, &looking(&meet));
    }

    /// The nearest few within a distance of a place, nearest first.
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
            // Where all objects are looked at anyhow, they are looked at once more and no farther search is needed.
            let is_everything = self.is_everything(block, radius);
            radius = if is_everything { radius_max } else { base::number::min(radius * 2.0, radius_max) };
        }
    }

    /// Looks at all that are near a way.
    pub fn along(self, block: &Block, along: &Way, search: &mut Search<'_>, visit: &impl Visit) {
        let Way { from, to, reach, is_once } = *along;
        let way = to - from;
        let length = way.length();
        let pieces = (length / self.side) as u32;
        let wide = Vec3::splat(reach);
        let cells_of_piece = {
            let side = |way: f32| (way.abs() / (pieces as f32 + 1.0) + 2.0 * reach) / self.side + 2.0;
            side(way.x) * side(way.y) * side(way.z)
        };
        if (pieces as f32 + 1.0) * cells_of_piece > self.objects.count(block) as f32 {
            // So long or so wide a way passes more cells than there are objects.
            self.each_of_all(block, search, visit);
        } else {
            let squared = way.length_squared();
            let nearest_piece = |place: Vec3| {
                let part = if squared > 0.0 { (place - from).dot(way) / squared } else { 0.0 };
                base::number::clamp(part * (pieces as f32 + 1.0), 0.0, pieces as f32) as u32
            };
            for piece in 0..=pieces {
                let at = |number: u32| from + way * (number as f32 / (pieces + 1) as f32);
                let (start, end) = (at(piece), at(piece + 1));
                let (least, most) = (start.min(end) - wide, start.max(end) + wide);
                self.each_in_box(block, (least, most), search, &|search: &mut Search<'_>, handle, object: &Object| {
                    if !is_once || nearest_piece(object.position) == piece {
                        visit(search, handle, object);
                    }
                });
            }
        }
    }

    /// Looks at all objects in the cells that a box touches.
    pub fn each_in_box(self, block: &Block, (least, most): (Vec3, Vec3), search: &mut Search<'_>, visit: &impl Visit) {
        let (Cell(mut first), Cell(mut last)) = (self.cell_at(least), self.cell_at(most));
        let bounds = self.bounds.get(block);
        for axis in 0..3 {
            first[axis] = first[axis].max(bounds.least[axis]);
            last[axis] = last[axis].min(bounds.most[axis]);
        }
        let sides = [0, 1, 2].map(|axis| (i64::from(last[axis]) - i64::from(first[axis]) + 1).max(0) as u64);
        let cells = sides.iter().fold(1_u64, |product, side| product.saturating_mul(*side));
        // A box that ends before it begins is empty, however wide it is otherwise.
        if cells == 0 {
            return;
        }
        if cells > u64::from(self.objects.count(block)) {
            return self.each_of_all(block, search, visit);
        }
        if cells <= CELLS_AHEAD_MAX {
            self.bring(block, first, last);
        }
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    self.each_in_cell(block, Cell([x, y, z]), search, visit);
                }
            }
        }
    }

    /// Has the first objects of some cells brought nearer, all at once: one after the other each would be waited for.
    fn bring(self, block: &Block, first: [i32; 3], last: [i32; 3]) {
        let lists = self.cells.get(block);
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    if let Some(handle) = lists.get(self.list_of(Cell([x, y, z])) as usize) {
                        self.objects.bring(block, *handle);
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
        // A list is no longer than there are objects; one that says so does not add up.
        for _ in 0..self.objects.capacity() {
            let Some((handle, object)) = self.objects.get_untrusted(block, next.raw()) else { return };
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
        // Who is in no list is nowhere.
        for (handle, object) in self.objects.iterate(block).filter(|(_, object)| object.cell != NO_CELL) {
            if !search.spend(1) {
                return;
            }
            visit(search, handle, object);
        }
    }

    /// Whether a search so wide looks at all objects anyhow.
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

impl Bounds {
    fn hold(&self, Cell(cell): Cell) -> bool {
        (0..3).all(|axis| (self.least[axis]..=self.most[axis]).contains(&cell[axis]))
    }

    fn take_in(&mut self, Cell(cell): Cell) {
        self.least = core::array::from_fn(|axis| self.least[axis].min(cell[axis]));
        self.most = core::array::from_fn(|axis| self.most[axis].max(cell[axis]));
    }
}

impl Search<'_> {
    /// Takes an object up if it is meant, in the order of slots; false if nothing more may be looked at.
    pub fn take(&mut self, handle: Handle<Object>, object: &Object) -> bool {
        if !self.spend(1) {
            return false;
        }
        self.look(handle, object, &|object: &Object| Some(Met::place(0.0, object)));
        true
    }

    /// Pays for a look. False, and nothing is paid, if that is more than there is: then the answer is cut off.
    #[inline]
    pub fn spend(&mut self, cost: u64) -> bool {
        let is_paid = self.cost + cost <= self.budget;
        self.cost += if is_paid { cost } else { 0 };
        self.is_cut |= !is_paid;
        is_paid
    }

    /// Takes an object up if it is met and meant.
    pub fn look(&mut self, handle: Handle<Object>, object: &Object, meet: &impl Fn(&Object) -> Option<Met>) {
        let Some(met) = meet(object) else { return };
        if (self.is_meant)(handle, object) {
            self.add(handle, met);
        }
    }

    /// Takes an object up that is met and meant.
    pub fn add(&mut self, handle: Handle<Object>, Met { distance, at, normal }: Met) {
        self.count += 1;
        let hit = Hit { handle: handle.cast(), array: 0, distance: f64::from(distance), at, normal };
        let has_room = match self.keep {
            Keep::None => true,
            Keep::All => self.found.push(hit),
            Keep::Nearest(count) => self.is_known(&hit) || self.found.push_nearest(hit, count),
        };
        self.is_cut |= !has_room;
    }

    /// A piece of a ray looks a little around, so that some are met twice.
    fn is_known(&self, hit: &Hit) -> bool {
        let found = self.found.as_slice();
        found.binary_search_by(|other| other.rank(hit)).is_ok()
    }
}

impl Met {
    /// An object is where its place is.
    fn place(distance: f32, object: &Object) -> Met {
        Met { distance, at: object.position, normal: Vec3::ZERO }
    }
}

/// What is done with whoever is found near.
pub trait Visit: Fn(&mut Search<'_>, Handle<Object>, &Object) {}

impl<T: Fn(&mut Search<'_>, Handle<Object>, &Object)> Visit for T {}

/// Whoever is met and meant is taken up.
fn looking(meet: &impl Fn(&Object) -> Option<Met>) -> impl Visit {
    move |search: &mut Search<'_>, handle, object: &Object| search.look(handle, object, meet)
}

/// Where a ray first meets an object's sphere. From within, at once, against the ray.
pub fn meet_sphere(from: Vec3, way: Vec3, length: f32, object: &Object) -> Option<Met> {
    let to_centre = object.position - from;
    let reach = object.radius * object.radius;
    if to_centre.length_squared() <= reach {
        return Some(Met { distance: 0.0, at: from, normal: -way.normal() });
    }
    if length == 0.0 {
        return None;
    }
    let direction = way / length;
    let along = to_centre.dot(direction);
    // Not the difference of two squares: of a long ray nothing would be left of it.
    let aside = (to_centre - direction * along).length_squared();
    let half = base::number::sqrt(base::number::max(0.0, reach - aside));
    let distance = along - half;
    let is_met = aside <= reach && distance >= 0.0 && distance <= length;
    is_met.then(|| {
        let at = from + direction * distance;
        Met { distance, at, normal: (at - object.position).normal() }
    })
}
