//! Maps for tests, and Dijkstra's algorithm without any trick as the oracle.

use std::collections::{BTreeMap, BTreeSet};

use base::Vec3;
use navigation::fields::{FieldSlot, FieldWork, Fields, FieldsEdit};
use navigation::moves::{COSTS, OFFSETS};
use navigation::solids::{Solid, Solids};
use navigation::space::{Page, SpaceBuild};
use navigation::wave::Link;
use navigation::{Ground, GroundCell, GroundSettings, Lattice, Space, SpaceChunks, Terrain, ground};

/// A ground with its cells.
pub struct GroundMap {
    pub settings: GroundSettings,
    pub cells: Vec<GroundCell>,
}

impl GroundMap {
    pub fn new(most: Vec3, cell: f32, solids: &mut Solids) -> GroundMap {
        let lattice = Lattice::flat(Vec3::new(0.0, 0.0, -1.0), most, cell).expect("a lattice");
        let settings = GroundSettings { lattice, height: 2.0, step_max: 0.4, slope_max: 1.0, clearance_max: 6 };
        let mut cells = vec![GroundCell::default(); lattice.cells() as usize];
        ground::build(&settings, &mut cells, solids);
        GroundMap { settings, cells }
    }

    /// A floor at height 0 with a wall, three high, for each `#`. Rows are y from 0 on, characters x.
    pub fn drawn(rows: &[&str]) -> GroundMap {
        let most = Vec3::new(rows[0].len() as f32, rows.len() as f32, 5.0);
        GroundMap::new(most, 1.0, &mut Solids::new(drawn(rows)))
    }

    pub fn ground(&self) -> Ground<'_> {
        Ground::new(&self.settings, &self.cells)
    }
}

/// The floor and the walls of a drawing.
pub fn drawn(rows: &[&str]) -> Vec<Solid> {
    let mut solids = vec![floor(rows[0].len() as f32, rows.len() as f32)];
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.bytes().enumerate().filter(|(_, byte)| *byte == b'#') {
            solids.push(wall(x as f32, y as f32));
        }
    }
    solids
}

pub fn floor(width: f32, depth: f32) -> Solid {
    Solid::Box { least: Vec3::new(0.0, 0.0, -1.0), most: Vec3::new(width, depth, 0.0) }
}

pub fn wall(x: f32, y: f32) -> Solid {
    Solid::Box { least: Vec3::new(x, y, 0.0), most: Vec3::new(x + 1.0, y + 1.0, 3.0) }
}

/// A space with its chunks and pages.
pub struct SpaceMap {
    pub settings: SpaceChunks,
    pub chunks: Vec<u32>,
    pub pages: Vec<Page>,
    pub build: SpaceBuild,
}

impl SpaceMap {
    pub fn new(most: Vec3, solids: &mut Solids, pages: usize) -> SpaceMap {
        let settings = SpaceChunks::new(Lattice::solid(Vec3::ZERO, most, 1.0).expect("a lattice"), 3);
        let (mut chunks, mut pages) = (vec![0; settings.count() as usize], vec![Page::default(); pages]);
        let mut build = SpaceBuild::new(&settings);
        build.build(&settings, (&mut chunks, &mut pages), solids);
        SpaceMap { settings, chunks, pages, build }
    }

    pub fn space(&self) -> Space<'_> {
        Space::new(&self.settings, &self.chunks, &self.pages)
    }
}

/// A cache of fields with its memory.
pub struct FieldMemory {
    pub slots: Vec<FieldSlot>,
    pub work: FieldWork,
    pub costs: Vec<u32>,
    pub links: Vec<Link>,
}

impl FieldMemory {
    pub fn new(terrain: &impl Terrain, slots: usize) -> FieldMemory {
        let cells = terrain.lattice().cells() as usize;
        let mut memory = FieldMemory {
            slots: vec![FieldSlot::default(); slots],
            work: FieldWork::default(),
            costs: vec![0; cells * (slots + 1)],
            links: vec![Link::default(); cells],
        };
        memory.edit().clear();
        memory
    }

    pub fn edit(&mut self) -> FieldsEdit<'_> {
        let FieldMemory { slots, work, costs, links } = self;
        FieldsEdit { slots, work, costs, links }
    }

    pub fn fields(&self) -> Fields<'_> {
        Fields { slots: &self.slots, costs: &self.costs }
    }
}

/// The least cost from every reachable cell to a goal.
pub fn dijkstra(terrain: &impl Terrain, goal: u32, needed: u8) -> BTreeMap<u32, u32> {
    let mut done = BTreeMap::new();
    let mut open = BTreeSet::from([(0, goal)]);
    while let Some((cost, cell)) = open.pop_first() {
        if done.contains_key(&cell) {
            continue;
        }
        done.insert(cell, cost);
        let moves = terrain.moves(cell, needed);
        for index in (0..OFFSETS.len()).filter(|index| moves >> index & 1 == 1) {
            let next =
                terrain.lattice().beside(terrain.lattice().position(cell), OFFSETS[index]).expect("a legal move");
            open.insert((cost + COSTS[index], next));
        }
    }
    done
}
