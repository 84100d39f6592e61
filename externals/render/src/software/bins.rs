//! Bins: the numbers of triangles by tile, each tile's in the order in which they were added.

/// The tiles of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileGrid {
    /// The tiles in a row.
    pub columns: i32,
    /// The rows of tiles.
    pub rows: i32,
}

/// The width and height of a tile, in pixels.
pub const TILE: i32 = 32;

/// Numbers by tile.
#[derive(Default)]
pub struct Bins {
    pairs: Vec<(u32, u32)>,
    /// The numbers of each tile, one tile after the other.
    order: Vec<u32>,
    /// The end of each tile in `order`.
    ends: Vec<u32>,
}

impl TileGrid {
    /// The grid of a picture.
    pub fn of(size: [u32; 2]) -> TileGrid {
        let [columns, rows] = size.map(|side| side.div_ceil(TILE as u32) as i32);
        TileGrid { columns, rows }
    }
}

impl Bins {
    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.order.clear();
        self.ends.clear();
    }

    /// Adds a number to all tiles of an area in pixels: left, top, right, bottom, the last ones included. It lies within the
    /// picture.
    #[inline]
    pub fn add(&mut self, number: u32, [x0, y0, x1, y1]: [i32; 4], grid: TileGrid) {
        for row in y0 / TILE..=y1 / TILE {
            for column in x0 / TILE..=x1 / TILE {
                self.pairs.push(((row * grid.columns + column) as u32, number));
            }
        }
    }

    /// Sorts what was added by tile (counting sort).
    pub fn sort(&mut self, grid: TileGrid) {
        let tiles = (grid.columns * grid.rows) as usize;
        self.ends.clear();
        self.ends.resize(tiles + 1, 0);
        for (tile, _) in &self.pairs {
            self.ends[*tile as usize + 1] += 1;
        }
        for tile in 1..=tiles {
            self.ends[tile] += self.ends[tile - 1];
        }
        self.order.clear();
        self.order.resize(self.pairs.len(), 0);
        for (tile, number) in &self.pairs {
            let next = &mut self.ends[*tile as usize];
            self.order[*next as usize] = *number;
            *next += 1;
        }
    }

    /// The numbers of a tile.
    pub fn tile(&self, tile: usize) -> &[u32] {
        let start = if tile == 0 { 0 } else { self.ends.get(tile - 1).copied().unwrap_or(0) };
        let end = self.ends.get(tile).copied().unwrap_or(0);
        self.order.get(start as usize..end as usize).unwrap_or_default()
    }
}
