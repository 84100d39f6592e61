//! The nodes of a search: a hash table by cell, and a heap of the open ones. Its memory is allocated once.

use alloc::vec::Vec;

/// A node of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub cell: u32,
    /// The cost from the start.
    pub cost: u32,
    /// The least cost to the goal if nothing is in the way.
    pub rest: u32,
    /// The node before it; itself for the start.
    pub parent: u32,
    /// Its place in the heap; [`CLOSED`] once it is visited.
    place: u32,
}

const CLOSED: u32 = u32::MAX;

/// An entry of the heap, ordered by estimate, then by the rest, then by cell: a strict order, so that the order of insertion does
/// not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    estimate: u32,
    rest: u32,
    cell: u32,
    node: u32,
}

/// All nodes of a search.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    list: Vec<Node>,
    heap: Vec<Entry>,
    /// The search that wrote a row, and the node. Rows of earlier searches are empty.
    table: Vec<(u32, u32)>,
    search: u32,
    nodes_max: usize,
}

impl Nodes {
    pub fn new(nodes_max: usize) -> Nodes {
        Nodes {
            list: Vec::with_capacity(nodes_max),
            heap: Vec::with_capacity(nodes_max),
            table: alloc::vec![(0, 0); (nodes_max * 2).next_power_of_two().max(2)],
            search: 0,
            nodes_max,
        }
    }

    /// Forgets all nodes. At most `nodes_max` follow, within the capacity.
    pub fn clear(&mut self, nodes_max: usize) {
        self.list.clear();
        self.heap.clear();
        self.nodes_max = nodes_max.min(self.list.capacity());
        if self.search == u32::MAX {
            self.table.fill((0, 0));
            self.search = 0;
        }
        self.search += 1;
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, node: u32) -> Node {
        self.list[node as usize]
    }

    /// Opens a cell, or improves its node. `rest` is computed for a new one. False if there is no room for a new node.
    pub fn open(&mut self, cell: u32, cost: u32, parent: u32, rest: impl FnOnce() -> u32) -> bool {
        let row = self.row(cell);
        if self.table[row].0 != self.search {
            if self.list.len() >= self.nodes_max {
                return false;
            }
            let (number, rest) = (self.list.len() as u32, rest());
            self.table[row] = (self.search, number);
            let parent = if parent == u32::MAX { number } else { parent };
            self.list.push(Node { cell, cost, rest, parent, place: self.heap.len() as u32 });
            self.heap.push(Entry { estimate: cost + rest, rest, cell, node: number });
            self.rise(self.heap.len() - 1);
            return true;
        }
        let number = self.table[row].1;
        let node = self.list[number as usize];
        let parent_cell = |parent: u32| self.list[parent as usize].cell;
        let is_better = cost < node.cost || cost == node.cost && parent_cell(parent) < parent_cell(node.parent);
        if node.place != CLOSED && is_better && node.parent != number {
            let node = &mut self.list[number as usize];
            (node.cost, node.parent) = (cost, parent);
            let place = node.place as usize;
            self.heap[place].estimate = cost + self.heap[place].rest;
            self.rise(place);
        }
        true
    }

    /// Closes the open node with the least estimate.
    pub fn close_best(&mut self) -> Option<(u32, Node)> {
        let best = *self.heap.first()?;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.heap[0] = last;
            self.sink(0);
        }
        self.list[best.node as usize].place = CLOSED;
        Some((best.node, self.list[best.node as usize]))
    }

    /// The row of a cell, or the empty one where it belongs. At most half of the rows are in use.
    fn row(&self, cell: u32) -> usize {
        let mask = self.table.len() - 1;
        let mut row = (cell.wrapping_mul(0x9E37_79B1) >> 7) as usize & mask;
        loop {
            let (search, node) = self.table[row];
            if search != self.search || self.list[node as usize].cell == cell {
                return row;
            }
            row = (row + 1) & mask;
        }
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.list[entry.node as usize].place = place as u32;
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let above = (place - 1) / 4;
            if self.heap[above] <= entry {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let below = place * 4 + 1..(place * 4 + 5).min(self.heap.len());
            let Some(least) = below.min_by_key(|child| self.heap[*child]) else { break };
            if entry <= self.heap[least] {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }
}
