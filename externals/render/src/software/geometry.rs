//! Geometry: from draws to triangles in pixels, in bins of tiles.
//!
//! Work is cut into chunks by the numbers of triangles, never by threads, and a tile goes through the chunks in order: so the
//! order in which triangles meet a pixel is that of the instances.
//!
//! Coordinates are sixteenths of pixels. Triangles are clipped at the near plane, and beyond a guard band around the picture,
//! within which all edge functions are exact in integers (Giesen 2013).

use base::Vec3;

use crate::limits::PICTURE_SIDE_MAX;
use crate::software::bins::{Bins, TileGrid};
use crate::software::draws::{Draw, Draws};
use crate::software::eye::Eye;
use crate::software::whole::whole;

/// Sixteenths of a pixel in a pixel.
pub const STEPS: i32 = 16;
/// The coordinates beyond which triangles are clipped, in pixels.
const GUARD: f32 = PICTURE_SIDE_MAX as f32;
/// The triangles of a chunk before clipping.
const CHUNK_TRIANGLES: usize = 8192;
/// The most triangles of a chunk after clipping: their numbers have 16 bits.
const CHUNK_MAX: usize = 65535;

/// A triangle in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// The corners in sixteenths of pixels, clockwise in the picture.
    pub corners: [[i32; 2]; 3],
    /// One over the depth of each corner.
    pub inverse: [f32; 3],
    /// The vertices of the mesh.
    pub vertices: [u32; 3],
    /// The draw.
    pub draw: u32,
    /// The index of its corners in `Chunk::clipped`, plus one; 0: its corners are its vertices.
    pub clipped: u32,
}

/// The triangles of some draws.
#[derive(Default)]
pub struct Chunk {
    pieces: Vec<Piece>,
    /// The triangles that may cover a pixel.
    pub triangles: Vec<Triangle>,
    /// For the corners of clipped triangles: their weights of the three vertices.
    pub clipped: Vec<[Vec3; 3]>,
    /// The triangles by tile.
    pub bins: Bins,
    seen: Vec<Vertex>,
}

/// Triangles of one draw.
#[derive(Clone, Copy, Debug)]
struct Piece {
    draw: u32,
    first: u32,
    count: u32,
}

/// A vertex as the eye sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    /// Right, up, depth.
    seen: Vec3,
    /// Its place in the picture, in sixteenths of pixels.
    place: [i32; 2],
    inverse: f32,
    /// Whether it is beyond the near plane or the guard band.
    is_outside: bool,
}

impl Chunk {
    /// Sets up all triangles of its pieces.
    pub fn set_up(&mut self, draws: &Draws, eye: &Eye, grid: TileGrid) {
        self.triangles.clear();
        self.clipped.clear();
        self.bins.clear();
        let pieces = std::mem::take(&mut self.pieces);
        for piece in &pieces {
            self.set_up_piece(piece, draws, eye, grid);
        }
        self.pieces = pieces;
        self.bins.sort(grid);
    }

    fn set_up_piece(&mut self, piece: &Piece, draws: &Draws, eye: &Eye, grid: TileGrid) {
        let draw = &draws.list[piece.draw as usize];
        let lod = draw.lod();
        let positions = draw.skin.as_ref().map_or(&lod.positions, |skin| &skin.positions);
        let [x, y, z] = draw.place.matrix.columns.map(|column| eye.view_of(column));
        let origin = eye.view_of(draw.place.origin);
        let see = |position: &Vec3| vertex(x * position.x + y * position.y + z * position.z + origin, eye);
        let is_whole = piece.count as usize == lod.triangles();
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        if is_whole {
            seen.extend(positions.iter().map(see));
        }
        let culls = !draws.surfaces[draw.surface as usize].is_double_sided;
        let indices = &lod.indices[piece.first as usize * 3..][..piece.count as usize * 3];
        for corners in indices.as_chunks::<3>().0 {
            let mut corners = *corners;
            if draw.is_mirrored {
                corners.swap(1, 2);
            }
            let found = match is_whole {
                true => corners.map(|corner| seen[corner as usize]),
                false => corners.map(|corner| see(&positions[corner as usize])),
            };
            let made = Made { vertices: corners, draw: piece.draw, culls, grid, area: eye.area };
            if found.iter().any(|vertex| vertex.is_outside) {
                self.clip(&found, &made, eye);
            } else {
                self.add(&found, &made, 0);
            }
        }
        self.seen = seen;
    }

    /// Adds a triangle, if it faces the eye and may cover a sample.
    fn add(&mut self, found: &[Vertex; 3], made: &Made, clipped: u32) {
        let [[ax, ay], [bx, by], [cx, cy]] = found.map(|vertex| vertex.place);
        let area = i64::from(bx - ax) * i64::from(cy - ay) - i64::from(by - ay) * i64::from(cx - ax);
        // Counter-clockwise seen from outside; the picture's y points down.
        let is_back = area > 0;
        if area == 0 || (is_back && made.culls) || self.triangles.len() >= CHUNK_MAX {
            return;
        }
        let (min_x, max_x) = (ax.min(bx).min(cx), ax.max(bx).max(cx));
        let (min_y, max_y) = (ay.min(by).min(cy), ay.max(by).max(cy));
        // The columns and rows of samples lie at 2, 6, 10 and 14 sixteenths: between two of them is nothing to be seen.
        if (max_x - 2) >> 2 < (min_x + 1) >> 2 || (max_y - 2) >> 2 < (min_y + 1) >> 2 {
            return;
        }
        let [left, top, right, bottom] = made.area.map(|side| side as i32);
        let (x0, x1) = ((min_x >> 4).max(left), (max_x >> 4).min(right - 1));
        let (y0, y1) = ((min_y >> 4).max(top), (max_y >> 4).min(bottom - 1));
        if x0 > x1 || y0 > y1 {
            return;
        }
        self.bins.add(self.triangles.len() as u32, [x0, y0, x1, y1], made.grid);
        let order = if is_back { [0, 1, 2] } else { [0, 2, 1] };
        self.triangles.push(Triangle {
            corners: order.map(|at| found[at].place),
            inverse: order.map(|at| found[at].inverse),
            // The weights of clipped corners are for the vertices in their own order.
            vertices: if clipped > 0 { made.vertices } else { order.map(|at| made.vertices[at]) },
            draw: made.draw,
            clipped,
        });
        if clipped > 0 && !is_back {
            self.clipped[clipped as usize - 1].swap(1, 2);
        }
    }

    /// Clips a triangle at the near plane and the guard band (Sutherland and Hodgman 1974), and adds what remains.
    fn clip(&mut self, found: &[Vertex; 3], made: &Made, eye: &Eye) {
        if !found.iter().all(|vertex| vertex.seen.is_finite()) {
            return;
        }
        let unit = [Vec3::X, Vec3::Y, Vec3::Z];
        let mut polygon: Vec<(Vec3, Vec3)> =
            found.iter().zip(unit).map(|(vertex, weights)| (vertex.seen, weights)).collect();
        let limit = GUARD * 0.5 / eye.focal;
        let distances: [&dyn Fn(Vec3) -> f32; 5] = [
            &|seen| seen.z - eye.near,
            &|seen| seen.z * limit + seen.x,
            &|seen| seen.z * limit - seen.x,
            &|seen| seen.z * limit + seen.y,
            &|seen| seen.z * limit - seen.y,
        ];
        for distance in distances {
            polygon = clipped_at(&polygon, distance);
            if polygon.len() < 3 {
                return;
            }
        }
        let corners: Vec<(Vertex, Vec3)> =
            polygon.iter().map(|(seen, weights)| (vertex(*seen, eye), *weights)).collect();
        for at in 1..corners.len() - 1 {
            let fan = [corners[0], corners[at], corners[at + 1]];
            // Rounding may leave a corner just beyond a plane; it is near enough to be drawn.
            if fan.iter().all(|(vertex, _)| vertex.inverse > 0.0) {
                self.clipped.push(fan.map(|(_, weights)| weights));
                self.add(&fan.map(|(vertex, _)| vertex), made, self.clipped.len() as u32);
            }
        }
    }
}

/// What the triangles of a piece share.
struct Made {
    vertices: [u32; 3],
    draw: u32,
    culls: bool,
    grid: TileGrid,
    area: [u32; 4],
}

/// Cuts the draws that pass a test into chunks, which keep their memory from picture to picture.
pub fn cut(draws: &Draws, chunks: &mut Vec<Chunk>, order: impl Iterator<Item = u32>) -> usize {
    let mut used = 0;
    let mut left = 0;
    for draw in order {
        let triangles = draws.list[draw as usize].lod().triangles();
        let mut first = 0;
        while first < triangles {
            if left == 0 {
                used += 1;
                if chunks.len() < used {
                    chunks.push(Chunk::default());
                }
                chunks[used - 1].pieces.clear();
                left = CHUNK_TRIANGLES;
            }
            // A draw that fits into a chunk is not torn: its vertices are then transformed once.
            let is_torn = triangles > CHUNK_TRIANGLES;
            let count = if is_torn { left.min(triangles - first) } else { triangles };
            chunks[used - 1].pieces.push(Piece { draw, first: first as u32, count: count as u32 });
            left = left.saturating_sub(count);
            first += count;
        }
    }
    used
}

#[inline]
fn vertex(seen: Vec3, eye: &Eye) -> Vertex {
    let is_near = seen.z < eye.near || seen.z.is_nan();
    let inverse = 1.0 / seen.z;
    let [x, y] = [eye.centre[0] + seen.x * eye.focal * inverse, eye.centre[1] - seen.y * eye.focal * inverse];
    let is_far = !(x > -GUARD && x < 2.0 * GUARD && y > -GUARD && y < 2.0 * GUARD);
    let place = [x, y].map(|value| whole(value * STEPS as f32 + 0.5));
    // Clipped corners lie on the planes, up to rounding.
    let guard = GUARD as i32 * STEPS;
    let place = place.map(|value| value.clamp(-guard, 2 * guard));
    Vertex { seen, place, inverse: if seen.z > 0.0 { inverse } else { 0.0 }, is_outside: is_near || is_far }
}

fn clipped_at(polygon: &[(Vec3, Vec3)], distance: &dyn Fn(Vec3) -> f32) -> Vec<(Vec3, Vec3)> {
    let mut inside = Vec::with_capacity(polygon.len() + 1);
    for (at, &(seen, weights)) in polygon.iter().enumerate() {
        let &(next_seen, next_weights) = &polygon[(at + 1) % polygon.len()];
        let (here, there) = (distance(seen), distance(next_seen));
        if here >= 0.0 {
            inside.push((seen, weights));
        }
        if (here >= 0.0) != (there >= 0.0) {
            let part = here / (here - there);
            inside.push((seen + (next_seen - seen) * part, weights + (next_weights - weights) * part));
        }
    }
    inside
}

/// The opaque draws that are seen, in order, and the blended ones from back to front.
pub fn orders(draws: &Draws, eye: &Eye) -> (Vec<u32>, Vec<u32>) {
    use view::classes::material::AlphaMode;
    let is_blended = |draw: &Draw| draws.surfaces[draw.surface as usize].alpha == AlphaMode::Blend;
    let seen = |blended: bool| {
        let each = draws.list.iter().enumerate();
        each.filter(move |(_, draw)| draw.is_seen && is_blended(draw) == blended).map(|(index, _)| index as u32)
    };
    let mut blended: Vec<u32> = seen(true).collect();
    let depth = |draw: &u32| draws.list[*draw as usize].centre.dot(eye.forward);
    blended.sort_by(|a, b| depth(b).total_cmp(&depth(a)).then(a.cmp(b)));
    (seen(false).collect(), blended)
}
