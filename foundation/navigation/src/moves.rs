//! The moves from a cell to its neighbours: offsets, costs, and the neighbours that a diagonal move passes.
//!
//! The first eight stay in the plane. A set of moves is a bit mask.

/// The number of moves in a plane.
pub const PLANE: usize = 8;

/// The number of moves in space.
pub const ALL: usize = 26;

/// The cost of the most expensive move.
pub const COST_MAX: u32 = 17;

/// The offset of each move.
pub static OFFSETS: [[i32; 3]; ALL] = offsets();

/// The cost of each move: 10, 14 or 17 by the number of axes it changes.
pub static COSTS: [u32; ALL] = costs();

/// The neighbours that must be free for each move: its end, and for a diagonal move all cells whose corner or edge it passes.
pub static PASSED: [u32; ALL] = passed();

/// The move in the opposite direction.
pub static OPPOSITE: [u8; ALL] = opposite();

/// The moves that are legal if these neighbours are free.
#[inline]
pub fn legal(free: u32, count: usize) -> u32 {
    if free == (1 << count) - 1 {
        return free;
    }
    let mut legal = 0;
    for (index, passed) in PASSED[..count].iter().enumerate() {
        if free & passed == *passed {
            legal |= 1 << index;
        }
    }
    legal
}

/// The least cost from one position to another if nothing is in the way.
#[inline]
pub fn cost_between(from: [u32; 3], to: [u32; 3]) -> u32 {
    let mut away = [from[0].abs_diff(to[0]), from[1].abs_diff(to[1]), from[2].abs_diff(to[2])];
    away.sort_unstable();
    let [least, middle, most] = away;
    17 * least + 14 * (middle - least) + 10 * (most - middle)
}

/// The move with an offset.
pub fn by_offset(offset: [i32; 3]) -> Option<usize> {
    OFFSETS.iter().position(|known| *known == offset)
}

/// Calls `work` with each move of a set.
#[inline]
pub fn each(mut moves: u32, mut work: impl FnMut(usize)) {
    while moves != 0 {
        work(moves.trailing_zeros() as usize);
        moves &= moves - 1;
    }
}

const fn offsets() -> [[i32; 3]; ALL] {
    let mut offsets = [[0; 3]; ALL];
    let mut count = 0;
    let layers = [0, -1, 1];
    let mut layer = 0;
    while layer < 3 {
        let mut index = 0;
        while index < 9 {
            let offset = [index % 3 - 1, index / 3 - 1, layers[layer]];
            if offset[0] != 0 || offset[1] != 0 || offset[2] != 0 {
                offsets[count] = offset;
                count += 1;
            }
            index += 1;
        }
        layer += 1;
    }
    offsets
}

const fn costs() -> [u32; ALL] {
    let (offsets, mut costs, mut index) = (offsets(), [0; ALL], 0);
    while index < ALL {
        let [x, y, z] = offsets[index];
        costs[index] = [0, 10, 14, 17][(x * x + y * y + z * z) as usize];
        index += 1;
    }
    costs
}

const fn passed() -> [u32; ALL] {
    let (offsets, mut masks, mut index) = (offsets(), [0; ALL], 0);
    while index < ALL {
        let mut other = 0;
        while other < ALL {
            let mut axis = 0;
            let mut is_in = true;
            while axis < 3 {
                // Within the box between the start and the end.
                is_in = is_in && (offsets[other][axis] == 0 || offsets[other][axis] == offsets[index][axis]);
                axis += 1;
            }
            if is_in {
                masks[index] |= 1 << other;
            }
            other += 1;
        }
        index += 1;
    }
    masks
}

const fn opposite() -> [u8; ALL] {
    let (offsets, mut numbers, mut index) = (offsets(), [0; ALL], 0);
    while index < ALL {
        let mut other = 0;
        while other < ALL {
            let (one, two) = (offsets[index], offsets[other]);
            if one[0] == -two[0] && one[1] == -two[1] && one[2] == -two[2] {
                numbers[index] = other as u8;
            }
            other += 1;
        }
        index += 1;
    }
    numbers
}
