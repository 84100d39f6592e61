//! The map of a level for finding ways, and its goal fields: where they lie in the block.
//!
//! Laws
//! 1. Everything that an answer depends on is in the block. The memory outside it is only used while an answer or a change is computed.

use alloc::vec::Vec;

use base::{Plain, Quat, Vec3};
use jobs::PerWorker;
use navigation::fields::{FieldSlot, FieldWork, Fields};
use navigation::ground::ChangedBox;
use navigation::space::{Page, SpaceBuild};
use navigation::wave::Link;
use navigation::{Ground, GroundCell, Lattice, Search, Space, Terrain};
use state::{Block, Layout, List, Single, World};

use crate::level::Level;
use crate::way_settings::{WayKind, WaySettings};

/// A fixed body that is part of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
pub struct BuiltSolid {
    /// The raw handle of the body; 0 if the slot has none.
    pub body: u32,
    /// The number of its shape.
    pub shape: u32,
    /// Its position.
    pub position: Vec3,
    /// Its rotation.
    pub rotation: Quat,
    /// The least corner of its bounds.
    pub least: Vec3,
    /// The other corner.
    pub most: Vec3,
}

/// The keys of a map.
#[derive(Clone, Copy)]
pub struct WayKeys {
    /// The cells of a ground.
    pub cells: List<GroundCell>,
    /// The chunks of a space.
    pub chunks: List<u32>,
    /// The pages of a space.
    pub pages: List<Page>,
    /// The fixed bodies that the map was made from, by the slots of bodies.
    pub solids: List<BuiltSolid>,
    /// The goals that have fields.
    pub slots: List<FieldSlot>,
    /// The field that is being computed.
    pub work: Single<FieldWork>,
    /// The costs of all fields.
    pub costs: List<u32>,
    /// The lists of the field that is being computed.
    pub links: List<Link>,
}

impl WayKeys {
    /// Reserves the regions of a map.
    pub fn reserve(layout: &mut Layout, settings: &WaySettings, bodies_max: u32) -> WayKeys {
        let sizes = MapSizes::of(settings);
        WayKeys {
            cells: layout.list("ground cells", sizes.cells.max(1)),
            chunks: layout.list("space chunks", sizes.chunks.max(1)),
            pages: layout.list("space pages", sizes.pages.max(1)),
            solids: layout.list("solids", bodies_max),
            slots: layout.list("goals", settings.fields_max.max(1)),
            work: layout.single("field work"),
            costs: layout.list("field costs", sizes.costs.max(1)),
            links: layout.list("field links", sizes.links.max(1)),
        }
    }
}

/// The lengths of the lists of a map.
#[derive(Clone, Copy, Debug)]
pub struct MapSizes {
    /// The cells of a ground.
    pub cells: u32,
    /// The chunks of a space.
    pub chunks: u32,
    /// The pages of a space.
    pub pages: u32,
    /// The costs of all fields.
    pub costs: u32,
    /// The links of the field that is being computed.
    pub links: u32,
}

impl MapSizes {
    /// Those of these settings.
    pub fn of(settings: &WaySettings) -> MapSizes {
        let all = settings.lattice().cells();
        let (cells, chunks, pages) = match &settings.kind {
            WayKind::Ground(_) => (all, 0, 0),
            WayKind::Space(space) => (0, space.count(), settings.pages_max),
        };
        let has_fields = settings.fields_max > 0;
        let costs = if has_fields { all * (settings.fields_max + 1) } else { 0 };
        MapSizes { cells, chunks, pages, costs, links: if has_fields { all } else { 0 } }
    }
}

/// The map of a level.
pub struct Ways {
    /// Its settings.
    pub settings: WaySettings,
    /// Its keys.
    pub keys: WayKeys,
    /// Memory for changes.
    pub(crate) memory: PerWorker<WayMemory>,
    /// Memory for searches.
    pub(crate) searches: PerWorker<Search>,
}

/// Copies of what is in the block, to compute a change.
pub(crate) struct WayMemory {
    pub cells: Vec<GroundCell>,
    pub chunks: Vec<u32>,
    pub pages: Vec<Page>,
    pub build: Option<SpaceBuild>,
    pub solids: Vec<BuiltSolid>,
    pub near: Vec<u32>,
    pub changed: Vec<ChangedBox>,
    pub costs: Vec<u32>,
    pub links: Vec<Link>,
}

/// The searches that can run at the same time; a further one waits.
const SEARCHES: usize = 8;

impl Ways {
    /// The map of a level with these settings.
    pub fn new(settings: WaySettings, keys: WayKeys, level: &Level) -> Ways {
        let (sizes, bodies) = (MapSizes::of(&settings), level.room_for_bodies.bodies as usize);
        let build = match &settings.kind {
            WayKind::Ground(_) => None,
            WayKind::Space(space) => Some(SpaceBuild::new(space)),
        };
        let mut build = Some(build);
        let memory = PerWorker::new(1, || WayMemory {
            cells: alloc::vec![GroundCell::default(); sizes.cells as usize],
            chunks: alloc::vec![0; sizes.chunks as usize],
            pages: alloc::vec![Page::default(); sizes.pages as usize],
            build: build.take().flatten(),
            solids: alloc::vec![BuiltSolid::default(); bodies],
            near: Vec::with_capacity(bodies),
            changed: Vec::with_capacity(bodies * 2),
            costs: alloc::vec![0; sizes.links as usize],
            links: alloc::vec![Link::default(); sizes.links as usize],
        });
        let searches = PerWorker::new(SEARCHES, || Search::new(settings.search_max));
        Ways { settings, keys, memory, searches }
    }

    /// The map in a block; none before it is built.
    pub fn map<'a>(&'a self, block: &'a Block) -> Option<WayMap<'a>> {
        self.map_of(self.keys.cells.get(block), self.keys.chunks.get(block), self.keys.pages.get(block))
    }

    pub(crate) fn map_of<'a>(
        &'a self,
        cells: &'a [GroundCell],
        chunks: &'a [u32],
        pages: &'a [Page],
    ) -> Option<WayMap<'a>> {
        let sizes = MapSizes::of(&self.settings);
        match &self.settings.kind {
            WayKind::Ground(settings) => {
                (cells.len() == sizes.cells as usize).then(|| WayMap::Ground(Ground::new(settings, cells)))
            }
            WayKind::Space(settings) => {
                (chunks.len() == sizes.chunks as usize).then(|| WayMap::Space(Space::new(settings, chunks, pages)))
            }
        }
    }

    /// The fields in a block.
    pub fn fields<'a>(&self, block: &'a Block) -> Fields<'a> {
        Fields { slots: self.keys.slots.get(block), costs: self.keys.costs.get(block) }
    }
}

/// Writes the parts of a list that differ, so that only their pages are marked.
pub(crate) fn write_changes<T: Plain + PartialEq>(list: List<T>, world: &mut World, start: u32, values: &[T]) {
    const PART: usize = 1024;
    for (index, part) in values.chunks(PART).enumerate() {
        let at = start as usize + index * PART;
        if list.get(world)[at..at + part.len()] != *part {
            list.write(world, at as u32, part);
        }
    }
}

/// A map, to be asked.
#[derive(Clone, Copy, Debug)]
pub enum WayMap<'a> {
    /// Agents walk.
    Ground(Ground<'a>),
    /// Agents fly.
    Space(Space<'a>),
}

impl Terrain for WayMap<'_> {
    fn lattice(&self) -> &Lattice {
        match self {
            WayMap::Ground(map) => map.lattice(),
            WayMap::Space(map) => map.lattice(),
        }
    }

    #[inline]
    fn clearance(&self, cell: u32) -> u8 {
        match self {
            WayMap::Ground(map) => map.clearance(cell),
            WayMap::Space(map) => map.clearance(cell),
        }
    }

    #[inline]
    fn moves(&self, cell: u32, needed: u8) -> u32 {
        match self {
            WayMap::Ground(map) => map.moves(cell, needed),
            WayMap::Space(map) => map.moves(cell, needed),
        }
    }

    fn stand(&self, cell: u32) -> Vec3 {
        match self {
            WayMap::Ground(map) => map.stand(cell),
            WayMap::Space(map) => map.stand(cell),
        }
    }

    fn holds(&self, cell: u32, place: Vec3) -> bool {
        match self {
            WayMap::Ground(map) => map.holds(cell, place),
            WayMap::Space(map) => map.holds(cell, place),
        }
    }
}
