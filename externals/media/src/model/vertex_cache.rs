//! The order of triangles and vertices: for the vertex cache, then for fetching.
//!
//! Tipsify (Sander, Nehab and Barczak 2007): triangles are emitted in fans around vertices; the next vertex is the one of the
//! last fan that is oldest in the cache and will still be in it after its own fan. Linear time, whatever the valence.

/// The size of the vertex cache that is assumed.
pub const CACHE: usize = 16;

/// Reorders triangles for a first-in-first-out cache of [`CACHE`] vertices.
#[must_use]
pub fn optimise(triangles: &[[u32; 3]], vertices: usize) -> Vec<[u32; 3]> {
    // The triangles of each vertex, one after the other.
    let mut starts = vec![0_u32; vertices + 1];
    triangles.iter().flatten().for_each(|corner| starts[*corner as usize + 1] += 1);
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let mut fill = starts.clone();
    let mut around = vec![0_u32; triangles.len() * 3];
    for (number, triangle) in triangles.iter().enumerate() {
        for corner in triangle {
            around[fill[*corner as usize] as usize] = number as u32;
            fill[*corner as usize] += 1;
        }
    }
    let mut live: Vec<u32> = (0..vertices).map(|vertex| starts[vertex + 1] - starts[vertex]).collect();
    let mut entered = vec![0_u64; vertices];
    let mut is_emitted = vec![false; triangles.len()];
    let mut dead_ends: Vec<u32> = Vec::new();
    let mut candidates: Vec<u32> = Vec::new();
    let mut made = Vec::with_capacity(triangles.len());
    let (mut time, mut cursor) = (CACHE as u64 + 1, 0_usize);
    let mut next = Some(0_usize).filter(|_| vertices > 0);
    while let Some(fan) = next {
        candidates.clear();
        for number in &around[starts[fan] as usize..starts[fan + 1] as usize] {
            if std::mem::replace(&mut is_emitted[*number as usize], true) {
                continue;
            }
            let triangle = triangles[*number as usize];
            made.push(triangle);
            for corner in triangle {
                dead_ends.push(corner);
                candidates.push(corner);
                live[corner as usize] -= 1;
                if time - entered[corner as usize] > CACHE as u64 {
                    entered[corner as usize] = time;
                    time += 1;
                }
            }
        }
        next = best(&candidates, &live, &entered, time);
        while let (None, Some(vertex)) = (next, dead_ends.pop()) {
            next = Some(vertex as usize).filter(|vertex| live[*vertex] > 0);
        }
        while next.is_none() && cursor < vertices {
            next = Some(cursor).filter(|vertex| live[*vertex] > 0);
            cursor += 1;
        }
    }
    made
}

fn best(candidates: &[u32], live: &[u32], entered: &[u64], time: u64) -> Option<usize> {
    let mut best: Option<(u64, usize)> = None;
    for vertex in candidates.iter().map(|vertex| *vertex as usize).filter(|vertex| live[*vertex] > 0) {
        let age = time - entered[vertex];
        let priority = if age + 2 * u64::from(live[vertex]) <= CACHE as u64 { age } else { 0 };
        if best.is_none_or(|(most, _)| priority > most) {
            best = Some((priority, vertex));
        }
    }
    best.map(|(_, vertex)| vertex)
}

/// Numbers vertices in the order of their first use, and returns the old number of each. Unused ones are left out.
pub fn order_vertices(triangles: &mut [[u32; 3]], vertices: usize) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; vertices];
    let mut old = Vec::new();
    for corner in triangles.iter_mut().flatten() {
        let number = &mut numbers[*corner as usize];
        if *number == u32::MAX {
            *number = old.len() as u32;
            old.push(*corner);
        }
        *corner = *number;
    }
    old
}

/// The average cache miss ratio: vertices transformed for each triangle, from 0.5 for a large regular grid and an endless
/// cache to 3.
#[must_use]
pub fn miss_ratio(triangles: &[[u32; 3]], vertices: usize, cache: usize) -> f32 {
    let mut entered = vec![0_u64; vertices];
    let (mut time, mut misses) = (cache as u64 + 1, 0_u64);
    for corner in triangles.iter().flatten() {
        if time - entered[*corner as usize] > cache as u64 {
            entered[*corner as usize] = time;
            time += 1;
            misses += 1;
        }
    }
    if triangles.is_empty() { 0.0 } else { misses as f32 / triangles.len() as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Pcg, Random};

    /// The triangles of a grid in random order.
    fn shuffled_grid(side: u32) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for y in 0..side {
            for x in 0..side {
                let at = |x: u32, y: u32| y * (side + 1) + x;
                triangles.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
                triangles.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
            }
        }
        let mut random = Pcg::new(7, 1);
        for index in (1..triangles.len()).rev() {
            triangles.swap(index, random.below(index as u32 + 1) as usize);
        }
        triangles
    }

    #[test]
    fn a_shuffled_grid_is_put_in_order() {
        let triangles = shuffled_grid(64);
        let vertices = 65 * 65;
        let made = optimise(&triangles, vertices);
        let (before, after) = (miss_ratio(&triangles, vertices, CACHE), miss_ratio(&made, vertices, CACHE));
        println!("average cache miss ratio: {before} before, {after} after");
        assert!(before > 2.5 && after < 0.8, "{before} {after}");
        let sorted = |mut triangles: Vec<[u32; 3]>| {
            triangles.sort_unstable();
            triangles
        };
        assert_eq!(sorted(made), sorted(triangles), "nothing is lost, and the winding is kept");
    }

    #[test]
    fn a_fan_of_any_size_takes_linear_time() {
        let fan: Vec<[u32; 3]> = (1..200_000).map(|corner| [0, corner, corner + 1]).collect();
        assert_eq!(optimise(&fan, 200_001).len(), fan.len());
        assert!(optimise(&[], 0).is_empty());
    }

    #[test]
    fn vertices_are_numbered_by_use() {
        let mut triangles = [[4, 2, 9], [2, 4, 0]];
        assert_eq!(order_vertices(&mut triangles, 10), [4, 2, 9, 0]);
        assert_eq!(triangles, [[0, 1, 2], [1, 0, 3]]);
    }
}
